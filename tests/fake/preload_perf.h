/* The fake perf behind the libc calls of a program (preload.c): its machine, on real time, and real
 * threads as its tasks. */
#ifndef MALITOP_FAKE_PRELOAD_PERF_H
#define MALITOP_FAKE_PRELOAD_PERF_H

#include "tests/fake/perf.h"

#include <sys/types.h>

/* From FAKEPERF; without it there is no fake (preload_perf_on). The calls below are made under the
 * lock of preload.c. */
void preload_perf_init(const char *words, int64_t now_ns);
void preload_perf_fini(void); /* removes the files, too */
bool preload_perf_on(void);
struct fake_perf *preload_perf(void);

/* "FROM-TO": from FROM ms to TO ms after that moment; "/FILE": while there is that file. */
struct preload_while {
	int64_t from_ns, to_ns;
	char *file;
};
void preload_while_read(struct preload_while *w, const char *text, int64_t since_ns); /* in preload.c */
const struct preload_while *preload_perf_hang(void);

/* Time passes; threads that ended meanwhile end. */
void preload_perf_advance(int64_t now_ns);
int preload_perf_open(void *attr, pid_t pid, int cpu, int group_fd, unsigned long flags);
/* The file that stands for one of sysfs or procfs, to be freed; NULL: the real one. */
char *preload_perf_path(const char *path);

#endif
