/* A log as it is written: the bytes, read back with nothing but heads, packing and blocks; and
 * writing that fails. */
#include "tests/support/mlog_bench.h"

#include "base/crc32c.h"
#include "mlog/mlog_index.h"
#include "mlog/mlog_writer.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdlib.h>

#define BLOCKS_MAX 64

/* What was written, which n-th call fails, and what stands in it. */
struct writer_disk {
	struct strbuf bytes;
	unsigned calls, fail_at;
	struct mlog_head heads[BLOCKS_MAX];
	unsigned n;
};

static bool write_block(void *ctx, const void *bytes, size_t n, struct err *err)
{
	struct writer_disk *disk = ctx;

	if (++disk->calls == disk->fail_at)
		return err_set(err, ENOSPC, "disk: full");
	strbuf_add(&disk->bytes, bytes, n);
	return true;
}

static void unpack_block(const struct writer_disk *disk, unsigned i, struct strbuf *payload)
{
	const struct mlog_head *head = &disk->heads[i];

	assert_true(
		mlog_unpack(head, (struct span){disk->bytes.p + head->at + MLOG_HEAD, head->size}, payload));
}

/* All heads, each where it must be and with the right sum of its payload. */
static void walk_blocks(struct writer_disk *disk)
{
	size_t at = 0;

	for (disk->n = 0; at < disk->bytes.n; disk->n++) {
		struct mlog_head *head = &disk->heads[disk->n];
		const char *p = disk->bytes.p + at;

		assert_in_range(disk->n, 0, BLOCKS_MAX - 1);
		assert_in_range(at + MLOG_HEAD, 0, disk->bytes.n);
		assert_true(mlog_head_get(head, (const uint8_t *)p, at));
		assert_in_range(at + MLOG_HEAD + head->size, 0, disk->bytes.n);
		assert_int_equal(head->payload_crc, crc32c(0, p + MLOG_HEAD, head->size));
		assert_true(head->begin_ns <= head->end_ns);
		assert_true(!disk->n || head->end_ns >= head[-1].end_ns);
		at += MLOG_HEAD + head->size;
	}
}

static void decode_block(const struct writer_disk *disk, unsigned i, struct mlog_block *block)
{
	AUTO_STRBUF struct strbuf payload = {0};

	assert_int_equal(disk->heads[i].type, MLOG_DATA);
	unpack_block(disk, i, &payload);
	assert_true(
		mlog_block_decode(block, &bench_about, &disk->heads[i], (struct span){payload.p, payload.n}));
}

static struct mlog_writer *writer_new(struct writer_disk *disk)
{
	struct err err = {0};
	struct mlog_writer *w = mlog_writer_new(&bench_about, write_block, disk, &err);

	assert_non_null(w);
	return w;
}

static struct bench_sample sample_at(unsigned i)
{
	return (struct bench_sample){
		0, 0, 0, BENCH_SLOTS, i + 1, (10 + i) * MS, (11 + i) * MS, {i, 2 * i, 800, SAMPLE_UNKNOWN}};
}

static void put_samples(struct mlog_writer *w, unsigned from, unsigned to)
{
	for (; from < to; from++) {
		struct bench_sample sample = sample_at(from);

		assert_true(mlog_writer_sample(w, bench_sample(&sample), NULL));
	}
}

