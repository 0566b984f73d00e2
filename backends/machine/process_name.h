/* process_name: what a process is called. */
#ifndef MALITOP_PROCESS_NAME_H
#define MALITOP_PROCESS_NAME_H

#include "base/str.h"
#include "base/sys.h"

#define PROCESS_COMM_MAX 15 /* the kernel cuts names here */

/* Whether comm may have been cut, so that only the command line has the whole name. */
static inline bool process_name_is_cut(struct span comm)
{
	return comm.n >= PROCESS_COMM_MAX;
}

/* comm; where it may have been cut, the program's name out of the command line that contains it, which on Android is that of the
 * package. Printable, "" only for an empty comm. Reading a command line waits for the process' memory: it may block for as long as
 * that is busy. */
void process_name(const struct sys *sys, int32_t pid, struct span comm, char *dst, size_t size);

#endif
