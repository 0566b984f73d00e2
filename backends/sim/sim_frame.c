#include "backends/sim/sim_model.h"
#include "base/real.h"

#include <assert.h>
#include <math.h>

#define SHOT_NS 6500000000ll /* mean length of a shot; a cut is up to 4 s late */
#define LATE_NS 4000000000.0
#define SWAY_NS 3100000000ll
#define TREMBLE_NS 700000000ll

static double knot_value(uint64_t seed, uint64_t knot, unsigned what)
{
	return 2 * sim_hash_unit(sim_hash(seed, knot, what)) - 1;
}

/* Return a value that moves smoothly from one knot to the next. */
static double glide_value(uint64_t seed, int64_t at_ns, int64_t period_ns, unsigned what)
{
	uint64_t knot = (uint64_t)(at_ns / period_ns);
	double x = (double)(at_ns % period_ns) / (double)period_ns;
	double from = knot_value(seed, knot, what), to = knot_value(seed, knot + 1, what);

	return from + (to - from) * x * x * (3 - 2 * x);
}

void sim_drift(uint64_t seed, int64_t at_ns, double drifts[SIM_DRIFTS])
{
	uint64_t shot = 1 + (uint64_t)(at_ns / SHOT_NS);

	if ((double)(at_ns % SHOT_NS) < LATE_NS * sim_hash_unit(sim_hash(seed, shot, 7000)))
		shot--;
	for (unsigned i = 0; i < SIM_DRIFTS; i++)
		drifts[i] = 0.45 * knot_value(seed, shot, 7010 + i) +
			    0.35 * glide_value(seed, at_ns, SWAY_NS, 7020 + i) +
			    0.2 * glide_value(seed, at_ns, TREMBLE_NS, 7030 + i);
}

/* `primitives` of the pass, before culling; `pixels` that the pass draws. */
static void init_size(struct sim_size *size, const struct sim_look *look, double primitives, double pixels)
{
	double entering = primitives * (1 - look->facing) * (1 - look->frustum) + 1,
	       layers = look->overdraw * (1 + look->hidden_kill) * (1 + look->early_kill),
	       covered = pixels * layers, edge;

	size->culled = 1 / (1 + 0.9 * covered / entering);
	size->visible = entering * (1 - size->culled);
	size->pixels = covered / size->visible;
	edge = real_root(size->pixels);
	size->quads = real_max(size->pixels / 4 + 0.85 * edge + 0.3, 1);
	size->partial = real_min(1.7 * edge / (size->pixels / 4 + 1.7 * edge), 0.96);
}

static struct sim_queue *queue_of(struct sim_model *m, enum sim_stream stream)
{
	return &m->queues[m->gpu.job_manager && stream == STREAM_COMPUTE ? STREAM_VERTEX : stream];
}

/* Let the job start after all jobs in the other queues. Its own queue keeps the order. */
static void need_all(struct sim_model *m, struct sim_job *job)
{
	for (unsigned q = 0; q < m->n_queues; q++)
		job->need[q] = m->queues[q].added - (&m->queues[q] == queue_of(m, job->stream));
}

/* Return the current load of a pass, in units of 1/60 s at the top clock: some passes scale with
 * the whole frame, some with the view of the camera. */
static double load_of(const struct sim_model *m, unsigned pass, enum sim_stream stream)
{
	const double pixels = stream == STREAM_FRAGMENT ? m->pixel_scale : 1;
	uint64_t what = 5000 + pass * STREAMS + stream;
	double jitter = 0.1 * (sim_hash_unit(sim_hash(m->seed, m->frame / SIM_FRAMES_ALIKE, what)) - 0.5);
	double more = (0.06 + 0.5 * m->scenario.wave) * m->drifts[(1 + pass + 3 * stream) % SIM_DRIFTS];

	return m->scenario.passes[pass].load[stream] * pixels * (1 + m->scenario.wave * m->drifts[0]) *
	       (1 + jitter + more);
}

/* `least` is the lower limit of the load. */
static struct sim_job *add_job(struct sim_model *m, unsigned pass, enum sim_stream stream, double least)
{
	static const double task_cycles[STREAMS] = {[STREAM_VERTEX] = 700, [STREAM_COMPUTE] = 2000};
	struct sim_queue *queue = queue_of(m, stream);
	struct sim_job *job = &queue->pending[queue->added % SIM_PENDING_MAX];
	const struct sim_pass *p = &m->scenario.passes[pass];
	double ticks =
		real_max(load_of(m, pass, stream), least) * (double)m->gpu.top_khz * 1000 / 60 / SIM_TICK;

