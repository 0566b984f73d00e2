/* A session begins, opens its devices, one of them again, and ends. */
#include "session/session_priv.h"

#include "base/alloc.h"
#include "base/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HISTORY_NS 60000000000ll /* that a simulated screen begins with */

/* Whose CPU events are counted: in stat those of CMD; record logs the machine while CMD runs. */
static struct scope scope_of(const struct options *o, pid_t held)
{
	if (o->cpus)
		return (struct scope){.kind = SCOPE_CPUS, .cpus = o->cpus};
	if (o->pid)
		return (struct scope){.kind = SCOPE_PROCESS, .pid = (pid_t)o->pid};
	if (o->tid)
		return (struct scope){.kind = SCOPE_THREAD, .pid = (pid_t)o->tid};
	if (held && o->command == COMMAND_STAT)
		return (struct scope){.kind = SCOPE_COMMAND, .pid = held};
	return (struct scope){.kind = SCOPE_MACHINE};
}

/* Add the events of the metrics of each group. */
static bool add_group_needs(struct session *session, struct span groups, struct err *err)
{
	struct span item, metric;

	while ((item = span_item(&groups)).n) {
		const struct cpu_group *group = cpu_group_find(session->db, item);
		AUTO_STRBUF struct strbuf names = {0};

		if (!group) {
			cpu_group_names(session->db, &names);
			return err_set(err, ERR_USAGE, "--group: '%.*s' is unknown: expected %s",
				       item.n < 40 ? (int)item.n : 40, item.p, names.p ? names.p : "");
		}
		for (struct span metrics = group->metrics; (metric = span_word(&metrics)).n;)
			metric_needs_add(session->db, &session->needs, metric);
	}
	return true;
}

/* Which CPU events are counted: those of the metrics, groups and events that were given. All
 * standard ones if nothing was, for a screen, and for a raw counter log. */
static bool find_needs(struct session *session, struct err *err)
{
	static const char beside_events[] =
		"CPUCycles,CPUInstructions,CPUTaskActivity,CPUTaskFrequency,"
		"CPUContextSwitches,CPUMigrations,CPUPageFaults,CPUPageFaultsMajor";
	const struct options *o = session->options;
	const char *metrics = o->metrics ? o->metrics : o->counts;
	bool stat = o->command == COMMAND_STAT,
	     rows = stat || o->command == COMMAND_SERVE ||
		    (o->command == COMMAND_RECORD && o->format != FORMAT_MLOG);

	if (!rows || !(metrics || o->groups || (stat && o->n_events)))
		return true;
	if (!metrics && !o->groups) {
		metrics = beside_events;
		session->what.needs_yield = true;
	}
	if (metrics)
		metric_needs_add(session->db, &session->needs, span_of(metrics));
	if (!add_group_needs(session, span_of(o->groups), err))
		return false;
	session->what.needs = session->needs.needs;
	session->what.n_needs = session->needs.n;
	session->what.needs_only = true;
	return true;
}

static struct source_options source_options_of(const struct session *session, pid_t held, bool per_instance)
{
	const struct options *o = session->options;
	int64_t now_ns = session->sys->monotonic_ns(session->sys), history_ns = 0;

	/* A simulated screen begins with a past, as far as the clock reaches; what is written or
	 * measured is what happens from now on. */
	if (o->command == COMMAND_LIVE && !o->log)
		history_ns = now_ns < HISTORY_NS ? now_ns : HISTORY_NS;

	return (struct source_options){
		.db = session->db,
		.gpu_name = o->gpu,
		.scenario = o->scenario,
		.seed = o->seed,
		.history_ns = history_ns,
		.epoch_ns = now_ns - history_ns,
		.interval_ns = o->interval_ns,
		.frames_per_second = o->fps,
		.width = o->resolution.w,
		.height = o->resolution.h,
		.scope = scope_of(o, held),
		.command = held,
		.raw_counts = held && o->command == COMMAND_STAT,
		.alike = o->command != COMMAND_LIVE,
		.sums_only = held && o->command == COMMAND_STAT && !o->rows,
		.events = o->events,
		.event_groups = o->event_groups,
		.n_events = o->n_events,
		.per_instance = per_instance,
		.hot = o->hot,
		.hot_callers = o->hot_callers,
		.profiling = o->profiling,
	};
}

static void open_devices(void *job)
{
	struct opening *o = job;

	o->ok = devices_open(o->sys, o->options, &o->what, &o->devices, &o->err);
}

static struct opening *opening_new(struct session *session)
{
	struct opening *o = session->opening = xcalloc(1, sizeof(*o));

	*o = (struct opening){.sys = session->sys, .options = session->options, .what = session->what};
	o->db = gpudb_share(session->what.db); /* not that of a reload */
	if (session->needs.n) {                /* the thread may outlive the session */
		o->needs = xmalloc(session->needs.n * sizeof(*o->needs));
		memcpy(o->needs, session->needs.needs, session->needs.n * sizeof(*o->needs));
		o->what.needs = o->needs;
	}
	return o;
}

void opening_drop(void *job)
{
	struct opening *o = job;

	devices_fini(&o->devices);
	gpudb_free(o->db);
	free(o->needs);
	free(o);
}

static struct source *open_lost(struct opening *o, const char *device, struct err *err)
{
	return (o->may_turn ? source_open_free : source_open)(o->sys, o->lost.backend, &o->what, device, err);
}

