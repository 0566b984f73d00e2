/* What may happen while the CPUs' counters count: CPUs go and come back, counters are taken away,
 * the machine sleeps, reads come late. */
#include "base/alloc.h"
#include "tests/support/perf_people.h"

#include <linux/perf_event.h>
#include <stdio.h>

/* Events of a Cortex-A72, one of each of its groups and more. */
static const struct {
	const char *slot;
	uint64_t raw;
} laws[] = {
	{"CPUCycles", 0x11},      {"CPUInstructions", 0x08}, {"CPUBranches", 0x12},
	{"CPUL1DAccesses", 0x04}, {"CPUL1DRefills", 0x03},   {"CPUL2Accesses", 0x16},
	{"CPUDTLBRefills", 0x05}, {"CPUL1IAccesses", 0x14},  {"CPUBusAccesses", 0x19},
	{"CPUBusBytes", 0x19},
};
#define N_LAWS ARRAY_LEN(laws)

static uint64_t law(const struct perf_run *r, int cpu, size_t l, unsigned ms)
{
	return perf_run_law(r, cpu, laws[l].raw) * ms * (strcmp(laws[l].slot, "CPUBusBytes") == 0 ? 16 : 1);
}

static uint64_t of_cpu(const struct perf_run *r, int cpu, size_t l)
{
	return perf_run_value(r, laws[l].slot, INSTANCE_CPU, (unsigned)cpu);
}

static unsigned length_ms(const struct perf_run *r)
{
	return (unsigned)((r->sample->end_ns - r->sample->begin_ns) / MS);
}

/* Every value of the newest sample is right or unknown; a total is known where each of `cpus` is.
 * Returns how many totals are. */
static unsigned check_known(const struct perf_run *r, unsigned cpus)
{
	unsigned n = 0, ms = length_ms(r);

	for (size_t l = 0; l < N_LAWS; l++) {
		uint64_t total = perf_run_total(r, laws[l].slot), sum = 0;
		bool all = true;

		for (int cpu = 0; cpu < 4; cpu++) {
			uint64_t value = of_cpu(r, cpu, l);

			if (!(cpus >> cpu & 1)) {
				assert_int_equal(value, SAMPLE_UNKNOWN);
				continue;
			}
			all &= value != SAMPLE_UNKNOWN;
			sum += law(r, cpu, l, ms);
			if (value != SAMPLE_UNKNOWN && value != law(r, cpu, l, ms))
				fail_msg("%s of CPU %d: %llu, not %llu", laws[l].slot, cpu,
					 (unsigned long long)value, (unsigned long long)law(r, cpu, l, ms));
		}
		assert_int_equal(total != SAMPLE_UNKNOWN, all);
		assert_true(!all || total == sum);
		assert_true(perf_run_value(r, laws[l].slot, INSTANCE_CLUSTER, 0) == total);
		n += all;
	}
	return n;
}

static void start_on(struct perf_run *r, const char *machine, int64_t period_ns)
{
	perf_run_init(r, machine);
	perf_run_begin(r, period_ns);
}

/* ---- CPUs ---- */

TEST(a_cpu_that_is_off_at_the_start_counts_when_it_comes)
{
	struct perf_run r;
	unsigned n;

	perf_run_init(&r, "a72x4");
	fake_perf_online(r.perf, 3, false);
	fake_perf_tree(r.perf, r.dir);
	perf_run_begin(&r, 100 * MS);
	for (int i = 0; i < 25; i++) {
		next_sample(&r);
		assert_int_equal(check_known(&r, 0x7), N_LAWS);
	}
	fake_perf_online(r.perf, 3, true);
	for (n = 0; n < 20 && (next_sample(&r), of_cpu(&r, 3, 0) == SAMPLE_UNKNOWN); n++)
		check_known(&r, 0x7);
	assert_true(n <= 11);
	for (int i = 0; i < 30; i++) {
		assert_int_equal(check_known(&r, 0xf), N_LAWS);
		next_sample(&r);
	}
	perf_run_fini(&r);
}

