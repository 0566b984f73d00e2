/* perf_group: CPU events that are counted together, always in the same stretches of time.
 *
 * This module is independent: the perf backend counts the machine with it, and a program can use it
 * around a critical loop: tests/workloads/loop.c.
 *
 * The first added event is the leader. Counts are raw: if running_ns is less than enabled_ns, the
 * group was multiplexed, and perf_estimate extrapolates its counts.
 *
 * Threads: one at a time. Errors keep the errno of perf_event_open in err->code, because the caller
 * decides by it. */
#ifndef MALITOP_PERF_GROUP_H
#define MALITOP_PERF_GROUP_H

#include "base/err.h"
#include "base/str.h"
#include "base/sys.h"

#include <sys/types.h>

#define PERF_GROUP_MAX 16 /* events; no CPU has this many counters available by default */

/* An event. `name` must live as long as the group. */
struct perf_event {
	const char *name;
	uint32_t type; /* PERF_TYPE_..., or the number of a PMU in sysfs */
	uint64_t config, config1, config2;
	bool user_only;   /* even if the target includes the kernel */
	bool kernel_only; /* unless the target excludes the kernel */
};

/* Whose events are counted. */
struct perf_target {
	pid_t pid;      /* thread id; 0: the calling thread; -1: all threads on `cpu` */
	int cpu;        /* -1: any CPU */
	bool user_only; /* excludes the kernel's work on its behalf */
	bool inherit;   /* includes threads and processes that it starts later */
	bool on_exec;   /* counting starts at the thread's exec; perf_group_start does nothing */
	bool pinned;    /* never multiplexed; if it cannot be counted, reads fail (ENODATA) */
	bool at_once;   /* counting starts with the first event; a group that is too large is refused */
};

struct perf_group {
	const struct sys *sys;
	struct perf_target target;
	const struct perf_event *events[PERF_GROUP_MAX];
	int fds[PERF_GROUP_MAX]; /* fds[0]: the leader */
	unsigned n;
};

/* Totals since the start, in the order in which the events were added. With target.inherit each
 * event is read separately, microseconds after the one before: the counts are complete, and the
 * times are those of the first event. */
struct perf_reading {
	uint64_t enabled_ns, running_ns;
	uint64_t count[PERF_GROUP_MAX];
};

void perf_group_init(struct perf_group *group, const struct sys *sys, const struct perf_target *target);
void perf_group_fini(struct perf_group *group);

/* On failure the group is unchanged; EINVAL for a second event: usually no counter is free. */
bool perf_group_add(struct perf_group *group, const struct perf_event *event, struct err *err);

/* Remove the last event. */
void perf_group_drop(struct perf_group *group);

bool perf_group_start(struct perf_group *group, struct err *err);
/* For a CPU that went offline, get its counts until then. Returns false with errno if the kernel
 * does not report the counts. */
bool perf_group_read(const struct perf_group *group, struct perf_reading *reading);

/* Extrapolate a count: count x enabled / running, rounded down. Returns the count itself if it was
 * counted all the time, and UINT64_MAX (unknown) if it was never counted. `fraction`, in [0, 1), is
 * carried from call to call, so that a sum of estimates is exact; NULL: no carry. */
uint64_t perf_estimate(uint64_t count, uint64_t enabled_ns, uint64_t running_ns, double *fraction);

#endif
