/* The screen while a device or another machine is slow to open. */
#include "tui/live_priv.h"

#include "tui/keys.h"
#include "term/term.h"

#define SECOND_NS 1000000000ll
#define LOOK_MS 100

static void draw_splash(const struct splash *splash, struct canvas *canvas, int64_t seconds)
{
	struct rect r = canvas_rect(canvas), header, footer;
	const struct foot_keys keys = {.keys = {{"q", NULL, "quit", 0}}, .n = 1};

	canvas_clear(canvas);
	header = rect_top(&r, 1);
	footer = rect_bottom(&r, 1);
	canvas_fill(canvas, header, STYLE_HEADER, ' ');
	canvas_printf(canvas, header, STYLE_HEADER, "malitop  %s", splash->title);
	canvas_printf(canvas, rect_right(&header, 8), STYLE_HEADER, "%6lld s", (long long)seconds);
	rect_top(&r, 1);
	rect_left(&r, 1);
	canvas_text(canvas, rect_top(&r, 1), STYLE_TEXT, splash->reason);
	canvas_text(canvas, rect_top(&r, 1), STYLE_DIM, splash->remedy);
	frame_draw_footer(&(struct frame_text){.keys = &keys}, canvas, footer);
}

bool splash_run(const struct sys *sys, struct term *term, const struct splash *splash, int64_t since_ns,
		int *signal)
{
	struct pollfd fds[TERM_FDS + 1];
	bool stays = true, opened = false, resized = true;
	struct term_input in;
	enum term_event event;
	int64_t shown = -1;
	struct canvas canvas;

	canvas_init(&canvas, 1, 1, !term_utf8(term));
	while (stays && !opened) {
		int64_t waited = sys->monotonic_ns(sys) - since_ns;
		int n, cols, rows, ms, soon;

		if (resized) {
			term_size(term, &cols, &rows);
			canvas_resize(&canvas, cols, rows);
		}
		if ((resized || waited / SECOND_NS != shown) && term_ready(term)) {
			draw_splash(splash, &canvas, waited / SECOND_NS);
			resized = !term_draw(term, &canvas);
			shown = waited / SECOND_NS;
		}
		n = term_fds(term, fds);
		fds[n] = (struct pollfd){.fd = splash->fd, .events = POLLIN};
		ms = (int)((SECOND_NS - waited % SECOND_NS) / 1000000) + 1;
		ms = splash->is_done && ms > LOOK_MS ? LOOK_MS : ms;
		soon = term_wait_ms(term);
		sys->poll(sys, fds, (unsigned)n + 1, soon >= 0 && soon < ms ? soon : ms);
		while (stays && (event = term_next(term, &in)) != TERM_NONE) {
			if (event == TERM_QUIT)
				*signal = in.signal;
			if (event == TERM_QUIT || event == TERM_GONE ||
			    (event == TERM_KEY &&
			     keys_action(keys_everywhere, in.key, 0).action == ACTION_QUIT))
				stays = false;
			resized |= event == TERM_RESIZE || event == TERM_RESUMED;
		}
		opened = splash->is_done ? splash->is_done(splash->ctx) : fds[n].revents != 0;
	}
	canvas_fini(&canvas);
	return stays;
}
