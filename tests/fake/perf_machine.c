/* The machines: their PMUs, what these can count, and how fast it happens. */
#include "tests/fake/perf_priv.h"

#include "base/alloc.h"

#include <errno.h>
#include <string.h>

#define ARM(name, type, cpus, core, counters, ...)                                                \
	{                                                                                         \
		name, FAKE_ARM, type, cpus, core, counters, {__VA_ARGS__}, 32, .lists_cpus = true \
	}
#define INTEL(name, type, cpus, counters, lists)                                           \
	{                                                                                  \
		name, FAKE_X86, type, cpus, FAKE_INTEL, counters, {0xc0, 0x3c, 0x300}, 48, \
			.lists_cpus = lists                                                \
	}

const struct fake_machine fake_machines[] = {
	{"a72x4", 4, {{0xf, FAKE_A72, 1024}}, {ARM("armv8_cortex_a72", 8, 0xf, FAKE_A72, 6, 0x11)}},
	{"rk3588",
	 8,
	 {{0xf, FAKE_A55, 530}, {0xf0, FAKE_A76, 1024}},
	 {ARM("armv8_cortex_a55", 8, 0xf, FAKE_A55, 6, 0x11),
	  ARM("armv8_cortex_a76", 9, 0xf0, FAKE_A76, 6, 0x11)}},
	{"tiny2", 2, {{0x3, FAKE_A53, 1024}}, {ARM("armv8_cortex_a53", 8, 0x3, FAKE_A53, 2, 0)}},
	{"x86", 4, {{0xf, FAKE_INTEL, 0}}, {INTEL("cpu", 4, 0xf, 4, false)}},
	{"hybrid",
	 8,
	 {{0xf, FAKE_INTEL, 0}, {0xf0, FAKE_INTEL, 0}},
	 {INTEL("cpu_core", 4, 0xf, 8, true), INTEL("cpu_atom", 10, 0xf0, 6, true)}},
	{.name = "vm", .n_cpus = 2, .clusters = {{0x3, FAKE_INTEL, 0}}},
	{"generic4",
	 4,
	 {{0xf, FAKE_A72, 1024}},
	 {{"armv8_pmuv3", FAKE_ARM, 8, 0xf, FAKE_A72, 4, {0x11}, 32, .lists_cpus = true, .nameless = true}}},
	{"armv8_pmuv3",
	 8,
	 {{0xf, FAKE_A53, 440}, {0xf0, FAKE_A72, 1024}},
	 {ARM("armv8_pmuv3", 8, 0xff, FAKE_A53 | FAKE_A72, 6, 0x11)}},
	{"a53x4", 4, {{0xf, FAKE_A53, 1024}}, {ARM("armv8_cortex_a53", 8, 0xf, FAKE_A53, 6, 0x11)}},
	{"a710x4", 4, {{0xf, FAKE_A710, 1024}}, {ARM("armv9_cortex_a710", 8, 0xf, FAKE_A710, 6, 0x11)}},
	{.name = NULL},
};

#define SMALL (FAKE_A53 | FAKE_A55)
#define NEWER (FAKE_A55 | FAKE_A76 | FAKE_A710)
#define BIG (FAKE_A72 | FAKE_A76 | FAKE_A710)
#define NOT_A53 (FAKE_A55 | FAKE_A72 | FAKE_A76 | FAKE_A710)
#define EVERY (FAKE_A53 | NOT_A53)

