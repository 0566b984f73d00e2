/* A Mali driver on bad days: GPUs that sleep, samples that fail, rings that fill, devices that vanish, calls that are refused. */
#include "base/alloc.h"
#include "tests/support/kbase_run.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define S (1000 * MS)

static const struct way {
	const char *driver, *interface;
	uint64_t id;
} ways[] = {
	{"r16p0", "vinstr", 0x08600000}, {"r25p0", "vinstr", 0x74021000}, {"r44p0", "vinstr", 0x74021000},
	{"r38p1", "kinstr", 0x90820000}, {"r44p0", "kinstr", 0x74021000}, {"r54p1", "kinstr", 0xb8520000},
};

static struct fake_gpu *begin(struct kbase_run *r, const struct way *way, int64_t period_ns)
{
	struct fake_gpu *gpu;

	kbase_run_init(r);
	gpu = fake_sys_add_gpu(&r->fake, way->driver, way->id, 0x5b3);
	r->options.interface = way->interface;
	r->options.interval_ns = period_ns;
	if (!kbase_run_open(r) || !kbase_run_start(r, period_ns))
		fail_msg("%s: %s", way->driver, r->err.text);
	return gpu;
}

static void next(struct kbase_run *r)
{
	if (kbase_run_read(r, 12 * S) != READ_GOT)
		fail_msg("%s: no sample", r->fake.kbase.gpus[0].driver->name);
}

/* The first counter of the cores, on any GPU. */
static const struct gpu_counter *core_counter(const struct kbase_run *r)
{
	const struct gpu_counter *c = r->source->layout->counters;

	while (c->block != BLOCK_CORE)
		c++;
	return c;
}

static uint64_t value(const struct kbase_run *r)
{
	const struct gpu_counter *c = core_counter(r);

	return r->sample->value[kbase_run_slot(r, c->name ? c->name : c->hw_name, INSTANCE_ALL, 0)];
}

static uint64_t slot(const struct kbase_run *r, const char *name)
{
	return r->sample->value[kbase_run_slot(r, name, INSTANCE_ALL, 0)];
}

static void a_gpu_that_is_off_counts_nothing_and_fails_nothing(void **state)
{
	(void)state;
	for (size_t w = 0; w < ARRAY_LEN(ways); w++) {
		struct kbase_run r;

		begin(&r, &ways[w], 100 * MS);
		next(&r);
		next(&r);
		assert_true(value(&r) > 0);
		fake_gpu_power(&r.fake.kbase, 0, false);
		next(&r);
		for (int i = 0; i < 3; i++) {
			next(&r);
			assert_int_equal(value(&r), 0);
			assert_int_equal(r.sample->flags, 0);
			assert_int_equal(r.sample->end_ns - r.sample->begin_ns, 100 * MS);
		}
		fake_gpu_power(&r.fake.kbase, 0, true);
		next(&r);
		next(&r);
		assert_true(value(&r) > 0);
		kbase_run_fini(&r);
	}
}

static void the_clock_is_cycles_over_time_where_the_driver_counts_them(void **state)
{
	static const struct {
		struct way way;
		unsigned domains;
		uint64_t top, shader;
	} cases[] = {
		{{"r54p1", "kinstr", 0xb8520000}, 2, 85000000, 70000000},
		{{"r54p1", "kinstr", 0xb8520000}, 1, 85000000, SAMPLE_UNKNOWN},
		{{"r44p0", "kinstr", 0x74021000}, 0, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN},
		{{"r44p0", "vinstr", 0x74021000}, 2, 85000000, 70000000},
		{{"r44p0", "vinstr", 0x74021000}, 0, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN},
		{{"r25p0", "vinstr", 0x74021000}, 2, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN}, /* 16 byte metadata */
	};

	(void)state;
	for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
		struct kbase_run r;
		struct fake_gpu *gpu;

		gpu = begin(&r, &cases[c].way, 100 * MS);
		kbase_run_close(&r);
		gpu->n_clocks = cases[c].domains;
		assert_true(kbase_run_open(&r) && kbase_run_start(&r, 100 * MS));
		next(&r);
		next(&r);
		assert_true(slot(&r, "GPUClockCy") == cases[c].top);
		assert_true(slot(&r, "GPUShaderClockCy") == cases[c].shader);
		assert_int_equal(slot(&r, "GPUSteadyTime"), 100 * MS);
		assert_true(slot(&r, "GPUSteadyCy") > 0);
		kbase_run_fini(&r);
	}
}

