/* The devices: opening, the handshake and its states, and whose call an ioctl is. */
#include "tests/fake/kbase_priv.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BOTH (HAS_VINSTR | HAS_KINSTR | CYCLES | NEEDS_ENUM)

const struct fake_driver fake_drivers[] = {
	{"r16p0", FAKE_UK, 6, HAS_VINSTR | FROM_OPEN, 500},
	{"r21p0", FAKE_JM, 0, HAS_VINSTR | LATE | FROM_OPEN, 500},
	{"r9p0", FAKE_JM, 0, HAS_VINSTR | LATE | FROM_OPEN, 500},
	{"r25p0", FAKE_JM, 21, HAS_VINSTR | LATE, 100},
	{"r32p1", FAKE_JM, 31, HAS_VINSTR | LATE | CYCLES, 100},
	{"r32p1-csf", FAKE_CSF, 5, HAS_VINSTR | LATE | CYCLES, 100},
	{"r38p1", FAKE_JM, 35, BOTH | GAPS | LOSES_STOP, 100},
	{"r38p1-csf", FAKE_CSF, 12, BOTH | GAPS | LOSES_STOP, 100},
	{"r42p0", FAKE_JM, 37, BOTH, 100},
	{"r44p0", FAKE_JM, 39, BOTH, 100},
	{"r44p0-csf", FAKE_CSF, 20, BOTH, 100},
	{"r46p0", FAKE_JM, 40, HAS_KINSTR, 100},
	{"r54p1", FAKE_CSF, 38, HAS_KINSTR | STATES | KEEPS_EMPTY | WIDE_PROPS | AT_ONCE, 100},
	{NULL, FAKE_UK, 0, 0, 0},
};

const struct fake_driver *fake_driver_find(const char *name)
{
	for (const struct fake_driver *d = fake_drivers; d->name; d++)
		if (strcmp(d->name, name) == 0)
			return d;
	return NULL;
}

int fake_fail(int code)
{
	errno = code;
	return -1;
}

