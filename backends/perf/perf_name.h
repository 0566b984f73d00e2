/* perf_name: from the name of an event, as a user writes it, to what the kernel takes.
 *
 *	r12                          the number of an event, in hexadecimal, as the CPU has it
 *	cycles, L1-dcache-loads      the kernel's generic names (perf_generic.h)
 *	PMU/event=0x11,umask=0x2/    parameters of a PMU (perf_pmu.h), and
 *	PMU/NAME/                    one of its events
 *	NAME                         an event of any PMU of CPU cores, in upper or lower case; else one that Arm's manual of the core has; else
 *	                             a name of libpfm's
 *
 * A name may end in ":u" (the parameters of a PMU in "/u"): without what the kernel does. The first way that knows a name is taken.
 *
 * Threads: one at a time (perf_pfm.h).
 */
#ifndef MALITOP_PERF_NAME_H
#define MALITOP_PERF_NAME_H

#include "backends/machine/cpus.h"
#include "backends/perf/perf_pmu.h"

#define PERF_NAME_PMUS 16 /* kinds of CPU cores in one machine */

/* One number of an event. */
struct perf_name_event {
	struct perf_event event;
	const struct perf_pmu *pmu; /* of the perf_pmus that were given. NULL: that of the CPU that it is opened for */
};

/* What a name stands for: one number, or one per kind of core that has the event. Without a PMU, and for a thread that may run on
 * several kinds of core, only one of them counts: open the event of each. */
struct perf_name {
	bool user_only;
	unsigned n; /* at least one */
	struct perf_name_event events[PERF_NAME_PMUS];
};

/* `text` is the name of every event, and so must live as long as they do. cpus tells the cores of a PMU whose name does not (NULL: they
 * stay unknown, and so do events that are not in sysfs). On failure the error says what was not understood and what to try. */
bool perf_name_find(struct perf_name *name, const struct perf_pmus *pmus, const struct cpus *cpus, const char *text,
		    struct err *err);

#endif
