/* perf_bench: a fake machine whose CPUs count, and short ways to ask it. */
#ifndef MALITOP_TEST_PERF_BENCH_H
#define MALITOP_TEST_PERF_BENCH_H

#include "tests/fake/fake_sys.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/types.h>

#define MS 1000000ll
#define RAW(number) \
	((struct perf_event_attr){.type = 8, .config = (number)}) /* of the first PMU that is no software */
#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

struct perf_bench {
	struct fake_sys fake;
	struct sys *sys;
	struct fake_perf *perf;
};

static inline void perf_begin(struct perf_bench *b, const char *machine)
{
	fake_sys_init(&b->fake, NULL);
	b->sys = &b->fake.sys;
	b->perf = fake_sys_add_perf(&b->fake, machine);
}

static inline int perf_open(struct perf_bench *b, struct perf_event_attr attr, pid_t pid, int cpu, int group)
{
	errno = 0;
	attr.size = attr.size ? attr.size : sizeof(attr);
	return b->sys->perf_event_open(b->sys, &attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

static inline int perf_control(struct perf_bench *b, int fd, unsigned long request, unsigned long flags)
{
	errno = 0;
	return b->sys->ioctl(b->sys, fd, request, (void *)(uintptr_t)flags);
}

/* Read n words; what came, in words. */
static inline int perf_read(struct perf_bench *b, int fd, uint64_t *words, size_t n)
{
	ssize_t got;

	errno = 0;
	got = b->sys->read(b->sys, fd, words, n * sizeof(*words));
	return got < 0 ? -1 : (int)(got / (ssize_t)sizeof(*words));
}

struct perf_words {
	uint64_t count, enabled_ns, running_ns;
};

/* Of an event with TIMES and without a group. */
static inline struct perf_words perf_words(struct perf_bench *b, int fd)
{
	struct perf_words w = {0, 0, 0};

	perf_read(b, fd, &w.count, 3);
	return w;
}

#endif
