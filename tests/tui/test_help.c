/* The help screen: all of it can be read at every size, a search finds it, and a row does what it
 * says. */
#include "tests/support/test.h"
#include "tui/help.h"
#include "base/alloc.h"
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct help_bench {
	struct session session; /* without sources */
	struct alerts alerts;
	struct canvas canvas;
	struct help help;
	struct help_row choice;
	struct help_text text;
	struct strbuf rows;
};

static void begin_case(struct help_bench *b, int cols, int rows)
{
	*b = (struct help_bench){0};
	alerts_add(&b->alerts, 0, "the oldest alert");
	alerts_add(&b->alerts, 0, "the newest alert");
	b->text = (struct help_text){.session = &b->session,
				     .has = NEEDS_LIVE | NEEDS_MACHINE | NEEDS_ROWS | NEEDS_GPUS,
				     .alerts = &b->alerts};
	canvas_init(&b->canvas, cols, rows, false);
	help_draw(&b->help, &b->text, &b->canvas);
}

static void end_case(struct help_bench *b)
{
	canvas_fini(&b->canvas);
	help_close(&b->help);
	strbuf_fini(&b->rows);
}

static enum key_answer press_key(struct help_bench *b, uint32_t key)
{
	AUTO_STRBUF struct strbuf said = {0};
	enum key_answer answer = help_key(&b->help, key, &b->choice, &said);

	if (answer == KEY_CLOSES)
		help_close(&b->help);
	help_draw(&b->help, &b->text, &b->canvas);
	return answer;
}

