/* compare: the other side of a comparison, a moment of this screen or another log, and the numbers
 * that changed most. Thread: ui. */
#ifndef MALITOP_COMPARE_H
#define MALITOP_COMPARE_H

#include "options/options.h"
#include "session/session.h"
#include "views/compared.h"
#include "views/processes.h"

struct baseline;
struct process_list;

/* {0} compares nothing. */
struct compare {
	bool on;
	char with[96];                        /* "before.mlog, level 2", "14:02:11" */
	struct baseline *baseline;            /* NULL: no log was read */
	bool with_log;                        /* the other side is the log, not a moment */
	char asked[64];                       /* the last requested phase; "" for none */
	unsigned phase;                       /* of the log, from 1; 0: no such phase, the whole log */
	double *was[SOURCE_KINDS];            /* of the log, by metric of the shown set; NULL: none */
	struct compare_process *processes;    /* of the moment, owned */
	const struct compare_process *others; /* `processes` or those of the log; NULL: unknown */
	unsigned n_others;
	struct process_was *pairs; /* of the last compare_processes */
	char gone[160];            /* busiest processes that only the other side had, printable; "" if none */
	const struct process_list *paired;
	int64_t paired_ns;
	struct view_change *rows; /* of the last compare_gather */
	unsigned n, cap;
	struct view_changes changes;
};

/* Read another log as the other side. On failure the previous one stays. */
bool compare_read(struct compare *c, const struct sys *sys, const struct options *options, const char *path,
		  struct err *err);
void compare_fini(struct compare *c);
/* Start comparing with a moment of this screen, with its processes (NULL: unknown), or the log. */
void compare_begin(struct compare *c, const char *with, const struct process_list *list);
void compare_begin_log(struct compare *c);
void compare_end(struct compare *c);
/* Compare with the phase of that name; if it is "" or unknown, with the whole log. The sets are
 * those that the screen shows. */
void compare_phase(struct compare *c, const char *name, const struct metric_set *const sets[SOURCE_KINDS]);
/* Return the earlier values of each process of the list; NULL if the other side has no processes.
 * Valid until the next list, or the end. */
const struct process_was *compare_processes(struct compare *c, const struct process_list *list);
/* Find the largest changes in all views. */
void compare_gather(struct compare *c, const struct views *views, const struct view_data *data,
		    const struct process_list *list);

#endif
