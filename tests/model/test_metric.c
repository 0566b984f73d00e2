#include "tests/support/gpu_set.h"

#include <stdio.h>

/* One GPU of each of two families. MaliC sits only on T1, MaliD only on T2; $MaliTwice is ambiguous
 * on T2. */
static const char gpus[] =
	"layout L1\n  slots 64\n"
	"  block front_end\n    1 A MaliACy\n    2 C MaliC\n    3 H - $MaliHidden\n    4 T MaliTask\n"
	"  block memory_system\n    1 M MaliMem\n"
	"  block shader_core\n    1 S MaliCore *4\n    2 U MaliUnit\n"
	"layout L2\n  slots 128\n"
	"  block front_end\n    1 A MaliACy\n    2 D MaliD\n"
	"    3 X - $MaliTwice\n    4 Y MaliY $MaliTwice\n    5 E MaliEither\n"
	"gpu Mali-T1\n  family Bifrost\n  id 0x7009\n  layout L1\n  constant MaliSize 16\n"
	"gpu Mali-T2\n  family 5thGen\n  id 0xe009\n  layout L2\n";

#define METRIC(name, unit, rest) "metric " name "\n  title " name "\n  unit " unit "\n" rest

static struct gpudb *load_with(const char *metrics)
{
	const struct gpudb_text texts[] = {{"gpus", SPAN_LIT(gpus)}, {"test", span_of(metrics)}};
	struct err err;
	struct gpudb *db = gpudb_load_texts(texts, 2, &err);

	if (!db)
		fail_msg("%s", err.text);
	return db;
}

/* A set with cores and slices, and a vector in which every slot has the value of its place, times
 * 10. */
struct metric_bench {
	struct gpudb *db;
	struct metric_set *set;
	double *vector;
};

static void bench_init(struct metric_bench *b, const char *gpu, const char *metrics,
		       enum definitions definitions)
{
	b->db = load_with(metrics);
	b->set = set_of_gpu(b->db, gpudb_by_name(b->db, gpu), definitions, true);
	b->vector = xcalloc(b->set->n_vector, sizeof(double));
	memcpy(b->vector, b->set->constants, sizeof(b->set->constants));
	b->vector[VECTOR_SECONDS] = 0.5;
	for (unsigned i = 0; i < b->set->n_slots; i++)
		b->vector[VECTOR_CONSTANTS + i] = 10 * (i + 1);
}

static void bench_fini(struct metric_bench *b)
{
	free(b->vector);
	metric_set_free(b->set);
	gpudb_free(b->db);
}

/* The value of a formula over b's vector. */
static double value_of(const struct metric_bench *b, const char *text, bool cores_mean)
{
	struct expr e;
	struct err err;
	double v;

	if (!metric_compile(b->set, b->db, span_of(text), cores_mean, &e, &err))
		fail_msg("%s", err.text);
	v = expr_eval(&e, b->vector);
	expr_fini(&e);
	return v;
}

