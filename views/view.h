/* view: the input of a view, and its parts: charts (text, views/charts/) that each name a widget.
 *
 * ui fills a `struct view_data` once per frame; views and widgets only read it and draw into a
 * canvas. They compute nothing that an export would also want: that is a metric. No chart keeps
 * history: `points` is the history. */
#ifndef MALITOP_VIEW_H
#define MALITOP_VIEW_H

#include "base/err.h"
#include "model/metric.h"
#include "model/template.h"
#include "views/canvas.h"
#include "views/hits.h"
#include "views/points.h"
#include "views/timeline.h"

/* Points of history that are older than what the widest graph shows: what was in view until now
 * decides when a scale goes down. */
#define VIEW_POINTS_BEFORE 60

/* The measurements of one source, as vectors that metrics are evaluated on. */
/* Longer times that end with `now`, seconds. */
#define FEED_WINDOWS 2
extern const double feed_windows_s[FEED_WINDOWS];

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
	const struct timeline_mark *marks;  /* for the borders of graphs, in the order of time */
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

/* One series of a chart. */
struct series {
	const struct metric *metric; /* of data->feeds[source].set */
	enum source_kind source;
	const char *label;           /* begins with a blank for a `sub` series; never NULL */
	const char *brief;           /* the same for narrow panels; often the label itself */
	const struct metric *beside; /* shown beside it; NULL for none */
	enum source_kind beside_source;
	const char *note; /* after the value, if there is room; "" for none */
	unsigned n_parts; /* how many of the next series are parts of its bar */
	unsigned part;    /* which part it is of an earlier series' bar, from 1; 0 if of none */
	unsigned colour;  /* of an amount, which is neither good nor bad: see canvas_part_style */
	/* What the fields above are while frames are counted, and while they are not; no metric in
	 * both: always the same. views_frames takes one of them. */
	struct series_face {
		const struct metric *metric;
		const char *label, *brief, *note;
	} shown, wanted;
	const char *saturated_note; /* as wanted, of a saturated GPU */
};

#define SERIES_PARTS 6

struct widget;

#define CHART_OPTIONS_MAX 10
#define CHART_TEXTS_MAX 4

/* How much of a row of panels a chart takes. */
enum chart_place {
	PLACE_HALF, /* one column */
	PLACE_FULL, /* a row of its own */
	PLACE_WIDE, /* what a card beside it leaves, else a row of its own */
	PLACE_CARD, /* a narrow column beside a wide one */
	PLACE_COUNT
};

/* A chart, bound to the metrics that exist. Fields that only one widget knows are options. */
struct chart {
	const char *name, *title; /* title may be "" */
	const char *base;         /* what its percentages are shares of, or the like; "" for none */
	const char *shown_base, *wanted_base; /* as the faces of its series; NULL: always the same */
	enum chart_place place;
	char letter;         /* that hides and shows it, in the views with layouts; 0: always shown */
	unsigned from_cols;  /* shown only in terminals at least this wide (columns) */
	unsigned below_cols; /* shown only in narrower ones; 0: in all */
	unsigned weight;     /* share of the rows that are left over; 0 for none */
	const struct widget *widget;
	struct series *series; /* those that exist, in order */
	unsigned n_series;
	struct {
		struct span key, value;
	} options[CHART_OPTIONS_MAX];
	unsigned n_options;
	bool loads;                         /* the option `levels load`: values have the colours of loads */
	bool to_limit;                      /* `levels limit`: those of the metric of `limit` */
	const char *texts[CHART_TEXTS_MAX]; /* lines of explanation, shown if there is room */
	unsigned n_texts;
	/* Metrics with which, and without which, it is shown; empty: always. A chart without
	 * frames says how to get them. */
	struct span with, without;
	struct span once;  /* a metric without which it is not shown until it has counted; empty: always */
	bool elsewhere;    /* it needs a GPU, or the absence of one, and this machine differs */
	unsigned priority; /* 1 is the most important; the least is omitted first in a small terminal */
};

struct widget {
	const char *name; /* as charts name it */
	/* The fields it knows besides those of every chart, NULL-terminated; NULL for none. Each
	 * is followed by its permitted words, as in "each cluster core"; '#' is a number from 1 to
	 * 200; a name alone takes any text. */
	const char *const *options;
	bool breaks_down; /* per core or CPU, with data->per_instance */
	bool seriesless;  /* can be shown without any series */
	bool companion;   /* makes no view alone: other charts must stand besides it */
	/* How many columns of `inner`, up to its right edge less `axis_right`, are a time axis
	 * whose ticks the border below shows; 0 or NULL if there is none. */
	int (*axis)(const struct chart *chart, const struct view_data *data, struct rect inner);
	int axis_right; /* columns right of the newest cell */
	bool spare;     /* uses more lines than it needs even without a weight */
	/* Sets the rows it needs at least and can use at most at that width, without border and
	 * title. 0 if there is nothing to show. */
	void (*size)(const struct chart *chart, const struct view_data *data, int cols, int *min, int *most);
	/* Sets how many rows beyond `most` it makes more of, once all graphs are high: at least the
	 * first number, or none. NULL: it has nothing more to show. */
	void (*extra)(const struct chart *chart, const struct view_data *data, int cols, int *least,
		      int *most);
	void (*draw)(const struct chart *chart, const struct view_data *data, struct canvas *canvas,
		     struct rect r);
	/* Writes the text at the right of the upper border; NULL for none. */
	void (*corner)(const struct chart *chart, const struct view_data *data, bool ascii, char *text,
		       size_t size);
};

/* Which source's line is under the charts of a view. */
enum view_foot { FOOT_NONE, FOOT_GPU, FOOT_CPU };

