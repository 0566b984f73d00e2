#include "base/alloc.h"
#include "base/stanza.h"
#include "model/gpudb_parse.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every line as "kind line key|value", one after the other. */
static void dump_stanzas(struct strbuf *out, const char *text)
{
	static const char *const kinds[] = {
		[STANZA_END] = "end", [STANZA_OPEN] = "open", [STANZA_FIELD] = "field", [STANZA_ROW] = "row"};
	struct stanza_line line = {.kind = STANZA_OPEN};
	struct stanza s;
	struct err err;

	stanza_init(&s, "file", span_of(text));
	while (line.kind != STANZA_END) {
		if (!stanza_next(&s, &line, &err))
			fail_msg("%s", err.text);
		strbuf_printf(out, "%s %u %.*s|%.*s\n", kinds[line.kind], line.line, SPAN_ARG(line.key),
			      SPAN_ARG(line.value));
	}
}

TEST(lines_are_told_apart_by_their_indentation)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"", "end 0 |\n"},
		{"\n\n", "end 2 |\n"},
		{"gpu Mali-G1  \n  id  0x1 2\n    more text \n",
		 "open 1 gpu|Mali-G1\nfield 2 id|0x1 2\nrow 3 more|text\nend 3 |\n"},
		{"a\n   b c\n      d\n  e\nf",
		 "open 1 a|\nfield 2 b|c\nrow 3 d|\nfield 4 e|\nopen 5 f|\nend 5 |\n"},
		{"a b\r\n  c d\r\n\r\n    e\r\n", "open 1 a|b\nfield 2 c|d\nrow 4 e|\nend 4 |\n"},
		{"# x\n  # y\na # z\n       # w\n  b\n", "open 3 a|# z\nfield 5 b|\nend 5 |\n"},
		{"a\n  b\n\n   \n    c\n", "open 1 a|\nfield 2 b|\nrow 5 c|\nend 5 |\n"},
		{"gpu M\xc3\xa4li\n", "open 1 gpu|M\xc3\xa4li\nend 1 |\n"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf out = {0};

		dump_stanzas(&out, cases[i].text);
		assert_string_equal(out.p, cases[i].want);
	}
}

TEST(malformed_lines_name_file_line_and_what_was_expected)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"a\n\tb\n", "file:2: control character 0x09 in column 1: indent with blanks"},
		{"a\tb\n", "file:1: control character 0x09 in column 2"},
		{"a\n  b c\x01\n", "file:2: control character 0x01 in column 6"},
		{"a \x1b[2J\n", "file:1: control character 0x1b"},
		{"a\x7f\n", "file:1: control character 0x7f"},
		{"a\rb\n", "file:1: control character 0x0d"},
		{"# tab\there\n", "file:1: control character 0x09"},
		{"a\n b\n", "file:2: indented by one blank: expected 0 (stanza), 2 (field) or 4 (row)"},
		{"  b\n", "file:1: field without a stanza: expected a line in column 0 first"},
		{"# c\n\n    b\n", "file:3: row without a field: expected a line indented by 2 first"},
		{"a\n    b\n", "file:2: row without a field"},
		{"a\n  b\nc\n    d\n", "file:4: row without a field"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct stanza_line line = {.kind = STANZA_OPEN};
		struct err err = {0};
		struct stanza s;
		bool ok = true;

		stanza_init(&s, "file", span_of(cases[i].text));
		while (ok && line.kind != STANZA_END)
			ok = stanza_next(&s, &line, &err);
		if (ok || strncmp(err.text, cases[i].want, strlen(cases[i].want)) != 0)
			fail_msg("case %zu: '%s' does not begin with '%s'", i, err.text, cases[i].want);
	}
}

TEST(a_nul_byte_is_a_control_character)
{
	struct stanza_line line;
	struct stanza s;
	struct err err;

	stanza_init(&s, "file", SPAN_LIT("a\0b\n"));
	assert_false(stanza_next(&s, &line, &err));
	assert_non_null(strstr(err.text, "file:1: control character 0x00 in column 2"));
}

