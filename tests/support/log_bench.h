/* log_bench: a log of simulated GPUs that a test writes as it likes, with all that was written kept
 * to compare with. */
#ifndef LOG_BENCH_H
#define LOG_BENCH_H

#include "mlog/mlog_writer.h"
#include "tests/support/sim_run.h"

#include <unistd.h>

#define LOG_SOURCES 2
#define SECOND_NS 1000000000ll
#define LOG_BEGIN_NS (5000 * SECOND_NS + 37 * MS) /* on no moment */
#define LOG_DAY_NS (1700000000 * SECOND_NS)       /* when it was recorded */

struct log_bench {
	char dir[32], path[64];
	FILE *file;
	struct gpudb *db;
	struct sim_run runs[LOG_SOURCES];
	struct mlog_source sources[LOG_SOURCES];
	struct mlog_about about;
	struct mlog_writer *writer;
	int64_t now_ns, flushed_ns;
	uint64_t seq[LOG_SOURCES];
	unsigned away;           /* bits of sources */
	struct sample **samples; /* what was written */
	unsigned n, cap;
};

struct log_what {
	const char *gpus[LOG_SOURCES]; /* NULL: only one */
	int64_t periods_ns[LOG_SOURCES];
	const char *scenario;
	bool per_core;
};

static bool log_write(void *ctx, const void *bytes, size_t n, struct err *err)
{
	struct log_bench *b = ctx;

	(void)err;
	assert_int_equal(fwrite(bytes, 1, n, b->file), n);
	assert_int_equal(fflush(b->file), 0);
	return true;
}

static void log_describe(struct mlog_source *log, const struct source *s, bool per_core)
{
	*log = (struct mlog_source){.kind = SOURCE_GPU,
				    .backend = "sim",
				    .device = "",
				    .title = s->title,
				    .driver = s->driver,
				    .note = s->note,
				    .product = s->product->name,
				    .period_ns = s->period_ns,
				    .asked_ns = s->period_ns,
				    .simulated = true,
				    .constants = s->constants,
				    .slots = s->slots,
				    .n_slots = per_core ? s->n_slots : s->n_sums,
				    .n_sums = s->n_sums};
}

/* Begins a log; its first sample comes from log_until. */
static void log_begin(struct log_bench *b, const struct log_what *what)
{
	struct err err;

	*b = (struct log_bench){
		.dir = "/tmp/malitop-log-XXXXXX", .db = load_shipped(), .now_ns = LOG_BEGIN_NS};
	assert_non_null(mkdtemp(b->dir));
	snprintf(b->path, sizeof(b->path), "%s/run.mlog", b->dir);
	b->file = fopen(b->path, "we");
	assert_non_null(b->file);
	b->flushed_ns = b->now_ns;
	b->about = (struct mlog_about){.program = "malitop",
				       .host = "board",
				       .kernel = "Linux",
				       .scope = "machine",
				       .monotonic_ns = LOG_BEGIN_NS,
				       .realtime_ns = LOG_DAY_NS,
				       .fps = 60,
				       .width = 1920,
				       .height = 1080,
				       .sources = b->sources};
	for (unsigned i = 0; i < LOG_SOURCES && what->gpus[i]; i++) {
		struct source_options o = {.db = b->db,
					   .gpu_name = what->gpus[i],
					   .scenario = what->scenario,
					   .seed = i + 1,
					   .frames_per_second = 60,
					   .width = 1920,
					   .height = 1080,
					   .per_instance = what->per_core};

		sim_run_init(&b->runs[i], &o, what->periods_ns[i]);
		log_describe(&b->sources[i], &b->runs[i].source, what->per_core);
		b->about.n_sources++;
	}
	b->writer = mlog_writer_new(&b->about, log_write, b, &err);
	assert_non_null(b->writer);
}

static void log_flush(struct log_bench *b)
{
	struct err err;

	assert_true(mlog_writer_flush(b->writer, &err));
	b->flushed_ns = b->now_ns;
}

static void log_sample(struct log_bench *b, unsigned i)
{
	const struct sample *read = sim_run_read(&b->runs[i]);
	size_t size = sizeof(*read) + b->runs[i].source.n_slots * sizeof(read->value[0]);
	struct sample *sample = xmalloc(size);
	struct err err;

	memcpy(sample, read, size);
	sample->source = i;
	sample->seq = ++b->seq[i];
	sample->end_ns = b->now_ns;
	sample->begin_ns = b->now_ns - b->sources[i].period_ns;
	sample->n_values = b->sources[i].n_slots;
	GROW(b->samples, b->n, b->cap);
	b->samples[b->n++] = sample;
	assert_true(mlog_writer_sample(b->writer, sample, &err));
}

/* Goes on until that moment, counted from the begin, in steps of 10 ms; a block three times in two
 * seconds. */
static void log_until(struct log_bench *b, int64_t since_ns)
{
	while (b->now_ns < LOG_BEGIN_NS + since_ns) {
		b->now_ns += 10 * MS;
		for (unsigned i = 0; i < b->about.n_sources; i++)
			if ((b->now_ns - LOG_BEGIN_NS) % b->sources[i].period_ns == 0 && !(b->away >> i & 1))
				log_sample(b, i);
		if (b->now_ns - b->flushed_ns >= 660 * MS)
			log_flush(b);
	}
}

static inline void log_note(struct log_bench *b, enum mlog_note_kind kind, int source, int64_t value,
			    const char *text)
{
	struct mlog_note note = {.kind = kind, .time_ns = b->now_ns, .source = source, .value = value};
	struct err err;

	snprintf(note.text, sizeof(note.text), "%s", text);
	assert_true(mlog_writer_note(b->writer, &note, &err));
}

static void log_end(struct log_bench *b)
{
	struct err err;

	assert_true(mlog_writer_end(b->writer, &err));
}

static void log_fini(struct log_bench *b)
{
	mlog_writer_free(b->writer);
	fclose(b->file);
	for (unsigned i = 0; i < b->about.n_sources; i++)
		sim_run_fini(&b->runs[i]);
	for (unsigned i = 0; i < b->n; i++)
		free(b->samples[i]);
	free(b->samples);
	gpudb_free(b->db);
	unlink(b->path);
	rmdir(b->dir);
}

#endif
