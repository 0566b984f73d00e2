#include "tests/support/pty.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOTES_FD 99

static void must_work(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(99);
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000) + ts.tv_nsec / 1000000;
}

static void set_size(int fd, int cols, int rows)
{
	struct winsize size = {.ws_col = (unsigned short)cols, .ws_row = (unsigned short)rows};

	must_work(ioctl(fd, TIOCSWINSZ, &size) == 0, "TIOCSWINSZ");
}

static void redirect_null(int fd)
{
	int null = open("/dev/null", O_RDWR);

	dup2(null, fd);
	close(null);
}

/* The job. Never returns. */
static void be_job(const struct pty_options *options, int slave)
{
	struct rlimit none = {0, 0};

	setpgid(0, 0);
	signal(SIGTTOU, SIG_IGN);
	tcsetpgrp(slave, getpid());
	for (int signo = 1; signo < NSIG; signo++) /* a test framework has its own for crashes */
		signal(signo, SIG_DFL);
	signal(SIGHUP, options->ignore_hup ? SIG_IGN : SIG_DFL);
	for (int fd = 0; fd < 3; fd++)
		if (fd != 2 ||
		    !options->body) /* a body keeps its standard error for the checks of the test */
			dup2(slave, fd);
	if (options->no_stdin)
		redirect_null(0);
	if (options->no_stdout)
		redirect_null(1);
	close(slave);
	if (options->limit_core)
		setrlimit(RLIMIT_CORE, &none);
	if (options->body)
		_exit(options->body(options->arg));
	execv(options->argv[0], options->argv);
	perror(options->argv[0]);
	_exit(127);
}

/* A shell with one job. */
static void be_shell(const struct pty_options *options, int slave, int reports, int commands)
{
	pid_t job;
	char command;

	setsid();
	ioctl(slave, TIOCSCTTY, 0);
	signal(SIGHUP, SIG_IGN);
	job = fork();
	if (job == 0) {
		close(reports);
		close(commands);
		be_job(options, slave);
	}
	close(NOTES_FD);
	signal(SIGTTOU, SIG_IGN);
	must_work(write(reports, &job, sizeof(job)) == sizeof(job), "report");
	for (;;) {
		struct pty_report report = {0};
		struct rusage usage;

		while (wait4(job, &report.status, WUNTRACED, &usage) < 0)
			must_work(errno == EINTR, "wait4");
		report.cpu_us = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000L +
				usage.ru_utime.tv_usec + usage.ru_stime.tv_usec;
		tcgetattr(slave, &report.modes);
		tcsetpgrp(slave, getpgrp());
		if (write(reports, &report, sizeof(report)) != sizeof(report))
			_exit(1);
		if (read(commands, &command, 1) != 1 || !WIFSTOPPED(report.status))
			_exit(0);
		if (command == 'f')
			tcsetpgrp(slave, job);
		kill(-job, SIGCONT);
	}
}

static void set_environment(const struct pty_options *options)
{
	unsetenv("NO_COLOR");
	unsetenv("LINES");
	unsetenv("COLUMNS");
	unsetenv("TERM");
	if (options->term)
		setenv("TERM", options->term, 1);
	for (const char *const *e = options->env; e && *e; e++) {
		AUTOFREE char *name = xstrdup(*e);
		char *value = strchr(name, '=');

		*value++ = '\0';
		setenv(name, value, 1);
	}
}

