#include "term/term.h"

#include "tui/keys.h"
#include "term/term_priv.h"
#include "base/alloc.h"
#include "base/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>

#define SYNC_BEGIN "\x1b[?2026h"
#define SYNC_END "\x1b[?2026l"
#define DIRECT_RETRY_NS 50000000
#define SETTLE_MS 220 /* for what is pending, and again for what puts the terminal back */

struct term {
	const struct sys *sys;
	struct term_tty tty;
	const struct term_kind *kind;
	SCREEN *screen;
	FILE *out;    /* what ncurses writes to */
	bool direct;  /* that is the terminal itself */
	bool entered; /* the alternate screen is on */
	bool utf8;
	int cols, rows;
	struct {
		attr_t attrs;
		short pair;
		bool shows_blank; /* a blank looks different in it */
	} looks[STYLE_COUNT];
	struct cell *shown; /* what ncurses was given last, rows * cols */
	bool redraw;        /* all of it is to be written again */
	bool refused;       /* somebody wants to draw: wake up when that may be */
	int64_t began_ns;   /* when the frame that is pending was begun */
	bool timing;
	int64_t next_ns; /* the next frame comes no sooner */
	struct term_stats stats;
	struct input input;
};

static int64_t now_ns(const struct term *term)
{
	return term->sys->monotonic_ns(term->sys);
}

static attr_t look_attrs(unsigned attrs)
{
	return (attrs & LOOK_BOLD ? A_BOLD : 0) | (attrs & LOOK_DIM ? A_DIM : 0) | (attrs & LOOK_UNDERLINE ? A_UNDERLINE : 0) |
	       (attrs & LOOK_REVERSE ? A_REVERSE : 0);
}

/* One colour pair per style, made once. */
static void make_looks(struct term *term, const struct term_options *options)
{
	enum depth depth = caps_depth(options->color);

	if (depth != DEPTH_MONO && (start_color() == ERR || COLOR_PAIRS <= STYLE_COUNT))
		depth = DEPTH_MONO;
	/* Without a default colour to go back to, the terminal's own is taken for light grey on black. */
	if (depth != DEPTH_MONO)
		use_default_colors();
	for (int i = 0; i < STYLE_COUNT; i++) {
		struct look look = theme_look(options->theme, depth, (enum style)i);
		short pair = (short)(i + 1);

		term->looks[i].attrs = look_attrs(look.attrs);
		term->looks[i].shows_blank = look.bg >= 0 || (look.attrs & (LOOK_REVERSE | LOOK_UNDERLINE));
		if (depth == DEPTH_MONO || (look.fg < 0 && look.bg < 0))
			continue;
		if (init_pair(pair, (short)look.fg, (short)look.bg) == ERR)
			init_pair(pair, (short)(look.fg < 0 ? COLOR_WHITE : look.fg),
				  (short)(look.bg < 0 ? COLOR_BLACK : look.bg));
		term->looks[i].pair = pair;
	}
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

static int clamp(int v, int most)
{
	return v < 1 ? 1 : v > most ? most : v;
}

/* The size as it is now. All is drawn again: a terminal may have lost what was outside of a smaller size in between. */
static void adopt_size(struct term *term)
{
	int cols, rows, default_cols, default_rows;

	tty_size(&term->tty, &cols, &rows);
	caps_size(&default_cols, &default_rows);
	term->cols = clamp(cols ? cols : default_cols, CANVAS_COLS_MAX);
	term->rows = clamp(rows ? rows : default_rows, CANVAS_ROWS_MAX);
	resize_term(term->rows, term->cols);
	free(term->shown);
	term->shown = xcalloc((size_t)term->cols * (size_t)term->rows, sizeof(*term->shown));
	term->redraw = true;
}

/* What ncurses wrote since the last time is of no use: we put the terminal up and back ourselves. */
static void forget_output(struct term *term)
{
	if (term->direct)
		return;
	if (ftruncate(fileno(term->out), 0) || lseek(fileno(term->out), 0, SEEK_SET))
		term->redraw = true;
}

static bool make_screen(struct term *term, struct err *err)
{
	int fd = memfd_create("malitop-screen", MFD_CLOEXEC);

	term->direct = fd < 0;
	if (term->direct)
		fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	term->out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!term->out && fd >= 0)
		close(fd);
	term->screen = term->out ? newterm(NULL, term->out, stdin) : NULL;
	if (!term->screen)
		return err_set(err, errno, "terminal: cannot set up a screen: try another TERM, or --once for one frame as text");
	term->entered = term->direct;
	nonl();
	typeahead(-1);
	leaveok(stdscr, TRUE);
	/* What newterm has to say waits in a buffer of its own, and would come in front of the first frame. */
	wnoutrefresh(stdscr);
	doupdate();
	forget_output(term);
	return true;
}

