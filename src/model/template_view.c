#include "model/template_view.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return the first of "A / B" that the GPU has. */
static const struct metric *first_of(const struct metric_set *set, struct span names)
{
	const struct metric *m = NULL;

	while (names.n && !m)
		m = metric_find(set, span_trim(span_until(&names, '/')));
	return m;
}

static struct template_row row_of(const struct template_row_def *def, const struct metric *m)
{
	struct template_row row = {
		.def = def,
		.section = def->section,
		.chart = def->chart,
		.title = def->title ? def->title : m->def->title,
		.unit_name = def->unit_name && m->unit->kind != UNIT_PERCENT ? def->unit_name : m->unit->name,
		.metric = m};

	snprintf(row.number, sizeof(row.number), "%s", def->number);
	return row;
}

struct row_number {
	unsigned section, chart, row;
};

static struct row_number parse_row_number(const char *number)
{
	struct row_number p = {0};

	sscanf(number, "%u.%u.%u", &p.section, &p.chart, &p.row);
	return p;
}

/* Number an added row: it follows the last row of its chart, else it opens a chart after the last
 * one of its section, else a section. Rows of the parent that this GPU does not have count as well,
 * so that no number is used twice. */
static void number_addition(const struct template_view *view, struct template_row *row)
{
	struct row_number in_chart = {0}, in_section = {0}, at_all = {0};
	unsigned n_all = view->parent->n_rows + view->n_rows;

	for (unsigned i = 0; i < n_all; i++) {
		bool own = i >= view->parent->n_rows;
		const struct template_row_def *def = own ? NULL : &view->parent->rows[i];
		const struct template_row *have = own ? &view->rows[i - view->parent->n_rows] : NULL;
		struct row_number p = parse_row_number(own ? have->number : def->number);
		bool section = strcmp(own ? have->section : def->section, row->section) == 0;
		bool chart = section && strcmp(own ? have->chart : def->chart, row->chart) == 0;

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
