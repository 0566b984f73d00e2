/* mini: a small user interface over term/term.h, run as the job of a pty, for the tests of term. */
#ifndef MALITOP_TEST_MINI_H
#define MALITOP_TEST_MINI_H

#include "term/term.h"
#include "tests/support/pty.h"
#include "views/canvas.h"

#define ENTER "\x1b[?1049h"
#define LEAVE "\x1b[?1049l"
#define HIDE "\x1b[?25l"
#define SHOW "\x1b[?25h"
#define MOUSE_ON "\x1b[?1002h\x1b[?1006h"
#define MOUSE_OFF "\x1b[?1006l\x1b[?1002l"
#define PASTE_OFF "\x1b[?2004l"
#define KEYPAD_OFF "\x1b[?1l\x1b>"
#define SYNC_ON "\x1b[?2026h"

/* Exit statuses, besides 0 after the key q, and the signal that asked for the exit. */
#define MINI_REFUSED 3     /* term_open failed; a note has the message */
#define MINI_GONE 7        /* TERM_GONE */
#define MINI_CPU_US 200000 /* of a program that waited and did not spin, on any machine */

/* Every write to a terminal is counted, even by libraries, because mini defines write itself. */
extern unsigned mini_tty_writes;
extern int64_t
	mini_write_takes_ns; /* if not 0, the clock of term is mini_fake_ns and a write takes this long */
extern int64_t mini_fake_ns;
extern bool mini_stop_in_frame; /* SIGTSTP comes while frame-1 is being written */

struct mini {
	struct term_options options;
	void (*draw)(struct canvas *canvas, unsigned frame);
	bool flood;                        /* draw all the time, not only after an event */
	int (*instead)(struct term *term); /* runs instead of the user interface; may be NULL */
};
extern struct mini mini_plain;

/* What it draws. Noise: every cell changes in every frame. Scattered: changes far apart, between
 * which the cursor jumps. */
void mini_draw_size(struct canvas *c, unsigned frame); /* "frame-N-COLSxROWS" */
void mini_draw_styles(struct canvas *c, unsigned frame);
void mini_draw_noise(struct canvas *c, unsigned frame);
void mini_draw_scattered(struct canvas *c, unsigned frame);

/* Notes: "open 80x24 utf8", "key 71", "mouse 4 1", "paste", "resize 120x40", "resumed 80x24",
 * "drawn 1 80x24", "refused", "closed ...", "error ...". The keys n, t, o and m crash it: by a bad
 * pointer, a bad pointer on another thread, a full stack, and no memory. */
int mini_ui(void *mini);
void mini_start(struct pty *pty, struct mini *mini, const char *term, int cols, int rows);
void mini_start_shown(struct pty *pty); /* start mini_plain at 80x24 and wait for its first frame */

size_t mini_after(const struct pty *pty, const char *bytes); /* the position after these bytes */
void mini_assert_restored(const struct pty *pty);
void mini_assert_exit(const struct pty *pty, int status);
void mini_assert_killed(const struct pty *pty, int signo);

#endif
