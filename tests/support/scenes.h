/* scenes: the verdict on each scenario of the simulator. */
#ifndef MALITOP_TEST_SCENES_H
#define MALITOP_TEST_SCENES_H

#include "base/alloc.h"
#include "base/str.h"

#include <stdbool.h>

struct scene_verdict {
	const char *scenario, *verdict; /* '|' separates the names on different GPUs */
};

static const struct scene_verdict scene_verdicts[] = {
	{"idle", "idle"},
	{"mixed", "frame-cap"},
	{"fragment-bound", "gpu-fragment|gpu-main"},
	{"vertex-bound", "gpu-vertex|gpu-binning|gpu-nonfragment"},
	{"compute-bound", "gpu-compute|gpu-nonfragment-compute"},
	{"bandwidth-bound", "memory"},
	{"cpu-bound", "cpu"},
	{"serialised", "serialised"},
	{"raytracing", "gpu-compute|gpu-nonfragment-compute|gpu-nonfragment"},
	{"uncapped", "gpu-fragment|gpu-main"},
	{"capped-30", "frame-cap"},
	{"sleeping-limiter", "frame-cap"},
};
#define SCENE_VERDICTS (sizeof(scene_verdicts) / sizeof(scene_verdicts[0]))

static inline bool scene_is_right(const struct scene_verdict *scene, struct span verdict)
{
	struct span rest = span_of(scene->verdict);

	while (rest.n)
		if (span_eq(span_until(&rest, '|'), verdict))
			return true;
	return false;
}

#endif
