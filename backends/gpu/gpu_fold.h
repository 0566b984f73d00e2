/* gpu_fold: adds the counter blocks of a Mali GPU to the slots of its source.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_GPU_FOLD_H
#define MALITOP_GPU_FOLD_H

#include "backends/backend.h"

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
	/* Owned, for each sum: blocks of this sample with a valid count, and with none. */
	struct gpu_fold_parts {
		uint16_t valid, invalid;
	} * parts;
};

/* Call after the slots were added to the source. */
void gpu_fold_init(struct gpu_fold *f, const struct source *source);
void gpu_fold_fini(struct gpu_fold *f);
/* The number of the core with this rank among the cores of the mask; 64 if there is none. */
unsigned gpu_fold_core(const struct gpu_fold *f, unsigned rank);
/* Add a block of n values. `instance` is a core number or an L2 slice, 0 for other blocks. A block
 * that the GPU should not have is ignored. Slots start as SAMPLE_UNKNOWN. A value of GPU_OVERFLOW
 * or more is not a valid count: the core or slice itself is unknown. No counter reaches the limit,
 * and no sum exceeds twice the limit. */
void gpu_fold_block(const struct gpu_fold *f, enum gpu_block block, unsigned instance, const uint64_t *value,
		    unsigned n, uint64_t *slots);
/* `sample_ns` is how long the sample was measured. A core or slice whose counter is not valid is
 * taken to have counted as much as the mean of the others, if these are at least as many; otherwise
 * the sum is unknown. Returns SAMPLE_ESTIMATED if any sum was completed so, else 0. */
uint32_t gpu_fold_finish(const struct gpu_fold *f, int64_t sample_ns, uint64_t *slots, unsigned n);

/* gpu_balance: how evenly the shader cores of a GPU work, known even if only sums over the cores
 * are kept. Fills two slots: the active cycles of the busiest core, and their mean over the cores.
 *
 * Both are counted in spans of GPU_BALANCE_NS or more, because over shorter times another core is
 * the busiest each time. A sample within a span has zeros. A core without a single cycle in a span
 * is taken for one that is powered off, and left out. So is one whose count is not valid.
 *
 * Thread: one at a time.
 */

#define GPU_BALANCE_NS 50000000
#define GPU_BALANCE_CORES 64

struct gpu_balance {
	int slot;                           /* of the busiest core; its successor is the mean. -1: none */
	uint64_t cycles[GPU_BALANCE_CORES]; /* of each core in the span so far */
	int64_t span_ns;
};

/* Call after the slots were added to the source. */
void gpu_balance_init(struct gpu_balance *b, const struct source *source);
/* Add active cycles of a core (below GPU_BALANCE_CORES); GPU_OVERFLOW or more is not a valid count,
 * which leaves the core out of the span. Without any other core the span is unknown. */
#define GPU_OVERFLOW (1ull << 52)
void gpu_balance_add(struct gpu_balance *b, unsigned core, uint64_t cycles);
/* Fill the slots of a sample. */
void gpu_balance_fill(struct gpu_balance *b, int64_t sample_ns, uint64_t *slots);

/* gpu_dump: the layout of the counters as the hardware writes them, which kbase's vinstr and
 * Panfrost hand on: blocks of 64 values of 32 bits, or the older layout in groups of eight blocks.
 * The driver writes this memory, so every access is bounds-checked.
 */

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
