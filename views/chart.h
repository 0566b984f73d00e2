/* chart: the reader of screens, stanzas `view` and `chart` (doc/data-format.md), bound to the
 * metrics that exist. */
#ifndef MALITOP_CHART_H
#define MALITOP_CHART_H

#include "model/embed.h"
#include "views/view.h"

/* The shipped screens, in order; ends with a NULL file. */
extern const struct embedded embedded_charts[];

/* Find a widget by name (view.c). Returns NULL if there is none. */
const struct widget *widget_find(struct span name);

/* Read one text and append its views. `sets` is as for views_init; NULL for no metrics. The text
 * must live as long as *views. After a failure views_fini must still be called. */
bool chart_read(struct views *views, const char *file, struct span text,
		const struct metric_set *const sets[SOURCE_KINDS], struct err *err);
/* The same for a user's file, in which other stanzas are skipped. Unknown names are errors here, so
 * that no series is missing without a reason. */
bool chart_read_own(struct views *views, const struct gpudb *db, const struct gpudb_text *file,
		    const struct metric_set *const sets[SOURCE_KINDS], struct err *err);

/* Free the charts of a view. (view.c) */
void view_fini(struct view *view);
/* Set *fits to whether the value of the field `only` includes this machine. `gpu` are the metrics
 * of its GPU, NULL without one. Returns false if the word is unknown. (view.c) */
bool chart_fits(struct span only, const struct metric_set *gpu, bool *fits);
/* Remove charts that have nothing to show or are for other machines, then views without charts.
 * (view.c) */
void chart_prune(struct views *views);

#endif
