/* Panthor: its queries, buffers, and the two interfaces for counters that are not in mainline. */
#include "tests/fake/drm.h"

#include "tests/fake/kbase_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096u
#define ID_BITS 20 /* of an offset, below the handle */

enum { BLOCK_HEADER = 24, LATER_WORDS = 1 };

static bool is_arm(const struct fake_drm_gpu *gpu)
{
	return gpu->driver->traits & DRM_PERF_ARM;
}

static unsigned count_cores(const struct fake_drm_gpu *gpu)
{
	return (unsigned)__builtin_popcountll(gpu->core_mask);
}

static unsigned count_blocks(const struct fake_drm_gpu *gpu)
{
	return 3 + gpu->slices + count_cores(gpu); /* firmware, command stream, tiler */
}

static uint32_t header_bytes(const struct fake_drm_gpu *gpu)
{
	return (is_arm(gpu) ? 64 : 56) + gpu->longer_headers;
}

static uint32_t block_bytes(const struct fake_drm_gpu *gpu)
{
	return BLOCK_HEADER + gpu->longer_headers + 8 * gpu->n_values;
}

static uint32_t sample_bytes(const struct fake_drm_gpu *gpu)
{
	return header_bytes(gpu) + count_blocks(gpu) * block_bytes(gpu);
}

/* ---- queries ---- */

static uint32_t make_gpu_info(const struct fake_drm_gpu *gpu, uint8_t *to)
{
	uint32_t words[] = {gpu->gpu_id,           0, 0, (uint32_t)__builtin_ctz(gpu->bus_bits) << 24, 0,
			    (gpu->slices - 1) << 8};
	uint32_t size = is_arm(gpu) ? 224 : gpu->driver->minor >= 7 ? 112 : 104;

	memset(to, 0, size);
	memcpy(to, words, sizeof(words));
	memcpy(to + 28, &gpu->thread_features, 4);
	memcpy(to + 72, &gpu->core_mask, 8);
	memcpy(to + 80, &gpu->l2_present, 8);
	memcpy(to + 96, &gpu->core_features, 4);
	if (is_arm(gpu))
		memcpy(to + 188, &gpu->gpu_id_hi, 4);
	return size;
}

static uint32_t make_perf_info(const struct fake_drm_gpu *gpu, uint8_t *to)
{
	uint32_t words[12] = {gpu->n_values,
			      header_bytes(gpu),
			      BLOCK_HEADER + gpu->longer_headers,
			      sample_bytes(gpu) + gpu->sample_short,
			      1,
			      7,
			      1,
			      1,
			      1,
			      gpu->slices,
			      count_cores(gpu),
			      0};

	memcpy(to, words, sizeof(words));
	return is_arm(gpu) ? 48 : 44;
}

static int query_device(struct fake_drm *d, struct fake_drm_gpu *gpu, void *arg)
{
	struct {
		uint32_t type, size;
		uint64_t pointer;
	} query;
	uint8_t data[256] = {0};
	uint32_t size = 0;

	(void)d;
	memcpy(&query, arg, sizeof(query));
	if (query.type == 0)
		size = make_gpu_info(gpu, data);
	else if (query.type == 1)
		size = 24;
	else if (query.type == 2)
		size = gpu->driver->minor >= 8 ? 56 : 24;
	else if (query.type == 3 && gpu->driver->minor >= 2)
		size = 4;
	else if (query.type == 4 && gpu->driver->traits & DRM_PERF_V6)
		size = make_perf_info(gpu, data);
	else if (query.type == 4 && gpu->driver->minor >= 8 && !is_arm(gpu))
		size = 8; /* MMU_INFO */
	else if (query.type == 0x3ffffffe && is_arm(gpu))
		size = make_perf_info(gpu, data);
	else
		return fake_fail(EINVAL);
	if (query.pointer && query.type == 2)
		gpu->n_wakes++; /* the timestamp is a register */
	if (query.pointer && query.size < size)
		size = query.size;
	if (query.pointer)
		memcpy((void *)(uintptr_t)query.pointer, data, size);
	memcpy((char *)arg + 4, &size, 4);
	return 0;
}

/* ---- buffers ---- */

static int create_buffer(struct fake_drm_file *f, void *arg)
{
	struct {
		uint64_t size;
		uint32_t flags, vm, handle, pad;
	} request;

	memcpy(&request, arg, sizeof(request));
	if (request.pad || !request.size || request.size % 8)
		return fake_fail(EINVAL);
	for (uint32_t i = 0; i < FAKE_DRM_BUFFERS; i++) {
		struct fake_drm_buffer *b = &f->buffers[i];

		if (b->size)
			continue;
		b->size = (request.size + PAGE - 1) / PAGE * PAGE;
		b->fd = memfd_create("fake-panthor", MFD_CLOEXEC);
		if (b->fd < 0 || ftruncate(b->fd, (off_t)b->size) != 0)
			return fake_fail(ENOMEM);
		b->memory = mmap(NULL, b->size, PROT_READ | PROT_WRITE, MAP_SHARED, b->fd, 0);
		request.handle = i + 1;
		memcpy(arg, &request, sizeof(request));
		return b->memory == MAP_FAILED ? fake_fail(ENOMEM) : 0;
	}
	return fake_fail(ENOMEM);
}

