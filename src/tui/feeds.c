#include "tui/feeds.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GAP_POINTS 3 /* time without samples that is more than jitter */

static double *vector_new(unsigned n)
{
	double *v = xcalloc(n, sizeof(*v));

	for (unsigned i = 0; i < n; i++)
		v[i] = NAN;
	return v;
}

/* Vectors as long as what is kept. The points are made anew from history. */
static void make_vectors(struct feeds *f, struct feed_state *feed)
{
	const struct session_source *source = feed->source;

	free(feed->now);
	free(feed->total);
	for (int k = 0; k < feed->n_points; k++)
		free(take_ptr(&feed->points[k]));
	feed->n_vector = VECTOR_CONSTANTS + (f->instances ? source->n_slots : source->n_sums);
	feed->now = vector_new(feed->n_vector);
	feed->total = vector_new(feed->n_vector);
}

static void feed_init(struct feeds *f, struct feed_state *feed, const struct session_source *source)
{
	*feed = (struct feed_state){.source = source, .epoch = source->epoch};
	feed->history = history_new(source->set->slots, source->n_slots, f->instances ? source->n_slots : source->n_sums,
				    source->asked_ns);
	feed->column = history_column_new(feed->history);
	feed->scratch = vector_new(source->set->n_vector);
	make_vectors(f, feed);
}

static void feed_fini(struct feed_state *feed)
{
	for (int k = 0; k < feed->n_points; k++)
		free(feed->points[k]);
	free(feed->points);
	free(feed->scratch);
	free(feed->now);
	free(feed->total);
	free(feed->column);
	history_free(feed->history);
}

void feeds_init(struct feeds *f, struct session *session, bool instances, int64_t refresh_ns)
{
	*f = (struct feeds){.session = session,
			    .ring = session->sampler ? session_ring(session, instances) : NULL,
			    .instances = instances,
			    .refresh_ns = refresh_ns};
	for (; f->n < session->n; f->n++)
		feed_init(f, &f->feeds[f->n], &session->sources[f->n]);
}

void feeds_fini(struct feeds *f)
{
	for (unsigned i = 0; i < f->n; i++)
		feed_fini(&f->feeds[i]);
	if (f->ring) {
		sampler_detach(f->session->sampler, f->ring);
		ring_free(f->ring);
	}
	*f = (struct feeds){0};
}

void feeds_take(struct feeds *f, const struct sample *sample)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->session->sources[i].index == sample->source)
			history_push(f->feeds[i].history, sample);
}

void feeds_drain(struct feeds *f)
{
	const struct sample *sample;

	while ((sample = ring_peek(f->ring))) {
		feeds_take(f, sample);
		ring_release(f->ring);
	}
}

/* The new ring is attached before the old one leaves: samples that come twice are known by their count. */
static void change_ring(struct feeds *f)
{
	struct ring *old = f->ring, *new;

	if (!old)
		return;
	new = session_ring(f->session, f->instances);
	sampler_detach(f->session->sampler, old);
	feeds_drain(f);
	ring_free(old);
	f->ring = new;
}

void feeds_follow(struct feeds *f)
{
	unsigned before = f->n;

	feeds_drain(f);
	for (unsigned i = 0; i < f->session->n; i++) {
		struct feed_state *feed = &f->feeds[i];
		const struct session_source *source = &f->session->sources[i];
		int n_points = i < f->n ? feed->n_points : f->feeds[0].n_points;

		if (i < f->n && feed->epoch == source->epoch)
			continue;
		if (i < f->n)
			feed_fini(feed);
		feed_init(f, feed, source);
		feed->points = xcalloc((size_t)n_points, sizeof(*feed->points));
		feed->n_points = n_points;
		f->n = i < f->n ? f->n : i + 1;
	}
	if (f->n > before)
		change_ring(f);
}

void feeds_set_interval(struct feeds *f, struct session_source *source, int64_t interval_ns)
{
	session_set_interval(f->session, source, interval_ns);
	change_ring(f);
}

void feeds_clear(struct feeds *f, bool partial)
{
	f->partial = partial;
	for (unsigned i = 0; i < f->n; i++) {
		struct feed_state *feed = &f->feeds[i];

		history_clear(feed->history);
		make_vectors(f, feed);
		feed->shown_ns = 0;
	}
}

void feeds_keep_instances(struct feeds *f)
{
	if (f->instances)
		return;
	f->instances = true;
	change_ring(f);
	for (unsigned i = 0; i < f->n; i++) {
		struct feed_state *feed = &f->feeds[i];

		history_keep(feed->history, f->session->sources[i].n_slots);
		make_vectors(f, feed);
	}
	feeds_show(f, 0);
}

/* Length of a point: the refresh period, or the source's own interval where that is longer. */
static int64_t window_ns(const struct feeds *f, const struct feed_state *feed)
{
	return feed->source->period_ns > f->refresh_ns ? feed->source->period_ns : f->refresh_ns;
}

/* Half a millisecond of grace: deadlines jitter, and a column that ended just before the window is still the one before. */
#define GRACE_NS 500000

static bool vector_at(const struct feeds *f, struct feed_state *feed, int64_t end_ns, double *vector)
{
	history_span(feed->history, end_ns - window_ns(f, feed) + GRACE_NS, end_ns + GRACE_NS, feed->column);
	metric_vector(feed->source->set, feed->column, feed->scratch);
	memcpy(vector, feed->scratch, feed->n_vector * sizeof(*vector));
	return feed->column->n_samples > 0;
}

