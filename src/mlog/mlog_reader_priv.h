/* The internals of a reader, for mlog_reader*.c. */
#ifndef MALITOP_MLOG_READER_PRIV_H
#define MALITOP_MLOG_READER_PRIV_H

#include "mlog/mlog_index.h"
#include "mlog/mlog_walk.h"

struct mlog_reader {
	char *name;
	struct mlog_walk walk; /* walk.end: after the last complete block */
	struct mlog_about about;
	struct mlog_index index;
	uint8_t start[MLOG_HEAD]; /* head of the start block; it differs in another log */
	uint64_t first;           /* offset after the start block */
	uint64_t size;            /* of the file at the last check */
	bool ended, replaced;
	int error; /* errno if walking through the heads failed */

	uint64_t next;     /* offset from which the next block is searched */
	uint64_t block_at; /* offset of the last block; NOWHERE after a seek */
	struct mlog_block block, aside;
	struct strbuf plain;

	struct process_list *list; /* after all blocks before list_to */
	uint64_t list_to;
};

#define NOWHERE UINT64_MAX

/* Find the first data block at or after `at`. */
enum mlog_found mlog_reader_data(struct mlog_reader *r, uint64_t at, struct mlog_head *head);
/* Decode a block into *block. MLOG_NONE: it is damaged, and recorded as such. */
enum mlog_found mlog_reader_load(struct mlog_reader *r, const struct mlog_head *head,
				 struct mlog_block *block);

/* Return whether a place of the index has the head of a data block with the same end. */
bool mlog_reader_place_is_valid(struct mlog_reader *r, unsigned i);
/* A stretch is the data blocks from one place of the index to the next. Return the last one whose
 * first block ends before `time_ns`, or -1. */
int mlog_reader_stretch(const struct mlog_reader *r, int64_t time_ns);
/* Return the offset from which to read a stretch: its place if that is valid, else an earlier
 * one. */
uint64_t mlog_reader_stretch_begin(struct mlog_reader *r, int stretch);
/* Return the offset of the next stretch. */
uint64_t mlog_reader_stretch_end(const struct mlog_reader *r, int stretch);

#endif
