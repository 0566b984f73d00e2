#include "tui/keys.h"
#include "tui/live_priv.h"
#include "base/alloc.h"

/* Each takes what the action's row says as its number. */

static void do_quit(struct live *l, int unused)
{
	(void)unused;
	l->end = true;
}

static void do_help(struct live *l, int unused)
{
	(void)unused;
	l->help = true;
}

static void do_turn(struct live *l, int by)
{
	screen_turn(&l->screen, by);
}

static void do_counters(struct live *l, int unused)
{
	const struct view *counters = views_find(&l->screen.views, "counters");
	const struct view *back = views_find(&l->screen.views, l->before_counters);

	(void)unused;
	if (l->screen.view == counters) {
		screen_show(&l->screen, back ? back : &l->screen.views.views[0]);
	} else {
		l->before_counters[0] = l->screen.view->key;
		screen_show(&l->screen, counters);
	}
}

static void scroll_to(struct live *l, int row)
{
	l->screen.scroll = row < 0 ? 0 : row > l->screen.scroll_max ? l->screen.scroll_max : row;
}

static void do_scroll(struct live *l, int rows)
{
	scroll_to(l, l->screen.scroll + rows);
}

static void do_page(struct live *l, int pages)
{
	do_scroll(l, pages * (l->canvas.rows > 6 ? l->canvas.rows - 5 : 1));
}

static void do_edge(struct live *l, int end)
{
	scroll_to(l, end ? l->screen.scroll_max : 0);
}

static void do_gpu(struct live *l, int unused)
{
	(void)unused;
	screen_next_gpu(&l->screen);
}

static void do_pause(struct live *l, int unused)
{
	int64_t oldest, newest;

	(void)unused;
	if (l->player) {
		player_pause(l->player, l->sys->monotonic_ns(l->sys));
	} else if (l->screen.paused_ns) {
		l->screen.paused_ns = 0;
		feeds_show(&l->feeds, 0);
	} else if (feeds_reach(&l->feeds, &oldest, &newest)) {
		l->screen.paused_ns = newest;
	}
}

static void do_history(struct live *l, int by)
{
	int64_t oldest, newest, at;

	if (l->player) {
		player_step(l->player, by, l->sys->monotonic_ns(l->sys));
		return;
	}
	if (!l->screen.paused_ns)
		do_pause(l, 0);
	if (!feeds_reach(&l->feeds, &oldest, &newest))
		return;
	at = l->screen.paused_ns + by * l->feeds.refresh_ns;
	if (at < oldest + l->feeds.refresh_ns)
		at = oldest + l->feeds.refresh_ns;
	if (at > newest)
		at = newest;
	l->screen.paused_ns = at;
	feeds_show(&l->feeds, at);
}

static void do_log(struct live *l, int unused)
{
	(void)unused;
	live_log(l);
}

static void do_mark(struct live *l, int unused)
{
	(void)unused;
	live_mark(l);
}

/* ---- of replay ---- */

static void do_speed(struct live *l, int by)
{
	player_speed(l->player, by, l->sys->monotonic_ns(l->sys));
}

static void do_find(struct live *l, int back)
{
	AUTO_STRBUF struct strbuf said = {0};

	player_find(l->player, back, &said);
	alerts_add(&l->alerts, l->sys->monotonic_ns(l->sys), said.p);
}

static void do_go_to(struct live *l, int unused)
{
	(void)unused;
	live_ask(l);
}

/* ---- */

static void do_per_core(struct live *l, int unused)
{
	const struct session_source *gpu = l->session.gpu;

	(void)unused;
	if (!l->screen.per_instance && gpu && (l->player ? gpu->n_slots == gpu->n_sums : !l->has_instances)) {
		alerts_add(&l->alerts, l->sys->monotonic_ns(l->sys),
			   l->player ? "per core: only sums stand in this log; record with --per-core"
				     : "per core: below a 10 ms interval only sums are kept; start with --per-core");
		return;
	}
	l->screen.per_instance = !l->screen.per_instance;
	if (!l->screen.per_instance)
		return;
	if (l->player) {
		player_keep_instances(l->player);
		return;
	}
	feeds_keep_instances(&l->feeds);
	if (l->screen.paused_ns)
		feeds_show(&l->feeds, l->screen.paused_ns);
}

