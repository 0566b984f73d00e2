/* Energy and power by the kernel's sensors: powercap, hwmon, batteries. */
#include "tests/support/fixture.h"

#include "backends/backends.h"
#include "session/devices.h"
#include "backends/proc/proc.h"
#include "base/alloc.h"
#include "model/metric.h"
#include "tests/support/test.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S 1000000000ll

TEST(the_name_of_a_rail_tells_its_part)
{
	static const struct {
		const char *name;
		enum power_part part;
	} cases[] = {
		{"VDD_GPU", POWER_GPU},        {"PWR_GPU0", POWER_GPU},       {"VDD_CPU_BIG", POWER_CPU},
		{"little cluster", POWER_CPU}, {"VDD_CPU_GPU_CV", POWER_SOC}, {"package-0", POWER_SOC},
		{"uncore", POWER_GPU},         {"core", POWER_CPU},           {"dram", POWER_MEMORY},
		{"VDD_IN", POWER_TOTAL},       {"psys", POWER_TOTAL},         {"VDD_SOC", POWER_SOC},
		{"VDD_DDR", POWER_MEMORY},     {"fan1", POWER_PARTS},         {"", POWER_PARTS},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (power_part_of(cases[i].name) != cases[i].part)
			fail_msg("%s: %d", cases[i].name, (int)power_part_of(cases[i].name));
}

struct written {
	const char *path, *text;
};

/* Files, then those that changed after a second, and the energy of a part in that second. */
static const struct {
	const char *what;
	struct written files[8], later[4];
	enum power_part part;
	uint64_t uj;
} cases[] = {
	{"a zone of powercap",
	 {{"sys/class/powercap/intel-rapl:0/name", "package-0\n"},
	  {"sys/class/powercap/intel-rapl:0/energy_uj", "1000000\n"},
	  {"sys/class/powercap/intel-rapl:0/max_energy_range_uj", "262143328850\n"}},
	 {{"sys/class/powercap/intel-rapl:0/energy_uj", "6000000\n"}},
	 POWER_SOC,
	 5000000},
	{"a counter that wraps at its range",
	 {{"sys/class/powercap/intel-rapl:0/name", "dram\n"},
	  {"sys/class/powercap/intel-rapl:0/energy_uj", "262143000000\n"},
	  {"sys/class/powercap/intel-rapl:0/max_energy_range_uj", "262143328850\n"}},
	 {{"sys/class/powercap/intel-rapl:0/energy_uj", "1000000\n"}},
	 POWER_MEMORY,
	 1328850},
	{"a counter that wraps at an unknown number",
	 {{"sys/class/hwmon/hwmon0/name", "scmi_sensors\n"},
	  {"sys/class/hwmon/hwmon0/energy1_input", "5000\n"},
	  {"sys/class/hwmon/hwmon0/energy1_label", "GPU\n"}},
	 {{"sys/class/hwmon/hwmon0/energy1_input", "100\n"}},
	 POWER_GPU,
	 SAMPLE_UNKNOWN},
	{"powers of SCMI, two rails of the CPUs",
	 {{"sys/class/hwmon/hwmon3/name", "scmi_sensors\n"},
	  {"sys/class/hwmon/hwmon3/power1_input", "1500000\n"},
	  {"sys/class/hwmon/hwmon3/power1_label", "PWR_BIG\n"},
	  {"sys/class/hwmon/hwmon3/power2_input", "250000\n"},
	  {"sys/class/hwmon/hwmon3/power2_label", "PWR_LITTLE\n"}},
	 {{0}},
	 POWER_CPU,
	 1750000},
	{"a voltage and a current",
	 {{"sys/class/hwmon/hwmon1/name", "ina3221\n"},
	  {"sys/class/hwmon/hwmon1/in1_input", "5000\n"},
	  {"sys/class/hwmon/hwmon1/in1_label", "VDD_IN\n"},
	  {"sys/class/hwmon/hwmon1/curr1_input", "1200\n"}},
	 {{0}},
	 POWER_TOTAL,
	 6000000},
	{"a battery that discharges, with its vendor's sign",
	 {{"sys/class/power_supply/battery/type", "Battery\n"},
	  {"sys/class/power_supply/battery/status", "Discharging\n"},
	  {"sys/class/power_supply/battery/voltage_now", "4000000\n"},
	  {"sys/class/power_supply/battery/current_now", "-500000\n"}},
	 {{0}},
	 POWER_BATTERY,
	 2000000},
	{"a battery that is charged",
	 {{"sys/class/power_supply/BAT0/type", "Battery\n"},
	  {"sys/class/power_supply/BAT0/status", "Charging\n"},
	  {"sys/class/power_supply/BAT0/power_now", "9000000\n"}},
	 {{0}},
	 POWER_BATTERY,
	 SAMPLE_UNKNOWN},
	{"a battery beside that of a mouse, which says of which scope it is",
	 {{"sys/class/power_supply/BAT0/type", "Battery\n"},
	  {"sys/class/power_supply/BAT0/scope", "System\n"},
	  {"sys/class/power_supply/BAT0/status", "Discharging\n"},
	  {"sys/class/power_supply/BAT0/power_now", "5000000\n"},
	  {"sys/class/power_supply/hidpp_battery_0/type", "Battery\n"},
	  {"sys/class/power_supply/hidpp_battery_0/scope", "Device\n"},
	  {"sys/class/power_supply/hidpp_battery_0/status", "Discharging\n"},
	  {"sys/class/power_supply/hidpp_battery_0/voltage_now", "3900000\n"}},
	 {{0}},
	 POWER_BATTERY,
	 5000000},
	{"two batteries that discharge, one of which has no power but a current",
	 {{"sys/class/power_supply/BAT0/type", "Battery\n"},
	  {"sys/class/power_supply/BAT0/status", "Discharging\n"},
	  {"sys/class/power_supply/BAT0/power_now", "5000000\n"},
	  {"sys/class/power_supply/BAT1/type", "Battery\n"},
	  {"sys/class/power_supply/BAT1/status", "Discharging\n"},
	  {"sys/class/power_supply/BAT1/voltage_now", "8000000\n"},
	  {"sys/class/power_supply/BAT1/current_now", "250000\n"}},
	 {{0}},
	 POWER_BATTERY,
	 7000000},
	{"a second battery that rests",
	 {{"sys/class/power_supply/BAT0/type", "Battery\n"},
	  {"sys/class/power_supply/BAT0/status", "Discharging\n"},
	  {"sys/class/power_supply/BAT0/voltage_now", "8000000\n"},
	  {"sys/class/power_supply/BAT0/current_now", "500000\n"},
	  {"sys/class/power_supply/BAT1/type", "Battery\n"},
	  {"sys/class/power_supply/BAT1/status", "Not charging\n"}},
	 {{0}},
	 POWER_BATTERY,
	 4000000},
	{"batteries of which one discharges and one is charged: what the machine takes is unknown",
	 {{"sys/class/power_supply/BAT0/type", "Battery\n"},
	  {"sys/class/power_supply/BAT0/status", "Discharging\n"},
	  {"sys/class/power_supply/BAT0/power_now", "5000000\n"},
	  {"sys/class/power_supply/BAT1/type", "Battery\n"},
	  {"sys/class/power_supply/BAT1/status", "Charging\n"},
	  {"sys/class/power_supply/BAT1/power_now", "5000000\n"}},
	 {{0}},
	 POWER_BATTERY,
	 SAMPLE_UNKNOWN},
	{"batteries of which none discharges",
	 {{"sys/class/power_supply/BAT0/type", "Battery\n"},
	  {"sys/class/power_supply/BAT0/status", "Full\n"},
	  {"sys/class/power_supply/BAT0/power_now", "0\n"},
	  {"sys/class/power_supply/BAT1/type", "Battery\n"},
	  {"sys/class/power_supply/BAT1/status", "Not charging\n"}},
	 {{0}},
	 POWER_BATTERY,
	 SAMPLE_UNKNOWN},
	{"a sensor without sense",
	 {{"sys/class/hwmon/hwmon0/name", "ina226\n"},
	  {"sys/class/hwmon/hwmon0/power1_input", "99000000000000\n"},
	  {"sys/class/hwmon/hwmon0/power1_label", "VDD_GPU\n"}},
	 {{0}},
	 POWER_GPU,
	 SAMPLE_UNKNOWN},
};

TEST(each_kind_of_sensor_tells_the_energy_of_an_interval)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t uj[POWER_PARTS];
		struct power power;
		struct fixture f;

		fixture_init(&f, NULL);
		for (const struct written *file = cases[i].files; file->path; file++)
			fixture_write(&f, file->path, file->text);
		power_open(&power, &f.sys);
		assert_int_equal(power.parts, 1u << cases[i].part);
		power_read(&power, &f.sys, 0, uj);
		for (const struct written *file = cases[i].later; file->path; file++)
			fixture_write(&f, file->path, file->text);
		power_read(&power, &f.sys, S, uj);
		for (unsigned part = 0; part < POWER_PARTS; part++)
			if (uj[part] != (part == cases[i].part ? cases[i].uj : SAMPLE_UNKNOWN))
				fail_msg("%s: part %u: %llu", cases[i].what, part,
					 (unsigned long long)uj[part]);
		power_close(&power, &f.sys);
		fixture_fini(&f);
	}
}

