/* process_gpu: what each process has of the GPUs, over all Mali GPUs: memory and time, as far as
 * the drivers report it (gpu_system.h, drm_clients.h).
 *
 * Thread: one at a time. */
#ifndef MALITOP_PROCESS_GPU_H
#define MALITOP_PROCESS_GPU_H

#include "backends/drm/drm_clients.h"
#include "backends/gpu/gpu_system.h"
#include "backends/process/gpu_work.h"

#define PROCESS_GPUS 4

struct process_gpu_use {
	unsigned pid;
	uint64_t bytes;          /* SAMPLE_UNKNOWN: not told */
	double percent;          /* of the time, of its busiest queue, at most 100 a GPU; NaN: not told */
	double fragment, vertex; /* of the queues that Panfrost tells apart, may exceed 100; NaN: not told */
};

struct process_gpu {
	struct gpu_system systems[PROCESS_GPUS]; /* the n_systems GPUs of Arm's driver that report it */
	unsigned n_systems;
	struct drm_clients clients; /* of the nodes of the open drivers */
	struct gpu_work work;       /* where there are none of these: the time of users */
	/* At least one GPU reported it at the last read: memory, time, time of each queue. */
	bool told, timed, queues;
	struct process_gpu_use *uses; /* by pid; several GPUs and clients one after the other */
	unsigned n, cap;
	/* By pid, what a share was cut by at the last two reads: it belongs to the next. */
	struct process_gpu_cuts {
		struct process_gpu_cut {
			unsigned pid;
			double ns;
		} * items;
		unsigned n, cap;
	} cuts, cuts_before;
	int64_t look_ns, read_ns; /* earliest time of the next one */
};

/* Zero-initialize it. */
void process_gpu_fini(struct process_gpu *gpu);
/* Read again if the last read is older than a second; while there is no GPU, or one is lost, look
 * for them every ten seconds. */
void process_gpu_refresh(struct process_gpu *gpu, const struct sys *sys, int64_t now_ns);
/* What a process uses: nothing (0) if a GPU reports others but not it, unknown if no GPU reports;
 * memory also if a GPU reports that the process uses it but not how much.
 * Set *cursor to 0 before the first call; pids must ascend from call to call. */
struct process_gpu_use process_gpu_of(const struct process_gpu *gpu, unsigned pid, unsigned *cursor);

#endif
