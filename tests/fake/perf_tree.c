/* What sysfs and procfs tell of a machine's CPUs and PMUs, as files. */
#include "tests/fake/perf_priv.h"

#include "base/alloc.h"

#include <errno.h>
#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CPU_DIR "sys/devices/system/cpu"

/* Directories are made. */
static void write_file(const char *dir, const char *path, const char *text)
{
	AUTOFREE char *there = xasprintf("%s/%s", dir, path);
	FILE *out;

	for (char *slash = there + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = 0;
		mkdir(there, 0755);
	}
	out = fopen(there, "we");
	if (!out || fputs(text, out) < 0 || fclose(out)) {
		fprintf(stderr, "%s: cannot be written: %s\n", there, strerror(errno));
		abort();
	}
}

__attribute__((format(printf, 3, 4))) static void write_line(const char *dir, const char *path,
							     const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text) - 1, fmt, ap);
	va_end(ap);
	strcat(text, "\n");
	write_file(dir, path, text);
}

/* "0-3,6" */
static void list_cpus(uint64_t cpus, char text[128])
{
	size_t n = 0;

	text[0] = 0;
	for (int i = 0; i < FAKE_CPUS; i++) {
		int last = i;

		if (!(cpus >> i & 1))
			continue;
		while (cpus >> (last + 1) & 1)
			last++;
		n += (size_t)snprintf(text + n, 128 - n, last > i ? "%s%d-%d" : "%s%d", n ? "," : "", i,
				      last);
		i = last;
	}
}

static uint64_t online_cpus(const struct fake_perf *f)
{
	uint64_t cpus = 0;

	for (int i = 0; i < FAKE_CPUS; i++)
		cpus |= (uint64_t)f->cpus[i].online << i;
	return cpus;
}

/* ---- PMUs ---- */

static const struct {
	enum fake_pmu_kind kind;
	const char *file, *text;
} pmu_files[] = {
	{FAKE_ARM, "format/event", "config:0-15"}, {FAKE_ARM, "format/long", "config1:0"},
	{FAKE_ARM, "format/rdpmc", "config1:1"},   {FAKE_X86, "format/event", "config:0-7"},
	{FAKE_X86, "format/umask", "config:8-15"}, {FAKE_X86, "format/edge", "config:18"},
	{FAKE_X86, "format/inv", "config:23"},     {FAKE_X86, "format/cmask", "config:24-31"},
	{FAKE_X86, "caps/max_precise", "3"},
};

static void write_pmu(const struct fake_perf *f, const struct fake_pmu *pmu, const char *dir)
{
	AUTOFREE char *base = xasprintf("%s/sys/bus/event_source/devices/%s", dir, pmu->name);
	AUTOFREE char *events = xasprintf("%s/events", base);
	char path[96], cpus[128];
	const char *name;
	uint64_t raw;

	write_line(base, "type", "%u", pmu->type);
	write_line(base, "perf_event_mux_interval_ms", "%lld", (long long)(f->mux_ns / 1000000));
	/* Arm's driver lists those that are offline, too. */
	list_cpus(pmu->kind == FAKE_ARM ? pmu->cpus : pmu->cpus & online_cpus(f), cpus);
	if (pmu->lists_cpus)
		write_line(base, "cpus", "%s", cpus);
	for (size_t i = 0; i < ARRAY_LEN(pmu_files); i++)
		if (pmu_files[i].kind == pmu->kind)
			write_line(base, pmu_files[i].file, "%s", pmu_files[i].text);
	if (pmu->kind == FAKE_ARM)
		write_line(base, "caps/slots", "0x%08x", pmu->core == FAKE_A710 ? 5 : 0);
	if (pmu->nameless || (pmu->kind != FAKE_ARM && pmu->kind != FAKE_X86))
		return;
	fake_perf_tree_remove(events); /* some may be filtered now */
	for (unsigned i = 0; (name = fake_perf_named(pmu, i, &raw)); i++) {
		snprintf(path, sizeof(path), "events/%s", name);
		if (pmu->kind == FAKE_ARM)
			write_line(base, path, "event=0x%04llx", (unsigned long long)raw);
		else
			write_line(base, path, raw >> 8 ? "event=0x%02llx,umask=0x%02llx" : "event=0x%02llx",
				   (unsigned long long)raw & 0xff, (unsigned long long)raw >> 8);
	}
}

/* ---- CPUs ---- */

