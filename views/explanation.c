#include "views/explanation.h"

#include "base/alloc.h"
#include "model/template.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define USERS_MOST 8
#define NEAR_MOST 6
#define WORD_MIN 3 /* letters of a word that a search considers */

const char *const explanation_part_titles[EXPLANATION_PARTS] = {
	[EXPLANATION_TITLE] = "",
	[EXPLANATION_COMPUTED] = "How it is computed",
	[EXPLANATION_TELLS] = "What it tells",
	[EXPLANATION_DO] = "What to do",
	[EXPLANATION_WHERE] = "Where it is shown",
};

void explanation_fini(struct explanation *e)
{
	for (unsigned i = 0; i < e->n; i++)
		free(e->items[i].text);
	free(e->items);
	*e = (struct explanation){0};
}

/* Add an item, which owns the text. Returns the item, NULL if the text is empty. */
static struct explanation_item *add_item(struct explanation *e, const char *name, char *text)
{
	if (!text || !*text) {
		free(text);
		return NULL;
	}
	GROW(e->items, e->n, e->cap);
	e->items[e->n] = (struct explanation_item){.part = e->part, .name = name, .text = text};
	return &e->items[e->n++];
}

static bool fits_product(const struct explanation *e, struct gpu_set gpus)
{
	return !e->product || gpu_set_has(gpus, e->product);
}

/* "(G52, 5thGen) " if the following text holds for some GPUs only and no GPU is chosen. */
static void add_gpus(const struct explanation *e, struct gpu_set gpus, struct strbuf *text)
{
	if (gpus.words.n && !e->product)
		strbuf_printf(text, "(%.*s) ", SPAN_ARG(gpus.words));
}

/* Add every variant. For a known GPU, add the first that fits and return its text. */
static struct span add_variants(struct explanation *e, const char *name, const struct metric_variant *v)
{
	for (; v; v = v->next) {
		struct strbuf text = {0};

		if (!fits_product(e, v->gpus))
			continue;
		add_gpus(e, v->gpus, &text);
		strbuf_add(&text, v->text.p, v->text.n);
		add_item(e, name, text.p);
		if (e->product)
			return v->text;
		name = "";
	}
	return (struct span){"", 0};
}

/* ---- formulas ---- */

static bool is_in_name(char c)
{
	return isalnum((unsigned char)c) || strchr("_$.[]", c);
}

/* Take the next name of a formula, and the text before it, off *rest; empty at the end. */
static struct span next_name(struct span *rest, struct span *before)
{
	size_t i = 0, n = 0;

