/* area: a graph of one series, or of several on top of each other, with an axis, a grid and a line
 * at a limit.
 *
 * It has at least three rows; where there are fewer it is a row of `rows`. */
#include "views/widget.h"
#include "base/alloc.h"
#include "base/real.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MIN 3
#define ROWS_WANTED 7
#define STACK_MAX 4
#define CELL_LEVELS 4 /* of canvas_history, from the second row on */

static void area_size(const struct chart *chart, const struct view_data *data, int cols, int *min, int *most)
{
	const struct metric_instance *instances[CANVAS_ROWS_MAX];
	bool each = data->per_instance && widget_has_each(chart, data);
	int n = each ? (int)widget_instances(chart, data, instances,
					     (unsigned)chart_option_int(chart, "rows-each", 1))
		     : 0;

	(void)cols;
	*min = n > ROWS_MIN ? n : ROWS_MIN;
	*most = chart_option_int(chart, "rows", ROWS_WANTED);
	*most = *most > *min ? *most : *min;
}

/* Return where the limit line is: at the guide's threshold, or at the metric that the option `limit
 * METRIC | words` names. */
static double limit_of(const struct chart *chart, const struct view_data *data, struct span *words)
{
	const struct metric *m = chart->series[0].metric;
	struct series named;

	*words = span_of("limit");
	if (chart_option_series(chart, data, "limit", &named)) {
		*words = chart_option_words(chart, "limit");
		return series_rate_now(&named, data);
	}
	return m->alert != ALERT_NONE && chart->n_series == 1 ? m->alert_at : (double)NAN;
}

static double area_top(const struct chart *chart, const struct view_data *data, int points)
{
	const struct metric *m = chart->series[0].metric;
	struct span words;
	double limit, top;

	if (m->unit->kind == UNIT_PERCENT)
		return chart_option_int(chart, "scale", 100);
	limit = limit_of(chart, data, &words);
	if (limit > 0 && span_is(chart_option(chart, "top"), "limit"))
		return 2 * limit;
	top = widget_series_top(chart->series, chart->n_series, data, points);
	return limit > 0 ? real_max(top, widget_nice_top(limit)) : top;
}

/* "5.00" on an axis is 5. */
static void cut_zeros(char *number)
{
	size_t n = strlen(number);

	if (!strchr(number, '.'))
		return;
	while (number[n - 1] == '0')
		n--;
	number[number[n - 1] == '.' ? n - 1 : n] = 0;
}

static void draw_axis(const struct chart *chart, double top, struct canvas *canvas, struct rect axis,
		      struct rect plot)
{
	const struct unit *unit = chart->series[0].metric->unit;
	const double shares[] = {1, 0.5, 0};
	char number[UNITS_TEXT], prefix[UNITS_TEXT];
	double full;
	char *symbol;

	unit_split(number, prefix, top, unit, false, canvas->ascii);
	symbol = *unit->symbol ? strstr(prefix, unit->symbol) : NULL;
	if (symbol)
		*symbol = 0;         /* 10G of 10 GB/s */
	full = strtod(number, NULL); /* 1 of 1 GB/s: half of it is 0.5, not 500 */
	for (int i = 0; i < 3; i++) {
		int y = plot.y + (int)real_round((1 - shares[i]) * (plot.h - 1));

		if (i == 1 && plot.h < 5)
			continue;
		if (i > 0)
			snprintf(number, sizeof(number), "%.3g", full * shares[i]);
		cut_zeros(number);
		if (shares[i] > 0 && (int)(strlen(number) + strlen(prefix)) < axis.w)
			strcat(number, prefix);
		canvas_text_right(canvas, (struct rect){axis.x, y, axis.w - 1, 1}, STYLE_AXIS, number);
		for (int x = 0; x < plot.w && shares[i] > 0; x += 2)
			canvas_put(canvas, plot.x + x, y, STYLE_TRACK, 0x2508);
	}
}

