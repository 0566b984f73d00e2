/* sampler_bench: a sampler over a source that the test scripts. Times are real but short, and
 * nothing hangs on how exact they are. */
#ifndef SAMPLER_BENCH_H
#define SAMPLER_BENCH_H

#include "session/sampler.h"
#include "base/alloc.h"
#include "tests/support/await.h"
#include "tests/support/test.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define MS 1000000ll

/* How the source comes to its samples. */
enum script_kind {
	SCRIPT_CLOCK,   /* when their time has come */
	SCRIPT_NONE,    /* never */
	SCRIPT_ENDLESS, /* always one more */
	SCRIPT_EVENTS,  /* one whenever `fd`, an event, was signalled */
	SCRIPT_TIMER,   /* when their time has come, which `fd`, a timer, says */
};

/* Written by the test before the source is adopted, and by the sampler's thread afterwards. */
struct script {
	enum script_kind kind;
	bool has_fd;
	int fd;
	int64_t begin_ns, late_ns; /* so long after its end a sample is there */
	unsigned reads, starts, stops, closes;
	unsigned gone_after; /* samples; 0: never */
	unsigned lost_at;    /* this sample says that two were lost before it */
	int64_t raise_to_ns; /* the period from the third sample on; 0: as it is */
	bool fails_to_start;
};
static struct script script; /* closes and frees outlive the source */
static unsigned n_samples;

