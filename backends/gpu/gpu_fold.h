/* gpu_fold: adds the counter blocks of a Mali GPU to the slots of its source.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_GPU_FOLD_H
#define MALITOP_GPU_FOLD_H

#include "backends/gpu/gpu_balance.h"

struct gpu_fold {
	struct {
		uint8_t *index;     /* position in the block of each counter, in layout order */
		unsigned n, sum;    /* number of counters; slot of the first sum */
		unsigned instances; /* slot of the first counter of the first instance; 0: sums only */
	} blocks[BLOCK_COUNT];
	uint8_t core_rank[64]; /* position of a core among the cores of the mask */
	uint64_t core_mask;
	unsigned n_slices;
	int active;                  /* slot of GPU_ACTIVE, -1 if unknown */
	int core_active;             /* position in a core's block of its active cycles, -1 if unknown */
	struct gpu_balance *balance; /* owned */
};

/* Call after the slots were added to the source. */
void gpu_fold_init(struct gpu_fold *f, const struct source *source);
void gpu_fold_fini(struct gpu_fold *f);
/* Add a block of n values. `instance` is a core number or an L2 slice, 0 for other blocks. A block
 * that the GPU should not have is ignored. Slots start as SAMPLE_UNKNOWN. A value of GPU_OVERFLOW
 * or more is not a valid count and makes every sum that contains it unknown (gpu_fold_finish). No
 * counter reaches the limit, and no sum exceeds twice the limit. */
void gpu_fold_block(const struct gpu_fold *f, enum gpu_block block, unsigned instance, const uint64_t *value,
		    unsigned n, uint64_t *slots);
/* `sample_ns` is how long the sample was measured. */
void gpu_fold_finish(const struct gpu_fold *f, int64_t sample_ns, uint64_t *slots, unsigned n);

#endif
