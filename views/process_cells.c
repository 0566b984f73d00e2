#include "views/process_cells.h"

#include "base/alloc.h"
#include "base/units.h"
#include "model/sample.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MARKS = 2, GAP = 1, NAME_MIN = 12, NAME_FAIR = 20, LEVELS_MAX = 24 };

/* ---- what a column says ---- */

typedef char cell_text[UNITS_TEXT];

static double known(uint64_t value)
{
	return value == SAMPLE_UNKNOWN ? (double)NAN : (double)value;
}

/* A number, its unit behind it in a column of its own. */
static void number_text(cell_text out, double value, struct span unit, int unit_w, bool ascii)
{
	char number[UNITS_TEXT], suffix[UNITS_TEXT];

	unit_split(number, suffix, value, unit_find(unit), false, ascii);
	if (unit_w)
		snprintf(out, UNITS_TEXT, "%.15s %-*.8s", number, unit_w, suffix);
	else
		snprintf(out, UNITS_TEXT, "%.15s", number);
}

static void pid_text(cell_text out, const struct process *p, bool ascii)
{
	(void)ascii;
	snprintf(out, UNITS_TEXT, "%d", p->pid);
}

static void user_text(cell_text out, const struct process *p, bool ascii)
{
	(void)ascii;
	snprintf(out, UNITS_TEXT, "%s", p->user);
}

static void state_text(cell_text out, const struct process *p, bool ascii)
{
	(void)ascii;
	snprintf(out, UNITS_TEXT, "%c", p->state);
}

static void threads_text(cell_text out, const struct process *p, bool ascii)
{
	if (p->is_thread)
		number_text(out, (double)NAN, SPAN_LIT("count"), 0, ascii);
	else
		snprintf(out, UNITS_TEXT, "%u", p->threads);
}

static void cpu_text(cell_text out, const struct process *p, bool ascii)
{
	number_text(out, (double)p->cpu_percent, SPAN_LIT("percent"), 0, ascii);
}

static void rss_text(cell_text out, const struct process *p, bool ascii)
{
	number_text(out, known(p->rss_bytes), SPAN_LIT("bytes total"), 2, ascii);
}

static void gpu_text(cell_text out, const struct process *p, bool ascii)
{
	number_text(out, (double)p->gpu_percent, SPAN_LIT("percent"), 0, ascii);
}

static void gpu_memory_text(cell_text out, const struct process *p, bool ascii)
{
	number_text(out, known(p->gpu_bytes), SPAN_LIT("bytes total"), 2, ascii);
}

static void ipc_text(cell_text out, const struct process *p, bool ascii)
{
	number_text(out, (double)p->ipc, SPAN_LIT("ratio"), 0, ascii);
}

/* "1:02.34", from 100 minutes on "3h12m", from 100 hours on "12d07h". */
static void time_text(cell_text out, const struct process *p, bool ascii)
{
	unsigned long long hundredths = p->cpu_ns / 10000000, s = hundredths / 100, m = s / 60, h = m / 60;

	(void)ascii;
	if (m < 100)
		snprintf(out, UNITS_TEXT, "%llu:%02llu.%02llu", m, s % 60, hundredths % 100);
	else if (h < 100)
		snprintf(out, UNITS_TEXT, "%lluh%02llum", h, m % 60);
	else
		snprintf(out, UNITS_TEXT, "%llud%02lluh", h / 24, h % 24);
}

/* From left to right; the name stands behind them all and takes what is left. */
static const struct column {
	enum process_key key;
	const char *heading;
	int w; /* of the longest value, or of the heading and its glyph */
	bool left;
	unsigned rank; /* the highest is given up first; none stands twice */
	void (*text)(cell_text out, const struct process *p, bool ascii);
} columns[] = {
	{PROCESS_BY_PID, "pid", 7, false, 0, pid_text},   {PROCESS_BY_USER, "user", 9, true, 6, user_text},
	{PROCESS_BY_STATE, "S", 2, true, 5, state_text},  {PROCESS_BY_THREADS, "thr", 5, false, 8, threads_text},
	{PROCESS_BY_CPU, "CPU %", 6, false, 1, cpu_text}, {PROCESS_BY_MEMORY, "RSS", 7, false, 2, rss_text},
	{PROCESS_BY_GPU, "GPU %", 6, false, 3, gpu_text}, {PROCESS_BY_GPU_MEMORY, "GPU mem", 8, false, 4, gpu_memory_text},
	{PROCESS_BY_IPC, "IPC", 4, false, 9, ipc_text},   {PROCESS_BY_TIME, "TIME", 8, false, 7, time_text},
};
#define ESSENTIAL 3 /* ranks below stay even where the name becomes short */

static const struct column *column_of(enum process_key key)
{
	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		if (columns[i].key == key)
			return &columns[i];
	return NULL;
}

const char *process_key_title(enum process_key key)
{
	const struct column *c = column_of(key);

	return c && c->key == PROCESS_BY_STATE     ? "state"
	       : c && c->key == PROCESS_BY_THREADS ? "threads"
	       : c                                 ? c->heading
						   : "name";
}

static const struct column *column_of_rank(unsigned rank)
{
	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		if (columns[i].rank == rank)
			return &columns[i];
	return NULL;
}

