/* Events by name (--event): what they count on every machine, whose they are, and what is
 * refused. */
#include "base/alloc.h"
#include "tests/fake/perf_priv.h"
#include "tests/support/perf_run.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define GAME 4711
#define MOST 17

static void ask_driver(struct perf_run *r, const char *const *events)
{
	r->options.events = events;
	r->options.n_events = 0;
	while (r->options.n_events < MOST && events[r->options.n_events])
		r->options.n_events++;
}

static unsigned cluster_of(const struct perf_run *r, int cpu)
{
	return r->perf->machine->clusters[0].cpus >> cpu & 1 ? 0 : 1;
}

/* What that event counts in 100 ms on the CPUs of a cluster. */
static uint64_t law(const struct perf_run *r, unsigned cluster, uint64_t raw)
{
	uint64_t sum = 0;

	for (int cpu = 0; cpu < (int)r->perf->machine->n_cpus; cpu++) {
		struct fake_event e = {.raw = raw};

		for (unsigned i = 2; i < r->perf->n_pmus; i++)
			if (fake_serves(&r->perf->pmus[i], cpu))
				e.pmu = &r->perf->pmus[i];
		if (cluster_of(r, cpu) == cluster)
			sum += 100 * fake_perf_per_ms(r->perf, &e, cpu);
	}
	return sum;
}

static const struct {
	const char *machine, *event;
	uint64_t raw[2]; /* by cluster; 0: not counted there */
} counted[] = {
	{"a72x4", "cache-misses", {0x03}},
	{"a72x4", "CYCLES", {0x11}},
	{"a72x4", "r1b", {0x1b}},
	{"a72x4", "r81", {0x81}}, /* a number that nobody has a name for */
	{"a72x4", "br_mis_pred", {0x10}},
	{"a72x4", "L1-dcache-stores", {0x41}},
	{"a72x4", "armv8_cortex_a72/event=0x13,long/", {0x13}},
	{"rk3588", "cache-misses", {0x03, 0x03}},
	{"rk3588", "branches", {0x0c, 0x21}},
	{"rk3588", "L1-dcache-load-misses", {0x03, 0x03}},
	{"rk3588", "r11", {0x11, 0x11}},
	{"rk3588", "r31", {0, 0x31}},
	{"rk3588", "armv8_cortex_a76/event=0x11/", {0, 0x11}},
	{"rk3588", "armv8_cortex_a55/ld_retired/", {0x06, 0}},
	{"rk3588", "inst_spec", {0x1b, 0x1b}},
	{"tiny2", "cache-references", {0x04}},
	{"tiny2", "branch-instructions", {0x0c}},
	{"x86", "branch-misses", {0xc5}},
	{"x86", "cpu/event=0x2e,umask=0x41/", {0x412e}},
	{"x86", "L1-dcache-load-misses", {0x0151}},
	{"hybrid", "cache-misses", {0x412e, 0x412e}},
	{"hybrid", "r13c", {0x13c, 0x13c}},
	{"hybrid", "cpu_atom/event=0xc5/", {0, 0xc5}},
	{"generic4", "cache-misses", {0x03}},
	{"generic4", "inst_spec", {0x1b}},
	{"armv8_pmuv3", "cache-misses", {0x03, 0x03}},
};

TEST(a_name_counts_on_every_kind_of_core_that_has_it)
{
	for (size_t i = 0; i < ARRAY_LEN(counted); i++) {
		const char *const events[] = {counted[i].event, NULL};
		struct perf_run r;

		perf_run_init(&r, counted[i].machine);
		ask_driver(&r, events);
		perf_run_begin(&r, 100 * MS);
		for (int n = 0; n < 10; n++) {
			uint64_t total = 0;

			assert_int_equal(perf_run_read(&r, 200 * MS), READ_GOT);
			for (unsigned c = 0; c < 2 && r.perf->machine->clusters[c].cpus; c++) {
				uint64_t want = counted[i].raw[c] ? law(&r, c, counted[i].raw[c]) : 0;

				assert_int_not_equal(want, counted[i].raw[c] ? 0 : 1);
				assert_int_equal(perf_run_value(&r, counted[i].event, INSTANCE_CLUSTER, c),
						 counted[i].raw[c] ? want : SAMPLE_UNKNOWN);
				total += want;
			}
			assert_int_equal(perf_run_total(&r, counted[i].event), total);
		}
		perf_run_fini(&r);
	}
}

