/* proc: what the parts of the proc backend share. Nobody else includes this.
 *
 * proc.c          the backend: slots, deadlines, the sample
 * proc_level.c    states read at most once a second: clocks, load, memory, temperatures
 * proc_describe.c lines for people
 *
 * `topology` is constant after open; any thread may read it. Everything else belongs to the sampler thread.
 */
#ifndef MALITOP_PROC_H
#define MALITOP_PROC_H

#include "backends/backend.h"
#include "backends/machine/cpu_ticks.h"
#include "backends/machine/cpus.h"

#define PROC_POLICIES_OPEN 64 /* cpufreq files kept open; where every CPU of a big machine has a policy, the rest are not */
#define PROC_ZONES_MAX 32
#define PROC_TEXT 256 /* a file that holds one value */

/* What there is for the machine, every cluster and every CPU. The first ones are the ticks. */
enum proc_quantity { PROC_CLOCK = CPU_TICKS, PROC_CLOCK_TOP, PROC_ONLINE, PROC_QUANTITIES };

/* What there is once. */
enum proc_level {
	LEVEL_LOAD_1,
	LEVEL_LOAD_5,
	LEVEL_LOAD_15,
	LEVEL_MEMORY_TOTAL,
	LEVEL_MEMORY_AVAILABLE,
	LEVEL_TEMPERATURE,
	LEVEL_GPU_CLOCK,
	PROC_LEVELS
};

/* The clock of a policy. */
struct proc_clock {
	uint64_t khz; /* SAMPLE_UNKNOWN if unknown */
	struct sysfs_file file;
};

struct proc {
	struct cpus topology;
	struct proc_clock *clocks; /* of topology.policies */

	struct cpu_ticks ticks;

	struct sysfs_file load, memory, gpu_clock, gpu_power, zones[PROC_ZONES_MAX];
	unsigned n_zones;
	uint64_t level[PROC_LEVELS];

	int64_t begin_ns; /* of the interval that runs */
	int64_t start_ns;
	int64_t due_ns, levels_due_ns;
	int64_t suspended_ns; /* CLOCK_BOOTTIME minus CLOCK_MONOTONIC */
};

void proc_level_open(struct proc *p, const struct sys *sys);
void proc_level_close(struct proc *p, const struct sys *sys);
void proc_level_read(struct proc *p, const struct sys *sys);
/* Load averages in hundredths, memory in KiB; SAMPLE_UNKNOWN where the text does not tell. */
void proc_level_parse_load(uint64_t load[3], const char *text);
void proc_level_parse_memory(uint64_t *total, uint64_t *available, const char *text);
/* Whether a thermal zone of that type measures a temperature, and whether it is one that matters most. */
bool proc_level_zone_wanted(const char *type, bool *important);

void proc_describe(const struct source *source, struct strbuf *text);

#endif
