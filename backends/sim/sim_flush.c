/* Turn the ticks of loads, queues and the front end into counts, by the rules of the product. Each
 * instance counts with ratios that differ a little from those of the job. */
#include "backends/sim/sim_model.h"
#include "base/alloc.h"

#include <string.h>

/* ---- rules ---- */

/* The ratio is set in float, which has as many bits as its fraction. */
static void count_part(uint32_t *restrict out, const uint32_t *restrict in, float ratio,
		       const float *restrict skew, uint32_t *restrict rest, uint64_t *restrict total)
{
	for (unsigned i = 0; i < SIM_LANES; i++) {
		uint64_t x = rest[i] + (uint64_t)in[i] * (uint32_t)(int32_t)(ratio * skew[i]);

		rest[i] = (uint32_t)x & (SIM_ONE - 1);
		out[i] = (uint32_t)(x / SIM_ONE);
		total[i] += out[i];
	}
}

static void count_sum(uint32_t *restrict out, const uint32_t *restrict a, const uint32_t *restrict b,
		      uint32_t factor, uint64_t *restrict total)
{
	for (unsigned i = 0; i < SIM_LANES; i++) {
		out[i] = a[i] + b[i] * factor;
		total[i] += out[i];
	}
}

/* Apply a list to the increases of its block, which have its inputs, and add up its outputs.
 * ratios: NULL if the skew has them. Takes its remainders from *rest on. */
static void apply_rules(struct sim_model *m, enum sim_list list, const float *ratios, uint32_t **rest)
{
	const struct sim_rules *rules = &m->laws.lists[list];
	const struct sim_rule *end = rules->rules + rules->n;
	const unsigned n = m->blocks[rules->block].n;
	uint64_t *totals = m->blocks[rules->block].total;
	uint32_t *now = m->increases, *left = *rest;
	const float *skew = rules->skew;

	for (const struct sim_rule *r = rules->rules; r < end; r++) {
		uint32_t *out = now + r->out * n, *a = now + r->a * n;
		uint64_t *total = totals + r->out * n;
		float ratio = 1;

		if (!r->is_part) {
			for (unsigned i = 0; i < n; i += SIM_LANES)
				count_sum(out + i, a + i, now + r->b * n + i, (uint32_t)r->factor, total + i);
			continue;
		}
		if (ratios)
			ratio = ratios[r->factor];
		for (unsigned i = 0; i < n; i += SIM_LANES)
			count_part(out + i, a + i, ratio, skew + i, left + i, total + i);
		skew += n;
		left += n;
	}
	*rest = left;
}

/* Apply the lists that count a load in this block. */
static void apply_lists(struct sim_model *m, const struct sim_load *load, enum sim_block block,
			uint32_t **rest)
{
	for (unsigned list = 0; list < LIST_STALL; list++)
		if (load->lists & 1u << list && m->laws.lists[list].block == block)
			apply_rules(m, list, load->ratios, rest);
}

/* ---- loads ---- */

/* Return the sum of the increases from the quantity `first` up to `end` over all cores. */
static uint64_t sum_of(const struct sim_model *m, unsigned first, unsigned end)
{
	uint64_t sum = 0;

	for (unsigned i = first * m->blocks[SIM_CORE].n; i < end * m->blocks[SIM_CORE].n; i++)
		sum += m->increases[i];
	return sum;
}

static void flush_cores(struct sim_model *m, struct sim_load *load, const uint32_t *warps, uint64_t beats[2],
			uint32_t **rest)
{
	const unsigned n = m->blocks[SIM_CORE].n;
	uint32_t *now = m->increases;

	memset(now + CORE_READS * n, 0, (CORE_TRAFFIC_END - CORE_READS) * n * sizeof(*now));
	for (unsigned i = 0; i < n; i++) {
		now[CORE_EXEC * n + i] = load->exec[i] * SIM_TICK;
		now[CORE_EXEC_QUARTER * n + i] = now[CORE_EXEC * n + i] / 4;
		now[CORE_FRAG * n + i] = load->frag[i] * SIM_TICK;
		now[CORE_VERTEX_WARPS * n + i] = warps[i];
		sim_total(m, SIM_CORE, CORE_EXEC)[i] += now[CORE_EXEC * n + i];
		sim_total(m, SIM_CORE, CORE_FRAG)[i] += now[CORE_FRAG * n + i];
		load->exec[i] = load->frag[i] = 0;
	}
	apply_lists(m, load, SIM_CORE, rest);
	beats[0] += sum_of(m, CORE_READS, CORE_WRITES);
	beats[1] += sum_of(m, CORE_WRITES, CORE_TRAFFIC_END);
}

