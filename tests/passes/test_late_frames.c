/* Which frames are late: those over the budget, or of frames that are nearly all over it, the
 * slowest ones. */
#include "base/alloc.h"
#include "passes/frame_stats.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#define US 1000ll
#define MS (1000 * US)
#define BUDGET_MS 16

/* A sample with n frames of these times, one after the other; the first begins at begin_ns. */
static struct sample *sample_of(int64_t begin_ns, const unsigned *ms, unsigned n)
{
	AUTOFREE struct pass_records *records = xcalloc(1, sizeof(*records));
	struct sample *sample = xcalloc(1, sizeof(*sample) + PASS_RECORDS_WORDS * sizeof(uint64_t));
	int64_t at_ns = begin_ns;

	for (unsigned i = 0; i < n; i++) {
		uint64_t *word = pass_records_add(records, RECORD_FRAME_WORDS);

		memcpy(word,
		       (uint64_t[]){RECORD_FRAME, i + 1, (uint64_t)at_ns, ms[i] * 1000, 0, 0, 0,
				    RECORD_UNKNOWN, RECORD_UNKNOWN},
		       RECORD_FRAME_WORDS * sizeof(*word));
		at_ns += ms[i] * MS;
	}
	sample->begin_ns = begin_ns;
	sample->end_ns = at_ns;
	sample->n_more = (uint16_t)pass_records_finish(records, at_ns, sample->value, PASS_RECORDS_WORDS);
	return sample;
}

TEST(frames_over_the_budget_are_late)
{
	static const unsigned ms[] = {10, 40, 16, 10, 17, 30, 12};
	AUTOFREE struct sample *sample = sample_of(1000 * MS, ms, ARRAY_LEN(ms));
	struct late_frames late = {0};

	late_frames_add(&late, sample, 0, INT64_MAX);
	assert_int_equal(late.n, 7);
	assert_true(late_frames_keep(&late, BUDGET_MS) == 0.087);
	assert_int_equal(late.n, 3);
	assert_int_equal(late.begin_ns[0], 1010 * MS);
	assert_int_equal(late.end_ns[0], 1050 * MS);
	assert_int_equal(late.begin_ns[2], 1093 * MS);
	late_frames_fini(&late);
}

TEST(of_frames_that_are_mostly_late_the_slowest_count)
{
	unsigned ms[100];
	AUTOFREE struct sample *sample = NULL;
	struct late_frames late = {0};

	for (unsigned i = 0; i < ARRAY_LEN(ms); i++)
		ms[i] = i % 33 == 7 ? 90 : 30;
	sample = sample_of(1000 * MS, ms, ARRAY_LEN(ms));
	late_frames_add(&late, sample, 0, INT64_MAX);
	assert_true(late_frames_keep(&late, BUDGET_MS) > 0.26);
	assert_int_equal(late.n, 3);
	late_frames_fini(&late);
}

TEST(only_the_time_that_is_shown_counts)
{
	static const unsigned ms[] = {40, 40, 10, 10, 10, 10, 40};
	AUTOFREE struct sample *sample = sample_of(1000 * MS, ms, ARRAY_LEN(ms));
	struct late_frames late = {0};

	late_frames_add(&late, sample, 1040 * MS, 1120 * MS);
	assert_int_equal(late.n, 5);
	late_frames_keep(&late, BUDGET_MS);
	assert_int_equal(late.n, 1);
	assert_int_equal(late.begin_ns[0], 1040 * MS);
	late_frames_fini(&late);
}

/* A log may hold any times; two applications may show frames at once. */
TEST(spans_never_overlap)
{
	static const unsigned one[] = {40, 40}, other[] = {50, 50};
	AUTOFREE struct sample *first = sample_of(1000 * MS, one, 2),
			       *second = sample_of(1020 * MS, other, 2);
	struct late_frames late = {0};

	late_frames_add(&late, first, 0, INT64_MAX);
	late_frames_add(&late, second, 0, INT64_MAX);
	late_frames_add(&late, first, 0, INT64_MAX);
	for (unsigned i = 1; i < late.n; i++)
		assert_true(late.begin_ns[i] >= late.end_ns[i - 1]);
	late_frames_fini(&late);
}

TEST(without_a_budget_no_frame_is_late)
{
	static const unsigned ms[] = {10, 400};
	AUTOFREE struct sample *sample = sample_of(1000 * MS, ms, 2);
	struct late_frames late = {0};

	assert_true(late_frames_keep(&late, BUDGET_MS) == 0); /* no frames at all */
	late_frames_add(&late, sample, 0, INT64_MAX);
	assert_true(late_frames_keep(&late, 0) == 0);
	assert_int_equal(late.n, 0);
	late_frames_fini(&late);
}
