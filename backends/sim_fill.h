/* sim_fill: from the quantities of the model to the slots of a source. */
#ifndef MALITOP_SIM_FILL_H
#define MALITOP_SIM_FILL_H

#include "backends/backend.h"
#include "backends/sim_model.h"

enum sim_section { IN_GPU, IN_VERTEX, IN_FRAGMENT, IN_COMPUTE, IN_NONFRAG, IN_TILER, IN_SLICE, IN_CORE, SIM_SECTIONS };

/* A counter and what it counts (sim_names.c): quantities of its section; IN_NONFRAG is vertex and compute together. */
struct sim_name {
	const char *name;
	uint8_t section, quantity, second;
};
extern const struct sim_name sim_names[];
extern const unsigned sim_n_names;

/* How one slot gets its value. */
struct sim_slot {
	const uint64_t *first, *second; /* totals whose sum it counts; second may be NULL; both NULL: unknown */
	size_t stride;                  /* bytes to the same total of the next instance */
	unsigned instances;             /* that are added up */
	uint16_t scale;
};

struct sim_fill {
	struct sim_slot *slots; /* owned; one per counter slot of the source */
	uint64_t *last;         /* owned; what each slot had counted when it was last read */
	unsigned n;
};

/* Plan for the slots of the source, clock slots left out. */
void sim_fill_init(struct sim_fill *fill, const struct source *source, const struct sim_model *model);
void sim_fill_fini(struct sim_fill *fill);
/* What was counted since the last call, per slot. */
void sim_fill_read(struct sim_fill *fill, uint64_t *value);

#endif
