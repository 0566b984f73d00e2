/* feeds: turn samples into the data of views: history, and vectors of values for now, for the whole
 * run and for the points of graphs.
 *
 * Thread: ui. */
#ifndef MALITOP_FEEDS_H
#define MALITOP_FEEDS_H

#include "session/session.h"
#include "passes/frame_stats.h"
#include "model/history.h"
#include "views/feed.h"
#include "views/timeline.h"

/* feeds_records.c: the frames of the last samples, one by one (passes/pass_records.h), because
 * history does not keep them. It keeps RECORDS_BYTES, about one or two minutes; of a log, those
 * that were played last. */
#define RECORDS_SAMPLES 8192
#define RECORDS_BYTES (576u << 10)

struct packed_sample;

struct feeds_records {
	struct pass_run *run;           /* names, statistics of all frames; NULL before the first */
	struct packed_sample **samples; /* a ring of copies; NULL before the first */
	uint64_t n, oldest;
	size_t bytes;
	struct sample *scratch; /* the unpacked sample, with `room` values */
	size_t room;
	struct packed_sample *kept[WORST_FRAMES]; /* older samples, with the longest frames */
	int64_t chosen_ns;                        /* the moment whose frame was chosen */
	unsigned back; /* that frame, counted from the newest one of the moment, which is 0 */
	bool first;    /* in other moments, show the first frame instead of the newest */
	double wanted; /* requested frame number, shown if the moment has it */
};

void feeds_records_fini(struct feeds_records *records);
/* Keep the records of a sample, if it has any. */
void feeds_records_take(struct feeds_records *records, const struct metric_set *set,
			const struct sample *sample);
void feeds_records_clear(struct feeds_records *records);
/* Sample i, from `oldest` to `n` - 1. It and the result before are valid until the next call. */
const struct sample *feeds_records_sample(const struct feeds_records *records, uint64_t i);
/* Find the frame to show among the samples that ended in (from_ns, to_ns]: its sample, and *number
 * in that. Without such a frame, find the last one before; NULL if there is none. */
const struct sample *feeds_records_find(const struct feeds_records *records, int64_t from_ns, int64_t to_ns,
					unsigned *number);

struct feed_state {
	const struct feeds *feeds;
	const struct session_source *source;
	unsigned epoch;          /* of the source */
	struct history *history; /* NULL for the mix, which uses the histories of its sources */
	struct column *column;
	struct column *step;           /* scratch */
	struct column *frames;         /* scratch, for sources that count frames, and for the mix */
	double *scratch;               /* a full-length vector */
	double *now, *total;           /* they end at the last kept slot, as the vectors of points do */
	double *windows[FEED_WINDOWS]; /* means over feed_windows_s; NULL: not requested */
	double *mark;                  /* compared with `now`; NULL: no comparison */
	unsigned n_vector;
	struct points *points;
	int n_points;                 /* how many views can draw */
	unsigned n_steps;             /* points added since the last reset */
	int64_t shown_ns;             /* end of the newest point */
	int64_t newest_ns;            /* end of the newest sample in the points */
	int64_t at_ns;                /* end of `now`; the same as shown_ns unless the past is shown */
	struct feeds_records records; /* of passes; NULL without records */
	int64_t each_ns;              /* start of the kept instances; 0: the first sample */
};

struct feeds {
	struct session *session;
	struct subscriber *subscriber; /* owned; NULL if samples come from a log through feeds_take */
	unsigned parts;                /* data kept beside sums: enum subscriber_part */
	bool partial;                  /* samples since the start are missing: totals are unknown */
	bool windows;                  /* means of longer times are requested */
	bool paused;                   /* views mark the time of `now` */
	int64_t refresh_ns;
	int64_t cell_ns;                    /* time of a graph cell, which has two points; 0: two refreshes */
	int64_t range_from_ns, range_to_ns; /* `now` is the mean of this range; 0, 0: of a refresh */
	struct feed_state feeds[SESSION_SOURCES_MAX + 1]; /* the mix follows the sources */
	unsigned n;                                       /* sources of the session with a feed */
	const struct metric_mix *mix;                     /* its feed is feeds[n]; NULL: there is none */
};

/* feeds_mix.c: the measurements of a feed, in columns as in history.h; for the mix, those of its
 * sources. feed_part returns *out or, for a total, the column of the history itself. */
struct column *feed_column_new(const struct feed_state *feed);
enum feed_part { FEED_SPAN, FEED_AROUND /* from_ns */, FEED_TOTAL };
const struct column *feed_part(const struct feed_state *feed, enum feed_part part, int64_t from_ns,
			       int64_t to_ns, struct column *out);
int64_t feed_newest_ns(const struct feed_state *feed);
int64_t feed_oldest_ns(const struct feed_state *feed);
/* The length of `now`: the refresh period, or the interval of the source if that is longer. */
int64_t feed_now_ns(const struct feed_state *feed);
/* Return the interval of the slowest source of the mix. */
int64_t feed_period_ns(const struct feed_state *mix);

/* Attach a subscriber with these parts (enum subscriber_part) to the session's sampler, if there is
 * one. */
void feeds_init(struct feeds *f, struct session *session, unsigned parts, int64_t refresh_ns);
void feeds_fini(struct feeds *f);

