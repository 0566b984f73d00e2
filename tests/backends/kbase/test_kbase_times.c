/* From a driver's stamps to ours: what is believed, what is marked, and what is no interval at
 * all. */
#include "backends/kbase/kbase.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#define MS 1000000ll
#define S 1000000000ll
#define RAW_AHEAD (5 * S) /* CLOCK_MONOTONIC_RAW runs so much ahead */

static int64_t now_ns, raw_drift_ns;

static int64_t fake_monotonic(const struct sys *sys)
{
	(void)sys;
	return now_ns;
}

static int64_t fake_raw(const struct sys *sys)
{
	(void)sys;
	return now_ns + RAW_AHEAD + raw_drift_ns;
}

struct kbase_times_bench {
	struct sys sys;
	struct kbase_times times;
	struct sample *sample;
};

static void start_case(struct kbase_times_bench *b, int64_t period_ns, bool follows)
{
	now_ns = 100 * S;
	kbase_times_start(&b->times, &b->sys, now_ns);
	kbase_times_expect(&b->times, period_ns, follows);
}

FIXTURE(bench_init)
{
	struct kbase_times_bench *b = xcalloc(1, sizeof(*b));

	now_ns = 100 * S;
	raw_drift_ns = 0;
	b->sys = (struct sys){.monotonic_ns = fake_monotonic, .raw_ns = fake_raw};
	b->sample = xcalloc(1, sizeof(*b->sample));
	start_case(b, 100 * MS, true);
	*state = b;
	return 0;
}

FIXTURE(bench_fini)
{
	struct kbase_times_bench *b = *state;

	free(b->sample);
	free(b);
	return 0;
}

TEST_EACH(bench_init, bench_fini)

/* An interval of the driver, in ns since the start of the session. */
static struct kbase_interval interval_of(int64_t begin_ns, int64_t end_ns)
{
	return (struct kbase_interval){.begin_ns = 100 * S + RAW_AHEAD + begin_ns,
				       .end_ns = 100 * S + RAW_AHEAD + end_ns};
}

static const struct sample *convert_sample(struct kbase_times_bench *b, int64_t begin_ns, int64_t end_ns,
					   uint32_t flags)
{
	struct kbase_interval interval = interval_of(begin_ns, end_ns);

	interval.flags = flags;
	now_ns = 100 * S + (end_ns > 0 ? end_ns : 0) + MS;
	*b->sample = (struct sample){0};
	assert_true(kbase_times_convert(&b->times, &b->sys, &interval, now_ns, b->sample));
	return b->sample;
}

/* Intervals of one length, the next of which begins where the last one ended. Returns where these
 * end. */
static int64_t convert_many(struct kbase_times_bench *b, unsigned n, int64_t begin_ns, int64_t length_ns)
{
	for (unsigned i = 0; i < n; i++, begin_ns += length_ns)
		convert_sample(b, begin_ns, begin_ns + length_ns, 0);
	return begin_ns;
}

TEST(stamps_become_those_of_our_clock)
{
	const struct sample *s = convert_sample(*state, 0, 100 * MS, 0);

	assert_int_equal(s->begin_ns, 100 * S);
	assert_int_equal(s->end_ns, 100 * S + 100 * MS);
	assert_int_equal(s->flags, 0);
}

TEST(what_lies_before_the_first_tick_is_no_interval)
{
	static const struct {
		int64_t begin_ns, end_ns;
		bool lead;
	} cases[] = {
		{0, 0, true},                          /* at once */
		{0, 30 * MS, true},                    /* the driver's ticks do not begin with us */
		{0, 100 * MS, true},                   /* it may have begun before us */
		{0, -(100 * S + RAW_AHEAD), false},    /* absurd: told as an error */
		{-(100 * S + RAW_AHEAD), 0, false},    /* likewise */
		{0, INT64_MAX - 200 * S, false},       /* likewise */
		{INT64_MIN + 200 * S, 30 * MS, false}, /* likewise */
	};
	struct kbase_times_bench *b = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (int follows = 0; follows < 2; follows++) {
			struct kbase_interval part = interval_of(cases[i].begin_ns, cases[i].end_ns),
					      later = interval_of(30 * MS, 60 * MS);

			start_case(b, 100 * MS, follows); /* where we keep time it does begin with us */
			now_ns += 200 * MS;
			assert_int_equal(kbase_times_is_lead(&b->times, &b->sys, &part),
					 follows && cases[i].lead);
			assert_false(
				kbase_times_is_lead(&b->times, &b->sys, &later)); /* only the first one */
		}
}

TEST(the_first_interval_may_be_long_without_being_stretched)
{
	struct kbase_times_bench *b = *state;

	assert_int_equal(convert_sample(b, 20 * MS, 215 * MS, 0)->flags, 0);
	assert_int_equal(convert_sample(b, 215 * MS, 315 * MS, 0)->flags, 0);
	assert_int_equal(convert_sample(b, 315 * MS, 510 * MS, 0)->flags, SAMPLE_STRETCHED);
}

