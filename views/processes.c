#include "views/processes.h"

#include "base/alloc.h"
#include "base/units.h"
#include "views/process_cells.h"
#include "views/widget.h"

#include <stdio.h>
#include <string.h>

/* processes: how many there are and what is left out, headings, and a row for each. It scrolls with the selected row. */

enum { TEXT = 128, PART_GAP = 3 };

/* ---- the line above: counts at the left, what was asked for at the right ---- */

/* At the right of *r, and off it. */
static void put_right(struct canvas *canvas, struct rect *r, enum style style, const char *text)
{
	canvas_text(canvas, rect_right(r, text_width(text)), style, text);
	rect_right(r, PART_GAP);
}

/* Why not all of the list is there: always said. */
static void draw_left_out(const struct process_table *t, struct canvas *canvas, struct rect *r)
{
	char text[TEXT], count[UNITS_TEXT];

	if (t->order.filter && *t->order.filter) {
		snprintf(text, sizeof(text), "filter %.48s: %s shown", t->order.filter, count_format(count, t->n));
		put_right(canvas, r, STYLE_KEY, text);
	}
	if (t->order.user) {
		snprintf(text, sizeof(text), "user %.48s", t->order.user);
		put_right(canvas, r, STYLE_KEY, text);
	}
}

static void draw_counts(const struct process_table *t, struct canvas *canvas, struct rect *r)
{
	const struct {
		unsigned n;
		const char *one, *many;
		bool always;
	} counts[] = {
		{t->n_processes, "process", "processes", true},
		{t->n_threads, "thread", "threads", true},
		{t->n_running, "running", "running", true},
		{t->list->n_hidden, "hidden", "hidden", false},
	};

	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		char text[TEXT], number[UNITS_TEXT];

		if (!counts[i].n && !counts[i].always)
			continue;
		snprintf(text, sizeof(text), "%s%s %s", i ? ", " : "", count_format(number, counts[i].n),
			 counts[i].n == 1 ? counts[i].one : counts[i].many);
		if (text_width(text) > r->w)
			return;
		rect_left(r, canvas_text(canvas, *r, STYLE_TEXT, text));
	}
}

static void draw_line(const struct process_table *t, struct canvas *canvas, struct rect r)
{
	char text[TEXT];

	draw_left_out(t, canvas, &r);
	draw_counts(t, canvas, &r);
	snprintf(text, sizeof(text), "%sby %s%s", t->order.tree ? "tree, " : "", process_key_title(t->order.key),
		 t->order.reversed ? ", reversed" : "");
	if (text_width(text) + PART_GAP <= r.w)
		put_right(canvas, &r, STYLE_DIM, text);
}

/* ---- the rows ---- */

/* Moves the first visible row as little as needed. */
static unsigned scroll_to(const struct process_table *t, unsigned h)
{
	unsigned first = *t->first, most = t->n > h ? t->n - h : 0;

	if (first + h <= t->selected)
		first = t->selected - h + 1;
	if (first > t->selected)
		first = t->selected;
	return *t->first = first < most ? first : most;
}

static void draw_rows(const struct process_table *t, struct canvas *canvas, struct rect r, struct process_cells *cells)
{
	unsigned h = r.h > 0 ? (unsigned)r.h : 0, first;

	*t->page = h;
	if (!h)
		return;
	if (!t->n)
		canvas_text(canvas, r, STYLE_DIM, "none that the filter finds");
	first = scroll_to(t, h);
	for (unsigned i = first; i < t->n && i < first + h; i++)
		process_cells_row(cells, t, i, canvas, rect_top(&r, 1));
}

/* ---- the box ---- */

static void draw_border(struct canvas *canvas, struct rect r, const char *title)
{
	struct rect top = rect_top(&r, 1), bottom = rect_bottom(&r, 1);
	struct rect left = rect_left(&r, 1), right = rect_right(&r, 1);

	canvas_fill(canvas, top, STYLE_TITLE, 0x2500);
	canvas_fill(canvas, bottom, STYLE_TITLE, 0x2500);
	canvas_fill(canvas, left, STYLE_TITLE, 0x2502);
	canvas_fill(canvas, right, STYLE_TITLE, 0x2502);
	canvas_fill(canvas, rect_left(&top, 1), STYLE_TITLE, 0x250c);
	canvas_fill(canvas, rect_right(&top, 1), STYLE_TITLE, 0x2510);
	canvas_fill(canvas, rect_left(&bottom, 1), STYLE_TITLE, 0x2514);
	canvas_fill(canvas, rect_right(&bottom, 1), STYLE_TITLE, 0x2518);
	canvas_fill(canvas, r, STYLE_TEXT, ' ');
	rect_left(&top, 1);
	canvas_text(canvas, top, STYLE_TITLE, title);
}

static void draw_choice(const struct process_choice *c, struct canvas *canvas, struct rect r)
{
	enum { WIDTH = 46, NAME = 10 };
	int h = (int)c->n + 2;
	unsigned first;

	if (r.w > WIDTH) {
		rect_left(&r, (r.w - WIDTH) / 2);
		r.w = WIDTH;
	}
	r.h = r.h < h ? r.h : h;
	if (r.h < 3)
		return;
	draw_border(canvas, r, c->title);
	rect_top(&r, 1), rect_bottom(&r, 1), rect_left(&r, 1), rect_right(&r, 1);
	first = c->at < (unsigned)r.h ? 0 : c->at - (unsigned)r.h + 1;
	for (unsigned i = first; r.h > 0; i++) {
		enum style style = i == c->at ? STYLE_SELECTED : STYLE_TEXT;
		struct rect row = rect_top(&r, 1);
		const char *name, *text;

		c->item(i, &name, &text);
		canvas_fill(canvas, row, style, ' ');
		canvas_text(canvas, rect_left(&row, 2), style, i == c->at ? ">" : "");
		canvas_text(canvas, rect_left(&row, NAME), style, name);
		canvas_text(canvas, row, style, text);
	}
}

static void processes_size(const struct chart *chart, const struct view_data *data, int cols, int *min, int *most)
{
	(void)cols, (void)data;
	*min = 3 + widget_title_rows(chart);
	*most = CANVAS_ROWS_MAX;
}

static void processes_draw(const struct chart *chart, const struct view_data *data, struct canvas *canvas, struct rect r)
{
	const struct process_table *t = data->processes;
	struct process_cells cells;
	struct rect box;

	widget_title(chart, canvas, &r);
	if (!t || !t->list) {
		canvas_text(canvas, r, STYLE_DIM, t && t->missing ? t->missing : "reading processes...");
		return;
	}
	draw_line(t, canvas, rect_top(&r, 1));
	box = r;
	process_cells_init(&cells, t, r.w);
	process_cells_headings(&cells, t, canvas, rect_top(&r, 1));
	draw_rows(t, canvas, r, &cells);
	if (t->choice)
		draw_choice(t->choice, canvas, box);
}

const struct widget widget_processes = {.name = "processes", .seriesless = true, .size = processes_size, .draw = processes_draw};
