/* passes: the render passes of one frame, the longest first: own time (mean, least, median,
 * longest), share of the GPU's frame and of the budget, resolution, begin to end, history. Passes
 * with the same label are below a common row, which can be folded. With a pass selected and the
 * panel alone (zoom), it shows the history of that pass, and below it the chart's other series over
 * the same time. */
#include "views/pass_groups.h"
#include "views/widget.h"

#include "base/alloc.h"
#include "passes/frame_stats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NAME_MAX 36
#define BAR_MAX 40
#define GAP 1
#define LINES_MIN 4  /* least rows of passes in any terminal */
#define LINES_WIDE 9 /* least rows of passes in a wide terminal */
#define WIDE 120
#define MEANWHILE_W 18 /* label columns of the other series */

enum pass_column {
	NUMBER,
	NAME,
	OWN,
	LEAST,
	MEDIAN,
	MOST,
	BAR,
	SHARE,
	BUDGET,
	CALLS,
	VERTICES,
	SIZE,
	SPAN,
	KIND,
	HISTORY,
	COLUMNS
};

static const struct widget_column columns[COLUMNS] = {
	[NUMBER] = {NULL, 4, 11, false},       [NAME] = {"pass", 16, 0, true},
	[OWN] = {"own time", 10, 1, false}, /* "1234.56 ms" */
	[LEAST] = {"min", 7, 6, false},        [MEDIAN] = {"median", 7, 5, false},
	[MOST] = {"longest", 7, 4, false},     [BAR] = {NULL, 8, 7, false},
	[SHARE] = {"of GPU", 8, 2, false},     [BUDGET] = {"of budget", 9, 3, false},
	[CALLS] = {"calls", 6, 8, false},      [VERTICES] = {"vertices", 8, 9, false},
	[SIZE] = {"resolution", 11, 10, true}, [SPAN] = {"from-to", 10, 12, false},
	[KIND] = {"kind", 10, 13, true},       [HISTORY] = {"own time, history", 20, 14, true},
};

static void cut_columns(struct rect row, struct rect at[COLUMNS])
{
	int w[COLUMNS], spare = widget_fit(columns, COLUMNS, 0, true, row.w, w);

	if (w[NAME])
		spare -= widget_widen(&w[NAME], NAME_MAX, spare);
	if (w[BAR])
		widget_widen(&w[BAR], BAR_MAX, spare);
	widget_place(w, COLUMNS, &row, at);
}

/* Draw a number right-aligned; a dash if it is unknown. */
static void draw_number(struct canvas *canvas, struct rect r, enum style style, double value)
{
	if (isnan(value))
		canvas_text_right(canvas, r, STYLE_DIM, "\u2013");
	else
		canvas_printf(canvas, r, style, "%*.2f", r.w, value);
}

static void draw_ms(struct canvas *canvas, struct rect r, double ms, enum style style)
{
	struct rect unit = rect_right(&r, 3);

	draw_number(canvas, r, style, ms);
	canvas_text(canvas, unit, STYLE_DIM, " ms");
}

/* Draw the draws and dispatches, or the vertices, of a frame. */
static void draw_work(struct canvas *canvas, struct rect r, double n)
{
	char text[16];

	if (!isfinite(n))
		snprintf(text, sizeof(text), "\u2013");
	else if (n < 1e4)
		snprintf(text, sizeof(text), n == (double)(int)n ? "%.0f" : "%.1f", n);
	else
		snprintf(text, sizeof(text), n < 1e6 ? "%.1f k" : "%.1f M", n < 1e6 ? n * 1e-3 : n * 1e-6);
	canvas_text_right(canvas, r, STYLE_TEXT, text);
}

static struct series pass_series(const struct view_data *data, unsigned row)
{
	char name[24];

	snprintf(name, sizeof(name), "pass%u.ms", row);
	return series_of(metric_find(data->feeds[SOURCE_PASSES].set, span_of(name)), SOURCE_PASSES);
}

/* Return the share of the budget in percent; NaN without a budget. */
static double budget_share(const struct view_data *data, const struct pass_line *line)
{
	return data->fps > 0 ? line->ms * data->fps / 10 : (double)NAN;
}

