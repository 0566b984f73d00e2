#include "tests/support/tiny_source.h"

#include "base/stanza.h"

#include <stdio.h>

#define VIEW "view v\n  key 1\n  title V\n"

TEST(malformed_screens_name_file_line_and_what_was_expected)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"chart c\n  widget rows\n",
		 "tiny.chart:1: chart without a view: expected 'view NAME' above"},
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
		{VIEW "chart c\n  widget rows\n  priority 0\n",
		 "tiny.chart:6: priority '0': expected 1 to 9"},
		{VIEW "chart c\n  widget rows\n  weight 10\n", "tiny.chart:6: weight '10': expected 0 to 9"},
		{VIEW "chart c\n  widget rows\n  place left\n",
		 "tiny.chart:6: place 'left': expected half, full, wide or card"},
		{VIEW "chart c\n  widget rows\n  only cpu\n",
		 "tiny.chart:6: only 'cpu': expected gpu, no-gpu, no-counters or a GPU set"},
		{VIEW "chart c\n  widget rows\n  from 0\n",
		 "tiny.chart:6: from '0': expected 1 to 500 columns"},
		{VIEW "chart c\n  widget rows\n  priority high\n",
		 "tiny.chart:6: priority 'high': expected 1 to 9"},
		{VIEW "chart c\n  widget rows\n  series\n",
		 "tiny.chart:6: series without a metric: expected NAME"},
		{VIEW "chart c\n  widget rows\n  series | label\n",
		 "tiny.chart:6: series without a metric: expected NAME"},
		{VIEW "chart c\n  levels load\n  widget histogram\n",
		 "tiny.chart:5: unknown field 'levels': expected title, base, only, from, below, "
		 "place"},
		{VIEW "chart c\n  widget rows\n  levels low\n",
		 "tiny.chart:6: levels 'low': expected one of: load"},
		{VIEW "chart c\n  widget rows\n  each gpu\n",
		 "tiny.chart:6: each 'gpu': expected one of: core slice cluster cpu"},
		{VIEW "chart c\n  widget rows\n  rows 0\n", "tiny.chart:6: rows '0': expected one of: #"},
		{VIEW "chart c\n  widget rows\n  rows 201\n", "tiny.chart:6: rows '201': expected one of: #"},
		{VIEW "chart c\n  widget rows\n  title\n", "tiny.chart:6: field 'title' without a value"},
		{VIEW "chart c\n  widget rows\n  title T\n  or Share\n",
		 "tiny.chart:7: or without a series above it"},
		{VIEW "chart c\n  widget rows\n  series None | x\n  title T\n  or Share\n",
		 "tiny.chart:8: or without a series above it"},
		{VIEW "chart c\n  widget rows\n  part Share\n",
		 "tiny.chart:6: part without a series before it"},
		{VIEW "chart c\n  widget rows\n  text a\n  text b\n  text c\n  text d\n  text e\n",
		 "tiny.chart:10: more than 4 lines of text"},
	};
	struct tiny t;

	tiny_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = {0};

		assert_false(tiny_read(&t, cases[i].text, &err));
		if (!strstr(err.text, cases[i].want))
			fail_msg("case %zu: '%s' is not in '%s'", i, cases[i].want, err.text);
	}
	tiny_fini(&t);
}

/* tiny's metrics are a GPU's. */
TEST(charts_may_be_for_machines_with_a_gpu_or_for_those_without)
{
	static const char text[] = VIEW "chart with\n  only gpu\n  widget rows\n  series Share\n"
					"chart without\n  only no-gpu\n  widget rows\n  series Share\n"
					"chart any\n  widget rows\n  series Share\n";
	static const struct {
		bool gpu;
		const char *first;
	} cases[] = {{true, "with"}, {false, "without"}};
	struct tiny t;
	struct err err;

	tiny_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		views_fini(&t.views);
		assert_true(chart_read(&t.views, NULL, &(struct gpudb_text){"tiny.chart", span_of(text)},
				       cases[i].gpu ? SETS(t.set, NULL) : SETS(NULL, t.set), &err));
		chart_prune(&t.views);
		assert_int_equal(t.views.views[0].n_charts, 2);
		assert_string_equal(t.views.views[0].charts[0].name, cases[i].first);
		assert_string_equal(t.views.views[0].charts[1].name, "any");
	}
	tiny_fini(&t);
}

