/* Count the CPU events of one process or thread alone. It gets a source of its own, so that the
 * machine keeps its history and the process starts with an empty one. The machine's events are
 * paused meanwhile: the kernel serves CPU-wide events before those of threads, so that multiplexed
 * events would leave no counters for the thread. */
#include "session/session_priv.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static struct session_source *machine_of(struct session *session)
{
	for (unsigned i = 0; i < session->n; i++)
		if (session->sources[i].kind == SOURCE_PERF && &session->sources[i] != session->picked)
			return &session->sources[i];
	return NULL;
}

/* Have the machine's source reopened, like a lost device. */
static void bring_back(struct session *session)
{
	struct session_source *machine = machine_of(session);

	if (machine->away == AWAY_ASIDE)
		machine->retry_ns = 0;
}

void session_count(struct session *session, const struct scope *scope)
{
	if (session->counting) {
		sampler_drop(session->sampler, session->picked->index);
		session->counting = false;
		session->changes++;
		bring_back(session);
	}
	session->n_asked++;
	session->wants_count = scope != NULL;
	if (scope)
		session->wanted = *scope;
}

void session_choose_frames(struct session *session, pid_t pid)
{
	const struct session_source *frames = session_shown(session, SOURCE_PASSES);

	if (frames && session->sampler)
		sampler_choose(session->sampler, frames->index, pid);
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

	if (!session->wants_count || session->opener || !machine)
		return;
	session->wants_count = false;
	/* Before groups are tested on its counters, even while it is away: a returning source is
	 * already in the sampler before its start is reported. */
	session_drop(session, machine, AWAY_ASIDE, INT64_MAX);
	session_reopen(session, machine, &session->wanted);
}

/* The first counted process gets a new source index; later ones reuse it. */
static bool adopt_counted(struct session *session, struct source *source, struct err *err)
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
		return err_set(err, EINVAL,
			       "%s: has different events than the process counted before: restart malitop "
			       "with --pid",
			       source->title);
	}
	picked->away = AWAY_NOT;
	picked->epoch++;
	return true;
}

void session_take_counted(struct session *session, struct opening *o, char *text, size_t size)
{
	struct err err = o->err;

	session->counting =
		o->counts == session->n_asked && o->ok && adopt_counted(session, o->devices.sources[0], &err);
	session->changes++;
	if (!session->counting && !session->wants_count)
		bring_back(session);
	if (o->counts != session->n_asked)
		return; /* another one was chosen since, or none */
	if (session->counting) {
		o->devices.n = 0; /* the sampler owns it now */
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
