#include "backends/proc/proc.h"

#include "backends/backends.h"
#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PERIOD_MIN_NS 500000000 /* ticks are 10 ms long: a shorter period would be noise */
#define LEVELS_NS 1000000000
#define SUSPEND_NS 100000000 /* less may be a delay between reading two clocks */

static const struct slot quantities[] = {
	[TICK_USER] = {.name = "CPUTicksUser", .scale = 1},
	[TICK_NICE] = {.name = "CPUTicksNice", .scale = 1},
	[TICK_SYSTEM] = {.name = "CPUTicksSystem", .scale = 1},
	[TICK_IDLE] = {.name = "CPUTicksIdle", .scale = 1},
	[TICK_IOWAIT] = {.name = "CPUTicksIOWait", .scale = 1},
	[TICK_IRQ] = {.name = "CPUTicksIRQ", .scale = 1},
	[TICK_SOFTIRQ] = {.name = "CPUTicksSoftIRQ", .scale = 1},
	[TICK_STEAL] = {.name = "CPUTicksSteal", .scale = 1},
	[PROC_CLOCK] = {.name = "CPUClock", .kind = SLOT_LEVEL, .scale = 1e3},
	[PROC_CLOCK_TOP] = {.name = "CPUClockTop", .kind = SLOT_LEVEL, .scale = 1e3},
	[PROC_CLOCK_LIMIT] = {.name = "CPUClockLimit", .kind = SLOT_LEVEL, .scale = 1e3},
	[PROC_ONLINE] = {.name = "CPUOnline", .kind = SLOT_LEVEL, .scale = 1},
};
_Static_assert(ARRAY_LEN(quantities) == PROC_QUANTITIES, "a row per quantity");

static const struct slot levels[] = {
	[LEVEL_LOAD_1] = {.name = "LoadAverage1", .kind = SLOT_LEVEL, .scale = 0.01},
	[LEVEL_LOAD_5] = {.name = "LoadAverage5", .kind = SLOT_LEVEL, .scale = 0.01},
	[LEVEL_LOAD_15] = {.name = "LoadAverage15", .kind = SLOT_LEVEL, .scale = 0.01},
	[LEVEL_MEMORY_TOTAL] = {.name = "MemoryTotal", .kind = SLOT_LEVEL, .scale = 1024},
	[LEVEL_MEMORY_AVAILABLE] = {.name = "MemoryAvailable", .kind = SLOT_LEVEL, .scale = 1024},
	[LEVEL_TEMPERATURE] = {.name = "TemperatureMax", .kind = SLOT_LEVEL, .scale = 1e-3},
	[LEVEL_GPU_CLOCK] = {.name = "GPUDevfreqClock", .kind = SLOT_LEVEL, .scale = 1},
	[LEVEL_BRAKES] = {.name = "CPUBrakes", .kind = SLOT_LEVEL, .scale = 1},
	[LEVEL_PRESSURE_CPU] = {.name = "CPUPressure", .kind = SLOT_LEVEL, .scale = 0.01},
	[LEVEL_PRESSURE_MEMORY] = {.name = "MemoryPressure", .kind = SLOT_LEVEL, .scale = 0.01},
	[LEVEL_PRESSURE_STORAGE] = {.name = "StoragePressure", .kind = SLOT_LEVEL, .scale = 0.01},
};
_Static_assert(ARRAY_LEN(levels) == PROC_LEVELS, "a row per level");

/* Energy of a part, and the time in which it was known. */
static const struct slot powers[][2] = {
	[POWER_TOTAL] = {{.name = "EnergyTotal", .scale = 1e-6}, {.name = "EnergyTotalTime", .scale = 1e-9}},
	[POWER_SOC] = {{.name = "EnergySoC", .scale = 1e-6}, {.name = "EnergySoCTime", .scale = 1e-9}},
	[POWER_CPU] = {{.name = "EnergyCPU", .scale = 1e-6}, {.name = "EnergyCPUTime", .scale = 1e-9}},
	[POWER_GPU] = {{.name = "EnergyGPU", .scale = 1e-6}, {.name = "EnergyGPUTime", .scale = 1e-9}},
	[POWER_MEMORY] = {{.name = "EnergyMemory", .scale = 1e-6},
			  {.name = "EnergyMemoryTime", .scale = 1e-9}},
	[POWER_BATTERY] = {{.name = "EnergyBattery", .scale = 1e-6},
			   {.name = "EnergyBatteryTime", .scale = 1e-9}},
};
_Static_assert(ARRAY_LEN(powers) == POWER_PARTS, "a row per part");

