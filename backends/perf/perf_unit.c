/* The PMUs that we count with, and which of our events each of them has. */
#include "backends/perf/perf.h"

#include "backends/perf/perf_name.h"
#include "backends/perf/perf_pmu.h"
#include "base/alloc.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DEVICES "sys/bus/event_source/devices"
#define SLOTS_MOST 64
#define ARM_EVENTS_MAX 0x4100 /* upper limit of event numbers in sysfs */

/* The events that sysfs lists for an Arm PMU. */
struct listed {
	bool any;
	uint64_t bits[ARM_EVENTS_MAX / 64];
};

static void read_listed(struct listed *listed, const struct sys *sys, const char *unit)
{
	AUTOFREE char *path = xasprintf(DEVICES "/%s/events", unit);
	uint16_t number;
	char **names;
	int n = sys->list(sys, path, &names);

	*listed = (struct listed){.any = n > 0};
	for (int i = 0; i < n; i++)
		if (arm_event_find(span_of(names[i]), &number) && number < ARM_EVENTS_MAX)
			listed->bits[number / 64] |= (uint64_t)1 << number % 64;
	if (n >= 0)
		sys_names_free(names, n);
}

#define ARM_LISTED 0x31 /* every kernel lists lower numbers in sysfs if the PMU counts them */
#define ARM_COMMON 0x40 /* newer kernels also list numbers below this */

static bool is_listed(const struct listed *listed, uint64_t number)
{
	return listed->bits[number / 64] >> number % 64 & 1;
}

/* Whether this kernel would list the number if the PMU counted it. */
static bool is_listable(const struct listed *listed, uint64_t number)
{
	bool later = listed->any && number < ARM_LISTED;

	for (; !later && number < ARM_COMMON; number++)
		later = is_listed(listed, number);
	return later;
}

/* No kernel lists the numbers from ARM_COMMON to 0x4000. */
static bool counts_event(const struct listed *listed, int core, uint16_t number)
{
	bool told = listed->any && number < ARM_COMMON;

	return is_listed(listed, number) || (!told && arm_core_has(core, number));
}

static void add_event(const struct perf *p, struct perf_unit *unit, unsigned row, uint32_t type,
		      uint64_t config)
{
	unit->has |= (uint64_t)1 << row;
	unit->events[row] = (struct perf_event){.name = p->rows[row].slot, .type = type, .config = config};
}

/* By Arm's numbers: an event that a core does not have can be opened, but counts nothing. */
static void add_arm_events(const struct perf *p, struct perf_unit *unit, const struct listed *listed,
			   int core)
{
	for (unsigned row = 0; row < p->n_own; row++)
		for (unsigned i = 0; i < ARRAY_LEN(p->rows[row].arm); i++) {
			const struct perf_arm *arm = &p->rows[row].arm[i];

			if (!arm->number || unit->has >> row & 1 ||
			    !counts_event(listed, core, arm->number) ||
			    (arm->needs && !counts_event(listed, core, arm->needs)))
				continue;
			add_event(p, unit, row, unit->type, arm->number);
		}
}

/* The kernel's generic events: the kernel refuses to open those that it cannot map. */
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

static int part_of(const struct perf_unit *unit, const struct cpus *cpus)
{
	for (unsigned i = 0; i < cpus->n; i++)
		if (cpu_set_has(&unit->cpus, cpus->cpus[i].number) && cpus->cpus[i].part >= 0)
			return cpus->cpus[i].part;
	return -1;
}

/* "0x00000005": the slots of a cycle; 0: the PMU or the kernel does not say. */
static unsigned read_slots(const struct sys *sys, const char *pmu)
{
	AUTOFREE char *path = xasprintf("sys/bus/event_source/devices/%s/caps/slots", pmu);
	char text[32], *end;
	unsigned long slots;

	if (sys_read_file(sys, path, text, sizeof(text)) < 0)
		return 0;
	slots = strtoul(text, &end, 16);
	return end != text && slots <= SLOTS_MOST ? (unsigned)slots : 0;
}

static void choose_events(const struct perf *p, struct perf_unit *unit, const struct sys *sys)
{
	int core = arm_core_find(unit->name, part_of(unit, &p->cpus));
	AUTOFREE struct listed *listed = xcalloc(1, sizeof(*listed));

	if (unit->kind == PERF_ARM)
		read_listed(listed, sys, unit->name);
	if (unit->kind == PERF_ARM && (listed->any || core >= 0)) {
		add_arm_events(p, unit, listed, core);
		unit->factors[PERF_BUS_BYTES] = arm_core_bus_bytes(core);
		unit->factors[PERF_SLOTS] = read_slots(sys, unit->name);
	} else {
		add_generic_events(p, unit);
	}
}

/* ---- events requested by name ---- */

/* Whether the PMU is known not to count this number, although it can be opened. A hypervisor may
 * count less than the core has. A number without a name is counted as it is. */
