#include "export/export_priv.h"

#include "export/export_findings.h"
#include "hot/hot_words.h"
#include "base/alloc.h"
#include "base/message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The samples of a source since its last row, and the row that they make. */
struct waiting {
	struct export_queue queue;
	uint64_t seq; /* of the newest sample */
	bool has_row;
	int64_t begin_ns, end_ns, failed_ns;
	int64_t row_end_ns; /* the row includes samples that ended by then */
	uint32_t flags;
	bool lost; /* samples are missing before it or in it */
};

struct export
{
	struct export_table table;
	const struct export_format *format;
	export_write_fn *write;
	void *ctx;
	struct export_options options;
	char *host; /* own copy, used by rows */
	struct export_source *sources;
	unsigned n_runs;         /* of the sources */
	struct waiting *waiting; /* by source */
	struct mix_fold mix;     /* of the last source, if that is a mix */
	struct hot_profile hot;  /* of everything so far */
	struct export_values values;
	const struct column **sums;   /* by source, for the current row */
	const struct column **totals; /* by source, from the start to the end of the row */
	bool has_mark;                /* a mark waits for its row */
	int64_t mark_ns, last_mark_ns;
	uint64_t n_rows;
	unsigned char *written; /* of each verdict, then of each finding: enum judged_written */
	int64_t judged_ns;      /* end of the last step of the judge that was written */
	struct strbuf line;
};

/* ---- life ---- */

static void allocate_buffers(struct export *ex)
{
	ex->waiting = xcalloc(ex->table.n_sources, sizeof(*ex->waiting));
	for (unsigned s = 0; s < ex->table.n_sources; s++) {
		const struct metric_set *set = ex->table.sources[s].set;
		bool hot = ex->format->hot && ex->table.sources[s].kind == SOURCE_HOT;

		export_queue_init(&ex->waiting[s].queue, set,
				  hot || ex->options.lines != EXPORT_ROWS || ex->format->totals);
		if (hot) {
			ex->table.hot = &ex->hot;
			ex->table.hot_source = &ex->table.sources[s];
			ex->table.hot_sum = ex->waiting[s].queue.total;
		}
		mix_fold_init(&ex->mix, ex->table.sources[s].mix);
	}
	export_values_init(&ex->values, &ex->table);
	ex->sums = xcalloc(ex->table.n_sources, sizeof(*ex->sums));
	ex->totals = xcalloc(ex->table.n_sources, sizeof(*ex->totals));
}

static bool write_line(struct export *ex, struct err *err)
{
	return !ex->line.n || ex->write(ex->ctx, ex->line.p, ex->line.n, err);
}

static bool has_column(const struct export_table *table, unsigned source)
{
	for (unsigned c = 0; c < table->n_metrics; c++)
		if (table->columns[c].source == source)
			return true;
	return false;
}

/* Return the source whose samples are the rows: the fastest. Of several, take the last, because it
 * is read last and so the samples of the others belong to the same row. */
static unsigned first_source(const struct export_table *table)
{
	const struct export_source *sources = table->sources;
	int first = -1;

	for (unsigned s = 0; s < table->n_sources; s++) {
		if (sources[s].set->layout)
			return s;
		if (!sources[s].mix && has_column(table, s) &&
		    (first < 0 || sources[s].period_ns <= sources[first].period_ns))
			first = (int)s;
	}
	return first < 0 ? 0 : (unsigned)first;
}

