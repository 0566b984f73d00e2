/* Panfrost: its parameters, and the counters behind its unstable ioctls. */
#include "tests/fake/drm.h"

#include "tests/fake/kbase_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 256
#define HANG_NS 1000000000ll

static unsigned product_of(const struct fake_drm_gpu *gpu)
{
	return gpu->gpu_id >> 16;
}

static bool is_midgard(const struct fake_drm_gpu *gpu)
{
	return product_of(gpu) == 0x6956 || product_of(gpu) < 0x1000;
}

static bool is_v4(const struct fake_drm_gpu *gpu)
{
	unsigned product = product_of(gpu);

	return product == 0x6956 || product == 0x620 || product == 0x720;
}

/* Of several core groups, each with an L2 cache, the driver powers the first one only. */
static uint64_t powered(const struct fake_drm_gpu *gpu)
{
	return gpu->l2_present == 1 ? UINT64_MAX : ~(gpu->l2_present - 1) & (gpu->l2_present - 2);
}

static unsigned highest_core(const struct fake_drm_gpu *gpu)
{
	return gpu->core_mask ? 64 - (unsigned)__builtin_clzll(gpu->core_mask) : 0;
}

size_t fake_panfrost_dump_bytes(const struct fake_drm_gpu *gpu)
{
	if (is_v4(gpu))
		return (size_t)__builtin_popcountll(gpu->l2_present) * 8 * BLOCK_BYTES;
	return (size_t)(gpu->slices + highest_core(gpu) + 2) * BLOCK_BYTES;
}

/* ---- parameters ---- */

static int get_param(struct fake_drm *d, const struct fake_drm_gpu *gpu, void *arg)
{
	enum { TIMESTAMP = 41 };
	static const struct {
		unsigned first, last, minor;
	} known[] = {{0, 39, 0}, {40, 40, 2}, {41, 42, 3}, {43, 43, 5}, {44, 44, 6}};
	struct {
		uint32_t param, pad;
		uint64_t value;
	} request;
	bool is_known = false;

	memcpy(&request, arg, sizeof(request));
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		is_known |= request.param >= known[i].first && request.param <= known[i].last &&
			    gpu->driver->minor >= known[i].minor;
	if (request.pad || !is_known)
		return fake_fail(EINVAL);
	if (request.param == TIMESTAMP)
		((struct fake_drm_gpu *)(uintptr_t)gpu)->n_wakes++;
	switch (request.param) {
	case 0: /* panfrost_gpu_init_features gives the T60x an id like those of its successors */
		request.value = product_of(gpu) == 0x6956 ? 0x0600 : product_of(gpu);
		break;
	case 1:
		request.value = gpu->gpu_id & 0xffff;
		break;
	case 2:
		request.value = gpu->core_mask;
		break;
	case 4:
		request.value = gpu->l2_present;
		break;
	case 8:
		request.value = (uint64_t)__builtin_ctz(gpu->bus_bits ? gpu->bus_bits : 1) << 24;
		break;
	case 9:
		request.value = gpu->core_features;
		break;
	case 11:
		request.value = (gpu->slices - 1) << 8;
		break;
	case 13:
		request.value = gpu->thread_features;
		break;
	default:
		request.value = 0;
	}
	(void)d;
	memcpy(arg, &request, sizeof(request));
	return 0;
}

/* ---- counters ---- */

void fake_panfrost_disable(struct fake_drm_gpu *gpu)
{
	gpu->owner = NULL;
	free(gpu->dump);
	gpu->dump = NULL;
}

/* A request that the GPU answers when it likes. */
static bool wait_for_gpu(struct fake_drm *d, const struct fake_drm_gpu *gpu, bool never)
{
	if (d->pass)
		d->pass(d->ctx, never ? HANG_NS : gpu->dump_ns);
	return !never;
}

static int enable_counters(struct fake_drm *d, struct fake_drm_file *f, const void *arg)
{
	struct fake_drm_gpu *gpu = f->gpu;
	uint32_t request[2]; /* enable, counterset */

	memcpy(request, arg, sizeof(request));
	if (!gpu->unstable)
		return fake_fail(ENOSYS);
	if (!request[0]) {
		if (gpu->owner != f)
			return fake_fail(EINVAL);
		fake_panfrost_disable(gpu);
		return 0;
	}
	if (request[1] > (is_midgard(gpu) ? 0u : 1u))
		return fake_fail(EINVAL);
	if (gpu->owner == f)
		return 0;
	if (gpu->owner || gpu->taken)
		return fake_fail(EBUSY);
	if (request[1])
		fake_drm_breach(d, "counters of the secondary set, which no data describes");
	if (gpu->hangs && !wait_for_gpu(d, gpu, true))
		return fake_fail(ETIMEDOUT);
	gpu->owner = f;
	gpu->dump = calloc(1, fake_panfrost_dump_bytes(gpu));
	gpu->reset = RESET_NOT;
	gpu->n_enables++;
	gpu->cleared_ns = d->now_ns;
	return 0;
}

