/* rows: a row per series: label, bar, value, a word of judgement, the value beside it or a note,
 * and its history.
 *
 *   fragment        ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▖...  97.6 %   ok     816 Mcy/s  ▂▂▂▂▂▃▄▅▆█
 *
 * Rows of instances that need more lines than there are stand side by side. So do the CPUs, which
 * the option `cpus` adds on spare lines:
 *
 *   each CPU ──────────────────────────────────────────────
 *   cpu0    33.5 %  ▃▃▃▃▂▂▂▂▃▃▃▃▃   cpu2    31.0 %  ▃▃▃▃▂▃▃▃▃▃▃▃▂
 *   cpu1    35.2 %  ▃▃▃▂▂▂▃▃▃▃▃▃▃   cpu3    29.8 %  ▂▂▃▃▃▃▃▃▂▂▃▃▃
 *
 * Columns depend on the width and the labels alone, so nothing moves when numbers change. A row is
 * one line high. Spare lines show the chart's `text`, then a graph of one series. If lines are
 * short, the first rows of the chart stay. */
#include "views/rows.h"
#include "base/alloc.h"
#include "base/real.h"
#include "model/judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELL_MIN 30 /* columns that label, value and a history need */
#define CELL_GAP 2
#define BUSY_THREAD 90 /* percent of a CPU */
#define NO_SHARE 0.5   /* percent: a smaller share is less important than any number without a share */
#define POINTS 240     /* of history from which a common scale is computed */

static enum instance_kind kind_of(struct span name)
{
	for (int kind = INSTANCE_ALL + 1; kind < INSTANCE_KINDS; kind++)
		if (span_is(name, instance_names[kind]))
			return (enum instance_kind)kind;
	return INSTANCE_ALL;
}

