/* kinstr_prfcnt: self-describing samples in a mapping. */
#include "tests/fake/kbase_priv.h"

#include <errno.h>
#include <string.h>

#define ITEM 48
#define REQUEST 32
#define SHORTEST_NS 100000
#define AT_ONCE_NS 20000

/* Samples that may wait; one more is kept for that of a stop. */
static unsigned room_of(const struct fake_file *f)
{
	return fake_is(f->gpu->driver, LOSES_STOP) ? FAKE_BUFFERS : FAKE_BUFFERS - 1;
}

enum { SAMPLE_STRETCHED_FLAG = 1u << 0, SAMPLE_ERROR_FLAG = 1u << 30 };

static unsigned n_values(const struct fake_gpu *gpu)
{
	return gpu->n_values ? gpu->n_values : 64;
}

static unsigned n_instances(const struct fake_gpu *gpu, enum fake_block block)
{
	const unsigned n[FAKE_BLOCKS] = {1, 1, gpu->slices, (unsigned)__builtin_popcountll(gpu->core_mask)};

	return n[block];
}

/* ---- the list ---- */

#define LIST_MAX 8

/* Two kinds of request, the sample's information, four blocks, and an end that looks like a block
 * without values. */
static void make_list(const struct fake_gpu *gpu, uint8_t list[LIST_MAX][REQUEST])
{
	uint16_t type = 1, number;
	uint32_t versions = 1;

	memset(list, 0, (size_t)LIST_MAX * REQUEST);
	for (unsigned i = 0; i < 2; i++) {
		number = (uint16_t)i;
		memcpy(list[i], &type, 2);
		memcpy(list[i] + 8, &number, 2);
		memcpy(list[i] + 12, &versions, 4);
	}
	type = 2;
	memcpy(list[2], &type, 2);
	memcpy(list[2] + 8, &gpu->n_clocks, 4);
	for (unsigned b = 0; b < FAKE_BLOCKS; b++) {
		uint8_t *item = list[3 + b];

		item[8] = (uint8_t)b;
		item[9] = gpu->set;
		number = (uint16_t)n_instances(gpu, b);
		memcpy(item + 12, &number, 2);
		number = (uint16_t)n_values(gpu);
		memcpy(item + 14, &number, 2);
		memset(item + 16, 0xff, 16);
	}
}

int fake_kinstr_enum(struct fake_kbase *k, struct fake_file *f, void *arg)
{
	struct {
		uint32_t item_size, item_count;
		uint64_t list;
	} info;
	uint8_t list[LIST_MAX][REQUEST];

	memcpy(&info, arg, sizeof(info));
	if (!info.list) {
		info.item_size = REQUEST;
		info.item_count = LIST_MAX;
		memcpy(arg, &info, sizeof(info));
		f->gpu->enumerated = true;
		return 0;
	}
	if (info.item_count != LIST_MAX || info.item_size != REQUEST) {
		fake_breach(k, "the list was asked for with %u items of %u bytes", info.item_count,
			    info.item_size);
		return fake_fail(EINVAL);
	}
	make_list(f->gpu, list);
	memcpy((void *)(uintptr_t)info.list, list, sizeof(list));
	info.item_count = (uint32_t)((int)info.item_count +
				     f->gpu->list_grows); /* a driver that thinks otherwise by now */
	memcpy(arg, &info, sizeof(info));
	return 0;
}

/* ---- set-up ---- */

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

static bool has_block(const struct fake_file *f, enum fake_block block)
{
	bool empty = !f->enable[block][0] && !f->enable[block][1];

	return f->enabled[block] && (!empty || fake_is(f->gpu->driver, KEEPS_EMPTY));
}

static unsigned n_blocks(const struct fake_file *f)
{
	unsigned n = 0;

	for (unsigned b = 0; b < FAKE_BLOCKS; b++)
		n += has_block(f, b) ? n_instances(f->gpu, b) : 0;
	return n;
}

static size_t block_stride(const struct fake_gpu *gpu)
{
	return round_up(n_values(gpu) * 8, 512);
}

/* There is room for what is not enabled, too, and for cores that are not there. */
static size_t all_blocks(const struct fake_gpu *gpu)
{
	return 2 + gpu->slices + fake_top_core(gpu);
}

