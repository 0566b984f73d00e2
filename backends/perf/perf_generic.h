/* perf_generic: the events that the kernel has names for on every CPU, and its own: cycles, L1-dcache-load-misses, page-faults... */
#ifndef MALITOP_PERF_GENERIC_H
#define MALITOP_PERF_GENERIC_H

#include "backends/perf/perf_group.h"

/* The names of perf(1), in any case. Fills type and config. */
bool perf_generic_find(struct span name, struct perf_event *event);

#endif
