#include "backends/sim/sim_model.h"

#include "base/alloc.h"

#include <assert.h>
#include <string.h>

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

static void use_ratios(struct sim_used *used, const bool *ratios)
{
	for (unsigned i = 0; i < RATIO_COUNT; i++)
		if (ratios[i])
			used->ratios[used->n++] = (uint8_t)i;
}

/* Traffic feeds the slices, so it is counted even if no counter shows it. */
static const uint8_t core_reads[] = {CORE_READ_TEX, CORE_READ_LS, CORE_READ_RT, CORE_READ_FRONT,
				     CORE_READ_OTHER};
static const uint8_t core_writes[] = {CORE_WRITE_LS_WB, CORE_WRITE_LS_OTHER, CORE_WRITE_TILE,
				      CORE_WRITE_OTHER};

static void add_ratios(bool *ratios, const bool *more)
{
	for (unsigned i = 0; i < RATIO_COUNT; i++)
		ratios[i] |= more[i];
}

void sim_count_show(struct sim_model *m, struct sim_shown *shown)
{
	bool core[RATIO_COUNT] = {false}, slice[RATIO_COUNT] = {[RATIO_LINE] = true};
	bool own[STREAMS][RATIO_COUNT] = {{false}}, tiler[RATIO_COUNT] = {false}, by_index[RATIO_COUNT];

	for (unsigned i = 0; i < sizeof(core_reads); i++)
		shown->core.fed[core_reads[i]] = true;
	for (unsigned i = 0; i < sizeof(core_writes); i++)
		shown->core.fed[core_writes[i]] = true;
	shown->tiler.fed[TILER_READ_BEATS] = shown->tiler.fed[TILER_WRITE_BEATS] =
		shown->tiler.fed[TILER_WARPS] = true;
	sim_chain_init(&m->chains.nonfrag, &sim_rules_nonfrag, &shown->core, own[STREAM_COMPUTE]);
	memcpy(own[STREAM_VERTEX], own[STREAM_COMPUTE], sizeof(own[0]));
	sim_chain_init(&m->chains.fragment, &sim_rules_fragment, &shown->core, own[STREAM_FRAGMENT]);
	sim_chain_init(&m->chains.rays, &sim_rules_rays, &shown->core, core);
	sim_chain_init(&m->chains.texture, &sim_rules_texture, &shown->core, core);
	sim_chain_init(&m->chains.exec, &sim_rules_exec, &shown->core, core);
	sim_chain_init(&m->chains.slice, &sim_rules_slice, &shown->slice, slice);
	sim_chain_init(&m->chains.tiler, m->gpu.frustum_first ? &sim_rules_tiler_frustum : &sim_rules_tiler,
		       &shown->tiler, tiler);
	sim_chain_init(&m->chains.stall, &sim_rules_stall, &shown->slice, by_index);
	sim_chain_init(&m->chains.queue, &sim_rules_queue, &shown->queue, by_index);
	sim_chain_init(&m->chains.front, &sim_rules_gpu, &shown->gpu, by_index);
	use_ratios(&m->used_slice, slice);
	use_ratios(&m->used_tiler, tiler);
	core[RATIO_TEX] = core[RATIO_RT_BOX] = true; /* 0: the phase needs no such chain */
	for (unsigned s = 0; s < STREAMS; s++) {
		add_ratios(own[s], core);
		use_ratios(&m->used_core[s], own[s]);
		add_ratios(own[s], slice);
		if (s == STREAM_VERTEX)
			add_ratios(own[s], tiler);
		use_ratios(&m->used[s], own[s]);
	}
	sim_lanes_init(m);
	m->shows = true;
}

