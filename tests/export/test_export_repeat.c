/* The statistics of several runs. */
#include "export/export_session.h"

#include "base/alloc.h"
#include "base/units.h"
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

static char events[] = "Events", ratio[] = "Ratio";

struct runs_bench {
	struct export_options options;
	struct export_column columns[2];
	struct export_table table;
};

static void bench_init(struct runs_bench *b)
{
	*b = (struct runs_bench){.options.repeat = export_repeat_new()};
	b->columns[0] = (struct export_column){.name = events, .unit = unit_find(span_of("count"))};
	b->columns[1] = (struct export_column){.name = ratio, .unit = unit_find(span_of("ratio"))};
	b->table = (struct export_table){
		.options = &b->options, .columns = b->columns, .n_columns = 2, .n_metrics = 2};
}

static void add_run(struct runs_bench *b, double count, double share, double elapsed_s, int status)
{
	const double values[2] = {count, share};
	const struct export_command command = {.end_ns = (int64_t)(elapsed_s * 1e9), .status = status};
	AUTO_STRBUF struct strbuf out = {0};

	export_totals.row(&b->table, &(struct export_row){.values = values, .command = &command}, &out);
	assert_int_equal(out.n, 0);
}

static void expect_text(struct runs_bench *b, enum output_format format, const char *part)
{
	AUTO_STRBUF struct strbuf out = {0};

	export_repeat_print(b->options.repeat, format, "work", 1, &out);
	if (!strstr(out.p, part))
		fail_msg("%s\nhas no\n%s", out.p, part);
}

/* 2, 4, 4, 4, 5, 5, 7, 9: mean 5, sum of squares 32. */
TEST(figures_have_mean_deviation_and_bounds)
{
	static const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
	struct runs_bench b;

	bench_init(&b);
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		add_run(&b, values[i] * 1e6, (double)NAN, 0.5, 0);
	expect_text(&b, FORMAT_TABLE, "work: 8 runs, after 1 to warm up\n");
	expect_text(&b, FORMAT_TABLE,
		    "5,000,000          42.76             2,000,000             9,000,000\n");
	expect_text(&b, FORMAT_CSV, "Events,count,8,5000000.0,42.76");
	expect_text(&b, FORMAT_CSV, "elapsed,seconds,8,0.5,0.0,0.5,0.5");
	expect_text(&b, FORMAT_JSONL, "{\"command\":\"work\",\"runs\":8,\"warmup\":1}\n{\"name\":\"Events\"");
	export_repeat_free(b.options.repeat);
}

TEST(what_was_never_known_is_left_out)
{
	AUTO_STRBUF struct strbuf out = {0};
	struct runs_bench b;

	bench_init(&b);
	add_run(&b, 3, (double)NAN, 1, 0);
	add_run(&b, (double)NAN, (double)NAN, 1, 0);
	export_repeat_print(b.options.repeat, FORMAT_JSONL, "work", 0, &out);
	assert_null(strstr(out.p, "Ratio"));
	assert_non_null(strstr(
		out.p, "{\"name\":\"Events\",\"unit\":\"count\",\"runs\":1,\"mean\":3.0,\"sd_percent\":null,"
		       "\"min\":3.0,\"max\":3.0}"));
	export_repeat_free(b.options.repeat);
}

TEST(a_failed_run_does_not_count)
{
	struct runs_bench b;

	bench_init(&b);
	add_run(&b, 3, 1, 1, 0);
	add_run(&b, 100, 1, 1, 7);
	assert_int_equal(export_repeat_runs(b.options.repeat), 1);
	expect_text(&b, FORMAT_CSV, "Events,count,1,3.0,,3.0,3.0");
	export_repeat_free(b.options.repeat);
}