TEST(a_part_is_measured_once_though_two_classes_know_it)
{
	struct power power;
	struct fixture f;

	fixture_init(&f, NULL);
	fixture_write(&f, "sys/class/powercap/intel-rapl:0/name", "package-0\n");
	fixture_write(&f, "sys/class/powercap/intel-rapl:0/energy_uj", "1\n");
	fixture_write(&f, "sys/class/powercap/intel-rapl-mmio:0/name", "package-0\n");
	fixture_write(&f, "sys/class/powercap/intel-rapl-mmio:0/energy_uj", "1\n");
	fixture_write(&f, "sys/class/hwmon/hwmon0/name", "soc_power\n");
	fixture_write(&f, "sys/class/hwmon/hwmon0/power1_input", "5\n");
	power_open(&power, &f.sys);
	assert_int_equal(power.n, 1);
	assert_string_equal(power.rails[0].name, "powercap package-0");
	power_close(&power, &f.sys);
	fixture_fini(&f);
}

TEST(a_battery_that_is_taken_out_leaves_the_watts_of_the_other)
{
	uint64_t uj[POWER_PARTS];
	struct power power;
	struct fixture f;

	fixture_init(&f, NULL);
	for (unsigned i = 0; i < 2; i++) {
		char path[64];

		snprintf(path, sizeof(path), "sys/class/power_supply/BAT%u/type", i);
		fixture_write(&f, path, "Battery\n");
		snprintf(path, sizeof(path), "sys/class/power_supply/BAT%u/status", i);
		fixture_write(&f, path, "Discharging\n");
		snprintf(path, sizeof(path), "sys/class/power_supply/BAT%u/power_now", i);
		fixture_write(&f, path, "3000000\n");
	}
	power_open(&power, &f.sys);
	power_read(&power, &f.sys, S, uj);
	assert_int_equal(uj[POWER_BATTERY], 6000000);
	f.broken = "BAT1/status";
	f.broken_errno = ENODEV;
	power_read(&power, &f.sys, S, uj);
	assert_int_equal(uj[POWER_BATTERY], 3000000);
	f.broken_errno = EIO; /* it may feed the machine */
	power_read(&power, &f.sys, S, uj);
	assert_true(uj[POWER_BATTERY] == SAMPLE_UNKNOWN);
	power_close(&power, &f.sys);
	fixture_fini(&f);
}