static void a_maximum_of_5000_khz_means_that_nobody_knows(void **state)
{
	static const struct {
		unsigned khz;
		double hz;
	} cases[] = {{850000, 850e6}, {5000, 0}, {0, 0}};

	(void)state;
	for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
		struct kbase_run r;

		kbase_run_init(&r);
		fake_sys_add_gpu(&r.fake, "r44p0", 0x74021000, 1)->max_khz = cases[c].khz;
		assert_true(kbase_run_open(&r));
		assert_true(r.source->constants.top_hz == cases[c].hz);
		kbase_run_fini(&r);
	}
}

static void samples_that_the_driver_lost_or_declares_failed_are_told(void **state)
{
	(void)state;
	for (size_t w = 3; w < ARRAY_LEN(ways); w++) {
		struct kbase_run r;
		struct fake_gpu *gpu = begin(&r, &ways[w], 100 * MS);

		next(&r);
		gpu->lost_samples = 3;
		next(&r);
		assert_int_equal(r.sample->lost, 3);
		assert_int_equal(r.sample->flags, SAMPLE_GAP);
		next(&r);
		assert_int_equal(r.sample->lost, 0);
		gpu->failed_samples = 1;
		next(&r);
		assert_int_equal(r.sample->flags, SAMPLE_ERROR);
		next(&r);
		assert_int_equal(r.sample->flags, 0);
		gpu->endless_samples = 1; /* end = 0, as right after boot */
		next(&r);
		assert_int_equal(r.sample->flags, SAMPLE_ERROR);
		assert_int_equal(r.sample->end_ns - r.sample->begin_ns, 0);
		next(&r);
		assert_int_equal(r.sample->flags, SAMPLE_GAP); /* what the bad one covered is not counted */
		kbase_run_fini(&r);
	}
}

/* Some drivers sample as soon as they are started: the first waiting sample is no time at all, and the second right behind it. */
static void samples_that_wait_together_at_the_start_are_all_sound(void **state)
{
	(void)state;
	for (size_t w = 0; w < ARRAY_LEN(ways); w++) {
		struct kbase_run r;

		begin(&r, &ways[w], 1 * MS);
		fake_sys_run(&r.fake, 16 * MS);
		for (int i = 0; i < 14; i++) {
			assert_int_equal(kbase_run_read(&r, 0), READ_GOT);
			assert_int_equal(r.sample->flags, 0);
			assert_true(r.sample->end_ns > r.sample->begin_ns);
		}
		kbase_run_fini(&r);
	}
}

/* A dump says only when it ended: after a stamp that cannot be, the next one's begin is not known either. */
static void a_dump_without_a_time_spoils_the_next_one_and_no_more(void **state)
{
	(void)state;
	for (size_t w = 0; w < 3; w++) {
		struct kbase_run r;
		struct fake_gpu *gpu = begin(&r, &ways[w], 100 * MS);

		next(&r);
		next(&r);
		gpu->endless_samples = 1;
		for (int i = 0; i < 2; i++) {
			next(&r);
			assert_int_equal(r.sample->flags, SAMPLE_ERROR);
			assert_int_equal(r.sample->end_ns - r.sample->begin_ns, 0);
		}
		next(&r);
		assert_int_equal(r.sample->flags, 0);
		assert_int_equal(r.sample->end_ns - r.sample->begin_ns, 100 * MS);
		kbase_run_fini(&r);
	}
}

/* The driver has room for so many samples; what comes later is in one long one, and no count is lost. */
static void a_reader_that_sleeps_finds_every_count_in_a_stretched_sample(void **state)
{
	(void)state;
	for (size_t w = 0; w < ARRAY_LEN(ways); w++) {
		struct kbase_run r;
		uint64_t sum = 0, expected = 0;
		int64_t begin_ns, end_ns;
		unsigned n = 0, stretched = 0;
		struct fake_gpu *gpu = begin(&r, &ways[w], 10 * MS);

		next(&r);
		begin_ns = r.sample->end_ns;
		fake_sys_run(&r.fake, 500 * MS);
		while (kbase_run_read(&r, 0) == READ_GOT) {
			sum += value(&r);
			n++;
		}
		assert_in_range(n, 31, 32);
		next(&r);
		sum += value(&r);
		stretched += r.sample->flags == SAMPLE_STRETCHED;
		assert_true(r.sample->end_ns - r.sample->begin_ns > 150 * MS);
		end_ns = r.sample->end_ns;
		for (unsigned core = 0; core < 64; core++)
			if (gpu->core_mask >> core & 1) {
				int64_t zero = gpu->since_ns - r.fake.raw_ahead_ns;

				expected += fake_count(gpu, FAKE_SHADER, core, core_counter(&r)->index, end_ns - zero) -
					    fake_count(gpu, FAKE_SHADER, core, core_counter(&r)->index, begin_ns - zero);
			}
		assert_int_equal(stretched, 1);
		assert_int_equal(sum, expected);
		kbase_run_fini(&r);
	}
}

