/* What the sampler waits for, and that nothing makes it spin: fds in every state, sources that
 * never run dry, drivers that change their pace, a suspend, a device that comes back. */
#include "tests/support/sampler_bench.h"

#include <limits.h>

/* ---- fds ---- */

static int event_fd(void)
{
	int fd = sys_event_new();

	sys_event_signal(fd);
	return fd;
}

/* A pipe whose other end is closed: its reading end hangs up, its writing end is in error. */
static int half_pipe(int keep)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	close(ends[!keep]);
	return ends[keep];
}

static int hung_up_fd(void)
{
	return half_pipe(0);
}

static int error_fd(void)
{
	return half_pipe(1);
}

static int closed_fd(void)
{
	return 1000; /* more than this program opens */
}

static const struct {
	int (*make)(void);
	short revents;
	bool is_end;
} fds[] = {{event_fd, POLLIN, false},
	   {error_fd, POLLERR, false},
	   {hung_up_fd, POLLHUP, true},
	   {closed_fd, POLLNVAL, true}};

TEST(no_state_of_an_fd_makes_it_spin)
{
	static const int64_t periods[] = {MS, 20 * MS};

	for (size_t f = 0; f < ARRAY_LEN(fds); f++)
		for (size_t p = 0; p < ARRAY_LEN(periods); p++) {
			struct pollfd look = {.events = POLLIN};
			struct sampler_event event = {0};
			int64_t begin, took;
			struct sampler_bench b;

			bench_init(&b);
			script.kind = SCRIPT_NONE;
			script.has_fd = true;
			look.fd = script.fd = fds[f].make();
			poll(&look, 1, 0);
			assert_true(look.revents & fds[f].revents);
			begin = b.sys.monotonic_ns(&b.sys);
			sampler_adopt(b.sampler, fake_source(&b.sys), periods[p]);
			assert_int_equal(next_event(&b).kind, SAMPLER_STARTED);
			if (fds[f].is_end) {
				event = next_event(&b);
				give_time_ms(100); /* to spin */
			} else {
				AWAIT(READS_NOW >= 8);
			}
			took = bench_end(&b, begin);
			/* Four wakes for each deadline, not thousands. */
			if (shared.polls > polls_most(took) || script.reads > polls_most(took))
				fail_msg("fd %zu: %u polls, %u reads in %lld ns", f, shared.polls,
					 script.reads, (long long)took);
			if (fds[f].is_end) {
				assert_int_equal(event.kind, SAMPLER_GONE);
				assert_non_null(strstr(event.err.text, "a fake: the device is gone"));
			}
			assert_int_equal(script.closes, 1);
			if (script.fd != 1000)
				close(script.fd);
		}
}

TEST(a_source_that_never_runs_dry_keeps_nobody_waiting)
{
	static const int64_t periods[] = {MS, 20 * MS};

	for (size_t p = 0; p < ARRAY_LEN(periods); p++) {
		struct subscriber *subscriber;
		int64_t begin, took;
		struct sampler_bench b;

		bench_init(&b);
		script.kind = SCRIPT_ENDLESS;
		script.has_fd = true;
		script.fd = event_fd();
		subscriber = bench_subscriber(&b, RING_BYTES, false);
		begin = b.sys.monotonic_ns(&b.sys);
		sampler_adopt(b.sampler, fake_source(&b.sys), periods[p]);
		next_event(&b);
		AWAIT(READS_NOW >= 8 * 256);
		sampler_detach(b.sampler, subscriber); /* comes back */
		took = bench_end(&b, begin);
		assert_true(shared.polls <= polls_most(took));
		assert_true(script.reads <= polls_most(took) * 256);
		close(script.fd);
		subscriber_free(subscriber);
	}
}

TEST(an_fd_that_keeps_time_makes_the_deadline_needless)
{
	struct sampler_bench b;

	bench_init(&b);
	script.kind = SCRIPT_TIMER;
	timer_new();
	script.late_ns = 7 * MS; /* after the deadline, were there one */
	sampler_adopt(b.sampler, fake_source(&b.sys), 20 * MS);
	next_event(&b);
	AWAIT(SAMPLES_NOW >= 15);
	bench_fini(&b);
	if (shared.polls > n_samples + n_samples / 2 + 3) /* twice as many, were there a deadline for each */
		fail_msg("%u polls for %u samples", shared.polls, n_samples);
	close(script.fd);
}