static void write_block(const struct fake_drm *d, const struct fake_drm_gpu *gpu, unsigned at,
			enum fake_block block, unsigned instance, uint8_t *to)
{
	uint64_t stamp = gpu->stamp_stands ? 1 : (uint64_t)d->now_ns / 40;
	const uint32_t header[4] = {(uint32_t)stamp, (uint32_t)(stamp >> 32), UINT32_MAX};

	memcpy(to + at * BLOCK_BYTES, header, sizeof(header));
	for (unsigned i = 4; i < 64; i++) {
		uint64_t v = fake_count(NULL, block, instance, i, d->now_ns) -
			     fake_count(NULL, block, instance, i, gpu->cleared_ns);
		uint32_t v32 = v < UINT32_MAX && !gpu->saturates ? (uint32_t)v : UINT32_MAX;

		memcpy(to + at * BLOCK_BYTES + 4 * i, &v32, 4);
	}
}

static void write_v4(const struct fake_drm *d, const struct fake_drm_gpu *gpu, uint8_t *to)
{
	unsigned n = (unsigned)__builtin_popcountll(gpu->l2_present);

	write_block(d, gpu, 7, FAKE_FE, 0, to);
	for (unsigned g = 0; g < n; g++) {
		if (g >= 16 || !(powered(gpu) & gpu->l2_present & 1ull << 4 * g))
			continue;
		for (unsigned c = 0; c < 4; c++)
			if (gpu->core_mask & powered(gpu) & 1ull << (4 * g + c))
				write_block(d, gpu, 8 * g + c, FAKE_SHADER, 4 * g + c, to);
		write_block(d, gpu, 8 * g + 4, FAKE_TILER, g, to);
		write_block(d, gpu, 8 * g + 5, FAKE_MEMORY, g, to);
	}
}

static void write_v5(const struct fake_drm *d, const struct fake_drm_gpu *gpu, uint8_t *to)
{
	unsigned at = 0;

	write_block(d, gpu, at++, FAKE_FE, 0, to);
	write_block(d, gpu, at++, FAKE_TILER, 0, to);
	for (unsigned s = 0; s < gpu->slices; s++)
		write_block(d, gpu, at++, FAKE_MEMORY, s, to);
	for (unsigned c = 0; c < highest_core(gpu); c++, at++)
		if (gpu->core_mask & powered(gpu) & 1ull << c)
			write_block(d, gpu, at, FAKE_SHADER, c, to);
		else /* a core that is not there: what lies there means nothing */
			memset(to + at * BLOCK_BYTES, 0xa5, BLOCK_BYTES);
}

/* The whole buffer is written, without a word about how large the caller's is. */
static int dump_counters(struct fake_drm *d, struct fake_drm_file *f, const void *arg)
{
	struct fake_drm_gpu *gpu = f->gpu;
	uint64_t address;

	memcpy(&address, arg, sizeof(address));
	if (!gpu->unstable)
		return fake_fail(ENOSYS);
	if (gpu->owner != f)
		return fake_fail(EINVAL);
	if (!wait_for_gpu(d, gpu, gpu->hangs || gpu->deaf || gpu->reset == RESET_SILENT))
		return fake_fail(ETIMEDOUT);
	if (gpu->reset == RESET_NOT) {
		(is_v4(gpu) ? write_v4 : write_v5)(d, gpu, gpu->dump);
		gpu->cleared_ns = d->now_ns;
	}
	if (!address)
		return fake_fail(EFAULT);
	memcpy((void *)(uintptr_t)address, gpu->dump, fake_panfrost_dump_bytes(gpu));
	return 0;
}

int fake_panfrost_ioctl(struct fake_drm *d, struct fake_drm_file *f, unsigned long request, void *arg)
{
	switch (request) {
	case 0xC0106444:
		return get_param(d, f->gpu, arg);
	case 0x40086446:
		return enable_counters(d, f, arg);
	case 0x40086447:
		return dump_counters(d, f, arg);
	default:
		fake_drm_breach(d, "Panfrost does not know the ioctl 0x%lx", request);
		return fake_fail(EINVAL);
	}
}
