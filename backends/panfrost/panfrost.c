/* panfrost: Mali GPUs through Mesa's kernel driver: one opened node, from its registers to samples.
 * Threads: as in backend.h. */
#include "backends/panfrost/panfrost_abi.h"

#include "backends/backends.h"
#include "backends/drm/drm_gpu.h"
#include "backends/gpu/gpu_identity.h"
#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define INTERVAL_LEAST_NS 10000000ll  /* each dump is requested, and flushes the GPU's caches */
#define SHARED "shared"               /* the interface beside a program that counts */
#define INTERVAL_MOST_NS 1000000000ll /* a 32-bit cycle counter overflows after some seconds */
#define BLOCK_BYTES (64 * 4)
#define T60X 0x6956          /* in the register of the T60x */
#define T60X_REPORTED 0x0600 /* the id that the driver reports for it */

/* The largest dump that any combination of registers makes the driver write: V4 with 64 core
 * groups. The driver does not learn the size of the buffer, so it is always this one. */
#define DUMP_MOST (64 * 8 * BLOCK_BYTES)

/* Whether the counters can be had. */
enum panfrost_counters {
	PANFROST_COUNTERS,
	PANFROST_OFF,     /* the kernel keeps them behind its unstable ioctls */
	PANFROST_UNASKED, /* -b panfrost:fdinfo */
	PANFROST_TAKEN,   /* by another program */
};

/* For the header, and for doctor. */
static const struct {
	const char *note, *lines;
} states[] = {
	[PANFROST_COUNTERS] = {"counting keeps the GPU powered",
			       "counters  by the unstable ioctls, all blocks, one dump a sample\n"
			       "power     the GPU stays powered while malitop counts\n"},
	[PANFROST_OFF] = {"no counters: the kernel keeps them behind its unstable ioctls: echo Y | sudo tee "
			  "/sys/module/panfrost/parameters/unstable_ioctls, then restart malitop",
			  "limited: counters: the kernel keeps them behind its unstable ioctls: "
			  "all views need them; enabling them taints the kernel -> echo Y | sudo tee "
			  "/sys/module/panfrost/parameters/unstable_ioctls, or panfrost.unstable_ioctls=1 "
			  "at boot\n"},
	[PANFROST_UNASKED] = {"no counters: -b panfrost:fdinfo",
			      "counters  not used, because of -b panfrost:fdinfo\n"},
	[PANFROST_TAKEN] =
		{"no counters: another program uses them, and only one can: stop it, and the screen "
		 "counts",
		 "limited: counters: another program uses them, and only one can; all views need "
		 "them -> stop that program\n"},
};

/* The registers of the GPU as the driver reports them. */
struct panfrost_props {
	uint64_t product, revision; /* halves of GPU_ID, as the register has it */
	uint64_t cores, l2_present, l2_features, core_features, mem_features, thread_features;
};

struct panfrost {
	struct drm_gpu gpu;
	struct panfrost_props props;
	enum panfrost_counters counters;
	bool v4;

	/* Used by the sampler: */
	/* The last dump and the next one, DUMP_MOST each; NULL until started. The last one is all
	 * zeros after a start, as the driver's own memory is. */
	uint8_t *dumps[2];
	unsigned last;
	size_t dump_bytes; /* of each that the driver fills */
	bool owned;        /* the counters are ours */
	bool restarted;    /* before the next dump */
	bool unstamped;    /* the GPU's time stamp stands still: that proves nothing */
	uint64_t stamp;    /* of the last dump */
	int64_t asked_ns;  /* the requested interval */
	int64_t next_ns;   /* when the next dump is due */
	int64_t end_ns;    /* of the last sample */
	int64_t dump_ns;   /* how long the last dump took */
	bool failed;       /* the last dump did: the counters have to be started again */
	bool gap;          /* before the next sample */
};