/* Of each display, or of all together. */
static const char *const flip_names[PROC_DISPLAYS + 1] = {"Display0Flips", "Display1Flips", "Display2Flips",
							  "Display3Flips", "DisplayFlips"};

static const struct slot traffics[] = {
	[TRAFFIC_DISK_READ] = {.name = "DiskReadBytes", .scale = 512}, /* sectors */
	[TRAFFIC_DISK_WRITTEN] = {.name = "DiskWrittenBytes", .scale = 512},
	[TRAFFIC_RECEIVED] = {.name = "NetReceivedBytes", .scale = 1},
	[TRAFFIC_SENT] = {.name = "NetSentBytes", .scale = 1},
};
_Static_assert(ARRAY_LEN(traffics) == TRAFFIC_KINDS, "a row per kind");

static void add_quantities(struct source *source, enum instance_kind instance, unsigned number,
			   const char *title)
{
	for (unsigned q = 0; q < PROC_QUANTITIES; q++) {
		struct slot slot = quantities[q];

		slot.instance = instance;
		slot.number = (uint16_t)number;
		slot.title = title;
		source_add_slot(source, &slot);
	}
}

/* Slots of the machine, its levels, the powers and the traffic that it has, then of each cluster,
 * then how long each CPU was busy (first, the busiest), then all else of each CPU. The last group
 * is large, so a history may omit it. */
static void add_slots(struct source *source, struct proc *p)
{
	const struct cpus *cpus = &p->topology;

	add_quantities(source, INSTANCE_ALL, 0, NULL);
	for (unsigned i = 0; i < PROC_LEVELS; i++)
		source_add_slot(source, &levels[i]);
	p->power_at = source->n_slots;
	for (unsigned i = 0; i < 2 * POWER_PARTS; i++)
		if (p->power.parts >> i / 2 & 1)
			source_add_slot(source, &powers[i / 2][i % 2]);
	p->flips_at = source->n_slots;
	for (unsigned i = 0; i < p->flips.n; i++)
		source_add_slot(source,
				&(struct slot){.name = flip_names[p->flips.together ? PROC_DISPLAYS : i],
					       .scale = 1});
	p->traffic_at = source->n_slots;
	for (unsigned i = 0; i < TRAFFIC_KINDS; i++)
		if (p->traffic.found[i / 2])
			source_add_slot(source, &traffics[i]);
	p->clusters_at = source->n_slots;
	for (unsigned c = 0; c < cpus->n_clusters; c++)
		add_quantities(source, INSTANCE_CLUSTER, c, cpus->clusters[c].title);
	p->busy_at = source_add_slot(source, &(struct slot){.name = "CPURunTime", .scale = 1e-9});
	if (cpus->n > PROC_BUSY_CPUS)
		source->n_sums = source->n_slots;
	for (unsigned i = 0; i < cpus->n; i++)
		source_add_slot(source, &(struct slot){.name = "CPURunTime",
						       .instance = INSTANCE_CPU,
						       .number = cpus->cpus[i].number,
						       .scale = 1e-9});
	p->cpus_at = source->n_slots;
	if (!source->n_sums)
		source->n_sums = source->n_slots;
	for (unsigned i = 0; i < cpus->n; i++)
		add_quantities(source, INSTANCE_CPU, cpus->cpus[i].number, NULL);
}

static bool can_read(const struct sys *sys, const char *path)
{
	char text[16];

	return sys_read_file(sys, path, text, sizeof(text)) > 0;
}

static bool proc_probe(const struct sys *sys, struct source_found **found, struct err *err)
{
	(void)err;
	if (!can_read(sys, "proc/stat") && !can_read(sys, "sys/devices/system/cpu/present"))
		return true;
	source_found_add(found, &backend_proc, "");
	return true;
}

static void proc_close(struct source *source)
{
	struct proc *p = source->priv;

	if (!p->topology.cpus)
		return; /* never opened */
	cpu_ticks_fini(&p->ticks, source->sys);
	proc_level_close(p, source->sys);
	power_close(&p->power, source->sys);
	proc_flips_close(&p->flips);
	traffic_close(&p->traffic, source->sys);
	cpus_fini(&p->topology);
}

