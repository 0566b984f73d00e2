#include "views/chart.h"

#include "base/alloc.h"
#include "base/stanza.h"
#include "views/widget.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SMALL_MAX 9 /* greatest priority or weight */
#define NUMBER_MAX 200

struct chart_reader {
	struct stanza stanza;
	struct views *views;
	const struct metric_set *const *sets; /* by enum source_kind; NULL for none */
	struct view *view;                    /* the one being read */
	struct chart *chart;                  /* of view; NULL if fields belong to the view */
	unsigned option_line[CHART_OPTIONS_MAX];
	/* of the user's own files */
	const struct gpudb *db; /* NULL for a shipped file */
	bool skips;             /* another reader handles the stanza */
	unsigned n_exprs;       /* formulas of the chart so far */
	unsigned n_lines;       /* its rows so far: series, sub, part, group and expr */
	struct span series_key; /* of the last series of the chart, for `or`; empty: there is none */
	bool has_series;        /* it, or an `or` after it, has a metric here */
};

static const char *own_string(struct views *views, char *string)
{
	GROW(views->strings, views->n_strings, views->cap_strings);
	return views->strings[views->n_strings++] = string;
}

void views_fini(struct views *views)
{
	for (unsigned i = 0; i < views->n_views; i++)
		view_fini(&views->views[i]);
	free(views->views);
	for (unsigned i = 0; i < views->n_strings; i++)
		free(views->strings[i]);
	free(views->strings);
	*views = (struct views){0};
}

/* Find the first metric of "A / B" that exists, in the first set that has one. Returns NULL if
 * there is none. */
static const struct metric *find_metric(const struct chart_reader *r, struct span names,
					enum source_kind *source)
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

/* Check that each name in "A / B" is a metric of some machine. */
static bool check_names(const struct chart_reader *r, const struct stanza_line *l, struct span names,
			struct err *err)
{
	while (r->db && names.n) {
		struct span name = span_trim(span_until(&names, '/'));
		enum source_kind ignored;

		if (!metric_def_find(r->db, name) && !find_metric(r, name, &ignored))
			return stanza_fail(&r->stanza, l->line, err,
					   "%.*s '%.*s': no metric has this name: see malitop list metrics",
					   SPAN_ARG(l->key), SPAN_ARG(name));
	}
	return true;
}

/* Add the metric that replaces a metric of shown frames while no source counts frames. */
static void add_faces(struct chart_reader *r, struct series *s)
{
	const struct metric_set *set = r->sets[s->source];
	AUTOFREE char *name = xasprintf("%sWanted", s->metric->def->name);
	double fps = set->constants[VECTOR_FPS];
	const struct metric *wanted = metric_find(set, span_of(name));

	if (!wanted || isnan(fps))
		return;
	s->shown = (struct series_face){s->metric, s->label, s->brief, s->note};
	s->wanted = (struct series_face){wanted, own_string(r->views, xasprintf("%s, target", s->label)),
					 own_string(r->views, xasprintf("%s, target", s->brief)),
					 own_string(r->views, xasprintf("at %g fps target", fps))};
	s->saturated_note = own_string(r->views, xasprintf("more if below %g fps", fps));
}

/* If all series of the chart have such a replacement, put it into the base of the chart. */
static void add_base(struct chart_reader *r)
{
	struct chart *chart = r->chart;
	double fps = NAN;

	for (unsigned i = 0; i < chart->n_series; i++) {
		if (!chart->series[i].wanted.metric)
			return;
		fps = r->sets[chart->series[i].source]->constants[VECTOR_FPS];
	}
	if (isnan(fps))
		return;
	chart->shown_base = chart->base;
	chart->wanted_base = own_string(
		r->views, xasprintf("at %g fps target%s%s", fps, *chart->base ? ", " : "", chart->base));
}

static void add_series(struct chart_reader *r, const struct series *series)
{
	struct chart *chart = r->chart;

	chart->series = xreallocarray(chart->series, chart->n_series + 1, sizeof(*chart->series));
	chart->series[chart->n_series] = *series;
	add_faces(r, &chart->series[chart->n_series++]);
}

