#include "export/export_priv.h"

#include "export/export_queue.h"
#include "base/alloc.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a source measured since the last row, and the row that its samples make. */
struct waiting {
	struct export_queue queue;
	uint64_t seq; /* of the newest sample */
	bool has_row;
	int64_t begin_ns, end_ns, failed_ns;
	int64_t row_end_ns; /* the row has what ended until then */
	uint32_t flags;
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
	bool has_mark;              /* that no row has told of */
	int64_t mark_ns, last_mark_ns;
	uint64_t n_rows;
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

static void allocate(struct export *ex)
{
	unsigned longest = VECTOR_CONSTANTS;

	ex->waiting = xcalloc(ex->table.n_sources, sizeof(*ex->waiting));
	for (unsigned s = 0; s < ex->table.n_sources; s++) {
		const struct metric_set *set = ex->table.sources[s].set;

		export_queue_init(&ex->waiting[s].queue, set, ex->options.lines != EXPORT_ROWS);
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
	ok = ok && (!format->check || format->check(&ex->table, err)) && (format->raw || export_columns(&ex->table, err));
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
	for (unsigned s = 0; ex->waiting && s < ex->table.n_sources; s++)
		export_queue_fini(&ex->waiting[s].queue);
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

/* The end of the step in which t lies; without steps t itself. */
static int64_t step_end(const struct export_options *o, int64_t t)
{
	uint64_t since = (uint64_t)t - (uint64_t)o->step_from_ns, step = (uint64_t)o->step_ns, end;

	if (!step)
		return t;
	if (t <= o->step_from_ns)
		return o->step_from_ns;
	if (__builtin_mul_overflow((since - 1) / step + 1, step, &end) || end > (uint64_t)INT64_MAX - (uint64_t)o->step_from_ns)
		return INT64_MAX;
	return (int64_t)((uint64_t)o->step_from_ns + end);
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
	row->end_ns += ex->options.epoch_offset_ns;
	row->number = ++ex->n_rows;
	if (!ex->table.begin_ns)
		ex->table.begin_ns = row->begin_ns;
	strbuf_clear(&ex->line);
	ex->format->row(table, row, &ex->line);
	return write_line(ex, err);
}

/* What the sources bring to a row of one of them that ends then. */
static void gather(struct export *ex, unsigned source, int64_t end_ns)
{
	for (unsigned s = 0; s < ex->table.n_sources; s++)
		ex->sums[s] = !ex->format->each || s == source ? export_queue_take(&ex->waiting[s].queue, end_ns) : NULL;
}

/* Whether a mark was set until then that no row has told of. */
static bool take_mark(struct export *ex, int64_t end_ns)
{
	bool marked = ex->has_mark && ex->mark_ns <= end_ns;

	if (marked) {
		ex->has_mark = ex->last_mark_ns > end_ns;
		ex->mark_ns = ex->last_mark_ns;
	}
	return marked;
}

/* The row that the samples of a source have made. */
static bool write_samples(struct export *ex, unsigned source, struct err *err)
{
	struct waiting *w = &ex->waiting[source];
	struct export_row row = {
		.begin_ns = w->begin_ns,
		.end_ns = w->end_ns,
		.flags = w->flags,
		.marked = take_mark(ex, w->row_end_ns),
		.source = source,
	};

	w->has_row = false;
	gather(ex, source, w->row_end_ns);
	row.duration_ns = ex->sums[source] ? ex->sums[source]->time_ns : w->failed_ns;
	return write_row(ex, &row, err);
}

/* The sample becomes a part of the row of its source. */
static void extend(const struct export *ex, struct waiting *w, const struct sample *sample, uint32_t flags)
{
	if (!w->has_row) {
		w->has_row = true;
		w->begin_ns = sample->begin_ns;
		w->failed_ns = 0;
		w->flags = 0;
		w->row_end_ns = step_end(&ex->options, sample->end_ns);
	}
	w->end_ns = sample->end_ns;
	w->flags |= flags;
	if (flags & SAMPLE_ERROR)
		w->failed_ns = sample_add_time(w->failed_ns, sample->end_ns - sample->begin_ns);
}

/* A sample of a source that makes rows comes after what other sources measured in its time. */
static bool take_sample(struct export *ex, unsigned source, const struct sample *sample, uint32_t flags, struct err *err)
{
	struct waiting *w = &ex->waiting[source];
	bool makes_rows = ex->options.lines != EXPORT_TOTAL && (source == ex->table.first || ex->format->each), ok = true;

	if (makes_rows) {
		if (w->has_row && sample->end_ns > w->row_end_ns)
			ok = write_samples(ex, source, err);
		extend(ex, w, sample, flags);
	}
	export_queue_add(&w->queue, sample, flags, step_end(&ex->options, sample->end_ns));
	return ok && (!makes_rows || ex->options.step_ns || write_samples(ex, source, err));
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
		return take_sample(ex, s, sample, flags, err);
	}
	return true;
}

bool export_end(struct export *ex, struct err *err)
{
	for (unsigned s = 0; s < ex->table.n_sources; s++)
		if (ex->waiting[s].has_row && !write_samples(ex, s, err))
			return false;
	return true;
}

bool export_total(struct export *ex, const struct export_command *command, struct err *err)
{
	struct export_row row = {
		.begin_ns = command->begin_ns,
		.end_ns = command->end_ns,
		.duration_ns = command->end_ns - command->begin_ns,
		.command = command,
	};

	if (ex->options.lines == EXPORT_ROWS)
		return true;
	for (unsigned s = 0; s < ex->table.n_sources; s++) {
		struct column *total = ex->waiting[s].queue.total;

		total->flags &= SAMPLE_GAP | shared_flags; /* what single samples were does not matter any more */
		ex->sums[s] = total->n_samples ? total : NULL;
	}
	if (ex->sums[ex->table.first])
		row.flags = ex->sums[ex->table.first]->flags;
	return write_row(ex, &row, err);
}

bool export_mark(struct export *ex, int64_t time_ns, const char *text, struct err *err)
{
	if (!ex->format->mark) {
		if (!ex->has_mark)
			ex->mark_ns = time_ns;
		ex->last_mark_ns = time_ns;
		ex->has_mark = true;
		return true;
	}
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
	if (row->marked)
		strcat(buf, buf[0] ? " mark" : "mark");
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
