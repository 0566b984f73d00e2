#include "tui/feeds.h"

#include "base/alloc.h"
#include "tui/keys.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AHEAD_SHARE 16 /* 1/16 of the points is also in the short histories of rows */
#define GAP_POINTS 3   /* a gap of more points is longer than jitter explains */

static double *vector_new(unsigned n)
{
	double *v = xcalloc(n, sizeof(*v));

	for (unsigned i = 0; i < n; i++)
		v[i] = NAN;
	return v;
}

int64_t feed_now_ns(const struct feed_state *feed)
{
	const struct feeds *f = feed->feeds;
	int64_t period = feed->history ? feed->source->period_ns : feed_period_ns(feed);

	return period > f->refresh_ns ? period : f->refresh_ns;
}

/* Half a millisecond of tolerance: deadlines jitter, and a column that ended just before the window
 * belongs to the previous one. */
#define GRACE_NS 500000

/* Count the shown frames in a span, from the sources that may count them. `around` is the span for
 * sources without a sample that ended in it. */
static struct metric_frames frames_between(const struct feeds *f, int64_t from_ns, int64_t to_ns, bool around)
{
	static const enum source_kind kinds[] = {SOURCE_PASSES, SOURCE_CPU};
	struct metric_frames frames = METRIC_FRAMES_UNKNOWN;

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		const struct feed_state *feed = feeds_shown(f, kinds[i]);

		if (!feed || !metric_counts_frames(feed->source->set))
			continue;
		history_span(feed->history, from_ns + GRACE_NS, to_ns + GRACE_NS, feed->frames);
		if (around && !feed->frames->n_samples)
			history_around(feed->history, from_ns / 2 + to_ns / 2, feed->frames);
		metric_frames_add(&frames, feed->source->set, feed->frames);
	}
	return frames;
}

static struct metric_frames column_frames(const struct feeds *f, const struct column *column)
{
	return column->n_samples ? frames_between(f, column->begin_ns, column->end_ns, true)
				 : METRIC_FRAMES_UNKNOWN;
}

/* Instances that were kept for a part of the span only are unknown. Otherwise their sums would show
 * every core as idle before. */
static void take_column(struct feed_state *feed, const struct column *column)
{
	const struct feeds *f = feed->feeds;
	const struct session_source *source = feed->source;
	struct metric_frames frames = column_frames(f, column);

	metric_vector(source->set, column, feed->scratch);
	metric_frames_put(&frames, feed->scratch);
	if (column->begin_ns < feed->each_ns - GRACE_NS)
		for (unsigned i = source->n_sums; i < source->n_slots; i++)
			feed->scratch[VECTOR_CONSTANTS + i] = NAN;
}

/* Get the vector of that window. If no sample ended in it, use the sample that covers it. */
static bool vector_at(struct feed_state *feed, int64_t end_ns, int64_t window, struct column *column,
		      double *vector)
{
	feed_part(feed, FEED_SPAN, end_ns - window + GRACE_NS, end_ns + GRACE_NS, column);
	if (!column->n_samples)
		feed_part(feed, FEED_AROUND, end_ns - window / 2, 0, column);
	take_column(feed, column);
	memcpy(vector, feed->scratch, feed->n_vector * sizeof(*vector));
	return column->n_samples > 0;
}

static bool point_vector(void *owner, int back, double *vector)
{
	struct feed_state *feed = owner;
	int64_t point = feeds_point_ns(feed->feeds), end_ns = feed->shown_ns - back * point;

	return feed->shown_ns && vector_at(feed, end_ns, point, feed->step, vector);
}

/* A point as long as `now` ends with it; others end at multiples of their length. */
static int64_t point_end(const struct feed_state *feed, int64_t at_ns)
{
	int64_t point = feeds_point_ns(feed->feeds);

	return point == feed_now_ns(feed) ? at_ns : (at_ns + point - 1) / point * point;
}

