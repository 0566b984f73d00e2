/* process: what is known of the processes and threads of the machine at one moment, and in which order a screen shows them.
 *
 * Plain data: who reads it from the kernel is backends/process_scan.h, who draws it is a view. A list is written by one thread and
 * handed over whole; nobody changes it afterwards.
 */
#ifndef MALITOP_PROCESS_H
#define MALITOP_PROCESS_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define PROCESS_NAME 48
#define PROCESS_USER 16

struct process {
	int32_t pid;    /* of a thread: its own id */
	int32_t parent; /* of a process: that of the process that started it (0: none); of a thread: its process */
	bool is_thread; /* a thread of `parent`; a process stands in the list itself, its only thread does not. One of several
			 * has the pid of the process. */
	char state; /* as /proc tells: R running, S sleeping, D waiting for a device, T stopped, Z zombie, I idle; '?' unknown */
	uint32_t uid;
	uint32_t threads;        /* of a process; 0 for a thread */
	uint64_t start;          /* clock ticks since boot: pid and start together are one process for ever */
	uint64_t cpu_ns;         /* CPU time since its start, kernel and user */
	uint64_t rss_bytes;      /* memory in RAM; SAMPLE_UNKNOWN for a thread */
	uint64_t gpu_bytes;      /* GPU memory; SAMPLE_UNKNOWN where the driver does not tell */
	float cpu_percent;       /* of one CPU, over the interval; NaN in the first list that has it */
	float gpu_percent;       /* of the GPU's time; NaN where the driver does not tell */
	float ipc;               /* instructions per cycle; NaN where it is not counted */
	char name[PROCESS_NAME]; /* printable: the program's name, a kernel thread in [brackets] */
	char user[PROCESS_USER]; /* printable; its number where it has no name */
};

struct process_list {
	struct process *processes; /* in the order of their pid; the threads of a process right behind it */
	unsigned n;
	bool threads;             /* threads stand in it */
	unsigned n_hidden;        /* that /proc lists but does not let us read, or that were too many */
	int64_t begin_ns, end_ns; /* CLOCK_MONOTONIC: what cpu_percent is the mean of; begin 0: nothing to compare with yet */
	int64_t cost_ns;          /* CPU time that reading it took */
};

void process_list_free(struct process_list *list); /* with everything in it; NULL is fine */
/* The process of that pid, quickly; else the thread, by looking at every row. NULL if it is not there. */
const struct process *process_find(const struct process_list *list, int32_t pid);

/* The thread that ran most in the interval of the list; a process that has only one stands for it. NULL where nobody can tell: none ran,
 * or a process ran longer, apart from its threads that are known, than any of them: one of the others may be the busiest. */
const struct process *process_busiest(const struct process_list *list);

enum process_key {
	PROCESS_BY_CPU,
	PROCESS_BY_MEMORY,
	PROCESS_BY_GPU,
	PROCESS_BY_GPU_MEMORY,
	PROCESS_BY_TIME,
	PROCESS_BY_PID,
	PROCESS_BY_NAME,
	PROCESS_BY_USER,
	PROCESS_BY_THREADS,
	PROCESS_BY_STATE,
	PROCESS_BY_IPC,
	PROCESS_KEYS
};

/* What a screen wants to see of a list. Zero: everything, busiest first. */
struct process_order {
	enum process_key key;
	bool reversed;      /* numbers descend, texts and pids ascend, states run from busy to idle; this turns it round */
	bool tree;          /* children below their parent; siblings by key */
	const char *filter; /* only those whose name, pid or user contains it, without regard to case; NULL, "": all */
	const char *user;   /* only those of that user, by name or number; NULL: all */
};

/* A row of the screen. */
struct process_row {
	const struct process *process; /* in the list */
	uint16_t depth;                /* in the tree; 0 without one */
	bool last;                     /* of its siblings */
};

/* Rows in that order: at most list->n of them into `rows`. Returns how many. With a tree, parents of what the filter finds stay, if
 * they are the user's; a process whose parent is not shown has depth 0. A process with the same key as another stands in the order of
 * pids; unknown values come last. Any list is fine, also one whose parents are missing or go round. Allocates; about 2 ms for 20,000. */
unsigned process_arrange(const struct process_list *list, const struct process_order *order, struct process_row *rows);

#endif
