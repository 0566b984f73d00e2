/* Metrics of several sources together: which there are, and what they are. */
#include "tests/support/gpu_set.h"

#include "base/alloc.h"
#include "model/metric_mix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS 1000000ll

static const char own_text[] =
	"metric Mixed\n  title M\n  unit count\n  expr GPUTemp + CPURunTime / FrameCount\n"
	"metric Alone\n  title A\n  unit count\n  expr FrameCount * 2\n"
	"metric Absent\n  title A\n  unit count\n  expr FrameCount / MaliGPUActiveCy\n";

static const struct slot cpu_slots[] = {{.name = "CPURunTime", .scale = 1e-6}},
			 frame_slots[] = {{.name = "FrameCount", .scale = 1}},
			 gpu_slots[] = {{.name = "GPUTemp", .kind = SLOT_LEVEL, .scale = 1}};

struct mix_bench {
	struct gpudb *db;
	const struct metric_set *sets[SOURCE_KINDS];
	struct metric_mix *mix;
	struct column *columns[SOURCE_KINDS];
};

static const struct metric_set *set_of(struct gpudb *db, const struct slot *slots)
{
	struct err err;
	struct metric_set *set =
		metric_set_new(db, &(struct metric_source){.slots = slots, .n_slots = 1}, &err);

	assert_non_null(set);
	return set;
}

static void bench_init(struct mix_bench *b)
{
	static const struct slot *const slots[] = {gpu_slots, cpu_slots, NULL, frame_slots};
	char path[] = "/tmp/malitop-mix.XXXXXX";
	struct err err = {0};
	int fd = mkstemp(path);

	*b = (struct mix_bench){0};
	assert_int_equal(write(fd, own_text, sizeof(own_text) - 1), sizeof(own_text) - 1);
	close(fd);
	b->db = gpudb_load(&(struct gpudb_dir){.path = path}, 1, &err);
	unlink(path);
	if (!b->db)
		fail_msg("%s", err.text);
	for (enum source_kind kind = 0; kind <= SOURCE_PASSES; kind++)
		if (slots[kind]) {
			b->sets[kind] = set_of(b->db, slots[kind]);
			b->columns[kind] = column_new(1);
		}
	assert_true(metric_mix_new(b->db, b->sets, &b->mix, &err));
}

static void bench_fini(struct mix_bench *b)
{
	metric_mix_free(b->mix);
	for (enum source_kind kind = 0; kind < SOURCE_KINDS; kind++) {
		metric_set_free((struct metric_set *)(uintptr_t)b->sets[kind]);
		free(b->columns[kind]);
	}
	gpudb_free(b->db);
}

static const struct column *put_column(struct mix_bench *b, enum source_kind kind, int from_ms, int to_ms,
				       double value)
{
	struct column *c = b->columns[kind];

	*c = (struct column){.begin_ns = from_ms * MS,
			     .end_ns = to_ms * MS,
			     .time_ns = (to_ms - from_ms) * MS,
			     .n_samples = 1};
	c->value[0] = value;
	return c;
}

static double mixed_value(const struct mix_bench *b, const struct column *column)
{
	AUTOFREE double *vector = xcalloc(b->mix->set->n_vector, sizeof(*vector));

	metric_vector(b->mix->set, column, vector);
	return metric_value(metric_find(b->mix->set, SPAN_LIT("Mixed")), vector);
}

TEST(a_mix_has_what_no_source_has_alone)
{
	struct mix_bench b;

	bench_init(&b);
	assert_non_null(b.mix);
	assert_int_equal(b.mix->set->n_metrics, 1);
	assert_non_null(metric_find(b.mix->set, SPAN_LIT("Mixed")));
	assert_null(metric_find(b.mix->set, SPAN_LIT("Alone")));
	assert_null(metric_find(b.mix->set, SPAN_LIT("Absent")));
	assert_true(b.mix->uses[SOURCE_GPU] && b.mix->uses[SOURCE_CPU] && b.mix->uses[SOURCE_PASSES]);
	bench_fini(&b);
}

TEST(nothing_is_mixed_without_a_formula_that_asks_for_it)
{
	struct err err;
	struct gpudb *db = gpudb_load(NULL, 0, &err);
	const struct metric_set *sets[SOURCE_KINDS] = {
		[SOURCE_CPU] = set_of(db, cpu_slots), [SOURCE_PASSES] = set_of(db, frame_slots)};
	struct metric_mix *mix;

	assert_true(metric_mix_new(db, sets, &mix, &err));
	assert_null(mix);
	metric_set_free((struct metric_set *)(uintptr_t)sets[SOURCE_CPU]);
	metric_set_free((struct metric_set *)(uintptr_t)sets[SOURCE_PASSES]);
	gpudb_free(db);
}

/* 40 ms of CPU time in 500 ms, 60 frames in 1000 ms, 50 degrees: 80 ms for 60 frames. */
TEST(counts_are_extended_to_the_longest_and_levels_are_not)
{
	const struct column *columns[SOURCE_KINDS] = {0};
	struct mix_bench b;
	struct column *out;

	bench_init(&b);
	out = column_new(b.mix->set->n_slots);
	columns[SOURCE_GPU] = put_column(&b, SOURCE_GPU, 0, 100, 50);
	columns[SOURCE_CPU] = put_column(&b, SOURCE_CPU, 500, 1000, 40e6);
	columns[SOURCE_PASSES] = put_column(&b, SOURCE_PASSES, 0, 1000, 60);
	metric_mix_column(b.mix, columns, out);
	assert_int_equal(out->time_ns, 1000 * MS);
	assert_float_equal(mixed_value(&b, out), 50 + 80.0 / 60, 1e-9);
	columns[SOURCE_PASSES] = NULL; /* nothing is guessed for a source that is missing */
	metric_mix_column(b.mix, columns, out);
	assert_true(isnan(mixed_value(&b, out)));
	free(out);
	bench_fini(&b);
}

TEST(the_slowest_source_sets_the_step)
{
	const struct column *step;
	struct mix_fold fold;
	struct mix_bench b;

	bench_init(&b);
	mix_fold_init(&fold, b.mix);
	for (int i = 0; i < 9; i++) {
		mix_fold_add(&fold, SOURCE_GPU, put_column(&b, SOURCE_GPU, 100 * i, 100 * i + 100, 40 + i));
		mix_fold_add(&fold, SOURCE_CPU, put_column(&b, SOURCE_CPU, 100 * i, 100 * i + 100, 10e6));
		assert_null(mix_fold_step(&fold));
	}
	mix_fold_add(&fold, SOURCE_PASSES, put_column(&b, SOURCE_PASSES, 0, 900, 45));
	step = mix_fold_step(&fold);
	assert_non_null(step);
	assert_float_equal(mixed_value(&b, step), 48 + 90.0 / 45, 1e-9);
	assert_null(mix_fold_step(&fold)); /* all of it is used */
	for (int i = 9; i < 40 && !(step = mix_fold_step(&fold)); i++)
		mix_fold_add(&fold, SOURCE_GPU, put_column(&b, SOURCE_GPU, 100 * i, 100 * i + 100, 40));
	assert_non_null(step); /* sources that are silent are not waited for */
	assert_true(isnan(mixed_value(&b, step)));
	mix_fold_fini(&fold);
	bench_fini(&b);
}
