/* Views of the user's own: the next one, and reading the files again. */
#include "tui/screen.h"

bool screen_has_own(const struct screen *screen)
{
	return screen->session->db->n_own > 0;
}

bool screen_next_own(struct screen *screen)
{
	unsigned n = screen->views.n_views, at = (unsigned)(screen->view - screen->views.views);

	for (unsigned i = 1; i <= n; i++) {
		const struct view *view = &screen->views.views[screen->view->own ? (at + i) % n : i - 1];

		if (!view->own)
			continue;
		screen_show(screen, view);
		return true;
	}
	return false;
}

bool screen_reload(struct screen *screen, struct err *err)
{
	const struct metric_set *sets[SOURCE_KINDS];
	struct session_data data;
	struct views views;
	bool ok;

	if (!session_load(screen->session, &data, err))
		return false;
	session_data_sets(screen->session, &data, sets);
	ok = views_init(&views, data.db, sets, err);
	if (ok) {
		views_fini(&views); /* made again, now that it is known to work */
		session_adopt(screen->session, &data);
		feeds_renew(screen->feeds);
		screen_follow(screen);
	}
	session_data_fini(&data);
	return ok;
}
