/* process_scan: reads the processes and threads of the machine from /proc. Not a source: what it finds is a list, not a sample.
 *
 * A list costs three calls of the kernel for each process. Nothing is read that the wish does not name; what seldom changes (owner,
 * command line) is read when a process is new or runs another program, etc/passwd when it has changed, GPU memory once a second.
 * A read may block for as long as a process keeps its own memory busy (/proc/PID/cmdline): have it on a thread that nobody waits for.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_PROCESS_SCAN_H
#define MALITOP_PROCESS_SCAN_H

#include "base/sys.h"
#include "model/process.h"

#include <limits.h>

#define PROCESS_WISH_MOST 64
#define PROCESS_WISH_ALL UINT_MAX

struct process_wish {
	unsigned threads_of; /* of so many processes, the busiest ones, at most PROCESS_WISH_MOST; PROCESS_WISH_ALL: of all */
	bool gpu_memory;
};

struct process_scan;

/* `sys` must live as long as it does. */
struct process_scan *process_scan_new(const struct sys *sys);
void process_scan_free(struct process_scan *scan); /* NULL is fine */

/* What there is now; the caller frees it. Processes that end while they are read are left out; without /proc the list is empty.
 * CPU time is in ticks of 10 ms: a list that comes less than 0.2 s after another one repeats its percentages and its interval. A
 * process whose owner cannot be told has the user "" and the uid UINT32_MAX. */
struct process_list *process_scan_read(struct process_scan *scan, const struct process_wish *wish, int64_t now_ns);

#endif
