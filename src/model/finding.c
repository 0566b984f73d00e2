#include "model/finding.h"

#include "base/alloc.h"
#include "model/gpudb_parse.h"
#include "model/template.h"

#include <math.h>
#include <string.h>

const char *const finding_severity_names[] = {"note", "warning", "critical", NULL};
const struct finding_fact_text finding_facts[FACT_COUNT] = {
	{"$BusiestThread", "Busiest thread", "percent"},
	{"$FrameRate", "Frame rate", "frames/second"},
	{"$BusiestThreadWaits", "Busiest thread waits for a CPU", "percent"},
};

/* ---- stanzas ---- */

static bool field_severity(const struct field *f, void *member)
{
	struct span value = f->line->value;

	for (unsigned i = 0; finding_severity_names[i]; i++)
		if (span_is(value, finding_severity_names[i]) ||
		    (i == SEVERITY_NOTE && span_is(value, "info"))) { /* as notes were called */
			*(enum finding_severity *)member = i;
			return true;
		}
	return field_fail(f, "severity '%.*s': expected note, warning or critical", SPAN_ARG(value));
}

/* A copy: the screen reads it in every frame, and the files' text is unloaded. */
static bool field_look(const struct field *f, void *member)
{
	struct span *look = member;

	if (!field_text(f, look))
		return false;
	look->p = gpudb_string(f->db, *look);
	return true;
}

static bool field_house(const struct field *f, void *member)
{
	const char **house = member;

	if (!field_text_string(f, house))
		return false;
	return (*house)[0] || field_fail(f, "'house': expected the reason of the limit");
}

/* Take the last word off *text. */
static struct span last_word(struct span *text)
{
	size_t at = text->n;
	struct span word;

	while (at && text->p[at - 1] != ' ')
		at--;
	word = (struct span){text->p + at, text->n - at};
	*text = span_trim((struct span){text->p, at});
	return word;
}

/* Take a number off *text, with its unit: "2", "50MB", "70 %". */
static struct span last_quantity(struct span *text)
{
	struct span word = last_word(text), number;

	if (!word.n || strchr("0123456789.-+", word.p[0]))
		return word;
	number = last_word(text);
	return (struct span){number.p, (size_t)(word.p + word.n - number.p)};
}

/* Parse "A | B above 2", "A | B above 2 until 1.5" or "A from 3". */
static bool limit_parse(struct span text, struct finding_limit *limit)
{
	struct span number = last_quantity(&text), before = last_word(&text);

	if (span_is(before, "until")) {
		limit->off_text = number;
		if (!quantity_parse(number, NULL, &limit->off))
			return false;
		number = last_quantity(&text);
		before = last_word(&text);
	} else {
		limit->off = NAN;
	}
	limit->reached = span_is(before, "from");
	limit->side = limit->reached             ? ALERT_ABOVE
		      : span_is(before, "above") ? ALERT_ABOVE
		      : span_is(before, "below") ? ALERT_BELOW
						 : ALERT_NONE;
	limit->on_text = number;
	if (limit->side == ALERT_NONE || !text.n || !quantity_parse(number, NULL, &limit->on))
		return false;
	if (isnan(limit->off))
		limit->off = limit->on;
	limit->formulas = text;
	return limit->side == ALERT_ABOVE ? limit->off <= limit->on : limit->off >= limit->on;
}

static bool field_limit(const struct field *f, void *member)
{
	struct finding_limit limit = {.line = f->line->line}, **list = member;
	struct span text;

	if (!field_text(f, &text) || !gpu_set_parse(f, &text, &limit.gpus))
		return false;
	if (!limit_parse(text, &limit))
		return field_fail(
			f,
			"%.*s '%.*s': expected a formula, 'above', 'below' or 'from', a number with or "
			"without a unit, and maybe 'until' and the number at which it ends",
			SPAN_ARG(f->line->key), SPAN_ARG(text));
	while (*list)
		list = &(*list)->next;
	*list = gpudb_alloc(f->db, sizeof(limit));
	**list = limit;
	return true;
}

