#include "backends/drm/drm_node.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool drm_node_driver(const struct sys *sys, const char *node, char *driver, size_t size)
{
	AUTOFREE char *path = xasprintf("sys/class/drm/%s/device/uevent", node);
	char text[1024];
	ssize_t n = sys_read_file(sys, path, text, sizeof(text));
	struct span rest = {text, n > 0 ? (size_t)n : 0};

	while (rest.n) {
		struct span line = span_until(&rest, '\n');

		if (!span_is(span_until(&line, '='), "DRIVER") || !line.n)
			continue;
		AUTOFREE char *name = span_dup(line);

		str_printable(driver, size, name);
		return true;
	}
	return false;
}

bool drm_node_exists(const struct sys *sys, const char *node)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "sys/class/drm/%.32s", node);
	return sys->stat(sys, path, &st) == 0 || errno != ENOENT;
}

bool drm_node_is_mali(const struct sys *sys, const char *node, char *driver, size_t size)
{
	return strncmp(node, "renderD", 7) == 0 && drm_node_driver(sys, node, driver, size) &&
	       (strcmp(driver, "panfrost") == 0 || strcmp(driver, "panthor") == 0);
}

bool drm_node_is_alone(const struct sys *sys, const char *node)
{
	char **names, driver[32];
	int n = sys->list(sys, "sys/class/misc/mali0", &names);
	bool alone = n < 0;

	sys_names_free(names, n);
	n = sys->list(sys, "sys/class/drm", &names);
	for (int i = 0; i < n; i++)
		alone = alone && (strcmp(names[i], node) == 0 ||
				  !drm_node_is_mali(sys, names[i], driver, sizeof(driver)));
	sys_names_free(names, n);
	return alone;
}

const char *drm_node_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Where sysfs says nothing, as in some containers, libdrm does. Reading cannot disturb a driver. */
static bool is_driver(const struct sys *sys, const char *path, const char *driver)
{
	struct sys_drm_version version;
	char name[32];
	bool same;
	int fd;

	if (drm_node_driver(sys, drm_node_name(path), name, sizeof(name)))
		return strcmp(name, driver) == 0;
	fd = sys->open(sys, path, O_RDONLY);
	same = fd >= 0 && sys->drm_version(sys, fd, &version) == 0 && strcmp(version.name, driver) == 0;
	if (fd >= 0)
		sys->close(sys, fd);
	return same;
}

bool drm_node_probe(const struct sys *sys, const struct backend *backend, const char *driver,
		    struct source_found **found, struct err *err)
{
	char **nodes;
	int n = sys->drm_nodes(sys, &nodes);

	if (n < 0 && errno != ENOENT)
		return err_set(err, errno, "%s: libdrm cannot list the render nodes: %s", backend->name,
			       strerror(errno));
	for (int i = 0; i < n; i++)
		if (is_driver(sys, nodes[i], driver))
			source_found_add(found, backend, nodes[i]);
	sys_names_free(nodes, n);
	return true;
}

int drm_node_open(const struct sys *sys, const char *path, const char *driver,
		  struct sys_drm_version *version, struct err *err)
{
	char name[32];
	int fd, saved;

	if (!path[0])
		return err_set(err, ENODEV, "no render node of %s", driver), -1;
	if (drm_node_driver(sys, drm_node_name(path), name, sizeof(name)) && strcmp(name, driver) != 0)
		return err_set(err, ENODEV, "%s: a node of %s, not of %s", path, name, driver), -1;
	fd = sys->open(sys, path, O_RDWR);
	if (fd < 0)
		return err_set(err, errno, "%s: cannot open: %s", path, strerror(errno)), -1;
	if (sys->drm_version(sys, fd, version) == 0 && strcmp(version->name, driver) == 0)
		return fd;
	saved = errno;
	sys->close(sys, fd);
	if (version->name[0])
		return err_set(err, ENODEV, "%s: a node of %s, not of %s", path, version->name, driver), -1;
	return err_set(err, saved, "%s: libdrm cannot query its driver: %s", path, strerror(saved)), -1;
}

static bool take_minor(const char *name, unsigned *minor)
{
	static const char *const prefixes[] = {"renderD", "card"};
	uint64_t v;

	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		size_t n = strlen(prefixes[i]);

		if (strncmp(name, prefixes[i], n) == 0 && span_u64(span_of(name + n), &v) && v < 1 << 20) {
			*minor = (unsigned)v;
			return true;
		}
	}
	return false;
}

unsigned drm_node_minors(const struct sys *sys, const char *node, unsigned minors[DRM_MINORS_MAX])
{
	AUTOFREE char *path = xasprintf("sys/class/drm/%s/device/drm", node);
	unsigned n = 0;
	char **names;
	int n_names = sys->list(sys, path, &names);

	for (int i = 0; i < n_names && n < DRM_MINORS_MAX; i++)
		n += take_minor(names[i], &minors[n]);
	sys_names_free(names, n_names);
	if (!n)
		n = take_minor(node, &minors[0]);
	return n;
}
