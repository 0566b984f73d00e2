/* The events of a session: sources start, correct their interval, go, and come back. */
#include "session/session_priv.h"

#include "base/alloc.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#define NEVER INT64_MAX
#define S_NS 1000000000
#define SETTLE_NS 500000000ll
#define DESCRIBE_NS 1000000000ll
#define STRAYS_FIRST 2  /* reports of SAMPLER_PACE, 2 s or more each, until a line says so */
#define STRAYS_AGAIN 15 /* until the user reads of yet another interval */

static const char *const away_texts[] = {
	[AWAY_NOT] = NULL,
	[AWAY_GONE] = "gone, trying again",
	[AWAY_ENDED] = "ended",
	[AWAY_FAILED] = "not counting, trying again",
	[AWAY_CHANGED] = "changed, restart malitop",
	[AWAY_ASIDE] = "paused while one process is counted",
	[AWAY_PAUSED] = "not measured, may sleep; C resumes",
	[AWAY_RESTS] = "not measured while paused, may sleep",
	[AWAY_SWITCHED] = "being opened again",
	[AWAY_TURNED] = "measured in another way",
	[AWAY_IN_LOG] = "away",
};

const char *session_away_text(const struct session_source *source)
{
	return source->away == AWAY_SILENT ? source->silence : away_texts[source->away];
}

bool session_is_lost(const struct session_source *source)
{
	return source->away == AWAY_GONE || source->away == AWAY_FAILED || source->away == AWAY_CHANGED ||
	       source->away == AWAY_SILENT;
}

bool session_has_ended(const struct session *session)
{
	unsigned n = 0;

	while (n < session->n && session->sources[n].away == AWAY_ENDED)
		n++;
	return n && n == session->n;
}

/* Write a line for the user, unless it repeats the last one about this source. */
static void report_line(struct session_source *s, const char *line, const char *more, char *text, size_t size)
{
	char reported[sizeof(s->reported)];

	str_printable(reported, sizeof(reported), line);
	if (strcmp(reported, s->reported) != 0)
		snprintf(text, size, "%s%s", reported, more);
	memcpy(s->reported, reported, sizeof(reported));
}

static void lose_source(struct session_source *s, const struct sampler_event *event, int64_t now_ns,
			char *text, size_t size)
{
	bool ended = event->kind == SAMPLER_GONE && event->err.code == ESRCH;

	s->away = ended ? AWAY_ENDED : event->kind == SAMPLER_GONE ? AWAY_GONE : AWAY_FAILED;
	s->retry_ns = ended ? NEVER : now_ns + SESSION_RETRY_NS;
	report_line(s, event->err.text, ended ? "" : "; trying again every 3 s", text, size);
}

static void report_interval(struct session_source *s, int64_t period_ns, char *text, size_t size)
{
	const char *by_user = s->requested ? " as requested" : "";
	char have[UNITS_TEXT], asked[UNITS_TEXT];

	s->reported_ns = period_ns;
	s->reported_slow = true;
	s->n_strays = 0;
	if (sampler_is_pace(period_ns, s->asked_ns))
		snprintf(text, size, "%s: samples every %s again%s%s", s->title,
			 time_format(asked, s->asked_ns), *by_user ? "," : "", by_user);
	else
		snprintf(text, size, "%s: samples every %s, not every %s%s", s->title,
			 time_format(have, period_ns), time_format(asked, s->asked_ns), by_user);
}

/* The interval that a source starts with. The answer to an outdated request is not reported. */
static void note_interval(struct session_source *s, const struct sampler_event *event, char *text,
			  size_t size)
{
	s->period_ns = event->period_ns;
	s->n_strays = 0;
	if (event->asked_ns != s->asked_ns || s->reported_for_ns == s->asked_ns)
		return;
	s->reported_ns = event->period_ns;
	s->reported_for_ns = s->asked_ns;
	s->reported_slow = false;
	if (s->kind == SOURCE_GPU && event->period_ns > s->asked_ns) /* a CPU is always slower */
		report_interval(s, event->period_ns, text, size);
}

static void note_start(struct session_source *s, const struct sampler_event *event, char *text, size_t size)
{
	note_interval(s, event, text, size);
	if (s->away && s->away != AWAY_ASIDE && s->away != AWAY_SWITCHED)
		snprintf(text, size, "%s: is back", s->title);
	s->priority = (struct source_priority){0}; /* it may have been opened again */
	s->away = AWAY_NOT;
	s->retry_ns = 0;
	s->reported[0] = 0;
}

