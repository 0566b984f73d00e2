#include "cli/commands.h"

#include "export/export_findings.h"
#include "export/export_session.h"
#include "export/openmetrics.h"
#include "record/log_file.h"
#include "mlog/moment.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/message.h"
#include "mlog/mlog_open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WRITE_BYTES 65536 /* at a time */

/* One file of rows. It stays open for the next log. */
struct export_out {
	const struct export_format *format; /* NULL: that of the options */
	char *path;
	struct export *export;
	struct log_file *file;     /* NULL: not open yet */
	struct log_pieces pending; /* complete rows */
	struct strbuf header;      /* of csv, which several logs share */
};

#define OUTS_MOST 8

struct export_job {
	struct export_out outs[OUTS_MOST];
	unsigned n_outs;
	struct mlog_feed *feed;
	struct mlog_reader *reader;
	struct session session;
	int64_t from_ns, to_ns;
	struct sample_failures failures[SESSION_SOURCES_MAX];
	struct watch *watch;           /* NULL without --findings */
	int64_t processes_ns;          /* end of the last list of processes that it has seen */
	bool damaged, found;           /* of any log */
	struct openmetrics_past *past; /* of all logs; NULL in other formats */
	char verdict[FINDINGS_VERDICT_TEXT];
};

/* ---- out ---- */

static bool write_out(struct export_out *out, struct err *err)
{
	unsigned n;
	bool ok = !out->file || log_file_write_pieces(out->file, &out->pending, &n, err);

	log_pieces_clear(&out->pending);
	return ok;
}

static bool write_pending(struct export_job *job, struct err *err)
{
	for (unsigned i = 0; i < job->n_outs; i++)
		if (!write_out(&job->outs[i], err))
			return false;
	return true;
}

static bool add_rows(void *ctx, const void *bytes, size_t n, struct err *err)
{
	struct export_out *out = ctx;

	log_pieces_add(&out->pending, bytes, n, 0);
	return !out->file || out->pending.bytes.n < WRITE_BYTES || write_out(out, err);
}

/* The file of the options, or all tables in their directory. */
static bool choose_outs(struct export_job *job, const struct sys *sys, const struct options *o,
			struct err *err)
{
	struct stat st;

	if (!o->tables) {
		job->outs[job->n_outs++] = (struct export_out){.path = xstrdup(o->log)};
		return true;
	}
	if (!log_file_find(sys, o->tables, &st) || !S_ISDIR(st.st_mode))
		return err_set(err, ERR_USAGE, "--tables: '%.200s' is not a directory: create it first",
			       o->tables);
	for (const struct export_table_file *t = export_table_files; t->name; t++)
		job->outs[job->n_outs++] = (struct export_out){
			.format = t->format, .path = xasprintf("%s/%s.csv", o->tables, t->name)};
	return true;
}

/* Refuse to export onto the log itself: opening it for output would truncate it. */
static bool open_out(struct export_out *out, const struct sys *sys, const struct options *o, struct err *err)
{
	const struct log_file_options how = {.force = o->force};
	bool is_stdout = strcmp(out->path, "-") == 0;

	if (is_stdout && o->format == FORMAT_PERFETTO && isatty(STDOUT_FILENO))
		return err_set(err, ERR_USAGE, "--format perfetto: not for a terminal: give -o FILE.pftrace");
	for (unsigned i = 1; !is_stdout && i < o->n_logs; i++)
		if (log_file_is_same(sys, o->logs[i], out->path))
			return err_set(err, ERR_USAGE,
				       "--log: this is a log that is read: choose another name");
	if (!is_stdout && (log_file_is_same(sys, o->operand, out->path) ||
			   (o->compare && log_file_is_same(sys, o->compare, out->path))))
		return err_set(err, ERR_USAGE, "--log: this is the log that is read: choose another name");
	out->file = log_file_open(sys, out->path, &how, err);
	return out->file != NULL;
}

/* Returns whether all that was written is there. */
static bool close_outs(struct export_job *job, struct err *err)
{
	bool ok = true;

	for (unsigned i = 0; i < job->n_outs; i++) {
		ok = log_file_close(job->outs[i].file, ok ? err : NULL) && ok;
		log_pieces_fini(&job->outs[i].pending);
		strbuf_fini(&job->outs[i].header);
		free(job->outs[i].path);
	}
	return ok;
}

/* ---- from the log ---- */

static bool is_wanted(const struct export_job *job, int64_t end_ns)
{
	return end_ns > job->from_ns && end_ns <= job->to_ns;
}

