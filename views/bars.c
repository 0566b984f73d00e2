/* bars: a row per series with a bar, its value, the value beside it and its history.
 *
 *   label           ████████████▌        98.0 %    731 Mcy/s    ⣀⣤⣶⣿
 *
 * Its columns depend on the width alone, so that the bars of all charts of a view stand under each other.
 */
#include "views/widget.h"

#include <string.h>

#define LABEL_COLS 16  /* more for a longer label */
#define GAP 1          /* between columns */
#define BESIDE_MIN 56  /* columns from which on there is a value beside */
#define HISTORY_MIN 96 /* columns from which on there is history */
#define BAR_MAX 60     /* longer bars tell no more; history takes the rest */

struct bar_columns {
	int label, bar, beside, history;
};

static struct bar_columns columns_of(const struct chart *chart, int cols)
{
	struct bar_columns c = {.label = LABEL_COLS};
	int rest;

	if (widget_label_cols(chart) + GAP > c.label)
		c.label = widget_label_cols(chart) + GAP;
	if (cols >= BESIDE_MIN)
		c.beside = WIDGET_VALUE_COLS + GAP;
	rest = cols - c.label - WIDGET_PERCENT_COLS - c.beside;
	if (cols >= HISTORY_MIN) {
		c.bar = rest * 55 / 100;
		if (c.bar > BAR_MAX)
			c.bar = BAR_MAX;
		c.history = rest - c.bar - GAP;
	} else {
		c.bar = rest;
	}
	return c;
}

static int instance_kind_of(struct span name)
{
	for (int kind = INSTANCE_ALL + 1; kind < INSTANCE_KINDS; kind++)
		if (span_is(name, instance_names[kind]))
			return kind;
	return INSTANCE_ALL;
}

/* The next instance of the kind at or behind *at; NULL after the last. */
static const struct metric_instance *next_instance(const struct metric_set *set, int kind, unsigned *at)
{
	while (set && kind != INSTANCE_ALL && *at < set->n_instances) {
		const struct metric_instance *instance = &set->instances[(*at)++];

		if ((int)instance->kind == kind)
			return instance;
	}
	return NULL;
}

static int rows_of(const struct chart *chart, const struct view_data *data)
{
	int kind = instance_kind_of(chart_option(chart, "each"));
	int rows = 0;

	for (unsigned i = 0; i < chart->n_series; i++) {
		const struct metric_set *set = series_feed(&chart->series[i], data)->set;
		unsigned at = 0;
		int n = 0;

		while (next_instance(set, kind, &at))
			n++;
		rows += n ? n : 1;
	}
	return rows;
}

static void bars_size(const struct chart *chart, const struct view_data *data, int cols, int *min, int *most)
{
	(void)cols;
	*most = widget_title_rows(chart) + rows_of(chart, data);
	*min = widget_title_rows(chart) + 1;
}

/* One row, of one instance or of all (NULL). */
struct bar_row {
	const struct chart *chart;
	const struct view_data *data;
	const struct series *series;
	const struct metric_instance *instance;
	bool busiest;
};

static double row_value(const struct bar_row *row, const struct series *series, int back)
{
	if (row->instance)
		return series_rate_instance(series, row->data, row->instance, back);
	return back < 0 ? series_rate_now(series, row->data) : series_rate_back(series, row->data, back);
}

static void draw_history(const struct bar_row *row, struct canvas *canvas, struct rect r, enum style style)
{
	double points[2 * CANVAS_COLS_MAX];
	int n = 2 * r.w;

	for (int i = 0; i < n; i++)
		points[i] = row_value(row, row->series, n - 1 - i) / 100;
	canvas_strip(canvas, r, style, points, n);
}

/* "Cortex-A76 x4" says what it is by itself, "cluster0" does not. */
static void draw_label(const struct bar_row *row, struct canvas *canvas, struct rect r)
{
	const struct metric_instance *instance = row->instance;

	if (!instance)
		canvas_text(canvas, r, STYLE_TEXT, row->series->label);
	else if (strcmp(instance->title, instance->label) != 0)
		canvas_text(canvas, r, STYLE_TEXT, instance->title);
	else
		canvas_printf(canvas, r, STYLE_TEXT, "%s %s", row->series->label, instance->label);
}

static void draw_row(const struct bar_row *row, struct canvas *canvas, struct rect r)
{
	struct bar_columns c = columns_of(row->chart, r.w);
	double value = row_value(row, row->series, -1);
	enum style style = chart_style(row->chart, row->series, value);
	enum style bar_style = style == STYLE_TEXT ? STYLE_SERIES1 : style;
	struct series beside;
	struct rect cell = rect_left(&r, c.label);

	rect_right(&cell, GAP);
	draw_label(row, canvas, cell);
	canvas_bar(canvas, rect_left(&r, c.bar), bar_style, value / 100);
	widget_value(canvas, rect_left(&r, WIDGET_PERCENT_COLS), row->series, row->data, value, style);
	cell = rect_left(&r, c.beside);
	rect_left(&cell, GAP);
	if (row->busiest)
		canvas_printf(canvas, cell, STYLE_TEXT, "%*s%s", GAP + 1, "", "busiest");
	else if (series_beside(row->series, &beside) && cell.w)
		widget_value(canvas, cell, &beside, row->data, row_value(row, &beside, -1), STYLE_TEXT);
	rect_left(&r, GAP);
	if (c.history)
		draw_history(row, canvas, r, bar_style);
}

/* The greatest of the sub series; NULL unless the chart asks for it and one is above zero. */
static const struct series *busiest_of(const struct chart *chart, const struct view_data *data)
{
	const struct series *busiest = NULL;
	double most = 0;

	if (!span_is(chart_option(chart, "mark"), "busiest"))
		return NULL;
	for (unsigned i = 0; i < chart->n_series; i++) {
		const struct series *s = &chart->series[i];
		double value = series_now(s, data);

		if (s->label[0] == ' ' && value > most) {
			most = value;
			busiest = s;
		}
	}
	return busiest;
}

static void bars_draw(const struct chart *chart, const struct view_data *data, struct canvas *canvas, struct rect r)
{
	const struct series *busiest = busiest_of(chart, data);
	int kind = instance_kind_of(chart_option(chart, "each"));

	widget_title(chart, canvas, &r);
	for (unsigned i = 0; i < chart->n_series && r.h > 0; i++) {
		struct bar_row row = {chart, data, &chart->series[i], NULL, &chart->series[i] == busiest};
		const struct metric_set *set = series_feed(row.series, data)->set;
		unsigned at = 0;

		row.instance = next_instance(set, kind, &at);
		do {
			draw_row(&row, canvas, rect_top(&r, 1));
			row.instance = row.instance ? next_instance(set, kind, &at) : NULL;
		} while (row.instance && r.h > 0);
	}
}

static const char *const bars_options[] = {"levels load", "each core slice cluster cpu", "mark busiest", NULL};

const struct widget widget_bars = {.name = "bars", .options = bars_options, .size = bars_size, .draw = bars_draw};
