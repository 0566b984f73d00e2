#include "views/widget.h"

#include <math.h>

/* clusters: a row for the whole CPU, for each of its clusters and, with `c`, for each CPU; a column per series. The first series
 * has a bar and history as well. It scrolls.
 *
 * Options: `levels load` as for bars, for the first series; `plain yes`: no bar and no history. */

enum { LABEL_W = 16, GAP = 1, BAR_MIN = 8, STRIP_MIN = 10, WIDE = 90, COLUMNS_MAX = 16 };

struct columns {
	struct rect label, bar, value[COLUMNS_MAX], strip;
	unsigned n; /* values that fit */
};

static bool is_on(const struct chart *chart, const char *option)
{
	return span_is(chart_option(chart, option), "yes");
}

static int value_w(const struct chart *chart, unsigned i)
{
	int w = widget_value_cols(chart->series[i].metric->unit), heading = text_width(chart->series[i].label) + 1;

	return GAP + (w > heading ? w : heading);
}

static struct columns cut(const struct chart *chart, struct rect row)
{
	struct columns c = {.n = 0};
	bool plain = is_on(chart, "plain");
	int spare, used = 0;

	c.label = rect_left(&row, LABEL_W);
	/* in a wide terminal history comes before the last values */
	spare = row.w - (plain ? 0 : BAR_MIN) - (plain || row.w + LABEL_W < WIDE ? 0 : GAP + STRIP_MIN);
	while (c.n < chart->n_series && c.n < COLUMNS_MAX && used + value_w(chart, c.n) <= spare)
		used += value_w(chart, c.n++);
	spare = row.w - used;
	if (!plain && spare >= BAR_MIN + GAP + STRIP_MIN) {
		c.strip = rect_right(&row, (spare - GAP) / 2);
		rect_right(&row, GAP);
		spare = row.w - used;
	}
	if (!plain)
		c.bar = rect_left(&row, spare);
	for (unsigned i = 0; i < c.n; i++) {
		c.value[i] = rect_left(&row, value_w(chart, i));
		rect_left(&c.value[i], c.value[i].w - widget_value_cols(chart->series[i].metric->unit));
	}
	return c;
}

/* What is shown, from top to bottom: NULL for the whole, then the instances. A single cluster is the whole. */
struct rows {
	const struct metric_set *set;
	bool whole, clusters, cpus;
	unsigned next;
};

static struct rows rows_start(const struct chart *chart, const struct view_data *data)
{
	struct rows rows = {.set = series_feed(&chart->series[0], data)->set, .whole = true, .cpus = data->per_instance};
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

static int count_rows(const struct chart *chart, const struct view_data *data)
{
	struct rows rows = rows_start(chart, data);
	const struct metric_instance *instance;
	int n = 0;

	while (next_row(&rows, &instance))
		n++;
	return n;
}

/* The value of the whole (instance NULL) or of an instance; NaN where a series is not known per instance. */
static double value_at(const struct series *series, const struct view_data *data, const struct metric_instance *instance,
		       int back)
{
	if (!instance)
		return back < 0 ? series_rate_now(series, data) : series_rate_back(series, data, back);
	if (!(series->metric->instances & 1u << instance->kind))
		return (double)NAN;
	return series_rate_instance(series, data, instance, back);
}

static void draw_row(const struct chart *chart, const struct view_data *data, const struct metric_instance *instance,
		     struct canvas *canvas, const struct columns *c)
{
	const struct series *first = &chart->series[0];
	double points[2 * CANVAS_COLS_MAX], now = value_at(first, data, instance, -1);
	enum style style = chart_style(chart, first, now);
	int n = 2 * c->strip.w;

	canvas_text(canvas, c->label, STYLE_TEXT, instance ? instance->title : "all CPUs");
	canvas_bar(canvas, c->bar, style == STYLE_TEXT ? STYLE_SERIES1 : style, now / 100);
	for (unsigned i = 0; i < c->n; i++) {
		double v = value_at(&chart->series[i], data, instance, -1);

		widget_instance_value(canvas, c->value[i], &chart->series[i], data, instance, v,
				      i ? series_style(&chart->series[i], v) : style);
	}
	for (int i = 0; i < n; i++)
		points[i] = value_at(first, data, instance, n - 1 - i) / 100;
	canvas_strip(canvas, c->strip, style == STYLE_TEXT ? STYLE_SERIES1 : style, points, n);
}

static void draw_headings(const struct chart *chart, struct canvas *canvas, struct rect free, const struct columns *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		int w = text_width(chart->series[i].label), end = c->value[i].x + c->value[i].w - 1;
		struct rect heading = {end - w, free.y, w, free.h};

		if (heading.x >= free.x)
			canvas_text(canvas, heading, STYLE_DIM, chart->series[i].label);
	}
}

static void clusters_size(const struct chart *chart, const struct view_data *data, int cols, int *min, int *most)
{
	int rows = count_rows(chart, data), around = widget_title_rows(chart);

	(void)cols;
	/* a long list scrolls, so that a few rows of it will do */
	*min = around + (rows < 4 ? rows : 4);
	*most = around + rows;
}

/* Keeps the scroll within the rows there are. */
static int scroll_to(const struct view_data *data, int rows, int h)
{
	int most = rows > h ? rows - h : 0;

	if (data->scroll_max && most > *data->scroll_max)
		*data->scroll_max = most;
	return data->scroll < 0 ? 0 : data->scroll > most ? most : data->scroll;
}

static void clusters_draw(const struct chart *chart, const struct view_data *data, struct canvas *canvas, struct rect r)
{
	struct columns c = cut(chart, r);
	struct rows rows = rows_start(chart, data);
	const struct metric_instance *instance;
	int n = count_rows(chart, data), skip;

	draw_headings(chart, canvas, widget_title(chart, canvas, &r), &c);
	skip = scroll_to(data, n, r.h);
	while (r.h > 0 && next_row(&rows, &instance)) {
		if (skip-- > 0)
			continue;
		c = cut(chart, rect_top(&r, 1));
		draw_row(chart, data, instance, canvas, &c);
	}
}

static const char *const clusters_options[] = {"levels load", "plain yes", NULL};

const struct widget widget_clusters = {
	.name = "clusters", .options = clusters_options, .size = clusters_size, .draw = clusters_draw};
