#include "session/sampler_priv.h"

#include "base/alloc.h"
#include "session/devices.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* ---- between the threads ---- */

void sampler_report(struct sampler *s, const struct sampler_event *event)
{
	struct event_node *node = xcalloc(1, sizeof(*node));

	node->event = *event;
	pthread_mutex_lock(&s->lock);
	*s->events_end = node;
	s->events_end = &node->next;
	pthread_mutex_unlock(&s->lock);
	sys_event_signal(s->event_fd);
}

struct sampler_request *lane_requests(struct lane *l)
{
	struct sampler_request *all;

	sys_event_ack(l->request_fd);
	pthread_mutex_lock(&l->sampler->lock);
	all = take_ptr(&l->requests);
	l->requests_end = &l->requests;
	pthread_mutex_unlock(&l->sampler->lock);
	return all;
}

void lane_done(struct lane *l, uint64_t n)
{
	pthread_mutex_lock(&l->sampler->lock);
	l->n_done += n;
	pthread_mutex_unlock(&l->sampler->lock);
	sys_event_signal(l->sampler->answer_fd);
}

int64_t lane_enter(struct lane *l, uint32_t index)
{
	const struct sys *sys = l->sampler->sys;
	int64_t now = sys->monotonic_ns(sys);

	pthread_mutex_lock(&l->sampler->lock);
	l->entered = index;
	l->entered_ns = now;
	pthread_mutex_unlock(&l->sampler->lock);
	return now;
}

void lane_leave(struct lane *l)
{
	const struct sys *sys = l->sampler->sys;
	int64_t since;

	pthread_mutex_lock(&l->sampler->lock);
	since = l->entered_ns;
	l->entered_ns = 0;
	pthread_mutex_unlock(&l->sampler->lock);
	if (sys->monotonic_ns(sys) - since <= SAMPLER_SILENT_NS)
		return;
	for (uint32_t i = 0; i < l->n_seats; i++)
		if (i == l->entered || l->seats[i].source)
			sampler_report(l->sampler,
				       &(struct sampler_event){.kind = SAMPLER_ANSWERS, .source = i});
}

static void ask_lane(struct lane *l, const struct sampler_request *request)
{
	struct sampler *s = l->sampler;
	struct sampler_request *r;

	if (!l->thread)
		return; /* has no sources */
	r = xmalloc(sizeof(*r));
	*r = *request;
	if (r->kind == REQUEST_ATTACH)
		tap_share(r->tap);
	pthread_mutex_lock(&s->lock);
	*l->requests_end = r;
	l->requests_end = &r->next;
	if (l->n_done == l->n_asked++)
		l->asked_ns = s->sys->monotonic_ns(s->sys);
	pthread_mutex_unlock(&s->lock);
	sys_event_signal(l->request_fd);
}

static void ask_lanes(struct sampler *s, const struct sampler_request *request)
{
	for (unsigned i = 0; i < s->n_lanes; i++)
		ask_lane(s->lanes[i], request);
}

static bool is_done(const struct lane *l)
{
	return l->n_done >= l->n_asked;
}

/* Wait until all requests of these lanes are done. Patience is not added up: each lane gets
 * SAMPLER_PATIENCE_NS from its oldest request, or from the begin of its current call if that is
 * earlier. */
static bool await_lanes(struct sampler *s, struct lane *const *lanes, unsigned n)
{
	struct pollfd fd = {.fd = s->answer_fd, .events = POLLIN};

	for (;;) {
		int64_t now = s->sys->monotonic_ns(s->sys), until = 0;
		bool done = true;

		sys_event_ack(s->answer_fd);
		pthread_mutex_lock(&s->lock);
		for (unsigned i = 0; i < n; i++) {
			const struct lane *l = lanes[i];
			int64_t since =
				l->entered_ns && l->entered_ns < l->asked_ns ? l->entered_ns : l->asked_ns;

			if (is_done(l))
				continue;
			done = false;
			if (until < since + SAMPLER_PATIENCE_NS)
				until = since + SAMPLER_PATIENCE_NS;
		}
		pthread_mutex_unlock(&s->lock);
		if (done || until <= now)
			return done;
		s->sys->poll(s->sys, &fd, 1, (int)((until - now) / 1000000) + 1);
	}
}

