/* The processes of the simulated phone, in the form of a scan of /proc. */
#include "backends/process/process_scan.h"
#include "backends/sim/sim_device.h"
#include "backends/sim/sim_model.h"
#include "base/alloc.h"
#include "base/real.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SECOND_NS 1000000000
#define AGAIN_NS 200000000 /* an earlier list repeats the previous numbers */

#define UPTIME_NS 2520000000000 /* of the phone when the simulation begins */

struct processes {
	struct sim_device device;
	int64_t start_ns;         /* of the simulation */
	int64_t begin_ns, end_ns; /* the interval of the percentages */
	double before[SIM_TASKS_MAX], now[SIM_TASKS_MAX], gpu_before, gpu_now;
};

static void *processes_new(const struct sys *sys, const struct source_options *options)
{
	struct processes *p = xcalloc(1, sizeof(*p));
	struct err err;

	(void)sys;
	if (!sim_device_init(&p->device, options, &err))
		return take_ptr(&p); /* no scenario: the sources would not have opened */
	p->start_ns = options->epoch_ns;
	return p;
}

static void processes_free(void *processes)
{
	free(processes);
}

static void advance_processes(struct processes *p, int64_t now_ns)
{
	if (p->end_ns && now_ns - p->end_ns < AGAIN_NS)
		return;
	for (unsigned i = 0; i < sim_n_tasks; i++)
		p->before[i] = p->now[i];
	p->gpu_before = p->gpu_now;
	sim_device_run(&p->device, now_ns - p->start_ns);
	for (unsigned i = 0; i < sim_n_tasks; i++)
		p->now[i] = p->device.task_ns[i];
	p->gpu_now = p->device.gpu_ns;
	p->begin_ns = p->end_ns;
	p->end_ns = now_ns;
}

/* The threads of a process, or the task itself. */
static unsigned threads_of(unsigned i)
{
	unsigned n = 0;

	while (i + 1 + n < sim_n_tasks && sim_tasks[i + 1 + n].is_thread && !sim_tasks[i].is_thread)
		n++;
	return n;
}

/* Instructions per cycle: those of its cores, a little more or less for each program, and not the
 * same in every second. */
static double task_ipc(const struct processes *p, unsigned i)
{
	const struct sim_device *d = &p->device;
	const struct sim_task *t = &sim_tasks[i];
	unsigned last = d->soc->n_clusters - 1;
	double own = sim_hash_unit(sim_hash(d->seed, 0, 9000 + i)) - 0.5,
	       now = sim_hash_unit(sim_hash(d->seed, (uint64_t)(d->now_ns / SECOND_NS), 9100 + i)) - 0.5;

	return d->soc->clusters[t->cluster < last ? t->cluster : last].ipc * d->scenario.cpu.ipc *
	       (1 + 0.4 * own + 0.06 * now);
}

static struct process process_of(const struct processes *p, unsigned i)
{
	const struct sim_task *t = &sim_tasks[i];
	unsigned threads = threads_of(i), from = threads ? i + 1 : i, to = threads ? i + threads : i;
	double total = 0, ran = 0, most = 0, worked = 0, time = (double)(p->end_ns - p->begin_ns);
	struct process process = {.pid = t->pid,
				  .parent = t->parent,
				  .is_thread = t->is_thread,
				  .simulated = true,
				  .kernel = !t->is_thread && !t->command,
				  .command = t->command,
				  .uid = t->uid,
				  .threads = t->is_thread ? 0
					     : threads    ? threads
							  : 1,
				  .start = 1000 + (uint64_t)t->pid * 30,
				  .rss_bytes = t->is_thread ? SAMPLE_UNKNOWN : (uint64_t)t->rss_mib << 20,
				  .gpu_bytes = t->is_thread ? SAMPLE_UNKNOWN : (uint64_t)t->gpu_mib << 20,
				  .cpu_percent = NAN,
				  .gpu_percent = NAN,
				  .ipc = NAN,
				  .misses = NAN,
				  .wait_percent = NAN};

	for (unsigned k = from; k <= to; k++) {
		total += p->now[k];
		ran += p->now[k] - p->before[k];
		worked += (p->now[k] - p->before[k]) * task_ipc(p, k);
		most = real_max(most, p->device.load[k]);
	}
	process.cpu_ns = (uint64_t)total;
	process.state = most > 0.5 ? 'R' : 'S';
	if (p->begin_ns) {
		process.cpu_percent = (float)(ran / time * 100);
		process.ipc = (float)(worked / ran);
		if (!t->is_thread)
			process.gpu_percent = (float)((p->gpu_now - p->gpu_before) * t->gpu / time * 100);
	}
	snprintf(process.name, sizeof(process.name), "%s", t->name);
	snprintf(process.user, sizeof(process.user), "%s", t->user);
	return process;
}

static struct process_list *processes_read(void *processes, const struct process_query *query, int64_t now_ns)
{
	struct processes *p = processes;
	struct process_list *list = xcalloc(1, sizeof(*list));

	if (!query->again)
		advance_processes(p, now_ns);
	list->processes = xcalloc(sim_n_tasks, sizeof(*list->processes));
	for (unsigned i = 0; i < sim_n_tasks; i++)
		if (!sim_tasks[i].is_thread || query->threads_of)
			list->processes[list->n++] = process_of(p, i);
	list->threads = query->threads_of > 0;
	list->begin_ns = p->begin_ns;
	list->end_ns = p->end_ns;
	list->uptime_ns = now_ns - p->start_ns + UPTIME_NS;
	return list;
}

const struct process_reader sim_processes = {
	.new = processes_new, .read = processes_read, .free = processes_free};
