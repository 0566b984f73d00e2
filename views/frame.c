/* The rows around a view: header, tabs, footer. Texts give way by importance where the terminal is narrow. */
#include "base/alloc.h"
#include "views/view.h"

#include <stdio.h>
#include <string.h>

#define COLS_MIN 40
#define ROWS_MIN 10
#define PARTS_MAX 8
#define KEYS_MAX 24   /* in the footer */
#define PART_GAP 2    /* between parts of the header */
#define CLOCK_COLS 16 /* "1.20 of 1.40 GHz": a clock that changes its length moves nothing */
#define TAB_TEXT 64

/* A part of the header or the footer, and how much it matters: 0 the most. */
struct part {
	const char *text;
	unsigned rank;
	enum style style;
	int cols; /* columns it takes without the gap */
	bool shown;
};

static int part_cols(const struct part *p)
{
	return p->text && p->text[0] ? p->cols : 0;
}

/* Decide which parts fit into `cols`, by rank. A part that does not fit makes room for lesser ones, but rank 0 always stays. */
static void fit_parts(struct part *parts, int n, int cols)
{
	for (unsigned rank = 0; rank < PARTS_MAX; rank++)
		for (int i = 0; i < n; i++) {
			struct part *p = &parts[i];

			if (p->rank != rank || !part_cols(p))
				continue;
			p->shown = rank == 0 || part_cols(p) + PART_GAP <= cols;
			if (p->shown)
				cols -= part_cols(p) + PART_GAP;
		}
}

static struct part part_of(const char *text, unsigned rank, enum style style, int cols_min)
{
	int cols = text ? text_width(text) : 0;

	return (struct part){.text = text, .rank = rank, .style = style, .cols = cols > cols_min ? cols : cols_min};
}

enum header_part { HEAD_NAME, HEAD_GPU, HEAD_DRIVER, HEAD_CLOCK, HEAD_SPAN, HEAD_STATE, HEAD_TIME, HEAD_PARTS };

static void draw_header(const struct frame_text *text, struct canvas *canvas, struct rect r)
{
	struct part parts[HEAD_PARTS] = {
		[HEAD_NAME] = part_of("malitop", 3, STYLE_HEADER, 0),
		[HEAD_GPU] = part_of(text->gpu, 1, STYLE_HEADER, 0),
		[HEAD_DRIVER] = part_of(text->driver, 6, STYLE_HEADER, 0),
		[HEAD_CLOCK] = part_of(text->clock, 4, STYLE_HEADER, CLOCK_COLS),
		[HEAD_SPAN] = part_of(text->span, 5, STYLE_HEADER, 0),
		[HEAD_STATE] = part_of(text->state, 0, STYLE_ALERT, 0),
		[HEAD_TIME] = part_of(text->time, 2, STYLE_HEADER, 0),
	};

	canvas_fill(canvas, r, STYLE_HEADER, ' ');
	fit_parts(parts, HEAD_PARTS, r.w + PART_GAP);
	for (int i = HEAD_TIME; i >= HEAD_STATE; i--)
		if (parts[i].shown) {
			canvas_text(canvas, rect_right(&r, part_cols(&parts[i])), parts[i].style, parts[i].text);
			rect_right(&r, PART_GAP);
		}
	for (int i = 0; i < HEAD_STATE; i++)
		if (parts[i].shown) {
			canvas_text(canvas, rect_left(&r, part_cols(&parts[i])), parts[i].style, parts[i].text);
			rect_left(&r, PART_GAP);
		}
}

/* How much the tabs say, from most to least. */
enum tab_form { TABS_TITLES, TABS_SHOWN_TITLE, TABS_KEYS, TAB_FORMS };

static bool has_tab(const struct view *view, const struct view *shown)
{
	return view->key && (!view->hidden || view == shown);
}

static void tab_text(const struct view *view, const struct view *shown, enum tab_form form, char text[TAB_TEXT])
{
	if (form == TABS_TITLES || (form == TABS_SHOWN_TITLE && view == shown))
		snprintf(text, TAB_TEXT, " %c %.48s ", view->key, view->title);
	else
		snprintf(text, TAB_TEXT, form == TABS_KEYS ? "%c " : " %c ", view->key);
}

static enum tab_form fit_tabs(const struct views *views, const struct view *shown, int cols)
{
	for (int form = 0; form < TAB_FORMS; form++) {
		int used = 0;

		for (unsigned i = 0; i < views->n_views; i++) {
			char text[TAB_TEXT];

			if (!has_tab(&views->views[i], shown))
				continue;
			tab_text(&views->views[i], shown, (enum tab_form)form, text);
			used += text_width(text);
		}
		if (used <= cols)
			return (enum tab_form)form;
	}
	return TABS_KEYS;
}

