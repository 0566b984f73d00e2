/* The phone around the simulated GPU: its CPUs by their load and by their events, and its
 * processes. */
#include "backends/process/process_scan.h"
#include "tests/support/fixture.h"
#include "tests/support/shared_data.h"
#include "tests/support/sim_watch.h"

static struct source_options options(const char *scenario, uint64_t seed)
{
	return (struct source_options){.db = db, .scenario = scenario, .seed = seed, .per_instance = true};
}

/* Of the biggest cores. */
static double biggest_value(struct sim_watch *w, const char *formula)
{
	const struct metric_instance *biggest = NULL;
	struct expr expr = {0};
	double x;

	for (unsigned i = 0; i < w->set->n_instances; i++)
		if (w->set->instances[i].kind == INSTANCE_CLUSTER)
			biggest = &w->set->instances[i];
	assert_non_null(biggest);
	assert_true(sim_watch_compile(w, formula, &expr));
	metric_vector_instance(w->set, biggest, w->vector, w->set->n_vector, w->own);
	x = expr_eval(&expr, w->own);
	expr_fini(&expr);
	return x;
}

TEST(only_a_cpu_bound_game_has_a_core_busy_all_the_time)
{
	for (unsigned s = 0; s < sim_n_scenarios; s++)
		for (unsigned seed = 1; seed <= 3; seed++) {
			const struct source_options o = options(sim_scenarios[s].name, seed);
			bool bound = !strcmp(o.scenario, "cpu-bound");
			struct sim_watch w;

			sim_watch_part(&w, &backend_sim_cpu, &o, 500 * MS);
			for (unsigned k = 0; k < 5; k++) {
				double busy, clock;

				sim_watch_read(&w, 4);
				busy = biggest_value(&w, "CPUTicksIdle / (CPUTicksIdle + CPUTicksUser + "
							 "CPUTicksSystem) * 100");
				clock = biggest_value(&w, "CPUClock / CPUClockTop * 100");
				if (bound ? busy > 2 || clock < 99 : busy < 20)
					fail_msg("%s, seed %u: idle for %g %% at %g %% of the clock",
						 o.scenario, seed, busy, clock);
			}
			sim_watch_fini(&w);
		}
}

TEST(every_slot_feeds_metrics_that_are_possible)
{
	static const struct backend *const backends[] = {&backend_sim_cpu, &backend_sim_perf};
	static const char *const names[] = {
		"CPUActivityUser", "CPUFrequency",    "LoadAverage1",     "MemoryUsed",   "TemperatureMax",
		"CPUIPC",          "CPUL1DMissRatio", "CPUL2MissRatio",   "CPUCycles",    "CPURetiredShare",
		"CPULLMissRatio",  "CPUStallBackend", "CPUBusyFrequency", "CPUPageFaults"};
	unsigned found = 0;

	for (unsigned b = 0; b < ARRAY_LEN(backends); b++)
		for (unsigned s = 0; s < sim_n_scenarios; s++) {
			const struct source_options o = options(sim_scenarios[s].name, 1);
			struct sim_watch w;

			sim_watch_part(&w, backends[b], &o, 500 * MS);
			sim_watch_read(&w, 10);
			for (unsigned i = 0; i < w.set->n_metrics; i++) {
				double x = expr_eval(&w.set->metrics[i].expr, w.vector);

				if (w.set->metrics[i].unit->kind == UNIT_PERCENT && (x < 0 || x > 100))
					fail_msg("%s: %s = %g", o.scenario, w.set->metrics[i].def->name, x);
			}
			for (unsigned i = 0; i < ARRAY_LEN(names); i++)
				found += sim_watch_value(&w, names[i]) > 0;
			sim_watch_fini(&w);
		}
	assert_int_equal(found, ARRAY_LEN(names) * sim_n_scenarios);
}

/* What only the whole machine has. */
static bool is_traffic(const char *name)
{
	return strncmp(name, "Disk", 4) == 0 || strncmp(name, "Net", 3) == 0;
}

TEST(the_disk_is_read_most_while_the_game_loads)
{
	const struct source_options o = options("mixed", 4);
	uint64_t least = UINT64_MAX, most = 0;
	struct sim_watch w;
	unsigned slot = 0;

	sim_watch_part(&w, &backend_sim_cpu, &o, 500 * MS);
	while (strcmp(w.run.source.slots[slot].name, "DiskReadBytes") != 0)
		assert_true(++slot < w.run.source.n_slots);
	for (unsigned k = 0; k < 70; k++) { /* a hitch every 30 s */
		uint64_t sectors = sim_run_read(&w.run)->value[slot];

		least = sectors < least ? sectors : least;
		most = sectors > most ? sectors : most;
	}
	assert_in_range(least, 1, 1000000 / 512);
	assert_in_range(most, 20000000 / 512, 200000000 / 512);
	sim_watch_fini(&w);
}

