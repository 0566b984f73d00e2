/* A Mali driver on bad days: GPUs that sleep, samples that fail, rings that fill, devices that
 * vanish, calls that are refused. */
#include "base/alloc.h"
#include "tests/support/kbase_run.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define S (1000 * MS)

TEST(a_gpu_that_is_off_counts_nothing_and_fails_nothing)
{
	for (size_t w = 0; w < KBASE_WAYS; w++) {
		struct kbase_run r;

		kbase_run_begin(&r, &kbase_ways[w], 100 * MS);
		kbase_run_next(&r);
		kbase_run_next(&r);
		assert_true(kbase_run_value(&r) > 0);
		fake_gpu_power(&r.fake.kbase, 0, false);
		kbase_run_next(&r);
		for (int i = 0; i < 3; i++) {
			kbase_run_next(&r);
			assert_int_equal(kbase_run_value(&r), 0);
			assert_int_equal(r.sample->flags, 0);
			assert_int_equal(r.sample->end_ns - r.sample->begin_ns, 100 * MS);
		}
		fake_gpu_power(&r.fake.kbase, 0, true);
		kbase_run_next(&r);
		kbase_run_next(&r);
		assert_true(kbase_run_value(&r) > 0);
		kbase_run_fini(&r);
	}
}

TEST(the_clock_is_cycles_over_time_where_the_driver_counts_them)
{
	static const struct {
		struct kbase_way way;
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

	for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
		struct kbase_run r;
		struct fake_gpu *gpu;

		gpu = kbase_run_begin(&r, &cases[c].way, 100 * MS);
		kbase_run_close(&r);
		gpu->n_clocks = cases[c].domains;
		assert_true(kbase_run_open(&r) && kbase_run_start(&r, 100 * MS));
		kbase_run_next(&r);
		kbase_run_next(&r);
		assert_true(kbase_run_sum(&r, "GPUClockCy") == cases[c].top);
		assert_true(kbase_run_sum(&r, "GPUShaderClockCy") == cases[c].shader);
		assert_int_equal(kbase_run_sum(&r, "GPUSteadyTime"), 100 * MS);
		assert_true(kbase_run_sum(&r, "GPUSteadyCy") > 0);
		kbase_run_fini(&r);
	}
}

/* Its estimate is 0 then, busy or not; one that tells a clock says 0 while the GPU is off, and that
 * is true. */
TEST(a_driver_that_never_tells_its_clock_tells_no_0_mhz)
{
	static const struct {
		int64_t hz;
		uint64_t busy, idle;
	} cases[] = {{0, SAMPLE_UNKNOWN, SAMPLE_UNKNOWN}, {850000000, 85000000, 0}};

	for (size_t c = 0; c < ARRAY_LEN(cases); c++)
		for (int idle_first = 0; idle_first < 2; idle_first++) {
			struct kbase_run r;
			struct fake_gpu *gpu = kbase_run_begin(&r, &kbase_ways[4], 100 * MS);

			kbase_run_close(&r);
			gpu->n_clocks = 2;
			gpu->hz[0] = gpu->hz[1] = cases[c].hz;
			fake_gpu_power(&r.fake.kbase, 0, !idle_first);
			assert_true(kbase_run_open(&r) && kbase_run_start(&r, 100 * MS));
			kbase_run_next(&r);
			kbase_run_next(&r);
			if (idle_first) { /* it has told none yet */
				assert_true(kbase_run_sum(&r, "GPUClockCy") == SAMPLE_UNKNOWN);
				fake_gpu_power(&r.fake.kbase, 0, true);
				kbase_run_next(&r);
				kbase_run_next(&r);
			}
			assert_true(kbase_run_sum(&r, "GPUClockCy") == cases[c].busy);
			assert_true(kbase_run_sum(&r, "GPUShaderClockCy") == cases[c].busy);
			fake_gpu_power(&r.fake.kbase, 0, false);
			kbase_run_next(&r);
			kbase_run_next(&r);
			assert_true(kbase_run_sum(&r, "GPUClockCy") == cases[c].idle);
			assert_true(kbase_run_sum(&r, "GPUShaderClockCy") == cases[c].idle);
			kbase_run_fini(&r);
		}
}

