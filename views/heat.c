/* heat: a row per series, time from left to right with the newest at the right, and a shade per
 * cell for the share. With `c` graphs are drawn this way too: a row per core of the first
 * series. */
#include "views/widget.h"

#include <math.h>
#include <stdio.h>

#define LABEL_COLS 9
#define STEP_COLS 7 /* columns of a step of the legend: "▒ 10  " */

#define STEPS 5

/* The percentages at which the shades start: for classes, whose rare values must be visible, and
 * for loads. */
static const double class_steps[STEPS] = {0.5, 2, 10, 25, 45}, load_steps[STEPS] = {5, 25, 50, 70, 90};

static const double *steps_of(const struct chart *chart)
{
	return chart->loads ? load_steps : class_steps;
}

/* Return the shade of a cell: the mean of its two points. A negative `back` has no point yet. */
static int shade_back(const struct drawing *d, const struct series *s, const struct metric_instance *instance,
		      double scale, int back)
{
	const double *steps = steps_of(d->chart);
	double a = series_rate(s, d->data, instance, back + 1),
	       b = back >= 0 ? series_rate(s, d->data, instance, back) : a,
	       percent = (isnan(a)   ? b
			  : isnan(b) ? a
				     : (a + b) / 2) /
			 scale * 100;
	int shade = isnan(percent) ? -1 : 0;

	while (shade >= 0 && shade < STEPS && percent >= steps[shade])
		shade++;
	return shade;
}

static void draw_row(const struct drawing *d, const struct series *s, const struct metric_instance *instance,
		     struct rect r)
{
	int odd = (int)(series_feed(s, d->data)->n_steps % 2);
	double scale = widget_scale(d, s, 2 * r.w);

	widget_row(d, r, s, instance);
	canvas_text(d->canvas, rect_left(&r, LABEL_COLS), STYLE_TEXT, instance ? instance->label : s->brief);
	widget_value(d, rect_right(&r, widget_value_cols(s->metric->unit)), s, instance,
		     series_rate(s, d->data, instance, -1), STYLE_VALUE, false);
	for (int x = 0; x < r.w; x++)
		canvas_heat(d->canvas, r.x + x, r.y, r.h,
			    shade_back(d, s, instance, scale, 2 * (r.w - 1 - x) - odd));
	widget_cursor(d, series_feed(s, d->data), r);
}

static void draw_legend(const double *steps, struct canvas *canvas, struct rect r)
{
	for (int i = 0; i <= STEPS; i++) {
		struct rect cell = rect_left(&r, i ? STEP_COLS : LABEL_COLS + STEP_COLS);

		if (!i)
			canvas_text(canvas, rect_left(&cell, LABEL_COLS), STYLE_DIM, "share");
		canvas_heat(canvas, cell.x, cell.y, 1, i);
		rect_left(&cell, 2);
		if (i)
			canvas_printf(canvas, cell, STYLE_DIM, "%g", steps[i - 1]);
		else
			canvas_printf(canvas, cell, STYLE_DIM, "<%g", steps[0]);
	}
	canvas_text(canvas, r, STYLE_DIM, "%");
}

/* Draw a row per series, or of the first one per instance, all equally high; then a legend if a
 * line is left over, or the number of rows that do not fit. */
static void draw_rows(const struct drawing *d, const struct metric_instance *const *instances, unsigned n,
		      struct rect r)
{
	int h = r.h / (int)n, left_out = (int)n - r.h + 1;
	struct rect last = {0};

	if (left_out > 1 && r.h > 1)
		last = rect_bottom(&r, 1);
	for (unsigned i = 0; i < n && r.h > 0; i++)
		draw_row(d, &d->chart->series[instances ? 0 : i], instances ? instances[i] : NULL,
			 rect_top(&r, h > 0 ? h : 1));
	canvas_printf(d->canvas, last, STYLE_DIM, "%d more: z shows this panel alone", left_out);
	if (r.h > 0)
		draw_legend(steps_of(d->chart), d->canvas, rect_bottom(&r, 1));
}

bool widget_heat_each(const struct drawing *d, struct rect r)
{
	const struct metric_instance *instances[EACH_MAX];

	if (!widget_has_each(d))
		return false;
	draw_rows(d, instances, widget_instances(d, instances), r);
	return true;
}

static struct need heat_size(const struct drawing *d, int cols)
{
	(void)cols;
	return (struct need){(int)d->chart->n_series, (int)d->chart->n_series + 1};
}

static void heat_draw(const struct drawing *d, struct rect r)
{
	draw_rows(d, NULL, d->chart->n_series, r);
}

static int heat_axis(const struct drawing *d, struct rect inner)
{
	(void)d;
	return inner.w - LABEL_COLS;
}

const struct widget widget_heat = {.name = "heat",
				   .options = "levels load|corner",
				   .axis = heat_axis,
				   .axis_right = WIDGET_PERCENT_COLS,
				   .size = heat_size,
				   .draw = heat_draw,
				   .corner = widget_corner};