	while (i < rest->n && !isalpha((unsigned char)rest->p[i]) && rest->p[i] != '_' && rest->p[i] != '$')
		i++; /* includes the digits of a number */
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

static double value_of(const struct explanation *e, struct span formula, bool cores_mean)
{
	struct expr expr = {0};
	double value = NAN;
	struct err err;

	if (!e->vector)
		return NAN;
	if (metric_compile(e->set, e->db, formula, cores_mean, &expr, &err))
		value = expr_eval(&expr, e->vector);
	expr_fini(&expr);
	return value;
}

/* The formula with the values of its operands, and its value. */
static void add_filled(struct explanation *e, const char *name, struct span formula, const struct metric *m,
		       bool cores_mean)
{
	const struct unit *count = unit_find(SPAN_LIT("count")); /* as formulas calculate */
	struct span rest = formula, word, before;
	double value = value_of(e, formula, cores_mean);
	char shown[UNITS_TEXT];
	struct strbuf text = {0};

	if (!e->vector || !formula.n)
		return;
	while ((word = next_name(&rest, &before)).n) {
		strbuf_add(&text, before.p, before.n);
		if (is_function(word))
			strbuf_add(&text, word.p, word.n);
		else
			strbuf_str(&text,
				   unit_format(shown, value_of(e, word, cores_mean), count, false, false));
	}
	strbuf_add(&text, before.p, before.n);
	value = value < m->low ? m->low : value > m->high ? m->high : value;
	strbuf_printf(&text, " = %s", unit_format(shown, value, m->unit, false, false));
	if (isfinite(e->vector[VECTOR_SECONDS]))
		strbuf_printf(&text, " over %.3g s", e->vector[VECTOR_SECONDS]);
	add_item(e, name, text.p);
}

static const struct gpu_counter *find_counter(const struct explanation *e, struct span metric, unsigned *at)
{
	const struct gpu_layout *layout = e->product ? e->product->layout : NULL;

	for (; layout && *at < layout->n_counters; ++*at)
		if (layout->counters[*at].name && span_is(metric, layout->counters[*at].name))
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

static void add_operand(struct explanation *e, const char *label, struct span name)
{
	const struct metric_def *def = metric_def_find(e->db, name);
	const struct metric_constant *constant = metric_constant_find(name);
	const struct metric *m = e->set ? metric_find(e->set, name) : NULL;
	struct span slot = slot_title(e->db, name);
	const struct gpu_counter *c = NULL;
	const struct unit *unit = unit_find(SPAN_LIT("count"));
	struct strbuf text = {0};
	char value[UNITS_TEXT];
	unsigned at = 0;
	double now;

	strbuf_add(&text, name.p, name.n);
	if (def) {
		strbuf_printf(&text, ", %s", def->title);
		c = find_counter(e, name, &at);
	}
	if (c)
		strbuf_printf(&text, ", counter %s", c->hw_name);
	if (constant)
		strbuf_printf(&text, ", %s", constant->title);
	if (!def && !constant && slot.n)
		strbuf_printf(&text, ", %.*s", SPAN_ARG(slot));
	if (e->vector) {
		if (m) {
			now = metric_value(m, e->vector) / (m->grows ? e->vector[VECTOR_SECONDS] : 1);
			unit = m->unit;
		} else if (constant) {
			now = e->vector[constant->at];
			unit = unit_find(span_of(constant->unit));
		} else {
			now = value_of(e, name, false);
		}
		strbuf_printf(&text, ": %s", unit_format(value, now, unit, m && m->grows, false));
	}
	add_item(e, label, text.p)->metric = m;
}

/* Add each name of the formula once. */
static void add_operands(struct explanation *e, struct span formula)
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
		add_operand(e, label, word);
		label = "";
	}
}

/* ---- findings ---- */

static void add_limits(struct explanation *e, const char *name, const struct finding_limit *limit)
{
	for (; limit; limit = limit->next) {
		struct strbuf text = {0};

		if (!fits_product(e, limit->gpus))
			continue;
		add_gpus(e, limit->gpus, &text);
		strbuf_printf(&text, "%.*s %s %g, until %g", SPAN_ARG(limit->formulas),
			      limit->side == ALERT_ABOVE ? "above" : "below", limit->on, limit->off);
		add_item(e, name, text.p);
	}
}

static void add_needs(struct explanation *e, const struct finding_def *def)
{
	struct span rest = def->needs, word;

	add_limits(e, "and", def->ands);
	while ((word = span_word(&rest)).n)
		add_limits(e, "and", finding_find(e->db, FINDING_CONDITION, word)->ands);
}

const struct judged *explanation_judged(const struct judge *judge, const struct finding_def *def)
{
	for (unsigned i = 0; judge && i < judge->n_findings; i++)
		if (judge->findings[i].def == def)
			return &judge->findings[i];
	return NULL;
}

void explanation_finding(struct explanation *e, const struct finding_def *def)
{
	const struct judged *judged = explanation_judged(e->judge, def);
	bool verdict = def->kind == FINDING_VERDICT;
	char value[UNITS_TEXT];

	e->part = EXPLANATION_TITLE;
	add_item(e, "",
		 xasprintf("%s  %s  (%s)", def->name, def->title,
			   verdict ? "verdict" : finding_severity_names[def->severity]));
	e->part = EXPLANATION_COMPUTED;
	add_limits(e, "when", def->whens);
	if (judged)
		add_item(e, "now",
			 xasprintf("%s is %s: %s", judged->number.title,
				   unit_format(value, judged->number.value, judged->number.unit,
					       judged->number.metric && judged->number.metric->grows, false),
				   judged->holds ? "it holds" : "it does not hold"));
	add_needs(e, def);
	add_limits(e, "clear", def->clears);
	add_item(e, def->house ? "house" : "origin",
		 xstrdup(def->house     ? def->house
			 : def->guide.n ? "the guide's limit"
					: "your own limit"));
	add_item(e, "evidence", span_dup(def->evidence));
	e->part = EXPLANATION_TELLS;
	add_variants(e, "means", def->says);
	e->part = EXPLANATION_DO;
	add_variants(e, "do", def->advice);
	e->part = EXPLANATION_WHERE;
	add_item(e, "look at", span_dup(def->look));
	add_item(e, "guide", span_dup(e->product ? finding_guide(e->db, def, e->product) : def->guide));
}

