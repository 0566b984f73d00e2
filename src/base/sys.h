/* sys: the only interface to the kernel and its clocks. Tests pass in another table, so they test
 * the code that is shipped.
 *
 * Every call behaves like its system call: -1 and errno on failure. Paths are relative to the root
 * directory ("proc/stat", never with a leading slash), so that a captured tree
 * (tests/fixtures/BOARD) can represent a machine. Thread: any, as for system calls; a `struct sys`
 * is read-only after sys_init.
 */
#ifndef MALITOP_SYS_H
#define MALITOP_SYS_H

#include "base/err.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_event_attr;
struct pollfd;
struct stat;
struct statvfs;

/* What libdrm reports about an open node. */
struct sys_drm_version {
	char name[32]; /* of the kernel driver: "panfrost", printable */
	int major, minor;
};

struct sys {
	int root_fd; /* directory that paths are relative to, normally "/"; not AT_FDCWD */
	void *ctx;   /* for a fake */

	int (*open)(const struct sys *sys, const char *path, int flags); /* O_CLOEXEC is added */
	int (*close)(const struct sys *sys, int fd);
	ssize_t (*pread)(const struct sys *sys, int fd, void *buf, size_t n, off_t at);
	ssize_t (*read)(const struct sys *sys, int fd, void *buf, size_t n);
	int (*ioctl)(const struct sys *sys, int fd, unsigned long request,
		     void *arg); /* arg may carry a plain value */
	void *(*mmap)(const struct sys *sys, size_t n, int prot, int flags, int fd, off_t at);
	int (*munmap)(const struct sys *sys, void *p, size_t n);
	int (*perf_event_open)(const struct sys *sys, struct perf_event_attr *attr, pid_t pid, int cpu,
			       int group_fd, unsigned long flags);
	int (*poll)(const struct sys *sys, struct pollfd *fds, unsigned n, int timeout_ms);
	/* The same until a time of monotonic_ns; INT64_MAX: without end. May return 0 earlier, and
	 * later by a thousandth of the wait. */
	int (*poll_until)(const struct sys *sys, struct pollfd *fds, unsigned n, int64_t monotonic_ns);
	/* List the names in a directory, sorted, without "." and "..". Free them with
	 * sys_names_free, after a failure, too: then they are NULL, and it does nothing. */
	int (*list)(const struct sys *sys, const char *path, char ***names);
	/* List the names that are numbers above 0, ascending, without an allocation per name. The
	 * array (NULL at first) grows and belongs to the caller; *cap is its capacity. Returns the
	 * number of names, or -1 and errno. */
	int (*list_numbers)(const struct sys *sys, const char *path, int32_t **numbers, unsigned *cap);
	int (*stat)(const struct sys *sys, const char *path, struct stat *st);
	/* Open a file that another user may have placed, for reading: only a regular file, without
	 * waiting for it; nothing else is even opened (EINVAL), so that no device notices. `root`,
	 * a directory of another process ("proc/7/root"), is where `path` begins and what its links
	 * cannot leave; NULL: the own root. With O_NOFOLLOW the file is no link itself. */
	int (*open_regular)(const struct sys *sys, const char *root, const char *path, int flags);

	/* libdrm; NULL in a build without a backend that needs it. drm_nodes lists the render
	 * nodes of this machine as paths ("/dev/dri/renderD128"), as `list` does, and opens none of
	 * them. drm_ioctl repeats an interrupted call. */
	int (*drm_nodes)(const struct sys *sys, char ***nodes);
	int (*drm_version)(const struct sys *sys, int fd, struct sys_drm_version *version);
	int (*drm_ioctl)(const struct sys *sys, int fd, unsigned long request, void *arg);

	/* Files that the user named: relative to dir_fd or to the working directory (AT_FDCWD),
	 * never to root_fd. None of these calls raises a signal: writing to a pipe without a reader
	 * fails with EPIPE, to a file at its size limit with EFBIG. */
	int (*open_at)(const struct sys *sys, int dir_fd, const char *path, int flags,
		       mode_t mode); /* O_CLOEXEC is added */
	/* Read a link that was opened with O_PATH | O_NOFOLLOW; not terminated. EOPNOTSUPP for a
	 * link in /proc, which need not hold a path. */
	ssize_t (*read_link)(const struct sys *sys, int fd, char *buf, size_t n);
	int (*unlink_at)(const struct sys *sys, int dir_fd, const char *path);
	int (*fstat)(const struct sys *sys, int fd, struct stat *st);
	ssize_t (*write)(const struct sys *sys, int fd, const void *buf, size_t n);
	int (*ftruncate)(const struct sys *sys, int fd, off_t n);
	int (*fsync)(const struct sys *sys, int fd);
	int (*fdatasync)(const struct sys *sys, int fd);

