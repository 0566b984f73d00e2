#include "app/export.h"

#include "base/alloc.h"
#include "model/history.h"
#include "model/template.h"

#include <assert.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a source measured since the last row. The newest sample stays apart: it may have ended after the next row. */
struct waiting {
	struct column *sum, *last;
	bool has_sum, has_last;
};

struct export
{
	struct export_table table;
	const struct export_format *format;
	export_write_fn *write;
	void *ctx;
	struct export_options options;
	struct export_source *sources;
	struct waiting *waiting; /* by source */
	unsigned *order;         /* columns by source and instance: one vector serves those that stand together */
	double *values;          /* by column */
	double *whole, *part;    /* vectors, as long as the longest source needs */
	struct strbuf line;
	unsigned cap_columns;
};

/* --metrics, taken apart. */
struct globs {
	char *text;
	struct {
		const char *pattern;
		bool used;
	} * list;
	unsigned n, cap;
};

/* ---- columns ---- */

static void globs_init(struct globs *globs, const char *metrics)
{
	char *save = NULL;

	*globs = (struct globs){.text = xstrdup(metrics ? metrics : "")};
	for (char *p = strtok_r(globs->text, ", ", &save); p; p = strtok_r(NULL, ", ", &save)) {
		GROW(globs->list, globs->n, globs->cap);
		globs->list[globs->n].used = false;
		globs->list[globs->n++].pattern = p;
	}
}

static void globs_fini(struct globs *globs)
{
	free(globs->list);
	free(globs->text);
}

/* A pattern may mean the column, the column without the prefix of its GPU, or the metric with all that it is broken down into. */
static bool globs_fit(struct globs *globs, const char *column, size_t prefix, const char *metric)
{
	bool any = false;

	for (unsigned i = 0; i < globs->n; i++) {
		const char *pattern = globs->list[i].pattern;

		if (fnmatch(pattern, column, 0) != 0 && fnmatch(pattern, column + prefix, 0) != 0 &&
		    fnmatch(pattern, metric, 0) != 0)
			continue;
		globs->list[i].used = true;
		any = true;
	}
	return any;
}

static bool has_column(const struct export_table *table, const char *name)
{
	for (unsigned i = 0; i < table->n_columns; i++)
		if (strcmp(table->columns[i].name, name) == 0)
			return true;
	return false;
}

