/* Heads of blocks and their payloads: the bytes that are specified, and that nothing else is
 * believed. */
#include "mlog/mlog.h"

#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/wire.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static const struct mlog_head example = {.type = MLOG_DATA,
					 .coding = MLOG_ZSTD,
					 .flags = MLOG_LOSS | MLOG_ALL_PROCESSES,
					 .at = 0x0102030405060708,
					 .begin_ns = 0x0001020304050607,
					 .end_ns = 0x0112131415161718,
					 .size = 0x00a1a2a3,
					 .raw_size = MLOG_PAYLOAD_MAX,
					 .payload_crc = 0xc1c2c3c4};

TEST(a_head_has_the_bytes_that_are_specified)
{
	static const uint8_t want[] =
		"MLog\1\2\1\5\10\7\6\5\4\3\2\1\7\6\5\4\3\2\1\0\x18\x17\x16\x15\x14\x13\x12\1"
		"\xa3\xa2\xa1\0\0\0\0\1\xc4\xc3\xc2\xc1";
	uint8_t bytes[MLOG_HEAD];

	mlog_head_put(&example, bytes);
	assert_int_equal(sizeof(want) - 1, MLOG_HEAD - 4);
	assert_memory_equal(bytes, want, MLOG_HEAD - 4);
	assert_int_equal(wire_get_u32(bytes + 44), crc32c(0, want, 44));
}

TEST(what_is_put_is_got)
{
	struct mlog_head head;
	uint8_t bytes[MLOG_HEAD];

	mlog_head_put(&example, bytes);
	assert_true(mlog_head_get(&head, bytes, example.at));
	assert_int_equal(head.type, example.type);
	assert_int_equal(head.coding, example.coding);
	assert_int_equal(head.flags, example.flags);
	assert_true(head.at == example.at);
	assert_true(head.begin_ns == example.begin_ns && head.end_ns == example.end_ns);
	assert_int_equal(head.size, example.size);
	assert_int_equal(head.raw_size, example.raw_size);
	assert_int_equal(head.payload_crc, example.payload_crc);
}

TEST(a_head_at_another_place_is_none)
{
	struct mlog_head head;
	uint8_t bytes[MLOG_HEAD];

	mlog_head_put(&example, bytes);
	assert_false(mlog_head_get(&head, bytes, example.at + 1));
	assert_false(mlog_head_get(&head, bytes, 0));
}

TEST(every_flipped_bit_of_a_head_is_seen)
{
	struct mlog_head head;
	uint8_t bytes[MLOG_HEAD];

	mlog_head_put(&example, bytes);
	for (unsigned bit = 0; bit < MLOG_HEAD * 8; bit++) {
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		assert_false(mlog_head_get(&head, bytes, example.at));
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	assert_true(mlog_head_get(&head, bytes, example.at));
}

TEST(payloads_above_the_bound_are_refused)
{
	struct mlog_head large = example, head;
	uint8_t bytes[MLOG_HEAD];

	large.size = MLOG_PAYLOAD_MAX + 1;
	mlog_head_put(&large, bytes);
	assert_false(mlog_head_get(&head, bytes, large.at));
	large = example;
	large.raw_size = MLOG_PAYLOAD_MAX + 1;
	mlog_head_put(&large, bytes);
	assert_false(mlog_head_get(&head, bytes, large.at));
}

TEST(moments_out_of_bounds_are_refused)
{
	static const struct {
		int64_t begin_ns, end_ns;
		bool ok;
	} cases[] = {
		{0, 0, true},
		{1, 0, false},
		{0, SAMPLE_NS_MAX, true},
		{SAMPLE_NS_MAX, SAMPLE_NS_MAX, true},
		{-1, SAMPLE_NS_MAX, 0},
		{-1, -1, 0},
		{0, SAMPLE_NS_MAX + 1, false},
		{INT64_MIN, INT64_MAX, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct mlog_head put = {.type = MLOG_DATA,
					.begin_ns = cases[i].begin_ns,
					.end_ns = cases[i].end_ns},
				 got;
		uint8_t bytes[MLOG_HEAD];

		mlog_head_put(&put, bytes);
		assert_int_equal(mlog_head_get(&got, bytes, 0), cases[i].ok);
	}
}

/* n bytes that compress well, or not at all. */
static char *bytes_of(size_t n, bool random)
{
	char *p = xmalloc(n + 1);
	uint64_t x = 88172645463325252;

	for (size_t i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		p[i] = random ? (char)(x >> 32) : (char)(i / 100);
	}
	return p;
}

TEST(packed_payloads_come_out_again)
{
	static const struct {
		size_t n;
		bool random;
		enum mlog_coding coding;
	} cases[] = {{0, false, MLOG_STORED},    {3, false, MLOG_STORED},
		     {100000, false, MLOG_ZSTD}, {100000, true, MLOG_STORED},
		     {500, false, MLOG_ZSTD},    {MLOG_PAYLOAD_MAX, false, MLOG_ZSTD}};
	struct mlog_packer packer = {0};
	AUTO_STRBUF struct strbuf out = {0};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *raw = bytes_of(cases[i].n, cases[i].random);
		struct mlog_head head = {.raw_size = (uint32_t)cases[i].n};
		struct span packed;

		head.coding = (uint8_t)mlog_pack(&packer, (struct span){raw, cases[i].n}, &packed);
		assert_int_equal(head.coding, cases[i].coding);
		assert_true(packed.n <= cases[i].n);
		assert_true(mlog_unpack(&head, packed, &out));
		assert_true(span_eq((struct span){out.p, out.n}, (struct span){raw, cases[i].n}));
	}
	mlog_packer_fini(&packer);
}

TEST(payloads_that_are_not_what_the_head_says_are_refused)
{
	AUTOFREE char *raw = bytes_of(1000, false), *twice = xmalloc(2000);
	struct mlog_packer packer = {0};
	AUTO_STRBUF struct strbuf out = {0};
	struct span packed;

	assert_int_equal(mlog_pack(&packer, (struct span){raw, 1000}, &packed), MLOG_ZSTD);
	memcpy(twice, packed.p, packed.n);
	memcpy(twice + packed.n, packed.p, packed.n);
	const struct {
		uint8_t coding;
		uint32_t raw_size;
		struct span payload;
	} cases[] = {
		{MLOG_STORED, 999, {raw, 1000}},
		{MLOG_STORED, 1001, {raw, 1000}},
		{MLOG_ZSTD, 999, packed},
		{MLOG_ZSTD, 1001, packed},
		{MLOG_ZSTD, 1000, {packed.p, packed.n - 1}},
		{MLOG_ZSTD, 2000, {twice, 2 * packed.n}},
		{MLOG_ZSTD, 1000, {raw, 1000}},
		{MLOG_ZSTD, 0, {raw, 0}},
		{MLOG_ZSTD, MLOG_PAYLOAD_MAX + 1, packed},
		{2, 1000, packed},
		{2, 1000, {raw, 1000}},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct mlog_head head = {.coding = cases[i].coding, .raw_size = cases[i].raw_size};

		assert_false(mlog_unpack(&head, cases[i].payload, &out));
	}
	mlog_packer_fini(&packer);
}