static bool lacks_event(const struct listed *listed, int core, uint64_t number)
{
	if (number >= ARM_EVENTS_MAX || !arm_event_name((uint16_t)number) ||
	    counts_event(listed, core, (uint16_t)number))
		return false;
	return is_listable(listed, number) || (core >= 0 && !arm_core_has(core, (uint16_t)number));
}

/* With several Arm PMUs, older kernels count a generic event on only one of them, so replace it by
 * this PMU's own event number. */
static bool map_generic(const struct listed *listed, int core, const struct perf_unit *unit,
			struct perf_event *event)
{
	for (unsigned i = 0; i < perf_n_mappings; i++) {
		const struct perf_mapping *m = &perf_mappings[i];

		if (m->type != event->type || m->config != event->config ||
		    lacks_event(listed, core, m->number) ||
		    !(counts_event(listed, core, m->number) || arm_core_has(core, m->number)))
			continue;
		event->type = unit->type;
		event->config = m->number;
		return true;
	}
	return false;
}

/* Fill in the event of one number for this PMU; returns false if it does not count it. */
static bool take_event(const struct perf *p, const struct perf_unit *unit, const struct listed *listed,
		       int core, const struct perf_name *name, const struct perf_name_event *from,
		       struct perf_event *event)
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
		return unit->kind != PERF_ARM || p->n_hard == 1 || map_generic(listed, core, unit, event);
	return (!from->pmu || event->type == unit->type) &&
	       (unit->kind != PERF_ARM || name->forced || !lacks_event(listed, core, event->config));
}

/* Note which of our own rows counts the same. */
static void find_twin(const struct perf *p, struct perf_unit *unit, unsigned row, const struct listed *listed,
		      int core)
{
	struct perf_event event = unit->events[row];

	if (unit->kind == PERF_ARM && event.type != unit->type)
		map_generic(listed, core, unit, &event);
	for (unsigned own = 0; own < p->n_own && !event.user_only && !event.kernel_only; own++)
		if (unit->has >> own & 1 && unit->events[own].type == event.type &&
		    unit->events[own].config == event.config && !event.config1 && !event.config2)
			unit->twin[row] = (uint8_t)(own + 1);
}

void perf_unit_ask(const struct perf *p, struct perf_unit *unit, unsigned row, const struct perf_name *name,
		   const struct sys *sys)
{
	int core = arm_core_find(unit->name, part_of(unit, &p->cpus));
	AUTOFREE struct listed *listed = xcalloc(1, sizeof(*listed));

	if (unit->kind == PERF_ARM)
		read_listed(listed, sys, unit->name);
	for (unsigned i = 0; i < name->n && !(unit->has >> row & 1); i++) {
		if (!take_event(p, unit, listed, core, name, &name->events[i], &unit->events[row]))
			continue;
		unit->events[row].user_only = name->user_only;
		unit->events[row].kernel_only = name->kernel_only;
		unit->has |= (uint64_t)1 << row;
		find_twin(p, unit, row, listed, core);
	}
}

/* ---- finding PMUs ---- */

/* "cpu" serves all CPUs; if there are several PMUs, none has this name. */
static void take_pmu(struct perf *p, const struct sys *sys, const struct perf_pmu *pmu)
{
	struct perf_unit *unit = &p->units[p->n_units];
	bool arm = strncmp(pmu->name, "arm", 3) == 0;

	if (!pmu->core || p->n_units == PERF_UNITS_MAX - 1)
		return;
	*unit = (struct perf_unit){.limit = PERF_GROUP_MAX, .type = pmu->type, .cpus = pmu->cpus};
	unit->kind = arm ? PERF_ARM : strcmp(pmu->name, "cpu") == 0 ? PERF_GENERIC : PERF_EXTENDED;
	memcpy(unit->name, pmu->name, sizeof(unit->name));
	serve_cpus(unit, &p->cpus);
	if (!unit->n_cpus)
		return;
	choose_events(p, unit, sys);
	p->n_units++;
}

/* A kernel that describes no PMU may still have one, and always has software events. */
static void add_all_cpus(struct perf *p, enum perf_unit_kind kind, const char *name)
{
	struct perf_unit *unit = &p->units[p->n_units++];

	*unit = (struct perf_unit){.kind = kind, .limit = PERF_GROUP_MAX};
	snprintf(unit->name, sizeof(unit->name), "%s", name);
	memset(&unit->cpus, 0xff, sizeof(unit->cpus));
	serve_cpus(unit, &p->cpus);
	add_generic_events(p, unit);
}

void perf_units_find(struct perf *p, const struct sys *sys)
{
	struct perf_pmus pmus;

	perf_pmus_find(&pmus, sys);
	for (unsigned i = 0; i < pmus.n; i++)
		take_pmu(p, sys, &pmus.pmus[i]);
	perf_pmus_fini(&pmus);
	if (!p->n_units)
		add_all_cpus(p, PERF_GENERIC, "generic");
	p->n_hard = p->n_units;
	add_all_cpus(p, PERF_SOFTWARE, "software");
}
