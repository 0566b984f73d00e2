/* drm_gpu: the node of a GPU with an open driver, from the opened file to its slots. The backends
 * of Panfrost and Panthor share it.
 *
 * Threads: as in backend.h. */
#ifndef MALITOP_DRM_GPU_H
#define MALITOP_DRM_GPU_H

#include "backends/drm/drm_usage.h"
#include "backends/gpu/gpu_fold.h"

struct drm_gpu {
	const struct sys *sys;
	int fd; /* -1: not open, or not any more */
	char path[128];
	bool watched; /* sysfs had the node: it is asked before each call */
	struct sys_drm_version version;
	uint64_t id;
	unsigned n_engines;

	/* Used by the sampler: */
	struct drm_usage usage;
	struct gpu_fold fold;
};

/* Facts from a driver's registers. */
struct drm_gpu_facts {
	uint64_t id;                       /* GPU_ID */
	struct source_constants constants; /* of the cores that the driver uses; not their number */
	uint32_t core_features, thread_features;
	bool counts;
	const char *notes[2]; /* for the user; NULL: none */
};

/* Check the interface that the user asked for, and open the node. After a failure nothing is
 * left. */
bool drm_gpu_open(struct drm_gpu *g, const struct source *source, const struct drm_usage_driver *driver,
		  const char *device, struct err *err);
/* Give up after the node was opened: close it, and say what to try. Returns false. */
bool drm_gpu_refuse(struct drm_gpu *g, const struct drm_usage_driver *driver, const struct err *why,
		    struct err *err);
/* Fill the source: its product, names, constants and slots. */
void drm_gpu_fill(struct drm_gpu *g, struct source *source, const struct drm_usage_driver *driver,
		  const struct drm_gpu_facts *facts);
/* Close the node, which is of no more use, if sysfs shows whether the GPU is there. */
void drm_gpu_let_go(struct drm_gpu *g);
/* Whether sysfs still has the node, or never had. */
bool drm_gpu_is_there(const struct drm_gpu *g);
/* An ioctl, unless the driver has been unbound from the GPU: Panfrost would crash the kernel then.
 * Returns false with errno, ENODEV in that case. */
bool drm_gpu_ask(const struct drm_gpu *g, unsigned long request, void *arg);
/* Close the node, unless its driver has been unbound from the GPU, and free all. */
void drm_gpu_close(struct drm_gpu *g);
/* Append the lines for doctor; `counters` are those about the counters. */
void drm_gpu_describe(const struct drm_gpu *g, const struct source *source, const char *counters,
		      struct strbuf *text);

#endif
