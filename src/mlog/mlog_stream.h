/* mlog_stream: a log that arrives as a stream of bytes, made into a log that a reader can follow.
 *
 * What arrives is untrusted: a block is passed on only if its head and payload are intact. Other
 * bytes are skipped, counted and searched for the next block. A block that is passed on gets the
 * place that it has in the log that is made; its payload is not changed. A stream may have further
 * start blocks (a connection that was made again): if they describe the same sources, their blocks
 * follow the ones before, with times that go on.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_MLOG_STREAM_H
#define MALITOP_MLOG_STREAM_H

#include "mlog/mlog_writer.h"

#define MLOG_STREAM_BEFORE 65536 /* bytes before the start block: greetings of a login, at most */

/* The advice for a stream that may have come any way. */
#define MLOG_NO_TERMINAL \
	"ssh -T, adb shell -T, adb exec-out, docker exec without -t and su without a pty have none"

struct mlog_stream;

struct mlog_stream_state {
	bool started;     /* the start block was passed on */
	bool altered;     /* bytes of the first start block were changed on the way */
	bool complete;    /* its recording ended normally: no block followed the index */
	uint64_t blocks;  /* data blocks that were passed on */
	uint64_t skipped; /* bytes that were no block, since the first start block */
	uint64_t bytes;   /* all that arrived */
	int64_t end_ns;   /* of the data, by the clock of the log that is made */
	unsigned joined;  /* start blocks after the first one */
};

/* `write` gets the log that is made, a block at a time. `name` and `advice`, how to keep a terminal
 * out of the way, are for messages. */
struct mlog_stream *mlog_stream_new(const char *name, const char *advice, mlog_write_fn *write, void *ctx);
void mlog_stream_free(struct mlog_stream *s);

/* Take n bytes. Returns false if nothing more can be read from this stream: it is not a log, was
 * altered before it arrived, another log follows, or `write` failed. */
bool mlog_stream_add(struct mlog_stream *s, const void *bytes, size_t n, struct err *err);
/* A new connection begins: an incomplete block is dropped. If its clock has nothing to do with the
 * one before (the board was started again), its data begin gap_ns after the end of the data. */
void mlog_stream_again(struct mlog_stream *s, int64_t gap_ns);
/* Pass on a note of our own, at the end of the data or gap_ns later. Its time is set. */
bool mlog_stream_note(struct mlog_stream *s, struct mlog_note note, int64_t gap_ns, struct err *err);
/* The stream has ended. If its recording did so normally, the log that is made gets its index. */
bool mlog_stream_end(struct mlog_stream *s, struct err *err);

/* Give `write` the index block that would end the log here. */
bool mlog_stream_index(struct mlog_stream *s, mlog_write_fn *write, void *ctx, struct err *err);

void mlog_stream_state(const struct mlog_stream *s, struct mlog_stream_state *state);

#endif
