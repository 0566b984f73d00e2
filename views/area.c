/* area: a graph with an axis, a grid and a line at a limit. It shows one series, several stacked,
 * or one divided into its parts: the height is GPU active, the colours are the queues that were
 * active.
 *
 * It needs at least three rows; with fewer it is drawn as a row of `rows`. */
#include "views/widget.h"
#include "base/alloc.h"
#include "base/real.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MIN 3
#define ROWS_WANTED 7
#define LIMIT_INDENT 6 /* indents the text at a limit, so that it stands beside the unit */
#define NOTHING 0.05   /* values below this share of the greatest in view count as nothing */
#define CELL_LEVELS 4  /* levels of a cell in canvas_history, from the second row on */

static bool has_parts(const struct chart *chart)
{
	return chart->series[0].n_parts > 0;
}

static struct need area_size(const struct drawing *d, int cols)
{
	const struct metric_instance *instances[EACH_MAX];
	int n = widget_has_each(d) ? (int)widget_instances(d, instances) : 0;
	int each = chart_option_int(d->chart, "rows-each", 1),
	    most = chart_option_int(d->chart, "rows", ROWS_WANTED);
	struct need need = {ROWS_MIN, most};

	(void)cols;
	n = n < each ? n : each;
	need.min = n > ROWS_MIN ? n : ROWS_MIN;
	need.most = most > need.min ? most : need.min;
	return need;
}

/* Return where the limit line is: at the guide's threshold, or at the metric that the option `limit
 * METRIC | words` names. */
static double limit_of(const struct drawing *d, struct span *words)
{
	const struct metric *m = d->chart->series[0].metric;
	struct series named;

	*words = span_of("limit");
	if (chart_option_series(d->chart, d->data, "limit", &named)) {
		*words = chart_option_words(d->chart, "limit");
		return series_rate_now(&named, d->data);
	}
	return m->alert != ALERT_NONE && d->chart->n_series == 1 ? m->alert_at : (double)NAN;
}

/* Twice the limit that the option `limit` names, if that is the limit of a ratio or the option `top
 * limit` is set: the line is then in the middle, and greater values are cut off at the top. */
static double area_top(const struct drawing *d, int points)
{
	const struct series *s = &d->chart->series[0];
	struct span words;
	double limit = limit_of(d, &words);

	if (limit > 0 && chart_option(d->chart, "limit").n &&
	    (s->metric->unit->kind == UNIT_RATIO || chart_option_is(d->chart, "top", "limit")))
		return 2 * limit;
	if (d->chart->n_series == 1 || s->metric->unit->kind == UNIT_PERCENT)
		return widget_scale(d, s, points);
	return widget_series_top(s, d->chart->n_series, d->data, points);
}

/* Shorten "5.00" on an axis to "5". */
static void cut_zeros(char *number)
{
	size_t n = strlen(number);

	if (!strchr(number, '.'))
		return;
	while (number[n - 1] == '0')
		n--;
	number[number[n - 1] == '.' ? n - 1 : n] = 0;
}

/* Draw the numbers left of the plot, and the grid. */
static void draw_axis(const struct chart *chart, double top, struct canvas *canvas, struct rect axis,
		      struct rect plot)
{
	const double shares[] = {1, 0.5, 0};
	char number[UNITS_TEXT], suffix[UNITS_TEXT];
	double full;

	unit_split(number, suffix, top, chart->series[0].metric->unit, false, false);
	full = strtod(number, NULL); /* 1 of 1 GB/s: half of it is 0.5, not 500 */
	for (int i = 0; i < 3; i++) {
		int y = plot.y + (int)real_round((1 - shares[i]) * (plot.h - 1));

		if (i == 1 && plot.h < 5)
			continue;
		if (i > 0)
			snprintf(number, sizeof(number), "%.3g", full * shares[i]);
		cut_zeros(number);
		canvas_text_right(canvas, (struct rect){axis.x, y, axis.w - 1, 1}, STYLE_AXIS, number);
		for (int x = 0; x < plot.w && shares[i] > 0; x += 2)
			canvas_put(canvas, plot.x + x, y, STYLE_TRACK, 0x2508);
	}
}

