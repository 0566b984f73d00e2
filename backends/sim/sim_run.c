#include "backends/sim/sim_model.h"

#include "backends/backend.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define GOVERNOR_NS 53000000ll
#define TICK_DIVISOR (SIM_TICK * 1000000ull) /* ns * kHz per tick */
#define TAIL_TICKS 3000                      /* of the cache flush when the queues become empty */

/* Return a constant within the range of real GPUs, because it may come from a user's file. */
static double constant_of(const struct gpu_product *product, const char *name, double otherwise)
{
	double x = otherwise;

	for (unsigned i = 0; i < product->n_constants; i++)
		if (!strcmp(product->constants[i].name, name))
			x = product->constants[i].value;
	return x >= 1 && x <= 256 ? x : otherwise;
}

static bool layout_has(const struct gpu_layout *layout, const char *name)
{
	for (unsigned i = 0; i < layout->n_counters; i++)
		if (layout->counters[i].name && !strcmp(layout->counters[i].name, name))
			return true;
	return false;
}

static void init_gpu(struct sim_gpu *g, const struct gpu_product *product)
{
	const struct gpu_layout *layout = product->layout;
	bool fifth = product->family == FAMILY_5TH_GEN, dual = layout_has(layout, "MaliEngNarrowInstr"),
	     scissor = layout_has(layout, "MaliGeomScissorCullPrim");
	/* Midgard shades quads */
	unsigned warp = (unsigned)constant_of(product, "MaliGPUWarpSize",
					      product->family == FAMILY_MIDGARD ? 4 : 16),
		 quads = (warp + 3) / 4, task = (unsigned)constant_of(product, "MaliGPUGeomTaskSize", 4);

	*g = (struct sim_gpu){
		.cores = product->typical.cores,
		.slices = product->typical.slices,
		.bus_bits = product->typical.bus_bits,
		.task = (unsigned)constant_of(product,
					      fifth ? "MaliMainQueueTaskSize" : "MaliFragQueueTaskSize", 32),
		.varying_slots = (unsigned)constant_of(product, "MaliVarSlotPerCy", 1),
		.tex_per_cycle = constant_of(product, "MaliTexSamplePerCy", 1),
		.job_manager = product->family <= FAMILY_VALHALL_JM,
		.ray_tracing = layout_has(layout, "MaliRTURay"),
		.top_khz = (uint64_t)product->typical.mhz * 1000,
	};
	const struct gpu_constant facts[] = {
		{"cores", g->cores},
		{"slices", g->slices},
		{"bus_bits", g->bus_bits},
		{"quads_per_warp", quads},
		{"tile", (unsigned)constant_of(product, "MaliGPUTileSize", 16)},
		{"tex_per_cycle", g->tex_per_cycle},
		{"tex_per_message", layout_has(layout, "MaliTexInstr") ? 1
				    : g->job_manager                   ? 4
								       : 8},
		{"fma_pipes", dual ? 2 : 1},
		{"varying_slots", g->varying_slots},
		{"tile_checks", product->family >= FAMILY_VALHALL_CSF ? 4 : 1}, /* of 16x16 pixels each */
		{"read_beats", 512 / g->bus_bits}, /* of the external bus, per 64 bytes */
		{"warp_tasks", quads * 4 > task ? quads * 4 / task : 1},
		{"dual_issue", dual},
		{"parallel_pipes", product->family == FAMILY_VALHALL_JM}, /* the busiest is the load */
		{"prepass", layout_has(layout, "MaliFragPrepassWarp")},
		{"ray_tracing", g->ray_tracing},
		{"sample_test", layout_has(layout, "MaliGeomSampleCullPrim")},
		{"frustum_first", scissor},
		{"facing_first", !scissor},
	};

	_Static_assert(sizeof(facts) < sizeof(g->facts), "room for each, and an end");
	memcpy(g->facts, facts, sizeof(facts));
}

/* Return the units that have passed until `ns` since ticks are counted at this clock. */
static uint64_t units_until(const struct sim_model *m, int64_t ns)
{
	return (uint64_t)(ns - m->clock_ns) * m->khz + m->clock_rest;
}

