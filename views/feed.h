/* feed: all that a view sees of the program. ui fills a `struct view_data` once per frame; views
 * and widgets only read it and draw into a canvas. They compute nothing that an export would also
 * need, because that belongs into a metric. Charts keep no history: it is in `points`. */
#ifndef MALITOP_VIEW_FEED_H
#define MALITOP_VIEW_FEED_H

#include "model/metric.h"
#include "model/template.h"
#include "views/hits.h"
#include "views/points.h"

/* How many points older than the widest graph are kept, because earlier peaks decide when a scale
 * goes down. */
#define VIEW_POINTS_BEFORE 60

/* Number of longer times, in seconds, that end with `now`. */
#define FEED_WINDOWS 2
extern const double feed_windows_s[FEED_WINDOWS];

/* The measurements of one source, as vectors that metrics are evaluated on. */
struct feed {
	const struct metric_set *set; /* NULL if there is no such source */
	unsigned n_vector;   /* length of all these vectors; the rest of the set's vector is not kept */
	const double *now;   /* the last refresh period */
	const double *total; /* since the start */
	const double *mark;  /* compared with `now`, of the same length; NULL: no comparison */
	const double *was;   /* values of another log, by metric of the set; NULL: no comparison */
	const double *windows[FEED_WINDOWS]; /* means of longer times, as far as history reaches; NULL */
	const struct column *now_column;     /* its flags and times */
	struct points *points;               /* history: a point per refresh period; NULL if n_points is 0 */
	int n_points;      /* those that can be in view, plus VIEW_POINTS_BEFORE older ones */
	unsigned n_steps;  /* points so far; two share a cell and advance together */
	const char *about; /* scope: "all CPUs, kernel and user"; printable; NULL or "" for none */
	const struct sample *frame_sample; /* the sample with the frame that One frame shows; NULL: none */
	unsigned frame_index;              /* which of its frames */
	bool frame_earlier;                /* no frame ended in `now`; the frame is the last one before */
	const struct pass_run *run; /* names of passes, all frames (passes/frame_stats.h); NULL: none */
	int64_t end_ns, point_ns;   /* the end of the newest point; the length of each; 0: unknown */
	/* Position of `now` while the screen is paused, counted from the newest point, which is 1.
	 * 0 if the screen is not paused or the point is not kept. */
	int cursor;
};

/* Return a metric over the last refresh period; NaN if the feed lacks it. (widget.c) */
double feed_now(const struct feed *feed, struct span name);

#define VIEW_FOOT_LINES 3

/* Scroll state of the body of a view. */
struct view_scroll {
	int at;      /* the first visible row; draw keeps it between 0 and max */
	int max;     /* set by draw; 0 if all rows are visible */
	bool follow; /* draw moves `at` until the selected row is visible */
};

/* Rows whose sub-rows are hidden: hashes of the names of these rows, the oldest first.
 * Zero-initialize it. */
#define VIEW_FOLDS 16
struct view_folds {
	uint64_t what[VIEW_FOLDS];
	unsigned n;
};

bool view_folds_has(const struct view_folds *folds, uint64_t what);
/* Fold or unfold a row. If there are too many, the oldest one is unfolded. */
void view_folds_turn(struct view_folds *folds, uint64_t what);

struct hot_shown;
struct process_table;

/* Order of the counters of a block in Counters: as in hardware, by the count since the start
 * (greatest first), or by name. */
enum table_order { TABLE_AS_HARDWARE, TABLE_BY_COUNT, TABLE_BY_NAME, TABLE_ORDERS };

struct view_data {
	struct feed feeds[SOURCE_KINDS];
	const struct hot_shown *hot;           /* views/hot.h; NULL: not sampled, or not shown */
	const struct process_table *processes; /* views/processes.h; NULL if they are not read */
	const struct process_table *busiest;   /* for a panel of Overview and CPU; NULL likewise */
	const struct template_view *templ;     /* of the GPU; NULL without one */
	const struct judge *judge;             /* model/judge.h; NULL: all limits count always */
	double refresh_s;                      /* length of now, seconds */
	double point_s;                        /* length of every point of graphs */
	double range_s;                        /* length of `now` if a range is selected, else 0 */
	double fps;                            /* frame budget */
	bool frames_known;                     /* shown frames are counted; else: per wanted frame */
	unsigned width, height;
	const char *filter;                 /* only counters whose names contain it; NULL or "": all */
	enum table_order order;             /* of the counters */
	bool windows;                       /* show rates of the counters over several times */
	bool only_counted;                  /* hide counters that were 0 since the start */
	bool per_instance;                  /* `c`: break down per core, slice, CPU */
	const struct view_folds *folds;     /* NULL: none */
	struct view_scroll *scroll;         /* NULL: from the first row */
	const struct view_changes *changes; /* views/compared.h; NULL: nothing is compared */
	const char *layout;                 /* letters of the panels to draw; NULL: all */
	bool compact;                       /* only the most important rows, without panels */
	bool letters;                       /* titles have the keys of their panels */
	const struct chart *zoom;           /* the only panel to draw; NULL for all */
	struct row_subject selected;        /* the row that is marked */
	struct hits *hits;                  /* draw adds panels and rows to it; NULL if not needed */
	const struct timeline_place *marks; /* for the borders of graphs, in the order of time */
	unsigned n_marks;
	/* Lines on missing data and remedies, printable: words, or "what\twords" of a table. NULL
	 * or "" if nothing is missing. */
	const char *notice;
	/* Advice on the findings in the shown view, the worst first, printable: lines of
	 * "title\twhat to do". NULL or "" for a view without findings. */
	const char *advice;
	/* Lines under the charts of a view with a foot, the first with the description of that
	 * source. "" or NULL for no line. Only the first gets its row before the charts. */
	const char *foot[VIEW_FOOT_LINES];
};

#endif
