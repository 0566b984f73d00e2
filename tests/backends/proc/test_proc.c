#include "tests/support/fixture.h"

#include "backends/backends.h"
#include "backends/proc/proc.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ll

/* A source over a fixture, opened and perhaps started. */
struct proc_bench {
	struct fixture f;
	struct source source;
	struct sample *sample;
};

static void bench_open(struct proc_bench *b, const char *board)
{
	struct err err = {0};

	fixture_init(&b->f, board);
	b->source = (struct source){.backend = &backend_proc, .sys = &b->f.sys};
	b->source.priv = xcalloc(1, backend_proc.priv_size);
	assert_true(backend_proc.open(&b->source, "", &err));
	b->sample = xcalloc(1, sizeof(*b->sample) + b->source.n_slots * sizeof(b->sample->value[0]));
	b->sample->n_values = b->source.n_slots;
}

static void bench_start(struct proc_bench *b, const char *board, int64_t period_ns)
{
	struct err err = {0};

	bench_open(b, board);
	assert_true(backend_proc.start(&b->source, period_ns, b->f.monotonic_ns, &err));
}

static void bench_close(struct proc_bench *b)
{
	backend_proc.stop(&b->source);
	backend_proc.close(&b->source);
	free(b->source.priv);
	free(b->source.slots);
	free(b->sample);
	fixture_fini(&b->f);
}

/* Let time pass and read. */
static enum read_result step_period(struct proc_bench *b, int64_t ns)
{
	b->f.monotonic_ns += ns;
	return backend_proc.read(&b->source, b->f.monotonic_ns, b->sample);
}

static uint64_t value(const struct proc_bench *b, const char *name, enum instance_kind instance,
		      unsigned number)
{
	for (unsigned i = 0; i < b->source.n_slots; i++) {
		const struct slot *slot = &b->source.slots[i];

		if (strcmp(slot->name, name) == 0 && slot->instance == instance && slot->number == number)
			return b->sample->value[i];
	}
	fail_msg("no slot %s of kind %d and number %u", name, (int)instance, number);
	return 0;
}

static uint64_t all(const struct proc_bench *b, const char *name)
{
	return value(b, name, INSTANCE_ALL, 0);
}

static uint64_t of_cpu(const struct proc_bench *b, const char *name, unsigned cpu)
{
	return value(b, name, INSTANCE_CPU, cpu);
}

static uint64_t of_cluster(const struct proc_bench *b, const char *name, unsigned cluster)
{
	return value(b, name, INSTANCE_CLUSTER, cluster);
}

TEST(every_name_has_one_slot_for_the_machine_and_cpus_come_last)
{
	struct proc_bench b;

	bench_open(&b, "rk3588");
	assert_int_equal(b.source.backend->kind, SOURCE_CPU);
	assert_int_equal(b.source.n_slots, 12 + 11 + 3 * 12 + 1 + 8 + 8 * 12);
	assert_int_equal(b.source.n_sums, 12 + 11 + 3 * 12 + 1 + 8); /* the last 8: of each CPU */
	for (unsigned i = 0; i < b.source.n_slots; i++) {
		unsigned found = 0;

		for (unsigned k = 0; k < b.source.n_slots; k++)
			found += b.source.slots[k].instance == INSTANCE_ALL &&
				 strcmp(b.source.slots[i].name, b.source.slots[k].name) == 0;
		assert_int_equal(found, 1);
		assert_int_equal(b.source.slots[i].instance == INSTANCE_CPU, i >= b.source.n_sums - 8);
	}
	bench_close(&b);
}

TEST(ticks_are_the_exact_deltas_of_cpus_clusters_and_the_machine)
{
	/* What tests/fixtures/rk3588/next adds: half a second. */
	static const struct {
		const char *name;
		uint64_t cpu[8], cluster[3], all;
	} cases[] = {
		{"CPUTicksUser", {10, 5, 0, 2, 50, 25, 0, 0}, {17, 75, 0}, 92},
		{"CPUTicksNice", {0}, {0}, 0},
		{"CPUTicksSystem", {5, 5, 0, 1, 0, 10, 1, 0}, {11, 10, 1}, 22},
		{"CPUTicksIdle", {30, 40, 50, 47, 0, 10, 49, 50}, {167, 10, 99}, 276},
		{"CPUTicksIOWait", {2, 0, 0, 0, 0, 0, 0, 0}, {2, 0, 0}, 2},
		{"CPUTicksIRQ", {1, 0, 0, 0, 0, 1, 0, 0}, {1, 1, 0}, 2},
		{"CPUTicksSoftIRQ", {2, 0, 0, 0, 0, 4, 0, 0}, {2, 4, 0}, 6},
		{"CPUTicksSteal", {0}, {0}, 0},
		{"CPUOnline", {1, 1, 1, 1, 1, 1, 1, 1}, {4, 2, 2}, 8},
	};
	struct proc_bench b;

	bench_start(&b, "rk3588", 500 * MS);
	fixture_next(&b.f, "rk3588");
	assert_int_equal(step_period(&b, 500 * MS), READ_GOT);
	assert_int_equal(b.sample->flags, 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (unsigned c = 0; c < 8; c++)
			assert_int_equal(of_cpu(&b, cases[i].name, c), cases[i].cpu[c]);
		for (unsigned c = 0; c < 3; c++)
			assert_int_equal(of_cluster(&b, cases[i].name, c), cases[i].cluster[c]);
		assert_int_equal(all(&b, cases[i].name), cases[i].all);
	}
	bench_close(&b);
}

