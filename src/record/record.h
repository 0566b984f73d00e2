/* record: `malitop record`: record a log without a screen, until --duration, the end of CMD, SIGINT
 * or SIGTERM. */
#ifndef MALITOP_RECORD_H
#define MALITOP_RECORD_H

#include "options/options.h"
#include "base/sys.h"

/* Returns the exit status: that of CMD if there is one (128 + signal, 127 not found, 126 not
 * executable). *out gets a one-line summary. *err gets the message of a failure, even if the status
 * is that of CMD. */
int record_run(const struct sys *sys, struct options *options, struct strbuf *out, struct err *err);

#endif
