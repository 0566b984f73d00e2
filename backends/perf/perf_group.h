/* perf_group: CPU events that are counted together: all of them in the same stretches of time, or none.
 *
 * One small module that stands alone: the perf backend counts the machine with it, `malitop stat` a command, and a program
 * of yours can put it around its own critical loop:
 *
 *	struct perf_group group;
 *	struct perf_reading reading;
 *
 *	perf_group_init(&group, &sys, &(struct perf_target){.pid = 0, .cpu = -1});
 *	if (!perf_group_add(&group, &cycles, &err) || !perf_group_add(&group, &instructions, &err) || !perf_group_start(&group, &err))
 *		...
 *	loop();
 *	perf_group_stop(&group);
 *	if (perf_group_read(&group, &reading))
 *		perf_group_print(&group, &reading, &text);
 *	perf_group_fini(&group);
 *
 * The first event that is added is the leader. Counts are raw: where running_ns is less than enabled_ns, the group shared its counters
 * with others, and a count stands for count x enabled / running (perf_estimate).
 *
 * Threads: one at a time. Errors keep the errno of perf_event_open in err->code, as the caller decides by it.
 */
#ifndef MALITOP_PERF_GROUP_H
#define MALITOP_PERF_GROUP_H

#include "base/err.h"
#include "base/str.h"
#include "base/sys.h"

#define PERF_GROUP_MAX 16 /* events; no CPU has so many counters that can be used at once without being asked for */

/* What to count. `name` must live as long as the group. */
struct perf_event {
	const char *name;
	uint32_t type; /* PERF_TYPE_..., or the number of a PMU in sysfs */
	uint64_t config, config1, config2;
	bool user_only; /* whatever the target says */
};

/* Whose events. */
struct perf_target {
	pid_t pid;      /* thread id; 0: the calling thread; -1: everything that runs on `cpu` */
	int cpu;        /* -1: wherever the thread runs */
	bool user_only; /* without what the kernel does on behalf of it */
	bool inherit;   /* threads and processes that it starts from now on as well */
	bool on_exec;   /* counting starts when the thread calls exec, and perf_group_start does nothing */
	bool at_once; /* counting starts with the first event: then a group that is too large for the counters is always refused */
};

struct perf_group {
	const struct sys *sys;
	struct perf_target target;
	const struct perf_event *events[PERF_GROUP_MAX];
	int fds[PERF_GROUP_MAX]; /* fds[0]: the leader */
	unsigned n;
	bool apart; /* kernels before 4.13 read inherited events only one by one */
};

/* Totals since the start (or the last reset), in the order in which the events were added. */
struct perf_reading {
	uint64_t enabled_ns, running_ns;
	uint64_t count[PERF_GROUP_MAX];
};

void perf_group_init(struct perf_group *group, const struct sys *sys, const struct perf_target *target);
void perf_group_fini(struct perf_group *group);

/* Add an event. On failure the group is as it was; EINVAL for a second event usually means that the counters are used up. */
bool perf_group_add(struct perf_group *group, const struct perf_event *event, struct err *err);

/* Take the last event out again. */
void perf_group_drop(struct perf_group *group);

bool perf_group_start(struct perf_group *group, struct err *err);
bool perf_group_stop(struct perf_group *group);  /* counts stay */
bool perf_group_reset(struct perf_group *group); /* counts become 0; the times go on, which is how the kernel has it */
/* Of a CPU that went off: what was counted until then. false with errno when the kernel does not tell. */
bool perf_group_read(const struct perf_group *group, struct perf_reading *reading);

/* What a count stands for: count x enabled / running, rounded down; the count itself if it was counted all the time. UINT64_MAX
 * (unknown) if it was never counted. `fraction`, in [0, 1), is carried from call to call, so that a sum of estimates is exact;
 * NULL: without. */
uint64_t perf_estimate(uint64_t count, uint64_t enabled_ns, uint64_t running_ns, double *fraction);

/* A line per event: count with separators, the estimate in [brackets] where there is one, name, share of time. */
void perf_group_print(const struct perf_group *group, const struct perf_reading *reading, struct strbuf *out);

#endif
