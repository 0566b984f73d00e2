#include "tui/help.h"

#include "base/alloc.h"
#include "config.h"
#include "tui/page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_COLS 10  /* columns of a key in a panel */
#define PAIR_FROM 44 /* least columns of a panel in which two keys share a line */
#define PAIR_KEY_COLS 2
#define REST_FROM 6      /* least spare rows for sources and alerts */
#define TASK_COLS 35     /* columns of a task; its keys follow */
#define LIST_KEY_COLS 20 /* columns of a key in a list; in a wide list */
#define WIDE_KEY_COLS 34
#define SIGN_COLS 44   /* columns of the panel of signs, beside the tasks */
#define SIGNS_FROM 120 /* least columns of the terminal for that panel */

static const char *const section_titles[HELP_SECTIONS] = {
	[HELP_VIEW] = "In this view",
	[HELP_MOVE] = "Move  between views, rows and times",
	[HELP_LOOK] = "Look  at the same numbers in another way",
	[HELP_ACT] = "Act  write, mark, set, leave",
	[HELP_TASK] = "How do I ...  the shortest way, from any view",
	[HELP_SIGN] = "Signs and colours",
};

/* ---- sources and alerts ---- */

#define LABEL_MAX 16

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
		AUTOFREE char *raw = span_dup(span_until(&rest, '\n'));
		char *gap = strstr(str_printable(line, sizeof(line), raw), "  ");
		int at = gap ? (int)(gap - line + (int)strspn(gap, " ")) : 0;

		if (!raw[0]) /* the first is empty if the foot has no text */
			continue;
		if (!gap || gap == line || gap - line > LABEL_MAX) {
			page_text(page, PAGE_INDENT, STYLE_TEXT, NULL, line);
			continue;
		}
		*gap = 0; /* "seed      1; the same seed gives the same run": a label and its text */
		page_text(page, PAGE_INDENT + at, STYLE_TEXT, line, line + at);
	}
}

static int add_all_sources(const struct help *help, const struct help_text *t, struct page *page)
{
	const struct alerts *alerts = t->alerts;
	char line[sizeof(alerts->lines[0].text) + 32];

	(void)help;
	for (unsigned i = alerts->n; i > 0; i--) {
		snprintf(line, sizeof(line), "%4lld s ago  %s",
			 (long long)((t->now_ns - alerts->lines[i - 1].at_ns) / 1000000000),
			 alerts->lines[i - 1].text);
		page_text(page, 0, alerts->lines[i - 1].news ? STYLE_TEXT : STYLE_ALERT, NULL, line);
	}
	if (t->own_cost)
		page_text(page, 0, STYLE_TEXT, NULL, t->own_cost);
	if (alerts->n || t->own_cost)
		page_line(page);
	for (unsigned i = 0; i < t->session->n; i++)
		if (t->session->sources[i].away != AWAY_TURNED) /* another source of the device is listed */
			add_source(page, t, &t->session->sources[i]);
	return 0;
}

/* ---- panels ---- */

#define BANDS_MAX 4
#define PAGES_MAX 3
#define BAND_SECTIONS 3

/* Panels side by side. The rows of a single panel flow in several columns. */
struct help_band {
	enum help_section sections[BAND_SECTIONS];
	int n, flow, page;
};

struct help_layout {
	struct help_band bands[BANDS_MAX];
	int n, columns, pages; /* pages 0: panels do not fit */
	bool boxes;            /* panels have borders, else a line with the title */
};

/* The rows of a section are one run. */
static int section_rows(const struct help *help, enum help_section section, int *first)
{
	int n = 0;

	for (unsigned i = 0; i < help->rows.n; i++)
		if (help->rows.rows[i].section == section && !n++)
			*first = (int)i;
	return n;
}

static bool has_pairs(int cols, int flow)
{
	return flow == 1 && cols >= PAIR_FROM;
}

static int section_lines(const struct help *help, enum help_section section, int cols, int flow)
{
	int first = 0, n = section_rows(help, section, &first), pairs = 0;

	for (int i = 0; i < n && has_pairs(cols, flow); i++)
		pairs += help->rows.rows[first + i].second;
	return (n - pairs + flow - 1) / flow;
}

static int panel_cols(const struct help_layout *layout, const struct help_band *band, int i, int cols)
{
	if (band->sections[0] == HELP_TASK && band->n > 1)
		return i ? SIGN_COLS : cols - SIGN_COLS;
	return cols / band->n + (i == band->n - 1 ? cols % band->n : 0) - (layout->boxes ? 0 : 1);
}

