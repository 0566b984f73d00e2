/* What keys do in the real program that one would not expect to do anything: in help, pasted, while
 * paused, and those without a use. */
#include "base/alloc.h"
#include "tests/support/await.h"
#include "tests/support/test.h"
#include "tests/tui/run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TEST(help_turns_its_pages_and_is_closed_by_q)
{
	struct run run;

	run_shown(&run, &(struct run_options){.cols = 80, .rows = 24});
	run_press(&run, "?", RUN_BOTTOM, "page 1 of 3");
	run_press(&run, "\t", RUN_BOTTOM, "page 2 of 3");
	run_press(&run, "\t", 0, "find what limits my frames");
	run_press(&run, "\t", 2, "still screen"); /* of the scenario */
	run_press(&run, "x", 0, "q, Esc or ? closes it");
	run_press(&run, "q", 0, "SIMULATED");
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
}

/* Each row of "How do I", found by its words, leads where it promises, by at most four keys. */
TEST(every_task_of_help_leads_where_it_promises)
{
	static const struct {
		const char *task, *screen;
	} tasks[] = {
		{"find what limits", "1 Overview"},
		{"know what to change", "! "},
		{"which CPUs are busy", "9 CPU"},
		{"each shader core", "6 Core"},
		{"compare before and after", "COMPARED"},
		{"the process that uses", "0 Processes"},
		{"what a number means", "How it is computed"},
		{"one moment again", "PAUSED"},
		{"a row in sight", "it is at the top of the Overview"},
	};
	char keys[96];

	for (unsigned i = 0; i < ARRAY_LEN(tasks); i++) {
		struct run run;

		run_shown(&run, &(struct run_options){.cols = 160, .rows = 48});
		run_press(&run, "?", 0, "How do I");
		snprintf(keys, sizeof(keys), "/%s", tasks[i].task);
		run_press(&run, keys, RUN_BOTTOM, "search:");
		run_press(&run, "\r", 0, tasks[i].screen);
		assert_true(run_wait_gone(&run, 0, "Help for"));
		run_stop(&run);
	}
}

/* The tasks of two people: to find what uses the machine, how a number is made, what another run
 * did better, and the worst finding with its remedy. */
TEST(the_tasks_of_two_people_take_at_most_four_keys)
{
	static const struct {
		const char *task, *keys, *screen;
	} tasks[] = {
		{"find the process", "0", "CPU %"},
		{"find the metric's formula", "i", "How it is computed"},
		{"find the formula of a row of another view", "3\x1b[Bi", "How it is computed"},
		{"compare two moments", "=", "Largest changes"},
		{"compare with another run", "=", "COMPARED with before.mlog"},
		{"find the worst finding", "!", "worst first"},
		{"find its remedy", "!", "Do  "},
		{"show the CPU alone", "L2\r", "PANELS HIDDEN"},
	};
	char folder[] = "/tmp/malitop-tui-XXXXXX", command[600], baseline[128];

	assert_non_null(mkdtemp(folder));
	snprintf(command, sizeof(command),
		 "%s record --demo=idle --duration 1s -o %s/before.mlog 2>/dev/null", run_program(), folder);
	assert_int_equal(system(command), 0);
	for (unsigned i = 0; i < ARRAY_LEN(tasks); i++) {
		bool run_before = strstr(tasks[i].screen, "before.mlog") != NULL;
		size_t n = 0;
		struct run run;

		for (const char *p = tasks[i].keys; *p;
		     p += *p == 0x1b ? 3 : 1) /* an arrow has three bytes */
			n++;
		assert_in_range(n, 1, 4);
		snprintf(baseline, sizeof(baseline), "--baseline=%s/before.mlog", folder);
		run_shown(&run,
			  &(struct run_options){.cols = 160,
						.rows = 48,
						.arg = run_before ? baseline : "--demo=fragment-bound"});
		if (run_before) /* it is compared from the start: end that first */
			run_press(&run, "=", 0, "SIMULATED  ");
		run_press(&run, tasks[i].keys, 0, tasks[i].screen);
		run_stop(&run);
	}
	snprintf(command, sizeof(command), "rm -r %s", folder);
	assert_int_equal(system(command), 0);
}

