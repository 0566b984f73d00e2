/* The CPUs' counters on every machine: which slots there are, and that each of them is what was
 * counted, to the last unit. */
#include "base/alloc.h"
#include "tests/support/perf_run.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whose facts: a kind of core, or two of them under one PMU. */
enum facts { A53, A55, A72, A76, INTEL, A53_AND_A72, A710, N_FACTS };

/* What a slot stands for: the raw event by core; 0 where the core has no such event. bytes: of one
 * count; of cycles, their slots. */
static const struct law {
	const char *slot;
	uint64_t raw[N_FACTS];
	unsigned bytes[N_FACTS];
} laws[] = {
	{"CPUCycles", {0x11, 0x11, 0x11, 0x11, 0x3c, 0x11, 0x11}, {0}},
	{"CPUInstructions", {0x08, 0x08, 0x08, 0x08, 0xc0, 0x08, 0x08}, {0}},
	{"CPUInstSpeculated", {0, 0x1b, 0x1b, 0x1b, 0, 0, 0x1b}, {0}},
	{"CPUBranches", {0x12, 0x21, 0x12, 0x21, 0xc4, 0x12, 0x21}, {0}},
	{"CPUBranchMispredicts", {0x10, 0x22, 0x10, 0x22, 0xc5, 0x10, 0x22}, {0}},
	{"CPUL1DAccesses", {0x04, 0x04, 0x04, 0x04, 0x81d0, 0x04, 0x04}, {0}},
	{"CPUL1DRefills", {0x03, 0x03, 0x03, 0x03, 0x0151, 0x03, 0x03}, {0}},
	{"CPUL2Accesses", {0x16, 0x16, 0x16, 0x16, 0, 0x16, 0x16}, {0}},
	{"CPUL2Refills", {0x17, 0x17, 0x17, 0x17, 0, 0x17, 0x17}, {0}},
	{"CPUDTLBRefills", {0x05, 0x05, 0x05, 0x05, 0, 0x05, 0x05}, {0}},
	{"CPUITLBRefills", {0x02, 0x02, 0x02, 0x02, 0, 0x02, 0x02}, {0}},
	{"CPUStallsFrontend", {0, 0x23, 0, 0x23, 0, 0, 0x23}, {0}},
	{"CPUStallsBackend", {0, 0x24, 0, 0x24, 0, 0, 0x24}, {0}},
	{"CPULLReads", {0, 0x36, 0, 0x36, 0x4f2e, 0, 0x36}, {0}},
	{"CPULLReadMisses", {0, 0x37, 0, 0x37, 0x412e, 0, 0x37}, {0}},
	{"CPUL1IAccesses", {0x14, 0x14, 0x14, 0x14, 0, 0x14, 0x14}, {0}},
	{"CPUL1IRefills", {0x01, 0x01, 0x01, 0x01, 0, 0x01, 0x01}, {0}},
	{"CPUDTLBWalks", {0, 0x34, 0, 0x34, 0, 0, 0x34}, {0}},
	{"CPUITLBWalks", {0, 0x35, 0, 0x35, 0, 0, 0x35}, {0}},
	{"CPUL3Accesses", {0, 0x2b, 0, 0x2b, 0, 0, 0x2b}, {0}},
	{"CPUL3Refills", {0, 0x2a, 0, 0x2a, 0, 0, 0x2a}, {0}},
	{"CPUBusAccesses", {0x19, 0x19, 0x19, 0x19, 0, 0x19, 0x19}, {0}},
	{"CPUBusBytes", {0x19, 0, 0x19, 0, 0, 0x19, 0}, {16, 0, 16, 0, 0, 16}},
	{"CPUSlotCycles", {[A710] = 0x11}, {0}},
	{"CPUSlots", {[A710] = 0x11}, {[A710] = 5}},
	{"CPUOpsRetired", {[A710] = 0x3a}, {0}},
	{"CPUOpsSpeculated", {[A710] = 0x3b}, {0}},
	{"CPUSlotsBackend", {[A710] = 0x3d}, {0}},
	{"CPUSlotsFrontend", {[A710] = 0x3e}, {0}},
	{"CPUSlotsStalled", {[A710] = 0x3f}, {0}},
	{"CPUStalledBackend", {[A710] = 0x24}, {0}},
	{"CPUStalledMemory", {[A710] = 0x4005}, {0}},
};

