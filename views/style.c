/* style: whether a value is calm, busy or hot. Only what limits the workload is red. */
#include "views/widget.h"

#include "model/judge.h"

#include <math.h>

static enum style level_style(double value, double busy, double hot)
{
	return value > hot ? STYLE_HOT : value > busy ? STYLE_BUSY : STYLE_CALM;
}

/* Whether the share of time that a source works is below the limit at that time, or at the last
 * time before that at which it is known. */
static bool is_work_below(const struct series *of, const struct view_data *data, const struct metric *metric,
			  double limit, int back)
{
	enum { LOOK_BACK = 20 };
	const struct series work = {.metric = metric, .source = of->source};
	double share = metric ? series_back(&work, data, back) : (double)NAN;

	for (int i = 1; metric && isnan(share) && i <= LOOK_BACK; i++)
		share = series_back(&work, data, back + i);
	return share < limit;
}

static bool is_late(const struct view_data *data)
{
	return data->judge && data->judge->late;
}

/* A number beyond its limit is as bad as its finding. History has no findings: what was beyond
 * before is at least a warning. */
static enum style beyond_style(const struct metric *metric, const struct view_data *data, int back)
{
	static const enum style styles[] = {STYLE_TEXT, STYLE_BUSY, STYLE_HOT};
	enum finding_severity severity = data->judge ? judge_severity(data->judge, metric) : SEVERITY_WARNING;

	return styles[back >= 0 && severity == SEVERITY_NOTE ? SEVERITY_WARNING : severity];
}

enum style series_style(const struct series *series, const struct view_data *data, double value, int back)
{
	const struct metric *m = series->metric;

	/* a lower limit does not apply to zero: if nothing is culled, culling is off on purpose */
	if (m->alert == ALERT_NONE || isnan(value) || (m->alert == ALERT_BELOW && value == 0))
		return STYLE_TEXT;
	if (m->alert == ALERT_ABOVE ? value <= m->alert_at : value >= m->alert_at)
		return STYLE_CALM;
	if (m->of_budget && is_work_below(series, data, series_feed(series, data)->set->frame_work,
					  METRIC_FRAME_WORKED, back))
		return STYLE_TEXT;
	return beyond_style(m, data, back);
}

bool chart_may_be_hot(const struct chart *chart, const struct view_data *data, int back)
{
	struct series s;

	if (!chart_option_series(chart, data, "hot", &s))
		return true;
	return (back < 0 ? series_now(&s, data) : series_back(&s, data, back)) >= CHART_HOT_FROM;
}

enum style chart_style(const struct chart *chart, const struct series *series, const struct view_data *data,
		       double value, int back)
{
	enum style style;
	struct series limit;

	if (chart->to_limit && chart_option_series(chart, data, "limit", &limit)) {
		double at = series_rate_back(&limit, data, back);

		return isnan(value) || isnan(at) ? STYLE_TEXT
		       : value <= at             ? STYLE_CALM
		       : is_late(data)           ? STYLE_HOT
						 : STYLE_BUSY;
	}
	if (series->metric->alert != ALERT_NONE || series->metric->unit->kind != UNIT_PERCENT ||
	    isnan(value) || !chart->loads)
		return series_style(series, data, value, back);
	style = level_style(value, 70, 90);
	return style == STYLE_HOT && !chart_may_be_hot(chart, data, back) ? STYLE_BUSY : style;
}

/* Return the style of an instance: within the limit unless the whole is beyond it. */
static enum style style_in_whole(const struct series *series, const struct view_data *data, enum style style,
				 int back)
{
	double whole = back < 0 ? series_rate_now(series, data) : series_rate_back(series, data, back);

	return series_style(series, data, whole, back) == STYLE_CALM ? STYLE_TEXT : style;
}

enum style series_instance_style(const struct series *series, const struct view_data *data,
				 const struct metric_instance *instance, double value, int back)
{
	enum style style = series_style(series, data, value, back);

	return instance && style_is_beyond(style) ? style_in_whole(series, data, style, back) : style;
}

enum style widget_instance_style(const struct chart *chart, const struct series *series,
				 const struct view_data *data, const struct metric_instance *instance,
				 double value, int back)
{
	enum style style = chart_style(chart, series, data, value, back);

	return instance && style_is_beyond(style) ? style_in_whole(series, data, style, back) : style;
}