/* What a driver does for some seconds only is not worth a line: the samples have their times. */
static void note_pace(struct session_source *s, const struct sampler_event *event, char *text, size_t size)
{
	bool judged = s->kind == SOURCE_GPU || s->kind == SOURCE_PERF;

	if (!judged || event->asked_ns != s->asked_ns || s->reported_for_ns != s->asked_ns)
		return;
	if (sampler_is_pace(event->period_ns, s->reported_ns))
		s->n_strays = 0;
	else if (++s->n_strays >= (s->reported_slow ? STRAYS_AGAIN : STRAYS_FIRST))
		report_interval(s, event->period_ns, text, size);
}

static void note_answer(struct session_source *s, char *text, size_t size)
{
	if (s->away != AWAY_SILENT)
		return; /* it is gone or set aside */
	s->away = AWAY_NOT;
	s->retry_ns = 0;
	if (s->reported[0])
		snprintf(text, size, "%s: responds again", s->title);
	s->reported[0] = 0;
}

/* One that fails becomes a mark, too. */
static void note_validity(struct session *session, const struct session_source *s,
			  const struct sampler_event *event, char *text, size_t size)
{
	if (event->kind == SAMPLER_VALID) {
		snprintf(text, size, "%s: samples are valid again", s->title);
		return;
	}
	snprintf(text, size, "%s: %s: %s", s->title,
		 event->kind == SAMPLER_INVALID ? "every sample fails" : "a sample failed", event->err.text);
	if (event->kind == SAMPLER_INVALID)
		return;
	session->mark.time_ns = event->mark.time_ns;
	str_printable(session->mark.text, sizeof(session->mark.text), text);
}

static void take_event(struct session *session, const struct sampler_event *event, int64_t now_ns, char *text,
		       size_t size)
{
	if (event->kind == SAMPLER_MARK)
		session->mark = event->mark;
	for (unsigned i = 0; i < session->n; i++) {
		struct session_source *s = &session->sources[i];

		if (s->index != event->source)
			continue;
		if (event->kind == SAMPLER_ANSWERS)
			note_answer(s, text, size);
		else if (event->kind == SAMPLER_MARK)
			snprintf(text, size, "mark: %s", event->mark.text);
		else if (event->kind == SAMPLER_PERIOD)
			s->period_ns = event->period_ns;
		else if (event->kind == SAMPLER_PACE)
			note_pace(s, event, text, size);
		else if (event->kind == SAMPLER_NEWS)
			snprintf(text, size, "%s: %s", s->title, event->err.text);
		else if (event->kind == SAMPLER_INVALID_ONE || event->kind == SAMPLER_INVALID ||
			 event->kind == SAMPLER_VALID)
			note_validity(session, s, event, text, size);
		else if (s == session->picked && event->kind != SAMPLER_STARTED)
			session_lose_counted(session, text, size);
		else if ((s->away == AWAY_ASIDE && session_is_counting(session)) || s->away == AWAY_TURNED)
			continue; /* event from before it was set aside */
		else if (s->paused && event->kind == SAMPLER_STARTED)
			sampler_drop(session->sampler, s->index); /* too late for the user's request */
		else if (s->paused || (s->away == AWAY_SWITCHED && event->kind != SAMPLER_STARTED))
			continue; /* from before the user's request */
		else if (event->kind == SAMPLER_STARTED)
			note_start(s, event, text, size);
		else
			lose_source(s, event, now_ns, text, size);
	}
}

/* ---- silent devices ---- */

/* Report a source that has fallen silent since the last call; returns false if there is none.
 * Sources that share its thread go away without a message. */
static bool notice_silence(struct session *session, char *text, size_t size)
{
	for (unsigned i = 0; i < session->n; i++) {
		struct session_source *s = &session->sources[i];
		char line[sizeof(s->reported)];
		uint32_t whose;
		bool counted =
			s->away != AWAY_ASIDE && !s->paused && (s != session->picked || session->counting);
		int64_t ns = counted ? sampler_silence(session->sampler, s->index, &whose) : 0;

		if (ns <= SAMPLER_SILENT_NS)
			continue;
		snprintf(s->silence, sizeof(s->silence), "%s for %lld s",
			 whose == s->index ? "silent" : "not read", (long long)(ns / S_NS));
		if (s->away == AWAY_SILENT)
			continue;
		s->away = AWAY_SILENT;
		s->retry_ns = NEVER;
		s->reported[0] = 0;
		snprintf(line, sizeof(line), "%s: not responding for %lld s", s->title,
			 (long long)(ns / S_NS));
		if (whose == s->index)
			report_line(s, line, "", text, size);
		return true;
	}
	return false;
}

/* ---- lost devices ---- */

