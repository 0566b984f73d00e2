#include "base/alloc.h"
#include "model/ring.h"
#include "tests/support/test.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VALUES_MAX 300

/* The content follows from the number, so that a torn or mixed sample shows. */
static void fill_sample(struct sample *s, uint64_t seq, uint32_t n_values)
{
	*s = (struct sample){.source = (uint32_t)(seq % 3),
			     .n_values = n_values,
			     .seq = seq,
			     .begin_ns = (int64_t)seq * 10};
	s->end_ns = s->begin_ns + 10;
	for (uint32_t i = 0; i < n_values; i++)
		s->value[i] = seq * 1000 + i;
}

static bool is_whole(const struct sample *s, uint64_t seq, uint32_t n_values)
{
	if (s->seq != seq || s->n_values != n_values || s->source != seq % 3 ||
	    s->end_ns != (int64_t)seq * 10 + 10)
		return false;
	for (uint32_t i = 0; i < n_values; i++)
		if (s->value[i] != seq * 1000 + i)
			return false;
	return true;
}

static struct sample *scratch_new(void)
{
	return xcalloc(1, sizeof(struct sample) + VALUES_MAX * sizeof(uint64_t));
}

TEST(an_empty_ring_has_nothing)
{
	struct ring *ring = ring_new(0);

	assert_null(ring_peek(ring));
	assert_int_equal(ring_lost(ring), 0);
	ring_free(ring);
	ring_free(NULL);
}

TEST(samples_come_out_in_order_and_whole)
{
	AUTOFREE struct sample *s = scratch_new();
	struct ring *ring = ring_new(ring_bytes(64, 10));

	for (uint64_t seq = 1; seq <= 64; seq++) {
		fill_sample(s, seq, (uint32_t)(seq % 11));
		assert_true(ring_push(ring, s));
	}
	for (uint64_t seq = 1; seq <= 64; seq++) {
		const struct sample *got = ring_peek(ring);

		assert_non_null(got);
		assert_ptr_equal(got, ring_peek(ring)); /* looking takes nothing */
		assert_true(is_whole(got, seq, (uint32_t)(seq % 11)));
		ring_release(ring);
	}
	assert_null(ring_peek(ring));
	ring_free(ring);
}

TEST(ring_bytes_is_room_for_so_many_samples)
{
	static const struct {
		size_t samples;
		uint32_t n_values;
	} cases[] = {{1, 0}, {64, 0}, {64, 1}, {64, 177}, {1000, 3}, {1, VALUES_MAX}};
	AUTOFREE struct sample *s = scratch_new();

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct ring *ring = ring_new(ring_bytes(cases[i].samples, cases[i].n_values));

		for (size_t k = 0; k < cases[i].samples; k++) {
			fill_sample(s, k, cases[i].n_values);
			assert_true(ring_push(ring, s));
		}
		ring_free(ring);
	}
}

TEST(full_ring_counts_the_loss_and_keeps_the_old)
{
	AUTOFREE struct sample *s = scratch_new();
	struct ring *ring = ring_new(4096);
	uint64_t kept = 0, n = 0;

	for (uint64_t seq = 1; seq <= 1000; seq++) {
		fill_sample(s, seq, 5);
		if (ring_push(ring, s))
			kept++;
		assert_int_equal(ring_lost(ring), seq - kept);
	}
	assert_true(kept > 10 && kept < 100);
	while (ring_peek(ring)) {
		assert_true(is_whole(ring_peek(ring), ++n, 5));
		ring_release(ring);
	}
	assert_int_equal(n, kept);
	fill_sample(s, 1001, 5); /* and there is room again */
	assert_true(ring_push(ring, s));
	assert_int_equal(ring_lost(ring), 1000 - kept);
	ring_free(ring);
}

TEST(a_sample_larger_than_the_ring_is_lost_and_does_no_harm)
{
	AUTOFREE struct sample *s = xcalloc(1, sizeof(*s) + 2000 * sizeof(uint64_t));
	struct ring *ring = ring_new(4096);

	for (int i = 0; i < 3; i++) {
		fill_sample(s, 1, 2000);
		assert_false(ring_push(ring, s));
		assert_null(ring_peek(ring));
		fill_sample(s, 2, 4);
		assert_true(ring_push(ring, s));
		assert_true(is_whole(ring_peek(ring), 2, 4));
		ring_release(ring);
	}
	assert_int_equal(ring_lost(ring), 3);
	ring_free(ring);
}

/* Every length from every place in the ring, so that records end at, before and beyond the end of
 * the array. */
TEST(samples_wrap_around_from_every_place)
{
	AUTOFREE struct sample *s = scratch_new();

	for (uint32_t n_values = 0; n_values < 40; n_values++) {
		struct ring *ring = ring_new(4096);
		uint64_t in = 0, out = 0;

		for (int round = 0; round < 2000; round++) {
			fill_sample(s, in, (n_values + (uint32_t)in) % 53);
			in += ring_push(ring, s);
			if (in - out > (uint64_t)(round % 7)) {
				const struct sample *got = ring_peek(ring);

				assert_non_null(got);
				assert_true(is_whole(got, out, (n_values + (uint32_t)out) % 53));
				ring_release(ring);
				out++;
			}
		}
		assert_true(in > 500);
		ring_free(ring);
	}
}