TEST(what_touches_goes_on_touching_when_the_clocks_drift_apart)
{
	struct kbase_times_bench *b = *state;
	int64_t end = 0;

	for (int i = 0; i < 300; i++) {
		const struct sample *s = convert_sample(b, i * 100 * MS, (i + 1) * 100 * MS, 0);

		assert_int_equal(s->flags, 0);
		assert_true(!end || s->begin_ns == end);
		assert_in_range(s->end_ns - s->begin_ns, 99 * MS, 101 * MS);
		end = s->end_ns;
		raw_drift_ns += 1000;
	}
	assert_in_range(100 * S + 300 * 100 * MS - end, 200 * 1000, 300 * 1000); /* it was followed */
}

TEST(time_that_nobody_counted_is_a_gap)
{
	struct kbase_times_bench *b = *state;

	convert_sample(b, 0, 100 * MS, 0);
	assert_int_equal(convert_sample(b, 300 * MS, 400 * MS, 0)->flags, SAMPLE_GAP);
	assert_int_equal(b->sample->begin_ns, 100 * S + 300 * MS);
	assert_int_equal(convert_sample(b, 400 * MS, 500 * MS, 0)->flags, 0);
}

/* Where a mark stands: time never runs backwards. Without a credible end it is a period after the
 * last sample, so that failed samples have different times. */
enum { AT_LAST, AT_END };

static const struct {
	int64_t begin_ns, end_ns;
	int at;
} absurd[] = {
	{200 * MS, -(100 * S + RAW_AHEAD), AT_LAST},              /* end 0, as right after boot */
	{-(100 * S + RAW_AHEAD), 200 * MS, AT_END},               /* begin 0 */
	{200 * MS, 200 * MS, AT_END},                             /* no time */
	{200 * MS, 200 * MS + 99999, AT_END},                     /* less than any driver can do */
	{200 * MS, 150 * MS, AT_END},                             /* backwards */
	{50 * MS, 150 * MS, AT_END},                              /* counted before */
	{200 * MS, 200 * MS + 3600ll * S, AT_LAST},               /* not over yet */
	{200 * MS, 350 * MS, AT_LAST},                            /* not quite over yet */
	{-3300ll * S, -3200ll * S, AT_LAST},                      /* before we began */
	{-3300ll * S, 200 * MS, AT_END},                          /* likewise */
	{200 * MS, INT64_MAX - 100 * S - RAW_AHEAD, AT_LAST},     /* the largest number */
	{200 * MS, INT64_MIN, AT_LAST},                           /* wraps around to a large one */
	{INT64_MIN, 200 * MS, AT_END},                            /* likewise */
	{INT64_MAX - 105 * S, INT64_MAX - 105 * S, AT_LAST},      /* both */
	{-100 * S - RAW_AHEAD - 1, INT64_MAX - 105 * S, AT_LAST}, /* -1 and the largest: no difference fits */
};

/* The sample before it is sound, and so is the one after it, whatever the stamps were. */
TEST(absurd_stamps_spoil_their_own_sample_only)
{
	struct kbase_times_bench *b = *state;

	for (size_t i = 0; i < ARRAY_LEN(absurd); i++) {
		struct kbase_interval bad = interval_of(0, 0);
		int64_t at = absurd[i].at == AT_END ? absurd[i].end_ns : 200 * MS;
		bool known = absurd[i].at == AT_END;

		start_case(b, 100 * MS, true);
		assert_int_equal(convert_sample(b, 0, 100 * MS, 0)->flags, 0);
		bad.begin_ns = (int64_t)((uint64_t)bad.begin_ns + (uint64_t)absurd[i].begin_ns);
		bad.end_ns = (int64_t)((uint64_t)bad.end_ns + (uint64_t)absurd[i].end_ns);
		*b->sample = (struct sample){0};
		now_ns = 100 * S + 300 * MS;
		if (kbase_times_convert(&b->times, &b->sys, &bad, now_ns, b->sample) != known)
			fail_msg("case %zu: is it known when it ended? %d", i, !known);
		assert_true(b->sample->flags == sample_failed(FAILURE_STAMPS) ||
			    b->sample->flags == sample_failed(FAILURE_SHORT));
		assert_int_equal(b->sample->begin_ns, 100 * S + at);
		assert_int_equal(b->sample->end_ns, 100 * S + at);
		assert_false(convert_sample(b, 300 * MS, 400 * MS, 0)->flags & SAMPLE_ERROR);
		assert_int_equal(b->sample->begin_ns, 100 * S + 300 * MS);
		assert_int_equal(b->sample->end_ns, 100 * S + 400 * MS);
	}
}