TEST(the_parts_make_the_whole_in_every_sample)
{
	static const struct backend *const backends[] = {&backend_sim_cpu, &backend_sim_perf};
	static const int64_t periods[] = {500 * MS, 7 * MS};

	for (unsigned b = 0; b < ARRAY_LEN(backends); b++) {
		const struct source_options o = options("mixed", 4);
		struct sim_watch w;

		sim_watch_part(&w, backends[b], &o, periods[b]);
		for (unsigned k = 0; k < 40; k++) {
			const struct sample *sample = sim_run_read(&w.run);

			assert_true(sample->flags & SAMPLE_SIMULATED);
			for (unsigned i = 0; i < w.run.source.n_slots; i++) {
				const struct slot *slot = &w.run.source.slots[i];
				uint64_t clusters = 0, cpus = 0;

				for (unsigned j = 0; j < w.run.source.n_slots; j++) {
					if (strcmp(w.run.source.slots[j].name, slot->name) != 0)
						continue;
					if (w.run.source.slots[j].instance == INSTANCE_CLUSTER)
						clusters += sample->value[j];
					if (w.run.source.slots[j].instance == INSTANCE_CPU)
						cpus += sample->value[j];
				}
				if (slot->instance == INSTANCE_ALL && slot->kind == SLOT_DELTA &&
				    !is_traffic(slot->name) &&
				    (sample->value[i] != clusters || clusters != cpus))
					fail_msg("%s: %llu of clusters %llu", slot->name,
						 (unsigned long long)sample->value[i],
						 (unsigned long long)clusters);
			}
		}
		sim_watch_fini(&w);
	}
}

TEST(the_same_seed_gives_the_same_machine)
{
	static const struct backend *const backends[] = {&backend_sim_cpu, &backend_sim_perf};

	for (unsigned b = 0; b < ARRAY_LEN(backends); b++) {
		const struct source_options one = options("mixed", 7), two = options("mixed", 8);
		struct sim_watch w[3];
		bool differs = false;

		sim_watch_part(&w[0], backends[b], &one, 500 * MS);
		sim_watch_part(&w[1], backends[b], &one, 500 * MS);
		sim_watch_part(&w[2], backends[b], &two, 500 * MS);
		for (unsigned k = 0; k < 50; k++) {
			size_t size = w[0].run.source.n_slots * sizeof(uint64_t);

			for (unsigned i = 0; i < 3; i++)
				sim_run_read(&w[i].run);
			assert_memory_equal(w[0].run.sample->value, w[1].run.sample->value, size);
			differs |= memcmp(w[0].run.sample->value, w[2].run.sample->value, size) != 0;
		}
		assert_true(differs);
		for (unsigned i = 0; i < 3; i++)
			sim_watch_fini(&w[i]);
	}
}

TEST(what_is_asked_of_cpu_events_and_not_simulated_is_an_error)
{
	static const char *const events[] = {"L9D_CACHE"};
	const struct source_options cases[] = {{.db = db, .scope = {.kind = SCOPE_PROCESS, .pid = 5207}},
					       {.db = db, .events = events, .n_events = 1},
					       {.db = db, .scenario = "boring"}};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct source source = {.backend = &backend_sim_perf, .options = cases[i]};
		struct err err = {0};

		source.priv = xcalloc(1, backend_sim_perf.priv_size);
		assert_false(backend_sim_perf.open(&source, "", &err));
		assert_true(err.text[0]);
		backend_sim_perf.close(&source);
		free(source.priv);
		free(source.slots);
	}
}

/* The GPU's own counters, over the time of the list. */
static double gpu_busy(const char *scenario, unsigned seconds)
{
	const struct source_options o = options(scenario, 1);
	struct sim_watch w;
	double busy;

	sim_watch_init(&w, &o, 100 * MS);
	sim_watch_read(&w, 10 * seconds);
	busy = sim_watch_value(&w, "MaliGPUActiveCy / GPUClockCy * 100");
	sim_watch_fini(&w);
	return busy;
}

