/* Rows of metrics: which columns there are, which sample fills which row, and every byte of both
 * formats. */
#include "tests/support/export_machine.h"
#include "base/json.h"

TEST_WITH(csv_is_as_the_contract_says, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct export *ex = start_export(m, &export_csv, m->sources, 1);

	push_gpu(ex, 0, 100, 400, 100);
	push_gpu(ex, 100, 250, 3, 1);
	push_sample(ex, GPU, 250, 300, SAMPLE_SIMULATED | SAMPLE_GAP, (uint64_t[]){0, 0, 0, 0}, 4);
	assert_string_equal(m->out.p, "time,duration,flags,MaliFragUtil,MaliGPUActiveCy\r\n"
				      "1700000000.000000000,0.100000000,,25.0,400.0\r\n"
				      "1700000000.100000000,0.150000000,,33.33333333333333,3.0\r\n"
				      "1700000000.250000000,0.050000000,gap simulated,,0.0\r\n");
	export_free(ex);
}

TEST_WITH(csv_names_units_in_a_second_row_if_asked, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct export *ex;

	m->options.units = m->options.several = true;
	m->options.host = "board";
	ex = start_export(m, &export_csv, m->sources, 1);
	push_gpu(ex, 0, 100, 400, 100);
	assert_string_equal(m->out.p, "host,time,duration,flags,MaliFragUtil,MaliGPUActiveCy\r\n"
				      ",s,s,,percent,cycles\r\n"
				      "board,1700000000.000000000,0.100000000,,25.0,400.0\r\n");
	export_free(ex);
}

TEST_WITH(json_lines_begin_with_what_was_measured, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct export *ex;

	m->options.metrics = "MaliFrag*";
	ex = start_export(m, &export_jsonl, m->sources, 1);
	push_gpu(ex, 0, 100, 400, 100);
	push_gpu(ex, 100, 200, 0, 0);
	assert_string_equal(
		m->out.p,
		"{\"malitop\":\"1.2\",\"host\":\"board\",\"gpu\":\"Mali-Test 2 "
		"cores\",\"driver\":\"simulator\","
		"\"constants\":{\"shader_core_count\":2.0,\"l2_slice_count\":null,\"bus_width_bits\":null,"
		"\"MaliGPUWarpSize\":8.0},\"definitions\":\"current\",\"sources\":[{\"kind\":\"gpu\","
		"\"name\":\"Mali-"
		"Test 2 cores\","
		"\"driver\":\"simulator\",\"prefix\":\"\",\"interval\":0.100000000,\"product\":\"Mali-Test\","
		"\"constants\":{\"shader_core_count\":2.0,\"l2_slice_count\":null,\"bus_width_bits\":null,"
		"\"MaliGPUWarpSize\":8.0}}],\"metrics\":[{\"name\":\"MaliFragUtil\",\"title\":\"Fragment\","
		"\"unit\":\"percent\"},{\"name\":\"MaliFragActiveCy\",\"title\":\"Fragment \\\"active\\\"\","
		"\"unit\":\"cycles\"}]}\n"
		"{\"time\":1700000000.000000000,\"duration\":0.100000000,\"flags\":\"\",\"MaliFragUtil\":25."
		"0,"
		"\"MaliFragActiveCy\":100.0}\n"
		"{\"time\":1700000000.100000000,\"duration\":0.100000000,\"flags\":\"\",\"MaliFragUtil\":"
		"null,"
		"\"MaliFragActiveCy\":0.0}\n");
	export_free(ex);
}

/* The header is the first line, "time,duration,flags," left out. */
static void assert_columns(struct export_machine *m, const struct export_source *sources, unsigned n,
			   const char *expected)
{
	struct export *ex = start_export(m, &export_csv, sources, n);

	m->out.p[m->out.n - strlen(CSV_EOL)] = 0;
	assert_string_equal(m->out.p + strlen("time,duration,flags,"), expected);
	export_free(ex);
}

