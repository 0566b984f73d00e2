#include "tests/support/fixture.h"

#include "backends/perf/perf_name.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DEVICES "sys/bus/event_source/devices/"

/* What sysfs says of a machine. */
struct perf_name_file {
	const char *path, *text;
};

static const struct perf_name_file a72[] = {
	{"armv8_cortex_a72/type", "8\n"},
	{"armv8_cortex_a72/cpus", "0-3\n"},
	{"armv8_cortex_a72/format/event", "config:0-15\n"},
	{"armv8_cortex_a72/format/long", "config1:0\n"},
	{"armv8_cortex_a72/events/cpu_cycles", "event=0x0011\n"},
	{"armv8_cortex_a72/events/br_pred", "event=0x0012\n"},
	{"armv8_cortex_a72/events/own_event", "event=0x00c0\n"},
	{"software/type", "1\n"},
	{NULL, NULL},
};

static const struct perf_name_file rk3588[] = {
	{"armv8_cortex_a55/type", "8\n"},
	{"armv8_cortex_a55/cpus", "0-3\n"},
	{"armv8_cortex_a55/format/event", "config:0-15\n"},
	{"armv8_cortex_a55/events/l1d_cache", "event=0x0004\n"},
	{"armv8_cortex_a55/events/stall_frontend", "event=0x0023\n"},
	{"armv8_cortex_a76/type", "9\n"},
	{"armv8_cortex_a76/cpus", "4-7\n"},
	{"armv8_cortex_a76/format/event", "config:0-15\n"},
	{"armv8_cortex_a76/events/l1d_cache", "event=0x0004\n"},
	{"armv8_cortex_a76/events/mem_access", "event=0x0013\n"},
	{"arm_dsu_0/type", "10\n"},
	{"arm_dsu_0/cpumask", "0\n"},
	{"arm_dsu_0/format/event", "config:0-31\n"},
	{"arm_dsu_0/events/cycles", "event=0x11\n"},
	{"arm_dsu_0/events/scu_snoop", "event=0x19\n"},
	{NULL, NULL},
};

static const struct perf_name_file hybrid[] = {
	{"cpu_atom/type", "10\n"},
	{"cpu_atom/cpus", "12-15\n"},
	{"cpu_atom/format/event", "config:0-7\n"},
	{"cpu_atom/format/umask", "config:8-15\n"},
	{"cpu_atom/events/topdown-bad-spec", "event=0x73,umask=0x00\n"},
	{"cpu_core/type", "4\n"},
	{"cpu_core/cpus", "0-11\n"},
	{"cpu_core/format/event", "config:0-7\n"},
	{"cpu_core/format/umask", "config:8-15\n"},
	{"cpu_core/format/cmask", "config:24-31\n"},
	{"cpu_core/format/inv", "config:23\n"},
	{"cpu_core/format/ldlat", "config1:0-15\n"},
	{"cpu_core/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n"},
	{"cpu_core/events/topdown-bad-spec", "event=0x00,umask=0x81\n"},
	{NULL, NULL},
};

/* What no kernel says. */
static const struct perf_name_file hostile[] = {
	{"cpu/type", "4\n"},
	{"cpu/format/event", "config:0-7\n"},
	{"cpu/format/odd", "config:9-1000\n"},
	{"cpu/events/big", "event=0x100\n"},
	{"cpu/events/empty", "\n"},
	{"cpu/events/junk", "=,,\033]0;x\007=1\n"},
	{"cpu/events/mark", "event=?\n"},
	{"cpu/events/nested", "nested\n"},
	{"cpu/events/oddly", "odd=1\n"},
	{"negative/type", "-1\n"},
	{"huge/type", "4294967296\n"},
	{"text/type", "cpu\n"},
	{"\033[2J/type", "5\n"},
	{NULL, NULL},
};

static const struct perf_name_file nothing[] = {{NULL, NULL}};

static void build_tree(struct fixture *f, struct perf_pmus *pmus, const struct perf_name_file *files)
{
	char path[256];

	fixture_init(f, NULL);
	for (; files->path; files++) {
		snprintf(path, sizeof(path), DEVICES "%s", files->path);
		fixture_write(f, path, files->text);
	}
	perf_pmus_find(pmus, &f->sys);
}

static void dismiss_tree(struct fixture *f, struct perf_pmus *pmus)
{
	perf_pmus_fini(pmus);
	fixture_fini(f);
}

