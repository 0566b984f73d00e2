/* The real program over logs: played, paused, sought, and left. */
#include "tests/tui/run.h"
#include "tests/support/log_bench.h"
#include "tests/support/people.h"

#include <signal.h>
#include <sys/wait.h>

#define BOTTOM (RUN_ROWS - 1)

static struct log_bench full, sums; /* two minutes with everything; sums only */

static int write_logs(void **state)
{
	struct err err;

	(void)state;
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

static int remove_logs(void **state)
{
	(void)state;
	log_fini(&full);
	log_fini(&sums);
	return 0;
}

static void press(struct run *run, const char *keys, int from, const char *wanted)
{
	pty_send(&run->pty, keys);
	if (run_wait(run, from, wanted))
		return;
	for (int row = 0; row < run->emulator.rows; row++)
		print_error("%s\n", emulator_row(&run->emulator, row));
	fail_msg("after '%s': no '%s'", keys, wanted);
}

static void start(struct run *run, const struct log_bench *log, const char *arg)
{
	run_shown(run, &(struct run_options){.log = log->path, .arg = arg, .cols = 110});
	assert_true(run_wait(run, 0, "REPLAY run.mlog"));
}

static void a_log_is_played_paused_and_stepped(void **state)
{
	struct run run;

	(void)state;
	start(&run, &full, "--from=20s");
	assert_true(run_wait(&run, 0, "0:21."));
	press(&run, " ", 0, "PAUSED");
	press(&run, "j25s\r", 0, "0:25.0 of 2:00   21 %  PAUSED");
	press(&run, "<", 0, "0:24.9 of 2:00");
	press(&run, ",,,", 0, "0:24.6 of 2:00");
	press(&run, "..", 0, "0:24.8 of 2:00");
	press(&run, "]]", 0, "PAUSED"); /* a speed does not play */
	press(&run, " ", 0, "x5");
	press(&run, "[", 0, "x2");
	assert_true(run_wait(&run, 0, "0:26."));
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
}

static void where_to_go_is_typed(void **state)
{
	struct run run;

	(void)state;
	start(&run, &full, NULL);
	press(&run, " ", 0, "PAUSED");
	press(&run, "j", BOTTOM, "go to: _");
	press(&run, "1q:4\x7f", BOTTOM, "go to: 1q:_"); /* a q is a letter here */
	press(&run, "\x7f\x7f:10", BOTTOM, "go to: 1:10_");
	press(&run, "\r", 0, "1:10.0 of 2:00   58 %");
	press(&run, "j+5s\r", 0, "1:15.0 of 2:00");
	press(&run, "j50%\r", 0, "1:00.0 of 2:00   50 %");
	press(&run, "jsoon\r", BOTTOM, "go to 'soon': no moment: try 90s");
	press(&run, "j5s", BOTTOM, "go to: 5s_");
	press(&run, "\x1b", 0, "1:00.0 of 2:00");
	press(&run, "j100%\r", 0, "END");
	press(&run, " ", 0, "x1"); /* from the start */
	assert_true(run_wait(&run, 0, " 0:0"));
	run_quit(&run);
	run_stop(&run);
}

static void marks_are_found_and_told(void **state)
{
	struct run run;

	(void)state;
	start(&run, &full, NULL);
	press(&run, "}", BOTTOM, "level 2 at 0:30.0");
	assert_true(run_wait(&run, 0, "0:30.0 of 2:00   25 %  PAUSED"));
	press(&run, "}", BOTTOM, "no mark and no loss behind here");
	press(&run, "j-1s\r", 0, "0:29.0 of 2:00");
	press(&run, " ", BOTTOM, "mark 1: level 2"); /* as it comes by */
	run_quit(&run);
	run_stop(&run);
}

static void all_views_are_there_and_only_keys_that_make_sense(void **state)
{
	static const struct {
		const char *key, *shown;
	} views[] = {{"2", "one queue alone"},
		     {"3", "External bandwidth"},
		     {"4", "Primitives"},
		     {"6", "Warps by kind"},
		     {"1", "GPU active"}};
	struct run run;

	(void)state;
	start(&run, &full, "--from=60s");
	for (size_t i = 0; i < ARRAY_LEN(views); i++)
		press(&run, views[i].key, 2, views[i].shown);
	press(&run, "6c", 2, "min      mean");
	press(&run, "0", 2, "com.studio.game");
	press(&run, "k/surf", BOTTOM, "filter: surf");
	press(&run, "\r", 2, "filter surf: 1 shown");
	assert_int_equal(emulator_find(&run.emulator, 0, "signal"), -1);
	assert_int_equal(emulator_find(&run.emulator, 0, "count"), -1);
	press(&run, "?", 0, "Go to a moment");
	assert_int_equal(emulator_find(&run.emulator, 0, "sampling interval"), -1);
	assert_int_equal(emulator_find(&run.emulator, 0, "Send a signal"), -1);
	press(&run, "x", 0, "REPLAY");
	run_quit(&run);
	run_stop(&run);
}

static void a_resize_redraws_a_paused_log(void **state)
{
	struct run run;

	(void)state;
	start(&run, &full, "--from=90s");
	press(&run, " ", 0, "PAUSED");
	emulator_resize(&run.emulator, &run.pty, 80, 24);
	assert_true(run_wait(&run, 0, "PAUSED"));
	emulator_resize(&run.emulator, &run.pty, 160, 50);
	assert_true(run_wait(&run, 45, "quit"));
	run_assert_frame(&run);
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
}

static void what_was_cut_off_is_said_then_and_at_the_end(void **state)
{
	struct run run;

	(void)state;
	fputs("half a block", sums.file);
	fflush(sums.file);
	start(&run, &sums, "--speed=100");
	assert_true(run_wait(&run, BOTTOM, "12 bytes at the end are no whole block"));
	assert_true(run_wait(&run, 0, "END"));
	press(&run, "c", BOTTOM, "per core: only sums stand in this log");
	run_quit(&run);
	assert_false(run.emulator.alternate);
	assert_true(emulator_find(&run.emulator, 0, "run.mlog: 12 bytes at the end are no whole block") >= 0);
	run_stop(&run);
}

static void a_signal_ends_it_cleanly(void **state)
{
	struct run run;

	(void)state;
	start(&run, &full, "--speed=100");
	pty_signal(&run.pty, SIGTERM);
	assert_true(pty_wait_report(&run.pty, 0));
	assert_true(WIFSIGNALED(run.pty.report.status) && WTERMSIG(run.pty.report.status) == SIGTERM);
	run_assert_as_before(&run);
	run_stop(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_log_is_played_paused_and_stepped),
		cmocka_unit_test(where_to_go_is_typed),
		cmocka_unit_test(marks_are_found_and_told),
		cmocka_unit_test(all_views_are_there_and_only_keys_that_make_sense),
		cmocka_unit_test(a_resize_redraws_a_paused_log),
		cmocka_unit_test(what_was_cut_off_is_said_then_and_at_the_end),
		cmocka_unit_test(a_signal_ends_it_cleanly),
	};

	if (!run_find_program())
		return 1;
	alarm(300); /* a test that hangs has failed */
	return cmocka_run_group_tests(tests, write_logs, remove_logs);
}