TEST(a_layout_hides_panels_until_escape)
{
	struct run run;

	run_shown(&run, &(struct run_options){.cols = 160, .rows = 48});
	run_press(&run, "L", 0, "Layout of the Overview");
	assert_true(run_wait(&run, 0, "w Work"));
	run_press(&run, "w", 0, "PANEL HIDDEN");
	assert_true(run_wait(&run, 0, "hidden    w Work"));
	assert_true(run_wait(&run, 0, "\u2502 g   ")); /* the panels on a small map */
	run_press(&run, "gumsc", 0, "- - - - - - p");
	run_press(&run, "p", RUN_ALERT, "layout: the last panel stays");
	run_press(&run, "\x1b", 0, " Work ");
	assert_true(run_wait_gone(&run, 0, "HIDDEN"));
	run_press(&run, "L2\r", 0, "5 PANELS HIDDEN");
	run_press(&run, "?\t", 0, "malitop itself uses ");
	run_press(&run, "q", 0, "HIDDEN");
	run_quit(&run);
	run_stop(&run);
}

TEST(a_low_terminal_has_its_layout_in_the_last_row)
{
	struct run run;

	run_shown(&run, &(struct run_options){.cols = 40, .rows = 10});
	run_press(&run, "L", RUN_BOTTOM, "layout >0 all");
	run_press(&run, "2", RUN_BOTTOM, "layout >2 cpu      - - - - c - p");
	run_press(&run, "\x1b", RUN_BOTTOM, "quit");
	run_quit(&run);
	run_stop(&run);
}

TEST(a_metric_is_found_by_a_word_and_explained)
{
	struct run run;

	run_shown(&run, &(struct run_options){.cols = 100, .rows = 30});
	run_press(&run, "?/MaliALUUtil", 2, "MaliALUUtil");
	run_press(&run, "\r", 0, "How it is computed");
	run_press(&run, "\r", 0, "Core"); /* Enter: a view that shows it */
	run_quit(&run);
	run_stop(&run);
}

TEST(i_explains_the_selected_row_and_the_next_one)
{
	struct run run;

	run_shown(&run, &(struct run_options){.cols = 80, .rows = 24});
	run_press(&run, "2", 0, "Lanes");
	run_press(&run, "i", 0, "How it is computed");
	run_press(&run, "\x1b[B", 0, "MaliVertQueueUtil");
	run_press(&run, "\x1b[6~", 0, "What it tells");
	run_press(&run, "x", RUN_ALERT, "explain: i, Esc or q closes it");
	run_press(&run, "i", 0, "Lanes");
	run_press(&run, "0i", RUN_ALERT, "explain: this view has no metrics");
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
}

TEST(an_expression_is_copied_and_a_metric_joins_the_own_charts)
{
	char dir[] = "/tmp/own-charts-XXXXXX";
	AUTOFREE char *env = NULL, *remove = NULL;
	struct run run;

	assert_non_null(mkdtemp(dir));
	env = xasprintf("XDG_CONFIG_HOME=%s", dir);
	remove = xasprintf("rm -rf %s", dir);
	run_shown(&run, &(struct run_options){.cols = 80, .rows = 24, .env = env});
	run_press(&run, "2i", 0, "MaliVertQueueUtil");
	run_press(&run, "y", RUN_ALERT, "copied, if the terminal allows it: MaliVertQueue");
	assert_non_null(strstr(run.pty.out.p, "\x1b]52;c;TWFsaVZlcnRRdWV1")); /* "MaliVertQueu" */
	run_press(&run, "e", RUN_ALERT, "MaliVertQueueUtil: now in your charts");
	run_press(&run, "ui", 0, "MaliVertQueueUtil");
	run_press(&run, "e", RUN_ALERT, "already in your charts");
	run_press(&run, "q", 0, "Metrics");
	run_quit(&run);
	run_stop(&run);
	assert_int_equal(system(remove), 0);
}

