/* term: damaged terminfo entries, and absurd sizes. */
#include "base/alloc.h"
#include "term/term_priv.h"
#include "tests/term/mini.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include <curses.h>
#include <term.h>

#define NAME "xterm-16color"

/* A section of one string "X1", whose value is "v". */
#define EXTENDED(names_at)     \
	"\0\0\0\0\1\0\2\0\5\0" \
	"\0\0" names_at "v\0X1\0"

static void build_tree(struct strbuf *entry)
{
	strbuf_clear(entry);
	entry_build(NAME, entry);
	if (entry->n % 2)
		strbuf_add(entry, "", 1);
}

/* Replace the first `from` in the entry by `to`, of the same length. */
static void put_for(struct strbuf *entry, const char *from, const char *to, size_t n)
{
	char *at = memmem(entry->p, entry->n, from, n);

	assert_non_null(at);
	memcpy(at, to, n);
}

static void the_built_in_entry_is_valid(void **state)
{
	AUTO_STRBUF struct strbuf entry = {0};

	(void)state;
	build_tree(&entry);
	assert_true(entry_is_valid(entry.p, entry.n));
	strbuf_add(&entry, EXTENDED("\0\0"), sizeof(EXTENDED("\0\0")) - 1);
	assert_true(entry_is_valid(entry.p, entry.n));
}

/* What the frames have to know of the cursor to move it with few bytes. */
static void the_built_in_entry_says_how_the_cursor_moves(void **state)
{
	int error;

	(void)state;
	entry_use_built_in(NAME);
	assert_int_equal(setupterm(NAME, STDOUT_FILENO, &error), OK);
	unsetenv("TERMINFO");
	assert_int_equal(tigetflag("am"), 1);
	assert_int_equal(tigetflag("xenl"), 1);
	assert_int_equal(tigetflag("msgr"), 1);
	assert_int_equal(tigetflag("bce"), 0); /* terminals differ */
	assert_string_equal(tigetstr("cud1"), "\n");
	del_curterm(cur_term);
}

static void an_entry_that_is_cut_anywhere_is_damaged(void **state)
{
	AUTO_STRBUF struct strbuf entry = {0};
	size_t whole;

	(void)state;
	build_tree(&entry);
	whole = entry.n;
	strbuf_add(&entry, EXTENDED("\0\0"), sizeof(EXTENDED("\0\0")) - 1);
	for (size_t n = 0; n < entry.n; n++)
		if (entry_is_valid(entry.p, n) && n != whole && n != whole - 1 &&
		    n != whole + 1) /* one byte more or less is alignment */
			fail_msg("%zu of %zu bytes are taken for all", n, entry.n);
}

static void what_ncurses_would_stumble_over_is_damaged(void **state)
{
	static const struct {
		const char *what, *from, *to;
		size_t n;
	} cases[] = {
		{"another magic number", "\x1a\x01", "\x1b\x02", 2},
		{"10,000 columns", "\x50\0\xff\xff\x18\0", "\x10\x27\xff\xff\x18\0", 6},
		{"10,000 lines", "\x50\0\xff\xff\x18\0", "\x50\0\xff\xff\x10\x27", 6},
		{"a number as an address", "\x1b[3%p1%dm", "\x1b[3%p1%sm", 9},
		{"its length", "\x1b[3%p1%dm", "\x1b[3%p1%lm", 9},
		{"with a width", "\x1b[%i%p1%d;", "\x1b[%p1%10s;", 10},
		{"a pause of hours", "\x1b[3%p1%dm", "$<999999>", 9},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf entry = {0};

		build_tree(&entry);
		put_for(&entry, cases[i].from, cases[i].to, cases[i].n);
		if (entry_is_valid(entry.p, entry.n))
			fail_msg("%s is taken for whole", cases[i].what);
	}
}

static void names_beyond_their_table_are_damaged(void **state)
{
	AUTO_STRBUF struct strbuf entry = {0};

	(void)state;
	build_tree(&entry);
	strbuf_add(&entry, EXTENDED("\0\x70"), sizeof(EXTENDED("\0\x70")) - 1);
	assert_false(entry_is_valid(entry.p, entry.n));
}

/* ---- in use ---- */

static void write_entry(const char *dir, const struct strbuf *entry)
{
	AUTOFREE char *sub = xasprintf("%s/x", dir), *path = xasprintf("%s/" NAME, sub);
	FILE *f;

	mkdir(sub, 0700);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_int_equal(fwrite(entry->p, 1, entry->n, f), entry->n);
	fclose(f);
}

