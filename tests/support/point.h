/* point: the points of a feed from vectors that a test has. */
#ifndef MALITOP_TEST_POINT_H
#define MALITOP_TEST_POINT_H

#include "base/alloc.h"
#include "views/points.h"

#include <string.h>

/* One vector per point, newest last; NULL where nothing was measured. */
struct point_rows {
	const double *const *rows;
	int n;
	unsigned n_vector;
};

static bool point_vector_of(void *owner, int back, double *vector)
{
	const struct point_rows *rows = owner;
	const double *row = rows->rows[rows->n - 1 - back];

	if (row)
		memcpy(vector, row, rows->n_vector * sizeof(*vector));
	return row != NULL;
}

/* The caller frees it with points_free, and calls points_reset after a change of the rows, which
 * live longer. */
static inline struct points *points_of(struct point_rows *rows, const struct metric_set *set)
{
	struct points *points = points_new(point_vector_of, rows);

	points_reset(points, set, rows->n_vector, rows->n);
	return points;
}

#endif
