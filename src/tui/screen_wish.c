/* What is on the screen of a source that cannot count everything at once. */
#include "tui/screen.h"

#include "views/chart.h"

static void add_metric(struct source_wish *wish, const struct metric_set *set, const struct metric *metric)
{
	if (metric >= set->metrics && metric < set->metrics + set->n_metrics)
		wish->n = metric_slots(metric, wish->slots, wish->n, SOURCE_WISH_MAX);
}

/* A row stands for its panel, because one line may show several metrics; a row without a series, as
 * in the table of counters, for itself. */
static void add_hit(struct source_wish *wish, const struct metric_set *set, const struct hit *hit)
{
	const struct chart *chart = hit->subject.chart;

	if (hit->kind == HIT_PANEL)
		for (unsigned i = 0; i < chart->n_series; i++)
			add_metric(wish, set, chart->series[i].metric);
	else if (hit->kind == HIT_ROW && !hit->subject.series && hit->at.h && hit->subject.metric)
		add_metric(wish, set, hit->subject.metric);
}

void screen_wish(const struct screen *screen, enum source_kind kind, struct source_wish *wish)
{
	const struct session_source *shown = session_shown(screen->session, kind);

	*wish = (struct source_wish){0};
	if (!shown)
		return;
	if (screen->selected.chart && screen->selected.metric)
		add_metric(wish, shown->set, screen->selected.metric);
	wish->n_sure = wish->n;
	for (unsigned i = 0; i < screen->hits.n; i++)
		add_hit(wish, shown->set, &screen->hits.list[i]);
}
