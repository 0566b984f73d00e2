/* The events of processes with their threads, of single threads and of commands. */
#include "base/alloc.h"
#include "tests/support/perf_people.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static uint64_t cycles(const struct perf_run *r, int cpu, unsigned ms)
{
	return perf_run_law(r, cpu, CYCLES) * ms;
}

TEST(a_thread_that_moves_between_clusters_is_estimated_exactly)
{
	static const struct {
		const char *slot;
		uint64_t a55, a76;
	} cases[] = {
		{"CPUCycles", 0x11, 0x11},     {"CPUInstructions", 0x08, 0x08},  {"CPUBranches", 0x21, 0x21},
		{"CPUL2Refills", 0x17, 0x17},  {"CPUStallsBackend", 0x24, 0x24}, {"CPUITLBWalks", 0x35, 0x35},
		{"CPUL3Accesses", 0x2b, 0x2b}, {"CPUBusAccesses", 0x19, 0x19},
	};
	struct perf_run r;

	init_run(&r, "rk3588", SCOPE_PROCESS, 1001);
	fake_perf_alternate(r.perf, 1001, 25 * MS, 1, 6);
	fake_perf_move(r.perf, 1002, 5);
	r.perf->mux_ns = 2 * MS;
	perf_run_begin(&r, 100 * MS);
	for (int n = 0; n < 50; n++) {
		next_sample(&r);
		for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
			uint64_t small = perf_run_law(&r, 1, cases[i].a55) * 50;
			uint64_t big = perf_run_law(&r, 6, cases[i].a76) * 50 +
				       perf_run_law(&r, 5, cases[i].a76) * 100;

			expect_count(&r, cases[i].slot, small + big, "move", n);
			assert_int_equal(perf_run_value(&r, cases[i].slot, INSTANCE_CLUSTER, 0), small);
			assert_int_equal(perf_run_value(&r, cases[i].slot, INSTANCE_CLUSTER, 1), big);
		}
		expect_count(&r, "CPUTaskTime", 200 * TASK_PER_MS, "move", n);
		assert_true(r.sample->flags & SAMPLE_ESTIMATED);
	}
	perf_run_fini(&r);
}

TEST(nothing_is_estimated_of_a_thread_that_moves_where_counters_suffice)
{
	struct perf_run r;

	init_run(&r, "rk3588", SCOPE_PROCESS, 1001);
	fake_perf_alternate(r.perf, 1001, 25 * MS, 1, 6);
	assert_true(perf_run_open(&r));
	r.perf->pmus[2].counters = r.perf->pmus[3].counters = 31;
	assert_true(perf_run_start(&r, 100 * MS));
	for (int n = 0; n < 10; n++) {
		next_sample(&r);
		assert_int_equal(r.sample->flags, 0);
		expect_count(&r, "CPUCycles", cycles(&r, 1, 50) + cycles(&r, 6, 50) + cycles(&r, 2, 100),
			     "move", n);
	}
	perf_run_fini(&r);
}

TEST(threads_that_start_and_end_are_counted_while_they_live)
{
	static const struct {
		const char *machine;
		unsigned kernel;
	} cases[] = {
		{"a72x4", FAKE_KERNEL(6, 1)},
		{"a72x4", FAKE_KERNEL(4, 12)},
		{"rk3588", FAKE_KERNEL(6, 1)},
		{"rk3588", FAKE_KERNEL(4, 9)},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct perf_run r;

		init_run(&r, cases[i].machine, SCOPE_PROCESS, 1001);
		r.perf->kernel = cases[i].kernel;
		run_alone(&r);
		perf_run_begin(&r, 100 * MS);
		next_sample(&r);
		expect_count(&r, "CPUCycles", cycles(&r, 1, 100) + cycles(&r, 2, 100), "threads", (int)i);
		fake_sys_run(&r.fake, 30 * MS);
		perf_run_clone(&r, 1001, 1005, 3);
		next_sample(&r);
		expect_count(&r, "CPUCycles", cycles(&r, 1, 100) + cycles(&r, 2, 100) + cycles(&r, 3, 70),
			     "threads", (int)i);
		fake_perf_fork(r.perf, 1005, 1006, 0, false);
		fake_sys_run(&r.fake, 40 * MS);
		perf_run_thread_ends(&r, 1001, 1005);
		perf_run_thread_ends(&r, 1001, 1002);
		next_sample(&r);
		expect_count(&r, "CPUCycles",
			     cycles(&r, 1, 100) + cycles(&r, 2, 40) + cycles(&r, 3, 40) + cycles(&r, 0, 100),
			     "threads", (int)i);
		next_sample(&r);
		expect_count(&r, "CPUCycles", cycles(&r, 1, 100) + cycles(&r, 0, 100), "threads", (int)i);
		perf_run_fini(&r);
	}
}

