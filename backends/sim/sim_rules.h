/* sim_rules: how one quantity of the simulated GPU follows from another, as src/data/demo.rules
 * describes it.
 *
 * A rule is applied to increases: PART takes a share and carries the remainder on, SUM and REST add
 * and subtract, TIMES multiplies by a constant of the product. sim_model.h explains why such
 * counters keep the invariants of a GPU.
 *
 * Thousands of rules are applied per sample. So a chain, which is a list reduced to one product, is
 * optimized without changing any count:
 *  - Rules that lead to no counter of the product are removed. This does not affect the others.
 *  - Instances are side by side in rows of SIM_LANES. A rule is looked up once per row, and the
 *    arithmetic is a straight loop over 32-bit numbers that compilers vectorize. sim_run.c
 *    flushes often enough for 32 bits.
 *  - A PART that no other rule uses is a leaf. Carried remainders add up to
 *    floor(sum of in * ratio), so a leaf only sums in * ratio, and is rounded when a sample needs
 *    it (settle_totals). */
#ifndef MALITOP_SIM_RULES_H
#define MALITOP_SIM_RULES_H

#include "backends/sim/sim.h"
#include "model/expr.h"

#define SIM_ONE (1u << 24) /* a ratio of 1 */
#define SIM_LANES 8
#define SIM_RULES_MAX 56 /* per list */
#define SIM_RATIOS_MAX 168
#define SIM_FORMULAS_MAX 240
#define SIM_COUNTERS_MAX 320

/* The quantities that the model itself knows, by block: inputs of the rules, then outputs of which
 * it makes more. The rules name the others. Cycles are GPU cycles, traffic is in beats of 16
 * bytes. */
enum sim_block { SIM_QUEUE, SIM_FRONT, SIM_TILER, SIM_CORE, SIM_SLICE, SIM_BLOCKS };
enum { QUEUE_CYCLES, QUEUE_JOBS, QUEUE_TASKS, QUEUE_MAX = 16 };
enum {
	GPU_ZERO, /* never used: the reserved queue, the second stage of the MMU */
	GPU_ACTIVE,
	GPU_ANY_QUEUE,
	GPU_IRQ_CYCLES,
	GPU_IRQS,
	GPU_MCU,
	GPU_CEU,
	GPU_LSU,
	GPU_FLUSHES,
	GPU_TAIL,
	GPU_MAX = 24
};
enum { TILER_WORK, TILER_QUEUE, TILER_READ_BEATS, TILER_WRITE_BEATS, TILER_WARPS, TILER_MAX = 48 };
enum {
	CORE_ANY,
	CORE_NONFRAG,
	CORE_FRAG,
	CORE_EXEC,
	CORE_EXEC_QUARTER,
	CORE_VERTEX_WARPS,
	CORE_READ_TEX, /* the reads, then the writes */
	CORE_READ_LS,
	CORE_READ_RT,
	CORE_READ_FRONT,
	CORE_READ_OTHER,
	CORE_WRITE_LS_WB,
	CORE_WRITE_LS_OTHER,
	CORE_WRITE_TILE,
	CORE_WRITE_OTHER,
	CORE_TRAFFIC_END,
	CORE_MAX = 208
};
enum { SLICE_READS, SLICE_WRITES, SLICE_ACTIVE, SLICE_MAX = 64 };
#define SIM_QUANTITIES_MAX CORE_MAX /* of any block */

enum sim_op { OP_PART, OP_SUM, OP_REST, OP_TIMES };

struct sim_rule {
	uint8_t op, out, a; /* a: input */
	uint16_t b;         /* ratio, second input or constant */
};

enum sim_list {
	LIST_EXEC,     /* every kind of work: from CORE_EXEC, CORE_EXEC_QUARTER */
	LIST_TEXTURE,  /* with texturing: the same inputs */
	LIST_RAYS,     /* with ray tracing: the same inputs */
	LIST_FRAGMENT, /* and from CORE_FRAG */
	LIST_NONFRAG,  /* and from CORE_VERTEX_WARPS */
	LIST_TILER,    /* from TILER_WORK, TILER_QUEUE */
	LIST_SLICE,    /* from SLICE_READS, SLICE_WRITES */
	LIST_STALL,    /* from SLICE_ACTIVE; ratios are the index of the rule, and shares: of the stall of
			  reads, of writes, and for itself */
	LIST_QUEUE,    /* from QUEUE_CYCLES; likewise, shares: of the queues, by stream */
	LIST_FRONT,    /* from GPU_ANY_QUEUE, GPU_TAIL; likewise, one share */
	SIM_LISTS
};

