#include "tests/tui/run.h"

#include "base/alloc.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define FAKE "tests/fake/libfakemali.so"

static char *program, *fake;

void run_start(struct run *run, const struct run_options *o)
{
	static char demo[] = "--demo", seed[] = "--seed=1", interval[] = "-i100ms";
	AUTOFREE char *preload = xasprintf("LD_PRELOAD=%s", o->devices ? fake : "");
	AUTOFREE char *devices = xasprintf("FAKEMALI=%s", o->devices ? o->devices : "");
	/* A sanitizer would take the crashes that are sent for its own, and wants to be the first library. */
	const char *env[] = {"LC_ALL=C.UTF-8",
			     "HOME=/nonexistent",
			     "XDG_CONFIG_HOME=/nonexistent",
			     "ASAN_OPTIONS=handle_segv=0:handle_sigbus=0:handle_abort=0:verify_asan_link_order=0",
			     preload,
			     devices,
			     o->env,
			     NULL};
	AUTOFREE char *refresh = xstrdup(o->refresh ? o->refresh : "-r100ms");
	char *argv[] = {program, demo, seed, interval, refresh, NULL, NULL};
	AUTOFREE char *arg = xstrdup(o->arg ? o->arg : ""), *log = xstrdup(o->log ? o->log : "");
	struct pty_options options = {.cols = o->cols ? o->cols : RUN_COLS,
				      .rows = o->rows ? o->rows : RUN_ROWS,
				      .term = o->term ? o->term : "xterm-256color",
				      .env = env,
				      .argv = argv,
				      .ignore_hup = o->ignore_hup,
				      .limit_core = true};

	if (o->arg)
		argv[5] = arg;
	if (o->devices)
		memmove(argv + 1, argv + 3, 4 * sizeof(*argv)); /* neither --demo nor its seed */
	if (o->log) {                                           /* nor an interval */
		memmove(argv + 2, argv + 4, 3 * sizeof(*argv));
		argv[1] = log;
	}
	emulator_init(&run->emulator, options.cols, options.rows);
	pty_start(&run->pty, &options);
	emulator_attach(&run->emulator, &run->pty);
}

/* Until a row has the text; false when it does not come. */
bool run_wait(struct run *run, int from, const char *text)
{
	for (int i = 0; i < 200; i++) {
		if (emulator_find(&run->emulator, from, text) >= 0)
			return true;
		if (!pty_read_for(&run->pty, 50))
			break;
	}
	return emulator_find(&run->emulator, from, text) >= 0;
}

/* The screen is there, with values. */
void run_shown(struct run *run, const struct run_options *o)
{
	run_start(run, o);
	if (!run_wait(run, 0, o->devices ? " ms, mean of" : "SIMULATED") || !run_wait(run, 2, o->devices ? "/s" : " %"))
		fail_msg("no screen came, but: %.*s", (int)run->pty.out.n, run->pty.out.p ? run->pty.out.p : "");
}

void run_stop(struct run *run)
{
	pty_stop(&run->pty);
	emulator_fini(&run->emulator);
}

void run_quit(struct run *run)
{
	unsigned n = run->pty.n_reports;

	pty_send(&run->pty, "q");
	assert_true(pty_wait_report(&run->pty, n));
	assert_true(WIFEXITED(run->pty.report.status));
	assert_int_equal(WEXITSTATUS(run->pty.report.status), 0);
}

void run_assert_as_before(struct run *run)
{
	const char *complaint = emulator_complaint(&run->emulator);

	if (complaint)
		fail_msg("%s", complaint);
	assert_true(pty_same_modes(&run->pty.before, &run->pty.report.modes));
}

void run_assert_frame(struct run *run)
{
	assert_non_null(strstr(emulator_row(&run->emulator, 0), "SIMULATED"));
	assert_non_null(strstr(emulator_row(&run->emulator, 1), "Overview"));
	assert_non_null(strstr(emulator_row(&run->emulator, -1), "quit"));
}

bool run_has_fake(void)
{
	if (!fake)
		fake = realpath(FAKE, NULL);
	return fake != NULL;
}

bool run_find_program(void)
{
	const char *name = getenv("MALITOP");

	program = realpath(name ? name : "./malitop", NULL);
	if (!program)
		fprintf(stderr, "%s: %s: set MALITOP to the program\n", name ? name : "./malitop", strerror(errno));
	return program != NULL;
}