static const struct drm_usage_driver panfrost_usage = {
	.name = "panfrost",
	.engines = {{"fragment", "DRMFragTime", "DRMFragCy"}, {"vertex-tiler", "DRMVertTime", "DRMVertCy"}},
	.n_engines = 2,
	.profiling_on = 1,
	.reports_since = "Linux 6.7 or later",
	.switch_since = "Linux 6.10 and later have one, 6.7 to 6.9 in debugfs, for root",
	.shared = SHARED,
	.unsafe_unbound = true,
};

static bool panfrost_probe(const struct sys *sys, struct source_found **found, struct err *err)
{
	return drm_node_probe(sys, &backend_panfrost, panfrost_usage.name, found, err);
}

/* ---- the registers ---- */

static bool read_props(struct panfrost *p, struct err *err)
{
	static const uint64_t v4_products[] = {T60X, 0x0620, 0x0720};
	struct panfrost_props *props = &p->props;
	const struct {
		enum panfrost_param param;
		uint64_t *value;
		const char *name;
	} members[] = {
		{PANFROST_GPU_PROD_ID, &props->product, "product"},
		{PANFROST_GPU_REVISION, &props->revision, "revision"},
		{PANFROST_SHADER_PRESENT, &props->cores, "shader cores"},
		{PANFROST_L2_PRESENT, &props->l2_present, "L2 caches"},
		{PANFROST_L2_FEATURES, &props->l2_features, "L2 features"},
		{PANFROST_CORE_FEATURES, &props->core_features, "core features"},
		{PANFROST_MEM_FEATURES, &props->mem_features, "memory features"},
		{PANFROST_THREAD_FEATURES, &props->thread_features, "thread features"},
	};

	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		struct panfrost_get_param request = {.param = members[i].param};

		if (!drm_gpu_ask(&p->gpu, PANFROST_GET_PARAM, &request))
			return err_set(err, errno, "%s: cannot query the GPU's %s: %s", p->gpu.path,
				       members[i].name, strerror(errno));
		*members[i].value = request.value;
	}
	if (props->product == T60X_REPORTED)
		props->product = T60X;
	for (size_t i = 0; i < ARRAY_LEN(v4_products); i++)
		p->v4 |= props->product == v4_products[i];
	return (props->product && props->product <= UINT16_MAX && props->cores) ||
	       err_set(err, EPROTO, "%s: the driver reports no GPU id or no shader cores", p->gpu.path);
}

/* Each core group has an L2 cache, with the number of the group's first core. Of several groups the
 * driver powers only the first (panfrost_get_core_mask). */
static uint64_t powered_group(const struct panfrost_props *props)
{
	uint64_t l2 = props->l2_present, group = ~(l2 - 1) & (l2 - 2);

	return l2 != 1 && props->cores & group ? group : UINT64_MAX;
}

static void fill_source(struct source *source, struct panfrost *p)
{
	const struct panfrost_props *props = &p->props;
	uint64_t group = powered_group(props), cores = props->cores & group;
	unsigned slices = gpu_identity_slices((uint32_t)props->mem_features);
	char unused[96];

	snprintf(unused, sizeof(unused), "the driver uses %u of its %u cores, those of the first core group",
		 (unsigned)__builtin_popcountll(cores), (unsigned)__builtin_popcountll(props->cores));
	p->dump_bytes = p->v4 ? (size_t)__builtin_popcountll(props->l2_present) * 8 * BLOCK_BYTES
			      : gpu_dump_bytes(false, slices, props->cores);
	if (p->v4) /* a memory block per core group */
		slices = (unsigned)__builtin_popcountll(props->l2_present & group);
	drm_gpu_fill(&p->gpu, source, &panfrost_usage,
		     &(struct drm_gpu_facts){
			     .id = props->product << 16 | (props->revision & 0xffff),
			     .constants.core_mask = cores,
			     .constants.l2_slice_count = slices,
			     .constants.bus_width_bits = gpu_identity_bus_bits((uint32_t)props->l2_features),
			     .constants.block_values = 64,
			     .core_features = (uint32_t)props->core_features,
			     .thread_features = (uint32_t)props->thread_features,
			     .counts = p->counters == PANFROST_COUNTERS,
			     .notes = {states[p->counters].note, cores != props->cores ? unused : NULL},
		     });
}

