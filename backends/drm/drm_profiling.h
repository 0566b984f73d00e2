/* drm_profiling: the kernel's switch for timing the jobs of a GPU's queues, which is off by
 * default: `profiling` of the device in sysfs (Linux 6.10 and later), or `profile` in debugfs
 * (Panfrost of 6.7 to 6.9). Root may set it. It belongs to the device, and stays when whoever set
 * it ends.
 *
 * So whoever turns it on puts the old value back, and leaves a note of it in /run meanwhile: if it
 * is killed, the next one can tell what was left on, and what to put back.
 *
 * Thread: set and restore, one at a time for a switch; the rest any. */
#ifndef MALITOP_DRM_PROFILING_H
#define MALITOP_DRM_PROFILING_H

#include "backends/sysfs.h"

enum drm_profiling {
	DRM_PROFILING_ABSENT,  /* the kernel has no switch that we can see */
	DRM_PROFILING_UNKNOWN, /* it cannot be read */
	DRM_PROFILING_OFF,
	DRM_PROFILING_ON
};

struct drm_profiling_switch {
	const struct sys *sys;
	char path[SYSFS_PATH]; /* "" if there is none */
	char note[SYSFS_PATH]; /* "run/malitop-profiling-renderD128" */
	unsigned on;           /* the value that times jobs */
	bool set;              /* by us: to be put back */
	unsigned before;
};

/* Find the switch of a node ("renderD128"). */
void drm_profiling_init(struct drm_profiling_switch *s, const struct sys *sys, const char *node, unsigned on);
enum drm_profiling drm_profiling_state(const struct drm_profiling_switch *s);
/* Turn it on, unless it is on. Returns false with errno if that is not permitted. */
bool drm_profiling_set(struct drm_profiling_switch *s);
/* Put the old value back, if we set it and no other program has changed it since. */
void drm_profiling_restore(struct drm_profiling_switch *s);
/* Whether a malitop that does not run any more left it on. *before gets the value to put back. */
bool drm_profiling_left_on(const struct drm_profiling_switch *s, unsigned *before);

#endif
