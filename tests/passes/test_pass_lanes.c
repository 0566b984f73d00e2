/* The frames of a sample, one by one: what is collected comes back, what finds no room is counted,
 * and no numbers of a log do harm. */
#include "base/alloc.h"
#include "passes/pass_lanes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define US 1000ll
#define END (5000000 * US)

static struct sample *sample_new(void)
{
	struct sample *sample = xcalloc(1, sizeof(*sample) + (2 + PASS_LANES_WORDS) * sizeof(uint64_t));

	sample->n_values = 2;
	sample->end_ns = END;
	return sample;
}

static bool add_frame(struct lanes *lanes, uint64_t number, int64_t begin_ns, unsigned n)
{
	uint64_t *word = lanes_add(lanes, LANE_FRAME_WORDS + n * LANE_PASS_WORDS);

	if (!word)
		return false;
	memcpy(word, (uint64_t[]){LANE_FRAME, number, (uint64_t)begin_ns, 10000, 1000, 2000, n},
	       LANE_FRAME_WORDS * sizeof(*word));
	for (unsigned i = 0; i < n; i++)
		memcpy(word + LANE_FRAME_WORDS + i * LANE_PASS_WORDS,
		       (uint64_t[]){lane_row(i + 1, i), 4000 + 1000 * i, 8000}, 3 * sizeof(*word));
	return true;
}

static void add_region(struct lanes *lanes, int64_t begin_ns)
{
	uint64_t *word = lanes_add(lanes, LANE_REGION_WORDS);

	memcpy(word, (uint64_t[]){LANE_REGION, lane_row(3, 2), (uint64_t)begin_ns, 500},
	       LANE_REGION_WORDS * sizeof(*word));
}

static void finish_sample(struct lanes *lanes, struct sample *sample, unsigned room)
{
	sample->n_more = (uint16_t)lanes_finish(lanes, END, sample->value + sample->n_values, room);
}

static void every_frame_comes_back_with_its_neighbours_and_regions(void **state)
{
	AUTOFREE struct lanes *lanes = xcalloc(1, sizeof(*lanes));
	AUTOFREE struct sample *sample = sample_new();
	struct pass_frame frame;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		assert_true(add_frame(lanes, 70 + i, END - 40000 * US + i * 10000 * US, 2));
	add_region(lanes, END - 29000 * US);
	finish_sample(lanes, sample, PASS_LANES_WORDS);
	assert_int_equal(lanes->n, 0);
	assert_int_equal(lanes_count(sample), 3);
	lanes_read_frame(&frame, sample, 1);
	assert_true(frame.number == 71 && frame.ms == 10 && frame.next_ms == 10 && frame.age_ms == 30);
	assert_true(frame.present_ms == 1 && frame.wait_ms == 2);
	assert_int_equal(frame.n, 6); /* those of frame 70 end 2 and 3 ms after its begin */
	assert_true(frame.spans[0].of == SPAN_OF_FRAME && frame.spans[0].begin_ms == 4 &&
		    frame.spans[0].end_ms == 12 && frame.spans[0].row == 1 && frame.spans[0].queue == 0);
	assert_true(frame.spans[1].row == 2 && frame.spans[1].queue == 1);
	assert_true(frame.spans[2].of == SPAN_OF_EARLIER && frame.spans[2].begin_ms == 0 &&
		    frame.spans[2].end_ms == 2);
	assert_true(frame.spans[4].of == SPAN_OF_LATER && frame.spans[4].begin_ms == 14);
	assert_int_equal(frame.n_regions, 1);
	assert_true(frame.regions[0].row == 3 && frame.regions[0].queue == 2 &&
		    frame.regions[0].begin_ms == 1 && frame.regions[0].end_ms == 1.5);
	lanes_read_frame(&frame, sample, 3);
	assert_int_equal(frame.n, 0);
}

static void what_finds_no_room_is_counted(void **state)
{
	AUTOFREE struct lanes *lanes = xcalloc(1, sizeof(*lanes));
	AUTOFREE struct sample *sample = sample_new();
	unsigned n = 0;

	(void)state;
	while (add_frame(lanes, n, END, 100))
		n++;
	assert_int_equal(n, PASS_LANES_WORDS / (LANE_FRAME_WORDS + 100 * LANE_PASS_WORDS));
	assert_int_equal(lanes->dropped, 1);
	finish_sample(lanes, sample, 3 * (LANE_FRAME_WORDS + 100 * LANE_PASS_WORDS) + 5);
	assert_int_equal(lanes_count(sample), 3);
	assert_int_equal(lanes->dropped, 1 + n - 3);
	add_frame(lanes, 0, END, 1); /* the reader gives no room for them: nothing is missed */
	finish_sample(lanes, sample, 0);
	assert_int_equal(lanes->dropped, 1 + n - 3);
	assert_int_equal(sample->n_more, 0);
}

static void reading_stops_at_what_cannot_be(void **state)
{
	static const struct {
		const char *what;
		unsigned n;
		uint64_t words[10];
	} cases[] = {
		{"another kind", 7, {3, 1, 1, 1, 1, 1, 0}},
		{"a cut frame", 6, {LANE_FRAME, 1, 1, 1, 1, 1, 0}},
		{"passes that are not there", 9, {LANE_FRAME, 1, 1, 1, 1, 1, 1, 1, 1}},
		{"passes beyond all numbers", 10, {LANE_FRAME, 1, 1, 1, 1, 1, UINT64_MAX / 3 + 1, 1, 1, 1}},
		{"an age of years", 7, {LANE_FRAME, 1, UINT64_MAX, 1, 1, 1, 0}},
		{"a time of years", 7, {LANE_FRAME, 1, 1, LANE_US_MOST + 1, 1, 1, 0}},
		{"a cut region", 3, {LANE_REGION, 1, 1}},
		{"a region of no row", 4, {LANE_REGION, 0, 1, 1}},
	};
	AUTOFREE struct sample *sample = sample_new();
	struct frame_span pass;
	struct lane_record record;
	unsigned at;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sample->n_more = (uint16_t)cases[i].n;
		memcpy(sample->value + 2, cases[i].words, cases[i].n * sizeof(uint64_t));
		at = 0;
		if (lanes_next(sample, &at, &record))
			fail_msg("%s was read", cases[i].what);
	}
	sample->n_more = 10;
	memcpy(sample->value + 2, (uint64_t[]){LANE_FRAME, 1, 1, 1, 1, 1, 1, 63, 1, 1}, 80);
	at = 0;
	assert_true(lanes_next(sample, &at, &record));
	assert_false(lane_pass(&record, 0, &pass)); /* there is no row 63 */
	assert_false(lanes_next(sample, &at, &record));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_frame_comes_back_with_its_neighbours_and_regions),
		cmocka_unit_test(what_finds_no_room_is_counted),
		cmocka_unit_test(reading_stops_at_what_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
