/* mlog_writer: samples, notes and processes as the bytes of a log, handed out in whole blocks.
 *
 * Thread: one at a time (the recorder).
 */
#ifndef MALITOP_MLOG_WRITER_H
#define MALITOP_MLOG_WRITER_H

#include "mlog/mlog.h"
#include "model/process.h"

/* Takes a whole block. */
typedef bool mlog_write_fn(void *ctx, const void *bytes, size_t n, struct err *err);

struct mlog_writer;

/* Writes the start block. NULL when that fails. `about` is used by mlog_writer_restart as well: it must live as long. */
struct mlog_writer *mlog_writer_new(const struct mlog_about *about, mlog_write_fn *write, void *ctx, struct err *err);
void mlog_writer_free(struct mlog_writer *w);

/* As in mlog_block.h. A block is written at once when much has come together, else by mlog_writer_flush. false: `write` failed. */
bool mlog_writer_sample(struct mlog_writer *w, const struct sample *sample, struct err *err);
bool mlog_writer_note(struct mlog_writer *w, const struct mlog_note *note, struct err *err);
bool mlog_writer_processes(struct mlog_writer *w, const struct process_list *list, struct err *err);
/* Everything until now as a block, if there is anything: at least once a second. */
bool mlog_writer_flush(struct mlog_writer *w, struct err *err);
/* The rest, and the index: the log is whole. Afterwards it may be freed, or restarted: another file begins, with a start block; the
 * next list of processes is complete. */
bool mlog_writer_end(struct mlog_writer *w, struct err *err);
bool mlog_writer_restart(struct mlog_writer *w, struct err *err);

/* Bytes of this file so far. */
uint64_t mlog_writer_bytes(const struct mlog_writer *w);

#endif
