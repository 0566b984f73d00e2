#include "views/process_cells.h"

#include "base/alloc.h"
#include "base/real.h"
#include "base/units.h"
#include "model/sample.h"
#include "views/compared.h"
#include "views/widget.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { MARKS = 2, GAP = 1, LEVELS_MAX = 24, PAST_MIN = 8, PAST_FAIR = 20 };

/* ---- columns ---- */

/* The content of a cell. */
enum cell_kind {
	CELL_TEXT,
	CELL_NUMBER, /* `value` of struct process */
	/* only in a comparison */
	CELL_WAS, /* `value` of struct process_was */
	CELL_CHANGE,
	/* only without a comparison */
	CELL_CPU_BAR,
	CELL_GPU_BAR,
	CELL_PAST
};

#define OF(field) offsetof(struct process, field)
#define WAS(field) offsetof(struct process_was, field)

/* Columns from left to right; the name follows and takes the rest. The name gets NAME_MIN before
 * any column, NAME_FAIR before most, and NAME_GOOD, enough for a command line, before the least
 * important ones. */
enum { NAME_MIN = 12, NAME_FAIR = 20, NAME_GOOD = 32 };
#define NO_COLUMN PROCESS_KEYS
static const struct process_cell {
	/* as wide as the longest value, or the heading and its glyph */
	struct widget_column column;
	enum process_key key; /* the column is omitted if this is unknown for all processes */
	enum cell_kind kind;
	const char *unit; /* of bytes, whose unit is shown */
	size_t value;     /* offset of the number: bytes are uint64_t, others are float */
} columns[] = {
	{{"pid", 7, 0, false}, PROCESS_BY_PID, CELL_TEXT, NULL, 0},
	{{"user", 9, 12, true}, PROCESS_BY_USER, CELL_TEXT, NULL, 0},
	{{"S", 2, 9, true}, PROCESS_BY_STATE, CELL_TEXT, NULL, 0},
	{{"thr", 5, 16, false}, PROCESS_BY_THREADS, CELL_TEXT, NULL, 0},
	{{"was", 6, 4, false}, PROCESS_BY_CPU, CELL_WAS, "percent", WAS(cpu_percent)},
	{{"CPU %", 6, 1, false}, PROCESS_BY_CPU, CELL_NUMBER, "percent", OF(cpu_percent)},
	{{"change", 9, 5, false}, PROCESS_BY_CPU, CELL_CHANGE, NULL, 0},
	{{"", 10, 19, true}, PROCESS_BY_CPU, CELL_CPU_BAR, NULL, 0},
	{{"", PAST_MIN, 10, true}, PROCESS_BY_CPU, CELL_PAST, NULL, 0},
	{{"wait %", 7, 15, false}, PROCESS_BY_WAIT, CELL_NUMBER, "percent", OF(wait_percent)},
	{{"was", 6, 7, false}, PROCESS_BY_GPU, CELL_WAS, "percent", WAS(gpu_percent)},
	{{"GPU %", 6, 6, false}, PROCESS_BY_GPU, CELL_NUMBER, "percent", OF(gpu_percent)},
	{{"", 8, 20, true}, PROCESS_BY_GPU, CELL_GPU_BAR, NULL, 0},
	{{"frag %", 7, 21, false}, PROCESS_BY_GPU_FRAGMENT, CELL_NUMBER, "percent", OF(gpu_fragment_percent)},
	{{"vert %", 7, 22, false}, PROCESS_BY_GPU_VERTEX, CELL_NUMBER, "percent", OF(gpu_vertex_percent)},
	{{"was", 7, 11, false}, PROCESS_BY_MEMORY, CELL_WAS, "bytes total", WAS(rss_bytes)},
	{{"RSS", 7, 2, false}, PROCESS_BY_MEMORY, CELL_NUMBER, "bytes total", OF(rss_bytes)},
	{{"GPU mem", 8, 8, false}, PROCESS_BY_GPU_MEMORY, CELL_NUMBER, "bytes total", OF(gpu_bytes)},
	{{"IPC", 4, 14, false}, PROCESS_BY_IPC, CELL_NUMBER, "ratio", OF(ipc)},
	{{"misses", 6, 18, false}, PROCESS_BY_MISSES, CELL_NUMBER, "ratio", OF(misses)},
	{{"TIME", 8, 17, false}, PROCESS_BY_TIME, CELL_TEXT, NULL, 0},
	{{NULL, NAME_FAIR - NAME_MIN - 1, 3, true}, NO_COLUMN, CELL_TEXT, NULL, 0},
	{{NULL, NAME_GOOD - NAME_FAIR - 1, 13, true}, NO_COLUMN, CELL_TEXT, NULL, 0},
};
#define ROOMS 2 /* entries without a key */
#define COLUMNS (ARRAY_LEN(columns) - ROOMS)

