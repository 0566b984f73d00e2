#include "record/control.h"

#include "base/alloc.h"
#include "base/message.h"
#include "base/str.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHOWN 80

static const struct {
	const char *text;
	enum control_word word;
	bool has_text; /* after a blank */
	enum { OF_PROGRAMS = 1, OF_READERS = 2, OF_BOTH = 3 } from;
} words[] = {
	{"enable", CONTROL_ENABLE, false, OF_PROGRAMS}, {"disable", CONTROL_DISABLE, false, OF_PROGRAMS},
	{"mark", CONTROL_MARK, true, OF_BOTH},          {"ping", CONTROL_PING, false, OF_BOTH},
	{"ack", CONTROL_ACK, true, OF_READERS},         {"frames", CONTROL_FRAMES, true, OF_READERS},
	{"gpu", CONTROL_GPU, true, OF_READERS},         {"interval", CONTROL_INTERVAL, true, OF_READERS},
	{"hot", CONTROL_HOT, true, OF_READERS},         {"send", CONTROL_SEND, true, OF_READERS},
	{"signal", CONTROL_SIGNAL, true, OF_READERS},
};

void control_vocabulary(char text[CONTROL_VOCABULARY])
{
	size_t n = (size_t)snprintf(text, CONTROL_VOCABULARY, "%s", CONTROL_VERSION);

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (words[i].from & OF_READERS)
			n += (size_t)snprintf(text + n, CONTROL_VOCABULARY - n, " %s", words[i].text);
	assert(n < CONTROL_VOCABULARY);
}

/* ---- opening ---- */

static bool is_number(struct span text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] < '0' || text.p[i] > '9')
			return false;
	return text.n > 0 && text.n < 8;
}

/* Our own files close on exec; those that we were started with do not. */
static bool inherit_fd(int *fd, struct span number, int unfit, const char *purpose, struct err *err)
{
	int n = atoi(number.p), flags = fcntl(n, F_GETFD);

	if (flags < 0 || flags & FD_CLOEXEC)
		return err_set(err, EBADF,
			       "--control: file descriptor %d: not open: open it in the shell first", n);
	if ((fcntl(n, F_GETFL) & O_ACCMODE) == unfit)
		return err_set(err, EBADF, "--control: file descriptor %d: not open for %s", n, purpose);
	*fd = n;
	return true;
}

/* Opened for both directions, a FIFO neither waits for the other side nor ends when that leaves. */
static bool open_fifo(const struct sys *sys, int *fd, struct span path, struct err *err)
{
	AUTOFREE char *name = xstrndup(path.p, path.n);
	char shown[SHOWN];
	struct stat st;

	str_printable(shown, sizeof(shown), name);
	*fd = sys->open_at(sys, AT_FDCWD, name, O_RDWR | O_NONBLOCK | O_NOCTTY, 0);
	if (*fd < 0)
		return err_set(err, errno, "--control: %s: cannot open: %s%s", shown, strerror(errno),
			       errno == ENOENT ? ": make it with mkfifo" : "");
	if (sys->fstat(sys, *fd, &st) == 0 && S_ISFIFO(st.st_mode))
		return true;
	sys->close(sys, take_fd(fd));
	return err_set(err, EINVAL, "--control: %s: not a FIFO: make one with mkfifo", shown);
}

bool control_open(struct control *c, const struct sys *sys, const char *text, struct err *err)
{
	bool is_fifo = strncmp(text, "fifo:", 5) == 0, is_fd = strncmp(text, "fd:", 3) == 0;
	struct span first = span_of(text + (is_fifo ? 5 : is_fd ? 3 : 0)), ack = {0}, rest = first;
	bool comma = strchr(first.p, ',');

	*c = (struct control){.sys = sys, .fd = -1, .ack_fd = -1, .is_input = strcmp(text, "-") == 0};
	if (c->is_input) {
		c->fd = STDIN_FILENO;
		return true;
	}
	is_fd = is_fd || (!is_fifo && first.p[0] >= '0' && first.p[0] <= '9' && !strchr(first.p, '/'));
	comma = comma && (is_fifo || is_fd);
	if (comma) {
		first = span_until(&rest, ',');
		ack = rest;
	}
	if (!first.n || (comma && !ack.n) || (is_fd && (!is_number(first) || (ack.n && !is_number(ack)))))
		return err_set(err, EINVAL, "--control: '%.60s': expected FD, FD,ACK, PATH or fifo:PATH,ACK",
			       text);
	if (is_fd)
		return inherit_fd(&c->fd, first, O_WRONLY, "reading", err) &&
		       (!ack.n || inherit_fd(&c->ack_fd, ack, O_RDONLY, "writing", err));
	c->is_ours = true;
	if (open_fifo(sys, &c->fd, first, err) && (!ack.n || open_fifo(sys, &c->ack_fd, ack, err)))
		return true;
	control_close(c);
	return false;
}

