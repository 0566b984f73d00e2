#include "base/sys.h"

#include "base/alloc.h"
#include "base/str.h"
#include "base/sys_drm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
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

static int64_t clock_ns(clockid_t clock)
{
	struct timespec ts = {0};

	clock_gettime(clock, &ts); /* cannot fail: every supported kernel has the clocks below */
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* A system call that gets its arguments as they are. */
#define REAL(type, name, PARAMETERS, call) \
	static type real_##name PARAMETERS \
	{                                  \
		(void)sys;                 \
		return call;               \
	}

/* The numbers are the same on every architecture; headers and libc may be older than the kernel. */
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#define IN_ROOT 0x10  /* RESOLVE_IN_ROOT */
#define NO_MAGIC 0x02 /* RESOLVE_NO_MAGICLINKS */
#define LINK_PATH 48  /* of /proc/self/fd/N */

/* libc has no function for perf_event_open. If attr is too large for the kernel, it returns the
 * size it knows. A pidfd is always close-on-exec. */
/* clang-format off */
REAL(int, open, (const struct sys *sys, const char *path, int flags),
	openat(sys->root_fd, relative_path(path), flags | O_CLOEXEC))
REAL(int, close, (const struct sys *sys, int fd), close(fd))
REAL(ssize_t, pread, (const struct sys *sys, int fd, void *buf, size_t n, off_t at), pread(fd, buf, n, at))
REAL(ssize_t, read, (const struct sys *sys, int fd, void *buf, size_t n), read(fd, buf, n))
REAL(int, ioctl, (const struct sys *sys, int fd, unsigned long request, void *arg), ioctl(fd, request, arg))
REAL(void *, mmap, (const struct sys *sys, size_t n, int prot, int flags, int fd, off_t at),
	mmap(NULL, n, prot, flags, fd, at))
REAL(int, munmap, (const struct sys *sys, void *p, size_t n), munmap(p, n))
REAL(int, perf_event_open,
	(const struct sys *sys, struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
	unsigned long flags),
	(int)syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags))
REAL(int, poll, (const struct sys *sys, struct pollfd *fds, unsigned n, int timeout_ms),
	poll(fds, n, timeout_ms))
REAL(int, pidfd_open, (const struct sys *sys, pid_t pid), (int)syscall(SYS_pidfd_open, pid, 0))
REAL(int, pidfd_send_signal, (const struct sys *sys, int pidfd, int signo),
	(int)syscall(SYS_pidfd_send_signal, pidfd, signo, NULL, 0))
REAL(int, kill, (const struct sys *sys, pid_t pid, int signo), kill(pid, signo))
REAL(int, stat, (const struct sys *sys, const char *path, struct stat *st),
	fstatat(sys->root_fd, relative_path(path), st, 0))
REAL(int, open_at, (const struct sys *sys, int dir_fd, const char *path, int flags, mode_t mode),
	openat(dir_fd, path, flags | O_CLOEXEC, mode))
REAL(int, unlink_at, (const struct sys *sys, int dir_fd, const char *path), unlinkat(dir_fd, path, 0))
REAL(int, fstat, (const struct sys *sys, int fd, struct stat *st), fstat(fd, st))
REAL(ssize_t, write, (const struct sys *sys, int fd, const void *buf, size_t n), sys_write(fd, buf, n))
REAL(int, ftruncate, (const struct sys *sys, int fd, off_t n), ftruncate(fd, n))
REAL(int, fsync, (const struct sys *sys, int fd), fsync(fd))
REAL(int, fdatasync, (const struct sys *sys, int fd), fdatasync(fd))
REAL(int64_t, monotonic_ns, (const struct sys *sys), clock_ns(CLOCK_MONOTONIC))
REAL(int64_t, realtime_ns, (const struct sys *sys), clock_ns(CLOCK_REALTIME))
REAL(int64_t, boottime_ns, (const struct sys *sys), clock_ns(CLOCK_BOOTTIME))
REAL(int64_t, raw_ns, (const struct sys *sys), clock_ns(CLOCK_MONOTONIC_RAW))
REAL(int64_t, thread_ns, (const struct sys *sys), clock_ns(CLOCK_THREAD_CPUTIME_ID))
/* clang-format on */

int sys_by_name(const void *a, const void *b)
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
		qsort(list, (size_t)n, sizeof(*list), sys_by_name);
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

/* Open a name below a directory with O_PATH. Kernels before 5.6 cannot confine links: there they
 * are refused. */
static int open_place(int dir, const char *path, int flags)
{
	struct { /* open_how */
		uint64_t flags, mode, resolve;
	} how = {.flags = (uint64_t)(flags | O_PATH | O_CLOEXEC), .resolve = IN_ROOT | NO_MAGIC};
	CLOSE_FD int at = -1;
	char name[256];
	int fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));

	if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) /* EPERM: of a filter that does not know it */
		return fd;
	for (size_t n; path += strspn(path, "/"), n = strcspn(path, "/"); path += n) {
		bool up = n == 2 && memcmp(path, "..", 2) == 0;

		if (n >= sizeof(name) || up) {
			errno = up ? EXDEV : ENAMETOOLONG;
			return -1;
		}
		memcpy(name, path, n);
		name[n] = 0;
		fd = openat(at < 0 ? dir : at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		sys_cleanup_close(&at);
		if (fd < 0)
			return -1;
		at = fd;
	}
	return take_fd(&at);
}

