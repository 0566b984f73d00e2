#include "base/alloc.h"
#include "base/err.h"
#include "base/str.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A copy in a block of its own size, so that valgrind and ASan see a read beyond the end. */
static struct span exact(const char *text, size_t n)
{
	char *p = xmalloc(n ? n : 1);

	memcpy(p, text, n);
	return (struct span){p, n};
}

static void exact_free(struct span s)
{
	free((void *)(uintptr_t)s.p);
}

TEST(words_are_taken_off_one_by_one)
{
	static const char *const want[] = {"one", "two", "three", "", ""};
	struct span rest = SPAN_LIT(" \tone  two\r\nthree ");

	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		assert_true(span_is(span_word(&rest), want[i]));
	assert_true(span_has_word(SPAN_LIT(" one  two "), SPAN_LIT("two")));
	assert_false(span_has_word(SPAN_LIT(" one  two "), SPAN_LIT("tw")));
	assert_false(span_has_word(SPAN_LIT("one"), SPAN_LIT("")) ||
		     span_has_word(span_of(NULL), SPAN_LIT("x")));
}

TEST(the_text_up_to_a_character_is_taken_off_with_it)
{
	static const char *const want[] = {"a", "", "b c", ""};
	struct span rest = SPAN_LIT("a,,b c"), none = {NULL, 0};

	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		assert_true(span_is(span_until(&rest, ','), want[i]));
	assert_int_equal(span_until(&none, ',').n, 0);
}

TEST(items_of_a_list_may_have_commas_between_slashes)
{
	static const struct {
		const char *list, *want[4];
	} cases[] = {
		{"a,b c", {"a", "b", "c", ""}},
		{" , a,, b ", {"a", "b", "", ""}},
		{"a,cpu/event=1,umask=2/u,b", {"a", "cpu/event=1,umask=2/u", "b", ""}},
		{"x/ y,z/,x/,", {"x/ y,z/", "x/,", "", ""}},
		{"", {"", "", "", ""}},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct span rest = span_of(cases[i].list);

		for (size_t n = 0; n < ARRAY_LEN(cases[i].want); n++)
			assert_true(span_is(span_item(&rest), cases[i].want[n]));
	}
}

