/* A perf source over a fake machine, whose files are a tree in a directory of its own: opened,
 * started, read until samples come. */
#ifndef MALITOP_TEST_PERF_RUN_H
#define MALITOP_TEST_PERF_RUN_H

#include "backends/backends.h"
#include "tests/fake/fake_sys.h"
#include "tests/support/fixture.h"

#include <sys/types.h>

#define MS 1000000ll

struct perf_run {
	char dir[SCRATCH_PATH];
	struct fake_sys fake;
	struct fake_perf *perf;        /* of fake */
	struct source_options options; /* change before perf_run_open */
	struct source *source;
	struct sample *sample;
	struct err err;
};

/* A machine without limits. Its files are written; after a change to r->perf fake_perf_tree writes
 * them again. */
void perf_run_init(struct perf_run *r, const char *machine);
void perf_run_fini(struct perf_run *r); /* fails the test if anything is left open, or a rule was broken */
/* The same machine, as new, with the files that there are. */
void perf_run_again(struct perf_run *r);
/* false with r->err; nothing is left behind then. */
bool perf_run_open(struct perf_run *r);
bool perf_run_start(struct perf_run *r, int64_t period_ns);
/* Both, where they cannot fail. */
void perf_run_begin(struct perf_run *r, int64_t period_ns);
void perf_run_close(struct perf_run *r);
/* Let time pass until there is a sample, at most so long; a read every millisecond. */
enum read_result perf_run_read(struct perf_run *r, int64_t most_ns);

/* The position of a slot; fails the test if there is none. */
unsigned perf_run_slot(const struct perf_run *r, const char *name, enum instance_kind kind, unsigned number);
bool perf_run_has(const struct perf_run *r, const char *name); /* for the whole */
/* What the newest sample has. */
uint64_t perf_run_value(const struct perf_run *r, const char *name, enum instance_kind kind, unsigned number);
uint64_t perf_run_total(const struct perf_run *r, const char *name);

/* What that event counts in a millisecond on that CPU; SAMPLE_UNKNOWN: the CPU has no PMU, or raw
 * is 0. */
uint64_t perf_run_law(const struct perf_run *r, int cpu, uint64_t raw);

/* A process, in the fake and in proc, with one thread; a thread of it, which runs on that CPU and
 * of which the kernel has known for long; another one, that the process starts now; and their
 * ends. */
void perf_run_process(struct perf_run *r, pid_t pid, unsigned uid, int cpu);
void perf_run_thread(struct perf_run *r, pid_t pid, pid_t tid, int cpu);
void perf_run_clone(struct perf_run *r, pid_t pid, pid_t tid, int cpu);
void perf_run_thread_ends(struct perf_run *r, pid_t pid, pid_t tid);
void perf_run_process_ends(struct perf_run *r, pid_t pid);
/* What proc/PID/stat says: the state, and how many threads. */
void perf_run_state(struct perf_run *r, pid_t pid, char state, unsigned n_threads);

#endif
