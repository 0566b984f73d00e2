#include "backends/proc/proc.h"

#include "base/alloc.h"
#include "base/real.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TEXT 32
#define CHIPS 64     /* hwmon chips and powercap zones that are looked at */
#define SENSORS 16   /* numbers of a chip: power1 to power16 */
#define MOST_UW 1e10 /* more than 10 kW is no reading */
#define PATH_TEXT 160

/* ---- names ---- */

/* Words in names of rails, lower case. A name with words of CPU and GPU is the rail of both. */
static const struct {
	const char *word;
	enum power_part part;
} words[] = {
	{"vdd_in", POWER_TOTAL}, {"total", POWER_TOTAL}, {"psys", POWER_TOTAL}, {"board", POWER_TOTAL},
	{"gpu", POWER_GPU},      {"mali", POWER_GPU},    {"g3d", POWER_GPU},    {"uncore", POWER_GPU},
	{"cpu", POWER_CPU},      {"big", POWER_CPU},     {"little", POWER_CPU}, {"core", POWER_CPU},
	{"ddr", POWER_MEMORY},   {"dram", POWER_MEMORY}, {"mem", POWER_MEMORY}, {"mif", POWER_MEMORY},
	{"soc", POWER_SOC},      {"package", POWER_SOC}, {"pkg", POWER_SOC},    {"apu", POWER_SOC},
};

enum power_part power_part_of(const char *name)
{
	enum power_part part = POWER_PARTS;

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (!strcasestr(name, words[i].word))
			continue;
		if (part == POWER_PARTS || part == POWER_TOTAL)
			part = part == POWER_PARTS ? words[i].part : part;
		else if (part == POWER_GPU && words[i].part == POWER_CPU && !strcasestr(name, "uncore"))
			part = POWER_SOC;
	}
	return part;
}

static bool read_name(const struct sys *sys, const char *dir, const char *file, char name[TEXT])
{
	char path[PATH_TEXT], text[TEXT];

	snprintf(path, sizeof(path), "%.100s/%.40s", dir, file);
	if (sys_read_file(sys, path, text, sizeof(text)) <= 0)
		return false;
	text[strcspn(text, "\n")] = 0;
	str_printable(name, TEXT, text);
	return true;
}

static struct power_rail *add_rail(struct power *power, enum power_part part, const char *chip,
				   const char *label)
{
	struct power_rail *rail;

	if (part == POWER_PARTS || power->n == POWER_RAILS)
		return NULL;
	rail = &power->rails[power->n++];
	*rail = (struct power_rail){.part = part, .last_uj = SAMPLE_UNKNOWN};
	snprintf(rail->name, sizeof(rail->name), "%.30s%s%.30s", chip, label[0] ? " " : "", label);
	sysfs_file_init(&rail->file, false, "%s", "");
	sysfs_file_init(&rail->voltage, false, "%s", "");
	sysfs_file_init(&rail->current, false, "%s", "");
	sysfs_file_init(&rail->status, false, "%s", "");
	power->parts |= 1u << part;
	return rail;
}

/* ---- powercap ---- */

static bool read_u64(const struct sys *sys, const char *path, uint64_t *value)
{
	char text[TEXT];

	return sys_read_file(sys, path, text, sizeof(text)) > 0 && span_u64(span_trim(span_of(text)), value);
}

/* The zones of intel-rapl-mmio are those of intel-rapl once more. */
static void add_zone(struct power *power, const struct sys *sys, const char *zone)
{
	char dir[PATH_TEXT], path[PATH_TEXT + TEXT], name[TEXT];
	struct power_rail *rail;
	uint64_t energy, range;

	snprintf(dir, sizeof(dir), "sys/class/powercap/%.64s", zone);
	if (strstr(zone, "mmio") || !read_name(sys, dir, "name", name))
		return;
	snprintf(path, sizeof(path), "%s/energy_uj", dir);
	if (!read_u64(sys, path, &energy)) {
		if (errno == EACCES && power_part_of(name) != POWER_PARTS)
			snprintf(power->denied, sizeof(power->denied), "%s", name);
		return;
	}
	rail = add_rail(power, power_part_of(name), "powercap", name);
	if (!rail)
		return;
	rail->kind = RAIL_ENERGY;
	sysfs_file_init(&rail->file, true, "%s", path);
	snprintf(path, sizeof(path), "%s/max_energy_range_uj", dir);
	rail->range_uj = read_u64(sys, path, &range) ? range : 0;
}

