/* The help screen: all of it can be read at every size, and what keys do there. */
#include "tui/help.h"
#include "base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct help_bench {
	struct session session; /* without sources */
	struct alerts alerts;
	struct canvas canvas;
	struct help help;
	struct help_text text;
	struct strbuf rows;
};

static void begin_case(struct help_bench *b, int cols, int rows)
{
	*b = (struct help_bench){.help.shown = true};
	alerts_add(&b->alerts, 0, "the oldest alert");
	alerts_add(&b->alerts, 0, "the newest alert");
	b->text = (struct help_text){
		.session = &b->session, .has = NEEDS_LIVE | NEEDS_ROWS | NEEDS_GPUS, .alerts = &b->alerts};
	canvas_init(&b->canvas, cols, rows, false);
	help_draw(&b->help, &b->text, &b->canvas);
}

static void end_case(struct help_bench *b)
{
	canvas_fini(&b->canvas);
	strbuf_fini(&b->rows);
}

static bool press_key(struct help_bench *b, uint32_t key)
{
	AUTO_STRBUF struct strbuf said = {0};
	bool taken = help_key(&b->help, key, &said);

	help_draw(&b->help, &b->text, &b->canvas);
	return taken;
}

/* Row y as text. */
static const char *row_text(struct help_bench *b, int y)
{
	const char *line;

	strbuf_clear(&b->rows);
	canvas_dump(&b->canvas, &b->rows);
	line = b->rows.p;
	while (y-- > 0)
		line = strchr(line, '\n') + 1;
	*strchr(line, '\n') = 0;
	return line;
}

/* Every line of the page, one after the other, without the column of the keys. */
static void read_page(struct help_bench *b, struct strbuf *page)
{
	press_key(b, K_HOME);
	for (int y = 1; y < b->canvas.rows - 1; y++)
		strbuf_printf(page, "%s ", row_text(b, y));
	while (b->help.scroll < b->help.scroll_max) {
		press_key(b, K_DOWN);
		strbuf_printf(page, "%s ", row_text(b, b->canvas.rows - 2));
	}
}

static void without_blanks(const char *text, struct strbuf *out)
{
	for (; *text; text++)
		if (*text != ' ')
			strbuf_add(out, text, 1);
}

/* However it is broken into lines. */
static bool has_text(const char *page, const char *text)
{
	AUTO_STRBUF struct strbuf a = {0}, b = {0};

	without_blanks(page, &a);
	without_blanks(text, &b);
	return strstr(a.p, b.p) != NULL;
}

static void everything_can_be_read_at_every_size(void **state)
{
	static const struct {
		int cols, rows;
	} sizes[] = {{80, 24}, {40, 10}, {160, 48}, {60, 200}};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(sizes); i++) {
		AUTO_STRBUF struct strbuf page = {0};
		struct help_bench b;

		begin_case(&b, sizes[i].cols, sizes[i].rows);
		read_page(&b, &page);
		for (const struct key_row *k = keys_everywhere; k->action; k++)
			if (k->help && !(k->needs & ~b.text.has) && !has_text(page.p, k->help))
				fail_msg("%dx%d: '%s' is not on the page:\n%s", sizes[i].cols, sizes[i].rows,
					 k->help, page.p);
		assert_true(has_text(page.p, "Unknown or undefined, never a zero"));
		assert_true(has_text(page.p, "the newest alert"));
		assert_true(has_text(page.p, "the oldest alert"));
		end_case(&b);
	}
}

static void it_scrolls_within_its_bounds(void **state)
{
	struct help_bench b;
	int most, page;

	(void)state;
	begin_case(&b, 80, 12);
	most = b.help.scroll_max;
	page = b.help.page - 1;
	assert_true(most > page);
	const struct {
		uint32_t key;
		int want;
	} cases[] = {{K_UP, 0},       {K_DOWN, 1},    {K_PAGE_DOWN, 1 + page}, {K_PAGE_UP, 1},
		     {K_WHEEL_UP, 0}, {K_END, most},  {K_DOWN, most},          {K_PAGE_DOWN, most},
		     {K_HOME, 0},     {K_PAGE_UP, 0}, {K_WHEEL_DOWN, 1}};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		assert_true(press_key(&b, cases[i].key));
		assert_int_equal(b.help.scroll, cases[i].want);
	}
	press_key(&b, K_END);
	canvas_resize(&b.canvas, 160, 100);
	help_draw(&b.help, &b.text, &b.canvas);
	assert_int_equal(b.help.scroll, 0); /* all of it is on the screen */
	end_case(&b);
}

static void the_foot_tells_where_one_is(void **state)
{
	struct help_bench b;

	(void)state;
	begin_case(&b, 80, 24);
	assert_non_null(strstr(row_text(&b, 23), "q Esc ? close  Up Down PgUp PgDn Home End scroll"));
	assert_non_null(strstr(row_text(&b, 23), "lines 1 to 22 of "));
	b.text.alert = &(struct alert){.text = "paste: dropped"};
	help_draw(&b.help, &b.text, &b.canvas);
	assert_string_equal(row_text(&b, 23), " paste: dropped");
	end_case(&b);
}

static void only_keys_that_close_it_close_it(void **state)
{
	static const uint32_t closes[] = {'q', K_ESCAPE, '?', 'h', K_F1},
			      others[] = {'x', 'l', ' ', '1', K_ENTER, K_LEFT};
	AUTO_STRBUF struct strbuf said = {0};
	struct help_bench b;

	(void)state;
	begin_case(&b, 80, 24);
	for (unsigned i = 0; i < ARRAY_LEN(closes); i++) {
		b.help.shown = true;
		assert_true(help_key(&b.help, closes[i], &said));
		assert_false(b.help.shown);
		assert_int_equal(said.n, 0);
	}
	b.help.shown = true;
	for (unsigned i = 0; i < ARRAY_LEN(others); i++) {
		strbuf_clear(&said);
		assert_true(help_key(&b.help, others[i], &said));
		assert_true(b.help.shown);
		assert_non_null(strstr(said.p, "q, Esc or ? closes it"));
	}
	assert_false(help_key(&b.help, 0x03, &said)); /* Ctrl-C ends the program */
	end_case(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_can_be_read_at_every_size),
		cmocka_unit_test(it_scrolls_within_its_bounds),
		cmocka_unit_test(the_foot_tells_where_one_is),
		cmocka_unit_test(only_keys_that_close_it_close_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
