#include "tests/support/shared_data.h"
#include "tests/support/sim_watch.h"

static struct source_options options(const char *gpu, const char *scenario, uint64_t seed)
{
	return (struct source_options){
		.db = db, .gpu_name = gpu, .scenario = scenario, .seed = seed, .per_instance = true};
}

/* The busiest core of a span is not always that of a part of it, and means are rounded. */
static bool depends_on_spans(const char *name)
{
	return !strcmp(name, SOURCE_BUSIEST_CORE) || !strcmp(name, SOURCE_MEAN_CORE);
}

static void assert_same(const struct sim_run *run, const uint64_t *a, const uint64_t *b, const char *what)
{
	for (unsigned i = 0; i < run->source.n_slots; i++)
		if (run->source.slots[i].kind != SLOT_LEVEL && a[i] != b[i] &&
		    !depends_on_spans(run->source.slots[i].name))
			fail_msg("%s, %s: %s%s%u is %llu and %llu", run->source.title, what,
				 run->source.slots[i].name, instance_names[run->source.slots[i].instance],
				 run->source.slots[i].number, (unsigned long long)a[i],
				 (unsigned long long)b[i]);
}

static uint64_t *sum_of(const struct source_options *o, int64_t period_ns, unsigned n, struct sim_run *run)
{
	sim_run_init(run, o, period_ns);
	return sim_run_sum(run, n);
}

/* What a driver never uses may stay at zero; all else must move in one scenario or another. */
TEST(every_counter_that_a_driver_uses_moves)
{
	static const char *const unused[] = {"MaliResQueue", "MaliMMUS2",  "MaliCS3", "MaliCSFCS3",
					     "MaliCS4",      "MaliCSFCS4", "MaliCS5", "MaliCSFCS5"};

	for (unsigned p = 0; p < db->n_products; p++) {
		const struct gpu_layout *layout = gpudb_product(db, p)->layout;
		uint64_t *total = xcalloc(layout->n_counters, sizeof(*total));

		for (unsigned s = 0; s < sim_n_scenarios; s++) {
			const struct source_options o =
				options(db->products[p].name, sim_scenarios[s].name, 1);
			struct sim_run run;
			uint64_t *sum = sum_of(&o, 500 * MS, 2, &run);

			for (unsigned i = 0; i < layout->n_counters; i++)
				total[i] += sum[i];
			sim_run_fini(&run);
			free(sum);
		}
		for (unsigned i = 0; i < layout->n_counters; i++) {
			const char *name = layout->counters[i].name;
			bool may_rest = !name;

			for (unsigned k = 0; k < ARRAY_LEN(unused) && name; k++)
				may_rest |= !strncmp(name, unused[k], strlen(unused[k]));
			if (!may_rest && !total[i])
				fail_msg("%s: %s never moves", db->products[p].name, name);
		}
		free(total);
	}
}

TEST(the_parts_of_cores_and_slices_add_up_to_the_sum)
{
	for (unsigned p = 0; p < db->n_products; p++) {
		const struct source_options o = options(db->products[p].name, "fragment-bound", 3);
		struct sim_run run;
		uint64_t *parts;

		sim_run_init(&run, &o, 20 * MS);
		parts = xcalloc(run.source.n_slots, sizeof(*parts));
		for (unsigned k = 0; k < 5; k++) {
			const struct gpu_layout *layout = gpudb_product(db, p)->layout;

			sim_run_read(&run);
			memset(parts, 0, run.source.n_slots * sizeof(*parts));
			for (unsigned i = 0; i < run.source.n_slots; i++)
				if (run.source.slots[i].instance != INSTANCE_ALL)
					parts[sim_run_slot(&run, run.source.slots[i].name, INSTANCE_ALL,
							   0)] += run.sample->value[i];
			for (unsigned i = 0; i < layout->n_counters; i++)
				if (layout->counters[i].name && (layout->counters[i].block == BLOCK_CORE ||
								 layout->counters[i].block == BLOCK_MEMORY))
					assert_int_equal(run.sample->value[i], parts[i]);
		}
		free(parts);
		sim_run_fini(&run);
	}
}

