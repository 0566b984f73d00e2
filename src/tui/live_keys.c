#include "tui/keys.h"
#include "tui/live_priv.h"
#include "base/alloc.h"

#include <stdio.h>

static void show_hint(struct live *l, const char *text)
{
	alerts_hint(&l->alerts, l->sys->monotonic_ns(l->sys), text);
}

/* Each function is an action and gets the number of the key that was pressed (enum action). */

static void end_screen(struct live *l, int unused)
{
	(void)unused;
	l->end = true;
}

static void show_findings(struct live *l, int unused)
{
	(void)unused;
	l->findings = (struct findings_card){.shown = true};
}

/* Keys can be faster than frames: rows and panels are those of the state that the last key left. */
static void see_rows(struct live *l)
{
	if (!l->screen.hits.n)
		live_compose(l);
}

/* The selected finding, while they are shown; else the selected row, or the first. */
static void show_explanation(struct live *l, int unused)
{
	const struct finding_def *finding = l->findings.shown ? findings_card_selected(&l->findings) : NULL;

	(void)unused;
	if (!finding) {
		see_rows(l);
		if (!screen_pane(&l->screen) && !screen_selected(&l->screen))
			screen_move(&l->screen, 1);
		if (screen_pane(&l->screen) || !screen_selected(&l->screen) ||
		    !screen_selected(&l->screen)->metric) {
			show_hint(l, "explain: this view has no metrics");
			return;
		}
	}
	l->explain = (struct explain_card){.shown = true, .finding = finding};
}

static void show_own_view(struct live *l, int unused)
{
	(void)unused;
	if (!screen_next_own(&l->screen))
		show_hint(l, screen_has_own(&l->screen)
				     ? "own views: none of them has anything to show on this machine"
				     : "own views: none yet: OWN VIEWS in malitop(1) says how to write one");
}

bool live_renew(struct live *l, struct err *err)
{
	if (!screen_reload(&l->screen, err))
		return false;
	l->explain = (struct explain_card){0};
	l->findings = (struct findings_card){0};
	l->held = (struct hit){0};
	if (!l->recorder)
		session_forget_data(&l->session);
	return true;
}

void live_reload(struct live *l)
{
	int64_t now = l->sys->monotonic_ns(l->sys);
	struct err err;

	l->dirty = true;
	if (!live_renew(l, &err)) {
		alerts_add(&l->alerts, now, err.text);
		return;
	}
	alerts_hint(&l->alerts, now,
		    screen_has_own(&l->screen) ? "own views, metrics and findings: read again"
					       : "own views: there are no files of yours");
}

static void show_settings(struct live *l, int unused)
{
	(void)unused;
	live_show_settings(l);
}

static void reload_own(struct live *l, int unused)
{
	(void)unused;
	live_reload(l);
}

static void show_help(struct live *l, int unused)
{
	(void)unused;
	l->help.shown = true;
}

static void show_view(struct live *l, int digit)
{
	const struct view *view = views_find(&l->screen.views, (char[]){(char)digit, 0});
	char text[64];

	snprintf(text, sizeof(text), "%c: these sources have no such view", digit);
	if (view)
		screen_show(&l->screen, view);
	else
		show_hint(l, text);
}

static void turn_view(struct live *l, int by)
{
	if (!screen_turn(&l->screen, by))
		show_hint(l, "view: there is no other one");
}

static void toggle_counters(struct live *l, int unused)
{
	const struct view *counters = views_find(&l->screen.views, "counters");
	const struct view *back = views_find(&l->screen.views, l->before_counters);

	(void)unused;
	if (!counters) {
		show_hint(l, "counters: no GPU has any here");
	} else if (l->screen.view == counters) {
		screen_show(&l->screen, back ? back : &l->screen.views.views[0]);
	} else {
		l->before_counters[0] = l->screen.view->key;
		screen_show(&l->screen, counters);
	}
}