static bool proc_open(struct source *source, const char *device, struct err *err)
{
	struct proc *p = source->priv;

	(void)device;
	if (!can_read(source->sys, "proc/stat") && !can_read(source->sys, "sys/devices/system/cpu/present"))
		return err_set(err, errno,
			       "proc: cannot read /proc/stat or /sys/devices/system/cpu/present: "
			       "mount /proc and /sys, or run as a user with access");
	cpus_find(&p->topology, source->sys);
	cpu_ticks_init(&p->ticks, &p->topology);
	proc_level_open(p, source->sys);
	power_open(&p->power, source->sys);
	proc_flips_open(&p->flips, source->sys, &(struct err){0});
	traffic_open(&p->traffic, source->sys);
	cpus_title(source->title, sizeof(source->title), &p->topology);
	snprintf(source->driver, sizeof(source->driver), "proc");
	add_slots(source, p);
	return true;
}

static bool proc_start(struct source *source, int64_t period_ns, int64_t now_ns, struct err *err)
{
	struct proc *p = source->priv;

	(void)err;
	source->period_ns = period_ns > PERIOD_MIN_NS ? period_ns : PERIOD_MIN_NS;
	p->start_ns = p->begin_ns = now_ns;
	p->due_ns = now_ns + source->period_ns;
	p->levels_due_ns = now_ns + LEVELS_NS;
	p->suspended_ns = source_suspended_ns(source->sys);
	cpu_ticks_forget(&p->ticks);
	cpu_ticks_read(&p->ticks, source->sys);
	proc_level_read(p, source->sys);
	power_forget(&p->power);
	power_read(&p->power, source->sys, 0, p->energy_uj);
	proc_flips_read(&p->flips, p->flipped);
	traffic_forget(&p->traffic);
	traffic_read(&p->traffic, source->sys, p->moved);
	return true;
}

static void max_known(uint64_t *max, uint64_t v)
{
	if (v != SAMPLE_UNKNOWN && (*max == SAMPLE_UNKNOWN || v > *max))
		*max = v;
}

static void put_cpu(const struct proc *p, unsigned cpu, uint64_t own[PROC_QUANTITIES])
{
	const struct cpu_ticks_line *ticks = &p->ticks.each[cpu];
	int policy = p->topology.cpus[cpu].policy;

	for (unsigned q = 0; q < CPU_TICKS; q++)
		own[q] = ticks->counted ? ticks->delta[q] : SAMPLE_UNKNOWN;
	own[PROC_CLOCK] =
		policy >= 0 && !cpu_ticks_offline(&p->ticks, cpu) ? p->clocks[policy].khz : SAMPLE_UNKNOWN;
	own[PROC_CLOCK_LIMIT] = policy >= 0 ? p->clocks[policy].limit_khz : SAMPLE_UNKNOWN;
	own[PROC_CLOCK_TOP] = policy >= 0 ? p->topology.policies[policy].top_khz : SAMPLE_UNKNOWN;
	own[PROC_ONLINE] = p->ticks.lines ? ticks->listed : SAMPLE_UNKNOWN;
}

/* Add up quantities; of clocks, keep the fastest. */
static void fold_ticks(uint64_t into[PROC_QUANTITIES], const uint64_t own[PROC_QUANTITIES])
{
	for (unsigned q = 0; q < PROC_QUANTITIES; q++)
		if (q >= PROC_CLOCK && q <= PROC_CLOCK_LIMIT)
			max_known(&into[q], own[q]);
		else
			source_add_known(&into[q], own[q]);
}

/* How much of the interval a CPU was busy. */
static uint64_t busy_ns(const uint64_t own[PROC_QUANTITIES], int64_t ns)
{
	uint64_t all = 0, idle = own[TICK_IDLE] + own[TICK_IOWAIT];

	for (unsigned q = 0; q < CPU_TICKS; q++) {
		if (own[q] == SAMPLE_UNKNOWN)
			return SAMPLE_UNKNOWN;
		all += own[q];
	}
	return all ? (uint64_t)((double)ns * ((double)(all - idle) / (double)all)) : SAMPLE_UNKNOWN;
}