/* Draw the times of one or several passes in a frame, and their work. */
static void draw_times(const struct drawing *d, const struct rect c[COLUMNS], const struct pass_line *line,
		       enum style style)
{
	double share = budget_share(d->data, line);
	bool over = share > 100;

	draw_ms(d->canvas, c[OWN], line->ms, style);
	if (!isnan(line->share))
		canvas_printf(d->canvas, c[SHARE], STYLE_TEXT, "%6.1f %%", line->share);
	if (!isnan(share))
		canvas_printf(d->canvas, c[BUDGET], over ? STYLE_BUSY : STYLE_TEXT, "%6.1f %%%s", share,
			      over ? "!" : "");
	draw_work(d->canvas, c[CALLS], line->draws + line->dispatches);
	draw_work(d->canvas, c[VERTICES], line->vertices);
}

/* Return the subject of a row; it needs a chart to be selectable. */
static struct row_subject subject_of(const struct drawing *d, const struct grouped_pass *pass)
{
	struct series s = pass_series(d->data, pass->line.row);

	if (pass->group)
		return (struct row_subject){.chart = d->chart, .item = pass->group};
	return s.metric ? (struct row_subject){.chart = d->chart, .metric = s.metric}
			: (struct row_subject){0};
}

static void draw_name(struct canvas *canvas, struct rect r, const struct grouped_pass *pass)
{
	const char *sign = pass->folded ? canvas->ascii ? "+" : "\u25b8" : canvas->ascii ? "-" : "\u25be";

	if (pass->group)
		canvas_text(canvas, rect_left(&r, 2), STYLE_DIM, sign);
	if (pass->inside)
		rect_left(&r, 2);
	if (pass->folded)
		canvas_printf(canvas, r, STYLE_TEXT, "%s (%u)", pass->line.name, pass->passes);
	else if (pass->line.per_frame >= 1.5 && !pass->group)
		canvas_printf(canvas, r, pass->inside ? STYLE_DIM : STYLE_TEXT, "%s %s%.0f", pass->line.name,
			      canvas->ascii ? "x" : "\u00d7", pass->line.per_frame);
	else
		canvas_text(canvas, r, pass->inside ? STYLE_DIM : STYLE_TEXT, pass->line.name);
}

static void draw_line(const struct drawing *d, struct rect row, const struct grouped_pass *pass)
{
	struct rect c[COLUMNS];
	const struct pass_line *line = &pass->line;
	struct series series = pass_series(d->data, line->row);

	cut_columns(row, c);
	widget_hit(d, row, row, subject_of(d, pass));
	draw_name(d->canvas, c[NAME], pass);
	draw_times(d, c, line, pass->inside ? STYLE_DIM : STYLE_TEXT);
	draw_number(d->canvas, c[LEAST], STYLE_TEXT, line->least_ms);
	draw_number(d->canvas, c[MEDIAN], STYLE_TEXT, line->p50_ms);
	draw_number(d->canvas, c[MOST], STYLE_TEXT, line->most_ms);
	if (!pass->inside)
		canvas_meter(d->canvas, c[BAR], STYLE_TEXT, isnan(line->share) ? 0 : line->share / 100, NAN);
	if (pass->group)
		return;
	canvas_printf(d->canvas, c[NUMBER], STYLE_DIM, "%3u", line->row);
	draw_ms(d->canvas, c[SPAN], line->span_ms, STYLE_DIM);
	if (line->width)
		canvas_printf(d->canvas, c[SIZE], STYLE_DIM, "%ux%u", line->width, line->height);
	canvas_text(d->canvas, c[KIND], STYLE_DIM, passes_kind_names[line->kind]);
	if (c[HISTORY].w && series.metric)
		widget_draw_history(d, &series, NULL, series_top(&series, d->data), c[HISTORY]);
}

/* The rows that fit: `first` to last - 1 of n. */
struct pass_rows {
	unsigned n, first, last;
	struct grouped_pass rows[PASS_ROWS_SHOWN];
};

/* Sum several rows; own times add up. Returns how many passes they are. */
static unsigned add_rows(const struct pass_rows *rows, bool hidden_only, double frames, struct pass_line *sum,
			 double *pixels)
{
	unsigned n = 0;

	*sum = (struct pass_line){.share = 0};
	*pixels = 0;
	for (unsigned i = 0; i < rows->n; i++) {
		const struct grouped_pass *row = &rows->rows[i];
		const struct pass_line *line = &row->line;

		if ((row->group && !row->folded) || (hidden_only && i >= rows->first && i < rows->last))
			continue;
		pass_sum_add(sum, line);
		*pixels += (double)line->width * line->height * line->count / frames;
		n += row->group ? row->passes : 1;
	}
	return n;
}

