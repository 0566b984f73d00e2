/* Random keys, mouse events, pastes and sizes on the real program: what the terminal shows is what
 * a full redraw shows. MALITOP_RANDOM_S: its length in seconds, 10 by default;
 * MALITOP_RANDOM_SEED: other ones. */
#include "base/alloc.h"
#include "tests/support/log_bench.h"
#include "tests/support/test.h"
#include "tests/tui/run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROUND_EVENTS 12 /* between two comparisons */
#define QUIET_MS 150
#define ALARM_S 600

static char dir[] = "/tmp/malitop-tui-XXXXXX";
static uint64_t random_state;

static unsigned random_below(unsigned n)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(random_state >> 33) % n;
}

/* Nothing that ends the program. Files are written to a directory of its own. */
static void send_key(struct run *run)
{
	static const char *const keys[] = {
		"0",      "1",      "2",       "3",       "4",      "5",        "6",
		"7",      "8",      "9",       "a",       "c",      "z",        "m",
		"?",      "\x1b",   "\r",      "<",       ">",      " ",        "+",
		"-",      "\x1b[A", "\x1b[B",  "\x1b[C",  "\x1b[D", "\t",       "\x1b[Z",
		"\x1b[H", "\x1b[F", "\x1b[5~", "\x1b[6~", "j50%\r", "j-3s\r",   "/a\r",
		"t",      "s",      "R",       "x",       "\x7f",   "\xc3\xa4", "\x1b[200~qq\x1b[201~",
		"l",      "S",      "u",       "L",       "U",      "B"};

	pty_send(&run->pty, keys[random_below(ARRAY_LEN(keys))]);
}

static void send_mouse(struct run *run)
{
	static const int buttons[] = {0, 0, 32, 64, 65, 2};
	char text[48];

	snprintf(text, sizeof(text), "\x1b[<%d;%u;%uM", buttons[random_below(ARRAY_LEN(buttons))],
		 1 + random_below((unsigned)run->emulator.cols + 5),
		 1 + random_below((unsigned)run->emulator.rows + 5));
	pty_send(&run->pty, text);
}

static void change_size(struct run *run)
{
	static const int sizes[][2] = {{80, 24}, {100, 30}, {160, 48}, {40, 10}, {63, 17}, {200, 60}};
	const int *size = sizes[random_below(ARRAY_LEN(sizes))];

	emulator_resize(&run->emulator, &run->pty, size[0], size[1]);
}

/* Nothing more comes: output has been quiet for a while. */
static void await_quiet(struct run *run)
{
	size_t n;

	do {
		n = run->pty.out.n;
		if (!pty_read_for(&run->pty, QUIET_MS))
			fail_msg("the program ended");
	} while (run->pty.out.n != n);
}

/* The looks of a row, each from its first column on: "0:7/0 12:3/0b". Blanks show their background
 * only. */
static void add_looks(struct strbuf *text, const struct run *run, int row)
{
	AUTO_STRBUF struct strbuf last = {0};

	for (int col = 0; col < run->emulator.cols; col++) {
		AUTO_STRBUF struct strbuf look = {0};
		VTermScreenCell cell = emulator_cell(&run->emulator, row, col);
		bool blank = !cell.chars[0] || cell.chars[0] == ' ';

		vterm_screen_convert_color_to_rgb(run->emulator.screen, &cell.fg);
		vterm_screen_convert_color_to_rgb(run->emulator.screen, &cell.bg);
		if (!blank)
			strbuf_printf(&look, "%02x%02x%02x%s", cell.fg.rgb.red, cell.fg.rgb.green,
				      cell.fg.rgb.blue, cell.attrs.bold ? "b" : "");
		strbuf_printf(&look, "/%02x%02x%02x%s", cell.bg.rgb.red, cell.bg.rgb.green, cell.bg.rgb.blue,
			      cell.attrs.reverse ? "r" : "");
		if (col && strcmp(look.p, last.p) == 0)
			continue;
		strbuf_printf(text, " %d:%s", col, look.p);
		strbuf_clear(&last);
		strbuf_str(&last, look.p);
	}
}

/* Each row, and its looks below it. Without the digits of the header: a pause is longer ago with
 * every drawing. */
static char *screen_text(struct run *run)
{
	AUTO_STRBUF struct strbuf text = {0};

	for (int row = 0; row < run->emulator.rows; row++) {
		strbuf_printf(&text, "%s\n", emulator_row(&run->emulator, row));
		if (row)
			add_looks(&text, run, row);
		strbuf_str(&text, "\n");
	}
	for (char *p = text.p; *p != '\n'; p++)
		*p = *p >= '0' && *p <= '9' ? '#' : *p;
	return take_ptr(&text.p);
}

/* Stop the screen in any state that the keys left. A question takes keys: Escape ends it. */
static void stop_screen(struct run *run)
{
	for (int i = 0; i < 4 && emulator_find(&run->emulator, 0, "PAUSED") < 0; i++) {
		pty_send(&run->pty, "\x1b");
		pty_read_for(&run->pty, QUIET_MS);
		pty_send(&run->pty, "1 ");
		await_quiet(run);
	}
}

static long setting(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 10) : otherwise;
}

