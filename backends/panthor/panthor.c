#include "backends/panthor/panthor.h"

#include "backends/backends.h"
#include "backends/gpu/gpu_identity.h"
#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define INTERVAL_LEAST_NS 10000000ll /* each sample is requested from the firmware */
#define SLACK_NS 1000000ll           /* tolerance for the driver's stamps */

static const struct drm_usage_driver panthor_usage = {
	.name = "panthor",
	.engines = {{"panthor", "DRMAllTime", "DRMAllCy"}},
	.n_engines = 1,
	.profiling_on = 3, /* cycles and times; 1 would be cycles alone */
	.reports_since = "Linux 6.13 or later",
	.switch_since = "Linux 6.13 and later have one",
};

static bool panthor_probe(const struct sys *sys, struct source_found **found, struct err *err)
{
	return drm_node_probe(sys, &backend_panthor, panthor_usage.name, found, err);
}

/* ---- opening ---- */

static bool read_info(struct panthor *p, struct err *err)
{
	p->info_size = panthor_query(p, PANTHOR_GPU_INFO, &p->info, sizeof(p->info));
	if (!p->info_size)
		return err_set(err, errno, "%s: cannot query the GPU: %s", p->gpu.path, strerror(errno));
	return (p->info.gpu_id && p->info.shader_present) ||
	       err_set(err, EPROTO, "%s: the driver reports no GPU id or no shader cores", p->gpu.path);
}

static void fill_source(struct source *source, struct panthor *p)
{
	bool wide = p->info_size >= sizeof(p->info) && p->info.gpu_id >> 28 == 15;
	const char *note =
		p->interface ? "counting keeps the GPU powered; its interface is not in mainline Linux"
		: source->options.interface ? "no counters: -b panthor:fdinfo"
					    : "no counters: mainline Linux has none for this driver";

	drm_gpu_fill(&p->gpu, source, &panthor_usage,
		     &(struct drm_gpu_facts){
			     .id = p->info.gpu_id | (wide ? (uint64_t)p->info.gpu_id_hi << 32 : 0),
			     .constants.core_mask = p->info.shader_present,
			     .constants.l2_slice_count = gpu_identity_slices(p->info.mem_features),
			     .constants.bus_width_bits = gpu_identity_bus_bits(p->info.l2_features),
			     .constants.block_values = p->extent.info.counters_per_block,
			     .core_features = p->info.core_features,
			     .thread_features = p->info.thread_features,
			     .counts = p->interface != NULL,
			     .notes = {note},
		     });
}

static bool panthor_open(struct source *source, const char *device, struct err *err)
{
	struct panthor *p = source->priv;
	struct err why = {0};

	p->event = p->handle = -1;
	if (!drm_gpu_open(&p->gpu, source, &panthor_usage, device, err))
		return false;
	if (!read_info(p, &why))
		return drm_gpu_refuse(&p->gpu, &panthor_usage, &why, err);
	if (!source->options.interface)
		panthor_find_counters(p);
	fill_source(source, p);
	return true;
}

/* ---- samples ---- */

static bool panthor_start(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err)
{
	struct panthor *p = source->priv;
	int64_t least = p->interface ? INTERVAL_LEAST_NS : DRM_USAGE_PERIOD_NS;

	source->period_ns = period_ns < least ? least : period_ns;
	p->next_ns = now_ns + source->period_ns;
	drm_usage_start(&p->gpu.usage, source->period_ns, now_ns);
	if (p->interface && !panthor_counters_start(p, err))
		return false;
	p->end_ns = p->interface ? p->gpu.sys->monotonic_ns(p->gpu.sys) : now_ns;
	p->end_raw_ns = p->gpu.sys->raw_ns(p->gpu.sys);
	return true;
}

/* Place a sample in time. The driver stamps by another clock, and a stamp may be any number.
 * Flags a sample that is not valid. */
static void place_sample(struct panthor *p, const struct panthor_sample_header *h, struct sample *sample)
{
	int64_t before = p->gpu.sys->monotonic_ns(p->gpu.sys), raw = p->gpu.sys->raw_ns(p->gpu.sys);
	int64_t offset = before + (p->gpu.sys->monotonic_ns(p->gpu.sys) - before) / 2 - raw;
	int64_t begin_ns = (int64_t)h->begin_ns, end_ns = (int64_t)h->end_ns;

	if (h->flags & p->interface->stretched_flag)
		sample->flags |= SAMPLE_STRETCHED;
	sample->begin_ns = sample->end_ns = p->end_ns;
	if (end_ns > raw + SLACK_NS || end_ns <= p->end_raw_ns || begin_ns > end_ns ||
	    begin_ns < p->end_raw_ns - SLACK_NS) {
		sample->flags |= sample_failed(FAILURE_STAMPS);
		return;
	}
	if (begin_ns > p->end_raw_ns + SLACK_NS) {
		sample->flags |= SAMPLE_GAP;
		sample->begin_ns = begin_ns + offset;
	}
	p->end_raw_ns = end_ns;
	sample->end_ns = end_ns + offset > p->end_ns ? end_ns + offset : p->end_ns + 1;
	p->end_ns = sample->end_ns;
	if (h->flags & p->interface->error_flag)
		sample->flags |= sample_failed(FAILURE_UNREAD);
	else if (h->flags & PANTHOR_SAMPLE_OVERFLOW)
		sample->flags |= sample_failed(FAILURE_OVERFLOW);
}

