/* Shared by sampler.c (what other threads call) and sampler_thread.c (what the sampler's own do);
 * no other file includes this. */
#ifndef MALITOP_SAMPLER_PRIV_H
#define MALITOP_SAMPLER_PRIV_H

#include "session/opener.h"
#include "session/sampler.h"

#include <pthread.h>
#include <sys/types.h>

#define SAMPLER_SOURCES_MAX 16
#define SAMPLER_SUBSCRIBERS_MAX 4

/* A source in the sampler. Only the thread of its worker touches it, except that `source` is set
 * and cleared under `life`. An entry outlives its source, so that a readopted one continues the
 * count. */
struct sampler_entry {
	struct source *source; /* NULL while there is none */
	struct sample *sample; /* scratch */
	bool started;
	/* Not polled before its next deadline, because its fd was ready but yielded nothing, or
	 * because it never stops yielding. */
	bool silenced;
	/* The first sample that ends after gap_after_ns follows time that was not counted. */
	bool gap;
	int64_t gap_after_ns;
	uint64_t seq;
	int64_t invalid_ns; /* since when samples fail; 0: the last one was valid */
	bool invalid;       /* that was reported */
	struct sample_failures failures;
	int64_t period_ns;       /* as the source reported it */
	int64_t asked_ns;        /* as it was asked for */
	int64_t wake_ns, due_ns; /* due: begun_ns and a multiple of wake_ns */
	int64_t begun_ns;
	struct entry_pace {
		int64_t started_ns;  /* samples from before are of a simulated past */
		int64_t expected_ns; /* period_ns of the start */
		int64_t ns;          /* length of the samples of this window */
		unsigned n;
		bool strayed; /* some window did: all are reported from then on */
	} pace;
};

enum request_kind {
	REQUEST_ADOPT,
	REQUEST_DROP,
	REQUEST_PERIOD,
	REQUEST_PREFER,
	REQUEST_CHOOSE,
	REQUEST_ATTACH,
	REQUEST_DETACH,
	REQUEST_CUT,
	REQUEST_END
};

struct sampler_request {
	enum request_kind kind;
	uint32_t index;
	struct source *source;
	int64_t period_ns;
	struct source_priority priority; /* REQUEST_PREFER */
	pid_t pid;                       /* REQUEST_CHOOSE */
	struct subscriber *subscriber;   /* REQUEST_ATTACH: the worker gets a share */
	struct sampler_request *next;
};

struct event_node {
	struct sampler_event event;
	struct event_node *next;
};

/* A thread and its sources: one GPU, or all sources that are not GPUs or are simulated. */
struct sampler_worker {
	struct sampler *sampler; /* lives as long as the thread */
	bool is_shared;
	int request_fd;
	struct opener *thread; /* owned by the caller; NULL while it is not running */

	/* Under the sampler's lock: */
	struct sampler_request *requests, **requests_end;
	uint64_t n_asked, n_done;
	int64_t asked_ns;   /* time of the oldest request that is not done */
	int64_t entered_ns; /* when the current call began; 0 outside of calls */
	uint32_t entered;   /* the source of that call */

	pthread_mutex_t life;                              /* guards `source` of the entries */
	struct sampler_entry entries[SAMPLER_SOURCES_MAX]; /* by index; empty for sources of other workers */

	/* The thread's: */
	struct subscriber *subscribers[SAMPLER_SUBSCRIBERS_MAX];
	unsigned n_subscribers;
	uint32_t n_entries;
	int64_t suspended_ns; /* the largest BOOTTIME minus MONOTONIC so far */
	int64_t looked_ns;    /* time of the last check */
	bool end;
};

struct sampler {
	const struct sys *sys;
	int event_fd, answer_fd;

	pthread_mutex_t lock; /* guards this paragraph, and the one in struct sampler_worker */
	unsigned owners;      /* the caller and the threads; the last one frees */
	struct event_node *events, **events_end;

	/* The caller's: */
	struct sampler_worker *workers[SAMPLER_SOURCES_MAX];
	unsigned n_workers;
	struct sampler_worker *worker_of[SAMPLER_SOURCES_MAX]; /* by index */
	uint32_t n_adopted;
	struct subscriber *subscribers[SAMPLER_SUBSCRIBERS_MAX];
	unsigned n_subscribers;
	bool ended;
};

/* The job of a worker's opener; runs until REQUEST_END. */
void worker_run(void *worker);

/* Queue an event for the ui. */
void sampler_report(struct sampler *s, const struct sampler_event *event);

#endif
