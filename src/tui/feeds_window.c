/* The scale of graphs, and where they end when a moment of the past is shown. */
#include "tui/feeds.h"

#include "base/alloc.h"
#include "tui/keys.h"

#define AHEAD_SHARE 16 /* of the points: so much is also in the short histories of rows */

int64_t feeds_point_ns(const struct feeds *f)
{
	return f->cell_ns ? f->cell_ns / 2 : f->refresh_ns;
}

int64_t feeds_next_cell(const struct feeds *f, int by)
{
	static const double cells_ms[] = {50, 100, 500, 1000, 5000, 30000, 300000, 1200000};

	return (int64_t)keys_step(cells_ms, ARRAY_LEN(cells_ms), 2 * (double)feeds_point_ns(f) / 1e6, by) *
	       1000000;
}

int64_t feeds_window_ns(const struct feeds *f, int64_t window_ns, int64_t at_ns, int64_t begin_ns,
			int64_t end_ns)
{
	int n = f->n ? f->feeds[0].n_points : 0,
	    shown = n > 2 * VIEW_POINTS_BEFORE ? n - VIEW_POINTS_BEFORE : n;
	int64_t point = feeds_point_ns(f), step = point > f->refresh_ns ? point : f->refresh_ns;
	int64_t most = shown / 2 * point, to = at_ns + n / AHEAD_SHARE * point;

	if (at_ns <= window_ns && window_ns - at_ns <= most)
		return window_ns;
	if (at_ns > window_ns && at_ns - window_ns <= step)
		return at_ns; /* a step */
	if (to < begin_ns + most)
		to = begin_ns + most;
	to = to < end_ns ? to : end_ns;
	return to > at_ns ? to : at_ns;
}
