/* What is looked for in a log: marks and losses, forward and backward; the processes of any
 * moment. */
#include "tests/support/mlog_file.h"
#include "tests/support/test.h"

#define BLOCKS 100

static struct mlog_reader *open_log(struct mlog_file *f)
{
	struct mlog_input input = mlog_file_input(f);

	return mlog_reader_new(&input, "run.mlog", NULL);
}

/* What block k has, and where; in order. */
static bool mark_of(unsigned k, int64_t *at_ns, char text[64])
{
	*at_ns = MLOG_FILE_START + k * MLOG_FILE_SECOND + 6 * MLOG_FILE_SECOND / 10;
	snprintf(text, 64, "mark %u", k);
	return k % 4 == 2;
}

static bool loss_of(unsigned k, int64_t *at_ns, char text[64])
{
	*at_ns = MLOG_FILE_START + k * MLOG_FILE_SECOND + MLOG_FILE_SECOND / 2;
	snprintf(text, 64, "GPU: 2 samples lost");
	return k % 5 == 3;
}

static bool gap_of(unsigned k, int64_t *at_ns, char text[64])
{
	*at_ns = MLOG_FILE_START + (k + 1) * MLOG_FILE_SECOND;
	snprintf(text, 64, "CPU: a gap: time that was not counted");
	return k % 7 == 6;
}

struct find_event {
	int64_t at_ns;
	unsigned flag;
	char text[64];
};

static unsigned events_of(struct find_event *events, unsigned flags)
{
	static const struct {
		unsigned flag;
		bool (*of)(unsigned k, int64_t *at_ns, char text[64]);
	} kinds[] = {{MLOG_LOSS, loss_of}, {MLOG_MARK, mark_of}, {MLOG_LOSS, gap_of}};
	unsigned n = 0;

	for (unsigned k = 0; k < BLOCKS; k++)
		for (unsigned i = 0; i < ARRAY_LEN(kinds); i++)
			n += kinds[i].flag & flags && kinds[i].of(k, &events[n].at_ns, events[n].text);
	return n;
}

TEST(marks_and_losses_are_found_one_after_the_other_in_both_directions)
{
	static const unsigned flags[] = {MLOG_MARK, MLOG_LOSS, MLOG_MARK | MLOG_LOSS};

	for (unsigned i = 0; i < 2 * ARRAY_LEN(flags); i++) {
		struct mlog_file f = mlog_file_make(BLOCKS, i % 2);
		struct mlog_reader *r = open_log(&f);
		AUTO_STRBUF struct strbuf text = {0};
		struct find_event events[3 * BLOCKS];
		unsigned n = events_of(events, flags[i / 2]);
		int64_t at = INT64_MIN;

		mlog_reader_seek(r, MLOG_FILE_START + 50 * MLOG_FILE_SECOND);
		for (unsigned k = 0; k < n; k++) {
			assert_true(mlog_reader_find(r, at, false, flags[i / 2], &at, &text));
			assert_int_equal(at, events[k].at_ns);
			assert_string_equal(text.p, events[k].text);
		}
		assert_false(mlog_reader_find(r, at, false, flags[i / 2], &at, &text));
		at = INT64_MAX;
		for (unsigned k = n; k--;) {
			assert_true(mlog_reader_find(r, at, true, flags[i / 2], &at, NULL));
			assert_int_equal(at, events[k].at_ns);
		}
		assert_false(mlog_reader_find(r, at, true, flags[i / 2], &at, NULL));
		assert_int_equal(mlog_reader_next(r, NULL)->end_ns, MLOG_FILE_START + 50 * MLOG_FILE_SECOND);
		mlog_reader_free(r);
		mlog_file_fini(&f);
	}
}

TEST(from_every_moment_the_nearest_is_found)
{
	const unsigned flags = MLOG_MARK | MLOG_LOSS;
	struct mlog_file f = mlog_file_make(BLOCKS, true);
	struct mlog_reader *r = open_log(&f);
	struct find_event events[3 * BLOCKS];
	unsigned n = events_of(events, flags), next = 0;

	for (int64_t from = MLOG_FILE_START; from < MLOG_FILE_START + BLOCKS * MLOG_FILE_SECOND;
	     from += MLOG_FILE_SECOND / 20) {
		unsigned before;
		int64_t at;

		while (next < n && events[next].at_ns <= from)
			next++;
		assert_int_equal(mlog_reader_find(r, from, false, flags, &at, NULL), next < n);
		if (next < n)
			assert_int_equal(at, events[next].at_ns);
		before = next - (next && events[next - 1].at_ns == from);
		assert_int_equal(mlog_reader_find(r, from, true, flags, &at, NULL), before > 0);
		if (before)
			assert_int_equal(at, events[before - 1].at_ns);
	}
	mlog_reader_free(r);
	mlog_file_fini(&f);
}

