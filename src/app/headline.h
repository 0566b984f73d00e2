/* headline: the metrics that `malitop stat` shows when nobody names any. */
#ifndef MALITOP_HEADLINE_H
#define MALITOP_HEADLINE_H

#include "model/metric.h"

#define HEADLINE_METRICS 12

/* Names of the first HEADLINE_METRICS of the list that one of the sources has, comma-separated; "" if there is none. The caller frees
 * it. */
char *headline_choose(const struct metric_set *const *sets, unsigned n_sets);

#endif
