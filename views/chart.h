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
/* The same for a file of the user's, in which other stanzas are skipped. Names are checked, because
 * a series that is left out in silence would be a riddle. */
bool chart_read_own(struct views *views, const struct gpudb *db, const struct gpudb_text *file,
		    const struct metric_set *const sets[SOURCE_KINDS], struct err *err);

/* Free the charts of a view. (chart_prune.c) */
void view_fini(struct view *view);
/* Whether a chart that is `only` for such machines is for this one; `gpu` are the metrics of its
 * GPU, NULL if it has none. Returns false if the word is unknown. (chart_prune.c) */
bool chart_fits(struct span only, const struct metric_set *gpu, bool *fits);
/* Remove charts that have nothing to show or are for other machines, then views without charts.
 * (chart_prune.c) */
void chart_prune(struct views *views);

#endif
