/* The rows around a view: header, tabs, footer. In a narrow terminal the least important texts are
 * omitted. */
#include "base/alloc.h"
#include "views/frame.h"

#include <stdio.h>
#include <string.h>

#define COLS_MIN 40
#define ROWS_MIN 10
#define ALERT_ROW 1      /* the tabs */
#define TIMELINE_ROWS 14 /* of the screen: below these the view needs all of them */
#define PARTS_MAX 8
#define PART_GAP 2    /* between parts of the header */
#define CLOCK_COLS 16 /* fixed for "1.20 of 1.40 GHz", so that other parts do not move */
#define FPS_COLS 8
#define TAB_TEXT 64

/* A part of the header or the footer, and its rank: 0 is the most important. */
struct frame_part {
	const char *text;
	unsigned rank;
	enum style style;
	int cols; /* columns it takes without the gap; 0: it is not shown */
};

/* Select the parts that fit into `cols`, by rank. Later parts may use the columns of one that does
 * not fit. Rank 0 is always shown. */
static void fit_parts(struct frame_part *parts, int n, int cols)
{
	for (unsigned rank = 0; rank < PARTS_MAX; rank++)
		for (int i = 0; i < n; i++) {
			struct frame_part *p = &parts[i];

			if (p->rank != rank || !p->cols)
				continue;
			if (rank && p->cols + PART_GAP > cols)
				p->cols = 0;
			else
				cols -= p->cols + PART_GAP;
		}
}

static struct frame_part part_of(const char *text, unsigned rank, enum style style, int cols_min)
{
	int cols = text ? text_width(text) : 0;

	return (struct frame_part){text, rank, style, cols > 0 && cols < cols_min ? cols_min : cols};
}

#define RIGHT 3 /* how many of the last parts are at the right end */

static void draw_header(const struct frame_text *text, struct canvas *canvas, struct rect r)
{
	struct frame_part parts[] = {
		part_of("malitop", 3, STYLE_KEY, 0),         part_of(text->gpu, 1, STYLE_HEADER, 0),
		part_of(text->driver, 7, STYLE_DIM, 0),      part_of(text->clock, 4, STYLE_TEXT, CLOCK_COLS),
		part_of(text->fps, 5, STYLE_TEXT, FPS_COLS), part_of(text->span, 6, STYLE_DIM, 0),
		part_of(text->state, 0, STYLE_ALERT, 0),     part_of(text->paused, 0, STYLE_PAUSED, 0),
		part_of(text->time, 2, STYLE_TEXT, 0),
	};
	int n = ARRAY_LEN(parts);

	fit_parts(parts, n, r.w + PART_GAP);
	for (int i = 0; i < n; i++) { /* place the parts at the right end first, from right to left */
		const struct frame_part *p = i < RIGHT ? &parts[n - 1 - i] : &parts[i - RIGHT];
		struct rect (*cut)(struct rect * r, int w) = i < RIGHT ? rect_right : rect_left;

		if (!p->cols)
			continue;
		canvas_text(canvas, cut(&r, p->cols), p->style, p->text);
		cut(&r, PART_GAP);
	}
}

/* The forms of the tabs, from the longest to the shortest. */
enum tab_form { TABS_TITLES, TABS_SHOWN_TITLE, TABS_TIGHT, TABS_KEYS, TAB_FORMS };

static bool has_tab(const struct view *view, const struct view *shown)
{
	return view->key && (!view->hidden || view == shown);
}

