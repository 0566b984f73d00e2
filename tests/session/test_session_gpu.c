/* A GPU whose counting keeps it powered, and whose counters only one program can have: over a
 * backend that the test scripts. Times are what the test says they are. */
#include "session/session.h"
#include "base/alloc.h"
#include "tests/support/await.h"
#include "tests/support/test.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define MS 1000000ll
#define S (1000 * MS)

/* Under its lock, as three threads ask. */
static struct {
	pthread_mutex_t lock;
	bool taken; /* by another program */
	bool counts;
	bool fails, fails_once; /* every sample */
	char node;              /* the last letter of its node's name; 0: it has none */
	unsigned opens, enables, reads;
} gpu = {.lock = PTHREAD_MUTEX_INITIALIZER, .node = '3'};

struct turn {
	char node; /* that was opened */
	int64_t begin_ns;
	bool shared, counts;
};

static void lock_gpu(void)
{
	pthread_mutex_lock(&gpu.lock);
}

static void unlock_gpu(void)
{
	pthread_mutex_unlock(&gpu.lock);
}

/* "/dev/fakeX" is there always, and cannot be opened. */
static bool turn_probe(const struct sys *unused, struct source_found **found, struct err *err)
{
	char node;

	(void)unused;
	(void)err;
	lock_gpu();
	node = gpu.node;
	unlock_gpu();
	for (const char *c = (const char[]){'X', node, 0}; *c; c++) {
		while (*found)
			found = &(*found)->next;
		*found = xcalloc(1, sizeof(**found));
		snprintf((*found)->device, sizeof((*found)->device), "/dev/fake%c", *c);
	}
	return true;
}

static bool turn_open(struct source *source, const char *path, struct err *err)
{
	struct turn *turn = source->priv;

	lock_gpu();
	turn->node = gpu.node;
	unlock_gpu();
	if (!turn->node || strncmp(path, "/dev/fake", 9) != 0 || path[9] != turn->node)
		return err_set(err, ENOENT, "%s: cannot be opened", path);
	turn->shared = source->options.interface && strcmp(source->options.interface, "shared") == 0;
	strcpy(source->title, "Fake GPU");
	source->keeps_powered = !turn->shared;
	source_add_slot(source, &(struct slot){.name = "More", .kind = SLOT_DELTA, .scale = 1});
	if (!turn->shared)
		source_add_slot(source, &(struct slot){.name = "Count", .kind = SLOT_DELTA, .scale = 1});
	lock_gpu();
	gpu.opens++;
	unlock_gpu();
	return true;
}

static bool take_counters(struct source *source, struct err *err)
{
	struct turn *turn = source->priv;
	bool ok;

	if (turn->shared)
		return true;
	lock_gpu();
	ok = !gpu.taken && !gpu.counts;
	gpu.counts = turn->counts = ok;
	gpu.enables += ok;
	unlock_gpu();
	return ok || err_set(err, EBUSY, "fake: another program counts");
}

static void turn_stop(struct source *source)
{
	struct turn *turn = source->priv;

	lock_gpu();
	gpu.counts &= !turn->counts;
	turn->counts = false;
	unlock_gpu();
}

static bool turn_claim(struct source *source, struct err *err)
{
	bool ok = take_counters(source, err);

	turn_stop(source);
	return ok;
}

static bool turn_start(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err)
{
	source->period_ns = period_ns;
	((struct turn *)source->priv)->begin_ns = now_ns;
	return take_counters(source, err);
}

static int turn_fd(const struct source *source)
{
	(void)source;
	return -1;
}

static enum read_result turn_read(struct source *source, int64_t now_ns, struct sample *sample)
{
	struct turn *turn = source->priv;
	bool gone;

	if (turn->begin_ns + source->period_ns > now_ns)
		return READ_NONE;
	lock_gpu();
	gone = turn->node != gpu.node;
	sample->flags |= gpu.fails || gpu.fails_once ? sample_failed(FAILURE_RESET) : 0;
	gpu.fails_once = false;
	unlock_gpu();
	if (gone)
		return READ_GONE;
	sample->begin_ns = turn->begin_ns;
	turn->begin_ns = sample->end_ns = now_ns;
	for (unsigned i = 0; i < source->n_slots; i++)
		sample->value[i] = 1;
	lock_gpu();
	gpu.reads++;
	unlock_gpu();
	return READ_GOT;
}

