/* The verdict on every scenario of the simulator, on every GPU. MALITOP_TEST_SEEDS=20 tries more
 * seeds than `make check` has time for. */
#include "backends/sim/sim_device.h"
#include "backends/process/process_scan.h"
#include "model/judge.h"
#include "tests/support/scenes.h"
#include "tests/support/sim_watch.h"

#define SAMPLES (JUDGE_STEP_NS / (100 * MS)) /* of a step */
#define STEPS 24                             /* recorded of each scenario */
#define STEPS_TO_DECIDE 4                    /* 2 s */

static unsigned n_seeds(void)
{
	const char *text = getenv("MALITOP_TEST_SEEDS");

	return text ? (unsigned)atoi(text) : 2;
}

/* A simulated GPU and its processes, in steps of the judge. */
struct scene {
	struct sim_watch watch, frames;
	void *processes;
	struct judge_facts facts;
};

static void scene_init(struct scene *s, const struct gpudb *db, const char *gpu, const char *scenario,
		       unsigned seed)
{
	const struct source_options o = {.db = db,
					 .gpu_name = gpu,
					 .scenario = scenario,
					 .seed = seed,
					 .interval_ns = 100 * MS,
					 .frames_per_second = 60,
					 .width = 1920,
					 .height = 1080};

	sim_watch_init(&s->watch, &o, 100 * MS);
	s->watch.set->constants[VECTOR_FPS] = 60;
	sim_watch_part(&s->frames, &backend_sim_passes, &o, JUDGE_STEP_NS);
	s->frames.set->constants[VECTOR_FPS] = 60;
	s->processes = sim_processes.new(NULL, &o);
	s->facts = (struct judge_facts){.value = {NAN, NAN}};
}

static void scene_fini(struct scene *s)
{
	sim_processes.free(s->processes);
	sim_watch_fini(&s->watch);
	sim_watch_fini(&s->frames);
}

/* One more step. Processes are read every second, as on the screen, and twice at the start, because
 * only the second list has percentages. */
static void scene_step(struct scene *s)
{
	const struct process_query query = {.threads_of = 4};
	struct process_list *list;
	const struct process *busiest;

	sim_watch_read(&s->watch, SAMPLES);
	sim_watch_read(&s->frames, 1);
	if (s->watch.run.now_ns > 2 * JUDGE_STEP_NS && s->watch.run.now_ns % (2 * JUDGE_STEP_NS))
		return;
	list = sim_processes.read(s->processes, &query, s->watch.run.now_ns);
	busiest = process_busiest(list);
	s->facts.value[FACT_BUSIEST_THREAD] = busiest ? busiest->cpu_percent : (double)NAN;
	process_list_free(list);
}

static void scene_judge(const struct scene *s, struct judge *judge)
{
	const double *vectors[SOURCE_KINDS] = {
		[SOURCE_GPU] = s->watch.vector, [SOURCE_PASSES] = s->frames.vector};
	struct metric_frames frames = METRIC_FRAMES_UNKNOWN;
	int64_t end_ns = s->watch.run.now_ns;

	metric_frames_add(&frames, s->frames.set, s->frames.column);
	metric_frames_put(&frames, s->watch.vector);
	judge_step(judge, end_ns - JUDGE_STEP_NS, end_ns, vectors, &s->facts);
}

static struct judge *judge_of(const struct scene *s, const struct gpudb *db)
{
	const struct metric_set *sets[SOURCE_KINDS] = {
		[SOURCE_GPU] = s->watch.set, [SOURCE_PASSES] = s->frames.set};

	return judge_new(db, sets);
}

static bool is_right(const struct judge *judge, const struct scene_verdict *scene)
{
	return scene_is_right(scene, span_of(judge_verdict_name(&judge->verdict)));
}

TEST(every_scenario_is_named_on_every_gpu)
{
	struct gpudb *db = load_shipped();

	for (unsigned g = 0; g < db->n_products; g += GPU_STEP)
		for (size_t i = 0; i < SCENE_VERDICTS; i++)
			for (unsigned seed = 1; seed <= n_seeds(); seed++) {
				struct judge *judge;
				struct scene s;

				scene_init(&s, db, db->products[g].name, scene_verdicts[i].scenario, seed);
				judge = judge_of(&s, db);
				for (unsigned k = 1; k <= STEPS; k++) {
					scene_step(&s);
					scene_judge(&s, judge);
					if (k > STEPS_TO_DECIDE && !is_right(judge, &scene_verdicts[i]))
						fail_msg("%s, %s, seed %u, after %.1f s: %s, not %s",
							 db->products[g].name, scene_verdicts[i].scenario,
							 seed, k * 0.5, judge_verdict_name(&judge->verdict),
							 scene_verdicts[i].verdict);
				}
				assert_int_equal(judge->verdict.changes, 1);
				judge_free(judge);
				scene_fini(&s);
			}
	gpudb_free(db);
}

#define WARM_STEPS 20    /* 10 s, until a scene has settled */
#define STEADY_STEPS 600 /* 5 minutes */

