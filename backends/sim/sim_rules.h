/* sim_rules: how one quantity of the simulated GPU follows from another.
 *
 * A rule is applied to increases: PART takes a share and carries the remainder on, SUM and REST add
 * and subtract, TIMES multiplies by a constant of the product. sim_model.h explains why such
 * counters keep the invariants of a GPU.
 *
 * Thousands of rules are applied per sample. So a chain, which is a list reduced to one product, is
 * optimized without changing any count:
 *  - Rules that lead to no counter of the product are removed. This does not affect the others.
 *  - Instances are side by side in rows of SIM_LANES. A rule is looked up once per row, and the
 *    arithmetic is a straight loop over 32-bit numbers that compilers vectorize. sim_model.c
 *    flushes often enough for 32 bits.
 *  - A PART that no other rule uses is a leaf. Carried remainders add up to
 *    floor(sum of in * ratio), so a leaf only sums in * ratio, and is rounded when a sample needs
 *    it (settle_totals). */
#ifndef MALITOP_SIM_RULES_H
#define MALITOP_SIM_RULES_H

#include "backends/sim/sim_quantity.h"
#include "backends/sim/sim_ratio.h"

#include <stdbool.h>

#define SIM_LANES 8
#define SIM_RULES_MAX 56 /* per list */

enum sim_op { OP_PART, OP_SUM, OP_REST, OP_TIMES };

struct sim_rule {
	uint8_t op, out, a, b; /* a: input; b: ratio, second input or constant */
};

struct sim_rules {
	const struct sim_rule *rules;
	unsigned n;
};

extern const struct sim_rules sim_rules_exec;     /* every kind of work: from CORE_EXEC, CORE_EXEC_QUARTER */
extern const struct sim_rules sim_rules_texture;  /* with texturing: the same inputs */
extern const struct sim_rules sim_rules_rays;     /* with ray tracing: the same inputs */
extern const struct sim_rules sim_rules_fragment; /* and from CORE_FRAG */
extern const struct sim_rules sim_rules_nonfrag;
extern const struct sim_rules sim_rules_tiler;         /* from TILER_WORK, TILER_QUEUE: facing test first */
extern const struct sim_rules sim_rules_tiler_frustum; /* frustum test first */
extern const struct sim_rules sim_rules_slice;         /* from SLICE_READS, SLICE_WRITES */
extern const struct sim_rules sim_rules_stall;         /* from SLICE_ACTIVE; ratios by index of the rule */
extern const struct sim_rules
	sim_rules_queue;                     /* from QUEUE_CYCLES; likewise; the means are sim_queue_ratios */
extern const struct sim_rules sim_rules_gpu; /* from GPU_ANY_QUEUE, GPU_TAIL; likewise, sim_gpu_ratios */
#define SIM_QUEUE_RULES 11
extern const uint32_t sim_queue_ratios[SIM_QUEUE_RULES][SIM_LANES], sim_gpu_ratios[][SIM_LANES];

struct sim_chain {
	struct sim_rule rules[SIM_RULES_MAX];  /* all except the leaves */
	struct sim_rule leaves[SIM_RULES_MAX]; /* all OP_PART */
	uint8_t sums[SIM_RULES_MAX];           /* outputs of `rules` that are shown */
	uint8_t n_rules, n_leaves, n_sums;
	uint8_t rows; /* of remainders: one per OP_PART */
};

/* Quantities that are needed: a counter shows them, or another quantity follows from them. */
struct sim_wants {
	bool shown[UINT8_MAX + 1], fed[UINT8_MAX + 1];
};

/* Add the chain's inputs to wants->fed, so call it for dependent lists first. Adds the ratios that
 * it uses to ratios[]. */
void sim_chain_init(struct sim_chain *chain, const struct sim_rules *list, struct sim_wants *wants,
		    bool *ratios);
/* Apply the rules to the increases in now[], which holds the inputs. rest[] and total[] belong to
 * the row of instances, and rest[] to the chain too; each instance has its own ratios. total[] is
 * correct for shown outputs, and only after settle. */
void sim_chain_apply(const struct sim_chain *chain, const uint32_t (*ratios)[SIM_LANES],
		     const uint32_t *constants, uint64_t (*restrict rest)[SIM_LANES],
		     uint32_t (*restrict now)[SIM_LANES], uint64_t (*restrict total)[SIM_LANES]);
void sim_chain_settle(const struct sim_chain *chain, uint64_t (*restrict rest)[SIM_LANES],
		      uint64_t (*restrict total)[SIM_LANES]);

/* floor(amount * ratio), carrying the remainder. */
static inline uint64_t sim_part(uint64_t amount, uint64_t ratio, uint32_t *carry)
{
	uint64_t x = amount * ratio + *carry;

	*carry = (uint32_t)(x & (SIM_ONE - 1));
	return x / SIM_ONE;
}

#endif
