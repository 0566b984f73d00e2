/* What panels are made of: rows with parts and texts, graphs in lines that are left over, matrix
 * and heat, and the rows that stay in a small terminal. */
#include "tests/support/tiny_source.h"
#include "views/timeline.h"

#include <stdio.h>

#define VIEW "view v\n  key 1\n  title V\n"

static void expect_text(const char *got, const char *want)
{
	if (!strstr(got, want))
		fail_msg("'%s' is not in\n%s", want, got);
}

static void expect_shown(struct tiny *t, const char *text, int cols, int rows, const char *want)
{
	AUTOFREE char *got = tiny_shown(t, text, cols, rows, true);

	expect_text(got, want);
}

TEST(a_bar_of_parts_has_a_row_for_each_part)
{
	static const char parts[] = VIEW "chart c\n  widget rows\n  history no\n  series Share | whole\n"
					 "  part Share | half\n  part Share | half\n  part Share | more\n";
	static const char alone[] = VIEW "chart c\n  widget rows\n  history no\n  legend no\n"
					 "  series Share | whole\n  part Share | half\n";
	struct tiny t;

	tiny_init(&t);
	expect_shown(&t, parts, 60, 20,
		     "whole  #############==============*************  50.0 %\n"
		     "# half                                           50.0 %\n"
		     "= half                                           50.0 %\n"
		     "* more                                           50.0 %\n");
	expect_shown(&t, alone, 60, 20, "whole ####################....................  50.0 %\n");
	tiny_fini(&t);
}

TEST(lines_that_are_left_over_are_text_and_a_graph)
{
	static const char text[] =
		VIEW "chart c\n  widget rows\n  graph Bytes\n  series Share | share\n  text it is a share\n";
	struct tiny t;

	tiny_init(&t);
	expect_shown(&t, text, 60, 14, "Bytes over time -");
	expect_shown(&t, text, 60, 14, "\nit is a share\n");
	expect_shown(&t, text, 60, 14, "\n   0 ");
	tiny_fini(&t);
}

TEST(a_matrix_has_a_dash_where_there_is_nothing_and_one_scale_a_column)
{
	static const char text[] = VIEW "chart c\n  widget matrix\n  series Share | one | | first\n"
					"  series Share | two | | second\n  series Double | one | | second\n";
	struct tiny t;

	tiny_init(&t);
	expect_shown(&t, text, 60, 20,
		     "      first                       second\n"
		     "one   #########........  50.0 %   #################   100 %\n"
		     "two               -               #########........  50.0 %\n");
	tiny_fini(&t);
}

TEST(heat_shades_each_cell_and_explains_the_shades)
{
	static const char text[] =
		VIEW "chart c\n  widget heat\n  series Share | half\n  series Share | same\n";
	struct tiny t;

	tiny_init(&t);
	expect_shown(&t, text, 60, 21, "half  ");
	expect_shown(&t, text, 60, 21, "@@@@  50.0 %\n");
	expect_shown(&t, text, 60, 21, "share    . <0.5 - 0.5  = 2    * 10   # 25   @ 45   %\n");
	tiny_fini(&t);
}

TEST(a_small_terminal_shows_the_row_of_each_chart_that_tells_most)
{
	static const char text[] =
		VIEW "chart a\n  widget rows\n  series Share | calm\n  series Double | busy\n"
		     "chart b\n  widget area\n  series Share | graph\n"
		     "chart c\n  widget rows\n  priority 2\n  series Share | late\n";
	AUTOFREE char *got = NULL;
	struct tiny t;

	tiny_init(&t);
	got = tiny_shown(&t, text, 40, 10, true);
	expect_text(got, "busy ");
	expect_text(got, "graph ");
	assert_true(strstr(got, "busy ") < strstr(got, "graph "));
	assert_null(strstr(got, "calm")); /* the graph shows that metric already */
	tiny_fini(&t);
}

TEST(a_clock_at_its_top_tells_less_than_a_share)
{
	AUTO_STRBUF struct strbuf text = {0};
	AUTOFREE char *got = NULL;
	struct tiny t;

	tiny_init(&t);
	strbuf_str(&text, VIEW "chart a\n  widget rows\n  series Clock | clock | Double\n");
	for (int i = 0; i < 10; i++)
		strbuf_printf(&text, "  series Share | row %d\n", i);
	got = tiny_shown(&t, text.p, 40, 10, true);
	expect_text(got, "row 9 ");
	assert_null(strstr(got, "clock"));
	tiny_fini(&t);
}