TEST(what_does_not_exist_is_left_out)
{
	static const char text[] = "view a\nchart c\n  widget rows\n  series None\n"
				   "view b\nchart c\n  widget rows\n  series None\n"
				   "chart d\n  widget rows\n  series None | x\n  series None / Share | y | "
				   "None | of None\n  sub Clock\n"
				   "view c\n";
	struct tiny t;
	struct err err;

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
	assert_string_equal(d->series[0].note, ""); /* it was about None */
	assert_string_equal(d->series[1].label, " Clock");
	tiny_fini(&t);
}

TEST(what_replaces_a_series_has_a_label_of_its_own)
{
	static const char text[] =
		"view b\nchart c\n  widget rows\n"
		"  series Share | share\n  or Clock | clock\n"
		"  sub None | none\n  or None | neither\n  or Clock | the clock\n  or Share | x\n"
		"  series None | none\n  or None | neither\n";
	struct tiny t;
	struct err err;

	tiny_init(&t);
	assert_true(tiny_read(&t, text, &err));

	const struct chart *c = &t.views.views[0].charts[0];

	assert_int_equal(c->n_series, 2);
	assert_string_equal(c->series[0].label, "share");
	assert_string_equal(c->series[1].metric->def->name, "Clock");
	assert_string_equal(c->series[1].label, " the clock"); /* a sub series, like the one it replaces */
	tiny_fini(&t);
}

TEST(the_foot_stands_under_the_panels_of_a_view_that_names_one)
{
	static const struct {
		const char *field, *foot[VIEW_FOOT_LINES];
		int rows;
		const char *want; /* the last lines; NULL: no foot at all */
	} cases[] = {
		{"  foot gpu\n", {"GPU memory 7 MB"}, 30, "\n GPU memory 7 MB\n"},
		{"  foot cpu\n", {"one", "two", "three"}, 30, "\n one\n two\n three\n"},
		{"  foot cpu\n", {"one", "", "three"}, 30, "\n one\n three\n"},
		{"  foot cpu\n", {"one", "two", "three"}, 15, NULL}, /* panels have the rows first */
		{"  foot cpu\n", {""}, 30, NULL},
		{"  foot cpu\n", {NULL}, 30, NULL},
		{"", {"one"}, 30, NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *got = NULL;
		size_t n, want = cases[i].want ? strlen(cases[i].want) : 0;
		char text[256];
		struct tiny t;

		tiny_init(&t);
		memcpy(t.data.foot, cases[i].foot, sizeof(t.data.foot));
		snprintf(text, sizeof(text), "view v\n%schart c\n  widget rows\n  series Share\n",
			 cases[i].field);
		got = tiny_shown(&t, text, 80, cases[i].rows, true);
		n = strlen(got);
		if (want ? n < want || strcmp(got + n - want, cases[i].want) != 0
			 : strstr(got, "one") || strstr(got, "GPU"))
			fail_msg("case %zu:\n%s", i, got);
		tiny_fini(&t);
	}
}

TEST(metrics_of_the_gpu_come_before_those_of_the_cpu)
{
	static const char text[] = VIEW "chart c\n  widget rows\n  series None / Share\n";
	struct tiny t;
	struct views views = {0};
	struct err err;

	tiny_init(&t);
	assert_true(chart_read(&views, NULL, &(struct gpudb_text){"both", span_of(text)}, SETS(t.set, t.set),
			       &err));
	assert_int_equal(views.views[0].charts[0].series[0].source, SOURCE_GPU);
	views_fini(&views);
	assert_true(chart_read(&views, NULL, &(struct gpudb_text){"cpu", span_of(text)}, SETS(NULL, t.set),
			       &err));
	assert_int_equal(views.views[0].charts[0].series[0].source, SOURCE_CPU);
	views_fini(&views);
	assert_true(chart_read(&views, NULL, &(struct gpudb_text){"none", span_of(text)}, NULL, &err));
	assert_int_equal(views.views[0].charts[0].n_series, 0);
	views_fini(&views);
	tiny_fini(&t);
}

TEST(a_group_is_a_series_for_each_of_its_metrics)
{
	static const char text[] =
		VIEW "chart c\n  widget rows\n  group G\nchart d\n  widget rows\n  group I\n";
	static const char *const labels[] = {"A share", "Watched", "Wanted", "Bytes", "Clock"};
	struct err err = {0};
	struct tiny t;

	tiny_init(&t);
	assert_true(tiny_read(&t, text, &err));
	assert_int_equal(t.views.views[0].n_charts, 1);
	assert_int_equal(t.views.views[0].charts[0].n_series, ARRAY_LEN(labels));
	for (size_t i = 0; i < ARRAY_LEN(labels); i++)
		assert_string_equal(t.views.views[0].charts[0].series[i].label, labels[i]);
	assert_false(tiny_read(&t, VIEW "chart c\n  widget rows\n  group\n", &err));
	assert_non_null(strstr(err.text, "tiny.chart:6: field 'group' without a value"));
	tiny_fini(&t);
}

TEST(views_are_found_by_name_and_key)
{
	static const char text[] =
		"view one\n  key 1\nchart c\n  widget rows\n  series Share\n"
		"view ten\n  key a\n  hidden yes\nchart c\n  widget rows\n  series Share\n";
	struct tiny t;
	struct err err;

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

/* The panels of each band, by the first letter of their titles: "ab" side by side, '/' between
 * bands. */
static void bands_of(struct tiny *t, const char *text, int cols, int rows, char *out)
{
	AUTOFREE char *dump = tiny_shown(t, text, cols, rows, true);

	for (char *line = dump; *line; line = strchr(line, '\n') + 1) {
		bool band = false;

		/* "+- A -----++- B ----+" */
		for (char *at = line; *at && *at != '\n'; at++)
			if (strncmp(at, "+- ", 3) == 0 && at[3] >= 'A' && at[3] <= 'Z') {
				*out++ = at[3];
				band = true;
			}
		if (band)
			*out++ = '/';
	}
	*out = 0;
}

#define ROWS_3 "  series Share | x\n  series Share | y\n  series Share | z\n"

static const char six_panels[] =
	VIEW "chart a\n  title A\n  widget area\n  place wide\n  weight 3\n  series Share\n"
	     "chart b\n  title B\n  widget rows\n  place card\n  priority 5\n" ROWS_3
	     "chart c\n  title C\n  widget rows\n  priority 2\n" ROWS_3
	     "chart d\n  title D\n  widget rows\n  priority 3\n" ROWS_3
	     "chart e\n  title E\n  widget rows\n  priority 4\n" ROWS_3
	     "chart f\n  title F\n  widget rows\n  place full\n  priority 4\n" ROWS_3;

TEST(panels_stand_side_by_side_by_the_width)
{
	static const struct {
		int cols, rows;
		const char *want;
	} cases[] = {
		{100, 48, "A/BC/DE/F/"}, /* no card beside a graph yet: it is one of two columns */
		{120, 48, "AB/CD/E/F/"}, {200, 48, "AB/CDE/F/"},
		{300, 48, "AB/CDE/F/"},  {60, 48, ""}, /* below 80 columns there are no borders */
	};
	struct tiny t;

	tiny_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char got[256];

		bands_of(&t, six_panels, cases[i].cols, cases[i].rows, got);
		assert_string_equal(got, cases[i].want);
	}
	tiny_fini(&t);
}

TEST(the_least_important_panel_gives_way_first)
{
	static const struct {
		int rows;
		const char *want;
	} cases[] = {
		{25, "A/BC/DE/F/"}, /* all that they need: 5 rows each, 20 and 5 to grow */
		{20, "A/BC/DE/F/"},
	};
	struct tiny t;
	char got[256];

	tiny_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		bands_of(&t, six_panels, 100, cases[i].rows, got);
		assert_string_equal(got, cases[i].want);
	}
	/* Without borders a row each, the graph's as well: the last ones go. */
	{
		AUTOFREE char *dump = tiny_shown(&t, six_panels, 60, 10, true);

		assert_null(strstr(dump, "+-"));
	}
	tiny_fini(&t);
}

