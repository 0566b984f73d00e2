/* The screen over the fake open drivers: what is done to the GPU by a key. */
#include "tests/support/fixture.h"
#include "tests/support/test.h"
#include "tests/tui/run.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICE "sys/class/drm/renderD128/device/"
#define PANFROST "FAKEDRM=panfrost-6.18 gpu=0x08602000 cores=0xf slices=1 unstable=1"

static struct fixture files;
static char *boards_dir;

/* The program writes its logs where it is. */
FIXTURE(set_up)
{
	const char *srcdir = getenv("srcdir");
	AUTOFREE char *there = xasprintf("%s/tests/fixtures", srcdir ? srcdir : ".");
	static char dir[] = "/tmp/malitop-drm-XXXXXX";

	boards_dir = realpath(there, NULL);
	*state = dir;
	return boards_dir && mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

FIXTURE(tear_down)
{
	AUTOFREE char *remove = xasprintf("rm -rf %s", (char *)*state);

	free(boards_dir);
	return chdir("/") + system(remove);
}

static void begin_run(struct run *run, const char *nodes)
{
	fixture_init(&files, NULL);
	fixture_write(&files, DEVICE "uevent", "DRIVER=panfrost\n");
	fixture_write(&files, DEVICE "profiling", "0\n");
	fixture_write(&files, DEVICE "power/runtime_status", "active\n");
	setenv("FAKEMALI_ROOT", files.root, 1);
	AUTOFREE char *counts = xasprintf("%s/counts", files.root);

	setenv("FAKEDRM_COUNTS", counts, 1);
	run_start(run, &(struct run_options){.devices = "", .env = nodes, .cols = 160, .rows = 48});
	if (!run_wait(run, 0, " mean of"))
		fail_msg("no screen came, but: %.*s", (int)run->pty.out.n,
			 run->pty.out.p ? run->pty.out.p : "");
}

static void end_run(struct run *run)
{
	run_quit(run);
	run_assert_as_before(run);
	run_stop(run);
	fixture_fini(&files);
}

static bool has_note(void)
{
	AUTOFREE char *path = xasprintf("%s/run/malitop-profiling-renderD128", files.root);

	assert_int_not_equal(access("/run/malitop-profiling-renderD128", F_OK), 0);
	return access(path, F_OK) == 0;
}

static bool switch_is(const char *value)
{
	AUTOFREE char *path = xasprintf("%s/" DEVICE "profiling", files.root);
	char text[8] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	return strncmp(text, value, strlen(value)) == 0;
}

static bool wait_switch(const char *value)
{
	for (int i = 0; i < 600 && !switch_is(value); i++)
		usleep(100000);
	return switch_is(value);
}

TEST(a_key_stops_counting_so_that_the_gpu_may_sleep_and_goes_on)
{
	struct run run;

	begin_run(&run, PANFROST);
	assert_true(run_wait(&run, 0, "Mali-T860 4 cores"));
	pty_send(&run.pty, "C");
	assert_true(run_wait(&run, 0, "may sleep"));
	pty_send(&run.pty, "C");
	assert_true(run_wait_gone(&run, 0, "may sleep"));
	assert_true(run_wait(&run, 0, " mean of"));
	end_run(&run);
}

TEST(a_key_profiles_after_a_question_and_the_end_puts_the_old_value_back)
{
	struct run run;

	begin_run(&run, PANFROST);
	pty_send(&run.pty, "J");
	assert_true(run_wait(&run, 40, "time all jobs of the GPU"));
	pty_send(&run.pty, "n");
	assert_true(run_wait_gone(&run, 40, "time all jobs of the GPU"));
	assert_true(switch_is("0"));
	pty_send(&run.pty, "Jy");
	assert_true(wait_switch("1"));
	assert_true(has_note());
	assert_true(run_wait(&run, 0, " mean of"));
	pty_send(&run.pty, "J"); /* no question */
	assert_true(wait_switch("0"));
	pty_send(&run.pty, "Jy");
	assert_true(wait_switch("1"));
	run_quit(&run);
	assert_true(switch_is("0"));
	assert_false(has_note());
	run_stop(&run);
	fixture_fini(&files);
}

/* How often the fake's counters were enabled, once the program has ended. Nothing else woke it. */
static unsigned count_enables(void)
{
	AUTOFREE char *path = xasprintf("%s/counts", files.root);
	unsigned enables, wakes;
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "renderD128 enables %u wakes %u", &enables, &wakes), 2);
	fclose(f);
	assert_int_equal(wakes, 0);
	return enables;
}

