#include "tui/live.h"

#include "base/alloc.h"
#include "base/self.h"
#include "tui/live_priv.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define PATIENCE_MS 200         /* wait for devices to open before the splash screen appears */
#define PAST_NS 300000000ll     /* age at which the past of a simulated device has arrived and is shown */
#define PAST_DRAIN_NS 4000000ll /* drain this often until then, to save room in rings */
#define FEW_NS 100000000ll      /* from this interval on, few instances are kept from the start */
#define UNLOAD_NS 50000000ll    /* from the start to the first regular unload; then twice as long */
#define REST_NS 10000000000ll   /* a screen that was paused for this long counts as unwatched */
#define DRAIN_NS 1000000000ll   /* rings are drained at least this often, however slow the refresh */

static void resize_canvas(struct live *l)
{
	int cols, rows;

	term_size(l->term, &cols, &rows);
	canvas_resize(&l->canvas, cols, rows);
	feeds_want_points(&l->feeds, 2 * cols + VIEW_POINTS_BEFORE);
	l->dirty = true;
}

static bool has_hung_up(struct live *l)
{
	struct pollfd fds[TERM_FDS];

	term_fds(l->term, fds);
	fds[0].events = 0;
	return l->sys->poll(l->sys, fds, 1, 0) != 0;
}

static void take_input(struct live *l)
{
	struct term_input in;
	enum term_event event;

	while ((event = term_next(l->term, &in)) != TERM_NONE) {
		if (event == TERM_KEY && (in.key == K_WHEEL_UP || in.key == K_WHEEL_DOWN)) {
			live_wheel(l, in.key, in.x, in.y);
		} else if (event == TERM_KEY) {
			live_key(l, in.key);
		} else if (event == TERM_MOUSE && in.drag) {
			live_drag(l, in.x);
		} else if (event == TERM_MOUSE) {
			live_click(l, in.x, in.y);
		} else if (event == TERM_PASTE) {
			alerts_hint(&l->alerts, l->sys->monotonic_ns(l->sys),
				    "paste: ignored: only typed keys count");
			l->dirty = true;
		} else if (event == TERM_QUIT && in.signal == SIGHUP && l->session.db->n_own &&
			   !has_hung_up(l)) { /* like a daemon, read the files again */
			live_reload(l);
		} else if (event == TERM_QUIT) {
			l->signal = in.signal;
			l->end = true;
		} else if (event == TERM_GONE) {
			l->end = true;
		} else {
			resize_canvas(l);
		}
		if (l->end)
			return;
	}
}

static void take_events(struct live *l, int64_t now)
{
	char text[512];

	while (session_event(&l->session, now, text, sizeof(text))) {
		alerts_add(&l->alerts, now, text);
		if (l->recorder)
			recorder_follow(l->recorder, text);
		if (l->session.mark.time_ns)
			live_keep_mark(l, l->session.mark.time_ns, l->session.mark.text);
		l->dirty = true;
	}
	if (l->session.changes == l->changes)
		return;
	l->changes = l->session.changes;
	feeds_follow(&l->feeds);
	screen_follow(&l->screen);
	l->unload_ns = now;
	if (!session_is_counting(&l->session))
		l->screen.pane.table.counted = (struct process_id){0};
}

/* Count the chosen process or thread alone, and show its frames; NULL for the whole machine. */
static void count_process(void *live, const struct process *p)
{
	struct live *l = live;
	const struct scope scope = {.kind = p && p->is_thread ? SCOPE_THREAD : SCOPE_PROCESS,
				    .pid = p ? p->pid : 0};

	session_count(&l->session, p ? &scope : NULL);
	session_choose_frames(&l->session, p ? (p->is_thread ? p->parent : p->pid) : 0);
}

/* Read processes only if the view shows them and is not paused. Returns whether it does. */
static bool want_processes(struct live *l)
{
	struct process_query query;
	int64_t period_ns;
	bool wanted = screen_wants_processes(&l->screen, &query, &period_ns) && !l->screen.paused_ns;

	scanner_want(l->scanner, &query, wanted ? period_ns : 0);
	return wanted;
}

