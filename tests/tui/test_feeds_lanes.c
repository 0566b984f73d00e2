/* The frames of the last samples of a log: which one is shown at a moment. */
#include "base/alloc.h"
#include "passes/pass_lanes.h"
#include "tui/feeds_lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define STEP 100000000ll

/* Sample i ends at (i + 1) * STEP and has n frames, numbered from `first` on. */
static void take_frames(struct feeds_lanes *lanes, unsigned i, unsigned first, unsigned n)
{
	AUTOFREE struct sample *sample =
		xcalloc(1, sizeof(*sample) + n * LANE_FRAME_WORDS * sizeof(uint64_t));

	sample->end_ns = (i + 1) * STEP;
	sample->n_more = (uint16_t)(n * LANE_FRAME_WORDS);
	for (unsigned f = 0; f < n; f++)
		memcpy(&sample->value[(size_t)f * LANE_FRAME_WORDS],
		       (uint64_t[]){LANE_FRAME, first + f, 1000, 1000, 0, 0, 0, 0, 0},
		       LANE_FRAME_WORDS * sizeof(uint64_t));
	feeds_lanes_take(lanes, NULL, sample);
}

/* The number of the frame that is shown at this moment, of a refresh of two samples; 0: none. */
static double shown_at(const struct feeds_lanes *lanes, int64_t at_ns)
{
	unsigned number = 0;
	const struct sample *sample = feeds_lanes_find(lanes, at_ns - 2 * STEP, at_ns, &number);
	struct pass_frame frame = {0};

	if (sample)
		lanes_read_frame(&frame, sample, number);
	return frame.number;
}

static void a_moment_shows_its_newest_frame_or_the_one_that_was_chosen(void **state)
{
	struct feeds_lanes lanes = {.n = 0};

	(void)state;
	take_frames(&lanes, 0, 1, 3);
	take_frames(&lanes, 1, 4, 2);
	take_frames(&lanes, 2, 6, 0); /* nothing is kept of it */
	take_frames(&lanes, 3, 6, 4);
	assert_true(shown_at(&lanes, STEP) == 3);
	assert_true(shown_at(&lanes, 2 * STEP) == 5);
	assert_true(shown_at(&lanes, 3 * STEP) == 5);
	assert_true(shown_at(&lanes, 4 * STEP) == 9);
	assert_true(shown_at(&lanes, 9 * STEP) == 9); /* none ended then: the last one stays */
	lanes.chosen_ns = 2 * STEP;
	for (lanes.back = 0; lanes.back < 5; lanes.back++) /* through both samples */
		assert_true(shown_at(&lanes, 2 * STEP) == 5 - lanes.back);
	assert_true(shown_at(&lanes, 4 * STEP) == 9); /* chosen for another moment */
	lanes.first = true;
	assert_true(shown_at(&lanes, 4 * STEP) == 6);
	lanes.wanted = 8;
	assert_true(shown_at(&lanes, 4 * STEP) == 8);
	lanes.wanted = 77; /* it is not there */
	assert_true(shown_at(&lanes, 4 * STEP) == 6);
	feeds_lanes_clear(&lanes);
	assert_true(shown_at(&lanes, 2 * STEP) == 0);
	feeds_lanes_fini(&lanes);
}

static void the_last_samples_and_those_with_the_longest_frames_are_kept(void **state)
{
	struct feeds_lanes lanes = {.n = 0};

	(void)state;
	for (unsigned i = 0; i < LANES_SAMPLES + 200; i++)
		take_frames(&lanes, i, i + 1, 1);
	assert_true(shown_at(&lanes, 5 * STEP) == 5); /* one of the longest frames */
	assert_true(shown_at(&lanes, 150 * STEP) == 0);
	assert_true(shown_at(&lanes, 201 * STEP) == 201);
	assert_true(shown_at(&lanes, (LANES_SAMPLES + 10) * STEP) == LANES_SAMPLES + 10);
	feeds_lanes_fini(&lanes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_moment_shows_its_newest_frame_or_the_one_that_was_chosen),
		cmocka_unit_test(the_last_samples_and_those_with_the_longest_frames_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
