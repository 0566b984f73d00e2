/* live: the live screen: keys, refresh, history, alerts, and a log that is recorded at the same
 * time. */
#ifndef MALITOP_LIVE_H
#define MALITOP_LIVE_H

#include "options/options.h"
#include "base/sys.h"

/* Runs until the user or a signal ends it. *signal is that signal, or 0; main raises it again after
 * cleaning up. */
enum exit_status live_run(const struct sys *sys, const struct options *options, int *signal, struct err *err);

#endif
