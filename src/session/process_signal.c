#include "session/process_signal.h"

#include "backends/process_file.h"
#include "base/alloc.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const struct process_signal process_signals[] = {
	{SIGTERM, "SIGTERM", "end"},
	{SIGINT, "SIGINT", "end, like Ctrl-C"},
	{SIGHUP, "SIGHUP", "hang up; daemons reload"},
	{SIGKILL, "SIGKILL", "end at once, cannot be caught"},
	{SIGSTOP, "SIGSTOP", "stop"},
	{SIGCONT, "SIGCONT", "continue after a stop"},
	{SIGUSR1, "SIGUSR1", "defined by the program"},
	{SIGUSR2, "SIGUSR2", "defined by the program"},
	{SIGQUIT, "SIGQUIT", "end with a core dump"},
	{SIGABRT, "SIGABRT", "abort, with a core dump"},
	{SIGALRM, "SIGALRM", "a timer has expired"},
	{SIGBUS, "SIGBUS", "memory that is not there"},
	{SIGCHLD, "SIGCHLD", "a child has stopped or ended"},
	{SIGFPE, "SIGFPE", "an arithmetic error"},
	{SIGILL, "SIGILL", "an illegal instruction"},
	{SIGIO, "SIGIO", "input or output is possible"},
	{SIGPIPE, "SIGPIPE", "nothing reads the pipe"},
	{SIGPROF, "SIGPROF", "a profiling timer has expired"},
	{SIGPWR, "SIGPWR", "the power fails"},
	{SIGSEGV, "SIGSEGV", "an invalid address"},
	{SIGSYS, "SIGSYS", "a forbidden system call"},
	{SIGTRAP, "SIGTRAP", "a breakpoint"},
	{SIGTSTP, "SIGTSTP", "stop, like Ctrl-Z"},
	{SIGTTIN, "SIGTTIN", "a background process reads"},
	{SIGTTOU, "SIGTTOU", "a background process writes"},
	{SIGURG, "SIGURG", "urgent data on a socket"},
	{SIGVTALRM, "SIGVTALRM", "a CPU timer has expired"},
	{SIGWINCH, "SIGWINCH", "the terminal has another size"},
	{SIGXCPU, "SIGXCPU", "over the limit of CPU time"},
	{SIGXFSZ, "SIGXFSZ", "over the limit of file size"},
};
const unsigned process_signals_n = ARRAY_LEN(process_signals);

bool process_signal_allowed(const struct process *process, struct err *err)
{
	if (process->simulated)
		return err_set(err, EPERM, "%d %s: not signaled: it is simulated", process->pid,
			       process->name);
	if (process->pid <= 1)
		return err_set(err, EPERM, "%d %s: not signaled: it belongs to the system", process->pid,
			       process->name);
	if (process->pid == getpid())
		return err_set(err, EPERM, "%d %s: not signaled: it is malitop itself: q quits", process->pid,
			       process->name);
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

/* Returns 0 or the errno. */
static int send_to(const struct sys *sys, const struct process *process, int signo)
{
	int fd = sys->pidfd_open(sys, process->pid), code = 0;

	if (fd < 0 && errno == ESRCH)
		return ESRCH;
	/* Any other failure means a kernel or sandbox without pidfds. A pidfd keeps referring to
	 * the same process, so the start time read now is of that process, or of none. */
	if (!is_same(sys, process))
		code = ESRCH;
	else if ((fd < 0 ? sys->kill(sys, process->pid, signo) : sys->pidfd_send_signal(sys, fd, signo)) < 0)
		code = errno;
	if (fd >= 0)
		sys->close(sys, fd);
	return code;
}

bool process_signal_send(const struct sys *sys, const struct process *process,
			 const struct process_signal *signal, struct err *err)
{
	int code;

	if (!process_signal_allowed(process, err))
		return false;
	code = send_to(sys, process, signal->number);
	if (code == EPERM)
		return err_set(err, code, "%d %s: %s not permitted: you are not its owner", process->pid,
			       process->name, signal->name);
	if (code == ESRCH)
		return err_set(err, code, "%d %s: has already ended: nothing was sent", process->pid,
			       process->name);
	if (code)
		return err_set(err, code, "%d %s: %s not sent: %s", process->pid, process->name, signal->name,
			       strerror(code));
	return true;
}
