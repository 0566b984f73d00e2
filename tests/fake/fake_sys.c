#include "tests/fake/fake_sys.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define HOUR_NS 3600000000000ll

static struct fake_sys *of(const struct sys *sys)
{
	return sys->ctx;
}

/* Threads of the program call at the same time; the fake does one thing after the other. */
static pthread_mutex_t *lock_state(const struct sys *sys)
{
	pthread_mutex_lock(&of(sys)->lock);
	return &of(sys)->lock;
}

static void unlock_state(pthread_mutex_t **held)
{
	pthread_mutex_unlock(*held);
}

#define LOCKED(sys) pthread_mutex_t *held __attribute__((cleanup(unlock_state), unused)) = lock_state(sys)

/* Counts the call; true when it is to fail, with errno. */
static bool faulty(struct fake_sys *f, enum fake_call call)
{
	f->n_calls[__builtin_ctz(call)]++;
	if (!(f->fault.calls & call) || (f->fault.at > 1 && f->fault.at--))
		return false;
	if (!f->fault.times)
		return false;
	f->fault.times--;
	errno = f->fault.code;
	return true;
}

/* fdinfo of a node is the driver's: once that is unbound it runs on freed memory. */
static void judge_fdinfo(struct fake_sys *f, const char *path)
{
	char held[64], text[32];
	unsigned pid, fd, minor;

	if (sscanf(path, "proc/%u/fdinfo/%u", &pid, &fd) != 2)
		return;
	snprintf(held, sizeof(held), "proc/%u/fd/%u", pid, fd);
	if (sys_read_file(&f->real, held, text, sizeof(text)) > 0 && sscanf(text, "226:%u", &minor) == 1 &&
	    minor - FAKE_DRM_MINOR < f->drm.n_gpus && f->drm.gpus[minor - FAKE_DRM_MINOR].unbound)
		fake_drm_breach(&f->drm, "kernel oops: %s after the unbind", path);
}

static int fake_open(const struct sys *sys, const char *path, int flags)
{
	LOCKED(sys);
	struct fake_sys *f = of(sys);
	int number = fake_kbase_number(path), fd;

	if (faulty(f, FAKE_CALL_OPEN))
		return -1;
	if (number >= 0 && (unsigned)number >= f->kbase.n_gpus)
		return errno = ENOENT, -1;
	if (number >= 0 && flags & O_PATH) { /* does not reach the driver */
		fd = eventfd(0, EFD_CLOEXEC);
		f->n_files += fd >= 0;
		return fd;
	}
	if (number >= 0)
		return fake_kbase_open(&f->kbase, path, flags | O_CLOEXEC);
	if (fake_drm_number(path) >= 0)
		return fake_drm_open(&f->drm, path, flags | O_CLOEXEC);
	judge_fdinfo(f, path);
	if (f->file)
		f->file(f->file_ctx, true);
	if (fake_drm_fdinfo(&f->drm, path, &fd)) {
		f->n_files += fd >= 0;
		return fd;
	}
	fd = f->real.open(&f->real, path, flags);
	f->n_files += fd >= 0;
	return fd;
}

static int fake_open_regular(const struct sys *sys, const char *root, const char *path, int flags)
{
	LOCKED(sys);
	struct fake_sys *f = of(sys);
	int fd = faulty(f, FAKE_CALL_OPEN) ? -1 : f->real.open_regular(&f->real, root, path, flags);

	f->n_files += fd >= 0;
	return fd;
}

static int fake_open_at(const struct sys *sys, int dir_fd, const char *path, int flags, mode_t mode)
{
	LOCKED(sys);
	struct fake_sys *f = of(sys);
	int fd = f->real.open_at(&f->real, dir_fd, path, flags, mode);

	f->n_files += fd >= 0;
	return fd;
}

static int fake_close(const struct sys *sys, int fd)
{
	LOCKED(sys);
	struct fake_sys *f = of(sys);

	if (fake_kbase_has(&f->kbase, fd))
		return fake_kbase_close(&f->kbase, fd);
	if (fake_drm_has(&f->drm, fd))
		return fake_drm_close(&f->drm, fd);
	if (fake_perf_has(&f->perf, fd))
		return fake_perf_close(&f->perf, fd);
	f->n_files--;
	return close(fd);
}