TEST(a_thread_counts_on_the_cores_that_it_runs_on_whatever_the_kernel)
{
	static const char *const events[] = {"cache-misses", "r11", "armv8_cortex_a55/event=0x11/", NULL};
	static const unsigned kernels[] = {FAKE_KERNEL(4, 19), FAKE_KERNEL(5, 10), FAKE_KERNEL(6, 1),
					   FAKE_KERNEL(6, 6)};

	for (size_t i = 0; i < ARRAY_LEN(kernels); i++) {
		struct perf_run r;

		perf_run_init(&r, "rk3588");
		r.perf->kernel = kernels[i];
		perf_run_process(&r, GAME, 1000, 5);
		r.options.scope = (struct scope){.kind = SCOPE_PROCESS, .pid = GAME};
		ask_driver(&r, events);
		perf_run_begin(&r, 100 * MS);
		for (int n = 0; n < 5; n++) {
			assert_int_equal(perf_run_read(&r, 200 * MS), READ_GOT);
			assert_int_equal(perf_run_total(&r, "r11"), 1500 * 100000ull);
			assert_int_equal(perf_run_total(&r, "cache-misses"),
					 100 * fake_perf_per_ms(r.perf,
								&(struct fake_event){.pmu = &r.perf->pmus[3],
										     .raw = 3},
								5));
			assert_int_equal(perf_run_total(&r, "armv8_cortex_a55/event=0x11/"), 0);
		}
		perf_run_fini(&r);
	}
}

TEST(a_generic_event_of_a_thread_counts_on_either_pmu_of_a_hybrid)
{
	static const char *const events[] = {"cache-misses", NULL};

	for (int cpu = 1; cpu < 8; cpu += 4) {
		struct perf_run r;
		const struct fake_pmu *pmu;

		perf_run_init(&r, "hybrid");
		pmu = &r.perf->pmus[cpu < 4 ? 2 : 3];
		perf_run_process(&r, GAME, 1000, cpu);
		r.options.scope = (struct scope){.kind = SCOPE_PROCESS, .pid = GAME};
		ask_driver(&r, events);
		perf_run_begin(&r, 100 * MS);
		assert_int_equal(perf_run_read(&r, 200 * MS), READ_GOT);
		assert_int_equal(
			perf_run_total(&r, events[0]),
			100 * fake_perf_per_ms(r.perf, &(struct fake_event){.pmu = pmu, .raw = 0x412e}, cpu));
		perf_run_fini(&r);
	}
}

TEST(events_of_the_kernel_need_no_hardware)
{
	static const char *const events[] = {"page-faults", "cs", "software/config=0x2/", NULL};
	static const char *const machines[] = {"vm", "rk3588", "hybrid"};

	for (size_t i = 0; i < ARRAY_LEN(machines); i++) {
		struct perf_run r;

		perf_run_init(&r, machines[i]);
		ask_driver(&r, events);
		perf_run_begin(&r, 100 * MS);
		assert_int_equal(perf_run_read(&r, 200 * MS), READ_GOT);
		assert_int_equal(perf_run_total(&r, "page-faults"), 200 * r.perf->machine->n_cpus);
		assert_int_equal(perf_run_total(&r, "software/config=0x2/"),
				 perf_run_total(&r, "CPUPageFaults"));
		assert_int_equal(perf_run_total(&r, "cs"), perf_run_total(&r, "CPUContextSwitches"));
		perf_run_fini(&r);
	}
}

