#include "tests/support/tiny_source.h"

#include "base/stanza.h"

#include <stdio.h>

#define VIEW "view v\n  key 1\n  title V\n"

static void malformed_screens_name_file_line_and_what_was_expected(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"chart c\n  widget bars\n", "tiny.chart:1: chart without a view: expected 'view NAME' above"},
		{"gpu x\n", "tiny.chart:1: 'gpu x': expected 'view NAME' or 'chart NAME'"},
		{"view\n", "tiny.chart:1: 'view': expected"},
		{"view v\n  key 12\n", "tiny.chart:2: 'key 12' in a view: expected key (one character)"},
		{"view v\n  hidden maybe\n", "tiny.chart:2: 'hidden maybe' in a view: expected"},
		{"view v\n  foot disk\n", "tiny.chart:2: 'foot disk' in a view: expected"},
		{"view v\n  colour red\n", "tiny.chart:2: 'colour red' in a view: expected"},
		{"view v\n  title V\n    more\n", "tiny.chart:3: indented by four or more: expected a field"},
		{"view v\n\nview v\n", "tiny.chart:3: view v is there already"},
		{VIEW "chart c\n  series Share\n", "tiny.chart:5: chart c above has no widget"},
		{VIEW "chart c\n  series Share\nchart d\n", "tiny.chart:6: chart c above has no widget"},
		{VIEW "chart c\n  widget pie\n", "tiny.chart:5: unknown widget 'pie'"},
		{VIEW "chart c\n  widget bars\n  priority 0\n", "tiny.chart:6: priority '0': expected 1 to 9"},
		{VIEW "chart c\n  widget bars\n  priority high\n", "tiny.chart:6: priority 'high': expected 1 to 9"},
		{VIEW "chart c\n  widget bars\n  series\n", "tiny.chart:6: series without a metric: expected NAME"},
		{VIEW "chart c\n  widget bars\n  series | label\n", "tiny.chart:6: series without a metric: expected NAME"},
		{VIEW "chart c\n  levels load\n  widget lanes\n", "tiny.chart:5: unknown field 'levels': expected title, widget"},
		{VIEW "chart c\n  widget bars\n  levels low\n", "tiny.chart:6: levels 'low': expected one of: load"},
		{VIEW "chart c\n  widget bars\n  each gpu\n",
		 "tiny.chart:6: each 'gpu': expected one of: core slice cluster cpu"},
		{VIEW "chart c\n  widget strips\n  rows 0\n", "tiny.chart:6: rows '0': expected one of: #"},
		{VIEW "chart c\n  widget strips\n  rows 201\n", "tiny.chart:6: rows '201': expected one of: #"},
		{VIEW "chart c\n  widget bars\n  title\n", "tiny.chart:6: field 'title' without a value"},
	};
	struct tiny t;

	(void)state;
	tiny_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = {0};

		assert_false(tiny_read(&t, cases[i].text, &err));
		if (!strstr(err.text, cases[i].want))
			fail_msg("case %zu: '%s' is not in '%s'", i, cases[i].want, err.text);
	}
	tiny_fini(&t);
}

static void what_does_not_exist_is_left_out(void **state)
{
	static const char text[] = "view a\nchart c\n  widget bars\n  series None\n"
				   "view b\nchart c\n  widget bars\n  series None\n"
				   "chart d\n  widget bars\n  series None | x\n  series None / Share | y | None\n  sub Clock\n"
				   "view c\n";
	struct tiny t;
	struct err err;

	(void)state;
	tiny_init(&t);
	assert_true(tiny_read(&t, text, &err));
	assert_int_equal(t.views.n_views, 1);
	assert_string_equal(t.views.views[0].name, "b");
	assert_int_equal(t.views.views[0].n_charts, 1);

	const struct chart *d = &t.views.views[0].charts[0];

	assert_int_equal(d->n_series, 2);
	assert_string_equal(d->series[0].label, "y");
	assert_string_equal(d->series[0].metric->def->name, "Share");
	assert_null(d->series[0].beside);
	assert_string_equal(d->series[1].label, "  Clock");
	tiny_fini(&t);
}