static void scroll_to(struct live *l, int row)
{
	if (!l->screen.scroll.max)
		show_hint(l, "scroll: this view has no more rows");
	l->screen.scroll.at = row; /* drawing keeps it within what there is */
}

static void select_row(struct live *l, int by)
{
	see_rows(l);
	if (!screen_move(&l->screen, by))
		show_hint(l, screen_selected(&l->screen) ? "select: there is no other row"
							 : "select: this view has no rows");
}

static void zoom_panel(struct live *l, int unused)
{
	(void)unused;
	see_rows(l);
	if (!screen_zoom(&l->screen, NULL))
		show_hint(l, "zoom: this view has no panels");
}

static void scroll_lines(struct live *l, int rows)
{
	if (l->screen.scroll.max)
		scroll_to(l, l->screen.scroll.at + rows);
	else
		select_row(l, rows);
}

static void scroll_pages(struct live *l, int pages)
{
	int page = l->canvas.rows > 6 ? l->canvas.rows - 5 : 1;

	scroll_to(l, l->screen.scroll.at + pages * page);
}

static void scroll_to_edge(struct live *l, int way)
{
	scroll_to(l, way > 0 ? l->screen.scroll.max : 0);
}

/* Close the panel that is shown alone, select nothing, close the card about the missing GPU. */
static void go_back(struct live *l, int unused)
{
	AUTO_STRBUF struct strbuf said = {0};

	(void)unused;
	if (screen_back(&l->screen))
		return;
	if (l->session.no_gpu.n) {
		strbuf_clear(&l->session.no_gpu);
		return;
	}
	keys_why(keys_everywhere, K_ESCAPE, screen_has(&l->screen), &said);
	show_hint(l, said.p);
}

static void show_next_gpu(struct live *l, int unused)
{
	(void)unused;
	if (!screen_next_gpu(&l->screen))
		show_hint(l, l->session.gpu ? "GPU: there is no other one" : "GPU: there is none");
}

static void show_next_frames(struct live *l, int unused)
{
	(void)unused;
	if (screen_apps(&l->screen) > 1)
		session_choose_frames(&l->session, SOURCE_NEXT_PROCESS);
	else
		show_hint(l, "application: no other one has malitop's layer");
}

static void turn_lanes(struct live *l, int step)
{
	if (!player_is_paused(l->player))
		live_pause(l);
	if (!feeds_turn_lanes(&l->feeds, step))
		live_step(l, step);
}

static void toggle_pause(struct live *l, int unused)
{
	(void)unused;
	live_pause(l);
}

static void toggle_log(struct live *l, int unused)
{
	(void)unused;
	live_log(l);
}

static void set_mark(struct live *l, int unused)
{
	(void)unused;
	live_mark(l);
}

static void select_range(struct live *l, int unused)
{
	(void)unused;
	live_range(l);
}

static void pin_row(struct live *l, int unused)
{
	const struct row_subject *row = screen_selected(&l->screen);
	bool pinned;

	(void)unused;
	if (!row)
		show_hint(l, "pin: select a row first (Up, Down or a click)");
	else if (!screen_pin(&l->screen, row, &pinned))
		show_hint(l, row->metric ? "pin: the Overview has no room for more"
					 : "pin: this row has no metric");
	else
		show_hint(l, pinned ? "pin: it is at the top of the Overview (1)"
				    : "pin: it is no longer on the Overview");
}

static void toggle_compare(struct live *l, int unused)
{
	(void)unused;
	live_compare(l);
}

static void save_screen(struct live *l, int unused)
{
	(void)unused;
	live_snapshot(l);
}

static bool shows_table(struct live *l)
{
	if (screen_has(&l->screen) & NEEDS_TABLE)
		return true;
	show_hint(l, "only in Counters (a)");
	return false;
}

static void ask_for_filter(struct live *l, int unused)
{
	(void)unused;
	live_ask_filter(l);
}

