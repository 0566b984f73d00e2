/* cpu_key: what tells one kind of CPU from another. What cpus.c groups by; nobody else includes this. */
#ifndef MALITOP_CPU_KEY_H
#define MALITOP_CPU_KEY_H

#include "backends/machine/cpus.h"

/* What is known about a CPU's kind; -1 where nothing is. */
struct cpu_key {
	int64_t pmu;  /* index into cpu_keys.pmus */
	int64_t part; /* implementer << 12 | part, of MIDR */
	int64_t capacity;
	int64_t kind; /* what the grouping goes by */
	char *model;  /* "model name" of /proc/cpuinfo, or NULL */
};

struct cpu_keys {
	struct cpu_key *cpus; /* as cpus.cpus */
	unsigned n_cpus;
	char **pmus; /* names of the PMUs that serve only some CPUs */
	unsigned n_pmus, cap_pmus;
};

/* Of the CPUs and policies in *cpus. Never fails. */
void cpu_keys_init(struct cpu_keys *keys, const struct cpus *cpus, const struct sys *sys);
void cpu_keys_fini(struct cpu_keys *keys);

/* What to call the CPUs of that cluster. Printable. */
void cpu_name(char label[CPU_LABEL], const struct cpus *cpus, const struct cpu_keys *keys, unsigned cluster);

#endif
