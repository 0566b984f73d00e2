/* One process or thread whose CPU events are counted alone: by a source of its own, so that the machine keeps its history and the process
 * begins with none. The machine's own events are set aside meanwhile: the kernel gives CPUs their counters before threads, and where
 * events take turns nothing would be left for the thread. */
#include "session/session_priv.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void reopen(void *job)
{
	struct opening *o = job;
	struct source *source = source_open(o->sys, o->lost.backend, &o->what, "", &o->err);

	o->ok = source != NULL;
	if (!source)
		return;
	o->result.sources = xcalloc(1, sizeof(*o->result.sources));
	o->result.sources[o->result.n++] = source;
}

static struct session_source *machine_of(struct session *session)
{
	for (unsigned i = 0; i < session->n; i++)
		if (session->sources[i].kind == SOURCE_PERF && &session->sources[i] != session->picked)
			return &session->sources[i];
	return NULL;
}

static void set_aside(struct session *session)
{
	struct session_source *machine = machine_of(session);

	if (!machine->away)
		sampler_drop(session->sampler, machine->index);
	machine->away = AWAY_ASIDE;
	machine->retry_ns = INT64_MAX;
}

/* It is opened again as a device that was lost. */
static void bring_back(struct session *session)
{
	struct session_source *machine = machine_of(session);

	if (machine->away == AWAY_ASIDE)
		machine->retry_ns = 0;
}

static void leave(struct session *session)
{
	if (!session->counting)
		return;
	sampler_drop(session->sampler, session->picked->index);
	session->counting = false;
	session->changes++;
	bring_back(session);
}

void session_count(struct session *session, const struct scope *scope)
{
	leave(session);
	session->n_asked++;
	session->wants_count = scope != NULL;
	if (scope)
		session->wanted = *scope;
}

bool session_is_counting(const struct session *session)
{
	return session->counting || session->wants_count || (session->opener && session->opening->counts);
}

bool session_can_count(struct session *session)
{
	return machine_of(session) != NULL;
}

void session_try_count(struct session *session)
{
	struct session_source *machine = machine_of(session);
	struct opening *o;
	struct err ignored;

	if (!session->wants_count || session->opener || !machine)
		return;
	session->wants_count = false;
	set_aside(session); /* before groups are tried out on its counters */
	o = session->opening = xcalloc(1, sizeof(*o));
	*o = (struct opening){.sys = session->sys, .lost = *machine, .what = session->what, .counts = session->n_asked};
	o->what.scope = session->wanted;
	session->opener = opener_start(reopen, opening_drop, o, &ignored);
}

/* The first one takes a seat; those after it sit down in the same one. */
static bool adopt(struct session *session, struct source *source, struct err *err)
{
	struct session_source *picked = session->picked;

	if (!picked) {
		if (!session_take_source(session, source, err))
			return false;
		picked = session->picked = &session->sources[session->n - 1];
		picked->index = sampler_adopt(session->sampler, source, picked->asked_ns);
	} else if (session_is_same(picked, source)) {
		str_printable(picked->title, sizeof(picked->title), source->title);
		sampler_readopt(session->sampler, picked->index, source, picked->asked_ns);
	} else {
		return err_set(err, EINVAL, "%s: has other events than what was counted before: start malitop with --pid",
			       source->title);
	}
	picked->away = AWAY_NOT;
	picked->epoch++;
	return true;
}

void session_take_counted(struct session *session, struct opening *o, char *text, size_t size)
{
	struct err err = o->err;

	session->counting = o->counts == session->n_asked && o->ok && adopt(session, o->result.sources[0], &err);
	session->changes++;
	if (!session->counting && !session->wants_count)
		bring_back(session);
	if (o->counts != session->n_asked)
		return; /* another one was chosen meanwhile, or none */
	if (session->counting) {
		o->result.n = 0; /* it is the sampler's now */
		snprintf(text, size, "counting %s: see the CPU view", session->picked->title);
	} else {
		str_printable(text, size, err.text);
	}
}

void session_lose_counted(struct session *session, char *text, size_t size)
{
	snprintf(text, size, "%s: has ended", session->picked->title);
	session->counting = false;
	session->changes++;
	bring_back(session);
}