static void the_foot_stands_under_the_charts_as_long_as_there_is_a_row(void **state)
{
	static const char chart[] = "chart c\n  widget strips\n  series Share\n  series Clock\n";
	static const struct {
		const char *field, *foot;
		int rows;
		const char *want; /* what follows the charts; NULL: no foot at all */
	} cases[] = {
		{"  foot gpu\n", "GPU memory 7 MB", 12, "\n\n GPU memory 7 MB\n"},
		{"  foot cpu\n", "load 1.00", 12, "\n\n load 1.00\n"},
		{"  foot cpu\n", "", 12, NULL},
		{"  foot cpu\n", NULL, 12, NULL},
		{"", "load 1.00", 12, NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *got = NULL;
		char text[256];
		struct tiny t;

		tiny_init(&t);
		t.data.foot[0] = cases[i].foot;
		snprintf(text, sizeof(text), "view v\n%s%s", cases[i].field, chart);
		got = tiny_shown(&t, text, 60, cases[i].rows, true);
		if (cases[i].want ? !strstr(got, cases[i].want) : strstr(got, "load") || strstr(got, "memory"))
			fail_msg("case %zu:\n%s", i, got);
		tiny_fini(&t);
	}
}

static void the_foot_has_its_row_where_charts_could_fill_the_screen(void **state)
{
	AUTO_STRBUF struct strbuf text = {0};
	AUTOFREE char *got = NULL;
	struct tiny t;

	(void)state;
	tiny_init(&t);
	t.data.foot[0] = "load 1.00";
	strbuf_str(&text, "view v\n  foot cpu\nchart c\n  widget facts\n  columns 1\n");
	for (int i = 0; i < 12; i++)
		strbuf_str(&text, "  series Share\n");
	got = tiny_shown(&t, text.p, 60, 10, true);
	assert_non_null(strstr(got, "50.0 %\n load 1.00\n"));
	tiny_fini(&t);
}

static void lines_of_the_foot_give_way_from_the_last_one_before_any_chart_does(void **state)
{
	static const char text[] = "view v\n  foot cpu\nchart c\n  widget facts\n  columns 1\n"
				   "  series Share\n  series Share\n  series Share\n  series Share\n  series Share\n"
				   "  series Share\n  series Share\n  series Share\n";
	static const struct {
		const char *foot[VIEW_FOOT_LINES];
		int rows;
		const char *want; /* what follows the charts */
	} cases[] = {
		{{"one", "two", "three"}, 12, "50.0 %\n\n one\n two\n three\n"},
		{{"one", "two", "three"}, 11, "50.0 %\n one\n two\n three\n"},
		{{"one", "two", "three"}, 10, "50.0 %\n one\n two\n"},
		{{"one", "", "three"}, 10, "50.0 %\n one\n three\n"},
		{{"", "two", NULL}, 12, "50.0 %\n\n two\n"},
		{{NULL, NULL, "three"}, 12, "50.0 %\n\n three\n"},
		{{"a line of 58 columns, as many as there are between margins", NULL, NULL},
		 12,
		 "50.0 %\n\n a line of 58 columns, as many as there are between margins\n"},
		{{"a line of 59 columns, one more than there are between them.", NULL, NULL},
		 12,
		 "50.0 %\n\n a line of 59 columns, one more than there are between the~\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *got = NULL;
		size_t n;
		struct tiny t;

		tiny_init(&t);
		memcpy(t.data.foot, cases[i].foot, sizeof(t.data.foot));
		got = tiny_shown(&t, text, 60, cases[i].rows, true);
		n = strlen(got);
		while (n > 1 && got[n - 2] == '\n') /* blank rows at the end */
			got[--n] = 0;
		if (n < strlen(cases[i].want) || strcmp(got + n - strlen(cases[i].want), cases[i].want) != 0)
			fail_msg("case %zu:\n%s", i, got);
		tiny_fini(&t);
	}
}

static void metrics_of_the_gpu_come_before_those_of_the_cpu(void **state)
{
	static const char text[] = VIEW "chart c\n  widget bars\n  series None / Share\n";
	struct tiny t;
	struct views views = {0};
	struct err err;

	(void)state;
	tiny_init(&t);
	assert_true(chart_read(&views, "both", span_of(text), SETS(t.set, t.set), &err));
	assert_int_equal(views.views[0].charts[0].series[0].source, SOURCE_GPU);
	views_fini(&views);
	assert_true(chart_read(&views, "cpu", span_of(text), SETS(NULL, t.set), &err));
	assert_int_equal(views.views[0].charts[0].series[0].source, SOURCE_CPU);
	views_fini(&views);
	assert_true(chart_read(&views, "none", span_of(text), NULL, &err));
	assert_int_equal(views.views[0].charts[0].n_series, 0);
	views_fini(&views);
	tiny_fini(&t);
}

static void a_group_is_a_series_for_each_of_its_metrics(void **state)
{
	static const char text[] = VIEW "chart c\n  widget strips\n  group G\nchart d\n  widget strips\n  group H\n";
	static const char *const labels[] = {"A share", "Watched", "Wanted", "Bytes", "Clock"};
	struct err err = {0};
	struct tiny t;

	(void)state;
	tiny_init(&t);
	assert_true(tiny_read(&t, text, &err));
	assert_int_equal(t.views.views[0].n_charts, 1);
	assert_int_equal(t.views.views[0].charts[0].n_series, ARRAY_LEN(labels));
	for (size_t i = 0; i < ARRAY_LEN(labels); i++)
		assert_string_equal(t.views.views[0].charts[0].series[i].label, labels[i]);
	assert_false(tiny_read(&t, VIEW "chart c\n  widget strips\n  group\n", &err));
	assert_non_null(strstr(err.text, "tiny.chart:6: field 'group' without a value"));
	tiny_fini(&t);
}

static void views_are_found_by_name_and_key(void **state)
{
	static const char text[] = "view one\n  key 1\nchart c\n  widget bars\n  series Share\n"
				   "view ten\n  key a\n  hidden yes\nchart c\n  widget bars\n  series Share\n";
	struct tiny t;
	struct err err;

	(void)state;
	tiny_init(&t);
	assert_true(tiny_read(&t, text, &err));
	assert_ptr_equal(views_find(&t.views, "one"), &t.views.views[0]);
	assert_ptr_equal(views_find(&t.views, "1"), &t.views.views[0]);
	assert_ptr_equal(views_find(&t.views, "a"), &t.views.views[1]);
	assert_ptr_equal(views_find(&t.views, "ten"), &t.views.views[1]);
	assert_null(views_find(&t.views, "2"));
	assert_null(views_find(&t.views, "1 "));
	assert_null(views_find(&t.views, ""));
	assert_null(views_find(&t.views, "on"));
	tiny_fini(&t);
}

/* The first character of the label of every row, '.' for a blank row, without the blank rows at the end. */
static void rows_of(struct tiny *t, const char *text, int rows, char *out)
{
	char *dump = tiny_shown(t, text, 40, rows, false);
	size_t n = 0;

	for (char *line = dump, *next; line && *line; line = next) {
		next = strchr(line, '\n');
		next = next ? next + 1 : NULL;
		out[n++] = *line == '\n' ? '.' : line[1] == ' ' ? line[3] : line[1];
	}
	while (n && out[n - 1] == '.')
		n--;
	out[n] = 0;
	free(dump);
}

static void charts_give_way_by_priority(void **state)
{
	static const char text[] = VIEW
		"chart low\n  title L\n  widget facts\n  priority 3\n  series Share | l\n"
		"chart high\n  title H\n  widget bars\n  series Share | 1\n  sub Share | 2\n  sub Share | 3\n  sub Share | 4\n"
		"chart tied\n  widget facts\n  priority 2\n  joined yes\n  series Share | t\n"
		"chart also\n  widget bars\n  series Share | 5\n  sub Share | 6\n  sub Share | 7\n  sub Share | 8\n"
		"chart last\n  widget facts\n  priority 9\n  series Share | z\n";
	static const struct {
		int rows;
		const char *want;
	} cases[] = {
		{10, "H1234t5678"},    /* all of priority 1 and 2, no room for blank rows */
		{11, "H1234t.5678"},   /* then the blank rows */
		{12, "H1234t.5678"},   /* a lesser chart wants its blank row as well */
		{13, "H1234t.5678.z"}, /* the chart of priority 3 needs three rows, the last one two */
		{14, "Ll.H1234t.5678"}, {15, "Ll.H1234t.5678"}, {16, "Ll.H1234t.5678.z"}, {30, "Ll.H1234t.5678.z"},
	};
	struct tiny t;

	(void)state;
	tiny_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char got[64];

		rows_of(&t, text, cases[i].rows, got);
		assert_string_equal(got, cases[i].want);
	}
	tiny_fini(&t);
}

static void charts_of_one_priority_shrink_together(void **state)
{
	static const char text[] =
		VIEW "chart a\n  widget bars\n  series Share | 1\n  series Share | 2\n  series Share | 3\n  series Share | 4\n"
		     "  series Share | 5\n  series Share | 6\n  series Share | 7\n"
		     "chart b\n  widget bars\n  series Share | a\n  series Share | b\n  series Share | c\n  series Share | d\n"
		     "  series Share | e\n  series Share | f\n  series Share | g\n";
	struct tiny t;
	char got[64];

	(void)state;
	tiny_init(&t);
	rows_of(&t, text, 10, got);
	assert_string_equal(got, "12345abcde");
	rows_of(&t, text, 11, got);
	assert_string_equal(got, "123456abcde");
	tiny_fini(&t);
}

static void a_terminal_below_40x10_gets_one_line(void **state)
{
	static const char text[] = VIEW "chart c\n  widget bars\n  series Share\n";
	static const struct {
		int cols, rows;
		const char *want;
	} cases[] = {{1, 1, "1\n"}, {39, 2, "39x2 is too small: at least 40x10\n\n"}, {8, 1, "8x1 is t\n"}};
	struct tiny t;

	(void)state;
	tiny_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *got = tiny_shown(&t, text, cases[i].cols, cases[i].rows, false);

		assert_string_equal(got, cases[i].want);
	}
	tiny_fini(&t);
}

