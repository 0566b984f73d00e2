#include "base/sys_drm.h"

#include "base/alloc.h"
#include "base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xf86drm.h>

#define DRM_DEVICES 64

/* libdrm knows only the machine's own devices, not those of a captured tree. */
static bool is_machine(const struct sys *sys)
{
	struct stat own, machine;

	return fstat(sys->root_fd, &own) == 0 && stat("/", &machine) == 0 && own.st_ino == machine.st_ino &&
	       own.st_dev == machine.st_dev;
}

static int real_drm_nodes(const struct sys *sys, char ***nodes)
{
	drmDevicePtr devices[DRM_DEVICES];
	int n_devices = is_machine(sys) ? drmGetDevices2(0, devices, DRM_DEVICES) : 0, n = 0;

	*nodes = NULL;
	if (n_devices < 0) {
		errno = -n_devices;
		return -1;
	}
	*nodes = xcalloc((size_t)n_devices + 1, sizeof(**nodes));
	for (int i = 0; i < n_devices; i++)
		if (devices[i]->available_nodes & 1 << DRM_NODE_RENDER)
			(*nodes)[n++] = xstrdup(devices[i]->nodes[DRM_NODE_RENDER]);
	drmFreeDevices(devices, n_devices);
	qsort(*nodes, (size_t)n, sizeof(**nodes), sys_by_name);
	return n;
}

static int real_drm_version(const struct sys *sys, int fd, struct sys_drm_version *version)
{
	drmVersionPtr v = drmGetVersion(fd);

	(void)sys;
	if (!v)
		return -1;
	str_printable(version->name, sizeof(version->name), v->name ? v->name : "");
	version->major = v->version_major;
	version->minor = v->version_minor;
	drmFreeVersion(v);
	return 0;
}

static int real_drm_ioctl(const struct sys *sys, int fd, unsigned long request, void *arg)
{
	(void)sys;
	return drmIoctl(fd, request, arg);
}

void sys_drm_init(struct sys *sys)
{
	sys->drm_nodes = real_drm_nodes;
	sys->drm_version = real_drm_version;
	sys->drm_ioctl = real_drm_ioctl;
}
