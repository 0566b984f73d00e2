/* report: `malitop report`: a page, or a ticket's text, about one log, or about two of them. */
#ifndef MALITOP_REPORT_H
#define MALITOP_REPORT_H

#include "options/options.h"
#include "base/sys.h"

/* Returns an exit status; if it is EXIT_FAILED, *err has the message. */
int report_run(const struct sys *sys, const struct options *options, struct err *err);

#endif