static const struct {
	const char *name;
	enum facts facts[2]; /* by cluster */
	unsigned n_clusters; /* that malitop tells apart */
	bool hardware;
} machines[] = {
	{"a72x4", {A72}, 1, true},           {"rk3588", {A55, A76}, 2, true},
	{"tiny2", {A53}, 1, true},           {"x86", {INTEL}, 1, true},
	{"hybrid", {INTEL, INTEL}, 2, true}, {"vm", {INTEL}, 1, false},
	{"generic4", {A72}, 1, true},        {"armv8_pmuv3", {A53_AND_A72, A53_AND_A72}, 2, true},
	{"a53x4", {A53}, 1, true},           {"a710x4", {A710}, 1, true},
};

static unsigned cluster_of(const struct perf_run *r, int cpu)
{
	return r->perf->machine->clusters[0].cpus >> cpu & 1 ? 0 : 1;
}

/* What an event of the hardware counts in a millisecond on that CPU; SAMPLE_UNKNOWN: the core has
 * no such event. */
static uint64_t law_per_ms(const struct perf_run *r, size_t machine, const struct law *law, int cpu)
{
	enum facts facts = machines[machine].facts[cluster_of(r, cpu)];
	uint64_t per_ms = perf_run_law(r, cpu, law->raw[facts]);

	return per_ms != SAMPLE_UNKNOWN && law->bytes[facts] ? per_ms * law->bytes[facts] : per_ms;
}

static void check_value(const struct perf_run *r, const char *slot, enum instance_kind kind, unsigned number,
			uint64_t expected)
{
	uint64_t value = perf_run_value(r, slot, kind, number);

	if (value != expected)
		fail_msg("%s: %s %s %u: %lld, not %lld", r->perf->machine->name, slot, instance_names[kind],
			 number, (long long)value, (long long)expected);
}

static void add_part(uint64_t *sum, uint64_t more)
{
	*sum = more == SAMPLE_UNKNOWN || *sum == SAMPLE_UNKNOWN ? SAMPLE_UNKNOWN : *sum + more;
}

/* The newest sample is what the law says, on every CPU, in every cluster and in total. */
static void check_law(const struct perf_run *r, size_t machine, const struct law *law)
{
	uint64_t ms = (uint64_t)(r->sample->end_ns - r->sample->begin_ns) / 1000000, total = 0,
		 clusters[2] = {0, 0};
	bool anywhere = false;

	for (int cpu = 0; cpu < (int)r->perf->machine->n_cpus; cpu++)
		anywhere |= law_per_ms(r, machine, law, cpu) != SAMPLE_UNKNOWN;
	assert_int_equal(perf_run_has(r, law->slot), anywhere);
	for (int cpu = 0; anywhere && cpu < (int)r->perf->machine->n_cpus; cpu++) {
		uint64_t value = law_per_ms(r, machine, law, cpu);

		value = value == SAMPLE_UNKNOWN ? value : value * ms;
		check_value(r, law->slot, INSTANCE_CPU, (unsigned)cpu, value);
		add_part(&total, value);
		add_part(&clusters[cluster_of(r, cpu)], value);
	}
	for (unsigned c = 0; anywhere && c < machines[machine].n_clusters; c++)
		check_value(r, law->slot, INSTANCE_CLUSTER, c, clusters[c]);
	if (anywhere)
		check_value(r, law->slot, INSTANCE_ALL, 0, total);
}

static void check_software(const struct perf_run *r)
{
	static const struct {
		const char *slot;
		uint64_t per_ms;
	} rates[] = {{"CPUContextSwitches", 1},
		     {"CPUMigrations", 0},
		     {"CPUPageFaults", 2},
		     {"CPUPageFaultsMajor", 0}};
	uint64_t ms = (uint64_t)(r->sample->end_ns - r->sample->begin_ns) / 1000000;

	for (size_t i = 0; i < ARRAY_LEN(rates); i++) {
		check_value(r, rates[i].slot, INSTANCE_ALL, 0,
			    rates[i].per_ms * ms * r->perf->machine->n_cpus);
		check_value(r, rates[i].slot, INSTANCE_CPU, 1, rates[i].per_ms * ms);
	}
	assert_false(perf_run_has(r, "CPUTaskTime"));
}

/* ---- slots ---- */

