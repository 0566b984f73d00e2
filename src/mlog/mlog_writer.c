#include "mlog/mlog_writer.h"

#include "base/alloc.h"
#include "base/crc32c.h"
#include "mlog/mlog_block.h"
#include "mlog/mlog_index.h"

#include <stdlib.h>
#include <string.h>

/* Write a block when this much is collected. Twice as much saves less than 1 % of space; a quarter
 * of it costs 15 % of time and 2 to 5 % of space. */
#define BLOCK_BYTES ((size_t)512 << 10)

struct mlog_writer {
	const struct mlog_about *about;
	mlog_write_fn *write;
	void *ctx;
	struct mlog_builder *builder;
	struct mlog_packer packer;
	struct mlog_index index;
	struct strbuf payload, block;
	uint64_t at;
	int64_t end_ns; /* of the previous block */
};

/* Complete *head, then write it and the payload. */
static bool put_block(struct mlog_writer *w, struct mlog_head *head, struct err *err)
{
	struct span raw = {w->payload.p, w->payload.n}, payload = raw;

	if (raw.n > MLOG_PAYLOAD_MAX)
		return err_set(err, 0,
			       "log: block of %zu bytes: at most %u are allowed: record without --per-core",
			       raw.n, MLOG_PAYLOAD_MAX);
	if (head->end_ns < w->end_ns)
		head->end_ns = w->end_ns;
	head->at = w->at;
	head->coding = head->type == MLOG_INDEX ? MLOG_STORED : (uint8_t)mlog_pack(&w->packer, raw, &payload);
	head->size = (uint32_t)payload.n;
	head->raw_size = (uint32_t)raw.n;
	head->payload_crc = crc32c(0, payload.p, payload.n);
	mlog_block_put(head, payload, &w->block);
	if (!w->write(w->ctx, w->block.p, w->block.n, err))
		return false;
	w->at += w->block.n;
	w->end_ns = head->end_ns;
	return true;
}

bool mlog_writer_restart(struct mlog_writer *w, struct err *err)
{
	struct mlog_about about = *w->about;
	int64_t now_ns = about.monotonic_ns;
	/* A clock beyond the bound of the format, which a board's never is but one of a library for
	 * tests may be, is moved into it. There is room on both sides. */
	int64_t shift_ns = now_ns > SAMPLE_NS_MAX / 2 ? now_ns - SAMPLE_NS_MAX / 2 : 0;

	now_ns = now_ns < 0 ? 0 : now_ns - shift_ns;
	about.monotonic_ns = now_ns;
	w->at = 0;
	w->end_ns = now_ns;
	mlog_index_fini(&w->index);
	mlog_builder_restart(w->builder, shift_ns);
	mlog_about_format(&about, &w->payload);
	return put_block(w, &(struct mlog_head){.type = MLOG_START, .begin_ns = now_ns, .end_ns = now_ns},
			 err);
}

struct mlog_writer *mlog_writer_new(const struct mlog_about *about, mlog_write_fn *write, void *ctx,
				    struct err *err)
{
	struct mlog_writer *w = xcalloc(1, sizeof(*w));
	unsigned n_slots[MLOG_SOURCES_MAX];

	for (unsigned i = 0; i < about->n_sources; i++)
		n_slots[i] = about->sources[i].n_slots;
	w->about = about;
	w->write = write;
	w->ctx = ctx;
	w->builder = mlog_builder_new(n_slots, about->n_sources);
	if (mlog_writer_restart(w, err))
		return w;
	mlog_writer_free(w);
	return NULL;
}

void mlog_writer_free(struct mlog_writer *w)
{
	if (!w)
		return;
	mlog_builder_free(w->builder);
	mlog_packer_fini(&w->packer);
	mlog_index_fini(&w->index);
	strbuf_fini(&w->payload);
	strbuf_fini(&w->block);
	free(w);
}

bool mlog_writer_flush(struct mlog_writer *w, struct err *err)
{
	struct mlog_head head = {.type = MLOG_DATA};

	if (!mlog_builder_take(w->builder, &head, &w->payload))
		return true;
	if (!put_block(w, &head, err))
		return false;
	mlog_index_add(&w->index, &head);
	return true;
}

void mlog_writer_trim(struct mlog_writer *w, size_t n)
{
	mlog_builder_trim(w->builder, n, false);
}

size_t mlog_writer_rows(const struct mlog_writer *w)
{
	return mlog_builder_rows(w->builder);
}

bool mlog_writer_is_full(const struct mlog_writer *w)
{
	return mlog_builder_size(w->builder) >= BLOCK_BYTES - BLOCK_BYTES / 8;
}

static bool flush_if_full(struct mlog_writer *w, struct err *err)
{
	return mlog_builder_size(w->builder) < BLOCK_BYTES || mlog_writer_flush(w, err);
}

bool mlog_writer_sample(struct mlog_writer *w, const struct sample *sample, struct err *err)
{
	mlog_builder_sample(w->builder, sample);
	return flush_if_full(w, err);
}

bool mlog_writer_note(struct mlog_writer *w, const struct mlog_note *note, struct err *err)
{
	mlog_builder_note(w->builder, note);
	return flush_if_full(w, err);
}

bool mlog_writer_processes(struct mlog_writer *w, const struct process_list *list, struct err *err)
{
	mlog_builder_processes(w->builder, list);
	return flush_if_full(w, err);
}

bool mlog_writer_end(struct mlog_writer *w, struct err *err)
{
	struct mlog_head head = {.type = MLOG_INDEX};

	if (!mlog_writer_flush(w, err))
		return false;
	mlog_builder_count(w->builder, &w->index.n_samples, &w->index.n_lost);
	head.begin_ns = w->index.n_blocks ? w->index.begin_ns : w->end_ns;
	head.end_ns = w->end_ns;
	mlog_index_format(&w->index, w->at, &w->payload);
	return put_block(w, &head, err);
}

uint64_t mlog_writer_bytes(const struct mlog_writer *w)
{
	return w->at;
}
