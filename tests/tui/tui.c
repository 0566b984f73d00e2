/* The real program ($MALITOP, else ./malitop) on a real terminal, simulated GPU: every key, every size, every end. */
#include "base/alloc.h"
#include "tests/tui/emulator.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define COLS 100
#define ROWS 30

static char *program;

struct run {
	struct pty pty;
	struct emulator emulator;
};

struct run_options {
	int cols, rows;
	const char *term, *env;
	const char *refresh; /* "-r100ms" if NULL */
	const char *arg;     /* one more */
	bool ignore_hup;
};

static void run_start(struct run *run, const struct run_options *o)
{
	static char demo[] = "--demo", seed[] = "--seed=1", interval[] = "-i100ms";
	const char *env[] = {"LC_ALL=C.UTF-8", "HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent", o->env, NULL};
	AUTOFREE char *refresh = xstrdup(o->refresh ? o->refresh : "-r100ms");
	char *argv[] = {program, demo, seed, interval, refresh, NULL, NULL};
	AUTOFREE char *arg = xstrdup(o->arg ? o->arg : "");
	struct pty_options options = {.cols = o->cols ? o->cols : COLS, .rows = o->rows ? o->rows : ROWS,
				      .term = o->term ? o->term : "xterm-256color", .env = env, .argv = argv,
				      .ignore_hup = o->ignore_hup, .limit_core = true};

	if (o->arg)
		argv[5] = arg;
	emulator_init(&run->emulator, options.cols, options.rows);
	pty_start(&run->pty, &options);
	emulator_attach(&run->emulator, &run->pty);
}

/* Until a row has the text; false when it does not come. */
static bool wait_for(struct run *run, int from, const char *text)
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
static void run_shown(struct run *run, const struct run_options *o)
{
	run_start(run, o);
	if (!wait_for(run, 0, "SIMULATED") || !wait_for(run, 2, " %"))
		fail_msg("no screen came, but: %.*s", (int)run->pty.out.n, run->pty.out.p ? run->pty.out.p : "");
}

static void run_stop(struct run *run)
{
	pty_stop(&run->pty);
	emulator_fini(&run->emulator);
}

static void quit(struct run *run)
{
	unsigned n = run->pty.n_reports;

	pty_send(&run->pty, "q");
	assert_true(pty_wait_report(&run->pty, n));
	assert_true(WIFEXITED(run->pty.report.status));
	assert_int_equal(WEXITSTATUS(run->pty.report.status), 0);
}

static void assert_as_before(struct run *run)
{
	const char *complaint = emulator_complaint(&run->emulator);

	if (complaint)
		fail_msg("%s", complaint);
	assert_true(pty_same_modes(&run->pty.before, &run->pty.report.modes));
}

static void assert_frame(struct run *run)
{
	assert_non_null(strstr(emulator_row(&run->emulator, 0), "SIMULATED"));
	assert_non_null(strstr(emulator_row(&run->emulator, 1), "Overview"));
	assert_non_null(strstr(emulator_row(&run->emulator, -1), "quit"));
}

/* ---- what is on the screen ---- */

static void the_first_screen_says_what_it_shows(void **state)
{
	struct run run;

	(void)state;
	run_shown(&run, &(struct run_options){0});
	assert_frame(&run);
	assert_non_null(strstr(emulator_row(&run.emulator, 0), "Mali-G715"));
	assert_non_null(strstr(emulator_row(&run.emulator, 1), " 1 Overview"));
	assert_non_null(strstr(emulator_row(&run.emulator, 1), "? help"));
	assert_true(run.emulator.alternate);
	assert_false(run.emulator.cursor_visible);
	assert_int_equal(run.emulator.mouse, VTERM_PROP_MOUSE_CLICK);
	quit(&run);
	assert_as_before(&run);
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
	for (int i = 0; i < 100 && !tab_is_on(run, digit); i++)
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

static void a_digit_shows_its_view(void **state)
{
	struct run run;
	char digits[11];
	unsigned n;

	(void)state;
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
	quit(&run);
	run_stop(&run);
}

static void views_go_round_in_both_directions(void **state)
{
	static const struct {
		const char *key;
		int by;
	} cases[] = {{"\t", 1}, {"\x1b[C", 1}, {"\x1bOC", 1}, {"\x1b[Z", -1}, {"\x1b[D", -1}, {"\x1bOD", -1}};
	struct run run;
	char digits[11];
	unsigned n, at = 0;

	(void)state;
	run_shown(&run, &(struct run_options){.cols = 140});
	n = tabs(&run, digits);
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++)
		for (unsigned step = 0; step < n; step++) {
			at = (at + n + (unsigned)cases[i].by) % n;
			pty_send(&run.pty, cases[i].key);
			if (!wait_tab(&run, digits[at]))
				fail_msg("key %u: not view %c", i, digits[at]);
		}
	quit(&run);
	run_stop(&run);
}

