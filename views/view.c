/* The views: the list of widgets; the shipped charts and the user's own, without those that this
 * machine cannot show; and filtered views. */
#include "views/widget.h"
#include "base/alloc.h"

#include <ctype.h>
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

/* ---- what this machine can show ---- */

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

/* Give the only part of a series a row with a bar of its own, because it has nothing to be compared
 * with. A graph omits it. */
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

/* ---- all views ---- */

static bool read_charts(struct views *views, const struct gpudb *db,
			const struct metric_set *const sets[SOURCE_KINDS], struct err *err)
{
	for (const struct embedded *e = embedded_charts; e->file; e++)
		if (!chart_read(views, NULL,
				&(struct gpudb_text){e->file, {e->begin, (size_t)(e->end - e->begin)}}, sets,
				err))
			return false;
	for (unsigned i = 0; db && i < db->n_own; i++)
		if (!chart_read(views, db, &db->own[i], sets, err))
			return false;
	return true;
}

/* Give all own views one tab, whose key steps through them. */
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

struct row_subject view_row_of(const struct view *view, const struct metric *metric)
{
	for (unsigned c = 0; c < view->n_charts; c++)
		for (unsigned i = 0; i < view->charts[c].n_series; i++) {
			const struct series *s = &view->charts[c].series[i];

			if (s->metric == metric || s->beside == metric)
				return (struct row_subject){
					.chart = &view->charts[c], .series = s, .metric = s->metric};
		}
	return (struct row_subject){0};
}

void views_of_metric(const struct views *views, const struct metric *metric, struct strbuf *out)
{
	for (unsigned i = 0; i < views->n_views; i++)
		if (view_row_of(&views->views[i], metric).chart)
			strbuf_printf(out, "%s%s", out->n ? ", " : "", views->views[i].name);
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

/* ---- filters ---- */

/* Whether a word of `in` starts with the text: "read" is in "Bytes read" and "MaliReadBy", but not
 * in "threads". */
static bool begins_word(const char *in, const char *text)
{
	for (const char *at = in; (at = strcasestr(at, text)); at++) {
		char before = at == in ? ' ' : at[-1];

		if (!isalnum((unsigned char)before) ||
		    (islower((unsigned char)before) && isupper((unsigned char)*at)))
			return true;
	}
	return false;
}

static bool has_text(const char *in, const char *text)
{
	return strcasestr(in, text) != NULL;
}

/* Whether a text is in a name. */
typedef bool fits_fn(const char *in, const char *text);

static bool fits_filter(const struct series *s, const char *text, fits_fn *fits)
{
	return fits(s->label, text) || fits(s->metric->def->name, text) || fits(s->metric->def->title, text);
}

/* Match words from their start, unless the text occurs only inside words. */
static fits_fn *choose_match(const struct view *view, const char *text)
{
	for (unsigned i = 0; i < view->n_charts; i++)
		for (unsigned k = 0; k < view->charts[i].n_series; k++)
			if (fits_filter(&view->charts[i].series[k], text, begins_word))
				return begins_word;
	return has_text;
}

/* Add a series and the parts of its bar if one of them fits. Returns how many series these are. */
static unsigned add_group(struct chart *to, const struct chart *from, unsigned at, const char *text,
			  fits_fn *match)
{
	unsigned n = 1 + from->series[at].n_parts;
	bool fits = false;

	n = n > from->n_series - at ? from->n_series - at : n;
	for (unsigned i = 0; i < n; i++)
		fits = fits || fits_filter(&from->series[at + i], text, match);
	if (fits)
		memcpy(to->series + to->n_series, from->series + at, n * sizeof(*to->series));
	to->n_series += fits ? n : 0;
	return n;
}

struct view *view_filter(const struct view *view, const char *text)
{
	struct view *some = xcalloc(1, sizeof(*some));
	fits_fn *match = choose_match(view, text);

	*some = *view;
	some->charts = xcalloc(view->n_charts + 1, sizeof(*some->charts));
	some->n_charts = 0;
	for (unsigned i = 0; i < view->n_charts; i++) {
		const struct chart *from = &view->charts[i];
		struct chart *to = &some->charts[some->n_charts];

		*to = *from;
		to->series = xcalloc(from->n_series + 1, sizeof(*to->series));
		to->n_series = 0;
		for (unsigned at = 0; at < from->n_series;)
			at += add_group(to, from, at, text, match);
		if (to->n_series || from->widget == &widget_busiest) /* its rows are filtered separately */
			some->n_charts++;
		else
			free(to->series);
	}
	return some;
}

void view_free(struct view *view)
{
	if (view)
		view_fini(view);
	free(view);
}
