/* keys and term_input: bytes from the terminal to keys, and keys to a line of text. */
#include "term/term_key.h"
#include "term/term_priv.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static void type_keys(struct input *input, const char *bytes, int64_t now_ns)
{
	input_add(input, bytes, strlen(bytes), now_ns);
}

TEST(known_sequences_are_keys)
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
		{"\x1bOR", K_F3},
		{"\x1b[13~", K_F3},
		{"\x1b[[C", K_F3},
		{"\x1bOS", K_F4},
		{"\x1b[[D", K_F4},
		{"\x1b[15~", K_F5},
		{"\x1b[[E", K_F5},
		{"\x1b[17~", K_F6},
		{"\x1b[20~", K_F9},
		{"\x1b[21~", K_F10},
		{"\x1b[<64;10;10M", K_WHEEL_UP},
		{"\x1b[<65;10;10M", K_WHEEL_DOWN},
		{"\x1b[M`!!", K_WHEEL_UP},
		/* the keypad in application mode */
		{"\x1bOp", '0'},
		{"\x1bOy", '9'},
		{"\x1bOM", K_ENTER},
		{"\x1bOI", K_TAB},
		{"\x1bOX", '='},
		{"\x1bOj", '*'},
		{"\x1bOk", '+'},
		{"\x1bOl", ','},
		{"\x1bOm", '-'},
		{"\x1bOn", '.'},
		{"\x1bOo", '/'},
		{"\x1bOH", K_HOME},
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct input input = {0};
		struct term_input in = {0};

		type_keys(&input, cases[i].bytes, 0);
		assert_int_equal(input_next(&input, 0, &in), TERM_KEY);
		assert_int_equal(in.key, cases[i].key);
		assert_int_equal(input_next(&input, 0, &in), TERM_NONE);
		assert_int_equal(input.n, 0);
	}
}

/* Cut after every byte, as a slow line does. */
TEST(sequences_may_come_in_pieces)
{
	static const char *const cases[] = {"\x1b[1;5C", "\x1bOP",   "\x1b[<0;120;2M",  "\x1b[[A",
					    "\x1b[6~",   "\xc3\xa4", "\xf0\x9f\x98\x80"};

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

TEST(what_is_no_key_is_skipped_whole)
{
	static const char *const cases[] = {
		"\x1b[999;1R",    "\x1b[?2026;2$y", "\x1b[201~", "\x1b[<3;5;5M",
		"\x1b[<0;5;5m",   "\x1b[<0;0;0M",   "\x1b[M#!!", "\x1b[99999999999999999999~",
		"\x1bOz",         "\xff",           "\xc2\x9b",  "\x1b[>0;1;2c",
		"\x1b[;;;;;;;;x", "\xc3",           "\xf0\x9f",  "\xed\xa0\x80",
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct input input = {0};
		struct term_input in = {0};

		type_keys(&input, cases[i], 0);
		type_keys(&input, "q", 0);
		assert_int_equal(input_next(&input, 0, &in), TERM_KEY);
		assert_int_equal(in.key, 'q');
	}
}

TEST(a_click_is_where_it_was)
{
	static const struct {
		const char *bytes;
		int x, y;
	} cases[] = {{"\x1b[<0;1;1M", 0, 0}, {"\x1b[<0;500;200M", 499, 199}, {"\x1b[M !\"", 0, 1}};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct input input = {0};
		struct term_input in = {0};

		type_keys(&input, cases[i].bytes, 0);
		assert_int_equal(input_next(&input, 0, &in), TERM_MOUSE);
		assert_int_equal(in.x, cases[i].x);
		assert_int_equal(in.y, cases[i].y);
	}
}

TEST(a_lone_escape_is_a_key_after_a_while)
{
	struct input input = {0};
	struct term_input in = {0};

	type_keys(&input, "\x1b", 1000);
	assert_int_equal(input_next(&input, 1000 + INPUT_WAIT_NS - 1, &in), TERM_NONE);
	assert_int_equal(input_next(&input, 1000 + INPUT_WAIT_NS, &in), TERM_KEY);
	assert_int_equal(in.key, K_ESCAPE);
}

TEST(escape_and_a_letter_are_two_keys)
{
	struct input input = {0};
	struct term_input in = {0};

	type_keys(&input, "\x1bq", 0);
	assert_int_equal(input_next(&input, 0, &in), TERM_KEY);
	assert_int_equal(in.key, K_ESCAPE);
	assert_int_equal(input_next(&input, 0, &in), TERM_KEY);
	assert_int_equal(in.key, 'q');
}

