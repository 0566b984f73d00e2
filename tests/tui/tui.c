/* The real program on a real terminal, simulated GPU: what the screen says, and every key. */
#include "base/alloc.h"
#include "tests/support/test.h"
#include "tests/tui/run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- what is on the screen ---- */

TEST(the_first_screen_says_what_it_shows)
{
	struct run run;

	run_shown(&run, &(struct run_options){0});
	run_assert_frame(&run);
	assert_non_null(strstr(emulator_row(&run.emulator, 0), "Mali-G715"));
	assert_non_null(strstr(emulator_row(&run.emulator, 1), " 1 Overview"));
	assert_non_null(strstr(emulator_row(&run.emulator, 1), "? help"));
	assert_true(run.emulator.alternate);
	assert_false(run.emulator.cursor_visible);
	assert_int_equal(run.emulator.mouse, VTERM_PROP_MOUSE_DRAG);
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
}

/* Where the tab of a digit stands in the tab row; -1 if it is not there. */
static int tab_column(struct run *run, char digit)
{
	char text[4] = {' ', digit, ' ', '\0'};
	const char *row = emulator_row(&run->emulator, 1), *found = strstr(row, text);

	return found ? (int)(found - row) + 1 : -1;
}

static bool tab_is_on(struct run *run, char digit)
{
	int col = tab_column(run, digit);

	return col >= 0 && emulator_stands_out(&run->emulator, 1, col);
}

static bool wait_tab(struct run *run, char digit)
{
	for (int i = 0; i < PATIENCE_MS / 20 && !tab_is_on(run, digit); i++)
		if (!pty_read_for(&run->pty, 20))
			return false;
	return tab_is_on(run, digit);
}

/* The digits of the tabs there are, in order. */
static unsigned tabs(struct run *run, char digits[11])
{
	unsigned n = 0;

	for (const char *d = "1234567890"; *d; d++)
		if (tab_column(run, *d) >= 0)
			digits[n++] = *d;
	digits[n] = '\0';
	return n;
}

TEST(a_digit_shows_its_view)
{
	struct run run;
	char digits[11];
	unsigned n;

	run_shown(&run, &(struct run_options){.cols = 140, .rows = 50});
	n = tabs(&run, digits);
	assert_in_range(n, 2, 10);
	for (unsigned i = n; i-- > 0;) {
		char key[2] = {digits[i], '\0'};
		unsigned on = 0;

		pty_send(&run.pty, key);
		if (!wait_tab(&run, digits[i]))
			fail_msg("%s did not show its view", key);
		for (unsigned j = 0; j < n; j++)
			on += tab_is_on(&run, digits[j]);
		assert_int_equal(on, 1);
	}
	run_quit(&run);
	run_stop(&run);
}

TEST(views_go_round_in_both_directions)
{
	static const struct {
		const char *key;
		int by;
	} cases[] = {{"\t", 1}, {"\x1b[C", 1}, {"\x1bOC", 1}, {"\x1b[Z", -1}, {"\x1b[D", -1}, {"\x1bOD", -1}};
	struct run run;
	char digits[11];
	unsigned n, at = 0;

	run_shown(&run, &(struct run_options){.cols = 140});
	n = tabs(&run, digits);
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++)
		for (unsigned step = 0; step < n; step++) {
			at = (at + n + (unsigned)cases[i].by) % n;
			pty_send(&run.pty, cases[i].key);
			if (!wait_tab(&run, digits[at]))
				fail_msg("key %u: not view %c", i, digits[at]);
		}
	run_quit(&run);
	run_stop(&run);
}

TEST(a_click_on_a_tab_shows_its_view)
{
	struct run run;
	char click[64];

	run_shown(&run, &(struct run_options){.cols = 140});
	snprintf(click, sizeof(click), "\x1b[<0;%d;2M\x1b[<0;%d;2m", tab_column(&run, '2') + 2,
		 tab_column(&run, '2') + 2);
	pty_send(&run.pty, click);
	assert_true(wait_tab(&run, '2'));
	/* a click below the tabs is none on them */
	snprintf(click, sizeof(click), "\x1b[<0;%d;5M", tab_column(&run, '1') + 2);
	pty_send(&run.pty, click);
	pty_read_for(&run.pty, 300);
	assert_true(tab_is_on(&run, '2'));
	run_quit(&run);
	run_stop(&run);
}

