/* perf: shared by the parts of the perf backend. No other file includes this.
 *
 * perf.c           the backend: slots, deadlines, the sample
 * perf_rows.c      the events, how each kind of PMU counts them, and which are needed
 * perf_ask.c       events requested by name
 * perf_unit.c      the PMUs that we count with, and which events each has
 * perf_plan.c      packs events into groups that fit the counters
 * perf_scope.c     whose events: CPUs or threads, and how much the kernel lets us see
 * perf_count.c     the groups of every CPU or thread: opened, read, added up
 * perf_regroup.c   replaces groups while they count
 * perf_busy.c      the true clock of busy CPUs
 *
 * Independent modules: perf_group (counted together), perf_name (names), perf_pmu (PMUs in sysfs).
 *
 * Units, except their plans, rights and targets are constant after open. Everything else belongs to
 * the sampler thread. */
#ifndef MALITOP_PERF_H
#define MALITOP_PERF_H

#include "backends/backend.h"
#include "backends/cpu/cpu_ticks.h"
#include "backends/cpu/cpus.h"
#include "backends/perf/perf_name.h"

#include <errno.h>
#include <sys/types.h>

#define PERF_UNITS_MAX 9   /* the last one is for the kernel's software events */
#define PERF_ASKED_MAX 16  /* events requested by name */
#define PERF_OWN_MAX 48    /* rows of perf_rows that one source counts */
#define PERF_EVENTS_MAX 64 /* rows: a bit each */
#define PERF_GROUPS_MAX PERF_EVENTS_MAX
#define PERF_ARM_EVENTS 0x4100 /* upper limit of event numbers in sysfs */

#define PERF_SETS_MAX 48

#define PERF_NO_TYPE UINT32_MAX
#define PERF_WHOLE_TIME "CPUTaskWholeTime"

/* Factors of a PMU that multiply events: the bytes of a bus access, and the slots of a cycle, each
 * of which can take an operation. */
enum perf_factor { PERF_NO_FACTOR, PERF_BUS_BYTES, PERF_SLOTS, PERF_FACTORS };

/* An event as a slot. Events that are only useful together, such as the two sides of a ratio, are
 * in one set, which stays in one group if it fits the counters. */
struct perf_row {
	const char *slot, *raw;        /* the extrapolated count; the raw count (options.raw_counts) */
	const char *running, *enabled; /* slots with the times of its set */
	bool extra;                    /* counted only if a metric of the set, or its group, is named */
	uint8_t set;
	struct perf_arm {
		uint16_t number, needs; /* of PMUv3, 0: none; only if the core also has `needs` */
	} arm[2];                       /* the first event that the core has */
	uint32_t type;                  /* for PMUs not in sysfs: PERF_TYPE_... or PERF_NO_TYPE */
	uint64_t config;
	/* A cache event to use instead, except on x86, because Arm's generic cache references are
	 * those of the L1; 0: none. */
	uint64_t cache;
	bool tasks_only;  /* a CPU has no such event */
	bool kernel_only; /* happens in the kernel: not visible with user-space rights only */
	uint8_t factor;   /* enum perf_factor: the event of the row before, times this factor */
};
/* Whether the event happens only in the kernel, and so counts nothing in user space. */
bool perf_row_is_kernel_only(const struct perf_event *event);
/* The row of the i-th requested event; its set is that of `group`, the first of its group. */
struct perf_row perf_row_asked(unsigned i, unsigned group, const char *name);
enum perf_unit_kind {
	PERF_ARM,      /* events by Arm's numbers, with the PMU's own type */
	PERF_GENERIC,  /* the kernel's generic events */
	PERF_EXTENDED, /* generic events for several PMUs: the PMU's type is in the upper half of config */
	PERF_SOFTWARE,
};

struct perf_unit {
	enum perf_unit_kind kind;
	char name[64];
	uint32_t type;
	struct cpu_set cpus;
	unsigned n_cpus;
	int core;                              /* arm_core_find; only for PERF_ARM, as the next two */
	bool lists;                            /* sysfs lists events of it */
	uint64_t listed[PERF_ARM_EVENTS / 64]; /* bit set of their numbers */
	int cluster;                           /* the only one it serves; -1 if it serves several */
	bool loose;                     /* the kernel chooses the PMU; for a thread it chooses only one */
	unsigned factors[PERF_FACTORS]; /* 0: unknown */
	uint64_t has;                   /* bit set of the counted rows */
	uint64_t shared; /* own rows in `has` whose event was also requested: counted only as requested */
	uint8_t twin[PERF_EVENTS_MAX]; /* by requested row: 1 + the own row with the same event; 0: none */
	unsigned n_events;             /* number of rows in `has` before any were dropped */
	struct perf_event events[PERF_EVENTS_MAX];

