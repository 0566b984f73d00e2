#include "tests/support/tiny_source.h"

#define VIEW "view v\n  key 1\n  title V\n"

/* `want` stands somewhere in what the first view of `text` shows. */
static void expect_shown(struct tiny *t, const char *text, int cols, bool ascii, const char *want)
{
	AUTOFREE char *got = tiny_shown(t, text, cols, 12, ascii);

	if (!strstr(got, want))
		fail_msg("'%s' is not in\n%s", want, got);
}

static void values_stand_in_fixed_columns_whatever_their_length(void **state)
{
	static const struct {
		double a, b, c, d;
		const char *want, *ascii; /* the percentage and the value beside it */
	} cases[] = {
		{50, 100, 1e9, 0, "  50.0 %    2.00 GB/s\n", "  50.0 %    2.00 GB/s\n"},
		{1, 1, 5, 0, "   100 %      10 B/s\n", "   100 %      10 B/s\n"},
		{0, 1, 0, 0, "   0.0 %       0 B/s\n", "   0.0 %       0 B/s\n"},
		{1, 0, NAN, 0, "      –         –\n", "      -         -\n"},
		{5, 1, 499.9e6, 0, "   100 %    1.00 GB/s\n", "   100 %    1.00 GB/s\n"},
		{-5, 1, 123456, 0, "   0.0 %     247 kB/s\n", "   0.0 %     247 kB/s\n"},
	};
	static const char text[] = VIEW "chart c\n  widget bars\n  series Share | x | Bytes\n";
	struct tiny t;

	(void)state;
	tiny_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		tiny_values(t.now, cases[i].a, cases[i].b, cases[i].c, cases[i].d);
		expect_shown(&t, text, 80, false, cases[i].want);
		expect_shown(&t, text, 80, true, cases[i].ascii);
	}
	tiny_fini(&t);
}

static void nothing_measured_yet_is_a_dash_everywhere(void **state)
{
	static const char text[] = VIEW "chart a\n  widget bars\n  series Share | bar | Bytes\n"
					"chart b\n  widget lanes\n  series Share | lane\n"
					"chart c\n  widget strips\n  series Bytes | strip\n"
					"chart d\n  widget facts\n  series Clock | fact\n";
	struct tiny t;

	(void)state;
	tiny_init(&t);
	t.data.feeds[SOURCE_GPU] = (struct feed){.set = t.set};
	expect_shown(&t, text, 80, false,
		     " bar                                                         –         –\n\n"
		     " lane\n"
		     "                 31 s ago                       15.5 s ago                  now\n\n"
		     " strip                 –            –            –\n\n"
		     " fact     –\n");
	tiny_fini(&t);
}

static void estimates_stand_in_brackets_without_moving(void **state)
{
	static const char text[] = VIEW "chart c\n  widget facts\n  series Share | x\n  series Clock | clock\n";
	struct tiny t;

	(void)state;
	tiny_init(&t);
	expect_shown(&t, text, 80, false, " x  50.0 %   clock  2.00 GHz\n");
	t.column->flags = SAMPLE_ESTIMATED;
	expect_shown(&t, text, 80, false, " x [50.0]%   clock [2.00]GHz\n");
	t.now[VECTOR_CONSTANTS + 1] = 0;
	expect_shown(&t, text, 80, false, " x     –     clock [2.00]GHz\n");
	tiny_fini(&t);
}

static void what_was_counted_all_the_time_is_no_estimate(void **state)
{
	static const char text[] = VIEW "chart c\n  widget facts\n  series Clock | clock\n";
	struct tiny t;

	(void)state;
	tiny_init(&t);
	t.column->flags = SAMPLE_ESTIMATED;
	t.set->slots[3].running = 0; /* A and B are the times of D */
	t.set->slots[3].enabled = 1;
	expect_shown(&t, text, 80, false, " clock [2.00]GHz\n");
	t.now[VECTOR_CONSTANTS] = 100;
	expect_shown(&t, text, 80, false, " clock  2.00 GHz\n");
	t.now[VECTOR_CONSTANTS] = 0; /* not counted at all: its value would be unknown */
	expect_shown(&t, text, 80, false, " clock [2.00]GHz\n");
	tiny_fini(&t);
}

