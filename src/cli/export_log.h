/* export_log: `malitop export`: print a log as rows of metrics. */
#ifndef MALITOP_EXPORT_LOG_H
#define MALITOP_EXPORT_LOG_H

#include "options/options.h"
#include "base/sys.h"

/* Export options->operand to options->log, as far as the log can be read; report on standard error
 * what is missing. Returns the exit status. Damage inside the log is a failure. It is not a failure
 * if the log ends early or still grows, or if the reader of the output closes the pipe early. */
int export_log_run(const struct sys *sys, const struct options *options, struct err *err);

#endif
