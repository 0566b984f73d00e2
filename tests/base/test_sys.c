#include "tests/support/fixture.h"

#include "base/alloc.h"
#include "tests/support/await.h"
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

TEST(paths_are_relative_to_the_root_also_with_a_slash_in_front)
{
	static const char *const paths[] = {"proc/loadavg", "/proc/loadavg", "///proc/loadavg"};
	struct fixture f;
	char text[32];

	fixture_init(&f, NULL);
	fixture_write(&f, "proc/loadavg", "not the machine's\n");
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		assert_int_equal(sys_read_file(&f.sys, paths[i], text, sizeof(text)), 18);
		assert_string_equal(text, "not the machine's\n");
	}
	fixture_fini(&f);
}

TEST(a_root_that_is_no_directory_is_an_error_that_names_it)
{
	static const char *const roots[] = {"/nonexistent-root", "/dev/null"};
	struct sys sys;
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(roots); i++) {
		assert_false(sys_init(&sys, roots[i], &err));
		assert_non_null(strstr(err.text, roots[i]));
		assert_true(err.code == ENOENT || err.code == ENOTDIR);
		sys_fini(&sys);
	}
}

TEST(a_file_that_is_too_long_is_cut_and_terminated)
{
	struct fixture f;
	char text[8];
	int fd;

	fixture_init(&f, NULL);
	fixture_write(&f, "long", "0123456789");
	memset(text, 'x', sizeof(text));
	assert_int_equal(sys_read_file(&f.sys, "long", text, sizeof(text)), 7);
	assert_string_equal(text, "0123456");
	fd = f.sys.open(&f.sys, "long", O_RDONLY);
	memset(text, 'x', sizeof(text));
	assert_int_equal(sys_reread(&f.sys, fd, text, sizeof(text)), 7);
	assert_string_equal(text, "0123456");
	f.sys.close(&f.sys, fd);
	fixture_fini(&f);
}

TEST(a_file_that_cannot_be_read_leaves_an_empty_text_and_errno)
{
	struct fixture f;
	char text[8] = "before";
	int fd;

	fixture_init(&f, NULL);
	assert_int_equal(sys_read_file(&f.sys, "missing", text, sizeof(text)), -1);
	assert_int_equal(errno, ENOENT);
	assert_string_equal(text, "");
	fixture_write(&f, "temp", "42\n");
	fd = f.sys.open(&f.sys, "temp", O_RDONLY);
	f.broken = "temp";
	f.broken_errno = EAGAIN;
	strcpy(text, "before");
	assert_int_equal(sys_reread(&f.sys, fd, text, sizeof(text)), -1);
	assert_int_equal(errno, EAGAIN);
	assert_string_equal(text, "");
	assert_int_equal(sys_read_file(&f.sys, "temp", text, sizeof(text)), -1);
	assert_int_equal(errno, EAGAIN);
	f.sys.close(&f.sys, fd);
	fixture_fini(&f);
}

TEST(a_file_kept_open_is_read_from_its_start_again)
{
	struct fixture f;
	char text[16];
	int fd;

	fixture_init(&f, NULL);
	fixture_write(&f, "clock", "1008000\n");
	fd = f.sys.open(&f.sys, "clock", O_RDONLY);
	sys_reread(&f.sys, fd, text, sizeof(text));
	assert_string_equal(text, "1008000\n");
	fixture_write(&f, "clock", "408000\n");
	sys_reread(&f.sys, fd, text, sizeof(text));
	assert_string_equal(text, "408000\n");
	f.sys.close(&f.sys, fd);
	fixture_fini(&f);
}

TEST(only_what_is_wholly_a_number_is_one)
{
	static const struct {
		const char *text;
		bool ok;
		int64_t value;
	} cases[] = {
		{"0\n", true, 0},
		{" 42 \n", true, 42},
		{"-273", true, -273},
		{"+7", true, 7},
		{"0x00000000412fd050\n", true, 0x412fd050},
		{"9223372036854775807", true, INT64_MAX},
		{"-9223372036854775808", true, INT64_MIN},
		{"9223372036854775808", false, 0},
		{"-9223372036854775809", false, 0},
		{"18446744073709551616", false, 0},
		{"", false, 0},
		{"-", false, 0},
		{"--1", false, 0},
		{"0x", false, 0},
		{"12 34", false, 0},
		{"1.5", false, 0},
		{"<unknown>\n", false, 0},
		{"0000000000000000000000000000000000000000000000000000000000000000000001", false, 0},
	};
	struct fixture f;

	fixture_init(&f, NULL);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t value = 4711;

		fixture_write(&f, "number", cases[i].text);
		assert_int_equal(sys_read_i64(&f.sys, "number", &value), cases[i].ok);
		assert_int_equal(value, cases[i].ok ? cases[i].value : 4711);
	}
	assert_false(sys_read_i64(&f.sys, "missing", &(int64_t){0}));
	fixture_fini(&f);
}

