#include "views/explanation.h"

#include "base/alloc.h"
#include "model/template.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USERS_MOST 8

const char *const explanation_part_titles[EXPLANATION_PARTS] = {
	[EXPLANATION_TITLE] = "",
	[EXPLANATION_COMPUTED] = "How it is computed",
	[EXPLANATION_TELLS] = "What it tells",
	[EXPLANATION_DO] = "What to do",
	[EXPLANATION_WHERE] = "Where it is shown",
};

/* An explanation that is being written. */
struct explanation_writer {
	struct explanation *e;
	const struct explanation_scene *scene;
	enum explanation_part part;
};

void explanation_fini(struct explanation *e)
{
	for (unsigned i = 0; i < e->n_texts; i++)
		free(e->texts[i]);
	free(e->texts);
	free(e->items);
	*e = (struct explanation){0};
}

/* Takes the text, unless it is empty. Returns the item, NULL without one. */
static struct explanation_item *add_item(struct explanation_writer *w, const char *name, struct strbuf *text)
{
	struct explanation *e = w->e;

	if (!text->n)
		return NULL;
	GROW(e->texts, e->n_texts, e->cap_texts);
	e->texts[e->n_texts++] = text->p;
	GROW(e->items, e->n, e->cap);
	e->items[e->n] = (struct explanation_item){.part = w->part, .name = name, .text = text->p};
	*text = (struct strbuf){0};
	return &e->items[e->n++];
}

static void add_span(struct explanation_writer *w, const char *name, struct span s)
{
	struct strbuf text = {0};

	strbuf_add(&text, s.p, s.n);
	add_item(w, name, &text);
	strbuf_fini(&text);
}

static bool fits_product(const struct explanation_writer *w, struct gpu_set gpus)
{
	return !w->scene->product || gpu_set_has(gpus, w->scene->product);
}

/* "(G52, 5thGen) ", if the text that follows holds for some GPUs only and none is chosen. */
static void add_gpus(const struct explanation_writer *w, struct gpu_set gpus, struct strbuf *text)
{
	if (gpus.words.n && !w->scene->product)
		strbuf_printf(text, "(%.*s) ", SPAN_ARG(gpus.words));
}

/* Every variant that may be the one: of a GPU only the first that fits. Returns it. */
static struct span add_variants(struct explanation_writer *w, const char *name,
				const struct metric_variant *v)
{
	for (; v; v = v->next) {
		struct strbuf text = {0};

		if (!fits_product(w, v->gpus))
			continue;
		add_gpus(w, v->gpus, &text);
		strbuf_add(&text, v->text.p, v->text.n);
		add_item(w, name, &text);
		if (w->scene->product)
			return v->text;
		name = "";
	}
	return (struct span){"", 0};
}

static bool has_word(struct span words, const char *wanted)
{
	struct span word;

	while ((word = span_word(&words)).n)
		if (span_is(word, wanted))
			return true;
	return false;
}

/* ---- formulas ---- */

static bool begins_name(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '$';
}

static bool is_in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.' || c == '[' || c == ']';
}

/* Take what is before the next name of a formula and the name off *rest; empty at the end. */
static struct span next_name(struct span *rest, struct span *before)
{
	size_t i = 0, n = 0;

	if (!rest->n)
		return *before = *rest;
	while (i < rest->n && !begins_name(rest->p[i]))
		i++; /* digits of a number, too */
	while (i + n < rest->n && is_in_name(rest->p[i + n]))
		n++;
	*before = (struct span){rest->p, i};
	*rest = (struct span){rest->p + i + n, rest->n - i - n};
	return (struct span){before->p + i, n};
}

static bool is_function(struct span name)
{
	return span_is(name, "min") || span_is(name, "max");
}

/* Whether a formula contains the name as a whole word. */
static bool has_name(struct span formula, const char *name)
{
	struct span word, before;

	while ((word = next_name(&formula, &before)).n)
		if (span_is(word, name))
			return true;
	return false;
}

static double value_of(const struct explanation_writer *w, struct span formula, bool cores_mean)
{
	struct expr expr = {0};
	double value = NAN;
	struct err err;

	if (!w->scene->vector)
		return NAN;
	if (metric_compile(w->scene->set, w->scene->db, formula, cores_mean, &expr, &err))
		value = expr_eval(&expr, w->scene->vector);
	expr_fini(&expr);
	return value;
}

/* "2.46 G": as formulas calculate, without a unit. */
static void add_number(const struct explanation_writer *w, double value, struct strbuf *out)
{
	char text[UNITS_TEXT];

	strbuf_str(out, unit_format(text, value, unit_find(SPAN_LIT("count")), false, w->scene->ascii));
}

