#include "tests/support/sim_run.h"

#define GPUS 32
#define SEEDS 20
#define SAMPLES 11 /* of 100 ms */
#define LONG 30    /* seconds */
#define MARGIN 0.05

/* What no GPU can break, in any sample. A row that names what a GPU does not count says nothing
 * about it. */
static const struct invariant {
	const char *part, *whole;
	bool equal;
} invariants[] = {
	/* no queue exceeds GPU active */
	{"MaliNonFragQueueActiveCy", "MaliGPUActiveCy", false},
	{"MaliFragQueueActiveCy", "MaliGPUActiveCy", false},
	{"MaliVertQueuedCy", "MaliGPUActiveCy", false},
	{"MaliCompQueuedCy", "MaliGPUActiveCy", false},
	{"MaliFragQueuedCy", "MaliGPUActiveCy", false},
	{"MaliBinningQueuedCy", "MaliGPUActiveCy", false},
	{"MaliMainQueuedCy", "MaliGPUActiveCy", false},
	{"MaliResQueueActiveCy", "0", true},
	{"MaliGPUAnyQueueActiveCy", "MaliGPUActiveCy", false},
	{"MaliGPUActiveCy", "MaliGPUActiveRawCy", false},
	{"MaliTilerActiveCy", "MaliGPUActiveCy", false},
	{"MaliFragQueueAssignStallCy", "MaliFragQueuedCy", false},
	{"MaliCompQueueAssignStallCy", "MaliCompQueuedCy", false},
	{"MaliNonFragQueueWaitRdCy + MaliNonFragQueueWaitIssueCy + MaliNonFragQueueWaitDepCy + "
	 "MaliNonFragQueueWaitFinishCy",
	 "MaliNonFragQueueActiveCy", false},
	{"MaliCS0WaitStallCy", "MaliCSFCS0ActiveCy", false},
	/* GPU active does not exceed clock x time */
	{"MaliGPUActiveCy", "GPUClockCy", false},
	{"MaliGPUActiveRawCy", "GPUClockCy", false},
	{"GPUSteadyCy", "GPUClockCy", false},
	{"MaliGPUIRQActiveCy", "MaliGPUActiveCy", false},
	{"MaliCSFMCUActiveCy", "MaliGPUActiveCy", false},
	/* memory */
	{"MaliExtBusRdLat0 + MaliExtBusRdLat128 + MaliExtBusRdLat192 + MaliExtBusRdLat256 + "
	 "MaliExtBusRdLat320",
	 "MaliExtBusRdBt", false},
	{"MaliExtBusRd", "MaliL2CacheRdLookup", false},
	{"MaliExtBusRd", "MaliL2CacheRd", false},
	{"MaliExtBusWr", "MaliL2CacheWrLookup", false},
	{"MaliL2CacheRdLookup + MaliL2CacheWrLookup", "MaliL2CacheLookup", false},
	{"MaliExtBusRdOTQ1 + MaliExtBusRdOTQ2 + MaliExtBusRdOTQ3", "MaliExtBusRd", false},
	{"MaliExtBusWrOTQ1 + MaliExtBusWrOTQ2 + MaliExtBusWrOTQ3", "MaliExtBusWr", false},
	{"MaliExtBusRdNoSnoop + MaliExtBusRdUnique", "MaliExtBusRd", false},
	{"MaliExtBusWrNoSnoopFull + MaliExtBusWrNoSnoopPart + MaliExtBusWrSnoopFull + MaliExtBusWrSnoopPart",
	 "MaliExtBusWr", true},
	{"MaliExtBusRdBt * $MaliConstantsBusWidthBits", "MaliExtBusRd * 512", true},
	{"MaliMMUL3Hit + MaliMMUL3Rd", "MaliMMULookup", false},
	{"MaliMMUL2Rd", "MaliMMUL3Rd", false},
	{"MaliMMUS2Lookup", "0", true},
	{"MaliSCBusTexExtRdBt", "MaliSCBusTexL2RdBt", false},
	{"MaliSCBusLSExtRdBt", "MaliSCBusLSL2RdBt", false},
	{"MaliSCBusFFEExtRdBt", "MaliSCBusFFEL2RdBt", false},
	{"MaliSCBusRTUExtRdBt", "MaliSCBusRTUL2RdBt", false},
	/* culled + visible = input */
	{"MaliGeomTotalPrim", "MaliGeomTrianglePrim + MaliGeomLinePrim + MaliGeomPointPrim", true},
	{"MaliGeomTotalCullPrim + MaliGeomVisiblePrim", "MaliGeomTotalPrim", true},
	{"MaliGeomFrontFacePrim + MaliGeomBackFacePrim", "MaliGeomVisiblePrim", true},
	{"MaliGeomVisibleDVSPrim", "MaliGeomVisiblePrim", false},
	{"MaliGeomPosShadPartTask", "MaliGeomPosShadTask", false},
	/* what the tiler asks for runs in the cores */
	{"MaliGeomPosShadThread + MaliGeomVarShadThread", "MaliNonFragThread", false},
	/* killed <= tested <= rasterised */
	{"MaliFragEZSKillQd", "MaliFragEZSTestQd", false},
	{"MaliFragEZSTestQd", "MaliFragRastQd", false},
	{"MaliFragEZSUpdateQd", "MaliFragEZSTestQd - MaliFragEZSKillQd", false},
	{"MaliFragLZSKillQd", "MaliFragLZSTestQd", false},
	{"MaliFragLZSTestQd", "MaliFragRastQd - MaliFragEZSKillQd", false},
	{"MaliFragOpaqueQd", "MaliFragRastQd - MaliFragEZSKillQd", false},
	{"MaliFragPrepassKillQd", "MaliFragPrepassTestQd", false},
	{"MaliFragPrepassTestQd", "MaliFragRastQd", false},
	{"MaliFragPrepassPrim + MaliFragPrepassSkippedPrim",
	 "MaliFragPrim + MaliFragPrepassCullPrim - MaliFragPrepassPrim", true},
	{"MaliFragPrepassWarp", "MaliFragWarp", false},
	{"MaliFragPartWarp", "MaliFragWarp", false},
	{"MaliFragWarp * MaliGPUWarpSize / 4", "MaliFragRastQd - MaliFragEZSKillQd + MaliFragPrepassWarp * 4",
	 false},
	{"MaliFragRastPartQd", "MaliFragRastQd", false},
	/* cores */
	{"MaliAnyActiveCy", "MaliGPUActiveCy * $MaliConstantsShaderCoreCount", false},
	{"MaliCoreActiveCy", "MaliGPUActiveCy * $MaliConstantsShaderCoreCount", false},
	{"MaliCoreActiveCy", "MaliAnyActiveCy", false},
	{"MaliFragActiveCy", "MaliAnyActiveCy", false},
	{"MaliNonFragActiveCy", "MaliAnyActiveCy", false},
	{"MaliMainActiveCy", "MaliAnyActiveCy", false},
	{"MaliCompOrBinningActiveCy", "MaliAnyActiveCy", false},
	{"MaliAnyActiveCy", "MaliFragActiveCy + MaliNonFragActiveCy", false},
	{"MaliCoreActiveCy", "MaliFragActiveCy + MaliNonFragActiveCy", false},
	{"MaliEngInstr + MaliEngStarveCy", "MaliCoreActiveCy", false},
	{"MaliEngSlot1IssueCy", "MaliEngSlotAnyIssueCy", false},
	{"MaliEngSlotAnyIssueCy + MaliEngStarveCy", "MaliCoreActiveCy", false},
	{"MaliEngStarveICacheCy", "MaliEngStarveCy", false},
	{"MaliTexFiltIssueCy", "MaliCoreActiveCy", false},
	{"MaliTexClkActiveCy", "MaliCoreActiveCy", false},
	{"MaliLSIssueCy", "MaliCoreActiveCy", false},
	{"MaliVarIssueCy", "MaliCoreActiveCy", false},
	{"MaliRTUBoxBin1 + MaliRTUBoxBin5 + MaliRTUBoxBin9 + MaliRTUBoxBin13", "MaliRTUBox", true},
	{"MaliRTUTriBin1 + MaliRTUTriBin5 + MaliRTUTriBin9 + MaliRTUTriBin13", "MaliRTUTri", true},
	{"MaliRTUBoxIssueCy", "MaliRTUActiveCy", false},
	{"MaliRTUActiveCy", "MaliCoreActiveCy", false},
};

