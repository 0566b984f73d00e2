/* proc: what the parts of the proc backend share. Nobody else includes this.
 *
 * proc.c          the backend: slots, deadlines, the sample
 * proc_stat.c     ticks of /proc/stat
 * proc_level.c    states read at most once a second: clocks, load, memory, temperatures
 * proc_cluster.c  which CPUs there are, and which of them belong together
 * proc_key.c      what tells one kind of CPU from another
 * proc_name.c     what a kind of CPU is called
 * proc_describe.c lines for people
 *
 * Topology (cpus[].number and .cluster, clusters, policies but for `khz`) is constant after open; any thread may read it.
 * Everything else belongs to the sampler thread.
 */
#ifndef MALITOP_PROC_H
#define MALITOP_PROC_H

#include "backends/backend.h"
#include "backends/sysfs.h"

#define PROC_CPUS_MAX 512        /* CPUs with slots of their own */
#define PROC_CPU_NUMBER_MAX 4096 /* numbers may have holes */
#define PROC_CLUSTERS_MAX 16
#define PROC_POLICIES_OPEN 64 /* cpufreq files kept open; where every CPU of a big machine has a policy, the rest are not */
#define PROC_ZONES_MAX 32
#define PROC_TEXT 256 /* a file that holds one value */
#define PROC_PATH SYSFS_PATH
#define PROC_LABEL 48

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

struct proc_cpu {
	uint16_t number, cluster;
	int policy; /* index; -1: none */
	struct proc_ticks ticks;
};

struct proc_cluster {
	char label[PROC_LABEL];     /* "Cortex-A76", printable */
	char title[PROC_LABEL + 8]; /* "Cortex-A76 x4" */
	unsigned n_cpus, first;     /* index of the first CPU */
	int64_t capacity;           /* 1024: the biggest of this machine; -1 unknown */
	uint64_t top_khz;           /* SAMPLE_UNKNOWN if unknown */
};

/* One clock domain. */
struct proc_policy {
	char dir[PROC_PATH - 32]; /* "sys/devices/system/cpu/cpufreq/policy4" */
	uint64_t top_khz;         /* SAMPLE_UNKNOWN if unknown */
	uint64_t khz;             /* likewise */
	struct sysfs_file file;
};

struct proc {
	struct proc_cpu *cpus; /* by number, ascending */
	unsigned n_cpus;
	struct proc_cluster clusters[PROC_CLUSTERS_MAX]; /* by their first CPU, ascending; at least one */
	unsigned n_clusters;
	struct proc_policy *policies;
	unsigned n_policies;

	struct sysfs_file stat;
	char *text; /* for /proc/stat */
	size_t text_size;
	struct proc_ticks all;   /* the line of the whole machine */
	unsigned lines, strange; /* lines of CPUs in the last read, and those of CPUs that are not in the table */

	struct sysfs_file load, memory, gpu_clock, gpu_power, zones[PROC_ZONES_MAX];
	unsigned n_zones;
	uint64_t level[PROC_LEVELS];

	int64_t begin_ns; /* of the interval that runs */
	int64_t start_ns;
	int64_t due_ns, levels_due_ns;
	int64_t suspended_ns; /* CLOCK_BOOTTIME minus CLOCK_MONOTONIC */
};

/* A set of CPU numbers. */
struct proc_set {
	uint64_t bits[PROC_CPU_NUMBER_MAX / 64];
};

/* "0-3,6" as well as "0 1 2 3". Numbers out of range are left out; false if the text is no list or names no CPU. */
bool proc_set_parse(struct proc_set *set, const char *text);
bool proc_set_read(const struct sys *sys, struct proc_set *set, const char *path);
static inline bool proc_set_has(const struct proc_set *set, unsigned number)
{
	return number < PROC_CPU_NUMBER_MAX && (set->bits[number / 64] >> number % 64 & 1);
}

/* Fill cpus, clusters and policies. Never fails: a machine that tells nothing has one cluster without CPUs. */
void proc_cluster_find(struct proc *p, const struct sys *sys);
void proc_cluster_fini(struct proc *p);

/* What is known about a CPU's kind; -1 where nothing is. */
struct proc_key {
	int64_t pmu;  /* index into proc_keys.pmus */
	int64_t part; /* implementer << 12 | part, of MIDR */
	int64_t capacity;
	int64_t kind; /* what the grouping goes by */
	char *model;  /* "model name" of /proc/cpuinfo, or NULL */
};

struct proc_keys {
	struct proc_key *cpus; /* as proc.cpus */
	unsigned n_cpus;
	char **pmus; /* names of the PMUs that serve only some CPUs */
	unsigned n_pmus, cap_pmus;
};

void proc_keys_init(struct proc_keys *keys, const struct proc *p, const struct sys *sys);
void proc_keys_fini(struct proc_keys *keys);

/* What to call the CPUs of that cluster. Printable. */
void proc_name(char label[PROC_LABEL], const struct proc *p, const struct proc_keys *keys, unsigned cluster);
/* "Cortex-A76 x4 + Cortex-A55 x4", the biggest first. */
void proc_title(char *title, size_t size, const struct proc *p);

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
