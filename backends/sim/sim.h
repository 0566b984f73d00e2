/* sim: a GPU that is not there. A model of a tile-based GPU runs a scenario and fills every counter of the chosen product.
 *
 * This header is what tests see of it; everybody else uses backend_sim. The scenarios are data (sim_scenario.c); sim_model.h says
 * how the model works.
 */
#ifndef MALITOP_SIM_H
#define MALITOP_SIM_H

#include <stdbool.h>
#include <stdint.h>

/* What the shaders of one phase do while they have the cores to themselves: shares of the cycles in which a core executes. */
struct sim_shader {
	double alu;      /* busiest arithmetic pipe */
	double tex;      /* texture filtering */
	double ls;       /* load/store unit */
	double var;      /* varying interpolation */
	double rt;       /* ray tracing unit; on GPUs without one the rays are marched: arithmetic and load/store instead */
	double bus_read; /* external read beats per GPU cycle and L2 slice */
	double l2_hit;   /* share of L2 reads that hit */
	double issue;    /* share of active cycles in which the core holds a warp: low where threads starve */
};

/* What the geometry of a pass looks like, and what becomes of its pixels. */
struct sim_look {
	double primitives;  /* input primitives per cycle of vertex work */
	double facing;      /* share culled by the facing test */
	double frustum;     /* share of what enters the frustum test that it culls */
	double overdraw;    /* fragments shaded per pixel */
	double early_kill;  /* quads killed by early ZS per quad that survives it */
	double hidden_kill; /* quads killed by forward pixel kill or the prepass per quad shaded */
	double late;        /* share of shaded quads tested late */
	double tile_bytes;  /* written back per pixel */
};

/* One step of a frame: a render pass (vertex, then fragment) or a dispatch (compute). Loads are the time it takes alone, in units
 * of 1/60 s at the top clock, the fragment load for 1920x1080. */
struct sim_pass {
	const char *name;
	double vertex, fragment, compute;
	const struct sim_shader *vertex_shader, *fragment_shader, *compute_shader;
	const struct sim_look *look;
	double pixels; /* share of the frame's resolution that the pass draws */
	bool waits;    /* starts only after everything before it in the frame, fragment work included */
};

#define SIM_PASSES_MAX 6
#define SIM_EXPECT_MAX 6

/* How a scenario is recognised: `formula` over the metrics of the GPU lies in [low, high] over a second of it. Alternatives are
 * separated by '|': the first that the GPU has is meant; without any, the row says nothing about that GPU. */
struct sim_expect {
	const char *formula;
	double low, high;
	const char *why; /* what the guides say */
};

struct sim_scenario {
	const char *name, *help;
	struct sim_pass passes[SIM_PASSES_MAX];
	unsigned n_passes;
	unsigned vsyncs;     /* a frame is wanted every so many refreshes; 0: as soon as the GPU can */
	double cpu_frame;    /* time the CPU takes for a frame, in units of 1/60 s; 0: it is always in time */
	unsigned in_flight;  /* frames that may be queued */
	double wave;         /* amplitude of the slow change of the load, 0.2: 20 % up and down */
	double imbalance;    /* how far the slowest core falls behind */
	unsigned start_step; /* clock step at the start, SIM_CLOCK_STEPS - 1 is the top */
	struct sim_expect expect[SIM_EXPECT_MAX];
	unsigned n_expect;
};

#define SIM_CLOCK_STEPS 5

extern const struct sim_scenario sim_scenarios[];
extern const unsigned sim_n_scenarios;
const struct sim_scenario *sim_scenario_find(const char *name); /* NULL if unknown */

/* True if the simulator has a value for this published counter (by machine name). */
bool sim_fills(const char *counter_name);

#endif
