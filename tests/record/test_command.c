/* Commands under measurement: real ones, held, released and waited for. */
#include "record/measure.h"
#include "base/alloc.h"
#include "base/sys.h"
#include "tests/support/await.h"
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct command_bench {
	struct sys sys;
	char dir[32], file[64];
};

FIXTURE(set_up)
{
	static struct command_bench b;
	struct err err;

	b = (struct command_bench){.dir = "/tmp/malitop-XXXXXX"};
	assert_non_null(mkdtemp(b.dir));
	snprintf(b.file, sizeof(b.file), "%s/file", b.dir);
	assert_true(sys_init(&b.sys, NULL, &err));
	*state = &b;
	return 0;
}

FIXTURE(tear_down)
{
	struct command_bench *b = *state;

	sys_fini(&b->sys);
	unlink(b->file);
	rmdir(b->dir);
	return 0;
}

/* sh -c SCRIPT, until the next call. */
static char **sh(const char *script)
{
	static char words[3][256], *cmd[] = {words[0], words[1], words[2], NULL};

	snprintf(words[0], sizeof(words[0]), "sh");
	snprintf(words[1], sizeof(words[1]), "-c");
	snprintf(words[2], sizeof(words[2]), "%s", script);
	return cmd;
}

static void hold_command(struct command *c, char **cmd)
{
	struct err err;

	if (!command_hold(c, cmd, &err))
		fail_msg("%s", err.text);
}

static void release_command(struct command_bench *b, struct command *c, char **cmd)
{
	struct err err;

	if (!command_release(c, cmd, b->sys.monotonic_ns(&b->sys), &err))
		fail_msg("%s", err.text);
}

/* Until it ended; a minute is more than anything here takes. */
static void await_exit(struct command_bench *b, struct command *c)
{
	for (int i = 0; i < 60000; i++) {
		if (command_reap(c, b->sys.monotonic_ns(&b->sys)))
			return;
		b->sys.poll(&b->sys, NULL, 0, 1);
	}
	fail_msg("the command does not end");
}

TEST_WITH(status_is_as_a_shell_has_it, set_up, tear_down)
{
	static const struct {
		const char *script;
		int status;
	} cases[] = {
		{"exit 0", 0},
		{"exit 7", 7},
		{"exit 255", 255},
		{"kill -9 $$", 128 + SIGKILL},
		{"kill -11 $$", 128 + SIGSEGV},
		{"kill -15 $$", 128 + SIGTERM},
		{"exec sh -c 'exit 3'", 3},
		{"(exit 9); exit 1", 1},
		{"sleep 5 & kill -9 $!; wait $!; exit 4", 4},
	};
	struct command_bench *b = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct command c;

		hold_command(&c, sh(cases[i].script));
		release_command(b, &c, sh(cases[i].script));
		await_exit(b, &c);
		if (c.status != cases[i].status)
			fail_msg("%s: %d, not %d", cases[i].script, c.status, cases[i].status);
	}
}

TEST_WITH(nothing_runs_before_it_is_released, set_up, tear_down)
{
	AUTOFREE char *script = NULL;
	struct command_bench *b = *state;
	struct command c;

	script = xasprintf("touch %s", b->file);
	hold_command(&c, sh(script));
	b->sys.poll(&b->sys, NULL, 0, 50);
	assert_int_equal(access(b->file, F_OK), -1);
	assert_false(command_reap(&c, 1));
	release_command(b, &c, sh(script));
	await_exit(b, &c);
	assert_int_equal(access(b->file, F_OK), 0);
}

TEST_WITH(what_is_dropped_never_runs, set_up, tear_down)
{
	AUTOFREE char *script = NULL;
	struct command_bench *b = *state;
	struct command c;

	script = xasprintf("touch %s", b->file);
	hold_command(&c, sh(script));
	command_drop(&c);
	assert_int_equal(access(b->file, F_OK), -1);
	assert_int_equal(kill(c.pid, 0), -1); /* and nothing of it is left */
	assert_int_equal(errno, ESRCH);
}

TEST_WITH(what_cannot_run_says_so_with_the_status_of_a_shell, set_up, tear_down)
{
	static const struct {
		const char *name;
		int status, code;
	} cases[] = {
		{"no-such-command-anywhere", 127, ENOENT},
		{"/no/such/command", 127, ENOENT},
		{"/", 126, EACCES},
		{"/etc/passwd", 126, EACCES},
		{"/etc/passwd/x", 126, ENOTDIR},
	};
	struct command_bench *b = *state;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char name[64], *cmd[] = {name, NULL};
		struct command c;
		struct err err;

		snprintf(name, sizeof(name), "%s", cases[i].name);
		hold_command(&c, cmd);
		assert_false(command_release(&c, cmd, b->sys.monotonic_ns(&b->sys), &err));
		assert_int_equal(err.code, cases[i].code);
		assert_non_null(strstr(err.text, cases[i].name));
		assert_non_null(strstr(err.text, "check the name and that it is executable"));
		assert_true(c.ended);
		assert_int_equal(c.status, cases[i].status);
	}
}

