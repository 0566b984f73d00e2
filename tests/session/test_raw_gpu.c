/* A GPU that is not in the data: every counter by block and index, all the way to a log. */
#include "export/export.h"
#include "backends/backend.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct raw_gpu_bench {
	struct gpudb *db;
	struct source source;
	struct metric_set *set;
	struct strbuf out;
};

FIXTURE(bench_init)
{
	struct raw_gpu_bench *b = xcalloc(1, sizeof(*b));
	struct err err;

	b->db = gpudb_load(NULL, 0, &err);
	assert_non_null(b->db);
	b->source.options = (struct source_options){.db = b->db, .per_instance = true};
	b->source.constants = (struct source_constants){
		.core_count = 2, .l2_slice_count = 1, .block_values = 20, .core_mask = 0x5};
	source_add_gpu_sums(&b->source);
	source_add_gpu_instances(&b->source);
	b->set = metric_set_new(b->db,
				&(struct metric_source){.layout = b->source.layout,
							.slots = b->source.slots,
							.n_slots = b->source.n_slots,
							.constants = b->source.constants},
				&err);
	if (!b->set)
		fail_msg("%s", err.text);
	*state = b;
	return 0;
}

FIXTURE(bench_fini)
{
	struct raw_gpu_bench *b = *state;

	metric_set_free(b->set);
	free(b->source.slots);
	gpudb_free(b->db);
	strbuf_fini(&b->out);
	free(b);
	return 0;
}

TEST_EACH(bench_init, bench_fini)

TEST(the_layout_names_every_index_behind_the_header)
{
	struct raw_gpu_bench *b = *state;
	const struct gpu_layout *raw = gpudb_raw_layout(b->db);

	assert_int_equal(raw->n_counters, 4 * (128 - 4));
	assert_string_equal(gpu_layout_at(raw, BLOCK_FRONT_END, 4)->hw_name, "front_end_4");
	assert_string_equal(gpu_layout_at(raw, BLOCK_CORE, 127)->hw_name, "shader_core_127");
	assert_null(gpu_layout_at(raw, BLOCK_TILER, 3));
}

TEST(only_the_values_that_the_driver_has_become_slots)
{
	struct raw_gpu_bench *b = *state;

	/* 16 counters in each of 4 blocks, the clock, then two cores and a slice */
	assert_int_equal(b->source.n_sums, 4 * 16 + GPU_CLOCK_SLOTS);
	assert_int_equal(b->source.n_slots, b->source.n_sums + 3 * 16);
	assert_int_equal(b->source.slots[b->source.n_slots - 17].number, 2);
}

TEST(every_counter_is_a_metric_that_can_be_broken_down)
{
	struct raw_gpu_bench *b = *state;
	const struct metric *core = metric_find(b->set, SPAN_LIT("shader_core_7")),
			    *front = metric_find(b->set, SPAN_LIT("front_end_19"));

	assert_non_null(core);
	assert_non_null(front);
	assert_null(metric_find(b->set, SPAN_LIT("front_end_20")));
	assert_string_equal(core->def->title, "Shader core counter 7");
	assert_true(core->is_counter && core->instances & 1u << INSTANCE_CORE);
	assert_false(front->instances & 1u << INSTANCE_CORE);
	assert_null(metric_find(b->set, SPAN_LIT("MaliGPUActiveCy")));
	assert_non_null(metric_find(b->set, SPAN_LIT("GPUClock"))); /* what the driver tells is told */
}

static bool add_line(void *ctx, const void *bytes, size_t n, struct err *err)
{
	(void)err;
	strbuf_add(ctx, bytes, n);
	return true;
}

TEST(a_log_has_them_all_and_says_that_it_is_a_gpu)
{
	struct raw_gpu_bench *b = *state;
	const struct export_source source = {
		.db = b->db, .set = b->set, .title = "Mali-T760", .driver = "kbase", .prefix = ""};
	struct err err;
	struct export *ex = export_new(
		&export_jsonl, &(struct export_options){.version = "0", .host = "h", .per_core = true},
		&source, 1, add_line, &b->out, &err);

	if (!ex)
		fail_msg("%s", err.text);
	export_free(ex);
	assert_non_null(strstr(b->out.p, "\"kind\":\"gpu\""));
	assert_non_null(strstr(b->out.p, "\"product\":null"));
	assert_non_null(strstr(b->out.p, "\"memory_system_19\""));
	assert_non_null(strstr(b->out.p, "\"shader_core_4.core2\""));
}