void sim_count_init(struct sim_model *m)
{
	const struct sim_gpu *gpu = &m->gpu;
	unsigned warp = gpu->quads_per_warp * 4;

	m->constants[CONSTANT_FMA_PIPES] = gpu->dual_issue ? 2 : 1;
	m->constants[CONSTANT_VARYING_SLOTS] = gpu->varying_slots;
	m->constants[CONSTANT_QUADS_PER_WARP] = gpu->quads_per_warp;
	m->constants[CONSTANT_TILE_CHECKS] = gpu->crc_16 ? 4 : 1;
	m->constants[CONSTANT_READ_BEATS] = 512 / gpu->bus_bits;
	m->constants[CONSTANT_FOUR] = 4;
	m->constants[CONSTANT_THREE] = 3;
	m->constants[CONSTANT_WARP_TASKS] = warp > gpu->geometry_task ? warp / gpu->geometry_task : 1;
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
		queue->speed = sim_share(
			share->part[stream] * any * issue /
			(shares[1u << stream].any * m->profiles[stream].any * m->profiles[stream].issue));
	}
	/* Compute gets its part of what vertex work leaves. */
	m->part[STREAM_VERTEX] = sim_share(share->part[STREAM_VERTEX]);
	m->part[STREAM_COMPUTE] = left > 0 ? sim_share(share->part[STREAM_COMPUTE] / left) : 0;
}

/* Like the leaves of a chain, but each slice has its own ratio. */
static void flush_stalls(struct sim_model *m)
{
	uint32_t active = (uint32_t)(m->wait_stall * SIM_TICK);

	for (unsigned row = 0; row < sim_rows(m->gpu.slices); row++) {
		struct sim_slice_row *slices = &m->slice_rows[row];

		for (unsigned k = 0; k < m->chains.stall.n_leaves; k++)
			for (unsigned i = 0; i < SIM_LANES; i++)
				slices->stall_rest[k][i] +=
					(uint64_t)active * slices->stall[m->chains.stall.leaves[k].b][i];
	}
	m->wait_stall = 0;
}

/* The queues have other ratios as soon as other phases run. */
static void flush_queues(struct sim_model *m)
{
	uint32_t queue[QUEUE_COUNT][SIM_LANES] = {0};

	for (unsigned s = 0; s < STREAMS; s++) {
		queue[QUEUE_CYCLES][s] = (uint32_t)(m->wait_queue[s] * SIM_TICK);
		m->queue_total[QUEUE_CYCLES][s] += queue[QUEUE_CYCLES][s];
		m->wait_queue[s] = 0;
	}
	sim_chain_apply(&m->chains.queue, m->queue_ratios, m->constants, m->queue_rest, queue,
			m->queue_total);
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
		issue += share->part[s] * m->profiles[s].issue;
		if (share->any * m->profiles[s].any <= any)
			continue;
		any = share->any * m->profiles[s].any;
		lead = s;
	}
	if (several)
		issue += 0.5 * (1 - issue);
	set_speeds(m, share, any, issue);
	if (!m->shows)
		return;
	flush_stalls(m);
	flush_queues(m);
	sim_stalls_set(m);
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
	struct sim_core_row *row = &m->core_rows[i / SIM_LANES];
	uint64_t any = sim_part(ticks, core->any, &core->root[ROOT_ANY]);
	uint64_t exec = sim_part(any, core->exec, &core->root[ROOT_EXEC]);
	uint64_t vertex = sim_part(exec, m->part[STREAM_VERTEX], &core->root[ROOT_VERTEX]);
	uint64_t compute = sim_part(exec - vertex, m->part[STREAM_COMPUTE], &core->root[ROOT_COMPUTE]);
	uint64_t fragment = m->set & F ? exec - vertex - compute : 0;
	uint64_t nonfrag = vertex + compute, frag;

	nonfrag += sim_part(any - nonfrag, core->nonfrag, &core->root[ROOT_NONFRAG]);
	frag = fragment + sim_part(any - fragment, core->frag, &core->root[ROOT_FRAG]);
	row->total[CORE_ANY][i % SIM_LANES] += any * SIM_TICK;
	row->total[CORE_NONFRAG][i % SIM_LANES] += nonfrag * SIM_TICK;
	core->wait[STREAM_VERTEX] += vertex;
	core->wait[STREAM_FRAGMENT] += fragment;
	core->wait[STREAM_COMPUTE] += compute;
	core->wait_frag += frag;
}

static void front_ticks(struct sim_model *m, uint64_t ticks)
{
	for (struct sim_front *unit = m->front; unit < m->front + SIM_FRONT_UNITS; unit++) {
		uint64_t done = unit->left < ticks ? unit->left : ticks;

		unit->left -= done;
		unit->wait += done;
	}
}