static void sort_counters(struct live *l, int unused)
{
	static const char *const orders[] = {"counters: in the order of the hardware",
					     "counters: sorted by what was counted since the start",
					     "counters: sorted by name"};

	(void)unused;
	if (!shows_table(l))
		return;
	l->screen.order = (l->screen.order + 1) % TABLE_ORDERS;
	show_hint(l, orders[l->screen.order]);
}

static void toggle_counted(struct live *l, int unused)
{
	(void)unused;
	if (!shows_table(l))
		return;
	l->screen.only_counted = !l->screen.only_counted;
	show_hint(l, l->screen.only_counted ? "counters: those that were never counted are hidden"
					    : "counters: all");
}

/* ---- replay ---- */

static void change_speed(struct live *l, int by)
{
	if (!player_speed(l->player, by, l->sys->monotonic_ns(l->sys)))
		show_hint(l, by < 0 ? "speed: there is no slower one" : "speed: there is no faster one");
}

static void find_mark(struct live *l, int way)
{
	AUTO_STRBUF struct strbuf said = {0};

	player_find(l->player, way < 0, &said);
	show_hint(l, said.p);
}

static void ask_for_time(struct live *l, int unused)
{
	(void)unused;
	live_ask(l);
}

/* ---- */

void live_per_core(struct live *l)
{
	const struct session_source *gpu = l->session.gpu;

	if (!l->screen.per_instance && gpu && (l->player ? gpu->n_slots == gpu->n_sums : !l->has_instances)) {
		show_hint(l, l->player ? "per core: this log has only sums; record with --per-core"
				       : "per core: below a 10 ms interval only sums are kept; start with "
					 "--per-core");
		return;
	}
	l->screen.per_instance = !l->screen.per_instance;
	if (!view_breaks_down(l->screen.view))
		show_hint(l, l->screen.per_instance ? "per core: on, but this view has nothing to break down"
						    : "per core: off; this view has nothing to break down");
	if (!l->screen.per_instance)
		return;
	if (l->player) {
		player_keep_instances(l->player);
		return;
	}
	feeds_keep_instances(&l->feeds);
	live_show_again(l);
}

static void toggle_per_core(struct live *l, int unused)
{
	(void)unused;
	live_per_core(l);
}

/* Return the next of 1, 2, 5, 10, ... ms in that direction; `ns` itself at the end. */
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

static void change_interval(struct live *l, int direction)
{
	struct session_source *gpu = l->session.gpu;
	int64_t ns = gpu ? neighbour_interval(gpu->asked_ns, direction) : 0;

	if (!gpu)
		show_hint(l, "interval: there is no GPU to sample");
	else if (ns == gpu->asked_ns)
		show_hint(l, direction < 0 ? "interval: there is no shorter one"
					   : "interval: there is no longer one");
	else if (ns > l->feeds.refresh_ns)
		show_hint(l, "interval: not longer than a refresh: start with a longer --refresh");
	else if (l->recorder)
		show_hint(l, "interval: cannot change while logging; l ends the log");
	else
		feeds_set_interval(&l->feeds, gpu, ns);
}

