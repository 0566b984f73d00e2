/* Groups of events, on CPUs that have too few counters and under kernels that refuse. */
#include "backends/perf/perf_group.h"
#include "base/alloc.h"
#include "tests/support/perf_bench.h"
#include "tests/support/test.h"

#include <stdlib.h>

#define A72 "armv8_cortex_a72"

static const struct perf_event events[] = {
	{"cycles", 8, 0x11, 0, 0, false, false},     {"instructions", 8, 0x08, 0, 0, false, false},
	{"L1 refills", 8, 0x03, 0, 0, false, false}, {"L1 accesses", 8, 0x04, 0, 0, false, false},
	{"branches", 8, 0x12, 0, 0, false, false},   {"misses", 8, 0x10, 0, 0, false, false},
	{"L2 refills", 8, 0x17, 0, 0, false, false}, {"L2 accesses", 8, 0x16, 0, 0, false, false},
	{"bus", 8, 0x19, 0, 0, false, false},
};

static const struct perf_target on_cpu_1 = {.pid = -1, .cpu = 1}, own = {.pid = 0, .cpu = -1},
				family = {.pid = 0, .cpu = -1, .inherit = true};

/* n events, counting. */
static void start_group(struct perf_bench *b, struct perf_group *group, const struct perf_target *target,
			const struct perf_event *list, unsigned n)
{
	struct err err;

	perf_group_init(group, b->sys, target);
	for (unsigned i = 0; i < n; i++)
		assert_true(perf_group_add(group, &list[i], &err));
	assert_true(perf_group_start(group, &err));
}

static void end_case(struct perf_bench *b)
{
	assert_null(fake_sys_leaks(&b->fake));
	fake_sys_fini(&b->fake);
}

/* ---- counting ---- */

TEST(a_group_counts_together)
{
	struct perf_reading reading;
	struct perf_group group;
	struct perf_bench b;

	perf_begin(&b, "a72x4");
	fake_perf_rate(b.perf, 1, A72, 0x11, 1800);
	fake_perf_rate(b.perf, 1, A72, 0x08, 2500);
	start_group(&b, &group, &on_cpu_1, events, 2);
	fake_sys_run(&b.fake, 10 * MS);
	assert_true(perf_group_read(&group, &reading));
	assert_true(reading.enabled_ns == 10 * MS && reading.running_ns == 10 * MS);
	assert_true(reading.count[0] == 18000000 && reading.count[1] == 25000000);
	perf_group_fini(&group);
	end_case(&b);
}

TEST(nothing_counts_before_the_start)
{
	struct perf_reading reading;
	struct perf_group group;
	struct perf_bench b;
	struct err err;

	perf_begin(&b, "a72x4");
	perf_group_init(&group, b.sys, &own);
	assert_true(perf_group_add(&group, &events[0], &err) && perf_group_add(&group, &events[1], &err));
	fake_sys_run(&b.fake, 10 * MS);
	assert_true(perf_group_read(&group, &reading) && reading.enabled_ns == 0 && reading.count[1] == 0);
	assert_true(perf_group_start(&group, &err));
	fake_sys_run(&b.fake, 10 * MS);
	assert_true(perf_group_read(&group, &reading) && reading.enabled_ns == 10 * MS &&
		    reading.count[1] > 0);
	perf_group_fini(&group);
	end_case(&b);
}

TEST(the_kernels_part_can_be_left_out)
{
	struct perf_target user = {.pid = 0, .cpu = -1, .user_only = true};
	struct perf_reading reading;
	struct perf_group group;
	struct perf_bench b;

	perf_begin(&b, "a72x4");
	b.perf->paranoid = 2;
	fake_perf_rate(b.perf, 0, A72, 0x11, 1000);
	start_group(&b, &group, &user, events, 1);
	fake_sys_run(&b.fake, 10 * MS);
	assert_true(perf_group_read(&group, &reading));
	assert_int_equal(reading.count[0], 7500000);
	perf_group_fini(&group);
	end_case(&b);
}

TEST(counting_can_wait_for_exec)
{
	struct perf_target target = {.pid = 1001, .cpu = -1, .inherit = true, .on_exec = true};
	struct perf_reading reading;
	struct perf_group group;
	struct perf_bench b;

	perf_begin(&b, "a72x4");
	fake_perf_task(b.perf, 1001, 1000, 2);
	start_group(&b, &group, &target, events, 2);
	fake_sys_run(&b.fake, 10 * MS);
	fake_perf_exec(b.perf, 1001);
	fake_sys_run(&b.fake, 10 * MS);
	assert_true(perf_group_read(&group, &reading));
	assert_int_equal(reading.running_ns, 10 * MS);
	perf_group_fini(&group);
	end_case(&b);
}

