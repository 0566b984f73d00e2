/* perf: what the parts of the perf backend share. Nobody else includes this.
 *
 * perf.c           the backend: slots, deadlines, the sample
 * perf_rows.c      which events there are, and how each kind of PMU counts them: data
 * perf_ask.c       events that were asked for by name
 * perf_unit.c      the PMUs that we count with, and which events each has
 * perf_plan.c      events into groups that fit the counters
 * perf_scope.c     whose events: CPUs or threads, and how much the kernel lets us see
 * perf_count.c     the groups of every CPU or thread: opened, read, added up
 * perf_busy.c      the true clock of busy CPUs
 * perf_describe.c  lines for people
 * perf_rights.c    what the kernel allows, and how to get more
 *
 * By themselves: perf_group (a group of events), perf_name (an event by its name), perf_pmu (what sysfs tells of PMUs).
 *
 * Units, level and targets are constant after open but for the plans; everything else belongs to the sampler thread.
 */
#ifndef MALITOP_PERF_H
#define MALITOP_PERF_H

#include "backends/backend.h"
#include "backends/machine/cpu_ticks.h"
#include "backends/machine/cpus.h"
#include "backends/perf/perf_name.h"

#define PERF_UNITS_MAX 9   /* the last one is the kernel's own: software events */
#define PERF_ASKED_MAX 16  /* events that are asked for by name */
#define PERF_EVENTS_MAX 48 /* rows */
#define PERF_GROUPS_MAX PERF_EVENTS_MAX

/* Events that make sense together only, as the two sides of a ratio; a set stays in one group where it fits into the counters. */
struct perf_set {
	const char *running, *enabled; /* slots with its times */
	const char *title;             /* for people */
};
extern const struct perf_set perf_sets[];
extern const unsigned perf_n_sets;

#define PERF_NO_TYPE UINT32_MAX

/* An event as a slot. */
struct perf_row {
	const char *slot, *raw; /* what it stands for; what was counted (options.raw_counts) */
	uint8_t set;
	struct perf_arm {
		uint16_t number, needs; /* of PMUv3, 0: none; only where the core has `needs` as well */
	} arm[2];                       /* the first that the core has */
	uint32_t type;                  /* of PMUs without a description of their own: PERF_TYPE_...; PERF_NO_TYPE: not there */
	uint64_t config;
	uint64_t cache;   /* the cache event instead, but for x86: Arm's generic cache references are those of the L1; 0: none */
	bool tasks_only;  /* means nothing for a CPU */
	bool kernel_only; /* happens in the kernel: never seen by who may see user space only */
	uint8_t bytes_of; /* no event: the bytes that those of this row move; 0: an event */
};
extern const struct perf_row perf_rows[];
extern const unsigned perf_n_rows;
/* The row of the i-th event that is asked for by name, with a set of its own. */
struct perf_row perf_row_asked(unsigned i, const char *name);
/* How the kernel counts a generic event on PMUv3; the first that the core has. */
struct perf_mapping {
	uint32_t type;
	uint64_t config;
	uint16_t number;
};
extern const struct perf_mapping perf_mappings[];
extern const unsigned perf_n_mappings;

enum perf_unit_kind {
	PERF_ARM,      /* events by Arm's numbers, under the PMU's own type */
	PERF_GENERIC,  /* the kernel's generic events */
	PERF_EXTENDED, /* likewise, with the PMU's type in the upper half of config, as there are several */
	PERF_SOFTWARE,
};

struct perf_unit {
	enum perf_unit_kind kind;
	char name[64];
	uint32_t type;
	struct cpu_set cpus;
	unsigned n_cpus;
	int cluster;        /* the only one it serves; -1: several */
	bool loose;         /* its events are those of whatever PMU the kernel takes: of a thread, of one PMU only */
	unsigned bus_bytes; /* that a bus access moves; 0: unknown */
	uint64_t has;       /* bit set of rows that it counts */
	unsigned n_events;  /* likewise, as it was at first */
	struct perf_event events[PERF_EVENTS_MAX];

	/* Groups, as they fit the counters. */
	unsigned limit; /* of events in a group */
	unsigned n_groups;
	struct {
		uint8_t n, row[PERF_GROUP_MAX];
	} groups[PERF_GROUPS_MAX];
};

/* What the kernel lets us see; the better comes first. */
struct perf_level {
	const char *words; /* "kernel and user" */
	bool own;          /* of our own processes only, though the whole machine was asked for */
	bool user_only;
};

/* One CPU or thread. */
struct perf_whose {
	pid_t tid; /* -1: a CPU */
	int cpu;   /* index into cpus; -1: a thread */
};

/* A group of one PMU on one CPU or of one thread. */
struct perf_part {
	struct perf_group group; /* n == 0: not open now */
	struct perf_reading last;
	double fraction[PERF_GROUP_MAX];
	uint8_t unit, number; /* of the plan's group; PERF_CLOCK */
	bool ran;             /* had its turn, and not long ago */
	bool stale;           /* did not move: its CPU is off */
	bool blind;           /* could not be read: nobody knows how much it had counted by then */
	int code;             /* why it is not open */
	uint64_t waited_ns;   /* for its turn, since its values are unknown */
	struct perf_whose whose;
};
#define PERF_CLOCK UINT8_MAX /* no group of the plan: how long the thread ran on the CPUs of that PMU */

