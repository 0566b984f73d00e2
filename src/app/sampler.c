#include "app/sampler.h"

#include "app/registry.h"
#include "base/alloc.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define SOURCES_MAX 16
#define RINGS_MAX 4
#define READS_MAX 4096 /* in one go, so that one source cannot starve the others */
#define BATCH_BELOW_NS 10000000ll
#define BATCH_NS 16000000ll
#define BATCH_SAMPLES 16
#define SUSPEND_NS 100000000ll /* BOOTTIME running ahead of MONOTONIC by more than this was a suspend */

/* A source in the sampler's hands. Only its thread touches one, but for `source` before it is adopted. */
struct seat {
	struct source *source; /* NULL: not there, or gone */
	struct sample *sample; /* scratch */
	bool started, late_gap;
	bool silenced; /* its fd was ready but gave nothing: not polled again before the next deadline, so that nothing spins */
	uint64_t seq;
	int64_t wake_ns, due_ns;
};

enum request_kind { REQUEST_ADOPT, REQUEST_PERIOD, REQUEST_ATTACH, REQUEST_DETACH, REQUEST_END };

struct request {
	enum request_kind kind;
	uint32_t index;
	struct source *source;
	int64_t period_ns;
	struct ring *ring;
	bool instances;
	struct request *next;
};

struct event_node {
	struct sampler_event event;
	struct event_node *next;
};

struct sampler {
	const struct sys *sys;
	pthread_t thread;
	int timer_fd, request_fd, event_fd;

	pthread_mutex_t lock; /* for what stands in this paragraph */
	pthread_cond_t done;
	struct request *requests, **requests_end;
	struct event_node *events, **events_end;
	uint64_t n_asked, n_done;

	pthread_mutex_t life; /* held while a source comes or goes, so that the ui may describe it */

	struct seat seats[SOURCES_MAX];
	struct {
		struct ring *ring;
		bool instances;
	} rings[RINGS_MAX];
	uint32_t n_seats;   /* the thread's */
	uint32_t n_adopted; /* the caller's */
	unsigned n_rings;
	int64_t suspended_ns; /* BOOTTIME minus MONOTONIC */
	bool end;
};

static void tell(struct sampler *s, enum sampler_event_kind kind, uint32_t source, int64_t period_ns, const struct err *err)
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

static void seat_leave(struct sampler *s, struct seat *seat)
{
	if (!seat->source)
		return;
	pthread_mutex_lock(&s->life);
	if (seat->started)
		seat->source->backend->stop(seat->source);
	seat->source->backend->close(seat->source);
	source_free(seat->source);
	free(seat->sample);
	*seat = (struct seat){0};
	pthread_mutex_unlock(&s->life);
}

static void seat_start(struct sampler *s, uint32_t index, int64_t period_ns)
{
	struct seat *seat = &s->seats[index];
	struct source *source = seat->source;
	int64_t now = s->sys->monotonic_ns(s->sys);
	struct err err;

	if (!source)
		return;
	if (seat->started)
		source->backend->stop(source);
	seat->started = source->backend->start(source, period_ns, now, &err);
	if (!seat->started) {
		seat_leave(s, seat);
		tell(s, SAMPLER_FAILED, index, 0, &err);
		return;
	}
	seat->wake_ns = source->period_ns;
	if (seat->wake_ns < BATCH_BELOW_NS)
		seat->wake_ns = BATCH_SAMPLES * source->period_ns < BATCH_NS ? BATCH_SAMPLES * source->period_ns : BATCH_NS;
	seat->due_ns = now + seat->wake_ns;
	tell(s, SAMPLER_STARTED, index, source->period_ns, NULL);
}

static void push(struct sampler *s, uint32_t index, struct seat *seat)
{
	struct sample *sample = seat->sample;

	seat->seq += 1 + sample->lost;
	sample->seq = seat->seq;
	sample->source = index;
	if (seat->late_gap)
		sample->flags |= SAMPLE_GAP;
	seat->late_gap = false;
	for (unsigned i = 0; i < s->n_rings; i++) {
		sample->n_values = s->rings[i].instances ? seat->source->n_slots : seat->source->n_sums;
		ring_push(s->rings[i].ring, sample);
	}
}

static void read_seat(struct sampler *s, uint32_t index, int64_t now)
{
	struct seat *seat = &s->seats[index];

	for (unsigned n = 0; n < READS_MAX; n++) {
		enum read_result got;

		seat->sample->flags = 0;
		seat->sample->lost = 0;
		got = seat->source->backend->read(seat->source, now, seat->sample);
		if (got == READ_GOT) {
			push(s, index, seat);
			continue;
		}
		if (got == READ_GONE) {
			struct err err;

			err_set(&err, ENODEV, "%s: the device is gone", seat->source->title);
			seat_leave(s, seat);
			tell(s, SAMPLER_GONE, index, 0, &err);
		}
		return;
	}
}

/* What ended before a reader leaves is still its own. */
static void read_all(struct sampler *s)
{
	for (uint32_t i = 0; i < s->n_seats; i++)
		if (s->seats[i].source)
			read_seat(s, i, s->sys->monotonic_ns(s->sys));
}