static void tab_text(const struct view *view, const struct view *shown, enum tab_form form,
		     char text[TAB_TEXT])
{
	if (form == TABS_TITLES || (form != TABS_KEYS && view == shown))
		snprintf(text, TAB_TEXT, " %c %.48s ", view->key, view->title);
	else
		snprintf(text, TAB_TEXT, form >= TABS_TIGHT ? "%c " : " %c ", view->key);
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

/* Draw the tabs. Returns the rest of the row. */
static struct rect draw_tabs(const struct frame_text *frame, const struct views *views,
			     const struct view *shown, struct canvas *canvas, struct rect r)
{
	static const char help[] = "? help ";
	char findings[TAB_TEXT] = "";
	enum tab_form form;
	struct rect cell, rest;

	if (frame->findings || !shown)
		snprintf(findings, sizeof(findings), " ! %u ", frame->findings);
	/* always leave room for a finding, so that the tabs do not move when there is one */
	form = fit_tabs(views, shown, r.w - text_width(findings[0] ? findings : " ! 1 "));
	canvas_fill(canvas, r, STYLE_TAB, ' ');
	for (unsigned i = 0; i < views->n_views; i++) {
		const struct view *v = &views->views[i];
		char text[TAB_TEXT];

		if (!has_tab(v, shown))
			continue;
		tab_text(v, shown, form, text);
		cell = rect_left(&r, text_width(text));
		hits_add(frame->hits, &(struct hit){.at = cell, .kind = HIT_TAB, .number = v->key});
		canvas_text(canvas, cell, v == shown ? STYLE_TAB_ON : STYLE_TAB, text);
		if (v != shown) {
			rect_left(&cell, text[0] == ' ');
			canvas_fill(canvas, rect_left(&cell, 1), STYLE_KEY, (uint32_t)v->key);
		}
	}
	if (findings[0]) {
		cell = rect_left(&r, text_width(findings));
		hits_add(frame->hits, &(struct hit){.at = cell, .kind = HIT_KEY, .number = '!'});
		canvas_text(canvas, cell, shown ? STYLE_BUSY : STYLE_TAB_ON, findings);
	}
	rest = r;
	if (r.w > text_width(help)) {
		cell = rect_right(&r, text_width(help));
		hits_add(frame->hits, &(struct hit){.at = cell, .kind = HIT_KEY, .number = '?'});
		canvas_text(canvas, cell, STYLE_TAB, help);
	}
	return rest;
}

/* A click on the word or the first key presses the first key; the last key has its own column. */
static void add_key_hits(const struct frame_text *text, const uint32_t press[2], struct rect cell,
			 int key_cols)
{
	struct rect last = {cell.x + key_cols - 1, cell.y, 1, 1};

	hits_add(text->hits, &(struct hit){.at = cell, .kind = HIT_KEY, .number = (int)press[0]});
	if (press[1] != press[0])
		hits_add(text->hits, &(struct hit){.at = last, .kind = HIT_KEY, .number = (int)press[1]});
}

static void draw_keys(const struct frame_text *text, struct canvas *canvas, struct rect r)
{
	const struct foot_keys *keys = text->keys;
	struct frame_part parts[FOOT_KEYS];

	for (unsigned i = 0; i < keys->n; i++) {
		const struct foot_key *k = &keys->keys[i];

		parts[i] = part_of(canvas->ascii && k->ascii ? k->ascii : k->keys, k->rank, STYLE_KEY, 0);
		parts[i].cols += 1 + text_width(k->word);
	}
	fit_parts(parts, (int)keys->n, r.w);
	for (unsigned i = 0; i < keys->n; i++) {
		if (!parts[i].cols)
			continue;
		struct rect cell = rect_left(&r, parts[i].cols);

		add_key_hits(text, keys->press[i], cell, text_width(parts[i].text));
		rect_left(&cell, canvas_text(canvas, cell, STYLE_KEY, parts[i].text) + 1);
		canvas_text(canvas, cell, STYLE_FOOTER, keys->keys[i].word);
		rect_left(&r, PART_GAP);
	}
}

/* Draw a question and its answers, which are always shown. A question that is too long is cut at
 * its end, or at its start while the user types it, so that the cursor stays visible. */
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

/* Draw the alert at the right end of a row, so that it does not cover the keys in the footer. */
static void draw_alert(const struct alert *alert, struct canvas *canvas, struct rect r)
{
	r = rect_right(&r, text_width(alert->text) + 2);
	canvas_fill(canvas, r, STYLE_TEXT, ' ');
	rect_left(&r, 1);
	rect_right(&r, 1);
	canvas_text_path(canvas, r, alert->news ? STYLE_HEADER : STYLE_ALERT, alert->text);
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
	if (text->dropped && r.w >= COLS_MIN) {
		canvas_text_right(canvas, rect_right(&r, text_width(text->dropped)), STYLE_FOOTER,
				  text->dropped);
		rect_right(&r, PART_GAP);
	}
	if (text->keys)
		draw_keys(text, canvas, r);
}

void frame_draw_footer(const struct frame_text *text, struct canvas *canvas, struct rect r)
{
	if (text->alert)
		draw_alert(text->alert, canvas, (struct rect){0, ALERT_ROW, canvas->cols, 1});
	draw_footer(text, canvas, r);
}

/* With an alert that has no room beside the tabs, the first row is the alert's: at its right end,
 * or all of it. Returns whether the alert was drawn. */
static bool draw_verdict(const struct frame_text *text, const struct alert *alert, struct canvas *canvas,
			 struct rect *r)
{
	bool drawn = false;

	for (int i = 0; i < VERDICT_ROWS; i++) {
		const struct verdict_text *v = &text->verdict[i];

		if (!v->words || !v->words[0] || canvas->rows < v->from)
			continue;
		struct rect row = rect_top(r, 1);

		rect_left(&row, 1);
		if (alert && !drawn) {
			int cols = text_width(alert->text) + 2;

			drawn = true;
			draw_alert(alert, canvas, row);
			rect_right(&row, cols);
			if (text_width(v->words) > row.w)
				continue;
		}
		rect_left(&row, canvas_text(canvas, row, v->style, v->words) + PART_GAP);
		if (v->evidence)
			canvas_text_parts(canvas, row, STYLE_TEXT, v->evidence);
	}
	return drawn;
}

void frame_draw(const struct frame_text *text, const struct views *views, const struct view *shown,
		struct canvas *canvas, struct rect *r)
{
	const struct alert *below = NULL;
	struct rect rest;

	/* Too small for a frame: view_draw reports that. */
	if (canvas->cols < COLS_MIN || canvas->rows < ROWS_MIN)
		return;
	draw_header(text, canvas, rect_top(r, 1));
	rest = draw_tabs(text, views, shown, canvas, rect_top(r, 1));
	/* Beside the tabs or in the next row: half a message would hide its cause. */
	if (text->alert && text_width(text->alert->text) + 2 <= rest.w)
		draw_alert(text->alert, canvas, rest);
	else if (text->alert)
		below = text->alert;
	if (draw_verdict(text, below, canvas, r))
		below = NULL;
	if (below)
		draw_alert(below, canvas, rect_top(r, 1));
	draw_footer(text, canvas, rect_bottom(r, 1));
	if (text->timeline && canvas->rows >= TIMELINE_ROWS && timeline_cells(canvas->cols))
		timeline_draw(text->timeline, canvas, rect_bottom(r, 1), text->hits);
}
