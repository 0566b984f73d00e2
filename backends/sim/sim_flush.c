/* Turn the ticks of loads, queues and the front end into counts, by the rules of the product. Each
 * instance counts with ratios that differ a little from those of the job. */
#include "backends/sim/sim_model.h"
#include "base/alloc.h"

#include <string.h>

/* ---- rules ---- */

static void count_part(uint32_t *restrict out, const uint32_t *restrict in, const uint32_t *restrict ratio,
		       uint32_t *restrict rest, uint64_t *restrict total)
{
	for (unsigned i = 0; i < SIM_LANES; i++) {
		uint64_t x = rest[i] + (uint64_t)in[i] * ratio[i];

		rest[i] = (uint32_t)x & (SIM_ONE - 1);
		out[i] = (uint32_t)(x / SIM_ONE);
		total[i] += out[i];
	}
}

/* In float, which has as many bits as a ratio's fraction. */
static void set_lanes(uint32_t *restrict out, float ratio, const float *restrict skew)
{
	for (unsigned i = 0; i < SIM_LANES; i++)
		out[i] = (uint32_t)(int32_t)(ratio * skew[i]);
}

/* a + b * times */
static void count_sum(uint32_t *restrict out, const uint32_t *restrict a, const uint32_t *restrict b,
		      uint32_t times, uint64_t *restrict total)
{
	for (unsigned i = 0; i < SIM_LANES; i++) {
		out[i] = a[i] + b[i] * times;
		total[i] += out[i];
	}
}

/* Apply a list to the increases in now[], which has its inputs, and add up its outputs. */
static void apply_rules(struct sim_model *m, enum sim_list list, const struct sim_load *load, unsigned row,
			uint32_t (*restrict now)[SIM_LANES])
{
	static const uint32_t none[SIM_LANES];
	const struct sim_rules *rules = &m->laws.lists[list];
	struct sim_row *lanes = &m->rows[row];
	uint64_t(*total)[SIM_LANES] = lanes->total;
	uint32_t(*rest)[SIM_LANES] =
		m->rest + ((size_t)(load - m->loads) * SIM_ROWS + row) * m->laws.n_parts + rules->first_part;
	uint32_t ratio[SIM_LANES];

	for (const struct sim_rule *r = rules->rules; r < rules->rules + rules->n; r++)
		if (r->op == OP_PART) {
			if (list < LIST_STALL)
				set_lanes(ratio, load->ratios[r->b], lanes->skew[r->b]);
			count_part(now[r->out], now[r->a], list < LIST_STALL ? ratio : lanes->waits[r->b],
				   *rest++, total[r->out]);
		} else if (r->op == OP_TIMES) {
			count_sum(now[r->out], none, now[r->a], r->b, total[r->out]);
		} else {
			count_sum(now[r->out], now[r->a], now[r->b], r->op == OP_SUM ? 1 : UINT32_MAX,
				  total[r->out]);
		}
}

/* ---- loads ---- */

/* Sum the quantities from `first` up to `end` over all lanes. */
static uint64_t sum_of(uint32_t (*now)[SIM_LANES], unsigned first, unsigned end)
{
	uint64_t sum = 0;

	for (unsigned k = first; k < end; k++)
		for (unsigned i = 0; i < SIM_LANES; i++)
			sum += now[k][i];
	return sum;
}

static void flush_cores(struct sim_model *m, struct sim_load *load, unsigned row, const uint32_t *warps,
			uint64_t beats[2])
{
	uint32_t now[SIM_QUANTITIES_MAX][SIM_LANES];

	memset(now[CORE_READS], 0, (CORE_TRAFFIC_END - CORE_READS) * sizeof(now[0]));
	for (unsigned i = 0; i < SIM_LANES; i++) {
		unsigned core = row * SIM_LANES + i;

		now[CORE_EXEC][i] = load->exec[core] * SIM_TICK;
		now[CORE_EXEC_QUARTER][i] = now[CORE_EXEC][i] / 4;
		now[CORE_FRAG][i] = load->frag[core] * SIM_TICK;
		now[CORE_VERTEX_WARPS][i] = warps[core];
		load->exec[core] = load->frag[core] = 0;
	}
	apply_rules(m, LIST_EXEC, load, ROW_CORES + row, now);
	if (load->ratios[m->laws.tex] > 0)
		apply_rules(m, LIST_TEXTURE, load, ROW_CORES + row, now);
	if (load->ratios[m->laws.rays] > 0)
		apply_rules(m, LIST_RAYS, load, ROW_CORES + row, now);
	apply_rules(m, load->stream == STREAM_FRAGMENT ? LIST_FRAGMENT : LIST_NONFRAG, load, ROW_CORES + row,
		    now);
	beats[0] += sum_of(now, CORE_READS, CORE_WRITES);
	beats[1] += sum_of(now, CORE_WRITES, CORE_TRAFFIC_END);
}