/* One GPU under test. The slots are the same in every scenario, so formulas are compiled once. */
struct scenarios_bench {
	const struct gpudb *db;
	const struct gpu_product *product;
	struct metric_set *set;
	struct expr part[ARRAY_LEN(invariants)], whole[ARRAY_LEN(invariants)];
	struct expr expect[16][EXPECT_MAX];
	double *vector;
	struct column *sample, *second;
	unsigned used[ARRAY_LEN(invariants)]; /* by how many GPUs */
};

static bool compile_formula(const struct scenarios_bench *b, struct span text, struct expr *out)
{
	struct err err;

	return metric_compile(b->set, b->db, text, false, out, &err);
}

static void compile_all(struct scenarios_bench *b)
{
	for (unsigned i = 0; i < ARRAY_LEN(invariants); i++)
		if (compile_formula(b, span_of(invariants[i].part), &b->part[i]) &&
		    compile_formula(b, span_of(invariants[i].whole), &b->whole[i]))
			b->used[i]++;
		else
			expr_fini(&b->part[i]);
	assert_true(sim_n_scenarios <= ARRAY_LEN(b->expect));
	for (unsigned s = 0; s < sim_n_scenarios; s++)
		for (unsigned i = 0; i < sim_signs[s].n_expect; i++) {
			struct span all = sim_signs[s].expect[i].formula;

			while (all.n &&
			       !compile_formula(b, span_trim(span_until(&all, '|')), &b->expect[s][i]))
				;
		}
}

