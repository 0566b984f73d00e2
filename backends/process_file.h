/* process_file: what the files of /proc/PID say. Thread: any. */
#ifndef MALITOP_PROCESS_FILE_H
#define MALITOP_PROCESS_FILE_H

#include "base/str.h"
#include "base/sys.h"

#include <stdint.h>

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

/* The arguments of a process with a blank between them, printable, at most PROCESS_COMMAND - 1
 * bytes; the caller frees it. NULL if it has none (a kernel thread, a zombie) or may not be read.
 * Reading waits for the process's memory, so it may block while that is busy. */
char *process_command(const struct sys *sys, int32_t pid);

/* The text of /proc/PID/stat and of /proc/PID/task/TID/stat. */
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
/* Whether a process is `ancestor`, or descends from it: no longer if a parent between has ended. */
bool process_descends(const struct sys *sys, int32_t pid, int32_t ancestor);

#endif
