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
#define G715 "driver=r54p1 gpu=0xb8520000 cores=0x5b3 slices=2 values=128 clocks=2"
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

/* ---- a device that goes ---- */

static void wait_gone(struct run *run, const char *text)
{
	for (int i = 0; i < 200 && emulator_find(&run->emulator, 0, text) >= 0; i++)
		pty_read_for(&run->pty, 50);
	assert_int_equal(emulator_find(&run->emulator, 0, text), -1);
}

/* How often a log has the text. */
static unsigned count(const char *path, const char *text)
{
	char line[65536];
	FILE *f = fopen(path, "re");
	unsigned n = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		n += strstr(line, text) != NULL;
	fclose(f);
	return n;
}

static void a_device_that_goes_is_waited_for_and_the_rest_goes_on(void **state)
{
	char dir[] = "/tmp/malitop-life-XXXXXX";
	AUTOFREE char *path = NULL, *arg = NULL;
	struct run run;

	(void)state;
	assert_non_null(mkdtemp(dir));
	path = xasprintf("%s/log.csv", dir);
	arg = xasprintf("--log=%s", path);
	run_shown(&run, &(struct run_options){.devices = G715 " gone=1500-3500", .arg = arg, .cols = 160});
	assert_true(run_wait(&run, 0, "850 of 850 MHz"));
	assert_true(run_wait(&run, 0, "GPU gone, trying again"));
	assert_non_null(strstr(emulator_row(&run.emulator, -1), "Mali-G715 7 cores: the device is gone; trying again every 3 s"));
	assert_true(run_wait(&run, 0, "\u2013 of 850 MHz"));
	pty_send(&run.pty, "9");
	assert_true(run_wait(&run, 1, "CPU")); /* the CPU is measured all the time */
	pty_send(&run.pty, "?");
	assert_true(run_wait(&run, 2, "Mali-G715 7 cores, kbase r54p1: gone, trying again"));
	pty_send(&run.pty, "?");
	wait_gone(&run, "GPU gone");
	assert_true(run_wait(&run, 2, "Mali-G715 7 cores: is back"));
	assert_true(run_wait(&run, 0, "850 of 850 MHz"));
	pty_read_for(&run.pty, 500);
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
	assert_int_equal(count(path, ",gap,"), 1);
	assert_true(count(path, ",0.100") > 10);
	unlink(path);
	rmdir(dir);
}

/* ---- several GPUs ---- */

#define THREE G78 ";" G715 ";driver=r16p0 gpu=0x07200000 cores=0x7f slices=2 v4"

static void wait_header(struct run *run, const char *text)
{
	if (!run_wait(run, 0, text) || emulator_find(&run->emulator, 0, text) != 0)
		fail_msg("no '%s', but '%s'", text, emulator_row(&run->emulator, 0));
}

static void a_key_shows_the_next_of_several_gpus(void **state)
{
	struct run run;

	(void)state;
	run_shown(&run, &(struct run_options){.devices = THREE, .cols = 160});
	wait_header(&run, "Mali-G78 7 cores (GPU 1 of 3)");
	assert_true(run_wait(&run, 25, "g GPU"));
	pty_send(&run.pty, "3");
	assert_true(run_wait(&run, 2, "External bandwidth"));
	pty_send(&run.pty, "g");
	wait_header(&run, "Mali-G715 7 cores (GPU 2 of 3)");
	wait_header(&run, "850 of 850 MHz"); /* its own */
	assert_true(run_wait(&run, 2, "External bandwidth"));
	pty_send(&run.pty, "g"); /* of this one little is known */
	wait_header(&run, "Mali-T720 7 cores, unknown (GPU 3 of 3)");
	assert_true(run_wait(&run, 2, "Front end counter"));
	pty_send(&run.pty, " g"); /* also while paused */
	wait_header(&run, "Mali-G78 7 cores (GPU 1 of 3)");
	wait_header(&run, "PAUSED");
	pty_send(&run.pty, " ?");
	assert_true(run_wait(&run, 2, "Show the next GPU"));
	assert_true(run_wait(&run, 2, "Mali-T720 7 cores, unknown, kbase"));
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
}

static void the_interval_is_that_of_the_gpu_shown(void **state)
{
	struct run run;

	(void)state;
	run_shown(&run, &(struct run_options){.devices = THREE, .cols = 160, .refresh = "-r500ms"});
	pty_send(&run.pty, "g+");
	wait_header(&run, "GPU 2 of 3");
	wait_header(&run, "200 ms, mean of");
	pty_send(&run.pty, "gg");
	wait_header(&run, "GPU 1 of 3");
	wait_header(&run, "100 ms, mean of");
	run_quit(&run);
	run_stop(&run);
}

static void a_device_by_name_is_shown_first(void **state)
{
	struct run run;

	(void)state;
	run_shown(&run, &(struct run_options){.devices = THREE, .cols = 160, .arg = "--device=/dev/mali1"});
	wait_header(&run, "Mali-G715 7 cores (GPU 2 of 3)");
	run_quit(&run);
	run_stop(&run);
	run_start(&run, &(struct run_options){.devices = THREE, .cols = 160, .arg = "--device=/dev/mali3"});
	assert_true(pty_wait_report(&run.pty, 0));
	assert_int_equal(WEXITSTATUS(run.pty.report.status), 1);
	assert_true(run_wait(&run, 0, "found a GPU there: there are /dev/mali0 /dev/mali1 /dev/mali2"));
	run_stop(&run);
}

static void one_gpu_has_no_number_and_no_key(void **state)
{
	struct run run;

	(void)state;
	run_shown(&run, &(struct run_options){.devices = G52, .cols = 160});
	assert_null(strstr(emulator_row(&run.emulator, 0), "GPU 1"));
	assert_null(strstr(emulator_row(&run.emulator, -1), "g GPU"));
	pty_send(&run.pty, "g?");
	assert_true(run_wait(&run, 2, "PgUp"));
	assert_int_equal(emulator_find(&run.emulator, 2, "Show the next GPU"), -1);
	run_quit(&run);
	run_stop(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_driver_is_waited_for_with_a_screen_that_says_so),
		cmocka_unit_test(a_driver_that_opens_at_once_has_no_such_screen),
		cmocka_unit_test(a_driver_that_never_opens_can_be_left),
		cmocka_unit_test(what_fails_late_says_so_on_the_terminal_as_it_was),
		cmocka_unit_test(a_device_that_goes_is_waited_for_and_the_rest_goes_on),
		cmocka_unit_test(a_key_shows_the_next_of_several_gpus),
		cmocka_unit_test(the_interval_is_that_of_the_gpu_shown),
		cmocka_unit_test(a_device_by_name_is_shown_first),
		cmocka_unit_test(one_gpu_has_no_number_and_no_key),
	};

	if (!run_find_program())
		return 1;
	if (!run_has_fake())
		return 77;
	alarm(300); /* a test that hangs has failed */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
