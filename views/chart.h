/* chart: series and the widget that draws them (text, views/charts/), bound to the metrics that
 * exist; and the reader of the stanzas `view` and `chart` (doc/data-format.md). */
#ifndef MALITOP_CHART_H
#define MALITOP_CHART_H

#include "model/embed.h"
#include "views/feed.h"

/* One series of a chart. */
struct series {
	const struct metric *metric; /* of data->feeds[source].set */
	enum source_kind source;
	const char *label;           /* starts with a blank for a `sub` series; never NULL */
	const char *brief;           /* the same for narrow panels; often the label itself */
	const struct metric *beside; /* second metric, shown beside the value; NULL for none */
	enum source_kind beside_source;
	const char *note; /* after the value, if there is room; "" for none */
	unsigned n_parts; /* how many of the following series are parts of the bar of this one */
	unsigned part;    /* number as a part of an earlier series' bar, from 1; 0: not a part */
	unsigned colour;  /* of an amount without a judgement: see canvas_part_style */
	/* The values of the fields above while frames are counted, and while they are not. If
	 * neither has a metric, the fields never change. views_frames selects one of them. */
	struct series_face {
		const struct metric *metric;
		const char *label, *brief, *note;
	} shown, wanted;
	const char *saturated_note; /* note of the wanted frame rate if the GPU is saturated */
};

#define SERIES_PARTS 6

struct widget;

#define CHART_OPTIONS_MAX 10
#define CHART_TEXTS_MAX 4

/* How much of a row of panels a chart takes. */
enum chart_place {
	PLACE_HALF, /* one column */
	PLACE_FULL, /* a row of its own */
	PLACE_WIDE, /* the columns that a card beside it leaves, else a row of its own */
	PLACE_CARD, /* a narrow column beside a wide one */
	PLACE_COUNT
};

/* A chart, bound to the metrics that exist. Options are fields that only one widget knows. */
struct chart {
	const char *name, *title;             /* title may be "" */
	const char *base;                     /* reference of its percentages: "of GPU time"; "" for none */
	const char *shown_base, *wanted_base; /* base if frames are counted, if not */
	enum chart_place place;
	char letter;         /* key that hides and shows it in the views with layouts; 0: always shown */
	unsigned from_cols;  /* shown only in terminals at least this wide (columns) */
	unsigned below_cols; /* shown only in narrower ones; 0: in all */
	unsigned weight;     /* share of the spare rows; 0 for none */
	const struct widget *widget;
	struct series *series; /* those that this machine has, in order */
	unsigned n_series;
	struct {
		struct span key, value;
	} options[CHART_OPTIONS_MAX];
	unsigned n_options;
	bool loads;                         /* option `levels load`: values have the colours of loads */
	bool to_limit;                      /* option `levels limit`: colours by the metric of `limit` */
	const char *texts[CHART_TEXTS_MAX]; /* lines of explanation, shown if there is room */
	unsigned n_texts;
	/* The chart is shown only while the metric `with` is known and `without` is not; empty:
	 * always. A chart that is shown without frames says how to get them. */
	struct span with, without;
	struct span once;  /* shown only after this metric has counted something; empty: always */
	bool elsewhere;    /* it needs a GPU, or the absence of one, and this machine differs */
	unsigned priority; /* 1 is the most important; the least is omitted first in a small terminal */
};

/* A chart with the data and the canvas to draw it. */
struct drawing {
	const struct chart *chart;
	const struct view_data *data;
	struct canvas *canvas; /* NULL to measure the size only */
};

/* The least rows that it needs, and the most that it can use. */
struct need {
	int min, most;
};

struct widget {
	const char *name; /* name in the stanzas of charts */
	/* The fields it knows besides those of every chart, with a '|' between them; NULL for
	 * none. Each is followed by its permitted words, as in "each cluster core"; '#' is a
	 * number from 1 to 200; a name alone takes any text. */
	const char *options;
	bool breaks_down; /* per core or CPU, with data->per_instance */
	bool seriesless;  /* can be shown without any series */
	bool companion;   /* makes no view alone: the view must have other charts */
	/* Returns how many columns of `inner`, up to its right edge less `axis_right`, are a time
	 * axis with ticks on the border below; 0 or NULL if there is none. */
	int (*axis)(const struct drawing *d, struct rect inner);
	int axis_right; /* columns right of the newest cell */
	int heads;      /* lines of headings, of no use without a row below them */
	bool spare;     /* uses more lines than it needs even without a weight */
	/* Returns the rows needed at that width, without border and title. 0 if it has nothing to
	 * show. */
	struct need (*size)(const struct drawing *d, int cols);
	/* Returns the rows beyond `most` that it can use once all graphs are high: at least the
	 * first number, or none. NULL if it can use none. */
	struct need (*extra)(const struct drawing *d, int cols);
	void (*draw)(const struct drawing *d, struct rect r);
	/* Writes the text at the right of the upper border; NULL for none. */
	void (*corner)(const struct drawing *d, char *text, size_t size);
};

struct view;
struct views;

/* The shipped screens, in order; ends with a NULL file. */
extern const struct embedded embedded_charts[];

/* Find a widget by name (view.c). Returns NULL if there is none. */
const struct widget *widget_find(struct span name);

/* Read one text and append its views. `sets` is as for views_init; NULL for no metrics. The text
 * must live as long as *views. After a failure views_fini must still be called.
 * `db` is NULL for a shipped text. In a user's file other stanzas are skipped, and unknown names
 * are errors, so that no series is missing without a reason. */
bool chart_read(struct views *views, const struct gpudb *db, const struct gpudb_text *file,
		const struct metric_set *const sets[SOURCE_KINDS], struct err *err);

/* Free the charts of a view. (view.c) */
void view_fini(struct view *view);
/* Set *fits to whether the value of the field `only` includes this machine. `gpu` has the metrics
 * of its GPU, NULL without one. Returns false if the word is unknown. (view.c) */
bool chart_fits(struct span only, const struct metric_set *gpu, bool *fits);
/* Remove charts that have nothing to show or are for other machines, then views without charts.
 * (view.c) */
void chart_prune(struct views *views);

#endif
