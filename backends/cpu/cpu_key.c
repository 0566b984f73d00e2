#include "backends/cpu/cpu_key.h"

#include "base/alloc.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* PMUs that exist once per kind of core. */
static bool is_core_pmu(const char *name)
{
	return strncmp(name, "armv7_", 6) == 0 || strncmp(name, "armv8_", 6) == 0 ||
	       strncmp(name, "armv9_", 6) == 0 || strcmp(name, "cpu_core") == 0 ||
	       strcmp(name, "cpu_atom") == 0 || strcmp(name, "cpu_lowpower") == 0;
}

static void find_pmus(struct cpu_keys *keys, const struct cpus *cpus, const struct sys *sys)
{
	char **names;
	int n = sys->list(sys, "sys/bus/event_source/devices", &names);

	for (int i = 0; i < n; i++) {
		char path[SYSFS_PATH];
		struct cpu_set set;

		if (!is_core_pmu(names[i]))
			continue;
		snprintf(path, sizeof(path), "sys/bus/event_source/devices/%.96s/cpus", names[i]);
		if (!cpu_set_read(sys, &set, path))
			continue;
		for (unsigned k = 0; k < keys->n_cpus; k++)
			if (cpu_set_has(&set, cpus->cpus[k].number) && keys->cpus[k].value[KEY_PMU] < 0)
				keys->cpus[k].value[KEY_PMU] = keys->n_pmus;
		GROW(keys->pmus, keys->n_pmus, keys->cap_pmus);
		keys->pmus[keys->n_pmus++] = xstrdup(names[i]);
	}
	if (n >= 0)
		sys_names_free(names, n);
}

/* One block per CPU: "processor : 3", then either "CPU implementer" and "CPU part", or "model
 * name". */
static void take_cpuinfo(struct cpu_keys *keys, const struct cpus *cpus, struct span text)
{
	struct cpu_key *key = NULL;
	uint64_t implementer = 0, v;
	int cpu;

	while (text.n) {
		struct span value = span_until(&text, '\n');
		struct span name = span_trim(span_until(&value, ':'));

		value = span_trim(value);
		if (span_is(name, "processor")) {
			cpu = span_u64(value, &v) ? cpus_index(cpus, v) : -1;
			key = cpu < 0 ? NULL : &keys->cpus[cpu];
			implementer = 0;
		} else if (!key) {
			continue;
		} else if (span_is(name, "CPU implementer") && span_u64(value, &v) && v <= 0xff) {
			implementer = v;
		} else if (span_is(name, "CPU part") && span_u64(value, &v) && v <= 0xfff && implementer &&
			   key->value[KEY_PART] < 0) {
			key->value[KEY_PART] = (int64_t)(implementer << 12 | v);
		} else if (span_is(name, "model name") && value.n && !key->model) {
			key->model = span_dup(value);
		}
	}
}

static void read_cpuinfo(struct cpu_keys *keys, const struct cpus *cpus, const struct sys *sys)
{
	size_t size = 8192 + 4096 * (size_t)cpus->n;
	AUTOFREE char *text = xmalloc(size);
	ssize_t n = sys_read_file(sys, "proc/cpuinfo", text, size);

	if (n > 0)
		take_cpuinfo(keys, cpus, (struct span){text, (size_t)n});
}

static void read_cpu(struct cpu_key *key, unsigned number, const struct sys *sys)
{
	char path[SYSFS_PATH];
	int64_t v;

	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/regs/identification/midr_el1", number);
	if (sys_read_i64(sys, path, &v) && v > 0)
		key->value[KEY_PART] = (v >> 24 & 0xff) << 12 | (v >> 4 & 0xfff);
	snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cpu_capacity", number);
	if (sys_read_i64(sys, path, &v) && v > 0 && v <= 65536)
		key->value[KEY_CAPACITY] = v;
}

/* How many different values a key must have to be used, the most reliable key first: a single PMU
 * may be a generic one, but a single part number does mean that all CPUs are alike. */
static const unsigned at_least[CPU_KEYS] = {[KEY_PMU] = 2, [KEY_PART] = 1, [KEY_CAPACITY] = 2};

static unsigned count_values(const struct cpu_keys *keys, unsigned key)
{
	unsigned n = 0;

	for (unsigned i = 0; i < keys->n_cpus; i++) {
		int64_t v = keys->cpus[i].value[key];
		unsigned k = 0;

		while (k < i && keys->cpus[k].value[key] != v)
			k++;
		n += v >= 0 && k == i;
	}
	return n;
}

/* An offline CPU reports little: it is of the same kind as a CPU in its clock domain, with its
 * capacity, before it, or after it. */
static int64_t guess_kind(const struct cpu_keys *keys, const struct cpus *cpus, unsigned cpu)
{
	const struct cpu_key *own = &keys->cpus[cpu];
	unsigned best = UINT_MAX;
	int64_t kind = own->kind;

	for (unsigned i = 0; i < keys->n_cpus && own->kind < 0; i++) {
		const struct cpu_key *key = &keys->cpus[i];
		int policy = cpus->cpus[i].policy;
		unsigned distance = policy >= 0 && policy == cpus->cpus[cpu].policy ? i
				    : key->value[KEY_CAPACITY] >= 0 &&
						    key->value[KEY_CAPACITY] == own->value[KEY_CAPACITY]
					    ? CPUS_MAX + i
				    : i < cpu ? 2 * CPUS_MAX + cpu - i
					      : 3 * CPUS_MAX + i;

		if (key->kind < 0 || distance >= best)
			continue;
		best = distance;
		kind = key->kind;
	}
	return kind;
}

static void choose_kinds(struct cpu_keys *keys, const struct cpus *cpus)
{
	AUTOFREE int64_t *guessed = xcalloc(keys->n_cpus, sizeof(*guessed));
	unsigned t = 0;

	while (t < CPU_KEYS && count_values(keys, t) < at_least[t])
		t++;
	if (t == CPU_KEYS)
		return; /* all alike, as far as is known */
	for (unsigned i = 0; i < keys->n_cpus; i++)
		keys->cpus[i].kind = keys->cpus[i].value[t];
	for (unsigned i = 0; i < keys->n_cpus; i++)
		guessed[i] = guess_kind(keys, cpus, i);
	for (unsigned i = 0; i < keys->n_cpus; i++)
		keys->cpus[i].kind = guessed[i];
}

void cpu_keys_init(struct cpu_keys *keys, const struct cpus *cpus, const struct sys *sys)
{
	*keys = (struct cpu_keys){.n_cpus = cpus->n};
	keys->cpus = xcalloc(cpus->n, sizeof(*keys->cpus));
	for (unsigned i = 0; i < cpus->n; i++) {
		keys->cpus[i] = (struct cpu_key){.value = {-1, -1, -1}, .kind = -1};
		read_cpu(&keys->cpus[i], cpus->cpus[i].number, sys);
	}
	find_pmus(keys, cpus, sys);
	read_cpuinfo(keys, cpus, sys);
	choose_kinds(keys, cpus);
}

void cpu_keys_fini(struct cpu_keys *keys)
{
	for (unsigned i = 0; i < keys->n_cpus; i++)
		free(keys->cpus[i].model);
	free(keys->cpus);
	for (unsigned i = 0; i < keys->n_pmus; i++)
		free(keys->pmus[i]);
	free(keys->pmus);
}
