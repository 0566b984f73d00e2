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

static void ask_worker(struct sampler_worker *l, const struct sampler_request *request)
{
	struct sampler *s = l->sampler;
	struct sampler_request *r;

	if (!l->thread)
		return; /* has no sources */
	r = xmalloc(sizeof(*r));
	*r = *request;
	if (r->kind == REQUEST_ATTACH)
		subscriber_share(r->subscriber);
	pthread_mutex_lock(&s->lock);
	*l->requests_end = r;
	l->requests_end = &r->next;
	if (l->n_done == l->n_asked++)
		l->asked_ns = s->sys->monotonic_ns(s->sys);
	pthread_mutex_unlock(&s->lock);
	sys_event_signal(l->request_fd);
}

static void ask_workers(struct sampler *s, const struct sampler_request *request)
{
	for (unsigned i = 0; i < s->n_workers; i++)
		ask_worker(s->workers[i], request);
}

/* Wait until all requests of these workers are done. Patience is not added up: each worker gets
 * SAMPLER_PATIENCE_NS from its oldest request, or from the start of its current call if that is
 * earlier. */
static bool await_workers(struct sampler *s, struct sampler_worker *const *workers, unsigned n)
{
	struct pollfd fd = {.fd = s->answer_fd, .events = POLLIN};

	for (;;) {
		int64_t now = s->sys->monotonic_ns(s->sys), until = 0;
		bool done = true;

		sys_event_ack(s->answer_fd);
		pthread_mutex_lock(&s->lock);
		for (unsigned i = 0; i < n; i++) {
			const struct sampler_worker *l = workers[i];
			int64_t since =
				l->entered_ns && l->entered_ns < l->asked_ns ? l->entered_ns : l->asked_ns;

			if (l->n_done >= l->n_asked)
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
	for (unsigned i = 0; i < s->n_workers; i++) {
		sys_cleanup_close(&s->workers[i]->request_fd);
		pthread_mutex_destroy(&s->workers[i]->life);
		free(s->workers[i]);
	}
	sys_cleanup_close(&s->event_fd);
	sys_cleanup_close(&s->answer_fd);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

static void worker_drop(void *worker)
{
	sampler_release(((struct sampler_worker *)worker)->sampler);
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

/* The worker of a source: a new one for a real GPU, and for the first of all others. */
static struct sampler_worker *worker_for(struct sampler *s, const struct source *source)
{
	bool is_shared = source->kind != SOURCE_GPU || source->simulated;
	struct sampler_worker *l;

	for (unsigned i = 0; i < s->n_workers; i++)
		if (is_shared && s->workers[i]->is_shared)
			return s->workers[i];
	l = s->workers[s->n_workers++] = xcalloc(1, sizeof(*l));
	*l = (struct sampler_worker){.sampler = s, .is_shared = is_shared, .request_fd = -1};
	l->requests_end = &l->requests;
	l->looked_ns = s->sys->monotonic_ns(s->sys);
	l->suspended_ns = s->sys->boottime_ns(s->sys) - l->looked_ns;
	pthread_mutex_init(&l->life, NULL);
	return l;
}

static bool worker_start(struct sampler_worker *l, struct err *err)
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
	l->thread = opener_start(worker_run, worker_drop, l, err);
	for (unsigned i = 0; l->thread && i < s->n_subscribers; i++)
		ask_worker(l, &(struct sampler_request){.kind = REQUEST_ATTACH,
							.subscriber = s->subscribers[i]});
	return l->thread != NULL;
}

bool sampler_end(struct sampler *s)
{
	if (!s->ended)
		ask_workers(s, &(struct sampler_request){.kind = REQUEST_END});
	s->ended = true;
	return await_workers(s, s->workers, s->n_workers);
}

void sampler_free(struct sampler *s)
{
	if (!s)
		return;
	sampler_end(s);
	for (unsigned i = 0; i < s->n_workers; i++) {
		struct sampler_worker *l = s->workers[i];
		bool done;

		pthread_mutex_lock(&s->lock);
		done = l->n_done >= l->n_asked;
		pthread_mutex_unlock(&s->lock);
		if (l->thread && done)
			worker_drop(opener_finish(l->thread));
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
	s->worker_of[index] = worker_for(s, source);
	sampler_readopt(s, index, source, period_ns);
	return index;
}

void sampler_readopt(struct sampler *s, uint32_t index, struct source *source, int64_t period_ns)
{
	struct err err;

	assert(index < s->n_adopted);
	if (worker_start(s->worker_of[index], &err)) {
		ask_worker(s->worker_of[index], &(struct sampler_request){.kind = REQUEST_ADOPT,
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
	ask_worker(s->worker_of[index], &(struct sampler_request){.kind = REQUEST_DROP, .index = index});
	await_workers(s, &s->worker_of[index], 1);
}

void sampler_set_period(struct sampler *s, uint32_t index, int64_t period_ns)
{
	ask_worker(s->worker_of[index],
		   &(struct sampler_request){.kind = REQUEST_PERIOD, .index = index, .period_ns = period_ns});
}

void sampler_prefer(struct sampler *s, uint32_t index, const struct source_priority *priority)
{
	ask_worker(s->worker_of[index],
		   &(struct sampler_request){.kind = REQUEST_PREFER, .index = index, .priority = *priority});
}

void sampler_choose(struct sampler *s, uint32_t index, pid_t pid)
{
	ask_worker(s->worker_of[index],
		   &(struct sampler_request){.kind = REQUEST_CHOOSE, .index = index, .pid = pid});
}

struct subscriber *sampler_attach(struct sampler *s, const size_t *bytes, unsigned n, unsigned parts)
{
	struct subscriber *subscriber = subscriber_new(bytes, n, parts);

	assert(s->n_subscribers < SAMPLER_SUBSCRIBERS_MAX);
	s->subscribers[s->n_subscribers++] = subscriber;
	ask_workers(s, &(struct sampler_request){.kind = REQUEST_ATTACH, .subscriber = subscriber});
	return subscriber;
}

void sampler_detach(struct sampler *s, struct subscriber *subscriber)
{
	for (unsigned i = 0; i < s->n_subscribers; i++)
		if (s->subscribers[i] == subscriber)
			s->subscribers[i--] = s->subscribers[--s->n_subscribers];
	ask_workers(s, &(struct sampler_request){.kind = REQUEST_DETACH, .subscriber = subscriber});
	await_workers(s, s->workers, s->n_workers);
}

void sampler_cut(struct sampler *s)
{
	ask_workers(s, &(struct sampler_request){.kind = REQUEST_CUT});
	await_workers(s, s->workers, s->n_workers);
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
	struct sampler_worker *l = s->worker_of[index];
	int64_t now, since;
	bool waits;

	if (!l)
		return 0;
	pthread_mutex_lock(&l->life);
	waits = l->entries[index].source != NULL;
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
	struct sampler_worker *l = s->worker_of[index];
	uint32_t whose;

	if (!l || sampler_silence(s, index, &whose) > SAMPLER_PATIENCE_NS)
		return; /* the call that stalls its driver may stall the caller's, too */
	pthread_mutex_lock(&l->life);
	if (l->entries[index].source)
		l->entries[index].source->backend->describe(l->entries[index].source, text);
	pthread_mutex_unlock(&l->life);
}
