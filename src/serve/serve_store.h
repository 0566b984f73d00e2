/* serve_store: what a scrape answers: sums of all samples since the start, and the recent past for
 * gauges.
 *
 * Thread: the main one.
 */
#ifndef MALITOP_SERVE_STORE_H
#define MALITOP_SERVE_STORE_H

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

#endif