static int band_height(const struct help *help, const struct help_layout *layout,
		       const struct help_band *band, int cols)
{
	int most = 0;

	for (int i = 0; i < band->n; i++) {
		int lines = section_lines(help, band->sections[i],
					  panel_cols(layout, band, i, cols) - (layout->boxes ? 4 : 1),
					  band->flow);

		most = lines > most ? lines : most;
	}
	return most ? most + (layout->boxes ? 2 : 1) : 0;
}

static void set_bands(struct help_layout *layout, int cols, int pages)
{
	int second = pages > 1, last = pages - 1;
	struct help_band *b = layout->bands;

	*b++ = (struct help_band){.sections = {HELP_VIEW}, .n = 1, .flow = layout->columns};
	if (layout->columns == 3) {
		*b++ = (struct help_band){.sections = {HELP_MOVE, HELP_LOOK, HELP_ACT}, .n = 3, .flow = 1};
	} else {
		*b++ = (struct help_band){.sections = {HELP_MOVE, HELP_LOOK}, .n = 2, .flow = 1};
		*b++ = (struct help_band){.sections = {HELP_ACT}, .n = 1, .flow = 2, .page = second};
	}
	*b++ = (struct help_band){.sections = {HELP_TASK, HELP_SIGN}, .n = 1, .flow = 1, .page = last};
	b[-1].n += cols >= SIGNS_FROM;
	layout->n = (int)(b - layout->bands);
	layout->pages = pages;
}

static struct help_layout choose_layout(const struct help *help, struct rect r)
{
	struct help_layout layout = {.columns = r.w >= 150 ? 3 : 2};

	for (int plain = 0; plain < 2 && r.w >= 76 && !help->typing && !help->search[0]; plain++)
		for (int pages = 1; pages <= PAGES_MAX; pages++) {
			int left[PAGES_MAX] = {r.h, r.h, r.h};

			layout.boxes = !plain;
			set_bands(&layout, r.w, pages);
			for (int i = 0; i < layout.n; i++)
				left[layout.bands[i].page] -=
					band_height(help, &layout, &layout.bands[i], r.w);
			if (left[0] >= 0 && left[1] >= 0 && left[2] >= 0)
				return layout;
		}
	layout.pages = 0;
	return layout;
}

static void draw_row(const struct help *help, int index, int key_cols, struct canvas *canvas,
		     struct rect cell)
{
	const struct help_row *row = &help->rows.rows[index];
	struct rect whole = cell;

	if (row->section == HELP_TASK) {
		canvas_text_cut(canvas, rect_left(&cell, TASK_COLS), STYLE_TEXT, row->brief);
		canvas_text(canvas, rect_left(&cell, KEY_COLS), STYLE_KEY, row->key);
		canvas_text_parts(canvas, cell, STYLE_DIM, row->detail);
	} else {
		canvas_text(canvas, rect_left(&cell, key_cols), row->style, row->key);
		rect_left(&cell, 1);
		canvas_text_cut(canvas, cell, STYLE_TEXT, row->brief);
	}
	if (index + 1 == help->selected)
		canvas_restyle(canvas, whole, STYLE_SELECTED);
}

static void draw_rows(const struct help *help, enum help_section section, int flow, struct canvas *canvas,
		      struct rect r)
{
	int first = 0, n = section_rows(help, section, &first),
	    lines = section_lines(help, section, r.w, flow);
	bool pairs = has_pairs(r.w, flow);
	int key_cols = section == HELP_SIGN ? KEY_COLS + 4 : KEY_COLS, line = 0;

	for (int i = first; i < first + n; i++, line++) {
		bool paired = pairs && i + 1 < first + n && help->rows.rows[i + 1].second;
		struct rect cell = {r.x + line / lines * (r.w / flow), r.y + line % lines,
				    r.w / flow - (flow > 1), 1};

		if (paired) {
			struct rect left = rect_left(&cell, KEY_COLS + 1 + (r.w - KEY_COLS) / 2 - 1);

			draw_row(help, i++, KEY_COLS, canvas, left);
			draw_row(help, i, PAIR_KEY_COLS - 1, canvas, cell);
		} else {
			draw_row(help, i, key_cols, canvas, cell);
		}
	}
}