static ssize_t fake_pread(const struct sys *sys, int fd, void *buf, size_t n, off_t at)
{
	LOCKED(sys);
	if (of(sys)->file)
		of(sys)->file(of(sys)->file_ctx, false);
	return faulty(of(sys), FAKE_CALL_READ) ? -1 : pread(fd, buf, n, at);
}

static ssize_t fake_read(const struct sys *sys, int fd, void *buf, size_t n)
{
	LOCKED(sys);
	struct fake_sys *f = of(sys);

	if (fake_perf_has(&f->perf, fd))
		return faulty(f, FAKE_CALL_PERF) ? -1 : fake_perf_read(&f->perf, fd, buf, n);
	return faulty(f, FAKE_CALL_READ) ? -1 : read(fd, buf, n);
}

static int fake_ioctl(const struct sys *sys, int fd, unsigned long request, void *arg)
{
	LOCKED(sys);
	struct fake_sys *f = of(sys);

	if (fake_perf_has(&f->perf, fd))
		return faulty(f, FAKE_CALL_PERF) ? -1 : fake_perf_ioctl(&f->perf, fd, request, arg);
	return faulty(f, FAKE_CALL_IOCTL) ? -1 : fake_kbase_ioctl(&f->kbase, fd, request, arg);
}

static int fake_perf_event_open(const struct sys *sys, struct perf_event_attr *attr, pid_t pid, int cpu,
				int group_fd, unsigned long flags)
{
	LOCKED(sys);
	struct fake_sys *f = of(sys);

	return faulty(f, FAKE_CALL_PERF) ? -1 : fake_perf_open(&f->perf, attr, pid, cpu, group_fd, flags);
}

/* Memory whose next page must not be touched, to catch a driver that writes beyond its end. */
static void *map_guarded(struct fake_sys *f, size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (n + page - 1) / page * page;
	void *p = mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect((char *)p + whole, page, PROT_NONE) != 0)
		return MAP_FAILED;
	for (size_t i = 0; i < ARRAY_LEN(f->guarded); i++)
		if (!f->guarded[i].at) {
			f->guarded[i].at = p;
			f->guarded[i].n = whole + page;
			return p;
		}
	abort();
}

static void *fake_mmap(const struct sys *sys, size_t n, int prot, int flags, int fd, off_t at)
{
	LOCKED(sys);
	struct fake_sys *f = of(sys);
	void *p = MAP_FAILED;

	if (!faulty(f, FAKE_CALL_MMAP))
		p = flags & MAP_ANONYMOUS         ? map_guarded(f, n)
		    : fake_drm_has(&f->drm, fd)   ? fake_drm_mmap(&f->drm, n, prot, flags, fd, at)
		    : fake_perf_has(&f->perf, fd) ? fake_perf_mmap(&f->perf, n, prot, flags, fd, at)
						  : fake_kbase_mmap(&f->kbase, n, prot, flags, fd, at);
	f->n_maps += p != MAP_FAILED;
	return p;
}

static int fake_munmap(const struct sys *sys, void *p, size_t n)
{
	LOCKED(sys);
	struct fake_sys *f = of(sys);

	f->n_maps--;
	fake_perf_unmapped(&f->perf, p);
	for (size_t i = 0; i < ARRAY_LEN(f->guarded); i++)
		if (f->guarded[i].at == p) {
			n = f->guarded[i].n;
			f->guarded[i].at = NULL;
		}
	return munmap(p, n);
}

static int fake_drm_nodes(const struct sys *sys, char ***nodes)
{
	LOCKED(sys);
	struct fake_sys *f = of(sys);
	int n = 0;

	*nodes = NULL;
	if (faulty(f, FAKE_CALL_DRM))
		return -1;
	*nodes = xcalloc(f->drm.n_gpus + 1, sizeof(**nodes));
	for (unsigned i = 0; i < f->drm.n_gpus; i++)
		if (!f->drm.gpus[i].unbound)
			(*nodes)[n++] = xasprintf("/dev/dri/renderD%u", FAKE_DRM_MINOR + i);
	return n;
}