TEST(each_cpu_has_its_busy_time_and_the_machine_that_of_the_busiest)
{
	static const uint64_t busy_ms[] = {180, 100, 0, 30, 500, 400, 10, 0};
	struct proc_bench b;

	bench_start(&b, "rk3588", 500 * MS);
	fixture_next(&b.f, "rk3588");
	step_period(&b, 500 * MS);
	for (unsigned c = 0; c < ARRAY_LEN(busy_ms); c++)
		assert_in_range(of_cpu(&b, "CPURunTime", c) + 1, busy_ms[c] * MS, busy_ms[c] * MS + 2);
	assert_int_equal(all(&b, "CPURunTime"), 500 * MS);
	bench_close(&b);
}

TEST(a_machine_with_many_cpus_keeps_that_on_request_only)
{
	char stat[4096] = "cpu 1 0 0 9\n";
	struct proc_bench b = {0};
	struct err err;

	fixture_init(&b.f, NULL);
	fixture_write(&b.f, "sys/devices/system/cpu/present", "0-16\n");
	for (unsigned c = 0; c < PROC_BUSY_CPUS + 1; c++)
		snprintf(stat + strlen(stat), sizeof(stat) - strlen(stat), "cpu%u 1 0 0 9\n", c);
	fixture_write(&b.f, "proc/stat", stat);
	b.source = (struct source){.backend = &backend_proc, .sys = &b.f.sys};
	b.source.priv = xcalloc(1, backend_proc.priv_size);
	assert_true(backend_proc.open(&b.source, "", &err));
	for (unsigned i = 0; i < b.source.n_slots; i++)
		assert_int_equal(b.source.slots[i].instance == INSTANCE_CPU, i >= b.source.n_sums);
	bench_close(&b);
}

TEST(a_real_capture_of_two_moments_adds_up)
{
	struct proc_bench b;

	bench_start(&b, "x86-vm", 500 * MS);
	fixture_next(&b.f, "x86-vm");
	step_period(&b, 500 * MS);
	assert_int_equal(of_cpu(&b, "CPUTicksUser", 0), 2608 - 2468);
	assert_int_equal(of_cpu(&b, "CPUTicksUser", 1), 5868 - 5477);
	assert_int_equal(all(&b, "CPUTicksUser"), 2608 - 2468 + 5868 - 5477);
	assert_int_equal(of_cluster(&b, "CPUTicksIdle", 0), 197632 - 192759 + 189660 - 185094);
	assert_true(all(&b, "CPUClock") == SAMPLE_UNKNOWN);
	assert_true(all(&b, "TemperatureMax") == SAMPLE_UNKNOWN);
	bench_close(&b);
}

TEST(the_period_is_never_under_half_a_second)
{
	static const struct {
		int64_t asked_ms, got_ms;
	} cases[] = {{1, 500}, {100, 500}, {499, 500}, {500, 500}, {501, 501}, {1000, 1000}, {10000, 10000}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct proc_bench b;

		bench_start(&b, "bare", cases[i].asked_ms * MS);
		assert_int_equal(b.source.period_ns, cases[i].got_ms * MS);
		assert_int_equal(source_fd(&b.source), -1);
		bench_close(&b);
	}
}

