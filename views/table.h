/* table: the rows of the Counters view: a heading for each block, then its counters, filtered and
 * sorted as the view asks. table.c draws them. */
#ifndef MALITOP_TABLE_H
#define MALITOP_TABLE_H

#include "views/view.h"

enum {
	TABLE_NO_BLOCK = BLOCK_COUNT, /* in no block of the GPU */
	TABLE_CPUS,
	TABLE_BLOCKS
};

struct table_item {
	const struct feed *feed;
	bool heading;
	int block;
	unsigned slot;
	const struct gpu_counter *counter; /* NULL if in no block */
};

struct table_items {
	struct table_item *list;
	unsigned n, cap;
};

/* All rows, sorted within their blocks. The caller frees the list. */
struct table_items table_items(const struct view_data *data);
/* The i-th source whose counters are shown, in their order; NULL after the last. */
const struct feed *table_feed(const struct view_data *data, unsigned i);

#endif
