#include "backends/sim_model.h"

#include <assert.h>

/* How cores divide their time when a set of streams runs: the share of queue time in which a core has work at all, and who gets
 * which part of the execution. Work that overlaps hides latency, so together they finish sooner than one after the other. */
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

static uint64_t ratio(double x)
{
	return (uint64_t)((x < 0 ? 0 : x > 1 ? 1 : x) * SIM_ONE);
}

void sim_count_init(struct sim_model *m)
{
	const struct sim_gpu *gpu = &m->gpu;

	m->constants[CONSTANT_FMA_PIPES] = gpu->dual_issue ? 2 : 1;
	m->constants[CONSTANT_VARYING_SLOTS] = gpu->varying_slots;
	m->constants[CONSTANT_QUADS_PER_WARP] = gpu->quads_per_warp;
	m->constants[CONSTANT_TILE_CHECKS] = gpu->crc_16 ? 4 : 1;
	m->constants[CONSTANT_READ_BEATS] = 512 / gpu->bus_bits;
	m->constants[CONSTANT_FOUR] = 4;
	m->constants[CONSTANT_THREE] = 3;
	for (unsigned i = 0; i < gpu->cores; i++)
		m->cores[i].behind = m->scenario->imbalance * sim_hash_unit(sim_hash(m->seed, i, 1000));
	for (unsigned i = 0; i < gpu->slices; i++) {
		double skew = 0.03 * sim_hash_unit(sim_hash(m->seed, i, 2000)) - 0.015;

		m->slices[i].skew = 1 + skew;
		m->slices[i].part = i + 1 == gpu->slices ? SIM_ONE : ratio((1 + skew) / (gpu->slices - i));
	}
}

/* Share of the execution that stream gets, and how fast its work advances by it. */
static void set_speeds(struct sim_model *m, const struct share *share, double issue)
{
	for (unsigned q = 0; q < m->n_queues; q++) {
		struct sim_queue *queue = &m->queues[q];
		enum sim_stream stream;

		if (!queue->running)
			continue;
		stream = sim_queue_head(queue)->stream;
		queue->speed =
			ratio(share->part[stream] * share->any * issue / (shares[1u << stream].any * m->profiles[stream].issue));
	}
	/* Compute takes its part of what vertex work left. */
	m->part[STREAM_VERTEX] = ratio(share->part[STREAM_VERTEX]);
	m->part[STREAM_COMPUTE] =
		share->part[STREAM_VERTEX] < 1 ? ratio(share->part[STREAM_COMPUTE] / (1 - share->part[STREAM_VERTEX])) : 0;
}

static void set_stalls(struct sim_model *m)
{
	double read_free = 1, write_free = 1;

	for (unsigned s = 0; s < STREAMS; s++) {
		if (!(m->set & 1u << s))
			continue;
		read_free *= 1 - m->profiles[s].read_stall;
		write_free *= 1 - m->profiles[s].write_stall;
	}
	for (unsigned i = 0; i < m->gpu.slices; i++) {
		struct sim_slice *slice = &m->slices[i];
		const double stalls[] = {
			1 - read_free, 1 - write_free, 0.3 * (1 - read_free) + 0.01, 0.3 * (1 - write_free) + 0.005, 0.001,
			0.002,         0.001};

		for (unsigned k = 0; k < sizeof(stalls) / sizeof(stalls[0]); k++)
			slice->stall[k] = ratio(stalls[k] * slice->skew);
	}
}

static void flush_stalls(struct sim_model *m)
{
	uint64_t now[SLICE_COUNT];

	for (unsigned i = 0; i < m->gpu.slices; i++) {
		struct sim_slice *slice = &m->slices[i];

		now[SLICE_ACTIVE] = m->wait_stall * SIM_TICK;
		sim_rules_apply(&sim_rules_stall, slice->stall, m->constants, slice->stall_carry, now, slice->total);
	}
	m->wait_stall = 0;
}

void sim_count_rates(struct sim_model *m)
{
	const struct share *share = &shares[m->set];
	bool several = (m->set & (m->set - 1)) != 0;
	double issue = 0;

	flush_stalls(m);
	for (unsigned s = 0; s < STREAMS; s++)
		if (m->set & 1u << s)
			issue += share->part[s] * m->profiles[s].issue;
	if (several)
		issue += 0.5 * (1 - issue);
	set_speeds(m, share, issue);
	set_stalls(m);
	m->nonfrag = ratio(m->set & (V | C) ? (several && m->set & F ? 0.85 : 1) : 0);
	m->frag = ratio(m->set & F ? (several ? 0.95 : 1) : 0);
	for (unsigned i = 0; i < m->gpu.cores; i++) {
		m->cores[i].any = ratio(share->any * (1 - 0.3 * m->cores[i].behind));
		m->cores[i].exec = ratio(issue * (1 - 0.7 * m->cores[i].behind));
	}
}

