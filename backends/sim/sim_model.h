/* sim_model: a tile-based GPU as a process in time.
 *
 * Time runs in ticks of SIM_TICK GPU cycles. Frames become jobs (binning, fragment, compute) that
 * wait for their inputs in the queues of the front end; jobs on different queues overlap and
 * share the cores. Between two events (a job begins or ends, the clock changes) everything
 * advances at constant rates.
 *
 * Every counter is derived from the ticks through a chain of rules: `out = floor(in * ratio)` whose
 * remainder is carried on, sums and differences. This has two consequences. A chain depends only on
 * the sum of its inputs, so it does not matter how time is divided into samples: two halves add up
 * to the whole. And a part never exceeds its whole, not even in a sample of one tick (a ratio of at
 * most 1 gives at most the input's increase), so killed <= tested <= rasterized and every
 * percentage hold in every sample. If several events make up one unit (four cycles of one special
 * function, four warps of one blend call), the chain starts from the unit.
 *
 * Ratios come from the scenario, the product, the current drift (sim_drift) and a hash of (seed,
 * frame, pass), the same for SIM_FRAMES_ALIKE frames, never from a sequence of random numbers.
 * Every core and slice has its own ratios, a little different from those of the job: its skew.
 */
#ifndef MALITOP_SIM_MODEL_H
#define MALITOP_SIM_MODEL_H

#include "backends/sim/sim.h"
#include "backends/sim/sim_rules.h"
#include "model/gpudb.h"

#define SIM_TICK 8 /* GPU cycles; every clock in whole MHz has a whole number of ticks per ms */
#define SIM_CORES_MAX 64
#define SIM_SLICES_MAX 16
#define SIM_QUEUES_MAX 3
#define SIM_FRAMES_ALIKE 4 /* frames in a row with the same work and ratios */
#define SIM_PENDING_MAX 32 /* jobs of the frames in flight, per queue */
#define SIM_STALLS 8       /* at most */
#define SIM_LOADS (STREAMS * SIM_PASSES_MAX)
#define SIM_RESTS_MAX ((SIM_CORES_MAX / SIM_LANES * 4 + SIM_SLICES_MAX / SIM_LANES + 1) * SIM_RULES_MAX)
#define SIM_CORE_CHAINS 4 /* of the cores, for one stream */
#define SIM_SETS (1u << STREAMS)
#define SIM_FRONT_UNITS 4

