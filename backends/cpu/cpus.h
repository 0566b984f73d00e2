/* cpus: the CPUs of the machine, their clusters, and their names.
 *
 * A cluster has CPUs of one kind: with the same PMU, otherwise the same part number, otherwise the
 * same capacity. A kind with several clock domains has one cluster per domain.
 *
 * Thread: constant after cpus_find, so any thread may read it.
 */
#ifndef MALITOP_CPUS_H
#define MALITOP_CPUS_H

#include "base/sys.h"
#include "backends/sysfs.h"

#define CPUS_MAX 512 /* CPUs with higher indices are ignored */
#define CPU_CLUSTERS_MAX 16
#define CPU_LABEL 48

struct cpu {
	uint16_t number, cluster;
	int policy; /* index; -1: none */
	int part;   /* implementer << 12 | part, of MIDR; -1: unknown */
};

struct cpu_cluster {
	char label[CPU_LABEL];     /* "Cortex-A76", printable */
	char title[CPU_LABEL + 8]; /* "Cortex-A76 x4" */
	unsigned n_cpus, first;    /* index of the first CPU */
	int64_t capacity;          /* 1024: the biggest of this machine; -1: unknown */
	uint64_t top_khz;          /* SAMPLE_UNKNOWN if unknown */
};

/* One clock domain. */
struct cpu_policy {
	char dir[SYSFS_PATH - 32]; /* "sys/devices/system/cpu/cpufreq/policy4" */
	uint64_t top_khz;          /* SAMPLE_UNKNOWN if unknown */
};

struct cpus {
	struct cpu *cpus; /* by number, ascending */
	unsigned n;
	struct cpu_cluster clusters[CPU_CLUSTERS_MAX]; /* by first CPU, ascending; n >= 1 */
	unsigned n_clusters;
	struct cpu_policy *policies;
	unsigned n_policies;
};

/* Never fails: a machine that reports nothing has one cluster without CPUs. The previous contents
 * of *cpus do not matter. */
void cpus_find(struct cpus *cpus, const struct sys *sys);
void cpus_fini(struct cpus *cpus); /* also of a zeroed one */

/* The index of the CPU with this number; -1 if it is not listed. */
int cpus_index(const struct cpus *cpus, uint64_t number);
/* "Cortex-A76 x4 + Cortex-A55 x4", the biggest first. */
void cpus_title(char *title, size_t size, const struct cpus *cpus);
/* "0-3,6": the CPU numbers of a cluster. */
void cpus_list(struct strbuf *text, const struct cpus *cpus, unsigned cluster);

/* cpu_set: sets of CPU numbers, as in the lists of sysfs. */

#define CPU_NUMBER_MAX 4096 /* numbers may have holes */

struct cpu_set {
	uint64_t bits[CPU_NUMBER_MAX / 64];
};

/* Parse "0-3,6" or "0 1 2 3". Numbers out of range are ignored. Returns false if the text is not a
 * list or contains no CPU. */
bool cpu_set_parse(struct cpu_set *set, const char *text);
/* Parse a file; also returns false if it cannot be read. */
bool cpu_set_read(const struct sys *sys, struct cpu_set *set, const char *path);

static inline void cpu_set_add(struct cpu_set *set, unsigned number)
{
	if (number < CPU_NUMBER_MAX)
		set->bits[number / 64] |= (uint64_t)1 << number % 64;
}
static inline bool cpu_set_has(const struct cpu_set *set, unsigned number)
{
	return number < CPU_NUMBER_MAX && (set->bits[number / 64] >> number % 64 & 1);
}

#endif
