/* report: `malitop report`: a page, or a ticket's text, about one log, or about two of them. */
#ifndef MALITOP_REPORT_H
#define MALITOP_REPORT_H

#include "options/options.h"
#include "base/sys.h"
#include "record/history_log.h"

/* Returns an exit status; if it is EXIT_FAILED, *err has the message. */
int report_run(const struct sys *sys, const struct options *options, struct err *err);

/* Append the page about a log in a file, which is closed here, that is called `name` in it. */
struct file;
bool report_page_of(const struct sys *sys, const struct options *options, struct file *log, const char *name,
		    struct strbuf *out, struct err *err);
/* The same about kept histories. */
bool report_page_of_history(const struct options *options, const struct history_log *what, const char *name,
			    struct strbuf *out, struct err *err);

/* The report of a run, for --report: its file is created before the run, so that a name that cannot
 * be used is an error at once. The run records the log that options->report_log names; it is
 * removed at the end. */
struct report_of_run {
	struct log_file *file;
	char *own; /* path of that log; NULL: the report is about --log */
};
bool report_begin(struct report_of_run *report, const struct sys *sys, struct options *options,
		  struct err *err);
/* Write it unless the run never began. Takes and returns an exit status. */
int report_end(struct report_of_run *report, const struct sys *sys, const struct options *options,
	       int status);

#endif
