/* A slow call on a thread of its own: handed back, or left behind without being waited for. */
#include "session/opener.h"
#include "base/alloc.h"
#include "base/sys.h"
#include "tests/support/await.h"
#include "tests/support/test.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* A call that takes until its gate opens. */
struct opener_job {
	int gate, dropped_fd;
	bool called, signals_blocked;
};

static bool is_readable(int fd, int ms)
{
	struct pollfd look = {.fd = fd, .events = POLLIN};

	return poll(&look, 1, ms) == 1;
}

static void make_call(void *arg)
{
	struct opener_job *job = arg;
	sigset_t mask;

	is_readable(job->gate, AWAIT_MS);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	job->signals_blocked = sigismember(&mask, SIGINT) && sigismember(&mask, SIGWINCH);
	job->called = true;
}

static void drop_job(void *arg)
{
	struct opener_job *job = arg;

	sys_event_signal(job->dropped_fd);
	free(job);
}

struct opener_bench {
	int gate, dropped_fd;
	struct opener *opener;
	struct opener_job *job;
};

FIXTURE(set_up)
{
	static struct opener_bench b;
	struct err err;

	b.gate = sys_event_new();
	b.dropped_fd = sys_event_new();
	b.job = xcalloc(1, sizeof(*b.job));
	*b.job = (struct opener_job){.gate = b.gate, .dropped_fd = b.dropped_fd};
	b.opener = opener_start(make_call, drop_job, b.job, &err);
	assert_non_null(b.opener);
	*state = &b;
	return 0;
}

FIXTURE(tear_down)
{
	struct opener_bench *b = *state;

	close(b->gate);
	close(b->dropped_fd);
	return 0;
}

TEST_EACH(set_up, tear_down)

TEST(the_job_is_handed_back_when_the_call_returned)
{
	struct opener_bench *b = *state;

	assert_false(is_readable(opener_fd(b->opener), 30));
	assert_false(opener_is_done(b->opener));
	sys_event_signal(b->gate);
	assert_true(is_readable(opener_fd(b->opener), AWAIT_MS));
	assert_true(opener_is_done(b->opener));
	assert_ptr_equal(opener_finish(b->opener), b->job);
	assert_true(b->job->called);
	assert_true(b->job->signals_blocked);
	assert_false(is_readable(b->dropped_fd, 0));
	free(b->job);
}

TEST(finishing_waits_for_the_call)
{
	struct opener_bench *b = *state;

	sys_event_signal(b->gate);
	assert_ptr_equal(opener_finish(b->opener), b->job);
	assert_true(b->job->called);
	free(b->job);
}

TEST(leaving_waits_for_nothing_and_the_job_is_dropped_in_the_end)
{
	struct opener_bench *b = *state;

	opener_leave(b->opener);
	assert_false(is_readable(b->dropped_fd, 30));
	sys_event_signal(b->gate);
	assert_true(is_readable(b->dropped_fd, AWAIT_MS));
	sys_event_ack(b->dropped_fd);
}

TEST(leaving_after_the_call_drops_the_job_at_once)
{
	struct opener_bench *b = *state;

	sys_event_signal(b->gate);
	assert_true(is_readable(opener_fd(b->opener), AWAIT_MS));
	opener_leave(b->opener);
	assert_true(is_readable(b->dropped_fd, 0));
	opener_leave(NULL);
}
