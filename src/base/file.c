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
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
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
	/* Some editors write a byte order mark, which is no part of the text. */
	if (all.n >= 3 && memcmp(all.p, "\xef\xbb\xbf", 3) == 0)
		memmove(all.p, all.p + 3, (all.n -= 3) + 1);
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

/* Make a file of our own, named "STEM-PID-N" into `path`, and lock it, so that others see that its
 * writer is alive. No N comes again. */
static int open_unique(int dir_fd, const char *stem, mode_t mode, char path[PATH_MAX])
{
	static unsigned number;
	struct stat st;
	int fd;

	for (int i = 0; i < 1000; i++) {
		snprintf(path, PATH_MAX, "%s-%ld-%u", stem, (long)getpid(), number++);
		fd = openat(dir_fd, path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (fd < 0 && errno == EEXIST)
			continue;
		if (fd < 0 || (!(flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) &&
			       fstat(fd, &st) == 0 && st.st_nlink))
			return fd;
		close(fd); /* one who removes leftovers was faster than the lock */
	}
	errno = EEXIST;
	return -1;
}

struct file *file_temporary(struct err *err)
{
	const char *set = getenv("TMPDIR"), *dir = set && set[0] == '/' ? set : "/tmp";
	AUTOFREE char *stem = xasprintf("%s/malitop", dir);
	char path[PATH_MAX];
	struct file *file;
	int fd = open_unique(AT_FDCWD, stem, 0600, path);

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

bool file_has_ending(const char *name, const char *ending)
{
	size_t n = strlen(name), e = strlen(ending);

	return n > e && strcmp(name + n - e, ending) == 0;
}

/* ---- files that are replaced as a whole ---- */

#define FRESH ".malitop"
#define LINKS_MOST 40

/* Where a file is that is to be replaced. */
struct file_place {
	char *path; /* what its links lead to, which need not exist */
	const char *name;
	int dir_fd;
};

static void place_fini(struct file_place *at)
{
	if (at->dir_fd >= 0)
		close(at->dir_fd);
	free(at->path);
}

static size_t dir_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* NULL and errno if there are too many links. */
static char *follow_links(const char *path)
{
	char *at = xstrdup(path), link[PATH_MAX];

	for (int i = 0; i < LINKS_MOST; i++) {
		ssize_t n = readlink(at, link, sizeof(link) - 1);
		int dir = n > 0 && link[0] != '/' ? (int)dir_length(at) : 0;
		AUTOFREE char *before = at;

		if (n <= 0)
			return take_ptr(&before);
		at = xasprintf("%.*s%.*s", dir, before, (int)n, link);
	}
	free(at);
	errno = ELOOP;
	return NULL;
}

/* Root may work in the home of another user, as with sudo: what it makes there is that user's. */
static void give_to_owner(int fd, const struct stat *owner)
{
	if (geteuid() == 0 && fchown(fd, owner->st_uid, owner->st_gid) != 0)
		return; /* a file system without owners */
}

/* Open the directory of a path, and make it if it is missing. */
static int open_dir_of(const char *path)
{
	AUTOFREE char *dir = xstrndup(path, dir_length(path)), *upper = NULL;
	int fd = open(*dir ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CLOSE_FD int upper_fd = -1;
	struct stat owner;
	size_t n = strlen(dir);
	bool made;

	if (fd >= 0 || errno != ENOENT || n < 2)
		return fd;
	while (n > 1 && dir[n - 1] == '/')
		dir[--n] = 0;
	upper_fd = open_dir_of(dir);
	if (upper_fd < 0 || fstat(upper_fd, &owner) != 0)
		return -1;
	upper = xstrdup(dir + dir_length(dir));
	made = mkdirat(upper_fd, upper, 0700) == 0;
	if (!made && errno != EEXIST)
		return -1;
	fd = openat(upper_fd, upper, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && made)
		give_to_owner(fd, &owner);
	return fd;
}

/* Remove what writers left that were killed: those alive have a lock on theirs. */
static void remove_leftovers(const struct file_place *at)
{
	const size_t n = strlen(FRESH "-");
	int dir_fd = openat(at->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = dir_fd < 0 ? NULL : fdopendir(dir_fd);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		CLOSE_FD int fd = -1;

		if (strncmp(entry->d_name, FRESH "-", n) != 0 ||
		    entry->d_name[n + strspn(entry->d_name + n, "0123456789-")])
			continue;
		fd = openat(at->dir_fd, entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
			unlinkat(at->dir_fd, entry->d_name, 0);
	}
	if (dir)
		closedir(dir);
	else if (dir_fd >= 0)
		close(dir_fd);
}

static bool place_open(struct file_place *at, const char *path, struct err *err)
{
	*at = (struct file_place){.path = follow_links(path), .dir_fd = -1};
	if (at->path)
		at->dir_fd = open_dir_of(at->path);
	if (at->dir_fd < 0)
		return err_set(err, errno, "%s: cannot write in its directory: %s", path, strerror(errno));
	at->name = at->path + dir_length(at->path);
	return true;
}

/* Lock the directory, so that programs that change a file in it do so one after the other. Not all
 * network file systems have locks. */
static bool place_lock(const struct file_place *at, const char *path, struct err *err)
{
	unsigned turn = (unsigned)getpid();
	int waited_us = 0, pause_us;

	while (flock(at->dir_fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return true;
		if (waited_us >= PATIENCE_MS * 1000)
			return err_set(err, EWOULDBLOCK,
				       "%s: another program has had a lock on its directory for %d s: end "
				       "it, then try again",
				       path, PATIENCE_MS / 1000);
		/* Equal pauses would give those who wait their turns in the same order for ever. */
		turn = turn * 1103515245 + 12345;
		pause_us = 200 + (int)(turn >> 16 & 1023);
		nanosleep(&(struct timespec){.tv_nsec = pause_us * 1000L}, NULL);
		waited_us += pause_us;
	}
	return true;
}

/* Write a new file beside the old one, sync and rename it. */
static bool place_replace(const struct file_place *at, const char *path, const char *text, size_t n,
			  struct err *err)
{
	char fresh[PATH_MAX];
	struct stat old, dir;
	bool ok, exists = fstatat(at->dir_fd, at->name, &old, 0) == 0;
	int fd, code;

	if (exists && !S_ISREG(old.st_mode))
		return err_set(err, ESPIPE, "%s: not a regular file: it is not replaced: name one that is",
			       path);
	remove_leftovers(at);
	fd = open_unique(at->dir_fd, FRESH, exists ? 0600 : 0666, fresh);
	if (fd < 0)
		return err_set(err, errno, "%s: cannot write in its directory: %s", path, strerror(errno));
	if (!exists && fstat(at->dir_fd, &dir) == 0)
		give_to_owner(fd, &dir);
	/* The owner goes first, because that takes bits from the mode. One who may not give it away
	 * keeps it, with the group if that is one of theirs. */
	if (exists && fchown(fd, old.st_uid, old.st_gid) != 0 && fchown(fd, (uid_t)-1, old.st_gid) != 0)
		old.st_mode &= ~(mode_t)(S_ISUID | S_ISGID);
	ok = (!exists || fchmod(fd, old.st_mode & 07777) == 0) && write_all(fd, text, n) && fsync(fd) == 0 &&
	     renameat(at->dir_fd, fresh, at->dir_fd, at->name) == 0;
	code = errno;
	if (!ok)
		unlinkat(at->dir_fd, fresh, 0);
	close(fd); /* which ends the lock */
	return ok || err_set(err, code, "%s: cannot write it: %s", path, strerror(code));
}

bool file_replace(const char *path, const char *text, size_t n, struct err *err)
{
	struct file_place at;
	bool ok = place_open(&at, path, err) && place_replace(&at, path, text, n, err);

	place_fini(&at);
	return ok;
}

bool file_edit(const char *path, size_t max, file_edit_fn *edit, void *ctx, struct err *err)
{
	AUTOFREE char *text = NULL;
	AUTO_STRBUF struct strbuf out = {0};
	struct file_place at;
	size_t n = 0;
	bool ok = place_open(&at, path, err) && place_lock(&at, path, err);

	if (ok && !file_read(at.path, max, &text, &n, err))
		ok = err->code == ENOENT;
	strbuf_str(&out, "");
	if (ok && edit(ctx, (struct span){text ? text : "", n}, &out))
		ok = place_replace(&at, path, out.p, out.n, err);
	place_fini(&at);
	poll(NULL, 0, 2); /* one who waits has a turn before our next change */
	return ok;
}