/* The next of 1, 2, 5, 10, ... ms in that direction. */
static int64_t neighbour_interval(int64_t ns, int direction)
{
	static const int64_t steps[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000};
	int64_t found = ns;

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		int64_t step = steps[i] * 1000000;

		if (direction < 0 && step < ns)
			found = step;
		if (direction > 0 && step > ns)
			return step;
	}
	return found;
}

static void do_interval(struct live *l, int direction)
{
	struct session_source *gpu = l->session.gpu;
	int64_t ns = gpu ? neighbour_interval(gpu->asked_ns, direction) : 0;

	if (!gpu || ns == gpu->asked_ns || ns > l->feeds.refresh_ns)
		return;
	if (l->recorder)
		alerts_add(&l->alerts, l->sys->monotonic_ns(l->sys), "interval: a log keeps the one it began with: l ends it");
	else
		feeds_set_interval(&l->feeds, gpu, ns);
}

static const struct {
	void (*run)(struct live *l, int number);
	int number;
} deeds[] = {
	[ACTION_NEXT_VIEW] = {do_turn, 1},    [ACTION_PREVIOUS_VIEW] = {do_turn, -1}, [ACTION_LINE_UP] = {do_scroll, -1},
	[ACTION_LINE_DOWN] = {do_scroll, 1},  [ACTION_PAGE_UP] = {do_page, -1},       [ACTION_PAGE_DOWN] = {do_page, 1},
	[ACTION_TOP] = {do_edge, 0},          [ACTION_BOTTOM] = {do_edge, 1},         [ACTION_PAUSE] = {do_pause, 0},
	[ACTION_OLDER] = {do_history, -1},    [ACTION_NEWER] = {do_history, 1},       [ACTION_FASTER] = {do_interval, -1},
	[ACTION_SLOWER] = {do_interval, 1},   [ACTION_PER_CORE] = {do_per_core, 0},   [ACTION_COUNTERS] = {do_counters, 0},
	[ACTION_SPEED_DOWN] = {do_speed, -1}, [ACTION_SPEED_UP] = {do_speed, 1},      [ACTION_MARK_BEFORE] = {do_find, 1},
	[ACTION_MARK_AFTER] = {do_find, 0},   [ACTION_GO_TO] = {do_go_to, 0},         [ACTION_GPU] = {do_gpu, 0},
	[ACTION_LOG] = {do_log, 0},           [ACTION_MARK] = {do_mark, 0},           [ACTION_HELP] = {do_help, 0},
	[ACTION_QUIT] = {do_quit, 0},
};

/* The keys of the view that is shown come first. */
static bool key_in_pane(struct live *l, uint32_t key)
{
	struct process_pane *pane = screen_pane(&l->screen);
	AUTO_STRBUF struct strbuf said = {0};

	if (!pane || !process_pane_key(pane, key, &said))
		return false;
	if (said.n)
		alerts_add(&l->alerts, l->sys->monotonic_ns(l->sys), said.p);
	return true;
}

void live_key(struct live *l, uint32_t key)
{
	enum action action = keys_action(key, screen_has(&l->screen));
	char digit[2] = {keys_view(key), 0};

	l->dirty = true;
	if (l->help && action != ACTION_QUIT) {
		l->help = false; /* any key leaves help */
		return;
	}
	if (live_key_typed(l, key, l->sys->monotonic_ns(l->sys)) || key_in_pane(l, key))
		return;
	if (action == ACTION_VIEW)
		screen_show(&l->screen, views_find(&l->screen.views, digit));
	else if ((size_t)action < ARRAY_LEN(deeds) && deeds[action].run)
		deeds[action].run(l, deeds[action].number);
}