TEST(user_only_is_of_that_event_only_and_tells_nothing_of_rights)
{
	static const char *const events[] = {"r11:u", "r11", NULL};
	struct perf_run r;

	perf_run_init(&r, "a72x4");
	r.perf->kernel_percent = 30;
	ask_driver(&r, events);
	perf_run_begin(&r, 100 * MS);
	assert_int_equal(perf_run_read(&r, 200 * MS), READ_GOT);
	assert_int_equal(perf_run_total(&r, "r11"), 4600 * 100000ull);
	assert_int_equal(perf_run_total(&r, "r11:u"), 3220 * 100000ull);
	assert_int_equal(perf_run_total(&r, "CPUCycles"), 4600 * 100000ull);
	assert_string_equal(r.source->title, "all CPUs, kernel and user");
	perf_run_fini(&r);

	perf_run_init(&r, "a72x4");
	r.perf->paranoid = 2;
	perf_run_process(&r, GAME, 1000, 1);
	r.options.scope = (struct scope){.kind = SCOPE_PROCESS, .pid = GAME};
	ask_driver(&r, events);
	assert_true(perf_run_open(&r));
	assert_string_equal(r.source->title, "process 4711 game, user only");
	perf_run_fini(&r);
}

/* Six counters, of which cycles have one of their own: the first group to be made is the first to
 * count. */
TEST(what_is_asked_for_is_counted_first)
{
	static const char *const events[] = {"r19", "r1b", "r13", "r12", NULL};
	struct perf_run r;

	perf_run_init(&r, "a72x4");
	r.perf->mux_ns = 1000 * MS;
	ask_driver(&r, events);
	perf_run_begin(&r, 100 * MS);
	assert_int_equal(perf_run_read(&r, 200 * MS), READ_GOT);
	for (unsigned i = 0; events[i]; i++) {
		const struct slot *s = &r.source->slots[perf_run_slot(&r, events[i], INSTANCE_ALL, 0)];

		assert_int_equal(perf_run_total(&r, events[i]),
				 law(&r, 0, (uint64_t)strtoul(events[i] + 1, NULL, 16)));
		assert_int_equal(r.sample->value[s->running], r.sample->value[s->enabled]);
	}
	/* r19 is the bus accesses of our own metrics, too; these need no second counter */
	assert_int_equal(perf_run_total(&r, "CPUBusAccesses"), perf_run_total(&r, "r19"));
	assert_int_equal(perf_run_total(&r, "CPUL2Accesses"), SAMPLE_UNKNOWN);
	perf_run_fini(&r);
}

/* The share of the time in which it was counted, in percent. */
static unsigned share_of(const struct perf_run *r, const char *event)
{
	const struct slot *s = &r->source->slots[perf_run_slot(r, event, INSTANCE_ALL, 0)];

	return (unsigned)((r->sample->value[s->running] * 100 + 50) / r->sample->value[s->enabled]);
}

static const struct metric_need least[] = {{.slot = {"CPUCycles", 9}, .named = true},
					   {.slot = {"CPUInstructions", 15}, .named = true}};

/* Six counters and one for cycles: as many as were asked for. */
TEST(our_own_events_take_no_time_from_those_that_were_asked_for)
{
	static const char *const full[] = {"r11", "r12", "r10", "r04", "r03", "r16", "r17", NULL},
				 *const spare[] = {"r11", "r12", "r10", NULL};
	static const unsigned group[MOST] = {1, 1, 1, 1, 1, 1, 1};

	for (unsigned i = 0; i < 2; i++) {
		const char *const *events = i ? spare : full;
		struct perf_run r;

		perf_run_init(&r, "a72x4");
		ask_driver(&r, events);
		r.options.event_groups = group;
		r.options.needs = least;
		r.options.n_needs = ARRAY_LEN(least);
		r.options.needs_only = r.options.needs_yield = r.options.alike = true;
		perf_run_begin(&r, 100 * MS);
		assert_int_equal(perf_run_read(&r, 200 * MS), READ_GOT);
		for (unsigned e = 0; events[e]; e++)
			assert_int_equal(share_of(&r, events[e]), 100);
		assert_int_equal(perf_run_total(&r, "CPUCycles"), perf_run_total(&r, "r11"));
		if (i)
			assert_int_equal(perf_run_total(&r, "CPUInstructions"), law(&r, 0, 0x08));
		else
			assert_false(perf_run_has(&r, "CPUInstructions"));
		perf_run_fini(&r);
	}
}

