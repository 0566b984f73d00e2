/* sim_scenarios: every scenario that malitop ships with, and how tests recognize it. */
#ifndef SIM_SCENARIOS_H
#define SIM_SCENARIOS_H

#include "backends/sim/sim.h"
#include "base/alloc.h"
#include "base/stanza.h"
#include "model/gpudb.h"

#include <stdio.h>
#include <stdlib.h>

/* Empty until main called load_scenarios. */
static struct sim_scenario sim_scenarios[16];
static unsigned sim_n_scenarios;

#define EXPECT_MAX 6

/* What only tests read of a scenario, by its index. */
static struct sim_signs {
	struct span busiest; /* share formulas of the busiest unit, like `formula`, or empty */
	/* `formula` over the GPU's metrics is in [low, high] over a second of the scenario. '|'
	 * separates alternatives: the first one that the GPU has is used; if it has none, the row
	 * does not apply to that GPU. */
	struct sim_expect {
		double low, high;
		struct span formula, why; /* the explanation in the guides */
	} expect[EXPECT_MAX];
	unsigned n_expect;
} sim_signs[16];
static struct gpudb *scenarios_db;

static inline void free_scenarios(void)
{
	gpudb_free(scenarios_db);
}

/* The fields `busiest`, and `expect`: LOW HIGH WHY: FORMULA. */
static inline bool load_signs(struct sim_signs *signs, struct stanza s, struct err *err)
{
	struct stanza_line line;

	while (stanza_next(&s, &line, err) && line.kind != STANZA_OPEN && line.kind != STANZA_END) {
		struct span rest = line.value, low = span_word(&rest), high = span_word(&rest);
		struct sim_expect *e = &signs->expect[signs->n_expect];

		if (span_is(line.key, "busiest"))
			signs->busiest = line.value;
		if (!span_is(line.key, "expect"))
			continue;
		if (signs->n_expect++ == EXPECT_MAX)
			return stanza_fail(&s, line.line, err, "at most %d rows of `expect`", EXPECT_MAX);
		e->why = span_trim(span_until(&rest, ':'));
		e->formula = span_trim(rest);
		if (!span_double(low, &e->low) || !span_double(high, &e->high) || !e->formula.n)
			return stanza_fail(&s, line.line, err,
					   "expect '%.*s': expected LOW HIGH WHY: FORMULA",
					   SPAN_ARG(line.value));
	}
	return !err->text[0];
}

static inline void load_scenarios(void)
{
	struct err err = {0};

	scenarios_db = gpudb_load(NULL, 0, &err);
	atexit(free_scenarios);
	for (unsigned i = 0; scenarios_db && i < scenarios_db->n_parts; i++) {
		const struct gpudb_part *part = &scenarios_db->parts[i];
		unsigned s = sim_n_scenarios;

		if (!span_is(part->keyword, "scenario"))
			continue;
		if (!sim_scenario_load(&sim_scenarios[s], scenarios_db, span_dup(part->name), &err) ||
		    !load_signs(&sim_signs[s], part->text, &err))
			break;
		sim_n_scenarios++;
	}
	if (err.text[0]) {
		fprintf(stderr, "%s\n", err.text);
		abort();
	}
}

#endif
