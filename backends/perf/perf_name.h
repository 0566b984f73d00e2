/* perf_name: resolves the name of an event, as a user writes it, to the numbers of the kernel.
 *
 *	r12, 0x12                    the CPU's number of the event, in hexadecimal
 *	cycles, L1-dcache-loads      the kernel's generic names (perf_generic.h)
 *	PMU/event=0x11,umask=0x2/    parameters of a PMU (perf_pmu.h), and
 *	PMU/NAME/                    one of its events
 *	NAME                         an event of any CPU core PMU, ignoring case; otherwise an event
 *	                             of Arm's manual of the core; otherwise a name of libpfm
 *
 * A name that ends in ":u" (the parameters of a PMU: in "/u") excludes the kernel, one that ends in
 * ":k" excludes programs. The first way that knows a name is used.
 *
 * Threads: one at a time (perf_pfm.h).
 */
#ifndef MALITOP_PERF_NAME_H
#define MALITOP_PERF_NAME_H

#include "backends/cpu/cpus.h"
#include "backends/perf/perf_pmu.h"

#define PERF_NAME_PMUS 16 /* kinds of CPU cores in one machine */

/* One event number. */
struct perf_name_event {
	struct perf_event event;
	const struct perf_pmu *pmu; /* of the given perf_pmus; NULL: that of the opened CPU */
};

/* What a name means: one number, or one per kind of core that has the event. For a thread that may
 * run on several kinds of core, an event without a PMU counts on only one of them: open the event
 * of each. */
struct perf_name {
	bool user_only, kernel_only;
	unsigned n; /* at least one */
	struct perf_name_event events[PERF_NAME_PMUS];
};

/* `text` becomes the name of every event, so it must live as long as they do. cpus provides the
 * core of a PMU whose name does not (if NULL, such cores stay unknown, and so do events that are
 * not in sysfs). On failure the error names what was not understood and what to try. */
bool perf_name_find(struct perf_name *name, const struct perf_pmus *pmus, const struct cpus *cpus,
		    const char *text, struct err *err);

#endif