TEST(the_torso_of_a_sequence_is_dropped_after_a_while)
{
	struct input input = {0};
	struct term_input in = {0};

	type_keys(&input, "\x1b[1;", 0);
	assert_int_equal(input_next(&input, DISCARD_WAIT_NS - 1, &in), TERM_NONE);
	assert_int_equal(input.n, 4);
	assert_int_equal(input_wait_ns(&input, 0), DISCARD_WAIT_NS);
	assert_int_equal(input_next(&input, DISCARD_WAIT_NS, &in), TERM_NONE);
	assert_int_equal(input.n, 0);
}

TEST(the_torso_of_a_character_is_dropped_after_a_while)
{
	struct input input = {0};
	struct term_input in = {0};

	type_keys(&input, "\xe6\xbc", 0);
	assert_int_equal(input_next(&input, DISCARD_WAIT_NS - 1, &in), TERM_NONE);
	assert_int_equal(input.n, 2);
	assert_int_equal(input_next(&input, DISCARD_WAIT_NS, &in), TERM_NONE);
	assert_int_equal(input.n, 0);
}

TEST(endless_input_overruns_nothing)
{
	struct input input = {0};
	struct term_input in = {0};

	type_keys(&input, "\x1b[", 0);
	for (int i = 0; i < 1000; i++) {
		type_keys(&input, "1;2;3;4;5;", 0);
		assert_true(input.n <= sizeof(input.buf));
		input_next(&input, 0, &in);
	}
	while (input_next(&input, DISCARD_WAIT_NS, &in) != TERM_NONE)
		;
	type_keys(&input, "q", DISCARD_WAIT_NS);
	assert_int_equal(input_next(&input, DISCARD_WAIT_NS, &in), TERM_KEY);
	assert_int_equal(in.key, 'q');
}

TEST(any_bytes_at_all_are_survived)
{
	struct input input = {0};
	struct term_input in;
	unsigned random = 1;
	static const char alphabet[] = "\x1b\x1b\x1b[[O]P<M;019~ACz\\\a\xff\x01";

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

TEST(the_terminals_own_keys_go_first)
{
	struct input input = {.caps = {{"\x0b", K_UP}, {"\x1b\x41\x42", K_F1}}, .n_caps = 2};
	struct term_input in = {0};

	type_keys(&input,
		  "\x0b\x1b"
		  "A",
		  0);
	assert_int_equal(input_next(&input, 0, &in), TERM_KEY);
	assert_int_equal(in.key, K_UP);
	assert_int_equal(input_next(&input, 0, &in), TERM_NONE);
	type_keys(&input, "B", 0);
	assert_int_equal(input_next(&input, 0, &in), TERM_KEY);
	assert_int_equal(in.key, K_F1);
}

/* ---- lines and pastes ---- */

TEST(a_line_is_typed_and_never_overrun)
{
	static const struct {
		const char *keys, *want;
	} cases[] = {{"1:30", "1:30"},    {"ab\x7f", "a"},    {"\x7f\b", ""},    {"a\tb\rc", "abc"},
		     {"a bc \x17", "a "}, {"ab\x17\x17", ""}, {"a b\x15.", "."}, {"0123456789", "0123456"}};
	char text[8];

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		text[0] = 0;
		for (const char *key = cases[i].keys; *key; key++)
			term_key_type(text, sizeof(text), (unsigned char)*key);
		assert_string_equal(text, cases[i].want);
	}
	memcpy(text, "12345", 6);
	term_key_type(text, sizeof(text), 0x6f22); /* has no room for three bytes */
	assert_string_equal(text, "12345");
	text[3] = 0;
	term_key_type(text, sizeof(text), 0x6f22);
	term_key_type(text, sizeof(text), K_UP);
	assert_string_equal(text, "123\u6f22");
	term_key_type(text, sizeof(text), K_BACKSPACE);
	assert_string_equal(text, "123");
}

#define PASTE(text) "\x1b[200~" text "\x1b[201~"

