/* perf_generic: the events that the kernel names on every CPU, and its own software events: cycles,
 * L1-dcache-load-misses, page-faults... */
#ifndef MALITOP_PERF_GENERIC_H
#define MALITOP_PERF_GENERIC_H

#include "backends/perf/perf_group.h"

/* Find a name of perf(1), ignoring case. Fills type and config. */
bool perf_generic_find(struct span name, struct perf_event *event);

/* The i-th name, as perf(1) writes it; "" for a combination that does not exist. Returns false past
 * the last one. */
bool perf_generic_name(unsigned i, char *name, size_t size);

#endif
