/* Counters in memory that a Mali driver shares: which number of which block ends in which slot. */
#include "backends/kbase/kbase.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An unknown GPU. Each of its values has a slot of its own, also those of each core and slice. */
struct kbase_layouts_bench {
	struct gpudb *db;
	struct source source;
	uint64_t *slots;
	_Alignas(8) uint8_t memory[65536];
	struct kbase k;
	size_t items, used; /* metadata items, and where the next values go */
};

static void bench_init(struct kbase_layouts_bench *b, uint64_t core_mask, unsigned n_slices,
		       unsigned n_values)
{
	*b = (struct kbase_layouts_bench){.db = gpudb_load_texts(NULL, 0, NULL)};
	b->source.options = (struct source_options){.db = b->db, .per_instance = true};
	b->source.constants = (struct source_constants){
		.core_mask = core_mask, .l2_slice_count = n_slices, .block_values = n_values};
	source_add_gpu_sums(&b->source);
	source_add_gpu_instances(&b->source);
	gpu_fold_init(&b->k.fold, &b->source);
	b->slots = xcalloc(b->source.n_slots, sizeof(uint64_t));
	memset(b->slots, 0xff, b->source.n_slots * sizeof(uint64_t));
	b->k.session.memory = b->memory;
	b->k.session.size = sizeof(b->memory);
	b->k.kinstr.item_bytes = sizeof(struct prfcnt_metadata);
	for (unsigned i = 0; i < BLOCK_COUNT; i++)
		b->k.kinstr.n_values[i] = n_values;
	b->used = 64 * sizeof(struct prfcnt_metadata);
}

static void bench_fini(struct kbase_layouts_bench *b)
{
	gpu_fold_fini(&b->k.fold);
	free(b->slots);
	free(b->source.slots);
	gpudb_free(b->db);
}

/* The value of a counter: its sum, or one instance's part. */
static uint64_t slot_of(const struct kbase_layouts_bench *b, const char *name, enum instance_kind kind,
			unsigned number)
{
	for (unsigned i = 0; i < b->source.n_slots; i++) {
		const struct slot *s = &b->source.slots[i];

		if (strcmp(s->name, name) == 0 && s->instance == kind && s->number == number)
			return b->slots[i];
	}
	fail_msg("there is no %s of %s %u", name, instance_names[kind], number);
	return 0;
}

/* ---- dumps of vinstr ---- */

/* Block number n of a dump holds 1000 n + index. */
static void fill_dump(struct kbase_layouts_bench *b, unsigned n_blocks)
{
	for (unsigned n = 0; n < n_blocks; n++)
		for (unsigned i = 0; i < 64; i++) {
			uint32_t v = 1000 * n + i;

			memcpy(b->memory + 256 * n + 4 * i, &v, 4);
		}
}

TEST(a_dump_has_blocks_for_cores_that_are_not_there)
{
	struct kbase_layouts_bench b;

	bench_init(&b, 0x15, 2, 64); /* cores 0, 2 and 4 */
	assert_int_equal(gpu_dump_bytes(false, 2, 0x15), 9 * 256);
	fill_dump(&b, 9);
	gpu_dump_fold(&(struct gpu_dump){b.memory, 9 * 256, false}, &b.k.fold, b.slots);
	assert_int_equal(slot_of(&b, "front_end_4", INSTANCE_ALL, 0), 4);
	assert_int_equal(slot_of(&b, "tiler_63", INSTANCE_ALL, 0), 1063);
	assert_int_equal(slot_of(&b, "memory_system_10", INSTANCE_SLICE, 0), 2010);
	assert_int_equal(slot_of(&b, "memory_system_10", INSTANCE_SLICE, 1), 3010);
	assert_int_equal(slot_of(&b, "memory_system_10", INSTANCE_ALL, 0), 5020);
	assert_int_equal(slot_of(&b, "shader_core_5", INSTANCE_CORE, 0), 4005);
	assert_int_equal(slot_of(&b, "shader_core_5", INSTANCE_CORE, 2), 6005);
	assert_int_equal(slot_of(&b, "shader_core_5", INSTANCE_CORE, 4), 8005);
	assert_int_equal(slot_of(&b, "shader_core_5", INSTANCE_ALL, 0), 18015);
	bench_fini(&b);
}

