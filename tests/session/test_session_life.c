/* A device that goes, stays away, comes back, or comes back as another: over a backend that the
 * test scripts. Time is what the test says it is; only the sampler lives in the real one. */
#include "session/session.h"
#include "base/alloc.h"
#include "tests/support/await.h"
#include "tests/support/test.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS 1000000ll
#define S (1000 * MS)

/* What the device does; under its lock, as three threads ask. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool gone, ended, hangs, reads_hang, inside; /* inside: a read that hangs */
	int open_error, start_error;
	const char *slot;
	double scale;
	uint64_t core_mask;
	bool one_more;
	int64_t slow_ns;  /* the shortest interval */
	int64_t pace_ns;  /* so long are the samples in truth; 0: as the interval */
	int64_t burst_ns; /* samples of so long are there already */
	int64_t past_ns;  /* it begins with one sample of so long ago */
	int64_t raise_ns; /* what the driver then says that its interval is; 0: nothing */
	int64_t later_ns; /* than the true time */
	unsigned opens, reads, starts, closes, describes;
	unsigned n_priorities;
	struct source_priority priority; /* the last one */
} device = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static void lock_state(void)
{
	pthread_mutex_lock(&device.lock);
}

static void unlock_state(void)
{
	pthread_cond_broadcast(&device.changed);
	pthread_mutex_unlock(&device.lock);
}

static bool fake_open(struct source *source, const char *path, struct err *err)
{
	int code;

	assert_string_equal(path, "/dev/fake3");
	assert_string_equal(source->options.interface, "fine");
	lock_state();
	device.opens++;
	while (device.hangs)
		pthread_cond_wait(&device.changed, &device.lock);
	code = device.open_error;
	source->kind = SOURCE_GPU;
	source->constants.core_mask = device.core_mask;
	strcpy(source->title, "Fake GPU");
	if (!code) {
		source_add_slot(
			source,
			&(struct slot){.name = device.slot, .kind = SLOT_DELTA, .scale = device.scale});
		if (device.one_more)
			source_add_slot(source,
					&(struct slot){.name = "More", .kind = SLOT_DELTA, .scale = 1});
	}
	unlock_state();
	return !code || err_set(err, code, "fake: open: %s", strerror(code));
}

static bool fake_start(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err)
{
	int code;

	lock_state();
	device.starts++;
	code = device.start_error;
	source->period_ns = period_ns > device.slow_ns ? period_ns : device.slow_ns;
	*(int64_t *)source->priv = now_ns - device.past_ns;
	unlock_state();
	return !code || err_set(err, code, "fake: start: %s", strerror(code));
}

static int fake_fd(const struct source *source)
{
	(void)source;
	return -1;
}

static enum read_result fake_read(struct source *source, int64_t now_ns, struct sample *sample)
{
	int64_t *begin_ns = source->priv, step_ns;
	bool gone, bursts;

	lock_state();
	for (; device.reads_hang; pthread_cond_wait(&device.changed, &device.lock)) {
		device.inside = true;
		pthread_cond_broadcast(&device.changed);
	}
	device.inside = false;
	gone = device.gone;
	source->ended = device.ended;
	step_ns = device.past_ns ? device.past_ns : device.pace_ns ? device.pace_ns : source->period_ns;
	bursts = device.burst_ns > 0;
	device.burst_ns -= bursts ? step_ns : 0;
	if (device.raise_ns)
		source->period_ns = device.raise_ns;
	unlock_state();
	if (gone)
		return READ_GONE;
	if (*begin_ns + step_ns > now_ns && !bursts)
		return READ_NONE;
	sample->begin_ns = *begin_ns;
	*begin_ns = sample->end_ns = *begin_ns + step_ns;
	sample->value[0] = 1;
	lock_state();
	device.reads++;
	device.past_ns = 0;
	unlock_state();
	return READ_GOT;
}

static void fake_prefer(struct source *source, const struct source_priority *priority)
{
	(void)source;
	lock_state();
	device.priority = *priority;
	device.n_priorities++;
	unlock_state();
}

static void fake_stop(struct source *source)
{
	(void)source;
}

static void fake_close(struct source *source)
{
	(void)source;
	lock_state();
	device.closes++;
	unlock_state();
}

static void fake_describe(const struct source *source, struct strbuf *text)
{
	(void)source;
	lock_state();
	strbuf_printf(text, "described %u times", ++device.describes);
	unlock_state();
}

