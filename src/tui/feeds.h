/* feeds: turn samples into what views read: history, and vectors of values for now, for the whole
 * run and for the points of a strip.
 *
 * Thread: ui.
 */
#ifndef MALITOP_FEEDS_H
#define MALITOP_FEEDS_H

#include "session/session.h"
#include "passes/frame_stats.h"
#include "model/history.h"
#include "views/feed.h"
#include "views/timeline.h"

/* feeds_records.c: the frames of the last samples, one by one (passes/pass_records.h), which
 * history does not keep: RECORDS_BYTES of them, about one or two minutes; of a log what was played
 * last. */
#define RECORDS_SAMPLES 8192
#define RECORDS_BYTES (512u << 10)

struct packed_sample;

struct feeds_records {
	struct pass_run *run;           /* names, and what all frames were; NULL before the first sample */
	struct packed_sample **samples; /* a ring of copies; NULL before the first */
	uint64_t n, oldest;
	size_t bytes;
	struct sample *scratch; /* the unpacked one, with `room` values */
	size_t room;
	struct packed_sample *kept[WORST_FRAMES]; /* older ones, with the longest frames */
	int64_t chosen_ns;                        /* the moment of which a frame was chosen */
	unsigned back; /* that frame, counted from the newest one of the moment, which is 0 */
	bool first;    /* of other moments show the first frame, not the newest */
	double wanted; /* or the one of this number, if the moment has it */
};

void feeds_records_fini(struct feeds_records *records);
/* Keep the records of a sample, if it has some. */
void feeds_records_take(struct feeds_records *records, const struct metric_set *set,
			const struct sample *sample);
void feeds_records_clear(struct feeds_records *records);
/* Sample i from `oldest` up to `n`. It and the one below are valid until the next call. */
const struct sample *feeds_records_sample(const struct feeds_records *records, uint64_t i);
/* Find the frame to show of the samples that ended in (from_ns, to_ns]: its sample, and *number in
 * that; without one the last frame before; NULL if there is none. */
const struct sample *feeds_records_find(const struct feeds_records *records, int64_t from_ns, int64_t to_ns,
					unsigned *number);

struct feed_state {
	const struct feeds *feeds;
	const struct session_source *source;
	unsigned epoch;          /* of the source */
	struct history *history; /* NULL: of the mix, which has the histories of its sources */
	struct column *column;
	struct column *step;           /* scratch */
	struct column *frames;         /* likewise, of a source that counts frames or that the mix takes */
	double *scratch;               /* a full-length vector */
	double *now, *total;           /* these end at the last kept slot, as the vectors of points do */
	double *windows[FEED_WINDOWS]; /* means over feed_windows_s; NULL: not wanted */
	double *mark;                  /* what `now` is compared with; NULL: nothing */
	unsigned n_vector;
	struct points *points;
	int n_points;                 /* how many views can draw */
	unsigned n_steps;             /* points added since they were all new */
	int64_t shown_ns;             /* end of the newest point */
	int64_t newest_ns;            /* end of the newest sample that points have */
	int64_t at_ns;                /* end of `now`; the same unless the past is shown */
	struct feeds_records records; /* of the passes of a log */
	int64_t each_ns;              /* since when instances are kept; 0: from the first sample on */
};

struct feeds {
	struct session *session;
	struct subscriber *subscriber; /* owned; NULL if samples come from a log through feeds_take */
	unsigned parts;                /* what is kept beside sums: enum subscriber_part */
	bool partial;                  /* samples since the start are missing: totals are unknown */
	bool windows;                  /* longer times are wanted beside `now` */
	bool paused;                   /* views mark the moment of `now` */
	int64_t refresh_ns;
	int64_t cell_ns; /* time in a cell of graphs, which has two points; 0: two refreshes */
	int64_t range_from_ns, range_to_ns; /* `now` is the mean of this range; 0, 0: of a refresh */
	struct feed_state feeds[SESSION_SOURCES_MAX + 1]; /* the mix follows the sources */
	unsigned n;                   /* sources of the session that have been taken over */
	const struct metric_mix *mix; /* its feed is feeds[n]; NULL: there is none */
};

/* feeds_mix.c: what a feed has measured, as history.h has it; the mix has what its sources have.
 * feed_part returns *out or, of a total, the column of the history itself. */
struct column *feed_column_new(const struct feed_state *feed);
enum feed_part { FEED_SPAN, FEED_AROUND /* from_ns */, FEED_TOTAL };
const struct column *feed_part(const struct feed_state *feed, enum feed_part part, int64_t from_ns,
			       int64_t to_ns, struct column *out);
int64_t feed_newest_ns(const struct feed_state *feed);
int64_t feed_oldest_ns(const struct feed_state *feed);
/* The length of `now`: the refresh period, or the interval of the source if that is longer. */
int64_t feed_now_ns(const struct feed_state *feed);
/* The interval of the slowest source of the mix. */
int64_t feed_period_ns(const struct feed_state *mix);

/* Attaches a subscriber with these parts (enum subscriber_part) to the session's sampler, if it
 * has one. */
void feeds_init(struct feeds *f, struct session *session, unsigned parts, int64_t refresh_ns);
void feeds_fini(struct feeds *f);