TEST(the_older_layout_goes_by_core_groups)
{
	struct kbase_layouts_bench b;

	bench_init(&b, 0x3f, 2, 64); /* four cores, and two in a second group */
	assert_int_equal(gpu_dump_bytes(true, 2, 0x3f), 16 * 256);
	fill_dump(&b, 16);
	gpu_dump_fold(&(struct gpu_dump){b.memory, 16 * 256, true}, &b.k.fold, b.slots);
	assert_int_equal(slot_of(&b, "front_end_4", INSTANCE_ALL, 0), 7004); /* of the first group only */
	assert_int_equal(slot_of(&b, "tiler_4", INSTANCE_ALL, 0), 4004 + 12004);
	assert_int_equal(slot_of(&b, "memory_system_4", INSTANCE_SLICE, 1), 13004);
	assert_int_equal(slot_of(&b, "shader_core_4", INSTANCE_CORE, 3), 3004);
	assert_int_equal(slot_of(&b, "shader_core_4", INSTANCE_CORE, 5), 9004);
	assert_int_equal(slot_of(&b, "shader_core_4", INSTANCE_ALL, 0), 4 + 1004 + 2004 + 3004 + 8004 + 9004);
	bench_fini(&b);
}

TEST(a_count_that_stopped_at_its_largest_number_is_lost_for_its_core_only)
{
	struct kbase_layouts_bench b;
	uint32_t full = UINT32_MAX;

	bench_init(&b, 3, 1, 64);
	fill_dump(&b, 5);
	memcpy(b.memory + 256 * 3 + 4 * 20, &full, 4); /* core 0, index 20 */
	memcpy(b.memory + 256 + 4 * 20, &full, 4);     /* the only tiler */
	gpu_dump_fold(&(struct gpu_dump){b.memory, 5 * 256, false}, &b.k.fold, b.slots);
	assert_int_equal(gpu_fold_finish(&b.k.fold, GPU_BALANCE_NS, b.slots, b.source.n_slots),
			 SAMPLE_ESTIMATED);
	assert_true(slot_of(&b, "shader_core_20", INSTANCE_CORE, 0) == SAMPLE_UNKNOWN);
	assert_int_equal(slot_of(&b, "shader_core_20", INSTANCE_CORE, 1), 4020);
	assert_int_equal(slot_of(&b, "shader_core_20", INSTANCE_ALL, 0), 2 * 4020);
	assert_int_equal(slot_of(&b, "shader_core_21", INSTANCE_ALL, 0), 3021 + 4021);
	assert_true(slot_of(&b, "tiler_20", INSTANCE_ALL, 0) == SAMPLE_UNKNOWN);
	/* the next sample, in which it stopped on both */
	memset(b.slots, 0xff, b.source.n_slots * sizeof(uint64_t));
	memcpy(b.memory + 256 * 4 + 4 * 20, &full, 4);
	gpu_dump_fold(&(struct gpu_dump){b.memory, 5 * 256, false}, &b.k.fold, b.slots);
	assert_int_equal(gpu_fold_finish(&b.k.fold, GPU_BALANCE_NS, b.slots, b.source.n_slots), 0);
	assert_true(slot_of(&b, "shader_core_20", INSTANCE_ALL, 0) == SAMPLE_UNKNOWN);
	bench_fini(&b);
}

TEST(a_dump_that_is_too_short_leaves_the_rest_unknown)
{
	struct kbase_layouts_bench b;

	bench_init(&b, 3, 1, 64);
	fill_dump(&b, 5);
	gpu_dump_fold(&(struct gpu_dump){b.memory, 4 * 256 + 255, false}, &b.k.fold, b.slots);
	assert_int_equal(slot_of(&b, "shader_core_4", INSTANCE_CORE, 0), 3004);
	assert_true(slot_of(&b, "shader_core_4", INSTANCE_CORE, 1) == SAMPLE_UNKNOWN);
	bench_fini(&b);
}

/* ---- samples of kinstr_prfcnt ---- */

static void add_item(struct kbase_layouts_bench *b, const struct prfcnt_metadata *item)
{
	memcpy(b->memory + b->items++ * b->k.kinstr.item_bytes, item, sizeof(*item));
}

static void add_sample(struct kbase_layouts_bench *b, uint32_t flags)
{
	add_item(b, &(struct prfcnt_metadata){
			    .header = {.type = PRFCNT_META_SAMPLE},
			    .sample = {.start_ns = 1000, .end_ns = 2000, .sequence = 7, .flags = flags}});
}

