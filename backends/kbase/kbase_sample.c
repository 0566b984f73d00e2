#include "backends/kbase/kbase.h"

#include <string.h>

/* The driver writes the mapping while we read it, and a hostile driver may write anything: copy
 * every item first, then check and use only the copy. */

#define ITEMS_MAX 1024 /* of one sample; the largest GPU has about 80 */

static bool copy_item(const struct kbase_kinstr *k, uint64_t offset, struct prfcnt_metadata *item)
{
	if (offset > k->size || k->size - offset < sizeof(*item))
		return false;
	memcpy(item, k->memory + offset, sizeof(*item));
	return true;
}

/* The core of a block. Before 11.37 / 1.17 the index is the core's number, from then on its rank
 * among the cores. Some drivers use the newer numbering early or the older one late, so an index
 * that cannot be one of them must be the other (is_dense). */
static unsigned core_of(const struct gpu_fold *fold, unsigned index, bool dense)
{
	unsigned core = 0;

	if (!dense)
		return index;
	while (core < 64 && (!(fold->core_mask >> core & 1) || fold->core_rank[core] != index))
		core++;
	return core;
}

static bool fold_values(const struct kbase_kinstr *k, const struct prfcnt_metadata *item,
			const struct gpu_fold *fold, bool dense, uint64_t *slots)
{
	uint64_t value[GPU_BLOCK_SLOTS_MAX];
	enum gpu_block block = item->block.type; /* the driver's numbers are ours */
	size_t n = k->n_values[block], offset = item->block.values_offset;

	if (n > GPU_BLOCK_SLOTS_MAX)
		n = GPU_BLOCK_SLOTS_MAX;
	if (offset % sizeof(*value) || offset > k->size || k->size - offset < n * sizeof(*value))
		return false;
	memcpy(value, k->memory + offset, n * sizeof(*value));
	gpu_fold_block(fold, block,
		       block == BLOCK_CORE ? core_of(fold, item->block.index, dense) : item->block.index,
		       value, (unsigned)n, slots);
	return true;
}

static void take_sample(const struct prfcnt_metadata *item, struct kbase_interval *interval,
			uint64_t *sequence)
{
	interval->begin_ns = (int64_t)item->sample.start_ns;
	interval->end_ns = (int64_t)item->sample.end_ns;
	*sequence = item->sample.sequence;
	if (item->sample.flags & PRFCNT_FLAG_STRETCHED)
		interval->flags |= SAMPLE_STRETCHED;
	if (item->sample.flags & PRFCNT_FLAG_ERROR)
		interval->failure = "the driver could not read the counters";
}

static void take_clock(const struct prfcnt_metadata *item, struct kbase_interval *interval)
{
	for (unsigned i = 0; i < 2 && i < item->clock.num_domains; i++)
		interval->cycles[i] = item->clock.cycles[i];
}

/* Whether this sample numbers its cores by rank. */
static bool is_dense(const struct kbase_kinstr *k, uint64_t offset, const struct gpu_fold *fold)
{
	unsigned n_cores = (unsigned)__builtin_popcountll(fold->core_mask);
	struct prfcnt_metadata item;
	bool dense = k->dense;

	for (unsigned i = 0;
	     i < ITEMS_MAX && copy_item(k, offset, &item) && item.header.type != PRFCNT_META_END; i++) {
		unsigned index = item.block.index;

		offset += k->item_bytes;
		if (item.header.type != PRFCNT_META_BLOCK || item.block.type != PRFCNT_BLOCK_SHADER)
			continue;
		if (index >= n_cores)
			return false;
		if (!(fold->core_mask >> index & 1))
			dense = true;
	}
	return dense;
}

bool kbase_sample_fold(const struct kbase_kinstr *k, uint64_t offset, const struct gpu_fold *fold,
		       struct kbase_interval *interval, uint64_t *sequence, uint64_t *slots)
{
	bool dense = is_dense(k, offset, fold), seen = false, unknown = false;
	struct prfcnt_metadata item;
	unsigned i;

	*interval = (struct kbase_interval){.cycles = {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN}};
	for (i = 0; i < ITEMS_MAX; i++, offset += k->item_bytes) {
		if (!copy_item(k, offset, &item))
			return false;
		if (item.header.type == PRFCNT_META_END)
			break;
		if (item.header.type == PRFCNT_META_SAMPLE) {
			take_sample(&item, interval, sequence);
			seen = true;
		} else if (item.header.type == PRFCNT_META_CLOCK) {
			take_clock(&item, interval);
		} else if (item.header.type == PRFCNT_META_BLOCK && item.block.type < BLOCK_COUNT) {
			if (!fold_values(k, &item, fold, dense, slots))
				return false;
			unknown |= !item.block.state;
			interval->states |= item.block.state;
		}
	}
	if (unknown)
		interval->states = 0;
	return seen && i < ITEMS_MAX;
}
