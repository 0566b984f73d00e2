/* Which events are counted, and which of them all the time. */
#include "base/alloc.h"
#include "model/cpu_event.h"
#include "tests/fake/perf_priv.h"
#include "tests/support/perf_run.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need_metrics(struct perf_run *r, struct gpudb *db, struct metric_needs *needs,
			 const char *metrics)
{
	*needs = (struct metric_needs){0};
	metric_needs_add(db, needs, span_of(metrics));
	r->options.needs = needs->needs;
	r->options.n_needs = needs->n;
	r->options.needs_only = true;
}

static void read_seconds(struct perf_run *r, unsigned n)
{
	for (unsigned i = 0; i < n * 10; i++)
		assert_int_equal(perf_run_read(r, 200 * MS), READ_GOT);
}

/* The share of time of a set, in percent, of the newest sample. */
static uint64_t share_of(const struct perf_run *r, const char *set)
{
	char running[64], enabled[64];

	snprintf(running, sizeof(running), "PerfRunning%s", set);
	snprintf(enabled, sizeof(enabled), "PerfEnabled%s", set);
	return perf_run_total(r, running) * 100 / perf_run_total(r, enabled);
}

TEST(cycles_and_instructions_do_not_wait_for_a_turn)
{
	static const struct {
		const char *machine;
		bool always; /* the others fit beside them */
	} cases[] = {{"a72x4", true}, {"rk3588", true}, {"generic4", true}, {"tiny2", false}, {"x86", true}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct perf_run r;

		perf_run_init(&r, cases[i].machine);
		perf_run_begin(&r, 100 * MS);
		read_seconds(&r, 1);
		assert_int_equal(share_of(&r, "Cycles") == 100, cases[i].always);
		perf_run_fini(&r);
	}
}

TEST(the_sets_that_are_needed_first_do_not_wait_for_a_turn)
{
	struct gpudb *db = gpudb_load(NULL, 0, NULL);
	struct metric_needs needs;
	struct perf_run r;

	perf_run_init(&r, "a72x4");
	need_metrics(&r, db, &needs, "CPUL2MissRatio,CPUBranchMispredictRatio,CPU*");
	perf_run_begin(&r, 100 * MS);
	read_seconds(&r, 1);
	assert_int_equal(share_of(&r, "L2"), 100);
	assert_int_equal(share_of(&r, "Branches"), 100);
	assert_in_range(share_of(&r, "L1D"), 10, 60);
	assert_in_range(share_of(&r, "L1I"), 10, 60);
	perf_run_fini(&r);
	free(needs.needs);
	gpudb_free(db);
}

TEST(only_the_events_that_are_needed_are_counted)
{
	static const struct {
		const char *metrics;
		const char *slots[6];
		unsigned n_events; /* that are open on a CPU */
	} cases[] = {
		{"CPUIPC", {"CPUCycles", "CPUInstructions"}, 2},
		{"CPUIPC.cluster0", {"CPUCycles", "CPUInstructions"}, 2},
		{"CPUL1DMissesPTI", {"CPUInstructions", "CPUL1DRefills"}, 2},
		{"CPUBusBytes", {"CPUBusAccesses", "CPUBusBytes"}, 1},
		{"CPULoadsPTI", {"CPUInstructions", "CPULoads"}, 2},
		{"CPUL2*", {"CPUInstructions", "CPUL2Accesses", "CPUL2Refills"}, 3},
		{"CPULoad*",
		 {"CPUInstructions"},
		 1}, /* a glob does not name what is counted on request only */
		{"MaliGPUActiveCy", {"CPUCycles", "CPUInstructions"}, 2},
	};
	struct gpudb *db = gpudb_load(NULL, 0, NULL);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf names = {0};
		struct metric_needs needs;
		struct perf_run r;
		unsigned n = 0;

		perf_run_init(&r, "a72x4");
		need_metrics(&r, db, &needs, cases[i].metrics);
		perf_run_begin(&r, 100 * MS);
		for (; n < 6 && cases[i].slots[n]; n++)
			assert_true(perf_run_has(&r, cases[i].slots[n]));
		assert_int_equal(fake_perf_open_files(r.perf, &names), 4 * cases[i].n_events);
		read_seconds(&r, 1);
		for (unsigned k = 0; k < n; k++)
			assert_int_not_equal(perf_run_total(&r, cases[i].slots[k]), SAMPLE_UNKNOWN);
		assert_false(r.sample->flags & SAMPLE_ESTIMATED);
		perf_run_fini(&r);
		free(needs.needs);
	}
	gpudb_free(db);
}

