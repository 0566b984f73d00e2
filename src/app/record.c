#include "app/record.h"

#include "app/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOT_EXECUTABLE 126
#define NOT_FOUND 127
#define PROGRESS_NS 1000000000ll

/* The command under measurement. */
struct child {
	pid_t pid; /* 0: none */
	bool ended;
	int status; /* exit status once it ended */
};

static void wanted_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGCHLD);
}

/* In the child: run CMD, or tell the parent why not. */
static void run_command(char **cmd, const sigset_t *mask, int report_fd)
{
	ssize_t told;
	int code;

	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(cmd[0], cmd);
	code = errno;
	told = write(report_fd, &code, sizeof(code));
	_exit(told == (ssize_t)sizeof(code) && code == ENOENT ? NOT_FOUND : NOT_EXECUTABLE);
}

/* Start CMD with the signal mask `mask`. A failed exec is known at once, through a pipe that exec closes. */
static bool start_child(struct child *child, char **cmd, const sigset_t *mask, struct err *err)
{
	int report[2], code = 0;
	ssize_t n;

	if (pipe2(report, O_CLOEXEC) != 0)
		return err_set(err, errno, "%s: cannot start: %s", cmd[0], strerror(errno));
	child->pid = fork();
	if (child->pid == 0)
		run_command(cmd, mask, report[1]);
	code = child->pid < 0 ? errno : 0;
	close(report[1]);
	while (child->pid > 0 && (n = read(report[0], &code, sizeof(code))) < 0 && errno == EINTR)
		;
	close(report[0]);
	if (!code)
		return true;
	child->status = code == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
	child->ended = true;
	if (child->pid > 0)
		waitpid(child->pid, NULL, 0);
	return err_set(err, code, "%s: cannot run: %s: is the name right, and is it executable?", cmd[0], strerror(code));
}

static void reap(struct child *child)
{
	int status;

	if (!child->pid || child->ended || waitpid(child->pid, &status, WNOHANG) != child->pid)
		return;
	child->ended = true;
	child->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void tell_progress(struct recorder *recorder, double seconds, const struct options *options)
{
	struct recorder_state state;

	if (!isatty(STDERR_FILENO) || strcmp(options->log, "-") == 0)
		return;
	recorder_look(recorder, &state);
	fprintf(stderr, "\r%s: %.0f s, %llu samples, %.2f MB, %llu lost ", recorder_name(recorder), seconds,
		(unsigned long long)state.rows, (double)state.bytes / 1e6, (unsigned long long)state.lost);
}

/* Until the time is over, a signal says so, the command ends, or the log fails. A command that outlives the recording is asked to
 * end, as timeout(1) does, and waited for, so that its status can be passed on. */
static void wait_for_end(const struct sys *sys, const struct options *o, struct session *session, struct recorder *recorder,
			 struct child *child, const sigset_t *signals)
{
	int64_t start = sys->monotonic_ns(sys);
	struct recorder_state state = {0};
	bool asked = false;

	while (!child->ended && !state.failed) {
		int64_t now = sys->monotonic_ns(sys), left = PROGRESS_NS;
		struct timespec wait;
		char text[512];
		int got;

		tell_progress(recorder, (double)(now - start) * 1e-9, o);
		while (session_event(session, now, text, sizeof(text)))
			if (text[0])
				fprintf(stderr, "malitop: %s\n", text);
		if (o->duration_ns && start + o->duration_ns - now < left)
			left = start + o->duration_ns - now;
		if (left <= 0 && !asked) {
			if (!child->pid)
				break;
			kill(child->pid, SIGTERM);
			asked = true;
		}
		if (left <= 0)
			left = PROGRESS_NS;
		wait = (struct timespec){.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
		got = sigtimedwait(signals, NULL, &wait);
		reap(child);
		if (got == SIGINT || got == SIGTERM || got == SIGHUP) {
			if (!child->pid)
				break;
			if (got != SIGINT) /* a terminal sends SIGINT to CMD as well */
				kill(child->pid, got);
		}
		recorder_look(recorder, &state);
	}
	if (isatty(STDERR_FILENO) && strcmp(o->log, "-") != 0)
		fputs("\r\033[K", stderr);
}

static int finish(struct recorder *recorder, const struct options *o, const struct child *child, struct strbuf *out,
		  struct err *err)
{
	struct recorder_state state;
	char name[64];
	bool ok;

	snprintf(name, sizeof(name), "%s", recorder_name(recorder));
	ok = recorder_stop(recorder, &state);
	if (!ok)
		*err = state.err;
	if (strcmp(o->log, "-") != 0)
		strbuf_printf(out, "%s: %llu samples, %.2f MB, %llu lost\n", name, (unsigned long long)state.rows,
			      (double)state.bytes / 1e6, (unsigned long long)state.lost);
	return !ok ? EXIT_FAILED : child->pid ? child->status : EXIT_DONE;
}

static void tell_notes(const struct session *session)
{
	struct span rest = {session->notes.p, session->notes.n};

	while (rest.n) {
		struct span line = span_until(&rest, '\n');

		fprintf(stderr, "malitop: %.*s\n", SPAN_ARG(line));
	}
}

int record_run(const struct sys *sys, const struct options *options, struct strbuf *out, struct err *err)
{
	sigset_t signals, before;
	struct session session;
	struct recorder *recorder;
	struct child child = {0};
	int status = EXIT_FAILED;

	if (!session_open(&session, sys, options, options->per_core, err))
		return EXIT_FAILED;
	session_settle(&session); /* the log tells the true intervals */
	tell_notes(&session);
	wanted_signals(&signals);
	sigprocmask(SIG_BLOCK, &signals, &before);
	recorder = recorder_start(&session, options->log, err);
	if (recorder && options->cmd && !start_child(&child, options->cmd, &before, err)) {
		recorder_stop(recorder, &(struct recorder_state){0});
		status = child.status ? child.status : EXIT_FAILED;
	} else if (recorder) {
		wait_for_end(sys, options, &session, recorder, &child, &signals);
		status = finish(recorder, options, &child, out, err);
	}
	session_close(&session);
	return status;
}