static void take_processes(struct live *l)
{
	struct process_list *list = scanner_take(l->scanner);
	bool wanted = want_processes(l);

	process_pane_pause(&l->screen.pane, l->screen.paused_ns);
	if (list && wanted) {
		/* draw a panel of processes together with the others */
		l->dirty |= screen_pane(&l->screen) || !l->screen.pane.list;
		screen_take_processes(&l->screen, list);
	} else {
		process_list_free(list);
	}
}

/* At the end of a refresh period: update the numbers, unless the screen is paused. */
static void step_refresh(struct live *l, int64_t now)
{
	int64_t period_ns = l->options->interval_ns;

	if (now < l->next_step_ns)
		return;
	l->next_step_ns += l->feeds.refresh_ns * ((now - l->next_step_ns) / l->feeds.refresh_ns + 1);
	live_follow_range(l);
	/* Read CPU events as rarely as possible. Beside a GPU they share its times, and a log needs
	 * the interval. Otherwise the screen shows them once per refresh. */
	if (!l->session.gpu && !l->recorder && l->feeds.refresh_ns >= period_ns)
		period_ns = l->feeds.refresh_ns;
	for (unsigned i = 0; i < l->session.n; i++) {
		struct session_source *s = &l->session.sources[i];

		if (s->kind == SOURCE_PERF && s->asked_ns != period_ns)
			feeds_set_interval(&l->feeds, s, period_ns);
	}
	if (!l->screen.paused_ns)
		feeds_step(&l->feeds);
	if (l->past.wanted)
		live_pause_screen(l);
	l->dirty = true;
	if (l->options->duration_ns && now - l->start_ns >= l->options->duration_ns)
		l->end = true;
}

static void run_measurement(struct live *l, int64_t now)
{
	bool rest = l->paused_since_ns && !l->recorder && now - l->paused_since_ns >= REST_NS;

	/* Let a GPU rest that only counting keeps powered. A log needs its samples. */
	l->dirty |= rest != l->session.rests;
	l->session.keeps_sources = l->recorder != NULL;
	session_rest(&l->session, rest);
	take_events(l, now);
	feeds_drain(&l->feeds);
	take_processes(l);
	live_look_at_log(l);
	step_refresh(l, now);
}

/* ---- a log instead of a measurement ---- */

static void ask_signal(void *live, const struct process *p, const char *signal)
{
	struct live *l = live;
	char text[64];

	snprintf(text, sizeof(text), "%d %llu %s", (int)p->pid, (unsigned long long)p->start, signal);
	player_ask(l->player, "signal", text);
}

static bool start_log(struct live *l, int64_t now, struct err *err)
{
	AUTO_STRBUF struct strbuf complaint = {0};

	if (!player_start(l->player, &l->feeds, now, err))
		return false;
	screen_of_log(&l->screen, l->player);
	l->screen.of_boards = l->boards != NULL;
	if (l->player->remote && !l->boards && l->options->log &&
	    !remote_log(l->player->remote, l->options->log, l->options->force, err))
		return false;
	if (l->player->remote) {
		l->screen.pane.ask_signal = ask_signal;
		l->screen.pane.count_ctx = l;
	}
	player_complain(l->player, &complaint);
	if (complaint.n)
		alerts_add(&l->alerts, now, complaint.p);
	return true;
}

static void run_log(struct live *l, int64_t now)
{
	struct strbuf *said = &l->player->said;
	struct process_list *list;
	struct process_query query;
	int64_t period_ns;
	struct span rest;

	l->dirty |= player_run(l->player, now);
	live_follow_range(l);
	rest = (struct span){said->p, said->n};
	while (rest.n)
		alerts_add(&l->alerts, now, span_until(&rest, '\n').p);
	strbuf_clear(said);
	live_look_at_log(l);
	player_want_processes(l->player, screen_wants_processes(&l->screen, &query, &period_ns));
	if (l->jumps != l->player->jumps)
		screen_forget_processes(&l->screen);
	l->jumps = l->player->jumps;
	list = player_take_processes(l->player);
	if (list)
		screen_take_processes(&l->screen, list);
	if (now >= l->next_step_ns) { /* alerts expire, and the size of the log may change */
		l->next_step_ns = now + l->feeds.refresh_ns;
		l->dirty = true;
	}
	if (l->options->duration_ns && now - l->start_ns >= l->options->duration_ns)
		l->end = true;
}

