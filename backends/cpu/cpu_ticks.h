/* cpu_ticks: clock ticks that every CPU spent in each state, from /proc/stat, as deltas between
 * reads.
 *
 * Thread: one at a time.
 */
#ifndef MALITOP_CPU_TICKS_H
#define MALITOP_CPU_TICKS_H

#include "backends/cpu/cpus.h"

/* Columns of /proc/stat, in the kernel's order. `guest` follows; it is included in user. */
enum cpu_tick {
	TICK_USER,
	TICK_NICE,
	TICK_SYSTEM,
	TICK_IDLE,
	TICK_IOWAIT,
	TICK_IRQ,
	TICK_SOFTIRQ,
	TICK_STEAL,
	CPU_TICKS
};

/* The ticks of one line. */
struct cpu_ticks_line {
	uint64_t last[CPU_TICKS];  /* as read; valid while `known` */
	uint64_t delta[CPU_TICKS]; /* of the last interval; valid while `counted` */
	bool listed;               /* was in the last read */
	bool known, counted;
};

struct cpu_ticks {
	const struct cpus *cpus; /* NULL: never initialized */
	struct sysfs_file stat;
	char *text; /* of the file */
	size_t text_size;
	struct cpu_ticks_line all;   /* of the whole machine */
	struct cpu_ticks_line *each; /* those of cpus->cpus */
	unsigned lines, strange;     /* CPU lines in the last read; those not in cpus->cpus */
};

/* `cpus` must live as long as *t. Opens nothing yet. */
void cpu_ticks_init(struct cpu_ticks *t, const struct cpus *cpus);
void cpu_ticks_fini(struct cpu_ticks *t, const struct sys *sys); /* also of a zeroed one */
/* Read the ticks and update the deltas. */
void cpu_ticks_read(struct cpu_ticks *t, const struct sys *sys);
/* Make the next read start without deltas. */
void cpu_ticks_forget(struct cpu_ticks *t);
/* Whether this CPU is known to be offline. */
bool cpu_ticks_offline(const struct cpu_ticks *t, unsigned cpu);

#endif
