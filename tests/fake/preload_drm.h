/* The fake render nodes behind the libc and libdrm calls of a program (preload.c), on real time.
 *
 *   FAKEDRM='panfrost-6.10 gpu=0x74021000 cores=3 slices=2 unstable=1; vkms'
 *
 * lists nodes from dev/dri/renderD128 on, each by a row of fake_drm_drivers and words: gpu
 * (GPU_ID), cores (mask), slices, bus (bits), l2 (mask), values (of a block), unstable, taken (or
 * taken=/FILE: while that file exists), dump (us of a dump), hangs, reset (ms from one job that
 * hangs to the next). Their files in sysfs and proc are those of FAKEMALI_ROOT. FAKEDRM_COUNTS
 * names a file for what was done to each when the program ends: how often its counters were
 * enabled, and how many other calls woke it. */
#ifndef MALITOP_FAKE_PRELOAD_DRM_H
#define MALITOP_FAKE_PRELOAD_DRM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

void preload_drm_init(void);
void preload_drm_fini(FILE *breaches); /* NULL: there are none */
bool preload_drm_broken(void);

/* Each returns false if the path or the fd is not the fake's. */
bool preload_drm_open(const char *path, int flags, int *result);
bool preload_drm_close(int fd, int *result);
bool preload_drm_mmap(size_t n, int prot, int flags, int fd, off_t at, void **result);

#endif
