/* The report on CPU events: raw counts, estimates, shares of time, rates and ratios, for the whole
 * and for clusters. */
#include "export/export_priv.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 14
#define SLOTS (3 * BLOCK)

struct events_machine {
	struct gpudb *db;
	struct metric_set *set;
	struct slot slots[SLOTS];
	char title[2][16];
	struct column *sum;
	struct strbuf out;
};

/* Two sets of events and one of the kernel's, as the perf backend has them with raw counts. */
static void add_block(struct slot *slots, unsigned first, enum instance_kind instance, unsigned number,
		      const char *title)
{
	static const struct {
		const char *name;
		unsigned times; /* of its set, in the block; BLOCK: is a time, or raw */
	} rows[BLOCK] = {
		{"PerfRunningSoftware", BLOCK},
		{"PerfEnabledSoftware", BLOCK},
		{"CPUPageFaults", 0},
		{"CPUPageFaultsRaw", BLOCK},
		{"PerfRunningCycles", BLOCK},
		{"PerfEnabledCycles", BLOCK},
		{"CPUCycles", 4},
		{"CPUCyclesRaw", BLOCK},
		{"CPUInstructions", 4},
		{"CPUInstructionsRaw", BLOCK},
		{"PerfRunningBranches", BLOCK},
		{"PerfEnabledBranches", BLOCK},
		{"CPUBranches", 10},
		{"CPUBranchesRaw", BLOCK},
	};

	for (unsigned i = 0; i < BLOCK; i++) {
		slots[first + i] = (struct slot){.name = rows[i].name,
						 .instance = instance,
						 .number = (uint16_t)number,
						 .scale = 1,
						 .title = title};
		if (rows[i].times == BLOCK)
			continue;
		slots[first + i].raw = (uint16_t)(first + i + 1);
		slots[first + i].running = (uint16_t)(first + rows[i].times);
		slots[first + i].enabled = (uint16_t)(first + rows[i].times + 1);
	}
}

FIXTURE(machine_init)
{
	static struct events_machine m;
	struct err err;

	m = (struct events_machine){0};
	add_block(m.slots, 0, INSTANCE_ALL, 0, NULL);
	add_block(m.slots, BLOCK, INSTANCE_CLUSTER, 0, "Cortex-A55 x4");
	add_block(m.slots, 2 * BLOCK, INSTANCE_CLUSTER, 1, "Cortex-A76 x4");
	m.db = gpudb_load(NULL, 0, &err);
	assert_non_null(m.db);
	m.set = metric_set_new(m.db, &(struct metric_source){.slots = m.slots, .n_slots = SLOTS}, &err);
	if (!m.set)
		fail_msg("%s", err.text);
	m.sum = xcalloc(1, sizeof(*m.sum) + SLOTS * sizeof(double));
	m.sum->time_ns = 1000000000;
	m.sum->n_samples = 1;
	for (unsigned i = 0; i < SLOTS; i++)
		m.sum->value[i] = NAN;
	*state = &m;
	return 0;
}

FIXTURE(machine_fini)
{
	struct events_machine *m = *state;

	metric_set_free(m->set);
	gpudb_free(m->db);
	free(m->sum);
	strbuf_fini(&m->out);
	return 0;
}

TEST_EACH(machine_init, machine_fini)

static void set_values(struct events_machine *m, unsigned first, const double values[BLOCK])
{
	memcpy(m->sum->value + first, values, BLOCK * sizeof(*values));
}

static const char *report_text(struct events_machine *m)
{
	const struct export_source source = {.title = "the command, user only", .set = m->set};

	strbuf_str(&m->out, "");
	export_events(&source, m->sum, &m->out);
	return m->out.p;
}

/* Counts of a matrix multiplication on an ARM1176, with the ratios that are known for them. */
TEST(events_have_counts_estimates_shares_and_rates)
{
	static const double values[BLOCK] = {1e9,      1e9,         12,         12,         0.25e9,
					     1e9,      11759598287, 2939899571, 1241209259, 315810640,
					     0.2485e9, 1e9,         134550814,  33438664};
	struct events_machine *m = *state;

	set_values(m, 0, values);
	assert_string_equal(
		report_text(m),
		"\n"
		"CPU events: the command, user only (PTI: per 1000 instructions)\n"
		"\n"
		"event                         counted              estimate   of time       rate            "
		"PTI\n"
		"CPUPageFaults                      12                         100.0 %         12 /s\n"
		"\n"
		"CPUCycles               2,939,899,571      [11,759,598,287]    25.0 %       11.8 G/s   "
		"9474.308\n"
		"CPUInstructions           315,810,640       [1,241,209,259]    25.0 %       1.24 G/s\n"
		"CPUIPC                        [0.106] instructions/cycle\n"
		"CPUCPI                        [9.474] cy\n"
		"\n"
		"CPUBranches                33,438,664         [134,550,814]    24.9 %        135 M/s    "
		"108.403\n");
}