static int fake_drm_version(const struct sys *sys, int fd, struct sys_drm_version *version)
{
	LOCKED(sys);
	struct fake_sys *f = of(sys);
	const struct fake_drm_gpu *gpu = fake_drm_gpu_of(&f->drm, fd);

	if (faulty(f, FAKE_CALL_DRM))
		return -1;
	if (!gpu || gpu->gone)
		return errno = gpu ? ENODEV : EBADF, -1;
	snprintf(version->name, sizeof(version->name), "%s", gpu->driver->module);
	version->major = (int)gpu->driver->major;
	version->minor = (int)gpu->driver->minor;
	return 0;
}

/* As libdrm: an interrupted call is repeated. */
static int fake_sys_drm_ioctl(const struct sys *sys, int fd, unsigned long request, void *arg)
{
	LOCKED(sys);
	struct fake_sys *f = of(sys);

	while (faulty(f, FAKE_CALL_DRM))
		if (errno != EINTR && errno != EAGAIN)
			return -1;
	return fake_drm_ioctl(&f->drm, fd, request, arg);
}

/* What an fd says: a device's, or that of an event of this process. */
static short ask_fd(struct fake_sys *f, const struct pollfd *fd)
{
	struct pollfd event = {.fd = fd->fd, .events = fd->events};

	if (fake_perf_has(&f->perf, fd->fd))
		return POLLHUP; /* events that were never mapped always hang up */
	if (fake_kbase_has(&f->kbase, fd->fd) || fake_drm_has(&f->drm, fd->fd))
		return fake_kbase_poll(&f->kbase, fd->fd);
	return poll(&event, 1, 0) < 0 ? POLLNVAL : event.revents;
}

static int ready(struct fake_sys *f, struct pollfd *fds, unsigned n)
{
	int count = 0;

	for (unsigned i = 0; i < n; i++) {
		short what = ask_fd(f, &fds[i]);

		fds[i].revents = (short)(what & (fds[i].events | POLLHUP | POLLERR | POLLNVAL));
		count += fds[i].revents != 0;
	}
	return count;
}

static int poll_devices(const struct sys *sys, struct pollfd *fds, unsigned n, int timeout_ms)
{
	LOCKED(sys);
	struct fake_sys *f = of(sys);
	int64_t end = f->now_ns + timeout_ms * 1000000ll, next;
	int count;

	if (faulty(f, FAKE_CALL_POLL))
		return -1;
	while (!(count = ready(f, fds, n)) && f->now_ns < end) {
		next = f->drm.n_gpus && f->now_ns + 100000 < end ? f->now_ns + 100000 : end;
		for (unsigned i = 0; i < n; i++) {
			int64_t due = fake_kbase_due(&f->kbase, fds[i].fd);

			if (due != INT64_MAX && due - f->raw_ahead_ns < next)
				next = due - f->raw_ahead_ns;
		}
		fake_sys_run(f, next > f->now_ns ? next - f->now_ns : 1);
	}
	return count;
}

static bool is_device(struct fake_sys *f, int fd)
{
	return fake_perf_has(&f->perf, fd) || fake_kbase_has(&f->kbase, fd) || fake_drm_has(&f->drm, fd);
}

static bool has_device(const struct sys *sys, const struct pollfd *fds, unsigned n)
{
	LOCKED(sys);
	struct fake_sys *f = of(sys);
	bool devices = !n || f->drm.n_gpus;

	for (unsigned i = 0; i < n; i++)
		devices |= is_device(f, fds[i].fd);
	return devices;
}

/* The time of fake devices runs until one is ready, or the timeout is over. What other threads make
 * ready takes real time: a caller that waits for them alone asks again. */
static int fake_poll(const struct sys *sys, struct pollfd *fds, unsigned n, int timeout_ms)
{
	return has_device(sys, fds, n) ? poll_devices(sys, fds, n, timeout_ms)
				       : poll(fds, n, timeout_ms < 1 ? timeout_ms : 1);
}

