#include "backends/kbase/kbase.h"

#include "base/alloc.h"

#include <errno.h>
#include <string.h>

/* The API versions that introduced the request for features, and with it cycles in the metadata. */
#define CYCLES_SINCE_JM 27
#define CYCLES_SINCE_CSF 0

#define BUFFER_BYTES_MAX (1u << 20)
#define LONGEST_NS 1000000000ll /* a 32-bit cycle counter overflows after some seconds */

static uint32_t half_mask(const uint64_t enable[2])
{
	uint32_t mask = 0;

	for (unsigned group = 0; group < 16; group++)
		if (enable[0] >> 4 * group & 15)
			mask |= 1u << group;
	return mask;
}

/* Returns the reader's fd, or -1. Bit n of a mask selects the values 4n to 4n + 3. */
static int set_up(struct kbase *k, uint32_t n_buffers)
{
	const struct kbase_device *d = &k->device;
	struct uk_hwcnt_setup uk = {
		.header = {.id = UK_ID_HWCNT_READER_SETUP},
		.setup = {.buffer_count = n_buffers,
			  .fe_mask = half_mask(k->enable[BLOCK_FRONT_END]),
			  .shader_mask = half_mask(k->enable[BLOCK_CORE]),
			  .tiler_mask = half_mask(k->enable[BLOCK_TILER]),
			  .memory_mask = half_mask(k->enable[BLOCK_MEMORY])},
		.fd = -1,
	};

	if (d->version.api != KBASE_UK)
		return kbase_ioctl(d->sys, d->fd, KBASE_HWCNT_READER_SETUP, &uk.setup);
	if (kbase_ioctl(d->sys, d->fd, UK_HWCNT_READER_SETUP, &uk) < 0)
		return -1;
	if (uk.header.id == 0 && uk.fd >= 0)
		return uk.fd;
	errno = ENOMEM; /* the dispatcher reports only that it failed */
	return -1;
}

/* Ask the reader for the layout of its dumps, and check it against the GPU's properties. */
static bool ask_layout(struct kbase *k, struct err *err)
{
	const struct kbase_device *d = &k->device;
	struct kbase_vinstr *v = &k->vinstr;
	int fd = k->session.fd;
	uint64_t cores = kbase_props_cores(&d->props);
	unsigned slices = kbase_props_slices(&d->props);
	struct vinstr_api api = {0};
	uint32_t hwver = 0, bytes = 0;

	if (kbase_ioctl(d->sys, fd, VINSTR_GET_HWVER, &hwver) < 0 ||
	    kbase_ioctl(d->sys, fd, VINSTR_GET_BUFFER_SIZE, &bytes) < 0)
		return err_set(err, errno, "%s: vinstr: cannot query the layout of its dumps: %s", d->path,
			       strerror(errno));
	if (hwver < 4)
		return err_set(err, ENOTSUP, "%s: vinstr: unknown dump layout %u", d->path, hwver);
	v->v4 = hwver == 4;
	v->buffer_bytes = bytes;
	if (bytes != gpu_dump_bytes(v->v4, slices, cores) && d->props.shader_present)
		cores = d->props.shader_present; /* releases differ in the mask that they use */
	if (!bytes || bytes > BUFFER_BYTES_MAX || bytes != gpu_dump_bytes(v->v4, slices, cores))
		return err_set(err, EPROTO,
			       "%s: vinstr: a dump has %u bytes, but %u L2 slice%s and the core mask 0x%llx "
			       "make %zu",
			       d->path, bytes, slices, plural_ending(slices), (unsigned long long)cores,
			       gpu_dump_bytes(v->v4, slices, cores));
	/* Older drivers have no cycles, and print a kernel warning if they are asked. */
	if (kbase_since(&d->version, CYCLES_SINCE_JM, CYCLES_SINCE_CSF) &&
	    kbase_ioctl(d->sys, fd, VINSTR_GET_API_VERSION_FEATURES, &api) == 0)
		v->features = api.features & (VINSTR_FEATURE_CYCLES_TOP | VINSTR_FEATURE_CYCLES_SHADER);
	k->extent = (struct kbase_extent){.block_values = 64, .n_slices = slices, .core_mask = cores};
	if (v->v4) /* a memory block per core group */
		k->extent.n_slices = gpu_dump_groups(cores);
	return true;
}

