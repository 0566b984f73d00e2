/* Parsers of the stanzas `metric` and `slots`. */
#include "base/alloc.h"
#include "model/gpudb_parse.h"
#include "model/metric.h"
#include "model/metric_names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool set_string(struct gpudb *db, const char **to, const struct stanza_line *line)
{
	*to = gpudb_string(db, line->value);
	return true;
}

static bool field_title(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
			struct err *err)
{
	(void)s, (void)err;
	return set_string(db, &((struct metric_def *)thing)->title, line);
}

static bool field_short(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
			struct err *err)
{
	(void)s, (void)err;
	return set_string(db, &((struct metric_def *)thing)->short_title, line);
}

static bool field_group(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
			struct err *err)
{
	(void)s, (void)err;
	return set_string(db, &((struct metric_def *)thing)->group, line);
}

static bool field_unit(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
		       struct err *err)
{
	struct metric_def *def = thing;

	(void)db;
	def->unit = unit_find(line->value);
	return def->unit ||
	       stanza_fail(s, line->line, err,
			   "unit '%.*s' is not known: expected one such as cycles, percent, bytes, "
			   "count or ratio",
			   SPAN_ARG(line->value));
}

static bool field_prometheus(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
			     struct err *err)
{
	struct span name = line->value;
	bool ok = name.n && name.n < METRIC_PROMETHEUS;

	(void)db;
	for (size_t i = 0; ok && i < name.n; i++)
		ok = (name.p[i] >= 'a' && name.p[i] <= 'z') || (name.p[i] >= '0' && name.p[i] <= '9') ||
		     (i && name.p[i] == '_');
	((struct metric_def *)thing)->prometheus = name;
	return ok || stanza_fail(s, line->line, err,
				 "prometheus '%.*s': expected a name of a-z, 0-9 and _, up to %d of them",
				 SPAN_ARG(name), METRIC_PROMETHEUS - 1);
}

static bool field_gpus(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
		       struct err *err)
{
	(void)db;
	return gpu_field_parse(s, line, &((struct metric_def *)thing)->gpus, err);
}

bool variant_parse(struct gpudb *db, struct metric_variant **list, struct stanza *s,
		   const struct stanza_line *line, struct err *err)
{
	struct metric_variant v = {.line = line->line};

	if (!text_parse(db, s, line, &v.text, err) || !gpu_set_parse(s, v.line, &v.text, &v.gpus, err))
		return false;
	if (!v.text.n)
		return stanza_fail(s, v.line, err, "'%.*s' is empty", SPAN_ARG(line->key));
	while (*list)
		list = &(*list)->next;
	*list = gpudb_alloc(db, sizeof(v));
	**list = v;
	return true;
}

#define VARIANT_FIELD(function, member)                                                        \
	static bool function(struct gpudb *db, void *thing, struct stanza *s,                  \
			     const struct stanza_line *line, struct err *err)                  \
	{                                                                                      \
		return variant_parse(db, &((struct metric_def *)thing)->member, s, line, err); \
	}
VARIANT_FIELD(field_expr, exprs)
VARIANT_FIELD(field_guide, guides)
VARIANT_FIELD(field_var, vars)
VARIANT_FIELD(add_alert, alerts)

bool metric_alert_parse(struct span text, const struct unit *unit, enum alert_side *side, double *at)
{
	struct span word = span_word(&text);

	*side = span_is(word, "above") ? ALERT_ABOVE : span_is(word, "below") ? ALERT_BELOW : ALERT_NONE;
	*at = NAN;
	return *side != ALERT_NONE &&
	       (span_is(span_trim(text), "budget") || quantity_parse(span_trim(text), unit, at));
}

static bool field_alert(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
			struct err *err)
{
	struct span rest = line->value, word = span_word(&rest);
	enum alert_side side;
	double at;

	if (!add_alert(db, thing, s, line, err))
		return false;
	if (metric_alert_parse(word.n && word.p[0] == '@' ? span_trim(rest) : line->value, NULL, &side, &at))
		return true;
	return stanza_fail(s, line->line, err,
			   "alert '%.*s': expected 'above' or 'below' and a number or 'budget'",
			   SPAN_ARG(line->value));
}

/* The unit may follow the alerts. */
static bool alerts_check(const struct metric_def *def, struct stanza *s, struct err *err)
{
	enum alert_side side;
	double at;

	for (const struct metric_variant *v = def->alerts; v; v = v->next)
		if (!metric_alert_parse(v->text, def->unit, &side, &at))
			return stanza_fail(s, v->line, err, "alert '%.*s': the unit of %s is %s",
					   SPAN_ARG(v->text), def->name, def->unit->name);
	return true;
}

/* Help is the most of all text and rarely read: it stays where it is, with its line breaks. */
static bool field_help(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
		       struct err *err)
{
	struct span *help = &((struct metric_def *)thing)->help;
	struct stanza_line row;

	(void)db;
	*help = line->value;
	for (;;) {
		if (!stanza_next(s, &row, err))
			return false;
		if (row.kind != STANZA_ROW)
			break;
		help->n = (size_t)(row.text.p + row.text.n - help->p);
	}
	stanza_back(s, &row);
	return true;
}