TEST_WITH(script_without_an_interpreter_line_runs_in_the_shell, set_up, tear_down)
{
	struct command_bench *b = *state;
	char *cmd[] = {b->file, NULL};
	struct command c;
	int fd = open(b->file, O_CREAT | O_WRONLY | O_CLOEXEC, 0700);

	assert_int_equal(write(fd, "exit 6\n", 7), 7);
	close(fd);
	hold_command(&c, cmd);
	release_command(b, &c, cmd);
	await_exit(b, &c);
	assert_int_equal(c.status, 6);
}

TEST_WITH(killed_while_held_it_ended_by_that_signal, set_up, tear_down)
{
	struct command_bench *b = *state;
	struct command c;

	hold_command(&c, sh("exit 0"));
	kill(c.pid, SIGKILL);
	b->sys.poll(&b->sys, NULL, 0, 50);
	release_command(b, &c, sh("exit 0"));
	await_exit(b, &c);
	assert_int_equal(c.status, 128 + SIGKILL);
}

TEST_WITH(stopped_it_has_not_ended, set_up, tear_down)
{
	struct command_bench *b = *state;
	siginfo_t info = {0};
	struct command c;

	hold_command(&c, sh("kill -STOP $$; exit 5"));
	release_command(b, &c, sh("kill -STOP $$; exit 5"));
	AWAIT(waitid(P_PID, (id_t)c.pid, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 && info.si_pid == c.pid);
	assert_false(command_reap(&c, 1));
	kill(c.pid, SIGCONT);
	await_exit(b, &c);
	assert_int_equal(c.status, 5);
}

TEST_WITH(times_are_its_own_and_its_childrens, set_up, tear_down)
{
	static const char script[] = "i=0; (while [ $i -lt 60000 ]; do i=$((i + 1)); done); sleep 0.1";
	struct command_bench *b = *state;
	struct command c;

	hold_command(&c, sh(script));
	b->sys.poll(&b->sys, NULL, 0, 50); /* being held does not count */
	release_command(b, &c, sh(script));
	await_exit(b, &c);
	assert_int_equal(c.status, 0);
	assert_true(c.user_ns + c.system_ns >= 5000000); /* in a subshell */
	assert_true(c.end_ns - c.begin_ns >= 100000000);
	assert_true(c.end_ns - c.begin_ns >= (c.user_ns + c.system_ns) / 2);
}

TEST_WITH(ignored_children_still_tell_how_they_ended, set_up, tear_down)
{
	struct command_bench *b = *state;
	struct command c;

	signal(SIGCHLD, SIG_IGN);
	hold_command(&c, sh("exit 8"));
	release_command(b, &c, sh("exit 8"));
	await_exit(b, &c);
	assert_int_equal(c.status, 8);
}

TEST_WITH(it_finds_signals_as_they_were, set_up, tear_down)
{
	struct command_bench *b = *state;
	sigset_t set, before;
	struct command c;

	hold_command(&c, sh("kill -TERM $$; exit 0"));
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &before); /* ours, after it was held */
	release_command(b, &c, sh("kill -TERM $$; exit 0"));
	await_exit(b, &c);
	sigprocmask(SIG_SETMASK, &before, NULL);
	assert_int_equal(c.status, 128 + SIGTERM);
}

/* A second run is held when signals are blocked and the limit is raised already. */
TEST_WITH(every_run_begins_like_the_first, set_up, tear_down)
{
	AUTOFREE char *script = NULL;
	struct command_bench *b = *state;
	struct rlimit files, raised;
	sigset_t blocked, before;
	struct command c;

	getrlimit(RLIMIT_NOFILE, &files);
	script = xasprintf("grep -q '^SigBlk:[[:space:]]*0*$' /proc/self/status && test $(ulimit -n) = %llu",
			   (unsigned long long)files.rlim_cur);
	hold_command(&c, sh("exit 0"));
	release_command(b, &c, sh("exit 0"));
	await_exit(b, &c);
	sigfillset(&blocked);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	raised = (struct rlimit){files.rlim_cur - 1, files.rlim_max};
	setrlimit(RLIMIT_NOFILE, &raised);
	hold_command(&c, sh(script));
	release_command(b, &c, sh(script));
	await_exit(b, &c);
	setrlimit(RLIMIT_NOFILE, &files);
	sigprocmask(SIG_SETMASK, &before, NULL);
	assert_int_equal(c.status, 0);
}

TEST(without_a_command_nothing_happens)
{
	struct command c = {0};
	struct err err;

	assert_true(command_release(&c, NULL, 1, &err));
	assert_false(command_reap(&c, 1));
	command_drop(&c);
}