static void points_rebuild(struct feeds *f, struct feed_state *feed, int64_t end_ns)
{
	for (int k = 0; k < feed->n_points; k++) {
		int64_t at = end_ns - (feed->n_points - 1 - k) * window_ns(f, feed);

		if (!feed->points[k])
			feed->points[k] = vector_new(feed->n_vector);
		if (!end_ns || !vector_at(f, feed, at, feed->points[k])) {
			free(feed->points[k]);
			feed->points[k] = NULL;
		}
	}
}

void feeds_want_points(struct feeds *f, int n)
{
	for (unsigned i = 0; i < f->n; i++) {
		struct feed_state *feed = &f->feeds[i];

		if (n == feed->n_points)
			continue;
		for (int k = 0; k < feed->n_points; k++)
			free(feed->points[k]);
		feed->points = xreallocarray(feed->points, (size_t)n, sizeof(*feed->points));
		memset(feed->points, 0, (size_t)n * sizeof(*feed->points));
		feed->n_points = n;
		points_rebuild(f, feed, feed->shown_ns);
	}
}

/* The points move left by one; the oldest vector is used again for the newest. */
static void points_step(struct feed_state *feed)
{
	double *newest;

	if (!feed->n_points)
		return;
	newest = feed->points[0];
	memmove(feed->points, feed->points + 1, (size_t)(feed->n_points - 1) * sizeof(*feed->points));
	if (!newest)
		newest = vector_new(feed->n_vector);
	memcpy(newest, feed->now, feed->n_vector * sizeof(*newest));
	feed->points[feed->n_points - 1] = newest;
}

static void step(struct feeds *f, struct feed_state *feed)
{
	int64_t newest = history_newest_ns(feed->history);

	if (!newest || feed->source->away) {
		for (unsigned i = 0; i < feed->n_vector; i++)
			feed->now[i] = NAN;
		return;
	}
	/* A source that is slower than the refresh keeps showing its last point. */
	if (feed->shown_ns && newest - feed->shown_ns < window_ns(f, feed) / 2)
		return;
	vector_at(f, feed, newest, feed->now);
	if (!f->partial) {
		metric_vector(feed->source->set, history_total(feed->history), feed->scratch);
		memcpy(feed->total, feed->scratch, feed->n_vector * sizeof(*feed->total));
	}
	if (newest - feed->shown_ns > GAP_POINTS * window_ns(f, feed))
		points_rebuild(f, feed, newest); /* a device was away: its points are empty */
	else
		points_step(feed);
	feed->shown_ns = newest;
}

void feeds_step(struct feeds *f)
{
	for (unsigned i = 0; i < f->n; i++)
		step(f, &f->feeds[i]);
}

void feeds_show(struct feeds *f, int64_t end_ns)
{
	for (unsigned i = 0; i < f->n; i++) {
		struct feed_state *feed = &f->feeds[i];
		int64_t at = end_ns ? end_ns : history_newest_ns(feed->history);

		if (!at)
			continue;
		points_rebuild(f, feed, at);
		vector_at(f, feed, at, feed->now);
		feed->shown_ns = at;
	}
}

int64_t feeds_span_ns(const struct feeds *f)
{
	int64_t span = 0;

	for (unsigned i = 0; i < f->n; i++) {
		int64_t ns = f->feeds[i].n_points * window_ns(f, &f->feeds[i]);

		span = ns > span ? ns : span;
	}
	return span;
}

bool feeds_reach(const struct feeds *f, int64_t *oldest_ns, int64_t *newest_ns)
{
	*oldest_ns = *newest_ns = 0;
	for (unsigned i = 0; i < f->n; i++) {
		int64_t newest = history_newest_ns(f->feeds[i].history), oldest = history_oldest_ns(f->feeds[i].history);

		if (newest > *newest_ns)
			*newest_ns = newest;
		if (newest && (!*oldest_ns || oldest < *oldest_ns))
			*oldest_ns = oldest;
	}
	return *newest_ns != 0;
}

static const struct feed_state *shown_feed(const struct feeds *f, enum source_kind kind)
{
	const struct session_source *shown = session_shown(f->session, kind);

	for (unsigned i = 0; i < f->n; i++)
		if (f->feeds[i].source == shown)
			return &f->feeds[i];
	return NULL;
}

struct feed feeds_view(const struct feeds *f, enum source_kind kind)
{
	const struct feed_state *feed = shown_feed(f, kind);

	if (!feed)
		return (struct feed){0};
	return (struct feed){.set = feed->source->set,
			     .n_vector = feed->n_vector,
			     .now = feed->now,
			     .total = feed->total,
			     .now_column = feed->column,
			     .points = (const double *const *)feed->points,
			     .n_points = feed->n_points,
			     .about = feed->source->title};
}

double feeds_over(const struct feeds *f, enum source_kind kind, const char *formula, int64_t from_ns, int64_t to_ns)
{
	const struct feed_state *feed = shown_feed(f, kind);
	AUTOFREE struct column *column = NULL;
	struct expr expr;
	double value;

	if (!feed || !metric_compile(feed->source->set, f->session->db, span_of(formula), false, &expr, NULL))
		return NAN;
	column = history_column_new(feed->history);
	history_span(feed->history, from_ns, to_ns, column);
	metric_vector(feed->source->set, column, feed->scratch);
	value = expr_eval(&expr, feed->scratch);
	expr_fini(&expr);
	return value;
}

uint64_t feeds_lost(const struct feeds *f)
{
	uint64_t lost = 0;

	for (unsigned i = 0; i < f->n; i++)
		lost += history_lost(f->feeds[i].history);
	return lost;
}
