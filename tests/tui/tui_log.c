/* The real program with a log beside its screen: begun, marked and ended by keys. */
#include "tests/tui/run.h"
#include "tests/support/log_reader.h"

#include <glob.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/malitop-test-XXXXXX";

/* Logs go where the program is started. */
FIXTURE(go_there)
{
	return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

FIXTURE(go_away)
{
	AUTOFREE char *remove = xasprintf("rm -rf %s", dir);

	return chdir("/") + system(remove);
}

FIXTURE(clean_files)
{
	return system("rm -f *");
}

TEST_EACH(NULL, clean_files)

static void read_whole(struct log *log, const char *path)
{
	if (!log_open(log, path))
		fail_msg("%s: no log", path);
	assert_true(log->state.ended);
	assert_int_equal(log->state.damaged + log->state.cut, 0);
}

TEST(keys_begin_mark_and_end_a_log)
{
	struct run run;
	struct log log;
	glob_t files;

	run_shown(&run, &(struct run_options){.cols = 120});
	run_press(&run, "m", RUN_ALERT, "mark 1: on the screen only; l starts a log");
	run_press(&run, "l", 0, "REC malitop-");
	run_press(&run, "m", RUN_ALERT, "mark 1 in malitop-");
	run_press(&run, "m", RUN_ALERT, "mark 2 in malitop-");
	run_press(&run, "-", RUN_ALERT, "interval: cannot change while logging");
	run_press(&run, "l", RUN_ALERT, " is complete: ");
	assert_null(strstr(emulator_row(&run.emulator, 0), "malitop-"));
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
	assert_int_equal(glob("malitop-*.mlog", 0, NULL, &files), 0);
	assert_int_equal(files.gl_pathc, 1);
	read_whole(&log, files.gl_pathv[0]);
	assert_int_equal(log.n_notes, 2);
	assert_true(log.notes[0].kind == MLOG_NOTE_MARK && log.notes[1].kind == MLOG_NOTE_MARK);
	assert_true(log.notes[0].value == 1 && log.notes[1].value == 2);
	log_close(&log);
	globfree(&files);
}

TEST(logs_of_one_second_have_names_of_their_own)
{
	struct run run;
	glob_t files;

	run_shown(&run,
		  &(struct run_options){.arg = "--force", .cols = 120}); /* of names that somebody gave */
	for (int i = 0; i < 4; i++) {
		run_press(&run, "l", 0, "REC malitop-");
		run_press(&run, "l", RUN_ALERT, " is complete: ");
	}
	run_quit(&run);
	run_stop(&run);
	assert_int_equal(glob("malitop-*.mlog", 0, NULL, &files), 0);
	assert_int_equal(files.gl_pathc, 4);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct log log;

		read_whole(&log, files.gl_pathv[i]);
		log_close(&log);
	}
	globfree(&files);
}

TEST(a_log_that_ends_is_whole_however_the_screen_is_left)
{
	static const char *const keys[] = {"q", "lq", "\x03"};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct run run;
		struct log log;
		unsigned n;

		run_shown(&run, &(struct run_options){.arg = "-orun.mlog"});
		assert_true(run_wait(&run, 0, "REC run.mlog"));
		n = run.pty.n_reports;
		pty_send(&run.pty, keys[i]);
		assert_true(pty_wait_report(&run.pty, n));
		run_assert_as_before(&run);
		run_stop(&run);
		read_whole(&log, "run.mlog");
		log_close(&log);
		assert_int_equal(unlink("run.mlog"), 0);
	}
}

TEST(a_log_that_fails_is_reported_and_the_screen_goes_on)
{
	struct run run;

	run_shown(&run, &(struct run_options){.arg = "-orun.mlog", .cols = 120});
	assert_true(run_wait(&run, 0, "REC run.mlog"));
	assert_int_equal(unlink("run.mlog"), 0);
	assert_true(run_wait(&run, RUN_ALERT, "log: run.mlog: the file was removed: logging stopped after "));
	run_press(&run, "m", RUN_ALERT, ": on the screen only; l starts a log");
	assert_true(run_wait_gone(&run, 0, "run.mlog"));
	run_press(&run, "l", 0, "REC malitop-");
	run_press(&run, "l", RUN_ALERT, " is complete: ");
	run_quit(&run);
	run_stop(&run);
}

TEST(where_no_file_can_be_it_is_said)
{
	struct run run;

	assert_int_equal(mkdir("gone", 0755) + chdir("gone"), 0);
	run_shown(&run, &(struct run_options){.cols = 120});
	assert_int_equal(chdir("..") + rmdir("gone"), 0);
	run_press(&run, "l", RUN_ALERT, "mlog: cannot create: No such file or directory");
	assert_null(strstr(emulator_row(&run.emulator, 0), "REC"));
	run_quit(&run);
	run_stop(&run);
}

TEST(in_every_size_the_header_and_the_footer_stay)
{
	static const int sizes[][2] = {{80, 24}, {40, 10}};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct run run;

		run_shown(&run, &(struct run_options){
					.cols = sizes[i][0], .rows = sizes[i][1], .arg = "-orun.mlog"});
		assert_true(run_wait(&run, 0, "REC run.mlog 0."));
		run_assert_frame(&run);
		run_press(&run, "m", RUN_ALERT, "mark 1 in run.mlog");
		run_press(&run, " ", 0, "REC");
		run_quit(&run);
		run_stop(&run);
		assert_int_equal(unlink("run.mlog"), 0);
	}
}

TEST_GROUP(go_there, go_away)
