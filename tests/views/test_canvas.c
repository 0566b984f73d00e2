#include "base/alloc.h"
#include "views/canvas.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* What a canvas of so many columns and rows shows after `draw`. */
typedef void draw_fn(struct canvas *c, const void *arg);

static char *shown(int cols, int rows, bool ascii, draw_fn *draw, const void *arg)
{
	AUTO_STRBUF struct strbuf out = {0};
	struct canvas c;

	canvas_init(&c, cols, rows, ascii);
	draw(&c, arg);
	canvas_dump(&c, &out);
	canvas_fini(&c);
	return take_ptr(&out.p);
}

static void expect(const char *want, char *got)
{
	assert_string_equal(got, want);
	free(got);
}

static void draw_text(struct canvas *c, const void *arg)
{
	canvas_text(c, canvas_rect(c), STYLE_TEXT, arg);
}

static void text_is_cut_by_columns_and_never_inside_a_character(void **state)
{
	static const struct {
		const char *text, *want;
		int width; /* of the whole text */
	} cases[] = {
		{"", "\n", 0},
		{"abc", "abc\n", 3},
		{"abcdefgh", "abcdef\n", 8},
		{"häß–✓x", "häß–✓x\n", 6},
		{"漢字漢字", "漢字漢\n", 8},
		{"a漢字漢字", "a漢字\n", 9}, /* the third does not fit into the last column */
		{"e\u0301a\u0308o", "eao\n", 3},
		{"\u200bzero\u200d", "zero\n", 4},
		{"a\tb\033[1m", "a?b?[1\n", 7},
		{"a\xff\xc3z", "a\ufffd\ufffdz\n", 4},
		{"\xc2\x85x", "?x\n", 2},
		{"\xf0\x9f\x98\x80!", "\xf0\x9f\x98\x80!\n", 3},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		expect(cases[i].want, shown(6, 1, false, draw_text, cases[i].text));
		assert_int_equal(text_width(cases[i].text), cases[i].width);
	}
}

static void ascii_replaces_characters_but_keeps_their_columns(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"a–b…c", "a-b~c\n"},
		{"ä漢z", "???z\n"},
		{"█▒·→", "#=.>\n"},
		{"\xf0\x9f\x98\x80z", "??z\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect(cases[i].want, shown(6, 1, true, draw_text, cases[i].text));
}

static void draw_right(struct canvas *c, const void *arg)
{
	canvas_text_right(c, canvas_rect(c), STYLE_TEXT, arg);
}

static void right_aligned_text_keeps_its_first_digits(void **state)
{
	(void)state;
	expect("    12\n", shown(6, 1, false, draw_right, "12"));
	expect("123456\n", shown(6, 1, false, draw_right, "12345678"));
	expect("  漢字\n", shown(6, 1, false, draw_right, "漢字"));
}

static void draw_over_wide(struct canvas *c, const void *arg)
{
	const int *x = arg;
	struct rect r = {*x, 0, 1, 1};

	canvas_text(c, canvas_rect(c), STYLE_TEXT, "a漢b");
	canvas_text(c, r, STYLE_TEXT, "x");
}

static void overwriting_half_of_a_wide_character_removes_the_other_half(void **state)
{
	(void)state;
	expect("ax b\n", shown(6, 1, false, draw_over_wide, &(int){1}));
	expect("a xb\n", shown(6, 1, false, draw_over_wide, &(int){2}));
	expect("x漢b\n", shown(6, 1, false, draw_over_wide, &(int){0}));
}

/* A share, and what a bar of 4 columns shows. */
static void draw_bar(struct canvas *c, const void *arg)
{
	canvas_bar(c, canvas_rect(c), STYLE_CALM, *(const double *)arg);
}

