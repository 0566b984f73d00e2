/* A Mali driver's sense of time: intervals that begin late, last longer or are asked for, and
 * stamps that cannot be. */
#include "base/alloc.h"
#include "tests/support/kbase_run.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S (1000 * MS)

/* Some drivers sample as soon as they are started: the first waiting sample is no time at all, and
 * the second follows at once. */
TEST(samples_that_wait_together_at_the_start_are_all_sound)
{
	for (size_t w = 0; w < KBASE_WAYS; w++) {
		struct kbase_run r;

		kbase_run_begin(&r, &kbase_ways[w], 1 * MS);
		fake_sys_run(&r.fake, 16 * MS);
		for (int i = 0; i < 14; i++) {
			assert_int_equal(kbase_run_read(&r, 0), READ_GOT);
			assert_int_equal(r.sample->flags, 0);
			assert_true(r.sample->end_ns > r.sample->begin_ns);
		}
		kbase_run_fini(&r);
	}
}

/* Some drivers sample soon after the start, and again one to two periods later. */
TEST(a_first_tick_out_of_turn_is_left_out_and_stretches_nothing)
{
	static const int64_t ticks[] = {20000, 300000, 5 * MS, 19 * MS, 30 * MS};
	static const int64_t periods[] = {10 * MS, 20 * MS, 100 * MS, 250 * MS, S};

	for (size_t t = 0; t < ARRAY_LEN(ticks); t++)
		for (size_t p = 0; p < ARRAY_LEN(periods); p++) {
			struct kbase_run r;
			struct fake_gpu *gpu = kbase_run_begin(&r, &kbase_ways[KBASE_WAYS - 1], 100 * MS);

			r.source->backend->stop(r.source);
			gpu->first_tick_ns = ticks[t];
			assert_true(kbase_run_start(&r, periods[p]));
			for (int i = 0; i < 5; i++) {
				kbase_run_next(&r);
				if (r.sample->flags)
					fail_msg("first tick %lld, period %lld: sample %d has the flags %u",
						 (long long)ticks[t], (long long)periods[p], i,
						 r.sample->flags);
				if (i) /* thirds of a period are not exact */
					assert_in_range(r.sample->end_ns - r.sample->begin_ns, periods[p] - 3,
							periods[p]);
			}
			kbase_run_fini(&r);
		}
}

static const uint64_t absurd_stamps[] = {
	0, 1, INT64_MAX, UINT64_MAX, (uint64_t)INT64_MAX - 4000000000, INT64_MAX + 1ull};

TEST(a_stamp_that_cannot_be_spoils_its_own_sample_only)
{
	for (size_t w = 0; w < KBASE_WAYS; w++)
		for (size_t i = 0; i < ARRAY_LEN(absurd_stamps); i++) {
			struct kbase_run r;
			struct fake_gpu *gpu = kbase_run_begin(&r, &kbase_ways[w], 100 * MS);
			int64_t before_ns;

			kbase_run_next(&r);
			kbase_run_next(&r);
			before_ns = r.sample->end_ns;
			gpu->endless_samples = 1;
			gpu->endless_stamp = absurd_stamps[i];
			kbase_run_next(&r);
			assert_int_equal(r.sample->flags, sample_failed(FAILURE_STAMPS));
			assert_int_equal(r.sample->end_ns - r.sample->begin_ns, 0);
			kbase_run_next(&r);
			/* A dump says only when it ended: the next one has the time and the counts
			 * of both. A sample says when it began. */
			assert_int_equal(r.sample->flags, w < 3 ? SAMPLE_STRETCHED : SAMPLE_GAP);
			assert_int_equal(r.sample->end_ns - r.sample->begin_ns, w < 3 ? 200 * MS : 100 * MS);
			assert_int_equal(r.sample->end_ns, before_ns + 200 * MS);
			assert_int_equal(kbase_run_value(&r),
					 kbase_run_counted(&r, gpu, r.sample->begin_ns, r.sample->end_ns));
			for (int n = 0; n < 3; n++) {
				kbase_run_next(&r);
				assert_int_equal(r.sample->flags, 0);
				assert_int_equal(r.sample->end_ns - r.sample->begin_ns, 100 * MS);
			}
			kbase_run_fini(&r);
		}
}