TEST(each_ready_group_is_counted_all_the_time)
{
	static const char *const machines[] = {"a53x4", "a72x4", "rk3588"};
	struct gpudb *db = gpudb_load(NULL, 0, NULL);

	assert_true(db->n_groups >= 8);
	for (unsigned g = 0; g < db->n_groups; g++)
		for (size_t i = 0; i < ARRAY_LEN(machines); i++) {
			struct metric_needs needs = {0};
			struct span rest = db->groups[g].metrics, word;
			struct perf_run r;

			while ((word = span_word(&rest)).n)
				metric_needs_add(db, &needs, word);
			perf_run_init(&r, machines[i]);
			r.options.needs = needs.needs;
			r.options.n_needs = needs.n;
			r.options.needs_only = true;
			perf_run_begin(&r, 100 * MS);
			read_seconds(&r, 1);
			if (r.sample->flags & SAMPLE_ESTIMATED)
				fail_msg("%s on %s", db->groups[g].name, machines[i]);
			perf_run_fini(&r);
			free(needs.needs);
		}
	gpudb_free(db);
}

/* Another user takes the counters of a pinned group, and gives them back. */
TEST(a_pinned_group_that_lost_its_counters_takes_turns_again)
{
	struct perf_run r;

	perf_run_init(&r, "a72x4");
	perf_run_begin(&r, 100 * MS);
	read_seconds(&r, 1);
	fake_perf_steal(r.perf, -1, 6);
	read_seconds(&r, 1);
	assert_int_equal(perf_run_total(&r, "CPUInstructions"), SAMPLE_UNKNOWN);
	fake_perf_steal(r.perf, -1, 2);
	read_seconds(&r, 5);
	assert_int_equal(perf_run_total(&r, "CPUInstructions"), 100000ull * (700 + 750 + 800 + 850));
	assert_in_range(share_of(&r, "Cycles"), 20, 100);
	perf_run_fini(&r);
}

TEST(a_group_of_events_is_counted_together_or_refused)
{
	static const struct {
		const char *machine;
		const char *events[4];
		unsigned groups[4];
		const char *message; /* NULL: it fits */
	} cases[] = {
		{"a72x4", {"r1b", "r8", "r10"}, {1, 1, 1}, NULL},
		{"tiny2", {"r8", "r10"}, {1, 1}, NULL},
		{"tiny2", {"r8", "r10", "r12"}, {0, 1, 1}, NULL},
		{"tiny2",
		 {"r8", "r10", "r12"},
		 {1, 1, 1},
		 "--event: {r8,r10,r12}: 3 events do not fit the counters of armv8_cortex_a53 together, 2 "
		 "do: make the group smaller"},
		{"a72x4", {"r8", "r8"}, {0, 1}, "--event: r8: is in a group, and requested twice"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct perf_run r;

		perf_run_init(&r, cases[i].machine);
		r.options.events = cases[i].events;
		r.options.event_groups = cases[i].groups;
		while (r.options.n_events < 4 && cases[i].events[r.options.n_events])
			r.options.n_events++;
		if (cases[i].message) {
			assert_false(perf_run_open(&r));
			assert_int_equal(r.err.code, ERR_USAGE);
			assert_memory_equal(r.err.text, cases[i].message, strlen(cases[i].message));
		} else {
			uint64_t sums[2] = {0, 0};

			perf_run_begin(&r, 100 * MS);
			for (unsigned n = 0; n < 20; n++) {
				unsigned first = cases[i].groups[0] ? 0 : 1;
				uint64_t enabled;

				read_seconds(&r, 1);
				enabled =
					perf_run_total(&r, first ? "PerfEnabledEvent2" : "PerfEnabledEvent1");
				sums[0] += enabled;
				sums[1] += perf_run_total(&r, cases[i].events[first]) != SAMPLE_UNKNOWN;
				assert_false(
					perf_run_has(&r, first ? "PerfRunningEvent3" : "PerfRunningEvent2"));
			}
			assert_true(sums[0] > 0 && sums[1] == 20);
		}
		perf_run_fini(&r);
	}
}

TEST(an_event_counts_in_programs_or_in_the_kernel_alone)
{
	static const char *const events[] = {"0x8", "r8:u", "r8:k"};
	struct perf_run r;

	perf_run_init(&r, "a72x4");
	r.perf->kernel_percent = 25;
	r.options.events = events;
	r.options.n_events = ARRAY_LEN(events);
	perf_run_begin(&r, 100 * MS);
	for (unsigned n = 0; n < 10; n++) {
		uint64_t all = 100000ull * (700 + 750 + 800 + 850);

		assert_int_equal(perf_run_read(&r, 200 * MS), READ_GOT);
		assert_int_equal(perf_run_total(&r, "0x8"), all);
		assert_int_equal(perf_run_total(&r, "r8:u"), all / 100 * 75);
		assert_int_equal(perf_run_total(&r, "r8:k"), all / 100 * 25);
	}
	perf_run_fini(&r);
	perf_run_init(&r, "a72x4");
	r.perf->paranoid = 2;
	perf_run_process(&r, 1001, 1000, 1);
	r.options = (struct source_options){
		.events = events, .n_events = 3, .scope = {.kind = SCOPE_PROCESS, .pid = 1001}};
	assert_false(perf_run_open(&r));
	assert_non_null(strstr(r.err.text, "r8:k: occurs only in the kernel, which you are not permitted"));
	perf_run_fini(&r);
}
