#include "tests/support/tiny_source.h"

#define FRAMED 90 /* columns of the cases with borders */
#define VIEW "view v\n  key 1\n  title V\n"

/* `want` stands somewhere in what the first view of `text` shows. */
static void expect_shown(struct tiny *t, const char *text, int cols, bool ascii, const char *want)
{
	/* below 24 rows there are no borders */
	AUTOFREE char *got = tiny_shown(t, text, cols, cols == FRAMED ? 24 : 12, ascii);

	if (!strstr(got, want))
		fail_msg("'%s' is not in\n%s", want, got);
}

TEST(values_stand_in_fixed_columns_whatever_their_length)
{
	static const struct {
		double a, b, c, d;
		const char *want, *ascii; /* the percentage and the value beside it */
	} cases[] = {
		{50, 100, 1e9, 0, "  50.0 %   2.00 GB/s ", "  50.0 %   2.00 GB/s "},
		{1, 1, 5, 0, "   100 %     10 B/s ", "   100 %     10 B/s "},
		{0, 1, 0, 0, "   0.0 %      0 B/s ", "   0.0 %      0 B/s "},
		{1, 0, NAN, 0, "     –        –       ", "     -        -       "},
		{5, 1, 499.9e6, 0, "   100 %   1.00 GB/s ", "   100 %   1.00 GB/s "},
		{-5, 1, 123456, 0, "   0.0 %    247 kB/s ", "   0.0 %    247 kB/s "},
	};
	static const char text[] = VIEW "chart c\n  widget rows\n  series Share | x | Bytes\n";
	struct tiny t;

	tiny_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		tiny_values(t.now, cases[i].a, cases[i].b, cases[i].c, cases[i].d);
		expect_shown(&t, text, 70, false, cases[i].want);
		expect_shown(&t, text, 70, true, cases[i].ascii);
	}
	tiny_fini(&t);
}

TEST(nothing_measured_yet_is_a_dash_and_a_dotted_line)
{
	static const char text[] = VIEW "chart a\n  widget rows\n  series Share | bar | Bytes\n"
					"chart b\n  widget lanes\n  series Share | lane\n"
					"chart c\n  widget area\n  series Bytes | strip\n";
	struct tiny t;

	tiny_init(&t);
	t.data.feeds[SOURCE_GPU] = (struct feed){.set = t.set};
	expect_shown(&t, text, 60, false, "bar   ............     –           –       ·················\n");
	expect_shown(&t, text, 60, false, "strip ............     –                   ·················\n");
	tiny_fini(&t);
}

TEST(estimates_stand_in_brackets_without_moving)
{
	static const char text[] = VIEW "chart c\n  widget rows\n  bars no\n  history no\n  series Share | "
					"x\n  series Clock | clock\n";
	struct tiny t;

	tiny_init(&t);
	expect_shown(&t, text, 80, false, "x       50.0 %\nclock   2.00 GHz\n");
	t.column->flags = SAMPLE_ESTIMATED;
	expect_shown(&t, text, 80, false, "x      [50.0]%\nclock  [2.00] GHz\n");
	t.now[VECTOR_CONSTANTS + 1] = 0;
	expect_shown(&t, text, 80, false, "x          –\nclock  [2.00] GHz\n");
	tiny_fini(&t);
}

TEST(what_was_counted_all_the_time_is_no_estimate)
{
	static const char text[] =
		VIEW "chart c\n  widget rows\n  bars no\n  history no\n  series Clock | clock\n";
	struct tiny t;

	tiny_init(&t);
	t.column->flags = SAMPLE_ESTIMATED;
	t.set->slots[3].running = 0; /* A and B are the times of D */
	t.set->slots[3].enabled = 1;
	expect_shown(&t, text, 80, false, "clock  [2.00] GHz\n");
	t.now[VECTOR_CONSTANTS] = 100;
	expect_shown(&t, text, 80, false, "clock   2.00 GHz\n");
	t.now[VECTOR_CONSTANTS] = 0; /* not counted at all: its value would be unknown */
	expect_shown(&t, text, 80, false, "clock  [2.00] GHz\n");
	tiny_fini(&t);
}

