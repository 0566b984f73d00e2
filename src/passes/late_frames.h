/* late_frames: when frames that took too long ran.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_LATE_FRAMES_H
#define MALITOP_LATE_FRAMES_H

#include "passes/pass_records.h"

/* Zero-initialise it. Spans of time, sorted, none of which overlap. */
struct late_frames {
	int64_t *begin_ns, *end_ns; /* CLOCK_MONOTONIC */
	unsigned n, cap_begin, cap_end;
};

void late_frames_fini(struct late_frames *late);
/* Add the frames of a sample that ended in (from_ns, to_ns], in their order. */
void late_frames_add(struct late_frames *late, const struct sample *sample, int64_t from_ns, int64_t to_ns);
/* Keep those over the budget (0: none is) or, if they are most of all, the slowest 5 %. Returns
 * how long they took together, seconds. */
double late_frames_keep(struct late_frames *late, double budget_ms);

#endif
