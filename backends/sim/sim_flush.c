/* Turn the ticks that loads, queues and the front end have done into counts, by the rules of the
 * product. */
#include "backends/sim/sim_model.h"

#include <string.h>

static void add_ratios(bool *ratios, const bool *more)
{
	for (unsigned i = 0; i < SIM_RATIOS_MAX; i++)
		ratios[i] |= more[i];
}

static void init_chain(struct sim_model *m, const struct sim_book *book, enum sim_list list,
		       struct sim_wants *wants, bool *ratios)
{
	sim_chain_init(&m->chains[list], &book->lists[list], wants, ratios);
}

/* The shares that are written in the rules themselves. */
static void set_shares(struct sim_model *m, const struct sim_book *book)
{
	const struct sim_rules *queue = &book->lists[LIST_QUEUE], *front = &book->lists[LIST_FRONT];

	m->n_queue_rules = queue->n;
	for (unsigned k = 0; k < queue->n; k++)
		for (unsigned s = 0; s < STREAMS; s++)
			m->queue_shares[k][s] = (uint32_t)(queue->shares[k][s] * SIM_ONE);
	for (unsigned k = 0; k < front->n; k++)
		m->gpu_shares[k][0] = (uint32_t)(front->shares[k][0] * SIM_ONE);
	memcpy(m->stall_shares, book->lists[LIST_STALL].shares, sizeof(m->stall_shares));
}

void sim_count_show(struct sim_model *m, const struct sim_book *book, struct sim_wants wants[SIM_BLOCKS])
{
	bool core[SIM_RATIOS_MAX] = {false}, slice[SIM_RATIOS_MAX] = {false}, tiler[SIM_RATIOS_MAX] = {false};
	bool own[STREAMS][SIM_RATIOS_MAX] = {{false}}, by_index[SIM_RATIOS_MAX];
	const unsigned all = SIM_SETS - 1;

	/* Traffic feeds the slices, so it is counted even if no counter shows it. */
	for (unsigned i = CORE_READ_TEX; i < CORE_TRAFFIC_END; i++)
		wants[SIM_CORE].fed[i] = true;
	wants[SIM_TILER].fed[TILER_READ_BEATS] = wants[SIM_TILER].fed[TILER_WRITE_BEATS] =
		wants[SIM_TILER].fed[TILER_WARPS] = true;
	init_chain(m, book, LIST_NONFRAG, &wants[SIM_CORE], own[STREAM_COMPUTE]);
	memcpy(own[STREAM_VERTEX], own[STREAM_COMPUTE], sizeof(own[0]));
	init_chain(m, book, LIST_FRAGMENT, &wants[SIM_CORE], own[STREAM_FRAGMENT]);
	init_chain(m, book, LIST_RAYS, &wants[SIM_CORE], core);
	init_chain(m, book, LIST_TEXTURE, &wants[SIM_CORE], core);
	init_chain(m, book, LIST_EXEC, &wants[SIM_CORE], core);
	init_chain(m, book, LIST_SLICE, &wants[SIM_SLICE], slice);
	init_chain(m, book, LIST_TILER, &wants[SIM_TILER], tiler);
	init_chain(m, book, LIST_STALL, &wants[SIM_SLICE], by_index);
	init_chain(m, book, LIST_QUEUE, &wants[SIM_QUEUE], by_index);
	init_chain(m, book, LIST_FRONT, &wants[SIM_FRONT], by_index);
	for (unsigned s = 0; s < STREAMS; s++) {
		m->core_chains[s][0] = &m->chains[LIST_EXEC];
		m->core_chains[s][1] = &m->chains[s == STREAM_FRAGMENT ? LIST_FRAGMENT : LIST_NONFRAG];
		m->core_chains[s][2] = &m->chains[LIST_TEXTURE];
		m->core_chains[s][3] = &m->chains[LIST_RAYS];
	}
	set_shares(m, book);
	slice[m->formulas.line] = true;
	core[m->formulas.tex] = core[m->formulas.rays] = true; /* 0: the job needs no such chain */
	sim_used_init(&m->used_slice, &m->formulas, slice, all);
	sim_used_init(&m->used_tiler, &m->formulas, tiler, all);
	for (unsigned s = 0; s < STREAMS; s++) {
		add_ratios(own[s], core);
		sim_used_init(&m->used_core[s], &m->formulas, own[s], 1u << s);
		add_ratios(own[s], slice);
		if (s == STREAM_VERTEX)
			add_ratios(own[s], tiler);
		sim_used_init(&m->used[s], &m->formulas, own[s], 1u << s);
	}
	sim_lanes_init(m);
	m->shows = true;
}

