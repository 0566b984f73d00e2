#include "tests/unit/fixture.h"

#include "backends/backends.h"
#include "backends/proc.h"
#include "base/alloc.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "0000 1122 Cortex-A55 Cortex-A76 ...": the cluster of every CPU, then the labels. */
static void assert_clusters(struct fixture *f, const char *clusters, const char *labels, const char *title)
{
	struct proc p = {0};
	char text[512] = "", names[512] = "", shown[64];
	size_t n = 0;

	proc_cluster_find(&p, &f->sys);
	for (unsigned i = 0; i < p.n_cpus && n < sizeof(text) - 1; i++)
		text[n++] = (char)('0' + p.cpus[i].cluster);
	assert_string_equal(text, clusters);
	n = 0;
	for (unsigned c = 0; c < p.n_clusters; c++)
		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", c ? "|" : "", p.clusters[c].label);
	assert_string_equal(names, labels);
	proc_title(shown, sizeof(shown), &p);
	assert_string_equal(shown, title);
	proc_cluster_fini(&p);
}

static void boards_have_the_clusters_that_their_makers_gave_them(void **state)
{
	static const struct {
		const char *board, *clusters, *labels, *title;
	} cases[] = {
		{"rk3588", "00001122", "Cortex-A55|Cortex-A76|Cortex-A76", "Cortex-A76 x4 + Cortex-A55 x4"},
		{"rk3399", "000011", "Cortex-A53|Cortex-A72", "Cortex-A72 x2 + Cortex-A53 x4"},
		{"rk3399-offline", "000011", "Cortex-A53|Cortex-A72", "Cortex-A72 x2 + Cortex-A53 x4"},
		{"s922x", "001111", "Cortex-A53|Cortex-A73", "Cortex-A73 x4 + Cortex-A53 x2"},
		{"phone-4-3-1", "00001112", "Cortex-A55|Cortex-A78|Cortex-X1", "Cortex-X1 x1 + Cortex-A78 x3 + Cortex-A55 x4"},
		{"x86-vm", "00", "AMD EPYC", "AMD EPYC x2"},
		{"bare", "", "CPU", "CPU"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;

		fixture_init(&f, cases[i].board);
		assert_clusters(&f, cases[i].clusters, cases[i].labels, cases[i].title);
		fixture_fini(&f);
	}
}

static void each_key_stands_in_for_the_one_before_it(void **state)
{
	struct fixture f;
	char path[128];

	(void)state;
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

static void a_pmu_names_the_core_where_nothing_else_does(void **state)
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

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;
		struct proc p = {0};
		char path[128], labels[128];

		fixture_init(&f, NULL);
		fixture_write(&f, "sys/devices/system/cpu/present", "0-3\n");
		snprintf(path, sizeof(path), "sys/bus/event_source/devices/%s/cpus", cases[i].little);
		fixture_write(&f, path, "0-1\n");
		snprintf(path, sizeof(path), "sys/bus/event_source/devices/%s/cpus", cases[i].big);
		fixture_write(&f, path, "2,3\n");
		proc_cluster_find(&p, &f.sys);
		assert_int_equal(p.n_clusters, 2);
		snprintf(labels, sizeof(labels), "%s|%s", p.clusters[0].label, p.clusters[1].label);
		assert_string_equal(labels, cases[i].labels);
		proc_cluster_fini(&p);
		fixture_fini(&f);
	}
}

static void a_clock_domain_per_cpu_splits_nothing(void **state)
{
	struct fixture f;
	char path[128], text[16];

	(void)state;
	fixture_init(&f, NULL);
	fixture_write(&f, "sys/devices/system/cpu/present", "0-3\n");
	for (unsigned i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpufreq/policy%u/related_cpus", i);
		snprintf(text, sizeof(text), "%u\n", i);
		fixture_write(&f, path, text);
	}
	fixture_write(&f, "proc/cpuinfo", "processor\t: 0\nmodel name\t: Intel(R) Core(TM) i7-8550U CPU @ 1.80GHz\n\n");
	assert_clusters(&f, "0000", "Intel Core i7-8550U", "Intel Core i7-8550U x4");
	/* One pair among them does: a prime core with a domain of its own. */
	fixture_write(&f, "sys/devices/system/cpu/cpufreq/policy0/related_cpus", "0 1 2\n");
	assert_clusters(&f, "0001", "Intel Core i7-8550U|CPU", "Intel Core i7-8550U x3 + CPU x1");
	fixture_fini(&f);
}