/* Replace all points. */
static void reset_points(struct feed_state *feed, int64_t end_ns)
{
	int64_t point = feeds_point_ns(feed->feeds);

	points_reset(feed->points, feed->source->set, feed->n_vector, feed->n_points);
	feed->shown_ns = point_end(feed, end_ns);
	feed->n_steps = point == feed_now_ns(feed) ? 0 : (unsigned)(feed->shown_ns / point);
}

/* Allocate vectors for the kept slots. */
static void make_vectors(struct feed_state *feed)
{
	const struct feeds *f = feed->feeds;
	const struct session_source *source = feed->source;

	free(feed->now);
	free(feed->total);
	feed->n_vector = VECTOR_CONSTANTS + subscriber_values(f->parts, source->n_sums, source->n_slots);
	feed->now = vector_new(feed->n_vector);
	feed->total = vector_new(feed->n_vector);
	reset_points(feed, 0);
}

static void feed_init(struct feeds *f, struct feed_state *feed, const struct session_source *source,
		      int n_points)
{
	*feed = (struct feed_state){
		.feeds = f, .source = source, .epoch = source->epoch, .n_points = n_points};
	feed->points = points_new(point_vector, feed);
	if (source->kind != SOURCE_MIX)
		feed->history = history_new(source->set->slots, source->n_slots,
					    subscriber_values(f->parts, source->n_sums, source->n_slots),
					    source->asked_ns);
	feed->column = feed_column_new(feed);
	feed->step = feed_column_new(feed);
	feed->frames = feed_column_new(feed);
	feed->scratch = vector_new(source->set->n_vector);
	make_vectors(feed);
}

static void feed_fini(struct feed_state *feed)
{
	points_free(feed->points);
	free(feed->scratch);
	free(feed->now);
	free(feed->total);
	free(feed->mark);
	for (unsigned i = 0; i < FEED_WINDOWS; i++)
		free(feed->windows[i]);
	free(feed->column);
	free(feed->step);
	free(feed->frames);
	feeds_records_fini(&feed->records);
	history_free(feed->history);
}

/* Return the number of sources, plus one if there is a mix. */
static unsigned n_feeds(const struct feeds *f)
{
	return f->n + (f->mix != NULL);
}

/* Use the current mix of the session, after its sources. */
static void follow_mix(struct feeds *f)
{
	const struct session *session = f->session;
	struct feed_state *feed = &f->feeds[f->n];

	if (f->mix == session->mix && (!f->mix || feed->epoch == session->mixed.epoch))
		return;
	if (f->mix)
		feed_fini(feed);
	f->mix = session->mix;
	if (f->mix)
		feed_init(f, feed, &session->mixed, f->n ? f->feeds[0].n_points : 0);
}

/* Limit all histories together to HISTORY_BYTES. */
static void share_memory(struct feeds *f)
{
	for (unsigned i = 0; i < f->n; i++)
		history_limit(f->feeds[i].history, HISTORY_BYTES / f->n);
}

void feeds_init(struct feeds *f, struct session *session, unsigned parts, int64_t refresh_ns)
{
	parts |= SUBSCRIBER_MORE;
	*f = (struct feeds){.session = session,
			    .subscriber = session->sampler ? session_subscriber(session, parts) : NULL,
			    .parts = parts,
			    .refresh_ns = refresh_ns};
	for (; f->n < session->n; f->n++)
		feed_init(f, &f->feeds[f->n], &session->sources[f->n], 0);
	share_memory(f);
	follow_mix(f);
}

void feeds_fini(struct feeds *f)
{
	for (unsigned i = 0; i < n_feeds(f); i++)
		feed_fini(&f->feeds[i]);
	if (f->subscriber)
		sampler_detach(f->session->sampler, f->subscriber);
	subscriber_free(f->subscriber);
	*f = (struct feeds){0};
}

void feeds_take(struct feeds *f, const struct sample *sample)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->session->sources[i].index == sample->source) {
			history_push(f->feeds[i].history, sample);
			feeds_records_take(&f->feeds[i].records, f->session->sources[i].set, sample);
		}
}

