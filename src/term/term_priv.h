/* term_priv: what the files term*.c share. Nobody else includes it.
 *
 * term.c        the screen: ncurses, frames, size, events
 * term_tty.c    the device: descriptors, modes, pending output
 * term_caps.c   terminfo: the strings that take the terminal over and put it back, its keys and colours
 * term_exit.c   signals and crashes
 * term_input.c  bytes to keys
 * term_theme.c  styles to looks
 */
#ifndef MALITOP_TERM_PRIV_H
#define MALITOP_TERM_PRIV_H

#include "term/term.h"
#include "base/str.h"
#include "views/canvas.h"

#include <termios.h>

/* ---- theme ---- */

enum depth { DEPTH_MONO, DEPTH_8, DEPTH_16, DEPTH_256, DEPTH_COUNT };
enum { LOOK_BOLD = 1, LOOK_DIM = 2, LOOK_UNDERLINE = 4, LOOK_REVERSE = 8 };

struct look {
	int fg, bg;     /* a colour of that depth, -1 for the terminal's own */
	unsigned attrs; /* LOOK_* */
};

/* How a style looks. name: a known theme, or NULL for the first. */
struct look theme_look(const char *name, enum depth depth, enum style style);

/* ---- device ---- */

/* What the kind of terminal, by the start of TERM, can do beyond its terminfo entry. */
struct term_kind {
	const char *prefix;
	bool sync;   /* takes CSI ? 2026, or ignores it in silence */
	bool mouse;  /* takes mouse mode 1006, if its terminfo entry has a mouse at all */
	bool glyphs; /* has more than ASCII, in a UTF-8 locale */
};
const struct term_kind *term_kind(const char *name);

struct term_tty {
	const struct sys *sys; /* its clock */
	int in, out;
	bool shared_in, shared_out; /* could not be opened anew: others see its O_NONBLOCK */
	struct termios saved_in, saved_out;
	struct strbuf pending; /* output not taken yet, from done on */
	size_t done;
	bool gone; /* hung up */
	uint64_t bytes, writes;
};

#define TTY_RESTORE_MAX 2048

/* In the background this stops us (SIGTTOU), before anything was written over another program's output. */
bool tty_open(struct term_tty *tty, const struct sys *sys, struct err *err);
void tty_fini(struct term_tty *tty);
bool tty_take_modes(struct term_tty *tty); /* false and errno */
bool tty_flush(struct term_tty *tty);      /* as much as it takes now; true when nothing is pending */
bool tty_is_pending(const struct term_tty *tty);
/* Give a stalled terminal that long to take what is pending, then drop it. */
void tty_settle(struct term_tty *tty, int timeout_ms);
/* What was typed, without waiting: > 0 bytes, 0 nothing; sets gone. */
size_t tty_read(struct term_tty *tty, char *buf, size_t size);
/* Columns and rows as the kernel says, 0 where it does not know. */
void tty_size(const struct term_tty *tty, int *cols, int *rows);
/* write(2), without waiting even on a shared descriptor. Async-signal-safe. */
ssize_t tty_write_some(int fd, bool shared, const char *p, size_t n);

/* ---- input ---- */

#define INPUT_MAX 256
#define INPUT_WAIT_NS 100000000 /* an escape sequence that is not complete by then is the Escape key */

struct term_keycap { /* a key as this terminal's terminfo entry has it */
	const char *seq;
	uint32_t key;
};
struct input {
	char buf[INPUT_MAX];
	size_t n;
	int64_t since_ns; /* when the bytes that wait came */
	struct term_keycap caps[12];
	unsigned n_caps;
};

void input_add(struct input *input, const char *bytes, size_t n, int64_t now_ns);
/* Take one event out. TERM_NONE when there is none, or what is there is not complete (unless it waited long enough). */
enum term_event input_next(struct input *input, int64_t now_ns, struct term_input *in);

/* ---- capabilities ---- */

/* Read the terminfo entry of TERM. false with what to try when there is none, or none that can show a screen. */
bool caps_open(int fd, struct err *err);
void caps_close(void);
/* Bytes that take the terminal over; enter: its alternate screen, too (a second time would save a wrong cursor). */
void caps_setup(const struct term_kind *kind, bool enter, struct strbuf *out);
/* Bytes that put it back; rows: of the screen now, for terminals without an alternate one. */
void caps_restore(const struct term_kind *kind, int rows, struct strbuf *out);
void caps_keys(struct input *input);
enum depth caps_depth(enum color_mode mode);
void caps_size(int *cols, int *rows); /* as terminfo says, else 80x24 */

/* Ctrl-S stops output for good; without IXON the kernel lets it go on. Async-signal-safe. */
void tty_unstop(int fd);

/* ---- exit ---- */

/* From now on every end of the program puts the terminal back by writing these bytes and setting the saved modes. */
void exit_arm(const struct term_tty *tty, const char *bytes, size_t n);
void exit_bytes(const char *bytes, size_t n); /* other bytes: the size has changed */
void exit_mid_frame(bool yes);                /* a sequence may be cut in two at this moment */
/* Handlers. They are there before newterm, which leaves SIGTSTP alone then; else every update would ignore it for a moment and
 * lose it. And again after it, because it may have put its own in place of others. */
bool exit_signals_take(struct err *err);
void exit_signals_again(void);
void exit_signals_back(void);
int exit_signals_fd(void); /* readable when one came */
/* The signals that came since the last call. */
struct signals {
	bool winch, stop, cont;
	int quit; /* a signal number or 0 */
};
struct signals exit_signals_seen(void);
void exit_stop_self(void); /* as SIGTSTP does by default; returns when continued */
/* After a stop: as long as another job has the terminal, stop again. 0, or the signal that asked to end meanwhile. */
int exit_wait_foreground(int fd);

#endif