static void turn_describe(const struct source *source, struct strbuf *text)
{
	(void)source;
	(void)text;
}

static const struct backend backend_turn = {
	.name = "fake",
	.kind = SOURCE_GPU,
	.priv_size = sizeof(struct turn),
	.probe = turn_probe,
	.open = turn_open,
	.start = turn_start,
	.fd = turn_fd,
	.read = turn_read,
	.stop = turn_stop,
	.describe = turn_describe,
	.close = turn_stop,
	.extras = &(const struct backend_extras){.claim = turn_claim, .shared = "shared"}};

static const char data[] = "slots fake\n  names Count More\n"
			   "metric Number\n  title Number\n  unit count\n  group G\n  expr Count * 1\n"
			   "metric Rest\n  title Rest\n  unit count\n  group G\n  expr More * 1\n";

static struct sys sys;
static struct options options = {.interval_ns = 10 * MS, .interval_given = true};

struct session_gpu_bench {
	struct session session;
	struct subscriber *subscriber;
	unsigned n_gaps;
	char text[512];
};

static void adopt_gpu(struct session *s)
{
	struct err err;
	struct source *source = source_open_free(&sys, &backend_turn, &s->what, "/dev/fake3", &err);

	assert_non_null(source);
	s->sources[0] = (struct session_source){.backend = &backend_turn,
						.device = "/dev/fake3",
						.kind = SOURCE_GPU,
						.title = "Fake GPU",
						.keeps_powered = source->keeps_powered,
						.n_slots = source->n_slots,
						.n_sums = source->n_slots,
						.asked_ns = 10 * MS};
	strcpy(s->sources[0].interface, source->interface);
	s->sources[0].set = metric_set_new(
		s->db, &(struct metric_source){.slots = source->slots, .n_slots = source->n_slots}, &err);
	assert_non_null(s->sources[0].set);
	s->n = 1;
	s->gpu = &s->sources[0];
	s->gpu->index = sampler_adopt(s->sampler, source, 10 * MS);
}

FIXTURE(set_up)
{
	static struct session_gpu_bench b;
	struct session *s = &b.session;
	struct err err;

	b = (struct session_gpu_bench){0};
	*s = (struct session){.sys = &sys, .options = &options};
	s->what.db = s->db = gpudb_load_texts(&(struct gpudb_text){"data", SPAN_LIT(data)}, 1, &err);
	s->sampler = sampler_new(&sys, &err);
	assert_true(s->db && s->sampler);
	gpu.taken = gpu.counts = false;
	gpu.node = '3';
	gpu.fails = false;
	gpu.opens = gpu.enables = gpu.reads = 0;
	*state = &b;
	return 0;
}

FIXTURE(tear_down)
{
	struct session_gpu_bench *b = *state;

	session_close(&b->session);
	lock_gpu();
	assert_false(gpu.counts);
	unlock_gpu();
	return 0;
}

TEST_EACH(set_up, tear_down)

static void drain_subscriber(struct session_gpu_bench *b)
{
	const struct sample *sample;

	for (; b->subscriber && (sample = subscriber_peek(b->subscriber)); subscriber_release(b->subscriber))
		b->n_gaps += (sample->flags & SAMPLE_GAP) != 0;
}

static bool has_said(struct session_gpu_bench *b, int64_t now_ns)
{
	drain_subscriber(b);
	while (session_event(&b->session, now_ns, b->text, sizeof(b->text)))
		if (b->text[0])
			return true;
	return false;
}

/* What is said at this time. */
static const char *said(struct session_gpu_bench *b, int64_t now_ns)
{
	AWAIT(has_said(b, now_ns));
	return b->text;
}

static unsigned gpu_now(const unsigned *count)
{
	unsigned n;

	lock_gpu();
	n = *count;
	unlock_gpu();
	return n;
}

static bool is_counting(void)
{
	bool counts;

	lock_gpu();
	counts = gpu.counts;
	unlock_gpu();
	return counts;
}

