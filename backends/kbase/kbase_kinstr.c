#include "backends/kbase/kbase.h"
#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ENUM_ITEMS_MAX 4096
#define MAPPING_MAX (256u << 20)
#define DRAIN_MAX 64   /* samples: the driver has room for 32 */
#define ITEMS_MAX 1024 /* of one sample; the largest GPU has about 80 */

_Static_assert(PRFCNT_BLOCK_FE == (int)BLOCK_FRONT_END && PRFCNT_BLOCK_TILER == (int)BLOCK_TILER &&
		       PRFCNT_BLOCK_MEMORY == (int)BLOCK_MEMORY && PRFCNT_BLOCK_SHADER == (int)BLOCK_CORE,
	       "a block of the driver is a block of ours");

/* ---- available counters ---- */

/* r37p0 to r44p0 refuse a set-up until the counters have been enumerated. */
static bool enumerate_blocks(struct kbase *k, struct err *err)
{
	const struct kbase_device *d = &k->device;
	struct prfcnt_enum_info info = {0}, again;
	struct prfcnt_enum_item item;
	AUTOFREE uint8_t *list = NULL;

	if (kbase_ioctl(d->sys, d->fd, KBASE_PRFCNT_ENUM_INFO, &info) < 0)
		return err_set(err, errno, "%s: kinstr_prfcnt: cannot list the counters: %s", d->path,
			       strerror(errno));
	if (info.item_size < sizeof(item) || info.item_size > 4096 || !info.item_count ||
	    info.item_count > ENUM_ITEMS_MAX)
		return err_set(err, EPROTO, "%s: kinstr_prfcnt: unknown list of %u items of %u bytes",
			       d->path, info.item_count, info.item_size);
	list = xcalloc(info.item_count, info.item_size);
	info.list = (uintptr_t)list;
	again = info; /* the driver writes to it */
	if (kbase_ioctl(d->sys, d->fd, KBASE_PRFCNT_ENUM_INFO, &again) < 0)
		return err_set(err, errno, "%s: kinstr_prfcnt: cannot list the counters: %s", d->path,
			       strerror(errno));
	if (again.item_size != info.item_size || again.item_count != info.item_count)
		return err_set(err, EPROTO,
			       "%s: kinstr_prfcnt: the list of counters changed while it was read", d->path);
	for (uint32_t i = 0; i < info.item_count; i++) {
		memcpy(&item, list + (size_t)i * info.item_size, sizeof(item));
		/* The end of the list looks like a front end without values. */
		if (item.header.type != PRFCNT_ENUM_BLOCK || item.block.type >= BLOCK_COUNT ||
		    !item.block.num_instances || !item.block.num_values)
			continue;
		k->kinstr.n_instances[item.block.type] = item.block.num_instances;
		k->kinstr.n_values[item.block.type] = item.block.num_values;
		k->kinstr.set = item.block.set;
	}
	return true;
}

static bool take_extent(struct kbase *k, struct err *err)
{
	const struct kbase_kinstr *s = &k->kinstr;
	uint64_t cores = kbase_props_cores(&k->device.props);
	unsigned n_cores = s->n_instances[BLOCK_CORE],
		 top = cores ? 64 - (unsigned)__builtin_clzll(cores) : 0;

	if (!s->n_values[BLOCK_FRONT_END] || !n_cores || n_cores > 64 || s->n_instances[BLOCK_MEMORY] > 64)
		return err_set(err, EPROTO,
			       "%s: kinstr_prfcnt: the driver lists no front end or no shader cores",
			       k->device.path);
	/* The number may include the holes of the mask. If it fits neither way, trust it. */
	if (n_cores != (unsigned)__builtin_popcountll(cores) && n_cores != top)
		cores = n_cores == 64 ? UINT64_MAX : (1ull << n_cores) - 1;
	k->extent = (struct kbase_extent){
		.n_slices = s->n_instances[BLOCK_MEMORY], .core_mask = cores, .set = s->set};
	for (unsigned b = 0; b < BLOCK_COUNT; b++)
		if (s->n_values[b] > k->extent.block_values)
			k->extent.block_values = s->n_values[b];
	if (k->extent.block_values > GPU_BLOCK_SLOTS_MAX)
		k->extent.block_values = GPU_BLOCK_SLOTS_MAX;
	return true;
}

/* ---- session ---- */

/* Mode, a mask for every block that exists, scope, end. Returns the number of requests. */
static unsigned make_requests(const struct kbase *k, enum prfcnt_mode mode, int64_t period_ns,
			      struct prfcnt_request *r)
{
	unsigned n = 0;