static void bench_open(struct scenarios_bench *b, const struct gpudb *db, const struct gpu_product *product)
{
	struct sim_run run;

	sim_run_init(&run, &(struct source_options){.db = db, .gpu_name = product->name}, 100 * MS);
	b->db = db;
	b->product = product;
	b->set = sim_run_metrics(&run);
	b->vector = xcalloc(b->set->n_vector, sizeof(*b->vector));
	b->sample = xcalloc(1, sizeof(*b->sample) + run.source.n_slots * sizeof(double));
	b->second = xcalloc(1, sizeof(*b->second) + run.source.n_slots * sizeof(double));
	sim_run_fini(&run);
	compile_all(b);
}

static void bench_close(struct scenarios_bench *b)
{
	for (unsigned i = 0; i < ARRAY_LEN(invariants); i++) {
		expr_fini(&b->part[i]);
		expr_fini(&b->whole[i]);
	}
	for (unsigned s = 0; s < sim_n_scenarios; s++)
		for (unsigned i = 0; i < EXPECT_MAX; i++)
			expr_fini(&b->expect[s][i]);
	metric_set_free(b->set);
	free(b->vector);
	free(b->sample);
	free(b->second);
}

static void to_column(struct column *column, const struct sim_run *run)
{
	column->time_ns = run->source.period_ns;
	for (unsigned i = 0; i < run->source.n_slots; i++)
		column->value[i] =
			run->sample->value[i] == SAMPLE_UNKNOWN ? (double)NAN : (double)run->sample->value[i];
}

/* As history folds: steady slots without the samples in which the clock changed. */
static void add_to(struct column *sum, const struct column *column, const struct sim_run *run)
{
	sum->time_ns += column->time_ns;
	for (unsigned i = 0; i < run->source.n_slots; i++)
		if (run->source.slots[i].kind != SLOT_STEADY || !(run->sample->flags & SAMPLE_CLOCK))
			sum->value[i] += column->value[i];
}

static void clear_column(struct column *column, const struct sim_run *run)
{
	column->time_ns = 0;
	memset(column->value, 0, run->source.n_slots * sizeof(column->value[0]));
}