/* Requests of one line of four beats each, distributed over the slices by address. */
static void flush_slices(struct sim_model *m, struct sim_load *load, const uint64_t beats[2], uint32_t **rest)
{
	const unsigned n = m->blocks[SIM_SLICE].n;

	for (unsigned k = 0; k < 2; k++) {
		uint64_t left = sim_part(beats[k], SIM_ONE / 4, (*rest)++);

		for (unsigned i = 0; i < n; i++) {
			uint64_t own = sim_part(left, m->slices[i].part, (*rest)++);

			left -= own;
			m->increases[(SLICE_READS + k) * n + i] = (uint32_t)own;
			sim_total(m, SIM_SLICE, SLICE_READS + k)[i] += own;
		}
	}
	apply_lists(m, load, SIM_SLICE, rest);
}

/* The tiler requests warps, which the cores take in turn. */
static void flush_tiler(struct sim_model *m, struct sim_load *load, uint32_t *warps, uint64_t beats[2],
			uint32_t **rest)
{
	const unsigned n = m->blocks[SIM_TILER].n;
	uint32_t *now = m->increases;
	uint64_t left;

	memset(now, 0, (TILER_QUEUE + 1) * n * sizeof(*now)); /* the inputs */
	now[TILER_WORK * n] = (uint32_t)(load->work * SIM_TICK);
	now[TILER_QUEUE * n] = (uint32_t)(load->tiler * SIM_TICK);
	apply_lists(m, load, SIM_TILER, rest);
	beats[0] += now[TILER_READ_BEATS * n];
	beats[1] += now[TILER_WRITE_BEATS * n];
	left = now[TILER_WARPS * n];
	for (unsigned i = 0; i < m->gpu.cores; i++) {
		warps[i] = (uint32_t)sim_part(left, m->cores[i].part, (*rest)++);
		left -= warps[i];
	}
}

void sim_flush_load(struct sim_model *m, struct sim_load *load)
{
	uint64_t beats[2] = {0}; /* reads and writes of 16 bytes */
	uint32_t warps[SIM_CORES_MAX] = {0}, *rest = load->rest;

	if (!load->touched)
		return;
	sim_total(m, SIM_QUEUE, QUEUE_TASKS)[load->stream] += sim_part(load->work, load->task_ratio, rest++);
	if (load->stream == STREAM_VERTEX)
		flush_tiler(m, load, warps, beats, &rest);
	flush_cores(m, load, warps, beats, &rest);
	flush_slices(m, load, beats, &rest);
	load->work = load->tiler = 0;
	load->touched = false;
}

/* ---- waits ---- */

/* Returns where the remainders of the next list are. */
static uint32_t *flush_waits(struct sim_model *m)
{
	uint32_t *now = m->increases, *rest = m->rest;

	for (unsigned i = 0; i < m->blocks[SIM_SLICE].n; i++)
		now[SLICE_ACTIVE * m->blocks[SIM_SLICE].n + i] = (uint32_t)(m->wait_any * SIM_TICK);
	apply_rules(m, LIST_STALL, NULL, &rest);
	now[LANE_NONFRAG] = 0;
	for (unsigned s = 0; s < STREAMS; s++) {
		now[s] = (uint32_t)(m->wait_queue[s] * SIM_TICK);
		sim_total(m, SIM_QUEUE, QUEUE_CYCLES)[s] += now[s];
		m->wait_queue[s] = 0;
	}
	apply_rules(m, LIST_QUEUE, NULL, &rest);
	m->wait_any = 0;
	return rest;
}

