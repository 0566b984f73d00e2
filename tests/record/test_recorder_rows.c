/* What stands in a log, from a source that counts its own samples: none twice, none missing, losses
 * flagged. */
#include "record/recorder.h"
#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/await.h"
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define MS 1000000ll

/* ---- a source that counts its samples ---- */

struct fake {
	int64_t next_ns, period_ns;
	uint64_t count;
	unsigned lose_at; /* the sample before which three are lost */
};

static unsigned lose_at;

static bool fake_start(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err)
{
	struct fake *f = source->priv;

	(void)err;
	*f = (struct fake){.period_ns = period_ns, .next_ns = now_ns + period_ns, .lose_at = lose_at};
	source->period_ns = period_ns;
	return true;
}

static int fake_fd(const struct source *source)
{
	(void)source;
	return -1;
}

static enum read_result fake_read(struct source *source, int64_t now_ns, struct sample *sample)
{
	struct fake *f = source->priv;

	if (f->next_ns > now_ns)
		return READ_NONE;
	sample->begin_ns = f->next_ns - f->period_ns;
	sample->end_ns = f->next_ns;
	f->next_ns += f->period_ns;
	sample->value[0] = ++f->count;
	sample->lost = f->count == f->lose_at ? 3 : 0;
	return READ_GOT;
}

static void fake_stop(struct source *source)
{
	(void)source;
}

static const struct backend backend_fake = {
	.name = "fake",
	.priv_size = sizeof(struct fake),
	.start = fake_start,
	.fd = fake_fd,
	.read = fake_read,
	.stop = fake_stop,
	.close = fake_stop,
};

/* ---- a session with it, and a directory ---- */

static const char data[] = "slots fake\n  names Count\n"
			   "metric Number\n  title Number\n  unit count\n  group G\n  expr Count * 1\n";

struct recorder_rows_bench {
	char dir[40], path[64];
	struct sys sys;
	struct options options;
	struct session session;
};

FIXTURE(bench_init)
{
	static const struct slot slot = {.name = "Count", .kind = SLOT_DELTA, .scale = 1};
	struct recorder_rows_bench *b = xcalloc(1, sizeof(*b));
	struct session *s = &b->session;
	struct source *source = xcalloc(1, sizeof(*source));
	struct err err;

	strcpy(b->dir, "/tmp/malitop-test-XXXXXX");
	assert_non_null(mkdtemp(b->dir));
	snprintf(b->path, sizeof(b->path), "%s/run.csv", b->dir);
	assert_true(sys_init(&b->sys, "/", &err));
	b->options = (struct options){.interval_ns = MS, .format = FORMAT_CSV};
	s->sys = &b->sys;
	s->options = &b->options;
	s->db = gpudb_load_texts(&(struct gpudb_text){"data", SPAN_LIT(data)}, 1, &err);
	assert_non_null(s->db);
	s->sampler = sampler_new(&b->sys, &err);
	assert_non_null(s->sampler);
	s->n = 1;
	s->sources[0] = (struct session_source){
		.kind = SOURCE_PERF, .n_slots = 1, .n_sums = 1, .asked_ns = MS, .period_ns = MS};
	s->sources[0].set =
		metric_set_new(s->db, &(struct metric_source){.slots = &slot, .n_slots = 1}, &err);
	assert_non_null(s->sources[0].set);
	*source = (struct source){
		.backend = &backend_fake, .sys = &b->sys, .kind = SOURCE_PERF, .n_slots = 1, .n_sums = 1};
	source->priv = xcalloc(1, sizeof(struct fake));
	source->slots = xcalloc(1, sizeof(slot));
	source->slots[0] = slot;
	s->sources[0].index = sampler_adopt(s->sampler, source, MS);
	*state = b;
	return 0;
}

FIXTURE(bench_fini)
{
	struct recorder_rows_bench *b = *state;

	session_close(&b->session);
	lose_at = 0; /* the sampler reads it */
	sys_fini(&b->sys);
	unlink(b->path);
	rmdir(b->dir);
	free(b);
	return 0;
}

TEST_EACH(bench_init, bench_fini)

static struct recorder *start_recorder(struct recorder_rows_bench *b, const char *path)
{
	struct err err;
	struct recorder *r = recorder_start(&b->session, path, &err);

	if (!r)
		fail_msg("%s", err.text);
	return r;
}

static char *read_text(const char *path, size_t *n)
{
	struct err err;
	char *text;

	if (!file_read(path, 1 << 20, &text, n, &err))
		fail_msg("%s", err.text);
	return text;
}

/* Header, then rows that count up by one (or, at a loss, not: the flags say so). Returns the number
 * of rows. */
static unsigned check_csv(const char *text, size_t n, uint64_t lost_before)
{
	struct span rest = {text, n};
	uint64_t before = 0;
	unsigned rows = 0;

	assert_int_equal(text[n - 1], '\n');
	assert_true(span_is(span_trim(span_until(&rest, '\n')), "time,duration,flags,Number"));
	for (; rest.n; rows++) {
		struct span line = span_trim(span_until(&rest, '\n')), cell[4];
		double value;

		for (int i = 0; i < 4; i++)
			cell[i] = span_until(&line, ',');
		assert_int_equal(line.n, 0);
		assert_true(span_is(cell[1], "0.001000000"));
		assert_true(span_double(cell[3], &value));
		assert_true(before == 0 || (uint64_t)value == before + 1);
		before = (uint64_t)value;
		assert_true(span_is(cell[2], before == lost_before ? "gap" : ""));
	}
	return rows;
}