	r[n++] = (struct prfcnt_request){
		.header = {.type = PRFCNT_REQUEST_MODE},
		.mode = {.mode = mode, .period_ns = mode == PRFCNT_MODE_PERIODIC ? (uint64_t)period_ns : 0}};
	for (unsigned b = 0; b < BLOCK_COUNT; b++)
		if (k->kinstr.n_values[b])
			r[n++] = (struct prfcnt_request){
				.header = {.type = PRFCNT_REQUEST_ENABLE},
				.enable = {.block_type = (uint8_t)b,
					   .set = k->kinstr.set,
					   .mask = {k->enable[b][0], k->enable[b][1]}}};
	r[n++] = (struct prfcnt_request){.header = {.type = PRFCNT_REQUEST_SCOPE}};
	r[n++] = (struct prfcnt_request){.header = {.type = PRFCNT_REQUEST_END}};
	return n;
}

static int set_up(struct kbase *k, enum prfcnt_mode mode, int64_t period_ns, union prfcnt_setup *setup)
{
	struct prfcnt_request requests[BLOCK_COUNT + 3];
	const struct kbase_device *d = &k->device;

	memset(requests, 0, sizeof(requests));
	*setup = (union prfcnt_setup){.in = {.item_count = make_requests(k, mode, period_ns, requests),
					     .item_size = sizeof(requests[0]),
					     .requests = (uintptr_t)requests}};
	return kbase_ioctl(d->sys, d->fd, KBASE_PRFCNT_SETUP, setup);
}

static bool kinstr_open(struct kbase *k, int64_t period_ns, struct err *err)
{
	struct kbase_session *s = &k->session;
	union prfcnt_setup setup;

	k->kinstr = (struct kbase_kinstr){.dense = kbase_since(&k->device.version, 37, 17)};
	s->get = PRFCNT_GET_SAMPLE;
	s->put = PRFCNT_PUT_SAMPLE;
	s->empty = EINVAL;
	k->manual = false;
	if (!enumerate_blocks(k, err) || !take_extent(k, err))
		return false;
	if (k->kinstr.set)
		kbase_enable(NULL, k->enable);
	s->fd = set_up(k, PRFCNT_MODE_PERIODIC, period_ns, &setup);
	if (s->fd < 0 && errno == EINVAL) {
		k->manual = true;
		s->fd = set_up(k, PRFCNT_MODE_MANUAL, 0, &setup);
	}
	if (s->fd < 0)
		return err_set(err, errno, "%s: kinstr_prfcnt: cannot set up the counters: %s",
			       k->device.path, strerror(errno));
	k->kinstr.item_bytes = setup.out.metadata_item_size;
	s->size = setup.out.mmap_size;
	if (k->kinstr.item_bytes < sizeof(struct prfcnt_metadata) || !s->size || s->size > MAPPING_MAX)
		return err_set(
			err, EPROTO,
			"%s: kinstr_prfcnt: unknown layout: %zu bytes of samples with items of %u bytes",
			k->device.path, s->size, k->kinstr.item_bytes);
	s->memory = sys_map(k->device.sys, s->fd, s->size);
	return s->memory || err_set(err, errno, "%s: kinstr_prfcnt: cannot map the samples: %s",
				    k->device.path, strerror(errno));
}

static bool send_command(struct kbase *k, enum prfcnt_command what)
{
	struct prfcnt_control control = {.command = (uint16_t)what};

	return kbase_ioctl(k->device.sys, k->session.fd, PRFCNT_CMD, &control) == 0;
}

static bool kinstr_start(struct kbase *k, int64_t period_ns, struct err *err)
{
	(void)period_ns;
	k->kinstr.running = send_command(k, PRFCNT_START);
	return k->kinstr.running ||
	       err_set(err, errno, "%s: kinstr_prfcnt: cannot start: %s", k->device.path, strerror(errno));
}

static bool kinstr_dump(struct kbase *k)
{
	return send_command(k, PRFCNT_SAMPLE_SYNC) || errno == EBUSY; /* too many samples wait already */
}

/* ---- samples ---- */

/* The driver writes the mapping while we read it, and a hostile driver may write anything: copy
 * every item first, then check and use only the copy. */
static bool copy_item(const struct kbase *k, uint64_t offset, struct prfcnt_metadata *item)
{
	if (offset > k->session.size || k->session.size - offset < sizeof(*item))
		return false;
	memcpy(item, k->session.memory + offset, sizeof(*item));
	return true;
}

static bool fold_values(const struct kbase *k, const struct prfcnt_metadata *item, bool dense,
			uint64_t *slots)
{
	bool is_rank = dense && item->block.type == PRFCNT_BLOCK_SHADER;
	unsigned index = is_rank ? gpu_fold_core(&k->fold, item->block.index) : item->block.index;
	uint64_t value[GPU_BLOCK_SLOTS_MAX];
	enum gpu_block block = item->block.type; /* the driver's numbers are ours */
	size_t n = k->kinstr.n_values[block], offset = item->block.values_offset;

	if (n > GPU_BLOCK_SLOTS_MAX)
		n = GPU_BLOCK_SLOTS_MAX;
	if (offset % sizeof(*value) || offset > k->session.size ||
	    k->session.size - offset < n * sizeof(*value))
		return false;
	memcpy(value, k->session.memory + offset, n * sizeof(*value));
	gpu_fold_block(&k->fold, block, index, value, (unsigned)n, slots);
	return true;
}

