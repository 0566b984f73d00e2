#include "backends/cpu/cpus.h"

#include "backends/cpu/cpu_key.h"
#include "base/alloc.h"
#include "base/search.h"
#include "model/sample.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The CPUs that have a line in /proc/stat: all that a machine without sysfs reports. */
static void set_from_stat(const struct sys *sys, struct cpu_set *set)
{
	AUTOFREE char *text = xmalloc(65536);
	struct span rest = {text, 0};
	ssize_t n = sys_read_file(sys, "proc/stat", text, 65536);

	memset(set, 0, sizeof(*set));
	rest.n = n > 0 ? (size_t)n : 0;
	while (rest.n > 3 && memcmp(rest.p, "cpu", 3) == 0) {
		struct span line = span_until(&rest, '\n'), name = span_word(&line);
		uint64_t number;

		if (span_u64((struct span){name.p + 3, name.n - 3}, &number) && number < CPU_NUMBER_MAX)
			cpu_set_add(set, (unsigned)number);
	}
}

static void find_cpus(struct cpus *cpus, const struct sys *sys)
{
	static const char *const lists[] = {"sys/devices/system/cpu/present",
					    "sys/devices/system/cpu/possible",
					    "sys/devices/system/cpu/online"};
	struct cpu_set set;
	bool found = false;

	for (size_t i = 0; i < ARRAY_LEN(lists) && !found; i++)
		found = cpu_set_read(sys, &set, lists[i]);
	if (!found)
		set_from_stat(sys, &set);
	cpus->cpus = xcalloc(CPUS_MAX, sizeof(*cpus->cpus));
	for (unsigned number = 0; number < CPU_NUMBER_MAX && cpus->n < CPUS_MAX; number++)
		if (cpu_set_has(&set, number)) {
			cpus->cpus[cpus->n].number = (uint16_t)number;
			cpus->cpus[cpus->n++].policy = -1;
		}
}

static uint64_t read_top_khz(const struct sys *sys, const char *dir)
{
	char path[SYSFS_PATH];
	int64_t khz;

	snprintf(path, sizeof(path), "%s/cpuinfo_max_freq", dir);
	return sys_read_i64(sys, path, &khz) && khz > 0 && khz <= 100000000 ? (uint64_t)khz : SAMPLE_UNKNOWN;
}

/* Add the clock domain of the files in dir, without CPUs that another domain already has. */
static void add_policy(struct cpus *cpus, const struct sys *sys, const char *dir, unsigned own_number)
{
	struct cpu_policy *policy = &cpus->policies[cpus->n_policies];
	char path[SYSFS_PATH];
	struct cpu_set set;
	bool any = false;

	snprintf(path, sizeof(path), "%s/related_cpus", dir);
	if (!cpu_set_read(sys, &set, path)) { /* a domain with only offline CPUs does not respond */
		if (own_number >= CPU_NUMBER_MAX)
			return;
		cpu_set_add(&set, own_number);
	}
	for (unsigned i = 0; i < cpus->n; i++)
		if (cpu_set_has(&set, cpus->cpus[i].number) && cpus->cpus[i].policy < 0) {
			cpus->cpus[i].policy = (int)cpus->n_policies;
			any = true;
		}
	if (!any)
		return;
	snprintf(policy->dir, sizeof(policy->dir), "%s", dir);
	policy->top_khz = read_top_khz(sys, dir);
	cpus->n_policies++;
}

static void find_policies(struct cpus *cpus, const struct sys *sys)
{
	char **names, dir[SYSFS_PATH - 32];
	int n = sys->list(sys, "sys/devices/system/cpu/cpufreq", &names);

	cpus->policies = xcalloc(cpus->n, sizeof(*cpus->policies));
	for (int i = 0; i < n; i++) {
		uint64_t number;

		if (strncmp(names[i], "policy", 6) != 0 || !span_u64(span_of(names[i] + 6), &number) ||
		    number >= CPU_NUMBER_MAX || cpus->n_policies == cpus->n)
			continue;
		snprintf(dir, sizeof(dir), "sys/devices/system/cpu/cpufreq/policy%u", (unsigned)number);
		add_policy(cpus, sys, dir, (unsigned)number);
	}
	sys_names_free(names, n);
	if (cpus->n_policies)
		return;
	/* Before Linux 4.3 each CPU had the files itself. */
	for (unsigned i = 0; i < cpus->n; i++) {
		snprintf(dir, sizeof(dir), "sys/devices/system/cpu/cpu%u/cpufreq", cpus->cpus[i].number);
		if (cpus->cpus[i].policy < 0 && read_top_khz(sys, dir) != SAMPLE_UNKNOWN)
			add_policy(cpus, sys, dir, cpus->cpus[i].number);
	}
}

