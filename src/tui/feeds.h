/* feeds: from samples to what views read: history, and the vectors of now, of the whole run and of the points of a strip.
 *
 * Thread: ui.
 */
#ifndef MALITOP_FEEDS_H
#define MALITOP_FEEDS_H

#include "session/session.h"
#include "model/history.h"
#include "views/view.h"

struct feed_state {
	const struct session_source *source;
	unsigned epoch; /* of the source */
	struct history *history;
	struct column *column;
	double *scratch;     /* a whole vector */
	double *now, *total; /* these, and the points, end where the kept slots end */
	unsigned n_vector;
	double **points;  /* oldest first; an entry may be NULL */
	int n_points;     /* how many are wanted */
	int64_t shown_ns; /* end of the window that was shown last */
};

struct feeds {
	struct session *session;
	struct ring *ring; /* owned; NULL: samples come by feeds_take, out of a log */
	bool instances;    /* every core, slice and CPU is kept as well */
	bool partial;      /* not all since the start was taken: the totals are unknown */
	int64_t refresh_ns;
	struct feed_state feeds[SESSION_SOURCES_MAX];
	unsigned n; /* as many as the session has sources, but for those that are new */
};

/* Attaches a ring of its own to the session's sampler, if it has one. */
void feeds_init(struct feeds *f, struct session *session, bool instances, int64_t refresh_ns);
void feeds_fini(struct feeds *f);

/* A sample into the history of its source. */
void feeds_take(struct feeds *f, const struct sample *sample);
/* Take every waiting sample out of the ring. At least once a second. */
void feeds_drain(struct feeds *f);
/* The session has another source, or one measures something else now: begin anew with it. */
void feeds_follow(struct feeds *f);
/* Forget all that was taken. `partial`: what comes does not begin at the start. */
void feeds_clear(struct feeds *f, bool partial);
/* Keep instances from now on. */
void feeds_keep_instances(struct feeds *f);
/* Another sampling interval, and a ring for it. Nothing is lost on the way. */
void feeds_set_interval(struct feeds *f, struct session_source *source, int64_t interval_ns);
/* How many points views can draw; those that are missing are made from history. */
void feeds_want_points(struct feeds *f, int n);
/* A refresh period is over: a new point, and now moves on. */
void feeds_step(struct feeds *f);
/* Show history that ends at end_ns instead of now; 0 returns to now. */
void feeds_show(struct feeds *f, int64_t end_ns);
/* How far back the points go that views can draw. */
int64_t feeds_span_ns(const struct feeds *f);
/* The oldest and newest moment that can be shown; false before the first sample. */
bool feeds_reach(const struct feeds *f, int64_t *oldest_ns, int64_t *newest_ns);

/* What views see of the source of a kind that is shown. */
struct feed feeds_view(const struct feeds *f, enum source_kind kind);
/* A formula (model/expr.h) over what the same source measured in (from_ns, to_ns], as far as history reaches; NaN where it has no such
 * names, or measured nothing then. Compiles: for what is asked about once a second. */
double feeds_over(const struct feeds *f, enum source_kind kind, const char *formula, int64_t from_ns, int64_t to_ns);
uint64_t feeds_lost(const struct feeds *f);

#endif