/* ---- hwmon ---- */

static bool has_file(const struct sys *sys, const char *dir, char *path, const char *kind, unsigned number,
		     const char *what)
{
	uint64_t value;

	snprintf(path, PATH_TEXT + TEXT, "%.100s/%.10s%u_%.10s", dir, kind, number, what);
	return read_u64(sys, path, &value);
}

/* The best that sensor `number` of a chip has: energy, power, or voltage and current. */
static void add_sensor(struct power *power, const struct sys *sys, const char *dir, const char *chip,
		       unsigned number)
{
	static const struct {
		const char *kind, *what;
		int rail;
	} ways[] = {{"energy", "input", RAIL_ENERGY},
		    {"power", "input", RAIL_POWER},
		    {"power", "average", RAIL_POWER},
		    {"in", "input", RAIL_MILLI}};
	char path[PATH_TEXT + TEXT], amperes[PATH_TEXT + TEXT], label[TEXT] = "", file[TEXT];
	struct power_rail *rail;

	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		if (!has_file(sys, dir, path, ways[i].kind, number, ways[i].what) ||
		    (ways[i].rail == RAIL_MILLI && !has_file(sys, dir, amperes, "curr", number, "input")))
			continue;
		snprintf(file, sizeof(file), "%s%u_label", ways[i].kind, number);
		read_name(sys, dir, file, label);
		rail = add_rail(power, power_part_of(label[0] ? label : chip), chip, label);
		if (!rail)
			return;
		rail->kind = (unsigned)ways[i].rail;
		sysfs_file_init(&rail->file, true, "%s", path);
		if (rail->kind == RAIL_MILLI) {
			rail->voltage = rail->file;
			sysfs_file_init(&rail->file, false, "%s", "");
			sysfs_file_init(&rail->current, true, "%s", amperes);
		}
		return;
	}
}

static void add_chip(struct power *power, const struct sys *sys, const char *chip)
{
	char dir[PATH_TEXT], name[TEXT];

	snprintf(dir, sizeof(dir), "sys/class/hwmon/%.64s", chip);
	if (!read_name(sys, dir, "name", name))
		return;
	for (unsigned i = 1; i <= SENSORS; i++)
		add_sensor(power, sys, dir, name, i);
}

/* ---- battery ---- */

/* A battery of the machine. One of scope Device feeds a mouse or a headset. */
static void add_battery(struct power *power, const struct sys *sys, const char *supply)
{
	char dir[PATH_TEXT], text[TEXT], name[TEXT];
	struct power_rail *rail;

	snprintf(dir, sizeof(dir), "sys/class/power_supply/%.64s", supply);
	if (!read_name(sys, dir, "type", text) || strcmp(text, "Battery") != 0 ||
	    (read_name(sys, dir, "scope", text) && strcmp(text, "Device") == 0))
		return;
	rail = add_rail(power, POWER_BATTERY, str_printable(name, sizeof(name), supply), "");
	if (!rail)
		return;
	rail->kind = RAIL_BATTERY;
	sysfs_file_init(&rail->file, true, "%s/power_now", dir);
	sysfs_file_init(&rail->voltage, true, "%s/voltage_now", dir);
	sysfs_file_init(&rail->current, true, "%s/current_now", dir);
	sysfs_file_init(&rail->status, true, "%s/status", dir);
}

/* ---- all ---- */

typedef void add_fn(struct power *power, const struct sys *sys, const char *name);

static void add_each(struct power *power, const struct sys *sys, const char *dir, add_fn *add)
{
	char **names;
	int n = sys->list(sys, dir, &names);

	for (int i = 0; i < n && i < CHIPS; i++)
		add(power, sys, names[i]);
	sys_names_free(names, n);
}

void power_open(struct power *power, const struct sys *sys)
{
	unsigned known, kept;

	*power = (struct power){0};
	add_each(power, sys, "sys/class/powercap", add_zone);
	known = power->parts;
	kept = power->n;
	add_each(power, sys, "sys/class/hwmon", add_chip);
	/* A part that powercap knows is not added a second time. */
	for (unsigned i = kept; i < power->n; i++)
		if (!(known >> power->rails[i].part & 1))
			power->rails[kept++] = power->rails[i];
	power->n = kept;
	add_each(power, sys, "sys/class/power_supply", add_battery);
}

