#include "tests/support/fixture.h"

#include "backends/proc/proc.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

TEST(load_averages_are_read_or_unknown_each)
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

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t load[3];

		proc_level_parse_load(load, cases[i].text);
		assert_memory_equal(load, cases[i].load, sizeof(load));
	}
}

TEST(pressure_is_read_or_unknown)
{
	static const struct {
		const char *text;
		uint64_t hundredths;
	} cases[] = {
		{"some avg10=12.34 avg60=0.40 avg300=0.11 total=81234\nfull avg10=1.00 avg60=0 total=1\n",
		 1234},
		{"some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n", 0},
		{"some avg10=100.00 avg60=0.00\n", 10000},
		{"some avg10=100.01\n", SAMPLE_UNKNOWN},
		{"some avg10=-1\n", SAMPLE_UNKNOWN},
		{"some avg10=\n", SAMPLE_UNKNOWN},
		{"some avg60=1.00\n", SAMPLE_UNKNOWN},
		{"full avg10=1.00\n", SAMPLE_UNKNOWN},
		{"", SAMPLE_UNKNOWN},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (proc_level_parse_pressure(cases[i].text) != cases[i].hundredths)
			fail_msg("%s", cases[i].text);
}

TEST(memory_is_read_or_unknown)
{
	static const struct {
		const char *text;
		uint64_t total, available;
	} cases[] = {
		{"MemTotal:  1000 kB\nMemFree: 5 kB\nMemAvailable:   400 kB\n", 1000, 400},
		{"MemTotal:  1000 kB\nMemFree: 5 kB\n", 1000, SAMPLE_UNKNOWN}, /* before Linux 3.14 */
		{"MemTotal:  1000 kB\nMemAvailable:  10", 1000, SAMPLE_UNKNOWN},
		{"MemTotal:  1000 kB\nMemAvailable:  2000 kB\n", 1000, SAMPLE_UNKNOWN},
		{"MemTotal:  99999999999999999999 kB\nMemAvailable:  -2 kB\n", SAMPLE_UNKNOWN,
		 SAMPLE_UNKNOWN},
		{"MemTotal:\nMemAvailable\n", SAMPLE_UNKNOWN, SAMPLE_UNKNOWN},
		{"", SAMPLE_UNKNOWN, SAMPLE_UNKNOWN},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t total, available;

		proc_level_parse_memory(&total, &available, cases[i].text);
		assert_true(total == cases[i].total);
		assert_true(available == cases[i].available);
	}
}

TEST(temperatures_may_be_negative_but_not_absurd)
{
	static const struct {
		const char *text;
		bool ok;
		int64_t value;
	} cases[] = {
		{"57307\n", true, 57307}, {"-12500\n", true, -12500}, {"0\n", true, 0},
		{"-273150\n", false, 0},  {"250001\n", false, 0},     {"\n", false, 0},
		{"", false, 0},           {"hot\n", false, 0},        {"1 2\n", false, 0},
		{"--1\n", false, 0},      {"-\n", false, 0},          {"99999999999999999999\n", false, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t value = 0;

		assert_int_equal(sysfs_temperature(&value, cases[i].text), cases[i].ok);
		assert_int_equal(value, cases[i].value);
	}
}

TEST(zones_that_hold_no_temperature_are_left_out)
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

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		bool important;

		assert_int_equal(proc_level_zone_wanted(cases[i].type, &important), cases[i].wanted);
		assert_int_equal(important, cases[i].important);
	}
}

TEST(what_holds_clocks_down_is_counted)
{
	static const struct {
		const char *type, *step, *firmware;
		uint64_t brakes;
	} cases[] = {
		{"cpufreq-cpu4", "1", NULL, 1},
		{"thermal-cpufreq-0", "0", NULL, 0},
		{"devfreq-fb000000.gpu", "3", NULL, 1},
		{"Processor", "1", NULL, 1},
		{"pwm-fan", "2", NULL, SAMPLE_UNKNOWN},
		{"pwm-fan", "2", "0\n", 0},
		{"pwm-fan", "2", "50005\n", 2}, /* low voltage and throttled, now and before */
		{"pwm-fan", "2", "50000\n", 0},
		{"cpufreq-cpu0", "1", "f\n", 5},
		{"cpufreq-cpu0", "x", "nonsense\n", SAMPLE_UNKNOWN},
		{"pwm-fan", "2", "fffffffffffffffff\n", SAMPLE_UNKNOWN},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;
		struct proc p = {0};

		fixture_init(&f, NULL);
		fixture_write(&f, "sys/class/thermal/cooling_device0/type", cases[i].type);
		fixture_write(&f, "sys/class/thermal/cooling_device0/cur_state", cases[i].step);
		if (cases[i].firmware)
			fixture_write(&f, "sys/devices/platform/soc/soc:firmware/get_throttled",
				      cases[i].firmware);
		cpus_find(&p.topology, &f.sys);
		proc_level_open(&p, &f.sys);
		proc_level_read(&p, &f.sys);
		assert_int_equal(p.level[LEVEL_BRAKES], cases[i].brakes);
		proc_level_close(&p, &f.sys);
		cpus_fini(&p.topology);
		fixture_fini(&f);
	}
}

TEST(cold_is_not_unknown)
{
	static const struct {
		const char *temp;
		int64_t level;
	} cases[] = {{"-5000\n", -5000}, {"-1\n", -2}, {"-2\n", -2}, {"0\n", 0}};

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

TEST(clocks_that_are_no_clocks_are_unknown)
{
	static const struct {
		const char *text;
		uint64_t khz;
	} cases[] = {{"1800000\n", 1800000},   {"<unknown>\n", SAMPLE_UNKNOWN},
		     {"0\n", SAMPLE_UNKNOWN},  {"\n", SAMPLE_UNKNOWN},
		     {"-5\n", SAMPLE_UNKNOWN}, {"999999999999\n", SAMPLE_UNKNOWN}};

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