/* Advice needs room for words, a small terminal has room for numbers. */
TEST(advice_gives_way_to_rows_in_a_small_terminal)
{
	static const char text[] = VIEW "chart a\n  widget rows\n  series Share | half\n"
					"chart b\n  title To do\n  widget advice\n";
	AUTOFREE char *small = NULL, *large = NULL;
	struct tiny t;

	tiny_init(&t);
	t.data.advice = "too much\tuse less\nnothing else\n";
	small = tiny_shown(&t, text, 40, 10, true);
	large = tiny_shown(&t, text, 80, 24, true);
	expect_text(small, "half ");
	assert_null(strstr(small, "too much"));
	expect_text(large, "|| too much ");
	expect_text(large, "||   use less ");
	expect_text(large, "|| nothing else ");
	tiny_fini(&t);
}

TEST(a_chart_may_be_for_wide_terminals_alone)
{
	static const char text[] = VIEW "chart a\n  widget rows\n  series Share | always\n"
					"chart b\n  widget rows\n  from 100\n  series Double | wide\n";
	AUTOFREE char *narrow = NULL, *wide = NULL;
	struct tiny t;

	tiny_init(&t);
	narrow = tiny_shown(&t, text, 99, 30, true);
	wide = tiny_shown(&t, text, 100, 30, true);
	assert_null(strstr(narrow, "wide"));
	expect_text(wide, "wide");
	tiny_fini(&t);
}

TEST(headings_are_not_shown_without_a_row)
{
	static const char text[] =
		VIEW "chart a\n  widget matrix\n  priority 1\n"
		     "  series Share | one | | first\n  series Double | one | | second\n"
		     "  series Double | two | | second\n"
		     "chart b\n  widget rows\n  priority 1\n  history no\n  series Bytes | bytes\n"
		     "  series Clock | clock\n  series Share | share\n";
	struct tiny t;

	tiny_init(&t);
	for (int rows = 14; rows < 20; rows++) {
		AUTOFREE char *got = tiny_shown(&t, text, 60, rows, true);

		expect_text(got, "first");
		expect_text(strstr(got, "first"), "\none");
	}
	tiny_fini(&t);
}

/* Without borders there are no titles, but for these. */
TEST(panels_with_the_same_labels_are_told_apart)
{
	static const char same[] = VIEW "chart a\n  title From memory\n  widget rows\n  history no\n"
					"  series Share | texture\n"
					"chart b\n  title From L2\n  widget rows\n  history no\n"
					"  series Double | texture\n"
					"chart c\n  title Other\n  widget rows\n  history no\n"
					"  series Bytes | bytes\n";
	struct tiny t;

	tiny_init(&t);
	AUTOFREE char *got = tiny_shown(&t, same, 60, 20, true);

	expect_text(got, "From memory\ntexture ");
	expect_text(got, "From L2\ntexture ");
	assert_null(strstr(got, "Other"));
	tiny_fini(&t);
}

/* Every mark of the axis is whole, and every tick, wherever the marks are. */
TEST(marks_cover_no_label_of_the_axis)
{
	static const char text[] = VIEW "chart a\n  title A\n  widget area\n  weight 1\n  place full\n"
					"  series Share | share\n";
	struct timeline_place marks[2];
	struct tiny t;

	tiny_init(&t);
	for (int back = 0; back < 70; back++) {
		struct feed *feed = &t.data.feeds[SOURCE_GPU];
		unsigned ticks = 0;

		feed->point_ns = feed->point_ns > 0 ? feed->point_ns : 500000000;
		feed->end_ns = 1000 * feed->point_ns;
		for (int i = 0; i < 2; i++) {
			marks[i].at_ns = feed->end_ns - (2 * back + 14 * (1 - i)) * feed->point_ns;
			snprintf(marks[i].text, sizeof(marks[i].text), "mark %d", i + 1);
		}
		t.data.marks = marks;
		t.data.n_marks = 2;
		AUTOFREE char *got = tiny_shown(&t, text, 100, 30, true);
		char *axis = strrchr(got, '+');

		while (axis > got && axis[-1] != '\n')
			axis--;
		for (const char *p = axis; (p = strstr(p, " s ")); p++) {
			const char *digits = p;

			while (digits > axis && digits[-1] >= '0' && digits[-1] <= '9')
				digits--;
			if (digits == p || digits[-1] != '-' || digits[-2] != ' ' || p[3] != '+')
				fail_msg("%d points back, a tick is cut: %s", 2 * back, axis);
			ticks++;
		}
		if (!ticks)
			fail_msg("%d points back, no tick: %s", 2 * back, axis);
		for (const char *p = axis; (p = strchr(p, 'm')); p += 6)
			if (strncmp(p, "mark ", 5) != 0 || p[-1] != ' ' || p[6] != ' ')
				fail_msg("%d points back, a mark is cut: %s", 2 * back, axis);
		assert_non_null(strchr(axis, '^'));
	}
	tiny_fini(&t);
}
