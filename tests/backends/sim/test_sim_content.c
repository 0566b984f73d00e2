/* What an expert looks at first: do the numbers of a simulated GPU go together as those of real
 * content do? */
#include "tests/support/shared_data.h"
#include "tests/support/sim_watch.h"

#define SEEDS 3

typedef void watch_fn(struct sim_watch *w, const struct sim_scenario *scenario, void *arg);

/* Calls fn for every scenario of a GPU, with `samples` of 100 ms folded after the first. */
static void watch_scenarios(const struct gpu_product *product, uint64_t seed, unsigned samples, watch_fn *fn,
			    void *arg)
{
	for (unsigned s = 0; s < sim_n_scenarios; s++) {
		struct sim_watch w;

		sim_watch_init(&w,
			       &(struct source_options){.db = db,
							.gpu_name = product->name,
							.scenario = sim_scenarios[s].name,
							.seed = seed,
							.per_instance = true},
			       100 * MS);
		sim_watch_read(&w, 1);
		sim_watch_read(&w, samples);
		fn(&w, &sim_scenarios[s], arg);
		sim_watch_fini(&w);
	}
}

static void watch_all(unsigned seeds, unsigned samples, watch_fn *fn, void *arg)
{
	for (unsigned p = 0; p < db->n_products; p += GPU_STEP)
		for (unsigned seed = 1; seed <= seeds && gpudb_product(db, p)->layout->n_published; seed++)
			watch_scenarios(gpudb_product(db, p), seed, samples, fn, arg);
}

static void assert_range(const struct sim_watch *w, const struct sim_scenario *s, const char *formulas,
			 double low, double high)
{
	double x = sim_watch_value(w, formulas);

	if (!isnan(x) && (x < low || x > high))
		fail_msg("%s, %s, seed %u: %s = %g, expected %g to %g", w->run.source.title, s->name,
			 (unsigned)w->run.source.options.seed, formulas, x, low, high);
}

static const char partial[] = "MaliFragRastPartQdRate | MaliFragPartWarpRate";

static void check_triangles(struct sim_watch *w, const struct sim_scenario *s, void *arg)
{
	double pixels = sim_watch_value(w, "MaliGPUPix / MaliGeomVisiblePrim");

	(void)arg;
	assert_range(w, s, "MaliFragRastPrim / MaliGeomVisiblePrim", 0.9, INFINITY);
	if (pixels < 3) {
		assert_range(w, s, "MaliGeomSampleCullRate", 25, 75);
		assert_range(w, s, partial, 65, 100);
		assert_range(w, s, "MaliCoreFragWarpOcc", 40, 80);
		assert_range(w, s, "MaliFragFPKBUtil", 20, 72);
	} else if (pixels > 100) {
		assert_range(w, s, "MaliGeomSampleCullRate", 0, 5);
		assert_range(w, s, partial, 0, 50);
		assert_range(w, s, "MaliCoreFragWarpOcc", 85, 100);
		assert_range(w, s, "MaliFragFPKBUtil", 73, 100);
	}
	if (!strcmp(s->name, "vertex-bound"))
		assert_true(pixels < 3);
}

TEST(small_triangles_leave_their_mark_everywhere_and_large_ones_nowhere)
{
	watch_all(SEEDS, 10, check_triangles, NULL);
}

static void check_still_screen(struct sim_watch *w, const struct sim_scenario *s, void *arg)
{
	bool still = !strcmp(s->name, "idle");

	(void)arg;
	assert_range(w, s, "MaliFragTileKillRate", still ? 85 : 0, still ? 100 : 35);
	assert_range(w, s, "MaliSCBusTileWrBPerPx", still ? 0 : 1, still ? 0.6 : INFINITY);
}

TEST(tiles_of_a_still_screen_are_not_written_back)
{
	watch_all(SEEDS, 20, check_still_screen, NULL);
}

static void check_texture_samples(struct sim_watch *w, const struct sim_scenario *s, void *arg)
{
	(void)arg;
	assert_range(w, s, "MaliTexSample / (MaliFragThread + MaliNonFragThread)", 0.02, 12);
	assert_range(w, s, "MaliSCBusTexL2RdByPerRd", 0, 72); /* a line per cycle */
}

TEST(a_thread_takes_a_few_texture_samples_however_fast_the_unit)
{
	watch_all(SEEDS, 10, check_texture_samples, NULL);
}

