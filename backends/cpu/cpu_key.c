#include "backends/cpu/cpu_key.h"

#include "base/alloc.h"

#include <ctype.h>
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
	sys_names_free(names, n);
}

/* One block per CPU: "processor : 3", then either "CPU implementer" and "CPU part", or "model
 * name". */
static void read_cpuinfo(struct cpu_keys *keys, const struct cpus *cpus, const struct sys *sys)
{
	size_t size = 8192 + 4096 * (size_t)cpus->n;
	AUTOFREE char *bytes = xmalloc(size);
	ssize_t n = sys_read_file(sys, "proc/cpuinfo", bytes, size);
	struct span text = {bytes, n > 0 ? (size_t)n : 0};
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

/* ---- names ---- */

/* MIDR implementer << 12 | part, as in Linux's asm/cputype and util-linux's lscpu. */
static const struct {
	uint32_t part;
	const char *name;
} cores[] = {
	{0x41c05, "Cortex-A5"},       {0x41c07, "Cortex-A7"},       {0x41c08, "Cortex-A8"},
	{0x41c09, "Cortex-A9"},       {0x41c0d, "Cortex-A12"},      {0x41c0e, "Cortex-A17"},
	{0x41c0f, "Cortex-A15"},      {0x41d01, "Cortex-A32"},      {0x41d02, "Cortex-A34"},
	{0x41d03, "Cortex-A53"},      {0x41d04, "Cortex-A35"},      {0x41d05, "Cortex-A55"},
	{0x41d06, "Cortex-A65"},      {0x41d07, "Cortex-A57"},      {0x41d08, "Cortex-A72"},
	{0x41d09, "Cortex-A73"},      {0x41d0a, "Cortex-A75"},      {0x41d0b, "Cortex-A76"},
	{0x41d0c, "Neoverse-N1"},     {0x41d0d, "Cortex-A77"},      {0x41d0e, "Cortex-A76AE"},
	{0x41d40, "Neoverse-V1"},     {0x41d41, "Cortex-A78"},      {0x41d42, "Cortex-A78AE"},
	{0x41d43, "Cortex-A65AE"},    {0x41d44, "Cortex-X1"},       {0x41d46, "Cortex-A510"},
	{0x41d47, "Cortex-A710"},     {0x41d48, "Cortex-X2"},       {0x41d49, "Neoverse-N2"},
	{0x41d4a, "Neoverse-E1"},     {0x41d4b, "Cortex-A78C"},     {0x41d4c, "Cortex-X1C"},
	{0x41d4d, "Cortex-A715"},     {0x41d4e, "Cortex-X3"},       {0x41d4f, "Neoverse-V2"},
	{0x41d80, "Cortex-A520"},     {0x41d81, "Cortex-A720"},     {0x41d82, "Cortex-X4"},
	{0x41d83, "Neoverse-V3AE"},   {0x41d84, "Neoverse-V3"},     {0x41d85, "Cortex-X925"},
	{0x41d87, "Cortex-A725"},     {0x41d88, "Cortex-A520AE"},   {0x41d89, "Cortex-A720AE"},
	{0x41d8a, "C1-Nano"},         {0x41d8b, "C1-Pro"},          {0x41d8c, "C1-Ultra"},
	{0x41d8e, "Neoverse-N3"},     {0x41d8f, "Cortex-A320"},     {0x41d90, "C1-Premium"},
	{0x48d01, "TaiShan-v110"},    {0x48d40, "Cortex-A76"},      {0x51800, "Kryo-2xx-Gold"},
	{0x51801, "Kryo-2xx-Silver"}, {0x51802, "Kryo-3xx-Gold"},   {0x51803, "Kryo-3xx-Silver"},
	{0x51804, "Kryo-4xx-Gold"},   {0x51805, "Kryo-4xx-Silver"}, {0x53001, "Exynos-M1"},
	{0x53002, "Exynos-M3"},       {0x53003, "Exynos-M4"},       {0x53004, "Exynos-M5"},
};

/* If only the PMU is known, use its name, which comes from the device tree. */
static bool name_pmu(char label[CPU_LABEL], const char *pmu)
{
	static const struct {
		const char *pmu, *name;
		bool whole;
	} known[] = {{"cpu_core", "P-core", true},
		     {"cpu_atom", "E-core", true},
		     {"cpu_lowpower", "LP-core", true},
		     {"armv7_cortex_", "Cortex-", false},
		     {"armv8_cortex_", "Cortex-", false},
		     {"armv9_cortex_", "Cortex-", false},
		     {"armv8_neoverse_", "Neoverse-", false},
		     {"armv9_neoverse_", "Neoverse-", false}};

	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		size_t n = strlen(known[i].pmu);
		char text[CPU_LABEL];

		if (known[i].whole ? strcmp(pmu, known[i].pmu) != 0 : strncmp(pmu, known[i].pmu, n) != 0)
			continue;
		n = (size_t)snprintf(text, sizeof(text), "%s%.16s", known[i].name, pmu + n);
		for (size_t k = strlen(known[i].name); k < n; k++)
			text[k] = (char)toupper((unsigned char)text[k]);
		str_printable(label, CPU_LABEL, text);
		return true;
	}
	return false;
}

