/* A log that arrives as a stream: in pieces, damaged, cut, joined, or something else. */
#include "tests/support/mlog_file.h"

#include "mlog/mlog_stream.h"
#include "tests/support/test.h"

#define BLOCKS 12

struct stream_bench {
	struct mlog_file out;
	struct mlog_stream *stream;
	struct mlog_stream_state state;
	struct err err;
	bool ok;
};

static void begin_stream(struct stream_bench *b)
{
	*b = (struct stream_bench){.ok = true};
	b->stream = mlog_stream_new("the stream", MLOG_NO_TERMINAL, mlog_file_write, &b->out);
}

static void send_bytes(struct stream_bench *b, const void *bytes, size_t n, size_t piece)
{
	for (size_t at = 0; b->ok && at < n; at += piece)
		b->ok = mlog_stream_add(b->stream, (const char *)bytes + at, n - at < piece ? n - at : piece,
					&b->err);
}

/* Returns the blocks that a reader finds, and its text. */
static unsigned end_stream(struct stream_bench *b, struct strbuf *text, struct mlog_state *log)
{
	struct mlog_input input = mlog_file_input(&b->out);
	struct mlog_reader *r;
	unsigned n = 0;

	b->ok = b->ok && mlog_stream_end(b->stream, &b->err);
	mlog_stream_state(b->stream, &b->state);
	mlog_stream_free(b->stream);
	strbuf_clear(text);
	*log = (struct mlog_state){0};
	r = b->out.n ? mlog_reader_new(&input, "out", &b->err) : NULL;
	if (r) {
		n = mlog_file_rest(r, text);
		mlog_reader_state(r, log);
	}
	mlog_reader_free(r);
	mlog_file_fini(&b->out);
	return n;
}

TEST(a_stream_gives_the_log_that_was_sent)
{
	static const size_t pieces[] = {1, 7, 47, 48, 49, 1000, SIZE_MAX};
	AUTO_STRBUF struct strbuf want = {0}, text = {0};
	struct mlog_file whole = mlog_file_make(BLOCKS, true);
	struct mlog_input input = mlog_file_input(&whole);
	struct mlog_reader *r = mlog_reader_new(&input, "whole", NULL);
	struct stream_bench b;
	struct mlog_state log;

	mlog_file_rest(r, &want);
	mlog_reader_free(r);
	for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
		begin_stream(&b);
		send_bytes(&b, whole.p, whole.n, pieces[i]);
		assert_int_equal(end_stream(&b, &text, &log), BLOCKS);
		assert_string_equal(text.p, want.p);
		assert_true(b.ok && log.ended && !log.damaged && b.state.complete && !b.state.skipped);
	}
	mlog_file_fini(&whole);
}

TEST(the_greeting_of_a_login_is_skipped)
{
	static const char greeting[] = "Welcome to board MLog!\r\nYou have mail.\r\n";
	struct mlog_file whole = mlog_file_make(BLOCKS, true);
	AUTO_STRBUF struct strbuf text = {0};
	struct stream_bench b;
	struct mlog_state log;

	begin_stream(&b);
	send_bytes(&b, greeting, sizeof(greeting) - 1, 5);
	send_bytes(&b, whole.p, whole.n, 100);
	assert_int_equal(end_stream(&b, &text, &log), BLOCKS);
	assert_true(b.ok && log.ended && !b.state.skipped);
	mlog_file_fini(&whole);
}

/* Every byte after the start block, one at a time: at most the block that has it is lost. */
TEST(a_flipped_byte_costs_one_block)
{
	struct mlog_file whole = mlog_file_make(BLOCKS, true);
	AUTO_STRBUF struct strbuf text = {0};
	size_t data = mlog_file_at(&whole, 1);
	struct stream_bench b;
	struct mlog_state log;

	for (size_t at = data; at < whole.n; at++) {
		unsigned n;

		whole.p[at] ^= 0x20;
		begin_stream(&b);
		send_bytes(&b, whole.p, whole.n, 333);
		n = end_stream(&b, &text, &log);
		assert_true(b.ok && n >= BLOCKS - 1 && n <= BLOCKS && !log.damaged && b.state.skipped);
		whole.p[at] ^= 0x20;
	}
	mlog_file_fini(&whole);
}

