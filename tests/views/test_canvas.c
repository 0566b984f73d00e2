#include "base/alloc.h"
#include "tests/support/test.h"
#include "views/canvas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a canvas of this size shows after `draw`. */
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

static void expect_text(const char *want, char *got)
{
	assert_string_equal(got, want);
	free(got);
}

static void draw_text(struct canvas *c, const void *arg)
{
	canvas_text(c, canvas_rect(c), STYLE_TEXT, arg);
}

TEST(text_is_cut_by_columns_and_never_inside_a_character)
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

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		expect_text(cases[i].want, shown(6, 1, false, draw_text, cases[i].text));
		assert_int_equal(text_width(cases[i].text), cases[i].width);
	}
}

TEST(ascii_replaces_characters_but_keeps_their_columns)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"a–b…c", "a-b~c\n"},
		{"ä漢z", "???z\n"},
		{"█▒·→", "#=.>\n"},
		{"\xf0\x9f\x98\x80z", "??z\n"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect_text(cases[i].want, shown(6, 1, true, draw_text, cases[i].text));
}

static void draw_cut(struct canvas *c, const void *arg)
{
	canvas_text_cut(c, canvas_rect(c), STYLE_TEXT, arg);
}

static void draw_text_parts(struct canvas *c, const void *arg)
{
	canvas_text_parts(c, canvas_rect(c), STYLE_TEXT, arg);
}

