#include "backends/proc/proc.h"

#include "base/alloc.h"
#include "base/real.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Parts of types of thermal zones that measure a voltage, a current, a charge or a step. */
static const char *const no_temperatures[] = {"ibat", "vbat", "-lvl", "bcl", "-step", "vph"};
/* The zones that best explain a late frame. */
static const char *const important_zones[] = {"cpu",  "gpu", "soc", "pkg",    "package", "core", "cluster",
					      "mali", "g3d", "big", "little", "mid",     "skin", "ddr"};

static bool has_part(const char *type, const char *const *parts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcasestr(type, parts[i]))
			return true;
	return false;
}

bool proc_level_zone_wanted(const char *type, bool *important)
{
	*important = has_part(type, important_zones, ARRAY_LEN(important_zones));
	/* These two are states of charge. */
	return strcasecmp(type, "soc") != 0 && strcasecmp(type, "battery-soc") != 0 &&
	       !has_part(type, no_temperatures, ARRAY_LEN(no_temperatures));
}

bool proc_level_slows(const char *type)
{
	return strstr(type, "devfreq") || strstr(type, "cpufreq") || strstr(type, "cpuidle") ||
	       strcmp(type, "Processor") == 0;
}

/* Read the type of a device of class thermal, if its name begins so. */
static bool read_type(const struct sys *sys, const char *name, const char *begin, char type[PROC_TEXT])
{
	char path[SYSFS_PATH];

	snprintf(path, sizeof(path), "sys/class/thermal/%.64s/type", name);
	if (strncmp(name, begin, strlen(begin)) != 0 || sys_read_file(sys, path, type, PROC_TEXT) < 0)
		return false;
	type[strcspn(type, "\n")] = 0;
	return true;
}

/* The important zones come first, because there may be too many. */
static void open_thermal(struct proc *p, const struct sys *sys)
{
	char **names, type[PROC_TEXT];
	int n = sys->list(sys, "sys/class/thermal", &names);
	bool important;

	for (int i = 0; i < 2 * n && p->n_zones < PROC_ZONES_MAX; i++)
		if (read_type(sys, names[i % n], "thermal_zone", type) &&
		    proc_level_zone_wanted(type, &important) && important == (i < n))
			sysfs_file_init(&p->zones[p->n_zones++], true, "sys/class/thermal/%.64s/temp",
					names[i % n]);
	for (int i = 0; i < n && p->n_coolers < PROC_COOLERS_MAX; i++)
		if (read_type(sys, names[i], "cooling_device", type) && proc_level_slows(type))
			sysfs_file_init(&p->coolers[p->n_coolers++], true,
					"sys/class/thermal/%.64s/cur_state", names[i]);
	sys_names_free(names, n);
}

static void open_files(struct proc *p, const struct sys *sys)
{
	static const char *const paths[FILE_GPU_CLOCK] = {
		[FILE_LOAD] = "proc/loadavg",
		[FILE_MEMORY] = "proc/meminfo",
		[FILE_PRESSURE_CPU] = "proc/pressure/cpu", /* kernels without CONFIG_PSI have none */
		[FILE_PRESSURE_MEMORY] = "proc/pressure/memory",
		[FILE_PRESSURE_STORAGE] = "proc/pressure/io",
		[FILE_FIRMWARE] = "sys/devices/platform/soc/soc:firmware/get_throttled",
	};
	char dir[SYSFS_DIR], text[PROC_TEXT];
	bool found = sysfs_find_gpu(sys, "sys/class/misc/mali0/device", true, dir);

	for (unsigned i = 0; i < ARRAY_LEN(paths); i++)
		sysfs_file_init(&p->files[i], true, "%s",
				i <= FILE_MEMORY || sys_read_file(sys, paths[i], text, sizeof(text)) > 0
					? paths[i]
					: "");
	sysfs_file_init(&p->files[FILE_GPU_CLOCK], true, "%s%s", found ? dir : "", found ? "/cur_freq" : "");
	sysfs_file_init(&p->files[FILE_GPU_POWER], true, "%s%s", found ? dir : "",
			found ? "/device/power/runtime_status" : "");
}

