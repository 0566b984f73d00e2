/* mlog_reader: a log, block by block, from any moment on; also while it is still being written, and what is left of one that was cut
 * off or damaged. The file is untrusted: nothing of it is believed before its checksum is right, and memory is bounded by the format.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_MLOG_READER_H
#define MALITOP_MLOG_READER_H

#include "mlog/mlog_block.h"

#include <sys/types.h>

/* Where the bytes come from. */
struct mlog_input {
	void *ctx;
	/* As pread(2), but all of n bytes unless the file ends before; -1 and errno. */
	ssize_t (*read)(void *ctx, void *buf, size_t n, uint64_t at);
	int64_t (*size)(void *ctx); /* now; -1 and errno */
};

struct mlog_reader;

/* Reads the start block and the index; without one, all heads. `name` stands in messages. NULL: no log, or one of another
 * version, or one without a whole start block, and the message says which. The input stays the caller's and must live as long. */
struct mlog_reader *mlog_reader_new(const struct mlog_input *input, const char *name, struct err *err);
void mlog_reader_free(struct mlog_reader *r);

const struct mlog_about *mlog_reader_about(const struct mlog_reader *r);

struct mlog_state {
	int64_t begin_ns, end_ns; /* of all data; both 0 without any */
	uint64_t bytes;           /* up to the end of the last whole block */
	uint64_t blocks;          /* of data, as far as heads tell */
	bool ended;               /* the recording ended in peace; else it still runs, or was cut off */
	uint64_t cut;             /* bytes behind the last whole block */
	uint64_t damaged;         /* bytes inside that had to be left out, as far as was read: grows with mlog_reader_next */
};
void mlog_reader_state(const struct mlog_reader *r, struct mlog_state *state);
/* "4096 bytes inside are damaged and were left out; 812 bytes at the end are no whole block ..."; "" when all is well. */
void mlog_reader_complain(const struct mlog_reader *r, struct strbuf *text);

/* Take in what was written since; true: there is more now. Cheap when there is not. A file that became shorter has what is
 * left; where another log took its place there is nothing any more, and mlog_reader_complain says so. */
bool mlog_reader_refresh(struct mlog_reader *r);

/* The next block will be the first whose end is not before `time_ns`; INT64_MIN: the first of all. */
void mlog_reader_seek(struct mlog_reader *r, int64_t time_ns);
/* The next whole block, valid until the next call of next or seek; NULL at the end (more may come: mlog_reader_refresh), or when
 * reading failed, with *err->code set then (else 0). Blocks that are damaged are left out. */
const struct mlog_block *mlog_reader_next(struct mlog_reader *r, struct err *err);

/* The processes as they were at the end of the block that came last, or, after a seek, of the one before the next; NULL: not
 * known. The list is the reader's until the next call of any. May read back as far as the last complete list. */
const struct process_list *mlog_reader_processes(struct mlog_reader *r);

/* The moment of the nearest mark (MLOG_MARK) or loss (MLOG_LOSS: the end of the sample before which something is missing; or
 * either) after `from_ns`, or before it when `back`; *text, if not NULL, gets what a mark says, or how much was lost. Does not
 * move the next block. false: there is none. */
bool mlog_reader_find(struct mlog_reader *r, int64_t from_ns, bool back, unsigned flags, int64_t *at_ns, struct strbuf *text);

#endif
