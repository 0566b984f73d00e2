/* proc: what the parts of the proc backend share. Nobody else includes this.
 *
 * proc.c          the backend: slots, deadlines, the sample
 * proc_stat.c     ticks of /proc/stat
 * proc_level.c    states read at most once a second: clocks, load, memory, temperatures
 * proc_describe.c lines for people
 *
 * `topology` is constant after open; any thread may read it. Everything else belongs to the sampler thread.
 */
#ifndef MALITOP_PROC_H
#define MALITOP_PROC_H

#include "backends/backend.h"
#include "backends/cpus.h"

#define PROC_POLICIES_OPEN 64 /* cpufreq files kept open; where every CPU of a big machine has a policy, the rest are not */
#define PROC_ZONES_MAX 32
#define PROC_TEXT 256 /* a file that holds one value */

/* Columns of /proc/stat, in the kernel's order. `guest` follows and is contained in user. */
enum proc_tick { TICK_USER, TICK_NICE, TICK_SYSTEM, TICK_IDLE, TICK_IOWAIT, TICK_IRQ, TICK_SOFTIRQ, TICK_STEAL, PROC_TICKS };

/* What there is for the machine, every cluster and every CPU. The first ones are the ticks. */
enum proc_quantity { PROC_CLOCK = PROC_TICKS, PROC_CLOCK_TOP, PROC_ONLINE, PROC_QUANTITIES };

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

/* The ticks of one line. */
struct proc_ticks {
	uint64_t last[PROC_TICKS];  /* as read; valid while `known` */
	uint64_t delta[PROC_TICKS]; /* of the last interval; valid while `counted` */
	bool listed;                /* had a line in the last read */
	bool known, counted;
};

/* The clock of a policy. */
struct proc_clock {
	uint64_t khz; /* SAMPLE_UNKNOWN if unknown */
	struct sysfs_file file;
};

struct proc {
	struct cpus topology;
	struct proc_clock *clocks; /* of topology.policies */

	struct sysfs_file stat;
	char *text; /* for /proc/stat */
	size_t text_size;
	struct proc_ticks all;   /* the line of the whole machine */
	struct proc_ticks *each; /* those of topology.cpus */
	unsigned lines, strange; /* lines of CPUs in the last read, and those of CPUs that have no place */

	struct sysfs_file load, memory, gpu_clock, gpu_power, zones[PROC_ZONES_MAX];
	unsigned n_zones;
	uint64_t level[PROC_LEVELS];

	int64_t begin_ns; /* of the interval that runs */
	int64_t start_ns;
	int64_t due_ns, levels_due_ns;
	int64_t suspended_ns; /* CLOCK_BOOTTIME minus CLOCK_MONOTONIC */
};

/* Open what there is; start from nothing. */
void proc_stat_open(struct proc *p, const struct sys *sys);
void proc_stat_close(struct proc *p, const struct sys *sys);
/* Read the ticks and take the deltas to the read before. */
void proc_stat_read(struct proc *p, const struct sys *sys);
/* The next read has no deltas. */
void proc_stat_forget(struct proc *p);
/* Whether that CPU is known to be offline. */
bool proc_stat_offline(const struct proc *p, unsigned cpu);

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
