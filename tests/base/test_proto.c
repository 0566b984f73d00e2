/* Check every byte of a message: the encoding is public, and other programs read it. */
#include "base/alloc.h"
#include "base/proto.h"
#include "tests/support/test.h"

#include <stdint.h>
#include <string.h>

#define BYTES(text) (text), sizeof(text) - 1

static void assert_bytes(const struct strbuf *out, const char *expected, size_t n)
{
	assert_int_equal(out->n, n);
	assert_memory_equal(out->p, expected, n);
}

TEST(numbers_are_tags_and_varints)
{
	static const struct {
		unsigned field;
		uint64_t value;
		const char *bytes;
		size_t n;
	} cases[] = {
		{1, 0, BYTES("\x08\0")},
		{1, 150, BYTES("\x08\x96\x01")},
		{15, 127, BYTES("\x78\x7f")},
		{16, 1, BYTES("\x80\x01\x01")},
		{58, UINT64_MAX, BYTES("\xd0\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf out = {0};

		proto_uint(&out, cases[i].field, cases[i].value);
		assert_bytes(&out, cases[i].bytes, cases[i].n);
	}
}

TEST(doubles_are_little_endian)
{
	AUTO_STRBUF struct strbuf out = {0};

	proto_double(&out, 44, -2.5);
	assert_bytes(&out, BYTES("\xe1\x02\0\0\0\0\0\0\x04\xc0"));
}

TEST(texts_have_their_length)
{
	AUTO_STRBUF struct strbuf out = {0};

	proto_text(&out, 2, "testing");
	proto_text(&out, 2, "");
	assert_bytes(&out, BYTES("\x12\x07testing\x12\0"));
}

TEST(messages_nest)
{
	AUTO_STRBUF struct strbuf out = {0};
	size_t outer, inner;

	outer = proto_begin(&out, 1);
	proto_uint(&out, 1, 1);
	inner = proto_begin(&out, 3);
	proto_uint(&out, 1, 150);
	proto_end(&out, inner);
	proto_end(&out, proto_begin(&out, 4));
	proto_end(&out, outer);
	proto_uint(&out, 2, 5);
	assert_bytes(&out, BYTES("\x0a\x09\x08\x01\x1a\x03\x08\x96\x01\x22\0\x10\x05"));
}

/* A length takes more bytes where the message is longer; what is in it must move, and stay
 * whole. */
TEST(lengths_take_the_bytes_that_they_need)
{
	static const struct {
		size_t size;
		const char *length;
		size_t n;
	} cases[] = {
		{127, BYTES("\x7f")},
		{128, BYTES("\x80\x01")},
		{16383, BYTES("\xff\x7f")},
		{16384, BYTES("\x80\x80\x01")},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf out = {0};
		AUTO_STRBUF struct strbuf expected = {0};
		size_t begin;

		strbuf_str(&expected, "before\x0a");
		strbuf_add(&expected, cases[i].length, cases[i].n);
		strbuf_str(&out, "before");
		begin = proto_begin(&out, 1);
		for (size_t k = 0; k < cases[i].size; k++) {
			strbuf_add(&out, &"0123456789"[k % 10], 1);
			strbuf_add(&expected, &"0123456789"[k % 10], 1);
		}
		proto_end(&out, begin);
		assert_bytes(&out, expected.p, expected.n);
	}
}