/* The line, or with `words` what it is, above it. */
static void draw_limit(const struct chart *chart, const struct view_data *data, double top,
		       struct canvas *canvas, struct rect plot, bool worded)
{
	struct span words;
	double limit = limit_of(chart, data, &words);
	struct rect text = {plot.x + 3, 0, plot.w - 3, 1};
	char number[UNITS_TEXT];

	if (!(limit > 0 && limit <= top))
		return;
	text.y = plot.y + (int)real_round((1 - limit / top) * (plot.h - 1));
	for (int x = 0; x < plot.w && !worded; x++)
		canvas_put(canvas, plot.x + x, text.y, STYLE_LIMIT, 0x254c);
	if (worded && text.y-- > plot.y)
		canvas_printf(canvas, text, STYLE_LIMIT, " %.*s %s ", SPAN_ARG(words),
			      unit_format(number, limit, chart->series[0].metric->unit,
					  chart->series[0].metric->grows, canvas->ascii));
}

/* A cell has one colour. So the lower parts of a stack end at whole cells, or they would cut
 * notches into the part above: at the nearest one, but not above the whole. */
static double whole_cells(double share, double whole, int rows)
{
	if (!(share > 0))
		return share;
	double cells = real_min(real_round(share * rows), floor(whole * rows));

	return (real_max(cells, 1) * CELL_LEVELS - 1) / (rows * CELL_LEVELS - 1);
}

/* Draw the stack from its top down: each lower part is drawn over it. */
static void draw_stack(const struct chart *chart, const struct view_data *data, double top,
		       struct canvas *canvas, struct rect plot)
{
	unsigned n = chart->n_series < STACK_MAX ? chart->n_series : STACK_MAX;
	double whole[CANVAS_COLS_MAX];
	struct widget_past past;

	for (unsigned i = n; i-- > 0;) {
		widget_past_points(chart->series, i + 1, data, NULL, &past, plot.w);
		for (int x = 0; x < plot.w; x++) {
			double *p = &past.points[2 * x], least;

			p[0] /= top;
			p[1] /= top;
			past.styles[x] = (uint8_t)canvas_part_style(i);
			least = real_min(p[0], p[1]);
			if (i + 1 == n)
				whole[x] = least;
			else
				p[0] = p[1] = whole_cells(least, whole[x], plot.h);
		}
		canvas_history(canvas, plot, past.points, past.styles, plot.w);
	}
}

/* Count the newest points that are zero, up to the given number. */
static int count_zeros(const struct chart *chart, const struct view_data *data, int most)
{
	double sums[2 * CANVAS_COLS_MAX];
	int n = 0;

	series_rates(chart->series, chart->n_series, data, NULL, sums, most);
	while (n < most && sums[most - 1 - n] == 0)
		n++;
	return n;
}

/* Write into the empty part of the plot: the time measured so far until it is full, and why there
 * is nothing (the option `zero`). */
static void draw_words(const struct chart *chart, const struct view_data *data, struct canvas *canvas,
		       struct rect plot)
{
	int known = series_feed(&chart->series[0], data)->n_points;
	struct span word = chart_option(chart, "zero");
	int zero = word.n ? count_zeros(chart, data, 2 * plot.w) / 2 : 0;
	struct rect row = {plot.x, plot.y + plot.h - 2, plot.w, 1};
	char text[64];

	snprintf(text, sizeof(text), "%.0f s so far", known * data->refresh_s);
	if (known > 0 && plot.w - known / 2 > text_width(text) + 3 && plot.h > ROWS_MIN) {
		rect_left(&row, 1);
		canvas_text(canvas, row, STYLE_AXIS, text);
	}
	if (zero > (int)word.n + 2) {
		row = rect_right(&row, zero);
		rect_left(&row, (zero - (int)word.n) / 2);
		canvas_printf(canvas, row, STYLE_AXIS, "%.*s", SPAN_ARG(word));
	}
}

void widget_area_plot(const struct chart *chart, const struct view_data *data, struct canvas *canvas,
		      struct rect r)
{
	struct rect axis, plot = r;
	double top;