static size_t items_of(const struct fake_file *f)
{
	return n_blocks(f) + 3 + (f->gpu->strange_items ? 2 : 0);
}

static bool take_request(struct fake_kbase *k, struct fake_file *f, const uint8_t *r, bool *has_mode,
			 int64_t *period_ns)
{
	uint16_t type, version;
	uint64_t period, mask[2];

	memcpy(&type, r, 2);
	memcpy(&version, r + 2, 2);
	memcpy(&period, r + 16, 8);
	memcpy(mask, r + 16, 16);
	if (version)
		return false;
	if (type == 0x1000) {
		int64_t wanted = r[8] ? (int64_t)(uint32_t)period : 0;

		if (period > UINT32_MAX)
			fake_breach(k, "of a period of %llu ns the driver keeps 32 bits",
				    (unsigned long long)period);

		if (r[8] > 1 || (r[8] == 1 && (!period || f->gpu->refuses_period)) ||
		    (*has_mode && *period_ns != wanted))
			return false;
		*has_mode = true;
		*period_ns = wanted;
		return true;
	}
	if (type == 0x1001) {
		if (r[8] >= FAKE_BLOCKS || r[9] != f->gpu->set)
			return false;
		f->enabled[r[8]] = true;
		f->enable[r[8]][0] |= mask[0] | (fake_is(f->gpu->driver, KEEPS_EMPTY) ? 0xf : 0);
		f->enable[r[8]][1] |= mask[1];
		return true;
	}
	return type == 0x1002 && r[8] == 0;
}

static bool take_requests(struct fake_kbase *k, struct fake_file *f, const uint8_t *requests, unsigned n)
{
	bool has_mode = false, any = false;
	int64_t period_ns = 0;

	for (unsigned i = 0; i + 1 < n; i++)
		if (!take_request(k, f, requests + (size_t)i * REQUEST, &has_mode, &period_ns))
			return false;
	for (unsigned b = 0; b < FAKE_BLOCKS; b++)
		any |= f->enabled[b];
	if (period_ns && period_ns < SHORTEST_NS)
		period_ns = SHORTEST_NS;
	f->period_ns = period_ns && period_ns < f->gpu->raises_to_ns ? f->gpu->raises_to_ns : period_ns;
	return has_mode && any && memcmp(requests + (size_t)(n - 1) * REQUEST, "\0\0\0\0", 4) == 0;
}

int fake_kinstr_setup(struct fake_kbase *k, struct fake_file *f, void *arg)
{
	struct {
		uint32_t count, size;
		uint64_t requests;
	} in;
	struct fake_gpu *gpu = f->gpu;
	struct fake_file *reader;
	uint32_t out[2] = {ITEM, 0};

	memcpy(&in, arg, sizeof(in));
	if (fake_is(gpu->driver, NEEDS_ENUM) && !gpu->enumerated) {
		fake_breach(k, "a set-up before anybody enumerated");
		return fake_fail(EINVAL);
	}
	if (in.size != REQUEST || in.count < 2 || in.count > 2 * LIST_MAX || !in.requests)
		return fake_fail(EINVAL);
	reader = fake_file_new(k, FAKE_KINSTR, gpu);
	if (!reader)
		return -1;
	if (!take_requests(k, reader, (const uint8_t *)(uintptr_t)in.requests, in.count)) {
		fake_kbase_close(k, reader->fd);
		return fake_fail(EINVAL);
	}
	if (!fake_file_memory(
		    reader, items_of(reader) * ITEM + all_blocks(gpu) * block_stride(gpu) + 8 * gpu->n_clocks,
		    FAKE_BUFFERS)) {
		fake_kbase_close(k, reader->fd);
		return fake_fail(ENOMEM);
	}
	out[1] = (uint32_t)reader->size;
	memset(arg, 0, 16);
	memcpy(arg, out, sizeof(out));
	return reader->fd;
}

/* ---- samples ---- */

struct writer {
	struct fake_file *f;
	size_t item, values; /* offsets in the mapping; values: of the first block */
	int64_t at_ns;
};

static uint8_t *next_item(struct writer *w, uint16_t type)
{
	uint8_t *item = w->f->memory + w->item;

	memset(item, 0, ITEM);
	memcpy(item, &type, 2);
	w->item += ITEM;
	return item;
}