/* All that varies by chance. */
static inline uint64_t sim_hash(uint64_t seed, uint64_t frame, uint64_t what)
{
	uint64_t x =
		seed * 0x9e3779b97f4a7c15u ^ frame * 0xbf58476d1ce4e5b9u ^ (what + 1) * 0x94d049bb133111ebu;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static inline double sim_hash_unit(uint64_t hash) /* [0,1) */
{
	return (double)(hash >> 11) / 9007199254740992.0;
}

/* Content is never still: a camera cuts from shot to shot, drifts within a shot, and trembles. A
 * drift is one such number from -1 to 1, `at_ns` after the start. Ratios follow one or two of
 * them, so that related ratios change together. */
#define SIM_DRIFTS 8
void sim_drift(uint64_t seed, int64_t at_ns, double drifts[SIM_DRIFTS]);

/* The properties of the product that the model uses. */
struct sim_gpu {
	unsigned cores, slices, bus_bits;
	unsigned quads_per_warp, tile, task, geometry_task, varying_slots;
	double tex_per_cycle;   /* bilinear samples filtered per cycle */
	double tex_per_message; /* samples per texture request */
	bool job_manager;       /* vertex and compute work share a queue */
	bool dual_issue;        /* two FMA pipes */
	bool parallel_pipes;    /* the arithmetic load is that of the busiest pipe, not the sum */
	bool prepass, ray_tracing, sample_test, frustum_first, crc_16;
	uint64_t top_khz;
};
struct sim_job {
	enum sim_stream stream;
	const struct sim_pass *pass;
	uint64_t work; /* in ticks, if it runs alone */
	uint64_t tasks;
	uint64_t key;                  /* seeds its own deviations */
	double drifts[SIM_DRIFTS];     /* when the first of the frames that are alike was submitted */
	struct sim_size size;          /* of a render pass */
	uint64_t need[SIM_QUEUES_MAX]; /* jobs of each queue that must end first */
	uint64_t frame;
	int64_t begin_ns; /* when it began to run */
	bool ends_frame;
};

/* The ratios of one job, and the memory load that it causes. */
struct sim_profile {
	uint32_t ratios[SIM_RATIOS_MAX]; /* SIM_ONE is 1; only the ratios that the stream uses */
	double read_stall, write_stall;  /* shares of active cycles */
	double issue;                    /* share of active cycles in which a core executes, alone */
	double any;                      /* share of queue time in which a core has work, alone */
};
/* The ratios that a stream uses, and the formulas that they need, in order: those that are not the
 * same for all jobs of a pass, too. */
struct sim_used {
	uint8_t ratios[SIM_RATIOS_MAX], formulas[SIM_FORMULAS_MAX], varying[SIM_FORMULAS_MAX];
	uint16_t values[SIM_RATIOS_MAX]; /* where they are */
	unsigned n, n_formulas, n_varying;
};
/* streams: bits, of those that the formulas are for. */
void sim_used_init(struct sim_used *used, const struct sim_formulas *formulas, const bool *ratios,
		   unsigned streams);
/* Fragment threads shaded per pixel. */
double sim_size_threads(const struct sim_size *size, const struct sim_look *look);

/* What one pass does on one stream: the profile that the jobs of some frames share, and the ticks
 * that the rules have not processed yet. It has its own remainders, so that it does not matter when
 * other loads are counted. */
struct sim_load {
	uint64_t key; /* of those jobs; 0: there was none */
	struct sim_profile profile;
	double waits[QUEUE_MAX];       /* of the queue, relative to its shares */
	double values[SIM_VALUES_MAX]; /* of the formulas */
	bool known;                    /* those that do not vary */
	uint64_t task_ratio;
	bool touched;   /* has such ticks */
	bool unsettled; /* has leaves that are not rounded yet */
	uint64_t work, tiler;
	uint32_t exec[SIM_CORES_MAX], frag[SIM_CORES_MAX]; /* execution and fragment active, by core */
	uint32_t task_carry, request_carry[2], warp_carry[SIM_CORES_MAX], slice_carry[SIM_SLICES_MAX][2];
	uint64_t (*rest)[SIM_LANES]; /* of its chains, one after the other, in the model's */
};

/* Set the profile of a load to that of a job. clock_share: clock relative to the top; pixels: drawn
 * per cycle of work, for fragments; used: the ratios to calculate. */
void sim_profile_init(struct sim_load *load, const struct sim_gpu *gpu, const struct sim_job *job,
		      double clock_share, double pixels, const struct sim_formulas *formulas,
		      const struct sim_used *used);

struct sim_queue {
	struct sim_job pending[SIM_PENDING_MAX];
	uint64_t added, ended; /* jobs so far; pending are [ended, added) */
	bool running;
	uint64_t left;  /* work ticks of the running job */
	uint64_t speed; /* work per tick, SIM_ONE is alone */
	uint32_t carry;
};

static inline struct sim_job *sim_queue_head(struct sim_queue *queue)
{
	return &queue->pending[queue->ended % SIM_PENDING_MAX];
}

enum sim_root { ROOT_ANY, ROOT_EXEC, ROOT_VERTEX, ROOT_COMPUTE, ROOT_NONFRAG, ROOT_FRAG, ROOT_COUNT };

struct sim_core {
	uint32_t root[ROOT_COUNT];
	double behind[STREAMS];            /* how far this core lags, 0.03: 3 % */
	uint64_t any, exec, nonfrag, frag; /* ratios for the running set of streams */
	uint64_t part;                     /* share of the vertex warps that earlier cores left */
	uint32_t vertex_warps;             /* not yet processed by the rules */
};

/* Ratios of SIM_LANES instances, and how far each deviates from its job. */
struct sim_lanes {
	uint32_t ratios[STREAMS][SIM_RATIOS_MAX][SIM_LANES];
	float skew[SIM_RATIOS_MAX][SIM_LANES]; /* 1: no deviation */
};

/* Called with each frame and job, if `ctx` is set. */
struct sim_watcher {
	void *ctx;
	/* A frame is submitted, and this many are in flight. */
	void (*frame)(void *ctx, uint64_t frame, int64_t at_ns, unsigned in_flight);
	void (*job)(void *ctx, const struct sim_job *job, int64_t end_ns);
};

/* What SIM_LANES cores have counted. Lanes without a core stay 0. */
struct sim_core_row {
	struct sim_lanes lanes;
	uint64_t total[CORE_MAX][SIM_LANES];
};

struct sim_slice {
	uint64_t part; /* share of what earlier slices left */
	double skew;
};

struct sim_slice_row {
	struct sim_lanes lanes;
	uint64_t total[SLICE_MAX][SIM_LANES];
	uint64_t stall_rest[SIM_STALLS][SIM_LANES];
	uint32_t stall[SIM_STALLS][SIM_LANES]; /* ratios for the running set of streams */
};

/* Front-end units that process what each job brings, in ticks, while the GPU is active. */
enum sim_front_unit { FRONT_IRQ, FRONT_MCU, FRONT_CEU, FRONT_LSU };

struct sim_front {
	uint64_t left, wait; /* wait: done, but not yet counted */
};

struct sim_model {
	struct sim_gpu gpu;
	struct sim_scenario scenario;
	const struct gpu_product *product;
	uint64_t seed;
	double fps; /* of the display */
	unsigned width, height;
	int64_t frame_ns;   /* from one refresh that the game uses to the next */
	double pixels;      /* of a frame */
	double pixel_scale; /* relative to 1920x1080 */

	/* Time. `tick` is how far the model has run, `now_ns` a time in that tick. */
	uint64_t tick;
	int64_t now_ns;
	uint64_t khz;
	int64_t clock_ns; /* last change or governor visit; ticks are counted from here */
	uint64_t clock_tick, clock_rest;
	unsigned step, clock_changes;
	double load; /* share of the time before the governor's last visit */
	int64_t governor_ns;
	uint64_t governor_tick, governor_active;

	/* Frames. */
	uint64_t frame;
	double drifts[SIM_DRIFTS]; /* of the frames that are alike */
	unsigned in_flight;
	int64_t ready_ns; /* when the CPU will have the next frame */
	int64_t vsync;    /* number of the last refresh with a frame */
	int64_t hitches;  /* so far */
	struct sim_watcher watcher;

	/* Front end. */
	struct sim_queue queues[SIM_QUEUES_MAX];
	unsigned n_queues;
	bool shows;       /* counters are shown: sim_count_show */
	unsigned set;     /* running streams: bits 1 << enum sim_stream */
	uint64_t tail;    /* remaining ticks of the cache flush after the last job */
	uint64_t flushed; /* tick at which all totals were last brought up to date */
	uint64_t longest; /* longest time until the next flush, in ticks */
	struct sim_load loads[STREAMS][SIM_PASSES_MAX];
	struct sim_load *now[STREAMS]; /* of the job that runs on the stream, or that ran last */
	uint64_t lanes_key[STREAMS];   /* the load whose ratios the lanes have */
	uint64_t part[STREAMS];        /* ratios for the running set of streams */

	/* Ticks that the rules have not processed yet. */
	struct sim_front front[SIM_FRONT_UNITS];
	uint64_t wait_queue[STREAMS], wait_any, wait_tail, wait_stall;

	/* The rules of the product, and the ratios that they use. */
	struct sim_chain chains[SIM_LISTS];
	struct sim_formulas formulas;
	const struct sim_chain *core_chains[STREAMS][SIM_CORE_CHAINS]; /* always, always, texture, rays */
	struct sim_used used[STREAMS], used_core[STREAMS], used_slice, used_tiler;

	/* Totals. The lanes of the queues are the streams; the tiler and the front end have one
	 * lane. */
	uint64_t queue_total[QUEUE_MAX][SIM_LANES], gpu_total[GPU_MAX][SIM_LANES],
		tiler_total[TILER_MAX][SIM_LANES];
	uint32_t queue_shares[QUEUE_MAX][SIM_LANES], gpu_shares[GPU_MAX][SIM_LANES]; /* as in the rules */
	double stall_shares[SIM_STALLS][3];
	unsigned n_queue_rules;
	double queue_waits[QUEUE_MAX][STREAMS];      /* of the jobs that run, relative to the shares */
	uint32_t queue_ratios[QUEUE_MAX][SIM_LANES]; /* of the jobs that run */
	uint64_t queue_rest[SIM_RULES_MAX][SIM_LANES], gpu_rest[SIM_RULES_MAX][SIM_LANES];
	uint64_t load_rest[SIM_LOADS * SIM_RESTS_MAX][SIM_LANES]; /* only what loads use is touched */
	unsigned n_load_rest;
	struct sim_core cores[SIM_CORES_MAX];
	struct sim_slice slices[SIM_SLICES_MAX];
	struct sim_lanes tiler_lanes; /* only one lane is used */
	struct sim_core_row core_rows[SIM_CORES_MAX / SIM_LANES];
	struct sim_slice_row slice_rows[SIM_SLICES_MAX / SIM_LANES];
};

/* Defaults of --fps and --resolution. */
#define SIM_FPS 60.0
#define SIM_WIDTH 1920
#define SIM_HEIGHT 1080

/* Read the scenario and the GPU that the options name. *model must be zeroed; call sim_count_show
 * afterwards, unless only jobs are watched. */
struct source_options;
bool sim_model_init(struct sim_model *model, const struct source_options *options, struct err *err);
/* Run until `ns` after the start, and bring all totals up to date. */
void sim_model_run(struct sim_model *model, int64_t ns);

/* Frames: put the jobs of the next one into the queues (sim_frame.c). */
void sim_frame_submit(struct sim_model *model, int64_t at_ns);

/* Counting (sim_count.c; show and flush: sim_flush.c). show: once, before the first run; only these
 * totals are kept, and without it none. begin and end: around a change of the job that a stream
 * runs. rates: the set has changed. ticks: this much time passed and this much work was done, at
 * most `longest` since the last flush. flush: bring all totals up to date. */
void sim_count_init(struct sim_model *model);
void sim_count_show(struct sim_model *model, const struct sim_book *book, struct sim_wants wants[SIM_BLOCKS]);
void sim_count_begin(struct sim_model *model, const struct sim_job *job);
void sim_count_end(struct sim_model *model, const struct sim_job *job);
void sim_count_rates(struct sim_model *model);
void sim_count_ticks(struct sim_model *model, uint64_t ticks);
void sim_count_flush(struct sim_model *model);
/* The same for a part, before its ratios change (sim_flush.c). */
void sim_flush_load(struct sim_model *model, enum sim_stream stream, struct sim_load *load);
void sim_flush_waits(struct sim_model *model);

/* The differences between cores and slices (sim_lanes.c): call once, for the whole run. */
void sim_lanes_init(struct sim_model *model);
/* Give the lanes of a stream the ratios of that load, unless they have them. */
void sim_lanes_set(struct sim_model *model, enum sim_stream stream, const struct sim_load *load);
/* The stalls of the slices for the running set of streams, and the waits of the queues for the
 * jobs that run (sim_lanes.c). init: the waits of the jobs of a load. */
void sim_waits_init(const struct sim_model *model, const struct sim_job *job, struct sim_load *load);
void sim_waits_set(struct sim_model *model);

/* A share as a ratio, limited to 0 and 1. */
static inline uint32_t sim_share(double x)
{
	return (uint32_t)((x < 0 ? 0 : x > 1 ? 1 : x) * SIM_ONE);
}

static inline unsigned sim_rows(unsigned instances)
{
	return (instances + SIM_LANES - 1) / SIM_LANES;
}

#endif
