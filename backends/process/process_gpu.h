/* process_gpu: what each process has of the GPUs, over all Mali GPUs: memory and time, as far as
 * the drivers report it (gpu_system.h, drm_clients.h).
 *
 * Thread: one at a time. */
#ifndef MALITOP_PROCESS_GPU_H
#define MALITOP_PROCESS_GPU_H

#include "backends/drm/drm_clients.h"
#include "backends/gpu/gpu_system.h"
#include "backends/cpu/tracepoint.h"

/* gpu_work: the GPU time of each user, from the tracepoint power/gpu_work_period, which drivers
 * have that must run on Android 13 and later (Arm's from r44 on). On Android each application is a
 * user.
 *
 * The driver reports a period of at most a second when it has ended. So what is known of a window
 * is complete a second later: the shares are those of the window before the last second.
 *
 * Thread: one at a time.
 */

struct gpu_work {
	struct tracepoint_cpus cpus;
	struct tracepoint_field uid, start, end, active;
	bool open;
	/* Of CLOCK_MONOTONIC_RAW, as the periods are; end 0: no window yet. */
	int64_t begin_ns, end_ns, now_ns;
	struct gpu_work_period {
		uint32_t uid;
		int64_t start_ns, end_ns;
		double active_ns;
	} * periods; /* those that may belong to a later window */
	unsigned n, cap;
};

/* Zero-initialize it. Returns false if it cannot be had, with the errno in *err. */
bool gpu_work_open(struct gpu_work *work, const struct sys *sys, struct err *err);
void gpu_work_close(struct gpu_work *work);
/* Take what has come, and begin a window where the last one ended. */
void gpu_work_read(struct gpu_work *work);
/* Share of the window that the GPU worked for that user, in percent, at most 100; NaN: not known
 * yet. */
double gpu_work_percent(const struct gpu_work *work, uint32_t uid);

#define PROCESS_GPUS 4

struct process_gpu_use {
	unsigned pid;
	uint64_t bytes;          /* SAMPLE_UNKNOWN: not reported */
	double percent;          /* of the time, of its busiest queue, at most 100 a GPU; NaN: not reported */
	double fragment, vertex; /* of the queues that Panfrost reports, may exceed 100; NaN: not reported */
	bool held;               /* of process_gpu_of: the process has the GPU open, or a context of it */
	bool left;               /* it has closed the GPU since the last read: its time is unknown */
};

struct process_gpu {
	struct gpu_system systems[PROCESS_GPUS]; /* the n_systems GPUs of Arm's driver that report it */
	unsigned n_systems;
	struct drm_clients clients; /* of the nodes of the open drivers */
	struct gpu_work work;       /* where there are none of these: the time of users */
	/* At least one GPU reported it at the last read: memory, time, time of each queue. */
	bool reported, timed, queues;
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
/* What a process uses: nothing (0) if a GPU reports others but not it, unknown if no GPU reports,
 * or if a GPU reports that the process uses it but not how much. Set *cursor to 0 before the first
 * call; pids must ascend from call to call. */
struct process_gpu_use process_gpu_of(const struct process_gpu *gpu, unsigned pid, unsigned *cursor);

#endif
