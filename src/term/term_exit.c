/* Signals, and restoring the terminal at every exit. Handlers use only prepared bytes and
 * async-signal-safe calls. */
#include "term/term_priv.h"
#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static struct {
	volatile sig_atomic_t armed, mid_frame, which;
	int in, out;
	bool shared_out;
	struct termios saved_in, saved_out;
	struct {
		char p[TTY_RESTORE_MAX];
		size_t n;
	} bytes[2]; /* a handler reads bytes[which] while the other one is written */
} ends;

static void on_notice(int signo);
static void on_crash(int signo);

/* A signal that is not listed here ends a program by default. It gets on_notice, and its default
 * action after the terminal is restored. */
static const struct {
	int signo;
	void (*handler)(int); /* NULL: not changed */
} handled[] = {
	{SIGWINCH, on_notice}, {SIGCONT, on_notice}, {SIGTSTP, on_notice}, {SIGSEGV, on_crash},
	{SIGBUS, on_crash},    {SIGFPE, on_crash},   {SIGILL, on_crash},   {SIGABRT, on_crash},
	{SIGTRAP, on_crash},   {SIGSYS, on_crash},   {SIGKILL, NULL},      {SIGSTOP, NULL},
	{SIGTTIN, NULL},       {SIGTTOU, NULL},      {SIGCHLD, NULL},      {SIGURG, NULL},
};

static void (*handler_of(int signo))(int)
{
	for (unsigned i = 0; i < ARRAY_LEN(handled); i++)
		if (handled[i].signo == signo)
			return handled[i].handler;
	return on_notice;
}

static bool ends_program(int signo)
{
	return handler_of(signo) == on_notice && signo != SIGWINCH && signo != SIGCONT && signo != SIGTSTP;
}

static const int first_quits[] = {SIGTERM, SIGHUP, SIGQUIT,
				  SIGINT}; /* if several arrived, report the first of these */

static struct sigaction before[NSIG];
static volatile sig_atomic_t seen[NSIG];
static int wake[2] = {-1, -1};
static char crash_stack[32768] __attribute__((aligned(16))); /* a stack overflow has no other */
static stack_t stack_before;

void exit_bytes(const char *bytes, size_t n)
{
	int other = !ends.which;

	ends.bytes[other].n = n < TTY_RESTORE_MAX ? n : TTY_RESTORE_MAX;
	memcpy(ends.bytes[other].p, bytes, ends.bytes[other].n);
	ends.which = other;
}

void exit_mid_frame(bool yes)
{
	ends.mid_frame = yes;
}

void exit_arm(const struct term_tty *tty, const char *bytes, size_t n)
{
	ends.armed = 0;
	ends.in = tty->in;
	ends.out = tty->out;
	ends.shared_out = tty->shared_out;
	ends.saved_in = tty->saved_in;
	ends.saved_out = tty->saved_out;
	exit_bytes(bytes, n);
	ends.armed = 1;
}

static bool in_background(int fd)
{
	pid_t foreground =
		tcgetpgrp(fd); /* fails if it is not our controlling terminal, which has no jobs then */

	return foreground >= 0 && foreground != getpgrp();
}

static void write_out(const char *p, size_t n)
{
	for (int tries = 0; n && tries < 12; tries++) {
		struct pollfd pollfd = {.fd = ends.out, .events = POLLOUT};
		ssize_t r;

		if (tries == 6 && !in_background(ends.out))
			tty_unstop(ends.out);
		r = tty_write_some(ends.out, ends.shared_out, p, n);
		if (r > 0) {
			p += r;
			n -= (size_t)r;
		} else if (r < 0 && errno == EAGAIN) {
			poll(&pollfd, 1, 20);
		} else if (!(r < 0 && errno == EINTR)) {
			return;
		}
	}
}

