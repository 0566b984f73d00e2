#include "backends/sim/sim_model.h"
#include "base/alloc.h"
#include "base/real.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

#define COMPUTE_THREADS 0.09 /* per cycle of execution: one in eleven cycles */

/* The share of time in which the cores execute while a stream has them alone, before its shader's
 * own `issue`. */
static const double alone[STREAMS] = {
	[STREAM_VERTEX] = 0.86, [STREAM_FRAGMENT] = 0.97, [STREAM_COMPUTE] = 0.97};

/* How cores divide their time while a set of streams runs: the share of queue time in which a core
 * has any work, and the part of the execution that each stream gets. Overlapping work hides
 * latency, so streams finish sooner together than one after the other. */
struct share {
	double any, part[STREAMS];
};

#define V (1u << STREAM_VERTEX)
#define F (1u << STREAM_FRAGMENT)
#define C (1u << STREAM_COMPUTE)

static const struct share shares[SIM_SETS] = {
	[V] = {0.94, {[STREAM_VERTEX] = 1}},
	[F] = {0.985, {[STREAM_FRAGMENT] = 1}},
	[C] = {0.985, {[STREAM_COMPUTE] = 1}},
	[V | F] = {0.99, {[STREAM_VERTEX] = 0.36, [STREAM_FRAGMENT] = 0.64}},
	[V | C] = {0.99, {[STREAM_VERTEX] = 0.36, [STREAM_COMPUTE] = 0.64}},
	[F | C] = {0.99, {[STREAM_FRAGMENT] = 0.5, [STREAM_COMPUTE] = 0.5}},
	[V | F | C] = {0.99, {[STREAM_VERTEX] = 0.24, [STREAM_FRAGMENT] = 0.38, [STREAM_COMPUTE] = 0.38}},
};

/* Set the share of the execution that each stream gets, and how fast its work advances with that
 * share. */
static void set_speeds(struct sim_model *m, const struct share *share, double any, double issue)
{
	double left = 1 - share->part[STREAM_VERTEX];

	for (unsigned q = 0; q < m->n_queues; q++) {
		struct sim_queue *queue = &m->queues[q];
		enum sim_stream stream;

		if (!queue->running)
			continue;
		stream = sim_queue_head(queue)->stream;
		queue->speed =
			sim_share(share->part[stream] * any * issue /
				  (shares[1u << stream].any * m->now[stream]->any * m->now[stream]->issue));
	}
	/* Compute gets its part of the cycles that vertex work leaves. */
	m->part[STREAM_VERTEX] = sim_share(share->part[STREAM_VERTEX]);
	m->part[STREAM_COMPUTE] = left > 0 ? sim_share(share->part[STREAM_COMPUTE] / left) : 0;
}

void sim_count_rates(struct sim_model *m)
{
	const struct share *share = &shares[m->set];
	bool several = (m->set & (m->set - 1)) != 0;
	double issue = 0, any = 0;
	unsigned lead = 0;

	for (unsigned s = 0; s < STREAMS; s++) {
		if (!(m->set & 1u << s))
			continue;
		issue += share->part[s] * m->now[s]->issue;
		if (share->any * m->now[s]->any <= any)
			continue;
		any = share->any * m->now[s]->any;
		lead = s;
	}
	if (several)
		issue += 0.5 * (1 - issue);
	set_speeds(m, share, any, issue);
	if (!m->shows || !m->set)
		return;
	sim_set_waits(m);
	for (unsigned i = 0; i < m->gpu.cores; i++) {
		struct sim_core *core = &m->cores[i];
		bool shared = several && m->set & F;

		core->any = sim_share(any * (1 - 0.3 * core->behind[lead]));
		core->exec = sim_share(issue * (1 - 0.7 * core->behind[lead]));
		core->nonfrag = sim_share(!(m->set & (V | C)) ? 0
					  : shared            ? 0.85 - core->behind[STREAM_VERTEX]
							      : 1);
		core->frag = sim_share(!(m->set & F) ? 0 : shared ? 0.95 - core->behind[STREAM_FRAGMENT] : 1);
	}
}

