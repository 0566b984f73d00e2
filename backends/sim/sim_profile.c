#include "backends/sim/sim_model.h"
#include "base/real.h"

#include <assert.h>
#include <string.h>

/* The ratios of ordinary content; the comments name the base of each ratio. */
static const double defaults[RATIO_SHADER] = {
	[RATIO_STARVE] = 0.55,
	[RATIO_STARVE_ICACHE] = 0.03,
	[RATIO_PAIRED] = 0.7,
	[RATIO_TEX_SINGLE] = 0.12,
	[RATIO_TEX_MORE] = 0.08,
	[RATIO_TEX_PASS_MISS] = 0.004,
	[RATIO_TEX_LINES] = 0.3,
	[RATIO_TEX_LOOKUP] = 0.9,
	[RATIO_TEX_IN] = 0.6,
	[RATIO_TEX_OUT] = 0.72,
	[RATIO_TEX_DESC_STALL] = 0.01,
	[RATIO_TEX_SIMPLE_LOAD] = 0.5,
	[RATIO_TEX_COMPLEX_LOAD] = 0.22,
	[RATIO_TEX_L1_OUT] = 0.66,
	[RATIO_TEX_L1_LOOKUP] = 0.8,
	[RATIO_TEX_L1_LOAD] = 0.62,
	[RATIO_TEX_INDEX] = 0.55,
	[RATIO_TEX_CLOCKED] = 0.35,
	[RATIO_LS_READ_PART] = 0.45,
	[RATIO_LS_WRITE_PART] = 0.92,
	[RATIO_BLEND_CYCLES] = 0.12,
	[RATIO_LATE_KILL] = 0.15,
	[RATIO_NONFRAG_TASKS] = 0.12,
	[RATIO_RT_NODE] = 0.97,
	[RATIO_RT_ACTIVE] = 0.5,
	[RATIO_RT_BIN13] = 0.42,
	[RATIO_RT_BIN9] = 0.4,
	[RATIO_RT_BIN5] = 0.5,
	[RATIO_RT_FIRST_HIT] = 0.3,
	[RATIO_RT_MISS] = 0.35,
	[RATIO_RT_OVERFLOW] = 0.004,
	[RATIO_RT_HIT] = 0.93,
	[RATIO_RT_RESUME] = 0.15,
	[RATIO_RT_TRACE] = 0.08,
	[RATIO_RT_TLAS] = 0.3,
	[RATIO_RT_BLAS] = 0.2,
	[RATIO_RT_BLAS_CULL] = 0.1,
	[RATIO_RT_PRIM_CULL] = 0.2,
	[RATIO_DVS] = 0.25,
	[RATIO_NOT_TRIANGLES] = 0.006,
	[RATIO_LINES] = 0.7,
	[RATIO_VISIBLE_BACK] = 0.04,
	[RATIO_VISIBLE_DVS] = 0.3,
	[RATIO_PARTIAL_TASKS] = 0.07,
	[RATIO_WARP_FILL] = 0.94,
	[RATIO_POSITION_STALL] = 0.12,
	[RATIO_FIFO_FULL] = 0.04,
	[RATIO_VARYING_STALL] = 0.06,
	[RATIO_ASSEMBLY_STALL] = 0.07,
	[RATIO_EVICT] = 0.1,
	[RATIO_CLEAN_UNIQUE] = 0.02,
	[RATIO_SNOOP] = 0.03,
	[RATIO_L1_READ] = 0.02,
	[RATIO_L1_WRITE] = 0.9,
	[RATIO_EXT_SNOOP] = 0.004,
	[RATIO_READ_NOSNOOP] = 0.92,
	[RATIO_READ_UNIQUE] = 0.3,
	[RATIO_WRITE_NOSNOOP_FULL] = 0.85,
	[RATIO_WRITE_NOSNOOP_PART] = 0.5,
	[RATIO_WRITE_SNOOP_FULL] = 0.8,
	[RATIO_MMU] = 0.3,
	[RATIO_MMU_L3_READ] = 0.02,
	[RATIO_MMU_L3_HIT] = 0.95,
	[RATIO_MMU_L2_READ] = 0.1,
	[RATIO_MMU_L2_HIT] = 0.04,
	[RATIO_LINE] = 0.25,
};