/* Whatever the driver tells of clocks: r54p1 says that every block was off. */
TEST(a_gpu_that_was_never_on_is_idle_and_a_protected_one_is_not)
{
	static const struct {
		unsigned way; /* of kbase_ways */
		bool off, hides;
		uint64_t cycles, hidden_ns, of_ns;
	} cases[] = {
		{5, true, false, 0, 0, 100 * MS},
		{5, true, true, SAMPLE_UNKNOWN, 100 * MS, 100 * MS},
		{5, false, false, SAMPLE_UNKNOWN, 0, 100 * MS},
		{4, true, false, SAMPLE_UNKNOWN, 1, 1}, /* has no states */
	};

	for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
		struct kbase_run r;
		struct fake_gpu *gpu = kbase_run_begin(&r, &kbase_ways[cases[c].way], 100 * MS);

		kbase_run_close(&r);
		gpu->n_clocks = 1;
		gpu->hz[0] = 0; /* its estimate is 0 all the time */
		gpu->hides = cases[c].hides;
		fake_gpu_power(&r.fake.kbase, 0, !cases[c].off);
		assert_true(kbase_run_open(&r) && kbase_run_start(&r, 100 * MS));
		kbase_run_next(&r);
		kbase_run_next(&r);
		assert_true(kbase_run_sum(&r, "GPUClockCy") == cases[c].cycles);
		if (cases[c].of_ns > 1) {
			assert_int_equal(kbase_run_sum(&r, "GPUProtectedTime"), cases[c].hidden_ns);
			assert_int_equal(kbase_run_sum(&r, "GPUProtectedOf"), cases[c].of_ns);
		} else {
			for (unsigned i = 0; i < r.source->n_slots; i++)
				assert_string_not_equal(r.source->slots[i].name, "GPUProtectedTime");
		}
		kbase_run_fini(&r);
	}
}

/* A driver that tells neither states nor a clock: the kernel's word for a GPU without power is all
 * there is, and only where nothing was counted. */
TEST(a_gpu_that_the_kernel_suspended_is_idle_for_a_driver_without_states)
{
	static const struct {
		const char *status; /* of the kernel's power management; NULL: no such file */
		bool off;
		uint64_t cycles;
	} cases[] = {
		{"suspended\n", true, 0},
		{"suspended\n", false, SAMPLE_UNKNOWN}, /* it counted before it was suspended */
		{"active\n", true, SAMPLE_UNKNOWN},
		{"suspending\n", true, SAMPLE_UNKNOWN},
		{NULL, true, SAMPLE_UNKNOWN},
	};

	for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
		for (unsigned way = 0; way < 5; way++) { /* not r54p1's, which has states */
			struct kbase_run r;
			struct fixture files;
			int root;

			fixture_init(&files, NULL);
			if (cases[c].status)
				fixture_write(&files, "sys/class/misc/mali0/device/power/runtime_status",
					      cases[c].status);
			kbase_run_begin(&r, &kbase_ways[way], 100 * MS)->n_clocks = 0;
			kbase_run_close(&r);
			root = r.fake.real.root_fd;
			r.fake.real.root_fd = files.sys.root_fd;
			fake_gpu_power(&r.fake.kbase, 0, !cases[c].off);
			assert_true(kbase_run_open(&r) && kbase_run_start(&r, 100 * MS));
			kbase_run_next(&r);
			kbase_run_next(&r);
			if (kbase_run_sum(&r, "GPUClockCy") != cases[c].cycles)
				fail_msg("case %zu, %s: %llu cycles", c, kbase_ways[way].driver,
					 (unsigned long long)kbase_run_sum(&r, "GPUClockCy"));
			kbase_run_close(&r);
			r.fake.real.root_fd = root;
			kbase_run_fini(&r);
			fixture_fini(&files);
		}
	}
}

/* So that it rests while the screen is paused; doctor tries every one. */
TEST(an_older_interface_of_a_job_manager_keeps_the_gpu_powered)
{
	for (size_t w = 0; w < KBASE_WAYS; w++) {
		AUTO_STRBUF struct strbuf text = {0};
		struct kbase_run r;

		kbase_run_begin(&r, &kbase_ways[w], 100 * MS);
		assert_int_equal(r.source->keeps_powered, w < KBASE_WAYS_VINSTR);
		assert_false(r.source->untried);
		r.source->backend->describe(r.source, &text);
		assert_non_null(strstr(text.p, w < KBASE_WAYS_VINSTR
						       ? "which stops while the screen is paused\n"
						       : "continues while the screen is paused\n"));
		kbase_run_fini(&r);
	}
}

