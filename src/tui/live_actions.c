/* The actions of keys on the live screen, independent of the modes over the view. */
#include "tui/live_priv.h"

#include "base/alloc.h"
#include "base/self.h"
#include "tui/keys.h"

#include <math.h>
#include <stdio.h>

/* ---- cards, settings, help ---- */

static void end_screen(struct live *l)
{
	l->end = true;
}

static void show_findings(struct live *l)
{
	l->findings = (struct findings_card){0};
	live_open(l, MODE_FINDINGS);
}

/* Keys can be faster than frames: make the rows and panels match the state after the last key. */
static void see_rows(struct live *l)
{
	if (!l->screen.hits.n)
		live_compose(l);
}

/* Explain the selected finding in Findings; otherwise the selected row, or the first one. */
static void show_explanation(struct live *l)
{
	const struct finding_def *finding = live_is_open(l, MODE_FINDINGS) ? l->findings.def : NULL;

	if (!finding) {
		see_rows(l);
		if (!screen_pane(&l->screen) && !screen_selected(&l->screen))
			screen_move(&l->screen, 1);
		if (screen_pane(&l->screen) || !screen_selected(&l->screen) ||
		    !screen_selected(&l->screen)->metric) {
			live_hint(l, "explain: this view has no metrics");
			return;
		}
	}
	l->explain = (struct explain_card){.finding = finding};
	live_open(l, MODE_EXPLANATION);
}

static void show_own_view(struct live *l)
{
	if (!screen_turn(&l->screen, 1, true))
		live_hint(l, l->session.db->n_own
				     ? "own views: none of them has anything to show on this machine"
				     : "own views: none yet; OWN VIEWS in malitop-views(5) describes them");
}

bool live_renew(struct live *l, struct err *err)
{
	if (!screen_reload(&l->screen, err))
		return false;
	live_close(l, MODE_EXPLANATION);
	live_close(l, MODE_FINDINGS);
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
		    l->session.db->n_own ? "own views, metrics and findings: read again"
					 : "own views: you have no such files");
}

/* Show help. The own cost is that of now, so that the open help does not change. */
static void show_help(struct live *l)
{
	const struct self self = self_read(l->sys);
	const struct term_stats stats = term_stats(l->term);
	double alive_s = (double)l->sys->boottime_ns(l->sys) * 1e-9 - self.start_s;

	if (alive_s > 0 && !isnan(self.resident_bytes) && stats.frames)
		snprintf(l->own_cost, sizeof(l->own_cost),
			 "malitop itself uses %.1f %% of a CPU, %.1f MiB of memory, %.2f kB a frame",
			 self.cpu_s / alive_s * 100, self.resident_bytes / (1 << 20),
			 (double)stats.bytes / (double)stats.frames * 1e-3);
	live_open(l, MODE_HELP);
}

static void show_view(struct live *l, int digit)
{
	const struct view *view = views_find(&l->screen.views, (char[]){(char)digit, 0});
	const struct process_pane *pane = screen_pane(&l->screen);
	const struct process *p = pane && pane->selected.pid ? process_pane_selected(pane) : NULL;
	char text[64];

	snprintf(text, sizeof(text), "%c: these sources have no such view", digit);
	if (view && p && strcmp(view->name, "hot") == 0) /* show the functions of the selected process */
		screen_hot_of_process(&l->screen.hot, p);
	if (view)
		screen_show(&l->screen, view);
	else
		live_hint(l, text);
}

static void turn_late(struct live *l)
{
	if (strcmp(l->screen.view->name, "hot") == 0)
		screen_hot_turn_late(&l->screen.hot);
	else
		live_hint(l, "late frames: only in Hot (h)");
}

static void next_scope(struct live *l)
{
	screen_hot_next_scope(&l->screen.hot, l->screen.selected.item);
}

static void turn_view(struct live *l, int by)
{
	if (!screen_turn(&l->screen, by, false))
		live_hint(l, "view: there is no other one");
}