TEST(flagged_samples_and_values_beyond_the_guide_are_marked)
{
	static const char text[] = VIEW
		"chart c\n  widget rows\n  bars no\n  history no\n  series Share | x\n  series Watched | y\n";
	static const struct {
		double a;
		uint32_t flags;
		const char *want;
	} cases[] = {
		{9, 0, "x    9.0 %\ny    9.0 % ok\n"},
		{11, 0, "x   11.0 %\ny   11.0 % !\n"},
		{9, SAMPLE_GAP, "x    9.0 %·\ny    9.0 %·ok\n"},
		{9, SAMPLE_STRETCHED, "x    9.0 %·\ny    9.0 %·ok\n"},
		{11, SAMPLE_ERROR, "x   11.0 %·\ny   11.0 %·!\n"},
		{9, SAMPLE_SIMULATED | SAMPLE_REPLAY | SAMPLE_CLOCK, "x    9.0 %\ny    9.0 % ok\n"},
	};
	struct tiny t;

	tiny_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		t.now[VECTOR_CONSTANTS] = cases[i].a;
		t.column->flags = cases[i].flags;
		expect_shown(&t, text, 50, false, cases[i].want);
	}
	tiny_fini(&t);
}

TEST(colours_follow_the_guide_and_loads_follow_70_and_90)
{
	static const char text[] = VIEW "chart load\n  widget rows\n  levels load\n  series Share\n  series "
					"Watched\n  series Wanted\n  series Clock\n"
					"chart plain\n  widget rows\n  series Share\n";
	static const struct {
		double value;
		enum style load, above_10, below_60;
	} cases[] = {
		{0, STYLE_CALM, STYLE_CALM, STYLE_TEXT},   {10, STYLE_CALM, STYLE_CALM, STYLE_BUSY},
		{11, STYLE_CALM, STYLE_BUSY, STYLE_BUSY},  {41, STYLE_CALM, STYLE_BUSY, STYLE_BUSY},
		{60, STYLE_CALM, STYLE_BUSY, STYLE_CALM},  {70, STYLE_CALM, STYLE_BUSY, STYLE_CALM},
		{71, STYLE_BUSY, STYLE_BUSY, STYLE_CALM},  {91, STYLE_HOT, STYLE_BUSY, STYLE_CALM},
		{NAN, STYLE_TEXT, STYLE_TEXT, STYLE_TEXT},
	};
	struct tiny t;
	struct err err;

	tiny_init(&t);
	assert_true(tiny_read(&t, text, &err));

	const struct chart *load = &t.views.views[0].charts[0], *plain = &t.views.views[0].charts[1];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(chart_style(&(struct drawing){load, &t.data, NULL}, &load->series[0], NULL,
					     cases[i].value, -1),
				 cases[i].load);
		assert_int_equal(chart_style(&(struct drawing){load, &t.data, NULL}, &load->series[1], NULL,
					     cases[i].value, -1),
				 cases[i].above_10);
		assert_int_equal(chart_style(&(struct drawing){load, &t.data, NULL}, &load->series[2], NULL,
					     cases[i].value, -1),
				 cases[i].below_60);
		assert_int_equal(chart_style(&(struct drawing){load, &t.data, NULL}, &load->series[3], NULL,
					     cases[i].value, -1),
				 STYLE_TEXT);
		assert_int_equal(chart_style(&(struct drawing){plain, &t.data, NULL}, &plain->series[0], NULL,
					     cases[i].value, -1),
				 STYLE_TEXT);
	}
	tiny_fini(&t);
}

static enum style watched_style(const struct tiny *t, double value, int back)
{
	const struct chart *chart = &t->views.views[0].charts[0];

	return chart_style(&(struct drawing){chart, &t->data, NULL}, &chart->series[0], NULL, value, back);
}

/* A still screen shows a frame when something changes: that is not late. Where no frame ended, the
 * last one before tells. */
