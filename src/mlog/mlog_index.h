/* mlog_index: finds a time in a log, in bounded memory. It has the place of every `stride`-th data
 * block; if there are too many places, every second one is dropped and the stride doubles. A writer
 * builds it while writing, a reader while reading the heads; the index block stores it.
 */
#ifndef MALITOP_MLOG_INDEX_H
#define MALITOP_MLOG_INDEX_H

#include "mlog/mlog.h"

#define MLOG_PLACES_MAX 16384

struct mlog_place {
	uint64_t at;    /* head of a data block */
	int64_t end_ns; /* its end */
	unsigned flags; /* all flags of this block and those before the next place */
};

struct mlog_index {
	struct mlog_place *places;
	unsigned n, cap;
	uint64_t stride;
	uint64_t n_blocks, n_samples, n_lost; /* samples only from a writer or an index block */
	int64_t begin_ns, end_ns;             /* of all blocks; 0 without any */
};

void mlog_index_fini(struct mlog_index *index);
void mlog_index_add(struct mlog_index *index, const struct mlog_head *head); /* in the order of the file */

void mlog_index_format(const struct mlog_index *index, uint64_t at, struct strbuf *payload);
/* Parse the payload of an index block at offset `at`. Returns false, and *index is empty, if it is
 * damaged or has a place after `at`. */
bool mlog_index_parse(struct mlog_index *index, uint64_t at, struct span payload);

#endif