TEST(a_line_may_have_1023_bytes_and_no_more)
{
	char text[STANZA_LINE_MAX + 3];
	struct stanza_line line;
	struct stanza s;
	struct err err;

	memset(text, 'x', sizeof(text));
	for (size_t n = STANZA_LINE_MAX; n <= STANZA_LINE_MAX + 1; n++) {
		text[n] = '\r'; /* the line's end does not count */
		text[n + 1] = '\n';
		stanza_init(&s, "file", (struct span){text, n + 2});
		if (n == STANZA_LINE_MAX) {
			assert_true(stanza_next(&s, &line, &err));
			assert_int_equal(line.key.n, n);
		} else {
			assert_false(stanza_next(&s, &line, &err));
			assert_string_equal(err.text, "file:1: line of 1024 bytes: at most 1023 are allowed");
		}
		text[n] = 'x';
	}
}

TEST(a_line_that_does_not_belong_to_a_part_comes_again_unchanged)
{
	struct stanza_line first, again, end;
	struct stanza s;
	struct err err;

	stanza_init(&s, "file", SPAN_LIT("a b\n  c d\n    e\n f\n"));
	assert_true(stanza_next(&s, &first, &err));
	assert_int_equal(stanza_more(&s, STANZA_ROW, &first, &err), 0);
	assert_true(stanza_next(&s, &again, &err));
	assert_int_equal(again.kind, STANZA_FIELD);
	assert_int_equal(again.line, 2);
	assert_true(span_is(again.key, "c") && span_is(again.value, "d") && span_is(again.text, "c d"));
	assert_int_equal(stanza_more(&s, STANZA_ROW, &first, &err), 1);
	assert_true(span_is(first.text, "e"));
	assert_int_equal(stanza_more(&s, STANZA_FIELD, &first, &err), -1);
	assert_non_null(strstr(err.text, "file:4: indented by one blank"));
	for (int i = 0; i < 3; i++)
		assert_int_equal(stanza_more(&s, STANZA_FIELD, &end, &err), 0);
	assert_int_equal(end.kind, STANZA_END);
}

TEST(the_text_is_not_read_beyond_its_end)
{
	static const char *const texts[] = {"a", "a\n ", "a\n  ", "a\n  b", "\r", " ", "a\r"};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		size_t n = strlen(texts[i]);
		AUTOFREE char *copy = xmalloc(n);
		struct stanza_line line = {.kind = STANZA_OPEN};
		struct stanza s;
		struct err err;

		memcpy(copy, texts[i], n);
		stanza_init(&s, "file", (struct span){copy, n});
		while (line.kind != STANZA_END && stanza_next(&s, &line, &err))
			;
	}
}

static bool count_field(const struct field *f, void *member)
{
	(void)f;
	++*(int *)member;
	return true;
}

static bool refuse_field(const struct field *f, void *member)
{
	(void)member;
	return field_fail(f, "refused");
}

TEST(fields_are_read_by_the_table_up_to_the_next_stanza)
{
	static const struct gpudb_field fields[] = {
		{"one", count_field, 0}, {"two", count_field, 0}, {"three", refuse_field, 0}, {0}};
	static const struct {
		const char *text;
		int n;
		const char *want; /* NULL: no error */
	} cases[] = {
		{"thing x\n  one\n  two 2\n  one\nnext\n", 3, NULL},
		{"thing x\nnext\n", 0, NULL},
		{"thing x\n  one\n  four 4\nnext\n", 1,
		 "file:3: unknown field 'four': expected one of one two three"},
		{"thing x\n  One\nnext\n", 0, "file:2: unknown field 'One': expected one of one two three"},
		{"thing x\n  one\n    row\nnext\n", 1, "file:3: row 'row': this field has no rows"},
		{"thing x\n  one\n  three\nnext\n", 1, "file:3: refused"},
		{"thing x\n  one\n\tone\nnext\n", 1,
		 "file:3: control character 0x09 in column 1: indent with blanks"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct stanza_line line;
		struct stanza s;
		struct err err = {0};
		int n = 0;

		stanza_init(&s, "file", span_of(cases[i].text));
		assert_true(stanza_next(&s, &line, &err));
		assert_int_equal(fields_parse(NULL, &n, fields, &s, &err), cases[i].want == NULL);
		assert_int_equal(n, cases[i].n);
		assert_string_equal(err.text, cases[i].want ? cases[i].want : "");
		if (cases[i].want)
			continue;
		assert_true(stanza_next(&s, &line, &err));
		assert_true(line.kind == STANZA_OPEN && span_is(line.key, "next"));
	}
}
