#include "views/widget.h"

#include <math.h>
#include <stdio.h>

/* clusters: a row for the whole CPU, for each of its clusters and, with `c`, for each CPU; a column
 * per series. The first series has a bar and history as well. It scrolls.
 *
 * Options: `levels load` as for bars, for the first series; `plain yes`: no bar and no history. A
 * plain one with a single row puts columns that do not fit on further lines. `rows single` or `rows
 * several`: only where it has one row, or more. `unless matrix`: only where a matrix of the
 * clusters has no room or no events. */

enum { LABEL_W = 16, GAP = 1, BAR_MIN = 8, STRIP_MIN = 10, WIDE = 90, COLUMNS_MAX = 16 };

struct cluster_columns {
	struct rect label, bar, value[COLUMNS_MAX], strip;
	unsigned from, to; /* the series that fit, from the first that was asked for */
};

static bool is_on(const struct chart *chart, const char *option)
{
	return span_is(chart_option(chart, option), "yes");
}

static int value_w(const struct chart *chart, unsigned i)
{
	int w = widget_value_cols(chart->series[i].metric->unit),
	    heading = text_width(chart->series[i].label) + 1;

	return GAP + (w > heading ? w : heading);
}

static struct cluster_columns cut_columns(const struct chart *chart, struct rect row, unsigned from)
{
	struct cluster_columns c = {.from = from, .to = from};
	bool plain = is_on(chart, "plain");
	int spare, used = 0;

	c.label = rect_left(&row, LABEL_W);
	/* in a wide terminal history comes before the last values */
	spare = row.w - (plain ? 0 : BAR_MIN) - (plain || row.w + LABEL_W < WIDE ? 0 : GAP + STRIP_MIN);
	while (c.to < chart->n_series && c.to - from < COLUMNS_MAX && used + value_w(chart, c.to) <= spare)
		used += value_w(chart, c.to++);
	spare = row.w - used;
	if (!plain && spare >= BAR_MIN + GAP + STRIP_MIN) {
		c.strip = rect_right(&row, (spare - GAP) / 2);
		rect_right(&row, GAP);
		spare = row.w - used;
	}
	if (!plain)
		c.bar = rect_left(&row, spare);
	for (unsigned i = from; i < c.to; i++) {
		struct rect *value = &c.value[i - from];

		*value = rect_left(&row, value_w(chart, i));
		rect_left(value, value->w - widget_value_cols(chart->series[i].metric->unit));
	}
	return c;
}

/* Iterates over the rows from top to bottom: NULL for all CPUs, then the instances. A single
 * cluster has no row of its own. */
struct rows {
	const struct metric_set *set;
	bool whole, clusters, cpus;
	unsigned next;
};

static struct rows rows_start(const struct drawing *d)
{
	struct rows rows = {.set = series_feed(&d->chart->series[0], d->data)->set,
			    .whole = true,
			    .cpus = d->data->per_instance};
	unsigned n = 0;

	for (unsigned i = 0; rows.set && i < rows.set->n_instances; i++)
		n += rows.set->instances[i].kind == INSTANCE_CLUSTER;
	rows.clusters = n > 1;
	return rows;
}

static bool next_row(struct rows *rows, const struct metric_instance **instance)
{
	*instance = NULL;
	if (rows->whole) {
		rows->whole = false;
		return true;
	}
	/* first all clusters, then all CPUs */
	for (unsigned n = rows->set ? rows->set->n_instances : 0; rows->next < 2 * n;) {
		enum instance_kind kind = rows->next < n ? INSTANCE_CLUSTER : INSTANCE_CPU;
		const struct metric_instance *i = &rows->set->instances[rows->next++ % n];

		if (i->kind == kind && (kind == INSTANCE_CPU ? rows->cpus : rows->clusters)) {
			*instance = i;
			return true;
		}
	}
	return false;
}

static int count_rows(const struct drawing *d)
{
	struct rows rows = rows_start(d);
	const struct metric_instance *instance;
	int n = 0;

	while (next_row(&rows, &instance))
		n++;
	return n;
}

/* Return the value of the whole (instance NULL) or of an instance; NaN if the series is not known
 * per instance. */
static double value_at(const struct series *series, const struct view_data *data,
		       const struct metric_instance *instance)
{
	if (instance && !(series->metric->instances & 1u << instance->kind))
		return (double)NAN;
	return series_rate(series, data, instance, -1);
}

