/* scene: what an application draws in a span of time, as three rates of the GPU, and where that
 * changes: a loading screen, a menu, a fight. Rates are used because their shares of a full GPU
 * depend on its clock.
 *
 * Thread: any.
 */
#ifndef MALITOP_SCENE_H
#define MALITOP_SCENE_H

#include "model/metric.h"

#include <math.h>

#define SCENE_RATES 3 /* primitives, pixels, fragment jobs; of each, per second */

struct scene_rates {
	float rate[SCENE_RATES]; /* NaN: unknown */
};

#define scene_unknown ((struct scene_rates){{NAN, NAN, NAN}})

struct scene_change {
	int cell; /* the first one of the new scene */
	struct scene_rates before, after;
};

/* What a source of that set measured, as one of its vectors. */
void scene_read(struct scene_rates *scene, const struct metric_set *set, const double *vector);
/* Find where at least two rates change by a quarter, and by more than they vary before and after.
 * Write at most `most` changes in the order of time, at least `least` cells apart. Return their
 * number. */
unsigned scene_changes(const struct scene_rates *cells, int n, int least, struct scene_change *out,
		       unsigned most);

/* When it changed: between two moments beside the change, to part_ns. `read` fills in the scene of
 * a part that begins there; false: it is unknown. */
typedef bool scene_reader(void *user, int64_t from_ns, struct scene_rates *part);
int64_t scene_moment(const struct scene_change *change, int64_t before_ns, int64_t after_ns, int64_t part_ns,
		     scene_reader *read, void *user);

#endif
