#include "views/process_cells.h"

#include "base/alloc.h"
#include "base/real.h"
#include "base/units.h"
#include "model/sample.h"
#include "views/compared.h"
#include "views/widget.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	MARKS = 2,
	GAP = 1,
	NAME_MIN = 12,
	NAME_FAIR = 20,
	NAME_GOOD = 32,
	LEVELS_MAX = 24,
	PAST_MIN = 8,
	PAST_FAIR = 20
};

/* ---- the text of a column ---- */

typedef char cell_text[UNITS_TEXT];

static double known_value(uint64_t value)
{
	return value == SAMPLE_UNKNOWN ? (double)NAN : (double)value;
}

/* A number, and its unit after it in a column of its own. */
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
	number_text(out, known_value(p->rss_bytes), SPAN_LIT("bytes total"), 2, ascii);
}

static void gpu_text(cell_text out, const struct process *p, bool ascii)
{
	number_text(out, (double)p->gpu_percent, SPAN_LIT("percent"), 0, ascii);
}

static void fragment_text(cell_text out, const struct process *p, bool ascii)
{
	number_text(out, p->gpu_queues ? (double)p->gpu_fragment_percent : (double)NAN, SPAN_LIT("percent"),
		    0, ascii);
}

static void vertex_text(cell_text out, const struct process *p, bool ascii)
{
	number_text(out, p->gpu_queues ? (double)p->gpu_vertex_percent : (double)NAN, SPAN_LIT("percent"), 0,
		    ascii);
}

static void gpu_memory_text(cell_text out, const struct process *p, bool ascii)
{
	number_text(out, known_value(p->gpu_bytes), SPAN_LIT("bytes total"), 2, ascii);
}

static void misses_text(cell_text out, const struct process *p, bool ascii)
{
	number_text(out, (double)p->misses, SPAN_LIT("ratio"), 0, ascii);
}

static void ipc_text(cell_text out, const struct process *p, bool ascii)
{
	number_text(out, (double)p->ipc, SPAN_LIT("ratio"), 0, ascii);
}

