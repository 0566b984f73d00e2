/* The real program on a real terminal, simulated GPU: every size, every end, every kind of
 * terminal. */
#include "base/alloc.h"
#include "tests/support/test.h"
#include "tests/tui/run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- sizes ---- */

TEST(any_size_any_time)
{
	static const struct {
		int cols, rows;
	} sizes[] = {
		{1, 1},   {500, 200}, {2, 1},   {1, 2},    {40, 10}, {39, 9},
		{80, 24}, {500, 1},   {1, 200}, {200, 60}, {10, 50}, {79, 23},
	};
	struct run run;
	unsigned random = 1;

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

TEST(a_tiny_terminal_asks_for_more_room)
{
	struct run run;

	run_start(&run, &(struct run_options){.cols = 20, .rows = 5});
	for (int i = 0; i < PATIENCE_MS / 50 && !emulator_row(&run.emulator, 0)[0]; i++)
		pty_read_for(&run.pty, 50);
	assert_true(emulator_row(&run.emulator, 0)[0] != '\0');
	assert_int_equal(emulator_find(&run.emulator, 0, "quit"), -1);
	run_quit(&run);
	run_stop(&run);
}

TEST(a_large_terminal_has_no_leftovers)
{
	struct run run;

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

/* End it with keys, or with a signal. */
static void end_run(const char *keys, int signo, int killed_by)
{
	struct run run;

	run_shown(&run, &(struct run_options){0});
	if (keys)
		pty_send(&run.pty, keys);
	else
		pty_signal(&run.pty, signo);
	assert_true(pty_wait_report(&run.pty, 0));
	if (killed_by != (WIFSIGNALED(run.pty.report.status) ? WTERMSIG(run.pty.report.status) : 0))
		fail_msg("signal %d: status %x", signo, (unsigned)run.pty.report.status);
	run_assert_as_before(&run);
	run_stop(&run);
}

TEST(every_key_that_ends_it_leaves_the_terminal_as_it_was)
{
	end_run("q", 0, 0);
	end_run("\x03", 0, SIGINT);
	end_run("\x1c", 0, SIGQUIT);
}

/* By default, as signal(7) lists them; all others end a program. */
static bool ends_nothing(int signo)
{
	static const int others[] = {SIGCHLD, SIGCONT, SIGURG,  SIGWINCH, /* ignored */
				     SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU};

	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (signo == others[i])
			return true;
	return signo == SIGKILL || (signo > SIGSYS && signo != SIGRTMIN && signo != SIGRTMAX);
}

TEST(every_signal_that_ends_it_leaves_the_terminal_as_it_was)
{
	unsigned n = 0;

	for (int signo = 1; signo < NSIG; signo++) {
		if (ends_nothing(signo))
			continue;
		end_run(NULL, signo, signo);
		n++;
	}
	assert_true(n >= 22);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
TEST(without_memory_it_ends_with_a_message)
{
	skip(); /* a sanitizer ends the program itself then */
}
#else
/* Allow it 64 KB more than it has. */
static void limit_memory(pid_t pid)
{
	AUTOFREE char *path = xasprintf("/proc/%d/statm", (int)pid);
	FILE *file = fopen(path, "re");
	unsigned long pages = 0;
	rlim_t most;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%lu", &pages), 1);
	fclose(file);
	most = pages * (rlim_t)sysconf(_SC_PAGESIZE) + 65536;
	assert_int_equal(prlimit(pid, RLIMIT_AS, &(struct rlimit){most, most}, NULL), 0);
}

TEST(without_memory_it_ends_with_a_message)
{
	struct run run;

	run_shown(&run, &(struct run_options){0});
	limit_memory(run.pty.job);
	emulator_resize(&run.emulator, &run.pty, 500, 200); /* needs megabytes */
	assert_true(pty_wait_report(&run.pty, 0));
	if (!WIFEXITED(run.pty.report.status) || WEXITSTATUS(run.pty.report.status) != 1)
		fail_msg("status %x", (unsigned)run.pty.report.status);
	assert_true(pty_wrote(&run.pty, 0, "malitop: out of memory"));
	assert_false(run.emulator.alternate);
	assert_true(pty_same_modes(&run.pty.before, &run.pty.report.modes));
	run_stop(&run);
}
#endif

TEST(stopped_and_continued_it_goes_on)
{
	struct run run;
	const char *complaint;

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

TEST(a_terminal_that_hung_up_leaves_no_orphan)
{
	struct run run;

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

TEST(any_terminal_will_do)
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

TEST(a_terminal_without_a_cursor_is_refused_in_one_line)
{
	struct run run;

	run_start(&run, &(struct run_options){.term = "dumb", .cols = 200});
	assert_true(pty_wait_report(&run.pty, 0));
	assert_int_equal(WEXITSTATUS(run.pty.report.status), 1);
	assert_true(emulator_find(&run.emulator, 1, "malitop: terminal: TERM=dumb") == 1);
	assert_non_null(strstr(emulator_row(&run.emulator, 1), "--once"));
	assert_string_equal(emulator_row(&run.emulator, 2), "");
	run_stop(&run);
}
