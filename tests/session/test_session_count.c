/* One process that is counted alone, in a session over a fake machine: chosen, changed for another, ended, and given up. */
#include "backends/registry.h"
#include "session/session.h"
#include "base/alloc.h"
#include "tests/support/perf_run.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The sampler's waiting makes the machine's time pass. */
struct bench {
	struct perf_run run;
	struct options options;
	struct session session;
	char said[512]; /* what the session said last */
};

static void begin(struct bench *b)
{
	struct err err;

	*b = (struct bench){.options = {.backends = "perf", .interval_ns = 100 * MS, .fps = 60}};
	perf_run_init(&b->run, "a72x4");
	perf_run_process(&b->run, 4711, 1000, 1);
	perf_run_process(&b->run, 4712, 1000, 2);
	if (!session_open(&b->session, &b->run.fake.sys, &b->options, false, &err))
		fail_msg("%s", err.text);
}

static int64_t now_ns(const struct bench *b)
{
	return b->run.fake.sys.monotonic_ns(&b->run.fake.sys);
}

static void end(struct bench *b)
{
	session_close(&b->session);
	perf_run_fini(&b->run);
}

static bool is_shown(struct bench *b, const char *title)
{
	const struct session_source *shown = session_shown(&b->session, SOURCE_PERF);

	return shown && strcmp(shown->title, title) == 0;
}

/* Take in what the session tells until the one of that title is shown and counts. */
static void wait_shown(struct bench *b, const char *title)
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

static void count(struct bench *b, int pid)
{
	session_count(&b->session, &(struct scope){.kind = SCOPE_PROCESS, .pid = pid});
}

static void the_machine_is_set_aside_while_a_process_is_counted(void **state)
{
	struct bench b;

	(void)state;
	begin(&b);
	wait_shown(&b, "all CPUs, kernel and user");
	count(&b, 4711);
	wait_shown(&b, "process 4711 game, kernel and user");
	assert_string_equal(b.said, "counting process 4711 game, kernel and user: see the CPU view");
	assert_int_equal(b.session.sources[0].away, AWAY_ASIDE);
	session_count(&b.session, NULL);
	wait_shown(&b, "all CPUs, kernel and user");
	assert_int_equal(b.session.n, 2);
	end(&b);
}

static void another_process_sits_down_in_the_same_seat(void **state)
{
	struct bench b;
	unsigned epoch;

	(void)state;
	begin(&b);
	count(&b, 4711);
	wait_shown(&b, "process 4711 game, kernel and user");
	epoch = b.session.picked->epoch;
	count(&b, 4712);
	wait_shown(&b, "process 4712 game, kernel and user");
	assert_int_not_equal(b.session.picked->epoch, epoch); /* nothing of the other one's history stays */
	assert_int_equal(b.session.n, 2);
	assert_int_equal(b.session.sources[0].away, AWAY_ASIDE);
	end(&b);
}

static void one_that_is_given_up_while_it_opens_is_not_counted(void **state)
{
	struct bench b;
	char text[512];

	(void)state;
	begin(&b);
	wait_shown(&b, "all CPUs, kernel and user");
	count(&b, 4711);
	session_event(&b.session, now_ns(&b), text, sizeof(text)); /* begins to open */
	session_count(&b.session, NULL);
	for (int i = 0; i < 50; i++, poll(NULL, 0, 1))
		session_event(&b.session, now_ns(&b), text, sizeof(text));
	assert_true(is_shown(&b, "all CPUs, kernel and user"));
	assert_false(b.session.counting);
	assert_null(b.session.picked);
	end(&b);
}

static void a_process_that_is_not_there_is_a_message(void **state)
{
	struct bench b;

	(void)state;
	begin(&b);
	count(&b, 999);
	for (int i = 0; i < 5000 && !b.said[0]; i++, poll(NULL, 0, 1))
		session_event(&b.session, now_ns(&b), b.said, sizeof(b.said));
	assert_non_null(strstr(b.said, "process 999: it is not there"));
	wait_shown(&b, "all CPUs, kernel and user");
	end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_machine_is_set_aside_while_a_process_is_counted),
		cmocka_unit_test(another_process_sits_down_in_the_same_seat),
		cmocka_unit_test(one_that_is_given_up_while_it_opens_is_not_counted),
		cmocka_unit_test(a_process_that_is_not_there_is_a_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