/* ---- metrics ---- */

static bool is_used_by(const struct finding_def *def, const char *metric)
{
	for (const struct finding_limit *limit = def->whens; limit; limit = limit->next)
		if (has_name(limit->formulas, metric))
			return true;
	return has_name(def->evidence, metric);
}

static void add_findings(struct explanation *e, const char *metric)
{
	for (unsigned i = 0; i < e->db->n_findings; i++) {
		const struct finding_def *def = &e->db->findings[i];
		const struct judged *judged = explanation_judged(e->judge, def);
		bool verdict = def->kind == FINDING_VERDICT, holds = judged && judged->holds;
		struct span advice = finding_text(def->advice, e->product);

		if (!fits_product(e, def->gpus) || !is_used_by(def, metric))
			continue;
		if (e->judge && verdict && !holds)
			continue; /* this machine has another verdict now */
		add_item(e, verdict ? "verdict" : "finding",
			 xasprintf("%s: %s%s%s%.*s", def->name, def->title, holds ? ", holds now" : "",
				   advice.n ? ". " : "", SPAN_ARG(advice)))
			->holds = holds;
	}
}

static void add_notes(struct explanation *e, const char *metric)
{
	for (unsigned i = 0; i < e->db->n_findings; i++) {
		const struct finding_def *def = &e->db->findings[i];

		if (def->kind == FINDING_NOTE && fits_product(e, def->gpus) &&
		    span_has_word(def->metrics, span_of(metric)))
			add_variants(e, "note", def->says);
	}
}

static void add_counters(struct explanation *e, const char *metric)
{
	const struct gpu_counter *c;
	unsigned at = 0;

	while ((c = find_counter(e, span_of(metric), &at))) {
		AUTOFREE char *scale =
			c->scale > 1 ? xasprintf(", each count stands for %u", c->scale) : xstrdup("");

		add_item(e, "counter",
			 xasprintf("%s, index %u, %s%s", gpu_block_names[c->block], c->index, c->hw_name,
				   scale));
	}
}

static bool names_core_counter(const struct explanation *e, struct span formula)
{
	struct span word, before;

	while ((word = next_name(&formula, &before)).n) {
		unsigned at = 0;
		const struct gpu_counter *c = find_counter(e, word, &at);

		if (c && c->block == BLOCK_CORE)
			return true;
	}
	return false;
}

static void add_formulas(struct explanation *e, const struct metric_def *def)
{
	const struct metric *m = e->set ? metric_find(e->set, span_of(def->name)) : NULL;
	const struct metric_template *guide = e->product ? template_guide_of(e->db, e->product) : NULL;
	bool by_guide = e->set && e->set->definitions == DEFINITIONS_GUIDE, mean = guide && guide->cores_mean;
	struct span formula, printed;

	if (m && !by_guide && m->text.n) { /* the formula of this machine, which may be a later variant */
		add_item(e, "formula", span_dup(m->text));
		formula = m->text;
	} else {
		formula = add_variants(e, "formula", def->exprs);
	}
	if (m)
		add_filled(e, "now", formula, m, false);
	printed = add_variants(e, "in guide", def->guides);
	if (m)
		add_filled(e, "", printed, m, mean);
	if (mean && m && names_core_counter(e, printed))
		add_item(e, "", span_dup(SPAN_LIT("counters of the cores are means over the cores there")));
	add_variants(e, "limit", def->alerts);
	if (e->product || m)
		add_operands(e, by_guide && printed.n ? printed : formula);
}

static void add_places(struct explanation *e, const struct metric_def *def)
{
	const struct metric *m = e->set ? metric_find(e->set, span_of(def->name)) : NULL;
	const char *name = "view";

	for (unsigned i = 0; m && e->views && i < e->views->n_views; i++) {
		const struct view *v = &e->views->views[i];
		const struct chart *chart = view_row_of(v, m).chart;
		bool titled = chart && chart->title[0];

		if (!chart && !(m->is_counter && strcmp(v->name, "counters") == 0))
			continue;
		add_item(e, name,
			 xasprintf("%.*s%s%s%s", v->key ? 2 : 0, (char[]){v->key, ' ', 0}, v->title,
				   titled ? ": " : "", titled ? chart->title : ""));
		name = "";
	}
	add_variants(e, "known as", def->vars);
}