/* A block whose values are base + index. */
static void add_block(struct kbase_layouts_bench *b, unsigned type, unsigned index, uint64_t base)
{
	add_item(b, &(struct prfcnt_metadata){.header = {.type = PRFCNT_META_BLOCK},
					      .block = {.type = (uint8_t)type,
							.index = (uint8_t)index,
							.state = 0x15,
							.values_offset = (uint32_t)b->used}});
	for (unsigned i = 0; i < b->k.kinstr.n_values[BLOCK_CORE]; i++, base++)
		memcpy(b->memory + b->used + 8 * i, &base, 8);
	b->used += 1024;
}

static void add_end(struct kbase_layouts_bench *b)
{
	add_item(b, &(struct prfcnt_metadata){.header = {.type = PRFCNT_META_END}});
}

static bool fold_sample(struct kbase_layouts_bench *b, struct kbase_interval *interval)
{
	bool ok = kbase_sample_fold(&b->k, 0, interval, b->slots);

	if (ok)
		assert_int_equal(interval->sequence, 7);
	return ok;
}

TEST(cores_go_by_number_or_by_rank_whichever_the_indexes_can_be)
{
	/* mask 0x1b: cores 0, 1, 3, 4 */
	static const struct {
		bool dense; /* what the release says */
		unsigned index[4];
		unsigned core[4];
	} cases[] = {
		{false, {0, 1, 3, 4}, {0, 1, 3, 4}}, /* numbers */
		{true, {0, 1, 2, 3}, {0, 1, 3, 4}},  /* ranks */
		{true,
		 {0, 1, 3, 4},
		 {0, 1, 3, 4}}, /* numbers from a release without the repair: 4 is no rank */
		{false, {0, 1, 2, 3}, {0, 1, 3, 4}}, /* ranks from a release with it: there is no core 2 */
	};

	for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
		struct kbase_interval interval;
		struct kbase_layouts_bench b;

		bench_init(&b, 0x1b, 1, 64);
		b.k.kinstr.dense = cases[c].dense;
		add_sample(&b, 0);
		for (unsigned i = 0; i < 4; i++)
			add_block(&b, PRFCNT_BLOCK_SHADER, cases[c].index[i], 1000 * i);
		add_end(&b);
		assert_true(fold_sample(&b, &interval));
		for (unsigned i = 0; i < 4; i++)
			assert_int_equal(slot_of(&b, "shader_core_9", INSTANCE_CORE, cases[c].core[i]),
					 1000 * i + 9);
		assert_int_equal(slot_of(&b, "shader_core_9", INSTANCE_ALL, 0), 6036);
		bench_fini(&b);
	}
}

TEST(a_block_may_have_any_number_of_values)
{
	static const unsigned sizes[] = {5, 64, 69, 128};

	for (size_t s = 0; s < ARRAY_LEN(sizes); s++) {
		struct kbase_interval interval;
		struct kbase_layouts_bench b;
		char last[32];

		bench_init(&b, 1, 1, sizes[s]);
		add_sample(&b, 0);
		add_block(&b, PRFCNT_BLOCK_FE, 0, 500);
		add_end(&b);
		assert_true(fold_sample(&b, &interval));
		snprintf(last, sizeof(last), "front_end_%u", sizes[s] - 1);
		assert_int_equal(slot_of(&b, last, INSTANCE_ALL, 0), 500 + sizes[s] - 1);
		assert_true(slot_of(&b, "tiler_4", INSTANCE_ALL, 0) ==
			    SAMPLE_UNKNOWN); /* not in the sample */
		bench_fini(&b);
	}
}

TEST(flags_times_and_cycles_are_taken_and_unknown_items_are_skipped)
{
	struct kbase_interval interval;
	struct kbase_layouts_bench b;

	bench_init(&b, 1, 1, 64);
	b.k.kinstr.item_bytes = 64; /* a later driver's items are longer */
	add_item(&b, &(struct prfcnt_metadata){.header = {.type = 0x2ff0}});
	add_sample(&b, PRFCNT_FLAG_STRETCHED | PRFCNT_FLAG_ERROR | 1u << 5);
	add_item(&b, &(struct prfcnt_metadata){.header = {.type = PRFCNT_META_CLOCK},
					       .clock = {.num_domains = 2, .cycles = {850, 700, 1, 1}}});
	add_block(&b, 5, 0, 0); /* a kind of block that is not asked for */
	add_end(&b);
	assert_true(fold_sample(&b, &interval));
	assert_int_equal(interval.begin_ns, 1000);
	assert_int_equal(interval.end_ns, 2000);
	assert_int_equal(interval.flags, SAMPLE_STRETCHED | sample_failed(FAILURE_UNREAD));
	assert_int_equal(interval.cycles[KBASE_CLOCK_TOP], 850);
	assert_int_equal(interval.cycles[KBASE_CLOCK_SHADER], 700);
	bench_fini(&b);
}