void metric_help(const struct metric_def *def, struct strbuf *out)
{
	struct span rest = def->help;
	size_t begin = out->n;

	while (rest.n) {
		struct span line = span_trim(span_until(&rest, '\n'));

		if (line.n && line.p[0] != '#')
			strbuf_printf(out, "%s%.*s", out->n > begin ? " " : "", SPAN_ARG(line));
	}
}

static bool field_estimate(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
			   struct err *err)
{
	(void)db;
	((struct metric_def *)thing)->estimate = true;
	return span_is(line->value, "yes") ||
	       stanza_fail(s, line->line, err, "estimate '%.*s': expected 'yes'", SPAN_ARG(line->value));
}

static bool field_better(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
			 struct err *err)
{
	int *worse = &((struct metric_def *)thing)->worse;

	(void)db;
	*worse = span_is(line->value, "lower") ? 1 : span_is(line->value, "higher") ? -1 : 0;
	return *worse || stanza_fail(s, line->line, err, "better '%.*s': expected 'lower' or 'higher'",
				     SPAN_ARG(line->value));
}

static const struct gpudb_field metric_fields[] = {
	{"title", field_title},
	{"short", field_short},
	{"unit", field_unit},
	{"group", field_group},
	{"var", field_var},
	{"gpus", field_gpus},
	{"expr", field_expr},
	{"guide", field_guide},
	{"alert", field_alert},
	{"estimate", field_estimate},
	{"help", field_help},
	{"better", field_better},
	{"prometheus", field_prometheus},
	{NULL, NULL},
};

bool metric_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	struct metric_def def = {
		.name = gpudb_string(db, open->value), .group = "", .file = s->file, .shipped = s->shipped};
	struct span rest = open->value;

	span_word(&rest);
	if (span_trim(rest).n)
		return stanza_fail(s, open->line, err, "metric '%.*s': a name has no blanks",
				   SPAN_ARG(open->value));
	if (!fields_parse(db, &def, metric_fields, s, err))
		return false;
	if (!def.title)
		return stanza_fail(s, open->line, err, "metric %s: expected a field 'title'", def.name);
	if (!def.unit)
		return stanza_fail(s, open->line, err, "metric %s: expected a field 'unit'", def.name);
	if (!alerts_check(&def, s, err))
		return false;
	if (!def.short_title)
		def.short_title = def.title;
	*gpudb_metric_slot(db, def.name) = def;
	return true;
}

static bool slots_names(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
			struct err *err)
{
	struct span text, word;

	(void)thing;
	if (!text_parse(db, s, line, &text, err))
		return false;
	while ((word = span_word(&text)).n) {
		GROW(db->slot_names, db->n_slot_names, db->cap_slot_names);
		db->slot_names[db->n_slot_names++] = word;
	}
	return true;
}

/* NAME words */
static bool slots_title(struct gpudb *db, void *thing, struct stanza *s, const struct stanza_line *line,
			struct err *err)
{
	struct span rest, name;

	(void)thing;
	if (!text_parse(db, s, line, &rest, err))
		return false;
	name = span_word(&rest);
	rest = span_trim(rest);
	if (!rest.n)
		return stanza_fail(s, line->line, err, "title: expected a name and words");
	GROW(db->slot_titles, db->n_slot_titles, db->cap_slot_titles);
	db->slot_titles[db->n_slot_titles++] = (struct slot_title){name, rest};
	return true;
}

static const struct gpudb_field slots_fields[] = {
	{"names", slots_names}, {"title", slots_title}, {NULL, NULL}};

bool slots_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	(void)open;
	return fields_parse(db, NULL, slots_fields, s, err);
}

/* ---- the definitions by name ---- */

int gpudb_metric_index(const struct gpudb *db, struct span name)
{
	uint64_t mask = db->metric_index_size - 1u;

	for (uint64_t at = span_hash(name) & mask; db->metric_index_size && db->metric_index[at];
	     at = (at + 1) & mask)
		if (span_is(name, db->metrics[db->metric_index[at] - 1].name))
			return (int)db->metric_index[at] - 1;
	return -1;
}

static void index_insert(struct gpudb *db, unsigned metric)
{
	uint64_t mask = db->metric_index_size - 1u, at = span_hash(span_of(db->metrics[metric].name)) & mask;

	while (db->metric_index[at])
		at = (at + 1) & mask;
	db->metric_index[at] = metric + 1;
}

struct metric_def *gpudb_metric_slot(struct gpudb *db, const char *name)
{
	int at = gpudb_metric_index(db, span_of(name));

	if (at >= 0)
		return &db->metrics[at];
	GROW(db->metrics, db->n_metrics, db->cap_metrics);
	db->metrics[db->n_metrics++] = (struct metric_def){.name = name};
	if (2 * db->n_metrics > db->metric_index_size) {
		free(db->metric_index);
		db->metric_index_size = db->metric_index_size ? 2 * db->metric_index_size : 1024;
		db->metric_index = xcalloc(db->metric_index_size, sizeof(*db->metric_index));
		for (unsigned i = 0; i < db->n_metrics; i++)
			index_insert(db, i);
	} else {
		index_insert(db, db->n_metrics - 1);
	}
	return &db->metrics[db->n_metrics - 1];
}

const struct metric_def *metric_def_find(const struct gpudb *db, struct span name)
{
	int i = gpudb_metric_index(db, name);

	return i < 0 ? NULL : &db->metrics[i];
}