static void write_block(struct writer *w, enum fake_block block, unsigned index, unsigned instance)
{
	const struct fake_gpu *gpu = w->f->gpu;
	int64_t active = fake_active_ns(gpu, w->at_ns);
	uint8_t *item = next_item(w, 0x2002);
	bool idle = active == w->f->last_active_ns;
	/* off; on; on and off; and cores that are on, though they are not available, count
	 * nevertheless */
	uint32_t state = gpu->hides                             ? 0x25
			 : idle                                 ? 0x2
			 : gpu->off                             ? 0x17
			 : block == FAKE_SHADER && instance % 2 ? 0x19
								: 0x15;
	const unsigned first[FAKE_BLOCKS] = {0, 1, 2, 2 + gpu->slices};
	uint32_t offset = (uint32_t)(w->values + (first[block] + instance) * block_stride(gpu));

	item[8] = (uint8_t)block;
	item[9] = (uint8_t)index;
	item[10] = gpu->set;
	if (!fake_is(gpu->driver, STATES))
		state = 0;
	memcpy(item + 12, &state, 4);
	memcpy(item + 16, &offset, 4);
	for (unsigned i = 0; i < n_values(gpu); i++) {
		uint64_t v = fake_value(w->f, block, instance, i, w->f->last_active_ns, active, w->at_ns);

		memcpy(w->f->memory + offset + 8 * i, &v, 8);
	}
}

static void write_blocks(struct writer *w)
{
	const struct fake_gpu *gpu = w->f->gpu;

	for (unsigned b = 0; b < FAKE_BLOCKS; b++) {
		unsigned index = 0;

		if (!has_block(w->f, b))
			continue;
		for (unsigned instance = 0; instance < (b == FAKE_SHADER ? 64 : n_instances(gpu, b));
		     instance++) {
			if (b == FAKE_SHADER && !(gpu->core_mask >> instance & 1))
				continue;
			write_block(w, b, b == FAKE_SHADER && fake_is(gpu->driver, GAPS) ? instance : index,
				    instance);
			index++;
		}
		if (b == FAKE_TILER && gpu->strange_items)
			next_item(w, 0x2fff);
	}
}

static void write_clock(struct writer *w)
{
	const struct fake_gpu *gpu = w->f->gpu;
	uint8_t *item = next_item(w, 0x2001);

	memcpy(item + 8, &gpu->n_clocks, 4);
	for (unsigned i = 0; i < gpu->n_clocks; i++) { /* an estimate: rate times time that the GPU was on */
		int64_t ns = fake_active_ns(gpu, w->at_ns) - w->f->last_active_ns;
		uint64_t cycles = (uint64_t)((double)gpu->hz[i] * (double)ns * 1e-9 + 0.5);

		memcpy(item + 16 + 8 * i, &cycles, 8);
	}
}

static uint32_t flags_of(struct fake_file *f)
{
	uint32_t flags = f->stretched ? SAMPLE_STRETCHED_FLAG : 0;

	f->stretched = false;
	if (f->gpu->failed_samples) {
		f->gpu->failed_samples--;
		flags |= SAMPLE_ERROR_FLAG;
	}
	return flags;
}

void fake_kinstr_sample(struct fake_file *f, int64_t at_ns, bool last)
{
	unsigned slot = (unsigned)(f->sequence % f->n_buffers), room = last ? FAKE_BUFFERS : room_of(f);
	struct writer w = {.f = f, .item = slot * f->stride, .at_ns = at_ns};
	uint64_t times[4] = {(uint64_t)f->last_ns, (uint64_t)at_ns, f->sequence, 0};
	uint8_t *item;
	uint32_t flags;

	if (f->produced - f->taken >= room) {
		f->stretched = true;
		return;
	}
	if (f->gpu->lost_samples) {
		f->gpu->lost_samples--;
		f->sequence++;
		f->last_ns = at_ns;
		f->last_active_ns = fake_active_ns(f->gpu, at_ns);
		return;
	}
	if (f->gpu->endless_samples) {
		f->gpu->endless_samples--;
		times[1] = f->gpu->endless_stamp;
	}
	w.values = w.item + items_of(f) * ITEM;
	item = next_item(&w, 0x2000);
	flags = flags_of(f);
	memcpy(item + 8, times, sizeof(times));
	memcpy(item + 40, &flags, 4);
	if (f->gpu->strange_items)
		next_item(&w, 0x2003);
	write_clock(&w);
	write_blocks(&w);
	next_item(&w, 0);
	f->buffers[f->produced % f->n_buffers] =
		(struct fake_buffer){.begin_ns = f->last_ns, .end_ns = at_ns, .sequence = f->sequence};
	f->last_ns = at_ns;
	f->last_active_ns = fake_active_ns(f->gpu, at_ns);
	f->produced++;
	f->sequence++;
}

