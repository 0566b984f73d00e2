/* keys and term_input: bytes from the terminal to keys, and keys to what they do. */
#include "tui/keys.h"
#include "term/term_priv.h"
#include "base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void type(struct input *input, const char *bytes, int64_t now_ns)
{
	input_add(input, bytes, strlen(bytes), now_ns);
}

static void known_sequences_are_keys(void **state)
{
	static const struct {
		const char *bytes;
		uint32_t key;
	} cases[] = {
		{"q", 'q'},
		{"\t", K_TAB},
		{"\r", K_ENTER},
		{"\x03", 0x03},
		{"\x7f", K_BACKSPACE},
		{"\xc3\xa4", 0xe4},
		{"\xe6\xbc\xa2", 0x6f22},
		{"\xf0\x9f\x98\x80", 0x1f600},
		{"\x1b[A", K_UP},
		{"\x1bOA", K_UP},
		{"\x1b[B", K_DOWN},
		{"\x1b[C", K_RIGHT},
		{"\x1b[D", K_LEFT},
		{"\x1b[1;5C", K_RIGHT},
		{"\x1b[Z", K_BACK_TAB},
		{"\x1b[H", K_HOME},
		{"\x1b[1~", K_HOME},
		{"\x1b[7~", K_HOME},
		{"\x1b[F", K_END},
		{"\x1b[4~", K_END},
		{"\x1bOF", K_END},
		{"\x1b[5~", K_PAGE_UP},
		{"\x1b[6~", K_PAGE_DOWN},
		{"\x1b[6;2~", K_PAGE_DOWN},
		{"\x1bOP", K_F1},
		{"\x1b[11~", K_F1},
		{"\x1b[[A", K_F1},
		{"\x1b[<64;10;10M", K_WHEEL_UP},
		{"\x1b[<65;10;10M", K_WHEEL_DOWN},
		{"\x1b[M`!!", K_WHEEL_UP},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct input input = {0};
		struct term_input in = {0};

		type(&input, cases[i].bytes, 0);
		assert_int_equal(input_next(&input, 0, &in), TERM_KEY);
		assert_int_equal(in.key, cases[i].key);
		assert_int_equal(input_next(&input, 0, &in), TERM_NONE);
		assert_int_equal(input.n, 0);
	}
}

/* Cut after every byte, as a slow line does. */
static void sequences_may_come_in_pieces(void **state)
{
	static const char *const cases[] = {"\x1b[1;5C", "\x1bOP",   "\x1b[<0;120;2M",  "\x1b[[A",
					    "\x1b[6~",   "\xc3\xa4", "\xf0\x9f\x98\x80"};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct input input = {0};
		struct term_input in = {0};
		size_t n = strlen(cases[i]);

		for (size_t b = 0; b + 1 < n; b++) {
			input_add(&input, cases[i] + b, 1, (int64_t)b);
			assert_int_equal(input_next(&input, (int64_t)b, &in), TERM_NONE);
		}
		input_add(&input, cases[i] + n - 1, 1, (int64_t)n);
		assert_int_not_equal(input_next(&input, (int64_t)n, &in), TERM_NONE);
	}
}

static void what_is_no_key_is_skipped_whole(void **state)
{
	static const char *const cases[] = {
		"\x1b[999;1R",    "\x1b[?2026;2$y", "\x1b[200~", "\x1b[<3;5;5M",
		"\x1b[<0;5;5m",   "\x1b[<0;0;0M",   "\x1b[M#!!", "\x1b[99999999999999999999~",
		"\x1bOz",         "\xff",           "\xc2\x9b",  "\x1b[>0;1;2c",
		"\x1b[;;;;;;;;x", "\xc3",           "\xf0\x9f",  "\xed\xa0\x80",
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct input input = {0};
		struct term_input in = {0};

		type(&input, cases[i], 0);
		type(&input, "q", 0);
		assert_int_equal(input_next(&input, 0, &in), TERM_KEY);
		assert_int_equal(in.key, 'q');
	}
}

static void a_click_is_where_it_was(void **state)
{
	static const struct {
		const char *bytes;
		int x, y;
	} cases[] = {{"\x1b[<0;1;1M", 0, 0}, {"\x1b[<0;500;200M", 499, 199}, {"\x1b[M !\"", 0, 1}};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct input input = {0};
		struct term_input in = {0};

		type(&input, cases[i].bytes, 0);
		assert_int_equal(input_next(&input, 0, &in), TERM_MOUSE);
		assert_int_equal(in.x, cases[i].x);
		assert_int_equal(in.y, cases[i].y);
	}
}

