/* drm_node: the render nodes of the machine, and whose they are.
 *
 * Other drivers have nodes of the same names: displays, other vendors' GPUs. A node is opened only
 * if sysfs names its driver as the wanted one; where sysfs says nothing, it is opened for reading,
 * and libdrm is asked.
 *
 * Thread: any. */
#ifndef MALITOP_DRM_NODE_H
#define MALITOP_DRM_NODE_H

#include "backends/backend.h"

#define DRM_MINORS_MAX 4

/* The kernel driver of a DRM node ("renderD128"), from sysfs, printable; false if it is unknown. */
bool drm_node_driver(const struct sys *sys, const char *node, char *driver, size_t size);
/* Whether the node is a Mali GPU's with an open driver, whose name it gets. */
bool drm_node_is_mali(const struct sys *sys, const char *node, char *driver, size_t size);
/* Whether no other node or device is a Mali GPU's, so that files of no certain GPU are its. */
bool drm_node_is_alone(const struct sys *sys, const char *node);
/* Whether sysfs has the node. Panfrost's driver gives no sign when it is unbound from its GPU:
 * before Linux 7.3 any call on an open file, reading its fdinfo and closing it then run on freed
 * memory. So a caller that has found a node in sysfs checks again before each of these. */
bool drm_node_exists(const struct sys *sys, const char *node);
/* "renderD128" of "/dev/dri/renderD128". */
const char *drm_node_name(const char *path);
/* Append the nodes of a driver to *found. */
bool drm_node_probe(const struct sys *sys, const struct backend *backend, const char *driver,
		    struct source_found **found, struct err *err);
/* Open a node of this driver for reading and writing. Returns -1 and a message if it cannot be
 * opened, or is another driver's. */
int drm_node_open(const struct sys *sys, const char *path, const char *driver,
		  struct sys_drm_version *version, struct err *err);
/* The minor numbers of all nodes of the device that has this one, itself included: processes may
 * have opened any of them. Returns how many. */
unsigned drm_node_minors(const struct sys *sys, const char *node, unsigned minors[DRM_MINORS_MAX]);

#endif