TEST(every_machine_has_the_slots_of_its_cores_and_no_others)
{
	for (size_t m = 0; m < ARRAY_LEN(machines); m++) {
		unsigned n[INSTANCE_KINDS] = {0};
		struct perf_run r;

		perf_run_init(&r, machines[m].name);
		assert_true(perf_run_open(&r));
		for (unsigned i = 0; i < r.source->n_slots; i++) {
			const struct slot *s = &r.source->slots[i];

			n[s->instance]++;
			assert_true(s->kind == SLOT_DELTA && s->scale == 1);
			if (strncmp(s->name, "CPU", 3) != 0 || strncmp(s->name, "CPUBusy", 7) == 0)
				continue;
			assert_memory_equal(r.source->slots[s->running].name, "PerfRunning", 11);
			assert_memory_equal(r.source->slots[s->enabled].name, "PerfEnabled", 11);
			assert_int_equal(r.source->slots[s->running].number, s->number);
			assert_int_equal(r.source->slots[s->running].instance, s->instance);
		}
		assert_int_equal(n[INSTANCE_CLUSTER], n[INSTANCE_ALL] * machines[m].n_clusters);
		assert_int_equal(n[INSTANCE_CPU], n[INSTANCE_ALL] * r.perf->machine->n_cpus);
		assert_int_equal(r.source->n_sums, n[INSTANCE_ALL] + n[INSTANCE_CLUSTER]);
		assert_int_equal(perf_run_has(&r, "CPUCycles"), machines[m].hardware);
		assert_true(perf_run_has(&r, "CPUContextSwitches"));
		assert_string_equal(r.source->title, "all CPUs, kernel and user");
		assert_string_equal(r.source->note, "");
		perf_run_fini(&r);
	}
	for (size_t m = 0; fake_machines[m].name; m++)
		assert_string_equal(fake_machines[m].name, machines[m].name);
}

TEST(slots_of_cpus_and_raw_counts_are_there_when_asked_for)
{
	for (int i = 0; i < 4; i++) {
		struct perf_run r;

		perf_run_init(&r, "rk3588");
		r.options.per_instance = i & 1;
		r.options.raw_counts = i & 2;
		perf_run_begin(&r, 100 * MS);
		assert_int_equal(perf_run_has(&r, "CPUCyclesRaw"), (i & 2) != 0);
		assert_int_equal(r.source->n_sums < r.source->n_slots, i & 1);
		assert_int_equal(perf_run_read(&r, 200 * MS), READ_GOT);
		check_value(&r, "CPUCycles", INSTANCE_CLUSTER, 0, (1000 + 1100 + 1200 + 1300) * 100000ull);
		perf_run_fini(&r);
	}
}

/* ---- values ---- */

TEST(every_value_of_every_interval_is_what_the_law_says)
{
	for (size_t m = 0; m < ARRAY_LEN(machines); m++) {
		struct perf_run r;

		perf_run_init(&r, machines[m].name);
		perf_run_begin(&r, 100 * MS);
		for (int i = 0; i < 50; i++) {
			assert_int_equal(perf_run_read(&r, 200 * MS), READ_GOT);
			assert_true(r.sample->end_ns - r.sample->begin_ns == 100 * MS && r.sample->lost == 0);
			for (size_t l = 0; l < ARRAY_LEN(laws); l++)
				check_law(&r, m, &laws[l]);
			check_software(&r);
		}
		perf_run_fini(&r);
	}
}

/* The two times that belong to a slot, of the newest sample. */
static void times_of(const struct perf_run *r, unsigned slot, uint64_t *running, uint64_t *enabled)
{
	*running = r->sample->value[r->source->slots[slot].running];
	*enabled = r->sample->value[r->source->slots[slot].enabled];
}

static bool is_event(const struct slot *s)
{
	return strncmp(s->name, "CPU", 3) == 0;
}

/* Times are sound in themselves, and the sample is called estimated exactly where something
 * shared. */
static void check_times(const struct perf_run *r)
{
	uint64_t running, enabled;
	bool shared = false;

	for (unsigned i = 0; i < r->source->n_slots; i++) {
		if (!is_event(&r->source->slots[i]) || r->sample->value[i] == SAMPLE_UNKNOWN)
			continue;
		times_of(r, i, &running, &enabled);
		assert_true(running > 0 && running <= enabled && enabled != SAMPLE_UNKNOWN);
		shared |= running < enabled;
	}
	assert_int_equal((r->sample->flags & SAMPLE_ESTIMATED) != 0, shared);
}