TEST(a_screen_that_is_paused_for_good_lets_the_gpu_sleep)
{
	struct run run;

	begin_run(&run, PANFROST);
	run_press(&run, " ", 0, "PAUSED");
	assert_true(run_wait(&run, 0, "not measured while paused"));
	run_press(&run, "C", RUN_ALERT, "space resumes");
	assert_true(run_wait(&run, 0, "not measured while paused"));
	pty_send(&run.pty, " ");
	assert_true(run_wait_gone(&run, 0, "not measured while paused"));
	assert_true(run_wait(&run, 0, " mean of"));
	run_press(&run, " ", 0, "PAUSED");
	assert_true(run_wait(&run, 0, "not measured while paused"));
	run_press(&run, "l", 0, "REC"); /* a log needs it */
	assert_true(run_wait_gone(&run, 0, "not measured while paused"));
	run_quit(&run);
	run_stop(&run);
	/* At the start and at each return: to see who has them, and to count. */
	assert_in_range(count_enables(), 5, 6);
	fixture_fini(&files);
}

TEST(the_counters_come_back_when_the_program_that_had_them_ends)
{
	char taken[] = "/tmp/malitop-taken-XXXXXX";
	int fd = mkstemp(taken);
	AUTOFREE char *nodes = xasprintf(PANFROST " taken=%s", taken);
	struct run run;

	assert_true(fd >= 0);
	close(fd);
	begin_run(&run, nodes);
	assert_true(run_wait(&run, 0, "no counters"));
	assert_int_equal(unlink(taken), 0);
	assert_true(run_wait_gone(&run, 0, "no counters"));
	assert_true(run_wait(&run, 2, "Shader cores"));
	end_run(&run);
}

TEST(beside_a_program_that_counts_the_rest_is_shown_and_why)
{
	struct run run;

	begin_run(&run, PANFROST " taken=1");
	assert_true(run_wait(&run, 0, "no counters"));
	assert_true(run_wait(&run, 1, "What is missing"));
	assert_true(run_wait(&run, 1, "another program uses them"));
	end_run(&run);
}

/* The trees of tests/fixtures; a tab must not end the program whatever the board lacks. */
TEST(every_board_is_live_in_every_view)
{
	static const struct {
		const char *board, *nodes, *devices, *title;
	} boards[] = {
		{"rk3399-panfrost", PANFROST, "", "Mali-T860 4 cores"},
		{"mt8192-panfrost", "FAKEDRM=panfrost-6.10 gpu=0x90931000 cores=0x1f", "",
		 "Mali-G57 5 cores"},
		{"rk3588-panthor", "FAKEDRM=vkms; panthor-6.18 gpu=0xa8670000 cores=0x50005 slices=4", "",
		 "Mali-G610 4 cores"},
		{"rk3399-kbase", NULL, "driver=r16p0 gpu=0x08602000 cores=0xf", "Mali-T860 4 cores"},
	};

	for (size_t i = 0; i < ARRAY_LEN(boards); i++) {
		AUTOFREE char *root = xasprintf("%s/%s", boards_dir, boards[i].board);
		struct run run;

		setenv("FAKEMALI_ROOT", root, 1);
		run_start(&run, &(struct run_options){.devices = boards[i].devices, .env = boards[i].nodes});
		if (!run_wait(&run, 0, boards[i].title) || !run_wait(&run, 0, " mean of"))
			fail_msg("%s: %s", boards[i].board, emulator_row(&run.emulator, 0));
		for (const char *key = "2345678901acC J"; *key; key++)
			pty_send(&run.pty, (char[]){*key, 0});
		pty_send(&run.pty, "n");
		run_quit(&run);
		run_assert_as_before(&run);
		run_stop(&run);
	}
}

TEST_GROUP(set_up, tear_down)

int main(void)
{
	if (!run_has_fake())
		return 77;
	return test_run();
}
