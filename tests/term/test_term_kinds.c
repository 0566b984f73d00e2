/* term: old and new terminals, colours, locales, and what is not a terminal. */
#include "base/alloc.h"
#include "tests/support/test.h"
#include "tests/term/mini.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- kinds of terminals ---- */

TEST(colour_is_used_where_it_is_wanted_and_there)
{
	static const struct {
		const char *term, *env;
		enum color_mode mode;
		const char *theme;
		const char *yes, *no; /* bytes that must appear, that must not */
	} cases[] = {
		{"xterm-256color", "A=", COLOR_AUTO, NULL, "\x1b[38;5;", NULL},
		{"xterm-256color", "A=", COLOR_AUTO, "light", "38;5;25m", "38;5;33m"},
		{"xterm-256color", "COLORFGBG=0;15", COLOR_AUTO, "default", "38;5;25m", "38;5;33m"},
		{"xterm-256color", "A=", COLOR_AUTO, "mono", "7m", "8;5;"},
		{"xterm-256color", "NO_COLOR=1", COLOR_AUTO, NULL, "7m", "8;5;"},
		{"xterm-256color", "NO_COLOR=", COLOR_AUTO, NULL, "\x1b[38;5;", NULL},
		{"xterm-256color", "NO_COLOR=1", COLOR_ALWAYS, NULL, "\x1b[38;5;", NULL},
		{"xterm-256color", "A=", COLOR_NEVER, NULL, "7m", "8;5;"},
		{"xterm", "A=", COLOR_AUTO, NULL, "36m", "\x1b[38;5;"},
		{"linux", "A=", COLOR_AUTO, NULL, "36m", "\x1b[38;5;"},
		{"vt100", "A=", COLOR_ALWAYS, NULL, ";7", "[36m"},
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		const char *env[] = {"LC_ALL=C.UTF-8", cases[i].env, NULL};
		struct mini mini = {.options = {.color = cases[i].mode, .theme = cases[i].theme},
				    .draw = mini_draw_styles};
		struct pty_options options = {.cols = 80,
					      .rows = 24,
					      .term = cases[i].term,
					      .env = env,
					      .body = mini_ui,
					      .arg = &mini};
		struct pty pty;

		pty_start(&pty, &options);
		assert_true(pty_wait_output(&pty, 0, "style16"));
		if (!pty_wrote(&pty, 0, cases[i].yes) || (cases[i].no && pty_wrote(&pty, 0, cases[i].no)))
			fail_msg("case %u: %s %s", i, cases[i].term, cases[i].env);
		pty_send(&pty, "q");
		assert_true(pty_wait_report(&pty, 0));
		mini_assert_exit(&pty, 0);
		pty_stop(&pty);
	}
}

TEST(old_terminals_get_nothing_they_do_not_know)
{
	static const char *const terms[] = {"vt100", "vt220", "linux"};

	for (unsigned i = 0; i < ARRAY_LEN(terms); i++) {
		struct pty pty;

		mini_start(&pty, &mini_plain, terms[i], 80, 24);
		assert_true(pty_wait_note(&pty, "open 80x24 ascii"));
		assert_true(pty_wait_output(&pty, 0, "frame-1"));
		pty_send(&pty, "q");
		assert_true(pty_wait_report(&pty, 0));
		mini_assert_exit(&pty, 0);
		assert_false(pty_wrote(&pty, 0, "?2026"));
		assert_false(pty_wrote(&pty, 0, "?1000"));
		assert_false(pty_wrote(&pty, 0, "?1006"));
		assert_false(pty_wrote(&pty, 0, "?2004"));
		assert_true(pty_wrote(&pty, mini_after(&pty, "frame-1"),
				      "\x1b[24;1H")); /* the shell continues below */
		assert_true(pty_same_modes(&pty.before, &pty.report.modes));
		pty_stop(&pty);
	}
}

TEST(glyphs_go_by_locale_and_option)
{
	static const struct {
		const char *locale;
		bool ascii;
		const char *note;
	} cases[] = {
		{"LC_ALL=C.UTF-8", false, " utf8\n"}, {"LC_ALL=C.UTF-8", true, " ascii\n"},
		{"LC_ALL=C", false, " ascii\n"},      {"LC_ALL=xx_XX.UTF-8", false, " utf8\n"},
		{"LC_ALL=xx_XX", false, " ascii\n"},
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		const char *env[] = {cases[i].locale, NULL};
		struct mini mini = {.options = {.ascii = cases[i].ascii}, .draw = mini_draw_size};
		struct pty_options options = {
			.cols = 80, .rows = 24, .term = "xterm", .env = env, .body = mini_ui, .arg = &mini};
		struct pty pty;

		pty_start(&pty, &options);
		assert_true(pty_wait_note(&pty, cases[i].note));
		pty_stop(&pty);
	}
}

TEST(no_usable_terminal_is_refused_with_what_to_try)
{
	static const struct {
		const char *term;
		bool no_stdin, no_stdout;
		const char *note;
	} cases[] = {
		{"dumb", false, false, "TERM=dumb cannot place its cursor"},
		{NULL, false, false, "TERM is not set"},
		{"", false, false, "TERM is not set"},
		{"no-such\x1b[2Jthing", false, false, "TERM=no-such?[2Jthing has no terminfo entry"},
		{"../../etc/passwd", false, false, "has no terminfo entry"},
		{"xterm", true, false, "standard input is not a terminal"},
		{"xterm", false, true, "standard output is not a terminal"},
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct pty_options options = {.cols = 80,
					      .rows = 24,
					      .term = cases[i].term,
					      .body = mini_ui,
					      .arg = &mini_plain,
					      .no_stdin = cases[i].no_stdin,
					      .no_stdout = cases[i].no_stdout};
		struct pty pty;

		pty_start(&pty, &options);
		assert_true(pty_wait_note(&pty, cases[i].note));
		assert_true(pty_wait_note(&pty, "--once"));
		assert_true(pty_wait_report(&pty, 0));
		mini_assert_exit(&pty, MINI_REFUSED);
		assert_int_equal(pty.out.n, 0);
		assert_true(pty_same_modes(&pty.before, &pty.report.modes));
		pty_stop(&pty);
	}
}
