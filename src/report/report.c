#include "report/report.h"

#include "base/alloc.h"
#include "base/message.h"
#include "export/export_findings.h"
#include "record/log_file.h"
#include "report/report_page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool find_file(const struct sys *sys, const char *path, struct stat *st)
{
	int fd = sys->open_at(sys, AT_FDCWD, path, O_PATH, 0);
	bool found = fd >= 0 && sys->fstat(sys, fd, st) == 0;

	if (fd >= 0)
		sys->close(sys, fd);
	return found;
}

/* A report must not replace a log that it is about. */
static bool check_out(const struct sys *sys, const struct options *o, struct err *err)
{
	struct stat in, out;

	if (strcmp(o->log, "-") == 0 || !find_file(sys, o->log, &out))
		return true;
	for (unsigned i = 0; i < o->n_logs; i++)
		if (find_file(sys, o->logs[i], &in) && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
			return err_set(err, ERR_USAGE,
				       "--log: this is a log that is read: choose another name");
	return true;
}

static bool write_text(const struct sys *sys, const struct options *o, const struct strbuf *text,
		       struct err *err)
{
	const struct log_file_options how = {.force = o->force};
	struct log_file *file = log_file_open(sys, o->log, &how, err);
	bool ok = file && log_file_write(file, text->p, text->n, err);

	ok = log_file_close(file, ok ? err : NULL) && ok;
	if (!ok && err->code == EPIPE) { /* the reader closed the pipe */
		err->text[0] = 0;
		ok = true;
	}
	return ok;
}

static bool make_text(const struct options *o, const struct report_log *logs, struct strbuf *out,
		      struct err *err)
{
	bool md = o->format == FORMAT_MD;

	if (o->n_logs == 1)
		return (md ? report_markdown : report_html)(&logs[0], out, err);
	return (md ? report_compare_markdown : report_compare_html)(&logs[0], &logs[1], out, err);
}

static void tell_log(const struct report_log *log)
{
	session_tell_notes(&log->session, log->name);
	if (log->missing.n)
		message("%s: %s", log->name, log->missing.p);
}

int report_run(const struct sys *sys, const struct options *options, struct err *err)
{
	struct report_log *logs = xcalloc(options->n_logs, sizeof(*logs));
	AUTO_STRBUF struct strbuf text = {0};
	char verdict[FINDINGS_VERDICT_TEXT];
	bool ok = check_out(sys, options, err), found = false, damaged = false;
	unsigned n = 0;

	while (ok && n < options->n_logs) {
		ok = report_log_read(&logs[n], sys, options, options->logs[n], err);
		n += ok;
	}
	for (unsigned i = 0; i < n; i++) {
		tell_log(&logs[i]);
		damaged = damaged || logs[i].damaged;
	}
	ok = ok && make_text(options, logs, &text, err) && write_text(sys, options, &text, err);
	if (ok)
		found = findings_result(logs[n - 1].watch, options->fail_on, verdict);
	for (unsigned i = 0; i < n; i++)
		report_log_fini(&logs[i]);
	free(logs);
	return !ok || damaged ? EXIT_FAILED : found ? EXIT_FOUND : EXIT_DONE;
}
