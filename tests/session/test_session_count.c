/* One process that is counted alone, in a session over a fake machine: chosen, changed for another,
 * ended, and given up. */
#include "session/devices.h"
#include "session/session.h"
#include "base/alloc.h"
#include "tests/support/await.h"
#include "tests/support/perf_run.h"
#include "tests/support/test.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The sampler's waiting makes the machine's time pass. */
struct session_count_bench {
	struct perf_run run;
	struct options options;
	struct session session;
	char said[512]; /* what the session said last */
};

/* Counters may be slow to answer. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	ssize_t (*read)(const struct sys *sys, int fd, void *buf, size_t n);
	bool hangs, inside;
} stuck = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static ssize_t stuck_read(const struct sys *sys, int fd, void *buf, size_t n)
{
	pthread_mutex_lock(&stuck.lock);
	for (; stuck.hangs; pthread_cond_wait(&stuck.changed, &stuck.lock))
		stuck.inside = true;
	pthread_mutex_unlock(&stuck.lock);
	return stuck.read(sys, fd, buf, n);
}

/* A driver may take its time to start. */
static int (*fake_ioctl)(const struct sys *sys, int fd, unsigned long request, void *arg);
static atomic_bool starts_slowly;

static int slow_ioctl(const struct sys *sys, int fd, unsigned long request, void *arg)
{
	if (starts_slowly)
		poll(NULL, 0, 100);
	return fake_ioctl(sys, fd, request, arg);
}

static void begin_case(struct session_count_bench *b)
{
	struct err err;

	*b = (struct session_count_bench){
		.options = {.backends = "perf", .interval_ns = 100 * MS, .fps = 60}};
	perf_run_init(&b->run, "a72x4");
	perf_run_process(&b->run, 4711, 1000, 1);
	perf_run_process(&b->run, 4712, 1000, 2);
	stuck.read = b->run.fake.sys.read;
	b->run.fake.sys.read = stuck_read;
	fake_ioctl = b->run.fake.sys.ioctl;
	b->run.fake.sys.ioctl = slow_ioctl;
	if (!session_open(&b->session, &b->run.fake.sys, &b->options, 0, false, &err))
		fail_msg("%s", err.text);
}

static int64_t now_ns(const struct session_count_bench *b)
{
	return b->run.fake.sys.monotonic_ns(&b->run.fake.sys);
}

static void end_case(struct session_count_bench *b)
{
	session_close(&b->session);
	perf_run_fini(&b->run);
}

static bool is_shown(struct session_count_bench *b, const char *title)
{
	const struct session_source *shown = session_shown(&b->session, SOURCE_PERF);

	return shown && strcmp(shown->title, title) == 0;
}

/* Take in what the session tells until the one of that title is shown and counts. */
static void wait_shown(struct session_count_bench *b, const char *title)
{
	char text[512];

	for (int i = 0; i < 5000; i++) {
		while (session_event(&b->session, now_ns(b), text, sizeof(text)))
			if (text[0])
				snprintf(b->said, sizeof(b->said), "%s", text);
		if (is_shown(b, title) && !session_shown(&b->session, SOURCE_PERF)->away)
			return;
		poll(NULL, 0, 1);
	}
	fail_msg("%s is not shown; said: %s", title, b->said);
}

static void count_process(struct session_count_bench *b, int pid)
{
	session_count(&b->session, &(struct scope){.kind = SCOPE_PROCESS, .pid = pid});
}

TEST(the_machine_is_set_aside_while_a_process_is_counted)
{
	struct session_count_bench b;

	begin_case(&b);
	wait_shown(&b, "all CPUs, kernel and user");
	count_process(&b, 4711);
	wait_shown(&b, "process 4711 game, kernel and user");
	assert_string_equal(b.said, "counting process 4711 game, kernel and user: see the CPU view");
	assert_int_equal(b.session.sources[0].away, AWAY_ASIDE);
	session_count(&b.session, NULL);
	wait_shown(&b, "all CPUs, kernel and user");
	assert_int_equal(b.session.n, 2);
	end_case(&b);
}

TEST(another_process_sits_down_in_the_same_seat)
{
	struct session_count_bench b;
	unsigned epoch;

	begin_case(&b);
	count_process(&b, 4711);
	wait_shown(&b, "process 4711 game, kernel and user");
	epoch = b.session.picked->epoch;
	count_process(&b, 4712);
	wait_shown(&b, "process 4712 game, kernel and user");
	assert_int_not_equal(b.session.picked->epoch, epoch); /* nothing of the other one's history stays */
	assert_int_equal(b.session.n, 2);
	assert_int_equal(b.session.sources[0].away, AWAY_ASIDE);
	end_case(&b);
}

