/* `malitop record` as it is shipped: however it ends, what it wrote is whole. */
#include "tests/support/await.h"
#include "tests/support/log_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000ll
#define S 1000000000ll
#define KILLS 100
#define AT_ONCE 10
#define LIVES_MS 1500 /* at most */

static char dir[32];

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * S + ts.tv_nsec;
}

static void sleep_until(int64_t ns)
{
	struct timespec ts = {.tv_sec = ns / S, .tv_nsec = ns % S};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL) == EINTR)
		;
}

/* malitop record -b sim -i10ms -o FILE ARGS, without a terminal; what it says goes to FILE.out. */
static const int ends[] = {SIGINT, SIGTERM, SIGHUP};

/* Behind what a shell does before. */
static pid_t record_behind(const char *before, const char *file, const char *args)
{
	AUTOFREE char *line =
		xasprintf("%s exec \"$MALITOP\" record -b sim -i10ms -o %s/%s %s >%s/%s.out 2>&1", before,
			  dir, file, args, dir, file);
	pid_t pid = fork();

	if (pid == 0) {
		for (unsigned i = 0; i < ARRAY_LEN(ends); i++)
			signal(ends[i], SIG_DFL); /* in the background of a script they may be ignored */
		execl("/bin/sh", "sh", "-c", line, NULL);
		_exit(127);
	}
	assert_true(pid > 0);
	return pid;
}

static pid_t record_file(const char *file, const char *args)
{
	return record_behind("", file, args);
}

static bool look_at_log(struct log *log, const char *file)
{
	AUTOFREE char *path = xasprintf("%s/%s", dir, file);

	return log_open(log, path);
}

static unsigned samples_in(const char *file)
{
	struct log log;
	unsigned n = look_at_log(&log, file) ? log.n : 0;

	log_close(&log);
	return n;
}

static bool file_says(const char *path, const char *words)
{
	AUTOFREE char *text = NULL;
	struct err err;
	size_t n;

	return file_read(path, 4096, &text, &n, &err) && strstr(text, words);
}

/* ---- in peace ---- */

TEST(however_it_ends_the_log_is_whole_and_one_line_says_what_is_in_it)
{
	static const struct {
		const char *name, *args;
		int signo, status;
	} cases[] = {
		{"duration.mlog", "-d600ms", 0, 0},
		{"command.mlog", "-- sleep 0.6", 0, 0},
		{"failed.mlog", "-- sh -c 'sleep 0.6; exit 7'", 0, 7},
		{"int.mlog", "", SIGINT, 0},
		{"term.mlog", "", SIGTERM, 0},
		{"hup.mlog", "", SIGHUP, 0},
		{"term-command.mlog", "-- sleep 60", SIGTERM, 128 + SIGTERM},
	};
	pid_t pids[ARRAY_LEN(cases)];
	struct log log;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		pids[i] = record_file(cases[i].name, cases[i].args);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *out = xasprintf("%s/%s.out", dir, cases[i].name);
		AUTOFREE char *text = NULL, *line = NULL;
		struct err err;
		int status;
		size_t n;

		if (cases[i].signo) {
			AWAIT(samples_in(cases[i].name) > 30);
			kill(pids[i], cases[i].signo);
		}
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), cases[i].status);
		assert_true(look_at_log(&log, cases[i].name));
		assert_true(log.state.ended && log.n > 30);
		assert_int_equal(log.state.damaged + log.state.cut, 0);
		assert_int_equal(log_lost(&log, 0), 0);
		assert_true(file_read(out, 4096, &text, &n, &err));
		line = xasprintf("%s: %u samples of 4 sources, %.2f MB, 0 lost\n", cases[i].name, log.n,
				 (double)file_size(log.file) / 1e6);
		if (strncmp(text, line, strlen(line)) != 0)
			fail_msg("'%s' does not begin with '%s'", text, line);
		assert_non_null(strstr(text, "\nverdict: "));
		log_close(&log);
	}
}

TEST(a_hangup_that_was_ignored_ends_nothing)
{
	struct log log;
	int status;
	pid_t pid;

	pid = record_behind("trap '' HUP;", "nohup.mlog", "-d 1500ms");
	AWAIT(samples_in("nohup.mlog"));
	kill(pid, SIGHUP);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_true(look_at_log(&log, "nohup.mlog"));
	assert_true(log.n >= 149);
	log_close(&log);
}

