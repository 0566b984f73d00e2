/* style: whether a value is calm, busy or hot. Only a value that limits the workload is red. */
#include "views/widget.h"

#include "model/judge.h"

#include <math.h>

enum style load_style(double percent)
{
	return percent > LOAD_HOT ? STYLE_HOT : percent > LOAD_BUSY ? STYLE_BUSY : STYLE_CALM;
}

/* Whether frames had no work at that time. If that is unknown, the last known time before
 * counts. */
static bool is_still(const struct series *series, const struct view_data *data, int back)
{
	enum { LOOK_BACK = 20 };
	const struct series work = {.metric = series_feed(series, data)->set->frame_work,
				    .source = series->source};
	double share = NAN;

	for (int i = 0; work.metric && isnan(share) && i <= LOOK_BACK; i++)
		share = series_back(&work, data, back + i);
	return share < METRIC_FRAME_WORKED;
}

/* Return the style of the finding for a number beyond its limit. History has no findings: an
 * earlier value beyond the limit is at least a warning. */
static enum style limit_style(const struct series *series, const struct view_data *data, double value,
			      int back)
{
	static const enum style styles[] = {STYLE_TEXT, STYLE_BUSY, STYLE_HOT};
	const struct metric *m = series->metric;
	enum finding_severity severity;

	/* a lower limit does not apply to zero: if nothing is culled, culling is off on purpose */
	if (m->alert == ALERT_NONE || isnan(value) || (m->alert == ALERT_BELOW && value == 0))
		return STYLE_TEXT;
	if (m->alert == ALERT_ABOVE ? value <= m->alert_at : value >= m->alert_at)
		return STYLE_CALM;
	if (m->of_budget && is_still(series, data, back))
		return STYLE_TEXT;
	severity = data->judge ? judge_severity(data->judge, m) : SEVERITY_WARNING;
	return styles[back >= 0 && severity == SEVERITY_NOTE ? SEVERITY_WARNING : severity];
}

bool chart_may_be_hot(const struct drawing *d, int back)
{
	struct series s;

	return !chart_option_series(d->chart, d->data, "hot", &s) ||
	       series_back(&s, d->data, back) >= CHART_HOT_FROM;
}

/* Return the style for all instances together. */
static enum style whole_style(const struct drawing *d, const struct series *series, double value, int back)
{
	enum style style;
	struct series limit;

	if (d->chart->to_limit && chart_option_series(d->chart, d->data, "limit", &limit)) {
		double at = series_rate(&limit, d->data, NULL, back);

		return isnan(value) || isnan(at)                ? STYLE_TEXT
		       : value <= at                            ? STYLE_CALM
		       : d->data->judge && d->data->judge->late ? STYLE_HOT
								: STYLE_BUSY;
	}
	if (!d->chart->loads || series->metric->alert != ALERT_NONE ||
	    series->metric->unit->kind != UNIT_PERCENT || isnan(value))
		return limit_style(series, d->data, value, back);
	style = load_style(value);
	return style == STYLE_HOT && !chart_may_be_hot(d, back) ? STYLE_BUSY : style;
}

/* Return the style of an instance, which is beyond a limit only while the whole is. */
static enum style style_in_whole(const struct series *series, const struct view_data *data,
				 const struct metric_instance *instance, enum style style, int back)
{
	if (instance && style_is_beyond(style) &&
	    limit_style(series, data, series_rate(series, data, NULL, back), back) == STYLE_CALM)
		return STYLE_TEXT;
	return style;
}

enum style series_style(const struct series *series, const struct view_data *data,
			const struct metric_instance *instance, double value)
{
	return style_in_whole(series, data, instance, limit_style(series, data, value, -1), -1);
}

enum style chart_style(const struct drawing *d, const struct series *series,
		       const struct metric_instance *instance, double value, int back)
{
	return style_in_whole(series, d->data, instance, whole_style(d, series, value, back), back);
}
