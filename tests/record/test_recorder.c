#include "record/recorder.h"
#include "base/alloc.h"
#include "tests/support/await.h"
#include "tests/support/log_reader.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct recorder_bench {
	struct sys sys;
	struct options options;
	struct session session;
	char dir[32], path[64];
};

FIXTURE(set_up)
{
	static struct recorder_bench b;
	struct err err;

	b = (struct recorder_bench){.dir = "/tmp/malitop-XXXXXX"};
	assert_non_null(mkdtemp(b.dir));
	snprintf(b.path, sizeof(b.path), "%s/log.csv", b.dir);
	b.options = (struct options){
		.backends = "sim:gpu", .interval_ns = 10000000, .fps = 60, .format = FORMAT_CSV, .seed = 1};
	assert_true(sys_init(&b.sys, NULL, &err));
	if (!session_open(&b.session, &b.sys, &b.options, 0, false, &err))
		fail_msg("%s", err.text);
	*state = &b;
	return 0;
}

FIXTURE(tear_down)
{
	struct recorder_bench *b = *state;

	session_close(&b->session);
	sys_fini(&b->sys);
	unlink(b->path);
	rmdir(b->dir);
	return 0;
}

TEST_EACH(set_up, tear_down)

static void record_ms(struct recorder_bench *b, int ms, struct recorder_state *state)
{
	struct recorder *r;
	struct err err;

	r = recorder_start(&b->session, b->path, &err);
	if (!r)
		fail_msg("%s", err.text);
	b->sys.poll(&b->sys, NULL, 0, ms);
	recorder_stop(r, state);
}

/* The file; every line but the first begins with a digit and has as many commas as the header. */
static unsigned count_rows(const char *path)
{
	AUTOFREE char *line = NULL;
	FILE *f = fopen(path, "re");
	unsigned n = 0, commas = 0;
	size_t cap = 0;

	assert_non_null(f);
	for (; getline(&line, &cap, f) > 0; n++) {
		unsigned c = 0;

		for (const char *p = line; *p; p++)
			c += *p == ',';
		assert_int_equal(line[strlen(line) - 1], '\n');
		assert_true(n == 0 || (line[0] >= '0' && line[0] <= '9' && c == commas));
		commas = c;
	}
	fclose(f);
	assert_true(n > 0);
	return n - 1;
}

TEST(every_sample_becomes_a_row)
{
	struct recorder_bench *b = *state;
	struct recorder_state now, end;
	struct recorder *r;
	struct stat st;
	struct err err;

	r = recorder_start(&b->session, b->path, &err);
	assert_non_null(r);
	AWAIT((recorder_look(r, &now), now.rows >= 30));
	recorder_stop(r, &end);
	assert_false(end.failed);
	assert_int_equal(end.lost, 0);
	assert_true(end.rows >= now.rows);
	assert_int_equal(count_rows(b->path), end.rows);
	assert_int_equal(stat(b->path, &st), 0);
	assert_int_equal(end.bytes, st.st_size);
	assert_int_equal(st.st_mode & 0777 & ~0644, 0);
}

TEST(an_existing_file_is_refused_without_force)
{
	struct recorder_bench *b = *state;
	struct recorder_state end;
	struct err err;
	int fd = open(b->path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);

	assert_int_equal(write(fd, "precious\n", 9), 9);
	close(fd);
	assert_null(recorder_start(&b->session, b->path, &err));
	assert_non_null(strstr(err.text, "already exists"));
	assert_non_null(strstr(err.text, "--force"));
	b->options.force = true;
	record_ms(b, 50, &end);
	assert_int_equal(count_rows(b->path), end.rows);
}

TEST(a_name_that_cannot_be_created_is_an_error)
{
	struct recorder_bench *b = *state;
	struct err err;

	assert_null(recorder_start(&b->session, "/nonexistent/dir/log.csv", &err));
	assert_non_null(strstr(err.text, "cannot create"));
}