TEST(a_command_that_cannot_run_leaves_no_file_behind)
{
	static const struct {
		const char *file, *args;
		int status;
	} cases[] = {{"typo.mlog", "-- /no/such/command", 127},
		     {"typo.csv", "-- /no/such/command", 127},
		     {"dir.mlog", "-- /", 126}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *path = xasprintf("%s/%s", dir, cases[i].file);
		pid_t pid = record_file(cases[i].file, cases[i].args);
		int status;

		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), cases[i].status);
		assert_int_equal(access(path, F_OK), -1);
	}
}

/* Nobody takes what is written: the first signal asks for an end, which does not come; the second
 * one is one. */
TEST(a_second_signal_ends_what_cannot_be_written)
{
	AUTOFREE char *path = xasprintf("%s/pipe", dir), *out = xasprintf("%s.out", path), *text = NULL;
	struct err err;
	int status, fd, waiting;
	pid_t pid;
	size_t n;

	assert_int_equal(mkfifo(path, 0600), 0);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	pid = record_file("pipe", "-f mlog --force -i1ms --per-core");
	AWAIT(ioctl(fd, FIONREAD, &waiting) == 0 && waiting > 60000); /* full */
	kill(pid, SIGINT);
	kill(pid, SIGTERM); /* with the first */
	AWAIT(file_says(out, "still being written"));
	give_time_ms(100); /* to end, which it must not */
	assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
	kill(pid, SIGINT);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	close(fd);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
	assert_true(file_read(out, 4096, &text, &n, &err));
	assert_string_equal(
		text, "malitop: log: pipe: still being written; Ctrl-C exits without writing the rest\n");
}

TEST(a_disk_that_is_full_is_status_1_and_a_message)
{
	AUTOFREE char *path = xasprintf("%s/full", dir), *out = xasprintf("%s.out", path), *text = NULL;
	struct err err;
	int status;
	pid_t pid;
	size_t n;

	assert_int_equal(symlink("/dev/full", path), 0); /* the directory is ours */
	pid = record_file("full", "-f mlog --force");
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	assert_true(file_read(out, 4096, &text, &n, &err));
	assert_non_null(strstr(text, "full: No space left on device: logging stopped after 0.0 MB"));
}

/* Waits until the program has said that. */
static void await_word(const char *file, const char *word)
{
	AUTOFREE char *out = xasprintf("%s/%s.out", dir, file);
	bool said = false;

	while (!said) {
		AUTOFREE char *text = NULL;
		struct err err;
		size_t n;

		sleep_until(now_ns() + 20 * MS);
		said = file_read(out, 4096, &text, &n, &err) && strstr(text, word);
	}
}

TEST(lost_samples_are_reported_meanwhile_and_at_the_end_and_are_a_failure_unless_allowed)
{
	static const struct {
		const char *file, *args;
		int status;
	} cases[] = {{"strict", "-f csv --force -i1ms", 1}, {"lax", "-f csv --force -i1ms --keep-going", 0}};
	pid_t pids[ARRAY_LEN(cases)];
	int fds[ARRAY_LEN(cases)], status;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *path = xasprintf("%s/%s", dir, cases[i].file);

		assert_int_equal(mkfifo(path, 0600), 0);
		fds[i] = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		pids[i] = record_file(cases[i].file, cases[i].args);
	}
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *out = xasprintf("%s/%s.out", dir, cases[i].file), *text = NULL;
		char piece[65536];
		struct err err;
		size_t n;

		await_word(cases[i].file, "samples are being lost");
		kill(pids[i], SIGINT);
		assert_int_equal(fcntl(fds[i], F_SETFL, 0), 0);
		while (read(fds[i], piece, sizeof(piece)) > 0)
			;
		close(fds[i]);
		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), cases[i].status);
		assert_true(file_read(out, 4096, &text, &n, &err));
		assert_null(strstr(text, ", 0 lost"));
		assert_int_equal(strstr(text, "samples were lost") != NULL, cases[i].status);
	}
}

