/* proc: what the parts of the proc backend share. No other file includes this.
 *
 *  proc.c          the backend: slots, deadlines, the sample
 *  proc_level.c    states read at most once a second: clocks, load, memory, temperatures
 *  proc_power.c    energy by sensors of the kernel
 *  proc_flips.c    page flips of displays
 *  proc_traffic.c  bytes of disks and network interfaces
 *  proc_describe.c lines for doctor and the help screen
 *
 * `topology` is constant after open; any thread may read it. Everything else belongs to the sampler
 * thread.
 */
#ifndef MALITOP_PROC_H
#define MALITOP_PROC_H

#include "backends/backend.h"
#include "backends/cpu/cpu_ticks.h"
#include "backends/cpu/cpus.h"
#include "backends/cpu/tracepoint.h"
#include "backends/proc/proc_power.h"
#include "backends/proc/proc_traffic.h"

#define PROC_POLICIES_OPEN 64 /* cpufreq files kept open; further ones are not */
#define PROC_ZONES_MAX 32
#define PROC_COOLERS_MAX 16
#define PROC_BUSY_CPUS 16 /* with more CPUs the history of each is kept on request only */
#define PROC_TEXT 256     /* a file that holds one value */

/* Values of the machine, every cluster and every CPU. The ticks come first. */
enum proc_quantity { PROC_CLOCK = CPU_TICKS, PROC_CLOCK_TOP, PROC_CLOCK_LIMIT, PROC_ONLINE, PROC_QUANTITIES };

/* Values of the machine only. */
enum proc_level {
	LEVEL_LOAD_1,
	LEVEL_LOAD_5,
	LEVEL_LOAD_15,
	LEVEL_MEMORY_TOTAL,
	LEVEL_MEMORY_AVAILABLE,
	LEVEL_TEMPERATURE,
	LEVEL_GPU_CLOCK,
	LEVEL_BRAKES,
	LEVEL_PRESSURE_CPU,
	LEVEL_PRESSURE_MEMORY,
	LEVEL_PRESSURE_STORAGE,
	PROC_LEVELS
};

/* Counted by the kernel; CRTCs of the first display controller and of others are not told apart. */
#define PROC_DISPLAYS 4
struct proc_flips {
	struct tracepoint_cpus displays[PROC_DISPLAYS];
	unsigned n;                     /* 0: they cannot be had */
	unsigned first;                 /* its name: PROC_DISPLAYS if it is all displays together */
	uint64_t before[PROC_DISPLAYS]; /* at the last read */
};
extern const char *const proc_flip_names[PROC_DISPLAYS + 1]; /* of the slots */

/* The clock of a policy, and the highest that it may have now. */
struct proc_clock {
	uint64_t khz, limit_khz; /* SAMPLE_UNKNOWN if unknown */
	struct sysfs_file file, limit;
};

struct proc {
	struct cpus topology;
	struct proc_clock *clocks; /* of topology.policies */

	struct cpu_ticks ticks;

	struct sysfs_file pressure[3]; /* CPU, memory, storage */
	struct sysfs_file load, memory, gpu_clock, gpu_power, zones[PROC_ZONES_MAX];
	struct sysfs_file coolers[PROC_COOLERS_MAX], firmware; /* what may hold clocks down */
	unsigned n_zones, n_coolers;
	uint64_t level[PROC_LEVELS];
	struct power power;
	uint64_t energy_uj[POWER_PARTS]; /* in the last interval */
	struct proc_flips flips;
	uint64_t flipped[PROC_DISPLAYS]; /* in the last interval */
	struct traffic traffic;
	uint64_t moved[TRAFFIC_KINDS]; /* likewise */

	int64_t begin_ns; /* of the current interval */
	int64_t start_ns;
	int64_t due_ns, levels_due_ns;
	int64_t suspended_ns; /* CLOCK_BOOTTIME minus CLOCK_MONOTONIC */
};

void proc_level_open(struct proc *p, const struct sys *sys);
void proc_level_close(struct proc *p, const struct sys *sys);
void proc_level_read(struct proc *p, const struct sys *sys);
/* Load averages in hundredths, memory in KiB; SAMPLE_UNKNOWN if the text lacks the value. */
void proc_level_parse_load(uint64_t load[3], const char *text);
/* The share of the last 10 s in which at least one thread waited, in hundredths of a percent. */
uint64_t proc_level_parse_pressure(const char *text);
void proc_level_parse_memory(uint64_t *total, uint64_t *available, const char *text);
/* The reasons for which the firmware of a Raspberry Pi holds the CPUs back now; SAMPLE_UNKNOWN if
 * the text is not its hexadecimal number. */
uint64_t proc_level_parse_firmware(const char *text);
/* Whether a cooling device of this type holds a clock down. A fan cools too, but does not. */
bool proc_level_slows(const char *type);
/* Whether a thermal zone of this type measures a temperature, and whether it is an important
 * one. */
bool proc_level_zone_wanted(const char *type, bool *important);

/* Count from now on. Returns false if that cannot be had: nothing is open then. */
bool proc_flips_open(struct proc_flips *flips, const struct sys *sys, struct err *err);
void proc_flips_close(struct proc_flips *flips);
/* The `n` numbers since the last read; SAMPLE_UNKNOWN if they cannot be read. */
void proc_flips_read(struct proc_flips *flips, uint64_t *counts);

void proc_describe(const struct source *source, struct strbuf *text);

#endif
