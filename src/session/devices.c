#include "session/devices.h"

#include "backends/registry.h"
#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void source_free(struct source *source)
{
	if (!source)
		return;
	free(source->slots);
	free(source->priv);
	gpudb_free(source->db);
	free(source);
}

void devices_fini(struct devices *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		r->sources[i]->backend->close(r->sources[i]);
		source_free(r->sources[i]);
	}
	free(r->sources);
	strbuf_fini(&r->notes);
	strbuf_fini(&r->no_gpu);
	*r = (struct devices){0};
}

struct source *source_open(const struct sys *sys, const struct backend *backend,
			   const struct source_options *what, const char *device, struct err *err)
{
	struct source *source = xcalloc(1, sizeof(*source));

	*source = (struct source){.backend = backend, .sys = sys, .options = *what, .kind = backend->kind};
	source->db = gpudb_share(what->db);
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
	source->slots_room = source->n_slots + !source->n_slots;
	source->slots = xreallocarray(source->slots, source->slots_room, sizeof(*source->slots));
	return source;
}

struct source *source_open_free(const struct sys *sys, const struct backend *backend,
				const struct source_options *what, const char *device, struct err *err)
{
	const struct backend_extras *extras = backend_extras(backend);
	struct source *source = source_open(sys, backend, what, device, err);
	struct source_options shared = *what;
	struct err why;

	if (!source || !extras->claim || extras->claim(source, &why) || why.code != EBUSY)
		return source;
	backend->close(source);
	source_free(source);
	shared.interface = extras->shared;
	return source_open(sys, backend, &shared, device, err);
}

/* State of devices_open. */
struct device_walk {
	const struct sys *sys;
	const char *device; /* --device, or NULL; it is an error if this one cannot be opened */
	const struct options *options;
	bool alone; /* no other GPU is opened */
	struct devices *r;
	struct strbuf nodes;    /* that were found: " /dev/mali0 /dev/mali1" */
	struct strbuf failures; /* of GPUs, a line each */
};

static void note_failure(struct device_walk *w, const struct backend *backend, const struct err *err)
{
	char shown[sizeof(err->text)];

	strbuf_printf(&w->r->notes, "%s\n", err->text);
	if (backend->kind == SOURCE_GPU)
		strbuf_printf(&w->failures, "\n%s\n", str_printable(shown, sizeof(shown), err->text));
}

static bool open_one(struct device_walk *w, const struct backend *backend,
		     const struct source_options *options, const char *device, struct err *err)
{
	struct devices *r = w->r;
	struct source *source = source_open_free(w->sys, backend, options, device, err);

	if (!source)
		return false;
	GROW(r->sources, r->n, r->cap);
	r->sources[r->n++] = source;
	return true;
}

/* Open a device that was found. A failure is a note, unless --device named the device. */
static bool open_node(struct device_walk *w, const struct backend *backend,
		      const struct source_options *options, const char *node, bool *failed, struct err *err)
{
	bool named = w->device && strcmp(node, w->device) == 0;

	if (node[0])
		strbuf_printf(&w->nodes, " %s", node);
	if (w->alone && w->device && node[0] && !named)
		return true;
	if (open_one(w, backend, options, node, err))
		return true;
	note_failure(w, backend, err);
	*failed = true;
	return !named;
}

/* Open all devices that a backend finds. `asked` makes it an error if none of them opens. */
static bool open_found(struct device_walk *w, const struct backend *backend,
		       const struct source_options *options, bool asked, struct err *err)
{
	struct source_found *found = NULL, *next;
	unsigned before = w->r->n;
	bool ok = backend->probe(w->sys, &found, err), failed = !ok;

	if (failed && !asked)
		note_failure(w, backend, err);
	if (ok && asked && !found)
		return open_one(w, backend, options, w->device ? w->device : "",
				err); /* let it say what is missing */
	for (ok = ok || !asked; found; found = next) {
		next = found->next;
		ok = ok && open_node(w, backend, options, found->device, &failed, err);
		free(found);
	}
	return ok && !(asked && failed && w->r->n == before);
}

bool source_is_device(enum source_kind kind, const char *node, const char *device)
{
	return kind == SOURCE_GPU && (!device || !node[0] || strcmp(node, device) == 0);
}