/* Add a series for every metric of a group. */
static void read_group(struct chart_reader *r, struct span group)
{
	r->n_lines++;
	for (unsigned k = 0; r->sets && k < SOURCE_KINDS; k++)
		for (unsigned i = 0; r->sets[k] && i < r->sets[k]->n_metrics; i++) {
			const struct metric *m = &r->sets[k]->metrics[i];

			if (m->def->group && span_is(group, m->def->group)) {
				struct series s = series_of(m, k);

				add_series(r, &s);
			}
		}
}

/* Count a part of the last series that is not a part itself. Returns false if there is no such
 * series, or if it has too many parts. */
static bool count_part(struct chart_reader *r, unsigned *part)
{
	struct chart *chart = r->chart;
	unsigned i = chart->n_series;

	while (i > 0 && chart->series[i - 1].part)
		i--;
	if (!i || chart->series[i - 1].n_parts == SERIES_PARTS)
		return false;
	*part = ++chart->series[i - 1].n_parts;
	return true;
}

/* Split "A / B" in two. Returns false if there is no B. */
static bool cut_label(struct span *label, struct span *rest)
{
	for (size_t i = 0; i + 2 < label->n; i++)
		if (memcmp(label->p + i, " / ", 3) == 0) {
			*rest = (struct span){label->p + i + 3, label->n - i - 3};
			label->n = i;
			return true;
		}
	return false;
}

/* NAMES [| label [/ brief [/ brief without frames]] [| NAMES [| note]]] */
static bool read_series(struct chart_reader *r, const struct stanza_line *l, struct err *err)
{
	bool sub = span_is(l->key, "sub");
	struct span value = l->value;
	struct span names = span_trim(span_until(&value, '|'));
	struct span label = span_trim(span_until(&value, '|')), brief = label;
	struct span beside = span_trim(span_until(&value, '|')), wanted = {0};
	struct series s = {0};

	r->n_lines++;
	if (!names.n)
		return stanza_fail(
			&r->stanza, l->line, err,
			"series without a metric: expected NAME [/ NAME ...] [| label [| NAME [| note]]]");
	if (!check_names(r, l, names, err) || !check_names(r, l, beside, err))
		return false;
	s.metric = find_metric(r, names, &s.source);
	r->series_key = l->key;
	r->has_series = s.metric;
	if (!s.metric)
		return true;
	s.beside = find_metric(r, beside, &s.beside_source);
	if (!label.n)
		label = brief = span_of(s.metric->def->short_title);
	if (cut_label(&label, &brief))
		cut_label(&brief, &wanted);
	s.label = own_string(r->views, xasprintf("%s%.*s", sub ? " " : "", SPAN_ARG(label)));
	s.brief = own_string(
		r->views, xasprintf("%s%.*s", sub ? " " : "", SPAN_ARG(brief.p == label.p ? label : brief)));
	/* without the value beside it, the note would seem to be about the first value */
	s.note = own_string(r->views, beside.n && !s.beside ? xstrdup("") : span_dup(span_trim(value)));
	if (span_is(l->key, "part") && !count_part(r, &s.part))
		return stanza_fail(&r->stanza, l->line, err,
				   "part without a series before it, or the %dth of it", SERIES_PARTS + 1);
	s.colour = s.part ? s.part - 1 : span_is(l->key, "second");
	add_series(r, &s);
	if (wanted.n && s.metric && r->chart->series[r->chart->n_series - 1].wanted.metric)
		r->chart->series[r->chart->n_series - 1].wanted.brief =
			own_string(r->views, span_dup(wanted));
	return true;
}

/* Read `or`: what is shown instead of the series above if that has no metric here. */
static bool read_or(struct chart_reader *r, const struct stanza_line *l, struct err *err)
{
	struct span names = l->value;

	if (!r->series_key.n)
		return stanza_fail(&r->stanza, l->line, err, "or without a series above it");
	if (r->has_series)
		return check_names(r, l, span_trim(span_until(&names, '|')), err);
	return read_series(r, &(struct stanza_line){.key = r->series_key, .value = l->value, .line = l->line},
			   err);
}

/* FORMULA [| label [/ brief] [| unit]]. gpudb_load.c has made a metric of the formula. */
static bool read_expr(struct chart_reader *r, const struct stanza_line *l, struct err *err)
{
	AUTOFREE char *name = gpudb_own_name(span_of(r->view->name), span_of(r->chart->name), ++r->n_exprs);
	struct span rest = l->value, label;
	AUTOFREE char *text = NULL;

	span_until(&rest, '|');
	label = span_until(&rest, '|');
	text = xasprintf("%s|%.*s", name, SPAN_ARG(label));
	return read_series(r, &(struct stanza_line){.key = l->key, .value = span_of(text), .line = l->line},
			   err);
}

