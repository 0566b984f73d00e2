/* What happens to the sources of a session: they start, correct their interval, go, and come back. */
#include "session/session_priv.h"

#include "base/alloc.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define NEVER INT64_MAX
#define SETTLE_NS 500000000ll

static const char *const away_texts[] = {
	[AWAY_NOT] = NULL,
	[AWAY_GONE] = "gone, trying again",
	[AWAY_FAILED] = "not counting, trying again",
	[AWAY_CHANGED] = "changed, start malitop again",
	[AWAY_ASIDE] = "not counted meanwhile",
	[AWAY_IN_LOG] = "gone",
};

const char *session_away_text(const struct session_source *source)
{
	return away_texts[source->away];
}

/* A line for the user, unless it is what was said last. */
static void say(struct session_source *s, const char *line, const char *more, char *text, size_t size)
{
	char told[sizeof(s->told)];

	str_printable(told, sizeof(told), line);
	if (strcmp(told, s->told) != 0)
		snprintf(text, size, "%s%s", told, more);
	memcpy(s->told, told, sizeof(told));
}

static void lose(struct session_source *s, enum session_away why, const char *line, int64_t now_ns, char *text, size_t size)
{
	s->away = why;
	s->retry_ns = now_ns + SESSION_RETRY_NS;
	say(s, line, "; trying again every 3 s", text, size);
}

static void start(struct session_source *s, int64_t period_ns, char *text, size_t size)
{
	char have[UNITS_TEXT], want[UNITS_TEXT];

	s->period_ns = period_ns;
	if (s->away && s->away != AWAY_ASIDE)
		snprintf(text, size, "%s: is back", s->title);
	else if (s->kind == SOURCE_GPU && period_ns > s->asked_ns) /* a CPU is always sampled more slowly: no news */
		snprintf(text, size, "%s: samples every %s, not every %s as asked for", s->title, time_format(have, period_ns),
			 time_format(want, s->asked_ns));
	s->away = AWAY_NOT;
	s->told[0] = 0;
}

static void take_event(struct session *session, const struct sampler_event *event, int64_t now_ns, char *text, size_t size)
{
	for (unsigned i = 0; i < session->n; i++) {
		struct session_source *s = &session->sources[i];

		if (s->index != event->source)
			continue;
		if (s == session->picked && event->kind != SAMPLER_STARTED)
			session_lose_counted(session, text, size);
		else if (s->away == AWAY_ASIDE && session_is_counting(session))
			continue; /* from before it was set aside */
		else if (event->kind == SAMPLER_STARTED)
			start(s, event->period_ns, text, size);
		else
			lose(s, event->kind == SAMPLER_GONE ? AWAY_GONE : AWAY_FAILED, event->err.text, now_ns, text, size);
	}
}

/* ---- lost devices ---- */

static void reopen(void *job)
{
	struct opening *o = job;
	struct registry_result *r = &o->result;
	struct source *source = source_open(o->sys, o->lost.backend, &o->what, o->lost.device, &o->err);

	o->ok = source != NULL;
	if (!source)
		return;
	GROW(r->sources, r->n, r->cap);
	r->sources[r->n++] = source;
}

/* The one that has waited longest, if it is time. */
static void try_again(struct session *session, int64_t now_ns)
{
	struct session_source *due = NULL;
	struct opening *o;
	struct err ignored;

	for (unsigned i = 0; i < session->n; i++) {
		struct session_source *s = &session->sources[i];

		if (s->away && s->retry_ns <= now_ns && (!due || s->retry_ns < due->retry_ns))
			due = s;
	}
	if (!due)
		return;
	due->retry_ns = now_ns + SESSION_RETRY_NS;
	o = session->opening = xcalloc(1, sizeof(*o));
	*o = (struct opening){.sys = session->sys, .lost = *due, .what = session->what};
	o->what.interface = o->lost.interface[0] ? o->lost.interface : NULL;
	session->opener = opener_start(reopen, opening_drop, o, &ignored);
}

bool session_is_same(const struct session_source *mine, const struct source *source)
{
	const struct source_constants *a = &mine->constants, *b = &source->constants;
	const struct slot *x = mine->set->slots, *y = source->slots;

	if (source->product != mine->product || source->n_slots != mine->n_slots || source->n_sums != mine->n_sums ||
	    a->core_mask != b->core_mask || a->core_count != b->core_count || a->l2_slice_count != b->l2_slice_count ||
	    a->bus_width_bits != b->bus_width_bits)
		return false;
	for (unsigned i = 0; i < mine->n_slots; i++, x++, y++)
		if (strcmp(x->name, y->name) != 0 || x->kind != y->kind || x->instance != y->instance || x->number != y->number ||
		    x->scale != y->scale)
			return false;
	return true;
}

static bool is_missing(const struct err *err)
{
	return err->code == ENOENT || err->code == ENODEV || err->code == ENXIO;
}

static void take_reopened(struct session *session, struct opening *o, char *text, size_t size)
{
	struct session_source *s = &session->sources[0];
	char line[128];

	while (s->index != o->lost.index)
		s++;
	if (!o->ok && !is_missing(&o->err)) { /* that it is not there is known */
		say(s, o->err.text, "; trying again every 3 s", text, size);
	} else if (o->ok && session_is_same(s, o->result.sources[0])) {
		s->retry_ns = NEVER; /* until it has started, or failed to */
		sampler_readopt(session->sampler, s->index, o->result.sources[0], s->asked_ns);
		o->result.n = 0;
	} else if (o->ok) {
		s->away = AWAY_CHANGED;
		s->retry_ns = NEVER;
		snprintf(line, sizeof(line), "%s: came back with other cores or counters: start malitop again", s->title);
		say(s, line, "", text, size);
	}
}

static void take_opened(struct session *session, char *text, size_t size)
{
	struct opening *o = opener_finish(take_ptr(&session->opener));

	if (o->counts)
		session_take_counted(session, o, text, size);
	else
		take_reopened(session, o, text, size);
	opening_drop(o);
}

bool session_event(struct session *session, int64_t now_ns, char *text, size_t size)
{
	struct sampler_event event;

	text[0] = 0;
	if (sampler_next_event(session->sampler, &event)) {
		take_event(session, &event, now_ns, text, size);
		return true;
	}
	if (session->opener && opener_is_done(session->opener)) {
		take_opened(session, text, size);
		return true;
	}
	session_try_count(session);
	if (!session->opener)
		try_again(session, now_ns);
	return false;
}

void session_describe(const struct session *session, const struct session_source *source, struct strbuf *text)
{
	if (session->sampler)
		sampler_describe(session->sampler, source->index, text);
}

void session_set_interval(struct session *session, struct session_source *source, int64_t interval_ns)
{
	source->asked_ns = interval_ns;
	sampler_set_period(session->sampler, source->index, interval_ns);
}

static bool is_settled(const struct session *session)
{
	for (unsigned i = 0; i < session->n; i++)
		if (!session->sources[i].period_ns && !session->sources[i].away)
			return false;
	return true;
}

void session_settle(struct session *session)
{
	const struct sys *sys = session->sys;
	struct pollfd fd = {.fd = sampler_fd(session->sampler), .events = POLLIN};
	int64_t now = sys->monotonic_ns(sys), end = now + SETTLE_NS;
	char text[512];

	for (; !is_settled(session) && now < end; now = sys->monotonic_ns(sys)) {
		sys->poll(sys, &fd, 1, (int)((end - now) / 1000000) + 1);
		while (session_event(session, now, text, sizeof(text)))
			if (text[0])
				strbuf_printf(&session->notes, "%s\n", text);
	}
}
