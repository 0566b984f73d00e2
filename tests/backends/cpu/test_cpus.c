#include "tests/support/fixture.h"

#include "backends/cpu/cpus.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <stdio.h>
#include <string.h>

/* "0000 1122 Cortex-A55 Cortex-A76 ...": the cluster of every CPU, then the labels. */
static void assert_clusters(struct fixture *f, const char *clusters, const char *labels, const char *title)
{
	struct cpus cpus;
	char text[512] = "", names[512] = "", shown[64];
	size_t n = 0;

	cpus_find(&cpus, &f->sys);
	for (unsigned i = 0; i < cpus.n && n < sizeof(text) - 1; i++)
		text[n++] = (char)('0' + cpus.cpus[i].cluster);
	assert_string_equal(text, clusters);
	n = 0;
	for (unsigned c = 0; c < cpus.n_clusters; c++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", c ? "|" : "",
				      cpus.clusters[c].label);
	assert_string_equal(names, labels);
	cpus_title(shown, sizeof(shown), &cpus);
	assert_string_equal(shown, title);
	cpus_fini(&cpus);
}

TEST(boards_have_the_clusters_that_their_makers_gave_them)
{
	static const struct {
		const char *board, *clusters, *labels, *title;
	} cases[] = {
		{"rk3588", "00001122", "Cortex-A55|Cortex-A76|Cortex-A76", "Cortex-A76 x4 + Cortex-A55 x4"},
		{"rk3399", "000011", "Cortex-A53|Cortex-A72", "Cortex-A72 x2 + Cortex-A53 x4"},
		{"rk3399-offline", "000011", "Cortex-A53|Cortex-A72", "Cortex-A72 x2 + Cortex-A53 x4"},
		{"s922x", "001111", "Cortex-A53|Cortex-A73", "Cortex-A73 x4 + Cortex-A53 x2"},
		{"phone-4-3-1", "00001112", "Cortex-A55|Cortex-A78|Cortex-X1",
		 "Cortex-X1 x1 + Cortex-A78 x3 + Cortex-A55 x4"},
		{"x86-vm", "00", "AMD EPYC", "AMD EPYC x2"},
		{"bare", "", "CPU", "CPU"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;

		fixture_init(&f, cases[i].board);
		assert_clusters(&f, cases[i].clusters, cases[i].labels, cases[i].title);
		fixture_fini(&f);
	}
}

TEST(each_key_stands_in_for_the_one_before_it)
{
	struct fixture f;
	char path[128];

	fixture_init(&f, "rk3588");
	/* PMUs gone: part numbers of the CPUs. */
	fixture_remove(&f, "sys/bus");
	assert_clusters(&f, "00001122", "Cortex-A55|Cortex-A76|Cortex-A76", "Cortex-A76 x4 + Cortex-A55 x4");
	/* Registers gone: those of proc/cpuinfo. */
	for (unsigned i = 0; i < 8; i++) {
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/regs", i);
		fixture_remove(&f, path);
	}
	assert_clusters(&f, "00001122", "Cortex-A55|Cortex-A76|Cortex-A76", "Cortex-A76 x4 + Cortex-A55 x4");
	/* Capacities; nobody knows the name any more. */
	fixture_remove(&f, "proc/cpuinfo");
	assert_clusters(&f, "00001122", "CPU|CPU|CPU", "CPU x8");
	/* Clock domains. */
	for (unsigned i = 0; i < 8; i++) {
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cpu_capacity", i);
		fixture_remove(&f, path);
	}
	assert_clusters(&f, "00001122", "CPU|CPU|CPU", "CPU x8");
	/* Nothing. */
	fixture_remove(&f, "sys/devices/system/cpu/cpufreq");
	assert_clusters(&f, "00000000", "CPU", "CPU x8");
	/* Not even a list of CPUs: the lines of proc/stat. */
	fixture_remove(&f, "sys");
	assert_clusters(&f, "00000000", "CPU", "CPU x8");
	fixture_fini(&f);
}

TEST(a_pmu_names_the_core_where_nothing_else_does)
{
	static const struct {
		const char *little, *big, *labels;
	} cases[] = {
		{"armv8_cortex_a55", "armv8_cortex_a76", "Cortex-A55|Cortex-A76"},
		{"armv9_cortex_a510", "armv9_cortex_x3", "Cortex-A510|Cortex-X3"},
		{"cpu_atom", "cpu_core", "E-core|P-core"},
		{"armv8_pmuv3_0", "armv8_pmuv3_1", "CPU|CPU"},
		{"armv8_neoverse_n1", "armv8_", "Neoverse-N1|CPU"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;
		struct cpus cpus;
		char path[128], labels[128];

		fixture_init(&f, NULL);
		fixture_write(&f, "sys/devices/system/cpu/present", "0-3\n");
		snprintf(path, sizeof(path), "sys/bus/event_source/devices/%s/cpus", cases[i].little);
		fixture_write(&f, path, "0-1\n");
		snprintf(path, sizeof(path), "sys/bus/event_source/devices/%s/cpus", cases[i].big);
		fixture_write(&f, path, "2,3\n");
		cpus_find(&cpus, &f.sys);
		assert_int_equal(cpus.n_clusters, 2);
		snprintf(labels, sizeof(labels), "%s|%s", cpus.clusters[0].label, cpus.clusters[1].label);
		assert_string_equal(labels, cases[i].labels);
		cpus_fini(&cpus);
		fixture_fini(&f);
	}
}

TEST(a_clock_domain_per_cpu_splits_nothing)
{
	struct fixture f;
	char path[128], text[16];

	fixture_init(&f, NULL);
	fixture_write(&f, "sys/devices/system/cpu/present", "0-3\n");
	for (unsigned i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpufreq/policy%u/related_cpus", i);
		snprintf(text, sizeof(text), "%u\n", i);
		fixture_write(&f, path, text);
	}
	fixture_write(&f, "proc/cpuinfo",
		      "processor\t: 0\nmodel name\t: Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz\n\n");
	assert_clusters(&f, "0000", "Intel Core i7-8550U", "Intel Core i7-8550U x4");
	/* One pair among them does: a prime core with a domain of its own. */
	fixture_write(&f, "sys/devices/system/cpu/cpufreq/policy0/related_cpus", "0 1 2\n");
	assert_clusters(&f, "0001", "Intel Core i7-8550U|CPU", "Intel Core i7-8550U x3 + CPU x1");
	fixture_fini(&f);
}

TEST(names_from_outside_are_cleaned)
{
	static const struct {
		const char *model, *label;
	} cases[] = {
		{"AMD Ryzen 7 5800X 8-Core Processor", "AMD Ryzen 7 5800X"},
		{"AMD Ryzen 7 PRO 6850U with Radeon Graphics", "AMD Ryzen 7 PRO 6850U"},
		{"Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz", "Intel Xeon Platinum 8370C"},
		{"evil\033[2Jname", "evil?[2Jname"},
		{"CPU", "CPU"},
		{"(R)", "CPU"},
		{"@ 2 GHz", "CPU"},
		{"wordthatismuchtoolongforanylabelthatanybodywouldeverwanttosee", "CPU"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;
		struct cpus cpus;
		char text[256];

		fixture_init(&f, NULL);
		fixture_write(&f, "sys/devices/system/cpu/present", "0\n");
		snprintf(text, sizeof(text), "processor : 0\nmodel name : %s\n", cases[i].model);
		fixture_write(&f, "proc/cpuinfo", text);
		cpus_find(&cpus, &f.sys);
		assert_string_equal(cpus.clusters[0].label, cases[i].label);
		cpus_fini(&cpus);
		fixture_fini(&f);
	}
}

TEST(an_unknown_core_shows_its_number_and_another_makers_core_its_name)
{
	static const struct {
		const char *midr, *label;
	} cases[] = {{"0x00000000410fdfe0", "CPU 0x41dfe"},
		     {"0x00000000481fd400", "Cortex-A76"},
		     {"0x00000000531f0020", "Exynos-M3"},
		     {"0x00000000410fd800", "Cortex-A520"},
		     {"0", "CPU"},
		     {"-1", "CPU"},
		     {"junk", "CPU"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;
		struct cpus cpus;

		fixture_init(&f, NULL);
		fixture_write(&f, "sys/devices/system/cpu/present", "0\n");
		fixture_write(&f, "sys/devices/system/cpu/cpu0/regs/identification/midr_el1", cases[i].midr);
		cpus_find(&cpus, &f.sys);
		assert_string_equal(cpus.clusters[0].label, cases[i].label);
		cpus_fini(&cpus);
		fixture_fini(&f);
	}
}

TEST(lists_of_cpus_are_read_or_refused)
{
	static const struct {
		const char *text;
		bool ok;
		unsigned n, has;
	} cases[] = {
		{"0-3,6\n", true, 5, 6},  {"0 1 2 3 \n", true, 4, 3},
		{"7", true, 1, 7},        {"0-4095", true, 4096, 4095},
		{"4096\n", false, 0, 0},  {"4000-99999999999", true, 96, 4095},
		{"3-1\n", false, 0, 0},   {"\n", false, 0, 0},
		{"", false, 0, 0},        {"a-b", false, 0, 0},
		{"1-", false, 0, 0},      {"-1", false, 0, 0},
		{"0-3:1/2", false, 0, 0}, {"1,,2", true, 2, 2},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct cpu_set set;
		unsigned n = 0;

		assert_int_equal(cpu_set_parse(&set, cases[i].text), cases[i].ok);
		if (!cases[i].ok)
			continue;
		for (unsigned k = 0; k < CPU_NUMBER_MAX; k++)
			n += cpu_set_has(&set, k);
		assert_int_equal(n, cases[i].n);
		assert_true(cpu_set_has(&set, cases[i].has));
		assert_false(cpu_set_has(&set, CPU_NUMBER_MAX));
	}
}

TEST(a_huge_machine_keeps_within_its_limits)
{
	struct fixture f;
	struct cpus cpus;
	char path[128], text[16];

	fixture_init(&f, NULL);
	fixture_write(&f, "sys/devices/system/cpu/present", "0-4095\n");
	for (unsigned i = 0; i < 40; i++) { /* more kinds than clusters */
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cpu_capacity", i);
		snprintf(text, sizeof(text), "%u\n", 100 + i);
		fixture_write(&f, path, text);
	}
	cpus_find(&cpus, &f.sys);
	assert_int_equal(cpus.n, CPUS_MAX);
	assert_int_equal(cpus.n_clusters, 1);
	assert_int_equal(cpus.clusters[0].n_cpus, CPUS_MAX);
	cpus_fini(&cpus);
	fixture_fini(&f);
}

TEST(a_title_that_does_not_fit_is_cut_between_clusters)
{
	struct cpus cpus = {.n_clusters = 3};
	char title[64];

	for (unsigned c = 0; c < 3; c++) {
		cpus.clusters[c].n_cpus = 4;
		cpus.clusters[c].capacity = c;
		snprintf(cpus.clusters[c].label, sizeof(cpus.clusters[c].label),
			 "Processor of a very long name %u", c);
	}
	cpus_title(title, sizeof(title), &cpus);
	assert_string_equal(title, "Processor of a very long name 2 x4 ...");
}

TEST(cpus_are_found_and_listed_by_number)
{
	static const struct {
		uint64_t number;
		int index;
	} cases[] = {{0, 0}, {2, 2}, {3, -1}, {7, 3}, {9, 4}, {10, -1}, {65536, -1}, {UINT64_MAX, -1}};
	AUTO_STRBUF struct strbuf text = {0};
	struct fixture f;
	struct cpus cpus;

	fixture_init(&f, NULL);
	cpus_find(&cpus, &f.sys);
	assert_int_equal(cpus_index(&cpus, 0), -1);
	cpus_fini(&cpus);
	fixture_write(&f, "sys/devices/system/cpu/present", "0-2,7,9\n");
	cpus_find(&cpus, &f.sys);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(cpus_index(&cpus, cases[i].number), cases[i].index);
	cpus_list(&text, &cpus, 0);
	assert_string_equal(text.p, "0-2,7,9");
	cpus_fini(&cpus);
	fixture_fini(&f);
}
