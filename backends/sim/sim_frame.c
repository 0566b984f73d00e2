#include "backends/sim/sim_model.h"

#include <assert.h>

/* A slow wave, as when a camera turns towards more of a scene and away again: -1 to 1, with a corner at each end. */
static double wave(uint64_t seed, uint64_t frame)
{
	uint64_t period = 130 + sim_hash(seed, 0, 4000) % 60;
	double x = (double)((frame + sim_hash(seed, 0, 4001) % period) % period) / (double)period;

	return x < 0.5 ? 4 * x - 1 : 3 - 4 * x;
}

static unsigned queue_of(const struct sim_model *m, enum sim_stream stream)
{
	static const unsigned own[STREAMS] = {[STREAM_VERTEX] = 0, [STREAM_FRAGMENT] = 1, [STREAM_COMPUTE] = 2};

	return m->gpu.job_manager && stream == STREAM_COMPUTE ? 0 : own[stream];
}

/* `load` is in units of 1/60 s at the top clock. */
static struct sim_phase *add(struct sim_model *m, const struct sim_pass *pass, enum sim_stream stream, double load)
{
	struct sim_queue *queue = &m->queues[queue_of(m, stream)];
	struct sim_phase *phase = &queue->pending[queue->added % SIM_PENDING_MAX];
	double ticks = load * (double)m->gpu.top_khz * 1000 / 60 / SIM_TICK;

	assert(queue->added - queue->ended < SIM_PENDING_MAX);
	*phase = (struct sim_phase){
		.stream = stream,
		.pass = pass,
		.work = ticks < 1 ? 1 : (uint64_t)ticks,
		.key = sim_hash(m->seed, m->frame, (uint64_t)(pass - m->scenario->passes) * STREAMS + stream),
	};
	queue->added++;
	return phase;
}

static void need_all(const struct sim_model *m, struct sim_phase *phase, const struct sim_queue *own)
{
	for (unsigned q = 0; q < m->n_queues; q++)
		phase->need[q] = m->queues[q].added - (&m->queues[q] == own);
}

/* What the raster units and the bus allow at best for the fragments of a pass, in units of 1/60 s at the top clock: a pass cannot
 * take less, however simple its shaders. */
static double fill_limit(const struct sim_model *m, const struct sim_pass *pass)
{
	const struct sim_look *look = pass->look;
	double pixels = m->pixels * pass->pixels, bus = m->gpu.slices * m->gpu.bus_bits / 8.0;
	double quads = pixels / 4 * look->overdraw * (1 + look->hidden_kill) * (1 + look->early_kill);
	double raster = quads / m->gpu.cores * 1.5, write = pixels * look->tile_bytes / bus / 0.5;

	return (raster > write ? raster : write) * 60 / ((double)m->gpu.top_khz * 1000);
}

/* A render pass: binning, then fragments; a dispatch. Each waits for what it consumes. */
static struct sim_phase *add_pass(struct sim_model *m, const struct sim_pass *pass, double scale)
{
	static const double compute_task_cycles = 2000, vertex_task_cycles = 700;
	double jitter = 0.97 + 0.06 * sim_hash_unit(sim_hash(m->seed, m->frame, 5000 + (uint64_t)(pass - m->scenario->passes)));
	struct sim_phase *last = NULL;

	scale *= jitter;
	if (pass->compute > 0) {
		last = add(m, pass, STREAM_COMPUTE, pass->compute * scale);
		last->tasks = 1 + (uint64_t)((double)(last->work * SIM_TICK) / compute_task_cycles);
		if (pass->waits)
			need_all(m, last, &m->queues[queue_of(m, STREAM_COMPUTE)]);
	}
	if (pass->vertex > 0) {
		last = add(m, pass, STREAM_VERTEX, pass->vertex * scale);
		last->tasks = 1 + (uint64_t)((double)(last->work * SIM_TICK) / vertex_task_cycles);
		if (pass->waits)
			need_all(m, last, &m->queues[0]);
	}
	if (pass->fragment > 0) {
		double load = pass->fragment * scale * m->pixel_scale, least = fill_limit(m, pass);

		last = add(m, pass, STREAM_FRAGMENT, load > least ? load : least);
		last->tasks = 1 + (uint64_t)(m->pixels * pass->pixels / (m->gpu.task * m->gpu.task));
		need_all(m, last, &m->queues[1]);
	}
	return last;
}

static void next_ready(struct sim_model *m, int64_t at_ns)
{
	const struct sim_scenario *s = m->scenario;

	if (s->cpu_frame > 0) {
		double late = 0.85 + 0.3 * sim_hash_unit(sim_hash(m->seed, m->frame, 6000));

		m->ready_ns = at_ns + (int64_t)(s->cpu_frame * late * 1e9 / 60);
	} else if (s->vsyncs) {
		int64_t now = at_ns / m->frame_ns;

		/* A late frame is shown at a later refresh; the ones it missed are not made up for. */
		m->vsync = m->vsync + s->vsyncs > now ? m->vsync + s->vsyncs : now;
		m->ready_ns = m->vsync * m->frame_ns;
	}
}

void sim_frame_submit(struct sim_model *m, int64_t at_ns)
{
	const struct sim_scenario *s = m->scenario;
	double scale = 1 + s->wave * wave(m->seed, m->frame);
	struct sim_phase *last = NULL;

	for (unsigned i = 0; i < s->n_passes; i++)
		last = add_pass(m, &s->passes[i], scale);
	need_all(m, last, &m->queues[queue_of(m, last->stream)]);
	last->ends_frame = true;
	m->in_flight++;
	next_ready(m, at_ns);
	m->frame++;
}
