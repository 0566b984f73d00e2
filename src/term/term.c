#include "term/term.h"

#include "term/term_key.h"
#include "term/term_priv.h"
#include "base/alloc.h"
#include "base/charset.h"
#include "base/sys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SYNC_BEGIN "\x1b[?2026h"
#define SYNC_END "\x1b[?2026l"
#define SYNC_LEAST 512 /* bytes: a terminal reads a shorter frame at once, so it never shows half of it */

struct term {
	const struct sys *sys;
	struct term_tty tty;
	const struct term_kind *kind;
	struct term_strings strings;
	struct cells cells;
	bool entered; /* the alternate screen is on */
	bool utf8, mono;
	int cols, rows;
	bool refused;     /* a draw was refused: term_wait_ms must wake the caller */
	int64_t began_ns; /* start of the pending frame */
	bool timing;
	int64_t next_ns; /* no frame before this time */
	struct term_stats stats;
	struct input input;
};

static int64_t now_ns(const struct term *term)
{
	return term->sys->monotonic_ns(term->sys);
}

static void make_cells(struct term *term, const struct term_options *options)
{
	enum depth depth = caps_depth(options->color);
	const char *theme = theme_on_ground(options->theme);
	struct look looks[STYLE_LOOKS];

	term->utf8 = !options->ascii && term->kind->glyphs && charset_is_utf8();
	for (unsigned i = 0; i < STYLE_LOOKS; i++)
		looks[i] = theme_look(theme, depth, i);
	term->mono = looks[STYLE_SERIES1].fg == looks[STYLE_SERIES2].fg;
	caps_strings(&term->strings);
	cells_init(&term->cells, &term->strings, looks, STYLE_LOOKS, !term->utf8);
}

static void build_restore(struct term *term, bool arm)
{
	AUTO_STRBUF struct strbuf bytes = {0};

	caps_restore(term->kind, term->rows, &bytes);
	if (arm)
		exit_arm(&term->tty, bytes.p, bytes.n);
	else
		exit_bytes(bytes.p, bytes.n);
}

static int clamp_size(int v, int most)
{
	return v < 1 ? 1 : v > most ? most : v;
}

/* Read the size, and redraw everything: the terminal may have been smaller for a while and lost
 * part of the screen. */
static void adopt_size(struct term *term)
{
	int cols, rows, default_cols, default_rows;

	tty_size(&term->tty, &cols, &rows);
	caps_size(&default_cols, &default_rows);
	term->cols = clamp_size(cols ? cols : default_cols, CANVAS_COLS_MAX);
	term->rows = clamp_size(rows ? rows : default_rows, CANVAS_ROWS_MAX);
	cells_resize(&term->cells, term->cols, term->rows);
}

static void free_all(struct term *term)
{
	cells_fini(&term->cells);
	caps_close();
	tty_fini(&term->tty);
	free(term);
}

static bool take_terminal(struct term *term)
{
	if (!tty_take_modes(&term->tty))
		return false;
	caps_setup(term->kind, !term->entered, &term->tty.pending);
	term->entered = true;
	tty_flush(&term->tty);
	cells_forget(&term->cells);
	return true;
}

struct term *term_open(const struct sys *sys, const struct term_options *options, struct err *err)
{
	struct term *term = xcalloc(1, sizeof(*term));

	term->sys = sys;
	term->tty.in = term->tty.out = -1;
	if (!tty_open(&term->tty, sys, options->takes_output_keys, err) || !caps_open(term->tty.out, err) ||
	    !exit_signals_take(err)) {
		free_all(term);
		return NULL;
	}
	term->kind = term_kind(getenv("TERM"));
	caps_keys(&term->input);
	make_cells(term, options);
	adopt_size(term);
	build_restore(term, true);
	alloc_on_failure(term_restore);
	if (!take_terminal(term)) {
		err_set(err, errno, "terminal: cannot set its modes: %s: try --once for one frame as text",
			strerror(errno));
		term_close(term);
		return NULL;
	}
	return term;
}

void term_restyle(struct term *term, const struct term_options *options)
{
	cells_fini(&term->cells);
	make_cells(term, options);
	cells_resize(&term->cells, term->cols, term->rows);
	cells_forget(&term->cells);
}

void term_close(struct term *term)
{
	if (!term)
		return;
	tty_settle(&term->tty);
	term_restore();
	alloc_on_failure(NULL);
	exit_signals_back();
	free_all(term);
}

bool term_utf8(const struct term *term)
{
	return term->utf8;
}

bool term_mono(const struct term *term)
{
	return term->mono;
}

void term_size(const struct term *term, int *cols, int *rows)
{
	*cols = term->cols;
	*rows = term->rows;
}

int term_fds(const struct term *term, struct pollfd fds[TERM_FDS])
{
	int n = 0;

	fds[n++] = (struct pollfd){.fd = term->tty.in, .events = POLLIN};
	fds[n++] = (struct pollfd){.fd = exit_signals_fd(), .events = POLLIN};
	if (tty_is_pending(&term->tty))
		fds[n++] = (struct pollfd){.fd = term->tty.out, .events = POLLOUT};
	return n;
}