static void a_lone_escape_is_a_key_after_a_while(void **state)
{
	struct input input = {0};
	struct term_input in = {0};

	(void)state;
	type(&input, "\x1b", 1000);
	assert_int_equal(input_next(&input, 1000 + INPUT_WAIT_NS - 1, &in), TERM_NONE);
	assert_int_equal(input_next(&input, 1000 + INPUT_WAIT_NS, &in), TERM_KEY);
	assert_int_equal(in.key, K_ESCAPE);
}

static void escape_and_a_letter_are_two_keys(void **state)
{
	struct input input = {0};
	struct term_input in = {0};

	(void)state;
	type(&input, "\x1bq", 0);
	assert_int_equal(input_next(&input, 0, &in), TERM_KEY);
	assert_int_equal(in.key, K_ESCAPE);
	assert_int_equal(input_next(&input, 0, &in), TERM_KEY);
	assert_int_equal(in.key, 'q');
}

static void the_torso_of_a_sequence_is_dropped_after_a_while(void **state)
{
	struct input input = {0};
	struct term_input in = {0};

	(void)state;
	type(&input, "\x1b[1;", 0);
	assert_int_equal(input_next(&input, INPUT_WAIT_NS, &in), TERM_NONE);
	assert_int_equal(input.n, 0);
}

static void the_torso_of_a_character_is_dropped_after_a_while(void **state)
{
	struct input input = {0};
	struct term_input in = {0};

	(void)state;
	type(&input, "\xe6\xbc", 0);
	assert_int_equal(input_next(&input, INPUT_WAIT_NS - 1, &in), TERM_NONE);
	assert_int_equal(input.n, 2);
	assert_int_equal(input_next(&input, INPUT_WAIT_NS, &in), TERM_NONE);
	assert_int_equal(input.n, 0);
}

static void endless_input_overruns_nothing(void **state)
{
	struct input input = {0};
	struct term_input in = {0};

	(void)state;
	type(&input, "\x1b[", 0);
	for (int i = 0; i < 1000; i++) {
		type(&input, "1;2;3;4;5;", 0);
		assert_true(input.n <= sizeof(input.buf));
		input_next(&input, 0, &in);
	}
	while (input_next(&input, INPUT_WAIT_NS, &in) != TERM_NONE)
		;
	type(&input, "q", INPUT_WAIT_NS);
	assert_int_equal(input_next(&input, INPUT_WAIT_NS, &in), TERM_KEY);
	assert_int_equal(in.key, 'q');
}

static void any_bytes_at_all_are_survived(void **state)
{
	struct input input = {0};
	struct term_input in;
	unsigned random = 1;
	static const char alphabet[] = "\x1b\x1b\x1b[[O<M;019~ACz\xff\x01";

	(void)state;
	for (int i = 0; i < 200000; i++) {
		random = random * 1103515245u + 12345u;
		input_add(&input, &alphabet[(random >> 16) % (sizeof(alphabet) - 1)], 1, i);
		in = (struct term_input){0};
		while (input_next(&input, i, &in) == TERM_MOUSE) {
			assert_in_range(in.x, 0, 9999);
			assert_in_range(in.y, 0, 9999);
		}
	}
}

static void the_terminals_own_keys_go_first(void **state)
{
	struct input input = {.caps = {{"\x0b", K_UP}, {"\x1b\x41\x42", K_F1}}, .n_caps = 2};
	struct term_input in = {0};

	(void)state;
	type(&input,
	     "\x0b\x1b"
	     "A",
	     0);
	assert_int_equal(input_next(&input, 0, &in), TERM_KEY);
	assert_int_equal(in.key, K_UP);
	assert_int_equal(input_next(&input, 0, &in), TERM_NONE);
	type(&input, "B", 0);
	assert_int_equal(input_next(&input, 0, &in), TERM_KEY);
	assert_int_equal(in.key, K_F1);
}

/* ---- actions ---- */

