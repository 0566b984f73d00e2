/* Scenarios as text: those of a user, and what is wrong with a text. */
#include "backends/sim/sim_device.h"
#include "tests/support/fixture.h"
#include "tests/support/sim_run.h"

static const char tables[] = "shaders alu issue\n  mine 0.5 0.9\n"
			     "looks primitives overdraw\n  flat 0.1 2\n";
static const char passes[] =
	"  pass all: vertex 0.1 mine, fragment 0.2 mine, look flat\n  phase a: seconds 3\n";

/* Read the scenario `own` of the tables above and of a text. */
static bool load_own(struct sim_scenario *sc, const char *text, struct gpudb **db, struct err *err)
{
	const struct gpudb_text texts[] = {{"tables", span_of(tables)}, {"own.scenario", span_of(text)}};

	*db = gpudb_load_texts(texts, 2, err);
	return *db && sim_scenario_load(sc, *db, "own", err);
}

TEST(a_wrong_line_is_an_error_that_names_file_and_line)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"scenario own\n", "own.scenario:1: scenario 'own' needs a pass and a phase"},
		{"scenario own\n  phase a: seconds 1\n", "own.scenario:1: scenario 'own' needs a pass"},
		{"scenario own\n  wave 2\n", "own.scenario:2: 'wave': expected help, pass, phase"},
		{"scenario own\n  cpu main 0.5\n    more\n", "own.scenario:3: 'more': expected help, pass"},
		{"scenario own\n  cpu main 1.1\n", "own.scenario:2: main '1.1': expected 0 to 1"},
		{"scenario own\n  cpu main nan\n", "own.scenario:2: main 'nan': expected 0 to 1"},
		{"scenario own\n  cpu main 1 x\n", "own.scenario:2: 'x' after 'main'"},
		{"scenario own\n\n  game speed 1\n", "own.scenario:3: unknown 'speed': expected one of wave"},
		{"scenario own\n  game in-flight 4\n", "own.scenario:2: in-flight '4': expected 1 to 3"},
		{"scenario own\n  pass : compute 1 mine\n", "own.scenario:2: expected a name"},
		{"scenario own\n  pass p: compute 1 yours\n", "own.scenario:2: no 'yours' in the shaders"},
		{"scenario own\n  pass p: compute 1 mine, look x\n", "own.scenario:2: no 'x' in the looks"},
		{"scenario own\n  pass p: vertex 1 mine\n",
		 "own.scenario:2: pass 'p': expected vertex, fragm"},
		{"scenario own\n  pass p: vertex 1 mine, fragment 1 mine\n",
		 "own.scenario:2: pass 'p': expect"},
		{"scenario own\n  pass p: compute 11 mine\n",
		 "own.scenario:2: compute '11': expected 0.0001"},
		{"scenario own\n  pass p: compute 1 mine, vertex 1 mine\n",
		 "own.scenario:2: pass 'p': expect"},
		{"scenario own\n  phase a: seconds 0\n", "own.scenario:2: seconds '0': expected 1 to 3600"},
		{"scenario own\n  phase a: | p\n", "own.scenario:2: no pass 'p' above"},
		{"scenario own-name-that-is-too-long-to-be-shown\n",
		 "--demo: unknown 'own': expected one of own-n"},
		{"shaders alu\n  p 2\nscenario own\n  pass p: compute 1 p\n",
		 "own.scenario:2: alu '2': expected 0 to 1"},
		{"shaders alu ls\n  p 1\nscenario own\n  pass p: compute 1 p\n",
		 "own.scenario:2: ls '': expected 0 to 1"},
		{"shaders alu\n  p 1 1\nscenario own\n  pass p: compute 1 p\n",
		 "own.scenario:2: more numbers than columns in 'shaders'"},
		{"shaders salt\n  p 1\nscenario own\n  pass p: compute 1 p\n",
		 "own.scenario:2: unknown 'salt': expected one of alu tex"},
		{"scenario\n", "own.scenario:1: 'scenario' without a name"},
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++) {
		struct sim_scenario sc;
		struct err err = {0};
		struct gpudb *db;

		if (load_own(&sc, cases[i].text, &db, &err) || !strstr(err.text, cases[i].says))
			fail_msg("%s: %s, not %s", cases[i].text, err.text, cases[i].says);
		gpudb_free(db);
	}
}