TEST(cores_are_a_little_uneven)
{
	static const char *const names[] = {"MaliCoreActiveCy", "MaliFragWarp", "MaliTexFiltIssueCy"};
	const struct source_options o = options("Mali-G715", "fragment-bound", 1);
	struct sim_run run;
	uint64_t *sum = sum_of(&o, 500 * MS, 2, &run);

	for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
		uint64_t least = UINT64_MAX, most = 0;

		for (unsigned core = 0; core < run.source.constants.core_count; core++) {
			uint64_t x = sum[sim_run_slot(&run, names[i], INSTANCE_CORE, core)];

			least = x < least ? x : least;
			most = x > most ? x : most;
		}
		assert_in_range((most - least) * 1000 / most, 5, 100);
	}
	free(sum);
	sim_run_fini(&run);
}

/* The clock slots count time in ns as well, so they must agree like all others. */
TEST(shorter_intervals_give_the_same_totals)
{
	static const struct {
		int64_t period_ns;
		unsigned n;
	} cuts[] = {{50 * MS, 6}, {25 * MS, 12}, {1 * MS, 300}, {3 * MS, 100}, {1200000, 250}};

	for (unsigned p = 0; p < db->n_products; p++)
		for (unsigned s = 0; s < sim_n_scenarios; s++) {
			const struct source_options o =
				options(db->products[p].name, sim_scenarios[s].name, p + s);
			struct sim_run whole;
			uint64_t *want = sum_of(&o, 100 * MS, 3, &whole);
			unsigned from = s % 3, to = s == 1 ? ARRAY_LEN(cuts) : from + 1;

			for (unsigned k = s == 1 ? 0 : from; k < to; k++) {
				struct sim_run cut;
				uint64_t *got = sum_of(&o, cuts[k].period_ns, cuts[k].n, &cut);

				assert_same(&whole, want, got, sim_scenarios[s].name);
				sim_run_fini(&cut);
				free(got);
			}
			sim_run_fini(&whole);
			free(want);
		}
}

/* NULL for the whole GPU. Serialisation is an estimate that three overlapping queues break, as its
 * help says. */
static void check_percentages(const struct sim_watch *w, const struct metric_instance *instance,
			      const char *where)
{
	if (instance)
		metric_vector_instance(w->set, instance, w->vector, w->set->n_vector, w->own);
	for (unsigned i = 0; i < w->set->n_metrics; i++) {
		const struct metric *m = &w->set->metrics[i];
		double x;

		if (m->unit->kind != UNIT_PERCENT || (instance && !(m->instances & 1u << instance->kind)))
			continue;
		x = expr_eval(&m->expr, instance ? w->own : w->vector);
		if (x < -1e-9 || x > 100 + 1e-9)
			fail_msg("%s, %s, %s, until %lld ns: %s = %g", w->run.source.title, where,
				 instance ? instance->label : "all", (long long)w->run.now_ns, m->def->name,
				 x);
	}
}

TEST(percentages_hold_in_samples_of_a_millisecond_and_for_each_core)
{
	static const char *const names[] = {"Mali-G31",  "Mali-G77",  "Mali-G310",
					    "Mali-G715", "Mali-G725", "Mali-G1-Pro"};

	for (unsigned g = 0; g < ARRAY_LEN(names); g++)
		for (unsigned s = 0; s < sim_n_scenarios; s++) {
			const struct source_options o = options(names[g], sim_scenarios[s].name, 1);
			struct sim_watch w;

			sim_watch_init(&w, &o, 1 * MS);
			for (unsigned k = 0; k < 100; k++) {
				sim_watch_read(&w, 1);
				check_percentages(&w, NULL, sim_scenarios[s].name);
				for (unsigned i = 0; i < w.set->n_instances; i++)
					check_percentages(&w, &w.set->instances[i], sim_scenarios[s].name);
			}
			sim_watch_fini(&w);
		}
}

TEST(the_clock_changes_inside_samples_and_they_are_flagged)
{
	static const char *const scenarios[] = {"mixed", "cpu-bound"};
	static const double steps[] = {0.4, 0.55, 0.7, 0.85, 1};

	for (unsigned s = 0; s < ARRAY_LEN(scenarios); s++) {
		const struct source_options o = options(NULL, scenarios[s], 1);
		struct sim_run run;
		unsigned changes = 0, slot;

		sim_run_init(&run, &o, 100 * MS);
		slot = sim_run_slot(&run, "GPUClockCy", INSTANCE_ALL, 0);
		for (unsigned k = 0; k < 50; k++) {
			double share;
			bool is_step = false;

			sim_run_read(&run);
			share = (double)run.sample->value[slot] / (run.source.constants.top_hz * 0.1);
			assert_true(share <= 1.000001);
			for (unsigned i = 0; i < ARRAY_LEN(steps); i++)
				is_step |= fabs(share - steps[i]) < 0.002;
			assert_true(is_step || run.sample->flags & SAMPLE_CLOCK);
			changes += (run.sample->flags & SAMPLE_CLOCK) != 0;
		}
		assert_in_range(changes, 1, 40);
		sim_run_fini(&run);
	}
}