TEST(frames_are_over_the_budget_only_while_they_have_work)
{
	static const char text[] = VIEW "chart frames\n  widget rows\n  series Watched\n";
	struct tiny t;
	struct err err;

	tiny_init(&t);
	assert_true(tiny_read(&t, text, &err));
	t.set->frame_work = metric_find(t.set, SPAN_LIT("Share"));
	for (unsigned i = 0; i < t.set->n_metrics; i++)
		t.set->metrics[i].of_budget = !strcmp(t.set->metrics[i].def->name, "Watched");
	assert_int_equal(watched_style(&t, 40, -1), STYLE_BUSY); /* half of the frame is work */
	tiny_values(t.now, 10, 100, 0, 0);
	assert_int_equal(watched_style(&t, 40, -1), STYLE_TEXT);
	assert_int_equal(watched_style(&t, 9, -1), STYLE_CALM);
	assert_int_equal(watched_style(&t, 40, 0), STYLE_BUSY); /* as it was then */
	tiny_values(t.now, NAN, 100, 0, 0);
	assert_int_equal(watched_style(&t, 40, -1), STYLE_BUSY);
	tiny_point(&t, 0, NAN, 100, 0, 0);
	tiny_point(&t, 1, 10, 100, 0, 0);
	assert_int_equal(watched_style(&t, 40, -1), STYLE_TEXT);
	assert_int_equal(watched_style(&t, 40, 0), STYLE_TEXT);
	assert_int_equal(watched_style(&t, 40, 2), STYLE_BUSY);
	tiny_fini(&t);
}

TEST(series_are_seen_now_in_total_and_back_in_time)
{
	static const char text[] = VIEW "chart c\n  widget rows\n  series Share\n  series Bytes\n";
	struct tiny t;
	struct err err;

	tiny_init(&t);
	assert_true(tiny_read(&t, text, &err));

	const struct series *share = &t.views.views[0].charts[0].series[0], *bytes = share + 1;

	tiny_point(&t, 1, 10, 100, 4, 0);
	t.history[TINY_POINTS - 3] = NULL;
	t.total[VECTOR_SECONDS] = 10;
	assert_true(series_now(bytes, &t.data) == 1e9);
	assert_true(series_rate_now(bytes, &t.data) == 2e9);
	assert_true(series_total(bytes, &t.data) == 1e9);
	assert_true(series_rate_total(bytes, &t.data) == 1e8);
	assert_true(series_back(share, &t.data, 0) == 50);
	assert_true(series_back(share, &t.data, 1) == 10);
	assert_true(series_rate(share, &t.data, NULL, 1) == 10);
	assert_true(series_rate(bytes, &t.data, NULL, 1) == 8);
	assert_true(isnan(series_back(share, &t.data, 2)));
	assert_true(isnan(series_back(share, &t.data, TINY_POINTS)));
	t.now[VECTOR_SECONDS] = 0;
	assert_true(isnan(series_rate_now(bytes, &t.data)));
	assert_true(series_rate_now(share, &t.data) == 50);
	assert_true(series_top(share, &t.data) == 50);
	assert_true(series_top(bytes, &t.data) == 2e9);
	t.data.feeds[SOURCE_GPU].n_points = 0;
	assert_true(series_top(bytes, &t.data) == 1);
	tiny_fini(&t);
}

