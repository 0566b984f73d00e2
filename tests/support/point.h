/* point: a vector as a history keeps it. */
#ifndef MALITOP_TEST_POINT_H
#define MALITOP_TEST_POINT_H

#include "base/alloc.h"

/* The caller frees it. */
static inline float *point_new(const double *vector, unsigned n)
{
	float *point = xcalloc(n, sizeof(*point));

	for (unsigned i = 0; i < n; i++)
		point[i] = (float)vector[i];
	return point;
}

#endif