TEST(names_of_every_kind_are_understood)
{
	static const struct {
		const char *text;
		double want;
	} cases[] = {
		/* slots of T1: MaliACy 10, MaliC 20, H 30, MaliTask 40, MaliMem 50, MaliCore 60
		 * (x4), MaliUnit 70, then the clock 80 to 110, the busiest core 120, the mean of
		 * cores 130, cores of two slots from 140 on, slices of one from 220 on */
		{"MaliACy", 10},
		{"H", 30}, /* the hardware name of an unpublished counter */
		{"$MaliHidden", 30},
		{"MaliCore", 240}, /* times its multiplier */
		{"MaliCore.core0", 560},
		{"MaliCore.core3", 800},
		{"MaliUnit.Core[1]", 170},
		{"MaliMem.slice0", 220},
		{"MaliMem.Slice[1]", 230},
		{"MaliSize", 16},
		{"$ZOOM", 0.5},
		{"$MaliConstantsShaderCoreCount", 4},
		{"$MaliConstantsL2SliceCount", 2},
		{"$MaliConstantsBusWidthBits", 128},
		{"GPUSteadyTime", 100},
		{"Twice", 20},       /* a metric */
		{"$MaliDouble", 20}, /* its Streamline name */
		{"$MaliCounterNow + $MaliCounterOld", 40},
		{"PerCore", 60},
		{"PerCore.core1", 640}, /* of one core, divided by one core */
		{"PerSlice.slice1", 230},
	};
	struct metric_bench b;

	bench_init(
		&b, "T1",
		METRIC("Twice", "count", "  expr 2 * MaliACy\n  var $MaliDouble\n")
			METRIC("MaliC", "count", "  var $MaliCounterNow $MaliCounterOld\n") METRIC(
				"PerCore", "count", "  expr MaliCore / $MaliConstantsShaderCoreCount\n")
				METRIC("PerSlice", "count", "  expr MaliMem / $MaliConstantsL2SliceCount\n"),
		DEFINITIONS_CURRENT);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (value_of(&b, cases[i].text, false) != cases[i].want)
			fail_msg("%s is %g", cases[i].text, value_of(&b, cases[i].text, false));
	bench_fini(&b);
}

TEST(names_that_mean_nothing_here_are_errors_that_say_why)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"1 + Nonsense", "unknown name 'Nonsense': expected a counter, a metric or a constant\n  1 + "
				 "Nonsense\n      ^"},
		{"MaliC", "Mali-T2 has no 'MaliC'"},
		{"$MaliHidden", "Mali-T2 has no '$MaliHidden'"},
		{"MaliSize", "Mali-T2 has no 'MaliSize'"},
		{"OnlyT1", "Mali-T2 has no 'OnlyT1'"},
		{"$MaliOnlyT1", "Mali-T2 has no '$MaliOnlyT1'"},
		{"MaliD.core0", "Mali-T2 has no 'MaliD.core0'"},
		{"2 * MaliACy.core9", "Mali-T2 has no 'MaliACy.core9'\n  2 * MaliACy.core9\n      ^"},
		{"MaliACy.core", "unknown name 'MaliACy.core'"},
		{"MaliACy.core65536", "unknown name 'MaliACy.core65536'"},
		{"$MaliTwice",
		 "'$MaliTwice' is ambiguous on Mali-T2: it means front_end 3 (X) or front_end 4 (MaliY): "
		 "use one of their names\n  $MaliTwice\n  ^"},
	};
	struct metric_bench b;

	bench_init(&b, "T2", METRIC("OnlyT1", "count", "  expr MaliC + 1\n  var $MaliOnlyT1\n"),
		   DEFINITIONS_CURRENT);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = {0};
		struct expr e;

		if (metric_compile(b.set, b.db, span_of(cases[i].text), false, &e, &err) ||
		    strncmp(err.text, cases[i].want, strlen(cases[i].want)) != 0)
			fail_msg("%s: '%s'", cases[i].text, err.text);
	}
	bench_fini(&b);
}

TEST(a_metric_is_there_only_where_its_names_are)
{
	static const struct {
		const char *name;
		bool t1, t2;
	} cases[] = {{"MaliC", true, false},     {"MaliD", false, true},    {"OfC", true, false},
		     {"OfOfC", true, false},     {"Bifrosts", true, false}, {"Both", true, true},
		     {"MaliEither", true, true}, {"MaliSize", true, false}, {"MaliNone", false, false},
		     {"$MaliOfC", true, false},  {"Unheard", false, false}};
	static const char text[] = METRIC("MaliC", "count", "") METRIC("MaliD", "count", "")
		METRIC("MaliNone", "count", "") METRIC("OfC", "count", "  expr MaliC * 2\n  var $MaliOfC\n")
			METRIC("OfOfC", "count", "  expr OfC * 2\n")
				METRIC("Bifrosts", "count", "  gpus @Bifrost\n  expr MaliACy\n")
					METRIC("MaliSize", "count", "")
						METRIC("Both", "count", "  expr @T1 MaliC\n  expr MaliD\n")
							METRIC("MaliEither", "count", "  expr MaliC + 1\n");

	for (int gpu = 0; gpu < 2; gpu++) {
		struct metric_bench b;

		bench_init(&b, gpu ? "T2" : "T1", text, DEFINITIONS_CURRENT);
		for (size_t i = 0; i < ARRAY_LEN(cases); i++)
			if ((metric_find(b.set, span_of(cases[i].name)) != NULL) !=
			    (gpu ? cases[i].t2 : cases[i].t1))
				fail_msg("%s on T%d", cases[i].name, gpu + 1);
		/* A counter where the layout names it, the formula elsewhere. */
		assert_int_equal(metric_of(b.set, "MaliEither")->is_counter, gpu);
		assert_int_equal(metric_of(b.set, "MaliEither")->text.n != 0, !gpu);
		bench_fini(&b);
	}
}

