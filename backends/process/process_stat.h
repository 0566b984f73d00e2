/* process_stat: the text of /proc/PID/stat and of /proc/PID/task/TID/stat. */
#ifndef MALITOP_PROCESS_STAT_H
#define MALITOP_PROCESS_STAT_H

#include "base/str.h"
#include "base/sys.h"

struct process_stat {
	struct span comm; /* in the text, unchanged: any bytes, including blanks and parentheses */
	char state;       /* a letter, or '?' */
	int32_t parent;   /* 0: none */
	uint64_t flags;   /* PROCESS_... below */
	uint64_t ticks;   /* of CPU time, user and kernel */
	uint32_t threads;
	uint64_t start;     /* ticks since boot */
	uint64_t rss_pages; /* memory in RAM */
};

#define PROCESS_NOT_EXECUTED 0x40 /* PF_FORKNOEXEC: forked, still runs its parent's program */
#define PROCESS_KERNEL 0x200000   /* PF_KTHREAD: a kernel thread */

/* Returns false if the text has another format, or ends before the last field that is needed. */
bool process_stat_parse(struct process_stat *stat, struct span text);
/* Whether a process is `ancestor`, or was started by it. A process whose parent has ended is no
 * longer its descendant. */
bool process_descends(const struct sys *sys, int32_t pid, int32_t ancestor);

#endif
