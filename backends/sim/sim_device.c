#include "backends/sim/sim_device.h"

#include "backends/sim/sim_model.h"
#include "base/alloc.h"
#include "base/real.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STEP_NS 20000000ll   /* how long loads and clocks stay constant */
#define DRIFT_NS 100000000ll /* likewise a thread's mean load, and events per cycle */
#define HITCH_NS 300000000ll
#define NEXT_CPU_NS 900000000ll /* how long a thread stays on its CPU */

/* src/data/demo.scenario says what these are. */
static const struct sim_number task_numbers[] = {{"pid parent uid", 0, INT32_MAX, 0},
						 {"threads", 0, SIM_TASKS, 1},
						 {"cluster", 0, SIM_CLUSTERS_MAX, 0},
						 {"rss memory", 0, 1 << 20, 0},
						 {"gpu main render worker active always loading", 0, 1, 0},
						 {0}};
static const struct sim_number event_numbers[] = {
	{"small middle big loading", 0, 1e4, 1}, {"ipc", 0, 1, 0}, {0}};

static const struct sim_number cluster_numbers[] = {
	{"cpus", 1, SIM_CPUS, 1}, {"khz", 1e5, 1e7, 1e6}, {"ipc", 0.1, 10, 1}, {"memory", 0, 1024, 0}, {0}};
static const struct sim_number traffic_numbers[] = {{"always active loading", 0, 1e12, 0}, {0}};

/* The rows of several threads follow. */
static const char *take_people(const struct gpudb *db, void *rows, unsigned i)
{
	double threads = ((struct sim_task *)rows)[i].threads;

	(void)db;
	return threads <= 1 || threads + i < SIM_TASKS ? NULL : "too many threads";
}

static const char *take_cluster(const struct gpudb *db, void *rows, unsigned i)
{
	struct sim_cluster *c = (struct sim_cluster *)rows + i;

	(void)db;
	c->first = i ? c[-1].first + c[-1].n : 0;
	c->n = (unsigned)c->cpus;
	snprintf(c->title, sizeof(c->title), "%.*s", SPAN_ARG(c->row.rest));
	return c->first + c->n <= SIM_CPUS ? NULL : "too many CPUs";
}

enum base { CYCLES, BUSY_NS, PER_SECOND, PER_BUSY_SECOND };

/* Find the slot, and the base or earlier event that it is counted by. */
static const char *take_event(const struct gpudb *db, void *rows, unsigned i)
{
	static const char *const bases[SIM_BASES] = {"cycles", "busy-ns", "second", "busy-second"};
	struct sim_event *events = rows, *e = &events[i];

	e->slot = gpudb_slot_name(db, e->row.name);
	for (unsigned k = 0; k < i; k++)
		if (events[k].slot == e->slot)
			return "the same slot twice";
	for (e->of = 0; e->of < SIM_BASES + i; e->of++)
		if (e->of < SIM_BASES ? span_is(e->row.rest, bases[e->of])
				      : span_eq(e->row.rest, events[e->of - SIM_BASES].row.name))
			return e->slot ? NULL : "unknown slot";
	return "expected a base or an event above";
}

static const struct sim_table people = {"people", task_numbers, sizeof(struct sim_task), SIM_TASKS,
					take_people},
			      events = {"events", event_numbers, sizeof(struct sim_event), SIM_EVENTS,
					take_event},
			      clusters = {"clusters", cluster_numbers, sizeof(struct sim_cluster),
					  SIM_CLUSTERS_MAX, take_cluster},
			      traffic = {"traffic", traffic_numbers, sizeof(struct sim_traffic), SIM_TRAFFIC,
					 NULL};

bool sim_device_init(struct sim_device *d, const struct source_options *options, struct err *err)
{
	const struct gpudb *db = options->db;
	const struct gpu_product *product =
		gpudb_by_name(db, options->gpu_name ? options->gpu_name : SIM_GPU_DEFAULT);
	struct span any = {0}, phone = product && product->family <= FAMILY_VALHALL_JM ? SPAN_LIT("older")
										       : SPAN_LIT("newer");

	*d = (struct sim_device){.seed = options->seed, .celsius = 34};
	if (!sim_scenario_load(&d->scenario, db, options->scenario, err))
		return false;
	d->n_tasks = sim_table_load(d->tasks, &people, any, db, err);
	d->n_events = sim_table_load(d->events, &events, any, db, err);
	d->n_clusters = sim_table_load(d->clusters, &clusters, phone, db, err);
	for (unsigned c = 0; c < d->n_clusters; c++) {
		d->memory_kib += (uint64_t)(d->clusters[c].memory * (1 << 20));
		for (unsigned i = 0; i < d->clusters[c].n; i++)
			d->cpus[d->n_cpus++].cluster = c;
	}
	return d->n_tasks && d->n_events && d->n_clusters &&
	       sim_table_load(d->traffic, &traffic, any, db, err);
}