static void a_click_on_a_tab_shows_its_view(void **state)
{
	struct run run;
	char click[64];

	(void)state;
	run_shown(&run, &(struct run_options){.cols = 140});
	snprintf(click, sizeof(click), "\x1b[<0;%d;2M\x1b[<0;%d;2m", tab_column(&run, '2') + 2, tab_column(&run, '2') + 2);
	pty_send(&run.pty, click);
	assert_true(wait_tab(&run, '2'));
	/* a click below the tabs is none on them */
	snprintf(click, sizeof(click), "\x1b[<0;%d;5M", tab_column(&run, '1') + 2);
	pty_send(&run.pty, click);
	pty_read_for(&run.pty, 300);
	assert_true(tab_is_on(&run, '2'));
	quit(&run);
	run_stop(&run);
}

static void help_comes_and_goes(void **state)
{
	static const char *const keys[] = {"?", "h", "\x1bOP", "\x1b[[A"};
	struct run run;

	(void)state;
	run_shown(&run, &(struct run_options){0});
	for (unsigned i = 0; i < ARRAY_LEN(keys); i++) {
		pty_send(&run.pty, keys[i]);
		if (!wait_for(&run, 1, "PgUp"))
			fail_msg("no help by key %u", i);
		pty_send(&run.pty, i % 2 ? keys[i] : "\x1b");
		for (int wait = 0; wait < 100 && emulator_find(&run.emulator, 1, "PgUp") >= 0; wait++)
			pty_read_for(&run.pty, 20);
		if (emulator_find(&run.emulator, 1, "PgUp") >= 0)
			fail_msg("help stays after key %u", i);
	}
	quit(&run);
	run_stop(&run);
}

/* ---- pause: nothing moves, and nothing is written ---- */

static void a_paused_screen_stands_still_and_writes_nothing(void **state)
{
	struct run run;
	size_t from;

	(void)state;
	run_shown(&run, &(struct run_options){.refresh = "-r500ms"});
	pty_send(&run.pty, " ");
	assert_true(wait_for(&run, 0, "PAUSED"));
	pty_read_for(&run.pty, 700);
	from = run.pty.out.n;
	pty_read_for(&run.pty, 2000);
	assert_in_range(run.pty.out.n - from, 0, 400); /* the time of day, the seconds back */
	pty_send(&run.pty, "<<<");
	assert_true(wait_for(&run, 0, "PAUSED"));
	pty_send(&run.pty, "> ");
	for (int i = 0; i < 100 && emulator_find(&run.emulator, 0, "PAUSED") >= 0; i++)
		pty_read_for(&run.pty, 20);
	assert_int_equal(emulator_find(&run.emulator, 0, "PAUSED"), -1);
	from = run.pty.out.n;
	pty_read_for(&run.pty, 1000);
	assert_true(run.pty.out.n > from); /* it moves again */
	quit(&run);
	run_stop(&run);
}

/* ---- keys that must not harm ---- */

static void no_key_in_any_view_harms(void **state)
{
	static const char *const keys[] = {
		"\x1b[A", "\x1b[B", "\x1b[5~", "\x1b[6~", "\x1b[H", "\x1b[F", "\x1bOA", "\x1bOB", "\x1b[<64;3;9M", "\x1b[<65;3;9M",
		"+", "+", "-", "-", "-", "=", "c", "c", "a", "a", "<", ">", ",", ".", " ", " ", "\r", "\x7f",
		/* what no key sends */
		"\x1b[999;999;999;999;999R", "\x1b[?2026;2$y", "\x1b[200~", "\x1b[<99999;99999;99999M", "\x1b[M", "\xff\xfe\x80",
		"\x1b\x1b\x1b", "\xc3\xa4", "zZxX|~", "\x01\x02\x04\x05\x06",
	};
	struct run run;
	char digits[11];
	unsigned n;

	(void)state;
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
	assert_true(wait_for(&run, 0, "SIMULATED"));
	quit(&run);
	assert_as_before(&run);
	run_stop(&run);
}

/* ---- sizes ---- */

static void any_size_any_time(void **state)
{
	static const struct {
		int cols, rows;
	} sizes[] = {
		{1, 1}, {500, 200}, {2, 1}, {1, 2}, {40, 10}, {39, 9}, {80, 24}, {500, 1}, {1, 200}, {200, 60}, {10, 50}, {79, 23},
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
		emulator_resize(&run.emulator, &run.pty, 1 + (int)(random >> 16) % 500, 1 + (int)(random >> 8) % 200);
		if (!pty_read_for(&run.pty, 2))
			fail_msg("ended in the storm");
	}
	/* what remains is one clean frame */
	emulator_resize(&run.emulator, &run.pty, COLS, ROWS);
	pty_read_for(&run.pty, 1000);
	assert_frame(&run);
	quit(&run);
	run_stop(&run);
}

