/* malitop export of small logs that the tests write: which part of a log becomes rows, and the
 * messages if it cannot all be read. */
#include "cli/commands.h"
#include "base/alloc.h"
#include "base/file.h"
#include "mlog/mlog_writer.h"
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS 1000000ll
#define S 1000000000ll
#define START (1000 * S) /* of a log, on the monotonic clock; the wall clock shows second 5000 then */

/* ---- a log ---- */

static struct slot slots[] = {
	{.name = "MaliGPUActiveCy", .kind = SLOT_DELTA, .scale = 1},
	{.name = "MaliFragQueueActiveCy", .kind = SLOT_DELTA, .scale = 1},
	{.name = "GPUSteadyCy", .kind = SLOT_STEADY, .scale = 1},
};
static struct mlog_source source = {.kind = SOURCE_GPU,
				    .backend = "kbase",
				    .device = "/dev/mali0",
				    .title = "Mali-G31 2 cores",
				    .driver = "test",
				    .note = "",
				    .product = "Mali-G31",
				    .period_ns = 100 * MS,
				    .asked_ns = 100 * MS,
				    .constants.core_count = 2,
				    .constants.core_mask = 3,
				    .slots = slots,
				    .n_slots = ARRAY_LEN(slots),
				    .n_sums = ARRAY_LEN(slots)};
static const struct mlog_about about = {.program = "test",
					.host = "board",
					.kernel = "",
					.scope = "",
					.monotonic_ns = START,
					.realtime_ns = 5000 * S,
					.sources = &source,
					.n_sources = 1};

struct export_log_bench {
	char dir[40], log[60], out[60], told[60];
	struct sys sys;
	FILE *f;
	struct mlog_writer *writer;
	uint64_t seq;
	char *text, *said; /* output and messages */
	struct err err;
};

static bool write_file(void *ctx, const void *bytes, size_t n, struct err *err)
{
	(void)err;
	return fwrite(bytes, 1, n, ctx) == n;
}

FIXTURE(bench_init)
{
	struct export_log_bench *b = xcalloc(1, sizeof(*b));

	strcpy(b->dir, "/tmp/malitop-test-XXXXXX");
	assert_non_null(mkdtemp(b->dir));
	snprintf(b->log, sizeof(b->log), "%s/run.mlog", b->dir);
	snprintf(b->out, sizeof(b->out), "%s/out", b->dir);
	snprintf(b->told, sizeof(b->told), "%s/told", b->dir);
	assert_true(sys_init(&b->sys, NULL, &b->err));
	b->f = fopen(b->log, "we");
	assert_non_null(b->f);
	b->writer = mlog_writer_new(&about, write_file, b->f, &b->err);
	assert_non_null(b->writer);
	*state = b;
	return 0;
}

FIXTURE(bench_fini)
{
	struct export_log_bench *b = *state;

	mlog_writer_free(b->writer);
	if (b->f)
		fclose(b->f);
	unlink(b->log);
	unlink(b->out);
	unlink(b->told);
	rmdir(b->dir);
	sys_fini(&b->sys);
	free(b->text);
	free(b->said);
	free(b);
	return 0;
}

TEST_EACH(bench_init, bench_fini)

/* From ms to ms since the start. */
static void add_part(struct export_log_bench *b, int64_t from_ms, int64_t to_ms, uint32_t flags,
		     uint64_t active, uint64_t frag)
{
	AUTOFREE struct sample *s = xcalloc(1, sizeof(*s) + ARRAY_LEN(slots) * sizeof(s->value[0]));

	*s = (struct sample){.flags = flags,
			     .seq = ++b->seq,
			     .n_values = ARRAY_LEN(slots),
			     .begin_ns = START + from_ms * MS,
			     .end_ns = START + to_ms * MS};
	s->value[0] = s->value[2] = active;
	s->value[1] = frag;
	assert_true(mlog_writer_sample(b->writer, s, &b->err));
}

/* n samples of 100 ms: sample i counts i * 100 and i * 10. */
static void add_many(struct export_log_bench *b, int first, int n)
{
	for (int i = first; i < first + n; i++)
		add_part(b, (i - 1) * 100, i * 100, 0, (uint64_t)i * 100, (uint64_t)i * 10);
}