TEST(a_maximum_of_5000_khz_means_that_nobody_knows)
{
	static const struct {
		unsigned khz;
		double hz;
	} cases[] = {{850000, 850e6}, {5000, 0}, {0, 0}};

	for (size_t c = 0; c < ARRAY_LEN(cases); c++) {
		struct kbase_run r;

		kbase_run_init(&r);
		fake_sys_add_gpu(&r.fake, "r44p0", 0x74021000, 1)->max_khz = cases[c].khz;
		assert_true(kbase_run_open(&r));
		assert_true(r.source->constants.top_hz == cases[c].hz);
		kbase_run_fini(&r);
	}
}

TEST(samples_that_the_driver_lost_or_declares_failed_are_flagged)
{
	for (size_t w = 3; w < KBASE_WAYS; w++) {
		struct kbase_run r;
		struct fake_gpu *gpu = kbase_run_begin(&r, &kbase_ways[w], 100 * MS);

		kbase_run_next(&r);
		gpu->lost_samples = 3;
		kbase_run_next(&r);
		assert_int_equal(r.sample->lost, 3);
		assert_int_equal(r.sample->flags, SAMPLE_GAP);
		kbase_run_next(&r);
		assert_int_equal(r.sample->lost, 0);
		gpu->failed_samples = 1;
		kbase_run_next(&r);
		assert_int_equal(r.sample->flags, sample_failed(FAILURE_UNREAD));
		kbase_run_next(&r);
		assert_int_equal(r.sample->flags, 0);
		gpu->endless_samples = 1; /* end = 0, as right after boot */
		kbase_run_next(&r);
		assert_int_equal(r.sample->flags, sample_failed(FAILURE_STAMPS));
		assert_int_equal(r.sample->end_ns - r.sample->begin_ns, 0);
		kbase_run_next(&r);
		assert_int_equal(r.sample->flags, SAMPLE_GAP); /* what the bad one covered is not counted */
		kbase_run_fini(&r);
	}
}

TEST(a_device_that_vanishes_is_gone_and_can_be_opened_again)
{
	for (size_t w = 0; w < KBASE_WAYS; w++) {
		struct kbase_run r;
		struct fake_gpu *gpu = kbase_run_begin(&r, &kbase_ways[w], 100 * MS);

		kbase_run_next(&r);
		gpu->gone = true;
		assert_int_equal(kbase_run_read(&r, S), READ_GONE);
		kbase_run_close(&r);
		assert_false(kbase_run_open(&r));
		assert_int_equal(r.err.code, ENODEV);
		gpu->gone = false;
		assert_true(kbase_run_open(&r) && kbase_run_start(&r, 100 * MS));
		kbase_run_next(&r);
		kbase_run_fini(&r);
	}
}

TEST(a_poll_that_lies_gives_nothing_and_harms_nothing)
{
	for (size_t w = 0; w < KBASE_WAYS; w++) {
		struct kbase_run r;
		struct fake_gpu *gpu = kbase_run_begin(&r, &kbase_ways[w], 100 * MS);

		gpu->spurious = true;
		assert_int_equal(kbase_run_read(&r, 0), READ_NONE);
		kbase_run_next(&r);
		assert_int_equal(kbase_run_read(&r, 0), READ_NONE);
		kbase_run_fini(&r);
	}
}

/* Releases before r32p1 map whole pages only: with 3840 bytes a dump, 16 of them. */
TEST(fewer_buffers_where_memory_is_short)
{
	static const struct {
		const char *driver;
		unsigned least;
	} cases[] = {{"r44p0", 2}, {"r25p0", 16}};

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
				kbase_run_next(&r);
				kbase_run_next(&r);
			}
			kbase_run_fini(&r);
		}
}