/* Draw the unit beside the topmost number of the axis: "GB/s". The title names percent. */
static void draw_unit(const struct chart *chart, double top, struct canvas *canvas, struct rect plot)
{
	const struct metric *m = chart->series[0].metric;
	char number[UNITS_TEXT], suffix[UNITS_TEXT];

	unit_split(number, suffix, top, m->unit, m->grows, false);
	if (m->unit->kind != UNIT_PERCENT && suffix[0])
		canvas_printf(canvas, plot, STYLE_AXIS, "%s ", suffix);
}

/* Draw the line of the limit through the data, with the text of the limit above it. A limit above
 * the scale is named at the top. */
static void draw_limit(const struct drawing *d, double top, struct rect plot)
{
	const struct metric *m = d->chart->series[0].metric;
	struct span words;
	double limit = limit_of(d, &words);
	bool out = limit > top;
	struct rect text = {plot.x + LIMIT_INDENT, plot.y, plot.w - LIMIT_INDENT, 1};
	char number[UNITS_TEXT];
	int line = 0;

	if (!(limit > 0 && top > 0)) /* also if one is unknown */
		return;
	if (!out) {
		line = plot.y + (int)real_round((1 - limit / top) * (plot.h - 1));
		text.y = line - 1;
	}
	for (int x = 0; x < plot.w && !out; x++)
		canvas_put(d->canvas, plot.x + x, line, STYLE_LIMIT, 0x254c);
	if (text.y < plot.y)
		return;
	canvas_printf(d->canvas, text, STYLE_LIMIT, " %.*s %s%s ", SPAN_ARG(words),
		      unit_format(number, limit, m->unit, m->grows, false),
		      !out               ? ""
		      : d->canvas->ascii ? ", off scale"
					 : " \u2191");
}

/* A cell has one colour, so the lower parts of a stack are rounded to whole cells, but not above
 * the whole stack. Otherwise they would cut notches into the part above. */
static double whole_cells(double share, double whole, int rows)
{
	if (!(share > 0))
		return share;
	double cells = real_min(real_round(share * rows), floor(whole * rows));

	return (real_max(cells, 1) * CELL_LEVELS - 1) / (rows * CELL_LEVELS - 1);
}

/* Get the sum of the first n parts, as shares of the scale. Queues work at the same time, so the
 * parts may add up to more than their series: scale them so that their sum is the series. */
static void sum_parts(const struct drawing *d, unsigned n, double top, struct widget_past *past, int cells)
{
	struct widget_past whole, all;

	widget_past_points(d->chart->series + has_parts(d->chart), n, d->data, NULL, past, cells);
	if (has_parts(d->chart)) {
		widget_past_points(d->chart->series, 1, d->data, NULL, &whole, cells);
		widget_past_points(d->chart->series + 1, d->chart->n_series - 1, d->data, NULL, &all, cells);
	}
	for (int i = 0; i < 2 * cells; i++) {
		double *p = &past->points[i];

		if (has_parts(d->chart))
			*p = n + 1 == d->chart->n_series || !(all.points[i] > 0)
				     ? whole.points[i]
				     : *p * whole.points[i] / all.points[i];
		*p /= top;
	}
}

/* Draw the stack from its top down: each lower part is drawn over it. */
static void draw_stack(const struct drawing *d, double top, struct rect plot)
{
	unsigned n = d->chart->n_series - has_parts(d->chart);
	double whole[CANVAS_COLS_MAX];
	struct widget_past past;

	for (unsigned i = n; i-- > 0;) {
		sum_parts(d, i + 1, top, &past, plot.w);
		for (int x = 0; x < plot.w; x++) {
			double *p = &past.points[2 * x], least = real_min(p[0], p[1]);

			past.styles[x] = (uint8_t)canvas_part_style(i);
			if (i + 1 == n)
				whole[x] = least;
			else
				p[0] = p[1] = whole_cells(least, whole[x], plot.h);
		}
		canvas_history(d->canvas, plot, past.points, past.styles, plot.w);
	}
}