/* Every CPU shares in another way, and in every interval anew. */
TEST(estimates_are_exact_however_uneven_the_sharing)
{
	static const unsigned steals[] = {0, 1, 3, 2, 0, 0, 1, 2, 3, 1, 0};

	for (size_t m = 0; m < ARRAY_LEN(machines); m++) {
		unsigned estimated = 0;
		struct perf_run r;

		perf_run_init(&r, machines[m].name);
		r.perf->mux_ns = 3700000;
		assert_true(perf_run_open(&r));
		for (unsigned i = 2; i < r.perf->n_pmus; i++)
			r.perf->pmus[i].counters += 4; /* whatever is taken, every group fits */
		assert_true(perf_run_start(&r, 250 * MS));
		for (int i = 0; i < 60; i++) {
			for (int cpu = 0; cpu < (int)r.perf->machine->n_cpus; cpu += 2)
				fake_perf_steal(r.perf, cpu, steals[(i + cpu) % (int)ARRAY_LEN(steals)]);
			assert_int_equal(perf_run_read(&r, 500 * MS), READ_GOT);
			for (size_t l = 0; l < ARRAY_LEN(laws); l++)
				check_law(&r, m, &laws[l]);
			check_times(&r);
			estimated += (r.sample->flags & SAMPLE_ESTIMATED) != 0;
		}
		assert_int_equal(estimated > 0,
				 machines[m].hardware && strcmp(machines[m].name, "hybrid") != 0);
		perf_run_fini(&r);
	}
}

TEST(nothing_is_called_estimated_where_the_counters_suffice)
{
	for (size_t m = 0; m < ARRAY_LEN(machines); m++) {
		struct perf_run r;

		perf_run_init(&r, machines[m].name);
		assert_true(perf_run_open(&r));
		for (unsigned i = 2; i < r.perf->n_pmus; i++)
			r.perf->pmus[i].counters = 31;
		assert_true(perf_run_start(&r, 100 * MS));
		for (int i = 0; i < 10; i++) {
			assert_int_equal(perf_run_read(&r, 200 * MS), READ_GOT);
			assert_int_equal(r.sample->flags, 0);
			check_times(&r);
		}
		perf_run_fini(&r);
	}
}

/* An interval is too short for every group to have its turn. What a value stands for is told by its
 * times, and none are lost. */
TEST(turns_that_are_longer_than_the_interval_lose_nothing)
{
	for (size_t m = 0; m < ARRAY_LEN(machines); m++) {
		uint64_t sums[ARRAY_LEN(laws)] = {0};
		struct perf_run r;
		int64_t begin;

		perf_run_init(&r, machines[m].name);
		r.perf->mux_ns = 7 * MS;
		perf_run_begin(&r, 10 * MS);
		begin = r.fake.now_ns;
		for (int i = 0; i < 100; i++) {
			assert_int_equal(perf_run_read(&r, 200 * MS), READ_GOT);
			for (size_t l = 0; l < ARRAY_LEN(laws); l++) {
				uint64_t running, enabled, value, per_ms = law_per_ms(&r, m, &laws[l], 1);

				if (per_ms == SAMPLE_UNKNOWN)
					continue;
				value = perf_run_value(&r, laws[l].slot, INSTANCE_CPU, 1);
				times_of(&r, perf_run_slot(&r, laws[l].slot, INSTANCE_CPU, 1), &running,
					 &enabled);
				if (value ==
				    SAMPLE_UNKNOWN) { /* not counted, in no time or in all of that time */
					assert_true(enabled == SAMPLE_UNKNOWN || running == 0);
					continue;
				}
				assert_true(running > 0 && running <= enabled);
				assert_int_equal(value, per_ms * enabled / 1000000);
				sums[l] += enabled;
			}
		}
		for (size_t l = 0; l < ARRAY_LEN(laws); l++)
			if (law_per_ms(&r, m, &laws[l], 1) != SAMPLE_UNKNOWN)
				assert_in_range(sums[l], r.fake.now_ns - begin - 150 * MS,
						r.fake.now_ns - begin);
		perf_run_fini(&r);
	}
}

