/* libfakemali.so: the fake driver and the fake perf behind the libc calls of a program that does
 * not know them, on real time.
 *
 *   LD_PRELOAD=tests/fake/libfakemali.so \
 *   FAKEMALI='driver=r44p0 gpu=0x74021000 cores=0x5b3' ./malitop
 *
 * FAKEMALI lists devices, separated by ';', each by words: driver (a row of fake_drivers), gpu
 * (GPU_ID), cores (mask), slices, bus (bits), khz, values (of a block), clocks (domains), hz, v4,
 * failed and late (how many samples the driver calls failed, or stamps with the future), and two
 * that last a while: gone=WHEN, and hang=WHEN, in which an ioctl returns only when it is over.
 * WHEN is FROM-TO, in ms after the start, or /FILE: while that file exists.
 *
 * FAKEMALI_OPEN_MS: how long an open takes, as if firmware were loaded; FAKEMALI_OPEN_HELD: it
 * takes as long as that file exists; FAKEMALI_ABSENT: while that file exists, only the first device
 * has a node. FAKEMALI_FAIL=CALL:N:ERRNO: the N-th open, ioctl or mmap of
 * a device fails. FAKEMALI_BREACHES names a file for the rules that were broken. FAKEMALI_ROOT: a
 * directory whose sys/ and proc/ files stand in for the machine's own; what the program leaves in
 * /run is there, never in the machine's.
 *
 *   FAKEPERF='machine=rk3588 paranoid=1 cap=0 kernel=5.10'
 *
 * makes its CPUs those of a row of fake_machines, with their files in sysfs. Words: machine,
 * paranoid (level), cap (1 CAP_PERFMON, 2 CAP_SYS_ADMIN, 3 both), kernel, refuse (seccomp,
 * selinux, missing), files (how many can be open), steal (how many counters others hold), offline
 * (a CPU), flips (page flips of display 0 per second), hang=WHEN, of ioctl and read. A real thread
 * runs on the CPU pid % CPUs, always. The CALL of FAKEMALI_FAIL is perf. */
#include "tests/fake/kbase.h"
#include "tests/fake/preload_drm.h"
#include "tests/fake/preload_perf.h"

#include "base/alloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct fake_kbase fake;
static struct preload_while gone[FAKE_GPUS], hang[FAKE_GPUS];
static int64_t start_ns;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread bool inside; /* the fake's own calls are real */

static struct {
	char call[8];
	int at, code;
} fault;

static int64_t raw_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static int new_fd(void)
{
	return eventfd(0, EFD_CLOEXEC);
}

/* ---- configuration ---- */

void preload_while_read(struct preload_while *w, const char *text, int64_t since_ns)
{
	long long from, to;

	if (text[0] == '/')
		w->file = strdup(text);
	if (sscanf(text, "%lld-%lld", &from, &to) != 2)
		return;
	w->from_ns = since_ns + from * 1000000;
	w->to_ns = since_ns + to * 1000000;
}

static bool is_now(const struct preload_while *w, int64_t now_ns)
{
	return (now_ns >= w->from_ns && now_ns < w->to_ns) || (w->file && access(w->file, F_OK) == 0);
}

static void set_word(struct fake_gpu *gpu, const char *key, const char *value)
{
	const struct {
		const char *key;
		unsigned *to;
	} numbers[] = {
		{"slices", &gpu->slices},
		{"bus", &gpu->bus_bits},
		{"khz", &gpu->max_khz},
		{"values", &gpu->n_values},
		{"clocks", &gpu->n_clocks},
		{"buffers", &gpu->most_buffers},
		{"features", &gpu->core_features},
		{"failed", &gpu->failed_samples},
		{"late", &gpu->endless_samples},
	};

	if (strcmp(key, "driver") == 0)
		gpu->driver = fake_driver_find(value);
	if (strcmp(key, "gpu") == 0)
		gpu->id = strtoull(value, NULL, 0);
	if (strcmp(key, "cores") == 0)
		gpu->core_mask = strtoull(value, NULL, 0);
	if (strcmp(key, "hz") == 0)
		gpu->hz[0] = gpu->hz[1] = strtoll(value, NULL, 0);
	if (strcmp(key, "v4") == 0)
		gpu->v4 = true;
	if (strcmp(key, "manual") == 0)
		gpu->refuses_period = true;
	if (strcmp(key, "off") == 0 || strcmp(key, "protected") == 0)
		gpu->off = true; /* it counts nothing */
	if (strcmp(key, "protected") == 0)
		gpu->hides = true;
	if (strcmp(key, "raise") == 0)
		gpu->raises_to_ns = strtoll(value, NULL, 0) * 1000000;
	if (strcmp(key, "gone") == 0)
		preload_while_read(&gone[gpu - fake.gpus], value, start_ns);
	if (strcmp(key, "hang") == 0)
		preload_while_read(&hang[gpu - fake.gpus], value, start_ns);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		if (strcmp(key, numbers[i].key) == 0)
			*numbers[i].to = (unsigned)strtoul(value, NULL, 0);
}

