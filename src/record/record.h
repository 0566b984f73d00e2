/* record: `malitop record`: a log without a screen, until --duration, CMD's end, SIGINT or SIGTERM. */
#ifndef MALITOP_RECORD_H
#define MALITOP_RECORD_H

#include "options/options.h"
#include "base/sys.h"

/* Returns the exit status: CMD's own where there is one (128 + signal, 127 not found, 126 not executable). A one-line summary goes to
 * *out. A failure has its message in *err, also beside the status of a command. */
int record_run(const struct sys *sys, struct options *options, struct strbuf *out, struct err *err);

#endif