TEST_WITH(clusters_always_have_columns, machine_init, machine_fini)
{
	struct export_machine *m = *state;

	assert_columns(m, m->sources, 2,
		       "MaliFragUtil,MaliGPUActiveCy,CPULoad,CPULoad.cluster0,CPULoad.cluster1,Heat");
}

TEST_WITH(per_core_adds_cores_and_cpus, machine_init, machine_fini)
{
	struct export_machine *m = *state;

	m->options.per_core = true;
	assert_columns(m, m->sources, 2,
		       "MaliFragUtil,MaliFragUtil.core0,MaliFragUtil.core3,MaliGPUActiveCy,"
		       "CPULoad,CPULoad.cluster0,CPULoad.cluster1,CPULoad.cpu5,Heat");
}

TEST_WITH(second_gpu_has_a_prefix, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct export_source two[] = {m->sources[GPU], m->sources[GPU1]};

	assert_columns(m, two, 2, "MaliFragUtil,MaliGPUActiveCy,gpu1:MaliFragUtil,gpu1:MaliGPUActiveCy");
}

TEST_WITH(globs_choose_columns_once, machine_init, machine_fini)
{
	struct export_machine *m = *state;

	m->options.metrics = "MaliExtra,Mali*Active*,CPULoad.cluster1,MaliExtra";
	assert_columns(m, m->sources, 2, "MaliGPUActiveCy,MaliFragActiveCy,MaliExtra,CPULoad.cluster1");
}

TEST_WITH(star_is_all, machine_init, machine_fini)
{
	struct export_machine *m = *state;

	m->options.metrics = "*";
	assert_columns(m, m->sources, 1, "MaliFragUtil,MaliGPUActiveCy,MaliFragActiveCy,MaliExtra,MaliBeat");
}

TEST_WITH(glob_that_fits_nothing_is_named, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct err err;

	m->options.metrics = "MaliFragUtil,Nali*";
	assert_null(export_new(&export_csv, &m->options, m->sources, 2, collect_bytes, m, &err));
	assert_non_null(strstr(err.text, "--metrics: 'Nali*' matches no metric"));
	assert_int_equal(m->writes, 0);
}

/* Column Heat of every row after the header. */
static void assert_heat(struct export_machine *m, const char *expected)
{
	AUTO_STRBUF struct strbuf got = {0};
	struct span rest = span_of(m->out.p);

	strbuf_str(&got, "");
	span_until(&rest, '\n');
	while (rest.n) {
		struct span row = span_until(&rest, '\n'), cell = {0};

		while (row.n)
			cell = span_until(&row, ',');
		strbuf_printf(&got, "%.*s|", SPAN_ARG(span_trim(cell)));
	}
	assert_string_equal(got.p, expected);
}

TEST_WITH(other_sources_fill_the_row_in_which_they_ended, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct export *ex = start_export(m, &export_csv, m->sources, 2);

	push_gpu(ex, 0, 100, 1, 1);
	push_cpu(ex, 0, 200, 4, 30); /* ends with the next row */
	push_gpu(ex, 100, 200, 1, 1);
	push_gpu(ex, 200, 300, 1, 1);
	push_cpu(ex, 200, 401, 4, 40); /* ends after the next row */
	push_gpu(ex, 300, 400, 1, 1);
	push_gpu(ex, 400, 500, 1, 1);
	assert_heat(m, "|30.0|||40.0|");
	export_free(ex);
}

/* A source that is always read a little before the GPU's sample ends a little after it: no row may
 * wait for ever. */
TEST_WITH(source_that_ends_just_after_the_row_fills_the_next, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct export *ex = start_export(m, &export_csv, m->sources, 2);

	for (int64_t i = 1; i <= 4; i++) {
		push_cpu(ex, (i - 1) * 100 + 1, i * 100 + 1, 4, 30 + (uint64_t)i);
		push_gpu(ex, (i - 1) * 100, i * 100, 1, 1);
	}
	assert_heat(m, "|31.0|32.0|33.0|");
	export_free(ex);
}

