/* A sample of any bytes, with any sizes that the kernel may report: it is read within its bounds,
 * or refused. */
#include "backends/panthor/panthor.h"
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first bytes are what the kernel reports, the rest is the sample. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct gpudb *db;
	struct panthor_sample_header header;
	struct panthor_perf_info perf;
	struct panthor_extent extent;
	struct source source;
	struct gpu_fold fold;
	struct err err;

	if (!db)
		db = gpudb_load(NULL, 0, &err);
	if (size < sizeof(perf))
		return 0;
	memcpy(&perf, data, sizeof(perf));
	data += sizeof(perf);
	size -= sizeof(perf);
	if (!panthor_extent_init(&extent, &perf, 0x50005) || size < perf.sample_size)
		return 0;
	source = (struct source){.options = {.db = db, .per_instance = true},
				 .constants = {.core_mask = 0x50005,
					       .core_count = 4,
					       .l2_slice_count = 4,
					       .block_values = perf.counters_per_block}};
	source_add_gpu_sums(&source);
	source_add_gpu_instances(&source);
	gpu_fold_init(&fold, &source);
	AUTOFREE uint64_t *slots = xcalloc(source.n_slots, sizeof(*slots));
	AUTOFREE uint8_t *exact = xmalloc(perf.sample_size); /* ends where the sample does */

	memcpy(exact, data, perf.sample_size);
	panthor_sample_fold(&extent, exact, &fold, &header, slots);
	gpu_fold_finish(&fold, GPU_BALANCE_NS, slots, source.n_slots);
	gpu_fold_fini(&fold);
	free(source.slots);
	return 0;
}