TEST(counts_grow_with_time_if_a_counter_is_in_them)
{
	static const struct {
		const char *name;
		bool grows;
	} cases[] = {
		{"MaliACy", true}, {"Twice", true}, {"Share", false}, {"Beat", false}, {"MaliSize", false}};
	static const char text[] =
		METRIC("MaliACy", "cycles", "") METRIC("Twice", "bytes", "  expr MaliACy * 2\n")
			METRIC("Share", "percent", "  expr MaliACy / MaliC\n")
				METRIC("Beat", "bytes", "  expr MaliSize / 8\n")
					METRIC("MaliSize", "count", "");
	struct metric_bench b;

	bench_init(&b, "T1", text, DEFINITIONS_CURRENT);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (metric_of(b.set, cases[i].name)->grows != cases[i].grows)
			fail_msg("%s", cases[i].name);
	bench_fini(&b);
}

TEST(the_first_variant_that_fits_is_taken)
{
	static const char text[] = METRIC(
		"V", "count", "  expr @5thGen 1\n  expr MaliD + 2\n  expr @Mali-T1,Midgard 3\n  expr 4\n");
	struct metric_bench b;

	bench_init(&b, "T1", text, DEFINITIONS_CURRENT);
	assert_true(metric_value(metric_of(b.set, "V"), b.vector) == 3);
	bench_fini(&b);
	bench_init(&b, "T2", text, DEFINITIONS_CURRENT);
	assert_true(metric_value(metric_of(b.set, "V"), b.vector) == 1);
	bench_fini(&b);
}

TEST(malformed_formulas_name_file_line_and_place)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{METRIC("M", "count", "  expr MaliACy +\n"),
		 "test:4: metric M: expected a number, a name or '('\n  MaliACy +\n           ^"},
		{METRIC("M", "count", "  expr @5thGen 1\n  expr MaliACy / Nonsense\n"),
		 "test:5: metric M: unknown name 'Nonsense': expected a counter, a metric or a constant\n"
		 "  MaliACy / Nonsense\n            ^"},
		{METRIC("M", "count", "\n  expr M + 1\n"),
		 "test:5: metric M: metric M is defined by itself\n  M + 1\n  ^"},
		{METRIC("M", "count", "  expr 1 + N\n") METRIC("N", "count", "  expr M\n"),
		 "test:4: metric M: test:8: metric N: metric M is defined by itself"},
		{METRIC("M", "count", "  var $MaliSelf\n  expr $MaliSelf\n"),
		 "test:5: metric M: metric M is defined by itself"},
		{METRIC("M", "count", "  expr (MaliACy\n    + MaliC\n"),
		 "test:4: metric M: '(' is never closed\n  (MaliACy + MaliC\n  ^"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct gpudb *db = load_with(cases[i].text);
		const struct gpu_product *p = gpudb_by_name(db, "T1");
		struct metric_source source = {.product = p};
		struct err err = {0};
		struct slots s;

		slots_of_gpu(&s, p->layout, 0, 0);
		source.slots = s.slots;
		source.n_slots = s.n;
		if (metric_set_new(db, &source, &err) ||
		    strncmp(err.text, cases[i].want, strlen(cases[i].want)) != 0)
			fail_msg("case %zu: '%s'", i, err.text);
		free(s.slots);
		gpudb_free(db);
	}
}

