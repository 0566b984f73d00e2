/* run: the real program in a pty, seen through an emulator. */
#ifndef MALITOP_TEST_RUN_H
#define MALITOP_TEST_RUN_H

#include "tests/support/emulator.h"

#define RUN_COLS 100
#define RUN_ROWS 30

struct run {
	struct pty pty;
	struct emulator emulator;
};

struct run_options {
	int cols, rows;
	const char *term, *env;
	const char *refresh;      /* "-r100ms" if NULL */
	const char *arg;          /* one more */
	const char *devices;      /* fake Mali devices, as libfakemali.so takes them, instead of --demo */
	const char *log;          /* replay this file instead */
	const char *const *words; /* all arguments, up to NULL, instead of these */
	bool ignore_hup;
};

void run_start(struct run *run, const struct run_options *o);
void run_shown(struct run *run, const struct run_options *o); /* and its first values are on the screen */
bool run_has_fake(void);       /* libfakemali.so was built, and kbase as well */
const char *run_fake(void);    /* its path */
const char *run_program(void); /* $MALITOP; the test fails if it is not there */
void run_stop(struct run *run);
void run_quit(struct run *run); /* by q; checks the exit status */

/* Until a row from `from` on has the text; false when it does not come. */
bool run_wait(struct run *run, int from, const char *text);
bool run_wait_gone(struct run *run, int from, const char *text); /* until none has it */
/* Send keys, and wait for the text in a row from `from` on, which counts from the end if it is
 * negative. Without it the test fails and shows the screen. */
#define RUN_BOTTOM (-1)
#define RUN_ALERT 1 /* alerts are at the right end of the tabs */
void run_press(struct run *run, const char *keys, int from, const char *wanted);
void run_assert_as_before(struct run *run); /* the terminal is as it was before the program */
void run_assert_frame(struct run *run);     /* header, tabs and footer come to their places */

#endif