struct export *export_new(const struct export_format *format, const struct export_options *options,
			  const struct export_source *sources, unsigned n_sources, export_write_fn *write,
			  void *ctx, struct err *err)
{
	struct export *ex = xcalloc(1, sizeof(*ex));
	bool ok;

	ex->format = format;
	ex->options = *options;
	ex->options.host = ex->host = xstrdup(options->host ? options->host : "");
	ex->write = write;
	ex->ctx = ctx;
	ex->sources = xcalloc(n_sources, sizeof(*sources));
	if (n_sources)
		memcpy(ex->sources, sources, n_sources * sizeof(*sources));
	for (unsigned s = 0; s < n_sources; s++)
		ex->sources[s].run =
			sources[s].kind == SOURCE_PASSES ? xcalloc(1, sizeof(struct pass_run)) : NULL;
	ex->n_runs = n_sources;
	ex->table =
		(struct export_table){.options = &ex->options,
				      .sources = ex->sources,
				      .n_sources = n_sources,
				      .also = format->also,
				      .held = format->end ? export_wide_new() : NULL,
				      .id = span_hash(span_of(options->host)) ^ (uint64_t)options->start_ns};
	ok = n_sources > 0 || err_set(err, 0, "nothing to log: no GPU and no CPU source was opened");
	ok = ok && (format->raw || export_columns(&ex->table, err));
	if (ok && format->arrange)
		format->arrange(&ex->table);
	ex->table.first = first_source(&ex->table);
	for (unsigned s = 0; s < n_sources; s++)
		ex->table.guide |= sources[s].set->layout && sources[s].set->definitions == DEFINITIONS_GUIDE;
	ok = ok && (!format->check || format->check(&ex->table, err));
	if (ok) {
		allocate_buffers(ex);
		if (format->begin)
			format->begin(&ex->table, &ex->line);
		if (format->heads)
			strbuf_printf(&ex->line, "%s%s" CSV_EOL, ex->options.several ? "host," : "",
				      format->heads);
		ok = write_line(ex, err);
	}
	if (ok)
		return ex;
	export_free(ex);
	return NULL;
}

int64_t export_interval_ns(const struct export *ex)
{
	return ex->sources[ex->table.first].period_ns;
}

void export_free(struct export *ex)
{
	if (!ex)
		return;
	for (unsigned s = 0; ex->waiting && s < ex->table.n_sources; s++)
		export_queue_fini(&ex->waiting[s].queue);
	mix_fold_fini(&ex->mix);
	hot_profile_fini(&ex->hot);
	export_columns_free(&ex->table);
	for (unsigned s = 0; s < ex->n_runs; s++)
		free(ex->sources[s].run);
	export_wide_free(ex->table.held);
	free(ex->sources);
	free(ex->waiting);
	export_values_fini(&ex->values);
	free(ex->sums);
	free(ex->totals);
	free(ex->host);
	free(ex->written);
	strbuf_fini(&ex->line);
	free(ex);
}

/* ---- rows ---- */

