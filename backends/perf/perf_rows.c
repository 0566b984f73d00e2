/* The CPU events, and the choice of those that a source counts: those of the chosen metrics, or the
 * standard ones. A new event is a row here, a name in `slots perf` of src/data/cpu.metrics, and a
 * metric there. */
#include "backends/perf/perf.h"

#include "base/alloc.h"

#include <assert.h>
#include <linux/perf_event.h>
#include <string.h>

#define SET_CYCLES 1 /* cycles and instructions: the second of the sets below */
#define SET_ASKED 32 /* and following: one set per event requested by name */

#define ROW(name, set) \
	.slot = (name), .raw = name "Raw", .running = "PerfRunning" set, .enabled = "PerfEnabled" set
#define EXTRA(name, set) ROW(name, set), .extra = true
#define ARM(number) .arm = {{number, 0}}
#define SOFT(event) .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_##event
#define HARD(event) .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_##event
#define CACHE_OP(cache, operation, result)                                              \
	.type = PERF_TYPE_HW_CACHE, .config = PERF_COUNT_HW_CACHE_##cache |             \
					      PERF_COUNT_HW_CACHE_OP_##operation << 8 | \
					      PERF_COUNT_HW_CACHE_RESULT_##result << 16
#define CACHE(cache, result) CACHE_OP(cache, READ, result)
#define LAST_LEVEL(result)                                                   \
	.cache = PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
		 PERF_COUNT_HW_CACHE_RESULT_##result << 16
#define ARM_ONLY .type = PERF_NO_TYPE

/* Rows by set. Arm's numbers are those of PMUv3. Of two, the first is used that a core has together
 * with the event in `needs`: retired branches, or predicted branches on older cores. */
