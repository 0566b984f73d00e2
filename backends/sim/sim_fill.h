/* sim_fill: maps the quantities of the model to the slots of a source. */
#ifndef MALITOP_SIM_FILL_H
#define MALITOP_SIM_FILL_H

#include "backends/gpu/gpu_fold.h"
#include "backends/sim/sim_model.h"

enum sim_section {
	IN_GPU,
	IN_VERTEX,
	IN_FRAGMENT,
	IN_COMPUTE,
	IN_NONFRAG,
	IN_TILER,
	IN_SLICE,
	IN_CORE,
	SIM_SECTIONS
};

/* A counter and the quantities of its section that it counts (sim_names.c). IN_NONFRAG is vertex
 * and compute together. */
struct sim_name {
	const char *name;
	uint8_t section, quantity, second;
};
extern const struct sim_name sim_names[];
extern const unsigned sim_n_names;

/* How one slot gets its value. */
struct sim_slot {
	const uint64_t *first, *second; /* the summands; second may be NULL; both NULL: unknown */
	uint16_t rows;                  /* rows of SIM_LANES instances to add up; 0: one instance */
	uint16_t scale;
	uint32_t stride; /* totals from one row to the next */
};

struct sim_fill {
	struct sim_slot *slots; /* owned; one per counter slot of the source */
	uint64_t *last;         /* owned; each slot's count at the last read */
	unsigned n;
	struct gpu_balance balance;
	struct {
		const uint64_t *cycles; /* active, of the model */
		uint64_t last;
	} cores[GPU_BALANCE_CORES];
	unsigned n_cores;
};

/* Plan how to fill the slots of the source, except the clock slots. Adds the quantities that they
 * need to `shown`. */
void sim_fill_init(struct sim_fill *fill, const struct source *source, const struct sim_model *model,
		   struct sim_shown *shown);
void sim_fill_fini(struct sim_fill *fill);
/* Write what was counted since the last call, sample_ns ago, per slot. */
void sim_fill_read(struct sim_fill *fill, int64_t sample_ns, uint64_t *value);

#endif
