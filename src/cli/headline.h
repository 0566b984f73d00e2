/* headline: the metrics that `malitop stat` shows without --metrics. */
#ifndef MALITOP_HEADLINE_H
#define MALITOP_HEADLINE_H

#include "model/cpu_event.h"
#include "model/metric.h"

#define HEADLINE_METRICS 12

/* The events of --event, then metrics from a list of the most important ones, as far as one of the
 * sources has them, up to HEADLINE_METRICS in all. Comma-separated; "" if there are none. The
 * caller frees it. */
/* The metrics of groups, as far as one of the sources has them; the events of --event come first.
 * `groups` has names with commas, which exist. */
char *headline_of_groups(const struct gpudb *db, const char *groups, const struct metric_set *const *sets,
			 unsigned n_sets, const char *const *events, unsigned n_events);
/* Every metric that may be chosen, comma-separated. The caller frees it. */
char *headline_all(void);
char *headline_choose(const struct metric_set *const *sets, unsigned n_sets, const char *const *events,
		      unsigned n_events);

#endif
