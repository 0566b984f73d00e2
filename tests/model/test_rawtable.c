/* The raw counter table: what it accepts, and every error with its line. */
#include "model/rawtable.h"

#include "base/alloc.h"
#include "tests/support/test.h"

#include <string.h>

/* By block, then by index, as gpudb has them. */
static struct gpu_counter counters[] = {
	{"MaliGPUActiveCy", "GPU_ACTIVE", BLOCK_FRONT_END, 6, 1, {NULL, 0}},
	{NULL, "MESSAGES_SENT", BLOCK_FRONT_END, 7, 1, {NULL, 0}},
	{"MaliTilerActiveCy", "TILER_ACTIVE", BLOCK_TILER, 4, 1, {NULL, 0}},
	{"MaliL2CacheRd", "L2_RD", BLOCK_MEMORY, 10, 1, {NULL, 0}},
	{"MaliL2CacheWr", "L2_WR", BLOCK_MEMORY, 11, 1, {NULL, 0}},
	{"MaliFragActiveCy", "FRAG_ACTIVE", BLOCK_CORE, 4, 1, {NULL, 0}},
	{"MaliFragThread", "FRAG_THREADS", BLOCK_CORE, 5, 4, {NULL, 0}},
};
static const struct gpu_layout layout = {.name = "Mali-Test",
					 .slots_per_block = 64,
					 .counters = counters,
					 .n_counters = ARRAY_LEN(counters),
					 .n_published = 6};

#define HEADER RAWTABLE_HEADER "\n"
#define CONSTANTS "constant\t0\t\tshader_core_count\t2\nconstant\t0\t\tl2_slice_count\t1\n"

TEST(every_error_names_its_line)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"", "t.tsv:1: empty"},
		{"# only a comment\n", "t.tsv:2: empty"},
		{"front_end\t0\t6\t\t1\n", "t.tsv:1: no header"},
		{"# c\nblock\tinstance\tindex\tvalue\n", "t.tsv:2: no header"},
		{HEADER "front_end\t0\t6\t1\n", "t.tsv:2: 4 columns"},
		{HEADER "front_end\t0\t6\t\t1\t\n", "t.tsv:2: 6 columns"},
		{HEADER "front_end 0 6 - 1\n", "t.tsv:2: 1 column:"},
		{HEADER "cores\t0\t6\t\t1\n", "t.tsv:2: unknown block 'cores'"},
		{HEADER "\t0\t6\t\t1\n", "t.tsv:2: unknown block ''"},
		{HEADER "front_end\t0\t5\t\t1\n", "t.tsv:2: unknown index 5"},
		{HEADER "front_end\t0\t2\t\t1\n", "t.tsv:2: unknown index 2"},
		{HEADER "front_end\t0\t64\t\t1\n", "t.tsv:2: index 64, but a block of this GPU has 64 slots"},
		{HEADER "front_end\t0\t4294967302\t\t1\n", "t.tsv:2: index 4294967302, but"},
		{HEADER "front_end\t0\t99999999999999999999\t\t1\n", "is not a number"},
		{HEADER "front_end\t0\t\tGPU_ACTIVE\t1\n", "t.tsv:2: index '' is not a number"},
		{HEADER "front_end\t0\t-6\t\t1\n", "t.tsv:2: index '-6' is not a number"},
		{HEADER "front_end\t0\t0x6\t\t1\n", "t.tsv:2: index '0x6' is not a number"},
		{HEADER "front_end\t0\t7\t\t1\n",
		 "t.tsv:2: index 7 in front_end (MESSAGES_SENT) is not published"},
		{HEADER "front_end\t0\t6\tTILER_ACTIVE\t1\n", "t.tsv:2: wrong name 'TILER_ACTIVE'"},
		{HEADER "front_end\t0\t6\tgpu_active\t1\n", "t.tsv:2: wrong name 'gpu_active'"},
		{HEADER "front_end\tx\t6\t\t1\n", "t.tsv:2: instance 'x' is not a number"},
		{HEADER "front_end\t\t6\t\t1\n", "t.tsv:2: instance '' is not a number"},
		{HEADER "front_end\t0\t6\t\t\n", "t.tsv:2: value '' is not"},
		{HEADER "front_end\t0\t6\t\t-1\n", "t.tsv:2: value '-1' is not"},
		{HEADER "front_end\t0\t6\t\t1.0\n", "t.tsv:2: value '1.0' is not"},
		{HEADER "front_end\t0\t6\t\t1e3\n", "t.tsv:2: value '1e3' is not"},
		{HEADER "front_end\t0\t6\t\t 1\n", "t.tsv:2: value ' 1' is not"},
		{HEADER "front_end\t0\t6\t\t18446744073709551616\n",
		 "t.tsv:2: value '18446744073709551616' is not"},
		{HEADER "front_end\t0\t6\t\t\033[2J\n", "value '?[2J' is not"},
		{HEADER "\n# c\nfront_end\t0\t6\t\t1\nfront_end\t00\t6\t\t2\n",
		 "t.tsv:5: duplicate: GPU_ACTIVE of front_end 0 is already in line 4"},
		{HEADER "front_end\t0\t6\t\t1\nfront_end\t1\t6\t\t2\n",
		 "t.tsv:3: GPU_ACTIVE has 2 instances in front_end, expected 1"},
		{HEADER "tiler\t0\t4\t\t1\ntiler\t1\t4\t\t2\n",
		 "t.tsv:3: TILER_ACTIVE has 2 instances in tiler, expected 1"},
		{HEADER CONSTANTS "shader_core\t0\t4\t\t1\n",
		 "t.tsv:4: FRAG_ACTIVE has 1 instance in shader_core, expected 2"},
		{HEADER "shader_core\t0\t4\t\t1\n" CONSTANTS,
		 "t.tsv:2: FRAG_ACTIVE has 1 instance in shader_core, expected 2"},
		{HEADER CONSTANTS "memory_system\t0\t10\t\t1\nmemory_system\t1\t10\t\t1\n",
		 "t.tsv:5: L2_RD has 2 instances in memory_system"},
		{HEADER "shader_core\t0\t4\t\t1\nshader_core\t0\t5\t\t1\nshader_core\t1\t5\t\t1\n",
		 "t.tsv:4: FRAG_THREADS has 2 instances in shader_core, expected 1"},
		{HEADER "constant\t0\t\tshader_core_count\t0\nshader_core\t0\t4\t\t1\n",
		 "expected 0 (shader_core_count)"},
		{HEADER "constant\t0\t\tcores\t2\n", "t.tsv:2: unknown constant 'cores'"},
		{HEADER "constant\t0\t\t\t2\n", "t.tsv:2: unknown constant ''"},
		{HEADER "constant\t0\t1\tshader_core_count\t2\n", "t.tsv:2: index '1' of a constant"},
		{HEADER "constant\tx\t\tshader_core_count\t2\n", "t.tsv:2: instance 'x' is not a number"},
		{HEADER CONSTANTS "constant\t1\t\tshader_core_count\t2\n",
		 "t.tsv:4: constant shader_core_count is already in line 2"},
		{HEADER "constant\t0\t\tshader_core_count\t2.0\n", "t.tsv:2: value '2.0' is not"},
		{HEADER "constant\t0\t\tsample_seconds\t0\n",
		 "t.tsv:2: sample_seconds '0' is not a decimal above 0"},
		{HEADER "constant\t0\t\tsample_seconds\t0.000\n", "is not a decimal above 0"},
		{HEADER "constant\t0\t\tsample_seconds\t-0.1\n", "is not a decimal above 0"},
		{HEADER "constant\t0\t\tsample_seconds\t1e-3\n", "is not a decimal above 0"},
		{HEADER "constant\t0\t\tsample_seconds\t.\n", "is not a decimal above 0"},
		{HEADER "constant\t0\t\tsample_seconds\t1.2.3\n", "is not a decimal above 0"},
		{HEADER "constant\t0\t\tsample_seconds\tinf\n", "is not a decimal above 0"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rawtable table;
		struct err err = {0};

		if (rawtable_parse(&table, &layout, "t.tsv", span_of(cases[i].text), &err))
			fail_msg("accepted: %s", cases[i].text);
		if (!strstr(err.text, cases[i].message))
			fail_msg("'%s' does not say '%s'", err.text, cases[i].message);
		rawtable_fini(&table);
	}
}