TEST(a_read_gives_one_sample_per_deadline_and_deadlines_do_not_drift)
{
	/* now in ms after the start -> what comes */
	static const struct {
		int64_t at, begin; /* begin < 0: nothing is due */
		uint32_t flags;
	} cases[] = {{499, -1, 0},  {503, 0, 0},     {503, -1, 0},
		     {999, -1, 0},  {1000, 503, 0},  {1750, 1000, 0},
		     {1999, -1, 0}, {2000, 1750, 0}, {3600, 2000, SAMPLE_STRETCHED},
		     {3999, -1, 0}, {4000, 3600, 0}};
	struct proc_bench b;
	int64_t start;

	bench_start(&b, "rk3588", 100 * MS);
	start = b.f.monotonic_ns;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		enum read_result got = step_period(&b, start + cases[i].at * MS - b.f.monotonic_ns);

		assert_int_equal(got, cases[i].begin < 0 ? READ_NONE : READ_GOT);
		if (got == READ_NONE)
			continue;
		assert_int_equal(b.sample->begin_ns, start + cases[i].begin * MS);
		assert_int_equal(b.sample->end_ns, b.f.monotonic_ns);
		assert_int_equal(b.sample->flags, cases[i].flags);
	}
	bench_close(&b);
}

TEST(a_cut_ends_the_interval_that_runs_and_the_grid_stays)
{
	struct proc_bench b;
	int64_t start;

	bench_start(&b, "rk3588", 500 * MS);
	start = b.f.monotonic_ns;
	b.source.cut = true;
	assert_int_equal(step_period(&b, 120 * MS), READ_GOT);
	assert_int_equal(b.sample->begin_ns, start);
	assert_int_equal(b.sample->end_ns, start + 120 * MS);
	assert_int_equal(step_period(&b, 0), READ_NONE); /* there is no more */
	b.source.cut = false;
	assert_int_equal(step_period(&b, 379 * MS), READ_NONE);
	assert_int_equal(step_period(&b, 1 * MS), READ_GOT);
	assert_int_equal(b.sample->begin_ns, start + 120 * MS);
	assert_int_equal(b.sample->end_ns, start + 500 * MS);
	assert_int_equal(b.sample->flags, 0);
	bench_close(&b);
}

TEST(a_suspend_is_a_gap_without_deltas_and_the_next_sample_is_whole)
{
	struct proc_bench b;

	bench_start(&b, "rk3588", 500 * MS);
	b.f.suspended_ns += 3600000 * MS;
	fixture_next(&b.f, "rk3588");
	assert_int_equal(step_period(&b, 500 * MS), READ_GOT);
	assert_int_equal(b.sample->flags, SAMPLE_GAP);
	assert_true(all(&b, "CPUTicksUser") == SAMPLE_UNKNOWN);
	assert_true(of_cluster(&b, "CPUTicksIdle", 1) == SAMPLE_UNKNOWN);
	assert_int_equal(all(&b, "CPUOnline"), 8);
	/* What changed meanwhile is known at once. */
	assert_int_equal(of_cluster(&b, "CPUClock", 0), 1800000);
	assert_int_equal(step_period(&b, 500 * MS), READ_GOT);
	assert_int_equal(b.sample->flags, 0);
	assert_int_equal(all(&b, "CPUTicksUser"), 0);
	bench_close(&b);
}

TEST(levels_are_read_once_a_second_and_kept_between)
{
	struct proc_bench b;

	bench_start(&b, "rk3588", 500 * MS);
	fixture_next(&b.f, "rk3588");
	step_period(&b, 503 * MS);
	assert_int_equal(of_cluster(&b, "CPUClock", 0), 1008000);
	assert_int_equal(all(&b, "GPUDevfreqClock"), 300000000);
	assert_int_equal(all(&b, "LoadAverage1"), 142);
	assert_int_equal(all(&b, "MemoryTotal"), 8132936);
	assert_int_equal(all(&b, "MemoryAvailable"), 5930412);
	assert_int_equal(all(&b, "TemperatureMax"), 57307);
	step_period(&b, 498 * MS); /* the first read was late, the second is not: still due */
	assert_int_equal(of_cluster(&b, "CPUClock", 0), 1800000);
	assert_int_equal(of_cpu(&b, "CPUClock", 3), 1800000);
	assert_int_equal(of_cluster(&b, "CPUClock", 1), 2208000);
	assert_int_equal(of_cluster(&b, "CPUClock", 2), 408000);
	assert_int_equal(all(&b, "CPUClock"), 2208000);
	assert_int_equal(all(&b, "CPUClockTop"), 2400000);
	assert_int_equal(all(&b, "CPUClockLimit"), 2352000);
	assert_int_equal(of_cluster(&b, "CPUClockLimit", 1), 2208000);
	assert_int_equal(all(&b, "CPUBrakes"), 1);
	assert_int_equal(of_cluster(&b, "CPUClockTop", 2), 2352000);
	assert_int_equal(all(&b, "GPUDevfreqClock"), 700000000);
	assert_int_equal(all(&b, "LoadAverage1"), 155);
	assert_int_equal(all(&b, "LoadAverage5"), 101);
	assert_int_equal(all(&b, "LoadAverage15"), 53);
	assert_int_equal(all(&b, "MemoryAvailable"), 5801220);
	assert_int_equal(all(&b, "TemperatureMax"), 58230);
	bench_close(&b);
}