static void put_sample(const struct proc *p, uint64_t *value, int64_t ns)
{
	uint64_t *power = value + p->power_at, *traffic = value + p->traffic_at;
	uint64_t *clusters = value + p->clusters_at, *busy = value + p->busy_at, *cpus = value + p->cpus_at;

	for (unsigned i = 0; i < POWER_PARTS; i++) {
		if (!(p->power.parts >> i & 1))
			continue;
		*power++ = p->energy_uj[i];
		*power++ = p->energy_uj[i] == SAMPLE_UNKNOWN ? SAMPLE_UNKNOWN : (uint64_t)ns;
	}
	for (unsigned i = 0; i < TRAFFIC_KINDS; i++)
		if (p->traffic.found[i / 2])
			*traffic++ = p->moved[i];
	memcpy(value + p->flips_at, p->flipped, p->flips.n * sizeof(*value));
	memset(value, 0xff, PROC_QUANTITIES * sizeof(*value)); /* SAMPLE_UNKNOWN */
	memcpy(value + PROC_QUANTITIES, p->level, sizeof(p->level));
	memset(clusters, 0xff, (p->cpus_at - p->clusters_at) * sizeof(*value));
	for (unsigned i = 0; i < p->topology.n; i++) {
		put_cpu(p, i, cpus + i * PROC_QUANTITIES);
		fold_ticks(clusters + p->topology.cpus[i].cluster * PROC_QUANTITIES,
			   cpus + i * PROC_QUANTITIES);
		fold_ticks(value, cpus + i * PROC_QUANTITIES);
		busy[1 + i] = busy_ns(cpus + i * PROC_QUANTITIES, ns);
		max_known(busy, busy[1 + i]);
	}
	if (p->ticks.strange)
		value[PROC_ONLINE] = p->ticks.lines;
	/* Use the machine's own line if those of its CPUs are missing, or of other CPUs. */
	for (unsigned q = 0; q < CPU_TICKS && (!p->ticks.lines || p->ticks.strange); q++) {
		value[q] = p->ticks.all.counted ? p->ticks.all.delta[q] : SAMPLE_UNKNOWN;
		if (p->topology.n_clusters == 1)
			clusters[q] = value[q];
	}
}

static enum read_result proc_read(struct source *source, int64_t now_ns, struct sample *sample)
{
	struct proc *p = source->priv;
	int64_t suspended, deadline;
	bool gap;

	if (now_ns < p->due_ns && (!source->cut || now_ns == p->begin_ns))
		return READ_NONE;
	p->due_ns = p->start_ns + ((now_ns - p->start_ns) / source->period_ns + 1) * source->period_ns;
	deadline = p->due_ns - source->period_ns; /* the last one, without our own delay */
	suspended = source_suspended_ns(source->sys);
	gap = suspended - p->suspended_ns > SUSPEND_NS;
	p->suspended_ns = suspended;
	if (gap) {
		cpu_ticks_forget(&p->ticks);
		power_forget(&p->power);
	}
	power_read(&p->power, source->sys, now_ns - p->begin_ns, p->energy_uj);
	proc_flips_read(&p->flips, p->flipped);
	traffic_read(&p->traffic, source->sys, p->moved);
	cpu_ticks_read(&p->ticks, source->sys);
	if (gap || deadline >= p->levels_due_ns) {
		proc_level_read(p, source->sys);
		p->levels_due_ns = deadline + LEVELS_NS;
	}
	put_sample(p, sample->value, now_ns - p->begin_ns);
	sample->begin_ns = p->begin_ns;
	sample->end_ns = now_ns;
	sample->lost = 0;
	sample->flags = gap ? SAMPLE_GAP : 0;
	sample->flags |= source_stretched(p->begin_ns, now_ns, source->period_ns);
	p->begin_ns = now_ns;
	return READ_GOT;
}

static void proc_stop(struct source *source)
{
	(void)source; /* no activity between reads */
}

const struct backend backend_proc = {
	.name = "proc",
	.help = "CPU load and clocks per cluster, load average, memory, temperatures, disk and network "
		"traffic "
		"of this machine",
	.kind = SOURCE_CPU,
	.priv_size = sizeof(struct proc),
	.probe = proc_probe,
	.open = proc_open,
	.start = proc_start,
	.read = proc_read,
	.stop = proc_stop,
	.close = proc_close,
	.describe = proc_describe,
};