static void free_all(struct term *term)
{
	if (term->screen) {
		endwin();
		delscreen(term->screen);
	}
	if (term->out)
		fclose(term->out);
	caps_close();
	tty_fini(&term->tty);
	free(term->shown);
	free(term);
}

static bool take_terminal(struct term *term)
{
	if (!tty_take_modes(&term->tty))
		return false;
	caps_setup(term->kind, !term->entered, &term->tty.pending);
	term->entered = true;
	tty_flush(&term->tty);
	forget_output(term);
	term->redraw = true;
	return true;
}

struct term *term_open(const struct sys *sys, const struct term_options *options, struct err *err)
{
	struct term *term = xcalloc(1, sizeof(*term));

	term->sys = sys;
	term->tty.in = term->tty.out = -1;
	if (!tty_open(&term->tty, sys, err) || !caps_open(term->tty.out, err) || !exit_signals_take(err)) {
		free_all(term);
		return NULL;
	}
	term->kind = term_kind(getenv("TERM"));
	term->utf8 = !options->ascii && term->kind->glyphs && !strcmp(nl_langinfo(CODESET), "UTF-8");
	if (!make_screen(term, err)) {
		exit_signals_back();
		free_all(term);
		return NULL;
	}
	exit_signals_again();
	caps_keys(&term->input);
	make_looks(term, options);
	adopt_size(term);
	build_restore(term, true);
	alloc_on_failure(term_restore);
	if (!take_terminal(term)) {
		err_set(err, errno, "terminal: cannot set its modes: %s: try --once for one frame as text", strerror(errno));
		term_close(term);
		return NULL;
	}
	return term;
}

void term_close(struct term *term)
{
	if (!term)
		return;
	tty_settle(&term->tty, SETTLE_MS);
	term_restore();
	alloc_on_failure(NULL);
	exit_signals_back();
	free_all(term);
}

bool term_utf8(const struct term *term)
{
	return term->utf8;
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
	int64_t now = now_ns(term), wait = INT64_MAX;

	if (term->input.n)
		wait = term->input.since_ns + INPUT_WAIT_NS - now;
	if (term->refused && !tty_is_pending(&term->tty) && term->next_ns - now < wait)
		wait = term->next_ns - now;
	if (wait == INT64_MAX)
		return -1;
	return wait <= 0 ? 0 : (int)((wait + 999999) / 1000000);
}

/* Send what is pending, and take the time of a frame that went out whole. */
static bool flush(struct term *term)
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

static enum term_event resume(struct term *term, struct term_input *in)
{
	in->signal = exit_wait_foreground(term->tty.out);
	if (in->signal)
		return TERM_QUIT;
	build_restore(term, true);
	if (!take_terminal(term)) {
		term->tty.gone = true;
		return TERM_GONE;
	}
	adopt_size(term);
	build_restore(term, false);
	return TERM_RESUMED;
}

static enum term_event handle_signals(struct term *term, struct term_input *in)
{
	struct signals signals = exit_signals_seen();

	if (!signals.quit && signals.stop) {
		tty_settle(&term->tty, SETTLE_MS);
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
	if (signals.cont)
		return resume(term, in);
	if (!signals.winch)
		return TERM_NONE;
	adopt_size(term);
	build_restore(term, false);
	return TERM_RESIZE;
}

enum term_event term_next(struct term *term, struct term_input *in)
{
	char bytes[INPUT_MAX];
	enum term_event event;
	size_t n;