/* Return the end of the step that contains t, or t itself without steps. */
static int64_t step_end(const struct export_options *o, int64_t t)
{
	uint64_t since = (uint64_t)t - (uint64_t)o->step_from_ns, step = (uint64_t)o->step_ns, end;

	if (!step)
		return t;
	if (t <= o->step_from_ns)
		return o->step_from_ns;
	if (__builtin_mul_overflow((since - 1) / step + 1, step, &end) ||
	    end > (uint64_t)INT64_MAX - (uint64_t)o->step_from_ns)
		return INT64_MAX;
	return (int64_t)((uint64_t)o->step_from_ns + end);
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

/* A row has these flags if one of its sources has them. */
static const uint32_t shared_flags = SAMPLE_ESTIMATED | SAMPLE_SIMULATED | SAMPLE_REPLAY;

/* Make the total of the mix from the totals of its sources. */
static void mix_totals(struct export *ex)
{
	const struct column *parts[SOURCE_KINDS] = {0};
	unsigned mixed = ex->table.n_sources - 1;

	if (!ex->mix.mix || !ex->waiting[mixed].queue.total)
		return;
	for (unsigned s = 0; s < mixed; s++)
		ex->totals[s] = ex->waiting[s].queue.total;
	export_mix_parts(&ex->table, ex->totals, parts);
	metric_mix_column(ex->mix.mix, parts, ex->waiting[mixed].queue.total);
}

/* Write the row of ex->sums. */
static bool write_row(struct export *ex, struct export_row *row, struct err *err)
{
	const struct export_table *table = &ex->table;

	if (ex->format->totals)
		mix_totals(ex);
	for (unsigned s = 0; s < table->n_sources; s++)
		if (ex->sums[s])
			row->flags |= ex->sums[s]->flags & shared_flags;
	for (unsigned s = 0; s < table->n_sources; s++)
		ex->totals[s] = ex->sums[s] ? ex->waiting[s].queue.total : NULL;
	export_evaluate(&ex->values, table, ex->sums, false);
	if (ex->format->totals)
		export_evaluate(&ex->values, table, ex->totals, true);
	evaluate_command(table, row->command, ex->values.values);
	row->values = ex->values.values;
	row->estimated = ex->values.estimated;
	row->sums = ex->sums;
	row->begin_ns += ex->options.epoch_offset_ns;
	row->end_ns += ex->options.epoch_offset_ns;
	row->number = ++ex->n_rows;
	export_hide_columns(&ex->table, row->values, ex->sums);
	row->guide = table->guide;
	row->verdict =
		ex->options.watch ? judge_verdict_name(&watch_judge(ex->options.watch)->verdict) : NULL;
	if (!ex->table.begin_ns)
		ex->table.begin_ns = row->begin_ns;
	strbuf_clear(&ex->line);
	if (ex->format->row)
		ex->format->row(table, row, &ex->line);
	return write_line(ex, err);
}

/* Take the sums of all sources for a row of `source` that ends at end_ns. */
static void gather_sums(struct export *ex, unsigned source, int64_t end_ns)
{
	const struct column *parts[SOURCE_KINDS] = {0};

	for (unsigned s = 0; s < ex->table.n_sources; s++)
		ex->sums[s] = !ex->format->each || s == source
				      ? export_queue_take(&ex->waiting[s].queue, end_ns)
				      : NULL;
	if (!ex->mix.mix)
		return;
	export_mix_parts(&ex->table, ex->sums, parts);
	for (enum source_kind kind = 0; kind < SOURCE_MIX; kind++)
		if (parts[kind])
			mix_fold_add(&ex->mix, kind, parts[kind]);
	ex->sums[ex->table.n_sources - 1] = mix_fold_step(&ex->mix);
}

/* Return whether there is a mark up to end_ns that is not in a row yet, and remove it. */
static bool take_mark(struct export *ex, int64_t end_ns)
{
	bool marked = ex->has_mark && ex->mark_ns <= end_ns;

	if (marked) {
		ex->has_mark = ex->last_mark_ns > end_ns;
		ex->mark_ns = ex->last_mark_ns;
	}
	return marked;
}

/* Write the row that the samples of a source have made. */
static bool write_samples(struct export *ex, unsigned source, struct err *err)
{
	struct waiting *w = &ex->waiting[source];
	struct export_row row = {
		.begin_ns = w->begin_ns,
		.end_ns = w->end_ns,
		.flags = w->flags,
		.marked = take_mark(ex, w->row_end_ns),
		.lost = w->lost,
		.source = source,
	};

	w->has_row = false;
	gather_sums(ex, source, w->row_end_ns);
	row.duration_ns = ex->sums[source] ? ex->sums[source]->time_ns : w->failed_ns;
	return write_row(ex, &row, err);
}

/* Add a sample to the row of its source. */
static void extend_row(const struct export *ex, struct waiting *w, const struct sample *sample,
		       uint32_t flags, bool lost)
{
	if (!w->has_row) {
		w->has_row = true;
		w->lost = false;
		w->begin_ns = sample->begin_ns;
		w->failed_ns = 0;
		w->flags = 0;
		w->row_end_ns = step_end(&ex->options, sample->end_ns);
	}
	w->end_ns = sample->end_ns;
	w->flags |= flags;
	w->lost |= lost;
	if (flags & SAMPLE_ERROR)
		w->failed_ns = sample_add_time(w->failed_ns, sample->end_ns - sample->begin_ns);
}

/* Add a sample. If its source makes rows, the samples of other sources in its interval must have
 * been added before. */
static bool take_sample(struct export *ex, unsigned source, const struct sample *sample, struct err *err)
{
	struct waiting *w = &ex->waiting[source];
	bool lost = sample_missed(sample, w->seq) != 0;
	uint32_t flags = sample->flags | (lost ? SAMPLE_GAP : 0);
	bool makes_rows =
		     ex->options.lines != EXPORT_TOTAL && (source == ex->table.first || ex->format->each),
	     ok = true;

	w->seq = sample->seq;
	strbuf_clear(&ex->line);
	if (ex->sources[source].run)
		pass_run_take(ex->sources[source].run, ex->sources[source].set, sample, 0);
	if (ex->table.hot && ex->table.sources[source].kind == SOURCE_HOT)
		hot_words_add(ex->table.hot, sample);
	if (ex->format->sample && !(flags & SAMPLE_ERROR))
		ex->format->sample(&ex->table, source, sample, &ex->line);
	if (!write_line(ex, err))
		return false;
	if (makes_rows) {
		if (w->has_row && sample->end_ns > w->row_end_ns)
			ok = write_samples(ex, source, err);
		extend_row(ex, w, sample, flags, lost);
	}
	export_queue_add(&w->queue, sample, flags, step_end(&ex->options, sample->end_ns));
	return ok && (!makes_rows || ex->options.step_ns || write_samples(ex, source, err));
}

enum judged_written { WRITTEN_HOLDS = 1, WRITTEN_EVER = 2 };

/* Append the change of a verdict or a finding, if it starts (`begins`) or ends. */
static void put_change(struct export *ex, unsigned number, bool last, bool begins)
{
	const struct judge *judge = watch_judge(ex->options.watch);
	bool is_verdict = number < judge->n_verdicts;
	const struct judged *what =
		is_verdict ? &judge->verdicts[number] : &judge->findings[number - judge->n_verdicts];
	unsigned char *written = &ex->written[number];
	struct export_judgement change = {.what = what, .number = number, .is_verdict = is_verdict};

	if (begins != (what->holds && !last) || begins == (bool)(*written & WRITTEN_HOLDS))
		return;
	change.begins = begins;
	change.first = begins && !(*written & WRITTEN_EVER);
	/* a verdict ends when the next one begins */
	change.time_ns = last                    ? judge->end_ns
			 : is_verdict && !begins ? judge->verdict.since_ns
						 : what->since_ns;
	change.time_ns += ex->options.epoch_offset_ns;
	change.begin_ns = what->begun_ns + ex->options.epoch_offset_ns;
	*written = begins ? WRITTEN_HOLDS | WRITTEN_EVER : WRITTEN_EVER;
	ex->format->judged(&ex->table, &change, &ex->line);
}

/* Write starts and ends since the last call, the ends first. With `last`, all end. */
static bool write_judged(struct export *ex, bool last, struct err *err)
{
	const struct judge *judge = watch_judge(ex->options.watch);
	unsigned n = judge->n_verdicts + judge->n_findings;

	if (!ex->format->judged || (judge->end_ns == ex->judged_ns && !last))
		return true;
	strbuf_clear(&ex->line);
	if (!ex->written)
		ex->written = xcalloc(n + 1, 1);
	ex->judged_ns = judge->end_ns;
	for (int begins = 0; begins <= 1; begins++)
		for (unsigned i = 0; i < n; i++)
			put_change(ex, i, false, begins);
	for (unsigned i = 0; last && i < n; i++)
		put_change(ex, i, true, false);
	return write_line(ex, err);
}

bool export_sample(struct export *ex, const struct sample *sample, struct err *err)
{
	if (ex->options.watch) {
		watch_sample(ex->options.watch, sample);
		if (!write_judged(ex, false, err))
			return false;
	}
	for (unsigned s = 0; s < ex->table.n_sources; s++)
		if (ex->table.sources[s].index == sample->source)
			return take_sample(ex, s, sample, err);
	return true;
}

/* Write a row without values: a loss, or a mark after the last sample. */
static bool write_empty(struct export *ex, int64_t time_ns, bool marked, struct err *err)
{
	struct export_row row = {.begin_ns = time_ns, .end_ns = time_ns, .marked = marked, .lost = !marked};

	row.flags = marked ? 0 : SAMPLE_GAP;
	row.source = ex->table.first;
	memset(ex->sums, 0, ex->table.n_sources * sizeof(*ex->sums));
	return write_row(ex, &row, err);
}

bool export_end(struct export *ex, struct err *err)
{
	for (unsigned s = 0; s < ex->table.n_sources; s++)
		if (ex->waiting[s].has_row && !write_samples(ex, s, err))
			return false;
	for (int64_t at = ex->mark_ns; ex->options.lines != EXPORT_TOTAL && take_mark(ex, at);
	     at = ex->mark_ns)
		if (!write_empty(ex, at, true, err))
			return false;
	strbuf_clear(&ex->line);
	if (ex->format->end)
		ex->format->end(&ex->table, &ex->line);
	return !ex->line.n || write_line(ex, err);
}

bool export_findings(struct export *ex, struct err *err)
{
	if (!ex->options.watch)
		return true;
	watch_finish(ex->options.watch);
	if (!write_judged(ex, true, err))
		return false;
	strbuf_clear(&ex->line);
	if (ex->format->findings) {
		ex->format->findings(&ex->table, watch_judge(ex->options.watch), &ex->line);
		return !ex->line.n || write_line(ex, err);
	}
	if (ex->options.findings) { /* rows of numbers have no place for text */
		findings_report(&ex->table, watch_judge(ex->options.watch), &ex->line);
		message_lines(ex->line.p);
	}
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
	if (command->n_parts)
		row.duration_ns = command->counted_ns;
	mix_totals(ex);
	for (unsigned s = 0; s < ex->table.n_sources; s++) {
		struct column *total = ex->waiting[s].queue.total;

		total->flags &= SAMPLE_GAP | shared_flags; /* other flags concern single samples */
		ex->sums[s] = total->n_samples ? total : NULL;
	}
	if (ex->sums[ex->table.first])
		row.flags = ex->sums[ex->table.first]->flags;
	return write_row(ex, &row, err);
}

void export_set_clock(struct export *ex, int64_t epoch_offset_ns)
{
	ex->options.epoch_offset_ns = epoch_offset_ns;
}

bool export_mark(struct export *ex, int64_t time_ns, const char *text, struct err *err)
{
	if (!ex->format->mark) {
		if (strncmp(text, JUDGE_NEWS, strlen(JUDGE_NEWS)) == 0)
			return true; /* the flag is of marks that the user set */
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

/* Add a loss of n samples up to time_ns that seq does not show. In a format without marks it is a
 * row without values, with the flags `gap` and `lost`. */
static bool export_lost(struct export *ex, int64_t time_ns, uint64_t n, struct err *err)
{
	unsigned first = ex->table.first;
	char text[64];

	for (unsigned s = 0; ex->options.lines != EXPORT_ROWS && s < ex->table.n_sources; s++)
		ex->waiting[s].queue.total->flags |= SAMPLE_GAP;
	if (ex->options.lines == EXPORT_TOTAL)
		return true;
	if (!ex->format->mark) /* after the unfinished row */
		return (!ex->waiting[first].has_row || write_samples(ex, first, err)) &&
		       write_empty(ex, time_ns, false, err);
	snprintf(text, sizeof(text), "%llu sample%s lost", (unsigned long long)n, plural_ending(n));
	return export_mark(ex, time_ns, text, err);
}

bool export_processes(struct export *ex, const struct process_list *list, struct err *err)
{
	strbuf_clear(&ex->line);
	if (ex->format->processes)
		ex->format->processes(&ex->table, list, &ex->line);
	return write_line(ex, err);
}

bool export_note(struct export *ex, const struct mlog_note *note, struct err *err)
{
	if (note->kind == MLOG_NOTE_MARK)
		return export_mark(ex, note->time_ns, note->text, err);
	return note->kind != MLOG_NOTE_LOST || export_lost(ex, note->time_ns, (uint64_t)note->value, err);
}
