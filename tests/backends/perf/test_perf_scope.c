/* What each level of rights leaves to count, and lists of CPUs. */
#include "base/alloc.h"
#include "tests/support/perf_people.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- rights ---- */

#define ALL "all CPUs, kernel and user"
#define OWN "own processes, kernel and user"
#define OWN_USER "own processes, user only"
#define SYSCTL "sudo sysctl kernel.perf_event_paranoid=0"

static const struct right {
	int paranoid;
	unsigned caps, kernel;
	enum scope_kind kind;
	pid_t pid;
	const char *title; /* NULL: refused */
	const char *note;  /* or the error's */
	uint64_t cpus;     /* whose cycles are counted */
	unsigned percent;
} rights[] = {
	{-1, 0, 0, SCOPE_MACHINE, 0, ALL, "", 0xf, 100},
	{0, 0, 0, SCOPE_MACHINE, 0, ALL, "", 0xf, 100},
	{1, 0, 0, SCOPE_MACHINE, 0, OWN, "CPU counters: " OWN "; for more: " SYSCTL, 0x7, 100},
	{2, 0, 0, SCOPE_MACHINE, 0, OWN_USER, "CPU counters: " OWN_USER "; for more: " SYSCTL, 0x7, 75},
	{3, 0, 0, SCOPE_MACHINE, 0, NULL, "CPU events cannot be counted: Permission denied: " SYSCTL, 0, 0},
	{4, 0, 0, SCOPE_MACHINE, 0, NULL, "CPU events cannot be counted: Permission denied: " SYSCTL, 0, 0},
	{2, FAKE_CAP_PERFMON, FAKE_KERNEL(5, 8), SCOPE_MACHINE, 0, ALL, "", 0xf, 100},
	{2, FAKE_CAP_PERFMON, FAKE_KERNEL(5, 7), SCOPE_MACHINE, 0, OWN_USER, "CPU counters: " OWN_USER, 0x7,
	 75},
	{2, FAKE_CAP_SYS_ADMIN, FAKE_KERNEL(4, 9), SCOPE_MACHINE, 0, ALL, "", 0xf, 100},
	{4, FAKE_CAP_SYS_ADMIN, 0, SCOPE_MACHINE, 0, ALL, "", 0xf, 100},
	{4, FAKE_CAP_PERFMON, 0, SCOPE_MACHINE, 0, NULL, "Permission denied", 0, 0},
	{1, 0, 0, SCOPE_PROCESS, 1001, "process 1001 game, kernel and user", "", 0x6, 100},
	{2, 0, 0, SCOPE_PROCESS, 1001, "process 1001 game, user only",
	 "CPU counters: user only; for more: " SYSCTL, 0x6, 75},
	{2, FAKE_CAP_PERFMON, 0, SCOPE_PROCESS, 1001, "process 1001 game, kernel and user", "", 0x6, 100},
	{3, 0, 0, SCOPE_PROCESS, 1001, NULL, "Permission denied", 0, 0},
	{-1, 0, 0, SCOPE_PROCESS, 2003, NULL,
	 "perf: process 2003 game: CPU events cannot be counted: Permission denied", 0, 0},
	{-1, FAKE_CAP_PERFMON, 0, SCOPE_PROCESS, 2003, "process 2003 game, kernel and user", "", 0x8, 100},
	{1, 0, 0, SCOPE_THREAD, 1002, "thread 1002 game, kernel and user", "", 0x4, 100},
	{2, 0, 0, SCOPE_THREAD, 1002, "thread 1002 game, user only", "CPU counters: user only", 0x4, 75},
	{0, 0, 0, SCOPE_CPUS, 0, "CPUs 1-2, kernel and user", "", 0x6, 100},
	{1, 0, 0, SCOPE_CPUS, 0, NULL,
	 "perf: CPUs 1-2: CPU events cannot be counted: Permission denied: " SYSCTL, 0, 0},
};

