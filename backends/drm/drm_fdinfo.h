/* drm_fdinfo: the text of /proc/PID/fdinfo/FD of an open render node, in the common format of DRM
 * drivers: "drm-engine-fragment:\t123 ns". Its contents are not trusted.
 *
 * Thread: any.
 */
#ifndef MALITOP_DRM_FDINFO_H
#define MALITOP_DRM_FDINFO_H

#include "base/str.h"
#include "model/sample.h"

#define DRM_ENGINES_MAX 4
#define DRM_ENGINE_NAME 16

struct drm_engine {
	char name[DRM_ENGINE_NAME]; /* "vertex-tiler": letters, digits and '-' */
	/* SAMPLE_UNKNOWN if there is no such line: */
	uint64_t ns;     /* busy since the client opened the node */
	uint64_t cycles; /* likewise */
	uint64_t hz, top_hz;
};

struct drm_fdinfo {
	char driver[DRM_ENGINE_NAME];
	uint64_t client; /* equal numbers of a device are the same open file, dup'ed or inherited */
	/* Bytes, SAMPLE_UNKNOWN if there is no such line: */
	uint64_t total, resident, internal; /* internal: the driver's own, for the client (Panthor) */
	struct drm_engine engines[DRM_ENGINES_MAX];
	unsigned n_engines;
};

/* Returns false if the text names no driver or no client. Unknown lines, malformed numbers, and
 * engines beyond DRM_ENGINES_MAX are skipped. */
bool drm_fdinfo_parse(struct drm_fdinfo *info, struct span text);
/* Bytes that the client has in memory; SAMPLE_UNKNOWN if that is not told. */
uint64_t drm_fdinfo_bytes(const struct drm_fdinfo *info);
/* NULL if the client has no engine of that name. */
const struct drm_engine *drm_fdinfo_engine(const struct drm_fdinfo *info, const char *name);

#endif
