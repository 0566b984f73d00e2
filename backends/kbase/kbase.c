#include "backends/kbase/kbase.h"

#include "backends/backends.h"
#include "base/alloc.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NODES_MAX 16
#define UNKNOWN_KHZ 5000        /* what some drivers report as the maximum when they do not know it */
#define LEVELS_NS 1000000000ll  /* temperatures and memory are read so often */
#define CLOCK_NS 10000000ll     /* the clock at most so often */
#define MANUAL_NS 10000000ll    /* shortest interval where each sample must be asked for */
#define INTERVAL_NS 100000000ll /* when nobody says one */
#define TIMER_NS 1000000000ll   /* the driver keeps periods in 32 bits, 4.2 s; intervals are whole seconds there */

/* An open, without the driver noticing, tells whether a node is there; a listing of /dev is not granted everywhere. */
static bool kbase_probe(const struct sys *sys, struct source_found **found, struct err *err)
{
	(void)err;
	while (*found)
		found = &(*found)->next;
	for (unsigned i = 0; i < NODES_MAX; i++) {
		char path[32];
		int fd;

		snprintf(path, sizeof(path), "/dev/mali%u", i);
		fd = sys->open(sys, path, O_PATH);
		if (fd < 0)
			continue;
		sys->close(sys, fd);
		*found = xcalloc(1, sizeof(**found));
		(*found)->backend = &backend_kbase;
		snprintf((*found)->device, sizeof((*found)->device), "%s", path);
		found = &(*found)->next;
	}
	return true;
}

/* ---- what GPU it is ---- */

/* Midgard GPUs by the upper half of GPU_ID: they have names, but no published counters. */
static const struct {
	uint32_t id;
	const char *name;
} midgards[] = {{0x6956, "Mali-T60x"}, {0x0620, "Mali-T62x"}, {0x0720, "Mali-T720"}, {0x0750, "Mali-T760"},
		{0x0820, "Mali-T820"}, {0x0830, "Mali-T830"}, {0x0860, "Mali-T860"}, {0x0880, "Mali-T880"}};

static void name_source(struct source *source, uint64_t gpu_id, bool assumed)
{
	unsigned cores = source->constants.core_count;
	char name[40];

	snprintf(name, sizeof(name), "Mali 0x%" PRIx64, gpu_id);
	for (size_t i = 0; i < ARRAY_LEN(midgards); i++)
		if (gpu_id >> 16 == midgards[i].id)
			snprintf(name, sizeof(name), "%s", midgards[i].name);
	if (source->product)
		snprintf(source->title, sizeof(source->title), "%s %u core%s%s", gpu_product_shown_name(source->product, cores),
			 cores, cores == 1 ? "" : "s", assumed ? " (assumed)" : "");
	else
		snprintf(source->title, sizeof(source->title), "%s %u core%s, unknown", name, cores, cores == 1 ? "" : "s");
	if (!source->product)
		snprintf(source->note, sizeof(source->note),
			 "%s: malitop has no data for this GPU: its raw counters by block and index; --gpu NAME assumes a known "
			 "one",
			 name);
	else if (assumed)
		snprintf(source->note, sizeof(source->note), "%s: unknown to malitop; counted as a %s, as --gpu says", name,
			 source->product->name);
}

/* "kbase r44p0" out of "K:r44p0-00eac0(GPL)"; else its API. */
static void name_driver(struct source *source, const struct kbase_device *d)
{
	for (const char *p = d->release; *p; p++) {
		unsigned r, m;

		if (sscanf(p, "r%3up%3u", &r, &m) == 2) {
			snprintf(source->driver, sizeof(source->driver), "kbase r%up%u", r, m);
			return;
		}
	}
	snprintf(source->driver, sizeof(source->driver), "kbase API %u.%u", d->version.major, d->version.minor);
}

static const struct gpu_product *find_product(const struct source *source, uint64_t gpu_id, bool *assumed)
{
	const struct gpu_product *product = gpudb_by_id(source->options.db, gpu_id);

	*assumed = !product && source->options.gpu_name;
	return *assumed ? gpudb_by_name(source->options.db, source->options.gpu_name) : product;
}

