/* Signals to processes of a list: that they reach the right one or none, and what is said of
 * it. */
#include "session/process_signal.h"
#include "base/alloc.h"
#include "tests/support/fixture.h"
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STAT "4711 (a) R 1 (b) S 1 4711 4711 0 -1 4194560 0 0 0 0 5 3 0 0 20 0 1 0 %d 0 0\n"
#define START 987654

static const struct process game = {.pid = 4711, .start = START, .name = "game"};

/* A kernel that fails as it is told, and what reached it. */
static struct {
	int open_errno, send_errno;
	int by_pidfd, by_pid; /* the signal; 0: none */
} kernel;

static int fake_pidfd_open(const struct sys *sys, pid_t pid)
{
	assert_int_equal(pid, game.pid);
	if (kernel.open_errno)
		return errno = kernel.open_errno, -1;
	return sys->open(sys, "proc", O_PATH);
}

static int fake_send(int *number, int signo)
{
	if (kernel.send_errno)
		return errno = kernel.send_errno, -1;
	*number = signo;
	return 0;
}

static int fake_pidfd_send_signal(const struct sys *sys, int pidfd, int signo)
{
	(void)sys;
	assert_true(pidfd >= 0);
	return fake_send(&kernel.by_pidfd, signo);
}

static int fake_kill(const struct sys *sys, pid_t pid, int signo)
{
	(void)sys;
	assert_int_equal(pid, game.pid);
	return fake_send(&kernel.by_pid, signo);
}

static void machine(struct fixture *f, const char *stat)
{
	fixture_init(f, NULL);
	fixture_write(f, "proc/version", "");
	if (stat)
		fixture_write(f, "proc/4711/stat", stat);
	f->sys.pidfd_open = fake_pidfd_open;
	f->sys.pidfd_send_signal = fake_pidfd_send_signal;
	f->sys.kill = fake_kill;
	memset(&kernel, 0, sizeof(kernel));
}

TEST(it_reaches_the_process_or_nobody)
{
	static const struct {
		int start; /* of who has the pid now; 0: nobody */
		int open_errno, send_errno;
		int by_pidfd, by_pid;
		const char *error;
	} cases[] = {
		{START, 0, 0, SIGTERM, 0, NULL},
		{START, ENOSYS, 0, 0, SIGTERM, NULL}, /* an old kernel */
		{START, EPERM, 0, 0, SIGTERM, NULL},  /* a sandbox that knows no pidfds */
		{START, 0, EPERM, 0, 0, "4711 game: SIGTERM not permitted: you are not its owner"},
		{START, ENOSYS, EPERM, 0, 0, "4711 game: SIGTERM not permitted: you are not its owner"},
		{0, ESRCH, 0, 0, 0, "4711 game: has already ended: nothing was sent"},
		{START, ESRCH, 0, 0, 0, "4711 game: has already ended: nothing was sent"},
		{START, 0, ESRCH, 0, 0, "4711 game: has already ended: nothing was sent"},
		{0, 0, 0, 0, 0, "4711 game: has already ended: nothing was sent"},
		{0, ENOSYS, 0, 0, 0, "4711 game: has already ended: nothing was sent"},
		{START + 1, 0, 0, 0, 0,
		 "4711 game: has already ended: nothing was sent"}, /* another one has its pid */
		{START + 1, ENOSYS, 0, 0, 0, "4711 game: has already ended: nothing was sent"},
		{START, 0, EINVAL, 0, 0, "4711 game: SIGTERM not sent: Invalid argument"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = {0};
		char stat[200];
		struct fixture f;
		bool ok;

		snprintf(stat, sizeof(stat), STAT, cases[i].start);
		machine(&f, cases[i].start ? stat : NULL);
		kernel.open_errno = cases[i].open_errno;
		kernel.send_errno = cases[i].send_errno;
		ok = process_signal_send(&f.sys, &game, &process_signals[0], &err);
		if (ok != !cases[i].error || strcmp(err.text, cases[i].error ? cases[i].error : "") != 0)
			fail_msg("case %zu: %s", i, err.text);
		assert_int_equal(kernel.by_pidfd, cases[i].by_pidfd);
		assert_int_equal(kernel.by_pid, cases[i].by_pid);
		fixture_fini(&f);
	}
}

TEST(a_stat_file_that_cannot_be_understood_is_nobody)
{
	static const char *const stats[] = {
		"",
		"4711 game S 1",
		"4711 (game) S 1 2 3",
		"4711 (game) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 x 0 0\n",
	};

	for (size_t i = 0; i < ARRAY_LEN(stats); i++) {
		struct fixture f;
		struct err err;

		machine(&f, stats[i]);
		assert_false(process_signal_send(&f.sys, &game, &process_signals[0], &err));
		assert_int_equal(err.code, ESRCH);
		assert_int_equal(kernel.by_pidfd, 0);
		fixture_fini(&f);
	}
}

TEST(init_and_ourselves_are_refused)
{
	const struct {
		int32_t pid;
		const char *word;
	} cases[] = {{1, "belongs to the system"},
		     {0, "belongs to the system"},
		     {-1, "belongs to the system"},
		     {getpid(), "malitop itself"}};
	struct fixture f;

	machine(&f, NULL);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct process p = {.pid = cases[i].pid, .name = "x"};
		struct err err;

		assert_false(process_signal_send(&f.sys, &p, &process_signals[0], &err));
		assert_non_null(strstr(err.text, cases[i].word));
		assert_int_equal(kernel.by_pidfd + kernel.by_pid, 0);
	}
	fixture_fini(&f);
}

/* The field of our own stat file that says when we started is read by libc's scanf here, by us
 * there. */
TEST(the_real_kernel_delivers_it)
{
	struct process p = {.name = "child"};
	unsigned long long start;
	char path[32], text[1024];
	struct sys sys;
	struct err err;
	int status;

	assert_true(sys_init(&sys, NULL, &err));
	p.pid = fork();
	if (p.pid == 0) {
		alarm(20);
		for (;;)
			pause();
	}
	snprintf(path, sizeof(path), "proc/%d/stat", p.pid);
	assert_true(sys_read_file(&sys, path, text, sizeof(text)) > 0);
	assert_int_equal(
		sscanf(strrchr(text, ')') + 2,
		       "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		       &start),
		1);
	p.start = start + 1;
	assert_false(process_signal_send(&sys, &p, &process_signals[0], &err));
	p.start = start;
	assert_true(process_signal_send(&sys, &p, &process_signals[0], &err));
	assert_int_equal(waitpid(p.pid, &status, 0), p.pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
	assert_false(process_signal_send(&sys, &p, &process_signals[0], &err));
	assert_int_equal(err.code, ESRCH);
	sys_fini(&sys);
}

TEST(the_mildest_signal_comes_first)
{
	assert_int_equal(process_signals[0].number, SIGTERM);
	for (int signo = 1; signo < 32; signo++) { /* each once, but one that no program uses */
		unsigned n = 0;

		for (unsigned i = 0; i < process_signals_n; i++)
			n += process_signals[i].number == signo;
		assert_int_equal(n, signo != SIGSTKFLT);
	}
}

/* Another process here may have its pid, and even its start. */
TEST(what_is_simulated_is_refused)
{
	const struct process simulated = {
		.pid = getppid(), .start = START, .simulated = true, .name = "game"};
	struct err err;

	assert_false(process_signal_allowed(&simulated, &err));
	assert_non_null(strstr(err.text, "game: not signaled: it is simulated"));
	assert_false(process_signal_send(NULL, &simulated, &process_signals[0], &err));
}
