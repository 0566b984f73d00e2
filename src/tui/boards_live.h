/* boards_live: the loop of Boards, and of the board that is open. */
#ifndef MALITOP_BOARDS_LIVE_H
#define MALITOP_BOARDS_LIVE_H

#include "options/options.h"
#include "base/sys.h"

/* As live_run, for several boards. */
enum exit_status boards_live_run(const struct sys *sys, const struct options *options, int *signal,
				 struct err *err);
/* A frame of Boards as text after options->frames steps of a second: --once. */
enum exit_status boards_live_once(const struct sys *sys, const struct options *options, bool ascii,
				  struct strbuf *out, struct err *err);

#endif