TEST(help_comes_and_goes)
{
	static const char *const keys[] = {"?", "\x1bOP", "\x1b[[A"};
	struct run run;

	run_shown(&run, &(struct run_options){0});
	for (unsigned i = 0; i < ARRAY_LEN(keys); i++) {
		pty_send(&run.pty, keys[i]);
		if (!run_wait(&run, 1, "between views, rows"))
			fail_msg("no help by key %u", i);
		pty_send(&run.pty, i % 2 ? keys[i] : "\x1b");
		if (!run_wait_gone(&run, 1, "between views, rows"))
			fail_msg("help stays after key %u", i);
	}
	run_quit(&run);
	run_stop(&run);
}

/* ---- pause: nothing moves, and nothing is written ---- */

TEST(a_paused_screen_stands_still_and_writes_nothing)
{
	struct run run;
	size_t from;

	run_shown(&run, &(struct run_options){.refresh = "-r500ms"});
	pty_send(&run.pty, " ");
	assert_true(run_wait(&run, 0, "PAUSED"));
	/* from some moment on no more comes than the time of day, and the seconds back */
	for (int i = 0; i == 0 || run.pty.out.n - from > 400; i++) {
		assert_true(i < PATIENCE_MS / 2000);
		from = run.pty.out.n;
		assert_true(pty_read_for(&run.pty, 2000));
	}
	pty_send(&run.pty, "<<<");
	assert_true(run_wait(&run, 0, "PAUSED"));
	pty_send(&run.pty, "> ");
	assert_true(run_wait_gone(&run, 0, "PAUSED"));
	from = run.pty.out.n;
	for (int i = 0; i < PATIENCE_MS / 50 && run.pty.out.n == from; i++)
		pty_read_for(&run.pty, 50);
	assert_true(run.pty.out.n > from); /* it moves again */
	run_quit(&run);
	run_stop(&run);
}

/* ---- keys that must not harm ---- */

TEST(no_key_in_any_view_harms)
{
	static const char *const keys[] = {
		"\x1b[A",
		"\x1b[B",
		"\x1b[5~",
		"\x1b[6~",
		"\x1b[H",
		"\x1b[F",
		"\x1bOA",
		"\x1bOB",
		"\x1b[<64;3;9M",
		"\x1b[<65;3;9M",
		"+",
		"+",
		"-",
		"-",
		"-",
		"=",
		"c",
		"c",
		"a",
		"a",
		"<",
		">",
		",",
		".",
		" ",
		" ",
		"\r",
		"\x7f",
		/* what no key sends */
		"\x1b[999;999;999;999;999R",
		"\x1b[?2026;2$y",
		"\x1b[200~q\x1b[201~",
		"\x1b[<99999;99999;99999M",
		"\x1b[M",
		"\xff\xfe\x80",
		"\x1b\x1b\x1b",
		"\xc3\xa4",
		"zZxX|~",
		"\x01\x02\x04\x05\x06",
	};
	struct run run;
	char digits[11];
	unsigned n;

	run_shown(&run, &(struct run_options){.cols = 140});
	n = tabs(&run, digits);
	for (unsigned i = 0; i < n; i++) {
		char key[2] = {digits[i], '\0'};

		pty_send(&run.pty, key);
		assert_true(wait_tab(&run, digits[i]));
		for (unsigned k = 0; k < ARRAY_LEN(keys); k++) {
			pty_send(&run.pty, keys[k]);
			if (!pty_read_for(&run.pty, 5))
				fail_msg("view %s ended at key %u", key, k);
		}
		assert_true(pty_read_for(&run.pty, 200)); /* the torso of a sequence is over */
	}
	assert_true(run_wait(&run, 0, "SIMULATED"));
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
}