static void take_sample(const struct prfcnt_metadata *item, struct kbase_interval *interval)
{
	interval->begin_ns = (int64_t)item->sample.start_ns;
	interval->end_ns = (int64_t)item->sample.end_ns;
	interval->sequence = item->sample.sequence;
	if (item->sample.flags & PRFCNT_FLAG_STRETCHED)
		interval->flags |= SAMPLE_STRETCHED;
	if (item->sample.flags & PRFCNT_FLAG_ERROR)
		interval->flags |= sample_failed(FAILURE_UNREAD);
}

/* Whether this sample numbers its cores by rank. Before 11.37 / 1.17 the index of a core is its
 * number, from then on its rank among the cores. Some drivers use the newer numbering early or the
 * older one late, so an index that cannot be one of them must be the other. */
static bool is_dense(const struct kbase *k, uint64_t offset)
{
	unsigned n_cores = (unsigned)__builtin_popcountll(k->fold.core_mask);
	struct prfcnt_metadata item;
	bool dense = k->kinstr.dense;

	for (unsigned i = 0;
	     i < ITEMS_MAX && copy_item(k, offset, &item) && item.header.type != PRFCNT_META_END; i++) {
		unsigned index = item.block.index;

		offset += k->kinstr.item_bytes;
		if (item.header.type != PRFCNT_META_BLOCK || item.block.type != PRFCNT_BLOCK_SHADER)
			continue;
		if (index >= n_cores)
			return false;
		if (!(k->fold.core_mask >> index & 1))
			dense = true;
	}
	return dense;
}

bool kbase_sample_fold(const struct kbase *k, uint64_t offset, struct kbase_interval *interval,
		       uint64_t *slots)
{
	bool dense = is_dense(k, offset), seen = false, unknown = false;
	struct prfcnt_metadata item;
	unsigned i;

	*interval = (struct kbase_interval){.cycles = {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN}};
	for (i = 0; i < ITEMS_MAX; i++, offset += k->kinstr.item_bytes) {
		if (!copy_item(k, offset, &item))
			return false;
		if (item.header.type == PRFCNT_META_END)
			break;
		if (item.header.type == PRFCNT_META_SAMPLE) {
			take_sample(&item, interval);
			seen = true;
		} else if (item.header.type == PRFCNT_META_CLOCK) {
			for (unsigned c = 0; c < 2 && c < item.clock.num_domains; c++)
				interval->cycles[c] = item.clock.cycles[c];
		} else if (item.header.type == PRFCNT_META_BLOCK && item.block.type < BLOCK_COUNT) {
			if (!fold_values(k, &item, dense, slots))
				return false;
			unknown |= !item.block.state;
			interval->states |= item.block.state;
		}
	}
	if (unknown)
		interval->states = 0;
	return seen && i < ITEMS_MAX;
}

static void kinstr_take(struct kbase *k, struct kbase_interval *interval, uint64_t *slots)
{
	struct kbase_kinstr *s = &k->kinstr;
	uint64_t lost; /* samples that the driver counted but did not deliver */

	if (!kbase_sample_fold(k, k->session.item.sample.offset, interval, slots)) {
		interval->flags |= sample_failed(FAILURE_DAMAGED);
		return;
	}
	lost = interval->sequence - s->sequence - 1;
	if (s->has_sequence && lost < UINT32_MAX / 2) /* a number that went back is not a loss */
		interval->lost = (uint32_t)lost;
	s->has_sequence = true;
	s->sequence = interval->sequence;
}

/* Old drivers lose the stop sample if the ring is full, and stopping races with periodic
 * sampling. So empty the ring before the stop and after it. */
static void drain_samples(struct kbase *k)
{
	for (unsigned i = 0; i < DRAIN_MAX && kbase_session_get(k) == READ_GOT; i++)
		kbase_session_put(k);
}

static void kinstr_stop(struct kbase *k)
{
	if (!k->kinstr.running)
		return;
	drain_samples(k);
	send_command(k, PRFCNT_STOP);
	drain_samples(k);
	k->kinstr.running = false;
}

const struct kbase_reader kbase_kinstr = {
	.name = "kinstr_prfcnt",
	.interface = "kinstr",
	.reports_begin = true,
	.open = kinstr_open,
	.start = kinstr_start,
	.dump = kinstr_dump,
	.take = kinstr_take,
	.stop = kinstr_stop,
};