/* Samples come, and events of this time are handled meanwhile. */
static void await_samples(struct session_gpu_bench *b, int64_t now_ns)
{
	unsigned before = gpu_now(&gpu.reads);

	AWAIT((has_said(b, now_ns), gpu_now(&gpu.reads) >= before + 2 && !b->session.gpu->away));
}

static void let_others_count(bool taken)
{
	lock_gpu();
	gpu.taken = taken;
	unlock_gpu();
}

TEST(a_screen_that_rests_enables_nothing_and_goes_on_with_a_gap)
{
	struct session_gpu_bench *b = *state;
	struct session *s = &b->session;
	unsigned enables;

	adopt_gpu(s);
	b->subscriber = session_subscriber(s, false);
	session_rest(s, false); /* nothing rests: no effect */
	await_samples(b, 0);
	session_rest(s, true);
	assert_string_equal(session_away_text(s->gpu), "not measured while paused, may sleep");
	assert_false(is_counting());
	enables = gpu_now(&gpu.enables);
	for (int i = 1; i <= 10; i++) { /* no retry, however long it rests */
		session_rest(s, true);
		assert_false(has_said(b, i * 3600 * S));
		give_time_ms(5);
	}
	assert_int_equal(gpu_now(&gpu.enables), enables);
	session_rest(s, false);
	assert_string_equal(said(b, 0), "Fake GPU: is back");
	assert_true(is_counting());
	await_samples(b, 0);
	sampler_detach(s->sampler, b->subscriber);
	drain_subscriber(b);
	assert_int_equal(b->n_gaps, 1);
	subscriber_free(b->subscriber);
}

TEST(what_the_user_has_paused_stays_so)
{
	struct session_gpu_bench *b = *state;
	struct session *s = &b->session;

	adopt_gpu(s);
	await_samples(b, 0);
	session_pause_gpu(s, true);
	session_rest(s, true);
	session_rest(s, false);
	assert_int_equal(s->gpu->away, AWAY_PAUSED);
	assert_false(has_said(b, 3600 * S));
	assert_false(is_counting());
	session_pause_gpu(s, false);
	await_samples(b, 3600 * S);
	assert_true(is_counting());
}

TEST(counters_that_another_program_has_come_back_when_it_ends)
{
	struct session_gpu_bench *b = *state;
	struct session *s = &b->session;
	unsigned number;

	let_others_count(true);
	adopt_gpu(s);
	await_samples(b, 0);
	assert_int_equal(s->gpu->n_slots, 1);
	assert_null(metric_find(s->gpu->set, SPAN_LIT("Number")));
	let_others_count(false);
	assert_string_equal(said(b, 3 * S), "Fake GPU: its counters are free: counting");
	await_samples(b, 3 * S);
	assert_true(is_counting());
	assert_non_null(metric_find(s->gpu->set, SPAN_LIT("Number")));
	assert_int_equal(session_gpus(s, &number), 1);
	assert_int_equal(number, 1);
	assert_int_equal(s->changes, 1);
	assert_false(session_next_gpu(s) && s->gpu->n_slots == 1);
}

TEST(counters_that_are_lost_and_come_back_take_turns_with_the_rest)
{
	struct session_gpu_bench *b = *state;
	struct session *s = &b->session;

	adopt_gpu(s);
	await_samples(b, 0);
	for (int i = 0; i < 3; i++) {
		session_pause_gpu(s, true);
		let_others_count(true);
		session_pause_gpu(s, false);
		assert_string_equal(said(b, 0), "Fake GPU: another program uses its counters: "
						"showing what the driver reports");
		await_samples(b, 0);
		assert_int_equal(s->gpu->n_slots, 1);
		let_others_count(false);
		assert_string_equal(said(b, 3 * S), "Fake GPU: its counters are free: counting");
		await_samples(b, 3 * S);
		assert_int_equal(s->gpu->n_slots, 2);
		assert_int_equal(s->n, 2);
	}
}

static void move_gpu(char node)
{
	lock_gpu();
	gpu.node = node;
	unlock_gpu();
}

