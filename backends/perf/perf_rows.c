/* The CPU events. A new event is a row here, a name in `slots perf` of src/data/cpu.metrics, and a
 * metric there. */
#include "backends/perf/perf.h"

#include "base/alloc.h"

#include <linux/perf_event.h>

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

#define SET(name, title)                                             \
	{                                                            \
		"PerfRunning" name, "PerfEnabled" name, title, false \
	}
#define EXTRA(name, title)                                          \
	{                                                           \
		"PerfRunning" name, "PerfEnabled" name, title, true \
	}
#define ASKED(n) [SET_ASKED + (n)-1] = SET("Event" #n, "event " #n)
const struct perf_set perf_sets[] = {
	[SET_SOFTWARE] = SET("Software", "kernel"),
	[SET_CYCLES] = SET("Cycles", "cycles and instructions"),
	[SET_SPECULATION] = SET("Speculation", "speculation"),
	[SET_BRANCHES] = SET("Branches", "branches"),
	[SET_L1D] = SET("L1D", "L1 data cache"),
	[SET_L2] = SET("L2", "L2 cache"),
	[SET_TLB] = SET("TLB", "TLBs"),
	[SET_STALLS] = SET("Stalls", "stalls"),
	[SET_TOPDOWN] = SET("Topdown", "slots of the pipeline"),
	[SET_STALLED] = SET("Stalled", "stalls for memory"),
	[SET_LAST_LEVEL] = SET("LastLevel", "last-level cache"),
	[SET_L1I] = SET("L1I", "L1 instruction cache"),
	[SET_WALKS] = SET("Walks", "page table walks"),
	[SET_L3] = SET("L3", "L3 cache"),
	[SET_BUS] = SET("Bus", "bus"),
	[SET_BRANCH_KINDS] = EXTRA("BranchKinds", "kinds of branches"),
	[SET_L1D_KINDS] = EXTRA("L1DKinds", "L1 data cache, reads and writes"),
	[SET_TLB_ACCESSES] = EXTRA("TLBAccesses", "TLB accesses"),
	[SET_BUS_KINDS] = EXTRA("BusKinds", "bus, reads and writes"),
	[SET_MEMORY] = EXTRA("Memory", "memory accesses"),
	[SET_MIX] = EXTRA("Mix", "kinds of instructions"),
	[SET_SYNC] = EXTRA("Sync", "exclusives and barriers"),
	[SET_CRYPTO] = EXTRA("Crypto", "cryptography"),
	[SET_EXCEPTIONS] = EXTRA("Exceptions", "exceptions"),
	ASKED(1),
	ASKED(2),
	ASKED(3),
	ASKED(4),
	ASKED(5),
	ASKED(6),
	ASKED(7),
	ASKED(8),
	ASKED(9),
	ASKED(10),
	ASKED(11),
	ASKED(12),
	ASKED(13),
	ASKED(14),
	ASKED(15),
	ASKED(16),
};

#define ROW(name, of_set) .slot = (name), .raw = name "Raw", .set = (of_set)
#define ARM(number) .arm = {{number, 0}}
#define SOFT(event) .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_##event
#define HARD(event) .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_##event
#define CACHE_OP(cache, operation, result)                                              \
	.type = PERF_TYPE_HW_CACHE, .config = PERF_COUNT_HW_CACHE_##cache |             \
					      PERF_COUNT_HW_CACHE_OP_##operation << 8 | \
					      PERF_COUNT_HW_CACHE_RESULT_##result << 16
#define CACHE(cache, result)                                                     \
	.type = PERF_TYPE_HW_CACHE, .config = PERF_COUNT_HW_CACHE_##cache |      \
					      PERF_COUNT_HW_CACHE_OP_READ << 8 | \
					      PERF_COUNT_HW_CACHE_RESULT_##result << 16
#define LAST_LEVEL(result)                                                   \
	.cache = PERF_COUNT_HW_CACHE_LL | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
		 PERF_COUNT_HW_CACHE_RESULT_##result << 16
#define ARM_ONLY .type = PERF_NO_TYPE

/* By set. Arm's numbers are those of PMUv3; of two, the first that a core has together with the
 * event it needs: retired branches, or predicted branches on older cores. */
const struct perf_row perf_rows[] = {
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
const unsigned perf_n_rows = ARRAY_LEN(perf_rows);
const unsigned perf_first_set = SET_CYCLES;
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

#define MAP(event, number)                                        \
	{                                                         \
		PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event, number \
	}
#define MAP_CACHE(cache, result, number)                                                 \
	{                                                                                \
		PERF_TYPE_HW_CACHE,                                                      \
			PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_READ << 8 | \
				PERF_COUNT_HW_CACHE_RESULT_##result << 16,               \
			number                                                           \
	}
const struct perf_mapping perf_mappings[] = {
	MAP(CPU_CYCLES, 0x11),
	MAP(INSTRUCTIONS, 0x08),
	MAP(CACHE_REFERENCES, 0x04),
	MAP(CACHE_MISSES, 0x03),
	MAP(BRANCH_INSTRUCTIONS, 0x0c),
	MAP(BRANCH_INSTRUCTIONS, 0x21),
	MAP(BRANCH_MISSES, 0x10),
	MAP(BUS_CYCLES, 0x1d),
	MAP(STALLED_CYCLES_FRONTEND, 0x23),
	MAP(STALLED_CYCLES_BACKEND, 0x24),
	MAP_CACHE(L1D, ACCESS, 0x04),
	MAP_CACHE(L1D, MISS, 0x03),
	MAP_CACHE(L1I, ACCESS, 0x14),
	MAP_CACHE(L1I, MISS, 0x01),
	MAP_CACHE(DTLB, ACCESS, 0x25),
	MAP_CACHE(DTLB, MISS, 0x05),
	MAP_CACHE(ITLB, ACCESS, 0x26),
	MAP_CACHE(ITLB, MISS, 0x02),
	MAP_CACHE(LL, ACCESS, 0x36),
	MAP_CACHE(LL, MISS, 0x37),
	MAP_CACHE(BPU, ACCESS, 0x12),
	MAP_CACHE(BPU, MISS, 0x10),
};
const unsigned perf_n_mappings = ARRAY_LEN(perf_mappings);
