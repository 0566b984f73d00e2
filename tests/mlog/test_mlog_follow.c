/* A log that changes while it is read: it grows, by blocks and by bytes, is cut, or makes room for
 * another. */
#include "tests/support/mlog_file.h"
#include "tests/support/test.h"

#define BLOCKS 6

static struct mlog_reader *open_log(struct mlog_file *f)
{
	struct mlog_input input = mlog_file_input(f);

	return mlog_reader_new(&input, "run.mlog", NULL);
}

TEST(a_log_that_grows_byte_by_byte_gives_each_block_when_it_is_whole)
{
	struct mlog_file whole = mlog_file_make(BLOCKS, true), f;
	struct mlog_state now;
	struct mlog_reader *r;
	unsigned blocks = 0;

	f = mlog_file_copy(&whole, whole.n);
	f.n = mlog_file_at(&whole, 1);
	r = open_log(&f);
	assert_null(mlog_reader_next(r, NULL));
	while (f.n < whole.n) {
		bool is_whole = ++f.n == mlog_file_at(&whole, blocks + 2);
		const struct mlog_block *block;

		assert_int_equal(mlog_reader_refresh(r), is_whole);
		block = mlog_reader_next(r, NULL);
		assert_int_equal(block != NULL, is_whole && f.n < whole.n);
		if (block)
			assert_int_equal(block->begin_ns, MLOG_FILE_START + blocks++ * MLOG_FILE_SECOND);
		mlog_reader_state(r, &now);
		assert_true(now.blocks == blocks && now.bytes + now.cut == f.n &&
			    now.cut == (is_whole ? 0 : now.cut) && !now.damaged);
		assert_int_equal(now.ended, f.n == whole.n);
	}
	assert_int_equal(blocks, BLOCKS);
	mlog_reader_free(r);
	mlog_file_fini(&f);
	mlog_file_fini(&whole);
}

TEST(nothing_new_costs_no_read)
{
	struct mlog_file f = mlog_file_make(BLOCKS, false);
	struct mlog_reader *r = open_log(&f);

	f.reads = 0;
	assert_false(mlog_reader_refresh(r));
	assert_int_equal(f.reads, 0);
	mlog_reader_free(r);
	mlog_file_fini(&f);
}

/* Some file systems show the length before the bytes. */
TEST(bytes_that_come_after_their_length_are_seen)
{
	struct mlog_file whole = mlog_file_make(BLOCKS, false), f = mlog_file_copy(&whole, whole.n);
	size_t from = mlog_file_at(&whole, 3);
	AUTO_STRBUF struct strbuf text = {0};
	struct mlog_reader *r;

	memset(f.p + from, 0, f.n - from);
	r = open_log(&f);
	assert_int_equal(mlog_file_rest(r, &text), 2);
	assert_false(mlog_reader_refresh(r));
	for (size_t n = 1; n < mlog_file_at(&whole, 4) - from; n++) {
		memcpy(f.p + from, whole.p + from, n);
		assert_false(mlog_reader_refresh(r));
		assert_null(mlog_reader_next(r, NULL));
	}
	memcpy(f.p, whole.p, f.n);
	assert_true(mlog_reader_refresh(r));
	assert_int_equal(mlog_file_rest(r, &text), BLOCKS - 2);
	mlog_reader_free(r);
	mlog_file_fini(&f);
	mlog_file_fini(&whole);
}

TEST(garbage_at_the_end_is_not_looked_through_again)
{
	struct mlog_file f = mlog_file_make(BLOCKS, false);
	AUTOFREE char *garbage = xcalloc(1, 10 << 20);
	struct mlog_reader *r;
	struct mlog_state now;

	mlog_file_write(&f, garbage, 10 << 20, NULL);
	r = open_log(&f);
	for (unsigned i = 0; i < 10; i++) {
		mlog_file_write(&f, garbage, 100, NULL);
		f.reads = 0;
		assert_false(mlog_reader_refresh(r));
		assert_true(f.reads < 5);
	}
	mlog_file_add(&f, (struct mlog_head){.type = MLOG_DATA, .end_ns = MLOG_FILE_START * 2}, "", 0);
	assert_true(mlog_reader_refresh(r));
	mlog_reader_state(r, &now);
	assert_int_equal(now.blocks, BLOCKS + 1);
	assert_int_equal(now.damaged, (10 << 20) + 1000);
	mlog_reader_free(r);
	mlog_file_fini(&f);
}

TEST(a_log_that_becomes_shorter_has_what_is_left)
{
	struct mlog_file f = mlog_file_make(BLOCKS, true);
	size_t whole = f.n;
	AUTO_STRBUF struct strbuf text = {0};
	struct mlog_reader *r = open_log(&f);
	struct mlog_state now;

	assert_int_equal(mlog_file_rest(r, &text), BLOCKS);
	mlog_reader_processes(r);
	f.n = mlog_file_at(&f, 4) + 10;
	mlog_reader_seek(r, INT64_MIN);
	assert_true(mlog_file_rest(r, &text) >= 3); /* before anybody told */
	assert_false(mlog_reader_refresh(r));
	mlog_reader_state(r, &now);
	assert_true(now.blocks == 3 && now.cut == 10 && !now.damaged && !now.ended);
	assert_null(mlog_reader_next(r, NULL));
	assert_non_null(mlog_reader_processes(r));
	mlog_reader_seek(r, INT64_MIN);
	assert_int_equal(mlog_file_rest(r, &text), 3);
	f.n = whole;
	assert_true(mlog_reader_refresh(r));
	assert_int_equal(mlog_file_rest(r, &text), BLOCKS - 3);
	mlog_reader_free(r);
	mlog_file_fini(&f);
}

TEST(another_log_in_its_place_is_not_taken_for_it)
{
	static const unsigned blocks[] = {2, BLOCKS + 20};

	for (unsigned i = 0; i < 2; i++) {
		struct mlog_file f = mlog_file_make(BLOCKS, true), other;
		struct mlog_about *about = mlog_file_about();
		AUTO_STRBUF struct strbuf text = {0};
		struct mlog_reader *r = open_log(&f);
		struct mlog_state now;

		about->monotonic_ns--;
		other = mlog_file_make(blocks[i], true);
		about->monotonic_ns++;
		mlog_file_fini(&f);
		f = other;
		assert_false(mlog_reader_refresh(r));
		assert_int_equal(mlog_file_rest(r, &text), 0);
		mlog_reader_seek(r, INT64_MIN);
		assert_int_equal(mlog_file_rest(r, &text), 0);
		assert_null(mlog_reader_processes(r));
		mlog_reader_state(r, &now);
		assert_int_equal(now.blocks, 0);
		mlog_reader_complain(r, &text);
		assert_non_null(strstr(text.p, "open it again"));
		assert_false(mlog_reader_refresh(r));
		mlog_reader_free(r);
		mlog_file_fini(&f);
	}
}

TEST(a_file_that_was_emptied_is_no_disaster)
{
	struct mlog_file f = mlog_file_make(BLOCKS, true);
	AUTO_STRBUF struct strbuf text = {0};
	struct mlog_reader *r = open_log(&f);

	f.n = 0;
	assert_false(mlog_reader_refresh(r));
	assert_null(mlog_reader_next(r, NULL));
	mlog_reader_seek(r, MLOG_FILE_START + 1);
	assert_int_equal(mlog_file_rest(r, &text), 0);
	mlog_reader_free(r);
	mlog_file_fini(&f);
}
