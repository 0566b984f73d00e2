#include "session/sampler_priv.h"

#include "base/alloc.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- between the threads ---- */

void sampler_tell(struct sampler *s, enum sampler_event_kind kind, uint32_t source, int64_t period_ns, const struct err *err)
{
	struct event_node *node = xcalloc(1, sizeof(*node));

	node->event = (struct sampler_event){.kind = kind, .source = source, .period_ns = period_ns};
	if (err)
		node->event.err = *err;
	pthread_mutex_lock(&s->lock);
	*s->events_end = node;
	s->events_end = &node->next;
	pthread_mutex_unlock(&s->lock);
	sys_event_signal(s->event_fd);
}

struct request *sampler_requests(struct sampler *s)
{
	struct request *all;

	sys_event_ack(s->request_fd);
	pthread_mutex_lock(&s->lock);
	all = s->requests;
	s->requests = NULL;
	s->requests_end = &s->requests;
	pthread_mutex_unlock(&s->lock);
	return all;
}

void sampler_requests_done(struct sampler *s, uint64_t n)
{
	pthread_mutex_lock(&s->lock);
	s->n_done += n;
	pthread_cond_broadcast(&s->done);
	pthread_mutex_unlock(&s->lock);
}

/* Post a request; with `wait`, return only after it was taken. */
static void ask(struct sampler *s, const struct request *request, bool wait)
{
	struct request *r = xmalloc(sizeof(*r));
	uint64_t ticket;

	*r = *request;
	r->next = NULL;
	pthread_mutex_lock(&s->lock);
	*s->requests_end = r;
	s->requests_end = &r->next;
	ticket = ++s->n_asked;
	pthread_mutex_unlock(&s->lock);
	sys_event_signal(s->request_fd);
	if (!wait)
		return;
	pthread_mutex_lock(&s->lock);
	while (s->n_done < ticket)
		pthread_cond_wait(&s->done, &s->lock);
	pthread_mutex_unlock(&s->lock);
}

/* ---- life ---- */

static void sampler_unmake(struct sampler *s)
{
	sys_cleanup_close(&s->timer_fd);
	sys_cleanup_close(&s->request_fd);
	sys_cleanup_close(&s->event_fd);
	pthread_mutex_destroy(&s->lock);
	pthread_mutex_destroy(&s->life);
	pthread_cond_destroy(&s->done);
	free(s);
}

struct sampler *sampler_new(const struct sys *sys, struct err *err)
{
	struct sampler *s = xcalloc(1, sizeof(*s));
	sigset_t all, before;
	int failed;

	s->sys = sys;
	s->requests_end = &s->requests;
	s->events_end = &s->events;
	pthread_mutex_init(&s->lock, NULL);
	pthread_mutex_init(&s->life, NULL);
	pthread_cond_init(&s->done, NULL);
	s->timer_fd = sys_timer_new();
	s->request_fd = sys_event_new();
	s->event_fd = sys_event_new();
	s->suspended_ns = sys->boottime_ns(sys);
	s->looked_ns = sys->monotonic_ns(sys);
	s->suspended_ns -= s->looked_ns;
	failed = s->timer_fd < 0 || s->request_fd < 0 || s->event_fd < 0 ? errno : 0;
	if (!failed) {
		sigfillset(&all); /* signals belong to the main thread */
		pthread_sigmask(SIG_SETMASK, &all, &before);
		failed = pthread_create(&s->thread, NULL, sampler_run, s);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	if (!failed)
		return s;
	err_set(err, failed, "sampler: cannot start its thread: %s", strerror(failed));
	sampler_unmake(s);
	return NULL;
}

void sampler_free(struct sampler *s)
{
	struct sampler_event ignored;

	if (!s)
		return;
	ask(s, &(struct request){.kind = REQUEST_END}, false);
	pthread_join(s->thread, NULL);
	while (sampler_next_event(s, &ignored))
		;
	sampler_unmake(s);
}

/* ---- what is asked for ---- */

uint32_t sampler_adopt(struct sampler *s, struct source *source, int64_t period_ns)
{
	uint32_t index = s->n_adopted++;

	assert(index < SAMPLER_SOURCES_MAX);
	ask(s, &(struct request){.kind = REQUEST_ADOPT, .index = index, .source = source, .period_ns = period_ns}, false);
	return index;
}

void sampler_readopt(struct sampler *s, uint32_t index, struct source *source, int64_t period_ns)
{
	assert(index < s->n_adopted);
	ask(s, &(struct request){.kind = REQUEST_ADOPT, .index = index, .source = source, .period_ns = period_ns}, false);
}

void sampler_drop(struct sampler *s, uint32_t index)
{
	ask(s, &(struct request){.kind = REQUEST_DROP, .index = index}, true);
}

void sampler_set_period(struct sampler *s, uint32_t index, int64_t period_ns)
{
	ask(s, &(struct request){.kind = REQUEST_PERIOD, .index = index, .period_ns = period_ns}, false);
}

void sampler_attach(struct sampler *s, struct ring *ring, bool instances)
{
	ask(s, &(struct request){.kind = REQUEST_ATTACH, .ring = ring, .instances = instances}, false);
}

void sampler_detach(struct sampler *s, struct ring *ring)
{
	ask(s, &(struct request){.kind = REQUEST_DETACH, .ring = ring}, true);
}

void sampler_cut(struct sampler *s)
{
	ask(s, &(struct request){.kind = REQUEST_CUT}, true);
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

void sampler_describe(struct sampler *s, uint32_t index, struct strbuf *text)
{
	pthread_mutex_lock(&s->life);
	if (index < SAMPLER_SOURCES_MAX && s->seats[index].source)
		s->seats[index].source->backend->describe(s->seats[index].source, text);
	pthread_mutex_unlock(&s->life);
}
