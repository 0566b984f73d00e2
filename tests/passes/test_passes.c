#include "base/alloc.h"

/* A writer stops before it takes its record (0), before each of its words, and before its end. */
static void pause_writer(unsigned point);
#define PASSES_PAUSE(point) pause_writer(point)
#include "passes/passes_reader.h"
#include "tests/support/test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define NOW 1000000000000ll

static uint64_t *memory_new(void)
{
	uint64_t *memory = xcalloc(PASSES_BYTES / 8, 8);

	passes_init(memory, PASSES_VULKAN, PASSES_STAMP_BOTTOM);
	return memory;
}

static struct passes_event pass_of(uint64_t frame)
{
	return (struct passes_event){.type = PASSES_PASS,
				     .frame = frame,
				     .begin_ns = NOW - 1000 + (int64_t)(frame % 100),
				     .end_ns = NOW,
				     .width = (uint16_t)frame,
				     .ordinal = 3,
				     .dispatches = (uint32_t)frame};
}

static void assert_next(struct passes_reader *reader, uint64_t frame)
{
	struct passes_event e;

	assert_true(passes_reader_next(reader, NOW, &e));
	assert_int_equal(e.frame, frame);
	assert_int_equal(e.width, (uint16_t)frame);
	assert_int_equal(e.dispatches, (uint32_t)frame);
}

TEST(every_field_of_an_event_arrives)
{
	static const struct passes_event events[] = {
		{.type = PASSES_PASS,
		 .kind = PASSES_TRANSFER,
		 .device = 3,
		 .queue = 200,
		 .flags = 0x8001,
		 .name = 511,
		 .frame = 1ull << 60,
		 .begin_ns = NOW - 5,
		 .end_ns = NOW + 5,
		 .width = 65535,
		 .height = 1,
		 .ordinal = 777,
		 .in_flight = 9,
		 .draws = 1,
		 .dispatches = UINT32_MAX,
		 .vertices = 1ull << 63 | 3},
		{.type = PASSES_FRAME,
		 .kind = PASSES_WAIT,
		 .frame = 8,
		 .begin_ns = NOW,
		 .end_ns = NOW,
		 .present_ns = UINT32_MAX,
		 .wait_ns = 77,
		 .submits = 4,
		 .passes = 200,
		 .thread_ns = PASSES_CPU_UNKNOWN,
		 .process_ns = 12345,
		 .in_flight = 2},
		{.type = PASSES_REGION,
		 .name = 2,
		 .begin_ns = NOW,
		 .end_ns = NOW + 1,
		 .thread = UINT32_MAX,
		 .cycles = UINT64_MAX,
		 .instructions = 12345678901ull},
		{.type = PASSES_MARK, .begin_ns = NOW, .end_ns = NOW},
	};
	AUTOFREE uint64_t *memory = memory_new();
	struct passes_reader reader;
	struct passes_event e;

	assert_true(passes_reader_init(&reader, memory, PASSES_BYTES, NULL));
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		passes_write(memory, &events[i]);
		assert_true(passes_reader_next(&reader, NOW, &e));
		assert_memory_equal(&e, &events[i], sizeof(e));
	}
	assert_false(passes_reader_next(&reader, NOW, &e));
	assert_int_equal(reader.invalid + reader.torn + reader.overwritten, 0);
}

TEST(a_reader_begins_with_what_the_ring_still_holds)
{
	AUTOFREE uint64_t *memory = memory_new();
	struct passes_event e = pass_of(1);
	struct passes_reader reader;

	passes_write(memory, &e);
	assert_true(passes_reader_init(&reader, memory, PASSES_BYTES, NULL));
	assert_next(&reader, 1);
	for (uint64_t i = 0; i < 2 * PASSES_RING; i++)
		passes_write(memory, &e);
	assert_true(passes_reader_init(&reader, memory, PASSES_BYTES, NULL));
	assert_next(&reader, 1);
	assert_int_equal(reader.overwritten, 0);
}

TEST(events_that_are_written_together_come_in_order)
{
	AUTOFREE uint64_t *memory = memory_new();
	struct passes_event e[3] = {pass_of(1), pass_of(2), pass_of(3)};
	struct passes_reader reader;

	assert_true(passes_reader_init(&reader, memory, PASSES_BYTES, NULL));
	passes_write_all(memory, e, 3);
	passes_write(memory, &e[0]);
	passes_write_all(memory, e + 1, 2);
	for (unsigned i = 0; i < 6; i++)
		assert_next(&reader, 1 + i % 3);
	assert_false(passes_reader_next(&reader, NOW, &e[0]));
}

