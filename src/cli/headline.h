/* headline: the metrics that `malitop stat` shows when nobody names any. */
#ifndef MALITOP_HEADLINE_H
#define MALITOP_HEADLINE_H

#include "model/metric.h"

#define HEADLINE_METRICS 12

/* The CPU events that were asked for, and then, up to HEADLINE_METRICS in all, the first of the list that one of the sources has,
 * comma-separated; "" if there is none. The caller frees it. */
char *headline_choose(const struct metric_set *const *sets, unsigned n_sets, const char *const *events, unsigned n_events);

#endif