static int real_open_regular(const struct sys *sys, const char *root, const char *path, int flags)
{
	CLOSE_FD int dir = -1;
	CLOSE_FD int place = -1;
	char link[LINK_PATH];
	struct stat st;

	if (root) {
		dir = openat(sys->root_fd, relative_path(root), O_PATH | O_DIRECTORY | O_CLOEXEC);
		place = dir < 0 ? -1 : open_place(dir, path, flags & O_NOFOLLOW);
	} else {
		place = openat(sys->root_fd, relative_path(path), (flags & O_NOFOLLOW) | O_PATH | O_CLOEXEC);
	}
	if (place < 0 || fstat(place, &st) != 0)
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	/* The same file, whatever its name is by now. */
	snprintf(link, sizeof(link), "/proc/self/fd/%d", place);
	return open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
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

void sys_names_free(char **names, int n)
{
	for (int i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

static int real_poll_until(const struct sys *sys, struct pollfd *fds, unsigned n, int64_t monotonic_ns)
{
	int64_t now = real_monotonic_ns(sys), left = monotonic_ns > now ? monotonic_ns - now : 0;
	struct timespec wait = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};

	return ppoll(fds, n, monotonic_ns == INT64_MAX ? NULL : &wait, NULL);
}

/* clang-format off */
#define CALLS(X) \
	X(open) X(close) X(pread) X(read) X(ioctl) X(mmap) X(munmap) X(perf_event_open) X(poll) \
	X(list) X(pidfd_open) X(pidfd_send_signal) X(kill) X(list_numbers) X(stat) X(open_regular) \
	X(open_at) \
	X(read_link) X(unlink_at) X(fstat) X(write) X(ftruncate) X(fsync) X(fdatasync) \
	X(monotonic_ns) X(realtime_ns) X(boottime_ns) X(raw_ns) X(thread_ns) X(poll_until)
/* clang-format on */
#define SET_CALL(name) .name = real_##name,

bool sys_init(struct sys *sys, const char *root, struct err *err)
{
	*sys = (struct sys){.root_fd = -1, CALLS(SET_CALL)};
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

ssize_t sys_read_file(const struct sys *sys, const char *path, char *buf, size_t size)
{
	int fd = sys->open(sys, path, O_RDONLY), saved;
	size_t n = 0;
	ssize_t got;

	buf[0] = 0;
	if (fd < 0)
		return -1;
	/* The kernel returns files of many records (proc/cpuinfo) in pieces. */
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

/* One pread is enough: files that are read repeatedly (proc/stat, one value in sysfs) arrive
 * complete, and a read at an offset would make the kernel format the same text a second time. */
ssize_t sys_reread(const struct sys *sys, int fd, char *buf, size_t size)
{
	ssize_t got;

	do
		got = sys->pread(sys, fd, buf, size - 1, 0);
	while (got < 0 && errno == EINTR);
	buf[got < 0 ? 0 : got] = 0;
	return got;
}

bool sys_lock(int fd, enum sys_lock lock)
{
	static const short types[] = {
		[SYS_LOCK_NONE] = F_UNLCK, [SYS_LOCK_SHARED] = F_RDLCK, [SYS_LOCK_ONLY] = F_WRLCK};
	struct flock whole = {.l_type = types[lock], .l_whence = SEEK_SET};

	return fcntl(fd, F_OFD_SETLK, &whole) == 0;
}

bool sys_is_locked(int fd)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return fcntl(fd, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

bool sys_read_i64(const struct sys *sys, const char *path, int64_t *value)
{
	char buf[64];
	ssize_t n = sys_read_file(sys, path, buf, sizeof(buf));
	bool complete = n >= 0 && n < (ssize_t)sizeof(buf) - 1; /* a truncated number would be wrong */
	struct span text = span_trim((struct span){buf, complete ? (size_t)n : 0});
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

static void *map_or_null(const struct sys *sys, size_t n, int prot, int flags, int fd, off_t at)
{
	void *p = sys->mmap(sys, n, prot, flags, fd, at);

	return p == MAP_FAILED ? NULL : p;
}

void *sys_map(const struct sys *sys, int fd, size_t n)
{
	return map_or_null(sys, n, PROT_READ, MAP_SHARED, fd, 0);
}

void *sys_map_private(const struct sys *sys, size_t n)
{
	return map_or_null(sys, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

void *sys_map_shared(const struct sys *sys, int fd, size_t n, off_t at)
{
	return map_or_null(sys, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, at);
}

bool sys_may_execute(const struct sys *sys, int fd)
{
	void *code = sys->mmap(sys, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (code == MAP_FAILED)
		return errno != EPERM && errno != EACCES;
	sys->munmap(sys, code, 1);
	return true;
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
