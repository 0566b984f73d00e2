/* The real program over fake Mali devices that take their time, go, come back, and are several. */
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
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define G52 "driver=r44p0 gpu=0x74021000 cores=0x3"
#define G78 "driver=r46p0 gpu=0x90820000 cores=0x5b3 slices=2"
#define SPLASH "malitop  opening the GPU driver"

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* ---- a driver that takes its time ---- */

static void a_slow_driver_is_waited_for_with_a_screen_that_says_so(void **state)
{
	static const char *const terms[] = {"xterm-256color", "linux", "vt100"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(terms); i++) {
		int64_t start = now_ms();
		struct run run;

		run_start(&run, &(struct run_options){.devices = G52, .env = "FAKEMALI_OPEN_MS=1500", .term = terms[i]});
		assert_true(run_wait(&run, 0, SPLASH));
		assert_true(now_ms() - start < 2000);
		assert_non_null(strstr(emulator_row(&run.emulator, -1), "quit"));
		emulator_resize(&run.emulator, &run.pty, 80, 24);
		assert_true(run_wait(&run, 0, "1 s"));
		assert_non_null(strstr(emulator_row(&run.emulator, 0), SPLASH));
		assert_true(run_wait(&run, 0, "Mali-G52 2 cores"));
		assert_true(run_wait(&run, 2, "/s"));
		assert_int_equal(emulator_find(&run.emulator, 0, "opening"), -1);
		run_quit(&run);
		assert_true(pty_same_modes(&run.pty.before, &run.pty.report.modes));
		run_stop(&run);
	}
}

static void a_driver_that_opens_at_once_has_no_such_screen(void **state)
{
	struct run run;

	(void)state;
	run_shown(&run, &(struct run_options){.devices = G52});
	assert_false(pty_wrote(&run.pty, 0, "opening"));
	run_quit(&run);
	run_stop(&run);
}

static void a_driver_that_never_opens_can_be_left(void **state)
{
	static const struct {
		const char *key;
		int send, killed_by;
	} cases[] = {{"q", 0, 0}, {"\x03", 0, SIGINT}, {NULL, SIGTERM, SIGTERM}, {NULL, SIGHUP, SIGHUP}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t start;
		struct run run;

		run_start(&run, &(struct run_options){.devices = G52, .env = "FAKEMALI_OPEN_MS=100000"});
		assert_true(run_wait(&run, 0, SPLASH));
		start = now_ms();
		if (cases[i].key)
			pty_send(&run.pty, cases[i].key);
		else
			pty_signal(&run.pty, cases[i].send);
		assert_true(pty_wait_report(&run.pty, 0));
		assert_true(now_ms() - start < 1000);
		if (cases[i].killed_by != (WIFSIGNALED(run.pty.report.status) ? WTERMSIG(run.pty.report.status) : 0) ||
		    (!cases[i].killed_by && WEXITSTATUS(run.pty.report.status) != 0))
			fail_msg("case %zu: status %x", i, (unsigned)run.pty.report.status);
		run_assert_as_before(&run);
		run_stop(&run);
	}
}

static void what_fails_late_says_so_on_the_terminal_as_it_was(void **state)
{
	struct run run;

	(void)state;
	run_start(&run, &(struct run_options){
				.devices = G78, .env = "FAKEMALI_OPEN_MS=700", .arg = "--definitions=guide", .cols = 160});
	assert_true(run_wait(&run, 0, SPLASH));
	assert_true(pty_wait_report(&run.pty, 0));
	assert_int_equal(WEXITSTATUS(run.pty.report.status), 2);
	assert_false(run.emulator.alternate);
	assert_true(emulator_find(&run.emulator, 0, "malitop: --definitions guide: Mali-G78 has no guide") >= 0);
	assert_true(pty_same_modes(&run.pty.before, &run.pty.report.modes));
	run_stop(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_driver_is_waited_for_with_a_screen_that_says_so),
		cmocka_unit_test(a_driver_that_opens_at_once_has_no_such_screen),
		cmocka_unit_test(a_driver_that_never_opens_can_be_left),
		cmocka_unit_test(what_fails_late_says_so_on_the_terminal_as_it_was),
	};

	if (!run_find_program())
		return 1;
	if (!run_has_fake())
		return 77;
	alarm(300); /* a test that hangs has failed */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
