#include "app/export_priv.h"

#include "base/alloc.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a source measured since the last row. The newest sample stays apart: it may have ended after the next row. */
struct waiting {
	struct column *sum, *last;
	bool has_sum, has_last;
	struct column *total; /* since the start; NULL where none is asked for */
	uint64_t seq;         /* of the newest sample */
};

struct export
{
	struct export_table table;
	const struct export_format *format;
	export_write_fn *write;
	void *ctx;
	struct export_options options;
	struct export_source *sources;
	struct waiting *waiting;    /* by source */
	unsigned *order;            /* columns by source and instance: one vector serves those that stand together */
	double *values;             /* by column */
	bool *estimated;            /* by column */
	const struct column **sums; /* by source: of the row that is being written */
	double *whole, *part;       /* vectors, as long as the longest source needs */
	struct strbuf line;
};

/* Metrics by source and instance; a counting sort by hand, as there are few of either. */
static void sort_columns(struct export *ex)
{
	unsigned n = 0;

	ex->order = xcalloc(ex->table.n_metrics, sizeof(*ex->order));
	for (unsigned s = 0; s < ex->table.n_sources; s++)
		for (int i = -1; i < (int)ex->table.sources[s].set->n_instances; i++)
			for (unsigned c = 0; c < ex->table.n_metrics; c++)
				if (ex->table.columns[c].source == s && ex->table.columns[c].instance == i)
					ex->order[n++] = c;
	assert(n == ex->table.n_metrics);
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
		ex->waiting[s].total = ex->options.lines == EXPORT_ROWS ? NULL : new_column(set);
		if (set->n_vector > longest)
			longest = set->n_vector;
	}
	ex->whole = xcalloc(longest, sizeof(double));
	ex->part = xcalloc(longest, sizeof(double));
	ex->values = xcalloc(ex->table.n_columns, sizeof(double));
	ex->estimated = xcalloc(ex->table.n_columns, sizeof(bool));
	ex->sums = xcalloc(ex->table.n_sources, sizeof(*ex->sums));
}

static bool write_line(struct export *ex, struct err *err)
{
	return !ex->line.n || ex->write(ex->ctx, ex->line.p, ex->line.n, err);
}

/* Whose samples are the rows. */
static unsigned first_source(const struct export_source *sources, unsigned n, bool fastest)
{
	unsigned first = 0;

	for (unsigned s = 0; s < n; s++) {
		if (sources[s].set->layout)
			return s;
		if (fastest && sources[s].period_ns < sources[first].period_ns)
			first = s;
	}
	return first;
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
	ex->table = (struct export_table){.options = &ex->options,
					  .sources = ex->sources,
					  .n_sources = n_sources,
					  .also = format->also,
					  .id = span_hash(span_of(options->host)) ^ (uint64_t)options->start_ns,
					  .first = first_source(sources, n_sources, options->fastest)};
	ok = n_sources > 0 || err_set(err, 0, "nothing to log: no GPU and no CPU source was opened");
	ok = ok && export_columns(&ex->table, err);
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
		free(ex->waiting[s].total);
	}
	for (unsigned i = 0; i < ex->table.n_columns; i++)
		free(ex->table.columns[i].name);
	free(ex->table.columns);
	free(ex->sources);
	free(ex->waiting);
	free(ex->order);
	free(ex->values);
	free(ex->estimated);
	free(ex->sums);
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