	axis = rect_left(&plot, WIDGET_AXIS_COLS);
	top = area_top(chart, data, 2 * plot.w);
	draw_axis(chart, top, canvas, axis, plot);
	draw_limit(chart, data, top, canvas, plot, false);
	if (chart->n_series > 1) {
		draw_stack(chart, data, top, canvas, plot);
	} else {
		struct widget_past past;

		widget_history(chart, &chart->series[0], data, top, &past, plot.w);
		canvas_history(canvas, plot, past.points, past.styles, past.cells);
	}
	widget_cursor(series_feed(&chart->series[0], data), canvas, plot, 2);
	draw_words(chart, data, canvas, plot);
	draw_limit(chart, data, top, canvas, plot, true);
}

void widget_over_time(const struct chart *chart, const struct series *series, const struct view_data *data,
		      struct canvas *canvas, struct rect r)
{
	struct series s = *series;
	struct chart graph = *chart;
	struct rect head = rect_top(&r, 1);

	graph.series = &s;
	graph.n_series = 1;
	rect_left(&head, canvas_text(canvas, head, STYLE_DIM, s.label) + 1);
	rect_left(&head, canvas_text(canvas, head, STYLE_DIM, "over time") + 1);
	canvas_fill(canvas, head, STYLE_TRACK, 0x2500);
	widget_area_plot(&graph, data, canvas, r);
}

static void area_draw(const struct chart *chart, const struct view_data *data, struct canvas *canvas,
		      struct rect r)
{
	const struct row_subject subject = {
		.chart = chart, .series = &chart->series[0], .metric = chart->series[0].metric};

	if (data->per_instance && widget_heat_each(chart, data, canvas, r))
		return;
	if (r.h < ROWS_MIN) {
		widget_rows_draw(chart, data, canvas, r);
		return;
	}
	/* the axis alone stands out: a ground below a whole graph is too much */
	hits_add(data->hits, &(struct hit){.at = r,
					   .mark = {r.x, r.y, WIDGET_AXIS_COLS, r.h},
					   .kind = HIT_ROW,
					   .subject = subject});
	widget_area_plot(chart, data, canvas, r);
}

static int area_axis(const struct chart *chart, const struct view_data *data, struct rect inner)
{
	(void)chart;
	(void)data;
	return inner.h < ROWS_MIN ? 0 : inner.w - WIDGET_AXIS_COLS;
}

/* "98.4 %  mean 68.6 %  peak 100 %", of the sum if there are several series; of the cores with
 * `c`. */
static void area_corner(const struct chart *chart, const struct view_data *data, bool ascii, char *text,
			size_t size)
{
	const struct metric *m = chart->series[0].metric;
	const struct feed *feed = series_feed(&chart->series[0], data);
	AUTOFREE double *sums = xreallocarray(NULL, (size_t)feed->n_points + 1, sizeof(*sums));
	double now = 0, mean = 0, peak = NAN;
	char a[UNITS_TEXT], b[UNITS_TEXT], c[UNITS_TEXT];

	if (data->per_instance && widget_has_each(chart, data)) {
		widget_each_corner(chart, data, ascii, text, size);
		return;
	}
	for (unsigned i = 0; i < chart->n_series; i++) {
		now += series_rate_now(&chart->series[i], data);
		mean += series_rate_total(&chart->series[i], data);
	}
	series_rates(chart->series, chart->n_series, data, NULL, sums, feed->n_points);
	for (int i = 0; i < feed->n_points; i++)
		peak = real_max(peak, sums[i]);
	snprintf(text, size, "%s  mean %s  peak %s", unit_format(a, now, m->unit, m->grows, ascii),
		 unit_format(b, mean, m->unit, m->grows, ascii),
		 unit_format(c, peak, m->unit, m->grows, ascii));
}

static const char *const area_options[] = {"levels load limit", "rows #", "rows-each #", "limit",
					   "top limit",         "hot",    "zero",        NULL};

const struct widget widget_area = {.name = "area",
				   .breaks_down = true,
				   .options = area_options,
				   .axis = area_axis,
				   .size = area_size,
				   .draw = area_draw,
				   .corner = area_corner};
