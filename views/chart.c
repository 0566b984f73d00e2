#include "views/chart.h"

#include "base/alloc.h"
#include "base/stanza.h"
#include "views/widget.h"

#include <stdlib.h>
#include <string.h>

#define PRIORITY_MAX 9
#define NUMBER_MAX 200

/* Strings of all views. */
struct owned {
	char **strings;
	unsigned n, cap;
};

struct reader {
	struct stanza stanza;
	struct views *views;
	const struct metric_set *const *sets; /* by enum source_kind; NULL: none */
	struct view *view;                    /* the one being read */
	struct chart *chart;                  /* of view; NULL: fields belong to the view */
	unsigned option_line[CHART_OPTIONS_MAX];
};

static const char *own(struct views *views, char *string)
{
	struct owned *o = views->owned;

	if (!o)
		views->owned = o = xcalloc(1, sizeof(*o));
	GROW(o->strings, o->n, o->cap);
	o->strings[o->n++] = string;
	return string;
}

void views_fini(struct views *views)
{
	struct owned *o = views->owned;

	for (unsigned i = 0; i < views->n_views; i++) {
		for (unsigned j = 0; j < views->views[i].n_charts; j++)
			free(views->views[i].charts[j].series);
		free(views->views[i].charts);
	}
	free(views->views);
	for (unsigned i = 0; o && i < o->n; i++)
		free(o->strings[i]);
	if (o)
		free(o->strings);
	free(o);
	*views = (struct views){0};
}

/* The first of "A / B" that exists, in the first set that has one; NULL if none does. */
static const struct metric *find_metric(const struct reader *r, struct span names, enum source_kind *source)
{
	for (*source = 0; r->sets && *source < SOURCE_KINDS; ++*source) {
		const struct metric_set *set = r->sets[*source];
		struct span rest = names;

		while (set && rest.n) {
			const struct metric *m = metric_find(set, span_trim(span_until(&rest, '/')));

			if (m)
				return m;
		}
	}
	return NULL;
}

static void add_series(struct reader *r, const struct series *series)
{
	struct chart *chart = r->chart;

	chart->series = xreallocarray(chart->series, chart->n_series + 1, sizeof(*chart->series));
	chart->series[chart->n_series++] = *series;
}

/* Every metric of a group. */
static void read_group(struct reader *r, struct span group)
{
	for (unsigned k = 0; r->sets && k < SOURCE_KINDS; k++)
		for (unsigned i = 0; r->sets[k] && i < r->sets[k]->n_metrics; i++) {
			const struct metric *m = &r->sets[k]->metrics[i];

			if (m->def->group && span_is(group, m->def->group))
				add_series(r, &(struct series){.metric = m, .source = k, .label = m->def->short_title});
		}
}

/* NAMES [| label [| NAMES]] */
static bool read_series(struct reader *r, const struct stanza_line *l, bool sub, struct err *err)
{
	struct span value = l->value;
	struct span names = span_trim(span_until(&value, '|'));
	struct span label = span_trim(span_until(&value, '|'));
	struct span beside = span_trim(value);
	struct series s = {0};

	if (!names.n)
		return stanza_fail(&r->stanza, l->line, err,
				   "series without a metric: expected NAME [/ NAME ...] [| label [| NAME]]");
	s.metric = find_metric(r, names, &s.source);
	if (!s.metric)
		return true;
	s.beside = find_metric(r, beside, &s.beside_source);
	if (!label.n)
		label = span_of(s.metric->def->short_title);
	s.label = own(r->views, xasprintf("%s%.*s", sub ? "  " : "", SPAN_ARG(label)));
	add_series(r, &s);
	return true;
}

static bool read_chart_field(struct reader *r, const struct stanza_line *l, struct err *err)
{
	struct chart *chart = r->chart;
	uint64_t priority;

	if (span_is(l->key, "series") || span_is(l->key, "sub"))
		return read_series(r, l, span_is(l->key, "sub"), err);
	if (!l->value.n)
		return stanza_fail(&r->stanza, l->line, err, "field '%.*s' without a value", SPAN_ARG(l->key));
	if (span_is(l->key, "group")) {
		read_group(r, l->value);
	} else if (span_is(l->key, "joined") && span_is(l->value, "yes")) {
		chart->joined = true;
	} else if (span_is(l->key, "title")) {
		chart->title = own(r->views, span_dup(l->value));
	} else if (span_is(l->key, "widget")) {
		chart->widget = widget_find(l->value);
		if (!chart->widget)
			return stanza_fail(&r->stanza, l->line, err, "unknown widget '%.*s'", SPAN_ARG(l->value));
	} else if (span_is(l->key, "priority")) {
		if (!span_u64(l->value, &priority) || priority < 1 || priority > PRIORITY_MAX)
			return stanza_fail(&r->stanza, l->line, err, "priority '%.*s': expected 1 to %d", SPAN_ARG(l->value),
					   PRIORITY_MAX);
		chart->priority = (unsigned)priority;
	} else {
		if (chart->n_options == CHART_OPTIONS_MAX)
			return stanza_fail(&r->stanza, l->line, err, "more than %d fields of a widget", CHART_OPTIONS_MAX);
		r->option_line[chart->n_options] = l->line;
		chart->options[chart->n_options].key = l->key;
		chart->options[chart->n_options++].value = l->value;
	}
	return true;
}

/* What follows the name in a line of struct widget's options. */
static bool value_allowed(struct span words, struct span value)
{
	uint64_t number;

	if (!words.n)
		return true;
	while (words.n) {
		struct span word = span_word(&words);

		if (span_eq(word, value) ||
		    (span_is(word, "#") && span_u64(value, &number) && number >= 1 && number <= NUMBER_MAX))
			return true;
	}
	return false;
}

