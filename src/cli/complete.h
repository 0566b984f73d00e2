/* complete: `malitop complete -- WORD...`, which the completions of the shells ask
 * (doc/malitop.1). */
#ifndef MALITOP_COMPLETE_H
#define MALITOP_COMPLETE_H

#include "options/options.h"

/* Append a line that says what else may follow (struct option_completion), then a line
 * "TEXT<tab>HELP" per candidate. */
enum exit_status complete_run(const struct options *options, const struct gpudb *db, struct strbuf *out,
			      struct err *err);

#endif
