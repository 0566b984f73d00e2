/* The inside of a reader, for mlog_reader*.c. */
#ifndef MALITOP_MLOG_READER_PRIV_H
#define MALITOP_MLOG_READER_PRIV_H

#include "mlog/mlog_index.h"
#include "mlog/mlog_walk.h"

struct mlog_reader {
	char *name;
	struct mlog_walk walk; /* its end: behind the last whole block */
	struct mlog_about about;
	struct mlog_index index;
	uint8_t start[MLOG_HEAD]; /* of the start block: another one is another log */
	uint64_t first;           /* behind it */
	uint64_t size;            /* of the file when last looked at */
	bool ended, replaced;
	int error; /* errno, when the walk through the heads failed */

	uint64_t next;     /* the next block is the first from here on */
	uint64_t block_at; /* where the last one stands; NOWHERE: there is none since a seek */
	struct mlog_block block, aside;
	struct strbuf plain;

	struct process_list *list; /* as of all blocks before list_to */
	uint64_t list_to;
};

#define NOWHERE UINT64_MAX

/* The first data block at `at` or behind. */
enum mlog_found mlog_reader_data(struct mlog_reader *r, uint64_t at, struct mlog_head *head);
/* Into *block; none: it is damaged, and noted as such. */
enum mlog_found mlog_reader_load(struct mlog_reader *r, const struct mlog_head *head, struct mlog_block *block);

/* Whether a data block's head stands there, and ends as the index says. */
bool mlog_reader_place_is_right(struct mlog_reader *r, unsigned i);
/* The data blocks from one place of the index to the next are a stretch. The last whose first block ends before `time_ns`; -1:
 * none. */
int mlog_reader_stretch(const struct mlog_reader *r, int64_t time_ns);
/* Where to begin to walk, to see all of a stretch: at its place if that is right, else before it. */
uint64_t mlog_reader_stretch_begin(struct mlog_reader *r, int stretch);
/* Where the next one begins. */
uint64_t mlog_reader_stretch_end(const struct mlog_reader *r, int stretch);

#endif
