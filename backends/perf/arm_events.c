#include "backends/perf/perf_name.h"

#include "base/alloc.h"

#include <string.h>
#include <strings.h>

/* A core's bit in `cores` below is its index here. Sources: gator's event lists for the facts about
 * Arm's cores; the cores' technical reference manuals for the bus widths, if the core (or its
 * cluster) has only one width. */
static const struct {
	const char *name; /* as in the kernel's PMU: armv8_cortex_a72 */
	unsigned part;    /* implementer << 12 | part */
	unsigned bus_bytes;
} cores[] = {
	{"cortex_a53", 0x41d03, 16}, {"cortex_a55", 0x41d05, 0},  {"cortex_a57", 0x41d07, 16},
	{"cortex_a72", 0x41d08, 16}, {"cortex_a73", 0x41d09, 0},  {"cortex_a75", 0x41d0a, 0},
	{"cortex_a76", 0x41d0b, 0},  {"cortex_a77", 0x41d0d, 0},  {"cortex_a78", 0x41d41, 0},
	{"cortex_a510", 0x41d46, 0}, {"cortex_a520", 0x41d80, 0}, {"cortex_a710", 0x41d47, 0},
	{"cortex_a715", 0x41d4d, 0}, {"cortex_a720", 0x41d81, 0}, {"cortex_a725", 0x41d87, 0},
	{"cortex_x1", 0x41d44, 0},   {"cortex_x2", 0x41d48, 0},   {"cortex_x3", 0x41d4e, 0},
	{"cortex_x4", 0x41d82, 0},   {"cortex_x925", 0x41d85, 0},
};

