#include "record/measure.h"

#include "base/str.h"
#include "base/sys.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_EXECUTABLE 126
#define NOT_FOUND 127
#define NAME 80

/* The signal mask and the limit of open files at our first call: once it measures, malitop blocks
 * signals and may open more files, but all runs of CMD must begin alike. */
static struct {
	bool known;
	sigset_t mask;
	struct rlimit files;
} start;

static int status_of_failure(int code)
{
	return code == ENOENT ? NOT_FOUND : NOT_EXECUTABLE;
}

/* In the child: wait for the release byte, then become CMD, or send the errno to the parent. The
 * socket closes on exec, or when we exit. */
static void run_child(char **cmd, int socket)
{
	char release;
	ssize_t n;
	int code;

	setrlimit(RLIMIT_NOFILE, &start.files);
	sigprocmask(SIG_SETMASK, &start.mask, NULL);
	while ((n = read(socket, &release, sizeof(release))) < 0 && errno == EINTR)
		;
	if (n != sizeof(release))
		_exit(0);
	execvp(cmd[0], cmd);
	code = errno;
	n = send(socket, &code, sizeof(code), MSG_NOSIGNAL);
	_exit(n < 0 ? NOT_EXECUTABLE : status_of_failure(code));
}

bool command_hold(struct command *command, char **cmd, struct err *err)
{
	char name[NAME];
	int ends[2];

	*command = (struct command){.socket = -1};
	str_printable(name, sizeof(name), cmd[0]);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return err_set(err, errno, "%s: cannot start: %s", name, strerror(errno));
	if (!start.known) {
		start.known = true;
		sigprocmask(SIG_SETMASK, NULL, &start.mask);
		getrlimit(RLIMIT_NOFILE, &start.files);
	}
	signal(SIGCHLD, SIG_DFL); /* if it is ignored, the status of CMD is lost */
	command->pid = fork();
	if (command->pid == 0) {
		close(ends[0]);
		run_child(cmd, ends[1]);
	}
	close(ends[1]);
	command->socket = ends[0];
	if (command->pid > 0)
		return true;
	err_set(err, errno, "%s: cannot start: %s", name, strerror(errno));
	sys_cleanup_close(&command->socket);
	*command = (struct command){.socket = -1};
	return false;
}

static int64_t ns_of(const struct timeval *t)
{
	return (int64_t)t->tv_sec * 1000000000 + (int64_t)t->tv_usec * 1000;
}

static bool collect_status(struct command *command, int flags, int64_t now_ns)
{
	struct rusage used;
	int status;
	pid_t pid;

	while ((pid = wait4(command->pid, &status, flags, &used)) < 0 && errno == EINTR)
		;
	if (pid != command->pid)
		return false;
	command->ended = true;
	command->end_ns = now_ns;
	command->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	command->user_ns = ns_of(&used.ru_utime);
	command->system_ns = ns_of(&used.ru_stime);
	return true;
}

bool command_release(struct command *command, char **cmd, int64_t now_ns, struct err *err)
{
	char name[NAME];
	int code = 0;
	ssize_t n;

	if (!command->pid)
		return true;
	command->begin_ns = now_ns;
	command->released = true;
	if (send(command->socket, "!", 1, MSG_NOSIGNAL) == 1)
		while ((n = recv(command->socket, &code, sizeof(code), 0)) < 0 && errno == EINTR)
			;
	sys_cleanup_close(&command->socket);
	if (!code)
		return true;
	collect_status(command, 0, now_ns);
	command->status = status_of_failure(code);
	str_printable(name, sizeof(name), cmd[0]);
	return err_set(err, code, "%s: cannot run: %s: check the name and that it is executable", name,
		       strerror(code));
}

bool command_reap(struct command *command, int64_t now_ns)
{
	return command->pid && (command->ended || collect_status(command, WNOHANG, now_ns));
}

void command_drop(struct command *command)
{
	if (!command->pid || command->released)
		return;
	sys_cleanup_close(&command->socket);
	collect_status(command, 0, 0);
}