/* A directory with a file of the user's own. */
static void write_own(const char *dir, const char *text)
{
	AUTOFREE char *path = xasprintf("%s/mine.view", dir);
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

#define OWN "view mine\n  title Mine\n\nchart c\n  widget rows\n  series GPUBusy | " /* and a label */

TEST(own_views_are_read_again_and_errors_leave_the_old_ones)
{
	char dir[] = "/tmp/own-views-XXXXXX";
	AUTOFREE char *arg = NULL, *path = NULL;
	struct run run;

	assert_non_null(mkdtemp(dir));
	path = xasprintf("%s/mine.view", dir);
	arg = xasprintf("--gpudb=%s", dir);
	write_own(dir, OWN "first label\n");
	run_shown(&run, &(struct run_options){.arg = arg});
	run_press(&run, "u", 0, "first label");
	write_own(dir, OWN "second label\n");
	run_press(&run, "U", 0, "second label");
	write_own(dir, OWN "third\n  pie 3\n");
	run_press(&run, "U", RUN_ALERT, "mine.view:7: unknown field 'pie'");
	assert_true(run_wait(&run, 0, "second label"));
	write_own(dir, OWN "fourth label\n");
	pty_signal(&run.pty, SIGHUP);
	assert_true(run_wait(&run, 0, "fourth label"));
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
	unlink(path);
	rmdir(dir);
}

TEST(settings_change_at_once_and_are_saved_beside_what_the_file_has)
{
	static const char text[] = "# mine\noptions\n  fps 30 \n\nkeys\n  x f2\n";
	static const char saved[] = "# mine\noptions\n  theme        light\n  fps 30 \n\nkeys\n  x f2\n";
	char dir[] = "/tmp/settings-XXXXXX", read[256] = "";
	AUTOFREE char *arg = NULL, *path = NULL;
	struct run run;
	FILE *file;

	assert_non_null(mkdtemp(dir));
	path = xasprintf("%s/config", dir);
	arg = xasprintf("--config=%s", path);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	run_shown(&run, &(struct run_options){.arg = arg});
	run_press(&run, "x", 0, "Settings");          /* x is F2 here */
	assert_true(run_wait(&run, 0, "GPU active")); /* the view is still there */
	run_press(&run, "\x1b[C", 0, "< light >");
	run_press(&run, "w", RUN_ALERT, "settings: 1 saved in");
	run_press(&run, "\x1b[B\x1b[B\x1b[B\x1b[C", 0, "< 200ms >"); /* refresh, from 100 ms */
	run_press(&run, "x", 0, "mean of 200 ms");
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_true(fread(read, 1, sizeof(read) - 1, file) > 0);
	fclose(file);
	assert_string_equal(read, saved);
	unlink(path);
	rmdir(dir);
}

TEST(what_is_pasted_does_nothing_but_a_note)
{
	struct run run;

	run_shown(&run, &(struct run_options){0});
	run_press(&run, "\x1b[200~lq?0\r\x1b[201~", RUN_ALERT, "paste: ignored");
	assert_int_equal(emulator_find(&run.emulator, 0, "REC "), -1);
	run_quit(&run);
	run_assert_as_before(&run);
	run_stop(&run);
}

TEST(keys_that_do_nothing_say_why)
{
	static const struct {
		const char *keys, *why;
	} cases[] = {
		{"x", "x: does nothing here; ? lists the keys"},
		{"\x01", "Ctrl-A: does nothing here"},
		{"\x1b", "Esc: nothing to close; q quits"},
		{"[", "[: only in a replay"},
		{"H", "H: a key of the Processes view (0)"},
		{"g", "GPU: there is no other one"},
		{"m", "mark 1: on the screen only; l starts a log"},
		{"1\x1b[6~", "scroll: this view has no more rows"},
		{"2c", "per core: on, but this view has nothing to break down"},
		{" >", "history: this is the newest; space resumes"},
		{"j-90s\r", "history: nothing older is kept"},
		{"j+90s\r", "history: this is the newest; space resumes"},
		{" +++++++++++++", "interval: not longer than a refresh"},
	};
	struct run run;

	run_shown(&run, &(struct run_options){0});
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++)
		run_press(&run, cases[i].keys, RUN_ALERT, cases[i].why);
	run_press(&run, "------", 0, " 1 ms, mean of");
	run_press(&run, "-", RUN_ALERT, "interval: there is no shorter one");
	run_quit(&run);
	run_stop(&run);
}

