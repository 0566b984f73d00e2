/* The columns of a table, and their values. */
#include "export/export_priv.h"

#include "base/alloc.h"
#include "base/message.h"
#include "model/template.h"

#include <assert.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_MOST 256 /* slots of one metric */

/* The patterns of --metrics. */
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

/* fnmatch is slow in multibyte locales, and most patterns are plain names. */
static bool is_match(const char *pattern, const char *name)
{
	return strcmp(pattern, name) == 0 || (strpbrk(pattern, "*?[\\") && fnmatch(pattern, name, 0) == 0);
}

/* A pattern may match the column, the column without the prefix of its GPU, or the metric with all
 * its instances. An exact one must equal the name of the column. */
static bool globs_fit(struct globs *globs, bool exact, const char *column, size_t prefix, const char *metric)
{
	bool any = false;

	for (unsigned i = 0; i < globs->n; i++) {
		const char *pattern = globs->list[i].pattern;

		if (exact ? strcmp(pattern, column) != 0
			  : !is_match(pattern, column) && !is_match(pattern, column + prefix) &&
				    !is_match(pattern, metric))
			continue;
		globs->list[i].used = true;
		any = true;
	}
	return any;
}

/* Compare hashes first, because thousands of names may have the same start. */
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

/* A cluster of all CPUs equals the sum, so only its own name selects it. */
static bool is_whole(const struct metric_set *set, const struct metric_instance *instance, const char *name,
		     const struct globs *globs)
{
	unsigned n = 0;

	for (unsigned i = 0; i < set->n_instances; i++)
		n += set->instances[i].kind == INSTANCE_CLUSTER;
	for (unsigned i = 0; i < globs->n; i++)
		if (strcmp(globs->list[i].pattern, name) == 0)
			return false;
	return globs->n && instance->kind == INSTANCE_CLUSTER && n == 1;
}

/* Add the selected columns of a metric and of its instances. */
static void add_metric(struct export_table *table, unsigned s, const struct metric *m, bool standard,
		       struct globs *globs)
{
	const struct export_source *source = &table->sources[s];

	for (int i = -1; i < (int)source->set->n_instances; i++) {
		const struct metric_instance *instance = i < 0 ? NULL : &source->set->instances[i];
		AUTOFREE char *name = NULL;

		if (instance && !(m->instances & 1u << instance->kind))
			continue;
		if (instance && instance->kind != INSTANCE_CLUSTER && !table->options->per_core)
			continue;
		name = xasprintf("%s%s%s%s", source->prefix, m->def->name, instance ? "." : "",
				 instance ? instance->label : "");
		if (!(globs->n ? globs_fit(globs, table->options->exact, name, strlen(source->prefix),
					   m->def->name)
			       : standard) ||
		    has_column(table, name) ||
		    (instance && is_whole(source->set, instance, name + strlen(source->prefix), globs)))
			continue;
		add_column(table, &(struct export_column){.name = take_ptr(&name),
							  .source = s,
							  .title = m->def->title,
							  .unit = m->unit,
							  .metric = m,
							  .instance = i,
							  .known = !table->options->exact});
	}
}

/* Add the columns of a source. For a GPU, these are the metric that the format adds, its template
 * in the guide's order, and the rest. */
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
		/* a formula of constants compiles for every source, but is meaningless for a CPU */
		if (set->product || metric_slots(&set->metrics[i], (uint16_t[1]){0}, 0, 1))
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

/* Add a column of dashes for a metric that this machine lacks. Returns false if none has this
 * name. */
static bool add_absent(struct export_table *table, const char *name)
{
	static struct expr_op unknown = {.kind = EXPR_CONST, .number = NAN};
	const struct metric_def *def = metric_def_find(table->sources[0].db, span_of(name));
	struct metric *absent;

	if (!def)
		return false;
	absent = xcalloc(1, sizeof(*absent));
	*absent = (struct metric){.def = def,
				  .unit = def->unit,
				  .low = -INFINITY,
				  .high = INFINITY,
				  .expr = {.ops = &unknown, .n = 1, .depth = 1}};
	add_column(table, &(struct export_column){.name = xstrdup(name),
						  .title = def->title,
						  .unit = def->unit,
						  .metric = absent,
						  .absent = absent,
						  .instance = -1,
						  .known = true});
	message("%s: not measured here: shown as a dash", name);
	return true;
}

bool export_columns(struct export_table *table, struct err *err)
{
	struct globs globs;
	char shown[64];
	bool ok = true;

	globs_init(&globs, table->options->metrics);
	for (unsigned i = 0; i < (table->options->exact && globs.n ? globs.n : 1); i++) {
		struct globs some = globs; /* by source, or in the order of exact names */

		if (table->options->exact && globs.n)
			some = (struct globs){.list = &globs.list[i], .n = 1};
		for (unsigned s = 0; s < table->n_sources; s++)
			add_source(table, s, &some);
	}
	for (unsigned i = 0; ok && i < globs.n && !table->options->optional; i++)
		if (!globs.list[i].used && !(table->n_columns && add_absent(table, globs.list[i].pattern)))
			ok = err_set(err, ERR_USAGE,
				     "--metrics: '%s' matches no metric of these sources: see malitop list "
				     "metrics%s",
				     str_printable(shown, sizeof(shown), globs.list[i].pattern),
				     strchr(globs.list[i].pattern, '.') && !table->options->per_core
					     ? "; single cores, slices and CPUs need --per-core"
					     : "");
	for (unsigned i = 0; i < globs.n; i++)
		free(globs.list[i].pattern);
	free(globs.list);
	table->n_metrics = table->n_columns;
	if (table->options->lines != EXPORT_ROWS)
		add_command(table);
	return ok;
}

