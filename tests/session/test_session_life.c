/* A device that goes, stays away, comes back, or comes back as another: over a backend that the test scripts. Time is what the test
 * says it is; only the sampler lives in the real one. */
#include "session/session.h"
#include "base/alloc.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MS 1000000ll
#define S (1000 * MS)

/* What the device does; under its lock, as three threads ask. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool gone, hangs;
	int open_error, start_error;
	const char *slot;
	double scale;
	uint64_t core_mask;
	bool one_more;
	int64_t slow_ns; /* the shortest interval */
	unsigned opens, starts, closes;
} device = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void lock(void)
{
	pthread_mutex_lock(&device.lock);
}

static void unlock(void)
{
	pthread_cond_broadcast(&device.changed);
	pthread_mutex_unlock(&device.lock);
}

static bool fake_open(struct source *source, const char *path, struct err *err)
{
	int code;

	assert_string_equal(path, "/dev/fake3");
	assert_string_equal(source->options.interface, "fine");
	lock();
	device.opens++;
	while (device.hangs)
		pthread_cond_wait(&device.changed, &device.lock);
	code = device.open_error;
	source->kind = SOURCE_GPU;
	source->constants.core_mask = device.core_mask;
	strcpy(source->title, "Fake GPU");
	if (!code) {
		source_add_slot(source, &(struct slot){.name = device.slot, .kind = SLOT_DELTA, .scale = device.scale});
		if (device.one_more)
			source_add_slot(source, &(struct slot){.name = "More", .kind = SLOT_DELTA, .scale = 1});
	}
	unlock();
	return !code || err_set(err, code, "fake: open: %s", strerror(code));
}

static bool fake_start(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err)
{
	int code;

	lock();
	device.starts++;
	code = device.start_error;
	source->period_ns = period_ns > device.slow_ns ? period_ns : device.slow_ns;
	*(int64_t *)source->priv = now_ns;
	unlock();
	return !code || err_set(err, code, "fake: start: %s", strerror(code));
}

static int fake_fd(const struct source *source)
{
	(void)source;
	return -1;
}

static enum read_result fake_read(struct source *source, int64_t now_ns, struct sample *sample)
{
	int64_t *begin_ns = source->priv;
	bool gone;

	lock();
	gone = device.gone;
	unlock();
	if (gone)
		return READ_GONE;
	if (*begin_ns + source->period_ns > now_ns)
		return READ_NONE;
	sample->begin_ns = *begin_ns;
	*begin_ns = sample->end_ns = *begin_ns + source->period_ns;
	sample->value[0] = 1;
	return READ_GOT;
}

static void fake_stop(struct source *source)
{
	(void)source;
}

static void fake_close(struct source *source)
{
	(void)source;
	lock();
	device.closes++;
	unlock();
}

static const struct backend backend_fake = {.name = "fake",
					    .priv_size = sizeof(int64_t),
					    .open = fake_open,
					    .start = fake_start,
					    .fd = fake_fd,
					    .read = fake_read,
					    .stop = fake_stop,
					    .close = fake_close};

static const char data[] = "slots fake\n  names Count More Other\n"
			   "metric Number\n  title Number\n  unit count\n  group G\n  expr Count * 1\n";

/* What an open that hangs keeps: as long as the process. */
static struct sys sys;
static struct options options = {.interval_ns = 10 * MS};

struct bench {
	struct session session;
	struct ring *ring;
	char text[512];
};

