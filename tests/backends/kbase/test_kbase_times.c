/* From a driver's stamps to ours: what is believed, what is marked, and what is no interval at all. */
#include "backends/kbase/kbase.h"
#include "base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

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

struct bench {
	struct sys sys;
	struct kbase_times times;
	int64_t period_ns;
	struct sample *sample;
};

static int bench_init(void **state)
{
	struct bench *b = xcalloc(1, sizeof(*b));

	now_ns = 100 * S;
	raw_drift_ns = 0;
	b->sys = (struct sys){.monotonic_ns = fake_monotonic, .raw_ns = fake_raw};
	b->period_ns = 100 * MS;
	b->sample = xcalloc(1, sizeof(*b->sample));
	kbase_times_start(&b->times, &b->sys, now_ns);
	*state = b;
	return 0;
}

static int bench_fini(void **state)
{
	struct bench *b = *state;

	free(b->sample);
	free(b);
	return 0;
}

/* An interval of the driver, in ns since the start of the session. */
static const struct sample *convert(struct bench *b, int64_t begin_ns, int64_t end_ns, uint32_t flags)
{
	struct kbase_interval interval = {
		.begin_ns = 100 * S + RAW_AHEAD + begin_ns, .end_ns = 100 * S + RAW_AHEAD + end_ns, .flags = flags};

	now_ns = 100 * S + (end_ns > 0 ? end_ns : 0) + MS;
	*b->sample = (struct sample){0};
	assert_true(kbase_times_convert(&b->times, &b->sys, &interval, now_ns, b->sample, &b->period_ns));
	return b->sample;
}

static void stamps_become_those_of_our_clock(void **state)
{
	const struct sample *s = convert(*state, 0, 100 * MS, 0);

	assert_int_equal(s->begin_ns, 100 * S);
	assert_int_equal(s->end_ns, 100 * S + 100 * MS);
	assert_int_equal(s->flags, 0);
}

static void the_first_interval_may_be_short(void **state)
{
	struct bench *b = *state;

	assert_int_equal(convert(b, 0, 37 * MS, 0)->flags, 0);
	assert_int_equal(convert(b, 37 * MS, 137 * MS, 0)->flags, 0);
	assert_int_equal(b->sample->begin_ns, 100 * S + 37 * MS);
}

static void a_first_tick_at_once_is_nothing_to_tell(void **state)
{
	struct bench *b = *state;
	struct kbase_interval interval = {.begin_ns = 100 * S + RAW_AHEAD, .end_ns = 100 * S + RAW_AHEAD + 99999};

	assert_false(kbase_times_convert(&b->times, &b->sys, &interval, now_ns + MS, b->sample, &b->period_ns));
	assert_int_equal(b->sample->flags, 0); /* nothing of it stays in what comes next */
	assert_int_equal(convert(b, 99999, 100 * MS + 99999, 0)->flags, 0);
	assert_int_equal(b->sample->begin_ns, 100 * S + 99999);
}

static void what_touches_goes_on_touching_when_the_clocks_drift_apart(void **state)
{
	struct bench *b = *state;
	int64_t end = 0;

	for (int i = 0; i < 300; i++) {
		const struct sample *s = convert(b, i * 100 * MS, (i + 1) * 100 * MS, 0);

		assert_int_equal(s->flags, 0);
		assert_true(!end || s->begin_ns == end);
		assert_in_range(s->end_ns - s->begin_ns, 99 * MS, 101 * MS);
		end = s->end_ns;
		raw_drift_ns += 1000;
	}
	assert_in_range(100 * S + 300 * 100 * MS - end, 200 * 1000, 300 * 1000); /* it was followed */
}

static void time_that_nobody_counted_is_a_gap(void **state)
{
	struct bench *b = *state;

	convert(b, 0, 100 * MS, 0);
	assert_int_equal(convert(b, 300 * MS, 400 * MS, 0)->flags, SAMPLE_GAP);
	assert_int_equal(b->sample->begin_ns, 100 * S + 300 * MS);
	assert_int_equal(convert(b, 400 * MS, 500 * MS, 0)->flags, 0);
}

static void absurd_intervals_are_errors_without_length(void **state)
{
	enum { AT_LAST, AT_END }; /* where the mark stands: time never runs backwards */
	static const struct {
		int64_t begin_ns, end_ns;
		int at;
	} cases[] = {
		{200 * MS, -(100 * S + RAW_AHEAD), AT_LAST}, /* end 0, as right after boot */
		{-(100 * S + RAW_AHEAD), 200 * MS, AT_END},  /* begin 0 */
		{200 * MS, 200 * MS, AT_END},                /* no time */
		{200 * MS, 200 * MS + 99999, AT_END},        /* less than any driver can do */
		{200 * MS, 150 * MS, AT_END},                /* backwards */
		{50 * MS, 150 * MS, AT_END},                 /* counted before */
		{200 * MS, 200 * MS + 3600ll * S, AT_LAST},  /* not over yet */
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct bench *b = *state;
		struct kbase_interval interval = {.begin_ns = 100 * S + RAW_AHEAD + cases[i].begin_ns,
						  .end_ns = 100 * S + RAW_AHEAD + cases[i].end_ns};
		int64_t at = cases[i].at == AT_END ? cases[i].end_ns : 100 * MS;

		now_ns = 100 * S;
		kbase_times_start(&b->times, &b->sys, now_ns);
		convert(b, 0, 100 * MS, 0);
		*b->sample = (struct sample){0};
		assert_true(kbase_times_convert(&b->times, &b->sys, &interval, 100 * S + 300 * MS, b->sample, &b->period_ns));
		assert_int_equal(b->sample->flags, SAMPLE_ERROR);
		assert_int_equal(b->sample->begin_ns, 100 * S + at);
		assert_int_equal(b->sample->end_ns, 100 * S + at);
	}
}

static void a_period_that_the_driver_raised_is_found_out(void **state)
{
	struct bench *b = *state;

	assert_int_equal(convert(b, 0, 190 * MS, 0)->flags, 0); /* the first one may be longer */
	for (int i = 0; i < 3; i++) {
		assert_int_equal(convert(b, 190 * MS + i * 250 * MS, 440 * MS + i * 250 * MS, 0)->flags, SAMPLE_STRETCHED);
		assert_int_equal(b->period_ns, 100 * MS);
	}
	convert(b, 940 * MS, 1190 * MS, 0);
	assert_int_equal(b->period_ns, 250 * MS);
	assert_int_equal(convert(b, 1190 * MS, 1440 * MS, 0)->flags, 0);
}

static void samples_that_waited_do_not_make_a_period(void **state)
{
	struct bench *b = *state;

	for (int i = 0; i < 20; i++)
		convert(b, i * 250 * MS, (i + 1) * 250 * MS, i % 4 == 3 ? 0 : SAMPLE_STRETCHED);
	assert_int_equal(b->period_ns, 100 * MS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_init, bench_fini)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(stamps_become_those_of_our_clock),
		TEST(the_first_interval_may_be_short),
		TEST(a_first_tick_at_once_is_nothing_to_tell),
		TEST(what_touches_goes_on_touching_when_the_clocks_drift_apart),
		TEST(time_that_nobody_counted_is_a_gap),
		TEST(absurd_intervals_are_errors_without_length),
		TEST(a_period_that_the_driver_raised_is_found_out),
		TEST(samples_that_waited_do_not_make_a_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
