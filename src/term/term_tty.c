/* The terminal device. Only tty_settle waits for it. */
#include "term/term_priv.h"
#include "base/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define SETTLE_MS 220 /* for pending output, and again for the bytes that restore the terminal */

/* Open a file description of our own, so that O_NONBLOCK does not affect the shell and other
 * programs. */
static int open_anew(int fd)
{
	CLOSE_FD int own = -1;
	char name[256];
	struct stat a, b;

	if (ttyname_r(fd, name, sizeof(name)))
		return -1;
	own = open(name, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (own < 0 || fstat(fd, &a) || fstat(own, &b) || a.st_rdev != b.st_rdev || !isatty(own))
		return -1;
	return take_fd(&own);
}

/* If that is not permitted (after su, in a container without its pts), share the description. */
static int open_one(int fd, bool *shared)
{
	int own = open_anew(fd);

	*shared = own < 0;
	return *shared ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : own;
}

static bool set_modes(int fd, const struct termios *modes)
{
	int r;

	do
		r = tcsetattr(fd, TCSANOW, modes);
	while (r && errno == EINTR);
	return r == 0;
}

bool tty_open(struct term_tty *tty, const struct sys *sys, bool takes_output_keys, struct err *err)
{
	int keys = takes_output_keys ? STDOUT_FILENO : STDIN_FILENO;

	*tty = (struct term_tty){.sys = sys, .in = -1, .out = -1};
	if (!isatty(STDOUT_FILENO))
		return err_set(err, errno,
			       "terminal: standard output is not a terminal: try --once for one frame as "
			       "text, or 'malitop record -o FILE' for a log");
	if (!isatty(keys))
		return err_set(err, errno,
			       "terminal: standard input is not a terminal, so there are no keys: try --once "
			       "for one frame as text, or 'malitop record -o FILE' for a log");
	tty->in = open_one(keys, &tty->shared_in);
	tty->out = open_one(STDOUT_FILENO, &tty->shared_out);
	if (tty->in >= 0 && tty->out >= 0 && !tcgetattr(tty->in, &tty->saved_in) &&
	    !tcgetattr(tty->out, &tty->saved_out) && set_modes(tty->out, &tty->saved_out))
		return true;
	err_set(err, errno, "terminal: cannot open it: %s: try --once", strerror(errno));
	tty_fini(tty);
	return false;
}

void tty_fini(struct term_tty *tty)
{
	sys_cleanup_close(&tty->in);
	sys_cleanup_close(&tty->out);
	tty->in = tty->out = -1;
	strbuf_fini(&tty->pending);
}

/* No conversion of newlines and tabs by the line discipline. Keep flow control, because a serial
 * terminal needs it. NOFLSH, so that Ctrl-C does not cut a sequence. */
static struct termios screen_modes(const struct termios *saved)
{
	struct termios modes = *saved;

	modes.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR);
	modes.c_oflag &= ~(tcflag_t)(ONLCR | OCRNL | ONLRET | TABDLY);
	modes.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON);
	modes.c_lflag |= NOFLSH;
	modes.c_cc[VMIN] = 1;
	modes.c_cc[VTIME] = 0;
	return modes;
}

bool tty_take_modes(struct term_tty *tty)
{
	struct termios in = screen_modes(&tty->saved_in), out = screen_modes(&tty->saved_out);

	return set_modes(tty->in, &in) && set_modes(tty->out, &out);
}

ssize_t tty_write_some(int fd, bool shared, const char *p, size_t n)
{
	int flags = shared ? fcntl(fd, F_GETFL) : -1;
	ssize_t r;
	int saved_errno;

	if (flags < 0 || (flags & O_NONBLOCK))
		return write(fd, p, n);
	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	r = write(fd, p, n);
	saved_errno = errno;
	fcntl(fd, F_SETFL, flags);
	errno = saved_errno;
	return r;
}

bool tty_is_pending(const struct term_tty *tty)
{
	return tty->done < tty->pending.n;
}

bool tty_flush(struct term_tty *tty)
{
	while (tty_is_pending(tty) && !tty->gone) {
		ssize_t r;

		exit_mid_frame(true);
		r = tty_write_some(tty->out, tty->shared_out, tty->pending.p + tty->done,
				   tty->pending.n - tty->done);
		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0 && errno == EAGAIN)
			return false;
		if (r <= 0) {
			tty->gone = true;
			break;
		}
		tty->writes++;
		tty->bytes += (uint64_t)r;
		tty->done += (size_t)r;
	}
	if (!tty->gone)
		exit_mid_frame(false);
	strbuf_clear(&tty->pending);
	tty->done = 0;
	return true;
}

void tty_unstop(int fd)
{
	struct termios modes;

	if (tcgetattr(fd, &modes) || !(modes.c_iflag & IXON))
		return;
	modes.c_iflag &= ~(tcflag_t)IXON;
	set_modes(fd, &modes);
}

void tty_settle(struct term_tty *tty)
{
	int64_t start = tty->sys->monotonic_ns(tty->sys);
	const int64_t limit = SETTLE_MS * INT64_C(1000000);
	bool unstopped = false;

	while (!tty_flush(tty)) {
		struct pollfd pollfd = {.fd = tty->out, .events = POLLOUT};
		int64_t spent = tty->sys->monotonic_ns(tty->sys) - start;

		if (spent >= limit)
			break;
		if (spent >= limit / 2 && !unstopped) {
			tty_unstop(tty->out);
			unstopped = true;
		}
		poll(&pollfd, 1, 20);
	}
	strbuf_clear(&tty->pending);
	tty->done = 0;
}

size_t tty_read(struct term_tty *tty, char *buf, size_t size)
{
	struct pollfd pollfd = {.fd = tty->in, .events = POLLIN};
	ssize_t r;

	/* A shared description blocks, so poll first. */
	if (tty->shared_in && poll(&pollfd, 1, 0) <= 0)
		return 0;
	r = read(tty->in, buf, size);
	if (r > 0)
		return (size_t)r;
	if (r < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	tty->gone = true;
	return 0;
}

void tty_size(const struct term_tty *tty, int *cols, int *rows)
{
	struct winsize size = {0};

	if (ioctl(tty->out, TIOCGWINSZ, &size))
		size = (struct winsize){0};
	*cols = size.ws_col;
	*rows = size.ws_row;
}