/* Return the first ns in `tick`. */
static int64_t tick_ns(const struct sim_model *m, uint64_t tick)
{
	uint64_t units = (tick - m->clock_tick) * TICK_DIVISOR;

	return units <= m->clock_rest
		       ? m->clock_ns
		       : m->clock_ns + (int64_t)((units - m->clock_rest + m->khz - 1) / m->khz);
}

/* Adjust the clock by the load since the last visit. Like a governor, raise it faster than lower
 * it. */
static void govern_clock(struct sim_model *m)
{
	static const double steps[SIM_CLOCK_STEPS] = {0.4, 0.55, 0.7, 0.85, 1};
	uint64_t units;
	double load = (double)(m->active - m->governor_active) /
		      (double)((m->tick - m->governor_tick) * SIM_TICK + 1);
	unsigned step = m->step;

	m->load = load < 1 ? load : 1;
	m->governor_active = m->active;
	m->governor_tick = m->tick;
	m->governor_ns += GOVERNOR_NS;
	if (load > 0.92)
		step = SIM_CLOCK_STEPS - 1;
	else if (load > 0.74 && step < SIM_CLOCK_STEPS - 1)
		step++;
	else if (load < 0.52 && step > 0)
		step--;
	units = units_until(m, m->now_ns);
	m->clock_tick += units / TICK_DIVISOR;
	m->clock_rest = units % TICK_DIVISOR;
	m->clock_ns = m->now_ns;
	if (step == m->step)
		return;
	m->step = step;
	m->khz = (uint64_t)((double)m->gpu.top_khz * steps[step]) / 1000 * 1000;
	m->clock_changes++;
}

static bool may_start(const struct sim_model *m, const struct sim_job *job)
{
	for (unsigned q = 0; q < m->n_queues; q++)
		if (m->queues[q].ended < job->need[q])
			return false;
	return true;
}

static void start_jobs(struct sim_model *m)
{
	for (unsigned q = 0; q < m->n_queues; q++) {
		struct sim_queue *queue = &m->queues[q];
		struct sim_job *job = sim_queue_head(queue);

		if (queue->running || queue->ended == queue->added || !may_start(m, job))
			continue;
		sim_count_begin(m, job);
		queue->running = true;
		job->begin_ns = tick_ns(m, m->tick);
		queue->left = job->work;
		m->set |= 1u << job->stream;
		m->tail = 0;
	}
}

/* Return the ticks until the next event in the front end, at most `limit`. */
static uint64_t until_event(const struct sim_model *m, uint64_t limit)
{
	for (unsigned q = 0; q < m->n_queues; q++) {
		const struct sim_queue *queue = &m->queues[q];
		uint64_t ticks;

		if (!queue->running)
			continue;
		ticks = (queue->left * SIM_ONE - queue->carry + queue->speed - 1) / queue->speed;
		limit = ticks < limit ? ticks : limit;
	}
	return limit;
}

/* Submit the frames that the CPU has ready, as long as their number in flight permits, and start
 * every job that can start. */
static void submit_frames(struct sim_model *m, int64_t at_ns)
{
	while (m->ready_ns <= at_ns && m->in_flight < m->scenario.in_flight)
		sim_frame_submit(m, at_ns);
	start_jobs(m);
	sim_count_rates(m);
}

static void end_jobs(struct sim_model *m)
{
	bool ended = false;

	for (unsigned q = 0; q < m->n_queues; q++) {
		struct sim_queue *queue = &m->queues[q];
		const struct sim_job *job = sim_queue_head(queue);

		if (!queue->running || queue->left)
			continue;
		sim_count_end(m, job);
		if (m->watcher.ctx)
			m->watcher.job(m->watcher.ctx, job, tick_ns(m, m->tick));
		queue->running = false;
		m->set &= ~(1u << job->stream);
		m->in_flight -= job->ends_frame;
		queue->ended++;
		ended = true;
	}
	if (!ended)
		return;
	submit_frames(m, tick_ns(m, m->tick));
	if (!m->set) {
		m->tail = TAIL_TICKS;
		if (m->shows)
			++*sim_total(m, SIM_FRONT, GPU_FLUSHES);
	}
}

