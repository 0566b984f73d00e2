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

const struct sim_task sim_tasks[SIM_TASKS] = {
	{1, 0, 1, ROLE_REST, 0, 0, "root", 9, 0, 0, "init", "/system/bin/init second_stage"},
	{2, 0, 1, ROLE_REST, 0, 0, "root", 0, 0, 0, "[kthreadd]", NULL},
	{14, 2, 1, ROLE_REST, 0, 0, "root", 0, 0, 0, "[ksoftirqd/0]", NULL},
	{87, 2, 1, ROLE_SYSTEM, 0, 0, "root", 0, 0, 0, "[kworker/u16:2]", NULL},
	{231, 2, 1, ROLE_SYSTEM, 0, 0, "root", 0, 0, 0, "[mali_jd_fence]", NULL},
	{412, 1, 1, ROLE_REST, 0, 1036, "logd", 14, 0, 0, "logd", "/system/bin/logd"},
	{603, 1, 1, ROLE_REST, 0, 0, "root", 142, 0, 0, "zygote64", "zygote64"},
	{611, 1, 1, ROLE_AUDIO, 0, 1041, "audioserver", 38, 0, 0, "audioserver", "/system/bin/audioserver"},
	{618, 1, 1, ROLE_REST, 0, 0, "root", 17, 0, 0, "netd", "/system/bin/netd"},
	{655, 1, 2, ROLE_DISPLAY, 0, 1000, "system", 96, 54, 0.05, "surfaceflinger",
	 "/system/bin/surfaceflinger"},
	{655, 655, 0, ROLE_DISPLAY, 0, 1000, "system", 0, 0, 0, "surfaceflinger", NULL},
	{671, 655, 0, ROLE_DISPLAY, 0, 1000, "system", 0, 0, 0, "RenderEngine", NULL},
	{662, 1, 1, ROLE_DISPLAY, 0, 1000, "system", 31, 6, 0, "composer-service",
	 "/vendor/bin/hw/composer-service"},
	{689, 1, 1, ROLE_REST, 0, 1000, "system", 11, 0, 0, "thermal-service",
	 "/vendor/bin/hw/thermal-service"},
	{1178, 603, 2, ROLE_SYSTEM, 0, 1000, "system", 388, 0, 0, "system_server", "system_server"},
	{1178, 1178, 0, ROLE_SYSTEM, 0, 1000, "system", 0, 0, 0, "system_server", NULL},
	{1203, 1178, 0, ROLE_REST, 0, 1000, "system", 0, 0, 0, "android.display", NULL},
	{1640, 603, 1, ROLE_REST, 0, 10088, "u0_a88", 231, 38, 0.01, "com.example.ui", "com.example.ui"},
	{2017, 603, 1, ROLE_REST, 0, 10101, "u0_a101", 164, 22, 0, "com.example.launcher",
	 "com.example.launcher"},
	{3345, 603, 1, ROLE_REST, 0, 10130, "u0_a130", 97, 0, 0, "com.example.mail", "com.example.mail"},
	{5207, 603, 7, ROLE_MAIN, 2, 10214, "u0_a214", 1460, 690, 0.94, "com.example.game",
	 "com.example.game --level 3 --vulkan"},
	{5207, 5207, 0, ROLE_MAIN, 2, 10214, "u0_a214", 0, 0, 0, "GameMain", NULL},
	{5244, 5207, 0, ROLE_RENDER, 1, 10214, "u0_a214", 0, 0, 0, "RenderThread", NULL},
	{5231, 5207, 0, ROLE_WORKER, 1, 10214, "u0_a214", 0, 0, 0, "Worker 0", NULL},
	{5232, 5207, 0, ROLE_WORKER, 1, 10214, "u0_a214", 0, 0, 0, "Worker 1", NULL},
	{5233, 5207, 0, ROLE_WORKER, 0, 10214, "u0_a214", 0, 0, 0, "Worker 2", NULL},
	{5250, 5207, 0, ROLE_LOADER, 0, 10214, "u0_a214", 0, 0, 0, "AssetLoader", NULL},
	{5261, 5207, 0, ROLE_AUDIO, 0, 10214, "u0_a214", 0, 0, 0, "AudioTrack", NULL},
};

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
	const struct sim_task *t = &sim_tasks[i];
	unsigned last = d->soc->n_clusters - 1;
	double own = sim_hash_unit(sim_hash(d->seed, 0, 9000 + i)) - 0.5,
	       now = sim_hash_unit(sim_hash(d->seed, (uint64_t)(d->now_ns / SECOND_NS), 9100 + i)) - 0.5;

	return d->soc->clusters[t->cluster < last ? t->cluster : last].ipc * d->scenario.cpu.ipc *
	       (1 + 0.4 * own + 0.06 * now);
}

/* Make a process. One with threads has the sum of its threads. */
static struct process process_of(const struct processes *p, unsigned i)
{
	const struct sim_task *t = &sim_tasks[i];
	unsigned from = t->threads > 1 ? i + 1 : i, n = t->threads > 1 ? t->threads : 1;
	double total = 0, ran = 0, most = 0, worked = 0, time = (double)(p->end_ns - p->begin_ns);
	struct process process = process_unknown;

	for (unsigned k = from; k < from + n; k++) {
		double now = p->device.task_ns[k];

		total += now;
		ran += now - p->before[k];
		worked += (now - p->before[k]) * task_ipc(p, k);
		most = real_max(most, p->device.load[k]);
	}
	process.pid = t->pid;
	process.parent = t->parent;
	process.is_thread = !t->threads;
	process.simulated = true;
	process.kernel = t->threads && !t->command;
	process.command = t->command;
	process.uid = t->uid;
	process.threads = t->threads;
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
	snprintf(process.name, sizeof(process.name), "%s", t->name);
	snprintf(process.user, sizeof(process.user), "%s", t->user);
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
	for (unsigned i = 0; i < SIM_TASKS; i++)
		if (sim_tasks[i].threads || query->threads_of)
			list->processes[list->n++] = process_of(p, i);
	list->threads = query->threads_of > 0;
	list->begin_ns = p->begin_ns;
	list->end_ns = p->end_ns;
	list->uptime_ns = now_ns - p->start_ns + UPTIME_NS;
	return list;
}

const struct process_reader sim_processes = {.new = processes_new, .read = processes_read, .free = free};
