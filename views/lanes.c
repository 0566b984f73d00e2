/* lanes: swim lanes. A row per series, time from left to right with the newest at the right, a cell per refresh, shaded by the
 * percentage; below them the time axis.
 *
 *   vertex          ░░▒▓▓░░░░▒▒▒▓▓▓█
 *                   8 s ago      now
 */
#include "views/widget.h"

#include <math.h>
#include <stdio.h>

#define LABEL_COLS 16
#define AXIS_TICK_MIN 40 /* columns from which on the axis has a tick in its middle */

static void lanes_size(const struct chart *chart, const struct view_data *data, int cols, int *min, int *most)
{
	(void)data;
	(void)cols;
	*min = widget_title_rows(chart) + 1;
	*most = widget_title_rows(chart) + (int)chart->n_series + 1;
}

static void draw_lane(const struct series *series, const struct view_data *data, struct canvas *canvas, struct rect r,
		      enum style style)
{
	for (int x = 0; x < r.w; x++) {
		struct rect cell = {r.x + x, r.y, 1, 1};

		canvas_shade(canvas, cell, style, series_back(series, data, r.w - 1 - x) / 100);
	}
}

static void draw_ago(struct canvas *canvas, struct rect r, double seconds)
{
	char text[UNITS_TEXT];

	canvas_printf(canvas, r, STYLE_DIM, "%s ago", time_format(text, (int64_t)(seconds * 1e9)));
}

static void draw_axis(const struct view_data *data, struct canvas *canvas, struct rect r)
{
	struct rect half = r;

	draw_ago(canvas, r, r.w * data->refresh_s);
	canvas_text_right(canvas, r, STYLE_DIM, "now");
	rect_left(&half, r.w - r.w / 2);
	if (r.w >= AXIS_TICK_MIN)
		draw_ago(canvas, half, half.w * data->refresh_s);
}

/* "METRIC | label" of the option, at the right end of the title's row. */
static void draw_corner(const struct chart *chart, const struct view_data *data, struct canvas *canvas, struct rect r)
{
	struct span rest = chart_option(chart, "corner");
	struct span name = span_trim(span_until(&rest, '|')), label = span_trim(rest);
	const struct metric_set *gpu = data->feeds[SOURCE_GPU].set;
	struct series s = {.metric = gpu ? metric_find(gpu, name) : NULL, .label = ""};
	char text[128];
	struct rect value;

	snprintf(text, sizeof(text), "%.*s", SPAN_ARG(label));
	rect_left(&r, 2);
	/* A number without its label would say nothing. */
	if (!s.metric || r.w < text_width(text) + widget_value_cols(s.metric->unit))
		return;
	value = rect_right(&r, widget_value_cols(s.metric->unit));
	widget_value(canvas, value, &s, data, series_now(&s, data), STYLE_TEXT);
	canvas_text_right(canvas, r, STYLE_DIM, text);
}

static void lanes_draw(const struct chart *chart, const struct view_data *data, struct canvas *canvas, struct rect r)
{
	int label_cols = widget_label_cols(chart) + 1;

	draw_corner(chart, data, canvas, widget_title(chart, canvas, &r));
	if (label_cols < LABEL_COLS)
		label_cols = LABEL_COLS;
	for (unsigned i = 0; i < chart->n_series && r.h > 0; i++) {
		struct rect row = rect_top(&r, 1), label = rect_left(&row, label_cols);

		canvas_text(canvas, label, STYLE_TEXT, chart->series[i].label);
		draw_lane(&chart->series[i], data, canvas, row, STYLE_SERIES1 + i % 4);
	}
	rect_left(&r, label_cols);
	if (r.h > 0)
		draw_axis(data, canvas, r);
}

static const char *const lanes_options[] = {"corner", NULL};

const struct widget widget_lanes = {.name = "lanes", .options = lanes_options, .size = lanes_size, .draw = lanes_draw};