static void add_gpu(char *words)
{
	struct fake_gpu *gpu = &fake.gpus[fake.n_gpus];
	char *save, *word;

	*gpu = (struct fake_gpu){.driver = fake_driver_find("r44p0"),
				 .id = 0x74021000,
				 .core_mask = 3,
				 .slices = 1,
				 .bus_bits = 128,
				 .engines = 1,
				 .core_features = 1,
				 .max_khz = 850000,
				 .hz = {850000000, 850000000},
				 .endless_stamp = INT64_MAX,
				 .since_ns = start_ns};
	for (word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		char *value = strchr(word, '=');

		if (value)
			*value++ = 0;
		set_word(gpu, word, value ? value : "");
	}
	if (gpu->driver && fake.n_gpus < FAKE_GPUS)
		fake.n_gpus++;
	else
		fprintf(stderr, "libfakemali: no such driver, or too many devices\n");
}

__attribute__((constructor)) static void init(void)
{
	const char *config = getenv("FAKEMALI"), *fail = getenv("FAKEMALI_FAIL"), *perf = getenv("FAKEPERF");
	char *copy = strdup(config ? config : ""), *save, *one;

	start_ns = raw_ns();
	fake.new_fd = new_fd;
	fake.now_ns = start_ns;
	for (one = strtok_r(copy, ";", &save); one; one = strtok_r(NULL, ";", &save))
		add_gpu(one);
	free(copy);
	preload_drm_init();
	if (perf)
		preload_perf_init(perf, start_ns);
	if (fail && sscanf(fail, "%7[a-z]:%d:%d", fault.call, &fault.at, &fault.code) != 3)
		fault.at = 0;
}

__attribute__((destructor)) static void fini(void)
{
	const struct strbuf *breaches[] = {&fake.breaches, &preload_perf()->breaches};
	const char *path = getenv("FAKEMALI_BREACHES");
	FILE *out =
		path && (breaches[0]->n || breaches[1]->n || preload_drm_broken()) ? fopen(path, "we") : NULL;

	inside = true;
	preload_perf_fini();
	preload_drm_fini(out);
	if (!out)
		return;
	for (int i = 0; i < 2; i++)
		fwrite(breaches[i]->n ? breaches[i]->p : "", 1, breaches[i]->n, out);
	fclose(out);
}

/* ---- calls ---- */

