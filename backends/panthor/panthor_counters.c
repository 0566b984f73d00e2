#include "backends/panthor/panthor.h"

#include "base/alloc.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#define PAGE 4096u
#define SLOTS_LEAST 8u
#define SLOTS_MOST 1024u
#define WAIT_MS 2 /* for a sample that was just requested */

static int ask_driver(const struct panthor *p, unsigned long request, void *arg)
{
	return p->gpu.sys->drm_ioctl(p->gpu.sys, p->gpu.fd, request, arg);
}

static int control_session(const struct panthor *p, uint32_t command, void *data, uint64_t size)
{
	struct panthor_perf_control control = {.cmd = command,
					       .handle = p->handle < 0 ? 0 : (uint32_t)p->handle,
					       .size = size,
					       .pointer = (uintptr_t)data};

	return ask_driver(p, p->interface->control, &control);
}

/* ---- memory that is shared with the driver ---- */

static bool make_buffer(struct panthor *p, struct panthor_buffer *b, size_t size)
{
	struct panthor_bo_create create = {.size = size};
	struct panthor_bo_mmap_offset at = {.handle = 0};

	if (ask_driver(p, PANTHOR_BO_CREATE, &create) != 0)
		return false;
	b->handle = at.handle = create.handle;
	b->size = size;
	if (ask_driver(p, PANTHOR_BO_MMAP_OFFSET, &at) != 0)
		return false;
	b->memory = sys_map_shared(p->gpu.sys, p->gpu.fd, size, (off_t)at.offset);
	return b->memory != NULL;
}

static void drop_buffer(struct panthor *p, struct panthor_buffer *b)
{
	struct panthor_gem_close close = {.handle = b->handle};

	if (b->memory)
		p->gpu.sys->munmap(p->gpu.sys, b->memory, b->size);
	if (b->handle)
		ask_driver(p, PANTHOR_GEM_CLOSE, &close);
	*b = (struct panthor_buffer){0};
}

/* The ring must have whole pages, and its number of samples must be a power of two. 0: none
 * fits. */
static uint32_t count_slots(uint32_t sample_bytes)
{
	for (uint32_t n = SLOTS_LEAST; n <= SLOTS_MOST; n *= 2)
		if ((uint64_t)n * sample_bytes % PAGE == 0)
			return n;
	return 0;
}

/* ---- the session ---- */

static bool open_session(struct panthor *p)
{
	struct panthor_perf_setup setup = {.sample_slots = p->n_slots,
					   .fd = (uint32_t)p->event,
					   .ringbuf_handle = p->samples.handle,
					   .control_handle = p->control.handle};

	memset(setup.masks, 0xff, sizeof(setup.masks));
	p->handle = control_session(p, PANTHOR_PERF_SETUP, &setup, p->interface->setup_size);
	return p->handle >= 0;
}

static bool start_session(struct panthor *p)
{
	struct panthor_perf_user_data none = {0};

	p->running = control_session(p, PANTHOR_PERF_START, &none, sizeof(none)) == 0;
	return p->running;
}

static bool fail_start(struct panthor *p, const char *what, struct err *err)
{
	static const struct {
		int code;
		const char *help;
	} helps[] = {
		{EBUSY, "another program counts: stop it, or use -b panthor:fdinfo"},
		{EACCES, "it needs CAP_PERFMON: run malitop as root, or use -b panthor:fdinfo"},
		{EPERM, "it needs CAP_PERFMON: run malitop as root, or use -b panthor:fdinfo"},
		{ENODEV, "the driver has been unbound, or its firmware is lost"},
	};
	int code = errno;

	panthor_counters_stop(p);
	for (size_t i = 0; i < ARRAY_LEN(helps); i++)
		if (helps[i].code == code)
			return err_set(err, code, "%s: %s: %s", p->gpu.path, what, helps[i].help);
	return err_set(err, code, "%s: %s: %s", p->gpu.path, what, strerror(code));
}

bool panthor_counters_start(struct panthor *p, struct err *err)
{
	p->event = p->handle = -1;
	p->running = p->requested = false;
	p->n_slots = count_slots(p->extent.sample_bytes);
	if (!p->n_slots)
		return err_set(err, EPROTO,
			       "%s: samples of %u bytes do not fill whole pages: use -b panthor:fdinfo",
			       p->gpu.path, p->extent.sample_bytes);
	if (!make_buffer(p, &p->samples, (size_t)p->n_slots * p->extent.sample_bytes) ||
	    !make_buffer(p, &p->control, PAGE))
		return fail_start(p, "no memory for the counters", err);
	p->event = sys_event_new();
	if (p->event < 0)
		return fail_start(p, "no event for the counters", err);
	if (!open_session(p))
		return fail_start(p, "cannot set up the counters", err);
	return start_session(p) || fail_start(p, "cannot start the counters", err);
}

void panthor_counters_stop(struct panthor *p)
{
	struct panthor_perf_user_data none = {0};

	if (!p->interface)
		return;
	if (p->running)
		control_session(p, PANTHOR_PERF_STOP, &none, sizeof(none));
	if (p->handle >= 0)
		control_session(p, PANTHOR_PERF_TEARDOWN, NULL, 0);
	p->running = false;
	p->handle = -1;
	drop_buffer(p, &p->samples);
	drop_buffer(p, &p->control);
	sys_cleanup_close(&p->event);
}

bool panthor_counters_request(struct panthor *p)
{
	struct panthor_perf_user_data none = {0};

	p->requested = control_session(p, PANTHOR_PERF_SAMPLE, &none, sizeof(none)) == 0;
	return p->requested || errno == EBUSY;
}

/* The event orders our reads behind the driver's writes. */
static bool wait_for_sample(struct panthor *p)
{
	struct pollfd event = {.fd = p->event, .events = POLLIN};

	if (p->gpu.sys->poll(p->gpu.sys, &event, 1, WAIT_MS) < 1)
		return false;
	sys_event_ack(p->event);
	return true;
}

enum read_result panthor_counters_take(struct panthor *p, struct panthor_interval *interval, uint64_t *slots)
{
	volatile struct panthor_perf_ring *ring =
		(volatile struct panthor_perf_ring *)(void *)p->control.memory;
	uint64_t extract = ring->extract_idx;

	if (ring->insert_idx == extract && (!p->requested || !wait_for_sample(p)))
		return READ_NONE;
	if (ring->insert_idx == extract)
		return READ_NONE;
	if (ring->insert_idx - extract > p->n_slots) /* it overtook us: take the oldest that is left */
		extract = ring->insert_idx - p->n_slots;
	panthor_sample_fold(&p->extent, p->samples.memory + extract % p->n_slots * p->extent.sample_bytes,
			    &p->gpu.fold, interval, slots);
	ring->extract_idx = extract + 1;
	p->requested = false;
	return READ_GOT;
}
