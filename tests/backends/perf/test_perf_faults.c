/* Every call that the perf backend makes, failing in turn: a clear error or right values, never a
 * leak or a wrong number. */
#include "base/alloc.h"
#include "tests/support/perf_people.h"

#include <errno.h>
#include <stdio.h>

static const int codes[] = {EINVAL, ENOENT, EACCES, EPERM, ENODEV, EMFILE, EBUSY, ENOSYS, EIO};

/* What a Cortex-A55 and a Cortex-A76 count; where sysfs cannot be read, the generic event. */
static const struct {
	const char *slot;
	uint64_t raw, generic;
} laws[] = {
	{"CPUCycles", 0x11, 0x11},     {"CPUInstructions", 0x08, 0x08},  {"CPUBranches", 0x21, 0x0c},
	{"CPUL1DRefills", 0x03, 0x03}, {"CPUL2Refills", 0x17, 0x17},     {"CPUITLBRefills", 0x02, 0x02},
	{"CPULLReads", 0x36, 0x36},    {"CPUStallsBackend", 0x24, 0x24}, {"CPUL3Accesses", 0x2b, 0x2b},
	{"CPUDTLBWalks", 0x34, 0x34},  {"CPUBusAccesses", 0x19, 0x19},
};

static const enum scope_kind kinds[] = {SCOPE_MACHINE, SCOPE_PROCESS, SCOPE_CPUS};

/* The whole machine takes long: there each call fails in one way. */
static bool is_skipped(enum scope_kind kind, unsigned at, size_t code)
{
	return kind == SCOPE_MACHINE && at % ARRAY_LEN(codes) != code;
}

static void prepare_run(struct perf_run *r, enum scope_kind kind)
{
	r->perf->mux_ns = 20 * MS;
	r->options.scope = (struct scope){.kind = kind, .pid = 1001, .cpus = "1,6"};
	fake_perf_task(r->perf, 1001, 1000, 1);
	fake_perf_task(r->perf, 1002, 1000, 6);
}

static void run_again(struct perf_run *r, enum scope_kind kind)
{
	perf_run_again(r);
	prepare_run(r, kind);
}

static void start_case(struct perf_run *r, enum scope_kind kind)
{
	perf_run_init(r, "rk3588");
	prepare_run(r, kind);
	perf_run_process(r, 1001, 1000, 1);
	perf_run_thread(r, 1001, 1002, 6);
}

static bool is_law(const struct perf_run *r, size_t l, int cpu, uint64_t value)
{
	uint64_t ms = (uint64_t)(r->sample->end_ns - r->sample->begin_ns) / MS;

	return value == perf_run_law(r, cpu, laws[l].raw) * ms ||
	       (cpu < 4 && value == perf_run_law(r, cpu, laws[l].generic) * ms);
}

static void wrong_value(const struct perf_run *r, const char *slot, const char *where, uint64_t value)
{
	fail_msg("fault %d of kind %d at call %u: %s %s: %lld", r->fake.fault.code, r->fake.fault.calls,
		 r->fake.fault.at, slot, where, (long long)value);
}

/* A CPU that answers ENODEV is off, and rightly left out. */
static void check_cpus(const struct perf_run *r, size_t l)
{
	uint64_t total = perf_run_total(r, laws[l].slot), sum = 0;
	unsigned missing = 0;

	for (int cpu = 0; cpu < 8; cpu++) {
		uint64_t value = perf_run_value(r, laws[l].slot, INSTANCE_CPU, (unsigned)cpu);

		if (r->options.scope.kind == SCOPE_CPUS && cpu != 1 && cpu != 6)
			continue;
		missing += value == SAMPLE_UNKNOWN;
		if (value == SAMPLE_UNKNOWN)
			continue;
		sum += value;
		if (!is_law(r, l, cpu, value))
			wrong_value(r, laws[l].slot, "of a CPU", value);
	}
	if (total != SAMPLE_UNKNOWN && (total != sum || (missing && r->fake.fault.code != ENODEV)))
		wrong_value(r, laws[l].slot, "in total", total);
}