static const struct backend backend_fake = {.name = "fake",
					    .priv_size = sizeof(int64_t),
					    .open = fake_open,
					    .start = fake_start,
					    .fd = fake_fd,
					    .read = fake_read,
					    .stop = fake_stop,
					    .describe = fake_describe,
					    .close = fake_close,
					    .extras = &(const struct backend_extras){.prefer = fake_prefer}};

static const char data[] = "slots fake\n  names Count More Other\n"
			   "metric Number\n  title Number\n  unit count\n  group G\n  expr Count * 1\n";

/* What an open that hangs keeps: as long as the process. */
static struct sys sys;
static struct options options = {.interval_ns = 10 * MS, .interval_given = true};

static int64_t (*true_time)(const struct sys *sys);

static int64_t moved_time(const struct sys *with)
{
	int64_t now;

	lock_state();
	now = true_time(with) + device.later_ns;
	unlock_state();
	return now;
}

struct session_life_bench {
	struct session session;
	struct subscriber *subscriber;
	char text[512];
};

FIXTURE(set_up)
{
	static struct session_life_bench b;
	struct session *s = &b.session;
	struct session_source *mine = &s->sources[0];
	struct source *source;
	struct err err;

	b = (struct session_life_bench){0};
	lock_state();
	device.gone = device.ended = device.hangs = device.reads_hang = device.one_more = false;
	device.later_ns = 0;
	device.open_error = device.start_error = 0;
	device.slot = "Count";
	device.scale = 1;
	device.core_mask = 3;
	device.slow_ns = device.pace_ns = device.past_ns = 0;
	device.burst_ns = device.raise_ns = 0;
	device.opens = device.reads = device.starts = device.closes = device.describes = device.n_priorities =
		0;
	unlock_state();
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
					.asked_ns = 10 * MS,
					.requested = true};
	s->what.interface = mine->interface;
	source = source_open(&sys, &backend_fake, &s->what, mine->device, &err);
	assert_non_null(source);
	mine->set =
		metric_set_new(s->db, &(struct metric_source){.slots = source->slots, .n_slots = 1}, &err);
	assert_non_null(mine->set);
	b.subscriber = session_subscriber(s, false);
	mine->index = sampler_adopt(s->sampler, source, 10 * MS);
	*state = &b;
	return 0;
}

FIXTURE(tear_down)
{
	struct session_life_bench *b = *state;

	if (b->session.sampler)
		sampler_detach(b->session.sampler, b->subscriber);
	session_close(&b->session);
	subscriber_free(b->subscriber);
	return 0;
}

TEST_EACH(set_up, tear_down)

static bool has_said(struct session_life_bench *b, int64_t now_ns)
{
	while (session_event(&b->session, now_ns, b->text, sizeof(b->text)))
		if (b->text[0])
			return true;
	return false;
}

/* At a time that the test makes up: what is said. */
static const char *said(struct session_life_bench *b, int64_t now_ns)
{
	AWAIT(has_said(b, now_ns));
	return b->text;
}

static unsigned device_now(const unsigned *count)
{
	unsigned n;

	lock_state();
	n = *count;
	unlock_state();
	return n;
}

/* Nothing is said, and the device was opened n_opens times in all. */
static void assert_quiet(struct session_life_bench *b, int64_t now_ns, unsigned n_opens)
{
	bool spoke = false;

	AWAIT((spoke = spoke || has_said(b, now_ns)) || device_now(&device.opens) >= n_opens);
	for (int i = 0; i < 30 && !spoke; i++) {
		spoke = has_said(b, now_ns);
		give_time_ms(5);
	}
	if (spoke)
		fail_msg("said: %s", b->text);
	assert_int_equal(device_now(&device.opens), n_opens);
}

static void go_away(bool gone)
{
	lock_state();
	device.gone = gone;
	unlock_state();
}

/* One that began from now on. */
static void await_sample(void)
{
	unsigned before = device_now(&device.reads);

	AWAIT(device_now(&device.reads) >= before + 2);
}

/* Let the device go, and see that it is reported. */
static void lose_device(struct session_life_bench *b)
{
	go_away(true);
	assert_string_equal(said(b, 0), "Fake GPU: the device is gone; trying again every 3 s");
	assert_string_equal(session_away_text(&b->session.sources[0]), "gone, trying again");
}

