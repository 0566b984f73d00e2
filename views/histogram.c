#include "views/widget.h"

#include "base/alloc.h"
#include "base/real.h"

#include <math.h>
#include <stdio.h>

/* histogram: one row per class of a distribution: its share now and since the start. Spare lines
 * show the series of the corner as a graph. A wide panel has the value beside each as well.
 *
 * Option `words`: a comma-separated word for each series, such as "fast, ok, slow". `whole yes`:
 * all classes or none; otherwise the first classes are omitted if space is short. */

/* Words with a judgement have a colour. */
static const struct {
	const char *word;
	enum style style;
} word_styles[] = {
	{"fast", STYLE_CALM},     {"ok", STYLE_CALM},       {"slow", STYLE_BUSY},
	{"very slow", STYLE_HOT}, {"coherent", STYLE_CALM}, {"scattered", STYLE_BUSY},
};

enum {
	LABEL_W = 8,
	LABEL_GAP = 1,
	NOW_GAP = 1,
	TOTAL_GAP = 5,
	WORD_GAP = 2,
	WORD_W = 9,
	BAR_MIN = 6,
	BESIDE_BAR_MIN = 24
};

/* The columns of one row. A width of 0 means that it does not fit. */
struct histogram_columns {
	struct rect label, bar, now, total, word, beside;
};

static bool is_percent(const struct series *series)
{
	return series->metric->unit->kind == UNIT_PERCENT;
}

static struct histogram_columns cut_columns(const struct chart *chart, struct rect row)
{
	struct histogram_columns c = {.total.w = 0};
	bool words = chart_option(chart, "words").n, percent = is_percent(&chart->series[0]);
	bool beside = chart->series[0].beside;
	int value_w = percent ? WIDGET_PERCENT_COLS : WIDGET_VALUE_COLS;
	int word_w = words ? WORD_GAP + WORD_W : 0;

	c.label = rect_left(&row, LABEL_W);
	rect_left(&row, LABEL_GAP);
	if (row.w >= BAR_MIN + NOW_GAP + value_w + word_w) {
		c.word = rect_right(&row, word_w);
		rect_left(&c.word, WORD_GAP);
	}
	if (row.w >= BAR_MIN + NOW_GAP + value_w + TOTAL_GAP + value_w) {
		c.total = rect_right(&row, value_w);
		rect_right(&row, TOTAL_GAP);
	}
	if (beside && row.w >= BESIDE_BAR_MIN + WIDGET_VALUE_COLS + NOW_GAP + value_w)
		c.beside = rect_right(&row, WIDGET_VALUE_COLS);
	c.now = rect_right(&row, value_w);
	rect_right(&row, NOW_GAP);
	c.bar = row;
	return c;
}

/* Return the worst style of a class. If the corner's metric has a limit, a slow class is an alarm
 * only beyond it, and neutral while the metric is not judged. */
static enum style worst_style(const struct drawing *d)
{
	struct series s;
	enum style style;

	if (!chart_option_series(d->chart, d->data, "corner", &s) || s.metric->alert == ALERT_NONE)
		return STYLE_HOT;
	style = series_style(&s, d->data, NULL, series_now(&s, d->data));
	return style == STYLE_CALM ? STYLE_BUSY : style == STYLE_TEXT ? STYLE_SERIES1 : STYLE_HOT;
}

static enum style word_style(struct span word, enum style worst)
{
	for (size_t i = 0; i < ARRAY_LEN(word_styles); i++)
		if (span_is(word, word_styles[i].word))
			return word_styles[i].style == STYLE_HOT || worst == STYLE_SERIES1
				       ? worst
				       : word_styles[i].style;
	return STYLE_SERIES1;
}

/* Return the value of a full bar: 100 for shares, the largest class for counts. */
static double scale_of(const struct drawing *d)
{
	double largest = 0;

	for (unsigned i = 0; i < d->chart->n_series; i++) {
		if (is_percent(&d->chart->series[i]))
			return 100;
		largest = real_max(largest, series_rate_now(&d->chart->series[i], d->data));
	}
	return largest;
}

static void draw_headings(const struct drawing *d, struct rect free, const struct histogram_columns *c)
{
	char text[UNITS_TEXT], span[UNITS_TEXT];

	if (d->data->refresh_s > 0) {
		double now_s = d->data->range_s > 0 ? d->data->range_s : d->data->refresh_s;

		snprintf(text, sizeof(text), "now %.20s", time_format(span, (int64_t)(now_s * 1e9)));
		if (!widget_heading(d->canvas, free, c->now, text))
			widget_heading(d->canvas, free, c->now, "now");
	}
	widget_heading(d->canvas, free, c->total, "since start");
}

static void draw_row(const struct drawing *d, const struct series *series, const struct histogram_columns *c,
		     struct span word, enum style style, double scale)
{
	double now = series_rate_now(series, d->data);
	struct series beside;

	style = now > 0 ? style : STYLE_DIM; /* an empty class is not an alarm */
	canvas_text_right(d->canvas, c->label, STYLE_TEXT, series->label);
	canvas_meter(d->canvas, c->bar, style, now / scale, NAN);
	widget_value(d, c->now, series, NULL, now, STYLE_TEXT, false);
	if (c->beside.w && series_beside(series, &beside))
		widget_dim_number(d->canvas, c->beside, beside.metric, series_rate_now(&beside, d->data));
	widget_dim_number(d->canvas, c->total, series->metric, series_rate_total(series, d->data));
	canvas_printf(d->canvas, c->word, style == STYLE_SERIES1 ? STYLE_DIM : style, "%.*s", SPAN_ARG(word));
}

static struct need histogram_size(const struct drawing *d, int cols)
{
	int most = 1 + (int)d->chart->n_series;

	(void)cols;
	return (struct need){chart_option_is(d->chart, "whole", "yes") ? most : 2, most};
}

/* Return how many lines are left over for a graph, and set *series to what it shows. */
static int graph_lines(const struct drawing *d, struct rect inner, struct series *series)
{
	int left = inner.h - 1 - (int)d->chart->n_series;

	return left >= WIDGET_OVER_TIME_MIN && chart_option_series(d->chart, d->data, "corner", series) ? left
													: 0;
}

static int histogram_axis(const struct drawing *d, struct rect inner)
{
	struct series series;

	return graph_lines(d, inner, &series) ? inner.w - WIDGET_AXIS_COLS : 0;
}

static void histogram_draw(const struct drawing *d, struct rect r)
{
	struct span words = chart_option(d->chart, "words");
	struct histogram_columns c = cut_columns(d->chart, r);
	double scale = scale_of(d);
	enum style worst = worst_style(d);
	struct series over_time;
	int skip, graph = graph_lines(d, r, &over_time);
	struct rect row;

	draw_headings(d, widget_head(&r), &c);
	/* if space is short, show the last classes, which are the slowest */
	skip = (int)d->chart->n_series - r.h;
	for (unsigned i = 0; i < d->chart->n_series; i++) {
		struct span word = span_trim(span_until(&words, ','));

		if (skip-- > 0)
			continue;
		row = rect_top(&r, 1);
		widget_row(d, row, &d->chart->series[i], NULL);
		c = cut_columns(d->chart, row);
		draw_row(d, &d->chart->series[i], &c, word, word_style(word, worst), scale);
	}
	if (graph)
		widget_over_time(d, &over_time, rect_bottom(&r, graph));
}

const struct widget widget_histogram = {.name = "histogram",
					.options = "words|corner|scale #|whole yes",
					.axis = histogram_axis,
					.heads = 1,
					.size = histogram_size,
					.draw = histogram_draw,
					.corner = widget_corner};
