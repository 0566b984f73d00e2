#include "backends/sim/sim_model.h"

#include <assert.h>
#include <string.h>

/* What content of an ordinary game does; the comments name what the ratio is of. */
static const double defaults[RATIO_SHADER] = {
	[RATIO_NARROW] = 0.38,
	[RATIO_DIVERGED] = 0.06,
	[RATIO_STARVE] = 0.55,
	[RATIO_STARVE_ICACHE] = 0.03,
	[RATIO_PAIRED] = 0.7,
	[RATIO_TEX_SINGLE] = 0.12,
	[RATIO_TEX_TRI] = 0.25,
	[RATIO_TEX_MIP] = 0.7,
	[RATIO_TEX_COMPRESSED] = 0.75,
	[RATIO_TEX_3D] = 0.02,
	[RATIO_TEX_MORE] = 0.08,
	[RATIO_TEX_PASS_MISS] = 0.004,
	[RATIO_TEX_LINES] = 0.3,
	[RATIO_TEX_LOOKUP] = 0.9,
	[RATIO_TEX_IN] = 0.6,
	[RATIO_TEX_OUT] = 0.72,
	[RATIO_TEX_BILINEAR] = 0.5,
	[RATIO_TEX_TRILINEAR] = 0.45,
	[RATIO_TEX_DESC_STALL] = 0.01,
	[RATIO_TEX_SIMPLE_LOAD] = 0.5,
	[RATIO_TEX_COMPLEX_LOAD] = 0.22,
	[RATIO_TEX_L1_OUT] = 0.66,
	[RATIO_TEX_L1_LOOKUP] = 0.8,
	[RATIO_TEX_L1_LOAD] = 0.62,
	[RATIO_TEX_INDEX] = 0.55,
	[RATIO_TEX_CLOCKED] = 0.35,
	[RATIO_LS_READ_PART] = 0.45,
	[RATIO_LS_WRITE_FULL] = 0.55,
	[RATIO_LS_WRITE_PART] = 0.92,
	[RATIO_VAR16] = 0.6,
	[RATIO_BLEND_CYCLES] = 0.12,
	[RATIO_BLEND_CALLS] = 0.02,
	[RATIO_PARTIAL_WARPS] = 0.22,
	[RATIO_PREPASS_WARPS] = 0.06,
	[RATIO_FULL_QUADS] = 0.93,
	[RATIO_EARLY_TEST] = 0.9,
	[RATIO_EARLY_UPDATE] = 0.75,
	[RATIO_OPAQUE] = 0.72,
	[RATIO_LATE_KILL] = 0.15,
	[RATIO_COARSE] = 0.9,
	[RATIO_PARTIAL_QUADS] = 0.2,
	[RATIO_PREPASS_UPDATE] = 0.6,
	[RATIO_PRIMS_PREPASS] = 0.82,
	[RATIO_PRIMS_CULLED] = 0.22,
	[RATIO_TILES_KILLED] = 0.08,
	[RATIO_FPK_CYCLES] = 0.93,
	[RATIO_MAIN_STALL] = 0.02,
	[RATIO_ALL_REGS] = 0.12,
	[RATIO_FULL_WARPS] = 0.86,
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
	[RATIO_SCISSOR] = 0.02,
	[RATIO_SAMPLE] = 0.06,
	[RATIO_VISIBLE_BACK] = 0.04,
	[RATIO_VISIBLE_DVS] = 0.3,
	[RATIO_PARTIAL_TASKS] = 0.07,
	[RATIO_POSITION_HIT] = 0.62,
	[RATIO_VARYING_HIT] = 0.7,
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
	[RATIO_WRITE_MISS] = 0.8,
	[RATIO_MMU] = 0.3,
	[RATIO_MMU_L3_READ] = 0.02,
	[RATIO_MMU_L3_HIT] = 0.95,
	[RATIO_MMU_L2_READ] = 0.1,
	[RATIO_MMU_L2_HIT] = 0.04,
	[RATIO_LINE] = 0.25,
};

/* Share of the time in which the cores execute when a stream has them alone, before its shader's own `issue`. */
static const double alone[STREAMS] = {[STREAM_VERTEX] = 0.86, [STREAM_FRAGMENT] = 0.97, [STREAM_COMPUTE] = 0.97};