static void check_invariants(const struct scenarios_bench *b, const char *where)
{
	for (unsigned i = 0; i < ARRAY_LEN(invariants); i++) {
		double part, whole;

		if (!b->part[i].n)
			continue;
		part = expr_eval(&b->part[i], b->vector);
		whole = expr_eval(&b->whole[i], b->vector);
		if (invariants[i].equal ? fabs(part - whole) > 1e-6 * whole : part > whole * (1 + 1e-12))
			fail_msg("%s, %s: %s = %.17g, but %s = %.17g", b->product->name, where,
				 invariants[i].part, part, invariants[i].whole, whole);
	}
}

/* Serialisation is an estimate that does not hold while three queues overlap, as its help says; the
 * bounds mend it. */
static void check_percentages(const struct scenarios_bench *b, const char *where)
{
	for (unsigned i = 0; i < b->set->n_metrics; i++) {
		const struct metric *m = &b->set->metrics[i];
		double x;

		if (m->unit->kind != UNIT_PERCENT)
			continue;
		x = expr_eval(&m->expr, b->vector);
		if (x < -1e-9 || x > 100 + 1e-9)
			fail_msg("%s, %s: %s = %g", b->product->name, where, m->def->name, x);
	}
}

static void run_open(const struct scenarios_bench *b, unsigned scenario, uint64_t seed, struct sim_run *run)
{
	sim_run_init(run,
		     &(struct source_options){.db = b->db,
					      .gpu_name = b->product->name,
					      .scenario = sim_scenarios[scenario].name,
					      .seed = seed},
		     100 * MS);
}

/* Run a second of a scenario into b->second; the first sample, in which the first frame may be
 * late, is left out. */
static void run_second(struct scenarios_bench *b, unsigned scenario, uint64_t seed, bool check)
{
	struct sim_run run;
	char where[64];

	run_open(b, scenario, seed, &run);
	clear_column(b->second, &run);
	for (unsigned k = 0; k < SAMPLES; k++) {
		sim_run_read(&run);
		to_column(b->sample, &run);
		if (k > 0)
			add_to(b->second, b->sample, &run);
		if (!check)
			continue;
		snprintf(where, sizeof(where), "%s, seed %u, sample %u", sim_scenarios[scenario].name,
			 (unsigned)seed, k);
		metric_vector(b->set, b->sample, b->vector);
		check_invariants(b, where);
		check_percentages(b, where);
	}
	metric_vector(b->set, b->second, b->vector);
	sim_run_fini(&run);
}

/* Does the second that just ran look like this scenario? NULL, or the row by which it does not,
 * beyond a margin: a share of the row's range. */
static const struct sim_expect *mismatch(const struct scenarios_bench *b, unsigned scenario, double margin,
					 double *value)
{
	const struct sim_signs *s = &sim_signs[scenario];

	for (unsigned i = 0; i < s->n_expect; i++) {
		double room = margin * (s->expect[i].high - s->expect[i].low);

		if (!b->expect[scenario][i].n)
			continue;
		*value = expr_eval(&b->expect[scenario][i], b->vector);
		if (!(*value >= s->expect[i].low - room && *value <= s->expect[i].high + room))
			return &s->expect[i];
	}
	return NULL;
}

static void check_second(const struct scenarios_bench *b, unsigned scenario, unsigned seed, unsigned second)
{
	double value = 0;
	const struct sim_expect *row = mismatch(b, scenario, 0, &value);

	if (row)
		fail_msg("%s, %s, seed %u, second %u: %.*s = %g, expected %g to %g: %.*s", b->product->name,
			 sim_scenarios[scenario].name, seed, second, SPAN_ARG(row->formula), value, row->low,
			 row->high, SPAN_ARG(row->why));
}

static void check_gpu(struct scenarios_bench *b)
{
	for (unsigned s = 0; s < sim_n_scenarios; s++)
		for (unsigned seed = 1; seed <= SEEDS; seed++) {
			run_second(b, s, seed, true);
			check_second(b, s, seed, 0);
		}
}

/* Of a GPU that is idle, every few seconds are as good as another; all others are told from each
 * single one. */