const char *process_key_title(enum process_key key)
{
	for (size_t i = 0; i < COLUMNS; i++)
		if (columns[i].key == key && columns[i].kind <= CELL_NUMBER)
			return key == PROCESS_BY_STATE     ? "state"
			       : key == PROCESS_BY_THREADS ? "threads"
							   : columns[i].column.head;
	return "name";
}
/* Return the columns of the history: one per second, more if there is room. */
static int past_cols(int spare)
{
	int w = PAST_MIN + (spare > 0 ? spare / 3 : 0);

	w = w < PAST_FAIR ? w : PAST_FAIR + (w - PAST_FAIR) / 2;
	return w < PROCESS_PAST ? w : PROCESS_PAST;
}

void process_cells_init(struct process_cells *cells, const struct process_table *table, int cols)
{
	struct widget_column list[COLUMNS + ROOMS];
	uint32_t omit = 0;
	bool whole = true;
	int spare;

	*cells = (struct process_cells){.next = UINT_MAX,
					.cpu_full = widget_nice_top(real_max(table->cpu_most, 90))};
	for (unsigned i = 0; i < COLUMNS + ROOMS; i++) {
		enum cell_kind kind = columns[i].kind;
		bool fits = kind <= CELL_NUMBER || (kind <= CELL_CHANGE) == (table->was != NULL);

		list[i] = columns[i].column;
		if (!fits || table->unknown >> columns[i].key & 1)
			omit |= 1u << i;
	}
	spare = widget_fit(list, COLUMNS + ROOMS, omit, false, cols - MARKS - NAME_MIN, cells->w);
	for (unsigned i = 0; i < COLUMNS + ROOMS; i++)
		whole &= cells->w[i] || omit >> i & 1;
	for (unsigned i = 0; i < COLUMNS; i++)
		if (columns[i].kind == CELL_PAST && cells->w[i] && whole)
			cells->w[i] = past_cols(spare);
}

/* Cut the columns off *row; the rest is for the name. */
static void cut_cells(const struct process_cells *cells, struct rect *row, struct rect at[COLUMNS])
{
	widget_place(cells->w, COLUMNS, row, at);
	rect_left(row, GAP);
}

/* ---- headings ---- */

static void draw_heading(const struct process_order *order, enum process_key key, const char *heading,
			 bool left, struct canvas *canvas, struct rect cell)
{
	/* texts and pids ascend unless they are reversed */
	bool ascends = (key == PROCESS_BY_PID || key == PROCESS_BY_NAME || key == PROCESS_BY_USER ||
			key == PROCESS_BY_STATE) != order->reversed;
	char text[UNITS_TEXT];

	if (order->key == key)
		snprintf(text, sizeof(text), "%s%s", heading, ascends ? "\u25b2" : "\u25bc");
	else
		snprintf(text, sizeof(text), "%s", heading);
	(left ? canvas_text : canvas_text_right)(canvas, cell, order->key == key ? STYLE_KEY : STYLE_DIM,
						 text);
}

void process_cells_headings(const struct process_cells *cells, const struct process_table *table,
			    struct hits *hits, struct canvas *canvas, struct rect r)
{
	struct rect at[COLUMNS];

	rect_left(&r, MARKS);
	cut_cells(cells, &r, at);
	for (unsigned i = 0; i < COLUMNS; i++) {
		const struct process_cell *c = &columns[i];

		if (!at[i].w)
			continue;
		if (c->kind <= CELL_NUMBER)
			draw_heading(&table->order, c->key, c->column.head, c->column.left, canvas, at[i]);
		else if (c->kind == CELL_PAST)
			canvas_printf(canvas, at[i], STYLE_DIM, "last %d s", at[i].w);
		else
			canvas_text_right(canvas, at[i], STYLE_DIM, c->column.head);
		hits_add(hits, &(struct hit){.at = at[i], .kind = HIT_COLUMN, .number = c->key});
	}
	hits_add(hits, &(struct hit){.at = r, .kind = HIT_COLUMN, .number = PROCESS_BY_NAME});
	draw_heading(&table->order, PROCESS_BY_NAME,
		     table->commands && r.w >= NAME_FAIR ? "command line" : "name", true, canvas, r);
}

/* ---- the tree ---- */

#define LINE_BIT(depth) ((depth) < 64 ? UINT64_C(1) << (depth) : 0)