/* Whether a GPU was opened: the one that --device names, if it names one. */
static bool has_device(const struct device_walk *w)
{
	for (unsigned i = 0; i < w->r->n; i++)
		if (source_is_device(w->r->sources[i]->kind, w->r->sources[i]->device, w->device))
			return true;
	return false;
}

/* Describe a driver's nodes for a message. Displays and other GPUs have nodes of the same name. */
static void describe_nodes(const struct device_walk *w, const struct registry_driver *d, char *text,
			   size_t size)
{
	const struct sys *sys = w->sys;
	char **names, driver[32];
	int n = sys->list(sys, d->dir, &names);
	AUTOFREE char *node = xasprintf(" /%s/%s", d->dir, d->prefix);
	/* A backend found one by its name, though /dev may not be listed, as on Android. */
	bool found = w->nodes.n && strstr(w->nodes.p, node);

	snprintf(text, size, found ? "there" : "not there");
	for (int i = 0; i < n && !found; i++) {
		found = registry_is_node(sys, d, names[i], driver, sizeof(driver));
		if (found)
			snprintf(text, size, "there%s",
				 registry_driver_backend(d, driver) ? ""
				 : driver[0] || !d->modules         ? ", but this build has no backend for it"
								    : ", but its kernel driver is unknown");
		else if (driver[0])
			snprintf(text, size, "of %s, not a Mali driver", driver);
	}
	sys_names_free(names, n);
}

/* Which drivers were looked for, what of them is there, why it could not be opened, and what to
 * try: as a line, and at length. */
static void note_no_gpu(struct device_walk *w)
{
	struct devices *r = w->r;
	char nodes[80];

	strbuf_str(&r->notes, "no GPU: looked for");
	strbuf_str(&r->no_gpu, "looked for\n");
	for (const struct registry_driver *d = registry_drivers; d->driver; d++) {
		describe_nodes(w, d, nodes, sizeof(nodes));
		strbuf_printf(&r->notes, "%s %s (/%s/%s*: %s)", d == registry_drivers ? "" : ",", d->driver,
			      d->dir, d->prefix, nodes);
		strbuf_printf(&r->no_gpu, "/%s/%s*\t%s\n", d->dir, d->prefix, nodes);
	}
	strbuf_str(&r->notes, "; try --demo\n");
	strbuf_printf(&r->no_gpu, "%s\n", w->failures.n ? w->failures.p : "");
	strbuf_str(&r->no_gpu, "to try\n"
			       "malitop doctor\tsays why, step by step\n"
			       "malitop --demo\ta simulated GPU\n"
			       "malitop run.mlog\treplay of a log\n");
}

/* Whether the list holds the name. *interface gets the part after its colon. */
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

/* The option that asks for CPU events, or for those of a process, a thread or some CPUs; NULL if
 * there is none. */
static const char *asks_for_events(const struct source_options *what)
{
	static const char *const options[] = {
		[SCOPE_CPUS] = "cpu", [SCOPE_PROCESS] = "pid", [SCOPE_THREAD] = "tid"};

	if (what->n_events)
		return "event";
	return (size_t)what->scope.kind < ARRAY_LEN(options) ? options[what->scope.kind] : NULL;
}

/* It is an error if CPU events were asked for and no source counts them. */
static bool check_events(const struct device_walk *w, const struct source_options *what, struct err *err)
{
	const char *option = asks_for_events(what);
	bool counted = !option;

	for (unsigned i = 0; i < w->r->n; i++)
		counted |= w->r->sources[i]->kind == SOURCE_PERF;
	return counted || err_set(err, ERR_USAGE, "--%s: nothing counts CPU events: %s", option,
				  registry_find(SPAN_LIT("perf")) ? "add perf to --backend"
								  : "build malitop without --disable-perf");
}

static bool lists_cpu(const char *list)
{
	struct span interface;

	for (unsigned i = 0; registry[i]; i++)
		if ((registry[i]->kind == SOURCE_CPU || registry[i]->kind == SOURCE_PERF) &&
		    !registry[i]->part_of && is_listed(list, registry[i]->name, &interface))
			return true;
	return false;
}

/* Whether a part is opened together with what the list names. `sim:gpu` is the GPU alone, and so is
 * `sim` beside this machine's CPU sources. */