/* The formula with the values of its operands, and its value. */
static void add_filled(struct explanation_writer *w, const char *name, struct span formula,
		       const struct metric *m, bool cores_mean)
{
	struct span rest = formula, word, before;
	double value = value_of(w, formula, cores_mean);
	char shown[UNITS_TEXT];
	struct strbuf text = {0};

	if (!w->scene->vector || !formula.n)
		return;
	while ((word = next_name(&rest, &before)).n) {
		strbuf_add(&text, before.p, before.n);
		if (is_function(word))
			strbuf_add(&text, word.p, word.n);
		else
			add_number(w, value_of(w, word, cores_mean), &text);
	}
	strbuf_add(&text, before.p, before.n);
	value = value < m->low ? m->low : value > m->high ? m->high : value;
	strbuf_printf(&text, " = %s", unit_format(shown, value, m->unit, false, w->scene->ascii));
	if (isfinite(w->scene->vector[VECTOR_SECONDS]))
		strbuf_printf(&text, " over %.3g s", w->scene->vector[VECTOR_SECONDS]);
	add_item(w, name, &text);
}

static const struct gpu_counter *find_counter(const struct explanation_writer *w, const char *metric,
					      unsigned *at)
{
	const struct gpu_layout *layout = w->scene->product ? w->scene->product->layout : NULL;

	for (; layout && *at < layout->n_counters; ++*at)
		if (layout->counters[*at].name && !strcmp(layout->counters[*at].name, metric))
			return &layout->counters[(*at)++];
	return NULL;
}

static struct span slot_title(const struct gpudb *db, struct span name)
{
	for (unsigned i = 0; i < db->n_slot_titles; i++)
		if (span_eq(db->slot_titles[i].name, name))
			return db->slot_titles[i].title;
	return (struct span){"", 0};
}

static void add_operand(struct explanation_writer *w, const char *label, struct span name)
{
	const struct metric_def *def = metric_def_find(w->scene->db, name);
	const struct metric_constant *constant = metric_constant_find(name);
	const struct metric *m = w->scene->set ? metric_find(w->scene->set, name) : NULL;
	struct span slot = slot_title(w->scene->db, name);
	const struct gpu_counter *c = NULL;
	struct strbuf text = {0};
	struct explanation_item *item;
	char value[UNITS_TEXT];
	double seconds, now;
	unsigned at = 0;

	strbuf_add(&text, name.p, name.n);
	if (def)
		strbuf_printf(&text, ", %s", def->title);
	if (def)
		c = find_counter(w, def->name, &at);
	if (c)
		strbuf_printf(&text, ", counter %s", c->hw_name);
	if (constant)
		strbuf_printf(&text, ", %s", constant->title);
	if (!def && !constant && slot.n)
		strbuf_printf(&text, ", %.*s", SPAN_ARG(slot));
	if (!m && !constant && w->scene->vector) {
		strbuf_str(&text, ": ");
		add_number(w, value_of(w, name, false), &text);
	}
	if (constant && w->scene->vector)
		strbuf_printf(&text, ": %s",
			      unit_format(value, w->scene->vector[constant->at],
					  unit_find(span_of(constant->unit)), false, w->scene->ascii));
	if (m && w->scene->vector) {
		now = metric_value(m, w->scene->vector);
		seconds = w->scene->vector[VECTOR_SECONDS];
		strbuf_printf(&text, ": %s",
			      unit_format(value, m->grows ? now / seconds : now, m->unit, m->grows,
					  w->scene->ascii));
	}
	item = add_item(w, label, &text);
	item->metric = m;
}

/* Each name of the formula once. */
static void add_operands(struct explanation_writer *w, struct span formula)
{
	struct span rest = formula, word, before;
	const char *label = "operands";

	while ((word = next_name(&rest, &before)).n) {
		struct span earlier = {formula.p, (size_t)(word.p - formula.p)}, other;
		bool seen = is_function(word);

		while (!seen && (other = next_name(&earlier, &before)).n)
			seen = span_eq(other, word);
		if (seen)
			continue;
		add_operand(w, label, word);
		label = "";
	}
}

/* ---- findings ---- */

static void add_limits(struct explanation_writer *w, const char *name, const struct finding_limit *limit)
{
	for (; limit; limit = limit->next) {
		struct strbuf text = {0};

		if (!fits_product(w, limit->gpus))
			continue;
		add_gpus(w, limit->gpus, &text);
		strbuf_printf(&text, "%.*s %s %g, until %g", SPAN_ARG(limit->formulas),
			      limit->side == ALERT_ABOVE ? "above" : "below", limit->on, limit->off);
		add_item(w, name, &text);
	}
}