/* Return the busy share of the GPU in this phase, at the clock that its governor then chooses. Jobs
 * of a pass overlap partly. */
static double gpu_share(const struct sim_scenario *s, const struct sim_phase *phase)
{
	double load = 0, frames = s->cpu_frame > 0 ? s->cpu_frame : phase->refreshes;

	for (unsigned i = 0; i < s->n_passes; i++) {
		const struct sim_pass *p = &s->passes[i];

		if (phase->passes & 1u << i)
			load += real_max(p->load[0], p->load[1]) + 0.4 * real_min(p->load[0], p->load[1]) +
				p->load[STREAM_COMPUTE];
	}
	if (!frames)
		return 1;
	load /= frames * (s->fps > 0 ? SIM_FPS / s->fps : 1);
	return real_min(1, load / (load < 0.3 ? 0.4 : load < 0.6 ? 0.6 : 1));
}

/* Return the mean share of a CPU that a thread needs; 1 means that it never waits. Only threads of
 * the game depend on the scenario. */
static double task_mean(const struct sim_device *d, const struct sim_phase *phase, const struct sim_task *t)
{
	const struct sim_cpu_load *game = &d->scenario.cpu;
	double own = t->main * game->main + t->render * game->render + t->worker * game->worker;

	if (d->hitch && t->loading > 0)
		return t->loading;
	return (own >= 1 ? 1 : own * phase->cpu) + t->active * (0.2 + 0.8 * phase->cpu) + t->always;
}

static void place_tasks(struct sim_device *d, const struct sim_phase *phase, const double *drifts)
{
	for (unsigned i = 0; i < d->n_tasks; i++) {
		unsigned last = d->n_clusters - 1, own = (unsigned)d->tasks[i].cluster,
			 at = own < last ? own : last;
		const struct sim_cluster *cluster = &d->clusters[at];
		uint64_t turn = (uint64_t)((d->now_ns + 37000000ll * i) / NEXT_CPU_NS);
		double mean = task_mean(d, phase, &d->tasks[i]);

		d->cpu_of[i] = (uint8_t)(cluster->first + sim_hash(d->seed, turn, 8100 + i) % cluster->n);
		d->mean[i] = mean < 1 ? mean * (1 + 0.15 * drifts[i % SIM_DRIFTS]) : 1;
	}
}

/* Set the events per unit of cycles or time. */
static void set_events(struct sim_device *d, const double *drifts)
{
	for (unsigned c = 0; c < d->n_clusters; c++)
		for (unsigned i = 0; i < d->n_events; i++) {
			const struct sim_event *e = &d->events[i];
			double per = e->per[c == 0 ? 0 : c + 1 < d->n_clusters ? 1 : 2];

			if (e->ipc > 0)
				per *= e->ipc * d->clusters[c].ipc * d->scenario.cpu.ipc;
			if (d->hitch)
				per *= e->loading;
			if (e->of >= PER_SECOND)
				per *= 1 + 0.12 * drifts[i % SIM_DRIFTS];
			if (e->of >= SIM_BASES)
				per *= d->events_per[c][e->of - SIM_BASES];
			d->events_per[c][i] = real_min(per, 1e4);
		}
}

static void begin_drift(struct sim_device *d)
{
	const struct sim_phase *phase = sim_scenario_phase(&d->scenario, d->now_ns);
	int64_t every_ns = (int64_t)d->scenario.hitch_every * 1000000000,
		at_ns = d->now_ns - (int64_t)d->scenario.hitch_first * 1000000000;
	double drifts[SIM_DRIFTS];

	sim_drift(d->seed, d->now_ns, drifts);
	d->hitch = every_ns && at_ns >= 0 && at_ns % every_ns < HITCH_NS;
	place_tasks(d, phase, drifts);
	if (d->counts_events)
		set_events(d, drifts);
	d->gpu_busy = real_min(1, gpu_share(&d->scenario, phase) * (1 + d->scenario.wave * drifts[0]));
	d->available_kib = (double)d->memory_kib * (0.37 + 0.03 * drifts[3]);
}

static void set_loads(struct sim_device *d)
{
	uint64_t step = (uint64_t)(d->now_ns / STEP_NS);

	for (unsigned c = 0; c < d->n_cpus; c++)
		d->cpus[c].busy = 0;
	for (unsigned i = 0; i < d->n_tasks; i++) {
		struct sim_cpu *cpu = &d->cpus[d->cpu_of[i]];
		double load = d->mean[i];

		if (load < 1)
			load *= 0.85 + 0.3 * sim_hash_unit(sim_hash(d->seed, step, 8000 + i));
		d->load[i] = real_min(d->mean[i] < 1 ? real_min(load, 0.97) : 1, 1 - cpu->busy);
		cpu->busy += d->load[i];
	}
}

