/* A stream of any bytes: it is read in two connections and in pieces whose size the first byte
 * sets; what comes out is a log that can be read to its end, whatever came in. An odd first byte
 * makes the checksums of heads right where they follow one another. */
#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/wire.h"
#include "mlog/mlog_reader.h"
#include "mlog/mlog_stream.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool write_block(void *ctx, const void *bytes, size_t n, struct err *err)
{
	(void)err;
	strbuf_add(ctx, bytes, n);
	return true;
}

static ssize_t read_at(void *ctx, void *buf, size_t n, uint64_t at)
{
	const struct strbuf *b = ctx;

	n = at >= b->n ? 0 : n < b->n - at ? n : (size_t)(b->n - at);
	if (n)
		memcpy(buf, b->p + at, n);
	return (ssize_t)n;
}

static int64_t size_of(void *ctx)
{
	return (int64_t)((const struct strbuf *)ctx)->n;
}

static void make_heads_right(uint8_t *p, size_t n)
{
	for (size_t at = 0; n - at >= MLOG_HEAD && memcmp(p + at, "MLog", 4) == 0;) {
		size_t left = n - at - MLOG_HEAD;
		uint32_t len = wire_get_u32(p + at + 32) < left ? wire_get_u32(p + at + 32) : (uint32_t)left;
		struct mlog_head head = {.type = p[at + 5],
					 .coding = p[at + 6],
					 .flags = p[at + 7],
					 .at = wire_get_u64(p + at + 8),
					 .begin_ns = (int64_t)wire_get_u64(p + at + 16),
					 .end_ns = (int64_t)wire_get_u64(p + at + 24),
					 .size = len,
					 .raw_size =
						 p[at + 6] == MLOG_STORED ? len : wire_get_u32(p + at + 36),
					 .payload_crc = crc32c(0, p + at + MLOG_HEAD, len)};

		mlog_head_put(&head, p + at);
		at += MLOG_HEAD + len;
	}
}

static void read_out(struct strbuf *out)
{
	const struct mlog_input input = {out, read_at, size_of};
	struct mlog_reader *r = out->n ? mlog_reader_new(&input, "fuzz", &(struct err){0}) : NULL;
	struct mlog_state state;

	if (!r)
		return;
	mlog_reader_state(r, &state); /* heads that lie with a right checksum are its to report */
	while (mlog_reader_next(r, NULL))
		mlog_reader_processes(r);
	mlog_reader_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	AUTO_STRBUF struct strbuf out = {0};
	struct mlog_note note = {.kind = MLOG_NOTE_MESSAGE, .source = -1, .text = "cut"};
	struct mlog_stream *s = mlog_stream_new("fuzz", "", write_block, &out);
	size_t n = size ? size - 1 : 0, piece = size && data[0] >= 8 ? data[0] * 5u : 1u << 20;
	uint8_t *copy = xmalloc(n + 1);
	struct err err = {0};
	bool ok = true;

	if (n)
		memcpy(copy, data + 1, n);
	if (size && data[0] & 1)
		make_heads_right(copy, n);
	for (int turn = 0; turn < 2; turn++) {
		for (size_t at = 0; ok && at < n; at += piece)
			ok = mlog_stream_add(s, copy + at, n - at < piece ? n - at : piece, &err);
		mlog_stream_again(s, turn ? -1 : 1000000000);
		ok = ok && mlog_stream_note(s, note, 5, &err);
	}
	mlog_stream_end(s, &err);
	mlog_stream_free(s);
	read_out(&out);
	free(copy);
	return 0;
}
