/* once: `--once`: print one frame as plain text. */
#ifndef MALITOP_ONCE_H
#define MALITOP_ONCE_H

#include "options/options.h"
#include "base/sys.h"

/* Sample for options->frames refreshes and append the frame to *out. */
enum exit_status once_run(const struct sys *sys, const struct options *options, bool ascii,
			  struct strbuf *out, struct err *err);

#endif