static void (*const deeds[])(struct live *l, int number) = {
	[ACTION_VIEW] = show_view,           [ACTION_TURN] = turn_view,
	[ACTION_SCROLL] = scroll_lines,      [ACTION_PAGE] = scroll_pages,
	[ACTION_EDGE] = scroll_to_edge,      [ACTION_PAUSE] = toggle_pause,
	[ACTION_HISTORY] = live_step,        [ACTION_SPEED] = change_speed,
	[ACTION_FIND] = find_mark,           [ACTION_GO_TO] = ask_for_time,
	[ACTION_INTERVAL] = change_interval, [ACTION_PER_CORE] = toggle_per_core,
	[ACTION_COUNTERS] = toggle_counters, [ACTION_GPU] = show_next_gpu,
	[ACTION_FRAMES] = show_next_frames,  [ACTION_LANES] = turn_lanes,
	[ACTION_LOG] = toggle_log,           [ACTION_MARK] = set_mark,
	[ACTION_HELP] = show_help,           [ACTION_FINDINGS] = show_findings,
	[ACTION_QUIT] = end_screen,          [ACTION_BACK] = go_back,
	[ACTION_LEAP] = live_leap,           [ACTION_ENDS] = live_go_to_end,
	[ACTION_SELECT] = select_row,        [ACTION_ZOOM] = zoom_panel,
	[ACTION_EXPLAIN] = show_explanation, [ACTION_RANGE] = select_range,
	[ACTION_COMPARE] = toggle_compare,   [ACTION_SNAPSHOT] = save_screen,
	[ACTION_FILTER] = ask_for_filter,    [ACTION_COUNTED] = toggle_counted,
	[ACTION_NEXT_SORT] = sort_counters,  [ACTION_PIN] = pin_row,
	[ACTION_OWN] = show_own_view,        [ACTION_RELOAD] = reload_own,
	[ACTION_SETTINGS] = show_settings,   [ACTION_COUNTING] = live_pause_gpu,
	[ACTION_PROFILING] = live_profile,
};

/* The keys of the view that is shown take precedence. */
static bool key_in_pane(struct live *l, uint32_t key, struct strbuf *said)
{
	struct process_pane *pane = screen_pane(&l->screen);

	return pane && process_pane_key(pane, key, said);
}

static void do_action(struct live *l, uint32_t key, struct strbuf *said)
{
	unsigned has = screen_has(&l->screen);
	struct key_action does = keys_action(keys_everywhere, key, has);

	if (does.action < ARRAY_LEN(deeds) && deeds[does.action])
		deeds[does.action](l, does.number);
	else
		keys_why(keys_everywhere, key, has, said);
}

/* Whether a key is part of a text. */
static bool is_typing(struct live *l)
{
	struct process_pane *pane = screen_pane(&l->screen);

	return l->asks || l->confirms || l->help.typing || (pane && process_pane_ask(pane));
}

/* A key in its meaning of the tables, whatever the configuration calls it. */
static void handle_key(struct live *l, uint32_t key);

/* Explain it, or press its keys one after the other. */
static void do_deed(struct live *l, const struct help_deed *deed)
{
	if (deed->metric[0] || deed->finding) {
		l->explain = (struct explain_card){.shown = true, .finding = deed->finding};
		snprintf(l->explain.metric, sizeof(l->explain.metric), "%s", deed->metric);
	}
	for (unsigned i = 0; i < HELP_PRESSES && deed->press[i]; i++)
		handle_key(l, deed->press[i]);
}

static bool key_in_help(struct live *l, uint32_t key, struct strbuf *said)
{
	struct help_deed deed;

	if (!l->help.shown || !help_key(&l->help, key, &deed, said))
		return false;
	if (!l->help.shown)
		do_deed(l, &deed);
	return true;
}

static void handle_key(struct live *l, uint32_t key)
{
	AUTO_STRBUF struct strbuf said = {0};

	if (!key_in_help(l, key, &said) && !live_key_in_settings(l, key, &said) && !live_gpu_key(l, key) &&
	    !live_key_typed(l, key, l->sys->monotonic_ns(l->sys)) &&
	    !live_key_in_explanation(l, key, &said) &&
	    !(l->findings.shown && findings_card_key(&l->findings, &l->screen, key, &said)) &&
	    !key_in_pane(l, key, &said))
		do_action(l, key, &said);
	if (said.n)
		show_hint(l, said.p);
}

void live_key(struct live *l, uint32_t key)
{
	l->dirty = true;
	alerts_answered(&l->alerts);
	handle_key(l, is_typing(l) ? key : options_key(l->options, key));
}