static void draw_panel(const struct help *help, const struct help_text *text,
		       const struct help_layout *layout, enum help_section section, int flow,
		       struct canvas *canvas, struct rect r)
{
	char title[96];
	struct rect head = {r.x + (layout->boxes ? 2 : 0), r.y, r.w - (layout->boxes ? 4 : 0), 1};

	snprintf(title, sizeof(title), section == HELP_VIEW ? "%s  %s" : "%s", section_titles[section],
		 text->view ? text->view : "");
	if (layout->boxes) {
		canvas_box(canvas, r, STYLE_BORDER);
		if (text_width(title) + 2 > head.w && strstr(title, "  "))
			*strstr(title, "  ") = 0;
		canvas_printf(canvas, head, STYLE_TITLE, " %s ", title);
		r = (struct rect){r.x + 2, r.y + 1, r.w - 4, r.h - 2};
	} else {
		canvas_text(canvas, head, STYLE_TITLE, title);
		rect_top(&r, 1);
		rect_left(&r, 1);
	}
	draw_rows(help, section, flow, canvas, r);
}

static void draw_panels(struct help *help, const struct help_text *text, const struct help_layout *layout,
			struct canvas *canvas, struct rect r)
{
	struct page page = {.canvas = canvas};

	for (int i = 0; i < layout->n; i++) {
		const struct help_band *band = &layout->bands[i];
		struct rect row;
		int cols = r.w;

		if (band->page != help->page)
			continue;
		row = rect_top(&r, band_height(help, layout, band, cols));
		for (int k = 0; k < band->n && row.h; k++) {
			int first = 0, n = section_rows(help, band->sections[k], &first);

			help->first = help->first ? help->first : first + 1;
			help->last = n ? first + n : help->last;
			draw_panel(help, text, layout, band->sections[k], band->flow, canvas,
				   rect_left(&row, panel_cols(layout, band, k, cols)));
			rect_left(&row, !layout->boxes);
		}
	}
	/* the rest of the last page of keys has the alerts and sources that fit */
	if (!layout->boxes || r.h < REST_FROM || help->page != help->key_pages - 1)
		return;
	canvas_box(canvas, r, STYLE_BORDER);
	canvas_text(canvas, (struct rect){r.x + 2, r.y, r.w - 4, 1}, STYLE_TITLE,
		    " Alerts and sources  all of it by Tab ");
	page.window = (struct rect){r.x + 2, r.y + 1, r.w - 4, r.h - 2};
	add_all_sources(help, text, &page);
}

/* ---- a list ---- */

/* Add the list. Returns the line of the selected row. */
static int add_list(const struct help *help, const struct help_text *text, struct page *page)
{
	int cols = page->window.w, at = 0;
	int left = cols >= 100 ? WIDE_KEY_COLS : cols >= 60 ? LIST_KEY_COLS : LIST_KEY_COLS - 6;
	enum help_section section = HELP_SECTIONS;

	(void)text;
	for (unsigned i = 0; i < help->rows.n; i++) {
		const struct help_row *row = &help->rows.rows[i];
		int y = page->n - page->first;

		if (!help->search[0] && row->section != section) {
			if (i)
				page_line(page);
			page_text(page, 0, STYLE_TITLE, NULL, section_titles[row->section]);
			y = page->n - page->first;
		}
		section = row->section;
		if ((int)i + 1 == help->selected)
			at = page->n;
		if (row->section == HELP_TASK) {
			AUTO_STRBUF struct strbuf line = {0};

			strbuf_printf(&line, "%s: %s", row->brief, row->detail);
			page_text(page, left, STYLE_TEXT, row->key, line.p);
		} else {
			page_add(page, left, STYLE_TEXT, row->style, row->key, row->detail);
		}
		if ((int)i + 1 == help->selected && page->window.h && y >= 0 && y < page->window.h)
			canvas_restyle(page->canvas,
				       (struct rect){page->window.x, page->window.y + y, page->window.w, 1},
				       STYLE_SELECTED);
	}
	return at;
}

