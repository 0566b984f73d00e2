#include "backends/kbase/kbase.h"

#include "backends/backends.h"
#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES_MAX 16
#define UNKNOWN_KHZ 5000        /* what some drivers report as the maximum if they do not know it */
#define LEVELS_NS 1000000000ll  /* how often temperatures and memory are read */
#define CLOCK_NS 10000000ll     /* shortest time between two reads of the clock */
#define MANUAL_NS 10000000ll    /* shortest interval if each sample must be requested */
#define INTERVAL_NS 100000000ll /* the default */
#define PART_NS 100000000ll     /* a longer interval is summed from parts of about this length */
#define PARTS_MAX 10            /* the driver keeps 31 samples, and a period in 32 bits of ns */

/* Listing /dev is not permitted everywhere; the driver does not notice O_PATH. */
static bool kbase_probe(const struct sys *sys, struct source_found **found, struct err *err)
{
	(void)err;
	for (unsigned i = 0; i < NODES_MAX; i++) {
		char path[32];
		int fd;

		snprintf(path, sizeof(path), "/dev/mali%u", i);
		fd = sys->open(sys, path, O_PATH);
		if (fd < 0)
			continue;
		sys->close(sys, fd);
		source_found_add(found, &backend_kbase, path);
	}
	return true;
}

/* ---- identity ---- */

/* "kbase r44p0" from "K:r44p0-00eac0(GPL)", or the API version if there is no release. */
static void name_driver(struct source *source, const struct kbase_device *d)
{
	for (const char *p = d->release; *p; p++) {
		unsigned r, m;

		if (sscanf(p, "r%3up%3u", &r, &m) == 2) {
			snprintf(source->driver, sizeof(source->driver), "kbase r%up%u", r, m);
			return;
		}
	}
	snprintf(source->driver, sizeof(source->driver), "kbase API %u.%u", d->version.major,
		 d->version.minor);
}

static void fill_source(struct source *source, struct kbase *k, uint64_t gpu_id)
{
	const struct kbase_props *props = &k->device.props;
	bool assumed;

	source->product = gpu_identity_find(source, gpu_id, &assumed);
	if (k->extent.set) {
		source->product = NULL; /* our data describes the primary set only */
		assumed = false;
	}
	source->constants = (struct source_constants){
		.core_count = (unsigned)__builtin_popcountll(k->extent.core_mask),
		.l2_slice_count = k->extent.n_slices,
		.bus_width_bits = gpu_identity_bus_bits(props->l2_features),
		.block_values = k->extent.block_values,
		.core_mask = k->extent.core_mask,
		.top_hz = props->max_khz && props->max_khz != UNKNOWN_KHZ ? props->max_khz * 1e3 : 0,
	};
	k->n_engines = props->n_engines
			       ? props->n_engines
			       : gpu_identity_engines(source->product, props->core_features,
						      props->thread_features, source->constants.core_count);
	gpu_identity_name(source, gpu_id, assumed);
	name_driver(source, &k->device);
	if (k->extent.set)
		snprintf(source->note, sizeof(source->note), "%s",
			 "kbase: the driver counts a set other than the primary one: raw counters are shown "
			 "by block and index");
}

/* ---- a reader's session ---- */

void kbase_enable(const struct gpu_layout *layout, uint64_t enable[BLOCK_COUNT][2])
{
	for (unsigned b = 0; b < BLOCK_COUNT; b++) {
		enable[b][0] = layout ? 0xf : UINT64_MAX;
		enable[b][1] = layout ? 0 : UINT64_MAX;
	}
	for (unsigned i = 0; layout && i < layout->n_counters; i++) {
		const struct gpu_counter *c = &layout->counters[i];

		enable[c->block][c->index / 64] |= 0xfull << (c->index % 64 & ~3u);
	}
}

bool kbase_session_put(struct kbase *k)
{
	struct kbase_session *s = &k->session;

	/* EPERM, EINVAL: the driver has it back already */
	if (s->held &&
	    (kbase_ioctl(k->device.sys, s->fd, s->put, &s->item) == 0 || errno == EPERM || errno == EINVAL))
		s->held = false;
	return !s->held;
}