/* Lost between the sampler and the log: no sample says so, only its number. */
TEST(numbers_that_jump_are_losses)
{
	struct mlog_file f = {0};
	struct mlog_writer *w = mlog_writer_new(mlog_file_about(), mlog_file_write, &f, NULL);
	static const uint64_t seq[] = {1, 2, 5, 6, 16, 17}; /* two a block */
	AUTO_STRBUF struct strbuf text = {0};
	struct mlog_reader *r;
	int64_t at = INT64_MIN;

	for (unsigned i = 0; i < ARRAY_LEN(seq); i++) {
		mlog_file_sample(w, 0, seq[i], MLOG_FILE_START + i, 0, 0);
		if (i == 0 || i == 3)
			mlog_writer_flush(w, NULL);
	}
	mlog_writer_end(w, NULL);
	mlog_writer_free(w);
	r = open_log(&f);
	assert_true(mlog_reader_find(r, at, false, MLOG_LOSS, &at, &text));
	assert_int_equal(at, MLOG_FILE_START + 2);
	assert_string_equal(text.p, "GPU: 2 samples lost");
	assert_true(mlog_reader_find(r, at, false, MLOG_LOSS, &at, &text));
	assert_int_equal(at, MLOG_FILE_START + 4);
	assert_string_equal(text.p, "samples lost");
	assert_false(mlog_reader_find(r, at, false, MLOG_LOSS, &at, &text));
	mlog_reader_free(r);
	mlog_file_fini(&f);
}

TEST(samples_lost_last_are_found_by_their_note)
{
	struct mlog_note lost = {
		.kind = MLOG_NOTE_LOST, .source = -1, .time_ns = MLOG_FILE_START + 9, .value = 17};
	struct mlog_file f = {0};
	struct mlog_writer *w = mlog_writer_new(mlog_file_about(), mlog_file_write, &f, NULL);
	AUTO_STRBUF struct strbuf text = {0};
	struct mlog_reader *r;
	int64_t at = INT64_MIN;

	mlog_file_sample(w, 0, 1, MLOG_FILE_START, 0, 0);
	mlog_writer_note(w, &lost, NULL);
	mlog_writer_end(w, NULL);
	mlog_writer_free(w);
	r = open_log(&f);
	assert_true(mlog_reader_find(r, at, false, MLOG_LOSS, &at, &text));
	assert_int_equal(at, MLOG_FILE_START + 9);
	assert_string_equal(text.p, "17 samples lost");
	assert_false(mlog_reader_find(r, at, false, MLOG_LOSS, &at, &text));
	mlog_reader_free(r);
	mlog_file_fini(&f);
}

TEST(what_came_late_is_found_in_its_time)
{
	static const int64_t written[] = {9, 0, 12, 5, 0, 13, 7, 0},
			     times[] = {5, 7, 9, 12, 13}; /* 0: a block ends */
	struct mlog_file f = {0};
	struct mlog_writer *w = mlog_writer_new(mlog_file_about(), mlog_file_write, &f, NULL);
	int64_t at = INT64_MIN;
	struct mlog_reader *r;

	for (unsigned i = 0; i < ARRAY_LEN(written); i++) {
		struct mlog_note mark = {
			.kind = MLOG_NOTE_MARK, .source = -1, .time_ns = MLOG_FILE_START + written[i]};

		if (written[i])
			mlog_writer_note(w, &mark, NULL);
		else
			mlog_writer_flush(w, NULL);
	}
	mlog_writer_free(w);
	r = open_log(&f);
	for (unsigned i = 0; i < ARRAY_LEN(times); i++) {
		assert_true(mlog_reader_find(r, at, false, MLOG_MARK, &at, NULL));
		assert_int_equal(at, MLOG_FILE_START + times[i]);
	}
	at = INT64_MAX;
	for (unsigned i = ARRAY_LEN(times); i--;) {
		assert_true(mlog_reader_find(r, at, true, MLOG_MARK, &at, NULL));
		assert_int_equal(at, MLOG_FILE_START + times[i]);
	}
	mlog_reader_free(r);
	mlog_file_fini(&f);
}

TEST(a_log_without_anything_has_nothing_to_find)
{
	struct mlog_file f = mlog_file_make(0, true);
	struct mlog_reader *r = open_log(&f);
	int64_t at;

	assert_false(mlog_reader_find(r, INT64_MIN, false, MLOG_MARK | MLOG_LOSS, &at, NULL));
	assert_false(mlog_reader_find(r, INT64_MAX, true, MLOG_MARK | MLOG_LOSS, &at, NULL));
	assert_null(mlog_reader_next(r, NULL));
	assert_null(mlog_reader_processes(r));
	mlog_reader_free(r);
	mlog_file_fini(&f);
}

