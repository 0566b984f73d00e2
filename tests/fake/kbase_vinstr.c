/* vinstr: dumps of 32-bit deltas in a ring of buffers. */
#include "tests/fake/kbase_priv.h"

#include <errno.h>
#include <string.h>

#define BLOCK_BYTES 256

static unsigned core_groups(const struct fake_gpu *gpu)
{
	return (fake_top_core(gpu) + 3) / 4;
}

static size_t dump_bytes(const struct fake_gpu *gpu)
{
	return BLOCK_BYTES * (gpu->v4 ? core_groups(gpu) * 8 : 2 + gpu->slices + fake_top_core(gpu));
}

int fake_vinstr_setup(struct fake_kbase *k, struct fake_gpu *gpu, unsigned n_buffers,
		      const uint32_t masks[FAKE_BLOCKS])
{
	struct fake_file *f;

	if (!n_buffers || n_buffers > FAKE_BUFFERS || n_buffers & (n_buffers - 1))
		return fake_fail(EINVAL);
	if (gpu->most_buffers && n_buffers > gpu->most_buffers)
		return fake_fail(ENOMEM);
	f = fake_file_new(k, FAKE_VINSTR, gpu);
	if (!f)
		return -1;
	for (unsigned b = 0; b < FAKE_BLOCKS; b++) {
		for (unsigned group = 0; group < 16; group++)
			if (masks[b] >> group & 1)
				f->enable[b][0] |= 0xfull << 4 * group;
		if (!(masks[b] & 1))
			fake_breach(k, "the mask 0x%x leaves out the header", masks[b]);
	}
	f->running = true;
	return fake_file_memory(f, dump_bytes(gpu), n_buffers) ? f->fd : fake_fail(ENOMEM);
}

static void write_block(const struct fake_file *f, uint8_t *dump, unsigned at, enum fake_block block,
			unsigned instance, int64_t at_ns)
{
	int64_t active = fake_active_ns(f->gpu, at_ns);

	for (unsigned i = 0; i < 64; i++) {
		uint64_t v = fake_value(f, block, instance, i, f->last_active_ns, active, at_ns);
		uint32_t v32 = v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;

		memcpy(dump + at * BLOCK_BYTES + 4 * i, &v32, 4);
	}
}

static void write_dump(const struct fake_file *f, uint8_t *dump, int64_t at_ns)
{
	const struct fake_gpu *gpu = f->gpu;
	unsigned at = 0;

	memset(dump, 0, f->stride);
	if (gpu->v4) {
		write_block(f, dump, 7, FAKE_FE, 0, at_ns);
		for (unsigned g = 0; g < core_groups(gpu); g++) {
			for (unsigned c = 0; c < 4; c++)
				if (gpu->core_mask >> (4 * g + c) & 1)
					write_block(f, dump, 8 * g + c, FAKE_SHADER, 4 * g + c, at_ns);
			write_block(f, dump, 8 * g + 4, FAKE_TILER, g, at_ns);
			write_block(f, dump, 8 * g + 5, FAKE_MEMORY, g, at_ns);
		}
		return;
	}
	write_block(f, dump, at++, FAKE_FE, 0, at_ns);
	write_block(f, dump, at++, FAKE_TILER, 0, at_ns);
	for (unsigned s = 0; s < gpu->slices; s++)
		write_block(f, dump, at++, FAKE_MEMORY, s, at_ns);
	for (unsigned c = 0; c < fake_top_core(gpu); c++, at++) {
		if (gpu->core_mask >> c & 1)
			write_block(f, dump, at, FAKE_SHADER, c, at_ns);
		else /* a core that is not there: what lies there means nothing */
			memset(dump + at * BLOCK_BYTES, 0xa5, BLOCK_BYTES);
	}
}

void fake_vinstr_dump(struct fake_file *f, int64_t at_ns)
{
	unsigned slot = (unsigned)(f->produced % f->n_buffers);

	if (f->produced - f->taken >= f->n_buffers)
		return; /* no room: the counts go into the next one */
	write_dump(f, f->memory + slot * f->stride, at_ns);
	f->buffers[slot] = (struct fake_buffer){.begin_ns = f->last_ns, .end_ns = at_ns};
	if (f->gpu->endless_samples) {
		f->gpu->endless_samples--;
		f->buffers[slot].end_ns = (int64_t)f->gpu->endless_stamp;
	}
	f->last_ns = at_ns;
	f->last_active_ns = fake_active_ns(f->gpu, at_ns);
	f->produced++;
}

/* Drivers print a kernel warning for a buffer that is taken from an empty ring, and then answer as
 * if nothing was wrong. */