void fake_breach(struct fake_kbase *k, const char *fmt, ...)
{
	char line[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	strbuf_printf(&k->breaches, "%s\n", line);
}

/* ---- activity and counting ---- */

int64_t fake_active_ns(const struct fake_gpu *gpu, int64_t at_ns)
{
	return gpu->active_ns + (gpu->off || at_ns < gpu->since_ns ? 0 : at_ns - gpu->since_ns);
}

unsigned fake_top_core(const struct fake_gpu *gpu)
{
	return gpu->core_mask ? 64 - (unsigned)__builtin_clzll(gpu->core_mask) : 0;
}

/* Counts per microsecond: what counts the GPU's active cycles (index 4 on command stream front
 * ends, 6 on job managers) is ahead of all others, so that a screen over the fake shows loads and
 * not only limits. */
uint64_t fake_count(const struct fake_gpu *gpu, enum fake_block block, unsigned instance, unsigned index,
		    int64_t active_ns)
{
	uint64_t rate = block == FAKE_FE && (index == 4 || index == 6)
				? 800
				: 1 + (97 * block + 37 * index + 5 * instance) % 500;

	(void)gpu;
	return (uint64_t)active_ns * rate / 1000;
}

bool fake_enabled(const struct fake_file *f, enum fake_block block, unsigned index)
{
	return f->enable[block][index / 64] & 0xfull << (index % 64 & ~3u); /* in groups of four */
}

uint64_t fake_value(const struct fake_file *f, enum fake_block block, unsigned instance, unsigned index,
		    int64_t from_active_ns, int64_t to_active_ns, int64_t at_ns)
{
	const struct fake_gpu *gpu = f->gpu;
	uint64_t (*count)(const struct fake_gpu *, enum fake_block, unsigned, unsigned, int64_t) =
		gpu->count ? gpu->count : fake_count;

	switch (index) {
	case 0:
		return (uint32_t)at_ns;
	case 1:
		return (uint64_t)at_ns >> 32;
	case 2:
		return (uint32_t)f->enable[block][0];
	case 3:
		return 0;
	default:
		return fake_enabled(f, block, index)
			       ? count(gpu, block, instance, index, to_active_ns) -
					 count(gpu, block, instance, index, from_active_ns)
			       : 0;
	}
}

void fake_gpu_power(struct fake_kbase *k, unsigned gpu, bool on)
{
	struct fake_gpu *g = &k->gpus[gpu];

	g->active_ns = fake_active_ns(g, k->now_ns);
	g->since_ns = k->now_ns;
	g->off = !on;
}

/* ---- files ---- */

static struct fake_file *find_file(const struct fake_kbase *k, int fd)
{
	for (unsigned i = 0; i < FAKE_FILES; i++)
		if (k->files[i] && k->files[i]->fd == fd)
			return k->files[i];
	return NULL;
}

struct fake_file *fake_file_new(struct fake_kbase *k, enum fake_file_kind kind, struct fake_gpu *gpu)
{
	struct fake_file *f;

	for (unsigned i = 0; i < FAKE_FILES; i++) {
		if (k->files[i])
			continue;
		f = k->files[i] = xcalloc(1, sizeof(*f));
		*f = (struct fake_file){.kind = kind, .fd = k->new_fd(), .gpu = gpu, .memory_fd = -1};
		f->last_ns = k->now_ns;
		f->last_active_ns = fake_active_ns(gpu, k->now_ns);
		return f;
	}
	errno = ENOMEM;
	return NULL;
}

bool fake_file_memory(struct fake_file *f, size_t stride, unsigned n_buffers)
{
	void *memory;

	f->stride = stride;
	f->n_buffers = n_buffers;
	f->size = stride * n_buffers;
	f->memory_fd = memfd_create("fake-mali", MFD_CLOEXEC);
	if (f->memory_fd < 0 || ftruncate(f->memory_fd, (off_t)f->size) != 0)
		return false;
	memory = mmap(NULL, f->size, PROT_READ | PROT_WRITE, MAP_SHARED, f->memory_fd, 0);
	f->memory = memory == MAP_FAILED ? NULL : memory;
	return f->memory != NULL;
}

int fake_kbase_number(const char *path)
{
	while (*path == '/')
		path++;
	if (strncmp(path, "dev/mali", 8) != 0 || path[8] < '0' || path[8] > '9' || path[9])
		return -1;
	return path[8] - '0';
}

int fake_kbase_open(struct fake_kbase *k, const char *path, int flags)
{
	int number = fake_kbase_number(path);
	struct fake_file *f;

	if (number < 0 || (unsigned)number >= k->n_gpus)
		return fake_fail(ENOENT);
	if (k->gpus[number].gone)
		return fake_fail(ENODEV);
	if (!(flags & O_CLOEXEC))
		fake_breach(k, "%s was opened without O_CLOEXEC", path);
	f = fake_file_new(k, FAKE_DEVICE, &k->gpus[number]);
	return f ? f->fd : -1;
}

bool fake_kbase_has(const struct fake_kbase *k, int fd)
{
	return find_file(k, fd) != NULL;
}

int fake_kbase_gpu(const struct fake_kbase *k, int fd)
{
	const struct fake_file *f = find_file((struct fake_kbase *)(uintptr_t)k, fd);

	return f ? (int)(f->gpu - k->gpus) : -1;
}

int fake_kbase_close(struct fake_kbase *k, int fd)
{
	for (unsigned i = 0; i < FAKE_FILES; i++) {
		struct fake_file *f = k->files[i];

		if (!f || f->fd != fd)
			continue;
		if (f->memory)
			munmap(f->memory, f->size);
		if (f->memory_fd >= 0)
			close(f->memory_fd);
		free(f);
		k->files[i] = NULL;
		return close(fd);
	}
	return fake_fail(EBADF);
}

unsigned fake_kbase_open_files(const struct fake_kbase *k)
{
	unsigned n = 0;

	for (unsigned i = 0; i < FAKE_FILES; i++)
		n += k->files[i] != NULL;
	return n;
}

void fake_kbase_fini(struct fake_kbase *k)
{
	for (unsigned i = 0; i < FAKE_FILES; i++)
		if (k->files[i])
			fake_kbase_close(k, k->files[i]->fd);
	strbuf_fini(&k->breaches);
}

/* Mappings have whole pages; old drivers refuse those that reach beyond the buffers. */
static bool too_long(const struct fake_file *f, size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), most = f->size;

	if (f->kind == FAKE_KINSTR || fake_is(f->gpu->driver, CYCLES))
		most = (most + page - 1) / page * page;
	return (n + page - 1) / page * page > most;
}

void *fake_kbase_mmap(struct fake_kbase *k, size_t n, int prot, int flags, int fd, int64_t at)
{
	struct fake_file *f = find_file(k, fd);

	errno = 0;
	if (!f || f->kind == FAKE_DEVICE || at != 0 || too_long(f, n))
		errno = EINVAL;
	else if (f->gpu->gone)
		errno = ENODEV;
	else if (prot & PROT_WRITE && flags & MAP_SHARED)
		errno = EACCES; /* the reader is open for reading */
	if (errno)
		return MAP_FAILED;
	if (n != f->size || prot != PROT_READ)
		fake_breach(k, "a mapping of %zu bytes, protection %d, where the reader has %zu", n, prot,
			    f->size);
	return mmap(NULL, n, prot, flags, f->memory_fd, 0);
}

