/* What is on the screen is counted first: who then takes turns, and that no count is lost or made
 * up when that changes. */
#include "base/alloc.h"
#include "tests/fake/perf_priv.h"
#include "tests/support/perf_people.h"

#include <errno.h>
#include <stdio.h>

/* Of a Cortex-A72: its sets, and an event of each. */
static const struct {
	const char *set, *slot;
	uint64_t raw;
} sets[] = {
	{"Cycles", "CPUInstructions", 0x08}, {"Speculation", "CPUInstSpeculated", 0x1b},
	{"Branches", "CPUBranches", 0x12},   {"L1D", "CPUL1DRefills", 0x03},
	{"L2", "CPUL2Refills", 0x17},        {"TLB", "CPUDTLBRefills", 0x05},
	{"L1I", "CPUL1IAccesses", 0x14},     {"Bus", "CPUBusAccesses", 0x19},
};
#define N_SETS ARRAY_LEN(sets)

/* Slots by the numbers of their sets: "42 1" are the sure ones and the others. */
static void prefer(struct perf_run *r, const char *digits)
{
	struct source_priority priority = {.n = 0};
	bool sure = strchr(digits, ' ') != NULL;

	for (; *digits; digits++) {
		if (*digits == ' ') {
			priority.n_sure = priority.n;
			sure = false;
			continue;
		}
		priority.slots[priority.n++] = (uint16_t)perf_run_slot(
			r, sets[*digits - '0'].slot, sure ? INSTANCE_CLUSTER : INSTANCE_ALL, 0);
	}
	backend_perf.extras->prefer(r->source, &priority);
}

/* The time of a set on a CPU in the newest sample, in us; 0: unknown. */
static uint64_t time_of(const struct perf_run *r, const char *which, size_t set, int cpu)
{
	char name[64];
	uint64_t ns;

	snprintf(name, sizeof(name), "Perf%s%s", which, sets[set].set);
	ns = perf_run_value(r, name, INSTANCE_CPU, (unsigned)cpu);
	return ns == SAMPLE_UNKNOWN ? 0 : ns / 1000;
}

static void read_samples(struct perf_run *r, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(perf_run_read(r, 200 * MS), READ_GOT);
}

/* What every set counted is the law of the time that it stands for; it is never unknown, but may
 * still wait. */
static void check_exact(const struct perf_run *r)
{
	for (size_t s = 0; s < N_SETS; s++)
		for (int cpu = 0; cpu < 4; cpu++) {
			uint64_t value = perf_run_value(r, sets[s].slot, INSTANCE_CPU, (unsigned)cpu);
			uint64_t us = time_of(r, "Enabled", s, cpu);

			if (value == SAMPLE_UNKNOWN ? us > 0
						    : value * 1000 != perf_run_law(r, cpu, sets[s].raw) * us)
				fail_msg("%s of CPU %d: %lld in %lld us", sets[s].slot, cpu, (long long)value,
					 (long long)us);
		}
}

/* The shares of two seconds in percent. */
static void measure_shares(struct perf_run *r, unsigned shares[N_SETS])
{
	uint64_t running[N_SETS] = {0}, enabled[N_SETS] = {0};

	for (unsigned i = 0; i < 20; i++) {
		read_samples(r, 1);
		check_exact(r);
		for (size_t s = 0; s < N_SETS; s++) {
			running[s] += time_of(r, "Running", s, 1);
			enabled[s] += time_of(r, "Enabled", s, 1);
		}
	}
	for (size_t s = 0; s < N_SETS; s++)
		shares[s] = (unsigned)(running[s] * 100 / enabled[s]);
}

TEST(what_is_shown_does_not_wait_for_a_turn_and_the_others_share_the_rest)
{
	static const struct {
		const char *priority;
		const char *always; /* the sets that are counted all the time */
		unsigned least;     /* percent of the others */
	} cases[] = {
		{"", "0", 30},             /* as before: three groups */
		{"02", "02", 24},          /* all that is shown fits */
		{"4", "04", 24},           /* so does this */
		{"4 ", "04", 24},          /* chosen */
		{"024", "0", 30},          /* not all fit, and one of them alone would cost the others time */
		{"01234567", "01", 30},    /* all are shown: one more takes no time from the others */
		{"4 01234567", "04", 24},  /* one of them is chosen */
		{"42 01234567", "24", 12}, /* two are, which leave no room for instructions */
	};
	struct perf_run r;

	perf_run_init(&r, "a72x4");
	perf_run_begin(&r, 100 * MS);
	read_samples(&r, 1);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		unsigned shares[N_SETS];

		prefer(&r, cases[i].priority);
		read_samples(&r, 1); /* the current interval ends first */
		measure_shares(&r, shares);
		for (size_t s = 0; s < N_SETS; s++) {
			bool always = strchr(cases[i].always, (int)('0' + s)) != NULL;

			if ((shares[s] == 100) != always || shares[s] < cases[i].least)
				fail_msg("'%s': %s %u %%", cases[i].priority, sets[s].set, shares[s]);
		}
	}
	perf_run_fini(&r);
}

/* At 10 ms many a group still waits for its turn when the plan changes; what it has not reported
 * yet is owed by the next one. */
