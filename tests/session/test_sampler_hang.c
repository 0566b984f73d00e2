/* Driver calls that do not return: what they hold up, who waits for them and how long, and what
 * becomes of those that are left alone. The devices give a sample whenever the test says so; no
 * period matters. */
#include "base/alloc.h"
#include "tests/support/await.h"
#include "session/sampler.h"
#include "tests/support/test.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS 1000000ll
#define S (1000 * MS)
#define DEVICES 4

enum call { CALL_NONE, CALL_START, CALL_READ, CALL_STOP, CALL_CLOSE };

/* Under its lock: the test, and the threads that call. */
struct device {
	int fd; /* an event: there is a sample */
	enum call hangs_in;
	bool inside; /* a call that hangs */
	unsigned adopts, closes;
};

static struct device devices[DEVICES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int64_t later_ns, stopped_ns; /* than the true time; or than this one, if it is set */
static unsigned waits;               /* by somebody who would not wait for ever */

/* A call that hangs keeps it. */
static struct sys sys;

static struct device *of(const struct source *source)
{
	return *(struct device *const *)source->priv;
}

static void enter_call(struct device *d, enum call call)
{
	pthread_mutex_lock(&lock);
	while (d->hangs_in == call) {
		d->inside = true;
		pthread_cond_broadcast(&changed);
		pthread_cond_wait(&changed, &lock);
	}
	d->inside = false;
	d->closes += call == CALL_CLOSE;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static bool fake_start(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err)
{
	(void)now_ns, (void)err;
	enter_call(of(source), CALL_START);
	source->period_ns = period_ns;
	return true;
}

static int fake_fd(const struct source *source)
{
	return of(source)->fd;
}

static enum read_result fake_read(struct source *source, int64_t now_ns, struct sample *sample)
{
	uint64_t count;

	enter_call(of(source), CALL_READ);
	if (read(of(source)->fd, &count, sizeof(count)) != sizeof(count))
		return READ_NONE;
	sample->begin_ns = now_ns;
	sample->end_ns = sys.monotonic_ns(&sys);
	return READ_GOT;
}

static void fake_stop(struct source *source)
{
	enter_call(of(source), CALL_STOP);
}

static void fake_close(struct source *source)
{
	enter_call(of(source), CALL_CLOSE);
}

static void fake_describe(const struct source *source, struct strbuf *text)
{
	(void)source;
	strbuf_str(text, "a fake");
}

static const struct backend fake = {.name = "fake",
				    .start = fake_start,
				    .fd = fake_fd,
				    .read = fake_read,
				    .stop = fake_stop,
				    .close = fake_close,
				    .describe = fake_describe};

/* ---- what tests say ---- */

static void set_call(unsigned i, enum call call)
{
	pthread_mutex_lock(&lock);
	devices[i].hangs_in = call;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void release_device(unsigned i)
{
	set_call(i, CALL_NONE);
}

static void wait_inside(unsigned i)
{
	pthread_mutex_lock(&lock);
	while (!devices[i].inside)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void wait_closed(unsigned i)
{
	pthread_mutex_lock(&lock);
	while (devices[i].closes < devices[i].adopts)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static void let_pass(int64_t ns)
{
	pthread_mutex_lock(&lock);
	later_ns += ns;
	pthread_mutex_unlock(&lock);
}

static unsigned count_waits(void)
{
	unsigned n;

	pthread_mutex_lock(&lock);
	n = waits;
	waits = 0;
	pthread_mutex_unlock(&lock);
	return n;
}

/* ---- the machine ---- */

static int64_t (*true_time)(const struct sys *sys);

static int64_t moved_time(const struct sys *with)
{
	int64_t now;

	pthread_mutex_lock(&lock);
	now = (stopped_ns ? stopped_ns : true_time(with)) + later_ns;
	pthread_mutex_unlock(&lock);
	return now;
}

/* Time passes by let_pass only, however slow this machine is; or by itself again. */
static void stop_time(bool stop)
{
	pthread_mutex_lock(&lock);
	stopped_ns = stop ? true_time(&sys) : 0;
	pthread_mutex_unlock(&lock);
}

static int counted_poll(const struct sys *with, struct pollfd *fds, unsigned n, int timeout_ms)
{
	(void)with;
	pthread_mutex_lock(&lock);
	waits += timeout_ms >= 0;
	pthread_mutex_unlock(&lock);
	return poll(fds, n, timeout_ms);
}

struct sampler_hang_bench {
	struct sampler *sampler;
	struct subscriber *subscriber;
};

/* Device 0 and 1 are GPUs, 2 and 3 are none. */
FIXTURE(set_up)
{
	static struct sampler_hang_bench b;
	size_t bytes[DEVICES];
	struct err err;

	count_waits();
	b.sampler = sampler_new(&sys, &err);
	assert_non_null(b.sampler);
	for (unsigned i = 0; i < DEVICES; i++) {
		devices[i] = (struct device){.fd = sys_event_new()};
		bytes[i] = 4096;
	}
	b.subscriber = sampler_attach(b.sampler, bytes, DEVICES, false);
	*state = &b;
	return 0;
}

FIXTURE(tear_down)
{
	struct sampler_hang_bench *b = *state;

	stop_time(false);
	for (unsigned i = 0; i < DEVICES; i++)
		release_device(i); /* a test that failed may have left a call hanging */
	sampler_free(b->sampler);
	subscriber_free(b->subscriber);
	for (unsigned i = 0; i < DEVICES; i++) {
		wait_closed(i); /* by a thread that was left, too */
		close(devices[i].fd);
	}
	return 0;
}

TEST_EACH(set_up, tear_down)

static void adopt_device(struct sampler_hang_bench *b, unsigned i)
{
	struct source *source = xcalloc(1, sizeof(*source));

	*source = (struct source){.backend = &fake,
				  .sys = &sys,
				  .kind = i < 2 ? SOURCE_GPU : SOURCE_CPU,
				  .n_slots = 1,
				  .n_sums = 1};
	source->slots = xcalloc(1, sizeof(*source->slots));
	source->priv = xcalloc(1, sizeof(struct device *));
	*(struct device **)source->priv = &devices[i];
	devices[i].adopts++;
	assert_int_equal(sampler_adopt(b->sampler, source, 1000 * S), i);
}

static enum sampler_event_kind next_event(struct sampler_hang_bench *b, uint32_t *source)
{
	struct pollfd fd = {.fd = sampler_fd(b->sampler), .events = POLLIN};
	struct sampler_event event;

	while (!sampler_next_event(b->sampler, &event))
		poll(&fd, 1, -1);
	*source = event.source;
	return event.kind;
}

static void adopt_all(struct sampler_hang_bench *b)
{
	uint32_t source;

	for (unsigned i = 0; i < DEVICES; i++)
		adopt_device(b, i);
	for (unsigned i = 0; i < DEVICES; i++)
		assert_int_equal(next_event(b, &source), SAMPLER_STARTED);
	/* a start is over a moment after it was told */
	for (unsigned i = 0; i < DEVICES; i++)
		AWAIT(sampler_silence(b->sampler, i, &source) == 0);
}

/* The next sample comes from there; returns its flags. */
static uint32_t wait_sample(struct sampler_hang_bench *b, unsigned i)
{
	const struct sample *sample;
	uint32_t flags;

	sys_event_signal(devices[i].fd);
	while (!(sample = subscriber_peek(b->subscriber)))
		usleep(1000);
	assert_int_equal(sample->source, i);
	flags = sample->flags;
	subscriber_release(b->subscriber);
	return flags;
}

/* Device i does not come back from its next read. */
static void hang_device(unsigned i)
{
	set_call(i, CALL_READ);
	sys_event_signal(devices[i].fd);
	wait_inside(i);
}

/* ---- tests ---- */

TEST(a_gpu_that_hangs_stops_only_itself)
{
	struct sampler_hang_bench *b = *state;

	adopt_all(b);
	hang_device(0);
	for (int n = 0; n < 3; n++)
		for (unsigned i = 1; i < DEVICES; i++)
			assert_int_equal(wait_sample(b, i), 0);
	release_device(0);
}

TEST(what_is_no_gpu_hangs_together_and_no_gpu_with_it)
{
	struct sampler_hang_bench *b = *state;

	adopt_all(b);
	hang_device(2);
	sys_event_signal(devices[3].fd);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(wait_sample(b, i), 0);
	release_device(2);
}

TEST(nobody_waits_for_longer_than_their_patience)
{
	struct sampler_hang_bench *b = *state;
	int64_t since;

	adopt_all(b);
	since = sys.monotonic_ns(&sys);
	hang_device(0);
	sampler_cut(b->sampler);
	assert_true(sys.monotonic_ns(&sys) - since >= SAMPLER_PATIENCE_NS);
	assert_true(count_waits() > 0);
	sampler_drop(b->sampler, 0);
	sampler_detach(b->sampler, b->subscriber);
	assert_false(sampler_end(b->sampler));
	release_device(0);
}

TEST(for_a_call_that_has_hung_long_nobody_waits_at_all)
{
	static const enum call calls[] = {CALL_START, CALL_READ, CALL_STOP, CALL_CLOSE};

	for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
		struct sampler_hang_bench *b = *state;

		set_call(0, calls[i]);
		adopt_device(b, 0);
		sys_event_signal(devices[0].fd);
		if (calls[i] == CALL_STOP || calls[i] == CALL_CLOSE) {
			sampler_drop(b->sampler, 0); /* it falls silent meanwhile */
			wait_inside(0);
		} else {
			wait_inside(0);
			let_pass(SAMPLER_PATIENCE_NS);
		}
		count_waits();
		sampler_drop(b->sampler, 0);
		sampler_cut(b->sampler);
		sampler_detach(b->sampler, b->subscriber);
		assert_false(sampler_end(b->sampler));
		assert_int_equal(count_waits(), 0);
		release_device(0);
		tear_down(state);
		set_up(state);
	}
}

TEST(silence_has_its_length_and_its_end)
{
	struct sampler_hang_bench *b = *state;
	uint32_t whose, source;

	adopt_all(b);
	hang_device(0);
	let_pass(12 * S);
	assert_in_range(sampler_silence(b->sampler, 0, &whose), 12 * S, 60 * S);
	assert_int_equal(whose, 0);
	for (unsigned i = 1; i < DEVICES; i++)
		assert_true(sampler_silence(b->sampler, i, &whose) < S);
	release_device(0);
	assert_int_equal(next_event(b, &source), SAMPLER_ANSWERS);
	assert_int_equal(source, 0);
	assert_int_equal(sampler_silence(b->sampler, 0, &whose), 0);
}

TEST(sources_of_one_thread_are_silent_together)
{
	struct sampler_hang_bench *b = *state;
	uint32_t whose, source;

	adopt_all(b);
	hang_device(2);
	let_pass(12 * S);
	for (unsigned i = 2; i < DEVICES; i++) {
		assert_true(sampler_silence(b->sampler, i, &whose) >= 12 * S);
		assert_int_equal(whose, 2);
	}
	release_device(2);
	for (unsigned i = 2; i < DEVICES; i++) {
		assert_int_equal(next_event(b, &source), SAMPLER_ANSWERS);
		assert_int_equal(source, i);
	}
}

TEST(a_device_that_does_not_answer_is_not_asked_what_it_is)
{
	AUTO_STRBUF struct strbuf text = {0};
	struct sampler_hang_bench *b = *state;

	adopt_all(b);
	sampler_describe(b->sampler, 0, &text);
	assert_string_equal(text.p, "a fake");
	strbuf_clear(&text);
	hang_device(0);
	let_pass(12 * S);
	sampler_describe(b->sampler, 0, &text);
	assert_int_equal(text.n, 0);
	release_device(0);
}

TEST(a_short_wait_is_no_silence)
{
	struct sampler_hang_bench *b = *state;
	struct sampler_event event;
	uint32_t whose;

	adopt_all(b);
	stop_time(true);
	hang_device(0);
	let_pass(SAMPLER_SILENT_NS / 2);
	assert_int_equal(sampler_silence(b->sampler, 0, &whose), SAMPLER_SILENT_NS / 2);
	release_device(0);
	wait_sample(b, 0);
	sampler_cut(b->sampler); /* the call is over */
	assert_false(sampler_next_event(b->sampler, &event));
}

/* Whether its driver counted on meanwhile only the source knows. */
TEST(a_silence_alone_is_no_gap)
{
	struct sampler_hang_bench *b = *state;
	uint32_t source;

	adopt_all(b);
	assert_int_equal(wait_sample(b, 0), 0);
	hang_device(0);
	let_pass(12 * S);
	release_device(0);
	assert_int_equal(next_event(b, &source), SAMPLER_ANSWERS);
	assert_int_equal(subscriber_peek(b->subscriber)->flags, 0); /* what the call gave */
	subscriber_release(b->subscriber);
	assert_int_equal(wait_sample(b, 0), 0);
}

/* Left alone, it closes its source when the call is over, and pushes into nothing that is not there
 * any more. */
TEST(a_thread_that_is_left_frees_what_is_its_own)
{
	static const enum call calls[] = {CALL_START, CALL_READ, CALL_STOP, CALL_CLOSE};

	for (int reader_first = 0; reader_first < 2; reader_first++)
		for (size_t i = 0; i < ARRAY_LEN(calls); i++) {
			struct sampler_hang_bench *b = *state;

			set_call(0, calls[i]);
			for (unsigned d = 0; d < DEVICES; d++)
				adopt_device(b, d);
			sys_event_signal(devices[0].fd);
			if (calls[i] == CALL_START || calls[i] == CALL_READ) {
				wait_inside(0);
				let_pass(SAMPLER_PATIENCE_NS);
			}
			sampler_free(take_ptr(&b->sampler));
			for (unsigned d = 1; d < DEVICES; d++)
				wait_closed(d);
			if (reader_first)
				subscriber_free(take_ptr(&b->subscriber));
			release_device(0);
			wait_closed(0);
			tear_down(state);
			set_up(state);
		}
}

int main(void)
{
	struct err err;

	assert_true(sys_init(&sys, NULL, &err));
	true_time = sys.monotonic_ns;
	sys.monotonic_ns = moved_time;
	sys.poll = counted_poll;

	return test_run();
}
