/* Judges counters: loops with known events are run, counted one event at a time, and compared with
 * the expected counts. */
#include "backends/perf/loops.h"
#include "backends/perf/perf.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 64
#define CHASES (1u << 21)
#define CHASES_FAR (CHASES / 8) /* loops in which each access may take 300 ns */
#define LETTERS (1u << 20)
#define TURNS 4 /* passes over the letters */
#define PAGE 4096
#define BLOCK (256 * PAGE) /* smaller than a huge page, which would be one fault for many pages */
#define BLOCKS 32
#define L1_USUAL (32u << 10)
#define LAST_USUAL (8u << 20)
#define ACCESS_BEST 3

struct verify_line {
	struct verify_line *next;
	char rest[LINE - sizeof(struct verify_line *)];
};

struct verify {
	const struct sys *sys;
	struct cpus cpus;
	struct perf_pmus pmus;
	const struct verify_out *out;
	/* The memory of the loops. */
	void *memory;
	struct verify_line *at;
	unsigned chases; /* of chase_loop */
	char *text;
	uint64_t ones;
	char *volatile blocks[BLOCKS];
};

/* ---- loops ---- */

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1d;
}

static void chase_loop(struct verify *v)
{
	v->at = loops_chase(v->at, v->chases);
}

static void letters_loop(struct verify *v)
{
	for (unsigned i = 0; i < TURNS; i++)
		v->ones = loops_ones(v->text, LETTERS);
}

static void pages_loop(struct verify *v)
{
	for (unsigned i = 0; i < BLOCKS; i++) {
		v->blocks[i] = xmalloc(BLOCK);
		for (unsigned at = 0; at < BLOCK; at += PAGE)
			((volatile char *)v->blocks[i])[at] = 1;
	}
	for (unsigned i = 0; i < BLOCKS; i++)
		free(v->blocks[i]);
}

/* Link all lines of `size` bytes in an order that no prefetcher predicts (Fisher-Yates). */
static void make_ring(struct verify *v, uint64_t size)
{
	uint32_t n = (uint32_t)(size / LINE);
	AUTOFREE uint32_t *order = xcalloc(n, sizeof(*order));
	struct verify_line *lines;
	uint64_t state = 1;

	free(v->memory);
	v->memory = xmalloc((size_t)n * LINE + LINE);
	lines = (struct verify_line *)(((uintptr_t)v->memory + LINE - 1) & ~(uintptr_t)(LINE - 1));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = (uint32_t)(next_random(&state) % (i + 1));

		order[i] = order[k];
		order[k] = i;
	}
	for (uint32_t i = 0; i < n; i++)
		lines[order[i]].next = &lines[order[(i + 1) % n]];
	v->at = lines;
}

static void make_text(struct verify *v, const char letters[2])
{
	uint64_t state = 1;

	v->text = v->text ? v->text : xmalloc(LETTERS);
	for (unsigned i = 0; i < LETTERS; i++)
		v->text[i] = letters[next_random(&state) >> 63];
	v->ones = loops_ones(v->text, LETTERS);
}

/* ---- counting ---- */

/* Count an event during the loop. The thread may run on any kind of core, so each PMU is tried in a
 * separate run, and that of the core on which it ran has counted. NaN if no PMU can count it. */
static double count_event(struct verify *v, const char *text, void (*loop)(struct verify *v))
{
	struct perf_reading reading;
	struct perf_group group;
	struct perf_name name;
	double most = NAN;
	struct err err;

	if (!perf_name_find(&name, &v->pmus, &v->cpus, text, &err))
		return NAN;
	for (unsigned i = 0; i < name.n; i++) {
		perf_group_init(&group, v->sys,
				&(struct perf_target){.pid = 0, .cpu = -1, .user_only = true});
		if (perf_group_add(&group, &name.events[i].event, NULL) && perf_group_start(&group, NULL)) {
			loop(v);
			if (perf_group_read(&group, &reading) && reading.running_ns == reading.enabled_ns &&
			    !(most > (double)reading.count[0]))
				most = (double)reading.count[0];
		}
		perf_group_fini(&group);
	}
	return most;
}