/* Requests of one line each, distributed over the slices by address. */
static void flush_slices(struct sim_model *m, struct sim_load *load, const uint64_t beats[2])
{
	uint64_t left[2];

	for (unsigned k = 0; k < 2; k++)
		left[k] = sim_part(beats[k], (uint64_t)load->ratios[m->laws.line], &load->request_carry[k]);
	for (unsigned row = 0; row < sim_rows(m->gpu.slices); row++) {
		uint32_t now[SIM_QUANTITIES_MAX][SIM_LANES];

		for (unsigned i = 0; i < 2 * SIM_LANES; i++) {
			unsigned slice = row * SIM_LANES + i / 2, k = i % 2;
			uint64_t own = sim_part(left[k], m->slices[slice].part, &load->slice_carry[slice][k]);

			left[k] -= own;
			now[SLICE_READS + k][i / 2] = (uint32_t)own;
			m->rows[ROW_SLICES + row].total[SLICE_READS + k][i / 2] += own;
		}
		apply_rules(m, LIST_SLICE, load, ROW_SLICES + row, now);
	}
}

/* The tiler requests warps, which the cores take in turn. */
static void flush_tiler(struct sim_model *m, struct sim_load *load, uint32_t *warps, uint64_t beats[2])
{
	uint32_t now[SIM_QUANTITIES_MAX][SIM_LANES];
	uint64_t left;

	memset(now[TILER_WORK], 0, sizeof(now[0]));
	memset(now[TILER_QUEUE], 0, sizeof(now[0]));
	now[TILER_WORK][0] = (uint32_t)(load->work * SIM_TICK);
	now[TILER_QUEUE][0] = (uint32_t)(load->tiler * SIM_TICK);
	apply_rules(m, LIST_TILER, load, ROW_TILER, now);
	beats[0] += now[TILER_READ_BEATS][0];
	beats[1] += now[TILER_WRITE_BEATS][0];
	left = now[TILER_WARPS][0];
	for (unsigned i = 0; i < m->gpu.cores; i++) {
		warps[i] = (uint32_t)sim_part(left, m->cores[i].part, &load->warp_carry[i]);
		left -= warps[i];
	}
}

void sim_flush_load(struct sim_model *m, struct sim_load *load)
{
	uint64_t beats[2] = {0}; /* reads and writes of 16 bytes */
	uint32_t warps[SIM_CORES_MAX] = {0};

	if (!load->touched)
		return;
	m->rows[ROW_QUEUES].total[QUEUE_TASKS][load->stream] +=
		sim_part(load->work, load->task_ratio, &load->task_carry);
	if (load->stream == STREAM_VERTEX)
		flush_tiler(m, load, warps, beats);
	for (unsigned row = 0; row < sim_rows(m->gpu.cores); row++)
		flush_cores(m, load, row, warps, beats);
	flush_slices(m, load, beats);
	load->work = load->tiler = 0;
	load->touched = false;
}

/* ---- waits ---- */

static void flush_waits(struct sim_model *m)
{
	const struct sim_load *waits = &m->loads[SIM_WAITS];
	uint32_t now[SIM_QUANTITIES_MAX][SIM_LANES];

	for (unsigned i = 0; i < SIM_LANES; i++)
		now[SLICE_ACTIVE][i] = (uint32_t)(m->wait_any * SIM_TICK);
	for (unsigned row = 0; row < sim_rows(m->gpu.slices); row++)
		apply_rules(m, LIST_STALL, waits, ROW_SLICES + row, now);
	memset(now[QUEUE_CYCLES], 0, sizeof(now[0]));
	for (unsigned s = 0; s < STREAMS; s++) {
		now[QUEUE_CYCLES][s] = (uint32_t)(m->wait_queue[s] * SIM_TICK);
		m->rows[ROW_QUEUES].total[QUEUE_CYCLES][s] += now[QUEUE_CYCLES][s];
		m->wait_queue[s] = 0;
	}
	apply_rules(m, LIST_QUEUE, waits, ROW_QUEUES, now);
	m->wait_any = 0;
}