static void check_busiest_unit(struct sim_watch *w, const struct sim_scenario *s, void *arg)
{
	static const char *const units[] = {"MaliALUUtil", "MaliTexUtil", "MaliLSUtil", "MaliVarUtil",
					    "MaliRTUUtil"};
	AUTOFREE char *busiest = span_dup(sim_signs[s - sim_scenarios].busiest);
	double most = *busiest ? sim_watch_value(w, busiest) : INFINITY;
	unsigned as_busy = 0;

	(void)arg;
	for (unsigned i = 0; i < ARRAY_LEN(units); i++)
		as_busy += sim_watch_value(w, units[i]) * 1.15 > most;
	if (*busiest && as_busy != 1)
		fail_msg("%s, %s: %u units are as busy as %s", w->run.source.title, s->name, as_busy - 1,
			 busiest);
}

TEST(the_busiest_unit_is_the_one_that_the_scenario_names)
{
	watch_all(SEEDS, 10, check_busiest_unit, NULL);
}

/* Ranges of all metrics over the scenarios. */
struct content_spread {
	double low[2048], high[2048];
	unsigned seen[2048];
};

static bool is_ratio(const struct metric *m)
{
	return m->unit->kind == UNIT_PERCENT || strchr(m->unit->name, '/');
}

static void add_to_spread(struct sim_watch *w, const struct sim_scenario *s, void *arg)
{
	struct content_spread *spread = arg;

	(void)s;
	assert_true(w->set->n_metrics <= ARRAY_LEN(spread->low));
	for (unsigned i = 0; i < w->set->n_metrics; i++) {
		double x = expr_eval(&w->set->metrics[i].expr, w->vector);

		if (isnan(x))
			continue;
		spread->low[i] = spread->seen[i] ? fmin(spread->low[i], x) : x;
		spread->high[i] = spread->seen[i] ? fmax(spread->high[i], x) : x;
		spread->seen[i]++;
	}
}

TEST(no_metric_is_the_same_in_all_scenarios)
{
	for (unsigned p = 0; p < db->n_products; p += GPU_STEP) {
		struct content_spread spread = {0};
		struct sim_run run;
		struct metric_set *set;

		if (!gpudb_product(db, p)->layout->n_published)
			continue;
		watch_scenarios(gpudb_product(db, p), 1, 20, add_to_spread, &spread);
		sim_run_init(&run, &(struct source_options){.db = db, .gpu_name = db->products[p].name},
			     100 * MS);
		set = sim_run_metrics(&run);
		for (unsigned i = 0; i < set->n_metrics; i++)
			if (is_ratio(&set->metrics[i]) && spread.seen[i] == sim_n_scenarios &&
			    spread.high[i] <= spread.low[i] * 1.1)
				fail_msg("%s: %s is %g to %g in every scenario", db->products[p].name,
					 set->metrics[i].def->name, spread.low[i], spread.high[i]);
		metric_set_free(set);
		sim_run_fini(&run);
	}
}

/* How far cores are apart in one metric, as a share of the highest, or, of shares, of how far that
 * is from the nearer end. */
static double core_spread(struct sim_watch *w, const struct metric *m, double *most)
{
	double low = INFINITY, high = 0;

	for (unsigned i = 0; i < w->set->n_instances; i++) {
		double x;

		if (w->set->instances[i].kind != INSTANCE_CORE)
			continue;
		metric_vector_instance(w->set, &w->set->instances[i], w->vector, w->set->n_vector, w->own);
		x = expr_eval(&m->expr, w->own);
		low = fmin(low, x);
		high = fmax(high, x);
	}
	*most = high;
	if (m->unit->kind == UNIT_PERCENT)
		return (high - low) / fmin(high, 100 - high);
	return (high - low) / high;
}

static void check_cores(struct sim_watch *w, const struct sim_scenario *s, void *arg)
{
	(void)arg;
	if (w->run.source.constants.core_count < 3)
		return;
	for (unsigned i = 0; i < w->set->n_metrics; i++) {
		const struct metric *m = &w->set->metrics[i];
		double most, apart;

		if (!is_ratio(m) || !(m->instances & 1u << INSTANCE_CORE))
			continue;
		apart = core_spread(w, m, &most);
		if (most > 0.01 && !(m->unit->kind == UNIT_PERCENT && most > 99) && apart < 0.0005)
			fail_msg("%s, %s: %s of all cores is within %g %% of %g", w->run.source.title,
				 s->name, m->def->name, apart * 100, most);
	}
}

TEST(cores_differ_in_all_that_they_do)
{
	watch_all(1, 10, check_cores, NULL);
}

#define STRIP 40 /* columns of 0.5 s */

/* Standard deviation as a share of the mean; of shares, of how far the mean is from the nearer
 * end. */
static double strip_variation(const double *values, bool share, double *mean)
{
	double sum = 0, squares = 0;

	for (unsigned i = 0; i < STRIP; i++) {
		sum += values[i];
		squares += values[i] * values[i];
	}
	*mean = sum / STRIP;
	return sqrt(fmax(squares / STRIP - *mean * *mean, 0)) / (share ? fmin(*mean, 100 - *mean) : *mean);
}

