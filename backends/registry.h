/* registry: the one list of backends, and the kernel drivers of Mali GPUs. Thread: any. */
#ifndef MALITOP_REGISTRY_H
#define MALITOP_REGISTRY_H

#include "backends/backend.h"

/* Every backend of this build in the order of trying, each followed by its parts, then NULL. */
extern const struct backend *const registry[];

/* The backend of that name; NULL if this build has none. Parts are not found. */
const struct backend *registry_find(struct span name);
/* Add every word that a list for --backend may hold: "kbase, kbase:vinstr, kbase:kinstr, proc". */
void registry_words(struct strbuf *text);
/* Whether a list for --backend holds only such words. The message names the first other one. */
bool registry_check(const char *list, struct err *err);

/* Kernel drivers of Mali GPUs by their device nodes, also those that no backend of this build
 * supports; ends with a driver of NULL. */
struct registry_driver {
	const char *driver;  /* "kbase" */
	const char *dir;     /* below the root: "dev" */
	const char *prefix;  /* of a node in it: "mali" */
	const char *backend; /* NULL: its name is that of the kernel driver */
	const char *modules; /* kernel drivers of its DRM nodes, "panfrost panthor"; NULL means any */
};
extern const struct registry_driver registry_drivers[];

/* Whether a node of that name in d->dir belongs to the driver, or may belong to it because its
 * kernel driver is unknown. `driver` gets the name of the kernel driver; "" if it is unknown or any
 * will do. */
bool registry_is_node(const struct sys *sys, const struct registry_driver *d, const char *node, char *driver,
		      size_t size);
/* The backend for a node with this kernel driver ("" as above); NULL if this build has none. */
const struct backend *registry_driver_backend(const struct registry_driver *d, const char *driver);

#endif