static void flagged_samples_and_values_beyond_the_guide_are_marked(void **state)
{
	static const char text[] = VIEW "chart c\n  widget facts\n  series Share | x\n  series Watched | y\n";
	static const struct {
		double a;
		uint32_t flags;
		const char *want;
	} cases[] = {
		{9, 0, " x   9.0 %   y   9.0 %\n"},
		{11, 0, " x  11.0 %   y  11.0 %!\n"},
		{9, SAMPLE_GAP, " x   9.0 %·  y   9.0 %·\n"},
		{9, SAMPLE_STRETCHED, " x   9.0 %·  y   9.0 %·\n"},
		{11, SAMPLE_ERROR, " x  11.0 %·  y  11.0 %!\n"},
		{9, SAMPLE_SIMULATED | SAMPLE_REPLAY | SAMPLE_CLOCK, " x   9.0 %   y   9.0 %\n"},
	};
	struct tiny t;

	(void)state;
	tiny_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		t.now[VECTOR_CONSTANTS] = cases[i].a;
		t.column->flags = cases[i].flags;
		expect_shown(&t, text, 80, false, cases[i].want);
	}
	tiny_fini(&t);
}

static void colours_follow_the_guide_and_loads_follow_70_and_90(void **state)
{
	static const char text[] = VIEW
		"chart load\n  widget bars\n  levels load\n  series Share\n  series Watched\n  series Wanted\n  series Clock\n"
		"chart plain\n  widget bars\n  series Share\n";
	static const struct {
		double value;
		enum style load, above_10, below_60;
	} cases[] = {
		{0, STYLE_CALM, STYLE_CALM, STYLE_HOT},    {10, STYLE_CALM, STYLE_CALM, STYLE_HOT},
		{11, STYLE_CALM, STYLE_BUSY, STYLE_HOT},   {15, STYLE_CALM, STYLE_BUSY, STYLE_HOT},
		{16, STYLE_CALM, STYLE_HOT, STYLE_HOT},    {41, STYLE_CALM, STYLE_HOT, STYLE_BUSY},
		{60, STYLE_CALM, STYLE_HOT, STYLE_CALM},   {70, STYLE_CALM, STYLE_HOT, STYLE_CALM},
		{71, STYLE_BUSY, STYLE_HOT, STYLE_CALM},   {91, STYLE_HOT, STYLE_HOT, STYLE_CALM},
		{NAN, STYLE_TEXT, STYLE_TEXT, STYLE_TEXT},
	};
	struct tiny t;
	struct err err;

	(void)state;
	tiny_init(&t);
	assert_true(tiny_read(&t, text, &err));

	const struct chart *load = &t.views.views[0].charts[0], *plain = &t.views.views[0].charts[1];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(chart_style(load, &load->series[0], cases[i].value), cases[i].load);
		assert_int_equal(chart_style(load, &load->series[1], cases[i].value), cases[i].above_10);
		assert_int_equal(chart_style(load, &load->series[2], cases[i].value), cases[i].below_60);
		assert_int_equal(chart_style(load, &load->series[3], cases[i].value), STYLE_TEXT);
		assert_int_equal(chart_style(plain, &plain->series[0], cases[i].value), STYLE_TEXT);
	}
	tiny_fini(&t);
}

static void series_are_seen_now_in_total_and_back_in_time(void **state)
{
	static const char text[] = VIEW "chart c\n  widget bars\n  series Share\n  series Bytes\n";
	struct tiny t;
	struct err err;

	(void)state;
	tiny_init(&t);
	assert_true(tiny_read(&t, text, &err));

	const struct series *share = &t.views.views[0].charts[0].series[0], *bytes = share + 1;

	tiny_values(t.points[TINY_POINTS - 2], 10, 100, 4, 0);
	t.history[TINY_POINTS - 3] = NULL;
	t.total[VECTOR_SECONDS] = 10;
	assert_true(series_now(bytes, &t.data) == 1e9);
	assert_true(series_rate_now(bytes, &t.data) == 2e9);
	assert_true(series_total(bytes, &t.data) == 1e9);
	assert_true(series_rate_total(bytes, &t.data) == 1e8);
	assert_true(series_back(share, &t.data, 0) == 50);
	assert_true(series_back(share, &t.data, 1) == 10);
	assert_true(series_rate_back(share, &t.data, 1) == 10);
	assert_true(series_rate_back(bytes, &t.data, 1) == 8);
	assert_true(isnan(series_back(share, &t.data, 2)));
	assert_true(isnan(series_back(share, &t.data, TINY_POINTS)));
	t.now[VECTOR_SECONDS] = 0;
	assert_true(isnan(series_rate_now(bytes, &t.data)));
	assert_true(series_rate_now(share, &t.data) == 50);
	assert_true(series_top(share, &t.data, 2) == 100);
	assert_true(series_top(bytes, &t.data, 3) == 2e9);
	assert_true(series_top(bytes, &t.data, 0) == 0);
	tiny_fini(&t);
}