TEST(trimming_leaves_blanks_inside)
{
	static const struct {
		const char *text, *want;
	} cases[] = {{"  a b \r\n", "a b"}, {"", ""}, {" \t ", ""}, {"x", "x"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_true(span_is(span_trim(span_of(cases[i].text)), cases[i].want));
	assert_int_equal(span_trim(span_of(NULL)).n, 0);
}

TEST(spans_are_equal_by_length_and_bytes)
{
	assert_true(span_eq(SPAN_LIT("ab"), SPAN_LIT("ab")));
	assert_false(span_eq(SPAN_LIT("ab"), SPAN_LIT("abc")));
	assert_false(span_eq(SPAN_LIT("ab"), SPAN_LIT("aB")));
	assert_true(span_eq((struct span){NULL, 0}, SPAN_LIT("")));
	assert_false(span_eq(SPAN_LIT("a\0b"), SPAN_LIT("a\0c")));
}

TEST(whole_numbers_are_read_only_as_a_whole)
{
	static const struct {
		const char *text;
		bool ok;
		uint64_t value;
	} cases[] = {
		{"0", true, 0},
		{"007", true, 7},
		{"18446744073709551615", true, UINT64_MAX},
		{"0xffffffffffffffff", true, UINT64_MAX},
		{"0XaB", true, 0xab},
		{"18446744073709551616", false, 0},
		{"99999999999999999999999", false, 0},
		{"0x10000000000000000", false, 0},
		{"", false, 0},
		{"0x", false, 0},
		{"0xg", false, 0},
		{"-1", false, 0},
		{"+1", false, 0},
		{" 1", false, 0},
		{"1 ", false, 0},
		{"1.0", false, 0},
		{"1e3", false, 0},
		{"ff", false, 0},
		{"\xff", false, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct span s = exact(cases[i].text, strlen(cases[i].text));
		uint64_t value = 0;

		if (span_u64(s, &value) != cases[i].ok || value != cases[i].value)
			fail_msg("'%s'", cases[i].text);
		exact_free(s);
	}
}

TEST(decimal_numbers_are_read_only_as_a_whole)
{
	static const struct {
		const char *text;
		bool ok;
		double value;
	} cases[] = {
		{"0", true, 0},    {"1.5", true, 1.5}, {"-2e3", true, -2000}, {".5", true, 0.5},
		{"5.", true, 5},   {"+1", true, 1},    {"1E-2", true, 0.01},  {"", false, 0},
		{".", false, 0},   {"-", false, 0},    {"1.2.3", false, 0},   {"1e", false, 0},
		{"inf", false, 0}, {"nan", false, 0},  {"0x10", false, 0},    {"1,5", false, 0},
		{" 1", false, 0},  {"1 ", false, 0},   {"1-1", false, 0},     {"--1", false, 0},
	};
	char many[100];
	double value;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct span s = exact(cases[i].text, strlen(cases[i].text));

		value = 0;
		if (span_double(s, &value) != cases[i].ok || (cases[i].ok && value != cases[i].value))
			fail_msg("'%s'", cases[i].text);
		exact_free(s);
	}
	memset(many, '1', sizeof(many));
	assert_true(span_double((struct span){many, 63}, &value));
	assert_false(span_double((struct span){many, 64}, &value));
	assert_false(span_double((struct span){"1\0"
					       "5",
					       3},
				 &value));
}

TEST(a_buffer_grows_and_stays_terminated)
{
	AUTO_STRBUF struct strbuf b = {0};
	char big[3000];

	assert_null(b.p);
	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = 0;
	strbuf_str(&b, "");
	assert_string_equal(b.p, "");
	for (int i = 0; i < 300; i++)
		strbuf_printf(&b, "%d,", i % 10);
	assert_int_equal(b.n, 600);
	strbuf_printf(&b, "%s", big);
	assert_int_equal(b.n, 600 + 2999);
	assert_int_equal(strlen(b.p), b.n);
	strbuf_add(&b, "a\0b", 3);
	assert_memory_equal(b.p + 3599, "a\0b", 4);
	strbuf_clear(&b);
	assert_int_equal(b.n, 0);
	assert_string_equal(b.p, "");
	strbuf_printf(&b, "%s", "again");
	assert_string_equal(b.p, "again");
}

TEST(words_are_wrapped_below_where_they_began)
{
	static const struct {
		const char *text, *wrapped;
		unsigned at, indent, width;
	} cases[] = {
		{"", "\n", 0, 0, 10},
		{"one", "one\n", 0, 0, 10},
		{" one   two ", "one two\n", 0, 0, 10},
		{"one two three", "one two\nthree\n", 0, 0, 10},
		{"one two three", "one two\n  three\n", 2, 2, 9},
		{"unbreakable x", "unbreakable\nx\n", 0, 0, 4},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		AUTO_STRBUF struct strbuf b = {0};

		strbuf_wrap(&b, cases[i].at, cases[i].indent, cases[i].width, cases[i].text);
		assert_string_equal(b.p, cases[i].wrapped);
	}
}

TEST(utf8_is_decoded_and_encoded_again)
{
	static const uint32_t chars[] = {0,      'a',    0x7f,   0x80,   0x7ff,   0x800,
					 0x20ac, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff};
	char text[4];

	for (size_t i = 0; i < ARRAY_LEN(chars); i++) {
		size_t n = utf8_put(text, chars[i]);
		struct span s = exact(text, n);
		const char *p = s.p;

		assert_int_equal(utf8_next(&p, s.p + n), chars[i]);
		assert_ptr_equal(p, s.p + n);
		exact_free(s);
	}
}

TEST(malformed_utf8_is_one_replacement_for_each_byte)
{
	static const char *const cases[] = {
		"\x80",     /* a continuation by itself */
		"\xc0\xaf", /* overlong */
		"\xc1\xbf",
		"\xe0\x80\xaf",
		"\xf0\x80\x80\xaf",
		"\xed\xa0\x80",     /* a surrogate */
		"\xf4\x90\x80\x80", /* beyond 10ffff */
		"\xf5\x80\x80\x80",
		"\xff",
		"\xe2\x82", /* cut off */
		"\xf0\x9f\x98",
		"\xc3(",
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct span s = exact(cases[i], strlen(cases[i]));
		const char *p = s.p;

		if (utf8_next(&p, s.p + s.n) != 0xfffd || p != s.p + 1)
			fail_msg("case %zu", i);
		exact_free(s);
	}
}

TEST(what_could_harm_a_terminal_becomes_a_question_mark)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"Mali-G715 \xe2\x80\x93 7 \xe2\x82\xac", "Mali-G715 \xe2\x80\x93 7 \xe2\x82\xac"},
		{"\033[2Jx\a\b\r\n\t", "?[2Jx?????"},
		{"a\x7f"
		 "b",
		 "a?b"},
		{"\xc2\x9b"
		 "31m",
		 "?31m"}, /* C1: CSI */
		{"\xe2\x80\xae"
		 "abc\xe2\x81\xa6",
		 "?abc?"}, /* bidirectional */
		{"\xe2\x80\x8b|\xef\xbb\xbf|\xc2\xad", "?|?|?"},
		{"\xff\xfe", "??"},
		{"\xe2\x82", "??"},
		{"", ""},
	};
	char out[64];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(str_printable(out, sizeof(out), cases[i].text), cases[i].want);
}