TEST(a_cpu_that_goes_is_counted_until_then_and_again_when_it_is_back)
{
	struct perf_run r;
	unsigned n;

	start_on(&r, "a72x4", 100 * MS);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 7; i++) {
			next_sample(&r);
			assert_int_equal(check_known(&r, 0xf), N_LAWS);
		}
		fake_sys_run(&r.fake, 60 * MS);
		fake_perf_online(r.perf, 2, false);
		next_sample(&r);
		assert_true(r.sample->flags & SAMPLE_GAP);
		for (size_t l = 0; l < N_LAWS; l++) {
			assert_int_equal(of_cpu(&r, 2, l), law(&r, 2, l, 60));
			expect_count(&r, laws[l].slot,
				     law(&r, 0, l, 100) + law(&r, 1, l, 100) + law(&r, 2, l, 60) +
					     law(&r, 3, l, 100),
				     "off", round);
		}
		for (int i = 0; i < 25; i++) {
			next_sample(&r);
			assert_false(r.sample->flags & SAMPLE_GAP);
			assert_int_equal(check_known(&r, 0xb), N_LAWS);
			assert_int_equal(perf_run_value(&r, "CPUPageFaults", INSTANCE_CPU, 2),
					 SAMPLE_UNKNOWN);
		}
		fake_perf_online(r.perf, 2, true);
		for (n = 0; n < 20 && (next_sample(&r), of_cpu(&r, 2, 0) == SAMPLE_UNKNOWN); n++) {
			check_known(&r, 0xb);
			assert_true(r.sample->flags & SAMPLE_GAP);
		}
		assert_true(n <= 2);
		assert_false(r.sample->flags & SAMPLE_GAP);
	}
	perf_run_fini(&r);
}

/* Between two reads it was off and on again: its events are gone all the same. */
TEST(a_cpu_that_was_off_for_a_moment_counts_again)
{
	struct perf_run r;
	unsigned n = 0;

	start_on(&r, "a72x4", 100 * MS);
	next_sample(&r);
	fake_sys_run(&r.fake, 20 * MS);
	fake_perf_online(r.perf, 1, false);
	fake_sys_run(&r.fake, 20 * MS);
	fake_perf_online(r.perf, 1, true);
	next_sample(&r);
	assert_int_equal(of_cpu(&r, 1, 0), law(&r, 1, 0, 20));
	for (; n < 20 && (next_sample(&r), of_cpu(&r, 1, 0) == SAMPLE_UNKNOWN); n++)
		check_known(&r, 0xd);
	assert_true(n <= 11);
	assert_int_equal(check_known(&r, 0xf), N_LAWS);
	perf_run_fini(&r);
}

/* ---- counters ---- */

TEST(groups_that_never_run_are_made_smaller)
{
	static const struct {
		int cpu;
		unsigned stolen;
	} cases[] = {{-1, 1}, {-1, 3}, {1, 2}, {2, 5}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		unsigned n = 0;
		struct perf_run r;

		perf_run_init(&r, "a72x4");
		assert_true(perf_run_open(&r));
		fake_perf_steal(r.perf, cases[i].cpu, cases[i].stolen);
		assert_true(perf_run_start(&r, 100 * MS));
		next_sample(&r);
		assert_true(check_known(&r, 0xf) < N_LAWS);
		for (; n < 200 && check_known(&r, 0xf) < N_LAWS; n++)
			next_sample(&r);
		assert_in_range(n, 9, 10 * cases[i].stolen + 12);
		for (n = 0; n < 30; n++) {
			next_sample(&r);
			assert_int_equal(check_known(&r, 0xf), N_LAWS);
		}
		perf_run_fini(&r);
	}
}

TEST(counters_that_are_taken_for_seconds_make_values_unknown_not_wrong)
{
	static const int64_t periods[] = {100 * MS, 200 * MS, 1000 * MS};

	for (size_t i = 0; i < ARRAY_LEN(periods); i++) {
		int n = (int)(3000 * MS / periods[i]);
		struct perf_run r;

		start_on(&r, "a72x4", periods[i]);
		for (int k = 0; k < n; k++) {
			next_sample(&r);
			assert_int_equal(check_known(&r, 0xf), N_LAWS);
		}
		fake_perf_steal(r.perf, 2, 7);
		for (int k = 0; k < n; k++) {
			next_sample(&r);
			assert_true(check_known(&r, 0xf) < N_LAWS);
			assert_true(perf_run_total(&r, "CPUPageFaults") == 4u * 2 * length_ms(&r));
		}
		fake_perf_steal(r.perf, 2, 0);
		next_sample(&r);
		check_known(&r, 0xf);
		for (int k = 0; k < n; k++) {
			next_sample(&r);
			assert_int_equal(check_known(&r, 0xf), N_LAWS);
		}
		perf_run_fini(&r);
	}
}

