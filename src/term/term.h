/* term: the terminal. Shows a canvas, returns keys, and restores the terminal however the program
 * ends.
 *
 * A frame holds what has changed since the last one and goes out in one write. term never waits for
 * the terminal: output that it does not accept stays pending (one frame at most), and after a flush
 * the next frame waits four times as long as the flush took. Only one term can be open. Threads:
 * call all functions on one thread, except term_restore. Start other threads with thread_new, so
 * that signals interrupt only the ui thread, and a crash on any thread restores the terminal.
 */
#ifndef MALITOP_TERM_H
#define MALITOP_TERM_H

#include "base/err.h"

#include <poll.h>
#include <stdint.h>

struct canvas;
struct strbuf;
struct sys;
struct term;

/* COLOR_ALWAYS ignores NO_COLOR, but not the limits of the terminal. */
enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct term_options {
	enum color_mode color;
	const char *theme; /* a name of term_theme_name; NULL for the first */
	bool ascii;        /* use ASCII in any locale */
	/* Standard input is something else: keys come from the terminal of the output. */
	bool takes_output_keys;
};

/* Themes by index, NULL after the last: for --theme and its help. */
const char *term_theme_name(unsigned i);
bool term_theme_known(const char *name); /* also accepts former names */

/* Take over the terminal on standard input and output. Call charset_init before. Returns
 * NULL, with a message that says what to try, if there is no usable terminal. After this call,
 * running out of memory restores the terminal. */
struct term *term_open(const struct sys *sys, const struct term_options *options, struct err *err);
/* Use other colours or glyphs from now on. */
void term_restyle(struct term *term, const struct term_options *options);
/* Restore everything: screen, cursor, mouse, keypad, colours, modes, signal handlers. Waits at most
 * half a second for a stalled terminal. NULL is fine. */
void term_close(struct term *term);

/* Restore the terminal right now, without freeing anything. Async-signal-safe, on any thread; does
 * nothing the second time or if no term is open. For exits that cannot reach term_close. Crashes
 * and out of memory call it automatically. */
void term_restore(void);

/* A warning about the terminal that was opened; NULL if there is none. */
const char *term_note(void);
bool term_utf8(const struct term *term); /* false: use an ASCII canvas */
bool term_mono(const struct term *term); /* without colours, by the terminal or by the theme */
/* 1x1 to 500x200; changes with TERM_RESIZE and TERM_RESUMED. */
void term_size(const struct term *term, int *cols, int *rows);

/* The file descriptors to poll before the next term_next: input, signals, and output while a frame
 * is pending. Returns their number. */
#define TERM_FDS 3
int term_fds(const struct term *term, struct pollfd fds[TERM_FDS]);
/* Milliseconds until term_next or term_draw must be called even if no fd is ready; -1: never. Use
 * it as an upper bound of the poll timeout. */
int term_wait_ms(const struct term *term);

enum term_event {
	TERM_NONE,    /* nothing more for now */
	TERM_KEY,     /* in->key; of the wheel, in->x, in->y as well */
	TERM_MOUSE,   /* the left button went down at in->x, in->y (0-based), or was moved there */
	TERM_PASTE,   /* text is being pasted; it is discarded */
	TERM_RESIZE,  /* the size changed, or Ctrl-L was typed: draw at once */
	TERM_RESUMED, /* continued after a stop: empty screen, perhaps of a new size: draw at once */
	TERM_QUIT,    /* in->signal asks to exit: close, then raise it again with its default action */
	TERM_GONE,    /* the terminal hung up: close and exit; returned again until then */
};
struct term_input {
	uint32_t key; /* a Unicode character or an enum key (term/term_key.h) */
	int x, y;
	bool drag; /* of TERM_MOUSE: it was moved with the button held */
	int signal;
};
/* Never blocks, except that a SIGTSTP stops the process in here. Call it after every poll until it
 * returns TERM_NONE. It also flushes pending output. */
enum term_event term_next(struct term *term, struct term_input *in);

/* Whether term_draw would accept a frame now: nothing is pending and the pause after the last flush
 * is over. If not, term_wait_ms and term_fds wake the caller when it would. */
bool term_ready(struct term *term);
/* Show the canvas. Writes only what has changed. A canvas larger than the screen is cut. Returns
 * false if the frame was not accepted: draw the newest state when term_ready. */
bool term_draw(struct term *term, const struct canvas *canvas);

/* What term_open would find. Does not touch the terminal. For doctor. */
struct term_about {
	char name[64];          /* TERM, printable; "" if it is not set */
	bool is_terminal;       /* both standard input and output are terminals */
	bool utf8_locale, utf8; /* utf8: the screen would use UTF-8 */
	int cols, rows;
	const char *colors; /* in words */
	const char *note;   /* as term_note */
	struct err error;   /* why there can be no live screen; "" if there can */
};
void term_about(struct term_about *about);

/* Offer a text to the clipboard (OSC 52); many terminals take it, some after configuration.
 * false: this kind of terminal cannot. */
bool term_copy(struct term *term, const char *text);

struct term_stats {
	uint64_t bytes, writes, frames; /* frames that wrote something; writes that wrote something */
	int64_t last_flush_ns;          /* time from the first to the last byte of the last frame */
};
struct term_stats term_stats(const struct term *term);

#endif
