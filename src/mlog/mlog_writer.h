/* mlog_writer: turns samples, notes and processes into the bytes of a log, in complete blocks.
 *
 * Thread: one at a time (the recorder).
 */
#ifndef MALITOP_MLOG_WRITER_H
#define MALITOP_MLOG_WRITER_H

#include "mlog/mlog.h"
#include "model/process.h"

/* Writes one complete block. */
typedef bool mlog_write_fn(void *ctx, const void *bytes, size_t n, struct err *err);

struct mlog_writer;

/* Write the start block. NULL if that fails. mlog_writer_restart uses `about` again, so it must
 * live as long. */
struct mlog_writer *mlog_writer_new(const struct mlog_about *about, mlog_write_fn *write, void *ctx,
				    struct err *err);
void mlog_writer_free(struct mlog_writer *w);

/* Add data, as in mlog_block.h. A block is written when enough data is collected, or by
 * mlog_writer_flush. Returns false if `write` failed. */
bool mlog_writer_sample(struct mlog_writer *w, const struct sample *sample, struct err *err);
bool mlog_writer_note(struct mlog_writer *w, const struct mlog_note *note, struct err *err);
bool mlog_writer_processes(struct mlog_writer *w, const struct process_list *list, struct err *err);
/* Write the collected data, if any, as a block. Call it at least once a second. */
bool mlog_writer_flush(struct mlog_writer *w, struct err *err);
/* mlog_builder_trim without lists, mlog_builder_rows. */
void mlog_writer_trim(struct mlog_writer *w, size_t n);
size_t mlog_writer_rows(const struct mlog_writer *w);
/* Whether a block will soon be written without mlog_writer_flush. */
bool mlog_writer_is_full(const struct mlog_writer *w);
/* Write the collected data and the index, which completes the log. Then free the writer, or restart
 * it: that begins another file with a start block, and the next list of processes is complete. */
bool mlog_writer_end(struct mlog_writer *w, struct err *err);
bool mlog_writer_restart(struct mlog_writer *w, struct err *err);

/* Bytes of this file so far. */
uint64_t mlog_writer_bytes(const struct mlog_writer *w);

#endif
