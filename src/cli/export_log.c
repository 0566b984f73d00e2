#include "cli/export_log.h"

#include "cli/headline.h"
#include "export/export_compare.h"
#include "export/export_findings.h"
#include "export/export_session.h"
#include "export/openmetrics_past.h"
#include "record/log_file.h"
#include "mlog/moment.h"
#include "base/alloc.h"
#include "base/message.h"
#include "mlog/mlog_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WRITE_BYTES 65536 /* at a time */

struct export_job {
	struct mlog_feed *feed;
	struct mlog_reader *reader;
	struct session session;
	struct export *export;
	struct log_file *out;      /* NULL: not open yet */
	struct log_pieces pending; /* complete rows */
	int64_t from_ns, to_ns;
	struct watch *watch;           /* NULL without --findings */
	int64_t processes_ns;          /* end of the last list of processes that it has seen */
	bool damaged, found;           /* of any log */
	struct openmetrics_past *past; /* of all logs; NULL in other formats */
	char verdict[FINDINGS_VERDICT_TEXT];
};

/* ---- out ---- */

static bool write_pending(struct export_job *job, struct err *err)
{
	unsigned n;
	bool ok = !job->out || log_file_write_pieces(job->out, &job->pending, &n, err);

	log_pieces_clear(&job->pending);
	return ok;
}

static bool add_rows(void *ctx, const void *bytes, size_t n, struct err *err)
{
	struct export_job *job = ctx;

	log_pieces_add(&job->pending, bytes, n, 0);
	return !job->out || job->pending.bytes.n < WRITE_BYTES || write_pending(job, err);
}

static bool find_file(const struct sys *sys, const char *path, struct stat *st)
{
	int fd = sys->open_at(sys, AT_FDCWD, path, O_PATH, 0);
	bool found = fd >= 0 && sys->fstat(sys, fd, st) == 0;

	if (fd >= 0)
		sys->close(sys, fd);
	return found;
}

static bool is_file(const struct sys *sys, const char *a, const char *b)
{
	struct stat in, out;

	return find_file(sys, a, &in) && find_file(sys, b, &out) && in.st_dev == out.st_dev &&
	       in.st_ino == out.st_ino;
}

/* Refuse to export onto the log itself: opening it for output would truncate it. */
static bool open_out(struct export_job *job, const struct sys *sys, const struct options *o, struct err *err)
{
	const struct log_file_options how = {.force = o->force};
	bool is_stdout = strcmp(o->log, "-") == 0;

	if (is_stdout && o->format == FORMAT_PERFETTO && isatty(STDOUT_FILENO))
		return err_set(err, ERR_USAGE, "--format perfetto: not for a terminal: give -o FILE.pftrace");
	for (unsigned i = 1; !is_stdout && i < o->n_logs; i++)
		if (is_file(sys, o->logs[i], o->log))
			return err_set(err, ERR_USAGE,
				       "--log: this is a log that is read: choose another name");
	if (!is_stdout &&
	    (is_file(sys, o->operand, o->log) || (o->compare && is_file(sys, o->compare, o->log))))
		return err_set(err, ERR_USAGE, "--log: this is the log that is read: choose another name");
	job->out = log_file_open(sys, o->log, &how, err);
	return job->out != NULL;
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

		if (is_wanted(job, note->time_ns) && !export_note(job->export, note, err))
			return false;
	}
	return true;
}

static void watch_lists(struct export_job *job)
{
	const struct process_list *list = job->watch ? mlog_reader_processes(job->reader) : NULL;

	if (!list || list->end_ns == job->processes_ns)
		return;
	job->processes_ns = list->end_ns;
	watch_processes(job->watch, list);
}

static bool export_block(struct export_job *job, const struct mlog_block *block, struct err *err)
{
	unsigned note = 0;

	for (unsigned i = 0; i < block->n_samples; i++) {
		const struct sample *sample = block->samples[i];

		if (is_wanted(job, sample->end_ns) &&
		    !(export_notes(job, block, &note, sample->end_ns, err) &&
		      export_sample(job->export, sample, err)))
			return false;
	}
	return export_notes(job, block, &note, INT64_MAX, err);
}

/* The next block; of a stream, what is exported so far is written before the next one is waited
 * for. */
static const struct mlog_block *next_block(struct export_job *job, struct err *err)
{
	const struct mlog_block *block;

	while (!(block = mlog_reader_next(job->reader, err)) && !err->code) {
		bool ended;

		if (!mlog_is_stream(job->feed) || !write_pending(job, err))
			return NULL;
		ended = !mlog_await(job->feed);
		if (!mlog_reader_refresh(job->reader) && ended)
			return NULL;
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
		watch_lists(job);
		if (!export_block(job, block, err))
			return false;
	}
	return (block || !err->code) && export_end(job->export, err) && export_findings(job->export, err) &&
	       write_pending(job, err);
}

/* ---- all of it ---- */

/* Report the notes of the session, and what the log does not contain. */
static void report_notes(const struct export_job *job, const struct options *o, const char *name)
{
	bool parts = false;

	session_tell_notes(&job->session, name);
	for (unsigned i = 0; i < job->session.n; i++)
		parts = parts || job->session.sources[i].n_slots > job->session.sources[i].n_sums;
	if (o->per_core && !parts)
		message("%s: the log has sums only: record it with --per-core", name);
}

/* The metrics of stat over a stream, unless it was told which. */
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

static bool open_log(struct export_job *job, const struct sys *sys, const struct options *o, const char *path,
		     const char *name, struct export_options form, struct err *err)
{
	AUTOFREE char *headline = NULL;
	struct mlog_input input;
	struct mlog_state state;

	job->feed = mlog_open(path, err);
	if (!job->feed)
		return false;
	input = mlog_opened(job->feed);
	job->reader = mlog_reader_new(&input, name, err);
	if (!job->reader || !session_open_log(&job->session, sys, o, mlog_reader_about(job->reader), err))
		return false;
	report_notes(job, o, name);
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
	form.watch = job->watch = session_watch(&job->session);
	job->export = export_session(&job->session, &form, add_rows, job, err);
	return job->export != NULL;
}