/* Execution engines of a core: told by job-manager drivers since r12p0, else by the variant of the core. */
static unsigned count_engines(const struct kbase_props *props, const struct gpu_product *product, unsigned cores)
{
	static const char *const small[] = {"Mali-G31", "Mali-G51"}; /* have a variant of one engine */
	int8_t engines = product ? product->engines[props->core_features & 15] : -1;

	if (props->n_engines)
		return props->n_engines;
	for (size_t i = 0; product && i < ARRAY_LEN(small); i++)
		if (strcmp(product->name, small[i]) == 0 && cores == 1 && (props->thread_features & 0xffff) == 0x2000)
			return 1;
	return engines > 0 ? (unsigned)engines : 0;
}

static void fill_source(struct source *source, struct kbase *k, uint64_t gpu_id)
{
	const struct kbase_props *props = &k->device.props;
	bool assumed;

	source->product = find_product(source, gpu_id, &assumed);
	if (k->extent.set) {
		source->product = NULL; /* our data describe the primary set */
		assumed = false;
	}
	source->constants = (struct source_constants){
		.core_count = (unsigned)__builtin_popcountll(k->extent.core_mask),
		.l2_slice_count = k->extent.n_slices,
		.bus_width_bits = kbase_props_bus_bits(props),
		.block_values = k->extent.block_values,
		.core_mask = k->extent.core_mask,
		.top_hz = props->max_khz && props->max_khz != UNKNOWN_KHZ ? props->max_khz * 1e3 : 0,
	};
	k->n_engines = count_engines(props, source->product, source->constants.core_count);
	name_source(source, gpu_id, assumed);
	name_driver(source, &k->device);
	if (k->extent.set)
		snprintf(source->note, sizeof(source->note), "%s",
			 "kbase: the driver counts another set than the usual one: raw counters by block and index");
}

/* ---- opening ---- */

/* An interval that is too long for the driver's counters or its timer is measured in several parts. */
static unsigned parts_of(const struct kbase_reader *reader, int64_t period_ns)
{
	int64_t longest = reader->longest_ns ? reader->longest_ns : TIMER_NS;

	return period_ns > longest ? (unsigned)((period_ns + longest - 1) / longest) : 1;
}

static bool open_reader(struct source *source, struct kbase *k, uint64_t gpu_id, struct err *err)
{
	struct kbase_choice choice;
	bool ok = false, assumed;
	const struct gpu_product *product = find_product(source, gpu_id, &assumed);
	int64_t interval_ns = source->options.interval_ns ? source->options.interval_ns : INTERVAL_NS;

	if (!kbase_choose(&k->device.version, gpu_id, source->options.interface, &choice, err))
		return false;
	for (unsigned i = 0; i < choice.n && !ok; i++) {
		struct err first = *err;

		k->reader = choice.readers[i];
		kbase_enable(product ? product->layout : NULL, k->enable);
		snprintf(k->why, sizeof(k->why), "%s: %s", k->reader->name, choice.why[i]);
		k->session_ns = interval_ns / parts_of(k->reader, interval_ns);
		ok = k->reader->open(k, k->session_ns, err);
		if (!ok && i)
			*err = first; /* the one that should have worked tells more */
	}
	return ok;
}

static bool kbase_open(struct source *source, const char *device, struct err *err)
{
	const char *path = device[0] ? device : "/dev/mali0";
	struct kbase *k = source->priv;
	uint64_t gpu_id;
	struct err why = {0};

	k->vinstr.fd = k->kinstr.fd = -1;
	if (!kbase_device_open(&k->device, source->sys, path, &why))
		return err_set(err, why.code, "kbase: %s: `malitop doctor` may know what helps", why.text);
	gpu_id = kbase_props_id(&k->device.props);
	if (!open_reader(source, k, gpu_id, &why)) {
		kbase_device_close(&k->device);
		return why.code == ERR_USAGE
			       ? err_set(err, why.code, "%s", why.text)
			       : err_set(err, why.code, "kbase: %s: `malitop doctor` may know what helps", why.text);
	}
	fill_source(source, k, gpu_id);
	k->clock_slot = source_add_gpu_sums(source);
	k->level_slot = source->n_slots;
	gpu_system_open(&k->system, source->sys, (unsigned)strtoul(path + strcspn(path, "0123456789"), NULL, 10));
	gpu_system_add_slots(&k->system, source);
	source_add_gpu_instances(source);
	kbase_fold_init(&k->fold, source);
	k->slots = xcalloc(source->n_slots, sizeof(*k->slots));
	if (!source->constants.top_hz && k->system.top_hz != SAMPLE_UNKNOWN)
		source->constants.top_hz = (double)k->system.top_hz;
	return true;
}

