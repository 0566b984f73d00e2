/* What becomes of a GPU while it is there: not to be counted, so that it may sleep, to have the
 * kernel time its queues, and to be measured without its counters while another program has them.
 * Its source is closed, and opened again to go on. */
#include "session/session_priv.h"

#include <stdio.h>
#include <string.h>

bool session_next_gpu(struct session *session)
{
	unsigned at = session->gpu ? (unsigned)(session->gpu - session->sources) : 0;

	for (unsigned i = 1; i < session->n; i++) {
		struct session_source *s = &session->sources[(at + i) % session->n];

		if (s->kind != SOURCE_GPU || s->away == AWAY_TURNED)
			continue;
		session_show_gpu(session, s);
		session_mix(session, NULL); /* the formulas are the same as at the start */
		return true;
	}
	return false;
}

void session_drop(struct session *session, struct session_source *s, enum session_away why, int64_t retry_ns)
{
	sampler_drop(session->sampler, s->index);
	s->away = why;
	s->retry_ns = retry_ns;
}

bool session_gpu_is_paused(const struct session *session)
{
	return session->gpu && session->gpu->paused;
}

static void pause_source(struct session *session, struct session_source *s, enum session_away why)
{
	s->paused = true;
	session_drop(session, s, why, INT64_MAX);
}

static void resume_source(struct session_source *s)
{
	s->paused = false;
	s->retry_ns = 0;
}

void session_pause_gpu(struct session *session, bool pause)
{
	if (pause)
		pause_source(session, session->gpu, AWAY_PAUSED);
	else if (session->gpu->away == AWAY_PAUSED)
		resume_source(session->gpu);
}

void session_rest(struct session *session, bool rest)
{
	session->rests = rest;
	for (unsigned i = 0; i < session->n; i++) {
		struct session_source *s = &session->sources[i];

		if (rest && s->keeps_powered && !s->paused)
			pause_source(session, s, AWAY_RESTS);
		else if (!rest && s->paused && s->away == AWAY_RESTS)
			resume_source(s);
	}
}

void session_profile(struct session *session, bool on)
{
	session->what.profiling = on;
	if (!session->gpu->paused)
		session_drop(session, session->gpu, AWAY_SWITCHED, 0);
}

/* ---- counters that only one program can have ---- */

bool session_is_shared(const struct session_source *s)
{
	const char *shared = backend_extras(s->backend)->shared;

	return shared && strcmp(s->interface, shared) == 0;
}

bool session_should_ask(const struct session *session, const struct session_source *s)
{
	return !s->away && session_is_shared(s) && !session->rests && !session->keeps_sources;
}

/* A device has two sources at most, which take turns. */
static struct session_source *find_turned(struct session *session, const struct session_source *s,
					  const struct source *source)
{
	for (unsigned i = 0; i < session->n; i++) {
		struct session_source *other = &session->sources[i];

		if (other->away == AWAY_TURNED && other->backend == s->backend &&
		    strcmp(other->device, s->device) == 0 && session_is_same(other, source))
			return other;
	}
	return NULL;
}

bool session_turn(struct session *session, struct session_source *s, struct source *source, char *text,
		  size_t size)
{
	struct session_source *other = find_turned(session, s, source);
	struct err err;

	if (!other && !session_take_source(session, source, &err)) {
		session_drop(session, s, AWAY_CHANGED, INT64_MAX);
		str_printable(text, size, err.text);
		return false;
	}
	session_drop(session, s, AWAY_TURNED, INT64_MAX);
	if (other) {
		other->away = AWAY_SWITCHED;
		other->asked_ns = s->asked_ns;
		other->requested = s->requested;
		sampler_readopt(session->sampler, other->index, source, s->asked_ns);
	} else {
		other = &session->sources[session->n - 1];
		other->asked_ns = s->asked_ns;
		other->requested = s->requested;
		other->index = sampler_adopt(session->sampler, source, s->asked_ns);
	}
	if (session->gpu == s)
		session_show_gpu(session, other);
	session_mix(session, NULL); /* the formulas are the same as at the start */
	session->changes++;
	snprintf(text, size, "%s: %s", other->title,
		 session_is_shared(other)
			 ? "another program uses its counters: showing what the driver reports"
			 : "its counters are free: counting");
	return true;
}