enum read_result kbase_session_get(struct kbase *k)
{
	struct kbase_session *s = &k->session;
	struct pollfd waiting = {.fd = s->fd, .events = POLLIN};
	union kbase_item item = {.dump = {0}};

	if (!kbase_session_put(k))
		return errno == ENODEV || errno == EBADF ? READ_GONE : READ_NONE;
	/* An empty ring fails like a real error, and many drivers print a kernel warning. */
	if (k->device.sys->poll(k->device.sys, &waiting, 1, 0) < 1)
		return READ_NONE;
	if (!(waiting.revents & POLLIN))
		return READ_GONE;
	if (kbase_ioctl(k->device.sys, s->fd, s->get, &item) < 0) {
		s->held = errno == EBUSY; /* the driver has not got the previous one back yet */
		return errno == s->empty || errno == EAGAIN || errno == EBUSY || errno == EINTR ? READ_NONE
												: READ_GONE;
	}
	s->item = item;
	s->held = true;
	return READ_GOT;
}

static void close_session(struct kbase *k)
{
	struct kbase_session *s = &k->session;

	if (s->memory)
		k->device.sys->munmap(k->device.sys, s->memory, s->size);
	if (s->fd >= 0)
		k->device.sys->close(k->device.sys, s->fd);
	*s = (struct kbase_session){.fd = -1};
}

static bool open_session(struct kbase *k, int64_t period_ns, struct err *err)
{
	if (k->reader->open(k, period_ns, err)) {
		k->session_ns = period_ns;
		return true;
	}
	close_session(k);
	return false;
}

/* ---- opening ---- */

/* The driver's ticks start at any time, so only an interval made of several parts can start close
 * to our own start. Short parts also keep 32-bit counters from overflowing. */
static unsigned parts_of(int64_t period_ns)
{
	int64_t n = (period_ns + PART_NS - 1) / PART_NS;

	return n < PARTS_MAX ? (unsigned)n : PARTS_MAX;
}

static bool open_reader(struct source *source, struct kbase *k, uint64_t gpu_id, struct err *err)
{
	struct kbase_choice choice;
	bool ok = false, assumed;
	const struct gpu_product *product = gpu_identity_find(source, gpu_id, &assumed);
	int64_t interval_ns = source->options.interval_ns ? source->options.interval_ns : INTERVAL_NS;

	if (!kbase_choose(&k->device.version, gpu_id, source->options.interface, &choice, err))
		return false;
	for (unsigned i = 0; i < choice.n && !ok; i++) {
		struct err first = *err;

		k->reader = choice.readers[i];
		kbase_enable(product ? product->layout : NULL, k->enable);
		snprintf(k->why, sizeof(k->why), "%s: %s", k->reader->name, choice.why[i]);
		ok = open_session(k, interval_ns / parts_of(interval_ns), err);
		if (!ok && i)
			*err = first; /* the error of the preferred reader is more useful */
	}
	return ok;
}

/* Releases before these leave the states of blocks 0. */
static void add_state_slots(struct source *source, struct kbase *k)
{
	k->reports_states = k->reader == &kbase_kinstr && kbase_since(&k->device.version, 41, 23);
	k->state_slot = source->n_slots;
	if (!k->reports_states)
		return;
	source_add_slot(source, &(struct slot){.name = "GPUProtectedTime", .kind = SLOT_DELTA, .scale = 1});
	source_add_slot(source, &(struct slot){.name = "GPUProtectedOf", .kind = SLOT_DELTA, .scale = 1});
}

