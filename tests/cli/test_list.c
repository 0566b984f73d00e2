/* The lists, as tables, CSV and JSON lines. */
#include "cli/commands.h"

#include "backends/registry.h"
#include "base/alloc.h"
#include "base/file.h"
#include "model/cpu_event.h"
#include "model/metric.h"
#include "tests/support/shared_data.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *list_text(enum list_name what, const char *gpu, enum output_format format)
{
	struct options options = {.command = COMMAND_LIST, .list = what, .gpu = gpu, .format = format};
	struct strbuf out = {0};
	struct err err = {0};

	if (list_run(&options, db, &out, &err) != EXIT_DONE)
		fail_msg("%s", err.text);
	return out.p;
}

static unsigned count_parts(const char *text, const char *part)
{
	unsigned n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

TEST(products_are_those_of_the_reference)
{
	const char *srcdir = getenv("srcdir");
	AUTOFREE char *path = xasprintf("%s/tests/reference/gpus.tsv", srcdir ? srcdir : "."), *text = NULL;
	AUTOFREE char *csv = list_text(LIST_GPUS, NULL, FORMAT_CSV);
	struct span expected, got = span_of(csv);
	struct err err;
	size_t n;

	assert_true(file_read(path, 1 << 20, &text, &n, &err));
	expected = (struct span){text, n};
	span_until(&expected, '\n');
	assert_true(
		span_is(span_until(&got, '\n'),
			"name,also_sold_as,architecture,front_end,ids,slots_per_block,counters,metrics\r"));
	while (expected.n) {
		struct span e = span_until(&expected, '\n'), g = span_until(&got, '\n'),
			    name = span_until(&e, '\t');
		AUTOFREE char *row = NULL, *tail = NULL;
		struct span ids, counters, derived;

		span_until(&e, '\t');
		ids = span_until(&e, '\t');
		counters = span_until(&e, '\t');
		derived = span_until(&e, '\t');
		row = span_dup(g);
		tail = xasprintf("%.*s,%.*s,%.*s,%.*s\r", SPAN_ARG(ids), SPAN_ARG(e), SPAN_ARG(counters),
				 SPAN_ARG(derived));
		if (strncmp(row + strlen("Mali-"), name.p, name.n) != 0 ||
		    row[strlen("Mali-") + name.n] != ',' || !strstr(row, tail))
			fail_msg("'%s' is not %.*s with '%s'", row, SPAN_ARG(name), tail);
	}
	assert_int_equal(got.n, 0);
}

TEST(counters_have_a_row_per_gpu_and_name)
{
	AUTOFREE char *one = list_text(LIST_COUNTERS, "mali g715", FORMAT_CSV),
		      *all = list_text(LIST_COUNTERS, NULL, FORMAT_CSV);
	unsigned expected = 1;

	for (unsigned i = 0; i < db->n_products; i++)
		expected += gpudb_product(db, i)->layout->n_published;
	assert_int_equal(count_parts(all, "\r\n"), expected);
	assert_int_equal(count_parts(one, "\r\n"), 1 + 174);
	assert_non_null(strstr(one, "Mali-G715,shader_core,69,FRAG_SHADER_THREADS,MaliFragThread,$Mali"));
	assert_non_null(strstr(one, ",threads,4,"));
}

TEST(metrics_begin_with_the_template_and_none_comes_twice)
{
	AUTOFREE char *csv = list_text(LIST_METRICS, "G625", FORMAT_CSV);
	bool numbered = true;
	struct span rest = span_of(csv);
	unsigned n = 0;

	span_until(&rest, '\n');
	while (rest.n) {
		struct span row = span_until(&rest, '\n'), number, name;
		AUTOFREE char *key = NULL;

		span_until(&row, ',');
		number = span_until(&row, ',');
		name = span_until(&row, ',');
		key = xasprintf("Mali-G625,%.*s,%.*s,", SPAN_ARG(number), SPAN_ARG(name));
		assert_true(numbered || !number.n);
		numbered = number.n != 0;
		n += numbered;
		assert_int_equal(count_parts(csv, key), 1);
	}
	assert_int_equal(n, 114); /* 115 rows, one of them twice */
}

TEST(kinds_of_metrics_are_told_apart)
{
	static const char *const rows[] = {
		"\"name\":\"MaliGPUActiveCy\",\"title\":\"GPU active "
		"cycles\",\"unit\":\"cycles\",\"kind\":\"counter\"",
		"\"name\":\"MaliGPUWarpSize\",\"title\":\"Warp "
		"size\",\"unit\":\"threads\",\"kind\":\"constant\"",
		"\"title\":\"Fragment queue utilization\",\"unit\":\"percent\",\"kind\":\"expression\"",
	};
	AUTOFREE char *jsonl = list_text(LIST_METRICS, "G52", FORMAT_JSONL);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (!strstr(jsonl, rows[i]))
			fail_msg("no row has %s", rows[i]);
}

TEST(numbers_are_bare_in_json)
{
	AUTOFREE char *jsonl = list_text(LIST_GPUS, "G715", FORMAT_JSONL);

	assert_string_equal(
		jsonl,
		"{\"name\":\"Mali-G715\",\"also_sold_as\":\"Immortalis-G715\",\"architecture\":\"Valhall\","
		"\"front_end\":\"CSF\",\"ids\":\"0xb002\",\"slots_per_block\":128,\"counters\":174,"
		"\"metrics\":115}\n");
}

/* Of one GPU, in 80 columns; csv and --long have the rest. */
TEST(a_table_of_metrics_fits_a_terminal)
{
	AUTOFREE char *table = list_text(LIST_METRICS, "G715", FORMAT_TABLE);
	struct span rest = span_of(table);

	assert_non_null(strstr(table, "name  "));
	assert_null(strstr(table, "expression"));
	assert_null(strstr(table, "Mali-G715"));
	while (rest.n)
		assert_true(span_until(&rest, '\n').n <= 80);
}

TEST(columns_of_a_table_are_aligned)
{
	AUTOFREE char *table = list_text(LIST_GPUS, NULL, FORMAT_TABLE);
	struct span rest = span_of(table), head = span_until(&rest, '\n');
	size_t end = head.n;

	assert_true(head.n > 0);
	while (rest.n)
		assert_int_equal(span_until(&rest, '\n').n,
				 end); /* the last column is a number: right-aligned */
	assert_int_equal(count_parts(table, "\n"), 1 + db->n_products);
}

TEST(views_and_backends_are_listed)
{
	AUTOFREE char *views = list_text(LIST_VIEWS, NULL, FORMAT_CSV),
		      *backends = list_text(LIST_BACKENDS, NULL, FORMAT_CSV);

	assert_non_null(strstr(views, "\r\noverview,1,Overview\r\n"));
	assert_non_null(strstr(backends, "name,help\r\n"));
}

TEST(each_event_is_listed_with_its_meaning_and_each_meaning_with_its_event)
{
	AUTOFREE char *text = NULL;

	if (!registry_find(span_of("perf")))
		skip();
	text = list_text(LIST_EVENTS, NULL, FORMAT_JSONL);
	assert_int_equal(count_parts(text, "\"meaning\":\"\""), 0);
	assert_int_equal(count_parts(text, "\n"), db->n_events);
	for (unsigned i = 0; i < db->n_events; i++) {
		AUTOFREE char *name = xasprintf("{\"name\":\"%s\",", db->events[i].name);

		assert_int_equal(count_parts(text, name), 1);
	}
	assert_non_null(strstr(text, "{\"name\":\"LDREX_SPEC\",\"number\":\"0x6c\","));
}

TEST(each_metric_of_a_ready_group_exists)
{
	for (unsigned i = 0; i < db->n_groups; i++) {
		struct span rest = db->groups[i].metrics, word;

		while ((word = span_word(&rest)).n)
			if (!metric_def_find(db, word))
				fail_msg("%s: %.*s", db->groups[i].name, SPAN_ARG(word));
	}
}

TEST(unknown_gpu_is_wrong_usage)
{
	struct options options = {.list = LIST_GPUS, .gpu = "G9999"};
	AUTO_STRBUF struct strbuf out = {0};
	struct err err;

	assert_int_equal(list_run(&options, db, &out, &err), EXIT_USAGE);
	assert_non_null(strstr(err.text, "--gpu: unknown 'G9999'"));
}

TEST_GROUP(load_data, unload_data)