static void core_ticks(struct sim_model *m, unsigned i, uint64_t ticks)
{
	struct sim_core *core = &m->cores[i];
	uint32_t *rest = core->rest;
	uint64_t any = sim_part(ticks, core->any, rest++), exec = sim_part(any, core->exec, rest++);
	uint64_t vertex = sim_part(exec, m->part[STREAM_VERTEX], rest++);
	uint64_t compute = sim_part(exec - vertex, m->part[STREAM_COMPUTE], rest++);
	uint64_t fragment = m->set & F ? exec - vertex - compute : 0, nonfrag = vertex + compute;

	nonfrag += sim_part(any - nonfrag, core->nonfrag, rest++);
	sim_total(m, SIM_CORE, CORE_ANY)[i] += any * SIM_TICK;
	sim_total(m, SIM_CORE, CORE_NONFRAG)[i] += nonfrag * SIM_TICK;
	m->now[STREAM_VERTEX]->exec[i] += (uint32_t)vertex;
	m->now[STREAM_COMPUTE]->exec[i] += (uint32_t)compute;
	m->now[STREAM_FRAGMENT]->exec[i] += (uint32_t)fragment;
	m->now[STREAM_FRAGMENT]->frag[i] += (uint32_t)(fragment + sim_part(any - fragment, core->frag, rest));
}

static void front_ticks(struct sim_model *m, uint64_t ticks)
{
	m->active += ticks * SIM_TICK;
	for (unsigned i = 0; i < SIM_UNITS && m->shows; i++) {
		uint64_t done = m->unit_left[i] < ticks ? m->unit_left[i] : ticks;

		m->unit_left[i] -= done;
		*sim_total(m, SIM_FRONT, GPU_UNITS + i) += done * SIM_TICK;
	}
}

void sim_count_ticks(struct sim_model *m, uint64_t ticks)
{
	if (!m->set) {
		uint64_t tail = m->tail < ticks ? m->tail : ticks;

		m->tail -= tail;
		m->front_tail += tail;
		front_ticks(m, tail);
		return;
	}
	front_ticks(m, ticks);
	m->wait_any += ticks;
	m->front_any += ticks;
	for (unsigned s = 0; s < STREAMS; s++) {
		if (!(m->set & 1u << s))
			continue;
		m->wait_queue[s] += ticks;
		m->now[s]->touched = m->shows;
		m->now[s]->tiler += ticks; /* only vertex work uses the tiler */
	}
	for (unsigned q = 0; q < m->n_queues; q++) {
		struct sim_queue *queue = &m->queues[q];
		uint64_t done;

		if (!queue->running)
			continue;
		done = sim_part(ticks, queue->speed, &queue->carry);
		assert(done <= queue->left);
		queue->left -= done;
		m->now[sim_queue_head(queue)->stream]->work += done;
	}
	for (unsigned i = 0; i < m->gpu.cores && m->shows; i++)
		core_ticks(m, i, ticks);
}

/* Firmware and command units work for each job; the interrupt of each frame is pending until the
 * CPU handles it. */
static void add_unit_work(struct sim_model *m, const struct sim_job *job, unsigned first, unsigned end)
{
	static const double cycles[SIM_UNITS] = {6000, 34000, 12000, 6500};

	for (unsigned i = first; i < end; i++)
		m->unit_left[i] +=
			(uint64_t)(cycles[i] * (0.6 + 0.8 * sim_hash_unit(sim_hash(job->key, 1, i))) /
				   SIM_TICK);
}

/* A ratio deviates by two of the job's drifts and a little noise. Shares close to 1 stay close
 * to 1. */
static void set_ratios(struct sim_load *load, const struct sim_laws *laws, const struct sim_job *job)
{
	float sways[SIM_DRIFTS];
	unsigned four = UINT_MAX;
	uint64_t noise = 0;

	for (unsigned i = 0; i < SIM_DRIFTS; i++)
		sways[i] = (float)(i & 1 ? job->drifts[i] : -job->drifts[i]);
	for (unsigned k = SIM_INPUTS; k < laws->n_values; k++) {
		const struct sim_value *v = &laws->values[k];
		unsigned r = (unsigned)v->ratio, i = r % SIM_DRIFTS;
		float amount, off;
		double x, most;

		if (!(v->lists & load->lists))
			continue;
		if (v->varies || !load->known)
			load->values[k] = expr_eval(&v->formula, load->values);
		if (v->ratio < 0)
			continue;
		if (r / 4 != four) { /* one hash provides the noise of four ratios */
			four = r / 4;
			noise = sim_hash(job->key, 0, r - i + four % 2);
		}
		x = load->values[k];
		most = r < laws->n_shares ? 1 : 255;
		amount = r - i < laws->n_content ? 0.2f : 0.12f;
		off = 0.07f / 65536 * (float)((int)(noise >> r % 4 * 16 & 0xffff) - 32768) +
		      amount * (0.6f * sways[i] + 0.4f * sways[r / SIM_DRIFTS % SIM_DRIFTS]);
		x = most > 1 || x < 0.5 ? x * (1 + (double)off) : 1 - (1 - x) * (1 - 2.5 * (double)off);
		if (!(x >= 0 && x <= most)) /* a user's file may define any shader */
			x = x > most ? most : 0;
		load->ratios[r] = (float)(uint32_t)(x * SIM_ONE);
	}
	load->known = true;
}

