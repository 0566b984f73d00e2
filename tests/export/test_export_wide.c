/* The columns of `malitop stat`. */
#include "export/export.h"

#include "base/alloc.h"
#include "base/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define N 4

static char names[N][8] = {"A", "B", "C", "D"};

struct wide_bench {
	struct export_options options;
	struct export_source source;
	struct metric_set set;
	struct metric_def defs[N];
	struct metric metrics[N];
	struct export_column columns[N];
	struct export_table table;
};

static void wide_init(struct wide_bench *b)
{
	static const struct {
		const char *title, *unit;
		bool grows;
	} rows[N] = {{"Cycles", "cycles", true},
		     {"Mispredicts", "per 1000 instructions", false},
		     {"Hottest sensor", "celsius", false},
		     {"Context switches of all CPUs", "count", true}};

	*b = (struct wide_bench){.source = {.prefix = ""}};
	b->source.set = &b->set;
	for (unsigned i = 0; i < N; i++) {
		b->defs[i] = (struct metric_def){.name = names[i], .short_title = rows[i].title};
		b->metrics[i] = (struct metric){.def = &b->defs[i], .grows = rows[i].grows};
		b->columns[i] = (struct export_column){.name = names[i],
						       .unit = unit_find(span_of(rows[i].unit)),
						       .metric = &b->metrics[i],
						       .instance = -1};
	}
	b->table = (struct export_table){.options = &b->options,
					 .sources = &b->source,
					 .n_sources = 1,
					 .columns = b->columns,
					 .n_columns = N,
					 .n_metrics = N};
}

static void add_row(const struct wide_bench *b, uint64_t number, const double values[N], struct strbuf *out)
{
	static const bool estimated[N] = {false, true, false, false};
	const struct column sum = {.time_ns = 500000000};
	const struct column *sums[1] = {&sum};

	export_wide.row(&b->table,
			&(struct export_row){.number = number,
					     .end_ns = (int64_t)number * 500000000,
					     .flags = SAMPLE_ESTIMATED,
					     .values = values,
					     .estimated = estimated,
					     .sums = sums},
			out);
}

static void an_interval_is_a_line_under_titles_and_units(void **state)
{
	AUTO_STRBUF struct strbuf out = {0};
	struct wide_bench b;

	(void)state;
	wide_init(&b);
	add_row(&b, 1, (const double[N]){1.1e9, 12.34, 61.5, 2}, &out);
	add_row(&b, 2, (const double[N]){2e6, (double)NAN, 62, 0}, &out);
	assert_string_equal(out.p, "                                           Context\n"
				   "                                          switches\n"
				   "                                 Hottest    of all\n"
				   "     time   Cycles  Mispredicts   sensor      CPUs\n"
				   "        s     cy/s          PTI        C        /s\n"
				   "    0.500    2.20G       [12.3]     61.5         4\n"
				   "    1.000    4.00M            -     62.0         0\n");
}

static void the_header_is_repeated_and_hidden_columns_are_left_out(void **state)
{
	AUTO_STRBUF struct strbuf out = {0};
	struct wide_bench b;
	unsigned headers = 0;

	(void)state;
	wide_init(&b);
	b.columns[2].hidden = true;
	for (uint64_t i = 1; i <= 41; i++)
		add_row(&b, i, (const double[N]){1e9, 1, 61.5, 1}, &out);
	for (const char *at = out.p; (at = strstr(at, "Mispredicts")); at++)
		headers++;
	assert_int_equal(headers, 3);
	assert_null(strstr(out.p, "sensor"));
	assert_null(strstr(out.p, "61.5"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interval_is_a_line_under_titles_and_units),
		cmocka_unit_test(the_header_is_repeated_and_hidden_columns_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