TEST(each_level_of_rights_leaves_what_it_says)
{
	for (size_t i = 0; i < ARRAY_LEN(rights); i++) {
		const struct right *right = &rights[i];
		uint64_t sum = 0;
		struct perf_run r;

		init_run(&r, "a72x4", right->kind, right->pid);
		r.options.scope.cpus = "1-2";
		if (right->kind == SCOPE_THREAD)
			perf_run_process(&r, 1002, 1000, 2); /* as proc has it, unlisted, for every thread */
		r.perf->paranoid = right->paranoid;
		r.perf->caps = right->caps;
		r.perf->kernel = right->kernel ? right->kernel : r.perf->kernel;
		if (!right->title) {
			assert_false(perf_run_open(&r));
			expect_text(r.err.text, right->note, "rights", i);
			perf_run_fini(&r);
			continue;
		}
		perf_run_begin(&r, 100 * MS);
		expect_text(r.source->title, right->title, "rights", i);
		expect_text(r.source->note, right->note, "rights", i);
		for (int cpu = 0; cpu < 4; cpu++)
			sum += right->cpus >> cpu & 1 ? perf_run_law(&r, cpu, CYCLES) * right->percent : 0;
		for (int n = 0; n < 5; n++) {
			next_sample(&r);
			expect_count(&r, "CPUCycles", sum, "rights", (int)i);
			assert_int_equal(perf_run_has(&r, "CPUContextSwitches"), right->percent == 100);
		}
		perf_run_fini(&r);
	}
}

