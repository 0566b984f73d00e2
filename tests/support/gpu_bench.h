/* gpu_bench: a machine whose GPU is asked by gpu_system; its files may be refused, and it counts
 * what is open. */
#ifndef GPU_BENCH_H
#define GPU_BENCH_H

#include "tests/support/fixture.h"

#include "backends/gpu/gpu_system.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS 1000000ll
#define UNKNOWN SAMPLE_UNKNOWN
#define DEVICE "sys/class/misc/mali0/device/"
#define DEBUG "sys/kernel/debug/mali0/"
#define DEVFREQ "sys/class/devfreq/fb000000.gpu/"

struct gpu_bench {
	struct fixture f;
	struct gpu_system g;
	struct gpu_system_values values;
	const char *refused; /* paths with this in them */
	int refused_errno;
	int n_open;
	struct sys fixture_sys;
};

static struct gpu_bench *bench_of(const struct sys *sys)
{
	return (struct gpu_bench *)((char *)sys->ctx - offsetof(struct gpu_bench, f));
}

static bool is_refused(const struct gpu_bench *b, const char *path)
{
	if (!b->refused || !strstr(path, b->refused))
		return false;
	errno = b->refused_errno;
	return true;
}

static int bench_open_file(const struct sys *sys, const char *path, int flags)
{
	struct gpu_bench *b = bench_of(sys);
	int fd = is_refused(b, path) ? -1 : b->fixture_sys.open(sys, path, flags);

	b->n_open += fd >= 0;
	return fd;
}

static int bench_close_file(const struct sys *sys, int fd)
{
	bench_of(sys)->n_open--;
	return bench_of(sys)->fixture_sys.close(sys, fd);
}

static int bench_list(const struct sys *sys, const char *path, char ***names)
{
	*names = NULL;
	return is_refused(bench_of(sys), path) ? -1 : bench_of(sys)->fixture_sys.list(sys, path, names);
}

static void bench_init(struct gpu_bench *b, const char *board)
{
	memset(b, 0, sizeof(*b));
	fixture_init(&b->f, board);
	b->fixture_sys = b->f.sys;
	b->f.sys.open = bench_open_file;
	b->f.sys.close = bench_close_file;
	b->f.sys.list = bench_list;
	b->refused_errno = EACCES;
}

static inline void bench_open(struct gpu_bench *b, const char *board)
{
	bench_init(b, board);
	gpu_system_open(&b->g, &b->f.sys, 0);
}

static void bench_close(struct gpu_bench *b)
{
	gpu_system_close(&b->g);
	assert_int_equal(b->n_open, 0);
	fixture_fini(&b->f);
}

static inline uint64_t level(struct gpu_bench *b, enum gpu_system_thing thing)
{
	gpu_system_read(&b->g, &b->values);
	return b->values.level[thing];
}

#endif
