#include "app/registry.h"

#include "base/alloc.h"
#include "config.h"

#include "backends/backends.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct backend *const registry[] = {
#ifdef WITH_KBASE
	&backend_kbase,
#endif
#ifdef WITH_PROC
	&backend_proc,
#endif
#ifdef WITH_SIM
	&backend_sim,
#endif
	NULL,
};

const struct registry_driver registry_drivers[] = {
	{"kbase", "dev", "mali", "kbase"},
	{"Panfrost and Panthor", "dev/dri", "renderD", "panfrost"},
	{NULL, NULL, NULL, NULL},
};

const struct backend *registry_find(struct span name)
{
	for (unsigned i = 0; registry[i]; i++)
		if (span_is(name, registry[i]->name))
			return registry[i];
	return NULL;
}

void source_free(struct source *source)
{
	if (!source)
		return;
	free(source->slots);
	free(source->priv);
	free(source);
}

void registry_result_fini(struct registry_result *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		r->sources[i]->backend->close(r->sources[i]);
		source_free(r->sources[i]);
	}
	free(r->sources);
	strbuf_fini(&r->notes);
	*r = (struct registry_result){0};
}

struct source *source_open(const struct sys *sys, const struct backend *backend, const struct source_options *what,
			   const char *device, struct err *err)
{
	struct source *source = xcalloc(1, sizeof(*source));

	*source = (struct source){.backend = backend, .sys = sys, .options = *what};
	snprintf(source->device, sizeof(source->device), "%s", device);
	snprintf(source->interface, sizeof(source->interface), "%s", what->interface ? what->interface : "");
	source->options.interface = source->interface[0] ? source->interface : NULL;
	source->priv = xcalloc(1, backend->priv_size);
	if (!backend->open(source, device, err)) {
		source_free(source);
		return NULL;
	}
	if (!source->n_sums)
		source->n_sums = source->n_slots;
	return source;
}

static bool open_one(const struct sys *sys, const struct backend *backend, const struct source_options *options,
		     const char *device, struct registry_result *r, struct err *err)
{
	struct source *source = source_open(sys, backend, options, device, err);

	if (!source)
		return false;
	GROW(r->sources, r->n, r->cap);
	r->sources[r->n++] = source;
	return true;
}

/* All devices that a backend finds; `asked`: failing is an error and not a note. */
static bool open_found(const struct sys *sys, const struct backend *backend, const struct source_options *options,
		       const char *device, bool asked, struct registry_result *r, struct err *err)
{
	struct source_found *found = NULL, *next;
	bool ok = backend->probe(sys, &found, err);

	if (ok && asked && !found)
		ok = open_one(sys, backend, options, device ? device : "", r, err); /* let it say what is missing */
	for (; found; found = next) {
		next = found->next;
		if (ok && (!device || !found->device[0] || strcmp(device, found->device) == 0))
			ok = open_one(sys, backend, options, found->device, r, err);
		free(found);
	}
	if (ok || asked)
		return ok;
	strbuf_printf(&r->notes, "%s\n", err->text);
	return true;
}

static bool has_gpu(const struct registry_result *r)
{
	for (unsigned i = 0; i < r->n; i++)
		if (r->sources[i]->kind == SOURCE_GPU)
			return true;
	return false;
}

static bool node_exists(const struct sys *sys, const struct registry_driver *driver)
{
	bool found = false;
	char **names;
	int n = sys->list(sys, driver->dir, &names);

	for (int i = 0; i < n; i++)
		found = found || strncmp(names[i], driver->prefix, strlen(driver->prefix)) == 0;
	if (n >= 0)
		sys_names_free(names, n);
	return found;
}

/* One line: which drivers were looked for, what of them is there, and what to try. */
static void note_no_gpu(const struct sys *sys, struct registry_result *r)
{
	strbuf_str(&r->notes, "no GPU: looked for");
	for (const struct registry_driver *d = registry_drivers; d->driver; d++)
		strbuf_printf(&r->notes, "%s %s (/%s/%s*: %s)", d == registry_drivers ? "" : ",", d->driver, d->dir, d->prefix,
			      !node_exists(sys, d)                         ? "not there"
			      : registry_find(span_of(d->backend)) == NULL ? "there, but this build has no backend for it"
									   : "there");
	strbuf_str(&r->notes, "; try --demo\n");
}

/* Is the name in the list? *interface is what stands behind its colon. */
static bool is_listed(const char *list, const char *name, struct span *interface)
{
	struct span rest = span_of(list);

	while (rest.n) {
		*interface = span_trim(span_until(&rest, ','));
		if (span_is(span_until(interface, ':'), name))
			return true;
	}
	return false;
}

static bool check_list(const char *list, struct err *err)
{
	struct span rest = span_of(list);

	while (rest.n) {
		struct span item = span_trim(span_until(&rest, ',')), name = span_until(&item, ':');

		if (!registry_find(name))
			return err_set(err, ERR_USAGE,
				       "--backend: '%.*s' is not a backend of this build: try `malitop list backends`",
				       SPAN_ARG(name));
	}
	return true;
}

bool registry_open(const struct sys *sys, const struct options *options, const struct source_options *what,
		   struct registry_result *r, struct err *err)
{
	AUTO_STRBUF struct strbuf kept = {0};
	const char *list = options_backends(options, &kept);

	if (!check_list(options->backends, err))
		return false;
	if (options->scenario && !registry_find(span_of("sim")))
		return err_set(err, ERR_USAGE, "--demo: this build has no simulator: configure it without --disable-sim");
	for (unsigned i = 0; registry[i]; i++) {
		bool is_sim = strcmp(registry[i]->name, "sim") == 0, asked;
		struct span interface = {0};
		AUTOFREE char *text = NULL;
		struct source_options own = *what;

		asked = is_listed(list, registry[i]->name, &interface);
		if (list ? !asked : is_sim)
			continue;
		own.interface = text = interface.n ? span_dup(interface) : NULL;
		if (!open_found(sys, registry[i], &own, options->device, asked, r, err))
			return false;
	}
	if (options->device && !has_gpu(r))
		return err_set(err, ENODEV, "--device: %s: no backend of this build found a GPU there: is it the right node?",
			       options->device);
	if (!has_gpu(r) && !list)
		note_no_gpu(sys, r);
	return true;
}
