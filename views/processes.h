/* processes: the data of the Processes view: rows of a list in an order, and an open choice over
 * them. ui fills it; the widget of that name draws it. */
#ifndef MALITOP_PROCESSES_H
#define MALITOP_PROCESSES_H

#include "model/process.h"

/* A list of alternatives, drawn as a box over the rows. */
struct process_choice {
	const char *title;   /* printable */
	unsigned n, at;      /* how many there are, and the current one */
	const unsigned *ids; /* the number that `item` gets for each; NULL: 0 to n - 1 */
	void (*item)(unsigned id, const char **name, const char **text);
};

/* Identifies a process or thread even if its pid is reused; pid 0 is none. The first thread of a
 * process has its pid and start. */
struct process_id {
	int32_t pid;
	uint64_t start;
	bool is_thread;
};

static inline struct process_id process_id_of(const struct process *p)
{
	return (struct process_id){p->pid, p->start, p->is_thread};
}

static inline bool process_is(const struct process *p, struct process_id id)
{
	return p->pid == id.pid && p->start == id.start && p->is_thread == id.is_thread;
}

/* The values of a process on the other side of a comparison; NaN: unknown. */
struct process_was {
	bool is_new; /* the other side had no such process */
	double cpu_percent, gpu_percent, rss_bytes;
};

struct process_table {
	const struct process_list *list; /* NULL if there is none */
	const char *missing;             /* why there is none; NULL while it is being read */
	const struct process_row *rows;  /* the rows to show, in order */
	unsigned n, selected; /* number of rows; the selected one: 0 without rows, UINT_MAX for none */
	unsigned *first,
		*page; /* draw scrolls it until the selected row is visible, and sets how many rows fit */
	struct process_order order; /* of the rows; its texts are printable */
	unsigned unknown;           /* bits 1 << enum process_key: unknown for all, so without a column */
	unsigned n_processes, n_threads, n_running, n_kernel; /* in the list */
	double cpu_most;                                      /* the highest CPU % in it */
	bool commands;                                        /* command lines instead of names */
	const struct process_was *was; /* earlier values of each process of the list; NULL: no comparison */
	const char *gone;              /* processes of the other side only, printable; NULL or "": none */
	struct process_id counted;     /* the process that the CPU view counts alone */
	const struct process_choice *choice; /* NULL if none is open */
};

/* "CPU %": heading of the column for a sort key. */
const char *process_key_title(enum process_key key);

#endif
