/* History for widgets: two points per cell, and a colour for each cell. */
#include "base/alloc.h"
#include "base/real.h"
#include "views/widget.h"

#include <math.h>
#include <stdio.h>

#define SMALL_LIMIT 25 /* percent: below it, a scale up to 100 would be too coarse */
#define SORT_NS 5000000000ll
#define STICK 8        /* points within which a cell keeps the colour of the cell before it */
#define NEAR 3         /* and within which the boundary must be */
#define ABOVE_PEAK 1.1 /* a scale ends this much above the peak */
#define LOW_SHARE 0.45 /* share of a scale: a peak below it for HOLD_S lowers the scale by a step */
#define HOLD_S 10
#define BELOW_SCALE 5 /* times a lower limit fills the scale, because greater values are uncritical */

static const double steps[] = {1, 2, 3, 5, 10};

double widget_nice_top(double peak)
{
	double unit;

	if (!(peak > 0))
		return 1;
	unit = real_decade(peak);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++)
		if (steps[i] * unit >= peak * ABOVE_PEAK)
			return steps[i] * unit;
	return 20 * unit;
}

static double step_below(double top)
{
	double unit = real_decade(top * 0.99);

	for (size_t i = ARRAY_LEN(steps); i-- > 0;)
		if (steps[i] * unit < top * 0.99)
			return steps[i] * unit;
	return unit / 2;
}

/* Return the greatest of the n values from `at` on; 0 if there is none. */
static double peak_of(const double *values, int at, int n)
{
	double peak = 0;

	for (int i = at; i < at + n; i++)
		peak = real_max(peak, values[i]); /* real_max ignores NaN */
	return peak;
}

double widget_held_top(const double *values, int n, int points, int hold)
{
	double peak = 0, top = 0;
	int low = 0; /* refreshes in a row with a low peak */

	for (int newest = 0; newest < n; newest++) {
		int left = newest - points;

		/* search again only when the peak leaves the view */
		if (left >= 0 && values[left] >= peak)
			peak = peak_of(values, left + 1, points);
		peak = real_max(peak, values[newest]);
		low = peak > 0 && peak < LOW_SHARE * top ? low + 1 : 0;
		if (peak * ABOVE_PEAK > top)
			top = widget_nice_top(peak);
		if (low <= hold)
			continue;
		top = step_below(top);
		low = 0;
	}
	return top > 0 ? top : widget_nice_top(0);
}

double widget_series_top(const struct series *series, unsigned n, const struct view_data *data, int points)
{
	int all = series_feed(series, data)->n_points;
	int view = all > VIEW_POINTS_BEFORE ? all - VIEW_POINTS_BEFORE : all;
	AUTOFREE double *rates = xreallocarray(NULL, (size_t)all + 1, sizeof(*rates));

	series_rates(series, n, data, NULL, rates, all);
	return widget_held_top(rates, all, points < view ? points : view,
			       data->point_s > 0 ? (int)real_round(HOLD_S / data->point_s) : 0);
}

double widget_scale(const struct drawing *d, const struct series *series, int points)
{
	const struct metric *m = series->metric;
	double top;

	if (m->unit->kind == UNIT_PERCENT)
		return !d->chart->loads && m->alert == ALERT_ABOVE && m->alert_at <= SMALL_LIMIT
			       ? 2 * m->alert_at
			       : chart_option_int(d->chart, "scale", 100);
	if (m->alert == ALERT_ABOVE)
		return 2 * m->alert_at;
	top = widget_series_top(series, 1, d->data, points);
	return m->alert == ALERT_BELOW ? real_min(top, BELOW_SCALE * m->alert_at) : top;
}

/* Return the style of a cell. Near a boundary it is that of the cell before, so that noise does not
 * change colours. */
static enum style sticky_style(const struct drawing *d, const struct series *series,
			       const struct metric_instance *instance, double value, int back, double before,
			       enum style last)
{
	enum style style = chart_style(d, series, instance, value, back);
	bool near = fabs(value - LOAD_BUSY) <= NEAR || fabs(value - LOAD_HOT) <= NEAR;

	if (series->metric->alert == ALERT_NONE && !isnan(before) && near && fabs(value - before) <= STICK)
		return last;
	return style == STYLE_TEXT || series->part ? canvas_part_style(series->colour) : style;
}

