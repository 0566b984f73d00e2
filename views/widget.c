#include "views/widget.h"

#include "base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct feed *series_feed(const struct series *series, const struct view_data *data)
{
	return &data->feeds[series->source];
}

/* The vector of a point of history, or of the last refresh if back < 0; NULL if there is none. */
static const double *vector_at(const struct feed *feed, int back)
{
	if (back < 0)
		return feed->now;
	return back < feed->n_points ? feed->points[feed->n_points - 1 - back] : NULL;
}

static double value_of(const struct metric *metric, const double *vector)
{
	return vector ? metric_value(metric, vector) : (double)NAN;
}

static double rate_of(const struct metric *metric, const double *vector)
{
	double value = value_of(metric, vector);

	if (!vector || metric->unit->kind != UNIT_COUNT)
		return value;
	return vector[VECTOR_SECONDS] > 0 ? value / vector[VECTOR_SECONDS] : (double)NAN;
}

double series_now(const struct series *series, const struct view_data *data)
{
	return value_of(series->metric, series_feed(series, data)->now);
}

double series_total(const struct series *series, const struct view_data *data)
{
	return value_of(series->metric, series_feed(series, data)->total);
}

double series_back(const struct series *series, const struct view_data *data, int back)
{
	return value_of(series->metric, vector_at(series_feed(series, data), back));
}

double series_rate_now(const struct series *series, const struct view_data *data)
{
	return rate_of(series->metric, series_feed(series, data)->now);
}

double series_rate_total(const struct series *series, const struct view_data *data)
{
	return rate_of(series->metric, series_feed(series, data)->total);
}

double series_rate_back(const struct series *series, const struct view_data *data, int back)
{
	return rate_of(series->metric, vector_at(series_feed(series, data), back));
}

double series_rate_instance(const struct series *series, const struct view_data *data, const struct metric_instance *instance,
			    int back)
{
	const struct feed *feed = series_feed(series, data);
	const double *whole = vector_at(feed, back);

	if (!whole)
		return (double)NAN;
	AUTOFREE double *vector = xmalloc(feed->set->n_vector * sizeof(*vector));

	metric_vector_instance(feed->set, instance, whole, feed->n_vector, vector);
	return rate_of(series->metric, vector);
}

double series_top(const struct series *series, const struct view_data *data, int n)
{
	double top = 0;

	if (series->metric->unit->kind == UNIT_PERCENT)
		return 100;
	for (int back = 0; back < n; back++)
		top = fmax(top, series_rate_back(series, data, back)); /* fmax passes over NaN */
	return top;
}

bool series_beside(const struct series *series, struct series *beside)
{
	*beside = (struct series){.metric = series->beside, .source = series->beside_source, .label = series->label};
	return series->beside != NULL;
}

static enum style level_style(double value, double busy, double hot)
{
	return value > hot ? STYLE_HOT : value > busy ? STYLE_BUSY : STYLE_CALM;
}

enum style series_style(const struct series *series, double value)
{
	const struct metric *m = series->metric;

	if (m->alert == ALERT_NONE || isnan(value))
		return STYLE_TEXT;
	if (m->alert == ALERT_ABOVE)
		return level_style(value, m->alert_at, m->alert_at * 1.5);
	return level_style(-value, -m->alert_at, -m->alert_at / 1.5);
}

enum style chart_style(const struct chart *chart, const struct series *series, double value)
{
	if (series->metric->alert == ALERT_NONE && series->metric->unit->kind == UNIT_PERCENT && !isnan(value) &&
	    span_is(chart_option(chart, "levels"), "load"))
		return level_style(value, 70, 90);
	return series_style(series, value);
}

struct span chart_option(const struct chart *chart, const char *key)
{
	for (unsigned i = 0; i < chart->n_options; i++)
		if (span_is(chart->options[i].key, key))
			return chart->options[i].value;
	return (struct span){"", 0};
}

int chart_option_int(const struct chart *chart, const char *key, int otherwise)
{
	uint64_t value;

	return span_u64(chart_option(chart, key), &value) && value >= 1 && value <= 200 ? (int)value : otherwise;
}