TEST(the_bytes_are_what_was_given)
{
	struct process people[] = {{.pid = 1, .state = 'S', .name = "init"}};
	struct process_list list = {.processes = people, .n = 1, .begin_ns = 10 * MS, .end_ns = 300 * MS};
	struct mlog_note mark = {
		.kind = MLOG_NOTE_MARK, .time_ns = 250 * MS, .source = -1, .value = 1, .text = "here"};
	struct mlog_index index;
	struct mlog_block block = {0};
	struct mlog_about about;
	struct writer_disk disk = {0};
	struct mlog_writer *w = writer_new(&disk);
	AUTO_STRBUF struct strbuf payload = {0};

	put_samples(w, 0, 100);
	assert_true(mlog_writer_flush(w, NULL));
	assert_true(mlog_writer_flush(w, NULL)); /* nothing to write */
	put_samples(w, 102, 200);
	assert_true(mlog_writer_note(w, &mark, NULL));
	assert_true(mlog_writer_processes(w, &list, NULL));
	assert_true(mlog_writer_end(w, NULL));
	assert_int_equal(mlog_writer_bytes(w), disk.bytes.n);
	mlog_writer_free(w);
	walk_blocks(&disk);

	assert_int_equal(disk.n, 4);
	assert_int_equal(disk.calls, 4); /* each block in one piece */
	assert_int_equal(disk.heads[0].type, MLOG_START);
	assert_int_equal(disk.heads[0].begin_ns, bench_about.monotonic_ns);
	assert_int_equal(disk.heads[0].end_ns, bench_about.monotonic_ns);
	unpack_block(&disk, 0, &payload);
	assert_true(mlog_about_parse(&about, "disk", (struct span){payload.p, payload.n}, NULL));
	assert_int_equal(about.n_sources, bench_about.n_sources);
	mlog_about_fini(&about);

	decode_block(&disk, 1, &block);
	assert_int_equal(block.flags, 0);
	assert_int_equal(block.n_samples, 100);
	for (unsigned i = 0; i < 100; i++) {
		struct bench_sample sample = sample_at(i);

		assert_memory_equal(block.samples[i], &sample, sizeof(sample));
	}
	decode_block(&disk, 2, &block);
	assert_int_equal(block.flags, MLOG_LOSS | MLOG_MARK | MLOG_ALL_PROCESSES);
	assert_int_equal(block.n_samples, 98);
	assert_string_equal(block.notes[0].text, "here");
	assert_true(block.has_processes);
	mlog_block_fini(&block);

	assert_int_equal(disk.heads[3].type, MLOG_INDEX);
	assert_int_equal(disk.heads[3].coding, MLOG_STORED);
	unpack_block(&disk, 3, &payload);
	assert_true(mlog_index_parse(&index, disk.heads[3].at, (struct span){payload.p, payload.n}));
	assert_int_equal(index.n_blocks, 2);
	assert_int_equal(index.n_samples, 198);
	assert_int_equal(index.n_lost, 2);
	assert_int_equal(index.begin_ns, 10 * MS);
	assert_int_equal(index.end_ns, 300 * MS);
	assert_int_equal(index.n, 2);
	assert_int_equal(index.places[1].at, disk.heads[2].at);
	assert_int_equal(index.places[1].flags, disk.heads[2].flags);
	mlog_index_fini(&index);
	strbuf_fini(&disk.bytes);
}

TEST(a_log_without_anything_is_whole)
{
	struct writer_disk disk = {0};
	struct mlog_writer *w = writer_new(&disk);
	AUTO_STRBUF struct strbuf payload = {0};
	struct mlog_index index;

	assert_true(mlog_writer_end(w, NULL));
	mlog_writer_free(w);
	walk_blocks(&disk);
	assert_int_equal(disk.n, 2);
	unpack_block(&disk, 1, &payload);
	assert_true(mlog_index_parse(&index, disk.heads[1].at, (struct span){payload.p, payload.n}));
	assert_int_equal(index.n_blocks, 0);
	mlog_index_fini(&index);
	strbuf_fini(&disk.bytes);
}

TEST(much_is_written_without_being_asked)
{
	struct mlog_block block = {0};
	struct writer_disk disk = {0};
	struct mlog_writer *w = writer_new(&disk);
	unsigned n = 0;

	put_samples(w, 0, 30000); /* about 2 MiB */
	assert_true(mlog_writer_flush(w, NULL));
	mlog_writer_free(w);
	walk_blocks(&disk);
	assert_in_range(disk.n, 4, 20);
	for (unsigned i = 1; i < disk.n; i++) {
		decode_block(&disk, i, &block);
		assert_in_range(block.n_samples * sizeof(struct bench_sample), 1, 1 << 20);
		for (unsigned k = 0; k < block.n_samples; k++)
			assert_int_equal(block.samples[k]->seq, ++n);
		assert_int_equal(block.flags, 0);
	}
	assert_int_equal(n, 30000);
	mlog_block_fini(&block);
	strbuf_fini(&disk.bytes);
}

TEST(many_notes_are_much_too)
{
	struct mlog_note note = {.kind = MLOG_NOTE_MESSAGE, .source = -1, .text = "again"};
	struct writer_disk disk = {0};
	struct mlog_writer *w = writer_new(&disk);

	for (unsigned i = 0; i < 10000; i++)
		assert_true(mlog_writer_note(w, &note, NULL));
	mlog_writer_free(w);
	assert_in_range(disk.calls, 4, 20);
	strbuf_fini(&disk.bytes);
}

/* Samples may be older than the log: those that were on the screen before. */
TEST(what_was_before_the_log_still_ends_in_order)
{
	struct bench_sample old = {.n_values = BENCH_SLOTS, .seq = 1, .begin_ns = 1 * MS, .end_ns = 2 * MS};
	struct mlog_block block = {0};
	struct writer_disk disk = {0};
	struct mlog_writer *w = writer_new(&disk);

	assert_true(mlog_writer_sample(w, bench_sample(&old), NULL));
	assert_true(mlog_writer_end(w, NULL));
	mlog_writer_free(w);
	walk_blocks(&disk);
	assert_int_equal(disk.heads[1].begin_ns, 1 * MS);
	assert_int_equal(disk.heads[1].end_ns, bench_about.monotonic_ns);
	decode_block(&disk, 1, &block);
	assert_memory_equal(block.samples[0], &old, sizeof(old));
	mlog_block_fini(&block);
	strbuf_fini(&disk.bytes);
}