static void toggle_counters(struct live *l)
{
	const struct view *counters = views_find(&l->screen.views, "counters");
	const struct view *back = views_find(&l->screen.views, l->before_counters);

	if (!counters) {
		live_hint(l, "counters: no GPU has any here");
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
		live_hint(l, "scroll: this view has no more rows");
	l->screen.scroll.at = row; /* drawing limits it to the existing rows */
}

static void select_row(struct live *l, int by)
{
	see_rows(l);
	if (!screen_move(&l->screen, by))
		live_hint(l, screen_selected(&l->screen) ? "select: there is no other row"
							 : "select: this view has no rows");
}

static void zoom_panel(struct live *l)
{
	see_rows(l);
	if (!screen_fold(&l->screen) && !screen_zoom(&l->screen, NULL))
		live_hint(l, "zoom: this view has no panels");
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

/* Close the only shown panel, clear the selection, or close the card about the missing GPU. */
static void go_back(struct live *l)
{
	AUTO_STRBUF struct strbuf said = {0};

	if (screen_back(&l->screen))
		return;
	if (l->session.no_gpu.n) {
		strbuf_clear(&l->session.no_gpu);
		return;
	}
	keys_why(keys_everywhere, K_ESCAPE, screen_has(&l->screen), &said);
	live_hint(l, said.p);
}

static void show_next_gpu(struct live *l)
{
	if (!screen_next_gpu(&l->screen))
		live_hint(l, l->session.gpu ? "GPU: there is no other one" : "GPU: there is none");
}

static void show_next_frames(struct live *l)
{
	if (screen_apps(&l->screen) > 1 && l->player)
		player_ask(l->player, "frames", "next");
	else if (screen_apps(&l->screen) > 1)
		session_choose_frames(&l->session, SOURCE_NEXT_PROCESS);
	else
		live_hint(l, "application: no other one has malitop's layer");
}

static void turn_lanes(struct live *l, int step)
{
	if (l->player ? !l->player->paused : !l->screen.paused_ns)
		live_pause(l);
	if (!feeds_turn_frame(&l->feeds, step))
		live_step(l, step);
}

const struct frame_stats *live_frame_stats(struct live *l)
{
	const struct pass_run *run = l->player ? player_frames(l->player) : NULL;

	run = run ? run : feeds_view(&l->feeds, SOURCE_PASSES).run;
	return run ? &run->stats : NULL;
}

/* A log is shown by whole refreshes: show the first one that includes the whole sample. */
void live_show_frame(struct live *l, const struct frame_facts *frame)
{
	const struct view *view = views_find(&l->screen.views, "frame");

	if (l->player && !l->player->paused)
		live_pause(l);
	feeds_choose_frame(&l->feeds, frame->number);
	live_go(l, frame->seen_ns);
	if (view)
		screen_show(&l->screen, view);
}

static void list_worst(struct live *l)
{
	l->worst = (struct worst_card){0};
	live_open(l, MODE_WORST);
}

/* Show the next late frame in that direction of time. */
static void show_late(struct live *l, int by)
{
	const struct frame_stats *stats = live_frame_stats(l);
	double budget_ms = l->session.fps > 0 ? 1000 / l->session.fps : 0;
	const struct frame_facts *next = NULL;
	int64_t at_ns = feeds_frame_ns(&l->feeds);

	for (unsigned i = 0; stats && i < stats->n_worst; i++) {
		const struct frame_facts *f = &stats->worst[i];
		int64_t way = (f->begin_ns - at_ns) * by;

		if ((frame_is_late(f, budget_ms) || !(budget_ms > 0)) && !f->idle && way > 0 &&
		    (!next || way < (next->begin_ns - at_ns) * by))
			next = f;
	}
	if (next)
		live_show_frame(l, next);
	else
		live_hint(l, by < 0 ? "late: none of the longest frames before this one"
				    : "late: none of the longest frames after this one");
}

static void pin_row(struct live *l)
{
	const struct row_subject *row = screen_selected(&l->screen);
	bool pinned;

	if (!row)
		live_hint(l, "pin: select a row first (Up, Down or a click)");
	else if (!screen_pin(&l->screen, row, &pinned))
		live_hint(l, row->metric ? "pin: the Overview has no room for more"
					 : "pin: this row has no metric");
	else
		live_hint(l, pinned ? "pin: it is at the top of the Overview (1)"
				    : "pin: removed from the Overview");
}

static bool shows_table(struct live *l)
{
	if (screen_has(&l->screen) & NEEDS_TABLE)
		return true;
	live_hint(l, "only in Counters (a)");
	return false;
}

static void sort_counters(struct live *l)
{
	static const char *const orders[] = {"counters: in the order of the hardware",
					     "counters: sorted by what was counted since the start",
					     "counters: sorted by name"};

	if (!shows_table(l))
		return;
	l->screen.order = (l->screen.order + 1) % TABLE_ORDERS;
	live_hint(l, orders[l->screen.order]);
}

static void toggle_counted(struct live *l)
{
	if (!shows_table(l))
		return;
	l->screen.only_counted = !l->screen.only_counted;
	live_hint(l, l->screen.only_counted ? "counters: those that were never counted are hidden"
					    : "counters: all");
}

static void toggle_windows(struct live *l)
{
	if (!shows_table(l))
		return;
	feeds_want_windows(&l->feeds, !l->feeds.windows);
	live_hint(l, l->feeds.windows ? "counters: rates over several times" : "counters: rate and counts");
}

/* ---- replay ---- */

static void show_boards(struct live *l)
{
	if (!l->boards) {
		live_hint(l, "boards: there is one only: malitop on A B shows several");
		return;
	}
	l->leave = LIVE_BOARDS;
	l->end = true;
}

static void change_speed(struct live *l, int by)
{
	if (l->boards) {
		l->leave = by > 0 ? LIVE_NEXT : LIVE_PREVIOUS;
		l->end = true;
		return;
	}
	if (!player_speed(l->player, by, l->sys->monotonic_ns(l->sys)))
		live_hint(l, by < 0 ? "speed: there is no slower one" : "speed: there is no faster one");
}

/* ---- per core, interval ---- */

void live_per_core(struct live *l)
{
	const struct session_source *gpu = l->session.gpu;

	if (!l->screen.per_instance && gpu && (l->player ? gpu->n_slots == gpu->n_sums : !l->has_instances)) {
		live_hint(l, l->player && l->player->remote
				     ? "per core: the board sends only sums; start with --per-core"
			     : l->player ? "per core: this log has only sums; record with --per-core"
					 : "per core: below a 10 ms interval only sums are kept; start with "
					   "--per-core");
		return;
	}
	l->screen.per_instance = !l->screen.per_instance;
	if (!view_breaks_down(l->screen.view))
		live_hint(l, l->screen.per_instance ? "per core: on, but this view has nothing to break down"
						    : "per core: off; this view has nothing to break down");
	if (!l->screen.per_instance)
		return;
	if (!feeds_keep_instances(&l->feeds))
		return;
	if (l->player)
		player_seek(l->player, l->player->sought_ns);
	else
		live_show_again(l);
}

static void change_interval(struct live *l, int direction)
{
	static const double steps_ms[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000};
	struct session_source *gpu = l->session.gpu;
	double ms =
		gpu ? keys_step(steps_ms, ARRAY_LEN(steps_ms), (double)gpu->asked_ns / 1e6, direction) : 0;
	int64_t ns = (int64_t)ms * 1000000;
	char text[24];

	if (!gpu)
		live_hint(l, "interval: there is no GPU to sample");
	else if (!ns)
		live_hint(l, direction < 0 ? "interval: there is no shorter one"
					   : "interval: there is no longer one");
	else if (ns > l->feeds.refresh_ns)
		live_hint(l, "interval: not longer than a refresh: start with a longer --refresh");
	else if (l->recorder)
		live_hint(l, "interval: cannot change while logging; l ends the log");
	else if (l->player) {
		snprintf(text, sizeof(text), "%lld", (long long)ns);
		player_ask(l->player, "interval", text);
	} else {
		feeds_set_interval(&l->feeds, gpu, ns);
	}
}

/* ---- the measured sources ---- */

static void pause_gpu(struct live *l)
{
	bool pause = !session_gpu_is_paused(&l->session);

	if (!l->session.gpu)
		live_hint(l, "counting: there is no GPU");
	else if (l->session.gpu->away == AWAY_RESTS)
		live_hint(l, "counting: stopped while the screen is paused; space resumes");
	else if (pause && l->recorder)
		live_hint(l, "counting: not while logging; l ends the log");
	else if (l->player)
		player_ask(l->player, "gpu", l->session.gpu->away == AWAY_NOT ? "pause" : "measure");
	else
		session_pause_gpu(&l->session, pause);
}

static void begin_profiling(struct live *l, const char *text)
{
	(void)text;
	session_profile(&l->session, true);
}

static void profile_gpu(struct live *l)
{
	static const struct question ask = {
		.text = "have the kernel time all jobs of the GPU until malitop ends? needs root",
		.answers = "y/n",
		.answer = begin_profiling};
	const struct session_source *gpu = l->session.gpu;

	if (!gpu || !gpu->backend->profiles)
		live_hint(l, "profiling: only Panfrost and Panthor have this switch");
	else if (l->recorder)
		live_hint(l, "profiling: not while logging; l ends the log");
	else if (l->session.what.profiling)
		session_profile(&l->session, false);
	else
		live_ask(l, &ask, "");
}

/* ---- the table ---- */

/* Show only rows with this text, also while the user types it. */
static void set_filter(struct live *l, const char *text)
{
	snprintf(l->screen.filter, sizeof(l->screen.filter), "%s", text);
	l->screen.scroll.at = 0;
	screen_select(&l->screen, NULL);
}

static void ask_filter(struct live *l)
{
	static const struct question ask = {.text = "filter",
					    .answers = "part of a name, Enter, Esc: all",
					    .typed = true,
					    .follow = set_filter,
					    .answer = set_filter};

	live_ask(l, &ask, l->screen.filter);
}

static void (*const acts[])(struct live *l) = {[ACTION_ZOOM] = zoom_panel,
					       [ACTION_PAUSE] = live_pause,
					       [ACTION_BOARDS] = show_boards,
					       [ACTION_PHASE] = live_phase,
					       [ACTION_GO_TO] = live_ask_time,
					       [ACTION_PER_CORE] = live_per_core,
					       [ACTION_COUNTERS] = toggle_counters,
					       [ACTION_GPU] = show_next_gpu,
					       [ACTION_FRAMES] = show_next_frames,
					       [ACTION_WORST] = list_worst,
					       [ACTION_COUNTING] = pause_gpu,
					       [ACTION_PROFILING] = profile_gpu,
					       [ACTION_LOG] = live_log,
					       [ACTION_MARK] = live_mark,
					       [ACTION_HELP] = show_help,
					       [ACTION_FINDINGS] = show_findings,
					       [ACTION_EXPLAIN] = show_explanation,
					       [ACTION_RANGE] = live_range,
					       [ACTION_PIN] = pin_row,
					       [ACTION_COMPARE] = live_compare,
					       [ACTION_BASELINE] = live_ask_baseline,
					       [ACTION_SNAPSHOT] = live_snapshot,
					       [ACTION_WINDOWS] = toggle_windows,
					       [ACTION_COUNTED] = toggle_counted,
					       [ACTION_SETTINGS] = live_show_settings,
					       [ACTION_LAYOUT] = live_show_layouts,
					       [ACTION_OWN] = show_own_view,
					       [ACTION_RELOAD] = live_reload,
					       [ACTION_BACK] = go_back,
					       [ACTION_SCOPE] = next_scope,
					       [ACTION_LATE_ONLY] = turn_late,
					       [ACTION_QUIT] = end_screen,
					       [ACTION_FILTER] = ask_filter,
					       [ACTION_NEXT_SORT] = sort_counters};

/* These actions get the number of the pressed key (enum action). */
static void (*const acts_by[])(struct live *l, int number) = {
	[ACTION_VIEW] = show_view,           [ACTION_TURN] = turn_view,     [ACTION_SELECT] = select_row,
	[ACTION_SCROLL] = scroll_lines,      [ACTION_PAGE] = scroll_pages,  [ACTION_EDGE] = scroll_to_edge,
	[ACTION_HISTORY] = live_step,        [ACTION_SCALE] = live_scale,   [ACTION_LEAP] = live_leap,
	[ACTION_ENDS] = live_go_to_end,      [ACTION_SPEED] = change_speed, [ACTION_FIND] = live_find,
	[ACTION_INTERVAL] = change_interval, [ACTION_LANES] = turn_lanes,   [ACTION_LATE] = show_late};

void live_act(struct live *l, uint32_t key, struct strbuf *said)
{
	unsigned has = screen_has(&l->screen);
	struct key_action does = keys_action(keys_everywhere, key, has);

	if (does.action < ARRAY_LEN(acts) && acts[does.action])
		acts[does.action](l);
	else if (does.action < ARRAY_LEN(acts_by) && acts_by[does.action])
		acts_by[does.action](l, does.number);
	else
		keys_why(keys_everywhere, key, has, said);
}
