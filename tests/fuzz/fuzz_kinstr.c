/* Samples in memory that a hostile driver wrote: no read outside the mapping, no endless loop, no
 * write outside the slots.
 *
 * Input: 16 bytes of what the driver said at set-up, then the mapping. */
#include "backends/kbase/kbase.h"
#include "base/alloc.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct said {
	uint16_t core_mask, offset;
	uint8_t n_values[BLOCK_COUNT], extra_item_bytes, slices, dense, unused[5];
};
_Static_assert(sizeof(struct said) == 16, "the input begins with it");

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct gpudb *db;
	struct source source = {.options = {.per_instance = true}};
	struct kbase_interval interval;
	struct kbase k = {.n_parts = 0};
	uint64_t *slots;
	uint8_t *memory;
	struct said said;

	if (size < sizeof(said))
		return 0;
	if (!db)
		db = gpudb_load_texts(NULL, 0, NULL);
	memcpy(&said, data, sizeof(said));
	source.options.db = db;
	source.constants = (struct source_constants){
		.core_mask = said.core_mask, .l2_slice_count = said.slices & 7, .block_values = 128};
	source_add_gpu_sums(&source);
	source_add_gpu_instances(&source);
	gpu_fold_init(&k.fold, &source);
	slots = xcalloc(source.n_slots, sizeof(*slots));
	k.session.size = size - sizeof(said);
	k.session.memory = memory =
		xmalloc(k.session.size + 1); /* of its own, so that a read behind the end is seen */
	memcpy(memory, data + sizeof(said), k.session.size);
	k.kinstr.item_bytes = (uint32_t)sizeof(struct prfcnt_metadata) + said.extra_item_bytes;
	k.kinstr.dense = said.dense & 1;
	for (unsigned b = 0; b < BLOCK_COUNT; b++)
		k.kinstr.n_values[b] = said.n_values[b];
	kbase_sample_fold(&k, said.offset, &interval, slots);
	gpu_fold_finish(&k.fold, GPU_BALANCE_NS, slots, source.n_slots);
	for (unsigned i = 0; i < source.n_slots; i++)
		assert(slots[i] < GPU_OVERFLOW || slots[i] == SAMPLE_UNKNOWN);
	free(memory);
	free(slots);
	free(source.slots);
	gpu_fold_fini(&k.fold);
	return 0;
}