/* The keywords of enum finding_kind. */
static const char *const kind_words[] = {"finding", "verdict", "condition", "note", "resource"};

enum {
	OF_RULE = 1 << FINDING_RULE,
	OF_VERDICT = 1 << FINDING_VERDICT,
	OF_BOTH = OF_RULE | OF_VERDICT,
	OF_CONDITION = 1 << FINDING_CONDITION,
	OF_NOTE = 1 << FINDING_NOTE,
	OF_RESOURCE = 1 << FINDING_RESOURCE,
};

static const struct {
	struct gpudb_field field;
	unsigned kinds; /* that have it */
} all_fields[] = {
	{{"gpus", field_gpus, offsetof(struct finding_def, gpus)}, OF_BOTH | OF_CONDITION | OF_NOTE},
	{{"guide", field_text, offsetof(struct finding_def, guide)}, OF_BOTH | OF_NOTE},
	{{"rules", field_text, offsetof(struct finding_def, rules)}, OF_BOTH | OF_NOTE},
	{{"title", field_string, offsetof(struct finding_def, title)}, OF_BOTH | OF_RESOURCE},
	{{"when", field_limit, offsetof(struct finding_def, whens)}, OF_BOTH},
	{{"and", field_limit, offsetof(struct finding_def, ands)}, OF_BOTH | OF_CONDITION},
	{{"needs", field_text, offsetof(struct finding_def, needs)}, OF_BOTH},
	{{"unless", field_limit, offsetof(struct finding_def, unlesses)}, OF_BOTH},
	{{"evidence", field_text, offsetof(struct finding_def, evidence)}, OF_BOTH},
	{{"metrics", field_text, offsetof(struct finding_def, metrics)}, OF_NOTE},
	{{"says", field_variant, offsetof(struct finding_def, says)}, OF_BOTH | OF_NOTE},
	{{"do", field_variant, offsetof(struct finding_def, advice)}, OF_BOTH},
	{{"look", field_look, offsetof(struct finding_def, look)}, OF_BOTH},
	{{"house", field_house, offsetof(struct finding_def, house)}, OF_BOTH},
	{{"severity", field_severity, offsetof(struct finding_def, severity)}, OF_RULE},
	{{"resource", field_text, offsetof(struct finding_def, resource)}, OF_RULE},
	{{"gain", field_variant, offsetof(struct finding_def, gain)}, OF_RULE},
	{{"clear", field_limit, offsetof(struct finding_def, clears)}, OF_VERDICT},
	{{"id", field_string, offsetof(struct finding_def, id)}, OF_VERDICT},
	{{"only", field_choice, offsetof(struct finding_def, alone)}, OF_VERDICT},
	{{"spare", field_choice, offsetof(struct finding_def, spare)}, OF_VERDICT},
	{{"explains", field_text, offsetof(struct finding_def, explains)}, OF_VERDICT},
	{{"units", field_text, offsetof(struct finding_def, units)}, OF_VERDICT},
	{{"headroom", field_variant, offsetof(struct finding_def, headroom)}, OF_VERDICT},
	{{"of", field_string, offsetof(struct finding_def, of)}, OF_RESOURCE},
	{{"time", field_variant, offsetof(struct finding_def, figures[RESOURCE_TIME])}, OF_RESOURCE},
	{{"whole", field_variant, offsetof(struct finding_def, figures[RESOURCE_WHOLE])}, OF_RESOURCE},
	{{"takes", field_variant, offsetof(struct finding_def, figures[RESOURCE_TAKES])}, OF_RESOURCE},
	{{"may-take", field_variant, offsetof(struct finding_def, figures[RESOURCE_MAY_TAKE])}, OF_RESOURCE},
};
/* A user's stanza of the same kind and name replaces ours in its place. */
static struct finding_def *slot_of(struct gpudb *db, const struct finding_def *def)
{
	for (unsigned i = 0; i < db->n_findings; i++)
		if (db->findings[i].kind == def->kind && strcmp(db->findings[i].name, def->name) == 0)
			return &db->findings[i];
	GROW(db->findings, db->n_findings, db->cap_findings);
	return &db->findings[db->n_findings++];
}