/* Cut after every byte, too: nothing of it is a key, and the key after it is. */
TEST(what_is_pasted_is_one_event_and_no_keys)
{
	static const char *const cases[] = {
		PASTE(""),           PASTE("lq"),
		PASTE("l\rq\r"),     PASTE("\x1b[A\x1b[20"),
		PASTE("\x1b[200~q"), PASTE("\x1b\x1b\x1b[2"),
		PASTE("\xc3"),
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++)
		for (size_t piece = 1; piece <= strlen(cases[i]); piece++) {
			struct input input = {0};
			struct term_input in = {0};
			unsigned pastes = 0;

			for (size_t at = 0; at < strlen(cases[i]); at += piece) {
				enum term_event event;

				input_add(&input, cases[i] + at, strnlen(cases[i] + at, piece), 0);
				while ((event = input_next(&input, 0, &in)) != TERM_NONE)
					pastes += event == TERM_PASTE ? 1 : 100;
			}
			assert_int_equal(pastes, 1);
			type_keys(&input, "x", 0);
			assert_int_equal(input_next(&input, 0, &in), TERM_KEY);
			assert_int_equal(in.key, 'x');
		}
}

TEST(a_long_paste_overruns_nothing)
{
	struct input input = {0};
	struct term_input in = {0};

	type_keys(&input, "\x1b[200~", 0);
	assert_int_equal(input_next(&input, 0, &in), TERM_PASTE);
	for (unsigned i = 0; i < 10000; i++) {
		type_keys(&input, "lqlqlq\x1b[", 0);
		assert_int_equal(input_next(&input, 0, &in), TERM_NONE);
		assert_true(input.n < INPUT_MAX / 2); /* there is always room for more */
	}
	type_keys(&input, "\x1b[201~q", 0);
	assert_int_equal(input_next(&input, 0, &in), TERM_KEY);
}

TEST(a_paste_without_an_end_is_over_after_a_while)
{
	struct input input = {0};
	struct term_input in = {0};

	assert_int_equal(input_wait_ns(&input, 0), INT64_MAX);
	type_keys(&input, "\x1b[200~l\x1b[20", 0);
	assert_int_equal(input_next(&input, 0, &in), TERM_PASTE);
	assert_int_equal(input_wait_ns(&input, 1), DISCARD_WAIT_NS - 1);
	assert_int_equal(input_next(&input, DISCARD_WAIT_NS, &in), TERM_NONE);
	type_keys(&input, "q", DISCARD_WAIT_NS);
	assert_int_equal(input_next(&input, DISCARD_WAIT_NS, &in), TERM_KEY);
	assert_int_equal(in.key, 'q');
}

/* The reader may be late, and the user may press keys again and again. */
TEST(after_a_paste_without_an_end_keys_are_soon_heard)
{
	static const struct {
		size_t pasted;
		int64_t gap_ns, last_ns; /* between keys; when one is heard at the latest */
	} cases[] = {{3, 6 * DISCARD_WAIT_NS, 6 * DISCARD_WAIT_NS},
		     {3, DISCARD_WAIT_NS, DISCARD_WAIT_NS},
		     {3, DISCARD_WAIT_NS - 1, 2 * PASTE_SPAN_NS},
		     {3, PASTE_SPAN_NS / 10, 2 * PASTE_SPAN_NS},
		     {200, PASTE_SPAN_NS / 10, 3 * PASTE_SPAN_NS}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct input input = {0};
		struct term_input in = {0};
		enum term_event event = TERM_NONE;
		int64_t now_ns = 0;

		type_keys(&input, "\x1b[200~", 0);
		assert_int_equal(input_next(&input, 0, &in), TERM_PASTE);
		for (size_t k = 0; k < cases[i].pasted; k++)
			type_keys(&input, "a", 0);
		assert_int_equal(input_next(&input, 0, &in), TERM_NONE);
		while (event == TERM_NONE && now_ns <= cases[i].last_ns) {
			now_ns += cases[i].gap_ns;
			type_keys(&input, "q", now_ns);
			event = input_next(&input, now_ns, &in);
		}
		if (event != TERM_KEY || in.key != 'q')
			fail_msg("case %zu: event %d after %lld ms", i, event, (long long)now_ns / 1000000);
	}
}

TEST(a_slow_paste_is_one_all_the_same)
{
	struct input input = {0};
	struct term_input in = {0};

	type_keys(&input, "\x1b[200~", 0);
	assert_int_equal(input_next(&input, 0, &in), TERM_PASTE);
	for (int64_t ms = 10; ms < 20000; ms += 10) { /* 1200 baud */
		type_keys(&input, "q", ms * 1000000);
		assert_int_equal(input_next(&input, ms * 1000000, &in), TERM_NONE);
	}
	type_keys(&input, "\x1b[201~q", 20000000000);
	assert_int_equal(input_next(&input, 20000000000, &in), TERM_KEY);
}

