/* live: the live screen: keys, refresh, history, alerts, and a log that is recorded meanwhile. */
#ifndef MALITOP_LIVE_H
#define MALITOP_LIVE_H

#include "options/options.h"
#include "base/sys.h"

/* Run until the user or a signal ends it. *signal is that signal, or 0; main raises it again after
 * cleaning up. */
enum exit_status live_run(const struct sys *sys, const struct options *options, int *signal, struct err *err);

/* Run the views of one of several boards on an open terminal. Returns false, with a message, if
 * they cannot be shown. *leave is how the user left them. */
enum live_leave { LIVE_QUIT, LIVE_BOARDS, LIVE_NEXT, LIVE_PREVIOUS };
struct boards;
struct remote;
struct term;
bool live_run_board(const struct sys *sys, const struct options *options, struct term *term,
		    struct boards *boards, struct remote *remote, enum live_leave *leave, int *signal,
		    struct err *err);

#endif
