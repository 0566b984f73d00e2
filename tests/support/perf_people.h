/* perf_people: processes on a fake machine whose events are counted, and what is expected of
 * them. */
#ifndef MALITOP_TEST_PERF_PEOPLE_H
#define MALITOP_TEST_PERF_PEOPLE_H

#include "tests/support/perf_run.h"
#include "tests/support/test.h"

#include <string.h>
#include <sys/types.h>

#define CYCLES 0x11
#define OTHER 2000 /* a user */
#define TASK_PER_MS 1000000ull

/* Processes: 1000 is malitop; 1001 has two threads; 2003 is somebody else's. Each runs on the CPU
 * of its number % 4. */
static inline void init_run(struct perf_run *r, const char *machine, enum scope_kind kind, pid_t pid)
{
	perf_run_init(r, machine);
	perf_run_process(r, 1000, 1000, 0);
	perf_run_process(r, 1001, 1000, 1);
	perf_run_thread(r, 1001, 1002, 2);
	perf_run_process(r, 2003, OTHER, 3);
	r->options.scope = (struct scope){.kind = kind, .pid = pid};
}

/* Nobody else is on CPU 0 and CPU 3, and nothing has to share: counts of several CPUs are one sum,
 * of which no share tells how much was counted where. */
static inline void run_alone(struct perf_run *r)
{
	fake_perf_move(r->perf, 1000, -1);
	fake_perf_move(r->perf, 2003, -1);
	for (unsigned i = 2; i < r->perf->n_pmus; i++)
		r->perf->pmus[i].counters = 31;
}

static inline void begin_people(struct perf_run *r, const char *machine, enum scope_kind kind, pid_t pid)
{
	init_run(r, machine, kind, pid);
	perf_run_begin(r, 100 * MS);
}

static inline void next_sample(struct perf_run *r)
{
	assert_int_equal(perf_run_read(r, 1000 * MS), READ_GOT);
}

static inline void expect_count(const struct perf_run *r, const char *slot, uint64_t expected,
				const char *what, int row)
{
	uint64_t value = perf_run_total(r, slot);

	if (value != expected)
		fail_msg("%s %d: %s is %lld, not %lld", what, row, slot, (long long)value,
			 (long long)expected);
}

static inline void expect_text(const char *text, const char *part, const char *what, size_t row)
{
	if (part[0] ? !strstr(text, part) : text[0])
		fail_msg("%s, row %zu: '%s' does not say '%s'", what, row, text, part);
}

#endif
