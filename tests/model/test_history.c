#include "base/alloc.h"
#include "model/history.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DELTA, STEADY, LEVEL, PEAK, CORE0, CORE1, N_SLOTS, N_KEPT = CORE0 };
static const struct slot slots[N_SLOTS] = {
	[DELTA] = {.name = "delta", .kind = SLOT_DELTA, .scale = 4},
	[STEADY] = {.name = "steady", .kind = SLOT_STEADY, .scale = 1},
	[LEVEL] = {.name = "level", .kind = SLOT_LEVEL, .scale = 1e-3},
	[PEAK] = {.name = "peak", .kind = SLOT_PEAK, .scale = 1},
	[CORE0] = {.name = "delta", .kind = SLOT_DELTA, .instance = INSTANCE_CORE, .number = 0, .scale = 4},
	[CORE1] = {.name = "delta", .kind = SLOT_DELTA, .instance = INSTANCE_CORE, .number = 1, .scale = 4},
};

#define MS 1000000ll
#define SECOND 1000000000ll

struct history_bench {
	struct history *h;
	struct sample *s;
	int64_t at_ns;
	uint64_t seq;
	struct column *out;
};

static void feed_init(struct history_bench *f, int64_t interval_ns)
{
	*f = (struct history_bench){.at_ns = 1000 * SECOND,
				    .h = history_new(slots, N_SLOTS, N_KEPT, interval_ns)};
	f->s = xcalloc(1, sizeof(*f->s) + N_SLOTS * sizeof(uint64_t));
	f->out = history_column_new(f->h);
}

static void feed_fini(struct history_bench *f)
{
	history_free(f->h);
	free(f->s);
	free(f->out);
}

/* A sample of that length with delta = steady = d, level = peak = l, and the cores' parts of d. */
static void feed_sample(struct history_bench *f, int64_t length_ns, uint64_t d, int64_t l, uint32_t flags)
{
	*f->s = (struct sample){.flags = flags, .n_values = N_SLOTS, .seq = ++f->seq, .begin_ns = f->at_ns};
	f->s->end_ns = f->at_ns += length_ns;
	f->s->value[DELTA] = f->s->value[STEADY] = d;
	f->s->value[LEVEL] = f->s->value[PEAK] = (uint64_t)l;
	f->s->value[CORE0] = d / 4;
	f->s->value[CORE1] = d == SAMPLE_UNKNOWN ? d : d - d / 4;
	history_push(f->h, f->s);
}

TEST(columns_hold_sums_and_not_means)
{
	struct history_bench f;
	int64_t from;

	feed_init(&f, 100 * MS);
	from = f.at_ns;
	for (uint64_t i = 1; i <= 10; i++)
		feed_sample(&f, 100 * MS, i, (int64_t)i, 0);
	history_span(f.h, from, f.at_ns, f.out);
	assert_true(f.out->value[DELTA] == 55);
	assert_true(f.out->value[STEADY] == 55);
	assert_int_equal(f.out->time_ns, SECOND);
	assert_int_equal(f.out->n_samples, 10);
	assert_int_equal(f.out->begin_ns, from);
	assert_int_equal(f.out->end_ns, f.at_ns);
	feed_fini(&f);
}

TEST(sums_are_exact_below_two_to_the_31st_and_to_six_digits_above)
{
	static const struct {
		uint64_t delta;
		int64_t level;
	} cases[] = {{0, 0},
		     {16777217, 850000001},
		     {2147483647, 2147483647},
		     {2147483648, -123456789},
		     {987654321987, INT64_MIN},
		     {UINT64_MAX - 1, INT64_MAX}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		double delta = (double)cases[i].delta, level = (double)cases[i].level;
		struct history_bench f;

		feed_init(&f, 100 * MS);
		feed_sample(&f, 100 * MS, cases[i].delta, cases[i].level, 0);
		history_span(f.h, 0, f.at_ns, f.out);
		assert_true(fabs(f.out->value[DELTA] - delta) <= (delta < 0x1p31 ? 0 : delta * 1e-6));
		assert_true(fabs(f.out->value[LEVEL] - level) <=
			    (level >= 0 && level < 0x1p31 ? 0 : fabs(level) * 1e-6));
		assert_true(history_total(f.h)->value[DELTA] == delta);
		feed_fini(&f);
	}
}