/* ---- judging ---- */

/* The certain effect of a loop on an event. The first name that the machine counts is judged. An
 * event that includes speculative work may exceed `high`, which is for completed work. */
struct verify_law {
	const char *events[2];
	double expected, low, high;
	const char *why_not; /* reason for the lack of an expectation */
};

static void judge_laws(struct verify *v, const char *title, const struct verify_law *laws, size_t n,
		       void (*loop)(struct verify *v))
{
	loop(v); /* warm up memory, caches and predictors */
	for (const struct verify_law *law = laws; law < laws + n; law++) {
		struct verify_row row = {.loop = title,
					 .event = law->events[0],
					 .expected = law->expected,
					 .low = law->low,
					 .high = law->high,
					 .counted = NAN,
					 .why = law->why_not};

		for (unsigned i = 0; i < 2 && law->events[i] && isnan(row.counted); i++) {
			row.event = law->events[i];
			row.counted = count_event(v, row.event, loop);
		}
		if (isnan(row.counted))
			row.why = "not counted here";
		row.verdict = row.why                                             ? VERIFY_UNJUDGED
			      : row.counted >= row.low && row.counted <= row.high ? VERIFY_RIGHT
										  : VERIFY_WRONG;
		v->out->judge(v->out->ctx, &row);
	}
}

#define NO_LOOP (LOOPS_CHASE ? NULL : "the compiler writes this loop: its instructions are not known")
#define IN_L1 "chase, in the L1 cache"
#define ABOUT(x, low, high) (x), (x) * (low), (x) * (high)

static void judge_branches(struct verify *v, bool random)
{
	double letters = (double)LETTERS * TURNS;

	make_text(v, random ? "01" : "11");
	const struct verify_law laws[] = {
		{{"instructions"},
		 ABOUT(LOOPS_ONES * letters + (double)v->ones * TURNS, 0.99, 1.02),
		 NO_LOOP},
		{{"br_retired", "branches"}, ABOUT(2 * letters, 0.98, 1.05), NO_LOOP},
		{{"br_pred"}, ABOUT(2 * letters, 0.98, 2.5), NO_LOOP},
		{{"branch-misses", "br_mis_pred"},
		 random ? letters / 2 : 0,
		 random ? letters * 0.4 : 0,
		 random ? letters * 0.65 : letters * 0.01,
		 NULL},
	};

	judge_laws(v, random ? "branches, random" : "branches, constant", laws, ARRAY_LEN(laws),
		   letters_loop);
}

static void judge_chase(struct verify *v, uint64_t size, bool misses, bool known)
{
	const char *why = known ? NULL : "the kernel does not report the size of the L1 cache";
	double chases = v->chases = misses ? CHASES_FAR : CHASES;
	const struct verify_law laws[] = {
		{{"instructions"}, ABOUT(LOOPS_CHASE * chases, 0.99, 1.02), NO_LOOP},
		{{"L1-dcache-loads", "l1d_cache"}, ABOUT(chases, 0.97, 1.3), NULL},
		{{"L1-dcache-load-misses", "l1d_cache_refill"},
		 misses ? chases : 0,
		 misses ? chases * 0.9 : 0,
		 misses ? chases * 1.5 : chases * 0.02,
		 why},
	};

	make_ring(v, size);
	judge_laws(v, misses ? "chase, beyond the caches" : IN_L1, laws, ARRAY_LEN(laws), chase_loop);
}

static void judge_pages(struct verify *v)
{
	const double pages = (double)BLOCKS * BLOCK / PAGE;
	const struct verify_law laws[] = {
		{{"page-faults"}, ABOUT(pages, 0.97, 1.1), NULL},
		{{"minor-faults"}, ABOUT(pages, 0.97, 1.1), NULL},
		{{"major-faults"}, 0, 0, 0, NULL},
	};

	judge_laws(v, "pages, first write", laws, ARRAY_LEN(laws), pages_loop);
}

