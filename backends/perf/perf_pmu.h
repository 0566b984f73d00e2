/* perf_pmu: what counts events, as the kernel describes it in sys/bus/event_source/devices.
 *
 * Threads: constant after perf_pmus_find, so any may read it.
 */
#ifndef MALITOP_PERF_PMU_H
#define MALITOP_PERF_PMU_H

#include "backends/machine/cpu_set.h"
#include "backends/perf/perf_group.h"

#define PERF_PMU_NAME 64

struct perf_pmu {
	char name[PERF_PMU_NAME]; /* "armv8_cortex_a72"; letters, digits and "_-." */
	uint32_t type;            /* for perf_event.type */
	bool core;                /* of CPU cores; else of something between them, as a memory controller */
	struct cpu_set cpus;      /* where its events can be opened; all, where the kernel does not tell */
};

struct perf_pmus {
	const struct sys *sys;
	struct perf_pmu *pmus; /* by name */
	unsigned n, cap;
};

/* Never fails: a machine that tells nothing has none. `sys` must live as long as *pmus. */
void perf_pmus_find(struct perf_pmus *pmus, const struct sys *sys);
void perf_pmus_fini(struct perf_pmus *pmus);
const struct perf_pmu *perf_pmus_get(const struct perf_pmus *pmus, struct span name); /* NULL: none of that name */

/* Whether the PMU's events/ has that name; then *event gets its numbers. `name` and type of *event are left alone, here and below.
 * false with err->text where it has, but in a form that is not understood; with an empty one where it has not. */
bool perf_pmu_named(const struct perf_pmu *pmu, const struct sys *sys, struct span name, struct perf_event *event,
		    struct err *err);
/* "event=0x11,umask=0x2" or "NAME,any=1": parameters by their places in format/, the whole words config, config1 and config2, and names
 * of events. A parameter without a number is 1. */
bool perf_pmu_terms(const struct perf_pmu *pmu, const struct sys *sys, struct span terms, struct perf_event *event,
		    struct err *err);

#endif
