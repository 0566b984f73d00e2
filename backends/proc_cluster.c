#include "backends/proc.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool list_end(char c)
{
	return !c || c == ',' || c == ' ' || c == '\n' || c == '\t';
}

/* One number at *text; no more than the limit, whatever the digits say. */
static bool list_number(const char **text, unsigned *number)
{
	const char *s = *text;
	unsigned v = 0;

	for (; *s >= '0' && *s <= '9'; s++)
		if (v < PROC_CPU_NUMBER_MAX)
			v = v * 10 + (unsigned)(*s - '0');
	if (s == *text)
		return false;
	*number = v;
	*text = s;
	return true;
}

bool proc_set_parse(struct proc_set *set, const char *text)
{
	bool any = false;

	memset(set, 0, sizeof(*set));
	while (*text) {
		unsigned first, last;

		if (list_end(*text)) {
			text++;
			continue;
		}
		if (!list_number(&text, &first))
			return false;
		last = first;
		if (*text == '-') {
			text++;
			if (!list_number(&text, &last))
				return false;
		}
		if (!list_end(*text))
			return false;
		for (; first <= last && first < PROC_CPU_NUMBER_MAX; first++) {
			set->bits[first / 64] |= (uint64_t)1 << first % 64;
			any = true;
		}
	}
	return any;
}

bool proc_set_read(const struct sys *sys, struct proc_set *set, const char *path)
{
	char text[4096];

	memset(set, 0, sizeof(*set));
	return sys_read_file(sys, path, text, sizeof(text)) > 0 && proc_set_parse(set, text);
}

/* The CPUs that have a line: all that a machine without sysfs tells. */
static bool set_from_stat(const struct sys *sys, struct proc_set *set)
{
	AUTOFREE char *text = xmalloc(65536);
	struct span rest = {text, 0};
	ssize_t n = sys_read_file(sys, "proc/stat", text, 65536);
	bool any = false;

	memset(set, 0, sizeof(*set));
	rest.n = n > 0 ? (size_t)n : 0;
	while (rest.n > 3 && memcmp(rest.p, "cpu", 3) == 0) {
		struct span line = span_until(&rest, '\n'), name = span_word(&line);
		uint64_t number;

		if (span_u64((struct span){name.p + 3, name.n - 3}, &number) && number < PROC_CPU_NUMBER_MAX) {
			set->bits[number / 64] |= (uint64_t)1 << number % 64;
			any = true;
		}
	}
	return any;
}

static void find_cpus(struct proc *p, const struct sys *sys)
{
	static const char *const lists[] = {"sys/devices/system/cpu/present", "sys/devices/system/cpu/possible",
					    "sys/devices/system/cpu/online"};
	struct proc_set set;
	bool found = false;

	for (size_t i = 0; i < ARRAY_LEN(lists) && !found; i++)
		found = proc_set_read(sys, &set, lists[i]);
	if (!found)
		set_from_stat(sys, &set);
	p->cpus = xcalloc(PROC_CPUS_MAX, sizeof(*p->cpus));
	for (unsigned number = 0; number < PROC_CPU_NUMBER_MAX && p->n_cpus < PROC_CPUS_MAX; number++)
		if (proc_set_has(&set, number)) {
			p->cpus[p->n_cpus].number = (uint16_t)number;
			p->cpus[p->n_cpus++].policy = -1;
		}
}

static uint64_t read_khz(const struct sys *sys, const char *dir, const char *name)
{
	char path[PROC_PATH];
	int64_t khz;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return sys_read_i64(sys, path, &khz) && khz > 0 && khz <= 100000000 ? (uint64_t)khz : SAMPLE_UNKNOWN;
}

/* A clock domain whose files are in dir. CPUs that another domain has already are left to it. */
static void add_policy(struct proc *p, const struct sys *sys, const char *dir, unsigned own_number)
{
	struct proc_policy *policy = &p->policies[p->n_policies];
	char path[PROC_PATH];
	struct proc_set set;
	bool any = false;

	snprintf(path, sizeof(path), "%s/related_cpus", dir);
	if (!proc_set_read(sys, &set, path)) { /* a domain whose CPUs are all offline does not answer */
		if (own_number >= PROC_CPU_NUMBER_MAX)
			return;
		set.bits[own_number / 64] |= (uint64_t)1 << own_number % 64;
	}
	for (unsigned i = 0; i < p->n_cpus; i++)
		if (proc_set_has(&set, p->cpus[i].number) && p->cpus[i].policy < 0) {
			p->cpus[i].policy = (int)p->n_policies;
			any = true;
		}
	if (!any)
		return;
	snprintf(policy->dir, sizeof(policy->dir), "%s", dir);
	policy->top_khz = read_khz(sys, dir, "cpuinfo_max_freq");
	policy->khz = SAMPLE_UNKNOWN;
	sysfs_file_init(&policy->file, p->n_policies < PROC_POLICIES_OPEN, "%s/scaling_cur_freq", dir);
	p->n_policies++;
}

