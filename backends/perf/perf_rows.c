/* The CPU events, and which of them a source counts: those of the chosen metrics, or the standard
 * ones. A new event is a row here, a name in `slots perf` of src/data/cpu.metrics, and a
 * metric there. */
#include "backends/perf/perf.h"

#include "base/alloc.h"

#include <linux/perf_event.h>
#include <string.h>

enum {
	SET_SOFTWARE,
	SET_CYCLES,
	SET_SPECULATION,
	SET_BRANCHES,
	SET_L1D,
	SET_L2,
	SET_TLB,
	SET_STALLS,
	SET_TOPDOWN,
	SET_STALLED,
	SET_LAST_LEVEL,
	SET_L1I,
	SET_WALKS,
	SET_L3,
	SET_BUS,
	SET_BRANCH_KINDS,
	SET_L1D_KINDS,
	SET_TLB_ACCESSES,
	SET_BUS_KINDS,
	SET_MEMORY,
	SET_MIX,
	SET_SYNC,
	SET_CRYPTO,
	SET_EXCEPTIONS,
	SET_ASKED, /* and following: one per event requested by name */
};

#define SET(name)                                             \
	{                                                     \
		"PerfRunning" name, "PerfEnabled" name, false \
	}
#define EXTRA(name)                                          \
	{                                                    \
		"PerfRunning" name, "PerfEnabled" name, true \
	}
#define ASKED4(a, b, c, d) SET("Event" #a), SET("Event" #b), SET("Event" #c), SET("Event" #d)
const struct perf_set perf_sets[] = {
	[SET_SOFTWARE] = SET("Software"),
	[SET_CYCLES] = SET("Cycles"),
	[SET_SPECULATION] = SET("Speculation"),
	[SET_BRANCHES] = SET("Branches"),
	[SET_L1D] = SET("L1D"),
	[SET_L2] = SET("L2"),
	[SET_TLB] = SET("TLB"),
	[SET_STALLS] = SET("Stalls"),
	[SET_TOPDOWN] = SET("Topdown"),
	[SET_STALLED] = SET("Stalled"),
	[SET_LAST_LEVEL] = SET("LastLevel"),
	[SET_L1I] = SET("L1I"),
	[SET_WALKS] = SET("Walks"),
	[SET_L3] = SET("L3"),
	[SET_BUS] = SET("Bus"),
	[SET_BRANCH_KINDS] = EXTRA("BranchKinds"),
	[SET_L1D_KINDS] = EXTRA("L1DKinds"),
	[SET_TLB_ACCESSES] = EXTRA("TLBAccesses"),
	[SET_BUS_KINDS] = EXTRA("BusKinds"),
	[SET_MEMORY] = EXTRA("Memory"),
	[SET_MIX] = EXTRA("Mix"),
	[SET_SYNC] = EXTRA("Sync"),
	[SET_CRYPTO] = EXTRA("Crypto"),
	[SET_EXCEPTIONS] = EXTRA("Exceptions"),
	[SET_ASKED] = ASKED4(1, 2, 3, 4),
	ASKED4(5, 6, 7, 8),
	ASKED4(9, 10, 11, 12),
	ASKED4(13, 14, 15, 16),
};

#define ROW(name, of_set) .slot = (name), .raw = name "Raw", .set = (of_set)
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

/* By set. Arm's numbers are those of PMUv3; of two, the first that a core has together with the
 * event it needs: retired branches, or predicted branches on older cores. */