TEST(below_10_ms_an_fd_does_not_wake_it_for_every_sample)
{
	struct sampler_bench b;

	bench_init(&b);
	script.kind = SCRIPT_TIMER;
	timer_new();
	sampler_adopt(b.sampler, fake_source(&b.sys), MS);
	next_event(&b);
	AWAIT(SAMPLES_NOW >= 320);
	bench_fini(&b);
	assert_true(shared.polls <= n_samples / 8);
	close(script.fd);
}

/* ---- pace ---- */

TEST(a_period_that_the_driver_changes_is_reported_and_followed)
{
	static const struct {
		int64_t from, to;
	} cases[] = {{10 * MS, 40 * MS}, {MS, 20 * MS}, {2 * MS, 5 * MS}, {20 * MS, MS}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sampler_event event;
		int64_t begin, took;
		struct sampler_bench b;
		unsigned before;

		bench_init(&b);
		script.raise_to_ns = cases[i].to;
		sampler_adopt(b.sampler, fake_source(&b.sys), cases[i].from);
		assert_int_equal(next_event(&b).period_ns, cases[i].from);
		event = next_event(&b);
		assert_int_equal(event.kind, SAMPLER_PERIOD);
		assert_int_equal(event.period_ns, cases[i].to);
		begin = b.sys.monotonic_ns(&b.sys);
		before = POLLS_NOW;
		AWAIT(SAMPLES_NOW >= 3 + 200 * MS / cases[i].to);
		took = bench_end(&b, begin);
		assert_int_equal(script.starts, 1);
		assert_true(shared.polls - before <=
			    took / (cases[i].to < 10 * MS ? 16 * MS : cases[i].to) + 4);
	}
}

/* Polls for ten reads of two sources of the same pace. */
static unsigned polls_of_two(void)
{
	struct sampler_bench b;
	unsigned before, polls;

	bench_init(&b);
	script.kind = SCRIPT_NONE;
	sampler_adopt(b.sampler, fake_source(&b.sys), 100 * MS);
	sampler_adopt(b.sampler, fake_source(&b.sys), 100 * MS);
	next_event(&b);
	next_event(&b);
	before = POLLS_NOW;
	AWAIT(READS_NOW >= 10);
	polls = POLLS_NOW - before;
	bench_fini(&b);
	return polls;
}

TEST(sources_that_start_together_share_their_wake_ups)
{
	unsigned least = UINT_MAX;

	/* On a machine that is busy the second one may start too late. */
	for (unsigned i = 0; i < 20 && least > 7; i++) {
		unsigned polls = polls_of_two();

		least = polls < least ? polls : least;
	}
	assert_in_range(least, 1, 7); /* ten, were each to wake it */
}

/* ---- a suspend ---- */

/* Which of the samples in the subscriber say that there is a gap, as bits (of the first 63);
 * empties it. */
static uint64_t gaps(struct subscriber *subscriber, unsigned *n)
{
	const struct sample *s;
	uint64_t found = 0;

	for (*n = 0; (s = subscriber_peek(subscriber)); ++*n) {
		found |= (s->flags & SAMPLE_GAP ? (uint64_t)1 : 0) << (*n < 63 ? *n : 63);
		subscriber_release(subscriber);
	}
	return found;
}

TEST(a_suspend_leaves_one_gap)
{
	struct subscriber *subscriber;
	struct sampler_bench b;
	uint64_t found;
	unsigned n;

	bench_init(&b);
	subscriber = bench_subscriber(&b, RING_BYTES, false);
	sampler_adopt(b.sampler, fake_source(&b.sys), 10 * MS);
	await_idle_after(3);
	fall_asleep(3600000 * MS);
	await_idle_after(SAMPLES_NOW + 3);
	sampler_free(b.sampler);
	found = gaps(subscriber, &n);
	assert_true(n >= 6);
	assert_int_equal(__builtin_popcountll(found), 1);
	assert_int_equal(found & 1, 0);
	subscriber_free(subscriber);
	sys_fini(&b.sys);
}

/* Nothing but the fd wakes the sampler here: the period is far longer than the test. */
TEST(a_sample_that_comes_by_its_fd_after_a_suspend_has_the_gap)
{
	struct subscriber *subscriber;
	struct sampler_bench b;
	unsigned n;

	bench_init(&b);
	script.kind = SCRIPT_EVENTS;
	script.has_fd = true;
	script.fd = sys_event_new();
	subscriber = bench_subscriber(&b, RING_BYTES, false);
	sampler_adopt(b.sampler, fake_source(&b.sys), 10000 * MS);
	next_event(&b);
	for (unsigned i = 0; i < 4; i++) {
		if (i == 2)
			fall_asleep(1000 * MS);
		sys_event_signal(script.fd);
		await_idle_after(i + 1);
	}
	sampler_free(b.sampler);
	assert_int_equal(gaps(subscriber, &n), 1 << 2);
	assert_int_equal(n, 4);
	subscriber_free(subscriber);
	close(script.fd);
	sys_fini(&b.sys);
}

