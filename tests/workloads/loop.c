/* loop: how a program counts the events of its own critical loop. */
#include "backends/perf/perf_group.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>

static const struct perf_event events[] = {
	{.name = "cycles", .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES},
	{.name = "instructions", .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS},
	{.name = "task-clock", .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK},
};

int main(void)
{
	struct perf_reading reading;
	struct perf_group group;
	struct sys sys;
	struct err err;

	if (!sys_init(&sys, NULL, &err))
		return 1;
	perf_group_init(&group, &sys, &(struct perf_target){.pid = 0, .cpu = -1, .user_only = true});
	for (unsigned i = 0; i < 3; i++)
		if (!perf_group_add(&group, &events[i], &err))
			fprintf(stderr, "%s\n", err.text);
	if (!group.n || !perf_group_start(&group, &err))
		return 77;
	for (volatile unsigned i = 0; i < 100000000; i++)
		continue; /* the critical loop */
	if (perf_group_read(&group, &reading))
		for (unsigned i = 0; i < group.n; i++)
			printf("%s %" PRIu64 "\n", group.events[i]->name,
			       perf_estimate(reading.count[i], reading.enabled_ns, reading.running_ns, NULL));
	perf_group_fini(&group);
	return 0;
}
