#include "record/history_log.h"

#include "base/alloc.h"
#include "base/real.h"
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_MOST 3000

/* ---- the start block ---- */

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
		.constants = s->constants,
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

/* ---- histories ---- */

struct history_writer {
	const struct history_log *what;
	struct mlog_writer *writer;
	struct log_about log;
	struct sample *sample;
	struct column *columns[SESSION_SOURCES_MAX];
	uint64_t seq[SESSION_SOURCES_MAX];
	int64_t from_ns, to_ns;
};

/* What a source measured in a step, as one sample. */
static bool write_source(struct history_writer *w, unsigned source, int64_t from_ns, int64_t to_ns,
			 struct err *err)
{
	struct column *column = w->columns[source];
	struct sample *s = w->sample;
	uint32_t flags;

	history_span(w->what->histories[source], from_ns, to_ns, column);
	flags = column->flags;
	if (!column->n_samples)
		return true;
	if (column->time_ns) /* failed samples in it have left it whole */
		flags &= ~(sample_failed(FAILURE_UNKNOWN) | SAMPLE_FAILURES);
	*s = (struct sample){.source = source,
			     .n_values = w->what->session->sources[source].n_sums,
			     .flags = flags,
			     .lost = column->lost,
			     .seq = ++w->seq[source],
			     .begin_ns = column->begin_ns,
			     .end_ns = column->end_ns};
	for (unsigned i = 0; i < s->n_values; i++)
		s->value[i] =
			column->value[i] < 0x1p63 ? (uint64_t)real_round(column->value[i]) : SAMPLE_UNKNOWN;
	return mlog_writer_sample(w->writer, s, err);
}

static bool write_steps(struct history_writer *w, struct err *err)
{
	const struct history_log *what = w->what;
	int64_t step_ns = (w->to_ns - w->from_ns) / STEPS_MOST;
	unsigned mark = 0;

	if (step_ns < what->step_ns)
		step_ns = what->step_ns;
	for (int64_t at = w->from_ns; at < w->to_ns; at += step_ns) {
		for (unsigned i = 0; i < what->session->n; i++)
			if (!write_source(w, i, at, at + step_ns, err))
				return false;
		for (; mark < what->n_marks && what->marks[mark].time_ns <= at + step_ns; mark++)
			if (what->marks[mark].time_ns > w->from_ns &&
			    !mlog_writer_note(w->writer, &what->marks[mark], err))
				return false;
		if (!mlog_writer_flush(w->writer, err))
			return false;
	}
	return true;
}

/* Find what is kept, and make room for it. */
static bool prepare_writer(struct history_writer *w, struct err *err)
{
	const struct session *session = w->what->session;
	unsigned most = 0;

	for (unsigned i = 0; i < session->n; i++) {
		const struct history *h = w->what->histories[i];
		int64_t oldest = history_oldest_ns(h), newest = history_newest_ns(h);

		w->columns[i] = history_column_new(h);
		most = session->sources[i].n_slots > most ? session->sources[i].n_slots : most;
		if (oldest && (!w->from_ns || oldest < w->from_ns))
			w->from_ns = oldest;
		w->to_ns = newest > w->to_ns ? newest : w->to_ns;
	}
	if (w->what->from_ns > w->from_ns)
		w->from_ns = w->what->from_ns;
	w->sample = xcalloc(1, sizeof(*w->sample) + most * sizeof(uint64_t));
	return w->to_ns > w->from_ns || err_set(err, 0, "nothing was measured yet");
}

bool history_log(const struct history_log *what, mlog_write_fn *write, void *ctx, struct err *err)
{
	const struct sys *sys = what->session->sys;
	struct history_writer w = {.what = what};
	bool ok = prepare_writer(&w, err);

	log_about_init(&w.log, what->session);
	w.log.about.monotonic_ns = sys->monotonic_ns(sys);
	w.log.about.realtime_ns = sys->realtime_ns(sys);
	if (ok)
		w.writer = mlog_writer_new(&w.log.about, write, ctx, err);
	ok = ok && w.writer && write_steps(&w, err) && mlog_writer_end(w.writer, err);
	mlog_writer_free(w.writer);
	for (unsigned i = 0; i < what->session->n; i++)
		free(w.columns[i]);
	free(w.sample);
	log_about_fini(&w.log);
	return ok;
}