static int get_buffer(struct fake_kbase *k, struct fake_file *f, void *arg, bool cycles)
{
	const struct fake_buffer *b = &f->buffers[f->taken % f->n_buffers];
	struct {
		uint64_t timestamp;
		uint32_t event, buffer;
		uint64_t cycles[2];
	} metadata = {.event = f->period_ns ? 1 : 0};

	if (f->produced == f->taken + f->held && !f->gpu->spurious)
		fake_breach(k, "a buffer was taken from an empty ring: the kernel warns");
	if (f->produced == f->taken + f->held && !(f->held && f->gpu->busy_not_again))
		return fake_fail(EAGAIN); /* also with one out */
	if (f->held)
		return fake_fail(EBUSY);
	metadata.timestamp = (uint64_t)b->end_ns;
	metadata.buffer = (uint32_t)(f->taken % f->n_buffers);
	for (unsigned i = 0; i < 2 && i < f->gpu->n_clocks; i++)
		metadata.cycles[i] =
			(uint64_t)((double)f->gpu->hz[i] * ((double)b->end_ns - (double)b->begin_ns) * 1e-9 +
				   0.5);
	memcpy(arg, &metadata, cycles ? 32 : 16);
	f->held = true;
	return 0;
}

static int put_buffer(struct fake_file *f, const void *arg)
{
	uint32_t buffer;

	memcpy(&buffer, (const char *)arg + 12, 4);
	if (!f->held)
		return fake_fail(EPERM);
	if (buffer != f->taken % f->n_buffers)
		return fake_fail(EINVAL);
	f->held = false;
	f->taken++;
	return 0;
}

static int set_interval(struct fake_kbase *k, struct fake_file *f, uint64_t ns)
{
	int64_t shortest = f->gpu->driver->shortest_us * 1000ll;

	if (ns > UINT32_MAX) {
		fake_breach(k, "an interval of %llu ns: was a pointer given in place of the number?",
			    (unsigned long long)ns);
		ns &= UINT32_MAX;
	}
	if (ns && f->gpu->refuses_period)
		return fake_fail(EINVAL);
	if (shortest < f->gpu->raises_to_ns)
		shortest = f->gpu->raises_to_ns;
	f->period_ns = ns && (int64_t)ns < shortest ? shortest : (int64_t)ns;
	f->next_ns = k->now_ns + f->period_ns;
	if (ns && !fake_is(f->gpu->driver, FROM_OPEN))
		f->next_ns -= f->next_ns % f->period_ns;
	return 0;
}

static int api_version(struct fake_kbase *k, const struct fake_file *f, void *arg)
{
	uint32_t api[2] = {1, f->gpu->n_clocks > 1 ? 3 : f->gpu->n_clocks};

	if (!fake_is(f->gpu->driver, CYCLES)) {
		fake_breach(k, "%s does not know the request for features: the kernel warns",
			    f->gpu->driver->name);
		return fake_fail(EINVAL);
	}
	memcpy(arg, api, sizeof(api));
	return 0;
}

int fake_vinstr_ioctl(struct fake_kbase *k, struct fake_file *f, unsigned long request, void *arg)
{
	bool cycles = fake_is(f->gpu->driver, CYCLES);
	uint32_t number;

	switch (request) {
	case 0x8004BE00:
		number = f->gpu->v4 ? 4 : 5;
		memcpy(arg, &number, 4);
		return 0;
	case 0x8004BE01:
		number = (uint32_t)f->stride;
		memcpy(arg, &number, 4);
		return 0;
	case 0x4004BE10:
		if (f->produced - f->taken >= f->n_buffers)
			return fake_fail(EBUSY);
		fake_vinstr_dump(f, k->now_ns);
		return 0;
	case 0x4004BE11:
		f->last_ns = k->now_ns;
		f->last_active_ns = fake_active_ns(f->gpu, k->now_ns);
		return 0;
	case 0x8010BE20:
		return get_buffer(k, f, arg, false);
	case 0x8020BE20:
		return cycles ? get_buffer(k, f, arg, true) : fake_fail(EINVAL);
	case 0x4010BE21:
		return put_buffer(f, arg);
	case 0x4020BE21:
		return cycles ? put_buffer(f, arg) : fake_fail(EINVAL);
	case 0x4004BE30:
		return set_interval(k, f, (uintptr_t)arg);
	case 0x4008BEFF:
		return api_version(k, f, arg);
	default:
		fake_breach(k, "vinstr does not know the ioctl 0x%lx", request);
		return fake_fail(EINVAL);
	}
}