/* `real`: the function of this name that libc has; its type is that of libc's declaration. */
#define REAL(name)                     \
	static __typeof__(name) *real; \
	if (!real)                     \
	real = (__typeof__(name) *)(uintptr_t)dlsym(RTLD_NEXT, #name)

static void enter_call(void)
{
	int64_t now = raw_ns();

	pthread_mutex_lock(&lock);
	inside = true;
	fake_kbase_advance(&fake, now);
	preload_perf_advance(now);
	for (unsigned i = 0; i < fake.n_gpus; i++)
		fake.gpus[i].gone = is_now(&gone[i], now);
}

static void leave_call(void)
{
	int saved = errno;

	inside = false;
	pthread_mutex_unlock(&lock);
	errno = saved;
}

static bool is_ours(int fd)
{
	bool ours;

	if (inside || fd < 0)
		return false;
	pthread_mutex_lock(&lock);
	ours = fake_kbase_has(&fake, fd) || fake_perf_has(preload_perf(), fd);
	pthread_mutex_unlock(&lock);
	return ours;
}

/* Whoever calls a driver that hangs waits, and holds up no other caller. */
static void wait_for_driver(int fd)
{
	const struct preload_while *w;
	int gpu;

	pthread_mutex_lock(&lock);
	gpu = fake_kbase_gpu(&fake, fd);
	pthread_mutex_unlock(&lock);
	w = gpu < 0 ? preload_perf_hang() : &hang[gpu];
	while (is_now(w, raw_ns()))
		usleep(1000);
}

static bool faulty(const char *call)
{
	if (strcmp(call, fault.call) != 0 || !fault.at || --fault.at)
		return false;
	errno = fault.code;
	return true;
}

static int open_device(const char *path, int flags)
{
	const char *delay = getenv("FAKEMALI_OPEN_MS"), *held = getenv("FAKEMALI_OPEN_HELD");
	const char *absent = getenv("FAKEMALI_ABSENT");
	unsigned n_nodes = absent && access(absent, F_OK) == 0 ? 1 : fake.n_gpus;
	int fd;

	if ((unsigned)fake_kbase_number(path) >= n_nodes)
		return errno = ENOENT, -1;
	if (flags & O_PATH)
		return new_fd();
	if (delay)
		usleep((useconds_t)strtoul(delay, NULL, 0) * 1000);
	while (held && access(held, F_OK) == 0)
		usleep(1000);
	enter_call();
	fd = faulty("open") ? -1 : fake_kbase_open(&fake, path, flags);
	leave_call();
	return fd;
}

/* NULL: not a note of the program in /run. */
static char *note_path(const char *path)
{
	const char *root = getenv("FAKEMALI_ROOT");

	return root && strncmp(path, "run/malitop", 11) == 0 ? xasprintf("%s/%s", root, path) : NULL;
}

static int open_note(const char *path, int flags, mode_t mode)
{
	AUTOFREE char *dir = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	REAL(openat64);

	if (flags & O_CREAT)
		mkdir(dir, 0755);
	return real(AT_FDCWD, path, flags, mode);
}

int unlinkat(int dir, const char *path, int flags)
{
	AUTOFREE char *note = note_path(path);
	REAL(unlinkat);

	return note ? real(AT_FDCWD, note, flags) : real(dir, path, flags);
}

int openat64(int dir, const char *path, int flags, ...)
{
	const char *root = getenv("FAKEMALI_ROOT");
	AUTOFREE char *cpu_file = NULL, *note = note_path(path);
	mode_t mode = 0;
	va_list ap;
	int fd;
	REAL(openat64);

	va_start(ap, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(ap, mode_t);
	va_end(ap);
	if (note)
		return open_note(note, flags, mode);
	if (!inside && preload_drm_open(path, flags, &fd))
		return fd;
	if (!inside && fake_kbase_number(path) >= 0)
		return open_device(path, flags);
	if (!inside && preload_perf_on()) {
		enter_call();
		cpu_file = preload_perf_path(path);
		leave_call();
	}
	if (cpu_file)
		return real(AT_FDCWD, cpu_file, flags, mode);
	if (root && (strncmp(path, "sys/", 4) == 0 || strncmp(path, "proc/", 5) == 0)) {
		AUTOFREE char *there = xasprintf("%s/%s", root, path);

		fd = real(AT_FDCWD, there, flags, mode);
		if (fd >= 0 || errno != ENOENT)
			return fd;
	}
	return real(dir, path, flags, mode);
}

int close(int fd)
{
	int result;
	REAL(close);

	if (preload_drm_close(fd, &result))
		return result;
	if (!is_ours(fd))
		return real(fd);
	enter_call();
	result = fake_perf_has(preload_perf(), fd) ? fake_perf_close(preload_perf(), fd)
						   : fake_kbase_close(&fake, fd);
	leave_call();
	return result;
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;
	int result;
	REAL(ioctl);

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (!is_ours(fd))
		return real(fd, request, arg);
	wait_for_driver(fd);
	enter_call();
	if (fake_perf_has(preload_perf(), fd))
		result = faulty("perf") ? -1 : fake_perf_ioctl(preload_perf(), fd, request, arg);
	else
		result = faulty("ioctl") ? -1 : fake_kbase_ioctl(&fake, fd, request, arg);
	leave_call();
	return result;
}

/* libc has no function for perf_event_open. Six arguments, as many as a system call can have, are
 * passed on as they are. */
long syscall(long number, ...)
{
	long args[6], result;
	va_list ap;
	REAL(syscall);

	va_start(ap, number);
	for (size_t i = 0; i < ARRAY_LEN(args); i++)
		args[i] = va_arg(ap, long);
	va_end(ap);
	if (number != SYS_perf_event_open || inside || !preload_perf_on())
		return real(number, args[0], args[1], args[2], args[3], args[4], args[5]);
	enter_call();
	result = faulty("perf") ? -1
				: preload_perf_open((void *)args[0], (pid_t)args[1], (int)args[2],
						    (int)args[3], (unsigned long)args[4]);
	leave_call();
	return result;
}

ssize_t read(int fd, void *buf, size_t n)
{
	ssize_t result;
	REAL(read);

	if (!preload_perf_on() || !is_ours(fd))
		return real(fd, buf, n);
	wait_for_driver(fd);
	enter_call();
	if (!fake_perf_has(preload_perf(), fd))
		result = real(fd, buf, n);
	else
		result = faulty("perf") ? -1 : fake_perf_read(preload_perf(), fd, buf, n);
	leave_call();
	return result;
}

void *mmap64(void *at, size_t n, int prot, int flags, int fd, off64_t offset)
{
	void *result;
	REAL(mmap64);

	if (!(flags & MAP_ANONYMOUS) && preload_drm_mmap(n, prot, flags, fd, offset, &result))
		return result;
	if (flags & MAP_ANONYMOUS || !is_ours(fd))
		return real(at, n, prot, flags, fd, offset);
	enter_call();
	result = faulty("mmap") ? MAP_FAILED : fake_kbase_mmap(&fake, n, prot, flags, fd, offset);
	leave_call();
	return result;
}

/* ---- waiting ---- */

#define POLL_MAX 64

/* What our own fds say; *due_ns becomes the moment at which one of them may say more. The rest is
 * copied for the kernel. */
static int look_at_log(struct pollfd *fds, nfds_t n, struct pollfd *others, int64_t *due_ns)
{
	int count = 0;

	enter_call();
	for (nfds_t i = 0; i < n; i++) {
		int64_t due;

		others[i] = fds[i];
		if (fake_perf_has(preload_perf(), fds[i].fd)) { /* never mapped: always hung up */
			others[i].fd = -1;
			fds[i].revents = POLLHUP;
			count++;
			continue;
		}
		if (fds[i].fd < 0 || !fake_kbase_has(&fake, fds[i].fd))
			continue;
		others[i].fd = -1;
		fds[i].revents = (short)(fake_kbase_poll(&fake, fds[i].fd) &
					 (fds[i].events | POLLHUP | POLLERR | POLLNVAL));
		count += fds[i].revents != 0;
		due = fake_kbase_due(&fake, fds[i].fd);
		if (due < *due_ns)
			*due_ns = due;
	}
	leave_call();
	return count;
}

static int wait_for(struct pollfd *fds, nfds_t n, int64_t end_ns, const sigset_t *signals)
{
	struct pollfd others[POLL_MAX];

	REAL(ppoll);
	if (n > POLL_MAX)
		return errno = EINVAL, -1;
	for (;;) {
		int64_t due_ns = end_ns, left;
		int ours = look_at_log(fds, n, others, &due_ns), count;
		struct timespec wait;

		left = ours ? 0 : due_ns - raw_ns();
		if (left < 0)
			left = 0;
		wait = (struct timespec){.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
		count = real(others, n, due_ns == INT64_MAX && !ours ? NULL : &wait, signals);
		if (count < 0)
			return -1;
		for (nfds_t i = 0; i < n; i++)
			if (others[i].fd >= 0 || fds[i].fd < 0)
				fds[i].revents = others[i].revents;
		if (ours + count || raw_ns() >= end_ns)
			return ours + count;
	}
}

int poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
	return wait_for(fds, n, timeout_ms < 0 ? INT64_MAX : raw_ns() + timeout_ms * 1000000ll, NULL);
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *wait, const sigset_t *signals)
{
	int64_t ns = wait ? wait->tv_sec * 1000000000ll + wait->tv_nsec : 0;

	return wait_for(fds, n, wait ? raw_ns() + ns : INT64_MAX, signals);
}

/* ---- what a hardened program calls instead (_FORTIFY_SOURCE) ---- */

int __openat64_2(int dir, const char *path, int flags);
ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *wait, const sigset_t *signals,
		size_t room);

int __openat64_2(int dir, const char *path, int flags)
{
	return openat64(dir, path, flags);
}

ssize_t __read_chk(int fd, void *buf, size_t n, size_t room)
{
	if (n > room)
		abort();
	return read(fd, buf, n);
}

int __poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t room)
{
	if (n > room / sizeof(*fds))
		abort();
	return poll(fds, n, timeout_ms);
}

int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *wait, const sigset_t *signals,
		size_t room)
{
	if (n > room / sizeof(*fds))
		abort();
	return ppoll(fds, n, wait, signals);
}