/* However the pieces are cut: one byte at a time, and more. */
TEST(text_in_pieces_keeps_lines_and_characters_and_controls_nothing)
{
	static const struct {
		const char *text, *want;
		bool printable;
	} cases[] = {
		{"a\tb\r\nc\r\r\n\n", "a\tb\nc\n\n", true},
		{"\xc3\xa9t\xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa9t\xe2\x82\xac \xf0\x9f\x98\x80", true},
		{"\033[31mred\rblue\007\x7f", "?[31mred?blue??", false},
		{"\xc2\x9b 31m \x9b \xe2\x80\xae", "? 31m ? ?", false},
		{"cut \xe2\x82", "cut ??", false},
		{"", "", true}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (size_t piece = 1; piece < 9; piece++) {
			AUTO_STRBUF struct strbuf out = {0}, held = {0};
			size_t n = strlen(cases[i].text);
			bool printable = true;

			strbuf_str(&out, "");
			for (size_t at = 0; at < n; at += piece)
				printable &= strbuf_printable(&out, &held, cases[i].text + at,
							      n - at < piece ? n - at : piece, "\n");
			printable &= strbuf_printable(&out, &held, NULL, 0, "\n");
			assert_string_equal(out.p ? out.p : "", cases[i].want);
			assert_int_equal(printable, cases[i].printable);
		}
}

TEST(a_printable_copy_is_never_cut_inside_a_character)
{
	static const char *const want[] = {"",
					   "a",
					   "a",
					   "a",
					   "a\xe2\x82\xac",
					   "a\xe2\x82\xac"
					   "b",
					   "a\xe2\x82\xac"
					   "b"};

	for (size_t size = 1; size <= ARRAY_LEN(want); size++) {
		char *out = xmalloc(size);

		assert_string_equal(str_printable(out, size,
						  "a\xe2\x82\xac"
						  "b"),
				    want[size - 1]);
		free(out);
	}
}

TEST(an_error_is_cut_and_never_overrun)
{
	char big[3000];
	struct err err;

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = 0;
	assert_false(err_set(&err, 5, "%s", big));
	assert_int_equal(err.code, 5);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_false(err_prefix(&err, "front: "));
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_memory_equal(err.text, "front: xxx", 10);
	assert_false(err_prefix(&err, "%s", big));
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_false(err_set(&err, 0, "b"));
	assert_false(err_prefix(&err, "a%d: ", 1));
	assert_string_equal(err.text, "a1: b");
	assert_false(err_set(NULL, 1, "nobody listens"));
	assert_false(err_prefix(NULL, "nobody listens"));
}

TEST(base64_is_that_of_rfc_4648)
{
	static const char *const cases[][2] = {{"", ""},
					       {"f", "Zg=="},
					       {"fo", "Zm8="},
					       {"foo", "Zm9v"},
					       {"foob", "Zm9vYg=="},
					       {"fooba", "Zm9vYmE="},
					       {"foobar", "Zm9vYmFy"},
					       {"\xff\xfe", "//4="}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char out[16];

		base64_put(out, span_of(cases[i][0]));
		assert_string_equal(out, cases[i][1]);
	}
}
