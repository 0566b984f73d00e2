/* process_kept: the newest lists of processes, so that a paused screen shows those of its moment.
 *
 * Memory is bounded: the oldest lists go first. Thread: ui. */
#ifndef MALITOP_PROCESS_KEPT_H
#define MALITOP_PROCESS_KEPT_H

#include "model/process.h"

#define PROCESS_KEPT 120
#define PROCESS_KEPT_BYTES (512u << 10) /* of all lists but the newest, which is always kept */

struct process_kept {
	struct process_list *lists[PROCESS_KEPT]; /* oldest first; owned */
	unsigned n;
};

/* Zero-initialize it. */
void process_kept_fini(struct process_kept *kept);
/* Keep a newer list, which continues the history of the one before. It replaces that one if both
 * have the same interval, or if that one had no percentages. */
void process_kept_add(struct process_kept *kept, struct process_list *list);
/* NULL if there is none. */
struct process_list *process_kept_newest(const struct process_kept *kept);
/* The list of the interval that has this time, with its history. NULL if none was read then, or if
 * it is not kept any more. The newest list also stands for the time until the next one is due. */
struct process_list *process_kept_at(struct process_kept *kept, int64_t ns);

#endif
