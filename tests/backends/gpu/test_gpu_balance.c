/* How evenly the cores work, from the blocks of cores, without a slot for each. */
#include "backends/gpu/gpu_fold.h"
#include "base/alloc.h"
#include "tests/support/shipped.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#define MS 1000000
#define ACTIVE 26 /* position of EXEC_CORE_ACTIVE in a core's block */

struct balance_bench {
	struct gpudb *db;
	struct source source;
	struct gpu_fold fold;
	uint64_t *slots;
	unsigned most, mean;
};

static unsigned slot_named(const struct source *source, const char *name)
{
	unsigned i = 0;

	while (i < source->n_slots && strcmp(source->slots[i].name, name) != 0)
		i++;
	return i;
}

static void bench_init(struct balance_bench *b, const char *gpu, uint64_t core_mask)
{
	*b = (struct balance_bench){.db = load_shipped()};
	b->source.options.db = b->db;
	b->source.product = gpu ? gpudb_by_name(b->db, gpu) : NULL;
	b->source.constants =
		(struct source_constants){.core_mask = core_mask, .l2_slice_count = 1, .block_values = 64};
	source_add_gpu_sums(&b->source);
	source_add_gpu_instances(&b->source);
	gpu_fold_init(&b->fold, &b->source);
	b->slots = xcalloc(b->source.n_slots, sizeof(uint64_t));
	b->most = slot_named(&b->source, "GPUCoreMostCy");
	b->mean = slot_named(&b->source, "GPUCoreMeanCy");
}

static void bench_fini(struct balance_bench *b)
{
	gpu_fold_fini(&b->fold);
	free(b->slots);
	free(b->source.slots);
	gpudb_free(b->db);
}

/* A sample with the active cycles of each core, from core 0 on. */
static void fold_sample(struct balance_bench *b, int64_t ns, const uint64_t *cycles, unsigned n)
{
	memset(b->slots, 0xff, b->source.n_slots * sizeof(uint64_t));
	for (unsigned core = 0; core < n; core++) {
		uint64_t block[64] = {[ACTIVE] = cycles[core]};

		gpu_fold_block(&b->fold, BLOCK_CORE, core, block, 64, b->slots);
	}
	gpu_fold_finish(&b->fold, ns, b->slots, b->source.n_slots);
}

TEST(the_busiest_core_and_the_mean_are_known_without_cores)
{
	static const struct {
		uint64_t mask, cycles[6], most, mean;
	} cases[] = {
		{0xf, {100, 100, 100, 100}, 100, 100},
		{0xf, {160, 80, 80, 80}, 160, 100},
		{0x2d, {900, 777, 300, 300, 777, 300}, 900, 450}, /* there is no core 1 and 4 */
		{0xf, {90, 0, 110, 100}, 110, 100},               /* core 1 is off */
		{0xf, {0, 0, 0, 0}, 0, 0},
		{0x7, {10, 10, 11}, 11, 10},          /* rounded */
		{0xf, {1, 2, GPU_OVERFLOW, 3}, 3, 2}, /* of the others */
		{0x3, {GPU_OVERFLOW, GPU_OVERFLOW}, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct balance_bench b;

		bench_init(&b, "Mali-G715", cases[i].mask);
		assert_int_equal(b.source.n_slots, b.source.n_sums);
		fold_sample(&b, 100 * MS, cases[i].cycles, 6);
		assert_true(b.slots[b.most] == cases[i].most);
		assert_true(b.slots[b.mean] == cases[i].mean);
		bench_fini(&b);
	}
}

/* In each of short samples another core is the busiest, but over all of them they are even. */
TEST(short_samples_are_judged_together)
{
	struct balance_bench b;

	bench_init(&b, "Mali-G715", 0x3);
	for (unsigned i = 0; i < 49; i++) {
		fold_sample(&b, MS, (uint64_t[]){i % 2 ? 20 : 0, i % 2 ? 0 : 20}, 2);
		assert_int_equal(b.slots[b.most], 0);
		assert_int_equal(b.slots[b.mean], 0);
	}
	fold_sample(&b, MS, (uint64_t[]){20, 0}, 2);
	assert_int_equal(b.slots[b.most], 500);
	assert_int_equal(b.slots[b.mean], 500);
	fold_sample(&b, 50 * MS, (uint64_t[]){3, 1}, 2); /* begins anew */
	assert_int_equal(b.slots[b.most], 3);
	assert_int_equal(b.slots[b.mean], 2);
	bench_fini(&b);
}

TEST(nothing_is_compared_without_cores_or_their_counter)
{
	struct balance_bench b;

	bench_init(&b, "Mali-G715", 0x4); /* one core */
	assert_int_equal(b.most, b.source.n_slots);
	fold_sample(&b, 100 * MS, (uint64_t[]){0, 0, 7}, 3);
	bench_fini(&b);
	bench_init(&b, NULL, 0xf); /* what its counters mean is not known */
	assert_int_equal(b.most, b.source.n_slots);
	fold_sample(&b, 100 * MS, (uint64_t[]){1, 2, 3, 4}, 4);
	bench_fini(&b);
}