static const char *missing_field(const struct finding_def *def)
{
	if (def->kind == FINDING_NOTE)
		return !def->metrics.n ? "metrics" : !def->says ? "says" : NULL;
	if (def->kind == FINDING_CONDITION)
		return !def->ands ? "and" : NULL;
	if (def->kind == FINDING_RESOURCE)
		return !def->title ? "title" : NULL;
	return !def->title                                ? "title"
	       : !def->whens && !def->ands                ? "when"
	       : !def->says                               ? "says"
	       : def->kind == FINDING_RULE && !def->whens ? "when"
							  : NULL;
}

bool judgement_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	struct gpudb_field fields[ARRAY_LEN(all_fields) + 1] = {{0}}, *end = fields;
	struct finding_def def = {.name = gpudb_string(db, open->value),
				  .severity = SEVERITY_WARNING,
				  .file = s->file,
				  .shipped = s->shipped,
				  .line = open->line};
	struct span rest = open->value;
	const char *missing;

	while (!span_is(open->key, kind_words[def.kind]))
		def.kind++;
	def.id = def.name;
	span_word(&rest);
	if (span_trim(rest).n)
		return stanza_fail(s, open->line, err, "%.*s '%.*s': a name has no blanks",
				   SPAN_ARG(open->key), SPAN_ARG(open->value));
	for (size_t i = 0; i < ARRAY_LEN(all_fields); i++)
		if (all_fields[i].kinds >> def.kind & 1)
			*end++ = all_fields[i].field;
	if (!fields_parse(db, &def, fields, s, err))
		return false;
	missing = missing_field(&def);
	if (missing)
		return stanza_fail(s, open->line, err, "%.*s %s: expected a field '%s'", SPAN_ARG(open->key),
				   def.name, missing);
	*slot_of(db, &def) = def;
	return true;
}

unsigned finding_drop_rules(struct gpudb *db)
{
	unsigned n = 0;

	for (unsigned i = 0; i < db->n_findings; i++)
		if (db->findings[i].kind != FINDING_RULE)
			db->findings[n++] = db->findings[i];
	return db->n_findings = n;
}

/* ---- after the last file ---- */

/* Accept every name that some machine has. */
static bool name_exists(void *ctx, struct span name, struct expr *out, struct err *err)
{
	for (unsigned i = 0; i < FACT_COUNT; i++)
		if (span_is(name, finding_facts[i].name))
			return expr_load(out, 0, 1);
	return metric_name_known(ctx, name)
		       ? expr_load(out, 0, 1)
		       : err_set(err, 0, "unknown name '%.*s': expected a counter, a metric or a constant",
				 SPAN_ARG(name));
}

static bool formulas_check(struct gpudb *db, const struct finding_def *def, unsigned line, struct span rest,
			   struct err *err)
{
	while (!def->shipped && rest.n) {
		struct span one = span_trim(span_until(&rest, '|'));
		struct expr expr;
		struct err why;

		if (!expr_compile(&expr, one, name_exists, db, &why))
			return err_set(err, 0, "%s:%u: %s: %s", def->file, line, def->name, why.text);
		expr_fini(&expr);
	}
	return true;
}

/* The unit of a limit: that of its metric. A formula has none. */
static const struct unit *limit_unit(const struct gpudb *db, const struct finding_limit *limit)
{
	struct span rest = limit->formulas;
	const struct metric_def *def = metric_def_find(db, span_trim(span_until(&rest, '|')));

	return def ? def->unit : unit_find(SPAN_LIT("ratio"));
}

static bool limit_check(const struct gpudb *db, const struct finding_def *def, struct finding_limit *limit,
			struct err *err)
{
	const struct unit *unit = limit_unit(db, limit);

