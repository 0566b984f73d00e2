#include "tests/support/test.h"
#include "tests/tui/run.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MOST 8
#define FAKE "tests/fake/libfakemali.so"

static char *program, *fake;

void run_start(struct run *run, const struct run_options *o)
{
	static char demo[] = "-bsim,proc", seed[] = "--seed=1", interval[] = "-i100ms";
	AUTOFREE char *preload = xasprintf("LD_PRELOAD=%s", o->devices ? fake : "");
	AUTOFREE char *devices = xasprintf("FAKEMALI=%s", o->devices ? o->devices : "");
	/* A sanitizer would take the crashes that are sent for its own, and wants to be the first
	 * library. */
	const char *env[] = {
		"LC_ALL=C.UTF-8",
		"HOME=/nonexistent",
		"XDG_CONFIG_HOME=/dev/null", /* nothing can be saved there */
		"ASAN_OPTIONS=handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0:"
		"verify_asan_link_order=0",
		preload,
		devices,
		o->env,
		NULL};
	AUTOFREE char *refresh = xstrdup(o->refresh ? o->refresh : "-r100ms");
	char *argv[] = {(char *)(uintptr_t)run_program(), demo, seed, interval, refresh, NULL, NULL};
	AUTOFREE char **words = NULL;
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
		memmove(argv + 1, argv + 3, 4 * sizeof(*argv)); /* neither the simulator nor its seed */
	if (o->log) {                                           /* nor an interval */
		memmove(argv + 2, argv + 4, 3 * sizeof(*argv));
		argv[1] = log;
	}
	if (o->words) {
		unsigned n = 0;

		words = xcalloc(WORDS_MOST + 2, sizeof(*words));
		words[0] = argv[0];
		for (; n < WORDS_MOST && o->words[n]; n++)
			words[n + 1] = (char *)(uintptr_t)o->words[n];
		options.argv = words;
	}
	emulator_init(&run->emulator, options.cols, options.rows);
	pty_start(&run->pty, &options);
	emulator_attach(&run->emulator, &run->pty);
}

/* Until the text is on the screen, or is not. */
static bool wait_shown(struct run *run, int from, const char *text, bool shown)
{
	for (int i = 0; i < PATIENCE_MS / 50; i++)
		if ((emulator_find(&run->emulator, from, text) >= 0) == shown || !pty_read_for(&run->pty, 50))
			break;
	return (emulator_find(&run->emulator, from, text) >= 0) == shown;
}

bool run_wait(struct run *run, int from, const char *text)
{
	return wait_shown(run, from, text, true);
}

bool run_wait_gone(struct run *run, int from, const char *text)
{
	return wait_shown(run, from, text, false);
}

/* Until there is a percentage: a digit before " %", which titles have as well. */
static bool wait_percentage(struct run *run)
{
	static const char *const ends[] = {"0 %", "1 %", "2 %", "3 %", "4 %",
					   "5 %", "6 %", "7 %", "8 %", "9 %"};

	for (int i = 0; i < PATIENCE_MS / 50; i++) {
		for (size_t k = 0; k < ARRAY_LEN(ends); k++)
			if (emulator_find(&run->emulator, 2, ends[k]) >= 0)
				return true;
		if (!pty_read_for(&run->pty, 50))
			break;
	}
	return false;
}

/* The screen is there, with values. */
void run_shown(struct run *run, const struct run_options *o)
{
	run_start(run, o);
	if (!run_wait(run, 0, o->devices ? " ms, mean of" : "SIMULATED") ||
	    !(o->devices ? run_wait(run, 2, "/s") : wait_percentage(run)))
		fail_msg("no screen came, but: %.*s", (int)run->pty.out.n,
			 run->pty.out.p ? run->pty.out.p : "");
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
		fail_msg("%s: '%s'", complaint, emulator_row(&run->emulator, 1));
	assert_true(pty_same_modes(&run->pty.before, &run->pty.report.modes));
}

void run_assert_frame(struct run *run)
{
	static const struct {
		int row;
		const char *text;
	} parts[] = {{0, "SIMULATED"}, {1, "Overview"}, {-1, "quit"}};

	for (size_t part = 0, ms = 0; part < ARRAY_LEN(parts);) {
		if (strstr(emulator_row(&run->emulator, parts[part].row), parts[part].text))
			part++;
		else if (ms >= PATIENCE_MS || !pty_read_for(&run->pty, 50))
			fail_msg("no '%s' in '%s'", parts[part].text,
				 emulator_row(&run->emulator, parts[part].row));
		else
			part = 0, ms += 50;
	}
}

void run_press(struct run *run, const char *keys, int from, const char *wanted)
{
	int rows = run->emulator.rows;

	pty_send(&run->pty, keys);
	if (run_wait(run, from < 0 ? rows + from : from, wanted))
		return;
	for (int row = 0; row < rows; row++)
		print_error("%s\n", emulator_row(&run->emulator, row));
	fail_msg("after '%s': no '%s'", keys, wanted);
}

bool run_has_fake(void)
{
	if (!fake)
		fake = realpath(FAKE, NULL);
	return fake != NULL;
}

const char *run_fake(void)
{
	return fake;
}

const char *run_program(void)
{
	if (!program && !(program = realpath(getenv("MALITOP"), NULL)))
		fail_msg("%s: %s: build it, or set MALITOP to the program", getenv("MALITOP"),
			 strerror(errno));
	return program;
}
