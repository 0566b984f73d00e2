#include "export/export_priv.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS 32 /* exceeds the samples that a sampler reads at once after sleeping for 16 intervals */

void export_queue_init(struct export_queue *q, const struct metric_set *set, bool total)
{
	*q = (struct export_queue){.set = set, .columns = xcalloc(COLUMNS, sizeof(*q->columns))};
	for (unsigned i = 0; i < COLUMNS; i++)
		q->columns[i] = column_new(set->n_slots);
	if (total)
		q->total = column_new(set->n_slots);
}

void export_queue_fini(struct export_queue *q)
{
	for (unsigned i = 0; q->columns && i < COLUMNS; i++)
		free(q->columns[i]);
	free(q->columns);
	free(q->total);
}

static void fold_column(struct column *to, const struct column *from, const struct metric_set *set)
{
	column_fold(to, from, set->slots, set->n_slots);
}

/* Move columns [from, n) to the front, and those before them to the back. */
static void rotate_columns(struct column **columns, unsigned n, unsigned from)
{
	struct column *front[COLUMNS];

	memcpy(front, columns, from * sizeof(*columns));
	memmove(columns, columns + from, (n - from) * sizeof(*columns));
	memcpy(columns + n - from, front, from * sizeof(*columns));
}

void export_queue_add(struct export_queue *q, const struct sample *sample, uint32_t flags, int64_t end_ns)
{
	struct column *fresh;

	if (flags & SAMPLE_ERROR)
		return;
	if (q->n == COLUMNS) {
		fold_column(q->columns[0], q->columns[1], q->set);
		rotate_columns(q->columns + 1, COLUMNS - 1, 1);
		q->n--;
	}
	fresh = q->columns[q->n];
	column_from_sample(fresh, sample, q->set->slots, q->set->n_slots);
	fresh->flags = flags;
	if (q->total)
		fold_column(q->total, fresh, q->set);
	if (q->n && sample->end_ns <= q->newest_end_ns) {
		fold_column(q->columns[q->n - 1], fresh, q->set);
		return;
	}
	q->newest_end_ns = end_ns;
	q->n++;
}

const struct column *export_queue_take(struct export_queue *q, int64_t end_ns)
{
	struct column *taken = q->columns[0];
	unsigned k = 0;

	for (; k < q->n && q->columns[k]->end_ns <= end_ns; k++)
		if (k)
			fold_column(taken, q->columns[k], q->set);
	rotate_columns(q->columns, COLUMNS, k);
	q->n -= k;
	return k ? taken : NULL;
}