/* Words that vendors add to the name of a processor and that are not worth the space; compared as
 * complete words. */
static bool is_noise(struct span word)
{
	static const char *const noise[] = {"CPU", "Processor", "processor"};

	for (size_t i = 0; i < ARRAY_LEN(noise); i++)
		if (span_is(word, noise[i]))
			return true;
	return word.n > 5 && memcmp(word.p + word.n - 5, "-Core", 5) == 0;
}

/* "Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz" -> "Intel Core i7-8550U" */
static void name_model(char label[CPU_LABEL], const char *model)
{
	static const char *const marks[] = {"(R)", "(r)", "(TM)", "(tm)"};
	char text[CPU_LABEL] = "", clean[256];
	struct span rest, word;
	size_t n = 0;

	for (const char *s = model; *s && n < sizeof(clean) - 1;) {
		size_t skip = 0;

		for (size_t i = 0; i < ARRAY_LEN(marks) && !skip; i++)
			if (strncmp(s, marks[i], strlen(marks[i])) == 0)
				skip = strlen(marks[i]);
		if (skip)
			s += skip;
		else
			clean[n++] = *s++;
	}
	rest = (struct span){clean, n};
	n = 0;
	while ((word = span_word(&rest)).n) {
		if (span_is(word, "@") || span_is(word, "with") || n + word.n + 1 >= sizeof(text))
			break;
		if (!is_noise(word))
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%.*s", n ? " " : "",
					      SPAN_ARG(word));
	}
	str_printable(label, CPU_LABEL, text);
}

void cpu_name(char label[CPU_LABEL], const struct cpus *cpus, const struct cpu_keys *keys, unsigned cluster)
{
	/* The first with a part, a PMU, a model: an offline CPU may report nothing. */
	const struct cpu_key *with[3] = {0}, *best;

	for (unsigned i = keys->n_cpus; i-- > 0;) {
		const struct cpu_key *key = &keys->cpus[i];

		if (cpus->cpus[i].cluster != cluster)
			continue;
		with[0] = key->value[KEY_PART] >= 0 ? key : with[0];
		with[1] = key->value[KEY_PMU] >= 0 ? key : with[1];
		with[2] = key->model ? key : with[2];
	}
	best = with[0] ? with[0] : with[1] ? with[1] : with[2];
	label[0] = 0;
	for (size_t i = 0; best && best == with[0] && i < ARRAY_LEN(cores); i++)
		if (cores[i].part == best->value[KEY_PART])
			snprintf(label, CPU_LABEL, "%s", cores[i].name);
	if (best && best == with[0] && !label[0])
		snprintf(label, CPU_LABEL, "CPU 0x%05x", (unsigned)best->value[KEY_PART]);
	else if (best && best == with[1] && name_pmu(label, keys->pmus[best->value[KEY_PMU]]))
		return;
	else if (best && best->model)
		name_model(label, best->model);
	if (!label[0])
		snprintf(label, CPU_LABEL, "CPU");
}
