/* mlog_processes: a list of processes in a log: what changed since the list before, as bytes, and applied to that list again.
 *
 * Inside of mlog_builder.c and mlog_block.c.
 */
#ifndef MALITOP_MLOG_PROCESSES_H
#define MALITOP_MLOG_PROCESSES_H

#include "base/wire.h"
#include "model/process.h"

#define MLOG_PROCESSES_MAX 131072 /* rows of a list */

struct mlog_changes {
	bool complete; /* all of them: nothing is gone, and what was before does not matter */
	bool threads;
	unsigned n_hidden;
	int64_t begin_ns, end_ns, cost_ns; /* as in process_list */
	int32_t *gone;                     /* ascending, but for what a file says */
	unsigned n_gone, cap_gone;
	struct process *processes;
	unsigned n, cap;
};

void mlog_changes_fini(struct mlog_changes *c);

/* From the n processes `before` to `now`; all of now when c->complete. *c keeps its memory. */
void mlog_changes_find(struct mlog_changes *c, const struct process *before, unsigned n, const struct process_list *now);
/* A section of a block that begins at base_ns. */
void mlog_changes_put(const struct mlog_changes *c, int64_t base_ns, struct strbuf *out);
/* Reads all of `in`; false: it is not what it should be. Texts are printable then, and every number fits; nothing is known of pids and
 * their order. */
bool mlog_changes_get(struct mlog_changes *c, int64_t base_ns, struct wire *in);
/* *list (NULL: not known) becomes another one, the caller's. */
void mlog_changes_apply(const struct mlog_changes *c, struct process_list **list);

#endif
