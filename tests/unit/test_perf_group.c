/* Groups of events, on CPUs that have too few counters. */
#include "backends/perf_group.h"
#include "tests/unit/perf_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct perf_event cycles = {"cycles", 8, 0x11, 0, 0}, instructions = {"instructions", 8, 0x08, 0, 0};

static void a_group_counts_together(void **state)
{
	struct perf_reading reading;
	struct perf_group group;
	struct perf_bench b;
	struct err err;

	(void)state;
	perf_begin(&b, "a72x4");
	perf_group_init(&group, b.sys, &(struct perf_target){.pid = -1, .cpu = 1});
	assert_true(perf_group_add(&group, &cycles, &err) && perf_group_add(&group, &instructions, &err));
	assert_true(perf_group_start(&group, &err));
	fake_sys_run(&b.fake, 10 * MS);
	assert_true(perf_group_read(&group, &reading));
	assert_int_equal(reading.running_ns, 10 * MS);
	assert_int_equal(reading.count[0], fake_perf_truth(b.perf, group.fds[0]));
	assert_int_equal(reading.count[1], fake_perf_truth(b.perf, group.fds[1]));
	assert_true(reading.count[0] > reading.count[1] && reading.count[1] > 0);
	perf_group_fini(&group);
	assert_null(fake_sys_leaks(&b.fake));
	fake_sys_fini(&b.fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_group_counts_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