/* Common events by number: their names, and which of the cores have them. */
static const struct {
	uint16_t number;
	uint32_t cores;
	const char *name;
} events[] = {
	{0x0000, 0xfdfff, "SW_INCR"},
	{0x0001, 0xfffff, "L1I_CACHE_REFILL"},
	{0x0002, 0xfffff, "L1I_TLB_REFILL"},
	{0x0003, 0xfffff, "L1D_CACHE_REFILL"},
	{0x0004, 0xfffff, "L1D_CACHE"},
	{0x0005, 0xfffff, "L1D_TLB_REFILL"},
	{0x0006, 0x00603, "LD_RETIRED"},
	{0x0007, 0x00603, "ST_RETIRED"},
	{0x0008, 0xfffff, "INST_RETIRED"},
	{0x0009, 0xfffff, "EXC_TAKEN"},
	{0x000a, 0xfffff, "EXC_RETURN"},
	{0x000b, 0xfffff, "CID_WRITE_RETIRED"},
	{0x000c, 0xc6633, "PC_WRITE_RETIRED"},
	{0x000d, 0xc6633, "BR_IMMED_RETIRED"},
	{0x000e, 0xc6633, "BR_RETURN_RETIRED"},
	{0x000f, 0x00003, "UNALIGNED_LDST_RETIRED"},
	{0x0010, 0xfffff, "BR_MIS_PRED"},
	{0x0011, 0xfffff, "CPU_CYCLES"},
	{0x0012, 0xfffff, "BR_PRED"},
	{0x0013, 0xfffff, "MEM_ACCESS"},
	{0x0014, 0xfffff, "L1I_CACHE"},
	{0x0015, 0xfffff, "L1D_CACHE_WB"},
	{0x0016, 0xfffff, "L2D_CACHE"},
	{0x0017, 0xfffff, "L2D_CACHE_REFILL"},
	{0x0018, 0xfffff, "L2D_CACHE_WB"},
	{0x0019, 0xfffff, "BUS_ACCESS"},
	{0x001a, 0xf9fcf, "MEMORY_ERROR"},
	{0x001b, 0xffffe, "INST_SPEC"},
	{0x001c, 0xffffe, "TTBR_WRITE_RETIRED"},
	{0x001d, 0xfffff, "BUS_CYCLES"},
	{0x001e, 0x00000, "CHAIN"},
	{0x001f, 0x00020, "L1D_CACHE_ALLOCATE"},
	{0x0020, 0xfffe2, "L2D_CACHE_ALLOCATE"},
	{0x0021, 0xfffe2, "BR_RETIRED"},
	{0x0022, 0xfffc2, "BR_MIS_PRED_RETIRED"},
	{0x0023, 0xfffe2, "STALL_FRONTEND"},
	{0x0024, 0xfffe2, "STALL_BACKEND"},
	{0x0025, 0xfffe2, "L1D_TLB"},
	{0x0026, 0xfffe2, "L1I_TLB"},
	{0x0027, 0x04000, "L2I_CACHE"},
	{0x0028, 0x04000, "L2I_CACHE_REFILL"},
	{0x0029, 0xff9e2, "L3D_CACHE_ALLOCATE"},
	{0x002a, 0xff9e2, "L3D_CACHE_REFILL"},
	{0x002b, 0xfffe2, "L3D_CACHE"},
	{0x002c, 0x00000, "L3D_CACHE_WB"},
	{0x002d, 0xfffe2, "L2D_TLB_REFILL"},
	{0x002e, 0x00000, "L2I_TLB_REFILL"},
	{0x002f, 0xfffe2, "L2D_TLB"},
	{0x0030, 0x00020, "L2I_TLB"},
	{0x0031, 0xff9c0, "REMOTE_ACCESS"},
	{0x0032, 0x04000, "LL_CACHE"},
	{0x0033, 0x04000, "LL_CACHE_MISS"},
	{0x0034, 0xfffe2, "DTLB_WALK"},
	{0x0035, 0xfffe2, "ITLB_WALK"},
	{0x0036, 0xfffe2, "LL_CACHE_RD"},
	{0x0037, 0xfffe2, "LL_CACHE_MISS_RD"},
	{0x0038, 0x00622, "REMOTE_ACCESS_RD"},
	{0x0039, 0xfff00, "L1D_CACHE_LMISS_RD"},
	{0x003a, 0xfff00, "OP_RETIRED"},
	{0x003b, 0xfff00, "OP_SPEC"},
	{0x003c, 0xfff00, "STALL"},
	{0x003d, 0xfff00, "STALL_SLOT_BACKEND"},
	{0x003e, 0xfff00, "STALL_SLOT_FRONTEND"},
	{0x003f, 0xfff00, "STALL_SLOT"},
	{0x0040, 0xffffe, "L1D_CACHE_RD"},
	{0x0041, 0xffffe, "L1D_CACHE_WR"},
	{0x0042, 0x39fce, "L1D_CACHE_REFILL_RD"},
	{0x0043, 0x39fce, "L1D_CACHE_REFILL_WR"},
	{0x0044, 0xfffc2, "L1D_CACHE_REFILL_INNER"},
	{0x0045, 0xfffc2, "L1D_CACHE_REFILL_OUTER"},
	{0x0046, 0xf99ec, "L1D_CACHE_WB_VICTIM"},
	{0x0047, 0xf99ec, "L1D_CACHE_WB_CLEAN"},
	{0x0048, 0xff9ec, "L1D_CACHE_INVAL"},
	{0x004c, 0xf99cc, "L1D_TLB_REFILL_RD"},
	{0x004d, 0xf99cc, "L1D_TLB_REFILL_WR"},
	{0x004e, 0xf99c0, "L1D_TLB_RD"},
	{0x004f, 0xf99c0, "L1D_TLB_WR"},
	{0x0050, 0xffffe, "L2D_CACHE_RD"},
	{0x0051, 0xffffe, "L2D_CACHE_WR"},
	{0x0052, 0xfffce, "L2D_CACHE_REFILL_RD"},
	{0x0053, 0xfffce, "L2D_CACHE_REFILL_WR"},
	{0x0056, 0xff9fc, "L2D_CACHE_WB_VICTIM"},
	{0x0057, 0xff9fc, "L2D_CACHE_WB_CLEAN"},
	{0x0058, 0xff9fc, "L2D_CACHE_INVAL"},
	{0x005c, 0xf99c0, "L2D_TLB_REFILL_RD"},
	{0x005d, 0xf99c0, "L2D_TLB_REFILL_WR"},
	{0x005e, 0xf99c0, "L2D_TLB_RD"},
	{0x005f, 0xf99c0, "L2D_TLB_WR"},
	{0x0060, 0xfffef, "BUS_ACCESS_RD"},
	{0x0061, 0xfffef, "BUS_ACCESS_WR"},
	{0x0062, 0x0001c, "BUS_ACCESS_SHARED"},
	{0x0063, 0x0001c, "BUS_ACCESS_NOT_SHARED"},
	{0x0064, 0x0001c, "BUS_ACCESS_NORMAL"},
	{0x0065, 0x0001c, "BUS_ACCESS_PERIPH"},
	{0x0066, 0xffffe, "MEM_ACCESS_RD"},
	{0x0067, 0xffffe, "MEM_ACCESS_WR"},
	{0x0068, 0xf99cc, "UNALIGNED_LD_SPEC"},
	{0x0069, 0xf99cc, "UNALIGNED_ST_SPEC"},
	{0x006a, 0xf99fc, "UNALIGNED_LDST_SPEC"},
	{0x006c, 0xf99fc, "LDREX_SPEC"},
	{0x006d, 0xf99ec, "STREX_PASS_SPEC"},
	{0x006e, 0xffdfc, "STREX_FAIL_SPEC"},
	{0x006f, 0xffde0, "STREX_SPEC"},
	{0x0070, 0xffffe, "LD_SPEC"},
	{0x0071, 0xffffe, "ST_SPEC"},
	{0x0072, 0xc06fe, "LDST_SPEC"},
	{0x0073, 0xffffe, "DP_SPEC"},
	{0x0074, 0xffffe, "ASE_SPEC"},
	{0x0075, 0xffffe, "VFP_SPEC"},
	{0x0076, 0xfffce, "PC_WRITE_SPEC"},
	{0x0077, 0xffffe, "CRYPTO_SPEC"},
	{0x0078, 0xf9fce, "BR_IMMED_SPEC"},
	{0x0079, 0xf9fce, "BR_RETURN_SPEC"},
	{0x007a, 0xf9fff, "BR_INDIRECT_SPEC"},
	{0x007c, 0xff9fc, "ISB_SPEC"},
	{0x007d, 0xff9fc, "DSB_SPEC"},
	{0x007e, 0xff9fc, "DMB_SPEC"},
	{0x007f, 0xc0000, "CSDB_SPEC"},
	{0x0081, 0xff9ec, "EXC_UNDEF"},
	{0x0082, 0xff9cc, "EXC_SVC"},
	{0x0083, 0xff9cc, "EXC_PABORT"},
	{0x0084, 0xff9cc, "EXC_DABORT"},
	{0x0086, 0xfffcf, "EXC_IRQ"},
	{0x0087, 0xfffcf, "EXC_FIQ"},
	{0x0088, 0xff9cc, "EXC_SMC"},
	{0x008a, 0xff9fc, "EXC_HVC"},
	{0x008b, 0xff9cc, "EXC_TRAP_PABORT"},
	{0x008c, 0xff9cc, "EXC_TRAP_DABORT"},
	{0x008d, 0xff9cc, "EXC_TRAP_OTHER"},
	{0x008e, 0xff9cc, "EXC_TRAP_IRQ"},
	{0x008f, 0xff9cc, "EXC_TRAP_FIQ"},
	{0x0090, 0xff9cc, "RC_LD_SPEC"},
	{0x0091, 0xff9cc, "RC_ST_SPEC"},
	{0x00a0, 0xfffe2, "L3D_CACHE_RD"},
	{0x00a2, 0x00622, "L3D_CACHE_REFILL_RD"},
	{0x4004, 0xff900, "CNT_CYCLES"},
	{0x4005, 0xfdf00, "STALL_BACKEND_MEM"},
	{0x4006, 0xfff00, "L1I_CACHE_LMISS"},
	{0x4009, 0xfff00, "L2D_CACHE_LMISS_RD"},
	{0x400b, 0xfff00, "L3D_CACHE_LMISS_RD"},
};

