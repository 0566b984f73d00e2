#include "app/once.h"

#include "app/screen.h"

#include <poll.h>
#include <string.h>

#define SAID_TEXT 512

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

enum exit_status once_run(const struct sys *sys, const struct options *options, bool ascii, struct strbuf *out, struct err *err)
{
	struct session session;
	struct screen screen = {0};
	struct feeds feeds;
	struct canvas canvas;
	char said[SAID_TEXT] = "";
	bool ok;

	if (!session_open(&session, sys, options, true, err))
		return EXIT_FAILED;
	feeds_init(&feeds, &session, true, options->refresh_ns);
	ok = screen_init(&screen, &session, &feeds, options->view, err);
	if (ok) {
		canvas_init(&canvas, (int)options->once.w, (int)options->once.h, ascii);
		feeds_want_points(&feeds, 2 * canvas.cols);
		take_frames(&feeds, options->frames, said);
		screen_describe(&screen, sys->monotonic_ns(sys));
		screen_draw(&screen, said[0] ? said : session.notes.n ? session.notes.p : NULL, &canvas);
		canvas_dump(&canvas, out);
		canvas_fini(&canvas);
	}
	screen_fini(&screen);
	feeds_fini(&feeds);
	session_close(&session);
	return ok ? EXIT_DONE : EXIT_FAILED;
}
