/* sim_model: a tile-based GPU as a process in time.
 *
 * Time runs in ticks of SIM_TICK GPU cycles. Frames become jobs (binning, fragment, compute) that
 * wait for their inputs in the queues of the front end; jobs on different queues overlap and
 * share the cores. Between two events (a job begins or ends, the clock changes) everything
 * advances at constant rates.
 *
 * Every counter is derived from the ticks through a chain of rules: `out = floor(in * ratio)` whose
 * remainder is carried on, sums and differences. So a chain depends only on the sum of its inputs:
 * two halves of a time add up to the whole. And a part never exceeds its whole, not even in a
 * sample of one tick, so killed <= tested <= rasterized and every percentage hold in every sample.
 * If several events make up one unit (four warps of one blend call), the chain starts from it.
 *
 * Ratios come from the scenario, the product, the current drift (sim_drift) and a hash of (seed,
 * frame, pass), the same for SIM_FRAMES_ALIKE frames, never from a sequence of random numbers.
 * Every core and slice has its own ratios, a little different from those of the job: its skew.
 */
#ifndef MALITOP_SIM_MODEL_H
#define MALITOP_SIM_MODEL_H

#include "backends/sim/sim.h"
#include "model/expr.h"
#include "model/gpudb.h"

#define SIM_TICK 8 /* GPU cycles; every clock in whole MHz has a whole number of ticks per ms */
#define SIM_CORES_MAX 64
#define SIM_SLICES_MAX 16
#define SIM_QUEUES_MAX 3
#define SIM_FRAMES_ALIKE 4                   /* frames in a row with the same work and ratios */
#define SIM_PENDING_MAX (3 * SIM_PASSES_MAX) /* jobs of the frames in flight, per queue */
#define SIM_SETS (1u << STREAMS)

/* Rules: how one quantity follows from others, as src/data/demo.rules describes it. A rule is
 * applied to increases: a part is a share whose remainder is carried on; every other rule adds a
 * multiple of a second quantity.
 *
 * Thousands of rules are applied per sample, so instances are side by side in lanes: the arithmetic
 * is straight over SIM_LANES numbers of 32 bits, which compilers vectorize. The model flushes often
 * enough for 32 bits. */
#define SIM_ONE (1u << 24) /* a ratio of 1 */
#define SIM_LANES 4

/* The quantities that the model itself uses, by block, as the text begins with them: inputs of the
 * rules, then outputs that it uses further. Cycles are GPU cycles, traffic is in beats of 16 bytes.
 * GPU_ZERO is always 0: the reserved queue, the second stage of the MMU. From GPU_UNITS on are
 * cycles of units of the front end: interrupts, MCU, CEU, LSU. */
enum sim_block { SIM_QUEUE, SIM_FRONT, SIM_TILER, SIM_CORE, SIM_SLICE, SIM_BLOCKS };
enum { QUEUE_CYCLES, QUEUE_JOBS, QUEUE_TASKS };
enum { GPU_ZERO, GPU_ACTIVE, GPU_ANY_QUEUE, GPU_IRQS, GPU_FLUSHES, GPU_TAIL, GPU_UNITS };
enum { TILER_WORK, TILER_QUEUE, TILER_READ_BEATS, TILER_WRITE_BEATS, TILER_WARPS };
enum { CORE_ANY, CORE_NONFRAG, CORE_FRAG, CORE_EXEC, CORE_EXEC_QUARTER, CORE_VERTEX_WARPS, CORE_READS };
enum { SLICE_READS, SLICE_WRITES, SLICE_ACTIVE };
#define SIM_UNITS 4                  /* of the front end */
#define CORE_WRITES (CORE_READS + 5) /* by unit, as the reads */
#define CORE_TRAFFIC_END (CORE_WRITES + 4)

/* A part: out = a * ratio, and b is a. Otherwise out = a + b * factor. */
struct sim_rule {
	bool is_part;
	uint8_t out, a, b;
	int16_t factor; /* of a part: the number of its ratio (first of its value), or of its wait */
};

/* What the ratios of a part in the last three lists follow from. */
struct sim_wait {
	double shares[STREAMS];
	unsigned number; /* of the rule in its list */
};

