#include "tests/support/shared_data.h"
#include "tests/support/sim_run.h"

static struct source_options options(const char *gpu, const char *scenario, uint64_t seed)
{
	return (struct source_options){
		.db = db, .gpu_name = gpu, .scenario = scenario, .seed = seed, .per_instance = true};
}

static void assert_same(const struct sim_run *run, const uint64_t *a, const uint64_t *b, const char *what)
{
	for (unsigned i = 0; i < run->source.n_slots; i++)
		if (a[i] != b[i])
			fail_msg("%s, %s: %s%s%u is %llu and %llu", run->source.title, what,
				 run->source.slots[i].name, instance_names[run->source.slots[i].instance],
				 run->source.slots[i].number, (unsigned long long)a[i],
				 (unsigned long long)b[i]);
}

TEST(it_is_never_found_only_asked_for)
{
	struct source_found *found = NULL;
	struct err err;

	assert_true(backend_sim.probe(NULL, &found, &err));
	assert_null(found);
}

TEST(what_it_does_not_know_is_an_error_that_says_what_there_is)
{
	static const struct {
		const char *gpu, *scenario, *says;
	} cases[] = {
		{"Mali-G999", NULL, "malitop list gpus"},
		{"", NULL, "malitop list gpus"},
		{"\033[31mG715", NULL, "?[31mG715"},
		{NULL, "boring",
		 "idle, mixed, fragment-bound, vertex-bound, compute-bound, bandwidth-bound, cpu-bound, "
		 "serialised, raytracing, uncapped, capped-30, sleeping-limiter"},
		{NULL, "", "idle"},
		{NULL, "Mixed", "mixed"},
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct source source = {.options = options(cases[i].gpu, cases[i].scenario, 1)};
		struct err err = {0};

		source.priv = xcalloc(1, backend_sim.priv_size);
		assert_false(backend_sim.open(&source, "", &err));
		assert_non_null(strstr(err.text, cases[i].says));
		backend_sim.close(&source);
		free(source.priv);
		free(source.slots);
	}
}

#define ANY_SCENARIO                                                             \
	"shaders alu rt\n  s 0.5 0.5\nscenario mixed\n  pass p: compute 0.5 s\n" \
	"  phase a: seconds 1\n"

TEST(a_gpu_that_cannot_be_simulated_is_an_error)
{
	static const char layout[] =
		"layout L\n  slots 64\n  block front_end\n    6 GPU_ACTIVE MaliGPUActiveCy\n" ANY_SCENARIO;
	static const struct {
		const char *typical, *says;
	} cases[] = {
		{"typical cores 0 slices 1 bus 128 mhz 500", "1 to 64 cores"},
		{"typical cores 4 slices 64 bus 128 mhz 500", "1 to 16 slices"},
		{"typical cores 4 slices 1 bus 96 mhz 500", "a bus that divides"},
		{"typical cores 4 slices 1 bus 128 mhz 0", "a clock"},
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf text = {0};
		struct source source = {0};
		struct err err = {0};
		struct gpudb *own;

		strbuf_printf(
			&text,
			"gpu Mali-X\n  family Valhall-CSF\n  year 2020\n  id 0xf001\n  layout L\n  %s\n%s",
			cases[i].typical, layout);
		own = gpudb_load_texts(&(struct gpudb_text){"x.gpu", {text.p, text.n}}, 1, &err);
		if (!own)
			fail_msg("%s", err.text);
		source.options = (struct source_options){.db = own, .gpu_name = "X"};
		source.priv = xcalloc(1, backend_sim.priv_size);
		assert_false(backend_sim.open(&source, "", &err));
		assert_non_null(strstr(err.text, cases[i].says));
		backend_sim.close(&source);
		free(source.priv);
		free(source.slots);
		gpudb_free(own);
	}
}

