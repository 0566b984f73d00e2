/* sim: a simulated GPU. A model of a tile-based GPU runs a scenario and fills every counter of the
 * chosen product.
 *
 * The rest of the program uses backend_sim. Scenarios are data (src/data/demo.scenario);
 * sim_model.h describes the model.
 */
#ifndef MALITOP_SIM_H
#define MALITOP_SIM_H

#include "backends/backend.h"

/* What the shaders of one job do while they have the cores to themselves. Loads of units are
 * shares of the cycles in which a core executes. */
struct sim_shader {
	double alu;      /* busiest arithmetic pipe */
	double tex;      /* texture filtering, at most; `samples` may need less */
	double ls;       /* load/store unit */
	double var;      /* varying interpolation */
	double rt;       /* ray tracing unit; on GPUs without one the rays are marched: load/store instead */
	double bus_read; /* external read beats per GPU cycle and L2 slice */
	double l2_hit;   /* share of L2 reads that hit */
	double issue;    /* share of active cycles with a warp in the core: low if threads starve */
	double any;      /* share of queue time with any work in a core: low if tasks are few or late */
	double samples;  /* texture samples per thread */
	double filter;   /* cycles per sample compared with a bilinear one */
	double compressed; /* share of texture reads from compressed textures */
	double narrow;     /* share of instructions of 8 and 16 bits */
	double diverged;   /* share of instructions with some threads of the warp switched off */
	double registers;  /* share of warps that use more than 32 registers */
};

/* The geometry of a pass, and what happens to its pixels. The size of triangles on the screen
 * follows from the numbers of both, and the cost of small triangles from that size: see struct
 * sim_size. */
struct sim_look {
	double primitives;  /* input primitives per cycle of vertex work */
	double vertices;    /* position threads per input primitive */
	double facing;      /* share culled by the facing test */
	double frustum;     /* share of primitives in the frustum test that it culls */
	double scissor;     /* the same, on GPUs with such a test */
	double overdraw;    /* layers shaded per pixel, without what small triangles add */
	double early_kill;  /* quads killed by early ZS per quad that survives it */
	double hidden_kill; /* quads killed by forward pixel kill or the prepass per quad shaded */
	double late;        /* share of shaded quads tested late */
	double tested;      /* share of quads with an early depth or stencil test */
	double opaque;      /* share of opaque quads */
	double buffered;    /* share of fragment time with quads in the FPK buffer, for large triangles */
	double coarse;      /* share of quads shaded at one sample per pixel or more */
	double blended;     /* blend shader calls per warp, at most 1 */
	double still;       /* share of tiles that do not change and are not written back */
	double tile_bytes;  /* written back per pixel of the other tiles */
};

enum sim_stream { STREAM_VERTEX, STREAM_FRAGMENT, STREAM_COMPUTE, STREAMS };

#define SIM_NAME_BYTES 32
#define SIM_PASSES_MAX 6
#define SIM_PHASES_MAX 8

/* One step of a frame: a render pass (vertex, then fragment) or a dispatch (compute). Loads are the
 * time that it takes alone, in units of 1/60 s at the top clock; the fragment load is for
 * 1920x1080. */
struct sim_pass {
	char name[SIM_NAME_BYTES];
	double load[STREAMS];
	double pixels; /* share of the frame's resolution that the pass draws */
	double waits;  /* starts only after everything earlier in the frame, including fragment work */
	struct sim_shader shaders[STREAMS];
	struct sim_look look; /* of a render pass */
};

/* A period in which the same passes are drawn. Phases follow each other, then repeat. */
struct sim_phase {
	char name[SIM_NAME_BYTES];
	double seconds;   /* whole ones */
	double refreshes; /* a frame is due after this many; 0: as soon as the GPU can */
	double cpu;       /* load of the CPUs relative to the scenario's own load: 0 to 1 */
	unsigned passes;  /* bits, by index */
};

/* The load of the game's threads: shares of the time of one CPU. A thread with a full share never
 * waits. */
struct sim_cpu_load {
	double main, render, worker; /* worker: each of several */
	double ipc;                  /* instructions per cycle relative to the cores' usual IPC */
};

/* A workload, as a stanza of data describes it. A flag is 0 or 1. */
struct sim_scenario {
	char name[SIM_NAME_BYTES], help[256];
	struct sim_pass passes[SIM_PASSES_MAX];
	unsigned n_passes;
	struct sim_phase phases[SIM_PHASES_MAX];
	unsigned n_phases;
	struct sim_cpu_load cpu;
	double wave;        /* amplitude of the load's variation, 0.2: 20 % */
	double imbalance;   /* how far the slowest core lags */
	double in_flight;   /* frames that may be queued */
	double fps;         /* its refreshes per second, whatever --fps says; 0: those of --fps */
	double cpu_frame;   /* time the CPU takes per frame, in units of 1/60 s; 0: never late */
	double clock_step;  /* the initial one; SIM_CLOCK_STEPS - 1 is the top */
	double hitch_every; /* seconds between hitches of 250 ms without a frame; 0: none */
	double hitch_first; /* when the first one is: in play, and not where a screen begins */
	double sleeps;      /* a limiter of its own sleeps between frames, which no API wait shows */
	double paced;       /* for tests: known by its frames, not by counters */
};

#define SIM_CLOCK_STEPS 5
#define SIM_GPU_DEFAULT "Mali-G715"

/* A number of a struct, by the word before it. A table has those of a struct in the order of its
 * members, then one without a name. What a text does not name is `otherwise`. */
struct sim_number {
	const char *name;
	double low, high, otherwise;
};
extern const struct sim_number sim_shader_numbers[], sim_look_numbers[];

/* Read a scenario of the data, with the shaders and looks that it names; NULL means the default. An
 * unknown name is a usage error that lists the scenarios, and other errors name the file and the
 * line. */
bool sim_scenario_load(struct sim_scenario *scenario, const struct gpudb *db, const char *name,
		       struct err *err);
const struct sim_phase *sim_scenario_phase(const struct sim_scenario *scenario, int64_t at_ns);

/* Which interval a simulated source reads next: the first member of what it holds. */
struct sim_pace {
	int64_t least_ns; /* shortest period; set by open */
	int64_t period_ns;
	int64_t next_ns; /* begin of the next interval */
	int64_t live_ns; /* what ended before is history, in intervals of SOURCE_HISTORY_STEP_NS at least */
	int64_t sim_ns;  /* simulated so far: skipped intervals are not */
	bool begun;
};

/* For struct backend (sim_pace.c). A simulated source is never found, only on request, and does
 * nothing between reads. start: measure from now on; the first start goes back by history_ns, as
 * far as the clock reaches. */
bool sim_probe(const struct sys *sys, struct source_found **found, struct err *err);
bool sim_start(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err);
void sim_stop(struct source *source);
/* Take the next interval that has ended by now, into the sample's times, flags and lost; sim_ns is
 * its end in simulated time. Far behind, where the machine slept, intervals are skipped, as lost
 * ones. Returns false if none has ended. */
bool sim_pace_next(struct sim_pace *pace, int64_t now_ns, struct sample *sample);

#endif
