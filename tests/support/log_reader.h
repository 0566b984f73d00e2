/* log_reader: all of a .mlog file, for tests that know what must be in it. */
#ifndef LOG_READER_H
#define LOG_READER_H

#include "base/alloc.h"
#include "base/file.h"
#include "mlog/mlog_reader.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

struct log {
	struct file *file;
	struct mlog_reader *reader;
	struct mlog_state state;
	struct sample **samples; /* copies */
	unsigned n, cap;
	struct mlog_note *notes;
	unsigned n_notes, cap_notes;
	unsigned n_blocks, n_lists; /* with samples or notes, and with processes */
};

static inline void log_keep(struct log *log, const struct mlog_block *block)
{
	log->n_blocks++;
	log->n_lists += block->has_processes;
	for (unsigned i = 0; i < block->n_samples; i++) {
		const struct sample *s = block->samples[i];
		size_t bytes = sizeof(*s) + s->n_values * sizeof(s->value[0]);

		GROW(log->samples, log->n, log->cap);
		log->samples[log->n] = xmalloc(bytes);
		memcpy(log->samples[log->n++], s, bytes);
	}
	for (unsigned i = 0; i < block->n_notes; i++) {
		GROW(log->notes, log->n_notes, log->cap_notes);
		log->notes[log->n_notes++] = block->notes[i];
	}
}

/* false: it is no log (yet). What was damaged is in the state. */
static inline bool log_open(struct log *log, const char *path)
{
	const struct mlog_block *block;
	struct err err = {0};

	*log = (struct log){.file = file_open(path, &err)};
	if (log->file)
		log->reader = mlog_reader_new(
			&(struct mlog_input){.ctx = log->file, .read = file_read_at, .size = file_size}, path,
			&err);
	if (!log->reader)
		return false;
	mlog_reader_seek(log->reader, INT64_MIN);
	while ((block = mlog_reader_next(log->reader, &err)))
		log_keep(log, block);
	assert_int_equal(err.code, 0);
	mlog_reader_state(log->reader, &log->state);
	return true;
}

static inline void log_close(struct log *log)
{
	mlog_reader_free(log->reader);
	file_close(log->file);
	for (unsigned i = 0; i < log->n; i++)
		free(log->samples[i]);
	free(log->samples);
	free(log->notes);
}

/* Nothing is missing between the samples of a source; the number of those that were lost. */
static inline uint64_t log_lost(const struct log *log, uint32_t source)
{
	uint64_t before = 0, lost = 0;

	for (unsigned i = 0; i < log->n; i++) {
		const struct sample *s = log->samples[i];

		if (s->source != source)
			continue;
		assert_true(s->seq > before);
		lost += sample_missed(s, before);
		before = s->seq;
	}
	return lost;
}

/* The losses after the last sample of a source, which a note tells. */
static inline uint64_t log_lost_at_the_end(const struct log *log)
{
	uint64_t lost = 0;

	for (unsigned i = 0; i < log->n_notes; i++)
		lost += log->notes[i].kind == MLOG_NOTE_LOST ? (uint64_t)log->notes[i].value : 0;
	return lost;
}

#endif