static void type_text(struct help_bench *b, const char *text)
{
	for (; *text; text++)
		press_key(b, (uint32_t)*text);
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

/* All pages, one after the other. */
static void read_pages(struct help_bench *b, struct strbuf *pages)
{
	b->help.page = b->help.scroll = b->help.selected = 0;
	help_draw(&b->help, &b->text, &b->canvas);
	for (int page = 0, scroll = -1, read = 0; page != b->help.page || scroll != b->help.scroll;) {
		int top = b->canvas.rows - 1 - b->help.window;

		read = page == b->help.page ? read : 0; /* lines of the page */
		page = b->help.page;
		scroll = b->help.scroll;
		for (int y = read - scroll; y < b->help.window; y++)
			strbuf_printf(pages, "%s ", row_text(b, top + y));
		read = scroll + b->help.window;
		press_key(b, K_PAGE_DOWN);
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

static const struct {
	int cols, rows, pages;
	bool panels;
} sizes[] = {
	{160, 48, 1, true}, {80, 24, 3, true}, {120, 40, 2, true}, {40, 10, 1, false}, {60, 200, 1, false}};

TEST(every_key_can_be_read_at_every_size)
{
	for (unsigned i = 0; i < ARRAY_LEN(sizes); i++) {
		AUTO_STRBUF struct strbuf page = {0};
		struct help_bench b;

		begin_case(&b, sizes[i].cols, sizes[i].rows);
		assert_int_equal(b.help.key_pages, sizes[i].pages);
		read_pages(&b, &page);
		for (const struct key_row *k = keys_everywhere->rows; k->action; k++)
			if (!(k->needs & ~b.text.has) &&
			    !has_text(page.p, sizes[i].panels ? k->brief : k->help))
				fail_msg("%dx%d: '%s' is not on the page:\n%s", sizes[i].cols, sizes[i].rows,
					 k->brief, page.p);
		if (sizes[i].panels && strstr(page.p, "\u2026"))
			fail_msg("%dx%d: text is cut:\n%s", sizes[i].cols, sizes[i].rows, page.p);
		assert_true(has_text(page.p, "take a screenshot"));
		assert_true(has_text(page.p, "the newest alert"));
		assert_true(has_text(page.p, "the oldest alert"));
		end_case(&b);
	}
}

TEST(keys_of_the_view_come_first_and_hide_what_they_replace)
{
	static const char *const titles[] = {"In this view  Processes", "tree of parents", "Move",
					     "How do I"};
	AUTO_STRBUF struct strbuf page = {0};
	const char *at;
	struct help_bench b;

	begin_case(&b, 160, 48);
	b.text.view = "Processes";
	b.text.own = keys_of_processes;
	b.text.has = NEEDS_LIVE | NEEDS_MACHINE;
	read_pages(&b, &page);
	at = page.p;
	for (unsigned i = 0; i < ARRAY_LEN(titles); i++) {
		at = strstr(at, titles[i]);
		if (!at)
			fail_msg("'%s' is missing or too early:\n%s", titles[i], page.p);
	}
	assert_null(strstr(page.p, "only rows with this text"));
	end_case(&b);
}

TEST(a_search_finds_words_from_their_start_first)
{
	struct help_bench b;

	begin_case(&b, 100, 30);
	type_text(&b, "/core");
	assert_true(b.help.typing);
	assert_non_null(strstr(row_text(&b, 29), "search: core"));
	assert_non_null(strstr(row_text(&b, 2), "Break down per shader core"));
	type_text(&b, "zzz");
	assert_non_null(strstr(row_text(&b, 2), "no key, task, sign, metric or finding has this text"));
	assert_int_equal(press_key(&b, K_ENTER), KEY_TAKEN);
	type_text(&b, "/ause");
	assert_non_null(strstr(row_text(&b, 2), "Pause or resume the display"));
	assert_int_equal(press_key(&b, K_ESCAPE), KEY_TAKEN);
	assert_string_equal(b.help.search, "");
	assert_int_equal(press_key(&b, K_ESCAPE), KEY_CLOSES);
	end_case(&b);
}

TEST(enter_does_what_the_row_says)
{
	AUTO_STRBUF struct strbuf said = {0};
	struct help_bench b;

	begin_case(&b, 80, 24);
	assert_int_equal(help_key(&b.help, K_ENTER, &b.choice, &said), KEY_TAKEN);
	assert_non_null(strstr(said.p, "first select a row"));
	press_key(&b, K_DOWN);
	press_key(&b, K_DOWN);
	assert_non_null(strstr(row_text(&b, 1), "The next view (Right or Tab)"));
	assert_int_equal(press_key(&b, K_ENTER), KEY_CLOSES);
	assert_int_equal(b.choice.press[0], K_RIGHT);
	type_text(&b, "/a row in sight");
	assert_int_equal(press_key(&b, K_ENTER), KEY_CLOSES);
	assert_int_equal(b.choice.press[0], '1');
	assert_int_equal(b.choice.press[1], K_DOWN);
	assert_int_equal(b.choice.press[2], 'P');
	assert_int_equal(b.choice.press[3], 0);
	end_case(&b);
}

TEST(pages_and_lines_stay_within_their_bounds)
{
	static const uint32_t keys[] = {K_PAGE_DOWN, K_DOWN, K_END,   K_TAB,      K_UP,
					K_HOME,      K_TAB,  K_RIGHT, K_WHEEL_UP, K_PAGE_UP};
	for (unsigned i = 0; i < ARRAY_LEN(sizes); i++) {
		struct help_bench b;

		begin_case(&b, sizes[i].cols, sizes[i].rows);
		for (unsigned k = 0; k < 200; k++) {
			assert_int_equal(press_key(&b, keys[k * k % ARRAY_LEN(keys)]), KEY_TAKEN);
			assert_in_range(b.help.page, 0, b.help.pages - 1);
			assert_in_range(b.help.scroll, 0, b.help.scroll_max);
			assert_in_range(b.help.selected, 0, b.help.rows.n);
			if (k == 100)
				canvas_resize(&b.canvas, 90, 20);
		}
		end_case(&b);
	}
}

TEST(the_foot_tells_where_one_is)
{
	struct help_bench b;

	begin_case(&b, 80, 24);
	assert_non_null(strstr(row_text(&b, 23), "page 1 of 3"));
	press_key(&b, K_TAB);
	assert_non_null(strstr(row_text(&b, 23), "page 2 of 3"));
	b.text.alert = &(struct alert){.text = "paste: dropped"};
	help_draw(&b.help, &b.text, &b.canvas);
	assert_non_null(strstr(row_text(&b, 1), "paste: dropped"));
	assert_non_null(strstr(row_text(&b, 23), "page 2 of 3"));
	end_case(&b);
	begin_case(&b, 160, 48);
	assert_non_null(strstr(row_text(&b, 47), "all on this screen"));
	end_case(&b);
}

TEST(only_keys_that_close_it_close_it)
{
	static const uint32_t closes[] = {'q', K_ESCAPE, '?', K_F1}, others[] = {'x', 'l', ' ', '1', '\\'};
	AUTO_STRBUF struct strbuf said = {0};
	struct help_bench b;

	begin_case(&b, 80, 24);
	for (unsigned i = 0; i < ARRAY_LEN(closes); i++)
		assert_int_equal(help_key(&b.help, closes[i], &b.choice, &said), KEY_CLOSES);
	for (unsigned i = 0; i < ARRAY_LEN(others); i++)
		assert_int_equal(help_key(&b.help, others[i], &b.choice, &said), KEY_UNKNOWN);
	assert_int_equal(said.n, 0);
	end_case(&b);
}

/* They have one source, doc/how.md; a search finds each by its words. */
TEST(the_tasks_of_how_md_are_in_help_and_are_found)
{
	AUTOFREE char *path = xasprintf("%s/doc/how.md", getenv("srcdir") ? getenv("srcdir") : ".");
	AUTOFREE char *text = NULL;
	unsigned tasks = 0;
	struct help_bench b;
	struct err err;
	size_t n;

	if (!file_read(path, 100000, &text, &n, &err))
		fail_msg("%s", err.text);
	begin_case(&b, 160, 48);
	for (char *line = strstr(text, "\n| find"); line; line = strstr(line, "\n| ")) {
		char *end = strstr(line += 3, " |");
		AUTO_STRBUF struct strbuf page = {0};
		AUTOFREE char *task = NULL;

		*end = 0;
		task = xstrdup(line);
		line = end + 1;
		read_pages(&b, &page);
		if (!has_text(page.p, task))
			fail_msg("'%s' is not in the help:\n%s", task, page.p);
		b.help.page = 0;
		b.help.typing = true;
		snprintf(b.help.search, sizeof(b.help.search), "%s", task);
		help_draw(&b.help, &b.text, &b.canvas);
		if (b.help.rows.n != 1 || strcmp(b.help.rows.rows[0].brief, task))
			fail_msg("a search does not find '%s'", task);
		b.help.typing = false;
		b.help.search[0] = 0;
		tasks++;
	}
	assert_int_equal(tasks, 12);
	end_case(&b);
}
