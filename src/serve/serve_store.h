/* serve_store: what a scrape answers: sums of all samples since the start, and the recent past for
 * gauges.
 *
 * Thread: the main one.
 */
#ifndef MALITOP_SERVE_STORE_H
#define MALITOP_SERVE_STORE_H

#include "model/process.h"
#include "base/sys.h"
#include "export/openmetrics.h"
#include "session/session.h"

/* Names and globs of what is served without --metrics; each GPU and CPU has some of them. */
extern const char serve_metrics[];

struct serve_store;

/* `session` has settled, and must outlive the store. NULL if --metrics matches nothing. */
struct serve_store *serve_store_new(struct session *session, struct err *err);
void serve_store_free(struct serve_store *store);
/* Take the samples that wait; call this at least every 2 s. */
void serve_store_drain(struct serve_store *store);
/* The newest minutes that the front page is about. */
#define SERVE_PAGE_NS 600000000000ll
/* Append the page of malitop report about them. */
bool serve_store_report(const struct serve_store *store, struct strbuf *out, struct err *err);
/* Append the page while nothing can be measured: its version, and that nothing is up. */
void serve_store_print_none(enum openmetrics_form form, struct strbuf *out);
/* Append the page of /metrics as of now. */
void serve_store_print(struct serve_store *store, int64_t now_ns, enum openmetrics_form form,
		       struct strbuf *out);

/* serve_top: who works: families with a label per application, and per pass of the one that
 * renders. How many series there are is bounded, whatever runs.
 *
 * Thread: the main one.
 */

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