static bool read_text(struct chart_reader *r, const struct stanza_line *l, struct err *err)
{
	struct chart *chart = r->chart;

	if (chart->n_texts == CHART_TEXTS_MAX)
		return stanza_fail(&r->stanza, l->line, err, "more than %d lines of text", CHART_TEXTS_MAX);
	chart->texts[chart->n_texts++] = own_string(r->views, span_dup(l->value));
	return true;
}

static const char *const place_names[PLACE_COUNT] = {"half", "full", "wide", "card"};

static bool read_place(struct chart_reader *r, const struct stanza_line *l, struct err *err)
{
	for (unsigned i = 0; i < PLACE_COUNT; i++)
		if (span_is(l->value, place_names[i])) {
			r->chart->place = i;
			return true;
		}
	return stanza_fail(&r->stanza, l->line, err, "place '%.*s': expected half, full, wide or card",
			   SPAN_ARG(l->value));
}

/* Read `only` of a chart or of a view. */
static bool read_only(struct chart_reader *r, const struct stanza_line *l, bool *elsewhere, struct err *err)
{
	bool fits;

	if (!chart_fits(l->value, r->sets ? r->sets[SOURCE_GPU] : NULL, &fits))
		return stanza_fail(&r->stanza, l->line, err,
				   "only '%.*s': expected gpu, no-gpu, no-counters or a GPU set",
				   SPAN_ARG(l->value));
	*elsewhere = r->sets && !fits;
	return true;
}

static bool read_number(struct chart_reader *r, const struct stanza_line *l, unsigned min, unsigned most,
			unsigned *value, struct err *err)
{
	uint64_t n;

	if (!span_u64(l->value, &n) || n < min || n > most)
		return stanza_fail(&r->stanza, l->line, err, "%.*s '%.*s': expected %u to %u%s",
				   SPAN_ARG(l->key), SPAN_ARG(l->value), min, most,
				   most == CANVAS_COLS_MAX ? " columns" : "");
	*value = (unsigned)n;
	return true;
}

static bool read_widget(struct chart_reader *r, const struct stanza_line *l, struct err *err)
{
	r->chart->widget = widget_find(l->value);
	return r->chart->widget ||
	       stanza_fail(&r->stanza, l->line, err, "unknown widget '%.*s'", SPAN_ARG(l->value));
}

static bool read_option(struct chart_reader *r, const struct stanza_line *l, struct err *err)
{
	struct chart *chart = r->chart;

	if (chart->n_options == CHART_OPTIONS_MAX)
		return stanza_fail(&r->stanza, l->line, err, "more than %d fields of a widget",
				   CHART_OPTIONS_MAX);
	r->option_line[chart->n_options] = l->line;
	chart->options[chart->n_options].key = l->key;
	chart->options[chart->n_options++].value = l->value;
	return true;
}

/* A series; an indented one; a part of the bar of the series above; a second amount, such as bytes
 * written beside bytes read. */
static const char *const series_keys[] = {"series", "sub", "part", "second"};

