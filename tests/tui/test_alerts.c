#include "tests/support/test.h"
#include "tui/alerts.h"

#include <stdio.h>
#include <string.h>

#define SECOND 1000000000ll

TEST(the_newest_is_shown_for_ten_seconds)
{
	struct alerts a = {0};
	int64_t until;

	assert_null(alerts_now(&a, 5 * SECOND, &until));
	alerts_add(&a, 10 * SECOND, "first");
	alerts_add(&a, 12 * SECOND, "second");
	assert_string_equal(alerts_now(&a, 13 * SECOND, &until)->text, "second");
	assert_int_equal(until, 22 * SECOND);
	assert_string_equal(alerts_now(&a, 22 * SECOND - 1, &until)->text, "second");
	assert_null(alerts_now(&a, 22 * SECOND, &until));
}

TEST(a_hint_is_shown_like_an_alert_and_not_kept)
{
	struct alerts a = {0};
	int64_t until;

	alerts_hint(&a, 1 * SECOND, "x: does \x1b nothing");
	assert_string_equal(alerts_now(&a, 2 * SECOND, &until)->text, "x: does ? nothing");
	assert_int_equal(until, 11 * SECOND);
	assert_int_equal(a.n, 0);
	alerts_add(&a, 3 * SECOND, "disk full");
	assert_string_equal(alerts_now(&a, 3 * SECOND, &until)->text, "disk full");
	alerts_hint(&a, 4 * SECOND, "y");
	assert_string_equal(alerts_now(&a, 4 * SECOND, &until)->text, "y");
	assert_int_equal(a.n, 1);
	assert_null(alerts_now(&a, 14 * SECOND, &until));
}

TEST(what_the_screen_says_is_only_listed)
{
	struct alerts a = {0};
	int64_t until;

	alerts_quiet(&a, 1 * SECOND, "verdict: GPU bound");
	assert_null(alerts_now(&a, 1 * SECOND, &until));
	assert_int_equal(a.n, 1);
	alerts_add(&a, 2 * SECOND, "disk full");
	alerts_quiet(&a, 3 * SECOND, "verdict: CPU bound");
	assert_string_equal(alerts_now(&a, 3 * SECOND, &until)->text, "disk full");
}

TEST(an_answer_ends_with_the_next_key)
{
	struct alerts a = {0};
	int64_t until;

	alerts_add(&a, 1 * SECOND, "disk full");
	alerts_hint(&a, 2 * SECOND, "x: does nothing");
	a.hint = (struct alert){0}; /* another key */
	assert_string_equal(alerts_now(&a, 3 * SECOND, &until)->text, "disk full");
}

TEST(only_the_last_are_kept)
{
	struct alerts a = {0};
	char text[32];

	for (int i = 0; i < 3 * ALERTS_KEPT; i++) {
		snprintf(text, sizeof(text), "line %d", i);
		alerts_add(&a, i, text);
	}
	assert_int_equal(a.n, ALERTS_KEPT);
	assert_string_equal(a.lines[0].text, "line 16");
	assert_string_equal(a.lines[ALERTS_KEPT - 1].text, "line 23");
}

TEST(a_line_is_printable_and_alone)
{
	struct alerts a = {0};

	alerts_add(&a, 0, "");
	alerts_add(&a, 0, "\nhidden");
	assert_int_equal(a.n, 0);
	alerts_add(&a, 0, "disk \x1b[31mfull\nsecond line");
	assert_int_equal(a.n, 1);
	assert_string_equal(a.lines[0].text, "disk ?[31mfull");
}

TEST(a_line_is_not_cut_inside_a_character)
{
	struct alerts a = {0};
	char text[901] = "";

	for (size_t i = 0; i < 900; i += 3)
		memcpy(text + i, "\xe2\x82\xac", 3);
	alerts_add(&a, 0, text);
	assert_int_equal(strlen(a.lines[0].text), (sizeof(a.lines[0].text) - 1) / 3 * 3);
	assert_null(strchr(a.lines[0].text, '?'));
}