	/* Groups that fit the counters. */
	unsigned limit;    /* most events at a time */
	bool shares_all;   /* no group is pinned, because another user has taken its counters */
	unsigned n_pinned; /* events of group 0, which is counted all the time; 0: all groups take turns */
	unsigned n_groups;
	struct {
		uint8_t n, row[PERF_GROUP_MAX];
		uint64_t rows; /* as a bit set */
	} groups[PERF_GROUPS_MAX];
};

/* One CPU or thread. */
struct perf_whose {
	pid_t tid; /* -1: a CPU */
	int cpu;   /* index into cpus; -1 for a thread */
};

/* A group of one PMU on one CPU or of one thread. */
struct perf_part {
	struct perf_group group; /* n == 0: not open */
	struct perf_reading last;
	double fraction[PERF_GROUP_MAX];
	uint8_t unit, number; /* of the group in the plan, or PERF_CLOCK */
	bool ran;             /* was scheduled recently */
	bool stale;           /* its counts did not change, because its CPU is offline */
	bool off;             /* its CPU went offline, so it no longer counts */
	bool blind;           /* could not be read, so its count until then is unknown */
	int code;             /* errno of the failed open */
	unsigned n_failed;    /* failed reads in a row */
	uint64_t waited_ns;   /* time waited to be scheduled since its values became unknown */
	uint64_t pending_ns;  /* time waited that its next count includes */
	/* By event: time before the group was opened that its first count includes. */
	uint64_t owed_ns[PERF_GROUP_MAX];
	struct perf_whose whose;
};
#define PERF_CLOCK UINT8_MAX /* counts the time of a thread on the CPUs of this PMU */

/* Cycles and busy time of one CPU that wait for a report. */
struct perf_busy_cpu {
	uint64_t cycles, ticks;
};

/* Why the sum of a row is incomplete. */
enum perf_gap {
	PERF_MISSED,  /* the count is unknown */
	PERF_WAITING, /* a thread ran, but its group has not been scheduled yet */
	PERF_IDLE,    /* a thread did not run */
	PERF_GAPS
};

struct perf {
	struct cpus cpus;
	struct perf_pmus pmus;
	/* The needed rows of perf_rows, the events requested by name, and an empty one. */
	struct perf_row rows[PERF_EVENTS_MAX + 1];
	unsigned n_own, n_rows; /* the needed rows of perf_rows; all rows */
	/* Sets that come first. The sure ones among them are always counted, if they fit. */
	uint8_t first[PERF_SETS_MAX];
	unsigned n_first, n_sure;
	bool plans_again;   /* `first` has changed */
	bool alike, yields; /* source_options.alike, needs_yield */
	struct perf_unit units[PERF_UNITS_MAX];
	unsigned n_units; /* the units with events, the software unit last */
	unsigned n_hard;  /* of them, the hardware PMUs */
	uint64_t has;     /* bit set of rows that some PMU counts, or that were requested by name */
	uint64_t partly;  /* rows without a sum: some hardware PMU lacks them; never requested */
	/* rights that the kernel grants */
	bool own; /* only our own processes, although the whole machine was requested */
	bool user_only;
	bool tasks; /* threads, not CPUs */
	bool inherit, on_exec;
	bool begun;        /* the command has called exec */
	bool cut;          /* this sample ends the measurement */
	bool has_gap;      /* in this sample a CPU counted for a part of the time only */
	bool any_off;      /* a CPU is offline, or was until now */
	char about[64];    /* "process 4711 game", "CPUs 0-3", "all CPUs" */
	int refused;       /* errno that refused the requested rights; 0: they were granted */
	char lacking[160]; /* requested events that no PMU counts: "r23, LLC-loads" */
	struct perf_whose *whose;
	unsigned n_whose, cap_whose, n_left_out; /* n_left_out: threads beyond the open file limit */

	struct perf_part *parts;
	unsigned n_parts, cap_parts;

	/* Positions of values in a block: of the machine, of a cluster or of a CPU. */
	uint16_t value_at[PERF_EVENTS_MAX], raw_at[PERF_EVENTS_MAX],
		time_at[PERF_EVENTS_MAX]; /* by set: running, then enabled */
	uint16_t whole_at; /* CPUTaskTime again, if cycles include the kernel as it does; 0: no */
	unsigned block, n_blocks;
	struct perf_gaps {
		uint64_t rows[PERF_GAPS]; /* bit sets */
	} * gaps;                         /* per block, while a sample is made */

	/* Counting the machine: cycles and the time that CPUs were busy (perf_busy.c). */
	struct {
		struct cpu_ticks ticks;
		struct perf_busy_cpu *each; /* by index of cpus; NULL: not reported */
		uint64_t tick_ns;
		unsigned row; /* of the cycles */
		uint16_t at;  /* of the two slots in a block */
		int64_t due_ns;
	} busy;

