/* What the device tells of itself: the property stream, and the struct of UK 10.x. */
#include "tests/fake/kbase_priv.h"

#include <errno.h>
#include <string.h>

struct fake_stream {
	uint8_t bytes[2048];
	size_t n;
};

static void put_value(struct fake_stream *s, uint32_t id, unsigned bytes, uint64_t value)
{
	unsigned code = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
	uint32_t key = id << 2 | code;

	memcpy(s->bytes + s->n, &key, 4);
	memcpy(s->bytes + s->n + 4, &value, bytes);
	s->n += 4 + bytes;
}

static unsigned log2_of(unsigned n)
{
	unsigned log2 = 0;

	while (n > 1u << log2)
		log2++;
	return log2;
}

static uint32_t l2_features(const struct fake_gpu *gpu)
{
	return log2_of(gpu->bus_bits) << 24 | 0x130206;
}

static uint32_t mem_features(const struct fake_gpu *gpu)
{
	return (gpu->slices - 1) << 8 | 1;
}

/* Many ids of a real stream are of no use to a monitor; some of each width stand for them. */
static void make_props(const struct fake_gpu *gpu, struct fake_stream *s)
{
	unsigned wide = fake_is(gpu->driver, WIDE_PROPS) ? 8 : 4;
	uint32_t upper = gpu->id <= UINT32_MAX ? (uint32_t)(gpu->id >> 16) : (uint32_t)gpu->id >> 16;

	put_value(s, 1, 4, upper);
	put_value(s, 2, 2, 0);
	put_value(s, 3, 2, 0);
	put_value(s, 4, 2, 1);
	put_value(s, 6, 4, gpu->max_khz);
	put_value(s, 12, 8, 4000000000ull);
	put_value(s, 13, 1, 6);
	put_value(s, 14, 1, 19);
	put_value(s, 15, 1, gpu->slices);
	put_value(s, 18, 4, 1024);
	put_value(s, 21, fake_is(gpu->driver, WIDE_PROPS) ? 4 : 2, 65536);
	put_value(s, 25, 8, gpu->core_mask);
	put_value(s, 26, 8, 1);
	put_value(s, 27, 8, 1);
	put_value(s, 29, wide, l2_features(gpu));
	put_value(s, 30, wide, gpu->core_features);
	put_value(s, 31, wide, mem_features(gpu));
	put_value(s, 51, wide, 0x809);
	put_value(s, 55, gpu->id > UINT32_MAX ? 8 : wide, gpu->id);
	put_value(s, 59, 4, gpu->thread_features);
	put_value(s, 61, 4, 1);
	put_value(s, 62, 4, 1);
	put_value(s, 64, 8, gpu->core_mask);
	for (uint32_t id = 65; id < 80; id++)
		put_value(s, id, 8, 0);
	if (gpu->driver->api == FAKE_JM && gpu->driver->minor >= 7)
		put_value(s, 82, 1, gpu->engines);
	if (gpu->driver->api == FAKE_CSF)
		put_value(s, 82, 1, 0);
	if (gpu->driver->minor >= 31 || gpu->driver->api == FAKE_CSF)
		put_value(s, 85, wide, 0);
	if (fake_is(gpu->driver, WIDE_PROPS)) {
		put_value(s, 86, 8, 0);
		put_value(s, 87, 8, 0);
	}
}

int fake_props(struct fake_gpu *gpu, void *arg)
{
	struct {
		uint64_t buffer;
		uint32_t size, flags;
	} request;
	struct fake_stream s = {.n = 0};

	memcpy(&request, arg, sizeof(request));
	if (request.flags)
		return fake_fail(EINVAL);
	make_props(gpu, &s);
	if (!request.size)
		return (int)s.n;
	if (request.size < s.n)
		return fake_fail(EINVAL);
	if (!request.buffer)
		return fake_fail(EFAULT);
	memcpy((void *)(uintptr_t)request.buffer, s.bytes, s.n);
	request.size = (uint32_t)((int)s.n + gpu->props_grow);
	memcpy(arg, &request, sizeof(request));
	return (int)request.size;
}

void fake_props_uk(const struct fake_gpu *gpu, uint8_t *props)
{
	const struct {
		unsigned at, bytes;
		uint64_t value;
	} fields[] = {
		{8, 4, gpu->id >> 16},
		{12, 2, 0},
		{14, 2, 0},
		{16, 2, 0},
		{24, 4, gpu->max_khz},
		{48, 8, 2000000000},
		{56, 1, 6},
		{57, 1, 19},
		{58, 1, gpu->slices},
		{104, 8, gpu->core_mask},
		{112, 8, 1},
		{120, 8, 1},
		{136, 4, l2_features(gpu)},
		{144, 4, mem_features(gpu)},
		{240, 4, gpu->id},
		{256, 4, gpu->thread_features},
		{264, 4, 1},
		{268, 4, 1},
		{280, 8, gpu->core_mask},
		{288, 2, (uint64_t)__builtin_popcountll(gpu->core_mask)},
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		memcpy(props + fields[i].at, &fields[i].value, fields[i].bytes);
}
