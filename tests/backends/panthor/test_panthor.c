/* Panthor in all its generations: what it is called, what it tells without counters, and the two
 * interfaces for counters that are not in mainline. */
#include "base/alloc.h"
#include "config.h"
#include "tests/support/drm_run.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define G610 0xa8670000
#define G615 0xb8820000

/* What is only proposed is looked for only if malitop was configured so. */
static const char *const generations[] = {
	"panthor-6.10", "panthor-6.13", "panthor-6.18", "panthor-arm",
#ifdef WITH_PANTHOR_PERF
	"panthor-v6",
#endif
};
static const char *const *counting = generations + 3;
#define N_COUNTING (ARRAY_LEN(generations) - 3)

static struct fake_drm_gpu *begin_run(struct drm_run *r, const char *driver, uint64_t cores)
{
	struct fake_drm_gpu *gpu = drm_run_init(r, &backend_panthor, driver, G610, cores);

	gpu->slices = 4;
	return gpu;
}

static void start_run(struct drm_run *r, int64_t period_ns)
{
	if (!drm_run_open(r) || !drm_run_start(r, period_ns))
		fail_msg("%s", r->err.text);
}

static void says(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("'%s' does not say '%s'", text, words);
}

/* The proposed numbers are mainline's for something else by now. */
TEST(the_proposed_interface_is_only_used_if_it_was_configured)
{
	struct drm_run r;

	begin_run(&r, "panthor-v6", 0xf);
	assert_true(drm_run_open(&r));
#ifdef WITH_PANTHOR_PERF
	assert_true(r.source->keeps_powered);
#else
	says(r.source->note, "no counters: mainline Linux has none for this driver");
#endif
	drm_run_fini(&r);
}

TEST(each_generation_is_known_by_its_registers)
{
	for (size_t g = 0; g < ARRAY_LEN(generations); g++) {
		struct drm_run r;

		begin_run(&r, generations[g], 0x50005);
		assert_true(drm_run_open(&r));
		assert_string_equal(r.source->title, "Mali-G610 4 cores");
		assert_int_equal(r.source->constants.core_mask, 0x50005);
		assert_int_equal(r.source->constants.l2_slice_count, 4);
		assert_int_equal(r.source->constants.bus_width_bits, 128);
		assert_int_equal(r.fake.drm.gpus[0].n_wakes, 0);
		drm_run_fini(&r);
	}
}

TEST(an_id_of_64_bits_is_taken_only_where_the_kernel_has_it)
{
	struct drm_run r;
	struct fake_drm_gpu *gpu = begin_run(&r, "panthor-arm", 0xf);

	gpu->gpu_id = 0xf0000000;
	gpu->gpu_id_hi = 14u << 24 | 8u << 16 | 1; /* architecture 14.8, product 1 */
	assert_true(drm_run_open(&r));
	assert_null(strstr(r.source->title, "0xf0000000"));
	drm_run_close(&r);
	gpu->driver = fake_drm_driver_find("panthor-6.18");
	assert_true(drm_run_open(&r));
	says(r.source->title, "Mali 0xf0000000");
	drm_run_fini(&r);
}

TEST(mainline_has_no_counters_and_says_so)
{
	for (size_t g = 0; g < 3; g++) {
		struct drm_run r;

		begin_run(&r, generations[g], 0xf);
		start_run(&r, 100 * MS);
		says(r.source->note, "no counters: mainline Linux has none for this driver");
		assert_false(r.source->keeps_powered);
		assert_false(drm_run_has(&r, "MaliGPUActiveCy"));
		assert_int_equal(r.source->period_ns, 500 * MS);
		drm_run_next(&r);
		drm_run_next(&r);
		assert_int_equal(drm_run_value(&r, "GPUClockCy") / 1000, 300000);
		assert_int_equal(r.fake.drm.gpus[0].n_wakes + r.fake.drm.gpus[0].n_enables, 0);
		drm_run_fini(&r);
	}
}

/* Panfrost's habit of writing 1 gives cycles and no times. */
TEST(profiling_needs_both_bits)
{
	static const struct {
		const char *text;
		bool on;
	} cases[] = {{"0\n", false}, {"1\n", false}, {"2\n", false}, {"3\n", true}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct drm_run r;

		begin_run(&r, "panthor-6.18", 0xf);
		drm_run_write(&r, cases[i].text, "sys/class/drm/renderD128/device/profiling");
		assert_true(drm_run_open(&r));
		assert_int_equal(strstr(r.source->note, "profiling is off") == NULL, cases[i].on);
		if (!cases[i].on)
			says(r.source->note, "echo 3 | sudo tee /sys/class/drm/renderD128/device/profiling");
		drm_run_fini(&r);
	}
}

