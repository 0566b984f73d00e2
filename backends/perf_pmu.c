/* The PMUs of this machine: what sysfs tells, and which of our events each of them counts. */
#include "backends/perf.h"

#include "backends/arm_events.h"
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

static void read_listed(struct listed *listed, const struct sys *sys, const char *pmu)
{
	AUTOFREE char *path = xasprintf(DEVICES "/%s/events", pmu);
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

static void add_event(struct perf_pmu *pmu, unsigned row, uint32_t type, uint64_t config)
{
	pmu->has |= (uint64_t)1 << row;
	pmu->events[row] = (struct perf_event){.name = perf_rows[row].slot, .type = type, .config = config};
}

/* By Arm's numbers: an event that a core does not have would open, and count nothing. */
static void add_arm_events(struct perf_pmu *pmu, const struct listed *listed, int core)
{
	for (unsigned row = 0; row < perf_n_rows; row++)
		for (unsigned i = 0; i < ARRAY_LEN(perf_rows[row].arm); i++) {
			const struct perf_arm *arm = &perf_rows[row].arm[i];

			if (!arm->number || pmu->has >> row & 1 || !counts(listed, core, arm->number) ||
			    (arm->needs && !counts(listed, core, arm->needs)))
				continue;
			add_event(pmu, row, pmu->type, arm->number);
		}
}

/* The kernel's generic ones: those that it cannot map it refuses to open. */
static void add_generic_events(struct perf_pmu *pmu)
{
	uint64_t upper = pmu->kind == PERF_EXTENDED ? (uint64_t)pmu->type << PERF_PMU_TYPE_SHIFT : 0;

	for (unsigned row = 0; row < perf_n_rows; row++) {
		const struct perf_row *r = &perf_rows[row];
		bool software = r->type == PERF_TYPE_SOFTWARE;

		if (r->type != PERF_NO_TYPE && software == (pmu->kind == PERF_SOFTWARE))
			add_event(pmu, row, r->type, r->config | (software ? 0 : upper));
	}
}

static void serve(struct perf_pmu *pmu, const struct cpus *cpus)
{
	pmu->n_cpus = 0;
	pmu->cluster = -1;
	for (unsigned i = 0; i < cpus->n; i++) {
		int cluster = cpus->cpus[i].cluster;

		if (!cpu_set_has(&pmu->cpus, cpus->cpus[i].number))
			continue;
		pmu->cluster = !pmu->n_cpus || pmu->cluster == cluster ? cluster : -1;
		pmu->n_cpus++;
	}
}

static int part_of(const struct perf_pmu *pmu, const struct cpus *cpus)
{
	for (unsigned i = 0; i < cpus->n; i++)
		if (cpu_set_has(&pmu->cpus, cpus->cpus[i].number) && cpus->cpus[i].part >= 0)
			return cpus->cpus[i].part;
	return -1;
}

static void describe_pmu(struct perf_pmu *pmu, const struct cpus *cpus, const struct sys *sys)
{
	int core = arm_core_find(pmu->name, part_of(pmu, cpus));
	AUTOFREE struct listed *listed = xcalloc(1, sizeof(*listed));

	if (pmu->kind == PERF_ARM)
		read_listed(listed, sys, pmu->name);
	if (pmu->kind == PERF_ARM && (listed->any || core >= 0)) {
		add_arm_events(pmu, listed, core);
		pmu->bus_bytes = arm_core_bus_bytes(core);
	} else {
		add_generic_events(pmu);
	}
}

/* CPU PMUs are those that serve a list of CPUs, and the one called "cpu", which serves all. */
static void take_pmu(struct perf *p, const struct sys *sys, const char *name)
{
	struct perf_pmu *pmu = &p->pmus[p->n_pmus];
	AUTOFREE char *type = xasprintf(DEVICES "/%s/type", name), *list = xasprintf(DEVICES "/%s/cpus", name);
	bool arm = strncmp(name, "arm", 3) == 0, has_list;
	int64_t number;

	*pmu = (struct perf_pmu){.kind = arm ? PERF_ARM : PERF_GENERIC, .limit = PERF_GROUP_MAX};
	has_list = cpu_set_read(sys, &pmu->cpus, list);
	if ((!has_list && strcmp(name, "cpu") != 0) || !sys_read_i64(sys, type, &number) || number < 0 || number >= UINT32_MAX ||
	    p->n_pmus == PERF_PMUS_MAX - 1)
		return;
	if (!has_list)
		memset(&pmu->cpus, 0xff, sizeof(pmu->cpus));
	if (!arm && has_list)
		pmu->kind = PERF_EXTENDED;
	pmu->type = (uint32_t)number;
	str_printable(pmu->name, sizeof(pmu->name), name);
	serve(pmu, &p->cpus);
	if (!pmu->n_cpus)
		return;
	describe_pmu(pmu, &p->cpus, sys);
	p->n_pmus++;
}

/* A kernel that describes no PMU may have one all the same; and software events there are always. */
static void add_all_cpus(struct perf *p, enum perf_pmu_kind kind, const char *name)
{
	struct perf_pmu *pmu = &p->pmus[p->n_pmus++];

	*pmu = (struct perf_pmu){.kind = kind, .limit = PERF_GROUP_MAX};
	snprintf(pmu->name, sizeof(pmu->name), "%s", name);
	memset(&pmu->cpus, 0xff, sizeof(pmu->cpus));
	serve(pmu, &p->cpus);
	add_generic_events(pmu);
}

void perf_pmus_find(struct perf *p, const struct sys *sys)
{
	char **names;
	int n = sys->list(sys, DEVICES, &names);

	for (int i = 0; i < n; i++)
		take_pmu(p, sys, names[i]);
	if (n >= 0)
		sys_names_free(names, n);
	if (!p->n_pmus)
		add_all_cpus(p, PERF_GENERIC, "generic");
	p->n_hard = p->n_pmus;
	add_all_cpus(p, PERF_SOFTWARE, "software");
}
