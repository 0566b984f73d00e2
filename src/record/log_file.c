#include "record/log_file.h"

#include "base/alloc.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct log_file {
	const struct sys *sys;
	struct log_file_options options;
	char *dir, *name; /* as the user gave them; dir ends in a slash or is empty */
	char *shown;      /* path of the current file, printable, for messages */
	char *written;    /* its name in the directory */
	int dir_fd, fd;
	bool created, is_regular;
	bool is_linked;                   /* the file system counts its hard links */
	uint64_t base;                    /* size of the file when it was opened */
	uint64_t bytes;                   /* written to it, in whole pieces */
	uint64_t before;                  /* written to the files before it */
	uint64_t synced;                  /* how many of `bytes` are synced to disk */
	int64_t sync_ns;                  /* time of the last sync */
	unsigned number;                  /* number of the file: 0, 1, ... */
	unsigned *kept, n_kept, cap_kept; /* numbers of earlier files that are still there */
};

static char *printable_path(const char *dir, const char *name)
{
	AUTOFREE char *path = xasprintf("%s%s", dir, name);
	size_t size = strlen(path) + 1;

	return str_printable(xmalloc(size), size, path);
}

static bool refuse_file(const struct log_file *f, int code, struct err *err)
{
	const char *words =
		code == EEXIST  ? "already exists: choose another name or use --force"
		: code == ENXIO ? "no reader has this pipe open: start the reader first"
		: code == ELOOP
			? "a symbolic link in a world-writable directory: not followed: choose another name"
			: NULL;

	if (words)
		return err_set(err, code, "log: %s: %s", f->shown, words);
	return err_set(err, code, "log: %s: cannot create: %s", f->shown, strerror(code));
}

/* ---- opening ---- */

/* Whether opening the file for output is safe: no other user can have put it there to make us
 * overwrite it. */
static bool is_safe(const struct log_file *f, bool shared, const struct stat *st, struct err *err)
{
	if (shared && (st->st_uid != geteuid() || (S_ISREG(st->st_mode) && st->st_nlink != 1)))
		return err_set(err, EEXIST,
			       "log: %s: not overwritten: in a world-writable directory, and owned by "
			       "another user or "
			       "hard-linked elsewhere: choose another name",
			       f->shown);
	if (!S_ISREG(st->st_mode) && !S_ISCHR(st->st_mode) && !S_ISFIFO(st->st_mode))
		return err_set(err, EEXIST, "log: %s: not a file or a pipe: choose another name", f->shown);
	return true;
}

/* O_NONBLOCK, because opening a pipe without a reader would block, even for signals. */
static bool open_existing(struct log_file *f, struct err *err)
{
	const struct sys *sys = f->sys;
	struct stat st;
	bool shared = sys->fstat(sys, f->dir_fd, &st) != 0 || st.st_mode & S_IWOTH;

	f->fd = sys->open_at(sys, f->dir_fd, f->written,
			     O_WRONLY | O_NONBLOCK | O_NOCTTY | (shared ? O_NOFOLLOW : 0), 0);
	if (f->fd < 0 || sys->fstat(sys, f->fd, &st) != 0)
		return refuse_file(f, errno, err);
	if (!is_safe(f, shared, &st, err))
		return false;
	if (S_ISREG(st.st_mode) && sys->ftruncate(sys, f->fd, 0) != 0)
		return refuse_file(f, errno, err);
	return true;
}

static bool create_file(struct log_file *f, struct err *err)
{
	const struct sys *sys = f->sys;

	free(f->shown);
	f->shown = printable_path(f->dir, f->written);
	f->fd = sys->open_at(sys, f->dir_fd, f->written, O_WRONLY | O_CREAT | O_EXCL | O_NOCTTY, 0644);
	f->created = f->fd >= 0;
	if (f->created)
		return true;
	return errno == EEXIST && f->options.force ? open_existing(f, err) : refuse_file(f, errno, err);
}

/* Sync the directory entry of the new file, too. It is not an error if a directory cannot be
 * synced. */
static void sync_directory(const struct log_file *f)
{
	const struct sys *sys = f->sys;
	int fd = f->options.sync_ns ? sys->open_at(sys, f->dir_fd, ".", O_RDONLY | O_DIRECTORY, 0) : -1;

	if (fd < 0)
		return;
	sys->fsync(sys, fd);
	sys->close(sys, fd);
}

/* Check the opened file and reset the counts for it. */
static bool begin_file(struct log_file *f, struct err *err)
{
	struct stat st;

	if (f->sys->fstat(f->sys, f->fd, &st) != 0)
		return refuse_file(f, errno, err);
	f->is_regular = S_ISREG(st.st_mode);
	f->is_linked = st.st_nlink;
	f->base = f->is_regular ? (uint64_t)st.st_size : 0;
	f->before += f->bytes;
	f->bytes = f->synced = 0;
	f->sync_ns = f->sys->monotonic_ns(f->sys);
	if (f->options.rotates && (!f->is_regular || f->fd == STDOUT_FILENO))
		return err_set(err, ERR_USAGE, "log: %s: --rotate needs a file with a name", f->shown);
	if (f->created)
		sync_directory(f);
	return true;
}

