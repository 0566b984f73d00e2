/* self: what this program itself takes. Thread: any. */
#ifndef MALITOP_SELF_H
#define MALITOP_SELF_H

#include "base/sys.h"

/* NaN: unknown. */
struct self {
	double cpu_s, resident_bytes, virtual_bytes;
	double start_s; /* after boot */
};

struct self self_read(const struct sys *sys);

/* Let the kernel take back the code and constants of the program and its libraries. What is used
 * again comes back from its file, 64 KiB at a time; what only the start used stays out of memory.
 * Mappings that were changed, as by the breakpoints of a debugger, are left alone. */
void self_unload(void);

#endif