/* Values from old to new as "level xCount", seen through a window of 4, with a hold of 3. */
TEST(a_scale_goes_up_at_once_and_down_only_after_it_was_too_large_for_a_while)
{
	static const struct {
		struct {
			double level;
			int n;
		} past[4];
		double want;
	} cases[] = {
		{{{0, 9}}, 1}, /* nothing was measured */
		{{{NAN, 9}}, 1},
		{{{2.7, 9}}, 3},
		{{{2.7, 9}, {2.8, 1}}, 5},                     /* up at once */
		{{{2.8, 9}, {2.7, 20}}, 5},                    /* back below the boundary: not small enough */
		{{{2.8, 9}, {2.2, 4}}, 5},                     /* small in view for 1 */
		{{{2.8, 9}, {2.2, 6}}, 5},                     /* for 3 */
		{{{2.8, 9}, {2.2, 7}}, 3},                     /* for more than 3 */
		{{{2.8, 9}, {2.2, 30}}, 3},                    /* and it stays there */
		{{{2.8, 9}, {2.2, 6}, {2.7, 1}, {2.2, 6}}, 5}, /* the time begins anew */
		{{{80, 9}, {0.02, 7}}, 50},                    /* a step at a time */
		{{{80, 9}, {0.02, 11}}, 30},
		{{{80, 9}, {0.02, 60}}, 0.03},
		{{{80, 9}, {0, 60}}, 100}, /* zero has no scale of its own */
		{{{0, 9}, {0.02, 1}}, 0.03},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		double past[100], got;
		int n = 0;

		for (size_t k = 0; k < ARRAY_LEN(cases[i].past); k++)
			for (int j = 0; j < cases[i].past[k].n; j++)
				past[n++] = cases[i].past[k].level;
		got = widget_held_top(past, n, 4, 3);
		if (fabs(got - cases[i].want) > 1e-9)
			fail_msg("case %zu: %g, not %g", i, got, cases[i].want);
	}
}

TEST(a_corner_beyond_its_limit_has_a_word_unless_a_busy_unit_explains_it)
{
	static const char wide[] =
		VIEW "chart c\n  title Queues\n  base of time\n  widget rows\n  place full\n"
		     "  corner Share | one at a time\n  brief alone\n  warn 85\n  unless Clock\n  series "
		     "Bytes | x\n";
	static const char narrow[] = VIEW "chart c\n  title Queues\n  base of time, idle time included, "
					  "where the whole of it is known here\n"
					  "  widget rows\n  place full\n"
					  "  corner Share | one at a time\n  brief alone\n  warn 85\n  "
					  "unless Clock\n  series Bytes | x\n";
	static const struct {
		double share, busiest;
		const char *wide, *narrow;
	} cases[] = {
		{85, 20, "- one at a time 85.0 % -+", "- alone 85.0 % -+"},
		{86, 20, "- one at a time 86.0 % high ! -+", "- alone 86.0 % ! -+"},
		{86, 84, "- one at a time 86.0 % high ! -+", "- alone 86.0 % ! -+"},
		{86, 85, "- one at a time 86.0 % -+", "- alone 86.0 % -+"},
	};
	struct tiny t;

	tiny_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		tiny_values(t.now, cases[i].share, 100, 1e9, cases[i].busiest);
		expect_shown(&t, wide, FRAMED, true, cases[i].wide);
		expect_shown(&t, narrow, FRAMED, true, cases[i].narrow);
	}
	tiny_fini(&t);
}

TEST(what_is_wrong_is_a_word_where_there_is_room)
{
	static const char text[] =
		VIEW "chart c\n  widget rows\n  bars no\n  history no\n"
		     "  series Share | x\n  series Watched | y\n  series Wanted | z | | of all\n";
	struct tiny t;

	tiny_init(&t);
	expect_shown(&t, text, 70, true, "x   50.0 %\ny   50.0 % high !\nz   50.0 % low !   of all\n");
	expect_shown(&t, text, 50, true, "x   50.0 %\ny   50.0 % !\nz   50.0 % !\n");
	t.now[VECTOR_CONSTANTS] = 0; /* too little is only told where there is some */
	expect_shown(&t, text, 70, true, "x    0.0 %\ny    0.0 % ok\nz    0.0 %         of all\n");
	tiny_fini(&t);
}

TEST(what_is_beyond_the_guide_is_marked_without_colours)
{
	static const char *const widgets[] = {"rows", "lanes", "histogram", "clusters"};
	static const int cols[] = {45, 70, 120};
	static const double values[] = {9, 11, 16}; /* of Watched: within 10, beyond it, far beyond it */
	struct tiny t;

	tiny_init(&t);
	for (size_t w = 0; w < ARRAY_LEN(widgets); w++)
		for (size_t i = 0; i < ARRAY_LEN(cols); i++)
			for (size_t v = 0; v < ARRAY_LEN(values); v++)
				for (int each = 0; each < 2; each++) {
					AUTOFREE char *text =
						xasprintf(VIEW "chart c\n  widget %s\n  series Watched | x\n",
							  widgets[w]);
					AUTOFREE char *got = NULL;

					t.data.per_instance = each;
					t.now[VECTOR_CONSTANTS] = values[v];
					t.now[VECTOR_CONSTANTS + TINY_SLOTS] =
						t.now[VECTOR_CONSTANTS + TINY_SLOTS + 1] = 0;
					got = tiny_shown(&t, text, cols[i], 12, v % 2);
					if (!strchr(got, '!') != (values[v] <= 10))
						fail_msg("%s of %g at %d columns:\n%s", widgets[w], values[v],
							 cols[i], got);
				}
	tiny_fini(&t);
}