TEST(the_sum_over_clients_may_exceed_the_time)
{
	struct drm_run r;

	begin_run(&r, "panthor-6.18", 0xf);
	drm_run_write(&r, "3\n", "sys/class/drm/renderD128/device/profiling");
	for (int second = 0; second < 2; second++) {
		AUTOFREE char *text = xasprintf("drm-engine-panthor:\t%d ns\ndrm-cycles-panthor:\t%d\n",
						second * 400000000, second * 300000000);

		drm_run_client(&r, 100, 5, 128, "panthor", 1, text);
		drm_run_client(&r, 101, 5, 128, "panthor", 2, text);
		if (!second)
			start_run(&r, 500 * MS);
		drm_run_next(&r);
	}
	assert_int_equal(drm_run_value(&r, "DRMTime"), 500 * MS);
	assert_int_equal(drm_run_value(&r, "DRMAllTime"), 800 * MS);
	assert_int_equal(drm_run_value(&r, "DRMAllCy"), 600000000);
	drm_run_fini(&r);
}

/* ---- counters ---- */

static uint64_t value_at(const struct drm_run *r, enum gpu_block block, unsigned index)
{
	const struct gpu_counter *c = gpu_layout_at(r->source->layout, block, index);

	return drm_run_value(r, c->name ? c->name : c->hw_name);
}

static uint64_t counted_by_cores(const struct fake_drm_gpu *gpu, unsigned index, int64_t ns)
{
	uint64_t sum = 0;

	for (unsigned core = 0; core < 64; core++)
		if (gpu->core_mask >> core & 1)
			sum += fake_count(NULL, FAKE_SHADER, core, index, ns);
	return sum;
}

TEST(the_sums_of_a_run_are_what_the_gpu_counted)
{
	static const unsigned longer[] = {0, 8, 40};

	for (size_t g = 0; g < N_COUNTING * ARRAY_LEN(longer); g++) {
		struct drm_run r;
		struct fake_drm_gpu *gpu = begin_run(&r, counting[g % N_COUNTING], 0x50005);
		uint64_t core = 0, front = 0;
		int64_t length = 0, expected;

		gpu->longer_headers = longer[g / N_COUNTING]; /* strides are the kernel's */
		start_run(&r, 100 * MS);
		for (int i = 0; i < 10; i++) {
			drm_run_next(&r);
			assert_int_equal(r.sample->flags & SAMPLE_ERROR, 0);
			core += value_at(&r, BLOCK_CORE, 4);
			front += value_at(&r, BLOCK_FRONT_END, 4);
			length += r.sample->end_ns - r.sample->begin_ns;
			assert_in_range(drm_run_value(&r, "GPUClockCy"), 78 * MS, 85 * MS);
			assert_in_range(drm_run_value(&r, "GPUShaderClockCy"), 58 * MS, 64 * MS);
		}
		expected = (int64_t)counted_by_cores(gpu, 4, length);
		assert_in_range(core, expected * 999 / 1000, expected * 1001 / 1000);
		assert_in_range(front, length * 799 / 1000, length * 801 / 1000);
		drm_run_fini(&r);
	}
}

TEST(a_note_says_that_counting_is_outside_mainline_and_costs_power)
{
	static const char *const names[] = {"of Arm's own kernels", "proposed for Linux in December 2025"};

	for (size_t g = 0; g < N_COUNTING; g++) {
		AUTO_STRBUF struct strbuf text = {0};
		struct drm_run r;

		begin_run(&r, counting[g], 0xf);
		assert_true(drm_run_open(&r));
		says(r.source->note, "not in mainline Linux");
		says(r.source->note, "counting keeps the GPU powered");
		assert_true(r.source->keeps_powered);
		r.backend->describe(r.source, &text);
		says(text.p, names[g]);
		assert_int_equal(r.fake.drm.gpus[0].n_enables + r.fake.drm.gpus[0].n_wakes, 0);
		drm_run_fini(&r);
	}
}

TEST(an_answer_that_does_not_add_up_means_no_counters)
{
	static const struct {
		unsigned values, longer;
		int longer_sample;
		bool counts;
	} cases[] = {{64, 0, 0, true},   {128, 16, 8, true},    {0, 0, 0, false},        {200, 0, 0, false},
		     {64, 0, -8, false}, {64, 0, -4096, false}, {64, 0, 1 << 21, false}, {64, 0, 3, false}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct drm_run r;
		struct fake_drm_gpu *gpu = begin_run(&r, "panthor-arm", 0xf);

		gpu->n_values = cases[i].values;
		gpu->longer_headers = cases[i].longer;
		gpu->sample_short = cases[i].longer_sample;
		assert_true(drm_run_open(&r));
		assert_int_equal(r.source->keeps_powered, cases[i].counts);
		drm_run_fini(&r);
	}
}

TEST(a_sample_that_the_driver_marks_is_treated_so)
{
	static const struct {
		const char *driver;
		uint32_t told, flags;
	} cases[] = {
		{"panthor-arm", 2, SAMPLE_STRETCHED},
		{"panthor-arm", 1, SAMPLE_ERROR},
		{"panthor-arm", 0, 0},
#ifdef WITH_PANTHOR_PERF
		{"panthor-v6", 2, SAMPLE_ERROR},
#endif
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct drm_run r;
		struct fake_drm_gpu *gpu = begin_run(&r, cases[i].driver, 0xf);

		start_run(&r, 100 * MS);
		gpu->sample_flags = cases[i].told;
		drm_run_next(&r);
		assert_int_equal(r.sample->flags & (SAMPLE_ERROR | SAMPLE_STRETCHED), cases[i].flags);
		drm_run_fini(&r);
	}
}