static bool read_chart_field(struct chart_reader *r, const struct stanza_line *l, struct err *err)
{
	struct chart *chart = r->chart;

	for (size_t i = 0; i < ARRAY_LEN(series_keys); i++)
		if (span_is(l->key, series_keys[i]))
			return read_series(r, l, err);
	if (span_is(l->key, "or"))
		return read_or(r, l, err);
	r->series_key = (struct span){0};
	if (r->db && span_is(l->key, "expr"))
		return read_expr(r, l, err);
	if (!l->value.n)
		return stanza_fail(&r->stanza, l->line, err, "field '%.*s' without a value",
				   SPAN_ARG(l->key));
	if (span_is(l->key, "group"))
		read_group(r, l->value);
	else if (span_is(l->key, "title"))
		chart->title = own_string(r->views, span_dup(l->value));
	else if (span_is(l->key, "base"))
		chart->base = own_string(r->views, span_dup(l->value));
	else if (span_is(l->key, "text"))
		return read_text(r, l, err);
	else if (span_is(l->key, "letter"))
		chart->letter = l->value.n == 1 ? l->value.p[0] : 0;
	else if (span_is(l->key, "place"))
		return read_place(r, l, err);
	else if (span_is(l->key, "only"))
		return read_only(r, l, &chart->elsewhere, err);
	else if (span_is(l->key, "with") || span_is(l->key, "without"))
		*(l->key.n > 4 ? &chart->without : &chart->with) = l->value;
	else if (span_is(l->key, "once"))
		chart->once = l->value;
	else if (span_is(l->key, "widget"))
		return read_widget(r, l, err);
	else if (span_is(l->key, "priority"))
		return read_number(r, l, 1, SMALL_MAX, &chart->priority, err);
	else if (span_is(l->key, "from"))
		return read_number(r, l, 1, CANVAS_COLS_MAX, &chart->from_cols, err);
	else if (span_is(l->key, "below"))
		return read_number(r, l, 1, CANVAS_COLS_MAX, &chart->below_cols, err);
	else if (span_is(l->key, "weight"))
		return read_number(r, l, 0, SMALL_MAX, &chart->weight, err);
	else
		return read_option(r, l, err);
	return true;
}

/* Whether the value is one of the words that struct widget's `options` permit for an option. */
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

static bool check_option(const struct chart_reader *r, unsigned i, struct err *err)
{
	const struct chart *chart = r->chart;
	struct span key = chart->options[i].key, value = chart->options[i].value;

	for (struct span rest = span_of(chart->widget->options); rest.n;) {
		struct span words = span_until(&rest, '|');

		if (!span_eq(span_word(&words), key))
			continue;
		words = span_trim(words);
		if (value_allowed(words, value))
			return true;
		return stanza_fail(&r->stanza, r->option_line[i], err, "%.*s '%.*s': expected one of: %.*s",
				   SPAN_ARG(key), SPAN_ARG(value), SPAN_ARG(words));
	}
	return stanza_fail(
		&r->stanza, r->option_line[i], err,
		"unknown field '%.*s': expected title, base, only, from, below, place, weight, widget, "
		"priority, series, or, sub, part, second, group, %stext or a field of widget %s",
		SPAN_ARG(key), r->db ? "expr, " : "", chart->widget->name);
}

/* Check the fields of the widget once the chart is complete, because the widget may follow them. */
static bool end_chart(struct chart_reader *r, unsigned line, struct err *err)
{
	if (!r->chart)
		return true;
	if (!r->chart->widget)
		return stanza_fail(&r->stanza, line, err, "chart %s above has no widget", r->chart->name);
	if (r->db && !r->n_lines && !r->chart->widget->seriesless)
		return stanza_fail(&r->stanza, line, err, "chart %s above has no series", r->chart->name);
	for (unsigned i = 0; i < r->chart->n_options; i++)
		if (!check_option(r, i, err))
			return false;
	r->chart->loads = chart_option_is(r->chart, "levels", "load");
	r->chart->to_limit = chart_option_is(r->chart, "levels", "limit");
	add_base(r);
	r->chart = NULL;
	r->n_lines = r->n_exprs = 0;
	r->series_key = (struct span){0};
	return true;
}

static bool end_view(const struct chart_reader *r, unsigned line, struct err *err)
{
	return !r->db || !r->view || r->view->n_charts ||
	       stanza_fail(&r->stanza, line, err, "view %s above has no chart", r->view->name);
}

/* Check a name in a user's file, which becomes part of a metric's name. */
static bool check_own_name(const struct chart_reader *r, const struct stanza_line *l, struct err *err)
{
	for (size_t i = 0; r->db && i < l->value.n; i++)
		if (!isalnum((unsigned char)l->value.p[i]) && !strchr("-_", l->value.p[i]))
			return stanza_fail(
				&r->stanza, l->line, err,
				"%.*s '%.*s': expected a name of letters, digits, - and _; words go "
				"into its title",
				SPAN_ARG(l->key), SPAN_ARG(l->value));
	return true;
}

