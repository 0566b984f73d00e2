/* view: a screen: its charts from top to bottom, and where each is drawn. */
#ifndef MALITOP_VIEW_H
#define MALITOP_VIEW_H

#include "views/chart.h"

/* The source whose line is below the charts of a view. */
enum view_foot { FOOT_NONE, FOOT_GPU, FOOT_CPU };

/* A view: its charts from top to bottom. */
struct view {
	const char *name;  /* "queues" */
	const char *title; /* "Queues" */
	char key;          /* '2'; it does not change if other views are missing */
	bool hidden;       /* has no tab (Counters) */
	bool elsewhere;    /* it needs a GPU, or the absence of one, and this machine differs */
	bool busiest;      /* orders its half panels of priority 1 by their first series */
	bool own;          /* of the user's; the first one that can be shown has the key 'u' and a tab */
	enum view_foot foot;
	struct chart *charts;
	unsigned n_charts;
};

/* Views for these sources: the shipped charts, then the user's own files (db->own; db NULL: none).
 * A series takes the first of its metrics that one of the sets has, in the order of enum
 * source_kind; any set may be NULL. Charts without a series and views without a chart are omitted.
 * The caller owns the result. Returns false if a text is malformed; the error names file and
 * line. */
struct views {
	struct view *views;
	unsigned n_views;
	char **strings; /* texts of all views */
	unsigned n_strings, cap_strings;
};
bool views_init(struct views *views, const struct gpudb *db,
		const struct metric_set *const sets[SOURCE_KINDS], struct err *err);
/* Read all views, without series, for any machine. Call views_fini even after a failure. */
bool views_read(struct views *views, const struct gpudb *db, struct err *err);
void views_fini(struct views *views);
/* Set whether the shown frames are known, and whether the GPU is saturated. While they are unknown,
 * each metric is replaced by the one with Wanted at the end of its name, and the label says so. The
 * note of a saturated GPU warns that it may be too slow for the wanted rate. */
void views_frames(struct views *views, bool known, bool saturated);
/* Put a chart before all others of a view, and let the views own its series. If there is no such
 * view, free them. Pointers to charts of that view become invalid. */
void views_prepend(struct views *views, const char *view, const struct chart *chart);
/* Find a view; "user" is the first own view. Returns NULL if there is none. */
const struct view *views_find(const struct views *views, const char *name_or_digit);

/* Return the first row of a view with the metric, also as a second value. Its chart is NULL if
 * there is none. */
struct row_subject view_row_of(const struct view *view, const struct metric *metric);
/* Append the names of the views that show the metric: "queues, memory". */
void views_of_metric(const struct views *views, const struct metric *metric, struct strbuf *out);

/* Copy a view with only those charts and rows whose label, name or title has a word that starts
 * with the text, or contains it if none starts with it. The copy may be empty. Lists of processes
 * stay, because they filter their rows. Free it with view_free. */
struct view *view_filter(const struct view *view, const char *text);
void view_free(struct view *view);

/* Draw the body. Charts that do not fit are omitted by priority. */
void view_draw(const struct view *view, const struct view_data *data, struct canvas *canvas,
	       struct rect body);

/* Whether data->per_instance changes what the view shows. */
bool view_breaks_down(const struct view *view);
/* Return the next panel with content after `chart` (by 1) or before it (by -1). NULL if there is
 * none. */
const struct chart *view_panel(const struct view *view, const struct view_data *data,
			       const struct chart *chart, int by);

#endif