TEST(the_first_stamps_may_be_absurd_as_well)
{
	struct kbase_times_bench *b = *state;

	for (size_t i = 0; i < ARRAY_LEN(absurd); i++) {
		struct kbase_interval bad = interval_of(0, 0);

		bad.begin_ns = (int64_t)((uint64_t)bad.begin_ns + (uint64_t)absurd[i].begin_ns);
		bad.end_ns = (int64_t)((uint64_t)bad.end_ns + (uint64_t)absurd[i].end_ns);
		start_case(b, 100 * MS, true);
		*b->sample = (struct sample){0};
		now_ns = 100 * S + 300 * MS;
		kbase_times_convert(&b->times, &b->sys, &bad, now_ns, b->sample);
		assert_in_range(b->sample->begin_ns, 100 * S, 100 * S + 201 * MS);
		assert_in_range(b->sample->end_ns, b->sample->begin_ns, 100 * S + 201 * MS);
		assert_false(convert_sample(b, 300 * MS, 400 * MS, 0)->flags & SAMPLE_ERROR);
	}
}

TEST(a_clock_of_the_gpu_that_is_a_little_off_does_no_harm)
{
	struct kbase_times_bench *b = *state;
	struct kbase_interval ahead = interval_of(100 * MS, 200 * MS + 500000);

	convert_sample(b, 0, 100 * MS, 0);
	*b->sample = (struct sample){0};
	now_ns = 100 * S + 200 * MS;
	assert_true(kbase_times_convert(&b->times, &b->sys, &ahead, now_ns, b->sample));
	assert_int_equal(b->sample->flags, 0);
	assert_int_equal(convert_sample(b, 200 * MS, 300 * MS, 0)->flags, 0);
	assert_int_equal(b->sample->begin_ns, 100 * S + 200 * MS + 500000); /* it goes on touching */
}

TEST(a_period_that_the_driver_raised_is_found_out)
{
	struct kbase_times_bench *b = *state;
	int64_t end = convert_many(b, 1, 0, 190 * MS);

	end = convert_many(b, 4, end, 250 * MS);
	assert_int_equal(b->sample->flags, SAMPLE_STRETCHED);
	assert_int_equal(b->times.period_ns, 100 * MS);
	end = convert_many(b, 1, end, 250 * MS);
	assert_int_equal(b->times.period_ns, 250 * MS);
	convert_many(b, 1, end, 250 * MS);
	assert_int_equal(b->sample->flags, 0);
}

TEST(the_true_interval_is_the_median_of_the_last_seconds_and_comes_back)
{
	static const int64_t asked[] = {1 * MS, 20 * MS, 100 * MS};
	struct kbase_times_bench *b = *state;

	for (size_t i = 0; i < ARRAY_LEN(asked); i++) {
		int64_t end, slow = asked[i] * 38 / 10;

		start_case(b, asked[i], true);
		end = convert_many(b, (unsigned)(4 * S / asked[i]), 0, asked[i]);
		assert_int_equal(b->times.period_ns, asked[i]);
		end = convert_many(b, (unsigned)(S / slow), end, slow); /* the machine is busy for a second */
		assert_int_equal(b->sample->flags, SAMPLE_STRETCHED);
		assert_int_equal(b->times.period_ns, asked[i]);
		end = convert_many(b, (unsigned)(3 * S / slow), end, slow); /* and for longer */
		assert_int_equal(b->times.period_ns, slow);
		assert_int_equal(b->sample->flags, 0);
		convert_many(b, (unsigned)(3 * S / asked[i]), end, asked[i]);
		assert_int_equal(b->times.period_ns, asked[i]);
		assert_int_equal(b->sample->flags, 0);
	}
}

TEST(a_few_long_samples_are_stretched_and_make_no_period)
{
	struct kbase_times_bench *b = *state;
	int64_t end = convert_many(b, 20, 0, 100 * MS);

	for (int i = 0; i < 20; i++) {
		end = convert_many(b, 1, end, 400 * MS);
		assert_int_equal(b->sample->flags, SAMPLE_STRETCHED);
		end = convert_many(b, 6, end, 100 * MS);
		assert_int_equal(b->sample->flags, 0);
		assert_int_equal(b->times.period_ns, 100 * MS);
	}
}

/* Asked more rarely because it came late, a driver that samples when asked would be asked more
 * rarely for ever. */
TEST(where_we_keep_time_the_interval_is_what_was_asked_for)
{
	struct kbase_times_bench *b = *state;

	start_case(b, 100 * MS, false);
	convert_many(b, 50, 0, 250 * MS);
	assert_int_equal(b->times.period_ns, 100 * MS);
	assert_int_equal(b->sample->flags, SAMPLE_STRETCHED);
}