/* When the driver's buffers are full, what comes later is in one long sample, and no count is
 * lost. */
TEST(a_reader_that_sleeps_finds_every_count_in_a_stretched_sample)
{
	for (size_t w = 0; w < KBASE_WAYS; w++) {
		struct kbase_run r;
		uint64_t sum = 0;
		int64_t begin_ns, end_ns;
		unsigned n = 0, stretched = 0;
		struct fake_gpu *gpu = kbase_run_begin(&r, &kbase_ways[w], 10 * MS);

		kbase_run_next(&r);
		begin_ns = r.sample->end_ns;
		fake_sys_run(&r.fake, 500 * MS);
		while (kbase_run_read(&r, 0) == READ_GOT) {
			sum += kbase_run_value(&r);
			n++;
		}
		assert_in_range(n, 31, 32);
		kbase_run_next(&r);
		sum += kbase_run_value(&r);
		stretched += r.sample->flags == SAMPLE_STRETCHED;
		assert_true(r.sample->end_ns - r.sample->begin_ns > 150 * MS);
		end_ns = r.sample->end_ns;
		assert_int_equal(stretched, 1);
		assert_int_equal(sum, kbase_run_counted(&r, gpu, begin_ns, end_ns));
		kbase_run_fini(&r);
	}
}

TEST(sampling_by_hand_where_the_driver_refuses_a_period)
{
	static const struct {
		int64_t asked_ns, true_ns;
	} cases[] = {{100 * MS, 100 * MS}, {1 * MS, 10 * MS}};

	for (size_t w = 0; w < KBASE_WAYS; w++)
		for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
			struct kbase_run r;
			struct fake_gpu *gpu = kbase_run_begin(&r, &kbase_ways[w], 100 * MS);

			kbase_run_close(&r);
			gpu->refuses_period = true;
			r.options.interval_ns = cases[c].asked_ns;
			if (!kbase_run_open(&r) || !kbase_run_start(&r, cases[c].asked_ns))
				fail_msg("%s: %s", kbase_ways[w].driver, r.err.text);
			assert_int_equal(r.source->period_ns, cases[c].true_ns);
			assert_int_equal(r.source->backend->fd(r.source),
					 -1); /* the sampler asks every period */
			for (int i = 0; i < 5; i++) {
				kbase_run_next(&r);
				assert_int_equal(r.sample->end_ns - r.sample->begin_ns, cases[c].true_ns);
				assert_true(kbase_run_value(&r) > 0);
				assert_int_equal(kbase_run_read(&r, 0), READ_NONE);
			}
			kbase_run_fini(&r);
		}
}

TEST(the_interval_that_the_driver_really_takes_becomes_known)
{
	for (size_t w = 0; w < KBASE_WAYS; w++) {
		struct kbase_run r;
		struct fake_gpu *gpu = kbase_run_begin(&r, &kbase_ways[w], 100 * MS);

		kbase_run_close(&r);
		gpu->raises_to_ns = 40 * MS;
		assert_true(kbase_run_open(&r) && kbase_run_start(&r, 10 * MS));
		for (int i = 0; i < 16; i++)
			kbase_run_next(&r);
		assert_int_equal(r.source->period_ns, 40 * MS);
		kbase_run_next(&r);
		assert_int_equal(r.sample->flags, 0);
		kbase_run_fini(&r);
	}
}

/* The driver's ticks begin anywhere: parts are short enough for an interval to end where it is due,
 * and none is short or long. */
