#include "backends/panthor/panthor.h"

#include "base/alloc.h"
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#define PAGE 4096u
#define SLOTS_LEAST 8u
#define SLOTS_MOST 1024u
#define WAIT_MS 2 /* for a sample that was just requested */
#define SAMPLE_BYTES_MAX (1u << 20)

static int ask_driver(const struct panthor *p, unsigned long request, void *arg)
{
	return p->gpu.sys->drm_ioctl(p->gpu.sys, p->gpu.fd, request, arg);
}

/* ---- the interfaces ---- */

static const struct panthor_interface interfaces[] = {
	{"of Arm's own kernels", PANTHOR_PERF_INFO_ARM, PANTHOR_PERF_INFO_ARM_SIZE,
	 PANTHOR_PERF_SETUP_ARM_SIZE, PANTHOR_PERF_CONTROL_ARM, 0, PANTHOR_SAMPLE_STRETCHED},
#ifdef WITH_PANTHOR_PERF
	{"proposed for Linux in December 2025", PANTHOR_PERF_INFO_V6, PANTHOR_PERF_INFO_V6_SIZE,
	 PANTHOR_PERF_SETUP_V6_SIZE, PANTHOR_PERF_CONTROL_V6, PANTHOR_SAMPLE_ERROR, 0},
#endif
};

uint32_t panthor_query(const struct panthor *p, uint32_t type, void *to, uint32_t size)
{
	struct panthor_dev_query query = {.type = type, .size = size, .pointer = (uintptr_t)to};

	return ask_driver(p, PANTHOR_DEV_QUERY, &query) == 0 ? query.size : 0;
}

bool panthor_extent_init(struct panthor_extent *extent, const struct panthor_perf_info *info,
			 uint64_t core_mask)
{
	uint64_t blocks = (uint64_t)info->fw_blocks + info->cshw_blocks + info->tiler_blocks +
			  info->memsys_blocks + info->shader_blocks + info->neural_blocks;
	uint64_t bytes = info->sample_header_size +
			 blocks * (info->block_header_size + (uint64_t)info->counters_per_block * 8);

	*extent = (struct panthor_extent){
		.info = *info,
		.n_blocks = (uint32_t)blocks,
		.dense = info->shader_blocks == (unsigned)__builtin_popcountll(core_mask),
	};
	return info->counters_per_block && info->counters_per_block <= GPU_BLOCK_SLOTS_MAX &&
	       info->sample_header_size >= sizeof(struct panthor_sample_header) &&
	       info->block_header_size >= sizeof(struct panthor_block_header) && blocks <= 256 &&
	       info->sample_size <= SAMPLE_BYTES_MAX && info->sample_size % 8 == 0 &&
	       bytes <= info->sample_size;
}

void panthor_find_counters(struct panthor *p)
{
	for (size_t i = 0; i < ARRAY_LEN(interfaces) && !p->interface; i++) {
		uint32_t query = interfaces[i].query, size = interfaces[i].info_size;
		struct panthor_perf_info info = {0};

		if (panthor_query(p, query, NULL, 0) == size &&
		    panthor_query(p, query, &info, size) == size &&
		    panthor_extent_init(&p->extent, &info, p->info.shader_present))
			p->interface = &interfaces[i];
	}
}

static int control_session(const struct panthor *p, uint32_t command, void *data, uint64_t size)
{
	struct panthor_perf_control control = {.cmd = command,
					       .handle = p->handle < 0 ? 0 : (uint32_t)p->handle,
					       .size = size,
					       .pointer = (uintptr_t)data};

	return ask_driver(p, p->interface->control, &control);
}

