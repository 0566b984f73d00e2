/* lean: what a stream keeps on a slow connection (--lean): of each source one sample for a
 * block, the sum of those in it; of its values those that the profiling template, the verdict,
 * and the first lines of a screen are made of, and the times and names of passes, the others are
 * unknown; and the busiest processes.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_LEAN_H
#define MALITOP_LEAN_H

#include "session/session.h"

#define LEAN_PROCESSES 20

struct lean;

/* Of the sources of a session, whose metrics must outlive it; seq[] is the number of the last
 * sample of each so far. */
struct lean *lean_new(const struct session *session, const uint64_t *seq);
void lean_free(struct lean *lean); /* NULL is fine */
/* Add a sample. Returns a sum that it does not belong to and that is complete, or NULL; it is valid
 * until the next call for this source. */
const struct sample *lean_add(struct lean *lean, const struct sample *sample);
/* Take the sum of a source, at the end of a block; NULL if there is none. */
const struct sample *lean_take(struct lean *lean, unsigned source);
/* A whole sample with the number that follows: sums are fewer than samples. Valid as above. */
const struct sample *lean_pass(struct lean *lean, const struct sample *sample);
/* Keep the rows that use most of the CPUs, with the processes of their threads. */
void lean_processes(struct process_list *list);

#endif