static struct fake_drm_buffer *find_buffer(struct fake_drm_file *f, uint32_t handle)
{
	return handle && handle <= FAKE_DRM_BUFFERS && f->buffers[handle - 1].size ? &f->buffers[handle - 1]
										   : NULL;
}

static void drop_buffer(struct fake_drm_buffer *b)
{
	if (!b->size)
		return;
	munmap(b->memory, b->size);
	close(b->fd);
	*b = (struct fake_drm_buffer){.size = 0};
}

static int close_buffer(struct fake_drm_file *f, const void *arg)
{
	uint32_t handle;

	memcpy(&handle, arg, 4);
	if (!find_buffer(f, handle))
		return fake_fail(EINVAL);
	drop_buffer(find_buffer(f, handle));
	return 0;
}

static int tell_offset(struct fake_drm_file *f, void *arg)
{
	struct {
		uint32_t handle, pad;
		uint64_t offset;
	} request;

	memcpy(&request, arg, sizeof(request));
	if (request.pad || !find_buffer(f, request.handle))
		return fake_fail(EINVAL);
	request.offset = (uint64_t)request.handle << ID_BITS << 12;
	memcpy(arg, &request, sizeof(request));
	return 0;
}

void *fake_panthor_mmap(struct fake_drm_file *f, size_t n, int prot, int flags, int64_t at)
{
	struct fake_drm_buffer *b = find_buffer(f, (uint32_t)(at >> ID_BITS >> 12));

	if (!b || n > b->size) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	return mmap(NULL, n, prot, flags, b->fd, 0);
}

void fake_panthor_close(struct fake_drm_file *f)
{
	for (uint32_t i = 0; i < FAKE_DRM_BUFFERS; i++)
		drop_buffer(&f->buffers[i]);
}

/* ---- counters ---- */

static int set_up(struct fake_drm *d, struct fake_drm_file *f, const uint8_t *data, uint64_t size)
{
	struct fake_drm_gpu *gpu = f->gpu;
	uint32_t fd, ring, control, slots;
	uint64_t at, period;

	if (size != (is_arm(gpu) ? 136 : 120))
		return fake_fail(EINVAL);
	memcpy(&fd, data + 8, 4);
	memcpy(&ring, data + 12, 4);
	memcpy(&control, data + 16, 4);
	memcpy(&slots, data + 20, 4);
	memcpy(&at, data + 24, 8);
	memcpy(&period, data + 32, 8);
	for (int i = 1; i < 8; i++)
		if (data[i])
			return fake_fail(EINVAL);
	if (data[0])
		return fake_fail(EACCES); /* another set needs CAP_PERFMON */
	if (gpu->taken)
		return fake_fail(EBUSY);
	if (f->session.slots || !slots || slots & (slots - 1) || !find_buffer(f, ring) ||
	    !find_buffer(f, control))
		return fake_fail(EINVAL);
	if (period && !is_arm(gpu))
		return fake_fail(EOPNOTSUPP);
	if ((uint64_t)slots * sample_bytes(gpu) != find_buffer(f, ring)->size ||
	    at + 16 > find_buffer(f, control)->size || at % 8)
		return fake_fail(ENOMEM);
	memcpy(f->session.masks, data + 40, sizeof(f->session.masks));
	f->session.event = (int)fd;
	f->session.ring = find_buffer(f, ring);
	f->session.control = (uint64_t *)(void *)(find_buffer(f, control)->memory + at);
	f->session.slots = slots;
	(void)d;
	return 3; /* some number that is not 0 */
}

static uint8_t *put_block(const struct fake_drm *d, const struct fake_drm_file *f, uint8_t *to, uint8_t type,
			  enum fake_block block, unsigned instance, unsigned index)
{
	const struct fake_drm_gpu *gpu = f->gpu;
	uint8_t header[BLOCK_HEADER] = {type, (uint8_t)index, 1};

	memcpy(header + 8, f->session.masks[type - 1], 16);
	memcpy(to, header, sizeof(header));
	to += BLOCK_HEADER + gpu->longer_headers;
	for (unsigned i = 0; i < gpu->n_values; i++, to += 8) {
		bool enabled = f->session.masks[type - 1][i / 64] >> i % 64 & 1;
		uint64_t v = enabled && type != 1
				     ? fake_count(NULL, block, instance, i, d->now_ns) -
					       fake_count(NULL, block, instance, i, f->session.last_ns)
				     : 0;

		memcpy(to, &v, 8);
	}
	return to;
}