static void add_needs(struct explanation_writer *w, const struct finding_def *def)
{
	struct span rest = def->needs, word;

	add_limits(w, "and", def->ands);
	while ((word = span_word(&rest)).n)
		add_limits(w, "and", finding_find(w->scene->db, FINDING_CONDITION, word)->ands);
}

/* What was judged; NULL if this machine cannot judge it. */
static const struct judged *judged_of(const struct judge *judge, const struct finding_def *def)
{
	for (unsigned i = 0; judge && i < judge->n_findings; i++)
		if (judge->findings[i].def == def)
			return &judge->findings[i];
	return NULL;
}

void explanation_finding(struct explanation *e, const struct explanation_scene *scene,
			 const struct finding_def *def)
{
	struct explanation_writer w = {e, scene, EXPLANATION_TITLE};
	const struct judged *judged = judged_of(scene->judge, def);
	bool verdict = def->kind == FINDING_VERDICT;
	struct strbuf text = {0};

	strbuf_printf(&text, "%s  %s  (%s)", def->name, def->title,
		      verdict ? "verdict" : finding_severity_names[def->severity]);
	add_item(&w, "", &text);
	w.part = EXPLANATION_COMPUTED;
	add_limits(&w, "when", def->whens);
	if (judged) {
		char value[UNITS_TEXT];

		strbuf_printf(&text, "%s is %s: %s", judged->number.title,
			      unit_format(value, judged->number.value, judged->number.unit,
					  judged->number.metric && judged->number.metric->grows,
					  scene->ascii),
			      judged->holds ? "it holds" : "it does not hold");
		add_item(&w, "now", &text);
	}
	add_needs(&w, def);
	add_limits(&w, "clear", def->clears);
	add_span(&w, def->house ? "house" : "origin",
		 span_of(def->house     ? def->house
			 : def->guide.n ? "the guide's limit"
					: "your own limit"));
	add_span(&w, "evidence", def->evidence);
	w.part = EXPLANATION_TELLS;
	add_variants(&w, "means", def->says);
	w.part = EXPLANATION_DO;
	add_variants(&w, "do", def->advice);
	w.part = EXPLANATION_WHERE;
	add_span(&w, "look at", def->look);
	add_span(&w, "guide", scene->product ? finding_guide(scene->db, def, scene->product) : def->guide);
}

/* ---- metrics ---- */

static bool limits_name(const struct finding_limit *limit, const char *name)
{
	for (; limit; limit = limit->next)
		if (has_name(limit->formulas, name))
			return true;
	return false;
}

static bool is_used_by(const struct finding_def *def, const char *metric)
{
	return limits_name(def->whens, metric) || has_name(def->evidence, metric);
}

static void add_findings(struct explanation_writer *w, const char *metric)
{
	for (unsigned i = 0; i < w->scene->db->n_findings; i++) {
		const struct finding_def *def = &w->scene->db->findings[i];
		const struct judged *judged = judged_of(w->scene->judge, def);
		bool verdict = def->kind == FINDING_VERDICT;
		struct span advice = finding_text(def->advice, w->scene->product);
		struct strbuf text = {0};
		struct explanation_item *item;

		if (!fits_product(w, def->gpus) || !is_used_by(def, metric))
			continue;
		if (w->scene->judge && verdict && !(judged && judged->holds))
			continue; /* the machine's verdict is another one */
		strbuf_printf(&text, "%s: %s", def->name, def->title);
		if (judged && judged->holds)
			strbuf_str(&text, ", holds now");
		if (advice.n)
			strbuf_printf(&text, ". %.*s", SPAN_ARG(advice));
		item = add_item(w, verdict ? "verdict" : "finding", &text);
		item->holds = judged && judged->holds;
	}
}

static void add_notes(struct explanation_writer *w, const char *metric)
{
	for (unsigned i = 0; i < w->scene->db->n_findings; i++) {
		const struct finding_def *def = &w->scene->db->findings[i];

		if (def->kind == FINDING_NOTE && fits_product(w, def->gpus) && has_word(def->metrics, metric))
			add_variants(w, "note", def->says);
	}
}

static void add_counters(struct explanation_writer *w, const char *metric)
{
	const struct gpu_counter *c;
	unsigned at = 0;

	while ((c = find_counter(w, metric, &at))) {
		struct strbuf text = {0};

		strbuf_printf(&text, "%s, index %u, %s", gpu_block_names[c->block], c->index, c->hw_name);
		if (c->scale > 1)
			strbuf_printf(&text, ", each count stands for %u", c->scale);
		add_item(w, "counter", &text);
	}
}

