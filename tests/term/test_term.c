/* term: every way to end, to stop and to go on leaves the terminal as it was. */
#include "base/alloc.h"
#include "term/term_priv.h"
#include "tests/support/test.h"
#include "tests/term/mini.h"

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- taking and giving back ---- */

TEST(what_was_taken_is_given_back)
{
	struct pty pty;

	mini_start_shown(&pty);
	assert_true(pty_wrote(&pty, 0, ENTER));
	assert_false(pty_wrote(&pty, mini_after(&pty, ENTER),
			       ENTER)); /* a second one would save what the first one changed */
	assert_true(pty_wrote(&pty, mini_after(&pty, ENTER), HIDE));
	assert_true(pty_wrote(&pty, 0, MOUSE_ON));
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 0));
	mini_assert_exit(&pty, 0);
	mini_assert_restored(&pty);
	pty_stop(&pty);
}

/* Those that end no program by default, and those of crashes, have tests of their own. The C
 * library has no use for 32 and 33. */
static bool ends_a_program(int signo)
{
	static const int others[] = {SIGKILL,  SIGSTOP, SIGTSTP, SIGCONT, SIGTTIN, SIGTTOU, SIGCHLD, SIGURG,
				     SIGWINCH, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGABRT, SIGTRAP, SIGSYS};

	for (unsigned i = 0; i < ARRAY_LEN(others); i++)
		if (others[i] == signo)
			return false;
	return signo < 32 || (signo >= SIGRTMIN && signo <= SIGRTMAX);
}

TEST(every_signal_that_ends_gives_back_first)
{
	for (int signo = 1; signo <= SIGRTMAX; signo++) {
		struct pty pty;

		if (!ends_a_program(signo))
			continue;
		mini_start_shown(&pty);
		pty_signal(&pty, signo);
		assert_true(pty_wait_report(&pty, 0));
		mini_assert_killed(&pty, signo);
		mini_assert_restored(&pty);
		pty_stop(&pty);
	}
}

TEST(control_c_is_typed_as_a_signal)
{
	struct pty pty;

	mini_start_shown(&pty);
	pty_send(&pty, "\x03");
	assert_true(pty_wait_report(&pty, 0));
	mini_assert_killed(&pty, SIGINT);
	mini_assert_restored(&pty);
	pty_stop(&pty);
}

TEST(every_crash_gives_back_first)
{
	static const struct {
		int signo;       /* sent, or */
		const char *key; /* typed, which then happens inside */
		int killed_by;   /* 0: it exits with 1 */
	} cases[] = {
		{SIGSEGV, NULL, SIGSEGV},
		{SIGBUS, NULL, SIGBUS},
		{SIGFPE, NULL, SIGFPE},
		{SIGILL, NULL, SIGILL},
		{SIGABRT, NULL, SIGABRT},
		{SIGTRAP, NULL, SIGTRAP},
		{SIGSYS, NULL, SIGSYS},
		{0, "n", SIGSEGV},
		{0, "t", SIGSEGV},
		{0, "o", SIGSEGV},
		{0, "m", 0}, /* out of memory */
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct pty pty;

		mini_start_shown(&pty);
		if (cases[i].key)
			pty_send(&pty, cases[i].key);
		else
			pty_signal(&pty, cases[i].signo);
		assert_true(pty_wait_report(&pty, 0));
		if (cases[i].killed_by)
			mini_assert_killed(&pty, cases[i].killed_by);
		else
			mini_assert_exit(&pty, 1);
		mini_assert_restored(&pty);
		pty_stop(&pty);
	}
}

TEST(signals_ignored_from_above_stay_ignored)
{
	struct pty pty;
	struct pty_options options = {.cols = 80,
				      .rows = 24,
				      .term = "xterm-256color",
				      .body = mini_ui,
				      .arg = &mini_plain,
				      .ignore_hup = true};

	pty_start(&pty, &options);
	assert_true(pty_wait_output(&pty, 0, "frame-1"));
	pty_signal(&pty, SIGHUP);
	pty_send(&pty, "x");
	assert_true(pty_wait_note(&pty, "key 78\n"));
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 0));
	mini_assert_exit(&pty, 0);
	pty_stop(&pty);
}

TEST(a_terminal_that_hung_up_ends_it_without_spinning)
{
	struct pty pty;
	struct pty_options options = {.cols = 80,
				      .rows = 24,
				      .term = "xterm-256color",
				      .body = mini_ui,
				      .arg = &mini_plain,
				      .ignore_hup = true};

	pty_start(&pty, &options);
	assert_true(pty_wait_output(&pty, 0, "frame-1"));
	pty_hang_up(&pty);
	assert_true(pty_wait_report(&pty, 0));
	mini_assert_exit(&pty, MINI_GONE);
	assert_in_range(pty.report.cpu_us, 0, MINI_CPU_US);
	pty_stop(&pty);
}