static void write_sample(struct fake_drm *d, struct fake_drm_file *f)
{
	struct fake_drm_gpu *gpu = f->gpu;
	uint64_t *control = f->session.control, one = 1;
	uint8_t *to = f->session.ring->memory + control[1] % f->session.slots * sample_bytes(gpu);
	uint64_t times[2] = {(uint64_t)f->session.last_ns, (uint64_t)d->now_ns}, cycles[3];
	unsigned rank = 0;

	if (gpu->strange_stamps)
		times[1] = UINT64_MAX;
	for (int i = 0; i < 3; i++)
		cycles[i] = (uint64_t)(d->now_ns - f->session.last_ns) * (i == 2 ? 6 : 8) / 10;
	memset(to, 0, sample_bytes(gpu));
	memcpy(to, times, sizeof(times));
	memcpy(to + 20, &gpu->sample_flags, 4);
	memcpy(to + 32, cycles, sizeof(cycles));
	to += header_bytes(gpu);
	to = put_block(d, f, to, 1, FAKE_FE, 0, 0);
	to = put_block(d, f, to, 2, FAKE_FE, 0, 0);
	to = put_block(d, f, to, 3, FAKE_TILER, 0, 0);
	for (unsigned i = 0; i < gpu->slices; i++)
		to = put_block(d, f, to, 4, FAKE_MEMORY, i, i);
	for (unsigned core = 0; core < 64; core++)
		if (gpu->core_mask >> core & 1)
			to = put_block(d, f, to, 5, FAKE_SHADER, core, rank++);
	f->session.last_ns = d->now_ns;
	control[1]++;
	if (write(f->session.event, &one, sizeof(one)) < 0)
		fake_drm_breach(d, "the session's event cannot be written");
}

static int sample_session(struct fake_drm *d, struct fake_drm_file *f)
{
	const uint64_t *control = f->session.control;

	if (!f->session.started)
		return fake_fail(EACCES);
	if (control[0] > control[1])
		fake_drm_breach(d, "the reader is ahead of the writer");
	if (f->session.due_ns || f->session.slots - (control[1] - control[0]) < 2)
		return fake_fail(EBUSY);
	if (f->gpu->dump_ns)
		f->session.due_ns = d->now_ns + f->gpu->dump_ns;
	else
		write_sample(d, f);
	return 0;
}

void fake_panthor_advance(struct fake_drm *d, struct fake_drm_file *f)
{
	if (!f->session.due_ns || f->session.due_ns > d->now_ns || f->gpu->gone)
		return;
	f->session.due_ns = 0;
	write_sample(d, f);
}

static int control_session(struct fake_drm *d, struct fake_drm_file *f, const void *arg)
{
	struct {
		uint32_t command, handle;
		uint64_t size, pointer;
	} request;

	memcpy(&request, arg, sizeof(request));
	if (request.command == 0)
		return set_up(d, f, (const uint8_t *)(uintptr_t)request.pointer, request.size);
	if (request.handle != 3 || !f->session.slots)
		return fake_fail(EINVAL);
	if (request.command != 1 && request.size != 8)
		return fake_fail(EINVAL);
	switch (request.command) {
	case 1:
		if (f->session.started)
			fake_drm_breach(d, "a session was torn down while it ran");
		f->session.slots = 0;
		return 0;
	case 2:
		f->session.started = true;
		f->session.last_ns = d->now_ns;
		f->gpu->n_enables++;
		return 0;
	case 3:
		if (f->session.slots - (f->session.control[1] - f->session.control[0]) >= 1)
			write_sample(d, f); /* a last one */
		f->session.started = false;
		f->session.due_ns = 0;
		return 0;
	case 4:
		return sample_session(d, f);
	default:
		return fake_fail(EINVAL);
	}
}

int fake_panthor_ioctl(struct fake_drm *d, struct fake_drm_file *f, unsigned long request, void *arg)
{
	switch (request) {
	case 0xC0106440:
		return query_device(d, f->gpu, arg);
	case 0xC0186445:
		return create_buffer(f, arg);
	case 0xC0106446:
		return tell_offset(f, arg);
	case 0x40086409:
		return close_buffer(f, arg);
	case 0xC0186451:
		return f->gpu->driver->traits & DRM_PERF_V6 ? control_session(d, f, arg) : fake_fail(EINVAL);
	case 0xC018649E:
		return is_arm(f->gpu) ? control_session(d, f, arg) : fake_fail(EINVAL);
	default:
		fake_drm_breach(d, "Panthor does not know the ioctl 0x%lx", request);
		return fake_fail(EINVAL);
	}
}