/* Clock domains divide CPUs of one kind (RK3588 has two pairs of Cortex-A76), unless every CPU has
 * its own domain, as on x86 and on servers. There they have no meaning. */
static bool domains_mean_something(const struct cpus *cpus, const struct cpu_keys *keys, int64_t kind)
{
	for (unsigned i = 0; i < cpus->n; i++)
		for (unsigned k = 0; k < i; k++)
			if (keys->cpus[i].kind == kind && keys->cpus[k].kind == kind &&
			    cpus->cpus[i].policy >= 0 && cpus->cpus[i].policy == cpus->cpus[k].policy)
				return true;
	return false;
}

/* Number the groups by their first CPU. Returns false if there are too many. */
static bool group_cpus(struct cpus *cpus, const struct cpu_keys *keys, bool by_kind, bool by_domain)
{
	struct {
		int64_t kind;
		int domain;
		bool split;
	} groups[CPU_CLUSTERS_MAX] = {0};

	cpus->n_clusters = 0;
	for (unsigned i = 0; i < cpus->n; i++) {
		int64_t kind = by_kind ? keys->cpus[i].kind : 0;
		int domain = cpus->cpus[i].policy;
		unsigned c;

		for (c = 0; c < cpus->n_clusters; c++)
			if (groups[c].kind == kind &&
			    (!groups[c].split || groups[c].domain == domain || domain < 0))
				break;
		if (c == cpus->n_clusters) {
			if (c == CPU_CLUSTERS_MAX)
				return false;
			groups[c].kind = kind;
			groups[c].domain = domain;
			groups[c].split = by_domain && domains_mean_something(cpus, keys, keys->cpus[i].kind);
			cpus->clusters[c] =
				(struct cpu_cluster){.first = i, .capacity = -1, .top_khz = SAMPLE_UNKNOWN};
			cpus->n_clusters++;
		}
		cpus->cpus[i].cluster = (uint16_t)c;
		cpus->clusters[c].n_cpus++;
	}
	return true;
}

static void describe_clusters(struct cpus *cpus, const struct cpu_keys *keys)
{
	for (unsigned i = 0; i < cpus->n; i++) {
		struct cpu_cluster *cluster = &cpus->clusters[cpus->cpus[i].cluster];
		uint64_t top = cpus->cpus[i].policy < 0 ? SAMPLE_UNKNOWN
							: cpus->policies[cpus->cpus[i].policy].top_khz;

		if (keys->cpus[i].value[KEY_CAPACITY] > cluster->capacity)
			cluster->capacity = keys->cpus[i].value[KEY_CAPACITY];
		if (top != SAMPLE_UNKNOWN && (cluster->top_khz == SAMPLE_UNKNOWN || top > cluster->top_khz))
			cluster->top_khz = top;
	}
	for (unsigned c = 0; c < cpus->n_clusters; c++) {
		struct cpu_cluster *cluster = &cpus->clusters[c];
		char label[CPU_LABEL];

		cpu_name(label, cpus, keys, c);
		memcpy(cluster->label, label, sizeof(label));
		snprintf(cluster->title, sizeof(cluster->title), "%s x%u", label, cluster->n_cpus);
	}
}

void cpus_find(struct cpus *cpus, const struct sys *sys)
{
	struct cpu_keys keys;

	*cpus = (struct cpus){0};
	find_cpus(cpus, sys);
	find_policies(cpus, sys);
	cpu_keys_init(&keys, cpus, sys);
	if (!group_cpus(cpus, &keys, true, true) && !group_cpus(cpus, &keys, true, false))
		group_cpus(cpus, &keys, false, false);
	if (!cpus->n_clusters) {
		cpus->clusters[0] = (struct cpu_cluster){.capacity = -1, .top_khz = SAMPLE_UNKNOWN};
		cpus->n_clusters = 1;
	}
	for (unsigned i = 0; i < cpus->n; i++)
		cpus->cpus[i].part = (int)keys.cpus[i].value[KEY_PART];
	describe_clusters(cpus, &keys);
	cpu_keys_fini(&keys);
}