TEST(an_overtaken_reader_counts_what_it_missed)
{
	AUTOFREE uint64_t *memory = memory_new();
	struct passes_reader reader;
	struct passes_event e;
	uint64_t n = 0;

	assert_true(passes_reader_init(&reader, memory, PASSES_BYTES, NULL));
	for (uint64_t i = 0; i < PASSES_RING + 1000; i++) {
		e = pass_of(i);
		passes_write(memory, &e);
	}
	while (passes_reader_next(&reader, NOW, &e))
		n++;
	assert_int_equal(e.frame, PASSES_RING + 999);
	assert_int_equal(n + reader.overwritten, PASSES_RING + 1000);
	assert_int_equal(n, PASSES_RING * 7 / 8);
}

/* A writer that dies in the middle of an event leaves its lock odd. */
TEST(an_event_that_stays_incomplete_is_skipped_after_a_while)
{
	AUTOFREE uint64_t *memory = memory_new();
	struct passes_event e = pass_of(1);
	struct passes_reader reader;

	assert_true(passes_reader_init(&reader, memory, PASSES_BYTES, NULL));
	passes_write(memory, &e);
	passes_record(memory, PASSES_HEADER + PASSES_NAMES)[0] = passes_lock_word(0) + PASSES_WRITING;
	e = pass_of(2);
	passes_write(memory, &e);
	assert_false(passes_reader_next(&reader, NOW, &e));
	assert_false(passes_reader_next(&reader, NOW + 99000000, &e));
	assert_int_equal(reader.torn, 0);
	assert_true(passes_reader_next(&reader, NOW + 100000000, &e));
	assert_int_equal(e.frame, 2);
	assert_int_equal(reader.torn, 1);
}

TEST(impossible_events_are_counted_and_skipped)
{
	static const struct passes_event events[] = {
		{.type = 0, .begin_ns = NOW, .end_ns = NOW},
		{.type = PASSES_TYPES, .begin_ns = NOW, .end_ns = NOW},
		{.type = PASSES_PASS, .kind = PASSES_KINDS, .begin_ns = NOW, .end_ns = NOW},
		{.type = PASSES_FRAME, .kind = PASSES_BOUNDARIES, .begin_ns = NOW, .end_ns = NOW},
		{.type = PASSES_PASS, .name = PASSES_NAMES, .begin_ns = NOW, .end_ns = NOW},
		{.type = PASSES_PASS, .begin_ns = NOW, .end_ns = NOW - 1},
		{.type = PASSES_PASS, .begin_ns = NOW, .end_ns = NOW + 10000000001ll},
		{.type = PASSES_PASS, .begin_ns = INT64_MIN, .end_ns = NOW},
		{.type = PASSES_FRAME, .begin_ns = NOW, .end_ns = INT64_MAX},
		{.type = PASSES_FRAME, .begin_ns = NOW - 3600000000001ll, .end_ns = NOW},
	};
	AUTOFREE uint64_t *memory = memory_new();
	struct passes_event e = pass_of(7);
	struct passes_reader reader;

	assert_true(passes_reader_init(&reader, memory, PASSES_BYTES, NULL));
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		passes_write(memory, &events[i]);
	passes_write(memory, &e);
	assert_next(&reader, 7);
	assert_int_equal(reader.invalid, sizeof(events) / sizeof(events[0]));
}

TEST(a_head_that_runs_backwards_or_far_ahead_is_survived)
{
	static const uint64_t heads[] = {UINT64_MAX, 0, UINT64_MAX / 2 + 7, 5, 1ull << 40, 1};
	AUTOFREE uint64_t *memory = memory_new();
	struct passes_reader reader;
	struct passes_event e;

	assert_true(passes_reader_init(&reader, memory, PASSES_BYTES, NULL));
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		memory[PASSES_WORD_HEAD] = heads[i];
		assert_false(passes_reader_next(&reader, NOW, &e));
	}
	memory[PASSES_WORD_HEAD] = reader.cursor;
	e = pass_of(3);
	passes_write(memory, &e);
	assert_true(passes_reader_next(&reader, NOW + 200000000, &e));
	assert_int_equal(e.frame, 3);
}

