/* term_priv: shared by the files term*.c only.
 *
 * term.c        the screen: frames, size, events
 * term_cells.h  the bytes of a frame (with its own contract and files)
 * term_tty.c    the device: descriptors, modes, pending output
 * term_caps.c   terminfo: the strings that take over and restore the terminal, its keys and colours
 * term_entry.c  the built-in terminfo entry
 * term_exit.c   signals and crashes
 * term_input.c  bytes to keys
 * term_theme.c  styles to looks
 */
#ifndef MALITOP_TERM_PRIV_H
#define MALITOP_TERM_PRIV_H

#include "term/term.h"
#include "term/term_cells.h"
#include "base/str.h"
#include "views/canvas.h"

#include <sys/types.h>
#include <termios.h>

/* ---- theme ---- */

enum depth { DEPTH_MONO, DEPTH_8, DEPTH_16, DEPTH_256, DEPTH_COUNT };
/* The light theme instead of the default one if the terminal reports a white background
 * (COLORFGBG, as rxvt, Konsole and others set it). */
const char *theme_on_ground(const char *name);
/* The look of a cell's style (canvas.h), below STYLE_LOOKS. name: a theme; NULL or an unknown name
 * is the first. */
struct look theme_look(const char *name, enum depth depth, unsigned style);

/* ---- device ---- */

/* What a kind of terminal, by its prefix in TERM, can do beyond its terminfo entry. */
struct term_kind {
	const char *prefix;
	bool sync;   /* supports or ignores CSI ? 2026 */
	bool mouse;  /* supports mouse mode 1006 if its terminfo entry has a mouse */
	bool glyphs; /* shows more than ASCII in a UTF-8 locale */
};
const struct term_kind *term_kind(const char *name);

struct term_tty {
	const struct sys *sys; /* for its clock */
	int in, out;
	bool shared_in, shared_out; /* not reopened: other programs would see O_NONBLOCK */
	struct termios saved_in, saved_out;
	struct strbuf pending; /* output; the first `done` bytes are written */
	size_t done;
	bool gone; /* hung up */
	uint64_t bytes, writes;
};

#define TTY_RESTORE_MAX 2048

/* In the background this stops the process (SIGTTOU) before it writes over another program's
 * output. */
bool tty_open(struct term_tty *tty, const struct sys *sys, bool takes_output_keys, struct err *err);
void tty_fini(struct term_tty *tty);
bool tty_take_modes(struct term_tty *tty); /* returns false and sets errno */
/* Write what the terminal accepts now. Returns true if nothing is left pending. */
bool tty_flush(struct term_tty *tty);
bool tty_is_pending(const struct term_tty *tty);
/* Wait a moment for a stalled terminal to accept pending output, then discard the rest. */
void tty_settle(struct term_tty *tty);
/* Read without waiting. Returns the number of bytes, 0 if there are none; sets gone. */
size_t tty_read(struct term_tty *tty, char *buf, size_t size);
/* The size as the kernel reports it; 0 if it does not know. */
void tty_size(const struct term_tty *tty, int *cols, int *rows);
/* write(2) that never blocks, even on a shared descriptor. Async-signal-safe. */
ssize_t tty_write_some(int fd, bool shared, const char *p, size_t n);

/* ---- input ---- */

#define INPUT_MAX 256
#define INPUT_WAIT_NS 100000000 /* after this, an Escape alone is the key */
#define DISCARD_WAIT_NS \
	500000000ll /* without new bytes for this long, a sequence, paste or string has ended */
#define PASTE_SPAN_NS 1000000000ll /* in which at least that much is pasted; less is typed */
#define PASTE_SPAN_BYTES 20
#define STRING_SPAN_NS 3000000000ll /* no string takes longer, so that an endless one blocks no keys */

struct term_keycap { /* a key in this terminal's terminfo entry */
	const char *seq;
	uint32_t key;
};
/* A paste, or a string with which the terminal answers: input is discarded until its end. */
enum discarded { DISCARD_NONE, DISCARD_PASTE, DISCARD_STRING };
struct input {
	char buf[INPUT_MAX];
	size_t n;
	int64_t since_ns; /* when the last bytes arrived */
	enum discarded discarded;
	int64_t span_ns; /* when the string or the running span of a paste began */
	size_t span_n;   /* what came in that span */
	struct term_keycap caps[20];
	unsigned n_caps;
};

void input_add(struct input *input, const char *bytes, size_t n, int64_t now_ns);
/* Time until input_next must be called even without new bytes; INT64_MAX: never. */
int64_t input_wait_ns(const struct input *input, int64_t now_ns);
/* Take one event. Returns TERM_NONE if there is none, or only an incomplete one that has not waited
 * long enough. */
enum term_event input_next(struct input *input, int64_t now_ns, struct term_input *in);

/* ---- capabilities ---- */

/* Read the terminfo entry of TERM. Returns false, with a message that says what to try, if there is
 * none or it cannot show a screen. */
bool caps_open(int fd, struct err *err);
void caps_close(void);
/* Append the bytes that take over the terminal. enter: also its alternate screen (entering it twice
 * would save the wrong cursor). */
void caps_setup(const struct term_kind *kind, bool enter, struct strbuf *out);
/* Append the bytes that restore it. rows: the current height, for terminals without an alternate
 * screen. */
void caps_restore(const struct term_kind *kind, int rows, struct strbuf *out);
void caps_keys(struct input *input);
/* The strings for writing frames; valid until caps_close. */
void caps_strings(struct term_strings *strings);
enum depth caps_depth(enum color_mode mode);
void caps_size(int *cols, int *rows); /* from terminfo, else 80x24 */

/* Ctrl-S stops output until Ctrl-Q; without IXON the kernel lets it continue. Async-signal-safe. */
void tty_unstop(int fd);

/* ---- the terminfo entry ---- */

/* Make ncurses use the built-in entry under that name, with 256 colours for a name that says so.
 * Sets TERMINFO. */
void entry_use_built_in(const char *name);

/* ---- exit ---- */

/* From now on every exit restores the terminal: it writes these bytes and sets the saved modes. */
void exit_arm(const struct term_tty *tty, const char *bytes, size_t n);
void exit_bytes(const char *bytes, size_t n); /* replace the bytes after a change of size */
void exit_mid_frame(bool yes);                /* a sequence may be incomplete now */
bool exit_signals_take(struct err *err);      /* install the handlers */
void exit_signals_back(void);
int exit_signals_fd(void); /* readable after a signal */
/* The signals since the last call. */
struct signals {
	bool winch, stop, cont;
	int quit; /* a signal number or 0 */
};
struct signals exit_signals_seen(void);
void exit_stop_self(void); /* stop as SIGTSTP does by default; returns when continued */
/* After a stop: stop again while another job has the terminal. Returns 0, or a signal that asked to
 * exit while waiting. */
int exit_wait_foreground(int fd);

#endif
