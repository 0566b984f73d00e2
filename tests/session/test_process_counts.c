/* Instructions per cycle of many processes at once, on fake CPUs: those that are busiest, each with
 * all its threads, and no open file more than that. */
#include "session/process_counts.h"
#include "base/alloc.h"
#include "tests/support/perf_people.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define INSTRUCTIONS 0x08

struct count_bench {
	struct perf_run r;
	struct process_counts *counts;
	struct process processes[4];
	struct process_list list;
};

static struct process process(int32_t pid, unsigned threads, float cpu_percent)
{
	return (struct process){.pid = pid,
				.start = (uint64_t)pid,
				.threads = threads,
				.cpu_percent = cpu_percent,
				.ipc = (float)NAN,
				.misses = (float)NAN};
}

static void begin_counts(struct count_bench *b, const char *machine)
{
	*b = (struct count_bench){0};
	init_run(&b->r, machine, SCOPE_MACHINE, 0);
	run_alone(&b->r);
	b->counts = process_counts_new(&b->r.fake.sys, &b->r.options);
	b->list.processes = b->processes;
}

static void end_counts(struct count_bench *b)
{
	process_counts_free(b->counts);
	perf_run_fini(&b->r); /* fails if a file is left open */
}

/* A second later: a list of 1001 with its two threads, and others. */
static void next_list(struct count_bench *b, float cpu_percent)
{
	fake_sys_run(&b->r.fake, 1000 * MS);
	b->processes[0] = process(1, 1, 0);
	b->processes[1] = process(1000, 1, 0.1f);
	b->processes[2] = process(1001, 2, cpu_percent);
	b->processes[3] = process(1002, 0, cpu_percent);
	b->processes[3].parent = 1001;
	b->processes[3].is_thread = true;
	b->list.n = 4;
	process_counts_fill(b->counts, &b->list, b->r.fake.now_ns);
}

static bool are_near(double a, double b)
{
	return fabs(a - b) <= 0.001 * fabs(b);
}

TEST(a_process_has_the_figures_of_all_its_threads)
{
	static const struct {
		const char *machine;
		uint64_t misses;
	} cases[] = {{"a72x4", 0}, {"rk3588", 0x37}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct count_bench b;
		double cycles = 0, instructions = 0, misses = 0;

		begin_counts(&b, cases[i].machine);
		for (int cpu = 1; cpu <= 2; cpu++) { /* where its threads run */
			cycles += (double)perf_run_law(&b.r, cpu, CYCLES);
			instructions += (double)perf_run_law(&b.r, cpu, INSTRUCTIONS);
			misses += (double)perf_run_law(&b.r, cpu, cases[i].misses);
		}
		next_list(&b, 150);
		assert_true(isnan(b.processes[2].ipc)); /* nothing has been counted yet */
		next_list(&b, 150);
		next_list(&b, 150);
		if (!are_near((double)b.processes[2].ipc, instructions / cycles))
			fail_msg("%s: %f, not %f", cases[i].machine, (double)b.processes[2].ipc,
				 instructions / cycles);
		if (cases[i].misses)
			assert_true(are_near((double)b.processes[2].misses, misses / instructions * 1000));
		assert_true(isnan(b.processes[0].ipc)); /* idle */
		assert_true(isnan(b.processes[3].ipc)); /* a thread */
		end_counts(&b);
	}
}

TEST(a_list_that_is_repeated_has_the_same_figures)
{
	struct count_bench b;
	float ipc;

	begin_counts(&b, "a72x4");
	next_list(&b, 150);
	next_list(&b, 150);
	ipc = b.processes[2].ipc;
	assert_false(isnan(ipc));
	b.processes[2].ipc = (float)NAN;
	process_counts_repeat(b.counts, &b.list);
	assert_true(b.processes[2].ipc == ipc);
	end_counts(&b);
}

TEST(who_is_idle_again_or_gone_is_counted_no_longer)
{
	struct count_bench b;

	begin_counts(&b, "a72x4");
	next_list(&b, 150);
	next_list(&b, 0.1f); /* idle: its last figures, and its files are closed */
	next_list(&b, 0.1f);
	assert_true(isnan(b.processes[2].ipc));
	assert_null(fake_sys_leaks(&b.r.fake));
	next_list(&b, 150);
	perf_run_process_ends(&b.r, 1001);
	next_list(&b, 150); /* the list still has it */
	next_list(&b, 150);
	b.list.n = 2;
	process_counts_fill(b.counts, &b.list, b.r.fake.now_ns);
	process_counts_stop(b.counts);
	assert_null(fake_sys_leaks(&b.r.fake));
	end_counts(&b);
}

/* Another process with the pid of one that is counted is not the same. */
TEST(a_pid_that_is_used_again_begins_anew)
{
	struct count_bench b;

	begin_counts(&b, "a72x4");
	next_list(&b, 150);
	fake_sys_run(&b.r.fake, 1000 * MS);
	b.processes[2] = process(1001, 2, 150);
	b.processes[2].start = 77;
	process_counts_fill(b.counts, &b.list, b.r.fake.now_ns);
	assert_true(isnan(b.processes[2].ipc));
	next_list(&b, 150);
	assert_true(isnan(b.processes[2].ipc));
	end_counts(&b);
}

/* Threads take open files. */
TEST(processes_with_too_many_threads_are_left_out)
{
	struct count_bench b;

	begin_counts(&b, "a72x4");
	for (int i = 0; i < 3; i++) {
		fake_sys_run(&b.r.fake, 1000 * MS);
		b.processes[0] = process(1000, 400, 300);
		b.processes[1] = process(1001, 2, 150);
		b.list.n = 2;
		process_counts_fill(b.counts, &b.list, b.r.fake.now_ns);
	}
	assert_true(isnan(b.processes[0].ipc));
	assert_false(isnan(b.processes[1].ipc));
	end_counts(&b);
}

TEST(a_machine_without_counters_is_asked_once)
{
	struct count_bench b;

	begin_counts(&b, "vm");
	for (int i = 0; i < 4; i++)
		next_list(&b, 150);
	assert_true(isnan(b.processes[2].ipc));
	assert_null(fake_sys_leaks(&b.r.fake));
	end_counts(&b);
}