/* However short the measurement was: a group may wait for its turn when it ends. */
TEST(time_without_a_counter_is_recorded_as_such)
{
	static const struct {
		enum scope_kind kind;
		unsigned threads;
		int samples;
	} cases[] = {
		{SCOPE_MACHINE, 4, 1}, {SCOPE_MACHINE, 4, 20}, {SCOPE_PROCESS, 1, 1}, {SCOPE_PROCESS, 1, 20}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t enabled = 0;
		struct perf_run r;
		int64_t begin;

		init_run(&r, "a72x4", cases[i].kind, 1001);
		fake_perf_exit(r.perf, 1002);
		assert_true(perf_run_open(&r));
		fake_perf_steal(r.perf, -1, 7);
		assert_true(perf_run_start(&r, 20 * MS));
		begin = r.fake.now_ns;
		for (int n = 1; n <= cases[i].samples; n++) {
			uint64_t more;

			r.source->cut = n == cases[i].samples;
			next_sample(&r);
			more = perf_run_total(&r, "PerfEnabledBranches");
			enabled += more == SAMPLE_UNKNOWN ? 0 : more;
			assert_true(more == SAMPLE_UNKNOWN || perf_run_total(&r, "PerfRunningBranches") == 0);
			assert_true(perf_run_total(&r, "CPUBranches") == SAMPLE_UNKNOWN);
		}
		assert_int_equal(enabled, (uint64_t)(r.fake.now_ns - begin) * cases[i].threads);
		perf_run_fini(&r);
	}
}

/* As it does on a real machine. */
static ssize_t (*plain_read)(const struct sys *sys, int fd, void *buf, size_t n);

static ssize_t read_and_pass(const struct sys *sys, int fd, void *buf, size_t n)
{
	fake_sys_run(sys->ctx, 1000);
	return plain_read(sys, fd, buf, n);
}

TEST(counters_that_somebody_has_for_good_are_left_to_him)
{
	static const struct {
		enum scope_kind kind;
		unsigned stolen;
	} cases[] = {
		{SCOPE_MACHINE, 1}, {SCOPE_MACHINE, 4}, {SCOPE_PROCESS, 1},
		{SCOPE_PROCESS, 3}, {SCOPE_COMMAND, 2}, {SCOPE_COMMAND, 5},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct perf_run r;

		init_run(&r, "a72x4", cases[i].kind, 1001);
		fake_perf_exit(r.perf, 1002);
		fake_perf_steal(r.perf, -1, cases[i].stolen);
		plain_read = r.fake.sys.read;
		r.fake.sys.read = read_and_pass;
		assert_true(perf_run_open(&r));
		r.fake.sys.read = plain_read;
		assert_true(perf_run_start(&r, 100 * MS));
		fake_perf_exec(r.perf, 1001);
		for (int n = 0; n < 20; n++) {
			next_sample(&r);
			if (cases[i].kind == SCOPE_MACHINE)
				assert_int_equal(check_known(&r, 0xf), N_LAWS);
			for (size_t l = 0; l < N_LAWS && cases[i].kind != SCOPE_MACHINE; l++)
				expect_count(&r, laws[l].slot, law(&r, 1, l, 100), "left", n);
		}
		perf_run_fini(&r);
	}
}

/* Its threads would no longer be those that are counted. */
TEST(the_groups_of_a_process_stay_as_they_are_and_tell_nothing_wrong)
{
	static const struct {
		const char *machine;
		enum scope_kind kind;
	} cases[] = {
		{"a72x4", SCOPE_PROCESS},
		{"a72x4", SCOPE_COMMAND},
		{"rk3588", SCOPE_PROCESS},
		{"rk3588", SCOPE_COMMAND},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		unsigned known = 0;
		struct perf_run r;

		init_run(&r, cases[i].machine, cases[i].kind, 1001);
		fake_perf_exit(r.perf, 1002);
		assert_true(perf_run_open(&r));
		fake_perf_steal(r.perf, 1, 4);
		assert_true(perf_run_start(&r, 100 * MS));
		fake_perf_exec(r.perf, 1001);
		for (int n = 0; n < 60; n++) {
			if (n == 30)
				fake_perf_steal(r.perf, 1, 0);
			next_sample(&r);
			for (size_t l = 0; l < N_LAWS - 1; l++) {
				uint64_t raw = strcmp(laws[l].slot, "CPUBranches") == 0 && i > 1
						       ? 0x21
						       : laws[l].raw;
				uint64_t value = perf_run_total(&r, laws[l].slot);

				assert_true(value == SAMPLE_UNKNOWN ||
					    value == perf_run_law(&r, 1, raw) * 100);
				assert_true(n < 32 || value != SAMPLE_UNKNOWN);
				known += n < 30 && value != SAMPLE_UNKNOWN;
			}
			expect_count(&r, "CPUTaskTime", 100 * TASK_PER_MS, "process", n);
		}
		assert_true(known < 30 * N_LAWS);
		perf_run_fini(&r);
	}
}

