#include "tests/support/drm_run.h"

#include "session/devices.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void drm_run_write(struct drm_run *r, const char *text, const char *path, ...)
{
	char full[128];
	va_list ap;

	va_start(ap, path);
	vsnprintf(full, sizeof(full), path, ap);
	va_end(ap);
	fixture_write(&r->files, full, text);
}

struct fake_drm_gpu *drm_run_add(struct drm_run *r, const char *driver, uint32_t gpu_id, uint64_t core_mask)
{
	unsigned minor = FAKE_DRM_MINOR + r->fake.drm.n_gpus;
	struct fake_drm_gpu *gpu = fake_sys_add_drm(&r->fake, driver, gpu_id, core_mask);
	AUTOFREE char *uevent = xasprintf("DRIVER=%s\n", gpu->driver->module);

	drm_run_write(r, uevent, "sys/class/drm/renderD%u/device/uevent", minor);
	drm_run_write(r, "active\n", "sys/class/drm/renderD%u/device/power/runtime_status", minor);
	drm_run_write(r, "1000\n", "sys/class/drm/renderD%u/device/power/runtime_active_time", minor);
	drm_run_write(r, "", "sys/class/drm/renderD%u/device/drm/renderD%u/dev", minor, minor);
	drm_run_write(r, "", "sys/class/drm/renderD%u/device/drm/card%u/dev", minor, minor - FAKE_DRM_MINOR);
	drm_run_write(r, "600000000\n", "sys/class/drm/renderD%u/device/devfreq/%u.gpu/cur_freq", minor,
		      minor);
	drm_run_write(r, "600000000\n", "sys/class/devfreq/%u.gpu/cur_freq", minor);
	drm_run_write(r, "200000000 600000000 800000000\n", "sys/class/devfreq/%u.gpu/available_frequencies",
		      minor);
	if (gpu->driver->traits & DRM_PROFILE_SYSFS)
		drm_run_write(r, "0\n", "sys/class/drm/renderD%u/device/profiling", minor);
	return gpu;
}

struct fake_drm_gpu *drm_run_init(struct drm_run *r, const struct backend *backend, const char *driver,
				  uint32_t gpu_id, uint64_t core_mask)
{
	*r = (struct drm_run){.backend = backend};
	fixture_init(&r->files, NULL);
	fake_sys_init(&r->fake, r->files.root);
	r->db = fixture_db();
	r->options = (struct source_options){.db = r->db, .interval_ns = 100 * MS};
	return drm_run_add(r, driver, gpu_id, core_mask);
}

void drm_run_unbind(struct drm_run *r)
{
	fixture_remove(&r->files, "sys/class/drm/renderD128");
	r->fake.drm.gpus[0].unbound = true;
}

bool drm_run_open(struct drm_run *r)
{
	r->err = (struct err){0};
	r->source = source_open(&r->fake.sys, r->backend, &r->options, "/dev/dri/renderD128", &r->err);
	if (!r->source)
		return false;
	r->sample = xcalloc(1, sizeof(*r->sample) + r->source->n_slots * sizeof(uint64_t));
	return true;
}

bool drm_run_start(struct drm_run *r, int64_t period_ns)
{
	r->err = (struct err){0};
	return r->backend->start(r->source, period_ns, r->fake.now_ns, &r->err);
}

void drm_run_close(struct drm_run *r)
{
	if (!r->source)
		return;
	r->backend->stop(r->source);
	r->backend->close(r->source);
	source_free(r->source);
	free(r->sample);
	r->source = NULL;
}

void drm_run_fini(struct drm_run *r)
{
	const char *leaks;

	drm_run_close(r);
	leaks = fake_sys_leaks(&r->fake);
	if (leaks)
		fail_msg("%s", leaks);
	fake_sys_fini(&r->fake);
	fixture_fini(&r->files);
}

enum read_result drm_run_read(struct drm_run *r, int64_t most_ns)
{
	int64_t end = r->fake.now_ns + most_ns;

	for (;;) {
		enum read_result got;

		r->sample->flags = r->sample->lost = 0;
		got = r->backend->read(r->source, r->fake.now_ns, r->sample);
		if (got != READ_NONE || r->fake.now_ns >= end)
			return got;
		fake_sys_run(&r->fake, MS);
	}
}

void drm_run_next(struct drm_run *r)
{
	if (drm_run_read(r, 12000 * MS) != READ_GOT)
		fail_msg("%s: no sample", r->fake.drm.gpus[0].driver->name);
}

static int slot_of(const struct drm_run *r, const char *name)
{
	for (unsigned i = 0; i < r->source->n_sums; i++)
		if (strcmp(r->source->slots[i].name, name) == 0)
			return (int)i;
	return -1;
}

bool drm_run_has(const struct drm_run *r, const char *slot)
{
	return slot_of(r, slot) >= 0;
}

uint64_t drm_run_value(const struct drm_run *r, const char *slot)
{
	int at = slot_of(r, slot);

	if (at < 0)
		fail_msg("there is no slot %s", slot);
	return r->sample->value[at];
}

unsigned drm_run_calls(const struct drm_run *r)
{
	unsigned n = 0;

	for (size_t i = 0; i < ARRAY_LEN(r->fake.n_calls); i++)
		n += r->fake.n_calls[i];
	return n;
}

void drm_run_client(struct drm_run *r, int pid, int fd, unsigned minor, const char *driver, unsigned client,
		    const char *text)
{
	AUTOFREE char *node = xasprintf("226:%u", minor);
	AUTOFREE char *info =
		xasprintf("pos:\t0\nflags:\t02100002\nmnt_id:\t27\ndrm-driver:\t%s\ndrm-client-id:\t%u\n%s",
			  driver, client, text);

	drm_run_write(r, node, "proc/%d/fd/%d", pid, fd);
	drm_run_write(r, info, "proc/%d/fdinfo/%d", pid, fd);
}
