/* gpu_balance: how evenly the shader cores of a GPU work, known even if only sums over the cores
 * are kept. Fills two slots: the active cycles of the busiest core, and their mean over the cores.
 *
 * Both are counted in spans of GPU_BALANCE_NS or more, because over shorter times another core is
 * the busiest each time. A sample within a span has zeros. A core without a single cycle in a span
 * is taken for one that is powered off, and left out.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_GPU_BALANCE_H
#define MALITOP_GPU_BALANCE_H

#include "backends/backend.h"

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
 * which makes the span unknown. */
#define GPU_OVERFLOW (1ull << 52)
void gpu_balance_add(struct gpu_balance *b, unsigned core, uint64_t cycles);
/* Fill the slots of a sample. */
void gpu_balance_fill(struct gpu_balance *b, int64_t sample_ns, uint64_t *slots);

#endif