TEST(stamps_that_cannot_be_are_an_error)
{
	struct drm_run r;
	struct fake_drm_gpu *gpu = begin_run(&r, "panthor-arm", 0xf);

	start_run(&r, 100 * MS);
	drm_run_next(&r);
	gpu->strange_stamps = true;
	drm_run_next(&r);
	assert_true(r.sample->flags & SAMPLE_ERROR);
	assert_int_equal(r.sample->begin_ns, r.sample->end_ns);
	assert_int_equal(sample_failure(r.sample->flags), FAILURE_STAMPS);
	gpu->strange_stamps = false;
	drm_run_next(&r);
	assert_int_equal(r.sample->flags & SAMPLE_ERROR, 0);
	drm_run_fini(&r);
}

TEST(a_sample_that_takes_long_comes_later_and_none_is_lost)
{
	struct drm_run r;
	struct fake_drm_gpu *gpu = begin_run(&r, "panthor-arm", 0xf);

	gpu->dump_ns = 30 * MS;
	start_run(&r, 100 * MS);
	for (int i = 0; i < 5; i++) {
		drm_run_next(&r);
		assert_in_range(r.sample->end_ns - r.sample->begin_ns, 90 * MS, 140 * MS);
		assert_int_equal(r.sample->flags & (SAMPLE_GAP | SAMPLE_ERROR), 0);
	}
	drm_run_fini(&r);
}

TEST(a_gpu_that_goes_away_is_gone)
{
	for (size_t g = 0; g < ARRAY_LEN(generations); g++) {
		struct drm_run r;
		struct fake_drm_gpu *gpu = begin_run(&r, generations[g], 0xf);

		start_run(&r, 100 * MS);
		drm_run_next(&r);
		gpu->gone = true;
		assert_int_equal(drm_run_read(&r, 2000 * MS), READ_GONE);
		gpu->gone = false;
		drm_run_fini(&r);
	}
}

TEST(counters_of_another_program_stay_its_own)
{
	struct drm_run r;
	struct fake_drm_gpu *gpu = begin_run(&r, "panthor-arm", 0xf);

	gpu->taken = true;
	assert_true(drm_run_open(&r));
	assert_false(drm_run_start(&r, 100 * MS));
	assert_int_equal(r.err.code, EBUSY);
	says(r.err.text, "another program counts: stop it, or use -b panthor:fdinfo");
	drm_run_fini(&r);
}

/* ---- every call, failing in turn ---- */

static const int codes[] = {EACCES, EPERM, EINVAL, EBUSY, ENOMEM, ENODEV, ENOTTY, EFAULT, ENOSYS, EIO};

TEST(each_call_of_the_start_may_fail_in_any_way)
{
	unsigned failed = 0, went_on = 0;

	for (size_t g = 0; g < ARRAY_LEN(generations); g++) {
		struct drm_run r;
		unsigned n_calls;

		begin_run(&r, generations[g], 0x5b3);
		start_run(&r, 100 * MS);
		n_calls = drm_run_calls(&r);
		drm_run_fini(&r);
		for (unsigned at = 1; at <= n_calls; at++)
			for (size_t c = 0; c < ARRAY_LEN(codes); c++) {
				begin_run(&r, generations[g], 0x5b3);
				r.fake.fault = (struct fake_fault){FAKE_CALL_ANY, at, 1, codes[c]};
				if (drm_run_open(&r) && drm_run_start(&r, 100 * MS)) {
					assert_int_equal(drm_run_read(&r, 1000 * MS), READ_GOT);
					went_on++;
				} else {
					assert_true(strlen(r.err.text) > 20 &&
						    strstr(r.err.text, "/dev/dri/renderD128: "));
					failed++;
				}
				drm_run_fini(&r);
			}
	}
	assert_true(failed > 100 && went_on > 100);
}

TEST(each_call_of_a_read_may_fail_in_any_way)
{
	unsigned gone = 0, went_on = 0;

	for (size_t g = 0; g < ARRAY_LEN(generations); g++)
		for (unsigned at = 1; at <= 12; at++)
			for (size_t c = 0; c < ARRAY_LEN(codes); c++) {
				enum read_result got = READ_GOT;
				struct drm_run r;

				begin_run(&r, generations[g], 0x5b3);
				start_run(&r, 100 * MS);
				drm_run_next(&r);
				r.fake.fault = (struct fake_fault){FAKE_CALL_ANY, at, 1, codes[c]};
				for (int i = 0; i < 6 && got == READ_GOT; i++)
					got = drm_run_read(&r, 3000 * MS);
				assert_true(got != READ_NONE);
				gone += got == READ_GONE;
				went_on += got == READ_GOT;
				drm_run_fini(&r);
			}
	assert_true(gone > 5 && went_on > 300);
}