void sim_count_ticks(struct sim_model *m, uint64_t ticks)
{
	if (!m->set) {
		uint64_t tail = m->tail < ticks ? m->tail : ticks;

		m->tail -= tail;
		m->wait_tail += tail;
		front_ticks(m, tail);
		return;
	}
	front_ticks(m, ticks);
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
	for (unsigned i = 0; i < m->gpu.cores && m->shows; i++)
		core_ticks(m, i, ticks);
}

/* Apply a chain to its inputs, and advance to the remainders of the next chain. */
static void apply_chain(const struct sim_model *m, const struct sim_chain *chain, enum sim_stream stream,
			struct sim_core_row *cores, uint64_t (**rest)[SIM_LANES], uint32_t (*now)[SIM_LANES])
{
	sim_chain_apply(chain, cores->lanes.ratios[stream], m->constants, *rest, now, cores->total);
	*rest += chain->rows;
}

/* Sum some quantities over all lanes. */
static uint64_t sum_of(uint32_t (*now)[SIM_LANES], const uint8_t *quantities, unsigned n)
{
	uint64_t sum = 0;

	for (unsigned k = 0; k < n; k++)
		for (unsigned i = 0; i < SIM_LANES; i++)
			sum += now[quantities[k]][i];
	return sum;
}

/* Turn the pending work of a row of cores into the inputs of its chains. */
static void take_waits(struct sim_model *m, unsigned row, enum sim_stream stream, uint32_t (*now)[SIM_LANES])
{
	struct sim_core_row *cores = &m->core_rows[row];

	for (unsigned i = 0; i < SIM_LANES; i++) {
		struct sim_core *core = &m->cores[row * SIM_LANES + i];

		now[CORE_EXEC][i] = (uint32_t)(core->wait[stream] * SIM_TICK);
		now[CORE_EXEC_QUARTER][i] = now[CORE_EXEC][i] / 4;
		now[CORE_FRAG][i] = stream == STREAM_FRAGMENT ? (uint32_t)(core->wait_frag * SIM_TICK) : 0;
		now[CORE_VERTEX_WARPS][i] = stream == STREAM_VERTEX ? core->vertex_warps : 0;
		cores->total[CORE_EXEC][i] += now[CORE_EXEC][i];
		cores->total[CORE_FRAG][i] += now[CORE_FRAG][i];
		core->wait[stream] = 0;
		if (stream == STREAM_FRAGMENT)
			core->wait_frag = 0;
		if (stream == STREAM_VERTEX)
			core->vertex_warps = 0;
	}
}

/* Add the traffic of a row of cores, in beats of 16 bytes. */
static void flush_cores(struct sim_model *m, unsigned row, enum sim_stream stream, uint64_t *reads,
			uint64_t *writes)
{
	struct sim_core_row *cores = &m->core_rows[row];
	const uint32_t *ratios = m->profiles[stream].ratios;
	uint64_t(*rest)[SIM_LANES] = cores->rest[stream];
	uint32_t now[CORE_COUNT][SIM_LANES];

	memset(now[CORE_READ_TEX], 0, sizeof(now[0]));
	memset(now[CORE_READ_RT], 0, sizeof(now[0]));
	memset(now[CORE_READ_FRONT], 0, sizeof(now[0]));
	memset(now[CORE_WRITE_TILE], 0, sizeof(now[0]));
	take_waits(m, row, stream, now);
	apply_chain(m, &m->chains.exec, stream, cores, &rest, now);
	apply_chain(m, stream == STREAM_FRAGMENT ? &m->chains.fragment : &m->chains.nonfrag, stream, cores,
		    &rest, now);
	if (ratios[RATIO_TEX])
		apply_chain(m, &m->chains.texture, stream, cores, &rest, now);
	rest = cores->rest[stream] + 3 * SIM_RULES_MAX;
	if (ratios[RATIO_RT_BOX])
		apply_chain(m, &m->chains.rays, stream, cores, &rest, now);
	*reads += sum_of(now, core_reads, sizeof(core_reads));
	*writes += sum_of(now, core_writes, sizeof(core_writes));
}

