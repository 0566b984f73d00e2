/* process_counts: instructions per cycle and cache misses of the processes that use the CPUs most,
 * each counted with all its threads as `--pid` counts one.
 *
 * Thread: one at a time; opening and reading call into the kernel.
 */
#ifndef MALITOP_PROCESS_COUNTS_H
#define MALITOP_PROCESS_COUNTS_H

#include "backends/backend.h"
#include "model/process.h"

#define PROCESS_COUNTED_MOST 20

struct process_counts;

/* `what` is copied; its data must outlive the counts. */
struct process_counts *process_counts_new(const struct sys *sys, const struct source_options *what);
void process_counts_free(struct process_counts *counts); /* NULL is fine */
/* Set ipc and misses of the processes in a list that were counted since the call before. Then count
 * those that are busiest in it, as many as open files allow, and no others. */
void process_counts_fill(struct process_counts *counts, struct process_list *list, int64_t now_ns);
/* The same values once more in a list that repeats the last one. */
void process_counts_repeat(const struct process_counts *counts, struct process_list *list);
/* Count none from now on. */
void process_counts_stop(struct process_counts *counts);

#endif