/* Export the notes up to a time. *next is the first note not yet seen. */
static bool export_notes(struct export_job *job, const struct mlog_block *block, unsigned *next,
			 int64_t until_ns, struct err *err)
{
	for (; *next < block->n_notes && block->notes[*next].time_ns <= until_ns; ++*next) {
		const struct mlog_note *note = &block->notes[*next];

		for (unsigned i = 0; is_wanted(job, note->time_ns) && i < job->n_outs; i++)
			if (!export_note(job->outs[i].export, note, err))
				return false;
	}
	return true;
}

static bool export_lists(struct export_job *job, struct err *err)
{
	const struct process_list *list = mlog_reader_processes(job->reader);

	if (!list || list->end_ns == job->processes_ns)
		return true;
	job->processes_ns = list->end_ns;
	if (job->watch)
		watch_processes(job->watch, list);
	for (unsigned i = 0; is_wanted(job, list->end_ns) && i < job->n_outs; i++)
		if (!export_processes(job->outs[i].export, list, err))
			return false;
	return true;
}

static bool export_block(struct export_job *job, const struct mlog_block *block, struct err *err)
{
	unsigned note = 0;

	for (unsigned i = 0; i < block->n_samples; i++) {
		const struct sample *sample = block->samples[i];

		if (!is_wanted(job, sample->end_ns))
			continue;
		sample_failures_add(&job->failures[sample->source], sample->flags, sample->end_ns);
		if (!export_notes(job, block, &note, sample->end_ns, err))
			return false;
		for (unsigned k = 0; k < job->n_outs; k++)
			if (!export_sample(job->outs[k].export, sample, err))
				return false;
	}
	return export_notes(job, block, &note, INT64_MAX, err);
}

/* The next block; of a stream, what is exported so far is written before the next one is waited
 * for. */
static const struct mlog_block *next_block(struct export_job *job, struct err *err)
{
	const struct mlog_about *about = mlog_reader_about(job->reader);
	const struct mlog_block *block;

	while (!(block = mlog_reader_next(job->reader, err)) && !err->code) {
		bool ended;

		if (!mlog_is_stream(job->feed) || !write_pending(job, err))
			return NULL;
		ended = !mlog_await(job->feed);
		if (!mlog_reader_refresh(job->reader) && ended)
			return NULL;
		for (unsigned i = 0; i < job->n_outs; i++)
			export_set_clock(job->outs[i].export, about->realtime_ns - about->monotonic_ns);
	}
	return block;
}

/* Export what the log holds now, or all that arrives; stop at the first block that begins after
 * --to. */
static bool export_blocks(struct export_job *job, struct err *err)
{
	const struct mlog_block *block;

	err->code = 0;
	mlog_reader_seek(job->reader, job->from_ns);
	while ((block = next_block(job, err)) && block->begin_ns <= job->to_ns) {
		if (!export_lists(job, err) || !export_block(job, block, err))
			return false;
	}
	if (!block && err->code)
		return false;
	for (unsigned i = 0; i < job->n_outs; i++)
		if (!export_end(job->outs[i].export, err) || !export_findings(job->outs[i].export, err))
			return false;
	return write_pending(job, err);
}

/* ---- all of it ---- */

/* Choose the metrics of stat over a stream, unless --metrics names them. */
static char *choose_metrics(const struct session *session)
{
	const struct options *o = session->options;
	const struct metric_set *sets[SESSION_SOURCES_MAX];

	if (!o->stream || o->metrics)
		return NULL;
	for (unsigned i = 0; i < session->n; i++)
		sets[i] = session->sources[i].set;
	return headline_choose(sets, session->n, o->events, o->n_events);
}

/* Several logs are read as files, some of them twice; opening a pipe waits for its writer. */
static bool check_regular(const struct options *o, const char *path, struct err *err)
{
	struct file *file;

	if ((!o->compare && o->n_logs < 2) || strcmp(path, "-") == 0)
		return true;
	file = file_open(path, err);
	file_close(file);
	return file != NULL;
}

