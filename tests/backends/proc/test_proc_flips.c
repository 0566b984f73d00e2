/* Page flips of displays: counted where the kernel lets them be, taken for frames where nothing
 * counts these, and judged only where they tell something. */
#include "backends/backends.h"
#include "backends/proc/proc.h"
#include "model/judge.h"
#include "session/devices.h"
#include "tests/fake/fake_sys.h"
#include "tests/support/fixture.h"
#include "base/alloc.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENT "drm/drm_vblank_event_delivered"
#define SECOND 1000000000ll

struct flips_bench {
	struct fixture f;
	struct fake_sys fake;
	struct fake_perf *perf;
	struct source *source;
	struct sample *sample;
};

static void bench_init(struct flips_bench *b)
{
	memset(b, 0, sizeof(*b));
	fixture_init(&b->f, NULL);
	fake_sys_init(&b->fake, b->f.root);
	b->perf = fake_sys_add_perf(&b->fake, "a72x4");
	fake_perf_tree(b->perf, b->f.root);
	fake_perf_tracefs(b->f.root, EVENT);
}

static void bench_open(struct flips_bench *b)
{
	struct err err;

	b->source = xcalloc(1, sizeof(*b->source));
	b->source->backend = &backend_proc;
	b->source->sys = &b->fake.sys;
	b->source->options = (struct source_options){.db = fixture_db(), .interval_ns = SECOND};
	b->source->priv = xcalloc(1, backend_proc.priv_size);
	assert_true(backend_proc.open(b->source, NULL, &err));
	assert_true(backend_proc.start(b->source, SECOND, b->fake.now_ns, &err));
	b->sample = xcalloc(1, sizeof(*b->sample) + b->source->n_slots * sizeof(uint64_t));
}

static void bench_fini(struct flips_bench *b)
{
	if (b->source) {
		backend_proc.stop(b->source);
		backend_proc.close(b->source);
		source_free(b->source);
	}
	free(b->sample);
	assert_int_equal(fake_perf_open_files(b->perf, NULL), 0);
	assert_string_equal(b->perf->breaches.p ? b->perf->breaches.p : "", "");
	fake_sys_fini(&b->fake);
	fixture_fini(&b->f);
}

static void flip_page(struct flips_bench *b, unsigned display, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		fake_perf_trace(b->perf, (int)(i % 4), EVENT, (const uint64_t[]){0, display, i});
}

static void read_second(struct flips_bench *b)
{
	fake_sys_run(&b->fake, SECOND);
	assert_int_equal(backend_proc.read(b->source, b->fake.now_ns, b->sample), READ_GOT);
}

/* UINT64_MAX: there is no such slot. */
static uint64_t flips_of(const struct flips_bench *b, const char *name)
{
	for (unsigned i = 0; i < b->source->n_slots; i++)
		if (strcmp(b->source->slots[i].name, name) == 0)
			return b->sample->value[i];
	return UINT64_MAX;
}

TEST(flips_of_each_display_are_counted)
{
	AUTO_STRBUF struct strbuf text = {0};
	struct flips_bench b;

	bench_init(&b);
	bench_open(&b);
	flip_page(&b, 0, 60);
	flip_page(&b, 2, 30);
	flip_page(&b, 7, 9); /* of another controller */
	read_second(&b);
	assert_int_equal(flips_of(&b, "Display0Flips"), 60);
	assert_int_equal(flips_of(&b, "Display1Flips"), 0);
	assert_int_equal(flips_of(&b, "Display2Flips"), 30);
	assert_int_equal(flips_of(&b, "Display3Flips"), 0);
	read_second(&b);
	assert_int_equal(flips_of(&b, "Display0Flips"), 0);
	backend_proc.describe(b.source, &text);
	assert_non_null(strstr(text.p, "page flips: counted by drm:drm_vblank_event_delivered\n"));
	bench_fini(&b);
}

TEST(displays_that_cannot_be_told_apart_are_counted_together)
{
	AUTO_STRBUF struct strbuf text = {0};
	struct flips_bench b;

	bench_init(&b);
	b.perf->unfiltered = true;
	bench_open(&b);
	flip_page(&b, 0, 60);
	flip_page(&b, 2, 30);
	read_second(&b);
	assert_true(flips_of(&b, "Display0Flips") == UINT64_MAX);
	assert_int_equal(flips_of(&b, "DisplayFlips"), 90);
	backend_proc.describe(b.source, &text);
	assert_non_null(strstr(text.p, ", of all displays together\n"));
	bench_fini(&b);
}

TEST(cpus_that_come_and_go_lose_no_flips)
{
	struct flips_bench b;

	bench_init(&b);
	bench_open(&b);
	flip_page(&b, 0, 40);
	fake_perf_online(b.perf, 1, false);
	fake_perf_tree(b.perf, b.f.root);
	read_second(&b);
	assert_int_equal(flips_of(&b, "Display0Flips"), 40);
	fake_perf_online(b.perf, 1, true);
	fake_perf_tree(b.perf, b.f.root);
	read_second(&b);
	flip_page(&b, 0, 20);
	read_second(&b);
	assert_int_equal(flips_of(&b, "Display0Flips"), 20);
	bench_fini(&b);
}

