#include "backends/kbase/kbase.h"

#define MEASURE_NS 10000000000ll /* how long an offset is good for */
#define SHORTEST_NS 100000ll     /* the shortest period that any driver has: less is a fault, and its rates would be absurd */
#define TOUCH_NS 1000ll          /* stamps this close are the same moment */
#define FUTURE_NS 1000000000ll
#define SLOW_SAMPLES 4 /* in a row: the driver has raised the interval */

static void measure(struct kbase_times *t, const struct sys *sys, int64_t now_ns)
{
	int64_t before = sys->monotonic_ns(sys), raw = sys->raw_ns(sys), after = sys->monotonic_ns(sys);

	t->offset_ns = before + (after - before) / 2 - raw;
	t->measured_ns = now_ns;
}

void kbase_times_start(struct kbase_times *t, const struct sys *sys, int64_t now_ns)
{
	*t = (struct kbase_times){.last_ns = now_ns};
	measure(t, sys, now_ns);
}

static bool is_moment(const struct kbase_times *t, int64_t raw_ns, int64_t now_ns)
{
	return raw_ns > 0 && raw_ns >= t->last_raw_ns - TOUCH_NS && raw_ns + t->offset_ns <= now_ns + FUTURE_NS;
}

/* Right after boot some drivers stamp an end of 0, then stretches that are no time at all. */
static bool is_sound(const struct kbase_times *t, const struct kbase_interval *i, int64_t now_ns)
{
	return is_moment(t, i->begin_ns, now_ns) && is_moment(t, i->end_ns, now_ns) && i->end_ns - i->begin_ns >= SHORTEST_NS;
}

/* An interval that took long: the driver had no room for it (newer ones say so by themselves), or it has raised the interval. */
static void notice_length(struct kbase_times *t, struct sample *sample, uint32_t told, int64_t *period_ns)
{
	int64_t duration_ns = sample->end_ns - sample->begin_ns;
	bool slow = duration_ns > *period_ns + *period_ns / 2;

	if (slow)
		sample->flags |= SAMPLE_STRETCHED;
	t->n_slow = slow && !told ? t->n_slow + 1 : 0;
	if (t->n_slow < SLOW_SAMPLES)
		return;
	*period_ns = duration_ns;
	t->n_slow = 0;
}

/* A mark at the moment where it ended, so that time never runs backwards. */
static void mark_error(struct kbase_times *t, const struct kbase_interval *interval, int64_t now_ns, struct sample *sample)
{
	if (is_moment(t, interval->end_ns, now_ns) && interval->end_ns > t->last_raw_ns) {
		t->last_raw_ns = interval->end_ns;
		t->last_ns = interval->end_ns + t->offset_ns;
	}
	sample->flags |= SAMPLE_ERROR;
	sample->begin_ns = sample->end_ns = t->last_ns;
}

bool kbase_times_convert(struct kbase_times *t, const struct sys *sys, const struct kbase_interval *interval, int64_t now_ns,
			 struct sample *sample, int64_t *period_ns)
{
	bool first = !t->has_sample;

	if (now_ns - t->measured_ns >= MEASURE_NS)
		measure(t, sys, now_ns);
	sample->flags |= interval->flags;
	sample->lost = interval->lost;
	if (!is_sound(t, interval, now_ns)) {
		bool short_tick = first && is_moment(t, interval->begin_ns, now_ns) && interval->end_ns > interval->begin_ns;

		mark_error(t, interval, now_ns, sample);
		t->has_sample = !short_tick;
		if (short_tick)
			sample->flags = 0; /* the next one is written into the same */
		return !short_tick;
	}
	t->has_sample = true;
	/* A new offset moves the stamps a little: what touched goes on touching. */
	sample->begin_ns = interval->begin_ns + t->offset_ns;
	sample->end_ns = interval->end_ns + t->offset_ns;
	if (!first && interval->begin_ns > t->last_raw_ns + TOUCH_NS)
		sample->flags |= SAMPLE_GAP;
	else if (!first)
		sample->begin_ns = t->last_ns;
	t->last_raw_ns = interval->end_ns;
	t->last_ns = sample->end_ns;
	if (!first) /* the driver's ticks do not begin with us: up to two of its periods may pass before the second one */
		notice_length(t, sample, interval->flags, period_ns);
	return true;
}