static bool open_log(struct export_job *job, const struct sys *sys, const struct options *o, const char *path,
		     const char *name, struct export_options form, struct err *err)
{
	AUTOFREE char *headline = NULL;
	bool parts = false;
	struct mlog_input input;
	struct mlog_state state;

	job->feed = check_regular(o, path, err) ? mlog_open(path, err) : NULL;
	if (!job->feed)
		return false;
	input = mlog_opened(job->feed);
	job->reader = mlog_reader_new(&input, name, err);
	if (!job->reader ||
	    !session_open_log(&job->session, sys, o, mlog_reader_about(job->reader), NULL, err))
		return false;
	session_report_notes(&job->session, name);
	for (unsigned i = 0; i < job->session.n; i++)
		parts |= job->session.sources[i].n_slots > job->session.sources[i].n_sums;
	if (o->per_core && !parts)
		message("%s: the log has sums only: record it with --per-core", name);
	mlog_reader_state(job->reader, &state);
	if (!mlog_is_stream(job->feed) && !moment_check_from(o->from_ns, state.end_ns - state.begin_ns, err))
		return false;
	if (!state.blocks) /* of a stream that has just begun */
		state.begin_ns = mlog_reader_about(job->reader)->monotonic_ns;
	headline = choose_metrics(&job->session);
	form.metrics = headline ? headline : o->metrics;
	form.exact = headline != NULL;
	form.past = job->past;
	form.step_from_ns = state.begin_ns + o->from_ns;
	job->from_ns = o->from_ns ? form.step_from_ns : INT64_MIN;
	job->to_ns = o->to_ns ? state.begin_ns + o->to_ns : INT64_MAX;
	job->watch = session_watch(&job->session);
	for (unsigned i = 0; i < job->n_outs; i++) {
		struct export_out *out = &job->outs[i];

		form.format = out->format;
		form.watch = !form.format || form.format->judged ? job->watch : NULL; /* it sees all once */
		out->export = export_session(&job->session, &form, add_rows, out, err);
		if (!out->export)
			return false;
	}
	return true;
}

static void report_failures(const struct export_job *job, const char *name)
{
	char why[SAMPLE_FAILURES_TEXT];

	for (unsigned i = 0; i < job->session.n; i++) {
		uint64_t n = sample_failures_all(&job->failures[i]);

		sample_failures_format(&job->failures[i], why, sizeof(why));
		if (n)
			message("%s: %s: %llu sample%s failed: %s", name, job->session.sources[i].title,
				(unsigned long long)n, plural_ending(n), why);
	}
}

/* Report failed samples and damage. Returns whether the log is intact as far as it goes. */
static bool report_damage(const struct export_job *job, const char *name)
{
	AUTO_STRBUF struct strbuf text = {0};
	struct mlog_state state;
	struct mlog_arrival arrival;

	report_failures(job, name);
	mlog_reader_complain(job->reader, &text);
	mlog_arrival_complain(job->feed, &text);
	mlog_reader_tell_clock(job->reader, &text);
	if (text.n)
		message("%s: %s", name, text.p);
	mlog_reader_state(job->reader, &state);
	mlog_arrival(job->feed, &arrival);
	return !state.damaged && !arrival.stream.skipped && !arrival.err.text[0];
}

/* The output stays open, for the next log. */
static void close_log(struct export_job *job)
{
	struct export_job next = {
		.n_outs = job->n_outs, .damaged = job->damaged, .found = job->found, .past = job->past};

	for (unsigned i = 0; i < job->n_outs; i++) {
		export_free(take_ptr(&job->outs[i].export));
		log_pieces_clear(&job->outs[i].pending);
	}
	watch_free(job->watch);
	session_close(&job->session);
	mlog_reader_free(job->reader);
	mlog_close(job->feed);
	memcpy(next.outs, job->outs, sizeof(next.outs));
	*job = next;
}

/* csv has one header, which all logs must share. */
static bool merge_headers(struct export_job *job, const struct options *o, const char *name, struct err *err)
{
	for (unsigned i = 0; o->n_logs > 1 && o->format == FORMAT_CSV && i < job->n_outs; i++) {
		struct export_out *out = &job->outs[i];
		const struct strbuf *header = &out->pending.bytes;

		if (!out->header.n)
			strbuf_add(&out->header, header->p, header->n);
		else if (span_eq((struct span){header->p, header->n},
				 (struct span){out->header.p, out->header.n}))
			log_pieces_clear(&out->pending);
		else
			return err_set(
				err, 0,
				"%s: its columns differ from those of the previous log: choose common ones "
				"with --metrics, or give --format jsonl",
				name);
	}
	return true;
}

static bool export_one(struct export_job *job, const struct sys *sys, const struct options *o,
		       const char *path, struct err *err)
{
	char name[256];
	bool ok;

	str_printable(name, sizeof(name), strcmp(path, "-") == 0 ? "standard input" : path);
	ok = open_log(job, sys, o, path, name,
		      (struct export_options){.lines = o->report ? EXPORT_TOTAL : EXPORT_ROWS}, err) &&
	     merge_headers(job, o, name, err);
	for (unsigned i = 0; ok && i < job->n_outs; i++)
		ok = job->outs[i].file || open_out(&job->outs[i], sys, o, err);
	ok = ok && export_blocks(job, err);
	if (job->reader && job->outs[0].file && err->code != EPIPE)
		job->damaged = !report_damage(job, name) || job->damaged;
	job->found = ok && findings_result(job->watch, o->fail_on, job->verdict);
	close_log(job);
	return ok;
}

/* A log, and when it began by its own clock. */
struct log_begin {
	const char *path;
	int64_t begin_ns;
};