TEST(good_tables_are_read)
{
	static const struct {
		const char *text;
		unsigned rows;
	} cases[] = {
		{HEADER, 0},
		{RAWTABLE_HEADER, 0},
		{RAWTABLE_HEADER "\r\nfront_end\t0\t6\t\t1\r\n", 1},
		{"# before\n  # indented\n\n" HEADER "\nfront_end\t0\t6\tGPU_ACTIVE\t1", 1},
		{HEADER "front_end\t5\t6\tMaliGPUActiveCy\t18446744073709551615\ntiler\t3\t4\t\t0\n", 2},
		{HEADER CONSTANTS
		 "shader_core\t7\t4\t\t1\nshader_core\t0\t4\t\t2\nmemory_system\t9\t10\t\t5\n",
		 3},
		{HEADER "shader_core\t0\t4\t\t1\nshader_core\t4\t4\t\t2\nshader_core\t0\t5\t\t1\nshader_"
			"core\t4\t5\t\t2\n",
		 4},
		{HEADER "constant\t\t\tshader_core_count\t3\nconstant\t0\t\tsample_seconds\t0.0166\n", 0},
		{HEADER "constant\t0\t\tsample_seconds\t.5\nconstant\t0\t\tbus_width_bits\t0\n", 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rawtable table;
		struct err err = {0};

		if (!rawtable_parse(&table, &layout, "t.tsv", span_of(cases[i].text), &err))
			fail_msg("%s", err.text);
		assert_int_equal(table.n_rows, cases[i].rows);
		rawtable_fini(&table);
	}
}

TEST(rows_come_by_counter_and_instance)
{
	static const char text[] =
		HEADER CONSTANTS "shader_core\t9\t5\t\t40\nshader_core\t1\t5\t\t30\nfront_end\t0\t6\t\t10\n"
				 "memory_system\t0\t11\t\t20\n";
	static const struct rawtable_row expected[] = {
		{0, 10, 6, 0}, {0, 20, 7, 4}, {1, 30, 5, 6}, {9, 40, 4, 6}};
	struct rawtable table;
	struct err err;

	assert_true(rawtable_parse(&table, &layout, "t.tsv", span_of(text), &err));
	assert_int_equal(table.n_rows, ARRAY_LEN(expected));
	for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
		assert_int_equal(table.rows[i].counter, expected[i].counter);
		assert_int_equal(table.rows[i].instance, expected[i].instance);
		assert_int_equal(table.rows[i].value, expected[i].value);
		assert_int_equal(table.rows[i].line, expected[i].line);
	}
	assert_int_equal(table.instances[BLOCK_CORE], 2);
	assert_int_equal(table.constants[RAWTABLE_CORES].value, 2);
	assert_int_equal(table.constants[RAWTABLE_SECONDS].line, 0);
	rawtable_fini(&table);
}