TEST(rows_that_are_left_go_to_the_graph)
{
	AUTOFREE char *dump = NULL;
	struct tiny t;
	int blank = 0, rows = 0;

	tiny_init(&t);
	dump = tiny_shown(&t, six_panels, 160, 60, true);
	for (char *line = dump; *line; line = strchr(line, '\n') + 1, rows++)
		blank += *line == '\n';
	assert_int_equal(rows, 60);
	assert_int_equal(blank, 0);
	tiny_fini(&t);
}

TEST(a_terminal_below_40x10_says_so_as_far_as_it_has_room)
{
	static const char text[] = VIEW "chart c\n  widget rows\n  series Share\n";
	static const struct {
		int cols, rows;
		const char *want;
	} cases[] = {{1, 1, "1\n"},
		     {39, 2, "39x2 is too small: at least 40x10\n\n"},
		     {30, 8, "30x8 is too small: at least\n40x10\n\n\n\n\n\n\n"},
		     {10, 4, "10x4 is\ntoo small:\nat least\n40x10\n"},
		     {8, 1, "8x1 is\n"}};
	struct tiny t;

	tiny_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *got = tiny_shown(&t, text, cases[i].cols, cases[i].rows, false);

		assert_string_equal(got, cases[i].want);
	}
	tiny_fini(&t);
}

