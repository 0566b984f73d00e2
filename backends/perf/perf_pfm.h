/* perf_pfm: names of events that libpfm knows, where it was there when malitop was built (configure --with-libpfm).
 *
 * It asks the machine that it runs on, whatever root directory `struct sys` has. Thread: one at a time, as libpfm has it.
 */
#ifndef MALITOP_PERF_PFM_H
#define MALITOP_PERF_PFM_H

#include "backends/perf/perf_group.h"

#ifdef WITH_LIBPFM
/* Fills type and the configs. false: libpfm does not know the name, or the machine. */
bool perf_pfm_find(const char *name, struct perf_event *event);
#else
static inline bool perf_pfm_find(const char *name, struct perf_event *event)
{
	(void)name;
	(void)event;
	return false;
}
#endif

#endif