static bool has_part(const char *list, const struct backend *part)
{
	struct span interface = {0};

	return list && is_listed(list, part->part_of, &interface) && !interface.n && !lists_cpu(list);
}

const struct process_reader *devices_processes(const struct options *options)
{
	AUTO_STRBUF struct strbuf kept = {0};
	const char *list = options_backends(options, &kept);

	for (unsigned i = 0; registry[i]; i++)
		if (backend_extras(registry[i])->processes && has_part(list, registry[i]))
			return backend_extras(registry[i])->processes;
	return NULL;
}

/* Applications come and go while a live screen runs, and the reader of a stream may ask for hot
 * functions as a screen does. There is no harm if it cannot listen. */
static bool listens_by_default(const struct options *options, const struct backend *backend)
{
	bool live = options->command == COMMAND_LIVE;
	bool has_reader = options->control && strcmp(options->control, "-") == 0;

	return (backend->kind == SOURCE_PASSES && live) ||
	       (backend->kind == SOURCE_HOT && (live || has_reader));
}

static bool open_all(struct device_walk *w, const struct source_options *what, const char *list,
		     struct err *err)
{
	for (unsigned i = 0; registry[i]; i++) {
		bool asked, failed = false;
		struct span interface = {0};
		AUTOFREE char *text = NULL;
		struct source_options own = *what;

		if (registry[i]->part_of) {
			if (has_part(list, registry[i]) && !open_node(w, registry[i], what, "", &failed, err))
				return false;
			continue;
		}
		asked = is_listed(list, registry[i]->name, &interface);
		asked |= w->options->passes && registry[i]->kind == SOURCE_PASSES &&
			 (!w->options->scenario || w->options->cmd); /* the simulated game has its own */
		asked |= w->options->hot && registry[i]->kind == SOURCE_HOT;
		if (!asked &&
		    (list || (registry[i]->asked_only && !listens_by_default(w->options, registry[i]))))
			continue;
		asked = asked || (asks_for_events(what) && registry[i]->kind == SOURCE_PERF);
		own.interface = text = interface.n ? span_dup(interface) : NULL;
		if (!open_found(w, registry[i], &own, asked, err))
			return false;
	}
	if (!check_events(w, what, err))
		return false;
	return !w->device || has_device(w) ||
	       err_set(err, ENODEV, "--device: %s: no backend of this build found a GPU there: %s%s",
		       w->device, w->nodes.n ? "there are" : "is it the right node?",
		       w->nodes.n ? w->nodes.p : "");
}

bool devices_open(const struct sys *sys, const struct options *options, const struct source_options *what,
		  struct devices *r, struct err *err)
{
	struct device_walk w = {.sys = sys,
				.options = options,
				.device = options->device,
				.alone = options->command == COMMAND_RECORD ||
					 options->command == COMMAND_STAT ||
					 options->command == COMMAND_SERVE,
				.r = r};
	AUTO_STRBUF struct strbuf kept = {0};
	const char *list = options_backends(options, &kept);
	bool ok, needs_gpu = options->command != COMMAND_STAT ||
			     (!options->cmd && what->scope.kind == SCOPE_MACHINE);

	if (options->scenario && !registry_find(span_of("sim")))
		return err_set(err, ERR_USAGE,
			       "--demo: this build has no simulator: build malitop without --disable-sim");
	ok = open_all(&w, what, list, err);
	if (ok && !has_device(&w) && !list && needs_gpu)
		note_no_gpu(&w);
	strbuf_fini(&w.nodes);
	strbuf_fini(&w.failures);
	return ok;
}

void devices_nodes(const struct sys *sys, const struct options *options, struct strbuf *nodes)
{
	AUTO_STRBUF struct strbuf kept = {0};
	const char *list = options_backends(options, &kept);
	struct source_found *found = NULL, *next;
	struct span interface;
	struct err ignored;

	for (unsigned i = 0; registry[i]; i++)
		if (registry[i]->kind == SOURCE_GPU && !registry[i]->part_of &&
		    (list ? is_listed(list, registry[i]->name, &interface) : !registry[i]->asked_only))
			registry[i]->probe(sys, &found, &ignored);
	for (; found; found = next) {
		next = found->next;
		if (found->device[0] && (!options->device || strcmp(options->device, found->device) == 0))
			strbuf_printf(nodes, "%s ", found->device);
		free(found);
	}
}