/* Sysfs has names for what Armv8 itself numbers, below 0x40. */
static const struct {
	uint64_t raw;
	const char *name;
	unsigned cores;
} events[] = {
	{0x0000, "sw_incr", EVERY},
	{0x0001, "l1i_cache_refill", EVERY},
	{0x0002, "l1i_tlb_refill", EVERY},
	{0x0003, "l1d_cache_refill", EVERY},
	{0x0004, "l1d_cache", EVERY},
	{0x0005, "l1d_tlb_refill", EVERY},
	{0x0006, "ld_retired", SMALL},
	{0x0007, "st_retired", SMALL},
	{0x0008, "inst_retired", EVERY},
	{0x0009, "exc_taken", EVERY},
	{0x000a, "exc_return", EVERY},
	{0x000b, "cid_write_retired", EVERY},
	{0x000c, "pc_write_retired", SMALL},
	{0x000d, "br_immed_retired", SMALL},
	{0x000e, "br_return_retired", SMALL},
	{0x000f, "unaligned_ldst_retired", SMALL},
	{0x0010, "br_mis_pred", EVERY},
	{0x0011, "cpu_cycles", EVERY},
	{0x0012, "br_pred", EVERY},
	{0x0013, "mem_access", EVERY},
	{0x0014, "l1i_cache", EVERY},
	{0x0015, "l1d_cache_wb", EVERY},
	{0x0016, "l2d_cache", EVERY},
	{0x0017, "l2d_cache_refill", EVERY},
	{0x0018, "l2d_cache_wb", EVERY},
	{0x0019, "bus_access", EVERY},
	{0x001a, "memory_error", EVERY},
	{0x001b, "inst_spec", NOT_A53},
	{0x001c, "ttbr_write_retired", NOT_A53},
	{0x001d, "bus_cycles", EVERY},
	{0x0020, "l2d_cache_allocate", NEWER},
	{0x0021, "br_retired", NEWER},
	{0x0022, "br_mis_pred_retired", NEWER},
	{0x0023, "stall_frontend", NEWER},
	{0x0024, "stall_backend", NEWER},
	{0x0025, "l1d_tlb", NEWER},
	{0x0026, "l1i_tlb", NEWER},
	{0x0029, "l3d_cache_allocate", NEWER},
	{0x002a, "l3d_cache_refill", NEWER},
	{0x002b, "l3d_cache", NEWER},
	{0x002d, "l2d_tlb_refill", NEWER},
	{0x002f, "l2d_tlb", NEWER},
	{0x0031, "remote_access", FAKE_A76},
	{0x0034, "dtlb_walk", NEWER},
	{0x0035, "itlb_walk", NEWER},
	{0x0036, "ll_cache_rd", NEWER},
	{0x0037, "ll_cache_miss_rd", NEWER},
	{0x0038, "remote_access_rd", FAKE_A55},
	{0x003a, "op_retired", FAKE_A710},
	{0x003b, "op_spec", FAKE_A710},
	{0x003d, "stall_slot_backend", FAKE_A710},
	{0x003e, "stall_slot_frontend", FAKE_A710},
	{0x003f, "stall_slot", FAKE_A710},
	{0x0040, "l1d_cache_rd", NOT_A53},
	{0x0041, "l1d_cache_wr", NOT_A53},
	{0x0042, "l1d_cache_refill_rd", NOT_A53},
	{0x0043, "l1d_cache_refill_wr", NOT_A53},
	{0x004c, "l1d_tlb_refill_rd", BIG},
	{0x004d, "l1d_tlb_refill_wr", BIG},
	{0x0050, "l2d_cache_rd", NOT_A53},
	{0x0051, "l2d_cache_wr", NOT_A53},
	{0x0052, "l2d_cache_refill_rd", NOT_A53},
	{0x0053, "l2d_cache_refill_wr", NOT_A53},
	{0x0060, "bus_access_rd", EVERY},
	{0x0061, "bus_access_wr", EVERY},
	{0x0066, "mem_access_rd", NOT_A53},
	{0x0067, "mem_access_wr", NOT_A53},
	{0x0070, "ld_spec", NOT_A53},
	{0x0071, "st_spec", NOT_A53},
	{0x0072, "ldst_spec", NOT_A53},
	{0x0073, "dp_spec", NOT_A53},
	{0x0074, "ase_spec", NOT_A53},
	{0x0075, "vfp_spec", NOT_A53},
	{0x0076, "pc_write_spec", NOT_A53},
	{0x0077, "crypto_spec", NOT_A53},
	{0x0078, "br_immed_spec", NOT_A53},
	{0x0079, "br_return_spec", NOT_A53},
	{0x007a, "br_indirect_spec", EVERY},
	{0x4005, "stall_backend_mem", FAKE_A710},
	{0x3c, "cpu-cycles", FAKE_INTEL},
	{0xc0, "instructions", FAKE_INTEL},
	{0x300, "ref-cycles", FAKE_INTEL},
	{0x4f2e, "cache-references", FAKE_INTEL},
	{0x412e, "cache-misses", FAKE_INTEL},
	{0xc4, "branch-instructions", FAKE_INTEL},
	{0xc5, "branch-misses", FAKE_INTEL},
	{0x013c, "bus-cycles", FAKE_INTEL},
};

