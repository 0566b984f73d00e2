#include "backends/drm/drm_gpu.h"

#include "backends/gpu/gpu_identity.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool drm_gpu_is_there(const struct drm_gpu *g)
{
	return !g->watched || drm_node_exists(g->sys, drm_node_name(g->path));
}

static void close_node(struct drm_gpu *g)
{
	if (g->fd >= 0 && drm_gpu_is_there(g))
		g->sys->close(g->sys, g->fd);
	g->fd = -1;
}

bool drm_gpu_open(struct drm_gpu *g, const struct source *source, const struct drm_usage_driver *driver,
		  const char *device, struct err *err)
{
	const char *interface = source->options.interface;
	struct err why = {0};

	g->sys = source->sys;
	g->fd = -1;
	str_printable(g->path, sizeof(g->path), device);
	if (interface && strcmp(interface, "fdinfo") != 0 &&
	    !(driver->shared && strcmp(interface, driver->shared) == 0))
		return err_set(err, ERR_USAGE, "--backend: %s:%.40s: expected %s:fdinfo", driver->name,
			       interface, driver->name);
	g->watched = driver->unsafe_unbound && drm_node_exists(g->sys, drm_node_name(device));
	g->fd = drm_node_open(g->sys, device, driver->name, &g->version, &why);
	return g->fd >= 0 || drm_gpu_refuse(g, driver, &why, err);
}

bool drm_gpu_refuse(struct drm_gpu *g, const struct drm_usage_driver *driver, const struct err *why,
		    struct err *err)
{
	close_node(g);
	return err_set(err, why->code, "%s: %s: try `malitop doctor`", driver->name, why->text);
}

static void add_note(struct source *source, const char *words)
{
	size_t n = strlen(source->note);

	snprintf(source->note + n, sizeof(source->note) - n, "%s%s", n ? "; " : "", words);
}

static void add_slots(struct drm_gpu *g, struct source *source, const struct drm_usage_driver *driver,
		      bool counts)
{
	unsigned clocks;

	source->layout = source->product ? source->product->layout : gpudb_raw_layout(source->options.db);
	clocks = counts ? source_add_gpu_sums(source) : source_add_gpu_clock(source);
	drm_usage_open(&g->usage, g->sys, driver, g->path, g->fd, source->options.profiling);
	drm_usage_add_slots(&g->usage, source, clocks, counts);
	source->n_sums = source->n_slots;
	if (counts) {
		source_add_gpu_instances(source);
		gpu_fold_init(&g->fold, source);
	}
}

void drm_gpu_fill(struct drm_gpu *g, struct source *source, const struct drm_usage_driver *driver,
		  const struct drm_gpu_facts *facts)
{
	AUTO_STRBUF struct strbuf note = {0};
	bool assumed;

	g->id = facts->id;
	source->product = gpu_identity_find(source, g->id, &assumed);
	source->constants = facts->constants;
	source->constants.core_count = (unsigned)__builtin_popcountll(facts->constants.core_mask);
	g->n_engines = gpu_identity_engines(source->product, facts->core_features, facts->thread_features,
					    source->constants.core_count);
	gpu_identity_name(source, g->id, assumed);
	snprintf(source->driver, sizeof(source->driver), "%s %d.%d%s", driver->name, g->version.major,
		 g->version.minor, facts->counts ? "" : ", no counters");
	if (!facts->counts)
		source->note[0] = 0; /* there are none to be unknown */
	for (unsigned i = 0; i < 2; i++)
		if (facts->notes[i])
			add_note(source, facts->notes[i]);
	source->keeps_powered = source->untried = facts->counts;
	add_slots(g, source, driver, facts->counts);
	drm_usage_note(&g->usage, g->path, &note);
	if (note.n)
		add_note(source, note.p);
}

void drm_gpu_let_go(struct drm_gpu *g)
{
	if (g->watched)
		close_node(g);
}

bool drm_gpu_ask(const struct drm_gpu *g, unsigned long request, void *arg)
{
	if (!drm_gpu_is_there(g))
		return errno = ENODEV, false;
	return g->sys->drm_ioctl(g->sys, g->fd, request, arg) == 0;
}

void drm_gpu_close(struct drm_gpu *g)
{
	gpu_fold_fini(&g->fold);
	drm_usage_close(&g->usage);
	close_node(g);
}

void drm_gpu_describe(const struct drm_gpu *g, const struct source *source, const char *counters,
		      struct strbuf *text)
{
	strbuf_printf(text, "\ndevice    %s, GPU id 0x%" PRIx64 "\n", g->path, g->id);
	strbuf_printf(text, "driver    %s %d.%d\n", source->backend->name, g->version.major,
		      g->version.minor);
	drm_usage_describe_gives(&g->usage, text);
	strbuf_str(text, counters);
	gpu_identity_describe(&source->constants, g->n_engines, text);
	drm_usage_describe(&g->usage, text);
}