void power_close(struct power *power, const struct sys *sys)
{
	for (unsigned i = 0; i < power->n; i++) {
		sysfs_file_close(sys, &power->rails[i].file);
		sysfs_file_close(sys, &power->rails[i].voltage);
		sysfs_file_close(sys, &power->rails[i].current);
		sysfs_file_close(sys, &power->rails[i].status);
	}
	power->n = 0;
}

void power_forget(struct power *power)
{
	for (unsigned i = 0; i < power->n; i++)
		power->rails[i].last_uj = SAMPLE_UNKNOWN;
}

static bool read_real(const struct sys *sys, struct sysfs_file *file, double *value)
{
	char text[TEXT];

	return sysfs_file_read(sys, file, text, sizeof(text)) > 0 &&
	       span_double(span_trim(span_of(text)), value);
}

/* Energy since the last reading. A counter that wraps without a known range loses an interval. */
static uint64_t read_energy(struct power_rail *rail, const struct sys *sys)
{
	uint64_t before = rail->last_uj, now;
	char text[TEXT];

	rail->last_uj = SAMPLE_UNKNOWN;
	if (sysfs_file_read(sys, &rail->file, text, sizeof(text)) <= 0 ||
	    !span_u64(span_trim(span_of(text)), &now))
		return SAMPLE_UNKNOWN;
	rail->last_uj = now;
	if (before == SAMPLE_UNKNOWN)
		return SAMPLE_UNKNOWN;
	if (now >= before)
		return now - before;
	return rail->range_uj >= before ? rail->range_uj - before + now : SAMPLE_UNKNOWN;
}

/* A battery shows the power of the machine only while it discharges. One that rests, or was taken
 * out, feeds nothing; what one that is charged takes is not what the machine takes. */
static bool battery_rests(struct power_rail *rail, const struct sys *sys, bool *discharges)
{
	char text[TEXT];
	bool read = sysfs_file_read(sys, &rail->status, text, sizeof(text)) > 0;

	*discharges = read && strncmp(text, "Discharging", 11) == 0;
	return read ? !*discharges && strncmp(text, "Charging", 8) != 0 : errno == ENODEV || errno == ENOENT;
}

static uint64_t read_rail(struct power_rail *rail, const struct sys *sys, int64_t ns)
{
	double microwatts, volts, amperes;

	if (rail->kind == RAIL_ENERGY)
		return read_energy(rail, sys);
	if (!rail->file.path[0] || !read_real(sys, &rail->file, &microwatts)) {
		if (!read_real(sys, &rail->voltage, &volts) || !read_real(sys, &rail->current, &amperes))
			return SAMPLE_UNKNOWN;
		microwatts = volts * amperes * (rail->kind == RAIL_BATTERY ? 1e-6 : 1);
	}
	microwatts = fabs(microwatts); /* signs differ */
	return microwatts < MOST_UW ? (uint64_t)real_round(microwatts * (double)ns * 1e-9) : SAMPLE_UNKNOWN;
}

void power_read(struct power *power, const struct sys *sys, int64_t ns, uint64_t uj[POWER_PARTS])
{
	bool unknown[POWER_PARTS] = {false}, measured[POWER_PARTS] = {false};

	for (unsigned i = 0; i < POWER_PARTS; i++)
		uj[i] = 0;
	for (unsigned i = 0; i < power->n; i++) {
		struct power_rail *rail = &power->rails[i];
		bool feeds = true;
		uint64_t energy;

		if (rail->kind == RAIL_BATTERY && battery_rests(rail, sys, &feeds))
			continue;
		energy = feeds ? read_rail(rail, sys, ns) : SAMPLE_UNKNOWN;
		measured[rail->part] = true;
		unknown[rail->part] |= energy == SAMPLE_UNKNOWN;
		uj[rail->part] += energy;
	}
	for (unsigned i = 0; i < POWER_PARTS; i++)
		if (unknown[i] || !measured[i])
			uj[i] = SAMPLE_UNKNOWN;
}
