#include "cli/commands.h"

#include "record/recorder.h"
#include "session/scanner.h"
#include "tui/alerts.h"
#include "tui/screen.h"

#include <poll.h>
#include <string.h>

#define SAID_TEXT 512
#define SCAN_NS 1000000000 /* how often to read processes */
#define LIST_WAIT_MS 10000 /* how long to wait for a list of them */
#define LISTS_MOST 3

/* Sample until the deadline. Writes the newest message into `said`. log may be NULL. */
static void drain_until(struct feeds *feeds, struct recorder *log, int64_t deadline_ns, char said[SAID_TEXT])
{
	const struct sys *sys = feeds->session->sys;
	char text[SAID_TEXT];
	int64_t now;

	while ((now = sys->monotonic_ns(sys)) < deadline_ns) {
		int64_t left_ms = (deadline_ns - now) / 1000000 + 1;

		sys->poll(sys, NULL, 0, left_ms > 500 ? 500 : (int)left_ms);
		feeds_drain(feeds);
		while (session_event(feeds->session, now, text, sizeof(text))) {
			if (text[0])
				memcpy(said, text, sizeof(text));
			if (log)
				recorder_follow(log, text);
		}
	}
}

/* The second list of processes is the first with percentages; the third also has those of the
 * threads worth reading. */
static void take_processes(struct screen *screen, struct scanner *scanner)
{
	const struct sys *sys = screen->session->sys;
	struct pollfd fd = {.fd = scanner_fd(scanner), .events = POLLIN};
	struct process_list *list;
	bool complete = false;

	for (int i = 0; i < LISTS_MOST && !complete && sys->poll(sys, &fd, 1, LIST_WAIT_MS) > 0; i++) {
		feeds_drain(screen->feeds);
		list = scanner_take(scanner);
		if (list)
			complete = screen_take_processes(screen, list);
	}
}

/* Sample, and read processes at the same time if the view shows them. */
static bool take_all(struct screen *screen, struct recorder *log, unsigned frames, char said[SAID_TEXT],
		     struct err *err)
{
	const struct sys *sys = screen->session->sys;
	struct scanner *scanner = NULL;
	struct process_query query;
	int64_t period_ns, start;

	if (screen_wants_processes(screen, &query, &period_ns)) {
		query.all_commands = true; /* nothing was drawn: the rows in sight are unknown */
		scanner = scanner_new(sys, devices_processes(screen->session->options),
				      &screen->session->what, err);
		if (!scanner)
			return false;
		scanner_want(scanner, &query, SCAN_NS);
	}
	start = sys->monotonic_ns(sys);
	for (unsigned i = 1; i <= frames; i++) {
		drain_until(screen->feeds, log, start + i * screen->feeds->refresh_ns, said);
		feeds_step(screen->feeds);
	}
	if (scanner)
		take_processes(screen, scanner);
	scanner_free(scanner);
	return true;
}

/* Sample, with --log if it was given. Signals still end the program while the disk hangs. */
static bool measure_frames(struct screen *screen, const struct options *options, char said[SAID_TEXT],
			   struct err *err)
{
	struct session *session = screen->session;
	struct recorder *log = NULL;
	struct recorder_state end;
	bool ok;

	if (options->log) {
		session_settle(session); /* the log records the actual intervals */
		log = recorder_start(session, options->log, err);
		if (!log)
			return false;
	}
	ok = take_all(screen, log, options->frames, said, err);
	if (log && (!recorder_stop(log, &end) || end.lost) && ok) {
		*err = end.err;
		ok = !end.failed;
	}
	return ok;
}

/* Play this many refreshes from the start of the log, without waiting. The stream of another
 * machine is kept in a file if one was given. */
static bool play_frames(struct screen *screen, struct player *player, unsigned frames, struct err *err)
{
	AUTO_STRBUF struct strbuf complaint = {0};
	const struct options *o = screen->session->options;
	bool keeps = player->remote && o->log;
	struct process_list *list;
	struct process_query query;
	int64_t period_ns;

	if (keeps && !remote_log(player->remote, o->log, o->force, err))
		return false;
	player_await(player, frames);
	if (!player_start(player, screen->feeds, 0, err))
		return false;
	screen_of_log(screen, player);
	player_want_processes(player, screen_wants_processes(screen, &query, &period_ns));
	for (player_settle(player); frames > 0; frames--) {
		player_step(player, 1, 0);
		player_settle(player);
	}
	list = player_take_processes(player);
	if (list)
		screen_take_processes(screen, list);
	player_complain(player, &complaint);
	if (complaint.n)
		err_set(err, 0, "%s: %s", o->where ? o->where : o->operand, complaint.p);
	return !keeps || remote_log_end(player->remote, err);
}

/* A source whose samples have all failed has nothing to show but why. */
static bool check_samples(const struct feeds *feeds, struct err *err)
{
	for (unsigned i = 0; i < feeds->n; i++) {
		const struct column *total =
			feed_part(&feeds->feeds[i], FEED_TOTAL, 0, 0, feeds->feeds[i].step);

		if (total->flags & SAMPLE_ERROR && !total->time_ns)
			return err_set(err, 0, "%s: every sample failed: %s: see dmesg and `malitop doctor`",
				       feeds->feeds[i].source->title,
				       sample_failure_texts[sample_failure(total->flags)]);
	}
	return true;
}

enum exit_status once_run(const struct sys *sys, const struct options *options, bool ascii,
			  struct strbuf *out, struct err *err)
{
	struct session session;
	struct player *player = NULL;
	struct screen screen = {0};
	struct feeds feeds;
	struct canvas canvas;
	struct alerts alerts = {0};
	char said[SAID_TEXT] = "";
	int64_t until;
	bool ok, measured = true;

	if (options->command == COMMAND_REPLAY || options->command == COMMAND_ON)
		ok = (player = player_open(&session, sys, options, NULL, err)) != NULL;
	else
		ok = session_open(&session, sys, options, 0, true, err);
	if (!ok)
		return EXIT_FAILED;
	feeds_init(&feeds, &session, SUBSCRIBER_INSTANCES, player ? player->refresh_ns : options->refresh_ns);
	ok = screen_init(&screen, &session, &feeds, options->view, err);
	if (ok) {
		canvas_init(&canvas, (int)options->once.w, (int)options->once.h, ascii);
		canvas.mono = true; /* it is printed as plain text */
		feeds_want_points(&feeds, 2 * canvas.cols + VIEW_POINTS_BEFORE);
		ok = player ? play_frames(&screen, player, options->frames, err)
			    : measure_frames(&screen, options, said, err);
		screen_describe(&screen, sys->monotonic_ns(sys));
		screen.realtime_ns = sys->realtime_ns(sys);
		if (player)
			screen_show_moment(&screen, player, 0);
		if (ok && !player)
			measured = check_samples(&feeds, err);
		if (!measured)
			alerts_add(&alerts, 0, err->text);
		else if (said[0])
			alerts_add(&alerts, 0, said);
		else
			alerts_notes(&alerts, 0, &session.notes, session.no_gpu.n > 0);
		screen_draw(&screen, alerts_now(&alerts, 0, &until), &canvas);
		if (ok)
			canvas_dump(&canvas, out);
		canvas_fini(&canvas);
	}
	screen_fini(&screen);
	feeds_fini(&feeds);
	session_close(&session);
	player_free(player);
	return ok && measured ? EXIT_DONE : EXIT_FAILED;
}