/* Nothing but what the session has to do by now. */
static void turn_period(struct session_count_bench *b)
{
	char text[512];

	session_event(&b->session, now_ns(b), text, sizeof(text));
}

TEST(one_that_is_chosen_while_the_machine_comes_back_is_counted)
{
	struct session_count_bench b;

	begin_case(&b);
	count_process(&b, 4711);
	wait_shown(&b, "process 4711 game, kernel and user");
	session_count(&b.session, NULL);
	while (!b.session.opener)
		turn_period(&b);
	poll(&(struct pollfd){.fd = opener_fd(b.session.opener), .events = POLLIN}, 1, -1);
	starts_slowly = true;
	turn_period(&b); /* the machine goes back to the sampler, which begins to start it */
	count_process(&b, 4711);
	turn_period(&b); /* the machine is set aside again */
	starts_slowly = false;
	wait_shown(&b, "process 4711 game, kernel and user");
	session_count(&b.session, NULL);
	wait_shown(&b, "all CPUs, kernel and user");
	end_case(&b);
}

TEST(one_that_is_given_up_while_it_opens_is_not_counted)
{
	struct session_count_bench b;
	char text[512];

	begin_case(&b);
	wait_shown(&b, "all CPUs, kernel and user");
	count_process(&b, 4711);
	session_event(&b.session, now_ns(&b), text, sizeof(text)); /* begins to open */
	session_count(&b.session, NULL);
	for (int i = 0; i < 50; i++, poll(NULL, 0, 1))
		session_event(&b.session, now_ns(&b), text, sizeof(text));
	assert_true(is_shown(&b, "all CPUs, kernel and user"));
	assert_false(b.session.counting);
	assert_null(b.session.picked);
	end_case(&b);
}

TEST(a_process_that_is_not_there_is_a_message)
{
	struct session_count_bench b;

	begin_case(&b);
	count_process(&b, 999);
	for (int i = 0; i < 5000 && !b.said[0]; i++, poll(NULL, 0, 1))
		session_event(&b.session, now_ns(&b), b.said, sizeof(b.said));
	assert_non_null(strstr(b.said, "process 999: not found"));
	wait_shown(&b, "all CPUs, kernel and user");
	end_case(&b);
}

/* ---- counters that do not answer ---- */

static void let_pass(struct session_count_bench *b, int64_t ns)
{
	pthread_mutex_lock(&b->run.fake.lock);
	fake_sys_run(&b->run.fake, ns);
	pthread_mutex_unlock(&b->run.fake.lock);
}

static bool is_inside(void)
{
	bool inside;

	pthread_mutex_lock(&stuck.lock);
	stuck.hangs = true;
	inside = stuck.inside;
	pthread_mutex_unlock(&stuck.lock);
	return inside;
}

/* From the next read on. */
static void hang_device(struct session_count_bench *b)
{
	for (int ms = 0; !is_inside(); ms++, poll(NULL, 0, 1)) {
		assert_true(ms < AWAIT_MS);
		let_pass(b, 10 * MS);
	}
	let_pass(b, 12000 * MS);
}

static void answer_call(void)
{
	pthread_mutex_lock(&stuck.lock);
	stuck.hangs = false;
	pthread_cond_broadcast(&stuck.changed);
	pthread_mutex_unlock(&stuck.lock);
}

TEST(a_machine_that_does_not_answer_can_be_set_aside)
{
	struct session_count_bench b;
	char text[512] = "";

	begin_case(&b);
	wait_shown(&b, "all CPUs, kernel and user");
	hang_device(&b);
	for (int i = 0; i < 3 && !text[0]; i++) /* that it has started comes first */
		session_event(&b.session, now_ns(&b), text, sizeof(text));
	assert_string_equal(text, "all CPUs, kernel and user: not responding for 12 s");
	count_process(&b, 4711);
	session_event(&b.session, now_ns(&b), text, sizeof(text));
	assert_int_equal(b.session.sources[0].away, AWAY_ASIDE);
	answer_call();
	wait_shown(&b, "process 4711 game, kernel and user");
	session_count(&b.session, NULL);
	wait_shown(&b, "all CPUs, kernel and user");
	end_case(&b);
}