/* Every alternative of "A / B", every name beside, and of options that name a metric. */
static void check_names(const struct gpudb *db, const char *file, const struct stanza_line *line)
{
	struct span rest = line->value;

	for (unsigned part = 0; part < 3; part++) {
		struct span names = span_until(&rest, '|');

		while (part != 1 && names.n) {
			struct span name = span_trim(span_until(&names, '/'));

			if (name.n && !metric_def_find(db, name))
				fail_msg("%s:%u: no such metric: %.*s", file, line->line, SPAN_ARG(name));
		}
	}
}

static void every_metric_of_the_shipped_screens_is_defined(void **state)
{
	struct err err;
	struct gpudb *db = gpudb_load(NULL, 0, &err);

	(void)state;
	if (!db)
		fail_msg("%s", err.text);
	for (const struct embedded *e = embedded_charts; e->file; e++) {
		struct stanza_line line;
		struct stanza s;

		stanza_init(&s, e->file, (struct span){e->begin, (size_t)(e->end - e->begin)});
		do {
			assert_true(stanza_next(&s, &line, &err));
			if (line.kind == STANZA_FIELD &&
			    (span_is(line.key, "series") || span_is(line.key, "sub") || span_is(line.key, "corner")))
				check_names(db, e->file, &line);
		} while (line.kind != STANZA_END);
	}
	gpudb_free(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(malformed_screens_name_file_line_and_what_was_expected),
		cmocka_unit_test(what_does_not_exist_is_left_out),
		cmocka_unit_test(the_foot_stands_under_the_charts_as_long_as_there_is_a_row),
		cmocka_unit_test(the_foot_has_its_row_where_charts_could_fill_the_screen),
		cmocka_unit_test(lines_of_the_foot_give_way_from_the_last_one_before_any_chart_does),
		cmocka_unit_test(metrics_of_the_gpu_come_before_those_of_the_cpu),
		cmocka_unit_test(a_group_is_a_series_for_each_of_its_metrics),
		cmocka_unit_test(views_are_found_by_name_and_key),
		cmocka_unit_test(charts_give_way_by_priority),
		cmocka_unit_test(charts_of_one_priority_shrink_together),
		cmocka_unit_test(a_terminal_below_40x10_gets_one_line),
		cmocka_unit_test(every_metric_of_the_shipped_screens_is_defined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