static void keys_do_what_help_says(void **state)
{
	static const struct {
		uint32_t key;
		enum action action;
	} cases[] = {
		{'0', ACTION_VIEW},   {'9', ACTION_VIEW},  {K_TAB, ACTION_NEXT_VIEW}, {K_BACK_TAB, ACTION_PREVIOUS_VIEW},
		{' ', ACTION_PAUSE},  {'<', ACTION_OLDER}, {'.', ACTION_NEWER},       {'+', ACTION_SLOWER},
		{'-', ACTION_FASTER}, {K_F1, ACTION_HELP}, {'q', ACTION_QUIT},        {0x03, ACTION_QUIT},
		{'Q', ACTION_NONE},   {'k', ACTION_NONE},  {0, ACTION_NONE},          {0x1f600, ACTION_NONE},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(keys_action(cases[i].key, NEEDS_LIVE), cases[i].action);
	assert_int_equal(keys_view('7'), '7');
	assert_int_equal(keys_view('a'), '\0');
	assert_int_equal(keys_view(K_UP), '\0');
}

static void some_keys_are_only_live_and_some_only_of_replay(void **state)
{
	static const struct {
		uint32_t key;
		enum action live, replay;
	} cases[] = {
		{' ', ACTION_PAUSE, ACTION_PAUSE},      {'<', ACTION_OLDER, ACTION_OLDER},
		{'+', ACTION_SLOWER, ACTION_NONE},      {'-', ACTION_FASTER, ACTION_NONE},
		{'[', ACTION_NONE, ACTION_SPEED_DOWN},  {']', ACTION_NONE, ACTION_SPEED_UP},
		{'{', ACTION_NONE, ACTION_MARK_BEFORE}, {'}', ACTION_NONE, ACTION_MARK_AFTER},
		{'j', ACTION_NONE, ACTION_GO_TO},       {'c', ACTION_PER_CORE, ACTION_PER_CORE},
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(keys_action(cases[i].key, NEEDS_LIVE), cases[i].live);
		assert_int_equal(keys_action(cases[i].key, NEEDS_REPLAY), cases[i].replay);
	}
}

static void a_line_is_typed_and_never_overrun(void **state)
{
	static const struct {
		const char *keys, *want;
	} cases[] = {{"1:30", "1:30"}, {"ab\x7f", "a"}, {"\x7f\b", ""}, {"a\tb\rc", "abc"}, {"0123456789", "0123456"}};
	char text[8];

	(void)state;
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		text[0] = 0;
		for (const char *key = cases[i].keys; *key; key++)
			keys_type(text, sizeof(text), (unsigned char)*key);
		assert_string_equal(text, cases[i].want);
	}
	memcpy(text, "12345", 6);
	keys_type(text, sizeof(text), 0x6f22); /* has no room for three bytes */
	assert_string_equal(text, "12345");
	text[3] = 0;
	keys_type(text, sizeof(text), 0x6f22);
	keys_type(text, sizeof(text), K_UP);
	assert_string_equal(text, "123\u6f22");
	keys_type(text, sizeof(text), K_BACKSPACE);
	assert_string_equal(text, "123");
}

/* A key that a help entry names with one character has an action, so that help promises nothing. */
static void help_names_only_keys_that_work(void **state)
{
	(void)state;
	for (const struct key_help *help = key_helps; help->keys; help++) {
		AUTOFREE char *words = xstrdup(help->keys);

		assert_non_null(help->text);
		for (char *word = strtok(words, " ,"); word; word = strtok(NULL, " ,"))
			if (strlen(word) == 1)
				assert_int_not_equal(keys_action((unsigned char)word[0], help->needs), ACTION_NONE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_sequences_are_keys),
		cmocka_unit_test(sequences_may_come_in_pieces),
		cmocka_unit_test(what_is_no_key_is_skipped_whole),
		cmocka_unit_test(a_click_is_where_it_was),
		cmocka_unit_test(a_lone_escape_is_a_key_after_a_while),
		cmocka_unit_test(escape_and_a_letter_are_two_keys),
		cmocka_unit_test(the_torso_of_a_sequence_is_dropped_after_a_while),
		cmocka_unit_test(the_torso_of_a_character_is_dropped_after_a_while),
		cmocka_unit_test(endless_input_overruns_nothing),
		cmocka_unit_test(any_bytes_at_all_are_survived),
		cmocka_unit_test(the_terminals_own_keys_go_first),
		cmocka_unit_test(keys_do_what_help_says),
		cmocka_unit_test(some_keys_are_only_live_and_some_only_of_replay),
		cmocka_unit_test(a_line_is_typed_and_never_overrun),
		cmocka_unit_test(help_names_only_keys_that_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
