/* workload: a loop whose events are known beforehand, measured by itself.
 *
 * Every workload runs its loop once per group of events, prints what the code predicts beside what
 * was counted, and ends with 0, with 77 where the machine counts no hardware events (after the
 * software ones were counted all the same), or with 1 if its result is wrong. */
#ifndef MALITOP_WORKLOAD_H
#define MALITOP_WORKLOAD_H

#include "backends/perf/perf_name.h"

#define WORKLOAD_UNKNOWN UINT64_MAX

enum workload_event {
	WORKLOAD_CYCLES,
	WORKLOAD_INSTRUCTIONS,
	WORKLOAD_BRANCHES,
	WORKLOAD_BRANCH_MISSES,
	WORKLOAD_L1D_READS,
	WORKLOAD_L1D_MISSES,
	WORKLOAD_SOFTWARE, /* from here on */
	WORKLOAD_TASK_CLOCK = WORKLOAD_SOFTWARE,
	WORKLOAD_PAGE_FAULTS,
	WORKLOAD_CONTEXT_SWITCHES,
	WORKLOAD_CPU_TIME, /* ns as getrusage has it, which no event is */
	WORKLOAD_EVENTS
};

/* Of one run of the loop, in user space; WORKLOAD_UNKNOWN where theory gives none. */
struct workload_counts {
	uint64_t count[WORKLOAD_EVENTS];
	int64_t wall_ns; /* of the last run, which is that with the software events, as is the CPU time */
	unsigned runs;   /* all of them */
};

struct workload {
	const char *name;
	struct sys sys;
	struct perf_pmus pmus;
	uint64_t size, iterations;
	int cpu;           /* where all runs are, as a group counts one kind of core */
	bool software;     /* no hardware events were asked for */
	bool hardware;     /* some were counted */
	struct err reason; /* why none was */
	bool wrong;        /* a result was */
	struct perf_event events[WORKLOAD_EVENTS];
	bool there[WORKLOAD_EVENTS];
};

/* [--size N] [--iterations N] [--software], with these defaults. Wrong ones end the program with
 * status 2. */
void workload_init(struct workload *w, const char *name, uint64_t size, uint64_t iterations, int argc,
		   char **argv);
/* The status for exit. */
int workload_end(struct workload *w);

/* Nothing is predicted but that there are no page faults. */
struct workload_counts workload_nothing(void);
/* Run the loop once per group, print the groups, the predictions beside the counts, and ratios.
 * Returns the counts. */
struct workload_counts workload_run(struct workload *w, const char *title,
				    const struct workload_counts *predicted, void (*loop)(void *), void *arg);
/* One more row for the reader: a value, to two places. */
void workload_value(const char *name, double value);
/* Say that a result is not what it must be. */
void workload_check(struct workload *w, bool right, const char *what);

/* A generator of numbers that are the same on every machine (xorshift64*). *state is not 0. */
uint64_t workload_random(uint64_t *state);
/* Of the CPU that runs, in bytes; 0 if the kernel does not tell. Level 0: the last one. */
uint64_t workload_cache(const struct workload *w, unsigned level);

#endif
