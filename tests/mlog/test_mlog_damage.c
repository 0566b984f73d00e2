/* Logs that were damaged: what comes out was written so, and nothing that was spared is missing. An
 * index that lies changes nothing. */
#include "tests/support/mlog_file.h"

#include "mlog/mlog_index.h"
#include "tests/support/test.h"

#define BLOCKS 8

static struct mlog_reader *open_log(struct mlog_file *f)
{
	struct mlog_input input = mlog_file_input(f);

	return mlog_reader_new(&input, "run.mlog", NULL);
}

struct original {
	struct mlog_file file;
	struct strbuf blocks[BLOCKS];
};

static void original_init(struct original *o, bool ended)
{
	struct mlog_reader *r;

	*o = (struct original){.file = mlog_file_make(BLOCKS, ended)};
	r = open_log(&o->file);
	for (unsigned i = 0; i < BLOCKS; i++)
		mlog_file_text(mlog_reader_next(r, NULL), &o->blocks[i]);
	assert_null(mlog_reader_next(r, NULL));
	mlog_reader_free(r);
}

static void original_fini(struct original *o)
{
	for (unsigned i = 0; i < BLOCKS; i++)
		strbuf_fini(&o->blocks[i]);
	mlog_file_fini(&o->file);
}

/* All blocks are the original's, in their order, but those that the bytes [from, to) touch. */
static void assert_only_touched_are_missing(const struct original *o, struct mlog_reader *r, size_t from,
					    size_t to)
{
	AUTO_STRBUF struct strbuf text = {0};
	const struct mlog_block *block;

	for (unsigned i = 0; i < BLOCKS; i++) {
		size_t begin = mlog_file_at(&o->file, i + 1), end = mlog_file_at(&o->file, i + 2);

		if (begin < to && from < end)
			continue;
		block = mlog_reader_next(r, NULL);
		strbuf_clear(&text);
		assert_non_null(block);
		mlog_file_text(block, &text);
		assert_string_equal(text.p, o->blocks[i].p);
	}
	assert_null(mlog_reader_next(r, NULL));
}

TEST(every_flipped_byte_costs_its_block_and_no_other)
{
	static const char masks[] = {1, (char)0x80, (char)0xff};
	struct original o;
	size_t start;

	original_init(&o, true);
	start = mlog_file_at(&o.file, 1);
	for (size_t at = 0; at < o.file.n; at++) {
		for (unsigned m = 0; m < sizeof(masks); m++) {
			struct mlog_reader *r;

			o.file.p[at] ^= masks[m];
			r = open_log(&o.file);
			o.file.p[at] ^= masks[m];
			assert_int_equal(!r, at < start); /* the start block is everything */
			mlog_reader_free(r);
			if (at < start)
				continue;
			struct mlog_file f = mlog_file_copy(&o.file, o.file.n);

			f.p[at] ^= masks[m];
			r = open_log(&f);
			assert_only_touched_are_missing(&o, r, at, at + 1);
			mlog_reader_free(r);
			mlog_file_fini(&f);
		}
	}
	original_fini(&o);
}

/* With and without an index, where it is damaged, by how many bytes, what is said. */
TEST(pieces_that_are_gone_are_passed_over_and_counted)
{
	static const struct {
		unsigned from, to; /* blocks, from the middle of one to the middle of the other */
		char with;
	} cases[] = {{2, 2, 0}, {2, 3, 0}, {1, 6, 0}, {2, 5, 'M'}, {3, 4, (char)0xff}};

	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf text = {0};
		struct original o;
		struct mlog_reader *r;
		struct mlog_state now;
		size_t from, to, whole, gone;
		char want[128];

		original_init(&o, i % 2);
		struct mlog_file f = mlog_file_copy(&o.file, o.file.n);

		from = mlog_file_at(&f, cases[i / 2].from) + 10;
		to = mlog_file_at(&f, cases[i / 2].to) + MLOG_HEAD + 10;
		whole = mlog_file_at(&f, cases[i / 2].from);
		gone = mlog_file_at(&f, cases[i / 2].to + 1) - whole;
		memset(f.p + from, cases[i / 2].with, to - from);
		r = open_log(&f);
		for (unsigned again = 0; again < 3; again++) {
			assert_only_touched_are_missing(&o, r, from, to);
			mlog_reader_seek(r, INT64_MIN);
		}
		mlog_reader_state(r, &now);
		assert_int_equal(now.damaged, gone);
		assert_int_equal(now.cut, 0);
		assert_int_equal(now.ended, i % 2);
		mlog_reader_complain(r, &text);
		snprintf(want, sizeof(want), "%zu bytes inside are damaged and were skipped%s", gone,
			 i % 2 ? ""
			       : "; the recording did not end normally: it was cut off or is still running");
		assert_string_equal(text.p, want);
		mlog_reader_free(r);
		mlog_file_fini(&f);
		original_fini(&o);
	}
}

TEST(what_a_power_loss_left_at_the_end_is_cut)
{
	static const struct {
		size_t n;
		char with;
	} cases[] = {{1, 0}, {47, 0}, {48, 0}, {4096, 0}, {200000, 0}, {200000, 'M'}, {100, (char)0xff}};
	struct original o;

	for (unsigned ended = 0; ended < 2; ended++) {
		original_init(&o, ended);
		for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
			struct mlog_file f = mlog_file_copy(&o.file, o.file.n);
			AUTOFREE char *tail = xmalloc(cases[i].n);
			struct mlog_reader *r;
			struct mlog_state now;

			memset(tail, cases[i].with, cases[i].n);
			mlog_file_write(&f, tail, cases[i].n, NULL);
			r = open_log(&f);
			assert_only_touched_are_missing(&o, r, 0, 0);
			mlog_reader_state(r, &now);
			assert_int_equal(now.cut, cases[i].n);
			assert_int_equal(now.bytes, o.file.n);
			assert_int_equal(now.damaged, 0);
			assert_int_equal(now.ended, ended);
			mlog_reader_free(r);
			mlog_file_fini(&f);
		}
		original_fini(&o);
	}
}