/* ---- the loop ---- */

/* Report a change of the verdict as a message and, in a log, as a mark. */
static void report_verdict(struct live *l, int64_t now)
{
	bool in_sight = screen_shows_verdict(&l->screen) && live_sees_view(l);
	char text[JUDGE_NEWS_TEXT];

	if (l->player || l->screen.paused_ns || !screen_judge_news(&l->screen.judge, text))
		return;
	(in_sight ? alerts_quiet : alerts_news)(&l->alerts, now, text);
	if (l->recorder)
		recorder_mark(l->recorder, 0, text);
}

/* Count the CPU events on the screen first, and sample functions while the view Hot is shown. A
 * pause, and cards over the view, do not change that. */
static void prefer_shown(struct live *l)
{
	struct session_source *perf = session_shown(&l->session, SOURCE_PERF),
			      *hot = session_shown(&l->session, SOURCE_HOT);
	bool shows_hot = strcmp(l->screen.view->name, "hot") == 0;
	struct source_priority query = {0};

	if (l->screen.paused_ns)
		return;
	if (l->player && hot)
		player_sample_functions(l->player, shows_hot);
	if (l->player)
		return;
	if (hot && shows_hot)
		screen_priority(&l->screen, SOURCE_HOT, &query);
	if (hot)
		session_prefer(&l->session, hot, &query);
	if (!perf || !l->screen.hits.n || !live_sees_view(l))
		return;
	screen_priority(&l->screen, SOURCE_PERF, &query);
	session_prefer(&l->session, perf, &query);
}

static int wait_ms(const struct live *l, int64_t now)
{
	int64_t left = l->next_step_ns - now, due = l->player ? player_wait_ns(l->player, now) : left;
	int ms, term = term_wait_ms(l->term);

	if (l->options->duration_ns && l->start_ns + l->options->duration_ns - now < left)
		left = l->start_ns + l->options->duration_ns - now;
	if (due < left)
		left = due;
	if (left > DRAIN_NS)
		left = DRAIN_NS;
	if (l->session.has_past && now < l->start_ns + PAST_NS && left > PAST_DRAIN_NS)
		left = PAST_DRAIN_NS;
	ms = left <= 0 ? 0 : (int)((left + 999999) / 1000000);
	return term >= 0 && term < ms ? term : ms;
}

static void run_loop(struct live *l)
{
	struct pollfd fds[TERM_FDS + 2 + BOARDS_MOST];
	int arrival;

	while (!l->end) {
		int64_t now = l->sys->monotonic_ns(l->sys);
		int n = term_fds(l->term, fds);

		if (!l->player) {
			fds[n++] = (struct pollfd){.fd = sampler_fd(l->session.sampler), .events = POLLIN};
			fds[n++] = (struct pollfd){.fd = scanner_fd(l->scanner), .events = POLLIN};
		} else if ((arrival = mlog_arrival_fd(l->player->feed)) >= 0) {
			fds[n++] = (struct pollfd){.fd = arrival, .events = POLLIN};
		}
		n += l->boards ? (int)boards_fds(l->boards, fds + n) : 0;
		l->sys->poll(l->sys, fds, (unsigned)n, l->dirty && term_ready(l->term) ? 0 : wait_ms(l, now));
		now = l->sys->monotonic_ns(l->sys);
		take_input(l);
		if (l->boards)
			boards_run(l->boards, now);
		if (l->player)
			run_log(l, now);
		else
			run_measurement(l, now);
		if (now >= l->unload_ns) {
			l->unload_ns = now + (now - l->start_ns) + UNLOAD_NS;
			self_unload();
		}
		if (!l->end && l->dirty && term_ready(l->term) &&
		    !(l->player && player_is_brief(l->player, now))) {
			l->canvas.mono = term_mono(l->term); /* F2 changes it */
			live_compose(l);
			report_verdict(l, l->sys->monotonic_ns(l->sys));
			prefer_shown(l);
			l->dirty = !term_draw(l->term, &l->canvas);
			if (!l->player)
				want_processes(l); /* request the command lines of the visible rows */
		}
	}
}