TEST(metrics_that_name_metrics_too_deep_are_an_error)
{
	for (unsigned n = 32; n <= 33; n++) {
		AUTO_STRBUF struct strbuf text = {0};
		struct metric_source source = {0};
		struct metric_set *set;
		struct gpudb *db;
		struct err err = {0};
		struct slots s;

		for (unsigned i = 1; i <= n; i++)
			strbuf_printf(&text, METRIC("M%u", "count", "  expr M%u\n"), i, i, i + 1);
		strbuf_printf(&text, METRIC("M%u", "count", "  expr MaliACy\n"), n + 1, n + 1);
		db = load_with(text.p);
		source.product = gpudb_by_name(db, "T1");
		slots_of_gpu(&s, source.product->layout, 0, 0);
		source.slots = s.slots;
		source.n_slots = s.n;
		set = metric_set_new(db, &source, &err);
		assert_int_equal(set != NULL, n < 32);
		if (!set)
			assert_non_null(strstr(err.text, "more than 32 levels"));
		metric_set_free(set);
		free(s.slots);
		gpudb_free(db);
	}
}

TEST(a_value_that_is_not_known_makes_a_metric_undefined)
{
	struct column *column;
	struct metric_bench b;

	bench_init(&b, "T1",
		   METRIC("P", "percent", "  expr MaliACy / MaliC * 100\n")
			   METRIC("R", "count", "  expr MaliACy / $ZOOM\n"),
		   DEFINITIONS_CURRENT);
	column = column_of(b.set, 0.5);
	column_put(column, b.set, "MaliACy", INSTANCE_ALL, 0, 30);
	metric_vector(b.set, column, b.vector);
	assert_true(isnan(metric_value(metric_of(b.set, "P"), b.vector)));
	assert_true(metric_value(metric_of(b.set, "R"), b.vector) == 60);
	column_put(column, b.set, "MaliC", INSTANCE_ALL, 0, 40);
	metric_vector(b.set, column, b.vector);
	assert_true(metric_value(metric_of(b.set, "P"), b.vector) == 75);
	column_put(column, b.set, "MaliC", INSTANCE_ALL, 0, 0);
	column->time_ns = 0; /* nothing was measured */
	metric_vector(b.set, column, b.vector);
	assert_true(isnan(metric_value(metric_of(b.set, "P"), b.vector)));
	assert_true(isnan(metric_value(metric_of(b.set, "R"), b.vector)));
	free(column);
	bench_fini(&b);
}

TEST(constants_that_are_not_known_are_undefined)
{
	struct gpudb *db = load_with(METRIC("Cores", "instances", "  expr $MaliConstantsShaderCoreCount\n"));
	struct metric_source source = {.product = gpudb_by_name(db, "T1")};
	struct metric_set *set;
	struct slots s;
	struct err err;

	slots_of_gpu(&s, source.product->layout, 0, 0);
	source.slots = s.slots;
	source.n_slots = s.n;
	set = metric_set_new(db, &source, &err);
	assert_non_null(set);
	for (unsigned i = 0; i < VECTOR_CONSTANTS; i++)
		assert_true(isnan(set->constants[i]));
	assert_true(isnan(metric_value(metric_of(set, "Cores"), set->constants)));
	metric_set_free(set);
	free(s.slots);
	gpudb_free(db);
}