static void complain_of_events(const struct judge *judge, const char *gpu, const char *scenario,
			       unsigned seed)
{
	for (unsigned i = 0; i < judge->n_events; i++)
		if (judge->events[i].at_ns > WARM_STEPS * JUDGE_STEP_NS)
			print_message("%s, %s, seed %u, after %.1f s: %s %s\n", gpu, scenario, seed,
				      (double)judge->events[i].at_ns * 1e-9,
				      judge->events[i].what ? judge->events[i].what->def->name : "unclear",
				      judge->events[i].ended ? "ended" : "began");
}

static unsigned count_changes(const struct judge *judge)
{
	unsigned n = 0;

	for (unsigned i = 0; i < judge->n_events; i++)
		n += judge->events[i].at_ns > WARM_STEPS * JUDGE_STEP_NS;
	return n;
}

TEST(a_steady_scene_keeps_its_findings_for_five_minutes)
{
	static const char *const gpus[] = {"Mali-G52", "Mali-G715", "Mali-G625"};
	struct gpudb *db = load_shipped();
	unsigned changes = 0;

	for (size_t g = 0; g < ARRAY_LEN(gpus); g++)
		for (size_t i = 0; i < SCENE_VERDICTS; i++)
			for (unsigned seed = 1; seed <= n_seeds(); seed++) {
				struct judge *judge;
				struct scene s;

				if (strcmp(scene_verdicts[i].scenario, "mixed") == 0)
					continue; /* its phases change */
				scene_init(&s, db, gpus[g], scene_verdicts[i].scenario, seed);
				judge = judge_of(&s, db);
				for (unsigned k = 0; k < STEADY_STEPS; k++) {
					scene_step(&s);
					scene_judge(&s, judge);
				}
				complain_of_events(judge, gpus[g], scene_verdicts[i].scenario, seed);
				changes += count_changes(judge);
				judge_free(judge);
				scene_fini(&s);
			}
	if (changes)
		fail_msg("%u findings or verdicts changed", changes);
	gpudb_free(db);
}

/* A scene changes to another at once, with a step that has parts of both. */
TEST(a_change_of_scene_is_seen_within_two_seconds)
{
	static const char *const gpus[] = {"Mali-G52", "Mali-G715", "Mali-G625"};
	struct gpudb *db = load_shipped();

	for (size_t g = 0; g < ARRAY_LEN(gpus); g++)
		for (size_t a = 0; a < SCENE_VERDICTS; a++)
			for (size_t b = 0; b < SCENE_VERDICTS; b++) {
				struct scene from, to;
				struct judge *judge;

				if (a == b)
					continue;
				scene_init(&from, db, gpus[g], scene_verdicts[a].scenario, 7);
				scene_init(&to, db, gpus[g], scene_verdicts[b].scenario, 8);
				judge = judge_of(&from, db);
				for (unsigned k = 1; k <= 2 * STEPS_TO_DECIDE; k++) {
					scene_step(&from);
					scene_step(&to);
					scene_judge(&from, judge);
				}
				for (unsigned k = 1; k <= STEPS_TO_DECIDE; k++) {
					scene_step(&to);
					scene_judge(&to, judge);
				}
				if (!is_right(judge, &scene_verdicts[b]))
					fail_msg("%s, from %s to %s: %s after 2 s", gpus[g],
						 scene_verdicts[a].scenario, scene_verdicts[b].scenario,
						 judge_verdict_name(&judge->verdict));
				judge_free(judge);
				scene_fini(&from);
				scene_fini(&to);
			}
	gpudb_free(db);
}

/* The mixed scenario has phases; its times are known. */
TEST(the_phases_of_a_mixed_scene_are_followed_within_two_seconds)
{
	static const char *const gpus[] = {"Mali-G31", "Mali-G52", "Mali-G78", "Mali-G715", "Mali-G1-Ultra"};
	const struct sim_scenario *mixed = &sim_scenarios[1];
	struct gpudb *db = load_shipped();

	for (size_t g = 0; g < ARRAY_LEN(gpus); g++) {
		int64_t changed_ns = 0;
		const struct sim_phase *before = NULL;
		struct judge *judge;
		struct scene s;

		scene_init(&s, db, gpus[g], "mixed", 3);
		judge = judge_of(&s, db);
		for (unsigned k = 0; k < 2 * 90; k++) {
			const struct sim_phase *phase = sim_scenario_phase(mixed, s.watch.run.now_ns);
			const struct scene_verdict wanted = {
				"mixed", span_is(phase->name, "idle") ? "idle" : "frame-cap"};

			if (phase != before)
				changed_ns = s.watch.run.now_ns;
			before = phase;
			scene_step(&s);
			scene_judge(&s, judge);
			if (s.watch.run.now_ns - changed_ns > 2000 * MS && !is_right(judge, &wanted))
				fail_msg("%s at %.1f s (%.*s): %s", gpus[g],
					 (double)s.watch.run.now_ns * 1e-9, SPAN_ARG(phase->name),
					 judge_verdict_name(&judge->verdict));
		}
		assert_int_equal(judge->verdict.changes, 3);
		judge_free(judge);
		scene_fini(&s);
	}
	gpudb_free(db);
}

int main(void)
{
	load_scenarios();

	return test_run();
}
