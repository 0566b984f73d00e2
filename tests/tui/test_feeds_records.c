/* The frames of the last samples of a log: which one is shown at a moment. */
#include "base/alloc.h"
#include "passes/pass_records.h"
#include "tests/support/test.h"
#include "tui/feeds.h"

#include <string.h>
#include <unistd.h>

#define STEP 100000000ll

/* Sample i ends at (i + 1) * STEP and has n frames, numbered from `first` on. */
static void take_frames(struct feeds_records *records, unsigned i, unsigned first, unsigned n)
{
	AUTOFREE struct sample *sample =
		xcalloc(1, sizeof(*sample) + n * RECORD_FRAME_WORDS * sizeof(uint64_t));

	sample->end_ns = (i + 1) * STEP;
	sample->n_more = (uint16_t)(n * RECORD_FRAME_WORDS);
	for (unsigned f = 0; f < n; f++)
		memcpy(&sample->value[(size_t)f * RECORD_FRAME_WORDS],
		       (uint64_t[]){RECORD_FRAME, first + f, 1000, 1000, 0, 0, 0, 0, 0},
		       RECORD_FRAME_WORDS * sizeof(uint64_t));
	feeds_records_take(records, NULL, sample);
}

/* The number of the frame that is shown at this moment, of a refresh of two samples; 0: none. */
static double shown_at(const struct feeds_records *records, int64_t at_ns)
{
	unsigned number = 0;
	const struct sample *sample = feeds_records_find(records, at_ns - 2 * STEP, at_ns, &number);
	struct pass_frame frame = {0};

	if (sample)
		pass_records_read_frame(&frame, sample, number);
	return frame.number;
}

TEST(a_moment_shows_its_newest_frame_or_the_one_that_was_chosen)
{
	struct feeds_records records = {.n = 0};

	take_frames(&records, 0, 1, 3);
	take_frames(&records, 1, 4, 2);
	take_frames(&records, 2, 6, 0); /* nothing is kept of it */
	take_frames(&records, 3, 6, 4);
	assert_true(shown_at(&records, STEP) == 3);
	assert_true(shown_at(&records, 2 * STEP) == 5);
	assert_true(shown_at(&records, 3 * STEP) == 5);
	assert_true(shown_at(&records, 4 * STEP) == 9);
	assert_true(shown_at(&records, 9 * STEP) == 9); /* none ended then: the last one stays */
	records.chosen_ns = 2 * STEP;
	for (records.back = 0; records.back < 5; records.back++) /* through both samples */
		assert_true(shown_at(&records, 2 * STEP) == 5 - records.back);
	assert_true(shown_at(&records, 4 * STEP) == 9); /* chosen for another moment */
	records.first = true;
	assert_true(shown_at(&records, 4 * STEP) == 6);
	records.wanted = 8;
	assert_true(shown_at(&records, 4 * STEP) == 8);
	records.wanted = 77; /* it is not there */
	assert_true(shown_at(&records, 4 * STEP) == 6);
	feeds_records_clear(&records);
	assert_true(shown_at(&records, 2 * STEP) == 0);
	feeds_records_fini(&records);
}

TEST(the_last_samples_and_those_with_the_longest_frames_are_kept)
{
	struct feeds_records records = {.n = 0};

	for (unsigned i = 0; i < RECORDS_SAMPLES + 200; i++)
		take_frames(&records, i, i + 1, 1);
	assert_true(shown_at(&records, 5 * STEP) == 5); /* one of the longest frames */
	assert_true(shown_at(&records, 150 * STEP) == 0);
	assert_true(shown_at(&records, 201 * STEP) == 201);
	assert_true(shown_at(&records, (RECORDS_SAMPLES + 10) * STEP) == RECORDS_SAMPLES + 10);
	feeds_records_fini(&records);
}

/* Each key asks this several times. */
TEST(a_frame_that_is_not_there_is_looked_for_once_in_each_sample)
{
	struct feeds_records records = {.n = 0};

	for (unsigned i = 0; i < 8; i++)
		take_frames(&records, i, 7000 * i + 1, 7000);
	alarm(20); /* unpacking a sample for each of its frames took minutes */
	for (unsigned i = 0; i < 100; i++) {
		unsigned number;
		const struct sample *sample;

		records.wanted = 50000.5;
		sample = feeds_records_find(&records, 0, 8 * STEP, &number);
		assert_true(sample && sample->end_ns == 8 * STEP && number == 6999);
	}
	alarm(0);
	feeds_records_fini(&records);
}