static enum read_result read_counters(struct source *source, struct panthor *p, bool due,
				      struct sample *sample)
{
	uint64_t *clock = sample->value + p->gpu.usage.clock_slot;
	struct panthor_sample_header header;
	enum read_result got;

	if (due && !p->requested && !panthor_counters_request(p))
		return READ_GONE;
	got = panthor_counters_take(p, &header, sample->value);
	if (got != READ_GOT)
		return got;
	sample->flags |= gpu_fold_finish(&p->gpu.fold, source->period_ns, sample->value, source->n_slots);
	place_sample(p, &header, sample);
	if (sample->flags & SAMPLE_ERROR)
		return READ_GOT;
	drm_usage_fill(&p->gpu.usage, sample->end_ns,
		       p->gpu.fold.active < 0 ? SAMPLE_UNKNOWN : sample->value[p->gpu.fold.active], sample);
	/* Counted clock cycles are better than those of the reported frequency. */
	if (header.top_cycles && header.top_cycles < GPU_OVERFLOW)
		clock[GPU_CLOCK_CY] = header.top_cycles;
	if (header.shader_cycles && header.shader_cycles < GPU_OVERFLOW)
		clock[GPU_CLOCK_SHADER_CY] = header.shader_cycles;
	return READ_GOT;
}

/* Whether the GPU is still there: ask for something that the driver keeps in memory. */
static enum read_result read_clients(struct panthor *p, int64_t now_ns, struct sample *sample)
{
	errno = 0;
	if (!panthor_query(p, PANTHOR_GPU_INFO, NULL, 0) && errno == ENODEV)
		return READ_GONE;
	sample->begin_ns = p->end_ns;
	sample->end_ns = p->end_ns = now_ns;
	drm_usage_fill(&p->gpu.usage, now_ns, SAMPLE_UNKNOWN, sample);
	return READ_GOT;
}

static enum read_result panthor_read(struct source *source, int64_t now_ns, struct sample *sample)
{
	struct panthor *p = source->priv;
	bool due = now_ns >= p->next_ns || source->cut;
	enum read_result got;

	if ((!due && !p->requested) || now_ns <= p->end_ns)
		return READ_NONE;
	if (now_ns >= p->next_ns)
		p->next_ns += source->period_ns * ((now_ns - p->next_ns) / source->period_ns + 1);
	memset(sample->value, 0xff, source->n_slots * sizeof(*sample->value)); /* SAMPLE_UNKNOWN */
	got = p->interface ? read_counters(source, p, due, sample) : read_clients(p, now_ns, sample);
	source->news = take_ptr(&p->gpu.usage.news);
	if (got == READ_GOT)
		sample->flags |= source_stretched(sample->begin_ns, sample->end_ns, source->period_ns);
	return got;
}

static void panthor_stop(struct source *source)
{
	panthor_counters_stop(source->priv);
}

static void panthor_close(struct source *source)
{
	struct panthor *p = source->priv;

	panthor_counters_stop(p);
	drm_gpu_close(&p->gpu);
}

static void panthor_describe(const struct source *source, struct strbuf *text)
{
	const struct panthor *p = source->priv;
	AUTO_STRBUF struct strbuf counters = {0};

	if (p->interface)
		strbuf_printf(&counters,
			      "counters  by the interface %s, which mainline Linux does not have\n"
			      "power     the GPU stays powered while malitop counts\n",
			      p->interface->name);
	else if (source->options.interface)
		strbuf_str(&counters, "counters  not used, because of -b panthor:fdinfo\n");
	else
		strbuf_str(&counters,
			   "limited: counters: mainline Linux has none for Panthor, so no command gets "
			   "them: a kernel with Arm's driver (kbase) does\n");
	drm_gpu_describe(&p->gpu, source, counters.p, text);
}

const struct backend backend_panthor = {
	.name = "panthor",
	.help = "Mali GPUs with Mesa's kernel driver Panthor (/dev/dri/renderD*); panthor:fdinfo does "
		"without counters",
	.interfaces = "fdinfo",
	.profiles = true,
	.kind = SOURCE_GPU,
	.priv_size = sizeof(struct panthor),
	.probe = panthor_probe,
	.open = panthor_open,
	.start = panthor_start,
	.read = panthor_read,
	.stop = panthor_stop,
	.close = panthor_close,
	.describe = panthor_describe,
};
