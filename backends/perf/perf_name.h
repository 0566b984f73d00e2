/* perf_name: resolves the name of an event, as a user writes it, to the numbers of the kernel.
 *
 * r12, 0x12                    the CPU's number of the event, in hexadecimal
 * cycles, L1-dcache-loads      the kernel's generic names (perf_generic_find)
 * PMU/event=0x11,umask=0x2/    parameters of a PMU, and
 * PMU/NAME/                    one of its events
 * NAME                         an event of any CPU core PMU, ignoring case; otherwise an event
 *                              of Arm's manual of the core; otherwise a name of libpfm
 *
 * A name that ends in ":u" (the parameters of a PMU: in "/u") excludes the kernel, one that ends in
 * ":k" excludes programs. A name that ends in ":force" is counted even if the core is known to lack
 * the event. The first way that knows a name is used.
 *
 * Threads: one at a time (perf_pfm_find). */
#ifndef MALITOP_PERF_NAME_H
#define MALITOP_PERF_NAME_H

#include "backends/perf/perf_group.h"
#include "base/str.h"
#include "backends/cpu/cpus.h"

/* perf_pmu: the PMUs that the kernel describes in sys/bus/event_source/devices. Constant after
 * perf_pmus_find, so any thread may read it. */

#define PERF_DEVICES "sys/bus/event_source/devices"
#define PERF_PMU_NAME 64

struct perf_pmu {
	char name[PERF_PMU_NAME]; /* "armv8_cortex_a72"; letters, digits and "_-." */
	uint32_t type;            /* for perf_event.type */
	bool core;                /* false: an uncore PMU, such as a memory controller */
	struct cpu_set cpus;      /* CPUs on which its events can be opened; all by default */
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
 * *event are not changed, here and below. Returns false with err->text set if the event has an
 * unsupported form, and with an empty text if the PMU does not have it. */
bool perf_pmu_named(const struct perf_pmu *pmu, const struct sys *sys, struct span name,
		    struct perf_event *event, struct err *err);
/* "event=0x11,umask=0x2" or "NAME,any=1": parameters at their positions in format/, the config
 * words config, config1 and config2, and names of events, if `names`. A parameter without a number
 * is 1. */
bool perf_pmu_terms(const struct perf_pmu *pmu, const struct sys *sys, struct span terms, bool names,
		    struct perf_event *event, struct err *err);
/* Whether the PMU's formats use all set bits of this config. The kernel ignores other bits, and
 * counts a different event. On failure err names the used bits. */
bool perf_pmu_check(const struct perf_pmu *pmu, const struct sys *sys, uint64_t config, struct err *err);

/* perf_format: the position of an event's parameters in its config words, from format/NAME. */

/* Store value in the event at the format's position, "config:0-7,32-35": the low bits of the value
 * go into the first range. Overwrites the previous value. On failure the event is unchanged, and
 * the error is the text that follows "NAME: ". */
bool perf_format_put(struct perf_event *event, struct span format, uint64_t value, struct err *err);

/* perf_name */

#define PERF_NAME_PMUS 16 /* kinds of CPU cores in one machine */

/* One event number. */
struct perf_name_event {
	struct perf_event event;
	const struct perf_pmu *pmu; /* one of the given perf_pmus; NULL: that of the opened CPU */
};

/* The meaning of a name: one number, or one per kind of core that has the event. For a thread that
 * may run on several kinds of core, an event without a PMU counts on only one of them: open the
 * event of each. */
struct perf_name {
	bool user_only, kernel_only;
	bool forced; /* ":force": count it even if the core is known to lack it */
	unsigned n;  /* at least one */
	struct perf_name_event events[PERF_NAME_PMUS];
};

/* `text` becomes the name of every event, so it must live as long as they do. cpus provides the
 * core of a PMU whose name does not (if NULL, such cores stay unknown, and so do events that are
 * not in sysfs). On failure the error names the unknown part and a remedy. */
bool perf_name_find(struct perf_name *name, const struct perf_pmus *pmus, const struct cpus *cpus,
		    const char *text, struct err *err);

/* perf_generic: the events that the kernel names on every CPU, and its own software events: cycles,
 * L1-dcache-load-misses, page-faults... */

/* Find a name of perf(1), ignoring case. Fills type and config. */
bool perf_generic_find(struct span name, struct perf_event *event);

/* The i-th name of perf(1); "" for a combination that does not exist. False past the last one. */
bool perf_generic_name(unsigned i, char *name, size_t size);

/* arm_events: the events of Arm's cores (PMUv3) by number and name, and the cores that have each.
 *
 * An event that a core lacks can still be opened and counts 0, so check here or in sysfs before
 * counting it. */

/* Return the core that a PMU of this name serves ("armv8_cortex_a72"). If the name identifies none,
 * return that of its CPUs by their part number (NULL: unknown). -1 if unknown. */
int arm_core_find(const char *pmu, const struct cpu_set *set, const struct cpus *cpus);
/* Bytes that one BUS_ACCESS moves; 0 if the system integrator chooses it, or if it is unknown. */
unsigned arm_core_bus_bytes(int core);
/* Whether the core counts this event; false for an unknown core. */
bool arm_core_has(int core, uint16_t number);

/* Find an event by Arm's name, ignoring case ("BR_PRED", "br_pred"). */
bool arm_event_find(struct span name, uint16_t *number);
const char *arm_event_name(uint16_t number); /* NULL if unknown */
/* Get the i-th event: its name, its number, and the cores that have it, which are appended: "A53
 * A72"; nothing if all have it. Returns false past the last one. */
bool arm_event_at(unsigned i, const char **name, uint16_t *number, struct strbuf *in);

/* Find a name of libpfm (configure --with-libpfm), which examines the running machine, whatever
 * root directory `struct sys` has. Fills type and configs. Returns false if libpfm does not know
 * the name or the machine, or is not linked. Thread: one at a time, a limit of libpfm. */
bool perf_pfm_find(const char *name, struct perf_event *event);

#endif