struct log_file *log_file_open(const struct sys *sys, const char *path,
			       const struct log_file_options *options, struct err *err)
{
	struct log_file *f = xcalloc(1, sizeof(*f));
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	bool ok;

	*f = (struct log_file){.sys = sys, .options = *options, .dir_fd = -1, .fd = -1};
	f->dir = xstrndup(path, (size_t)(name - path));
	f->name = xstrdup(name);
	f->written = xstrdup(name);
	f->shown = printable_path(f->dir, name);
	if (strcmp(path, "-") == 0) {
		f->fd = STDOUT_FILENO;
		ok = begin_file(f, err);
	} else {
		f->dir_fd = log_directory_open(sys, f->dir, err);
		ok = f->dir_fd >= 0 ? create_file(f, err) && begin_file(f, err)
				    : err_prefix(err, "log: %s: ", f->shown);
	}
	if (ok)
		return f;
	log_file_close(f, NULL);
	return NULL;
}

/* ---- writing ---- */

/* Truncate back to the last whole piece, of which `whole` of the last `done` bytes are a part, but
 * only if no one else has appended to the file. */
static bool cut_piece(const struct log_file *f, size_t done, size_t whole)
{
	const struct sys *sys = f->sys;
	struct stat st;

	return f->is_regular && sys->fstat(sys, f->fd, &st) == 0 &&
	       (uint64_t)st.st_size == f->base + f->bytes + done &&
	       sys->ftruncate(sys, f->fd, (off_t)(f->base + f->bytes + whole)) == 0;
}

static bool report_stop(const struct log_file *f, int code, const char *rest, struct err *err)
{
	return err_set(err, code, "log: %s: %s: logging stopped after %.1f MB; %s", f->shown, strerror(code),
		       (double)log_file_bytes(f) / 1e6, rest);
}

/* Returns the bytes written, 0 to try again, or -1 with errno. */
static ssize_t write_some(const struct log_file *f, const char *p, size_t n)
{
	const struct sys *sys = f->sys;
	struct pollfd fd = {.fd = f->fd, .events = POLLOUT};
	ssize_t done = sys->write(sys, f->fd, p, n);

	if (done < 0 && errno == EAGAIN) {
		sys->poll(sys, &fd, 1, -1);
		return 0;
	}
	if (done == 0) { /* impossible for n > 0 */
		errno = EIO;
		return -1;
	}
	return done < 0 && errno == EINTR ? 0 : done;
}

/* Check at every write that the file was not unlinked or truncated, so that the user learns of it
 * now and not at the end. */
static bool is_intact(const struct log_file *f, struct err *err)
{
	struct stat st;
	double mb = (double)log_file_bytes(f) / 1e6;

	if (!f->is_regular || f->fd == STDOUT_FILENO || f->sys->fstat(f->sys, f->fd, &st) != 0)
		return true;
	if (f->is_linked && !st.st_nlink)
		return err_set(err, ENOENT, "log: %s: the file was removed: logging stopped after %.1f MB",
			       f->shown, mb);
	if ((uint64_t)st.st_size < f->base + f->bytes)
		return err_set(err, EINVAL, "log: %s: the file was truncated: logging stopped after %.1f MB",
			       f->shown, mb);
	return true;
}

/* Return how many of the n bytes were written: all, unless there was an error, with errno. */
static size_t write_bytes(const struct log_file *f, const char *p, size_t n)
{
	size_t done = 0;
	ssize_t more;

	while (done < n && (more = write_some(f, p + done, n - done)) >= 0)
		done += (size_t)more;
	return done;
}

bool log_file_write_pieces(struct log_file *f, const struct log_pieces *pieces, unsigned *n, struct err *err)
{
	size_t done, whole = 0;
	bool is_cut;
	int code;

	*n = 0;
	if (!is_intact(f, err))
		return false;
	done = write_bytes(f, pieces->bytes.p, pieces->bytes.n);
	code = errno;
	while (*n < pieces->n && pieces->list[*n].end <= done)
		whole = pieces->list[(*n)++].end;
	is_cut = done == whole || cut_piece(f, done, whole);
	f->bytes += whole;
	return *n == pieces->n ||
	       report_stop(f, code,
			   is_cut ? "everything up to there is intact"
				  : "everything up to there is intact, the data after it is incomplete",
			   err);
}

