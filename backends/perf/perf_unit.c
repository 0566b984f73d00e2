/* The PMUs that we count with, and the events that each of them has. */
#include "backends/perf/perf.h"

#include "base/alloc.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#define SLOTS_MOST 64
#define ARM_LISTED 0x31 /* every kernel lists lower numbers in sysfs if the PMU counts them */
#define ARM_COMMON 0x40 /* newer kernels also list numbers below this */

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
/* How the kernel counts a generic event on PMUv3: the first number that the core has. */
static const struct {
	uint32_t type;
	uint64_t config;
	uint16_t number;
} mappings[] = {
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

static void read_listed(struct perf_unit *unit, const struct sys *sys)
{
	AUTOFREE char *path = xasprintf(PERF_DEVICES "/%s/events", unit->name);
	uint16_t number;
	char **names;
	int n = sys->list(sys, path, &names);

	unit->lists = n > 0;
	for (int i = 0; i < n; i++)
		if (arm_event_find(span_of(names[i]), &number) && number < PERF_ARM_EVENTS)
			unit->listed[number / 64] |= (uint64_t)1 << number % 64;
	sys_names_free(names, n);
}

static bool is_listed(const struct perf_unit *unit, uint64_t number)
{
	return unit->listed[number / 64] >> number % 64 & 1;
}

/* Whether this kernel would list the number if the PMU counted it. */
static bool is_listable(const struct perf_unit *unit, uint64_t number)
{
	bool later = unit->lists && number < ARM_LISTED;

	for (; !later && number < ARM_COMMON; number++)
		later = is_listed(unit, number);
	return later;
}

/* No kernel lists the numbers from ARM_COMMON to 0x4000. */
static bool counts_event(const struct perf_unit *unit, uint16_t number)
{
	bool listed = unit->lists && number < ARM_COMMON;

	return is_listed(unit, number) || (!listed && arm_core_has(unit->core, number));
}

/* Whether the PMU is known not to count this number, although it can be opened. A hypervisor may
 * count less than the core does. A number without a name is counted as it is. */
static bool lacks_event(const struct perf_unit *unit, uint64_t number)
{
	if (number >= PERF_ARM_EVENTS || !arm_event_name((uint16_t)number) ||
	    counts_event(unit, (uint16_t)number))
		return false;
	return is_listable(unit, number) || (unit->core >= 0 && !arm_core_has(unit->core, (uint16_t)number));
}

static void add_event(const struct perf *p, struct perf_unit *unit, unsigned row, uint32_t type,
		      uint64_t config)
{
	unit->has |= (uint64_t)1 << row;
	unit->events[row] = (struct perf_event){.name = p->rows[row].slot, .type = type, .config = config};
}

/* Add events by Arm's numbers. An event that a core lacks can be opened, but counts nothing. */
static void add_arm_events(const struct perf *p, struct perf_unit *unit)
{
	for (unsigned row = 0; row < p->n_own; row++)
		for (unsigned i = 0; i < ARRAY_LEN(p->rows[row].arm); i++) {
			const struct perf_arm *arm = &p->rows[row].arm[i];

			if (!arm->number || unit->has >> row & 1 || !counts_event(unit, arm->number) ||
			    (arm->needs && !counts_event(unit, arm->needs)))
				continue;
			add_event(p, unit, row, unit->type, arm->number);
		}
}

/* Add the kernel's generic events. The kernel refuses to open those that it cannot map. */
static void add_generic_events(const struct perf *p, struct perf_unit *unit)
{
	uint64_t upper = unit->kind == PERF_EXTENDED ? (uint64_t)unit->type << PERF_PMU_TYPE_SHIFT : 0;
	bool x86 = strncmp(unit->name, "cpu", 3) == 0;

	unit->loose = !upper && unit->kind != PERF_SOFTWARE;
	for (unsigned row = 0; row < p->n_own; row++) {
		const struct perf_row *r = &p->rows[row];
		bool software = r->type == PERF_TYPE_SOFTWARE;

		if (r->type == PERF_NO_TYPE || software != (unit->kind == PERF_SOFTWARE))
			continue;
		if (r->cache && !x86)
			add_event(p, unit, row, PERF_TYPE_HW_CACHE, r->cache | upper);
		else
			add_event(p, unit, row, r->type, r->config | (software ? 0 : upper));
	}
}

static void serve_cpus(struct perf_unit *unit, const struct cpus *cpus)
{
	unit->n_cpus = 0;
	unit->cluster = -1;
	for (unsigned i = 0; i < cpus->n; i++) {
		int cluster = cpus->cpus[i].cluster;

		if (!cpu_set_has(&unit->cpus, cpus->cpus[i].number))
			continue;
		unit->cluster = !unit->n_cpus || unit->cluster == cluster ? cluster : -1;
		unit->n_cpus++;
	}
}

/* Return the slots of a cycle; 0 if neither the PMU nor the kernel reports them. */
static unsigned read_slots(const struct sys *sys, const char *pmu)
{
	AUTOFREE char *path = xasprintf(PERF_DEVICES "/%s/caps/slots", pmu);
	int64_t slots;

	return sys_read_i64(sys, path, &slots) && slots > 0 && slots <= SLOTS_MOST ? (unsigned)slots : 0;
}

/* ---- events requested by name ---- */

/* With several Arm PMUs, older kernels count a generic event on only one of them, so replace it by
 * this PMU's own event number. */
static bool map_generic(const struct perf_unit *unit, struct perf_event *event)
{
	for (size_t i = 0; i < ARRAY_LEN(mappings); i++) {
		uint16_t number = mappings[i].number;

		if (mappings[i].type != event->type || mappings[i].config != event->config ||
		    lacks_event(unit, number) ||
		    !(counts_event(unit, number) || arm_core_has(unit->core, number)))
			continue;
		event->type = unit->type;
		event->config = number;
		return true;
	}
	return false;
}

/* Fill in the event of one number for this PMU. Returns false if the PMU does not count it. */
static bool take_event(const struct perf *p, const struct perf_unit *unit, const struct perf_name *name,
		       const struct perf_name_event *from, struct perf_event *event)
{
	bool generic = from->event.type == PERF_TYPE_HARDWARE || from->event.type == PERF_TYPE_HW_CACHE;

	*event = from->event;
	if (unit->kind == PERF_SOFTWARE || event->type == PERF_TYPE_SOFTWARE)
		return unit->kind == PERF_SOFTWARE && event->type == PERF_TYPE_SOFTWARE;
	if (!from->pmu && !generic && event->type != PERF_TYPE_RAW)
		return false;
	if (!from->pmu && !generic && unit->kind != PERF_GENERIC)
		event->type = unit->type;
	if (generic && unit->kind == PERF_EXTENDED)
		event->config |= (uint64_t)unit->type << PERF_PMU_TYPE_SHIFT;
	if (generic)
		return unit->kind != PERF_ARM || p->n_hard == 1 || map_generic(unit, event);
	return (!from->pmu || event->type == unit->type) &&
	       (unit->kind != PERF_ARM || name->forced || !lacks_event(unit, event->config));
}

/* Note which own row counts the same event. */
static void find_twin(const struct perf *p, struct perf_unit *unit, unsigned row)
{
	struct perf_event event = unit->events[row];

	if (unit->kind == PERF_ARM && event.type != unit->type)
		map_generic(unit, &event);
	for (unsigned own = 0; own < p->n_own && !event.user_only && !event.kernel_only; own++)
		if (unit->has >> own & 1 && unit->events[own].type == event.type &&
		    unit->events[own].config == event.config && !event.config1 && !event.config2)
			unit->twin[row] = (uint8_t)(own + 1);
}

void perf_unit_ask(const struct perf *p, struct perf_unit *unit, unsigned row, const struct perf_name *name)
{
	for (unsigned i = 0; i < name->n && !(unit->has >> row & 1); i++) {
		if (!take_event(p, unit, name, &name->events[i], &unit->events[row]))
			continue;
		unit->events[row].user_only = name->user_only;
		unit->events[row].kernel_only = name->kernel_only;
		unit->has |= (uint64_t)1 << row;
		find_twin(p, unit, row);
	}
}

/* ---- finding PMUs ---- */

/* Add the unit of a PMU in sysfs that serves our CPUs, or of one that sysfs lacks. */
static void add_unit(struct perf *p, const struct sys *sys, enum perf_unit_kind kind,
		     const struct perf_pmu *pmu)
{
	struct perf_unit *unit = &p->units[p->n_units];

	*unit = (struct perf_unit){
		.kind = kind, .limit = PERF_GROUP_MAX, .type = pmu->type, .cpus = pmu->cpus, .core = -1};
	memcpy(unit->name, pmu->name, sizeof(unit->name));
	serve_cpus(unit, &p->cpus);
	if (pmu->core && !unit->n_cpus)
		return;
	p->n_units++;
	if (kind == PERF_ARM) {
		unit->core = arm_core_find(unit->name, &unit->cpus, &p->cpus);
		read_listed(unit, sys);
	}
	if (kind != PERF_ARM || (!unit->lists && unit->core < 0)) {
		add_generic_events(p, unit);
		return;
	}
	add_arm_events(p, unit);
	unit->factors[PERF_BUS_BYTES] = arm_core_bus_bytes(unit->core);
	unit->factors[PERF_SLOTS] = read_slots(sys, unit->name);
}

void perf_units_find(struct perf *p, const struct sys *sys)
{
	struct perf_pmu everywhere = {.name = "generic"};

	memset(&everywhere.cpus, 0xff, sizeof(everywhere.cpus));
	perf_pmus_find(&p->pmus, sys);
	/* "cpu" serves all CPUs; if there are several PMUs, none has this name. */
	for (unsigned i = 0; i < p->pmus.n; i++) {
		const struct perf_pmu *pmu = &p->pmus.pmus[i];

		if (pmu->core && p->n_units < PERF_UNITS_MAX - 1)
			add_unit(p, sys,
				 strncmp(pmu->name, "arm", 3) == 0 ? PERF_ARM
				 : strcmp(pmu->name, "cpu") == 0   ? PERF_GENERIC
								   : PERF_EXTENDED,
				 pmu);
	}
	/* A kernel that describes no PMU may still have one, and always has software events. */
	if (!p->n_units)
		add_unit(p, sys, PERF_GENERIC, &everywhere);
	p->n_hard = p->n_units;
	snprintf(everywhere.name, sizeof(everywhere.name), "software");
	add_unit(p, sys, PERF_SOFTWARE, &everywhere);
}
