#include "tests/fake/preload_drm.h"

#include "base/alloc.h"
#include "tests/fake/drm.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

static struct fake_drm fake;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread bool inside; /* the fake's own calls are real */
static const char *taken_file;
static struct fake_drm_gpu *taken_gpu; /* while that file exists */
static const char *gone_file;
static struct fake_drm_gpu *gone_gpu;  /* likewise */
static struct fake_drm_gpu *reset_gpu; /* every reset_ns, after a job that hung */
static int64_t reset_ns, next_reset_ns;

#define REAL(name)                     \
	static __typeof__(name) *real; \
	if (!real)                     \
	real = (__typeof__(name) *)(uintptr_t)dlsym(RTLD_NEXT, #name)

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

static void pass_time(void *unused, int64_t ns)
{
	(void)unused;
	usleep((useconds_t)(ns / 1000));
	fake.now_ns = raw_ns();
}

static void enter_fake(void)
{
	pthread_mutex_lock(&lock);
	inside = true;
	fake_drm_advance(&fake, raw_ns());
	if (taken_gpu)
		taken_gpu->taken = access(taken_file, F_OK) == 0;
	if (gone_gpu)
		gone_gpu->gone = access(gone_file, F_OK) == 0;
	if (reset_gpu && fake.now_ns >= next_reset_ns) {
		reset_gpu->reset = next_reset_ns ? RESET_STILL : reset_gpu->reset;
		next_reset_ns = fake.now_ns + reset_ns;
	}
}

static void leave_fake(void)
{
	int saved = errno;

	inside = false;
	pthread_mutex_unlock(&lock);
	errno = saved;
}

/* ---- configuration ---- */

static void set_word(struct fake_drm_gpu *gpu, const char *key, const char *value)
{
	uint64_t v = strtoull(value, NULL, 0);

	if (strcmp(key, "gpu") == 0)
		gpu->gpu_id = (uint32_t)v;
	if (strcmp(key, "cores") == 0)
		gpu->core_mask = v;
	if (strcmp(key, "l2") == 0)
		gpu->l2_present = v;
	if (strcmp(key, "slices") == 0)
		gpu->slices = (unsigned)v;
	if (strcmp(key, "bus") == 0)
		gpu->bus_bits = (unsigned)v;
	if (strcmp(key, "values") == 0)
		gpu->n_values = (unsigned)v;
	if (strcmp(key, "dump") == 0)
		gpu->dump_ns = (int64_t)v * 1000;
	if (strcmp(key, "unstable") == 0)
		gpu->unstable = v;
	if (strcmp(key, "taken") == 0)
		gpu->taken = v;
	if (strcmp(key, "taken") == 0 && value[0] == '/') {
		taken_gpu = gpu;
		taken_file = strdup(value);
	}
	if (strcmp(key, "gone") == 0 && value[0] == '/') {
		gone_gpu = gpu;
		gone_file = strdup(value);
	}
	if (strcmp(key, "deaf") == 0)
		gpu->deaf = v;
	if (strcmp(key, "hangs") == 0)
		gpu->hangs = v;
	if (strcmp(key, "reset") == 0) {
		reset_gpu = gpu;
		reset_ns = (int64_t)v * 1000000;
	}
}

static void add_node(char *words)
{
	struct fake_drm_gpu *gpu = &fake.gpus[fake.n_gpus];
	char *save, *word = strtok_r(words, " ", &save);

	*gpu = (struct fake_drm_gpu){.driver = fake_drm_driver_find(word ? word : ""),
				     .gpu_id = 0x74021000,
				     .core_mask = 3,
				     .l2_present = 1,
				     .slices = 1,
				     .bus_bits = 128,
				     .n_values = 64,
				     .dump_ns = 100000};
	if (!gpu->driver || fake.n_gpus == FAKE_DRM_GPUS) {
		fprintf(stderr, "libfakemali: no such driver, or too many nodes\n");
		return;
	}
	while ((word = strtok_r(NULL, " ", &save))) {
		char *value = strchr(word, '=');

		if (value)
			*value++ = 0;
		set_word(gpu, word, value ? value : "1");
	}
	fake.n_gpus++;
}

void preload_drm_init(void)
{
	const char *config = getenv("FAKEDRM");
	char *copy = strdup(config ? config : ""), *save, *one;

	fake.new_fd = new_fd;
	fake.pass = pass_time;
	fake.now_ns = raw_ns();
	for (one = strtok_r(copy, ";", &save); one; one = strtok_r(NULL, ";", &save))
		add_node(one);
	free(copy);
}

bool preload_drm_broken(void)
{
	return fake.breaches.n > 0;
}

/* A program forks before it execs another: what counts is the last one to end. */
static void write_counts(void)
{
	const char *path = getenv("FAKEDRM_COUNTS");
	FILE *out = path && fake.n_gpus ? fopen(path, "we") : NULL;

	for (unsigned i = 0; out && i < fake.n_gpus; i++)
		fprintf(out, "renderD%u enables %u wakes %u\n", FAKE_DRM_MINOR + i, fake.gpus[i].n_enables,
			fake.gpus[i].n_wakes);
	if (out)
		fclose(out);
}

void preload_drm_fini(FILE *breaches)
{
	write_counts();
	if (breaches && fake.breaches.n)
		fwrite(fake.breaches.p, 1, fake.breaches.n, breaches);
}

/* ---- libc ---- */

bool preload_drm_open(const char *path, int flags, int *result)
{
	bool ours = true;

	if (inside || !fake.n_gpus || (fake_drm_number(path) < 0 && !strstr(path, "proc/self/fdinfo/")))
		return false;
	enter_fake();
	if (fake_drm_number(path) >= 0)
		*result = fake_drm_open(&fake, path, flags);
	else
		ours = fake_drm_fdinfo(&fake, path, result);
	leave_fake();
	return ours;
}

bool preload_drm_close(int fd, int *result)
{
	bool ours;

	if (inside || !fake.n_gpus || fd < 0)
		return false;
	enter_fake();
	ours = fake_drm_has(&fake, fd);
	if (ours)
		*result = fake_drm_close(&fake, fd);
	leave_fake();
	return ours;
}

bool preload_drm_mmap(size_t n, int prot, int flags, int fd, off_t at, void **result)
{
	bool ours;

	if (inside || !fake.n_gpus || fd < 0)
		return false;
	enter_fake();
	ours = fake_drm_has(&fake, fd);
	if (ours)
		*result = fake_drm_mmap(&fake, n, prot, flags, fd, at);
	leave_fake();
	return ours;
}

/* A file of proc/PID/fd in FAKEMALI_ROOT that contains "226:128" stands for an open node. */
static bool stat_node(const char *path, struct stat64 *st)
{
	const char *root = getenv("FAKEMALI_ROOT");
	unsigned device[2];
	bool known;
	FILE *file;

	if (!root || strncmp(path, "proc/", 5) != 0 || !strstr(path, "/fd/"))
		return false;
	AUTOFREE char *there = xasprintf("%s/%s", root, path);

	file = fopen(there, "re");
	if (!file)
		return false;
	known = fscanf(file, "%u:%u", &device[0], &device[1]) == 2;
	fclose(file);
	*st = (struct stat64){.st_mode = S_IFCHR | 0660, .st_rdev = makedev(device[0], device[1])};
	return known;
}

int fstatat64(int dir, const char *path, struct stat64 *st, int flags)
{
	REAL(fstatat64);

	return stat_node(path, st) ? 0 : real(dir, path, st, flags);
}

/* ---- libdrm, as far as the program uses it ---- */

#if __has_include(<xf86drm.h>) && __has_include(<drm.h>) /* the latter is found by DRM_CFLAGS */
#include <xf86drm.h>

int drmGetDevices2(uint32_t flags, drmDevicePtr devices[], int most)
{
	int n = 0;
	REAL(drmGetDevices2);

	if (!fake.n_gpus)
		return real(flags, devices, most);
	for (; n < (int)fake.n_gpus && n < most; n++) {
		devices[n] = xcalloc(1, sizeof(*devices[n]));
		devices[n]->nodes = xcalloc(DRM_NODE_MAX, sizeof(*devices[n]->nodes));
		devices[n]->nodes[DRM_NODE_RENDER] = xasprintf("/dev/dri/renderD%d", FAKE_DRM_MINOR + n);
		devices[n]->available_nodes = 1 << DRM_NODE_RENDER;
	}
	return n;
}

void drmFreeDevices(drmDevicePtr devices[], int n)
{
	REAL(drmFreeDevices);

	if (!fake.n_gpus) {
		real(devices, n);
		return;
	}
	for (int i = 0; i < n; i++) {
		free(devices[i]->nodes[DRM_NODE_RENDER]);
		free(devices[i]->nodes);
		free(devices[i]);
	}
}

drmVersionPtr drmGetVersion(int fd)
{
	const struct fake_drm_gpu *gpu;
	drmVersionPtr v;
	REAL(drmGetVersion);

	enter_fake();
	gpu = fake_drm_gpu_of(&fake, fd);
	leave_fake();
	if (!gpu)
		return real(fd);
	v = xcalloc(1, sizeof(*v)); /* as libdrm does, for drmFreeVersion */
	v->version_major = (int)gpu->driver->major;
	v->version_minor = (int)gpu->driver->minor;
	v->name = strdup(gpu->driver->module);
	return v;
}

int drmIoctl(int fd, unsigned long request, void *arg)
{
	int result;
	bool ours;
	REAL(drmIoctl);

	enter_fake();
	ours = fake_drm_has(&fake, fd);
	result = ours ? fake_drm_ioctl(&fake, fd, request, arg) : -1;
	leave_fake();
	return ours ? result : real(fd, request, arg);
}
#endif