TEST_WITH(samples_that_end_in_one_row_are_folded, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct export *ex;

	m->options.metrics = "CPULoad,Heat";
	ex = start_export(m, &export_csv, m->sources, 2);
	push_cpu(ex, 0, 100, 4, 30);
	push_cpu(ex, 100, 200, 8, 50);
	push_cpu(ex, 200, 300, 4, 40);
	push_gpu(ex, 0, 1000, 1, 1);
	assert_non_null(
		strstr(m->out.p, ",,4.0,3.25,0.75,40.0\r\n")); /* the sum of ticks, the last temperature */
	export_free(ex);
}

TEST_WITH(failed_sample_is_marked_and_empty, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct export *ex = start_export(m, &export_csv, m->sources, 1);

	push_sample(ex, GPU, 0, 100, SAMPLE_ERROR, (uint64_t[]){5, 5, 5, 5}, 4);
	push_gpu(ex, 100, 200, 4, 1);
	assert_non_null(strstr(m->out.p, "0.100000000,error,,\r\n"));
	assert_non_null(strstr(m->out.p, "0.100000000,,25.0,4.0\r\n"));
	export_free(ex);
}

TEST_WITH(unknown_value_is_empty_and_estimates_are_flagged, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct export *ex = start_export(m, &export_csv, m->sources, 2);

	push_sample(ex, CPU, 0, 50, SAMPLE_ESTIMATED, (uint64_t[]){4, 30, 3, 1, 1}, 5);
	push_sample(ex, GPU, 0, 100, 0, (uint64_t[]){5, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN}, 4);
	assert_non_null(strstr(m->out.p, ",estimated,,5.0,1.0,0.75,0.25,30.0\r\n"));
	export_free(ex);
}

TEST_WITH(without_a_gpu_the_cpu_makes_the_rows, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct export *ex = start_export(m, &export_csv, &m->sources[CPU], 1);

	push_cpu(ex, 0, 500, 4, 30);
	push_gpu(ex, 0, 500, 1, 1); /* not ours */
	assert_string_equal(m->out.p, "time,duration,flags,CPULoad,CPULoad.cluster0,CPULoad.cluster1,Heat\r\n"
				      "1700000000.000000000,0.500000000,,1.0,0.75,0.25,30.0\r\n");
	export_free(ex);
}

TEST_WITH(without_a_gpu_the_fastest_that_was_asked_for_makes_the_rows, machine_init, machine_fini)
{
	static const struct {
		const char *metrics, *header, *rows;
	} cases[] = {
		{"CPULoad,Heat", "time,duration,flags,CPULoad,Heat\r\n",
		 "1700000000.000000000,0.250000000,,,30.0\r\n1700000000.250000000,0.250000000,gap,1.0,31."
		 "0\r\n"},
		{"CPULoad", "time,duration,flags,CPULoad\r\n", "1700000000.000000000,0.500000000,,1.0\r\n"},
	};
	struct export_machine *m = *state;
	struct export_source two[2];
	struct metric_set *sets[2];

	split_cpu(m, two, sets);
	two[1].period_ns = two[0].period_ns / 2;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct export *ex;

		strbuf_clear(&m->out);
		m->options.metrics = cases[i].metrics;
		ex = start_export(m, &export_csv, two, 2);
		push_sample(ex, 7, 0, 250, 0, (uint64_t[]){30}, 1);
		push_sample(ex, CPU, 0, 500, 0, (uint64_t[]){4}, 1);
		push_sample(ex, 7, 250, 500, SAMPLE_GAP, (uint64_t[]){31}, 1);
		assert_string_equal(m->out.p + strlen(cases[i].header), cases[i].rows);
		export_free(ex);
	}
	metric_set_free(sets[0]);
	metric_set_free(sets[1]);
}