/* As long as a program has the old node open, the kernel gives a new one another number. */
TEST(a_gpu_that_comes_back_under_another_name_is_found)
{
	struct session_gpu_bench *b = *state;
	struct session *s = &b->session;

	adopt_gpu(s);
	await_samples(b, 0);
	move_gpu(0);
	assert_string_equal(said(b, 0), "Fake GPU: the device is gone; trying again every 3 s");
	move_gpu('4');
	assert_string_equal(said(b, 3 * S), "Fake GPU: found again as /dev/fake4");
	assert_string_equal(said(b, 3 * S), "Fake GPU: is back");
	await_samples(b, 3 * S);
	assert_string_equal(s->gpu->device, "/dev/fake4");
	assert_int_equal(s->n, 1);
}

/* Of two alike, one is another one's. */
TEST(a_node_that_is_measured_already_is_not_taken_for_a_lost_one)
{
	struct session_gpu_bench *b = *state;
	struct session *s = &b->session;

	adopt_gpu(s);
	await_samples(b, 0);
	s->sources[1] = (struct session_source){.backend = &backend_turn, .device = "/dev/fake4", .index = 7};
	s->n = 2;
	move_gpu('4');
	assert_string_equal(said(b, 0), "Fake GPU: the device is gone; trying again every 3 s");
	for (int i = 1; i < 4; i++) {
		AWAIT((has_said(b, 3 * i * S), !s->opener && s->gpu->retry_ns > 3 * i * S));
		assert_int_equal(s->gpu->away, AWAY_GONE);
	}
	s->n = 1;
}

static void let_samples_fail(bool fails)
{
	lock_gpu();
	gpu.fails = fails;
	unlock_gpu();
}

#define RESET "the GPU was reset, which stops its counters: they are started again"

TEST(samples_that_fail_for_a_second_are_reported_once_and_when_they_are_valid_again)
{
	struct session_gpu_bench *b = *state;
	struct session *s = &b->session;

	adopt_gpu(s);
	await_samples(b, 0);
	for (int i = 0; i < 2; i++) {
		let_samples_fail(true);
		if (i == 0) /* soon after the last one it is no news */
			assert_string_equal(said(b, 0), "Fake GPU: a sample failed: " RESET);
		assert_string_equal(said(b, 0), "Fake GPU: every sample fails: " RESET);
		for (int k = 0; k < 10; k++)
			await_samples(b, 0);
		assert_string_equal(b->text, "");
		let_samples_fail(false);
		assert_string_equal(said(b, 0), "Fake GPU: samples are valid again");
	}
}

/* A reset lasts for one sample: it is reported, and is a mark at its time. */
TEST(one_sample_that_fails_is_reported_with_its_reason_and_marked)
{
	struct session_gpu_bench *b = *state;
	struct session *s = &b->session;

	adopt_gpu(s);
	await_samples(b, 0);
	lock_gpu();
	gpu.fails_once = true;
	unlock_gpu();
	assert_string_equal(said(b, 0), "Fake GPU: a sample failed: " RESET);
	assert_string_equal(s->mark.text, "Fake GPU: a sample failed: " RESET);
	assert_true(s->mark.time_ns > 0);
	for (int k = 0; k < 10; k++)
		await_samples(b, 0);
	assert_string_equal(b->text, "");
	assert_int_equal(s->mark.time_ns, 0);
}

TEST(nobody_asks_while_a_log_is_made_of_the_sources_or_nobody_looks)
{
	struct session_gpu_bench *b = *state;
	struct session *s = &b->session;
	unsigned opens;

	let_others_count(true);
	adopt_gpu(s);
	s->keeps_sources = true;
	await_samples(b, 0);
	let_others_count(false);
	opens = gpu_now(&gpu.opens);
	for (int i = 1; i <= 10; i++) {
		await_samples(b, 3 * i * S);
		s->keeps_sources = i < 5;
		session_rest(s, i >= 5);
	}
	assert_int_equal(gpu_now(&gpu.opens), opens);
	assert_int_equal(s->gpu->n_slots, 1);
	session_rest(s, false);
	assert_string_equal(said(b, 60 * S), "Fake GPU: its counters are free: counting");
}

int main(void)
{
	if (!sys_init(&sys, NULL, NULL))
		return 1;

	return test_run();
}
