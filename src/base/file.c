#include "base/file.h"

#include "base/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATIENCE_MS 3000

/* Read into *all until the end, or max + 1 bytes. Wait for a pipe at most patience_ms (-1 means
 * forever). */
static bool read_all(int fd, const char *path, size_t max, int patience_ms, struct strbuf *all,
		     struct err *err)
{
	char chunk[8192];
	ssize_t got = 1;

	while (all->n <= max && got) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		int n = poll(&ready, 1, patience_ms);

		if (n == 0)
			return err_set(err, ETIMEDOUT,
				       "%s: no data from this pipe for %d s: start the writer first", path,
				       patience_ms / 1000);
		got = n < 0 ? -1 : read(fd, chunk, sizeof(chunk));
		if (got > 0)
			strbuf_add(all, chunk, (size_t)got);
		else if (got < 0 && errno != EINTR && errno != EAGAIN)
			return err_set(err, errno, "%s: cannot read: %s", path, strerror(errno));
	}
	return all->n <= max ||
	       err_set(err, 0, "%s: larger than %zu bytes: is it the right file?", path, max);
}

bool file_read(const char *path, size_t max, char **text, size_t *n, struct err *err)
{
	bool is_stdin = strcmp(path, "-") == 0, ok;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct strbuf all = {0};

	if (fd < 0)
		return err_set(err, errno, "%s: cannot open: %s", path, strerror(errno));
	strbuf_str(&all, "");
	ok = read_all(fd, path, max, is_stdin ? -1 : PATIENCE_MS, &all, err);
	if (!is_stdin)
		close(fd);
	if (!ok) {
		strbuf_fini(&all);
		return false;
	}
	*text = all.p;
	*n = all.n;
	return true;
}

struct file {
	int fd;
};

struct file *file_open(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* do not block on a pipe */
	struct file *file;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		err_set(err, errno, "%s: cannot open: %s", path, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		err_set(err, EISDIR, "%s: is a directory: name a file in it", path);
	else if (!S_ISREG(st.st_mode))
		err_set(err, ESPIPE, "%s: not a regular file: copy its contents into one", path);
	else {
		file = xmalloc(sizeof(*file));
		file->fd = fd;
		return file;
	}
	if (fd >= 0)
		close(fd);
	return NULL;
}

void file_close(struct file *file)
{
	if (file)
		close(file->fd);
	free(file);
}

ssize_t file_read_at(void *file, void *buf, size_t n, uint64_t at)
{
	size_t done = 0;
	ssize_t got;

	if (at > (uint64_t)INT64_MAX - n)
		return 0;
	do {
		got = pread(((struct file *)file)->fd, (char *)buf + done, n - done, (off_t)(at + done));
		if (got < 0 && errno != EINTR)
			return -1;
		done += got > 0 ? (size_t)got : 0;
	} while (got && done < n);
	return (ssize_t)done;
}

int64_t file_size(void *file)
{
	struct stat st;

	return fstat(((struct file *)file)->fd, &st) < 0 ? -1 : st.st_size;
}

static int not_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int file_list(const char *dir, char ***names)
{
	struct dirent **entries;
	int n = scandir(dir, &entries, not_hidden, alphasort);

	if (n < 0)
		return -1;
	*names = xcalloc((size_t)n, sizeof(**names));
	for (int i = 0; i < n; i++) {
		(*names)[i] = xstrdup(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return n;
}

/* Make the last directory of the path. */
static void make_dir_of(const char *path)
{
	AUTOFREE char *dir = xstrdup(path);
	char *slash = strrchr(dir, '/');

	if (!slash || slash == dir)
		return;
	*slash = 0;
	if (mkdir(dir, 0700) == 0 || errno != ENOENT)
		return;
	make_dir_of(dir);
	mkdir(dir, 0700);
}

static bool write_all(int fd, const char *text, size_t n)
{
	while (n) {
		ssize_t wrote = write(fd, text, n);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return false;
		text += wrote;
		n -= (size_t)wrote;
	}
	return true;
}

bool file_replace(const char *path, const char *text, size_t n, struct err *err)
{
	AUTOFREE char *real = realpath(path, NULL);
	const char *target = real ? real : path;
	AUTOFREE char *fresh = xasprintf("%s.new", target);
	struct stat st;
	bool ok;
	int fd;

	make_dir_of(target);
	unlink(fresh); /* of an earlier attempt */
	fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_set(err, errno, "%s: cannot write beside it: %s", path, strerror(errno));
	ok = (stat(target, &st) != 0 || fchmod(fd, st.st_mode & 07777) == 0) && write_all(fd, text, n) &&
	     fsync(fd) == 0;
	ok = close(fd) == 0 && ok && rename(fresh, target) == 0;
	if (!ok) {
		err_set(err, errno, "%s: cannot write it: %s", path, strerror(errno));
		unlink(fresh);
	}
	return ok;
}