static void end_session(struct kbase *k)
{
	if (k->started)
		k->reader->stop(k);
	if (k->session_ns)
		k->reader->close(k);
	k->started = false;
	k->session_ns = 0;
}

static bool begin_session(struct kbase *k, int64_t step_ns, struct err *err)
{
	struct kbase_extent before = k->extent;

	if (k->session_ns == step_ns && !k->started)
		return true; /* the one that open made */
	end_session(k);
	if (!k->reader->open(k, step_ns, err))
		return false;
	k->session_ns = step_ns;
	return (before.core_mask == k->extent.core_mask && before.n_slices == k->extent.n_slices &&
		before.block_values == k->extent.block_values) ||
	       err_set(err, EPROTO, "%s: the GPU's cores or counters are others than before: start malitop again",
		       k->device.path);
}

static bool kbase_start(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err)
{
	struct kbase *k = source->priv;
	int64_t longest = k->reader->longest_ns, step;

	k->n_parts = parts_of(k->reader, period_ns);
	step = period_ns / k->n_parts;
	if (!begin_session(k, step, err) || !k->reader->start(k, step, err))
		return false;
	k->started = true;
	k->part = 0;
	source->period_ns = period_ns;
	if (k->manual) {
		k->n_parts = 1;
		if (source->period_ns < MANUAL_NS)
			source->period_ns = MANUAL_NS;
		if (longest && source->period_ns > longest)
			source->period_ns = longest;
		k->next_dump_ns = now_ns + source->period_ns;
	}
	kbase_times_start(&k->times, source->sys, now_ns);
	return true;
}

static int kbase_fd(const struct source *source)
{
	const struct kbase *k = source->priv;

	return k->manual ? -1 : k->reader->fd(k);
}

/* ---- samples ---- */

/* Another part of the interval. */
static void add_part(struct kbase *k, const struct kbase_interval *part)
{
	if (!k->part++) {
		k->sum = *part;
		return;
	}
	k->sum.end_ns = part->end_ns;
	k->sum.flags |= part->flags;
	k->sum.lost += part->lost;
	for (unsigned i = 0; i < ARRAY_LEN(k->sum.cycles); i++) {
		bool known = k->sum.cycles[i] != SAMPLE_UNKNOWN && part->cycles[i] != SAMPLE_UNKNOWN;

		k->sum.cycles[i] = known ? k->sum.cycles[i] + part->cycles[i] : SAMPLE_UNKNOWN;
	}
}

/* The clock as the system tells it, where the driver counts no cycles. */
static void read_clock(struct kbase *k, int64_t now_ns, struct sample *sample)
{
	int64_t hz = 0;

	if (k->clock_ns && now_ns - k->clock_ns < CLOCK_NS)
		return;
	if (!gpu_system_clock(&k->system, &hz))
		hz = 0;
	if (k->clock_ns && hz != k->hz)
		sample->flags |= SAMPLE_CLOCK;
	k->clock_ns = now_ns;
	k->hz = hz;
}

static void fill_clock(struct kbase *k, int64_t now_ns, struct sample *sample)
{
	uint64_t duration = (uint64_t)(sample->end_ns - sample->begin_ns), *slot = sample->value + k->clock_slot;
	uint64_t cycles = k->sum.cycles[KBASE_CLOCK_TOP];
	uint64_t active = k->fold.active < 0 ? SAMPLE_UNKNOWN : sample->value[k->fold.active];

	if (!cycles && active && active != SAMPLE_UNKNOWN)
		cycles = SAMPLE_UNKNOWN; /* a driver that was not told its clock estimates none */
	if (cycles == SAMPLE_UNKNOWN) {
		read_clock(k, now_ns, sample);
		if (k->hz > 0)
			cycles = (uint64_t)((double)k->hz * (double)duration * 1e-9 + 0.5);
	}
	slot[GPU_CLOCK_CY] = cycles;
	slot[GPU_CLOCK_SHADER_CY] = k->sum.cycles[KBASE_CLOCK_SHADER];
	slot[GPU_CLOCK_ACTIVE] = active;
	slot[GPU_CLOCK_TIME] = duration;
}

