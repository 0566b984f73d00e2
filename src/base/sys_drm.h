/* sys_drm: the calls of struct sys that go through libdrm. Only sys.c calls this. */
#ifndef MALITOP_SYS_DRM_H
#define MALITOP_SYS_DRM_H

#include "base/sys.h"
#include "config.h"

#ifdef WITH_DRM
void sys_drm_init(struct sys *sys);
#else
static inline void sys_drm_init(struct sys *sys)
{
	(void)sys;
}
#endif

#endif
