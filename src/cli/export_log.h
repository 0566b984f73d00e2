/* export_log: `malitop export`: a log as rows of metrics. */
#ifndef MALITOP_EXPORT_LOG_H
#define MALITOP_EXPORT_LOG_H

#include "options/options.h"
#include "base/sys.h"

/* From options->operand to options->log, as far as the log can be read; what is missing is told on standard error. The exit status: also a
 * failure is damage inside of the log; that it ends early, or still grows, is none, nor that nobody reads on. */
int export_log_run(const struct sys *sys, const struct options *options, struct err *err);

#endif
