/* Reading a log: all of it, from any moment, cut at every byte; and what is said of files that are
 * none. */
#include "tests/support/mlog_file.h"
#include "tests/support/test.h"

#define BLOCKS 12

static struct mlog_reader *open_log(struct mlog_file *f)
{
	struct mlog_input input = mlog_file_input(f);
	struct err err = {0};
	struct mlog_reader *r = mlog_reader_new(&input, "run.mlog", &err);

	if (!r)
		fail_msg("%s", err.text);
	return r;
}

static bool is_expected(const struct sample *s)
{
	for (unsigned i = 0; i < s->n_values; i++)
		if (s->value[i] != mlog_file_value(s->seq, i))
			return false;
	return s->n_values == (s->source ? 2 : 3) &&
	       s->end_ns - s->begin_ns == MLOG_FILE_SECOND / (s->source ? 1 : 4);
}

TEST(a_log_is_read_as_it_was_written)
{
	struct mlog_file f = mlog_file_make(BLOCKS, true);
	struct mlog_reader *r = open_log(&f);
	const struct mlog_block *block;
	AUTO_STRBUF struct strbuf text = {0};
	struct mlog_state now;
	struct err err = {.code = 1};
	unsigned k;

	assert_string_equal(mlog_reader_about(r)->program, "malitop test");
	assert_int_equal(mlog_reader_about(r)->n_sources, 2);
	for (k = 0; (block = mlog_reader_next(r, &err)); k++) {
		assert_int_equal(block->begin_ns, MLOG_FILE_START + k * MLOG_FILE_SECOND);
		assert_int_equal(block->end_ns, block->begin_ns + MLOG_FILE_SECOND);
		assert_int_equal(block->n_samples, 5);
		for (unsigned i = 0; i < 5; i++)
			assert_true(is_expected(block->samples[i]));
		assert_int_equal(block->n_notes, k % 4 == 2);
		assert_int_equal(!!(block->flags & MLOG_MARK), k % 4 == 2);
		assert_int_equal(!!(block->flags & MLOG_LOSS), k % 5 == 3 || k % 7 == 6);
		assert_true(block->has_processes);
	}
	assert_int_equal(err.code, 0);
	assert_int_equal(k, BLOCKS);
	mlog_reader_state(r, &now);
	assert_int_equal(now.begin_ns, MLOG_FILE_START);
	assert_int_equal(now.end_ns, MLOG_FILE_START + BLOCKS * MLOG_FILE_SECOND);
	assert_int_equal(now.bytes, f.n);
	assert_int_equal(now.blocks, BLOCKS);
	assert_true(now.ended && !now.cut && !now.damaged);
	mlog_reader_complain(r, &text);
	assert_string_equal(text.p, "");
	mlog_reader_free(r);
	mlog_file_fini(&f);
}

TEST(every_prefix_yields_exactly_the_whole_blocks_before_the_cut)
{
	struct mlog_file whole = mlog_file_make(BLOCKS, true);
	AUTO_STRBUF struct strbuf all = {0}, some = {0}, text = {0};
	struct mlog_reader *r = open_log(&whole);
	unsigned blocks = 0;

	mlog_file_rest(r, &all);
	mlog_reader_free(r);
	for (size_t n = mlog_file_at(&whole, 1); n <= whole.n; n++) {
		struct mlog_file f = mlog_file_copy(&whole, n);
		struct mlog_state now;
		char want[128];

		while (blocks < BLOCKS && mlog_file_at(&whole, blocks + 2) <= n)
			blocks++;
		r = open_log(&f);
		assert_int_equal(mlog_file_rest(r, &some), blocks);
		assert_memory_equal(some.p, all.p, some.n);
		mlog_reader_state(r, &now);
		assert_int_equal(now.blocks, blocks);
		assert_int_equal(now.ended, n == whole.n);
		assert_int_equal(now.bytes, n == whole.n ? n : mlog_file_at(&whole, blocks + 1));
		assert_int_equal(now.cut, n - now.bytes);
		assert_int_equal(now.damaged, 0);
		assert_int_equal(now.end_ns, blocks ? MLOG_FILE_START + blocks * MLOG_FILE_SECOND : 0);
		mlog_reader_complain(r, &text);
		snprintf(want, sizeof(want),
			 "%zu byte%s at the end %s an incomplete block and %s skipped: ", (size_t)now.cut,
			 now.cut == 1 ? "" : "s", now.cut == 1 ? "is" : "are", now.cut == 1 ? "was" : "were");
		assert_int_equal(strncmp(text.p, want, strlen(want)) == 0, now.cut > 0);
		assert_int_equal(strstr(text.p, "the recording did not end normally") != NULL,
				 !now.cut && n < whole.n);
		mlog_reader_free(r);
		mlog_file_fini(&f);
	}
	assert_int_equal(blocks, BLOCKS);
	mlog_file_fini(&whole);
}