static void sampling_by_hand_where_the_driver_refuses_a_period(void **state)
{
	static const struct {
		int64_t asked_ns, true_ns;
	} cases[] = {{100 * MS, 100 * MS}, {1 * MS, 10 * MS}};

	(void)state;
	for (size_t w = 0; w < ARRAY_LEN(ways); w++)
		for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
			struct kbase_run r;
			struct fake_gpu *gpu = begin(&r, &ways[w], 100 * MS);

			kbase_run_close(&r);
			gpu->refuses_period = true;
			r.options.interval_ns = cases[c].asked_ns;
			if (!kbase_run_open(&r) || !kbase_run_start(&r, cases[c].asked_ns))
				fail_msg("%s: %s", ways[w].driver, r.err.text);
			assert_int_equal(r.source->period_ns, cases[c].true_ns);
			assert_int_equal(r.source->backend->fd(r.source), -1); /* the sampler asks every period */
			for (int i = 0; i < 5; i++) {
				next(&r);
				assert_int_equal(r.sample->end_ns - r.sample->begin_ns, cases[c].true_ns);
				assert_true(value(&r) > 0);
				assert_int_equal(kbase_run_read(&r, 0), READ_NONE);
			}
			kbase_run_fini(&r);
		}
}

static void the_interval_that_the_driver_really_takes_becomes_known(void **state)
{
	(void)state;
	for (size_t w = 0; w < ARRAY_LEN(ways); w++) {
		struct kbase_run r;
		struct fake_gpu *gpu = begin(&r, &ways[w], 100 * MS);

		kbase_run_close(&r);
		gpu->raises_to_ns = 40 * MS;
		assert_true(kbase_run_open(&r) && kbase_run_start(&r, 10 * MS));
		for (int i = 0; i < 6; i++)
			next(&r);
		assert_int_equal(r.source->period_ns, 40 * MS);
		next(&r);
		assert_int_equal(r.sample->flags, 0);
		kbase_run_fini(&r);
	}
}

static void a_long_interval_does_not_overflow_32_bits(void **state)
{
	(void)state;
	for (size_t w = 0; w < ARRAY_LEN(ways); w++) {
		struct kbase_run r;

		begin(&r, &ways[w], 10 * S);
		next(&r);
		next(&r);
		assert_int_equal(r.sample->end_ns - r.sample->begin_ns, 10 * S);
		assert_true(value(&r) != SAMPLE_UNKNOWN && value(&r) > UINT32_MAX);
		kbase_run_fini(&r);
	}
}

static void another_period_begins_another_session(void **state)
{
	static const int64_t periods[] = {10 * MS, 200 * MS, 20 * MS, 20 * MS};

	(void)state;
	for (size_t w = 0; w < ARRAY_LEN(ways); w++) {
		struct kbase_run r;

		begin(&r, &ways[w], 100 * MS);
		for (size_t p = 0; p < ARRAY_LEN(periods); p++) {
			r.source->backend->stop(r.source);
			if (!kbase_run_start(&r, periods[p]))
				fail_msg("%s", r.err.text);
			next(&r);
			next(&r);
			assert_int_equal(r.sample->end_ns - r.sample->begin_ns, periods[p]);
			assert_int_equal(r.sample->flags, 0);
		}
		assert_int_equal(fake_kbase_open_files(&r.fake.kbase), 2);
		kbase_run_fini(&r);
	}
}

static void a_device_that_vanishes_is_gone_and_can_be_opened_again(void **state)
{
	(void)state;
	for (size_t w = 0; w < ARRAY_LEN(ways); w++) {
		struct kbase_run r;
		struct fake_gpu *gpu = begin(&r, &ways[w], 100 * MS);

		next(&r);
		gpu->gone = true;
		assert_int_equal(kbase_run_read(&r, S), READ_GONE);
		kbase_run_close(&r);
		assert_false(kbase_run_open(&r));
		assert_int_equal(r.err.code, ENODEV);
		gpu->gone = false;
		assert_true(kbase_run_open(&r) && kbase_run_start(&r, 100 * MS));
		next(&r);
		kbase_run_fini(&r);
	}
}

static void a_poll_that_lies_gives_nothing_and_harms_nothing(void **state)
{
	(void)state;
	for (size_t w = 0; w < ARRAY_LEN(ways); w++) {
		struct kbase_run r;
		struct fake_gpu *gpu = begin(&r, &ways[w], 100 * MS);

		gpu->spurious = true;
		assert_int_equal(kbase_run_read(&r, 0), READ_NONE);
		next(&r);
		assert_int_equal(kbase_run_read(&r, 0), READ_NONE);
		kbase_run_fini(&r);
	}
}

