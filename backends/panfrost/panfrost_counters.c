#include "backends/panfrost/panfrost.h"

#include "base/alloc.h"

#include <errno.h>
#include <string.h>

bool panfrost_offers_counters(const struct sys *sys, int fd)
{
	struct panfrost_perfcnt_enable off = {.enable = 0};

	/* Turning off what is not ours fails, after the kernel has looked at its parameter. */
	return sys->drm_ioctl(sys, fd, PANFROST_PERFCNT_ENABLE, &off) == 0 || errno == EINVAL;
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

bool panfrost_counters_start(struct panfrost *p, struct err *err)
{
	struct panfrost_perfcnt_enable on = {.enable = 1};

	p->buffer = sys_map_private(p->sys, PANFROST_DUMP_MOST);
	if (!p->buffer)
		return err_set(err, errno, "%s: no memory for the counters: %s", p->path, strerror(errno));
	if (p->sys->drm_ioctl(p->sys, p->fd, PANFROST_PERFCNT_ENABLE, &on) != 0)
		return refuse_counters(p->path, err);
	p->owned = true;
	return true;
}

void panfrost_counters_stop(struct panfrost *p)
{
	struct panfrost_perfcnt_enable off = {.enable = 0};

	if (p->owned)
		p->sys->drm_ioctl(p->sys, p->fd, PANFROST_PERFCNT_ENABLE, &off);
	p->owned = false;
	if (p->buffer)
		p->sys->munmap(p->sys, p->buffer, PANFROST_DUMP_MOST);
	p->buffer = NULL;
}

bool panfrost_counters_dump(struct panfrost *p, int64_t *at_ns, uint64_t *slots, unsigned n_slots)
{
	struct panfrost_perfcnt_dump request = {.buf_ptr = (uintptr_t)p->buffer};
	int64_t before_ns = p->sys->monotonic_ns(p->sys), after_ns;
	int result = p->sys->drm_ioctl(p->sys, p->fd, PANFROST_PERFCNT_DUMP, &request), saved = errno;

	after_ns = p->sys->monotonic_ns(p->sys);
	p->dump_ns = after_ns - before_ns;
	*at_ns = before_ns + p->dump_ns / 2;
	if (result == 0) {
		gpu_dump_fold(&(struct gpu_dump){p->buffer, p->dump_bytes, p->v4}, &p->fold, slots);
		gpu_fold_finish(&p->fold, *at_ns - p->end_ns, slots, n_slots);
	}
	errno = saved;
	return result == 0;
}

const char *panfrost_counters_failure(int code)
{
	static const struct {
		int code;
		const char *why;
	} reasons[] = {
		{ETIMEDOUT, "the GPU did not finish the dump within a second: see dmesg, it may hang"},
		{ENOSYS, "the kernel's unstable ioctls have been turned off"},
		{EINVAL, "the counters belong to another program now"},
		{EFAULT, "the driver could not write the dump"},
	};

	for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
		if (reasons[i].code == code)
			return reasons[i].why;
	return "the driver refused the dump";
}