/* A list comes before the lists that use its quantities. Those before LIST_STALL count the work of
 * loads; the parts of the others have waits instead of ratios. */
enum sim_list {
	LIST_EXEC,     /* every kind of work: from CORE_EXEC, CORE_EXEC_QUARTER */
	LIST_TEXTURE,  /* with texturing: the same inputs */
	LIST_RAYS,     /* with ray tracing: the same inputs */
	LIST_FRAGMENT, /* and from CORE_FRAG */
	LIST_NONFRAG,  /* and from CORE_VERTEX_WARPS */
	LIST_TILER,    /* from TILER_WORK, TILER_QUEUE */
	LIST_SLICE,    /* from SLICE_READS, SLICE_WRITES */
	LIST_STALL,    /* from SLICE_ACTIVE; shares of the stall of reads, of writes, and its own */
	LIST_QUEUE,    /* from QUEUE_CYCLES; shares by stream */
	LIST_FRONT,    /* from GPU_ANY_QUEUE, GPU_TAIL; one share */
	SIM_LISTS
};

struct sim_rules {
	enum sim_block block;
	struct sim_rule *rules;
	unsigned n, cap, n_parts, waits_cap;
	struct sim_wait *waits; /* of the parts in the last three lists */
	float *skew; /* by part and lane: of ratios, relative to those of the job; of waits, the ratios */
};

/* A hash, the source of all random variation. */
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

/* The properties of the product that the model uses. The rules use more of them by name. */
struct sim_gpu {
	unsigned cores, slices, bus_bits, task, varying_slots;
	double tex_per_cycle; /* bilinear samples filtered per cycle */
	bool job_manager;     /* vertex and compute work share a queue */
	bool ray_tracing;
	uint64_t top_khz;
	struct gpu_constant facts[24]; /* the last one has no name */
};

/* Triangles of a pass on the screen. Small ones cost more than their pixels. Many cover no sample
 * point and are culled late; the others cover only little of the quads and warps that they
 * shade. */
struct sim_size {
	double visible; /* primitives that pass all tests */
	double culled;  /* share of the primitives in the sample test that it culls */
	double pixels;  /* pixels covered by a visible primitive, hidden layers included */
	double quads;   /* rasterized per visible primitive: at least one */
	double partial; /* share of quads that it covers only partly */
};

struct sim_job {
	enum sim_stream stream;
	const struct sim_pass *pass;
	uint64_t work; /* in ticks, if the job runs alone */
	uint64_t tasks;
	uint64_t key;                  /* seeds the deviations of this job */
	const double *drifts;          /* at the submission of the first of the alike frames */
	struct sim_size size;          /* of a render pass */
	uint64_t need[SIM_QUEUES_MAX]; /* jobs of each queue that must end first */
	uint64_t frame;
	int64_t begin_ns; /* when it began to run */
	bool ends_frame;
};

/* Inputs of formulas about a job, named in the text. Those before `size` are the same for all jobs
 * of a pass. */
struct sim_inputs {
	struct sim_shader shader;
	struct sim_look look;
	double streams[STREAMS]; /* 1 for that of the job */
	struct sim_size size;
	double load;      /* memory: beats per cycle and slice */
	double slower[5]; /* shares of reads that wait longer than 128, 192, 256, 320 and 384 cycles */
	double pixels;    /* pixels that one core finishes per cycle of execution */
	double threads;   /* threads that one core finishes per cycle of execution */
	double issue;     /* share of active cycles in which a core executes */
};

#define SIM_INPUTS (sizeof(struct sim_inputs) / sizeof(double))

/* What is known about a job: an input, without a formula, or what follows from earlier values. */
struct sim_value {
	struct expr formula;
	bool varies;    /* differs between the jobs of a pass */
	int16_t ratio;  /* its number among the ratios; -1: none */
	uint16_t lists; /* that need it: bits by enum sim_list */
};

/* The rules for one product.
 *
 * Ratios are numbered in the order of the text, because their deviations depend on their numbers.
 * Those before `n_shares` are shares of a whole and never exceed 1; those before `n_content` are
 * those of ordinary content, slightly different in every job. */