static void draw_sum(const struct drawing *d, struct rect row, const char *name, const struct pass_line *sum,
		     double pixels)
{
	struct rect c[COLUMNS];

	cut_columns(row, c);
	canvas_text(d->canvas, c[NAME], STYLE_DIM, name);
	draw_times(d, c, sum, STYLE_TEXT);
	if (pixels > 0)
		canvas_printf(d->canvas, c[SIZE], STYLE_DIM, "%.2f Mpx", pixels * 1e-6);
}

/* Draw sums below the rows: of the omitted passes, if there are any, and of all passes. The own
 * times of all passes add up to the GPU's time. */
static void draw_sums(const struct drawing *d, struct rect r, const struct pass_rows *rows, double frames)
{
	struct pass_line sum;
	char name[32];
	double pixels;
	unsigned hidden = add_rows(rows, true, frames, &sum, &pixels);

	if (hidden && r.h > 0) {
		snprintf(name, sizeof(name), "%u more", hidden);
		draw_sum(d, rect_top(&r, 1), name, &sum, pixels);
	}
	if (r.h > 0) {
		add_rows(rows, false, frames, &sum, &pixels);
		draw_sum(d, r, "sum", &sum, pixels);
	}
}

/* Record hits for rows that are not drawn, so that they can be selected. */
static void hide_rows(const struct drawing *d, struct rect r, const struct pass_rows *rows, unsigned from,
		      unsigned to)
{
	r.h = 0;
	for (unsigned i = from; i < to; i++)
		widget_hit(d, r, r, subject_of(d, &rows->rows[i]));
}

/* Return the position of the selected row, -1 for none. */
static int selected_row(const struct drawing *d, const struct pass_rows *rows)
{
	for (unsigned i = 0; i < rows->n; i++) {
		struct row_subject subject = subject_of(d, &rows->rows[i]);

		if (subject.chart && subject_same(&subject, &d->data->selected))
			return (int)i;
	}
	return -1;
}

/* Draw the other series in the columns of the graph above them: label, value, history. */
static void draw_counters(const struct drawing *d, struct rect r)
{
	for (unsigned i = 0; i < d->chart->n_series && r.h > 0; i++) {
		const struct series *s = &d->chart->series[i];
		double scale = widget_scale(d, s, 2 * r.w);
		struct rect row;

		if (s->source == SOURCE_PASSES)
			continue;
		row = rect_top(&r, 1);
		canvas_text(d->canvas, rect_left(&row, MEANWHILE_W), STYLE_TEXT, s->label);
		widget_value(d, rect_left(&row, WIDGET_VALUE_COLS), s, NULL, series_rate_now(s, d->data),
			     STYLE_VALUE, false);
		rect_left(&row, GAP);
		widget_draw_history(d, s, NULL, scale, row);
	}
}

static void draw_alone(const struct drawing *d, struct rect r, const struct pass_line *line)
{
	struct series series = pass_series(d->data, line->row);
	struct chart one = *d->chart;
	struct rect head = rect_top(&r, 1), rows;
	int n = (int)d->chart->n_series;

	one.series = &series;
	one.n_series = 1;
	one.n_options = 0;
	canvas_printf(d->canvas, head, STYLE_TEXT,
		      "%s: own %.2f ms, from start to end %.2f ms, %.1f %% of the GPU's frame, %.1f %% of "
		      "the budget, %s",
		      line->name, line->ms, line->span_ms, line->share, budget_share(d->data, line),
		      passes_kind_names[line->kind]);
	rows = rect_bottom(&r, r.h - 4 < n + 1 ? r.h - 4 : n + 1);
	if (r.h >= 3) {
		rect_left(&r, MEANWHILE_W + WIDGET_VALUE_COLS + GAP - WIDGET_AXIS_COLS);
		widget_area_plot(&(struct drawing){&one, d->data, d->canvas}, r);
	}
	if (rows.h > 1)
		canvas_text(d->canvas, rect_top(&rows, 1), STYLE_DIM, "meanwhile");
	draw_counters(d, rows);
}

