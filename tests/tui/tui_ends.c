/* The real program on a real terminal, simulated GPU: every size, every end, every kind of
 * terminal. */
#include "base/alloc.h"
#include "tests/tui/run.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- sizes ---- */

static void any_size_any_time(void **state)
{
	static const struct {
		int cols, rows;
	} sizes[] = {
		{1, 1},   {500, 200}, {2, 1},   {1, 2},    {40, 10}, {39, 9},
		{80, 24}, {500, 1},   {1, 200}, {200, 60}, {10, 50}, {79, 23},
	};
	struct run run;
	unsigned random = 1;

	(void)state;
	run_shown(&run, &(struct run_options){0});
	for (unsigned i = 0; i < ARRAY_LEN(sizes); i++) {
		emulator_resize(&run.emulator, &run.pty, sizes[i].cols, sizes[i].rows);
		if (!pty_read_for(&run.pty, 60))
			fail_msg("ended at %dx%d", sizes[i].cols, sizes[i].rows);
	}
	for (unsigned i = 0; i < 300; i++) { /* faster than it can draw */
		random = random * 1103515245u + 12345u;
		emulator_resize(&run.emulator, &run.pty, 1 + (int)(random >> 16) % 500,
				1 + (int)(random >> 8) % 200);
		if (!pty_read_for(&run.pty, 2))
			fail_msg("ended in the storm");
	}
	/* what remains is one clean frame */
	emulator_resize(&run.emulator, &run.pty, RUN_COLS, RUN_ROWS);
	run_assert_frame(&run);
	run_quit(&run);
	run_stop(&run);
}

static void a_tiny_terminal_is_told_to_grow(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, &(struct run_options){.cols = 20, .rows = 5});
	for (int i = 0; i < PATIENCE_MS / 50 && !emulator_row(&run.emulator, 0)[0]; i++)
		pty_read_for(&run.pty, 50);
	assert_true(emulator_row(&run.emulator, 0)[0] != '\0');
	assert_int_equal(emulator_find(&run.emulator, 0, "quit"), -1);
	run_quit(&run);
	run_stop(&run);
}

static void a_large_terminal_has_no_leftovers(void **state)
{
	struct run run;

	(void)state;
	run_shown(&run, &(struct run_options){.cols = 500, .rows = 200});
	run_assert_frame(&run);
	emulator_resize(&run.emulator, &run.pty, RUN_COLS, RUN_ROWS);
	run_assert_frame(&run);
	assert_true(run_wait_gone(&run, 1, "SIMULATED"));
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
}

/* ---- ends ---- */

static void every_end_leaves_the_terminal_as_it_was(void **state)
{
	const struct {
		const char *key;
		int send, killed_by;
	} cases[] = {
		{"q", 0, 0},
		{"\x03", 0, SIGINT},
		{"\x1c", 0, SIGQUIT},
		{NULL, SIGINT, SIGINT},
		{NULL, SIGTERM, SIGTERM},
		{NULL, SIGHUP, SIGHUP},
		{NULL, SIGQUIT, SIGQUIT},
		{NULL, SIGSEGV, SIGSEGV},
		{NULL, SIGABRT, SIGABRT},
		{NULL, SIGBUS, SIGBUS},
		{NULL, SIGSYS, SIGSYS},
		{NULL, SIGUSR1, SIGUSR1},
		{NULL, SIGALRM, SIGALRM},
		{NULL, SIGRTMAX, SIGRTMAX},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct run run;

		run_shown(&run, &(struct run_options){0});
		if (cases[i].key)
			pty_send(&run.pty, cases[i].key);
		else
			pty_signal(&run.pty, cases[i].send);
		assert_true(pty_wait_report(&run.pty, 0));
		if (cases[i].killed_by !=
		    (WIFSIGNALED(run.pty.report.status) ? WTERMSIG(run.pty.report.status) : 0))
			fail_msg("case %u: status %x", i, (unsigned)run.pty.report.status);
		run_assert_as_before(&run);
		run_stop(&run);
	}
}

static void stopped_and_continued_it_goes_on(void **state)
{
	struct run run;
	const char *complaint;

	(void)state;
	run_shown(&run, &(struct run_options){0});
	pty_send(&run.pty, "\x1a");
	assert_true(pty_wait_report(&run.pty, 0));
	assert_true(WIFSTOPPED(run.pty.report.status));
	complaint = emulator_complaint(&run.emulator);
	if (complaint)
		fail_msg("stopped, but %s", complaint);
	assert_true(pty_same_modes(&run.pty.before, &run.pty.report.modes));
	emulator_resize(&run.emulator, &run.pty, 120, 40);
	pty_foreground(&run.pty);
	assert_true(run_wait(&run, 0, "SIMULATED"));
	run_assert_frame(&run);
	run_quit(&run);
	assert_false(run.emulator.alternate);
	assert_true(pty_same_modes(&run.pty.before, &run.pty.report.modes));
	run_stop(&run);
}

