#include "views/chart.h"
#include "views/widget.h"
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static const struct widget *const widgets[] = {
	&widget_advice,  &widget_area,   &widget_busiest,   &widget_changes, &widget_clusters,
	&widget_funnel,  &widget_heat,   &widget_histogram, &widget_hot,     &widget_hot_around,
	&widget_lanes,   &widget_matrix, &widget_notice,    &widget_passes,  &widget_processes,
	&widget_regions, &widget_rows,   &widget_spans,     &widget_table,
};

const struct widget *widget_find(struct span name)
{
	for (size_t i = 0; i < ARRAY_LEN(widgets); i++)
		if (span_is(name, widgets[i]->name))
			return widgets[i];
	return NULL;
}

static bool read_charts(struct views *views, const struct gpudb *db,
			const struct metric_set *const sets[SOURCE_KINDS], struct err *err)
{
	for (const struct embedded *e = embedded_charts; e->file; e++)
		if (!chart_read(views, e->file, (struct span){e->begin, (size_t)(e->end - e->begin)}, sets,
				err))
			return false;
	for (unsigned i = 0; db && i < db->n_own; i++)
		if (!chart_read_own(views, db, &db->own[i], sets, err))
			return false;
	return true;
}

/* One tab for all of them: its key leads from each to the next. */
static void name_own_views(struct views *views)
{
	bool first = true;

	for (unsigned i = 0; i < views->n_views; i++) {
		struct view *v = &views->views[i];

		if (!v->own)
			continue;
		v->key = first ? 'u' : 0;
		v->hidden = !first;
		first = false;
	}
}

bool views_init(struct views *views, const struct gpudb *db,
		const struct metric_set *const sets[SOURCE_KINDS], struct err *err)
{
	*views = (struct views){0};
	if (!read_charts(views, db, sets, err)) {
		views_fini(views);
		return false;
	}
	chart_prune(views);
	name_own_views(views);
	return true;
}

bool views_read(struct views *views, const struct gpudb *db, struct err *err)
{
	bool ok;

	*views = (struct views){0};
	ok = read_charts(views, db, NULL, err);
	name_own_views(views);
	return ok;
}

static void turn_series(struct series *s, bool known, bool saturated)
{
	const struct series_face *face = known ? &s->shown : &s->wanted;

	if (!face->metric)
		return;
	s->metric = face->metric;
	s->label = face->label;
	s->brief = face->brief;
	s->note = !known && saturated ? s->saturated_note : face->note;
}

void views_frames(struct views *views, bool known, bool saturated)
{
	for (unsigned v = 0; v < views->n_views; v++)
		for (unsigned c = 0; c < views->views[v].n_charts; c++) {
			struct chart *chart = &views->views[v].charts[c];

			if (chart->wanted_base)
				chart->base = known ? chart->shown_base : chart->wanted_base;
			for (unsigned i = 0; i < chart->n_series; i++)
				turn_series(&chart->series[i], known, saturated);
		}
}

const struct view *views_find(const struct views *views, const char *name_or_digit)
{
	for (unsigned i = 0; i < views->n_views; i++) {
		const struct view *v = &views->views[i];

		if (strcmp(v->name, name_or_digit) == 0 || (v->own && strcmp(name_or_digit, "user") == 0) ||
		    (v->key && name_or_digit[0] == v->key && !name_or_digit[1]))
			return v;
	}
	return NULL;
}

void views_prepend(struct views *views, const char *name, const struct chart *chart)
{
	for (unsigned i = 0; i < views->n_views; i++) {
		struct view *view = &views->views[i];

		if (strcmp(view->name, name) != 0)
			continue;
		view->charts = xreallocarray(view->charts, view->n_charts + 1, sizeof(*view->charts));
		memmove(view->charts + 1, view->charts, view->n_charts++ * sizeof(*view->charts));
		view->charts[0] = *chart;
		return;
	}
	free(chart->series);
}