/* What both threads touch. */
static struct {
	pthread_mutex_t lock;
	unsigned polls;          /* of the sampler */
	unsigned reads, samples; /* of the source, so far */
	unsigned polls_at_read;  /* `polls` when it was read last */
	int64_t asleep_ns;
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The timer of SCRIPT_TIMER: a driver that keeps the time itself. */
static inline void timer_set(int64_t monotonic_ns)
{
	struct itimerspec at = {.it_value = {.tv_sec = (time_t)(monotonic_ns / 1000000000),
					     .tv_nsec = (long)(monotonic_ns % 1000000000)}};

	assert_int_equal(timerfd_settime(script.fd, TFD_TIMER_ABSTIME, &at, NULL), 0);
}

static inline void timer_new(void)
{
	script.has_fd = true;
	script.fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	assert_true(script.fd >= 0);
}

static inline bool fake_start(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err)
{
	script.starts++;
	if (script.fails_to_start)
		return err_set(err, 5, "fake: will not start");
	source->period_ns = period_ns;
	script.begin_ns = now_ns;
	if (script.kind == SCRIPT_TIMER)
		timer_set(script.begin_ns + period_ns + script.late_ns);
	return true;
}

static inline int fake_fd(const struct source *source)
{
	(void)source;
	return script.has_fd ? script.fd : -1;
}

static inline bool fake_has_sample(const struct source *source, int64_t now_ns)
{
	uint64_t count;

	switch (script.kind) {
	case SCRIPT_CLOCK:
	case SCRIPT_TIMER:
		return script.begin_ns + source->period_ns + script.late_ns <= now_ns;
	case SCRIPT_EVENTS:
		return read(script.fd, &count, sizeof(count)) == sizeof(count);
	default:
		return script.kind == SCRIPT_ENDLESS;
	}
}

static inline unsigned shared_now(const unsigned *count)
{
	unsigned now;

	pthread_mutex_lock(&shared.lock);
	now = *count;
	pthread_mutex_unlock(&shared.lock);
	return now;
}

#define SAMPLES_NOW shared_now(&shared.samples)
#define READS_NOW shared_now(&shared.reads)
#define POLLS_NOW shared_now(&shared.polls)

static inline void count_read(unsigned samples)
{
	pthread_mutex_lock(&shared.lock);
	shared.reads++;
	shared.samples += samples;
	shared.polls_at_read = shared.polls;
	pthread_mutex_unlock(&shared.lock);
}

static inline enum read_result read_script(struct source *source, int64_t now_ns, struct sample *sample)
{
	script.reads++;
	if (script.gone_after && n_samples >= script.gone_after)
		return READ_GONE;
	if (!fake_has_sample(source, now_ns))
		return READ_NONE;
	sample->begin_ns = script.begin_ns;
	script.begin_ns = sample->end_ns =
		script.kind == SCRIPT_EVENTS ? now_ns : script.begin_ns + source->period_ns;
	n_samples++;
	sample->lost = n_samples == script.lost_at ? 2 : 0;
	for (unsigned i = 0; i < source->n_slots; i++)
		sample->value[i] = n_samples;
	if (script.raise_to_ns && n_samples == 3)
		source->period_ns = script.raise_to_ns;
	if (script.kind == SCRIPT_TIMER) {
		timer_set(script.begin_ns + source->period_ns + script.late_ns);
	}
	return READ_GOT;
}

static inline enum read_result fake_read(struct source *source, int64_t now_ns, struct sample *sample)
{
	enum read_result result = read_script(source, now_ns, sample);

	count_read(result == READ_GOT);
	return result;
}

static inline void fake_stop(struct source *source)
{
	(void)source;
	script.stops++;
}

static inline void fake_close(struct source *source)
{
	(void)source;
	script.closes++;
}

static inline void fake_describe(const struct source *source, struct strbuf *text)
{
	strbuf_printf(text, "%s\n", source->title);
}

static const struct backend fake = {.name = "fake",
				    .start = fake_start,
				    .fd = fake_fd,
				    .read = fake_read,
				    .stop = fake_stop,
				    .close = fake_close,
				    .describe = fake_describe};

struct sampler_bench {
	struct sys sys;
	struct sampler *sampler;
};

/* Not a GPU: all of them are on one thread. */
static inline struct source *fake_source(const struct sys *sys)
{
	struct source *source = xcalloc(1, sizeof(*source));

	*source = (struct source){.backend = &fake,
				  .sys = sys,
				  .kind = SOURCE_CPU,
				  .title = "a fake",
				  .n_slots = 3,
				  .n_sums = 2};
	source->slots = xcalloc(3, sizeof(*source->slots));
	return source;
}

static int (*real_poll_until)(const struct sys *sys, struct pollfd *fds, unsigned n, int64_t monotonic_ns);

static inline int counted_poll(const struct sys *sys, struct pollfd *fds, unsigned n, int64_t monotonic_ns)
{
	pthread_mutex_lock(&shared.lock);
	shared.polls++;
	pthread_mutex_unlock(&shared.lock);
	return real_poll_until(sys, fds, n, monotonic_ns);
}

static inline int64_t fake_boottime(const struct sys *sys)
{
	int64_t asleep;

	pthread_mutex_lock(&shared.lock);
	asleep = shared.asleep_ns;
	pthread_mutex_unlock(&shared.lock);
	return sys->monotonic_ns(sys) + asleep;
}

static inline void fall_asleep(int64_t ns)
{
	pthread_mutex_lock(&shared.lock);
	shared.asleep_ns += ns;
	pthread_mutex_unlock(&shared.lock);
}

static inline void bench_init(struct sampler_bench *b)
{
	struct err err;

	script = (struct script){0};
	n_samples = 0;
	shared.polls = shared.reads = shared.samples = shared.polls_at_read = 0;
	assert_true(sys_init(&b->sys, NULL, &err));
	real_poll_until = b->sys.poll_until;
	b->sys.poll_until = counted_poll;
	b->sys.boottime_ns = fake_boottime;
	b->sampler = sampler_new(&b->sys, &err);
	assert_non_null(b->sampler);
}

static inline void bench_fini(struct sampler_bench *b)
{
	sampler_free(b->sampler);
	sys_fini(&b->sys);
}

/* The same; returns how long it was since then, so that all that was counted is in that time. */
static inline int64_t bench_end(struct sampler_bench *b, int64_t begin_ns)
{
	int64_t took;

	sampler_free(b->sampler);
	took = b->sys.monotonic_ns(&b->sys) - begin_ns;
	sys_fini(&b->sys);
	return took;
}

#define BENCH_SOURCES 4
#define RING_BYTES (1 << 22)

/* A reader of all the sources that a test has. */
static inline struct subscriber *bench_subscriber(struct sampler_bench *b, size_t bytes, bool instances)
{
	size_t each[BENCH_SOURCES];

	for (unsigned i = 0; i < BENCH_SOURCES; i++)
		each[i] = bytes;
	return sampler_attach(b->sampler, each, BENCH_SOURCES, instances);
}

/* The sampler is done with what it read, and waits again. */
static inline void await_next_poll(void)
{
	unsigned before = POLLS_NOW;

	AWAIT(POLLS_NOW > before);
}

/* It waits after the n-th sample. */
static inline void await_idle_after(unsigned n)
{
	AWAIT(SAMPLES_NOW >= n && POLLS_NOW > shared_now(&shared.polls_at_read));
}

/* How often a sampler may wake in so long a time that does so every 16 ms at most: four times each,
 * and when it begins and ends. */
static inline unsigned polls_most(int64_t ns)
{
	return 12 + 4 * (unsigned)(ns / (16 * MS));
}

/* The next thing the sampler tells. */
static inline struct sampler_event next_event(struct sampler_bench *b)
{
	struct pollfd fd = {.fd = sampler_fd(b->sampler), .events = POLLIN};
	struct sampler_event event = {0};

	for (int i = 0; i < AWAIT_MS / 100; i++) {
		poll(&fd, 1, 100);
		if (sampler_next_event(b->sampler, &event))
			return event;
	}
	fail_msg("the sampler tells nothing");
	return event;
}

#endif