	if (quantity_parse(limit->on_text, unit, &limit->on) &&
	    quantity_parse(limit->off_text.n ? limit->off_text : limit->on_text, unit, &limit->off))
		return true;
	return err_set(err, 0, "%s:%u: %s: limit '%.*s': the unit of '%.*s' is %s", def->file, limit->line,
		       def->name, SPAN_ARG(limit->on_text), SPAN_ARG(limit->formulas), unit->name);
}

static bool limits_check(struct gpudb *db, const struct finding_def *def, struct finding_limit *limit,
			 struct err *err)
{
	for (; limit; limit = limit->next)
		if (!formulas_check(db, def, limit->line, limit->formulas, err) ||
		    !limit_check(db, def, limit, err))
			return false;
	return true;
}

static bool names_check(const struct gpudb *db, const struct finding_def *def, enum finding_kind kind,
			struct span names, struct err *err)
{
	struct span word;

	while (!def->shipped && (word = span_word(&names)).n)
		if (!finding_find(db, kind, word))
			return err_set(err, 0, "%s:%u: %s: there is no %s '%.*s'", def->file, def->line,
				       def->name, kind == FINDING_CONDITION ? "condition" : "resource",
				       SPAN_ARG(word));
	return true;
}

static bool variants_check(struct gpudb *db, const struct finding_def *def, const struct metric_variant *v,
			   struct err *err)
{
	for (; v; v = v->next)
		if (!formulas_check(db, def, def->line, v->text, err))
			return false;
	return true;
}

bool findings_link(struct gpudb *db, struct err *err)
{
	for (unsigned i = 0; i < db->n_findings; i++) {
		const struct finding_def *def = &db->findings[i];
		struct span rest = def->evidence, words = def->metrics, word;

		while (rest.n)
			if (!formulas_check(db, def, def->line, span_until(&rest, ','), err))
				return false;
		while ((word = span_word(&words)).n)
			if (!formulas_check(db, def, def->line, word, err))
				return false;
		if (!limits_check(db, def, def->whens, err) || !limits_check(db, def, def->ands, err) ||
		    !limits_check(db, def, def->clears, err) || !limits_check(db, def, def->unlesses, err) ||
		    !names_check(db, def, FINDING_CONDITION, def->needs, err) ||
		    !names_check(db, def, FINDING_RESOURCE, def->resource, err) ||
		    !names_check(db, def, FINDING_RESOURCE, def->explains, err) ||
		    !names_check(db, def, FINDING_RESOURCE, def->units, err) ||
		    !variants_check(db, def, def->gain, err) || !variants_check(db, def, def->headroom, err))
			return false;
		for (unsigned k = 0; k < RESOURCE_FIGURES; k++)
			if (!variants_check(db, def, def->figures[k], err))
				return false;
	}
	return true;
}

/* ---- what they say ---- */

const struct finding_def *finding_find(const struct gpudb *db, enum finding_kind kind, struct span name)
{
	for (unsigned i = 0; i < db->n_findings; i++)
		if (db->findings[i].kind == kind && span_is(name, db->findings[i].name))
			return &db->findings[i];
	return NULL;
}

struct span finding_text(const struct metric_variant *variants, const struct gpu_product *product)
{
	for (; variants; variants = variants->next)
		if (gpu_set_has(variants->gpus, product))
			return variants->text;
	return (struct span){"", 0};
}

const char *finding_origin(const struct finding_def *def)
{
	return def->house ? "house" : def->guide.n ? "guide" : "own";
}

struct span finding_guide(const struct gpudb *db, const struct finding_def *def,
			  const struct gpu_product *product)
{
	const struct metric_template *guide = product ? template_for(db, product) : NULL;
	struct span rest = def->guide;

	while (rest.n) {
		struct span one = span_trim(span_until(&rest, ',')), words = one;

		if (guide && span_is(span_word(&words), guide->name))
			return one;
	}
	return (struct span){"", 0};
}
