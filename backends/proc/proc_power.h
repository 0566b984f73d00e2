/* proc_power: the energy that parts of the machine take, from the kernel's power sensors: powercap
 * zones, hwmon chips (SCMI sensors among them) and the battery.
 *
 * A rail is one sensor. Rails of the same part are added up: a machine with four CPU rails has one
 * CPU power. The part follows from the name of the rail; rails whose name tells no part are left
 * out. A rail that counts energy is exact; the power of another is taken to last since the sample
 * before. Thread: one at a time.
 */
#ifndef MALITOP_PROC_POWER_H
#define MALITOP_PROC_POWER_H

#include "backends/sysfs.h"

enum power_part { POWER_TOTAL, POWER_SOC, POWER_CPU, POWER_GPU, POWER_MEMORY, POWER_BATTERY, POWER_PARTS };

#define POWER_RAILS 32
#define POWER_NAME 64

struct power_rail {
	enum power_part part;
	/* microjoules; microwatts; millivolts and milliamperes; microvolts and microamperes */
	enum { RAIL_ENERGY, RAIL_POWER, RAIL_MILLI, RAIL_MICRO } kind;
	char name[POWER_NAME];                   /* "ina3221 VDD_GPU", printable */
	struct sysfs_file file, current, status; /* current: with voltages; status: of a battery */
	uint64_t range_uj;                       /* where energy wraps; 0: unknown */
	uint64_t last_uj;                        /* SAMPLE_UNKNOWN before the first */
};

struct power {
	struct power_rail rails[POWER_RAILS];
	unsigned n;
	unsigned parts;          /* bit i: part i has a rail */
	char denied[POWER_NAME]; /* a zone that only root may read; "" if there is none */
};

void power_open(struct power *power, const struct sys *sys);
void power_close(struct power *power, const struct sys *sys);
/* Read all rails. uj gets the energy of each part since the last call, which was ns ago, in
 * microjoules; SAMPLE_UNKNOWN if one of its rails is unknown, or charges the battery. */
void power_read(struct power *power, const struct sys *sys, int64_t ns, uint64_t uj[POWER_PARTS]);
/* Forget what was counted: the machine was suspended. */
void power_forget(struct power *power);
/* The part that the name of a rail tells; POWER_PARTS: none. */
enum power_part power_part_of(const char *name);

#endif
