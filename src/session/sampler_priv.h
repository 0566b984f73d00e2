/* Shared by sampler.c (what other threads call) and sampler_thread.c (what the sampler's own does); no other file includes this. */
#ifndef MALITOP_SAMPLER_PRIV_H
#define MALITOP_SAMPLER_PRIV_H

#include "session/sampler.h"

#include <pthread.h>

#define SAMPLER_SOURCES_MAX 16
#define SAMPLER_RINGS_MAX 4

/* A source in the sampler's hands. Only its thread touches one, but that `source` comes and goes under `life`. What stands here
 * outlives the source: one that is readopted goes on where it was. */
struct seat {
	struct source *source; /* NULL: not there, or away */
	struct sample *sample; /* scratch */
	bool started;
	bool silenced; /* not polled before its next deadline, so that nothing spins: its fd was ready but gave nothing, or never
			* stops giving */
	bool gap;      /* the first sample that ends after gap_after_ns begins after time that was not counted */
	int64_t gap_after_ns;
	uint64_t seq;
	int64_t period_ns; /* as told */
	int64_t wake_ns, due_ns;
};

enum request_kind { REQUEST_ADOPT, REQUEST_DROP, REQUEST_PERIOD, REQUEST_ATTACH, REQUEST_DETACH, REQUEST_CUT, REQUEST_END };

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

	uint32_t n_adopted; /* the caller's */

	pthread_mutex_t life; /* for the `source` of seats, so that the ui may describe it */
	struct seat seats[SAMPLER_SOURCES_MAX];

	/* The thread's: */
	struct {
		struct ring *ring;
		bool instances;
	} rings[SAMPLER_RINGS_MAX];
	unsigned n_rings;
	uint32_t n_seats;
	int64_t suspended_ns; /* BOOTTIME minus MONOTONIC, the most that was seen */
	int64_t looked_ns;    /* when that was */
	bool end;
};

/* The thread: until REQUEST_END. */
void *sampler_run(void *sampler);

/* For the thread: everything that was asked for, in order, to be freed; and how much of it is done. */
struct request *sampler_requests(struct sampler *s);
void sampler_requests_done(struct sampler *s, uint64_t n);
/* For the thread: an event for the ui. err: NULL for none. */
void sampler_tell(struct sampler *s, enum sampler_event_kind kind, uint32_t source, int64_t period_ns, const struct err *err);

#endif