int arm_core_find(const char *pmu, const struct cpu_set *set, const struct cpus *cpus)
{
	const char *core = strstr(pmu, "cortex_");
	int part = -1;

	for (unsigned i = 0; cpus && i < cpus->n && part < 0; i++)
		if (cpu_set_has(set, cpus->cpus[i].number))
			part = cpus->cpus[i].part;
	for (size_t i = 0; i < ARRAY_LEN(cores); i++)
		if (core ? strcmp(core, cores[i].name) == 0 : (int)cores[i].part == part)
			return (int)i;
	return -1;
}

unsigned arm_core_bus_bytes(int core)
{
	return core < 0 ? 0 : cores[core].bus_bytes;
}

/* Return the index of an event; the number of events if it is unknown. */
static size_t index_of(uint16_t number)
{
	size_t i = 0;

	while (i < ARRAY_LEN(events) && events[i].number != number)
		i++;
	return i;
}

bool arm_core_has(int core, uint16_t number)
{
	size_t i = index_of(number);

	return core >= 0 && i < ARRAY_LEN(events) && events[i].cores >> core & 1;
}

bool arm_event_find(struct span name, uint16_t *number)
{
	for (size_t i = 0; i < ARRAY_LEN(events); i++)
		if (name.n == strlen(events[i].name) && strncasecmp(name.p, events[i].name, name.n) == 0) {
			*number = events[i].number;
			return true;
		}
	return false;
}

const char *arm_event_name(uint16_t number)
{
	size_t i = index_of(number);

	return i < ARRAY_LEN(events) ? events[i].name : NULL;
}

bool arm_event_at(unsigned i, const char **name, uint16_t *number, struct strbuf *in)
{
	static const size_t prefix = sizeof("cortex_") - 1;
	uint32_t all = (1u << ARRAY_LEN(cores)) - 1;

	if (i >= ARRAY_LEN(events))
		return false;
	*name = events[i].name;
	*number = events[i].number;
	for (size_t c = 0; events[i].cores != all && c < ARRAY_LEN(cores); c++)
		if (events[i].cores >> c & 1)
			strbuf_printf(in, "%s%c%s", in->n ? " " : "", cores[c].name[prefix] - 'a' + 'A',
				      cores[c].name + prefix + 1);
	return true;
}
