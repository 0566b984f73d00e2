/* stat: `malitop stat`: print metrics per interval until --duration, SIGINT or SIGTERM, or the
 * totals for a command. */
#ifndef MALITOP_STAT_H
#define MALITOP_STAT_H

#include "options/options.h"
#include "base/sys.h"

/* Write the results to --log ("-" is standard output). Returns the exit status, which is that of
 * CMD if there is one (128 + signal, 127 not found, 126 not executable). After a failure *err has
 * the message. */
int stat_run(const struct sys *sys, struct options *options, struct err *err);

#endif
