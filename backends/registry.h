/* registry: the one list of backends, and how their devices are opened. */
#ifndef MALITOP_REGISTRY_H
#define MALITOP_REGISTRY_H

#include "options/options.h"
#include "backends/backend.h"

/* Every backend of this build; ends with NULL. */
extern const struct backend *const registry[];

const struct backend *registry_find(struct span name); /* NULL if this build has none of that name */

/* Kernel drivers of Mali GPUs by their device nodes, whether this build has a backend for them or not. */
struct registry_driver {
	const char *driver; /* "kbase" */
	const char *dir;    /* below the root: "dev" */
	const char *prefix; /* of a node in it: "mali" */
	const char *backend;
};
extern const struct registry_driver registry_drivers[];

/* Sources that were opened, and a line for each that could not be. */
struct registry_result {
	struct source **sources;
	unsigned n, cap;
	struct strbuf notes; /* lines for the user, may be empty */
};
void registry_result_fini(struct registry_result *r); /* closes and frees what was not taken out */

/* Open every source that the options ask for (--backend, --demo; without them all that are found, never sim). A device that cannot be
 * opened is a note; it is an error when it was named (--device), or when a backend that was asked for by name opens none at all.
 * For a log, --device is the only GPU; else the others are opened, too. Without a GPU, a note says which drivers were looked for.
 * `what` is copied into the sources. */
bool registry_open(const struct sys *sys, const struct options *options, const struct source_options *what,
		   struct registry_result *r, struct err *err);

/* Whether a source is the GPU that --device names. NULL names any; one without a node (a simulated one) goes by every name. */
bool source_is_device(enum source_kind kind, const char *node, const char *device);

/* One device; again, where it was lost. NULL on failure. */
struct source *source_open(const struct sys *sys, const struct backend *backend, const struct source_options *what,
			   const char *device, struct err *err);
void source_free(struct source *source); /* after backend->close */

#endif