static uint64_t a_second_of(const struct source_options *o, const char *counter)
{
	struct sim_run run;
	uint64_t *sum = sum_of(o, 100 * MS, 10, &run), x = sum[sim_run_slot(&run, counter, INSTANCE_ALL, 0)];

	sim_run_fini(&run);
	free(sum);
	return x;
}

TEST(frames_keep_to_the_refresh_rate)
{
	static const unsigned rates[] = {30, 60, 90};

	for (unsigned i = 0; i < ARRAY_LEN(rates); i++) {
		struct source_options o = options("Mali-G715", "mixed", 1);
		uint64_t jobs;

		o.frames_per_second = rates[i];
		jobs = a_second_of(&o, "MaliFragQueueJob") / 3; /* three render passes */
		assert_in_range(jobs, rates[i] - 2, rates[i]);
	}
}

TEST(a_larger_frame_has_more_pixels_and_takes_longer)
{
	struct source_options small = options("Mali-G715", "mixed", 1), large = small;
	uint64_t pixels, cycles;

	small.width = 1280;
	small.height = 720;
	large.width = 1600;
	large.height = 900;
	pixels = a_second_of(&large, "MaliFragQueueTask") * 1000 / a_second_of(&small, "MaliFragQueueTask");
	cycles = a_second_of(&large, "MaliFragQueuedCy") * 1000 / a_second_of(&small, "MaliFragQueuedCy");
	assert_in_range(pixels, 1530, 1590);
	assert_in_range(cycles, 1250, 1800);
}

TEST(fragment_work_waits_for_its_binning_and_overlaps_the_next)
{
	const struct source_options o = options("Mali-G715", "vertex-bound", 1);
	unsigned both = 0, vertex_jobs, fragment_jobs, fragment_cycles;
	uint64_t vertex = 0, fragment = 0, cycles = 0;
	struct sim_run run;

	sim_run_init(&run, &o, 1 * MS);
	vertex_jobs = sim_run_slot(&run, "MaliVertQueueJob", INSTANCE_ALL, 0);
	fragment_jobs = sim_run_slot(&run, "MaliFragQueueJob", INSTANCE_ALL, 0);
	fragment_cycles = sim_run_slot(&run, "MaliFragQueuedCy", INSTANCE_ALL, 0);
	for (unsigned k = 0; k < 500; k++) {
		const struct sample *sample = sim_run_read(&run);
		uint64_t vertex_now = sample->value[sim_run_slot(&run, "MaliVertQueuedCy", INSTANCE_ALL, 0)];

		vertex += sample->value[vertex_jobs];
		fragment += sample->value[fragment_jobs];
		cycles += sample->value[fragment_cycles];
		assert_true(fragment <= vertex);
		assert_true(!cycles || vertex);
		both += vertex_now > 800000 && sample->value[fragment_cycles] > 800000;
	}
	assert_true(fragment > 15);
	assert_in_range(both, 20, 250);
	sim_run_fini(&run);
}

TEST(the_traffic_of_the_cores_goes_over_the_bus)
{
	for (unsigned p = 0; p < db->n_products; p++) {
		const struct source_options o = options(db->products[p].name, "mixed", 1);

		if (db->products[p].family == FAMILY_MIDGARD)
			continue; /* its cores do not count their traffic */
		uint64_t cores = a_second_of(&o, "MaliSCBusTexExtRdBt") +
				 a_second_of(&o, "MaliSCBusLSExtRdBt") +
				 a_second_of(&o, "MaliSCBusFFEExtRdBt");
		uint64_t bus = a_second_of(&o, "MaliExtBusRd") * 4; /* of 16 bytes */

		assert_in_range(cores, bus / 2, bus);
	}
}

TEST_GROUP(load_data, unload_data)

int main(void)
{
	load_scenarios();

	return test_run();
}