TEST(no_count_is_lost_or_made_up_when_the_view_changes)
{
	static const char *const priorities[] = {"", "4 0123", "02", "01234567", "42 01"};
	static const unsigned periods_ms[] = {10, 30, 100};

	for (size_t p = 0; p < ARRAY_LEN(periods_ms); p++) {
		uint64_t us[N_SETS][4] = {0};
		unsigned whole[N_SETS] = {0}; /* by CPU: all time until now was reported */
		int64_t begin_ns;
		struct perf_run r;

		perf_run_init(&r, "a72x4");
		perf_run_begin(&r, periods_ms[p] * MS);
		begin_ns = r.fake.now_ns;
		for (unsigned i = 0; i < 300; i++) {
			if (i < 280 && i % 7 == 6)
				prefer(&r, priorities[i / 7 % ARRAY_LEN(priorities)]);
			read_samples(&r, 1);
			check_exact(&r);
			for (size_t s = 0; s < N_SETS; s++)
				for (int cpu = 0; cpu < 4; cpu++) {
					uint64_t elapsed = (uint64_t)(r.sample->end_ns - begin_ns) / 1000;

					us[s][cpu] += time_of(&r, "Enabled", s, cpu);
					assert_true(us[s][cpu] <= elapsed);
					whole[s] |= (unsigned)(i > 280 && us[s][cpu] == elapsed) << cpu;
				}
		}
		for (size_t s = 0; s < N_SETS; s++)
			assert_int_equal(whole[s], 0xf);
		perf_run_fini(&r);
	}
}

/* Nothing is opened again for a priority that changes nothing, that the command line rules out,
 * or that would lose the threads that a process has started since. */
TEST(groups_stay_as_they_are_unless_the_priority_means_another_plan)
{
	static const struct {
		const char *priority;
		bool is_named, process, again;
	} cases[] = {
		{"4 01", false, false, true}, {"", false, false, false},    {"0", false, false, false},
		{"4 01", true, false, false}, {"4 01", false, true, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		static const struct metric_need all[] = {
			{SPAN_LIT("CPUInstructions"), true}, {SPAN_LIT("CPUInstSpeculated"), true},
			{SPAN_LIT("CPUBranches"), true},     {SPAN_LIT("CPUL1DRefills"), true},
			{SPAN_LIT("CPUL2Refills"), true},    {SPAN_LIT("CPUDTLBRefills"), true},
			{SPAN_LIT("CPUBusAccesses"), true}};
		uint64_t opened;
		struct perf_run r;

		perf_run_init(&r, "a72x4");
		r.options.needs = all;
		r.options.n_needs = cases[i].is_named ? ARRAY_LEN(all) : 0;
		r.options.needs_only = cases[i].is_named;
		perf_run_process(&r, 1001, 1000, 1);
		r.options.scope.kind = cases[i].process ? SCOPE_PROCESS : SCOPE_MACHINE;
		r.options.scope.pid = 1001;
		perf_run_begin(&r, 100 * MS);
		read_samples(&r, 1);
		opened = r.perf->next_id;
		for (unsigned n = 0; n < 3; n++) {
			prefer(&r, cases[i].priority);
			read_samples(&r, 1);
			assert_int_equal(r.perf->next_id > opened, cases[i].again && n == 0);
			opened = r.perf->next_id;
		}
		perf_run_fini(&r);
	}
}

static bool is_known(const struct perf_run *r)
{
	for (size_t s = 0; s < N_SETS; s++)
		if (perf_run_total(r, sets[s].slot) == SAMPLE_UNKNOWN)
			return false;
	return true;
}

/* What is known is right: a value stands for all the time that is told, or it is unknown. */
static void check_known(const struct perf_run *r)
{
	for (size_t s = 0; s < N_SETS; s++)
		for (int cpu = 0; cpu < 4; cpu++) {
			uint64_t value = perf_run_value(r, sets[s].slot, INSTANCE_CPU, (unsigned)cpu);
			uint64_t us = time_of(r, "Enabled", s, cpu);

			if (value != SAMPLE_UNKNOWN)
				assert_int_equal(value * 1000, perf_run_law(r, cpu, sets[s].raw) * us);
		}
}

TEST(calls_may_fail_while_the_groups_are_changed)
{
	static const int codes[] = {EINVAL, EMFILE, EBUSY, ENODEV, EACCES};
	unsigned at = 1, hits = 0;
	struct perf_run r;

	perf_run_init(&r, "a72x4");
	for (bool hit = true; hit; at += at < 60 ? 1 : 7) {
		perf_run_again(&r);
		perf_run_begin(&r, 100 * MS);
		read_samples(&r, 2);
		prefer(&r, "4 0123");
		r.fake.fault = (struct fake_fault){0};
		assert_int_equal(perf_run_read(&r, 90 * MS), READ_NONE);
		r.fake.fault = (struct fake_fault){FAKE_CALL_PERF, at, 1, codes[at % ARRAY_LEN(codes)]};
		read_samples(&r, 1);
		check_known(&r);
		hit = !r.fake.fault.times;
		hits += hit;
		r.fake.fault = (struct fake_fault){0};
		for (unsigned n = 0; n < 2 || (n < 40 && !is_known(&r)); n++) { /* mended after 2 s */
			read_samples(&r, 1);
			check_known(&r);
		}
		assert_true(is_known(&r));
	}
	assert_true(hits > 60);
	perf_run_fini(&r);
}

/* Somebody takes counters, so that groups never run, and malitop makes them smaller; meanwhile the
 * view changes. */
TEST(the_view_may_change_while_groups_are_mended)
{
	static const char *const priorities[] = {"02", "4 0123", "01234567", ""};
	struct perf_run r;

	perf_run_init(&r, "a72x4");
	perf_run_begin(&r, 100 * MS);
	for (unsigned n = 0; n < 120; n++) {
		if (n % 7 == 0)
			prefer(&r, priorities[n / 7 % ARRAY_LEN(priorities)]);
		if (n == 20 || n == 60)
			fake_perf_steal(r.perf, -1, n == 20 ? 6 : 3);
		read_samples(&r, 1);
		check_known(&r);
	}
	assert_true(is_known(&r));
	fake_perf_steal(r.perf, -1, 0);
	read_samples(&r, 20);
	check_known(&r);
	assert_true(is_known(&r));
	perf_run_fini(&r);
}
