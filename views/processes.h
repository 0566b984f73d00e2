/* processes: what the Processes view shows: rows of a list in an order, and the choice that is open over them. ui fills it, the
 * widget of that name draws it.
 */
#ifndef MALITOP_PROCESSES_H
#define MALITOP_PROCESSES_H

#include "model/process.h"

/* Something to choose from, drawn as a box over the rows. */
struct process_choice {
	const char *title; /* printable */
	unsigned n, at;    /* how many there are, and the chosen one */
	void (*item)(unsigned i, const char **name, const char **text);
};

/* The process or thread that these name together, for ever; pid 0: none. The first thread of a process has its pid and start. */
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

struct process_table {
	const struct process_list *list; /* NULL: there is none */
	const char *missing;             /* why, then; NULL: they are being read */
	const struct process_row *rows;  /* those to show, in their order */
	unsigned n, selected;            /* of rows; the selected one, 0 where there are none */
	unsigned *first, *page; /* draw moves the first visible row until the selected one is in sight, and tells how many fit */
	struct process_order order; /* of the rows; its texts are printable */
	unsigned unknown;           /* bits 1 << enum process_key: no process ever told it, so that its column is not shown */
	unsigned n_processes, n_threads, n_running; /* in the list */
	struct process_id counted;                  /* what the CPU view counts alone */
	const struct process_choice *choice;        /* NULL: none is open */
};

/* "CPU %": the heading of the column that a key sorts by. */
const char *process_key_title(enum process_key key);

#endif