static void drain_subscriber(struct feeds *f)
{
	const struct sample *sample;

	for (; (sample = subscriber_peek(f->subscriber)); subscriber_release(f->subscriber))
		feeds_take(f, sample);
}

/* Attach the new subscriber before detaching the old one, so that no sample is missed; history
 * drops duplicates by sequence number. */
static void change_subscriber(struct feeds *f)
{
	struct subscriber *old = f->subscriber, *new;

	if (!old)
		return;
	new = session_subscriber(f->session, f->parts);
	sampler_detach(f->session->sampler, old);
	drain_subscriber(f);
	subscriber_free(old);
	f->subscriber = new;
}

/* Whether a simulated past has arrived only in part. */
static bool is_in_past(const struct feed_state *feed)
{
	const struct feeds *f = feed->feeds;

	return feed->history && f->session->has_past && feed->source->simulated &&
	       history_newest_ns(feed->history) < f->session->what.epoch_ns + f->session->what.history_ns;
}

void feeds_drain(struct feeds *f)
{
	bool comes = f->n < f->session->n;

	drain_subscriber(f);
	for (unsigned i = 0; i < f->n; i++)
		comes |= is_in_past(&f->feeds[i]);
	if (!f->session->has_past || comes)
		return;
	f->session->has_past = false; /* the rings no longer need room for it */
	change_subscriber(f);
}

void feeds_follow(struct feeds *f)
{
	unsigned before = f->n;

	feeds_drain(f);
	if (f->mix && f->n < f->session->n) {
		feed_fini(&f->feeds[f->n]); /* another one replaces it */
		f->mix = NULL;
	}
	for (unsigned i = 0; i < f->session->n; i++) {
		struct feed_state *feed = &f->feeds[i];
		const struct session_source *source = &f->session->sources[i];
		int n_points = i < f->n ? feed->n_points : f->feeds[0].n_points;

		if (i < f->n && feed->epoch == source->epoch)
			continue;
		if (i < f->n)
			feed_fini(feed);
		feed_init(f, feed, source, n_points);
		f->n = i < f->n ? f->n : i + 1;
	}
	share_memory(f);
	if (f->n > before)
		change_subscriber(f);
	follow_mix(f);
}

void feeds_set_interval(struct feeds *f, struct session_source *source, int64_t interval_ns)
{
	session_set_interval(f->session, source, interval_ns);
	change_subscriber(f);
}

void feeds_clear(struct feeds *f, bool partial)
{
	f->partial = partial;
	for (unsigned i = 0; i < n_feeds(f); i++) {
		struct feed_state *feed = &f->feeds[i];

		if (feed->history)
			history_clear(feed->history);
		make_vectors(feed);
		feeds_records_clear(&feed->records);
		feed->newest_ns = feed->at_ns = feed->each_ns = 0;
	}
}

bool feeds_keep_instances(struct feeds *f)
{
	unsigned before = f->parts;

	if (before & SUBSCRIBER_INSTANCES)
		return false;
	f->parts |= SUBSCRIBER_INSTANCES;
	change_subscriber(f);
	for (unsigned i = 0; i < f->n; i++) {
		struct feed_state *feed = &f->feeds[i];
		const struct session_source *source = feed->source;

		if (subscriber_values(before, source->n_sums, source->n_slots) == source->n_slots)
			continue;
		history_keep(feed->history, source->n_slots);
		feed->each_ns = history_newest_ns(feed->history);
		make_vectors(feed);
	}
	feeds_show(f, 0, 0);
	return true;
}

/* Compute the mean of the range, if history holds all of it. */
static void range_vector(struct feed_state *feed)
{
	const struct feeds *f = feed->feeds;
	int64_t slack = feed_now_ns(feed);
	bool held = feed_oldest_ns(feed) <= f->range_from_ns + slack &&
		    feed_newest_ns(feed) >= f->range_to_ns - slack;

	feed_part(feed, FEED_SPAN, f->range_from_ns + GRACE_NS, f->range_to_ns + GRACE_NS, feed->column);
	take_column(feed, feed->column);
	for (unsigned i = 0; i < feed->n_vector; i++)
		feed->now[i] = held ? feed->scratch[i] : (double)NAN;
}