/* Compute the tree lines of a row from those of the row above. */
static uint64_t lines_below(uint64_t lines, const struct process_row *row)
{
	if (row->depth < 64)
		lines &= LINE_BIT(row->depth) - 1;
	return row->last ? lines : lines | LINE_BIT(row->depth);
}

/* Compute the tree lines of a single row from its ancestors above it. */
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

/* Draw the tree lines left of a name, two columns per level; in a deep tree, only the last
 * levels. */
static void draw_lines(uint64_t lines, const struct process_row *row, struct canvas *canvas, enum style style,
		       struct rect *r)
{
	static const char *const glyphs[2][2] = {{"  ", "\u2502 "}, {"\u2514\u2500", "\u251c\u2500"}};
	unsigned most = r->w > 0 ? (unsigned)r->w / 4 : 0, depth = row->depth;

	if (most > LEVELS_MAX)
		most = LEVELS_MAX;
	for (unsigned level = depth > most ? depth - most + 1 : 1; level <= depth; level++)
		canvas_text(canvas, rect_left(r, 2), style,
			    glyphs[level == depth][(lines & LINE_BIT(level)) != 0]);
	rect_left(r, depth > 0);
}

/* ---- cells ---- */

#define IDLE_PERCENT 0.05 /* below this the shown value is "0.0" */
#define BUSY_PERCENT 20

/* "1.23", or of bytes "12.3 MB", with the unit in a column of its own. */
static void number_text(char out[UNITS_TEXT], double value, const char *unit)
{
	bool bytes = unit[0] == 'b';
	char number[UNITS_TEXT], suffix[UNITS_TEXT];

	unit_split(number, suffix, value, unit_find(span_of(unit)), false, false);
	snprintf(out, UNITS_TEXT, bytes ? "%.15s %-2.8s" : "%.15s", number, suffix);
}

static double number_of(const struct process_cell *c, const struct process *p)
{
	const char *at = (const char *)p + c->value;
	bool queues = c->key == PROCESS_BY_GPU_FRAGMENT || c->key == PROCESS_BY_GPU_VERTEX;

	if (c->unit[0] != 'b')
		return queues && !p->gpu_queues ? (double)NAN : (double)*(const float *)at;
	return *(const uint64_t *)at == SAMPLE_UNKNOWN ? (double)NAN : (double)*(const uint64_t *)at;
}

void process_time_text(char out[UNITS_TEXT], uint64_t ns)
{
	unsigned long long hundredths = ns / 10000000, s = hundredths / 100, m = s / 60, h = m / 60;

	if (m < 100)
		snprintf(out, UNITS_TEXT, "%llu:%02llu.%02llu", m, s % 60, hundredths % 100);
	else if (h < 100)
		snprintf(out, UNITS_TEXT, "%lluh%02llum", h, m % 60);
	else
		snprintf(out, UNITS_TEXT, "%llud%02lluh", h / 24, h % 24);
}

static void draw_text(const struct process_cell *c, const struct process *p, enum style style,
		      struct canvas *canvas, struct rect r)
{
	char text[UNITS_TEXT];

	if (c->kind == CELL_NUMBER)
		number_text(text, number_of(c, p), c->unit);
	else if (c->key == PROCESS_BY_PID)
		snprintf(text, sizeof(text), "%d", p->pid);
	else if (c->key == PROCESS_BY_USER)
		snprintf(text, sizeof(text), "%s", p->user);
	else if (c->key == PROCESS_BY_STATE)
		snprintf(text, sizeof(text), "%c", p->state);
	else if (c->key == PROCESS_BY_TIME)
		process_time_text(text, p->cpu_ns);
	else if (p->is_thread)
		snprintf(text, sizeof(text), "\u2013");
	else
		snprintf(text, sizeof(text), "%u", p->threads);
	(c->column.left ? canvas_text : canvas_text_right)(canvas, r, style, text);
	if (text_width(text) > c->column.w)
		canvas_text(canvas, rect_right(&r, 1), style, "\u2026");
}

static enum style amount_style(const struct process *p)
{
	return p->is_thread ? STYLE_AXIS : STYLE_SERIES1;
}

/* Draw the history, a column per second. */
static void draw_past(const struct process_table *table, const struct process *p, struct canvas *canvas,
		      struct rect r)
{
	const uint8_t *past = table->list->past ? table->list->past[p - table->list->processes] : NULL;
	double points[2 * PROCESS_PAST];
	uint8_t styles[PROCESS_PAST];