/* Turns end in the middle of a microsecond, and of an event. */
TEST(fractions_are_carried_from_interval_to_interval)
{
	long double exact[ARRAY_LEN(laws)] = {0};
	uint64_t sums[ARRAY_LEN(laws)] = {0}, wholes[ARRAY_LEN(laws)] = {0};
	unsigned parted = 0;
	struct perf_run r;

	perf_run_init(&r, "a72x4");
	r.perf->mux_ns = 3333337;
	r.options.raw_counts = true;
	perf_run_begin(&r, 70 * MS);
	for (int i = 0; i < 200; i++) {
		fake_perf_rate(r.perf, 1, "armv8_cortex_a72", laws[i % 20].raw[A72], (unsigned)(i % 7));
		assert_int_equal(perf_run_read(&r, 200 * MS), READ_GOT);
		for (size_t l = 0; l + 1 < ARRAY_LEN(laws); l++) {
			uint64_t running, enabled, raw;
			char name[64];

			if (!laws[l].raw[A72])
				continue;
			snprintf(name, sizeof(name), "%sRaw", laws[l].slot);
			raw = perf_run_value(&r, name, INSTANCE_CPU, 1);
			times_of(&r, perf_run_slot(&r, laws[l].slot, INSTANCE_CPU, 1), &running, &enabled);
			exact[l] += (long double)raw * (long double)enabled / (long double)running;
			wholes[l] +=
				(uint64_t)((long double)raw * (long double)enabled / (long double)running);
			sums[l] += perf_run_value(&r, laws[l].slot, INSTANCE_CPU, 1);
		}
	}
	for (size_t l = 0; l < ARRAY_LEN(laws); l++) {
		assert_true(exact[l] - (long double)sums[l] > -0.001L &&
			    exact[l] - (long double)sums[l] < 1.001L);
		parted += wholes[l] + 5 < sums[l]; /* what would have been lost */
	}
	assert_true(parted > 5);
	perf_run_fini(&r);
}

TEST(counts_pass_the_width_of_a_counter)
{
	static const struct {
		const char *machine, *pmu;
		uint64_t raw;
		unsigned width;
	} cases[] = {{"a72x4", "armv8_cortex_a72", 0x08, 32}, {"x86", "cpu", 0xc0, 48}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t per_us = (1ull << cases[i].width) / 300000, sum = 0;
		struct perf_run r;

		perf_run_init(&r, cases[i].machine);
		fake_perf_rate(r.perf, 1, cases[i].pmu, cases[i].raw, per_us);
		perf_run_begin(&r, 100 * MS);
		for (int n = 0; n < 50; n++) {
			assert_int_equal(perf_run_read(&r, 200 * MS), READ_GOT);
			check_value(&r, "CPUInstructions", INSTANCE_CPU, 1, per_us * 100000);
			sum += per_us * 100000;
		}
		assert_true(sum > 16ull << cases[i].width);
		perf_run_fini(&r);
	}
}

/* ---- what is missing somewhere ---- */

TEST(what_one_cluster_cannot_count_has_no_total)
{
	static const struct {
		const char *slot;
		bool here, there;
	} cases[] = {
		{"CPUCycles", true, true},         {"CPUInstSpeculated", false, true},
		{"CPUStallsBackend", false, true}, {"CPUL3Accesses", false, true},
		{"CPULLReads", false, true},       {"CPUBranches", true, true},
		{"CPUL2Accesses", true, true},     {"CPUDTLBWalks", false, true},
		{"CPUBusAccesses", true, true},    {"CPUBusBytes", false, false},
		{"CPUL1IRefills", true, true},     {"CPUPageFaults", true, true},
	};
	struct perf_run r;
	char path[128];

	perf_run_init(&r, "rk3588");
	fake_perf_pmu(r.perf, "armv8_cortex_a55")->core = FAKE_A53; /* as sysfs has it */
	snprintf(path, sizeof(path), "%s/sys/bus", r.dir);
	fake_perf_tree_remove(path);
	fake_perf_tree(r.perf, r.dir);
	r.options.raw_counts = true;
	perf_run_begin(&r, 100 * MS);
	for (int n = 0; n < 10; n++) {
		assert_int_equal(perf_run_read(&r, 200 * MS), READ_GOT);
		for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
			const char *slot = cases[i].slot;
			char raw[64];

			assert_int_equal(perf_run_has(&r, slot), cases[i].here || cases[i].there);
			if (!perf_run_has(&r, slot))
				continue;
			snprintf(raw, sizeof(raw), "%sRaw", slot);
			for (int k = 0; k < 2; k++) {
				const char *name = k ? raw : slot;

				assert_int_equal(perf_run_total(&r, name) != SAMPLE_UNKNOWN,
						 cases[i].here && cases[i].there);
				assert_int_equal(perf_run_value(&r, name, INSTANCE_CLUSTER, 0) !=
							 SAMPLE_UNKNOWN,
						 cases[i].here);
				assert_int_equal(perf_run_value(&r, name, INSTANCE_CLUSTER, 1) !=
							 SAMPLE_UNKNOWN,
						 cases[i].there);
				assert_int_equal(perf_run_value(&r, name, INSTANCE_CPU, 2) != SAMPLE_UNKNOWN,
						 cases[i].here);
				assert_int_equal(perf_run_value(&r, name, INSTANCE_CPU, 6) != SAMPLE_UNKNOWN,
						 cases[i].there);
			}
		}
	}
	perf_run_fini(&r);
}

