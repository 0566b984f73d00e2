#include "tests/support/gpu_bench.h"

#include "model/history.h"
#include "model/metric.h"

#include <math.h>

/* The files of GPUs in tests/fixtures are written after what the drivers' sources print; no board
 * was at hand. */

TEST(every_board_tells_what_its_files_hold)
{
	static const struct {
		const char *board;
		uint64_t clock, top, millicelsius, utilization, bytes;
	} cases[] = {
		{"rk3588", 300000000, 1000000000, 50846, 37, 45678 * 4096},
		{"phone-4-3-1", 702000000, UNKNOWN, 55000, 43, UNKNOWN},
		{"amlogic-g31", 666000000, UNKNOWN, UNKNOWN, 23, 18117 * 4096},
		{"mediatek-g77", 545000000, UNKNOWN, 50100, 57, UNKNOWN},
		{"pixel-g710", 471000000, 848000000, 44000, 28, 769654784},
		{"rk3399", 200000000, 800000000, 58750, UNKNOWN, UNKNOWN},
		{"s922x", 124999998, 799999987, UNKNOWN, UNKNOWN, UNKNOWN},
		{"x86-vm", UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN},
		{NULL, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct gpu_bench b;
		int64_t hz = 0;

		bench_open(&b, cases[i].board);
		b.g.page_bytes = 4096;
		assert_true(level(&b, GPU_SYSTEM_CLOCK) == cases[i].clock);
		assert_true(b.g.top_hz == cases[i].top);
		assert_true(b.values.level[GPU_SYSTEM_TEMPERATURE] == cases[i].millicelsius);
		assert_true(b.values.level[GPU_SYSTEM_UTILIZATION] == cases[i].utilization);
		assert_true(b.values.level[GPU_SYSTEM_MEMORY] == cases[i].bytes);
		assert_int_equal(gpu_system_clock(&b.g, &hz), cases[i].clock != UNKNOWN);
		assert_int_equal(hz, cases[i].clock == UNKNOWN ? 0 : cases[i].clock);
		bench_close(&b);
	}
}

TEST(a_later_read_tells_the_later_state)
{
	struct gpu_bench b;

	bench_open(&b, "rk3588");
	level(&b, GPU_SYSTEM_CLOCK);
	fixture_next(&b.f, "rk3588");
	assert_int_equal(level(&b, GPU_SYSTEM_CLOCK), 700000000);
	assert_int_equal(b.values.level[GPU_SYSTEM_TEMPERATURE], 54538);
	assert_int_equal(b.values.level[GPU_SYSTEM_UTILIZATION], 91);
	assert_int_equal(b.values.level[GPU_SYSTEM_MEMORY], 47000 * b.g.page_bytes);
	bench_close(&b);
}

TEST(reading_opens_nothing_and_closing_closes_all)
{
	struct gpu_bench b;
	unsigned opens;
	int64_t hz;

	bench_open(&b, "rk3588");
	level(&b, GPU_SYSTEM_CLOCK);
	opens = b.f.opens;
	assert_int_equal(b.n_open, 5); /* clock, load, memory, power, one zone */
	for (int i = 0; i < 10; i++) {
		level(&b, GPU_SYSTEM_CLOCK);
		gpu_system_clock(&b.g, &hz);
	}
	assert_int_equal(b.f.opens, opens);
	assert_int_equal(b.n_open, 5);
	bench_close(&b);
}

TEST(closing_what_was_never_opened_or_is_closed_does_nothing)
{
	struct gpu_system never = {0};
	struct gpu_bench b;

	gpu_system_close(&never);
	bench_open(&b, "rk3588");
	gpu_system_close(&b.g);
	bench_close(&b);
}

TEST(a_gpu_that_sleeps_has_neither_clock_nor_load_but_memory)
{
	struct gpu_bench b;
	int64_t hz;

	bench_open(&b, "rk3588");
	fixture_write(&b.f, DEVICE "power/runtime_status", "suspended\n");
	assert_true(level(&b, GPU_SYSTEM_CLOCK) == UNKNOWN);
	assert_true(b.values.level[GPU_SYSTEM_UTILIZATION] == UNKNOWN);
	assert_false(b.values.level[GPU_SYSTEM_MEMORY] == UNKNOWN);
	assert_false(b.values.level[GPU_SYSTEM_TEMPERATURE] == UNKNOWN);
	assert_false(gpu_system_clock(&b.g, &hz));
	assert_true(gpu_system_suspended(&b.g));
	fixture_write(&b.f, DEVICE "power/runtime_status", "active\n");
	assert_true(gpu_system_clock(&b.g, &hz));
	assert_false(gpu_system_suspended(&b.g));
	bench_close(&b);
}

TEST(devfreq_is_that_of_the_device_else_the_only_one_with_such_a_name)
{
	static const struct {
		const char *own;        /* linked from the device */
		const char *entries[3]; /* at 100, 200 and 300 MHz */
		uint64_t clock;
	} cases[] = {
		{NULL, {"dmc", "ff9a0000.gpu", "fdab0000.npu"}, 200000000},
		{NULL, {"13000000.mali", "mtk-dvfsrc-devfreq", NULL}, 100000000},
		{NULL, {"bus_mif", "17000060.g3d", NULL}, 200000000},
		{NULL, {"gpu", NULL, NULL}, 100000000},
		{NULL, {"ddrfreq", "gpufreq", NULL}, 200000000},
		{NULL, {"dmc", "gpubus", "gpu-bus"}, UNKNOWN},
		{NULL, {"gpu", "ff9a0000.gpu", NULL}, UNKNOWN},
		{"ff9a0000.gpu", {"gpu", "ff9a0000.gpu", NULL}, 200000000},
		{"strange", {"gpu", "ff9a0000.gpu", "strange"}, 300000000},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct gpu_bench b;
		char path[128], text[32];

		bench_init(&b, NULL);
		for (int k = 0; k < 3 && cases[i].entries[k]; k++) {
			snprintf(path, sizeof(path), "sys/class/devfreq/%s/cur_freq", cases[i].entries[k]);
			snprintf(text, sizeof(text), "%d00000000\n", k + 1);
			fixture_write(&b.f, path, text);
		}
		if (cases[i].own) {
			snprintf(path, sizeof(path), DEVICE "devfreq/%s/name", cases[i].own);
			fixture_write(&b.f, path, cases[i].own);
		}
		gpu_system_open(&b.g, &b.f.sys, 0);
		assert_true(level(&b, GPU_SYSTEM_CLOCK) == cases[i].clock);
		bench_close(&b);
	}
}

TEST(a_second_gpu_is_another_machine)
{
	static const char text[] = "mali0             100\n  kctx-0x01   90\nmali1   7\n  kctx-0x02   3\n";
	struct gpu_bench b;

	bench_init(&b, "amlogic-g31");
	fixture_write(&b.f, "sys/kernel/debug/mali1/gpu_memory", text);
	fixture_write(&b.f, "sys/class/devfreq/gpu/cur_freq", "848000000\n");
	gpu_system_open(&b.g, &b.f.sys, 1);
	assert_int_equal(level(&b, GPU_SYSTEM_MEMORY), 7 * b.g.page_bytes);
	/* what has no number is of the first */
	assert_true(b.values.level[GPU_SYSTEM_CLOCK] == UNKNOWN);
	bench_close(&b);
}

TEST(zones_of_the_gpu_are_known_by_type)
{
	static const struct {
		const char *type;
		bool known;
	} cases[] = {{"gpu-thermal\n", true}, {"gpu_thermal", true},    {"gpu\n", true},
		     {"G3D\n", true},         {"gpu1-thermal\n", true}, {"mali\n", true},
		     {"GPU0\n", true},        {"gpu-step\n", false},    {"cpu-thermal\n", false},
		     {"gpuss-0\n", false},    {"package-gpu\n", false}, {"\n", false},
		     {"\x01gpu\n", false}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct gpu_bench b;

		bench_init(&b, NULL);
		fixture_write(&b.f, "sys/class/thermal/thermal_zone7/type", cases[i].type);
		fixture_write(&b.f, "sys/class/thermal/thermal_zone7/temp", "-1\n");
		gpu_system_open(&b.g, &b.f.sys, 0);
		/* a thousandth under zero has the bits of "unknown", so it is two */
		assert_true(level(&b, GPU_SYSTEM_TEMPERATURE) == (cases[i].known ? (uint64_t)-2 : UNKNOWN));
		bench_close(&b);
	}
}

TEST(what_cannot_be_read_now_is_unknown_and_comes_back)
{
	static const struct {
		const char *file;
		enum gpu_system_thing thing;
		int error;
	} cases[] = {
		{"/temp", GPU_SYSTEM_TEMPERATURE, EAGAIN},  {"/temp", GPU_SYSTEM_TEMPERATURE, EINVAL},
		{"/temp", GPU_SYSTEM_TEMPERATURE, ENODATA}, {"cur_freq", GPU_SYSTEM_CLOCK, ENODEV},
		{"load", GPU_SYSTEM_UTILIZATION, EIO},      {"gpu_memory", GPU_SYSTEM_MEMORY, EACCES},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct gpu_bench b;

		bench_open(&b, "rk3588");
		b.f.broken = cases[i].file;
		b.f.broken_errno = cases[i].error;
		assert_true(level(&b, cases[i].thing) == UNKNOWN);
		for (enum gpu_system_thing k = 0; k < GPU_SYSTEM_LEVELS; k++)
			assert_int_equal(b.values.level[k] == UNKNOWN, k == cases[i].thing);
		b.f.broken = NULL;
		assert_false(level(&b, cases[i].thing) == UNKNOWN);
		bench_close(&b);
	}
}

TEST(a_file_that_says_nothing_at_first_is_kept)
{
	struct gpu_bench b;

	bench_init(&b, "rk3588");
	b.f.broken = "cur_freq";
	b.f.broken_errno = EINVAL;
	fixture_write(&b.f, DEVICE "clock", "0\n");
	gpu_system_open(&b.g, &b.f.sys, 0);
	assert_true(level(&b, GPU_SYSTEM_CLOCK) == UNKNOWN);
	b.f.broken = NULL;
	assert_int_equal(level(&b, GPU_SYSTEM_CLOCK), 300000000);
	bench_close(&b);
}

TEST(a_file_that_tells_goes_before_one_that_does_not)
{
	struct gpu_bench b;

	bench_init(&b, "rk3588");
	fixture_write(&b.f, DEVFREQ "cur_freq", "slow\n");
	fixture_write(&b.f, DEVICE "clock", "848\n");
	gpu_system_open(&b.g, &b.f.sys, 0);
	assert_int_equal(level(&b, GPU_SYSTEM_CLOCK), 848000000);
	fixture_write(&b.f, DEVICE "clock", "garbage\n");
	assert_true(level(&b, GPU_SYSTEM_CLOCK) == UNKNOWN);
	bench_close(&b);
}

TEST(the_number_of_open_files_does_not_grow_with_failures)
{
	for (int error = 1; error <= 40; error++) {
		struct gpu_bench b;

		if (error == EINTR)
			continue; /* is tried again, for ever */
		bench_init(&b, "rk3588");
		b.f.broken = "sys/";
		b.f.broken_errno = error;
		gpu_system_open(&b.g, &b.f.sys, 0);
		for (int i = 0; i < 3; i++)
			level(&b, GPU_SYSTEM_CLOCK);
		assert_true(b.n_open <= 5);
		for (enum gpu_system_thing k = 0; k < GPU_SYSTEM_LEVELS; k++)
			assert_true(b.values.level[k] == UNKNOWN);
		bench_close(&b);
	}
}

/* As the backend of a GPU has them. */
static void source_of(struct source *s, const struct gpudb *db, const struct gpu_system *g)
{
	*s = (struct source){.product = gpudb_by_name(db, "Mali-G715"), .options.per_instance = true};
	s->constants = (struct source_constants){.core_count = 2, .l2_slice_count = 1, .core_mask = 5};
	source_add_gpu_sums(s);
	if (g)
		gpu_system_add_slots(g, s);
	source_add_gpu_instances(s);
}

TEST(slots_are_those_the_machine_tells_and_stand_between_sums_and_instances)
{
	static const struct {
		const char *board;
		unsigned n;
		const char *names[GPU_SYSTEM_LEVELS];
	} cases[] = {{"rk3588", 4, {"GPUFreq", "GPUTemp", "GPUDriverUtil", "GPUMem"}},
		     {"amlogic-g31", 3, {"GPUFreq", "GPUDriverUtil", "GPUMem"}},
		     {"s922x", 1, {"GPUFreq"}},
		     {"bare", 0, {NULL}}};
	struct gpudb *db = gpudb_load(NULL, 0, NULL);
	struct source plain = {0};

	source_of(&plain, db, NULL);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		unsigned n = cases[i].n, sums = plain.n_sums;
		struct source s;
		struct gpu_bench b;

		bench_open(&b, cases[i].board);
		source_of(&s, db, &b.g);
		assert_int_equal(s.n_sums, sums + n);
		assert_int_equal(s.n_slots, plain.n_slots + n);
		for (unsigned k = 0; k < n; k++)
			assert_string_equal(s.slots[sums + k].name, cases[i].names[k]);
		for (unsigned k = 0; k < plain.n_slots; k++) {
			const struct slot *slot = &s.slots[k < sums ? k : k + n];

			assert_string_equal(slot->name, plain.slots[k].name);
			assert_int_equal(slot->instance, plain.slots[k].instance);
		}
		free(s.slots);
		bench_close(&b);
	}
	free(plain.slots);
	gpudb_free(db);
}