static bool open_terminal(struct live *l, struct err *err)
{
	const struct options *o = l->options;

	if (!l->term)
		l->term = term_open(l->sys,
				    &(struct term_options){.color = o->color,
							   .theme = o->theme,
							   .ascii = o->ascii,
							   .takes_output_keys = l->player && o->operand &&
										strcmp(o->operand, "-") == 0},
				    err);
	return l->term != NULL;
}

/* Wait for the devices to open. Most open at once. In that case the first frame already has data,
 * and the terminal is untouched if opening fails. */
static bool wait_for_devices(struct live *l, struct err *err)
{
	struct pollfd fd = {.fd = session_opening_fd(&l->session), .events = POLLIN};
	int64_t since = l->sys->monotonic_ns(l->sys);

	self_unload(); /* the data is read */
	if (l->sys->poll(l->sys, &fd, 1, PATIENCE_MS) > 0)
		return true;
	if (!open_terminal(l, err))
		return false;
	l->end = !splash_run(
		l->sys, l->term,
		&(struct splash){.title = "opening the GPU driver",
				 .reason = "The driver may be loading firmware or waking the GPU.",
				 .remedy = "If this does not end: `malitop -b proc` shows only the CPU.",
				 .fd = fd.fd},
		since, &l->signal);
	return true;
}

static bool is_connected(void *remote)
{
	return remote_look(remote) != REMOTE_CONNECTS;
}

/* Wait for another machine likewise. If the connection asks for a password, the terminal is first
 * as it was before. */
static bool wait_for_board(struct live *l, struct remote *remote, struct err *err)
{
	struct pollfd fd = {.fd = mlog_arrival_fd(remote_feed(remote)), .events = POLLIN};
	int64_t since = l->sys->monotonic_ns(l->sys);
	char title[80];

	self_unload();
	while (!is_connected(remote) && l->sys->monotonic_ns(l->sys) - since < PATIENCE_MS * 1000000ll)
		l->sys->poll(l->sys, &fd, 1, PATIENCE_MS / 4);
	if (!is_connected(remote)) {
		if (!open_terminal(l, err))
			return false;
		snprintf(title, sizeof(title), "connecting to %.60s", remote_where(remote));
		l->end = !splash_run(l->sys, l->term,
				     &(struct splash){.title = title,
						      .reason = "Nothing has come from malitop there yet.",
						      .remedy = "If this does not end: does the program that "
								"connects work by itself?",
						      .fd = fd.fd,
						      .is_done = is_connected,
						      .ctx = remote},
				     since, &l->signal);
	}
	if (l->term && !l->end && remote_look(remote) == REMOTE_ASKS) {
		term_close(take_ptr(&l->term));
		if (!remote_restart(remote, err))
			return false;
	}
	return l->end || remote_await(remote, err);
}

/* Set up what only a measurement has: counting one process, recording a log, reading processes. */
static bool start_measuring(struct live *l, struct err *err)
{
	const struct options *o = l->options;

	if (session_can_count(&l->session)) {
		l->screen.pane.count = count_process;
		l->screen.pane.count_ctx = l;
	}
	if (o->log) {
		session_settle(&l->session); /* the log records the true intervals */
		l->recorder = recorder_start(&l->session, o->log, err);
		if (!l->recorder)
			return false;
	}
	l->scanner = scanner_new(l->sys, devices_processes(l->options), &l->session.what, err);
	return l->scanner != NULL;
}

