/* points: the values of metrics at the points of graphs: two in each cell, `back` counted from the
 * newest, which is 0.
 *
 * The values of a metric are computed for all points when a widget first uses it, and kept while
 * points are added. So no graph evaluates its past for each frame, and the vectors of the past are
 * not kept. Floats suffice for graphs and save memory.
 *
 * Thread: ui. */
#ifndef MALITOP_POINTS_H
#define MALITOP_POINTS_H

#include "model/metric.h"

struct points;

/* Compute the vector of a point, of as many values as points_reset was given. Returns false if
 * nothing was measured at that time. */
typedef bool points_vector_fn(void *owner, int back, double *vector);

struct points *points_new(points_vector_fn *vector, void *owner);
void points_free(struct points *p);
/* Start with n new points, of vectors of the first n_vector values of that set. Call it also when
 * the set changes. */
void points_reset(struct points *p, const struct metric_set *set, unsigned n_vector, int n);
/* Add n points as the newest, and drop as many of the oldest. With n 0, the newest has changed.
 * `newest` is its vector; if it is NULL, points_vector_fn computes it like the others. */
void points_shift(struct points *p, int n, const double *newest);
/* After points_collect, missing values are NaN until points_fill computes all that were requested,
 * at once. points_fill returns whether there were any; the caller then draws again. */
void points_collect(struct points *p);
bool points_fill(struct points *p);
/* Call it after a frame: drops metrics that the frame did not use, if there are many. */
void points_settle(struct points *p);

/* Return the newest value of a metric of the set, or of one of its instances if that is not NULL.
 * Older ones are before it, down to newest[1 - n]. NaN if nothing was measured then. Without a
 * metric, the value is the measured time in seconds. Valid until the next point or
 * points_settle. */
const float *points_newest(struct points *p, const struct metric *metric,
			   const struct metric_instance *instance);
/* Return one of these values; NaN also if there are fewer points. */
double points_value(struct points *p, const struct metric *metric, const struct metric_instance *instance,
		    int back);
double points_seconds(struct points *p, int back);

#endif
