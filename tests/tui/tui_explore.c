/* A range, a comparison, a snapshot and a filter in the real program. */
#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/await.h"
#include "tests/support/test.h"
#include "tests/tui/run.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[] = "/tmp/malitop-test-XXXXXX";

FIXTURE(enter_directory)
{
	return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

FIXTURE(leave_directory)
{
	AUTOFREE char *remove = xasprintf("rm -rf %s", dir);

	return chdir("/") + system(remove);
}

/* Measuring goes on in a pause: go to its end until that is later than where the range begins. */
static void end_range_later(struct run *run)
{
	for (int i = 0; i < PATIENCE_MS / 100; i++) {
		pty_send(&run->pty, "\x1b[F");
		pty_read_for(&run->pty, 100);
		if (strstr(emulator_row(&run->emulator, 0), "RANGE of "))
			return;
	}
	fail_msg("no range");
}

TEST(numbers_of_a_range_are_its_means)
{
	struct run run;

	run_shown(&run, &(struct run_options){.cols = 100, .rows = 30});
	run_press(&run, "v", RUN_ALERT, "v: only while");
	run_press(&run, " v", RUN_ALERT, "range: starts here");
	run_press(&run, "v", RUN_ALERT, "range: it is empty");
	end_range_later(&run);
	run_press(&run, "v", RUN_ALERT, "S saves its means");
	run_press(&run, "<", 0, "RANGE of "); /* its end is set, and stays */
	run_press(&run, "v", RUN_ALERT, "range: cleared");
	run_press(&run, "", 0, "PAUSED");
	run_press(&run, "v", RUN_ALERT, "range: starts here");
	end_range_later(&run);
	run_press(&run, " ", 0, "mean of "); /* going on forgets it */
	run_quit(&run);
	run_stop(&run);
}

TEST(a_comparison_puts_changes_beside_the_numbers)
{
	struct run run;

	run_shown(&run, &(struct run_options){.cols = 100, .rows = 30});
	run_press(&run, " =", 0, "COMPARED with ");
	run_press(&run, "2", 3, "= same"); /* the paused screen is compared with itself */
	run_press(&run, "1", 3, "no number has changed");
	run_press(&run, "a", 3, "was         now           change");
	run_press(&run, "0", 13, "was CPU");
	run_press(&run, "a", 3, "was         now           change");
	run_press(&run, "=", 3, "per second");
	run_press(&run, "2", 3, " %");
	run_quit(&run);
	run_stop(&run);
}

TEST(a_comparison_may_be_with_a_mark)
{
	struct run run;

	run_shown(&run, &(struct run_options){.cols = 100, .rows = 30});
	run_press(&run, "m", RUN_ALERT, "mark 1: on the screen only");
	run_press(&run, "=", RUN_BOTTOM, "compare with mark: ");
	run_press(&run, "7\r", RUN_ALERT, "compare: there is no mark 7");
	run_press(&run, "=1\r", 0, "COMPARED with mark 1");
	run_press(&run, "=", 0, " %");
	run_press(&run, "=\x1b", 0, "SIMULATED");
	run_press(&run, "=\r", 0, "COMPARED with ");
	run_quit(&run);
	run_stop(&run);
}

/* Another run is the other side: means of all of it, on every view, the largest changes first. */
TEST(a_comparison_may_be_with_another_log)
{
	char folder[] = "/tmp/malitop-tui-XXXXXX", cmd[512], keys[128];
	struct run run;

	assert_non_null(mkdtemp(folder));
	snprintf(cmd, sizeof(cmd), "%s record --demo=idle --duration 2s -o %s/before.mlog 2>/dev/null",
		 run_program(), folder);
	assert_int_equal(system(cmd), 0);
	run_shown(&run, &(struct run_options){.cols = 160, .rows = 48});
	run_press(&run, "b", RUN_BOTTOM, "compare with log: ");
	run_press(&run, "/nowhere.mlog\r", 0, "/nowhere.mlog: cannot open");
	snprintf(keys, sizeof(keys), "b%s/before.mlog\r", folder);
	run_press(&run, keys, 0, "COMPARED with before.mlog");
	assert_true(run_wait(&run, 0, "Largest changes"));
	assert_true(run_wait(&run, 0, "worse"));
	run_press(&run, "3", 2, "was, now, change");
	run_press(&run, "=", 0, "SIMULATED  ");
	run_press(&run, "=", 0, "COMPARED with before.mlog"); /* the log stays the other side */
	run_quit(&run);
	run_stop(&run);
	snprintf(cmd, sizeof(cmd), "%s/before.mlog", folder);
	assert_int_equal(unlink(cmd) | rmdir(folder), 0);
}

static size_t count_files(const char *pattern)
{
	glob_t found;
	size_t n = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;

	globfree(&found);
	return n;
}

/* The text of the only file that fits. */
static char *read_only_file(const char *pattern)
{
	glob_t found;
	struct err err;
	char *text;
	size_t n;

	assert_int_equal(glob(pattern, 0, NULL, &found), 0);
	assert_int_equal(found.gl_pathc, 1);
	if (!file_read(found.gl_pathv[0], 1 << 20, &text, &n, &err))
		fail_msg("%s", err.text);
	globfree(&found);
	return text;
}

/* The page of malitop report about what is kept; the log that it is made of is gone. */
TEST(a_snapshot_is_a_page_if_it_is_asked_for)
{
	AUTOFREE char *page = NULL;
	struct run run;

	run_shown(&run, &(struct run_options){.cols = 80, .rows = 24, .arg = "--snapshot=html"});
	run_press(&run, "m", RUN_ALERT, "mark 1");
	usleep(1500000); /* samples after it */
	run_press(&run, " S", RUN_ALERT, ".html");
	page = read_only_file("malitop-*.html");
	assert_non_null(strstr(page, "<!DOCTYPE html>"));
	assert_non_null(strstr(page, "SIMULATED"));
	assert_non_null(strstr(page, "mark 1"));
	assert_non_null(strstr(page, "<svg"));
	assert_int_equal(count_files("malitop-*.mlog"), 0);
	run_quit(&run);
	run_stop(&run);
}

TEST(a_snapshot_is_the_screen_and_every_metric)
{
	AUTOFREE char *picture = NULL, *numbers = NULL;
	struct run run;

	run_shown(&run, &(struct run_options){.cols = 100, .rows = 30});
	run_press(&run, " S", RUN_ALERT, "snapshot: malitop-");
	picture = read_only_file("malitop-*.txt");
	numbers = read_only_file("malitop-*.csv");
	assert_int_equal(strncmp(picture, "malitop ", 8), 0);
	assert_non_null(strstr(picture, "SIMULATED"));
	assert_int_equal(strncmp(numbers, "name,unit,value\r\n", 17), 0);
	assert_non_null(strstr(numbers, "\r\nGPUBusy,percent,"));
	assert_non_null(strstr(numbers, "\r\nMaliGPUActiveCy,cycles per second,"));
	run_press(&run, "2i", 0, "How it is computed");
	pty_send(&run.pty, "S");                  /* also of an explanation */
	AWAIT(count_files("malitop-*.csv") == 2); /* under another name */
	run_press(&run, "q", 0, "Lanes");
	run_quit(&run);
	run_stop(&run);
}

TEST(a_pinned_row_is_at_the_top_of_the_overview)
{
	struct run run;

	run_shown(&run, &(struct run_options){.cols = 100, .rows = 40});
	run_press(&run, "P", RUN_ALERT, "pin: select a row first");
	run_press(&run, "2\x1b[BP", RUN_ALERT, "pin: it is at the top of the Overview");
	run_press(&run, "1", 4, "Pinned");
	run_press(&run, "\x1b[BP", RUN_ALERT, "removed from the Overview");
	run_press(&run, "", 4, "GPU active");
	run_quit(&run);
	run_stop(&run);
}

TEST(a_filter_leaves_the_counters_with_its_text)
{
	struct run run;

	run_shown(&run, &(struct run_options){.cols = 100, .rows = 30});
	run_press(&run, "2/fragm", 0, "FILTER fragm");
	run_press(&run, "\r", 0, "fragment");
	run_press(&run, "\x1b", 0, "vertex");
	run_press(&run, "n", RUN_ALERT, "only in Counters");
	run_press(&run, "a/L2CACHEFL", 5, "L2 cache flush cycles");
	run_press(&run, "\r", 6, "L2 cache flush requests");
	run_press(&run, "/xyz\r", 3, "No counter matches.");
	run_press(&run, "\x1b", 5, "GPU active raw cycles");
	run_press(&run, "n", RUN_ALERT, "never counted are hidden");
	run_press(&run, "n", RUN_ALERT, "counters: all");
	run_press(&run, "w", RUN_ALERT, "rates over several times");
	assert_true(run_wait(&run, 3, "in 5 s"));
	run_press(&run, "w", RUN_ALERT, "counters: rate and counts");
	run_press(&run, "!/zzzz", RUN_BOTTOM, "filter: zzzz");
	run_press(&run, "\r", 0, "findings: none matches");
	run_press(&run, "\x1b", 0, "SIMULATED");
	run_quit(&run);
	run_stop(&run);
}

TEST_GROUP(enter_directory, leave_directory)
