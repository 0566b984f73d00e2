/* The sampler over a source that the test scripts. */
#include "tests/support/sampler_bench.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

/* Takes everything out; checks that the count and the times go on without a break. Returns how many
 * there were. */
static unsigned drain_samples(struct subscriber *subscriber, uint64_t *seq, int64_t *end_ns,
			      int64_t period_ns, uint32_t n_values)
{
	const struct sample *s;
	unsigned n = 0;

	for (; (s = subscriber_peek(subscriber)); n++) {
		assert_int_equal(s->n_values, n_values);
		assert_int_equal(s->end_ns - s->begin_ns, period_ns);
		if (*seq) {
			assert_int_equal(s->seq, *seq + 1 + s->lost);
			assert_int_equal(s->begin_ns, *end_ns);
		}
		*seq = s->seq;
		*end_ns = s->end_ns;
		subscriber_release(subscriber);
	}
	return n;
}

TEST(every_interval_becomes_a_sample_and_nothing_drifts)
{
	static const int64_t periods[] = {MS, 5 * MS, 10 * MS, 20 * MS};

	for (size_t i = 0; i < ARRAY_LEN(periods); i++) {
		struct subscriber *subscriber;
		uint64_t seq = 0;
		int64_t end = 0, begin;
		struct sampler_bench b;
		unsigned n;

		bench_init(&b);
		subscriber = bench_subscriber(&b, RING_BYTES, false);
		begin = b.sys.monotonic_ns(&b.sys);
		sampler_adopt(b.sampler, fake_source(&b.sys), periods[i]);
		assert_int_equal(next_event(&b).period_ns, periods[i]);
		AWAIT(SAMPLES_NOW >= 100 * MS / periods[i]);
		sampler_detach(b.sampler, subscriber); /* reads what has ended */
		n = drain_samples(subscriber, &seq, &end, periods[i], 2);
		assert_true(n >= 100 * MS / periods[i]);
		assert_true(end <= b.sys.monotonic_ns(&b.sys) && end >= begin + 100 * MS);
		subscriber_free(subscriber);
		bench_fini(&b);
	}
}

TEST(short_intervals_are_read_in_batches)
{
	struct subscriber *subscriber;
	struct sampler_bench b;

	bench_init(&b);
	subscriber = bench_subscriber(&b, RING_BYTES, false);
	sampler_adopt(b.sampler, fake_source(&b.sys), MS);
	next_event(&b);
	AWAIT(SAMPLES_NOW >= 160);
	sampler_free(b.sampler);
	/* Each wake ends with one read that gives nothing, so these reads count the wakes. */
	assert_true(script.reads - n_samples <= n_samples / 16 + 10);
	sys_fini(&b.sys);
	subscriber_free(subscriber);
}

TEST(a_tap_has_instances_only_when_it_asks)
{
	struct subscriber *sums, *all;
	uint64_t seq = 0, seq_all = 0;
	int64_t end = 0, end_all = 0;
	struct sampler_bench b;

	bench_init(&b);
	sums = bench_subscriber(&b, RING_BYTES, false);
	all = bench_subscriber(&b, RING_BYTES, true);
	sampler_adopt(b.sampler, fake_source(&b.sys), 10 * MS);
	AWAIT(SAMPLES_NOW >= 1);
	sampler_free(b.sampler);
	assert_true(drain_samples(sums, &seq, &end, 10 * MS, 2) > 0);
	assert_true(drain_samples(all, &seq_all, &end_all, 10 * MS, 3) > 0);
	subscriber_free(sums);
	subscriber_free(all);
	sys_fini(&b.sys);
}

TEST(a_full_ring_hurts_only_its_reader)
{
	struct subscriber *small, *large;
	uint64_t seq = 0;
	int64_t end = 0;
	struct sampler_bench b;

	bench_init(&b);
	small = bench_subscriber(&b, 1, true);
	large = bench_subscriber(&b, RING_BYTES, true);
	sampler_adopt(b.sampler, fake_source(&b.sys), MS);
	AWAIT(SAMPLES_NOW >= 200);
	sampler_free(b.sampler);
	assert_true(subscriber_lost(small) > 0);
	assert_int_equal(subscriber_lost(large), 0);
	assert_int_equal(drain_samples(large, &seq, &end, MS, 3), n_samples);
	subscriber_free(small);
	subscriber_free(large);
	sys_fini(&b.sys);
}

TEST(what_the_driver_lost_is_in_the_count)
{
	struct subscriber *subscriber;
	uint64_t seq = 0;
	int64_t end = 0;
	struct sampler_bench b;

	bench_init(&b);
	script.lost_at = 3;
	subscriber = bench_subscriber(&b, RING_BYTES, false);
	sampler_adopt(b.sampler, fake_source(&b.sys), 10 * MS);
	AWAIT(SAMPLES_NOW >= 4);
	sampler_free(b.sampler);
	assert_true(drain_samples(subscriber, &seq, &end, 10 * MS, 2) >= 3);
	assert_int_equal(seq, n_samples + 2);
	subscriber_free(subscriber);
	sys_fini(&b.sys);
}

TEST(a_source_that_fails_to_start_is_reported_and_closed)
{
	struct sampler_event event;
	struct sampler_bench b;

	bench_init(&b);
	script.fails_to_start = true;
	sampler_adopt(b.sampler, fake_source(&b.sys), 10 * MS);
	event = next_event(&b);
	assert_int_equal(event.kind, SAMPLER_FAILED);
	assert_string_equal(event.err.text, "fake: will not start");
	bench_fini(&b);
	assert_int_equal(script.closes, 1);
	assert_int_equal(script.stops, 0);
	assert_int_equal(script.reads, 0);
}

TEST(a_device_that_goes_is_reported_once_and_the_others_go_on)
{
	struct sampler_event event;
	AUTO_STRBUF struct strbuf text = {0};
	uint32_t index;
	struct sampler_bench b;

	bench_init(&b);
	script.gone_after = 2;
	index = sampler_adopt(b.sampler, fake_source(&b.sys), 10 * MS);
	assert_int_equal(next_event(&b).kind, SAMPLER_STARTED);
	sampler_describe(b.sampler, index, &text);
	assert_string_equal(text.p, "a fake\n");
	event = next_event(&b);
	assert_int_equal(event.kind, SAMPLER_GONE);
	assert_int_equal(event.source, index);
	assert_non_null(strstr(event.err.text, "a fake: the device is gone"));
	strbuf_clear(&text);
	sampler_describe(b.sampler, index, &text);
	assert_int_equal(text.n, 0);
	script.gone_after = 0;
	assert_int_equal(sampler_adopt(b.sampler, fake_source(&b.sys), 10 * MS), index + 1);
	assert_int_equal(next_event(&b).kind, SAMPLER_STARTED);
	bench_fini(&b);
	assert_int_equal(script.closes, 2);
	assert_int_equal(script.stops, 2);
}

TEST(a_new_period_starts_the_source_anew)
{
	uint32_t index;
	struct sampler_bench b;

	bench_init(&b);
	index = sampler_adopt(b.sampler, fake_source(&b.sys), 10 * MS);
	assert_int_equal(next_event(&b).period_ns, 10 * MS);
	sampler_set_period(b.sampler, index, 20 * MS);
	assert_int_equal(next_event(&b).period_ns, 20 * MS);
	bench_fini(&b);
	assert_int_equal(script.starts, 2);
	assert_int_equal(script.stops, 2);
	assert_int_equal(script.closes, 1);
}