TEST(an_odd_gpu_of_a_user_is_simulated_without_harm)
{
	static const char text[] =
		"gpu Mali-X\n  family 5thGen\n  year 2020\n  id 0xf001\n  layout L\n"
		"  constant MaliGPUWarpSize 0\n  constant MaliGPUTileSize 99999999\n"
		"  typical cores 64 slices 16 bus 512 mhz 3000\n"
		"layout L\n  slots 64\n  block front_end\n    6 GPU_ACTIVE MaliGPUActiveCy\n" ANY_SCENARIO;
	struct err err = {0};
	struct gpudb *own = gpudb_load_texts(&(struct gpudb_text){"x.gpu", SPAN_LIT(text)}, 1, &err);
	struct sim_run run;

	if (!own)
		fail_msg("%s", err.text);
	sim_run_init(&run, &(struct source_options){.db = own, .gpu_name = "X"}, 100 * MS);
	assert_true(sim_run_read(&run)->value[0] > 0);
	sim_run_fini(&run);
	gpudb_free(own);
}

TEST(by_default_it_is_a_g715_in_the_mixed_scenario)
{
	struct sim_run run;

	sim_run_init(&run, &(struct source_options){.db = db}, 100 * MS);
	assert_string_equal(run.source.title, "Mali-G715 7 cores");
	assert_string_equal(run.source.driver, "sim mixed");
	assert_true(run.source.simulated);
	assert_int_equal(run.source.kind, SOURCE_GPU);
	assert_int_equal(source_fd(&run.source), -1);
	assert_int_equal(run.source.period_ns, 100 * MS);
	sim_run_fini(&run);
}

static bool is_counter(const struct gpu_layout *layout, const char *name)
{
	bool found = false;

	for (unsigned i = 0; i < layout->n_counters && !found; i++)
		found = layout->counters[i].name && strcmp(layout->counters[i].name, name) == 0;
	return found;
}

TEST(every_published_counter_has_a_value_in_every_sample)
{
	for (unsigned p = 0; p < db->n_products; p++) {
		const struct source_options o = options(db->products[p].name, NULL, 1);
		const struct gpu_layout *layout = gpudb_product(db, p)->layout;
		struct sim_run run;

		if (!layout->n_published)
			continue;
		sim_run_init(&run, &o, 100 * MS);
		sim_run_read(&run);
		assert_true(run.sample->flags & SAMPLE_SIMULATED);
		for (unsigned i = 0; i < layout->n_counters; i++) {
			bool unknown = run.sample->value[i] == SAMPLE_UNKNOWN;

			if (unknown != !layout->counters[i].name)
				fail_msg("%s: %s", db->products[p].name, layout->counters[i].hw_name);
		}
		for (unsigned i = layout->n_counters; i < run.source.n_slots; i++)
			assert_true(run.sample->value[i] != SAMPLE_UNKNOWN ||
				    !is_counter(layout, run.source.slots[i].name));
		sim_run_fini(&run);
	}
}

TEST(cores_are_numbered_as_the_core_mask_has_holes)
{
	const struct source_options o = options("Mali-G610", NULL, 1);
	struct sim_run run;

	sim_run_init(&run, &o, 100 * MS);
	assert_int_equal(run.source.constants.core_mask, 0x17);
	assert_int_equal(run.source.constants.core_count, 4);
	sim_run_read(&run);
	assert_true(run.sample->value[sim_run_slot(&run, "MaliCoreActiveCy", INSTANCE_CORE, 4)] > 0);
	for (unsigned i = 0; i < run.source.n_slots; i++)
		assert_false(run.source.slots[i].instance == INSTANCE_CORE &&
			     run.source.slots[i].number == 3);
	sim_run_fini(&run);
}

