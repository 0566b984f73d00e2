/* live: the live screen: keys, refresh, history, alerts, and the log that runs beside it. */
#ifndef MALITOP_LIVE_H
#define MALITOP_LIVE_H

#include "options/options.h"
#include "base/sys.h"

/* Runs until the user or a signal ends it. *signal is the signal that asked for the end, 0 otherwise: main raises it again after
 * everything was cleaned up. */
enum exit_status live_run(const struct sys *sys, const struct options *options, int *signal, struct err *err);

#endif