void export_columns_free(struct export_table *table)
{
	for (unsigned i = 0; i < table->n_columns; i++) {
		free(table->columns[i].name);
		free(table->columns[i].absent);
	}
	free(table->columns);
}

/* Whether a metric is a state, such as a temperature; it is known from the first sample on or
 * never. */
static bool is_state(const struct metric_set *set, const struct metric *m)
{
	uint16_t slots[SLOTS_MOST];
	unsigned n = metric_slots(m, slots, 0, SLOTS_MOST);

	for (unsigned i = 0; i < n; i++)
		if (set->slots[slots[i]].kind < SLOT_LEVEL)
			return false;
	return n;
}

void export_hide_columns(struct export_table *table, const double *values, const struct column *const *sums)
{
	for (unsigned i = 0; i < table->n_metrics; i++) {
		struct export_column *c = &table->columns[i];

		if (sums[c->source])
			c->missed = false;
		if (c->known || !sums[c->source])
			continue;
		c->known = true;
		c->hidden = isnan(values[i]) && is_state(table->sources[c->source].set, c->metric);
	}
}

/* ---- values ---- */

void export_mix_parts(const struct export_table *table, const struct column *const *sums,
		      const struct column *parts[SOURCE_KINDS])
{
	const struct metric_mix *mix = table->sources[table->n_sources - 1].mix;

	for (unsigned s = 0; s + 1 < table->n_sources; s++) {
		const struct export_source *one = &table->sources[s];

		if (mix->uses[one->kind] && mix->sources[one->kind] == one->set)
			parts[one->kind] = sums[s];
	}
}

/* Sort the columns by nested loops, because there are few sources and instances. */
void export_values_init(struct export_values *v, const struct export_table *table)
{
	unsigned longest = VECTOR_CONSTANTS, n = 0;

	v->order = xcalloc(table->n_metrics + 1, sizeof(*v->order));
	for (unsigned s = 0; s < table->n_sources; s++) {
		const struct metric_set *set = table->sources[s].set;

		longest = set->n_vector > longest ? set->n_vector : longest;
		for (int i = -1; i < (int)set->n_instances; i++)
			for (unsigned c = 0; c < table->n_metrics; c++)
				if (table->columns[c].source == s && table->columns[c].instance == i)
					v->order[n++] = c;
	}
	assert(n == table->n_metrics);
	v->all = xcalloc(longest, sizeof(double));
	v->part = xcalloc(longest, sizeof(double));
	v->values = xcalloc(table->n_columns + 1, sizeof(double));
	v->reached = xcalloc(table->n_columns + 1, sizeof(double));
	v->estimated = xcalloc(table->n_columns + 1, sizeof(bool));
}

void export_values_fini(struct export_values *v)
{
	free(v->order);
	free(v->all);
	free(v->part);
	free(v->values);
	free(v->reached);
	free(v->estimated);
}

void export_evaluate(struct export_values *v, const struct export_table *table,
		     const struct column *const *sums, bool totals)
{
	struct metric_frames frames = export_frames(table, sums);
	const double *vector = NULL;
	int s = -1, instance = -1;

	for (unsigned i = 0; i < table->n_metrics; i++) {
		unsigned at = v->order[i];
		const struct export_column *c = &table->columns[at];
		const struct metric_set *set = table->sources[c->source].set;
		double *value = &v->values[at], *reached = &v->reached[at];

		if (totals && !c->metric->grows)
			continue;
		*value = NAN;
		v->estimated[at] = false;
		if (!sums[c->source])
			continue;
		if ((int)c->source != s) {
			metric_vector(set, sums[c->source], v->all);
			metric_frames_put(&frames, v->all);
		}
		if ((int)c->source != s || c->instance != instance) {
			vector = c->instance < 0 ? v->all : v->part;
			if (c->instance >= 0)
				metric_vector_instance(set, &set->instances[c->instance], v->all,
						       set->n_vector, v->part);
		}
		s = (int)c->source;
		instance = c->instance;
		*value = metric_value(c->metric, vector);
		if (totals && *value > *reached)
			*reached = *value;
		else if (totals && *value < *reached)
			*value = *reached;
		if (sums[s]->flags & SAMPLE_ESTIMATED) /* no shares of time: any may be an estimate */
			v->estimated[at] = !(metric_share(set, c->metric, vector) >= 1);
	}
}

double export_rate(const struct export_column *column, double value, const struct column *sum)
{
	return !column->metric->grows ? value : sum ? value * 1e9 / (double)sum->time_ns : (double)NAN;
}

char *export_flags(char *buf, const struct export_row *row)
{
	const struct {
		bool holds;
		const char *word;
	} more[] = {{row->marked, "mark"},
		    {row->lost, "lost"},
		    {row->guide, "guide"},
		    {row->command != NULL, "total"}};

	sample_flags_format(buf, row->flags);
	for (size_t i = 0; i < ARRAY_LEN(more); i++)
		if (more[i].holds) {
			strcat(buf, buf[0] ? " " : "");
			strcat(buf, more[i].word);
		}
	return buf;
}

void export_seconds(struct strbuf *out, int64_t ns)
{
	uint64_t n = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	strbuf_printf(out, "%s%llu.%09llu", ns < 0 ? "-" : "", (unsigned long long)(n / 1000000000),
		      (unsigned long long)(n % 1000000000));
}
