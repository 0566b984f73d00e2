/* opener: one slow call on a short-lived thread. Opening a GPU may load firmware and take seconds; a broken driver never returns.
 *
 * Whatever the call works on stands in a `job`, which belongs to the opener from opener_start until opener_finish hands it back. Who
 * cannot wait leaves: then the thread drops the job when the call returns, or the process ends before. What a job only points to
 * must live as long as the process.
 *
 * Thread: one at a time calls these; signals are blocked in the opener's own.
 */
#ifndef MALITOP_OPENER_H
#define MALITOP_OPENER_H

#include "base/err.h"

struct opener;

/* Run call(job). drop(job) frees a job that nobody takes back. NULL when there is no thread to be had; the job is dropped then. */
struct opener *opener_start(void (*call)(void *job), void (*drop)(void *job), void *job, struct err *err);
/* Readable once the call has returned. */
int opener_fd(const struct opener *o);
bool opener_is_done(struct opener *o);
/* The job of a call that has returned, which is the caller's again; frees the opener. Waits if need be. */
void *opener_finish(struct opener *o);
/* Never waits. The job is dropped, now or when the call returns. NULL is fine. */
void opener_leave(struct opener *o);

#endif