TEST(a_device_that_is_back_goes_on_in_its_place)
{
	struct session_life_bench *b = *state;
	const struct sample *sample;
	uint64_t seq = 0, gap_at = 0;

	await_sample();
	lose_device(b);
	go_away(false);
	assert_quiet(b, 3 * S - 1, 1); /* not before its time */
	assert_string_equal(said(b, 3 * S), "Fake GPU: is back");
	assert_int_equal(device_now(&device.opens), 2);
	assert_null(session_away_text(&b->session.sources[0]));
	await_sample();
	sampler_detach(b->session.sampler, b->subscriber);
	for (; (sample = subscriber_peek(b->subscriber)); subscriber_release(b->subscriber)) {
		assert_int_equal(sample->source, b->session.sources[0].index);
		assert_int_equal(sample->seq, ++seq);
		assert_true(!(sample->flags & SAMPLE_GAP) || !gap_at);
		if (sample->flags & SAMPLE_GAP)
			gap_at = seq;
	}
	assert_true(gap_at > 1 && seq > gap_at);
}

/* Another process may have its number by then. */
TEST(what_has_ended_is_not_looked_for)
{
	struct session_life_bench *b = *state;

	lock_state();
	device.gone = device.ended = true;
	unlock_state();
	assert_string_equal(said(b, 0), "Fake GPU: has ended");
	assert_string_equal(session_away_text(&b->session.sources[0]), "ended");
	go_away(false);
	assert_quiet(b, 3600 * S, 1);
}

TEST(as_long_as_it_is_not_there_nothing_more_is_said)
{
	struct session_life_bench *b = *state;

	lose_device(b);
	lock_state();
	device.open_error = ENODEV;
	unlock_state();
	for (unsigned i = 1; i <= 4; i++) {
		assert_quiet(b, 3 * i * S, 1 + i);
	}
	lock_state();
	device.open_error = 0;
	device.gone = false;
	unlock_state();
	assert_string_equal(said(b, 15 * S), "Fake GPU: is back");
}

TEST(each_new_reason_is_said_once)
{
	struct session_life_bench *b = *state;

	lose_device(b);
	lock_state();
	device.gone = false;
	device.open_error = EACCES;
	unlock_state();
	assert_string_equal(said(b, 3 * S), "fake: open: Permission denied; trying again every 3 s");
	assert_quiet(b, 6 * S, 3);
	lock_state();
	device.open_error = 0;
	device.start_error = EBUSY;
	unlock_state();
	assert_string_equal(said(b, 9 * S), "fake: start: Device or resource busy; trying again every 3 s");
	assert_string_equal(session_away_text(&b->session.sources[0]), "not counting, trying again");
	assert_quiet(b, 12 * S, 5);
	lock_state();
	device.start_error = 0;
	unlock_state();
	assert_string_equal(said(b, 15 * S), "Fake GPU: is back");
	go_away(true);
	assert_string_equal(said(b, 15 * S), "Fake GPU: the device is gone; trying again every 3 s");
}

TEST(another_gpu_does_not_take_its_place)
{
	static const struct {
		const char *slot;
		double scale;
		uint64_t core_mask;
		bool one_more;
	} others[] = {{"Other", 1, 3, false},
		      {"Count", 4, 3, false},
		      {"Count", 1, 5, false},
		      {"Count", 1, 3, true}};

	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		struct session_life_bench *b = *state;

		lose_device(b);
		lock_state();
		device.gone = false;
		device.slot = others[i].slot;
		device.scale = others[i].scale;
		device.core_mask = others[i].core_mask;
		device.one_more = others[i].one_more;
		unlock_state();
		assert_string_equal(said(b, 3 * S),
				    "Fake GPU: came back with different cores or counters: restart malitop");
		assert_string_equal(session_away_text(&b->session.sources[0]), "changed, restart malitop");
		assert_quiet(b, 60 * S, 2);
		lock_state();
		assert_int_equal(device.opens, 2);
		assert_int_equal(device.closes, 2);
		assert_int_equal(device.starts, 1);
		unlock_state();
		tear_down(state);
		set_up(state);
	}
}

/* Its next read does not return, for so long. */
static void hang_device(int64_t ns)
{
	lock_state();
	device.reads_hang = true;
	while (!device.inside)
		pthread_cond_wait(&device.changed, &device.lock);
	device.later_ns += ns;
	unlock_state();
}

static void answer_call(bool gone)
{
	lock_state();
	device.gone = gone;
	device.reads_hang = false;
	unlock_state();
}

TEST(a_device_that_does_not_answer_is_reported_and_left_alone)
{
	struct session_life_bench *b = *state;
	const struct session_source *s = &b->session.sources[0];

	assert_quiet(b, 0, 1);
	hang_device(12 * S);
	assert_string_equal(said(b, 0), "Fake GPU: not responding for 12 s");
	assert_string_equal(session_away_text(s), "silent for 12 s");
	hang_device(30 * S);
	assert_quiet(b, 60 * S, 1); /* it is said once, and nothing is tried */
	assert_string_equal(session_away_text(s), "silent for 42 s");
	answer_call(false);
	assert_string_equal(said(b, 60 * S), "Fake GPU: responds again");
	assert_null(session_away_text(s));
}