static void core_ticks(struct sim_model *m, struct sim_core *core, uint64_t ticks)
{
	uint64_t any = sim_part(ticks, core->any, &core->root[ROOT_ANY]);
	uint64_t exec = sim_part(any, core->exec, &core->root[ROOT_EXEC]);
	uint64_t vertex = sim_part(exec, m->part[STREAM_VERTEX], &core->root[ROOT_VERTEX]);
	uint64_t compute = sim_part(exec - vertex, m->part[STREAM_COMPUTE], &core->root[ROOT_COMPUTE]);
	uint64_t fragment = m->set & F ? exec - vertex - compute : 0;
	uint64_t nonfrag = vertex + compute, frag;

	nonfrag += sim_part(any - nonfrag, m->nonfrag, &core->root[ROOT_NONFRAG]);
	frag = fragment + sim_part(any - fragment, m->frag, &core->root[ROOT_FRAG]);
	core->total[CORE_ANY] += any * SIM_TICK;
	core->total[CORE_NONFRAG] += nonfrag * SIM_TICK;
	core->wait[STREAM_VERTEX] += vertex;
	core->wait[STREAM_FRAGMENT] += fragment;
	core->wait[STREAM_COMPUTE] += compute;
	core->wait_frag += frag;
}

void sim_count_ticks(struct sim_model *m, uint64_t ticks)
{
	if (!m->set) {
		uint64_t tail = m->tail < ticks ? m->tail : ticks;

		m->tail -= tail;
		m->wait_tail += tail;
		return;
	}
	m->touched |= m->set;
	m->wait_any += ticks;
	m->wait_stall += ticks;
	for (unsigned s = 0; s < STREAMS; s++)
		if (m->set & 1u << s)
			m->wait_queue[s] += ticks;
	if (m->set & V)
		m->wait_tiler += ticks;
	for (unsigned q = 0; q < m->n_queues; q++) {
		struct sim_queue *queue = &m->queues[q];
		uint64_t done;

		if (!queue->running)
			continue;
		done = sim_part(ticks, queue->speed, &queue->carry);
		assert(done <= queue->left);
		queue->left -= done;
		m->wait_work[sim_queue_head(queue)->stream] += done;
	}
	for (unsigned i = 0; i < m->gpu.cores; i++)
		core_ticks(m, &m->cores[i], ticks);
}

static const struct sim_rules *const own_rules[STREAMS] = {&sim_rules_nonfrag, &sim_rules_fragment, &sim_rules_nonfrag};

/* Take what a core waits for through the rules. Adds its traffic, in beats of 16 bytes. */
static void flush_core(struct sim_model *m, struct sim_core *core, enum sim_stream stream, uint64_t *reads, uint64_t *writes)
{
	static const uint8_t read_of[] = {CORE_READ_TEX, CORE_READ_LS, CORE_READ_RT, CORE_READ_OTHER};
	static const uint8_t write_of[] = {CORE_WRITE_LS_WB, CORE_WRITE_LS_OTHER, CORE_WRITE_OTHER};
	const uint64_t *ratios = m->profiles[stream].ratios.of;
	uint64_t now[CORE_COUNT];

	now[CORE_EXEC] = core->wait[stream] * SIM_TICK;
	now[CORE_EXEC_QUARTER] = now[CORE_EXEC] / 4;
	now[CORE_FRAG] = stream == STREAM_FRAGMENT ? core->wait_frag * SIM_TICK : 0;
	now[CORE_READ_FRONT] = now[CORE_WRITE_TILE] = now[CORE_READ_TEX] = now[CORE_READ_RT] = 0;
	core->total[CORE_EXEC] += now[CORE_EXEC];
	core->total[CORE_FRAG] += now[CORE_FRAG];
	sim_rules_apply(&sim_rules_exec, ratios, m->constants, core->carry[stream], now, core->total);
	if (ratios[RATIO_TEX])
		sim_rules_apply(&sim_rules_texture, ratios, m->constants, core->texture_carry[stream], now, core->total);
	if (ratios[RATIO_RT_BOX])
		sim_rules_apply(&sim_rules_rays, ratios, m->constants, core->ray_carry[stream], now, core->total);
	sim_rules_apply(own_rules[stream], ratios, m->constants, core->carry[stream] + sim_rules_exec.n, now, core->total);
	for (unsigned i = 0; i < sizeof(read_of); i++)
		*reads += now[read_of[i]];
	for (unsigned i = 0; i < sizeof(write_of); i++)
		*writes += now[write_of[i]];
	*reads += now[CORE_READ_FRONT];
	*writes += now[CORE_WRITE_TILE];
	core->wait[stream] = 0;
	if (stream == STREAM_FRAGMENT)
		core->wait_frag = 0;
}