/* They are read one after the other at the same deadline. */
TEST_WITH(of_equally_fast_sources_the_last_makes_the_rows, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct export_source two[2];
	struct metric_set *sets[2];
	struct export *ex;

	split_cpu(m, two, sets);
	m->options.metrics = "CPULoad,Heat";
	ex = start_export(m, &export_csv, two, 2);
	push_sample(ex, CPU, 0, 500, 0, (uint64_t[]){4}, 1);
	push_sample(ex, 7, 0, 501, 0, (uint64_t[]){30}, 1);
	assert_string_equal(m->out.p, "time,duration,flags,CPULoad,Heat\r\n"
				      "1700000000.000000000,0.501000000,,1.0,30.0\r\n");
	export_free(ex);
	metric_set_free(sets[0]);
	metric_set_free(sets[1]);
}

TEST_WITH(exact_names_are_of_one_column_each_in_their_order, machine_init, machine_fini)
{
	struct export_machine *m = *state;

	m->options.metrics = "CPULoad,MaliFragUtil";
	m->options.exact = true;
	assert_columns(m, m->sources, 3, "CPULoad,MaliFragUtil");
}

/* One command from 40 to 240 ms, in which there are samples of 300 ms in all. */
static const struct export_command command = {.text = "make all",
					      .begin_ns = 40000000,
					      .end_ns = 240000000,
					      .user_ns = 150000000,
					      .system_ns = 1000,
					      .status = 3};

static void push_run(struct export *ex)
{
	push_gpu(ex, 0, 100, 100, 50);
	push_sample(ex, GPU, 100, 200, SAMPLE_GAP, (uint64_t[]){300, 50, 40, 10}, 4);
	push_sample(ex, GPU, 200, 300, SAMPLE_ERROR, (uint64_t[]){999, 999, 999, 999}, 4);
	push_cpu(ex, 0, 250, 4, 30);
	push_cpu(ex, 250, 300, 8, 20);
}

TEST_WITH(total_is_of_all_samples_and_of_the_command, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct export *ex;
	struct err err;

	m->options.metrics = "MaliFragUtil,MaliGPUActiveCy,CPULoad,Heat";
	m->options.lines = EXPORT_TOTAL;
	ex = start_export(m, &export_csv, m->sources, 2);
	push_run(ex);
	assert_true(export_total(ex, &command, &err));
	assert_string_equal(
		m->out.p,
		"time,duration,flags,MaliFragUtil,MaliGPUActiveCy,CPULoad,CPULoad.cluster0,CPULoad.cluster1,"
		"Heat,CommandUser,CommandSystem,CommandStatus\r\n"
		"1700000000.040000000,0.200000000,gap "
		"total,25.0,400.0,3.0,2.5,0.5,20.0,0.15,0.000001,3.0\r\n");
	export_free(ex);
}

TEST_WITH(total_follows_the_rows, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct export *ex;
	struct err err;

	m->options.metrics = "MaliGPUActiveCy";
	m->options.lines = EXPORT_ROWS_AND_TOTAL;
	ex = start_export(m, &export_jsonl, m->sources, 2);
	strbuf_clear(&m->out);
	push_gpu(ex, 0, 100, 100, 50);
	assert_true(export_total(ex, &command, &err));
	assert_string_equal(m->out.p,
			    "{\"time\":1700000000.000000000,\"duration\":0.100000000,\"flags\":\"\","
			    "\"MaliGPUActiveCy\":100.0,"
			    "\"CommandUser\":null,\"CommandSystem\":null,\"CommandStatus\":null}\n"
			    "{\"time\":1700000000.040000000,\"duration\":0.200000000,\"flags\":\"total\","
			    "\"MaliGPUActiveCy\":100.0,"
			    "\"CommandUser\":0.15,\"CommandSystem\":0.000001,\"CommandStatus\":3.0}\n");
	export_free(ex);
}