	int (*pidfd_open)(const struct sys *sys, pid_t pid); /* since Linux 5.3, else ENOSYS */
	int (*pidfd_send_signal)(const struct sys *sys, int pidfd, int signo);
	int (*kill)(const struct sys *sys, pid_t pid, int signo);

	int64_t (*monotonic_ns)(const struct sys *sys); /* CLOCK_MONOTONIC */
	int64_t (*realtime_ns)(const struct sys *sys);  /* CLOCK_REALTIME */
	int64_t (*boottime_ns)(const struct sys *sys);  /* CLOCK_BOOTTIME, includes suspend */
	int64_t (*raw_ns)(
		const struct sys *sys); /* CLOCK_MONOTONIC_RAW, the clock of GPU drivers' timestamps */
	int64_t (*thread_ns)(const struct sys *sys); /* CPU time of the calling thread */
};

/* Fill *sys with the real system calls, rooted at `root` (NULL means "/"). sys_fini closes the
 * root. */
bool sys_init(struct sys *sys, const char *root, struct err *err);
void sys_fini(struct sys *sys);

void sys_names_free(char **names, int n);
int sys_by_name(const void *a, const void *b); /* compares two of them, for qsort */

/* Read a small file of proc or sysfs: at most size - 1 bytes, terminated. Returns the length, or -1
 * and errno. */
ssize_t sys_read_file(const struct sys *sys, const char *path, char *buf, size_t size);
/* The same for a file that is kept open: one pread from 0. */
ssize_t sys_reread(const struct sys *sys, int fd, char *buf, size_t size);
/* Map n bytes from the start of an fd, shared and read-only. NULL and errno on failure. Unmap with
 * sys->munmap. */
void *sys_map(const struct sys *sys, int fd, size_t n);
/* n zeroed bytes that nothing else shares, for a driver to write. NULL and errno on failure. Unmap
 * with sys->munmap. */
void *sys_map_private(const struct sys *sys, size_t n);
/* Map n bytes at an offset of an fd, for both sides to write. Otherwise the same. */
void *sys_map_shared(const struct sys *sys, int fd, size_t n, off_t at);
/* Whether the code in a file may be run: not if it is on a file system that is mounted noexec. */
bool sys_may_execute(const struct sys *sys, int fd);
/* Bytes of a page of memory. */
size_t sys_page_size(void);
/* Let the kernel take back the memory of whole pages in begin .. end. What is mapped from a file
 * and not changed is read again when it is used; memory from malloc is zero then. */
void sys_unload(const char *begin, const char *end);
/* write(2) without a signal: a pipe without a reader is EPIPE, a file at its limit EFBIG. */
ssize_t sys_write(int fd, const void *buf, size_t n);
/* Read a file that holds one decimal or 0x number, with or without a sign. Returns false if it
 * cannot be read or is not a number. */
bool sys_read_i64(const struct sys *sys, const char *path, int64_t *value);

/* Lock an open file, on behalf of its description: the kernel ends the lock when the last
 * descriptor is closed, also if the process is killed. Never waits: false with errno, EAGAIN if
 * another one has a lock that excludes it. SYS_LOCK_ONLY needs a file that is open for writing. */
enum sys_lock { SYS_LOCK_NONE, SYS_LOCK_SHARED, SYS_LOCK_ONLY };
bool sys_lock(int fd, enum sys_lock lock);
/* Whether any other description has a lock. Needs no right to write, and takes none. */
bool sys_is_locked(int fd);

/* Raise the limit of open files of this process to the maximum allowed. Returns the limit. */
unsigned sys_files_most(void);

/* What the sampler and a measurement wait on. These are plain kernel objects, so no test fakes
 * them. -1 and errno on failure. */
int sys_event_new(void);
int sys_signals_new(const sigset_t *signals); /* readable while one of these blocked signals waits */
void sys_event_signal(int fd);
void sys_event_ack(int fd);

#define CLOSE_FD __attribute__((cleanup(sys_cleanup_close)))
void sys_cleanup_close(int *fd);
static inline int take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#endif