TEST(a_full_ring_that_must_wrap_loses_and_does_not_overwrite)
{
	AUTOFREE struct sample *s = scratch_new();
	struct ring *ring = ring_new(4096); /* 512 words */
	const struct sample *first;

	fill_sample(s, 1, 200);
	assert_true(ring_push(ring, s));
	fill_sample(s, 2, 200);
	assert_true(ring_push(ring, s));
	first = ring_peek(ring);
	fill_sample(s, 3, 120); /* fits neither after the others nor, with the filler, at the start */
	assert_false(ring_push(ring, s));
	assert_true(is_whole(first, 1, 200));
	ring_release(ring);
	assert_true(ring_push(ring, s)); /* now after a filler */
	assert_true(is_whole(ring_peek(ring), 2, 200));
	ring_release(ring);
	assert_true(is_whole(ring_peek(ring), 3, 120));
	ring_release(ring);
	assert_null(ring_peek(ring));
	ring_free(ring);
}

/* What is there for a reader that is late is not touched for one that is in time. */
TEST(an_empty_ring_begins_anew_with_all_its_room)
{
	AUTOFREE struct sample *s = scratch_new();
	struct ring *ring = ring_new(ring_bytes(100, 7));
	const struct sample *first = NULL;

	for (uint64_t seq = 1; seq <= 1000; seq++) {
		fill_sample(s, seq, 7);
		assert_true(ring_push(ring, s));
		if (!first)
			first = ring_peek(ring);
		assert_ptr_equal(ring_peek(ring), first);
		assert_true(is_whole(first, seq, 7));
		ring_release(ring);
		assert_null(ring_peek(ring));
		if (seq % 10 == 0) { /* too large, from wherever it stands */
			s->n_values = UINT16_MAX;
			assert_false(ring_push(ring, s));
			assert_null(ring_peek(ring));
		}
	}
	for (uint64_t seq = 1; seq <= 100; seq++) {
		fill_sample(s, seq, 7);
		assert_true(ring_push(ring, s));
	}
	for (uint64_t seq = 1; seq <= 100; seq++, ring_release(ring))
		assert_true(is_whole(ring_peek(ring), seq, 7));
	ring_free(ring);
}

static size_t resident_bytes(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	unsigned long pages = 0;

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%*u %lu", &pages), 1);
	fclose(file);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* A reader was late once, so that all of the ring was used. */
TEST(memory_of_a_late_reader_is_given_back)
{
	const size_t size = (size_t)32 << 20;
	AUTOFREE struct sample *s = scratch_new();
	size_t before = resident_bytes(), full;
	struct ring *ring = ring_new(size);
	uint64_t in = 0, out = 0;

	do
		fill_sample(s, ++in, VALUES_MAX);
	while (ring_push(ring, s));
	full = resident_bytes();
	assert_true(full >= before + size * 9 / 10);
	for (; ring_peek(ring); ring_release(ring))
		assert_true(is_whole(ring_peek(ring), ++out, VALUES_MAX));
	assert_int_equal(out, in - 1);
	for (unsigned round = 0; round < 100; round++) { /* in time again */
		for (unsigned i = 0; i < 300; i++) {
			fill_sample(s, ++in, VALUES_MAX);
			assert_true(ring_push(ring, s));
		}
		for (out = in - 300; ring_peek(ring); ring_release(ring))
			assert_true(is_whole(ring_peek(ring), ++out, VALUES_MAX));
		assert_int_equal(out, in);
	}
	assert_true(resident_bytes() <= full - size / 2);
	ring_free(ring);
}

/* ---- two threads ---- */

#define THREAD_SAMPLES 200000u

static uint32_t length_of(uint64_t seq)
{
	return (uint32_t)(seq * 2654435761u >> 16) % 60;
}

static void *produce_samples(void *arg)
{
	struct ring *ring = arg;
	AUTOFREE struct sample *s = scratch_new();

	for (uint64_t seq = 1; seq <= THREAD_SAMPLES; seq++) {
		fill_sample(s, seq, length_of(seq));
		if (!ring_push(ring, s) && seq % 64 == 0)
			sched_yield();
	}
	fill_sample(s, THREAD_SAMPLES + 1, 0);
	while (!ring_push(ring, s)) /* the last must arrive */
		sched_yield();
	return NULL;
}

TEST(two_threads_see_whole_samples_in_order_and_count_every_loss)
{
	struct ring *ring = ring_new(16384);
	uint64_t before = 0, missed = 0, got = 0;
	pthread_t producer;

	assert_int_equal(pthread_create(&producer, NULL, produce_samples, ring), 0);
	while (before <= THREAD_SAMPLES) {
		const struct sample *s = ring_peek(ring);

		if (!s) {
			sched_yield();
			continue;
		}
		if (s->seq <= before || !is_whole(s, s->seq, s->seq > THREAD_SAMPLES ? 0 : length_of(s->seq)))
			fail_msg("sample %llu after %llu", (unsigned long long)s->seq,
				 (unsigned long long)before);
		missed += s->seq - before - 1;
		before = s->seq;
		got++;
		ring_release(ring);
	}
	assert_int_equal(pthread_join(producer, NULL), 0);
	assert_int_equal(got + missed, THREAD_SAMPLES + 1);
	assert_true(ring_lost(ring) >= missed); /* the last was tried again and again */
	assert_true(got > 100);
	ring_free(ring);
}
