/* serve_top: who works: families with a label per application, and per pass of the one that
 * renders. How many series there are is bounded, whatever runs.
 *
 * Thread: the main one.
 */
#ifndef MALITOP_SERVE_TOP_H
#define MALITOP_SERVE_TOP_H

#include "base/sys.h"
#include "export/openmetrics.h"
#include "model/process.h"
#include "model/sample.h"

struct serve_top;

struct serve_top *serve_top_new(void);
void serve_top_free(struct serve_top *top); /* NULL is fine */
/* Add the interval of a list of processes. An application is all processes of one name. */
void serve_top_processes(struct serve_top *top, const struct process_list *list);
/* Add a sample of a passes source. */
void serve_top_passes(struct serve_top *top, const struct export_source *source, const struct sample *sample);
/* Write the n_apps applications that now run and used most of the GPU, then of the CPUs, in the
 * newest interval, and the passes of the application that renders. Counts are sums since the start;
 * an application that returns to the list continues its own. */
void serve_top_print(const struct serve_top *top, unsigned n_apps, enum openmetrics_form form,
		     struct strbuf *out);
/* What malitop itself takes: CPU time, memory, files. A value that cannot be read has no line. */
void serve_self_print(const struct sys *sys, enum openmetrics_form form, struct strbuf *out);

#endif
