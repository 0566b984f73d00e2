#include "cli/once.h"

#include "session/scanner.h"
#include "tui/screen.h"

#include <poll.h>
#include <string.h>

#define SAID_TEXT 512
#define SCAN_NS 1000000000 /* how often processes are read */
#define PATIENCE_MS 10000  /* for a list of them */
#define LISTS_MOST 3

/* Let the sampler work until the deadline. What there is to say, the newest last, replaces *said. */
static void drain_until(struct feeds *feeds, int64_t deadline_ns, char said[SAID_TEXT])
{
	const struct sys *sys = feeds->session->sys;
	char text[SAID_TEXT];
	int64_t now;

	while ((now = sys->monotonic_ns(sys)) < deadline_ns) {
		int64_t left_ms = (deadline_ns - now) / 1000000 + 1;

		sys->poll(sys, NULL, 0, left_ms > 500 ? 500 : (int)left_ms);
		feeds_drain(feeds);
		while (session_event(feeds->session, now, text, sizeof(text)))
			if (text[0])
				memcpy(said, text, sizeof(text));
	}
}

static void take_frames(struct feeds *feeds, unsigned frames, char said[SAID_TEXT])
{
	const struct sys *sys = feeds->session->sys;
	int64_t start = sys->monotonic_ns(sys);

	for (unsigned i = 1; i <= frames; i++) {
		drain_until(feeds, start + i * feeds->refresh_ns, said);
		feeds_step(feeds);
	}
}

/* Of processes the second list is the first with percentages, and the third with those of the threads that it found worth reading. */
static void take_processes(struct screen *screen, struct scanner *scanner)
{
	const struct sys *sys = screen->session->sys;
	struct pollfd fd = {.fd = scanner_fd(scanner), .events = POLLIN};
	struct process_list *list;
	bool whole = false;

	for (int i = 0; i < LISTS_MOST && !whole && sys->poll(sys, &fd, 1, PATIENCE_MS) > 0; i++) {
		feeds_drain(screen->feeds);
		list = scanner_take(scanner);
		if (list)
			whole = screen_take_processes(screen, list);
	}
}

/* Reads processes beside it if the view wants them. */
static bool take_all(struct screen *screen, unsigned frames, char said[SAID_TEXT], struct err *err)
{
	const struct sys *sys = screen->session->sys;
	struct scanner *scanner = NULL;
	struct process_wish wish;

	if (screen_wants_processes(screen, &wish)) {
		scanner = scanner_new(sys, err);
		if (!scanner)
			return false;
		scanner_want(scanner, &wish, SCAN_NS);
	}
	take_frames(screen->feeds, frames, said);
	if (scanner)
		take_processes(screen, scanner);
	scanner_free(scanner);
	return true;
}

/* So many refreshes of the log after the moment that it begins at, at once. */
static bool play_frames(struct screen *screen, struct player *player, unsigned frames, struct err *err)
{
	AUTO_STRBUF struct strbuf complaint = {0};
	struct process_list *list;
	struct process_wish wish;

	if (!player_start(player, screen->feeds, 0, err))
		return false;
	screen_of_log(screen, player);
	player_want_processes(player, screen_wants_processes(screen, &wish));
	for (player_settle(player); frames > 0; frames--) {
		player_step(player, 1, 0);
		player_settle(player);
	}
	list = player_take_processes(player);
	if (list)
		screen_take_processes(screen, list);
	player_complain(player, &complaint);
	if (complaint.n)
		err_set(err, 0, "%s: %s", screen->session->options->operand, complaint.p);
	return true;
}

enum exit_status once_run(const struct sys *sys, const struct options *options, bool ascii, struct strbuf *out, struct err *err)
{
	struct session session;
	struct player *player = NULL;
	struct screen screen = {0};
	struct feeds feeds;
	struct canvas canvas;
	char said[SAID_TEXT] = "";
	bool ok;

	if (options->command == COMMAND_REPLAY)
		ok = (player = player_open(&session, sys, options, err)) != NULL;
	else
		ok = session_open(&session, sys, options, true, err);
	if (!ok)
		return EXIT_FAILED;
	feeds_init(&feeds, &session, true, player ? player_refresh_ns(player) : options->refresh_ns);
	ok = screen_init(&screen, &session, &feeds, options->view, err);
	if (ok) {
		canvas_init(&canvas, (int)options->once.w, (int)options->once.h, ascii);
		feeds_want_points(&feeds, 2 * canvas.cols);
		ok = player ? play_frames(&screen, player, options->frames, err) : take_all(&screen, options->frames, said, err);
		screen_describe(&screen, sys->monotonic_ns(sys));
		screen.realtime_ns = sys->realtime_ns(sys);
		if (player)
			screen_show_moment(&screen, player, 0);
		screen_draw(&screen, said[0] ? said : session.notes.n ? session.notes.p : NULL, &canvas);
		if (ok)
			canvas_dump(&canvas, out);
		canvas_fini(&canvas);
	}
	screen_fini(&screen);
	feeds_fini(&feeds);
	session_close(&session);
	player_free(player);
	return ok ? EXIT_DONE : EXIT_FAILED;
}