/* Sysfs names what the core has: a name that goes takes the slot with it, and an event that needs
 * the other falls back. */
TEST(a_slot_goes_with_its_name_in_sysfs)
{
	static const struct {
		const char *gone, *slot;
		bool stays;
		uint64_t per_us; /* where it stays */
	} cases[] = {
		{"l2d_cache", "CPUL2Accesses", false, 0},
		{"bus_access", "CPUBusAccesses", false, 0},
		{"bus_access", "CPUBusBytes", false, 0},
		{"inst_spec", "CPUInstSpeculated", false, 0},
		{"br_mis_pred", "CPUBranches", false, 0}, /* the other side of the ratio */
		{"l1d_cache", "CPUL1DRefills", true, 1 + (7 * 0x03 + 3) % 13},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct perf_run r;
		char path[160];

		perf_run_init(&r, "a72x4");
		assert_true(perf_run_open(&r));
		assert_true(perf_run_has(&r, cases[i].slot));
		perf_run_close(&r);
		snprintf(path, sizeof(path), "%s/sys/bus/event_source/devices/armv8_cortex_a72/events/%s",
			 r.dir, cases[i].gone);
		assert_int_equal(unlink(path), 0);
		assert_true(perf_run_open(&r));
		assert_true(perf_run_start(&r, 100 * MS));
		assert_int_equal(perf_run_read(&r, 200 * MS), READ_GOT);
		assert_int_equal(perf_run_has(&r, cases[i].slot), cases[i].stays);
		if (cases[i].stays)
			check_value(&r, cases[i].slot, INSTANCE_CPU, 1, cases[i].per_us * 100000);
		perf_run_fini(&r);
	}
}

TEST(a_kernel_without_a_description_of_its_pmu_counts_generic_events)
{
	struct perf_run r;
	char dir[128];

	perf_run_init(&r, "x86");
	assert_true(perf_run_open(&r));
	perf_run_close(&r);
	snprintf(dir, sizeof(dir), "%s/sys/bus", r.dir);
	fake_perf_tree_remove(dir);
	assert_true(perf_run_open(&r));
	assert_true(perf_run_start(&r, 100 * MS));
	assert_int_equal(perf_run_read(&r, 200 * MS), READ_GOT);
	for (size_t l = 0; l < ARRAY_LEN(laws); l++)
		if (strncmp(laws[l].slot, "CPULL", 5) != 0)
			check_law(&r, 3, &laws[l]);
	perf_run_fini(&r);
}

/* The kernel's "cache references" are those of the L1 there. */
TEST(generic_events_of_an_unknown_arm_core_are_what_they_are_called)
{
	static const struct {
		const char *slot;
		uint64_t raw; /* 0: not there */
	} cases[] = {
		{"CPUCycles", 0x11},      {"CPUInstructions", 0x08},
		{"CPUL1DAccesses", 0x04}, {"CPUL1DRefills", 0x03},
		{"CPULLReads", 0},        {"CPULLReadMisses", 0},
		{"CPUBranches", 0},       {"CPUBranchMispredicts", 0x10},
	};
	struct perf_run r;
	char path[160];

	perf_run_init(&r, "generic4");
	for (int cpu = 0; cpu < 4; cpu++) {
		FILE *out;

		snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1",
			 r.dir, cpu);
		out = fopen(path, "we");
		assert_true(out && fputs("0x00000000480fd030\n", out) >= 0 && fclose(out) == 0);
	}
	perf_run_begin(&r, 100 * MS);
	assert_int_equal(perf_run_read(&r, 200 * MS), READ_GOT);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(perf_run_has(&r, cases[i].slot), cases[i].raw != 0);
		if (cases[i].raw)
			check_value(&r, cases[i].slot, INSTANCE_CPU, 1,
				    perf_run_law(&r, 1, cases[i].raw) * 100);
	}
	perf_run_fini(&r);
}
