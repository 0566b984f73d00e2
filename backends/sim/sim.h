/* sim: a simulated GPU. A model of a tile-based GPU runs a scenario and fills every counter of the
 * chosen product.
 *
 * The rest of the program uses backend_sim. Scenarios are data (src/data/demo.scenario);
 * sim_model.h describes the model.
 */
#ifndef MALITOP_SIM_H
#define MALITOP_SIM_H

#include "backends/backend.h"

/* A number of a struct, by the word before it. A table has those of a struct in the order of its
 * members, several together if they are alike, then one without a name. What a text does not name
 * is `otherwise`. */
struct sim_number {
	const char *name;
	double low, high, otherwise;
};
/* src/data/demo.scenario says what each is. */
extern const struct sim_number sim_shader_numbers[], sim_look_numbers[];

/* The texts of a row: the word before its numbers, and what follows them. */
struct sim_row {
	struct span name, rest;
};

/* A table of the data. Its rows become structs: a struct sim_row, the numbers, and what `finish`
 * sets from them. It returns what is wrong, or NULL; without it nothing may follow the numbers. */
struct sim_table {
	const char *keyword;
	const struct sim_number *numbers;
	size_t size; /* of a struct; 0: the numbers alone, of one row */
	unsigned most;
	const char *(*finish)(const struct gpudb *db, void *rows, unsigned row);
};
/* Read the rows, or those of a name, from the last table that has them. Returns how many there are;
 * 0: an error, which names the file and the line. */
unsigned sim_table_load(void *rows, const struct sim_table *table, struct span name, const struct gpudb *db,
			struct err *err);

/* What the shaders of one job do while they have the cores to themselves. */
struct sim_shader {
	double alu, tex, ls, var, rt, bus_read, l2_hit, issue, any, samples, filter, compressed, narrow,
		diverged, registers;
};

/* The geometry of a pass, and the work on its pixels. Both together determine the size of triangles
 * on the screen, and that size the cost of small triangles: see struct sim_size. */
struct sim_look {
	double primitives, vertices, facing, frustum, scissor, overdraw, early_kill, hidden_kill, late,
		tested, opaque, buffered, coarse, blended, still, tile_bytes;
};

enum sim_stream { STREAM_VERTEX, STREAM_FRAGMENT, STREAM_COMPUTE, STREAMS };

#define SIM_PASSES_MAX 6
#define SIM_PHASES_MAX 8

/* One step of a frame: a render pass (vertex, then fragment) or a dispatch (compute). Loads are the
 * time of the step on its own, in units of 1/60 s at the top clock; the fragment load is for
 * 1920x1080. */
struct sim_pass {
	struct span name;
	double load[STREAMS];
	double pixels; /* share of the frame's resolution that the pass draws */
	double waits;  /* starts after all earlier work of the frame, including fragment work */
	struct sim_shader shaders[STREAMS];
	struct sim_look look; /* of a render pass */
};

/* A period in which the same passes are drawn. Phases follow each other, then repeat. */
struct sim_phase {
	struct span name;
	double seconds;   /* a whole number */
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

/* A workload, as a stanza of data describes it, which must stay. A flag is 0 or 1. */
struct sim_scenario {
	const char *name; /* as given to sim_scenario_load */
	struct span help; /* of one or several lines */
	struct sim_pass passes[SIM_PASSES_MAX];
	unsigned n_passes;
	struct sim_phase phases[SIM_PHASES_MAX];
	unsigned n_phases;
	struct sim_cpu_load cpu;
	double wave, imbalance, in_flight, fps, cpu_frame, clock_step, hitch_every, hitch_first, sleeps,
		paced; /* game_numbers in sim_scenario.c says what each is */
};

#define SIM_CLOCK_STEPS 5
#define SIM_GPU_DEFAULT "Mali-G715"

/* Read a scenario of the data, with the shaders and looks that it names; NULL means the default. An
 * unknown name is a usage error that lists the scenarios, and other errors name the file and the
 * line. */
bool sim_scenario_load(struct sim_scenario *scenario, const struct gpudb *db, const char *name,
		       struct err *err);
const struct sim_phase *sim_scenario_phase(const struct sim_scenario *scenario, int64_t at_ns);

/* The position in time of a simulated source. It is the first member of the source's data. */
struct sim_pace {
	int64_t least_ns; /* shortest period; set by open */
	int64_t period_ns;
	int64_t next_ns; /* start of the next interval */
	int64_t live_ns; /* earlier intervals are history, at least SOURCE_HISTORY_STEP_NS long */
	int64_t sim_ns;  /* simulated time so far, without skipped intervals */
	bool begun;
};

/* For struct backend (sim_pace.c). Simulated sources are opened only on request, and do nothing
 * between reads. `start` measures from now on; the first start goes back by history_ns, as far as
 * the clock permits. */
bool sim_probe(const struct sys *sys, struct source_found **found, struct err *err);
bool sim_start(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err);
void sim_stop(struct source *source);
/* Take the next interval that has ended by now, into the sample's times, flags and lost; sim_ns is
 * its end in simulated time. After the machine slept, skip intervals as lost ones. Returns false if
 * none has ended. */
bool sim_pace_next(struct sim_pace *pace, int64_t now_ns, struct sample *sample);

#endif
