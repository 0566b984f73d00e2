/* The CPUs of the simulated phone as two sources: the reports of its operating system, with the
 * slots of the proc source, and its CPU events, with the slots of the perf source
 * (src/data/cpu.metrics). */
#include "backends/backends.h"
#include "backends/sim/sim_device.h"

#include <stdio.h>

#define TICK_NS 10000000
#define SECTOR 512
#define PERIOD_MIN_NS 500000000 /* period of ticks, as on a real machine */

struct sim_machine {
	struct sim_pace pace; /* first */
	struct sim_device device;
	struct machine_slot {
		uint8_t what, first, n; /* index of a report or event, of n CPUs */
		uint64_t last;          /* at the last read */
	} slots[(1 + SIM_CLUSTERS_MAX + SIM_CPUS) * SIM_EVENTS];
};

/* Reports of the system, in the order of the slots: of each instance, then of the machine. */
enum report {
	TICKS, /* by enum cpu_tick */
	CLOCK = TICKS + CPU_TICKS,
	CLOCK_TOP,
	ONLINE,
	OF_INSTANCE,
	LOAD_AVERAGE = OF_INSTANCE,
	MEMORY_TOTAL = LOAD_AVERAGE + 3,
	MEMORY_AVAILABLE,
	TEMPERATURE,
	GPU_CLOCK,
	TRAFFIC, /* by row */
	REPORTS = TRAFFIC + SIM_TRAFFIC
};
static const struct {
	const char *name;
	enum slot_kind kind;
	double scale;
} reports[REPORTS] = {{"CPUTicksUser", SLOT_DELTA, 1},       {"CPUTicksNice", SLOT_DELTA, 1},
		      {"CPUTicksSystem", SLOT_DELTA, 1},     {"CPUTicksIdle", SLOT_DELTA, 1},
		      {"CPUTicksIOWait", SLOT_DELTA, 1},     {"CPUTicksIRQ", SLOT_DELTA, 1},
		      {"CPUTicksSoftIRQ", SLOT_DELTA, 1},    {"CPUTicksSteal", SLOT_DELTA, 1},
		      {"CPUClock", SLOT_LEVEL, 1e3},         {"CPUClockTop", SLOT_LEVEL, 1e3},
		      {"CPUOnline", SLOT_LEVEL, 1},          {"LoadAverage1", SLOT_LEVEL, 0.01},
		      {"LoadAverage5", SLOT_LEVEL, 0.01},    {"LoadAverage15", SLOT_LEVEL, 0.01},
		      {"MemoryTotal", SLOT_LEVEL, 1024},     {"MemoryAvailable", SLOT_LEVEL, 1024},
		      {"TemperatureMax", SLOT_LEVEL, 1e-3},  {"GPUDevfreqClock", SLOT_LEVEL, 1},
		      {"DiskReadBytes", SLOT_DELTA, SECTOR}, {"DiskWrittenBytes", SLOT_DELTA, SECTOR},
		      {"NetReceivedBytes", SLOT_DELTA, 1},   {"NetSentBytes", SLOT_DELTA, 1}};

_Static_assert(REPORTS <= SIM_EVENTS, "room for the slots of either source");

/* Add the slots of an instance of n CPUs. */
static void add_slots(struct source *source, struct slot slot, unsigned first, unsigned n)
{
	struct sim_machine *m = source->priv;
	bool event = source->kind == SOURCE_PERF;
	unsigned end = event ? m->device.n_events : slot.instance == INSTANCE_ALL ? REPORTS : OF_INSTANCE;

	for (unsigned i = 0; i < end; i++) {
		m->slots[source->n_slots] = (struct machine_slot){(uint8_t)i, (uint8_t)first, (uint8_t)n, 0};
		slot.name = event ? m->device.events[i].slot : reports[i].name;
		slot.kind = event ? SLOT_DELTA : reports[i].kind;
		slot.scale = event ? 1 : reports[i].scale;
		source_add_slot(source, &slot);
	}
}

/* Fill the source; after sim_device_init. */
static void open_slots(struct source *source, const char *title, bool each)
{
	struct sim_machine *m = source->priv;
	const struct sim_device *d = &m->device;

	snprintf(source->title, sizeof(source->title), "%s", title);
	snprintf(source->driver, sizeof(source->driver), "sim %s", m->device.scenario.name);
	add_slots(source, (struct slot){.instance = INSTANCE_ALL}, 0, d->n_cpus);
	for (unsigned c = 0; c < d->n_clusters; c++)
		add_slots(source,
			  (struct slot){.instance = INSTANCE_CLUSTER,
					.number = (uint16_t)c,
					.title = d->clusters[c].title},
			  d->clusters[c].first, d->clusters[c].n);
	source->n_sums = source->n_slots;
	for (unsigned i = 0; each && i < d->n_cpus; i++)
		add_slots(source, (struct slot){.instance = INSTANCE_CPU, .number = (uint16_t)i}, i, 1);
	source->simulated = true;
}

