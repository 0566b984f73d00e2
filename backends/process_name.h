/* process_name: the name of a process. */
#ifndef MALITOP_PROCESS_NAME_H
#define MALITOP_PROCESS_NAME_H

#include "base/str.h"
#include "base/sys.h"

#define PROCESS_COMM_MAX 15 /* the kernel truncates names to this length */

/* Whether comm may be truncated, so that only the command line has the full name. */
static inline bool process_name_is_cut(struct span comm)
{
	return comm.n >= PROCESS_COMM_MAX;
}

/* comm; if it may be truncated, the program name in the command line that contains it, which on
 * Android is the package name. Printable, "" only for an empty comm. Reading a command line waits
 * for the process's memory, so it may block while that is busy. */
void process_name(const struct sys *sys, int32_t pid, struct span comm, char *dst, size_t size);

#endif