/* Like the leaves of a chain, but each slice has its own ratio. */
static void flush_stalls(struct sim_model *m)
{
	uint32_t active = (uint32_t)(m->wait_stall * SIM_TICK);

	for (unsigned row = 0; row < sim_rows(m->gpu.slices); row++) {
		struct sim_slice_row *slices = &m->slice_rows[row];

		for (unsigned k = 0; k < m->chains[LIST_STALL].n_leaves; k++)
			for (unsigned i = 0; i < SIM_LANES; i++)
				slices->stall_rest[k][i] +=
					(uint64_t)active *
					slices->stall[m->chains[LIST_STALL].leaves[k].b][i];
	}
	m->wait_stall = 0;
}

/* The queues have other ratios as soon as other jobs run. */
static void flush_queues(struct sim_model *m)
{
	uint32_t queue[QUEUE_MAX][SIM_LANES] = {0};

	for (unsigned s = 0; s < STREAMS; s++) {
		queue[QUEUE_CYCLES][s] = (uint32_t)(m->wait_queue[s] * SIM_TICK);
		m->queue_total[QUEUE_CYCLES][s] += queue[QUEUE_CYCLES][s];
		m->wait_queue[s] = 0;
	}
	sim_chain_apply(&m->chains[LIST_QUEUE], m->queue_ratios, m->queue_rest, queue, m->queue_total);
}

void sim_flush_waits(struct sim_model *m)
{
	flush_stalls(m);
	flush_queues(m);
}

/* Where the remainders of a load are: those of its cores, row by row, its slices and the tiler. */
static uint64_t (*rest_of_load(const struct sim_model *m, enum sim_stream stream, const struct sim_load *load,
			       unsigned core_row))[SIM_LANES]
{
	unsigned rows = 0;

	for (unsigned k = 0; k < SIM_CORE_CHAINS; k++)
		rows += m->core_chains[stream][k]->rows;
	return load->rest + core_row * rows;
}

/* Sum the quantities from `first` up to `end` over all lanes. */
static uint64_t sum_of(uint32_t (*now)[SIM_LANES], unsigned first, unsigned end)
{
	uint64_t sum = 0;

	for (unsigned k = first; k < end; k++)
		for (unsigned i = 0; i < SIM_LANES; i++)
			sum += now[k][i];
	return sum;
}

/* Turn the pending work of a row of cores into the inputs of its chains. */
static void take_waits(struct sim_model *m, unsigned row, struct sim_load *load, uint32_t (*now)[SIM_LANES])
{
	struct sim_core_row *cores = &m->core_rows[row];

	for (unsigned i = 0; i < SIM_LANES; i++) {
		unsigned core = row * SIM_LANES + i;

		now[CORE_EXEC][i] = load->exec[core] * SIM_TICK;
		now[CORE_EXEC_QUARTER][i] = now[CORE_EXEC][i] / 4;
		now[CORE_FRAG][i] = load->frag[core] * SIM_TICK;
		now[CORE_VERTEX_WARPS][i] = m->cores[core].vertex_warps; /* of this load */
		cores->total[CORE_EXEC][i] += now[CORE_EXEC][i];
		cores->total[CORE_FRAG][i] += now[CORE_FRAG][i];
		load->exec[core] = load->frag[core] = m->cores[core].vertex_warps = 0;
	}
}