static bool check_option(const struct reader *r, unsigned i, struct err *err)
{
	const struct chart *chart = r->chart;
	struct span key = chart->options[i].key, value = chart->options[i].value;

	for (const char *const *o = chart->widget->options; o && *o; o++) {
		struct span words = span_of(*o);

		if (!span_eq(span_word(&words), key))
			continue;
		words = span_trim(words);
		if (value_allowed(words, value))
			return true;
		return stanza_fail(&r->stanza, r->option_line[i], err, "%.*s '%.*s': expected one of: %.*s", SPAN_ARG(key),
				   SPAN_ARG(value), SPAN_ARG(words));
	}
	return stanza_fail(&r->stanza, r->option_line[i], err,
			   "unknown field '%.*s': expected title, widget, priority, series, sub, group or a field of widget %s",
			   SPAN_ARG(key), chart->widget->name);
}

/* The widget may stand behind its fields, so they are checked when the chart is complete. */
static bool end_chart(struct reader *r, unsigned line, struct err *err)
{
	if (!r->chart)
		return true;
	if (!r->chart->widget)
		return stanza_fail(&r->stanza, line, err, "chart %s above has no widget", r->chart->name);
	for (unsigned i = 0; i < r->chart->n_options; i++)
		if (!check_option(r, i, err))
			return false;
	r->chart = NULL;
	return true;
}

static bool read_view_field(struct reader *r, const struct stanza_line *l, struct err *err)
{
	if (span_is(l->key, "title") && l->value.n) {
		r->view->title = own(r->views, span_dup(l->value));
	} else if (span_is(l->key, "key") && l->value.n == 1) {
		r->view->key = l->value.p[0];
	} else if (span_is(l->key, "hidden") && (span_is(l->value, "yes") || span_is(l->value, "no"))) {
		r->view->hidden = span_is(l->value, "yes");
	} else if (span_is(l->key, "foot") && (span_is(l->value, "gpu") || span_is(l->value, "cpu"))) {
		r->view->foot = span_is(l->value, "gpu") ? FOOT_GPU : FOOT_CPU;
	} else {
		return stanza_fail(
			&r->stanza, l->line, err,
			"'%.*s' in a view: expected key (one character), title, hidden (yes or no) or foot (gpu or cpu)",
			SPAN_ARG(l->text));
	}
	return true;
}

static bool open_view(struct reader *r, const struct stanza_line *l, struct err *err)
{
	struct views *v = r->views;

	for (unsigned i = 0; i < v->n_views; i++)
		if (span_is(l->value, v->views[i].name))
			return stanza_fail(&r->stanza, l->line, err, "view %s is there already", v->views[i].name);
	v->views = xreallocarray(v->views, v->n_views + 1, sizeof(*v->views));
	r->view = &v->views[v->n_views++];
	*r->view = (struct view){.name = own(v, span_dup(l->value))};
	r->view->title = r->view->name;
	return true;
}

static bool open_chart(struct reader *r, const struct stanza_line *l, struct err *err)
{
	struct view *view = r->view;

	if (!view)
		return stanza_fail(&r->stanza, l->line, err, "chart without a view: expected 'view NAME' above");
	view->charts = xreallocarray(view->charts, view->n_charts + 1, sizeof(*view->charts));
	r->chart = &view->charts[view->n_charts++];
	*r->chart = (struct chart){.name = own(r->views, span_dup(l->value)), .title = "", .priority = 1};
	return true;
}

static bool read_line(struct reader *r, const struct stanza_line *l, struct err *err)
{
	switch (l->kind) {
	case STANZA_OPEN:
		if (!end_chart(r, l->line, err))
			return false;
		if (l->value.n && span_is(l->key, "view"))
			return open_view(r, l, err);
		if (l->value.n && span_is(l->key, "chart"))
			return open_chart(r, l, err);
		return stanza_fail(&r->stanza, l->line, err, "'%.*s': expected 'view NAME' or 'chart NAME'", SPAN_ARG(l->text));
	case STANZA_FIELD:
		return r->chart ? read_chart_field(r, l, err) : read_view_field(r, l, err);
	default:
		return stanza_fail(&r->stanza, l->line, err, "indented by four or more: expected a field, indented by two");
	}
}

bool chart_read(struct views *views, const char *file, struct span text, const struct metric_set *const sets[SOURCE_KINDS],
		struct err *err)
{
	struct reader r = {.views = views, .sets = sets};
	struct stanza_line line;

	stanza_init(&r.stanza, file, text);
	do {
		if (!stanza_next(&r.stanza, &line, err))
			return false;
		if (line.kind != STANZA_END && !read_line(&r, &line, err))
			return false;
	} while (line.kind != STANZA_END);
	return end_chart(&r, line.line, err);
}

static bool has_something(const struct chart *chart)
{
	return chart->n_series || chart->widget->seriesless;
}

void chart_prune(struct views *views)
{
	unsigned n_views = 0;

	for (unsigned i = 0; i < views->n_views; i++) {
		struct view *v = &views->views[i];
		unsigned n = 0;

		for (unsigned j = 0; j < v->n_charts; j++)
			if (has_something(&v->charts[j]))
				v->charts[n++] = v->charts[j];
			else
				free(v->charts[j].series);
		v->n_charts = n;
		if (n)
			views->views[n_views++] = *v;
		else
			free(v->charts);
	}
	views->n_views = n_views;
}
