#include "views/widget.h"

#include <math.h>
#include <stdio.h>

/* clusters: a row for the whole CPU, for each of its clusters and, with `c`, for each CPU; a column
 * per series. The first series has a bar and history as well. It scrolls.
 *
 * Options: `levels load` colours the first series as bars do. `plain yes` omits bar and history; a
 * plain table with a single row wraps columns that do not fit onto further lines. `rows single` and
 * `rows several` show it only if it has one row, or more. `unless matrix` shows it only if a matrix
 * of the clusters has no room or no events. */

enum { LABEL_W = 16, GAP = 1, BAR_MIN = 8, STRIP_MIN = 10, WIDE = 90, COLUMNS_MAX = 16, ROWS_MAX = 1024 };

struct cluster_columns {
	struct rect label, bar, value[COLUMNS_MAX], strip;
	unsigned from, to; /* range of the series that fit, from the first requested one */
};

static int value_w(const struct chart *chart, unsigned i)
{
	int w = widget_value_cols(chart->series[i].metric->unit),
	    heading = text_width(chart->series[i].label) + 1;

	return GAP + (w > heading ? w : heading);
}

static struct cluster_columns cut_columns(const struct chart *chart, struct rect row, unsigned from)
{
	struct cluster_columns c = {.from = from, .to = from};
	bool plain = chart_option_is(chart, "plain", "yes");
	int spare, used = 0;

	c.label = rect_left(&row, LABEL_W);
	/* a wide terminal has room for history before the last values */
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

/* List the rows from top to bottom: NULL for all CPUs, the clusters, and with `c` the CPUs. A
 * single cluster has no row of its own. Returns how many. */
static int list_rows(const struct drawing *d, const struct metric_instance *rows[ROWS_MAX])
{
	const struct metric_set *set = series_feed(&d->chart->series[0], d->data)->set;
	int n = 0;

	rows[n++] = NULL;
	for (unsigned i = 0; set && i < set->n_instances && n < ROWS_MAX; i++)
		if (set->instances[i].kind == INSTANCE_CLUSTER)
			rows[n++] = &set->instances[i];
	n = n == 2 ? 1 : n;
	for (unsigned i = 0; set && d->data->per_instance && i < set->n_instances && n < ROWS_MAX; i++)
		if (set->instances[i].kind == INSTANCE_CPU)
			rows[n++] = &set->instances[i];
	return n;
}

/* Return the value of the whole (instance NULL) or of an instance; NaN if the series has no values
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

/* Return over how many lines the columns of a single row are spread; 1 if there are several
 * rows. */
static int count_lines(const struct chart *chart, int cols, int rows)
{
	unsigned at = 0;
	int lines = 0;

	if (rows > 1 || !chart_option_is(chart, "plain", "yes"))
		return 1;
	while (at < chart->n_series) {
		struct cluster_columns c = cut_columns(chart, (struct rect){0, 0, cols, 1}, at);

		lines++;
		if (c.to == at)
			break; /* too narrow for any column */
		at = c.to;
	}
	return lines;
}

static struct need clusters_size(const struct drawing *d, int cols)
{
	const struct metric_instance *list[ROWS_MAX];
	int rows = list_rows(d, list), lines = count_lines(d->chart, cols, rows);

	if (chart_option_is(d->chart, "rows", rows == 1 ? "several" : "single") ||
	    (chart_option(d->chart, "unless").n && d->data->feeds[SOURCE_PERF].set &&
	     widget_matrix_fits(d, cols)))
		return (struct need){0, 0};
	if (lines > 1)
		return (struct need){2 * lines, 2 * lines};
	/* a long list scrolls, so it needs only a few rows */
	return (struct need){1 + (rows < 4 ? rows : 4), 1 + rows};
}

/* Return the position of the selected row, -1 if the selection is in another chart. */
static int selected_row(const struct drawing *d, const struct metric_instance *const *rows, int n)
{
	int at = d->data->selected.chart == d->chart ? n - 1 : -1;

	while (at >= 0 && rows[at] != d->data->selected.instance)
		at--;
	return at;
}

/* Draw a single row with all its columns, in as many lines as fit. */
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
	const struct metric_instance *rows[ROWS_MAX];
	int n = list_rows(d, rows), skip;

	if (count_lines(d->chart, r.w, n) > 1) {
		draw_lines(d, r);
		return;
	}
	draw_headings(d, widget_head(&r), &c);
	skip = widget_scroll(d->data, n, r.h, selected_row(d, rows, n));
	for (int i = 0; i < n; i++) {
		struct rect row = rect_top(&r, i >= skip);

		widget_row(d, row, &d->chart->series[0], rows[i]);
		c = cut_columns(d->chart, row, 0);
		if (row.h)
			draw_row(d, rows[i], &c);
	}
}

/* With `corner about`, write the scope of the counts: "process 4711 game, kernel and user". */
static void clusters_corner(const struct drawing *d, char *text, size_t size)
{
	const char *about = series_feed(&d->chart->series[0], d->data)->about;

	if (about && chart_option_is(d->chart, "corner", "about"))
		snprintf(text, size, "%s", about);
}

const struct widget widget_clusters = {.name = "clusters",
				       .breaks_down = true,
				       .options = "levels load|plain yes|corner about|rows single several|"
						  "unless matrix",
				       .heads = 1,
				       .size = clusters_size,
				       .draw = clusters_draw,
				       .corner = clusters_corner};