/* A view: its charts from top to bottom. */
struct view {
	const char *name;  /* "queues" */
	const char *title; /* "Queues" */
	char key;          /* '2'; it stays the same even if other views are missing */
	bool hidden;       /* has no tab (Counters) */
	bool elsewhere;    /* it needs a GPU, or the absence of one, and this machine differs */
	bool busiest;      /* its half panels of priority 1 are in the order of their first series */
	bool own;          /* of the user's; the first one that can be shown has the key 'u' and a tab */
	enum view_foot foot;
	struct chart *charts;
	unsigned n_charts;
};

/* All views for these sources: the shipped charts, then the user's own files (db->own; db NULL:
 * none). A series takes the first of its metrics that one of the sets has, in the order of enum
 * source_kind; any set may be NULL. Charts without a series and views without a chart are omitted.
 * The caller owns the result. Returns false if a text is malformed; the error names file and line.
 */
struct views {
	struct view *views;
	unsigned n_views;
	void *owned;
};
bool views_init(struct views *views, const struct gpudb *db,
		const struct metric_set *const sets[SOURCE_KINDS], struct err *err);
/* All of them, whether or not this machine can show them, without series. Free it in any case. */
bool views_read(struct views *views, const struct gpudb *db, struct err *err);
void views_fini(struct views *views);
/* Whether the frames that are shown are known, and whether the GPU is saturated. While they are
 * not, a metric gives way to the one named like it with Wanted at the end, and its label says so;
 * of a saturated GPU, which may be too slow for the wanted rate, its note says more. */
void views_frames(struct views *views, bool known, bool saturated);
/* Put a chart before all others of a view; its series are owned by the views from now on. Does
 * nothing (and frees them) if there is no such view. Pointers to charts of that view become
 * invalid. */
void views_prepend(struct views *views, const char *view, const struct chart *chart);
/* "user" is the first own view. NULL if there is none. */
const struct view *views_find(const struct views *views, const char *name_or_digit);

/* A copy of the view with only those charts and rows whose label, name or title has a word that
 * begins with the text, or contains it if none begins so; perhaps none. Lists of processes stay,
 * because they filter their rows. Free it with view_free. */
struct view *view_filter(const struct view *view, const char *text);
void view_free(struct view *view);

/* Draw the body. Charts that do not fit are omitted by priority. */
void view_draw(const struct view *view, const struct view_data *data, struct canvas *canvas,
	       struct rect body);

/* Whether data->per_instance changes what the view shows. */
bool view_breaks_down(const struct view *view);
/* Return the next panel with something to show, after `chart` (by 1) or before it (by -1). NULL if
 * there is none. */
const struct chart *view_panel(const struct view *view, const struct view_data *data,
			       const struct chart *chart, int by);

/* A key in the footer. */
struct foot_key {
	const char *keys, *ascii; /* its name, and one in ASCII; NULL if it is the same */
	const char *word;         /* what it does */
	unsigned rank;            /* 0 is always shown; the highest is omitted first */
};

#define FOOT_KEYS 24

/* The keys of the footer, from left to right. */
struct foot_keys {
	struct foot_key keys[FOOT_KEYS];
	uint32_t press[FOOT_KEYS][2]; /* what a click on each presses: its first key, its last one */
	unsigned n;
};

/* What the footer asks for instead of showing the keys. */
struct foot_ask {
	const char *text, *answers; /* "send SIGTERM to 4711 game?", "y/n" */
	bool typed;                 /* the text is being typed, so its end must be visible */
};

/* The conclusion from the numbers on the screen in two to five words, and its evidence. */
struct verdict_text {
	const char *words; /* NULL or "" for none, and no row for it */
	enum style style;  /* of the words: STYLE_CALM, STYLE_BUSY or STYLE_HOT */
	const char *evidence;
	int from; /* rows of the terminal: not shown in smaller ones */
};

#define VERDICT_ROWS 2

/* A line at the right end of the tabs. */
struct alert {
	char text[512]; /* printable */
	int64_t at_ns;
	bool quiet; /* only listed: the screen says it already */
	bool news;  /* nothing failed: a log is complete, the verdict is another, a key has an answer */
};

/* The rows around the body: header, tabs, verdict, footer. All texts are printable. */
struct frame_text {
	const char *gpu, *driver,
		*clock;               /* "Mali-G715 7 cores", "simulator", "746 of 848 MHz"; NULL to omit */
	const char *fps;              /* "52.6 fps"; NULL if no source knows it */
	const char *span;             /* "100 ms, mean of 0.5 s" */
	const char *state;            /* "SIMULATED", "REPLAY run.mlog", "REC run.csv 12.4 MB" */
	const char *paused;           /* "PAUSED 12.5 s back"; NULL or "" for a running screen */
	const char *time;             /* "14:02:11" */
	const struct foot_ask *ask;   /* NULL if nothing is asked */
	const struct alert *alert;    /* NULL for none */
	const struct foot_keys *keys; /* NULL: none */
	const char *dropped;          /* "0 dropped" */
	const struct timeline *timeline; /* in a row above the footer; NULL for no such row */
	struct hits *hits;               /* gets the tabs and the words of the footer; NULL if not needed */
	unsigned findings; /* their number, at the end of the tabs; 0 shows nothing, unless they are shown */
	struct verdict_text verdict[VERDICT_ROWS];
};
/* Draw header, tabs, verdict and footer, and cut them off *r, which is then the body. `shown` NULL:
 * the findings are. */
void frame_draw(const struct frame_text *text, const struct views *views, const struct view *shown,
		struct canvas *canvas, struct rect *r);
/* Draw only the footer, into the row r, and the alert. */
void frame_draw_footer(const struct frame_text *text, struct canvas *canvas, struct rect r);

#endif