/* Add a sample to the history of its source. */
void feeds_take(struct feeds *f, const struct sample *sample);
/* Take every waiting sample out of the subscriber; call this at least once a second. */
void feeds_drain(struct feeds *f);
/* Take over new sources, and restart those that now measure something else. */
void feeds_follow(struct feeds *f);
/* Discard all samples. `partial` means that the next ones do not begin at the start. */
void feeds_clear(struct feeds *f, bool partial);
/* Keep the instances of all sources from now on; false: they were kept already. */
bool feeds_keep_instances(struct feeds *f);
/* Change the sampling interval, with a new subscriber. No samples are lost. */
void feeds_set_interval(struct feeds *f, struct session_source *source, int64_t interval_ns);
/* Change the refresh; the points are computed again. */
void feeds_set_refresh(struct feeds *f, int64_t refresh_ns);
/* The scale of graphs. The length of a point; the next longer (1) or shorter (-1)
 * time for a cell, 0: there is none; change it: points are computed again. */
int64_t feeds_point_ns(const struct feeds *f);
int64_t feeds_next_cell(const struct feeds *f, int by);
void feeds_set_cell(struct feeds *f, int64_t cell_ns);
/* Set how many points views can draw. */
void feeds_want_points(struct feeds *f, int n);
/* After the sets of the sources were replaced: forget what their metrics were. */
void feeds_renew(struct feeds *f);
/* After a frame was drawn. */
void feeds_settle(const struct feeds *f);
/* At the end of a refresh period: add a point and update `now`. */
void feeds_step(struct feeds *f);
/* Show history that ends at end_ns, and the moment at_ns of it as now. 0, 0: the newest of each
 * source. */
void feeds_show(struct feeds *f, int64_t end_ns, int64_t at_ns);
/* From the next feeds_show or feeds_step on: `now` is the mean over a range, until 0, 0. It is
 * unknown where history does not hold all of the range. */
void feeds_range(struct feeds *f, int64_t from_ns, int64_t to_ns);
/* Keep the means of longer times beside `now` (feed_windows_s), or no longer. */
void feeds_want_windows(struct feeds *f, bool on);
/* Compare with what is shown as now, or with the refresh that ended at at_ns if that is not 0; or
 * no longer. */
void feeds_compare(struct feeds *f, bool on, int64_t at_ns);
/* The moment that is shown: the newest of all sources; 0 before the first. */
int64_t feeds_shown_ns(const struct feeds *f);
/* How active the shown GPU was, or without one the CPUs, and what it drew, in each of n equal parts
 * of that time. */
void feeds_activity(const struct feeds *f, int64_t begin_ns, int64_t end_ns, int n,
		    struct timeline_cell *cells);
/* The source that is meant by that; NULL: there is none. */
const struct feed_state *feeds_activity_feed(const struct feeds *f);
/* The same of a column of that source; false: it tells nothing. `scratch` is one of its vectors. */
bool feeds_activity_of(const struct session_source *source, const struct column *column, double *scratch,
		       struct timeline_cell *cell);
/* When the scenes of a timeline of that source begin, to the length of a point. */
unsigned feeds_scenes(const struct feeds *f, const struct timeline *line, int64_t at_ns[TIMELINE_SCENES]);
/* How far back the points reach. */
int64_t feeds_span_ns(const struct feeds *f);
/* Where histories that end at window_ns have to end when the moment at_ns is shown: they move only
 * if it is not in them, and then what came after it stays in sight. Never outside of what is
 * measured, begin_ns to end_ns. */
int64_t feeds_window_ns(const struct feeds *f, int64_t window_ns, int64_t at_ns, int64_t begin_ns,
			int64_t end_ns);
/* The oldest and newest time that can be shown; false before the first sample. */
bool feeds_reach(const struct feeds *f, int64_t *oldest_ns, int64_t *newest_ns);

/* The shown source of a kind; NULL: there is none. */
const struct feed_state *feeds_shown(const struct feeds *f, enum source_kind kind);
/* What views see of it. */
struct feed feeds_view(const struct feeds *f, enum source_kind kind);
/* A formula (model/expr.h) over what that source measured in (from_ns, to_ns], as far as history
 * reaches. NaN if the source does not have these names or measured nothing then. Compiles the
 * formula: for use about once a second. */
double feeds_over(const struct feeds *f, enum source_kind kind, const char *formula, int64_t from_ns,
		  int64_t to_ns);
/* The values that the shown source of a kind measured in the step (from_ns, to_ns], or in its last
 * interval before to_ns if that is longer; into a vector of its set. false: it measured nothing. */
bool feeds_vector(const struct feeds *f, enum source_kind kind, int64_t from_ns, int64_t to_ns,
		  double *vector);
/* The frames that were shown and counted shortly before the moment that is shown. */
struct metric_frames feeds_frames(const struct feeds *f);
uint64_t feeds_lost(const struct feeds *f);

/* Show the next frame of the shown moment for 1, the one before for -1. Returns false at the end:
 * show the next moment then, which will begin with its first frame, or the one before. */
bool feeds_turn_frame(struct feeds *f, int step);
/* Show the frame of that number in the moment that has it. */
void feeds_choose_frame(struct feeds *f, double number);
/* When the shown frame began, or the shown moment without one. */
int64_t feeds_frame_ns(const struct feeds *f);

#endif