static int fake_list(const struct sys *sys, const char *path, char ***names)
{
	LOCKED(sys);
	struct fake_sys *f = of(sys);

	*names = NULL;
	return faulty(f, FAKE_CALL_LIST) ? -1 : f->real.list(&f->real, path, names);
}

static int fake_list_numbers(const struct sys *sys, const char *path, int32_t **numbers, unsigned *cap)
{
	LOCKED(sys);
	struct fake_sys *f = of(sys);

	return faulty(f, FAKE_CALL_LIST) ? -1 : f->real.list_numbers(&f->real, path, numbers, cap);
}

/* A directory cannot hold device nodes unless root makes them: a file of proc/PID/fd that contains
 * "226:128" stands for an open one. */
static int fake_stat(const struct sys *sys, const char *path, struct stat *st)
{
	LOCKED(sys);
	struct fake_sys *f = of(sys);
	unsigned major, minor;
	char text[32];

	if (faulty(f, FAKE_CALL_STAT) || f->real.stat(&f->real, path, st) != 0)
		return -1;
	if (strncmp(path, "proc/", 5) == 0 && strstr(path, "/fd/") &&
	    sys_read_file(&f->real, path, text, sizeof(text)) > 0 &&
	    sscanf(text, "%u:%u", &major, &minor) == 2) {
		st->st_mode = S_IFCHR | 0660;
		st->st_rdev = makedev(major, minor);
	}
	return 0;
}

static int64_t fake_monotonic(const struct sys *sys)
{
	LOCKED(sys);
	return of(sys)->now_ns;
}

static int64_t fake_realtime(const struct sys *sys)
{
	LOCKED(sys);
	return of(sys)->now_ns + of(sys)->asleep_ns + 1700000000000000000ll;
}

static int64_t fake_boottime(const struct sys *sys)
{
	LOCKED(sys);
	return of(sys)->now_ns + of(sys)->asleep_ns;
}

static int64_t fake_raw(const struct sys *sys)
{
	LOCKED(sys);
	return of(sys)->now_ns + of(sys)->raw_ahead_ns;
}

static int64_t fake_thread_ns(const struct sys *sys)
{
	LOCKED(sys);
	return of(sys)->now_ns;
}

static void pass_time(void *fake, int64_t ns)
{
	fake_sys_run(fake, ns);
}

/* The test runs the time here, not the one who waits: it soon looks again. */
static int fake_poll_until(const struct sys *sys, struct pollfd *fds, unsigned n, int64_t monotonic_ns)
{
	int count = has_device(sys, fds, n) ? poll_devices(sys, fds, n, 0) : 0;

	return count ? count : poll(fds, n, fake_monotonic(sys) < monotonic_ns);
}

static int new_fd(void)
{
	return eventfd(0, EFD_CLOEXEC);
}

void fake_sys_init(struct fake_sys *f, const char *root)
{
	struct err err;

	*f = (struct fake_sys){.now_ns = HOUR_NS, .raw_ahead_ns = 5 * HOUR_NS + 123};
	pthread_mutex_init(&f->lock, NULL);
	f->kbase.new_fd = new_fd;
	f->kbase.now_ns = f->drm.now_ns = f->now_ns + f->raw_ahead_ns;
	f->drm.new_fd = new_fd;
	f->drm.pass = pass_time;
	f->drm.ctx = f;
	if (!sys_init(&f->real, root ? root : "/proc/self/fdinfo", &err)) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
	f->sys = (struct sys){
		.root_fd = f->real.root_fd,
		.ctx = f,
		.open = fake_open,
		.close = fake_close,
		.pread = fake_pread,
		.read = fake_read,
		.ioctl = fake_ioctl,
		.mmap = fake_mmap,
		.munmap = fake_munmap,
		.perf_event_open = fake_perf_event_open,
		.poll = fake_poll,
		.list = fake_list,
		.list_numbers = fake_list_numbers,
		.stat = fake_stat,
		.open_regular = fake_open_regular,
		.drm_nodes = fake_drm_nodes,
		.drm_version = fake_drm_version,
		.drm_ioctl = fake_sys_drm_ioctl,
		.open_at = fake_open_at,
		.read_link = f->real.read_link,
		.unlink_at = f->real.unlink_at,
		.fstat = f->real.fstat,
		.write = f->real.write,
		.ftruncate = f->real.ftruncate,
		.fsync = f->real.fsync,
		.fdatasync = f->real.fdatasync,
		.monotonic_ns = fake_monotonic,
		.realtime_ns = fake_realtime,
		.boottime_ns = fake_boottime,
		.raw_ns = fake_raw,
		.thread_ns = fake_thread_ns,
		.poll_until = fake_poll_until,
	};
}