/* Leave a gap where the denominator of a ratio is almost zero: where the metric of the option `gap`
 * is below a share of its greatest value in view. */
static void drop_nothing(const struct drawing *d, double *points, int n)
{
	AUTOFREE double *whole = NULL;
	struct series s;
	double most = 0;

	if (!chart_option_series(d->chart, d->data, "gap", &s))
		return;
	whole = xreallocarray(NULL, (size_t)n + 1, sizeof(*whole));
	series_rates(&s, 1, d->data, NULL, whole, n);
	for (int i = 0; i < n; i++)
		most = real_max(most, whole[i]);
	for (int i = 0; i < n; i++)
		if (whole[i] < NOTHING * most)
			points[i] = NAN;
}

/* Count the newest points that are zero, up to the given number. */
static int count_zeros(const struct drawing *d, int most)
{
	double sums[2 * CANVAS_COLS_MAX];
	int n = 0;

	series_rates(d->chart->series, d->chart->n_series, d->data, NULL, sums, most);
	while (n < most && sums[most - 1 - n] == 0)
		n++;
	return n;
}

/* Write into the empty part of the plot: the measured time until the plot is full, and the option
 * `zero` over newest values that are zero. */
static void draw_words(const struct drawing *d, struct rect plot)
{
	int known = series_feed(&d->chart->series[0], d->data)->n_points;
	struct span word = chart_option(d->chart, "zero");
	int zero = word.n ? count_zeros(d, 2 * plot.w) / 2 : 0;
	struct rect row = {plot.x, plot.y + plot.h - 2, plot.w, 1};
	char span[UNITS_TEXT], text[64];

	snprintf(text, sizeof(text), "%s so far", widget_span_text(span, known * d->data->point_s));
	if (known > 0 && plot.w - known / 2 > text_width(text) + 3 && plot.h > ROWS_MIN) {
		rect_left(&row, 1);
		canvas_text(d->canvas, row, STYLE_AXIS, text);
	}
	if (zero > (int)word.n + 2) {
		row = rect_right(&row, zero);
		rect_left(&row, (zero - (int)word.n) / 2);
		canvas_printf(d->canvas, row, STYLE_AXIS, "%.*s", SPAN_ARG(word));
	}
}

/* Draw the maxima behind the graph. A value above the scale is marked with a sign at the top. */
static void draw_outline(const struct drawing *d, const struct series *outline, double top, struct rect plot,
			 struct widget_past *body)
{
	struct widget_past past;

	widget_history(d, outline, NULL, top, &past, plot.w);
	for (int x = 0; x < past.cells; x++)
		past.styles[x] =
			real_max(past.points[2 * x], past.points[2 * x + 1]) > 1 ? STYLE_HOT : STYLE_TEXT;
	canvas_history(d->canvas, plot, past.points, past.styles, past.cells);
	for (int x = 0; x < past.cells; x++)
		if (past.styles[x] == STYLE_HOT)
			canvas_put(d->canvas, plot.x + plot.w - past.cells + x, plot.y, STYLE_HOT, 0x25b2);
	for (int x = 0; x < body->cells; x++) {
		double *p = &body->points[2 * x], least = real_min(p[0], p[1]);

		p[0] = p[1] = whole_cells(least, least, plot.h);
	}
}

