/* stat: `malitop stat`: metrics per interval until --duration, SIGINT or SIGTERM, or what they came to over a command. */
#ifndef MALITOP_STAT_H
#define MALITOP_STAT_H

#include "options/options.h"
#include "base/sys.h"

/* Writes its results to --log, standard output where that is "-". Returns the exit status: CMD's own where there is one (128 + signal,
 * 127 not found, 126 not executable). A failure has its message in *err. */
int stat_run(const struct sys *sys, struct options *options, struct err *err);

#endif
