/* Which columns a table has. */
#include "export/export_priv.h"

#include "base/alloc.h"
#include "model/template.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* --metrics, taken apart. */
struct globs {
	struct {
		char *pattern;
		bool used;
	} * list;
	unsigned n, cap;
};

static void globs_init(struct globs *globs, const char *metrics)
{
	struct span rest = span_of(metrics), item;

	*globs = (struct globs){.n = 0};
	while ((item = span_item(&rest)).n) {
		GROW(globs->list, globs->n, globs->cap);
		globs->list[globs->n].used = false;
		globs->list[globs->n++].pattern = span_dup(item);
	}
}

static void globs_fini(struct globs *globs)
{
	for (unsigned i = 0; i < globs->n; i++)
		free(globs->list[i].pattern);
	free(globs->list);
}

/* fnmatch is slow where characters have many bytes; most patterns are plain names. */
static bool is_match(const char *pattern, const char *name)
{
	return strcmp(pattern, name) == 0 || (strpbrk(pattern, "*?[\\") && fnmatch(pattern, name, 0) == 0);
}

/* A pattern may mean the column, the column without the prefix of its GPU, or the metric with all that it is broken down into. */
static bool pattern_fits(const char *pattern, bool exact, const char *column, size_t prefix, const char *metric)
{
	if (exact)
		return strcmp(pattern, column) == 0;
	return is_match(pattern, column) || is_match(pattern, column + prefix) || is_match(pattern, metric);
}

static bool globs_fit(struct globs *globs, bool exact, const char *column, size_t prefix, const char *metric)
{
	bool any = false;

	for (unsigned i = 0; i < globs->n; i++) {
		if (!pattern_fits(globs->list[i].pattern, exact, column, prefix, metric))
			continue;
		globs->list[i].used = true;
		any = true;
	}
	return any;
}

/* There may be thousands, and most of them begin alike. */
static bool has_column(const struct export_table *table, const char *name)
{
	uint64_t hash = span_hash(span_of(name));

	for (unsigned i = 0; i < table->n_columns; i++)
		if (table->columns[i].hash == hash && strcmp(table->columns[i].name, name) == 0)
			return true;
	return false;
}

static void add_column(struct export_table *table, const struct export_column *column)
{
	GROW(table->columns, table->n_columns, table->cap_columns);
	table->columns[table->n_columns] = *column;
	table->columns[table->n_columns++].hash = span_hash(span_of(column->name));
}

/* The metric itself and what it is broken down into, as far as that was asked for. */
static void add_metric(struct export_table *table, unsigned s, const struct metric *m, bool standard, struct globs *globs)
{
	const struct export_source *source = &table->sources[s];

	for (int i = -1; i < (int)source->set->n_instances; i++) {
		const struct metric_instance *instance = i < 0 ? NULL : &source->set->instances[i];
		AUTOFREE char *name = NULL;

		if (instance && !(m->instances & 1u << instance->kind))
			continue;
		if (instance && instance->kind != INSTANCE_CLUSTER && !table->options->per_core)
			continue;
		name = xasprintf("%s%s%s%s", source->prefix, m->def->name, instance ? "." : "", instance ? instance->label : "");
		if (!(globs->n ? globs_fit(globs, table->options->exact, name, strlen(source->prefix), m->def->name)
			       : standard) ||
		    has_column(table, name))
			continue;
		add_column(table, &(struct export_column){.name = take_ptr(&name),
							  .source = s,
							  .title = m->def->title,
							  .unit = m->unit,
							  .metric = m,
							  .instance = i});
	}
}

/* Formulas of nothing but constants exist everywhere; a CPU has nothing to say about them. */
static bool measures(const struct metric *m)
{
	for (unsigned i = 0; i < m->expr.n; i++)
		if (m->expr.ops[i].kind == EXPR_LOAD && m->expr.ops[i].slot >= VECTOR_CONSTANTS)
			return true;
	return false;
}

/* A GPU: what the format wants, its template in the guide's order, and the rest. */
static void add_source(struct export_table *table, unsigned s, struct globs *globs)
{
	const struct export_source *source = &table->sources[s];
	const struct metric_set *set = source->set;
	const struct metric *also = table->also ? metric_find(set, span_of(table->also)) : NULL;
	struct template_view view = {0};

	if (also)
		add_metric(table, s, also, true, globs);
	if (set->product)
		template_view_init(&view, source->db, set);
	for (unsigned i = 0; i < view.n_rows; i++)
		if (view.rows[i].metric)
			add_metric(table, s, view.rows[i].metric, true, globs);
	for (unsigned i = 0; i < set->n_metrics; i++)
		if (set->product || measures(&set->metrics[i]))
			add_metric(table, s, &set->metrics[i], !set->product, globs);
	template_view_fini(&view);
}

static void add_command(struct export_table *table)
{
	static const struct {
		const char *name, *title, *unit;
	} columns[EXPORT_COMMAND_COLUMNS] = {
		{"CommandUser", "CPU time of the command in programs", "seconds"},
		{"CommandSystem", "CPU time of the command in the kernel", "seconds"},
		{"CommandStatus", "Exit status of the command", "count"},
	};

	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		add_column(table, &(struct export_column){.name = xstrdup(columns[i].name),
							  .title = columns[i].title,
							  .unit = unit_find(span_of(columns[i].unit))});
}

/* By source; columns that were named one by one in the order of their names. */
static void add_sources(struct export_table *table, struct globs *globs)
{
	bool exact = table->options->exact && globs->n;

	for (unsigned i = 0; i < (exact ? globs->n : 1); i++) {
		struct globs some = exact ? (struct globs){.list = &globs->list[i], .n = 1} : *globs;

		for (unsigned s = 0; s < table->n_sources; s++)
			add_source(table, s, &some);
	}
}

bool export_columns(struct export_table *table, struct err *err)
{
	struct globs globs;
	char shown[64];
	bool ok = true;

	globs_init(&globs, table->options->metrics);
	add_sources(table, &globs);
	for (unsigned i = 0; ok && i < globs.n; i++)
		if (!globs.list[i].used)
			ok = err_set(err, ERR_USAGE,
				     "--metrics: '%s' fits no metric of these sources: see malitop list metrics%s",
				     str_printable(shown, sizeof(shown), globs.list[i].pattern),
				     strchr(globs.list[i].pattern, '.') && !table->options->per_core
					     ? "; cores, slices and CPUs one by one are there with --per-core"
					     : "");
	globs_fini(&globs);
	table->n_metrics = table->n_columns;
	if (table->options->lines != EXPORT_ROWS)
		add_command(table);
	return ok;
}
