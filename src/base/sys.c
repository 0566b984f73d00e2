#include "base/sys.h"

#include "base/alloc.h"
#include "base/sys_drm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FILES_MIN 256      /* allowed on every system */
#define FILES_MOST 1000000 /* more are never needed */

/* openat ignores the directory for an absolute path, so a leading slash would leave a captured
 * tree. */
static const char *relative_path(const char *path)
{
	while (*path == '/')
		path++;
	return *path ? path : ".";
}

static int real_open(const struct sys *sys, const char *path, int flags)
{
	return openat(sys->root_fd, relative_path(path), flags | O_CLOEXEC);
}

static int real_close(const struct sys *sys, int fd)
{
	(void)sys;
	return close(fd);
}

static ssize_t real_pread(const struct sys *sys, int fd, void *buf, size_t n, off_t at)
{
	(void)sys;
	return pread(fd, buf, n, at);
}

static ssize_t real_read(const struct sys *sys, int fd, void *buf, size_t n)
{
	(void)sys;
	return read(fd, buf, n);
}

static int real_ioctl(const struct sys *sys, int fd, unsigned long request, void *arg)
{
	(void)sys;
	return ioctl(fd, request, arg);
}

static void *real_mmap(const struct sys *sys, size_t n, int prot, int flags, int fd, off_t at)
{
	(void)sys;
	return mmap(NULL, n, prot, flags, fd, at);
}

static int real_munmap(const struct sys *sys, void *p, size_t n)
{
	(void)sys;
	return munmap(p, n);
}

/* libc has no function for it. If attr is too large for the kernel, it returns the size it
 * knows. */
static int real_perf_event_open(const struct sys *sys, struct perf_event_attr *attr, pid_t pid, int cpu,
				int group_fd, unsigned long flags)
{
	(void)sys;
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
}

static int real_poll(const struct sys *sys, struct pollfd *fds, unsigned n, int timeout_ms)
{
	(void)sys;
	return poll(fds, n, timeout_ms);
}

/* The numbers are the same on every architecture; headers and libc may be older than the kernel. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

static int real_pidfd_open(const struct sys *sys, pid_t pid)
{
	(void)sys;
	return (int)syscall(SYS_pidfd_open, pid, 0); /* close-on-exec always */
}

static int real_pidfd_send_signal(const struct sys *sys, int pidfd, int signo)
{
	(void)sys;
	return (int)syscall(SYS_pidfd_send_signal, pidfd, signo, NULL, 0);
}