/* ---- stop and go on ---- */

TEST(a_stop_gives_back_and_going_on_takes_again)
{
	struct pty pty;
	size_t from;

	mini_start_shown(&pty);
	pty_send(&pty, "\x1a");
	assert_true(pty_wait_report(&pty, 0));
	assert_true(WIFSTOPPED(pty.report.status));
	mini_assert_restored(&pty);
	from = pty.out.n;
	pty_resize(&pty, 90, 30);
	pty_foreground(&pty);
	assert_true(pty_wait_note(&pty, "resumed 90x30\n"));
	assert_true(pty_wait_output(&pty, from, "90x30")); /* drawn without a key */
	assert_true(pty_wrote(&pty, from, ENTER));
	assert_true(pty_wrote(&pty, from, HIDE));
	assert_true(pty_wrote(&pty, from, MOUSE_ON));
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 1));
	mini_assert_exit(&pty, 0);
	assert_true(pty_wrote(&pty, from, LEAVE));
	assert_true(pty_same_modes(&pty.before, &pty.report.modes));
	pty_stop(&pty);
}

TEST(a_stop_in_the_middle_of_a_frame_is_not_lost)
{
	struct pty pty;
	size_t from;

	mini_stop_in_frame = true;
	mini_start(&pty, &mini_plain, "xterm-256color", 80, 24);
	mini_stop_in_frame = false;
	assert_true(pty_wait_report(&pty, 0));
	assert_true(WIFSTOPPED(pty.report.status));
	mini_assert_restored(&pty);
	from = pty.out.n;
	pty_foreground(&pty);
	assert_true(pty_wait_output(&pty, from, "80x24"));
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 1));
	mini_assert_exit(&pty, 0);
	pty_stop(&pty);
}

TEST(a_stop_that_nobody_announced_is_repaired)
{
	struct pty pty;
	size_t from;

	mini_start_shown(&pty);
	pty_signal(&pty, SIGSTOP);
	assert_true(pty_wait_report(&pty, 0));
	from = pty.out.n;
	pty_foreground(&pty);
	assert_true(pty_wait_output(&pty, from, "80x24"));
	assert_true(pty_wrote(&pty, from, MOUSE_ON));
	assert_false(pty_wrote(&pty, from, ENTER)); /* would save the cursor of the wrong screen */
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 1));
	mini_assert_exit(&pty, 0);
	assert_true(pty_same_modes(&pty.before, &pty.report.modes));
	pty_stop(&pty);
}

TEST(in_the_background_it_stays_away_and_can_be_ended)
{
	struct pty pty;
	size_t from;

	mini_start_shown(&pty);
	pty_send(&pty, "\x1a");
	assert_true(pty_wait_report(&pty, 0));
	from = pty.out.n;
	pty_background(&pty);
	assert_true(pty_wait_report(&pty, 1));
	assert_true(WIFSTOPPED(pty.report.status));
	assert_int_equal(WSTOPSIG(pty.report.status), SIGTTOU);
	pty_signal(&pty, SIGTERM);
	pty_background(&pty);
	assert_true(pty_wait_report(&pty, 2));
	mini_assert_killed(&pty, SIGTERM);
	assert_int_equal(pty.out.n, from);
	assert_true(pty_same_modes(&pty.before, &pty.report.modes));
	pty_stop(&pty);
}

/* ---- what else the process keeps ---- */

static int looks_at_itself(struct term *term)
{
	struct sigaction action;

	pty_note("nonblock %d\n", (fcntl(0, F_GETFL) & O_NONBLOCK) != 0);
	term_close(term);
	sigaction(SIGTERM, NULL, &action);
	pty_note("default %d\n", action.sa_handler == SIG_DFL);
	sigaction(SIGSEGV, NULL, &action);
	pty_note("default %d\n", action.sa_handler == SIG_DFL);
	pty_note("free fd %d\n", open("/dev/null", O_RDONLY));
	return 0;
}

TEST(the_process_is_left_as_it_was)
{
	struct mini mini = {.instead = looks_at_itself};
	struct pty pty;
	int free_fd = open("/dev/null", O_RDONLY);
	char note[32];

	close(free_fd);
	mini_start(&pty, &mini, "xterm-256color", 80, 24);
	assert_true(pty_wait_report(&pty, 0));
	mini_assert_exit(&pty, 0);
	snprintf(note, sizeof(note), "free fd %d\n", free_fd + 1); /* one is the root directory of sys */
	assert_true(pty_wait_note(&pty, "nonblock 0\ndefault 1\ndefault 1\n"));
	assert_non_null(strstr(pty.notes.p, note));
	pty_stop(&pty);
}