TEST(seeking_finds_the_first_block_that_does_not_end_before)
{
	static const bool ends[] = {true, false};
	const int64_t step = MLOG_FILE_SECOND / 4;

	for (unsigned e = 0; e < 2; e++) {
		struct mlog_file f = mlog_file_make(BLOCKS, ends[e]);
		struct mlog_reader *r = open_log(&f);

		for (int i = -3; i < 4 * BLOCKS + 3; i++) {
			int64_t time_ns = MLOG_FILE_START + i * step;
			const struct mlog_block *block;

			for (int off = -1; off <= 1; off++) {
				mlog_reader_seek(r, time_ns + off);
				block = mlog_reader_next(r, NULL);
				if (time_ns + off > MLOG_FILE_START + BLOCKS * MLOG_FILE_SECOND) {
					assert_null(block);
					continue;
				}
				assert_non_null(block);
				assert_true(block->end_ns >= time_ns + off);
				assert_true(block->begin_ns == MLOG_FILE_START ||
					    block->end_ns - MLOG_FILE_SECOND < time_ns + off);
			}
		}
		mlog_reader_seek(r, INT64_MIN);
		assert_int_equal(mlog_reader_next(r, NULL)->begin_ns, MLOG_FILE_START);
		mlog_reader_seek(r, INT64_MAX);
		assert_null(mlog_reader_next(r, NULL));
		mlog_reader_free(r);
		mlog_file_fini(&f);
	}
}