TEST(a_log_that_fails_does_not_keep_the_status_of_the_command)
{
	AUTOFREE char *args = xasprintf(
		"-i1ms -- sh -c 'until grep -q stopped %s/small.csv.out; do sleep 0.02; done; exit 7'", dir);
	AUTOFREE char *out = xasprintf("%s/small.csv.out", dir), *text = NULL;
	struct err err;
	int status;
	pid_t pid;
	size_t n;

	pid = record_behind("ulimit -f 200;", "small.csv", args);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	assert_true(file_read(out, 4096, &text, &n, &err));
	assert_non_null(strstr(text, "small.csv: File too large: logging stopped"));
}

/* ---- not in peace ---- */

struct life {
	pid_t pid;
	char file[32];
	int64_t begin_ns, end_ns;
};

/* How long its threads waited for a CPU so far, all in all. */
static int64_t starved_ns(pid_t pid)
{
	AUTOFREE char *line = xasprintf("cat /proc/%d/task/*/schedstat 2>/dev/null", pid);
	FILE *f = popen(line, "re");
	long long ran, waited, sum = 0;

	assert_non_null(f);
	while (fscanf(f, "%lld %lld %*d", &ran, &waited) == 2)
		sum += waited;
	pclose(f);
	return sum;
}

/* Nothing is missing but the last second. `late_ns` is how late this machine lets a program run
 * just now. It is stopped first: so its threads wait no more, and all their waiting was counted. */
static void check_life(const struct life *life, int64_t late_ns)
{
	struct log log;
	int64_t killed_ns = now_ns();
	int status;

	kill(life->pid, SIGSTOP);
	assert_int_equal(waitpid(life->pid, &status, WUNTRACED), life->pid);
	late_ns += starved_ns(life->pid);
	kill(life->pid, SIGKILL);
	assert_int_equal(waitpid(life->pid, &status, 0), life->pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	if (look_at_log(&log, life->file)) {
		int64_t from_ns = mlog_reader_about(log.reader)->monotonic_ns,
			to_ns = log.n ? log.state.end_ns : from_ns;

		assert_false(log.state.ended);
		assert_int_equal(log.state.damaged, 0);
		assert_int_equal(log_lost(&log, 0), 0);
		if (killed_ns - to_ns > S + late_ns)
			fail_msg("%s: the last %lld ms are missing, this machine is %lld ms late", life->file,
				 (long long)((killed_ns - to_ns) / MS), (long long)(late_ns / MS));
		assert_true(!log.n || log.samples[0]->begin_ns - from_ns < 100 * MS + late_ns);
	}
	log_close(&log);
}

TEST(after_a_hundred_kills_nothing_but_the_last_second_is_missing)
{
	struct life lives[AT_ONCE] = {0};
	int64_t late_ns = 0;
	unsigned begun = 0, ended = 0;

	srandom(5);
	while (ended < KILLS) {
		struct life *next = &lives[0];

		for (unsigned i = 0; i < AT_ONCE; i++) {
			if (!lives[i].pid && begun < KILLS) {
				snprintf(lives[i].file, sizeof(lives[i].file), "kill-%u.mlog", begun++);
				lives[i].begin_ns = now_ns();
				lives[i].end_ns = lives[i].begin_ns + random() % LIVES_MS * MS;
				lives[i].pid = record_file(lives[i].file, "");
			}
			if (!next->pid || (lives[i].pid && lives[i].end_ns < next->end_ns))
				next = &lives[i];
		}
		sleep_until(next->end_ns);
		if (now_ns() - next->end_ns > late_ns)
			late_ns = now_ns() - next->end_ns;
		check_life(next, late_ns);
		next->pid = 0;
		ended++;
	}
}

FIXTURE(set_up)
{
	/* in memory, where it can be: a disk that is busy is not the program's delay */
	strcpy(dir,
	       access("/dev/shm", W_OK) == 0 ? "/dev/shm/malitop-test-XXXXXX" : "/tmp/malitop-test-XXXXXX");
	return mkdtemp(dir) == NULL;
}

FIXTURE(tear_down)
{
	AUTOFREE char *remove = xasprintf("rm -rf %s", dir);

	return system(remove);
}

TEST_EACH(set_up, tear_down)
