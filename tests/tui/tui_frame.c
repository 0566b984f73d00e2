/* The Frame view of the real program: live over simulated frames, and over a log of them. */
#include "tests/support/frame_log.h"
#include "tests/support/test.h"
#include "tests/tui/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COLS 120
#define ROWS 48

static char directory[] = "/tmp/malitop-frame-XXXXXX", log_path[64];

FIXTURE(write_log)
{
	const char *program = getenv("MALITOP");
	char command[256];

	assert_non_null(mkdtemp(directory));
	snprintf(log_path, sizeof(log_path), "%s/run.mlog", directory);
	snprintf(command, sizeof(command), "%s record --demo=serialised -o %s -d 2s 2>%s/messages",
		 program ? program : "./malitop", log_path, directory);
	return system(command);
}

FIXTURE(remove_log)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/messages", directory);
	unlink(path);
	unlink(log_path);
	return rmdir(directory);
}

static void press_key(struct run *run, const char *keys, const char *wanted)
{
	pty_send(&run->pty, keys);
	if (run_wait(run, 0, wanted))
		return;
	for (int row = 0; row < run->emulator.rows; row++)
		print_error("%s\n", emulator_row(&run->emulator, row));
	fail_msg("after '%s': no '%s'", keys, wanted);
}

/* The last row of the view is a pass: Up selects it, Enter shows it alone. */
TEST(the_frame_view_leads_to_one_pass_and_back)
{
	static const struct {
		bool replays;
		const char *arg, *mode, *pass;
	} cases[] = {{false, "-bsim", "SIMULATED", "shadow map"},
		     {true, "--speed=0.1", "REPLAY run.mlog", "light culling"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct run run;

		run_shown(&run, &(struct run_options){.cols = COLS,
						      .rows = ROWS,
						      .arg = cases[i].arg,
						      .log = cases[i].replays ? log_path : NULL});
		assert_true(run_wait(&run, 0, cases[i].mode));
		press_key(&run, "f", "One frame");
		assert_true(run_wait(&run, 0, "com.example.game, pid 5207"));
		assert_true(run_wait(&run, 0, cases[i].pass));
		assert_true(run_wait(&run, 0, "of budget"));
		press_key(&run, "\033[A\r", "from start to end");
		assert_true(run_wait(&run, 0, "meanwhile"));
		assert_true(run_wait(&run, 0, "fragment queue"));
		press_key(&run, "\033", "One frame");
		run_quit(&run);
		run_assert_as_before(&run);
		run_stop(&run);
	}
}

/* One of 304 ms among 10,000 of 16: with three keys, and as the next late one. */
TEST(the_longest_frame_of_a_log_is_three_keys_away)
{
	const struct frame_log log = {.frames = 10000, .late = 4711, .late_ns = 304000000};
	static const char *const ways[] = {"W\r", "o"};
	char path[96];

	snprintf(path, sizeof(path), "%s/worst.mlog", directory);
	assert_true(frame_log_write(&log, path));
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct run run;

		run_start(&run,
			  &(struct run_options){.cols = COLS, .rows = ROWS, .arg = "--speed=1", .log = path});
		assert_true(run_wait(&run, 0, "REPLAY worst.mlog"));
		press_key(&run, "f", "16.0 ms  frame ");
		press_key(&run, ways[i], "304.0 ms  frame 4711");
		assert_true(run_wait(&run, 0, "late 287.3 ms"));
		assert_true(run_wait(&run, 0, "scene 298.00"));
		run_quit(&run);
		run_stop(&run);
	}
	unlink(path);
}

/* An hour with three late frames: W lists them by what they took, each with its cause; a few more
 * keys show the frame itself. */
TEST(three_causes_are_named_within_four_keys)
{
	static const struct {
		const char *keys, *cause, *frame;
	} cases[] = {{"W\r", "scene", "304.0 ms  frame 47110"},
		     {"W\033[B\r", "CPU work", "120.0 ms  frame 150000"},
		     {"W\033[B\033[B\r", "waits, present", "90.0 ms  frame 99000"}};
	const struct frame_log log = {.frames = 225000,
				      .late = 47110,
				      .late_ns = 304000000,
				      .cpu_late = 150000,
				      .cpu_ns = 120000000,
				      .present_late = 99000,
				      .present_ns = 90000000};
	struct run run;
	char path[96];

	snprintf(path, sizeof(path), "%s/hour.mlog", directory);
	assert_true(frame_log_write(&log, path));
	run_start(&run,
		  &(struct run_options){.cols = COLS, .rows = ROWS, .arg = "--view=frame", .log = path});
	assert_true(run_wait(&run, 0, "REPLAY hour.mlog"));
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		press_key(&run, "W", cases[i].cause);
		press_key(&run, "W", "One frame");
		press_key(&run, cases[i].keys, cases[i].frame);
	}
	run_quit(&run);
	run_stop(&run);
	unlink(path);
}

/* Below the group are its three passes, then the last row. */
TEST(a_group_of_passes_is_folded_and_unfolded)
{
	const struct frame_log log = {.frames = 600, .passes = 4};
	struct run run;
	char path[96];

	snprintf(path, sizeof(path), "%s/groups.mlog", directory);
	assert_true(frame_log_write(&log, path));
	run_start(&run,
		  &(struct run_options){.cols = COLS, .rows = ROWS, .arg = "--view=frame", .log = path});
	assert_true(run_wait(&run, 0, "REPLAY groups.mlog"));
	assert_true(run_wait(&run, 0, "part 3"));
	press_key(&run, "\033[A\033[A\033[A\033[A\033[A\r", "group (3)");
	press_key(&run, "\r", "part 3");
	run_quit(&run);
	run_stop(&run);
	unlink(path);
}

TEST_GROUP(write_log, remove_log)