/* Numbers that the core counts as well and that have no row above. */
static const struct {
	uint64_t first, last;
	unsigned cores;
} ranges[] = {
	{0x44, 0x45, NEWER},    {0x46, 0x48, BIG},      {0x4e, 0x4f, FAKE_A76}, {0x56, 0x58, BIG},
	{0x5c, 0x5f, FAKE_A76}, {0x62, 0x65, FAKE_A72}, {0x68, 0x6a, BIG},      {0x6c, 0x6e, BIG},
	{0x6f, 0x6f, FAKE_A76}, {0x7c, 0x7e, BIG},      {0x81, 0x84, BIG},      {0x86, 0x87, EVERY},
	{0x88, 0x88, BIG},      {0x8a, 0x8f, BIG},      {0x90, 0x91, BIG},      {0xa0, 0xa0, NEWER},
	{0xa2, 0xa2, FAKE_A55},
};

/* What generic events are: by PERF_COUNT_HW_..., and by cache | operation << 8 | result << 16. */
static const struct {
	enum fake_pmu_kind kind;
	unsigned type;
	uint64_t config, raw;
} generic[] = {
	{FAKE_ARM, FAKE_TYPE_HARDWARE, 0, 0x11},
	{FAKE_ARM, FAKE_TYPE_HARDWARE, 1, 0x08},
	{FAKE_ARM, FAKE_TYPE_HARDWARE, 2, 0x04},
	{FAKE_ARM, FAKE_TYPE_HARDWARE, 3, 0x03},
	{FAKE_ARM, FAKE_TYPE_HARDWARE, 4, 0x0c},
	{FAKE_ARM, FAKE_TYPE_HARDWARE, 5, 0x10},
	{FAKE_ARM, FAKE_TYPE_HARDWARE, 6, 0x1d},
	{FAKE_ARM, FAKE_TYPE_HARDWARE, 7, 0x23},
	{FAKE_ARM, FAKE_TYPE_HARDWARE, 8, 0x24},
	{FAKE_ARM, FAKE_TYPE_CACHE, 0x00000, 0x04}, /* L1D, read: all, missed */
	{FAKE_ARM, FAKE_TYPE_CACHE, 0x10000, 0x03},
	{FAKE_ARM, FAKE_TYPE_CACHE, 0x00100, 0x41}, /* L1D, write */
	{FAKE_ARM, FAKE_TYPE_CACHE, 0x10100, 0x43},
	{FAKE_ARM, FAKE_TYPE_CACHE, 0x00001, 0x14}, /* L1I */
	{FAKE_ARM, FAKE_TYPE_CACHE, 0x10001, 0x01},
	{FAKE_ARM, FAKE_TYPE_CACHE, 0x00002, 0x36}, /* last level */
	{FAKE_ARM, FAKE_TYPE_CACHE, 0x10002, 0x37},
	{FAKE_ARM, FAKE_TYPE_CACHE, 0x00003, 0x25}, /* data TLB */
	{FAKE_ARM, FAKE_TYPE_CACHE, 0x10003, 0x05},
	{FAKE_ARM, FAKE_TYPE_CACHE, 0x00004, 0x26}, /* instruction TLB */
	{FAKE_ARM, FAKE_TYPE_CACHE, 0x10004, 0x02},
	{FAKE_ARM, FAKE_TYPE_CACHE, 0x00005, 0x12}, /* branch prediction */
	{FAKE_ARM, FAKE_TYPE_CACHE, 0x10005, 0x10},
	{FAKE_X86, FAKE_TYPE_HARDWARE, 0, 0x3c},
	{FAKE_X86, FAKE_TYPE_HARDWARE, 1, 0xc0},
	{FAKE_X86, FAKE_TYPE_HARDWARE, 2, 0x4f2e},
	{FAKE_X86, FAKE_TYPE_HARDWARE, 3, 0x412e},
	{FAKE_X86, FAKE_TYPE_HARDWARE, 4, 0xc4},
	{FAKE_X86, FAKE_TYPE_HARDWARE, 5, 0xc5},
	{FAKE_X86, FAKE_TYPE_HARDWARE, 6, 0x013c},
	{FAKE_X86, FAKE_TYPE_HARDWARE, 9, 0x300},
	{FAKE_X86, FAKE_TYPE_CACHE, 0x00000, 0x81d0},
	{FAKE_X86, FAKE_TYPE_CACHE, 0x10000, 0x0151},
	{FAKE_X86, FAKE_TYPE_CACHE, 0x00005, 0xc4},
	{FAKE_X86, FAKE_TYPE_CACHE, 0x10005, 0xc5},
};