static void add_mark(struct export_log_bench *b, int64_t ms)
{
	const struct mlog_note mark = {
		.kind = MLOG_NOTE_MARK, .time_ns = START + ms * MS, .source = -1, .value = 1};

	assert_true(mlog_writer_note(b->writer, &mark, &b->err));
}

static void flush_block(struct export_log_bench *b)
{
	assert_true(mlog_writer_flush(b->writer, &b->err));
}

static void finish_log(struct export_log_bench *b)
{
	assert_true(mlog_writer_end(b->writer, &b->err));
	assert_int_equal(fclose(take_ptr(&b->f)), 0);
}

/* ---- exporting it ---- */

static char *read_all(const char *path)
{
	struct err err;
	char *text;
	size_t n;

	return file_read(path, 1 << 20, &text, &n, &err) ? text : xstrdup("");
}

static struct options csv(const struct export_log_bench *b)
{
	return (struct options){.command = COMMAND_EXPORT,
				.operand = b->log,
				.log = b->out,
				.format = FORMAT_CSV,
				.metrics = "MaliGPUActiveCy,MaliFragQueueUtil",
				.force = true};
}

/* Returns the exit status; b->text is the output, b->said the messages on standard error. */
static int run_program(struct export_log_bench *b, const struct options *options)
{
	int before = dup(STDERR_FILENO), fd = open(b->told, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600),
	    status;

	b->err = (struct err){0};
	fflush(stderr);
	assert_true(dup2(fd, STDERR_FILENO) >= 0);
	status = export_log_run(&b->sys, options, &b->err);
	fflush(stderr);
	dup2(before, STDERR_FILENO);
	close(before);
	close(fd);
	free(b->text);
	free(b->said);
	b->text = read_all(options->log);
	b->said = read_all(b->told);
	return status;
}

/* The rows, without the header; the messages end with `said`. */
static void assert_rows_said(struct export_log_bench *b, const struct options *options, const char *expected,
			     const char *said)
{
	const char *header = "time,duration,flags,MaliGPUActiveCy,MaliFragQueueUtil\r\n";

	if (run_program(b, options) != EXIT_DONE)
		fail_msg("%s", b->err.text);
	assert_true(said[0] ? strlen(b->said) > strlen(said) : !b->said[0]);
	assert_string_equal(b->said + strlen(b->said) - strlen(said), said);
	assert_int_equal(strncmp(b->text, header, strlen(header)), 0);
	assert_string_equal(b->text + strlen(header), expected);
}

static void assert_rows(struct export_log_bench *b, const struct options *options, const char *expected)
{
	assert_rows_said(b, options, expected, "");
}

/* ---- parts and steps ---- */

/* A sample belongs to the step in which it ended. Sums by hand: 100 + 200 + 300 = 600. */
TEST(part_of_a_log_and_its_steps_are_as_worked_out_by_hand)
{
	static const struct {
		int64_t from_ns, to_ns, step_ns;
		const char *rows;
	} cases[] = {
		{0, 0, 0,
		 "5000.000000000,0.100000000,,100.0,10.0\r\n"
		 "5000.100000000,0.100000000,,200.0,10.0\r\n"
		 "5000.200000000,0.100000000,,300.0,10.0\r\n"
		 "5000.300000000,0.100000000,,400.0,10.0\r\n"
		 "5000.400000000,0.100000000,,500.0,10.0\r\n"},
		{200 * MS, 0, 0,
		 "5000.200000000,0.100000000,,300.0,10.0\r\n"
		 "5000.300000000,0.100000000,,400.0,10.0\r\n"
		 "5000.400000000,0.100000000,,500.0,10.0\r\n"},
		{0, 200 * MS, 0,
		 "5000.000000000,0.100000000,,100.0,10.0\r\n"
		 "5000.100000000,0.100000000,,200.0,10.0\r\n"},
		{150 * MS, 399 * MS, 0,
		 "5000.100000000,0.100000000,,200.0,10.0\r\n"
		 "5000.200000000,0.100000000,,300.0,10.0\r\n"},
		{0, 0, 300 * MS,
		 "5000.000000000,0.300000000,,600.0,10.0\r\n"
		 "5000.300000000,0.200000000,,900.0,10.0\r\n"},
		{100 * MS, 0, 200 * MS,
		 "5000.100000000,0.200000000,,500.0,10.0\r\n"
		 "5000.300000000,0.200000000,,900.0,10.0\r\n"},
		{100 * MS, 400 * MS, 60 * S, "5000.100000000,0.300000000,,900.0,10.0\r\n"},
	};
	struct export_log_bench *b = *state;

	add_many(b, 1, 2);
	flush_block(b);
	add_many(b, 3, 1);
	flush_block(b);
	add_many(b, 4, 2);
	finish_log(b);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct options o = csv(b);

		o.from_ns = cases[i].from_ns;
		o.to_ns = cases[i].to_ns;
		o.step_ns = cases[i].step_ns;
		assert_rows(b, &o, cases[i].rows);
	}
}

