/* What the log of a GPU takes and costs, in this process: bytes, and CPU time of writing, reading,
 * reading into a history and exporting, over samples of the simulator; and opening a log of 1 GB.
 * Prints figures; judges nothing. Usage: bench_log [MB]
 *
 * MB/s are of values at 8 bytes each. Memory is what comes on top of the samples and the log
 * themselves. */
#include "export/export.h"
#include "backends/backends.h"
#include "base/alloc.h"
#include "base/crc32c.h"
#include "base/wire.h"
#include "mlog/mlog_index.h"
#include "mlog/mlog_reader.h"
#include "mlog/mlog_writer.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ll
#define FLUSH_NS 1000000000ll
#define ROUNDS 3

static const struct subject {
	const char *what;
	unsigned cores;
	bool per_core;
	int64_t period_ns;
	unsigned n_samples;
} subjects[] = {
	{"Mali-G715, 7 cores, every 100 ms", 7, false, 100 * MS, 1200},
	{"Mali-G715, 7 cores, every ms", 7, false, MS, 10000},
	{"Mali-G715, 7 cores, per core, every 100 ms", 7, true, 100 * MS, 600},
	{"Mali-G715, 7 cores, per core, every ms", 7, true, MS, 5000},
	{"Mali-G715, 16 cores, every 100 ms", 16, false, 100 * MS, 1200},
	{"Mali-G715, 16 cores, every ms", 16, false, MS, 10000},
	{"Mali-G715, 16 cores, per core, every 100 ms", 16, true, 100 * MS, 600},
	{"Mali-G715, 16 cores, per core, every ms", 16, true, MS, 5000},
};

struct bench_log {
	const struct subject *subject;
	struct source source;
	struct metric_set *set;
	struct mlog_source about_source;
	struct mlog_about about;
	struct sample **samples;
	struct strbuf log;
	bool keeps; /* what is written becomes the log */
	uint64_t written;
};

static void die_of(const char *what, const struct err *err)
{
	fprintf(stderr, "bench_log: %s: %s\n", what, err->text);
	exit(1);
}