/* Set the clocks like a governor: some headroom above the busiest CPU, in steps of 100 MHz. */
static void set_clocks(struct sim_device *d)
{
	for (unsigned c = 0; c < d->n_clusters; c++) {
		const struct sim_cluster *cluster = &d->clusters[c];
		double most = 0, khz;

		for (unsigned i = 0; i < cluster->n; i++)
			most = real_max(most, d->cpus[cluster->first + i].busy);
		khz = real_min(1, 0.3 + 0.9 * most) * cluster->top_khz;
		khz = real_min(floor(khz / 100000 + 0.5) * 100000, cluster->top_khz);
		for (unsigned i = 0; i < cluster->n; i++)
			d->cpus[cluster->first + i].khz +=
				d->now_ns ? 0.36 * (khz - d->cpus[cluster->first + i].khz) : khz;
	}
}

/* Turn the cycles and time of this step into events. */
static void count_events(struct sim_device *d)
{
	for (unsigned e = 0; e < d->n_events && d->counts_events; e++) {
		unsigned base = d->events[e].of;

		while (base >= SIM_BASES)
			base = d->events[base - SIM_BASES].of;
		for (struct sim_cpu *cpu = d->cpus; cpu < d->cpus + d->n_cpus; cpu++)
			cpu->events[e] += cpu->passed[base] * d->events_per[cpu->cluster][e];
	}
	for (unsigned i = 0; i < d->n_cpus; i++)
		memset(d->cpus[i].passed, 0, sizeof(d->cpus[i].passed));
}

static void count_time(struct sim_cpu *cpu, double seconds)
{
	double busy = cpu->busy * seconds;

	cpu->time_ns[TICK_USER] += 0.81e9 * busy;
	cpu->time_ns[TICK_SYSTEM] += 0.16e9 * busy;
	cpu->time_ns[TICK_IRQ] += 0.018e9 * busy;
	cpu->time_ns[TICK_SOFTIRQ] += 0.012e9 * busy;
	cpu->time_ns[TICK_IDLE] += (seconds - busy) * 1e9;
	cpu->passed[CYCLES] += busy * cpu->khz * 1000;
	cpu->passed[BUSY_NS] += busy * 1e9;
	cpu->passed[PER_SECOND] += seconds;
	cpu->passed[PER_BUSY_SECOND] += busy;
}

static void count_traffic(struct sim_device *d, double seconds)
{
	uint64_t step = (uint64_t)(d->now_ns / STEP_NS);

	for (unsigned i = 0; i < SIM_TRAFFIC; i++) {
		struct sim_traffic *t = &d->traffic[i];
		double rate = t->always + t->active * d->gpu_busy + (d->hitch ? t->loading : 0);

		t->moved += rate * seconds * (0.7 + 0.6 * sim_hash_unit(sim_hash(d->seed, step, 9200 + i)));
	}
}

static void count_all(struct sim_device *d, double seconds)
{
	static const double minutes[3] = {60, 300, 900};
	double busy = 0, target;

	for (unsigned i = 0; i < d->n_cpus; i++) {
		count_time(&d->cpus[i], seconds);
		busy += d->cpus[i].busy;
	}
	for (unsigned i = 0; i < d->n_tasks; i++)
		d->task_ns[i] += d->load[i] * seconds * 1e9;
	d->gpu_ns += d->gpu_busy * seconds * 1e9;
	count_traffic(d, seconds);
	for (unsigned i = 0; i < 3; i++)
		d->load_average[i] +=
			(busy * 1.2 - d->load_average[i]) * (d->now_ns ? seconds / minutes[i] : 1);
	target = 31 + 3.2 * busy + 17 * d->gpu_busy;
	d->celsius += (target - d->celsius) * seconds / 25;
}

void sim_device_run(struct sim_device *d, int64_t ns)
{
	while (d->now_ns < ns) {
		int64_t end = (d->now_ns / STEP_NS + 1) * STEP_NS;

		if (d->now_ns % DRIFT_NS == 0) {
			count_events(d);
			begin_drift(d);
		}
		if (d->now_ns % STEP_NS == 0) {
			set_loads(d);
			set_clocks(d);
		}
		end = end < ns ? end : ns;
		count_all(d, (double)(end - d->now_ns) * 1e-9);
		d->now_ns = end;
	}
	count_events(d);
}