static void a_tiny_terminal_is_told_to_grow(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, &(struct run_options){.cols = 20, .rows = 5});
	pty_read_for(&run.pty, 1500);
	assert_true(emulator_row(&run.emulator, 0)[0] != '\0');
	assert_int_equal(emulator_find(&run.emulator, 0, "quit"), -1);
	quit(&run);
	run_stop(&run);
}

static void a_large_terminal_has_no_leftovers(void **state)
{
	struct run run;

	(void)state;
	run_shown(&run, &(struct run_options){.cols = 500, .rows = 200});
	assert_frame(&run);
	emulator_resize(&run.emulator, &run.pty, COLS, ROWS);
	pty_read_for(&run.pty, 1000);
	assert_frame(&run);
	assert_int_equal(emulator_find(&run.emulator, 1, "SIMULATED"), -1);
	quit(&run);
	assert_as_before(&run);
	run_stop(&run);
}

/* ---- ends ---- */

static void every_end_leaves_the_terminal_as_it_was(void **state)
{
	static const struct {
		const char *key;
		int send, killed_by;
	} cases[] = {
		{"q", 0, 0},           {"\x03", 0, SIGINT},     {"\x1c", 0, SIGQUIT},   {NULL, SIGINT, SIGINT},   {NULL, SIGTERM, SIGTERM},
		{NULL, SIGHUP, SIGHUP}, {NULL, SIGQUIT, SIGQUIT}, {NULL, SIGSEGV, SIGSEGV}, {NULL, SIGABRT, SIGABRT}, {NULL, SIGBUS, SIGBUS},
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
		if (cases[i].killed_by != (WIFSIGNALED(run.pty.report.status) ? WTERMSIG(run.pty.report.status) : 0))
			fail_msg("case %u: status %x", i, (unsigned)run.pty.report.status);
		assert_as_before(&run);
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
	assert_true(wait_for(&run, 0, "SIMULATED"));
	pty_read_for(&run.pty, 300);
	assert_frame(&run);
	quit(&run);
	assert_false(run.emulator.alternate);
	assert_true(pty_same_modes(&run.pty.before, &run.pty.report.modes));
	run_stop(&run);
}

static int64_t cpu_ns(pid_t pid)
{
	struct timespec ts;
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
	assert_int_equal(clock_gettime(clock, &ts), 0);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static void a_terminal_that_hung_up_leaves_no_orphan(void **state)
{
	struct run run;
	int64_t before_ns;

	(void)state;
	run_shown(&run, &(struct run_options){.ignore_hup = true});
	before_ns = cpu_ns(run.pty.job);
	pty_hang_up(&run.pty);
	assert_true(pty_wait_report(&run.pty, 0));
	assert_in_range(run.pty.report.cpu_us * INT64_C(1000) - before_ns, 0, 50000000);
	run_stop(&run);
}

/* ---- terminals ---- */

static bool has_colour(struct run *run)
{
	for (int row = 0; row < ROWS; row++)
		for (int col = 0; col < COLS; col++) {
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

		run_shown(&run, &(struct run_options){.term = cases[i].term, .env = cases[i].env, .arg = cases[i].arg});
		pty_read_for(&run.pty, 500);
		assert_frame(&run);
		if (is_ascii(&run.pty.out) != cases[i].ascii || has_colour(&run) != cases[i].colour)
			fail_msg("case %u (%s): ascii %d colour %d", i, cases[i].term, is_ascii(&run.pty.out), has_colour(&run));
		if (pty_wrote(&run.pty, 0, "\x1b[?1006h") != cases[i].modern || pty_wrote(&run.pty, 0, "\x1b[?2026h") != cases[i].modern)
			fail_msg("case %u (%s): private modes", i, cases[i].term);
		quit(&run);
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
		cmocka_unit_test(the_first_screen_says_what_it_shows),
		cmocka_unit_test(a_digit_shows_its_view),
		cmocka_unit_test(views_go_round_in_both_directions),
		cmocka_unit_test(a_click_on_a_tab_shows_its_view),
		cmocka_unit_test(help_comes_and_goes),
		cmocka_unit_test(a_paused_screen_stands_still_and_writes_nothing),
		cmocka_unit_test(no_key_in_any_view_harms),
		cmocka_unit_test(any_size_any_time),
		cmocka_unit_test(a_tiny_terminal_is_told_to_grow),
		cmocka_unit_test(a_large_terminal_has_no_leftovers),
		cmocka_unit_test(every_end_leaves_the_terminal_as_it_was),
		cmocka_unit_test(stopped_and_continued_it_goes_on),
		cmocka_unit_test(a_terminal_that_hung_up_leaves_no_orphan),
		cmocka_unit_test(any_terminal_will_do),
		cmocka_unit_test(a_terminal_without_a_cursor_is_refused_in_one_line),
	};
	const char *name = getenv("MALITOP");

	program = realpath(name ? name : "./malitop", NULL);
	if (!program) {
		fprintf(stderr, "%s: %s: set MALITOP to the program\n", name ? name : "./malitop", strerror(errno));
		return 1;
	}
	alarm(300); /* a test that hangs has failed */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