/* The first row that has a part in the selection's colour; -1: none. */
static int selected_row(struct run *run)
{
	for (int row = 2; row < run->emulator.rows - 1; row++)
		for (int col = 0; col < run->emulator.cols; col++)
			if (emulator_stands_out(&run->emulator, row, col))
				return row;
	return -1;
}

static int wait_selected(struct run *run, bool any)
{
	for (int i = 0; i < PATIENCE_MS / 20 && (selected_row(run) >= 0) != any; i++)
		pty_read_for(&run->pty, 20);
	return selected_row(run);
}

/* In every view: nothing at first, Down selects, a click selects, Escape selects none. */
TEST(rows_are_selected_by_keys_and_clicks)
{
	static const char views[] = "123456789";
	struct run run;

	run_shown(&run, &(struct run_options){.cols = 140, .rows = 40});
	for (const char *view = views; *view; view++) {
		char digit[2] = {*view, 0};
		int first, next;

		pty_send(&run.pty, digit);
		assert_int_equal(wait_selected(&run, false), -1);
		pty_send(&run.pty, "\x1b[B");
		first = wait_selected(&run, true);
		if (first < 0)
			fail_msg("view %s: Down selected nothing", digit);
		pty_send(&run.pty, "\x1b");
		assert_int_equal(wait_selected(&run, false), -1);
		pty_send(&run.pty, "\x1b[A"); /* from the end */
		next = wait_selected(&run, true);
		assert_true(next >= first);
	}
	run_quit(&run);
	run_stop(&run);
}

TEST(a_panel_is_shown_alone_and_back)
{
	struct run run;

	run_shown(&run, &(struct run_options){.cols = 140, .rows = 40});
	run_press(&run, "3", 2, "Bandwidth");
	run_press(&run, "z", 2, "Bandwidth");
	assert_true(run_wait_gone(&run, 2, "Read latency"));
	run_press(&run, "\x1b", 2, "Read latency");
	run_press(&run, "\x1b[B\r", 2, "Bandwidth");
	assert_true(run_wait_gone(&run, 2, "Read latency"));
	run_press(&run, "\r", 2, "Read latency");
	run_press(&run, "\x1b\x1b", RUN_ALERT, "Esc: nothing to close");
	run_quit(&run);
	run_stop(&run);
}

/* "\x1b[<0;COL;ROWM": presses of the mouse, which counts from 1. */
static void press_mouse(struct run *run, int button, int row, int col)
{
	char text[48];

	snprintf(text, sizeof(text), "\x1b[<%d;%d;%dM", button, col + 1, row + 1);
	pty_send(&run->pty, text);
}

/* The column of the cursor in the timeline, the row above the last; -1: there is none. */
static int cursor_column(struct run *run)
{
	for (int col = 0; col < run->emulator.cols; col++)
		if (emulator_stands_out(&run->emulator, run->emulator.rows - 2, col))
			return col;
	return -1;
}

static void await_cursor(struct run *run, int from, int to)
{
	int col = -1;

	for (int i = 0; i < PATIENCE_MS / 20; i++) {
		col = cursor_column(run);
		if (col >= from && col <= to)
			return;
		pty_read_for(&run->pty, 20);
	}
	fail_msg("the cursor is at %d, not from %d to %d", col, from, to);
}