void fake_sys_fini(struct fake_sys *f)
{
	fake_kbase_fini(&f->kbase);
	fake_drm_fini(&f->drm);
	fake_perf_fini(&f->perf);
	sys_fini(&f->real);
}

struct fake_gpu *fake_sys_add_gpu(struct fake_sys *f, const char *driver, uint64_t id, uint64_t core_mask)
{
	struct fake_gpu *gpu = &f->kbase.gpus[f->kbase.n_gpus++];

	*gpu = (struct fake_gpu){
		.driver = fake_driver_find(driver),
		.id = id,
		.core_mask = core_mask,
		.slices = 2,
		.bus_bits = 128,
		.core_features = 1,
		.engines = 1,
		.max_khz = 850000,
		.hz = {850000000, 700000000},
		.since_ns = f->kbase.now_ns,
	};
	if (!gpu->driver) {
		fprintf(stderr, "%s: no such driver\n", driver);
		abort();
	}
	return gpu;
}

struct fake_drm_gpu *fake_sys_add_drm(struct fake_sys *f, const char *driver, uint32_t gpu_id,
				      uint64_t core_mask)
{
	struct fake_drm_gpu *gpu = &f->drm.gpus[f->drm.n_gpus++];
	bool groups = gpu_id >> 16 == 0x620 || gpu_id >> 16 == 0x6956; /* of four cores, each with its L2 */

	*gpu = (struct fake_drm_gpu){
		.driver = fake_drm_driver_find(driver),
		.gpu_id = gpu_id,
		.core_mask = core_mask,
		.l2_present = groups && core_mask > 15 ? 0x11 : 1,
		.slices = 1,
		.bus_bits = 128,
		.unstable = true,
		.n_values = 64,
		.dump_ns = 200000,
	};
	if (!gpu->driver) {
		fprintf(stderr, "%s: no such driver\n", driver);
		abort();
	}
	return gpu;
}

struct fake_perf *fake_sys_add_perf(struct fake_sys *f, const char *machine)
{
	fake_perf_init(&f->perf, machine, f->now_ns);
	return &f->perf;
}

void fake_sys_run(struct fake_sys *f, int64_t ns)
{
	f->now_ns += ns;
	fake_kbase_advance(&f->kbase, f->now_ns + f->raw_ahead_ns);
	fake_drm_advance(&f->drm, f->now_ns + f->raw_ahead_ns);
	fake_perf_advance(&f->perf, f->now_ns);
}

void fake_sys_sleep(struct fake_sys *f, int64_t ns)
{
	f->asleep_ns += ns;
}

const char *fake_sys_leaks(struct fake_sys *f)
{
	const struct strbuf *breaches[] = {&f->kbase.breaches, &f->drm.breaches, &f->perf.breaches};
	AUTO_STRBUF struct strbuf events = {NULL, 0, 0};
	unsigned n_events = fake_perf_open_files(&f->perf, &events);
	unsigned n_driver = fake_kbase_open_files(&f->kbase) + fake_drm_open_files(&f->drm);
	static char text[1024];
	size_t at;

	at = (size_t)snprintf(text, sizeof(text),
			      "%u driver files, %u events (%s), %u mappings, %u other files; breaches: ",
			      n_driver, n_events, n_events ? events.p : "none", f->n_maps, f->n_files);
	if (!n_driver && !n_events && !f->n_maps && !f->n_files && !breaches[0]->n && !breaches[1]->n &&
	    !breaches[2]->n)
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(breaches) && at < sizeof(text); i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s",
				       breaches[i]->n ? breaches[i]->p : "");
	return text;
}
