/* Parsers of the stanzas `finding`, `verdict`, `condition` and `note`. */
#include "model/finding.h"

#include "base/alloc.h"
#include "model/gpudb_parse.h"
#include "model/metric_names.h"

#include <math.h>
#include <string.h>

static bool field_severity(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
			   struct err *err)
{
	(void)db;
	for (unsigned i = 0; finding_severity_names[i]; i++)
		if (span_is(line->value, finding_severity_names[i]) ||
		    (i == SEVERITY_NOTE && span_is(line->value, "info"))) { /* as notes were called */
			((struct finding_def *)thing)->severity = i;
			return true;
		}
	return stanza_fail(s, line->line, err, "severity '%.*s': expected note, warning or critical",
			   SPAN_ARG(line->value));
}

static bool field_gpus(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
		       struct err *err)
{
	(void)db;
	return gpu_field_parse(s, line, &((struct finding_def *)thing)->gpus, err);
}

#define TEXT_FIELD(function, member)                                                         \
	static bool function(struct gpudb *db, void *thing, struct stanza *s,                \
			     const struct stanza_line *line, struct err *err)                \
	{                                                                                    \
		return text_parse(db, s, line, &((struct finding_def *)thing)->member, err); \
	}
TEXT_FIELD(field_needs, needs)
TEXT_FIELD(field_evidence, evidence)
TEXT_FIELD(field_guide, guide)
TEXT_FIELD(field_metrics, metrics)
TEXT_FIELD(field_rules, rules)
TEXT_FIELD(field_resource, resource)
TEXT_FIELD(field_explains, explains)
TEXT_FIELD(field_units, units)

#define VARIANT_FIELD(function, member)                                                         \
	static bool function(struct gpudb *db, void *thing, struct stanza *s,                   \
			     const struct stanza_line *line, struct err *err)                   \
	{                                                                                       \
		return variant_parse(db, &((struct finding_def *)thing)->member, s, line, err); \
	}
/* A copy: the screen reads it in every frame, and the files' text is unloaded. */
static bool field_look(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
		       struct err *err)
{
	struct span *look = &((struct finding_def *)thing)->look;

	if (!text_parse(db, s, line, look, err))
		return false;
	look->p = gpudb_string(db, *look);
	return true;
}

VARIANT_FIELD(field_says, says)
VARIANT_FIELD(field_do, advice)
VARIANT_FIELD(field_gain, gain)
VARIANT_FIELD(field_headroom, headroom)
VARIANT_FIELD(field_time, time)
VARIANT_FIELD(field_whole, whole)
VARIANT_FIELD(field_takes, takes)
VARIANT_FIELD(field_may_take, may_take)

#define STRING_FIELD(function, member)                                                 \
	static bool function(struct gpudb *db, void *thing, struct stanza *s,          \
			     const struct stanza_line *line, struct err *err)          \
	{                                                                              \
		(void)s, (void)err;                                                    \
		((struct finding_def *)thing)->member = gpudb_string(db, line->value); \
		return true;                                                           \
	}
STRING_FIELD(field_title, title)
STRING_FIELD(field_id, id)
STRING_FIELD(field_of, of)

static bool field_only(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
		       struct err *err)
{
	(void)db;
	((struct finding_def *)thing)->alone = true;
	return span_is(line->value, "no-gpu") ||
	       stanza_fail(s, line->line, err, "only '%.*s': expected no-gpu", SPAN_ARG(line->value));
}

static bool field_spare(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
			struct err *err)
{
	(void)db;
	((struct finding_def *)thing)->spare = true;
	return span_is(line->value, "yes") ||
	       stanza_fail(s, line->line, err, "spare '%.*s': expected yes", SPAN_ARG(line->value));
}

static bool field_house(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
			struct err *err)
{
	struct span text;