static void draw_row(const struct drawing *d, const struct metric_instance *instance,
		     const struct cluster_columns *c)
{
	const struct series *first = &d->chart->series[0];
	double now = value_at(first, d->data, instance);
	enum style style = chart_style(d, first, NULL, now, -1);

	canvas_text(d->canvas, c->label, STYLE_TEXT, instance ? instance->title : "all CPUs");
	canvas_meter(d->canvas, c->bar, style == STYLE_TEXT ? STYLE_SERIES1 : style, now / 100, NAN);
	for (unsigned i = c->from; i < c->to; i++) {
		double v = value_at(&d->chart->series[i], d->data, instance);

		if (i)
			style = chart_style(d, &d->chart->series[i], instance, v, -1);
		widget_value(d, c->value[i - c->from], &d->chart->series[i], instance, v, style, false);
	}
	widget_draw_history(d, first, instance, 100, c->strip);
}

static void draw_headings(const struct drawing *d, struct rect free, const struct cluster_columns *c)
{
	for (unsigned i = c->from; i < c->to; i++)
		widget_heading(d->canvas, free, c->value[i - c->from], d->chart->series[i].label);
	widget_history_head(d, (struct rect){c->strip.x, free.y, c->strip.w, free.h});
}

/* Return into how many lines the columns of a single row are folded; 1 if there are several
 * rows. */
static int count_lines(const struct chart *chart, int cols, int rows)
{
	unsigned at = 0;
	int lines = 0;

	if (rows > 1 || !is_on(chart, "plain"))
		return 1;
	while (at < chart->n_series) {
		struct cluster_columns c = cut_columns(chart, (struct rect){0, 0, cols, 1}, at);

		lines++;
		if (c.to == at)
			break; /* too narrow for any */
		at = c.to;
	}
	return lines;
}

static struct need clusters_size(const struct drawing *d, int cols)
{
	int rows = count_rows(d), lines = count_lines(d->chart, cols, rows);

	if (span_is(chart_option(d->chart, "rows"), rows == 1 ? "several" : "single") ||
	    (chart_option(d->chart, "unless").n && d->data->feeds[SOURCE_PERF].set &&
	     widget_matrix_fits(d, cols)))
		return (struct need){0, 0};
	if (lines > 1)
		return (struct need){2 * lines, 2 * lines};
	/* a long list scrolls, so it needs only a few rows */
	return (struct need){1 + (rows < 4 ? rows : 4), 1 + rows};
}

/* The position of the selected row, -1 if it is in another chart. */
static int selected_row(const struct drawing *d)
{
	struct rows rows = rows_start(d);
	const struct metric_instance *instance;

	for (int at = 0; d->data->selected.chart == d->chart && next_row(&rows, &instance); at++)
		if (instance == d->data->selected.instance)
			return at;
	return -1;
}

/* Draw a single row with all its columns, as many lines as there is room for. */
static void draw_lines(const struct drawing *d, struct rect r)
{
	for (unsigned at = 0; r.h > 1 && at < d->chart->n_series;) {
		struct cluster_columns c = cut_columns(d->chart, r, at);
		struct rect row;

		if (c.to == at)
			return;
		draw_headings(d, widget_head(&r), &c);
		row = rect_top(&r, 1);
		widget_row(d, row, &d->chart->series[at], NULL);
		c = cut_columns(d->chart, row, at);
		draw_row(d, NULL, &c);
		at = c.to;
	}
}

static void clusters_draw(const struct drawing *d, struct rect r)
{
	struct cluster_columns c = cut_columns(d->chart, r, 0);
	struct rows rows = rows_start(d);
	const struct metric_instance *instance;
	int skip;

	if (count_lines(d->chart, r.w, count_rows(d)) > 1) {
		draw_lines(d, r);
		return;
	}
	draw_headings(d, widget_head(&r), &c);
	skip = widget_scroll(d->data, count_rows(d), r.h, selected_row(d));
	while (next_row(&rows, &instance)) {
		struct rect row = rect_top(&r, skip-- > 0 ? 0 : 1);

		widget_row(d, row, &d->chart->series[0], instance);
		if (!row.h)
			continue;
		c = cut_columns(d->chart, row, 0);
		draw_row(d, instance, &c);
	}
}

/* Write what is measured, if the chart has `corner about`: "process 4711 game, kernel and user". */
static void clusters_corner(const struct drawing *d, char *text, size_t size)
{
	const char *about = series_feed(&d->chart->series[0], d->data)->about;

	if (about && span_is(chart_option(d->chart, "corner"), "about"))
		snprintf(text, size, "%s", about);
}

static const char *const clusters_options[] = {"levels load",         "plain yes",     "corner about",
					       "rows single several", "unless matrix", NULL};

const struct widget widget_clusters = {.name = "clusters",
				       .breaks_down = true,
				       .options = clusters_options,
				       .size = clusters_size,
				       .draw = clusters_draw,
				       .corner = clusters_corner};