TEST(where_nobody_looks_all_events_take_equal_turns)
{
	static const char *const events[] = {"r01", "r02", "r03", "r04", "r05", "r08", "r09",
					     "r10", "r12", "r13", "r14", "r16", NULL};
	unsigned least_share = 100, most_share = 0;
	struct perf_run r;

	perf_run_init(&r, "a72x4");
	ask_driver(&r, events);
	r.options.needs = least;
	r.options.n_needs = ARRAY_LEN(least);
	r.options.needs_only = r.options.needs_yield = r.options.alike = true;
	perf_run_begin(&r, 1000 * MS);
	assert_int_equal(perf_run_read(&r, 2000 * MS), READ_GOT);
	for (unsigned e = 0; events[e]; e++) {
		unsigned share = share_of(&r, events[e]);

		least_share = share < least_share ? share : least_share;
		most_share = share > most_share ? share : most_share;
	}
	assert_in_range(least_share, 30, 55);
	assert_true(most_share <= least_share + 3);
	perf_run_fini(&r);
}

/* Each read of a command's counters wakes us, which the command pays for. */
TEST(what_only_its_sum_is_wanted_of_is_read_once_a_second)
{
	static const struct {
		bool sums_only;
		int64_t asked_ns, period_ns;
	} cases[] = {{false, 10 * MS, 10 * MS}, {true, 10 * MS, 1000 * MS}, {true, 1500 * MS, 1500 * MS}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct perf_run r;

		perf_run_init(&r, "tiny2");
		r.options.needs = least;
		r.options.n_needs = 1;
		r.options.needs_only = true;
		r.options.sums_only = cases[i].sums_only;
		perf_run_begin(&r, cases[i].asked_ns);
		assert_int_equal(r.source->period_ns, cases[i].period_ns);
		perf_run_fini(&r);
	}
}

/* The A72 does not have 0x23. */
TEST(a_number_that_the_core_lacks_counts_only_if_it_is_forced)
{
	static const char *const events[] = {"r23", "r23:force", NULL};
	struct perf_run r;

	perf_run_init(&r, "a72x4");
	ask_driver(&r, events);
	perf_run_begin(&r, 100 * MS);
	assert_int_equal(perf_run_read(&r, 200 * MS), READ_GOT);
	assert_int_equal(perf_run_total(&r, "r23"), SAMPLE_UNKNOWN);
	assert_int_equal(perf_run_total(&r, "r23:force"), 0);
	perf_run_fini(&r);
}

struct listed_events {
	unsigned n, n_now;
	const char *now[400];
};

static void take_listed(void *ctx, const struct event_info *event)
{
	struct listed_events *l = ctx;

	l->n++;
	if (event->now)
		l->now[l->n_now++] = strdup(event->name);
}

TEST(what_the_list_says_is_counted_can_be_asked_for)
{
	static const char *const machines[] = {"a72x4", "rk3588", "x86"};

	for (size_t m = 0; m < ARRAY_LEN(machines); m++) {
		struct listed_events l = {0};
		struct perf_run r;

		perf_run_init(&r, machines[m]);
		backend_perf.extras->list_events(&r.fake.sys, take_listed, &l);
		perf_run_fini(&r);
		assert_true(l.n_now > 10 && l.n_now < l.n);
		for (unsigned i = 0; i < l.n_now; i++) {
			const char *const events[] = {l.now[i], NULL};

			perf_run_init(&r, machines[m]);
			ask_driver(&r, events);
			if (!perf_run_open(&r) || strstr(r.source->note, "no PMU"))
				fail_msg("%s: %s is listed: %s", machines[m], events[0],
					 r.source ? r.source->note : r.err.text);
			perf_run_fini(&r);
			free((char *)(uintptr_t)l.now[i]);
		}
	}
}

TEST(an_event_that_is_given_twice_is_one)
{
	static const char *const events[] = {"r11", "page-faults", "r11", "page-faults", NULL};
	unsigned slots[2];

	for (unsigned i = 0; i < 2; i++) {
		struct perf_run r;

		perf_run_init(&r, "a72x4");
		ask_driver(&r, events);
		r.options.n_events = i ? 4 : 2;
		assert_true(perf_run_open(&r));
		slots[i] = r.source->n_slots;
		perf_run_fini(&r);
	}
	assert_int_equal(slots[0], slots[1]);
}