static bool kbase_open(struct source *source, const char *device, struct err *err)
{
	const char *path = device[0] ? device : "/dev/mali0";
	struct kbase *k = source->priv;
	struct err why = {0};

	k->session.fd = -1;
	if (!kbase_device_open(&k->device, source->sys, path, &why) ||
	    !open_reader(source, k, kbase_props_id(&k->device.props), &why)) {
		kbase_device_close(&k->device);
		return err_set(err, why.code,
			       why.code == ERR_USAGE ? "%s" : "kbase: %s: try `malitop doctor`", why.text);
	}
	fill_source(source, k, kbase_props_id(&k->device.props));
	source->keeps_powered = k->device.version.api != KBASE_CSF && k->reader == &kbase_vinstr;
	k->clock_slot = source_add_gpu_sums(source);
	k->level_slot = source->n_slots;
	gpu_system_open(&k->system, source->sys,
			(unsigned)strtoul(path + strcspn(path, "0123456789"), NULL, 10));
	gpu_system_add_slots(&k->system, source);
	add_state_slots(source, k);
	source_add_gpu_instances(source);
	gpu_fold_init(&k->fold, source);
	k->slots = xcalloc(source->n_slots, sizeof(*k->slots));
	if (!source->constants.top_hz && k->system.top_hz != SAMPLE_UNKNOWN)
		source->constants.top_hz = (double)k->system.top_hz;
	return true;
}

static void end_session(struct kbase *k)
{
	if (k->started)
		k->reader->stop(k);
	close_session(k);
	k->started = false;
	k->session_ns = 0;
}

static bool begin_session(struct kbase *k, int64_t step_ns, struct err *err)
{
	struct kbase_extent before = k->extent;

	if (k->session_ns == step_ns && !k->started)
		return true; /* open made this session already */
	end_session(k);
	if (!open_session(k, step_ns, err))
		return false;
	return (before.core_mask == k->extent.core_mask && before.n_slices == k->extent.n_slices &&
		before.block_values == k->extent.block_values) ||
	       err_set(err, EPROTO, "%s: the GPU's cores or counters have changed: restart malitop",
		       k->device.path);
}

/* If samples must be requested, intervals are not split into parts. */
static void start_manual(struct kbase *k, struct source *source, int64_t now_ns)
{
	int64_t longest = k->reader->longest_ns;

	k->n_parts = 1;
	if (source->period_ns < MANUAL_NS)
		source->period_ns = MANUAL_NS;
	if (longest && source->period_ns > longest)
		source->period_ns = longest;
	k->part_ns = source->period_ns;
	k->next_dump_ns = now_ns + source->period_ns;
}

static bool kbase_start(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err)
{
	struct kbase *k = source->priv;

	k->n_parts = parts_of(period_ns);
	k->part_ns = period_ns / k->n_parts;
	kbase_times_start(&k->times, source->sys, now_ns);
	if (!begin_session(k, k->part_ns, err) || !k->reader->start(k, k->part_ns, err))
		return false;
	k->started = true;
	k->part = 0;
	k->part_end_ns = k->times.last_raw_ns;
	k->has_sum = k->has_more = false;
	source->period_ns = period_ns;
	if (k->manual)
		start_manual(k, source, now_ns);
	kbase_times_expect(&k->times, source->period_ns, !k->manual);
	return true;
}

/* Most of several parts do not complete a sample, so read once an interval then. */
static int kbase_fd(const struct source *source)
{
	const struct kbase *k = source->priv;

	return k->manual || k->n_parts > 1 ? -1 : k->session.fd;
}

/* ---- samples ---- */

/* Count a part as passed, or several if the driver took longer: intervals keep to their grid. */
static void pass_part(struct kbase *k, int64_t end_ns)
{
	int64_t ns;

	if (__builtin_sub_overflow(end_ns, k->part_end_ns, &ns) || ns <= k->part_ns)
		k->part++;
	else
		k->part += ns < k->n_parts * k->part_ns ? (unsigned)((ns + k->part_ns / 2) / k->part_ns)
							: k->n_parts;
	k->part_end_ns = end_ns;
}

static void add_part(struct kbase *k, const struct kbase_interval *part)
{
	if (!k->has_sum) {
		k->sum = *part;
		k->has_sum = true;
		return;
	}
	k->sum.end_ns = part->end_ns;
	k->sum.flags |= part->flags;
	k->sum.lost += part->lost;
	k->sum.states = k->sum.states && part->states ? k->sum.states | part->states : 0;
	for (unsigned i = 0; i < ARRAY_LEN(k->sum.cycles); i++) {
		bool known = k->sum.cycles[i] < GPU_OVERFLOW && part->cycles[i] < GPU_OVERFLOW;

		k->sum.cycles[i] = known ? k->sum.cycles[i] + part->cycles[i] : SAMPLE_UNKNOWN;
	}
}