static double metric_now(const struct metric_set *set, const double *vector, const char *name)
{
	const struct metric *m = metric_find(set, span_of(name));

	return m ? metric_value(m, vector) : (double)NAN;
}

TEST(metrics_are_what_the_machine_tells_in_their_units)
{
	struct gpudb *db = gpudb_load(NULL, 0, NULL);
	AUTOFREE struct sample *sample = NULL;
	AUTOFREE struct column *column = NULL;
	AUTOFREE double *vector = NULL;
	struct metric_set *set;
	struct source s;
	struct gpu_bench b;

	bench_open(&b, "rk3588");
	b.g.page_bytes = 4096;
	source_of(&s, db, &b.g);
	set = metric_set_new(
		db, &(struct metric_source){.product = s.product, .slots = s.slots, .n_slots = s.n_slots},
		NULL);
	assert_non_null(set);
	sample = xcalloc(1, sizeof(*sample) + s.n_slots * sizeof(sample->value[0]));
	sample->n_values = s.n_slots;
	sample->end_ns = 100 * MS;
	gpu_system_read(&b.g, &b.values);
	gpu_system_fill(&b.g, &b.values, sample->value + s.n_sums - 4);
	column = xcalloc(1, sizeof(*column) + s.n_slots * sizeof(column->value[0]));
	column_from_sample(column, sample, s.slots, s.n_slots);
	vector = xcalloc(set->n_vector, sizeof(*vector));
	metric_vector(set, column, vector);
	assert_true(metric_now(set, vector, "GPUFreq") == 300e6);
	assert_true(fabs(metric_now(set, vector, "GPUTemp") - 50.846) < 1e-9);
	assert_true(metric_now(set, vector, "GPUDriverUtil") == 37);
	assert_true(metric_now(set, vector, "GPUMem") == 45678 * 4096);
	metric_set_free(set);
	free(s.slots);
	bench_close(&b);
	source_of(&s, db, NULL);
	set = metric_set_new(
		db, &(struct metric_source){.product = s.product, .slots = s.slots, .n_slots = s.n_slots},
		NULL);
	assert_non_null(set);
	assert_null(metric_find(set, SPAN_LIT("GPUTemp")));
	assert_null(metric_find(set, SPAN_LIT("GPUMem")));
	metric_set_free(set);
	free(s.slots);
	gpudb_free(db);
}
