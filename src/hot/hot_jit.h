/* hot_jit: the functions that one process translated at run time, from its perf-PID.map.
 *
 * The file grows while the program runs, and memory is used again: a newer line counts from the
 * time it was written, samples before it keep the older one. The file does not say when a line was
 * written, only when it was changed last. So a line lies between the last look at the file and that
 * time; the last line was written at that time. If an address has two names in such a span, neither
 * is certain.
 *
 * Only what is new is read. Lines are kept in runs whose lines do not overlap, each twice as long
 * as the next one or longer, so that a new line costs the logarithm of their number.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_HOT_JIT_H
#define MALITOP_HOT_JIT_H

#include "base/sys.h"

#include <sys/types.h>

struct hot_jit;

struct hot_jit *hot_jit_new(void);
void hot_jit_free(struct hot_jit *j); /* NULL is fine */

/* Read what was written since the last look, which was before now_ns: of the file that the process
 * names by the pid that it knows, in the /tmp that it sees, else of the one in ours. At most
 * *budget bytes, which are taken off it; the rest comes with the next look. time_ns: of the sample,
 * up to which all were found. Returns false once if it is given up: there is too much, and old
 * names would be wrong. */
bool hot_jit_read(struct hot_jit *j, const struct sys *sys, pid_t pid, int64_t time_ns, int64_t now_ns,
		  size_t *budget);
/* Find the function at an address; its name stays until the next read. False: there is no certain
 * one. */
bool hot_jit_find(const struct hot_jit *j, uint64_t address, int64_t time_ns, const char **name,
		  uint64_t *start, uint64_t *size);

#endif