static double cpu_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static double wall_s(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* ---- what is logged ---- */

static void simulate_samples(struct bench_log *b)
{
	struct sample *sample;
	int64_t now_ns = 0;

	b->samples = xcalloc(b->subject->n_samples, sizeof(*b->samples));
	for (unsigned i = 0; i < b->subject->n_samples; i++) {
		sample = xcalloc(1, sizeof(*sample) + b->source.n_slots * sizeof(uint64_t));
		now_ns += b->subject->period_ns;
		backend_sim.read(&b->source, now_ns, sample);
		sample->seq = i + 1;
		sample->n_values = b->source.n_slots;
		b->samples[i] = sample;
	}
}

static void bench_init(struct bench_log *b, const struct subject *subject, const struct gpudb *db)
{
	static char none[] = "";
	struct source *s = &b->source;
	struct err err = {0};

	*b = (struct bench_log){.subject = subject, .source.backend = &backend_sim};
	s->options = (struct source_options){
		.db = db, .gpu_name = "G715", .seed = 1, .per_instance = subject->per_core};
	s->priv = xcalloc(1, backend_sim.priv_size);
	if (!backend_sim.open(s, "", &err) || !backend_sim.start(s, subject->period_ns, 0, &err))
		die_of(subject->what, &err);
	b->set = metric_set_new(db,
				&(struct metric_source){.product = s->product,
							.slots = s->slots,
							.n_slots = s->n_slots,
							.constants = s->constants},
				&err);
	if (!b->set)
		die_of(subject->what, &err);
	b->about_source = (struct mlog_source){.backend = none,
					       .device = none,
					       .title = s->title,
					       .driver = s->driver,
					       .note = none,
					       .product = none,
					       .period_ns = subject->period_ns,
					       .asked_ns = subject->period_ns,
					       .constants = s->constants,
					       .slots = s->slots,
					       .n_slots = s->n_slots,
					       .n_sums = s->n_sums};
	b->about = (struct mlog_about){.program = none,
				       .host = none,
				       .kernel = none,
				       .scope = none,
				       .sources = &b->about_source,
				       .n_sources = 1};
	simulate_samples(b);
}

static void bench_fini(struct bench_log *b)
{
	for (unsigned i = 0; i < b->subject->n_samples; i++)
		free(b->samples[i]);
	free(b->samples);
	backend_sim.stop(&b->source);
	backend_sim.close(&b->source);
	metric_set_free(b->set);
	strbuf_fini(&b->log);
	free(b->source.slots);
	free(b->source.priv);
}

/* ---- what is done with it ---- */

static bool take_bytes(void *ctx, const void *bytes, size_t n, struct err *err)
{
	struct bench_log *b = ctx;

	(void)err;
	if (b->keeps)
		strbuf_add(&b->log, bytes, n);
	b->written += n;
	return true;
}

static void run_nothing(struct bench_log *b)
{
	(void)b;
}

static void run_write(struct bench_log *b)
{
	struct err err = {0};
	struct mlog_writer *w = mlog_writer_new(&b->about, take_bytes, b, &err);
	int64_t flushed_ns = 0;
	bool works = w != NULL;

	for (unsigned i = 0; works && i < b->subject->n_samples; i++) {
		works = mlog_writer_sample(w, b->samples[i], &err);
		if (works && b->samples[i]->end_ns - flushed_ns >= FLUSH_NS) {
			flushed_ns = b->samples[i]->end_ns;
			works = mlog_writer_flush(w, &err);
		}
	}
	if (!works || !mlog_writer_end(w, &err))
		die_of("writing", &err);
	mlog_writer_free(w);
}

static ssize_t read_log(void *ctx, void *buf, size_t n, uint64_t at)
{
	const struct strbuf *log = ctx;
	size_t left = at < log->n ? log->n - at : 0;

	if (n > left)
		n = left;
	memcpy(buf, log->p + at, n);
	return (ssize_t)n;
}

static int64_t size_of_log(void *ctx)
{
	return (int64_t)((const struct strbuf *)ctx)->n;
}

static void decode_block(struct bench_log *b, struct history *h)
{
	struct mlog_input input = {&b->log, read_log, size_of_log};
	struct err err = {0};
	struct mlog_reader *r = mlog_reader_new(&input, "log", &err);
	const struct mlog_block *block;
	unsigned n = 0;

	while (r && (block = mlog_reader_next(r, &err))) {
		for (unsigned i = 0; h && i < block->n_samples; i++)
			history_push(h, block->samples[i]);
		n += block->n_samples;
	}
	if (n != b->subject->n_samples)
		die_of("reading", &err);
	mlog_reader_free(r);
}

static void run_read(struct bench_log *b)
{
	decode_block(b, NULL);
}

static void run_replay(struct bench_log *b)
{
	const struct source *s = &b->source;
	struct history *h = history_new(s->slots, s->n_slots, b->subject->per_core ? s->n_slots : s->n_sums,
					s->period_ns);

	decode_block(b, h);
	history_free(h);
}

static void export_as(struct bench_log *b, const struct export_format *format)
{
	struct export_options options = {.per_core = b->subject->per_core, .host = "", .version = ""};
	struct export_source source = {.prefix = "",
				       .title = b->source.title,
				       .driver = b->source.driver,
				       .set = b->set,
				       .db = b->source.options.db,
				       .period_ns = b->source.period_ns};
	struct err err = {0};
	struct export *ex = export_new(format, &options, &source, 1, take_bytes, b, &err);

	for (unsigned i = 0; ex && i < b->subject->n_samples; i++)
		if (!export_sample(ex, b->samples[i], &err))
			die_of(format->name, &err);
	if (!ex)
		die_of(format->name, &err);
	export_free(ex);
}

static void run_csv(struct bench_log *b)
{
	export_as(b, &export_csv);
}

static void run_jsonl(struct bench_log *b)
{
	export_as(b, &export_jsonl);
}

static const struct log_job {
	const char *name;
	void (*run)(struct bench_log *b);
} jobs[] = {
	{"write .mlog", run_write}, {"read", run_read},          {"read into history", run_replay},
	{"export csv", run_csv},    {"export jsonl", run_jsonl},
};

/* Most memory that a process doing this had. */
static double peak_mib(struct bench_log *b, void (*run)(struct bench_log *b))
{
	struct rusage used = {0};
	pid_t pid = fork();

	if (pid == 0) {
		run(b);
		_exit(0);
	}
	wait4(pid, NULL, 0, &used);
	return (double)used.ru_maxrss / 1024;
}

static void bench_job(struct bench_log *b, const struct log_job *job)
{
	double n = b->subject->n_samples, best = 0, memory = peak_mib(b, job->run) - peak_mib(b, run_nothing);

	for (int i = 0; i < ROUNDS; i++) {
		double before = cpu_s(), took;

		b->written = 0;
		job->run(b);
		took = cpu_s() - before;
		if (!i || took < best)
			best = took;
	}
	printf("  %-20s %10.0f %9.0f %10.2f", job->name, n / best, n * b->source.n_slots * 8 / best * 1e-6,
	       best / n * 1e6);
	if (b->written)
		printf(" %13.1f %12.2f", (double)b->written / n, (double)b->written / n / b->source.n_slots);
	else
		printf(" %13s %12s", "", "");
	printf(" %9.1f\n", memory);
}

static void bench_subject(const struct subject *subject, const struct gpudb *db, struct bench_log *b)
{
	bench_init(b, subject, db);
	printf("%s, %u values\n", subject->what, b->source.n_slots);
	b->keeps = true;
	run_write(b);
	b->keeps = false;
	for (size_t i = 0; i < ARRAY_LEN(jobs); i++)
		bench_job(b, &jobs[i]);
}

/* ---- a large one ---- */

struct counted {
	int fd;
	unsigned reads;
	uint64_t bytes;
};

static ssize_t read_file(void *ctx, void *buf, size_t n, uint64_t at)
{
	struct counted *c = ctx;
	ssize_t got = pread(c->fd, buf, n, (off_t)at);

	c->reads++;
	c->bytes += got > 0 ? (uint64_t)got : 0;
	return got;
}

static int64_t size_of_file(void *ctx)
{
	struct stat st;

	return fstat(((struct counted *)ctx)->fd, &st) == 0 ? st.st_size : -1;
}

static double tell_cost(const char *what, struct counted *c, double started)
{
	printf(" %9.2f ms %7u reads %9.0f KB %s", (wall_s() - started) * 1e3, c->reads,
	       (double)c->bytes * 1e-3, what);
	c->reads = 0;
	c->bytes = 0;
	return wall_s();
}

/* Of this process since exec; ru_maxrss would include what its parent had. */
static double own_peak_mib(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[256];
	double kib = 0;

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "VmHWM:", 6))
			kib = strtod(line + 6, NULL);
	if (file)
		fclose(file);
	return kib / 1024;
}

