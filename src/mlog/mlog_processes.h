/* mlog_processes: lists of processes in a log: find the changes since the previous list, encode and
 * decode them, and apply them.
 *
 * Called by mlog_builder.c and mlog_block.c only.
 */
#ifndef MALITOP_MLOG_PROCESSES_H
#define MALITOP_MLOG_PROCESSES_H

#include "base/wire.h"
#include "model/process.h"

#define MLOG_PROCESSES_MAX 131072 /* rows of a list */

struct mlog_changes {
	bool complete;            /* a complete list: it does not depend on the previous one */
	struct process_list list; /* as the new one, but with the changed processes only; owned */
	unsigned cap;
	int32_t *gone; /* pids, ascending */
	unsigned n_gone, cap_gone;
};

void mlog_changes_fini(struct mlog_changes *c);

/* Find the changes from the n processes `before` to `now`; all of `now` if c->complete. *c reuses
 * its memory. */
void mlog_changes_find(struct mlog_changes *c, const struct process *before, unsigned n,
		       const struct process_list *now);
/* Encode as a section of a block that begins at base_ns. */
void mlog_changes_put(const struct mlog_changes *c, int64_t base_ns, struct strbuf *out);
/* Decode all of `in`. Returns false if it is invalid. If it is valid, texts are printable and every
 * number fits its type, but pids may have any value and order. */
bool mlog_changes_get(struct mlog_changes *c, int64_t base_ns, struct wire *in);
/* Sections that follow that of the changes, in this order, where some process has what is in them.
 * Together they have at most this many bytes per process. */
enum mlog_beside { MLOG_BESIDE_QUEUES, MLOG_BESIDE_WAITS, MLOG_BESIDE_USERS, MLOG_BESIDES };
#define MLOG_BESIDE_BYTES 20
/* Returns false, and appends nothing, if no process has it. */
bool mlog_changes_put_beside(const struct mlog_changes *c, enum mlog_beside beside, struct strbuf *out);
bool mlog_changes_get_beside(struct mlog_changes *c, enum mlog_beside beside, struct wire *in);
/* Replace *list (NULL means unknown) by a new list, owned by the caller. */
void mlog_changes_apply(const struct mlog_changes *c, struct process_list **list);

#endif