void feeds_renew(struct feeds *f)
{
	follow_mix(f);
	for (unsigned i = 0; i < n_feeds(f); i++) {
		struct feed_state *feed = &f->feeds[i];

		points_reset(feed->points, feed->source->set, feed->n_vector, feed->n_points);
	}
}

void feeds_settle(const struct feeds *f)
{
	for (unsigned i = 0; i < n_feeds(f); i++)
		points_settle(f->feeds[i].points);
}

static void renew_steps(struct feeds *f)
{
	for (unsigned i = 0; i < n_feeds(f); i++)
		reset_points(&f->feeds[i], f->feeds[i].newest_ns);
}

void feeds_set_refresh(struct feeds *f, int64_t refresh_ns)
{
	f->refresh_ns = refresh_ns;
	renew_steps(f);
}

void feeds_set_cell(struct feeds *f, int64_t cell_ns)
{
	f->cell_ns = cell_ns;
	renew_steps(f);
}

void feeds_want_points(struct feeds *f, int n)
{
	for (unsigned i = 0; i < n_feeds(f); i++) {
		struct feed_state *feed = &f->feeds[i];

		if (n == feed->n_points)
			continue;
		feed->n_points = n;
		reset_points(feed, feed->newest_ns);
	}
}

static void step_total(struct feed_state *feed)
{
	const struct feeds *f = feed->feeds;
	struct metric_frames frames = METRIC_FRAMES_UNKNOWN;

	for (enum source_kind kind = 0; kind < SOURCE_MIX; kind++) {
		const struct feed_state *of = feeds_shown(f, kind);

		if (of && metric_counts_frames(of->source->set))
			metric_frames_add(&frames, of->source->set, history_total(of->history));
	}
	metric_vector(feed->source->set, feed_part(feed, FEED_TOTAL, 0, 0, feed->step), feed->scratch);
	metric_frames_put(&frames, feed->scratch);
	memcpy(feed->total, feed->scratch, feed->n_vector * sizeof(*feed->total));
}

/* Add points for the samples that have arrived. */
static void step_points(struct feed_state *feed, int64_t newest)
{
	int64_t point = feeds_point_ns(feed->feeds), now = feed_now_ns(feed), end = point_end(feed, newest);
	int64_t n = (end - feed->shown_ns + point / 2) / point;

	if (newest - feed->newest_ns > GAP_POINTS * now || n >= feed->n_points) {
		reset_points(feed, newest); /* the device was away, so its points are empty */
		return;
	}
	feed->shown_ns = end;
	feed->n_steps += (unsigned)n;
	points_shift(feed->points, (int)n, n == 1 && point == now ? feed->now : NULL);
}

/* Compute the means of longer times, or of the part of them that history holds. */
static void window_vectors(struct feed_state *feed)
{
	const struct feeds *f = feed->feeds;

	for (unsigned i = 0; f->windows && i < FEED_WINDOWS; i++) {
		if (!feed->windows[i])
			feed->windows[i] = vector_new(feed->source->set->n_vector);
		vector_at(feed, feed->at_ns, (int64_t)(feed_windows_s[i] * 1e9), feed->step,
			  feed->windows[i]);
	}
}

static void step_feed(struct feed_state *feed)
{
	const struct feeds *f = feed->feeds;
	int64_t newest = feed_newest_ns(feed), now = feed_now_ns(feed);

	if (!newest || feed->source->away || is_in_past(feed)) {
		for (unsigned i = 0; i < feed->n_vector; i++)
			feed->now[i] = NAN;
		return;
	}
	/* A source that is slower than the refresh keeps its last point. */
	if (feed->newest_ns && newest - feed->newest_ns < now / 2)
		return;
	vector_at(feed, newest, now, feed->column, feed->now);
	if (!f->partial)
		step_total(feed);
	step_points(feed, newest);
	feed->newest_ns = feed->at_ns = newest;
	if (f->range_to_ns)
		range_vector(feed);
	window_vectors(feed);
}