/* Counters that contradict each other must not look like a measurement, nor like none. */
TEST(a_difference_of_counts_below_zero_is_unknown)
{
	static const struct {
		const char *text;
		double want; /* NaN: unknown */
	} cases[] = {
		{"100 - 99", 1},
		{"100 - 100", 0},
		{"100 - 101", NAN},
		{"(100 - 120) / 15", NAN},
		{"(100 - 120) / (15 - 20)", NAN},
		{"max(100 - 101, 0)", NAN},
		{"100 - 20 - 90", NAN},
		{"100 - 100.001", 0}, /* a sum of floats */
		{"0 - 1", NAN},
		{"100 + -101", -1}, /* not of counts */
		{"max(100 + -101, 0)", 0},
	};
	struct metric_bench b;

	bench_init(&b, "T1", METRIC("Rest", "cycles", "  expr 5 - 7\n"), DEFINITIONS_CURRENT);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		double v = value_of(&b, cases[i].text, false);

		if (isnan(cases[i].want) ? !isnan(v) : v != cases[i].want)
			fail_msg("%s is %g, should be %g", cases[i].text, v, cases[i].want);
	}
	assert_true(isnan(metric_value(metric_of(b.set, "Rest"), b.vector)));
	bench_fini(&b);
}

/* ---- instances ---- */

TEST(one_instance_sees_its_own_part_and_a_single_core_or_slice)
{
	static const char text[] =
		METRIC("PerCore", "count", "  expr MaliCore / $MaliConstantsShaderCoreCount\n")
			METRIC("PerSlice", "count", "  expr MaliMem / $MaliConstantsL2SliceCount\n")
				METRIC("Util", "percent", "  expr MaliUnit / MaliACy * 100 / 100\n");
	double *own;
	struct metric_bench b;

	bench_init(&b, "T1", text, DEFINITIONS_CURRENT);
	own = xcalloc(b.set->n_vector, sizeof(*own));
	assert_int_equal(b.set->n_instances, SET_CORES + SET_SLICES);
	for (unsigned i = 0; i < b.set->n_instances; i++) {
		const struct metric_instance *in = &b.set->instances[i];
		bool core = in->kind == INSTANCE_CORE;
		char label[32];

		snprintf(label, sizeof(label), "%s%u", core ? "core" : "slice", in->number);
		assert_string_equal(in->label, label);
		assert_string_equal(in->title, label);
		metric_vector_instance(b.set, in, b.vector, b.set->n_vector, own);
		assert_true(own[VECTOR_CORES] == (core ? 1 : SET_CORES));
		assert_true(own[VECTOR_SLICES] == (core ? SET_SLICES : 1));
		/* the same as the name of that instance in a formula */
		snprintf(label, sizeof(label), "%s.%s", core ? "MaliCore" : "MaliMem", in->label);
		assert_true(metric_value(metric_of(b.set, core ? "PerCore" : "PerSlice"), own) ==
			    value_of(&b, label, false));
	}
	free(own);
	bench_fini(&b);
}

TEST(a_metric_can_be_broken_down_by_what_all_its_counters_have)
{
	static const struct {
		const char *name;
		unsigned instances;
	} cases[] = {
		{"OfCore", 1u << INSTANCE_CORE},
		{"OfSlice", 1u << INSTANCE_SLICE},
		{"Rate", 1u << INSTANCE_CORE}, /* over cycles of the whole GPU */
		{"Mixed", 0},
		{"PerTask", 0}, /* tasks belong to no core */
		{"OfAll", 0},
		{"Fixed", 0},
	};
	static const char text[] = METRIC("OfCore", "count", "  expr MaliCore + MaliUnit\n")
		METRIC("OfSlice", "count", "  expr MaliMem\n")
			METRIC("Rate", "percent", "  expr MaliUnit / MaliACy\n")
				METRIC("Mixed", "count", "  expr MaliUnit / MaliMem\n")
					METRIC("PerTask", "count", "  expr MaliUnit / MaliTask\n")
						METRIC("OfAll", "count", "  expr MaliACy\n")
							METRIC("Fixed", "count", "  expr 1\n");
	struct metric_bench b;

	bench_init(&b, "T1", text, DEFINITIONS_CURRENT);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (metric_of(b.set, cases[i].name)->instances != cases[i].instances)
			fail_msg("%s: 0x%x", cases[i].name, metric_of(b.set, cases[i].name)->instances);
	bench_fini(&b);
}

