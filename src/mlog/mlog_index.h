/* mlog_index: where to find which time in a log, in bounded memory: places that are `stride` data blocks apart. When there are too many,
 * every second one goes, and the stride doubles. A writer makes it as it writes, a reader as it walks through the heads; the index block
 * holds one.
 */
#ifndef MALITOP_MLOG_INDEX_H
#define MALITOP_MLOG_INDEX_H

#include "mlog/mlog.h"

#define MLOG_PLACES_MAX 16384

struct mlog_place {
	uint64_t at;    /* head of a data block */
	int64_t end_ns; /* its end */
	unsigned flags; /* of it and the blocks up to the next place, together */
};

struct mlog_index {
	struct mlog_place *places;
	unsigned n, cap;
	uint64_t stride;
	uint64_t n_blocks, n_samples, n_lost; /* the latter two only from a writer, and from an index block */
	int64_t begin_ns, end_ns;             /* of all; 0 without blocks */
};

void mlog_index_fini(struct mlog_index *index);
void mlog_index_add(struct mlog_index *index, const struct mlog_head *head); /* in the order of the file */

void mlog_index_format(const struct mlog_index *index, uint64_t at, struct strbuf *payload);
/* Of an index block that stands at `at`; every place lies before it. false: it is damaged, and empty. */
bool mlog_index_parse(struct mlog_index *index, uint64_t at, struct span payload);

#endif