/* Add a sample to the history of its source. */
void feeds_take(struct feeds *f, const struct sample *sample);
/* Take all waiting samples out of the subscriber. Call this at least once a second. */
void feeds_drain(struct feeds *f);
/* Add feeds for new sources, and restart those whose source measures another device. */
void feeds_follow(struct feeds *f);
/* Discard all samples. `partial` means that samples since the start will be missing. */
void feeds_clear(struct feeds *f, bool partial);
/* Keep the instances of all sources from now on. Returns false if they were kept already. */
bool feeds_keep_instances(struct feeds *f);
/* Change the sampling interval, with a new subscriber. No samples are lost. */
void feeds_set_interval(struct feeds *f, struct session_source *source, int64_t interval_ns);
/* Change the refresh; the points are recomputed. */
void feeds_set_refresh(struct feeds *f, int64_t refresh_ns);
/* The scale of graphs: the length of a point; the next longer (1) or shorter (-1) time for a cell,
 * 0 if there is none; setting it, which recomputes the points. */
int64_t feeds_point_ns(const struct feeds *f);
int64_t feeds_next_cell(const struct feeds *f, int by);
void feeds_set_cell(struct feeds *f, int64_t cell_ns);
/* Set how many points views can draw. */
void feeds_want_points(struct feeds *f, int n);
/* Call this after the sets of sources were replaced: it discards the values of metrics. */
void feeds_renew(struct feeds *f);
/* Call this after a frame was drawn. */
void feeds_settle(const struct feeds *f);
/* Call this at the end of a refresh period: adds a point and updates `now`. */
void feeds_step(struct feeds *f);
/* Show history that ends at end_ns, and `now` at at_ns. 0, 0: the newest of each source. */
void feeds_show(struct feeds *f, int64_t end_ns, int64_t at_ns);
/* From the next feeds_show or feeds_step on, `now` is the mean over a range. It is unknown if
 * history does not hold the whole range. 0, 0 ends that. */
void feeds_range(struct feeds *f, int64_t from_ns, int64_t to_ns);
/* Start or stop keeping means of longer times (feed_windows_s). */
void feeds_want_windows(struct feeds *f, bool on);
/* Compare with the shown `now`, or with the refresh that ended at at_ns if that is not 0; or
 * stop. */
void feeds_compare(struct feeds *f, bool on, int64_t at_ns);
/* Return the shown time, the newest of all sources; 0 before the first sample. */
int64_t feeds_shown_ns(const struct feeds *f);
/* Get the activity of the shown GPU, or of the CPUs without a GPU, and the drawn work, in each of n
 * equal parts of that time. */
void feeds_activity(const struct feeds *f, int64_t begin_ns, int64_t end_ns, int n,
		    struct timeline_cell *cells);
/* Return the source whose activity this is; NULL: there is none. */
const struct feed_state *feeds_activity_feed(const struct feeds *f);
/* Get these of one column of that source; false if unknown. `scratch` is one of its vectors. */
bool feeds_activity_of(const struct session_source *source, const struct column *column, double *scratch,
		       struct timeline_cell *cell);
/* Find the starts of scenes on a timeline of that source, with the precision of a point. */
unsigned feeds_scenes(const struct feeds *f, const struct timeline *line, int64_t at_ns[TIMELINE_SCENES]);
/* Return the length of time that the points cover. */
int64_t feeds_span_ns(const struct feeds *f);
/* Return the end of histories that show at_ns. It is window_ns unless at_ns is outside of them;
 * later data then stays visible. The result is within the measured time, begin_ns to end_ns. */
int64_t feeds_window_ns(const struct feeds *f, int64_t window_ns, int64_t at_ns, int64_t begin_ns,
			int64_t end_ns);
/* The oldest and newest time that can be shown; false before the first sample. */
bool feeds_reach(const struct feeds *f, int64_t *oldest_ns, int64_t *newest_ns);

/* Return the shown source of a kind; NULL: there is none. */
const struct feed_state *feeds_shown(const struct feeds *f, enum source_kind kind);
/* Return the feed of that source for views. */
struct feed feeds_view(const struct feeds *f, enum source_kind kind);
/* Evaluate a formula (model/expr.h) over the measurements of that source in (from_ns, to_ns], as
 * far as history reaches. NaN if the source does not have these names or measured nothing then.
 * Compiles the formula: for use about once a second. */
double feeds_over(const struct feeds *f, enum source_kind kind, const char *formula, int64_t from_ns,
		  int64_t to_ns);
/* Get the vector of the shown source of a kind over the step (from_ns, to_ns], or over its last
 * interval before to_ns if that is longer. Returns false if nothing was measured. */
bool feeds_vector(const struct feeds *f, enum source_kind kind, int64_t from_ns, int64_t to_ns,
		  double *vector);
/* Return the frames that were shown and counted shortly before the shown time. */
struct metric_frames feeds_frames(const struct feeds *f);
uint64_t feeds_lost(const struct feeds *f);

/* Show the next frame of the shown moment for 1, the previous one for -1. Returns false at the end.
 * The caller then shows the next moment, at its first frame, or the previous moment. */
bool feeds_turn_frame(struct feeds *f, int step);
/* Show the frame of that number once a moment that has it is shown. */
void feeds_choose_frame(struct feeds *f, double number);
/* Return the start of the shown frame, or the shown time without one. */
int64_t feeds_frame_ns(const struct feeds *f);

#endif
