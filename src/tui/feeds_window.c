/* The scale of graphs, and where they end when a moment of the past is shown. */
#include "tui/feeds.h"

#include "base/alloc.h"

#define AHEAD_SHARE 16 /* of the points: so much is also in the short histories of rows */

#define MS 1000000ll

static const int64_t cells_ns[] = {50 * MS,   100 * MS,   500 * MS,    1000 * MS,
				   5000 * MS, 30000 * MS, 300000 * MS, 1200000 * MS};

int64_t feeds_point_ns(const struct feeds *f)
{
	return f->cell_ns ? f->cell_ns / 2 : f->refresh_ns;
}

int64_t feeds_next_cell(const struct feeds *f, int by)
{
	int64_t now = 2 * feeds_point_ns(f), shorter = 0;

	for (size_t i = 0; i < ARRAY_LEN(cells_ns); i++) {
		if (by > 0 && cells_ns[i] > now)
			return cells_ns[i];
		shorter = cells_ns[i] < now ? cells_ns[i] : shorter;
	}
	return by > 0 ? 0 : shorter;
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
