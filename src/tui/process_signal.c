#include "tui/process_signal.h"

#include "backends/machine/process_stat.h"
#include "base/alloc.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct process_signal process_signals[] = {
	{SIGTERM, "SIGTERM", "end"},
	{SIGINT, "SIGINT", "end, as by Ctrl-C"},
	{SIGHUP, "SIGHUP", "hang up; daemons reload"},
	{SIGKILL, "SIGKILL", "end at once, unasked"},
	{SIGSTOP, "SIGSTOP", "stop"},
	{SIGCONT, "SIGCONT", "go on after a stop"},
	{SIGUSR1, "SIGUSR1", "as the program means it"},
	{SIGUSR2, "SIGUSR2", "as the program means it"},
	{SIGQUIT, "SIGQUIT", "end with a core dump"},
};
const unsigned process_signals_n = ARRAY_LEN(process_signals);

bool process_signal_allowed(const struct process *process, struct err *err)
{
	if (process->pid <= 1)
		return err_set(err, EPERM, "%d %s: is the system itself: no signals for it from here", process->pid,
			       process->name);
	if (process->pid == getpid())
		return err_set(err, EPERM, "%d %s: is this program: q quits it", process->pid, process->name);
	return true;
}

/* Whether the process that has the pid now is still this one. */
static bool is_same(const struct sys *sys, const struct process *process)
{
	char path[32], text[1024];
	struct process_stat now;

	snprintf(path, sizeof(path), "proc/%d/stat", process->pid);
	return sys_read_file(sys, path, text, sizeof(text)) > 0 && process_stat_parse(&now, span_of(text)) &&
	       now.start == process->start;
}

/* 0, or the errno. */
static int send_to(const struct sys *sys, const struct process *process, int signo)
{
	int fd = sys->pidfd_open(sys, process->pid), code = 0;

	if (fd < 0 && errno == ESRCH)
		return ESRCH;
	/* Any other failure is that of a kernel or a sandbox that knows no pidfds. What an fd stands for cannot
	 * change any more: the start that is read now is of that process, or of none. */
	if (!is_same(sys, process))
		code = ESRCH;
	else if ((fd < 0 ? sys->kill(sys, process->pid, signo) : sys->pidfd_send_signal(sys, fd, signo)) < 0)
		code = errno;
	if (fd >= 0)
		sys->close(sys, fd);
	return code;
}

bool process_signal_send(const struct sys *sys, const struct process *process, const struct process_signal *signal,
			 struct err *err)
{
	int code;

	if (!process_signal_allowed(process, err))
		return false;
	code = send_to(sys, process, signal->number);
	if (code == EPERM)
		return err_set(err, code, "%d %s: %s not permitted: you are not its owner", process->pid, process->name,
			       signal->name);
	if (code == ESRCH)
		return err_set(err, code, "%d %s: has ended already: nothing was sent", process->pid, process->name);
	if (code)
		return err_set(err, code, "%d %s: %s not sent: %s", process->pid, process->name, signal->name, strerror(code));
	return true;
}