/* At each sample a thread has just been started and another is just being taken apart. */
TEST(no_count_is_lost_or_late_while_threads_come_and_go)
{
	static const char *const machines[] = {"a72x4", "rk3588"};

	for (size_t i = 0; i < ARRAY_LEN(machines); i++) {
		struct perf_run r;

		init_run(&r, machines[i], SCOPE_PROCESS, 1001);
		run_alone(&r);
		fake_perf_move(r.perf, 1002, -1);
		perf_run_begin(&r, 100 * MS);
		for (int n = 0; n < 50; n++) {
			fake_perf_fork(r.perf, 1001, 3000 + n, 3, true);
			fake_sys_run(&r.fake, 60 * MS);
			fake_perf_exit_begins(r.perf, 3000 + n);
			next_sample(&r);
			expect_count(&r, "CPUCycles", cycles(&r, 1, 100) + cycles(&r, 3, 60), "churn", n);
			expect_count(&r, "CPUTaskTime", 160 * TASK_PER_MS, "churn", n);
			assert_int_equal(r.sample->flags, 0);
			fake_perf_exit(r.perf, 3000 + n);
		}
		perf_run_fini(&r);
	}
}

TEST(a_thread_alone_is_counted_without_those_that_it_starts)
{
	struct perf_run r;

	begin_people(&r, "a72x4", SCOPE_THREAD, 1002);
	perf_run_clone(&r, 1001, 1005, 3);
	fake_perf_fork(r.perf, 1002, 1006, 3, true);
	for (int n = 0; n < 5; n++) {
		next_sample(&r);
		expect_count(&r, "CPUCycles", cycles(&r, 2, 100), "thread", n);
		expect_count(&r, "CPUTaskTime", 100 * TASK_PER_MS, "thread", n);
	}
	perf_run_fini(&r);
}

TEST(a_thread_that_sleeps_counts_nothing_and_that_is_known)
{
	struct perf_run r;

	init_run(&r, "rk3588", SCOPE_PROCESS, 1001);
	fake_perf_move(r.perf, 1001, -1);
	fake_perf_move(r.perf, 1002, -1);
	perf_run_begin(&r, 100 * MS);
	for (int n = 0; n < 20; n++) {
		next_sample(&r);
		expect_count(&r, "CPUCycles", 0, "sleep", n);
		expect_count(&r, "CPUL3Refills", 0, "sleep", n);
		assert_int_equal(r.sample->flags, 0);
	}
	fake_perf_move(r.perf, 1001, 2);
	next_sample(&r);
	expect_count(&r, "CPUCycles", cycles(&r, 2, 100), "awake", 0);
	perf_run_fini(&r);
}

