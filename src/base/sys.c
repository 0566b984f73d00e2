#include "base/sys.h"

#include "base/alloc.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* openat ignores the directory for an absolute path, which would leave the root of a captured tree. */
#define FILES_MIN 256      /* that every system allows */
#define FILES_MOST 1000000 /* no need for more */

static const char *relative(const char *path)
{
	while (*path == '/')
		path++;
	return *path ? path : ".";
}

static int real_open(const struct sys *sys, const char *path, int flags)
{
	return openat(sys->root_fd, relative(path), flags | O_CLOEXEC);
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

/* libc has no function for it; attr comes back with the kernel's own size where ours is too large. */
static int real_perf_event_open(const struct sys *sys, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
				unsigned long flags)
{
	(void)sys;
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
}

static int real_poll(const struct sys *sys, struct pollfd *fds, unsigned n, int timeout_ms)
{
	(void)sys;
	return poll(fds, n, timeout_ms);
}

/* The same number everywhere; headers and libc may be older than the kernel. */
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
	int fd = openat(sys->root_fd, relative(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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

/* What the kernel fills in. Not every libc has a function for it, and readdir would need a DIR for each directory. */
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
	CLOSE_FD int fd = openat(sys->root_fd, relative(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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
	return fstatat(sys->root_fd, relative(path), st, 0);
}

static int real_open_at(const struct sys *sys, int dir_fd, const char *path, int flags, mode_t mode)
{
	(void)sys;
	return openat(dir_fd, path, flags | O_CLOEXEC, mode);
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

/* The signals would come to this thread: they are held back, and taken away if one came: also with a part that was still written. */
static ssize_t real_write(const struct sys *sys, int fd, const void *buf, size_t n)
{
	const struct timespec now = {0};
	sigset_t held, before;
	ssize_t done;
	int saved;

	(void)sys;
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

	clock_gettime(clock, &ts); /* cannot fail for the clocks below, all older than any kernel we run on */
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
	};
	if (!root)
		root = "/";
	/* O_PATH: Android lets its shell pass through "/", but not list it. */
	sys->root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (sys->root_fd < 0)
		return err_set(err, errno, "%s: cannot be opened as the root directory: %s", root, strerror(errno));
	return true;
}

void sys_fini(struct sys *sys)
{
	sys_cleanup_close(&sys->root_fd);
}

ssize_t sys_read_file(const struct sys *sys, const char *path, char *buf, size_t size)
{
	int fd = sys->open(sys, path, O_RDONLY), saved;
	size_t n = 0;
	ssize_t got;

	buf[0] = 0;
	if (fd < 0)
		return -1;
	/* Files of many records (proc/cpuinfo) come in pieces. */
	do {
		got = sys->pread(sys, fd, buf + n, size - 1 - n, (off_t)n);
		if (got > 0)
			n += (size_t)got;
	} while (n < size - 1 && (got > 0 || (got < 0 && errno == EINTR)));
	saved = errno;
	sys->close(sys, fd);
	errno = saved;
	buf[got < 0 ? 0 : n] = 0;
	return got < 0 ? -1 : (ssize_t)n;
}

/* One pread only: what is read again and again (proc/stat, one value in sysfs) comes whole, and asking for more at an offset
 * would make the kernel write the same text a second time. */
ssize_t sys_reread(const struct sys *sys, int fd, char *buf, size_t size)
{
	ssize_t got;

	do
		got = sys->pread(sys, fd, buf, size - 1, 0);
	while (got < 0 && errno == EINTR);
	buf[got < 0 ? 0 : got] = 0;
	return got;
}

void *sys_map(const struct sys *sys, int fd, size_t n)
{
	void *p = sys->mmap(sys, n, PROT_READ, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

bool sys_read_i64(const struct sys *sys, const char *path, int64_t *value)
{
	char buf[64];
	ssize_t n = sys_read_file(sys, path, buf, sizeof(buf));
	bool whole = n >= 0 && n < (ssize_t)sizeof(buf) - 1; /* a number that was cut is another one */
	struct span text = span_trim((struct span){buf, whole ? (size_t)n : 0});
	bool minus = text.n && text.p[0] == '-', plus = text.n && text.p[0] == '+';
	uint64_t v;

	if (minus || plus) {
		text.p++;
		text.n--;
	}
	if (!span_u64(text, &v) || v > (uint64_t)INT64_MAX + minus)
		return false;
	*value = minus ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

unsigned sys_files_most(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return FILES_MIN;
	if (limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit); /* where it is refused, what was allowed stays */
		getrlimit(RLIMIT_NOFILE, &limit);
	}
	return limit.rlim_cur > FILES_MOST ? FILES_MOST : (unsigned)limit.rlim_cur;
}

int sys_timer_new(void)
{
	return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
}

int sys_timer_at(int fd, int64_t monotonic_ns)
{
	struct itimerspec at = {0};

	if (monotonic_ns < 0)
		monotonic_ns = 1; /* long past; 0 would disarm */
	at.it_value.tv_sec = (time_t)(monotonic_ns / 1000000000);
	at.it_value.tv_nsec = (long)(monotonic_ns % 1000000000);
	return timerfd_settime(fd, TFD_TIMER_ABSTIME, &at, NULL);
}

/* Neither a timer nor an event blocks: a second acknowledgement finds nothing, which is fine. */
static void drain(int fd)
{
	uint64_t count;

	while (read(fd, &count, sizeof(count)) < 0 && errno == EINTR)
		;
}

void sys_timer_ack(int fd)
{
	drain(fd);
}

int sys_event_new(void)
{
	return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void sys_event_signal(int fd)
{
	uint64_t one = 1;

	/* EAGAIN means the counter is full, so that the waiter wakes anyway. */
	while (write(fd, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

void sys_event_ack(int fd)
{
	drain(fd);
}

void sys_cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}