const struct fake_machine *fake_machine_find(const char *name)
{
	for (const struct fake_machine *m = fake_machines; m->name; m++)
		if (strcmp(m->name, name) == 0)
			return m;
	return NULL;
}

/* Of several cores under one PMU, what all of them have. */
static bool all_of(const struct fake_pmu *pmu, unsigned cores)
{
	return (pmu->core & cores) == pmu->core;
}

static bool is_filtered(const struct fake_pmu *pmu, uint64_t raw)
{
	for (size_t i = 0; i < ARRAY_LEN(pmu->filtered) && pmu->filtered[i]; i++)
		if (pmu->filtered[i] == raw)
			return true;
	return false;
}

bool fake_perf_implements(const struct fake_pmu *pmu, uint64_t raw)
{
	if (pmu->kind != FAKE_ARM || is_filtered(pmu, raw))
		return pmu->kind != FAKE_ARM;
	for (size_t i = 0; i < ARRAY_LEN(events); i++)
		if (events[i].raw == raw && all_of(pmu, events[i].cores))
			return true;
	for (size_t i = 0; i < ARRAY_LEN(ranges); i++)
		if (raw >= ranges[i].first && raw <= ranges[i].last && all_of(pmu, ranges[i].cores))
			return true;
	return false;
}

const char *fake_perf_named(const struct fake_pmu *pmu, unsigned n, uint64_t *raw)
{
	for (size_t i = 0; i < ARRAY_LEN(events); i++) {
		if (!all_of(pmu, events[i].cores) || (pmu->kind == FAKE_ARM && events[i].raw >= 0x40) ||
		    is_filtered(pmu, events[i].raw) || n--)
			continue;
		*raw = events[i].raw;
		return events[i].name;
	}
	return NULL;
}

/* ---- which event a config is ---- */

static int map_generic(const struct fake_perf *f, const struct fake_pmu *pmu, const struct fake_attr *attr,
		       uint64_t *raw)
{
	for (size_t i = 0; i < ARRAY_LEN(generic); i++) {
		if (generic[i].kind != pmu->kind || generic[i].type != attr->type ||
		    generic[i].config != attr->config)
			continue;
		*raw = generic[i].raw;
		if (fake_perf_implements(pmu, *raw))
			return 0;
	}
	/* Cores that do not count jumps count retired branches. Older kernels do not know. */
	*raw = 0x21;
	if (pmu->kind == FAKE_ARM && attr->type == FAKE_TYPE_HARDWARE && attr->config == 4 &&
	    f->kernel >= FAKE_KERNEL(6, 5) && fake_perf_implements(pmu, *raw))
		return 0;
	return ENOENT;
}

static bool in_range(const struct fake_attr *attr)
{
	if (attr->type == FAKE_TYPE_HARDWARE)
		return attr->config < 10;
	return (attr->config & 0xff) < 7 && (attr->config >> 8 & 0xff) < 3 && (attr->config >> 16 & 0xff) < 2;
}

static int map_hardware(const struct fake_perf *f, const struct fake_pmu *pmu, const struct fake_attr *attr,
			uint64_t *raw)
{
	if (attr->type == pmu->type || (pmu->kind == FAKE_ARM && attr->type == FAKE_TYPE_RAW)) {
		*raw = pmu->kind == FAKE_ARM ? attr->config & 0xffff : attr->config;
	} else if (attr->type == FAKE_TYPE_HARDWARE || attr->type == FAKE_TYPE_CACHE) {
		if (!in_range(attr))
			return EINVAL;
		if (map_generic(f, pmu, attr, raw))
			return ENOENT;
	} else {
		return ENOENT;
	}
	if (pmu->kind == FAKE_ARM && *raw == 0x1e && f->kernel >= FAKE_KERNEL(4, 20))
		return EINVAL;
	return 0;
}