/* ---- the counters ---- */

static bool enable_counters(struct panfrost *p, bool on)
{
	struct panfrost_perfcnt_enable request = {.enable = on};

	if (!drm_gpu_ask(&p->gpu, PANFROST_PERFCNT_ENABLE, &request))
		return false;
	p->owned = on;
	return true;
}

/* Whether the kernel would count, without an effect on the GPU: turning off what is not ours fails,
 * after the kernel has looked at its parameter. */
static enum panfrost_counters find_counters(const struct source *source, struct panfrost *p)
{
	const char *interface = source->options.interface;

	if (interface)
		return strcmp(interface, SHARED) == 0 ? PANFROST_TAKEN : PANFROST_UNASKED;
	return enable_counters(p, false) || errno == EINVAL ? PANFROST_COUNTERS : PANFROST_OFF;
}

static bool panfrost_open(struct source *source, const char *device, struct err *err)
{
	struct panfrost *p = source->priv;
	struct err why = {0};

	if (!drm_gpu_open(&p->gpu, source, &panfrost_usage, device, err))
		return false;
	if (!read_props(p, &why))
		return drm_gpu_refuse(&p->gpu, &panfrost_usage, &why, err);
	p->counters = find_counters(source, p);
	fill_source(source, p);
	if (p->counters != PANFROST_COUNTERS) /* so that an unbind does no harm */
		drm_gpu_let_go(&p->gpu);
	return true;
}

/* Take the counters, which powers the GPU until they are released. */
static bool start_counters(struct panfrost *p, struct err *err)
{
	static const struct code_text reasons[] = {
		{EBUSY, "another program counts: stop it, or use -b panfrost:fdinfo"},
		{ENOSYS, "the kernel's unstable ioctls are off"},
		{EINVAL, "the driver refuses the primary counters of this GPU: use -b panfrost:fdinfo"},
		{ENODEV, "the driver has been unbound from the GPU"},
	};
	const char *why;
	int code;

	for (unsigned i = 0; i < 2; i++) {
		p->dumps[i] = sys_map_private(p->gpu.sys, DUMP_MOST);
		if (!p->dumps[i])
			return err_set(err, errno, "%s: no memory for the counters: %s", p->gpu.path,
				       strerror(errno));
	}
	if (enable_counters(p, true))
		return true;
	code = errno;
	why = code_text_find(reasons, ARRAY_LEN(reasons), code);
	return err_set(err, code, "%s: cannot take the counters: %s", p->gpu.path,
		       why ? why : strerror(code));
}

/* No effect if they were not taken. */
static void stop_counters(struct panfrost *p)
{
	if (p->owned)
		enable_counters(p, false);
	p->owned = p->restarted = p->unstamped = false;
	for (unsigned i = 0; i < 2; i++) {
		if (p->dumps[i])
			p->gpu.sys->munmap(p->gpu.sys, p->dumps[i], DUMP_MOST);
		p->dumps[i] = NULL;
	}
}

/* Start them again, from zero, whether they count or not. To turn on what is on has no effect, so
 * it is turned off first, unless another program has taken it. Returns false with errno. */
static bool restart_counters(struct panfrost *p)
{
	if (p->owned && !enable_counters(p, false) && errno != EINVAL)
		return false;
	p->owned = false;
	memset(p->dumps[p->last], 0, p->dump_bytes);
	p->restarted = enable_counters(p, true);
	return p->restarted;
}

/* A reset of the GPU turns its counters off, and the driver does not turn them on again: dumps
 * succeed and are the old one, with its time stamp. If even counters that were just started have
 * the old time stamp, it is one that stands still. */
static bool is_written(struct panfrost *p)
{
	const uint8_t *next = p->dumps[!p->last];
	uint64_t stamp;

	if (memcmp(next, p->dumps[p->last], p->dump_bytes) == 0)
		return p->unstamped;
	memcpy(&stamp, next, sizeof(stamp));
	p->unstamped |= p->restarted && stamp == p->stamp;
	p->restarted = false;
	p->stamp = stamp;
	return true;
}