void sim_set_waits(struct sim_model *m)
{
	const struct sim_rules *stalls = &m->laws.lists[LIST_STALL], *queues = &m->laws.lists[LIST_QUEUE];
	const unsigned n = m->blocks[SIM_SLICE].n;
	/* a queue waits longer for cores while it shares them */
	const double shared = (m->set & (m->set - 1)) != 0 ? 1.4 : 0.8;
	double reads = 1, writes = 1;

	flush_waits(m);
	for (unsigned s = 0; s < STREAMS; s++) {
		const struct sim_load *load = m->now[s];

		if (!(m->set & 1u << s))
			continue;
		reads *= 1 - load->read_stall;
		writes *= 1 - load->write_stall;
		for (unsigned i = 0; i < queues->n_parts; i++) {
			uint32_t share = sim_share(queues->waits[i].shares[s]);

			queues->skew[i * SIM_LANES + s] = (float)(uint32_t)(load->waits[i] * shared * share);
		}
	}
	for (unsigned i = 0; i < stalls->n_parts; i++) {
		const double *shares = stalls->waits[i].shares;
		double stall = shares[0] * (1 - reads) + shares[1] * (1 - writes) + shares[2];

		for (unsigned k = 0; k < m->gpu.slices; k++)
			stalls->skew[i * n + k] = (float)sim_share(stall * m->slices[k].skew);
	}
}

void sim_count_flush(struct sim_model *m)
{
	const unsigned n = m->blocks[SIM_FRONT].n, all = m->blocks[SIM_QUEUE].n;
	uint32_t *now = m->increases, *rest;

	m->flushed = m->tick;
	if (!m->shows)
		return;
	*sim_total(m, SIM_FRONT, GPU_ACTIVE) = m->active;
	rest = flush_waits(m);
	memset(now, 0, (GPU_TAIL + 1) * n * sizeof(*now)); /* the inputs */
	now[GPU_ANY_QUEUE * n] = (uint32_t)(m->front_any * SIM_TICK);
	now[GPU_TAIL * n] = (uint32_t)(m->front_tail * SIM_TICK);
	*sim_total(m, SIM_FRONT, GPU_ANY_QUEUE) += now[GPU_ANY_QUEUE * n];
	m->front_any = m->front_tail = 0;
	apply_rules(m, LIST_FRONT, NULL, &rest);
	for (unsigned s = 0; s < STREAMS; s++)
		for (unsigned i = 0; i < SIM_PASSES_MAX; i++)
			sim_flush_load(m, &m->loads[s][i]);
	for (uint64_t *queue = m->blocks[SIM_QUEUE].total,
		      *end = queue + m->laws.n_quantities[SIM_QUEUE] * all;
	     queue < end; queue += all)
		queue[LANE_NONFRAG] = queue[STREAM_VERTEX] + queue[STREAM_COMPUTE];
}

/* ---- the differences between cores and slices ---- */

/* Let instances deviate by up to `amount`; 0.03 is 3 %. Shares are below those of the job; all
 * other ratios vary around them. */