static int set_up(void **state)
{
	static struct bench b;
	struct session *s = &b.session;
	struct session_source *mine = &s->sources[0];
	struct source *source;
	struct err err;

	b = (struct bench){0};
	lock();
	device.gone = device.hangs = device.one_more = false;
	device.open_error = device.start_error = 0;
	device.slot = "Count";
	device.scale = 1;
	device.core_mask = 3;
	device.slow_ns = 0;
	device.opens = device.starts = device.closes = 0;
	unlock();
	*s = (struct session){.sys = &sys, .options = &options, .n = 1};
	s->db = gpudb_load_texts(&(struct gpudb_text){"data", SPAN_LIT(data)}, 1, &err);
	s->sampler = sampler_new(&sys, &err);
	assert_true(s->db && s->sampler);
	*mine = (struct session_source){.backend = &backend_fake,
					.device = "/dev/fake3",
					.interface = "fine",
					.kind = SOURCE_GPU,
					.title = "Fake GPU",
					.n_slots = 1,
					.n_sums = 1,
					.constants.core_mask = 3,
					.asked_ns = 10 * MS};
	s->what.interface = mine->interface;
	source = source_open(&sys, &backend_fake, &s->what, mine->device, &err);
	assert_non_null(source);
	mine->set = metric_set_new(s->db, &(struct metric_source){.slots = source->slots, .n_slots = 1}, &err);
	assert_non_null(mine->set);
	b.ring = session_ring(s, false);
	mine->index = sampler_adopt(s->sampler, source, 10 * MS);
	*state = &b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	if (b->session.sampler)
		sampler_detach(b->session.sampler, b->ring);
	session_close(&b->session);
	ring_free(b->ring);
	return 0;
}

/* At a time that the test makes up: what is said, within two seconds; "" for nothing in `ms`. */
static const char *said(struct bench *b, int64_t now_ns, int ms)
{
	for (int i = 0; i < ms / 5; i++) {
		while (session_event(&b->session, now_ns, b->text, sizeof(b->text)))
			if (b->text[0])
				return b->text;
		usleep(5000);
	}
	return "";
}

static unsigned opens(void)
{
	unsigned n;

	lock();
	n = device.opens;
	unlock();
	return n;
}

static void go(bool gone)
{
	lock();
	device.gone = gone;
	unlock();
}

/* Let the device go, and see that it is told. */
static void lose(struct bench *b)
{
	go(true);
	assert_string_equal(said(b, 0, 2000), "Fake GPU: the device is gone; trying again every 3 s");
	assert_string_equal(session_away_text(&b->session.sources[0]), "gone, trying again");
}

static void a_device_that_is_back_goes_on_in_its_place(void **state)
{
	struct bench *b = *state;
	const struct sample *sample;
	uint64_t seq = 0, gap_at = 0;

	usleep(50000);
	lose(b);
	go(false);
	assert_string_equal(said(b, 3 * S - 1, 150), "");
	assert_int_equal(opens(), 1); /* not before its time */
	assert_string_equal(said(b, 3 * S, 2000), "Fake GPU: is back");
	assert_int_equal(opens(), 2);
	assert_null(session_away_text(&b->session.sources[0]));
	usleep(50000);
	sampler_detach(b->session.sampler, b->ring);
	for (; (sample = ring_peek(b->ring)); ring_release(b->ring)) {
		assert_int_equal(sample->source, b->session.sources[0].index);
		assert_int_equal(sample->seq, ++seq);
		assert_true(!(sample->flags & SAMPLE_GAP) || !gap_at);
		if (sample->flags & SAMPLE_GAP)
			gap_at = seq;
	}
	assert_true(gap_at > 1 && seq > gap_at);
}

static void as_long_as_it_is_not_there_nothing_more_is_said(void **state)
{
	struct bench *b = *state;

	lose(b);
	lock();
	device.open_error = ENODEV;
	unlock();
	for (unsigned i = 1; i <= 4; i++) {
		assert_string_equal(said(b, 3 * i * S, 150), "");
		assert_int_equal(opens(), 1 + i);
	}
	lock();
	device.open_error = 0;
	device.gone = false;
	unlock();
	assert_string_equal(said(b, 15 * S, 2000), "Fake GPU: is back");
}