TEST(clusters_and_cpus_of_a_cpu_are_instances_with_titles)
{
	static const struct slot slots[] = {
		{.name = "Ticks", .scale = 1},
		{.name = "Ticks",
		 .instance = INSTANCE_CLUSTER,
		 .number = 1,
		 .scale = 1,
		 .title = "Cortex-A76\x1b x4"},
		{.name = "Ticks", .instance = INSTANCE_CPU, .number = 7, .scale = 1},
	};
	const struct metric_source source = {.slots = slots, .n_slots = ARRAY_LEN(slots)};
	struct gpudb *db =
		load_with("slots proc\n  names Ticks\n" METRIC("Load", "count", "  expr Ticks * 2\n") METRIC(
			"OnGPU", "count", "  expr MaliACy\n") METRIC("Nothing", "count", "  expr 1\n"));
	double vector[VECTOR_CONSTANTS + ARRAY_LEN(slots)] = {[VECTOR_CONSTANTS] = 5, 6, 7};
	struct metric_set *set;
	struct expr e;
	struct err err;

	set = metric_set_new(db, &source, &err);
	assert_non_null(set);
	assert_int_equal(set->n_instances, 2);
	assert_string_equal(set->instances[0].label, "cluster1");
	assert_string_equal(set->instances[0].title, "Cortex-A76? x4");
	assert_string_equal(set->instances[1].title, "cpu7");
	assert_int_equal(metric_of(set, "Load")->instances, 1u << INSTANCE_CLUSTER | 1u << INSTANCE_CPU);
	assert_null(metric_find(set, SPAN_LIT("OnGPU")));
	assert_null(metric_find(set, SPAN_LIT("Nothing"))); /* says nothing about a CPU */
	assert_true(metric_compile(set, db, SPAN_LIT("Load.Cluster[1] + Ticks.cpu7"), false, &e, &err));
	assert_true(expr_eval(&e, vector) == 19);
	expr_fini(&e);
	assert_false(metric_compile(set, db, SPAN_LIT("Load.Cluster[0]"), false, &e, &err));
	assert_non_null(strstr(err.text, "the CPU has no 'Load.Cluster[0]'"));
	metric_set_free(set);
	gpudb_free(db);
}

/* Two sets of one machine's CPUs: each has its own instances, and the second lacks cluster 0. */
TEST(an_instance_of_another_set_is_found_by_kind_and_number)
{
	const struct slot many[] = {{.name = "Ticks", .scale = 1},
				    {.name = "Ticks", .instance = INSTANCE_CLUSTER, .number = 0, .scale = 1},
				    {.name = "Ticks", .instance = INSTANCE_CLUSTER, .number = 1, .scale = 1}},
			  few[] = {{.name = "Ticks", .scale = 1},
				   {.name = "Ticks", .instance = INSTANCE_CLUSTER, .number = 1, .scale = 1}};
	struct metric_source source = {.slots = many, .n_slots = ARRAY_LEN(many)};
	struct gpudb *db = load_with(METRIC("Load", "count", "  expr Ticks\n"));
	struct metric_set *a, *b;
	double vector[VECTOR_CONSTANTS + ARRAY_LEN(few)] = {0}, own[ARRAY_LEN(vector)];
	struct err err;

	a = metric_set_new(db, &source, &err);
	source = (struct metric_source){.slots = few, .n_slots = ARRAY_LEN(few)};
	b = metric_set_new(db, &source, &err);
	assert_non_null(a);
	assert_non_null(b);
	vector[VECTOR_CONSTANTS] = 7;
	vector[VECTOR_CONSTANTS + 1] = 3;
	assert_ptr_equal(metric_instance_like(b, &a->instances[1]), &b->instances[0]);
	metric_vector_instance(b, &a->instances[1], vector, b->n_vector, own);
	assert_true(metric_value(metric_of(b, "Load"), own) == 3);
	assert_null(metric_instance_like(b, &a->instances[0]));
	metric_vector_instance(b, &a->instances[0], vector, b->n_vector, own);
	assert_true(isnan(metric_value(metric_of(b, "Load"), own)));
	metric_set_free(a);
	metric_set_free(b);
	gpudb_free(db);
}

