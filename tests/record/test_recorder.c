#include "record/recorder.h"
#include "base/alloc.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct bench {
	struct sys sys;
	struct options options;
	struct session session;
	char dir[32], path[64];
};

static int set_up(void **state)
{
	static struct bench b;
	struct err err;

	b = (struct bench){.dir = "/tmp/malitop-XXXXXX"};
	assert_non_null(mkdtemp(b.dir));
	snprintf(b.path, sizeof(b.path), "%s/log.csv", b.dir);
	b.options = (struct options){.backends = "sim", .interval_ns = 10000000, .fps = 60, .format = FORMAT_CSV, .seed = 1};
	assert_true(sys_init(&b.sys, NULL, &err));
	if (!session_open(&b.session, &b.sys, &b.options, false, &err))
		fail_msg("%s", err.text);
	*state = &b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	session_close(&b->session);
	sys_fini(&b->sys);
	unlink(b->path);
	rmdir(b->dir);
	return 0;
}

static void record_ms(struct bench *b, int ms, struct recorder_state *state)
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

static void every_sample_becomes_a_row(void **state)
{
	struct bench *b = *state;
	struct recorder_state end;
	struct stat st;

	record_ms(b, 300, &end);
	assert_false(end.failed);
	assert_int_equal(end.lost, 0);
	assert_true(end.rows >= 28);
	assert_int_equal(count_rows(b->path), end.rows);
	assert_int_equal(stat(b->path, &st), 0);
	assert_int_equal(end.bytes, st.st_size);
	assert_int_equal(st.st_mode & 0777 & ~0644, 0);
}

static void an_existing_file_is_refused_without_force(void **state)
{
	struct bench *b = *state;
	struct recorder_state end;
	struct err err;
	int fd = open(b->path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);

	assert_int_equal(write(fd, "precious\n", 9), 9);
	close(fd);
	assert_null(recorder_start(&b->session, b->path, &err));
	assert_non_null(strstr(err.text, "exists already"));
	assert_non_null(strstr(err.text, "--force"));
	b->options.force = true;
	record_ms(b, 50, &end);
	assert_int_equal(count_rows(b->path), end.rows);
}

static void a_name_that_cannot_be_created_is_an_error(void **state)
{
	struct bench *b = *state;
	struct err err;

	assert_null(recorder_start(&b->session, "/nonexistent/dir/log.csv", &err));
	assert_non_null(strstr(err.text, "cannot create"));
}

static void a_full_disk_ends_the_log_with_one_message(void **state)
{
	struct bench *b = *state;
	struct recorder *r;
	struct err err;

	b->options.force = true;
	r = recorder_start(&b->session, "/dev/full", &err);
	assert_null(r);
	assert_non_null(strstr(err.text, "/dev/full"));
	assert_non_null(strstr(err.text, "logging stopped"));
}

static void what_was_written_before_the_limit_stays_whole_lines(void **state)
{
	struct bench *b = *state;
	struct recorder_state end;
	struct rlimit before, limit;

	getrlimit(RLIMIT_FSIZE, &before);
	limit = (struct rlimit){20000, before.rlim_max};
	setrlimit(RLIMIT_FSIZE, &limit);
	record_ms(b, 1200, &end);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_true(end.failed);
	assert_non_null(strstr(end.err.text, "File too large"));
	assert_true(end.bytes <= 20000);
	assert_int_equal(count_rows(b->path), end.rows);
}

#define WITH_BENCH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_BENCH(every_sample_becomes_a_row),
		WITH_BENCH(an_existing_file_is_refused_without_force),
		WITH_BENCH(a_name_that_cannot_be_created_is_an_error),
		WITH_BENCH(a_full_disk_ends_the_log_with_one_message),
		WITH_BENCH(what_was_written_before_the_limit_stays_whole_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