static void each_new_reason_is_said_once(void **state)
{
	struct bench *b = *state;

	lose(b);
	lock();
	device.gone = false;
	device.open_error = EACCES;
	unlock();
	assert_string_equal(said(b, 3 * S, 2000), "fake: open: Permission denied; trying again every 3 s");
	assert_string_equal(said(b, 6 * S, 150), "");
	lock();
	device.open_error = 0;
	device.start_error = EBUSY;
	unlock();
	assert_string_equal(said(b, 9 * S, 2000), "fake: start: Device or resource busy; trying again every 3 s");
	assert_string_equal(session_away_text(&b->session.sources[0]), "not counting, trying again");
	assert_string_equal(said(b, 12 * S, 150), "");
	assert_int_equal(opens(), 5);
	lock();
	device.start_error = 0;
	unlock();
	assert_string_equal(said(b, 15 * S, 2000), "Fake GPU: is back");
	go(true);
	assert_string_equal(said(b, 15 * S, 2000), "Fake GPU: the device is gone; trying again every 3 s");
}

static void another_gpu_does_not_take_its_place(void **state)
{
	static const struct {
		const char *slot;
		double scale;
		uint64_t core_mask;
		bool one_more;
	} others[] = {{"Other", 1, 3, false}, {"Count", 4, 3, false}, {"Count", 1, 5, false}, {"Count", 1, 3, true}};

	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		struct bench *b = *state;

		lose(b);
		lock();
		device.gone = false;
		device.slot = others[i].slot;
		device.scale = others[i].scale;
		device.core_mask = others[i].core_mask;
		device.one_more = others[i].one_more;
		unlock();
		assert_string_equal(said(b, 3 * S, 2000),
				    "Fake GPU: came back with other cores or counters: start malitop again");
		assert_string_equal(session_away_text(&b->session.sources[0]), "changed, start malitop again");
		assert_string_equal(said(b, 60 * S, 150), "");
		lock();
		assert_int_equal(device.opens, 2);
		assert_int_equal(device.closes, 2);
		assert_int_equal(device.starts, 1);
		unlock();
		tear_down(state);
		set_up(state);
	}
}

static void closing_does_not_wait_for_a_device_that_hangs(void **state)
{
	struct bench *b = *state;

	lose(b);
	lock();
	device.hangs = true;
	unlock();
	assert_string_equal(said(b, 3 * S, 150), "");
	assert_int_equal(opens(), 2);
	assert_string_equal(said(b, 60 * S, 150), ""); /* nor does anything else */
	sampler_detach(b->session.sampler, b->ring);
	session_close(&b->session);
	lock();
	device.hangs = false;
	unlock();
	for (int i = 0, closes = 0; i < 400 && closes < 2; i++) { /* what the call opened after all is closed by its thread */
		usleep(5000);
		lock();
		closes = (int)device.closes;
		unlock();
	}
	lock();
	assert_int_equal(device.closes, 2);
	unlock();
}

static void a_longer_interval_than_asked_for_is_said(void **state)
{
	struct bench *b = *state;
	struct session_source *mine = &b->session.sources[0];

	assert_string_equal(said(b, 0, 150), "");
	assert_int_equal(mine->period_ns, 10 * MS);
	lock();
	device.slow_ns = 20 * MS;
	unlock();
	session_set_interval(&b->session, mine, 20 * MS); /* as asked for */
	assert_string_equal(said(b, 0, 150), "");
	assert_int_equal(mine->period_ns, 20 * MS);
	session_set_interval(&b->session, mine, 5 * MS);
	assert_string_equal(said(b, 0, 2000), "Fake GPU: samples every 20 ms, not every 5 ms as asked for");
	lose(b);
	go(false);
	said(b, 3 * S, 2000);
	assert_int_equal(mine->asked_ns, 5 * MS);
	assert_int_equal(mine->period_ns, 20 * MS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_device_that_is_back_goes_on_in_its_place),
		TEST(as_long_as_it_is_not_there_nothing_more_is_said),
		TEST(each_new_reason_is_said_once),
		TEST(another_gpu_does_not_take_its_place),
		TEST(closing_does_not_wait_for_a_device_that_hangs),
		TEST(a_longer_interval_than_asked_for_is_said),
	};

	if (!sys_init(&sys, NULL, NULL))
		return 1;
	alarm(60); /* a test that hangs has failed */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
