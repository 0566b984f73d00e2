/* A log in memory for tests of its reader: made by the real writer, read through a struct
 * mlog_input, and compared as text. */
#ifndef MALITOP_MLOG_FILE_H
#define MALITOP_MLOG_FILE_H

#include "base/alloc.h"
#include "base/crc32c.h"
#include "mlog/mlog_reader.h"
#include "mlog/mlog_writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#define MLOG_FILE_SECOND 1000000000ll
#define MLOG_FILE_START (1000 * MLOG_FILE_SECOND)

struct mlog_file {
	char *p;
	size_t n, cap;
	unsigned reads;
	uint64_t fails_from, fails_to; /* reading these bytes is an I/O error */
};

static inline ssize_t mlog_file_read(void *ctx, void *buf, size_t n, uint64_t at)
{
	struct mlog_file *f = ctx;

	f->reads++;
	n = at >= f->n ? 0 : n < f->n - at ? n : (size_t)(f->n - at);
	if (at < f->fails_to && at + n > f->fails_from)
		return errno = EIO, -1;
	if (n)
		memcpy(buf, f->p + at, n);
	return (ssize_t)n;
}

static inline int64_t mlog_file_size(void *ctx)
{
	return (int64_t)((struct mlog_file *)ctx)->n;
}

static inline struct mlog_input mlog_file_input(struct mlog_file *f)
{
	return (struct mlog_input){f, mlog_file_read, mlog_file_size};
}

static inline bool mlog_file_write(void *ctx, const void *bytes, size_t n, struct err *err)
{
	struct mlog_file *f = ctx;

	(void)err;
	f->p = xreallocarray(f->p, f->n + n, 1);
	memcpy(f->p + f->n, bytes, n);
	f->n += n;
	return true;
}

static inline void mlog_file_fini(struct mlog_file *f)
{
	free(f->p);
	*f = (struct mlog_file){0};
}

/* The first n bytes, in a block of their size, so that a sanitizer sees a read beyond the end. */
static inline struct mlog_file mlog_file_copy(const struct mlog_file *f, size_t n)
{
	struct mlog_file copy = {0};

	if (n)
		mlog_file_write(&copy, f->p, n, NULL);
	return copy;
}

/* ---- what stands in it ---- */

static inline struct mlog_about *mlog_file_about(void)
{
	static char program[] = "malitop test", host[] = "board", none[] = "", gpu[] = "GPU", cpu[] = "CPU";
	static struct slot slots[] = {
		{.name = "A", .scale = 1}, {.name = "B", .scale = 1}, {.name = "C", .scale = 1}};
	static struct mlog_source sources[] = {
		{.kind = SOURCE_GPU, .slots = slots, .n_slots = 3, .title = gpu},
		{.kind = SOURCE_CPU, .slots = slots, .n_slots = 2, .title = cpu},
	};
	static struct mlog_about about = {.program = program,
					  .host = host,
					  .kernel = none,
					  .scope = none,
					  .monotonic_ns = MLOG_FILE_START,
					  .realtime_ns = 1700000000 * MLOG_FILE_SECOND,
					  .sources = sources,
					  .n_sources = 2};

	for (unsigned i = 0; i < 2; i++) {
		struct mlog_source *s = &sources[i];

		s->backend = s->device = s->driver = s->note = s->product = none;
		s->period_ns = s->asked_ns = i ? MLOG_FILE_SECOND : MLOG_FILE_SECOND / 4;
		s->n_sums = s->n_slots;
	}
	return &about;
}

static inline uint64_t mlog_file_value(uint64_t seq, unsigned slot)
{
	return (seq * 1000 + slot * 7) * (slot + 1);
}

static inline void mlog_file_sample(struct mlog_writer *w, unsigned source, uint64_t seq, int64_t end_ns,
				    uint32_t lost, uint32_t flags)
{
	const struct mlog_source *s = &mlog_file_about()->sources[source];
	struct sample *sample = xcalloc(1, sizeof(*sample) + s->n_slots * sizeof(sample->value[0]));

	*sample = (struct sample){.source = source,
				  .flags = flags,
				  .lost = lost,
				  .n_values = s->n_slots,
				  .seq = seq,
				  .begin_ns = end_ns - s->period_ns,
				  .end_ns = end_ns};
	for (unsigned i = 0; i < s->n_slots; i++)
		sample->value[i] = mlog_file_value(seq, i);
	mlog_writer_sample(w, sample, NULL);
	free(sample);
}

/* Block k: second k. In each: four samples of source 0, one of source 1, and processes 1 and 10,
 * and one that lives a second. Of every four the third has a mark; of every five the fourth lost
 * two samples of source 0; of every seven the last has a gap. */
