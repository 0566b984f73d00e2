/* sim_model: a tile-based GPU as a process in time.
 *
 * Time runs in ticks of SIM_TICK GPU cycles. Frames become phases (binning, fragment, compute) that wait for their inputs in the
 * queues of the front end; phases on different queues overlap and share the cores. Between two events (a phase begins or ends, the
 * clock changes) everything advances at constant rates.
 *
 * Every counter comes from the ticks through a chain of rules: `out = floor(in * ratio)` whose remainder is carried on, sums and
 * differences. Two things follow. A chain sees only what its input adds up to, so it does not matter how time is cut into samples:
 * two halves give what the whole gives. And a part never exceeds its whole, not even in a sample of one tick (a ratio of at most 1
 * gives at most the input's increase), so killed <= tested <= rasterised and every percentage hold in every sample. Where several
 * events make up one unit (four cycles of one special function, four warps of one blend call), the chain starts from the unit.
 *
 * Ratios come from the scenario, the product, and a hash of (seed, frame, pass), never from a running random number.
 */
#ifndef MALITOP_SIM_MODEL_H
#define MALITOP_SIM_MODEL_H

#include "backends/sim/sim.h"
#include "backends/sim/sim_rules.h"
#include "model/gpudb.h"

#define SIM_TICK 8 /* GPU cycles; a clock in MHz has a whole number of ticks per ms */
#define SIM_CORES_MAX 64
#define SIM_SLICES_MAX 16
#define SIM_QUEUES_MAX 3
#define SIM_PENDING_MAX 64 /* phases of the frames in flight, per queue */
#define SIM_STALLS 7
#define SIM_SETS (1u << STREAMS)

enum sim_stream { STREAM_VERTEX, STREAM_FRAGMENT, STREAM_COMPUTE, STREAMS };

/* What the model needs to know of the product. */
struct sim_gpu {
	unsigned cores, slices, bus_bits;
	unsigned quads_per_warp, tile, task, geometry_task, varying_slots;
	double tex_per_cycle;   /* bilinear samples filtered per cycle */
	double tex_per_message; /* samples that one texture request stands for */
	bool job_manager;       /* vertex and compute work share a queue */
	bool dual_issue;        /* two FMA pipes */
	bool parallel_pipes;    /* arithmetic load is that of the busiest pipe, not the sum */
	bool prepass, ray_tracing, frustum_first, crc_16;
	uint64_t top_khz;
};
void sim_gpu_init(struct sim_gpu *gpu, const struct gpu_product *product);

struct sim_phase {
	enum sim_stream stream;
	const struct sim_pass *pass;
	uint64_t work; /* ticks that it takes alone */
	uint64_t tasks;
	uint64_t key;                  /* for its own differences */
	uint64_t need[SIM_QUEUES_MAX]; /* phases of each queue that must have ended before */
	bool ends_frame;
};

/* Ratios of one phase, with the memory load that it puts on the machine. */
struct sim_profile {
	uint32_t ratios[RATIO_COUNT];   /* SIM_ONE is 1; of the ratios that the stream uses */
	double read_stall, write_stall; /* shares of active cycles */
	double issue;                   /* share of active cycles in which a core executes, alone */
};
uint64_t sim_hash(uint64_t seed, uint64_t frame, uint64_t what);
double sim_hash_unit(uint64_t hash); /* [0,1) */
/* clock_share: clock against the top; pixels: drawn per cycle of work, for fragments; used: the n ratios that are wanted. */
struct sim_used {
	uint8_t ratios[RATIO_COUNT];
	unsigned n;
};
void sim_profile_init(struct sim_profile *profile, const struct sim_gpu *gpu, const struct sim_phase *phase, double clock_share,
		      double pixels, const struct sim_used *used);

struct sim_queue {
	struct sim_phase pending[SIM_PENDING_MAX];
	uint64_t added, ended; /* phases so far; pending are [ended, added) */
	bool running;
	uint64_t left;  /* work ticks of the running phase */
	uint64_t speed; /* work per tick, SIM_ONE is alone */
	uint32_t carry;
};

static inline struct sim_phase *sim_queue_head(struct sim_queue *queue)
{
	return &queue->pending[queue->ended % SIM_PENDING_MAX];
}

enum sim_root { ROOT_ANY, ROOT_EXEC, ROOT_VERTEX, ROOT_COMPUTE, ROOT_NONFRAG, ROOT_FRAG, ROOT_COUNT };

struct sim_core {
	uint64_t wait[STREAMS]; /* execution ticks not yet taken through the rules */
	uint64_t wait_frag;     /* fragment active ticks, likewise */
	uint32_t root[ROOT_COUNT];
	double behind;      /* how far this core falls behind, 0.03: 3 % */
	uint64_t any, exec; /* ratios for the set that runs */
};

/* What SIM_LANES cores have counted. Lanes without a core stay 0. */
struct sim_core_row {
	uint64_t total[CORE_COUNT][SIM_LANES];
	uint64_t rest[STREAMS][4 * SIM_RULES_MAX][SIM_LANES]; /* of a stream's chains, one after the other */
};