/* "8:11:0:0" or "8:4:0:0 9:4:0:0", and ":u" behind the last. */
static void assert_found(const struct perf_pmus *pmus, const char *text, const char *expected)
{
	struct perf_name name;
	struct err err = {0};
	char got[512] = "";
	size_t n = 0;

	if (!perf_name_find(&name, pmus, NULL, text, &err))
		fail_msg("%s", err.text);
	for (unsigned i = 0; i < name.n; i++) {
		const struct perf_event *e = &name.events[i].event;

		assert_ptr_equal(e->name, text);
		n += (size_t)snprintf(got + n, sizeof(got) - n, "%s%u:%" PRIx64 ":%" PRIx64 ":%" PRIx64,
				      i ? " " : "", e->type, e->config, e->config1, e->config2);
	}
	if (name.user_only)
		snprintf(got + n, sizeof(got) - n, ":u");
	assert_string_equal(got, expected);
}

static void assert_refused(const struct perf_pmus *pmus, const char *text, const char *says)
{
	struct perf_name name;
	struct err err = {0};

	assert_false(perf_name_find(&name, pmus, NULL, text, &err));
	if (!strstr(err.text, says))
		fail_msg("\"%s\" does not say \"%s\"", err.text, says);
	for (const char *c = err.text; *c; c++)
		assert_true((unsigned char)*c >= ' ');
}

TEST(generic_names_are_those_of_perf)
{
	static const struct {
		const char *text, *event;
	} cases[] = {
		{"cycles", "0:0:0:0"},
		{"cpu-cycles", "0:0:0:0"},
		{"CYCLES", "0:0:0:0"},
		{"instructions", "0:1:0:0"},
		{"cache-references", "0:2:0:0"},
		{"cache-misses", "0:3:0:0"},
		{"branches", "0:4:0:0"},
		{"branch-instructions", "0:4:0:0"},
		{"branch-misses", "0:5:0:0"},
		{"bus-cycles", "0:6:0:0"},
		{"stalled-cycles-frontend", "0:7:0:0"},
		{"idle-cycles-frontend", "0:7:0:0"},
		{"idle-cycles-backend", "0:8:0:0"},
		{"ref-cycles", "0:9:0:0"},
		{"cpu-clock", "1:0:0:0"},
		{"task-clock", "1:1:0:0"},
		{"page-faults", "1:2:0:0"},
		{"faults", "1:2:0:0"},
		{"context-switches", "1:3:0:0"},
		{"cs", "1:3:0:0"},
		{"migrations", "1:4:0:0"},
		{"minor-faults", "1:5:0:0"},
		{"major-faults", "1:6:0:0"},
		{"alignment-faults", "1:7:0:0"},
		{"emulation-faults", "1:8:0:0"},
		{"L1-dcache-loads", "3:0:0:0"},
		{"L1-dcache-load-misses", "3:10000:0:0"},
		{"l1d-store-miss", "3:10100:0:0"},
		{"L1-dcache-misses", "3:10000:0:0"},
		{"L1-dcache-prefetches", "3:200:0:0"},
		{"L1-icache-load-misses", "3:10001:0:0"},
		{"LLC-loads", "3:2:0:0"},
		{"LLC-store-misses", "3:10102:0:0"},
		{"dTLB-load-misses", "3:10003:0:0"},
		{"dtlb-misses-load", "3:10003:0:0"},
		{"iTLB-loads", "3:4:0:0"},
		{"branch-loads", "3:5:0:0"},
		{"branch-load-misses", "3:10005:0:0"},
		{"node-prefetch-misses", "3:10206:0:0"},
		{"cycles:u", "0:0:0:0:u"},
		{"cycles:uk", "0:0:0:0"},
		{"L1-dcache-loads:u", "3:0:0:0:u"},
	};
	struct perf_pmus pmus;
	struct fixture f;

	build_tree(&f, &pmus, nothing);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_found(&pmus, cases[i].text, cases[i].event);
	dismiss_tree(&f, &pmus);
}

TEST(names_that_only_look_generic_are_refused)
{
	static const char *const cases[] = {
		"cycle",
		"cycles-",
		"LLC",
		"L1-dcache",
		"L1-dcache-",
		"iTLB-stores",
		"L1-icache-stores",
		"LLC-loads-loads",
		"LLC-misses-misses",
		"branch-stores",
		"L1-dcacheloads",
		"dTLB-load-hits",
		"L1",
		"-loads",
	};
	struct perf_pmus pmus;
	struct fixture f;

	build_tree(&f, &pmus, nothing);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_refused(&pmus, cases[i], "no such event here: try");
	dismiss_tree(&f, &pmus);
}

