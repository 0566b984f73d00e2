/* A source of an open driver over a fake one: opened, started, read until samples come, on a
 * machine whose files are a test's to write. */
#ifndef MALITOP_TEST_DRM_RUN_H
#define MALITOP_TEST_DRM_RUN_H

#include "backends/backends.h"
#include "tests/fake/fake_sys.h"
#include "tests/support/fixture.h"

#define MS 1000000ll

struct drm_run {
	struct fixture files; /* under the fake */
	struct fake_sys fake;
	const struct backend *backend;
	const struct gpudb *db;
	struct source_options options; /* change before drm_run_open */
	struct source *source;
	struct sample *sample;
	struct err err;
};

/* A machine with one render node of this driver, as sysfs shows it. */
struct fake_drm_gpu *drm_run_init(struct drm_run *r, const struct backend *backend, const char *driver,
				  uint32_t gpu_id, uint64_t core_mask);
void drm_run_fini(struct drm_run *r); /* fails the test if anything is left open, or a rule was broken */
/* Another node, with its files. */
struct fake_drm_gpu *drm_run_add(struct drm_run *r, const char *driver, uint32_t gpu_id, uint64_t core_mask);
/* The driver is unbound from the GPU of the first node. */
void drm_run_unbind(struct drm_run *r);
/* false with r->err; nothing is left behind then. */
bool drm_run_open(struct drm_run *r);
bool drm_run_start(struct drm_run *r, int64_t period_ns);
void drm_run_close(struct drm_run *r);
/* Let time pass until a sample is there, at most so long. */
enum read_result drm_run_read(struct drm_run *r, int64_t most_ns);
/* The next sample; fails the test if none comes. */
void drm_run_next(struct drm_run *r);
/* The value of a slot of the sums; fails the test if there is none. */
uint64_t drm_run_value(const struct drm_run *r, const char *slot);
bool drm_run_has(const struct drm_run *r, const char *slot);
/* Calls so far. */
unsigned drm_run_calls(const struct drm_run *r);

/* A process has the node open, and so says its fdinfo. The text behind the driver and the
 * client. */
void drm_run_client(struct drm_run *r, int pid, int fd, unsigned minor, const char *driver, unsigned client,
		    const char *text);
void drm_run_write(struct drm_run *r, const char *text, const char *path, ...)
	__attribute__((format(printf, 3, 4)));

#endif