TEST(a_level_is_the_latest_and_a_peak_the_greatest)
{
	struct history_bench f;
	int64_t from;

	feed_init(&f, 100 * MS);
	from = f.at_ns;
	feed_sample(&f, 100 * MS, 0, -5, 0);
	history_span(f.h, from, f.at_ns, f.out);
	assert_true(f.out->value[LEVEL] == -5 && f.out->value[PEAK] == -5);
	feed_sample(&f, 100 * MS, 0, 90, 0);
	feed_sample(&f, 100 * MS, 0, 40, 0);
	history_span(f.h, from, f.at_ns, f.out);
	assert_true(f.out->value[LEVEL] == 40 && f.out->value[PEAK] == 90);
	feed_fini(&f);
}

TEST(a_value_that_is_unknown_leaves_the_sum_as_it_is)
{
	struct history_bench f;
	int64_t from;

	feed_init(&f, 100 * MS);
	from = f.at_ns;
	feed_sample(&f, 100 * MS, SAMPLE_UNKNOWN, (int64_t)SAMPLE_UNKNOWN, 0);
	history_span(f.h, from, f.at_ns, f.out);
	for (unsigned i = 0; i < N_KEPT; i++)
		assert_true(isnan(f.out->value[i]));
	assert_int_equal(f.out->time_ns, 100 * MS);
	feed_sample(&f, 100 * MS, 7, 3, 0);
	feed_sample(&f, 100 * MS, SAMPLE_UNKNOWN, (int64_t)SAMPLE_UNKNOWN, 0);
	history_span(f.h, from, f.at_ns, f.out);
	assert_true(f.out->value[DELTA] == 7 && f.out->value[LEVEL] == 3 && f.out->value[PEAK] == 3);
	feed_fini(&f);
}

TEST(samples_in_which_the_clock_changed_are_left_out_of_steady_slots)
{
	struct history_bench f;
	int64_t from;

	feed_init(&f, 100 * MS);
	from = f.at_ns;
	feed_sample(&f, 100 * MS, 10, 0, 0);
	feed_sample(&f, 100 * MS, 100, 0, SAMPLE_CLOCK);
	feed_sample(&f, 100 * MS, 1000, 0, 0);
	history_span(f.h, from, f.at_ns, f.out);
	assert_true(f.out->value[DELTA] == 1110);
	assert_true(f.out->value[STEADY] == 1010);
	assert_int_equal(f.out->time_ns, 300 * MS);
	assert_int_equal(f.out->flags, SAMPLE_CLOCK);
	feed_fini(&f);
}

TEST(failed_samples_count_neither_in_values_nor_in_time)
{
	struct history_bench f;
	int64_t from;

	feed_init(&f, 100 * MS);
	from = f.at_ns;
	feed_sample(&f, 100 * MS, 10, 1, 0);
	feed_sample(&f, 100 * MS, 999, 999, SAMPLE_ERROR);
	feed_sample(&f, 200 * MS, 20, 2, SAMPLE_STRETCHED | SAMPLE_ESTIMATED);
	history_span(f.h, from, f.at_ns, f.out);
	assert_true(f.out->value[DELTA] == 30 && f.out->value[LEVEL] == 2 && f.out->value[PEAK] == 2);
	assert_int_equal(f.out->time_ns, 300 * MS);
	assert_int_equal(f.out->n_samples, 3);
	assert_int_equal(f.out->flags, SAMPLE_ERROR | SAMPLE_STRETCHED | SAMPLE_ESTIMATED);
	feed_fini(&f);
}

TEST(time_in_a_gap_is_not_counted)
{
	struct history_bench f;
	int64_t from;

	feed_init(&f, 100 * MS);
	from = f.at_ns;
	feed_sample(&f, 100 * MS, 1, 0, 0);
	f.at_ns += 30 * SECOND;
	feed_sample(&f, 100 * MS, 2, 0, SAMPLE_GAP);
	history_span(f.h, from, f.at_ns, f.out);
	assert_true(f.out->value[DELTA] == 3);
	assert_int_equal(f.out->time_ns, 200 * MS);
	assert_int_equal(f.out->flags, SAMPLE_GAP);
	history_span(f.h, from + SECOND, f.at_ns - SECOND, f.out); /* nothing but gap */
	assert_int_equal(f.out->n_samples, 0);
	assert_true(isnan(f.out->value[DELTA]));
	feed_fini(&f);
}

