/* perf_pfm: names of events that libpfm knows, if malitop was built with it (configure
 * --with-libpfm).
 *
 * libpfm examines the running machine, whatever root directory `struct sys` has. Thread: one at a
 * time, a limit of libpfm.
 */
#ifndef MALITOP_PERF_PFM_H
#define MALITOP_PERF_PFM_H

#include "backends/perf/perf_group.h"

#ifdef WITH_LIBPFM
/* Fills type and configs. Returns false if libpfm does not know the name or the machine. */
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