static bool read_view_field(struct chart_reader *r, const struct stanza_line *l, struct err *err)
{
	if (span_is(l->key, "title") && l->value.n) {
		r->view->title = own_string(r->views, span_dup(l->value));
	} else if (r->db && span_is(l->key, "key")) {
		return stanza_fail(&r->stanza, l->line, err,
				   "key: own views have none: u shows them in turn");
	} else if (span_is(l->key, "key") && l->value.n == 1) {
		r->view->key = l->value.p[0];
	} else if (span_is(l->key, "hidden") && (span_is(l->value, "yes") || span_is(l->value, "no"))) {
		r->view->hidden = span_is(l->value, "yes");
	} else if (span_is(l->key, "first") && span_is(l->value, "busiest")) {
		r->view->busiest = true;
	} else if (span_is(l->key, "only")) {
		return read_only(r, l, &r->view->elsewhere, err);
	} else if (span_is(l->key, "foot") && (span_is(l->value, "gpu") || span_is(l->value, "cpu"))) {
		r->view->foot = span_is(l->value, "gpu") ? FOOT_GPU : FOOT_CPU;
	} else {
		return stanza_fail(
			&r->stanza, l->line, err,
			"'%.*s' in a view: expected key (one character), title, only, first, hidden (yes or "
			"no) or foot (gpu or cpu)",
			SPAN_ARG(l->text));
	}
	return true;
}

static bool open_view(struct chart_reader *r, const struct stanza_line *l, struct err *err)
{
	struct views *v = r->views;

	if (!check_own_name(r, l, err) || !end_view(r, l->line, err))
		return false;
	for (unsigned i = 0; i < v->n_views; i++)
		if (span_is(l->value, v->views[i].name))
			return stanza_fail(&r->stanza, l->line, err, "view %s is there already",
					   v->views[i].name);
	v->views = xreallocarray(v->views, v->n_views + 1, sizeof(*v->views));
	r->view = &v->views[v->n_views++];
	*r->view = (struct view){.name = own_string(v, span_dup(l->value)), .own = r->db};
	r->view->title = r->view->name;
	return true;
}

static bool open_chart(struct chart_reader *r, const struct stanza_line *l, struct err *err)
{
	struct view *view = r->view;

	if (!view)
		return stanza_fail(&r->stanza, l->line, err,
				   "chart without a view: expected 'view NAME' above");
	if (!check_own_name(r, l, err))
		return false;
	for (unsigned i = 0; r->db && i < view->n_charts; i++)
		if (span_is(l->value, view->charts[i].name))
			return stanza_fail(&r->stanza, l->line, err, "chart %s is there already",
					   view->charts[i].name);
	view->charts = xreallocarray(view->charts, view->n_charts + 1, sizeof(*view->charts));
	r->chart = &view->charts[view->n_charts++];
	*r->chart = (struct chart){
		.name = own_string(r->views, span_dup(l->value)), .title = "", .base = "", .priority = 1};
	return true;
}

static bool read_line(struct chart_reader *r, const struct stanza_line *l, struct err *err)
{
	switch (l->kind) {
	case STANZA_OPEN:
		if (!end_chart(r, l->line, err))
			return false;
		r->skips = false;
		if (l->value.n && span_is(l->key, "view"))
			return open_view(r, l, err);
		if (l->value.n && span_is(l->key, "chart"))
			return open_chart(r, l, err);
		r->skips = r->db && !span_is(l->key, "view") && !span_is(l->key, "chart");
		if (r->skips)
			return true;
		return stanza_fail(&r->stanza, l->line, err, "'%.*s': expected 'view NAME' or 'chart NAME'",
				   SPAN_ARG(l->text));
	case STANZA_FIELD:
		return r->chart ? read_chart_field(r, l, err) : read_view_field(r, l, err);
	default:
		return stanza_fail(&r->stanza, l->line, err,
				   "indented by four or more: expected a field, indented by two");
	}
}

bool chart_read(struct views *views, const struct gpudb *db, const struct gpudb_text *file,
		const struct metric_set *const sets[SOURCE_KINDS], struct err *err)
{
	struct chart_reader r = {.views = views, .sets = sets, .db = db};
	struct stanza_line line;

	stanza_init(&r.stanza, file->file, file->text);
	do {
		if (!stanza_next(&r.stanza, &line, err))
			return false;
		if (r.skips && line.kind != STANZA_OPEN)
			continue;
		if (line.kind != STANZA_END && !read_line(&r, &line, err))
			return false;
	} while (line.kind != STANZA_END);
	return end_chart(&r, line.line, err) && end_view(&r, line.line, err);
}