/* Read the counters into the sample. Fills the time of the dump. Returns false with errno; ESTALE
 * means that a reset of the GPU has turned them off. */
static bool dump_counters(struct panfrost *p, int64_t *at_ns, struct sample *sample)
{
	uint8_t *next = p->dumps[!p->last];
	struct panfrost_perfcnt_dump request = {.buf_ptr = (uintptr_t)next};
	int64_t before_ns = p->gpu.sys->monotonic_ns(p->gpu.sys);
	bool ok = drm_gpu_ask(&p->gpu, PANFROST_PERFCNT_DUMP, &request);
	int saved = errno;

	p->dump_ns = p->gpu.sys->monotonic_ns(p->gpu.sys) - before_ns;
	*at_ns = before_ns + p->dump_ns / 2;
	if (!ok)
		return errno = saved, false;
	if (!is_written(p))
		return errno = ESTALE, false;
	gpu_dump_fold(&(struct gpu_dump){next, p->dump_bytes, p->v4}, &p->gpu.fold, sample->value);
	sample->flags |= gpu_fold_finish(&p->gpu.fold, *at_ns - p->end_ns, sample->value, sample->n_values);
	p->last = !p->last;
	return true;
}

/* ---- samples ---- */

/* The kernel says who has the counters only to who asks for them. */
static bool panfrost_claim(struct source *source, struct err *err)
{
	struct panfrost *p = source->priv;
	bool ok = p->counters != PANFROST_COUNTERS || start_counters(p, err);

	stop_counters(p);
	return ok;
}

static bool panfrost_start(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err)
{
	struct panfrost *p = source->priv;
	bool counts = p->counters == PANFROST_COUNTERS;
	int64_t least = counts ? INTERVAL_LEAST_NS : DRM_USAGE_PERIOD_NS;

	source->period_ns = period_ns < least ? least : period_ns;
	if (counts && source->period_ns > INTERVAL_MOST_NS)
		source->period_ns = INTERVAL_MOST_NS;
	p->asked_ns = source->period_ns;
	p->next_ns = now_ns + source->period_ns;
	p->failed = p->gap = false;
	drm_usage_start(&p->gpu.usage, source->period_ns, now_ns);
	if (counts && !start_counters(p, err))
		return false;
	p->end_ns = counts ? p->gpu.sys->monotonic_ns(p->gpu.sys) : now_ns;
	return true;
}

/* A dump must not take all the time there is: the GPU flushes its caches for it. */
static void follow_dumps(struct source *source, const struct panfrost *p)
{
	int64_t twice = 2 * p->dump_ns;

	if (twice > source->period_ns)
		source->period_ns = twice < INTERVAL_MOST_NS ? twice : INTERVAL_MOST_NS;
	else if (source->period_ns > p->asked_ns && 2 * twice < source->period_ns)
		source->period_ns = source->period_ns / 2 > p->asked_ns ? source->period_ns / 2 : p->asked_ns;
}

/* What the next dump would cover is unknown, so the counters are started again before it. */
static enum read_result fail_sample(struct panfrost *p, int64_t now_ns, struct sample *sample)
{
	static const struct {
		int code;
		enum sample_failure why;
	} reasons[] = {
		{ETIMEDOUT, FAILURE_TIMEOUT}, {ESTALE, FAILURE_RESET}, {ENOSYS, FAILURE_OFF},
		{EINVAL, FAILURE_TAKEN},      {EBUSY, FAILURE_TAKEN},  {EFAULT, FAILURE_UNWRITTEN},
	};
	enum sample_failure why = FAILURE_REFUSED;

	if (errno == ENODEV || errno == EBADF)
		return READ_GONE;
	for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
		if (reasons[i].code == errno)
			why = reasons[i].why;
	p->failed = true;
	sample->begin_ns = p->end_ns;
	sample->end_ns = p->end_ns = now_ns;
	sample->flags |= sample_failed(why);
	return READ_GOT;
}

