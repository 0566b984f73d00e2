/* mlog_reader: reads a log block by block from any time, also while it is being written, and the
 * intact parts of one that was cut off or damaged. The file is untrusted: checksums are verified
 * before data is used, and the format limits the memory.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_MLOG_READER_H
#define MALITOP_MLOG_READER_H

#include "mlog/mlog_block.h"

#include <sys/types.h>

/* The source of the bytes. */
struct mlog_input {
	void *ctx;
	/* Like pread(2), but reads fewer than n bytes only at the end of the file; -1 and errno on
	 * failure. */
	ssize_t (*read)(void *ctx, void *buf, size_t n, uint64_t at);
	int64_t (*size)(void *ctx); /* current size; -1 and errno on failure */
};

struct mlog_reader;

/* Read the start block and the index, or all heads if there is no index. `name` is for messages.
 * Returns NULL if the file is not a log, has another version, or has no complete start block; the
 * error states which. The caller owns the input, which must live as long. */
struct mlog_reader *mlog_reader_new(const struct mlog_input *input, const char *name, struct err *err);
void mlog_reader_free(struct mlog_reader *r);

/* realtime_ns is by the clock as it was set last: a board without a battery begins in 1970. A
 * refresh may change it. */
const struct mlog_about *mlog_reader_about(const struct mlog_reader *r);

struct mlog_state {
	int64_t begin_ns, end_ns; /* of all data; both 0 without any */
	uint64_t bytes;           /* up to the end of the last complete block */
	uint64_t blocks;          /* data blocks, counted by their heads */
	bool ended;               /* the recording ended normally; else it is still running or was cut off */
	uint64_t cut;             /* bytes after the last complete block */
	uint64_t damaged;         /* damaged bytes found so far; grows with mlog_reader_next */
};
void mlog_reader_state(const struct mlog_reader *r, struct mlog_state *state);
/* Describe damage: "4096 bytes inside are damaged and were skipped; 812 bytes at the end are an
 * incomplete block ..."; "the recording did not end normally: ..." if it was cut off between two
 * blocks; "" if the log is intact. */
void mlog_reader_complain(const struct mlog_reader *r, struct strbuf *text);

/* Add how far the wall clock was set while the log was recorded, and that all times are by the new
 * one; nothing if it was not. */
void mlog_reader_tell_clock(const struct mlog_reader *r, struct strbuf *text);

/* Read the heads written since the last call. Returns whether there are new blocks; cheap if there
 * are none. If the file was truncated, the rest stays readable. If another log replaced it, no
 * blocks remain, and mlog_reader_complain reports it. */
bool mlog_reader_refresh(struct mlog_reader *r);

/* Make the first block that ends at or after `time_ns` the next one; INT64_MIN means the first
 * block. */
void mlog_reader_seek(struct mlog_reader *r, int64_t time_ns);
/* Return the next complete block, valid until the next call of next or seek. NULL at the end
 * (mlog_reader_refresh may find more), or if reading failed, in which case err->code is not 0.
 * Skips damaged blocks. */
const struct mlog_block *mlog_reader_next(struct mlog_reader *r, struct err *err);

/* Return the processes at the end of the last block returned, or, after a seek, of the block before
 * the next one. NULL if unknown. The reader owns the list, which is valid until the next call. May
 * read back to the last complete list. */
const struct process_list *mlog_reader_processes(struct mlog_reader *r);

/* Find the nearest mark (MLOG_MARK), loss (MLOG_LOSS) or either after `from_ns`, or before it if
 * `back`. *at_ns is its time: of a loss, the end of the sample after the missing ones. *text, if
 * not NULL, gets the text of the mark, or how much was lost. Does not change the next block.
 * Returns false if there is none. */
bool mlog_reader_find(struct mlog_reader *r, int64_t from_ns, bool back, unsigned flags, int64_t *at_ns,
		      struct strbuf *text);

#endif