/* ---- life ---- */

static void sampler_release(struct sampler *s)
{
	struct sampler_event ignored;
	unsigned owners;

	pthread_mutex_lock(&s->lock);
	owners = --s->owners;
	pthread_mutex_unlock(&s->lock);
	if (owners)
		return;
	while (sampler_next_event(s, &ignored))
		;
	for (unsigned i = 0; i < s->n_lanes; i++) {
		sys_cleanup_close(&s->lanes[i]->request_fd);
		pthread_mutex_destroy(&s->lanes[i]->life);
		free(s->lanes[i]);
	}
	sys_cleanup_close(&s->event_fd);
	sys_cleanup_close(&s->answer_fd);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static void lane_drop(void *lane)
{
	sampler_release(((struct lane *)lane)->sampler);
}

struct sampler *sampler_new(const struct sys *sys, struct err *err)
{
	struct sampler *s = xcalloc(1, sizeof(*s));

	*s = (struct sampler){
		.sys = sys, .owners = 1, .event_fd = sys_event_new(), .answer_fd = sys_event_new()};
	s->events_end = &s->events;
	pthread_mutex_init(&s->lock, NULL);
	if (s->event_fd >= 0 && s->answer_fd >= 0)
		return s;
	err_set(err, errno, "sampler: cannot start: %s", strerror(errno));
	sampler_release(s);
	return NULL;
}

static struct lane *lane_new(struct sampler *s, bool is_shared)
{
	struct lane *l = s->lanes[s->n_lanes++] = xcalloc(1, sizeof(*l));

	*l = (struct lane){.sampler = s, .is_shared = is_shared, .request_fd = -1};
	l->requests_end = &l->requests;
	l->looked_ns = s->sys->monotonic_ns(s->sys);
	l->suspended_ns = s->sys->boottime_ns(s->sys) - l->looked_ns;
	pthread_mutex_init(&l->life, NULL);
	return l;
}

static struct lane *lane_for(struct sampler *s, const struct source *source)
{
	bool is_shared = source->kind != SOURCE_GPU || source->simulated;

	for (unsigned i = 0; i < s->n_lanes; i++)
		if (is_shared && s->lanes[i]->is_shared)
			return s->lanes[i];
	return lane_new(s, is_shared);
}

static bool lane_start(struct lane *l, struct err *err)
{
	struct sampler *s = l->sampler;

	if (l->thread)
		return true;
	if (l->request_fd < 0)
		l->request_fd = sys_event_new();
	if (l->request_fd < 0)
		return err_set(err, errno, "sampler: cannot start: %s", strerror(errno));
	pthread_mutex_lock(&s->lock);
	s->owners++;
	pthread_mutex_unlock(&s->lock);
	l->thread = opener_start(lane_run, lane_drop, l, err);
	for (unsigned i = 0; l->thread && i < s->n_taps; i++)
		ask_lane(l, &(struct sampler_request){.kind = REQUEST_ATTACH, .tap = s->taps[i]});
	return l->thread != NULL;
}

bool sampler_end(struct sampler *s)
{
	if (!s->ended)
		ask_lanes(s, &(struct sampler_request){.kind = REQUEST_END});
	s->ended = true;
	return await_lanes(s, s->lanes, s->n_lanes);
}

void sampler_free(struct sampler *s)
{
	if (!s)
		return;
	sampler_end(s);
	for (unsigned i = 0; i < s->n_lanes; i++) {
		struct lane *l = s->lanes[i];
		bool done;

		pthread_mutex_lock(&s->lock);
		done = is_done(l);
		pthread_mutex_unlock(&s->lock);
		if (l->thread && done)
			lane_drop(opener_finish(l->thread));
		else
			opener_leave(l->thread);
	}
	sampler_release(s);
}

/* ---- requests ---- */

uint32_t sampler_adopt(struct sampler *s, struct source *source, int64_t period_ns)
{
	uint32_t index = s->n_adopted++;

	assert(index < SAMPLER_SOURCES_MAX);
	s->lane_of[index] = lane_for(s, source);
	sampler_readopt(s, index, source, period_ns);
	return index;
}

void sampler_readopt(struct sampler *s, uint32_t index, struct source *source, int64_t period_ns)
{
	struct err err;

	assert(index < s->n_adopted);
	if (lane_start(s->lane_of[index], &err)) {
		ask_lane(s->lane_of[index], &(struct sampler_request){.kind = REQUEST_ADOPT,
								      .index = index,
								      .source = source,
								      .period_ns = period_ns});
		return;
	}
	source->backend->close(source);
	source_free(source);
	sampler_report(s, &(struct sampler_event){.kind = SAMPLER_FAILED, .source = index, .err = err});
}

void sampler_drop(struct sampler *s, uint32_t index)
{
	ask_lane(s->lane_of[index], &(struct sampler_request){.kind = REQUEST_DROP, .index = index});
	await_lanes(s, &s->lane_of[index], 1);
}

void sampler_set_period(struct sampler *s, uint32_t index, int64_t period_ns)
{
	ask_lane(s->lane_of[index],
		 &(struct sampler_request){.kind = REQUEST_PERIOD, .index = index, .period_ns = period_ns});
}

void sampler_prefer(struct sampler *s, uint32_t index, const struct source_wish *wish)
{
	ask_lane(s->lane_of[index],
		 &(struct sampler_request){.kind = REQUEST_PREFER, .index = index, .wish = *wish});
}

void sampler_choose(struct sampler *s, uint32_t index, pid_t pid)
{
	ask_lane(s->lane_of[index],
		 &(struct sampler_request){.kind = REQUEST_CHOOSE, .index = index, .pid = pid});
}

struct tap *sampler_attach(struct sampler *s, const size_t *bytes, unsigned n, unsigned parts)
{
	struct tap *tap = tap_new(bytes, n, parts);

	assert(s->n_taps < SAMPLER_TAPS_MAX);
	s->taps[s->n_taps++] = tap;
	ask_lanes(s, &(struct sampler_request){.kind = REQUEST_ATTACH, .tap = tap});
	return tap;
}

void sampler_detach(struct sampler *s, struct tap *tap)
{
	for (unsigned i = 0; i < s->n_taps; i++)
		if (s->taps[i] == tap)
			s->taps[i--] = s->taps[--s->n_taps];
	ask_lanes(s, &(struct sampler_request){.kind = REQUEST_DETACH, .tap = tap});
	await_lanes(s, s->lanes, s->n_lanes);
}

void sampler_cut(struct sampler *s)
{
	ask_lanes(s, &(struct sampler_request){.kind = REQUEST_CUT});
	await_lanes(s, s->lanes, s->n_lanes);
}

int sampler_fd(const struct sampler *s)
{
	return s->event_fd;
}

bool sampler_next_event(struct sampler *s, struct sampler_event *event)
{
	struct event_node *node;

	sys_event_ack(s->event_fd);
	pthread_mutex_lock(&s->lock);
	node = s->events;
	if (node) {
		s->events = node->next;
		if (!s->events)
			s->events_end = &s->events;
	}
	pthread_mutex_unlock(&s->lock);
	if (!node)
		return false;
	*event = node->event;
	free(node);
	return true;
}

int64_t sampler_silence(struct sampler *s, uint32_t index, uint32_t *whose)
{
	struct lane *l = s->lane_of[index];
	int64_t now, since;
	bool waits;

	if (!l)
		return 0;
	pthread_mutex_lock(&l->life);
	waits = l->seats[index].source != NULL;
	pthread_mutex_unlock(&l->life);
	pthread_mutex_lock(&s->lock);
	now = s->sys->monotonic_ns(s->sys);
	since = l->entered_ns;
	*whose = l->entered;
	pthread_mutex_unlock(&s->lock);
	return since && (waits || *whose == index) ? now - since : 0;
}

void sampler_describe(struct sampler *s, uint32_t index, struct strbuf *text)
{
	struct lane *l = s->lane_of[index];
	uint32_t whose;

	if (!l || sampler_silence(s, index, &whose) > SAMPLER_PATIENCE_NS)
		return; /* the call that stalls its driver may stall the caller's, too */
	pthread_mutex_lock(&l->life);
	if (l->seats[index].source)
		l->seats[index].source->backend->describe(l->seats[index].source, text);
	pthread_mutex_unlock(&l->life);
}