struct sim_rules {
	struct sim_rule rules[SIM_RULES_MAX];
	double shares[SIM_RULES_MAX][3];
	unsigned n;
};

struct sim_chain {
	struct sim_rule rules[SIM_RULES_MAX];  /* all except the leaves */
	struct sim_rule leaves[SIM_RULES_MAX]; /* all OP_PART */
	uint8_t sums[SIM_RULES_MAX];           /* outputs of `rules` that are shown */
	uint8_t n_rules, n_leaves, n_sums;
	uint8_t rows; /* of remainders: one per OP_PART */
};

/* Quantities that are needed: a counter shows them, or another quantity follows from them. */
struct sim_wants {
	bool shown[SIM_QUANTITIES_MAX], fed[SIM_QUANTITIES_MAX];
};

/* Triangles of a pass on the screen. Small ones cost more than their pixels: many cover no sample
 * point and are culled late; the others cover only little of the quads and warps that they
 * shade. */
struct sim_size {
	double visible; /* primitives that pass all tests */
	double culled;  /* share of the primitives in the sample test that it culls */
	double pixels;  /* covered by a visible primitive, hidden layers included */
	double quads;   /* rasterized per visible primitive: at least one */
	double partial; /* share of them that it covers only partly */
};

/* What formulas know of a job. */
struct sim_inputs {
	struct sim_shader shader;
	struct sim_look look;
	struct sim_size size;
	double load;      /* memory: beats per cycle and slice */
	double slower[5]; /* shares of reads that wait longer than 128, 192, 256, 320 and 384 cycles */
	double pixels;    /* that one core finishes per cycle of execution */
	double threads;   /* likewise */
	double issue;     /* share of active cycles in which a core executes */
};

/* A value of the jobs of some streams, by earlier ones. */
struct sim_formula {
	struct expr expr;
	uint8_t streams; /* bits, by enum sim_stream */
	uint16_t value;  /* where it is in the values: after the inputs */
};

#define SIM_INPUTS (sizeof(struct sim_inputs) / sizeof(double))
#define SIM_VALUES_MAX (SIM_INPUTS + SIM_FORMULAS_MAX)

/* Ratios are numbered in the order of the text, because their deviations follow from their
 * numbers. Those before `n_shares` are shares of a whole and never exceed 1; those before
 * `n_content` are those of ordinary content, slightly different in every job. */
struct sim_formulas {
	struct sim_formula list[SIM_FORMULAS_MAX];
	unsigned n;
	uint16_t value_of[SIM_RATIOS_MAX]; /* of a ratio */
	unsigned n_ratios, n_content, n_shares;
	unsigned line, tex, rays; /* the ratios that the model itself knows */
};

/* A counter and the quantity that it counts. */
struct sim_counter {
	struct span name; /* "*Queue...": of each queue */
	uint8_t block, quantity;
};

/* The text, for one product: only needed until the chains are made. */
struct sim_book {
	struct sim_rules lists[SIM_LISTS];
	struct sim_counter counters[SIM_COUNTERS_MAX];
	unsigned n_counters;
	struct span quantities[SIM_BLOCKS][SIM_QUANTITIES_MAX];
	unsigned n_quantities[SIM_BLOCKS];
	struct span values[SIM_FORMULAS_MAX];
	unsigned n_values;
};

/* Read the shipped rules (sim_book.c), or those of a text. sim_formulas_fini frees the formulas,
 * after a failure, too. */
struct sim_gpu;
struct gpudb_text;
bool sim_book_load(struct sim_book *book, struct sim_formulas *formulas, const struct sim_gpu *gpu,
		   struct err *err);
bool sim_book_parse(struct sim_book *book, struct sim_formulas *formulas, const struct sim_gpu *gpu,
		    const struct gpudb_text *text, struct err *err);
void sim_book_free(struct sim_book *book);
void sim_formulas_fini(struct sim_formulas *formulas);

/* Add the chain's inputs to wants->fed, so call it for dependent lists first. Adds the ratios that
 * it uses to ratios[]. */
void sim_chain_init(struct sim_chain *chain, const struct sim_rules *list, struct sim_wants *wants,
		    bool *ratios);
/* Apply the rules to the increases in now[], which holds the inputs. rest[] and total[] belong to
 * the row of instances, and rest[] to the chain too; each instance has its own ratios. total[] is
 * correct for shown outputs, and only after settle. */
void sim_chain_apply(const struct sim_chain *chain, const uint32_t (*ratios)[SIM_LANES],
		     uint64_t (*restrict rest)[SIM_LANES], uint32_t (*restrict now)[SIM_LANES],
		     uint64_t (*restrict total)[SIM_LANES]);
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
