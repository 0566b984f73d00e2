#include "backends/registry.h"

#include "backends/backends.h"
#include "backends/drm/drm_node.h"
#include "base/alloc.h"
#include "config.h"

#include <string.h>

const struct backend *const registry[] = {
#ifdef WITH_KBASE
	&backend_kbase,
#endif
#ifdef WITH_PANFROST
	&backend_panfrost,
#endif
#ifdef WITH_PANTHOR
	&backend_panthor,
#endif
#ifdef WITH_PROC
	&backend_proc,
#endif
#ifdef WITH_PERF
	&backend_perf,
#endif
#ifdef WITH_PASSES
	&backend_passes,
#endif
#ifdef WITH_PERF
	&backend_perf_hot, /* after what ends at once when a measurement does */
#endif
#ifdef WITH_SIM
	&backend_sim,
	&backend_sim_cpu,
	&backend_sim_perf,
	&backend_sim_passes,
#endif
	NULL,
};

const struct registry_driver registry_drivers[] = {
	{"kbase", "dev", "mali", "kbase", NULL},
	{"Panfrost and Panthor", "dev/dri", "renderD", NULL, "panfrost panthor"},
	{NULL, NULL, NULL, NULL, NULL},
};

const struct backend *registry_find(struct span name)
{
	for (unsigned i = 0; registry[i]; i++)
		if (!registry[i]->part_of && span_is(name, registry[i]->name))
			return registry[i];
	return NULL;
}

void registry_words(struct strbuf *text)
{
	const char *comma = "";

	for (unsigned i = 0; registry[i]; i++) {
		struct span rest = span_of(registry[i]->interfaces), interface;

		if (registry[i]->part_of)
			continue;
		strbuf_printf(text, "%s%s", comma, registry[i]->name);
		comma = ", ";
		while ((interface = span_word(&rest)).n)
			strbuf_printf(text, ", %s:%.*s", registry[i]->name, SPAN_ARG(interface));
	}
	if (!comma[0])
		strbuf_str(text, "none");
}

static bool is_word(const char *words, struct span word)
{
	struct span rest = span_of(words);

	while (rest.n)
		if (span_eq(span_word(&rest), word))
			return true;
	return false;
}

bool registry_check(const char *list, struct err *err)
{
	AUTO_STRBUF struct strbuf words = {0};
	struct span rest = span_of(list);

	do {
		struct span item = span_until(&rest, ','), interface = item;
		const struct backend *backend = registry_find(span_until(&interface, ':'));

		if (backend && (span_is(item, backend->name) ||
				(interface.n && is_word(backend->interfaces, interface))))
			continue;
		registry_words(&words);
		return err_set(err, 0, "unknown '%.*s' in this build: expected a list of %s",
			       item.n > 40 ? 40 : (int)item.n, item.p, words.p);
	} while (rest.n);
	return true;
}

bool registry_is_node(const struct sys *sys, const struct registry_driver *d, const char *node, char *driver,
		      size_t size)
{
	driver[0] = 0;
	return strncmp(node, d->prefix, strlen(d->prefix)) == 0 &&
	       (!d->modules || !drm_node_driver(sys, node, driver, size) ||
		is_word(d->modules, span_of(driver)));
}

const struct backend *registry_driver_backend(const struct registry_driver *d, const char *driver)
{
	return registry_find(span_of(d->backend ? d->backend : driver));
}