static void open_clocks(struct proc *p)
{
	const struct cpus *cpus = &p->topology;

	p->clocks = xcalloc(cpus->n_policies, sizeof(*p->clocks));
	for (unsigned i = 0; i < cpus->n_policies; i++) {
		p->clocks[i].khz = p->clocks[i].limit_khz = SAMPLE_UNKNOWN;
		sysfs_file_init(&p->clocks[i].file, i < PROC_POLICIES_OPEN, "%s/scaling_cur_freq",
				cpus->policies[i].dir);
		sysfs_file_init(&p->clocks[i].limit, i < PROC_POLICIES_OPEN, "%s/scaling_max_freq",
				cpus->policies[i].dir);
	}
}

void proc_level_open(struct proc *p, const struct sys *sys)
{
	open_files(p, sys);
	open_thermal(p, sys);
	open_clocks(p);
	for (unsigned i = 0; i < PROC_LEVELS; i++)
		p->level[i] = SAMPLE_UNKNOWN;
}

void proc_level_close(struct proc *p, const struct sys *sys)
{
	for (unsigned i = 0; i < PROC_FILES; i++)
		sysfs_file_close(sys, &p->files[i]);
	for (unsigned i = 0; i < p->n_zones; i++)
		sysfs_file_close(sys, &p->zones[i]);
	for (unsigned i = 0; i < p->n_coolers; i++)
		sysfs_file_close(sys, &p->coolers[i]);
	for (unsigned i = 0; i < p->topology.n_policies; i++) {
		sysfs_file_close(sys, &p->clocks[i].file);
		sysfs_file_close(sys, &p->clocks[i].limit);
	}
	free(take_ptr(&p->clocks));
}

void proc_level_parse_load(uint64_t load[3], const char *text)
{
	struct span rest = span_of(text);

	for (unsigned i = 0; i < 3; i++) {
		double v;

		load[i] = SAMPLE_UNKNOWN;
		if (span_double(span_word(&rest), &v) && v >= 0 && v < 1e7)
			load[i] = (uint64_t)real_round(v * 100);
	}
}

/* "some avg10=0.52 avg60=0.40 avg300=0.11 total=81234", then perhaps "full ..." */
uint64_t proc_level_parse_pressure(const char *text)
{
	static const char key[] = "avg10=";
	struct span rest = span_of(text), number;
	double v;

	if (!span_is(span_word(&rest), "some"))
		return SAMPLE_UNKNOWN;
	number = span_word(&rest);
	if (number.n < sizeof(key) || memcmp(number.p, key, sizeof(key) - 1) != 0)
		return SAMPLE_UNKNOWN;
	number.p += sizeof(key) - 1;
	number.n -= sizeof(key) - 1;
	return span_double(number, &v) && v >= 0 && v <= 100 ? (uint64_t)real_round(v * 100) : SAMPLE_UNKNOWN;
}

void proc_level_parse_memory(uint64_t *total, uint64_t *available, const char *text)
{
	const struct {
		const char *name;
		uint64_t *value;
	} wanted[] = {{"MemTotal:", total}, {"MemAvailable:", available}};
	struct span rest = span_of(text);

	*total = *available = SAMPLE_UNKNOWN;
	while (memchr(rest.p, '\n', rest.n)) {
		struct span line = span_until(&rest, '\n'), name = span_word(&line),
			    number = span_word(&line);
		uint64_t v;

		for (size_t i = 0; i < ARRAY_LEN(wanted); i++)
			if (span_is(name, wanted[i].name) && span_u64(number, &v) && v < (uint64_t)1 << 50)
				*wanted[i].value = v;
	}
	/* Truncated text, or a container that mixes its own limit with the host's. */
	if (*total != SAMPLE_UNKNOWN && *available != SAMPLE_UNKNOWN && *available > *total)
		*available = SAMPLE_UNKNOWN;
}