static void check_strips(struct sim_watch *w, const struct sim_scenario *s, void *arg)
{
	double(*values)[STRIP] = xcalloc(w->set->n_metrics, sizeof(*values));

	(void)arg;
	for (unsigned k = 0; k < STRIP; k++) {
		sim_watch_read(w, 5);
		for (unsigned i = 0; i < w->set->n_metrics; i++)
			values[i][k] = expr_eval(&w->set->metrics[i].expr, w->vector);
	}
	for (unsigned i = 0; i < w->set->n_metrics; i++) {
		const struct metric *m = &w->set->metrics[i];
		double mean, variation = strip_variation(values[i], m->unit->kind == UNIT_PERCENT, &mean);

		/* how much cores differ is a property of the simulated device; a frame limit holds
		 * exactly */
		if (s->paced && strncmp(m->def->name, "frame.", 6) == 0)
			continue;
		if (!strcmp(m->def->name, "GPUClockShare"))
			continue; /* a GPU with little work stays at its lowest clock */
		if (is_ratio(m) && strcmp(m->def->name, "GPUCoreImbalance") != 0 && mean > 0.5 && mean < 97 &&
		    variation < 0.008)
			fail_msg("%s, %s: %s varies by %.2f %% around %g", w->run.source.title, s->name,
				 m->def->name, variation * 100, mean);
	}
	free(values);
}

TEST(nothing_stands_still_for_twenty_seconds)
{
	watch_all(1, 1, check_strips, NULL);
}

/* What a queue waits, as a share of the cycles in which it has work. */
static const char waits[] = "MaliFragQueueAssignStallCy / MaliFragQueuedCy * 100 |"
			    "MaliMainQueueAssignStallCy / MaliMainQueuedCy * 100 |"
			    "MaliFragQueueWaitFinishCy / MaliFragQueueActiveCy * 100";

static void check_waits(struct sim_watch *w, const struct sim_scenario *s, void *arg)
{
	double values[STRIP], mean, variation;

	(void)arg;
	if (!strcmp(s->name, "idle") || isnan(sim_watch_value(w, waits)))
		return; /* no fragments, or a GPU that does not count this */
	for (unsigned k = 0; k < STRIP; k++) {
		sim_watch_read(w, 5);
		values[k] = sim_watch_value(w, waits);
	}
	variation = strip_variation(values, true, &mean);
	if (!(variation > 0.02))
		fail_msg("%s, %s: waits vary by %.2f %% around %g", w->run.source.title, s->name,
			 variation * 100, mean);
}

TEST(queues_do_not_wait_a_constant_part_of_their_work)
{
	watch_all(1, 1, check_waits, NULL);
}

/* What a second of `mixed` looks like from its numbers alone. */
static const char *scene_of(struct sim_watch *w)
{
	double busy = sim_watch_value(w, "MaliGPUActiveCy / $ZOOM") / w->run.source.constants.top_hz * 100;
	double jobs = sim_watch_value(w, "MaliFragQueueJob | MaliMainQueueJob");

	if (jobs < 5)
		return "idle";
	return busy < 25 ? "menu" : jobs < 150 ? "hitch" : "play";
}

TEST(a_session_of_play_has_a_menu_hitches_an_idle_while_and_clock_changes)
{
	static const char *const names[] = {"Mali-G52", "Mali-G715", "Mali-G625", "Mali-G31"};

	for (unsigned g = 0; g < ARRAY_LEN(names); g++) {
		const struct source_options o = {
			.db = db, .gpu_name = names[g], .scenario = "mixed", .seed = g};
		unsigned play = 0, menu = 0, idle = 0, hitches = 0;
		double lowest = INFINITY, highest = 0;
		struct sim_watch w;

		sim_watch_init(&w, &o, 100 * MS);
		for (unsigned second = 0; second < 90; second++) {
			double clock;
			const char *scene;

			sim_watch_read(&w, 10);
			scene = scene_of(&w);
			clock = sim_watch_value(&w, "GPUClock");
			lowest = fmin(lowest, clock);
			highest = fmax(highest, clock);
			play += !strcmp(scene, "play");
			menu += !strcmp(scene, "menu");
			idle += !strcmp(scene, "idle");
			hitches += !strcmp(scene, "hitch") && second % 30 == 8;
		}
		assert_in_range(play, 55, 66);
		assert_in_range(menu, 15, 21);
		assert_in_range(idle, 6, 9);
		assert_in_range(hitches, 1, 3);
		assert_true(highest > 1.5 * lowest);
		sim_watch_fini(&w);
	}
}

TEST_GROUP(load_data, unload_data)

int main(void)
{
	load_scenarios();

	return test_run();
}
