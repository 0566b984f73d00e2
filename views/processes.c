#include "views/processes.h"

#include "base/alloc.h"
#include "base/units.h"
#include "views/process_cells.h"
#include "views/widget.h"

#include <stdio.h>
#include <string.h>

/* processes: headings, a row for each process, a line on the omitted rows, and, space permitting,
 * the details of the selected process. It scrolls with the selected row. */

enum { TEXT = 128, PART_GAP = 3, DETAILS_FROM = 24 };

/* ---- in the border: counts, and the order ---- */

/* "93 processes, 512 threads, 2 running by CPU %"; empty without a list. */
static void put_counts(const struct process_table *t, char *text, size_t size)
{
	char processes[UNITS_TEXT], threads[UNITS_TEXT], running[UNITS_TEXT];

	if (!t || !t->list)
		return;
	snprintf(text, size, "%s process%s, %s thread%s, %s running   %sby %s",
		 count_format(processes, t->n_processes), t->n_processes == 1 ? "" : "es",
		 count_format(threads, t->n_threads), plural_ending(t->n_threads),
		 count_format(running, t->n_running), t->order.tree ? "tree, " : "",
		 process_key_title(t->order.key));
}

static void processes_corner(const struct drawing *d, char *text, size_t size)
{
	put_counts(d->data->processes, text, size);
}

/* ---- the line below: shown and omitted rows ---- */

/* Draw the text at the left of *r and cut it off, if it fits. The number of filtered rows is always
 * drawn. */
static void put_part(struct canvas *canvas, struct rect *r, enum style style, const char *text)
{
	if (!text[0] || (text_width(text) > r->w && style != STYLE_KEY))
		return;
	rect_left(r, canvas_text(canvas, *r, style, text));
	rect_left(r, PART_GAP);
}

static void draw_line(const struct process_table *t, struct canvas *canvas, struct rect r)
{
	unsigned last = *t->first + *t->page < t->n ? *t->first + *t->page : t->n;
	char text[TEXT], count[UNITS_TEXT];

	if (t->order.filter && *t->order.filter) {
		snprintf(text, sizeof(text), "filter %.48s: %s shown", t->order.filter,
			 count_format(count, t->n));
		put_part(canvas, &r, STYLE_KEY, text);
	}
	if (t->order.user) {
		snprintf(text, sizeof(text), "user %.48s", t->order.user);
		put_part(canvas, &r, STYLE_KEY, text);
	}
	snprintf(text, sizeof(text), "%u\u2013%u of %s", t->n ? *t->first + 1 : 0, last,
		 count_format(count, t->n));
	put_part(canvas, &r, STYLE_DIM, text);
	put_part(canvas, &r, STYLE_TEXT, t->gone ? t->gone : "");
	snprintf(text, sizeof(text), "K shows %s kernel thread%s", count_format(count, t->n_kernel),
		 plural_ending(t->n_kernel));
	put_part(canvas, &r, STYLE_DIM, t->order.no_kernel ? text : "");
	snprintf(text, sizeof(text), "%s may not be read", count_format(count, t->list->n_hidden));
	put_part(canvas, &r, STYLE_DIM, t->list->n_hidden ? text : "");
}

/* ---- the rows ---- */

/* Move the first visible row as little as needed to show the selected one. */
static unsigned scroll_to(const struct process_table *t, unsigned h)
{
	unsigned first = *t->first, most = t->n > h ? t->n - h : 0;

	if (first + h <= t->selected)
		first = t->selected - h + 1;
	if (first > t->selected)
		first = t->selected;
	return *t->first = first < most ? first : most;
}

static void draw_rows(const struct process_table *t, struct hits *hits, struct canvas *canvas, struct rect r,
		      struct process_cells *cells)
{
	unsigned h = r.h > 0 ? (unsigned)r.h : 0, first;

	*t->page = h;
	if (!h)
		return;
	if (!t->n)
		canvas_text(canvas, r, STYLE_DIM, "no process matches");
	first = scroll_to(t, h);
	for (unsigned i = first; i < t->n && i < first + h; i++) {
		struct rect row = rect_top(&r, 1);

		hits_add(hits, &(struct hit){.at = row, .kind = HIT_PROCESS, .number = (int)i});
		process_cells_row(cells, t, i, canvas, row);
	}
}