/* The metric itself and what it is broken down into, as far as that was asked for. */
static void add_metric(struct export *ex, unsigned s, const struct metric *m, bool standard, struct globs *globs)
{
	struct export_table *table = &ex->table;
	const struct export_source *source = &table->sources[s];

	for (int i = -1; i < (int)source->set->n_instances; i++) {
		const struct metric_instance *instance = i < 0 ? NULL : &source->set->instances[i];
		AUTOFREE char *name = NULL;

		if (instance && !(m->instances & 1u << instance->kind))
			continue;
		if (instance && instance->kind != INSTANCE_CLUSTER && !ex->options.per_core)
			continue;
		name = xasprintf("%s%s%s%s", source->prefix, m->def->name, instance ? "." : "", instance ? instance->label : "");
		if (!(globs->n ? globs_fit(globs, name, strlen(source->prefix), m->def->name) : standard) ||
		    has_column(table, name))
			continue;
		GROW(table->columns, table->n_columns, ex->cap_columns);
		table->columns[table->n_columns++] =
			(struct export_column){.name = take_ptr(&name), .source = s, .metric = m, .instance = i};
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

/* A GPU: its template first, in the guide's order. */
static void add_source(struct export *ex, unsigned s, struct globs *globs)
{
	const struct export_source *source = &ex->table.sources[s];
	const struct metric_set *set = source->set;
	struct template_view view = {0};

	if (set->product)
		template_view_init(&view, source->db, set);
	for (unsigned i = 0; i < view.n_rows; i++)
		if (view.rows[i].metric)
			add_metric(ex, s, view.rows[i].metric, true, globs);
	for (unsigned i = 0; i < set->n_metrics; i++)
		if (set->product || measures(&set->metrics[i]))
			add_metric(ex, s, &set->metrics[i], !set->product, globs);
	template_view_fini(&view);
}

static bool add_columns(struct export *ex, struct err *err)
{
	struct globs globs;
	char shown[64];
	bool ok = true;

	globs_init(&globs, ex->options.metrics);
	for (unsigned s = 0; s < ex->table.n_sources; s++)
		add_source(ex, s, &globs);
	for (unsigned i = 0; ok && i < globs.n; i++)
		if (!globs.list[i].used)
			ok = err_set(err, ERR_USAGE, "--metrics: '%s' fits no metric of this machine: see malitop list metrics",
				     str_printable(shown, sizeof(shown), globs.list[i].pattern));
	globs_fini(&globs);
	return ok;
}

/* Columns [0, n) by source and instance; a counting sort by hand, as there are few of either. */
static void sort_columns(struct export *ex)
{
	unsigned n = 0;

	ex->order = xcalloc(ex->table.n_columns, sizeof(*ex->order));
	for (unsigned s = 0; s < ex->table.n_sources; s++)
		for (int i = -1; i < (int)ex->table.sources[s].set->n_instances; i++)
			for (unsigned c = 0; c < ex->table.n_columns; c++)
				if (ex->table.columns[c].source == s && ex->table.columns[c].instance == i)
					ex->order[n++] = c;
	assert(n == ex->table.n_columns);
}

/* ---- life ---- */

static struct column *new_column(const struct metric_set *set)
{
	return xcalloc(1, sizeof(struct column) + set->n_slots * sizeof(double));
}

static void allocate(struct export *ex)
{
	unsigned longest = VECTOR_CONSTANTS;

	ex->waiting = xcalloc(ex->table.n_sources, sizeof(*ex->waiting));
	for (unsigned s = 0; s < ex->table.n_sources; s++) {
		const struct metric_set *set = ex->table.sources[s].set;

		ex->waiting[s].sum = new_column(set);
		ex->waiting[s].last = new_column(set);
		if (set->n_vector > longest)
			longest = set->n_vector;
	}
	ex->whole = xcalloc(longest, sizeof(double));
	ex->part = xcalloc(longest, sizeof(double));
	ex->values = xcalloc(ex->table.n_columns, sizeof(double));
}

static bool write_line(struct export *ex, struct err *err)
{
	return !ex->line.n || ex->write(ex->ctx, ex->line.p, ex->line.n, err);
}

struct export *export_new(const struct export_format *format, const struct export_options *options,
			  const struct export_source *sources, unsigned n_sources, export_write_fn *write, void *ctx,
			  struct err *err)
{
	struct export *ex = xcalloc(1, sizeof(*ex));
	bool ok;

	ex->format = format;
	ex->options = *options;
	ex->write = write;
	ex->ctx = ctx;
	ex->sources = xcalloc(n_sources, sizeof(*sources));
	if (n_sources)
		memcpy(ex->sources, sources, n_sources * sizeof(*sources));
	ex->table = (struct export_table){.options = &ex->options, .sources = ex->sources, .n_sources = n_sources};
	while (ex->table.first < n_sources && !sources[ex->table.first].set->layout)
		ex->table.first++;
	if (ex->table.first == n_sources)
		ex->table.first = 0;
	ok = n_sources > 0 || err_set(err, 0, "nothing to log: no GPU and no CPU source was opened");
	ok = ok && add_columns(ex, err);
	if (ok) {
		sort_columns(ex);
		allocate(ex);
		format->begin(&ex->table, &ex->line);
		ok = write_line(ex, err);
	}
	if (ok)
		return ex;
	export_free(ex);
	return NULL;
}

void export_free(struct export *ex)
{
	if (!ex)
		return;
	for (unsigned s = 0; ex->waiting && s < ex->table.n_sources; s++) {
		free(ex->waiting[s].sum);
		free(ex->waiting[s].last);
	}
	for (unsigned i = 0; i < ex->table.n_columns; i++)
		free(ex->table.columns[i].name);
	free(ex->table.columns);
	free(ex->sources);
	free(ex->waiting);
	free(ex->order);
	free(ex->values);
	free(ex->whole);
	free(ex->part);
	strbuf_fini(&ex->line);
	free(ex);
}

/* ---- rows ---- */

static void fold_value(enum slot_kind kind, double *to, double from)
{
	if (isnan(from))
		return;
	if (isnan(*to) || kind == SLOT_LEVEL)
		*to = from;
	else if (kind == SLOT_PEAK)
		*to = from > *to ? from : *to;
	else
		*to += from;
}

static void fold(struct column *to, const struct column *from, const struct metric_set *set)
{
	to->end_ns = from->end_ns;
	to->time_ns += from->time_ns;
	to->flags |= from->flags;
	to->n_samples += from->n_samples;
	for (unsigned i = 0; i < set->n_slots; i++)
		fold_value(set->slots[i].kind, &to->value[i], from->value[i]);
}

/* The newest sample joins those before it. */
static void settle(struct waiting *w, const struct metric_set *set)
{
	struct column *last = w->last;

	if (!w->has_last)
		return;
	if (w->has_sum) {
		fold(w->sum, last, set);
	} else {
		w->last = w->sum;
		w->sum = last;
	}
	w->has_sum = true;
	w->has_last = false;
}

static void keep(struct waiting *w, const struct metric_set *set, const struct sample *sample)
{
	if (sample->flags & SAMPLE_ERROR)
		return; /* excluded from everything */
	settle(w, set);
	column_from_sample(w->last, sample, set->slots, set->n_slots);
	w->has_last = true;
}

/* The values of all columns, from what the sources have ready; NaN where one has nothing. */
static void evaluate(struct export *ex, const bool *ready)
{
	const struct export_table *table = &ex->table;
	const double *vector = NULL;
	int s = -1, instance = -1;

	for (unsigned i = 0; i < table->n_columns; i++) {
		const struct export_column *c = &table->columns[ex->order[i]];
		const struct metric_set *set = table->sources[c->source].set;

		ex->values[ex->order[i]] = NAN;
		if (!ready[c->source])
			continue;
		if ((int)c->source != s)
			metric_vector(set, ex->waiting[c->source].sum, ex->whole);
		if ((int)c->source != s || c->instance != instance) {
			vector = c->instance < 0 ? ex->whole : ex->part;
			if (c->instance >= 0)
				metric_vector_instance(set, &set->instances[c->instance], ex->whole, set->n_vector, ex->part);
		}
		s = (int)c->source;
		instance = c->instance;
		ex->values[ex->order[i]] = metric_value(c->metric, vector);
	}
}

static bool write_row(struct export *ex, const struct sample *sample, struct err *err)
{
	static const uint32_t shared = SAMPLE_ESTIMATED | SAMPLE_SIMULATED | SAMPLE_REPLAY;
	const struct export_table *table = &ex->table;
	AUTOFREE bool *ready = xcalloc(table->n_sources, sizeof(*ready));
	struct export_row row = {
		.begin_ns = sample->begin_ns + ex->options.epoch_offset_ns,
		.duration_ns = sample->end_ns - sample->begin_ns,
		.flags = sample->flags,
		.values = ex->values,
	};

	for (unsigned s = 0; s < table->n_sources; s++) {
		struct waiting *w = &ex->waiting[s];

		if (w->has_last && w->last->end_ns <= sample->end_ns)
			settle(w, table->sources[s].set);
		ready[s] = w->has_sum && w->sum->end_ns <= sample->end_ns;
		if (ready[s])
			row.flags |= w->sum->flags & shared;
	}
	evaluate(ex, ready);
	for (unsigned s = 0; s < table->n_sources; s++)
		ex->waiting[s].has_sum = ex->waiting[s].has_sum && !ready[s];
	strbuf_clear(&ex->line);
	ex->format->row(table, &row, &ex->line);
	return write_line(ex, err);
}

bool export_sample(struct export *ex, const struct sample *sample, struct err *err)
{
	for (unsigned s = 0; s < ex->table.n_sources; s++) {
		if (ex->table.sources[s].index != sample->source)
			continue;
		keep(&ex->waiting[s], ex->table.sources[s].set, sample);
		return s != ex->table.first || write_row(ex, sample, err);
	}
	return true;
}

void export_seconds(struct strbuf *out, int64_t ns)
{
	uint64_t n = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	strbuf_printf(out, "%s%llu.%09llu", ns < 0 ? "-" : "", (unsigned long long)(n / 1000000000),
		      (unsigned long long)(n % 1000000000));
}