void cpus_fini(struct cpus *cpus)
{
	free(cpus->policies);
	free(cpus->cpus);
	*cpus = (struct cpus){0};
}

int cpus_index(const struct cpus *cpus, uint64_t number)
{
	unsigned i = search_first(cpus->n, k, cpus->cpus[k].number >= number);

	return i < cpus->n && cpus->cpus[i].number == number ? (int)i : -1;
}

void cpus_list(struct strbuf *text, const struct cpus *cpus, unsigned cluster)
{
	bool first = true;

	for (unsigned i = 0; i < cpus->n; i++) {
		unsigned last = i;

		if (cpus->cpus[i].cluster != cluster)
			continue;
		while (last + 1 < cpus->n && cpus->cpus[last + 1].cluster == cluster &&
		       cpus->cpus[last + 1].number == cpus->cpus[last].number + 1)
			last++;
		strbuf_printf(text, "%s%u", first ? "" : ",", cpus->cpus[i].number);
		if (last > i)
			strbuf_printf(text, "-%u", cpus->cpus[last].number);
		first = false;
		i = last;
	}
}

/* Bigger cores come first. */
static bool is_bigger(const struct cpu_cluster *a, const struct cpu_cluster *b)
{
	if (a->capacity != b->capacity)
		return a->capacity > b->capacity;
	if (a->top_khz != b->top_khz && a->top_khz != SAMPLE_UNKNOWN && b->top_khz != SAMPLE_UNKNOWN)
		return a->top_khz > b->top_khz;
	return false;
}

void cpus_title(char *title, size_t size, const struct cpus *cpus)
{
	bool listed[CPU_CLUSTERS_MAX] = {false};
	size_t n = 0;

	title[0] = 0;
	for (unsigned round = 0; round < cpus->n_clusters; round++) {
		const struct cpu_cluster *big = NULL;
		char part[CPU_LABEL + 24], count[16] = "";
		unsigned n_cpus = 0;

		for (unsigned c = 0; c < cpus->n_clusters; c++)
			if (!listed[c] && (!big || is_bigger(&cpus->clusters[c], big)))
				big = &cpus->clusters[c];
		if (!big)
			return;
		/* The title combines clock domains with the same kind of core. */
		for (unsigned c = 0; c < cpus->n_clusters; c++)
			if (strcmp(cpus->clusters[c].label, big->label) == 0) {
				listed[c] = true;
				n_cpus += cpus->clusters[c].n_cpus;
			}
		if (n_cpus)
			snprintf(count, sizeof(count), " x%u", n_cpus);
		snprintf(part, sizeof(part), "%s%s%s", n ? " + " : "", big->label, count);
		if (n + strlen(part) + sizeof(" ...") > size) {
			snprintf(title + n, size - n, " ...");
			return;
		}
		n += (size_t)snprintf(title + n, size - n, "%s", part);
	}
}

/* Numbers saturate, so that those out of range are ignored whatever their digits are. */
bool cpu_set_parse(struct cpu_set *set, const char *text)
{
	static const char gaps[] = ", \t\n";
	bool any = false;

	memset(set, 0, sizeof(*set));
	for (text += strspn(text, gaps); *text; text += strspn(text, gaps)) {
		unsigned long first, last;
		char *end;

		if (!isdigit((unsigned char)*text))
			return false;
		first = last = strtoul(text, &end, 10);
		if (end[0] == '-' && !isdigit((unsigned char)end[1]))
			return false;
		if (end[0] == '-')
			last = strtoul(end + 1, &end, 10);
		if (*end && !strchr(gaps, *end))
			return false;
		for (; first <= last && first < CPU_NUMBER_MAX; first++, any = true)
			cpu_set_add(set, (unsigned)first);
		text = end;
	}
	return any;
}

bool cpu_set_read(const struct sys *sys, struct cpu_set *set, const char *path)
{
	char text[4096];

	memset(set, 0, sizeof(*set));
	return sys_read_file(sys, path, text, sizeof(text)) > 0 && cpu_set_parse(set, text);
}
