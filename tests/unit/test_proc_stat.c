#include "tests/unit/fixture.h"

#include "backends/proc.h"
#include "base/alloc.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#define LINE0 "cpu0 100 0 50 1000 10 1 2 0 0 0\n"
#define LINE1 "cpu1 200 0 60 1000 10 1 2 0 0 0\n"
#define LINE2 "cpu2 300 0 70 1000 10 1 2 0 0 0\n"
#define BEFORE "cpu  600 0 180 3000 30 3 6 0 0 0\n" LINE0 LINE1 LINE2 "intr 1 2 3\n"

/* Three CPUs that were read once. */
struct bench {
	struct fixture f;
	struct proc p;
};

static void bench_init(struct bench *b)
{
	fixture_init(&b->f, NULL);
	memset(&b->p, 0, sizeof(b->p));
	fixture_write(&b->f, "sys/devices/system/cpu/present", "0-2\n");
	fixture_write(&b->f, "proc/stat", BEFORE);
	cpus_find(&b->p.topology, &b->f.sys);
	proc_stat_open(&b->p, &b->f.sys);
	proc_stat_read(&b->p, &b->f.sys);
}

static void bench_fini(struct bench *b)
{
	proc_stat_close(&b->p, &b->f.sys);
	cpus_fini(&b->p.topology);
	fixture_fini(&b->f);
}

static void again(struct bench *b, const char *stat)
{
	fixture_write(&b->f, "proc/stat", stat);
	proc_stat_read(&b->p, &b->f.sys);
}

static void the_first_read_has_no_deltas(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	for (unsigned i = 0; i < 3; i++) {
		assert_true(b.p.each[i].listed);
		assert_false(b.p.each[i].counted);
	}
	assert_false(b.p.all.counted);
	bench_fini(&b);
}

static void what_may_step_back_counts_as_nothing_and_the_rest_of_the_line_stays(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	again(&b, LINE0 "cpu1 205 0 61 990 4 1 2 0 0 0\n" LINE2);
	assert_true(b.p.each[1].counted);
	assert_int_equal(b.p.each[1].delta[TICK_USER], 5);
	assert_int_equal(b.p.each[1].delta[TICK_SYSTEM], 1);
	assert_int_equal(b.p.each[1].delta[TICK_IDLE], 0);
	assert_int_equal(b.p.each[1].delta[TICK_IOWAIT], 0);
	/* From where it stepped back to, it counts on. */
	again(&b, LINE0 "cpu1 205 0 61 1000 4 1 2 0 0 0\n" LINE2);
	assert_int_equal(b.p.each[1].delta[TICK_IDLE], 10);
	bench_fini(&b);
}

static void a_line_that_does_not_make_sense_costs_its_cpu_the_interval_and_nobody_else(void **state)
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

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct bench b;
		char text[512];

		bench_init(&b);
		snprintf(text, sizeof(text), "cpu0 107 0 50 1000 10 1 2 0 0 0\n%s" LINE2, lines[i]);
		again(&b, text);
		assert_false(b.p.each[1].counted);
		assert_true(b.p.each[0].counted);
		assert_int_equal(b.p.each[0].delta[TICK_USER], 7);
		assert_true(b.p.each[2].counted);
		bench_fini(&b);
	}
}

static void coming_down_from_garbage_does_not_look_like_a_busy_cpu(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	again(&b, LINE0 "cpu1 200 0 60 18446744073709551615 10 1 2 0 0 0\n" LINE2);
	again(&b, LINE0 "cpu1 201 0 60 1040 10 1 2 0 0 0\n" LINE2);
	assert_false(b.p.each[1].counted);
	again(&b, LINE0 "cpu1 202 0 60 1090 10 1 2 0 0 0\n" LINE2);
	assert_true(b.p.each[1].counted);
	assert_int_equal(b.p.each[1].delta[TICK_IDLE], 50);
	bench_fini(&b);
}