/* ---- processes ---- */

/* Reads all of it; texts[k]: the processes after k blocks. */
static unsigned read_all_processes(struct mlog_file *f, struct strbuf texts[BLOCKS + 1])
{
	struct mlog_reader *r = open_log(f);
	unsigned n = 0;

	do
		mlog_file_processes_text(mlog_reader_processes(r), &texts[n++]);
	while (mlog_reader_next(r, NULL));
	mlog_reader_free(r);
	return n - 1;
}

static void assert_jumps_agree(struct mlog_file *f, struct strbuf texts[BLOCKS + 1])
{
	struct mlog_reader *r = open_log(f);
	uint32_t random = 1;

	for (unsigned i = 0; i < 2000; i++) {
		AUTO_STRBUF struct strbuf text = {0};
		const struct mlog_block *block;
		unsigned k, steps;

		random = random * 1664525 + 1013904223;
		k = (random >> 16) % BLOCKS;
		steps = random >> 30;
		mlog_reader_seek(r, MLOG_FILE_START + (k + 1) * MLOG_FILE_SECOND);
		if (steps == 3)
			mlog_reader_processes(r);
		for (unsigned s = 0; s < steps; s++)
			if ((block = mlog_reader_next(r, NULL)))
				k = (unsigned)((block->end_ns - MLOG_FILE_START) / MLOG_FILE_SECOND);
		mlog_file_processes_text(mlog_reader_processes(r), &text);
		assert_string_equal(text.p, texts[k].p);
	}
	mlog_reader_free(r);
}

TEST(processes_after_a_jump_are_those_of_a_full_read)
{
	for (unsigned ended = 0; ended < 2; ended++) {
		struct mlog_file f = mlog_file_make(BLOCKS, ended);
		struct strbuf texts[BLOCKS + 1] = {0};
		char want[64];

		assert_int_equal(read_all_processes(&f, texts), BLOCKS);
		assert_string_equal(texts[0].p, "(unknown)");
		for (unsigned k = 1; k <= BLOCKS; k++) {
			snprintf(want, sizeof(want), ", 1 program 1 %u, 10 program 10 0, %u program %u 0)",
				 k - 1, k + 10, k + 10);
			assert_non_null(strstr(texts[k].p, want));
		}
		assert_jumps_agree(&f, texts);
		for (unsigned k = 0; k <= BLOCKS; k++)
			strbuf_fini(&texts[k]);
		mlog_file_fini(&f);
	}
}

TEST(after_a_damaged_block_processes_are_unknown_until_all_are_listed)
{
	static const struct {
		unsigned block; /* damaged; complete lists stand in 0, 30, 60, 90 */
		size_t at;
		unsigned known_again;
	} cases[] = {{10, 5, 30}, {10, MLOG_HEAD, 30}, {30, MLOG_HEAD + 5, 60},
		     {30, 0, 60}, {29, 0, 30},         {95, 0, BLOCKS}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct mlog_file f = mlog_file_make(BLOCKS, true);
		struct strbuf texts[BLOCKS + 1] = {0}, all = {0};
		struct mlog_reader *r;
		const struct mlog_block *block;
		unsigned n;

		f.p[mlog_file_at(&f, cases[i].block + 1) + cases[i].at] ^= 1;
		n = read_all_processes(&f, texts);
		assert_int_equal(n, BLOCKS - 1);
		for (unsigned k = 0; k < n; k++) {
			unsigned of = k + (k >= cases[i].block);
			bool known = of < cases[i].block || of >= cases[i].known_again;

			assert_int_equal(strcmp(texts[k + 1].p, "(unknown)") != 0, known);
			strbuf_printf(&all, "%u%s", of, texts[k + 1].p);
		}
		r = open_log(&f);
		for (unsigned k = 0; k < BLOCKS;
		     k += 3) { /* one block after each jump, forward and backward */
			AUTO_STRBUF struct strbuf text = {0};
			unsigned to = k * 37 % BLOCKS;

			mlog_reader_seek(r, MLOG_FILE_START + (to + 1) * MLOG_FILE_SECOND);
			block = mlog_reader_next(r, NULL);
			strbuf_printf(&text, "%lld",
				      (long long)((block->begin_ns - MLOG_FILE_START) / MLOG_FILE_SECOND));
			mlog_file_processes_text(mlog_reader_processes(r), &text);
			assert_non_null(strstr(all.p, text.p));
		}
		mlog_reader_free(r);
		for (unsigned k = 0; k <= BLOCKS; k++)
			strbuf_fini(&texts[k]);
		strbuf_fini(&all);
		mlog_file_fini(&f);
	}
}
