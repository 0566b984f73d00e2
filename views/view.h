/* view: what a view sees, and what it is made of: charts (text, views/charts/) that each name a widget.
 *
 * ui fills a `struct view_data` once a frame; views and widgets only read it and draw into a canvas. They compute nothing that an
 * export would also want: that is a metric. No chart keeps history: `points` is the history.
 */
#ifndef MALITOP_VIEW_H
#define MALITOP_VIEW_H

#include "base/err.h"
#include "model/metric.h"
#include "model/template.h"
#include "views/canvas.h"

/* What one source measured, as vectors that metrics evaluate on. */
struct feed {
	const struct metric_set *set;    /* NULL: there is no such source */
	unsigned n_vector;               /* length of all these vectors: what lies behind it in the set's is not kept */
	const double *now;               /* the last refresh period */
	const double *total;             /* since the start */
	const struct column *now_column; /* its flags and times */
	const double *const *points;     /* history: one vector per refresh period, newest last; an entry may be NULL */
	int n_points;
	const char *about; /* "all CPUs, kernel and user": what is measured, printable; NULL or "": nothing to say */
};

#define VIEW_FOOT_LINES 3

struct process_table;

struct view_data {
	struct feed feeds[SOURCE_KINDS];
	const struct process_table *processes; /* views/processes.h; NULL: nobody reads them */
	const struct template_view *templ;     /* of the GPU; NULL without one */
	double refresh_s;                      /* length of now and of every point, seconds */
	double fps;                            /* frame budget */
	unsigned width, height;
	bool per_instance; /* `c`: break down per core, slice, CPU */
	int scroll;        /* first row of a scrolling body; draw clamps it */
	int *scroll_max;   /* draw writes the largest sensible scroll */
	/* Lines under the charts of a view that names a foot, the first what that source says of itself; "" or NULL: no line. Only the
	 * first of them has a row before the charts have theirs. */
	const char *foot[VIEW_FOOT_LINES];
};

/* One series of a chart. */
struct series {
	const struct metric *metric; /* of data->feeds[source].set */
	enum source_kind source;
	const char *label;           /* begins with two blanks for a `sub` series; never NULL */
	const struct metric *beside; /* shown beside it; NULL: none */
	enum source_kind beside_source;
};

struct widget;

#define CHART_OPTIONS_MAX 8

/* A chart, bound to the metrics that exist. Fields that only one widget knows are options. */
struct chart {
	const char *name, *title; /* title may be "" */
	const struct widget *widget;
	struct series *series; /* those that exist, in order */
	unsigned n_series;
	struct {
		struct span key, value;
	} options[CHART_OPTIONS_MAX];
	unsigned n_options;
	bool joined;       /* no blank row between it and the chart above */
	unsigned priority; /* the least important chart gives way first in a small terminal; 1 is the most important */
};

struct widget {
	const char *name; /* as charts name it */
	/* The fields it knows beside those of every chart, NULL-terminated; NULL: none. Each with the words it may have, as in
	 * "each cluster core"; '#' is a number from 1 to 200; a name alone may have any text. */
	const char *const *options;
	bool seriesless; /* has something to show without any series */
	/* Rows it needs at least, and can make use of at most, at that width; both with the title, which the widget draws in its
	 * first row (widget_title), so that column headings can stand beside it. 0 for nothing to show. */
	void (*size)(const struct chart *chart, const struct view_data *data, int cols, int *min, int *most);
	void (*draw)(const struct chart *chart, const struct view_data *data, struct canvas *canvas, struct rect r);
};

/* Whose line stands under the charts of a view. */
enum view_foot { FOOT_NONE, FOOT_GPU, FOOT_CPU };

/* A view: its charts from top to bottom. */
struct view {
	const char *name;  /* "queues" */
	const char *title; /* "Queues" */
	char key;          /* '2'; its digit stays its own even when others are missing */
	bool hidden;       /* has no tab (Counters) */
	enum view_foot foot;
	struct chart *charts;
	unsigned n_charts;
};

/* All views for these sources, from the shipped charts: a series takes the first of its metrics that one of the sets has, in the order
 * of enum source_kind; any set may be NULL. A chart without a series, and a view without a chart, is left out. The result is owned by the caller. NULL and a message on a malformed text. */
struct views {
	struct view *views;
	unsigned n_views;
	void *owned;
};
bool views_init(struct views *views, const struct metric_set *const sets[SOURCE_KINDS], struct err *err);
void views_fini(struct views *views);
const struct view *views_find(const struct views *views, const char *name_or_digit); /* NULL if not there */

/* Draw the body. Charts are stacked; what does not fit gives way by priority. */
void view_draw(const struct view *view, const struct view_data *data, struct canvas *canvas, struct rect body);

/* Where a key exists: all the bits of its row must hold. 0: everywhere. */
enum key_need {
	NEEDS_LIVE = 1 << 0,   /* what is shown happens now */
	NEEDS_REPLAY = 1 << 1, /* it is played from a log */
	NEEDS_GPUS = 1 << 2,   /* there are several */
	NEEDS_SCROLL = 1 << 3, /* the view has no keys of its own, of which it is one */
};

/* A key in the footer, and its word. */
struct foot_key {
	const char *keys, *ascii, *what;
	unsigned rank;  /* 0: always there; the highest is given up first */
	unsigned needs; /* enum key_need */
};

/* What the footer asks for instead of showing the keys. */
struct foot_ask {
	const char *text, *answers; /* "send SIGTERM to 4711 game?", "y/n" */
	bool typed;                 /* the text is being typed: its end matters */
};

/* The rows around the body: header, tabs, footer. Texts are printable already. */
struct frame_text {
	const char *gpu, *driver, *clock; /* "Mali-G715 7 cores", "simulator", "746 of 848 MHz"; NULL: left out */
	const char *span;                 /* "100 ms, mean of 0.5 s" */
	const char *state;                /* "SIMULATED", "REPLAY run.mlog", "PAUSED 12.5 s back", "REC run.csv 12.4 MB" */
	const char *time;                 /* "14:02:11" */
	const struct foot_ask *ask;       /* NULL: nothing is asked for */
	const char *alert;                /* NULL: the keys are shown */
	const struct foot_key *keys;      /* of the view that is shown, before everybody's; ends with NULL keys; NULL: none */
	const char *dropped;              /* "0 dropped" */
	unsigned has;                     /* enum key_need: what of it there is */
};
/* Cuts header, tabs and footer off *r; *r is the body afterwards. */
void frame_draw(const struct frame_text *text, const struct views *views, const struct view *shown, struct canvas *canvas,
		struct rect *r);
/* A tab by a click at that column of the tab row; NULL if none. */
const struct view *frame_tab_at(const struct views *views, const struct view *shown, int cols, int x);

#endif
