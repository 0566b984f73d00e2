#include "backends/process/process_gpu.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_NS 10000000000
#define READ_NS 1000000000
#define CUT_MAX_NS 50e6 /* a long frame; more is no job that ended late */

void process_gpu_fini(struct process_gpu *gpu)
{
	for (unsigned i = 0; i < gpu->n_systems; i++)
		gpu_system_close(&gpu->systems[i]);
	drm_clients_fini(&gpu->clients);
	gpu_work_close(&gpu->work);
	free(gpu->uses);
	free(gpu->cuts.items);
	free(gpu->cuts_before.items);
	*gpu = (struct process_gpu){0};
}

static void find_systems(struct process_gpu *gpu, const struct sys *sys)
{
	for (unsigned number = 0; number < PROCESS_GPUS; number++) {
		struct gpu_system *system = &gpu->systems[gpu->n_systems];

		if (gpu_system_open_processes(system, sys, number))
			gpu->n_systems++;
		else
			gpu_system_close(system);
	}
}

static int by_pid(const void *a, const void *b)
{
	const struct process_gpu_use *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

static void add_use(struct process_gpu *gpu, struct process_gpu_use use)
{
	GROW(gpu->uses, gpu->n, gpu->cap);
	gpu->uses[gpu->n++] = use;
	gpu->reported |= use.bytes != SAMPLE_UNKNOWN;
	gpu->timed |= !isnan(use.percent);
	gpu->queues |= !isnan(use.fragment) || !isnan(use.vertex);
}

static void read_systems(struct process_gpu *gpu)
{
	for (unsigned i = 0; i < gpu->n_systems; i++) {
		AUTOFREE struct gpu_system_process *list = NULL;
		int n = gpu_system_process_list(&gpu->systems[i], &list);

		gpu->reported |= n >= 0;
		for (int k = 0; k < n; k++)
			add_use(gpu, (struct process_gpu_use){.pid = list[k].pid,
							      .bytes = list[k].bytes,
							      .percent = NAN,
							      .fragment = NAN,
							      .vertex = NAN});
	}
}

/* Queues work at the same time, so only the busiest one is a share of the time. */
static struct process_gpu_use use_of(const struct drm_client *client, int64_t window_ns)
{
	struct process_gpu_use use = {.pid = (unsigned)client->pid,
				      .bytes = drm_fdinfo_bytes(&client->info),
				      .percent = NAN,
				      .fragment = NAN,
				      .vertex = NAN};

	for (unsigned i = 0; i < client->info.n_engines && window_ns > 0; i++) {
		const char *name = client->info.engines[i].name;
		double own = client->ns[i] == SAMPLE_UNKNOWN
				     ? (double)NAN
				     : 100 * (double)client->ns[i] / (double)window_ns;

		if (!isnan(own) && !(own <= use.percent))
			use.percent = own;
		if (strcmp(name, "fragment") == 0)
			use.fragment = own;
		if (strcmp(name, "vertex-tiler") == 0)
			use.vertex = own;
	}
	return use;
}

/* What it used to its end is unknown, and its memory is free. */
static struct process_gpu_use left_use(const struct drm_client *client)
{
	struct process_gpu_use use = use_of(client, 0);

	use.bytes = use.bytes == SAMPLE_UNKNOWN ? SAMPLE_UNKNOWN : 0;
	use.left = true;
	return use;
}

/* A job counts in the window in which it ends, so a program that never rests has now too much, now
 * too little. What exceeds the time belongs to the next window: cut off, only what lacks would
 * remain. Two jobs that wait in a queue count at the same time, which exceeds it each time: of that
 * no more than a job is kept. The first use of a pid gets the difference. */
static void bound_uses(struct process_gpu *gpu, double window_ns)
{
	const double most = 100 * (gpu->clients.n_devices > 1 ? gpu->clients.n_devices : 1);
	struct process_gpu_cuts before = gpu->cuts;
	unsigned cursor = 0;

	gpu->cuts = gpu->cuts_before;
	gpu->cuts.n = 0;
	gpu->cuts_before = before;
	for (unsigned i = 0, end; i < gpu->n; i = end) {
		double sum = 0, cut_ns;
		struct process_gpu_use *first = NULL;

		for (end = i; end < gpu->n && gpu->uses[end].pid == gpu->uses[i].pid; end++) {
			if (isnan(gpu->uses[end].percent))
				continue;
			first = first ? first : &gpu->uses[end];
			sum += gpu->uses[end].percent;
		}
		if (!first)
			continue;
		while (cursor < before.n && before.items[cursor].pid < first->pid)
			cursor++;
		cut_ns = (sum - most) / 100 * window_ns;
		if (cursor < before.n && before.items[cursor].pid == first->pid)
			cut_ns += before.items[cursor].ns;
		first->percent += (cut_ns > 0 ? most : most + cut_ns * 100 / window_ns) - sum;
		if (cut_ns <= 0)
			continue;
		GROW(gpu->cuts.items, gpu->cuts.n, gpu->cuts.cap);
		gpu->cuts.items[gpu->cuts.n++] =
			(struct process_gpu_cut){first->pid, cut_ns < CUT_MAX_NS ? cut_ns : CUT_MAX_NS};
	}
}

static void read_clients(struct process_gpu *gpu, int64_t now_ns)
{
	int64_t window_ns;

	if (!gpu->clients.n_devices)
		return;
	drm_clients_read(&gpu->clients, now_ns);
	window_ns = gpu->clients.begin_ns ? gpu->clients.end_ns - gpu->clients.begin_ns : 0;
	for (unsigned i = 0; i < gpu->clients.n; i++)
		add_use(gpu, use_of(&gpu->clients.clients[i], window_ns));
	for (unsigned i = 0; i < gpu->clients.n_left; i++)
		if (gpu->clients.left[i].round == gpu->clients.round)
			add_use(gpu, left_use(&gpu->clients.left[i]));
}

void process_gpu_refresh(struct process_gpu *gpu, const struct sys *sys, int64_t now_ns)
{
	bool incomplete = !gpu->work.open && !gpu->clients.n_devices;

	for (unsigned i = 0; i < gpu->clients.n_devices; i++)
		incomplete |= gpu->clients.devices[i].gone;
	if (incomplete && now_ns >= gpu->look_ns) {
		if (!gpu->n_systems)
			find_systems(gpu, sys);
		drm_clients_fini(&gpu->clients);
		gpu->clients.sys = sys;
		drm_clients_find(&gpu->clients);
		if (!gpu->clients.n_devices && !gpu->work.open)
			gpu_work_open(&gpu->work, sys, &(struct err){0});
		gpu->look_ns = now_ns + LOOK_NS;
	}
	if (now_ns < gpu->read_ns)
		return;
	gpu->read_ns = now_ns + READ_NS;
	gpu->reported = gpu->timed = gpu->queues = false;
	gpu->n = 0;
	read_systems(gpu);
	read_clients(gpu, now_ns);
	if (gpu->work.open)
		gpu_work_read(&gpu->work);
	if (gpu->n)
		qsort(gpu->uses, gpu->n, sizeof(*gpu->uses), by_pid);
	if (gpu->clients.begin_ns)
		bound_uses(gpu, (double)(gpu->clients.end_ns - gpu->clients.begin_ns));
}

/* The times of clients that report some; without any they are unknown. */
static void add_time(double *sum, double own, bool first)
{
	if (first || isnan(*sum))
		*sum = own;
	else if (!isnan(own))
		*sum += own;
}

struct process_gpu_use process_gpu_of(const struct process_gpu *gpu, unsigned pid, unsigned *cursor)
{
	struct process_gpu_use use = {.pid = pid,
				      .bytes = gpu->reported ? 0 : SAMPLE_UNKNOWN,
				      .percent = gpu->timed ? 0 : NAN,
				      .fragment = gpu->queues ? 0 : NAN,
				      .vertex = gpu->queues ? 0 : NAN};

	while (*cursor < gpu->n && gpu->uses[*cursor].pid < pid)
		++*cursor;
	for (; *cursor < gpu->n && gpu->uses[*cursor].pid == pid; ++*cursor) {
		const struct process_gpu_use *own = &gpu->uses[*cursor];

		/* A part that is unknown makes the sum unknown. */
		use.bytes = use.bytes == SAMPLE_UNKNOWN || own->bytes == SAMPLE_UNKNOWN
				    ? SAMPLE_UNKNOWN
				    : use.bytes + own->bytes;
		add_time(&use.percent, own->percent, !use.held);
		add_time(&use.fragment, own->fragment, !use.held);
		add_time(&use.vertex, own->vertex, !use.held);
		use.left |= own->left;
		use.held = true;
	}
	if (use.left)
		use.percent = use.fragment = use.vertex = NAN;
	return use;
}
