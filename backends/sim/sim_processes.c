/* The processes of the simulated phone, in the form of a scan of /proc. */
#include "backends/process/process_scan.h"
#include "backends/sim/sim_device.h"
#include "backends/sim/sim_model.h"
#include "base/alloc.h"
#include "base/real.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS 1000000000
#define AGAIN_NS 200000000 /* an earlier list repeats the previous numbers */

#define UPTIME_NS 2520000000000 /* of the phone at the start of the simulation */

#define COMMAND_SIZE 64

struct processes {
	struct sim_device device;
	int64_t start_ns;                     /* of the simulation */
	int64_t begin_ns, end_ns;             /* the interval of the percentages */
	double before[SIM_TASKS], gpu_before; /* task_ns and gpu_ns of the device at begin_ns */
};

static void *processes_new(const struct sys *sys, const struct source_options *options)
{
	struct processes *p = xcalloc(1, sizeof(*p));
	struct err err;

	(void)sys;
	if (!sim_device_init(&p->device, options, &err))
		return take_ptr(&p); /* without a scenario the sources would not have opened */
	p->start_ns = options->epoch_ns;
	return p;
}

/* Instructions per cycle: those of its cores, a little more or less for each program, and not the
 * same in every second. */
static double task_ipc(const struct processes *p, unsigned i)
{
	const struct sim_device *d = &p->device;
	const struct sim_task *t = &d->tasks[i];
	unsigned last = d->n_clusters - 1;
	double own = sim_hash_unit(sim_hash(d->seed, 0, 9000 + i)) - 0.5,
	       now = sim_hash_unit(sim_hash(d->seed, (uint64_t)(d->now_ns / SECOND_NS), 9100 + i)) - 0.5;

	return d->clusters[t->cluster < last ? (unsigned)t->cluster : last].ipc * d->scenario.cpu.ipc *
	       (1 + 0.4 * own + 0.06 * now);
}

/* Make a process, and its command line. One with threads has the sum of its threads. */
static struct process process_of(const struct processes *p, unsigned i, char command[COMMAND_SIZE])
{
	const struct sim_task *t = &p->device.tasks[i];
	struct span line = t->row.rest, name = span_trim(span_until(&line, '|'));
	unsigned from = t->threads > 1 ? i + 1 : i, n = t->threads > 1 ? (unsigned)t->threads : 1;
	double total = 0, ran = 0, most = 0, worked = 0, time = (double)(p->end_ns - p->begin_ns);
	struct process process = process_unknown;

	for (unsigned k = from; k < from + n; k++) {
		double now = p->device.task_ns[k];

		total += now;
		ran += now - p->before[k];
		worked += (now - p->before[k]) * task_ipc(p, k);
		most = real_max(most, p->device.load[k]);
	}
	process.pid = (int32_t)t->pid;
	process.parent = (int32_t)t->parent;
	process.is_thread = !t->threads;
	process.simulated = true;
	process.kernel = t->threads && !line.n;
	if (line.n) {
		snprintf(command, COMMAND_SIZE, "%.*s", SPAN_ARG(span_trim(line)));
		process.command = command;
	}
	process.uid = (uint32_t)t->uid;
	process.threads = (unsigned)t->threads;
	process.start = 1000 + (uint64_t)t->pid * 30;
	if (t->threads) {
		process.rss_bytes = (uint64_t)t->rss_mib << 20;
		process.gpu_bytes = (uint64_t)t->gpu_mib << 20;
	}
	process.cpu_ns = (uint64_t)total;
	process.state = most > 0.5 ? 'R' : 'S';
	if (p->begin_ns) {
		process.cpu_percent = (float)(ran / time * 100);
		process.ipc = (float)(worked / ran);
	}
	if (p->begin_ns && t->threads)
		process.gpu_percent = (float)((p->device.gpu_ns - p->gpu_before) * t->gpu / time * 100);
	snprintf(process.name, sizeof(process.name), "%.*s", SPAN_ARG(name));
	snprintf(process.user, sizeof(process.user), "%.*s", SPAN_ARG(t->row.name));
	return process;
}

static struct process_list *processes_read(void *processes, const struct process_query *query, int64_t now_ns)
{
	struct processes *p = processes;
	struct process_list *list = xcalloc(1, sizeof(*list));

	if (!query->again && !(p->end_ns && now_ns - p->end_ns < AGAIN_NS)) {
		memcpy(p->before, p->device.task_ns, sizeof(p->before));
		p->gpu_before = p->device.gpu_ns;
		sim_device_run(&p->device, now_ns - p->start_ns);
		p->begin_ns = p->end_ns;
		p->end_ns = now_ns;
	}
	list->processes = xcalloc(SIM_TASKS, sizeof(*list->processes));
	list->commands_size = SIM_TASKS * COMMAND_SIZE;
	list->commands = xcalloc(1, list->commands_size);
	for (unsigned i = 0; i < p->device.n_tasks; i++)
		if (p->device.tasks[i].threads || query->threads_of)
			list->processes[list->n++] = process_of(p, i, list->commands + i * COMMAND_SIZE);
	list->threads = query->threads_of > 0;
	list->begin_ns = p->begin_ns;
	list->end_ns = p->end_ns;
	list->uptime_ns = now_ns - p->start_ns + UPTIME_NS;
	return list;
}

const struct process_reader sim_processes = {.new = processes_new, .read = processes_read, .free = free};