static int real_kill(const struct sys *sys, pid_t pid, int signo)
{
	(void)sys;
	return kill(pid, signo);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int real_list(const struct sys *sys, const char *path, char ***names)
{
	int fd = openat(sys->root_fd, relative_path(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int n = 0, cap = 0, saved;
	struct dirent *entry;
	char **list = NULL;

	*names = NULL;
	if (!dir) {
		saved = errno;
		if (fd >= 0)
			close(fd);
		errno = saved;
		return -1;
	}
	while (errno = 0, (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		GROW(list, n, cap);
		list[n++] = xstrdup(entry->d_name);
	}
	saved = errno;
	closedir(dir);
	if (saved) {
		sys_names_free(list, n);
		errno = saved;
		return -1;
	}
	if (n)
		qsort(list, (size_t)n, sizeof(*list), by_name);
	*names = list;
	return n;
}

static bool to_number(const char *name, int32_t *number)
{
	int64_t v = 0;

	for (const char *p = name; *p; p++) {
		if (*p < '0' || *p > '9' || v > INT32_MAX)
			return false;
		v = v * 10 + *p - '0';
	}
	*number = (int32_t)v;
	return name[0] != '0' && v > 0 && v <= INT32_MAX;
}

static int by_number(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The kernel's struct linux_dirent64. Not every libc has getdents64, and readdir would allocate a
 * DIR for each directory. */
struct entry {
	uint64_t ino;
	int64_t off;
	uint16_t length;
	unsigned char type;
	char name[];
};

static int real_list_numbers(const struct sys *sys, const char *path, int32_t **numbers, unsigned *cap)
{
	char buf[16384] __attribute__((aligned(8)));
	CLOSE_FD int fd = openat(sys->root_fd, relative_path(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ascending = true;
	unsigned n = 0;
	long got = -1;

	while (fd >= 0 && (got = syscall(SYS_getdents64, fd, buf, sizeof(buf))) > 0)
		for (long at = 0; at < got;) {
			const struct entry *entry = (const struct entry *)(buf + at);

			at += entry->length;
			GROW(*numbers, n, *cap);
			if (!to_number(entry->name, &(*numbers)[n]))
				continue;
			ascending = ascending && (!n || (*numbers)[n - 1] < (*numbers)[n]);
			n++;
		}
	if (got < 0)
		return -1;
	if (!ascending)
		qsort(*numbers, n, sizeof(**numbers), by_number);
	return (int)n;
}

static int real_stat(const struct sys *sys, const char *path, struct stat *st)
{
	return fstatat(sys->root_fd, relative_path(path), st, 0);
}

static int real_open_at(const struct sys *sys, int dir_fd, const char *path, int flags, mode_t mode)
{
	(void)sys;
	return openat(dir_fd, path, flags | O_CLOEXEC, mode);
}

/* A link in proc may hold "pipe:[12345]", or a path below another root (/proc/PID/root). */
static ssize_t real_read_link(const struct sys *sys, int fd, char *buf, size_t n)
{
	struct statfs fs;

	(void)sys;
	if (fstatfs(fd, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return readlinkat(fd, "", buf, n);
}

static int real_unlink_at(const struct sys *sys, int dir_fd, const char *path)
{
	(void)sys;
	return unlinkat(dir_fd, path, 0);
}

static int real_fstat(const struct sys *sys, int fd, struct stat *st)
{
	(void)sys;
	return fstat(fd, st);
}

/* The kernel sends SIGPIPE and SIGXFSZ to the writing thread. Block them, and consume one if it is
 * pending, which is also possible after a partial write. */
ssize_t sys_write(int fd, const void *buf, size_t n)
{
	const struct timespec now = {0};
	sigset_t held, before;
	ssize_t done;
	int saved;

	sigemptyset(&held);
	sigaddset(&held, SIGPIPE);
	sigaddset(&held, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &held, &before);
	done = write(fd, buf, n);
	saved = errno;
	if (done < 0 ? saved == EPIPE || saved == EFBIG : (size_t)done < n)
		sigtimedwait(&held, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = saved;
	return done;
}

static ssize_t real_write(const struct sys *sys, int fd, const void *buf, size_t n)
{
	(void)sys;
	return sys_write(fd, buf, n);
}

static int real_ftruncate(const struct sys *sys, int fd, off_t n)
{
	(void)sys;
	return ftruncate(fd, n);
}

static int real_fsync(const struct sys *sys, int fd)
{
	(void)sys;
	return fsync(fd);
}

static int real_fdatasync(const struct sys *sys, int fd)
{
	(void)sys;
	return fdatasync(fd);
}

void sys_names_free(char **names, int n)
{
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

static int64_t clock_ns(clockid_t clock)
{
	struct timespec ts = {0};

	clock_gettime(clock, &ts); /* cannot fail: every supported kernel has the clocks below */
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int64_t real_monotonic_ns(const struct sys *sys)
{
	(void)sys;
	return clock_ns(CLOCK_MONOTONIC);
}

static int64_t real_realtime_ns(const struct sys *sys)
{
	(void)sys;
	return clock_ns(CLOCK_REALTIME);
}

static int64_t real_boottime_ns(const struct sys *sys)
{
	(void)sys;
	return clock_ns(CLOCK_BOOTTIME);
}

static int64_t real_raw_ns(const struct sys *sys)
{
	(void)sys;
	return clock_ns(CLOCK_MONOTONIC_RAW);
}

static int64_t real_thread_ns(const struct sys *sys)
{
	(void)sys;
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static int real_poll_until(const struct sys *sys, struct pollfd *fds, unsigned n, int64_t monotonic_ns)
{
	int64_t now = real_monotonic_ns(sys), left = monotonic_ns > now ? monotonic_ns - now : 0;
	struct timespec wait = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};

	return ppoll(fds, n, monotonic_ns == INT64_MAX ? NULL : &wait, NULL);
}

bool sys_init(struct sys *sys, const char *root, struct err *err)
{
	*sys = (struct sys){
		.root_fd = -1,
		.open = real_open,
		.close = real_close,
		.pread = real_pread,
		.read = real_read,
		.ioctl = real_ioctl,
		.mmap = real_mmap,
		.munmap = real_munmap,
		.perf_event_open = real_perf_event_open,
		.poll = real_poll,
		.list = real_list,
		.pidfd_open = real_pidfd_open,
		.pidfd_send_signal = real_pidfd_send_signal,
		.kill = real_kill,
		.list_numbers = real_list_numbers,
		.stat = real_stat,
		.open_at = real_open_at,
		.read_link = real_read_link,
		.unlink_at = real_unlink_at,
		.fstat = real_fstat,
		.write = real_write,
		.ftruncate = real_ftruncate,
		.fsync = real_fsync,
		.fdatasync = real_fdatasync,
		.monotonic_ns = real_monotonic_ns,
		.realtime_ns = real_realtime_ns,
		.boottime_ns = real_boottime_ns,
		.raw_ns = real_raw_ns,
		.thread_ns = real_thread_ns,
		.poll_until = real_poll_until,
	};
	sys_drm_init(sys);
	if (!root)
		root = "/";
	/* O_PATH, because Android's shell may traverse "/" but not list it. */
	sys->root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (sys->root_fd < 0)
		return err_set(err, errno, "%s: cannot open as the root directory: %s", root,
			       strerror(errno));
	return true;
}

void sys_fini(struct sys *sys)
{
	sys_cleanup_close(&sys->root_fd);
}

void *sys_map(const struct sys *sys, int fd, size_t n)
{
	void *p = sys->mmap(sys, n, PROT_READ, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

void *sys_map_private(const struct sys *sys, size_t n)
{
	void *p = sys->mmap(sys, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void *sys_map_shared(const struct sys *sys, int fd, size_t n, off_t at)
{
	void *p = sys->mmap(sys, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);

	return p == MAP_FAILED ? NULL : p;
}

size_t sys_page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

void sys_unload(const char *begin, const char *end)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = ((uintptr_t)begin + page - 1) / page * page,
		  to = (uintptr_t)end / page * page;

	if (from < to)
		madvise((void *)from, to - from, MADV_DONTNEED);
}

unsigned sys_files_most(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return FILES_MIN;
	if (limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit); /* if refused, the limit stays */
		getrlimit(RLIMIT_NOFILE, &limit);
	}
	return limit.rlim_cur > FILES_MOST ? FILES_MOST : (unsigned)limit.rlim_cur;
}

int sys_event_new(void)
{
	return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

int sys_signals_new(const sigset_t *signals)
{
	return signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

void sys_event_signal(int fd)
{
	uint64_t one = 1;

	/* EAGAIN means that the counter is full, so the waiter wakes anyway. */
	while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

/* Reading an event does not block, so acknowledging twice is harmless. */
void sys_event_ack(int fd)
{
	uint64_t count;

	while (read(fd, &count, sizeof(count)) < 0 && errno == EINTR)
		;
}

void sys_cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}