static void names_from_outside_are_cleaned(void **state)
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

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;
		struct proc p = {0};
		char text[256];

		fixture_init(&f, NULL);
		fixture_write(&f, "sys/devices/system/cpu/present", "0\n");
		snprintf(text, sizeof(text), "processor : 0\nmodel name : %s\n", cases[i].model);
		fixture_write(&f, "proc/cpuinfo", text);
		proc_cluster_find(&p, &f.sys);
		assert_string_equal(p.clusters[0].label, cases[i].label);
		proc_cluster_fini(&p);
		fixture_fini(&f);
	}
}

static void an_unknown_core_shows_its_number_and_another_makers_core_its_name(void **state)
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

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct fixture f;
		struct proc p = {0};

		fixture_init(&f, NULL);
		fixture_write(&f, "sys/devices/system/cpu/present", "0\n");
		fixture_write(&f, "sys/devices/system/cpu/cpu0/regs/identification/midr_el1", cases[i].midr);
		proc_cluster_find(&p, &f.sys);
		assert_string_equal(p.clusters[0].label, cases[i].label);
		proc_cluster_fini(&p);
		fixture_fini(&f);
	}
}

static void lists_of_cpus_are_read_or_refused(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		unsigned n, has;
	} cases[] = {
		{"0-3,6\n", true, 5, 6},      {"0 1 2 3 \n", true, 4, 3}, {"7", true, 1, 7},
		{"0-4095", true, 4096, 4095}, {"4096\n", false, 0, 0},    {"4000-99999999999", true, 96, 4095},
		{"3-1\n", false, 0, 0},       {"\n", false, 0, 0},        {"", false, 0, 0},
		{"a-b", false, 0, 0},         {"1-", false, 0, 0},        {"-1", false, 0, 0},
		{"0-3:1/2", false, 0, 0},     {"1,,2", true, 2, 2},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct proc_set set;
		unsigned n = 0;

		assert_int_equal(proc_set_parse(&set, cases[i].text), cases[i].ok);
		if (!cases[i].ok)
			continue;
		for (unsigned k = 0; k < PROC_CPU_NUMBER_MAX; k++)
			n += proc_set_has(&set, k);
		assert_int_equal(n, cases[i].n);
		assert_true(proc_set_has(&set, cases[i].has));
		assert_false(proc_set_has(&set, PROC_CPU_NUMBER_MAX));
	}
}

static void a_huge_machine_keeps_within_its_limits(void **state)
{
	struct fixture f;
	struct proc p = {0};
	char path[128], text[16];

	(void)state;
	fixture_init(&f, NULL);
	fixture_write(&f, "sys/devices/system/cpu/present", "0-4095\n");
	for (unsigned i = 0; i < 40; i++) { /* more kinds than clusters */
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%u/cpu_capacity", i);
		snprintf(text, sizeof(text), "%u\n", 100 + i);
		fixture_write(&f, path, text);
	}
	proc_cluster_find(&p, &f.sys);
	assert_int_equal(p.n_cpus, PROC_CPUS_MAX);
	assert_int_equal(p.n_clusters, 1);
	assert_int_equal(p.clusters[0].n_cpus, PROC_CPUS_MAX);
	proc_cluster_fini(&p);
	fixture_fini(&f);
}

