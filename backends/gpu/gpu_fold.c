#include "backends/gpu/gpu_fold.h"
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static void add_counter(struct gpu_fold *f, const struct gpu_counter *c, unsigned slot)
{
	unsigned k = f->blocks[c->block].n++;

	if (!k) {
		f->blocks[c->block].sum = slot;
		f->blocks[c->block].index = xcalloc(GPU_BLOCK_SLOTS_MAX, 1);
	}
	f->blocks[c->block].index[k] = c->index;
	if (c->block == BLOCK_FRONT_END && strcmp(c->hw_name, "GPU_ACTIVE") == 0)
		f->active = (int)slot;
	if (source_is_core_active(c))
		f->core_active = c->index;
}

void gpu_fold_init(struct gpu_fold *f, const struct source *source)
{
	const struct gpu_layout *layout = source->layout;
	unsigned slot = 0, rank = 0;

	*f = (struct gpu_fold){.core_mask = source->constants.core_mask,
			       .n_slices = source->constants.l2_slice_count,
			       .active = -1,
			       .core_active = -1,
			       .balance = xcalloc(1, sizeof(*f->balance))};
	gpu_balance_init(f->balance, source);
	for (unsigned i = 0; i < layout->n_counters; i++)
		if (source_counts(source, &layout->counters[i]))
			add_counter(f, &layout->counters[i], slot++);
	for (unsigned core = 0; core < 64; core++)
		if (f->core_mask >> core & 1)
			f->core_rank[core] = (uint8_t)rank++;
	if (source->n_slots == source->n_sums)
		return;
	f->blocks[BLOCK_CORE].instances = source->n_sums;
	f->blocks[BLOCK_MEMORY].instances = source->n_sums + rank * f->blocks[BLOCK_CORE].n;
}

void gpu_fold_fini(struct gpu_fold *f)
{
	for (unsigned b = 0; b < BLOCK_COUNT; b++)
		free(f->blocks[b].index);
	free(f->balance);
	*f = (struct gpu_fold){0};
}

static void add_values(const uint8_t *index, unsigned n_counters, const uint64_t *value, unsigned n,
		       uint64_t *slots)
{
	for (unsigned k = 0; k < n_counters; k++) {
		uint64_t v;

		if (index[k] >= n)
			continue; /* this GPU has no such value */
		v = value[index[k]] < GPU_OVERFLOW ? value[index[k]] : GPU_OVERFLOW;
		if (slots[k] == SAMPLE_UNKNOWN)
			slots[k] = v;
		else if (slots[k] < GPU_OVERFLOW)
			slots[k] += v;
	}
}

void gpu_fold_block(const struct gpu_fold *f, enum gpu_block block, unsigned instance, const uint64_t *value,
		    unsigned n, uint64_t *slots)
{
	unsigned rank = instance, counters = f->blocks[block].n;

	if ((block == BLOCK_CORE && (instance >= 64 || !(f->core_mask >> instance & 1))) ||
	    (block == BLOCK_MEMORY && instance >= f->n_slices))
		return;
	if (block == BLOCK_CORE)
		rank = f->core_rank[instance];
	if (block == BLOCK_CORE && f->core_active >= 0 && (unsigned)f->core_active < n)
		gpu_balance_add(f->balance, instance, value[f->core_active]);
	add_values(f->blocks[block].index, counters, value, n, slots + f->blocks[block].sum);
	if (f->blocks[block].instances)
		add_values(f->blocks[block].index, counters, value, n,
			   slots + f->blocks[block].instances + rank * counters);
}

void gpu_fold_finish(const struct gpu_fold *f, int64_t sample_ns, uint64_t *slots, unsigned n)
{
	gpu_balance_fill(f->balance, sample_ns, slots);
	for (unsigned i = 0; i < n; i++)
		if (slots[i] >= GPU_OVERFLOW)
			slots[i] = SAMPLE_UNKNOWN;
}