TEST_WITH(total_without_a_sample_is_empty_never_zero, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct export *ex;
	struct err err;

	m->options.metrics = "MaliGPUActiveCy,CPULoad";
	m->options.exact = true;
	m->options.lines = EXPORT_TOTAL;
	ex = start_export(m, &export_csv, m->sources, 2);
	push_sample(ex, GPU, 200, 300, SAMPLE_ERROR, (uint64_t[]){999, 999, 999, 999}, 4);
	assert_true(export_total(ex, &command, &err));
	assert_non_null(strstr(m->out.p, "0.200000000,total,,,0.15,"));
	export_free(ex);
}

TEST_WITH(instances_have_their_own_values, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct export *ex;

	m->options.per_core = true;
	m->options.metrics = "MaliFragUtil";
	ex = start_export(m, &export_csv, m->sources, 1);
	push_gpu(ex, 0, 100, 400, 100);
	assert_non_null(strstr(m->out.p, "flags,MaliFragUtil,MaliFragUtil.core0,MaliFragUtil.core3\r\n"));
	assert_non_null(strstr(m->out.p, ",,25.0,18.75,6.25\r\n"));
	export_free(ex);
}

TEST_WITH(failing_write_is_reported, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct export *ex;
	struct err err;

	m->fail_at = 2;
	ex = start_export(m, &export_csv, m->sources, 1);
	assert_false(push_gpu(ex, 0, 100, 1, 1));
	export_free(ex);
	m->writes = 0;
	m->fail_at = 1;
	assert_null(export_new(&export_csv, &m->options, m->sources, 1, collect_bytes, m, &err));
	assert_string_equal(err.text, "log: disk full");
}

TEST_WITH(nothing_to_log_is_an_error, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct err err;

	assert_null(export_new(&export_csv, &m->options, NULL, 0, collect_bytes, m, &err));
	assert_non_null(strstr(err.text, "nothing to log"));
}

TEST(texts_are_quoted_as_the_formats_want)
{
	static const struct {
		const char *text, *csv, *json;
	} cases[] = {
		{"", "", "\"\""},
		{"plain text", "plain text", "\"plain text\""},
		{"a,b", "\"a,b\"", "\"a,b\""},
		{"say \"x\"", "\"say \"\"x\"\"\"", "\"say \\\"x\\\"\""},
		{"two\nlines\t", "\"two\nlines\t\"", "\"two\\nlines\\t\""},
		{"back\\slash", "back\\slash", "\"back\\\\slash\""},
		{"=1+1", "'=1+1", "\"=1+1\""},
		{"+cmd", "'+cmd", "\"+cmd\""},
		{"-2+3", "'-2+3", "\"-2+3\""},
		{"@SUM(A1,B1)", "\"'@SUM(A1,B1)\"", "\"@SUM(A1,B1)\""},
		{"-1.5e3", "-1.5e3", "\"-1.5e3\""},
		{"-", "-", "\"-\""},
		{"a=b", "a=b", "\"a=b\""},
		{"\033[2J\177", "\033[2J\177", "\"\\u001b[2J\\u007f\""},
		{"\u00b5s \u2013", "\u00b5s \u2013", "\"\u00b5s \u2013\""},
		{"bad \xff utf8 \xc3", "bad \xff utf8 \xc3", "\"bad \ufffd utf8 \ufffd\""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf csv = {0};
		AUTO_STRBUF struct strbuf json = {0};

		strbuf_str(&csv, "");
		csv_field(&csv, cases[i].text);
		json_string(&json, cases[i].text);
		assert_string_equal(csv.p, cases[i].csv);
		assert_string_equal(json.p, cases[i].json);
	}
}

TEST(times_have_nanosecond_digits)
{
	static const struct {
		int64_t ns;
		const char *text;
	} cases[] = {{0, "0.000000000"},
		     {1, "0.000000001"},
		     {1700000000123456789, "1700000000.123456789"},
		     {-1500000000, "-1.500000000"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf out = {0};

		export_seconds(&out, cases[i].ns);
		assert_string_equal(out.p, cases[i].text);
	}
}
