/* The real program over logs: played, paused, sought, and left. */
#include "tests/tui/run.h"
#include "tests/support/log_bench.h"
#include "tests/support/people.h"

#include <signal.h>
#include <sys/wait.h>

#define BOTTOM (RUN_ROWS - 1)

static struct log_bench full, sums; /* two minutes with everything; sums only */

FIXTURE(write_logs)
{
	struct err err;

	log_begin(&full, &(struct log_what){{"G715"}, {100 * MS}, "mixed", true});
	for (int s = 1; s <= 120; s++) {
		struct process_list *list = people_list(false);

		log_until(&full, s * SECOND_NS);
		list->begin_ns = full.now_ns - SECOND_NS;
		list->end_ns = full.now_ns;
		assert_true(mlog_writer_processes(full.writer, list, &err));
		process_list_free(list);
		if (s == 30)
			log_note(&full, MLOG_NOTE_MARK, -1, 1, "level 2");
		log_flush(&full);
	}
	log_end(&full);
	log_begin(&sums, &(struct log_what){{"G52"}, {100 * MS}, "mixed", false});
	log_until(&sums, 10 * SECOND_NS);
	log_flush(&sums); /* cut off: no end */
	return 0;
}

FIXTURE(remove_logs)
{
	log_fini(&full);
	log_fini(&sums);
	return 0;
}

static void start_case(struct run *run, const struct log_bench *log, const char *arg)
{
	run_shown(run, &(struct run_options){.log = log->path, .arg = arg, .cols = 110});
	assert_true(run_wait(run, 0, "REPLAY run.mlog"));
}

TEST(a_log_is_played_paused_and_stepped)
{
	struct run run;

	start_case(&run, &full, "--from=20s");
	assert_true(run_wait_gone(&run, 0, "0:20."));
	run_press(&run, " ", 0, "PAUSED");
	run_press(&run, "j25s\r", 0, "0:25.0 of 2:00   21 %  PAUSED");
	run_press(&run, "<", 0, "0:24.9 of 2:00");
	run_press(&run, ",,,", 0, "0:24.6 of 2:00");
	run_press(&run, "..", 0, "0:24.8 of 2:00");
	run_press(&run, "]]", 0, "PAUSED x5"); /* a speed does not play */
	run_press(&run, " ", 0, "x5");
	run_press(&run, "[", 0, "x2");
	assert_true(run_wait_gone(&run, 0, "0:24."));
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
}

/* Two runs with the same marks: each phase beside the same one, from the start on. */
TEST(two_logs_are_compared_phase_by_phase)
{
	char baseline[128];
	struct run run;

	snprintf(baseline, sizeof(baseline), "--baseline=%s", full.path);
	start_case(&run, &full, baseline);
	run_press(&run, " j20s\r", 0, "COMPARED with run.mlog, start");
	run_press(&run, "j40s\r", 0, "COMPARED with run.mlog, level 2");
	run_press(&run, "j20s\r", 0, "COMPARED with run.mlog, start");
	run_quit(&run);
	run_stop(&run);
	snprintf(baseline, sizeof(baseline), "--baseline=%s", sums.path); /* has no marks */
	start_case(&run, &full, baseline);
	run_press(&run, " j40s\r", 0, "COMPARED with run.mlog  ");
	run_quit(&run);
	run_stop(&run);
}

TEST(where_to_go_is_typed)
{
	struct run run;

	start_case(&run, &full, NULL);
	run_press(&run, " ", 0, "PAUSED");
	run_press(&run, "j", BOTTOM, "go to: _");
	run_press(&run, "1q:4\x7f", BOTTOM, "go to: 1q:_"); /* a q is a letter here */
	run_press(&run, "\x7f\x7f:10", BOTTOM, "go to: 1:10_");
	run_press(&run, "\r", 0, "1:10.0 of 2:00   58 %");
	run_press(&run, "j+5s\r", 0, "1:15.0 of 2:00");
	run_press(&run, "j50%\r", 0, "1:00.0 of 2:00   50 %");
	run_press(&run, "jsoon\r", RUN_ALERT, "go to 'soon': not a time: try 90s");
	run_press(&run, "j5s", BOTTOM, "go to: 5s_");
	run_press(&run, "\x1b", 0, "1:00.0 of 2:00");
	run_press(&run, "j100%\r", 0, "END");
	run_press(&run, " ", 0, "x1"); /* from the start */
	assert_true(run_wait(&run, 0, " 0:0"));
	run_quit(&run);
	run_stop(&run);
}

