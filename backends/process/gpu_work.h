/* gpu_work: the GPU time of each user, from the tracepoint power/gpu_work_period, which drivers
 * have that must run on Android 13 and later (Arm's from r44 on). On Android each application is a
 * user.
 *
 * The driver reports a period of at most a second when it has ended. So what is known of a window
 * is complete a second later: the shares are those of the window before the last second.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_GPU_WORK_H
#define MALITOP_GPU_WORK_H

#include "backends/cpu/tracepoint.h"

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

#endif