/* ---- the box ---- */

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
	canvas_box(canvas, r, STYLE_TITLE);
	canvas_text(canvas, (struct rect){r.x + 2, r.y, r.w - 4, 1}, STYLE_TITLE, c->title);
	rect_top(&r, 1), rect_bottom(&r, 1), rect_left(&r, 1), rect_right(&r, 1);
	canvas_fill(canvas, r, STYLE_TEXT, ' ');
	first = c->at < (unsigned)r.h ? 0 : c->at - (unsigned)r.h + 1;
	for (unsigned i = first; r.h > 0; i++) {
		enum style style = i == c->at ? STYLE_SELECTED : STYLE_TEXT;
		struct rect row = rect_top(&r, 1);
		const char *name, *text;

		c->item(c->ids ? c->ids[i] : i, &name, &text);
		canvas_fill(canvas, row, style, ' ');
		canvas_text(canvas, rect_left(&row, 2), style, i == c->at ? ">" : "");
		canvas_text(canvas, rect_left(&row, NAME), style, name);
		canvas_text(canvas, row, style, text);
	}
}

/* Draw the headings of the list and cut them off *r. Without a list, draw the reason and return
 * false. */
static bool start_list(const struct drawing *d, const struct process_table *t, struct hits *hits,
		       struct rect *r, struct process_cells *cells)
{
	if (!t || !t->list) {
		canvas_text(d->canvas, *r, STYLE_DIM, t && t->missing ? t->missing : "reading processes...");
		return false;
	}
	process_cells_init(cells, t, r->w);
	process_cells_headings(cells, t, hits, d->canvas, rect_top(r, 1));
	return true;
}

static struct need processes_size(const struct drawing *d, int cols)
{
	(void)d;
	(void)cols;
	return (struct need){6, CANVAS_ROWS_MAX};
}

static void processes_draw(const struct drawing *d, struct rect r)
{
	const struct process_table *t = d->data->processes;
	bool listed = t && t->list;
	struct process_cells cells;
	struct rect box = r, line;

	if (listed && r.h >= DETAILS_FROM)
		process_details_draw(d, t, rect_bottom(&r, process_details_rows(t)));
	line = rect_bottom(&r, listed);
	if (!start_list(d, t, d->data->hits, &r, &cells))
		return;
	draw_rows(t, d->data->hits, d->canvas, r, &cells);
	draw_line(t, d->canvas, line);
	if (t->choice)
		draw_choice(t->choice, d->canvas, box);
}

const struct widget widget_processes = {.name = "processes",
					.seriesless = true,
					.heads = 1,
					.size = processes_size,
					.draw = processes_draw,
					.corner = processes_corner};

/* ---- busiest: the processes with the most CPU time, as many as fit ---- */

enum { ROWS_MIN = 2 }; /* the headings and the busiest one */

static struct need busiest_size(const struct drawing *d, int cols)
{
	int rows = d->data->busiest ? 1 + (int)d->data->busiest->n : 0;

	(void)cols;
	return d->data->busiest ? (struct need){ROWS_MIN, rows > ROWS_MIN ? rows : ROWS_MIN}
				: (struct need){0, 0};
}

static void busiest_draw(const struct drawing *d, struct rect r)
{
	const struct process_table *t = d->data->busiest;
	struct process_cells cells;

	*t->page = r.h > 0 ? (unsigned)r.h : 0;
	if (start_list(d, t, NULL, &r, &cells))
		for (unsigned i = 0; i < t->n && r.h > 0; i++)
			process_cells_row(&cells, t, i, d->canvas, rect_top(&r, 1));
}

static void busiest_corner(const struct drawing *d, char *text, size_t size)
{
	put_counts(d->data->busiest, text, size);
}

const struct widget widget_busiest = {.name = "busiest",
				      .options = "of threads",
				      .seriesless = true,
				      .companion = true,
				      .heads = 1,
				      .size = busiest_size,
				      .draw = busiest_draw,
				      .corner = busiest_corner};