TEST(processes_share_what_cpus_and_gpu_do)
{
	const struct process_reader *reader = backend_sim_cpu.extras->processes;

	for (unsigned s = 0; s < sim_n_scenarios; s++) {
		struct source_options o = options(sim_scenarios[s].name, 1);
		const struct process *busiest;
		struct process_list *list;
		double gpu = 0;
		void *processes;

		o.epoch_ns = 1000 * MS;
		processes = reader->new (NULL, &o);
		list = reader->read(processes, &(struct process_query){.threads_of = 10}, o.epoch_ns);
		assert_true(isnan(list->processes[0].cpu_percent));
		process_list_free(list);
		list = reader->read(processes, &(struct process_query){.threads_of = 10},
				    o.epoch_ns + 20000 * MS);
		for (unsigned i = 0; i < list->n; i++) {
			const struct process *p = &list->processes[i];

			assert_true(p->simulated && p->pid > 0 && p->name[0]);
			assert_true(i == 0 || p->is_thread || p->pid > list->processes[i - 1].pid ||
				    list->processes[i - 1].is_thread);
			assert_true(p->ipc > 0.3 && p->ipc < 5);
			assert_int_equal(p->kernel, p->name[0] == '[');
			assert_int_equal(p->command != NULL, !p->kernel && !p->is_thread);
			assert_true(p->start * 10000000 < (uint64_t)list->uptime_ns);
			gpu += p->is_thread ? 0 : p->gpu_percent;
		}
		if (fabs(gpu - gpu_busy(o.scenario, 20)) >= 12)
			fail_msg("%s: %g %% of the GPU, which is busy for %g %%", o.scenario, gpu,
				 gpu_busy(o.scenario, 20));
		busiest = process_busiest(list);
		assert_non_null(busiest);
		if (!strcmp(o.scenario, "cpu-bound"))
			assert_true(!strcmp(busiest->name, "GameMain") && busiest->cpu_percent > 99);
		else
			assert_true(busiest->cpu_percent < 75);
		process_list_free(list);
		reader->free(processes);
	}
}

/* The extremes of what a user's tables may say. */
TEST(any_phone_within_the_bounds_runs)
{
	static const char *const phones[] = {
		"people pid\n  me 0\nclusters cpus memory\n  newer 1 0\ntraffic always\n  x 0\n"
		"events small\n  CPUCycles 0 cycles\n",
		"people pid parent uid threads cluster rss memory gpu main render worker active always "
		"loading\n"
		"  me 2147483647 2147483647 2147483647 27 3 1048576 1048576 1 1 1 1 1 1 1 a | b\n"
		"clusters cpus khz ipc memory\n  newer 8 1e7 10 1024 A title that is longer than its place "
		"has room\n"
		"traffic always active loading\n  x 1e12 1e12 1e12\n"
		"events small loading ipc\n  CPUCycles 1e4 1e4 1 cycles\n  CPUInstructions 1e4 1e4 1 "
		"CPUCycles\n"};

	for (unsigned i = 0; i < ARRAY_LEN(phones); i++) {
		const struct process_reader *reader = backend_sim_cpu.extras->processes;
		const struct process_query query = {.threads_of = 10};
		struct source_options o = {.per_instance = true, .epoch_ns = 1};
		struct fixture fixture;
		struct gpudb_dir dir;
		struct gpudb *own;
		struct process_list *list;
		struct sim_watch w;
		struct err err = {0};
		void *processes;

		fixture_init(&fixture, NULL);
		fixture_write(&fixture, "own.scenario", phones[i]);
		dir = (struct gpudb_dir){fixture.root, true};
		own = gpudb_load(&dir, 1, &err);
		if (!own)
			fail_msg("%s", err.text);
		o.db = own;
		sim_watch_part(&w, &backend_sim_cpu, &o, 500 * MS);
		sim_watch_read(&w, 100);
		sim_watch_fini(&w);
		sim_watch_part(&w, &backend_sim_perf, &o, 500 * MS);
		sim_watch_read(&w, 100);
		sim_watch_fini(&w);
		processes = reader->new (NULL, &o);
		process_list_free(reader->read(processes, &query, 1));
		list = reader->read(processes, &query, 1000 * MS);
		assert_int_equal(list->n, 1);
		assert_int_equal(list->processes[0].command != NULL, i == 1);
		process_list_free(list);
		reader->free(processes);
		gpudb_free(own);
		fixture_fini(&fixture);
	}
}

TEST_GROUP(load_data, unload_data)

int main(void)
{
	load_scenarios();

	return test_run();
}