TEST(a_level_that_cannot_be_read_any_more_is_unknown_and_comes_back)
{
	static const struct {
		const char *file, *slot;
		int error;
	} cases[] = {
		{"scaling_cur_freq", "CPUClock", EBUSY}, {"scaling_cur_freq", "CPUClock", ENODEV},
		{"/temp", "TemperatureMax", EAGAIN},     {"/temp", "TemperatureMax", ENODATA},
		{"meminfo", "MemoryAvailable", EIO},     {"loadavg", "LoadAverage15", EACCES},
		{"cur_freq", "GPUDevfreqClock", EINVAL}, {"proc/stat", "CPUTicksUser", EIO},
		{"proc/stat", "CPUOnline", EIO},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct proc_bench b;

		bench_start(&b, "rk3588", 1000 * MS);
		step_period(&b, 1000 * MS);
		assert_false(all(&b, cases[i].slot) == SAMPLE_UNKNOWN);
		b.f.broken = cases[i].file;
		b.f.broken_errno = cases[i].error;
		assert_int_equal(step_period(&b, 1000 * MS), READ_GOT);
		assert_true(all(&b, cases[i].slot) == SAMPLE_UNKNOWN);
		b.f.broken = NULL;
		step_period(&b, 1000 * MS);
		step_period(&b, 1000 * MS);
		assert_false(all(&b, cases[i].slot) == SAMPLE_UNKNOWN);
		bench_close(&b);
	}
}

TEST(one_zone_that_does_not_answer_does_not_hide_the_others)
{
	struct proc_bench b;

	bench_start(&b, "rk3588", 1000 * MS);
	b.f.broken = "thermal_zone1/temp";
	b.f.broken_errno = EAGAIN;
	step_period(&b, 1000 * MS);
	assert_int_equal(all(&b, "TemperatureMax"), 53615);
	bench_close(&b);
}

TEST(the_clock_of_a_gpu_that_sleeps_is_unknown)
{
	struct proc_bench b;

	bench_start(&b, "rk3588", 1000 * MS);
	fixture_write(&b.f, "sys/class/devfreq/fb000000.gpu/device/power/runtime_status", "suspended\n");
	step_period(&b, 1000 * MS);
	assert_true(all(&b, "GPUDevfreqClock") == SAMPLE_UNKNOWN);
	bench_close(&b);
}

TEST(a_cpu_that_goes_offline_takes_its_part_along_and_nothing_else)
{
	/* rk3399 with cpu5 gone. */
	static const char stat[] = "cpu  0 0 0 0 0 0 0 0 0 0\n"
				   "cpu0 80004 12 22001 1900045 3000 400 900 0 0 0\n"
				   "cpu1 80735 13 22208 1895934 3001 401 903 0 0 0\n"
				   "cpu2 81466 14 22415 1891823 3002 402 906 0 0 0\n"
				   "cpu3 82197 15 22622 1887712 3003 403 909 0 0 0\n"
				   "cpu4 82964 16 22833 1883561 3004 404 912 0 0 0\n";
	struct proc_bench b;

	bench_start(&b, "rk3399", 1000 * MS);
	fixture_write(&b.f, "proc/stat", stat);
	step_period(&b, 1000 * MS);
	assert_int_equal(b.sample->flags, 0);
	assert_int_equal(all(&b, "CPUOnline"), 5);
	assert_int_equal(of_cluster(&b, "CPUOnline", 1), 1);
	assert_int_equal(of_cpu(&b, "CPUOnline", 5), 0);
	assert_true(of_cpu(&b, "CPUTicksUser", 5) == SAMPLE_UNKNOWN);
	assert_true(of_cpu(&b, "CPUClock", 5) == SAMPLE_UNKNOWN);
	assert_int_equal(of_cpu(&b, "CPUClock", 4), 1800000);
	assert_int_equal(of_cluster(&b, "CPUTicksUser", 1), 40);
	assert_int_equal(of_cluster(&b, "CPUTicksIdle", 1), 5);
	assert_int_equal(all(&b, "CPUTicksUser"), 16 + 40);
	bench_close(&b);
}