/* In a process of its own. */
static int open_large(const char *path)
{
	struct counted c = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
	struct mlog_input input = {&c, read_file, size_of_file};
	double started = wall_s();
	struct err err = {0};
	struct mlog_reader *r = mlog_reader_new(&input, path, &err);
	struct mlog_state state;

	if (!r)
		die_of(path, &err);
	started = tell_cost("open;", &c, started);
	mlog_reader_state(r, &state);
	mlog_reader_seek(r, state.begin_ns + (state.end_ns - state.begin_ns) / 2);
	if (!mlog_reader_next(r, &err))
		die_of(path, &err);
	tell_cost("block in its middle;", &c, started);
	printf(" %.1f MiB at most\n", own_peak_mib());
	mlog_reader_free(r);
	close(c.fd);
	return 0;
}

static void bench_open(const char *self, const char *path, const char *what, double megabytes)
{
	int status;
	pid_t pid;

	printf("  %-14s %6.0f MB:", what, megabytes);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		execl(self, self, "--open", path, (char *)NULL);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid || status != 0)
		printf(" failed\n");
}

static uint64_t put_block(FILE *file, struct mlog_head *head, uint64_t at, const void *payload)
{
	uint8_t bytes[MLOG_HEAD];

	head->at = at;
	mlog_head_put(head, bytes);
	fwrite(bytes, 1, sizeof(bytes), file);
	fwrite(payload, 1, head->size, file);
	return at + sizeof(bytes) + head->size;
}