static void a_text_that_was_cut_does_not_give_half_a_number(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	again(&b, LINE0 "cpu1 201 0 60 1000 10 1 2 0 0 0\n"
			"cpu2 301 0 70 1000 10 1 2 0 0 0"); /* no end of line */
	assert_true(b.p.each[1].counted);
	assert_false(b.p.each[2].counted);
	assert_true(proc_stat_offline(&b.p, 2));
	again(&b, "");
	assert_false(b.p.each[0].counted);
	assert_false(proc_stat_offline(&b.p, 0)); /* nothing is known */
	bench_fini(&b);
}

static void a_cpu_that_comes_back_counts_from_its_second_line_on(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	again(&b, LINE0 LINE2);
	assert_true(proc_stat_offline(&b.p, 1));
	assert_false(b.p.each[1].counted);
	again(&b, BEFORE);
	assert_false(proc_stat_offline(&b.p, 1));
	assert_false(b.p.each[1].counted);
	again(&b, LINE0 "cpu1 209 0 60 1000 10 1 2 0 0 0\n" LINE2);
	assert_int_equal(b.p.each[1].delta[TICK_USER], 9);
	bench_fini(&b);
}

static void lines_in_another_order_and_of_strange_cpus_are_told_apart(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	again(&b, "cpu7 1 1 1 1 1 1 1 1\n" LINE2 "cpu0 101 0 50 1000 10 1 2 0 0 0\n" LINE1);
	assert_int_equal(b.p.lines, 4);
	assert_int_equal(b.p.strange, 1);
	assert_int_equal(b.p.each[0].delta[TICK_USER], 1);
	assert_int_equal(b.p.each[2].delta[TICK_USER], 0);
	bench_fini(&b);
}

static void forgetting_costs_one_interval(void **state)
{
	struct bench b;

	(void)state;
	bench_init(&b);
	proc_stat_forget(&b.p);
	again(&b, BEFORE);
	assert_false(b.p.each[0].counted);
	again(&b, BEFORE);
	assert_true(b.p.each[0].counted);
	bench_fini(&b);
}