static void check_for_long(struct scenarios_bench *b, unsigned scenario, unsigned seed)
{
	unsigned seconds = sim_scenarios[scenario].phases[0].refreshes > 1 ? 4 : 1;
	struct sim_run run;

	run_open(b, scenario, seed, &run);
	sim_run_read(&run);
	for (unsigned k = 1; k < LONG; k += seconds) {
		clear_column(b->second, &run);
		for (unsigned i = 0; i < 10 * seconds; i++) {
			sim_run_read(&run);
			to_column(b->sample, &run);
			add_to(b->second, b->sample, &run);
		}
		metric_vector(b->set, b->second, b->vector);
		check_second(b, scenario, seed, k);
	}
	sim_run_fini(&run);
}

TEST(a_bottleneck_stays_clear_at_all_times)
{
	struct gpudb *db = load_shipped();

	for (unsigned i = 0; i < db->n_products; i += GPU_STEP) {
		struct scenarios_bench b = {0};

		if (!gpudb_product(db, i)->layout->n_published)
			continue;
		bench_open(&b, db, gpudb_product(db, i));
		for (unsigned s = 0; s < sim_n_scenarios; s++)
			for (unsigned seed = 1; seed <= 2 && sim_scenarios[s].n_phases == 1; seed++)
				check_for_long(&b, s, seed);
		bench_close(&b);
	}
	gpudb_free(db);
}

TEST(every_gpu_keeps_the_invariants_and_shows_every_scenario)
{
	struct gpudb *db = load_shipped();
	struct scenarios_bench b = {0};
	unsigned gpus = 0;

	for (unsigned i = 0; i < db->n_products; i++) {
		if (!gpudb_product(db, i)->layout->n_published)
			continue;
		bench_open(&b, db, gpudb_product(db, i));
		check_gpu(&b);
		bench_close(&b);
		gpus++;
	}
	assert_int_equal(gpus, GPUS);
	for (unsigned i = 0; i < ARRAY_LEN(invariants); i++)
		if (!b.used[i])
			fail_msg("no GPU counts what this needs: %s, %s", invariants[i].part,
				 invariants[i].whole);
	gpudb_free(db);
}

TEST(no_scenario_is_taken_for_another)
{
	static const char *const names[] = {"Mali-G31",  "Mali-G52",  "Mali-G57",     "Mali-G310",
					    "Mali-G715", "Mali-G625", "Mali-G1-Ultra"};
	struct gpudb *db = load_shipped();

	for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
		struct scenarios_bench b = {0};

		bench_open(&b, db, gpudb_by_name(db, names[i]));
		for (unsigned s = 0; s < sim_n_scenarios; s++) {
			double value;

			run_second(&b, s, 1, false);
			for (unsigned other = 0; other < sim_n_scenarios; other++)
				if (other != s && !sim_scenarios[s].paced && !sim_scenarios[other].paced &&
				    !mismatch(&b, other, MARGIN, &value))
					fail_msg("%s: %s looks like %s", names[i], sim_scenarios[s].name,
						 sim_scenarios[other].name);
		}
		bench_close(&b);
	}
	gpudb_free(db);
}

TEST(every_scenario_names_three_to_six_ranges_with_a_reason)
{
	static const char *const names[] = {"idle",         "mixed",         "fragment-bound",
					    "vertex-bound", "compute-bound", "bandwidth-bound",
					    "cpu-bound",    "serialised",    "raytracing",
					    "uncapped",     "capped-30",     "sleeping-limiter"};

	assert_int_equal(sim_n_scenarios, ARRAY_LEN(names));
	for (unsigned s = 0; s < sim_n_scenarios; s++) {
		assert_string_equal(sim_scenarios[s].name, names[s]);
		assert_in_range(sim_signs[s].n_expect, 3, 6);
		assert_true(sim_scenarios[s].help.n);
		for (unsigned i = 0; i < sim_signs[s].n_expect; i++) {
			assert_true(sim_signs[s].expect[i].low < sim_signs[s].expect[i].high);
			assert_true(sim_signs[s].expect[i].why.n);
		}
	}
}

int main(void)
{
	load_scenarios();

	return test_run();
}
