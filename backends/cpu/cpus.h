/* cpus: the CPUs of the machine, their clusters, and their names.
 *
 * A cluster has CPUs of one kind: with the same PMU, otherwise the same part number, otherwise the
 * same capacity. A kind with several clock domains has one cluster per domain.
 *
 * Thread: constant after cpus_find, so any thread may read it.
 */
#ifndef MALITOP_CPUS_H
#define MALITOP_CPUS_H

#include "backends/cpu/cpu_set.h"
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

#endif