struct sim_slice {
	uint32_t read_carry[STREAMS], write_carry[STREAMS];
	uint64_t part; /* share of what the slices before it left */
	double skew;
};

struct sim_slice_row {
	uint64_t total[SLICE_COUNT][SIM_LANES];
	uint64_t rest[STREAMS][SIM_RULES_MAX][SIM_LANES];
	uint64_t stall_rest[SIM_STALLS][SIM_LANES];
	uint32_t stall[SIM_STALLS][SIM_LANES]; /* ratios for the set that runs */
};

/* Quantities that counters show. */
struct sim_shown {
	struct sim_wants core, slice, tiler, queue, gpu;
};

struct sim_chains {
	struct sim_chain exec, texture, rays, fragment, nonfrag, slice, stall, tiler, queue, front;
};

struct sim_model {
	struct sim_gpu gpu;
	const struct sim_scenario *scenario;
	uint64_t seed;
	int64_t frame_ns;   /* vsync period */
	double pixels;      /* of a frame */
	double pixel_scale; /* against 1920x1080 */

	/* Time. `tick` is as far as the model ran, `now_ns` a time that lies in that tick. */
	uint64_t tick;
	int64_t now_ns;
	uint64_t khz;
	int64_t clock_ns; /* last change or governor visit: ticks are counted from here */
	uint64_t clock_tick, clock_rest;
	unsigned step, clock_changes;
	int64_t governor_ns;
	uint64_t governor_tick, governor_active;

	/* Frames. */
	uint64_t frame;
	unsigned in_flight;
	int64_t ready_ns; /* when the CPU has the next frame */
	int64_t vsync;    /* number of the last refresh that a frame was made for */

	/* Front end. */
	struct sim_queue queues[SIM_QUEUES_MAX];
	unsigned n_queues;
	unsigned set;     /* of streams that run: bits 1 << enum sim_stream */
	unsigned touched; /* streams with something not yet taken through the rules */
	uint64_t tail;    /* ticks for which the caches are still flushed after the last phase */
	uint64_t flushed; /* tick in which all totals were brought up to date */
	uint64_t longest; /* ticks from there to the next time at most */
	struct sim_profile profiles[STREAMS];
	uint64_t part[STREAMS]; /* ratios for the set that runs */
	uint64_t nonfrag, frag;

	/* What is not yet taken through the rules (ticks). */
	uint64_t wait_queue[STREAMS], wait_work[STREAMS], wait_any, wait_tail, wait_stall, wait_tiler;
	uint64_t task_ratio[STREAMS];
	uint32_t task_carry[STREAMS], request_carry[STREAMS][2];

	/* The rules of the product, and the ratios that they use. */
	struct sim_chains chains;
	struct sim_used used[STREAMS];
	uint32_t constants[SIM_CONSTANTS];

	/* Totals. The lanes of the queues are the streams; of the tiler and the front end, there is one. */
	uint64_t queue_total[QUEUE_COUNT][SIM_LANES], gpu_total[GPU_COUNT][SIM_LANES], tiler_total[TILER_COUNT][SIM_LANES];
	uint64_t queue_rest[SIM_RULES_MAX][SIM_LANES], gpu_rest[SIM_RULES_MAX][SIM_LANES], tiler_rest[SIM_RULES_MAX][SIM_LANES];
	struct sim_core cores[SIM_CORES_MAX];
	struct sim_slice slices[SIM_SLICES_MAX];
	struct sim_core_row core_rows[SIM_CORES_MAX / SIM_LANES];
	struct sim_slice_row slice_rows[SIM_SLICES_MAX / SIM_LANES];
};

/* Zeroed before, and sim_count_show called after. fps, width and height are real values, not 0. */
void sim_model_init(struct sim_model *model, const struct gpu_product *product, const struct sim_scenario *scenario,
		    uint64_t seed, double fps, unsigned width, unsigned height);
/* Run until `ns` after the start, and bring all totals up to date. */
void sim_model_run(struct sim_model *model, int64_t ns);

/* Frames: put the phases of the next one into the queues (sim_frame.c). */
void sim_frame_submit(struct sim_model *model, int64_t at_ns);

/* Counting (sim_count.c). show: once, before the first run: only these totals are kept; begin and end: the phase that a stream runs changes, before and after `set` does; rates: the set
 * changed; ticks: so much time passed, and so much work was done, at most `longest` since the last flush; flush: bring all totals
 * up to date. */
void sim_count_init(struct sim_model *model);
void sim_count_show(struct sim_model *model, struct sim_shown *shown);
void sim_count_begin(struct sim_model *model, const struct sim_phase *phase);
void sim_count_end(struct sim_model *model, const struct sim_phase *phase);
void sim_count_rates(struct sim_model *model);
void sim_count_ticks(struct sim_model *model, uint64_t ticks);
void sim_count_flush(struct sim_model *model);

static inline unsigned sim_rows(unsigned instances)
{
	return (instances + SIM_LANES - 1) / SIM_LANES;
}

#endif