/* Add the traffic of a row of cores, in beats of 16 bytes. */
static void flush_cores(struct sim_model *m, unsigned row, enum sim_stream stream, struct sim_load *load,
			uint64_t *reads, uint64_t *writes)
{
	struct sim_core_row *cores = &m->core_rows[row];
	const uint32_t *ratios = load->profile.ratios;
	const bool wanted[SIM_CORE_CHAINS] = {true, true, ratios[m->formulas.tex], ratios[m->formulas.rays]};
	uint64_t(*rest)[SIM_LANES] = rest_of_load(m, stream, load, row);
	uint32_t now[CORE_MAX][SIM_LANES];

	memset(now[CORE_READ_TEX], 0, (CORE_TRAFFIC_END - CORE_READ_TEX) * sizeof(now[0]));
	take_waits(m, row, load, now);
	for (unsigned k = 0; k < SIM_CORE_CHAINS; rest += m->core_chains[stream][k++]->rows)
		if (wanted[k])
			sim_chain_apply(m->core_chains[stream][k], cores->lanes.ratios[stream], rest, now,
					cores->total);
	*reads += sum_of(now, CORE_READ_TEX, CORE_WRITE_LS_WB);
	*writes += sum_of(now, CORE_WRITE_LS_WB, CORE_TRAFFIC_END);
}

/* Requests of one line each, distributed over the slices by address. */
static void flush_slices(struct sim_model *m, enum sim_stream stream, struct sim_load *load, uint64_t reads,
			 uint64_t writes)
{
	const uint32_t *ratios = load->profile.ratios;
	uint64_t(*rest)[SIM_LANES] = rest_of_load(m, stream, load, sim_rows(m->gpu.cores));
	uint32_t now[SLICE_MAX][SIM_LANES];

	reads = sim_part(reads, ratios[m->formulas.line], &load->request_carry[0]);
	writes = sim_part(writes, ratios[m->formulas.line], &load->request_carry[1]);
	for (unsigned row = 0; row < sim_rows(m->gpu.slices); row++, rest += m->chains[LIST_SLICE].rows) {
		struct sim_slice_row *slices = &m->slice_rows[row];

		for (unsigned i = 0; i < SIM_LANES; i++) {
			unsigned slice = row * SIM_LANES + i;
			uint64_t r = sim_part(reads, m->slices[slice].part, &load->slice_carry[slice][0]);
			uint64_t w = sim_part(writes, m->slices[slice].part, &load->slice_carry[slice][1]);

			reads -= r;
			writes -= w;
			now[SLICE_READS][i] = (uint32_t)r;
			now[SLICE_WRITES][i] = (uint32_t)w;
			slices->total[SLICE_READS][i] += r;
			slices->total[SLICE_WRITES][i] += w;
		}
		sim_chain_apply(&m->chains[LIST_SLICE], slices->lanes.ratios[stream], rest, now,
				slices->total);
	}
}

/* The tiler requests warps, which the cores take in turn. */
static void deal_warps(struct sim_model *m, struct sim_load *load, uint64_t warps)
{
	for (unsigned i = 0; i < m->gpu.cores; i++) {
		uint64_t own = sim_part(warps, m->cores[i].part, &load->warp_carry[i]);

		m->cores[i].vertex_warps += (uint32_t)own;
		warps -= own;
	}
}

static void flush_tiler(struct sim_model *m, struct sim_load *load, uint64_t *reads, uint64_t *writes)
{
	uint64_t(*rest)[SIM_LANES] = rest_of_load(m, STREAM_VERTEX, load, sim_rows(m->gpu.cores)) +
				     sim_rows(m->gpu.slices) * m->chains[LIST_SLICE].rows;
	uint32_t now[TILER_MAX][SIM_LANES];

	memset(now[TILER_WORK], 0, sizeof(now[0]));
	memset(now[TILER_QUEUE], 0, sizeof(now[0]));
	now[TILER_WORK][0] = (uint32_t)(load->work * SIM_TICK);
	now[TILER_QUEUE][0] = (uint32_t)(load->tiler * SIM_TICK);
	sim_chain_apply(&m->chains[LIST_TILER], m->tiler_lanes.ratios[STREAM_VERTEX], rest, now,
			m->tiler_total);
	*reads += now[TILER_READ_BEATS][0];
	*writes += now[TILER_WRITE_BEATS][0];
	deal_warps(m, load, now[TILER_WARPS][0]);
}