TEST(the_same_seed_gives_the_same_run_and_another_one_another)
{
	const struct source_options one = options("Mali-G57", "mixed", 7),
				    two = options("Mali-G57", "mixed", 8);
	struct sim_run a, b, c;
	bool differs = false;

	sim_run_init(&a, &one, 10 * MS);
	sim_run_init(&b, &one, 10 * MS);
	sim_run_init(&c, &two, 10 * MS);
	for (unsigned k = 0; k < 100; k++) {
		sim_run_read(&a);
		sim_run_read(&b);
		sim_run_read(&c);
		assert_same(&a, a.sample->value, b.sample->value, "seed 7 twice");
		assert_int_equal(a.sample->flags, b.sample->flags);
		differs |= memcmp(a.sample->value, c.sample->value, a.source.n_slots * sizeof(uint64_t)) != 0;
	}
	assert_true(differs);
	sim_run_fini(&a);
	sim_run_fini(&b);
	sim_run_fini(&c);
}

TEST(a_sample_is_due_when_its_interval_has_ended_and_not_before)
{
	const struct source_options o = options(NULL, NULL, 1);
	struct sim_run run;

	sim_run_init(&run, &o, 100 * MS);
	assert_int_equal(backend_sim.read(&run.source, -5, run.sample), READ_NONE);
	assert_int_equal(backend_sim.read(&run.source, 100 * MS - 1, run.sample), READ_NONE);
	for (unsigned k = 0; k < 3; k++) {
		assert_int_equal(backend_sim.read(&run.source, 300 * MS, run.sample), READ_GOT);
		assert_int_equal(run.sample->begin_ns, k * 100 * MS);
		assert_int_equal(run.sample->end_ns, (k + 1) * 100 * MS);
		assert_int_equal(run.sample->lost, 0);
	}
	assert_int_equal(backend_sim.read(&run.source, 300 * MS, run.sample), READ_NONE);
	sim_run_fini(&run);
}

/* The past that a screen begins with is the run that would have been, in longer intervals; it comes
 * once. */
TEST(history_comes_first_and_is_the_same_run)
{
	struct source_options o = options("Mali-G52", "mixed", 3);
	struct sim_run plain, late;
	struct err err;

	sim_run_init(&plain, &o, SOURCE_HISTORY_STEP_NS);
	o.history_ns = 60000 * MS;
	sim_run_init(&late, &o, 100 * MS); /* at 0, before which there was nothing */
	assert_int_equal(backend_sim.read(&late.source, 99 * MS, late.sample), READ_NONE);
	sim_run_fini(&late);
	late = (struct sim_run){.source = {.backend = &backend_sim, .options = o}};
	late.source.priv = xcalloc(1, backend_sim.priv_size);
	assert_true(backend_sim.open(&late.source, "", &err) &&
		    backend_sim.start(&late.source, 100 * MS, 90000 * MS, &err));
	late.sample = xcalloc(1, sizeof(*late.sample) + late.source.n_slots * sizeof(late.sample->value[0]));
	for (int i = 0; i < 60; i++) {
		assert_int_equal(backend_sim.read(&late.source, 90000 * MS, late.sample), READ_GOT);
		sim_run_read(&plain);
		assert_int_equal(late.sample->flags & (SAMPLE_SIMULATED | SAMPLE_GAP), SAMPLE_SIMULATED);
		assert_int_equal(late.sample->begin_ns, 30000 * MS + SOURCE_HISTORY_STEP_NS * i);
		assert_int_equal(late.sample->end_ns, 30000 * MS + SOURCE_HISTORY_STEP_NS * (i + 1));
		assert_same(&late, late.sample->value, plain.sample->value, "history");
	}
	assert_int_equal(backend_sim.read(&late.source, 90099 * MS, late.sample), READ_NONE);
	assert_int_equal(backend_sim.read(&late.source, 90100 * MS, late.sample), READ_GOT);
	assert_int_equal(late.sample->begin_ns, 90000 * MS);
	assert_true(backend_sim.start(&late.source, 200 * MS, 91000 * MS, &err));
	assert_int_equal(backend_sim.read(&late.source, 91199 * MS, late.sample), READ_NONE);
	sim_run_fini(&plain);
	sim_run_fini(&late);
}

