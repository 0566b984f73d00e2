/* serve_self: what malitop itself takes: CPU time, memory, files. Thread: any. */
#ifndef MALITOP_SERVE_SELF_H
#define MALITOP_SERVE_SELF_H

#include "base/sys.h"
#include "export/openmetrics.h"

/* Append its families; a value that cannot be read has no line. */
void serve_self_print(const struct sys *sys, enum openmetrics_form form, struct strbuf *out);

#endif