TEST(only_memory_of_this_version_is_accepted)
{
	static const struct {
		unsigned word;
		uint64_t value;
		size_t size;
		const char *message;
	} rows[] = {
		{PASSES_WORD_MAGIC, 1, PASSES_BYTES, "without the mark"},
		{PASSES_WORD_VERSION, PASSES_VERSION + 1, PASSES_BYTES, "another version"},
		{PASSES_WORD_BYTES, 4096, PASSES_BYTES, "another version"},
		{PASSES_WORD_PID, 1, PASSES_BYTES - 8, "expected"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		AUTOFREE uint64_t *memory = memory_new();
		struct passes_reader reader;
		struct err err = {0};

		memory[rows[i].word] = rows[i].value;
		assert_false(passes_reader_init(&reader, memory, rows[i].size, &err));
		assert_non_null(strstr(err.text, rows[i].message));
	}
}

TEST(names_are_made_printable_and_numbered)
{
	AUTOFREE uint64_t *memory = memory_new();
	struct passes_reader reader;
	char text[80];

	assert_true(passes_reader_init(&reader, memory, PASSES_BYTES, NULL));
	passes_set_text(memory, PASSES_HEADER + 4, "shadow\033[31m\nmap");
	passes_set_text(memory, PASSES_HEADER + 5,
			"a name that is longer than the fifty-six bytes that it may have");
	passes_reader_name(&reader, 4, 0, text, sizeof(text));
	assert_null(strpbrk(text, "\033\n"));
	passes_reader_name(&reader, 5, 1, text, sizeof(text));
	assert_string_equal(text, "a name that is longer than the fifty-six bytes that it m #2");
	passes_reader_name(&reader, 6, 0, text, sizeof(text));
	assert_string_equal(text, "other");
	passes_reader_name(&reader, PASSES_NAMES + 9, 0, text, sizeof(text));
	assert_string_equal(text, "other");
	memset(passes_record(memory, PASSES_HEADER + 7), 0xff, 64);
	passes_reader_name(&reader, 7, 0, text, 8);
	assert_true(strlen(text) < 8);
}

TEST(counts_of_the_writer_never_decrease)
{
	AUTOFREE uint64_t *memory = memory_new();
	struct passes_reader reader;

	assert_true(passes_reader_init(&reader, memory, PASSES_BYTES, NULL));
	passes_count(memory, PASSES_DISJOINT, 3);
	passes_reader_counts(&reader);
	memory[PASSES_WORD_LOST + PASSES_DISJOINT] = 1;
	memory[PASSES_WORD_LOST + PASSES_LOST] = UINT64_MAX;
	passes_reader_counts(&reader);
	assert_int_equal(reader.counts[PASSES_DISJOINT], 3);
	assert_int_equal(reader.counts[PASSES_LOST], 0);
}

/* The writer that stops at pause_at, and how many events others write meanwhile. */
static struct {
	uint64_t *memory;
	unsigned at, events;
	uint64_t frame;
} paused;

static void pause_writer(unsigned point)
{
	unsigned n = paused.events;

	if (!n || point != paused.at)
		return;
	paused.events = 0;
	for (unsigned i = 0; i < n; i++) {
		struct passes_event e = pass_of(++paused.frame);

		passes_write(paused.memory, &e);
	}
}

/* The events that the reader finds are whole and in order. Returns their number. */
static uint64_t count_whole_events(struct passes_reader *reader, uint64_t *last)
{
	struct passes_event e;
	uint64_t n = 0;

	for (*last = 0; passes_reader_next(reader, NOW, &e); n++, *last = e.frame) {
		struct passes_event expected = pass_of(e.frame);

		assert_memory_equal(&e, &expected, sizeof(e));
		assert_true(e.frame > *last);
	}
	return n;
}

/* A writer's thread stops while others write once or several times round the ring. */
TEST(a_writer_that_the_ring_overtakes_tears_no_later_event)
{
	static const unsigned rounds[] = {PASSES_RING, PASSES_RING + 5, 3 * PASSES_RING};

	for (unsigned at = 0; at <= PASSES_WORDS; at++)
		for (size_t r = 0; r < sizeof(rounds) / sizeof(rounds[0]); r++) {
			AUTOFREE uint64_t *memory = memory_new();
			struct passes_event e = pass_of(1);
			struct passes_reader reader;
			uint64_t last, n;

			assert_true(passes_reader_init(&reader, memory, PASSES_BYTES, NULL));
			paused.memory = memory;
			paused.at = at;
			paused.events = rounds[r];
			paused.frame = 1;
			passes_write(memory, &e);
			n = count_whole_events(&reader, &last);
			assert_true(last + reader.torn >= paused.frame);
			assert_int_equal(n + reader.overwritten + reader.torn, rounds[r] + 1);
			assert_true(reader.torn <= 1);
			/* The record is free again. */
			for (unsigned i = 0; i < PASSES_RING; i++) {
				e = pass_of(++paused.frame);
				passes_write(memory, &e);
			}
			count_whole_events(&reader, &last);
			assert_int_equal(last, paused.frame);
			assert_true(reader.torn <= 1);
		}
}

/* The reader meets the event that was given up while the writer before it is still there. */
TEST(a_given_up_event_does_not_hold_up_the_reader)
{
	AUTOFREE uint64_t *memory = memory_new();
	struct passes_event e = pass_of(1);
	struct passes_reader reader;
	uint64_t last;

	passes_record(memory, PASSES_HEADER + PASSES_NAMES)[0] = passes_lock_word(0) + PASSES_WRITING;
	memory[PASSES_WORD_HEAD] = PASSES_RING;
	assert_true(passes_reader_init(&reader, memory, PASSES_BYTES, NULL));
	reader.cursor = PASSES_RING;
	passes_write(memory, &e);
	e = pass_of(2);
	passes_write(memory, &e);
	assert_int_equal(count_whole_events(&reader, &last), 1);
	assert_int_equal(last, 2);
	assert_int_equal(reader.torn, 1);
}

#define WRITERS 4
#define EACH 60000

struct writers {
	uint64_t *memory;
	atomic_uint running;
};

static void *write_events(void *arg)
{
	struct writers *w = arg;

	for (uint64_t i = 0; i < EACH; i++) {
		struct passes_event e = pass_of(i);

		passes_write(w->memory, &e);
	}
	atomic_fetch_sub(&w->running, 1);
	return NULL;
}

TEST(several_writers_never_show_a_torn_event)
{
	AUTOFREE uint64_t *memory = memory_new();
	struct writers w = {memory, WRITERS};
	pthread_t threads[WRITERS];
	struct passes_reader reader;
	struct passes_event e;
	uint64_t n = 0;
	bool more = true;

	assert_true(passes_reader_init(&reader, memory, PASSES_BYTES, NULL));
	for (unsigned i = 0; i < WRITERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, write_events, &w), 0);
	while (more) {
		more = atomic_load(&w.running) > 0;
		for (; passes_reader_next(&reader, NOW, &e); n++) {
			struct passes_event expected = pass_of(e.frame);

			assert_memory_equal(&e, &expected, sizeof(e));
		}
	}
	for (unsigned i = 0; i < WRITERS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(reader.invalid, 0);
	assert_int_equal(n + reader.overwritten + reader.torn, WRITERS * EACH);
}

/* A frame of 10,000 passes does not find room in the small ring twice. */
TEST(a_writer_that_changes_to_the_large_ring_loses_nothing)
{
	const unsigned before = PASSES_RING - 5, after = PASSES_LARGE_RING - 5;
	AUTOFREE uint64_t *memory = memory_new();
	struct passes_reader reader, late;
	struct passes_event e;

	assert_true(passes_reader_init(&reader, memory, PASSES_BYTES, NULL));
	for (uint64_t i = 0; i < before + after; i++) {
		e = pass_of(i);
		passes_write(memory, &e);
		if (i == before - 1)
			passes_grow(memory);
	}
	passes_grow(memory); /* once */
	for (uint64_t i = 0; i < before + after; i++)
		assert_next(&reader, i);
	assert_false(passes_reader_next(&reader, NOW, &e));
	assert_int_equal(reader.overwritten + reader.torn + reader.invalid, 0);
	assert_true(passes_reader_init(&late, memory, PASSES_BYTES, NULL));
	assert_next(&late, before + after - PASSES_LARGE_RING / 8 * 7);
	for (uint64_t i = 0; i < PASSES_LARGE_RING + 100; i++) {
		e = pass_of(i);
		passes_write(memory, &e);
	}
	assert_next(&reader, 100 + PASSES_LARGE_RING / 8);
	assert_int_equal(reader.overwritten, 100 + PASSES_LARGE_RING / 8);
	memory[PASSES_WORD_HEAD] = UINT64_MAX; /* it may write anything */
	memory[PASSES_WORD_GROWN] = UINT64_MAX;
	for (unsigned i = 0; i < 3; i++)
		passes_reader_next(&reader, NOW, &e);
	assert_true(passes_reader_init(&late, memory, PASSES_BYTES, NULL));
	passes_reader_next(&late, NOW, &e);
}

/* A program may have been compiled with an earlier malitop.h. */
TEST(memory_without_the_large_ring_is_read_too)
{
	AUTOFREE uint64_t *memory = xcalloc(PASSES_SMALL_BYTES / 8, 8);
	struct passes_reader reader;
	struct passes_event e = pass_of(7);

	passes_init(memory, PASSES_REGIONS, PASSES_STAMP_NONE);
	memory[PASSES_WORD_BYTES] = PASSES_SMALL_BYTES;
	assert_true(passes_reader_init(&reader, memory, PASSES_SMALL_BYTES, NULL));
	passes_write(memory, &e);
	assert_next(&reader, 7);
	for (unsigned i = 0; i < 2; i++) { /* a large ring that is not there */
		memory[PASSES_WORD_HEAD] = i ? 3 | PASSES_GROWN : UINT64_MAX;
		memory[PASSES_WORD_GROWN] = 1;
		for (unsigned k = 0; k < 3; k++)
			passes_reader_next(&reader, NOW + k * NOW / 1000, &e);
	}
}
