/* strips: a series' value now, its mean since the start, the peak of the history that is drawn, and that history.
 *
 *   External bandwidth      now          mean         peak
 *   read              7.21 GB/s    6.90 GB/s    9.80 GB/s   ⣿⣿⣷⣶⣤⣄
 */
#include "views/widget.h"

#include <math.h>

#define LABEL_COLS 17 /* more for a longer label; a title of 18 columns leaves room for the first heading */
#define GAP 2
#define STRIP_MIN 12 /* columns that history must have before a number gives way */
#define NUMBERS 3
#define TALL 3 /* rows from which on a history leaves one blank below it */

static const char *const headings[NUMBERS] = {"now", "mean", "peak"};

struct strip_columns {
	int label, value, numbers, strip; /* columns of a label, of a number; how many numbers; columns of history */
};

static struct strip_columns columns_of(const struct chart *chart, int cols)
{
	struct strip_columns c = {.label = LABEL_COLS, .value = WIDGET_VALUE_COLS, .numbers = NUMBERS};

	if (widget_label_cols(chart) + 1 > c.label)
		c.label = widget_label_cols(chart) + 1;
	while (c.numbers > 1 && cols - c.label - c.numbers * c.value < GAP + STRIP_MIN)
		c.numbers--;
	c.strip = cols - c.label - c.numbers * c.value - GAP;
	return c;
}

static int rows_each(const struct chart *chart)
{
	return chart_option_int(chart, "rows", 1);
}

static void strips_size(const struct chart *chart, const struct view_data *data, int cols, int *min, int *most)
{
	(void)data;
	(void)cols;
	*min = widget_title_rows(chart) + 1;
	*most = widget_title_rows(chart) + (int)chart->n_series * rows_each(chart);
}

static void draw_headings(const struct strip_columns *c, struct canvas *canvas, struct rect row, int left)
{
	/* The title's columns are taken off the row already: count from the left edge of the chart. */
	for (int i = 0; i < c->numbers; i++) {
		int cols = text_width(headings[i]);
		struct rect cell = {left + c->label + i * c->value + WIDGET_NUMBER_COLS - 1 - cols, row.y, cols, row.h};

		if (cell.x > row.x)
			canvas_text(canvas, cell, STYLE_DIM, headings[i]);
	}
}

static void draw_series(const struct chart *chart, const struct view_data *data, const struct series *series, double top,
			struct canvas *canvas, struct rect r)
{
	struct strip_columns c = columns_of(chart, r.w);
	int n = c.strip > 0 ? 2 * c.strip : 0;
	double numbers[NUMBERS] = {series_rate_now(series, data), series_rate_total(series, data), (double)NAN};
	enum style style = chart_style(chart, series, numbers[0]);
	double points[2 * CANVAS_COLS_MAX];

	for (int back = 0; back < n; back++)
		numbers[2] = fmax(numbers[2], series_rate_back(series, data, back));
	canvas_text(canvas, rect_left(&r, c.label), STYLE_TEXT, series->label);
	for (int i = 0; i < c.numbers; i++) {
		struct rect cell = rect_left(&r, c.value);

		if (i == 0)
			widget_value(canvas, cell, series, data, numbers[i], style);
		else
			widget_number(canvas, cell, series->metric->unit, numbers[i], true, false, STYLE_TEXT);
	}
	rect_left(&r, GAP);
	/* Tall histories would run into each other. */
	if (r.h >= TALL)
		rect_bottom(&r, 1);
	widget_points(series, data, top, points, n);
	canvas_strip(canvas, r, style == STYLE_TEXT ? STYLE_SERIES1 : style, points, n);
}

static double common_top(const struct chart *chart, const struct view_data *data, int n)
{
	double top = 0;

	for (unsigned i = 0; i < chart->n_series; i++)
		top = fmax(top, series_top(&chart->series[i], data, n));
	return top;
}

static void strips_draw(const struct chart *chart, const struct view_data *data, struct canvas *canvas, struct rect r)
{
	struct strip_columns c = columns_of(chart, r.w);
	int n = c.strip > 0 ? 2 * c.strip : 0;
	bool own = span_is(chart_option(chart, "scale"), "own");
	double common = common_top(chart, data, n);
	int left = r.x, each = rows_each(chart);
	struct rect title = widget_title(chart, canvas, &r);

	draw_headings(&c, canvas, title, left);
	if (each > r.h / (int)chart->n_series)
		each = r.h / (int)chart->n_series;
	for (unsigned i = 0; i < chart->n_series && r.h > 0; i++) {
		const struct series *s = &chart->series[i];

		draw_series(chart, data, s, own ? series_top(s, data, n) : common, canvas, rect_top(&r, each > 0 ? each : 1));
	}
}

static const char *const strips_options[] = {"levels load", "rows #", "scale own", NULL};

const struct widget widget_strips = {.name = "strips", .options = strips_options, .size = strips_size, .draw = strips_draw};
