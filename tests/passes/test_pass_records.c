/* The frames of a sample, one by one: what is collected comes back, what finds no room is counted,
 * and no numbers of a log do harm. */
#include "base/alloc.h"
#include "passes/frame_stats.h"
#include "tests/support/test.h"

#include <math.h>
#include <string.h>

#define US 1000ll
#define END (5000000 * US)

static struct sample *sample_new(void)
{
	struct sample *sample = xcalloc(1, sizeof(*sample) + (2 + PASS_RECORDS_WORDS) * sizeof(uint64_t));

	sample->n_values = 2;
	sample->end_ns = END;
	return sample;
}

static bool add_frame(struct pass_records *records, uint64_t number, int64_t begin_ns, unsigned n)
{
	uint64_t *word = pass_records_add(records, RECORD_FRAME_WORDS + n * RECORD_PASS_WORDS);

	if (!word)
		return false;
	memcpy(word,
	       (uint64_t[]){RECORD_FRAME, number, (uint64_t)begin_ns, 10000, 1000, 2000, n, 7000,
			    RECORD_UNKNOWN},
	       RECORD_FRAME_WORDS * sizeof(*word));
	for (unsigned i = 0; i < n; i++)
		memcpy(word + RECORD_FRAME_WORDS + i * RECORD_PASS_WORDS,
		       (uint64_t[]){pass_record_row(i + 1, i), 4000 + 1000 * i, 8000}, 3 * sizeof(*word));
	return true;
}

static void add_region(struct pass_records *records, int64_t begin_ns)
{
	uint64_t *word = pass_records_add(records, RECORD_REGION_WORDS);

	memcpy(word, (uint64_t[]){RECORD_REGION, pass_record_row(3, 2), (uint64_t)begin_ns, 500},
	       RECORD_REGION_WORDS * sizeof(*word));
}

static void finish_sample(struct pass_records *records, struct sample *sample, unsigned room)
{
	sample->n_more = (uint16_t)pass_records_finish(records, END, sample->value + sample->n_values, room);
}

TEST(every_frame_comes_back_with_its_neighbours_and_regions)
{
	AUTOFREE struct pass_records *records = xcalloc(1, sizeof(*records));
	AUTOFREE struct sample *sample = sample_new();
	struct pass_frame frame;

	for (unsigned i = 0; i < 3; i++)
		assert_true(add_frame(records, 70 + i, END - 40000 * US + i * 10000 * US, 2));
	add_region(records, END - 29000 * US);
	finish_sample(records, sample, PASS_RECORDS_WORDS);
	assert_int_equal(records->n, 0);
	assert_int_equal(pass_records_count(sample), 3);
	pass_records_read_frame(&frame, sample, 1);
	assert_true(frame.number == 71 && frame.ms == 10 && frame.age_ms == 30);
	assert_true(frame.present_ms == 1 && frame.wait_ms == 2 && frame.cpu_ms == 7 && isnan(frame.gpu_ms));
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
	pass_records_read_frame(&frame, sample, 3);
	assert_int_equal(frame.n, 0);
}

TEST(what_finds_no_room_is_counted)
{
	AUTOFREE struct pass_records *records = xcalloc(1, sizeof(*records));
	AUTOFREE struct sample *sample = sample_new();
	unsigned n = 0;

	while (add_frame(records, n, END, 100))
		n++;
	assert_int_equal(n, PASS_RECORDS_WORDS / (RECORD_FRAME_WORDS + 100 * RECORD_PASS_WORDS));
	assert_int_equal(records->dropped, 1);
	finish_sample(records, sample, 3 * (RECORD_FRAME_WORDS + 100 * RECORD_PASS_WORDS) + 5);
	assert_int_equal(pass_records_count(sample), 3);
	assert_int_equal(records->dropped, 1 + n - 3);
	add_frame(records, 0, END, 1); /* the reader gives no room for them: nothing is missed */
	finish_sample(records, sample, 0);
	assert_int_equal(records->dropped, 1 + n - 3);
	assert_int_equal(sample->n_more, 0);
}