TEST(an_instance_is_beyond_a_limit_only_while_the_whole_is)
{
	static const struct {
		double whole, instance;
		const char *want; /* of the second cluster, whose part is 30 */
	} cases[] = {
		{50, 30, "Cortex-A76 x4   30.0 % high !\n"},
		{9, 30, "Cortex-A76 x4   30.0 %\n"},
		{9, 5, "Cortex-A76 x4    5.0 % ok\n"},
	};
	static const char text[] = VIEW "chart c\n  widget rows\n  each cluster\n  bars no\n  history no\n"
					"  series Watched | x\n";
	struct tiny t;

	tiny_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		t.now[VECTOR_CONSTANTS] = cases[i].whole;
		t.now[VECTOR_CONSTANTS + TINY_SLOTS + 1] = cases[i].instance;
		expect_shown(&t, text, 70, true, cases[i].want);
	}
	tiny_fini(&t);
}

TEST(rows_break_down_by_instance_and_sort_by_load)
{
	static const char each[] =
		VIEW "chart c\n  widget rows\n  each cluster\n  history no\n  series Share | CPU | Clock\n";
	static const char core[] =
		VIEW "chart c\n  widget rows\n  each core\n  history no\n  series Share | CPU\n";
	static const char sorted[] =
		VIEW "chart c\n  widget rows\n  sort load\n  bars no\n  history no\n  series Share | all\n"
		     "  sub Wanted | one\n  sub Double | two\n";
	struct tiny t;

	tiny_init(&t);
	expect_shown(&t, each, 80, true,
		     "CPU cluster0    ########................................  20.0 %   2.00 GHz\n"
		     "Cortex-A76 x4   ############............................  30.0 %   2.00 GHz\n");
	expect_shown(&t, core, 60, true, "CPU ####"); /* it has none of that kind */
	expect_shown(&t, sorted, 60, true, "all    50.0 %\n two    100 %\n one   50.0 % low !\n");
	tiny_fini(&t);
}

TEST(too_few_rows_keep_the_highest_shares_in_their_order)
{
	static const char text[] =
		VIEW "chart c\n  widget rows\n  bars no\n  history no\n"
		     "  series Clock | clock\n  series Wanted | 1\n  series Double | 2\n  series Share | 3\n"
		     "  series Double | 4\n  series Share | 5\n  series Share | 6\n  series Share | 7\n"
		     "  series Share | 8\n  series Share | 9\n  series Share | 10\n  series Share | 11\n"
		     "  series Double | 12\n";
	struct tiny t;

	tiny_init(&t);
	expect_shown(&t, text, 45, true,
		     "1       50.0 %   !\n2        100 %\n3       50.0 %\n4        100 %\n5       50.0 %\n");
	expect_shown(&t, text, 45, true, "11      50.0 %\n12       100 %\n");
	tiny_fini(&t);
}

TEST(lanes_and_areas_have_the_newest_at_the_right_and_ticks_below)
{
	static const char lanes[] = VIEW
		"chart c\n  title Lanes\n  widget lanes\n  corner Share | alone\n  series Share | queue\n";
	static const char area[] =
		VIEW "chart c\n  title Bus\n  base of it\n  widget area\n  rows 5\n  series Bytes | read\n";
	struct tiny t;

	tiny_init(&t);
	for (unsigned i = 0; i + 1 < TINY_POINTS; i++)
		t.vectors[i][VECTOR_CONSTANTS + 2] = 0.1e9 * (i % 10);
	tiny_changed(&t);
	expect_shown(&t, lanes, FRAMED, true, "+- Lanes -");
	expect_shown(&t, area, FRAMED, true, "|    0 ...");
	tiny_fini(&t);
}

