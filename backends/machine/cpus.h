/* cpus: which CPUs there are, which of them belong together, and what they are called.
 *
 * A cluster is CPUs of one kind: by the PMU that serves them, else by part number, else by capacity; and where a kind has several
 * clock domains, of one domain.
 *
 * Thread: constant after cpus_find, so any may read it.
 */
#ifndef MALITOP_CPUS_H
#define MALITOP_CPUS_H

#include "backends/machine/cpu_set.h"
#include "backends/machine/sysfs.h"

#define CPUS_MAX 512 /* CPUs of a machine that get a place; those of higher numbers have none */
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
	int64_t capacity;          /* 1024: the biggest of this machine; -1 unknown */
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
	struct cpu_cluster clusters[CPU_CLUSTERS_MAX]; /* by their first CPU, ascending; at least one */
	unsigned n_clusters;
	struct cpu_policy *policies;
	unsigned n_policies;
};

/* Never fails: a machine that tells nothing has one cluster without CPUs. What *cpus was before does not matter. */
void cpus_find(struct cpus *cpus, const struct sys *sys);
void cpus_fini(struct cpus *cpus); /* also of a zeroed one */

/* The index of the CPU of that number; -1: it has no place. */
int cpus_index(const struct cpus *cpus, uint64_t number);
/* "Cortex-A76 x4 + Cortex-A55 x4", the biggest first. */
void cpus_title(char *title, size_t size, const struct cpus *cpus);
/* "0-3,6": the numbers of a cluster. */
void cpus_list(struct strbuf *text, const struct cpus *cpus, unsigned cluster);

#endif
