/* points: what metrics were at the points of graphs: two in each cell, `back` counted from the
 * newest, which is 0.
 *
 * The values of a metric are computed for all points when a widget first asks for one, and kept
 * while points are added: no graph evaluates its past for each frame, and the vectors of the past
 * are not kept. As floats, because they are many, and no graph can tell.
 *
 * Thread: ui.
 */
#ifndef MALITOP_POINTS_H
#define MALITOP_POINTS_H

#include "model/metric.h"

struct points;

/* Compute the vector of a point, of as many values as points_reset was told. false: nothing was
 * measured then. */
typedef bool points_vector_fn(void *owner, int back, double *vector);

struct points *points_new(points_vector_fn *vector, void *owner);
void points_free(struct points *p);
/* From now on there are n points, of vectors of the first n_vector values of that set, and all of
 * them are new. Call it also when the set is no longer the same. */
void points_reset(struct points *p, const struct metric_set *set, unsigned n_vector, int n);
/* Add n points as the newest, and drop as many of the oldest; 0: the newest has changed. `newest`
 * is its vector, or NULL: it is asked for, as those of the others are. */
void points_shift(struct points *p, int n, const double *newest);
/* From now on values that are not there yet are NaN, until points_fill computes all that were asked
 * for at once. Returns whether there were any: then whoever asked asks again. */
void points_collect(struct points *p);
bool points_fill(struct points *p);
/* After a frame: forget metrics that it did not ask for, if there are many. */
void points_settle(struct points *p);

/* The newest value of a metric of the set, of all or of one of its instances if that is not NULL;
 * older ones are before it, down to newest[1 - n]. NaN if nothing was measured then. No metric: the
 * time that was measured, seconds. Valid until the next point or points_settle. */
const float *points_newest(struct points *p, const struct metric *metric,
			   const struct metric_instance *instance);
/* One of them; NaN also if there are fewer points. */
double points_value(struct points *p, const struct metric *metric, const struct metric_instance *instance,
		    int back);
double points_seconds(struct points *p, int back);

#endif