	int64_t start_ns, begin_ns, due_ns, look_ns, return_ns;
	int64_t counted_ns; /* time of the last read */
	int64_t suspended_ns;
	bool ended;       /* the process has exited */
	char process[32]; /* "proc/4711", to notice its exit; "" for none */
};

/* Choose the rows that the source needs (source->options.needs), and the sets that come first. */
bool perf_rows_choose(struct perf *p, const struct source_options *options, struct err *err);
/* Put the sets of these slots first, or those of the options if there are none. Takes effect with
 * perf_count_plan. Does nothing if the options name the needed events. */
void perf_rows_prefer(struct source *source, const struct source_priority *priority);
/* Find the PMUs, and the units with the events of the rows: at least the software events. */
void perf_units_find(struct perf *p, const struct sys *sys);
/* Make the unit count this row by the event's name, if it can. */
void perf_unit_ask(const struct perf *p, struct perf_unit *unit, unsigned row, const struct perf_name *name);

/* Add options->events to the rows, and to the units that have them; duplicates only once. */
bool perf_ask(struct perf *p, const struct source_options *options, struct err *err);
/* Whether the events of every requested group {a,b} are counted together. */
bool perf_ask_check_groups(const struct perf *p, const struct perf_unit *unit, struct err *err);
/* Call this when the scope is known: refuses events that may not be measured. An event that no PMU
 * counts gets slots, which stay unknown, and is listed in p->lacking. */
bool perf_ask_check(struct perf *p, struct err *err);

/* Return the rows of the set that starts at this row, as a bit set. */
uint64_t perf_set_at(const struct perf *p, unsigned from);
/* Return the own row that a counted row also provides, -1: none. */
static inline int perf_unit_next(const struct perf *p, const struct perf_unit *unit, int row)
{
	int twin = row < (int)p->n_own ? -1 : unit->twin[row] - 1;

	return twin >= 0 && unit->shared >> twin & 1 ? twin : -1;
}

/* Split the events of a PMU into groups of at most unit->limit, requested events first. An own set
 * whose events were all requested needs no counters. With p->yields, one that would need another
 * group is dropped. Unless p->alike, if one group is not enough, sets of p->first are pinned while
 * there is room for each of the others: the sure ones, and those that cost the others no time, or
 * all if then none of p->first takes turns. Events that cannot be counted are removed from
 * unit->has. Returns false if the kernel refuses every event; err->code is the reason. */
bool perf_plan(const struct perf *p, struct perf_unit *unit, const struct sys *sys, struct err *err);

/* Determine whose events are counted, and with which rights. */
bool perf_scope_find(struct perf *p, const struct source *source, struct err *err);

/* Update the list of threads: some have exited, others were started. */
void perf_scope_renew(struct perf *p, const struct source *source);

/* Open and start every group. Returns false if none could be opened, or one does not start. */
bool perf_count_open(struct perf *p, const struct sys *sys, struct err *err);
void perf_count_close(struct perf *p);
/* Add the counts since the last call to value[n_blocks x block]. Returns flags. */
uint32_t perf_count_read(struct perf *p, const struct sys *sys, uint64_t *value);
/* Add the parts of a PMU, by CPU or thread; its clocks come before its groups. */
void perf_parts_add(struct perf *p, unsigned unit);
/* Open and start a part again. CPUs come and go; an offline CPU refuses to open a group. */
void perf_part_reopen(struct perf *p, const struct sys *sys, struct perf_part *part);
bool perf_part_is_pinned(const struct perf *p, const struct perf_part *part);
/* The blocks of a CPU's counts: the machine, its cluster, its own. Returns how many. */
unsigned perf_blocks_of_cpu(const struct perf *p, unsigned cpu, unsigned blocks[3]);

/* Call this if the machine's cycles are counted; otherwise the functions below do nothing. */
void perf_busy_init(struct perf *p);
void perf_busy_fini(struct perf *p, const struct sys *sys);
void perf_busy_start(struct perf *p, const struct sys *sys, int64_t now_ns);
/* Add the cycles and busy time that can be reported now. */
void perf_busy_read(struct perf *p, const struct sys *sys, int64_t now_ns, uint64_t *value);

/* Call these two after perf_count_read. Regroup the events if p->first has changed. */
void perf_count_plan(struct perf *p, const struct sys *sys);
/* Reopen groups of CPUs that came back. Returns whether any did. */
bool perf_count_return(struct perf *p, const struct sys *sys);
/* Call at most once a second: reopen groups that cannot be read, and split those that never ran. */
void perf_count_mend(struct perf *p, const struct sys *sys);

/* Return the remedy for this errno of the kernel; NULL if none is known. */
const char *perf_rights_help(int code);
static inline bool perf_is_denied(int code)
{
	return code == EACCES || code == EPERM;
}

void perf_list_events(const struct sys *sys, void (*add)(void *ctx, const struct event_info *event),
		      void *ctx);

#endif