void process_cells_init(struct process_cells *cells, const struct process_table *table, int cols)
{
	int spare = cols - MARKS - NAME_MIN;

	*cells = (struct process_cells){.next = UINT_MAX};
	for (unsigned rank = 0; rank < ARRAY_LEN(columns); rank++) {
		const struct column *c = column_of_rank(rank);

		if (table->unknown >> c->key & 1)
			continue;
		if (rank == ESSENTIAL)
			spare -= NAME_FAIR - NAME_MIN;
		spare -= c->w + GAP;
		if (spare < 0)
			return;
		cells->shown |= 1u << c->key;
	}
}

/* Takes the columns off *row, one per call; false behind the last. */
static bool next_column(const struct process_cells *cells, const struct column **c, struct rect *row, struct rect *cell)
{
	for (*c = *c ? *c + 1 : columns; *c < columns + ARRAY_LEN(columns); ++*c)
		if (cells->shown >> (*c)->key & 1) {
			*cell = rect_left(row, (*c)->w);
			rect_left(row, GAP);
			return true;
		}
	return false;
}

/* ---- headings ---- */

static void draw_heading(const struct process_order *order, enum process_key key, const char *heading, bool left,
			 struct canvas *canvas, struct rect cell)
{
	/* texts and pids ascend unless they are reversed */
	bool ascends = (key == PROCESS_BY_PID || key == PROCESS_BY_NAME || key == PROCESS_BY_USER || key == PROCESS_BY_STATE) !=
		       order->reversed;
	char text[UNITS_TEXT];

	if (order->key == key)
		snprintf(text, sizeof(text), "%s%s", heading, ascends ? "\u25b2" : "\u25bc");
	else
		snprintf(text, sizeof(text), "%s", heading);
	(left ? canvas_text : canvas_text_right)(canvas, cell, order->key == key ? STYLE_KEY : STYLE_DIM, text);
}

void process_cells_headings(const struct process_cells *cells, const struct process_table *table, struct canvas *canvas,
			    struct rect r)
{
	const struct column *c = NULL;
	struct rect cell;

	rect_left(&r, MARKS);
	while (next_column(cells, &c, &r, &cell))
		draw_heading(&table->order, c->key, c->heading, c->left, canvas, cell);
	draw_heading(&table->order, PROCESS_BY_NAME, "name", true, canvas, r);
}

/* ---- the tree ---- */

#define LINE_BIT(depth) ((depth) < 64 ? UINT64_C(1) << (depth) : 0)

/* The lines beside a row, from those beside the one before it. */
static uint64_t lines_below(uint64_t lines, const struct process_row *row)
{
	if (row->depth < 64)
		lines &= LINE_BIT(row->depth) - 1;
	return row->last ? lines : lines | LINE_BIT(row->depth);
}

/* The same for a row alone: only its ancestors matter, and they stand above. */
static uint64_t lines_at(const struct process_row *rows, unsigned at)
{
	unsigned level = rows[at].depth;
	uint64_t lines = rows[at].last ? 0 : LINE_BIT(level);

	while (level > 0 && at-- > 0)
		if (rows[at].depth < level) {
			level = rows[at].depth;
			lines |= rows[at].last ? 0 : LINE_BIT(level);
		}
	return lines;
}

/* The lines left of a name, two columns for a level; of a deep tree those nearest to the name. */
static void draw_lines(uint64_t lines, const struct process_row *row, struct canvas *canvas, enum style style, struct rect *r)
{
	static const char *const glyphs[2][2] = {{"  ", "\u2502 "}, {"\u2514\u2500", "\u251c\u2500"}};
	unsigned most = r->w > 0 ? (unsigned)r->w / 4 : 0, depth = row->depth;

	if (most > LEVELS_MAX)
		most = LEVELS_MAX;
	for (unsigned level = depth > most ? depth - most + 1 : 1; level <= depth; level++)
		canvas_text(canvas, rect_left(r, 2), style, glyphs[level == depth][(lines & LINE_BIT(level)) != 0]);
	rect_left(r, depth > 0);
}

/* ---- rows ---- */

void process_cells_row(struct process_cells *cells, const struct process_table *table, unsigned row, struct canvas *canvas,
		       struct rect r)
{
	const struct process_row *at = &table->rows[row];
	const struct process *p = at->process;
	bool selected = row == table->selected;
	enum style style = selected ? STYLE_SELECTED : p->is_thread ? STYLE_DIM : STYLE_TEXT;
	const struct column *c = NULL;
	struct rect cell;

	cells->lines = row == cells->next ? lines_below(cells->lines, at) : lines_at(table->rows, row);
	cells->next = row + 1;
	if (selected)
		canvas_fill(canvas, r, style, ' ');
	canvas_text(canvas, rect_left(&r, 1), style, selected ? ">" : "");
	canvas_text(canvas, rect_left(&r, MARKS - 1), style, process_is(p, table->counted) ? "*" : "");
	while (next_column(cells, &c, &r, &cell)) {
		cell_text text;

		c->text(text, p, canvas->ascii);
		(c->left ? canvas_text : canvas_text_right)(canvas, cell, style, text);
		if (text_width(text) > c->w)
			canvas_text(canvas, rect_right(&cell, 1), style, "\u2026");
	}
	draw_lines(cells->lines, at, canvas, selected ? style : STYLE_DIM, &r);
	canvas_text(canvas, r, style, p->name);
}
