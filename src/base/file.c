#include "base/file.h"

#include "base/alloc.h"
#include "base/sys.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define PATIENCE_MS 3000

/* Read until the end. Wait for a pipe at most patience_ms (-1 means forever). */
static bool read_text(int fd, const char *path, size_t max, int patience_ms, char **text, size_t *n,
		      struct err *err)
{
	AUTO_STRBUF struct strbuf all = {0};
	char chunk[8192];
	ssize_t got = 1;

	strbuf_str(&all, "");
	while (all.n <= max && got) {
		struct pollfd ready = {.fd = fd, .events = POLLIN};
		int polled = poll(&ready, 1, patience_ms);

		if (polled == 0)
			return err_set(err, ETIMEDOUT,
				       "%s: no data from this pipe for %d s: start the writer first", path,
				       patience_ms / 1000);
		got = polled < 0 ? -1 : read(fd, chunk, sizeof(chunk));
		if (got > 0)
			strbuf_add(&all, chunk, (size_t)got);
		else if (got < 0 && errno != EINTR && errno != EAGAIN)
			return err_set(err, errno, "%s: cannot read: %s", path, strerror(errno));
	}
	if (all.n > max)
		return err_set(err, 0, "%s: larger than %zu bytes: is it the right file?", path, max);
	*n = all.n;
	*text = take_ptr(&all.p);
	return true;
}

/* Neither a pipe nor a terminal holds up the open. */
static int open_to_read(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		err_set(err, errno, "%s: cannot open: %s", path, strerror(errno));
	return fd;
}

bool file_read(const char *path, size_t max, char **text, size_t *n, struct err *err)
{
	CLOSE_FD int fd = -1;

	if (strcmp(path, "-") == 0)
		return read_text(STDIN_FILENO, path, max, -1, text, n, err);
	fd = open_to_read(path, err);
	return fd >= 0 && read_text(fd, path, max, PATIENCE_MS, text, n, err);
}

/* ---- secrets ---- */

#define ACL_BYTES 1024
#define READ_OR_WRITE 6

/* An entry of the kernel's extended attribute, which has a version of 4 bytes before them. */
struct acl_entry {
	uint16_t tag, permissions; /* little-endian, as everything in it */
	uint32_t id;
};
enum acl_tag { ACL_OWNER = 1, ACL_USER = 2, ACL_MASK = 16 };

/* With an access control list, the bits of the group are only the mask of all entries: so systemd
 * lets a service read its credentials, which belong to root. */
static bool acl_shares(int fd)
{
	unsigned char list[ACL_BYTES];
	ssize_t n = fgetxattr(fd, "system.posix_acl_access", list, sizeof(list));
	struct acl_entry e;

	for (ssize_t at = 4; at + (ssize_t)sizeof(e) <= n; at += (ssize_t)sizeof(e)) {
		memcpy(&e, list + at, sizeof(e));
		e = (struct acl_entry){le16toh(e.tag), le16toh(e.permissions), le32toh(e.id)};
		if (e.permissions & READ_OR_WRITE && e.tag != ACL_OWNER && e.tag != ACL_MASK &&
		    !(e.tag == ACL_USER && e.id == geteuid()))
			return true;
	}
	return n <= 4;
}

static bool is_secret(int fd, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_set(err, errno, "%s: cannot open: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_USAGE, "%s: not a regular file: copy its contents into one", path);
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return err_set(err, ERR_USAGE, "%s: belongs to another user: make a copy of your own", path);
	if (st.st_mode & (S_IROTH | S_IWOTH) || (st.st_mode & (S_IRGRP | S_IWGRP) && acl_shares(fd)))
		return err_set(err, ERR_USAGE, "%s: other users may read or change it: chmod 600 %s", path,
			       path);
	return true;
}

bool file_read_secret(const char *path, size_t max, char **text, size_t *n, struct err *err)
{
	CLOSE_FD int fd = open_to_read(path, err);

	return fd >= 0 && is_secret(fd, path, err) && read_text(fd, path, max, PATIENCE_MS, text, n, err);
}

struct file {
	int fd;
};

struct file *file_open(const char *path, struct err *err)
{
	CLOSE_FD int fd = open_to_read(path, err);
	struct file *file = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) < 0)
		err_set(err, errno, "%s: cannot open: %s", path, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		err_set(err, EISDIR, "%s: is a directory: name a file in it", path);
	else if (!S_ISREG(st.st_mode))
		err_set(err, ESPIPE, "%s: not a regular file: copy its contents into one", path);
	else {
		file = xmalloc(sizeof(*file));
		file->fd = take_fd(&fd);
	}
	return file;
}

struct file *file_temporary(struct err *err)
{
	const char *set = getenv("TMPDIR"), *dir = set && set[0] == '/' ? set : "/tmp";
	char path[PATH_MAX];
	struct file *file;
	int fd = -1;

	for (unsigned i = 0; i < 100 && fd < 0; i++) { /* another program may have made one of that name */
		snprintf(path, sizeof(path), "%s/malitop-%ld-%u", dir, (long)getpid(), i);
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0) {
		err_set(err, errno, "%s: cannot make a temporary file: %s: set TMPDIR", path,
			strerror(errno));
		return NULL;
	}
	unlink(path);
	file = xmalloc(sizeof(*file));
	file->fd = fd;
	return file;
}

static bool write_all(int fd, const char *text, size_t n)
{
	while (n) {
		ssize_t wrote = sys_write(fd, text, n);

		if (wrote < 0 && errno == EINTR)
			continue;
		if (wrote <= 0)
			return false;
		text += wrote;
		n -= (size_t)wrote;
	}
	return true;
}

bool file_append(struct file *file, const void *bytes, size_t n, struct err *err)
{
	return write_all(file->fd, bytes, n) ||
	       err_set(err, errno, "temporary file: cannot write: %s", strerror(errno));
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

bool file_has_ending(const char *name, const char *ending)
{
	size_t n = strlen(name), e = strlen(ending);

	return n > e && strcmp(name + n - e, ending) == 0;
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
		return err_set(err, errno, "%s: cannot write in its directory: %s", path, strerror(errno));
	ok = (stat(target, &st) != 0 || fchmod(fd, st.st_mode & 07777) == 0) && write_all(fd, text, n) &&
	     fsync(fd) == 0;
	ok = close(fd) == 0 && ok && rename(fresh, target) == 0;
	if (!ok) {
		err_set(err, errno, "%s: cannot write it: %s", path, strerror(errno));
		unlink(fresh);
	}
	return ok;
}