TEST(a_thread_alone_gets_smaller_groups)
{
	static const char *const machines[] = {"a72x4", "rk3588"};

	for (size_t i = 0; i < ARRAY_LEN(machines); i++) {
		struct perf_run r;

		init_run(&r, machines[i], SCOPE_THREAD, 1002);
		perf_run_state(&r, 1002, 'R', 2);
		assert_true(perf_run_open(&r));
		fake_perf_steal(r.perf, 2, 3);
		assert_true(perf_run_start(&r, 100 * MS));
		for (int n = 0; n < 100; n++) {
			next_sample(&r);
			for (size_t l = 0; l < N_LAWS - 1; l++) {
				uint64_t raw =
					strcmp(laws[l].slot, "CPUBranches") == 0 && i ? 0x21 : laws[l].raw;
				uint64_t value = perf_run_total(&r, laws[l].slot);

				assert_true(value == SAMPLE_UNKNOWN ||
					    value == perf_run_law(&r, 2, raw) * 100);
				assert_true(n < 70 || value != SAMPLE_UNKNOWN);
			}
		}
		perf_run_fini(&r);
	}
}

/* ---- time ---- */

TEST(a_suspend_is_a_gap_in_one_sample)
{
	struct perf_run r;

	start_on(&r, "a72x4", 100 * MS);
	for (int i = 0; i < 12; i++) {
		if (i == 5)
			fake_sys_sleep(&r.fake, 30000 * MS);
		next_sample(&r);
		assert_int_equal((r.sample->flags & SAMPLE_GAP) != 0, i == 5);
		assert_int_equal(check_known(&r, 0xf), N_LAWS);
	}
	perf_run_fini(&r);
}

TEST(a_cut_ends_an_interval_and_the_next_one_ends_where_it_would_have)
{
	struct perf_run r;
	int64_t begin;

	start_on(&r, "a72x4", 100 * MS);
	begin = r.fake.now_ns;
	for (int i = 0; i < 20; i++) {
		fake_sys_run(&r.fake, 37 * MS);
		r.source->cut = true;
		next_sample(&r);
		assert_int_equal(length_ms(&r), 37);
		assert_int_equal(perf_run_read(&r, 0), READ_NONE);
		r.source->cut = false;
		check_known(&r, 0xf);
		next_sample(&r);
		assert_int_equal(length_ms(&r), 63);
		assert_true((r.sample->end_ns - begin) % (100 * MS) == 0 &&
			    !(r.sample->flags & SAMPLE_STRETCHED));
		check_known(&r, 0xf);
	}
	perf_run_fini(&r);
}

TEST(a_late_read_is_flagged_and_right)
{
	static const struct {
		int late_ms;
		bool stretched;
	} cases[] = {{0, false}, {30, false}, {50, false}, {51, true}, {700, true}, {5000, true}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct perf_run r;

		start_on(&r, "a72x4", 100 * MS);
		next_sample(&r);
		fake_sys_run(&r.fake, (100 + cases[i].late_ms) * MS);
		next_sample(&r);
		assert_int_equal(length_ms(&r), 100 + cases[i].late_ms);
		assert_int_equal((r.sample->flags & SAMPLE_STRETCHED) != 0, cases[i].stretched);
		assert_int_equal(check_known(&r, 0xf), N_LAWS);
		next_sample(&r);
		assert_int_equal(length_ms(&r), 100 - cases[i].late_ms % 100);
		perf_run_fini(&r);
	}
}

TEST(intervals_are_as_long_as_asked_for_but_worth_the_work)
{
	static const struct {
		const char *machine;
		int64_t asked_ms, period_ms;
	} cases[] = {
		{"a72x4", 1, 10},  {"a72x4", 10, 10},  {"a72x4", 100, 100},    {"a72x4", 10000, 10000},
		{"rk3588", 3, 12}, {"rk3588", 20, 20}, {"rk3588", 1000, 1000}, {"rk3588", 10000, 10000},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		unsigned known = 0;
		struct perf_run r;

		start_on(&r, cases[i].machine, cases[i].asked_ms * MS);
		assert_int_equal(r.source->period_ns, cases[i].period_ms * MS);
		for (int n = 0; n < 12; n++) {
			assert_int_equal(perf_run_read(&r, 20000 * MS), READ_GOT);
			assert_int_equal(length_ms(&r), cases[i].period_ms);
			known += perf_run_total(&r, "CPUPageFaults") ==
				 2u * r.perf->machine->n_cpus * length_ms(&r);
		}
		assert_int_equal(known, 12);
		perf_run_fini(&r);
	}
}

TEST(it_starts_again_after_a_stop)
{
	struct perf_run r;

	start_on(&r, "a72x4", 100 * MS);
	next_sample(&r);
	backend_perf.stop(r.source);
	assert_int_equal(fake_perf_open_files(r.perf, NULL), 0);
	fake_sys_run(&r.fake, 5000 * MS);
	assert_true(perf_run_start(&r, 200 * MS));
	for (int i = 0; i < 5; i++) {
		next_sample(&r);
		assert_int_equal(length_ms(&r), 200);
		assert_int_equal(check_known(&r, 0xf), N_LAWS);
	}
	perf_run_fini(&r);
}