TEST(a_set_keeps_the_titles_of_a_source_that_was_closed)
{
	char title[] = "Cortex-A76 x4";
	const struct slot slots[] = {
		{.name = "Ticks", .scale = 1},
		{.name = "Ticks", .instance = INSTANCE_CLUSTER, .title = title, .scale = 1},
		{.name = "Time", .instance = INSTANCE_CLUSTER, .title = title, .scale = 1}};
	const struct metric_source source = {.slots = slots, .n_slots = ARRAY_LEN(slots)};
	struct gpudb *db = load_with(METRIC("Load", "count", "  expr Ticks\n"));
	struct metric_set *set;
	struct err err;

	set = metric_set_new(db, &source, &err);
	assert_non_null(set);
	memset(title, '?', strlen(title));
	assert_null(set->slots[0].title);
	assert_string_equal(set->slots[1].title, "Cortex-A76 x4");
	assert_ptr_equal(set->slots[2].title, set->slots[1].title);
	metric_set_free(set);
	gpudb_free(db);
}

TEST(a_cpu_event_that_no_definition_knows_is_a_metric_of_its_own)
{
	static const struct slot slots[] = {
		{.name = "Running", .scale = 1},
		{.name = "Enabled", .scale = 1},
		{.name = "Ticks", .running = 0, .enabled = 1, .scale = 1},
		{.name = "armv8_cortex_a72/event=0x1b,long/", .running = 0, .enabled = 1, .scale = 1},
		{.name = "armv8_cortex_a72/event=0x1b,long/",
		 .instance = INSTANCE_CLUSTER,
		 .number = 1,
		 .scale = 1},
		{.name = "Plain", .scale = 1},
	};
	const struct metric_source source = {.slots = slots, .n_slots = ARRAY_LEN(slots)};
	struct gpudb *db = load_with("slots perf\n  names Ticks\n");
	double vector[VECTOR_CONSTANTS + ARRAY_LEN(slots)] = {[VECTOR_CONSTANTS] = 1, 4, 5, 6, 7, 8};
	const struct metric *event;
	struct metric_set *set;
	struct err err;

	set = metric_set_new(db, &source, &err);
	assert_non_null(set);
	assert_null(metric_find(set, SPAN_LIT("Ticks"))); /* for formulas */
	assert_null(metric_find(set, SPAN_LIT("Running")));
	assert_null(metric_find(set, SPAN_LIT("Plain")));
	event = metric_of(set, slots[3].name);
	assert_string_equal(event->def->title, slots[3].name);
	assert_string_equal(event->def->short_title, "_cortex_a72/event=0x1b,long/");
	assert_string_equal(event->def->group, "CPU events");
	assert_int_equal(event->unit->kind, UNIT_COUNT);
	assert_int_equal(event->instances, 1u << INSTANCE_CLUSTER);
	assert_true(metric_value(event, vector) == 6 && metric_share(set, event, vector) == 0.25);
	metric_set_free(set);
	gpudb_free(db);
}

/* ---- definitions ---- */

/* A guide for T1 in the manner of Mali-G52's. */
#define GUIDE                                                                                           \
	"template Mali-T1\n  for Bifrost\n  cores mean\n  bounds upper\nsection 1 S\nchart 1.1 X\n"     \
	"  1.1.1 Own\n  1.1.2 Share\n  1.1.3 MaliUnit\n  1.1.4 Count | | percent\n" METRIC("MaliUnit",  \
											   "count", "") \
		METRIC("Own", "count", "  expr MaliUnit\n  guide @T1 MaliUnit * 100\n  guide 7\n")      \
			METRIC("Share", "percent", "  expr MaliUnit + -MaliACy * 1000\n")               \
				METRIC("Count", "count", "  expr MaliTask * 1000\n")