TEST(one_that_answers_that_it_is_gone_is_gone)
{
	struct session_life_bench *b = *state;

	hang_device(12 * S);
	assert_string_equal(said(b, 0), "Fake GPU: not responding for 12 s");
	answer_call(true);
	assert_string_equal(said(b, 0), "Fake GPU: the device is gone; trying again every 3 s");
	assert_quiet(b, 0, 1);
	assert_string_equal(session_away_text(&b->session.sources[0]), "gone, trying again");
	go_away(false);
	assert_string_equal(said(b, 3 * S), "Fake GPU: is back");
}

TEST(closing_does_not_wait_for_a_read_that_hangs)
{
	struct session_life_bench *b = *state;

	hang_device(12 * S);
	session_close(&b->session);
	lock_state();
	assert_int_equal(device.closes, 0);
	unlock_state();
	answer_call(false);
	AWAIT(device_now(&device.closes) == 1); /* by its own thread */
}

TEST(closing_does_not_wait_for_a_device_that_hangs)
{
	struct session_life_bench *b = *state;

	lose_device(b);
	lock_state();
	device.hangs = true;
	unlock_state();
	assert_quiet(b, 3 * S, 2);
	assert_quiet(b, 60 * S, 2); /* nor does anything else */
	sampler_detach(b->session.sampler, b->subscriber);
	session_close(&b->session);
	lock_state();
	device.hangs = false;
	unlock_state();
	AWAIT(device_now(&device.closes) == 2); /* what the call opened after all is closed by its thread */
}

/* The answer to the first key comes after the second key. */
TEST(intervals_that_follow_quickly_are_not_said)
{
	struct session_life_bench *b = *state;
	struct session_source *mine = &b->session.sources[0];
	struct pollfd answer = {.fd = sampler_fd(b->session.sampler), .events = POLLIN};
	bool spoke = false;

	assert_quiet(b, 0, 1);
	session_set_interval(&b->session, mine, 50 * MS);
	assert_int_equal(poll(&answer, 1, 60000), 1);
	session_set_interval(&b->session, mine, 20 * MS);
	AWAIT((spoke = spoke || has_said(b, 0)) || mine->period_ns == 20 * MS);
	assert_false(spoke);
	assert_int_equal(mine->period_ns, 20 * MS);
}

TEST(a_longer_interval_than_asked_for_is_said)
{
	struct session_life_bench *b = *state;
	struct session_source *mine = &b->session.sources[0];

	assert_quiet(b, 0, 1);
	assert_int_equal(mine->period_ns, 10 * MS);
	lock_state();
	device.slow_ns = 20 * MS;
	unlock_state();
	session_set_interval(&b->session, mine, 20 * MS); /* as asked for */
	AWAIT(has_said(b, 0) || mine->period_ns == 20 * MS);
	assert_quiet(b, 0, 1);
	assert_int_equal(mine->period_ns, 20 * MS);
	session_set_interval(&b->session, mine, 5 * MS);
	assert_string_equal(said(b, 0), "Fake GPU: samples every 20 ms, not every 5 ms as requested");
	lose_device(b);
	go_away(false);
	said(b, 3 * S);
	assert_int_equal(mine->asked_ns, 5 * MS);
	assert_int_equal(mine->period_ns, 20 * MS);
}

/* The device has sampled at this pace for so long, all of it at once. */
static void sample_for(int64_t pace_ns, int64_t ns)
{
	lock_state();
	device.pace_ns = pace_ns;
	device.burst_ns = ns;
	unlock_state();
}

/* Lines until the device has no more samples; the last one stays in b->text. */
static unsigned count_lines(struct session_life_bench *b)
{
	char last[sizeof(b->text)] = "";
	unsigned n = 0, before;

	do {
		before = device_now(&device.reads);
		for (unsigned i = 0; i < 20; i++, usleep(5000))
			while (has_said(b, 0)) {
				memcpy(last, b->text, sizeof(last));
				n++;
			}
	} while (device_now(&device.reads) - before > 10);
	memcpy(b->text, last, sizeof(last));
	return n;
}