	for (int i = 0; i < r.w; i++) {
		uint8_t value = past ? past[PROCESS_PAST - r.w + i] : PROCESS_PAST_UNKNOWN;

		points[2 * i] = points[2 * i + 1] =
			value == PROCESS_PAST_UNKNOWN ? (double)NAN : (double)value / 100;
		styles[i] = (uint8_t)amount_style(p);
	}
	canvas_history(canvas, r, points, styles, r.w);
}

static void draw_compared(const struct process_cell *c, const struct process_was *was,
			  const struct process *p, struct canvas *canvas, struct rect r)
{
	const struct comparison change = {.unit = unit_find(SPAN_LIT("percent")),
					  .was = was->is_new ? 0 : was->cpu_percent,
					  .now = (double)p->cpu_percent};
	char text[UNITS_TEXT];

	if (c->kind == CELL_CHANGE) {
		compared_change(&change, canvas, r);
		return;
	}
	number_text(text, *(const double *)((const char *)was + c->value), c->unit);
	canvas_text_right(canvas, r, STYLE_DIM, was->is_new ? "new" : text);
}

static enum style row_style(const struct process *p)
{
	return p->cpu_percent >= (float)IDLE_PERCENT && !p->is_thread ? STYLE_TEXT : STYLE_DIM;
}

static enum style cell_style(const struct process_cell *c, const struct process *p, enum style row)
{
	if (c->key == PROCESS_BY_CPU && p->cpu_percent >= BUSY_PERCENT)
		return STYLE_VALUE;
	if (c->key == PROCESS_BY_GPU && p->gpu_percent >= BUSY_PERCENT)
		return load_style((double)p->gpu_percent);
	if (c->key == PROCESS_BY_STATE && p->state == 'R')
		return STYLE_CALM;
	return row;
}

static void draw_cell(const struct process_cells *cells, const struct process_table *table,
		      const struct process_cell *c, const struct process *p, struct canvas *canvas,
		      struct rect r)
{
	double cpu = (double)p->cpu_percent, gpu = (double)p->gpu_percent;

	switch (c->kind) {
	case CELL_CPU_BAR:
		canvas_meter(canvas, r, amount_style(p), cpu / cells->cpu_full, NAN);
		break;
	case CELL_GPU_BAR:
		if (!isnan(gpu))
			canvas_meter(canvas, r, load_style(gpu), gpu / 100, NAN);
		break;
	case CELL_PAST:
		draw_past(table, p, canvas, r);
		break;
	case CELL_WAS:
	case CELL_CHANGE:
		draw_compared(c, &table->was[p - table->list->processes], p, canvas, r);
		break;
	default:
		draw_text(c, p, cell_style(c, p, row_style(p)), canvas, r);
	}
}

/* ---- rows ---- */

/* Draw the name or the command line, or both if the program has renamed itself. A thread in a list
 * of threads is followed by the name of its process. */
static void draw_name(const struct process_table *t, const struct process *p, enum style style,
		      struct canvas *canvas, struct rect r)
{
	bool command = t->commands && p->command && r.w >= NAME_FAIR;
	const struct process *of = t->order.tasks && p->is_thread ? process_find(t->list, p->parent) : NULL;

	if (!command || !strstr(p->command, p->name)) {
		rect_left(&r, canvas_text_cut(canvas, r, style, p->name));
		rect_left(&r, command ? canvas_text(canvas, r, style, ": ") : 0);
	}
	if (command)
		canvas_text_cut(canvas, r, style, p->command);
	if (of) {
		rect_left(&r, canvas_text(canvas, r, STYLE_DIM, " of "));
		canvas_text_cut(canvas, r, STYLE_DIM, of->name);
	}
}

void process_cells_row(struct process_cells *cells, const struct process_table *table, unsigned row,
		       struct canvas *canvas, struct rect r)
{
	const struct process_row *at = &table->rows[row];
	const struct process *p = at->process;
	bool selected = row == table->selected;
	enum style style = row_style(p);
	struct rect whole = r, cell[COLUMNS];

	cells->lines = row == cells->next ? lines_below(cells->lines, at) : lines_at(table->rows, row);
	cells->next = row + 1;
	canvas_text(canvas, rect_left(&r, 1), style, selected ? ">" : "");
	canvas_text(canvas, rect_left(&r, MARKS - 1), style, process_is(p, table->counted) ? "*" : "");
	cut_cells(cells, &r, cell);
	for (unsigned i = 0; i < COLUMNS; i++)
		if (cell[i].w)
			draw_cell(cells, table, &columns[i], p, canvas, cell[i]);
	draw_lines(cells->lines, at, canvas, STYLE_DIM, &r);
	draw_name(table, p, style, canvas, r);
	if (selected)
		canvas_restyle(canvas, whole, STYLE_SELECTED);
}