TEST(an_arm_cpu_counts_by_number_parameter_and_mnemonic)
{
	static const struct {
		const char *text, *event;
	} cases[] = {
		{"r12", "8:12:0:0"},
		{"r1B:u", "8:1b:0:0:u"},
		{"rffff", "8:ffff:0:0"},
		{"br_pred", "8:12:0:0"},
		{"BR_PRED", "8:12:0:0"},
		{"Br_Pred:u", "8:12:0:0:u"},
		{"BR_IMMED_SPEC", "8:78:0:0"},
		{"br_immed_spec:u", "8:78:0:0:u"},
		{"armv8_cortex_a72/br_pred/", "8:12:0:0"},
		{"armv8_cortex_a72/br_pred/u", "8:12:0:0:u"},
		{"armv8_cortex_a72/br_pred/:u", "8:12:0:0:u"},
		{"armv8_cortex_a72/event=0x17,long=1/", "8:17:1:0"},
		{"armv8_cortex_a72/event=23, long/", "8:17:1:0"},
		{"armv8_cortex_a72/br_pred,event=0x10/", "8:10:0:0"},
		{"armv8_cortex_a72/config=0x8,config1=0x3,config2=5/", "8:8:3:5"},
	};
	struct perf_pmus pmus;
	struct fixture f;

	build_tree(&f, &pmus, a72);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_found(&pmus, cases[i].text, cases[i].event);
	dismiss_tree(&f, &pmus);
}