TEST(who_may_not_count_flips_gets_the_reason)
{
	static const struct {
		bool missing;
		int paranoid;
		const char *said;
	} cases[] = {
		{true, -1, "missing: page flips of displays: no tracefs, or a kernel without displays\n"},
		{false, 1, "cannot be counted: Permission denied: run as root, or on Android in adb shell\n"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO_STRBUF struct strbuf text = {0};
		struct flips_bench b;

		bench_init(&b);
		if (cases[i].missing)
			fixture_remove(&b.f, "sys/kernel/tracing");
		b.perf->paranoid = cases[i].paranoid;
		bench_open(&b);
		read_second(&b);
		assert_true(flips_of(&b, "Display0Flips") == UINT64_MAX);
		backend_proc.describe(b.source, &text);
		if (!strstr(text.p, cases[i].said))
			fail_msg("%s", text.p);
		bench_fini(&b);
	}
}

/* ---- frames ---- */

static const struct slot slots[] = {
	{.name = "FrameCount", .scale = 1},    {.name = "FrameTime", .scale = 1},
	{.name = "PassesApps", .scale = 1},    {.name = "Display0Flips", .scale = 1},
	{.name = "Display1Flips", .scale = 1},
};

TEST(frames_of_an_application_come_before_flips_and_of_displays_the_busiest)
{
	static const struct {
		double frames, apps, flips[2];
		const char *said;
	} cases[] = {
		{NAN, NAN, {60, 0}, "60.0 fps by page flips of display 0"},
		{NAN, NAN, {24, 60}, "60.0 fps by page flips of display 1"},
		{0, 0, {60, NAN}, "60.0 fps by page flips of display 0"}, /* no application is connected */
		{38, 1, {60, 60}, "38.0 fps"},
		{0, 1, {60, 60}, ""}, /* one that shows nothing now */
		{NAN, NAN, {0, 0}, ""},
		{NAN, NAN, {NAN, NAN}, ""},
	};
	struct metric_set *set;
	struct err err;

	set = metric_set_new(fixture_db(),
			     &(struct metric_source){.slots = slots, .n_slots = ARRAY_LEN(slots)}, &err);
	assert_non_null(set);
	assert_true(metric_counts_frames(set));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct metric_frames frames = METRIC_FRAMES_UNKNOWN;
		AUTOFREE struct column *column = column_new(ARRAY_LEN(slots));
		char said[64];

		column->n_samples = 1;
		column->time_ns = SECOND;
		column->value[0] = cases[i].frames;
		column->value[1] = NAN;
		column->value[2] = cases[i].apps;
		column->value[3] = cases[i].flips[0];
		column->value[4] = cases[i].flips[1];
		metric_frames_add(&frames, set, column);
		metric_frames_say(&frames, said, sizeof(said));
		assert_string_equal(said, cases[i].said);
	}
	metric_set_free(set);
}

/* A still screen flips now and then: that is no late frame. */
TEST(few_flips_are_late_frames_only_while_the_gpu_is_full)
{
	static const struct {
		double rate, flips, busy;
		bool known;
	} cases[] = {
		{12, 1, 40, false}, {38, 1, 96, true},   {60, 1, 40, true},
		{12, 0, 40, true},  {NAN, 0, 96, false},
	};
	const struct gpu_product *product = gpudb_by_name(fixture_db(), "Mali-G715");
	static const struct slot clock[] = {{.name = "MaliGPUActiveCy", .scale = 1},
					    {.name = "GPUClockCy", .scale = 1},
					    {.name = "GPUSteadyCy", .scale = 1},
					    {.name = "GPUSteadyTime", .scale = 1}};
	struct metric_set *set;
	struct err err;

	set = metric_set_new(fixture_db(),
			     &(struct metric_source){.product = product,
						     .slots = clock,
						     .n_slots = ARRAY_LEN(clock),
						     .frames_per_second = 60},
			     &err);
	assert_non_null(set);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct metric_set *sets[SOURCE_KINDS] = {[SOURCE_GPU] = set};
		AUTOFREE double *vector = xcalloc(set->n_vector, sizeof(*vector));
		const double *vectors[SOURCE_KINDS] = {[SOURCE_GPU] = vector};
		struct judge_facts facts = {.value = {NAN, NAN}};
		struct judge *judge = judge_new(fixture_db(), sets);

		memcpy(vector, set->constants, sizeof(set->constants));
		vector[VECTOR_SECONDS] = 1;
		vector[VECTOR_CONSTANTS] = vector[VECTOR_CONSTANTS + 2] = cases[i].busy * 1e6;
		vector[VECTOR_CONSTANTS + 1] = 100e6;
		vector[VECTOR_CONSTANTS + 3] = 1e9;
		vector[VECTOR_FRAME_RATE] = cases[i].rate;
		vector[VECTOR_FRAME_FLIPS] = cases[i].flips;
		judge_step(judge, SECOND, 2 * SECOND, vectors, &facts);
		assert_int_equal(!isnan(judge->facts.value[FACT_FRAME_RATE]), cases[i].known);
		judge_free(judge);
	}
	metric_set_free(set);
}