/* The demo begins with a minute of history; its timeline is from column 10 to 129. The cursor keeps
 * to moments that were measured, and a machine that was slow at the start has a gap: no place is
 * exact but the ends. */
TEST(the_timeline_is_moved_by_keys_clicks_and_the_wheel)
{
	enum { LEFT = 0, DRAG = 32, WHEEL_UP = 64 };
	struct run run;

	run_shown(&run, &(struct run_options){.arg = "--demo", .cols = 140, .rows = 40});
	assert_int_equal(cursor_column(&run), -1);
	run_press(&run, "m", RUN_ALERT, "mark 1");
	run_press(&run, " ", 0, "PAUSED");
	await_cursor(&run, 10, 129);
	assert_true(run_wait(&run, 2, "\u25b2")); /* of the mark */
	pty_send(&run.pty, "\x1b[H");
	await_cursor(&run, 10, 12);
	pty_send(&run.pty, "\x1b[F");
	await_cursor(&run, 127, 129);
	pty_send(&run.pty, "\x1b[5~");
	await_cursor(&run, 60, 124); /* a tenth */
	pty_send(&run.pty, "\x1b[H");
	await_cursor(&run, 10, 12);
	press_mouse(&run, LEFT, 38, 60);
	await_cursor(&run, 13, 126);
	press_mouse(&run, DRAG, 20, 120); /* also beside the row */
	await_cursor(&run, 91, 129);
	for (int i = 0; i < 60; i++)
		press_mouse(&run, WHEEL_UP, 38, 60);
	await_cursor(&run, 10, 90);
	pty_send(&run.pty, "\x1b[F");
	await_cursor(&run, 127, 129);
	run_press(&run, "j50%\r", 0, "PAUSED");
	await_cursor(&run, 13, 126);
	pty_send(&run.pty, " ");
	assert_true(run_wait_gone(&run, 0, "PAUSED"));
	assert_int_equal(cursor_column(&run), -1);
	run_quit(&run);
	run_stop(&run);
}

/* A click in a graph pauses at its moment, a drag selects the range between both. */
TEST(a_click_in_a_graph_goes_there_and_a_drag_selects_a_range)
{
	enum { LEFT = 0, DRAG = 32 };
	struct run run;

	run_shown(&run, &(struct run_options){.arg = "--demo", .cols = 140, .rows = 40});
	press_mouse(&run, LEFT, 7, 60);
	assert_true(run_wait(&run, 0, "PAUSED"));
	assert_true(run_wait(&run, 4, "cursor"));
	press_mouse(&run, DRAG, 7, 70);
	assert_true(run_wait(&run, 0, "RANGE of 2.0 s"));
	press_mouse(&run, DRAG, 7, 65);
	assert_true(run_wait(&run, 0, "RANGE of 1.0 s"));
	press_mouse(&run, LEFT, 7, 62);
	assert_true(run_wait_gone(&run, 0, "RANGE"));
	run_quit(&run);
	run_stop(&run);
}

/* A footer word does what its key does; a title shows its panel alone; beside all that nothing
 * happens. */
TEST(clicks_do_what_stands_under_them)
{
	struct run run;
	const char *word;

	run_shown(&run, &(struct run_options){.cols = 140, .rows = 40});
	run_press(&run, "3", 2, "Read latency");
	word = strstr(emulator_row(&run.emulator, 39), "pause");
	assert_non_null(word);
	press_mouse(&run, 0, 39, 18);
	assert_true(run_wait(&run, 0, "PAUSED"));
	press_mouse(&run, 0, 39, 18);
	if (!run_wait_gone(&run, 0, "PAUSED"))
		fail_msg("still paused: %s | %s", emulator_row(&run.emulator, 0),
			 emulator_row(&run.emulator, 39));
	press_mouse(&run, 0, emulator_find(&run.emulator, 2, "Bandwidth"), 8);
	assert_true(run_wait_gone(&run, 2, "Read latency"));
	press_mouse(&run, 0, emulator_find(&run.emulator, 2, "Bandwidth"), 8);
	assert_true(run_wait(&run, 2, "Read latency"));
	press_mouse(&run, 0, 0, 3);
	press_mouse(&run, 0, 200, 300);
	press_mouse(&run, 2, 5, 5); /* the right button */
	run_press(&run, "x", RUN_ALERT, "x: does nothing here");
	assert_int_equal(selected_row(&run), -1);
	run_quit(&run);
	run_stop(&run);
}

