/* The nodes: opening, closing, and whose call an ioctl is. */
#include "tests/fake/drm.h"

#include "tests/fake/kbase_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const struct fake_drm_driver fake_drm_drivers[] = {
	{"panfrost-5.10", "panfrost", 1, 1, 0},
	{"panfrost-6.1", "panfrost", 1, 2, 0},
	{"panfrost-6.7", "panfrost", 1, 2, DRM_FDINFO | DRM_PROFILE_DEBUG},
	{"panfrost-6.10", "panfrost", 1, 2, DRM_FDINFO | DRM_PROFILE_SYSFS},
	{"panfrost-6.18", "panfrost", 1, 6, DRM_FDINFO | DRM_PROFILE_SYSFS},
	{"panthor-6.10", "panthor", 1, 0, 0},
	{"panthor-6.13", "panthor", 1, 3, DRM_FDINFO | DRM_PROFILE_SYSFS},
	{"panthor-6.18", "panthor", 1, 8, DRM_FDINFO | DRM_PROFILE_SYSFS},
	{"panthor-v6", "panthor", 1, 8, DRM_FDINFO | DRM_PROFILE_SYSFS | DRM_PERF_V6},
	{"panthor-arm", "panthor", 1, 5, DRM_FDINFO | DRM_PROFILE_SYSFS | DRM_PERF_ARM},
	{"vkms", "vkms", 1, 0, DRM_FOREIGN},
	{"v3d", "v3d", 1, 0, DRM_FOREIGN},
	{NULL, NULL, 0, 0, 0},
};

const struct fake_drm_driver *fake_drm_driver_find(const char *name)
{
	for (const struct fake_drm_driver *d = fake_drm_drivers; d->name; d++)
		if (strcmp(d->name, name) == 0)
			return d;
	return NULL;
}

void fake_drm_breach(struct fake_drm *d, const char *fmt, ...)
{
	char line[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	strbuf_printf(&d->breaches, "%s\n", line);
}

int fake_drm_number(const char *path)
{
	int number;

	while (*path == '/')
		path++;
	if (strncmp(path, "dev/dri/renderD", 15) != 0)
		return -1;
	number = atoi(path + 15) - FAKE_DRM_MINOR;
	return number >= 0 && number < FAKE_DRM_GPUS ? number : -1;
}

static struct fake_drm_file *find_file(const struct fake_drm *d, int fd)
{
	for (unsigned i = 0; i < FAKE_DRM_FILES; i++)
		if (fd > 0 && d->files[i].fd == fd)
			return (struct fake_drm_file *)(uintptr_t)&d->files[i];
	return NULL;
}

int fake_drm_open(struct fake_drm *d, const char *path, int flags)
{
	int number = fake_drm_number(path);
	struct fake_drm_gpu *gpu = &d->gpus[number];

	if (number < 0 || (unsigned)number >= d->n_gpus)
		return fake_fail(ENOENT);
	if (gpu->unbound)
		return fake_fail(ENOENT);
	d->n_opens++;
	if (gpu->gone)
		return fake_fail(ENODEV);
	if (gpu->driver->traits & DRM_FOREIGN && (flags & O_ACCMODE) != O_RDONLY)
		fake_drm_breach(d, "%s of %s was opened for writing", path, gpu->driver->module);
	if (!(flags & O_CLOEXEC))
		fake_drm_breach(d, "%s was opened without O_CLOEXEC", path);
	for (unsigned i = 0; i < FAKE_DRM_FILES; i++)
		if (!d->files[i].fd) {
			d->files[i] = (struct fake_drm_file){.fd = d->new_fd(), .gpu = gpu};
			return d->files[i].fd;
		}
	return fake_fail(EMFILE);
}

bool fake_drm_has(const struct fake_drm *d, int fd)
{
	return find_file(d, fd) != NULL;
}

const struct fake_drm_gpu *fake_drm_gpu_of(const struct fake_drm *d, int fd)
{
	const struct fake_drm_file *f = find_file(d, fd);

	return f ? f->gpu : NULL;
}

bool fake_drm_fdinfo(const struct fake_drm *d, const char *path, int *result)
{
	const struct fake_drm_file *f;
	char text[256];
	int fd, n;

	while (*path == '/')
		path++;
	if (sscanf(path, "proc/self/fdinfo/%d", &fd) != 1 || !(f = find_file(d, fd)))
		return false;
	n = snprintf(text, sizeof(text), "pos:\t0\nflags:\t02100002\nmnt_id:\t27\nino:\t410\n");
	if (f->gpu->driver->traits & DRM_FDINFO)
		n += snprintf(text + n, sizeof(text) - (size_t)n,
			      "drm-driver:\t%s\ndrm-client-id:\t%d\ndrm-total-memory:\t0\n",
			      f->gpu->driver->module, 1000 + fd);
	*result = memfd_create("fdinfo", MFD_CLOEXEC);
	return *result < 0 || write(*result, text, (size_t)n) == n;
}

int fake_drm_close(struct fake_drm *d, int fd)
{
	struct fake_drm_file *f = find_file(d, fd);

	if (!f)
		return fake_fail(EBADF);
	if (f->gpu->unbound && !d->ending)
		fake_drm_breach(d, "kernel oops: panfrost_perfcnt_close after the unbind");
	if (f->gpu->owner == f)
		fake_panfrost_disable(f->gpu);
	fake_panthor_close(f);
	*f = (struct fake_drm_file){.fd = 0};
	return close(fd);
}

unsigned fake_drm_open_files(const struct fake_drm *d)
{
	unsigned n = 0;

	for (unsigned i = 0; i < FAKE_DRM_FILES; i++)
		n += d->files[i].fd && !d->files[i].gpu->unbound; /* those must not be closed */
	return n;
}

void fake_drm_fini(struct fake_drm *d)
{
	d->ending = true;
	for (unsigned i = 0; i < FAKE_DRM_FILES; i++)
		if (d->files[i].fd)
			fake_drm_close(d, d->files[i].fd);
	strbuf_fini(&d->breaches);
}

int fake_drm_ioctl(struct fake_drm *d, int fd, unsigned long request, void *arg)
{
	struct fake_drm_file *f = find_file(d, fd);

	request &= 0xffffffff;
	if (!f)
		return fake_fail(EBADF);
	if (f->gpu->unbound)
		fake_drm_breach(d, "kernel oops: the ioctl 0x%lx after the unbind", request);
	if (f->gpu->gone)
		return fake_fail(ENODEV);
	if (strcmp(f->gpu->driver->module, "panfrost") == 0)
		return fake_panfrost_ioctl(d, f, request, arg);
	if (strcmp(f->gpu->driver->module, "panthor") == 0)
		return fake_panthor_ioctl(d, f, request, arg);
	fake_drm_breach(d, "the ioctl 0x%lx was sent to %s", request, f->gpu->driver->module);
	return fake_fail(EINVAL);
}

void *fake_drm_mmap(struct fake_drm *d, size_t n, int prot, int flags, int fd, int64_t at)
{
	struct fake_drm_file *f = find_file(d, fd);

	return fake_panthor_mmap(f, n, prot, flags, at);
}

void fake_drm_advance(struct fake_drm *d, int64_t now_ns)
{
	d->now_ns = now_ns;
	for (unsigned i = 0; i < FAKE_DRM_FILES; i++)
		if (d->files[i].fd)
			fake_panthor_advance(d, &d->files[i]);
}
