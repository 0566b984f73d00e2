#include "report/report.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/message.h"
#include "export/export_findings.h"
#include "record/log_file.h"
#include "report/report_page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* Check that the report does not replace a log that it is about. */
static bool check_out(const struct sys *sys, const struct options *o, struct err *err)
{
	for (unsigned i = 0; strcmp(o->log, "-") != 0 && i < o->n_logs; i++)
		if (log_file_is_same(sys, o->logs[i], o->log))
			return err_set(err, ERR_USAGE,
				       "--log: this is a log that is read: choose another name");
	return true;
}

/* Write to the file and close it; without one, write to --log. */
static bool write_text(const struct sys *sys, const struct options *o, struct log_file *file,
		       const struct strbuf *text, struct err *err)
{
	bool ok;

	if (!file)
		file = log_file_open(sys, o->log, &(struct log_file_options){.force = o->force}, err);
	ok = file && log_file_write(file, text->p, text->n, err);

	ok = log_file_close(file, ok ? err : NULL) && ok;
	if (!ok && err->code == EPIPE) { /* the reader closed the pipe */
		err->text[0] = 0;
		ok = true;
	}
	return ok;
}

/* Return the number of runs of a side. The runs of a side follow each other. */
static unsigned runs_of_side(const struct options *o)
{
	return o->repeat ? o->repeat : 1;
}

static bool make_text(const struct options *o, const struct report_log *logs, struct strbuf *out,
		      struct err *err)
{
	unsigned runs = runs_of_side(o), n = o->n_logs / runs;
	AUTOFREE struct report_side *sides = xcalloc(n, sizeof(*sides));
	bool md = o->format == FORMAT_MD;

	for (unsigned i = 0; i < n; i++)
		sides[i] = (struct report_side){&logs[i * runs], runs};
	return n == 1 ? (md ? report_markdown : report_html)(&logs[0], out, err)
		      : (md ? report_compare_markdown : report_compare_html)(sides, n, out, err);
}

/* Name a log that is removed at the end like the report of its run, without the extension. */
static void name_run(struct report_log *log, const struct options *o)
{
	const char *slash = strrchr(o->report_file, '/'), *base = slash ? slash + 1 : o->report_file;

	str_printable(log->name, sizeof(log->name), base);
	*strrchr(log->name, '.') = 0;
}

static bool is_common(const struct report_log *logs, unsigned n, size_t i)
{
	for (unsigned k = 1; k < n; k++)
		if (logs[k].name[i] != logs[0].name[i])
			return false;
	return n > 1 && logs[0].name[i];
}

/* Shorten the names of logs to the parts that differ: without the common directories. */
static void shorten_names(struct report_log *logs, unsigned n)
{
	size_t common = 0;

	for (size_t i = 0; is_common(logs, n, i); i++)
		if (logs[0].name[i] == '/')
			common = i + 1;
	for (unsigned k = 0; k < n; k++)
		memmove(logs[k].name, logs[k].name + common, strlen(logs[k].name + common) + 1);
}

static int report_to(const struct sys *sys, const struct options *options, struct log_file *file,
		     struct err *err)
{
	struct report_log *logs = xcalloc(options->n_logs, sizeof(*logs));
	AUTO_STRBUF struct strbuf text = {0};
	char verdict[FINDINGS_VERDICT_TEXT];
	bool ok = file || check_out(sys, options, err), found = false, damaged = false;
	unsigned n = 0;

	while (ok && n < options->n_logs) {
		ok = report_log_read(&logs[n], sys, options, options->logs[n], err);
		if (ok && options->report_log)
			name_run(&logs[n], options);
		n += ok;
	}
	for (unsigned i = 0; i < n; i++) {
		AUTO_STRBUF struct strbuf clock = {0};

		session_report_notes(&logs[i].session, logs[i].name);
		mlog_reader_tell_clock(logs[i].reader, &clock);
		if (clock.n)
			message("%s: %s", logs[i].name, clock.p);
		if (logs[i].missing.n)
			message("%s: %s", logs[i].name, logs[i].missing.p);
		damaged = damaged || logs[i].damaged;
	}
	shorten_names(logs, n);
	ok = ok && make_text(options, logs, &text, err);
	if (ok)
		ok = write_text(sys, options, take_ptr(&file), &text, err);
	log_file_close(file, NULL);
	for (unsigned i = n - runs_of_side(options); ok && i < n; i++)
		found = findings_result(logs[i].watch, options->fail_on, verdict) || found;
	for (unsigned i = 0; i < n; i++)
		report_log_fini(&logs[i]);
	free(logs);
	return !ok || damaged ? EXIT_FAILED : found ? EXIT_FOUND : EXIT_DONE;
}

int report_run(const struct sys *sys, const struct options *options, struct err *err)
{
	return report_to(sys, options, NULL, err);
}

bool report_page_of(const struct sys *sys, const struct options *options, struct file *log, const char *name,
		    struct strbuf *out, struct err *err)
{
	struct options how = *options;
	struct report_log *read = xcalloc(1, sizeof(*read));
	bool ok;

	how.command = COMMAND_REPORT;
	how.format = FORMAT_HTML;
	how.findings = true;
	how.from_ns = how.to_ns = 0;
	ok = report_log_read_file(read, sys, &how, log, name, err);
	if (ok) {
		ok = report_html(read, out, err);
		report_log_fini(read);
	}
	free(read);
	return ok;
}

static bool add_block(void *ctx, const void *bytes, size_t n, struct err *err)
{
	return file_append(ctx, bytes, n, err);
}

bool report_page_of_history(const struct options *options, const struct history_log *what, const char *name,
			    struct strbuf *out, struct err *err)
{
	struct file *log = file_temporary(err);

	if (!log)
		return false;
	if (!history_log(what, add_block, log, err)) {
		file_close(log);
		return false;
	}
	return report_page_of(what->session->sys, options, log, name, out, err);
}

/* ---- of a run ---- */

bool report_begin(struct report_of_run *report, const struct sys *sys, struct options *options,
		  struct err *err)
{
	const struct log_file_options how = {.force = options->force};
	bool logs = options->command == COMMAND_RECORD && options->format == FORMAT_MLOG &&
		    strcmp(options->log, "-") != 0;

	*report = (struct report_of_run){.file = log_file_open(sys, options->report_file, &how, err)};
	if (!report->file)
		return false;
	if (!logs)
		report->own =
			xasprintf("%s.%lld.mlog", options->report_file, (long long)sys->realtime_ns(sys));
	options->report_log = report->own;
	return true;
}

int report_end(struct report_of_run *report, const struct sys *sys, const struct options *options, int status)
{
	const char *log = report->own ? report->own : options->log;
	struct options how = *options;
	struct err err = {0};

	how.command = COMMAND_REPORT;
	how.format = options->report_format;
	how.logs = &log;
	how.n_logs = 1;
	how.repeat = 0;
	how.findings = true;
	if (!options->recorded)
		log_file_close(report->file, NULL); /* an empty file is removed */
	else if (report_to(sys, &how, report->file, &err) == EXIT_FAILED && status == EXIT_DONE)
		status = EXIT_FAILED;
	if (err.text[0])
		message("--report: %s", err.text);
	if (report->own)
		sys->unlink_at(sys, AT_FDCWD, report->own);
	free(report->own);
	return status;
}
