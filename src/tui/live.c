#include "tui/live.h"

#include "tui/help.h"
#include "tui/live_priv.h"
#include "tui/splash.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#define PATIENCE_MS 200       /* for devices to open, before a screen says that it takes longer */
#define DRAIN_NS 1000000000ll /* rings are drained at least so often, however slow the refresh */
#define SCAN_NS 1000000000ll  /* processes are read no more often, however fast the refresh */

static void resize(struct live *l)
{
	int cols, rows;

	term_size(l->term, &cols, &rows);
	canvas_resize(&l->canvas, cols, rows);
	feeds_want_points(&l->feeds, 2 * cols);
	l->dirty = true;
}

static void take_input(struct live *l)
{
	struct term_input in;
	enum term_event event;

	while ((event = term_next(l->term, &in)) != TERM_NONE) {
		if (event == TERM_KEY) {
			live_key(l, in.key);
		} else if (event == TERM_MOUSE) {
			if (in.y == 1)
				screen_show(&l->screen, frame_tab_at(&l->screen.views, l->screen.view, l->canvas.cols, in.x));
			l->dirty = true;
		} else if (event == TERM_QUIT) {
			l->signal = in.signal;
			l->end = true;
		} else if (event == TERM_GONE) {
			l->end = true;
		} else {
			resize(l);
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
		l->dirty = true;
	}
	if (l->session.changes == l->changes)
		return;
	l->changes = l->session.changes;
	feeds_follow(&l->feeds);
	screen_follow(&l->screen);
	if (!session_is_counting(&l->session))
		l->screen.pane.table.counted = (struct process_id){0};
}

/* A process or thread was chosen; NULL: none. */
static void count(void *live, const struct process *p)
{
	struct live *l = live;
	const struct scope scope = {.kind = p && p->is_thread ? SCOPE_THREAD : SCOPE_PROCESS, .pid = p ? p->pid : 0};

	session_count(&l->session, p ? &scope : NULL);
}

/* Processes are read for a view that shows them, and never while it stands still. */
static void take_processes(struct live *l)
{
	int64_t refresh_ns = l->feeds.refresh_ns;
	struct process_list *list = scanner_take(l->scanner);
	struct process_wish wish;
	bool wanted = screen_wants_processes(&l->screen, &wish) && !l->screen.paused_ns;

	scanner_want(l->scanner, &wish, !wanted ? 0 : refresh_ns > SCAN_NS ? refresh_ns : SCAN_NS);
	if (list && wanted) {
		screen_take_processes(&l->screen, list);
		l->dirty = true;
	} else {
		process_list_free(list);
	}
}

/* A refresh period is over: new numbers, unless the screen is paused. */
static void step(struct live *l, int64_t now)
{
	if (now < l->next_step_ns)
		return;
	l->next_step_ns += l->feeds.refresh_ns * ((now - l->next_step_ns) / l->feeds.refresh_ns + 1);
	if (!l->screen.paused_ns)
		feeds_step(&l->feeds);
	l->dirty = true;
	if (l->options->duration_ns && now - l->start_ns >= l->options->duration_ns)
		l->end = true;
}

static void measure(struct live *l, int64_t now)
{
	take_events(l, now);
	feeds_drain(&l->feeds);
	take_processes(l);
	live_look_at_log(l);
	step(l, now);
}

static void draw(struct live *l, int64_t now)
{
	int64_t until;
	const char *alert = alerts_now(&l->alerts, now, &until);

	screen_describe(&l->screen, now);
	l->screen.realtime_ns = l->sys->realtime_ns(l->sys);
	if (l->player)
		screen_show_moment(&l->screen, l->player, now);
	l->screen.ask = live_asked(l);
	if (l->help)
		help_draw(&l->session, screen_pane(&l->screen) ? process_pane_helps(&l->screen.pane) : NULL,
			  screen_has(&l->screen), &l->alerts, now, &l->canvas);
	else
		screen_draw(&l->screen, alert, &l->canvas);
	l->dirty = !term_draw(l->term, &l->canvas);
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
	ms = left <= 0 ? 0 : (int)((left + 999999) / 1000000);
	return term >= 0 && term < ms ? term : ms;
}

static void loop(struct live *l)
{
	struct pollfd fds[TERM_FDS + 2];

	while (!l->end) {
		int64_t now = l->sys->monotonic_ns(l->sys);
		int n = term_fds(l->term, fds);

		if (!l->player) {
			fds[n++] = (struct pollfd){.fd = sampler_fd(l->session.sampler), .events = POLLIN};
			fds[n++] = (struct pollfd){.fd = scanner_fd(l->scanner), .events = POLLIN};
		}
		l->sys->poll(l->sys, fds, (unsigned)n, l->dirty && term_ready(l->term) ? 0 : wait_ms(l, now));
		now = l->sys->monotonic_ns(l->sys);
		take_input(l);
		if (l->player)
			live_run_log(l, now);
		else
			measure(l, now);
		if (!l->end && l->dirty && term_ready(l->term))
			draw(l, now);
	}
}

static bool open_terminal(struct live *l, struct err *err)
{
	const struct options *o = l->options;

	if (!l->term)
		l->term = term_open(l->sys, &(struct term_options){.color = o->color, .theme = o->theme, .ascii = o->ascii}, err);
	return l->term != NULL;
}

/* Most devices open at once: then the first frame is the real one, and what fails has not touched the terminal. */
static bool wait_for_devices(struct live *l, struct err *err)
{
	struct pollfd fd = {.fd = session_opening_fd(&l->session), .events = POLLIN};
	int64_t since = l->sys->monotonic_ns(l->sys);

	if (l->sys->poll(l->sys, &fd, 1, PATIENCE_MS) > 0)
		return true;
	if (!open_terminal(l, err))
		return false;
	l->end = !splash_run(l->sys, l->term, fd.fd, since, &l->signal);
	return true;
}

/* The first on top. */
static void add_notes(struct live *l, int64_t now)
{
	struct span rest = {l->session.notes.p, l->session.notes.n}, lines[ALERTS_KEPT];
	unsigned n = 0;

	while (rest.n && n < ALERTS_KEPT)
		lines[n++] = span_until(&rest, '\n');
	while (n-- > 0)
		alerts_add(&l->alerts, now, lines[n].p);
}

/* What is beside a measurement, but not beside a log: counting, a log of its own, processes that are read. */
static bool start_measuring(struct live *l, struct err *err)
{
	const struct options *o = l->options;

	if (session_can_count(&l->session)) {
		l->screen.pane.count = count;
		l->screen.pane.count_ctx = l;
	}
	if (o->log) {
		session_settle(&l->session); /* the log tells the true intervals */
		l->recorder = recorder_start(&l->session, o->log, err);
		if (!l->recorder)
			return false;
	}
	l->scanner = scanner_new(l->sys, err);
	return l->scanner != NULL;
}

static bool start(struct live *l, struct err *err)
{
	const struct options *o = l->options;
	int64_t now;

	if (!l->player && !session_finish(&l->session, err))
		return false;
	feeds_init(&l->feeds, &l->session, o->per_core, l->player ? player_refresh_ns(l->player) : o->refresh_ns);
	if (!screen_init(&l->screen, &l->session, &l->feeds, o->view, err))
		return false;
	now = l->sys->monotonic_ns(l->sys);
	if (!(l->player ? live_start_log(l, now, err) : start_measuring(l, err)) || !open_terminal(l, err))
		return false;
	now = l->sys->monotonic_ns(l->sys);
	l->start_ns = now;
	l->next_step_ns = now + l->feeds.refresh_ns;
	canvas_init(&l->canvas, 1, 1, !term_utf8(l->term));
	resize(l);
	add_notes(l, now);
	return true;
}

static bool close_all(struct live *l, struct err *err)
{
	struct recorder_state state;
	AUTO_STRBUF struct strbuf complaint = {0};
	bool ok = true;

	term_close(l->term);
	if (l->player)
		player_complain(l->player, &complaint);
	if (complaint.n)
		err_set(err, 0, "%s: %s", l->options->operand, complaint.p);
	if (l->recorder)
		recorder_await(l->recorder);
	if (l->recorder && !recorder_stop(l->recorder, &state)) {
		*err = state.err;
		ok = false;
	}
	scanner_free(l->scanner);
	canvas_fini(&l->canvas);
	screen_fini(&l->screen);
	feeds_fini(&l->feeds);
	session_close(&l->session);
	player_free(l->player);
	return ok;
}

enum exit_status live_run(const struct sys *sys, const struct options *options, int *signal, struct err *err)
{
	/* Instances cost a GPU seven times the numbers: at short intervals only for those who ask. */
	bool instances = options->per_core || options->interval_ns >= 10000000, ok, closed;
	struct live l = {.sys = sys, .options = options, .has_instances = instances};
	struct err late = {0};

	if (options->command == COMMAND_REPLAY)
		ok = live_open_log(&l, err);
	else
		ok = session_begin(&l.session, sys, options, instances, err) && wait_for_devices(&l, err);
	ok = ok && (l.end || start(&l, err));
	if (ok)
		loop(&l);
	closed = close_all(&l, &late);
	if (ok)
		*err = late; /* what is wrong with a log is told, but no failure */
	*signal = l.signal;
	return ok && closed ? EXIT_DONE : EXIT_FAILED;
}