void widget_area_plot(const struct drawing *d, struct rect r)
{
	struct rect axis, plot = r;
	double top;

	axis = rect_left(&plot, WIDGET_AXIS_COLS);
	if (plot.w < 1 || plot.h < 1)
		return;
	top = area_top(d, 2 * plot.w);
	draw_axis(d->chart, top, d->canvas, axis, plot);
	if (d->chart->n_series > 1) {
		draw_stack(d, top, plot);
	} else {
		int odd = (int)(series_feed(&d->chart->series[0], d->data)->n_steps % 2);
		struct widget_past past;
		struct series outline;

		widget_history(d, &d->chart->series[0], NULL, top, &past, plot.w);
		drop_nothing(d, past.points, 2 * past.cells - odd);
		if (odd && isnan(past.points[2 * past.cells - 2])) /* the newest cell has one point */
			past.points[2 * past.cells - 1] = NAN;
		if (chart_option_series(d->chart, d->data, "outline", &outline))
			draw_outline(d, &outline, top, plot, &past);
		canvas_history(d->canvas, plot, past.points, past.styles, past.cells);
	}
	widget_cursor(d, series_feed(&d->chart->series[0], d->data), plot);
	draw_words(d, plot);
	draw_limit(d, top, plot);
	draw_unit(d->chart, top, d->canvas, plot);
}

void widget_over_time(const struct drawing *d, const struct series *series, struct rect r)
{
	struct series s = *series;
	struct chart graph = *d->chart;
	struct rect head = rect_top(&r, 1);

	graph.series = &s;
	graph.n_series = 1;
	rect_left(&head, canvas_text(d->canvas, head, STYLE_DIM, s.label) + 1);
	widget_rule(d->canvas, head, "over time");
	widget_area_plot(&(struct drawing){&graph, d->data, d->canvas}, r);
}

static void area_draw(const struct drawing *d, struct rect r)
{
	const struct row_subject subject = {
		.chart = d->chart, .series = &d->chart->series[0], .metric = d->chart->series[0].metric};

	if (widget_heat_each(d, r))
		return;
	if (r.h < ROWS_MIN) {
		widget_rows_draw(d, r);
		return;
	}
	/* highlight only the axis: a background below a whole graph would be too much */
	widget_hit(d, r, (struct rect){r.x, r.y, WIDGET_AXIS_COLS, r.h}, subject);
	widget_area_plot(d, r);
}

static int area_axis(const struct drawing *d, struct rect inner)
{
	(void)d;
	return inner.h < ROWS_MIN ? 0 : inner.w - WIDGET_AXIS_COLS;
}

/* "98.4 % mean 68.6 % peak 100 %", of the sum if there are several series. With `c`, the values of
 * the cores. */
static void area_corner(const struct drawing *d, char *text, size_t size)
{
	const struct metric *m = d->chart->series[0].metric;
	const struct feed *feed = series_feed(&d->chart->series[0], d->data);
	AUTOFREE double *sums = xreallocarray(NULL, (size_t)feed->n_points + 1, sizeof(*sums));
	unsigned n = has_parts(d->chart) ? 1 : d->chart->n_series;
	double now = 0, mean = 0, peak = NAN;
	struct series outline;
	char a[UNITS_TEXT], b[UNITS_TEXT], c[UNITS_TEXT];

	if (widget_has_each(d)) {
		widget_each_corner(d, text, size);
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		now += series_rate_now(&d->chart->series[i], d->data);
		mean += series_rate_total(&d->chart->series[i], d->data);
	}
	if (chart_option_series(d->chart, d->data, "outline", &outline))
		series_rates(&outline, 1, d->data, NULL, sums, feed->n_points);
	else
		series_rates(d->chart->series, n, d->data, NULL, sums, feed->n_points);
	drop_nothing(d, sums, feed->n_points);
	for (int i = 0; i < feed->n_points; i++)
		peak = real_max(peak, sums[i]);
	snprintf(text, size, "%s%s  mean %s  peak %s", feed->cursor && isfinite(now) ? "cursor " : "",
		 unit_format(a, now, m->unit, m->grows, false),
		 unit_format(b, mean, m->unit, m->grows, false),
		 unit_format(c, peak, m->unit, m->grows, false));
}

const struct widget widget_area = {.name = "area",
				   .breaks_down = true,
				   .options = "levels load limit|rows #|rows-each #|limit|top limit|hot|zero|"
					      "gap|outline",
				   .axis = area_axis,
				   .size = area_size,
				   .draw = area_draw,
				   .corner = area_corner};