	if (!text_parse(db, s, line, &text, err))
		return false;
	if (!text.n)
		return stanza_fail(s, line->line, err, "'house': expected the reason of the limit");
	((struct finding_def *)thing)->house = gpudb_string(db, text);
	return true;
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

static bool limit_add(struct gpudb *db, struct finding_limit **list, struct stanza *s,
		      const struct stanza_line *line, struct err *err)
{
	struct finding_limit limit = {.line = line->line};
	struct span text;

	if (!text_parse(db, s, line, &text, err) || !gpu_set_parse(s, line->line, &text, &limit.gpus, err))
		return false;
	if (!limit_parse(text, &limit))
		return stanza_fail(
			s, line->line, err,
			"%.*s '%.*s': expected a formula, 'above', 'below' or 'from', a number with or "
			"without a unit, and maybe 'until' and the number at which it ends",
			SPAN_ARG(line->key), SPAN_ARG(text));
	while (*list)
		list = &(*list)->next;
	*list = gpudb_alloc(db, sizeof(limit));
	**list = limit;
	return true;
}

#define LIMIT_FIELD(function, member)                                                       \
	static bool function(struct gpudb *db, void *thing, struct stanza *s,               \
			     const struct stanza_line *line, struct err *err)               \
	{                                                                                   \
		return limit_add(db, &((struct finding_def *)thing)->member, s, line, err); \
	}
LIMIT_FIELD(field_when, whens)
LIMIT_FIELD(field_and, ands)
LIMIT_FIELD(field_unless, unlesses)
LIMIT_FIELD(field_clear, clears)

#define FIELDS_OF_ALL                                 \
	{"gpus", field_gpus}, {"guide", field_guide}, \
	{                                             \
		"rules", field_rules                  \
	}
#define FIELDS_OF_LIMITS                                                                          \
	{"title", field_title}, {"when", field_when}, {"and", field_and}, {"needs", field_needs}, \
		{"unless", field_unless}, {"evidence", field_evidence}, {"says", field_says},     \
		{"do", field_do}, {"look", field_look},                                           \
	{                                                                                         \
		"house", field_house                                                              \
	}

static const struct gpudb_field finding_fields[] = {
	FIELDS_OF_ALL,        FIELDS_OF_LIMITS, {"severity", field_severity}, {"resource", field_resource},
	{"gain", field_gain}, {NULL, NULL}};
static const struct gpudb_field verdict_fields[] = {FIELDS_OF_ALL,
						    FIELDS_OF_LIMITS,
						    {"clear", field_clear},
						    {"id", field_id},
						    {"only", field_only},
						    {"spare", field_spare},
						    {"explains", field_explains},
						    {"units", field_units},
						    {"headroom", field_headroom},
						    {NULL, NULL}};
static const struct gpudb_field condition_fields[] = {{"gpus", field_gpus}, {"and", field_and}, {NULL, NULL}};
static const struct gpudb_field resource_fields[] = {{"title", field_title},
						     {"of", field_of},
						     {"time", field_time},
						     {"whole", field_whole},
						     {"takes", field_takes},
						     {"may-take", field_may_take},
						     {NULL, NULL}};
static const struct gpudb_field note_fields[] = {
	FIELDS_OF_ALL, {"metrics", field_metrics}, {"says", field_says}, {NULL, NULL}};

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

static bool parse_as(struct gpudb *db, struct stanza *s, const struct stanza_line *open,
		     enum finding_kind kind, const struct gpudb_field *fields, struct err *err)
{
	struct finding_def def = {.name = gpudb_string(db, open->value),
				  .kind = kind,
				  .severity = SEVERITY_WARNING,
				  .file = s->file,
				  .shipped = s->shipped,
				  .line = open->line};
	struct span rest = open->value;
	const char *missing;

	def.id = def.name;
	span_word(&rest);
	if (span_trim(rest).n)
		return stanza_fail(s, open->line, err, "%.*s '%.*s': a name has no blanks",
				   SPAN_ARG(open->key), SPAN_ARG(open->value));
	if (!fields_parse(db, &def, fields, s, err))
		return false;
	missing = missing_field(&def);
	if (missing)
		return stanza_fail(s, open->line, err, "%.*s %s: expected a field '%s'", SPAN_ARG(open->key),
				   def.name, missing);
	*slot_of(db, &def) = def;
	return true;
}

bool finding_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	return parse_as(db, s, open, FINDING_RULE, finding_fields, err);
}

bool verdict_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	return parse_as(db, s, open, FINDING_VERDICT, verdict_fields, err);
}

bool condition_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	return parse_as(db, s, open, FINDING_CONDITION, condition_fields, err);
}

bool resource_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	return parse_as(db, s, open, FINDING_RESOURCE, resource_fields, err);
}

bool note_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	return parse_as(db, s, open, FINDING_NOTE, note_fields, err);
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
		if (span_is(name, finding_fact_names[i]))
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
		    !variants_check(db, def, def->gain, err) ||
		    !variants_check(db, def, def->headroom, err) ||
		    !variants_check(db, def, def->time, err) || !variants_check(db, def, def->whole, err) ||
		    !variants_check(db, def, def->takes, err) || !variants_check(db, def, def->may_take, err))
			return false;
	}
	return true;
}