TEST(a_view_may_put_the_busiest_panels_first)
{
	static const char text[] =
		VIEW "  first busiest\n"
		     "chart a\n  title Half\n  widget rows\n  series Share\n"
		     "chart b\n  title Whole\n  widget rows\n  series Double\n"
		     "chart c\n  title Last\n  widget rows\n  priority 2\n  series Double\n";
	struct tiny t;

	tiny_init(&t);
	AUTOFREE char *got = tiny_shown(&t, text, 100, 24, true);
	assert_true(strstr(got, "Whole") < strstr(got, "Half"));
	assert_true(strstr(got, "Half") < strstr(got, "Last"));
	tiny_fini(&t);
}

static unsigned rows_of_filter(const struct tiny *t, const char *text)
{
	struct view *some = view_filter(&t->views.views[0], text);
	unsigned n = some->n_charts ? some->charts[0].n_series : 0;

	view_free(some);
	return n;
}

TEST(a_filter_finds_words_by_their_start_first)
{
	static const char text[] = VIEW "chart a\n  widget rows\n  series Share | full reads\n"
					"  series Double | threads\n  series Bytes | written\n";
	struct err err;
	struct tiny t;

	tiny_init(&t);
	assert_true(tiny_read(&t, text, &err));
	assert_int_equal(rows_of_filter(&t, "read"), 1);  /* not "threads" */
	assert_int_equal(rows_of_filter(&t, "hread"), 1); /* no word begins so */
	assert_int_equal(rows_of_filter(&t, "WRIT"), 1);
	assert_int_equal(rows_of_filter(&t, "nothing"), 0);
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

/* "A / B | label": the label names both, so they must be the same quantity, which then has one
 * short title. Otherwise B is a line `or` with a label of its own. */
static void check_quantity(const struct gpudb *db, const char *file, const struct stanza_line *line)
{
	struct span rest = line->value, names = span_until(&rest, '|');
	const char *first = NULL;

	while (names.n) {
		const struct metric_def *def = metric_def_find(db, span_trim(span_until(&names, '/')));

		if (first && strcmp(def->short_title, first) != 0)
			fail_msg("%s:%u: %s is another quantity (%s, not %s): give it a line 'or' with its "
				 "label",
				 file, line->line, def->name, def->short_title, first);
		first = def->short_title;
	}
}

TEST(an_alternative_that_is_another_quantity_has_a_label_of_its_own)
{
	static const char *const labelled[] = {"series", "or", "sub", "part", "second"};
	extern const char embed_report_chart[], embed_report_chart_end[];
	struct err err;
	struct gpudb *db = gpudb_load(NULL, 0, &err);

	assert_non_null(db);
	for (const struct embedded *e = embedded_charts;; e++) {
		struct stanza_line line;
		struct stanza s;
		bool last = !e->file; /* then the plots of a report */

		stanza_init(&s, last ? "report.chart" : e->file,
			    last ? (struct span){embed_report_chart,
						 (size_t)(embed_report_chart_end - embed_report_chart)}
				 : (struct span){e->begin, (size_t)(e->end - e->begin)});
		do {
			assert_true(stanza_next(&s, &line, &err));
			for (size_t i = 0; line.kind == STANZA_FIELD && i < ARRAY_LEN(labelled); i++)
				if (span_is(line.key, labelled[i]))
					check_quantity(db, last ? "report.chart" : e->file, &line);
		} while (line.kind != STANZA_END);
		if (last)
			break;
	}
	gpudb_free(db);
}

TEST(every_metric_of_the_shipped_screens_is_defined)
{
	static const char *const naming[] = {"series", "or",    "sub",   "part", "second", "corner",
					     "hot",    "graph", "limit", "idle", "once",   "gap"};
	struct err err;
	struct gpudb *db = gpudb_load(NULL, 0, &err);

	if (!db)
		fail_msg("%s", err.text);
	for (const struct embedded *e = embedded_charts; e->file; e++) {
		struct stanza_line line;
		struct stanza s;

		stanza_init(&s, e->file, (struct span){e->begin, (size_t)(e->end - e->begin)});
		do {
			assert_true(stanza_next(&s, &line, &err));
			for (size_t i = 0; line.kind == STANZA_FIELD && i < ARRAY_LEN(naming); i++)
				if (span_is(line.key, naming[i]) && !span_is(line.value, "about") &&
				    !span_is(line.value, "no"))
					check_names(db, e->file, &line);
		} while (line.kind != STANZA_END);
	}
	gpudb_free(db);
}