void term_restore(void)
{
	int saved_errno = errno;
	sigset_t ttou, old;

	if (!ends.armed)
		return;
	ends.armed = 0;
	/* In the background, neither write nor tcsetattr may stop us. The modes are the shell's
	 * there: do not change them. */
	sigemptyset(&ttou);
	sigaddset(&ttou, SIGTTOU);
	sigprocmask(SIG_BLOCK, &ttou, &old);
	if (ends.mid_frame)
		write_out("\x18", 1); /* CAN ends an incomplete sequence */
	write_out(ends.bytes[ends.which].p, ends.bytes[ends.which].n);
	if (!in_background(ends.out)) {
		tcsetattr(ends.in, TCSANOW, &ends.saved_in);
		tcsetattr(ends.out, TCSANOW, &ends.saved_out);
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	errno = saved_errno;
}

static void on_notice(int signo)
{
	int saved_errno = errno;

	seen[signo] = 1;
	if (write(wake[1], "", 1) < 0) {
		/* the pipe is full, so the reader wakes up anyway */
	}
	errno = saved_errno;
}

static void on_crash(int signo)
{
	term_restore();
	sigaction(signo, &before[signo], NULL);
	raise(signo); /* delivered when this returns */
}

/* Signals that the parent ignored (nohup) stay ignored. sigaction fails with EINVAL for the C
 * library's internal signals. */
static void install_handlers(void)
{
	for (int signo = 1; signo < NSIG; signo++) {
		struct sigaction action = {.sa_handler = handler_of(signo)};
		bool ignorable = signo == SIGTSTP || ends_program(signo);

		if (!action.sa_handler || (ignorable && before[signo].sa_handler == SIG_IGN))
			continue;
		action.sa_flags = action.sa_handler == on_crash ? SA_ONSTACK : SA_RESTART;
		sigfillset(&action.sa_mask);
		sigaction(signo, &action, NULL);
	}
}

bool exit_signals_take(struct err *err)
{
	stack_t stack = {.ss_sp = crash_stack, .ss_size = sizeof(crash_stack)};

	if (pipe2(wake, O_NONBLOCK | O_CLOEXEC))
		return err_set(err, errno, "terminal: cannot make a pipe: %s: close some files",
			       strerror(errno));
	for (unsigned i = 0; i < NSIG; i++)
		seen[i] = 0;
	sigaltstack(&stack, &stack_before);
	for (int signo = 1; signo < NSIG; signo++)
		sigaction(signo, NULL, &before[signo]);
	install_handlers();
	return true;
}

void exit_signals_back(void)
{
	for (int signo = 1; signo < NSIG; signo++)
		if (handler_of(signo))
			sigaction(signo, &before[signo], NULL);
	if (stack_before.ss_flags & SS_DISABLE)
		stack_before.ss_size = sizeof(crash_stack); /* some kernels check it even with SS_DISABLE */
	sigaltstack(&stack_before, NULL);
	for (unsigned i = 0; i < 2; i++) {
		if (wake[i] >= 0)
			close(wake[i]);
		wake[i] = -1;
	}
}

int exit_signals_fd(void)
{
	return wake[0];
}

static bool take_seen(int signo)
{
	if (!seen[signo])
		return false;
	seen[signo] = 0;
	return true;
}

struct signals exit_signals_seen(void)
{
	struct signals signals = {0};
	char drain[64];

	while (read(wake[0], drain, sizeof(drain)) > 0)
		;
	signals.winch = take_seen(SIGWINCH);
	signals.stop = take_seen(SIGTSTP);
	signals.cont = take_seen(SIGCONT);
	for (unsigned i = 0; i < ARRAY_LEN(first_quits); i++)
		if (take_seen(first_quits[i]) && !signals.quit)
			signals.quit = first_quits[i];
	for (int signo = 1; signo < NSIG; signo++)
		if (ends_program(signo) && take_seen(signo) && !signals.quit)
			signals.quit = signo;
	return signals;
}

void exit_stop_self(void)
{
	struct sigaction action = {.sa_handler = SIG_DFL}, ours;
	sigset_t stop, old;

	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	sigaction(SIGTSTP, &action, &ours);
	pthread_sigmask(SIG_UNBLOCK, &stop, &old);
	raise(SIGTSTP);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	sigaction(SIGTSTP, &ours, NULL);
}

int exit_wait_foreground(int fd)
{
	struct signals signals = {0};

	while (!signals.quit && in_background(fd)) {
		raise(SIGTTOU); /* tcsetattr would raise it too, but restart for ever and ignore SIGTERM */
		signals = exit_signals_seen();
		if (!signals.cont) /* not stopped: the process group is orphaned, and tcsetattr will fail */
			break;
	}
	return signals.quit;
}
