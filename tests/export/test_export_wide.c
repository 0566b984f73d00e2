/* The columns of `malitop stat`. */
#include "tests/support/export_machine.h"

#include <math.h>

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
						       .instance = -1,
						       .known = true};
	}
	b->table = (struct export_table){.options = &b->options,
					 .sources = &b->source,
					 .n_sources = 1,
					 .columns = b->columns,
					 .n_columns = N,
					 .n_metrics = N,
					 .held = export_wide_new()};
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

TEST(an_interval_is_a_line_under_titles_and_units)
{
	AUTO_STRBUF struct strbuf out = {0};
	struct wide_bench b;

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
	export_wide_free(b.table.held);
}

TEST(the_header_is_repeated_and_hidden_columns_are_left_out)
{
	AUTO_STRBUF struct strbuf out = {0};
	struct wide_bench b;
	unsigned headers = 0;

	wide_init(&b);
	b.columns[2].hidden = true;
	for (uint64_t i = 1; i <= 41; i++)
		add_row(&b, i, (const double[N]){1e9, 1, 61.5, 1}, &out);
	for (const char *at = out.p; (at = strstr(at, "Mispredicts")); at++)
		headers++;
	assert_int_equal(headers, 3);
	assert_null(strstr(out.p, "sensor"));
	assert_null(strstr(out.p, "61.5"));
	export_wide_free(b.table.held);
}

static struct export *start_two(struct export_machine *m, struct export_source two[2],
				struct metric_set *sets[2])
{
	split_cpu(m, two, sets);
	two[1].period_ns = two[0].period_ns / 2;
	m->options.metrics = "CPULoad,Heat";
	m->options.exact = true;
	return start_export(m, &export_wide, two, 2);
}

static void end_two(struct export *ex, struct metric_set *sets[2])
{
	export_free(ex);
	metric_set_free(sets[0]);
	metric_set_free(sets[1]);
}

/* Rows wait until each source has had a sample, so that the columns of a run are the same. */
TEST_WITH(the_first_rows_wait_for_slower_sources, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct export_source two[2];
	struct metric_set *sets[2];
	struct export *ex = start_two(m, two, sets);

	push_sample(ex, 7, 0, 250, 0, (uint64_t[]){30}, 1);
	assert_null(m->out.n ? strstr(m->out.p, "30.0") : NULL);
	push_sample(ex, CPU, 0, 500, 0, (uint64_t[]){4}, 1);
	push_sample(ex, 7, 250, 500, 0, (uint64_t[]){31}, 1);
	assert_non_null(strstr(m->out.p, "Load"));
	assert_non_null(strstr(m->out.p, "30.0"));
	assert_non_null(strstr(m->out.p, "31.0"));
	strbuf_clear(&m->out);
	push_sample(ex, 7, 500, 750, 0, (uint64_t[]){32}, 1);
	assert_null(strstr(m->out.p, "Load")); /* no header again */
	end_two(ex, sets);
}

TEST_WITH(a_source_that_is_late_has_dashes_until_it_comes, machine_init, machine_fini)
{
	struct export_machine *m = *state;
	struct export_source two[2];
	struct metric_set *sets[2];
	struct export *ex = start_two(m, two, sets);
	struct err err;

	for (uint64_t i = 0; i < 6; i++)
		push_sample(ex, 7, 250 * i, 250 * (i + 1), 0, (uint64_t[]){30}, 1);
	assert_non_null(strstr(m->out.p, "Load"));
	assert_non_null(strstr(m->out.p, " - "));
	strbuf_clear(&m->out);
	push_sample(ex, CPU, 0, 1700, 0, (uint64_t[]){4}, 1);
	push_sample(ex, 7, 1500, 1750, 0, (uint64_t[]){31}, 1);
	assert_null(strstr(m->out.p, "Load")); /* the columns are the same */
	assert_null(strstr(m->out.p, " - "));
	end_two(ex, sets);
	/* a short run writes what waits at its end */
	ex = start_two(m, two, sets);
	strbuf_clear(&m->out);
	push_sample(ex, 7, 0, 250, 0, (uint64_t[]){30}, 1);
	assert_true(export_end(ex, &err));
	assert_non_null(strstr(m->out.p, "30.0"));
	end_two(ex, sets);
}