TEST(sixteen_events_all_count_and_a_seventeenth_is_refused)
{
	static const char *const events[MOST] = {"r1",  "r2",  "r3",  "r4",  "r5",  "r8",
						 "r9",  "r10", "r11", "r12", "r13", "r14",
						 "r15", "r16", "r17", "r18", "r19"};
	struct perf_run r;

	perf_run_init(&r, "tiny2");
	r.options.raw_counts = r.options.alike = true;
	ask_driver(&r, events);
	assert_false(perf_run_open(&r));
	assert_int_equal(r.err.code, ERR_USAGE);
	assert_string_equal(r.err.text, "--event: r19: more than 16 events: measure in several runs");
	r.options.n_events = 16;
	perf_run_begin(&r, 1000 * MS);
	assert_int_equal(perf_run_read(&r, 2000 * MS), READ_GOT);
	for (unsigned i = 0; i < 16; i++) {
		const struct slot *s = &r.source->slots[perf_run_slot(&r, events[i], INSTANCE_CPU, 1)];

		assert_true(r.sample->value[s->raw] > 0 && r.sample->value[s->raw] < SAMPLE_UNKNOWN);
		assert_true(r.sample->value[s->running] < r.sample->value[s->enabled]);
	}
	perf_run_fini(&r);
}

static const struct {
	const char *machine, *event;
	int paranoid, code;
	const char *text;
} refused[] = {
	{"a72x4", "foo", -1, ERR_USAGE, "--event: foo: no such event here: try a generic one"},
	{"a72x4", "foo/event=1/", -1, ERR_USAGE,
	 "--event: foo/event=1/: no PMU of that name: try armv8_cortex_a72"},
	{"a72x4", "cpu cycles", -1, ERR_USAGE, "--event: cpu cycles: event names contain neither blanks nor"},
	{"a72x4", "r11\033[2J", -1, ERR_USAGE, "--event: r11?[2J: event names contain neither blanks nor"},
	{"a72x4", "tracepoint/config=1/", -1, ERR_USAGE,
	 "--event: tracepoint/config=1/: tracepoint is not a CPU core PMU"},
	{"a72x4", "cs:u", -1, ERR_USAGE, "--event: cs:u: occurs only in the kernel: use it without :u"},
	{"a72x4", "r10011", -1, ERR_USAGE,
	 "--event: r10011: 0x10011 has bits that armv8_cortex_a72 does not use"},
	{"a72x4", "armv8_cortex_a72/config=0x10011/", -1, ERR_USAGE,
	 "--event: armv8_cortex_a72/config=0x10011/: config: 0x10011 has bits"},
	{"x86", "r20000000013c", -1, ERR_USAGE,
	 "--event: r20000000013c: 0x20000000013c has bits that cpu does not use"},
	{"a72x4", "cs", 2, EACCES,
	 "--event: cs: occurs only in the kernel, which you are not permitted to measure: sudo sysctl"},
	{"a72x4", "r11", 3, EACCES, "perf: CPU events cannot be counted: Permission denied: sudo sysctl"},
};

TEST(what_is_wrong_or_may_not_be_seen_is_refused)
{
	for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
		const char *const events[] = {"page-faults", refused[i].event, NULL};
		struct perf_run r;

		perf_run_init(&r, refused[i].machine);
		r.perf->paranoid = refused[i].paranoid;
		perf_run_process(&r, GAME, 1000, 1);
		r.options.scope = (struct scope){.kind = SCOPE_PROCESS, .pid = GAME};
		ask_driver(&r, events);
		assert_false(perf_run_open(&r));
		assert_int_equal(r.err.code, refused[i].code);
		if (strncmp(r.err.text, refused[i].text, strlen(refused[i].text)) != 0)
			fail_msg("'%s' does not begin with '%s'", r.err.text, refused[i].text);
		perf_run_fini(&r);
	}
}