TEST(a_directory_is_listed_in_order_without_its_dots)
{
	struct fixture f;
	char **names;

	fixture_init(&f, NULL);
	fixture_write(&f, "d/policy6/x", "");
	fixture_write(&f, "d/policy0/x", "");
	fixture_write(&f, "d/boost", "");
	assert_int_equal(f.sys.list(&f.sys, "d", &names), 3);
	assert_string_equal(names[0], "boost");
	assert_string_equal(names[1], "policy0");
	assert_string_equal(names[2], "policy6");
	sys_names_free(names, 3);
	assert_int_equal(f.sys.list(&f.sys, "", &names), 1);
	assert_string_equal(names[0], "d");
	sys_names_free(names, 1);
	fixture_fini(&f);
}

TEST(numbers_are_listed_ascending_and_nothing_else)
{
	static const char *const names[] = {
		"d/10", "d/9", "d/2147483647", "d/1",  "d/2147483648",           "d/0",
		"d/07", "d/x", "d/3x",         "d/-4", "d/99999999999999999999", "d/self"};
	static const int32_t want[] = {1, 9, 10, INT32_MAX};
	int32_t *numbers = NULL;
	unsigned cap = 0;
	struct fixture f;

	fixture_init(&f, NULL);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		fixture_write(&f, names[i], "");
	for (int again = 0; again < 2; again++) {
		assert_int_equal(f.sys.list_numbers(&f.sys, "d", &numbers, &cap), ARRAY_LEN(want));
		assert_memory_equal(numbers, want, sizeof(want));
	}
	assert_int_equal(f.sys.list_numbers(&f.sys, "missing", &numbers, &cap), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(f.sys.list_numbers(&f.sys, "d/9", &numbers, &cap), -1);
	assert_int_equal(errno, ENOTDIR);
	free(numbers);
	fixture_fini(&f);
}

/* More than the kernel tells in one call. */
TEST(a_long_directory_is_listed_as_a_whole)
{
	int32_t *numbers = NULL;
	unsigned cap = 0;
	struct fixture f;

	fixture_init(&f, NULL);
	for (int i = 1; i <= 3000; i++) {
		char path[32];

		snprintf(path, sizeof(path), "d/%d", i);
		fixture_write(&f, path, "");
	}
	assert_int_equal(f.sys.list_numbers(&f.sys, "d", &numbers, &cap), 3000);
	for (int i = 0; i < 3000; i++)
		assert_int_equal(numbers[i], i + 1);
	free(numbers);
	fixture_fini(&f);
}

TEST(a_file_is_described_relative_to_the_root)
{
	struct fixture f;
	struct stat st;

	fixture_init(&f, NULL);
	fixture_write(&f, "etc/passwd", "root\n");
	assert_int_equal(f.sys.stat(&f.sys, "/etc/passwd", &st), 0);
	assert_int_equal(st.st_size, 5);
	assert_int_equal(st.st_uid, geteuid());
	assert_int_equal(f.sys.stat(&f.sys, "etc/missing", &st), -1);
	assert_int_equal(errno, ENOENT);
	fixture_fini(&f);
}

TEST(the_time_of_a_thread_runs_while_it_works)
{
	struct fixture f;
	int64_t before;

	fixture_init(&f, NULL);
	before = f.sys.thread_ns(&f.sys);
	while (f.sys.thread_ns(&f.sys) < before + 1000000)
		;
	fixture_fini(&f);
}

TEST(listing_what_is_no_directory_fails_and_an_empty_one_has_nothing)
{
	struct fixture f;
	char **names;

	fixture_init(&f, NULL);
	assert_int_equal(f.sys.list(&f.sys, ".", &names), 0);
	sys_names_free(names, 0);
	assert_int_equal(f.sys.list(&f.sys, "missing", &names), -1);
	assert_int_equal(errno, ENOENT);
	assert_null(names);
	fixture_write(&f, "file", "");
	assert_int_equal(f.sys.list(&f.sys, "file", &names), -1);
	assert_int_equal(errno, ENOTDIR);
	fixture_fini(&f);
}

static bool is_ready(int fd, int timeout_ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, timeout_ms) == 1;
}

TEST(polling_until_a_time_ends_when_it_has_come_or_is_past)
{
	struct sys sys;
	struct pollfd p = {.fd = sys_event_new(), .events = POLLIN};
	int64_t now;

	assert_true(sys_init(&sys, NULL, NULL));
	now = sys.monotonic_ns(&sys);
	assert_int_equal(sys.poll_until(&sys, &p, 1, now + 5000000), 0);
	assert_true(sys.monotonic_ns(&sys) >= now + 5000000);
	assert_int_equal(sys.poll_until(&sys, &p, 1, now), 0);
	assert_int_equal(sys.poll_until(&sys, &p, 1, INT64_MIN), 0);
	sys_event_signal(p.fd);
	assert_int_equal(sys.poll_until(&sys, &p, 1, INT64_MIN), 1); /* looks before it gives up */
	assert_int_equal(sys.poll_until(&sys, &p, 1, INT64_MAX), 1);
	close(p.fd);
	sys_fini(&sys);
}

