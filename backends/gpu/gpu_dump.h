/* gpu_dump: the layout of the counters as the hardware writes them, which kbase's vinstr and
 * Panfrost hand on: blocks of 64 values of 32 bits, or the older layout in groups of eight blocks.
 * The driver writes this memory, so every access is bounds-checked.
 */
#ifndef MALITOP_GPU_DUMP_H
#define MALITOP_GPU_DUMP_H

#include "backends/gpu/gpu_fold.h"

struct gpu_dump {
	const uint8_t *bytes;
	size_t n;
	bool v4;
};

/* Size of a dump of this extent. A V4 dump has blocks per core group, not per slice. */
size_t gpu_dump_bytes(bool v4, unsigned n_slices, uint64_t core_mask);
/* Number of core groups in a V4 dump, each with a memory block. */
unsigned gpu_dump_groups(uint64_t core_mask);
void gpu_dump_fold(const struct gpu_dump *dump, const struct gpu_fold *fold, uint64_t *slots);

#endif
