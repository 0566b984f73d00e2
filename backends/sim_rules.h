/* sim_rules: how one quantity of the simulated GPU follows from another.
 *
 * A rule is applied to increases: PART takes a share and carries the remainder on, SUM and REST add and subtract, TIMES multiplies
 * by a constant of the product. sim_model.h says why counters made in this way keep the invariants of a GPU.
 */
#ifndef MALITOP_SIM_RULES_H
#define MALITOP_SIM_RULES_H

#include "backends/sim_quantity.h"
#include "backends/sim_ratio.h"

enum sim_op { OP_PART, OP_SUM, OP_REST, OP_TIMES };

struct sim_rule {
	uint8_t op, out, a, b; /* a: input; b: ratio, second input or constant */
};

struct sim_rules {
	const struct sim_rule *rules;
	unsigned n;
};

#define CORE_RULES_MAX 96
#define TEXTURE_RULES_MAX 48
#define RAY_RULES_MAX 48
#define SLICE_RULES_MAX 48
#define TILER_RULES_MAX 40
#define QUEUE_RULES_MAX 16
#define GPU_RULES_MAX 16
#define SLICE_STALL_RULES_MAX 8

extern const struct sim_rules sim_rules_exec;     /* every kind of work: from CORE_EXEC, CORE_EXEC_QUARTER */
extern const struct sim_rules sim_rules_texture;  /* where there is texturing: likewise */
extern const struct sim_rules sim_rules_rays;     /* where there is ray tracing: likewise */
extern const struct sim_rules sim_rules_fragment; /* and from CORE_FRAG */
extern const struct sim_rules sim_rules_nonfrag;
extern const struct sim_rules sim_rules_tiler;         /* from TILER_WORK, TILER_QUEUE: facing test first */
extern const struct sim_rules sim_rules_tiler_frustum; /* frustum test first */
extern const struct sim_rules sim_rules_slice;         /* from SLICE_READS, SLICE_WRITES */
extern const struct sim_rules sim_rules_stall;         /* from SLICE_ACTIVE; ratios by index of the rule */
extern const struct sim_rules sim_rules_queue;         /* from QUEUE_CYCLES; likewise, sim_queue_ratios */
extern const struct sim_rules sim_rules_gpu;           /* from GPU_ANY_QUEUE, GPU_TAIL; likewise, sim_gpu_ratios */
extern const uint64_t sim_queue_ratios[QUEUE_RULES_MAX], sim_gpu_ratios[GPU_RULES_MAX];

/* Apply rules to the increases in now[], which holds the inputs; adds every output to total[]. `carry` belongs to the list. */
void sim_rules_apply(const struct sim_rules *list, const uint64_t *ratios, const uint64_t *constants, uint32_t *carry,
		     uint64_t *now, uint64_t *total);
/* floor(amount * ratio), remainder carried. */
static inline uint64_t sim_part(uint64_t amount, uint64_t ratio, uint32_t *carry)
{
	uint64_t x = amount * ratio + *carry;

	*carry = (uint32_t)(x & (SIM_ONE - 1));
	return x / SIM_ONE;
}

#endif