static void load_averages_are_read_or_unknown_each(void **state)
{
	static const struct {
		const char *text;
		uint64_t load[3];
	} cases[] = {
		{"0.42 1.10 12.99 2/412 1000\n", {42, 110, 1299}},
		{"0.00 0.00 0.00\n", {0, 0, 0}},
		{"0.42 x 1.00\n", {42, SAMPLE_UNKNOWN, 100}},
		{"0.42", {42, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN}},
		{"-1 1e99 nan", {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN}},
		{"", {SAMPLE_UNKNOWN, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t load[3];

		proc_level_parse_load(load, cases[i].text);
		assert_memory_equal(load, cases[i].load, sizeof(load));
	}
}

static void memory_is_read_or_unknown(void **state)
{
	static const struct {
		const char *text;
		uint64_t total, available;
	} cases[] = {
		{"MemTotal:  1000 kB\nMemFree: 5 kB\nMemAvailable:   400 kB\n", 1000, 400},
		{"MemTotal:  1000 kB\nMemFree: 5 kB\n", 1000, SAMPLE_UNKNOWN}, /* before Linux 3.14 */
		{"MemTotal:  1000 kB\nMemAvailable:  10", 1000, SAMPLE_UNKNOWN},
		{"MemTotal:  1000 kB\nMemAvailable:  2000 kB\n", 1000, SAMPLE_UNKNOWN},
		{"MemTotal:  99999999999999999999 kB\nMemAvailable:  -2 kB\n", SAMPLE_UNKNOWN, SAMPLE_UNKNOWN},
		{"MemTotal:\nMemAvailable\n", SAMPLE_UNKNOWN, SAMPLE_UNKNOWN},
		{"", SAMPLE_UNKNOWN, SAMPLE_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t total, available;

		proc_level_parse_memory(&total, &available, cases[i].text);
		assert_true(total == cases[i].total);
		assert_true(available == cases[i].available);
	}
}

static void temperatures_may_be_negative_but_not_absurd(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		int64_t value;
	} cases[] = {
		{"57307\n", true, 57307}, {"-12500\n", true, -12500}, {"0\n", true, 0},  {"-273150\n", false, 0},
		{"250001\n", false, 0},   {"\n", false, 0},           {"", false, 0},    {"hot\n", false, 0},
		{"1 2\n", false, 0},      {"--1\n", false, 0},        {"-\n", false, 0}, {"99999999999999999999\n", false, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t value = 0;

		assert_int_equal(sysfs_temperature(&value, cases[i].text), cases[i].ok);
		assert_int_equal(value, cases[i].value);
	}
}

static void zones_that_hold_no_temperature_are_left_out(void **state)
{
	static const struct {
		const char *type;
		bool wanted, important;
	} cases[] = {
		{"cpu-thermal", true, true},
		{"soc-thermal", true, true},
		{"G3D", true, true},
		{"BIG", true, true},
		{"battery", true, false},
		{"acpitz", true, false},
		{"x86_pkg_temp", true, true},
		{"soc", false, true},
		{"pm8350b-ibat-lvl0", false, false},
		{"pm8350b-bcl-lvl1", false, false},
		{"vbat", false, false},
		{"", true, false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		bool important;

		assert_int_equal(proc_level_zone_wanted(cases[i].type, &important), cases[i].wanted);
		assert_int_equal(important, cases[i].important);
	}
}

static void cold_is_not_unknown(void **state)
{
	static const struct {
		const char *temp;
		int64_t level;
	} cases[] = {{"-5000\n", -5000}, {"-1\n", -2}, {"-2\n", -2}, {"0\n", 0}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;
		struct proc p = {0};

		fixture_init(&f, NULL);
		fixture_write(&f, "sys/class/thermal/thermal_zone0/type", "cpu\n");
		fixture_write(&f, "sys/class/thermal/thermal_zone0/temp", cases[i].temp);
		cpus_find(&p.topology, &f.sys);
		proc_level_open(&p, &f.sys);
		proc_level_read(&p, &f.sys);
		assert_int_equal((int64_t)p.level[LEVEL_TEMPERATURE], cases[i].level);
		proc_level_close(&p, &f.sys);
		cpus_fini(&p.topology);
		fixture_fini(&f);
	}
}

static void clocks_that_are_no_clocks_are_unknown(void **state)
{
	static const struct {
		const char *text;
		uint64_t khz;
	} cases[] = {{"1800000\n", 1800000}, {"<unknown>\n", SAMPLE_UNKNOWN}, {"0\n", SAMPLE_UNKNOWN},
		     {"\n", SAMPLE_UNKNOWN}, {"-5\n", SAMPLE_UNKNOWN},        {"999999999999\n", SAMPLE_UNKNOWN}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;
		struct proc p = {0};

		fixture_init(&f, "rk3588");
		fixture_write(&f, "sys/devices/system/cpu/cpufreq/policy4/scaling_cur_freq", cases[i].text);
		cpus_find(&p.topology, &f.sys);
		proc_level_open(&p, &f.sys);
		proc_level_read(&p, &f.sys);
		assert_true(p.clocks[1].khz == cases[i].khz);
		assert_true(p.clocks[0].khz == 1008000);
		proc_level_close(&p, &f.sys);
		cpus_fini(&p.topology);
		fixture_fini(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_read_has_no_deltas),
		cmocka_unit_test(what_may_step_back_counts_as_nothing_and_the_rest_of_the_line_stays),
		cmocka_unit_test(a_line_that_does_not_make_sense_costs_its_cpu_the_interval_and_nobody_else),
		cmocka_unit_test(coming_down_from_garbage_does_not_look_like_a_busy_cpu),
		cmocka_unit_test(a_text_that_was_cut_does_not_give_half_a_number),
		cmocka_unit_test(a_cpu_that_comes_back_counts_from_its_second_line_on),
		cmocka_unit_test(lines_in_another_order_and_of_strange_cpus_are_told_apart),
		cmocka_unit_test(forgetting_costs_one_interval),
		cmocka_unit_test(load_averages_are_read_or_unknown_each),
		cmocka_unit_test(memory_is_read_or_unknown),
		cmocka_unit_test(temperatures_may_be_negative_but_not_absurd),
		cmocka_unit_test(zones_that_hold_no_temperature_are_left_out),
		cmocka_unit_test(cold_is_not_unknown),
		cmocka_unit_test(clocks_that_are_no_clocks_are_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
