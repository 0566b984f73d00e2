#include "backends/cpu/cpu_key.h"

#include "base/alloc.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* MIDR implementer << 12 | part, as in the kernel's cputype.h and util-linux's lscpu-arm.c. */
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

static void name_part(char label[CPU_LABEL], int64_t part)
{
	for (size_t i = 0; i < ARRAY_LEN(cores); i++)
		if (cores[i].part == part) {
			snprintf(label, CPU_LABEL, "%s", cores[i].name);
			return;
		}
	snprintf(label, CPU_LABEL, "CPU 0x%05x", (unsigned)part);
}

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
	if (best && best == with[0])
		name_part(label, best->value[KEY_PART]);
	else if (best && best == with[1] && name_pmu(label, keys->pmus[best->value[KEY_PMU]]))
		return;
	else if (best && best->model)
		name_model(label, best->model);
	if (!label[0])
		snprintf(label, CPU_LABEL, "CPU");
}