static void check_process(const struct perf_run *r, size_t l)
{
	uint64_t ms = (uint64_t)(r->sample->end_ns - r->sample->begin_ns) / MS;
	uint64_t small = perf_run_law(r, 1, laws[l].raw) * ms, big = perf_run_law(r, 6, laws[l].raw) * ms;
	uint64_t value = perf_run_total(r, laws[l].slot);

	if (value != SAMPLE_UNKNOWN && value != small + big)
		wrong_value(r, laws[l].slot, "of the process", value);
}

/* Returns how many totals are known. */
static unsigned check_value(const struct perf_run *r)
{
	unsigned known = 0;

	for (size_t l = 0; l < ARRAY_LEN(laws); l++) {
		if (!perf_run_has(r, laws[l].slot))
			continue;
		known += perf_run_total(r, laws[l].slot) != SAMPLE_UNKNOWN;
		if (r->options.scope.kind == SCOPE_PROCESS)
			check_process(r, l);
		else
			check_cpus(r, l);
	}
	return known;
}

/* The next sample, in one step of time. */
static enum read_result step_period(struct perf_run *r)
{
	fake_sys_run(&r->fake, 400 * MS);
	r->sample->flags = 0;
	return backend_perf.read(r->source, r->fake.now_ns, r->sample);
}

static void expect_message(const struct perf_run *r)
{
	bool begins = strncmp(r->err.text, "perf: ", 6) == 0 ||
		      strncmp(r->err.text, "process 1001", 12) == 0 ||
		      strncmp(r->err.text, "--cpu: ", 7) == 0;

	if (strlen(r->err.text) < 30 || !begins)
		fail_msg("'%s'", r->err.text);
}

/* Returns whether the call was made at all. */
static bool fail_at_start(struct perf_run *r, enum scope_kind kind, struct fake_fault fault,
			  unsigned *refused)
{
	bool hit;

	run_again(r, kind);
	r->fake.fault = fault;
	if (!perf_run_open(r) || !perf_run_start(r, 400 * MS)) {
		expect_message(r);
		++*refused;
	} else {
		for (int n = 0; n < 4; n++) {
			if (step_period(r) == READ_GONE) { /* so it seems, where its file is not there */
				assert_true(kind == SCOPE_PROCESS && fault.code == ENOENT);
				break;
			}
			check_value(r);
		}
	}
	hit = !r->fake.fault.times;
	return hit;
}

TEST(each_perf_call_of_the_start_may_fail_in_any_way)
{
	unsigned refused = 0, cases = 0;

	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		struct perf_run r;

		start_case(&r, kinds[k]);
		for (size_t i = 0; i < ARRAY_LEN(codes); i++)
			for (unsigned at = 1; at < 1000; at += at < 80 ? 1 : 37, cases++)
				if (!is_skipped(kinds[k], at, i) &&
				    !fail_at_start(&r, kinds[k],
						   (struct fake_fault){FAKE_CALL_PERF, at, 1, codes[i]},
						   &refused))
					break;
		perf_run_fini(&r);
	}
	assert_true(refused > 100 && cases - refused > 1000);
}

TEST(each_file_that_is_read_at_the_start_may_fail)
{
	static const enum fake_call calls[] = {FAKE_CALL_OPEN, FAKE_CALL_READ, FAKE_CALL_LIST};
	unsigned refused = 0, cases = 0;

	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		struct perf_run r;

		start_case(&r, kinds[k]);
		for (size_t c = 0; c < ARRAY_LEN(calls); c++)
			for (unsigned at = 1; at < 1000; at++, cases++) {
				struct fake_fault fault = {calls[c], at, 1, codes[at % ARRAY_LEN(codes)]};

				if (!fail_at_start(&r, kinds[k], fault, &refused))
					break;
			}
		perf_run_fini(&r);
	}
	assert_true(cases > 200 && refused > 0);
}