TEST(a_full_disk_ends_the_log_with_one_message)
{
	struct recorder_bench *b = *state;
	struct recorder *r;
	struct err err;

	b->options.force = true;
	r = recorder_start(&b->session, "/dev/full", &err);
	assert_null(r);
	assert_non_null(strstr(err.text, "/dev/full"));
	assert_non_null(strstr(err.text, "logging stopped"));
}

/* The rows of a quarter of a second are written together, and are longer than the room. */
TEST(rows_that_fit_are_kept_on_a_full_disk)
{
	static const struct {
		enum output_format format;
		unsigned room; /* for a header and some rows */
	} cases[] = {{FORMAT_CSV, 30000}, {FORMAT_JSONL, 120000}, {FORMAT_PERFETTO, 150000}};
	struct recorder_bench *b = *state;
	struct rlimit before, limit;

	getrlimit(RLIMIT_FSIZE, &before);
	b->options.force = true;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct recorder_state now, end;
		struct recorder *r;
		struct stat st;
		struct err err;

		b->options.format = cases[i].format;
		limit = (struct rlimit){cases[i].room, before.rlim_max};
		setrlimit(RLIMIT_FSIZE, &limit);
		r = recorder_start(&b->session, b->path, &err);
		assert_non_null(r);
		AWAIT((recorder_look(r, &now), now.failed));
		recorder_stop(r, &end);
		setrlimit(RLIMIT_FSIZE, &before);
		assert_non_null(strstr(end.err.text, "File too large"));
		assert_true(end.bytes <= cases[i].room);
		if (end.bytes < cases[i].room - 8000) /* a row is shorter */
			fail_msg("%zu: only %llu bytes", i, (unsigned long long)end.bytes);
		assert_int_equal(stat(b->path, &st), 0);
		assert_int_equal(end.bytes, st.st_size);
		assert_true(end.rows > 3);
		if (cases[i].format == FORMAT_CSV)
			assert_int_equal(count_rows(b->path), end.rows);
	}
}

/* ---- marks ---- */

static int64_t ns_of(const char *seconds)
{
	char *point;
	int64_t ns = strtoll(seconds, &point, 10) * 1000000000;

	return ns + strtoll(point + 1, NULL, 10); /* nine digits */
}

/* When the newest whole row in the file ends; 0: there is none. */
static int64_t last_end_ns(const char *path)
{
	AUTOFREE char *line = NULL;
	FILE *f = fopen(path, "re");
	int64_t end_ns = 0;
	size_t cap = 0;
	ssize_t n;

	assert_non_null(f);
	while ((n = getline(&line, &cap, f)) > 0)
		if (line[0] != 't' && line[n - 1] == '\n')
			end_ns = ns_of(line) + ns_of(strchr(line, ',') + 1);
	fclose(f);
	return end_ns;
}

/* A recorder whose first row is in the file. */
static struct recorder *start_rows(struct recorder_bench *b)
{
	struct err err;
	struct recorder *r = recorder_start(&b->session, b->path, &err);

	assert_non_null(r);
	AWAIT(last_end_ns(b->path) > 0);
	return r;
}

TEST(a_mark_stands_in_the_row_of_its_time)
{
	struct recorder_bench *b = *state;
	struct recorder *r = start_rows(b);
	struct recorder_state end;
	AUTOFREE char *line = NULL;
	int64_t before, after;
	unsigned marked = 0;
	size_t cap = 0;
	FILE *f;

	before = b->sys.realtime_ns(&b->sys);
	recorder_mark(r, 0, "");
	after = b->sys.realtime_ns(&b->sys);
	AWAIT(last_end_ns(b->path) > after);
	recorder_stop(r, &end);
	f = fopen(b->path, "re");
	assert_non_null(f);
	while (getline(&line, &cap, f) > 0) {
		const char *duration = strchr(line, ',') + 1, *flags = strchr(duration, ',') + 1;

		if (!strstr(flags, " mark"))
			continue;
		marked++;
		assert_true(ns_of(line) <= after);
		assert_true(ns_of(line) + ns_of(duration) >= before);
	}
	fclose(f);
	assert_int_equal(marked, 1);
}

