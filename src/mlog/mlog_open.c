#include "mlog/mlog_open.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TAKE_BYTES 65536 /* as much as a pipe holds */
#define TAKE_MOST 64     /* pieces, before other streams have their turn */

struct mlog_feed {
	struct file *file;
	struct mlog_stream *stream; /* NULL: a file */
	int fd;                     /* -1: not connected */
	bool is_remote;             /* another connection may follow */
	struct mlog_arrival arrival;
	mlog_write_fn *copy; /* NULL: none */
	void *copy_ctx;
};

static bool append_block(void *ctx, const void *bytes, size_t n, struct err *err)
{
	struct mlog_feed *f = ctx;
	struct err ignored;

	if (f->copy && !f->copy(f->copy_ctx, bytes, n, &ignored))
		f->copy = NULL; /* the writer knows */
	return file_append(f->file, bytes, n, err);
}

/* ---- opening ---- */

static struct mlog_feed *open_stream(const char *name, const char *advice, int fd, struct err *err)
{
	struct mlog_feed *f = xcalloc(1, sizeof(*f));

	f->fd = fd;
	f->file = file_temporary(err);
	f->stream = mlog_stream_new(name, advice, append_block, f);
	if (f->file)
		return f;
	mlog_close(f);
	return NULL;
}

struct mlog_feed *mlog_open_remote(const char *name, const char *advice, struct err *err)
{
	struct mlog_feed *f = open_stream(name, advice, -1, err);

	if (f)
		f->is_remote = true;
	return f;
}

/* Wait for the start block: nothing can be done before it. */
static bool await_start(struct mlog_feed *f, const char *name, struct err *err)
{
	while (!f->arrival.stream.started)
		if (!mlog_await(f)) {
			*err = f->arrival.err;
			return err->text[0] ? false
					    : err_set(err, 0,
						      "%s: the stream ended without any data: see the "
						      "messages of its writer",
						      name);
		}
	return true;
}

struct mlog_feed *mlog_open(const char *path, struct err *err)
{
	bool is_input = strcmp(path, "-") == 0;
	const char *name = is_input ? "standard input" : path;
	struct mlog_feed *f;
	struct stat st;
	int fd;

	if (is_input && isatty(STDIN_FILENO)) {
		err_set(err, ERR_USAGE,
			"standard input is a terminal: pipe a stream into it, as in: ssh BOARD malitop "
			"record -o - | malitop -");
		return NULL;
	}
	if (!is_input && !(stat(path, &st) == 0 && S_ISFIFO(st.st_mode))) {
		f = xcalloc(1, sizeof(*f));
		f->fd = -1;
		f->file = file_open(path, err);
		f->arrival.ended = true;
		if (!f->file)
			mlog_close(take_ptr(&f));
		return f;
	}
	fd = is_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0) {
		err_set(err, errno, "%s: cannot open: %s", name, strerror(errno));
		return NULL;
	}
	f = open_stream(name, MLOG_NO_TERMINAL, fd, err);
	if (!f || await_start(f, name, err))
		return f;
	mlog_close(f);
	return NULL;
}

void mlog_close(struct mlog_feed *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	mlog_stream_free(f->stream);
	file_close(f->file);
	free(f);
}

struct mlog_input mlog_opened(struct mlog_feed *f)
{
	return (struct mlog_input){.ctx = f->file, .read = file_read_at, .size = file_size};
}

/* ---- arrival ---- */

bool mlog_is_stream(const struct mlog_feed *f)
{
	return f->stream != NULL;
}

int mlog_arrival_fd(const struct mlog_feed *f)
{
	return f->fd;
}

void mlog_connect(struct mlog_feed *f, int fd, int64_t gap_ns)
{
	mlog_disconnect(f);
	f->fd = fd;
	f->arrival.err = (struct err){0};
	mlog_stream_again(f->stream, gap_ns);
}

void mlog_disconnect(struct mlog_feed *f)
{
	if (f->fd >= 0)
		close(take_fd(&f->fd));
}