TEST(counts_pass_the_width_of_a_counter)
{
	static const struct {
		const char *machine, *pmu;
		struct perf_event event;
		unsigned width;
	} cases[] = {
		{"a72x4", A72, {"e", 8, 0x08, 0, 0, false, false}, 32},
		{"x86", "cpu", {"e", 4, 0xc4, 0, 0, false, false}, 48},
	};

	for (size_t i = 0; i < 2 * ARRAY_LEN(cases); i++) {
		uint64_t range = 1ull << cases[i / 2].width, per_us = range / 400000, all = per_us * 1000000;
		struct perf_reading reading;
		struct perf_group group;
		struct perf_bench b;

		perf_begin(&b, cases[i / 2].machine);
		fake_perf_pmu(b.perf, cases[i / 2].pmu)->wraps = i % 2;
		fake_perf_rate(b.perf, 1, cases[i / 2].pmu, cases[i / 2].event.config, per_us);
		start_group(&b, &group, &on_cpu_1, &cases[i / 2].event, 1);
		fake_sys_run(&b.fake, 1000 * MS);
		assert_true(all > 2 * range && perf_group_read(&group, &reading));
		assert_true(reading.count[0] == (i % 2 ? all % range : all));
		perf_group_fini(&group);
		end_case(&b);
	}
}

/* ---- too few counters ---- */

TEST(estimates_are_exact_however_uneven_the_sharing)
{
	static const int stretches_ms[] = {13, 41, 8, 30, 77, 5};
	struct perf_group groups[3];
	struct perf_bench b;

	perf_begin(&b, "a72x4");
	start_group(&b, &groups[0], &on_cpu_1, events, 5);
	start_group(&b, &groups[1], &on_cpu_1, events + 5, 4);
	start_group(&b, &groups[2], &on_cpu_1, events + 3, 2);
	for (size_t i = 0; i < ARRAY_LEN(stretches_ms); i++) {
		fake_perf_steal(b.perf, 1, i % 3);
		fake_sys_run(&b.fake, stretches_ms[i] * MS);
	}
	for (int g = 0; g < 3; g++) {
		struct perf_reading r;

		assert_true(perf_group_read(&groups[g], &r) && r.running_ns > 0 &&
			    r.running_ns < r.enabled_ns);
		for (unsigned i = 0; i < groups[g].n; i++)
			assert_int_equal(perf_estimate(r.count[i], r.enabled_ns, r.running_ns, NULL),
					 fake_perf_truth(b.perf, groups[g].fds[i]));
	}
	for (int g = 0; g < 3; g++)
		perf_group_fini(&groups[g]);
	end_case(&b);
}

TEST(a_sum_of_estimates_loses_nothing)
{
	uint64_t sum = 0;
	double fraction = 0;
	struct perf_reading before = {0}, now;
	struct perf_group groups[2];
	struct perf_bench b;

	perf_begin(&b, "tiny2");
	fake_perf_rate(b.perf, 1, "armv8_cortex_a53", 0x03, 7);
	start_group(&b, &groups[0], &on_cpu_1, events + 2, 2);
	start_group(&b, &groups[1], &on_cpu_1, events + 4, 2);
	for (int i = 1; i <= 100; i++) {
		fake_sys_run(&b.fake, 11 * MS);
		assert_true(perf_group_read(&groups[0], &now));
		sum += perf_estimate(now.count[0] - before.count[0], now.enabled_ns - before.enabled_ns,
				     now.running_ns - before.running_ns, &fraction);
		before = now;
	}
	assert_in_range(sum, 7 * 1100000 - 1, 7 * 1100000);
	perf_group_fini(&groups[0]);
	perf_group_fini(&groups[1]);
	end_case(&b);
}

TEST(a_group_one_too_large_opens_and_never_runs)
{
	struct perf_reading reading;
	struct perf_group group;
	struct perf_bench b;
	struct err err;

	perf_begin(&b, "tiny2");
	start_group(&b, &group, &on_cpu_1, events, 3); /* the leader was off, and not weighed */
	assert_false(perf_group_add(&group, &events[3], &err));
	assert_int_equal(err.code, EINVAL);
	assert_int_equal(group.n, 3);
	fake_sys_run(&b.fake, 100 * MS);
	assert_true(perf_group_read(&group, &reading));
	assert_true(reading.enabled_ns == 100 * MS && reading.running_ns == 0);
	assert_int_equal(perf_estimate(reading.count[0], reading.enabled_ns, reading.running_ns, NULL),
			 UINT64_MAX);
	perf_group_fini(&group);
	end_case(&b);
}