TEST(a_mark_just_before_the_end_has_a_row_too)
{
	struct recorder_bench *b = *state;
	struct recorder *r = start_rows(b);
	AUTOFREE char *line = NULL;
	struct recorder_state end;
	unsigned marked = 0;
	size_t cap = 0;
	FILE *f;

	recorder_mark(r, 0, "");
	recorder_stop(r, &end);
	f = fopen(b->path, "re");
	assert_non_null(f);
	while (getline(&line, &cap, f) > 0)
		marked += strstr(line, "mark,") != NULL;
	fclose(f);
	assert_int_equal(marked, 1);
}

/* ---- a reader that does not read ---- */

/* A pipe that is read only when it may be, into a file. */
struct stalled {
	char pipe[64];
	int from, to;
	pthread_t thread;
};

static void stalled_init(struct stalled *s, const struct recorder_bench *b)
{
	snprintf(s->pipe, sizeof(s->pipe), "%s/pipe", b->dir);
	assert_int_equal(mkfifo(s->pipe, 0600), 0);
	s->from = open(s->pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	s->to = open(b->path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	assert_true(s->from >= 0 && s->to >= 0);
	assert_true(fcntl(s->from, F_SETPIPE_SZ, 4096) > 0);
	assert_int_equal(fcntl(s->from, F_SETFL, 0), 0);
}

static void *stalled_read(void *arg)
{
	const struct stalled *s = arg;
	char piece[4096];
	ssize_t n;

	while ((n = read(s->from, piece, sizeof(piece))) > 0)
		if (write(s->to, piece, (size_t)n) != n)
			break;
	return NULL;
}

static void stalled_fini(struct stalled *s)
{
	pthread_join(s->thread, NULL);
	close(s->from);
	close(s->to);
	unlink(s->pipe);
}

/* Returns how many were lost. The ring is one for 100 ms. */
static uint64_t record_stalled(struct recorder_bench *b, struct recorder_state *end)
{
	struct recorder *r;
	struct stalled s;
	struct err err;

	b->options.force = true;
	b->session.sources[0].asked_ns = 100000000;
	stalled_init(&s, b);
	r = recorder_start(&b->session, s.pipe, &err);
	if (!r)
		fail_msg("%s", err.text);
	sampler_set_period(b->session.sampler, 0, 1000000);
	do {
		b->sys.poll(&b->sys, NULL, 0, 10);
		recorder_look(r, end);
	} while (!end->lost);
	sampler_set_period(b->session.sampler, 0, 10000000000); /* no sample follows the lost ones */
	b->sys.poll(&b->sys, NULL, 0, 20);
	recorder_end(r);
	assert_int_equal(pthread_create(&s.thread, NULL, stalled_read, &s), 0);
	recorder_stop(r, end);
	stalled_fini(&s);
	assert_false(end->failed);
	assert_true(end->lost > 0);
	return end->lost;
}

TEST(lost_rows_are_counted_while_it_lasts_and_leave_a_gap_at_the_end)
{
	struct recorder_bench *b = *state;
	struct recorder_state end;
	AUTOFREE char *text = NULL;
	struct err err;
	size_t n;

	record_stalled(b, &end);
	assert_true(count_rows(b->path) > 0);
	assert_true(file_read(b->path, 64 << 20, &text, &n, &err));
	text[n - 2] = 0; /* the end of its last line */
	assert_non_null(strstr(strrchr(text, '\n'), ",0.000000000,gap lost,"));
}

TEST(lost_raw_samples_leave_a_note_of_how_many)
{
	struct recorder_bench *b = *state;
	struct recorder_state end;
	uint64_t lost;
	struct log log;

	b->options.format = FORMAT_MLOG;
	lost = record_stalled(b, &end);
	assert_true(log_open(&log, b->path));
	assert_true(log.state.ended);
	assert_int_equal(end.rows, log.n);
	assert_true(log_lost_at_the_end(&log) > 0);
	assert_int_equal(log_lost(&log, 0) + log_lost_at_the_end(&log), lost);
	log_close(&log);
}
