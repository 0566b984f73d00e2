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

#endif
