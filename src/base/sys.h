/* sys: the only door to the kernel and the clock. Tests hand in another table; the shipped binary is what is tested.
 *
 * Every call behaves as its system call: -1 and errno. Paths are relative to the root directory ("proc/stat", never with a
 * leading slash), so that a captured tree (tests/fixtures/BOARD) can stand for a machine.
 * Thread: any, as the system calls; a `struct sys` is read-only after it was made.
 */
#ifndef MALITOP_SYS_H
#define MALITOP_SYS_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_event_attr;
struct pollfd;
struct stat;
struct statvfs;

struct sys {
	int root_fd; /* directory that paths are relative to; AT_FDCWD is not allowed, "/" is the normal one */
	void *ctx;   /* for a fake */

	int (*open)(const struct sys *sys, const char *path, int flags); /* O_CLOEXEC is added */
	int (*close)(const struct sys *sys, int fd);
	ssize_t (*pread)(const struct sys *sys, int fd, void *buf, size_t n, off_t at);
	ssize_t (*read)(const struct sys *sys, int fd, void *buf, size_t n);
	int (*ioctl)(const struct sys *sys, int fd, unsigned long request, void *arg); /* arg may carry a plain value */
	void *(*mmap)(const struct sys *sys, size_t n, int prot, int flags, int fd, off_t at);
	int (*munmap)(const struct sys *sys, void *p, size_t n);
	int (*perf_event_open)(const struct sys *sys, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
			       unsigned long flags);
	int (*poll)(const struct sys *sys, struct pollfd *fds, unsigned n, int timeout_ms);
	/* Names in a directory, "." and ".." left out, sorted; freed by sys_names_free. -1 and errno on failure. */
	int (*list)(const struct sys *sys, const char *path, char ***names);
	/* Those of the names that are numbers above 0, ascending; no allocation for each of them. The array, NULL at first, grows and
	 * stays the caller's: *cap is its room. Returns how many, or -1 and errno. */
	int (*list_numbers)(const struct sys *sys, const char *path, int32_t **numbers, unsigned *cap);
	int (*stat)(const struct sys *sys, const char *path, struct stat *st);

	/* Files of the user, which he named himself: relative to dir_fd, or to the working directory (AT_FDCWD), never to root_fd.
	 * None of them raises a signal: a pipe that nobody reads is EPIPE, a file that may not grow EFBIG. */
	int (*open_at)(const struct sys *sys, int dir_fd, const char *path, int flags, mode_t mode); /* O_CLOEXEC is added */
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
	int64_t (*boottime_ns)(const struct sys *sys);  /* CLOCK_BOOTTIME, runs on in suspend */
	int64_t (*raw_ns)(const struct sys *sys);       /* CLOCK_MONOTONIC_RAW, what GPU drivers stamp with */
	int64_t (*thread_ns)(const struct sys *sys);    /* CPU time of the calling thread */
};

/* The machine itself, rooted at `root` (NULL: "/"). Returned by value; sys_fini closes the root. */
bool sys_init(struct sys *sys, const char *root, struct err *err);
void sys_fini(struct sys *sys);

void sys_names_free(char **names, int n);

/* Whole small files, as proc and sysfs have. Reads at most size - 1 bytes, terminates, returns the length or -1. */
ssize_t sys_read_file(const struct sys *sys, const char *path, char *buf, size_t size);
/* The same for a file that is kept open: pread from 0. */
ssize_t sys_reread(const struct sys *sys, int fd, char *buf, size_t size);
/* What a driver shares: n bytes from the start of an fd, for reading. NULL and errno on failure; undone by sys->munmap. */
void *sys_map(const struct sys *sys, int fd, size_t n);
/* A file that holds one decimal or 0x number (a sign is allowed). false when it cannot be read or is no number. */
bool sys_read_i64(const struct sys *sys, const char *path, int64_t *value);

/* Raise the number of files that this process may have open as far as it may; returns it. */
unsigned sys_files_most(void);

/* The timer and the wake-up that the sampler waits on; plain kernel objects, so never faked. -1 and errno on failure. */
int sys_timer_new(void);
int sys_timer_at(int fd, int64_t monotonic_ns); /* absolute; in the past fires at once; 0 disarms */
void sys_timer_ack(int fd);
int sys_event_new(void);
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