TEST(every_kind_of_core_that_has_the_event_gets_its_number)
{
	static const struct {
		const struct perf_name_file *machine;
		const char *text, *events;
	} cases[] = {
		{rk3588, "r11", "8:11:0:0 9:11:0:0"},
		{rk3588, "L1D_CACHE", "8:4:0:0 9:4:0:0"},
		{rk3588, "stall_frontend", "8:23:0:0"},
		{rk3588, "mem_access:u", "9:13:0:0:u"},
		{rk3588, "arm_dsu_0/cycles/", "10:11:0:0"},
		{hybrid, "r81", "10:81:0:0 4:81:0:0"},
		{hybrid, "topdown-bad-spec", "10:73:0:0 4:8100:0:0"},
		{hybrid, "mem-loads", "4:1cd:3:0"},
		{hybrid, "cpu_core/event=0x3c,umask=0x2,cmask=0x10,inv/", "4:1080023c:0:0"},
		{hybrid, "cpu_core/mem-loads,ldlat=30/", "4:1cd:1e:0"},
		{hybrid, "cpu_atom/event=0x2e,umask=0x41/u", "10:412e:0:0:u"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct perf_pmus pmus;
		struct fixture f;

		build_tree(&f, &pmus, cases[i].machine);
		assert_found(&pmus, cases[i].text, cases[i].events);
		dismiss_tree(&f, &pmus);
	}
}

TEST(the_part_number_tells_the_core_where_the_pmu_does_not)
{
	static const struct perf_name_file generic[] = {
		{"armv8_pmuv3/type", "8\n"}, {"armv8_pmuv3/cpus", "0\n"}, {NULL, NULL}};
	struct perf_pmus pmus;
	struct perf_name name;
	struct cpus cpus;
	struct fixture f;

	build_tree(&f, &pmus, generic);
	assert_refused(&pmus, "BR_IMMED_SPEC", "no such event here");
	fixture_write(&f, "sys/devices/system/cpu/present", "0\n");
	fixture_write(&f, "sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "0x00000000410fd083\n");
	cpus_find(&cpus, &f.sys);
	assert_true(perf_name_find(&name, &pmus, &cpus, "BR_IMMED_SPEC", NULL));
	assert_true(name.events[0].event.type == 8 && name.events[0].event.config == 0x78);
	assert_false(perf_name_find(&name, &pmus, &cpus, "LL_CACHE_RD", NULL)); /* which the A72 has not */
	cpus_fini(&cpus);
	dismiss_tree(&f, &pmus);
}

TEST(a_machine_without_pmus_still_takes_raw_numbers)
{
	struct perf_pmus pmus;
	struct fixture f;

	build_tree(&f, &pmus, nothing);
	assert_int_equal(pmus.n, 0);
	assert_found(&pmus, "r12", "4:12:0:0");
	dismiss_tree(&f, &pmus);
}

TEST(pmus_know_their_cpus)
{
	static const struct {
		const struct perf_name_file *machine;
		const char *name;
		bool core;
		unsigned has, has_not;
	} cases[] = {
		{rk3588, "armv8_cortex_a76", true, 7, 3},
		{rk3588, "arm_dsu_0", false, 0, 1},
		{hybrid, "cpu_atom", true, 12, 11},
		{hostile, "cpu", true, 0, CPU_NUMBER_MAX},
		{a72, "software", false, 4095, CPU_NUMBER_MAX},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct perf_pmu *pmu;
		struct perf_pmus pmus;
		struct fixture f;

		build_tree(&f, &pmus, cases[i].machine);
		pmu = perf_pmus_get(&pmus, span_of(cases[i].name));
		assert_non_null(pmu);
		assert_int_equal(pmu->core, cases[i].core);
		assert_true(cpu_set_has(&pmu->cpus, cases[i].has));
		assert_false(cpu_set_has(&pmu->cpus, cases[i].has_not));
		dismiss_tree(&f, &pmus);
	}
}

TEST(refusals_say_what_was_not_understood_and_what_to_try)
{
	static const struct {
		const struct perf_name_file *machine;
		const char *text, *says;
	} cases[] = {
		{a72, "nonsense", "nonsense: no such event here: try"},
		{a72, "nonsense", "r1b, 0x1b or PMU/event=0x1b/ (PMUs of CPUs here: armv8_cortex_a72)"},
		{nothing, "br_pred", "(PMUs of CPUs here: none, as in most virtual machines)"},
		{a72, "", "no such event"},
		{a72, ":u", "no such event"},
		{a72, "r", "no such event"},
		{a72, "r10000000000000000", "no such event"},
		{a72, "rxyz", "no such event"},
		{a72, "cycles:p", "the modifiers are :u, :k and :force"},
		{a72, "../../../etc/passwd", "../../../etc/passwd: "},
		{a72, "\033[31mred", "?[31mred: no such event"},
		{a72, "cpu/event=1/", "cpu/event=1/: no PMU of that name: try armv8_cortex_a72, software"},
		{a72, "armv8_cortex_a72/event=1", "two slashes: try PMU/event=0x1b/"},
		{a72, "armv8_cortex_a72/", "two slashes"},
		{a72, "/event=1/", "no PMU of that name"},
		{a72, "rffffffffffffffff",
		 "rffffffffffffffff: 0xffffffffffffffff has bits that armv8_cortex_a72 does not use"},
		{a72, "armv8_cortex_a72/event=0x10000/", "event: 0x10000 is too big: it has 16 bits"},
		{a72, "armv8_cortex_a72/umask=1/",
		 "has no parameter or event \"umask\": try event, long, config, config1, config2"},
		{a72, "armv8_cortex_a72/nonsense/", "has no parameter or event \"nonsense\""},
		{a72, "armv8_cortex_a72/../armv8_cortex_a72/type/", "no parameter or event"},
		{a72, "armv8_cortex_a72/event=-1/", "\"event=-1\": expected a decimal or 0x number"},
		{a72, "armv8_cortex_a72/event=/", "a decimal or 0x number"},
		{a72, "armv8_cortex_a72/event=18446744073709551616/", "a decimal or 0x number"},
		{a72, "armv8_cortex_a72/\033=1/", "no parameter or event \"?\""},
		{rk3588, "scu_snoop", "(PMUs of CPUs here: armv8_cortex_a55, armv8_cortex_a76)"},
		{hostile, "big", "cpu/events/big: event: 0x100 is too big"},
		{hostile, "empty", "cpu/events/empty: it is empty"},
		{hostile, "junk", "cpu/events/junk: "},
		{hostile, "mark", "\"event=?\": expected a decimal or 0x number"},
		{hostile, "nested", "no parameter or event \"nested\""},
		{hostile, "oddly", "odd: unknown format in sysfs: \"config:9-1000\""},
		{hostile, "cpu/big/", "cpu/events/big: event: 0x100 is too big"},
		{hostile, "huge/event=1/", "no PMU of that name: try cpu"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct perf_pmus pmus;
		struct fixture f;

		build_tree(&f, &pmus, cases[i].machine);
		assert_refused(&pmus, cases[i].text, cases[i].says);
		dismiss_tree(&f, &pmus);
	}
}

TEST(only_pmus_that_can_be_opened_are_there)
{
	struct perf_pmus pmus;
	struct fixture f;

	build_tree(&f, &pmus, hostile);
	assert_int_equal(pmus.n, 1);
	assert_string_equal(pmus.pmus[0].name, "cpu");
	dismiss_tree(&f, &pmus);
}

TEST(text_that_is_too_long_is_refused_and_shown_in_part)
{
	char name[8192], event[8192];
	struct perf_pmus pmus;
	struct fixture f;

	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	memset(event, '1', sizeof(event) - 1);
	memcpy(event, "event=0x", 8);
	event[sizeof(event) - 1] = 0;
	build_tree(&f, &pmus, a72);
	assert_refused(&pmus, name, "aaaa: no such event here");
	fixture_write(&f, DEVICES "armv8_cortex_a72/events/long_one", event);
	assert_refused(&pmus, "long_one", "no such event here");
	memcpy(name, "armv8_cortex_a72/", 17);
	strcpy(name + 200, "/");
	assert_refused(&pmus, name, "has no parameter or event");
	dismiss_tree(&f, &pmus);
}

TEST(an_event_that_cannot_be_read_is_none)
{
	struct perf_pmus pmus;
	struct fixture f;

	build_tree(&f, &pmus, a72);
	f.broken = "events/own_event";
	f.broken_errno = EACCES;
	assert_refused(&pmus, "own_event", "no such event here");
	assert_found(&pmus, "cpu_cycles", "8:11:0:0");
	dismiss_tree(&f, &pmus);
}