static const struct {
	const char *machine, *event, *note;
	uint64_t filtered; /* a number that the hypervisor keeps for itself; 0: none */
} lacking[] = {
	{"a72x4", "branches", "--event: branches: no PMU of this machine counts it: see malitop doctor", 0},
	{"a72x4", "r23", "--event: r23: no PMU of this machine counts it", 0},
	{"a72x4", "LLC-loads", "--event: LLC-loads: no PMU of this machine counts it", 0},
	{"tiny2", "r1b", "--event: r1b: no PMU of this machine counts it", 0},
	{"rk3588", "node-loads", "--event: node-loads: no PMU of this machine counts it", 0},
	{"vm", "cycles",
	 "--event: cycles: no PMU of this machine counts it: the CPU has no counters for this kernel", 0},
	{"vm", "rc0", "--event: rc0: no PMU of this machine counts it: the CPU has no counters", 0},
	{"a72x4", "r10", "--event: r10: no PMU of this machine counts it", 0x10},
	{"a72x4", "BR_MIS_PRED", "--event: BR_MIS_PRED: no PMU of this machine counts it", 0x10},
	{"a72x4", "branch-misses", "--event: branch-misses: no PMU of this machine counts it", 0x10},
	{"a72x4", "inst_spec", "--event: inst_spec: no PMU of this machine counts it", 0x1b},
	{"a72x4", "armv8_cortex_a72/event=0x1b/", "--event: armv8_cortex_a72/event=0x1b/: no PMU", 0x1b},
	{"generic4", "r16", "", 0x16}, /* lists nothing, so nobody knows */
	{"rk3588", "branch-misses", "--event: branch-misses: no PMU", 0x10},
	{"rk3588", "dtlb_walk", "--event: dtlb_walk: no PMU", 0x34}, /* later numbers are listed */
};

/* The others are counted, and why it is not known is said. */
TEST(what_no_pmu_counts_is_unknown_never_a_zero)
{
	for (size_t i = 0; i < ARRAY_LEN(lacking); i++) {
		const char *const events[] = {"page-faults", lacking[i].event, NULL};
		struct perf_run r;

		perf_run_init(&r, lacking[i].machine);
		for (unsigned k = 2; k < r.perf->n_pmus; k++)
			r.perf->pmus[k].filtered[0] = lacking[i].filtered;
		fake_perf_tree(r.perf, r.dir);
		ask_driver(&r, events);
		perf_run_begin(&r, 100 * MS);
		assert_int_equal(perf_run_read(&r, 200 * MS), READ_GOT);
		assert_true(perf_run_total(&r, "page-faults") > 0);
		assert_true(perf_run_total(&r, "page-faults") != SAMPLE_UNKNOWN);
		if (lacking[i].note[0] && perf_run_total(&r, lacking[i].event) != SAMPLE_UNKNOWN)
			fail_msg("%s: %s is known", lacking[i].machine, lacking[i].event);
		if (strncmp(r.source->note, lacking[i].note, strlen(lacking[i].note)) != 0)
			fail_msg("'%s' does not begin with '%s'", r.source->note, lacking[i].note);
		perf_run_fini(&r);
	}
}

TEST(of_some_cpus_their_own_pmu_must_count_it)
{
	static const char *const events[] = {"armv8_cortex_a76/event=0x11/", NULL};
	struct perf_run r;

	perf_run_init(&r, "rk3588");
	r.options.scope = (struct scope){.kind = SCOPE_CPUS, .cpus = "0-3"};
	ask_driver(&r, events);
	perf_run_begin(&r, 100 * MS);
	assert_memory_equal(r.source->note,
			    "--event: armv8_cortex_a76/event=0x11/: no PMU of CPUs 0-3 counts it: ", 69);
	perf_run_close(&r);
	r.options.scope.cpus = "2-5";
	perf_run_begin(&r, 100 * MS);
	assert_int_equal(perf_run_read(&r, 200 * MS), READ_GOT);
	assert_int_equal(perf_run_total(&r, events[0]), (1400 + 1500) * 100000ull);
	perf_run_fini(&r);
}