/* Requests of one line each, distributed over the slices by address. */
static void flush_slices(struct sim_model *m, enum sim_stream stream, uint64_t reads, uint64_t writes)
{
	const uint32_t *ratios = m->profiles[stream].ratios;
	uint32_t now[SLICE_COUNT][SIM_LANES];

	reads = sim_part(reads, ratios[RATIO_LINE], &m->request_carry[stream][0]);
	writes = sim_part(writes, ratios[RATIO_LINE], &m->request_carry[stream][1]);
	for (unsigned row = 0; row < sim_rows(m->gpu.slices); row++) {
		struct sim_slice_row *slices = &m->slice_rows[row];

		for (unsigned i = 0; i < SIM_LANES; i++) {
			struct sim_slice *slice = &m->slices[row * SIM_LANES + i];
			uint64_t r = sim_part(reads, slice->part, &slice->read_carry[stream]);
			uint64_t w = sim_part(writes, slice->part, &slice->write_carry[stream]);

			reads -= r;
			writes -= w;
			now[SLICE_READS][i] = (uint32_t)r;
			now[SLICE_WRITES][i] = (uint32_t)w;
			slices->total[SLICE_READS][i] += r;
			slices->total[SLICE_WRITES][i] += w;
		}
		sim_chain_apply(&m->chains.slice, slices->lanes.ratios[stream], m->constants,
				slices->rest[stream], now, slices->total);
	}
}

/* The tiler requests warps, which the cores take in turn. */
static void deal_warps(struct sim_model *m, uint64_t warps)
{
	for (unsigned i = 0; i < m->gpu.cores; i++) {
		struct sim_core *core = &m->cores[i];
		uint64_t own = sim_part(warps, core->part, &core->part_carry);

		core->vertex_warps += (uint32_t)own;
		warps -= own;
	}
}

static void flush_tiler(struct sim_model *m, uint64_t work, uint64_t *reads, uint64_t *writes)
{
	uint32_t now[TILER_COUNT][SIM_LANES];

	memset(now[TILER_WORK], 0, sizeof(now[0]));
	memset(now[TILER_QUEUE], 0, sizeof(now[0]));
	now[TILER_WORK][0] = (uint32_t)(work * SIM_TICK);
	now[TILER_QUEUE][0] = (uint32_t)(m->wait_tiler * SIM_TICK);
	m->wait_tiler = 0;
	sim_chain_apply(&m->chains.tiler, m->tiler_lanes.ratios[STREAM_VERTEX], m->constants, m->tiler_rest,
			now, m->tiler_total);
	*reads += now[TILER_READ_BEATS][0];
	*writes += now[TILER_WRITE_BEATS][0];
	deal_warps(m, now[TILER_WARPS][0]);
}

static void flush_stream(struct sim_model *m, enum sim_stream stream)
{
	uint64_t reads = 0, writes = 0, work = m->wait_work[stream];

	if (!m->shows || !(m->touched & 1u << stream))
		return;
	m->wait_work[stream] = 0;
	m->touched &= ~(1u << stream);
	m->queue_total[QUEUE_TASKS][stream] += sim_part(work, m->task_ratio[stream], &m->task_carry[stream]);
	if (stream == STREAM_VERTEX)
		flush_tiler(m, work, &reads, &writes);
	for (unsigned row = 0; row < sim_rows(m->gpu.cores); row++)
		flush_cores(m, row, stream, &reads, &writes);
	flush_slices(m, stream, reads, writes);
}

static void flush_front_end(struct sim_model *m)
{
	static const uint8_t own[SIM_FRONT_UNITS] = {GPU_IRQ_CYCLES, GPU_MCU, GPU_CEU, GPU_LSU};
	uint32_t gpu[GPU_COUNT][SIM_LANES];

	flush_queues(m);
	memset(gpu[GPU_ANY_QUEUE], 0, sizeof(gpu[0]));
	memset(gpu[GPU_TAIL], 0, sizeof(gpu[0]));
	gpu[GPU_ANY_QUEUE][0] = (uint32_t)(m->wait_any * SIM_TICK);
	gpu[GPU_TAIL][0] = (uint32_t)(m->wait_tail * SIM_TICK);
	m->wait_any = m->wait_tail = 0;
	for (unsigned i = 0; i < SIM_FRONT_UNITS; i++) {
		m->gpu_total[own[i]][0] += m->front[i].wait * SIM_TICK;
		m->front[i].wait = 0;
	}
	m->gpu_total[GPU_ANY_QUEUE][0] += gpu[GPU_ANY_QUEUE][0];
	m->gpu_total[GPU_TAIL][0] += gpu[GPU_TAIL][0];
	m->gpu_total[GPU_ACTIVE][0] += gpu[GPU_ANY_QUEUE][0] + gpu[GPU_TAIL][0];
	sim_chain_apply(&m->chains.front, sim_gpu_ratios, m->constants, m->gpu_rest, gpu, m->gpu_total);
}