	assert(queue->added - queue->ended < SIM_PENDING_MAX);
	queue->added++;
	*job = (struct sim_job){
		.stream = stream,
		.pass = p,
		.frame = m->frame,
		.work = ticks < 1 ? 1 : (uint64_t)ticks,
		.key = sim_hash(m->seed, m->frame / SIM_FRAMES_ALIKE, pass * STREAMS + stream),
		.drifts = m->drifts,
	};
	job->tasks = 1 + (uint64_t)(stream == STREAM_FRAGMENT
					    ? m->pixels * p->pixels / (m->gpu.task * m->gpu.task)
					    : (double)(job->work * SIM_TICK) / task_cycles[stream]);
	if (p->waits > 0 || stream == STREAM_FRAGMENT)
		need_all(m, job);
	return job;
}

/* The least time that the raster units and the bus allow for the fragments of a pass, in units of
 * 1/60 s at the top clock, however simple its shaders are. */
static double fill_limit(const struct sim_model *m, const struct sim_pass *pass, const struct sim_size *size)
{
	double pixels = m->pixels * pass->pixels, bus = m->gpu.slices * m->gpu.bus_bits / 8.0;
	double raster = size->visible * size->quads / m->gpu.cores * 1.5,
	       write = pixels * pass->look.tile_bytes / bus / 0.5;

	return real_max(raster, write) * 60 / ((double)m->gpu.top_khz * 1000);
}

/* A render pass: binning, then fragments, which wait for it; or a dispatch. */
static struct sim_job *add_pass(struct sim_model *m, unsigned pass)
{
	const struct sim_pass *p = &m->scenario.passes[pass];
	struct sim_job *job;
	struct sim_size size;

	if (p->load[STREAM_COMPUTE] > 0)
		return add_job(m, pass, STREAM_COMPUTE, 0);
	job = add_job(m, pass, STREAM_VERTEX, 0);
	init_size(&size, &p->look, (double)(job->work * SIM_TICK) * p->look.primitives,
		  m->pixels * p->pixels);
	job->size = size;
	job = add_job(m, pass, STREAM_FRAGMENT, fill_limit(m, p, &size));
	job->size = size;
	return job;
}

static void next_ready(struct sim_model *m, const struct sim_phase *phase, int64_t at_ns)
{
	const struct sim_scenario *s = &m->scenario;
	double cpu_frame = s->cpu_frame;
	unsigned refreshes = (unsigned)phase->refreshes;
	int64_t every_ns = (int64_t)s->hitch_every * 1000000000, hitches;

	if (cpu_frame > 0) {
		double late = 0.85 + 0.3 * sim_hash_unit(sim_hash(m->seed, m->frame, 6000));

		m->ready_ns = at_ns + (int64_t)(cpu_frame * late * 1e9 / 60);
	} else if (refreshes) {
		int64_t now = at_ns / m->frame_ns;

		/* A late frame is shown at a later refresh. Missed refreshes are not made up
		 * for. */
		m->vsync = m->vsync + refreshes > now ? m->vsync + refreshes : now;
		m->ready_ns = m->vsync * m->frame_ns;
	}
	hitches = every_ns ? (at_ns + every_ns - (int64_t)s->hitch_first * 1000000000) / every_ns : 0;
	if (hitches == m->hitches)
		return;
	/* The CPU makes no frame while it loads something, now and then. */
	m->hitches = hitches;
	m->ready_ns += 220000000 + (int64_t)(sim_hash(m->seed, (uint64_t)hitches, 6001) % 160000000);
}

void sim_frame_submit(struct sim_model *m, int64_t at_ns)
{
	const struct sim_phase *phase = sim_scenario_phase(&m->scenario, at_ns);
	struct sim_job *last = NULL;

	if (m->frame % SIM_FRAMES_ALIKE == 0) {
		m->drifts = m->all_drifts[m->frame / SIM_FRAMES_ALIKE % 2];
		sim_drift(m->seed, at_ns, m->drifts);
	}
	for (unsigned i = 0; i < m->scenario.n_passes; i++)
		if (phase->passes & 1u << i)
			last = add_pass(m, i);
	need_all(m, last);
	last->ends_frame = true;
	if (m->watcher.ctx)
		m->watcher.frame(m->watcher.ctx, m->frame, at_ns, m->in_flight);
	m->in_flight++;
	next_ready(m, phase, at_ns);
	m->frame++;
}
