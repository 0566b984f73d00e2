/* people: process lists made by hand, for tests of the Processes view. */
#ifndef PEOPLE_H
#define PEOPLE_H

#include "base/alloc.h"
#include "model/process.h"
#include "model/sample.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A machine with a game, a compositor, a shell and what it runs. In the order of pids, a thread
 * right after its process. */
static const struct {
	int32_t pid, parent;
	bool is_thread;
	char state;
	unsigned threads;
	double cpu, gpu, rss_mb, gpu_mb, seconds;
	const char *user, *name;
} people[] = {
	{1, 0, false, 'S', 1, 0.1, NAN, 11.8, NAN, 12.5, "root", "init"},
	{2, 0, false, 'S', 1, 0, NAN, 0, NAN, 0.02, "root", "[kthreadd]"},
	{97, 2, false, 'I', 1, 1.2, NAN, 0, NAN, 301.7, "root", "[kworker/u16:3-mali_jobs]"},
	{812, 1, false, 'S', 24, 8.1, 6.2, 96.5, 96, 8123.4, "system", "surfaceflinger"},
	{1200, 1, false, 'D', 3, 0, NAN, 3.25, NAN, 600000, "u0_a117", "com.studio.updater"},
	{3900, 1, false, 'S', 1, 0, NAN, 4.4, NAN, 0.31, "shell", "sh"},
	{3977, 3900, false, 'S', 1, 0, NAN, 2.5, NAN, 0, "shell", "sleep"},
	{4711, 1, false, 'R', 58, 164.2, 91, 1012, 412, 4711.25, "u0_a42", "com.studio.game"},
	{4715, 4711, true, 'R', 0, 98.7, NAN, NAN, NAN, 3600.5, "u0_a42", "RenderThread"},
	{4716, 4711, true, 'S', 0, 41.1, NAN, NAN, NAN, 900, "u0_a42", "\u6e38\u620f\u7ebf\u7a0b"},
	{5000, 3900, false, 'Z', 1, NAN, NAN, 0, NAN, 0, "shell", "defunct one"},
};

static uint64_t people_amount(double value, double scale)
{
	return isnan(value) ? SAMPLE_UNKNOWN : (uint64_t)(value * scale);
}

static struct process_list *people_list(bool threads)
{
	struct process_list *list = xcalloc(1, sizeof(*list));

	list->processes = xcalloc(ARRAY_LEN(people), sizeof(*list->processes));
	list->threads = threads;
	list->begin_ns = 1;
	list->end_ns = 2;
	for (size_t i = 0; i < ARRAY_LEN(people); i++) {
		struct process *p = &list->processes[list->n];

		if (people[i].is_thread && !threads)
			continue;
		list->n++;
		*p = (struct process){
			.pid = people[i].pid,
			.parent = people[i].parent,
			.is_thread = people[i].is_thread,
			.kernel = people[i].name[0] == '[',
			.state = people[i].state,
			.threads = people[i].threads,
			.start = 1000 + (uint64_t)people[i].pid,
			.cpu_ns = (uint64_t)(people[i].seconds * 1e9),
			.rss_bytes = people_amount(people[i].rss_mb, 1e6),
			.gpu_bytes = people_amount(people[i].gpu_mb, 1e6),
			.cpu_percent = (float)people[i].cpu,
			.gpu_percent = (float)people[i].gpu,
			.ipc = (float)NAN,
			.wait_percent = (float)NAN,
			.misses = (float)NAN,
		};
		snprintf(p->name, sizeof(p->name), "%s", people[i].name);
		snprintf(p->user, sizeof(p->user), "%s", people[i].user);
	}
	process_list_bound(list, 97.5);
	return list;
}

#endif