TEST(lists_are_bounded)
{
	static const struct {
		const char *line, *says;
		unsigned fits; /* of these lines */
	} cases[] = {
		{"  pass p: compute 1 mine\n", "at most 6 passes", 6},
		{"  phase a: seconds 1\n", "at most 8 phases", 8},
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++)
		for (unsigned more = 0; more < 2; more++) {
			AUTO_STRBUF struct strbuf text = {0};
			struct sim_scenario sc;
			struct err err = {0};
			struct gpudb *db;
			bool ok;

			strbuf_printf(&text, "scenario own\n%s", i == 0 ? "  phase a: seconds 1\n" : passes);
			for (unsigned n = i == 1; n < cases[i].fits + more; n++)
				strbuf_str(&text, cases[i].line);
			ok = load_own(&sc, text.p, &db, &err);
			if (ok == more || (!ok && !strstr(err.text, cases[i].says)))
				fail_msg("%s: %s", cases[i].line, err.text);
			gpudb_free(db);
		}
}

TEST(what_a_text_does_not_name_has_its_default)
{
	AUTO_STRBUF struct strbuf text = {0};
	struct sim_scenario sc;
	struct err err = {0};
	struct gpudb *db;

	strbuf_printf(&text, "scenario own\n%s  game sleeps\n", passes);
	if (!load_own(&sc, text.p, &db, &err))
		fail_msg("%s", err.text);
	assert_float_equal(sc.in_flight, 2, 0);
	assert_float_equal(sc.sleeps, 1, 0);
	assert_float_equal(sc.paced, 0, 0);
	assert_float_equal(sc.cpu.ipc, 1, 0);
	assert_float_equal(sc.phases[0].seconds, 3, 0);
	assert_float_equal(sc.phases[0].refreshes, 1, 0);
	assert_float_equal(sc.passes[0].pixels, 1, 0);
	assert_float_equal(sc.passes[0].shaders[STREAM_FRAGMENT].alu, 0.5, 0);
	assert_float_equal(sc.passes[0].shaders[STREAM_FRAGMENT].filter, 1, 0);
	assert_float_equal(sc.passes[0].look.overdraw, 2, 0);
	gpudb_free(db);
}

/* Files of a directory, as --gpudb reads them. */
TEST(a_users_scenario_replaces_a_shipped_one_and_uses_its_shaders)
{
	struct fixture fixture;
	struct gpudb_dir dir;
	struct gpudb *db;
	struct err err = {0};
	struct sim_scenario sc;
	AUTO_STRBUF struct strbuf names = {0};

	fixture_init(&fixture, NULL);
	fixture_write(
		&fixture, "own.scenario",
		"scenario idle\n  help Mine\n  pass p: vertex 0.1 position, fragment 0.5 heavy, look scene\n"
		"  phase a: seconds 1\n"
		"scenario extra\n  help More\n  pass p: compute 1 blur\n  phase a: seconds 1\n");
	dir = (struct gpudb_dir){fixture.root, true};
	db = gpudb_load(&dir, 1, &err);
	if (!db || !sim_scenario_load(&sc, db, "idle", &err))
		fail_msg("%s", err.text);
	assert_true(span_is(sc.help, "Mine"));
	assert_float_equal(sc.passes[0].shaders[STREAM_FRAGMENT].alu, 0.8, 0);
	assert_true(sim_scenario_load(&sc, db, "extra", &err));
	gpudb_scenarios(db, &names);
	assert_non_null(strstr(names.p, "idle, mixed"));
	assert_string_equal(strstr(names.p, "sleeping-limiter"), "sleeping-limiter, extra");
	gpudb_free(db);
	fixture_fini(&fixture);
}