static bool vinstr_open(struct kbase *k, int64_t period_ns, struct err *err)
{
	const struct kbase_device *d = &k->device;
	struct kbase_session *s = &k->session;
	struct kbase_vinstr *v = &k->vinstr;

	(void)period_ns;
	*v = (struct kbase_vinstr){0};
	/* Old drivers refuse a mapping that was rounded up to whole pages. 32 or 16 buffers fill
	 * whole pages whatever their size. */
	for (v->n_buffers = 32; v->n_buffers > 1; v->n_buffers /= 2) {
		s->fd = set_up(k, v->n_buffers);
		if (s->fd >= 0 || errno != ENOMEM)
			break;
	}
	if (s->fd < 0)
		return err_set(err, errno, "%s: vinstr: cannot set up the counters: %s", d->path,
			       strerror(errno));
	if (!ask_layout(k, err))
		return false;
	s->get = v->features ? VINSTR_GET_BUFFER_CYCLES : VINSTR_GET_BUFFER;
	s->put = v->features ? VINSTR_PUT_BUFFER_CYCLES : VINSTR_PUT_BUFFER;
	s->empty = EAGAIN;
	s->size = v->buffer_bytes * v->n_buffers;
	s->memory = sys_map(d->sys, s->fd, s->size);
	return s->memory ||
	       err_set(err, errno, "%s: vinstr: cannot map the dumps: %s", d->path, strerror(errno));
}

static bool vinstr_start(struct kbase *k, int64_t period_ns, struct err *err)
{
	const struct sys *sys = k->device.sys;

	/* Counts since the set-up belong to no interval. If the driver cannot clear them, the first
	 * interval is a little long. */
	kbase_ioctl(sys, k->session.fd, VINSTR_CLEAR, NULL);
	k->times.last_raw_ns = sys->raw_ns(sys);
	k->manual = kbase_ioctl(sys, k->session.fd, VINSTR_SET_INTERVAL, (void *)(uintptr_t)period_ns) < 0;
	if (!k->manual || (errno != ENODEV && errno != EBADF))
		return true;
	return err_set(err, errno, "%s: vinstr: cannot start: %s", k->device.path, strerror(errno));
}

static bool vinstr_dump(struct kbase *k)
{
	return kbase_ioctl(k->device.sys, k->session.fd, VINSTR_DUMP, NULL) == 0 ||
	       errno == EBUSY; /* the ring is full */
}

static void vinstr_take(struct kbase *k, struct kbase_interval *interval, uint64_t *slots)
{
	const struct vinstr_metadata *m = &k->session.item.dump;
	const struct kbase_vinstr *v = &k->vinstr;

	*interval = (struct kbase_interval){.begin_ns = k->times.last_raw_ns,
					    .end_ns = (int64_t)m->timestamp_ns,
					    .cycles = {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN}};
	if (v->features & VINSTR_FEATURE_CYCLES_TOP)
		interval->cycles[KBASE_CLOCK_TOP] = m->cycles_top;
	if (v->features & VINSTR_FEATURE_CYCLES_SHADER)
		interval->cycles[KBASE_CLOCK_SHADER] = m->cycles_shader;
	if (m->buffer < v->n_buffers)
		gpu_dump_fold(&(struct gpu_dump){k->session.memory + m->buffer * v->buffer_bytes,
						 v->buffer_bytes, v->v4},
			      &k->fold, slots);
	else
		interval->flags |= sample_failed(FAILURE_BUFFER);
}

static void vinstr_stop(struct kbase *k)
{
	kbase_ioctl(k->device.sys, k->session.fd, VINSTR_SET_INTERVAL, NULL);
}

const struct kbase_reader kbase_vinstr = {
	.name = "vinstr",
	.interface = "vinstr",
	.longest_ns = LONGEST_NS,
	.open = vinstr_open,
	.start = vinstr_start,
	.dump = vinstr_dump,
	.take = vinstr_take,
	.stop = vinstr_stop,
};