TEST(a_slow_pace_is_said_once_and_again_only_if_it_changes_for_long)
{
	struct session_life_bench *b = *state;
	static const struct {
		int64_t pace_ns, ns;
		const char *line;
	} cases[] = {
		{10 * MS, 20 * S, NULL}, /* as requested */
		{12 * MS, 20 * S, NULL}, /* nearly */
		{30 * MS, 1 * S, NULL},  /* for a moment */
		{10 * MS, 20 * S, NULL},
		{20 * MS, 9 * S, "Fake GPU: samples every 20 ms, not every 10 ms as requested"},
		{21 * MS, 60 * S, NULL},
		{40 * MS, 20 * S, NULL},
		{20 * MS, 20 * S, NULL},
		{50 * MS, 40 * S, "Fake GPU: samples every 50 ms, not every 10 ms as requested"},
		{10 * MS, 20 * S, NULL},
		{10 * MS, 30 * S, "Fake GPU: samples every 10 ms again, as requested"},
	};

	await_sample();
	AWAIT(b->session.sources[0].period_ns || has_said(b, 0));
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		sample_for(cases[i].pace_ns, cases[i].ns);
		assert_int_equal(count_lines(b), cases[i].line != NULL);
		if (cases[i].line)
			assert_string_equal(b->text, cases[i].line);
	}
}

TEST(what_a_driver_says_of_its_interval_is_followed_without_a_word)
{
	struct session_life_bench *b = *state;
	struct session_source *mine = &b->session.sources[0];

	await_sample();
	for (unsigned i = 0; i < 20; i++) {
		int64_t period_ns = i % 2 ? 10 * MS : 40 * MS;

		lock_state();
		device.raise_ns = period_ns;
		device.pace_ns = 10 * MS;
		unlock_state();
		AWAIT(has_said(b, 0) || mine->period_ns == period_ns);
		assert_string_equal(b->text, "");
	}
}

/* A simulated source hands over long samples of the time before it was started. */
TEST(samples_of_the_past_are_not_slow)
{
	struct session_life_bench *b = *state;
	struct session_source *mine = &b->session.sources[0];

	await_sample();
	lock_state();
	device.past_ns = 60 * S;
	unlock_state();
	session_set_interval(&b->session, mine, 20 * MS);
	AWAIT(has_said(b, 0) || mine->period_ns == 20 * MS);
	sample_for(20 * MS, 20 * S);
	assert_int_equal(count_lines(b), 0);
}

/* Whoever asks, and however often: a describe may read files. */
TEST(a_source_is_asked_what_it_says_at_most_once_a_second)
{
	static const struct {
		int64_t now_ns;
		const char *text;
	} cases[] = {
		{10 * S, "described 1 times"},
		{10 * S, "described 1 times"},
		{10 * S + 999 * MS, "described 1 times"},
		{11 * S, "described 2 times"},
		{11 * S + 1, "described 2 times"},
		{30 * S, "described 3 times"},
	};
	struct session_life_bench *b = *state;

	await_sample(); /* it has started */
	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf text = {0};

		session_describe(&b->session, &b->session.sources[0], cases[i].now_ns, &text);
		assert_string_equal(text.p, cases[i].text);
	}
}

static unsigned last_priority(void)
{
	unsigned slot;

	lock_state();
	slot = device.priority.slots[0];
	unlock_state();
	return slot;
}

TEST(what_is_preferred_is_said_once_and_again_to_one_that_was_lost)
{
	const struct source_priority priorities[] = {{.n = 1, .slots = {3}},
						     {.n = 1, .n_sure = 1, .slots = {3}}};
	struct session_life_bench *b = *state;
	struct session_source *source = &b->session.sources[0];

	await_sample();
	while (has_said(b, 0))
		;
	AWAIT(source->period_ns || has_said(b, 0));
	for (unsigned i = 0; i < 4; i++)
		session_prefer(&b->session, source, &priorities[i / 2]);
	AWAIT(device_now(&device.n_priorities) >= 2);
	assert_int_equal(last_priority(), 3);
	lose_device(b);
	session_prefer(&b->session, source, &priorities[0]); /* the source is closed meanwhile */
	go_away(false);
	assert_quiet(b, 3 * S - 1, 1);
	assert_string_equal(said(b, 3 * S), "Fake GPU: is back");
	session_prefer(&b->session, source, &priorities[1]);
	AWAIT(device_now(&device.n_priorities) >= 3);
	assert_int_equal(device_now(&device.n_priorities), 3);
}

int main(void)
{
	if (!sys_init(&sys, NULL, NULL))
		return 1;
	true_time = sys.monotonic_ns;
	sys.monotonic_ns = moved_time;

	return test_run();
}
