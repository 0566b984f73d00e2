#include "tests/support/fixture.h"

#include "backends/cpu/cpu_ticks.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

#define LINE0 "cpu0 100 0 50 1000 10 1 2 0 0 0\n"
#define LINE1 "cpu1 200 0 60 1000 10 1 2 0 0 0\n"
#define LINE2 "cpu2 300 0 70 1000 10 1 2 0 0 0\n"
#define BEFORE "cpu  600 0 180 3000 30 3 6 0 0 0\n" LINE0 LINE1 LINE2 "intr 1 2 3\n"

/* Three CPUs that were read once. */
struct cpu_ticks_bench {
	struct fixture f;
	struct cpus cpus;
	struct cpu_ticks t;
};

static void bench_init(struct cpu_ticks_bench *b)
{
	fixture_init(&b->f, NULL);
	memset(&b->t, 0, sizeof(b->t));
	fixture_write(&b->f, "sys/devices/system/cpu/present", "0-2\n");
	fixture_write(&b->f, "proc/stat", BEFORE);
	cpus_find(&b->cpus, &b->f.sys);
	cpu_ticks_init(&b->t, &b->cpus);
	cpu_ticks_read(&b->t, &b->f.sys);
}

static void bench_fini(struct cpu_ticks_bench *b)
{
	cpu_ticks_fini(&b->t, &b->f.sys);
	cpus_fini(&b->cpus);
	fixture_fini(&b->f);
}

static void run_again(struct cpu_ticks_bench *b, const char *stat)
{
	fixture_write(&b->f, "proc/stat", stat);
	cpu_ticks_read(&b->t, &b->f.sys);
}

TEST(the_first_read_has_no_deltas)
{
	struct cpu_ticks_bench b;

	bench_init(&b);
	for (unsigned i = 0; i < 3; i++) {
		assert_true(b.t.each[i].listed);
		assert_false(b.t.each[i].counted);
	}
	assert_false(b.t.all.counted);
	bench_fini(&b);
}

TEST(what_may_step_back_counts_as_nothing_and_the_rest_of_the_line_stays)
{
	struct cpu_ticks_bench b;

	bench_init(&b);
	run_again(&b, LINE0 "cpu1 205 0 61 990 4 1 2 0 0 0\n" LINE2);
	assert_true(b.t.each[1].counted);
	assert_int_equal(b.t.each[1].delta[TICK_USER], 5);
	assert_int_equal(b.t.each[1].delta[TICK_SYSTEM], 1);
	assert_int_equal(b.t.each[1].delta[TICK_IDLE], 0);
	assert_int_equal(b.t.each[1].delta[TICK_IOWAIT], 0);
	/* From where it stepped back to, it counts on. */
	run_again(&b, LINE0 "cpu1 205 0 61 1000 4 1 2 0 0 0\n" LINE2);
	assert_int_equal(b.t.each[1].delta[TICK_IDLE], 10);
	bench_fini(&b);
}

TEST(a_line_that_does_not_make_sense_costs_its_cpu_the_interval_and_nobody_else)
{
	static const char *const lines[] = {
		"cpu1 5 0 1 10 0 0 0 0 0 0\n", /* began from zero */
		"cpu1 200 0 60 1000\n",        /* fields missing */
		"cpu1 200 0 60 1000 10 1 2\n", /* steal missing */
		"cpu1\n",
		"cpu1 x 0 60 1000 10 1 2 0 0 0\n",
		"cpu1 -1 0 60 1000 10 1 2 0 0 0\n",
		"cpu1 99999999999999999999999 0 60 1000 10 1 2 0 0 0\n", /* over 64 bits */
		"cpu1 200 0 60 18446744073709551615 10 1 2 0 0 0\n",     /* more than passed */
		"",                                                      /* offline */
		"cpuX 201 0 60 1000 10 1 2 0 0 0\n",
		"cpu1x 201 0 60 1000 10 1 2 0 0 0\n",
		"cpu99999999999999999999 201 0 60 1000 10 1 2 0 0 0\n",
	};

	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct cpu_ticks_bench b;
		char text[512];

		bench_init(&b);
		snprintf(text, sizeof(text), "cpu0 107 0 50 1000 10 1 2 0 0 0\n%s" LINE2, lines[i]);
		run_again(&b, text);
		assert_false(b.t.each[1].counted);
		assert_true(b.t.each[0].counted);
		assert_int_equal(b.t.each[0].delta[TICK_USER], 7);
		assert_true(b.t.each[2].counted);
		bench_fini(&b);
	}
}

TEST(coming_down_from_garbage_does_not_look_like_a_busy_cpu)
{
	struct cpu_ticks_bench b;

	bench_init(&b);
	run_again(&b, LINE0 "cpu1 200 0 60 18446744073709551615 10 1 2 0 0 0\n" LINE2);
	run_again(&b, LINE0 "cpu1 201 0 60 1040 10 1 2 0 0 0\n" LINE2);
	assert_false(b.t.each[1].counted);
	run_again(&b, LINE0 "cpu1 202 0 60 1090 10 1 2 0 0 0\n" LINE2);
	assert_true(b.t.each[1].counted);
	assert_int_equal(b.t.each[1].delta[TICK_IDLE], 50);
	bench_fini(&b);
}

TEST(a_text_that_was_cut_does_not_give_half_a_number)
{
	struct cpu_ticks_bench b;

	bench_init(&b);
	run_again(&b, LINE0 "cpu1 201 0 60 1000 10 1 2 0 0 0\n"
			    "cpu2 301 0 70 1000 10 1 2 0 0 0"); /* no end of line */
	assert_true(b.t.each[1].counted);
	assert_false(b.t.each[2].counted);
	assert_true(cpu_ticks_offline(&b.t, 2));
	run_again(&b, "");
	assert_false(b.t.each[0].counted);
	assert_false(cpu_ticks_offline(&b.t, 0)); /* nothing is known */
	bench_fini(&b);
}

TEST(a_cpu_that_comes_back_counts_from_its_second_line_on)
{
	struct cpu_ticks_bench b;

	bench_init(&b);
	run_again(&b, LINE0 LINE2);
	assert_true(cpu_ticks_offline(&b.t, 1));
	assert_false(b.t.each[1].counted);
	run_again(&b, BEFORE);
	assert_false(cpu_ticks_offline(&b.t, 1));
	assert_false(b.t.each[1].counted);
	run_again(&b, LINE0 "cpu1 209 0 60 1000 10 1 2 0 0 0\n" LINE2);
	assert_int_equal(b.t.each[1].delta[TICK_USER], 9);
	bench_fini(&b);
}

TEST(lines_in_another_order_and_of_strange_cpus_are_told_apart)
{
	struct cpu_ticks_bench b;

	bench_init(&b);
	run_again(&b, "cpu7 1 1 1 1 1 1 1 1\n" LINE2 "cpu0 101 0 50 1000 10 1 2 0 0 0\n" LINE1);
	assert_int_equal(b.t.lines, 4);
	assert_int_equal(b.t.strange, 1);
	assert_int_equal(b.t.each[0].delta[TICK_USER], 1);
	assert_int_equal(b.t.each[2].delta[TICK_USER], 0);
	bench_fini(&b);
}

TEST(forgetting_costs_one_interval)
{
	struct cpu_ticks_bench b;

	bench_init(&b);
	cpu_ticks_forget(&b.t);
	run_again(&b, BEFORE);
	assert_false(b.t.each[0].counted);
	run_again(&b, BEFORE);
	assert_true(b.t.each[0].counted);
	bench_fini(&b);
}
