/* cpu_key: the properties that distinguish kinds of CPUs, by which cpus.c groups them. No other
 * file includes this. */
#ifndef MALITOP_CPU_KEY_H
#define MALITOP_CPU_KEY_H

#include "backends/cpu/cpus.h"

enum {
	KEY_PMU,  /* index into cpu_keys.pmus */
	KEY_PART, /* implementer << 12 | part, of MIDR */
	KEY_CAPACITY,
	CPU_KEYS
};

/* What is known about a CPU's kind; -1 is unknown. */
struct cpu_key {
	int64_t value[CPU_KEYS];
	int64_t kind; /* the kind by which CPUs are grouped */
	char *model;  /* "model name" of /proc/cpuinfo, or NULL */
};

struct cpu_keys {
	struct cpu_key *cpus; /* in the order of cpus.cpus */
	unsigned n_cpus;
	char **pmus; /* names of the PMUs that serve only some CPUs */
	unsigned n_pmus, cap_pmus;
};

/* For the CPUs and policies in *cpus. Never fails. */
void cpu_keys_init(struct cpu_keys *keys, const struct cpus *cpus, const struct sys *sys);
void cpu_keys_fini(struct cpu_keys *keys);

/* The name of the CPUs of a cluster. Printable. */
void cpu_name(char label[CPU_LABEL], const struct cpus *cpus, const struct cpu_keys *keys, unsigned cluster);

#endif
