#include "record/log_file.h"

#include "base/alloc.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MOST 40 /* the kernel's limit */

struct path_walk {
	const struct sys *sys;
	int fd;     /* the current directory */
	char *rest; /* the rest of the path */
	unsigned links;
};

static bool path_fails(int code, struct err *err)
{
	return err_set(err, code, "cannot create: %s", strerror(code));
}

static void close_fd(const struct sys *sys, int fd)
{
	if (fd >= 0)
		sys->close(sys, fd);
}

/* Make an opened directory the current one; fd may be the -1 of a failed open. */
static bool move_to(struct path_walk *w, int fd, struct err *err)
{
	if (fd < 0)
		return path_fails(errno, err);
	close_fd(w->sys, w->fd);
	w->fd = fd;
	return true;
}

static bool move_to_start(struct path_walk *w, const char *path, struct err *err)
{
	return move_to(w,
		       w->sys->open_at(w->sys, AT_FDCWD, path[0] == '/' ? "/" : ".", O_PATH | O_DIRECTORY, 0),
		       err);
}

/* Put the target of the link in front of the rest. */
static bool follow_link(struct path_walk *w, int link, const char *name, struct err *err)
{
	const struct sys *sys = w->sys;
	char target[PATH_MAX], *rest = w->rest;
	ssize_t n = sys->read_link(sys, link, target, sizeof(target) - 1);

	if (n < 0 && errno == EOPNOTSUPP)
		return move_to(w, sys->open_at(sys, w->fd, name, O_PATH | O_DIRECTORY, 0), err);
	if (n < 0 || ++w->links > LINKS_MOST)
		return path_fails(n < 0 ? errno : ELOOP, err);
	target[n] = 0;
	w->rest = xasprintf("%s/%s", target, rest);
	free(rest);
	return target[0] != '/' || move_to_start(w, target, err);
}

/* Enter an opened part of any type. Closes `part`, unless it becomes the current directory. */
static bool enter_part(struct path_walk *w, int part, const char *name, struct err *err)
{
	const struct sys *sys = w->sys;
	struct stat above, st;
	bool ok;

	if (sys->fstat(sys, w->fd, &above) != 0 || sys->fstat(sys, part, &st) != 0)
		ok = path_fails(errno, err);
	else if (above.st_mode & S_IWOTH && st.st_uid != geteuid() && st.st_uid != 0)
		ok = err_set(err, EPERM,
			     "%s: in a world-writable directory and owned by another user: choose another "
			     "directory",
			     name);
	else if (S_ISLNK(st.st_mode))
		ok = follow_link(w, part, name, err);
	else if (S_ISDIR(st.st_mode))
		return move_to(w, part, err);
	else
		ok = path_fails(ENOTDIR, err);
	close_fd(sys, part);
	return ok;
}

/* Enter the first part of the rest: a directory, or a link to one. */
static bool take_step(struct path_walk *w, struct err *err)
{
	struct span rest = span_of(w->rest), part = span_until(&rest, '/');
	AUTOFREE char *name = span_dup(part);
	int fd;

	memmove(w->rest, rest.p, rest.n + 1);
	if (!name[0] || strcmp(name, ".") == 0)
		return true;
	fd = w->sys->open_at(w->sys, w->fd, name, O_PATH | O_NOFOLLOW, 0);
	if (fd < 0 || strcmp(name, "..") == 0) /* the parent needs no check */
		return move_to(w, fd, err);
	return enter_part(w, fd, name, err);
}

int log_directory_open(const struct sys *sys, const char *path, struct err *err)
{
	struct path_walk w = {.sys = sys, .fd = -1, .rest = xstrdup(path)};
	bool ok = move_to_start(&w, path, err);

	while (ok && w.rest[0])
		ok = take_step(&w, err);
	free(w.rest);
	if (ok)
		return w.fd;
	close_fd(sys, w.fd);
	return -1;
}
