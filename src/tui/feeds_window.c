/* Where histories end when a moment of the past is shown. */
#include "tui/feeds.h"

#define AHEAD_SHARE 16 /* of the points: so much is also in the short histories of rows */

int64_t feeds_window_ns(const struct feeds *f, int64_t window_ns, int64_t at_ns, int64_t begin_ns,
			int64_t end_ns)
{
	int n = f->n ? f->feeds[0].n_points : 0,
	    shown = n > 2 * VIEW_POINTS_BEFORE ? n - VIEW_POINTS_BEFORE : n;
	int64_t most = shown / 2 * f->refresh_ns, to = at_ns + n / AHEAD_SHARE * f->refresh_ns;

	if (at_ns <= window_ns && window_ns - at_ns <= most)
		return window_ns;
	if (at_ns > window_ns && at_ns - window_ns <= f->refresh_ns)
		return at_ns; /* a step */
	if (to < begin_ns + most)
		to = begin_ns + most;
	to = to < end_ns ? to : end_ns;
	return to > at_ns ? to : at_ns;
}