static bool start_screen(struct live *l, struct err *err)
{
	const struct options *o = l->options;
	unsigned parts = SUBSCRIBER_INSTANCES;
	int64_t now;

	if (!l->player && !session_finish(&l->session, err))
		return false;
	/* keep cores, slices and CPUs before the user breaks down */
	if (!o->per_core)
		parts = !l->player && o->interval_ns >= FEW_NS ? SUBSCRIBER_FEW : 0;
	feeds_init(&l->feeds, &l->session, parts, l->player ? l->player->refresh_ns : o->refresh_ns);
	if (!screen_init(&l->screen, &l->session, &l->feeds, o->view, err))
		return false;
	now = l->sys->monotonic_ns(l->sys);
	if (!(l->player ? start_log(l, now, err) : start_measuring(l, err)) || !open_terminal(l, err))
		return false;
	now = l->sys->monotonic_ns(l->sys);
	l->start_ns = now;
	l->unload_ns = now;
	l->next_step_ns =
		now + (l->session.has_past && l->feeds.refresh_ns > PAST_NS ? PAST_NS : l->feeds.refresh_ns);
	canvas_init(&l->canvas, 1, 1, !term_utf8(l->term));
	resize_canvas(l);
	alerts_notes(&l->alerts, now, &l->session.notes, l->session.no_gpu.n > 0);
	if (l->session.no_gpu.n)
		strbuf_str(&l->session.no_gpu, "Esc\tcloses this\n");
	if (o->baseline && !live_read_baseline(l, o->baseline, err))
		return err_prefix(err, "--baseline: ");
	if (term_note())
		alerts_add(&l->alerts, now, term_note());
	return true;
}

static bool close_all(struct live *l, struct err *err)
{
	struct recorder_state state;
	AUTO_STRBUF struct strbuf complaint = {0};
	bool ok = true;

	if (!l->boards)
		term_close(l->term);
	if (l->player)
		player_complain(l->player, &complaint);
	if (complaint.n)
		err_set(err, 0, "%s: %s", l->options->where ? l->options->where : l->options->operand,
			complaint.p);
	if (l->recorder)
		recorder_await(l->recorder);
	if (l->recorder) {
		ok = recorder_stop(l->recorder, &state);
		if (!ok || state.lost)
			*err = state.err;
	}
	scanner_free(l->scanner);
	help_close(&l->help);
	canvas_fini(&l->canvas);
	screen_fini(&l->screen);
	feeds_fini(&l->feeds);
	session_close(&l->session);
	player_free(l->player);
	return ok;
}

enum exit_status live_run(const struct sys *sys, const struct options *options, int *signal, struct err *err)
{
	/* Instances multiply the numbers of a GPU by seven: at short intervals measure them only on
	 * request. */
	bool instances = options->per_core || options->interval_ns >= 10000000, ok, closed;
	struct live l = {.sys = sys, .options = options, .has_instances = instances};
	struct remote *remote = NULL;
	struct err late = {0};

	if (options->command == COMMAND_ON)
		ok = (remote = remote_new(sys, options, options->where, err)) != NULL &&
		     wait_for_board(&l, remote, err);
	else
		ok = options->command == COMMAND_REPLAY ||
		     (session_begin(&l.session, sys, options, 0, instances, err) &&
		      wait_for_devices(&l, err));
	if (ok && !l.end && (options->command == COMMAND_ON || options->command == COMMAND_REPLAY))
		ok = (l.player = player_open(&l.session, sys, options, take_ptr(&remote), err)) != NULL;
	ok = ok && (l.end || start_screen(&l, err));
	if (ok)
		run_loop(&l);
	closed = close_all(&l, &late);
	remote_close(remote); /* which was not waited for */
	if (ok)
		*err = late; /* problems of a log are reported, but are not a failure */
	*signal = l.signal;
	return ok && closed ? EXIT_DONE : EXIT_FAILED;
}

bool live_run_board(const struct sys *sys, const struct options *options, struct term *term,
		    struct boards *boards, struct remote *remote, enum live_leave *leave, int *signal,
		    struct err *err)
{
	struct live l = {.sys = sys, .options = options, .boards = boards, .term = term};
	struct err late;
	bool ok;

	*leave = LIVE_QUIT;
	l.player = player_open(&l.session, sys, options, remote, err);
	ok = l.player && start_screen(&l, err);
	if (ok)
		run_loop(&l);
	close_all(&l, &late);
	*leave = ok ? l.leave : LIVE_BOARDS;
	*signal = l.signal;
	return ok;
}