/* Draw a list, or the reports of the sources, from the line `scroll` on. */
static void draw_scrolled(struct help *help, const struct help_text *text, struct canvas *canvas,
			  struct rect r,
			  int (*add)(const struct help *, const struct help_text *, struct page *))
{
	struct page page = {.canvas = canvas, .window = {r.x, r.y, r.w, 0}};
	int at = add(help, text, &page); /* counts the lines only */

	help->scroll_max = page.n > r.h ? page.n - r.h : 0;
	if (help->selected && at < help->scroll)
		help->scroll = at;
	if (help->selected && at >= help->scroll + r.h)
		help->scroll = at - r.h + 1;
	if (help->scroll > help->scroll_max)
		help->scroll = help->scroll_max;
	page = (struct page){.canvas = canvas, .window = r, .first = help->scroll};
	add(help, text, &page);
}

/* ---- the screen ---- */

static bool on_sources(const struct help *help)
{
	return help->page == help->pages - 1;
}

static void draw_footer(const struct help *help, const struct alert *alert, struct canvas *canvas,
			struct rect row)
{
	const struct foot_keys keys = {
		.keys = {{"q Esc ?", NULL, help->search[0] ? "back" : "close", 0},
			 {"/", NULL, "search", 0},
			 {"Tab", NULL,
			  on_sources(help)                ? "first page"
			  : help->page == help->pages - 2 ? "sources, alerts"
							  : "next page",
			  1},
			 {"\u2191 \u2193", "Up Down", on_sources(help) ? "scroll" : "select", 2},
			 {"Enter", NULL, "do it", 3}},
		.n = on_sources(help) ? 4 : 5};
	char where[64], asked[sizeof(help->search) + 16];
	const struct foot_ask ask = {.text = asked, .answers = "Enter, Esc", .typed = true};

	if (help->scroll_max)
		snprintf(where, sizeof(where), "lines %d to %d of %d", help->scroll + 1,
			 help->scroll + help->window, help->scroll_max + help->window);
	else if (help->key_pages > 1 && !on_sources(help))
		snprintf(where, sizeof(where), "page %d of %d", help->page + 1, help->key_pages);
	else
		snprintf(where, sizeof(where), "all on this screen");
	snprintf(asked, sizeof(asked), "search: %s", help->search);
	frame_draw_footer(
		&(struct frame_text){
			.alert = alert, .keys = &keys, .dropped = where, .ask = help->typing ? &ask : NULL},
		canvas, row);
}

/* Draw the sentence of the selected row, or the available keys. */
static void draw_detail(const struct help *help, struct canvas *canvas, struct rect row)
{
	rect_left(&row, 1);
	if (help->selected)
		canvas_text_cut(canvas, row, STYLE_TEXT, help->rows.rows[help->selected - 1].detail);
	else if (help->search[0])
		canvas_printf(canvas, row, STYLE_DIM, "%u row%s %s \"%s\"; Enter does what the row says",
			      help->rows.n, plural_ending(help->rows.n), help->rows.n == 1 ? "has" : "have",
			      help->search);
	else
		canvas_text_parts(
			canvas, row, STYLE_DIM,
			on_sources(help)
				? "The last alerts, and what the sources report"
				: "Up and Down select a row, Enter does it; / searches keys, tasks, signs, "
				  "metrics and findings");
}

void help_draw(struct help *help, const struct help_text *text, struct canvas *canvas)
{
	struct rect r = canvas_rect(canvas), footer, head;
	struct help_layout layout;

	help_rows_gather(&help->rows, text, help->search, canvas->ascii);
	canvas_clear(canvas);
	head = rect_top(&r, 1);
	canvas_text_right(canvas, head, STYLE_DIM, "malitop " PACKAGE_VERSION);
	canvas_printf(canvas, head, STYLE_HEADER, " Help for %s%s", text->view ? text->view : "this view",
		      canvas->cols >= 60 ? ", then for every view" : "");
	footer = rect_bottom(&r, 1);
	head = rect_top(&r, r.h > 10 ? 1 : 0);
	help->window = r.h;
	layout = choose_layout(help, r);
	help->key_pages = layout.pages ? layout.pages : 1;
	help->pages = help->key_pages + 1;
	if (help->page >= help->pages)
		help->page = help->pages - 1;
	if (help->selected > (int)help->rows.n)
		help->selected = (int)help->rows.n;
	help->scroll_max = help->first = help->last = 0;
	if (on_sources(help)) {
		draw_scrolled(help, text, canvas, r, add_all_sources);
	} else if (layout.pages) {
		draw_panels(help, text, &layout, canvas, r);
	} else {
		help->first = help->rows.n > 0;
		help->last = (int)help->rows.n;
		draw_scrolled(help, text, canvas, r, add_list);
		if (!help->rows.n)
			canvas_text(canvas, r, STYLE_DIM,
				    "no key, task, sign, metric or finding has this text");
	}
	draw_detail(help, canvas, head);
	draw_footer(help, text->alert, canvas, footer);
}

