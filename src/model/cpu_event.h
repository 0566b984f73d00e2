/* cpu_event: what CPU events mean, the ready groups of them, and which events metrics need. Read
 * from the data (doc/data-format.md). Immutable after gpudb_load; any thread. */
#ifndef MALITOP_CPU_EVENT_H
#define MALITOP_CPU_EVENT_H

#include "model/gpudb.h"

/* The meaning of an event of Arm's manuals. Its number and the cores that have it are facts of the
 * perf backend. */
struct cpu_event {
	const char *name; /* L1D_CACHE_REFILL */
	const char *help; /* one paragraph */
};
const struct cpu_event *cpu_event_find(const struct gpudb *db, const char *name); /* NULL: unknown */

/* Metrics whose events fit the counters of one CPU together. */
struct cpu_group {
	const char *name, *title; /* "branch" */
	struct span metrics;      /* names, blank-separated */
};
const struct cpu_group *cpu_group_find(const struct gpudb *db, struct span name); /* NULL: unknown */
/* Append the names: "ipc, branch, cache". */
void cpu_group_names(const struct gpudb *db, struct strbuf *out);

/* A slot that a wanted metric needs. */
struct metric_need {
	struct span slot;
	bool named; /* its metric was named; not only matched by a glob */
};

/* Slots in the order in which they are needed, each once. They are texts of the db. Zero is an
 * empty list. */
struct metric_needs {
	struct metric_need *needs; /* free it */
	unsigned n, cap;
};

/* Add the slots of the CPU's sources that the metrics of a list need: names and globs with commas;
 * a name may end in the label of an instance (CPUIPC.cluster0). Unknown names add nothing. */
void metric_needs_add(const struct gpudb *db, struct metric_needs *needs, struct span metrics);

#endif