static uint64_t midr(enum fake_core core)
{
	static const struct {
		enum fake_core core;
		uint32_t midr;
	} cores[] = {
		{FAKE_A53, 0x410fd034}, {FAKE_A55, 0x412fd050},  {FAKE_A72, 0x410fd083},
		{FAKE_A76, 0x414fd0b0}, {FAKE_A710, 0x412fd470},
	};

	for (size_t i = 0; i < ARRAY_LEN(cores); i++)
		if (cores[i].core == core)
			return cores[i].midr;
	return 0;
}

static void write_cpu(const struct fake_perf *f, int cpu, struct strbuf *cpuinfo, const char *dir)
{
	const struct fake_machine *m = f->machine;
	unsigned cluster = m->clusters[0].cpus >> cpu & 1 ? 0 : 1;
	AUTOFREE char *base = xasprintf("%s/" CPU_DIR "/cpu%d", dir, cpu);
	uint64_t id = midr(m->clusters[cluster].core);
	bool one_for_all = m->clusters[cluster].core & (FAKE_A55 | FAKE_A76); /* DynamIQ */
	char siblings[128];

	list_cpus((one_for_all ? ~0ull : m->clusters[cluster].cpus) & online_cpus(f), siblings);
	write_line(base, "online", "%d", f->cpus[cpu].online);
	if (!f->cpus[cpu].online)
		return;
	write_line(base, "topology/core_id", "%d", cpu);
	write_line(base, "topology/physical_package_id", "0");
	write_line(base, "topology/cluster_id", "%d", !id ? -1 : one_for_all ? 0 : (int)cluster);
	write_line(base, "topology/cluster_cpus_list", "%s", siblings);
	write_line(base, "topology/core_cpus_list", "%d", cpu);
	if (m->clusters[cluster].capacity)
		write_line(base, "cpu_capacity", "%u", m->clusters[cluster].capacity);
	if (id)
		write_line(base, "regs/identification/midr_el1", "0x%016llx", (unsigned long long)id);
	strbuf_printf(cpuinfo, "processor\t: %d\n", cpu);
	if (id)
		strbuf_printf(cpuinfo, "CPU implementer\t: 0x%02x\nCPU part\t: 0x%03x\n\n",
			      (unsigned)(id >> 24), (unsigned)(id >> 4 & 0xfff));
	else
		strbuf_str(cpuinfo, "vendor_id\t: GenuineIntel\nmodel name\t: Fake CPU\n\n");
}

static void write_stat(const struct fake_perf *f, const char *dir)
{
	AUTO_STRBUF struct strbuf all = {NULL, 0, 0};
	uint64_t online = online_cpus(f);
	unsigned n = (unsigned)__builtin_popcountll(online);

	strbuf_printf(&all, "cpu  %u 0 %u %u 0 0 0 0 0 0\n", 8000 * n, 2000 * n, 90000 * n);
	for (int i = 0; i < FAKE_CPUS; i++)
		if (online >> i & 1)
			strbuf_printf(&all, "cpu%d 8000 0 2000 90000 0 0 0 0 0 0\n", i);
	write_file(dir, "proc/stat", all.p);
}

void fake_perf_tree(const struct fake_perf *f, const char *dir)
{
	static const char *const whole[] = {CPU_DIR "/present", CPU_DIR "/possible"};
	AUTO_STRBUF struct strbuf cpuinfo = {NULL, 0, 0};
	char cpus[128];

	list_cpus((1ull << f->machine->n_cpus) - 1, cpus);
	for (size_t i = 0; i < ARRAY_LEN(whole); i++)
		write_line(dir, whole[i], "%s", cpus);
	list_cpus(online_cpus(f), cpus);
	write_line(dir, CPU_DIR "/online", "%s", cpus);
	for (int i = 0; i < (int)f->machine->n_cpus; i++)
		write_cpu(f, i, &cpuinfo, dir);
	write_file(dir, "proc/cpuinfo", cpuinfo.p ? cpuinfo.p : "");
	write_stat(f, dir);
	write_line(dir, "proc/sys/kernel/perf_event_paranoid", "%d", f->paranoid);
	write_line(dir, "proc/sys/kernel/perf_event_max_sample_rate", "%d", (int)f->max_sample_rate);
	for (unsigned i = 0; i < f->n_pmus; i++)
		write_pmu(f, &f->pmus[i], dir);
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *where)
{
	(void)st;
	(void)flag;
	(void)where;
	return remove(path);
}

void fake_perf_tree_remove(const char *dir)
{
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