/* The extremes of all numbers: the model keeps its invariants, and ends. */
TEST(any_numbers_within_the_bounds_can_be_simulated)
{
	static const char *const shaders[] = {"shaders alu tex ls var rt bus_read l2_hit issue any samples "
					      "filter compressed narrow diverged "
					      "registers\n  s 0 0 0 0 0 0 0 0.05 0.05 0 1 0 0 0 0\n",
					      "shaders alu tex ls var rt bus_read l2_hit issue any samples "
					      "filter compressed narrow diverged "
					      "registers\n  s 1 1 1 1 1 1 0.98 1 1 64 2 1 1 1 1\n"};
	static const char *const looks[] = {
		"looks primitives vertices facing frustum scissor overdraw early_kill hidden_kill late "
		"tested "
		"opaque buffered coarse blended still tile_bytes\n  l 0 0 0 0 0 0.01 0 0 0 0 0 0 0 0 0 0\n",
		"looks primitives vertices facing frustum scissor overdraw early_kill hidden_kill late "
		"tested "
		"opaque buffered coarse blended still tile_bytes\n  l 1 3 1 1 1 32 8 8 1 1 1 1 1 1 1 64\n"};
	static const char *const games[] = {
		"scenario own\n  pass d: vertex 0.0001 s, fragment 0.0001 s, look l, pixels 0.0001\n"
		"  pass c: compute 0.0001 s\n  phase a: refreshes 0\n  game in-flight 3, imbalance 0.5, wave "
		"0.5\n",
		"scenario own\n  pass d: vertex 10 s, fragment 10 s, look l\n  pass c: compute 10 s, waits\n"
		"  phase a: refreshes 0\n  game in-flight 3, imbalance 0.5, wave 0.5, fps 1000, clock-step "
		"0\n"};

	for (unsigned i = 0; i < 8; i++) {
		AUTO_STRBUF struct strbuf text = {0};
		struct fixture fixture;
		struct gpudb_dir dir;
		struct gpudb *db;
		struct err err = {0};

		strbuf_printf(&text, "%s%s%s", shaders[i & 1], looks[i >> 1 & 1], games[i >> 2]);
		fixture_init(&fixture, NULL);
		fixture_write(&fixture, "own.scenario", text.p);
		dir = (struct gpudb_dir){fixture.root, true};
		db = gpudb_load(&dir, 1, &err);
		if (!db)
			fail_msg("%s", err.text);
		for (unsigned g = 0; g < db->n_products; g += 7) {
			struct sim_run run;

			if (!gpudb_product(db, g)->layout->n_published)
				continue;
			sim_run_init(&run,
				     &(struct source_options){.db = db,
							      .gpu_name = gpudb_product(db, g)->name,
							      .scenario = "own"},
				     100 * MS);
			for (unsigned k = 0; k < 3; k++)
				sim_run_read(&run);
			sim_run_fini(&run);
		}
		gpudb_free(db);
		fixture_fini(&fixture);
	}
}

TEST(a_wrong_table_of_the_phone_names_file_and_line)
{
	static const struct {
		const char *head, *row, *says;
		unsigned fits; /* of these rows */
	} cases[] = {
		{"people pid\n", "  me 1.5x init\n", "own.scenario:2: pid '1.5x': expected 0 to", 0},
		{"people cpu\n", "  me 1 init\n", "own.scenario:2: unknown 'cpu': expected one of pid", 0},
		{"people threads\n  me 1 init\n", "  me 27 a | b\n", "own.scenario:3: too many threads", 0},
		{"people pid\n", "  me 1 a | b\n", "own.scenario:30: more than 28 rows in 'people'", 28},
		{"events big\n", "  CPUCycles 1e5 cycles\n", "own.scenario:2: big '1e5': expected 0 to", 0},
		{"events big\n", "  CPUCycles 1 CPUCycles\n", "own.scenario:2: expected a base or an", 0},
		{"events big\n", "  Nothing 1 cycles\n", "own.scenario:2: unknown slot in 'events'", 0},
		{"clusters cpus\n", "  newer 9 A\n", "own.scenario:2: cpus '9': expected 1 to 8", 0},
		{"clusters cpus\n  newer 8 A\n", "  newer 1 B\n", "own.scenario:3: too many CPUs", 0},
		{"clusters cpus\n", "  newer 1 A\n", "own.scenario:5: more than 3 rows in 'clu", 3},
		{"traffic always\n", "  a 1 b\n", "own.scenario:2: more numbers than columns", 0},
		{"traffic always\n", "  a 1\n", "own.scenario:6: more than 4 rows in 'traffic'", 4},
		{"events big\n", "  CPUCycles 1 cycles\n", "own.scenario:3: the same slot twice in 'ev", 1},
	};

	for (unsigned i = 0; i < ARRAY_LEN(cases); i++)
		for (unsigned more = cases[i].fits == 0; more < 2; more++) {
			AUTO_STRBUF struct strbuf text = {0};
			struct fixture fixture;
			struct gpudb_dir dir;
			struct gpudb *db;
			struct err err = {0};
			struct sim_device device;
			bool ok;

			strbuf_str(&text, cases[i].head);
			for (unsigned n = 0; n < cases[i].fits + more; n++)
				strbuf_str(&text, cases[i].row);
			fixture_init(&fixture, NULL);
			fixture_write(&fixture, "own.scenario", text.p);
			dir = (struct gpudb_dir){fixture.root, true};
			db = gpudb_load(&dir, 1, &err);
			ok = db && sim_device_init(&device, &(struct source_options){.db = db}, &err);
			if (ok == more || (!ok && !strstr(err.text, cases[i].says)))
				fail_msg("%s%s: %s", cases[i].head, cases[i].row, err.text);
			gpudb_free(db);
			fixture_fini(&fixture);
		}
}
