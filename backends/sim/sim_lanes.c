#include "backends/sim/sim_model.h"

/* Instances deviate by up to `amount`, 0.03: 3 %. Shares are below those of the job, all other
 * ratios vary around them. */
static void set_skew(const struct sim_formulas *f, struct sim_lanes *lanes, uint64_t key, double amount)
{
	for (unsigned r = 0; r < f->n_ratios; r++)
		for (unsigned i = 0; i < SIM_LANES; i++) {
			double off = amount * sim_hash_unit(sim_hash(key, i, r));

			lanes->skew[r][i] = (float)(r < f->n_shares ? 1 - off : 1 + off - amount / 2);
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
		m->cores[i].part = i + 1 == m->gpu.cores
					   ? SIM_ONE
					   : sim_share((1 - m->cores[i].behind[STREAM_VERTEX]) / left);
		left -= 1 - m->cores[i].behind[STREAM_VERTEX];
	}
	for (unsigned row = 0; row < sim_rows(m->gpu.cores); row++)
		set_skew(&m->formulas, &m->core_rows[row].lanes, sim_hash(m->seed, row, 1100), imbalance);
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
		set_skew(&m->formulas, &m->slice_rows[row].lanes, sim_hash(m->seed, row, 2001), 0.02);
}

void sim_lanes_init(struct sim_model *m)
{
	init_cores(m);
	init_slices(m);
	set_skew(&m->formulas, &m->tiler_lanes, 0, 0);
}

/* In float, which has as many bits as a ratio's fraction, and in a straight loop, which compilers
 * vectorize. */
static void set_lane(uint32_t *restrict out, float ratio, const float *restrict skew)
{
	for (unsigned i = 0; i < SIM_LANES; i++)
		out[i] = (uint32_t)(int32_t)(ratio * skew[i]);
}

static void set_row(struct sim_lanes *lanes, const struct sim_profile *profile, enum sim_stream stream,
		    const struct sim_used *used)
{
	for (const uint8_t *r = used->ratios; r < used->ratios + used->n; r++)
		set_lane(lanes->ratios[stream][*r], (float)profile->ratios[*r], lanes->skew[*r]);
}

void sim_lanes_set(struct sim_model *m, enum sim_stream stream, const struct sim_load *load)
{
	if (m->lanes_key[stream] == load->key)
		return;
	m->lanes_key[stream] = load->key;
	for (unsigned row = 0; row < sim_rows(m->gpu.cores); row++)
		set_row(&m->core_rows[row].lanes, &load->profile, stream, &m->used_core[stream]);
	for (unsigned row = 0; row < sim_rows(m->gpu.slices); row++)
		set_row(&m->slice_rows[row].lanes, &load->profile, stream, &m->used_slice);
	if (stream == STREAM_VERTEX)
		set_row(&m->tiler_lanes, &load->profile, stream, &m->used_tiler);
}

static void set_stalls(struct sim_model *m)
{
	double reads = 1, writes = 1;

	for (unsigned s = 0; s < STREAMS; s++) {
		if (!(m->set & 1u << s))
			continue;
		reads *= 1 - m->now[s]->profile.read_stall;
		writes *= 1 - m->now[s]->profile.write_stall;
	}
	reads = 1 - reads;
	writes = 1 - writes;

	for (unsigned k = 0; k < m->chains[LIST_STALL].n_leaves; k++) {
		unsigned rule = m->chains[LIST_STALL].leaves[k].b;
		const double *shares = m->stall_shares[rule],
			     stall = shares[0] * reads + shares[1] * writes + shares[2];

		for (unsigned i = 0; i < m->gpu.slices; i++)
			m->slice_rows[i / SIM_LANES].stall[rule][i % SIM_LANES] =
				sim_share(stall * m->slices[i].skew);
	}
}

/* A queue waits longer for cores and dependencies in some jobs than in others. */
void sim_waits_init(const struct sim_model *m, const struct sim_job *job, struct sim_load *load)
{
	for (unsigned k = 0; k < m->n_queue_rules; k++) {
		double drift = job->drifts[(k + 3 * job->stream) % SIM_DRIFTS];
		double noise = sim_hash_unit(sim_hash(job->key, 1, m->formulas.n_ratios + k)) - 0.5;

		load->waits[k] = 1 + 0.5 * drift + 0.4 * noise;
	}
}

/* It waits for cores more while it shares them. */
static void set_queues(struct sim_model *m)
{
	const double shared = (m->set & (m->set - 1)) != 0 ? 1.4 : 0.8;

	for (unsigned s = 0; s < STREAMS; s++)
		for (unsigned k = 0; k < m->n_queue_rules && m->set & 1u << s; k++)
			if (m->queue_shares[k][s])
				m->queue_ratios[k][s] =
					(uint32_t)(m->now[s]->waits[k] * shared * m->queue_shares[k][s]);
}

void sim_waits_set(struct sim_model *m)
{
	set_stalls(m);
	set_queues(m);
}