void sim_set_waits(struct sim_model *m)
{
	const struct sim_rules *stalls = &m->laws.lists[LIST_STALL], *queues = &m->laws.lists[LIST_QUEUE];
	/* a queue waits longer for cores while it shares them */
	const double shared = (m->set & (m->set - 1)) != 0 ? 1.4 : 0.8;
	double reads = 1, writes = 1;

	flush_waits(m);
	for (unsigned s = 0; s < STREAMS; s++) {
		if (!(m->set & 1u << s))
			continue;
		reads *= 1 - m->now[s]->read_stall;
		writes *= 1 - m->now[s]->write_stall;
		for (const struct sim_rule *r = queues->rules; r < queues->rules + queues->n; r++)
			if (r->op == OP_PART)
				m->rows[ROW_QUEUES].waits[r->b][s] =
					(uint32_t)(m->now[s]->waits[r->b] * shared * sim_share(r->shares[s]));
	}
	for (const struct sim_rule *r = stalls->rules; r < stalls->rules + stalls->n; r++) {
		double stall = r->shares[0] * (1 - reads) + r->shares[1] * (1 - writes) + r->shares[2];

		for (unsigned i = 0; i < m->gpu.slices && r->op == OP_PART; i++)
			m->rows[ROW_SLICES + i / SIM_LANES].waits[r->b][i % SIM_LANES] =
				sim_share(stall * m->slices[i].skew);
	}
}

void sim_count_flush(struct sim_model *m)
{
	uint64_t(*queue)[SIM_LANES] = m->rows[ROW_QUEUES].total;
	uint32_t now[SIM_QUANTITIES_MAX][SIM_LANES];

	m->flushed = m->tick;
	if (!m->shows)
		return;
	flush_waits(m);
	memset(now, 0, (GPU_TAIL + 1) * sizeof(now[0])); /* the inputs */
	now[GPU_ANY_QUEUE][0] = (uint32_t)(m->front_any * SIM_TICK);
	now[GPU_TAIL][0] = (uint32_t)(m->front_tail * SIM_TICK);
	m->front_any = m->front_tail = 0;
	apply_rules(m, LIST_FRONT, &m->loads[SIM_WAITS], ROW_FRONT, now);
	for (unsigned i = 0; i < SIM_LOADS; i++)
		sim_flush_load(m, &m->loads[i]);
	for (unsigned k = 0; k < m->laws.n_queue; k++)
		queue[k][LANE_NONFRAG] = queue[k][STREAM_VERTEX] + queue[k][STREAM_COMPUTE];
}

/* ---- the differences between cores and slices ---- */

/* Let instances deviate by up to `amount`; 0.03 is 3 %. Shares are below those of the job; all
 * other ratios vary around them. */
static void set_skew(struct sim_model *m, unsigned row, uint64_t key, double amount)
{
	for (unsigned r = 0; r < m->laws.n_ratios; r++)
		for (unsigned i = 0; i < SIM_LANES; i++) {
			double off = amount * sim_hash_unit(sim_hash(key, i, r));

			m->rows[row].skew[r][i] =
				(float)(r < m->laws.n_shares ? 1 - off : 1 + off - amount / 2);
		}
}

static void init_cores(struct sim_model *m)
{
	const double imbalance = m->scenario.imbalance;
	double left = 0;

	for (unsigned i = 0; i < m->gpu.cores; i++) {
		for (unsigned s = 0; s < STREAMS; s++)
			m->cores[i].behind[s] = imbalance * sim_hash_unit(sim_hash(m->seed, i, 1000 + s));
		left += 1 - m->cores[i].behind[STREAM_VERTEX];
	}
	for (unsigned i = 0; i < m->gpu.cores; i++) {
		double own = 1 - m->cores[i].behind[STREAM_VERTEX];

		m->cores[i].part = i + 1 == m->gpu.cores ? SIM_ONE : sim_share(own / left);
		left -= own;
	}
	for (unsigned row = 0; row < sim_rows(m->gpu.cores); row++)
		set_skew(m, ROW_CORES + row, sim_hash(m->seed, row, 1100), imbalance);
}

static void init_slices(struct sim_model *m)
{
	for (unsigned i = 0; i < m->gpu.slices; i++) {
		double skew = 0.03 * sim_hash_unit(sim_hash(m->seed, i, 2000)) - 0.015;

		m->slices[i].skew = 1 + skew;
		m->slices[i].part =
			i + 1 == m->gpu.slices ? SIM_ONE : sim_share((1 + skew) / (m->gpu.slices - i));
	}
	for (unsigned row = 0; row < sim_rows(m->gpu.slices); row++)
		set_skew(m, ROW_SLICES + row, sim_hash(m->seed, row, 2001), 0.02);
}

void sim_count_show(struct sim_model *m)
{
	const struct sim_rules *front = &m->laws.lists[LIST_FRONT];

	m->rest = xcalloc((SIM_LOADS + 1) * SIM_ROWS * (size_t)m->laws.n_parts, sizeof(*m->rest));
	init_cores(m);
	init_slices(m);
	set_skew(m, ROW_TILER, 0, 0);
	for (const struct sim_rule *r = front->rules; r < front->rules + front->n; r++)
		if (r->op == OP_PART)
			m->rows[ROW_FRONT].waits[r->b][0] = sim_share(r->shares[0]);
	m->shows = true;
}