/* As a forged log may say. */
TEST(time_of_samples_that_last_for_ever_stays_within_bounds)
{
	struct history_bench f;

	feed_init(&f, 100 * MS);
	for (int i = 0; i < 20; i++) {
		f.at_ns = 0;
		feed_sample(&f, SAMPLE_NS_MAX, 1, 1, 0);
	}
	assert_int_equal(history_total(f.h)->time_ns, SAMPLE_NS_MAX);
	history_span(f.h, 0, SAMPLE_NS_MAX, f.out);
	assert_int_equal(f.out->time_ns, SAMPLE_NS_MAX);
	assert_true(f.out->value[DELTA] == 20);
	feed_fini(&f);
}

TEST(jumps_of_the_count_are_losses)
{
	struct history_bench f;
	int64_t from;

	feed_init(&f, 100 * MS);
	f.seq = 41; /* the first says nothing: the reader may have come late */
	from = f.at_ns;
	feed_sample(&f, 100 * MS, 1, 0, 0);
	assert_int_equal(history_lost(f.h), 0);
	feed_sample(&f, 100 * MS, 1, 0, 0);
	f.seq += 5;
	feed_sample(&f, 100 * MS, 1, 0, 0);
	f.seq += 2;
	feed_sample(&f, 100 * MS, 1, 0, 0);
	assert_int_equal(history_lost(f.h), 7);
	history_span(f.h, from, f.at_ns, f.out);
	assert_int_equal(f.out->lost, 7);
	history_span(f.h, f.at_ns - 100 * MS, f.at_ns, f.out);
	assert_int_equal(f.out->lost, 2);
	feed_fini(&f);
}

TEST(an_empty_history_knows_nothing)
{
	struct history_bench f;

	feed_init(&f, 100 * MS);
	assert_int_equal(history_newest_ns(f.h), 0);
	assert_int_equal(history_oldest_ns(f.h), 0);
	history_span(f.h, 0, INT64_MAX, f.out);
	assert_int_equal(f.out->n_samples, 0);
	assert_int_equal(f.out->time_ns, 0);
	for (unsigned i = 0; i < N_SLOTS; i++)
		assert_true(isnan(f.out->value[i]) && isnan(history_total(f.h)->value[i]));
	feed_fini(&f);
	history_free(NULL);
}

TEST(samples_shorter_than_a_column_are_folded_into_it)
{
	struct history_bench f;
	int64_t from;

	feed_init(&f, MS);
	from = f.at_ns;
	for (int i = 0; i < 250; i++)
		feed_sample(&f, MS, 2, 0, 0);
	history_span(f.h, from, from + 100 * MS, f.out);
	assert_true(f.out->value[DELTA] == 200);
	assert_int_equal(f.out->n_samples, 100);
	history_span(f.h, from, f.at_ns, f.out); /* with the column that is still filling */
	assert_true(f.out->value[DELTA] == 500);
	assert_int_equal(f.out->end_ns, f.at_ns);
	feed_fini(&f);
}

/* For an hour: whatever span on column borders is asked for has the samples that ended in it, once
 * each. */
TEST(spans_over_fine_and_coarse_columns_are_the_sum_of_their_samples)
{
	static const int64_t intervals[] = {10 * MS, 100 * MS, 500 * MS, 1000 * MS, 2000 * MS};

	for (size_t k = 0; k < ARRAY_LEN(intervals); k++) {
		int64_t column = intervals[k] > SECOND ? intervals[k] : SECOND;
		int64_t start, reach;
		struct history_bench f;

		feed_init(&f, intervals[k]);
		start = f.at_ns;
		while (f.at_ns < start + 3600 * SECOND)
			feed_sample(&f, intervals[k], (uint64_t)(intervals[k] / MS), 0, 0);
		assert_true(history_total(f.h)->value[DELTA] == 3600000);
		assert_int_equal(history_total(f.h)->time_ns, 3600 * SECOND);
		reach = f.at_ns - history_oldest_ns(f.h);
		assert_int_equal(reach, 3600 * SECOND);
		for (int64_t back = column; back <= 598 * SECOND; back += column) {
			history_span(f.h, f.at_ns - back, f.at_ns, f.out);
			if (f.out->value[DELTA] != (double)(back / MS) || f.out->time_ns != back)
				fail_msg("every %lld ms, the last %lld ms: %.0f in %lld ms",
					 (long long)(intervals[k] / MS), (long long)(back / MS),
					 f.out->value[DELTA], (long long)(f.out->time_ns / MS));
		}
		feed_fini(&f);
	}
}

