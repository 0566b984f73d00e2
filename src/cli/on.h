/* on: record, stat and doctor on another machine; their results come here. */
#ifndef MALITOP_ON_H
#define MALITOP_ON_H

#include "options/options.h"
#include "base/sys.h"

/* Run options->remote_command there. What it prints, or the log, is the output here, or the file of
 * --log. Ctrl-C ends it there, and waits for the rest. Returns its exit status. */
int on_run(const struct sys *sys, const struct options *options, struct err *err);

#endif