/* A byte that goes missing or is added moves all places, which counts for nothing in a stream. */
TEST(a_missing_byte_costs_one_block)
{
	struct mlog_file whole = mlog_file_make(BLOCKS, true);
	AUTO_STRBUF struct strbuf text = {0};
	size_t at = mlog_file_at(&whole, 4) + MLOG_HEAD + 9;
	struct stream_bench b;
	struct mlog_state log;

	begin_stream(&b);
	send_bytes(&b, whole.p, at, 100);
	send_bytes(&b, whole.p + at + 1, whole.n - at - 1, 100);
	assert_int_equal(end_stream(&b, &text, &log), BLOCKS - 1);
	assert_true(b.ok && b.state.skipped && !log.damaged);
	mlog_file_fini(&whole);
}

TEST(a_connection_made_again_goes_on_in_the_same_log)
{
	struct mlog_file whole = mlog_file_make(BLOCKS, true);
	struct mlog_note note = {.kind = MLOG_NOTE_MESSAGE, .source = -1, .text = "cut"};
	AUTO_STRBUF struct strbuf text = {0};
	size_t cut = mlog_file_at(&whole, 5) + 20; /* inside the fifth data block */
	int64_t end_ns = MLOG_FILE_START + 4 * MLOG_FILE_SECOND;
	struct stream_bench b;
	struct mlog_state log;

	begin_stream(&b);
	send_bytes(&b, whole.p, cut, 100);
	mlog_stream_again(b.stream, 3 * MLOG_FILE_SECOND);
	assert_true(mlog_stream_note(b.stream, note, 0, &b.err));
	send_bytes(&b, whole.p, whole.n, 100); /* from its start: its clock goes back, as after a restart */
	assert_int_equal(end_stream(&b, &text, &log), 4 + 1 + BLOCKS);
	assert_true(b.ok && log.ended && !log.damaged && b.state.joined == 1);
	assert_int_equal(log.end_ns, end_ns + (3 + BLOCKS) * MLOG_FILE_SECOND);
	assert_non_null(strstr(text.p, "cut"));
	mlog_file_fini(&whole);
}

TEST(what_is_no_stream_is_refused_with_what_it_is)
{
	struct mlog_file whole = mlog_file_make(2, true), other;
	AUTO_STRBUF struct strbuf text = {0}, junk = {0};
	struct mlog_state log;
	struct stream_bench b;

	strbuf_str(&junk, "\033[31mpermission denied\n");
	begin_stream(&b);
	send_bytes(&b, junk.p, junk.n, 100);
	end_stream(&b, &text, &log);
	assert_false(b.ok);
	assert_non_null(strstr(b.err.text, "not a stream of malitop: it begins with '?[31mpermission"));

	while (junk.n < 2 * MLOG_STREAM_BEFORE)
		strbuf_str(&junk, "never ends ");
	begin_stream(&b);
	send_bytes(&b, junk.p, junk.n, 1000);
	assert_false(b.ok);
	assert_non_null(strstr(b.err.text, "not a stream"));
	end_stream(&b, &text, &log);

	begin_stream(&b);
	send_bytes(&b, whole.p, 100, 100);
	end_stream(&b, &text, &log);
	assert_non_null(strstr(b.err.text, "ended inside its start block"));

	/* as a terminal changes it: every newline of the start block is two bytes */
	other = mlog_file_copy(&whole, 40);
	mlog_file_write(&other, "\r\n", 2, NULL);
	mlog_file_write(&other, whole.p + 41, whole.n - 41, NULL);
	begin_stream(&b);
	send_bytes(&b, other.p, 200, 200);
	end_stream(&b, &text, &log);
	assert_non_null(strstr(b.err.text, "is there a terminal in between"));
	mlog_file_fini(&other);
	mlog_file_fini(&whole);
}