TEST(when_a_process_ends_its_last_sample_comes_first)
{
	static const struct {
		char state;         /* 0: it is gone from proc */
		unsigned n_threads; /* that are left */
		bool gone;
	} cases[] = {{0, 0, true},    {'Z', 1, true},  {'X', 1, true},
		     {'Z', 2, false}, {'S', 1, false}, {'T', 3, false}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t sum = 0, n = 0;
		struct perf_run r;

		begin_people(&r, "a72x4", SCOPE_PROCESS, 1001);
		fake_sys_run(&r.fake, 350 * MS);
		if (cases[i].gone)
			fake_perf_exit(r.perf, 1002);
		fake_perf_exit(r.perf, 1001);
		if (cases[i].state)
			perf_run_state(&r, 1001, cases[i].state, cases[i].n_threads);
		else
			perf_run_process_ends(&r, 1001);
		while (n < 50 && perf_run_read(&r, 1000 * MS) == READ_GOT) {
			sum += perf_run_total(&r, "CPUCycles");
			n++;
		}
		assert_int_equal(n < 20, cases[i].gone);
		assert_int_equal(r.source->ended, cases[i].gone);
		if (cases[i].gone)
			assert_true(sum == cycles(&r, 1, 350) + cycles(&r, 2, 350));
		perf_run_fini(&r);
	}
}

/* Between the count and the look at proc. */
static ssize_t (*plain_pread)(const struct sys *sys, int fd, void *buf, size_t n, off_t at);
static struct perf_run *ending;

static ssize_t pread_and_end(const struct sys *sys, int fd, void *buf, size_t n, off_t at)
{
	if (ending && ending->fake.now_ns % (1000 * MS) == 0) {
		fake_sys_run(&ending->fake, 5 * MS);
		fake_perf_exit(ending->perf, 1002);
		fake_perf_exit(ending->perf, 1001);
		perf_run_state(ending, 1001, 'Z', 1);
		ending = NULL;
	}
	return plain_pread(sys, fd, buf, n, at);
}

TEST(what_a_process_did_just_before_its_end_is_not_lost)
{
	uint64_t sum = 0;
	struct perf_run r;

	begin_people(&r, "a72x4", SCOPE_PROCESS, 1001);
	plain_pread = r.fake.sys.pread;
	r.fake.sys.pread = pread_and_end;
	ending = &r;
	while (perf_run_read(&r, 1000 * MS) == READ_GOT)
		sum += perf_run_total(&r, "CPUCycles");
	assert_null(ending);
	assert_int_equal(sum, cycles(&r, 1, 1005) + cycles(&r, 2, 1005));
	perf_run_fini(&r);
}

TEST(the_first_thread_may_have_ended_before_the_others)
{
	struct perf_run r;

	init_run(&r, "a72x4", SCOPE_PROCESS, 1001);
	fake_perf_exit(r.perf, 1001);
	perf_run_state(&r, 1001, 'Z', 2);
	perf_run_begin(&r, 100 * MS);
	for (int n = 0; n < 25; n++) {
		next_sample(&r);
		expect_count(&r, "CPUCycles", cycles(&r, 2, 100), "first thread", n);
	}
	perf_run_fini(&r);
}

/* Another interval begins anew: with the threads that there are now. */
TEST(threads_that_started_meanwhile_are_counted_after_a_restart)
{
	static const char *const machines[] = {"a72x4", "rk3588"};

	for (size_t i = 0; i < ARRAY_LEN(machines); i++) {
		struct perf_run r;

		init_run(&r, machines[i], SCOPE_PROCESS, 1001);
		run_alone(&r);
		perf_run_begin(&r, 100 * MS);
		perf_run_clone(&r, 1001, 1007, 3);
		next_sample(&r);
		expect_count(&r, "CPUTaskTime", 300 * TASK_PER_MS, "restart", 0);
		perf_run_thread_ends(&r, 1001, 1002);
		backend_perf.stop(r.source);
		assert_true(perf_run_start(&r, 200 * MS));
		next_sample(&r);
		expect_count(&r, "CPUTaskTime", 400 * TASK_PER_MS, "restart", 1);
		expect_count(&r, "CPUCycles", cycles(&r, 1, 200) + cycles(&r, 3, 200), "restart", 1);
		perf_run_fini(&r);
	}
}