static void take_request(struct sampler *s, const struct request *r)
{
	struct seat *seat;

	switch (r->kind) {
	case REQUEST_ADOPT:
		seat = &s->seats[r->index];
		pthread_mutex_lock(&s->life);
		*seat = (struct seat){.source = r->source,
				      .sample = xcalloc(1, sizeof(*seat->sample) + r->source->n_slots * sizeof(uint64_t))};
		pthread_mutex_unlock(&s->life);
		s->n_seats = r->index + 1;
		seat_start(s, r->index, r->period_ns);
		break;
	case REQUEST_PERIOD:
		seat_start(s, r->index, r->period_ns);
		break;
	case REQUEST_ATTACH:
		assert(s->n_rings < RINGS_MAX);
		s->rings[s->n_rings].ring = r->ring;
		s->rings[s->n_rings++].instances = r->instances;
		break;
	case REQUEST_DETACH:
		read_all(s);
		for (unsigned i = 0; i < s->n_rings; i++)
			if (s->rings[i].ring == r->ring)
				s->rings[i--] = s->rings[--s->n_rings];
		break;
	case REQUEST_END:
		s->end = true;
		break;
	}
}

static void take_requests(struct sampler *s)
{
	struct request *r, *next;
	uint64_t n = 0;

	sys_event_ack(s->request_fd);
	pthread_mutex_lock(&s->lock);
	r = s->requests;
	s->requests = NULL;
	s->requests_end = &s->requests;
	pthread_mutex_unlock(&s->lock);
	for (; r; r = next, n++) {
		next = r->next;
		take_request(s, r);
		free(r);
	}
	pthread_mutex_lock(&s->lock);
	s->n_done += n;
	pthread_cond_broadcast(&s->done);
	pthread_mutex_unlock(&s->lock);
}

/* A suspend moves BOOTTIME but not MONOTONIC: what comes next begins after time that nobody counted. */
static void notice_suspend(struct sampler *s)
{
	int64_t ahead = s->sys->boottime_ns(s->sys) - s->sys->monotonic_ns(s->sys);

	if (ahead - s->suspended_ns > SUSPEND_NS)
		for (uint32_t i = 0; i < s->n_seats; i++)
			s->seats[i].late_gap = true;
	s->suspended_ns = ahead;
}

static void read_due(struct sampler *s)
{
	int64_t now = s->sys->monotonic_ns(s->sys);

	notice_suspend(s);
	for (uint32_t i = 0; i < s->n_seats; i++) {
		struct seat *seat = &s->seats[i];

		if (!seat->source || seat->due_ns > now)
			continue;
		/* The deadlines are a fixed grid: a late wake shortens the next sleep and nothing drifts. */
		seat->due_ns += seat->wake_ns * ((now - seat->due_ns) / seat->wake_ns + 1);
		seat->silenced = false;
		read_seat(s, i, now);
	}
}

/* Arm the timer for the earliest deadline and list the fds that announce samples by themselves. seat_of[i] belongs to fds[i]. */
static unsigned prepare_wait(struct sampler *s, struct pollfd *fds, uint32_t *seat_of)
{
	int64_t due = 0;
	unsigned n = 2;

	fds[0] = (struct pollfd){.fd = s->request_fd, .events = POLLIN};
	fds[1] = (struct pollfd){.fd = s->timer_fd, .events = POLLIN};
	for (uint32_t i = 0; i < s->n_seats; i++) {
		const struct seat *seat = &s->seats[i];
		int fd = seat->source ? seat->source->backend->fd(seat->source) : -1;

		if (seat->source && (!due || seat->due_ns < due))
			due = seat->due_ns;
		if (fd < 0 || seat->silenced || seat->source->period_ns < BATCH_BELOW_NS)
			continue;
		seat_of[n] = i;
		fds[n++] = (struct pollfd){.fd = fd, .events = POLLIN};
	}
	sys_timer_at(s->timer_fd, due);
	return n;
}

static void read_ready(struct sampler *s, const struct pollfd *fds, const uint32_t *seat_of, unsigned n)
{
	int64_t now = s->sys->monotonic_ns(s->sys);

	for (unsigned i = 2; i < n; i++) {
		struct seat *seat = &s->seats[seat_of[i]];
		uint64_t before = seat->seq;

		if (!fds[i].revents || !seat->source)
			continue;
		read_seat(s, seat_of[i], now);
		seat->silenced = seat->seq == before;
	}
}

static void *run(void *arg)
{
	struct sampler *s = arg;
	struct pollfd fds[2 + SOURCES_MAX];
	uint32_t seat_of[2 + SOURCES_MAX];

	while (!s->end) {
		unsigned n = prepare_wait(s, fds, seat_of);

		if (s->sys->poll(s->sys, fds, n, -1) < 0 && errno != EINTR)
			break; /* cannot happen with our own fds; ending is better than spinning */
		if (fds[1].revents)
			sys_timer_ack(s->timer_fd);
		if (fds[0].revents)
			take_requests(s);
		if (s->end)
			break;
		read_ready(s, fds, seat_of, n);
		read_due(s);
	}
	for (uint32_t i = 0; i < s->n_seats; i++)
		seat_leave(s, &s->seats[i]);
	return NULL;
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
	s->suspended_ns = sys->boottime_ns(sys) - sys->monotonic_ns(sys);
	failed = s->timer_fd < 0 || s->request_fd < 0 || s->event_fd < 0 ? errno : 0;
	if (!failed) {
		sigfillset(&all); /* signals belong to the main thread */
		pthread_sigmask(SIG_SETMASK, &all, &before);
		failed = pthread_create(&s->thread, NULL, run, s);
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

uint32_t sampler_adopt(struct sampler *s, struct source *source, int64_t period_ns)
{
	uint32_t index = s->n_adopted++;

	assert(index < SOURCES_MAX);
	ask(s, &(struct request){.kind = REQUEST_ADOPT, .index = index, .source = source, .period_ns = period_ns}, false);
	return index;
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
	if (index < SOURCES_MAX && s->seats[index].source)
		s->seats[index].source->backend->describe(s->seats[index].source, text);
	pthread_mutex_unlock(&s->life);
}
