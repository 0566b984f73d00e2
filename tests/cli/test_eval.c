/* eval against the reference tables, and its errors. */
#include "cli/commands.h"

#include "base/alloc.h"
#include "base/file.h"
#include "model/rawtable.h"
#include "tests/support/shared_data.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *reference(const char *name)
{
	const char *srcdir = getenv("srcdir");
	AUTOFREE char *path = xasprintf("%s/tests/reference/%s", srcdir ? srcdir : ".", name);
	char *text;
	struct err err;
	size_t n;

	if (!file_read(path, 1 << 20, &text, &n, &err))
		fail_msg("%s", err.text);
	return text;
}

#define FIELDS_MAX 10

/* The next line of a table, by columns. */
static bool next_row(struct span *text, struct span fields[FIELDS_MAX])
{
	struct span line = span_until(text, '\n');

	for (int i = 0; i < FIELDS_MAX; i++)
		fields[i] = span_until(&line, '\t');
	return fields[0].n != 0;
}

/* The raw counter table of one sample: the rows of the samples file without their first column. */
static void raw_table(const char *samples, const char *sample, struct strbuf *out)
{
	struct span text = span_of(samples);

	strbuf_str(out, RAWTABLE_HEADER "\n");
	while (text.n) {
		struct span line = span_until(&text, '\n'), name = span_until(&line, '\t');

		if (span_is(name, sample))
			strbuf_printf(out, "%.*s\n", SPAN_ARG(line));
	}
}

static char *evaluate_table(const char *gpu, enum definitions definitions, const char *table)
{
	const struct gpu_product *product = gpudb_by_name(db, gpu);
	struct strbuf out = {0};
	struct err err = {0};

	assert_non_null(product);
	if (!eval_table(db, product, definitions, "t.tsv", span_of(table), &out, &err))
		fail_msg("%s", err.text);
	return out.p;
}

/* The cell in column `column` of the first row with that name; "?" if there is none. */
static char *value_of(const char *result, const char *metric)
{
	struct span text = span_of(result), fields[FIELDS_MAX];

	while (next_row(&text, fields))
		if (span_is(fields[1], metric))
			return span_dup(fields[2]);
	return xstrdup("?");
}

/* All rows of the table. It has at least `least` rows. */
static void check_golden(const char *gpu, const char *sample, enum definitions definitions, unsigned least)
{
	AUTOFREE char *samples_name = xasprintf("golden-%s-samples.tsv", gpu),
		      *values_name = xasprintf("golden-%s-values.tsv", gpu);
	AUTOFREE char *samples = reference(samples_name), *values = reference(values_name);
	AUTOFREE char *result = NULL;
	AUTO_STRBUF struct strbuf table = {0};
	struct span got, expected = span_of(values), e[FIELDS_MAX], g[FIELDS_MAX];
	unsigned n = 0;

	raw_table(samples, sample, &table);
	result = evaluate_table(gpu, definitions, table.p);
	got = span_of(result);
	assert_true(span_is(span_until(&got, '\n'), "number\tname\tvalue\tunit"));
	while (next_row(&expected, e)) {
		struct span value = definitions == DEFINITIONS_GUIDE ? e[3] : e[6];

		if (!span_is(e[0], sample))
			continue;
		if (span_is(value, "undefined"))
			value.n = 0;
		assert_true(next_row(&got, g));
		if (!span_eq(g[0], e[1]) || !span_eq(g[1], e[5]) || !span_eq(g[2], value))
			fail_msg("%s %s: %.*s %.*s is %.*s, expected %.*s %.*s %.*s", gpu, sample,
				 SPAN_ARG(g[0]), SPAN_ARG(g[1]), SPAN_ARG(g[2]), SPAN_ARG(e[1]),
				 SPAN_ARG(e[5]), SPAN_ARG(value));
		n++;
	}
	assert_false(next_row(&got, g));
	assert_in_range(n, least, 120);
}