TEST(each_call_of_a_read_may_fail_in_any_way)
{
	unsigned missed = 0;

	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		unsigned whole;
		struct perf_run r;

		start_case(&r, kinds[k]);
		for (size_t i = 0; i < ARRAY_LEN(codes); i++)
			for (unsigned at = 1; at <= 80; at++) {
				if (is_skipped(kinds[k], at, i))
					continue;
				run_again(&r, kinds[k]);
				perf_run_begin(&r, 400 * MS);
				assert_int_equal(step_period(&r), READ_GOT);
				whole = check_value(&r);
				assert_int_equal(whole, ARRAY_LEN(laws));
				r.fake.fault = (struct fake_fault){FAKE_CALL_PERF, at, 1, codes[i]};
				for (int n = 0; n < 9; n++) {
					unsigned known;

					assert_int_equal(step_period(&r), READ_GOT);
					known = check_value(&r);
					missed += known < whole;
					if (n > 7 && !r.fake.fault.times)
						assert_int_equal(known, whole);
				}
			}
		perf_run_fini(&r);
	}
	assert_true(missed > 500);
}

TEST(what_a_failed_read_loses_is_missing_in_the_share_of_time)
{
	uint64_t running = 0, enabled = 0;
	struct perf_run r;

	init_run(&r, "a72x4", SCOPE_PROCESS, 1001);
	fake_perf_exit(r.perf, 1002);
	run_alone(&r);
	perf_run_begin(&r, 100 * MS);
	for (int n = 0; n < 10; n++) {
		if (n == 5) /* the first read is that of the cycles */
			r.fake.fault = (struct fake_fault){FAKE_CALL_PERF, 1, 1, EIO};
		next_sample(&r);
		if (perf_run_total(&r, "PerfEnabledCycles") == SAMPLE_UNKNOWN)
			continue;
		running += perf_run_total(&r, "PerfRunningCycles");
		enabled += perf_run_total(&r, "PerfEnabledCycles");
	}
	assert_int_equal(enabled, 1000 * MS);
	assert_int_equal(running, 800 * MS);
	perf_run_fini(&r);
}

/* Of proc, where the process may be seen to have ended. */
TEST(each_look_for_the_process_may_fail_in_any_way)
{
	struct perf_run r;

	start_case(&r, SCOPE_PROCESS);
	for (size_t i = 0; i < ARRAY_LEN(codes); i++)
		for (unsigned at = 1; at <= 4; at++) {
			enum read_result got = READ_GOT;

			run_again(&r, SCOPE_PROCESS);
			perf_run_begin(&r, 400 * MS);
			r.fake.fault = (struct fake_fault){FAKE_CALL_OPEN | FAKE_CALL_READ, at, 1, codes[i]};
			for (int n = 0; n < 20 && got == READ_GOT; n++) {
				got = step_period(&r);
				if (got == READ_GOT)
					assert_int_equal(check_value(&r), ARRAY_LEN(laws));
			}
			assert_int_equal(got, codes[i] == ENOENT ? READ_GONE : READ_GOT);
		}
	perf_run_fini(&r);
}

TEST(what_fails_for_ever_does_no_harm)
{
	for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
		struct perf_run r;

		start_case(&r, kinds[k]);
		for (size_t i = 0; i < ARRAY_LEN(codes); i++) {
			run_again(&r, kinds[k]);
			perf_run_begin(&r, 400 * MS);
			assert_int_equal(step_period(&r), READ_GOT);
			r.fake.fault = (struct fake_fault){FAKE_CALL_PERF, 1, 1000000, codes[i]};
			for (int n = 0; n < 20; n++) {
				unsigned before = r.fake.n_calls[6];

				assert_int_equal(step_period(&r), READ_GOT);
				assert_int_equal(check_value(&r), 0);
				assert_true(r.fake.n_calls[6] - before < 500);
				assert_int_equal(perf_run_total(&r, "CPUPageFaults"), SAMPLE_UNKNOWN);
			}
			r.fake.fault.times = 0;
			for (int n = 0; n < 6; n++)
				assert_int_equal(step_period(&r), READ_GOT);
			assert_int_equal(check_value(&r), ARRAY_LEN(laws));
		}
		perf_run_fini(&r);
	}
}