static bool cpu_open(struct source *source, const char *device, struct err *err)
{
	AUTO_STRBUF struct strbuf title = {0};
	struct sim_machine *m = source->priv;

	(void)device;
	if (!sim_device_init(&m->device, &source->options, err))
		return false;
	for (unsigned c = m->device.n_clusters; c-- > 0;) /* the biggest first */
		strbuf_printf(&title, "%s%s", title.n ? " + " : "", m->device.clusters[c].title);
	open_slots(source, title.p, true);
	m->pace.least_ns = PERIOD_MIN_NS;
	return true;
}

static bool perf_open(struct source *source, const char *device, struct err *err)
{
	struct sim_machine *m = source->priv;

	(void)device;
	if (source->options.scope.kind != SCOPE_MACHINE)
		return err_set(
			err, ERR_USAGE,
			"sim: CPU events of one process, thread or some CPUs are not simulated: count those "
			"of a real one with -b perf");
	if (source->options.n_events)
		return err_set(err, ERR_USAGE,
			       "--event: the simulated CPUs count no '%.40s': add perf to --backend",
			       source->options.events[0]);
	if (!sim_device_init(&m->device, &source->options, err))
		return false;
	m->device.counts_events = true;
	open_slots(source, "all processes, kernel and user", source->options.per_instance);
	return true;
}

/* Return a report of the system about the whole machine. */
static uint64_t report_machine(const struct sim_device *d, unsigned i)
{
	if (i < MEMORY_TOTAL)
		return (uint64_t)(d->load_average[i - LOAD_AVERAGE] * 100);
	if (i >= TRAFFIC)
		return (uint64_t)(d->traffic[i - TRAFFIC].moved / reports[i].scale);
	return i == MEMORY_TOTAL       ? d->memory_kib
	       : i == MEMORY_AVAILABLE ? (uint64_t)d->available_kib
	       : i == TEMPERATURE      ? (uint64_t)(d->celsius * 1000)
				       : SAMPLE_UNKNOWN; /* reported by the GPU source */
}

/* The level or count of n CPUs: whole numbers per CPU, so that parts add up to the whole. */
static uint64_t report_cpus(const struct sim_device *d, bool events, unsigned i, unsigned first, unsigned n)
{
	uint64_t sum = 0, most = 0;

	if (!events && i >= OF_INSTANCE)
		return report_machine(d, i);
	for (unsigned k = first; k < first + n; k++) {
		const struct sim_cpu *cpu = &d->cpus[k];
		uint64_t own = events           ? (uint64_t)cpu->events[i]
			       : i < CLOCK      ? (uint64_t)(cpu->time_ns[i] / TICK_NS)
			       : i == CLOCK     ? (uint64_t)cpu->khz
			       : i == CLOCK_TOP ? (uint64_t)d->clusters[cpu->cluster].top_khz
						: 1;

		sum += own;
		most = own > most ? own : most;
	}
	return !events && (i == CLOCK || i == CLOCK_TOP) ? most : sum;
}

static enum read_result machine_read(struct source *source, int64_t now_ns, struct sample *sample)
{
	struct sim_machine *m = source->priv;

	if (!sim_pace_next(&m->pace, now_ns, sample))
		return READ_NONE;
	sim_device_run(&m->device, m->pace.sim_ns);
	for (unsigned i = 0; i < source->n_slots; i++) {
		struct machine_slot *s = &m->slots[i];
		uint64_t now = report_cpus(&m->device, source->kind == SOURCE_PERF, s->what, s->first, s->n);

		sample->value[i] = source->slots[i].kind == SLOT_DELTA ? now - s->last : now;
		s->last = now;
	}
	return READ_GOT;
}

/* Uses only what is constant after open. */
static void machine_describe(const struct source *source, struct strbuf *text)
{
	const struct sim_machine *m = source->priv;
	const struct sim_device *d = &m->device;

	strbuf_printf(text, "a simulated phone, memory %.2f GB\n", (double)d->memory_kib * 1024e-9);
	for (unsigned c = 0; c < d->n_clusters; c++) {
		unsigned first = d->clusters[c].first, last = first + d->clusters[c].n - 1;

		strbuf_printf(text, "%-10s%u", last > first ? "CPUs" : "CPU", first);
		if (last > first)
			strbuf_printf(text, "-%u", last);
		strbuf_printf(text, " %s, at most %.2f GHz\n", d->clusters[c].title,
			      d->clusters[c].top_khz * 1e-6);
	}
}

const struct backend backend_sim_cpu = {
	.name = "sim-cpu",
	.help = "the CPUs, memory, heat and traffic of the simulated device",
	.part_of = "sim",
	.extras = &(const struct backend_extras){.processes = &sim_processes},
	.kind = SOURCE_CPU,
	.priv_size = sizeof(struct sim_machine),
	.probe = sim_probe,
	.open = cpu_open,
	.start = sim_start,
	.read = machine_read,
	.stop = sim_stop,
	.close = sim_stop,
	.describe = machine_describe,
};

const struct backend backend_sim_perf = {
	.name = "sim-perf",
	.help = "the CPU events of the simulated device",
	.part_of = "sim",
	.kind = SOURCE_PERF,
	.priv_size = sizeof(struct sim_machine),
	.probe = sim_probe,
	.open = perf_open,
	.start = sim_start,
	.read = machine_read,
	.stop = sim_stop,
	.close = sim_stop,
	.describe = machine_describe,
};