static void wait_text(cell_text out, const struct process *p, bool ascii)
{
	number_text(out, (double)p->wait_percent, SPAN_LIT("percent"), 0, ascii);
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

static void time_text(cell_text out, const struct process *p, bool ascii)
{
	(void)ascii;
	process_time_text(out, p->cpu_ns);
}

/* ---- columns that are drawn ---- */

static const uint8_t *past_of(const struct process_table *table, const struct process *p)
{
	return table->list->past ? table->list->past[p - table->list->processes] : NULL;
}

static enum style amount_style(const struct process *p)
{
	return p->is_thread ? STYLE_AXIS : STYLE_SERIES1;
}

static void draw_cpu_bar(const struct process_cells *cells, const struct process_table *table,
			 const struct process *p, struct canvas *canvas, struct rect r)
{
	(void)table;
	canvas_meter(canvas, r, amount_style(p), (double)p->cpu_percent / cells->cpu_full, NAN);
}

static void draw_gpu_bar(const struct process_cells *cells, const struct process_table *table,
			 const struct process *p, struct canvas *canvas, struct rect r)
{
	(void)cells, (void)table;
	if (!isnan(p->gpu_percent))
		canvas_meter(canvas, r, load_style((double)p->gpu_percent), (double)p->gpu_percent / 100,
			     NAN);
}

static void draw_past(const struct process_cells *cells, const struct process_table *table,
		      const struct process *p, struct canvas *canvas, struct rect r)
{
	const uint8_t *past = past_of(table, p);
	double points[2 * PROCESS_PAST];
	uint8_t styles[PROCESS_PAST];

	for (int i = 0; i < cells->past; i++) {
		uint8_t value = past ? past[PROCESS_PAST - cells->past + i] : PROCESS_PAST_UNKNOWN;

		points[2 * i] = points[2 * i + 1] =
			value == PROCESS_PAST_UNKNOWN ? (double)NAN : (double)value / 100;
		styles[i] = (uint8_t)amount_style(p);
	}
	canvas_history(canvas, r, points, styles, cells->past);
}

/* ---- columns of a comparison ---- */

static const struct process_was *was_of(const struct process_table *table, const struct process *p)
{
	return &table->was[p - table->list->processes];
}

static void draw_was(const struct process_was *was, double value, const char *unit, struct canvas *canvas,
		     struct rect r)
{
	cell_text text;

	number_text(text, value, span_of(unit), strcmp(unit, "percent") == 0 ? 0 : 2, canvas->ascii);
	canvas_text_right(canvas, r, STYLE_DIM, was->is_new ? "new" : text);
}

static void draw_cpu_was(const struct process_cells *cells, const struct process_table *table,
			 const struct process *p, struct canvas *canvas, struct rect r)
{
	(void)cells;
	draw_was(was_of(table, p), was_of(table, p)->cpu_percent, "percent", canvas, r);
}

static void draw_gpu_was(const struct process_cells *cells, const struct process_table *table,
			 const struct process *p, struct canvas *canvas, struct rect r)
{
	(void)cells;
	draw_was(was_of(table, p), was_of(table, p)->gpu_percent, "percent", canvas, r);
}

static void draw_rss_was(const struct process_cells *cells, const struct process_table *table,
			 const struct process *p, struct canvas *canvas, struct rect r)
{
	(void)cells;
	draw_was(was_of(table, p), was_of(table, p)->rss_bytes, "bytes total", canvas, r);
}

static void draw_cpu_change(const struct process_cells *cells, const struct process_table *table,
			    const struct process *p, struct canvas *canvas, struct rect r)
{
	const struct process_was *was = was_of(table, p);

	(void)cells;
	compared_change(&(struct comparison){.unit = unit_find(SPAN_LIT("percent")),
					     .was = was->is_new ? 0 : was->cpu_percent,
					     .now = (double)p->cpu_percent},
			canvas, r);
}

/* ---- columns ---- */

enum when {
	ALWAYS,
	ALONE,   /* while nothing is compared */
	COMPARED /* only then */
};

/* From left to right; the name comes after them all and takes the rest. */
static const struct process_cell {
	enum process_key key; /* without it there is no column; "" has no heading */
	const char *heading;
	int w; /* of the longest value, or of the heading and its glyph */
	bool left;
	unsigned rank; /* the highest is omitted first; each occurs once */
	enum when when;
	void (*text)(cell_text out, const struct process *p, bool ascii);
	void (*draw)(const struct process_cells *cells, const struct process_table *table,
		     const struct process *p, struct canvas *canvas, struct rect r);
} columns[] = {
	{PROCESS_BY_PID, "pid", 7, false, 0, ALWAYS, pid_text, NULL},
	{PROCESS_BY_USER, "user", 9, true, 11, ALWAYS, user_text, NULL},
	{PROCESS_BY_STATE, "S", 2, true, 8, ALWAYS, state_text, NULL},
	{PROCESS_BY_THREADS, "thr", 5, false, 14, ALWAYS, threads_text, NULL},
	{PROCESS_BY_CPU, "was", 6, false, 3, COMPARED, NULL, draw_cpu_was},
	{PROCESS_BY_CPU, "CPU %", 6, false, 1, ALWAYS, cpu_text, NULL},
	{PROCESS_BY_CPU, "change", 9, false, 4, COMPARED, NULL, draw_cpu_change},
	{PROCESS_BY_CPU, "", 10, true, 17, ALONE, NULL, draw_cpu_bar},
	{PROCESS_BY_CPU, "", PAST_MIN, true, 9, ALONE, NULL, draw_past},
	{PROCESS_BY_WAIT, "wait %", 7, false, 13, ALWAYS, wait_text, NULL},
	{PROCESS_BY_GPU, "was", 6, false, 6, COMPARED, NULL, draw_gpu_was},
	{PROCESS_BY_GPU, "GPU %", 6, false, 5, ALWAYS, gpu_text, NULL},
	{PROCESS_BY_GPU, "", 8, true, 18, ALONE, NULL, draw_gpu_bar},
	{PROCESS_BY_GPU_FRAGMENT, "frag %", 7, false, 19, ALWAYS, fragment_text, NULL},
	{PROCESS_BY_GPU_VERTEX, "vert %", 7, false, 20, ALWAYS, vertex_text, NULL},
	{PROCESS_BY_MEMORY, "was", 7, false, 10, COMPARED, NULL, draw_rss_was},
	{PROCESS_BY_MEMORY, "RSS", 7, false, 2, ALWAYS, rss_text, NULL},
	{PROCESS_BY_GPU_MEMORY, "GPU mem", 8, false, 7, ALWAYS, gpu_memory_text, NULL},
	{PROCESS_BY_IPC, "IPC", 4, false, 12, ALWAYS, ipc_text, NULL},
	{PROCESS_BY_MISSES, "misses", 6, false, 16, ALWAYS, misses_text, NULL},
	{PROCESS_BY_TIME, "TIME", 8, false, 15, ALWAYS, time_text, NULL},
};
#define ESSENTIAL 3 /* lower ranks stay even if the name becomes short */
#define SPARE 12    /* ranks from here on leave room for a command line */

static const struct process_cell *column_of(enum process_key key)
{
	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		if (columns[i].key == key && columns[i].when == ALWAYS)
			return &columns[i];
	return NULL;
}

const char *process_key_title(enum process_key key)
{
	const struct process_cell *c = column_of(key);

	return c && c->key == PROCESS_BY_STATE     ? "state"
	       : c && c->key == PROCESS_BY_THREADS ? "threads"
	       : c                                 ? c->heading
						   : "name";
}

static unsigned column_of_rank(unsigned rank)
{
	unsigned i = 0;

	while (i < ARRAY_LEN(columns) && columns[i].rank != rank)
		i++;
	return i;
}

/* The history has one second per column, and grows if there is room. */
static int past_cols(int spare)
{
	int w = PAST_MIN + (spare > 0 ? spare / 3 : 0);

	return w < PAST_FAIR                                    ? w
	       : PAST_FAIR + (w - PAST_FAIR) / 2 < PROCESS_PAST ? PAST_FAIR + (w - PAST_FAIR) / 2
								: PROCESS_PAST;
}

void process_cells_init(struct process_cells *cells, const struct process_table *table, int cols)
{
	int spare = cols - MARKS - NAME_MIN;

	*cells = (struct process_cells){.next = UINT_MAX,
					.past = PAST_MIN,
					.cpu_full = widget_nice_top(real_max(table->cpu_most, 90))};
	for (unsigned rank = 0; rank < ARRAY_LEN(columns); rank++) {
		unsigned i = column_of_rank(rank);

		if (rank == ESSENTIAL)
			spare -= NAME_FAIR - NAME_MIN;
		if (rank == SPARE)
			spare -= NAME_GOOD - NAME_FAIR;
		if (table->unknown >> columns[i].key & 1 ||
		    columns[i].when == (table->was ? ALONE : COMPARED))
			continue;
		spare -= columns[i].w + GAP;
		if (spare < 0)
			return;
		cells->shown |= 1u << i;
	}
	cells->past = past_cols(spare);
}

/* Cut the columns off *row, one per call. Returns false after the last. */
static bool next_column(const struct process_cells *cells, const struct process_cell **c, struct rect *row,
			struct rect *cell)
{
	for (*c = *c ? *c + 1 : columns; *c < columns + ARRAY_LEN(columns); ++*c)
		if (cells->shown >> (*c - columns) & 1) {
			*cell = rect_left(row, (*c)->draw == draw_past ? cells->past : (*c)->w);
			rect_left(row, GAP);
			return true;
		}
	return false;
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
	const struct process_cell *c = NULL;
	struct rect cell;

	rect_left(&r, MARKS);
	while (next_column(cells, &c, &r, &cell)) {
		if (c->text)
			draw_heading(&table->order, c->key, c->heading, c->left, canvas, cell);
		else if (c->draw == draw_past)
			canvas_printf(canvas, cell, STYLE_DIM, "last %d s", cells->past);
		else
			canvas_text_right(canvas, cell, STYLE_DIM, c->heading);
		hits_add(hits, &(struct hit){.at = cell, .kind = HIT_COLUMN, .number = c->key});
	}
	hits_add(hits, &(struct hit){.at = r, .kind = HIT_COLUMN, .number = PROCESS_BY_NAME});
	draw_heading(&table->order, PROCESS_BY_NAME,
		     table->commands && r.w >= NAME_FAIR ? "command line" : "name", true, canvas, r);
}

/* ---- the tree ---- */

#define LINE_BIT(depth) ((depth) < 64 ? UINT64_C(1) << (depth) : 0)

/* Compute the tree lines of a row from those of the row before. */
static uint64_t lines_below(uint64_t lines, const struct process_row *row)
{
	if (row->depth < 64)
		lines &= LINE_BIT(row->depth) - 1;
	return row->last ? lines : lines | LINE_BIT(row->depth);
}

/* The same for a single row, from its ancestors above it. */
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

/* ---- rows ---- */

#define IDLE_PERCENT 0.05 /* "0.0" */
#define BUSY_PERCENT 20

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

static void draw_cell(const struct process_cell *c, const struct process *p, enum style style,
		      struct canvas *canvas, struct rect cell)
{
	cell_text text;

	c->text(text, p, canvas->ascii);
	(c->left ? canvas_text : canvas_text_right)(canvas, cell, style, text);
	if (text_width(text) > c->w)
		canvas_text(canvas, rect_right(&cell, 1), style, "\u2026");
}

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
	const struct process_cell *c = NULL;
	struct rect cell, whole = r;

	cells->lines = row == cells->next ? lines_below(cells->lines, at) : lines_at(table->rows, row);
	cells->next = row + 1;
	canvas_text(canvas, rect_left(&r, 1), style, selected ? ">" : "");
	canvas_text(canvas, rect_left(&r, MARKS - 1), style, process_is(p, table->counted) ? "*" : "");
	while (next_column(cells, &c, &r, &cell))
		if (c->draw)
			c->draw(cells, table, p, canvas, cell);
		else
			draw_cell(c, p, cell_style(c, p, style), canvas, cell);
	draw_lines(cells->lines, at, canvas, STYLE_DIM, &r);
	draw_name(table, p, style, canvas, r);
	if (selected)
		canvas_restyle(canvas, whole, STYLE_SELECTED);
}
