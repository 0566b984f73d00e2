/* proc: what the parts of the proc backend share. No other file includes this.
 *
 *  proc.c          the backend: slots, deadlines, the sample
 *  proc_level.c    states read at most once a second: clocks, load, memory, temperatures
 *  proc_power.c    energy by sensors of the kernel
 *  proc_flips.c    page flips of displays
 *  proc_traffic.c  bytes of disks and network interfaces
 *  proc_describe.c lines for doctor and the help screen
 *
 * `topology` is constant after open; any thread may read it. Everything else belongs to the sampler
 * thread.
 */
#ifndef MALITOP_PROC_H
#define MALITOP_PROC_H

#include "backends/backend.h"
#include "backends/cpu/cpu_ticks.h"
#include "backends/cpu/cpus.h"
#include "backends/cpu/tracepoint.h"

#define PROC_POLICIES_OPEN 64 /* cpufreq files kept open; further ones are not */
#define PROC_ZONES_MAX 32
#define PROC_COOLERS_MAX 16
#define PROC_BUSY_CPUS 16 /* with more CPUs the history of each is kept on request only */
#define PROC_TEXT 256     /* a file that holds one value */

/* ---- proc_power.c ---- */

/* The energy that parts of the machine take, from the kernel's power sensors: powercap zones, hwmon
 * chips (SCMI sensors among them) and the battery.
 *
 * A rail is one sensor. Rails of the same part are added up: a machine with four CPU rails has one
 * CPU power. The part follows from the name of the rail; rails whose name implies no part are
 * omitted. A rail that counts energy is exact; the power of another is taken to last since the
 * sample before. */
enum power_part { POWER_TOTAL, POWER_SOC, POWER_CPU, POWER_GPU, POWER_MEMORY, POWER_BATTERY, POWER_PARTS };

#define POWER_RAILS 32
#define POWER_NAME 64

struct power_rail {
	enum power_part part;
	/* Microjoules; microwatts; millivolts and milliamperes; of a battery, microwatts if it
	 * reports them, otherwise microvolts and microamperes. */
	enum { RAIL_ENERGY, RAIL_POWER, RAIL_MILLI, RAIL_BATTERY } kind;
	char name[POWER_NAME];  /* "ina3221 VDD_GPU", printable */
	struct sysfs_file file; /* energy or power */
	struct sysfs_file voltage, current, status;
	uint64_t range_uj; /* where energy wraps; 0: unknown */
	uint64_t last_uj;  /* SAMPLE_UNKNOWN before the first */
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
 * microjoules; SAMPLE_UNKNOWN if one of its rails is unknown, if a battery is charged, or if none
 * discharges. */
void power_read(struct power *power, const struct sys *sys, int64_t ns, uint64_t uj[POWER_PARTS]);
/* Forget what was counted: the machine was suspended. */
void power_forget(struct power *power);
/* The part that the name of a rail implies; POWER_PARTS: none. */
enum power_part power_part_of(const char *name);

/* ---- proc_traffic.c ---- */

/* The bytes that the machine's disks and network interfaces moved since the last reading. Each byte
 * counts once, so only devices of the best rank that the machine has are added up. sysfs decides:
 * a device has a `device` link, one on top of others has `lower_*` or `bridge`. Names decide only
 * for what sysfs does not list (in a sandbox) and for modems, whose drivers set no link. */
enum traffic_rank {
	TRAFFIC_NEVER,   /* loopback, partitions, and what lies on top of a listed device */
	TRAFFIC_STACKED, /* by its name on top of others: a tunnel counts if it is all there is */
	TRAFFIC_OTHER,   /* a name that implies nothing */
	TRAFFIC_NAMED,   /* by its name a device */
	TRAFFIC_PAIR,    /* its other end is in another namespace: the way out of a container */
	TRAFFIC_DEVICE
};

enum traffic_kind { TRAFFIC_DISK_READ, TRAFFIC_DISK_WRITTEN, TRAFFIC_RECEIVED, TRAFFIC_SENT, TRAFFIC_KINDS };

#define TRAFFIC_DEVICES 256
#define TRAFFIC_NAME 24

struct traffic_device {
	char name[TRAFFIC_NAME];
	enum traffic_rank rank;
	uint64_t in, out; /* sectors of 512 bytes, or bytes */
};

struct traffic_list {
	struct traffic_device devices[TRAFFIC_DEVICES];
	unsigned n;
};

struct traffic {
	struct sysfs_file files[2];   /* disks, interfaces */
	struct traffic_list lists[2]; /* as last read */
	struct traffic_list now;      /* as being read */
	bool found[2];                /* the machine has any that counts */
};

/* Find out which of the two this machine reports. */
void traffic_open(struct traffic *traffic, const struct sys *sys);
void traffic_close(struct traffic *traffic, const struct sys *sys);
/* Forget what was read: the next reading is the first. */
void traffic_forget(struct traffic *traffic);
/* Read both. moved gets sectors (of disks) and bytes (of interfaces) since the last call;
 * SAMPLE_UNKNOWN at the first, or if nothing is known of any device. */
void traffic_read(struct traffic *traffic, const struct sys *sys, uint64_t moved[TRAFFIC_KINDS]);
/* Parse /proc/diskstats, /proc/net/dev. Lines that are incomplete or malformed are left out. Ranks
 * are not set. */
void traffic_parse_disks(struct traffic_list *list, const char *text);
void traffic_parse_interfaces(struct traffic_list *list, const char *text);

/* ---- proc_flips.c ---- */

/* Page flips, counted by the kernel; CRTCs of several controllers are not distinguished. */
#define PROC_DISPLAYS 4
struct proc_flips {
	struct tracepoint_cpus displays[PROC_DISPLAYS];
	unsigned n;                     /* 0: they cannot be had */
	bool together;                  /* the only number is of all displays */
	uint64_t before[PROC_DISPLAYS]; /* at the last read */
};

/* Count from now on. Returns false if that cannot be had: nothing is open then. */
bool proc_flips_open(struct proc_flips *flips, const struct sys *sys, struct err *err);
void proc_flips_close(struct proc_flips *flips);
/* The `n` numbers since the last read; SAMPLE_UNKNOWN if they cannot be read. */
void proc_flips_read(struct proc_flips *f, uint64_t *flips);

/* ---- the source ---- */

/* Values of the machine, every cluster and every CPU. The ticks come first. */
enum proc_quantity { PROC_CLOCK = CPU_TICKS, PROC_CLOCK_TOP, PROC_CLOCK_LIMIT, PROC_ONLINE, PROC_QUANTITIES };

/* Values of the machine only. */
enum proc_level {
	LEVEL_LOAD_1,
	LEVEL_LOAD_5,
	LEVEL_LOAD_15,
	LEVEL_MEMORY_TOTAL,
	LEVEL_MEMORY_AVAILABLE,
	LEVEL_TEMPERATURE,
	LEVEL_GPU_CLOCK,
	LEVEL_BRAKES,
	LEVEL_PRESSURE_CPU,
	LEVEL_PRESSURE_MEMORY,
	LEVEL_PRESSURE_STORAGE,
	PROC_LEVELS
};

/* Files of one value each. */
enum proc_file {
	FILE_LOAD,
	FILE_MEMORY,
	FILE_PRESSURE_CPU,
	FILE_PRESSURE_MEMORY,
	FILE_PRESSURE_STORAGE,
	FILE_FIRMWARE, /* what holds the CPUs of a Raspberry Pi back */
	FILE_GPU_CLOCK,
	FILE_GPU_POWER,
	PROC_FILES
};

/* The clock of a policy, and the highest that it may have now. */
struct proc_clock {
	uint64_t khz, limit_khz; /* SAMPLE_UNKNOWN if unknown */
	struct sysfs_file file, limit;
};

struct proc {
	struct cpus topology;
	struct proc_clock *clocks; /* of topology.policies */