struct sim_laws {
	struct sim_rules lists[SIM_LISTS];
	struct sim_value *values; /* the inputs come first */
	unsigned n_values, values_cap, n_ratios, n_content, n_shares, n_quantities[SIM_BLOCKS];
};

/* The names in the text, needed only until the counters are found. */
struct sim_book {
	struct sim_counter {
		struct span name; /* "Queue...": of each queue */
		uint8_t block, quantity;
	} * counters;
	unsigned n_counters, counters_cap;
	struct sim_names {
		struct span *names;
		unsigned n, cap;
	} quantities[SIM_BLOCKS], values;
	bool needed[SIM_BLOCKS][UINT8_MAX]; /* a counter shows it, or another follows from it */
};

/* Read the rules of a text (sim_book.c); NULL: the shipped one. Call sim_laws_fini even after a
 * failure. */
bool sim_book_load(struct sim_book *book, struct sim_laws *laws, const struct sim_gpu *gpu,
		   const struct gpudb_text *text, struct err *err);
/* Remove the rules that lead to no quantity that is needed, and the formulas that no rule needs. */
void sim_book_prune(struct sim_book *book, struct sim_laws *laws);
void sim_book_free(struct sim_book *book);
void sim_laws_fini(struct sim_laws *laws);

/* The work of one pass on one stream: the ratios that the jobs of some frames share, and the ticks
 * that the rules have not processed yet. It has its own remainders, so that the order in which
 * loads are counted does not matter. */
struct sim_load {
	unsigned stream;
	unsigned lists;                 /* that count it: bits by enum sim_list */
	uint64_t key;                   /* of those jobs; 0: there was none */
	double read_stall, write_stall; /* shares of active cycles */
	double issue;                   /* share of active cycles in which a core executes, alone */
	double any;                     /* share of queue time in which a core has work, alone */
	uint64_t task_ratio;
	uint64_t work, tiler;
	uint32_t *exec, *frag; /* execution and fragment active, by core */
	uint32_t *rest;        /* all remainders, in the order in which a flush needs them */
	float *ratios;         /* whole numbers; SIM_ONE is 1 */
	double *waits;         /* of the queue by part, relative to its shares */
	double *values;        /* of the formulas */
	bool known;            /* those that do not vary */
	bool touched;          /* has such ticks */
};

struct sim_queue {
	struct sim_job pending[SIM_PENDING_MAX];
	uint64_t added, ended; /* jobs so far; pending are [ended, added) */
	bool running;
	uint64_t left;  /* remaining work of the running job in ticks */
	uint64_t speed; /* work per tick; SIM_ONE is the speed of a job that runs alone */
	uint32_t carry;
};

static inline struct sim_job *sim_queue_head(struct sim_queue *queue)
{
	return &queue->pending[queue->ended % SIM_PENDING_MAX];
}

struct sim_core {
	uint32_t rest[6];                  /* remainders, in the order in which ticks need them */
	double behind[STREAMS];            /* lag of this core; 0.03 is 3 % */
	uint32_t any, exec, nonfrag, frag; /* ratios for the running set of streams */
	uint32_t part;                     /* share of the vertex warps that earlier cores did not take */
};

struct sim_slice {
	uint32_t part; /* share that earlier slices did not take */
	double skew;
};

/* The instances of a block side by side; lanes without an instance stay 0. The lanes of the queues
 * are the streams, then all work that is not fragment work. Tiler and front end use one lane. */
struct sim_lanes {
	unsigned n;      /* a multiple of SIM_LANES */
	uint64_t *total; /* by quantity and lane */
};
#define LANE_NONFRAG STREAMS

/* Called with each frame that is submitted, and how many are in flight, and with each job that has
 * ended, if `ctx` is set. */
struct sim_watcher {
	void *ctx;
	void (*frame)(void *ctx, uint64_t frame, int64_t at_ns, unsigned in_flight);
	void (*job)(void *ctx, const struct sim_job *job, int64_t end_ns);
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
	double *drifts, all_drifts[2][SIM_DRIFTS]; /* of the frames that are alike, and of those before */
	unsigned in_flight;
	int64_t ready_ns; /* time when the CPU has the next frame ready */
	int64_t vsync;    /* number of the last refresh with a frame */
	int64_t hitches;  /* so far */
	struct sim_watcher watcher;