static uint64_t read_number(const struct sys *sys, struct sysfs_file *file, uint64_t most)
{
	char text[PROC_TEXT];
	uint64_t v;

	if (sysfs_file_read(sys, file, text, sizeof(text)) <= 0 || !span_u64(span_trim(span_of(text)), &v) ||
	    !v || v > most)
		return SAMPLE_UNKNOWN;
	return v;
}

static uint64_t read_hottest(struct proc *p, const struct sys *sys)
{
	int64_t hottest = INT64_MIN, v;
	char text[PROC_TEXT];

	for (unsigned i = 0; i < p->n_zones; i++)
		if (sysfs_file_read(sys, &p->zones[i], text, sizeof(text)) > 0 &&
		    sysfs_temperature(&v, text) && v > hottest)
			hottest = v;
	if (hottest == INT64_MIN)
		return SAMPLE_UNKNOWN;
	return hottest == -1 ? (uint64_t)-2 : (uint64_t)hottest; /* -1 means unknown */
}

/* Bits of get_throttled, a hexadecimal number (else SAMPLE_UNKNOWN): low voltage, a cap, throttling
 * and the soft limit of heat, now; those from 16 on are about the past. */
static uint64_t parse_firmware(const char *text)
{
	unsigned long long bits;
	uint64_t n = 0;
	char *end;

	errno = 0;
	bits = strtoull(text, &end, 16);
	if (end == text || errno || (*end && *end != '\n'))
		return SAMPLE_UNKNOWN;
	for (unsigned i = 0; i < 4; i++)
		n += bits >> i & 1;
	return n;
}

/* How many things hold clocks down. */
static uint64_t read_brakes(struct proc *p, const struct sys *sys)
{
	uint64_t n = SAMPLE_UNKNOWN;
	char text[PROC_TEXT];

	if (sysfs_file_read(sys, &p->files[FILE_FIRMWARE], text, sizeof(text)) > 0)
		n = parse_firmware(text);
	for (unsigned i = 0; i < p->n_coolers; i++) {
		uint64_t state;

		if (sysfs_file_read(sys, &p->coolers[i], text, sizeof(text)) > 0 &&
		    span_u64(span_trim(span_of(text)), &state))
			n = (n == SAMPLE_UNKNOWN ? 0 : n) + (state > 0);
	}
	return n;
}

/* The driver keeps reporting the last clock of a GPU that is off. */
static uint64_t read_gpu_clock(struct proc *p, const struct sys *sys)
{
	char text[PROC_TEXT];

	if (sysfs_file_read(sys, &p->files[FILE_GPU_POWER], text, sizeof(text)) > 0 &&
	    strncmp(text, "suspended", 9) == 0)
		return SAMPLE_UNKNOWN;
	return read_number(sys, &p->files[FILE_GPU_CLOCK], 100000000000);
}

void proc_level_read(struct proc *p, const struct sys *sys)
{
	char text[4096];

	sysfs_file_read(sys, &p->files[FILE_LOAD], text, sizeof(text));
	proc_level_parse_load(&p->level[LEVEL_LOAD_1], text);
	sysfs_file_read(sys, &p->files[FILE_MEMORY], text, sizeof(text));
	proc_level_parse_memory(&p->level[LEVEL_MEMORY_TOTAL], &p->level[LEVEL_MEMORY_AVAILABLE], text);
	p->level[LEVEL_TEMPERATURE] = read_hottest(p, sys);
	p->level[LEVEL_GPU_CLOCK] = read_gpu_clock(p, sys);
	p->level[LEVEL_BRAKES] = read_brakes(p, sys);
	for (unsigned i = 0; i < 3; i++)
		p->level[LEVEL_PRESSURE_CPU + i] =
			sysfs_file_read(sys, &p->files[FILE_PRESSURE_CPU + i], text, sizeof(text)) > 0
				? proc_level_parse_pressure(text)
				: SAMPLE_UNKNOWN;
	for (unsigned i = 0; i < p->topology.n_policies; i++) {
		p->clocks[i].khz = read_number(sys, &p->clocks[i].file, 100000000);
		p->clocks[i].limit_khz = read_number(sys, &p->clocks[i].limit, 100000000);
	}
}