static const struct perf_row perf_rows[] = {
	{ROW("CPUTaskTime", SET_SOFTWARE), SOFT(TASK_CLOCK), .tasks_only = true},
	{ROW("CPUContextSwitches", SET_SOFTWARE), SOFT(CONTEXT_SWITCHES), .kernel_only = true},
	{ROW("CPUMigrations", SET_SOFTWARE), SOFT(CPU_MIGRATIONS), .kernel_only = true},
	{ROW("CPUPageFaults", SET_SOFTWARE), SOFT(PAGE_FAULTS)},
	{ROW("CPUPageFaultsMajor", SET_SOFTWARE), SOFT(PAGE_FAULTS_MAJ)},
	{ROW("CPUCycles", SET_CYCLES), ARM(0x11), HARD(CPU_CYCLES)},
	{ROW("CPUInstructions", SET_CYCLES), ARM(0x08), HARD(INSTRUCTIONS)},
	{ROW("CPUInstSpeculated", SET_SPECULATION), ARM(0x1b), ARM_ONLY},
	{ROW("CPUBranches", SET_BRANCHES), .arm = {{0x21, 0x22}, {0x12, 0x10}}, HARD(BRANCH_INSTRUCTIONS)},
	{ROW("CPUBranchMispredicts", SET_BRANCHES), .arm = {{0x22, 0x21}, {0x10, 0x12}}, HARD(BRANCH_MISSES)},
	{ROW("CPUL1DAccesses", SET_L1D), ARM(0x04), CACHE(L1D, ACCESS)},
	{ROW("CPUL1DRefills", SET_L1D), ARM(0x03), CACHE(L1D, MISS)},
	{ROW("CPUL2Accesses", SET_L2), ARM(0x16), ARM_ONLY},
	{ROW("CPUL2Refills", SET_L2), ARM(0x17), ARM_ONLY},
	{ROW("CPUDTLBRefills", SET_TLB), ARM(0x05), CACHE(DTLB, MISS)},
	{ROW("CPUITLBRefills", SET_TLB), ARM(0x02), CACHE(ITLB, MISS)},
	{ROW("CPUStallsFrontend", SET_STALLS), ARM(0x23), HARD(STALLED_CYCLES_FRONTEND)},
	{ROW("CPUStallsBackend", SET_STALLS), ARM(0x24), HARD(STALLED_CYCLES_BACKEND)},
	{ROW("CPUSlotCycles", SET_TOPDOWN), .arm = {{0x11, 0x3f}}, ARM_ONLY},
	{ROW("CPUSlots", SET_TOPDOWN), ARM_ONLY, .factor = PERF_SLOTS},
	{ROW("CPUOpsRetired", SET_TOPDOWN), ARM(0x3a), ARM_ONLY},
	{ROW("CPUOpsSpeculated", SET_TOPDOWN), ARM(0x3b), ARM_ONLY},
	{ROW("CPUSlotsBackend", SET_TOPDOWN), ARM(0x3d), ARM_ONLY},
	{ROW("CPUSlotsFrontend", SET_TOPDOWN), ARM(0x3e), ARM_ONLY},
	{ROW("CPUSlotsStalled", SET_TOPDOWN), ARM(0x3f), ARM_ONLY},
	{ROW("CPUStalledBackend", SET_STALLED), .arm = {{0x24, 0x4005}}, ARM_ONLY},
	{ROW("CPUStalledMemory", SET_STALLED), ARM(0x4005), ARM_ONLY},
	{ROW("CPULLReads", SET_LAST_LEVEL), .arm = {{0x36, 0x37}, {0x32, 0x33}}, HARD(CACHE_REFERENCES),
	 LAST_LEVEL(ACCESS)},
	{ROW("CPULLReadMisses", SET_LAST_LEVEL), .arm = {{0x37, 0x36}, {0x33, 0x32}}, HARD(CACHE_MISSES),
	 LAST_LEVEL(MISS)},
	{ROW("CPUL1IAccesses", SET_L1I), ARM(0x14), CACHE(L1I, ACCESS)},
	{ROW("CPUL1IRefills", SET_L1I), ARM(0x01), CACHE(L1I, MISS)},
	{ROW("CPUDTLBWalks", SET_WALKS), ARM(0x34), ARM_ONLY},
	{ROW("CPUITLBWalks", SET_WALKS), ARM(0x35), ARM_ONLY},
	{ROW("CPUL3Accesses", SET_L3), ARM(0x2b), ARM_ONLY},
	{ROW("CPUL3Refills", SET_L3), ARM(0x2a), ARM_ONLY},
	{ROW("CPUBusAccesses", SET_BUS), ARM(0x19), ARM_ONLY},
	{ROW("CPUBusBytes", SET_BUS), ARM_ONLY, .factor = PERF_BUS_BYTES},
	{ROW("CPUBranchImmediate", SET_BRANCH_KINDS), .arm = {{0x78, 0}, {0x0d, 0}}, ARM_ONLY},
	{ROW("CPUBranchReturns", SET_BRANCH_KINDS), .arm = {{0x79, 0}, {0x0e, 0}}, ARM_ONLY},
	{ROW("CPUBranchIndirect", SET_BRANCH_KINDS), ARM(0x7a), ARM_ONLY},
	{ROW("CPUL1DReads", SET_L1D_KINDS), ARM(0x40), CACHE(L1D, ACCESS)},
	{ROW("CPUL1DReadRefills", SET_L1D_KINDS), ARM(0x42), CACHE(L1D, MISS)},
	{ROW("CPUL1DWrites", SET_L1D_KINDS), ARM(0x41), CACHE_OP(L1D, WRITE, ACCESS)},
	{ROW("CPUL1DWriteRefills", SET_L1D_KINDS), ARM(0x43), CACHE_OP(L1D, WRITE, MISS)},
	{ROW("CPUDTLBAccesses", SET_TLB_ACCESSES), ARM(0x25), CACHE(DTLB, ACCESS)},
	{ROW("CPUITLBAccesses", SET_TLB_ACCESSES), ARM(0x26), CACHE(ITLB, ACCESS)},
	{ROW("CPUBusReads", SET_BUS_KINDS), ARM(0x60), ARM_ONLY},
	{ROW("CPUBusWrites", SET_BUS_KINDS), ARM(0x61), ARM_ONLY},
	{ROW("CPUBusCycles", SET_BUS_KINDS), ARM(0x1d), HARD(BUS_CYCLES)},
	{ROW("CPUMemoryAccesses", SET_MEMORY), ARM(0x13), ARM_ONLY},
	{ROW("CPUMemoryReads", SET_MEMORY), ARM(0x66), ARM_ONLY},
	{ROW("CPUMemoryWrites", SET_MEMORY), ARM(0x67), ARM_ONLY},
	{ROW("CPUUnaligned", SET_MEMORY), .arm = {{0x6a, 0}, {0x0f, 0}}, ARM_ONLY},
	{ROW("CPULoads", SET_MIX), .arm = {{0x70, 0}, {0x06, 0}}, ARM_ONLY},
	{ROW("CPUStores", SET_MIX), .arm = {{0x71, 0}, {0x07, 0}}, ARM_ONLY},
	{ROW("CPUIntegerOps", SET_MIX), ARM(0x73), ARM_ONLY},
	{ROW("CPUSIMDOps", SET_MIX), ARM(0x74), ARM_ONLY},
	{ROW("CPUFloatOps", SET_MIX), ARM(0x75), ARM_ONLY},
	{ROW("CPUExclusiveLoads", SET_SYNC), ARM(0x6c), ARM_ONLY},
	{ROW("CPUExclusiveStores", SET_SYNC), ARM(0x6d), ARM_ONLY},
	{ROW("CPUExclusiveFails", SET_SYNC), ARM(0x6e), ARM_ONLY},
	{ROW("CPUDataSyncBarriers", SET_SYNC), ARM(0x7d), ARM_ONLY},
	{ROW("CPUDataMemBarriers", SET_SYNC), ARM(0x7e), ARM_ONLY},
	{ROW("CPUCryptoOps", SET_CRYPTO), ARM(0x77), ARM_ONLY},
	{ROW("CPUExceptions", SET_EXCEPTIONS), ARM(0x09), ARM_ONLY},
	{ROW("CPUSystemCalls", SET_EXCEPTIONS), ARM(0x82), ARM_ONLY},
	{ROW("CPUInstructionAborts", SET_EXCEPTIONS), ARM(0x83), ARM_ONLY},
	{ROW("CPUDataAborts", SET_EXCEPTIONS), ARM(0x84), ARM_ONLY},
	{ROW("CPUInterrupts", SET_EXCEPTIONS), ARM(0x86), ARM_ONLY},
};
_Static_assert(PERF_OWN_MAX + PERF_ASKED_MAX <= PERF_EVENTS_MAX, "a bit per row");
_Static_assert(ARRAY_LEN(perf_sets) == SET_ASKED + PERF_ASKED_MAX, "a set per event that may be asked for");
_Static_assert(ARRAY_LEN(perf_sets) <= PERF_SETS_MAX, "a number per set");