static void set_skew(const struct sim_model *m, const struct sim_rules *list, unsigned key, double amount)
{
	float *skew = list->skew;

	for (const struct sim_rule *r = list->rules; r < list->rules + list->n; r++)
		for (unsigned i = 0; r->is_part && i < m->blocks[list->block].n; i++) {
			uint64_t group = sim_hash(m->seed, i / 8, key);
			double off = amount * sim_hash_unit(sim_hash(group, i % 8, (uint64_t)r->factor));

			*skew++ = (float)((unsigned)r->factor < m->laws.n_shares ? 1 - off
										 : 1 + off - amount / 2);
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
}

static void init_slices(struct sim_model *m)
{
	for (unsigned i = 0; i < m->gpu.slices; i++) {
		double skew = 0.03 * sim_hash_unit(sim_hash(m->seed, i, 2000)) - 0.015;

		m->slices[i].skew = 1 + skew;
		m->slices[i].part =
			i + 1 == m->gpu.slices ? SIM_ONE : sim_share((1 + skew) / (m->gpu.slices - i));
	}
}

void *sim_own(struct sim_model *m, size_t n, size_t size)
{
	GROW(m->owned, m->n_owned, m->owned_cap);
	return m->owned[m->n_owned++] = xcalloc(n, size);
}

/* Allocate what counts a load. */
static void show_load(struct sim_model *m, struct sim_load *load, const struct sim_pass *pass)
{
	const struct sim_shader *s = &pass->shaders[load->stream];
	const struct sim_laws *laws = &m->laws;
	/* remainders of tasks, warps and requests, and of the rules */
	unsigned n = 1 + m->gpu.cores + 2 * (1 + m->blocks[SIM_SLICE].n);

	load->lists = 1u << LIST_EXEC | 1u << LIST_SLICE |
		      1u << (load->stream == STREAM_FRAGMENT ? LIST_FRAGMENT : LIST_NONFRAG);
	if (load->stream == STREAM_VERTEX)
		load->lists |= 1u << LIST_TILER;
	if (s->tex > 0 && s->samples > 0)
		load->lists |= 1u << LIST_TEXTURE;
	if (s->rt > 0 && m->gpu.ray_tracing)
		load->lists |= 1u << LIST_RAYS;
	for (unsigned i = 0; i < LIST_STALL; i++)
		n += load->lists & 1u << i ? laws->lists[i].n_parts * m->blocks[laws->lists[i].block].n : 0;
	load->rest = sim_own(m, n, sizeof(*load->rest));
	load->ratios = sim_own(m, laws->n_ratios, sizeof(*load->ratios));
	load->values = sim_own(m, laws->n_values, sizeof(*load->values));
	load->waits = sim_own(m, laws->lists[LIST_QUEUE].n_parts, sizeof(*load->waits));
	load->exec = sim_own(m, m->blocks[SIM_CORE].n, sizeof(*load->exec));
	load->frag = sim_own(m, m->blocks[SIM_CORE].n, sizeof(*load->frag));
	for (unsigned stream = 0; stream < STREAMS; stream++)
		m->now[stream] = load; /* which gets nothing before jobs begin */
}

void sim_count_show(struct sim_model *m)
{
	const unsigned instances[SIM_BLOCKS] = {[SIM_CORE] = m->gpu.cores, [SIM_SLICE] = m->gpu.slices};
	const unsigned keys[SIM_BLOCKS] = {[SIM_CORE] = 1100, [SIM_SLICE] = 2001};
	const double amounts[SIM_BLOCKS] = {[SIM_CORE] = m->scenario.imbalance, [SIM_SLICE] = 0.02};
	const struct sim_rules *front = &m->laws.lists[LIST_FRONT];
	size_t most = 0, waits = 0;

	for (unsigned b = 0; b < SIM_BLOCKS; b++) {
		struct sim_lanes *lanes = &m->blocks[b];
		size_t n;

		lanes->n = instances[b] ? (instances[b] + SIM_LANES - 1) / SIM_LANES * SIM_LANES : SIM_LANES;
		n = (size_t)lanes->n * m->laws.n_quantities[b];
		lanes->total = sim_own(m, n, sizeof(*lanes->total));
		most = n > most ? n : most;
	}
	for (unsigned i = 0; i < SIM_LISTS; i++) {
		struct sim_rules *list = &m->laws.lists[i];
		size_t n = (size_t)list->n_parts * m->blocks[list->block].n;

		list->skew = sim_own(m, n, sizeof(*list->skew));
		if (i < LIST_STALL)
			set_skew(m, list, keys[list->block], amounts[list->block]);
		else
			waits += n;
	}
	m->increases = sim_own(m, most, sizeof(*m->increases));
	m->rest = sim_own(m, waits, sizeof(*m->rest));
	m->cores = sim_own(m, m->gpu.cores, sizeof(*m->cores));
	init_cores(m);
	init_slices(m);
	for (unsigned i = 0; i < front->n_parts; i++)
		front->skew[i * SIM_LANES] = (float)sim_share(front->waits[i].shares[0]);
	for (unsigned s = 0; s < STREAMS; s++)
		for (unsigned i = 0; i < m->scenario.n_passes; i++)
			if (m->scenario.passes[i].load[s] > 0)
				show_load(m, &m->loads[s][i], &m->scenario.passes[i]);
	m->shows = true;
}