/* ---- keys ---- */

void help_close(struct help *help)
{
	help_rows_free(&help->rows);
	*help = (struct help){0};
}

static void forget_search(struct help *help)
{
	help->search[0] = 0;
	help->typing = false;
	help->selected = help->scroll = 0;
}

static void scroll_by(struct help *help, int lines)
{
	int to = help->scroll + lines;

	help->scroll = to < 0 ? 0 : to > help->scroll_max ? help->scroll_max : to;
}

/* Turn a page of keys or of a list, and from its end the next one. */
static void turn_page(struct help *help, int by)
{
	bool at_end = by > 0 ? help->scroll >= help->scroll_max : help->scroll <= 0;

	help->selected = 0;
	if (!at_end) {
		scroll_by(help, by * (help->window > 1 ? help->window - 1 : 1));
	} else if (help->page + by >= 0 && help->page + by < help->pages) {
		help->page += by;
		help->scroll = 0;
	}
}

static void move_selection(struct help *help, int by)
{
	int to = help->selected + by;

	if (on_sources(help)) {
		scroll_by(help, by);
		return;
	}
	if (!help->selected || to < help->first)
		to = help->first;
	help->selected = to > help->last ? help->last : to;
}

static enum key_answer choose_row(struct help *help, struct help_row *choice, struct strbuf *said)
{
	const struct help_row *row = help->selected && help->selected <= (int)help->rows.n
					     ? &help->rows.rows[help->selected - 1]
					     : NULL;

	if (!row) {
		strbuf_str(said, "help: first select a row (Up, Down)");
		return KEY_TAKEN;
	}
	if (row->section == HELP_SIGN) {
		strbuf_str(said, "help: a sign has no action");
		return KEY_TAKEN;
	}
	if (row->section == HELP_TASK && !row->press[0]) {
		strbuf_str(said, "help: this task has no key: its row says how");
		return KEY_TAKEN;
	}
	*choice = *row;
	return KEY_CLOSES;
}

/* Handle a key while the search is typed. The next draw updates the rows. */
static enum key_answer type_key(struct help *help, uint32_t key, struct help_row *choice, struct strbuf *said)
{
	if (key == K_ESCAPE) {
		forget_search(help);
	} else if (key == K_ENTER) {
		help->typing = false;
		help->selected = help->selected ? help->selected : help->rows.n > 0;
		if (help->search[0] && help->rows.n)
			return choose_row(help, choice, said);
		forget_search(help);
	} else if (key == K_UP || key == K_DOWN) {
		move_selection(help, key == K_UP ? -1 : 1);
	} else {
		term_key_type(help->search, sizeof(help->search), key);
		help->selected = 1;
	}
	return KEY_TAKEN;
}

enum key_answer help_key(struct help *help, uint32_t key, struct help_row *choice, struct strbuf *said)
{
	struct key_action does = keys_action(keys_everywhere, key, NEEDS_NO_TIMELINE);

	*choice = (struct help_row){0};
	if (help->typing)
		return type_key(help, key, choice, said);
	if (key == K_ENTER)
		return choose_row(help, choice, said);
	if (help->search[0] && (key == 'q' || does.action == ACTION_BACK))
		forget_search(help);
	else if (key == 'q' || does.action == ACTION_HELP || does.action == ACTION_BACK)
		return KEY_CLOSES;
	else if (key == '/') {
		forget_search(help);
		help->typing = true;
		help->page = 0;
	} else if (key == K_TAB && help->page == help->pages - 1)
		help->page = help->scroll = help->selected = 0;
	else if (does.action == ACTION_TURN) {
		help->scroll = does.number > 0 ? help->scroll_max : 0;
		turn_page(help, does.number);
	} else if (does.action == ACTION_PAGE)
		turn_page(help, does.number);
	else if (does.action == ACTION_SELECT || does.action == ACTION_SCROLL)
		move_selection(help, does.number);
	else if (does.action == ACTION_EDGE && on_sources(help))
		help->scroll = does.number > 0 ? help->scroll_max : 0;
	else if (does.action == ACTION_EDGE)
		help->selected = does.number > 0 ? help->last : help->first;
	else
		return KEY_UNKNOWN;
	return KEY_TAKEN;
}