static void a_terminal_that_hung_up_leaves_no_orphan(void **state)
{
	struct run run;

	(void)state;
	run_shown(&run, &(struct run_options){.ignore_hup = true});
	pty_hang_up(&run.pty);
	assert_true(pty_wait_report(&run.pty, 0));
	run_stop(&run);
}

/* ---- terminals ---- */

static bool has_colour(struct run *run)
{
	for (int row = 0; row < RUN_ROWS; row++)
		for (int col = 0; col < RUN_COLS; col++) {
			VTermScreenCell cell = emulator_cell(&run->emulator, row, col);

			if (!VTERM_COLOR_IS_DEFAULT_FG(&cell.fg) || !VTERM_COLOR_IS_DEFAULT_BG(&cell.bg))
				return true;
		}
	return false;
}

static bool is_ascii(const struct strbuf *text)
{
	for (size_t i = 0; i < text->n; i++)
		if ((unsigned char)text->p[i] >= 0x80)
			return false;
	return true;
}

static void any_terminal_will_do(void **state)
{
	static const struct {
		const char *term, *env, *arg;
		bool ascii, colour, modern; /* modern: private modes */
	} cases[] = {
		{"vt100", NULL, NULL, true, false, false},
		{"linux", NULL, NULL, true, true, false},
		{"xterm", NULL, NULL, false, true, true},
		{"xterm-256color", NULL, NULL, false, true, true},
		{"xterm-256color", "NO_COLOR=1", NULL, false, false, true},
		{"xterm-256color", "LC_ALL=C", NULL, true, true, true},
		{"xterm-256color", NULL, "--ascii", true, true, true},
		{"xterm-256color", NULL, "--color=never", false, false, true},
		{"xterm-256color", NULL, "--theme=mono", false, false, true},
		{"xterm-256color", NULL, "--theme=light", false, true, true},
		{"screen-256color", NULL, NULL, false, true, true},
		{"tmux-256color", NULL, NULL, false, true, true},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct run run;

		run_shown(&run, &(struct run_options){
					.term = cases[i].term, .env = cases[i].env, .arg = cases[i].arg});
		run_assert_frame(&run);
		if (is_ascii(&run.pty.out) != cases[i].ascii || has_colour(&run) != cases[i].colour)
			fail_msg("case %u (%s): ascii %d colour %d", i, cases[i].term, is_ascii(&run.pty.out),
				 has_colour(&run));
		if (pty_wrote(&run.pty, 0, "\x1b[?1006h") != cases[i].modern ||
		    pty_wrote(&run.pty, 0, "\x1b[?2026h") != cases[i].modern)
			fail_msg("case %u (%s): private modes", i, cases[i].term);
		run_quit(&run);
		assert_true(pty_same_modes(&run.pty.before, &run.pty.report.modes));
		run_stop(&run);
	}
}

static void a_terminal_without_a_cursor_is_refused_in_one_line(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, &(struct run_options){.term = "dumb", .cols = 200});
	assert_true(pty_wait_report(&run.pty, 0));
	assert_int_equal(WEXITSTATUS(run.pty.report.status), 1);
	assert_true(emulator_find(&run.emulator, 1, "malitop: terminal: TERM=dumb") == 1);
	assert_non_null(strstr(emulator_row(&run.emulator, 1), "--once"));
	assert_string_equal(emulator_row(&run.emulator, 2), "");
	run_stop(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_size_any_time),
		cmocka_unit_test(a_tiny_terminal_is_told_to_grow),
		cmocka_unit_test(a_large_terminal_has_no_leftovers),
		cmocka_unit_test(every_end_leaves_the_terminal_as_it_was),
		cmocka_unit_test(stopped_and_continued_it_goes_on),
		cmocka_unit_test(a_terminal_that_hung_up_leaves_no_orphan),
		cmocka_unit_test(any_terminal_will_do),
		cmocka_unit_test(a_terminal_without_a_cursor_is_refused_in_one_line),
	};

	if (!run_find_program())
		return 1;
	alarm(900); /* a test that hangs has failed */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
