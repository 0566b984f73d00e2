#include "tui/help.h"

#include "base/alloc.h"
#include "config.h"
#include "tui/page.h"

#include <stdio.h>
#include <string.h>

#define KEY_COLS 18

static void add_keys(struct page *page, const struct key_row *row, unsigned has)
{
	for (; row->action; row++)
		if (row->help && !(row->needs & ~has))
			page_text(page, PAGE_INDENT + KEY_COLS, STYLE_TEXT,
				  page->canvas->ascii && row->shown.ascii ? row->shown.ascii
									  : row->shown.keys,
				  row->help);
}

/* What stands in panels and beside numbers; doc/screens.md says more. */
static const struct {
	const char *sign;
	enum style style;
	const char *help;
} signs[] = {
	{"ok", STYLE_CALM,
	 "Within its limit; no word: it has none, or it does not matter now, as on an idle GPU"},
	{"high ! low !", STYLE_BUSY, "Beyond the limit of Arm's guide or of a finding; i says which"},
	{"high !! low !!", STYLE_HOT, "Far beyond it, while the GPU has no time left"},
	{"\u2584\u2584\u2584\u2584", STYLE_CALM, "A load below 70 %, or a number within its limit"},
	{"\u2584\u2584\u2584\u2584", STYLE_BUSY, "A load of 70 to 90 %, or a number beyond its limit"},
	{"\u2584\u2584\u2584\u2584", STYLE_HOT, "A load above 90 %, or a number far beyond its limit"},
	{"\u2584\u2584\u2584\u2584", STYLE_SERIES1, "An amount, neither good nor bad"},
	{"\u2502", STYLE_LIMIT, "In a bar: its limit"},
	{"\u2577", STYLE_DIM, "In a bar: the peak of the history beside it"},
	{"\u2013", STYLE_DIM, "Unknown or undefined, never a zero"},
	{"[42.0]", STYLE_TEXT, "An estimate: counted for a part of the time"},
	{"42.0 \u00b7", STYLE_TEXT, "Samples are missing in it, took longer than asked for, or failed"},
};

#define LABEL_MAX 16

/* Add "seed      1; the same seed gives the same run" as a label and its text, any other line as it
 * is. */
static void add_described(struct page *page, char *line)
{
	char *gap = strstr(line, "  ");
	int at = gap ? (int)(gap - line + (int)strspn(gap, " ")) : 0;

	if (!gap || gap == line || gap - line > LABEL_MAX) {
		page_text(page, PAGE_INDENT, STYLE_TEXT, NULL, line);
		return;
	}
	*gap = 0;
	page_text(page, PAGE_INDENT + at, STYLE_TEXT, line, line + at);
}

/* Describe a source that is on the screen; of any other source, add only the title. */
static void add_source(struct page *page, const struct help_text *t, struct session_source *s)
{
	AUTO_STRBUF struct strbuf title = {0}, text = {0};
	const char *away = session_away_text(s);
	struct span rest;
	char line[512];

	strbuf_printf(&title, "%s, %s%s%s", s->title, s->driver, away ? ": " : "", away ? away : "");
	page_text(page, 0, STYLE_TITLE, NULL, title.p);
	if (s != session_shown(t->session, s->kind))
		return;
	session_describe(t->session, s, t->now_ns, &text);
	rest = (struct span){text.p, text.n};
	while (rest.n) {
		struct span raw = span_until(&rest, '\n');
		AUTO_STRBUF struct strbuf copy = {0};

		strbuf_add(&copy, raw.p, raw.n);
		if (raw.n) /* the first is empty if there is no text for the foot */
			add_described(page, str_printable(line, sizeof(line), copy.p));
	}
}

static void add_all(struct page *page, const struct help_text *t)
{
	const struct alerts *alerts = t->alerts;
	char line[sizeof(alerts->lines[0].text) + 32];

	if (t->own)
		add_keys(page, t->own, t->has);
	add_keys(page, keys_everywhere, t->has);
	page_line(page);
	page_text(page, 0, STYLE_TITLE, NULL, "Signs and colours");
	for (size_t i = 0; i < ARRAY_LEN(signs); i++)
		page_sign(page, PAGE_INDENT + KEY_COLS, signs[i].style, signs[i].sign, signs[i].help);
	page_line(page);
	for (unsigned i = 0; i < t->session->n; i++)
		if (t->session->sources[i].away != AWAY_TURNED) /* the other one of the device is there */
			add_source(page, t, &t->session->sources[i]);
	if (alerts->n)
		page_line(page);
	for (unsigned i = alerts->n; i > 0; i--) {
		snprintf(line, sizeof(line), "%4lld s ago  %s",
			 (long long)((t->now_ns - alerts->lines[i - 1].at_ns) / 1000000000),
			 alerts->lines[i - 1].text);
		page_text(page, 0, alerts->lines[i - 1].news ? STYLE_TEXT : STYLE_ALERT, NULL, line);
	}
}

static void draw_footer(const struct help *help, const struct alert *alert, int n, struct canvas *canvas,
			struct rect row)
{
	const struct foot_keys keys = {
		.keys = {{"q Esc ?", NULL, "close", 0}, {"Up Down PgUp PgDn Home End", NULL, "scroll", 1}},
		.n = help->scroll_max ? 2 : 1};
	int last = help->scroll + help->page;
	char where[48];

	snprintf(where, sizeof(where), "lines %d to %d of %d", help->scroll + 1, last < n ? last : n, n);
	frame_draw_footer(&(struct frame_text){.alert = alert, .keys = &keys, .dropped = where}, canvas, row);
}

void help_draw(struct help *help, const struct help_text *text, struct canvas *canvas)
{
	struct rect r = canvas_rect(canvas), footer;
	struct page page = {.canvas = canvas, .window = {.w = r.w}};

	add_all(&page, text); /* only counted */
	canvas_clear(canvas);
	canvas_text(canvas, rect_top(&r, 1), STYLE_HEADER, "malitop " PACKAGE_VERSION "  help");
	footer = rect_bottom(&r, 1);
	help->page = r.h;
	help->scroll_max = page.n > r.h ? page.n - r.h : 0;
	if (help->scroll > help->scroll_max)
		help->scroll = help->scroll_max;
	page = (struct page){.canvas = canvas, .window = r, .first = help->scroll};
	add_all(&page, text);
	draw_footer(help, text->alert, page.n, canvas, footer);
}

bool help_key(struct help *help, uint32_t key, struct strbuf *said)
{
	const int page = help->page > 1 ? help->page - 1 : 1;
	const struct {
		enum action action;
		int lines;
	} moves[] = {
		{ACTION_SELECT, 1}, {ACTION_SCROLL, 1}, {ACTION_PAGE, page}, {ACTION_EDGE, help->scroll_max}};
	struct key_action does = keys_action(keys_everywhere, key, NEEDS_NO_TIMELINE);
	int scroll = help->scroll;

	if (key == 0x03)
		return false;
	if (key == 'q' || does.action == ACTION_HELP || does.action == ACTION_BACK) {
		*help = (struct help){0};
		return true;
	}
	for (unsigned i = 0; i < ARRAY_LEN(moves); i++) {
		if (moves[i].action != does.action)
			continue;
		scroll += does.number * moves[i].lines;
		help->scroll = scroll < 0 ? 0 : scroll > help->scroll_max ? help->scroll_max : scroll;
		return true;
	}
	strbuf_str(said, "help: q, Esc or ? closes it, and the other keys act again");
	return true;
}