void explanation_metric(struct explanation *e, const struct metric_def *def)
{
	struct strbuf help = {0};

	e->part = EXPLANATION_TITLE;
	add_item(e, "",
		 xasprintf("%s  %s  (%s%s%s)", def->name, def->title, def->unit->name,
			   def->group[0] ? ", " : "", def->group));
	e->part = EXPLANATION_COMPUTED;
	add_counters(e, def->name);
	add_formulas(e, def);
	e->part = EXPLANATION_TELLS;
	metric_help(def, &help);
	add_item(e, "means", help.p);
	add_notes(e, def->name);
	e->part = EXPLANATION_DO;
	add_findings(e, def->name);
	e->part = EXPLANATION_WHERE;
	add_places(e, def);
}

/* ---- constants ---- */

/* List metrics whose formulas use the constant, as many as fit into a line or two. */
static void add_users(struct explanation *e, const char *name)
{
	struct strbuf text = {0};
	unsigned n = 0;

	for (unsigned i = 0; i < e->db->n_metrics; i++) {
		const struct metric_def *def = &e->db->metrics[i];
		bool uses = false;

		for (const struct metric_variant *v = def->exprs; v && !uses; v = v->next)
			uses = fits_product(e, v->gpus) && has_name(v->text, name);
		if (uses && n++ < USERS_MOST)
			strbuf_printf(&text, "%s%s", text.n ? ", " : "", def->name);
	}
	if (n > USERS_MOST)
		strbuf_printf(&text, " and %u more", n - USERS_MOST);
	add_item(e, "used by", text.p);
}

static void explain_constant(struct explanation *e, const struct metric_constant *constant)
{
	e->part = EXPLANATION_TITLE;
	add_item(e, "", xasprintf("%s  %s  (%s)", constant->name, constant->title, constant->unit));
	e->part = EXPLANATION_TELLS;
	add_item(e, "means", xstrdup(constant->help));
	e->part = EXPLANATION_WHERE;
	add_users(e, constant->name);
}

/* ---- names in the data: found whatever the case ---- */

static bool is_same(struct span text, struct span name)
{
	return text.n == name.n && strncasecmp(text.p, name.p, text.n) == 0;
}

static bool lists_word(struct span words, struct span name)
{
	struct span word;

	while ((word = span_word(&words)).n)
		if (is_same(word, name))
			return true;
	return false;
}

/* Find the metric of a Streamline variable or of a hardware counter. */
static const struct metric_def *metric_by_other_name(const struct explanation *e, struct span name)
{
	for (unsigned i = 0; i < e->db->n_metrics; i++)
		for (const struct metric_variant *v = e->db->metrics[i].vars; v; v = v->next)
			if (lists_word(v->text, name) && (!e->product || gpu_set_has(v->gpus, e->product)))
				return &e->db->metrics[i];
	for (unsigned g = 0; g < e->db->n_products; g++) {
		const struct gpu_layout *layout = gpudb_product(e->db, g)->layout;

		for (unsigned i = 0; i < layout->n_counters; i++)
			if (layout->counters[i].name && is_same(span_of(layout->counters[i].hw_name), name) &&
			    (!e->product || e->product->layout == layout))
				return metric_def_find(e->db, span_of(layout->counters[i].name));
	}
	return NULL;
}

/* ---- names on the screens ---- */

/* How a shown text must match the searched name: equal it, have all of its words, or have any. */
enum name_look { LOOK_SAME, LOOK_ALL, LOOK_ANY, LOOKS };

/* A search, and what it has found so far. */
struct name_search {
	const struct explanation *e;
	struct span name;
	enum name_look how;
	const struct metric_def *found;
	struct strbuf *near;
	unsigned n_near;
};

static bool has_text(struct span text, struct span part)
{
	for (size_t i = 0; part.n && i + part.n <= text.n; i++)
		if (strncasecmp(text.p + i, part.p, part.n) == 0)
			return true;
	return false;
}

/* Take the next run of letters and digits off *rest; empty at the end. */
static struct span next_part(struct span *rest)
{
	size_t from = 0, n = 0;
	struct span part;