static double value_of(const struct metric_set *set, const struct sample *sample, const char *name)
{
	const struct metric *m = metric_find(set, span_of(name));
	struct column *c = column_new(set->n_slots);
	double *vector = xcalloc(set->n_vector, sizeof(*vector)), value;

	if (!m)
		fail_msg("no metric %s", name);
	column_from_sample(c, sample, set->slots, set->n_slots);
	metric_vector(set, c, vector);
	value = metric_value(m, vector);
	free(c);
	free(vector);
	return value;
}

/* The board: 5 W of the chip by its counter, 1.5 W of the GPU by its sensor; no battery. */
TEST(a_source_has_the_watts_of_the_parts_that_the_machine_measures)
{
	const struct source_options what = {.db = fixture_db(), .interval_ns = S};
	struct metric_set *set;
	struct sample *sample;
	struct source *source;
	struct fixture f;
	struct err err;

	fixture_init(&f, "rk3588");
	fixture_write(&f, "sys/class/powercap/arm-scmi:0/name", "soc\n");
	fixture_write(&f, "sys/class/powercap/arm-scmi:0/energy_uj", "1000000\n");
	fixture_write(&f, "sys/class/hwmon/hwmon0/name", "scmi_sensors\n");
	fixture_write(&f, "sys/class/hwmon/hwmon0/power1_input", "1500000\n");
	fixture_write(&f, "sys/class/hwmon/hwmon0/power1_label", "PWR_GPU\n");
	source = source_open(&f.sys, &backend_proc, &what, "", &err);
	assert_non_null(source);
	assert_true(source->backend->start(source, S, f.monotonic_ns, &err));
	fixture_write(&f, "sys/class/powercap/arm-scmi:0/energy_uj", "6000000\n");
	f.monotonic_ns += S;
	sample = xcalloc(1, sizeof(*sample) + source->n_slots * sizeof(sample->value[0]));
	sample->n_values = source->n_slots;
	assert_int_equal(source->backend->read(source, f.monotonic_ns, sample), READ_GOT);
	set = metric_set_new(
		what.db, &(struct metric_source){.slots = source->slots, .n_slots = source->n_slots}, &err);
	assert_non_null(set);
	assert_float_equal(value_of(set, sample, "PowerSoC"), 5, 1e-9);
	assert_float_equal(value_of(set, sample, "PowerGPU"), 1.5, 1e-9);
	assert_null(metric_find(set, SPAN_LIT("PowerBattery")));
	assert_false(isnan(value_of(set, sample, "TemperatureMax"))); /* what follows stays in its place */
	metric_set_free(set);
	free(sample);
	source->backend->close(source);
	source_free(source);
	fixture_fini(&f);
}

TEST(a_zone_that_only_root_may_read_is_named)
{
	struct power power;
	struct fixture f;

	fixture_init(&f, NULL);
	fixture_write(&f, "sys/class/powercap/intel-rapl:0/name", "package-0\n");
	fixture_write(&f, "sys/class/powercap/intel-rapl:0/energy_uj", "1\n");
	f.broken = "energy_uj";
	f.broken_errno = EACCES;
	power_open(&power, &f.sys);
	assert_int_equal(power.n, 0);
	assert_string_equal(power.denied, "package-0");
	power_close(&power, &f.sys);
	fixture_fini(&f);
}