static void settle_counts(struct sim_model *m)
{
	for (unsigned s = 0; s < STREAMS; s++) {
		const struct sim_chain *own = s == STREAM_FRAGMENT ? &m->chains.fragment : &m->chains.nonfrag;

		for (unsigned row = 0; row < sim_rows(m->gpu.cores); row++) {
			struct sim_core_row *cores = &m->core_rows[row];
			uint64_t(*rest)[SIM_LANES] = cores->rest[s];

			sim_chain_settle(&m->chains.exec, rest, cores->total);
			sim_chain_settle(own, rest + m->chains.exec.rows, cores->total);
			sim_chain_settle(&m->chains.texture, rest + m->chains.exec.rows + own->rows,
					 cores->total);
			sim_chain_settle(&m->chains.rays, rest + 3 * SIM_RULES_MAX, cores->total);
		}
		for (unsigned row = 0; row < sim_rows(m->gpu.slices); row++)
			sim_chain_settle(&m->chains.slice, m->slice_rows[row].rest[s],
					 m->slice_rows[row].total);
	}
	for (unsigned row = 0; row < sim_rows(m->gpu.slices); row++)
		sim_chain_settle(&m->chains.stall, m->slice_rows[row].stall_rest, m->slice_rows[row].total);
	sim_chain_settle(&m->chains.tiler, m->tiler_rest, m->tiler_total);
	sim_chain_settle(&m->chains.queue, m->queue_rest, m->queue_total);
	sim_chain_settle(&m->chains.front, m->gpu_rest, m->gpu_total);
}

void sim_count_flush(struct sim_model *m)
{
	flush_front_end(m);
	flush_stalls(m);
	for (unsigned s = 0; s < STREAMS; s++)
		flush_stream(m, (enum sim_stream)s);
	settle_counts(m);
	m->flushed = m->tick;
}

/* Firmware and command units work for each job; the interrupt of each frame is pending until the
 * CPU handles it. */
static void add_front_work(struct sim_model *m, const struct sim_phase *phase, enum sim_front_unit first,
			   enum sim_front_unit last)
{
	static const double cycles[SIM_FRONT_UNITS] = {
		[FRONT_IRQ] = 6000, [FRONT_MCU] = 34000, [FRONT_CEU] = 12000, [FRONT_LSU] = 6500};

	for (unsigned i = first; i <= last && m->shows; i++)
		m->front[i].left +=
			(uint64_t)(cycles[i] * (0.6 + 0.8 * sim_hash_unit(sim_hash(phase->key, 1, i))) /
				   SIM_TICK);
}

void sim_count_begin(struct sim_model *m, const struct sim_phase *phase)
{
	enum sim_stream stream = phase->stream;
	const struct sim_profile *profile = &m->profiles[stream];

	flush_stream(m, stream);
	sim_profile_init(&m->profiles[stream], &m->gpu, phase, (double)m->khz / (double)m->gpu.top_khz,
			 phase->pass->pixels * m->pixels / (double)(phase->work * SIM_TICK),
			 &m->used[stream]);
	for (unsigned row = 0; row < sim_rows(m->gpu.cores); row++)
		sim_lanes_set(&m->core_rows[row].lanes, profile, stream, &m->used_core[stream]);
	for (unsigned row = 0; row < sim_rows(m->gpu.slices); row++)
		sim_lanes_set(&m->slice_rows[row].lanes, profile, stream, &m->used_slice);
	if (stream == STREAM_VERTEX)
		sim_lanes_set(&m->tiler_lanes, profile, stream, &m->used_tiler);
	m->task_ratio[stream] = phase->tasks * SIM_ONE / phase->work;
	add_front_work(m, phase, FRONT_MCU, FRONT_LSU);
}

void sim_count_end(struct sim_model *m, const struct sim_phase *phase)
{
	m->queue_total[QUEUE_JOBS][phase->stream]++;
	if (!phase->ends_frame)
		return;
	m->gpu_total[GPU_IRQS][0]++;
	add_front_work(m, phase, FRONT_IRQ, FRONT_IRQ);
}
