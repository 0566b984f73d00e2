/* The true clock of the CPUs: cycles divided by the busy time in /proc/stat. The ticks there are 10
 * ms long, so both are summed until there are enough ticks. Then one sample reports them, and their
 * ratio is a ratio of sums. */
#include "backends/perf/perf.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_NS 500000000 /* reading /proc/stat costs more than reading all counters */
#define TICKS_MIN 20      /* least ticks of a CPU: one tick is 5 % of them */

void perf_busy_init(struct perf *p)
{
	long per_second = sysconf(_SC_CLK_TCK);
	unsigned row = 0;

	while (row < p->n_own && strcmp(p->rows[row].slot, "CPUCycles") != 0)
		row++;
	/* the busy time includes the kernel, so cycles without the kernel do not match it */
	if (p->tasks || p->user_only || row == p->n_own || !(p->has >> row & 1))
		return;
	p->busy.row = row;
	p->busy.tick_ns = 1000000000ull / (per_second > 0 ? (uint64_t)per_second : 100);
	p->busy.each = xcalloc(p->cpus.n, sizeof(*p->busy.each));
	cpu_ticks_init(&p->busy.ticks, &p->cpus);
}

void perf_busy_fini(struct perf *p, const struct sys *sys)
{
	cpu_ticks_fini(&p->busy.ticks, sys);
	free(take_ptr(&p->busy.each));
}

void perf_busy_start(struct perf *p, const struct sys *sys, int64_t now_ns)
{
	if (!p->busy.each)
		return;
	cpu_ticks_forget(&p->busy.ticks);
	cpu_ticks_read(&p->busy.ticks, sys);
	for (unsigned i = 0; i < p->cpus.n; i++)
		p->busy.each[i] = (struct perf_busy_cpu){0};
	p->busy.due_ns = now_ns + READ_NS;
}

static void put_busy(const struct perf *p, unsigned cpu, uint64_t *value)
{
	unsigned blocks[3], n = perf_blocks_of_cpu(p, cpu, blocks);

	for (unsigned b = 0; b < n; b++) {
		uint64_t *at = value + blocks[b] * p->block + p->busy.at;

		source_add_known(&at[0], p->busy.each[cpu].cycles);
		source_add_known(&at[1], p->busy.each[cpu].ticks * p->busy.tick_ns);
	}
}

void perf_busy_read(struct perf *p, const struct sys *sys, int64_t now_ns, uint64_t *value)
{
	if (!p->busy.each || now_ns < p->busy.due_ns)
		return;
	p->busy.due_ns += ((now_ns - p->busy.due_ns) / READ_NS + 1) * READ_NS;
	cpu_ticks_read(&p->busy.ticks, sys);
	for (unsigned i = 0; i < p->cpus.n; i++) {
		struct perf_busy_cpu *c = &p->busy.each[i];
		const struct cpu_ticks_line *line = &p->busy.ticks.each[i];

		for (unsigned tick = 0; tick < CPU_TICKS && line->counted; tick++)
			if (tick != TICK_IDLE && tick != TICK_IOWAIT && tick != TICK_STEAL)
				c->ticks += line->delta[tick];
		if (line->counted && c->ticks < TICKS_MIN)
			continue;
		if (line->counted && c->cycles) /* otherwise its cycles are not counted */
			put_busy(p, i, value);
		*c = (struct perf_busy_cpu){0};
	}
}
