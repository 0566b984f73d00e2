#include "backends/panthor/panthor.h"

#include "base/alloc.h"

#include <string.h>

/* Our block for one of the kernel's; -1 if our data describes none. */
static int block_of(uint8_t type)
{
	switch (type) {
	case PANTHOR_BLOCK_CSHW:
		return BLOCK_FRONT_END;
	case PANTHOR_BLOCK_TILER:
		return BLOCK_TILER;
	case PANTHOR_BLOCK_MEMSYS:
		return BLOCK_MEMORY;
	case PANTHOR_BLOCK_SHADER:
		return BLOCK_CORE;
	default:
		return -1;
	}
}

/* The number of the core with this rank in the mask; 64 if there is none. */
static unsigned nth_core(uint64_t mask, unsigned rank)
{
	for (unsigned core = 0; core < 64; core++)
		if (mask >> core & 1 && rank-- == 0)
			return core;
	return 64;
}

static void fold_block(const struct panthor_extent *extent, const uint8_t *bytes, const struct gpu_fold *fold,
		       uint64_t *slots)
{
	uint64_t value[GPU_BLOCK_SLOTS_MAX];
	struct panthor_block_header header;
	unsigned instance;
	int block;

	memcpy(&header, bytes, sizeof(header));
	block = block_of(header.type);
	if (block < 0)
		return;
	instance =
		block == BLOCK_CORE && extent->dense ? nth_core(fold->core_mask, header.index) : header.index;
	memcpy(value, bytes + extent->block_header, extent->counters * sizeof(*value));
	gpu_fold_block(fold, (enum gpu_block)block, instance, value, extent->counters, slots);
}

void panthor_sample_fold(const struct panthor_extent *extent, const uint8_t *bytes,
			 const struct gpu_fold *fold, struct panthor_interval *interval, uint64_t *slots)
{
	size_t stride = extent->block_header + extent->counters * sizeof(uint64_t);
	struct panthor_sample_header header;

	memcpy(&header, bytes, sizeof(header));
	*interval = (struct panthor_interval){
		.begin_ns = (int64_t)header.begin_ns,
		.end_ns = (int64_t)header.end_ns,
		.cycles = {header.top_cycles, header.shader_cycles},
		.flags = header.flags,
	};
	for (uint32_t i = 0; i < extent->n_blocks; i++)
		fold_block(extent, bytes + extent->sample_header + i * stride, fold, slots);
}