int term_wait_ms(const struct term *term)
{
	int64_t now = now_ns(term), wait = input_wait_ns(&term->input, now);

	if (term->refused && !tty_is_pending(&term->tty) && term->next_ns - now < wait)
		wait = term->next_ns - now;
	if (wait == INT64_MAX)
		return -1;
	return wait <= 0 ? 0 : (int)((wait + 999999) / 1000000);
}

/* Send pending output, and measure how long a complete frame took. */
static bool flush_frame(struct term *term)
{
	int64_t now;

	if (!tty_flush(&term->tty))
		return false;
	if (term->timing) {
		now = now_ns(term);
		term->stats.last_flush_ns = now - term->began_ns;
		term->next_ns = now + 4 * term->stats.last_flush_ns;
		term->timing = false;
	}
	return true;
}

/* Take over the terminal again, after other programs may have changed its modes, size or
 * contents. */
static enum term_event take_again(struct term *term, enum term_event event)
{
	build_restore(term, true);
	if (!take_terminal(term)) {
		term->tty.gone = true;
		return TERM_GONE;
	}
	adopt_size(term);
	build_restore(term, false);
	return event;
}

static enum term_event handle_signals(struct term *term, struct term_input *in)
{
	struct signals signals = exit_signals_seen();

	if (!signals.quit && signals.stop) {
		tty_settle(&term->tty);
		term->timing = false;
		term_restore();
		term->entered = false;
		exit_stop_self();
		signals = exit_signals_seen();
		signals.cont = true;
	}
	if (signals.quit) {
		in->signal = signals.quit;
		return TERM_QUIT;
	}
	if (signals.cont) {
		in->signal = exit_wait_foreground(term->tty.out);
		return in->signal ? TERM_QUIT : take_again(term, TERM_RESUMED);
	}
	if (!signals.winch)
		return TERM_NONE;
	adopt_size(term);
	build_restore(term, false);
	return TERM_RESIZE;
}

static enum term_event next_input(struct term *term, struct term_input *in)
{
	enum term_event event = input_next(&term->input, now_ns(term), in);

	return event == TERM_KEY && in->key == K_REDRAW ? take_again(term, TERM_RESIZE) : event;
}

enum term_event term_next(struct term *term, struct term_input *in)
{
	char bytes[INPUT_MAX];
	enum term_event event;
	size_t n;

	*in = (struct term_input){0};
	flush_frame(term);
	event = handle_signals(term, in);
	if (event != TERM_NONE)
		return event;
	if (term->tty.gone)
		return TERM_GONE;
	event = next_input(term, in);
	if (event != TERM_NONE)
		return event;
	n = tty_read(&term->tty, bytes, sizeof(bytes) - term->input.n);
	if (term->tty.gone)
		return TERM_GONE;
	if (!n)
		return TERM_NONE;
	input_add(&term->input, bytes, n, now_ns(term));
	return next_input(term, in);
}

bool term_ready(struct term *term)
{
	term->refused = tty_is_pending(&term->tty) || (!term->cells.stale && now_ns(term) < term->next_ns);
	return !term->refused;
}

bool term_draw(struct term *term, const struct canvas *canvas)
{
	struct strbuf *out = &term->tty.pending;

	if (!term_ready(term))
		return false;
	strbuf_str(out, SYNC_BEGIN);
	if (!cells_draw(&term->cells, canvas, out)) {
		strbuf_clear(out);
		return true;
	}
	if (term->kind->sync && out->n >= SYNC_LEAST)
		strbuf_str(out, SYNC_END);
	else
		term->tty.done = strlen(SYNC_BEGIN); /* do not send it */
	term->began_ns = now_ns(term);
	term->timing = true;
	term->stats.frames++;
	flush_frame(term);
	return true;
}

bool term_copy(struct term *term, const char *text)
{
	struct strbuf *out = &term->tty.pending;
	AUTOFREE char *encoded = xmalloc(strlen(text) / 3 * 4 + 5);

	if (!term->kind->mouse) /* those with one know OSC, too */
		return false;
	strbuf_str(out, "\x1b]52;c;");
	base64_put(encoded, span_of(text));
	strbuf_str(out, encoded);
	strbuf_str(out, "\a");
	flush_frame(term);
	return true;
}

struct term_stats term_stats(const struct term *term)
{
	struct term_stats stats = term->stats;

	stats.bytes = term->tty.bytes;
	stats.writes = term->tty.writes;
	return stats;
}

void term_about(struct term_about *about)
{
	static const char *const colors[] = {[DEPTH_MONO] = "none: bold and reverse",
					     [DEPTH_8] = "8",
					     [DEPTH_16] = "16",
					     [DEPTH_256] = "256"};
	const char *name = getenv("TERM");
	struct term_tty tty = {.out = STDOUT_FILENO};
	int cols, rows;

	*about = (struct term_about){.utf8_locale = charset_is_utf8()};
	str_printable(about->name, sizeof(about->name), name ? name : "");
	about->is_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	about->utf8 = about->utf8_locale && about->name[0] && term_kind(about->name)->glyphs;
	if (!caps_open(STDOUT_FILENO, &about->error))
		return;
	about->colors = colors[caps_depth(COLOR_AUTO)];
	about->note = term_note();
	caps_size(&about->cols, &about->rows);
	tty_size(&tty, &cols, &rows);
	if (cols && rows) {
		about->cols = cols;
		about->rows = rows;
	}
	caps_close();
}