static void draw_tabs(const struct views *views, const struct view *shown, struct canvas *canvas, struct rect r)
{
	static const char help[] = "? help ";
	enum tab_form form = fit_tabs(views, shown, r.w);

	canvas_fill(canvas, r, STYLE_TAB, ' ');
	for (unsigned i = 0; i < views->n_views; i++) {
		const struct view *v = &views->views[i];
		char text[TAB_TEXT];

		if (!has_tab(v, shown))
			continue;
		tab_text(v, shown, form, text);
		canvas_text(canvas, rect_left(&r, text_width(text)), v == shown ? STYLE_TAB_ON : STYLE_TAB, text);
	}
	if (r.w > text_width(help))
		canvas_text_right(canvas, r, STYLE_TAB, help);
}

const struct view *frame_tab_at(const struct views *views, const struct view *shown, int cols, int x)
{
	enum tab_form form = fit_tabs(views, shown, cols);
	int end = 0;

	for (unsigned i = 0; i < views->n_views; i++) {
		char text[TAB_TEXT];

		if (!has_tab(&views->views[i], shown))
			continue;
		tab_text(&views->views[i], shown, form, text);
		end += text_width(text);
		if (x >= 0 && x < end && x < cols)
			return &views->views[i];
	}
	return NULL;
}

/* What the footer says in every view, in order. */
static const struct foot_key keys[] = {
	{"\u2190 \u2192", "Tab", "view", 3, 0},
	{"space", "space", "pause", 2, 0},
	{"< >", "< >", "history", 5, NEEDS_LIVE},
	{"< >", "< >", "step", 3, NEEDS_REPLAY},
	{"[ ]", "[ ]", "speed", 4, NEEDS_REPLAY},
	{"{ }", "{ }", "marks", 5, NEEDS_REPLAY},
	{"j", "j", "go to", 2, NEEDS_REPLAY},
	{"c", "c", "per core", 4, 0},
	{"a", "a", "counters", 6, 0},
	{"g", "g", "GPU", 4, NEEDS_GPUS},
	{"?", "?", "help", 1, 0},
	{"q", "q", "quit", 0, 0},
};

static void draw_keys(const struct frame_text *text, struct canvas *canvas, struct rect r)
{
	struct part parts[KEYS_MAX];
	const struct foot_key *shown[KEYS_MAX];
	int n = 0;

	for (const struct foot_key *k = text->keys; k && k->keys && n < KEYS_MAX - (int)ARRAY_LEN(keys); k++)
		if (!(k->needs & ~text->has))
			shown[n++] = k;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (!(keys[i].needs & ~text->has))
			shown[n++] = &keys[i];
	for (int i = 0; i < n; i++) {
		parts[i] = part_of(canvas->ascii ? shown[i]->ascii : shown[i]->keys, shown[i]->rank, STYLE_KEY, 0);
		parts[i].cols += 1 + text_width(shown[i]->what);
	}
	fit_parts(parts, n, r.w);
	for (int i = 0; i < n; i++) {
		if (!parts[i].shown)
			continue;
		struct rect cell = rect_left(&r, parts[i].cols);

		rect_left(&cell, canvas_text(canvas, cell, STYLE_KEY, parts[i].text) + 1);
		canvas_text(canvas, cell, STYLE_FOOTER, shown[i]->what);
		rect_left(&r, PART_GAP);
	}
}

/* The answers always; of a text that is too long its beginning, or its end with the place where the next character goes. */
static void draw_ask(const struct foot_ask *ask, struct canvas *canvas, struct rect r)
{
	const char *text = ask->text, *end = text + strlen(text);

	canvas_text(canvas, rect_right(&r, text_width(ask->answers)), STYLE_KEY, ask->answers);
	rect_right(&r, PART_GAP);
	while (ask->typed && text < end && text_width(text) + 1 > r.w)
		utf8_next(&text, end);
	rect_left(&r, canvas_text(canvas, r, ask->typed ? STYLE_FOOTER : STYLE_ALERT, text));
	if (ask->typed)
		canvas_fill(canvas, rect_left(&r, 1), STYLE_SELECTED, '_');
}

static void draw_footer(const struct frame_text *text, struct canvas *canvas, struct rect r)
{
	canvas_fill(canvas, r, STYLE_FOOTER, ' ');
	rect_left(&r, 1);
	rect_right(&r, 1);
	if (text->ask) {
		draw_ask(text->ask, canvas, r);
		return;
	}
	if (text->alert) {
		canvas_text(canvas, r, STYLE_ALERT, text->alert);
		return;
	}
	if (text->dropped && r.w >= COLS_MIN) {
		canvas_text_right(canvas, rect_right(&r, text_width(text->dropped)), STYLE_FOOTER, text->dropped);
		rect_right(&r, PART_GAP);
	}
	draw_keys(text, canvas, r);
}

void frame_draw(const struct frame_text *text, const struct views *views, const struct view *shown, struct canvas *canvas,
		struct rect *r)
{
	/* Too small for anything: view_draw says so. */
	if (canvas->cols < COLS_MIN || canvas->rows < ROWS_MIN)
		return;
	draw_header(text, canvas, rect_top(r, 1));
	draw_tabs(views, shown, canvas, rect_top(r, 1));
	draw_footer(text, canvas, rect_bottom(r, 1));
}
