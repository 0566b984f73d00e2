/* process_scan: reads the processes and threads of the machine from /proc. Not a source: the result
 * is a list, not a sample.
 *
 * A list costs three system calls per process. Only what the query names is read. What seldom
 * changes (owner, command line) is read when a process is new or runs another program, and again
 * after some seconds; etc/passwd when it has changed, GPU memory once a second. A read may block
 * while a process keeps its own memory busy (/proc/PID/cmdline), so call it on a thread that no
 * other thread waits for.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_PROCESS_SCAN_H
#define MALITOP_PROCESS_SCAN_H

#include "base/sys.h"
#include "model/process.h"

#include <limits.h>

#define PROCESS_WISH_MOST 64
#define PROCESS_QUERY_ALL UINT_MAX
#define PROCESS_WISH_COMMANDS 200 /* the rows of the largest screen */

struct process_query {
	unsigned threads_of; /* of the N busiest processes, N <= PROCESS_WISH_MOST, or PROCESS_QUERY_ALL */
	bool gpu_memory;
	bool counts; /* CPU events of the busiest ones (session/process_counts.h) */
	/* Whose command lines: all, or those with these pids. */
	bool all_commands;
	unsigned n_commands;
	int32_t commands[PROCESS_WISH_COMMANDS];
	bool again; /* the last list again, with these command lines: processes are not read */
};

extern const struct process process_unknown; /* of which nothing has been read yet */

struct process_scan;

/* `sys` must live as long as the scan. */
struct process_scan *process_scan_new(const struct sys *sys);
void process_scan_free(struct process_scan *scan); /* NULL is fine */

/* The current list; the caller frees it. Processes that exit while they are read are omitted;
 * without /proc the list is empty. CPU time is in ticks of 10 ms: a list less than 0.2 s after the
 * previous one repeats its percentages and its interval. A process whose owner is unknown has the
 * user "" and the uid UINT32_MAX. */
struct process_list *process_scan_read(struct process_scan *scan, const struct process_query *query,
				       int64_t now_ns);

#endif