#define RAW4(a, b, c, d) "PerfRawEvent" #a, "PerfRawEvent" #b, "PerfRawEvent" #c, "PerfRawEvent" #d
struct perf_row perf_row_asked(unsigned i, unsigned group, const char *name)
{
	static const char *const raw[PERF_ASKED_MAX] = {RAW4(1, 2, 3, 4), RAW4(5, 6, 7, 8),
							RAW4(9, 10, 11, 12), RAW4(13, 14, 15, 16)};

	return (struct perf_row){.slot = name, .raw = raw[i], .set = (uint8_t)(SET_ASKED + group), ARM_ONLY};
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
	bool extra = perf_sets[r->set].extra;
	const struct metric_need *need = find_need(o, r->slot);

	if (!need && r->tasks_only)
		need = find_need(o, PERF_WHOLE_TIME);
	if (!need && row + 1 < ARRAY_LEN(perf_rows) && perf_rows[row + 1].factor)
		need = find_need(o, perf_rows[row + 1].slot);
	return o->needs_only ? need && (need->named || !extra) : !extra;
}

static void add_first(struct perf *p, uint8_t set)
{
	if (!memchr(p->first, set, p->n_first))
		p->first[p->n_first++] = set;
}

/* The set of a slot, of whatever instance; -1: it is not an event. */
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

		if (i == priority->n_sure) { /* cycles and instructions give way only to what was chosen */
			add_first(p, SET_CYCLES);
			p->n_sure = p->n_first;
		}
		if (set >= 0)
			add_first(p, (uint8_t)set);
	}
	p->plans_again |=
		p->n_first != n_before || p->n_sure != n_sure || memcmp(p->first, before, p->n_first) != 0;
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
		p->rows[p->n_own++] = perf_rows[row];
	}
	/* Metrics of other sources need no event of this one; then count the least. */
	for (unsigned row = 0, empty = !p->n_own; row < ARRAY_LEN(perf_rows); row++)
		if (empty && !options->n_events && perf_rows[row].set == SET_CYCLES)
			p->rows[p->n_own++] = perf_rows[row];
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