/* The clock as the system reports it, for drivers that count no cycles. */
static void read_clock(struct kbase *k, int64_t now_ns, struct sample *sample)
{
	int64_t hz = 0;

	if (k->clock_ns && now_ns - k->clock_ns < CLOCK_NS)
		return;
	if (!gpu_system_clock(&k->system, &hz))
		hz = 0;
	k->asleep = !hz && gpu_system_suspended(&k->system);
	if (k->clock_ns && hz != k->hz)
		sample->flags |= SAMPLE_CLOCK;
	k->clock_ns = now_ns;
	k->hz = hz;
}

/* Clock cycles as the driver estimates them. A driver that does not know its clock estimates 0. So
 * 0 is unknown while the GPU is active, and until the driver has reported another number. */
static uint64_t reported_cycles(struct kbase *k, enum kbase_clock clock, uint64_t active)
{
	uint64_t cycles = k->sum.cycles[clock];
	bool was_active = active && active != SAMPLE_UNKNOWN;

	if (cycles >= GPU_OVERFLOW)
		return SAMPLE_UNKNOWN;
	k->reports_clock[clock] |= cycles > 0;
	return cycles || (k->reports_clock[clock] && !was_active) ? cycles : SAMPLE_UNKNOWN;
}

/* Without power no clock runs: then 0 is known, and the GPU was idle. A driver without states has
 * nothing but the kernel's word that the GPU sleeps now; it counted nothing in this sample. */
static void fill_clock(struct kbase *k, int64_t now_ns, struct sample *sample)
{
	uint64_t duration = (uint64_t)(sample->end_ns - sample->begin_ns),
		 *slot = sample->value + k->clock_slot;
	uint64_t active = k->fold.active < 0 ? SAMPLE_UNKNOWN : sample->value[k->fold.active];
	uint32_t power = k->sum.states & (PRFCNT_STATE_ON | PRFCNT_STATE_OFF);
	bool was_off = k->reports_states && power == PRFCNT_STATE_OFF; /* no block had power at any time */
	uint64_t cycles = was_off && !active ? 0 : reported_cycles(k, KBASE_CLOCK_TOP, active);

	if (cycles == SAMPLE_UNKNOWN) {
		read_clock(k, now_ns, sample);
		if (k->hz > 0)
			cycles = (uint64_t)((double)k->hz * (double)duration * 1e-9 + 0.5);
		else if (k->asleep && !active)
			cycles = 0;
	}
	slot[GPU_CLOCK_CY] = cycles;
	slot[GPU_CLOCK_SHADER_CY] = reported_cycles(k, KBASE_CLOCK_SHADER, active);
	slot[GPU_CLOCK_ACTIVE] = active;
	slot[GPU_CLOCK_TIME] = duration;
}

/* In protected mode the counters stand still. A sample that was protected in part counts whole. */
static void fill_states(const struct kbase *k, struct sample *sample)
{
	uint64_t *slot = sample->value + k->state_slot,
		 duration = (uint64_t)(sample->end_ns - sample->begin_ns);
	bool is_protected = k->sum.states & PRFCNT_STATE_PROTECTED;

	if (!k->reports_states)
		return;
	slot[0] = !k->sum.states ? SAMPLE_UNKNOWN : is_protected ? duration : 0;
	slot[1] = k->sum.states ? duration : SAMPLE_UNKNOWN;
}

/* Make a sample of the parts gathered so far. If the end of the interval is unknown, its counts go
 * into the next sample, which then covers both. */
static void finish_sample(struct source *source, int64_t now_ns, struct sample *sample)
{
	struct kbase *k = source->priv;

	memcpy(sample->value, k->slots, source->n_slots * sizeof(*k->slots));
	sample->flags |= gpu_fold_finish(&k->fold, source->period_ns, sample->value, source->n_slots);
	k->has_more = !kbase_times_convert(&k->times, source->sys, &k->sum, now_ns, sample) &&
		      !k->reader->reports_begin;
	k->has_sum = false;
	if (!k->manual)
		source->period_ns = k->times.period_ns;
	fill_clock(k, now_ns, sample);
	fill_states(k, sample);
	if (now_ns - k->levels_ns >= LEVELS_NS) {
		gpu_system_read(&k->system, &k->levels);
		k->levels_ns = now_ns;
	}
	gpu_system_fill(&k->system, &k->levels, sample->value + k->level_slot);
}