static const struct perf_row perf_rows[] = {
	{ROW("CPUTaskTime", "Software"), SOFT(TASK_CLOCK), .tasks_only = true},
	{ROW("CPUContextSwitches", "Software"), SOFT(CONTEXT_SWITCHES), .kernel_only = true},
	{ROW("CPUMigrations", "Software"), SOFT(CPU_MIGRATIONS), .kernel_only = true},
	{ROW("CPUPageFaults", "Software"), SOFT(PAGE_FAULTS)},
	{ROW("CPUPageFaultsMajor", "Software"), SOFT(PAGE_FAULTS_MAJ)},
	{ROW("CPUCycles", "Cycles"), ARM(0x11), HARD(CPU_CYCLES)},
	{ROW("CPUInstructions", "Cycles"), ARM(0x08), HARD(INSTRUCTIONS)},
	{ROW("CPUInstSpeculated", "Speculation"), ARM(0x1b), ARM_ONLY},
	{ROW("CPUBranches", "Branches"), .arm = {{0x21, 0x22}, {0x12, 0x10}}, HARD(BRANCH_INSTRUCTIONS)},
	{ROW("CPUBranchMispredicts", "Branches"), .arm = {{0x22, 0x21}, {0x10, 0x12}}, HARD(BRANCH_MISSES)},
	{ROW("CPUL1DAccesses", "L1D"), ARM(0x04), CACHE(L1D, ACCESS)},
	{ROW("CPUL1DRefills", "L1D"), ARM(0x03), CACHE(L1D, MISS)},
	{ROW("CPUL2Accesses", "L2"), ARM(0x16), ARM_ONLY},
	{ROW("CPUL2Refills", "L2"), ARM(0x17), ARM_ONLY},
	{ROW("CPUDTLBRefills", "TLB"), ARM(0x05), CACHE(DTLB, MISS)},
	{ROW("CPUITLBRefills", "TLB"), ARM(0x02), CACHE(ITLB, MISS)},
	{ROW("CPUStallsFrontend", "Stalls"), ARM(0x23), HARD(STALLED_CYCLES_FRONTEND)},
	{ROW("CPUStallsBackend", "Stalls"), ARM(0x24), HARD(STALLED_CYCLES_BACKEND)},
	{ROW("CPUSlotCycles", "Topdown"), .arm = {{0x11, 0x3f}}, ARM_ONLY},
	{ROW("CPUSlots", "Topdown"), ARM_ONLY, .factor = PERF_SLOTS},
	{ROW("CPUOpsRetired", "Topdown"), ARM(0x3a), ARM_ONLY},
	{ROW("CPUOpsSpeculated", "Topdown"), ARM(0x3b), ARM_ONLY},
	{ROW("CPUSlotsBackend", "Topdown"), ARM(0x3d), ARM_ONLY},
	{ROW("CPUSlotsFrontend", "Topdown"), ARM(0x3e), ARM_ONLY},
	{ROW("CPUSlotsStalled", "Topdown"), ARM(0x3f), ARM_ONLY},
	{ROW("CPUStalledBackend", "Stalled"), .arm = {{0x24, 0x4005}}, ARM_ONLY},
	{ROW("CPUStalledMemory", "Stalled"), ARM(0x4005), ARM_ONLY},
	{ROW("CPULLReads", "LastLevel"), .arm = {{0x36, 0x37}, {0x32, 0x33}}, HARD(CACHE_REFERENCES),
	 LAST_LEVEL(ACCESS)},
	{ROW("CPULLReadMisses", "LastLevel"), .arm = {{0x37, 0x36}, {0x33, 0x32}}, HARD(CACHE_MISSES),
	 LAST_LEVEL(MISS)},
	{ROW("CPUL1IAccesses", "L1I"), ARM(0x14), CACHE(L1I, ACCESS)},
	{ROW("CPUL1IRefills", "L1I"), ARM(0x01), CACHE(L1I, MISS)},
	{ROW("CPUDTLBWalks", "Walks"), ARM(0x34), ARM_ONLY},
	{ROW("CPUITLBWalks", "Walks"), ARM(0x35), ARM_ONLY},
	{ROW("CPUL3Accesses", "L3"), ARM(0x2b), ARM_ONLY},
	{ROW("CPUL3Refills", "L3"), ARM(0x2a), ARM_ONLY},
	{ROW("CPUBusAccesses", "Bus"), ARM(0x19), ARM_ONLY},
	{ROW("CPUBusBytes", "Bus"), ARM_ONLY, .factor = PERF_BUS_BYTES},
	{EXTRA("CPUBranchImmediate", "BranchKinds"), .arm = {{0x78, 0}, {0x0d, 0}}, ARM_ONLY},
	{EXTRA("CPUBranchReturns", "BranchKinds"), .arm = {{0x79, 0}, {0x0e, 0}}, ARM_ONLY},
	{EXTRA("CPUBranchIndirect", "BranchKinds"), ARM(0x7a), ARM_ONLY},
	{EXTRA("CPUL1DReads", "L1DKinds"), ARM(0x40), CACHE(L1D, ACCESS)},
	{EXTRA("CPUL1DReadRefills", "L1DKinds"), ARM(0x42), CACHE(L1D, MISS)},
	{EXTRA("CPUL1DWrites", "L1DKinds"), ARM(0x41), CACHE_OP(L1D, WRITE, ACCESS)},
	{EXTRA("CPUL1DWriteRefills", "L1DKinds"), ARM(0x43), CACHE_OP(L1D, WRITE, MISS)},
	{EXTRA("CPUDTLBAccesses", "TLBAccesses"), ARM(0x25), CACHE(DTLB, ACCESS)},
	{EXTRA("CPUITLBAccesses", "TLBAccesses"), ARM(0x26), CACHE(ITLB, ACCESS)},
	{EXTRA("CPUBusReads", "BusKinds"), ARM(0x60), ARM_ONLY},
	{EXTRA("CPUBusWrites", "BusKinds"), ARM(0x61), ARM_ONLY},
	{EXTRA("CPUBusCycles", "BusKinds"), ARM(0x1d), HARD(BUS_CYCLES)},
	{EXTRA("CPUMemoryAccesses", "Memory"), ARM(0x13), ARM_ONLY},
	{EXTRA("CPUMemoryReads", "Memory"), ARM(0x66), ARM_ONLY},
	{EXTRA("CPUMemoryWrites", "Memory"), ARM(0x67), ARM_ONLY},
	{EXTRA("CPUUnaligned", "Memory"), .arm = {{0x6a, 0}, {0x0f, 0}}, ARM_ONLY},
	{EXTRA("CPULoads", "Mix"), .arm = {{0x70, 0}, {0x06, 0}}, ARM_ONLY},
	{EXTRA("CPUStores", "Mix"), .arm = {{0x71, 0}, {0x07, 0}}, ARM_ONLY},
	{EXTRA("CPUIntegerOps", "Mix"), ARM(0x73), ARM_ONLY},
	{EXTRA("CPUSIMDOps", "Mix"), ARM(0x74), ARM_ONLY},
	{EXTRA("CPUFloatOps", "Mix"), ARM(0x75), ARM_ONLY},
	{EXTRA("CPUExclusiveLoads", "Sync"), ARM(0x6c), ARM_ONLY},
	{EXTRA("CPUExclusiveStores", "Sync"), ARM(0x6d), ARM_ONLY},
	{EXTRA("CPUExclusiveFails", "Sync"), ARM(0x6e), ARM_ONLY},
	{EXTRA("CPUDataSyncBarriers", "Sync"), ARM(0x7d), ARM_ONLY},
	{EXTRA("CPUDataMemBarriers", "Sync"), ARM(0x7e), ARM_ONLY},
	{EXTRA("CPUCryptoOps", "Crypto"), ARM(0x77), ARM_ONLY},
	{EXTRA("CPUExceptions", "Exceptions"), ARM(0x09), ARM_ONLY},
	{EXTRA("CPUSystemCalls", "Exceptions"), ARM(0x82), ARM_ONLY},
	{EXTRA("CPUInstructionAborts", "Exceptions"), ARM(0x83), ARM_ONLY},
	{EXTRA("CPUDataAborts", "Exceptions"), ARM(0x84), ARM_ONLY},
	{EXTRA("CPUInterrupts", "Exceptions"), ARM(0x86), ARM_ONLY},
};
_Static_assert(PERF_OWN_MAX + PERF_ASKED_MAX <= PERF_EVENTS_MAX, "a bit per row");
_Static_assert(SET_ASKED + PERF_ASKED_MAX <= PERF_SETS_MAX, "a number per set");

