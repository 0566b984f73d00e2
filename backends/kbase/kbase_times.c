#include "backends/kbase/kbase.h"

#define MEASURE_NS 10000000000ll /* how long an offset stays valid */
#define SHORTEST_NS 100000ll     /* a shorter interval is a fault; its rates would be absurd */
#define TOUCH_NS 1000ll          /* intervals whose stamps are this close touch */
#define SLACK_NS 1000000ll       /* tolerance for stamps of the GPU's own clock */
#define WINDOW_NS 3000000000ll   /* the true interval is the median over this time */
#define WINDOW_LEAST 5           /* and over at least this many samples */

static void measure_offset(struct kbase_times *t, const struct sys *sys, int64_t now_ns)
{
	int64_t before = sys->monotonic_ns(sys), raw = sys->raw_ns(sys), after = sys->monotonic_ns(sys);

	t->offset_ns = before + (after - before) / 2 - raw;
	t->measured_ns = now_ns;
}

void kbase_times_start(struct kbase_times *t, const struct sys *sys, int64_t now_ns)
{
	*t = (struct kbase_times){.last_ns = now_ns, .last_raw_ns = sys->raw_ns(sys)};
	measure_offset(t, sys, now_ns);
}

void kbase_times_expect(struct kbase_times *t, int64_t period_ns, bool follows)
{
	t->asked_ns = t->period_ns = period_ns;
	t->follows = follows;
}

/* Not before the end of the last interval, and not in the future. A stamp may be any number. */
static bool is_moment(const struct kbase_times *t, int64_t raw_ns, int64_t now_raw_ns)
{
	return raw_ns >= t->last_raw_ns - SLACK_NS && raw_ns <= now_raw_ns + SLACK_NS;
}

bool kbase_times_is_lead(struct kbase_times *t, const struct sys *sys, const struct kbase_interval *i)
{
	int64_t now_raw_ns = sys->raw_ns(sys);
	bool lead = t->follows && !t->has_part && !(i->flags & SAMPLE_ERROR) &&
		    is_moment(t, i->begin_ns, now_raw_ns) && is_moment(t, i->end_ns, now_raw_ns);

	t->has_part = true;
	if (lead && i->end_ns > t->last_raw_ns)
		t->last_raw_ns = i->end_ns;
	return lead;
}

/* ---- the true interval ---- */

static void keep_duration(struct kbase_times *t, int64_t end_ns, int64_t duration_ns)
{
	if (t->n_kept &&
	    end_ns - t->kept[(t->n_kept - 1) % KBASE_TIMES_KEPT].end_ns < WINDOW_NS / KBASE_TIMES_KEPT)
		return;
	t->kept[t->n_kept++ % KBASE_TIMES_KEPT] =
		(struct kbase_duration){.end_ns = end_ns, .ns = duration_ns};
}

/* The lower of the two middle ones; 0 if too few are known. */
static int64_t median_duration(const struct kbase_times *t, int64_t now_ns)
{
	int64_t sorted[KBASE_TIMES_KEPT];
	unsigned n, at;

	for (n = 0; n < t->n_kept && n < KBASE_TIMES_KEPT; n++) {
		const struct kbase_duration *d = &t->kept[(t->n_kept - 1 - n) % KBASE_TIMES_KEPT];

		if (n >= WINDOW_LEAST && now_ns - d->end_ns > WINDOW_NS)
			break;
		for (at = n; at && sorted[at - 1] > d->ns; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = d->ns;
	}
	return n < WINDOW_LEAST ? 0 : sorted[(n - 1) / 2];
}

/* A driver may raise the interval, or be late while the machine is busy. Less is jitter. */
static void follow_driver(struct kbase_times *t, int64_t now_ns)
{
	int64_t median = median_duration(t, now_ns);

	if (median <= t->asked_ns + t->asked_ns / 16)
		median = t->asked_ns;
	if (median > t->period_ns + t->period_ns / 16 || median < t->period_ns - t->period_ns / 16)
		t->period_ns = median;
}

/* ---- samples ---- */

/* Mark the failed interval at its end, so that time never runs backwards. One without a credible
 * end is taken to be as long as the others; what is counted next still begins at the last end that
 * is known. */
static void mark_error(struct kbase_times *t, int64_t end_raw_ns, bool known, int64_t now_ns,
		       struct sample *sample)
{
	if (known) {
		t->last_raw_ns = end_raw_ns;
		t->last_ns = end_raw_ns + t->offset_ns;
	}
	t->failed_ns = t->failed_ns > t->last_ns ? t->failed_ns : t->last_ns;
	if (!known && t->failed_ns + t->period_ns <= now_ns)
		t->failed_ns += t->period_ns;
	sample->begin_ns = sample->end_ns = t->failed_ns;
}

/* Fill in a sample whose stamps are credible. A new offset moves the stamps a little, so intervals
 * that touched must be kept touching. */
static void place_sample(struct kbase_times *t, const struct kbase_interval *i, struct sample *sample)
{
	bool first = !t->has_sample;

	t->has_sample = true;
	sample->begin_ns = i->begin_ns + t->offset_ns;
	sample->end_ns = i->end_ns + t->offset_ns;
	if (sample->end_ns <= t->failed_ns) /* failed ones before were shorter than they were taken to be */
		sample->end_ns = t->failed_ns + 1;
	if (!first && i->begin_ns > t->last_raw_ns + TOUCH_NS)
		sample->flags |= SAMPLE_GAP;
	else if (!first)
		sample->begin_ns = t->last_ns;
	t->last_raw_ns = i->end_ns;
	t->last_ns = sample->end_ns;
	if (first) /* after the first tick some drivers let up to two periods pass */
		return;
	if (t->follows) {
		keep_duration(t, sample->end_ns, sample->end_ns - sample->begin_ns);
		follow_driver(t, sample->end_ns);
	}
	sample->flags |= source_stretched(sample->begin_ns, sample->end_ns, t->period_ns);
}

/* Soon after boot some drivers report an end of 0, and then intervals of almost no length. */
static enum sample_failure stamp_failure(const struct kbase_times *t, const struct kbase_interval *i,
					 int64_t now_raw_ns)
{
	if (!is_moment(t, i->begin_ns, now_raw_ns) || !is_moment(t, i->end_ns, now_raw_ns) ||
	    i->end_ns < i->begin_ns)
		return FAILURE_STAMPS;
	if (i->end_ns - i->begin_ns < SHORTEST_NS || i->end_ns - t->last_raw_ns < SHORTEST_NS)
		return FAILURE_SHORT;
	return FAILURE_UNKNOWN;
}

bool kbase_times_convert(struct kbase_times *t, const struct sys *sys, struct kbase_interval *i,
			 int64_t now_ns, struct sample *sample)
{
	int64_t now_raw_ns = sys->raw_ns(sys);
	enum sample_failure failure = stamp_failure(t, i, now_raw_ns);
	bool ends = is_moment(t, i->end_ns, now_raw_ns) && i->end_ns > t->last_raw_ns;

	if (now_ns - t->measured_ns >= MEASURE_NS)
		measure_offset(t, sys, now_ns);
	if (failure)
		i->flags |= sample_failed(failure);
	sample->flags |= i->flags;
	sample->lost = i->lost;
	if (failure)
		mark_error(t, i->end_ns, ends, now_ns, sample);
	else
		place_sample(t, i, sample);
	return ends;
}
