#include "session/session_priv.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING_NS 4000000000ll
#define RING_SAMPLES_MIN 64

/* Whose CPU events. What `stat` runs is what it counts; `record` logs the machine meanwhile. */
static struct scope scope_of(const struct options *o)
{
	if (o->cpus)
		return (struct scope){.kind = SCOPE_CPUS, .cpus = o->cpus};
	if (o->pid)
		return (struct scope){.kind = SCOPE_PROCESS, .pid = (pid_t)o->pid};
	if (o->tid)
		return (struct scope){.kind = SCOPE_THREAD, .pid = (pid_t)o->tid};
	if (o->held && o->command == COMMAND_STAT)
		return (struct scope){.kind = SCOPE_COMMAND, .pid = o->held};
	return (struct scope){.kind = SCOPE_MACHINE};
}

static struct source_options source_options_of(const struct session *session, bool per_instance)
{
	const struct options *o = session->options;

	return (struct source_options){
		.db = session->db,
		.gpu_name = o->gpu,
		.scenario = o->scenario,
		.seed = o->seed,
		.interval_ns = o->interval_ns,
		.frames_per_second = o->fps,
		.width = o->resolution.w,
		.height = o->resolution.h,
		.scope = scope_of(o),
		.raw_counts = o->held && o->command == COMMAND_STAT,
		.events = o->events,
		.n_events = o->n_events,
		.per_instance = per_instance,
	};
}

static struct metric_set *set_of(const struct session *session, const struct source *source, struct err *err)
{
	const struct metric_source what = {
		.product = source->product,
		.layout = source->layout,
		.slots = source->slots,
		.n_slots = source->n_slots,
		.core_count = source->constants.core_count,
		.l2_slice_count = source->constants.l2_slice_count,
		.bus_width_bits = source->constants.bus_width_bits,
		.definitions = session->options->definitions,
	};

	return metric_set_new(session->db, &what, err);
}

bool session_take_source(struct session *session, const struct source *source, struct err *err)
{
	struct session_source *mine = &session->sources[session->n];

	if (session->n == SESSION_SOURCES_MAX)
		return err_set(err, 0, "more than %d devices: choose with --backend or --device", SESSION_SOURCES_MAX);
	if (session->options->definitions == DEFINITIONS_GUIDE && source->product &&
	    !template_guide_of(session->db, source->product))
		return err_set(err, ERR_USAGE, "--definitions guide: %s has no guide: Mali-G52, Mali-G715 and Mali-G625 have one",
			       source->product->name);
	*mine = (struct session_source){
		.backend = source->backend,
		.kind = source->kind,
		.simulated = source->simulated,
		.top_hz = source->constants.top_hz,
		.n_slots = source->n_slots,
		.n_sums = source->n_sums,
		.constants = source->constants,
		.product = source->product,
		.asked_ns = session->options->interval_ns,
	};
	snprintf(mine->device, sizeof(mine->device), "%s", source->device);
	snprintf(mine->interface, sizeof(mine->interface), "%s", source->interface);
	str_printable(mine->title, sizeof(mine->title), source->title);
	str_printable(mine->driver, sizeof(mine->driver), source->driver);
	str_printable(mine->note, sizeof(mine->note), source->note);
	if (source->note[0])
		strbuf_printf(&session->notes, "%s\n", source->note);
	mine->set = set_of(session, source, err);
	session->n += mine->set != NULL;
	return mine->set != NULL;
}

static void opening_call(void *job)
{
	struct opening *o = job;

	o->ok = registry_open(o->sys, o->options, &o->what, &o->result, &o->err);
}

void opening_drop(void *job)
{
	struct opening *o = job;

	registry_result_fini(&o->result);
	gpudb_free(o->db);
	free(o);
}

bool session_begin(struct session *session, const struct sys *sys, const struct options *options, bool per_instance,
		   struct err *err)
{
	const struct gpu_product *product;

	*session = (struct session){.sys = sys, .options = options, .fps = options->fps, .resolution = options->resolution};
	session->db = gpudb_load(options->gpudb, options->n_gpudb, err);
	if (session->db && options_gpu(options, session->db, &product, err)) {
		session->what = source_options_of(session, per_instance);
		session->opening = xcalloc(1, sizeof(*session->opening));
		*session->opening = (struct opening){.sys = sys, .options = options, .what = session->what};
		session->opener = opener_start(opening_call, opening_drop, session->opening, err);
	}
	if (session->opener)
		return true;
	session_close(session);
	return false;
}