TEST(a_guide_means_core_counters_as_means_and_has_formulas_of_its_own)
{
	static const struct {
		const char *name;
		double current, guide;
	} cases[] = {
		{"MaliUnit", 70, 17.5},
		{"Own", 70, 1750},
		{"Share", 0, 17.5 - 10000}, /* the guide has no lower bound */
		{"Count", 40000, 100},      /* the guide's unit is a percentage */
	};
	struct metric_bench current, guide;

	bench_init(&current, "T1", GUIDE, DEFINITIONS_CURRENT);
	bench_init(&guide, "T1", GUIDE, DEFINITIONS_GUIDE);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		double c = metric_value(metric_of(current.set, cases[i].name), current.vector);
		double g = metric_value(metric_of(guide.set, cases[i].name), guide.vector);

		if (c != cases[i].current || g != cases[i].guide)
			fail_msg("%s is %g, in the guide %g", cases[i].name, c, g);
	}
	bench_fini(&current);
	bench_fini(&guide);
	bench_init(&guide, "T2", GUIDE, DEFINITIONS_GUIDE); /* has no guide: as published today */
	assert_null(metric_find(guide.set, SPAN_LIT("Own")));
	bench_fini(&guide);
}

TEST(a_formula_may_mean_core_counters_as_means)
{
	struct metric_bench b;

	bench_init(&b, "T1", METRIC("Sum", "count", "  expr MaliUnit + MaliACy\n"), DEFINITIONS_CURRENT);
	assert_true(value_of(&b, "MaliUnit", false) == 70);
	assert_true(value_of(&b, "MaliUnit", true) == 17.5);
	assert_true(value_of(&b, "MaliCore", true) == 60);
	assert_true(value_of(&b, "MaliMem", true) == 50); /* slices are not meant */
	assert_true(value_of(&b, "Sum", false) == 80);
	assert_true(value_of(&b, "Sum", true) == 27.5);
	assert_true(value_of(&b, "MaliUnit.core1", true) == value_of(&b, "MaliUnit.core1", false));
	bench_fini(&b);
}

TEST(percentages_are_bounded_on_both_sides_but_in_the_guide_of_g52)
{
	static const struct {
		const char *gpu;
		enum definitions definitions;
		bool lower;
	} cases[] = {{"G52", DEFINITIONS_CURRENT, true},
		     {"G52", DEFINITIONS_GUIDE, false},
		     {"G715", DEFINITIONS_GUIDE, true},
		     {"G625", DEFINITIONS_GUIDE, true}};
	struct gpudb *db = load_shipped();

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct metric_set *set =
			set_of_gpu(db, gpudb_by_name(db, cases[i].gpu), cases[i].definitions, false);

		for (unsigned k = 0; k < set->n_metrics; k++) {
			const struct metric *m = &set->metrics[k];
			bool percent = m->unit->kind == UNIT_PERCENT;

			assert_true(percent ? m->high == 100 : isinf(m->high));
			assert_true(percent && cases[i].lower ? m->low == 0 : isinf(m->low));
		}
		metric_set_free(set);
	}
	gpudb_free(db);
}

TEST(the_first_threshold_that_fits_the_gpu_is_taken)
{
	static const char text[] =
		METRIC("M", "count", "  expr 1\n  alert @5thGen above 3\n  alert below 2.5\n")
			METRIC("N", "count", "  expr 1\n  alert @T2 above 3\n")
				METRIC("O", "count", "  expr 1\n");
	struct metric_bench b;

	bench_init(&b, "T1", text, DEFINITIONS_CURRENT);
	assert_int_equal(metric_of(b.set, "M")->alert, ALERT_BELOW);
	assert_true(metric_of(b.set, "M")->alert_at == 2.5);
	assert_int_equal(metric_of(b.set, "N")->alert, ALERT_NONE);
	assert_int_equal(metric_of(b.set, "O")->alert, ALERT_NONE);
	bench_fini(&b);
	bench_init(&b, "T2", text, DEFINITIONS_CURRENT);
	assert_int_equal(metric_of(b.set, "M")->alert, ALERT_ABOVE);
	assert_true(metric_of(b.set, "M")->alert_at == 3);
	assert_int_equal(metric_of(b.set, "N")->alert, ALERT_ABOVE);
	bench_fini(&b);
}

TEST(freeing_nothing_is_fine)
{
	metric_set_free(NULL);
}
