#include "app/export_queue.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 32 /* more than a sampler that sleeps for 16 intervals takes at once */

static struct column *new_column(const struct metric_set *set)
{
	return xcalloc(1, sizeof(struct column) + set->n_slots * sizeof(double));
}

void export_queue_init(struct export_queue *q, const struct metric_set *set, bool total)
{
	*q = (struct export_queue){.set = set, .columns = xcalloc(COLUMNS, sizeof(*q->columns))};
	for (unsigned i = 0; i < COLUMNS; i++)
		q->columns[i] = new_column(set);
	if (total)
		q->total = new_column(set);
}

void export_queue_fini(struct export_queue *q)
{
	for (unsigned i = 0; q->columns && i < COLUMNS; i++)
		free(q->columns[i]);
	free(q->columns);
	free(q->total);
}

static void fold_value(enum slot_kind kind, double *to, double from)
{
	if (isnan(from))
		return;
	if (isnan(*to) || kind == SLOT_LEVEL)
		*to = from;
	else if (kind == SLOT_PEAK)
		*to = from > *to ? from : *to;
	else
		*to += from;
}

/* Into an empty column: a copy. */
static void fold(struct column *to, const struct column *from, const struct metric_set *set)
{
	if (!to->n_samples) {
		memcpy(to, from, sizeof(*to) + set->n_slots * sizeof(double));
		return;
	}
	to->end_ns = from->end_ns;
	to->time_ns = sample_add_time(to->time_ns, from->time_ns);
	to->flags |= from->flags;
	to->n_samples += from->n_samples;
	for (unsigned i = 0; i < set->n_slots; i++)
		fold_value(set->slots[i].kind, &to->value[i], from->value[i]);
}

/* Columns [from, n) come to the front, those before them to the back. */
static void rotate(struct column **columns, unsigned n, unsigned from)
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
		fold(q->columns[0], q->columns[1], q->set);
		rotate(q->columns + 1, COLUMNS - 1, 1);
		q->n--;
	}
	fresh = q->columns[q->n];
	column_from_sample(fresh, sample, q->set->slots, q->set->n_slots);
	fresh->flags = flags;
	if (q->total)
		fold(q->total, fresh, q->set);
	if (q->n && sample->end_ns <= q->newest_end_ns) {
		fold(q->columns[q->n - 1], fresh, q->set);
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
			fold(taken, q->columns[k], q->set);
	rotate(q->columns, COLUMNS, k);
	q->n -= k;
	return k ? taken : NULL;
}
