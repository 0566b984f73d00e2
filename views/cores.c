#include "views/cores.h"

#include <string.h>

/* cores: rows with a bar, a value, what stands beside it, and history; `c` breaks each down per shader core.
 *
 * Options: `levels load` as for bars; `sort load`: the highest first, in an order that changes every 5 s at most; `beside TEXT`:
 * heading of the values beside; `hint yes`: says so where `c` finds no values per core. */

enum { LABEL_W = 20, LABEL_NARROW = 16, NARROW = 60, GAP = 1, BAR_MIN = 6, STRIP_MIN = 6, SORT_MAX = 32 };
#define SORT_NS 5000000000ll

struct columns {
	struct rect label, bar, value, beside, strip;
};

/* Columns of the values of a chart; where there is room, those that any chart of the view may need. */
static int value_cols(const struct chart *chart, int cols)
{
	int most = 0;

	for (unsigned i = 0; i < chart->n_series; i++) {
		int w = widget_value_cols(chart->series[i].metric->unit);

		if (w > most)
			most = w;
	}
	return cols < NARROW ? most : WIDGET_VALUE_COLS;
}

static bool has_beside(const struct chart *chart)
{
	for (unsigned i = 0; i < chart->n_series; i++)
		if (chart->series[i].beside)
			return true;
	return false;
}

/* Charts of one view line up: bars and values stand where they would without a column beside. */
static struct columns cut(const struct chart *chart, struct rect row)
{
	struct columns c = {.bar.w = 0};
	int beside_w = has_beside(chart) ? GAP + WIDGET_PERCENT_COLS : 0;
	int value_w = value_cols(chart, row.w);
	int spare;

	c.label = rect_left(&row, row.w < NARROW ? LABEL_NARROW : LABEL_W);
	rect_left(&row, GAP);
	spare = row.w - GAP - value_w;
	if (spare / 2 - GAP - beside_w >= STRIP_MIN) {
		c.strip = rect_right(&row, spare / 2 - GAP - beside_w);
		rect_right(&row, GAP);
	}
	if (row.w >= value_w + beside_w) {
		c.beside = rect_right(&row, beside_w);
		rect_left(&c.beside, GAP);
	}
	if (row.w >= value_w + GAP + BAR_MIN) {
		c.value = rect_right(&row, value_w);
		rect_right(&row, GAP);
		c.bar = row;
	} else {
		c.value = rect_right(&row, value_w);
	}
	return c;
}

/* What a full bar and strip stand for: 100 for percentages, else the greatest value of the chart that is shown. */
static double scale_of(const struct chart *chart, const struct view_data *data, const struct series *series, int points)
{
	double greatest = 0;

	if (series->metric->unit->kind == UNIT_PERCENT)
		return 100;
	for (unsigned i = 0; i < chart->n_series; i++)
		for (int back = 0; chart->series[i].metric->unit == series->metric->unit && back < points; back++) {
			double v = series_rate_back(&chart->series[i], data, back);

			if (v > greatest)
				greatest = v;
		}
	return greatest;
}

/* Mean over the last whole 5 s of the clock, so that it stays the same until the next 5 s are over; before the first 5 s are over
 * the oldest value there is, which stays the same as well. */
static double sort_key(const struct series *series, const struct view_data *data)
{
	const struct feed *feed = series_feed(series, data);
	int64_t end_ns = feed->now_column ? feed->now_column->end_ns : 0;
	double refresh_ns = data->refresh_s * 1e9, sum = 0;
	int from, points, n = 0;

	if (refresh_ns <= 0 || feed->n_points <= 0)
		return series_total(series, data);
	from = (int)((double)(end_ns % SORT_NS) / refresh_ns + 0.5);
	points = (int)((double)SORT_NS / refresh_ns) + 1;
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

unsigned cores_order(const struct chart *chart, const struct view_data *data, unsigned char order[], unsigned max)
{
	unsigned n = chart->n_series < max ? chart->n_series : max;
	double key[SORT_MAX];
	bool sorted = span_is(chart_option(chart, "sort"), "load");

	for (unsigned i = 0; i < n; i++) {
		unsigned at = i;

		key[i] = sorted ? sort_key(&chart->series[i], data) : 0;
		/* insertion, so that equal ones keep the order of the chart; NaN (no work) is below everything */
		while (at > 0 && sorted &&
		       (key[i] > key[order[at - 1]] || (key[i] == key[i] && key[order[at - 1]] != key[order[at - 1]]))) {
			order[at] = order[at - 1];
			at--;
		}
		order[at] = (unsigned char)i;
	}
	return n;
}

void cores_draw_whole(const struct chart *chart, const struct view_data *data, const struct series *series, struct canvas *canvas,
		      struct rect row)
{
	struct columns c = cut(chart, row);
	double points[2 * CANVAS_COLS_MAX], now = series_rate_now(series, data);
	int n = 2 * c.strip.w;
	double scale = scale_of(chart, data, series, n > 0 ? n : 1);
	enum style style = chart_style(chart, series, now);
	struct series beside;

	canvas_text(canvas, c.label, STYLE_TEXT, series->label);
	canvas_bar(canvas, c.bar, style == STYLE_TEXT ? STYLE_SERIES1 : style, now / scale);
	widget_value(canvas, c.value, series, data, now, style);
	if (series_beside(series, &beside)) {
		double v = series_rate_now(&beside, data);

		widget_value(canvas, c.beside, &beside, data, v, chart_style(chart, &beside, v));
	}
	widget_points(series, data, scale, points, n);
	canvas_strip(canvas, c.strip, STYLE_SERIES1, points, n);
}

/* The heading ends where the numbers beside end. */
static void draw_heading(const struct chart *chart, struct canvas *canvas, struct rect row, struct rect free)
{
	struct columns c = cut(chart, row);
	struct span text = chart_option(chart, "beside");

	if (c.beside.w > 0 && text.n) {
		int end = c.beside.x + c.beside.w - 1;

		free.x = end - (int)text.n > free.x ? end - (int)text.n : free.x;
		free.w = end - free.x;
		canvas_printf(canvas, free, STYLE_DIM, "%.*s", SPAN_ARG(text));
	}
}

static void cores_size(const struct chart *chart, const struct view_data *data, int cols, int *min, int *most)
{
	(void)data;
	(void)cols;
	*min = widget_title_rows(chart) + 1;
	*most = widget_title_rows(chart) + (int)chart->n_series;
}

static void cores_draw(const struct chart *chart, const struct view_data *data, struct canvas *canvas, struct rect r)
{
	unsigned char order[SORT_MAX];
	unsigned n = cores_order(chart, data, order, SORT_MAX);
	struct rect row = r, free = widget_title(chart, canvas, &r);

	if (data->per_instance && cores_each_draw(chart, data, canvas, free, r, order, n))
		return;
	if (data->per_instance && span_is(chart_option(chart, "hint"), "yes"))
		canvas_text_right(canvas, free, STYLE_DIM, " no values per core: run or record with --per-core");
	else if (free.h > 0)
		draw_heading(chart, canvas, row, free);
	for (unsigned i = 0; i < n && r.h > 0; i++)
		cores_draw_whole(chart, data, &chart->series[order[i]], canvas, rect_top(&r, 1));
}

static const char *const cores_options[] = {"levels load", "sort load", "beside", "hint yes", NULL};

const struct widget widget_cores = {.name = "cores", .options = cores_options, .size = cores_size, .draw = cores_draw};
