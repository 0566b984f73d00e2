#include "passes/late_frames.h"

#include "base/alloc.h"
#include "passes/frame_stats.h"

#include <math.h>
#include <stdlib.h>

#define SLOWEST 0.95 /* of all frames, if most are over the budget */

void late_frames_fini(struct late_frames *late)
{
	free(late->begin_ns);
	free(late->end_ns);
	*late = (struct late_frames){0};
}

void late_frames_add(struct late_frames *late, const struct sample *sample, int64_t from_ns, int64_t to_ns)
{
	struct pass_record frame;
	unsigned at = 0;

	while (pass_records_next(sample, &at, &frame)) {
		int64_t before_ns = late->n ? late->end_ns[late->n - 1] : INT64_MIN;

		if (frame.kind != RECORD_FRAME || frame.end_ns <= from_ns || frame.end_ns > to_ns ||
		    frame.begin_ns < before_ns || frame.end_ns <= frame.begin_ns)
			continue;
		GROW(late->begin_ns, late->n, late->cap_begin);
		GROW(late->end_ns, late->n, late->cap_end);
		late->begin_ns[late->n] = frame.begin_ns;
		late->end_ns[late->n++] = frame.end_ns;
	}
}

static double span_ms(const struct late_frames *late, unsigned i)
{
	return (double)(late->end_ns[i] - late->begin_ns[i]) * 1e-6;
}

double late_frames_keep(struct late_frames *late, double budget_ms)
{
	AUTOFREE struct frame_times *times = xcalloc(1, sizeof(*times));
	double limit_ms = budget_ms > 0 ? budget_ms * FRAME_LATE : (double)INFINITY, seconds = 0;
	unsigned over = 0, kept = 0;

	for (unsigned i = 0; i < late->n; i++) {
		times_add(times, span_ms(late, i));
		over += span_ms(late, i) > limit_ms;
	}
	if (over * 2 > late->n)
		limit_ms = times_at(times, SLOWEST);
	for (unsigned i = 0; i < late->n; i++) {
		if (!(span_ms(late, i) > limit_ms))
			continue;
		seconds += span_ms(late, i) * 1e-3;
		late->begin_ns[kept] = late->begin_ns[i];
		late->end_ns[kept++] = late->end_ns[i];
	}
	late->n = kept;
	return seconds;
}