TEST(another_file_stands_alone)
{
	struct process people[] = {{.pid = 1, .state = 'S', .name = "init"},
				   {.pid = 2, .state = 'S', .name = "two"}};
	struct process_list list = {.processes = people, .n = 2, .begin_ns = 10 * MS, .end_ns = 300 * MS},
			    *got = NULL;
	struct writer_disk first = {0}, second;
	struct mlog_writer *w = writer_new(&first);
	AUTO_STRBUF struct strbuf payload = {0};
	struct mlog_block block = {0};
	struct mlog_index index;

	put_samples(w, 0, 10);
	assert_true(mlog_writer_processes(w, &list, NULL));
	assert_true(mlog_writer_end(w, NULL));
	second = first;
	first = (struct writer_disk){0}; /* which the writer writes to */
	assert_true(mlog_writer_restart(w, NULL));
	put_samples(w, 12, 20);
	list.end_ns += MS;
	assert_true(mlog_writer_processes(w, &list, NULL));
	assert_true(mlog_writer_end(w, NULL));
	assert_int_equal(mlog_writer_bytes(w), first.bytes.n);
	mlog_writer_free(w);
	walk_blocks(&first);
	assert_int_equal(first.n, 3);
	decode_block(&first, 1, &block);
	assert_int_equal(block.n_samples, 8);
	assert_int_equal(block.flags, MLOG_LOSS | MLOG_ALL_PROCESSES); /* two samples are in neither */
	mlog_block_processes(&block, &got);
	assert_int_equal(got->n, 2);
	unpack_block(&first, 2, &payload);
	assert_true(mlog_index_parse(&index, first.heads[2].at, (struct span){payload.p, payload.n}));
	assert_int_equal(index.n_blocks, 1);
	assert_int_equal(index.n_samples, 8);
	assert_int_equal(index.n_lost, 2);
	mlog_index_fini(&index);
	process_list_free(got);
	mlog_block_fini(&block);
	strbuf_fini(&first.bytes);
	strbuf_fini(&second.bytes);
}

/* ---- what can fail ---- */

static bool write_all(struct mlog_writer *w, struct err *err)
{
	struct bench_sample sample = sample_at(0);

	return mlog_writer_sample(w, bench_sample(&sample), err) && mlog_writer_flush(w, err) &&
	       mlog_writer_sample(w, bench_sample(&sample), err) && mlog_writer_end(w, err) &&
	       mlog_writer_restart(w, err);
}

TEST(every_write_that_fails_is_reported)
{
	for (unsigned n = 1; n <= 6; n++) {
		struct writer_disk disk = {.fail_at = n};
		struct err err = {0};
		struct mlog_writer *w = mlog_writer_new(&bench_about, write_block, &disk, &err);

		assert_int_equal(w != NULL, n != 1);
		assert_int_equal(w && write_all(w, &err), n == 6);
		if (n < 6) {
			assert_int_equal(err.code, ENOSPC);
			assert_string_equal(err.text, "disk: full");
			assert_int_equal(w ? mlog_writer_bytes(w) : 0, n == 5 ? 0 : disk.bytes.n);
		}
		mlog_writer_free(w);
		strbuf_fini(&disk.bytes);
	}
}

TEST(a_block_that_a_sample_fills_fails_with_that_sample)
{
	struct writer_disk disk = {.fail_at = 2};
	struct mlog_writer *w = writer_new(&disk);
	bool ok = true;

	for (unsigned i = 0; i < 30000 && ok; i++) {
		struct bench_sample sample = sample_at(i);

		ok = mlog_writer_sample(w, bench_sample(&sample), NULL);
	}
	assert_false(ok);
	mlog_writer_free(w);
	strbuf_fini(&disk.bytes);
}

TEST(what_no_block_can_hold_is_an_error)
{
	static char name[500];
	AUTOFREE struct slot *slots = xcalloc(MLOG_SLOTS_MAX, sizeof(*slots));
	struct mlog_source source = bench_sources[0];
	struct mlog_about about = bench_about;
	struct writer_disk disk = {0};
	struct err err = {0};

	memset(name, 'x', sizeof(name) - 1);
	for (unsigned i = 0; i < MLOG_SLOTS_MAX; i++)
		slots[i] = (struct slot){.name = name, .scale = 1};
	source.slots = slots;
	source.n_slots = MLOG_SLOTS_MAX;
	about.sources = &source;
	about.n_sources = 1;
	assert_null(mlog_writer_new(&about, write_block, &disk, &err));
	assert_non_null(strstr(err.text, "bytes: at most 16777216 are allowed"));
	assert_int_equal(disk.calls, 0);
}
