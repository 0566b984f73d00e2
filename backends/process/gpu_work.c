#include "backends/process/process_gpu.h"

#include "backends/gpu/gpu_system.h"
#include "base/alloc.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define LATE_NS 1200000000ll  /* the longest period, and some time until it is reported */
#define LONG_NS 10000000000ll /* a longer or older period is none */
#define PERIODS_MAX 4096

bool gpu_work_open(struct gpu_work *work, const struct sys *sys, struct err *err)
{
	struct tracepoint event;

	if (!tracepoint_find(&event, sys, GPU_WORK_EVENT, err))
		return false;
	if (!tracepoint_field(&event, "uid", &work->uid) ||
	    !tracepoint_field(&event, "start_time_ns", &work->start) ||
	    !tracepoint_field(&event, "end_time_ns", &work->end) ||
	    !tracepoint_field(&event, "total_active_duration_ns", &work->active))
		return err_set(err, ENOTSUP, "/%s/format: its fields differ from Android's", event.dir);
	if (!tracepoint_open(&work->cpus, &event, "", true, err)) {
		tracepoint_close(&work->cpus);
		return false;
	}
	return work->open = true;
}

void gpu_work_close(struct gpu_work *work)
{
	if (work->open)
		tracepoint_close(&work->cpus);
	free(work->periods);
	*work = (struct gpu_work){0};
}

static void take_period(void *ctx, const unsigned char *bytes, size_t n)
{
	struct gpu_work *w = ctx;
	struct gpu_work_period p = {
		.uid = (uint32_t)tracepoint_value(&w->uid, bytes, n),
		.start_ns = (int64_t)tracepoint_value(&w->start, bytes, n),
		.end_ns = (int64_t)tracepoint_value(&w->end, bytes, n),
		.active_ns = (double)tracepoint_value(&w->active, bytes, n),
	};

	if (p.end_ns > w->now_ns || p.end_ns < w->now_ns - LONG_NS || p.start_ns >= p.end_ns ||
	    p.start_ns < p.end_ns - LONG_NS || p.active_ns > (double)(p.end_ns - p.start_ns) ||
	    w->n == PERIODS_MAX)
		return;
	GROW(w->periods, w->n, w->cap);
	w->periods[w->n++] = p;
}

void gpu_work_read(struct gpu_work *work)
{
	const struct sys *sys = work->cpus.of.sys;
	bool first = !work->now_ns;
	unsigned n = 0;

	work->now_ns = sys->raw_ns(sys);
	tracepoint_drain(&work->cpus, take_period, work);
	work->begin_ns = first ? work->now_ns : work->end_ns ? work->end_ns : work->begin_ns;
	work->end_ns = work->now_ns - LATE_NS > work->begin_ns ? work->now_ns - LATE_NS : 0;
	for (unsigned i = 0; i < work->n; i++)
		if (work->periods[i].end_ns > work->begin_ns)
			work->periods[n++] = work->periods[i];
	work->n = n;
}

double gpu_work_percent(const struct gpu_work *work, uint32_t uid)
{
	double active_ns = 0, percent;

	if (!work->end_ns)
		return NAN;
	for (unsigned i = 0; i < work->n; i++) {
		const struct gpu_work_period *p = &work->periods[i];
		int64_t from = p->start_ns > work->begin_ns ? p->start_ns : work->begin_ns,
			to = p->end_ns < work->end_ns ? p->end_ns : work->end_ns;

		if (p->uid == uid && to > from)
			active_ns += p->active_ns * (double)(to - from) / (double)(p->end_ns - p->start_ns);
	}
	percent = active_ns * 100 / (double)(work->end_ns - work->begin_ns);
	return percent < 100 ? percent : 100;
}
