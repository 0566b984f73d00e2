/* Numbers as bytes: what is written is read back, and malformed bytes are refused. */
#include "base/wire.h"

#include "base/alloc.h"
#include "tests/support/test.h"

#include <string.h>

static struct wire wire_of(const struct strbuf *b)
{
	return (struct wire){(const uint8_t *)b->p, (const uint8_t *)b->p + b->n, false};
}

TEST(varints_have_the_bytes_that_are_specified)
{
	static const struct {
		uint64_t n;
		const char *bytes;
		size_t size;
	} cases[] = {
		{0, "\0", 1},
		{1, "\1", 1},
		{127, "\177", 1},
		{128, "\200\1", 2},
		{300, "\254\2", 2},
		{UINT32_MAX, "\377\377\377\377\17", 5},
		{UINT64_MAX, "\377\377\377\377\377\377\377\377\377\1", 10},
		{1ull << 63, "\200\200\200\200\200\200\200\200\200\1", 10},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf b = {0};
		struct wire in;

		wire_varint(&b, cases[i].n);
		assert_int_equal(b.n, cases[i].size);
		assert_memory_equal(b.p, cases[i].bytes, b.n);
		in = wire_of(&b);
		assert_true(wire_get(&in) == cases[i].n);
		assert_true(!in.bad && in.p == in.end);
	}
}

TEST(small_signed_numbers_are_short)
{
	static const struct {
		int64_t n;
		uint64_t zigzag;
	} cases[] = {{0, 0},
		     {-1, 1},
		     {1, 2},
		     {-64, 127},
		     {64, 128},
		     {INT64_MAX, UINT64_MAX - 1},
		     {INT64_MIN, UINT64_MAX}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf b = {0};
		struct wire in;

		assert_true(wire_zigzag(cases[i].n) == cases[i].zigzag);
		wire_signed(&b, cases[i].n);
		in = wire_of(&b);
		assert_true(wire_get_signed(&in) == cases[i].n);
		assert_true(!in.bad && in.p == in.end);
	}
}

TEST(what_is_no_number_is_bad_for_good)
{
	static const struct {
		const char *bytes;
		size_t n;
	} cases[] = {
		{"", 0},
		{"\200", 1},
		{"\377\377", 2},
		{"\377\377\377\377\377\377\377\377\377\2", 10},       /* 65 bits */
		{"\377\377\377\377\377\377\377\377\377\201\0", 11},   /* eleven bytes */
		{"\200\200\200\200\200\200\200\200\200\200\0\0", 12}, /* likewise, of a small number */
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct wire in = {(const uint8_t *)cases[i].bytes,
				  (const uint8_t *)cases[i].bytes + cases[i].n, false};

		assert_int_equal(wire_get(&in), 0);
		assert_true(in.bad);
		assert_int_equal(wire_get(&in), 0);
		assert_true(in.bad && in.p == in.end);
	}
}

TEST(a_number_above_its_bound_is_bad)
{
	static const uint8_t bytes[] = {5, 6, 1};
	struct wire in = {bytes, bytes + sizeof(bytes), false};

	assert_int_equal(wire_get_most(&in, 5), 5);
	assert_false(in.bad);
	assert_int_equal(wire_get_most(&in, 5), 0);
	assert_true(in.bad);
	assert_int_equal(wire_get(&in), 0);
}

TEST(texts_and_parts_end_where_their_length_says)
{
	AUTO_STRBUF struct strbuf b = {0};
	struct wire in, part;

	wire_text(&b, SPAN_LIT("two words"));
	wire_text(&b, SPAN_LIT(""));
	wire_varint(&b, 7);
	wire_varint(&b, 8);
	in = wire_of(&b);
	assert_true(span_is(wire_get_text(&in), "two words"));
	assert_int_equal(wire_get_text(&in).n, 0);
	part = wire_get_part(&in, 1);
	assert_int_equal(wire_get(&part), 7);
	assert_int_equal(wire_get(&part), 0);
	assert_true(part.bad);
	assert_false(in.bad);
	assert_int_equal(wire_get(&in), 8);
}

TEST(lengths_past_the_end_are_bad_and_give_nothing)
{
	static const uint64_t lengths[] = {4, 1000, UINT32_MAX, UINT64_MAX};

	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		AUTO_STRBUF struct strbuf b = {0};
		struct wire in, part;

		wire_varint(&b, lengths[i]);
		strbuf_str(&b, "abc");
		in = wire_of(&b);
		assert_int_equal(wire_get_text(&in).n, 0);
		assert_true(in.bad);
		in = wire_of(&b);
		part = wire_get_part(&in, lengths[i] + b.n);
		assert_true(lengths[i] == UINT64_MAX || (in.bad && part.bad && part.p == part.end));
	}
}

TEST(numbers_of_fixed_length_are_little_endian)
{
	uint8_t bytes[8];

	wire_u32(bytes, 0x01020384);
	assert_memory_equal(bytes, "\x84\3\2\1", 4);
	assert_int_equal(wire_get_u32(bytes), 0x01020384);
	wire_u64(bytes, 0xf102030405060708);
	assert_memory_equal(bytes, "\10\7\6\5\4\3\2\xf1", 8);
	assert_true(wire_get_u64(bytes) == 0xf102030405060708);
}
