#include "backends/sim/sim_model.h"
#include "base/real.h"

#include <stddef.h>
#include <string.h>

#define COMPUTE_THREADS 0.09 /* per cycle of execution: one in eleven cycles */

/* Share of the time in which the cores execute while a stream has them alone, before its shader's
 * own `issue`. */
static const double alone[STREAMS] = {
	[STREAM_VERTEX] = 0.86, [STREAM_FRAGMENT] = 0.97, [STREAM_COMPUTE] = 0.97};

void sim_used_init(struct sim_used *used, const struct sim_formulas *f, const bool *ratios, unsigned streams)
{
	const size_t varying = offsetof(struct sim_inputs, size) / sizeof(double); /* inputs from there on */
	bool needed[SIM_VALUES_MAX] = {false}, varies[SIM_VALUES_MAX] = {false};

	*used = (struct sim_used){0};
	for (unsigned i = 0; i < f->n_ratios; i++)
		if (ratios[i]) {
			used->values[used->n] = f->value_of[i];
			used->ratios[used->n++] = (uint8_t)i;
			needed[f->value_of[i]] = true;
		}
	/* Backwards, because a value comes before the values that need it. */
	for (unsigned i = f->n; i-- > 0;)
		for (unsigned k = 0; k < f->list[i].expr.n && needed[f->list[i].value]; k++)
			if (f->list[i].streams & streams && f->list[i].expr.ops[k].kind == EXPR_LOAD)
				needed[f->list[i].expr.ops[k].slot] = true;
	for (size_t i = varying; i < SIM_INPUTS; i++)
		varies[i] = true;
	for (unsigned i = 0; i < f->n; i++) {
		const struct sim_formula *formula = &f->list[i];

		if (!needed[formula->value] || !(formula->streams & streams))
			continue;
		used->formulas[used->n_formulas++] = (uint8_t)i;
		for (unsigned k = 0; k < formula->expr.n; k++)
			varies[formula->value] |=
				formula->expr.ops[k].kind == EXPR_LOAD && varies[formula->expr.ops[k].slot];
		if (varies[formula->value])
			used->varying[used->n_varying++] = (uint8_t)i;
	}
}

/* How far each ratio is from its mean in this job; in straight loops, which compilers
 * vectorize. */
static void set_offsets(float *restrict off, const struct sim_formulas *f, const struct sim_job *job)
{
	const unsigned n_content = f->n_content;
	float sway[SIM_DRIFTS];

	for (unsigned i = 0; i < SIM_DRIFTS; i++)
		sway[i] = (float)(i & 1 ? job->drifts[i] : -job->drifts[i]);
	for (unsigned at = 0; at < SIM_RATIOS_MAX; at += SIM_DRIFTS) {
		uint64_t hashes[] = {sim_hash(job->key, 0, at), sim_hash(job->key, 0, at + 1)};
		float amount = at < n_content ? 0.2f : 0.12f, own = sway[at / SIM_DRIFTS % SIM_DRIFTS];
		uint16_t noise[SIM_DRIFTS];

		memcpy(noise, hashes, sizeof(noise));
		for (unsigned i = 0; i < SIM_DRIFTS; i++)
			off[at + i] = 0.07f / 65536 * (float)(noise[i] - 32768) +
				      amount * (0.6f * sway[i] + 0.4f * own);
	}
	off[f->line] = 0; /* a constant */
}

/* Shares close to 1 stay close to 1. */
static void set_ratios(struct sim_load *load, const struct sim_formulas *f, const struct sim_job *job,
		       const struct sim_used *used)
{
	const uint8_t *first = load->known ? used->varying : used->formulas,
		      *end = first + (load->known ? used->n_varying : used->n_formulas);
	const unsigned n = used->n, n_shares = f->n_shares;
	double *values = load->values;
	float offsets[SIM_RATIOS_MAX];

	for (; first < end; first++)
		values[f->list[*first].value] = expr_eval(&f->list[*first].expr, values);
	load->known = true;
	set_offsets(offsets, f, job);
	for (unsigned i = 0; i < n; i++) {
		unsigned r = used->ratios[i];
		double x = values[used->values[i]], off = (double)offsets[r], most = r < n_shares ? 1 : 255;

		x = most > 1 || x < 0.5 ? x * (1 + off) : 1 - (1 - x) * (1 - 2.5 * off);
		if (!(x >= 0 && x <= most)) /* an odd shader of a user */
			x = x > most ? most : 0;
		load->profile.ratios[r] = (uint32_t)(x * SIM_ONE);
	}
}

/* Share of responses slower than `cycles` if the mean wait is `mean`: a smooth step, as steep as
 * measured latencies. */
static double slower_than(double cycles, double mean)
{
	double x = cycles / mean, x5 = x * x * x * x * x;

	return 1 - x5 / (1 + x5);
}

void sim_profile_init(struct sim_load *load, const struct sim_gpu *gpu, const struct sim_job *job,
		      double clock_share, double pixels, const struct sim_formulas *formulas,
		      const struct sim_used *used)
{
	const struct sim_pass *pass = job->pass;
	const struct sim_shader *s = &pass->shaders[job->stream];
	struct sim_profile *profile = &load->profile;
	double beats, wait;
	struct sim_inputs in = {
		.shader = *s, .look = pass->look, .size = job->size, .threads = COMPUTE_THREADS};

	profile->issue = in.issue = alone[job->stream] * s->issue * (0.97 + 0.03 * job->drifts[job->stream]);
	profile->any = s->any * (0.985 + 0.015 * job->drifts[2 * STREAMS - 1 - job->stream]);
	in.load = s->bus_read * (1 + 0.1 * job->drifts[STREAMS + job->stream]);
	beats = real_min(in.load, 0.85);
	profile->read_stall = beats * beats * 0.95;
	profile->write_stall = beats * beats * 0.3;
	if (!used->n)
		return; /* only jobs are watched */
	/* A queue that grows as the bus fills. */
	wait = (150 + 300 * beats * beats / (1 - beats)) * (0.6 + 0.4 * clock_share);
	for (unsigned i = 0; i < 5; i++)
		in.slower[i] = slower_than(128 + 64 * i, wait);
	in.pixels = pixels / (gpu->cores * profile->issue * profile->any);
	if (job->stream == STREAM_FRAGMENT)
		in.threads = in.pixels * sim_size_threads(&job->size, &pass->look);
	memcpy(load->values, &in, sizeof(in));
	set_ratios(load, formulas, job, used);
}
