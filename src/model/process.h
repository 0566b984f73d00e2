/* process: the processes and threads of the machine at one point in time, and the order in which a
 * screen shows them.
 *
 * Plain data: backends/process/process_scan.h reads it from the kernel, and a view draws it. One
 * thread writes a list and hands it over; it never changes afterwards.
 */
#ifndef MALITOP_PROCESS_H
#define MALITOP_PROCESS_H

#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define PROCESS_NAME 48
#define PROCESS_USER 16
#define PROCESS_COMMAND 512      /* bytes of a command line that are kept */
#define PROCESS_PAST 60          /* seconds of history */
#define PROCESS_PAST_UNKNOWN 255 /* in a second of history */

struct process {
	int32_t pid;    /* of a thread: its own id */
	int32_t parent; /* of a process: the pid of its parent (0: none); of a thread: its process */
	/* A thread of `parent`. A process has a row of its own; threads have rows only if it has
	 * several, and one of them has the pid of the process. */
	bool is_thread;
	bool simulated; /* of a simulated device: a real process may have the same pid */
	bool kernel;    /* a kernel thread */
	char state;     /* R running, S sleeping, D in I/O, T stopped, Z zombie, I idle; '?' unknown */
	uint32_t uid;
	uint32_t threads;   /* of a process; 0 for a thread */
	uint64_t start;     /* clock ticks since boot; pid and start together identify a process */
	uint64_t cpu_ns;    /* CPU time since its start, kernel and user */
	uint64_t rss_bytes; /* memory in RAM; SAMPLE_UNKNOWN for a thread */
	uint64_t gpu_bytes; /* GPU memory; SAMPLE_UNKNOWN if the driver does not report it */
	float cpu_percent;  /* of one CPU, over the interval; NaN in the first list that has it */
	float gpu_percent;  /* of the GPU's time; NaN if the driver does not report it */
	/* What the processes of its user that may work on the GPU have together, if nothing tells
	 * which of several: then their gpu_percent is NaN. Else 0. */
	float gpu_user_percent;
	/* Likewise for each of the two queues that Panfrost reports; 0 if unknown. */
	float gpu_fragment_percent, gpu_vertex_percent;
	bool gpu_queues;    /* they are known */
	bool gpu_context;   /* it is known to have a context of the GPU; not in logs */
	float ipc;          /* instructions per cycle; NaN if not counted */
	float misses;       /* of reads in the last cache, per 1000 instructions; NaN if not counted */
	float wait_percent; /* ready, while another ran: of the time; NaN if unknown or of several threads */
	char name[PROCESS_NAME]; /* printable: the program's name, a kernel thread in [brackets] */
	char user[PROCESS_USER]; /* printable; the uid if it has no name */
	/* The command line, printable, in the list's `commands`. NULL: it was not read, or there is
	 * none. */
	const char *command;
};

struct process_list {
	struct process *processes; /* by pid; the threads of a process follow it */
	unsigned n;
	bool threads;             /* includes threads */
	unsigned n_hidden;        /* processes that /proc lists but denies access to, or over the limit */
	int64_t begin_ns, end_ns; /* interval of cpu_percent (CLOCK_MONOTONIC); begin 0: the first list */
	float gpu_active;         /* percent of the interval; set by process_list_bound */
	int64_t cost_ns;          /* CPU time spent on reading it */
	int64_t uptime_ns;        /* time since boot at end_ns; 0: unknown */
	char *commands;           /* the texts of the command lines; NULL: none */
	size_t commands_size;
	/* Per process, the newest second last: cpu_percent, at most 100, or PROCESS_PAST_UNKNOWN.
	 * NULL before process_list_follow. */
	uint8_t (*past)[PROCESS_PAST];
};

void process_list_free(struct process_list *list); /* with everything in it; NULL is fine */
/* Note how long the GPU was active in the interval, in percent, NaN for unknown. Queues of several
 * processes overlap: if their percentages are more than that together, all become smaller by the
 * same factor, so that they add up to it. */
void process_list_bound(struct process_list *list, double gpu_active);
/* Continue the history of `before`, an earlier list, in a new one; NULL: there is none. A second
 * that no interval of a list covers is unknown. A list that repeats the interval of `before` has
 * the same history. (process_past.c) */
void process_list_follow(struct process_list *list, const struct process_list *before);
/* Compare by the order of a list: by process, the process before its threads. */
int process_compare(const struct process *a, const struct process *b);
/* Find a process by pid with a binary search, else a thread with a linear one. NULL if there is
 * none. */
const struct process *process_find(const struct process_list *list, int32_t pid);

/* Return the thread that ran longest in the interval of the list, or the process if it has only one
 * thread. NULL if that is unknown: no thread ran, or the threads of a process that are not in the
 * list ran longer than any that is, so one of them may be the busiest. */
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
	PROCESS_BY_GPU_FRAGMENT,
	PROCESS_BY_GPU_VERTEX,
	PROCESS_BY_WAIT,
	PROCESS_BY_MISSES,
	PROCESS_KEYS
};

/* The rows and the order that a screen shows. Zero-initialised: all rows, busiest first. */
struct process_order {
	enum process_key key;
	bool reversed;      /* else numbers descend, texts and pids ascend, states go from busy to idle */
	bool tree;          /* children below their parent; siblings by key */
	bool no_kernel;     /* without kernel threads */
	bool processes;     /* no threads, even if the list has some */
	bool tasks;         /* what a CPU runs: threads, and processes that have one thread */
	const char *filter; /* only rows that process_contains this text; NULL, "": all */
	const char *user;   /* only rows of this user, a name or a number; NULL: all */
};

/* Whether the name, the command line, the user or the pid contains a text, ignoring case. */
bool process_contains(const struct process *process, const char *text);

/* A row of the screen. */
struct process_row {
	const struct process *process; /* in the list */
	uint16_t depth;                /* in the tree; 0 without one */
	bool last;                     /* of its siblings */
};

/* Fill `rows` in that order, with at most list->n rows. Returns how many. In a tree the parents of
 * matching rows are kept if they belong to the user; a process whose parent is not shown has depth
 * 0. Rows with equal keys are ordered by pid; unknown values come last. Missing or cyclic parents
 * are fine. Allocates; takes about 2 ms for 20,000 processes. */
unsigned process_arrange(const struct process_list *list, const struct process_order *order,
			 struct process_row *rows);

#endif
