/* The CPUs of the simulated phone as two sources: what an operating system reports about them, with
 * the slots of the proc source, and their counters, with the slots of the perf source
 * (src/data/cpu.metrics). */
#include "backends/backends.h"
#include "backends/sim/sim_device.h"
#include "backends/sim/sim_pace.h"
#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>

#define TICK_NS 10000000
#define PERIOD_MIN_NS 500000000 /* of ticks, as on a real machine */

struct sim_machine {
	struct sim_pace pace; /* first */
	struct sim_device device;
	uint64_t *last; /* owned; what each slot had counted when it was last read */
	unsigned at;    /* slot that is filled next */
};

static const char *const ticks[] = {"CPUTicksUser",   "CPUTicksNice", "CPUTicksSystem",  "CPUTicksIdle",
				    "CPUTicksIOWait", "CPUTicksIRQ",  "CPUTicksSoftIRQ", "CPUTicksSteal"};
static const int tick_times[] = {TIME_USER,   -1,       TIME_SYSTEM,  TIME_IDLE,
				 TIME_IOWAIT, TIME_IRQ, TIME_SOFTIRQ, -1};
struct level {
	const char *name;
	double scale;
};
static const struct level states[] = {{"CPUClock", 1e3}, {"CPUClockTop", 1e3}, {"CPUOnline", 1}};
static const struct level levels[] = {
	{"LoadAverage1", 0.01},    {"LoadAverage5", 0.01},   {"LoadAverage15", 0.01}, {"MemoryTotal", 1024},
	{"MemoryAvailable", 1024}, {"TemperatureMax", 1e-3}, {"GPUDevfreqClock", 1},
};

static const struct level traffic[SIM_TRAFFIC] = {
	[SIM_DISK_READ] = {"DiskReadBytes", 512}, /* sectors */
	[SIM_DISK_WRITTEN] = {"DiskWrittenBytes", 512},
	[SIM_NET_RECEIVED] = {"NetReceivedBytes", 1},
	[SIM_NET_SENT] = {"NetSentBytes", 1},
};

/* The CPUs of an instance. */
struct slot_range {
	unsigned first, n;
};

static void add_cpu_slots(struct source *source, enum instance_kind kind, unsigned number, const char *title)
{
	for (unsigned i = 0; i < ARRAY_LEN(ticks); i++)
		source_add_slot(source, &(struct slot){.name = ticks[i],
						       .kind = SLOT_DELTA,
						       .instance = kind,
						       .number = (uint16_t)number,
						       .scale = 1,
						       .title = title});
	for (unsigned i = 0; i < ARRAY_LEN(states); i++)
		source_add_slot(source, &(struct slot){.name = states[i].name,
						       .kind = SLOT_LEVEL,
						       .instance = kind,
						       .number = (uint16_t)number,
						       .scale = states[i].scale,
						       .title = title});
	for (unsigned i = 0; kind == INSTANCE_ALL && i < ARRAY_LEN(levels); i++)
		source_add_slot(
			source,
			&(struct slot){.name = levels[i].name, .kind = SLOT_LEVEL, .scale = levels[i].scale});
	for (unsigned i = 0; kind == INSTANCE_ALL && i < SIM_TRAFFIC; i++)
		source_add_slot(source, &(struct slot){.name = traffic[i].name,
						       .kind = SLOT_DELTA,
						       .scale = traffic[i].scale});
}

static void add_event_slots(struct source *source, enum instance_kind kind, unsigned number,
			    const char *title)
{
	for (unsigned i = 0; i < SIM_EVENTS; i++)
		source_add_slot(source, &(struct slot){.name = sim_event_slot(i),
						       .kind = SLOT_DELTA,
						       .instance = kind,
						       .number = (uint16_t)number,
						       .scale = 1,
						       .title = title});
}

typedef void add_slots(struct source *source, enum instance_kind kind, unsigned number, const char *title);

static void open_slots(struct source *source, add_slots *add, bool each)
{
	struct sim_machine *m = source->priv;
	const struct sim_soc *soc = m->device.soc;

	add(source, INSTANCE_ALL, 0, NULL);
	for (unsigned c = 0; c < soc->n_clusters; c++)
		add(source, INSTANCE_CLUSTER, c, soc->clusters[c].title);
	source->n_sums = source->n_slots;
	for (unsigned i = 0; each && i < SIM_CPUS; i++)
		add(source, INSTANCE_CPU, i, NULL);
	m->last = xcalloc(source->n_slots, sizeof(*m->last));
	source->simulated = true;
}

static bool cpu_open(struct source *source, const char *device, struct err *err)
{
	struct sim_machine *m = source->priv;

	(void)device;
	if (!sim_device_init(&m->device, &source->options, err))
		return false;
	snprintf(source->title, sizeof(source->title), "%s", m->device.soc->title);
	snprintf(source->driver, sizeof(source->driver), "sim %s", m->device.scenario.name);
	open_slots(source, add_cpu_slots, true);
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
	snprintf(source->title, sizeof(source->title), "all processes, kernel and user");
	snprintf(source->driver, sizeof(source->driver), "sim %s", m->device.scenario.name);
	open_slots(source, add_event_slots, source->options.per_instance);
	return true;
}

