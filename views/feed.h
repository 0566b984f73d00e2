/* feed: what a view sees of the program. ui fills a `struct view_data` once per frame; views and
 * widgets only read it and draw into a canvas. They compute nothing that an export would also want:
 * that is a metric. No chart keeps history: `points` is the history. */
#ifndef MALITOP_VIEW_FEED_H
#define MALITOP_VIEW_FEED_H

#include "model/metric.h"
#include "model/template.h"
#include "views/hits.h"
#include "views/points.h"

/* Points of history that are older than what the widest graph shows: what was in view until now
 * decides when a scale goes down. */
#define VIEW_POINTS_BEFORE 60

/* Longer times that end with `now`, seconds. */
#define FEED_WINDOWS 2
extern const double feed_windows_s[FEED_WINDOWS];

/* The measurements of one source, as vectors that metrics are evaluated on. */
struct feed {
	const struct metric_set *set; /* NULL if there is no such source */
	unsigned n_vector;   /* length of all these vectors: the rest of the set's vector is not kept */
	const double *now;   /* the last refresh period */
	const double *total; /* since the start */
	const double *mark;  /* what `now` is compared with, of the same length; NULL: nothing */
	const double *was;   /* or the values of another log, by metric of the set; NULL: nothing */
	const double
		*windows[FEED_WINDOWS];  /* means of longer times, or of as much of them as is kept; NULL */
	const struct column *now_column; /* its flags and times */
	struct points *points;           /* history: a point per refresh period; NULL if n_points is 0 */
	int n_points;                    /* those that can be in view, and VIEW_POINTS_BEFORE older ones */
	unsigned n_steps;                /* points so far: two points share a cell and advance together */
	const char *about; /* what is measured: "all CPUs, kernel and user"; printable; NULL or "" for none */
	const struct sample *frame_sample; /* the sample with the frame that One frame shows; NULL: none */
	unsigned frame_index;              /* which of its frames */
	bool frame_earlier;                /* no frame ended in `now`: it is the last one before */
	const struct pass_run *run; /* names of passes, all frames (passes/frame_stats.h); NULL: none */
	int64_t end_ns, point_ns;   /* the end of the newest point; the length of each; 0: unknown */
	/* The point of `now` while the screen is paused, counted from the newest, which is 1; 0 if
	 * it is not paused, or if the point is not among these. */
	int cursor;
};

/* A metric of a feed over the last refresh period; NaN if it has none. (widget.c) */
double feed_now(const struct feed *feed, struct span name);

#define VIEW_FOOT_LINES 3

/* The rows of the body that scrolls in a view. */
struct view_scroll {
	int at;      /* the first visible row; draw keeps it between 0 and max */
	int max;     /* set by draw; 0 if all rows are visible */
	bool follow; /* draw moves `at` until the selected row is visible */
};

/* Rows that have others below them, and do not show them: hashes of their names, the oldest first.
 * Zero-initialised: none. */
#define VIEW_FOLDS 16
struct view_folds {
	uint64_t what[VIEW_FOLDS];
	unsigned n;
};

bool view_folds_has(const struct view_folds *folds, uint64_t what);
/* Fold or unfold it; of too many the oldest is unfolded. */
void view_folds_turn(struct view_folds *folds, uint64_t what);

struct hot_shown;
struct process_table;

/* Of the counters of a block in Counters: as the hardware has them, by what was counted since the
 * start (the most first), by name. */
enum table_order { TABLE_AS_HARDWARE, TABLE_BY_COUNT, TABLE_BY_NAME, TABLE_ORDERS };

struct view_data {
	struct feed feeds[SOURCE_KINDS];
	const struct hot_shown *hot;           /* views/hot.h; NULL: not sampled, or not shown */
	const struct process_table *processes; /* views/processes.h; NULL if they are not read */
	const struct process_table *busiest;   /* for a panel besides others; NULL likewise */
	const struct template_view *templ;     /* of the GPU; NULL without one */
	const struct judge *judge;             /* model/judge.h; NULL: all limits count always */
	double refresh_s;                      /* length of now, seconds */
	double point_s;                        /* length of every point of graphs */
	double range_s;                        /* length of now if it is that of a range, else 0 */
	double fps;                            /* frame budget */
	bool frames_known;                     /* shown frames are counted; else per frame: per wanted one */
	unsigned width, height;
	const char *filter;                 /* only counters whose names contain it; NULL or "": all */
	enum table_order order;             /* of the counters */
	bool windows;                       /* rates of the counters over several times at once */
	bool only_counted;                  /* no counters that were 0 since the start */
	bool per_instance;                  /* `c`: break down per core, slice, CPU */
	const struct view_folds *folds;     /* NULL: none */
	struct view_scroll *scroll;         /* NULL: from the first row */
	const struct view_changes *changes; /* views/compared.h; NULL: nothing is compared */
	const char *layout;                 /* letters of the panels to draw; NULL: all */
	bool compact;                       /* only the most important rows, without panels */
	bool letters;                       /* titles have their letters */
	const struct chart *zoom;           /* the only panel to draw; NULL for all */
	struct row_subject selected;        /* the row that is marked */
	struct hits *hits;                  /* draw adds panels and rows to it; NULL if not needed */
	const struct timeline_place *marks; /* for the borders of graphs, in the order of time */
	unsigned n_marks;
	/* Lines on what is missing and what to try, printable: words, or "what\twords" of a table.
	 * NULL or "" if nothing is missing. */
	const char *notice;
	/* Lines on what to do about what the shown view finds, the worst first, printable:
	 * "title\twhat to do". NULL or "" for a view that finds nothing ever. */
	const char *advice;
	/* Lines under the charts of a view that names a foot, the first with the description of
	 * that source; "" or NULL for no line. Only the first gets its row before the charts. */
	const char *foot[VIEW_FOOT_LINES];
};

#endif