TEST(what_went_wrong_stands_in_the_row_and_in_the_step)
{
	struct export_log_bench *b = *state;
	struct options o = csv(b);
	const char *said = ": Mali-G31 2 cores: 1 sample failed: the GPU was reset, which stops its "
			   "counters: they are started again (1)\n";

	add_part(b, 0, 100, 0, 100, 10);
	add_part(b, 100, 200, SAMPLE_CLOCK, 200, 10);
	add_part(b, 200, 300, sample_failed(FAILURE_RESET), 999, 99);
	b->seq += 3; /* lost */
	add_part(b, 600, 700, 0, 400, 10);
	finish_log(b);
	assert_rows_said(b, &o,
			 "5000.000000000,0.100000000,,100.0,10.0\r\n"
			 "5000.100000000,0.100000000,clock,200.0,5.0\r\n"
			 "5000.200000000,0.100000000,error,,\r\n"
			 "5000.600000000,0.100000000,gap lost,400.0,2.5\r\n",
			 said);
	o.step_ns = 10 * S;
	assert_rows_said(b, &o, "5000.000000000,0.300000000,gap error clock lost,700.0,4.285714285714286\r\n",
			 said);
	o.from_ns = 300 * MS; /* it is not in the exported part */
	assert_rows(b, &o, "5000.600000000,0.100000000,,400.0,2.5\r\n");
}

TEST(marks_are_flagged_if_they_are_in_the_part)
{
	struct export_log_bench *b = *state;
	struct options o = csv(b);

	add_many(b, 1, 1);
	add_mark(b, 150);
	add_many(b, 2, 1);
	flush_block(b);
	add_mark(b, 200);
	add_mark(b, 310);
	add_many(b, 3, 2);
	finish_log(b);
	assert_rows(b, &o,
		    "5000.000000000,0.100000000,,100.0,10.0\r\n"
		    "5000.100000000,0.100000000,mark,200.0,10.0\r\n"
		    "5000.200000000,0.100000000,mark,300.0,10.0\r\n" /* set at 200 ms, after the sample */
		    "5000.300000000,0.100000000,mark,400.0,10.0\r\n");
	o.from_ns = 200 * MS;
	o.step_ns = 100 * MS;
	assert_rows(b, &o,
		    "5000.200000000,0.100000000,,300.0,10.0\r\n"
		    "5000.300000000,0.100000000,mark,400.0,10.0\r\n");
}

TEST(cores_that_were_not_kept_are_reported)
{
	struct export_log_bench *b = *state;
	struct options o = csv(b);

	add_many(b, 1, 1);
	finish_log(b);
	o.per_core = true;
	assert_int_equal(run_program(b, &o), EXIT_DONE);
	assert_non_null(strstr(b->said, "run.mlog: the log has sums only: record it with --per-core"));
	assert_non_null(strstr(b->text, ",100.0,10.0\r\n"));
}