static bool finish(struct source *source, int64_t now_ns, struct sample *sample)
{
	struct kbase *k = source->priv;

	kbase_fold_finish(k->slots, source->n_slots);
	memcpy(sample->value, k->slots, source->n_slots * sizeof(*k->slots));
	if (!kbase_times_convert(&k->times, source->sys, &k->sum, now_ns, sample, &source->period_ns))
		return false;
	fill_clock(k, now_ns, sample);
	if (now_ns - k->levels_ns >= LEVELS_NS) {
		gpu_system_read(&k->system, &k->levels);
		k->levels_ns = now_ns;
	}
	gpu_system_fill(&k->system, &k->levels, sample->value + k->level_slot);
	return true;
}

static enum read_result kbase_read(struct source *source, int64_t now_ns, struct sample *sample)
{
	struct kbase *k = source->priv;

	if (k->manual && now_ns >= k->next_dump_ns) {
		k->next_dump_ns += source->period_ns * ((now_ns - k->next_dump_ns) / source->period_ns + 1);
		if (!k->reader->dump(k) && (errno == ENODEV || errno == EBADF))
			return READ_GONE;
	}
	for (;;) {
		struct kbase_interval part;
		enum read_result got;

		if (!k->part)
			memset(k->slots, 0xff, source->n_slots * sizeof(*k->slots)); /* SAMPLE_UNKNOWN */
		got = k->reader->take(k, &part, k->slots);
		if (got != READ_GOT)
			return got;
		add_part(k, &part);
		if (k->part < k->n_parts)
			continue;
		k->part = 0;
		if (finish(source, now_ns, sample))
			return READ_GOT;
	}
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
	kbase_fold_fini(&k->fold);
	free(take_ptr(&k->slots));
	kbase_device_close(&k->device);
}

/* ---- for people ---- */

static void kbase_describe(const struct source *source, struct strbuf *text)
{
	const struct kbase *k = source->priv;
	const struct kbase_version *v = &k->device.version;
	const struct source_constants *c = &source->constants;

	gpu_system_processes(&k->system, text);
	strbuf_printf(text, "\ndevice    %s, GPU id 0x%" PRIx64 "\n", k->device.path, kbase_props_id(&k->device.props));
	strbuf_printf(text, "driver    %s%sAPI %u.%u (%s)\n", k->device.release, k->device.release[0] ? ", " : "", v->major,
		      v->minor, kbase_api_names[v->api]);
	strbuf_printf(text, "counters  %s\n", k->why);
	strbuf_printf(text, "GPU       %u core%s (mask 0x%" PRIx64 "), %u L2 slice%s", c->core_count,
		      c->core_count == 1 ? "" : "s", c->core_mask, c->l2_slice_count, c->l2_slice_count == 1 ? "" : "s");
	if (c->bus_width_bits)
		strbuf_printf(text, ", bus of %u bits", c->bus_width_bits);
	if (k->n_engines)
		strbuf_printf(text, ", %u execution engine%s a core", k->n_engines, k->n_engines == 1 ? "" : "s");
	if (c->top_hz > 0)
		strbuf_printf(text, ", up to %.0f MHz", c->top_hz * 1e-6);
	strbuf_str(text, "\n");
	if (source->note[0])
		strbuf_printf(text, "note      %s\n", source->note);
	if (v->api != KBASE_CSF && k->reader == &kbase_vinstr)
		strbuf_str(text, "power     older releases of this driver keep the GPU powered while it is counted\n");
	gpu_system_describe(&k->system, text);
}

const struct backend backend_kbase = {
	.name = "kbase",
	.help = "Mali GPUs with Arm's kernel driver (/dev/mali0); kbase:vinstr and kbase:kinstr force an interface",
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
