/* term: the terminal. Shows a canvas, gives keys, and leaves everything as it was, whatever way the program ends.
 *
 * ncurses writes once per cursor jump, so it draws into a memory file; a frame then goes out in one write. The terminal is
 * never waited for: what it does not take stays pending (one frame at most), and the next frame comes no sooner than four times
 * the last flush took. Only one term can be open. Thread: all functions on one thread, except term_restore. Other threads should
 * block the signals of term_signals, so that these interrupt only the ui.
 */
#ifndef MALITOP_TERM_H
#define MALITOP_TERM_H

#include "base/err.h"

#include <poll.h>
#include <signal.h>
#include <stdint.h>

struct canvas;
struct sys;
struct term;

enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER }; /* always: also under NO_COLOR, as far as the terminal has any */

struct term_options {
	enum color_mode color;
	const char *theme; /* a name of term_theme_name, NULL for the first */
	bool ascii;        /* asked for by the user; else by the locale */
};

/* Themes by index, NULL after the last: for --theme and its help. */
const char *term_theme_name(unsigned i);
bool term_theme_known(const char *name);

/* Take over the terminal on standard input and output. The caller did setlocale(LC_CTYPE, "") before. NULL with one line that
 * names what to try when there is no terminal, or none that can be used. From here on, out of memory restores the terminal. */
struct term *term_open(const struct sys *sys, const struct term_options *options, struct err *err);
/* Everything as it was: screen, cursor, mouse, keypad, colours, modes, signal handlers. Waits for a stalled terminal, but never
 * longer than half a second. NULL is fine. */
void term_close(struct term *term);

/* Give the terminal back right now, without freeing anything. Async-signal-safe, any thread, does nothing a second time or when
 * no term is open. For exits that cannot reach term_close; crashes and out of memory call it by themselves. */
void term_restore(void);

/* The signals that term_open handles and term_next tells, for threads to block. */
void term_signals(sigset_t *set);

bool term_utf8(const struct term *term);                       /* false: make the canvas ascii */
void term_size(const struct term *term, int *cols, int *rows); /* 1x1 to 500x200; new after TERM_RESIZE and TERM_RESUMED */

/* What to poll for before the next term_next: input, signals, and output while a frame is pending. Returns how many. */
#define TERM_FDS 3
int term_fds(const struct term *term, struct pollfd fds[TERM_FDS]);
/* Milliseconds until term_next or term_draw has something to do by time alone; -1 for never. Lower the poll timeout to it. */
int term_wait_ms(const struct term *term);

enum term_event {
	TERM_NONE,   /* nothing more for now */
	TERM_KEY,    /* in->key */
	TERM_MOUSE,  /* the left button went down at in->x, in->y (0-based) */
	TERM_RESIZE, /* term_size is new: draw at once */
	TERM_RESUMED, /* was stopped (SIGTSTP, SIGSTOP) and goes on: the screen is empty and perhaps of another size, draw at once */
	TERM_QUIT,    /* in->signal asked to end: close, then raise it again with its default action */
	TERM_GONE,    /* the terminal hung up: close and end; is told again until then */
};
struct term_input {
	uint32_t key; /* a Unicode character or an enum key (app/keys.h) */
	int x, y;
	int signal;
};
/* Never blocks (a stop by SIGTSTP happens in here). Call it until TERM_NONE after every poll; it flushes pending output, too. */
enum term_event term_next(struct term *term, struct term_input *in);

/* Whether term_draw would take a frame now: nothing is pending and the pause after the last flush is over. If not, term_wait_ms
 * and term_fds wake up when it would. */
bool term_ready(struct term *term);
/* Show the canvas; what did not change is not written, and an unchanged screen writes nothing at all. A canvas of another size is
 * cut. False: not taken, come again with the newest state when term_ready. */
bool term_draw(struct term *term, const struct canvas *canvas);

/* What term_open would find, without taking anything over: for doctor. */
struct term_about {
	char name[64];          /* TERM, printable; "" where it is not set */
	bool is_terminal;       /* standard input and output */
	bool utf8_locale, utf8; /* and: that the screen would use it */
	int cols, rows;
	const char *colors; /* in words */
	struct err error;   /* why the live screen cannot be; "" if it can */
};
void term_about(struct term_about *about);

struct term_stats {
	uint64_t bytes, writes, frames; /* frames that wrote something; a write that took nothing is not counted */
	int64_t last_flush_ns;          /* from the first byte to the last of the last frame */
};
struct term_stats term_stats(const struct term *term);

#endif