#define GRAPH VIEW "chart c\n  title Bus\n  widget area\n  rows 6\n"

TEST(a_limit_is_a_line_through_the_data_or_named_off_the_scale)
{
	static const char text[] = GRAPH "  limit Clock | guide\n  series Bytes | read\n";
	struct tiny t;

	tiny_init(&t);
	for (unsigned i = 0; i < TINY_POINTS; i++)
		t.vectors[i][VECTOR_CONSTANTS + 2] = 1.4e9; /* 2.8 GB/s, with the limit at 2 */
	tiny_changed(&t);
	expect_shown(&t, text, FRAMED, true, " guide 2.00 GB/s ");
	expect_shown(&t, text, FRAMED, true, "--------------------");
	for (unsigned i = 0; i < TINY_POINTS; i++)
		t.vectors[i][VECTOR_CONSTANTS + 2] = 0.1e9;
	tiny_changed(&t);
	expect_shown(&t, text, FRAMED, true, "GB/s, off scale");
	tiny_fini(&t);
}

TEST(an_axis_has_its_unit_and_a_stack_its_legend)
{
	struct tiny t;

	tiny_init(&t);
	expect_shown(&t, GRAPH "  series Bytes | read\n  second Bytes | write\n", FRAMED, true, " 5 GB/s ");
	expect_shown(&t, GRAPH "  series Bytes | read\n  second Bytes | write\n", FRAMED, true,
		     "+- Bus   # read  = write -");
	expect_shown(&t, GRAPH "  series Share | all\n  part Share | a\n  part Double | b\n", FRAMED, true,
		     "+- Bus   # a  = b ---");
	tiny_fini(&t);
}

/* Half of the time the whole is a thousandth of what it is in the other half. */
TEST(a_ratio_of_almost_nothing_is_a_gap)
{
	static const char text[] = GRAPH "  gap Bytes\n  series Share | part\n";
	AUTOFREE char *got = NULL;
	struct tiny t;

	tiny_init(&t);
	for (unsigned i = 0; i < TINY_POINTS; i++)
		t.vectors[i][VECTOR_CONSTANTS + 2] = i < TINY_POINTS / 2 ? 1e6 : 1e9;
	tiny_changed(&t);
	got = tiny_shown(&t, text, FRAMED, 24, true);
	assert_non_null(strstr(got, "..........##########")); /* two points in each cell */
	tiny_fini(&t);
}

TEST(a_chart_may_wait_until_its_metric_has_counted)
{
	static const char text[] = VIEW "chart a\n  widget rows\n  series Share | first\n"
					"chart b\n  once Bytes\n  widget rows\n  series Double | second\n";
	struct tiny t;

	tiny_init(&t);
	t.total[VECTOR_CONSTANTS + 2] = 0;
	AUTOFREE char *before = tiny_shown(&t, text, FRAMED, 24, true);
	assert_null(strstr(before, "second"));
	t.total[VECTOR_CONSTANTS + 2] = 1;
	expect_shown(&t, text, FRAMED, true, "second");
	tiny_fini(&t);
}

/* A card may leave no column for a graph; the newest cell has one point or two. */
TEST(a_graph_needs_no_room)
{
	static const char text[] = VIEW "chart c\n  widget area\n  series Share | strip\n";
	struct tiny t;
	struct canvas c;

	tiny_init(&t);
	free(tiny_shown(&t, text, 60, 12, false));
	canvas_init(&c, 40, 20, false);
	for (unsigned odd = 0; odd < 2; odd++) {
		t.data.feeds[SOURCE_GPU].n_steps = 7 + odd;
		for (int w = 0; w < 40; w++)
			for (int h = 0; h < 20; h++)
				widget_area_plot(&(struct drawing){&t.views.views[0].charts[0], &t.data, &c},
						 (struct rect){0, 0, w, h});
	}
	canvas_fini(&c);
	tiny_fini(&t);
}
