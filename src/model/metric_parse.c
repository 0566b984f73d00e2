/* Parsers of the stanzas `metric` and `slots`. */
#include "base/alloc.h"
#include "model/gpudb_parse.h"
#include "model/metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool field_unit(const struct field *f, void *member)
{
	const struct unit *unit = *(const struct unit **)member = unit_find(f->line->value);

	return unit || field_fail(f,
				  "unit '%.*s' is not known: expected one such as cycles, percent, bytes, "
				  "count or ratio",
				  SPAN_ARG(f->line->value));
}

static bool field_prometheus(const struct field *f, void *member)
{
	struct span name = *(struct span *)member = f->line->value;
	bool ok = name.n && name.n < METRIC_PROMETHEUS;

	for (size_t i = 0; ok && i < name.n; i++)
		ok = (name.p[i] >= 'a' && name.p[i] <= 'z') || (name.p[i] >= '0' && name.p[i] <= '9') ||
		     (i && name.p[i] == '_');
	return ok || field_fail(f, "prometheus '%.*s': expected a name of a-z, 0-9 and _, up to %d of them",
				SPAN_ARG(name), METRIC_PROMETHEUS - 1);
}

bool metric_alert_parse(struct span text, const struct unit *unit, enum alert_side *side, double *at)
{
	struct span word = span_word(&text);

	*side = span_is(word, "above") ? ALERT_ABOVE : span_is(word, "below") ? ALERT_BELOW : ALERT_NONE;
	*at = NAN;
	return *side != ALERT_NONE &&
	       (span_is(span_trim(text), "budget") || quantity_parse(span_trim(text), unit, at));
}

static bool field_alert(const struct field *f, void *member)
{
	struct span value = f->line->value, rest = value, word = span_word(&rest);
	enum alert_side side;
	double at;

	if (!field_variant(f, member))
		return false;
	return metric_alert_parse(word.n && word.p[0] == '@' ? span_trim(rest) : value, NULL, &side, &at) ||
	       field_fail(f, "alert '%.*s': expected 'above' or 'below' and a number or 'budget'",
			  SPAN_ARG(value));
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
static bool field_help(const struct field *f, void *member)
{
	struct span *help = member;
	struct stanza_line row;
	int more;

	*help = f->line->value;
	while ((more = stanza_more(f->s, STANZA_ROW, &row, f->err)) > 0)
		help->n = (size_t)(row.text.p + row.text.n - help->p);
	return more == 0;
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

static bool field_estimate(const struct field *f, void *member)
{
	*(bool *)member = true;
	return span_is(f->line->value, "yes") ||
	       field_fail(f, "estimate '%.*s': expected 'yes'", SPAN_ARG(f->line->value));
}

static bool field_better(const struct field *f, void *member)
{
	struct span value = f->line->value;
	int *worse = member;

	*worse = span_is(value, "lower") ? 1 : span_is(value, "higher") ? -1 : 0;
	return *worse || field_fail(f, "better '%.*s': expected 'lower' or 'higher'", SPAN_ARG(value));
}

static const struct gpudb_field metric_fields[] = {
	{"title", field_string, offsetof(struct metric_def, title)},
	{"short", field_string, offsetof(struct metric_def, short_title)},
	{"unit", field_unit, offsetof(struct metric_def, unit)},
	{"group", field_string, offsetof(struct metric_def, group)},
	{"var", field_variant, offsetof(struct metric_def, vars)},
	{"gpus", field_gpus, offsetof(struct metric_def, gpus)},
	{"expr", field_variant, offsetof(struct metric_def, exprs)},
	{"guide", field_variant, offsetof(struct metric_def, guides)},
	{"alert", field_alert, offsetof(struct metric_def, alerts)},
	{"estimate", field_estimate, offsetof(struct metric_def, estimate)},
	{"help", field_help, offsetof(struct metric_def, help)},
	{"better", field_better, offsetof(struct metric_def, worse)},
	{"prometheus", field_prometheus, offsetof(struct metric_def, prometheus)},
	{0},
};

bool metric_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	struct metric_def def = {.name = gpudb_string(db, open->value),
				 .group = db->heading,
				 .by_title = db->by_title,
				 .file = s->file,
				 .shipped = s->shipped};
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

bool heading_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	(void)s, (void)err;
	db->heading = gpudb_string(db, open->value);
	return true;
}

bool prometheus_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	db->by_title = span_is(open->value, "titles");
	return db->by_title ||
	       stanza_fail(s, open->line, err, "prometheus '%.*s': expected 'titles'", SPAN_ARG(open->value));
}

static bool slots_names(const struct field *f, void *member)
{
	struct gpudb *db = f->db;
	struct span text, word;

	(void)member;
	if (!field_text(f, &text))
		return false;
	while ((word = span_word(&text)).n) {
		GROW(db->slot_names, db->n_slot_names, db->cap_slot_names);
		word.p = gpudb_string(db, word);
		db->slot_names[db->n_slot_names++] = word;
	}
	return true;
}

/* NAME words */
static bool slots_title(const struct field *f, void *member)
{
	struct gpudb *db = f->db;
	struct span rest, name;

	(void)member;
	if (!field_text(f, &rest))
		return false;
	name = span_word(&rest);
	rest = span_trim(rest);
	if (!rest.n)
		return field_fail(f, "title: expected a name and words");
	GROW(db->slot_titles, db->n_slot_titles, db->cap_slot_titles);
	db->slot_titles[db->n_slot_titles++] = (struct slot_title){name, rest};
	return true;
}

static const struct gpudb_field slots_fields[] = {{"names", slots_names, 0}, {"title", slots_title, 0}, {0}};

bool slots_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	(void)open;
	return fields_parse(db, db, slots_fields, s, err);
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