TEST(reading_stops_at_what_cannot_be)
{
	static const struct {
		const char *what;
		unsigned n;
		uint64_t words[12];
	} cases[] = {
		{"another kind", 9, {5, 1, 1, 1, 1, 1, 0, 1, 1}},
		{"a cut frame", 8, {RECORD_FRAME, 1, 1, 1, 1, 1, 0, 1}},
		{"passes that are not there", 11, {RECORD_FRAME, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
		{"passes beyond all numbers",
		 12,
		 {RECORD_FRAME, 1, 1, 1, 1, 1, UINT64_MAX / 3 + 1, 1, 1, 1, 1, 1}},
		{"an age of years", 9, {RECORD_FRAME, 1, UINT64_MAX, 1, 1, 1, 0, 1, 1}},
		{"a time of years", 9, {RECORD_FRAME, 1, 1, RECORD_US_MOST + 1, 1, 1, 0, 1, 1}},
		{"a cut region", 3, {RECORD_REGION, 1, 1}},
		{"a region of no row", 4, {RECORD_REGION, 0, 1, 1}},
		{"a cut name", 3, {RECORD_NAME, 1, 1}},
		{"a name of no number", 4, {RECORD_NAME, PASS_NAMES_MOST + 1, 1, 'x'}},
		{"a name beyond all numbers", 4, {RECORD_NAME, 1, UINT64_MAX, 'x'}},
	};
	AUTOFREE struct sample *sample = sample_new();
	struct frame_span pass;
	struct pass_record record;
	unsigned at;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sample->n_more = (uint16_t)cases[i].n;
		memcpy(sample->value + 2, cases[i].words, cases[i].n * sizeof(uint64_t));
		at = 0;
		if (pass_records_next(sample, &at, &record))
			fail_msg("%s was read", cases[i].what);
	}
	sample->n_more = 12;
	memcpy(sample->value + 2, (uint64_t[]){RECORD_FRAME, 1, 1, 1, 1, 1, 1, 1, 1, 63, 1, 1}, 96);
	at = 0;
	assert_true(pass_records_next(sample, &at, &record));
	assert_false(pass_record_pass(&record, 0, &pass)); /* there is no row 63 */
	assert_false(pass_records_next(sample, &at, &record));
}

/* A log of earlier versions has frames without CPU and GPU times. */
TEST(an_old_frame_has_what_it_had)
{
	AUTOFREE struct sample *sample = sample_new();
	struct pass_record record;
	struct frame_span pass;
	struct frame_facts facts;
	struct pass_table table = {.n = 0};
	struct frame_window window = {.n = 0};
	unsigned at = 0;

	sample->n_more = 13;
	memcpy(sample->value + 2,
	       (uint64_t[]){RECORD_OLD_FRAME, 5, 20000, 16000, 0, 1000, 2, 1, 0, 4000, 2, 4000, 5000}, 104);
	assert_true(pass_records_next(sample, &at, &record));
	assert_true(record.kind == RECORD_FRAME && record.number == 5 && record.n == 2);
	assert_true(isnan(record.cpu_ms) && isnan(record.gpu_ms));
	assert_true(pass_record_pass(&record, 1, &pass) && pass.end_ms == 9);
	frame_facts_read(&facts, &record, &table, &window);
	assert_true(facts.gpu_ms == 9 && facts.pass_ms == 5 && isnan(facts.pass_over_ms));
}

/* Frames of 10 and, as the fourth, of 40 ms, with a region between. */
TEST(passes_of_late_frames_and_their_neighbours_can_be_kept_alone)
{
	static const unsigned passes[] = {0, 0, 2, 2, 2, 0};
	AUTOFREE struct pass_records *records = xcalloc(1, sizeof(*records));
	AUTOFREE struct sample *sample = sample_new(), *thin = sample_new();
	struct pass_record record;
	unsigned at = 0, n = 0;

	for (unsigned i = 0; i < ARRAY_LEN(passes); i++) {
		assert_true(add_frame(records, 70 + i, END - 90000 * US + i * 10000 * US, 2));
		if (i == 3)
			records->words[records->n - RECORD_FRAME_WORDS - 2 * RECORD_PASS_WORDS + 3] = 40000;
		add_region(records, END - 29000 * US);
	}
	finish_sample(records, sample, PASS_RECORDS_WORDS);
	thin->n_more = (uint16_t)pass_records_keep_late(sample, 17500, thin->value + thin->n_values);
	assert_true(thin->n_more < sample->n_more);
	while (pass_records_next(thin, &at, &record))
		if (record.kind == RECORD_FRAME) {
			assert_true(record.number == 70 + n && record.cpu_ms == 7);
			assert_int_equal(record.n, passes[n++]);
		}
	assert_int_equal(n, ARRAY_LEN(passes));
	assert_int_equal(at, thin->n_more);
}

TEST(a_name_comes_back_printable_and_cut)
{
	static const struct {
		const char *name, *text, *back;
	} cases[] = {{"short", "x", "x"},
		     {"of whole words", "12345678", "12345678"},
		     {"with control characters", "a\nb", "a?b"},
		     {"too long", "12345678901234567890123456789012345678901234567890",
		      "12345678901234567890123456789012345678901234567"}};
	AUTOFREE struct sample *sample = sample_new();
	AUTOFREE struct pass_names *names = xcalloc(1, sizeof(*names));

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		sample->n_more = (uint16_t)pass_record_name(7, cases[i].text, sample->value + 2);
		pass_names_take(names, sample);
		if (strcmp(names->text[7], cases[i].back) != 0)
			fail_msg("a name %s: '%s'", cases[i].name, names->text[7]);
	}
}