short fake_kbase_poll(struct fake_kbase *k, int fd)
{
	const struct fake_file *f = find_file(k, fd);

	if (!f)
		return 0x20; /* POLLNVAL */
	if (f->gpu->gone)
		return 0x10; /* POLLHUP */
	return f->kind != FAKE_DEVICE && (f->produced > f->taken + f->held || f->gpu->spurious)
		       ? 0x1
		       : 0; /* POLLIN */
}

int64_t fake_kbase_due(const struct fake_kbase *k, int fd)
{
	const struct fake_file *f = find_file(k, fd);

	return f && f->kind != FAKE_DEVICE && f->running && f->period_ns ? f->next_ns : INT64_MAX;
}

/* All readers' ticks in the order of time, so that they may share a GPU that is switched in
 * between. */
void fake_kbase_advance(struct fake_kbase *k, int64_t now_ns)
{
	for (unsigned i = 0; i < FAKE_FILES; i++) {
		struct fake_file *f = k->files[i];

		while (f && f->kind != FAKE_DEVICE && f->running && f->period_ns && f->next_ns <= now_ns &&
		       !f->gpu->gone) {
			int64_t at = f->next_ns;

			f->next_ns = f->after_ns ? f->after_ns : at + f->period_ns;
			f->after_ns = 0;
			if (f->kind == FAKE_VINSTR)
				fake_vinstr_dump(f, at);
			else
				fake_kinstr_sample(f, at, false);
		}
	}
	k->now_ns = now_ns;
}

/* ---- ioctls of the device ---- */

static unsigned size_of(unsigned long request)
{
	return (unsigned)(request >> 16 & 0x3fff);
}

/* The dispatcher of UK 10.x looks at nothing of the request but its size. */
static int uk_ioctl(struct fake_kbase *k, struct fake_file *f, unsigned long request, void *arg)
{
	enum { FAILED = 3 };
	unsigned size = size_of(request);
	uint32_t id, fields[8];
	uint16_t version[2] = {10, (uint16_t)f->gpu->driver->minor};

	if (size > 536)
		return fake_fail(ENOTTY);
	if (size < 8) { /* taken for a call of a wrong size: the first word becomes the error */
		uint32_t failed = FAILED;

		memcpy(arg, &failed, size < 4 ? size : 4);
		return 0;
	}
	memcpy(&id, arg, 4);
	memset(arg, 0, 8);
	if (id == 0 && size == 16 && f->state == FAKE_NEED_VERSION) {
		memcpy((char *)arg + 8, version, 4);
		f->state = FAKE_NEED_CONTEXT;
		return 0;
	}
	if (f->state == FAKE_NEED_CONTEXT && (id != 530 || size != 16))
		f->state = FAKE_STUCK;
	if (f->state == FAKE_NEED_VERSION || f->state == FAKE_STUCK) {
		fake_breach(k, "UK function %u before the version check and SET_FLAGS", id);
		return fake_fail(EFAULT);
	}
	if (id == 530 && size == 16) {
		if (f->flags_set)
			return fake_fail(EFAULT);
		f->flags_set = true;
		f->state = FAKE_COMPLETE;
		return 0;
	}
	if (id == 526 && size == 536) {
		fake_props_uk(f->gpu, arg);
		return 0;
	}
	if (id != 548 || size != 32)
		return fake_fail(EFAULT);
	memcpy(fields, arg, 32);
	/* count, front end, shader, tiler, memory */
	fields[7] = (uint32_t)fake_vinstr_setup(k, f->gpu, fields[2],
						(uint32_t[]){fields[3], fields[5], fields[6], fields[4]});
	id = (int)fields[7] < 0 ? FAILED : 0; /* where the function's number was, its result comes back */
	memcpy(arg, &id, 4);
	memcpy((char *)arg + 28, &fields[7], 4);
	return 0;
}

