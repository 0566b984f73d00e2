/* The index of a log: any number of blocks in bounded memory, and index blocks that lie. */
#include "mlog/mlog_index.h"

#include "base/alloc.h"
#include "base/wire.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 100 /* bytes */

static int64_t end_of(uint64_t i)
{
	return (int64_t)i * 1000 - 5000;
}

/* Block i of n ends at i * 1000 - 5000; every 1000th has a mark. Returns where the next would
 * stand. */
static uint64_t fill_index(struct mlog_index *index, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		mlog_index_add(index, &(struct mlog_head){.at = 500 + i * BLOCK,
							  .begin_ns = end_of(i) - 900,
							  .end_ns = end_of(i),
							  .flags = i % 1000 == 999 ? MLOG_MARK : 0});
	return 500 + n * BLOCK;
}

TEST(places_stand_a_stride_apart_however_many_blocks_there_are)
{
	static const uint64_t counts[] = {1, 2, 999, MLOG_PLACES_MAX, MLOG_PLACES_MAX + 1, 100001, 1000000};

	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		struct mlog_index index = {0};
		uint64_t n = counts[i], marks = 0;

		fill_index(&index, n);
		assert_true(index.n_blocks == n && index.n <= MLOG_PLACES_MAX &&
			    index.cap <= MLOG_PLACES_MAX);
		assert_true(n <= MLOG_PLACES_MAX ? index.stride == 1 : index.n > MLOG_PLACES_MAX / 2);
		assert_true(index.n == (n + index.stride - 1) / index.stride);
		assert_true(index.begin_ns == end_of(0) - 900 && index.end_ns == end_of(n - 1));
		for (unsigned k = 0; k < index.n; k++) {
			uint64_t first = k * index.stride,
				 next = first + index.stride < n ? first + index.stride : n;
			bool mark = next / 1000 > first / 1000;

			assert_true(index.places[k].at == 500 + first * BLOCK &&
				    index.places[k].end_ns == end_of(first));
			assert_int_equal(index.places[k].flags, mark ? MLOG_MARK : 0);
			marks += mark;
		}
		assert_true(index.stride > 1000 || marks == n / 1000);
		mlog_index_fini(&index);
	}
}

TEST(what_is_formatted_is_parsed_and_goes_on_growing)
{
	static const uint64_t counts[] = {0, 1, 3, 20000, 40001};

	for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
		struct mlog_index index = {.n_samples = 77, .n_lost = 3}, again;
		AUTO_STRBUF struct strbuf payload = {0}, second = {0};
		uint64_t at = fill_index(&index, counts[i]);
		struct mlog_head next = {.at = at, .end_ns = INT64_MAX};

		mlog_index_format(&index, at, &payload);
		assert_true(wire_get_u64((uint8_t *)payload.p + payload.n - 8) == at);
		assert_true(mlog_index_parse(&again, at, (struct span){payload.p, payload.n}));
		assert_true(again.n_samples == 77 && again.n_lost == 3);
		mlog_index_add(&index, &next);
		mlog_index_add(&again, &next);
		mlog_index_format(&index, at + BLOCK, &payload);
		mlog_index_format(&again, at + BLOCK, &second);
		assert_true(span_eq((struct span){payload.p, payload.n}, (struct span){second.p, second.n}));
		mlog_index_fini(&index);
		mlog_index_fini(&again);
	}
}