static bool dump_when_due(struct kbase *k, const struct source *source, int64_t now_ns)
{
	if (!k->manual || now_ns < k->next_dump_ns)
		return true;
	k->next_dump_ns += source->period_ns * ((now_ns - k->next_dump_ns) / source->period_ns + 1);
	return k->reader->dump(k) || (errno != ENODEV && errno != EBADF);
}

/* Read the next waiting part. */
static enum read_result read_part(struct source *source)
{
	struct kbase *k = source->priv;
	struct kbase_interval part;
	enum read_result got;

	if (!k->has_sum && !k->has_more)
		memset(k->slots, 0xff, source->n_slots * sizeof(*k->slots)); /* SAMPLE_UNKNOWN */
	got = kbase_session_get(k);
	if (got != READ_GOT)
		return got;
	k->reader->take(k, &part, k->slots);
	kbase_session_put(k);
	pass_part(k, part.end_ns);
	if (!kbase_times_is_lead(&k->times, source->sys, &part))
		add_part(k, &part);
	return READ_GOT;
}

static enum read_result kbase_read(struct source *source, int64_t now_ns, struct sample *sample)
{
	struct kbase *k = source->priv;
	enum read_result got;
	bool ended = false;

	if (!dump_when_due(k, source, now_ns))
		return READ_GONE;
	do {
		got = read_part(source);
		ended = k->part >= k->n_parts;
		if (ended)
			k->part = 0;
	} while (got == READ_GOT && !(ended && k->has_sum));
	if (got == READ_GONE || !(ended || source->cut) || !k->has_sum)
		return got;
	finish_sample(source, now_ns, sample);
	return READ_GOT;
}

static void kbase_stop(struct source *source)
{
	end_session(source->priv);
}

static void kbase_close(struct source *source)
{
	struct kbase *k = source->priv;

	end_session(k);
	gpu_system_close(&k->system);
	gpu_fold_fini(&k->fold);
	free(take_ptr(&k->slots));
	kbase_device_close(&k->device);
}

/* ---- description ---- */

static void kbase_describe(const struct source *source, struct strbuf *text)
{
	const struct kbase *k = source->priv;
	const struct kbase_version *v = &k->device.version;

	gpu_system_processes(&k->system, text);
	strbuf_printf(text, "\ndevice    %s, GPU id 0x%" PRIx64 "\n", k->device.path,
		      kbase_props_id(&k->device.props));
	strbuf_printf(text, "driver    %s%sAPI %u.%u (%s)\n", k->device.release,
		      k->device.release[0] ? ", " : "", v->major, v->minor, kbase_generations[v->api].name);
	strbuf_str(text, "gives     the counters of every block\n");
	strbuf_printf(text, "counters  %s\n", k->why);
	gpu_identity_describe(&source->constants, k->n_engines, text);
	if (source->note[0])
		strbuf_printf(text, "note      %s\n", source->note);
	strbuf_str(
		text,
		source->keeps_powered
			? "power     older releases of this driver keep the GPU powered while counting, "
			  "which "
			  "stops while the screen is paused\n"
			: "power     counting does not keep the GPU powered and continues while the screen "
			  "is paused\n");
	gpu_system_describe(&k->system, text);
}

const struct backend backend_kbase = {
	.name = "kbase",
	.help = "Mali GPUs with Arm's kernel driver (/dev/mali0); kbase:vinstr and kbase:kinstr force an "
		"interface",
	.interfaces = "vinstr kinstr",
	.kind = SOURCE_GPU,
	.priv_size = sizeof(struct kbase),
	.probe = kbase_probe,
	.open = kbase_open,
	.start = kbase_start,
	.fd = kbase_fd,
	.read = kbase_read,
	.stop = kbase_stop,
	.close = kbase_close,
	.describe = kbase_describe,
};