/* Try to reopen the lost source whose retry has been due longest, if any is due. */
static void try_again(struct session *session, int64_t now_ns)
{
	struct session_source *due = NULL;

	for (unsigned i = 0; i < session->n; i++) {
		struct session_source *s = &session->sources[i];

		if ((s->away || session_should_ask(session, s)) && s->retry_ns <= now_ns &&
		    (!due || s->retry_ns < due->retry_ns))
			due = s;
	}
	if (!due)
		return;
	due->retry_ns = now_ns + SESSION_RETRY_NS;
	session_reopen(session, due, NULL);
}

static void readopt_source(struct session *session, struct session_source *s, struct source *source,
			   char *text, size_t size)
{
	s->retry_ns = NEVER; /* until it has started or failed */
	if (s->away == AWAY_SWITCHED && strcmp(s->note, source->note) != 0)
		snprintf(text, size, "%s", source->note);
	str_printable(s->note, sizeof(s->note), source->note);
	sampler_readopt(session->sampler, s->index, source, s->asked_ns);
}

/* Sources that take turns are of the same device. */
static void follow_device(struct session *session, struct session_source *s, const struct source *source,
			  char *text, size_t size)
{
	char old[sizeof(s->device)];

	if (strcmp(s->device, source->device) == 0)
		return;
	memcpy(old, s->device, sizeof(old));
	for (unsigned i = 0; i < session->n; i++)
		if (session->sources[i].backend == s->backend && strcmp(session->sources[i].device, old) == 0)
			memcpy(session->sources[i].device, source->device, sizeof(old));
	snprintf(text, size, "%s: found again as %s", s->title, s->device);
}

static void take_reopened(struct session *session, struct opening *o, char *text, size_t size)
{
	struct session_source *s = &session->sources[0];
	struct source *source = o->ok ? o->devices.sources[0] : NULL;
	char line[128];

	while (s->index != o->lost.index)
		s++;
	if (source)
		follow_device(session, s, source, text, size);
	if (s->paused || (!s->away && (!source || session_is_same(s, source)))) {
		return; /* another request came meanwhile; there is no more to be had than before */
	} else if (!source && !session_is_missing(&o->err)) { /* a missing device was already reported */
		report_line(s, o->err.text, "; trying again every 3 s", text, size);
	} else if (source && o->what.profiling != session->what.profiling) {
		s->retry_ns = 0; /* another request came meanwhile */
	} else if (source && session_is_same(s, source)) {
		readopt_source(session, s, source, text, size);
		o->devices.n = 0;
	} else if (source && strcmp(s->interface, source->interface) != 0) {
		if (!session->keeps_sources && session_turn(session, s, source, text, size))
			o->devices.n = 0;
	} else if (source) {
		s->away = AWAY_CHANGED;
		s->retry_ns = NEVER;
		snprintf(line, sizeof(line),
			 "%s: came back with different cores or counters: restart malitop", s->title);
		report_line(s, line, "", text, size);
	}
}

bool session_event(struct session *session, int64_t now_ns, char *text, size_t size)
{
	struct sampler_event event;
	struct opening *o;

	text[0] = 0;
	session->mark.time_ns = 0;
	if (sampler_next_event(session->sampler, &event)) {
		take_event(session, &event, now_ns, text, size);
		return true;
	}
	if (session->opener && opener_is_done(session->opener)) {
		o = opener_finish(take_ptr(&session->opener));
		if (o->counts)
			session_take_counted(session, o, text, size);
		else
			take_reopened(session, o, text, size);
		opening_drop(o);
		return true;
	}
	if (notice_silence(session, text, size))
		return true;
	session_try_count(session);
	if (!session->opener)
		try_again(session, now_ns);
	return false;
}

void session_describe(const struct session *session, struct session_source *source, int64_t now_ns,
		      struct strbuf *text)
{
	if (session->sampler && (!source->described_ns || now_ns - source->described_ns >= DESCRIBE_NS)) {
		source->described_ns = now_ns;
		strbuf_clear(&source->about);
		sampler_describe(session->sampler, source->index, &source->about);
	}
	strbuf_add(text, source->about.p, source->about.n);
}

void session_set_interval(struct session *session, struct session_source *source, int64_t interval_ns)
{
	source->asked_ns = interval_ns;
	source->requested = true;
	sampler_set_period(session->sampler, source->index, interval_ns);
}

void session_prefer(struct session *session, struct session_source *source,
		    const struct source_priority *priority)
{
	const struct source_priority *old = &source->priority;

	if (source->away || (old->n == priority->n && old->n_sure == priority->n_sure &&
			     memcmp(old->slots, priority->slots, old->n * sizeof(old->slots[0])) == 0))
		return;
	source->priority = *priority;
	sampler_prefer(session->sampler, source->index, priority);
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
