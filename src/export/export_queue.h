/* export_queue: what a source has measured and no row has taken yet: columns, each of one sample or of one step, in bounded memory. */
#ifndef MALITOP_EXPORT_QUEUE_H
#define MALITOP_EXPORT_QUEUE_H

#include "model/history.h"
#include "model/metric.h"

struct export_queue {
	const struct metric_set *set;
	struct column **columns; /* the first n, oldest first; the others are spare; owned */
	unsigned n;
	int64_t newest_end_ns; /* the newest takes in what ends until then */
	struct column *total;  /* everything since the start; NULL where none is asked for; owned */
};

/* set must live as long. */
void export_queue_init(struct export_queue *q, const struct metric_set *set, bool total);
void export_queue_fini(struct export_queue *q);
/* A sample (of these flags) that belongs to what ends at end_ns. One that failed is left out of everything. Where nobody takes anything
 * for long, the oldest columns become one. */
void export_queue_add(struct export_queue *q, const struct sample *sample, uint32_t flags, int64_t end_ns);
/* The fold of what ended until then, the queue's until the next sample comes; NULL: nothing did. */
const struct column *export_queue_take(struct export_queue *q, int64_t end_ns);

#endif
