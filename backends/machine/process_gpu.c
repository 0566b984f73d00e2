#include "backends/machine/process_gpu.h"

#include "base/alloc.h"

#include <stdlib.h>

#define LOOK_NS 10000000000
#define READ_NS 1000000000

void process_gpu_fini(struct process_gpu *gpu)
{
	for (unsigned i = 0; i < gpu->n_systems; i++)
		gpu_system_close(&gpu->systems[i]);
	free(gpu->holders);
	*gpu = (struct process_gpu){0};
}

static void look(struct process_gpu *gpu, const struct sys *sys)
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
	const struct gpu_system_process *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

void process_gpu_refresh(struct process_gpu *gpu, const struct sys *sys, int64_t now_ns)
{
	if (!gpu->n_systems && now_ns >= gpu->look_ns) {
		look(gpu, sys);
		gpu->look_ns = now_ns + LOOK_NS;
	}
	if (now_ns < gpu->read_ns)
		return;
	gpu->read_ns = now_ns + READ_NS;
	gpu->told = false;
	gpu->n = 0;
	for (unsigned i = 0; i < gpu->n_systems; i++) {
		AUTOFREE struct gpu_system_process *list = NULL;
		int n = gpu_system_process_list(&gpu->systems[i], &list);

		gpu->told |= n >= 0;
		for (int k = 0; k < n; k++) {
			GROW(gpu->holders, gpu->n, gpu->cap);
			gpu->holders[gpu->n++] = list[k];
		}
	}
	if (gpu->n)
		qsort(gpu->holders, gpu->n, sizeof(*gpu->holders), by_pid);
}

uint64_t process_gpu_bytes(const struct process_gpu *gpu, unsigned pid, unsigned *cursor)
{
	uint64_t bytes = 0;

	while (*cursor < gpu->n && gpu->holders[*cursor].pid < pid)
		++*cursor;
	while (*cursor < gpu->n && gpu->holders[*cursor].pid == pid)
		bytes += gpu->holders[(*cursor)++].bytes;
	return gpu->told ? bytes : SAMPLE_UNKNOWN;
}