/* ---- the reader's ioctls ---- */

/* Ticks are multiples of the period, so that sessions share them. */
static void start_ticks(struct fake_file *f, int64_t now_ns)
{
	if (!f->period_ns)
		return;
	f->next_ns = (now_ns / f->period_ns + 1) * f->period_ns;
	f->after_ns = 0;
	if (fake_is(f->gpu->driver, AT_ONCE)) {
		f->next_ns = now_ns + (f->gpu->first_tick_ns ? f->gpu->first_tick_ns : AT_ONCE_NS);
		f->after_ns = (f->next_ns / f->period_ns + 2) * f->period_ns;
	}
}

static int send_command(struct fake_kbase *k, struct fake_file *f, const void *arg)
{
	uint16_t what;

	memcpy(&what, arg, 2);
	switch (what) {
	case 1: /* start */
		if (f->running)
			return 0;
		if (f->produced - f->taken >= FAKE_BUFFERS && !fake_is(f->gpu->driver, LOSES_STOP))
			return fake_fail(EBUSY);
		f->running = true;
		f->last_ns = k->now_ns;
		f->last_active_ns = fake_active_ns(f->gpu, k->now_ns);
		start_ticks(f, k->now_ns);
		return 0;
	case 2: /* stop */
		if (!f->running)
			return fake_fail(EINVAL);
		if (f->produced - f->taken >= FAKE_BUFFERS)
			fake_breach(k, "a stop without room for its sample: the kernel warns");
		fake_kinstr_sample(f, k->now_ns, true);
		f->running = false;
		return 0;
	case 3: /* sample now */
		if (!f->running || f->period_ns)
			return fake_fail(EINVAL);
		if (f->produced - f->taken >= room_of(f))
			return fake_fail(EBUSY);
		fake_kinstr_sample(f, k->now_ns, false);
		return 0;
	case 5: /* discard */
		if (f->running)
			fake_breach(k, "a discard while samples may be written");
		f->taken = f->produced - f->held;
		return 0;
	default:
		return fake_fail(EINVAL);
	}
}

static int get_sample(struct fake_file *f, void *arg)
{
	uint64_t access[2];

	if (f->held)
		return fake_fail(EBUSY);
	if (f->produced == f->taken)
		return fake_fail(EINVAL);
	access[0] = f->buffers[f->taken % f->n_buffers].sequence;
	access[1] = access[0] % f->n_buffers * f->stride;
	memcpy(arg, access, sizeof(access));
	f->held = true;
	return 0;
}

static int put_sample(struct fake_kbase *k, struct fake_file *f, const void *arg)
{
	uint64_t access[2], sequence = f->buffers[f->taken % f->n_buffers].sequence;

	memcpy(access, arg, sizeof(access));
	if (f->produced == f->taken || access[0] != sequence ||
	    access[1] != sequence % f->n_buffers * f->stride)
		return fake_fail(EINVAL);
	if (!f->held)
		fake_breach(k, "a sample was put back that nobody took: the kernel warns");
	f->held = false;
	f->taken++;
	return 0;
}

/* The driver looks at the number of a request only. */
int fake_kinstr_ioctl(struct fake_kbase *k, struct fake_file *f, unsigned long request, void *arg)
{
	switch (request & 0xff) {
	case 0x00:
		return send_command(k, f, arg);
	case 0x01:
		return get_sample(f, arg);
	case 0x10:
		return put_sample(k, f, arg);
	default:
		fake_breach(k, "kinstr_prfcnt does not know the ioctl 0x%lx", request);
		return fake_fail(EINVAL);
	}
}