TEST(after_a_long_sleep_it_skips_and_says_so)
{
	const struct source_options o = options(NULL, NULL, 1);
	struct sim_run run, straight;

	sim_run_init(&run, &o, 100 * MS);
	sim_run_init(&straight, &o, 100 * MS);
	sim_run_read(&run);
	sim_run_read(&straight);
	assert_int_equal(backend_sim.read(&run.source, 3600 * 1000 * MS + 30 * MS, run.sample), READ_GOT);
	assert_true(run.sample->flags & SAMPLE_GAP);
	assert_int_equal(run.sample->lost, 36000 - 2);
	assert_int_equal(run.sample->end_ns, 3600 * 1000 * MS);
	assert_int_equal(backend_sim.read(&run.source, 3600 * 1000 * MS + 30 * MS, run.sample), READ_NONE);
	/* Simulated time stood still meanwhile. */
	sim_run_read(&straight);
	assert_same(&run, run.sample->value, straight.sample->value, "after the gap");
	sim_run_fini(&run);
	sim_run_fini(&straight);
}

TEST(a_delay_under_five_seconds_is_made_up_for)
{
	const struct source_options o = options(NULL, NULL, 1);
	struct sim_run run;
	unsigned n = 0;

	sim_run_init(&run, &o, 100 * MS);
	while (backend_sim.read(&run.source, 4900 * MS, run.sample) == READ_GOT) {
		assert_false(run.sample->flags & SAMPLE_GAP);
		n++;
	}
	assert_int_equal(n, 49);
	sim_run_fini(&run);
}

TEST(any_interval_is_kept)
{
	static const int64_t periods[] = {1 * MS, 1234567, 100 * MS, 10000 * MS};

	for (unsigned i = 0; i < ARRAY_LEN(periods); i++) {
		const struct source_options o = options(NULL, NULL, 1);
		struct sim_run run;

		sim_run_init(&run, &o, periods[i]);
		assert_int_equal(run.source.period_ns, periods[i]);
		sim_run_read(&run);
		assert_int_equal(run.sample->end_ns - run.sample->begin_ns, periods[i]);
		sim_run_fini(&run);
	}
}

TEST(it_tells_what_it_plays)
{
	static const struct {
		const char *gpu, *scenario, *says;
		bool said;
	} cases[] = {
		{"G715", "mixed", "scenario  mixed: A game", true},
		{"G715", "mixed", "seed      5", true},
		{"G715", "mixed", "1920x1080 at 60 Hz", true},
		{"G715", "mixed", "particles (compute)", true},
		{"G710", "raytracing", "Mali-G710 has no ray tracing unit", true},
		{"G715", "raytracing", "no ray tracing unit", false},
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		const struct source_options o = options(cases[i].gpu, cases[i].scenario, 5);
		AUTO_STRBUF struct strbuf text = {0};
		struct sim_run run;

		sim_run_init(&run, &o, 100 * MS);
		backend_sim.describe(&run.source, &text);
		assert_true((strstr(text.p, cases[i].says) != NULL) == cases[i].said);
		sim_run_fini(&run);
	}
}

TEST(it_can_be_stopped_and_started_again)
{
	const struct source_options o = options(NULL, NULL, 1);
	struct sim_run run;
	struct err err;

	sim_run_init(&run, &o, 100 * MS);
	sim_run_read(&run);
	backend_sim.stop(&run.source);
	assert_true(backend_sim.start(&run.source, 10 * MS, 7000 * MS, &err));
	assert_int_equal(backend_sim.read(&run.source, 7010 * MS, run.sample), READ_GOT);
	assert_int_equal(run.sample->begin_ns, 7000 * MS);
	assert_int_equal(run.sample->flags & SAMPLE_GAP, 0);
	sim_run_fini(&run);
}

TEST_GROUP(load_data, unload_data)