TEST(a_file_that_is_no_log_is_refused_with_the_reason)
{
	struct mlog_file whole = mlog_file_make(1, false);
	size_t start = mlog_file_at(&whole, 1);
	static const char csv[] = "time,source,GPU active\n";
	const struct {
		const char *bytes;
		size_t n;
		size_t flip;
		char mask;
		const char *message;
	} cases[] = {
		{whole.p, 0, 0, 0, "run.mlog: the file is empty"},
		{csv, sizeof(csv) - 1, 0, 0, "run.mlog: not a raw counter log (.mlog): wrong magic number"},
		{csv, 1, 0, 0, "run.mlog: not a raw counter log (.mlog): wrong magic number"},
		{whole.p, 3, 0, 0, "run.mlog: cut off after 3 bytes, inside the start block"},
		{whole.p, MLOG_HEAD - 1, 0, 0, "run.mlog: cut off after 47 bytes, inside the start block"},
		{whole.p, MLOG_HEAD, 0, 0, "run.mlog: cut off after 48 bytes, inside the start block"},
		{whole.p, start - 1, 0, 0, "inside the start block: nothing can be read"},
		{whole.p, start, 4, 3,
		 "run.mlog: written by a newer malitop (format 2; this version reads format 1)"},
		{whole.p, 5, 4, 3,
		 "run.mlog: written by a newer malitop (format 2; this version reads format 1)"},
		{whole.p, start, 4, 1, "run.mlog: the head of the start block is damaged"},
		{whole.p, start, 5, 3, "run.mlog: the head of the start block is damaged"},
		{whole.p, start, 16, 1, "run.mlog: the head of the start block is damaged"},
		{whole.p, start, MLOG_HEAD, 1, "run.mlog: the start block is damaged"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct mlog_file piece = {.p = (char *)(uintptr_t)cases[i].bytes};
		struct mlog_file f = mlog_file_copy(&piece, cases[i].n);
		struct mlog_input input = mlog_file_input(&f);
		struct err err = {0};

		if (cases[i].mask)
			f.p[cases[i].flip] ^= cases[i].mask;
		assert_null(mlog_reader_new(&input, "run.mlog", &err));
		if (!strstr(err.text, cases[i].message))
			fail_msg("case %zu: '%s' has no '%s'", i, err.text, cases[i].message);
		mlog_file_fini(&f);
	}
	for (size_t n = 0; n < start; n++) {
		struct mlog_file f = mlog_file_copy(&whole, n);
		struct mlog_input input = mlog_file_input(&f);
		struct err err = {0};

		assert_null(mlog_reader_new(&input, "run.mlog", &err));
		assert_true(err.text[0]);
		mlog_file_fini(&f);
	}
	mlog_file_fini(&whole);
}

TEST(a_start_block_that_cannot_be_understood_is_refused)
{
	struct mlog_file f = {0};
	struct mlog_input input = mlog_file_input(&f);
	struct err err = {0};

	mlog_file_add(&f, (struct mlog_head){.type = MLOG_START}, "nonsense\t\n", 10);
	assert_null(mlog_reader_new(&input, "run.mlog", &err));
	assert_int_equal(strncmp(err.text, "run.mlog", 8), 0);
	mlog_file_fini(&f);
}

TEST(blocks_of_an_unknown_type_are_passed_over)
{
	struct mlog_file f = mlog_file_make(2, false);
	struct mlog_file end = mlog_file_make(3, false);
	AUTO_STRBUF struct strbuf text = {0};
	struct mlog_reader *r;
	struct mlog_state now;
	struct mlog_head head;
	size_t last = mlog_file_at(&end, 3);

	mlog_file_add(&f, (struct mlog_head){.type = 77, .begin_ns = 5, .end_ns = 6}, "of another time", 15);
	assert_true(mlog_head_get(&head, (uint8_t *)end.p + last, last));
	mlog_file_write(&f, end.p + last, end.n - last, NULL);
	head.at = mlog_file_at(&f, 4);
	mlog_head_put(&head, (uint8_t *)f.p + head.at);
	r = open_log(&f);
	assert_int_equal(mlog_file_rest(r, &text), 3);
	mlog_reader_state(r, &now);
	assert_true(now.blocks == 3 && !now.damaged && !now.cut && now.bytes == f.n);
	mlog_reader_free(r);
	mlog_file_fini(&f);
	mlog_file_fini(&end);
}

/* ---- a disk that fails ---- */

TEST(what_cannot_be_read_is_said)
{
	struct mlog_file f = mlog_file_make(1000, true);
	struct mlog_input input = mlog_file_input(&f);
	AUTO_STRBUF struct strbuf text = {0};
	struct mlog_reader *r = open_log(&f);
	struct err err = {0};

	f.fails_from = mlog_file_at(&f, 501) + MLOG_HEAD + 1;
	f.fails_to = f.fails_from + 1;
	for (unsigned i = 0; i < 500; i++)
		assert_non_null(mlog_reader_next(r, &err));
	for (unsigned i = 0; i < 2; i++) {
		err.code = 0;
		assert_null(mlog_reader_next(r, &err));
		assert_int_equal(err.code, EIO);
		assert_string_equal(err.text, "run.mlog: cannot read: Input/output error");
	}
	f.fails_to = 0; /* it was the cable */
	assert_int_equal(mlog_file_rest(r, &text), 500);
	mlog_reader_free(r);

	f.fails_to = 1;
	f.fails_from = 0;
	assert_null(mlog_reader_new(&input, "run.mlog", &err));
	assert_string_equal(err.text, "run.mlog: cannot read: Input/output error");
	mlog_file_fini(&f);
}

TEST(what_stands_before_an_unreadable_place_is_read)
{
	struct mlog_file f = mlog_file_make(200, false);
	size_t at = mlog_file_at(&f, 150);
	AUTO_STRBUF struct strbuf text = {0};
	struct mlog_reader *r;
	struct mlog_state now;
	unsigned n;

	f.fails_from = at;
	f.fails_to = at + 1;
	r = open_log(&f);
	n = mlog_file_rest(r, &text);
	mlog_reader_state(r, &now);
	assert_true(n == 149 && now.blocks == n);
	mlog_reader_complain(r, &text);
	assert_true(strstr(text.p, "cannot read past byte ") && strstr(text.p, "Input/output error"));
	f.fails_to = 0;
	assert_true(mlog_reader_refresh(r));
	assert_int_equal(n + mlog_file_rest(r, &text), 200);
	mlog_reader_complain(r, &text);
	assert_string_equal(text.p, "the recording did not end normally: it was cut off or is still running");
	mlog_reader_free(r);
	mlog_file_fini(&f);
}

/* ---- many blocks ---- */

static struct mlog_file many(unsigned n)
{
	static const char note[] = "\2\5\1\0\0\0\0"; /* an empty mark */
	struct mlog_file one = mlog_file_make(0, false), f = {.p = xmalloc(one.n + n * 64), .n = one.n};
	char *p = f.p + f.n;

	memcpy(f.p, one.p, one.n);
	for (unsigned i = 0; i < n; i++, p += MLOG_HEAD + 7) {
		struct mlog_head head = {.type = MLOG_DATA,
					 .at = (uint64_t)(p - f.p),
					 .begin_ns = i * 10,
					 .end_ns = i * 10 + 5,
					 .size = 7,
					 .raw_size = 7,
					 .payload_crc = crc32c(0, note, 7),
					 .flags = i % 10000 == 9999 ? MLOG_MARK : 0};

		mlog_head_put(&head, (uint8_t *)p);
		memcpy(p + MLOG_HEAD, note, 7);
	}
	f.n = (size_t)(p - f.p);
	mlog_file_fini(&one);
	return f;
}

TEST(a_log_of_many_small_blocks_is_walked_through_in_few_reads)
{
	struct mlog_file f = many(100000);
	struct mlog_reader *r = open_log(&f);
	const struct mlog_block *block;
	struct mlog_state now;
	unsigned marks = 0;
	int64_t at = -1;

	assert_true(f.reads < f.n / 32768);
	mlog_reader_state(r, &now);
	assert_int_equal(now.blocks, 100000);
	for (unsigned i = 0; i < 100000; i += 7919) {
		f.reads = 0;
		mlog_reader_seek(r, i * 10 + 1);
		block = mlog_reader_next(r, NULL);
		assert_true(block && block->begin_ns == i * 10 && block->n_notes == 1);
		assert_true(f.reads < 10);
	}
	f.reads = 0;
	while (mlog_reader_find(r, at, false, MLOG_MARK, &at, NULL))
		marks++;
	assert_int_equal(marks, 10);
	assert_true(f.reads < 1000);
	mlog_reader_free(r);
	mlog_file_fini(&f);
}

TEST(an_index_saves_the_walk)
{
	struct mlog_file f = mlog_file_make(3000, true);
	struct mlog_reader *r = open_log(&f);

	assert_true(f.reads < 12);
	mlog_reader_seek(r, MLOG_FILE_START + 2000 * MLOG_FILE_SECOND - 1);
	assert_int_equal(mlog_reader_next(r, NULL)->end_ns, MLOG_FILE_START + 2000 * MLOG_FILE_SECOND);
	assert_true(f.reads < 16);
	mlog_reader_free(r);
	mlog_file_fini(&f);
}

/* ---- the wall clock ---- */

#define HOUR (3600 * MLOG_FILE_SECOND)
#define RIGHT (1700000000 * MLOG_FILE_SECOND)

/* A log that begins at `realtime_ns` and has these notes of the clock, a block each. */
static struct mlog_file clocked(int64_t realtime_ns, const struct mlog_note *notes, unsigned n)
{
	struct mlog_about about = *mlog_file_about();
	struct mlog_file f = {0};
	struct mlog_writer *w;
	uint64_t seq = 0;

	about.realtime_ns = realtime_ns;
	w = mlog_writer_new(&about, mlog_file_write, &f, NULL);
	for (unsigned k = 0; k < n; k++) {
		struct mlog_note note = notes[k];

		note.kind = MLOG_NOTE_CLOCK;
		note.source = -1;
		note.time_ns = MLOG_FILE_START;
		note.value -= MLOG_FILE_START;
		mlog_file_block(w, k, &seq);
		mlog_writer_note(w, &note, NULL);
	}
	mlog_writer_end(w, NULL);
	mlog_writer_free(w);
	return f;
}

TEST(times_are_by_the_wall_clock_as_it_was_set_last)
{
	static const struct {
		int64_t begin_ns;
		struct mlog_note notes[3];
		unsigned n;
		int64_t want_ns;
		const char *said;
	} cases[] = {
		{RIGHT, {{0}}, 0, RIGHT, ""},
		{30 * MLOG_FILE_SECOND,
		 {{.value = RIGHT}},
		 1,
		 RIGHT,
		 "the wall clock was set forward by 19675 days and 22:12:50 while"},
		/* the machine slept: what was before stays */
		{RIGHT, {{.value = RIGHT + HOUR, .text = MLOG_SUSPENDED}}, 1, RIGHT, ""},
		{RIGHT - HOUR,
		 {{.value = RIGHT + HOUR, .text = MLOG_SUSPENDED}, {.value = RIGHT + 2 * HOUR}},
		 2,
		 RIGHT,
		 "the wall clock was set forward by 1:00:00 while"},
		{RIGHT,
		 {{.value = RIGHT + HOUR}, {.value = RIGHT - HOUR}},
		 2,
		 RIGHT - HOUR,
		 "the wall clock was set back by 1:00:00 while the log was recorded: all times are by the "
		 "new one"},
		/* what no clock can be */
		{RIGHT, {{.value = INT64_MIN + MLOG_FILE_START}, {.value = INT64_MAX}}, 2, RIGHT, ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct mlog_file f = clocked(cases[i].begin_ns, cases[i].notes, cases[i].n);
		struct mlog_reader *r = open_log(&f);
		AUTO_STRBUF struct strbuf said = {0};

		assert_int_equal(mlog_reader_about(r)->realtime_ns, cases[i].want_ns);
		strbuf_str(&said, "");
		mlog_reader_tell_clock(r, &said);
		if (strncmp(said.p, cases[i].said, strlen(cases[i].said)) != 0 ||
		    !cases[i].said[0] != !said.p[0])
			fail_msg("case %zu: %s", i, said.p);
		mlog_reader_free(r);
		mlog_file_fini(&f);
	}
}

/* Earlier versions have no flag for it. */
TEST(the_clock_of_an_unflagged_log_of_1970_is_found_also_while_it_grows)
{
	struct mlog_file f =
		clocked(0, (const struct mlog_note[]){{.value = 9 * MLOG_FILE_SECOND}, {.value = RIGHT}}, 2);
	const size_t all = f.n, second = mlog_file_at(&f, 3);
	struct mlog_reader *r;
	struct mlog_head head;

	for (size_t at = mlog_file_at(&f, 1); at < all; at += MLOG_HEAD + head.size) {
		assert_true(mlog_head_get(&head, (const uint8_t *)f.p + at, at));
		head.flags = 0;
		mlog_head_put(&head, (uint8_t *)f.p + at);
	}
	f.n = second;
	r = open_log(&f);
	assert_int_equal(mlog_reader_about(r)->realtime_ns, 9 * MLOG_FILE_SECOND);
	f.n = all;
	assert_true(mlog_reader_refresh(r));
	assert_int_equal(mlog_reader_about(r)->realtime_ns, RIGHT);
	mlog_reader_free(r);
	mlog_file_fini(&f);
}

/* A clock of a library for tests may be anywhere. */
TEST(what_any_clock_has_written_can_be_read)
{
	static const int64_t starts[] = {0,     -MLOG_FILE_SECOND, (int64_t)1 << 60, ((int64_t)1 << 60) + 1,
					 RIGHT, INT64_MAX - HOUR};

	for (size_t i = 0; i < ARRAY_LEN(starts); i++) {
		struct mlog_about about = *mlog_file_about();
		struct mlog_note note = {.kind = MLOG_NOTE_CLOCK,
					 .source = -1,
					 .time_ns = starts[i] + 2 * MLOG_FILE_SECOND,
					 .value = RIGHT - starts[i]};
		struct process one = {.pid = 1, .name = "init"};
		struct process_list list = {.processes = &one,
					    .n = 1,
					    .begin_ns = starts[i] + MLOG_FILE_SECOND,
					    .end_ns = starts[i] + 3 * MLOG_FILE_SECOND,
					    .cost_ns = -1};
		struct mlog_file f = {0};
		struct mlog_reader *r;
		struct mlog_state state_now;
		const struct mlog_block *block;
		struct mlog_writer *w;

		about.monotonic_ns = starts[i];
		about.realtime_ns = i ? RIGHT : -5;
		w = mlog_writer_new(&about, mlog_file_write, &f, NULL);
		mlog_file_sample(w, 0, 1, starts[i] + MLOG_FILE_SECOND, 0, 0);
		mlog_writer_note(w, &note, NULL);
		mlog_file_sample(w, 0, 2, starts[i] + 3 * MLOG_FILE_SECOND, 0, 0);
		mlog_writer_processes(w, &list, NULL);
		mlog_writer_end(w, NULL);
		mlog_writer_free(w);
		r = open_log(&f);
		block = mlog_reader_next(r, NULL);
		assert_non_null(block);
		assert_int_equal(block->n_samples, 2);
		assert_true(block->has_processes);
		mlog_reader_state(r, &state_now);
		assert_true(!state_now.damaged && state_now.ended);
		if (starts[i] >= 0) {
			assert_int_equal(block->samples[1]->end_ns - block->samples[0]->end_ns,
					 2 * MLOG_FILE_SECOND);
			assert_int_equal(block->samples[1]->end_ns - mlog_reader_about(r)->monotonic_ns,
					 3 * MLOG_FILE_SECOND);
			assert_int_equal(mlog_reader_about(r)->realtime_ns, RIGHT);
		}
		mlog_reader_free(r);
		mlog_file_fini(&f);
	}
}