void feeds_step(struct feeds *f)
{
	for (unsigned i = 0; i < n_feeds(f); i++)
		step_feed(&f->feeds[i]);
}

static void show_now(struct feed_state *feed)
{
	const struct feeds *f = feed->feeds;

	if (f->range_to_ns)
		range_vector(feed);
	else
		vector_at(feed, feed->at_ns, feed_now_ns(feed), feed->column, feed->now);
	window_vectors(feed);
}

void feeds_want_windows(struct feeds *f, bool on)
{
	f->windows = on;
	for (unsigned i = 0; on && i < n_feeds(f); i++)
		if (f->feeds[i].at_ns)
			window_vectors(&f->feeds[i]);
}

void feeds_show(struct feeds *f, int64_t end_ns, int64_t at_ns)
{
	for (unsigned i = 0; i < n_feeds(f); i++) {
		struct feed_state *feed = &f->feeds[i];
		int64_t end = end_ns ? end_ns : feed_newest_ns(feed);

		if (!end)
			continue;
		feed->newest_ns = end;
		reset_points(feed, end);
		feed->at_ns = at_ns ? at_ns : end;
		show_now(feed);
	}
}

void feeds_range(struct feeds *f, int64_t from_ns, int64_t to_ns)
{
	f->range_from_ns = from_ns;
	f->range_to_ns = to_ns;
}

void feeds_compare(struct feeds *f, bool on, int64_t at_ns)
{
	for (unsigned i = 0; i < n_feeds(f); i++) {
		struct feed_state *feed = &f->feeds[i];

		free(take_ptr(&feed->mark));
		if (!on)
			continue;
		feed->mark = vector_new(feed->source->set->n_vector);
		if (at_ns && feed->at_ns) {
			vector_at(feed, at_ns, feed_now_ns(feed), feed->column, feed->mark);
			show_now(feed); /* to show its flags */
			continue;
		}
		memcpy(feed->mark, feed->now, feed->n_vector * sizeof(*feed->mark));
	}
}

int64_t feeds_shown_ns(const struct feeds *f)
{
	int64_t shown = 0;

	for (unsigned i = 0; i < n_feeds(f); i++)
		shown = f->feeds[i].at_ns > shown ? f->feeds[i].at_ns : shown;
	return shown;
}

int64_t feeds_span_ns(const struct feeds *f)
{
	int64_t span = 0;

	for (unsigned i = 0; i < n_feeds(f); i++) {
		int64_t ns = f->feeds[i].n_points * feeds_point_ns(f);

		span = ns > span ? ns : span;
	}
	return span;
}

bool feeds_reach(const struct feeds *f, int64_t *oldest_ns, int64_t *newest_ns)
{
	*oldest_ns = *newest_ns = 0;
	for (unsigned i = 0; i < f->n; i++) {
		int64_t newest = history_newest_ns(f->feeds[i].history),
			oldest = history_oldest_ns(f->feeds[i].history);

		if (newest > *newest_ns)
			*newest_ns = newest;
		if (newest && (!*oldest_ns || oldest < *oldest_ns))
			*oldest_ns = oldest;
	}
	return *newest_ns != 0;
}

const struct feed_state *feeds_shown(const struct feeds *f, enum source_kind kind)
{
	const struct session_source *shown = session_shown(f->session, kind);

	for (unsigned i = 0; i < n_feeds(f); i++)
		if (f->feeds[i].source == shown)
			return &f->feeds[i];
	return NULL;
}

struct feed feeds_view(const struct feeds *f, enum source_kind kind)
{
	const struct feed_state *feed = feeds_shown(f, kind);
	int64_t point = feeds_point_ns(f), now, back;
	const struct sample *sample;
	unsigned index = 0;

