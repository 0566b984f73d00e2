#include "views/chart.h"
#include "views/widget.h"

#include <stdlib.h>

bool chart_fits(struct span only, const struct metric_set *gpu, bool *fits)
{
	bool only_gpu = span_is(only, "gpu"), no_gpu = span_is(only, "no-gpu");

	*fits = no_gpu ? !gpu : gpu && (only_gpu || !metric_set_counts(gpu));
	if (only.n && only.p[0] == '@')
		*fits = gpu && gpu->product &&
			gpu_set_has((struct gpu_set){{only.p + 1, only.n - 1}}, gpu->product);
	return only_gpu || no_gpu || span_is(only, "no-counters") || (only.n && only.p[0] == '@');
}

static bool has_something(const struct chart *chart)
{
	return !chart->elsewhere && (chart->n_series || chart->widget->seriesless);
}

/* A part whose others this GPU does not count is a row with a bar of its own, because there is
 * nothing to compare it with; a graph goes without it. */
static void free_lone_parts(struct chart *chart)
{
	for (unsigned i = 0; i < chart->n_series; i++)
		if (chart->series[i].n_parts == 1) {
			chart->series[i].n_parts = chart->series[i + 1].part = 0;
			if (chart->widget == &widget_area)
				chart->n_series = i + 1;
		}
}

void view_fini(struct view *view)
{
	for (unsigned i = 0; i < view->n_charts; i++)
		free(view->charts[i].series);
	free(view->charts);
}

void chart_prune(struct views *views)
{
	unsigned n_views = 0;

	for (unsigned i = 0; i < views->n_views; i++) {
		struct view *v = &views->views[i];
		unsigned n = 0, n_own = 0;

		for (unsigned j = 0; j < v->n_charts; j++)
			if (has_something(&v->charts[j])) {
				n_own += !v->charts[j].widget->companion;
				free_lone_parts(&v->charts[j]);
				v->charts[n++] = v->charts[j];
			} else {
				free(v->charts[j].series);
			}
		v->n_charts = n;
		if (n_own && !v->elsewhere)
			views->views[n_views++] = *v;
		else
			view_fini(v);
	}
	views->n_views = n_views;
}