/* ---- answers of the terminal ---- */

/* As one piece and cut into pieces of any size, 100 ms apart: the key after it is the only one. */
TEST(late_answers_of_the_terminal_are_no_keys)
{
	static const char *const cases[] = {
		"\x1b]11;rgb:1e1e/1e1e/1e1e\a",
		"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\",
		"\x1b]52;c;bHE=\x1b\\",
		"\x1bP>|XTerm(390)\x1b\\",
		"\x1bP1$r0m\x1b\\",
		"\x1bP!|00000000\a",
		"\x1b_Gi=31;OK\x1b\\",
		"\x1b^private\x1b\\",
		"\x1bXstart\xc3\xa4\x1b\\",
		"\x1b]l\xc3\xa4 title\x1b\\",
		"\x1bPq\x18",
		"\x1b]0;cut off by\x1b[?62;22c",
		"\x1b[?62;22c",
		"\x1b[?2026;2$y",
		"\x1b\\",
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++)
		for (size_t piece = 1; piece <= strlen(cases[i]); piece++) {
			struct input input = {0};
			struct term_input in = {0};
			int64_t now_ns = 0;

			for (size_t at = 0; at < strlen(cases[i]); at += piece, now_ns += INPUT_WAIT_NS - 1) {
				input_add(&input, cases[i] + at, strnlen(cases[i] + at, piece), now_ns);
				if (input_next(&input, now_ns, &in) != TERM_NONE)
					fail_msg("case %u in pieces of %zu: key %x", i, piece, in.key);
			}
			type_keys(&input, "x", now_ns);
			assert_int_equal(input_next(&input, now_ns, &in), TERM_KEY);
			assert_int_equal(in.key, 'x');
			assert_int_equal(input.n, 0);
		}
}

TEST(escape_and_the_letter_of_a_string_are_two_keys_after_a_while)
{
	static const char letters[] = "]P_^X";

	for (const char *letter = letters; *letter; letter++) {
		struct input input = {0};
		struct term_input in = {0};

		type_keys(&input, (char[]){'\x1b', *letter, 0}, 0);
		assert_int_equal(input_next(&input, DISCARD_WAIT_NS - 1, &in), TERM_NONE);
		assert_int_equal(input_wait_ns(&input, 0), DISCARD_WAIT_NS);
		assert_int_equal(input_next(&input, DISCARD_WAIT_NS, &in), TERM_KEY);
		assert_int_equal(in.key, K_ESCAPE);
		assert_int_equal(input_next(&input, DISCARD_WAIT_NS, &in), TERM_KEY);
		assert_int_equal(in.key, *letter);
	}
}

TEST(a_string_without_an_end_blocks_no_keys_for_long)
{
	static const int64_t gaps_ns[] = {1000000, INPUT_WAIT_NS, DISCARD_WAIT_NS - 1, DISCARD_WAIT_NS};

	for (unsigned i = 0; i < ARRAY_LEN(gaps_ns); i++) {
		struct input input = {0};
		struct term_input in = {0};
		enum term_event event = TERM_NONE;
		int64_t now_ns = 0;

		type_keys(&input, "\x1b]0;endless", 0);
		assert_int_equal(input_next(&input, 0, &in), TERM_NONE);
		while (event == TERM_NONE && now_ns < STRING_SPAN_NS + DISCARD_WAIT_NS) {
			now_ns += gaps_ns[i];
			type_keys(&input, "q", now_ns);
			assert_true(input.n <= sizeof(input.buf));
			event = input_next(&input, now_ns, &in);
		}
		assert_int_equal(event, TERM_KEY);
		assert_int_equal(in.key, 'q');
		assert_in_range(now_ns, 0,
				gaps_ns[i] == DISCARD_WAIT_NS ? DISCARD_WAIT_NS
							      : STRING_SPAN_NS + gaps_ns[i]);
	}
}

TEST(escape_after_a_string_without_an_end_is_a_key)
{
	struct input input = {0};
	struct term_input in = {0};

	type_keys(&input, "\x1b]0;endless\x1b", 0);
	assert_int_equal(input_next(&input, 0, &in), TERM_NONE);
	assert_int_equal(input_wait_ns(&input, 0), DISCARD_WAIT_NS);
	assert_int_equal(input_next(&input, DISCARD_WAIT_NS, &in), TERM_KEY);
	assert_int_equal(in.key, K_ESCAPE);
}