	if (!feed)
		return (struct feed){0};
	now = feed_now_ns(feed);
	sample = feeds_records_find(&feed->records, feed->at_ns - now, feed->at_ns, &index);
	back = (feed->shown_ns - feed->at_ns + (point == now ? point / 2 : 0)) / point;
	return (struct feed){
		.set = feed->source->set,
		.frame_sample = sample,
		.frame_index = index,
		.frame_earlier = sample && sample->end_ns <= feed->at_ns - now,
		.run = feed->records.run,
		.n_vector = feed->n_vector,
		.now = feed->now,
		.total = feed->total,
		.mark = feed->mark,
		.windows = {f->windows ? feed->windows[0] : NULL, f->windows ? feed->windows[1] : NULL},
		.now_column = feed->column,
		.points = feed->points,
		.n_points = feed->n_points,
		.n_steps = feed->n_steps,
		.about = feed->source->title,
		.end_ns = feed->shown_ns,
		.point_ns = point,
		.cursor = f->paused && back < feed->n_points ? (int)back + 1 : 0};
}

bool feeds_vector(const struct feeds *f, enum source_kind kind, int64_t from_ns, int64_t to_ns,
		  double *vector)
{
	const struct feed_state *feed = feeds_shown(f, kind);
	struct metric_frames frames;

	if (!feed || feed->source->away)
		return false;
	if (to_ns - from_ns < feed->source->period_ns)
		from_ns = to_ns - feed->source->period_ns;
	feed_part(feed, FEED_SPAN, from_ns + GRACE_NS, to_ns + GRACE_NS, feed->step);
	if (!feed->step->n_samples)
		feed_part(feed, FEED_AROUND, from_ns + (to_ns - from_ns) / 2, 0, feed->step);
	metric_vector(feed->source->set, feed->step, vector);
	frames = column_frames(f, feed->step);
	metric_frames_put(&frames, vector);
	return feed->step->n_samples > 0;
}

#define FRAMES_NS 3000000000ll /* an application that is slower counts as one without frames */

struct metric_frames feeds_frames(const struct feeds *f)
{
	int64_t to_ns = f->range_to_ns, from_ns = f->range_from_ns;

	for (enum source_kind kind = 0; kind < SOURCE_MIX && !f->range_to_ns; kind++) {
		const struct feed_state *feed = feeds_shown(f, kind);

		if (!feed || !metric_counts_frames(feed->source->set) || feed->at_ns < to_ns)
			continue;
		to_ns = feed->at_ns;
		from_ns = to_ns - FRAMES_NS;
	}
	return frames_between(f, from_ns, to_ns, false);
}

uint64_t feeds_lost(const struct feeds *f)
{
	uint64_t lost = 0;

	for (unsigned i = 0; i < f->n; i++)
		lost += history_lost(f->feeds[i].history);
	return lost;
}

/* ---- the scale of graphs, and their end when the past is shown ---- */

int64_t feeds_point_ns(const struct feeds *f)
{
	return f->cell_ns ? f->cell_ns / 2 : f->refresh_ns;
}

int64_t feeds_next_cell(const struct feeds *f, int by)
{
	static const double cells_ms[] = {50, 100, 500, 1000, 5000, 30000, 300000, 1200000};

	return (int64_t)keys_step(cells_ms, ARRAY_LEN(cells_ms), 2 * (double)feeds_point_ns(f) / 1e6, by) *
	       1000000;
}

int64_t feeds_window_ns(const struct feeds *f, int64_t window_ns, int64_t at_ns, int64_t begin_ns,
			int64_t end_ns)
{
	int n = f->n ? f->feeds[0].n_points : 0,
	    shown = n > 2 * VIEW_POINTS_BEFORE ? n - VIEW_POINTS_BEFORE : n;
	int64_t point = feeds_point_ns(f), step = point > f->refresh_ns ? point : f->refresh_ns;
	int64_t most = shown / 2 * point, to = at_ns + n / AHEAD_SHARE * point;

	if (at_ns <= window_ns && window_ns - at_ns <= most)
		return window_ns;
	if (at_ns > window_ns && at_ns - window_ns <= step)
		return at_ns; /* a step by a refresh */
	if (to < begin_ns + most)
		to = begin_ns + most;
	to = to < end_ns ? to : end_ns;
	return to > at_ns ? to : at_ns;
}