static void end_stream(struct mlog_feed *f, const struct err *why)
{
	struct err err;

	mlog_disconnect(f);
	if (f->arrival.ended)
		return;
	f->arrival.ended = true;
	if (why)
		f->arrival.err = *why;
	else if (!mlog_stream_end(f->stream, &err))
		f->arrival.err = err;
}

/* Returns whether something was read. The descriptor may be shared, so it is not made non-blocking:
 * it is only read when it is ready. */
static bool take_some(struct mlog_feed *f, int timeout_ms)
{
	struct pollfd ready = {.fd = f->fd, .events = POLLIN};
	char bytes[TAKE_BYTES];
	struct err err = {0};
	ssize_t n;

	if (f->fd < 0 || poll(&ready, 1, timeout_ms) <= 0)
		return false;
	n = read(f->fd, bytes, sizeof(bytes));
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return true;
	if (n < 0)
		err_set(&err, errno, "the stream cannot be read: %s", strerror(errno));
	if (n > 0 && mlog_stream_add(f->stream, bytes, (size_t)n, &err))
		return true;
	if (f->is_remote && n <= 0) {
		mlog_disconnect(f);
		mlog_stream_state(f->stream, &f->arrival.stream);
		if (!f->arrival.stream.started && !mlog_stream_end(f->stream, &err))
			f->arrival.err = err;
	} else
		end_stream(f, err.text[0] ? &err : NULL);
	return false;
}

bool mlog_take(struct mlog_feed *f)
{
	uint64_t blocks = f->arrival.stream.blocks;
	bool ended = f->arrival.ended;

	if (!f->stream)
		return false;
	for (int i = 0; i < TAKE_MOST && take_some(f, 0); i++)
		;
	mlog_stream_state(f->stream, &f->arrival.stream);
	return f->arrival.stream.blocks != blocks || f->arrival.ended != ended;
}

bool mlog_await(struct mlog_feed *f)
{
	if (!f->stream || f->fd < 0)
		return false;
	take_some(f, -1);
	mlog_stream_state(f->stream, &f->arrival.stream);
	return !f->arrival.ended && f->fd >= 0;
}

void mlog_add_note(struct mlog_feed *f, const struct mlog_note *note, int64_t gap_ns)
{
	struct err err;

	if (!f->arrival.ended && !mlog_stream_note(f->stream, *note, gap_ns, &err))
		end_stream(f, &err);
}

bool mlog_copy(struct mlog_feed *f, mlog_write_fn *write, void *ctx, struct err *err)
{
	char bytes[TAKE_BYTES];
	uint64_t at = 0;
	ssize_t n;

	while ((n = file_read_at(f->file, bytes, sizeof(bytes), at)) > 0) {
		if (!write(ctx, bytes, (size_t)n, err))
			return false;
		at += (uint64_t)n;
	}
	if (n < 0)
		return err_set(err, errno, "the stream cannot be read again: %s", strerror(errno));
	f->copy = write;
	f->copy_ctx = ctx;
	return true;
}

bool mlog_copy_end(struct mlog_feed *f, struct err *err)
{
	bool ok = !f->copy || f->arrival.ended || mlog_stream_index(f->stream, f->copy, f->copy_ctx, err);

	f->copy = NULL;
	return ok;
}

void mlog_arrival(const struct mlog_feed *f, struct mlog_arrival *arrival)
{
	*arrival = f->arrival;
}

void mlog_arrival_complain(const struct mlog_feed *f, struct strbuf *text)
{
	uint64_t skipped = f->arrival.stream.skipped;

	if (skipped)
		strbuf_printf(text, "%s%llu byte%s of the stream %s damaged and %s skipped",
			      text->n ? "; " : "", (unsigned long long)skipped, plural_ending(skipped),
			      was_or_were(skipped), was_or_were(skipped));
	if (f->arrival.err.text[0])
		strbuf_printf(text, "%s%s", text->n ? "; " : "", f->arrival.err.text);
}