static struct recorder_state state_now(struct recorder *r)
{
	struct recorder_state now;

	recorder_look(r, &now);
	return now;
}

TEST(rows_reach_the_file_while_it_is_written)
{
	struct recorder_rows_bench *b = *state;
	struct recorder *r = start_recorder(b, b->path);
	struct recorder_state end;
	char *text;
	size_t n;

	AWAIT(state_now(r).rows);
	text = read_text(b->path, &n);
	assert_true(check_csv(text, n, 0) > 0);
	free(text);
	assert_true(recorder_stop(r, &end));
}

TEST(a_metric_that_nobody_knows_leaves_no_file_behind)
{
	struct recorder_rows_bench *b = *state;
	struct err err;

	b->options.metrics = "Nonsense";
	assert_null(recorder_start(&b->session, b->path, &err));
	assert_non_null(strstr(err.text, "Nonsense"));
	assert_int_equal(access(b->path, F_OK), -1);
}

TEST(a_disk_that_fails_ends_the_log_with_whole_lines_and_one_message)
{
	struct recorder_rows_bench *b = *state;
	struct rlimit before, limit;
	struct recorder_state now = {0}, end;
	struct recorder *r;
	bool ok;
	char *text;
	size_t n;

	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = 700; /* some rows, and a piece of one */
	r = start_recorder(b, b->path);
	setrlimit(RLIMIT_FSIZE, &limit);
	AWAIT((now = state_now(r)).failed);
	give_time_ms(10); /* what comes after is not written either */
	ok = recorder_stop(r, &end);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_true(now.failed && end.failed);
	assert_false(ok);
	assert_string_equal(now.err.text, end.err.text);
	assert_non_null(strstr(end.err.text, "run.csv: File too large: logging stopped after 0.0 MB"));
	assert_int_equal(end.err.code, EFBIG);
	text = read_text(b->path, &n);
	assert_int_equal(n, end.bytes);
	assert_int_equal(check_csv(text, n, 0), end.rows);
	free(text);
}

TEST(a_dash_is_standard_output)
{
	struct recorder_rows_bench *b = *state;
	struct recorder_state end;
	int saved = dup(STDOUT_FILENO), fd = open(b->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	struct recorder *r;
	char *text;
	size_t n;

	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	r = start_recorder(b, "-");
	AWAIT(state_now(r).rows);
	assert_string_equal(recorder_name(r), "-");
	recorder_stop(r, &end);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(fd);
	text = read_text(b->path, &n);
	assert_int_equal(check_csv(text, n, 0), end.rows);
	free(text);
}

TEST(samples_that_were_lost_are_counted_and_flagged)
{
	struct recorder_rows_bench *b = *state;
	struct recorder *r;
	struct recorder_state end;
	char *text;
	struct sampler_event started = {.kind = SAMPLER_FAILED};
	size_t n;

	AWAIT(sampler_next_event(b->session.sampler, &started));
	assert_int_equal(started.kind, SAMPLER_STARTED); /* nobody reads lose_at now */
	lose_at = 20;
	r = start_recorder(b, b->path);
	sampler_set_period(b->session.sampler, 0, MS); /* anew, so that the ring sees the first */
	AWAIT(state_now(r).lost);
	assert_true(recorder_stop(r, &end));
	text = read_text(b->path, &n);
	assert_true(strstr(text, ",gap lost,20.0") != NULL);
	assert_int_equal(end.lost, 3);
	free(text);
}

TEST(json_lines_begin_with_what_was_measured)
{
	struct recorder_rows_bench *b = *state;
	struct recorder_state end;
	struct recorder *r;
	struct span rest;
	unsigned rows = 0;
	char *text;
	size_t n;

	b->options.format = FORMAT_JSONL;
	r = start_recorder(b, b->path);
	AWAIT(state_now(r).rows);
	assert_true(recorder_stop(r, &end));
	text = read_text(b->path, &n);
	rest = (struct span){text, n};
	assert_non_null(strstr(text, "\"Number\""));
	for (span_until(&rest, '\n'); rest.n; rows++) {
		struct span line = span_until(&rest, '\n');

		assert_true(line.n > 2 && line.p[0] == '{' && line.p[line.n - 1] == '}');
	}
	assert_int_equal(rows, end.rows);
	free(text);
}

TEST(the_name_shown_is_printable)
{
	struct recorder_rows_bench *b = *state;
	AUTOFREE char *path = xasprintf("%s/a\033[2Jb.csv", b->dir);
	struct recorder *r = start_recorder(b, path);
	struct recorder_state end;

	assert_string_equal(recorder_name(r), "a?[2Jb.csv");
	assert_true(recorder_stop(r, &end));
	unlink(path);
}