/* A GPU may come back under another name, because its old node is still open in a program. */
static struct source *open_elsewhere(struct opening *o)
{
	struct source_found *found = NULL, *next;
	struct source *source = NULL;
	struct err ignored;

	if (o->lost.kind == SOURCE_GPU && o->lost.device[0] && o->lost.backend->probe)
		o->lost.backend->probe(o->sys, &found, &ignored);
	for (; found; found = next) {
		bool taken = source || strcmp(found->device, o->lost.device) == 0;

		next = found->next;
		for (size_t i = 0; i < ARRAY_LEN(o->others); i++)
			taken |= strcmp(o->others[i], found->device) == 0;
		if (!taken)
			source = open_lost(o, found->device, &ignored);
		if (source && (source->product != o->lost.product ||
			       source->constants.core_mask != o->lost.constants.core_mask ||
			       source->constants.l2_slice_count != o->lost.constants.l2_slice_count)) {
			source->backend->close(source);
			source_free(take_ptr(&source));
		}
		free(found);
	}
	return source;
}

static void reopen_device(void *job)
{
	struct opening *o = job;
	struct devices *d = &o->devices;
	struct source *source = open_lost(o, o->lost.device, &o->err);

	if (!source && session_is_missing(&o->err))
		source = open_elsewhere(o);
	o->ok = source != NULL;
	if (!source)
		return;
	GROW(d->sources, d->n, d->cap);
	d->sources[d->n++] = source;
}

void session_reopen(struct session *session, const struct session_source *lost, const struct scope *scope)
{
	struct opening *o = opening_new(session);
	struct err ignored;

	o->lost = *lost;
	for (unsigned i = 0; i < session->n; i++)
		snprintf(o->others[i], sizeof(o->others[i]), "%s", session->sources[i].device);
	o->may_turn = !session->keeps_sources && (!o->lost.interface[0] || session_is_shared(lost));
	o->what.interface = o->lost.interface[0] && !o->may_turn ? o->lost.interface : NULL;
	if (scope) {
		o->counts = session->n_asked;
		o->what.scope = *scope;
	}
	session->opener = opener_start(reopen_device, opening_drop, o, &ignored);
}

bool session_begin(struct session *session, const struct sys *sys, const struct options *options, pid_t held,
		   bool per_instance, struct err *err)
{
	const struct gpu_product *product;

	*session = (struct session){.sys = sys,
				    .options = options,
				    .fps = options->fps,
				    .resolution = options->resolution,
				    .keeps_sources = options->command != COMMAND_LIVE};
	session->db = gpudb_load(options->gpudb, options->n_gpudb, err);
	if (session->db && options_budget(options, session->db, err) &&
	    options_gpu(options, session->db, &product, err)) {
		session->what = source_options_of(session, held, per_instance);
		if (find_needs(session, err))
			session->opener = opener_start(open_devices, opening_drop, opening_new(session), err);
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

static bool take_devices(struct session *session, struct devices *opened, struct err *err)
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
		session->sources[i].index =
			sampler_adopt(session->sampler, opened->sources[i], session->options->interval_ns);
	opened->n = 0; /* the sampler owns them now */
	return true;
}

bool session_finish(struct session *session, struct err *err)
{
	struct opening *o = opener_finish(take_ptr(&session->opener));
	bool ok = o->ok;

	if (!ok)
		*err = o->err;
	ok = ok && take_devices(session, &o->devices, err);
	if (ok && o->devices.notes.n)
		strbuf_add(&session->notes, o->devices.notes.p, o->devices.notes.n);
	if (ok) {
		session->no_gpu = o->devices.no_gpu;
		o->devices.no_gpu = (struct strbuf){0};
		session_show_first(session);
		ok = session_mix_first(session, err);
	}
	opening_drop(o);
	if (!ok)
		session_close(session);
	return ok;
}

bool session_open(struct session *session, const struct sys *sys, const struct options *options, pid_t held,
		  bool per_instance, struct err *err)
{
	return session_begin(session, sys, options, held, per_instance, err) && session_finish(session, err);
}

/* Report devices that do not answer, because their last samples are missing. A screen loses nothing
 * by a thread that is only late. */
static void end_sampler(struct session *session)
{
	if (session->sampler && !sampler_end(session->sampler))
		for (unsigned i = 0; i < session->n; i++) {
			const struct session_source *s = &session->sources[i];
			uint32_t whose;
			int64_t ns = sampler_silence(session->sampler, s->index, &whose);

			if (ns && whose == s->index && (session->keeps_sources || ns >= SAMPLER_SILENT_NS))
				message("%s: not responding for %.1f s; its newest samples are missing",
					s->title, (double)ns * 1e-9);
		}
	sampler_free(session->sampler);
}

void session_close(struct session *session)
{
	end_sampler(session);
	template_view_fini(&session->templ);
	for (unsigned i = 0; i < session->n; i++) {
		metric_set_free(session->sources[i].set);
		strbuf_fini(&session->sources[i].about);
	}
	session_mix_fini(session);
	opener_leave(session->opener);
	session_forget_data(session);
	if (session->n_retired)
		session_data_fini(&session->retired[0]);
	free(session->retired);
	gpudb_free(session->db);
	free(session->needs.needs);
	strbuf_fini(&session->notes);
	strbuf_fini(&session->no_gpu);
	*session = (struct session){0};
}