TEST(long_intervals_end_when_they_are_due)
{
	static const int64_t periods[] = {500 * MS, S, 2 * S, 10 * S};

	for (size_t w = 0; w < KBASE_WAYS; w++)
		for (int64_t late = 0; late < 100; late += 33)
			for (size_t p = 0; p < ARRAY_LEN(periods); p++) {
				struct kbase_run r;
				int64_t start_ns;

				kbase_run_begin(&r, &kbase_ways[w], 100 * MS);
				fake_sys_run(&r.fake, late * MS);
				r.source->backend->stop(r.source);
				start_ns = r.fake.now_ns;
				assert_true(kbase_run_start(&r, periods[p]));
				assert_int_equal(r.source->backend->fd(r.source),
						 -1); /* it is read once an interval */
				for (int i = 1; i <= 3; i++) {
					fake_sys_run(&r.fake, start_ns + i * periods[p] - r.fake.now_ns);
					assert_int_equal(kbase_run_read(&r, 0), READ_GOT);
					assert_int_equal(r.sample->flags, 0);
					assert_in_range(r.sample->end_ns - r.sample->begin_ns,
							i > 1 ? periods[p] : periods[p] * 7 / 10, periods[p]);
					assert_int_equal(kbase_run_read(&r, 0), READ_NONE);
				}
				kbase_run_fini(&r);
			}
}

/* At the end of a measurement: what the parts so far have counted is not lost, and the interval
 * goes on. */
TEST(an_interval_can_be_cut_between_its_parts)
{
	for (size_t w = 0; w < KBASE_WAYS; w++) {
		struct kbase_run r;
		int64_t end_ns;

		kbase_run_begin(&r, &kbase_ways[w], S);
		fake_sys_run(&r.fake, 2 * S + 450 * MS);
		assert_int_equal(kbase_run_read(&r, 0), READ_GOT);
		assert_int_equal(kbase_run_read(&r, 0), READ_GOT);
		end_ns = r.sample->end_ns;
		assert_int_equal(kbase_run_read(&r, 0), READ_NONE);
		r.source->cut = true;
		assert_int_equal(kbase_run_read(&r, 0), READ_GOT);
		assert_int_equal(r.sample->begin_ns, end_ns);
		assert_in_range(r.sample->end_ns - r.sample->begin_ns, 300 * MS, 600 * MS);
		end_ns = r.sample->end_ns;
		assert_int_equal(kbase_run_read(&r, 0), READ_NONE);
		r.source->cut = false;
		kbase_run_next(&r);
		assert_int_equal(r.sample->begin_ns, end_ns);
		assert_in_range(r.sample->end_ns - r.sample->begin_ns, 400 * MS, 700 * MS);
		kbase_run_fini(&r);
	}
}

TEST(a_long_interval_does_not_overflow_32_bits)
{
	for (size_t w = 0; w < KBASE_WAYS; w++) {
		struct kbase_run r;

		kbase_run_begin(&r, &kbase_ways[w], 10 * S);
		kbase_run_next(&r);
		kbase_run_next(&r);
		assert_int_equal(r.sample->end_ns - r.sample->begin_ns, 10 * S);
		assert_true(kbase_run_value(&r) != SAMPLE_UNKNOWN && kbase_run_value(&r) > UINT32_MAX);
		kbase_run_fini(&r);
	}
}

TEST(another_period_begins_another_session)
{
	static const int64_t periods[] = {10 * MS, 200 * MS, 20 * MS, 20 * MS};

	for (size_t w = 0; w < KBASE_WAYS; w++) {
		struct kbase_run r;

		kbase_run_begin(&r, &kbase_ways[w], 100 * MS);
		for (size_t p = 0; p < ARRAY_LEN(periods); p++) {
			r.source->backend->stop(r.source);
			if (!kbase_run_start(&r, periods[p]))
				fail_msg("%s", r.err.text);
			kbase_run_next(&r);
			kbase_run_next(&r);
			assert_int_equal(r.sample->end_ns - r.sample->begin_ns, periods[p]);
			assert_int_equal(r.sample->flags, 0);
		}
		assert_int_equal(fake_kbase_open_files(&r.fake.kbase), 2);
		kbase_run_fini(&r);
	}
}
