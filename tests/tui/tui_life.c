/* The real program over fake Mali devices and connections that take their time, go, come back, and
 * are several. */
#include "base/alloc.h"
#include "tests/support/test.h"
#include "tests/tui/run.h"
#include "tests/support/await.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define G52 "driver=r44p0 gpu=0x74021000 cores=0x3"
#define G78 "driver=r46p0 gpu=0x90820000 cores=0x5b3 slices=2"
#define G715 "driver=r54p1 gpu=0xb8520000 cores=0x5b3 slices=2 values=128 clocks=2"
#define SPLASH "malitop  opening the GPU driver"

/* A file that holds something up as long as it is there. */
struct hold {
	char path[32];
};

static void hold_name(struct hold *hold)
{
	int fd;

	strcpy(hold->path, "/tmp/malitop-hold-XXXXXX");
	fd = mkstemp(hold->path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(unlink(hold->path), 0);
}

static void hold_begin(const struct hold *hold)
{
	int fd = open(hold->path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static void hold_end(const struct hold *hold)
{
	assert_int_equal(unlink(hold->path), 0);
}

/* What makes opening last until hold_end, for the environment. */
static char *hold_opening(struct hold *hold)
{
	hold_name(hold);
	hold_begin(hold);
	return xasprintf("FAKEMALI_OPEN_HELD=%s", hold->path);
}

/* ---- a driver that takes its time ---- */

TEST(a_slow_driver_is_waited_for_with_a_screen_that_says_so)
{
	static const char *const terms[] = {"xterm-256color", "linux", "vt100"};

	for (size_t i = 0; i < ARRAY_LEN(terms); i++) {
		AUTOFREE char *env = NULL;
		struct hold hold;
		struct run run;

		env = hold_opening(&hold);
		run_start(&run, &(struct run_options){.devices = G52, .env = env, .term = terms[i]});
		assert_true(run_wait(&run, 0, SPLASH));
		assert_non_null(strstr(emulator_row(&run.emulator, -1), "quit"));
		emulator_resize(&run.emulator, &run.pty, 80, 24);
		assert_true(run_wait(&run, 0, "1 s"));
		assert_non_null(strstr(emulator_row(&run.emulator, 0), SPLASH));
		hold_end(&hold);
		assert_true(run_wait(&run, 0, "Mali-G52 2 cores"));
		assert_true(run_wait(&run, 2, "/s"));
		assert_int_equal(emulator_find(&run.emulator, 0, "opening"), -1);
		run_quit(&run);
		assert_true(pty_same_modes(&run.pty.before, &run.pty.report.modes));
		run_stop(&run);
	}
}

/* A connection that brings nothing: keys work meanwhile. One that asks gets the terminal. */
TEST(a_connection_is_waited_for_with_a_screen_that_takes_keys)
{
	static const struct {
		const char *key;
		int killed_by;
	} keys[] = {{"q", 0}, {"\x03", SIGINT}};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct run run;

		run_start(&run, &(struct run_options){.words = (const char *const[]){
							      "on", "cmd:exec sleep 1000; :", NULL}});
		assert_true(run_wait(&run, 0, "connecting to cmd:exec sleep"));
		pty_send(&run.pty, keys[i].key);
		assert_true(pty_wait_report(&run.pty, 0));
		assert_int_equal(run.pty.report.status, keys[i].killed_by); /* as of waitpid; 0 is success */
		run_assert_as_before(&run);
		run_stop(&run);
	}
}

TEST(a_connection_that_asks_for_a_password_gets_the_terminal)
{
	AUTOFREE char *where =
		xasprintf("cmd:asks() { sleep 1; stty -echo </dev/tty; printf 'Password: ' >/dev/tty; read p "
			  "</dev/tty; "
			  "stty echo </dev/tty; shift; [ \"$p\" = secret ] && exec %s \"$@\" --demo; }; asks",
			  run_program());
	struct run run;

	run_start(&run, &(struct run_options){.words = (const char *const[]){"on", where, NULL}});
	assert_true(run_wait(&run, 0, "connecting to cmd:asks"));
	assert_true(run_wait(&run, 0, "Password:"));
	pty_send(&run.pty, "secret\n");
	assert_true(run_wait(&run, 0, "REMOTE"));
	run_quit(&run);
	assert_true(pty_same_modes(&run.pty.before, &run.pty.report.modes));
	run_stop(&run);
}

TEST(a_driver_that_opens_at_once_has_no_such_screen)
{
	bool slow = true;

	for (int i = 0; i < 20 && slow; i++) { /* on a busy machine "at once" may take some runs */
		struct run run;

		run_shown(&run, &(struct run_options){.devices = G52});
		slow = pty_wrote(&run.pty, 0, "opening");
		run_quit(&run);
		run_stop(&run);
	}
	assert_false(slow);
}

static const struct end {
	const char *key;
	int send, killed_by;
} ends[] = {
	{"q", 0, 0},
	{"\x03", 0, SIGINT},
	{NULL, SIGINT, SIGINT},
	{NULL, SIGTERM, SIGTERM},
	{NULL, SIGHUP, SIGHUP},
};

static void end_run(struct run *run, const struct end *end)
{
	if (end->key)
		pty_send(&run->pty, end->key);
	else
		pty_signal(&run->pty, end->send);
	assert_true(pty_wait_report(&run->pty, 0));
	if (end->killed_by != (WIFSIGNALED(run->pty.report.status) ? WTERMSIG(run->pty.report.status) : 0) ||
	    (!end->killed_by && WEXITSTATUS(run->pty.report.status) != 0))
		fail_msg("end %zu: status %x", (size_t)(end - ends), (unsigned)run->pty.report.status);
}

TEST(a_driver_that_never_opens_can_be_left)
{
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		AUTOFREE char *env = NULL;
		struct hold hold;
		struct run run;

		env = hold_opening(&hold);
		run_start(&run, &(struct run_options){.devices = G52, .env = env});
		assert_true(run_wait(&run, 0, SPLASH));
		end_run(&run, &ends[i]); /* while the driver still hangs */
		hold_end(&hold);
		run_assert_as_before(&run);
		run_stop(&run);
	}
}

TEST(what_fails_late_says_so_on_the_terminal_as_it_was)
{
	AUTOFREE char *env = NULL;
	struct hold hold;
	struct run run;

	env = hold_opening(&hold);
	run_start(&run, &(struct run_options){
				.devices = G78, .env = env, .arg = "--definitions=guide", .cols = 160});
	assert_true(run_wait(&run, 0, SPLASH));
	hold_end(&hold);
	assert_true(pty_wait_report(&run.pty, 0));
	assert_int_equal(WEXITSTATUS(run.pty.report.status), 2);
	assert_false(run.emulator.alternate);
	assert_true(emulator_find(&run.emulator, 0, "malitop: --definitions guide: Mali-G78 has no guide") >=
		    0);
	assert_true(pty_same_modes(&run.pty.before, &run.pty.report.modes));
	run_stop(&run);
}

/* ---- a device that goes ---- */

static void wait_gone(struct run *run, const char *text)
{
	assert_true(run_wait_gone(run, 0, text));
}

/* How often a log has the text. */
static unsigned count_text(const char *path, const char *text)
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

/* Until the log has as many rows of an interval, and gaps. */
static void wait_rows(struct run *run, const char *path, unsigned rows, unsigned gaps)
{
	for (int i = 0; count_text(path, ",0.100") < rows || count_text(path, ",gap,") < gaps; i++) {
		assert_true(i < AWAIT_MS / 10);
		pty_read_for(&run->pty, 10);
	}
}

TEST(a_device_that_goes_is_waited_for_and_the_rest_goes_on)
{
	char dir[] = "/tmp/malitop-life-XXXXXX";
	AUTOFREE char *path = NULL, *arg = NULL, *gone = NULL, *devices = NULL;
	struct run run;
	FILE *f;

	assert_non_null(mkdtemp(dir));
	path = xasprintf("%s/log.csv", dir);
	arg = xasprintf("--log=%s", path);
	gone = xasprintf("%s/gone", dir);
	devices = xasprintf("%s gone=%s", G715, gone);
	run_shown(&run, &(struct run_options){.devices = devices, .arg = arg, .cols = 160, .rows = 60});
	assert_true(run_wait(&run, 0, "850 of 850 MHz"));
	wait_rows(&run, path, 5, 0);
	f = fopen(gone, "we");
	assert_non_null(f);
	fclose(f);
	assert_true(run_wait(&run, 0, "GPU gone, trying again"));
	assert_true(
		run_wait(&run, RUN_ALERT, "Mali-G715 7 cores: the device is gone; trying again every 3 s"));
	assert_true(run_wait(&run, 0, "\u2013 of 850 MHz"));
	pty_send(&run.pty, "9");
	assert_true(run_wait(&run, 1, "CPU")); /* the CPU is measured all the time */
	pty_send(&run.pty, "?");
	assert_true(run_wait(&run, 2, "Mali-G715 7 cores, kbase r54p1: gone, trying again"));
	pty_send(&run.pty, "?");
	assert_int_equal(unlink(gone), 0);
	wait_gone(&run, "GPU gone");
	assert_true(run_wait(&run, RUN_ALERT, "Mali-G715 7 cores: is back"));
	assert_true(run_wait(&run, 0, "850 of 850 MHz"));
	wait_rows(&run, path, 11, 1);
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
	assert_int_equal(count_text(path, ",gap,"), 1);
	unlink(path);
	rmdir(dir);
}

/* ---- a driver that does not answer ---- */

TEST(a_driver_that_does_not_answer_is_waited_for_and_the_rest_goes_on)
{
	AUTOFREE char *devices = NULL;
	struct hold hold;
	struct run run;

	hold_name(&hold);
	devices = xasprintf("%s hang=%s;%s clocks=2", G715, hold.path, G78);
	run_shown(&run, &(struct run_options){.devices = devices, .cols = 160, .rows = 60});
	hold_begin(&hold);
	assert_true(run_wait(&run, 0, "GPU silent for "));
	assert_true(run_wait(&run, RUN_ALERT, "Mali-G715 7 cores: not responding for "));
	pty_send(&run.pty, "?");
	assert_true(run_wait(&run, 2, "Mali-G715 7 cores, kbase r54p1: silent for "));
	pty_send(&run.pty, "?g");
	assert_true(run_wait(&run, 0, "Mali-G78 7 cores (GPU 2 of 2)"));
	assert_true(run_wait(&run, 0, "850 of 850 MHz")); /* the other one is measured */
	hold_end(&hold);
	assert_true(run_wait(&run, RUN_ALERT, "Mali-G715 7 cores: responds again"));
	pty_send(&run.pty, "g");
	assert_true(run_wait(&run, 0, "Mali-G715 7 cores (GPU 1 of 2)"));
	assert_true(run_wait(&run, 0, "850 of 850 MHz"));
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
}

TEST(every_end_works_while_a_driver_does_not_answer)
{
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		AUTOFREE char *devices = NULL;
		struct hold hold;
		struct run run;

		hold_name(&hold);
		devices = xasprintf("%s hang=%s", G52, hold.path);
		run_shown(&run, &(struct run_options){.devices = devices});
		hold_begin(&hold);
		assert_true(run_wait(&run, 0, "GPU silent for"));
		end_run(&run, &ends[i]); /* while it still hangs */
		hold_end(&hold);
		assert_false(run.emulator.alternate);
		assert_true(pty_same_modes(&run.pty.before, &run.pty.report.modes));
		assert_true(emulator_find(&run.emulator, 1,
					  "malitop: Mali-G52 2 cores: not responding for ") >= 0);
		run_stop(&run);
	}
}

