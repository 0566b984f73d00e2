/* term: the built-in terminfo entry, and absurd sizes. */
#include "base/alloc.h"
#include "term/term_priv.h"
#include "tests/support/test.h"
#include "tests/term/mini.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <curses.h>
#include <term.h>

#define NAME "xterm-16color"

/* What the frames have to know of the cursor to move it with few bytes. */
TEST(the_built_in_entry_says_how_the_cursor_moves)
{
	int error;

	entry_use_built_in(NAME);
	assert_int_equal(setupterm(NAME, STDOUT_FILENO, &error), OK);
	unsetenv("TERMINFO");
	assert_int_equal(tigetflag("am"), 1);
	assert_int_equal(tigetflag("xenl"), 1);
	assert_int_equal(tigetflag("msgr"), 1);
	assert_int_equal(tigetflag("bce"), 0); /* terminals differ */
	assert_string_equal(tigetstr("cud1"), "\n");
	del_curterm(cur_term);
}

TEST(a_board_without_terminfo_has_the_built_in_entry)
{
	struct pty pty;

	mini_start(&pty, &mini_plain, "xterm-that-no-database-has", 80, 24);
	assert_true(pty_wait_output(&pty, 0, "frame-1-80x24"));
	assert_true(pty_wrote(&pty, 0, ENTER));
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 0));
	mini_assert_exit(&pty, 0);
	pty_stop(&pty);
}

TEST(the_built_in_entry_has_the_colours_that_the_name_says)
{
	int error;

	entry_use_built_in("xterm-256color");
	assert_int_equal(setupterm("xterm-256color", STDOUT_FILENO, &error), OK);
	unsetenv("TERMINFO");
	assert_int_equal(tigetnum("colors"), 256);
	assert_string_equal(tparm(tigetstr("setaf"), 208L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L), "\x1b[38;5;208m");
	del_curterm(cur_term);
}

static long resident_kb(pid_t pid)
{
	AUTOFREE char *path = xasprintf("/proc/%d/status", (int)pid);
	FILE *f = fopen(path, "re");
	char line[256];
	long kb = -1;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %ld kB", &kb) == 1)
			break;
	fclose(f);
	return kb;
}

TEST(sizes_of_the_environment_are_not_believed)
{
	static const char *const env[] = {"LC_ALL=C.UTF-8", "LINES=5000", "COLUMNS=5000", NULL};
	struct pty_options options = {
		.cols = 80, .rows = 24, .term = NAME, .env = env, .body = mini_ui, .arg = &mini_plain};
	struct pty pty;

	pty_start(&pty, &options);
	assert_true(pty_wait_output(&pty, 0, "frame-1-80x24"));
	assert_in_range(resident_kb(pty.job), 1, 200000);
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 0));
	mini_assert_exit(&pty, 0);
	pty_stop(&pty);
}