/* Report damage. Returns whether the log is intact as far as it goes. */
static bool report_damage(const struct export_job *job, const char *name)
{
	AUTO_STRBUF struct strbuf text = {0};
	struct mlog_state state;

	struct mlog_arrival arrival;

	mlog_reader_complain(job->reader, &text);
	mlog_arrival_complain(job->feed, &text);
	if (text.n)
		message("%s: %s", name, text.p);
	mlog_reader_state(job->reader, &state);
	mlog_arrival(job->feed, &arrival);
	return !state.damaged && !arrival.stream.skipped && !arrival.err.text[0];
}

/* The output stays open, for the next log. */
static void close_log(struct export_job *job)
{
	export_free(job->export);
	watch_free(job->watch);
	session_close(&job->session);
	mlog_reader_free(job->reader);
	mlog_close(job->feed);
	log_pieces_fini(&job->pending);
	*job = (struct export_job){
		.out = job->out, .damaged = job->damaged, .found = job->found, .past = job->past};
}

/* csv has one header, which all logs must share. */
static bool merge_header(struct export_job *job, const struct options *o, struct strbuf *seen,
			 const char *name, struct err *err)
{
	struct span header = {job->pending.bytes.p, job->pending.bytes.n};

	if (o->format != FORMAT_CSV)
		return true;
	if (!seen->n)
		strbuf_add(seen, header.p, header.n);
	else if (span_eq(header, (struct span){seen->p, seen->n}))
		log_pieces_clear(&job->pending);
	else
		return err_set(
			err, 0,
			"%s: it has other columns than the log before: choose common ones with --metrics, "
			"or give --format jsonl",
			name);
	return true;
}

/* Export one log. `seen` is the header of those before it. */
static bool export_one(struct export_job *job, const struct sys *sys, const struct options *o,
		       const char *path, struct strbuf *seen, struct err *err)
{
	char name[256];
	bool ok;

	str_printable(name, sizeof(name), strcmp(path, "-") == 0 ? "standard input" : path);
	ok = open_log(job, sys, o, path, name,
		      (struct export_options){.lines = o->report ? EXPORT_TOTAL : EXPORT_ROWS}, err) &&
	     (o->n_logs < 2 || merge_header(job, o, seen, name, err)) &&
	     (job->out || open_out(job, sys, o, err)) && export_blocks(job, err);
	if (job->reader && job->out && err->code != EPIPE)
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

static bool read_begin(struct log_begin *log, struct err *err)
{
	struct mlog_feed *feed = mlog_open(log->path, err);
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
		ok = read_begin(&logs[i], err);
	}
	if (ok && o->n_logs > 1)
		qsort(logs, o->n_logs, sizeof(*logs), compare_begins);
	if (!ok)
		alloc_cleanup_free(&logs);
	return ok ? logs : NULL;
}

static bool write_past(struct export_job *job, struct err *err)
{
	uint64_t n_dropped = openmetrics_past_dropped(job->past);
	bool ok = openmetrics_past_write(job->past, add_rows, job, err) && write_pending(job, err);

	log_pieces_fini(&job->pending);
	if (n_dropped)
		message("%llu values were left out: logs of one host overlap", (unsigned long long)n_dropped);
	return ok;
}

static int export_rows(const struct sys *sys, const struct options *options, struct err *err)
{
	AUTO_STRBUF struct strbuf seen = {0};
	struct export_job job = {.past = options->format == FORMAT_OPENMETRICS ? openmetrics_past_new()
									       : NULL};
	AUTOFREE struct log_begin *logs = sort_logs(options, err);
	bool ok = logs != NULL;

	for (unsigned i = 0; ok && i < (options->n_logs ? options->n_logs : 1); i++)
		ok = export_one(&job, sys, options, logs[i].path, &seen, err);
	ok = ok && (!job.past || write_past(&job, err));
	openmetrics_past_free(job.past);
	ok = log_file_close(job.out, ok ? err : NULL) && ok;
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
	struct export_job job = {0};
	bool ok;

	str_printable(name, sizeof(name), path);
	ok = open_log(&job, sys, options, path, name, form, err) && export_blocks(&job, err) &&
	     export_total(job.export, &(struct export_command){.text = name}, err) &&
	     report_damage(&job, name);
	findings_result(job.watch, 0, verdict);
	if (ok)
		export_compare_end(compare, name, verdict);
	close_log(&job);
	return ok;
}

static bool print_compared(struct export_compare *compare, const struct sys *sys,
			   const struct options *options, struct err *err)
{
	AUTO_STRBUF struct strbuf text = {0};
	struct export_job job = {0};
	bool ok = open_out(&job, sys, options, err);

	export_compare_print(compare, options->format, &text);
	ok = ok && log_file_write(job.out, text.p, text.n, err);
	return log_file_close(job.out, ok ? err : NULL) && ok;
}

static int compare_logs(const struct sys *sys, const struct options *options, struct err *err)
{
	struct export_compare *compare = export_compare_new();
	bool ok = add_total(compare, sys, options, options->compare, err) &&
		  add_total(compare, sys, options, options->operand, err) &&
		  print_compared(compare, sys, options, err);

	export_compare_free(compare);
	return ok ? EXIT_DONE : EXIT_FAILED;
}

int export_log_run(const struct sys *sys, const struct options *options, struct err *err)
{
	return options->compare ? compare_logs(sys, options, err) : export_rows(sys, options, err);
}