/* ---- several GPUs ---- */

#define THREE G78 ";" G715 ";driver=r16p0 gpu=0x06500000 cores=0x7f slices=2 v4"

static void wait_header(struct run *run, const char *text)
{
	if (!run_wait(run, 0, text) || emulator_find(&run->emulator, 0, text) != 0)
		fail_msg("no '%s', but '%s'", text, emulator_row(&run->emulator, 0));
}

TEST(a_key_shows_the_next_of_several_gpus)
{
	struct run run;

	run_shown(&run, &(struct run_options){.devices = THREE, .cols = 160, .rows = 60});
	wait_header(&run, "Mali-G78 7 cores (GPU 1 of 3)");
	assert_true(run_wait(&run, 59, "g GPU"));
	pty_send(&run.pty, "3");
	assert_true(run_wait(&run, 2, "Bandwidth"));
	pty_send(&run.pty, "g");
	wait_header(&run, "Mali-G715 7 cores (GPU 2 of 3)");
	wait_header(&run, "850 of 850 MHz"); /* its own */
	assert_true(run_wait(&run, 2, "Bandwidth"));
	pty_send(&run.pty, "g"); /* of this one little is known */
	wait_header(&run, "Mali 0x6500000 7 cores, unknown (GPU 3 of 3)");
	assert_true(run_wait(&run, 2, "Front end counter"));
	pty_send(&run.pty, " g"); /* also while paused */
	wait_header(&run, "Mali-G78 7 cores (GPU 1 of 3)");
	wait_header(&run, "PAUSED");
	pty_send(&run.pty, " ?");
	assert_true(run_wait(&run, 2, "next GPU"));
	assert_true(run_wait(&run, 2, "Mali 0x6500000 7 cores, unknown, kbase"));
	pty_send(&run.pty, "?");
	wait_header(&run, "Mali-G78 7 cores (GPU 1 of 3)");
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
}

TEST(the_interval_is_that_of_the_gpu_shown)
{
	struct run run;

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

TEST(a_device_by_name_is_shown_first)
{
	struct run run;

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

TEST(one_gpu_has_no_number_and_no_key)
{
	struct run run;

	run_shown(&run, &(struct run_options){.devices = G52, .cols = 160});
	assert_null(strstr(emulator_row(&run.emulator, 0), "GPU 1"));
	assert_null(strstr(emulator_row(&run.emulator, -1), "g GPU"));
	pty_send(&run.pty, "g?");
	assert_true(run_wait(&run, 2, "PgUp"));
	assert_int_equal(emulator_find(&run.emulator, 2, "next GPU"), -1);
	pty_send(&run.pty, "?");
	assert_true(run_wait(&run, 0, "kbase r44p0"));
	run_quit(&run);
	run_stop(&run);
}

int main(void)
{
	if (!run_has_fake())
		return 77;
	return test_run();
}