TEST(log_without_a_sample_is_a_header)
{
	struct export_log_bench *b = *state;
	struct options o = csv(b);

	finish_log(b);
	assert_rows(b, &o, "");
}

/* ---- what cannot be read, or written ---- */

TEST(log_that_ends_early_gives_its_whole_blocks)
{
	struct export_log_bench *b = *state;
	struct options o = csv(b);

	add_many(b, 1, 2);
	flush_block(b);
	fflush(b->f); /* still being written */
	assert_int_equal(run_program(b, &o), EXIT_DONE);
	assert_non_null(strstr(b->said, "run.mlog: the recording did not end normally"));
	assert_non_null(strstr(b->text, "5000.000000000,0.100000000,,100.0,10.0\r\n"
					"5000.100000000,0.100000000,,200.0,10.0\r\n"));
	add_many(b, 3, 2);
	flush_block(b);
	fflush(b->f);
	assert_int_equal(truncate(b->log, ftell(b->f) - 1), 0);
	assert_int_equal(run_program(b, &o), EXIT_DONE);
	assert_non_null(strstr(b->said, "malitop: "));
	assert_non_null(strstr(b->said, "run.mlog: "));
	assert_non_null(strstr(b->said, "at the end are an incomplete block"));
	assert_non_null(strstr(b->text, ",200.0,"));
	assert_null(strstr(b->text, ",300.0,"));
}

TEST(damage_inside_is_a_failure_and_a_gap)
{
	struct export_log_bench *b = *state;
	struct options o = csv(b);
	long at;
	int byte;

	add_many(b, 1, 2);
	flush_block(b);
	at = ftell(b->f) + 60; /* in the payload of the next block */
	add_many(b, 3, 2);
	flush_block(b);
	add_many(b, 5, 1);
	finish_log(b);
	b->f = fopen(b->log, "r+e");
	fseek(b->f, at, SEEK_SET);
	byte = fgetc(b->f);
	fseek(b->f, at, SEEK_SET);
	fputc(byte ^ 0x10, b->f);
	fflush(b->f);
	assert_int_equal(run_program(b, &o), EXIT_FAILED);
	assert_string_equal(b->err.text, "");
	assert_non_null(strstr(b->said, "inside are damaged"));
	assert_non_null(strstr(b->text, ",200.0,"));
	assert_null(strstr(b->text, ",300.0,"));
	assert_non_null(strstr(b->text, "5000.400000000,0.100000000,gap lost,500.0,10.0\r\n"));
}

TEST(what_cannot_be_is_reported_and_nothing_is_written)
{
	static const struct {
		const char *operand, *log, *metrics;
		enum output_format format;
		bool force;
		int code;
		const char *text;
	} cases[] = {
		{"/nonexistent.mlog", NULL, NULL, FORMAT_CSV, true, ENOENT, "/nonexistent.mlog: cannot open"},
		{"/dev/null", NULL, NULL, FORMAT_CSV, true, ESPIPE, "not a regular file"},
		{"/proc/self/status", NULL, NULL, FORMAT_CSV, true, 0, "not a raw counter log"},
		{NULL, "/nonexistent/out.csv", NULL, FORMAT_CSV, true, ENOENT,
		 "/nonexistent/out.csv: cannot create"},
		{NULL, "/dev/full", NULL, FORMAT_CSV, true, ENOSPC, "/dev/full: No space left"},
		{NULL, "LOG", NULL, FORMAT_CSV, true, ERR_USAGE, "this is the log that is read"},
		{NULL, "LOG", NULL, FORMAT_CSV, false, ERR_USAGE, "this is the log that is read"},
		{NULL, NULL, "MaliNix*", FORMAT_CSV, true, ERR_USAGE, "'MaliNix*' matches no metric"},
		{NULL, NULL, "MaliFragQueueUtil.core0", FORMAT_CSV, true, ERR_USAGE,
		 "single cores, slices and CPUs need --per-core"},
		{NULL, NULL, NULL, FORMAT_COUNTERS, true, 0, "record it with --per-core"},
	};
	struct export_log_bench *b = *state;
	AUTOFREE char *before = NULL;
	AUTOFREE char *after = NULL;
	size_t n, n_after;

	add_many(b, 1, 5);
	finish_log(b);
	assert_true(file_read(b->log, 1 << 20, &before, &n, &b->err));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct options o = csv(b);

		o.operand = cases[i].operand ? cases[i].operand : b->log;
		o.log = !cases[i].log ? b->out : strcmp(cases[i].log, "LOG") == 0 ? b->log : cases[i].log;
		o.metrics = cases[i].metrics ? cases[i].metrics : o.metrics;
		o.format = cases[i].format;
		o.force = cases[i].force;
		assert_int_equal(run_program(b, &o), EXIT_FAILED);
		assert_int_equal(b->err.code, cases[i].code);
		if (!strstr(b->err.text, cases[i].text))
			fail_msg("'%s' instead of '%s'", b->err.text, cases[i].text);
		assert_int_not_equal(access(b->out, F_OK), 0);
	}
	assert_true(file_read(b->log, 1 << 20, &after, &n_after, &b->err));
	assert_int_equal(n_after, n);
	assert_memory_equal(after, before, n);
}

