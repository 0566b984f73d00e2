#include "backends/panthor/panthor.h"

#include "base/alloc.h"
#include "config.h"

#include <errno.h>
#include <string.h>

#define SAMPLE_BYTES_MAX (1u << 20)

const struct panthor_interface panthor_interfaces[] = {
	{"of Arm's own kernels", PANTHOR_PERF_INFO_ARM, PANTHOR_PERF_INFO_ARM_SIZE,
	 PANTHOR_PERF_SETUP_ARM_SIZE, PANTHOR_PERF_CONTROL_ARM, 0, PANTHOR_SAMPLE_STRETCHED},
#ifdef WITH_PANTHOR_PERF
	{"proposed for Linux in December 2025", PANTHOR_PERF_INFO_V6, PANTHOR_PERF_INFO_V6_SIZE,
	 PANTHOR_PERF_SETUP_V6_SIZE, PANTHOR_PERF_CONTROL_V6, PANTHOR_SAMPLE_ERROR, 0},
#endif
};
const unsigned panthor_n_interfaces = ARRAY_LEN(panthor_interfaces);

/* Returns how much of the struct the kernel has, 0 if it does not know the question. */
static uint32_t query_device(const struct panthor *p, uint32_t type, void *to, uint32_t size)
{
	struct panthor_dev_query query = {.type = type, .size = size, .pointer = (uintptr_t)to};

	return p->gpu.sys->drm_ioctl(p->gpu.sys, p->gpu.fd, PANTHOR_DEV_QUERY, &query) == 0 ? query.size : 0;
}

bool panthor_read_info(struct panthor *p, struct err *err)
{
	p->info = (struct panthor_gpu_info){0}; /* an older kernel fills less */
	p->info_size = query_device(p, PANTHOR_GPU_INFO, &p->info, sizeof(p->info));
	if (!p->info_size)
		return err_set(err, errno, "%s: cannot ask for the GPU: %s", p->gpu.path, strerror(errno));
	return (p->info.gpu_id && p->info.shader_present) ||
	       err_set(err, EPROTO, "%s: the driver reports no GPU id or no shader cores", p->gpu.path);
}

uint64_t panthor_gpu_id(const struct panthor *p)
{
	bool wide = p->info_size >= sizeof(p->info) && p->info.gpu_id >> 28 == 15;

	return p->info.gpu_id | (wide ? (uint64_t)p->info.gpu_id_hi << 32 : 0);
}

unsigned panthor_slices(const struct panthor *p)
{
	return (p->info.mem_features >> 8 & 15) + 1;
}

unsigned panthor_bus_bits(const struct panthor *p)
{
	unsigned log2_bits = p->info.l2_features >> 24;

	return log2_bits >= 3 && log2_bits <= 12 ? 1u << log2_bits : 0;
}

bool panthor_extent_init(struct panthor_extent *extent, const struct panthor_perf_info *perf,
			 uint64_t core_mask)
{
	const uint32_t counts[] = {perf->fw_blocks,     perf->cshw_blocks,   perf->tiler_blocks,
				   perf->memsys_blocks, perf->shader_blocks, perf->neural_blocks};
	uint64_t blocks = 0, bytes;

	for (size_t i = 0; i < ARRAY_LEN(counts); i++)
		blocks += counts[i];
	bytes = perf->sample_header_size +
		blocks * (perf->block_header_size + (uint64_t)perf->counters_per_block * 8);
	*extent = (struct panthor_extent){
		.counters = perf->counters_per_block,
		.sample_header = perf->sample_header_size,
		.block_header = perf->block_header_size,
		.sample_bytes = perf->sample_size,
		.n_blocks = (uint32_t)blocks,
		.dense = perf->shader_blocks == (unsigned)__builtin_popcountll(core_mask),
	};
	return perf->counters_per_block && perf->counters_per_block <= GPU_BLOCK_SLOTS_MAX &&
	       perf->sample_header_size >= sizeof(struct panthor_sample_header) &&
	       perf->block_header_size >= sizeof(struct panthor_block_header) && blocks <= 256 &&
	       perf->sample_size <= SAMPLE_BYTES_MAX && perf->sample_size % 8 == 0 &&
	       bytes <= perf->sample_size;
}

void panthor_find_counters(struct panthor *p)
{
	for (unsigned i = 0; i < panthor_n_interfaces; i++) {
		const struct panthor_interface *interface = &panthor_interfaces[i];

		p->perf = (struct panthor_perf_info){0};
		if (query_device(p, interface->query, NULL, 0) == interface->info_size &&
		    query_device(p, interface->query, &p->perf, interface->info_size) ==
			    interface->info_size &&
		    panthor_extent_init(&p->extent, &p->perf, p->info.shader_present)) {
			p->interface = interface;
			return;
		}
	}
	p->interface = NULL;
}