static inline void mlog_file_block(struct mlog_writer *w, unsigned k, uint64_t *seq)
{
	struct process processes[3] = {{.pid = 1, .cpu_ns = k}, {.pid = 10}, {.pid = (int32_t)k + 11}};
	struct process_list list = {.processes = processes, .n = 3};
	int64_t begin = MLOG_FILE_START + k * MLOG_FILE_SECOND;
	struct mlog_note note = {.kind = MLOG_NOTE_MARK,
				 .source = -1,
				 .time_ns = begin + 6 * MLOG_FILE_SECOND / 10,
				 .value = k};

	for (unsigned i = 0; i < 4; i++) {
		uint32_t lost = k % 5 == 3 && i == 1 ? 2 : 0;

		*seq += 1 + lost;
		mlog_file_sample(w, 0, *seq, begin + (i + 1) * MLOG_FILE_SECOND / 4, lost, 0);
	}
	mlog_file_sample(w, 1, k, begin + MLOG_FILE_SECOND, 0, k % 7 == 6 ? SAMPLE_GAP : 0);
	snprintf(note.text, sizeof(note.text), "mark %u", k);
	if (k % 4 == 2)
		mlog_writer_note(w, &note, NULL);
	for (unsigned i = 0; i < 3; i++) {
		processes[i].cpu_percent = processes[i].gpu_percent = processes[i].ipc = 0;
		snprintf(processes[i].name, sizeof(processes[i].name), "program %d", processes[i].pid);
	}
	list.begin_ns = begin;
	list.end_ns = begin + MLOG_FILE_SECOND;
	mlog_writer_processes(w, &list, NULL);
	mlog_writer_flush(w, NULL);
}

static inline struct mlog_file mlog_file_make(unsigned n_blocks, bool ended)
{
	struct mlog_file f = {0};
	struct mlog_writer *w = mlog_writer_new(mlog_file_about(), mlog_file_write, &f, NULL);
	uint64_t seq = 0;

	for (unsigned k = 0; k < n_blocks; k++)
		mlog_file_block(w, k, &seq);
	if (ended)
		mlog_writer_end(w, NULL);
	mlog_writer_free(w);
	return f;
}

/* Add a block of one's own: its head is right for where it stands. */
static inline void mlog_file_add(struct mlog_file *f, struct mlog_head head, const void *payload, size_t n)
{
	uint8_t bytes[MLOG_HEAD];

	head.at = f->n;
	head.size = head.raw_size = (uint32_t)n;
	head.payload_crc = crc32c(0, payload, n);
	mlog_head_put(&head, bytes);
	mlog_file_write(f, bytes, sizeof(bytes), NULL);
	mlog_file_write(f, payload, n, NULL);
}

/* Where the i-th block of the file begins (0: the start block), or it ends. */
static inline size_t mlog_file_at(const struct mlog_file *f, unsigned i)
{
	struct mlog_head head;
	size_t at = 0;

	while (i-- && mlog_head_get(&head, (const uint8_t *)f->p + at, at))
		at += MLOG_HEAD + head.size;
	return at;
}

/* ---- what came out ---- */

static inline void mlog_file_text(const struct mlog_block *block, struct strbuf *text)
{
	strbuf_printf(text, "[%lld %lld %u", (long long)block->begin_ns, (long long)block->end_ns,
		      block->flags);
	for (unsigned i = 0; i < block->n_samples; i++) {
		const struct sample *s = block->samples[i];

		strbuf_printf(text, ", %u: %x %u %llu %lld %lld", s->source, s->flags, s->lost,
			      (unsigned long long)s->seq, (long long)s->begin_ns, (long long)s->end_ns);
		for (unsigned k = 0; k < s->n_values; k++)
			strbuf_printf(text, " %llu", (unsigned long long)s->value[k]);
	}
	for (unsigned i = 0; i < block->n_notes; i++)
		strbuf_printf(text, ", note %d %lld %s", block->notes[i].kind,
			      (long long)block->notes[i].time_ns, block->notes[i].text);
	strbuf_str(text, "]");
}

static inline void mlog_file_processes_text(const struct process_list *list, struct strbuf *text)
{
	strbuf_printf(text, list ? "(%lld" : "(unknown", list ? (long long)list->end_ns : 0);
	for (unsigned i = 0; list && i < list->n; i++)
		strbuf_printf(text, ", %d %s %llu", list->processes[i].pid, list->processes[i].name,
			      (unsigned long long)list->processes[i].cpu_ns);
	strbuf_str(text, ")");
}

/* All blocks from the next one on, one behind the other. Returns how many. */
static inline unsigned mlog_file_rest(struct mlog_reader *r, struct strbuf *text)
{
	const struct mlog_block *block;
	unsigned n = 0;

	strbuf_clear(text);
	strbuf_str(text, "");
	for (; (block = mlog_reader_next(r, NULL)); n++)
		mlog_file_text(block, text);
	return n;
}

#endif
