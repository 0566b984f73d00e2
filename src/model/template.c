#include "model/template.h"

#include "base/alloc.h"
#include "base/units.h"
#include "model/gpudb_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parsing ---- */

static bool template_for_field(const struct field *f, void *member)
{
	*(struct span *)member = f->line->value;
	return true;
}

static bool template_adds(const struct field *f, void *thing)
{
	struct metric_template *t = thing;
	struct span rest = f->line->value;

	t->adds_family = span_word(&rest);
	rest = span_trim(rest);
	if (!rest.n)
		return field_fail(f, "adds '%.*s': expected a family and the name of a template",
				  SPAN_ARG(f->line->value));
	t->adds_template = gpudb_string(f->db, rest);
	return true;
}

static bool parse_choice(const struct field *f, const char *yes, const char *no, bool *value)
{
	*value = span_is(f->line->value, yes);
	return *value || span_is(f->line->value, no) ||
	       field_fail(f, "%.*s '%.*s': expected %s or %s", SPAN_ARG(f->line->key),
			  SPAN_ARG(f->line->value), yes, no);
}

static bool template_cores(const struct field *f, void *member)
{
	return parse_choice(f, "mean", "sum", member);
}

static bool template_bounds(const struct field *f, void *member)
{
	return parse_choice(f, "upper", "both", member);
}

static const struct gpudb_field template_fields[] = {
	{"for", template_for_field, offsetof(struct metric_template, families)},
	{"adds", template_adds, 0},
	{"cores", template_cores, offsetof(struct metric_template, cores_mean)},
	{"bounds", template_bounds, offsetof(struct metric_template, upper_bound_only)},
	{0},
};

bool template_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	struct metric_template *t = NULL;

	for (unsigned i = 0; i < db->n_templates; i++)
		if (span_is(open->value, db->templates[i].name))
			t = &db->templates[i];
	if (t) {
		free(t->rows);
	} else {
		GROW(db->templates, db->n_templates, db->cap_templates);
		t = &db->templates[db->n_templates++];
	}
	*t = (struct metric_template){.name = gpudb_string(db, open->value), .file = s->file};
	db->open_template = t;
	return fields_parse(db, t, template_fields, s, err);
}

/* "2.2 GPU utilization" */
static bool number_and_title(struct gpudb *db, struct stanza *s, const struct stanza_line *open,
			     const char **number, const char **title, struct err *err)
{
	struct span rest = open->value, no = span_word(&rest);

	rest = span_trim(rest);
	if (!db->open_template)
		return stanza_fail(s, open->line, err, "%.*s without a template above it",
				   SPAN_ARG(open->key));
	if (!rest.n || no.p[0] < '0' || no.p[0] > '9')
		return stanza_fail(s, open->line, err, "%.*s '%.*s': expected a number and a title",
				   SPAN_ARG(open->key), SPAN_ARG(open->value));
	*number = gpudb_string(db, no);
	*title = gpudb_string(db, rest);
	return true;
}

bool section_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	const char *number, *title;

	if (!number_and_title(db, s, open, &number, &title, err))
		return false;
	db->open_template->open.section_no = number;
	db->open_template->open.section = title;
	return true;
}

/* "2.2.1  NAME [/ NAME] [| title [| unit]]" */
static bool row_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *line, struct err *err)
{
	struct metric_template *t = db->open_template;
	struct template_row_def row = t->open;
	struct span rest = line->value, title, unit;

	row.names = span_trim(span_until(&rest, '|'));
	title = span_trim(span_until(&rest, '|'));
	unit = span_trim(rest);
	if (line->key.n >= TEMPLATE_NUMBER || line->key.p[0] < '0' || line->key.p[0] > '9')
		return stanza_fail(s, line->line, err, "'%.*s': expected a number such as 2.2.1 and a metric",
				   SPAN_ARG(line->key));
	if (!row.names.n)
		return stanza_fail(s, line->line, err, "%.*s: expected a metric", SPAN_ARG(line->key));
	if (unit.n && !unit_find(unit))
		return stanza_fail(s, line->line, err, "unit '%.*s' is not known", SPAN_ARG(unit));
	row.number = gpudb_string(db, line->key);
	row.title = title.n ? gpudb_string(db, title) : NULL;
	row.unit_name = unit.n ? gpudb_string(db, unit) : NULL;
	GROW(t->rows, t->n_rows, t->cap_rows);
	t->rows[t->n_rows++] = row;
	return true;
}

bool chart_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	const char *number, *title;
	struct stanza_line line;

	if (!number_and_title(db, s, open, &number, &title, err))
		return false;
	if (!db->open_template->open.section)
		return stanza_fail(s, open->line, err, "chart without a section above it");
	db->open_template->open.chart_no = number;
	db->open_template->open.chart = title;
	for (;;) {
		if (!stanza_next(s, &line, err))
			return false;
		if (line.kind != STANZA_FIELD)
			break;
		if (!row_parse(db, s, &line, err))
			return false;
	}
	if (line.kind == STANZA_ROW)
		return stanza_fail(s, line.line, err, "'%.*s': a row of a chart is indented by 2",
				   SPAN_ARG(line.text));
	stanza_back(s, &line);
	return true;
}

/* ---- the template of one GPU ---- */

static bool has_family(struct span families, enum gpu_family family)
{
	while (families.n)
		if (span_is(span_until(&families, ','), gpu_family_names[family]))
			return true;
	return false;
}

const struct metric_template *template_named(const struct gpudb *db, const char *name)
{
	for (unsigned i = 0; name && i < db->n_templates; i++)
		if (strcmp(db->templates[i].name, name) == 0)
			return &db->templates[i];
	return NULL;
}

const struct metric_template *template_guide_of(const struct gpudb *db, const struct gpu_product *product)
{
	return template_named(db, product->name);
}

const struct metric_template *template_for(const struct gpudb *db, const struct gpu_product *product)
{
	const struct metric_template *own = template_guide_of(db, product);

	for (unsigned i = 0; !own && i < db->n_templates; i++)
		if (has_family(db->templates[i].families, product->family))
			return &db->templates[i];
	return own;
}
