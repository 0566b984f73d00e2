/* Lists the events that have names, and whether this machine counts each of them now. */
#include "backends/perf/perf.h"

#include "backends/perf/arm_events.h"
#include "backends/perf/perf_generic.h"

#include <linux/perf_event.h>

struct listing {
	const struct sys *sys;
	struct cpus cpus;
	struct perf_pmus pmus;
};

/* Open the event for this thread, in user space unless it occurs in the kernel only. */
static bool event_opens(const struct listing *l, struct perf_event event, bool user_only)
{
	struct perf_group group;
	bool ok;

	perf_group_init(&group, l->sys,
			&(struct perf_target){.pid = 0, .cpu = -1, .user_only = user_only, .at_once = true});
	ok = perf_group_add(&group, &event, NULL);
	perf_group_fini(&group);
	return ok;
}

/* Events that happen only in the kernel count nothing in user space. */
static bool is_kernel_event(const struct perf_event *event)
{
	return event->type == PERF_TYPE_SOFTWARE && (event->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
						     event->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

static bool counts_now(const struct listing *l, const char *text)
{
	struct perf_name name;
	struct err err;

	if (!perf_name_find(&name, &l->pmus, &l->cpus, text, &err))
		return false;
	for (unsigned i = 0; i < name.n; i++)
		if (event_opens(l, name.events[i].event, !is_kernel_event(&name.events[i].event)))
			return true;
	return false;
}

void perf_list_events(const struct sys *sys, void (*add)(void *ctx, const struct event_info *event),
		      void *ctx)
{
	struct listing l = {.sys = sys};
	char name[64];
	const char *arm;
	uint16_t number;

	cpus_find(&l.cpus, sys);
	perf_pmus_find(&l.pmus, sys);
	for (unsigned i = 0; arm_event_at(i, &arm, &number); i++) {
		AUTO_STRBUF struct strbuf cores = {0};

		arm_event_cores(number, &cores);
		add(ctx, &(struct event_info){.name = arm,
					      .number = number,
					      .cores = cores.n ? cores.p : "",
					      .now = counts_now(&l, arm)});
	}
	for (unsigned i = 0; perf_generic_name(i, name, sizeof(name)); i++)
		if (name[0])
			add(ctx,
			    &(struct event_info){
				    .name = name, .number = -1, .cores = "", .now = counts_now(&l, name)});
	perf_pmus_fini(&l.pmus);
	cpus_fini(&l.cpus);
}