TEST(a_list_that_changes_while_it_is_read_is_refused)
{
	static const struct {
		int list, props;
		const char *said;
	} cases[] = {
		{1, 0, "kinstr_prfcnt: the list of counters changed while it was read"},
		{1000, 0, "kinstr_prfcnt: the list of counters changed while it was read"},
		{-1, 0, "kinstr_prfcnt: the list of counters changed while it was read"},
		{1 << 24, 0, "kinstr_prfcnt: the list of counters changed while it was read"},
		{0, 1, "cannot read the GPU's properties: the driver's list is malformed"},
		{0, -1, "cannot read the GPU's properties: the driver's list is malformed"},
		{0, 1 << 24, "cannot read the GPU's properties: the driver's list is malformed"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct kbase_run r;
		struct fake_gpu *gpu;

		kbase_run_init(&r);
		r.options.interface = "kinstr";
		gpu = fake_sys_add_gpu(&r.fake, "r54p1", 0xb8520000, 0x5b3);
		gpu->list_grows = cases[i].list;
		gpu->props_grow = cases[i].props;
		assert_false(kbase_run_open(&r));
		if (!strstr(r.err.text, cases[i].said))
			fail_msg("%s", r.err.text);
		kbase_run_fini(&r);
	}
}

TEST(a_message_names_the_backend_once)
{
	static const struct {
		const char *driver, *interface, *said;
	} cases[] = {
		{"r54p1", "vinstr", "kbase: vinstr: this driver no longer has it: "},
		{"r25p0", "kinstr", "kbase: kinstr: this driver does not have it yet: "},
		{"r54p1", "other", "--backend: kbase:other: expected "},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct kbase_run r;

		kbase_run_init(&r);
		r.options.interface = cases[i].interface;
		fake_sys_add_gpu(&r.fake, cases[i].driver, 0xb8520000, 3);
		assert_false(kbase_run_open(&r));
		if (strncmp(r.err.text, cases[i].said, strlen(cases[i].said)) != 0)
			fail_msg("%s", r.err.text);
		kbase_run_fini(&r);
	}
}

TEST(metadata_of_unknown_types_are_passed_over)
{
	struct kbase_run r;
	struct fake_gpu *gpu = kbase_run_begin(&r, &kbase_ways[5], 100 * MS);

	kbase_run_close(&r);
	gpu->strange_items = true;
	assert_true(kbase_run_open(&r) && kbase_run_start(&r, 100 * MS));
	kbase_run_next(&r);
	kbase_run_next(&r);
	assert_true(kbase_run_value(&r) > 0 && kbase_run_value(&r) != SAMPLE_UNKNOWN);
	assert_int_equal(r.sample->flags, 0);
	kbase_run_fini(&r);
}

TEST(a_kernel_with_another_set_of_counters_is_shown_raw)
{
	struct kbase_run r;

	kbase_run_init(&r);
	fake_sys_add_gpu(&r.fake, "r54p1", 0xb8520000, 0x5b3)->set = 1;
	assert_true(kbase_run_open(&r) && kbase_run_start(&r, 100 * MS));
	assert_null(r.source->product);
	assert_non_null(strstr(r.source->note, "a set other than"));
	kbase_run_next(&r);
	kbase_run_next(&r);
	assert_true(kbase_run_sum(&r, "shader_core_63") > 0);
	kbase_run_fini(&r);
}

TEST(an_unknown_gpu_is_raw_unless_one_is_assumed)
{
	struct kbase_run r;

	kbase_run_init(&r);
	fake_sys_add_gpu(&r.fake, "r54p1", 0xf9990000, 0x5b3)->id = 0xe9990000;
	assert_true(kbase_run_open(&r) && kbase_run_start(&r, 100 * MS));
	assert_null(r.source->product);
	assert_non_null(strstr(r.source->title, "Mali 0xe9990000 7 cores, unknown"));
	assert_non_null(strstr(r.source->note, "no data for this GPU"));
	kbase_run_next(&r);
	kbase_run_next(&r);
	assert_true(kbase_run_sum(&r, "front_end_63") > 0);
	kbase_run_close(&r);
	r.options.gpu_name = "G715";
	assert_true(kbase_run_open(&r) && kbase_run_start(&r, 100 * MS));
	assert_string_equal(r.source->product->name, "Mali-G715");
	assert_non_null(strstr(r.source->title, "(assumed)"));
	kbase_run_next(&r);
	kbase_run_fini(&r);
}