TEST(keys_and_mouse_arrive)
{
	static const struct {
		const char *typed, *note;
	} cases[] = {
		{"1", "key 31\n"},          {"\x1bOA", "key 110002\n"}, {"\x1b[<0;5;2M", "mouse 4 1\n"},
		{"\x1b", "key 1b\n"},       {"\x1b[200~qq", "paste\n"}, {"\x1b[201~7", "key 37\n"},
		{"\x0c", "resize 80x24\n"},
	};
	struct pty pty;

	mini_start_shown(&pty);
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		pty_send(&pty, cases[i].typed);
		assert_true(pty_wait_note(&pty, cases[i].note));
	}
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 0));
	pty_stop(&pty);
}

TEST(ctrl_l_takes_and_draws_everything_again)
{
	struct pty pty;
	size_t from;

	mini_start_shown(&pty);
	from = pty.out.n;
	pty_send(&pty, "x");
	assert_true(pty_wait_note(&pty, "drawn 2 "));
	assert_false(pty_wrote(&pty, from, "80x24")); /* only the number changed */
	from = pty.out.n;
	pty_send(&pty, "\x0c");
	assert_true(pty_wait_output(&pty, from, "frame-3-80x24"));
	assert_true(pty_wrote(&pty, from, HIDE));
	assert_true(pty_wrote(&pty, from, MOUSE_ON));
	assert_false(pty_wrote(&pty, from, ENTER)); /* would save the cursor of the wrong screen */
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 0));
	mini_assert_restored(&pty);
	pty_stop(&pty);
}

TEST(levels_differ_without_colours)
{
	static const enum style levels[] = {STYLE_CALM, STYLE_BUSY, STYLE_HOT};
	static const enum depth depths[] = {DEPTH_MONO, DEPTH_8, DEPTH_16, DEPTH_256};

	for (size_t d = 0; d < ARRAY_LEN(depths); d++) {
		for (int style = 0; style < STYLE_COUNT; style++) {
			struct look look = theme_look("mono", depths[d], (enum style)style);

			assert_true(look.fg < 0 && look.bg < 0);
		}
		for (size_t a = 0; a < ARRAY_LEN(levels); a++)
			for (size_t b = 0; b < a; b++)
				assert_int_not_equal(theme_look("mono", depths[d], levels[a]).attrs,
						     theme_look("mono", depths[d], levels[b]).attrs);
	}
}

/* Relative luminance, as WCAG 2 defines it, of one of the upper 240 colours. */
static double luminance(int colour)
{
	static const double share[] = {0.2126, 0.7152, 0.0722};
	double sum = 0;

	assert_in_range(colour, 16, 255);
	for (int part = 0, by = 36; part < 3; part++, by /= 6) {
		int step = (colour - 16) / by % 6;
		double level = (colour >= 232 ? 8 + 10 * (colour - 232) : step ? 55 + 40 * step : 0) / 255.0;

		sum += share[part] * (level <= 0.04045 ? level / 12.92 : pow((level + 0.055) / 1.055, 2.4));
	}
	return sum;
}

/* 3 is what WCAG demands of bold and of large text. */
TEST(the_default_theme_can_be_read_on_black_and_on_white)
{
	static const enum style words[] = {STYLE_TEXT,   STYLE_DIM, STYLE_TITLE, STYLE_HEADER, STYLE_TAB,
					   STYLE_FOOTER, STYLE_KEY, STYLE_AXIS,  STYLE_LIMIT,  STYLE_MARK};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		struct look look = theme_look(NULL, DEPTH_256, words[i]);

		assert_true(look.bg < 0);
		if (look.fg < 0)
			continue; /* the terminal's own colour */
		assert_true((luminance(look.fg) + 0.05) / 0.05 >= 3);
		assert_true(1.05 / (luminance(look.fg) + 0.05) >= 3);
	}
}

TEST(the_light_theme_is_the_default_on_a_white_ground)
{
	static const struct {
		const char *colours, *asked, *got;
	} cases[] = {
		{NULL, "default", "default"}, {"15;0", "default", "default"},
		{"0;15", "default", "light"}, {"0;default;15", "default", "light"},
		{"0;7", "default", "light"},  {"0;15", "mono", "mono"},
		{"15", "default", "default"}, {"0;", "default", "default"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		unsetenv("COLORFGBG");
		if (cases[i].colours)
			setenv("COLORFGBG", cases[i].colours, 1);
		assert_string_equal(theme_on_ground(cases[i].asked), cases[i].got);
	}
	unsetenv("COLORFGBG");
}

TEST(themes_are_known_by_name)
{
	assert_string_equal(term_theme_name(0), "default");
	assert_true(term_theme_known("light"));
	assert_true(term_theme_known("mono"));
	assert_false(term_theme_known("Dark"));
	assert_null(term_theme_name(1000));
}