TEST(the_message_says_what_filters_the_call)
{
	static const struct {
		int filtered;
		bool selinux, none;
		const char *text;
	} cases[] = {
		{EPERM, false, false,
		 "perf: CPU events cannot be counted: Operation not permitted: a container or a security "
		 "module"},
		{0, true, false, "perf: CPU events cannot be counted: Permission denied: "},
		{0, false, true,
		 "perf: CPU events cannot be counted: Function not implemented: the kernel was built "
		 "without"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct source_found *found = NULL;
		struct perf_run r;

		init_run(&r, "a72x4", SCOPE_MACHINE, 0);
		r.perf->filtered = cases[i].filtered;
		r.perf->selinux = cases[i].selinux;
		if (cases[i].none)
			r.perf->machine = NULL;
		assert_true(backend_perf.probe(&r.fake.sys, &found, &r.err));
		assert_int_equal(found != NULL, !cases[i].none);
		free(found);
		assert_false(perf_run_open(&r));
		expect_text(r.err.text, cases[i].text, "filters", i);
		perf_run_fini(&r);
	}
}

/* ---- CPUs ---- */

TEST(a_list_of_cpus_counts_those_that_there_are)
{
	static const struct {
		const char *list;
		uint64_t cpus; /* 0: refused */
		int code;
		const char *text;
	} cases[] = {
		{"1,3", 0xa, 0, "CPUs 1,3, kernel and user"},
		{"0-99", 0xff, 0, "CPUs 0-99"},
		{"2,6-40", 0xc4, 0, "CPUs 2,6-40"},
		{"4-7", 0xf0, 0, "CPUs 4-7"},
		{"8-12", 0, ENODEV, "--cpu: 8-12: this machine has none of these CPUs"},
		{"x", 0, ERR_USAGE, "--cpu: 'x' is not a list of CPUs"},
		{"", 0, ERR_USAGE, "--cpu: '' is not a list of CPUs"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t sum = 0;
		struct perf_run r;

		init_run(&r, "rk3588", SCOPE_CPUS, 0);
		r.options.scope.cpus = cases[i].list;
		if (!cases[i].cpus) {
			assert_false(perf_run_open(&r));
			assert_int_equal(r.err.code, cases[i].code);
			expect_text(r.err.text, cases[i].text, "lists", i);
			perf_run_fini(&r);
			continue;
		}
		perf_run_begin(&r, 100 * MS);
		expect_text(r.source->title, cases[i].text, "lists", i);
		next_sample(&r);
		for (int cpu = 0; cpu < 8; cpu++) {
			bool counted = cases[i].cpus >> cpu & 1;
			uint64_t value = perf_run_law(&r, cpu, CYCLES) * 100;

			sum += counted ? value : 0;
			assert_int_equal(perf_run_value(&r, "CPUCycles", INSTANCE_CPU, (unsigned)cpu),
					 counted ? value : SAMPLE_UNKNOWN);
		}
		expect_count(&r, "CPUCycles", sum, "lists", (int)i);
		assert_int_equal(perf_run_value(&r, "CPUCycles", INSTANCE_CLUSTER, 0) == SAMPLE_UNKNOWN,
				 !(cases[i].cpus & 0xf));
		perf_run_fini(&r);
	}
}

TEST(the_message_says_that_a_machine_names_no_cpus)
{
	char path[96];
	struct perf_run r;

	init_run(&r, "a72x4", SCOPE_MACHINE, 0);
	snprintf(path, sizeof(path), "%s/sys", r.dir);
	fake_perf_tree_remove(path);
	snprintf(path, sizeof(path), "%s/proc/stat", r.dir);
	fake_perf_tree_remove(path);
	assert_false(perf_run_open(&r));
	expect_text(r.err.text, "cannot list the CPUs: cannot read", "no CPUs", 0);
	perf_run_fini(&r);
}

TEST(the_first_cpu_may_be_off)
{
	static const char *const lists[] = {NULL, "1-2"};

	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct perf_run r;

		init_run(&r, "a72x4", lists[i] ? SCOPE_CPUS : SCOPE_MACHINE, 0);
		r.options.scope.cpus = lists[i];
		fake_perf_online(r.perf, 0, false);
		fake_perf_tree(r.perf, r.dir);
		perf_run_begin(&r, 100 * MS);
		next_sample(&r);
		assert_int_equal(perf_run_value(&r, "CPUCycles", INSTANCE_CPU, 0), SAMPLE_UNKNOWN);
		assert_true(perf_run_total(&r, "CPUCycles") > 0 &&
			    perf_run_total(&r, "CPUCycles") != SAMPLE_UNKNOWN);
		perf_run_fini(&r);
	}
}

TEST(a_named_cpu_that_is_off_is_refused)
{
	struct perf_run r;

	init_run(&r, "a72x4", SCOPE_CPUS, 0);
	r.options.scope.cpus = "2-3";
	fake_perf_online(r.perf, 3, false);
	fake_perf_tree(r.perf, r.dir);
	assert_false(perf_run_open(&r));
	assert_int_equal(r.err.code, ENODEV);
	expect_text(r.err.text, "--cpu: CPU 3 is offline: see /sys/devices/system/cpu/online", "off", 0);
	perf_run_fini(&r);
}

TEST(cpus_that_are_all_off_are_refused)
{
	struct perf_run r;

	init_run(&r, "a72x4", SCOPE_CPUS, 0);
	r.options.scope.cpus = "2-3";
	fake_perf_online(r.perf, 2, false);
	fake_perf_online(r.perf, 3, false);
	assert_false(perf_run_open(&r));
	assert_int_equal(r.err.code, ENODEV);
	expect_text(r.err.text, "perf: CPUs 2-3: offline: see /sys/devices/system/cpu/online", "off", 0);
	perf_run_fini(&r);
}

/* What only one cluster counts has a total where only that one is asked for. */
TEST(a_total_is_of_the_cpus_that_were_asked_for)
{
	static const struct {
		const char *list;
		bool has, total;
	} cases[] = {{"0-3", false, false}, {"4-7", true, true}, {"3-4", true, false}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct perf_run r;
		char path[96];

		init_run(&r, "rk3588", SCOPE_CPUS, 0);
		fake_perf_pmu(r.perf, "armv8_cortex_a55")->core = FAKE_A53;
		snprintf(path, sizeof(path), "%s/sys/bus", r.dir);
		fake_perf_tree_remove(path);
		fake_perf_tree(r.perf, r.dir);
		r.options.scope.cpus = cases[i].list;
		perf_run_begin(&r, 100 * MS);
		next_sample(&r);
		assert_int_equal(perf_run_has(&r, "CPUStallsBackend"), cases[i].has);
		if (cases[i].has)
			assert_int_equal(perf_run_total(&r, "CPUStallsBackend") != SAMPLE_UNKNOWN,
					 cases[i].total);
		assert_true(perf_run_total(&r, "CPUCycles") != SAMPLE_UNKNOWN);
		perf_run_fini(&r);
	}
}
