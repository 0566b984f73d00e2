#include "views/points.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEPT 128 /* columns; if there are more, those that the last frame did not use are dropped */

/* The values of one metric. */
struct points_column {
	const struct metric *metric; /* NULL: the measured seconds */
	const struct metric_instance *instance;
	float *values;  /* oldest first */
	unsigned frame; /* number of the last frame that used it */
};

struct points {
	points_vector_fn *vector;
	void *owner;
	const struct metric_set *set;
	unsigned n_vector, frame;
	int n;
	struct points_column *columns;
	unsigned n_columns, cap_columns;
	unsigned n_filled; /* columns with values; points_fill computes the others */
	uint16_t *table;   /* hash table of the columns by metric and instance: position + 1 */
	unsigned table_size;
	bool collecting, added; /* added: a column was added since the last frame was settled */
	double *scratch;        /* a vector of the set, to evaluate instances */
};

/* Return the place of a column in the table, or the free place for it. */
static uint16_t *column_place(const struct points *p, const struct metric *metric,
			      const struct metric_instance *instance)
{
	uint64_t key = (uintptr_t)metric * 31 + (uintptr_t)instance;
	unsigned mask = p->table_size - 1, at = (unsigned)(key * 0x9e3779b97f4a7c15u >> 32) & mask;

	while (p->table[at] && (p->columns[p->table[at] - 1].metric != metric ||
				p->columns[p->table[at] - 1].instance != instance))
		at = (at + 1) & mask;
	return &p->table[at];
}

static void fill_table(struct points *p, unsigned size)
{
	free(p->table);
	p->table = xcalloc(size, sizeof(*p->table));
	p->table_size = size;
	for (unsigned i = 0; i < p->n_columns; i++)
		*column_place(p, p->columns[i].metric, p->columns[i].instance) = (uint16_t)(i + 1);
}

struct points *points_new(points_vector_fn *vector, void *owner)
{
	struct points *p = xcalloc(1, sizeof(*p));

	p->vector = vector;
	p->owner = owner;
	fill_table(p, 64);
	return p;
}

/* Drop the columns that the last frame did not use, or all. */
static void drop_columns(struct points *p, bool all)
{
	unsigned n = 0;

	for (unsigned i = 0; i < p->n_columns; i++)
		if (all || p->columns[i].frame != p->frame)
			free(p->columns[i].values);
		else
			p->columns[n++] = p->columns[i];
	p->n_columns = p->n_filled = n;
	fill_table(p, p->table_size);
}

void points_settle(struct points *p)
{
	if (p->added && p->n_columns > KEPT)
		drop_columns(p, false);
	p->added = false;
	p->frame++;
}

void points_reset(struct points *p, const struct metric_set *set, unsigned n_vector, int n)
{
	drop_columns(p, true);
	free(take_ptr(&p->scratch));
	p->set = set;
	p->n_vector = n_vector;
	p->n = n;
}

void points_free(struct points *p)
{
	if (!p)
		return;
	drop_columns(p, true);
	free(p->scratch);
	free(p->columns);
	free(p->table);
	free(p);
}

/* ---- values ---- */

/* Evaluate a column on a vector; NaN if it is NULL. */
static float value_at(struct points *p, const struct points_column *c, const double *vector)
{
	if (!vector)
		return NAN;
	if (!c->metric)
		return (float)vector[VECTOR_SECONDS];
	if (!c->instance)
		return (float)metric_value(c->metric, vector);
	if (!p->scratch)
		p->scratch = xcalloc(p->set->n_vector, sizeof(*p->scratch));
	metric_vector_instance(p->set, c->instance, vector, p->n_vector, p->scratch);
	return (float)metric_value(c->metric, p->scratch);
}

/* Compute the values of the columns that have none, and each vector only once. */
static void fill_columns(struct points *p)
{
	AUTOFREE double *vector = xcalloc(p->set->n_vector, sizeof(*vector));

	for (int i = 0; i < p->n; i++) {
		bool known = p->vector(p->owner, p->n - 1 - i, vector);

		for (unsigned k = p->n_filled; k < p->n_columns; k++)
			p->columns[k].values[i] = value_at(p, &p->columns[k], known ? vector : NULL);
	}
	p->n_filled = p->n_columns;
}

void points_collect(struct points *p)
{
	p->collecting = true;
}

bool points_fill(struct points *p)
{
	p->collecting = false;
	if (p->n_filled == p->n_columns)
		return false;
	fill_columns(p);
	return true;
}

static struct points_column *add_column(struct points *p, const struct metric *metric,
					const struct metric_instance *instance)
{
	struct points_column *c;

	GROW(p->columns, p->n_columns, p->cap_columns);
	c = &p->columns[p->n_columns++];
	*c = (struct points_column){.metric = metric, .instance = instance};
	c->values = xmalloc((size_t)p->n * sizeof(*c->values));
	for (int i = 0; i < p->n; i++)
		c->values[i] = NAN;
	if (!p->collecting)
		fill_columns(p);
	p->added = true;
	if (2 * p->n_columns > p->table_size)
		fill_table(p, 2 * p->table_size);
	else
		*column_place(p, metric, instance) = (uint16_t)p->n_columns;
	return c;
}

void points_shift(struct points *p, int n, const double *newest)
{
	AUTOFREE double *vector = NULL;

	if (!p->n || !p->n_columns)
		return;
	n = n < p->n ? n : p->n;
	for (unsigned i = 0; i < p->n_columns; i++)
		memmove(p->columns[i].values, p->columns[i].values + n,
			(size_t)(p->n - n) * sizeof(*p->columns[i].values));
	for (int back = n > 0 ? n - 1 : 0; back >= 0; back--) {
		const double *v = !back && newest ? newest : NULL;

		if (!v && !vector)
			vector = xcalloc(p->set->n_vector, sizeof(*vector));
		if (!v && p->vector(p->owner, back, vector))
			v = vector;
		for (unsigned i = 0; i < p->n_columns; i++)
			p->columns[i].values[p->n - 1 - back] = value_at(p, &p->columns[i], v);
	}
}

const float *points_newest(struct points *p, const struct metric *metric,
			   const struct metric_instance *instance)
{
	uint16_t place = *column_place(p, metric, instance);
	struct points_column *c = place ? &p->columns[place - 1] : add_column(p, metric, instance);

	c->frame = p->frame;
	return &c->values[p->n - 1];
}

double points_value(struct points *p, const struct metric *metric, const struct metric_instance *instance,
		    int back)
{
	return back < p->n ? (double)points_newest(p, metric, instance)[-back] : (double)NAN;
}

double points_seconds(struct points *p, int back)
{
	return points_value(p, NULL, NULL, back);
}