/* At its first flush a load gets its remainders. */
static void claim_rest(struct sim_model *m, enum sim_stream stream, struct sim_load *load)
{
	load->rest = m->load_rest + m->n_load_rest;
	m->n_load_rest += (unsigned)(rest_of_load(m, stream, load, sim_rows(m->gpu.cores)) - load->rest) +
			  sim_rows(m->gpu.slices) * m->chains[LIST_SLICE].rows + m->chains[LIST_TILER].rows;
}

void sim_flush_load(struct sim_model *m, enum sim_stream stream, struct sim_load *load)
{
	uint64_t reads = 0, writes = 0;

	if (!load->touched)
		return;
	if (!load->rest)
		claim_rest(m, stream, load);
	sim_lanes_set(m, stream, load);
	m->queue_total[QUEUE_TASKS][stream] += sim_part(load->work, load->task_ratio, &load->task_carry);
	if (stream == STREAM_VERTEX)
		flush_tiler(m, load, &reads, &writes);
	for (unsigned row = 0; row < sim_rows(m->gpu.cores); row++)
		flush_cores(m, row, stream, load, &reads, &writes);
	flush_slices(m, stream, load, reads, writes);
	load->work = load->tiler = 0;
	load->touched = false;
	load->unsettled = true;
}

static void flush_front_end(struct sim_model *m)
{
	static const uint8_t own[SIM_FRONT_UNITS] = {GPU_IRQ_CYCLES, GPU_MCU, GPU_CEU, GPU_LSU};
	uint32_t gpu[GPU_MAX][SIM_LANES];

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
	sim_chain_apply(&m->chains[LIST_FRONT], m->gpu_shares, m->gpu_rest, gpu, m->gpu_total);
}

static void settle_load(struct sim_model *m, enum sim_stream stream, struct sim_load *load)
{
	uint64_t(*rest)[SIM_LANES] = load->rest;

	if (!load->unsettled)
		return;
	load->unsettled = false;
	for (unsigned row = 0; row < sim_rows(m->gpu.cores); row++)
		for (unsigned k = 0; k < SIM_CORE_CHAINS; rest += m->core_chains[stream][k++]->rows)
			sim_chain_settle(m->core_chains[stream][k], rest, m->core_rows[row].total);
	for (unsigned row = 0; row < sim_rows(m->gpu.slices); row++, rest += m->chains[LIST_SLICE].rows)
		sim_chain_settle(&m->chains[LIST_SLICE], rest, m->slice_rows[row].total);
	if (stream == STREAM_VERTEX)
		sim_chain_settle(&m->chains[LIST_TILER], rest, m->tiler_total);
}

void sim_count_flush(struct sim_model *m)
{
	sim_flush_waits(m);
	flush_front_end(m);
	for (unsigned s = 0; s < STREAMS; s++)
		for (unsigned i = 0; i < m->scenario.n_passes; i++) {
			sim_flush_load(m, (enum sim_stream)s, &m->loads[s][i]);
			settle_load(m, (enum sim_stream)s, &m->loads[s][i]);
		}
	for (unsigned row = 0; row < sim_rows(m->gpu.slices); row++)
		sim_chain_settle(&m->chains[LIST_STALL], m->slice_rows[row].stall_rest,
				 m->slice_rows[row].total);
	sim_chain_settle(&m->chains[LIST_QUEUE], m->queue_rest, m->queue_total);
	sim_chain_settle(&m->chains[LIST_FRONT], m->gpu_rest, m->gpu_total);
	m->flushed = m->tick;
}