TEST(who_is_not_there_cannot_be_counted)
{
	static const struct {
		enum scope_kind kind;
		const char *text;
	} cases[] = {
		{SCOPE_PROCESS, "process 4711: not found"},
		{SCOPE_THREAD, "thread 4711: not found"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct perf_run r;

		init_run(&r, "a72x4", cases[i].kind, 4711);
		assert_false(perf_run_open(&r));
		assert_int_equal(r.err.code, ESRCH);
		expect_text(r.err.text, cases[i].text, "nobody", i);
		perf_run_fini(&r);
	}
}

/* ---- commands ---- */

TEST(a_command_is_counted_from_exec_on_with_its_children)
{
	static const char *const machines[] = {"a72x4", "rk3588", "x86"};

	for (size_t i = 0; i < ARRAY_LEN(machines); i++) {
		uint64_t raw = i == 2 ? 0x3c : CYCLES;
		struct perf_run r;

		init_run(&r, machines[i], SCOPE_COMMAND, 1001);
		fake_perf_exit(r.perf, 1002);
		run_alone(&r);
		perf_run_begin(&r, 100 * MS);
		expect_text(r.source->title, "the command, kernel and user", "command", i);
		next_sample(&r);
		expect_count(&r, "CPUCycles", 0, "command", 0);
		fake_sys_run(&r.fake, 40 * MS);
		fake_perf_exec(r.perf, 1001);
		next_sample(&r);
		expect_count(&r, "CPUCycles", perf_run_law(&r, 1, raw) * 60, "command", 1);
		fake_perf_fork(r.perf, 1001, 1008, 2, false);
		next_sample(&r);
		expect_count(&r, "CPUCycles", perf_run_law(&r, 1, raw) * 100 + perf_run_law(&r, 2, raw) * 100,
			     "command", 2);
		fake_perf_exit(r.perf, 1001);
		perf_run_process_ends(&r, 1001);
		for (int n = 3; n < 20; n++) {
			next_sample(&r); /* what it started goes on */
			expect_count(&r, "CPUCycles", perf_run_law(&r, 2, raw) * 100, "command", n);
		}
		perf_run_fini(&r);
	}
}

/* ---- many ---- */

/* The last one, as the limit stays. */
TEST(threads_that_do_not_fit_the_open_files_are_reported)
{
	static const struct {
		rlim_t files;
		const char *text, *more;
	} cases[] = {{1500, NULL, "omitted   568 threads"},
		     {400, "omitted   26 threads", "omitted   626 threads"},
		     {140, "Too many open files: ulimit -n 4096", NULL}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf text = {NULL, 0, 0};
		struct perf_run r;

		assert_int_equal(setrlimit(RLIMIT_NOFILE, &(struct rlimit){cases[i].files, cases[i].files}),
				 0);
		init_run(&r, "a72x4", SCOPE_PROCESS, 1001);
		for (int n = 0; n < 38; n++)
			perf_run_thread(&r, 1001, 3000 + n, -1);
		if (i == 2) {
			assert_false(perf_run_open(&r));
			expect_text(r.err.text, cases[i].text, "files", i);
			perf_run_fini(&r);
			continue;
		}
		perf_run_begin(&r, 100 * MS);
		backend_perf.describe(r.source, &text);
		assert_int_equal(strstr(text.p, "omitted") != NULL, cases[i].text != NULL);
		if (cases[i].text)
			expect_text(text.p, cases[i].text, "files", i);
		next_sample(&r);
		expect_count(&r, "CPUTaskTime", 200 * TASK_PER_MS, "files", (int)i);
		for (int n = 0; n < 600; n++) /* it starts more, and is started anew itself */
			perf_run_thread(&r, 1001, 4000 + n, -1);
		assert_true(perf_run_start(&r, 100 * MS));
		strbuf_clear(&text);
		backend_perf.describe(r.source, &text);
		expect_text(text.p, cases[i].more, "more threads", i);
		perf_run_fini(&r);
	}
}