TEST(estimates_by_hand)
{
	static const struct {
		uint64_t count, enabled, running, expected;
	} cases[] = {
		{0, 0, 0, UINT64_MAX},
		{5, 10, 0, UINT64_MAX},
		{0, 10, 5, 0},
		{7, 10, 10, 7},
		{7, 10, 11, 7},
		{3, 10, 3, 10},
		{1, 10, 3, 3},
		{UINT64_MAX, 10, 10, UINT64_MAX},
		{UINT64_MAX / 2, 3, 2, UINT64_MAX / 4 * 3 + 1},
		{UINT64_MAX / 2, 2, 1, UINT64_MAX - 1},
		{UINT64_MAX / 2, 3, 1, UINT64_MAX - 1},
		{1000000007, 1ull << 62, (1ull << 62) - 1, 1000000007},
		{1ull << 40, 1ull << 40, 1ull << 20, 1ull << 60},
		{0xfffffffffffull, 86400000000000, 43200000000001, 35184372088829},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (perf_estimate(cases[i].count, cases[i].enabled, cases[i].running, NULL) !=
		    cases[i].expected)
			fail_msg("row %zu: %llu", i,
				 (unsigned long long)perf_estimate(cases[i].count, cases[i].enabled,
								   cases[i].running, NULL));
}

TEST(fractions_add_up)
{
	uint64_t sum = 0;
	double fraction = 0;

	for (int i = 0; i < 8; i++)
		sum += perf_estimate(3, 5, 4, &fraction); /* 3.75 each */
	assert_int_equal(sum, 30);
	assert_true(fraction == 0);
}

/* ---- children ---- */

TEST(inherited_events_are_read_on_every_kernel_while_a_child_ends)
{
	static const struct {
		unsigned kernel;
		bool unmatched;
	} cases[] = {{FAKE_KERNEL(4, 12), true}, {FAKE_KERNEL(4, 13), true}, {FAKE_KERNEL(6, 1), false}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct perf_reading reading;
		struct perf_group group;
		struct perf_bench b;

		perf_begin(&b, "a72x4");
		b.perf->kernel = cases[i].kernel;
		b.perf->unmatched = cases[i].unmatched;
		fake_perf_rate(b.perf, -1, A72, 0x11, 1000);
		fake_perf_rate(b.perf, -1, A72, 0x08, 600);
		start_group(&b, &group, &family, events, 3);
		fake_sys_run(&b.fake, 10 * MS);
		fake_perf_fork(b.perf, 1000, 1001, 1, false);
		fake_sys_run(&b.fake, 10 * MS);
		fake_perf_exit_begins(b.perf, 1001);
		assert_true(perf_group_read(&group, &reading));
		assert_true(reading.enabled_ns == 30 * MS && reading.running_ns == 30 * MS);
		assert_true(reading.count[0] == 30000000 && reading.count[1] == 18000000);
		fake_perf_exit(b.perf, 1001);
		fake_sys_run(&b.fake, 10 * MS);
		assert_true(perf_group_read(&group, &reading));
		assert_true(reading.enabled_ns == 40 * MS && reading.running_ns == 40 * MS);
		assert_true(reading.count[0] == 40000000 && reading.count[1] == 24000000);
		perf_group_fini(&group);
		end_case(&b);
	}
}

/* ---- refusals ---- */

TEST(the_message_says_why_an_event_cannot_be_counted)
{
	static const struct {
		struct perf_target target;
		struct perf_event event;
		int paranoid, code;
		const char *text;
	} cases[] = {
		{{.pid = -1, .cpu = 1},
		 {"x", 8, 0x11, 0, 0, false, false},
		 1,
		 EACCES,
		 "x: cannot be counted on CPU 1: Permission denied"},
		{{.pid = 0, .cpu = -1},
		 {"x", 8, 0x11, 0, 0, false, false},
		 2,
		 EACCES,
		 "x: cannot be counted for this thread"},
		{{.pid = 77, .cpu = -1},
		 {"x", 8, 0x11, 0, 0, false, false},
		 -1,
		 ESRCH,
		 "x: cannot be counted for thread 77: No such process"},
		{{.pid = -1, .cpu = 1},
		 {"x", 99, 0x11, 0, 0, false, false},
		 -1,
		 ENOENT,
		 "x: cannot be counted on CPU 1: No such file"},
		{{.pid = -1, .cpu = 3},
		 {"x", 8, 0x11, 0, 0, false, false},
		 -1,
		 ENODEV,
		 "x: cannot be counted on CPU 3: it is offline"},
		{{.pid = -1, .cpu = 1},
		 {"a\nb", 8, 0x1e, 0, 0, false, false},
		 -1,
		 EINVAL,
		 "a?b: cannot be counted on CPU 1"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct perf_group group;
		struct perf_bench b;
		struct err err;

		perf_begin(&b, "a72x4");
		b.perf->paranoid = cases[i].paranoid;
		fake_perf_online(b.perf, 3, false);
		perf_group_init(&group, b.sys, &cases[i].target);
		assert_false(perf_group_add(&group, &cases[i].event, &err));
		assert_int_equal(err.code, cases[i].code);
		assert_memory_equal(err.text, cases[i].text, strlen(cases[i].text));
		assert_int_equal(group.n, 0);
		perf_group_fini(&group);
		end_case(&b);
	}
}

TEST(a_group_has_an_end)
{
	const struct perf_event clock = {"clock", 1, 0, 0, 0, false, false};
	struct perf_reading reading;
	struct perf_group group;
	struct perf_bench b;
	struct err err;

	perf_begin(&b, "vm");
	perf_group_init(&group, b.sys, &own);
	for (int i = 0; i < PERF_GROUP_MAX; i++)
		assert_true(perf_group_add(&group, &clock, &err));
	assert_false(perf_group_add(&group, &clock, &err));
	assert_int_equal(err.code, EINVAL);
	assert_true(perf_group_start(&group, &err));
	fake_sys_run(&b.fake, 10 * MS);
	assert_true(perf_group_read(&group, &reading));
	assert_int_equal(reading.count[PERF_GROUP_MAX - 1], 10 * MS);
	perf_group_fini(&group);
	end_case(&b);
}

TEST(a_cpu_that_went_is_read_as_far_as_it_counted)
{
	static const unsigned sizes[] = {1, 2, 5};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct perf_reading before, reading;
		struct perf_group group;
		struct perf_bench b;

		perf_begin(&b, "a72x4");
		start_group(&b, &group, &on_cpu_1, events, sizes[i]);
		fake_sys_run(&b.fake, 10 * MS);
		assert_true(perf_group_read(&group, &before));
		fake_perf_online(b.perf, 1, false);
		for (int n = 0; n < 3; n++) {
			assert_true(perf_group_read(&group, &reading));
			assert_memory_equal(&reading, &before, sizeof(reading));
			fake_sys_run(&b.fake, 10 * MS);
			fake_perf_online(b.perf, 1, true);
		}
		perf_group_fini(&group);
		end_case(&b);
	}
}

/* The life of a group, with one call that fails. Whatever it is, everything is closed
 * afterwards. */
static void start_live(struct perf_bench *b, const struct perf_target *target)
{
	struct perf_reading reading;
	struct perf_group group;
	struct err err;

	perf_group_init(&group, b->sys, target);
	for (int i = 0; i < 3; i++)
		if (!perf_group_add(&group, &events[i], &err))
			assert_int_equal(err.code, ENOMEM);
	if (group.n && !perf_group_start(&group, &err))
		assert_int_equal(err.code, ENOMEM);
	fake_sys_run(&b->fake, 10 * MS);
	if (!perf_group_read(&group, &reading))
		assert_true(reading.count[0] == 0 || target->inherit);
	perf_group_fini(&group);
	assert_null(fake_sys_leaks(&b->fake));
}

TEST(the_nth_call_failing_leaves_nothing_open)
{
	static const unsigned kernels[] = {FAKE_KERNEL(6, 1), FAKE_KERNEL(4, 9)};

	for (size_t k = 0; k < ARRAY_LEN(kernels); k++) {
		for (unsigned n = 1, calls = 1; n <= calls; n++) {
			struct perf_bench b;

			perf_begin(&b, "a72x4");
			b.perf->kernel = kernels[k];
			start_live(&b, &family);
			calls = b.fake.n_calls[6];
			assert_in_range(calls, 7, 12);
			b.fake.fault = (struct fake_fault){
				.calls = FAKE_CALL_PERF, .at = n, .times = 1, .code = ENOMEM};
			start_live(&b, &family);
			assert_int_equal(b.fake.fault.times, 0);
			end_case(&b);
		}
	}
}