static const char *mark_of(const struct canvas *canvas, const struct series *series, double value, uint32_t flags)
{
	enum style level = series_style(series, value);

	if (level == STYLE_BUSY || level == STYLE_HOT)
		return "!";
	if (flags & (SAMPLE_GAP | SAMPLE_STRETCHED | SAMPLE_ERROR))
		return canvas->ascii ? "." : "\u00b7";
	return "";
}

int widget_number(struct canvas *canvas, struct rect r, const struct unit *unit, double value, bool rate, bool estimated,
		  enum style style)
{
	char number[UNITS_TEXT], suffix[UNITS_TEXT], text[UNITS_TEXT + 2];

	unit_split(number, suffix, value, unit, rate, canvas->ascii);
	estimated = estimated && !isnan(value);
	snprintf(text, sizeof(text), "%s%s%s", estimated ? "[" : "", number, estimated ? "]" : " ");
	/* Without brackets a blank keeps the digits where they would be with them. */
	canvas_text_right(canvas, rect_left(&r, WIDGET_NUMBER_COLS), style, text);
	return canvas_text(canvas, r, STYLE_DIM, suffix) + WIDGET_NUMBER_COLS;
}

/* Whether what it was made of was counted for a part of the time only: all that flagged samples tell, or each slot by itself. */
static bool is_estimated(const struct feed *feed, const struct metric *metric, const struct metric_instance *instance)
{
	const double *vector = feed->now;
	AUTOFREE double *own = NULL;

	if (!feed->now_column || !(feed->now_column->flags & SAMPLE_ESTIMATED))
		return false;
	if (instance) {
		own = xmalloc(feed->set->n_vector * sizeof(*own));
		metric_vector_instance(feed->set, instance, vector, feed->n_vector, own);
		vector = own;
	}
	return !(metric_share(feed->set, metric, vector) >= 1);
}

void widget_instance_value(struct canvas *canvas, struct rect r, const struct series *series, const struct view_data *data,
			   const struct metric_instance *instance, double value, enum style style)
{
	const struct feed *feed = series_feed(series, data);
	uint32_t flags = feed->now_column ? feed->now_column->flags : 0;

	rect_left(&r, widget_number(canvas, r, series->metric->unit, value, true, is_estimated(feed, series->metric, instance),
				    style));
	canvas_text(canvas, r, style, mark_of(canvas, series, value, flags));
}

void widget_value(struct canvas *canvas, struct rect r, const struct series *series, const struct view_data *data, double value,
		  enum style style)
{
	widget_instance_value(canvas, r, series, data, NULL, value, style);
}

int widget_value_cols(const struct unit *unit)
{
	int symbol = text_width(unit->symbol);

	switch (unit->kind) {
	case UNIT_PERCENT:
		return WIDGET_NUMBER_COLS + symbol + 1;
	case UNIT_RATIO:
	case UNIT_LEVEL:
		return WIDGET_NUMBER_COLS + 1 + symbol + 1;
	default:
		return WIDGET_NUMBER_COLS + 1 + symbol + 2 + 1;
	}
}

int widget_title_rows(const struct chart *chart)
{
	return chart->title[0] ? 1 : 0;
}

struct rect widget_title(const struct chart *chart, struct canvas *canvas, struct rect *r)
{
	struct rect row = rect_top(r, widget_title_rows(chart));

	rect_left(&row, canvas_text(canvas, row, STYLE_TITLE, chart->title));
	return row;
}

int widget_label_cols(const struct chart *chart)
{
	int cols = 0;

	for (unsigned i = 0; i < chart->n_series; i++) {
		int w = text_width(chart->series[i].label);

		if (w > cols)
			cols = w;
	}
	return cols;
}

void widget_points(const struct series *series, const struct view_data *data, double top, double *points, int n)
{
	for (int i = 0; i < n; i++) {
		double value = series_rate_back(series, data, n - 1 - i);

		points[i] = top > 0 || isnan(value) ? value / top : 0;
	}
}