static bool names_core_counter(const struct explanation_writer *w, struct span formula)
{
	struct span word, before;

	while ((word = next_name(&formula, &before)).n) {
		AUTOFREE char *name = span_dup(word);
		const struct gpu_counter *c;
		unsigned at = 0;

		c = find_counter(w, name, &at);
		if (c && c->block == BLOCK_CORE)
			return true;
	}
	return false;
}

static void add_formulas(struct explanation_writer *w, const struct metric_def *def)
{
	const struct metric_set *set = w->scene->set;
	const struct metric *m = set ? metric_find(set, span_of(def->name)) : NULL;
	const struct gpu_product *product = w->scene->product;
	const struct metric_template *guide = product ? template_guide_of(w->scene->db, product) : NULL;
	bool by_guide = set && set->definitions == DEFINITIONS_GUIDE, mean = guide && guide->cores_mean;
	struct span formula, printed;

	if (m && !by_guide && m->text.n) { /* this machine's, which may be a later variant */
		add_span(w, "formula", m->text);
		formula = m->text;
	} else {
		formula = add_variants(w, "formula", def->exprs);
	}
	if (m)
		add_filled(w, "now", formula, m, false);
	printed = add_variants(w, "in guide", def->guides);
	if (m)
		add_filled(w, "", printed, m, mean);
	if (mean && m && names_core_counter(w, printed))
		add_span(w, "", SPAN_LIT("counters of the cores are means over the cores there"));
	add_variants(w, "limit", def->alerts);
	if (product || m)
		add_operands(w, by_guide && printed.n ? printed : formula);
}

static void add_places(struct explanation_writer *w, const struct metric_def *def)
{
	const struct metric *m = w->scene->set ? metric_find(w->scene->set, span_of(def->name)) : NULL;
	const char *name = "view";

	for (unsigned i = 0; m && w->scene->views && i < w->scene->views->n_views; i++) {
		const struct view *v = &w->scene->views->views[i];
		struct row_subject row = view_row_of(v, m);
		struct strbuf text = {0};

		if (!row.chart && !(m->is_counter && strcmp(v->name, "counters") == 0))
			continue;
		if (v->key)
			strbuf_printf(&text, "%c ", v->key);
		strbuf_str(&text, v->title);
		if (row.chart && row.chart->title[0])
			strbuf_printf(&text, ": %s", row.chart->title);
		add_item(w, name, &text);
		name = "";
	}
	add_variants(w, "known as", def->vars);
}

void explanation_metric(struct explanation *e, const struct explanation_scene *scene,
			const struct metric_def *def)
{
	struct explanation_writer w = {e, scene, EXPLANATION_TITLE};
	struct strbuf text = {0};

	strbuf_printf(&text, "%s  %s  (%s%s%s)", def->name, def->title, def->unit->name,
		      def->group[0] ? ", " : "", def->group);
	add_item(&w, "", &text);
	w.part = EXPLANATION_COMPUTED;
	add_counters(&w, def->name);
	add_formulas(&w, def);
	w.part = EXPLANATION_TELLS;
	metric_help(def, &text);
	add_item(&w, "means", &text);
	add_notes(&w, def->name);
	w.part = EXPLANATION_DO;
	add_findings(&w, def->name);
	w.part = EXPLANATION_WHERE;
	add_places(&w, def);
}

/* ---- places ---- */

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

/* Metrics whose formulas have the name, as many as fit into a line or two. */
static void add_users(struct explanation_writer *w, const char *name)
{
	struct strbuf text = {0};
	unsigned n = 0;

	for (unsigned i = 0; i < w->scene->db->n_metrics; i++) {
		const struct metric_def *def = &w->scene->db->metrics[i];
		bool uses = false;

		for (const struct metric_variant *v = def->exprs; v && !uses; v = v->next)
			uses = fits_product(w, v->gpus) && has_name(v->text, name);
		if (uses && n++ < USERS_MOST)
			strbuf_printf(&text, "%s%s", text.n ? ", " : "", def->name);
	}
	if (n > USERS_MOST)
		strbuf_printf(&text, " and %u more", n - USERS_MOST);
	add_item(w, "used by", &text);
}

void explanation_constant(struct explanation *e, const struct explanation_scene *scene,
			  const struct metric_constant *constant)
{
	struct explanation_writer w = {e, scene, EXPLANATION_TITLE};
	struct strbuf text = {0};

	strbuf_printf(&text, "%s  %s  (%s)", constant->name, constant->title, constant->unit);
	add_item(&w, "", &text);
	w.part = EXPLANATION_TELLS;
	add_span(&w, "means", span_of(constant->help));
	w.part = EXPLANATION_WHERE;
	add_users(&w, constant->name);
}
