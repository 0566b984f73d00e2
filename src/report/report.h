/* report: `malitop report`: a page, or the text for a ticket, about one log or about several. */
#ifndef MALITOP_REPORT_H
#define MALITOP_REPORT_H

#include "options/options.h"
#include "base/sys.h"
#include "record/history_log.h"

/* Returns an exit status. If it is EXIT_FAILED, *err has the message. */
int report_run(const struct sys *sys, const struct options *options, struct err *err);

/* Append the page about the log in a file, which is closed here. The page calls the log `name`. */
struct file;
bool report_page_of(const struct sys *sys, const struct options *options, struct file *log, const char *name,
		    struct strbuf *out, struct err *err);
/* Append the page about kept histories. */
bool report_page_of_history(const struct options *options, const struct history_log *what, const char *name,
			    struct strbuf *out, struct err *err);

/* The report of a run, for --report. Its file is created before the run, so that an unusable name
 * is an error at once. The run records the log that options->report_log names, which is removed at
 * the end. */
struct report_of_run {
	struct log_file *file;
	char *own; /* path of that log; NULL: the report is about --log */
};
bool report_begin(struct report_of_run *report, const struct sys *sys, struct options *options,
		  struct err *err);
/* Write the report, unless the run never started. Takes and returns an exit status. */
int report_end(struct report_of_run *report, const struct sys *sys, const struct options *options,
	       int status);

#endif
