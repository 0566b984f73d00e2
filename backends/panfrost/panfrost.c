#include "backends/panfrost/panfrost.h"

#include "backends/backends.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define INTERVAL_LEAST_NS 10000000ll  /* each dump is requested, and flushes the GPU's caches */
#define SHARED "shared"               /* the interface beside a program that counts */
#define INTERVAL_MOST_NS 1000000000ll /* a 32-bit cycle counter overflows after some seconds */

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

/* ---- opening ---- */

static void fill_source(struct source *source, struct panfrost *p)
{
	static const char *const notes[] = {
		[PANFROST_COUNTERS] = "counting keeps the GPU powered",
		[PANFROST_OFF] = ("no counters: the kernel keeps them behind its unstable ioctls: "
				  "echo Y | sudo tee /sys/module/panfrost/parameters/unstable_ioctls, then "
				  "restart malitop"),
		[PANFROST_UNASKED] = "no counters: -b panfrost:fdinfo",
		[PANFROST_TAKEN] =
			("no counters: another program has them, and only one can: stop it, and the "
			 "screen counts"),
	};
	uint64_t cores = panfrost_used_cores(&p->props);
	char group[96];

	snprintf(group, sizeof(group), "the driver uses %u of its %u cores, those of the first core group",
		 (unsigned)__builtin_popcountll(cores), (unsigned)__builtin_popcountll(p->props.cores));
	drm_gpu_fill(&p->gpu, source, &panfrost_usage,
		     &(struct drm_gpu_facts){
			     .id = panfrost_gpu_id(&p->props),
			     .core_mask = cores,
			     .slices = panfrost_slices(&p->props),
			     .bus_bits = panfrost_bus_bits(&p->props),
			     .block_values = 64,
			     .core_features = (uint32_t)p->props.core_features,
			     .thread_features = (uint32_t)p->props.thread_features,
			     .counts = p->counters == PANFROST_COUNTERS,
			     .notes = {notes[p->counters], cores != p->props.cores ? group : NULL},
		     });
}

static enum panfrost_counters find_counters(const struct source *source, const struct panfrost *p)
{
	const char *interface = source->options.interface;

	if (interface)
		return strcmp(interface, SHARED) == 0 ? PANFROST_TAKEN : PANFROST_UNASKED;
	return panfrost_offers_counters(p) ? PANFROST_COUNTERS : PANFROST_OFF;
}

static bool panfrost_open(struct source *source, const char *device, struct err *err)
{
	struct panfrost *p = source->priv;
	struct err why = {0};

	if (!drm_gpu_open(&p->gpu, source, &panfrost_usage, device, err))
		return false;
	if (!panfrost_read_props(p, &why))
		return drm_gpu_refuse(&p->gpu, &panfrost_usage, &why, err);
	p->v4 = panfrost_is_v4(&p->props);
	p->dump_bytes = panfrost_dump_bytes(&p->props);
	p->counters = find_counters(source, p);
	fill_source(source, p);
	return true;
}

/* ---- samples ---- */

/* The kernel says who has the counters only to who asks for them. */
static bool panfrost_claim(struct source *source, struct err *err)
{
	struct panfrost *p = source->priv;
	bool ok = p->counters != PANFROST_COUNTERS || panfrost_counters_start(p, err);

	panfrost_counters_stop(p);
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
	if (counts && !panfrost_counters_start(p, err))
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
static enum read_result fail_sample(struct source *source, struct panfrost *p, int code,
				    struct sample *sample)
{
	if (code == ENODEV || code == EBADF)
		return READ_GONE;
	p->failed = true;
	source->failure = panfrost_counters_failure(code);
	sample->begin_ns = sample->end_ns = p->end_ns;
	sample->flags |= SAMPLE_ERROR;
	return READ_GOT;
}

static enum read_result resume_counters(struct source *source, struct panfrost *p, struct sample *sample)
{
	if (!panfrost_counters_restart(p))
		return fail_sample(source, p, errno, sample);
	p->failed = false;
	p->gap = true;
	p->end_ns = p->gpu.sys->monotonic_ns(p->gpu.sys);
	return READ_NONE;
}

static enum read_result read_counters(struct source *source, struct panfrost *p, struct sample *sample)
{
	int64_t at_ns;

	if (p->failed)
		return resume_counters(source, p, sample);
	if (!panfrost_counters_dump(p, &at_ns, sample->value, source->n_slots))
		return fail_sample(source, p, errno, sample);
	follow_dumps(source, p);
	sample->begin_ns = p->end_ns;
	sample->end_ns = p->end_ns = at_ns > p->end_ns ? at_ns : p->end_ns + 1;
	if (p->gap)
		sample->flags |= SAMPLE_GAP;
	p->gap = false;
	return READ_GOT;
}

/* Ask for something that the driver keeps in memory, to see whether it is still there. */
static bool is_gone(const struct panfrost *p)
{
	struct panfrost_get_param request = {.param = PANFROST_GPU_PROD_ID};

	return !drm_gpu_ask(&p->gpu, PANFROST_GET_PARAM, &request) && errno == ENODEV;
}

static enum read_result read_clients(struct panfrost *p, int64_t now_ns, struct sample *sample)
{
	if (is_gone(p))
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

	if (now_ns < p->next_ns && !source->cut)
		return READ_NONE;
	if (now_ns <= p->end_ns)
		return READ_NONE;
	if (now_ns >= p->next_ns)
		p->next_ns += source->period_ns * ((now_ns - p->next_ns) / source->period_ns + 1);
	memset(sample->value, 0xff, source->n_slots * sizeof(*sample->value)); /* SAMPLE_UNKNOWN */
	source->failure = NULL;
	got = counts ? read_counters(source, p, sample) : read_clients(p, now_ns, sample);
	if (got != READ_GOT || sample->flags & SAMPLE_ERROR)
		return got;
	if (sample->end_ns - sample->begin_ns > source->period_ns + source->period_ns / 2)
		sample->flags |= SAMPLE_STRETCHED;
	active = counts && p->gpu.fold.active >= 0 ? sample->value[p->gpu.fold.active] : SAMPLE_UNKNOWN;
	drm_usage_fill(&p->gpu.usage, sample->end_ns, active, sample);
	return READ_GOT;
}

static void panfrost_stop(struct source *source)
{
	panfrost_counters_stop(source->priv);
}

static void panfrost_close(struct source *source)
{
	struct panfrost *p = source->priv;

	panfrost_counters_stop(p);
	drm_gpu_close(&p->gpu);
}

static void panfrost_describe(const struct source *source, struct strbuf *text)
{
	static const char *const counters[] = {
		[PANFROST_COUNTERS] = "counters  by the unstable ioctls, all blocks, one dump a sample\n"
				      "power     the GPU stays powered while malitop counts\n",
		[PANFROST_OFF] = "limited: counters: the kernel keeps them behind its unstable ioctls, or "
				 "panfrost.unstable_ioctls=1 at boot: they give all views, and the kernel "
				 "then calls itself tainted -> echo Y | sudo tee "
				 "/sys/module/panfrost/parameters/unstable_ioctls\n",
		[PANFROST_UNASKED] = "counters  not used, because of -b panfrost:fdinfo\n",
		[PANFROST_TAKEN] = "limited: counters: another program has them, and only one can: they give "
				   "all views -> stop that program\n",
	};
	const struct panfrost *p = source->priv;

	drm_gpu_describe(&p->gpu, source, counters[p->counters], text);
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