static enum read_result read_counters(struct source *source, struct panfrost *p, int64_t now_ns,
				      struct sample *sample)
{
	int64_t at_ns;

	if (p->failed) {
		if (!restart_counters(p))
			return fail_sample(p, now_ns, sample);
		p->failed = false;
		p->gap = true;
		p->end_ns = p->gpu.sys->monotonic_ns(p->gpu.sys);
		return READ_NONE;
	}
	if (!dump_counters(p, &at_ns, sample))
		return fail_sample(p, now_ns, sample);
	follow_dumps(source, p);
	sample->begin_ns = p->end_ns;
	sample->end_ns = p->end_ns = at_ns > p->end_ns ? at_ns : p->end_ns + 1;
	if (p->gap)
		sample->flags |= SAMPLE_GAP;
	p->gap = false;
	return READ_GOT;
}

/* Whether the GPU is still there: look at sysfs, or ask for something that the driver keeps in
 * memory. */
static enum read_result read_clients(struct panfrost *p, int64_t now_ns, struct sample *sample)
{
	struct panfrost_get_param request = {.param = PANFROST_GPU_PROD_ID};

	if (p->gpu.fd < 0 ? !drm_gpu_is_there(&p->gpu)
			  : !drm_gpu_ask(&p->gpu, PANFROST_GET_PARAM, &request) && errno == ENODEV)
		return READ_GONE;
	sample->begin_ns = p->end_ns;
	sample->end_ns = p->end_ns = now_ns;
	return READ_GOT;
}

static enum read_result panfrost_read(struct source *source, int64_t now_ns, struct sample *sample)
{
	struct panfrost *p = source->priv;
	bool counts = p->counters == PANFROST_COUNTERS;
	enum read_result got;
	uint64_t active;

	if ((now_ns < p->next_ns && !source->cut) || now_ns <= p->end_ns)
		return READ_NONE;
	if (now_ns >= p->next_ns)
		p->next_ns += source->period_ns * ((now_ns - p->next_ns) / source->period_ns + 1);
	memset(sample->value, 0xff, source->n_slots * sizeof(*sample->value)); /* SAMPLE_UNKNOWN */
	got = counts ? read_counters(source, p, now_ns, sample) : read_clients(p, now_ns, sample);
	if (got == READ_GONE && p->gpu.fd >= 0)
		source->gone = "if its driver was unbound, Linux before 7.3 crashes when a program that has "
			       "the node open ends, malitop included: save your work first";
	if (got != READ_GOT || sample->flags & SAMPLE_ERROR)
		return got;
	sample->flags |= source_stretched(sample->begin_ns, sample->end_ns, source->period_ns);
	active = counts && p->gpu.fold.active >= 0 ? sample->value[p->gpu.fold.active] : SAMPLE_UNKNOWN;
	drm_usage_fill(&p->gpu.usage, sample->end_ns, active, sample);
	source->news = take_ptr(&p->gpu.usage.news);
	return READ_GOT;
}

static void panfrost_stop(struct source *source)
{
	stop_counters(source->priv);
}

static void panfrost_close(struct source *source)
{
	struct panfrost *p = source->priv;

	stop_counters(p);
	drm_gpu_close(&p->gpu);
}

static void panfrost_describe(const struct source *source, struct strbuf *text)
{
	const struct panfrost *p = source->priv;

	drm_gpu_describe(&p->gpu, source, states[p->counters].lines, text);
}

const struct backend backend_panfrost = {
	.name = "panfrost",
	.help = "Mali GPUs with Mesa's kernel driver Panfrost (/dev/dri/renderD*); panfrost:fdinfo does "
		"without its counters",
	.interfaces = "fdinfo",
	.profiles = true,
	.kind = SOURCE_GPU,
	.priv_size = sizeof(struct panfrost),
	.probe = panfrost_probe,
	.open = panfrost_open,
	.start = panfrost_start,
	.read = panfrost_read,
	.stop = panfrost_stop,
	.close = panfrost_close,
	.describe = panfrost_describe,
	.extras = &(const struct backend_extras){.claim = panfrost_claim, .shared = SHARED},
};