TEST(text_that_is_cut_says_so_or_ends_with_a_whole_part)
{
	static const struct {
		const char *text, *cut, *parts;
	} cases[] = {
		{"twelve chars", "twelve chars\n", "twelve chars\n"},
		{"GPU 63 %; CPU 43 %", "GPU 63 %; C…\n", "GPU 63 %\n"},
		{"a, b, c, d, e, f", "a, b, c, d,…\n", "a, b, c, d\n"},
		{"load 2.4   memory", "load 2.4   …\n", "load 2.4\n"},
		{"12:34:56 was a time", "12:34:56 wa…\n", "12:34:56 wa…\n"},
		{"one part that is long: b", "one part th…\n", "one part th…\n"},
		{"", "\n", "\n"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		expect_text(cases[i].cut, shown(12, 1, false, draw_cut, cases[i].text));
		expect_text(cases[i].parts, shown(12, 1, false, draw_text_parts, cases[i].text));
	}
}

static void draw_right(struct canvas *c, const void *arg)
{
	canvas_text_right(c, canvas_rect(c), STYLE_TEXT, arg);
}

TEST(right_aligned_text_keeps_its_first_digits)
{
	expect_text("    12\n", shown(6, 1, false, draw_right, "12"));
	expect_text("123456\n", shown(6, 1, false, draw_right, "12345678"));
	expect_text("  漢字\n", shown(6, 1, false, draw_right, "漢字"));
}

static void draw_over_wide(struct canvas *c, const void *arg)
{
	const int *x = arg;
	struct rect r = {*x, 0, 1, 1};

	canvas_text(c, canvas_rect(c), STYLE_TEXT, "a漢b");
	canvas_text(c, r, STYLE_TEXT, "x");
}

TEST(overwriting_half_of_a_wide_character_removes_the_other_half)
{
	expect_text("ax b\n", shown(6, 1, false, draw_over_wide, &(int){1}));
	expect_text("a xb\n", shown(6, 1, false, draw_over_wide, &(int){2}));
	expect_text("x漢b\n", shown(6, 1, false, draw_over_wide, &(int){0}));
}

struct meter {
	double share, limit;
};

static void draw_meter(struct canvas *c, const void *arg)
{
	const struct meter *m = arg;

	canvas_meter(c, canvas_rect(c), STYLE_CALM, m->share, m->limit);
}

TEST(bars_grow_in_halves_on_a_track_and_something_is_never_nothing)
{
	static const struct {
		struct meter meter;
		const char *want, *ascii;
	} cases[] = {
		{{0, NAN}, "....\n", "....\n"},        {{1e-9, NAN}, "▖...\n", "#...\n"},
		{{0.125, NAN}, "▖...\n", "#...\n"},    {{0.25, NAN}, "▄...\n", "#...\n"},
		{{0.375, NAN}, "▄▖..\n", "##..\n"},    {{1, NAN}, "▄▄▄▄\n", "####\n"},
		{{7, NAN}, "▄▄▄▄\n", "####\n"},        {{-1, NAN}, "....\n", "....\n"},
		{{NAN, NAN}, "....\n", "....\n"},      {{0.25, 0.5}, "▄.│.\n", "#.|.\n"},
		{{1, 0.5}, "▄▄│▄\n", "##|#\n"},        {{0.5, 1}, "▄▄..\n", "##..\n"},
		{{INFINITY, NAN}, "▄▄▄▄\n", "####\n"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		expect_text(cases[i].want, shown(4, 1, false, draw_meter, &cases[i].meter));
		expect_text(cases[i].ascii, shown(4, 1, true, draw_meter, &cases[i].meter));
	}
}

static void draw_parts(struct canvas *c, const void *arg)
{
	static const uint8_t styles[] = {STYLE_SERIES1, STYLE_SERIES2};

	canvas_parts(c, canvas_rect(c), arg, styles, 2);
}

TEST(parts_of_bars_never_exceed_the_whole_and_differ_in_ascii)
{
	static const struct {
		double shares[2];
		const char *want, *ascii, *high;
	} cases[] = {
		{{0.5, 0.25}, "▄▄▄\n", "##=\n", "███\n▀▀▀\n"},
		{{0.5, 0.5}, "▄▄▄▄\n", "##==\n", "████\n▀▀▀▀\n"},
		{{0.5, 3}, "▄▄▄▄\n", "##==\n", "████\n▀▀▀▀\n"},
		{{0, 1}, "▄▄▄▄\n", "====\n", "████\n▀▀▀▀\n"},
		{{0.5, NAN}, "▄▄\n", "##\n", "██\n▀▀\n"},
		{{NAN, 0.5}, "▄▄\n", "==\n", "██\n▀▀\n"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		expect_text(cases[i].want, shown(4, 1, false, draw_parts, cases[i].shares));
		expect_text(cases[i].ascii, shown(4, 1, true, draw_parts, cases[i].shares));
		expect_text(cases[i].high, shown(4, 2, false, draw_parts, cases[i].shares));
	}
}

/* Two points a cell. */
struct past {
	double points[6];
	int cells;
};

static void draw_past(struct canvas *c, const void *arg)
{
	static const uint8_t styles[3] = {STYLE_CALM, STYLE_CALM, STYLE_CALM};
	const struct past *past = arg;

	canvas_history(c, canvas_rect(c), past->points, styles, past->cells);
}

TEST(histories_show_the_newest_at_the_right_and_zero_unlike_unknown)
{
	static const struct {
		struct past past;
		int rows;
		const char *want, *ascii;
	} cases[] = {
		{{{0}, 0}, 1, "···\n", "...\n"},
		{{{1, 1}, 1}, 1, "··█\n", "..#\n"},
		{{{0, 0, 0.25, 0.5, 1, NAN}, 3}, 1, "▁▃█\n", "_-#\n"},
		{{{0, 0, 0.4, 0.4, 1, 1}, 3}, 2, "  ⣿\n⣀⣿⣿\n", "  #\n.##\n"},
		{{{NAN, NAN, 0, NAN, 9, -9}, 3}, 2, "  ⡇\n·⡀⣇\n", "  #\n..#\n"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		expect_text(cases[i].want, shown(3, cases[i].rows, false, draw_past, &cases[i].past));
		expect_text(cases[i].ascii, shown(3, cases[i].rows, true, draw_past, &cases[i].past));
	}
}

static void draw_heat(struct canvas *c, const void *arg)
{
	(void)arg;
	for (int i = 0; i < c->cols; i++)
		canvas_heat(c, i, 0, 1, i - 1);
}

TEST(heat_has_a_glyph_and_a_colour_a_step_and_unknown_is_blank)
{
	expect_text(" ·░▒▓██\n", shown(7, 1, false, draw_heat, NULL));
	expect_text(" .-=*#@\n", shown(7, 1, true, draw_heat, NULL));
}

TEST(cut_rectangles_are_never_negative)
{
	struct rect r = {3, 4, 10, 5}, cut;

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

TEST(drawing_outside_is_cut_off)
{
	static const struct rect rects[] = {{-3, -3, 5, 5}, {-1, 0, 1, 1},      {2, 2, 100, 100},
					    {0, 0, -4, 1},  {0, 0, 3, -1},      {500, 200, 9, 9},
					    {1, 0, 1, 1},   {-1000, 0, 2000, 1}};
	static const int sizes[][2] = {{1, 1}, {2, 1}, {1, 3}, {500, 200}, {0, 0}, {-5, 1000}, {9999, 9999}};
	static const uint8_t styles[20];
	double points[40];

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
			canvas_meter(&c, rects[j], STYLE_CALM, 0.7, 0.5);
			canvas_parts(&c, rects[j], points, styles, 2);
			canvas_history(&c, rects[j], points, styles, ARRAY_LEN(styles));
			canvas_heat(&c, rects[j].x, rects[j].y, rects[j].h, 3);
			canvas_box(&c, rects[j], STYLE_BORDER);
		}
		canvas_fini(&c);
	}
}

TEST(a_resize_clears)
{
	AUTO_STRBUF struct strbuf out = {0};
	struct canvas c;

	canvas_init(&c, 4, 1, false);
	canvas_text(&c, canvas_rect(&c), STYLE_HOT, "full");
	canvas_resize(&c, 3, 2);
	canvas_dump(&c, &out);
	assert_string_equal(out.p, "\n\n");
	assert_int_equal(c.cells[0].style, STYLE_TEXT);
	canvas_fini(&c);
}

TEST(parts_without_colours_have_a_glyph_each)
{
	for (int ascii = 0; ascii < 2; ascii++) {
		struct canvas c = {.ascii = ascii, .mono = true};

		for (unsigned i = 0; i < 6; i++)
			for (unsigned k = 0; k < i; k++)
				assert_int_not_equal(canvas_part_glyph(&c, canvas_part_style(i)),
						     canvas_part_glyph(&c, canvas_part_style(k)));
	}
}