	*in = (struct term_input){0};
	flush(term);
	event = handle_signals(term, in);
	if (event != TERM_NONE)
		return event;
	if (term->tty.gone)
		return TERM_GONE;
	event = input_next(&term->input, now_ns(term), in);
	if (event != TERM_NONE)
		return event;
	n = tty_read(&term->tty, bytes, sizeof(bytes) - term->input.n);
	if (term->tty.gone)
		return TERM_GONE;
	if (!n)
		return TERM_NONE;
	input_add(&term->input, bytes, n, now_ns(term));
	return input_next(&term->input, now_ns(term), in);
}

bool term_ready(struct term *term)
{
	struct pollfd pollfd = {.fd = term->tty.out, .events = POLLOUT};

	term->refused = true;
	if (tty_is_pending(&term->tty) || (!term->redraw && now_ns(term) < term->next_ns))
		return false;
	if (term->direct && poll(&pollfd, 1, 0) != 1) { /* ncurses would wait there */
		term->next_ns = now_ns(term) + DIRECT_RETRY_NS;
		return false;
	}
	term->refused = false;
	return true;
}

/* A character that the terminal gives so many columns; what it would show otherwise becomes '?'. */
static wchar_t safe_char(uint32_t ch, int width)
{
	if (ch >= 0x20 && ch < 0x7f && width == 1)
		return (wchar_t)ch;
	if (!ch) /* the right half of what was not shown */
		return L' ';
	return ch >= 0xa0 && wcwidth((wchar_t)ch) == width ? (wchar_t)ch : L'?';
}

/* Cells from to end - 1 of a row, all of `cells`. */
static void put_cells(struct term *term, const struct cell *cells, int y, int from, int end)
{
	cchar_t row[CANVAS_COLS_MAX];
	int n = 0;

	for (int x = from; x < end; x++) {
		unsigned style = cells[x].style < STYLE_COUNT ? cells[x].style : STYLE_TEXT;
		int width = x + 1 < end && !cells[x + 1].ch && cells[x].ch ? 2 : 1;
		wchar_t text[2] = {safe_char(cells[x].ch, width), L'\0'};
		bool plain = text[0] == L' ' && !term->looks[style].shows_blank;

		setcchar(&row[n++], text, plain ? A_NORMAL : term->looks[style].attrs, plain ? 0 : term->looks[style].pair, NULL);
		if (width == 2 && text[0] != L'?')
			x++;
	}
	mvwadd_wchnstr(stdscr, y, from, row, n);
}

static bool same_cell(const struct cell *a, const struct cell *b)
{
	return a->ch == b->ch && a->style == b->style;
}

#define RUN_GAP 4 /* cells that did not change, but cost less than another run */

/* Only the runs of cells that changed: ncurses would find them by itself, but not cheaply. A wide character is never cut. */
static void put_changes(struct term *term, const struct cell *shown, const struct cell *cells, int y)
{
	for (int x = 0; x < term->cols; x++) {
		int from = x, end = x + 1;

		if (same_cell(&shown[x], &cells[x]))
			continue;
		while (from > 0 && (!cells[from].ch || !shown[from].ch))
			from--;
		for (; x < term->cols && x < end + RUN_GAP; x++)
			if (!same_cell(&shown[x], &cells[x]))
				end = x + 1;
		while (end < term->cols && (!cells[end].ch || !shown[end].ch))
			end++;
		put_cells(term, cells, y, from, end);
		x = end;
	}
}

/* Give ncurses the rows that differ from the last frame. Whether there was one. */
static bool put_rows(struct term *term, const struct canvas *canvas)
{
	bool same_size = canvas->cols == term->cols && canvas->rows == term->rows, any = false;
	size_t size = (size_t)term->cols * sizeof(*term->shown);

	if (!same_size)
		werase(stdscr);
	for (int y = 0; y < term->rows && y < canvas->rows; y++) {
		struct cell *shown = term->shown + (size_t)y * (size_t)term->cols;
		const struct cell *cells = canvas->cells + (size_t)y * (size_t)canvas->cols;

		if (same_size && !term->redraw && !memcmp(shown, cells, size))
			continue;
		if (same_size && !term->redraw)
			put_changes(term, shown, cells, y);
		else
			put_cells(term, cells, y, 0, term->cols < canvas->cols ? term->cols : canvas->cols);
		any = true;
		if (same_size)
			memcpy(shown, cells, size);
		else
			memset(shown, 0, size);
	}
	return any || !same_size;
}

/* Take the frame out of the memory file. */
static void collect(struct term *term)
{
	struct strbuf *out = &term->tty.pending;
	int fd = fileno(term->out);
	struct stat st;
	char part[4096];
	ssize_t r;
	off_t at = 0;

	if (fstat(fd, &st) || st.st_size == 0)
		return;
	if (term->kind->sync)
		strbuf_str(out, SYNC_BEGIN);
	while (at < st.st_size && (r = pread(fd, part, sizeof(part), at)) > 0) {
		strbuf_add(out, part, (size_t)r);
		at += r;
	}
	if (term->kind->sync)
		strbuf_str(out, SYNC_END);
	forget_output(term);
}

bool term_draw(struct term *term, const struct canvas *canvas)
{
	bool written;

	if (!term_ready(term))
		return false;
	if (!put_rows(term, canvas) && !term->redraw)
		return true;
	if (term->redraw)
		clearok(curscr, TRUE);
	term->redraw = false;
	term->began_ns = now_ns(term);
	wnoutrefresh(stdscr);
	doupdate();
	if (!term->direct)
		collect(term);
	written = term->direct || tty_is_pending(&term->tty);
	term->timing = written;
	term->stats.frames += written;
	if (written)
		flush(term);
	return true;
}

struct term_stats term_stats(const struct term *term)
{
	struct term_stats stats = term->stats;

	stats.bytes = term->tty.bytes;
	stats.writes = term->tty.writes;
	return stats;
}
