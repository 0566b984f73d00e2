/* mlog_open: the bytes of a log by its name: a file, or a stream, which is kept in a temporary file
 * without a name, so that all of it can be read again.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_MLOG_OPEN_H
#define MALITOP_MLOG_OPEN_H

#include "mlog/mlog_reader.h"
#include "mlog/mlog_stream.h"

struct mlog_feed;

/* Open a file, or for "-" standard input, or a pipe, whose start block is waited for. NULL on
 * failure. */
struct mlog_feed *mlog_open(const char *path, struct err *err);
/* A stream that something else connects; `name` and `advice` are for messages (mlog_stream.h).
 * Nothing is waited for. */
struct mlog_feed *mlog_open_remote(const char *name, const char *advice, struct err *err);
void mlog_close(struct mlog_feed *f); /* NULL is fine */
/* For mlog_reader_new. */
struct mlog_input mlog_opened(struct mlog_feed *f);

/* The rest is about streams; of a file, nothing ever arrives. */

bool mlog_is_stream(const struct mlog_feed *f);
/* Readable when something has arrived; -1: nothing more can, or it is a file. */
int mlog_arrival_fd(const struct mlog_feed *f);
/* Read from this descriptor from now on, which is closed at its end: another connection. Data of a
 * board that was started again follow gap_ns after those before. */
void mlog_connect(struct mlog_feed *f, int fd, int64_t gap_ns);
/* Stop reading, because the caller knows that nothing useful follows. */
void mlog_disconnect(struct mlog_feed *f);
/* Take what has arrived, without waiting. Returns whether the log has grown. */
bool mlog_take(struct mlog_feed *f);
/* Wait until something arrives, and take it. Returns false at the end of the stream. */
bool mlog_await(struct mlog_feed *f);
/* Put a note of our own into the log. */
void mlog_add_note(struct mlog_feed *f, const struct mlog_note *note, int64_t gap_ns);

/* Give `write` all of the log so far, and from now on each block as it arrives, until `write`
 * fails or mlog_copy_end gives it the end. */
bool mlog_copy(struct mlog_feed *f, mlog_write_fn *write, void *ctx, struct err *err);
bool mlog_copy_end(struct mlog_feed *f, struct err *err);

struct mlog_arrival {
	struct mlog_stream_state stream;
	bool ended; /* nothing more arrives */
	/* Why, if that is not its end, or what came instead of a stream; text "" without. */
	struct err err;
};
void mlog_arrival(const struct mlog_feed *f, struct mlog_arrival *arrival);
/* What a reader cannot see, as mlog_reader_complain has it: bytes that were skipped on arrival, and
 * an error. */
void mlog_arrival_complain(const struct mlog_feed *f, struct strbuf *text);

#endif