#define OFFSETS ((RATIO_COUNT + SIM_DRIFTS - 1) / SIM_DRIFTS * SIM_DRIFTS)
#define COMPUTE_THREADS 0.09 /* per cycle of execution: one in eleven cycles */

/* Share of the time in which the cores execute while a stream has them alone, before its shader's
 * own `issue`. */
static const double alone[STREAMS] = {
	[STREAM_VERTEX] = 0.86, [STREAM_FRAGMENT] = 0.97, [STREAM_COMPUTE] = 0.97};

uint64_t sim_hash(uint64_t seed, uint64_t frame, uint64_t what)
{
	uint64_t x =
		seed * 0x9e3779b97f4a7c15u ^ frame * 0xbf58476d1ce4e5b9u ^ (what + 1) * 0x94d049bb133111ebu;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

double sim_hash_unit(uint64_t hash)
{
	return (double)(hash >> 11) / 9007199254740992.0;
}

/* Share of responses faster than `cycles` if the mean wait is `mean`: a smooth step, as steep as
 * measured latencies. */
static double faster_than(double cycles, double mean)
{
	double x = cycles / mean, x5 = x * x * x * x * x;

	return x5 / (1 + x5);
}

/* The response of memory under this load (beats per cycle and slice): a queue that grows as the bus
 * fills. */
static void set_memory(struct sim_profile *p, double *r, double load, double clock_share)
{
	static const struct {
		enum sim_ratio ratio;
		double below;
	} steps[] = {{RATIO_LATENCY0, 128},
		     {RATIO_LATENCY128, 192},
		     {RATIO_LATENCY192, 256},
		     {RATIO_LATENCY256, 320},
		     {RATIO_LATENCY320, 384}};
	double mean, slower = 1;

	load = real_min(load, 0.85);
	mean = (150 + 300 * load * load / (1 - load)) * (0.6 + 0.4 * clock_share);
	for (unsigned i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		double still = 1 - faster_than(steps[i].below, mean);

		r[steps[i].ratio] = 1 - still / slower;
		slower = still;
	}
	r[RATIO_READ_Q1] = 1 - 0.9 * load;
	r[RATIO_READ_Q2] = 1 - 0.8 * load;
	r[RATIO_READ_Q3] = 1 - 0.6 * load;
	p->read_stall = load * load * 0.95;
	p->write_stall = load * load * 0.3;
}

/* Set instructions so that this GPU's formula gives the arithmetic load of the shader. */
static void set_arithmetic(const struct sim_gpu *gpu, double *r, double alu)
{
	double sfu, cvt, rest;

	alu = real_min(alu, 0.92);
	sfu = alu * 0.05;
	cvt = gpu->parallel_pipes ? real_min(alu * 0.25, (0.96 - alu) * 0.8) : alu * 0.25;
	rest = gpu->parallel_pipes ? alu : alu - sfu - cvt;
	r[RATIO_SFU] = sfu * 4;
	r[RATIO_CVT] = cvt / (1 - sfu);
	r[RATIO_FMA] = rest / (1 - sfu - cvt);
	if (!gpu->dual_issue)
		r[RATIO_PAIRED] = 0;
}

static double load_pressure(double load)
{
	return load * load * load * 0.4;
}

/* Filters, as many as the threads request: a fast unit finishes sooner. */
static void set_texture(const struct sim_gpu *gpu, const struct sim_shader *s, double load, double threads,
			double *r)
{
	double more = real_min(s->filter - 1, 1); /* relative to a bilinear sample of one level */

	r[RATIO_TEX] = real_min(s->tex, s->samples * s->filter / gpu->tex_per_cycle * threads);
	r[RATIO_TEX_MSG] = gpu->tex_per_cycle / gpu->tex_per_message / s->filter;
	r[RATIO_TEX_TRI] = 0.7 * more;
	r[RATIO_TEX_MIP] = real_min(1.6 * more, 0.97);
	r[RATIO_TEX_BILINEAR] = 0.85 - 0.6 * more;
	r[RATIO_TEX_TRILINEAR] = 0.2 + 0.2 * more;
	r[RATIO_TEX_3D] = 0.002 + 0.04 * more * more;
	r[RATIO_TEX_COMPRESSED] = s->compressed;
	r[RATIO_TEX_FETCH_STALL] = 0.05 + 0.5 * load;
	r[RATIO_TEX_FILTER_STALL] = 0.03 + 0.5 * load;
	r[RATIO_TEX_STARVED] = 0.1 + 0.3 * load;
	r[RATIO_BACK_TEX] = load_pressure(s->tex);
}

static void set_rays(const struct sim_gpu *gpu, const struct sim_shader *s, double *r)
{
	r[RATIO_RT_BOX] = gpu->ray_tracing ? s->rt : 0;
	r[RATIO_RT_TRI] = gpu->ray_tracing ? s->rt * 0.35 : 0;
	r[RATIO_RT_RAYS] = 0.4;
	r[RATIO_RT_OPAQUE] = 0.9;
	r[RATIO_RT_NON_OPAQUE] = 0.06;
	r[RATIO_RT_FETCH] = 1.4;
	r[RATIO_RT_TRI_TESTS] = 1.8;
	r[RATIO_BACK_RT] = load_pressure(s->rt);
}

static void set_units(const struct sim_gpu *gpu, const struct sim_shader *s, enum sim_stream stream,
		      double *r)
{
	set_arithmetic(gpu, r, gpu->ray_tracing ? s->alu : s->alu + 0.1 * s->rt);
	set_rays(gpu, s, r);
	r[RATIO_NARROW] = s->narrow;
	r[RATIO_DIVERGED] = s->diverged;
	r[RATIO_ALL_REGS] = s->registers;
	r[RATIO_LS] = real_min(gpu->ray_tracing ? s->ls : s->ls + 0.6 * s->rt, 0.92);
	r[RATIO_LS_READ_FULL] = stream == STREAM_FRAGMENT ? 0.5 : 0.6;
	r[RATIO_LS_WRITE_FULL] = 0.2 + 0.5 * s->l2_hit; /* neighbours that read together write together */
	r[RATIO_LS_HIT] = 0.55 + 0.3 * s->l2_hit;
	r[RATIO_LS_INSTR] = 0.4 + 0.5 * s->l2_hit; /* a miss issues the instruction again */
	r[RATIO_ATTR] = stream == STREAM_VERTEX ? 0.5 : 0.1;
	r[RATIO_VAR] = stream == STREAM_FRAGMENT ? s->var : 0;
	r[RATIO_VAR16] = 0.4 + 0.5 * s->narrow; /* code in half precision has such varyings, too */
	r[RATIO_VAR_INSTR] = 0.3;
	r[RATIO_ICACHE_MISS] = 0.0004;
	r[RATIO_BACK_VAR] = load_pressure(s->var);
	r[RATIO_BACK_BLEND] = stream == STREAM_FRAGMENT ? 0.006 : 0;
	r[RATIO_BACK_ZS] = stream == STREAM_FRAGMENT ? 0.003 : 0;
	r[RATIO_BACK_LS] = load_pressure(s->ls);
	r[RATIO_BACK_ATTR] = stream == STREAM_VERTEX ? 0.02 : 0.001;
}

/* Traffic: the number of external beats that the shader requests, whatever the number of cores; the
 * L2 handles additional traffic. If the texture unit's bus is full, load/store reads the rest. */
static void set_traffic(struct sim_profile *p, const struct sim_gpu *gpu, const struct sim_shader *s,
			enum sim_stream stream, double load, double *r)
{
	static const double written[STREAMS] = {
		[STREAM_VERTEX] = 0.52, [STREAM_FRAGMENT] = 0.78, [STREAM_COMPUTE] = 0.4};
	double beats = load * gpu->slices * (gpu->bus_bits / 128.0) / (1 - s->l2_hit) / gpu->cores / p->issue;
	double front = beats * (stream == STREAM_FRAGMENT ? 0.06 : 0), other = beats * 0.04;
	double tex =
		real_min((beats - front - other) * s->tex / (s->tex + 0.6 * s->ls + 1e-6), r[RATIO_TEX] * 4);
	double reads =
		r[RATIO_LS] * (r[RATIO_LS_READ_FULL] + (1 - r[RATIO_LS_READ_FULL]) * r[RATIO_LS_READ_PART]);

	r[RATIO_MISS] = 1 - s->l2_hit;
	r[RATIO_WRITE_MISS] = real_min(written[stream] + 0.4 * (1 - s->l2_hit), 0.97);
	r[RATIO_TEX_BEATS] = r[RATIO_TEX] > 0 ? tex / r[RATIO_TEX] : 0;
	r[RATIO_LS_BEATS] = reads > 0 ? real_min((beats - front - other - tex) / reads, 8) : 0;
	r[RATIO_FRONT_BEATS] = front;
	r[RATIO_OTHER_BEATS] = other;
	r[RATIO_RT_BEATS] = 2;
	r[RATIO_LS_WB_BEATS] = stream == STREAM_VERTEX ? 0.5 : 0.25;
	r[RATIO_LS_OTHER_BEATS] = 0.04;
	r[RATIO_OTHER_WRITES] = 0.0005;
}

/* simple: 1 for shaders that do nothing, and finish before the next small triangles are
 * rasterized. */
static void set_quads(const struct sim_gpu *gpu, const struct sim_look *look, const struct sim_size *size,
		      double simple, double *r)
{
	double partial = size->partial, full = 1 - 0.5 * partial * partial;

	r[RATIO_FULL_QUADS] = full;
	r[RATIO_FULL_WARPS] = 0.98 * full * full;
	r[RATIO_PARTIAL_QUADS] = partial;
	r[RATIO_PARTIAL_WARPS] = real_min(1.15 * partial, 0.97);
	r[RATIO_FPK_CYCLES] = look->buffered * (1 - 0.9 * partial * partial * partial * simple);
	r[RATIO_HIDDEN] = look->hidden_kill;
	r[RATIO_EARLY_KILL] = look->early_kill;
	r[RATIO_EARLY_TEST] = look->tested;
	r[RATIO_EARLY_UPDATE] = 0.9 * look->opaque;
	r[RATIO_LATE] = look->late;
	r[RATIO_OPAQUE] = look->opaque;
	r[RATIO_COARSE] = look->coarse;
	r[RATIO_BLEND_CALLS] = look->blended;
	r[RATIO_PRIMS_RAST] = 1.1 / size->quads;
	r[RATIO_PRIMS_UNSEEN] = 0.12;
	r[RATIO_PREPASS_WARPS] = gpu->prepass ? 0.3 * (1 - look->opaque) * look->tested : 0;
	r[RATIO_PREPASS_UPDATE] = look->opaque * look->tested;
	r[RATIO_PRIMS_PREPASS] = 0.1 + 0.85 * look->opaque * look->tested;
	r[RATIO_PRIMS_CULLED] = look->hidden_kill / (1 + look->hidden_kill) + 0.1 * partial;
	r[RATIO_MAIN_STALL] = 0.005 + 0.15 * partial * look->tested;
}

/* per_cycle: pixels that one core finishes per cycle of execution; threads: fragment threads,
 * likewise. */
static void set_fragment(const struct sim_gpu *gpu, const struct sim_look *look, double per_cycle,
			 double threads, double *r)
{
	r[RATIO_WARPS] = threads / (gpu->quads_per_warp * 4) / 4;
	r[RATIO_TILES] = per_cycle / (gpu->tile * gpu->tile);
	r[RATIO_TILE_BEATS] = per_cycle * look->tile_bytes / 16 * (1 - look->still);
	r[RATIO_TILES_KILLED] = look->still;
}

static void set_vertex(const struct sim_gpu *gpu, const struct sim_look *look, const struct sim_size *size,
		       double *r)
{
	double warp = gpu->quads_per_warp * 4 * r[RATIO_WARP_FILL], varying = 0.9 * look->vertices;

	r[RATIO_PRIMS] = look->primitives;
	r[RATIO_CULL_FACE] = look->facing + (gpu->sample_test ? 0 : (1 - look->facing) * size->culled);
	r[RATIO_CULL_FRUSTUM] = look->frustum;
	r[RATIO_SCISSOR] = look->scissor;
	r[RATIO_SAMPLE] = gpu->sample_test ? size->culled : 0;
	r[RATIO_TILER_ACTIVE] = 0.95;
	r[RATIO_POSITION_WARPS] = look->vertices / warp;
	r[RATIO_VARYING_WARPS] = varying / warp;
	r[RATIO_POSITION_HIT] = 1 - look->vertices / 3.1;
	r[RATIO_VARYING_HIT] = 1 - varying / 3.1;
	r[RATIO_TILER_READS] = 0.8;
	r[RATIO_TILER_WRITES] = 1.2;
	r[RATIO_FULL_WARPS] = 0.7 + 0.2 * r[RATIO_POSITION_HIT];
	r[RATIO_WARPS] = 0; /* the tiler's warps are dealt */
}

static void set_compute(const struct sim_gpu *gpu, double threads, double *r)
{
	r[RATIO_WARPS] = threads / (gpu->quads_per_warp * 4);
	r[RATIO_FULL_WARPS] = 0.97;
}

/* How far each ratio is from its mean in this job; in straight loops, which compilers
 * vectorize. */
static void set_offsets(float *restrict off, const struct sim_job *job)
{
	float sway[SIM_DRIFTS];

	for (unsigned i = 0; i < SIM_DRIFTS; i++)
		sway[i] = (float)(i & 1 ? job->drifts[i] : -job->drifts[i]);
	for (unsigned at = 0; at < OFFSETS; at += SIM_DRIFTS) {
		uint64_t hashes[] = {sim_hash(job->key, 0, at), sim_hash(job->key, 0, at + 1)};
		float amount = at < RATIO_SHADER ? 0.2f : 0.12f, own = sway[at / SIM_DRIFTS % SIM_DRIFTS];
		uint16_t noise[SIM_DRIFTS];

		memcpy(noise, hashes, sizeof(noise));
		for (unsigned i = 0; i < SIM_DRIFTS; i++)
			off[at + i] = 0.07f / 65536 * (float)(noise[i] - 32768) +
				      amount * (0.6f * sway[i] + 0.4f * own);
	}
	off[RATIO_LINE] = 0; /* a constant */
}

/* Shares close to 1 stay close to 1. */
static void vary_ratios(struct sim_profile *profile, const struct sim_job *job, const double *r,
			const struct sim_used *used)
{
	float offsets[OFFSETS];

	if (used->n)
		set_offsets(offsets, job);
	for (const uint8_t *i = used->ratios; i < used->ratios + used->n; i++) {
		double x = r[*i], off = (double)offsets[*i];

		x = *i >= RATIO_BOUNDED || x < 0.5 ? x * (1 + off) : 1 - (1 - x) * (1 - 2.5 * off);
		assert(x >= 0 && x < 100 && (*i >= RATIO_BOUNDED || x <= 1));
		profile->ratios[*i] = (uint32_t)(x * SIM_ONE);
	}
}

void sim_profile_init(struct sim_profile *profile, const struct sim_gpu *gpu, const struct sim_job *job,
		      double clock_share, double pixels, const struct sim_used *used)
{
	const struct sim_pass *pass = job->pass;
	const struct sim_shader *s = &pass->shaders[job->stream];
	double r[RATIO_COUNT] = {0}, per_cycle, load, threads = COMPUTE_THREADS;

	memcpy(r, defaults, sizeof(defaults));
	profile->issue = alone[job->stream] * s->issue * (0.97 + 0.03 * job->drifts[job->stream]);
	profile->any = s->any * (0.985 + 0.015 * job->drifts[2 * STREAMS - 1 - job->stream]);
	load = s->bus_read * (1 + 0.1 * job->drifts[STREAMS + job->stream]);
	per_cycle = pixels / (gpu->cores * profile->issue * profile->any);
	if (job->stream == STREAM_FRAGMENT)
		threads = per_cycle * sim_size_threads(&job->size, &pass->look);
	set_units(gpu, s, job->stream, r);
	set_texture(gpu, s, load, threads, r);
	set_traffic(profile, gpu, s, job->stream, load, r);
	set_memory(profile, r, load, clock_share);
	if (job->stream == STREAM_FRAGMENT) {
		set_fragment(gpu, &pass->look, per_cycle, threads, r);
		set_quads(gpu, &pass->look, &job->size, 1 - s->alu, r);
	} else if (job->stream == STREAM_VERTEX)
		set_vertex(gpu, &pass->look, &job->size, r);
	else
		set_compute(gpu, threads, r);
	vary_ratios(profile, job, r, used);
}
