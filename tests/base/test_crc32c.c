/* CRC-32C: the vectors of RFC 3720 B.4, and that pieces give what the whole gives. */
#include "base/crc32c.h"

#include "base/alloc.h"
#include "tests/support/test.h"

#include <string.h>

/* As the polynomial is defined, a bit at a time. */
static uint32_t slow(const uint8_t *p, size_t n)
{
	uint32_t crc = ~0u;

	for (size_t i = 0; i < n; i++) {
		crc ^= p[i];
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
	}
	return ~crc;
}

TEST(known_vectors_have_their_checksums)
{
	uint8_t ascending[32], descending[32];
	static const uint8_t zeros[32];
	uint8_t ones[32];
	const struct {
		const void *bytes;
		size_t n;
		uint32_t crc;
	} cases[] = {
		{"", 0, 0},
		{"a", 1, 0xc1d04330},
		{"123456789", 9, 0xe3069283},
		{zeros, 32, 0x8a9136aa},
		{ones, 32, 0x62a8ab43},
		{ascending, 32, 0x46dd794e},
		{descending, 32, 0x113fdb5c},
	};

	memset(ones, 0xff, sizeof(ones));
	for (uint8_t i = 0; i < 32; i++) {
		ascending[i] = i;
		descending[i] = 31 - i;
	}
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(crc32c(0, cases[i].bytes, cases[i].n), cases[i].crc);
}

TEST(every_length_and_alignment_is_that_of_the_polynomial)
{
	uint8_t bytes[96];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 151 + 7);
	for (size_t from = 0; from < 9; from++)
		for (size_t n = 0; from + n <= sizeof(bytes); n++)
			assert_int_equal(crc32c(0, bytes + from, n), slow(bytes + from, n));
}

TEST(pieces_add_up_to_the_whole)
{
	static const char text[] = "what is summed in pieces is summed as a whole";

	for (size_t cut = 0; cut < sizeof(text); cut++)
		assert_int_equal(crc32c(crc32c(0, text, cut), text + cut, sizeof(text) - cut),
				 crc32c(0, text, sizeof(text)));
}
