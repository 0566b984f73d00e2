/* How a session begins and ends while its devices take their time. The devices are this machine's
 * /proc, behind a gate. */
#include "session/session.h"
#include "base/alloc.h"
#include "tests/support/await.h"
#include "tests/support/test.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What a driver that never returns keeps: as long as the process. */
static struct sys sys, real;
static struct options options;

static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool reached, open;
} gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false};

static void set_gate(bool reached, bool open)
{
	pthread_mutex_lock(&gate.lock);
	gate.reached = reached;
	gate.open = open;
	pthread_cond_broadcast(&gate.changed);
	pthread_mutex_unlock(&gate.lock);
}

static int slow_open(const struct sys *unused, const char *path, int flags)
{
	(void)unused;
	pthread_mutex_lock(&gate.lock);
	gate.reached = true;
	pthread_cond_broadcast(&gate.changed);
	while (!gate.open)
		pthread_cond_wait(&gate.changed, &gate.lock);
	pthread_mutex_unlock(&gate.lock);
	return real.open(&real, path, flags);
}

/* The session has begun, and the thread that opens its devices stands at the gate. */
static void begin_case(struct session *session, const char *device)
{
	struct err err;

	set_gate(false, false);
	options = (struct options){.backends = "proc", .device = device, .interval_ns = 500000000, .fps = 60};
	if (!session_begin(session, &sys, &options, 0, false, &err))
		fail_msg("%s", err.text);
	pthread_mutex_lock(&gate.lock);
	while (!gate.reached)
		pthread_cond_wait(&gate.changed, &gate.lock);
	pthread_mutex_unlock(&gate.lock);
}

static bool is_open(const struct session *session, int ms)
{
	struct pollfd look = {.fd = session_opening_fd(session), .events = POLLIN};

	return poll(&look, 1, ms) == 1;
}

TEST(a_session_tells_when_its_devices_are_open)
{
	struct session session;
	struct err err;

	begin_case(&session, NULL);
	assert_false(is_open(&session, 30));
	set_gate(true, true);
	assert_true(is_open(&session, AWAIT_MS));
	assert_true(session_finish(&session, &err));
	assert_int_equal(session.n, 1);
	assert_int_equal(session.sources[0].kind, SOURCE_CPU);
	session_close(&session);
}

TEST(only_a_screen_without_a_log_begins_with_a_simulated_past)
{
	static const struct {
		enum command_word command;
		const char *log;
		bool past;
	} cases[] = {{COMMAND_LIVE, NULL, true},
		     {COMMAND_LIVE, "x.csv", false},
		     {COMMAND_RECORD, "x.csv", false},
		     {COMMAND_STAT, "", false}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct session session;
		struct err err;

		options = (struct options){.backends = "sim",
					   .interval_ns = 500000000,
					   .fps = 60,
					   .resolution = {1920, 1080},
					   .command = cases[i].command,
					   .log = cases[i].log};
		assert_true(session_open(&session, &real, &options, 0, false, &err));
		assert_int_equal(session.what.history_ns > 0, cases[i].past);
		session_close(&session);
	}
}

TEST(finishing_waits_for_the_devices)
{
	struct session session;
	struct err err;

	begin_case(&session, NULL);
	set_gate(true, true);
	assert_true(session_finish(&session, &err));
	session_close(&session);
}

TEST(what_failed_in_the_other_thread_is_reported_when_finishing)
{
	struct session session;
	struct err err;

	begin_case(&session, "/dev/mali7");
	set_gate(true, true);
	assert_false(session_finish(&session, &err));
	assert_non_null(strstr(err.text, "/dev/mali7"));
	session_close(&session);
}

TEST(closing_does_not_wait_for_a_device_that_never_opens)
{
	struct session session;

	begin_case(&session, NULL);
	session_close(&session); /* the gate is still closed */
	set_gate(true, true);
	/* The thread opens the rest, finds the session closed, and cleans up: sanitizers watch. */
	give_time_ms(300);
}

int main(void)
{
	if (!sys_init(&real, NULL, NULL))
		return 1;
	sys = real;
	sys.open = slow_open;

	return test_run();
}
