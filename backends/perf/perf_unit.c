/* The PMUs that we count with, and which of our events each of them has. */
#include "backends/perf/perf.h"

#include "backends/perf/arm_events.h"
#include "backends/perf/perf_pmu.h"
#include "base/alloc.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define DEVICES "sys/bus/event_source/devices"
#define ARM_EVENTS_MAX 0x4100 /* numbers of events that sysfs may name */

/* What sysfs says that an Arm PMU counts. */
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

static bool counts(const struct listed *listed, int core, uint16_t number)
{
	return listed->any ? listed->bits[number / 64] >> number % 64 & 1 : arm_core_has(core, number);
}

static void add_event(struct perf_unit *unit, unsigned row, uint32_t type, uint64_t config)
{
	unit->has |= (uint64_t)1 << row;
	unit->events[row] = (struct perf_event){.name = perf_rows[row].slot, .type = type, .config = config};
}

/* By Arm's numbers: an event that a core does not have would open, and count nothing. */
static void add_arm_events(struct perf_unit *unit, const struct listed *listed, int core)
{
	for (unsigned row = 0; row < perf_n_rows; row++)
		for (unsigned i = 0; i < ARRAY_LEN(perf_rows[row].arm); i++) {
			const struct perf_arm *arm = &perf_rows[row].arm[i];

			if (!arm->number || unit->has >> row & 1 || !counts(listed, core, arm->number) ||
			    (arm->needs && !counts(listed, core, arm->needs)))
				continue;
			add_event(unit, row, unit->type, arm->number);
		}
}

/* The kernel's generic ones: those that it cannot map it refuses to open. */
static void add_generic_events(struct perf_unit *unit)
{
	uint64_t upper = unit->kind == PERF_EXTENDED ? (uint64_t)unit->type << PERF_PMU_TYPE_SHIFT : 0;
	bool x86 = strncmp(unit->name, "cpu", 3) == 0;

	unit->loose = !upper && unit->kind != PERF_SOFTWARE;
	for (unsigned row = 0; row < perf_n_rows; row++) {
		const struct perf_row *r = &perf_rows[row];
		bool software = r->type == PERF_TYPE_SOFTWARE;

		if (r->type == PERF_NO_TYPE || software != (unit->kind == PERF_SOFTWARE))
			continue;
		if (r->cache && !x86)
			add_event(unit, row, PERF_TYPE_HW_CACHE, r->cache | upper);
		else
			add_event(unit, row, r->type, r->config | (software ? 0 : upper));
	}
}

static void serve(struct perf_unit *unit, const struct cpus *cpus)
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

static void choose_events(struct perf_unit *unit, const struct cpus *cpus, const struct sys *sys)
{
	int core = arm_core_find(unit->name, part_of(unit, cpus));
	AUTOFREE struct listed *listed = xcalloc(1, sizeof(*listed));

	if (unit->kind == PERF_ARM)
		read_listed(listed, sys, unit->name);
	if (unit->kind == PERF_ARM && (listed->any || core >= 0)) {
		add_arm_events(unit, listed, core);
		unit->bus_bytes = arm_core_bus_bytes(core);
	} else {
		add_generic_events(unit);
	}
}

/* ---- events that were asked for by name ---- */

/* Numbers that every kernel lists in sysfs where the CPU counts them. */
#define ARM_LISTED 0x31

/* Whether it is known that the core does not count that number, which opens all the same. An unknown number is the user's affair. */
static bool lacks(const struct listed *listed, int core, uint64_t number)
{
	if (number >= ARM_EVENTS_MAX || !arm_event_name((uint16_t)number) || counts(listed, core, (uint16_t)number))
		return false;
	return core >= 0 ? !arm_core_has(core, (uint16_t)number) : listed->any && number < ARM_LISTED;
}

/* Of several PMUs of Arm's, a generic event counts on one only, unless the kernel is new: then it goes by its number. */
static bool map_generic(const struct listed *listed, int core, const struct perf_unit *unit, struct perf_event *event)
{
	for (unsigned i = 0; i < perf_n_mappings; i++) {
		const struct perf_mapping *m = &perf_mappings[i];

		if (m->type != event->type || m->config != event->config ||
		    !(counts(listed, core, m->number) || arm_core_has(core, m->number)))
			continue;
		event->type = unit->type;
		event->config = m->number;
		return true;
	}
	return false;
}

/* The event of one number as this PMU takes it; false: it does not. */
static bool take_event(const struct perf *p, const struct perf_unit *unit, const struct listed *listed, int core,
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
		return unit->kind != PERF_ARM || p->n_hard == 1 || map_generic(listed, core, unit, event);
	return (!from->pmu || event->type == unit->type) && (unit->kind != PERF_ARM || !lacks(listed, core, event->config));
}

void perf_unit_ask(const struct perf *p, struct perf_unit *unit, unsigned row, const struct perf_name *name,
		   const struct sys *sys)
{
	int core = arm_core_find(unit->name, part_of(unit, &p->cpus));
	AUTOFREE struct listed *listed = xcalloc(1, sizeof(*listed));

	if (unit->kind == PERF_ARM)
		read_listed(listed, sys, unit->name);
	for (unsigned i = 0; i < name->n && !(unit->has >> row & 1); i++) {
		if (!take_event(p, unit, listed, core, &name->events[i], &unit->events[row]))
			continue;
		unit->events[row].user_only = name->user_only;
		unit->has |= (uint64_t)1 << row;
	}
}

/* ---- finding PMUs ---- */

/* "cpu" serves all CPUs; where there are several PMUs, none is called so. */
static void take_pmu(struct perf *p, const struct sys *sys, const struct perf_pmu *pmu)
{
	struct perf_unit *unit = &p->units[p->n_units];
	bool arm = strncmp(pmu->name, "arm", 3) == 0;

	if (!pmu->core || p->n_units == PERF_UNITS_MAX - 1)
		return;
	*unit = (struct perf_unit){.limit = PERF_GROUP_MAX, .type = pmu->type, .cpus = pmu->cpus};
	unit->kind = arm ? PERF_ARM : strcmp(pmu->name, "cpu") == 0 ? PERF_GENERIC : PERF_EXTENDED;
	memcpy(unit->name, pmu->name, sizeof(unit->name));
	serve(unit, &p->cpus);
	if (!unit->n_cpus)
		return;
	choose_events(unit, &p->cpus, sys);
	p->n_units++;
}

/* A kernel that describes no PMU may have one all the same; and software events there are always. */
static void add_all_cpus(struct perf *p, enum perf_unit_kind kind, const char *name)
{
	struct perf_unit *unit = &p->units[p->n_units++];

	*unit = (struct perf_unit){.kind = kind, .limit = PERF_GROUP_MAX};
	snprintf(unit->name, sizeof(unit->name), "%s", name);
	memset(&unit->cpus, 0xff, sizeof(unit->cpus));
	serve(unit, &p->cpus);
	add_generic_events(unit);
}

void perf_units_find(struct perf *p, const struct sys *sys)
{
	struct perf_pmus pmus;

	memcpy(p->rows, perf_rows, perf_n_rows * sizeof(*perf_rows));
	p->n_rows = perf_n_rows;
	perf_pmus_find(&pmus, sys);
	for (unsigned i = 0; i < pmus.n; i++)
		take_pmu(p, sys, &pmus.pmus[i]);
	perf_pmus_fini(&pmus);
	if (!p->n_units)
		add_all_cpus(p, PERF_GENERIC, "generic");
	p->n_hard = p->n_units;
	add_all_cpus(p, PERF_SOFTWARE, "software");
}