static bool command_session(const struct panthor *p, uint32_t command)
{
	struct panthor_perf_user_data none = {0};

	return control_session(p, command, &none, sizeof(none)) == 0;
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

/* The ring must have whole pages and 2^n samples. 0: no number fits. */
static uint32_t count_slots(uint32_t sample_bytes)
{
	for (uint32_t n = SLOTS_LEAST; n <= SLOTS_MOST; n *= 2)
		if ((uint64_t)n * sample_bytes % PAGE == 0)
			return n;
	return 0;
}

/* ---- the session ---- */

static bool fail_start(struct panthor *p, const char *what, struct err *err)
{
	static const struct code_text helps[] = {
		{EBUSY, "another program counts: stop it, or use -b panthor:fdinfo"},
		{EACCES, "it needs CAP_PERFMON: run malitop as root, or use -b panthor:fdinfo"},
		{EPERM, "it needs CAP_PERFMON: run malitop as root, or use -b panthor:fdinfo"},
		{ENODEV, "the driver has been unbound, or its firmware is lost"},
	};
	int code = errno;
	const char *help = code_text_find(helps, ARRAY_LEN(helps), code);

	panthor_counters_stop(p);
	return err_set(err, code, "%s: %s: %s", p->gpu.path, what, help ? help : strerror(code));
}

bool panthor_counters_start(struct panthor *p, struct err *err)
{
	struct panthor_perf_setup setup = {.block_set = 0};

	p->event = p->handle = -1;
	p->running = p->requested = false;
	p->n_slots = count_slots(p->extent.info.sample_size);
	if (!p->n_slots)
		return err_set(err, EPROTO,
			       "%s: samples of %u bytes do not fill whole pages: use -b panthor:fdinfo",
			       p->gpu.path, p->extent.info.sample_size);
	if (!make_buffer(p, &p->samples, (size_t)p->n_slots * p->extent.info.sample_size) ||
	    !make_buffer(p, &p->control, PAGE))
		return fail_start(p, "no memory for the counters", err);
	p->event = sys_event_new();
	if (p->event < 0)
		return fail_start(p, "no event for the counters", err);
	setup.sample_slots = p->n_slots;
	setup.fd = (uint32_t)p->event;
	setup.ringbuf_handle = p->samples.handle;
	setup.control_handle = p->control.handle;
	memset(setup.masks, 0xff, sizeof(setup.masks));
	p->handle = control_session(p, PANTHOR_PERF_SETUP, &setup, p->interface->setup_size);
	if (p->handle < 0)
		return fail_start(p, "cannot set up the counters", err);
	p->running = command_session(p, PANTHOR_PERF_START);
	return p->running || fail_start(p, "cannot start the counters", err);
}

void panthor_counters_stop(struct panthor *p)
{
	if (!p->interface)
		return;
	if (p->running)
		command_session(p, PANTHOR_PERF_STOP);
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
	p->requested = command_session(p, PANTHOR_PERF_SAMPLE);
	return p->requested || errno == EBUSY;
}

static void fold_block(const struct panthor_extent *extent, const uint8_t *bytes, const struct gpu_fold *fold,
		       uint64_t *slots)
{
	/* Our data describes no others. */
	static const enum gpu_block blocks[] = {[PANTHOR_BLOCK_CSHW] = BLOCK_FRONT_END,
						[PANTHOR_BLOCK_TILER] = BLOCK_TILER,
						[PANTHOR_BLOCK_MEMSYS] = BLOCK_MEMORY,
						[PANTHOR_BLOCK_SHADER] = BLOCK_CORE};
	uint32_t n = extent->info.counters_per_block;
	uint64_t value[GPU_BLOCK_SLOTS_MAX];
	struct panthor_block_header header;
	unsigned instance;

	memcpy(&header, bytes, sizeof(header));
	if (header.type < PANTHOR_BLOCK_CSHW || header.type > PANTHOR_BLOCK_SHADER)
		return;
	instance = header.type == PANTHOR_BLOCK_SHADER && extent->dense ? gpu_fold_core(fold, header.index)
									: header.index;
	memcpy(value, bytes + extent->info.block_header_size, n * sizeof(*value));
	gpu_fold_block(fold, blocks[header.type], instance, value, n, slots);
}

void panthor_sample_fold(const struct panthor_extent *extent, const uint8_t *bytes,
			 const struct gpu_fold *fold, struct panthor_sample_header *header, uint64_t *slots)
{
	const struct panthor_perf_info *info = &extent->info;
	size_t stride = info->block_header_size + info->counters_per_block * sizeof(uint64_t);

	memcpy(header, bytes, sizeof(*header));
	for (uint32_t i = 0; i < extent->n_blocks; i++)
		fold_block(extent, bytes + info->sample_header_size + i * stride, fold, slots);
}

enum read_result panthor_counters_take(struct panthor *p, struct panthor_sample_header *header,
				       uint64_t *slots)
{
	volatile struct panthor_perf_ring *ring =
		(volatile struct panthor_perf_ring *)(void *)p->control.memory;
	struct pollfd event = {.fd = p->event, .events = POLLIN};
	uint64_t extract = ring->extract_idx;

	if (ring->insert_idx == extract) {
		if (!p->requested || p->gpu.sys->poll(p->gpu.sys, &event, 1, WAIT_MS) < 1)
			return READ_NONE;
		sys_event_ack(p->event); /* it orders our reads after the driver's writes */
		if (ring->insert_idx == extract)
			return READ_NONE;
	}
	if (ring->insert_idx - extract > p->n_slots) /* it overtook us: take the oldest that is left */
		extract = ring->insert_idx - p->n_slots;
	panthor_sample_fold(&p->extent, p->samples.memory + extract % p->n_slots * p->extent.info.sample_size,
			    &p->gpu.fold, header, slots);
	ring->extract_idx = extract + 1;
	p->requested = false;
	return READ_GOT;
}