static void remove_entry(const char *dir)
{
	AUTOFREE char *sub = xasprintf("%s/x", dir), *path = xasprintf("%s/" NAME, sub);

	unlink(path);
	rmdir(sub);
	rmdir(dir);
}

static void a_damaged_entry_gives_way_to_the_built_in_one(void **state)
{
	char dir[] = "/tmp/malitop-terminfo-XXXXXX";
	AUTO_STRBUF struct strbuf entry = {0};
	AUTOFREE char *terminfo = NULL;
	struct pty pty;

	(void)state;
	assert_non_null(mkdtemp(dir));
	terminfo = xasprintf("TERMINFO=%s", dir);
	const char *env[] = {"LC_ALL=C.UTF-8", terminfo, NULL};
	struct pty_options options = {.cols = 80,
				      .rows = 24,
				      .term = NAME,
				      .env = env,
				      .body = mini_ui,
				      .arg = &mini_plain,
				      .limit_core = true};

	build_tree(&entry);
	strbuf_add(&entry, EXTENDED("\0\x70"), sizeof(EXTENDED("\0\x70")) - 1);
	write_entry(dir, &entry);
	pty_start(&pty, &options);
	assert_true(pty_wait_output(&pty, 0, "frame-1-80x24"));
	assert_true(pty_wrote(&pty, 0, ENTER));
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 0));
	mini_assert_exit(&pty, 0);
	assert_true(pty_wrote(&pty, mini_after(&pty, "frame-1"), LEAVE));
	assert_true(pty_wrote(&pty, mini_after(&pty, "frame-1"), SHOW));
	assert_true(pty_same_modes(&pty.before, &pty.report.modes));
	pty_stop(&pty);
	remove_entry(dir);
}

static void a_board_without_terminfo_has_the_built_in_entry(void **state)
{
	struct pty pty;

	(void)state;
	mini_start(&pty, &mini_plain, "xterm-that-no-database-has", 80, 24);
	assert_true(pty_wait_output(&pty, 0, "frame-1-80x24"));
	assert_true(pty_wrote(&pty, 0, ENTER));
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 0));
	mini_assert_exit(&pty, 0);
	pty_stop(&pty);
}

static void the_built_in_entry_has_the_colours_that_the_name_says(void **state)
{
	int error;

	(void)state;
	entry_use_built_in("xterm-256color");
	assert_int_equal(setupterm("xterm-256color", STDOUT_FILENO, &error), OK);
	unsetenv("TERMINFO");
	assert_int_equal(tigetnum("colors"), 256);
	assert_string_equal(tparm(tigetstr("setaf"), 208L, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L), "\x1b[38;5;208m");
	del_curterm(cur_term);
}

static long resident_kb(pid_t pid)
{
	AUTOFREE char *path = xasprintf("/proc/%d/status", (int)pid);
	FILE *f = fopen(path, "re");
	char line[256];
	long kb = -1;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "VmHWM: %ld kB", &kb) == 1)
			break;
	fclose(f);
	return kb;
}

static void sizes_of_the_environment_are_not_believed(void **state)
{
	static const char *const env[] = {"LC_ALL=C.UTF-8", "LINES=5000", "COLUMNS=5000", NULL};
	struct pty_options options = {
		.cols = 80, .rows = 24, .term = NAME, .env = env, .body = mini_ui, .arg = &mini_plain};
	struct pty pty;

	(void)state;
	pty_start(&pty, &options);
	assert_true(pty_wait_output(&pty, 0, "frame-1-80x24"));
	assert_in_range(resident_kb(pty.job), 1, 200000);
	pty_send(&pty, "q");
	assert_true(pty_wait_report(&pty, 0));
	mini_assert_exit(&pty, 0);
	pty_stop(&pty);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_built_in_entry_is_valid),
		cmocka_unit_test(the_built_in_entry_says_how_the_cursor_moves),
		cmocka_unit_test(an_entry_that_is_cut_anywhere_is_damaged),
		cmocka_unit_test(what_ncurses_would_stumble_over_is_damaged),
		cmocka_unit_test(names_beyond_their_table_are_damaged),
		cmocka_unit_test(a_damaged_entry_gives_way_to_the_built_in_one),
		cmocka_unit_test(the_built_in_entry_has_the_colours_that_the_name_says),
		cmocka_unit_test(a_board_without_terminfo_has_the_built_in_entry),
		cmocka_unit_test(sizes_of_the_environment_are_not_believed),
	};

	alarm(600); /* a test that hangs has failed */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
