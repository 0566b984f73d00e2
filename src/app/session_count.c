/* One process or thread whose CPU events are counted alone: a source of its own beside the machine's, so that a log and the history of
 * the machine go on. */
#include "app/session_priv.h"

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

static void leave(struct session *session)
{
	if (session->picked && session->counting)
		sampler_drop(session->sampler, session->picked->index);
	session->counting = false;
	session->changes++;
}

void session_count(struct session *session, const struct scope *scope)
{
	leave(session);
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
	return session_shown(session, SOURCE_PERF) != NULL;
}

void session_try_count(struct session *session)
{
	struct session_source *machine = session_shown(session, SOURCE_PERF);
	struct opening *o;
	struct err ignored;

	if (!session->wants_count || session->opener || !machine)
		return;
	session->wants_count = false;
	o = session->opening = xcalloc(1, sizeof(*o));
	*o = (struct opening){.sys = session->sys, .lost = *machine, .what = session->what, .counts = true};
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

	if (session->wants_count)
		return; /* another one was chosen meanwhile */
	session->counting = o->ok && adopt(session, o->result.sources[0], &err);
	session->changes++;
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
}