TEST(an_event_stays_until_it_is_acknowledged_once)
{
	int fd = sys_event_new();

	assert_true(fd >= 0);
	assert_false(is_ready(fd, 0));
	sys_event_signal(fd);
	sys_event_signal(fd);
	assert_true(is_ready(fd, 0));
	assert_true(is_ready(fd, 0));
	sys_event_ack(fd);
	assert_false(is_ready(fd, 0));
	sys_event_ack(fd);
	close(fd);
}

TEST(clocks_run_and_boot_time_is_at_least_monotonic_time)
{
	struct sys sys;
	int64_t before, after;

	assert_true(sys_init(&sys, NULL, NULL));
	before = sys.monotonic_ns(&sys);
	assert_true(sys.boottime_ns(&sys) >= before);
	assert_true(sys.raw_ns(&sys) > 0);
	assert_true(sys.realtime_ns(&sys) > before);
	after = sys.monotonic_ns(&sys);
	assert_true(after >= before && after - before < 10000000000);
	sys_fini(&sys);
}

TEST(a_descriptor_that_is_handed_over_is_not_closed)
{
	int kept;

	{
		CLOSE_FD int fd = sys_event_new();

		kept = take_fd(&fd);
		assert_int_equal(fd, -1);
	}
	assert_int_not_equal(fcntl(kept, F_GETFD), -1);
	assert_true(fcntl(kept, F_GETFD) & FD_CLOEXEC);
	sys_cleanup_close(&kept);
	assert_int_equal(kept, -1);
}

/* What a program may find in the root of another process. */
static const struct {
	const char *root, *path;
	int flags;
	const char *text, *without; /* "-": refused; without openat2 */
} places[] = {
	{"jail", "file", 0, "inside", "inside"},
	{"jail", "/dir/deep", 0, "deep", "deep"},
	{"jail", "in", 0, "inside", "-"},
	{"jail", "in", O_NOFOLLOW, "-", "-"},
	{"jail", "out", 0, "jailed", "-"},
	{"jail", "up", 0, "jailed", "-"},
	{"jail", "linked/deep", 0, "deep", "-"},
	{"jail", "../secret", 0, "jailed", "-"},
	{"jail", "fifo", 0, "-", "-"},
	{"jail", "dir", 0, "-", "-"},
	{"jail", "absent", 0, "-", "-"},
	{"absent", "file", 0, "-", "-"},
	{NULL, "jail/up", 0, "outside", "outside"},
	{NULL, "jail/up", O_NOFOLLOW, "-", "-"},
	{NULL, "jail/fifo", 0, "-", "-"},
};

struct places_bench {
	struct fixture f;
	bool old; /* a kernel without openat2 */
	bool is_old;
	char text[ARRAY_LEN(places)][16];
};

static void *open_places(void *arg)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 437, 0, 1), /* openat2 */
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {ARRAY_LEN(code), code};
	struct places_bench *b = arg;

	if (b->old)
		b->is_old = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
			    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		int fd = b->f.sys.open_regular(&b->f.sys, places[i].root, places[i].path, places[i].flags);
		ssize_t n = fd >= 0 ? read(fd, b->text[i], sizeof(b->text[i]) - 1) : -1;

		if (n < 0)
			snprintf(b->text[i], sizeof(b->text[i]), "-");
		if (fd >= 0)
			close(fd);
	}
	return NULL;
}

static void make_link(const struct fixture *f, const char *name, const char *to)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/jail/%s", f->root, name);
	assert_int_equal(to ? symlink(to, path) : mkfifo(path, 0666), 0);
}

TEST(only_a_regular_file_inside_a_root_is_opened)
{
	for (int old = 0; old < 2; old++) {
		struct places_bench b = {.old = old};
		pthread_t thread;

		fixture_init(&b.f, NULL);
		fixture_write(&b.f, "secret", "outside");
		fixture_write(&b.f, "jail/secret", "jailed");
		fixture_write(&b.f, "jail/file", "inside");
		fixture_write(&b.f, "jail/dir/deep", "deep");
		make_link(&b.f, "in", "file");
		make_link(&b.f, "out", "/secret");
		make_link(&b.f, "up", "../secret");
		make_link(&b.f, "linked", "dir");
		make_link(&b.f, "fifo", NULL);
		assert_int_equal(pthread_create(&thread, NULL, open_places, &b), 0); /* for the filter */
		pthread_join(thread, NULL);
		for (size_t i = 0; i < ARRAY_LEN(places) && b.old == b.is_old; i++)
			assert_string_equal(b.text[i], old ? places[i].without : places[i].text);
		fixture_fini(&b.f);
	}
}