/* The data blocks of the log again and again, each later than the one before. Returns how long the
 * file is, and without its index. */
static uint64_t write_large(const struct bench_log *b, FILE *file, uint64_t wanted, uint64_t *cut)
{
	AUTO_STRBUF struct strbuf payload = {0};
	struct mlog_index index = {0};
	struct mlog_head head;
	uint64_t at = 0;
	int64_t later_ns = 0;

	for (size_t from = 0; at < wanted; from += MLOG_HEAD + head.size) {
		if (from >= b->log.n || !mlog_head_get(&head, (const uint8_t *)b->log.p + from, from))
			break;
		if (head.type == MLOG_INDEX) {
			later_ns += head.end_ns;
			from = MLOG_HEAD + wire_get_u32((const uint8_t *)b->log.p + 32);
			mlog_head_get(&head, (const uint8_t *)b->log.p + from, from);
		}
		head.begin_ns += later_ns;
		head.end_ns += later_ns;
		at = put_block(file, &head, at, b->log.p + from + MLOG_HEAD);
		if (head.type == MLOG_DATA)
			mlog_index_add(&index, &head);
	}
	*cut = at;
	mlog_index_format(&index, at, &payload);
	head = (struct mlog_head){.type = MLOG_INDEX,
				  .begin_ns = index.begin_ns,
				  .end_ns = index.end_ns,
				  .size = (uint32_t)payload.n,
				  .raw_size = (uint32_t)payload.n,
				  .payload_crc = crc32c(0, payload.p, payload.n)};
	at = put_block(file, &head, at, payload.p);
	mlog_index_fini(&index);
	return at;
}

static void bench_large(const struct bench_log *b, const char *self, double megabytes)
{
	char path[] = "/tmp/malitop-bench-XXXXXX";
	int fd = mkstemp(path);
	FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
	uint64_t size, cut;

	printf("opening a long log: %s\n", b->subject->what);
	if (!file)
		return;
	size = write_large(b, file, (uint64_t)(megabytes * 1e6), &cut);
	fflush(file);
	bench_open(self, path, "with its index", (double)size * 1e-6);
	if (ftruncate(fd, (off_t)cut) == 0)
		bench_open(self, path, "without one", (double)cut * 1e-6);
	fclose(file);
	unlink(path);
}

int main(int argc, char **argv)
{
	double megabytes = argc > 1 ? strtod(argv[1], NULL) : 1000;
	struct gpu_product *product;
	struct gpudb *db;
	struct bench_log b;
	struct err err;

	if (argc == 3 && !strcmp(argv[1], "--open"))
		return open_large(argv[2]);
	db = gpudb_load(NULL, 0, &err);
	if (!db || megabytes <= 0) {
		fprintf(stderr, "usage: bench_log [MB]\n");
		return 2;
	}
	product = &db->products[gpudb_by_name(db, "G715") - db->products];
	printf("  %-20s %10s %9s %10s %13s %12s %9s\n", "", "samples/s", "MB/s", "us/sample", "bytes/sample",
	       "bytes/value", "MiB");
	for (size_t i = 0; i < ARRAY_LEN(subjects); i++) {
		product->typical.cores = subjects[i].cores;
		bench_subject(&subjects[i], db, &b);
		if (i == 0 || i + 1 == ARRAY_LEN(subjects))
			bench_large(&b, argv[0], megabytes);
		bench_fini(&b);
	}
	gpudb_free(db);
	return 0;
}