TEST(an_index_that_cannot_be_is_refused)
{
	/* Two blocks in a log whose index stands at 300: version, blocks, samples, lost, begin,
	 * end, stride, n, places. */
	static const struct {
		const char *what;
		size_t n;
		uint64_t numbers[14];
	} cases[] = {
		{"another version", 14, {2, 2, 0, 0, 0, 20, 1, 2, 100, 10, 0, 100, 10, 0}},
		{"more blocks than have room", 14, {1, 7, 0, 0, 0, 20, 4, 2, 100, 10, 0, 100, 10, 0}},
		{"no stride", 14, {1, 2, 0, 0, 0, 20, 0, 2, 100, 10, 0, 100, 10, 0}},
		{"another number of places than blocks and stride make",
		 14,
		 {1, 2, 0, 0, 0, 20, 2, 2, 100, 10, 0, 100, 10, 0}},
		{"fewer places than it says", 11, {1, 2, 0, 0, 0, 20, 1, 2, 100, 10, 0}},
		{"more places than it says", 14, {1, 1, 0, 0, 0, 20, 1, 1, 100, 10, 0, 100, 10, 0}},
		{"places, but no blocks", 14, {1, 0, 0, 0, 0, 20, 1, 2, 100, 10, 0, 100, 10, 0}},
		{"a place in the first head", 14, {1, 2, 0, 0, 0, 20, 1, 2, 47, 10, 0, 100, 10, 0}},
		{"a place after the index", 14, {1, 2, 0, 0, 0, 20, 1, 2, 100, 10, 0, 201, 10, 0}},
		{"a place whose head reaches into the index",
		 14,
		 {1, 2, 0, 0, 0, 20, 1, 2, 100, 10, 0, 153, 10, 0}},
		{"places that overlap", 14, {1, 2, 0, 0, 0, 20, 1, 2, 100, 10, 0, 47, 10, 0}},
		{"places that go round", 14, {1, 2, 0, 0, 0, 20, 1, 2, 100, 10, 0, UINT64_MAX - 10, 10, 0}},
		{"ends that go back", 14, {1, 2, 0, 0, 0, 20, 1, 2, 100, 10, 0, 100, 1, 0}},
		{"an end after the last", 14, {1, 2, 0, 0, 0, 20, 1, 2, 100, 10, 0, 100, 12, 0}},
		{"flags of more than a byte", 14, {1, 2, 0, 0, 0, 20, 1, 2, 100, 10, 0, 100, 10, 256}},
	};
	static const uint64_t right[] = {1, 2, 0, 0, 0, 20, 1, 2, 100, 10, 0, 100, 10, 0};
	struct mlog_index index;

	for (size_t i = 0; i <= ARRAY_LEN(cases); i++) {
		const uint64_t *numbers = i < ARRAY_LEN(cases) ? cases[i].numbers : right;
		AUTO_STRBUF struct strbuf payload = {0};

		for (size_t k = 0; k < (i < ARRAY_LEN(cases) ? cases[i].n : ARRAY_LEN(right)); k++)
			wire_varint(&payload, numbers[k]);
		wire_u64((uint8_t *)strbuf_more(&payload, 8), 300);
		if (mlog_index_parse(&index, 300, (struct span){payload.p, payload.n}) !=
		    (i == ARRAY_LEN(cases)))
			fail_msg("%s", i < ARRAY_LEN(cases) ? cases[i].what : "the right one is refused");
		assert_int_equal(index.n, i < ARRAY_LEN(cases) ? 0 : 2);
		mlog_index_fini(&index);
	}
}

TEST(an_index_that_is_cut_or_stands_elsewhere_is_refused)
{
	struct mlog_index index = {0}, again;
	AUTO_STRBUF struct strbuf payload = {0};
	uint64_t at = fill_index(&index, 100);

	mlog_index_format(&index, at, &payload);
	assert_false(mlog_index_parse(&again, at + 1, (struct span){payload.p, payload.n}));
	for (size_t n = 0; n < payload.n; n++) {
		AUTOFREE char *cut = xmalloc(n + 1);

		memcpy(cut, payload.p, n);
		assert_false(mlog_index_parse(&again, at, (struct span){cut, n}));
		if (n >= 8) /* as if it ended here */
			wire_u64((uint8_t *)cut + n - 8, at);
		assert_false(mlog_index_parse(&again, at, (struct span){cut, n}));
		assert_true(!again.places && !again.n_blocks);
	}
	mlog_index_fini(&index);
}