static int by_value(const void *a, const void *b)
{
	double x = ((const struct row *)a)->key, y = ((const struct row *)b)->key;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* Whether a series has a row: parts of a graph do not, nor do parts of a bar with `legend no`. */
static bool has_row(const struct chart *chart, const struct series *series)
{
	return !series->part || (chart->widget != &widget_area && !chart_option_is(chart, "legend", "no"));
}

/* Whether this machine does not report the metric: a virtual machine has no temperature, many have
 * no clocks. False before the first sample. */
static bool is_unknown(const struct series *series, const struct view_data *data)
{
	const struct feed *feed = series_feed(series, data);

	return series->source == SOURCE_CPU && feed->now_column && feed->now_column->n_samples &&
	       isnan(series_rate_now(series, data)) && isnan(series_rate_total(series, data));
}

/* Whether the vectors hold the slots that the metric needs for that instance. */
static bool is_kept(const struct feed *feed, const struct metric *metric,
		    const struct metric_instance *instance)
{
	for (unsigned i = 0; i < metric->expr.n; i++)
		for (unsigned k = 0; metric->expr.ops[i].kind == EXPR_LOAD && k < instance->n_parts; k++)
			if (instance->parts[k].sum == metric->expr.ops[i].slot &&
			    instance->parts[k].own >= feed->n_vector)
				return false;
	return true;
}

/* All rows of a chart, without values and scales. */
static unsigned find_rows(const struct drawing *d, struct row rows[ROWS_MAX])
{
	enum instance_kind kind = kind_of(chart_option(d->chart, "each"));
	unsigned n = 0;

	for (unsigned i = 0; i < d->chart->n_series && n < ROWS_MAX; i++) {
		const struct series *s = &d->chart->series[i];
		const struct metric_set *set = series_feed(s, d->data)->set;
		bool each = i == 0 && kind != INSTANCE_ALL && s->metric->instances & 1u << kind;
		unsigned before = n;

		if (!has_row(d->chart, s) || is_unknown(s, d->data))
			continue;
		for (unsigned k = 0; each && set && k < set->n_instances && n < ROWS_MAX; k++)
			if (set->instances[k].kind == kind &&
			    is_kept(series_feed(s, d->data), s->metric, &set->instances[k]))
				rows[n++] = (struct row){d, s, .instance = &set->instances[k]};
		if (n == before)
			rows[n++] = (struct row){d, s, .scale = NAN};
	}
	return n;
}

/* Return the common scale of all rows; NaN if each has its own. If some rows have a limit, only
 * those count. */
static double common_scale(const struct drawing *d, const struct row *rows, unsigned n)
{
	double scale = NAN, limited = NAN;

	for (unsigned i = 0; i < n && chart_option_is(d->chart, "scale", "one"); i++) {
		double *most = rows[i].series->metric->alert == ALERT_ABOVE ? &limited : &scale;

		if (!i || rows[i].series != rows[i - 1].series)
			*most = real_max(*most, widget_scale(d, rows[i].series, POINTS));
	}
	return isnan(limited) ? scale : limited;
}

/* Give a second amount the scale of the amount above it, so that they can be compared. */
static void share_scales(const struct drawing *d, struct row *rows, unsigned n)
{
	for (unsigned i = 1; i < n; i++) {
		const struct series *first = rows[i - 1].series, *second = rows[i].series;

		if (second->part || !second->colour || !isnan(rows[i].scale) ||
		    first->metric->unit != second->metric->unit)
			continue;
		rows[i - 1].scale = rows[i].scale =
			real_max(widget_scale(d, first, POINTS), widget_scale(d, second, POINTS));
	}
}

/* Sort the sub rows by value; all rows if there are no sub rows. */
static void sort_rows(const struct view_data *data, struct row *rows, unsigned n)
{
	unsigned first = 0, last = n;

	while (first < n && rows[first].series->label[0] != ' ')
		first++;
	while (last > first && rows[last - 1].series->label[0] != ' ')
		last--;
	if (first == n) { /* there are no sub rows */
		first = 0;
		last = n;
	}
	for (unsigned i = first; i < last; i++)
		rows[i].key = series_sort_key(rows[i].series, data);
	qsort(&rows[first], last - first, sizeof(*rows), by_value);
}

unsigned rows_list(const struct drawing *d, struct row rows[ROWS_MAX])
{
	unsigned n = find_rows(d, rows);
	double scale = common_scale(d, rows, n);
	bool idle = chart_is_idle(d->chart, d->data);

	for (unsigned i = 0; i < n; i++) {
		rows[i].scale = scale;
		rows[i].value = series_rate(rows[i].series, d->data, rows[i].instance, -1);
		rows[i].dim = idle || !(fabs(rows[i].value) > 0);
	}
	share_scales(d, rows, n);
	if (chart_option_is(d->chart, "sort", "load"))
		sort_rows(d->data, rows, n);
	return n;
}

/* A value at its limit weighs 50, and others in proportion. A share without a limit weighs its
 * percentage, an amount its share. A level weighs nothing, because a clock at its top limits
 * nothing. The weight changes every 5 s at most. */
double row_weight(const struct row *row)
{
	const struct metric *m = row->series->metric;
	double value = m->grows || row->instance ? row->value : series_sort_key(row->series, row->d->data);
	struct series beside;

	if (m->alert != ALERT_NONE)
		value = 50 * (m->alert == ALERT_ABOVE ? value / m->alert_at : m->alert_at / value);
	else if (m->unit->kind == UNIT_COUNT && series_beside(row->series, &beside) &&
		 beside.metric->unit->kind == UNIT_PERCENT)
		value = series_sort_key(&beside, row->d->data);
	else if (m->unit->kind != UNIT_PERCENT || value < NO_SHARE)
		value = m->unit->kind != UNIT_PERCENT ? -1 : -1.5;
	return isnan(value) ? -2 : value;
}

/* Return how many of the texts fit as a whole. */
static int count_texts(const struct chart *chart, int cols)
{
	int n = 0;

	for (unsigned i = 0; i < chart->n_texts; i++)
		n += text_width(chart->texts[i]) <= cols;
	return n;
}

/* Whether the chart ends with a row for the busiest thread. */
static bool names_thread(const struct drawing *d)
{
	return d->data->judge && chart_option_is(d->chart, "busiest", "thread");
}

static struct need rows_size(const struct drawing *d, int cols)
{
	static struct row rows[ROWS_MAX];
	int n, min;

	if (widget_has_each(d)) {
		n = widget_each_rows(d);
		return (struct need){n, n};
	}
	n = (int)find_rows(d, rows) + names_thread(d);
	min = chart_option_int(d->chart, "rows", n);
	return (struct need){min < n ? min : n,
			     n + rows_has_stats(d->chart, cols) + count_texts(d->chart, cols)};
}

static void draw_graph(const struct drawing *d, struct rect r)
{
	struct series s = d->chart->series[0];

	for (unsigned i = 1; i < d->chart->n_series && is_unknown(&s, d->data); i++)
		s = d->chart->series[i];
	chart_option_series(d->chart, d->data, "graph", &s);
	widget_over_time(d, &s, r);
}

bool rows_have_bars(const struct drawing *d, int cols)
{
	struct row rows[ROWS_MAX];
	unsigned n = find_rows(d, rows);

	return rows_columns(d->chart, rows, n, cols).bar > 0;
}

/* The CPUs of this machine as rows of a metric. */
struct rows_cpus {
	struct chart chart; /* with the series of each CPU; the rows point into this struct */
	struct series series;
	struct view_data data; /* without hits, because the chart is temporary */
	struct drawing d;
	struct row rows[ROWS_MAX];
	unsigned n;         /* 0: none are to be shown */
	int columns, lines; /* columns side by side, with as few lines as the width allows */
};

/* Find the CPUs that fit in that width, for the metric of the option `cpus`: none with `c`, which
 * breaks the chart down, or if single CPUs are not kept. Do not copy the result. */
static void find_cpus(const struct drawing *d, struct rows_cpus *cpus, int cols)
{
	cpus->n = 0;
	cpus->columns = cpus->lines = 0;
	if (d->data->per_instance || !chart_option_series(d->chart, d->data, "cpus", &cpus->series))
		return;
	cpus->chart = (struct chart){
		.name = d->chart->name,
		.title = "",
		.widget = &widget_rows,
		.series = &cpus->series,
		.n_series = 1,
		.options = {{SPAN_LIT("each"), SPAN_LIT("cpu")}, {SPAN_LIT("bars"), SPAN_LIT("no")}},
		.n_options = 1,
		.loads = d->chart->loads,
	};
	cpus->data = *d->data;
	cpus->data.hits = NULL;
	cpus->d = (struct drawing){&cpus->chart, &cpus->data, d->canvas};
	cpus->n = rows_list(&cpus->d, cpus->rows);
	if (!cpus->n || !cpus->rows[0].instance || cpus->n == ROWS_MAX) {
		cpus->n = 0;
		return;
	}
	cpus->columns = cols < CELL_MIN ? 1 : (cols + CELL_GAP) / (CELL_MIN + CELL_GAP);
	cpus->lines = ((int)cpus->n + cpus->columns - 1) / cpus->columns;
	cpus->columns = ((int)cpus->n + cpus->lines - 1) / cpus->lines;
	cpus->chart.n_options = cpus->columns > 1 ? 2 : 1;
}

/* Draw rows in columns side by side, each of that many lines. */
static void draw_columns(const struct row *rows, unsigned n, int columns, int lines, struct rect r)
{
	int cell = (r.w - (columns - 1) * CELL_GAP) / columns;
	struct row_columns c = rows_columns(rows[0].d->chart, rows, n, cell);

	for (int i = 0; i < (int)n && i < columns * lines; i++)
		rows_draw_row(&rows[i], &c,
			      (struct rect){r.x + i / lines * (cell + CELL_GAP), r.y + i % lines, cell, 1});
}

/* Return how many columns side by side the rows of instances need, limited by the width; 1 for
 * other rows. */
static int count_columns(const struct row *rows, unsigned n, struct rect r)
{
	int need = rows[0].instance && rows[n - 1].instance ? ((int)n + r.h - 1) / r.h : 1;
	int most = (r.w + CELL_GAP) / (CELL_MIN + CELL_GAP);

	return need <= 1 || most < 1 ? 1 : need < most ? need : most;
}

#define UNIT_REST 3 /* columns of the unit right of "%" */

/* "busiest thread  ▄▄▄▄▄▄▖.....  64.2 %  RenderThread of com.example.game (4711)" */
static void draw_thread(const struct drawing *d, const struct row_columns *c, struct rect r)
{
	const struct judge_facts *facts = &d->data->judge->facts;
	double percent = facts->value[FACT_BUSIEST_THREAD];
	enum style style = percent > BUSY_THREAD ? STYLE_BUSY : STYLE_CALM;
	static const char *const ends[] = {" (", " of "};
	char text[sizeof(facts->thread)], *end;
	const char *name = text_width("busiest thread") < c->label ? "busiest thread" : "thread";
	struct rect bar = rect_left(&r, c->label + c->bar), label;

	label = rect_left(&bar, text_width(name) >= c->label ? text_width(name) + 1 : c->label);
	canvas_text(d->canvas, label, isnan(percent) ? STYLE_DIM : STYLE_TEXT, name);
	if (bar.w)
		canvas_meter(d->canvas, bar, style, percent / 100, NAN);
	widget_number(d->canvas, rect_left(&r, c->value), unit_find(SPAN_LIT("percent")), percent, false,
		      false, isnan(percent) ? STYLE_DIM : style);
	/* whole parts of "GameMain of com.example.game (4711)", also where the unit leaves room */
	snprintf(text, sizeof(text), "%s", facts->thread);
	if (text_width(text) > r.w) {
		r.x -= UNIT_REST;
		r.w += UNIT_REST;
	}
	for (unsigned i = 0; i < ARRAY_LEN(ends) && text_width(text) > r.w; i++)
		if ((end = strstr(text, ends[i])))
			*end = 0;
	canvas_text_cut(d->canvas, r, STYLE_DIM, text);
}

/* The use of the remaining lines: first for each CPU, with a heading if there is a line for it,
 * then for a graph. */
struct below {
	int cpus, graph;
};

static struct below share_lines(const struct chart *chart, const struct rows_cpus *cpus, int rows,
				struct rect inner)
{
	int left = inner.h - rows - count_texts(chart, inner.w);
	struct below below = {0, 0};

	if (cpus->n && cpus->lines <= left)
		below.cpus = cpus->lines + (cpus->lines < left);
	left -= below.cpus;
	if (left >= WIDGET_OVER_TIME_MIN && !chart_option_is(chart, "history", "no") &&
	    !chart_option_is(chart, "graph", "no"))
		below.graph = left;
	return below;
}

static void draw_texts(const struct chart *chart, struct canvas *canvas, struct rect r)
{
	for (unsigned i = 0; i < chart->n_texts; i++)
		if (text_width(chart->texts[i]) <= r.w)
			canvas_text(canvas, rect_top(&r, 1), STYLE_DIM, chart->texts[i]);
}

void widget_rows_draw(const struct drawing *d, struct rect r)
{
	struct row rows[ROWS_MAX];
	unsigned n = rows_list(d, rows);
	struct row_columns c = rows_columns(d->chart, rows, n, r.w);
	struct rows_cpus cpus;
	struct below below;
	bool thread;
	int columns;

	if (r.h < 1 || !n || widget_rows_each(d, r))
		return;
	if (c.mean && r.h > (int)n)
		rows_draw_head(d, &c, rect_top(&r, 1));
	columns = count_columns(rows, n, r);
	if (columns > 1) {
		draw_columns(rows, n, columns, r.h, r);
		return;
	}
	thread = names_thread(d) && r.h > 1;
	n = n > (unsigned)(r.h - thread) ? (unsigned)(r.h - thread) : n;
	find_cpus(d, &cpus, r.w);
	below = share_lines(d->chart, &cpus, (int)n + thread, r);
	for (unsigned i = 0; i < n; i++)
		rows_draw_row(&rows[i], &c, rect_top(&r, 1));
	if (thread)
		draw_thread(d, &c, rect_top(&r, 1));
	if (below.cpus > cpus.lines)
		widget_rule(d->canvas, rect_top(&r, 1), "each CPU");
	if (below.cpus)
		draw_columns(cpus.rows, cpus.n, cpus.columns, cpus.lines, rect_top(&r, cpus.lines));
	if (below.graph)
		draw_graph(d, rect_top(&r, below.graph));
	draw_texts(d->chart, d->canvas, r);
}

/* The time axis of the graph under the rows. */
static int rows_axis(const struct drawing *d, struct rect inner)
{
	struct row rows[ROWS_MAX];
	int n = (int)find_rows(d, rows) + rows_has_stats(d->chart, inner.w) + names_thread(d);
	struct rows_cpus cpus;

	if (widget_has_each(d))
		return 0;
	find_cpus(d, &cpus, inner.w);
	return share_lines(d->chart, &cpus, n, inner).graph && !count_texts(d->chart, inner.w)
		       ? inner.w - WIDGET_AXIS_COLS
		       : 0;
}

static struct need rows_extra(const struct drawing *d, int cols)
{
	struct rows_cpus cpus;

	find_cpus(d, &cpus, cols);
	return (struct need){cpus.lines, cpus.n ? cpus.lines + 1 : 0};
}

const struct widget widget_rows = {.name = "rows",
				   .breaks_down = true,
				   .options = "levels load|each core slice cluster cpu|sort load|bars no|"
					      "history no|legend no|stats yes|idle|hot|graph|corner|rows #|"
					      "scale one #|warn #|unless|brief|limit|top limit|beside|cpus|"
					      "busiest thread",
				   .spare = true,
				   .axis = rows_axis,
				   .size = rows_size,
				   .extra = rows_extra,
				   .draw = widget_rows_draw,
				   .corner = widget_corner};