uint64_t sim_hash(uint64_t seed, uint64_t frame, uint64_t what)
{
	uint64_t x = seed * 0x9e3779b97f4a7c15u ^ frame * 0xbf58476d1ce4e5b9u ^ (what + 1) * 0x94d049bb133111ebu;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

double sim_hash_unit(uint64_t hash)
{
	return (double)(hash >> 11) / 9007199254740992.0;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

/* Share of responses below `cycles` when the mean wait is `mean`: a smooth step, steep as measured latencies are. */
static double faster_than(double cycles, double mean)
{
	double x = cycles / mean, x5 = x * x * x * x * x;

	return x5 / (1 + x5);
}

/* How the memory answers under this load (beats per cycle and slice): a queue that grows as the bus fills. */
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

	load = least(load, 0.85);
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

/* Instructions, so that the arithmetic load by the formula of this GPU is what the shader asks for. */
static void set_arithmetic(const struct sim_gpu *gpu, double *r, double alu)
{
	double sfu, cvt, rest;

	alu = least(alu, 0.92);
	sfu = alu * 0.05;
	cvt = gpu->parallel_pipes ? least(alu * 0.25, (0.96 - alu) * 0.8) : alu * 0.25;
	rest = gpu->parallel_pipes ? alu : alu - sfu - cvt;
	r[RATIO_SFU] = sfu * 4;
	r[RATIO_CVT] = cvt / (1 - sfu);
	r[RATIO_FMA] = rest / (1 - sfu - cvt);
	if (!gpu->dual_issue)
		r[RATIO_PAIRED] = 0;
}

static double back(double load)
{
	return load * load * load * 0.4;
}

static void set_units(const struct sim_gpu *gpu, const struct sim_shader *s, enum sim_stream stream, double *r)
{
	set_arithmetic(gpu, r, gpu->ray_tracing ? s->alu : s->alu + 0.3 * s->rt);
	r[RATIO_TEX] = s->tex;
	r[RATIO_TEX_MSG] = gpu->tex_per_cycle / gpu->tex_per_message / 1.35; /* mean cost of a filter against bilinear */
	r[RATIO_TEX_FETCH_STALL] = 0.05 + 0.5 * s->bus_read;
	r[RATIO_TEX_FILTER_STALL] = 0.03 + 0.5 * s->bus_read;
	r[RATIO_TEX_STARVED] = 0.1 + 0.3 * s->bus_read;
	r[RATIO_LS] = least(gpu->ray_tracing ? s->ls : s->ls + 0.35 * s->rt, 0.92);
	r[RATIO_LS_READ_FULL] = stream == STREAM_FRAGMENT ? 0.5 : 0.6;
	r[RATIO_ATTR] = stream == STREAM_VERTEX ? 0.5 : 0.1;
	r[RATIO_VAR] = stream == STREAM_FRAGMENT ? s->var : 0;
	r[RATIO_VAR_INSTR] = 0.3;
	r[RATIO_ICACHE_MISS] = 0.0004;
	r[RATIO_BACK_TEX] = back(s->tex);
	r[RATIO_BACK_VAR] = back(s->var);
	r[RATIO_BACK_BLEND] = stream == STREAM_FRAGMENT ? 0.006 : 0;
	r[RATIO_BACK_ZS] = stream == STREAM_FRAGMENT ? 0.003 : 0;
	r[RATIO_BACK_LS] = back(s->ls);
	r[RATIO_BACK_ATTR] = stream == STREAM_VERTEX ? 0.02 : 0.001;
	r[RATIO_BACK_RT] = back(s->rt);
	r[RATIO_RT_BOX] = gpu->ray_tracing ? s->rt : 0;
	r[RATIO_RT_TRI] = gpu->ray_tracing ? s->rt * 0.35 : 0;
	r[RATIO_RT_RAYS] = 0.4;
	r[RATIO_RT_OPAQUE] = 0.9;
	r[RATIO_RT_NON_OPAQUE] = 0.06;
	r[RATIO_RT_FETCH] = 1.4;
	r[RATIO_RT_TRI_TESTS] = 1.8;
}

/* Traffic: as many beats over the external bus as the shader asks for, whatever the number of cores; the L2 sees the rest too. */
static void set_traffic(struct sim_profile *p, const struct sim_gpu *gpu, const struct sim_shader *s, enum sim_stream stream,
			double *r)
{
	double beats = s->bus_read * gpu->slices * (gpu->bus_bits / 128.0) / (1 - s->l2_hit) / gpu->cores / p->issue;
	double front = stream == STREAM_FRAGMENT ? 0.06 : 0, other = 0.04;
	double tex = s->tex / (s->tex + 0.6 * s->ls + 1e-6) * (1 - front - other), ls = 1 - front - other - tex;
	double reads = r[RATIO_LS] * (r[RATIO_LS_READ_FULL] + (1 - r[RATIO_LS_READ_FULL]) * r[RATIO_LS_READ_PART]);

	r[RATIO_MISS] = 1 - s->l2_hit;
	r[RATIO_TEX_BEATS] = s->tex > 0 ? least(beats * tex / s->tex, 8) : 0;
	r[RATIO_LS_BEATS] = reads > 0 ? least(beats * ls / reads, 8) : 0;
	r[RATIO_FRONT_BEATS] = beats * front;
	r[RATIO_OTHER_BEATS] = beats * other;
	r[RATIO_RT_BEATS] = 2;
	r[RATIO_LS_WB_BEATS] = stream == STREAM_VERTEX ? 0.5 : 0.25;
	r[RATIO_LS_OTHER_BEATS] = 0.04;
	r[RATIO_OTHER_WRITES] = 0.0005;
}

static void set_fragment(struct sim_profile *p, const struct sim_gpu *gpu, const struct sim_look *look, double pixels, double *r)
{
	double per_cycle = pixels / (gpu->cores * p->issue); /* pixels that one core finishes per cycle of execution */

	r[RATIO_WARPS] = per_cycle * look->overdraw / (gpu->quads_per_warp * 4) / 4;
	r[RATIO_HIDDEN] = look->hidden_kill;
	r[RATIO_EARLY_KILL] = look->early_kill;
	r[RATIO_LATE] = look->late;
	r[RATIO_TILES] = per_cycle / (gpu->tile * gpu->tile);
	r[RATIO_TILE_BEATS] = per_cycle * look->tile_bytes / 16;
	r[RATIO_PRIMS_RAST] = 1 / 14.0;
	r[RATIO_PRIMS_UNSEEN] = 0.12;
	if (!gpu->prepass)
		r[RATIO_PREPASS_WARPS] = 0;
}

static void set_vertex(struct sim_profile *p, const struct sim_gpu *gpu, const struct sim_look *look, double *r)
{
	double seen = look->primitives * (1 - look->facing) * (1 - look->frustum) * (1 - r[RATIO_SAMPLE]);
	double threads = look->primitives * 1.25 + seen * 1.1; /* position and varying shading; 1.5 per triangle is the limit */

	r[RATIO_PRIMS] = look->primitives;
	r[RATIO_CULL_FACE] = look->facing;
	r[RATIO_CULL_FRUSTUM] = look->frustum;
	r[RATIO_TILER_ACTIVE] = 0.95;
	r[RATIO_POSITION_TASKS] = 1.25 / gpu->geometry_task;
	r[RATIO_VARYING_TASKS] = 1.1 / gpu->geometry_task;
	r[RATIO_TILER_READS] = 0.8;
	r[RATIO_TILER_WRITES] = 1.2;
	r[RATIO_WARPS] = threads / (gpu->quads_per_warp * 4) / (gpu->cores * p->issue);
}

static void set_compute(const struct sim_gpu *gpu, double *r)
{
	r[RATIO_WARPS] = 0.09 / (gpu->quads_per_warp * 4); /* a thread in eleven cycles */
	r[RATIO_FULL_WARPS] = 0.97;
}

void sim_profile_init(struct sim_profile *profile, const struct sim_gpu *gpu, const struct sim_phase *phase, double clock_share,
		      double pixels, const struct sim_used *used)
{
	const struct sim_pass *pass = phase->pass;
	const struct sim_shader *shaders[STREAMS] = {pass->vertex_shader, pass->fragment_shader, pass->compute_shader};
	const struct sim_shader *s = shaders[phase->stream];
	double r[RATIO_COUNT] = {0};

	memcpy(r, defaults, sizeof(defaults));
	profile->issue = alone[phase->stream] * s->issue;
	set_units(gpu, s, phase->stream, r);
	set_traffic(profile, gpu, s, phase->stream, r);
	set_memory(profile, r, s->bus_read, clock_share);
	if (phase->stream == STREAM_FRAGMENT)
		set_fragment(profile, gpu, pass->look, pixels, r);
	else if (phase->stream == STREAM_VERTEX)
		set_vertex(profile, gpu, pass->look, r);
	else
		set_compute(gpu, r);
	for (const uint8_t *i = used->ratios; i < used->ratios + used->n; i++) {
		double x = *i == RATIO_LINE ? r[*i] : r[*i] * (0.97 + 0.06 * sim_hash_unit(sim_hash(phase->key, 0, *i)));

		x = *i < RATIO_BOUNDED ? least(x, 1) : x;
		assert(x >= 0 && x < 256);
		profile->ratios[*i] = (uint32_t)(x * SIM_ONE);
	}
}
