/* The frames and passes of the simulated game against its GPU's counters, which are another run of
 * the same model. */
#include "passes/frame_stats.h"
#include "tests/support/shared_data.h"
#include "tests/support/sim_watch.h"

static struct pass_names names;
static struct pass_frame frame; /* one of the last sample that has frames */

/* Fold n more samples, levels by the last of them. */
static void watch_read(struct sim_watch *w, unsigned n)
{
	struct column *one = column_new(w->run.source.n_slots);

	free(w->column);
	w->column = column_new(w->run.source.n_slots);
	while (n--) {
		column_from_sample(one, sim_run_read(&w->run), w->run.source.slots, w->run.source.n_slots);
		pass_names_take(&names, w->run.sample);
		if (pass_records_count(w->run.sample))
			pass_records_read_frame(&frame, w->run.sample, pass_records_count(w->run.sample) / 2);
		column_fold(w->column, one, w->run.source.slots, w->run.source.n_slots);
	}
	metric_vector(w->set, w->column, w->vector);
	free(one);
}

TEST(frames_take_the_time_that_the_counters_see)
{
	for (unsigned s = 0; s < sim_n_scenarios; s++) {
		const struct source_options o = {.db = db, .scenario = sim_scenarios[s].name, .seed = 3};
		struct sim_watch gpu, passes;
		double busy, seen;

		sim_watch_init(&gpu, &o, 500 * MS);
		sim_watch_part(&passes, &backend_sim_passes, &o, 500 * MS);
		sim_watch_read(&gpu, 10);
		watch_read(&passes, 10);
		busy = sim_watch_value(&gpu, "GPUBusy");
		seen = sim_watch_value(&passes, "FrameGPUTime / 50");
		if (!(fabs(busy - seen) < 4))
			fail_msg("%s: the GPU is busy for %g %%, its passes run for %g %%", o.scenario, busy,
				 seen);
		sim_watch_fini(&gpu);
		sim_watch_fini(&passes);
	}
}

TEST(each_scenario_has_the_frames_that_it_describes)
{
	static const struct {
		const char *scenario, *metric;
		double low, high;
	} cases[] = {
		{"mixed", "frame.fps", 59, 61},
		{"mixed", "frame.on_time", 97, 100},
		{"fragment-bound", "frame.cpu_ms", 18, 40},
		{"fragment-bound", "frame.missed", 95, 100},
		{"cpu-bound", "frame.busy_ms", 34, 48},
		{"cpu-bound", "frame.gpu_ms", 2, 12},
		{"serialised", "frame.in_flight", 0, 0},
		{"idle", "frame.gpu_ms", 0.1, 5},
		{"raytracing", "frame.passes", 3, 3},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct source_options o = {.db = db, .scenario = cases[i].scenario, .seed = 1};
		struct sim_watch w;
		double x;

		sim_watch_part(&w, &backend_sim_passes, &o, 500 * MS);
		watch_read(&w, 10);
		x = sim_watch_value(&w, cases[i].metric);
		if (!(x >= cases[i].low && x <= cases[i].high))
			fail_msg("%s: %s is %g, expected %g to %g", cases[i].scenario, cases[i].metric, x,
				 cases[i].low, cases[i].high);
		sim_watch_fini(&w);
	}
}

/* Own times add up to the GPU's time, and the spans of one frame are within it. */
TEST(passes_have_the_names_of_the_scenario_and_add_up)
{
	for (unsigned s = 0; s < sim_n_scenarios; s++) {
		const struct source_options o = {.db = db, .scenario = sim_scenarios[s].name, .seed = 2};
		struct pass_table table;
		struct sim_watch w;
		double sum = 0;

		sim_watch_part(&w, &backend_sim_passes, &o, 500 * MS);
		watch_read(&w, 8);
		pass_table_read(&table, w.set, w.vector, &names);
		assert_string_equal(table.app, "com.example.game");
		assert_true(table.n > 0 && frame.n > 0);
		for (unsigned i = 0; i < table.n; i++) {
			bool named = false;

			for (unsigned p = 0; p < sim_scenarios[s].n_passes; p++)
				named |= span_is(sim_scenarios[s].passes[p].name, table.lines[i].name);
			assert_true(named);
			sum += table.lines[i].ms;
		}
		if (!(fabs(sum / sim_watch_value(&w, "frame.gpu_ms") - 1) < 0.01))
			fail_msg("%s: passes add up to %g ms", o.scenario, sum);
		for (unsigned i = 0; i < frame.n; i++)
			assert_true(frame.spans[i].end_ms >= frame.spans[i].begin_ms);
		sim_watch_fini(&w);
	}
}

/* What a scenario says it is bound by takes the longest. */
TEST(the_longest_pass_is_the_one_that_the_scenario_is_about)
{
	static const struct {
		const char *scenario, *pass;
	} cases[] = {{"fragment-bound", "scene"},   {"compute-bound", "forces"}, {"bandwidth-bound", "scene"},
		     {"raytracing", "reflections"}, {"vertex-bound", "scene"},   {"mixed", "scene"}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct source_options o = {.db = db, .scenario = cases[i].scenario, .seed = 1};
		struct pass_table table;
		struct sim_watch w;

		sim_watch_part(&w, &backend_sim_passes, &o, 500 * MS);
		watch_read(&w, 8);
		pass_table_read(&table, w.set, w.vector, &names);
		if (strcmp(table.lines[0].name, cases[i].pass) != 0)
			fail_msg("%s: %s takes %g ms", cases[i].scenario, table.lines[0].name,
				 table.lines[0].ms);
		sim_watch_fini(&w);
	}
}

/* Two frames are in flight: while the CPU makes one, the GPU draws those before it. */
TEST(the_lanes_of_a_busy_gpu_have_no_hole)
{
	const struct source_options o = {.db = db, .scenario = "fragment-bound", .seed = 1};
	struct sim_watch w;

	sim_watch_part(&w, &backend_sim_passes, &o, 500 * MS);
	watch_read(&w, 4);
	for (double ms = 0.5; ms < 2 * frame.ms; ms += 0.5) {
		bool runs = false;

		for (unsigned i = 0; i < frame.n; i++)
			runs |= frame.spans[i].begin_ms <= ms && ms <= frame.spans[i].end_ms;
		if (!runs)
			fail_msg("nothing runs at %g of %g ms", ms, frame.ms);
	}
	sim_watch_fini(&w);
}

TEST_GROUP(load_data, unload_data)

int main(void)
{
	load_scenarios();

	return test_run();
}