TEST(values_are_those_of_the_reference)
{
	static const char *const gpus[] = {"g52", "g715", "g625"}, *const samples[] = {"typical-a", "zeros"};

	for (size_t g = 0; g < ARRAY_LEN(gpus); g++)
		for (size_t s = 0; s < ARRAY_LEN(samples); s++) {
			check_golden(gpus[g], samples[s], DEFINITIONS_CURRENT, 70);
			check_golden(gpus[g], samples[s], DEFINITIONS_GUIDE, 70);
		}
}

/* Midgard has no guide: the values follow from the formulas that Arm documents by hardware name. */
TEST(values_of_midgard_are_those_calculated_by_hand)
{
	static const char *const gpus[] = {"t860", "t720", "t62x"}, *const samples[] = {"typical-a", "zeros"};

	for (size_t g = 0; g < ARRAY_LEN(gpus); g++)
		for (size_t s = 0; s < ARRAY_LEN(samples); s++)
			check_golden(gpus[g], samples[s], DEFINITIONS_CURRENT, 40);
}

/* The unit of a value. One metric is a plain ratio in a guide, and a percentage in the current
 * definitions. */
static bool is_unit(struct span unit, enum definitions definitions, struct span guide)
{
	return span_is(guide, "coarse quads/fine quad") && definitions == DEFINITIONS_CURRENT
		       ? span_is(unit, "percent")
		       : span_eq(unit, guide);
}

static void check_units(const char *gpu, enum definitions definitions)
{
	AUTOFREE char *name = xasprintf("template-%s.tsv", gpu);
	AUTOFREE char *rows = reference(name);
	AUTOFREE char *result = evaluate_table(gpu, definitions, RAWTABLE_HEADER "\n");
	struct span expected = span_of(rows), got = span_of(result), e[FIELDS_MAX], g[FIELDS_MAX];

	next_row(&expected, e);
	next_row(&got, g);
	while (next_row(&expected, e)) {
		if (!e[7].n)
			continue; /* a CPU's */
		assert_true(next_row(&got, g));
		if (!span_eq(g[0], e[4]) || !is_unit(g[3], definitions, e[6]))
			fail_msg("%s: %.*s has unit %.*s, expected %.*s", gpu, SPAN_ARG(g[0]), SPAN_ARG(g[3]),
				 SPAN_ARG(e[6]));
	}
}

TEST(units_are_those_of_the_template)
{
	static const char *const gpus[] = {"g52", "g715", "g625"};

	for (size_t i = 0; i < ARRAY_LEN(gpus); i++) {
		check_units(gpus[i], DEFINITIONS_CURRENT);
		check_units(gpus[i], DEFINITIONS_GUIDE);
	}
}

TEST(table_without_rows_defines_nothing)
{
	static const enum definitions definitions[] = {DEFINITIONS_CURRENT, DEFINITIONS_GUIDE};

	for (size_t i = 0; i < ARRAY_LEN(definitions); i++) {
		AUTOFREE char *result = evaluate_table("G715", definitions[i], RAWTABLE_HEADER "\n");
		struct span got = span_of(result), g[FIELDS_MAX];

		next_row(&got, g);
		while (next_row(&got, g))
			assert_int_equal(g[2].n, 0);
	}
}

#define CORES(n) "constant\t0\t\tshader_core_count\t" #n "\n"
#define CORE(i, index, value) "shader_core\t" #i "\t" #index "\t\t" #value "\n"