static const char on_cpu[] =
	"rendered by the CPU: the stamps of its driver do not measure the times of compute passes";

static const char *what_is_missing(const struct pass_table *table, char text[160])
{
	if (!table->app[0] && table->other[0]) {
		snprintf(text, 160, "no frames of the command: %s (pid %u) has some, which it did not start",
			 table->other, table->other_pid);
		return text;
	}
	if (!table->app[0])
		return "no application has malitop's layer: run it with malitop record --passes -o run.mlog "
		       "-- CMD";
	if (table->stamp == PASSES_STAMP_NONE)
		return passes_stamp_texts[PASSES_STAMP_NONE];
	return "no passes in this time";
}

/* Return the lines below the passes if both share h lines. */
static int sum_lines(int n, int h)
{
	return n < 2 ? 0 : n + 1 <= h ? 1 : h < 3 ? 0 : 2;
}

static struct need passes_size(const struct drawing *d, int cols)
{
	struct grouped_pass rows[PASS_ROWS_SHOWN];
	struct pass_table table;
	int least = cols < WIDE ? LINES_MIN : LINES_WIDE, n, all;
	char text[160];

	if (!pass_table_of(d->data, false, &table))
		return (struct need){0, 0};
	/* Passes since the start count too, so that panels do not move when the scene changes. */
	n = (int)pass_groups(&table, d->data->folds, rows);
	pass_table_of(d->data, true, &table);
	all = (int)pass_groups(&table, d->data->folds, rows);
	n = all > n ? all : n;
	if (!n)
		return (struct need){2, 1 + (text_width(what_is_missing(&table, text)) > cols) +
						(int)d->chart->n_series};
	return (struct need){1 + sum_lines(n, least + 2) + (n < least ? n : least), n + 2 + (n > 1)};
}

static void passes_draw(const struct drawing *d, struct rect r)
{
	struct pass_table table;
	struct rect foot, sums, at[COLUMNS];
	struct pass_rows rows;
	char text[160];
	int n, selected;

	if (!pass_table_of(d->data, false, &table))
		return;
	rows.n = pass_groups(&table, d->data->folds, rows.rows);
	n = (int)rows.n;
	selected = selected_row(d, &rows);
	if (d->data->zoom == d->chart && selected >= 0 && !rows.rows[selected].group && r.h > 0) {
		draw_alone(d, r, &rows.rows[selected].line);
		hide_rows(d, r, &rows, 0, rows.n);
		return;
	}
	if (!table.n) {
		widget_words(d->canvas, &r, STYLE_DIM, what_is_missing(&table, text));
		draw_counters(d, r);
		return;
	}
	foot = rect_bottom(&r, r.h > n + 1 + (n > 1) ? 1 : 0);
	cut_columns(widget_head(&r), at);
	widget_heads(columns, COLUMNS, at, d->canvas);
	sums = rect_bottom(&r, sum_lines(n, r.h));
	rows.first = rows.last = (unsigned)widget_scroll(d->data, n, r.h, selected);
	hide_rows(d, r, &rows, 0, rows.first);
	for (; rows.last < rows.n && r.h > 0; rows.last++)
		draw_line(d, rect_top(&r, 1), &rows.rows[rows.last]);
	hide_rows(d, r, &rows, rows.last, rows.n);
	draw_sums(d, sums, &rows, table.frames);
	if (foot.h)
		canvas_text_parts(d->canvas, foot, STYLE_DIM,
				  table.software ? on_cpu : passes_stamp_texts[table.stamp]);
}

static void passes_corner(const struct drawing *d, char *text, size_t size)
{
	struct pass_table table;
	char pid[24] = "";

	if (!pass_table_of(d->data, false, &table) || !table.app[0])
		return;
	if (table.pid)
		snprintf(pid, sizeof(pid), ", pid %u", table.pid);
	snprintf(text, size, table.apps > 1 ? "%s%s%s, one of %u applications" : "%s%s%s", table.app, pid,
		 table.software ? ", rendered by the CPU" : "", table.apps);
}

const struct widget widget_passes = {.name = "passes",
				     .companion = true,
				     .heads = 1,
				     .size = passes_size,
				     .draw = passes_draw,
				     .corner = passes_corner};