/* Run the front end until `tick`. */
static void run_ticks(struct sim_model *m, uint64_t tick)
{
	while (m->tick < tick) {
		uint64_t ticks = tick - m->tick;

		ticks = until_event(m, ticks < m->longest ? ticks : m->longest);
		if (m->tick + ticks - m->flushed > m->longest)
			sim_count_flush(m);
		sim_count_ticks(m, ticks);
		m->tick += ticks;
		end_jobs(m);
	}
}

void sim_model_run(struct sim_model *m, int64_t ns)
{
	while (m->now_ns < ns) {
		int64_t next = m->governor_ns < ns ? m->governor_ns : ns;

		if (m->ready_ns > m->now_ns && m->ready_ns < next)
			next = m->ready_ns;
		run_ticks(m, m->clock_tick + units_until(m, next) / TICK_DIVISOR);
		m->now_ns = next;
		if (m->ready_ns <= m->now_ns && m->in_flight < m->scenario.in_flight)
			submit_frames(m, m->now_ns);
		if (m->now_ns == m->governor_ns)
			govern_clock(m);
	}
	sim_count_flush(m);
}

static const struct gpu_product *find_product(const struct source_options *options, struct err *err)
{
	const char *name = options->gpu_name ? options->gpu_name : SIM_GPU_DEFAULT;
	const struct gpu_product *product = gpudb_by_name(options->db, name);
	char shown[64];

	if (!product)
		err_set(err, 0, "sim: unknown GPU '%s': see `malitop list gpus`",
			str_printable(shown, sizeof(shown), name));
	else if (!product->layout->n_published)
		err_set(err, 0, "sim: %s has no published counters: see `malitop list gpus` for others",
			product->name);
	else if (product->typical.cores - 1 >= SIM_CORES_MAX ||
		 product->typical.slices - 1 >= SIM_SLICES_MAX || product->typical.bus_bits - 1 >= 512 ||
		 512 % product->typical.bus_bits || !product->typical.mhz)
		err_set(err, 0,
			"sim: %s cannot be simulated: its `typical` line needs 1 to %d cores, 1 to %d "
			"slices, a bus that divides "
			"512 bits, and a clock",
			product->name, SIM_CORES_MAX, SIM_SLICES_MAX);
	else
		return product;
	return NULL;
}

bool sim_model_init(struct sim_model *m, const struct source_options *o, struct err *err)
{
	double fps = o->frames_per_second > 0 ? o->frames_per_second : SIM_FPS;

	if (!sim_scenario_load(&m->scenario, o->db, o->scenario, err))
		return false;
	m->product = find_product(o, err);
	if (!m->product)
		return false;
	init_gpu(&m->gpu, m->product);
	m->seed = o->seed;
	m->fps = fps;
	m->width = o->width ? o->width : SIM_WIDTH;
	m->height = o->height ? o->height : SIM_HEIGHT;
	m->frame_ns = (int64_t)(1e9 / (m->scenario.fps > 0 ? m->scenario.fps : fps)) + 1;
	m->pixels = (double)m->width * m->height;
	m->pixel_scale = m->pixels / (SIM_WIDTH * SIM_HEIGHT);
	m->n_queues = m->gpu.job_manager ? 2 : 3;
	m->step = (unsigned)m->scenario.clock_step;
	m->khz = m->gpu.top_khz;
	m->governor_ns = GOVERNOR_NS + (int64_t)(sim_hash(m->seed, 0, 3000) % GOVERNOR_NS);
	m->ready_ns = 1 + (int64_t)(sim_hash(m->seed, 0, 3001) % (uint64_t)m->frame_ns);
	for (unsigned s = 0; s < STREAMS; s++)
		for (unsigned i = 0; i < SIM_PASSES_MAX; i++)
			m->loads[s][i].stream = s;
	/* Flush often enough that no result exceeds 32 bits: in a core, few things happen more than
	 * once per cycle; a slice may have to write for all cores. */
	m->longest = (1ull << 32) / SIM_TICK /
		     (16 + 2 * (m->gpu.varying_slots + (unsigned)m->gpu.tex_per_cycle) +
		      m->gpu.cores * (512 / m->gpu.bus_bits));
	return true;
}

void sim_model_fini(struct sim_model *m)
{
	while (m->n_owned)
		free(m->owned[--m->n_owned]);
	free(m->owned);
	sim_laws_fini(&m->laws);
}