static void bars_break_down_by_instance_and_name_the_busiest(void **state)
{
	static const char each[] = VIEW "chart c\n  widget bars\n  each cluster\n  series Share | CPU | Clock\n";
	static const char core[] = VIEW "chart c\n  widget bars\n  each core\n  series Share | CPU\n";
	static const char busiest[] = VIEW "chart c\n  widget bars\n  mark busiest\n  series Share | all\n"
					   "  sub Watched | one\n  sub Share | two\n";
	struct tiny t;

	(void)state;
	tiny_init(&t);
	expect_shown(&t, each, 80, true,
		     " CPU cluster0    #######-                                 20.0 %    2.00 GHz\n"
		     " Cortex-A76 x4   ###########-                             30.0 %    2.00 GHz\n");
	expect_shown(&t, core, 60, true, " CPU             #########-           50.0 %\n"); /* it has none of that kind */
	expect_shown(&t, busiest, 60, true,
		     " all             #########-           50.0 %\n"
		     "   one           #########-           50.0 %!   busiest\n"
		     "   two           #########-           50.0 %\n");
	t.now[VECTOR_CONSTANTS] = 0;
	expect_shown(&t, busiest, 60, true, "   one                                 0.0 %\n");
	tiny_fini(&t);
}

static void lanes_run_from_left_to_right_with_the_newest_at_the_right(void **state)
{
	static const char text[] =
		VIEW "chart c\n  title Lanes\n  widget lanes\n  corner Share | alone\n  series Share | queue\n";
	struct tiny t;

	(void)state;
	tiny_init(&t);
	for (unsigned i = 0; i < TINY_POINTS; i++)
		t.points[i][VECTOR_CONSTANTS] = i < TINY_POINTS - 4 ? 0 : 25.0 * (i - TINY_POINTS + 5);
	t.history[TINY_POINTS - 5] = NULL;
	expect_shown(&t, text, 42, true,
		     " Lanes                     alone  50.0 %\n"
		     " queue           ................... -=*#\n"
		     "                 12 s ago             now\n");
	expect_shown(&t, text, 42, false, " queue           ··················· ░▒▓█\n");
	tiny_fini(&t);
}

static void strips_give_up_numbers_before_their_history(void **state)
{
	static const char text[] = VIEW "chart c\n  title Bus\n  widget strips\n  series Bytes | read\n";
	struct tiny t;

	(void)state;
	tiny_init(&t);
	for (unsigned i = 0; i + 1 < TINY_POINTS; i++)
		t.points[i][VECTOR_CONSTANTS + 2] = 0.1e9 * (i % 4);
	expect_shown(&t, text, 78, true,
		     " Bus                 now         mean         peak\n"
		     " read               2.00 GB/s    2.00 GB/s    2.00 GB/s    .:.:.:.:.:.:.:.:.#\n");
	expect_shown(&t, text, 60, true,
		     " Bus                 now         mean\n"
		     " read               2.00 GB/s    2.00 GB/s    :.:.:.:.:.:.#\n");
	expect_shown(&t, text, 40, true,
		     " Bus                 now\n"
		     " read               2.00 GB/s    .:.:.#\n");
	tiny_fini(&t);
}

static void facts_stand_in_columns_and_count_per_frame(void **state)
{
	static const char text[] = VIEW "chart c\n  widget facts\n  series Share | one\n  series Clock | number two\n"
					"  series Watched | three\n  series Share | four\n";
	static const char frame[] =
		VIEW "chart c\n  title Traffic\n  widget facts\n  per frame\n  series Bytes | read\n  series Share\n";
	struct tiny t;

	(void)state;
	tiny_init(&t);
	expect_shown(&t, text, 80, false, " one  50.0 %   number two  2.00 GHz   three  50.0 %!  four  50.0 %\n");
	expect_shown(&t, text, 46, false,
		     " one    50.0 %   number two  2.00 GHz\n"
		     " three  50.0 %!  four        50.0 %\n");
	expect_shown(&t, frame, 60, false,
		     " Traffic at 50 frames per second\n"
		     " read  40.0 MB     A share  50.0 %\n");
	tiny_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_stand_in_fixed_columns_whatever_their_length),
		cmocka_unit_test(nothing_measured_yet_is_a_dash_everywhere),
		cmocka_unit_test(estimates_stand_in_brackets_without_moving),
		cmocka_unit_test(what_was_counted_all_the_time_is_no_estimate),
		cmocka_unit_test(flagged_samples_and_values_beyond_the_guide_are_marked),
		cmocka_unit_test(colours_follow_the_guide_and_loads_follow_70_and_90),
		cmocka_unit_test(series_are_seen_now_in_total_and_back_in_time),
		cmocka_unit_test(bars_break_down_by_instance_and_name_the_busiest),
		cmocka_unit_test(lanes_run_from_left_to_right_with_the_newest_at_the_right),
		cmocka_unit_test(strips_give_up_numbers_before_their_history),
		cmocka_unit_test(facts_stand_in_columns_and_count_per_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