static void a_title_that_does_not_fit_is_cut_between_clusters(void **state)
{
	struct proc p = {.n_clusters = 3};
	char title[64];

	(void)state;
	for (unsigned c = 0; c < 3; c++) {
		p.clusters[c].n_cpus = 4;
		p.clusters[c].capacity = c;
		snprintf(p.clusters[c].label, sizeof(p.clusters[c].label), "Processor of a very long name %u", c);
	}
	proc_title(title, sizeof(title), &p);
	assert_string_equal(title, "Processor of a very long name 2 x4 ...");
}

/* describe is held against the text that stands for the board. */
static void assert_describe(const char *board, const char *broken, const char *expected)
{
	struct fixture f;
	struct source source = {.backend = &backend_proc};
	AUTO_STRBUF struct strbuf text = {0};

	fixture_init(&f, board);
	source.sys = &f.sys;
	source.priv = xcalloc(1, backend_proc.priv_size);
	assert_true(backend_proc.open(&source, "", NULL));
	f.broken = broken;
	f.broken_errno = EACCES;
	backend_proc.describe(&source, &text);
	assert_string_equal(text.p, expected);
	backend_proc.close(&source);
	free(source.priv);
	free(source.slots);
	fixture_fini(&f);
}

static void the_foot_line_and_the_clusters_are_described(void **state)
{
	(void)state;
	assert_describe("rk3588", NULL,
			"load 1.42 0.97 0.51   memory 2.26 GB of 8.33 GB   bigcore0-thermal 57.3 C, bigcore2-thermal 53.6 C, "
			"package-thermal 52.7 C, littlecore-thermal 52.7 C   capped: Cortex-A76 2.21 GHz of 2.40 GHz\n"
			"cluster0: Cortex-A55 x4, CPUs 0-3, up to 1.80 GHz, capacity 530\n"
			"cluster1: Cortex-A76 x2, CPUs 4-5, up to 2.40 GHz, capacity 1024\n"
			"cluster2: Cortex-A76 x2, CPUs 6-7, up to 2.35 GHz, capacity 1024\n");
	assert_describe("rk3399", NULL,
			"load 0.61 0.40 0.22   memory 1.11 GB of 3.98 GB   cpu-thermal 61.9 C, gpu-thermal 58.8 C   "
			"cooling: devfreq-ff9a0000.gpu step 2 of 5\n"
			"cluster0: Cortex-A53 x4, CPUs 0-3, up to 1.42 GHz, capacity 485\n"
			"cluster1: Cortex-A72 x2, CPUs 4-5, up to 1.80 GHz, capacity 1024\n");
}

static void what_is_missing_is_said_and_not_invented(void **state)
{
	(void)state;
	assert_describe("bare", NULL,
			"\n"
			"cluster0: CPU\n"
			"missing: CPU clocks: no cpufreq driver (usual in a virtual machine)\n"
			"missing: temperatures: no thermal zones\n");
	assert_describe("rk3399-offline", "proc/",
			"cpu 48.1 C, gpu 46.2 C\n"
			"cluster0: Cortex-A53 x4, CPUs 0-3, up to 1.42 GHz, capacity 485\n"
			"cluster1: Cortex-A72 x2, CPUs 4-5, up to 1.80 GHz, capacity 1024\n"
			"missing: CPU load: /proc/stat: Permission denied; on Android use the adb shell instead of an app\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boards_have_the_clusters_that_their_makers_gave_them),
		cmocka_unit_test(each_key_stands_in_for_the_one_before_it),
		cmocka_unit_test(a_pmu_names_the_core_where_nothing_else_does),
		cmocka_unit_test(a_clock_domain_per_cpu_splits_nothing),
		cmocka_unit_test(names_from_outside_are_cleaned),
		cmocka_unit_test(an_unknown_core_shows_its_number_and_another_makers_core_its_name),
		cmocka_unit_test(lists_of_cpus_are_read_or_refused),
		cmocka_unit_test(a_huge_machine_keeps_within_its_limits),
		cmocka_unit_test(a_title_that_does_not_fit_is_cut_between_clusters),
		cmocka_unit_test(the_foot_line_and_the_clusters_are_described),
		cmocka_unit_test(what_is_missing_is_said_and_not_invented),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
