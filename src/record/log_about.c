#include "record/history_log.h"

#include "base/alloc.h"
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Slot titles are freed with the source; those of its metrics are copies. */
static const char *title_of(const struct metric_set *set, const struct slot *slot)
{
	for (unsigned i = 0; i < set->n_instances; i++) {
		const struct metric_instance *in = &set->instances[i];

		if (in->kind == slot->instance && in->number == slot->number)
			return strcmp(in->title, in->label) == 0 ? NULL : in->title;
	}
	return NULL;
}

static void describe_source(struct mlog_source *log, const struct session_source *s, bool per_core)
{
	unsigned n = per_core ? s->n_slots : s->n_sums;

	*log = (struct mlog_source){
		.kind = s->kind,
		.backend = s->backend ? s->backend->name : "",
		.device = s->device,
		.title = s->title,
		.driver = s->driver,
		.note = s->note,
		.product = s->product ? s->product->name : "",
		.period_ns = s->period_ns ? s->period_ns : s->asked_ns,
		.asked_ns = s->asked_ns,
		.simulated = s->simulated,
		.top_hz = s->top_hz,
		.core_count = s->constants.core_count,
		.l2_slice_count = s->constants.l2_slice_count,
		.bus_width_bits = s->constants.bus_width_bits,
		.block_values = s->constants.block_values,
		.core_mask = s->constants.core_mask,
		.slots = xcalloc(n, sizeof(*log->slots)),
		.n_slots = n,
		.n_sums = s->n_sums,
	};
	memcpy(log->slots, s->set->slots, n * sizeof(*log->slots));
	for (unsigned i = 0; i < n; i++)
		log->slots[i].title = title_of(s->set, &log->slots[i]);
}

static void describe_scope(char *text, size_t size, const struct scope *scope)
{
	static const char *const words[] = {[SCOPE_MACHINE] = "machine",
					    [SCOPE_CPUS] = "cpus",
					    [SCOPE_PROCESS] = "process",
					    [SCOPE_THREAD] = "thread",
					    [SCOPE_COMMAND] = "command"};

	if (scope->kind == SCOPE_CPUS)
		snprintf(text, size, "%s %s", words[scope->kind], scope->cpus);
	else if (scope->kind == SCOPE_PROCESS || scope->kind == SCOPE_THREAD)
		snprintf(text, size, "%s %d", words[scope->kind], (int)scope->pid);
	else
		snprintf(text, size, "%s", words[scope->kind]);
}

void log_about_init(struct log_about *log, const struct session *session)
{
	const struct options *o = session->options;
	struct utsname *m = &log->machine;

	*log = (struct log_about){.control = ""};
	uname(m); /* cannot fail */
	if (o->control && strcmp(o->control, "-") == 0)
		control_vocabulary(log->control);
	snprintf(log->kernel, sizeof(log->kernel), "%s %s %s", m->sysname, m->release, m->machine);
	describe_scope(log->scope, sizeof(log->scope), &session->what.scope);
	log->about = (struct mlog_about){.program = "malitop " PACKAGE_VERSION,
					 .host = m->nodename,
					 .kernel = log->kernel,
					 .scope = log->scope,
					 .control = log->control,
					 .fps = session->fps,
					 .width = session->resolution.w,
					 .height = session->resolution.h,
					 .sources = log->sources,
					 .n_sources = session->n};
	for (unsigned i = 0; i < session->n; i++)
		describe_source(&log->sources[i], &session->sources[i], o->per_core);
}

void log_about_fini(struct log_about *log)
{
	for (unsigned i = 0; i < log->about.n_sources; i++)
		free(log->sources[i].slots);
}
