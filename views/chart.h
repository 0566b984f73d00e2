/* chart: the reader of screens, stanzas `view` and `chart` (doc/data-format.md), bound to the metrics that exist. */
#ifndef MALITOP_CHART_H
#define MALITOP_CHART_H

#include "model/embed.h"
#include "views/view.h"

/* The shipped screens, in order; ends with a NULL file. */
extern const struct embedded embedded_charts[];

/* Every widget by name; NULL if unknown (view.c). */
const struct widget *widget_find(struct span name);

/* Read one text and append its views. sets: as for views_init; NULL: without any metric. The text must live as long as *views; after a failure views_fini is still due. */
bool chart_read(struct views *views, const char *file, struct span text, const struct metric_set *const sets[SOURCE_KINDS],
		struct err *err);
/* Leave out charts without anything to show, then views without charts. */
void chart_prune(struct views *views);

#endif