/* The border between coarse and fine columns lies anywhere in a second: nothing may fall in
 * between. */
TEST(no_sample_is_missing_where_coarse_columns_end_and_fine_ones_begin)
{
	struct history_bench f;
	int64_t start;

	feed_init(&f, 100 * MS);
	start = f.at_ns;
	for (int i = 0; i < 700; i++)
		feed_sample(&f, 100 * MS, 1, 0, 0);
	for (int i = 0; i < 25; i++) {
		feed_sample(&f, 100 * MS, 1, 0, 0);
		history_span(f.h, start, f.at_ns, f.out);
		assert_int_equal(f.out->n_samples, 701 + i);
		assert_int_equal(f.out->time_ns, f.at_ns - start);
	}
	feed_fini(&f);
}

/* Two days, of which one is remembered: on borders of five minutes every span has all its samples,
 * and each tier has the columns that it promises. */
TEST(a_day_is_remembered_in_columns_that_get_longer)
{
	static const int64_t steps[][2] = {{SECOND / 10, 59 * SECOND},
					   {SECOND, 598 * SECOND},
					   {10 * SECOND, 5380 * SECOND},
					   {300 * SECOND, 89400 * SECOND}};
	struct history_bench f;

	feed_init(&f, 100 * MS);
	f.at_ns = 1200 * SECOND;
	while (f.at_ns < 1200 * SECOND + 2 * 86400 * SECOND)
		feed_sample(&f, 100 * MS, 100, 0, 0);
	assert_in_range(f.at_ns - history_oldest_ns(f.h), 89400 * SECOND, 90000 * SECOND);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++)
		for (int64_t back = steps[i][0]; back <= steps[i][1]; back += steps[i][0]) {
			history_span(f.h, f.at_ns - back, f.at_ns, f.out);
			if (f.out->value[DELTA] != (double)(back / MS) || f.out->time_ns != back)
				fail_msg("the last %lld ms: %.0f in %lld ms", (long long)(back / MS),
					 f.out->value[DELTA], (long long)(f.out->time_ns / MS));
		}
	assert_true(history_around(f.h, f.at_ns - 80000 * SECOND, f.out) && f.out->value[DELTA] == 300000);
	feed_fini(&f);
}

/* A limit of bytes takes the oldest columns of the tiers; what is left still adds up. */
TEST(memory_stays_within_its_limit)
{
	struct history_bench f;
	size_t before;

	feed_init(&f, 100 * MS);
	while (f.at_ns < 5000 * SECOND)
		feed_sample(&f, 100 * MS, 100, 0, 0);
	before = history_bytes(f.h);
	assert_in_range(before, 60000, 200000);
	history_limit(f.h, before / 2);
	for (int i = 0; i < 40000; i++) {
		feed_sample(&f, 100 * MS, 100, 0, 0);
		assert_in_range(history_bytes(f.h), before / 4, before / 2);
	}
	for (int64_t back = 10 * SECOND; back <= 1000 * SECOND; back += 10 * SECOND) {
		history_span(f.h, f.at_ns - back, f.at_ns, f.out);
		assert_true(f.out->value[DELTA] == (double)(back / MS));
	}
	feed_fini(&f);
}

TEST(windows_that_meet_add_up_to_the_one_over_both)
{
	struct column *first, *second;
	struct history_bench f;

	feed_init(&f, 50 * MS);
	while (f.at_ns < 1300 * SECOND) /* lengths that fit no column */
		feed_sample(&f, 37 * MS + (int64_t)(f.seq * 7919 % 29) * MS, f.seq * 31 % 1000, 0,
			    f.seq % 50 == 0 ? SAMPLE_ERROR : 0);
	first = history_column_new(f.h);
	second = history_column_new(f.h);
	for (int i = 0; i < 500; i++) {
		int64_t to = f.at_ns - i * 611 * MS, length = (1 + i % 40) * 333 * MS;

		history_span(f.h, to - 2 * length, to, f.out);
		history_span(f.h, to - 2 * length, to - length, first);
		history_span(f.h, to - length, to, second);
		assert_int_equal(f.out->n_samples, first->n_samples + second->n_samples);
		assert_int_equal(f.out->time_ns, first->time_ns + second->time_ns);
		if (first->n_samples && second->n_samples)
			assert_true(f.out->value[DELTA] == first->value[DELTA] + second->value[DELTA]);
	}
	free(first);
	free(second);
	feed_fini(&f);
}