/* The overview has read them before. */
/* In every view, row by row but for the footer, which quits. A click may lead to another view: each
 * row begins in the one that is tried. */
TEST(a_click_on_any_cell_does_no_harm)
{
	enum { COLS = 80, ROWS = 24 };
	struct run run;

	run_shown(&run, &(struct run_options){.cols = COLS, .rows = ROWS});
	for (const char *view = "1234567890fa!"; *view; view++)
		for (int row = 1; row < ROWS; row++) {
			char text[64] = {'\033', '\033', '\033', *view};

			pty_send(&run.pty, text);
			for (int col = 1; col <= COLS; col++) {
				snprintf(text, sizeof(text), "\033[<0;%d;%dM\033[<0;%d;%dm", col, row, col,
					 row);
				pty_send(&run.pty, text);
				if (col % 16 == 0)
					assert_true(pty_read_for(&run.pty, 4));
			}
		}
	pty_send(&run.pty, "\033\033\0331");
	assert_true(run_wait(&run, 0, "SIMULATED"));
	run_quit(&run);
	run_stop(&run);
}

TEST(a_paused_screen_has_processes)
{
	struct run run;

	run_shown(&run, &(struct run_options){0});
	run_press(&run, "", 2, "Processes");
	run_press(&run, " ", 0, "PAUSED");
	run_press(&run, "0", 2, " processes, ");
	run_quit(&run);
	run_stop(&run);
}

/* "14:02:11", at the end of the header. */
static void header_time(struct run *run, char out[9])
{
	const char *row = emulator_row(&run->emulator, 0);

	snprintf(out, 9, "%s", row + strlen(row) - 8);
}

TEST(a_paused_header_shows_the_time_of_the_moment)
{
	char paused[9], later[9];
	struct run run;

	run_shown(&run, &(struct run_options){0});
	run_press(&run, " ", 0, "PAUSED");
	run_press(&run, "x", RUN_ALERT, "x: does nothing here"); /* below: the header is complete */
	header_time(&run, paused);
	give_time_ms(2500);
	run_press(&run, "?", 0, "PgUp"); /* what came meanwhile has been read */
	run_press(&run, "?", 0, "PAUSED");
	header_time(&run, later);
	assert_string_equal(later, paused);
	run_quit(&run);
	run_stop(&run);
}

/* Its 60 s of history are judged at once. */
TEST(the_verdict_stands_on_overview_and_findings_lead_to_their_view)
{
	struct run run;

	run_shown(&run, &(struct run_options){.arg = "--demo=fragment-bound", .cols = 80, .rows = 24});
	assert_true(run_wait(&run, 2, "GPU bound: fragment"));
	assert_true(run_wait(&run, 1, "! ")); /* how many, in the tabs */
	run_press(&run, "!", 5, "Arithmetic limits the shaders");
	run_press(&run, "", 5, "> 60.0 %");
	run_press(&run, "", 14, "pace of shading."); /* the last of two lines */
	run_press(&run, "", 14, "above 60.0 % (house)");
	run_press(&run, "z", RUN_ALERT, "findings: Enter goes");
	run_press(&run, "x", RUN_ALERT, "arithmetic-limits: muted");
	run_press(&run, "X\x1b[Ax", 5, "Arithmetic limits the shaders");
	run_press(&run, "\r", 1, "Units");
	run_press(&run, "1", 2, "GPU bound: fragment");
	run_quit(&run);
	run_stop(&run);
}