#define NAMES4(of, a, b, c, d) of #a, of #b, of #c, of #d
#define NAMES(of)                                                                          \
	{                                                                                  \
		NAMES4(of, 1, 2, 3, 4), NAMES4(of, 5, 6, 7, 8), NAMES4(of, 9, 10, 11, 12), \
			NAMES4(of, 13, 14, 15, 16)                                         \
	}
struct perf_row perf_row_asked(unsigned i, unsigned group, const char *name)
{
	static const char *const raw[PERF_ASKED_MAX] = NAMES("PerfRawEvent");
	static const char *const running[PERF_ASKED_MAX] = NAMES("PerfRunningEvent");
	static const char *const enabled[PERF_ASKED_MAX] = NAMES("PerfEnabledEvent");

	return (struct perf_row){.slot = name,
				 .raw = raw[i],
				 .running = running[group],
				 .enabled = enabled[group],
				 .set = (uint8_t)(SET_ASKED + group),
				 ARM_ONLY};
}

bool perf_row_is_kernel_only(const struct perf_event *event)
{
	for (unsigned row = 0; row < ARRAY_LEN(perf_rows); row++)
		if (perf_rows[row].kernel_only && perf_rows[row].type == event->type &&
		    perf_rows[row].config == event->config)
			return true;
	return false;
}

