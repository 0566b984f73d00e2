/* mlog_bench: a small machine to be logged, by hand: `gpu` with slots of every kind, `cpu` with
 * one, `none` without. */
#ifndef TESTS_MLOG_BENCH_H
#define TESTS_MLOG_BENCH_H

#include "base/alloc.h"
#include "base/wire.h"
#include "mlog/mlog_block.h"

#include <stddef.h>
#include <string.h>

#define MS 1000000ll
#define BENCH_SLOTS 4 /* of gpu, the most */
#define EMPTY .backend = "", .device = "", .title = "", .driver = "", .note = "", .product = ""

static struct slot bench_gpu_slots[BENCH_SLOTS] = {
	{.name = "MaliGPUActiveCy", .kind = SLOT_DELTA, .scale = 1},
	{.name = "GPUSteadyCy", .kind = SLOT_STEADY, .scale = 1},
	{.name = "GPUClock", .kind = SLOT_LEVEL, .scale = 1e6},
	{.name = "MaliFragActiveCy", .kind = SLOT_DELTA, .instance = INSTANCE_CORE, .number = 5, .scale = 1},
};
static struct slot bench_cpu_slots[1] = {{.name = "Temperature", .kind = SLOT_PEAK, .scale = 1e-3}};
static struct mlog_source bench_sources[3] = {
	{.kind = SOURCE_GPU,
	 EMPTY,
	 .period_ns = MS,
	 .asked_ns = MS,
	 .slots = bench_gpu_slots,
	 .n_slots = BENCH_SLOTS,
	 .n_sums = 3},
	{.kind = SOURCE_CPU,
	 EMPTY,
	 .period_ns = 10 * MS,
	 .asked_ns = MS,
	 .slots = bench_cpu_slots,
	 .n_slots = 1,
	 .n_sums = 1},
	{.kind = SOURCE_PERF, EMPTY, .period_ns = MS, .asked_ns = MS},
};
static const struct mlog_about bench_about = {.program = "test",
					      .host = "",
					      .kernel = "",
					      .scope = "",
					      .monotonic_ns = 5 * MS,
					      .realtime_ns = 1700000000000000000,
					      .sources = bench_sources,
					      .n_sources = ARRAY_LEN(bench_sources)};

static inline struct mlog_builder *bench_builder(void)
{
	unsigned n_slots[ARRAY_LEN(bench_sources)];

	for (unsigned i = 0; i < ARRAY_LEN(n_slots); i++)
		n_slots[i] = bench_sources[i].n_slots;
	return mlog_builder_new(n_slots, ARRAY_LEN(n_slots));
}

/* A sample with its values, as tables of cases hold it. */
struct bench_sample {
	uint32_t source, flags, lost, n_values;
	uint64_t seq;
	int64_t begin_ns, end_ns;
	uint64_t value[BENCH_SLOTS];
};
_Static_assert(offsetof(struct bench_sample, value) == offsetof(struct sample, value), "the same");

static inline const struct sample *bench_sample(const struct bench_sample *sample)
{
	return (const struct sample *)(const void *)sample;
}

/* Numbers that look random and are always the same. */
static inline uint64_t bench_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* What a builder has, decoded from memory of exactly that size. */
static inline bool bench_decode(struct mlog_block *block, const struct mlog_about *about,
				const struct mlog_head *head, const void *payload, size_t n)
{
	AUTOFREE char *copy = xmalloc(n ? n : 1);

	memcpy(copy, payload, n);
	return mlog_block_decode(block, about, head, (struct span){copy, n});
}

#endif
