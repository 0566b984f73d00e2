/* opener: run a call on a thread of its own. Opening a GPU may load firmware and take seconds, and
 * a broken driver never returns. Every thread but the main one is an opener's: the sampler's, the
 * recorder's and the scanner's, too.
 *
 * The `job` holds everything that the call works on. It belongs to the opener from opener_start
 * until opener_finish returns it. A caller that cannot wait calls opener_leave: the thread then
 * drops the job when the call returns, unless the process exits first. Anything that a job only
 * points to must live as long as the process.
 *
 * Thread: one thread at a time calls these functions.
 */
#ifndef MALITOP_OPENER_H
#define MALITOP_OPENER_H

#include "base/err.h"

struct opener;

/* Run call(job). drop(job) frees a job that was not taken back. If no thread can be started, drops
 * the job and returns NULL. */
struct opener *opener_start(void (*call)(void *job), void (*drop)(void *job), void *job, struct err *err);
/* Readable once the call has returned. */
int opener_fd(const struct opener *o);
bool opener_is_done(struct opener *o);
/* Return the job to the caller and free the opener. Waits until the call has returned. */
void *opener_finish(struct opener *o);
/* Abandon the call without waiting. The job is dropped now, or when the call returns. NULL is
 * fine. */
void opener_leave(struct opener *o);

#endif
