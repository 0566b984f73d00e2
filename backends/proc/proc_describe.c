/* The ui thread calls this while the sampler reads, so it uses only the constant part of struct
 * proc and opens every file anew. */
#include "backends/proc/proc.h"

#include "base/alloc.h"
#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define ZONES_SHOWN 4
#define COOLING_SHOWN 4
#define NAME_MAX_SHOWN 32

/* Separate two parts of the footer line. */
static void separate_text(struct strbuf *text, size_t start)
{
	if (text->n > start)
		strbuf_str(text, "   ");
}

static void foot_load(const struct sys *sys, struct strbuf *text, size_t start)
{
	char file[PROC_TEXT];
	uint64_t load[3];

	sys_read_file(sys, "proc/loadavg", file, sizeof(file));
	proc_level_parse_load(load, file);
	if (load[0] == SAMPLE_UNKNOWN || load[1] == SAMPLE_UNKNOWN || load[2] == SAMPLE_UNKNOWN)
		return;
	separate_text(text, start);
	strbuf_printf(text, "load %.2f %.2f %.2f", (double)load[0] / 100, (double)load[1] / 100,
		      (double)load[2] / 100);
}

static void foot_memory(const struct sys *sys, struct strbuf *text, size_t start)
{
	const struct unit *bytes = unit_find(SPAN_LIT("bytes total"));
	char file[4096], used_text[UNITS_TEXT], total_text[UNITS_TEXT];
	uint64_t total, available;

	sys_read_file(sys, "proc/meminfo", file, sizeof(file));
	proc_level_parse_memory(&total, &available, file);
	if (total == SAMPLE_UNKNOWN || available == SAMPLE_UNKNOWN)
		return;
	unit_format(used_text, (double)(total - available) * 1024, bytes, false, true);
	unit_format(total_text, (double)total * 1024, bytes, false, true);
	separate_text(text, start);
	strbuf_printf(text, "memory %s of %s", used_text, total_text);
}

static bool read_line(const struct sys *sys, const char *dir, const char *name, char *line, size_t size)
{
	char path[SYSFS_PATH + 32], file[PROC_TEXT];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (sys_read_file(sys, path, file, sizeof(file)) <= 0)
		return false;
	file[strcspn(file, "\n")] = 0;
	str_printable(line, size, file);
	return line[0] != 0;
}

struct zone {
	int64_t millicelsius;
	char type[NAME_MAX_SHOWN];
};

/* Keep the hottest zones, sorted; of equal ones the first. */
static void keep_hottest(struct zone *zones, unsigned *n, const struct zone *zone)
{
	unsigned at = *n;

	while (at > 0 && zones[at - 1].millicelsius < zone->millicelsius)
		at--;
	if (at == ZONES_SHOWN)
		return;
	if (*n < ZONES_SHOWN)
		++*n;
	for (unsigned i = *n - 1; i > at; i--)
		zones[i] = zones[i - 1];
	zones[at] = *zone;
}

static void foot_zones(const struct proc *p, const struct sys *sys, struct strbuf *text, size_t start)
{
	struct zone zones[ZONES_SHOWN], zone;
	char dir[SYSFS_PATH], temp[PROC_TEXT];
	unsigned n = 0;

	for (unsigned i = 0; i < p->n_zones; i++) {
		snprintf(dir, sizeof(dir), "%.*s", (int)(strrchr(p->zones[i].path, '/') - p->zones[i].path),
			 p->zones[i].path);
		if (read_line(sys, dir, "temp", temp, sizeof(temp)) &&
		    sysfs_temperature(&zone.millicelsius, temp) &&
		    read_line(sys, dir, "type", zone.type, sizeof(zone.type)))
			keep_hottest(zones, &n, &zone);
	}
	for (unsigned i = 0; i < n; i++) {
		if (i == 0)
			separate_text(text, start);
		strbuf_printf(text, "%s%s %.1f C", i ? ", " : "", zones[i].type,
			      (double)zones[i].millicelsius / 1000);
	}
}

static void write_hertz(char out[UNITS_TEXT], uint64_t khz)
{
	unit_format(out, (double)khz * 1e3, unit_find(SPAN_LIT("hertz")), false, true);
}

static const char *label_of(const struct proc *p, unsigned policy)
{
	for (unsigned i = 0; i < p->topology.n; i++)
		if (p->topology.cpus[i].policy == (int)policy)
			return p->topology.clusters[p->topology.cpus[i].cluster].label;
	return "CPU";
}

/* The kernel lowers the limit of a policy for heat, and the user may lower it too; both hold the
 * clock down. Returns how many policies are capped. */
static unsigned foot_caps(const struct proc *p, const struct sys *sys, struct strbuf *text, size_t start)
{
	char now[UNITS_TEXT], top[UNITS_TEXT], path[SYSFS_PATH + 32];
	unsigned shown = 0;

	for (unsigned i = 0; i < p->topology.n_policies && shown < CPU_CLUSTERS_MAX; i++) {
		const struct cpu_policy *policy = &p->topology.policies[i];
		int64_t limit;

		snprintf(path, sizeof(path), "%s/scaling_max_freq", policy->dir);
		if (policy->top_khz == SAMPLE_UNKNOWN || !sys_read_i64(sys, path, &limit) || limit <= 0 ||
		    (uint64_t)limit >= policy->top_khz)
			continue;
		write_hertz(now, (uint64_t)limit);
		write_hertz(top, policy->top_khz);
		if (!shown++)
			separate_text(text, start);
		strbuf_printf(text, "%s%s %s of %s", shown == 1 ? "capped: " : ", ", label_of(p, i), now,
			      top);
	}
	return shown;
}