/* How many software events a kernel knows. */
static unsigned n_software(unsigned kernel)
{
	return 9 + (kernel >= FAKE_KERNEL(3, 12)) + (kernel >= FAKE_KERNEL(4, 4)) +
	       (kernel >= FAKE_KERNEL(5, 13));
}

int fake_perf_map(const struct fake_perf *f, const struct fake_pmu *pmu, const struct fake_attr *attr,
		  uint64_t *raw)
{
	bool privileged = f->paranoid < 0 || fake_perfmon(f);

	if (pmu->kind == FAKE_ARM || pmu->kind == FAKE_X86)
		return map_hardware(f, pmu, attr, raw);
	if (attr->type != pmu->type)
		return ENOENT;
	*raw = attr->config;
	if (pmu->kind == FAKE_SOFTWARE)
		return attr->config < n_software(f->kernel) ? 0 : ENOENT;
	if (attr->sample_type & 1 << 10 && !privileged) /* the raw data of a tracepoint */
		return EPERM;
	return attr->config && attr->config < 2000 ? 0 : EINVAL;
}

/* ---- how fast ---- */

static uint64_t software_per_ms(uint64_t config)
{
	static const uint64_t per_ms[] = {1000000, 1000000, 2, 1, 0, 2};

	return config < ARRAY_LEN(per_ms) ? per_ms[config] : 0;
}

static bool happens_rarely(uint64_t raw)
{
	for (size_t i = 0; i < ARRAY_LEN(events); i++)
		if (events[i].raw == raw)
			return strstr(events[i].name, "refill") || strstr(events[i].name, "mis");
	return false;
}

/* A rate that differs for every CPU and event, with cycles ahead of all others. */
static uint64_t default_per_us(const struct fake_pmu *pmu, uint64_t raw, int cpu)
{
	bool cycles = raw == (pmu->kind == FAKE_ARM ? 0x11 : 0x3c),
	     instructions = raw == (pmu->kind == FAKE_ARM ? 0x08 : 0xc0);
	uint64_t n = (uint64_t)cpu;

	if (cycles)
		return 1000 + 100 * n;
	if (instructions)
		return 700 + 50 * n;
	if (!raw && pmu->kind == FAKE_ARM)
		return 0; /* written by software, which does not */
	return happens_rarely(raw) ? 1 + (7 * raw + 3 * n) % 13 : 20 + (37 * raw + 5 * n) % 300;
}

static const struct fake_rate *tell_cost(const struct fake_perf *f, const struct fake_event *e, int cpu)
{
	for (unsigned i = f->n_rates; i-- > 0;) {
		const struct fake_rate *r = &f->rates[i];

		if (r->pmu == e->pmu && r->config == e->raw && (r->cpu < 0 || r->cpu == cpu))
			return r;
	}
	return NULL;
}

uint64_t fake_perf_per_ms(const struct fake_perf *f, const struct fake_event *e, int cpu)
{
	const struct fake_rate *r = tell_cost(f, e, cpu);
	uint64_t per_ms, percent = 100;

	if (f->phase_ns && f->now_ns / f->phase_ns % 2)
		return 0;
	if (e->pmu->kind == FAKE_SOFTWARE || e->pmu->kind == FAKE_TRACEPOINT)
		return r                               ? r->per_us * 1000
		       : e->pmu->kind == FAKE_SOFTWARE ? software_per_ms(e->raw)
						       : !fake_perf_is_traced(e->raw);
	if (!r && !fake_perf_implements(e->pmu, e->raw))
		return 0;
	per_ms = (r ? r->per_us : default_per_us(e->pmu, e->raw, cpu)) * 1000;
	percent -= e->attr.bits & FAKE_EXCLUDE_KERNEL ? f->kernel_percent : 0;
	percent -= e->attr.bits & FAKE_EXCLUDE_USER ? 100 - f->kernel_percent : 0;
	return per_ms / 100 * percent;
}