static void bars_grow_in_eighths_and_something_is_never_nothing(void **state)
{
	static const struct {
		double share;
		const char *want, *ascii;
	} cases[] = {
		{0, "\n", "\n"},       {1e-9, "▏\n", "-\n"},        {0.125, "▌\n", "-\n"},          {0.25, "█\n", "#\n"},
		{0.5, "██\n", "##\n"}, {0.53125, "██▏\n", "##-\n"}, {1, "████\n", "####\n"},        {7, "████\n", "####\n"},
		{-1, "\n", "\n"},      {NAN, "\n", "\n"},           {INFINITY, "████\n", "####\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		expect(cases[i].want, shown(4, 1, false, draw_bar, &cases[i].share));
		expect(cases[i].ascii, shown(4, 1, true, draw_bar, &cases[i].share));
	}
}

static void draw_bar2(struct canvas *c, const void *arg)
{
	const double *share = arg;

	canvas_bar2(c, canvas_rect(c), STYLE_CALM, share[0], STYLE_HOT, share[1]);
}

static void two_part_bars_never_exceed_the_whole(void **state)
{
	static const struct {
		double share[2];
		const char *want;
	} cases[] = {
		{{0.5, 0.25}, "██▒\n"}, {{0.5, 0.5}, "██▒▒\n"}, {{0.5, 3}, "██▒▒\n"}, {{0.4, 0.35}, "█▋▒\n"},
		{{0, 1}, "▒▒▒▒\n"},     {{1, 1}, "████\n"},     {{0.5, NAN}, "██\n"}, {{NAN, 0.5}, "\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect(cases[i].want, shown(4, 1, false, draw_bar2, cases[i].share));
}

struct points {
	double p[6];
	int n;
};

static void draw_strip(struct canvas *c, const void *arg)
{
	const struct points *points = arg;

	canvas_strip(c, canvas_rect(c), STYLE_CALM, points->p, points->n);
}

static void strips_show_the_newest_at_the_right_and_zero_unlike_unknown(void **state)
{
	static const struct {
		struct points points;
		int rows;
		const char *want, *ascii;
	} cases[] = {
		{{{0}, 0}, 1, "\n", "\n"},
		{{{1, 1}, 2}, 1, "  ⣿\n", "  #\n"},
		{{{1}, 1}, 1, "  ⢸\n", "  #\n"},
		{{{0, 0, 0.3, 0.7, 1, 1}, 6}, 1, "⣀⣴⣿\n", ".|#\n"},
		{{{NAN, 0, NAN, NAN, 1, NAN}, 6}, 1, "⢀ ⡇\n", ". #\n"},
		{{{9, -9, 0, 0, 0, INFINITY}, 6}, 1, "⣇⣀⣸\n", "#.#\n"},
		{{{0, 0, 0.4, 0.4, 1, 1}, 6}, 2, "  ⣿\n⣀⣿⣿\n", "  #\n.##\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		expect(cases[i].want, shown(3, cases[i].rows, false, draw_strip, &cases[i].points));
		expect(cases[i].ascii, shown(3, cases[i].rows, true, draw_strip, &cases[i].points));
	}
}

static void draw_shades(struct canvas *c, const void *arg)
{
	const double *share = arg;

	for (int i = 0; i < c->cols; i++)
		canvas_shade(c, (struct rect){i, 0, 1, 1}, STYLE_CALM, share[i]);
}

static void shades_have_five_steps_and_unknown_is_blank(void **state)
{
	static const double shares[] = {0, 0.1, 0.3, 0.6, 1, NAN, -1, 9};

	(void)state;
	expect("·░▒▓█ ·█\n", shown(8, 1, false, draw_shades, shares));
	expect(".-=*# .#\n", shown(8, 1, true, draw_shades, shares));
}

static void cut_rectangles_are_never_negative(void **state)
{
	struct rect r = {3, 4, 10, 5}, cut;

	(void)state;
	cut = rect_left(&r, 4);
	assert_true(cut.x == 3 && cut.w == 4 && r.x == 7 && r.w == 6);
	cut = rect_right(&r, 100);
	assert_true(cut.x == 7 && cut.w == 6 && r.w == 0);
	cut = rect_left(&r, 1);
	assert_true(cut.w == 0 && r.w == 0);
	cut = rect_top(&r, -2);
	assert_true(cut.h == 0 && r.h == 5 && r.y == 4);
	cut = rect_bottom(&r, 2);
	assert_true(cut.y == 7 && cut.h == 2 && r.h == 3);
}

static void drawing_outside_is_cut_off(void **state)
{
	static const struct rect rects[] = {{-3, -3, 5, 5}, {-1, 0, 1, 1},    {2, 2, 100, 100}, {0, 0, -4, 1},
					    {0, 0, 3, -1},  {500, 200, 9, 9}, {1, 0, 1, 1},     {-1000, 0, 2000, 1}};
	static const int sizes[][2] = {{1, 1}, {2, 1}, {1, 3}, {500, 200}, {0, 0}, {-5, 1000}, {9999, 9999}};
	double points[40];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(points); i++)
		points[i] = (double)i / ARRAY_LEN(points);
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct canvas c;

		canvas_init(&c, sizes[i][0], sizes[i][1], i % 2);
		assert_in_range(c.cols, 1, CANVAS_COLS_MAX);
		assert_in_range(c.rows, 1, CANVAS_ROWS_MAX);
		for (size_t j = 0; j < ARRAY_LEN(rects); j++) {
			canvas_text(&c, rects[j], STYLE_TEXT, "a漢字b");
			canvas_text_right(&c, rects[j], STYLE_TEXT, "漢12");
			canvas_printf(&c, rects[j], STYLE_TEXT, "%600d", 7);
			canvas_fill(&c, rects[j], STYLE_TEXT, 0x2588);
			canvas_bar(&c, rects[j], STYLE_CALM, 0.7);
			canvas_bar2(&c, rects[j], STYLE_CALM, 0.3, STYLE_HOT, 0.4);
			canvas_strip(&c, rects[j], STYLE_CALM, points, ARRAY_LEN(points));
			canvas_shade(&c, rects[j], STYLE_CALM, 0.5);
		}
		canvas_fini(&c);
	}
}

static void a_resize_clears(void **state)
{
	AUTO_STRBUF struct strbuf out = {0};
	struct canvas c;

	(void)state;
	canvas_init(&c, 4, 1, false);
	canvas_text(&c, canvas_rect(&c), STYLE_HOT, "full");
	canvas_resize(&c, 3, 2);
	canvas_dump(&c, &out);
	assert_string_equal(out.p, "\n\n");
	assert_int_equal(c.cells[0].style, STYLE_TEXT);
	canvas_fini(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_cut_by_columns_and_never_inside_a_character),
		cmocka_unit_test(ascii_replaces_characters_but_keeps_their_columns),
		cmocka_unit_test(right_aligned_text_keeps_its_first_digits),
		cmocka_unit_test(overwriting_half_of_a_wide_character_removes_the_other_half),
		cmocka_unit_test(bars_grow_in_eighths_and_something_is_never_nothing),
		cmocka_unit_test(two_part_bars_never_exceed_the_whole),
		cmocka_unit_test(strips_show_the_newest_at_the_right_and_zero_unlike_unknown),
		cmocka_unit_test(shades_have_five_steps_and_unknown_is_blank),
		cmocka_unit_test(cut_rectangles_are_never_negative),
		cmocka_unit_test(drawing_outside_is_cut_off),
		cmocka_unit_test(a_resize_clears),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