void pty_start(struct pty *pty, const struct pty_options *options)
{
	int reports[2], commands[2], notes[2], slave;

	*pty = (struct pty){0};
	pty->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	must_work(pty->master >= 0 && !grantpt(pty->master) && !unlockpt(pty->master), "posix_openpt");
	slave = open(ptsname(pty->master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	must_work(slave >= 0, "slave");
	must_work(!pipe2(reports, O_CLOEXEC) && !pipe2(commands, O_CLOEXEC) && !pipe2(notes, O_CLOEXEC),
		  "pipe");
	must_work(!tcgetattr(slave, &pty->before), "tcgetattr");
	set_size(pty->master, options->cols, options->rows);
	fflush(NULL);
	pty->shell = fork();
	if (pty->shell == 0) {
		set_environment(options);
		close(pty->master);
		close(reports[0]);
		close(commands[1]);
		close(notes[0]);
		dup2(notes[1], NOTES_FD);
		close(notes[1]);
		be_shell(options, slave, reports[1], commands[0]);
	}
	close(slave);
	close(reports[1]);
	close(commands[0]);
	close(notes[1]);
	pty->reports = reports[0];
	pty->commands = commands[1];
	pty->notes_fd = notes[0];
	must_work(read(pty->reports, &pty->job, sizeof(pty->job)) == sizeof(pty->job), "job");
	fcntl(pty->master, F_SETFL, O_NONBLOCK);
	fcntl(pty->notes_fd, F_SETFL, O_NONBLOCK);
}

static bool has_ended(const struct pty *pty)
{
	return pty->n_reports && !WIFSTOPPED(pty->report.status);
}

void pty_stop(struct pty *pty)
{
	if (!has_ended(pty))
		kill(pty->job, SIGKILL);
	close(pty->commands);
	if (pty->master >= 0)
		close(pty->master);
	kill(pty->shell, SIGKILL);
	while (waitpid(pty->shell, NULL, 0) < 0 && errno == EINTR)
		;
	close(pty->reports);
	close(pty->notes_fd);
	strbuf_fini(&pty->out);
	strbuf_fini(&pty->notes);
}

void pty_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vdprintf(NOTES_FD, fmt, ap);
	va_end(ap);
}

void pty_send(struct pty *pty, const char *bytes)
{
	must_work(write(pty->master, bytes, strlen(bytes)) == (ssize_t)strlen(bytes), "send");
}

void pty_resize(struct pty *pty, int cols, int rows)
{
	set_size(pty->master, cols, rows);
}

void pty_signal(struct pty *pty, int signo)
{
	kill(pty->job, signo);
}

static void send_command(struct pty *pty, char c)
{
	must_work(write(pty->commands, &c, 1) == 1, "command");
}

void pty_foreground(struct pty *pty)
{
	send_command(pty, 'f');
}

void pty_background(struct pty *pty)
{
	send_command(pty, 'b');
}

void pty_hang_up(struct pty *pty)
{
	close(pty->master);
	pty->master = -1;
}

/* One look at everything that may have come. */
static void pump_bytes(struct pty *pty, int ms)
{
	struct pollfd fds[] = {{.fd = pty->master, .events = POLLIN},
			       {.fd = pty->notes_fd, .events = POLLIN},
			       {.fd = has_ended(pty) ? -1 : pty->reports, .events = POLLIN}};
	char bytes[65536];
	ssize_t n;

	poll(fds, ARRAY_LEN(fds), ms);
	if (fds[0].revents) {
		n = read(pty->master, bytes, sizeof(bytes));
		if (n > 0) {
			strbuf_add(&pty->out, bytes, (size_t)n);
			if (pty->feed)
				pty->feed(pty->feed_ctx, bytes, (size_t)n);
		} else {
			poll(NULL, 0, 1); /* hung up on the other side: stays readable */
		}
	}
	if (fds[1].revents) {
		n = read(pty->notes_fd, bytes, sizeof(bytes));
		if (n > 0)
			strbuf_add(&pty->notes, bytes, (size_t)n);
	}
	if (fds[2].revents && read(pty->reports, &pty->report, sizeof(pty->report)) == sizeof(pty->report))
		pty->n_reports++;
}

bool pty_read_for(struct pty *pty, int ms)
{
	int64_t end = now_ms() + ms, left;

	while ((left = end - now_ms()) > 0 && !has_ended(pty))
		pump_bytes(pty, (int)left);
	return !has_ended(pty);
}

/* What came last may still be on its way when the job has ended. */
static void drain_samples(struct pty *pty)
{
	size_t before;

	do {
		before = pty->out.n + pty->notes.n;
		for (int i = 0; i < 5; i++)
			pump_bytes(pty, 2);
	} while (pty->out.n + pty->notes.n > before);
}

static bool has(const struct strbuf *buf, size_t from, const char *text)
{
	return from < buf->n && memmem(buf->p + from, buf->n - from, text, strlen(text));
}

static bool wait_text(struct pty *pty, const struct strbuf *buf, size_t from, const char *text)
{
	int64_t end = now_ms() + PATIENCE_MS;

	while (!has(buf, from, text) && now_ms() < end && !has_ended(pty))
		pump_bytes(pty, 50);
	if (!has(buf, from, text))
		drain_samples(pty);
	return has(buf, from, text);
}

bool pty_wait_output(struct pty *pty, size_t from, const char *text)
{
	return wait_text(pty, &pty->out, from, text);
}

bool pty_wait_note(struct pty *pty, const char *text)
{
	return wait_text(pty, &pty->notes, 0, text);
}

bool pty_wait_note_unread(struct pty *pty, const char *text)
{
	int64_t end = now_ms() + PATIENCE_MS;
	struct pollfd pollfd = {.fd = pty->notes_fd, .events = POLLIN};
	char bytes[256];
	ssize_t n;

	while (!has(&pty->notes, 0, text) && now_ms() < end)
		if (poll(&pollfd, 1, 50) > 0 && (n = read(pty->notes_fd, bytes, sizeof(bytes))) > 0)
			strbuf_add(&pty->notes, bytes, (size_t)n);
	return has(&pty->notes, 0, text);
}

bool pty_wait_report(struct pty *pty, unsigned n_reports)
{
	int64_t end = now_ms() + PATIENCE_MS;

	while (pty->n_reports <= n_reports && now_ms() < end)
		pump_bytes(pty, 50);
	drain_samples(pty);
	return pty->n_reports > n_reports;
}

bool pty_wrote(const struct pty *pty, size_t from, const char *bytes)
{
	return has(&pty->out, from, bytes);
}

bool pty_same_modes(const struct termios *a, const struct termios *b)
{
	return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_cflag == b->c_cflag &&
	       a->c_lflag == b->c_lflag && !memcmp(a->c_cc, b->c_cc, sizeof(a->c_cc));
}
