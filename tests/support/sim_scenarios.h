/* sim_scenarios: every scenario that malitop ships with. */
#ifndef SIM_SCENARIOS_H
#define SIM_SCENARIOS_H

#include "backends/sim/sim.h"
#include "base/alloc.h"
#include "model/gpudb.h"

#include <stdio.h>
#include <stdlib.h>

/* Empty until main called load_scenarios. */
static struct sim_scenario sim_scenarios[16];
static unsigned sim_n_scenarios;
static struct gpudb *scenarios_db;

static inline void free_scenarios(void)
{
	gpudb_free(scenarios_db);
}

static inline void load_scenarios(void)
{
	struct err err = {0};

	scenarios_db = gpudb_load(NULL, 0, &err);
	atexit(free_scenarios);
	for (unsigned i = 0; scenarios_db && i < scenarios_db->n_parts; i++) {
		AUTOFREE char *name = span_dup(scenarios_db->parts[i].name);

		if (!span_is(scenarios_db->parts[i].keyword, "scenario"))
			continue;
		if (!sim_scenario_load(&sim_scenarios[sim_n_scenarios++], scenarios_db, name, &err))
			break;
	}
	if (err.text[0]) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
}

#endif
