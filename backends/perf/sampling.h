/* sampling: shared by the parts of the hot backend. No other file includes this.
 *
 * perf_hot.c         the backend, and its thread
 * sampling_events.c  the events that sample: which, whose, with which rights
 * sampling_ring.c    the rings that the kernel writes, merged in the order of time
 * sampling_fold.c    records of the kernel become a profile (src/hot)
 *
 * A separate thread reads the rings, follows the maps of processes, reads their files and writes
 * complete samples into a ring of ours, from which the sampler takes them. So no read of the source
 * waits for a file. While a file takes long, the kernel's rings hold the records, and count their
 * losses. */
#ifndef MALITOP_SAMPLING_H
#define MALITOP_SAMPLING_H

#include "backends/backend.h"
#include "backends/cpu/cpus.h"
#include "hot/hot_maps.h"
#include "hot/hot_words.h"

#include <linux/perf_event.h>
#include <pthread.h>

#define SAMPLING_RATE 199 /* per second and busy CPU: not a divisor of usual frequencies */
#define SAMPLING_RECORD_MOST 65536

enum sampling_slot {
	SAMPLING_SAMPLES,
	SAMPLING_LOST,
	SAMPLING_THROTTLED,
	SAMPLING_UNKEPT,
	SAMPLING_WEIGHT,   /* events that the samples represent */
	SAMPLING_RUN_TIME, /* ns of CPU time that they represent; SAMPLE_UNKNOWN: not reported */
	SAMPLING_COST,     /* ns of CPU time of our thread */
	SAMPLING_GIVEN_UP, /* files and names that would take too much */
	SAMPLING_SLOTS
};

/* The event to sample, and its options. */
struct sampling_event {
	char name[64];
	uint64_t rate, period; /* one is 0: samples per second, or events per sample */
	bool is_lowered;       /* the default rate is over the kernel's maximum, which is used instead */
	bool is_time;          /* of the kernel's clock, whose events are ns */
	bool user_only;        /* requested by the name, or all that is permitted */
	bool calls;            /* with call chains */
};

/* A ring that the kernel writes. */
struct sampling_ring {
	int fd;
	struct perf_event_mmap_page *page;
	size_t size; /* of the data, after the first page */
	uint64_t tail, head;
};

struct sampling {
	const struct sys *sys;
	struct sampling_event event;
	struct cpus cpus;
	struct sampling_ring *rings; /* one per CPU, or per thread */
	unsigned n_rings, cap_rings;
	int *fds; /* events that write into the ring of another event */
	unsigned n_fds, cap_fds;
	bool on_exec;

	/* only for the thread: */
	struct hot_maps *maps;
	struct hot_profile profile;
	struct hot_moment *moments;
	unsigned n_moments, cap_moments;
	uint64_t count[SAMPLING_SLOTS]; /* in the current interval */
	int64_t begin_ns, cost_ns;
	uint64_t given_up; /* in all intervals before */
	unsigned char record[SAMPLING_RECORD_MOST] __attribute__((aligned(8)));
	struct sample *sample;
};

/* Open the events that the options request, stopped; set the source's title and driver. With
 * only_tries, check whether that is possible, and close them. */
bool sampling_open(struct sampling *s, struct source *source, bool only_tries, struct err *err);
void sampling_close(struct sampling *s);
bool sampling_start(struct sampling *s, struct err *err);
void sampling_stop(struct sampling *s);

/* Take the records up to a time, in the order of their times. Later ones stay. */
void sampling_drain(struct sampling *s, int64_t until_ns);
/* Add a record to the current interval. */
void sampling_take(struct sampling *s, const struct perf_event_header *head, int64_t time_ns);
/* End the interval: fill s->sample, and start the next one. */
void sampling_finish(struct sampling *s, int64_t end_ns);

#endif