TEST(states_are_those_of_all_blocks_and_unknown_if_one_is)
{
	static const struct {
		uint32_t block[3], all;
	} cases[] = {
		{{0x2, 0x2, 0x2}, 0x2},   {{0x2, 0x15, 0x17}, 0x17},
		{{0x25, 0x2, 0x2}, 0x27}, {{0x2, 0, 0x2}, 0},
		{{0, 0, 0}, 0},
	};

	for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
		struct kbase_interval interval;
		struct kbase_layouts_bench b;

		bench_init(&b, 1, 1, 64);
		add_sample(&b, 0);
		for (unsigned i = 0; i < 3; i++) {
			add_block(&b, i, 0, 0);
			memcpy(b.memory + (b.items - 1) * b.k.kinstr.item_bytes +
				       offsetof(struct prfcnt_metadata, block.state),
			       &cases[c].block[i], 4);
		}
		add_end(&b);
		assert_true(fold_sample(&b, &interval));
		assert_int_equal(interval.states, cases[c].all);
		bench_fini(&b);
	}
}

TEST(cycles_of_a_domain_that_is_not_there_are_unknown)
{
	struct kbase_interval interval;
	struct kbase_layouts_bench b;

	bench_init(&b, 1, 1, 64);
	add_sample(&b, 0);
	add_item(&b, &(struct prfcnt_metadata){.header = {.type = PRFCNT_META_CLOCK},
					       .clock = {.num_domains = 1, .cycles = {850, 0, 0, 0}}});
	add_end(&b);
	assert_true(fold_sample(&b, &interval));
	assert_int_equal(interval.cycles[KBASE_CLOCK_TOP], 850);
	assert_true(interval.cycles[KBASE_CLOCK_SHADER] == SAMPLE_UNKNOWN);
	bench_fini(&b);
}

TEST(what_leaves_the_mapping_is_refused)
{
	static const uint32_t offsets[] = {65536, 65536 - 64 * 8 + 8, 4097, UINT32_MAX, UINT32_MAX - 7};
	struct kbase_interval interval;
	struct kbase_layouts_bench b;

	for (size_t i = 0; i < ARRAY_LEN(offsets); i++) {
		bench_init(&b, 1, 1, 64);
		add_sample(&b, 0);
		add_item(&b, &(struct prfcnt_metadata){.header = {.type = PRFCNT_META_BLOCK},
						       .block = {.values_offset = offsets[i]}});
		add_end(&b);
		assert_false(fold_sample(&b, &interval));
		bench_fini(&b);
	}
	bench_init(&b, 1, 1, 64);
	assert_false(kbase_sample_fold(&b.k, 65536 - 47, &interval, b.slots));
	assert_false(kbase_sample_fold(&b.k, UINT64_MAX - 10, &interval, b.slots));
	assert_false(kbase_sample_fold(&b.k, 0, &interval, b.slots)); /* ends before it began */
	for (size_t i = 0; i < 65536; i += sizeof(struct prfcnt_metadata))
		memcpy(b.memory + i, &(uint16_t){PRFCNT_META_CLOCK}, i + 2 <= 65536 ? 2 : 0);
	assert_false(kbase_sample_fold(&b.k, 0, &interval, b.slots)); /* never ends */
	bench_fini(&b);
}

TEST(a_value_must_be_somewhere_in_a_group_of_four_that_is_enabled)
{
	struct gpu_counter counters[] = {{.hw_name = "A", .block = BLOCK_CORE, .index = 6, .scale = 1},
					 {.hw_name = "B", .block = BLOCK_CORE, .index = 127, .scale = 1}};
	struct gpu_layout layout = {.counters = counters, .n_counters = 2};
	uint64_t enable[BLOCK_COUNT][2];

	kbase_enable(&layout, enable);
	assert_int_equal(enable[BLOCK_CORE][0], 0xff);
	assert_true(enable[BLOCK_CORE][1] == 0xfull << 60);
	assert_int_equal(enable[BLOCK_TILER][0], 0xf); /* the header: an empty mask would drop the block */
	kbase_enable(NULL, enable);
	assert_true(enable[BLOCK_TILER][1] == UINT64_MAX);
}
