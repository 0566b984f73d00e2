#include "base/crc32c.h"

#include "base/wire.h"

/* Process eight bytes per step. Row s holds the remainder of each byte value followed by s more
 * bytes. A remainder is the xor of the remainders of its single bits, so eight constants define a
 * row. */
#define BIT(n, k, c) ((n) >> (k)&1 ? (c) : 0u)
#define REST(n, c0, c1, c2, c3, c4, c5, c6, c7)                                                          \
	(BIT(n, 0, c0) ^ BIT(n, 1, c1) ^ BIT(n, 2, c2) ^ BIT(n, 3, c3) ^ BIT(n, 4, c4) ^ BIT(n, 5, c5) ^ \
	 BIT(n, 6, c6) ^ BIT(n, 7, c7))
#define REST4(n, ...)                                                                 \
	REST(n, __VA_ARGS__), REST((n) + 1, __VA_ARGS__), REST((n) + 2, __VA_ARGS__), \
		REST((n) + 3, __VA_ARGS__)
#define REST16(n, ...)                                                                   \
	REST4(n, __VA_ARGS__), REST4((n) + 4, __VA_ARGS__), REST4((n) + 8, __VA_ARGS__), \
		REST4((n) + 12, __VA_ARGS__)
#define REST64(n, ...)                                                                        \
	REST16(n, __VA_ARGS__), REST16((n) + 16, __VA_ARGS__), REST16((n) + 32, __VA_ARGS__), \
		REST16((n) + 48, __VA_ARGS__)
#define ROW(...)                                                                           \
	{                                                                                  \
		REST64(0, __VA_ARGS__), REST64(64, __VA_ARGS__), REST64(128, __VA_ARGS__), \
			REST64(192, __VA_ARGS__)                                           \
	}

static const uint32_t rest[8][256] = {
	ROW(0xf26b8303, 0xe13b70f7, 0xc79a971f, 0x8ad958cf, 0x105ec76f, 0x20bd8ede, 0x417b1dbc, 0x82f63b78),
	ROW(0x13a29877, 0x274530ee, 0x4e8a61dc, 0x9d14c3b8, 0x3fc5f181, 0x7f8be302, 0xff17c604, 0xfbc3faf9),
	ROW(0xa541927e, 0x4f6f520d, 0x9edea41a, 0x38513ec5, 0x70a27d8a, 0xe144fb14, 0xc76580d9, 0x8b277743),
	ROW(0xdd45aab8, 0xbf672381, 0x7b2231f3, 0xf64463e6, 0xe964b13d, 0xd725148b, 0xaba65fe7, 0x52a0c93f),
	ROW(0x38116fac, 0x7022df58, 0xe045beb0, 0xc5670b91, 0x8f2261d3, 0x1ba8b557, 0x37516aae, 0x6ea2d55c),
	ROW(0xef306b19, 0xdb8ca0c3, 0xb2f53777, 0x6006181f, 0xc00c303e, 0x85f4168d, 0x0e045beb, 0x1c08b7d6),
	ROW(0x68032cc8, 0xd0065990, 0xa5e0c5d1, 0x4e2dfd53, 0x9c5bfaa6, 0x3d5b83bd, 0x7ab7077a, 0xf56e0ef4),
	ROW(0x493c7d27, 0x9278fa4e, 0x211d826d, 0x423b04da, 0x847609b4, 0x0d006599, 0x1a00cb32, 0x34019664),
};

uint32_t crc32c(uint32_t crc, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	crc = ~crc;
	for (; n >= 8; n -= 8, p += 8) {
		uint32_t low = wire_get_u32(p) ^ crc, high = wire_get_u32(p + 4);

		crc = rest[7][low & 0xff] ^ rest[6][low >> 8 & 0xff] ^ rest[5][low >> 16 & 0xff] ^
		      rest[4][low >> 24] ^ rest[3][high & 0xff] ^ rest[2][high >> 8 & 0xff] ^
		      rest[1][high >> 16 & 0xff] ^ rest[0][high >> 24];
	}
	for (; n; n--, p++)
		crc = crc >> 8 ^ rest[0][(crc ^ *p) & 0xff];
	return ~crc;
}
