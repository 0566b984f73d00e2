#include "backends/registry.h"

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
#ifdef WITH_PERF
	&backend_perf,
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

	*source = (struct source){.backend = backend, .sys = sys, .options = *what, .kind = backend->kind};
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

/* What registry_open takes from backend to backend. */
struct walk {
	const struct sys *sys;
	const char *device; /* --device, or NULL: a failure to open this one is an error */
	bool alone;         /* no other GPU is opened */
	struct registry_result *r;
	struct strbuf nodes; /* that were found: " /dev/mali0 /dev/mali1" */
};

static bool open_one(struct walk *w, const struct backend *backend, const struct source_options *options, const char *device,
		     struct err *err)
{
	struct registry_result *r = w->r;
	struct source *source = source_open(w->sys, backend, options, device, err);

	if (!source)
		return false;
	GROW(r->sources, r->n, r->cap);
	r->sources[r->n++] = source;
	return true;
}

/* One of the devices there are. What fails is a note, unless it was named. */
static bool open_node(struct walk *w, const struct backend *backend, const struct source_options *options, const char *node,
		      bool *failed, struct err *err)
{
	bool named = w->device && strcmp(node, w->device) == 0;

	if (node[0])
		strbuf_printf(&w->nodes, " %s", node);
	if (w->alone && w->device && node[0] && !named)
		return true;
	if (open_one(w, backend, options, node, err))
		return true;
	strbuf_printf(&w->r->notes, "%s\n", err->text);
	*failed = true;
	return !named;
}

/* All devices that a backend finds; `asked`: when none of them opens, that is an error. */
static bool open_found(struct walk *w, const struct backend *backend, const struct source_options *options, bool asked,
		       struct err *err)
{
	struct source_found *found = NULL, *next;
	unsigned before = w->r->n;
	bool ok = backend->probe(w->sys, &found, err), failed = !ok;

	if (failed && !asked)
		strbuf_printf(&w->r->notes, "%s\n", err->text);
	if (ok && asked && !found)
		return open_one(w, backend, options, w->device ? w->device : "", err); /* let it say what is missing */
	for (ok = ok || !asked; found; found = next) {
		next = found->next;
		ok = ok && open_node(w, backend, options, found->device, &failed, err);
		free(found);
	}
	return ok && !(asked && failed && w->r->n == before);
}

static bool has_gpu(const struct registry_result *r)
{
	for (unsigned i = 0; i < r->n; i++)
		if (r->sources[i]->kind == SOURCE_GPU)
			return true;
	return false;
}

bool source_is_device(enum source_kind kind, const char *node, const char *device)
{
	return kind == SOURCE_GPU && (!device || !node[0] || strcmp(node, device) == 0);
}

static bool check_device(const struct walk *w, struct err *err)
{
	for (unsigned i = 0; i < w->r->n; i++)
		if (source_is_device(w->r->sources[i]->kind, w->r->sources[i]->device, w->device))
			return true;
	return err_set(err, ENODEV, "--device: %s: no backend of this build found a GPU there: %s%s", w->device,
		       w->nodes.n ? "there are" : "is it the right node?", w->nodes.n ? w->nodes.p : "");
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

/* Events that were asked for and that nobody counts are no silence. */
static bool check_events(const struct walk *w, const struct source_options *what, struct err *err)
{
	bool counted = !what->n_events;

	for (unsigned i = 0; i < w->r->n; i++)
		counted |= w->r->sources[i]->kind == SOURCE_PERF;
	return counted ||
	       err_set(err, ERR_USAGE, "--event: nothing counts CPU events: %s",
		       registry_find(SPAN_LIT("perf")) ? "add perf to --backend" : "configure this build without --disable-perf");
}

static bool open_all(struct walk *w, const struct source_options *what, const char *list, struct err *err)
{
	for (unsigned i = 0; registry[i]; i++) {
		bool is_sim = strcmp(registry[i]->name, "sim") == 0, asked;
		struct span interface = {0};
		AUTOFREE char *text = NULL;
		struct source_options own = *what;

		asked = is_listed(list, registry[i]->name, &interface);
		if (list ? !asked : is_sim)
			continue;
		asked = asked || (what->n_events && registry[i]->kind == SOURCE_PERF);
		own.interface = text = interface.n ? span_dup(interface) : NULL;
		if (!open_found(w, registry[i], &own, asked, err))
			return false;
	}
	return check_events(w, what, err) && (!w->device || check_device(w, err));
}

bool registry_open(const struct sys *sys, const struct options *options, const struct source_options *what,
		   struct registry_result *r, struct err *err)
{
	struct walk w = {.sys = sys,
			 .device = options->device,
			 .alone = options->command == COMMAND_RECORD || options->command == COMMAND_STAT,
			 .r = r};
	AUTO_STRBUF struct strbuf kept = {0};
	const char *list = options_backends(options, &kept);
	bool ok;

	if (!check_list(options->backends, err))
		return false;
	if (options->scenario && !registry_find(span_of("sim")))
		return err_set(err, ERR_USAGE, "--demo: this build has no simulator: configure it without --disable-sim");
	ok = open_all(&w, what, list, err);
	strbuf_fini(&w.nodes);
	if (ok && !has_gpu(r) && !list)
		note_no_gpu(sys, r);
	return ok;
}