static void find_policies(struct proc *p, const struct sys *sys)
{
	char **names, dir[PROC_PATH - 32];
	int n = sys->list(sys, "sys/devices/system/cpu/cpufreq", &names);

	p->policies = xcalloc(p->n_cpus, sizeof(*p->policies));
	for (int i = 0; i < n; i++) {
		uint64_t number;

		if (strncmp(names[i], "policy", 6) != 0 || !span_u64(span_of(names[i] + 6), &number) ||
		    number >= PROC_CPU_NUMBER_MAX || p->n_policies == p->n_cpus)
			continue;
		snprintf(dir, sizeof(dir), "sys/devices/system/cpu/cpufreq/policy%u", (unsigned)number);
		add_policy(p, sys, dir, (unsigned)number);
	}
	if (n >= 0)
		sys_names_free(names, n);
	if (p->n_policies)
		return;
	/* Before Linux 4.3 the files were with each CPU. */
	for (unsigned i = 0; i < p->n_cpus; i++) {
		snprintf(dir, sizeof(dir), "sys/devices/system/cpu/cpu%u/cpufreq", p->cpus[i].number);
		if (p->cpus[i].policy < 0 && read_khz(sys, dir, "cpuinfo_max_freq") != SAMPLE_UNKNOWN)
			add_policy(p, sys, dir, p->cpus[i].number);
	}
}

/* Clock domains part CPUs of one kind (RK3588 has two pairs of Cortex-A76), unless every CPU has a domain of its own, as on x86
 * and on servers, where they mean nothing. */
static bool domains_mean_something(const struct proc *p, const struct proc_keys *keys, int64_t kind)
{
	for (unsigned i = 0; i < p->n_cpus; i++)
		for (unsigned k = 0; k < i; k++)
			if (keys->cpus[i].kind == kind && keys->cpus[k].kind == kind && p->cpus[i].policy >= 0 &&
			    p->cpus[i].policy == p->cpus[k].policy)
				return true;
	return false;
}

/* Number the groups by their first CPU. false if there are too many. */
static bool group(struct proc *p, const struct proc_keys *keys, bool by_kind, bool by_domain)
{
	struct {
		int64_t kind;
		int domain;
		bool split;
	} groups[PROC_CLUSTERS_MAX] = {0};

	p->n_clusters = 0;
	for (unsigned i = 0; i < p->n_cpus; i++) {
		int64_t kind = by_kind ? keys->cpus[i].kind : 0;
		int domain = p->cpus[i].policy;
		unsigned c;

		for (c = 0; c < p->n_clusters; c++)
			if (groups[c].kind == kind && (!groups[c].split || groups[c].domain == domain || domain < 0))
				break;
		if (c == p->n_clusters) {
			if (c == PROC_CLUSTERS_MAX)
				return false;
			groups[c].kind = kind;
			groups[c].domain = domain;
			groups[c].split = by_domain && domains_mean_something(p, keys, keys->cpus[i].kind);
			p->clusters[c] = (struct proc_cluster){.first = i, .capacity = -1, .top_khz = SAMPLE_UNKNOWN};
			p->n_clusters++;
		}
		p->cpus[i].cluster = (uint16_t)c;
		p->clusters[c].n_cpus++;
	}
	return true;
}

static void describe_clusters(struct proc *p, const struct proc_keys *keys)
{
	for (unsigned i = 0; i < p->n_cpus; i++) {
		struct proc_cluster *cluster = &p->clusters[p->cpus[i].cluster];
		uint64_t top = p->cpus[i].policy < 0 ? SAMPLE_UNKNOWN : p->policies[p->cpus[i].policy].top_khz;

		if (keys->cpus[i].capacity > cluster->capacity)
			cluster->capacity = keys->cpus[i].capacity;
		if (top != SAMPLE_UNKNOWN && (cluster->top_khz == SAMPLE_UNKNOWN || top > cluster->top_khz))
			cluster->top_khz = top;
	}
	for (unsigned c = 0; c < p->n_clusters; c++)
		proc_name(p->clusters[c].label, p, keys, c);
}

void proc_cluster_find(struct proc *p, const struct sys *sys)
{
	struct proc_keys keys;

	find_cpus(p, sys);
	find_policies(p, sys);
	proc_keys_init(&keys, p, sys);
	if (!group(p, &keys, true, true) && !group(p, &keys, true, false))
		group(p, &keys, false, false);
	if (!p->n_clusters) {
		p->clusters[0] = (struct proc_cluster){.capacity = -1, .top_khz = SAMPLE_UNKNOWN};
		p->n_clusters = 1;
	}
	describe_clusters(p, &keys);
	proc_keys_fini(&keys);
}

void proc_cluster_fini(struct proc *p)
{
	free(take_ptr(&p->policies));
	free(take_ptr(&p->cpus));
	p->n_cpus = p->n_policies = 0;
}