TEST(marks_are_found_and_shown)
{
	struct run run;

	start_case(&run, &full, NULL);
	run_press(&run, "}", RUN_ALERT, "level 2 at 0:30.0");
	assert_true(run_wait(&run, 0, "0:30.0 of 2:00   25 %  PAUSED"));
	run_press(&run, "V", RUN_ALERT, "range: malitop export"); /* up to the next scene */
	assert_true(run_wait(&run, 0, "RANGE of "));
	run_press(&run, "j100%\r", 0, "2:00.0 of 2:00");
	run_press(&run, "}", RUN_ALERT, "no mark, loss or other scene after this point");
	run_press(&run, "V", RUN_ALERT, "range: malitop export");
	run_press(&run, "j29s\r", 0, "0:29.0 of 2:00");
	run_press(&run, " ", RUN_ALERT, "mark 1: level 2"); /* as it comes by */
	run_quit(&run);
	run_stop(&run);
}

TEST(all_views_are_there_and_only_keys_that_make_sense)
{
	static const struct {
		const char *key, *shown;
	} views[] = {{"2", "one queue alone"},
		     {"3", "Bandwidth"},
		     {"4", "Culling funnel"},
		     {"6", "Data path"},
		     {"1", "GPU active"}};
	struct run run;

	start_case(&run, &full, "--from=60s");
	for (size_t i = 0; i < ARRAY_LEN(views); i++)
		run_press(&run, views[i].key, 2, views[i].shown);
	run_press(&run, "6c", 2, "least");
	run_press(&run, "0", 2, "com.studio.game");
	run_press(&run, "k/surf", BOTTOM, "filter: surf");
	run_press(&run, "\r", 2, "filter surf: 1 shown");
	assert_int_equal(emulator_find(&run.emulator, 0, "signal"), -1);
	assert_int_equal(emulator_find(&run.emulator, 0, "count"), -1);
	run_press(&run, "?", 0, "go to a time");
	assert_int_equal(emulator_find(&run.emulator, 0, "shorter interval"), -1);
	assert_int_equal(emulator_find(&run.emulator, 0, "send a signal"), -1);
	run_press(&run, "q", 0, "REPLAY");
	run_quit(&run);
	run_stop(&run);
}

TEST(a_resize_redraws_a_paused_log)
{
	struct run run;

	start_case(&run, &full, "--from=90s");
	run_press(&run, " ", 0, "PAUSED");
	emulator_resize(&run.emulator, &run.pty, 80, 24);
	assert_true(run_wait(&run, 0, "PAUSED"));
	emulator_resize(&run.emulator, &run.pty, 160, 50);
	assert_true(run_wait(&run, 45, "quit"));
	run_assert_frame(&run);
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
}

TEST(what_was_cut_off_is_said_then_and_at_the_end)
{
	struct run run;

	fputs("half a block", sums.file);
	fflush(sums.file);
	start_case(&run, &sums, "--speed=100");
	assert_true(run_wait(&run, RUN_ALERT, "12 bytes at the end are an incomplete block"));
	assert_true(run_wait(&run, 0, "END"));
	run_press(&run, "c", RUN_ALERT, "per core: this log has only sums");
	run_quit(&run);
	assert_false(run.emulator.alternate);
	assert_true(emulator_find(&run.emulator, 0,
				  "run.mlog: 12 bytes at the end are an incomplete block") >= 0);
	run_stop(&run);
}

TEST(a_signal_ends_it_cleanly)
{
	struct run run;

	start_case(&run, &full, "--speed=100");
	pty_signal(&run.pty, SIGTERM);
	assert_true(pty_wait_report(&run.pty, 0));
	assert_true(WIFSIGNALED(run.pty.report.status) && WTERMSIG(run.pty.report.status) == SIGTERM);
	run_assert_as_before(&run);
	run_stop(&run);
}

TEST_GROUP(write_logs, remove_logs)