	while (from < rest->n && !isalnum((unsigned char)rest->p[from]))
		from++;
	while (from + n < rest->n && isalnum((unsigned char)rest->p[from + n]))
		n++;
	part = (struct span){rest->p + from, n};
	*rest = (struct span){rest->p + from + n, rest->n - from - n};
	return part;
}

/* Whether the text has all words of the name, or any of them. */
static bool is_near(struct span text, struct span name, bool all)
{
	struct span part;
	bool any = false;

	while ((part = next_part(&name)).n) {
		bool has = part.n >= WORD_MIN && has_text(text, part);

		if (all && !has)
			return false;
		any = any || has;
	}
	return any;
}

/* Compare a shown text of a metric with the searched name. */
static void look_at(struct name_search *s, const struct metric_def *def, struct span shown)
{
	size_t n = strlen(def->name);
	const char *at = s->near && s->near->p ? strstr(s->near->p, def->name) : NULL;

	if (s->how == LOOK_SAME) {
		if (!s->found && is_same(shown, s->name))
			s->found = def;
		return;
	}
	if (!is_near(shown, s->name, s->how == LOOK_ALL) || (at && (at[n] == ',' || at[n] == ' ' || !at[n])))
		return;
	if (s->n_near++ < NEAR_MOST)
		strbuf_printf(s->near, "%s%s (%s)", s->near->n ? ", " : "", def->name, def->title);
}

/* Return the metric that the GPU has among the alternatives of a row. */
static const struct metric_def *row_metric(const struct explanation *e, struct span names)
{
	const struct metric_def *first = NULL, *def;
	struct span word;

	while ((word = span_word(&names)).n) {
		def = metric_def_find(e->db, word);
		first = first ? first : def;
		if (def && e->set && metric_find(e->set, word))
			return def;
	}
	return first;
}

/* Search every label of the shipped screens: "series NAMES | label / brief | ...". */
static void look_at_labels(struct name_search *s)
{
	for (const struct embedded *file = embedded_charts; file->file; file++) {
		struct span rest = {file->begin, (size_t)(file->end - file->begin)};

		while (rest.n) {
			struct span line = span_until(&rest, '\n'), key = span_word(&line), names, label;
			const struct metric_def *def;

			if (!span_is(key, "series") && !span_is(key, "sub"))
				continue;
			names = span_until(&line, '|');
			label = span_until(&line, '|');
			def = row_metric(s->e, names);
			while (def && label.n)
				look_at(s, def, span_trim(span_until(&label, '/')));
		}
	}
}

/* Compare the name with all shown texts. */
static void look_at_all(struct name_search *s)
{
	for (unsigned i = 0; i < s->e->db->n_metrics; i++) {
		const struct metric_def *def = &s->e->db->metrics[i];

		look_at(s, def, span_of(def->name));
		look_at(s, def, span_of(def->short_title));
		look_at(s, def, span_of(def->title));
	}
	look_at_labels(s);
}

/* ---- what a name means ---- */

bool explanation_named(struct explanation *e, const char *name)
{
	struct name_search s = {.e = e, .name = span_trim(span_of(name))};
	const struct metric_constant *constant = metric_constants;
	const struct metric_def *metric = metric_def_find(e->db, s.name);

	for (unsigned i = 0; i < e->db->n_findings; i++) {
		const struct finding_def *def = &e->db->findings[i];

		if ((def->kind == FINDING_RULE || def->kind == FINDING_VERDICT) &&
		    is_same(span_of(def->name), s.name))
			explanation_finding(e, def);
	}
	if (!metric)
		metric = metric_by_other_name(e, s.name);
	if (!metric && e->n) /* the name of a finding may also be one of a metric on the screens */
		look_at_all(&s);
	metric = metric ? metric : s.found;
	while (constant->name && !is_same(span_of(constant->name), s.name))
		constant++;
	if (metric)
		explanation_metric(e, metric);
	else if (constant->name)
		explain_constant(e, constant);
	return e->n;
}

bool explanation_shown(struct explanation *e, const char *name, struct strbuf *near)
{
	struct name_search s = {.e = e, .name = span_trim(span_of(name)), .near = near};

	for (; s.how < LOOKS && !s.found && !s.n_near; s.how++)
		look_at_all(&s);
	if (s.found)
		explanation_metric(e, s.found);
	return s.found;
}
