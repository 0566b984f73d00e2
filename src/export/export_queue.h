/* export_queue: the samples of a source that are not in a row yet, as columns of one sample or one
 * step, in bounded memory. */
#ifndef MALITOP_EXPORT_QUEUE_H
#define MALITOP_EXPORT_QUEUE_H

#include "model/history.h"
#include "model/metric.h"

struct export_queue {
	const struct metric_set *set;
	struct column **columns; /* the first n are used, oldest first; owned */
	unsigned n;
	int64_t newest_end_ns; /* samples that end by then are folded into the newest */
	struct column *total;  /* everything since the start; NULL without a total; owned */
};

/* `set` must live as long as the queue. */
void export_queue_init(struct export_queue *q, const struct metric_set *set, bool total);
void export_queue_fini(struct export_queue *q);
/* Add a sample (with these flags) to the column that ends at end_ns. A failed sample is ignored.
 * When the queue is full because no row takes its columns, the two oldest are merged. */
void export_queue_add(struct export_queue *q, const struct sample *sample, uint32_t flags, int64_t end_ns);
/* Remove and fold the columns that ended by end_ns. Returns NULL if there are none. The queue owns
 * the result, which is valid until the next sample is added. */
const struct column *export_queue_take(struct export_queue *q, int64_t end_ns);

#endif