TEST(a_cpu_that_was_offline_from_the_start_joins_its_cluster)
{
	struct proc_bench b;

	bench_start(&b, "rk3399-offline", 500 * MS);
	step_period(&b, 500 * MS);
	assert_int_equal(of_cluster(&b, "CPUOnline", 1), 1);
	fixture_next(&b.f, "rk3399-offline");
	step_period(&b, 500 * MS);
	assert_int_equal(of_cluster(&b, "CPUOnline", 1), 2);
	assert_true(of_cpu(&b, "CPUTicksUser", 5) == SAMPLE_UNKNOWN);
	assert_int_equal(of_cpu(&b, "CPUClock", 5), 1200000);
	step_period(&b, 500 * MS);
	assert_int_equal(of_cpu(&b, "CPUTicksUser", 5), 0);
	bench_close(&b);
}

TEST(a_machine_with_nothing_but_the_total_line_has_its_load)
{
	struct proc_bench b;

	bench_start(&b, "bare", 500 * MS);
	assert_string_equal(b.source.title, "CPU");
	fixture_next(&b.f, "bare");
	step_period(&b, 500 * MS);
	assert_int_equal(all(&b, "CPUTicksUser"), 20);
	assert_int_equal(all(&b, "CPUTicksIdle"), 74);
	assert_int_equal(of_cluster(&b, "CPUTicksSystem", 0), 5);
	assert_true(all(&b, "CPUOnline") == SAMPLE_UNKNOWN);
	assert_true(all(&b, "MemoryTotal") == SAMPLE_UNKNOWN);
	assert_true(all(&b, "LoadAverage1") == SAMPLE_UNKNOWN);
	bench_close(&b);
}

TEST(nothing_readable_at_all_is_an_error_and_is_not_found)
{
	struct source_found *found = NULL;
	struct source source = {.backend = &backend_proc};
	struct fixture f;
	struct err err = {0};

	fixture_init(&f, NULL);
	assert_true(backend_proc.probe(&f.sys, &found, &err));
	assert_null(found);
	source.sys = &f.sys;
	source.priv = xcalloc(1, backend_proc.priv_size);
	assert_false(backend_proc.open(&source, "", &err));
	assert_non_null(strstr(err.text, "/proc/stat"));
	backend_proc.close(&source);
	free(source.priv);
	free(source.slots);
	fixture_fini(&f);
}

TEST(a_machine_is_found_once_behind_what_others_found)
{
	struct source_found other = {0}, *found = &other;
	struct fixture f;

	fixture_init(&f, "bare");
	assert_true(backend_proc.probe(&f.sys, &found, NULL));
	assert_ptr_equal(found, &other);
	assert_non_null(other.next);
	assert_ptr_equal(other.next->backend, &backend_proc);
	assert_null(other.next->next);
	free(other.next);
	fixture_fini(&f);
}

TEST(clocks_and_heat_are_known_where_proc_cannot_be_read)
{
	struct proc_bench b;

	bench_start(&b, "rk3588", 1000 * MS);
	b.f.broken = "proc/";
	b.f.broken_errno = EACCES;
	step_period(&b, 1000 * MS);
	assert_true(all(&b, "CPUTicksIdle") == SAMPLE_UNKNOWN);
	assert_true(all(&b, "CPUOnline") == SAMPLE_UNKNOWN);
	assert_int_equal(of_cpu(&b, "CPUClock", 7), 408000);
	assert_int_equal(all(&b, "TemperatureMax"), 57307);
	bench_close(&b);
}

TEST(reading_opens_no_files)
{
	struct proc_bench b;
	unsigned opens;

	bench_start(&b, "rk3588", 500 * MS);
	opens = b.f.opens;
	for (int i = 0; i < 10; i++)
		assert_int_equal(step_period(&b, 500 * MS), READ_GOT);
	assert_int_equal(b.f.opens, opens);
	bench_close(&b);
}

TEST(start_after_stop_begins_anew)
{
	struct proc_bench b;

	bench_start(&b, "rk3588", 500 * MS);
	step_period(&b, 500 * MS);
	backend_proc.stop(&b.source);
	b.f.monotonic_ns += 60000 * MS;
	fixture_next(&b.f, "rk3588");
	assert_true(backend_proc.start(&b.source, 500 * MS, b.f.monotonic_ns, NULL));
	assert_int_equal(step_period(&b, 499 * MS), READ_NONE);
	assert_int_equal(step_period(&b, 1 * MS), READ_GOT);
	assert_int_equal(b.sample->end_ns - b.sample->begin_ns, 500 * MS);
	assert_int_equal(all(&b, "CPUTicksUser"), 0);
	bench_close(&b);
}