/* Set the waits of a queue for cores and dependencies, which differ between jobs. */
static void set_waits(struct sim_load *load, const struct sim_laws *laws, const struct sim_job *job)
{
	const struct sim_rules *queue = &laws->lists[LIST_QUEUE];

	for (unsigned i = 0; i < queue->n_parts; i++) {
		unsigned n = queue->waits[i].number;
		double drift = job->drifts[(n + 3 * load->stream) % SIM_DRIFTS];
		double noise = sim_hash_unit(sim_hash(job->key, 1, laws->n_ratios + n)) - 0.5;

		load->waits[i] = 1 + 0.5 * drift + 0.4 * noise;
	}
}

/* Return the share of responses slower than `cycles` if the mean wait is `mean`: a smooth step, as
 * steep as measured latencies. */
static double slower_than(double cycles, double mean)
{
	double x = cycles / mean, x5 = x * x * x * x * x;

	return 1 - x5 / (1 + x5);
}

/* Set the ratios of a load for a job. */
static void init_load(const struct sim_model *m, struct sim_load *load, const struct sim_job *job)
{
	const struct sim_pass *pass = job->pass;
	const struct sim_shader *s = &pass->shaders[load->stream];
	const double *drifts = job->drifts;
	double clock_share = (double)m->khz / (double)m->gpu.top_khz, beats, wait;
	struct sim_inputs in = {
		.shader = *s, .look = pass->look, .size = job->size, .threads = COMPUTE_THREADS};

	load->issue = in.issue = alone[load->stream] * s->issue * (0.97 + 0.03 * drifts[load->stream]);
	load->any = s->any * (0.985 + 0.015 * drifts[2 * STREAMS - 1 - load->stream]);
	in.load = s->bus_read * (1 + 0.1 * drifts[STREAMS + load->stream]);
	beats = real_min(in.load, 0.85);
	load->read_stall = beats * beats * 0.95;
	load->write_stall = beats * beats * 0.3;
	if (!m->shows)
		return; /* only jobs are requested */
	/* the wait of a queue that grows as the bus fills */
	wait = (150 + 300 * beats * beats / (1 - beats)) * (0.6 + 0.4 * clock_share);
	for (unsigned i = 0; i < 5; i++)
		in.slower[i] = slower_than(128 + 64 * i, wait);
	in.pixels = pass->pixels * m->pixels / (double)(job->work * SIM_TICK) /
		    (m->gpu.cores * load->issue * load->any); /* of fragment work */
	if (load->stream == STREAM_FRAGMENT)
		in.threads = in.pixels * (pass->look.overdraw * 4 * in.size.quads / in.size.pixels);
	in.streams[load->stream] = 1;
	memcpy(load->values, &in, sizeof(in));
	set_ratios(load, &m->laws, job);
	set_waits(load, &m->laws, job);
}

void sim_count_begin(struct sim_model *m, const struct sim_job *job)
{
	struct sim_load *load = &m->loads[job->stream][job->pass - m->scenario.passes];

	m->now[job->stream] = load;
	if (load->key != job->key) {
		sim_flush_load(m, load);
		load->key = job->key;
		load->task_ratio = job->tasks * SIM_ONE / job->work;
		init_load(m, load, job);
	}
	add_unit_work(m, job, 1, SIM_UNITS);
}

void sim_count_end(struct sim_model *m, const struct sim_job *job)
{
	if (!m->shows)
		return;
	sim_total(m, SIM_QUEUE, QUEUE_JOBS)[job->stream]++;
	if (!job->ends_frame)
		return;
	++*sim_total(m, SIM_FRONT, GPU_IRQS);
	add_unit_work(m, job, 0, 1);
}
