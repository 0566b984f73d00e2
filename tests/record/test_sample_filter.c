/* Samples at times at which counting is disabled are kept out of a recording. */
#include "record/recorder.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <stdlib.h>

static int64_t now_ns;

static int64_t scripted_ns(const struct sys *sys)
{
	(void)sys;
	return now_ns;
}

static const struct sys sys = {.monotonic_ns = scripted_ns};

FIXTURE(fresh_filter)
{
	now_ns = 0;
	*state = sample_filter_new(2);
	return 0;
}

FIXTURE(drop_filter)
{
	sample_filter_free(*state);
	return 0;
}

static const struct sample *pass_at(struct sample_filter *filter, uint32_t source, uint64_t seq,
				    int64_t end_ns)
{
	static struct sample *sample;
	const struct sample *passed;

	free(sample);
	sample = xcalloc(1, sizeof(*sample) + 2 * sizeof(sample->value[0]));
	*sample = (struct sample){.source = source, .seq = seq, .end_ns = end_ns, .n_values = 2};
	sample->value[0] = seq;
	sample->value[1] = source;
	passed = sample_filter_pass(filter, sample);
	if (passed)
		assert_true(passed->value[0] == seq && passed->value[1] == source);
	return passed;
}

static void turn_at(struct sample_filter *filter, int64_t ns, bool open)
{
	now_ns = ns;
	assert_true(sample_filter_set(filter, &sys, open));
}

TEST_WITH(samples_pass_that_end_while_it_is_open, fresh_filter, drop_filter)
{
	static const struct {
		int64_t end_ns;
		bool passes;
		uint64_t seq;
		bool gap;
	} cases[] = {
		{10, false, 0, false}, {20, false, 0, false}, /* cut at 20, when it was opened */
		{21, true, 1, false},  {30, true, 2, false},  /* cut at 30, when it was closed */
		{40, false, 0, false}, {60, true, 3, true},   {70, true, 4, false}, {90, false, 0, false},
	};
	struct sample_filter *filter = *state;

	turn_at(filter, 20, true);
	turn_at(filter, 30, false);
	turn_at(filter, 50, true);
	turn_at(filter, 70, false);
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		const struct sample *passed = pass_at(filter, 0, i + 1, cases[i].end_ns);

		assert_int_equal(passed != NULL, cases[i].passes);
		if (passed) {
			assert_int_equal(passed->seq, cases[i].seq);
			assert_int_equal(passed->flags, cases[i].gap ? SAMPLE_GAP : 0);
		}
	}
}

TEST_WITH(sources_are_numbered_apart_and_losses_stay_losses, fresh_filter, drop_filter)
{
	struct sample_filter *filter = *state;

	assert_null(pass_at(filter, 0, 1, 10));
	assert_null(pass_at(filter, 1, 1, 10));
	assert_null(pass_at(filter, 1, 2, 15));
	turn_at(filter, 20, true);
	assert_int_equal(pass_at(filter, 0, 2, 30)->seq, 1);
	assert_int_equal(pass_at(filter, 1, 3, 30)->seq, 1);
	assert_int_equal(pass_at(filter, 1, 7, 40)->seq, 5); /* three were lost before it */
}

TEST_WITH(it_knows_how_long_and_how_often_it_was_open, fresh_filter, drop_filter)
{
	struct sample_filter *filter = *state;
	unsigned times;

	assert_int_equal(sample_filter_open_ns(filter, &sys, &times), 0);
	assert_int_equal(times, 0);
	assert_false(sample_filter_set(filter, &sys, false));
	turn_at(filter, 100, true);
	assert_false(sample_filter_set(filter, &sys, true));
	turn_at(filter, 150, false);
	turn_at(filter, 200, true);
	now_ns = 207;
	assert_int_equal(sample_filter_open_ns(filter, &sys, &times), 57);
	assert_int_equal(times, 2);
}

TEST(without_a_filter_every_sample_passes_as_it_is)
{
	const struct sample sample = {.seq = 7};

	assert_ptr_equal(sample_filter_pass(NULL, &sample), &sample);
}