/* Requests of one line each, dealt to the slices by address. */
static void flush_slices(struct sim_model *m, enum sim_stream stream, uint64_t reads, uint64_t writes)
{
	const uint64_t *ratios = m->profiles[stream].ratios.of;
	uint64_t now[SLICE_COUNT];

	reads = sim_part(reads, ratios[RATIO_LINE], &m->request_carry[stream][0]);
	writes = sim_part(writes, ratios[RATIO_LINE], &m->request_carry[stream][1]);
	for (unsigned i = 0; i < m->gpu.slices; i++) {
		struct sim_slice *slice = &m->slices[i];

		now[SLICE_READS] = sim_part(reads, slice->part, &slice->read_carry[stream]);
		now[SLICE_WRITES] = sim_part(writes, slice->part, &slice->write_carry[stream]);
		reads -= now[SLICE_READS];
		writes -= now[SLICE_WRITES];
		slice->total[SLICE_READS] += now[SLICE_READS];
		slice->total[SLICE_WRITES] += now[SLICE_WRITES];
		sim_rules_apply(&sim_rules_slice, ratios, m->constants, slice->carry[stream], now, slice->total);
	}
}

static void flush_tiler(struct sim_model *m, uint64_t work, uint64_t *reads, uint64_t *writes)
{
	const struct sim_rules *rules = m->gpu.frustum_first ? &sim_rules_tiler_frustum : &sim_rules_tiler;
	uint64_t now[TILER_COUNT];

	now[TILER_WORK] = work * SIM_TICK;
	now[TILER_QUEUE] = m->wait_tiler * SIM_TICK;
	m->wait_tiler = 0;
	sim_rules_apply(rules, m->profiles[STREAM_VERTEX].ratios.of, m->constants, m->tiler_carry, now, m->tiler_total);
	*reads += now[TILER_READ_BEATS];
	*writes += now[TILER_WRITE_BEATS];
}

static void flush_stream(struct sim_model *m, enum sim_stream stream)
{
	uint64_t reads = 0, writes = 0, work = m->wait_work[stream];

	m->wait_work[stream] = 0;
	m->touched &= ~(1u << stream);
	m->queue_total[stream][QUEUE_TASKS] += sim_part(work, m->task_ratio[stream], &m->task_carry[stream]);
	if (stream == STREAM_VERTEX)
		flush_tiler(m, work, &reads, &writes);
	for (unsigned i = 0; i < m->gpu.cores; i++)
		flush_core(m, &m->cores[i], stream, &reads, &writes);
	flush_slices(m, stream, reads, writes);
}

static void flush_front_end(struct sim_model *m)
{
	uint64_t queue[QUEUE_COUNT], gpu[GPU_COUNT];

	for (unsigned s = 0; s < STREAMS; s++) {
		queue[QUEUE_CYCLES] = m->wait_queue[s] * SIM_TICK;
		m->queue_total[s][QUEUE_CYCLES] += queue[QUEUE_CYCLES];
		m->wait_queue[s] = 0;
		sim_rules_apply(&sim_rules_queue, sim_queue_ratios, m->constants, m->queue_carry[s], queue, m->queue_total[s]);
	}
	gpu[GPU_ANY_QUEUE] = m->wait_any * SIM_TICK;
	gpu[GPU_TAIL] = m->wait_tail * SIM_TICK;
	m->wait_any = m->wait_tail = 0;
	m->gpu_total[GPU_ANY_QUEUE] += gpu[GPU_ANY_QUEUE];
	m->gpu_total[GPU_TAIL] += gpu[GPU_TAIL];
	m->gpu_total[GPU_ACTIVE] += gpu[GPU_ANY_QUEUE] + gpu[GPU_TAIL];
	sim_rules_apply(&sim_rules_gpu, sim_gpu_ratios, m->constants, m->gpu_carry, gpu, m->gpu_total);
}

void sim_count_flush(struct sim_model *m)
{
	flush_front_end(m);
	flush_stalls(m);
	for (unsigned s = 0; s < STREAMS; s++)
		if (m->touched & 1u << s)
			flush_stream(m, (enum sim_stream)s);
}

void sim_count_begin(struct sim_model *m, const struct sim_phase *phase)
{
	enum sim_stream stream = phase->stream;

	flush_stream(m, stream);
	sim_profile_init(&m->profiles[stream], &m->gpu, phase, (double)m->khz / (double)m->gpu.top_khz,
			 phase->pass->pixels * m->pixels / (double)(phase->work * SIM_TICK));
	m->task_ratio[stream] = phase->tasks * SIM_ONE / phase->work;
}

void sim_count_end(struct sim_model *m, const struct sim_phase *phase)
{
	m->queue_total[phase->stream][QUEUE_JOBS]++;
	if (phase->ends_frame)
		m->gpu_total[GPU_IRQS]++;
}