TEST(one_case_at_a_time)
{
	static const struct {
		const char *what, *gpu;
		enum definitions definitions;
		const char *rows, *metric, *value;
	} cases[] = {
		{"sums go beyond 64 bits", "G52", DEFINITIONS_CURRENT,
		 CORES(2) CORE(0, 9, 18446744073709551615) CORE(9, 9, 18446744073709551615), "MaliFragWarp",
		 "36893488147400000000"},
		{"a mean is exact", "G52", DEFINITIONS_GUIDE,
		 CORES(3) CORE(0, 9, 1) CORE(1, 9, 1) CORE(7, 9, 0), "MaliFragWarp", "0.666666666667"},
		{"a tie of a mean goes to the even digit", "G52", DEFINITIONS_GUIDE,
		 CORES(2) CORE(0, 9, 200000000001) CORE(1, 9, 200000000000), "MaliFragWarp", "200000000000"},
		{"another tie, upwards", "G52", DEFINITIONS_GUIDE,
		 CORES(2) CORE(0, 9, 200000000003) CORE(1, 9, 200000000000), "MaliFragWarp", "200000000002"},
		{"a mean needs the rows, not the constant", "G52", DEFINITIONS_GUIDE,
		 CORE(0, 9, 1) CORE(1, 9, 2), "MaliFragWarp", "1.5"},
		{"a sum likewise", "G52", DEFINITIONS_CURRENT, CORE(0, 9, 1) CORE(1, 9, 2), "MaliFragWarp",
		 "3"},
		{"the multiplier counts under the current definitions", "G715", DEFINITIONS_CURRENT,
		 CORES(1) CORE(0, 4, 1000) CORE(0, 69, 25), "MaliFragThroughputCy", "10"},
		{"and under the guide's", "G715", DEFINITIONS_GUIDE,
		 CORES(1) CORE(0, 4, 1000) CORE(0, 69, 25), "MaliFragThroughputCy", "10"},
		{"bytes come from the bus width", "G715", DEFINITIONS_CURRENT,
		 "constant\t0\t\tl2_slice_count\t1\nconstant\t0\t\tbus_width_bits\t128\nmemory_"
		 "system\t0\t32\t\t3\n",
		 "MaliExtBusRdBy", "48"},
		{"and not without it", "G715", DEFINITIONS_CURRENT,
		 "constant\t0\t\tl2_slice_count\t1\nmemory_system\t0\t32\t\t3\n", "MaliExtBusRdBy", ""},
		{"holes among the cores do not matter", "G52", DEFINITIONS_CURRENT,
		 CORES(2) CORE(3, 9, 1) CORE(60, 9, 2), "MaliFragWarp", "3"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *table = xasprintf(RAWTABLE_HEADER "\n%s", cases[i].rows);
		AUTOFREE char *result = evaluate_table(cases[i].gpu, cases[i].definitions, table);
		AUTOFREE char *value = value_of(result, cases[i].metric);

		if (strcmp(value, cases[i].value) != 0)
			fail_msg("%s: %s is '%s', expected '%s'", cases[i].what, cases[i].metric, value,
				 cases[i].value);
	}
}

TEST(every_gpu_has_its_rows_in_order)
{
	for (unsigned i = 0; i < db->n_products; i++) {
		AUTOFREE char *result =
			evaluate_table(db->products[i].name, DEFINITIONS_CURRENT, RAWTABLE_HEADER "\n");
		struct span got = span_of(result), g[FIELDS_MAX];
		unsigned n = 0;

		while (next_row(&got, g))
			n++;
		if (n < (db->products[i].family == FAMILY_MIDGARD ? 40 : 50))
			fail_msg("%s has %u rows", db->products[i].name, n);
	}
}

TEST(command_fails_with_the_right_status)
{
	static const struct {
		struct options options;
		enum exit_status status;
		const char *message;
	} cases[] = {
		{{.gpu = "G57", .definitions = DEFINITIONS_GUIDE, .operand = "/dev/null"},
		 EXIT_USAGE,
		 "Mali-G52, Mali-G715, Mali-G625"},
		{{.gpu = "GeForce", .operand = "/dev/null"},
		 EXIT_USAGE,
		 "--gpu: unknown 'GeForce': see malitop list gpus"},
		{{.gpu = "G57", .operand = "/nowhere/x.tsv"}, EXIT_FAILED, "/nowhere/x.tsv"},
		{{.gpu = "immortalis g715", .operand = "/dev/null"}, EXIT_FAILED, "/dev/null:1: empty"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf out = {0};
		struct err err = {0};

		assert_int_equal(eval_run(&cases[i].options, db, &out, &err), cases[i].status);
		if (!strstr(err.text, cases[i].message))
			fail_msg("'%s' does not say '%s'", err.text, cases[i].message);
		assert_int_equal(out.n, 0);
	}
}

TEST_GROUP(load_data, unload_data)
