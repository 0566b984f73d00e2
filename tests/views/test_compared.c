/* A number beside what it was: the change, and what it means. */
#include "tests/support/tiny_source.h"
#include "views/compared.h"

static const char *row_text(const struct comparison *c, int cols, bool ascii, struct strbuf *out)
{
	struct canvas canvas;

	canvas_init(&canvas, cols, 1, ascii);
	compared_draw(c, 1, &canvas, canvas_rect(&canvas));
	strbuf_clear(out);
	canvas_dump(&canvas, out);
	canvas_fini(&canvas);
	return out->p;
}

TEST(a_change_has_a_direction_an_amount_and_a_meaning)
{
	static const struct {
		const char *unit;
		double was, now;
		int worse;
		const char *want;
	} cases[] = {
		{"percent", 12, 46.2, 1, "  12.0 %      46.2 %    +   34.2 pt worse   ........|=======>"},
		{"percent", 38, 22, -1, "  38.0 %      22.0 %    -   16.0 pt worse   .....===|........"},
		{"percent", 38, 22, 1, "-   16.0 pt better  .....===|........"},
		{"percent", 38, 22, 0, "-   16.0 pt         .....===|........"},
		{"percent", 50, 50.5, 1, "  50.0 %      50.5 %              = same    ........|........"},
		{"bytes", 159e6, 212e6, 1, "   159 MB      212 MB   +    33.3 % worse   ........|===....."},
		{"bytes", 159e6, 160e6, 1, "   159 MB      160 MB             = same"},
		{"bytes", 1e6, 9e6, 0, "  1.00 MB     9.00 MB   +   800.0 %         ........|=======>"},
		{"bytes", 1, 9e6, 0, "+    >999 %         ........|=======>"},
		{"bytes", 0, 9e6, 1, "+       new worse   ........|=======>"},
		{"bytes", 0, 0, 1, "= same"},
	};
	AUTO_STRBUF struct strbuf text = {0};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct comparison c = {.unit = unit_find(span_of(cases[i].unit)),
					     .was = cases[i].was,
					     .now = cases[i].now,
					     .worse = cases[i].worse};

		if (!strstr(row_text(&c, 70, true, &text), cases[i].want))
			fail_msg("'%s' is not in\n%s", cases[i].want, text.p);
	}
}

TEST(an_unknown_side_is_a_dash_and_no_change)
{
	const struct comparison c = {
		.unit = unit_find(SPAN_LIT("percent")), .was = NAN, .now = 5, .worse = 1};
	AUTO_STRBUF struct strbuf text = {0};

	row_text(&c, 70, true, &text);
	assert_non_null(strstr(text.p, "-         5.0 %"));
	assert_null(strstr(text.p, "worse"));
	assert_null(strstr(text.p, "="));
}

TEST(a_narrow_row_leaves_out_the_bar_then_the_word_then_what_was)
{
	static const struct {
		int cols;
		bool was, change, word, bar;
	} cases[] = {{12, false, false, false, false},
		     {24, false, true, false, false},
		     {36, true, true, false, false},
		     {45, true, true, true, false},
		     {60, true, true, true, true}};
	const struct comparison c = {
		.unit = unit_find(SPAN_LIT("percent")), .was = 12, .now = 46.2, .worse = 1};
	AUTO_STRBUF struct strbuf text = {0};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		row_text(&c, cases[i].cols, true, &text);
		assert_non_null(strstr(text.p, "46.2 %"));
		assert_int_equal(strstr(text.p, "12.0 %") != NULL, cases[i].was);
		assert_int_equal(strstr(text.p, "34.2 pt") != NULL, cases[i].change);
		assert_int_equal(strstr(text.p, "worse") != NULL, cases[i].word);
		assert_int_equal(strchr(text.p, '|') != NULL, cases[i].bar);
	}
}
