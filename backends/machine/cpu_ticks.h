/* cpu_ticks: what /proc/stat tells of every CPU: clock ticks spent in each way, as deltas from read to read.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_CPU_TICKS_H
#define MALITOP_CPU_TICKS_H

#include "backends/machine/cpus.h"

/* Columns of /proc/stat, in the kernel's order. `guest` follows and is contained in user. */
enum cpu_tick { TICK_USER, TICK_NICE, TICK_SYSTEM, TICK_IDLE, TICK_IOWAIT, TICK_IRQ, TICK_SOFTIRQ, TICK_STEAL, CPU_TICKS };

/* The ticks of one line. */
struct cpu_ticks_line {
	uint64_t last[CPU_TICKS];  /* as read; valid while `known` */
	uint64_t delta[CPU_TICKS]; /* of the last interval; valid while `counted` */
	bool listed;               /* had a line in the last read */
	bool known, counted;
};

struct cpu_ticks {
	const struct cpus *cpus; /* NULL: never made */
	struct sysfs_file stat;
	char *text; /* of the file */
	size_t text_size;
	struct cpu_ticks_line all;   /* the line of the whole machine */
	struct cpu_ticks_line *each; /* those of cpus->cpus */
	unsigned lines, strange;     /* lines of CPUs in the last read, and those of CPUs that have no place */
};

/* `cpus` must live as long. Opens nothing yet. */
void cpu_ticks_init(struct cpu_ticks *t, const struct cpus *cpus);
void cpu_ticks_fini(struct cpu_ticks *t, const struct sys *sys); /* also of a zeroed one */
/* Read the ticks and take the deltas to the read before. */
void cpu_ticks_read(struct cpu_ticks *t, const struct sys *sys);
/* The next read has no deltas. */
void cpu_ticks_forget(struct cpu_ticks *t);
/* Whether that CPU is known to be offline. */
bool cpu_ticks_offline(const struct cpu_ticks *t, unsigned cpu);

#endif
