/* A canvas as a picture. */
#include "term/term.h"
#include "base/alloc.h"
#include "tests/support/test.h"
#include "views/canvas.h"

#include <string.h>

static void put_text(struct canvas *c, int x, int y, enum style style, const char *text)
{
	canvas_text(c, (struct rect){x, y, c->cols - x, 1}, style, text);
}

static void draw_picture(const struct canvas *c, const char *theme, enum color_mode color, struct strbuf *out)
{
	term_svg(c, &(struct term_options){.color = color, .theme = theme}, out);
}

static void assert_has(const struct strbuf *svg, const char *part)
{
	if (!strstr(svg->p, part))
		fail_msg("%s is not in:\n%s", part, svg->p);
}

TEST(the_picture_has_the_size_of_its_cells)
{
	AUTO_STRBUF struct strbuf svg = {0};
	struct canvas c;

	canvas_init(&c, 80, 24, false);
	draw_picture(&c, "default", COLOR_AUTO, &svg);
	assert_int_equal(strncmp(svg.p, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg ", 44), 0);
	assert_has(&svg, "width=\"800\" height=\"480\" viewBox=\"0 0 800 480\"");
	assert_null(strstr(svg.p, "<text")); /* blanks need nothing */
	assert_null(strstr(svg.p, "<path"));
	canvas_fini(&c);
}

TEST(words_are_text_at_their_column)
{
	AUTO_STRBUF struct strbuf svg = {0};
	struct canvas c;

	canvas_init(&c, 30, 3, false);
	put_text(&c, 2, 1, STYLE_HOT, "GPU active   98");
	put_text(&c, 4, 2, STYLE_HOT, "\u6f22x"); /* two columns wide */
	draw_picture(&c, "default", COLOR_AUTO, &svg);
	assert_has(&svg, "<g fill=\"#ff5f5f\">\n"
			 "<text x=\"20\" y=\"35\" textLength=\"100\">GPU active</text>\n"
			 "<text x=\"150\" y=\"35\" textLength=\"20\">98</text>\n"
			 "<text x=\"40\" y=\"55\" textLength=\"20\">\u6f22</text>\n"
			 "<text x=\"60\" y=\"55\" textLength=\"10\">x</text>\n</g>\n");
	canvas_fini(&c);
}

TEST(any_character_leaves_it_valid)
{
	AUTO_STRBUF struct strbuf svg = {0};
	struct canvas c;

	canvas_init(&c, 20, 1, false);
	put_text(&c, 0, 0, STYLE_TEXT, "a<b>&\"c");
	c.cells[7].ch = 0x1b; /* what no text of XML may contain */
	c.cells[8].ch = 0xd800;
	c.cells[9].ch = 0xffff;
	c.cells[10].ch = 0x110000;
	draw_picture(&c, NULL, COLOR_AUTO, &svg);
	assert_has(&svg, ">a&lt;b&gt;&amp;\"c</text>");
	assert_has(&svg, ">\ufffd\ufffd\ufffd</text>");
	canvas_fini(&c);
}

TEST(bars_dots_and_lines_are_shapes)
{
	static const struct {
		const char *text, *shape;
	} cases[] = {
		{"\u2584\u2584\u2584", "fill-opacity=\"1.00\" d=\"M0 10h30v10h-30z\""}, /* joined */
		{"\u2588", "d=\"M0 0h10v20h-10z\""},
		{"\u2580", "d=\"M0 0h10v10h-10z\""},
		{"\u2596", "d=\"M0 10h5v10h-5z\""},
		{"\u2581", "d=\"M0 18h10v2h-10z\""},
		{"\u2592", "fill-opacity=\"0.50\" d=\"M0 0h10v20h-10z\""},
		{"\u2840\u2800", "d=\"M1 16h4v4h-4z\""}, /* the lowest dot at the left, and none */
		{"\u2808", "d=\"M6 1h4v4h-4z\""},        /* the highest one at the right */
		{"\u2500\u2500", "d=\"M0 10h20v1h-20z\""},
		{"\u256d", "d=\"M5 10h5v1h-5zM5 10h1v10h-1z\""}, /* to the right and down */
		{"\u2508", "d=\"M1 10h2v1h-2zM3 10h2v1h-2zM6 10h2v1h-2zM8 10h2v1h-2z\""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf svg = {0};
		struct canvas c;

		canvas_init(&c, 8, 1, false);
		put_text(&c, 0, 0, STYLE_CALM, cases[i].text);
		draw_picture(&c, "default", COLOR_AUTO, &svg);
		assert_has(&svg, cases[i].shape);
		assert_null(strstr(svg.p, "<text"));
		canvas_fini(&c);
	}
}

TEST(colours_are_those_of_the_theme)
{
	static const struct {
		const char *theme;
		enum color_mode color;
		const char *ground, *tab, *words;
	} cases[] = {
		{"default", COLOR_AUTO, "fill=\"#14171c\"", "<path fill=\"#87d7ff\" d=\"M0 0h30v20h-30z\"/>",
		 "<g fill=\"#1c1c1c\" font-weight=\"bold\">\n<text x=\"0\""},
		{"light", COLOR_AUTO, "fill=\"#ffffff\"", "<path fill=\"#005faf\" d=\"M0 0h30v20h-30z\"/>",
		 "<g fill=\"#ffffff\" font-weight=\"bold\">\n<text x=\"0\""},
		/* without colours it is in reverse */
		{"default", COLOR_NEVER, "fill=\"#14171c\"", "<path fill=\"#d6d6d6\" d=\"M0 0h30v20h-30z\"/>",
		 "<g fill=\"#14171c\" font-weight=\"bold\">\n<text x=\"0\""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf svg = {0};
		struct canvas c;

		canvas_init(&c, 8, 1, false);
		put_text(&c, 0, 0, STYLE_TAB_ON, "tab");
		draw_picture(&c, cases[i].theme, cases[i].color, &svg);
		assert_has(&svg, cases[i].ground);
		assert_has(&svg, cases[i].tab);
		assert_has(&svg, cases[i].words);
		canvas_fini(&c);
	}
}