/* Time and cycles have bounds only, not exact laws. */
static void judge_time(struct verify *v)
{
	int64_t begin = v->sys->monotonic_ns(v->sys);
	double wall_ns;

	v->chases = CHASES;
	chase_loop(v);
	wall_ns = (double)(v->sys->monotonic_ns(v->sys) - begin);
	const struct verify_law laws[] = {
		{{"task-clock"}, ABOUT(wall_ns, 0.3, 3), NULL},
		{{"cycles", "cpu_cycles"}, ABOUT((double)CHASES, 1, 50), NULL},
	};

	judge_laws(v, IN_L1, laws, ARRAY_LEN(laws), chase_loop);
}

/* ---- access times ---- */

/* The size of a cache of CPU 0; level 0: of the last one. 0 if the kernel does not report it. */
static uint64_t cache_size(const struct sys *sys, unsigned level)
{
	uint64_t best = 0, best_level = 0;

	for (unsigned i = 0; i < 8; i++) {
		AUTOFREE char *dir = xasprintf("sys/devices/system/cpu/cpu0/cache/index%u/", i);
		AUTOFREE char *level_path = xasprintf("%slevel", dir), *type_path = xasprintf("%stype", dir);
		AUTOFREE char *size_path = xasprintf("%ssize", dir);
		char type[32] = "", size[32] = "";
		struct span text;
		uint64_t kib;
		int64_t at;

		if (!sys_read_i64(sys, level_path, &at) || at < 1 || (level && (unsigned)at != level) ||
		    (uint64_t)at < best_level || sys_read_file(sys, type_path, type, sizeof(type)) < 0 ||
		    sys_read_file(sys, size_path, size, sizeof(size)) < 0)
			continue;
		text = span_trim(span_of(size));
		if (type[0] == 'I' || text.n < 2 || text.p[--text.n] != 'K' || !span_u64(text, &kib))
			continue;
		best = kib << 10;
		best_level = (uint64_t)at;
	}
	return best;
}

static const char *level_of(const struct verify *v, uint64_t size)
{
	static const char *const levels[] = {"L1", "L2", "L3"};

	for (unsigned level = 1; level <= 3; level++)
		if (size <= cache_size(v->sys, level))
			return levels[level - 1];
	return cache_size(v->sys, 0) ? "memory" : "";
}

static void time_access(struct verify *v, uint64_t size)
{
	struct verify_access access = {.bytes = size, .level = level_of(v, size)};
	double best = INFINITY;

	make_ring(v, size);
	v->chases = (unsigned)(size / LINE); /* the whole size once */
	chase_loop(v);
	v->chases = CHASES_FAR;
	for (unsigned i = 0; i < ACCESS_BEST; i++) {
		int64_t begin = v->sys->monotonic_ns(v->sys), ns;

		chase_loop(v);
		ns = v->sys->monotonic_ns(v->sys) - begin;
		best = (double)ns < best ? (double)ns : best;
	}
	access.ns = best / CHASES_FAR;
	access.cycles = count_event(v, "cycles", chase_loop) / CHASES_FAR;
	v->out->access(v->out->ctx, &access);
}

void perf_verify(const struct sys *sys, const struct verify_out *out)
{
	struct verify v = {.sys = sys, .out = out};
	uint64_t l1 = cache_size(sys, 1), last = cache_size(sys, 0);

	cpus_find(&v.cpus, sys);
	perf_pmus_find(&v.pmus, sys);
	judge_branches(&v, true);
	judge_branches(&v, false);
	judge_chase(&v, (l1 ? l1 : L1_USUAL) / 4, false, l1 != 0);
	judge_time(&v);
	judge_chase(&v, 2 * (last ? last : LAST_USUAL), true, l1 != 0);
	judge_pages(&v);
	for (uint64_t size = (l1 ? l1 : L1_USUAL) / 8; size <= 2 * (last ? last : LAST_USUAL); size *= 2)
		time_access(&v, size);
	perf_pmus_fini(&v.pmus);
	cpus_fini(&v.cpus);
	free(v.memory);
	free(v.text);
}
