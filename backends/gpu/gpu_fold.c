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
	f->parts = xcalloc(slot + 1, sizeof(*f->parts));
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
	free(f->parts);
	*f = (struct gpu_fold){0};
}

unsigned gpu_fold_core(const struct gpu_fold *f, unsigned rank)
{
	unsigned core = 0;

	while (core < 64 && (!(f->core_mask >> core & 1) || f->core_rank[core] != rank))
		core++;
	return core;
}

/* With `parts`, values that are not valid are only counted there. */
static void add_values(const uint8_t *index, unsigned n_counters, const uint64_t *value, unsigned n,
		       uint64_t *slots, struct gpu_fold_parts *parts)
{
	for (unsigned k = 0; k < n_counters; k++) {
		uint64_t v;

		if (index[k] >= n)
			continue; /* this GPU has no such value */
		v = value[index[k]] < GPU_OVERFLOW ? value[index[k]] : GPU_OVERFLOW;
		if (parts)
			*(v < GPU_OVERFLOW ? &parts[k].valid : &parts[k].invalid) += 1;
		if (parts && v == GPU_OVERFLOW)
			continue;
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
	add_values(f->blocks[block].index, counters, value, n, slots + f->blocks[block].sum,
		   f->parts + f->blocks[block].sum);
	if (f->blocks[block].instances)
		add_values(f->blocks[block].index, counters, value, n,
			   slots + f->blocks[block].instances + rank * counters, NULL);
}

uint32_t gpu_fold_finish(const struct gpu_fold *f, int64_t sample_ns, uint64_t *slots, unsigned n)
{
	uint32_t flags = 0;

	gpu_balance_fill(f->balance, sample_ns, slots);
	for (unsigned b = 0; b < BLOCK_COUNT; b++)
		for (unsigned i = f->blocks[b].sum; i < f->blocks[b].sum + f->blocks[b].n; i++) {
			struct gpu_fold_parts have = f->parts[i];

			f->parts[i] = (struct gpu_fold_parts){0};
			if (!have.invalid)
				continue;
			if ((b != BLOCK_CORE && b != BLOCK_MEMORY) || have.valid < have.invalid) {
				slots[i] = SAMPLE_UNKNOWN;
				continue;
			}
			slots[i] += (slots[i] * have.invalid + have.valid / 2) / have.valid;
			flags = SAMPLE_ESTIMATED;
		}
	for (unsigned i = 0; i < n; i++)
		if (slots[i] >= GPU_OVERFLOW)
			slots[i] = SAMPLE_UNKNOWN;
	return flags;
}

void gpu_balance_init(struct gpu_balance *b, const struct source *source)
{
	*b = (struct gpu_balance){.slot = -1};
	for (unsigned i = 0; i < source->n_slots; i++)
		if (strcmp(source->slots[i].name, SOURCE_BUSIEST_CORE) == 0)
			b->slot = (int)i;
}

void gpu_balance_add(struct gpu_balance *b, unsigned core, uint64_t cycles)
{
	if (cycles >= GPU_OVERFLOW || b->cycles[core] >= GPU_OVERFLOW)
		b->cycles[core] = GPU_OVERFLOW;
	else
		b->cycles[core] += cycles;
}

void gpu_balance_fill(struct gpu_balance *b, int64_t sample_ns, uint64_t *slots)
{
	uint64_t most = 0, sum = 0, n = 0;
	bool invalid = false;

	if (b->slot < 0)
		return;
	slots[b->slot] = slots[b->slot + 1] = 0;
	b->span_ns = sample_add_time(b->span_ns, sample_ns);
	if (b->span_ns < GPU_BALANCE_NS)
		return;
	for (unsigned i = 0; i < GPU_BALANCE_CORES; i++) {
		if (b->cycles[i] >= GPU_OVERFLOW) {
			invalid = true;
			continue;
		}
		n += b->cycles[i] > 0;
		sum += b->cycles[i];
		most = b->cycles[i] > most ? b->cycles[i] : most;
	}
	slots[b->slot] = invalid && !n ? SAMPLE_UNKNOWN : most;
	slots[b->slot + 1] = invalid && !n ? SAMPLE_UNKNOWN : n ? (sum + n / 2) / n : 0;
	*b = (struct gpu_balance){.slot = b->slot};
}

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