TEST(from_past_the_end_is_a_usage_error)
{
	struct export_log_bench *b = *state;
	struct options o = csv(b);

	add_many(b, 1, 5);
	finish_log(b);
	o.from_ns = 499 * MS;
	assert_rows(b, &o, "5000.400000000,0.100000000,,500.0,10.0\r\n");
	o.from_ns = 500 * MS;
	assert_int_equal(run_program(b, &o), EXIT_FAILED);
	assert_int_equal(b->err.code, ERR_USAGE);
	assert_string_equal(b->err.text, "--from: 0.5 s: the log is only 0:00.5 long");
}

TEST(file_that_exists_is_left_alone_without_force)
{
	struct export_log_bench *b = *state;
	struct options o = csv(b);

	add_many(b, 1, 1);
	finish_log(b);
	o.force = false;
	assert_rows(b, &o, "5000.000000000,0.100000000,,100.0,10.0\r\n");
	assert_int_equal(run_program(b, &o), EXIT_FAILED);
	assert_non_null(strstr(b->err.text, "already exists"));
	assert_non_null(strstr(b->text, ",100.0,"));
}

/* As with `| head -1`, at any write. */
TEST(closed_pipe_is_not_a_failure)
{
	struct export_log_bench *b = *state;

	add_many(b, 1, 5000);
	finish_log(b);
	for (int reads = 0; reads < 2; reads++) {
		struct options o = csv(b);
		int fds[2], status;
		char byte;
		pid_t pid;

		o.log = "-";
		assert_int_equal(pipe(fds), 0);
		pid = fork();
		if (pid == 0) {
			dup2(fds[1], STDOUT_FILENO);
			close(fds[0]);
			close(fds[1]);
			status = export_log_run(&b->sys, &o, &b->err);
			_exit(status == EXIT_DONE && !b->err.text[0] ? 0 : 9);
		}
		close(fds[1]);
		if (reads)
			assert_int_equal(read(fds[0], &byte, 1), 1);
		close(fds[0]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
}

/* Escape sequences that would write anywhere on a screen. */
TEST(trace_is_not_for_a_terminal)
{
	int before = dup(STDOUT_FILENO), terminal = posix_openpt(O_RDWR | O_NOCTTY), fd, status;
	struct export_log_bench *b = *state;
	struct options o = csv(b);

	add_many(b, 1, 1);
	finish_log(b);
	assert_true(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
	fd = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
	assert_true(fd >= 0);
	o.format = FORMAT_PERFETTO;
	o.log = "-";
	fflush(stdout);
	assert_true(dup2(fd, STDOUT_FILENO) >= 0);
	status = export_log_run(&b->sys, &o, &b->err);
	dup2(before, STDOUT_FILENO);
	close(before);
	close(fd);
	close(terminal);
	assert_int_equal(status, EXIT_FAILED);
	assert_int_equal(b->err.code, ERR_USAGE);
	assert_string_equal(b->err.text, "--format perfetto: not for a terminal: give -o FILE.pftrace");
}
