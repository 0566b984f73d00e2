/* The fake against the facts of perf_event_open: who may count, what is refused and how, and what comes out. */
#include "tests/unit/perf_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void an_event_counts_its_rate_while_it_is_enabled(void **state)
{
	struct perf_event_attr cycles = RAW(0x11);
	struct perf_words w;
	struct perf_bench b;
	int fd;

	(void)state;
	perf_begin(&b, "a72x4");
	fake_perf_rate(b.perf, 2, "armv8_cortex_a72", 0x11, 1500);
	cycles.disabled = 1;
	cycles.read_format = TIMES;
	fd = perf_open(&b, cycles, -1, 2, -1);
	assert_true(fd >= 0);
	fake_sys_run(&b.fake, 10 * MS);
	assert_int_equal(perf_control(&b, fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	fake_sys_run(&b.fake, 10 * MS);
	assert_int_equal(perf_control(&b, fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	fake_sys_run(&b.fake, 10 * MS);
	w = perf_words(&b, fd);
	assert_int_equal(w.count, 15000000);
	assert_int_equal(w.enabled_ns, 10 * MS);
	assert_int_equal(w.running_ns, 10 * MS);
	b.sys->close(b.sys, fd);
	assert_null(fake_sys_leaks(&b.fake));
	fake_sys_fini(&b.fake);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_event_counts_its_rate_while_it_is_enabled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