/* Into an empty column: a copy. */
static void fold(struct column *to, const struct column *from, const struct metric_set *set)
{
	if (!to->n_samples) {
		memcpy(to, from, sizeof(*to) + set->n_slots * sizeof(double));
		return;
	}
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

static void keep(struct waiting *w, const struct metric_set *set, const struct sample *sample, uint32_t flags)
{
	if (flags & SAMPLE_ERROR)
		return; /* excluded from everything */
	settle(w, set);
	column_from_sample(w->last, sample, set->slots, set->n_slots);
	w->last->flags = flags;
	w->has_last = true;
	if (w->total)
		fold(w->total, w->last, set);
}

/* The values of all columns, from what the sources have ready; NaN where one has nothing. */
static void evaluate(struct export *ex)
{
	const struct export_table *table = &ex->table;
	const double *vector = NULL;
	int s = -1, instance = -1;

	for (unsigned i = 0; i < table->n_metrics; i++) {
		const struct export_column *c = &table->columns[ex->order[i]];
		const struct metric_set *set = table->sources[c->source].set;

		ex->values[ex->order[i]] = NAN;
		ex->estimated[ex->order[i]] = false;
		if (!ex->sums[c->source])
			continue;
		if ((int)c->source != s)
			metric_vector(set, ex->sums[c->source], ex->whole);
		if ((int)c->source != s || c->instance != instance) {
			vector = c->instance < 0 ? ex->whole : ex->part;
			if (c->instance >= 0)
				metric_vector_instance(set, &set->instances[c->instance], ex->whole, set->n_vector, ex->part);
		}
		s = (int)c->source;
		instance = c->instance;
		ex->values[ex->order[i]] = metric_value(c->metric, vector);
		if (ex->sums[s]->flags & SAMPLE_ESTIMATED) /* of a source that does not tell more, everything may be */
			ex->estimated[ex->order[i]] = !(metric_share(set, c->metric, vector) >= 1);
	}
}

static void evaluate_command(const struct export_table *table, const struct export_command *c, double *values)
{
	const double known[EXPORT_COMMAND_COLUMNS] = {
		c ? (double)c->user_ns / 1e9 : (double)NAN,
		c ? (double)c->system_ns / 1e9 : (double)NAN,
		c ? (double)c->status : (double)NAN,
	};

	memcpy(values + table->n_metrics, known, (table->n_columns - table->n_metrics) * sizeof(*values));
}

/* What holds for a row if it holds for a source that has a part in it. */
static const uint32_t shared_flags = SAMPLE_ESTIMATED | SAMPLE_SIMULATED | SAMPLE_REPLAY;

/* The row of ex->sums. */
static bool write_row(struct export *ex, struct export_row *row, struct err *err)
{
	const struct export_table *table = &ex->table;

	for (unsigned s = 0; s < table->n_sources; s++)
		if (ex->sums[s])
			row->flags |= ex->sums[s]->flags & shared_flags;
	evaluate(ex);
	evaluate_command(table, row->command, ex->values);
	row->values = ex->values;
	row->estimated = ex->estimated;
	row->sums = ex->sums;
	row->begin_ns += ex->options.epoch_offset_ns;
	if (!ex->table.begin_ns)
		ex->table.begin_ns = row->begin_ns;
	strbuf_clear(&ex->line);
	ex->format->row(table, row, &ex->line);
	return write_line(ex, err);
}

/* What the sources bring to a row that ends then. */
static void gather(struct export *ex, int64_t end_ns)
{
	for (unsigned s = 0; s < ex->table.n_sources; s++) {
		struct waiting *w = &ex->waiting[s];

		if (w->has_last && w->last->end_ns <= end_ns)
			settle(w, ex->table.sources[s].set);
		ex->sums[s] = w->has_sum && w->sum->end_ns <= end_ns ? w->sum : NULL;
		w->has_sum = w->has_sum && !ex->sums[s];
	}
}

/* What one source brings to a row of its own. */
static void gather_one(struct export *ex, unsigned source)
{
	struct waiting *w = &ex->waiting[source];

	memset(ex->sums, 0, ex->table.n_sources * sizeof(*ex->sums));
	ex->sums[source] = w->has_last ? w->last : NULL;
	w->has_last = false;
}

static bool write_sample(struct export *ex, unsigned source, const struct sample *sample, uint32_t flags, struct err *err)
{
	struct export_row row = {
		.begin_ns = sample->begin_ns,
		.duration_ns = sample->end_ns - sample->begin_ns,
		.flags = flags,
		.source = source,
	};

	if (ex->format->each)
		gather_one(ex, source);
	else
		gather(ex, sample->end_ns);
	return write_row(ex, &row, err);
}

bool export_total(struct export *ex, const struct export_command *command, struct err *err)
{
	struct export_row row = {
		.begin_ns = command->begin_ns,
		.duration_ns = command->end_ns - command->begin_ns,
		.command = command,
	};

	if (ex->options.lines == EXPORT_ROWS)
		return true;
	for (unsigned s = 0; s < ex->table.n_sources; s++) {
		struct column *total = ex->waiting[s].total;

		total->flags &= SAMPLE_GAP | shared_flags; /* what single samples were does not matter any more */
		ex->sums[s] = total->n_samples ? total : NULL;
	}
	if (ex->sums[ex->table.first])
		row.flags = ex->sums[ex->table.first]->flags;
	return write_row(ex, &row, err);
}

bool export_sample(struct export *ex, const struct sample *sample, struct err *err)
{
	for (unsigned s = 0; s < ex->table.n_sources; s++) {
		struct waiting *w = &ex->waiting[s];
		uint32_t flags = sample->flags;

		if (ex->table.sources[s].index != sample->source)
			continue;
		if (sample_missed(sample, w->seq))
			flags |= SAMPLE_GAP;
		w->seq = sample->seq;
		keep(w, ex->table.sources[s].set, sample, flags);
		return ex->options.lines == EXPORT_TOTAL || (s != ex->table.first && !ex->format->each) ||
		       write_sample(ex, s, sample, flags, err);
	}
	return true;
}

bool export_mark(struct export *ex, int64_t time_ns, const char *text, struct err *err)
{
	if (!ex->format->mark)
		return true;
	strbuf_clear(&ex->line);
	ex->format->mark(&ex->table, time_ns + ex->options.epoch_offset_ns, text, &ex->line);
	return write_line(ex, err);
}

double export_rate(const struct export_column *column, double value, const struct column *sum)
{
	return column->unit->kind != UNIT_COUNT ? value : sum ? value * 1e9 / (double)sum->time_ns : (double)NAN;
}

char *export_flags(char *buf, const struct export_row *row)
{
	sample_flags_format(buf, row->flags);
	if (row->command)
		strcat(buf, buf[0] ? " total" : "total");
	return buf;
}

void export_seconds(struct strbuf *out, int64_t ns)
{
	uint64_t n = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	strbuf_printf(out, "%s%llu.%09llu", ns < 0 ? "-" : "", (unsigned long long)(n / 1000000000),
		      (unsigned long long)(n % 1000000000));
}