static int version_check(struct fake_file *f, void *arg)
{
	uint16_t asked[2],
		own[2] = {f->gpu->driver->api == FAKE_JM ? 11 : 1, (uint16_t)f->gpu->driver->minor};

	memcpy(asked, arg, 4);
	if (asked[0] == own[0] && asked[1] < own[1])
		own[1] = asked[1];
	if (f->state != FAKE_NEED_VERSION && !fake_is(f->gpu->driver, FROM_OPEN))
		return fake_fail(EPERM);
	memcpy(arg, own, 4);
	if (f->state == FAKE_NEED_VERSION)
		f->state = FAKE_NEED_CONTEXT;
	return 0;
}

/* What a call at the wrong time fails with. */
static int not_now(const struct fake_file *f)
{
	return fake_is(f->gpu->driver, FROM_OPEN) ? EINVAL : EPERM;
}

static int set_flags(struct fake_file *f, const void *arg)
{
	uint32_t flags;

	memcpy(&flags, arg, 4);
	if (f->state == FAKE_NEED_VERSION || f->flags_set)
		return fake_fail(not_now(f));
	if (flags & ~(f->gpu->driver->api == FAKE_CSF ? 0x7fu : 0x7bu))
		return fake_fail(EINVAL);
	f->flags_set = true;
	f->state = FAKE_COMPLETE;
	return 0;
}

static int ddk_version(const struct fake_gpu *gpu, const void *arg)
{
	char text[64];
	struct {
		uint64_t buffer;
		uint32_t size, padding;
	} request;
	int n = snprintf(text, sizeof(text), "K:%.*s-00eac0(GPL)", (int)strcspn(gpu->driver->name, "-"),
			 gpu->driver->name) +
		1;

	memcpy(&request, arg, sizeof(request));
	if (request.padding)
		return fake_fail(EINVAL);
	if (!request.buffer)
		return n;
	if (request.size < (uint32_t)n)
		return fake_fail(EOVERFLOW);
	memcpy((void *)(uintptr_t)request.buffer, text, (size_t)n);
	return n;
}

/* What is allowed before the context is there. */
static bool is_early(const struct fake_driver *d, unsigned long request)
{
	return !fake_is(d, LATE) &&
	       (request == 0x40108003 ||
		(fake_is(d, HAS_KINSTR) && (request == 0xC0108038 || request == 0xC0108039)));
}

static int vinstr_setup(struct fake_kbase *k, struct fake_file *f, const void *arg)
{
	uint32_t fields[5]; /* count, front end, shader, tiler, memory */

	memcpy(fields, arg, sizeof(fields));
	return fake_vinstr_setup(k, f->gpu, fields[0],
				 (uint32_t[]){fields[1], fields[3], fields[4], fields[2]});
}

static int device_ioctl(struct fake_kbase *k, struct fake_file *f, unsigned long request, void *arg)
{
	const struct fake_driver *d = f->gpu->driver;

	if (d->api == FAKE_UK)
		return uk_ioctl(k, f, request, arg);
	if (request == (d->api == FAKE_JM ? 0xC0048000 : 0xC0048034))
		return version_check(f, arg);
	if (request == 0x40048001)
		return set_flags(f, arg);
	if ((request == 0xC0048000 || request == 0xC0048034) && (d->api == FAKE_CSF || d->minor >= 29))
		return fake_fail(EPERM); /* the other interface's handshake */
	if (f->state != FAKE_COMPLETE && !is_early(d, request))
		return fake_fail(not_now(f));
	if (request == 0x40108003)
		return fake_props(f->gpu, arg);
	if (request == 0x4010800D)
		return ddk_version(f->gpu, arg);
	if (request == 0x40148008 && fake_is(d, HAS_VINSTR))
		return vinstr_setup(k, f, arg);
	if (request == 0xC0108038 && fake_is(d, HAS_KINSTR))
		return fake_kinstr_enum(k, f, arg);
	if (request == 0xC0108039 && fake_is(d, HAS_KINSTR))
		return fake_kinstr_setup(k, f, arg);
	fake_breach(k, "%s does not know the ioctl 0x%lx", d->name, request);
	return fake_fail(f->state == FAKE_COMPLETE ? ENOTTY : not_now(f));
}

int fake_kbase_ioctl(struct fake_kbase *k, int fd, unsigned long request, void *arg)
{
	struct fake_file *f = find_file(k, fd);

	request &= 0xffffffff;
	if (!f)
		return fake_fail(EBADF);
	if (f->gpu->gone)
		return fake_fail(ENODEV);
	if (f->kind == FAKE_VINSTR)
		return fake_vinstr_ioctl(k, f, request, arg);
	if (f->kind == FAKE_KINSTR)
		return fake_kinstr_ioctl(k, f, request, arg);
	return device_ioctl(k, f, request, arg);
}