int session_opening_fd(const struct session *session)
{
	return opener_fd(session->opener);
}

static bool take_all(struct session *session, struct registry_result *opened, struct err *err)
{
	for (unsigned i = 0; i < opened->n; i++)
		if (!session_take_source(session, opened->sources[i], err))
			return false;
	if (!opened->n)
		return err_set(err, 0, "nothing to measure: no source could be opened; try --demo");
	session->sampler = sampler_new(session->sys, err);
	if (!session->sampler)
		return false;
	for (unsigned i = 0; i < opened->n; i++)
		session->sources[i].index = sampler_adopt(session->sampler, opened->sources[i], session->options->interval_ns);
	opened->n = 0; /* they are the sampler's now */
	return true;
}

static void show_gpu(struct session *session, struct session_source *gpu)
{
	template_view_fini(&session->templ);
	session->gpu = gpu;
	if (gpu)
		template_view_init(&session->templ, session->db, gpu->set);
}

void session_show_first(struct session *session)
{
	for (unsigned i = session->n; i-- > 0;)
		if (source_is_device(session->sources[i].kind, session->sources[i].device, session->options->device))
			session->gpu = &session->sources[i];
	show_gpu(session, session->gpu);
}

bool session_finish(struct session *session, struct err *err)
{
	struct opening *o = opener_finish(take_ptr(&session->opener));
	bool ok = o->ok;

	if (!ok)
		*err = o->err;
	ok = ok && take_all(session, &o->result, err);
	if (ok && o->result.notes.n)
		strbuf_add(&session->notes, o->result.notes.p, o->result.notes.n);
	if (ok)
		session_show_first(session);
	opening_drop(o);
	if (!ok)
		session_close(session);
	return ok;
}

bool session_open(struct session *session, const struct sys *sys, const struct options *options, bool per_instance,
		  struct err *err)
{
	return session_begin(session, sys, options, per_instance, err) && session_finish(session, err);
}

void session_tell_notes(const struct session *session, const char *about)
{
	struct span rest = {session->notes.p, session->notes.n};

	while (rest.n) {
		struct span line = span_until(&rest, '\n');

		fprintf(stderr, "malitop: %s%s%.*s\n", about ? about : "", about ? ": " : "", SPAN_ARG(line));
	}
}

void session_close(struct session *session)
{
	sampler_free(session->sampler);
	template_view_fini(&session->templ);
	for (unsigned i = 0; i < session->n; i++)
		metric_set_free(session->sources[i].set);
	if (session->opener) {
		session->opening->db = take_ptr(&session->db); /* its sources know products of it */
		opener_leave(session->opener);
	}
	gpudb_free(session->db);
	strbuf_fini(&session->notes);
	*session = (struct session){0};
}

struct session_source *session_shown(struct session *session, enum source_kind kind)
{
	if (kind == SOURCE_GPU)
		return session->gpu;
	if (kind == SOURCE_PERF && session->counting)
		return session->picked;
	for (unsigned i = 0; i < session->n; i++)
		if (session->sources[i].kind == kind && &session->sources[i] != session->picked)
			return &session->sources[i];
	return NULL;
}

unsigned session_gpus(const struct session *session, unsigned *shown)
{
	unsigned n = 0;

	*shown = 0;
	for (unsigned i = 0; i < session->n; i++) {
		const struct session_source *s = &session->sources[i];

		n += s->kind == SOURCE_GPU;
		if (s == session->gpu)
			*shown = n;
	}
	return n;
}

bool session_next_gpu(struct session *session)
{
	unsigned at = session->gpu ? (unsigned)(session->gpu - session->sources) : 0;

	for (unsigned i = 1; i < session->n; i++) {
		struct session_source *s = &session->sources[(at + i) % session->n];

		if (s->kind != SOURCE_GPU)
			continue;
		show_gpu(session, s);
		return true;
	}
	return false;
}

struct ring *session_ring(struct session *session, bool instances)
{
	struct ring *ring;
	size_t bytes = 0;

	for (unsigned i = 0; i < session->n; i++) {
		const struct session_source *s = &session->sources[i];
		int64_t samples = s->kind != SOURCE_CPU ? RING_NS / s->asked_ns + 1 : 0;

		bytes += ring_bytes(samples > RING_SAMPLES_MIN ? (size_t)samples : RING_SAMPLES_MIN,
				    instances ? s->n_slots : s->n_sums);
	}
	ring = ring_new(bytes);
	sampler_attach(session->sampler, ring, instances);
	return ring;
}