	/* Front end. */
	struct sim_queue queues[SIM_QUEUES_MAX];
	unsigned n_queues;
	unsigned set;     /* running streams: bits 1 << enum sim_stream */
	uint64_t active;  /* cycles in which the GPU was active */
	uint64_t tail;    /* remaining ticks of the cache flush after the last job */
	uint64_t flushed; /* tick at which all totals were last brought up to date */
	uint64_t longest; /* longest time until the next flush, in ticks */
	struct sim_load loads[STREAMS][SIM_PASSES_MAX];
	struct sim_load *now[STREAMS]; /* of the job that runs on the stream, or that ran last */
	uint64_t part[STREAMS];        /* ratios for the running set of streams */
	uint64_t unit_left[SIM_UNITS]; /* remaining ticks from the last jobs */

	/* Ticks that the rules have not processed yet. */
	uint64_t wait_queue[STREAMS], wait_any, front_any, front_tail;

	/* Counting. */
	bool shows;   /* sim_count_show was called */
	void **owned; /* all memory that it allocated, here, in loads and in lists */
	unsigned n_owned, owned_cap;
	struct sim_laws laws;
	struct sim_lanes blocks[SIM_BLOCKS];
	uint32_t *increases; /* of one block, by quantity and lane, while rules are applied */
	uint32_t *rest;      /* remainders of the rules of waits */
	struct sim_core *cores;
	struct sim_slice slices[SIM_SLICES_MAX];
};

/* Defaults of --fps and --resolution. */
#define SIM_FPS 60.0
#define SIM_WIDTH 1920
#define SIM_HEIGHT 1080

/* Read the scenario and the GPU that the options name. *model must be zeroed; call sim_count_show
 * afterwards, unless only jobs are watched. */
bool sim_model_init(struct sim_model *model, const struct source_options *options, struct err *err);
void sim_model_fini(struct sim_model *model);
/* Run until `ns` after the start, and bring all totals up to date. */
void sim_model_run(struct sim_model *model, int64_t ns);

/* Frames: put the jobs of the next one into the queues (sim_frame.c). */
void sim_frame_submit(struct sim_model *model, int64_t at_ns);

/* Counting (sim_count.c). begin and end: call them around a change of a stream's job. rates: call
 * it when the set of streams has changed. ticks: add this time and this work, at most `longest`
 * since the last flush. */
void sim_count_begin(struct sim_model *model, const struct sim_job *job);
void sim_count_end(struct sim_model *model, const struct sim_job *job);
void sim_count_rates(struct sim_model *model);
void sim_count_ticks(struct sim_model *model, uint64_t ticks);
/* Totals (sim_flush.c). show: call it once, before the first run, after the laws were read; without
 * it there are no totals. flush: update all totals, or only those of a load before its ratios
 * change. waits: likewise for slices and queues, and give them the ratios of the running jobs. */
void sim_count_show(struct sim_model *model);
void *sim_own(struct sim_model *model, size_t n, size_t size); /* zeroed, until sim_model_fini */
void sim_count_flush(struct sim_model *model);
void sim_flush_load(struct sim_model *model, struct sim_load *load);
void sim_set_waits(struct sim_model *model);

/* Return floor(amount * ratio), carrying the remainder. */
static inline uint64_t sim_part(uint64_t amount, uint64_t ratio, uint32_t *carry)
{
	uint64_t x = amount * ratio + *carry;

	*carry = (uint32_t)(x & (SIM_ONE - 1));
	return x / SIM_ONE;
}

/* Convert a share to a ratio, limited to 0 and 1. */
static inline uint32_t sim_share(double x)
{
	return (uint32_t)((x < 0 ? 0 : x > 1 ? 1 : x) * SIM_ONE);
}

/* The total of a quantity in the first lane; the others follow. */
static inline uint64_t *sim_total(const struct sim_model *m, enum sim_block block, unsigned quantity)
{
	return m->blocks[block].total + quantity * m->blocks[block].n;
}

#endif