TEST(a_second_log_after_the_first_is_not_part_of_it)
{
	for (unsigned ended = 0; ended < 2; ended++) {
		struct original o;
		struct mlog_reader *r;
		struct mlog_state now;

		original_init(&o, ended);
		struct mlog_file f = mlog_file_copy(&o.file, o.file.n);

		mlog_file_write(&f, o.file.p, o.file.n, NULL);
		r = open_log(&f);
		assert_only_touched_are_missing(&o, r, 0, 0);
		mlog_reader_state(r, &now);
		assert_int_equal(now.cut, o.file.n);
		assert_int_equal(now.blocks, BLOCKS);
		mlog_reader_free(r);
		mlog_file_fini(&f);
		original_fini(&o);
	}
}

TEST(a_block_that_does_not_decode_is_left_out)
{
	struct mlog_file f = mlog_file_make(2, false);
	AUTO_STRBUF struct strbuf text = {0};
	struct mlog_reader *r;
	struct mlog_state now;
	size_t bad = f.n;

	mlog_file_add(&f, (struct mlog_head){.type = MLOG_DATA, .end_ns = MLOG_FILE_START * 2}, "\1\2\3", 3);
	bad = f.n - bad;
	mlog_file_add(&f, (struct mlog_head){.type = MLOG_DATA, .end_ns = MLOG_FILE_START * 2}, "", 0);
	r = open_log(&f);
	assert_int_equal(mlog_file_rest(r, &text), 3);
	mlog_reader_state(r, &now);
	assert_int_equal(now.damaged, bad);
	mlog_reader_free(r);
	mlog_file_fini(&f);
}

/* ---- an index that lies ---- */

static void move_place(struct mlog_index *index)
{
	index->places[4].at += 5;
}

static void move_first_place(struct mlog_index *index)
{
	index->places[0].at += 5;
}

static void move_last_place(struct mlog_index *index)
{
	index->places[BLOCKS - 1].at += 5;
}

static void swap_ends(struct mlog_index *index)
{
	for (unsigned i = 1; i < index->n - 1; i++)
		index->places[i].end_ns = index->places[0].end_ns;
}

static void end_late(struct mlog_index *index)
{
	index->places[3].end_ns = index->places[4].end_ns;
}

static void skip_blocks(struct mlog_index *index)
{
	index->n = 1;
	index->n_blocks = 1;
}

static void stride_over(struct mlog_index *index)
{
	index->stride = 4;
	index->n = 2;
}

static void count_more(struct mlog_index *index)
{
	index->n_blocks = 100;
	index->stride = 13;
	index->n = 8;
}

static void begin_early(struct mlog_index *index)
{
	index->begin_ns = 0;
}

static void end_early(struct mlog_index *index)
{
	index->end_ns = index->places[BLOCKS - 1].end_ns = index->places[BLOCKS - 2].end_ns;
}

static void have_nothing(struct mlog_index *index)
{
	index->n = 0;
	index->n_blocks = 0;
	index->begin_ns = index->end_ns = 0;
}

TEST(an_index_that_lies_hides_nothing)
{
	static void (*const lies[])(struct mlog_index * index) = {
		move_place,  move_first_place, move_last_place, swap_ends, end_late,    skip_blocks,
		stride_over, count_more,       begin_early,     end_early, have_nothing};
	struct original o;
	size_t at;

	original_init(&o, true);
	at = mlog_file_at(&o.file, BLOCKS + 1);
	for (size_t i = 0; i < ARRAY_LEN(lies); i++) {
		struct span payload = {o.file.p + at + MLOG_HEAD, o.file.n - at - MLOG_HEAD};
		struct mlog_file f = mlog_file_copy(&o.file, at);
		AUTO_STRBUF struct strbuf lie = {0};
		struct mlog_index index;
		struct mlog_reader *r;
		struct mlog_state now;

		assert_true(mlog_index_parse(&index, at, payload));
		lies[i](&index);
		mlog_index_format(&index, at, &lie);
		mlog_file_add(&f, (struct mlog_head){.type = MLOG_INDEX}, lie.p, lie.n);
		mlog_index_fini(&index);
		r = open_log(&f);
		for (unsigned k = 0; k < BLOCKS; k++) {
			AUTO_STRBUF struct strbuf text = {0};

			mlog_reader_seek(r, MLOG_FILE_START + (k + 1) * MLOG_FILE_SECOND);
			mlog_file_text(mlog_reader_next(r, NULL), &text);
			assert_string_equal(text.p, o.blocks[k].p);
		}
		mlog_reader_seek(r, INT64_MIN);
		assert_only_touched_are_missing(&o, r, 0, 0);
		mlog_reader_state(r, &now);
		assert_true(now.ended && !now.cut && !now.damaged && now.blocks == BLOCKS);
		assert_true(now.begin_ns == MLOG_FILE_START &&
			    now.end_ns == MLOG_FILE_START + BLOCKS * MLOG_FILE_SECOND);
		mlog_reader_free(r);
		mlog_file_fini(&f);
	}
	original_fini(&o);
}