TEST(what_had_no_turn_is_a_dash_never_zero)
{
	static const double values[BLOCK] = {1e9, 1e9, 0, 0, 1e9, 1e9, 2000, 2000, 1000, 1000, 0, 1e9, 0, 0};
	struct events_machine *m = *state;

	set_values(m, 0, values);
	report_text(m);
	assert_non_null(strstr(
		m->out.p,
		"\nCPUPageFaults                       0                         100.0 %          0 /s\n"));
	assert_non_null(strstr(m->out.p, "\nCPUCycles                       2,000                         "
					 "100.0 %       2.00 k/s   2000.000\n"));
	assert_non_null(strstr(m->out.p, "\nCPUBranches                         -                           "
					 "0.0 %          -              -\n"));
}

/* Too few counters: the first event of the set ran alone. */
TEST(an_event_that_never_ran_has_no_share_of_the_time_of_its_set)
{
	static const double values[BLOCK] = {1e9,  1e9, 0,   0,   0.5e9, 1e9, 2000,
					     1000, NAN, NAN, 1e9, 1e9,   5,   5};
	struct events_machine *m = *state;

	set_values(m, 0, values);
	report_text(m);
	assert_non_null(strstr(m->out.p, "\nCPUCycles                       1,000               [2,000]    "
					 "50.0 %       2.00 k/s          -\n"));
	assert_non_null(strstr(
		m->out.p,
		"\nCPUInstructions                     -                           0.0 %          -\n"));
}

TEST(unknown_sums_are_dashes)
{
	struct events_machine *m = *state;

	report_text(m);
	assert_non_null(strstr(m->out.p, "\nCPUCycles                           -                            "
					 "   -          -              -\n"));
}

TEST(clusters_that_ran_have_blocks_of_their_own)
{
	static const double values[BLOCK] = {1e9,  1e9,  0,    0,   1e9, 1e9, 2000,
					     2000, 1000, 1000, 1e9, 1e9, 5,   5};
	static const double none[BLOCK] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
	struct events_machine *m = *state;

	set_values(m, 0, values);
	set_values(m, BLOCK, none);
	set_values(m, 2 * BLOCK, values);
	report_text(m);
	assert_null(strstr(m->out.p, "Cortex-A55"));
	assert_non_null(strstr(m->out.p, "\nCortex-A76 x4\n\nevent "));
	assert_non_null(strstr(strstr(m->out.p, "Cortex-A76"),
			       "\nCPUIPC                          0.500 instructions/cycle\n"));
}

TEST(what_is_not_known_per_cluster_is_left_out_there)
{
	static const double values[BLOCK] = {1e9,  1e9,  7,    7,   1e9, 1e9, 2000,
					     2000, 1000, 1000, 1e9, 1e9, 5,   5};
	struct events_machine *m = *state;

	set_values(m, 0, values);
	set_values(m, 2 * BLOCK, values);
	for (unsigned i = 0; i < 4; i++) /* the kernel's own events of a command */
		m->sum->value[2 * BLOCK + i] = NAN;
	report_text(m);
	assert_non_null(strstr(m->out.p, "\nCPUPageFaults "));
	assert_null(strstr(strstr(m->out.p, "Cortex-A76"), "CPUPageFaults"));
}

TEST(without_raw_counts_there_is_no_report)
{
	struct events_machine *m = *state;

	for (unsigned i = 0; i < SLOTS; i++)
		m->set->slots[i].raw = 0;
	assert_string_equal(report_text(m), "");
}

/* The kernel counts these in ns; all others are numbers. */
TEST(times_have_their_unit)
{
	static const struct {
		const char *event, *line;
	} cases[] = {
		{"CPUTaskTime", "\nCPUTaskTime                 1,520,952 ns                      100.0 %\n"},
		{"task-clock:u", "\ntask-clock:u                1,520,952 ns                      100.0 %\n"},
		{"cpu-clocks",
		 "\ncpu-clocks                  1,520,952                         100.0 %       1.52 M/s\n"},
	};
	struct events_machine *m = *state;

	set_values(m, 0, (const double[BLOCK]){1e9, 1e9, 1520952, 1520952});
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		m->set->slots[2].name = cases[i].event;
		if (!strstr(report_text(m), cases[i].line))
			fail_msg("no '%s' in '%s'", cases[i].line, m->out.p);
	}
}
