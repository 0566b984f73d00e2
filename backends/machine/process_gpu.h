/* process_gpu: how much GPU memory each process holds, of all Mali GPUs together, where the driver tells (gpu_system.h).
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_PROCESS_GPU_H
#define MALITOP_PROCESS_GPU_H

#include "backends/machine/gpu_system.h"

#define PROCESS_GPUS 4

struct process_gpu {
	struct gpu_system systems[PROCESS_GPUS]; /* n_systems of them tell */
	unsigned n_systems;
	bool told;                          /* the last time, by one at least */
	struct gpu_system_process *holders; /* by pid; of several GPUs one behind the other */
	unsigned n, cap;
	int64_t look_ns, read_ns; /* not before then */
};

/* Zero-initialise it. */
void process_gpu_fini(struct process_gpu *gpu);
/* Read anew what is older than a second; look for GPUs, while there are none, every ten. */
void process_gpu_refresh(struct process_gpu *gpu, const struct sys *sys, int64_t now_ns);
/* Bytes of that process, 0 if it holds none, SAMPLE_UNKNOWN if nobody tells. `*cursor` is 0 at first; pids ascend from call to call. */
uint64_t process_gpu_bytes(const struct process_gpu *gpu, unsigned pid, unsigned *cursor);

#endif