/* What one CPU did since it was last told. */
struct perf_busy_cpu {
	uint64_t cycles, ticks;
};

/* Rows of a block that not everything was added to, while a sample is made; bit sets. */
struct perf_gaps {
	uint64_t missed;  /* nobody knows how much was counted */
	uint64_t waiting; /* a thread ran, and its group has not had a turn yet */
	uint64_t idle;    /* a thread did not run */
};

struct perf {
	struct cpus cpus;
	struct perf_row rows[PERF_EVENTS_MAX]; /* perf_rows, then those that were asked for by name */
	unsigned n_rows;
	struct perf_unit units[PERF_UNITS_MAX];
	unsigned n_units; /* those with events, the software one last */
	unsigned n_hard;  /* of them, hardware PMUs */
	uint64_t has;     /* bit set of rows that some PMU counts */
	uint64_t partly;  /* those that some hardware PMU does not count, so that there is no sum over all; never one asked for */
	const struct perf_level *level;
	bool tasks; /* threads, not CPUs */
	bool inherit, on_exec;
	bool begun;     /* the command called exec */
	char about[64]; /* "process 4711 game", "CPUs 0-3", "all CPUs" */
	int refused;    /* errno of what was asked for; 0: got it */
	struct perf_whose *whose;
	unsigned n_whose, cap_whose, n_left_out; /* of threads: too many for the open files that are allowed */

	struct perf_part *parts;
	unsigned n_parts, cap_parts;

	/* Where values stand in the block of an instance; blocks: the whole, clusters, CPUs. */
	uint16_t value_at[PERF_EVENTS_MAX], raw_at[PERF_EVENTS_MAX],
		time_at[PERF_EVENTS_MAX]; /* time: running, then enabled; by set */
	unsigned block, n_blocks;
	struct perf_gaps *gaps; /* per block */

	/* Of the machine: cycles and the time in which CPUs were busy (perf_busy.c). */
	struct {
		struct cpu_ticks ticks;
		struct perf_busy_cpu *each; /* by index of cpus; NULL: not told */
		uint64_t tick_ns;
		unsigned row; /* of the cycles */
		uint16_t at;  /* of the two slots in a block */
		int64_t due_ns;
	} busy;

	int64_t start_ns, begin_ns, due_ns, retry_ns, look_ns;
	int64_t suspended_ns;
	bool ended;       /* the process */
	char process[32]; /* "proc/4711", to see it end; "" for none */
};

/* Fill rows with the standard ones, and units. Never fails: without any there are software events. */
void perf_units_find(struct perf *p, const struct sys *sys);
/* The unit counts that row as the name says, if it can. */
void perf_unit_ask(const struct perf *p, struct perf_unit *unit, unsigned row, const struct perf_name *name,
		   const struct sys *sys);

/* Add source->options.events to the rows and to the units that have them. An event that is given twice is one. */
bool perf_ask(struct perf *p, const struct source *source, struct err *err);
/* Once it is known what is counted: all of them are. */
bool perf_ask_check(const struct perf *p, struct err *err);

/* Put the events of a PMU into groups of at most unit->limit, those asked for by name first; what cannot be counted is taken out of
 * unit->has. false when the kernel refuses everything; then err->code says why. */
bool perf_plan(const struct perf *p, struct perf_unit *unit, const struct sys *sys, struct err *err);

/* Decide whose events are counted, and with which rights. */
bool perf_scope_find(struct perf *p, const struct source *source, struct err *err);

/* The threads that there are now: some ended, others were started. */
void perf_scope_renew(struct perf *p, const struct source *source);

/* Open every group. false when none could be. */
bool perf_count_open(struct perf *p, const struct sys *sys, struct err *err);
void perf_count_close(struct perf *p);
bool perf_count_start(struct perf *p, struct err *err);
/* Add what was counted since the last call to value[], which has n_blocks x block numbers. Returns flags. */
uint32_t perf_count_read(struct perf *p, uint64_t *value);
/* The blocks of values that a CPU counts for: the whole, its cluster, its own. Returns how many. */
unsigned perf_blocks_of_cpu(const struct perf *p, unsigned cpu, unsigned blocks[3]);

/* For a machine whose cycles are counted; else the others do nothing. */
void perf_busy_init(struct perf *p);
void perf_busy_fini(struct perf *p, const struct sys *sys);
void perf_busy_start(struct perf *p, const struct sys *sys, int64_t now_ns);
/* Add what can be told now. */
void perf_busy_read(struct perf *p, const struct sys *sys, int64_t now_ns, uint64_t *value);

/* What may be done once a second: CPUs that came back, groups that never ran. */
void perf_count_mend(struct perf *p, const struct sys *sys);

/* A command that lifts what the kernel refused with that errno; NULL: none is known. (perf_rights.c; doctor uses it, too.) */
const char *perf_rights_help(int code);

void perf_describe(const struct source *source, struct strbuf *text);

#endif
