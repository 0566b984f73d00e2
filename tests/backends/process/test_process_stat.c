/* The text of a process: its numbers whatever it calls itself, and its name. */
#include "tests/support/fixture.h"

#include "backends/process_file.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#define TAIL " S 1 2 3 4 -1 4194560 1 2 3 4 70 30 5 6 20 -5 3 0 931 774144000 21000 18446744073709551615 1\n"

static bool parse_text(struct process_stat *stat, const char *text)
{
	return process_stat_parse(stat, span_of(text));
}

TEST(numbers_are_those_behind_the_last_parenthesis)
{
	static const char *const names[] = {"sh",   "a) R 9 (b",  "",           "(((",
					    ")))",  " ",          "two\nlines", "\033[31m",
					    "\xff", ") S 1 2 3 ", "1 (a) R 1",  "fifteen-letters"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTOFREE char *text = xasprintf("4711 (%s)" TAIL, names[i]);
		struct process_stat stat;

		assert_true(parse_text(&stat, text));
		assert_true(span_is(stat.comm, names[i]));
		assert_int_equal(stat.state, 'S');
		assert_int_equal(stat.parent, 1);
		assert_int_equal(stat.flags, 4194560);
		assert_int_equal(stat.ticks, 100);
		assert_int_equal(stat.threads, 3);
		assert_int_equal(stat.start, 931);
		assert_int_equal(stat.rss_pages, 21000);
	}
}

TEST(a_text_that_is_cut_or_another_one_is_refused)
{
	static const char *const texts[] = {
		"",
		"\n",
		"4711",
		"4711 (sh",
		"4711 sh)" TAIL,
		"4711 )sh(" TAIL,
		"4711 (sh)",
		"4711 (sh) S",
		"4711 (sh) S x 2 3 4 -1 0 1 2 3 4 70 30 5 6 20 -5 3 0 931 774144000 21000 1\n",
		"4711 (sh) S 1 2 3 4 - 0 1 2 3 4 70 30 5 6 20 -5 3 0 931 774144000 21000 1\n",
		"4711 (sh) S 1 2 3 4 -1 0 1 2 3 4 70 30 5 6 20 -5 3 0 931 774144000 x 1\n",
	};
	const char whole[] = "4711 (sh)" TAIL, *rss = strstr(whole, " 21000 ") + 7;
	struct process_stat stat;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_false(parse_text(&stat, texts[i]));
	for (const char *end = whole; end < rss; end++)
		assert_false(process_stat_parse(&stat, (struct span){whole, (size_t)(end - whole)}));
	assert_true(process_stat_parse(&stat, (struct span){whole, (size_t)(rss - whole)}));
}

TEST(numbers_that_no_kernel_writes_do_no_harm)
{
	struct process_stat stat;

	assert_true(parse_text(&stat,
			       "1 (x) \033 99999999999 2 3 4 -1 -7 1 2 3 4 99999999999999999999999 1 5 6 "
			       "20 -5 99999999999 0 5 1 "
			       "-21000 1\n"));
	assert_int_equal(stat.state, '?');
	assert_int_equal(stat.parent, INT32_MAX);
	assert_int_equal(stat.flags, 0);
	assert_true(stat.threads == UINT32_MAX);
	assert_int_equal(stat.rss_pages, 0);
	assert_true(parse_text(&stat, "1 (x) S -9 2 3 4 -1 0 1 2 3 4 1 1 5 6 20 -5 1 0 5 1 1 1\n"));
	assert_int_equal(stat.parent, 0);
}

TEST(a_name_that_may_have_been_cut_is_completed_from_the_command_line)
{
	static const struct {
		const char *comm, *cmdline, *name;
		unsigned opens;
	} cases[] = {
		{"sh", "/bin/other", "sh", 0},
		{"fourteen-chars", "/bin/fourteen-chars-more", "fourteen-chars", 0},
		{"fifteen-letters", "/usr/lib/fifteen-letters-and-more", "fifteen-letters-and-more", 1},
		{"fifteen-letters", "fifteen-letters-and-more", "fifteen-letters-and-more", 1},
		{"fifteen-letters", "/opt/my things/fifteen-letters-and-more", "fifteen-letters-and-more", 1},
		{"fifteen-letters", "/opt/fifteen-letters-1/run -c /x/fifteen-letters/", "fifteen-letters",
		 1},
		{"fifteen-letters", "/bin/python3 /srv/fifteen-letters.py", "fifteen-letters.py", 1},
		{"fifteen-letters", "", "fifteen-letters", 1},
		{"fifteen-letters", NULL, "fifteen-letters", 1},
		{"dio.bigger.game", "com.studio.bigger.game", "com.studio.bigger.game", 1},
		{"fifteen\tletters", "/bin/fifteen\tletters\033[2J", "fifteen?letters?[2J", 1},
		{"fifteen-letter\xc3", "/bin/fifteen-letter\xc3\xa9", "fifteen-letter\xc3\xa9", 1},
		{"fifteen-letters", "/bin/fifteen-letters-0123456789012345678901234567890123456789",
		 "fifteen-letters-0123456789012345678901234567890", 1},
		{"", "/bin/sh", "", 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char name[48];
		struct fixture f;

		fixture_init(&f, NULL);
		if (cases[i].cmdline)
			fixture_write(&f, "proc/7/cmdline", cases[i].cmdline);
		process_name(&f.sys, 7, span_of(cases[i].comm), name, sizeof(name));
		assert_string_equal(name, cases[i].name);
		assert_int_equal(f.opens, cases[i].opens);
		fixture_fini(&f);
	}
}

#define STAT_OF(parent) " R " parent " 2 3 4 -1 0 1 2 3 4 7 3 5 6 20 -5 3 0 931 7 2 1 1\n"

TEST(a_process_descends_from_whoever_started_it)
{
	static const struct {
		int32_t pid, ancestor;
		bool descends;
	} cases[] = {{30, 30, true}, {30, 20, true}, {30, 10, true},  {30, 1, true}, {10, 30, false},
		     {40, 1, false}, {50, 1, false}, {60, 10, false}, {0, 10, false}};
	struct fixture f;

	fixture_init(&f, NULL);
	fixture_write(&f, "proc/1/stat", "1 (init)" STAT_OF("0"));
	fixture_write(&f, "proc/10/stat", "10 (sh)" STAT_OF("1"));
	fixture_write(&f, "proc/20/stat", "20 (a) S 1 2))" STAT_OF("10"));
	fixture_write(&f, "proc/30/stat", "30 (game)" STAT_OF("20"));
	fixture_write(&f, "proc/40/stat", "40 (own)" STAT_OF("40"));
	fixture_write(&f, "proc/50/stat", "50 (cut");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (process_descends(&f.sys, cases[i].pid, cases[i].ancestor) != cases[i].descends)
			fail_msg("%d of %d", cases[i].pid, cases[i].ancestor);
	fixture_fini(&f);
}