/* ---- the choice ---- */

static const struct metric_need *find_need(const struct source_options *o, const char *slot)
{
	for (unsigned i = 0; i < o->n_needs; i++)
		if (span_is(o->needs[i].slot, slot))
			return &o->needs[i];
	return NULL;
}

static bool is_needed(const struct source_options *o, unsigned row)
{
	const struct perf_row *r = &perf_rows[row];
	const struct metric_need *need = find_need(o, r->slot);

	if (!need && r->tasks_only)
		need = find_need(o, PERF_WHOLE_TIME);
	if (!need && row + 1 < ARRAY_LEN(perf_rows) && perf_rows[row + 1].factor)
		need = find_need(o, perf_rows[row + 1].slot);
	return o->needs_only ? need && (need->named || !r->extra) : !r->extra;
}

static void add_first(struct perf *p, uint8_t set)
{
	if (!memchr(p->first, set, p->n_first))
		p->first[p->n_first++] = set;
}

/* Return the set of a slot, of any instance; -1 if it is not an event. */
static int set_of_slot(const struct perf *p, unsigned slot)
{
	for (unsigned row = 0; row < p->n_own; row++)
		if (p->has >> row & 1 && p->value_at[row] == slot % p->block)
			return p->rows[row].set;
	return -1;
}

void perf_rows_prefer(struct source *source, const struct source_priority *priority)
{
	struct perf *p = source->priv;
	uint8_t before[PERF_SETS_MAX];
	unsigned n_before = p->n_first, n_sure = p->n_sure;

	if (source->options.needs_only)
		return;
	memcpy(before, p->first, sizeof(before));
	p->n_first = 0;
	for (unsigned i = 0; i <= priority->n; i++) {
		int set = i < priority->n ? set_of_slot(p, priority->slots[i]) : -1;

		if (i == priority->n_sure) { /* only a user's choice comes before cycles and instructions */
			add_first(p, SET_CYCLES);
			p->n_sure = p->n_first;
		}
		if (set >= 0)
			add_first(p, (uint8_t)set);
	}
	p->plans_again |=
		p->n_first != n_before || p->n_sure != n_sure || memcmp(p->first, before, p->n_first) != 0;
}

/* Add an own row. Sets have numbers in the order of the table. */
static void add_row(struct perf *p, unsigned row)
{
	unsigned set = 0;

	for (unsigned i = 1; i <= row; i++)
		set += strcmp(perf_rows[i].running, perf_rows[i - 1].running) != 0;
	assert(set < SET_ASKED);
	p->rows[p->n_own] = perf_rows[row];
	p->rows[p->n_own++].set = (uint8_t)set;
}

bool perf_rows_choose(struct perf *p, const struct source_options *options, struct err *err)
{
	for (unsigned row = 0; row < ARRAY_LEN(perf_rows); row++) {
		if (!is_needed(options, row))
			continue;
		if (p->n_own == PERF_OWN_MAX)
			return err_set(err, ERR_USAGE,
				       "perf: the metrics need more than %d CPU events: name fewer, and "
				       "measure in several runs",
				       PERF_OWN_MAX);
		add_row(p, row);
	}
	/* if metrics of other sources need no event of this one, count the fewest */
	for (unsigned row = 0, empty = !p->n_own; row < ARRAY_LEN(perf_rows); row++)
		if (empty && !options->n_events && strcmp(perf_rows[row].running, "PerfRunningCycles") == 0)
			add_row(p, row);
	p->n_rows = p->n_own;
	for (unsigned i = 0; i < options->n_needs; i++)
		for (unsigned row = 0; row < p->n_own; row++)
			if (span_is(options->needs[i].slot, p->rows[row].slot))
				add_first(p, p->rows[row].set);
	if (!p->n_first)
		add_first(p, SET_CYCLES);
	p->n_sure = p->n_first;
	return true;
}
