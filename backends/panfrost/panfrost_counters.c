#include "backends/panfrost/panfrost.h"

#include "base/alloc.h"

#include <errno.h>
#include <string.h>

bool panfrost_offers_counters(const struct panfrost *p)
{
	struct panfrost_perfcnt_enable off = {.enable = 0};

	/* Turning off what is not ours fails, after the kernel has looked at its parameter. */
	return drm_gpu_ask(&p->gpu, PANFROST_PERFCNT_ENABLE, &off) || errno == EINVAL;
}

static bool refuse_counters(const char *path, struct err *err)
{
	static const struct {
		int code;
		const char *why;
	} reasons[] = {
		{EBUSY, "another program counts: stop it, or use -b panfrost:fdinfo"},
		{ENOSYS, "the kernel's unstable ioctls are off"},
		{EINVAL, "the driver refuses the primary counters of this GPU: use -b panfrost:fdinfo"},
		{ENODEV, "the driver has been unbound from the GPU"},
	};
	int code = errno;

	for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
		if (reasons[i].code == code)
			return err_set(err, code, "%s: cannot take the counters: %s", path, reasons[i].why);
	return err_set(err, code, "%s: cannot take the counters: %s", path, strerror(code));
}

static bool enable_counters(struct panfrost *p, bool on)
{
	struct panfrost_perfcnt_enable request = {.enable = on};

	if (!drm_gpu_ask(&p->gpu, PANFROST_PERFCNT_ENABLE, &request))
		return false;
	p->owned = on;
	return true;
}

static bool map_buffer(struct panfrost *p, uint8_t **buffer)
{
	*buffer = sys_map_private(p->gpu.sys, PANFROST_DUMP_MOST);
	return *buffer != NULL;
}

static void unmap_buffer(struct panfrost *p, uint8_t **buffer)
{
	if (*buffer)
		p->gpu.sys->munmap(p->gpu.sys, *buffer, PANFROST_DUMP_MOST);
	*buffer = NULL;
}

bool panfrost_counters_start(struct panfrost *p, struct err *err)
{
	if (!map_buffer(p, &p->buffer) || !map_buffer(p, &p->before))
		return err_set(err, errno, "%s: no memory for the counters: %s", p->gpu.path,
			       strerror(errno));
	return enable_counters(p, true) || refuse_counters(p->gpu.path, err);
}

void panfrost_counters_stop(struct panfrost *p)
{
	if (p->owned)
		enable_counters(p, false);
	p->owned = p->restarted = p->unstamped = false;
	unmap_buffer(p, &p->buffer);
	unmap_buffer(p, &p->before);
}

/* To turn on what is on has no effect, so it is turned off first, unless another program has taken
 * it. */
bool panfrost_counters_restart(struct panfrost *p)
{
	if (p->owned && !enable_counters(p, false) && errno != EINVAL)
		return false;
	p->owned = false;
	memset(p->before, 0, p->dump_bytes);
	p->restarted = enable_counters(p, true);
	return p->restarted;
}

/* A reset of the GPU turns its counters off, and the driver does not turn them on again: dumps
 * succeed and are the old one, with its time stamp. If even counters that were just started have
 * the old time stamp, it is one that stands still. */
static bool is_written(struct panfrost *p)
{
	uint64_t stamp;

	if (memcmp(p->buffer, p->before, p->dump_bytes) == 0)
		return p->unstamped;
	memcpy(&stamp, p->buffer, sizeof(stamp));
	p->unstamped |= p->restarted && stamp == p->stamp;
	p->restarted = false;
	p->stamp = stamp;
	return true;
}

static void swap_buffers(struct panfrost *p)
{
	uint8_t *next = p->before;

	p->before = p->buffer;
	p->buffer = next;
}

bool panfrost_counters_dump(struct panfrost *p, int64_t *at_ns, uint64_t *slots, unsigned n_slots)
{
	struct panfrost_perfcnt_dump request = {.buf_ptr = (uintptr_t)p->buffer};
	int64_t before_ns = p->gpu.sys->monotonic_ns(p->gpu.sys), after_ns;
	bool ok = drm_gpu_ask(&p->gpu, PANFROST_PERFCNT_DUMP, &request);
	int saved = errno;

	after_ns = p->gpu.sys->monotonic_ns(p->gpu.sys);
	p->dump_ns = after_ns - before_ns;
	*at_ns = before_ns + p->dump_ns / 2;
	if (!ok)
		return errno = saved, false;
	if (!is_written(p))
		return errno = ESTALE, false;
	gpu_dump_fold(&(struct gpu_dump){p->buffer, p->dump_bytes, p->v4}, &p->gpu.fold, slots);
	gpu_fold_finish(&p->gpu.fold, *at_ns - p->end_ns, slots, n_slots);
	swap_buffers(p);
	return true;
}

const char *panfrost_counters_failure(int code)
{
	static const struct {
		int code;
		const char *why;
	} reasons[] = {
		{ETIMEDOUT, "the GPU did not finish the dump within a second: see dmesg, it may hang"},
		{ESTALE, "the GPU was reset, which stops its counters: they are started again"},
		{ENOSYS, "the kernel's unstable ioctls have been turned off"},
		{EINVAL, "the counters belong to another program now"},
		{EBUSY, "the counters belong to another program now"},
		{EFAULT, "the driver could not write the dump"},
	};

	for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
		if (reasons[i].code == code)
			return reasons[i].why;
	return "the driver refused the dump";
}
