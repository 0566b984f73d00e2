/* perf_pmu: the PMUs that the kernel describes in sys/bus/event_source/devices.
 *
 * Threads: constant after perf_pmus_find, so any thread may read it.
 */
#ifndef MALITOP_PERF_PMU_H
#define MALITOP_PERF_PMU_H

#include "backends/cpu/cpus.h"
#include "backends/perf/perf_group.h"

#define PERF_DEVICES "sys/bus/event_source/devices"
#define PERF_PMU_NAME 64

struct perf_pmu {
	char name[PERF_PMU_NAME]; /* "armv8_cortex_a72"; letters, digits and "_-." */
	uint32_t type;            /* for perf_event.type */
	bool core;                /* false: an uncore PMU, such as a memory controller */
	struct cpu_set cpus;      /* where its events can be opened; all by default */
};

struct perf_pmus {
	const struct sys *sys;
	struct perf_pmu *pmus; /* by name */
	unsigned n, cap;
};

/* Never fails: a machine that describes no PMU has none. `sys` must live as long as *pmus. */
void perf_pmus_find(struct perf_pmus *pmus, const struct sys *sys);
void perf_pmus_fini(struct perf_pmus *pmus);
const struct perf_pmu *perf_pmus_get(const struct perf_pmus *pmus, struct span name); /* NULL: none */

/* Whether the PMU's events/ has this name; if so, *event gets its numbers. `name` and type of
 * *event are not changed, here and below. Returns false with err->text set if the PMU has the event
 * in a form that is not understood, and with an empty text if it does not have the event. */
bool perf_pmu_named(const struct perf_pmu *pmu, const struct sys *sys, struct span name,
		    struct perf_event *event, struct err *err);
/* "event=0x11,umask=0x2" or "NAME,any=1": parameters at their positions in format/, the config
 * words config, config1 and config2, and names of events, if `names`. A parameter without a number
 * is 1. */
bool perf_pmu_terms(const struct perf_pmu *pmu, const struct sys *sys, struct span terms, bool names,
		    struct perf_event *event, struct err *err);
/* Whether the PMU's formats use all set bits of this config. The kernel ignores other bits, and
 * counts another event. On failure err names the bits that are used. */
bool perf_pmu_check(const struct perf_pmu *pmu, const struct sys *sys, uint64_t config, struct err *err);

/* perf_format: the position of an event's parameters in its config words (format/NAME of a PMU in
 * sysfs). */

/* Store value in the event at the format's position, "config:0-7,32-35": the low bits of the value
 * go into the first range. Overwrites the previous value. On failure the event is unchanged, and
 * the error is the text that follows "NAME: ". */
bool perf_format_put(struct perf_event *event, struct span format, uint64_t value, struct err *err);

#endif
