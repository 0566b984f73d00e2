#include "backends/sim/sim_model.h"
#include "base/real.h"

#include <string.h>

#define COMPUTE_THREADS 0.09 /* per cycle of execution: one in eleven cycles */

/* Share of the time in which the cores execute while a stream has them alone, before its shader's
 * own `issue`. */
static const double alone[STREAMS] = {
	[STREAM_VERTEX] = 0.86, [STREAM_FRAGMENT] = 0.97, [STREAM_COMPUTE] = 0.97};

static float sway_of(const struct sim_job *job, unsigned drift)
{
	return (float)(drift & 1 ? job->drifts[drift] : -job->drifts[drift]);
}

/* A ratio deviates by two of the job's drifts and a little noise. Shares close to 1 stay close
 * to 1. */
static void set_ratios(struct sim_load *load, const struct sim_laws *laws, const struct sim_job *job)
{
	uint64_t noise = 0;

	for (unsigned i = 0; i < laws->n_formulas; i++) {
		const struct sim_formula *f = &laws->formulas[i];

		if (f->streams & 1u << load->stream && (f->varies || !load->known))
			load->values[f->value] = expr_eval(&f->expr, load->values);
	}
	load->known = true;
	for (unsigned r = 0; r < laws->n_ratios; r++) {
		unsigned i = r % SIM_DRIFTS;
		float amount = r - i < laws->n_content ? 0.2f : 0.12f, off;
		double x = load->values[laws->value_of[r]], most = r < laws->n_shares ? 1 : 255;

		if (r % 4 == 0) /* a hash is the noise of four ratios */
			noise = sim_hash(job->key, 0, r - i + i / 4);
		off = 0.07f / 65536 * (float)((int)(noise & 0xffff) - 32768) +
		      amount * (0.6f * sway_of(job, i) + 0.4f * sway_of(job, r / SIM_DRIFTS % SIM_DRIFTS));
		noise >>= 16;
		if (r == laws->line)
			off = 0; /* a constant */
		x = most > 1 || x < 0.5 ? x * (1 + (double)off) : 1 - (1 - x) * (1 - 2.5 * (double)off);
		if (!(x >= 0 && x <= most)) /* an odd shader of a user */
			x = x > most ? most : 0;
		load->ratios[r] = (uint32_t)(x * SIM_ONE);
	}
}

/* A queue waits longer for cores and dependencies in some jobs than in others. */
static void set_waits(struct sim_load *load, const struct sim_laws *laws, const struct sim_job *job)
{
	const struct sim_rules *queue = &laws->lists[LIST_QUEUE];

	for (const struct sim_rule *r = queue->rules; r < queue->rules + queue->n; r++)
		if (r->op == OP_PART) {
			double drift = job->drifts[(r->b + 3 * load->stream) % SIM_DRIFTS];
			double noise = sim_hash_unit(sim_hash(job->key, 1, laws->n_ratios + r->b)) - 0.5;

			load->waits[r->b] = 1 + 0.5 * drift + 0.4 * noise;
		}
}

/* Share of responses slower than `cycles` if the mean wait is `mean`: a smooth step, as steep as
 * measured latencies. */
static double slower_than(double cycles, double mean)
{
	double x = cycles / mean, x5 = x * x * x * x * x;

	return 1 - x5 / (1 + x5);
}

void sim_profile_init(const struct sim_model *m, struct sim_load *load, const struct sim_job *job)
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
		return; /* only jobs are watched */
	/* A queue that grows as the bus fills. */
	wait = (150 + 300 * beats * beats / (1 - beats)) * (0.6 + 0.4 * clock_share);
	for (unsigned i = 0; i < 5; i++)
		in.slower[i] = slower_than(128 + 64 * i, wait);
	in.pixels = pass->pixels * m->pixels / (double)(job->work * SIM_TICK) /
		    (m->gpu.cores * load->issue * load->any); /* of fragments */
	if (load->stream == STREAM_FRAGMENT)
		in.threads = in.pixels * sim_size_threads(&job->size, &pass->look);
	memcpy(load->values, &in, sizeof(in));
	set_ratios(load, &m->laws, job);
	set_waits(load, &m->laws, job);
}