/* What had ended before the sampler looked for the last time was counted without a break, though it
 * is read only now. */
TEST(a_sample_from_before_a_suspend_has_no_gap)
{
	struct subscriber *subscriber;
	struct sampler_bench b;
	unsigned n;

	bench_init(&b);
	subscriber = bench_subscriber(&b, RING_BYTES, false);
	sampler_adopt(b.sampler, fake_source(&b.sys), 1000 * MS);
	next_event(&b);
	AWAIT(POLLS_NOW >= 2); /* it waits for the first deadline */
	script.begin_ns -=
		1500 * MS; /* one interval has ended long ago, the next will before that deadline */
	fall_asleep(1000 * MS);
	AWAIT(SAMPLES_NOW >= 2);
	sampler_free(b.sampler);
	assert_int_equal(gaps(subscriber, &n) & 3, 2);
	assert_true(n >= 2);
	subscriber_free(subscriber);
	sys_fini(&b.sys);
}

TEST(clocks_that_jitter_are_no_suspend)
{
	struct subscriber *subscriber;
	struct sampler_bench b;
	unsigned n;

	bench_init(&b);
	subscriber = bench_subscriber(&b, RING_BYTES, false);
	sampler_adopt(b.sampler, fake_source(&b.sys), 10 * MS);
	next_event(&b);
	for (int i = 0; i < 4; i++) { /* a thread held up between the two clocks sees this */
		fall_asleep(-500 * MS);
		await_next_poll();
		fall_asleep(500 * MS);
		await_next_poll();
	}
	AWAIT(SAMPLES_NOW >= 6);
	sampler_free(b.sampler);
	assert_int_equal(gaps(subscriber, &n), 0);
	assert_true(n >= 6);
	subscriber_free(subscriber);
	sys_fini(&b.sys);
}

/* ---- a device that comes back ---- */

TEST(a_source_that_comes_back_sits_in_its_own_seat)
{
	struct subscriber *subscriber;
	const struct sample *s;
	uint64_t seq = 0;
	uint32_t index;
	struct sampler_bench b;

	bench_init(&b);
	script.gone_after = 3;
	subscriber = bench_subscriber(&b, RING_BYTES, false);
	index = sampler_adopt(b.sampler, fake_source(&b.sys), 10 * MS);
	assert_int_equal(next_event(&b).kind, SAMPLER_STARTED);
	assert_int_equal(next_event(&b).kind, SAMPLER_GONE);
	script.gone_after = 0;
	sampler_readopt(b.sampler, index, fake_source(&b.sys), 10 * MS);
	assert_int_equal(next_event(&b).kind, SAMPLER_STARTED);
	AWAIT(SAMPLES_NOW >= 5);
	assert_int_equal(sampler_adopt(b.sampler, fake_source(&b.sys), 10 * MS), index + 1);
	sampler_free(b.sampler);
	for (; (s = subscriber_peek(subscriber)); subscriber_release(subscriber)) {
		if (s->source != index)
			continue;
		assert_int_equal(s->seq, ++seq);
		assert_int_equal(s->flags, seq == 4 ? SAMPLE_GAP : 0);
	}
	assert_true(seq >= 5);
	assert_int_equal(script.closes, 3);
	subscriber_free(subscriber);
	sys_fini(&b.sys);
}

TEST(one_that_fails_to_start_may_come_again)
{
	uint32_t index;
	struct sampler_bench b;

	bench_init(&b);
	script.fails_to_start = true;
	index = sampler_adopt(b.sampler, fake_source(&b.sys), 10 * MS);
	assert_int_equal(next_event(&b).kind, SAMPLER_FAILED);
	sampler_readopt(b.sampler, index, fake_source(&b.sys), 10 * MS);
	assert_int_equal(next_event(&b).kind, SAMPLER_FAILED);
	script.fails_to_start = false;
	sampler_readopt(b.sampler, index, fake_source(&b.sys), 10 * MS);
	assert_int_equal(next_event(&b).kind, SAMPLER_STARTED);
	bench_fini(&b);
	assert_int_equal(script.starts, 3);
	assert_int_equal(script.stops, 1);
	assert_int_equal(script.closes, 3);
}