static int compare_begins(const void *a, const void *b)
{
	const struct log_begin *first = a, *second = b;

	return (first->begin_ns > second->begin_ns) - (first->begin_ns < second->begin_ns);
}

static bool read_begin(struct log_begin *log, const struct options *o, struct err *err)
{
	struct mlog_feed *feed = check_regular(o, log->path, err) ? mlog_open(log->path, err) : NULL;
	const struct mlog_input input = feed ? mlog_opened(feed) : (struct mlog_input){0};
	struct mlog_reader *reader = feed ? mlog_reader_new(&input, log->path, err) : NULL;
	struct mlog_state state;

	if (reader) {
		const struct mlog_about *about = mlog_reader_about(reader);

		mlog_reader_state(reader, &state);
		log->begin_ns = state.begin_ns - about->monotonic_ns + about->realtime_ns;
	}
	mlog_reader_free(reader);
	mlog_close(feed);
	return reader != NULL;
}

/* Several logs are exported in the order in which they began: so the files of --rotate are one log
 * again. The caller frees the list. */
static struct log_begin *sort_logs(const struct options *o, struct err *err)
{
	struct log_begin *logs = xcalloc(o->n_logs + 1, sizeof(*logs));
	bool ok = true;

	logs[0].path = o->operand;
	for (unsigned i = 0; ok && o->n_logs > 1 && i < o->n_logs; i++) {
		logs[i].path = o->logs[i];
		ok = read_begin(&logs[i], o, err);
	}
	if (ok && o->n_logs > 1)
		qsort(logs, o->n_logs, sizeof(*logs), compare_begins);
	if (!ok)
		alloc_cleanup_free(&logs);
	return ok ? logs : NULL;
}

static int export_rows(const struct sys *sys, const struct options *options, struct err *err)
{
	struct export_job job = {.past = options->format == FORMAT_OPENMETRICS ? openmetrics_past_new()
									       : NULL};
	AUTOFREE struct log_begin *logs = sort_logs(options, err);
	bool ok = logs != NULL && choose_outs(&job, sys, options, err);
	uint64_t n_dropped;

	for (unsigned i = 0; ok && i < (options->n_logs ? options->n_logs : 1); i++)
		ok = export_one(&job, sys, options, logs[i].path, err);
	if (ok && job.past) {
		ok = openmetrics_past_write(job.past, add_rows, &job.outs[0], err) &&
		     write_out(&job.outs[0], err);
		n_dropped = openmetrics_past_dropped(job.past);
		if (n_dropped)
			message("%llu value%s %s omitted: logs of one host overlap",
				(unsigned long long)n_dropped, plural_ending(n_dropped),
				was_or_were(n_dropped));
	}
	openmetrics_past_free(job.past);
	ok = close_outs(&job, ok ? err : NULL) && ok;
	if (!ok && err->code == EPIPE) { /* the reader closed the pipe */
		err->text[0] = 0;
		ok = true;
	}
	return !ok || job.damaged ? EXIT_FAILED : job.found ? EXIT_FOUND : EXIT_DONE;
}

/* ---- two logs ---- */

static bool add_total(struct export_compare *compare, const struct sys *sys, const struct options *options,
		      const char *path, struct err *err)
{
	const struct export_options form = {.compare = compare, .lines = EXPORT_TOTAL};
	char name[256], verdict[FINDINGS_VERDICT_TEXT];
	struct export_job job = {.n_outs = 1}; /* to no file */
	bool ok;

	str_printable(name, sizeof(name), path);
	ok = open_log(&job, sys, options, path, name, form, err) && export_blocks(&job, err) &&
	     export_total(job.outs[0].export, &(struct export_command){.text = name}, err) &&
	     report_damage(&job, name);
	findings_result(job.watch, 0, verdict);
	if (ok)
		export_compare_end(compare, name, verdict);
	close_log(&job);
	close_outs(&job, NULL);
	return ok;
}

static int compare_logs(const struct sys *sys, const struct options *options, struct err *err)
{
	struct export_compare *compare = export_compare_new();
	struct export_out out = {.path = (char *)(uintptr_t)options->log};
	AUTO_STRBUF struct strbuf text = {0};
	bool ok = add_total(compare, sys, options, options->compare, err) &&
		  add_total(compare, sys, options, options->operand, err) &&
		  open_out(&out, sys, options, err);

	if (ok) {
		export_compare_print(compare, options->format, &text);
		ok = log_file_write(out.file, text.p, text.n, err);
	}
	export_compare_free(compare);
	return log_file_close(out.file, ok ? err : NULL) && ok ? EXIT_DONE : EXIT_FAILED;
}

int export_log_run(const struct sys *sys, const struct options *options, struct err *err)
{
	return options->compare ? compare_logs(sys, options, err) : export_rows(sys, options, err);
}