/* History scrolls by whole cells: while the newest cell has only one point, both halves show it. */
void widget_past_points(const struct series *series, unsigned n, const struct view_data *data,
			const struct metric_instance *instance, struct widget_past *past, int cells)
{
	unsigned odd = cells > 0 ? series_feed(series, data)->n_steps % 2 : 0;
	int points = 2 * cells - (int)odd;

	past->cells = cells;
	series_rates(series, n, data, instance, past->points, points);
	if (odd)
		past->points[points] = past->points[points - 1];
}

void widget_history(const struct drawing *d, const struct series *series,
		    const struct metric_instance *instance, double scale, struct widget_past *past, int cells)
{
	int odd = (int)(series_feed(series, d->data)->n_steps % 2);
	double before = NAN;
	enum style last = STYLE_SERIES1;

	widget_past_points(series, 1, d->data, instance, past, cells);
	for (int i = 0; i < cells; i++) {
		double *p = &past->points[2 * i], sum;
		int back = 2 * (cells - 1 - i) - odd;

		sum = isnan(p[0]) ? p[1] : isnan(p[1]) ? p[0] : (p[0] + p[1]) / 2;
		last = sticky_style(d, series, instance, sum, back < 0 ? 0 : back, before, last);
		past->styles[i] = (uint8_t)last;
		before = sum;
		p[0] /= scale;
		p[1] /= scale;
	}
}

char *widget_span_text(char buf[UNITS_TEXT], double seconds)
{
	bool hours = seconds >= 7200, minutes = seconds >= 600;

	snprintf(buf, UNITS_TEXT, "%.4g %s",
		 hours     ? seconds / 3600
		 : minutes ? seconds / 60
			   : seconds,
		 hours     ? "h"
		 : minutes ? "min"
			   : "s");
	return buf;
}

void widget_history_head(const struct drawing *d, struct rect r)
{
	char span[UNITS_TEXT], text[UNITS_TEXT + 8];

	snprintf(text, sizeof(text), "last %s", widget_span_text(span, 2 * r.w * d->data->point_s));
	if (d->data->point_s > 0)
		canvas_text(d->canvas, r, STYLE_DIM, text_width(text) <= r.w ? text : span);
}

double widget_draw_history(const struct drawing *d, const struct series *series,
			   const struct metric_instance *instance, double scale, struct rect r)
{
	double peak = NAN;
	struct widget_past past;

	if (r.w < 1)
		return peak;
	widget_history(d, series, instance, scale, &past, r.w);
	canvas_history(d->canvas, r, past.points, past.styles, past.cells);
	widget_cursor(d, series_feed(series, d->data), r);
	for (int i = 0; i < 2 * past.cells; i++)
		peak = real_max(peak, past.points[i]);
	return peak;
}

void widget_cursor(const struct drawing *d, const struct feed *feed, struct rect r)
{
	int odd = (int)(feed->n_steps % 2), back = (feed->cursor - 1 + odd) / 2;

	if (feed->end_ns)
		hits_add(d->data->hits, &(struct hit){.at = r,
						      .kind = HIT_GRAPH,
						      .end_ns = feed->end_ns + odd * feed->point_ns,
						      .cell_ns = 2 * feed->point_ns});

	if (feed->cursor && back < r.w)
		canvas_restyle(d->canvas, (struct rect){r.x + r.w - 1 - back, r.y, 1, r.h}, STYLE_CURSOR);
}

/* Return the mean over the last complete 5 s of the clock, which stays the same for 5 s. Before the
 * first 5 s are over, return the oldest value, which stays the same too. */
double series_sort_key(const struct series *series, const struct view_data *data)
{
	const struct feed *feed = series_feed(series, data);
	int64_t end_ns = feed->now_column ? feed->now_column->end_ns : 0;
	double point_ns = data->point_s * 1e9, sum = 0;
	int from, points, n = 0;

	if (point_ns <= 0 || feed->n_points <= 0)
		return series_total(series, data);
	from = (int)((double)(end_ns % SORT_NS) / point_ns + 0.5);
	points = (int)((double)SORT_NS / point_ns) + 1;
	if (from >= feed->n_points)
		return series_back(series, data, feed->n_points - 1);
	for (int back = from; back < from + points && back < feed->n_points; back++) {
		double v = series_back(series, data, back);

		if (v == v) {
			sum += v;
			n++;
		}
	}
	return n ? sum / n : 0;
}
