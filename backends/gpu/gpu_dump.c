#include "backends/gpu/gpu_dump.h"

#include <string.h>

/* A dump is a sequence of blocks of 64 values of 32 bits: the header, then counters.
 *
 * V5 and later: front end, tiler, one memory block per L2 slice, then one block per core number up
 * to the highest core, including cores that the GPU does not have.
 * V4 (the first Midgards): eight blocks per core group: four cores, tiler, memory, an empty one,
 * and the job manager, which only the first group has.
 */

#define VALUES 64
#define BLOCK_BYTES (VALUES * 4)
#define GROUP_BLOCKS 8
#define GROUP_CORES 4

unsigned gpu_dump_groups(uint64_t core_mask)
{
	unsigned top = core_mask ? 64 - (unsigned)__builtin_clzll(core_mask) : 0;

	return (top + GROUP_CORES - 1) / GROUP_CORES;
}

size_t gpu_dump_bytes(bool v4, unsigned n_slices, uint64_t core_mask)
{
	unsigned top = core_mask ? 64 - (unsigned)__builtin_clzll(core_mask) : 0;

	return BLOCK_BYTES * (v4 ? (size_t)gpu_dump_groups(core_mask) * GROUP_BLOCKS : 2 + n_slices + top);
}

static void fold_at(const struct gpu_dump *dump, size_t position, const struct gpu_fold *fold,
		    enum gpu_block block, unsigned instance, uint64_t *slots)
{
	uint64_t wide[VALUES];
	uint32_t value[VALUES];

	if ((position + 1) * BLOCK_BYTES > dump->n)
		return;
	memcpy(value, dump->bytes + position * BLOCK_BYTES, BLOCK_BYTES);
	for (unsigned i = 0; i < VALUES; i++) /* the driver saturates and does not wrap */
		wide[i] = value[i] == UINT32_MAX ? GPU_OVERFLOW : value[i];
	gpu_fold_block(fold, block, instance, wide, VALUES, slots);
}

static void fold_v4(const struct gpu_dump *dump, const struct gpu_fold *fold, uint64_t *slots)
{
	enum { TILER = 4, MEMORY = 5, JOB_MANAGER = 7 };
	unsigned groups = gpu_dump_groups(fold->core_mask);

	fold_at(dump, JOB_MANAGER, fold, BLOCK_FRONT_END, 0, slots);
	for (unsigned g = 0; g < groups; g++) {
		for (unsigned i = 0; i < GROUP_CORES; i++)
			fold_at(dump, g * GROUP_BLOCKS + i, fold, BLOCK_CORE, g * GROUP_CORES + i, slots);
		fold_at(dump, g * GROUP_BLOCKS + TILER, fold, BLOCK_TILER, 0, slots);
		fold_at(dump, g * GROUP_BLOCKS + MEMORY, fold, BLOCK_MEMORY, g, slots);
	}
}

void gpu_dump_fold(const struct gpu_dump *dump, const struct gpu_fold *fold, uint64_t *slots)
{
	size_t at = 0;

	if (dump->v4) {
		fold_v4(dump, fold, slots);
		return;
	}
	fold_at(dump, at++, fold, BLOCK_FRONT_END, 0, slots);
	fold_at(dump, at++, fold, BLOCK_TILER, 0, slots);
	for (unsigned slice = 0; slice < fold->n_slices; slice++)
		fold_at(dump, at++, fold, BLOCK_MEMORY, slice, slots);
	for (unsigned core = 0; core < 64 && fold->core_mask >> core; core++, at++)
		fold_at(dump, at, fold, BLOCK_CORE, core, slots);
}