void control_close(struct control *c)
{
	if (c->is_ours && c->fd >= 0)
		c->sys->close(c->sys, c->fd);
	if (c->is_ours && c->ack_fd >= 0)
		c->sys->close(c->sys, c->ack_fd);
	c->fd = c->ack_fd = -1;
}

/* ---- commands ---- */

static bool is_ready(const struct control *c, int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};

	return c->sys->poll(c->sys, &p, 1, 0) > 0;
}

/* Read what waits. The end of the input ends its last line. */
static bool read_bytes(struct control *c)
{
	ssize_t n;

	if (c->fd < 0 || !is_ready(c, c->fd, POLLIN))
		return false;
	n = c->sys->read(c->sys, c->fd, c->bytes, sizeof(c->bytes));
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	c->at = 0;
	if (n > 0) {
		c->n_read = (unsigned)n;
		return true;
	}
	c->ended = true;
	if (!c->is_input)
		message("--control: the other side has closed it: no more commands");
	if (c->is_ours)
		c->sys->close(c->sys, c->fd);
	c->fd = -1;
	c->bytes[0] = '\n';
	c->n_read = 1;
	return true;
}

/* "17 " before a request that wants an answer; 0: there is none. */
static unsigned take_number(const char **line)
{
	size_t digits = strspn(*line, "0123456789");
	unsigned number = digits && digits < 9 && (*line)[digits] == ' ' ? (unsigned)atoi(*line) : 0;

	*line += number ? digits + 1 : 0;
	return number;
}

static enum control_word word_of(struct control *c, const char **text)
{
	const char *line = c->line;
	char shown[SHOWN];

	c->number = c->is_input ? take_number(&line) : 0;
	for (size_t i = 0; c->n <= CONTROL_LINE && i < ARRAY_LEN(words); i++) {
		size_t n = strlen(words[i].text);

		if (!(words[i].from & (c->is_input ? OF_READERS : OF_PROGRAMS)) ||
		    strncmp(line, words[i].text, n) != 0 ||
		    (line[n] && !(words[i].has_text && line[n] == ' ')))
			continue;
		*text = line + n + (line[n] == ' ');
		return words[i].word;
	}
	if (c->is_input)
		*text = line;
	if (!c->reported && !c->is_input)
		message("--control: '%s': unknown command: enable, disable, mark [TEXT] or ping",
			str_printable(shown, sizeof(shown), c->line));
	c->reported |= !c->is_input;
	return CONTROL_UNKNOWN;
}

/* A line ends with a newline or a NUL, because programs also write their strings with it. */
enum control_word control_next(struct control *c, const char **text)
{
	*text = "";
	while (c->at < c->n_read || read_bytes(c)) {
		char byte = c->bytes[c->at++];
		enum control_word word;

		if (byte != '\n' && byte != '\0') {
			if (c->n < CONTROL_LINE)
				c->line[c->n] = byte;
			c->n += c->n <= CONTROL_LINE;
			continue;
		}
		c->line[c->n < CONTROL_LINE ? c->n : CONTROL_LINE] = 0;
		word = c->n ? word_of(c, text) : CONTROL_NONE;
		c->n = 0;
		if (word != CONTROL_NONE)
			return word;
	}
	return CONTROL_NONE;
}

void control_answer(struct control *c, enum control_word word)
{
	const char *text = word == CONTROL_UNKNOWN ? "error\n" : "ack\n";

	if (c->ack_fd < 0 || !is_ready(c, c->ack_fd, POLLOUT))
		return;
	if (c->sys->write(c->sys, c->ack_fd, text, strlen(text)) < 0 && errno != EAGAIN && errno != EINTR) {
		if (c->is_ours)
			c->sys->close(c->sys, c->ack_fd);
		c->ack_fd = -1;
	}
}
