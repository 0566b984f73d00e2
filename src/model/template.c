#include "model/template.h"

#include "base/alloc.h"
#include "base/units.h"
#include "model/gpudb_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parsing ---- */

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

static const struct gpudb_field template_fields[] = {
	{"for", field_text, offsetof(struct metric_template, families)},
	{"adds", template_adds, 0},
	{"cores", field_choice, offsetof(struct metric_template, cores_mean)},
	{"bounds", field_choice, offsetof(struct metric_template, upper_bound_only)},
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

/* "2.2 GPU utilization". NULL: it is malformed. The rows have the numbers once more. */
static const char *title_after_number(struct gpudb *db, struct stanza *s, const struct stanza_line *open,
				      struct err *err)
{
	struct span rest = open->value, no = span_word(&rest);

	rest = span_trim(rest);
	if (!db->open_template)
		stanza_fail(s, open->line, err, "%.*s without a template above it", SPAN_ARG(open->key));
	else if (!rest.n || no.p[0] < '0' || no.p[0] > '9')
		stanza_fail(s, open->line, err, "%.*s '%.*s': expected a number and a title",
			    SPAN_ARG(open->key), SPAN_ARG(open->value));
	else
		return gpudb_string(db, rest);
	return NULL;
}

bool section_parse(struct gpudb *db, struct stanza *s, const struct stanza_line *open, struct err *err)
{
	const char *title = title_after_number(db, s, open, err);

	if (title)
		db->open_template->open.section = title;
	return title;
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
	const char *title = title_after_number(db, s, open, err);
	struct stanza_line line;
	int more;

	if (!title)
		return false;
	if (!db->open_template->open.section)
		return stanza_fail(s, open->line, err, "chart without a section above it");
	db->open_template->open.chart = title;
	while ((more = stanza_more(s, STANZA_FIELD, &line, err)) > 0) {
		if (line.kind == STANZA_ROW)
			return stanza_fail(s, line.line, err, "'%.*s': a row of a chart is indented by 2",
					   SPAN_ARG(line.text));
		if (!row_parse(db, s, &line, err))
			return false;
	}
	return more == 0;
}

/* ---- the template of one GPU ---- */

static bool has_family(struct span families, enum gpu_family family)
{
	while (families.n)
		if (span_is(span_until(&families, ','), gpu_family_names[family]))
			return true;
	return false;
}

static const struct metric_template *template_named(const struct gpudb *db, const char *name)
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

/* ---- the rows that a GPU has ---- */

/* Return the first of "A / B" that the GPU has. */
static const struct metric *first_of(const struct metric_set *set, struct span names)
{
	const struct metric *m = NULL;

	while (names.n && !m)
		m = metric_find(set, span_trim(span_until(&names, '/')));
	return m;
}

/* The guide's title is of the first alternative. Another one is another quantity. */
static struct template_row row_of(const struct template_row_def *def, const struct metric *m)
{
	struct span rest = def->names;
	bool guided = def->title && span_is(span_trim(span_until(&rest, '/')), m->def->name);
	struct template_row row = {
		.def = def,
		.section = def->section,
		.chart = def->chart,
		.title = guided ? def->title : m->def->title,
		.unit_name = def->unit_name && m->unit->kind != UNIT_PERCENT ? def->unit_name : m->unit->name,
		.metric = m};

	snprintf(row.number, sizeof(row.number), "%s", def->number);
	return row;
}

struct row_number {
	unsigned section, chart, row;
};

/* Number an added row: it follows the last row of its chart, else it opens a chart after the last
 * one of its section, else a section. Rows of the parent that this GPU does not have count as well,
 * so that no number is used twice. */
static void number_addition(const struct template_view *view, struct template_row *row)
{
	struct row_number in_chart = {0}, in_section = {0}, at_all = {0};
	unsigned n_all = view->parent->n_rows + view->n_rows;

	for (unsigned i = 0; i < n_all; i++) {
		const struct template_row *have = i < view->n_rows ? &view->rows[i] : NULL;
		const struct template_row_def *def = have ? have->def : &view->parent->rows[i - view->n_rows];
		struct row_number p = {0};
		bool section = strcmp(def->section, row->section) == 0;
		bool chart = section && strcmp(def->chart, row->chart) == 0;

		sscanf(have ? have->number : def->number, "%u.%u.%u", &p.section, &p.chart, &p.row);
		if (chart && p.row >= in_chart.row)
			in_chart = p;
		if (section && p.chart >= in_section.chart)
			in_section = p;
		if (p.section >= at_all.section)
			at_all = p;
	}
	if (in_chart.row)
		in_chart.row++;
	else if (in_section.chart)
		in_chart = (struct row_number){in_section.section, in_section.chart + 1, 1};
	else
		in_chart = (struct row_number){at_all.section + 1, 1, 1};
	snprintf(row->number, sizeof(row->number), "%u.%u.%u", in_chart.section % 1000, in_chart.chart % 1000,
		 in_chart.row % 1000);
}

/* Return the position of an added row: after its chart, else after its section, else at the end. */
static unsigned position_of(const struct template_view *view, const struct template_row *row)
{
	unsigned chart = 0, section = 0;

	for (unsigned i = 0; i < view->n_rows; i++) {
		if (strcmp(view->rows[i].section, row->section) != 0)
			continue;
		section = i + 1;
		if (strcmp(view->rows[i].chart, row->chart) == 0)
			chart = i + 1;
	}
	return chart ? chart : section ? section : view->n_rows;
}

static void add_row(struct template_view *view, const struct template_row_def *def, const struct metric *m)
{
	struct template_row row = row_of(def, m);
	unsigned at;

	for (unsigned i = 0; i < view->n_rows; i++)
		if (view->rows[i].metric == m)
			return;
	at = position_of(view, &row);
	number_addition(view, &row);
	memmove(&view->rows[at + 1], &view->rows[at], (view->n_rows - at) * sizeof(row));
	view->rows[at] = row;
	view->n_rows++;
}

void template_view_init(struct template_view *view, const struct gpudb *db, const struct metric_set *set)
{
	const struct metric_template *t = set->product ? template_for(db, set->product) : NULL, *adds;
	const struct metric *m;

	*view = (struct template_view){.parent = t};
	if (!t)
		return;
	adds = span_is(t->adds_family, gpu_family_names[set->product->family])
		       ? template_named(db, t->adds_template)
		       : NULL;
	view->rows = xcalloc(t->n_rows + (adds ? adds->n_rows : 0), sizeof(*view->rows));
	for (unsigned i = 0; i < t->n_rows; i++)
		if ((m = first_of(set, t->rows[i].names)))
			view->rows[view->n_rows++] = row_of(&t->rows[i], m);
	for (unsigned i = 0; adds && i < adds->n_rows; i++)
		if ((m = first_of(set, adds->rows[i].names)))
			add_row(view, &adds->rows[i], m);
}

void template_view_fini(struct template_view *view)
{
	free(view->rows);
	*view = (struct template_view){0};
}
