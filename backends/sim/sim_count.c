#include "backends/sim/sim_model.h"
#include "base/alloc.h"

#include <assert.h>

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

void sim_count_init(struct sim_model *m)
{
	const struct sim_gpu *gpu = &m->gpu;

	for (unsigned i = 0; i <= SIM_LOADS; i++)
		m->loads[i].stream = i / SIM_PASSES_MAX;
	for (unsigned s = 0; s < STREAMS; s++)
		m->now[s] = &m->loads[s * SIM_PASSES_MAX];
	/* Flush often enough that no result exceeds 32 bits: in a core, few things happen more than
	 * once per cycle; a slice may have to write for all cores. */
	m->longest = (1ull << 32) / SIM_TICK /
		     (16 + 2 * (gpu->varying_slots + (unsigned)gpu->tex_per_cycle) +
		      gpu->cores * (512 / gpu->bus_bits));
}

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
	/* Compute gets its part of what vertex work leaves. */
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
	if (!m->shows)
		return;
	sim_flush_waits(m);
	sim_waits_set(m);
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
	uint64_t(*total)[SIM_LANES] = m->rows[ROW_CORES + i / SIM_LANES].total;
	uint64_t any = sim_part(ticks, core->any, &core->root[ROOT_ANY]);
	uint64_t exec = sim_part(any, core->exec, &core->root[ROOT_EXEC]);
	uint64_t vertex = sim_part(exec, m->part[STREAM_VERTEX], &core->root[ROOT_VERTEX]);
	uint64_t compute = sim_part(exec - vertex, m->part[STREAM_COMPUTE], &core->root[ROOT_COMPUTE]);
	uint64_t fragment = m->set & F ? exec - vertex - compute : 0;
	uint64_t nonfrag = vertex + compute, frag;

	nonfrag += sim_part(any - nonfrag, core->nonfrag, &core->root[ROOT_NONFRAG]);
	frag = fragment + sim_part(any - fragment, core->frag, &core->root[ROOT_FRAG]);
	total[CORE_ANY][i % SIM_LANES] += any * SIM_TICK;
	total[CORE_NONFRAG][i % SIM_LANES] += nonfrag * SIM_TICK;
	total[CORE_FRAG][i % SIM_LANES] += frag * SIM_TICK;
	total[CORE_EXEC][i % SIM_LANES] += exec * SIM_TICK;
	m->now[STREAM_VERTEX]->exec[i] += (uint32_t)vertex;
	m->now[STREAM_FRAGMENT]->exec[i] += (uint32_t)fragment;
	m->now[STREAM_COMPUTE]->exec[i] += (uint32_t)compute;
	m->now[STREAM_FRAGMENT]->frag[i] += (uint32_t)frag;
}

static void front_ticks(struct sim_model *m, uint64_t ticks)
{
	uint64_t(*total)[SIM_LANES] = m->rows[ROW_FRONT].total;

	total[GPU_ACTIVE][0] += ticks * SIM_TICK;
	for (unsigned i = 0; i < ARRAY_LEN(m->unit_left); i++) {
		uint64_t done = m->unit_left[i] < ticks ? m->unit_left[i] : ticks;

		m->unit_left[i] -= done;
		total[GPU_UNITS + i][0] += done * SIM_TICK;
	}
}

void sim_count_ticks(struct sim_model *m, uint64_t ticks)
{
	uint64_t(*total)[SIM_LANES] = m->rows[ROW_FRONT].total;

	if (!m->set) {
		uint64_t tail = m->tail < ticks ? m->tail : ticks;

		m->tail -= tail;
		m->wait_tail += tail;
		front_ticks(m, tail);
		return;
	}
	front_ticks(m, ticks);
	total[GPU_ANY_QUEUE][0] += ticks * SIM_TICK;
	m->wait_any += ticks;
	for (unsigned s = 0; s < STREAMS; s++) {
		if (!(m->set & 1u << s))
			continue;
		m->wait_queue[s] += ticks;
		m->now[s]->touched = m->shows;
		m->now[s]->tiler += ticks; /* of vertex work */
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
	static const double cycles[GPU_UNITS_END - GPU_UNITS] = {6000, 34000, 12000, 6500};

	for (unsigned i = first; i < end && m->shows; i++)
		m->unit_left[i] +=
			(uint64_t)(cycles[i] * (0.6 + 0.8 * sim_hash_unit(sim_hash(job->key, 1, i))) /
				   SIM_TICK);
}

void sim_count_begin(struct sim_model *m, const struct sim_job *job)
{
	struct sim_load *load =
		&m->loads[job->stream * SIM_PASSES_MAX + (unsigned)(job->pass - m->scenario.passes)];

	m->now[job->stream] = load;
	if (load->key != job->key) {
		sim_flush_load(m, load);
		load->key = job->key;
		load->task_ratio = job->tasks * SIM_ONE / job->work;
		sim_profile_init(m, load, job);
	}
	add_unit_work(m, job, 1, ARRAY_LEN(m->unit_left));
}

void sim_count_end(struct sim_model *m, const struct sim_job *job)
{
	m->rows[ROW_QUEUES].total[QUEUE_JOBS][job->stream]++;
	if (!job->ends_frame)
		return;
	m->rows[ROW_FRONT].total[GPU_IRQS][0]++;
	add_unit_work(m, job, 0, 1);
}
