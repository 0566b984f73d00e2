/* gpu_identity: which GPU of our data a device is, and what it is called.
 *
 * Thread: the one that opens the source; gpu_identity_describe: any.
 */
#ifndef MALITOP_GPU_IDENTITY_H
#define MALITOP_GPU_IDENTITY_H

#include "backends/backend.h"

/* The product of this GPU_ID; for an unknown GPU the one that --gpu names, and then *assumed. NULL
 * if there is neither. */
const struct gpu_product *gpu_identity_find(const struct source *source, uint64_t gpu_id, bool *assumed);
/* Fill title, and note if the GPU is unknown; product and constants.core_count must be set. */
void gpu_identity_name(struct source *source, uint64_t gpu_id, bool assumed);
/* Execution engines of a core, from the variant of the core; 0 if unknown. Arguments are the GPU's
 * registers. */
unsigned gpu_identity_engines(const struct gpu_product *product, uint32_t core_features,
			      uint32_t thread_features, unsigned cores);
/* From a register of L2 features; 0 if it says nothing credible. */
static inline unsigned gpu_identity_bus_bits(uint32_t l2_features)
{
	unsigned log2_bits = l2_features >> 24;

	return log2_bits >= 3 && log2_bits <= 12 ? 1u << log2_bits : 0;
}
/* From a register of memory features. */
static inline unsigned gpu_identity_slices(uint32_t mem_features)
{
	return (mem_features >> 8 & 15) + 1;
}
/* Add the line of a description: cores, slices, bus, execution engines of a core (0: unknown) and
 * top clock. */
void gpu_identity_describe(const struct source_constants *constants, unsigned engines, struct strbuf *text);

#endif