/* Releases before r32p1 map whole pages only: with 3840 bytes a dump, 16 of them. */
static void fewer_buffers_where_memory_is_short(void **state)
{
	static const struct {
		const char *driver;
		unsigned least;
	} cases[] = {{"r44p0", 2}, {"r25p0", 16}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (unsigned most = 1; most <= 32; most *= 2) {
			struct kbase_run r;

			kbase_run_init(&r);
			r.options.interface = "vinstr";
			fake_sys_add_gpu(&r.fake, cases[i].driver, 0x74021000, 0x5b3)->most_buffers = most;
			if (most < cases[i].least) {
				assert_false(kbase_run_open(&r));
				assert_int_equal(r.err.code, most == 1 ? ENOMEM : EINVAL);
			} else {
				assert_true(kbase_run_open(&r) && kbase_run_start(&r, 100 * MS));
				next(&r);
				next(&r);
			}
			kbase_run_fini(&r);
		}
}

static void metadata_of_unknown_types_are_passed_over(void **state)
{
	struct kbase_run r;
	struct fake_gpu *gpu = begin(&r, &ways[5], 100 * MS);

	(void)state;
	kbase_run_close(&r);
	gpu->strange_items = true;
	assert_true(kbase_run_open(&r) && kbase_run_start(&r, 100 * MS));
	next(&r);
	next(&r);
	assert_true(value(&r) > 0 && value(&r) != SAMPLE_UNKNOWN);
	assert_int_equal(r.sample->flags, 0);
	kbase_run_fini(&r);
}

static void a_kernel_with_another_set_of_counters_is_shown_raw(void **state)
{
	struct kbase_run r;

	(void)state;
	kbase_run_init(&r);
	fake_sys_add_gpu(&r.fake, "r54p1", 0xb8520000, 0x5b3)->set = 1;
	assert_true(kbase_run_open(&r) && kbase_run_start(&r, 100 * MS));
	assert_null(r.source->product);
	assert_non_null(strstr(r.source->note, "another set"));
	next(&r);
	next(&r);
	assert_true(slot(&r, "shader_core_63") > 0);
	kbase_run_fini(&r);
}

static void an_unknown_gpu_is_raw_unless_one_is_assumed(void **state)
{
	struct kbase_run r;

	(void)state;
	kbase_run_init(&r);
	fake_sys_add_gpu(&r.fake, "r54p1", 0xf9990000, 0x5b3)->id = 0xe9990000;
	assert_true(kbase_run_open(&r) && kbase_run_start(&r, 100 * MS));
	assert_null(r.source->product);
	assert_non_null(strstr(r.source->title, "Mali 0xe9990000 7 cores, unknown"));
	assert_non_null(strstr(r.source->note, "no data for this GPU"));
	next(&r);
	next(&r);
	assert_true(slot(&r, "front_end_63") > 0);
	kbase_run_close(&r);
	r.options.gpu_name = "G715";
	assert_true(kbase_run_open(&r) && kbase_run_start(&r, 100 * MS));
	assert_string_equal(r.source->product->name, "Mali-G715");
	assert_non_null(strstr(r.source->title, "(assumed)"));
	next(&r);
	kbase_run_fini(&r);
}

#define TEST(name) cmocka_unit_test(name)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_gpu_that_is_off_counts_nothing_and_fails_nothing),
		TEST(the_clock_is_cycles_over_time_where_the_driver_counts_them),
		TEST(a_maximum_of_5000_khz_means_that_nobody_knows),
		TEST(samples_that_the_driver_lost_or_declares_failed_are_told),
		TEST(samples_that_wait_together_at_the_start_are_all_sound),
		TEST(a_dump_without_a_time_spoils_the_next_one_and_no_more),
		TEST(a_reader_that_sleeps_finds_every_count_in_a_stretched_sample),
		TEST(sampling_by_hand_where_the_driver_refuses_a_period),
		TEST(the_interval_that_the_driver_really_takes_becomes_known),
		TEST(a_long_interval_does_not_overflow_32_bits),
		TEST(another_period_begins_another_session),
		TEST(a_device_that_vanishes_is_gone_and_can_be_opened_again),
		TEST(a_poll_that_lies_gives_nothing_and_harms_nothing),
		TEST(fewer_buffers_where_memory_is_short),
		TEST(metadata_of_unknown_types_are_passed_over),
		TEST(a_kernel_with_another_set_of_counters_is_shown_raw),
		TEST(an_unknown_gpu_is_raw_unless_one_is_assumed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