/* Store what was counted since the last time. */
static void put_delta(struct sim_machine *m, uint64_t *value, double total)
{
	uint64_t now = (uint64_t)total;

	value[m->at] = now - m->last[m->at];
	m->last[m->at++] = now;
}

static void put_cpus(struct sim_machine *m, uint64_t *value, struct slot_range cpus)
{
	double khz = 0, top = 0;

	for (unsigned t = 0; t < ARRAY_LEN(ticks); t++) {
		uint64_t sum = 0; /* sum of the whole ticks of each CPU, so that the parts add up */

		for (unsigned i = cpus.first; i < cpus.first + cpus.n && tick_times[t] >= 0; i++)
			sum += (uint64_t)(m->device.cpus[i].time_ns[tick_times[t]] / TICK_NS);
		put_delta(m, value, (double)sum);
	}
	for (unsigned i = cpus.first; i < cpus.first + cpus.n; i++) {
		const struct sim_cluster *cluster =
			&m->device.soc->clusters[sim_device_cluster(m->device.soc, i)];

		khz = m->device.cpus[i].khz > khz ? m->device.cpus[i].khz : khz;
		top = (double)cluster->top_khz > top ? (double)cluster->top_khz : top;
	}
	value[m->at++] = (uint64_t)khz;
	value[m->at++] = (uint64_t)top;
	value[m->at++] = cpus.n;
}

static void put_levels(struct sim_machine *m, uint64_t *value)
{
	const struct sim_device *d = &m->device;

	for (unsigned i = 0; i < 3; i++)
		value[m->at++] = (uint64_t)(d->load_average[i] * 100);
	value[m->at++] = d->soc->memory_kib;
	value[m->at++] = (uint64_t)d->available_kib;
	value[m->at++] = (uint64_t)(d->celsius * 1000);
	value[m->at++] = SAMPLE_UNKNOWN; /* reported by the GPU source */
	for (unsigned i = 0; i < SIM_TRAFFIC; i++)
		put_delta(m, value, d->moved[i] / traffic[i].scale);
}

static void put_events(struct sim_machine *m, uint64_t *value, struct slot_range cpus)
{
	for (unsigned e = 0; e < SIM_EVENTS; e++) {
		uint64_t sum = 0;

		for (unsigned i = cpus.first; i < cpus.first + cpus.n; i++)
			sum += (uint64_t)m->device.cpus[i].events[e];
		put_delta(m, value, (double)sum);
	}
}

static void put_sample(const struct source *source, uint64_t *value)
{
	struct sim_machine *m = source->priv;
	const struct sim_soc *soc = m->device.soc;
	void (*put)(struct sim_machine *, uint64_t *, struct slot_range) =
		source->kind == SOURCE_CPU ? put_cpus : put_events;

	m->at = 0;
	put(m, value, (struct slot_range){0, SIM_CPUS});
	if (source->kind == SOURCE_CPU)
		put_levels(m, value);
	for (unsigned c = 0; c < soc->n_clusters; c++)
		put(m, value, (struct slot_range){soc->clusters[c].first, soc->clusters[c].n});
	for (unsigned i = 0; i < SIM_CPUS && m->at < source->n_slots; i++)
		put(m, value, (struct slot_range){i, 1});
}

static enum read_result machine_read(struct source *source, int64_t now_ns, struct sample *sample)
{
	struct sim_machine *m = source->priv;

	if (!sim_pace_next(&m->pace, now_ns, sample))
		return READ_NONE;
	sim_device_run(&m->device, m->pace.sim_ns);
	put_sample(source, sample->value);
	return READ_GOT;
}

static void machine_close(struct source *source)
{
	struct sim_machine *m = source->priv;

	free(m->last);
	m->last = NULL;
}

/* Uses only what is constant after open. */
static void machine_describe(const struct source *source, struct strbuf *text)
{
	const struct sim_machine *m = source->priv;
	const struct sim_soc *soc = m->device.soc;

	strbuf_printf(text, "a simulated phone, memory %.2f GB\n", (double)soc->memory_kib * 1024e-9);
	for (unsigned c = 0; c < soc->n_clusters; c++) {
		unsigned first = soc->clusters[c].first, last = first + soc->clusters[c].n - 1;

		strbuf_printf(text, "%-10s%u", last > first ? "CPUs" : "CPU", first);
		if (last > first)
			strbuf_printf(text, "-%u", last);
		strbuf_printf(text, " %s, at most %.2f GHz\n", soc->clusters[c].title,
			      (double)soc->clusters[c].top_khz * 1e-6);
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
	.close = machine_close,
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
	.close = machine_close,
	.describe = machine_describe,
};