	struct cpu_ticks ticks;

	struct sysfs_file files[PROC_FILES], zones[PROC_ZONES_MAX];
	struct sysfs_file coolers[PROC_COOLERS_MAX]; /* what may hold clocks down */
	unsigned n_zones, n_coolers;
	uint64_t level[PROC_LEVELS];
	struct power power;
	uint64_t energy_uj[POWER_PARTS]; /* in the last interval */
	struct proc_flips flips;
	uint64_t flipped[PROC_DISPLAYS]; /* in the last interval */
	struct traffic traffic;
	uint64_t moved[TRAFFIC_KINDS]; /* likewise */

	/* Slots where these begin: */
	unsigned power_at, flips_at, traffic_at, clusters_at, busy_at, cpus_at;

	int64_t begin_ns; /* of the current interval */
	int64_t start_ns;
	int64_t due_ns, levels_due_ns;
	int64_t suspended_ns; /* CLOCK_BOOTTIME minus CLOCK_MONOTONIC */
};

void proc_level_open(struct proc *p, const struct sys *sys);
void proc_level_close(struct proc *p, const struct sys *sys);
void proc_level_read(struct proc *p, const struct sys *sys);
/* Load averages in hundredths, memory in KiB; SAMPLE_UNKNOWN if the text lacks the value. */
void proc_level_parse_load(uint64_t load[3], const char *text);
/* The share of the last 10 s in which at least one thread waited, in hundredths of a percent. */
uint64_t proc_level_parse_pressure(const char *text);
void proc_level_parse_memory(uint64_t *total, uint64_t *available, const char *text);
/* Whether a cooling device of this type holds a clock down. A fan cools too, but does not. */
bool proc_level_slows(const char *type);
/* Whether a thermal zone of this type measures a temperature, and an important one. */
bool proc_level_zone_wanted(const char *type, bool *important);

void proc_describe(const struct source *source, struct strbuf *text);

#endif