TEST(only_the_sums_are_remembered_until_more_is_asked_for)
{
	struct history_bench f;
	int64_t from, widened;

	feed_init(&f, 100 * MS);
	from = f.at_ns;
	for (int i = 0; i < 1500; i++)
		feed_sample(&f, 100 * MS, 8, i, 0);
	history_span(f.h, from, f.at_ns, f.out);
	assert_true(f.out->value[DELTA] == 12000 && isnan(f.out->value[CORE0]));
	assert_true(history_total(f.h)->value[CORE1] == 9000); /* the total knows all */
	widened = f.at_ns;
	history_keep(f.h, N_SLOTS);
	history_span(f.h, from, f.at_ns, f.out); /* what was there is kept */
	assert_true(f.out->value[DELTA] == 12000 && f.out->value[LEVEL] == 1499 &&
		    isnan(f.out->value[CORE1]));
	for (int i = 0; i < 1500; i++)
		feed_sample(&f, 100 * MS, 8, i, 0);
	history_span(f.h, widened, f.at_ns, f.out);
	assert_true(f.out->value[DELTA] == 12000 && f.out->value[CORE0] == 3000 &&
		    f.out->value[CORE1] == 9000);
	history_span(f.h, from, f.at_ns, f.out);
	assert_true(f.out->value[DELTA] == 24000 && f.out->value[CORE0] == 3000);
	history_keep(f.h, N_KEPT); /* never forgets */
	history_span(f.h, widened, f.at_ns, f.out);
	assert_true(f.out->value[CORE0] == 3000);
	feed_fini(&f);
}

TEST(a_ring_without_instances_gives_shorter_samples)
{
	struct history_bench f;

	feed_init(&f, 100 * MS);
	history_keep(f.h, N_SLOTS);
	for (int i = 0; i < 20; i++) {
		*f.s = (struct sample){.n_values = N_KEPT,
				       .seq = ++f.seq,
				       .begin_ns = f.at_ns,
				       .end_ns = f.at_ns + 100 * MS};
		f.at_ns += 100 * MS;
		f.s->value[DELTA] = 3;
		history_push(f.h, f.s);
	}
	assert_true(history_total(f.h)->value[DELTA] == 60);
	assert_true(isnan(history_total(f.h)->value[CORE0]));
	feed_fini(&f);
}

TEST(one_sample_by_itself_is_a_column)
{
	struct column *c;
	struct history_bench f;

	feed_init(&f, 100 * MS);
	c = history_column_new(f.h);
	feed_sample(&f, 100 * MS, 12, -7, SAMPLE_CLOCK);
	for (int i = 0; i < 2; i++) { /* a second time nothing is left of the first */
		column_from_sample(c, f.s, slots, N_SLOTS);
		assert_true(c->value[DELTA] == 12 && isnan(c->value[STEADY]) && c->value[LEVEL] == -7 &&
			    c->value[CORE1] == 9);
		assert_int_equal(c->time_ns, 100 * MS);
		assert_int_equal(c->n_samples, 1);
	}
	f.s->flags = SAMPLE_ERROR;
	column_from_sample(c, f.s, slots, N_SLOTS);
	for (unsigned i = 0; i < N_SLOTS; i++)
		assert_true(isnan(c->value[i]));
	assert_int_equal(c->time_ns, 0);
	assert_int_equal(c->flags, SAMPLE_ERROR);
	free(c);
	feed_fini(&f);
}

TEST(flags_are_words)
{
	static const struct {
		uint32_t flags;
		const char *want;
	} cases[] = {{0, ""},
		     {SAMPLE_GAP, "gap"},
		     {SAMPLE_ESTIMATED | SAMPLE_ERROR, "error estimated"},
		     {UINT32_MAX, "gap stretched error clock estimated simulated replay"}};
	char text[SAMPLE_FLAGS_TEXT];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(sample_flags_format(text, cases[i].flags), cases[i].want);
}