/* The rows that differ, as they were and as they are. */
static unsigned print_differences(const char *before, const char *after)
{
	struct span was = span_of(before), is = span_of(after);
	unsigned n = 0;

	for (int row = 0; was.n || is.n; row++) {
		struct span a = span_until(&was, '\n'), b = span_until(&is, '\n');

		if (a.n == b.n && !memcmp(a.p, b.p, a.n))
			continue;
		print_error("row %d: %.*s\nredrawn %.*s\n", row, SPAN_ARG(a), SPAN_ARG(b));
		n++;
	}
	return n;
}

/* The program writes only what changed; Ctrl-L writes everything. A clock or an alert may change in
 * between, but not again and again. */
static void compare_with_redraw(struct run *run, unsigned round)
{
	for (int attempt = 0;; attempt++) {
		AUTOFREE char *before = (await_quiet(run), screen_text(run));
		AUTOFREE char *after = (pty_send(&run->pty, "\x0c"), await_quiet(run), screen_text(run));

		if (strcmp(before, after) == 0)
			return;
		if (attempt == 3 && print_differences(before, after))
			fail_msg("round %u of seed %ld: leftovers", round, setting("MALITOP_RANDOM_SEED", 1));
	}
}

static void compare_for_a_while(const struct run_options *options)
{
	time_t end = time(NULL) + setting("MALITOP_RANDOM_S", 10) / 2;
	struct run run;
	unsigned round = 0;

	random_state = (uint64_t)setting("MALITOP_RANDOM_SEED", 1);
	run_shown(&run, options);
	do {
		for (int i = 0; i < ROUND_EVENTS; i++) {
			unsigned what = random_below(10);

			if (what < 7)
				send_key(&run);
			else if (what < 9)
				send_mouse(&run);
			else
				change_size(&run);
			if (!pty_read_for(&run.pty, 5))
				fail_msg("round %u: the program ended", round);
		}
		stop_screen(&run);
		compare_with_redraw(&run, round++);
	} while (time(NULL) < end);
	pty_send(&run.pty, "\x03");
	run_stop(&run);
	print_message("%u rounds\n", round);
}

TEST(the_screen_is_what_a_redraw_shows)
{
	compare_for_a_while(
		&(struct run_options){.arg = "--demo", .refresh = "-r3s", .cols = 100, .rows = 30});
}

TEST(a_replay_is_what_a_redraw_shows)
{
	struct log_bench log;

	log_begin(&log, &(struct log_what){{"G715"}, {100 * MS}, "mixed", true});
	log_until(&log, 20 * SECOND_NS);
	log_note(&log, MLOG_NOTE_MARK, -1, 1, "level 2");
	log_until(&log, 40 * SECOND_NS);
	log_end(&log);
	compare_for_a_while(
		&(struct run_options){.log = log.path, .refresh = "-r3s", .cols = 100, .rows = 30});
	log_fini(&log);
}

/* A board that simulates here. */
static char *board_where(const char *name)
{
	return xasprintf("cmd:board() { shift; exec %s \"$@\" --demo; } && : /%s && board", run_program(),
			 name);
}

/* Logs of one and of all boards begin and end in any order, snapshots and own charts are saved, and
 * views and boards change: the program lives, and ends when it is asked to. */
TEST(boards_outlive_any_keys)
{
	static const char *const keys[] = {"l", "l",    "l", "B",      "B",      "\r",     "\r",   "]",
					   "[", "S",    "m", "u",      "\x1b[A", "\x1b[B", "\x1b", "r",
					   "s", "/a\r", "1", "8",      "c",      " ",      "?",    "L",
					   "+", "\t",   "!", "j-1s\r", "\x1b[C", "\x7f",   "i",    "F"};
	AUTOFREE char *a = board_where("a"), *b = board_where("b"),
		      *config = xasprintf("XDG_CONFIG_HOME=%s", dir);
	const char *const words[] = {"on", a, b, "-r200ms", NULL};
	time_t end = time(NULL) + setting("MALITOP_RANDOM_S", 10) / 2;
	struct run run;

	random_state = (uint64_t)setting("MALITOP_RANDOM_SEED", 1);
	/* the second run finds the files of the first */
	for (int i = 0; i < 2; i++, end += setting("MALITOP_RANDOM_S", 10) / 2) {
		run_start(&run,
			  &(struct run_options){.words = words, .env = config, .cols = 110, .rows = 30});
		assert_true(run_wait(&run, 0, "2 of 2 boards live"));
		pty_send(&run.pty, "\rlBlB"); /* the files are there the second time */
		do {
			pty_send(&run.pty, keys[random_below(ARRAY_LEN(keys))]);
			if (!pty_read_for(&run.pty, 20))
				fail_msg("the program ended");
		} while (time(NULL) < end);
		pty_send(&run.pty, "\x03");
		assert_true(pty_wait_report(&run.pty, 0));
		assert_int_equal(run.pty.report.status, SIGINT); /* as of waitpid: it did not crash */
		run_stop(&run);
	}
}

FIXTURE(make_folder)
{
	return mkdtemp(dir) && chdir(dir) == 0 ? 0 : -1;
}

FIXTURE(remove_folder)
{
	AUTOFREE char *remove = xasprintf("rm -rf %s", dir);

	return chdir("/") + system(remove);
}

TEST_GROUP(make_folder, remove_folder)

int main(void)
{
	alarm((unsigned)setting("MALITOP_RANDOM_S", 10) + ALARM_S);

	return test_run();
}