/* As tr and a terminal do it: each of `from` becomes `to`. */
static struct mlog_file replaced(const struct mlog_file *f, const char *from, const char *to)
{
	size_t n = strlen(from);
	struct mlog_file out = {0};

	for (size_t at = 0; at < f->n;) {
		bool is_it = at + n <= f->n && memcmp(f->p + at, from, n) == 0;

		mlog_file_write(&out, is_it ? to : f->p + at, is_it ? strlen(to) : 1, NULL);
		at += is_it ? n : 1;
	}
	return out;
}

TEST(what_the_way_did_to_line_ends_is_said_with_the_first_block)
{
	static const struct {
		const char *from, *to, *said;
	} cases[] = {{"\n", "\r\n", "LF became CR LF on the way"},
		     {"\n", "\r", "LF became CR on the way"},
		     {"\r", "\n", "CR became LF on the way"},
		     {"\r\n", "\n", "CR LF became LF on the way"},
		     {"\r", "", "CR LF became LF on the way"},
		     {"\n", "", "LF was lost on the way"},
		     {"M", "M", NULL},
		     {"\1", "", "the stream was altered on its way"}};
	struct mlog_file log = {0};
	struct mlog_about about = *mlog_file_about();
	AUTO_STRBUF struct strbuf text = {0};
	struct stream_bench b;
	struct mlog_state state_of_log;

	about.monotonic_ns = mlog_start_ns(MLOG_FILE_START);
	assert_true(about.monotonic_ns <= MLOG_FILE_START && about.monotonic_ns > MLOG_FILE_START - 70000);
	mlog_writer_free(mlog_writer_new(&about, mlog_file_write, &log, NULL));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct mlog_file other = replaced(&log, cases[i].from, cases[i].to);

		begin_stream(&b);
		send_bytes(&b, "Welcome\n", 8, 8);
		send_bytes(&b, other.p, other.n < 64 ? other.n : 64, 7);
		if (!cases[i].said)
			send_bytes(&b, other.p + 64, other.n - 64, 100);
		mlog_stream_state(b.stream, &b.state);
		assert_int_equal(b.ok, !cases[i].said);
		assert_int_equal(b.state.altered, !b.ok);
		if (cases[i].said && !strstr(b.err.text, cases[i].said))
			fail_msg("case %zu: %s", i, b.err.text);
		end_stream(&b, &text, &state_of_log);
		mlog_file_fini(&other);
	}
	mlog_file_fini(&log);
}

TEST(a_message_of_malitop_is_found_behind_a_greeting)
{
	static const char came[] = "Welcome\r\nmalitop: --log: not for a terminal\r\n$ ";
	AUTO_STRBUF struct strbuf text = {0};
	struct mlog_state log;
	struct stream_bench b;

	begin_stream(&b);
	send_bytes(&b, came, sizeof(came) - 1, 10);
	end_stream(&b, &text, &log);
	assert_non_null(strstr(b.err.text, "it says 'malitop: --log: not for a terminal'"));
}

TEST(a_log_of_other_sources_does_not_follow)
{
	struct mlog_file whole = mlog_file_make(2, true), other = {0};
	struct mlog_about about = *mlog_file_about();
	AUTO_STRBUF struct strbuf text = {0};
	struct stream_bench b;
	struct mlog_state log;

	about.n_sources = 1;
	mlog_writer_free(mlog_writer_new(&about, mlog_file_write, &other, NULL));
	begin_stream(&b);
	send_bytes(&b, whole.p, whole.n, 100);
	send_bytes(&b, other.p, other.n, 100);
	assert_false(b.ok);
	assert_non_null(strstr(b.err.text, "another log follows, of other sources"));
	assert_int_equal(end_stream(&b, &text, &log), 2);
	mlog_file_fini(&other);
	mlog_file_fini(&whole);
}