bool log_file_write(struct log_file *f, const void *bytes, size_t n, struct err *err)
{
	struct log_piece one = {.end = n};
	unsigned n_written;

	return log_file_write_pieces(
		f,
		&(struct log_pieces){.bytes = {.p = (char *)(uintptr_t)bytes, .n = n}, .list = &one, .n = 1},
		&n_written, err);
}

void log_pieces_add(struct log_pieces *pieces, const void *bytes, size_t n, uint64_t rows)
{
	strbuf_add(&pieces->bytes, bytes, n);
	GROW(pieces->list, pieces->n, pieces->cap);
	pieces->list[pieces->n++] = (struct log_piece){pieces->bytes.n, rows};
}

void log_pieces_clear(struct log_pieces *pieces)
{
	strbuf_clear(&pieces->bytes);
	pieces->n = 0;
}

void log_pieces_fini(struct log_pieces *pieces)
{
	strbuf_fini(&pieces->bytes);
	free(pieces->list);
	*pieces = (struct log_pieces){0};
}

bool log_file_is_due(const struct log_file *f, int64_t now_ns)
{
	return f->options.sync_ns && f->is_regular && f->synced < f->bytes &&
	       now_ns - f->sync_ns >= f->options.sync_ns;
}

bool log_file_sync(struct log_file *f, int64_t now_ns, struct err *err)
{
	f->sync_ns = now_ns;
	if (f->sys->fdatasync(f->sys, f->fd) != 0)
		return errno == EINTR ||
		       report_stop(f, errno, "the newest data may not have reached the disk", err);
	f->synced = f->bytes;
	return true;
}

/* ---- closing and rotating ---- */

/* Sync and close. close reports write errors that a network file system deferred. */
static bool finish_file(struct log_file *f, struct err *err)
{
	const struct sys *sys = f->sys;
	int fd = take_fd(&f->fd);
	bool ok = true;

	if (fd < 0 || fd == STDOUT_FILENO)
		return true;
	if (f->created && !f->bytes)
		sys->unlink_at(sys, f->dir_fd, f->written);
	else if (f->options.sync_ns && f->is_regular && sys->fsync(sys, fd) != 0)
		ok = report_stop(f, errno, "the newest data may not have reached the disk", err);
	if (sys->close(sys, fd) != 0 && errno != EINTR && ok)
		ok = report_stop(f, errno, "the newest data may not have reached the disk", err);
	return ok;
}

bool log_file_close(struct log_file *f, struct err *err)
{
	bool ok;

	if (!f)
		return true;
	ok = finish_file(f, err);
	if (f->dir_fd >= 0)
		f->sys->close(f->sys, f->dir_fd);
	free(f->kept);
	free(f->dir);
	free(f->name);
	free(f->shown);
	free(f->written);
	free(f);
	return ok;
}

void log_file_forget(struct log_file *f)
{
	f->bytes = 0;
}

static char *numbered_name(const struct log_file *f, unsigned number)
{
	const char *dot = strrchr(f->name, '.');
	int n = (int)(dot && dot > f->name ? (size_t)(dot - f->name) : strlen(f->name));

	return number ? xasprintf("%.*s.%u%s", n, f->name, number, f->name + n) : xstrdup(f->name);
}

bool log_file_next(struct log_file *f, struct err *err)
{
	struct err why = {0};
	bool ok = finish_file(f, err);

	if (!ok)
		return false;
	GROW(f->kept, f->n_kept, f->cap_kept);
	f->kept[f->n_kept++] = f->number;
	do {
		free(f->written);
		f->written = numbered_name(f, ++f->number);
		if (f->fd >= 0)
			f->sys->close(f->sys, take_fd(&f->fd));
		ok = create_file(f, &why);
	} while (!ok && why.code == EEXIST && f->number < UINT_MAX);
	if (!ok)
		return err_set(err, why.code, "%s: logging stopped after %.1f MB", why.text,
			       (double)log_file_bytes(f) / 1e6);
	if (f->options.keep && f->n_kept == f->options.keep) {
		AUTOFREE char *oldest = numbered_name(f, f->kept[0]);

		f->sys->unlink_at(f->sys, f->dir_fd, oldest); /* it may already be gone */
		memmove(f->kept, f->kept + 1, --f->n_kept * sizeof(*f->kept));
	}
	return begin_file(f, err);
}

uint64_t log_file_bytes(const struct log_file *f)
{
	return f->before + f->bytes;
}

bool log_file_find(const struct sys *sys, const char *path, struct stat *st)
{
	int fd = sys->open_at(sys, AT_FDCWD, path, O_PATH, 0);
	bool found = fd >= 0 && sys->fstat(sys, fd, st) == 0;

	if (fd >= 0)
		sys->close(sys, fd);
	return found;
}

bool log_file_is_same(const struct sys *sys, const char *a, const char *b)
{
	struct stat first, second;

	return log_file_find(sys, a, &first) && log_file_find(sys, b, &second) &&
	       first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}