static void foot_cooling(const struct sys *sys, struct strbuf *text, size_t start, bool cpus_shown)
{
	char **names, dir[SYSFS_PATH], type[NAME_MAX_SHOWN], path[SYSFS_PATH + 32];
	int n = sys->list(sys, "sys/class/thermal", &names);
	unsigned shown = 0;

	for (int i = 0; i < n && shown < COOLING_SHOWN; i++) {
		int64_t state, most;

		if (strncmp(names[i], "cooling_device", 14) != 0)
			continue;
		snprintf(dir, sizeof(dir), "sys/class/thermal/%.64s", names[i]);
		if (!read_line(sys, dir, "type", type, sizeof(type)) || !proc_level_slows(type) ||
		    (cpus_shown && !strstr(type, "devfreq")))
			continue;
		snprintf(path, sizeof(path), "%s/cur_state", dir);
		if (!sys_read_i64(sys, path, &state) || state <= 0)
			continue;
		snprintf(path, sizeof(path), "%s/max_state", dir);
		if (!shown++)
			separate_text(text, start);
		strbuf_printf(text, "%s%s step %lld", shown == 1 ? "cooling: " : ", ", type,
			      (long long)state);
		if (sys_read_i64(sys, path, &most) && most >= state)
			strbuf_printf(text, " of %lld", (long long)most);
	}
	sys_names_free(names, n);
}

static void put_cluster(const struct proc *p, unsigned c, struct strbuf *text)
{
	const struct cpu_cluster *cluster = &p->topology.clusters[c];
	char top[UNITS_TEXT];

	strbuf_printf(text, "cluster%u: %s", c, cluster->label);
	if (cluster->n_cpus) {
		strbuf_printf(text, " x%u, %s ", cluster->n_cpus, cluster->n_cpus > 1 ? "CPUs" : "CPU");
		cpus_list(text, &p->topology, c);
	}
	if (cluster->top_khz != SAMPLE_UNKNOWN) {
		write_hertz(top, cluster->top_khz);
		strbuf_printf(text, ", up to %s", top);
	}
	if (cluster->capacity >= 0)
		strbuf_printf(text, ", capacity %lld", (long long)cluster->capacity);
	strbuf_str(text, "\n");
}

static void put_rails(const struct power *power, struct strbuf *text)
{
	static const char *const parts[] = {
		[POWER_TOTAL] = "total", [POWER_SOC] = "SoC",       [POWER_CPU] = "CPU",
		[POWER_GPU] = "GPU",     [POWER_MEMORY] = "memory", [POWER_BATTERY] = "battery"};

	for (unsigned i = 0; i < power->n; i++)
		strbuf_printf(text, "%s%s by %s", i ? ", " : "power: ", parts[power->rails[i].part],
			      power->rails[i].name);
	strbuf_str(text, power->n ? "\n" : "");
	if (power->denied[0])
		strbuf_printf(text, "missing: power of %s: only root may read it\n", power->denied);
}

/* Opened anew, because the sampler has its own. */
static void put_flips(const struct sys *sys, struct strbuf *text)
{
	struct proc_flips flips;
	const char *help;
	struct err err;

	if (proc_flips_open(&flips, sys, &err)) {
		strbuf_printf(text, "page flips: counted by drm:drm_vblank_event_delivered%s\n",
			      flips.together ? ", of all displays together" : "");
		proc_flips_close(&flips);
		return;
	}
	help = tracepoint_help(err.code);
	if (err.code != ENOENT)
		strbuf_printf(text, "missing: page flips of displays: %s%s%s\n", err.text, help ? ": " : "",
			      help ? help : "");
	else
		strbuf_str(text,
			   "missing: page flips of displays: no tracefs, or a kernel without displays\n");
}

static void put_missing(const struct proc *p, const struct sys *sys, struct strbuf *text)
{
	char file[16];

	errno = 0;
	if (sys_read_file(sys, "proc/stat", file, sizeof(file)) <= 0)
		strbuf_printf(
			text,
			"missing: CPU load: /proc/stat: %s; on Android use the adb shell instead of an app\n",
			errno ? strerror(errno) : "empty");
	if (!p->topology.n_policies)
		strbuf_str(text, "missing: CPU clocks: no cpufreq driver (usual in a virtual machine)\n");
	if (!p->n_zones)
		strbuf_str(text, "missing: temperatures: no thermal zones\n");
}

void proc_describe(const struct source *source, struct strbuf *text)
{
	const struct proc *p = source->priv;
	const struct sys *sys = source->sys;
	size_t start = text->n;

	foot_load(sys, text, start);
	foot_memory(sys, text, start);
	foot_zones(p, sys, text, start);
	foot_cooling(sys, text, start, foot_caps(p, sys, text, start) > 0);
	strbuf_str(text, "\n");
	for (unsigned c = 0; c < p->topology.n_clusters; c++)
		put_cluster(p, c, text);
	put_rails(&p->power, text);
	put_missing(p, sys, text);
	put_flips(sys, text);
}
