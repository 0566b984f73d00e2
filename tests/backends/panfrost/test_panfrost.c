/* Panfrost in all its generations: what it is called, what its samples count, and what it needs. */
#include "base/alloc.h"
#include "tests/support/drm_run.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define T860 0x08602000
#define G52 0x74021000
#define G57 0x90930000
#define T628 0x06201000
#define T604 0x69560000

static const char *const generations[] = {"panfrost-5.10", "panfrost-6.7", "panfrost-6.10", "panfrost-6.18"};

static struct fake_drm_gpu *begin_run(struct drm_run *r, const char *driver, uint32_t id, uint64_t cores)
{
	return drm_run_init(r, &backend_panfrost, driver, id, cores);
}

static void must_work(const struct drm_run *r, bool ok)
{
	if (!ok)
		fail_msg("%s", r->err.text);
}

static void says(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("'%s' does not say '%s'", text, words);
}

/* ---- what is there ---- */

TEST(only_nodes_of_panfrost_are_found_and_no_other_is_opened)
{
	struct source_found *found = NULL, *next;
	struct drm_run r;
	unsigned n = 0;

	begin_run(&r, "vkms", 0, 0);
	drm_run_add(&r, "panfrost-6.10", G52, 3);
	drm_run_add(&r, "v3d", 0, 0);
	drm_run_add(&r, "panfrost-6.18", T860, 3);
	assert_true(backend_panfrost.probe(&r.fake.sys, &found, &r.err));
	for (; found; found = next, n++) {
		assert_string_equal(found->device, n ? "/dev/dri/renderD131" : "/dev/dri/renderD129");
		next = found->next;
		free(found);
	}
	assert_int_equal(n, 2);
	assert_int_equal(r.fake.drm.n_opens, 0);
	drm_run_fini(&r);
}

TEST(a_node_without_sysfs_is_asked_through_libdrm_and_only_read)
{
	struct source_found *found = NULL;
	struct drm_run r;

	begin_run(&r, "v3d", 0, 0);
	drm_run_add(&r, "panfrost-6.10", G52, 3);
	fixture_remove(&r.files, "sys/class/drm/renderD128/device/uevent");
	fixture_remove(&r.files, "sys/class/drm/renderD129/device/uevent");
	assert_true(backend_panfrost.probe(&r.fake.sys, &found, &r.err));
	assert_non_null(found);
	assert_string_equal(found->device, "/dev/dri/renderD129");
	assert_null(found->next);
	free(found);
	drm_run_fini(&r);
}

TEST(a_gpu_is_known_by_its_registers)
{
	static const struct {
		uint32_t id;
		uint64_t cores;
		const char *title;
	} gpus[] = {
		{G52, 0x3, "Mali-G52 2 cores"},
		{G52, 0x1b, "Mali-G52 4 cores"},
		{G57, 0xf, "Mali-G57 4 cores"},
		{0x72110000, 0x7, "Mali-G76 3 cores"},
		{0x7fff0000, 0x7, "Mali 0x7fff0000 3 cores, unknown"},
	};

	for (size_t i = 0; i < ARRAY_LEN(gpus); i++) {
		struct drm_run r;
		struct fake_drm_gpu *gpu = begin_run(&r, "panfrost-6.18", gpus[i].id, gpus[i].cores);

		gpu->slices = 2;
		must_work(&r, drm_run_open(&r));
		assert_string_equal(r.source->title, gpus[i].title);
		assert_int_equal(r.source->constants.core_mask, gpus[i].cores);
		assert_int_equal(r.source->constants.l2_slice_count, 2);
		assert_int_equal(r.source->constants.bus_width_bits, 128);
		assert_true(r.source->constants.top_hz == 800e6);
		drm_run_fini(&r);
	}
}

/* ---- counting ---- */

/* What the fake counted, by its own law: shader core counter 4 and memory counter 4. */
static uint64_t counted(const struct fake_drm_gpu *gpu, enum fake_block block, unsigned index, int64_t ns)
{
	unsigned n = block == FAKE_MEMORY ? gpu->slices : 64;
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		if (block == FAKE_MEMORY || gpu->core_mask >> i & 1)
			sum += fake_count(NULL, block, i, index, ns);
	return sum;
}

static uint64_t value_at(const struct drm_run *r, enum gpu_block block, unsigned index)
{
	const struct gpu_counter *c = gpu_layout_at(r->source->layout, block, index);

	return drm_run_value(r, c->name ? c->name : c->hw_name);
}

TEST(the_sums_of_a_run_are_what_the_gpu_counted)
{
	for (size_t g = 0; g < ARRAY_LEN(generations); g++) {
		struct drm_run r;
		struct fake_drm_gpu *gpu = begin_run(&r, generations[g], G52, 0x2b);
		uint64_t core = 0, memory = 0, front = 0;
		int64_t began, length = 0;

		gpu->slices = 2;
		must_work(&r, drm_run_open(&r));
		must_work(&r, drm_run_start(&r, 100 * MS));
		began = r.fake.drm.now_ns;
		for (int i = 0; i < 10; i++) {
			drm_run_next(&r);
			assert_int_equal(r.sample->flags & SAMPLE_ERROR, 0);
			core += value_at(&r, BLOCK_CORE, 4);
			memory += value_at(&r, BLOCK_MEMORY, 16);
			front += value_at(&r, BLOCK_FRONT_END, 6);
			length += r.sample->end_ns - r.sample->begin_ns;
		}
		began = gpu->cleared_ns - began; /* until the last dump */
		assert_in_range(core, counted(gpu, FAKE_SHADER, 4, began) - 60,
				counted(gpu, FAKE_SHADER, 4, began) + 60);
		assert_in_range(memory, counted(gpu, FAKE_MEMORY, 16, began) - 60,
				counted(gpu, FAKE_MEMORY, 16, began) + 60);
		assert_in_range(front, (uint64_t)began * 800 / 1000 - 20, (uint64_t)began * 800 / 1000 + 20);
		assert_in_range(length, began - MS, began);
		drm_run_fini(&r);
	}
}

TEST(cores_and_slices_are_counted_apart)
{
	struct drm_run r;
	struct fake_drm_gpu *gpu = begin_run(&r, "panfrost-6.10", G52, 0x2b);
	uint64_t sum = 0;
	unsigned n = 0;

	gpu->slices = 2;
	r.options.per_instance = true;
	must_work(&r, drm_run_open(&r));
	must_work(&r, drm_run_start(&r, 100 * MS));
	drm_run_next(&r);
	for (unsigned i = r.source->n_sums; i < r.source->n_slots; i++)
		if (strcmp(r.source->slots[i].name, "MaliFragActiveCy") == 0) {
			static const unsigned cores[] = {0, 1, 3, 5};

			assert_int_equal(r.source->slots[i].number, cores[n++]);
			sum += r.sample->value[i];
		}
	assert_int_equal(n, 4);
	assert_int_equal(sum, drm_run_value(&r, "MaliFragActiveCy"));
	drm_run_fini(&r);
}

/* Of two core groups the driver powers the first. A mean over cores that are off would be too
 * small. */
TEST(the_old_layout_has_its_cores_in_groups_of_four)
{
	static const struct {
		uint32_t id;
		uint64_t cores, used;
		const char *title, *note;
	} gpus[] = {
		{T604, 0xf, 0xf, "Mali-T60x 4 cores", NULL}, /* the kernel changes its id */
		{T628, 0xf, 0xf, "Mali-T62x 4 cores", NULL},
		{T628, 0x3f, 0xf, "Mali-T62x 4 cores",
		 "the driver uses 4 of its 6 cores, those of the first core group"},
	};

	for (size_t i = 0; i < ARRAY_LEN(gpus); i++) {
		struct drm_run r;
		struct fake_drm_gpu *gpu = begin_run(&r, "panfrost-5.10", gpus[i].id, gpus[i].cores);
		uint64_t expected;

		must_work(&r, drm_run_open(&r));
		assert_string_equal(r.source->title, gpus[i].title);
		assert_int_equal(r.source->constants.core_mask, gpus[i].used);
		assert_int_equal(r.source->constants.core_count, __builtin_popcountll(gpus[i].used));
		assert_int_equal(r.source->constants.l2_slice_count, 1); /* one for each group */
		assert_true((strstr(r.source->note, "core group") != NULL) == (gpus[i].note != NULL));
		if (gpus[i].note)
			says(r.source->note, gpus[i].note);
		must_work(&r, drm_run_start(&r, 100 * MS));
		expected = (uint64_t)r.fake.drm.now_ns;
		drm_run_next(&r);
		gpu->core_mask = gpus[i].used;
		expected = counted(gpu, FAKE_SHADER, 4, gpu->cleared_ns - (int64_t)expected);
		assert_in_range(value_at(&r, BLOCK_CORE, 4), expected - 20, expected + 20);
		drm_run_fini(&r);
	}
}

TEST(a_counter_that_has_reached_its_end_is_unknown)
{
	struct drm_run r;
	struct fake_drm_gpu *gpu = begin_run(&r, "panfrost-6.10", G52, 3);

	must_work(&r, drm_run_open(&r));
	must_work(&r, drm_run_start(&r, 100 * MS));
	gpu->saturates = true;
	drm_run_next(&r);
	assert_true(drm_run_value(&r, "MaliFragActiveCy") == SAMPLE_UNKNOWN);
	drm_run_fini(&r);
}

/* ---- the buffer ---- */

/* Behind the buffer is a page that must not be touched: a dump that is too long ends the test. */
TEST(no_gpu_writes_beyond_the_buffer)
{
	static const uint64_t masks[] = {1, 3, 0xf, 0x1b, 0x3f, 0xff, 0xffff, UINT32_MAX, UINT64_MAX};
	static const uint64_t l2[] = {1, 0x11, 0x1111, 0x11111111, UINT64_MAX};
	const struct gpudb *db = fixture_db();
	unsigned tried = 0;

	for (unsigned p = 0; p < db->n_products; p++) {
		struct drm_run r;
		struct fake_drm_gpu *gpu = begin_run(&r, "panfrost-6.10", db->products[p].ids[0] << 16, 1);

		for (size_t m = 0; m < ARRAY_LEN(masks) * ARRAY_LEN(l2); m++) {
			gpu->core_mask = masks[m / 5];
			gpu->l2_present = l2[m % 5];
			gpu->slices = m % 5 == 4 ? 16 : 1 + (unsigned)(m % 5);
			must_work(&r, drm_run_open(&r));
			must_work(&r, drm_run_start(&r, 100 * MS));
			drm_run_next(&r);
			assert_int_equal(r.sample->flags & SAMPLE_ERROR, 0);
			assert_true(fake_panfrost_dump_bytes(gpu) <= 64 * 8 * 64 * 4);
			drm_run_close(&r);
			tried++;
		}
		drm_run_fini(&r);
	}
	assert_true(tried > 1000);
}

/* ---- the interval ---- */

TEST(a_slow_dump_raises_the_interval_and_a_quick_one_brings_it_back)
{
	struct drm_run r;
	struct fake_drm_gpu *gpu = begin_run(&r, "panfrost-6.10", G52, 3);

	must_work(&r, drm_run_open(&r));
	must_work(&r, drm_run_start(&r, 20 * MS));
	assert_int_equal(r.source->period_ns, 20 * MS);
	gpu->dump_ns = 30 * MS;
	drm_run_next(&r);
	assert_int_equal(r.source->period_ns, 60 * MS);
	gpu->dump_ns = MS / 5;
	for (int i = 0; i < 4; i++)
		drm_run_next(&r);
	assert_int_equal(r.source->period_ns, 20 * MS);
	drm_run_fini(&r);
}

TEST(an_interval_is_within_what_the_counters_bear)
{
	static const struct {
		int64_t asked_ms, given_ms;
	} intervals[] = {{1, 10}, {10, 10}, {100, 100}, {1000, 1000}, {5000, 1000}};

	for (size_t i = 0; i < ARRAY_LEN(intervals); i++) {
		struct drm_run r;

		begin_run(&r, "panfrost-6.10", G52, 3);
		must_work(&r, drm_run_open(&r));
		must_work(&r, drm_run_start(&r, intervals[i].asked_ms * MS));
		assert_int_equal(r.source->period_ns, intervals[i].given_ms * MS);
		drm_run_next(&r);
		drm_run_fini(&r);
	}
}

/* ---- what may go wrong ---- */

TEST(a_dump_that_is_never_finished_is_an_error_and_its_counts_are_in_no_sample)
{
	struct drm_run r;
	struct fake_drm_gpu *gpu = begin_run(&r, "panfrost-6.10", G52, 3);

	must_work(&r, drm_run_open(&r));
	must_work(&r, drm_run_start(&r, 100 * MS));
	drm_run_next(&r);
	gpu->hangs = true;
	drm_run_next(&r);
	assert_true(r.sample->flags & SAMPLE_ERROR);
	assert_in_range(r.sample->end_ns - r.sample->begin_ns, 50 * MS, 2000 * MS);
	assert_int_equal(sample_failure(r.sample->flags), FAILURE_TIMEOUT);
	gpu->hangs = false;
	drm_run_next(&r);
	assert_int_equal(r.sample->flags & SAMPLE_ERROR, 0);
	assert_true(r.sample->flags & SAMPLE_GAP);
	assert_in_range(r.sample->end_ns - r.sample->begin_ns, 95 * MS, 110 * MS);
	drm_run_fini(&r);
}

/* The driver resets a GPU that hangs, which turns the counters off, and does not turn them on
 * again. */
TEST(counters_that_a_reset_has_stopped_are_errors_until_they_count_again)
{
	static const struct {
		int reset;
		enum sample_failure why;
	} resets[] = {{RESET_STILL, FAILURE_RESET}, {RESET_SILENT, FAILURE_TIMEOUT}};

	for (size_t i = 0; i < 2 * ARRAY_LEN(resets); i++) {
		struct drm_run r;
		struct fake_drm_gpu *gpu = begin_run(&r, "panfrost-6.10", G52, 3);
		bool early = i >= ARRAY_LEN(resets); /* before the first dump */
		unsigned n_failed = 0;

		must_work(&r, drm_run_open(&r));
		must_work(&r, drm_run_start(&r, 100 * MS));
		if (!early)
			drm_run_next(&r);
		gpu->reset = resets[i % ARRAY_LEN(resets)].reset;
		for (drm_run_next(&r); r.sample->flags & SAMPLE_ERROR && n_failed < 10; n_failed++) {
			assert_int_equal(sample_failure(r.sample->flags), resets[i % ARRAY_LEN(resets)].why);
			assert_true(value_at(&r, BLOCK_CORE, 4) == SAMPLE_UNKNOWN);
			drm_run_next(&r);
		}
		assert_int_equal(n_failed, 1);
		assert_int_equal(gpu->n_enables, 2);
		assert_true(r.sample->flags & SAMPLE_GAP);
		assert_in_range(r.sample->end_ns - r.sample->begin_ns, 95 * MS, 105 * MS);
		drm_run_fini(&r);
	}
}

/* Of a GPU whose time stamp never moves, and which is idle, all dumps are alike. */
TEST(a_time_stamp_that_never_moves_proves_no_reset)
{
	struct drm_run r;
	struct fake_drm_gpu *gpu = begin_run(&r, "panfrost-6.10", G52, 3);
	unsigned n_failed = 0;

	gpu->stamp_stands = gpu->saturates = true; /* all counters the same */
	must_work(&r, drm_run_open(&r));
	must_work(&r, drm_run_start(&r, 100 * MS));
	for (int i = 0; i < 20; i++) {
		drm_run_next(&r);
		n_failed += (r.sample->flags & SAMPLE_ERROR) != 0;
	}
	assert_int_equal(n_failed, 1);
	assert_int_equal(gpu->n_enables, 2);
	drm_run_fini(&r);
}

/* Panfrost does not unplug its device when it is unbound: a call on an open file, and closing it,
 * run on freed memory. */
TEST(no_call_reaches_a_driver_that_was_unbound)
{
	static const char *const interfaces[] = {NULL, "fdinfo", "shared"};
	enum { OPENED, STARTED, READ, FAILED, MOMENTS };

	for (size_t i = 0; i < ARRAY_LEN(interfaces) * MOMENTS; i++) {
		struct drm_run r;
		struct fake_drm_gpu *gpu = begin_run(&r, "panfrost-6.10", G52, 3);
		size_t moment = i % MOMENTS;

		r.options.interface = interfaces[i / MOMENTS];
		must_work(&r, drm_run_open(&r));
		for (size_t k = 0; r.options.interface && k < FAKE_DRM_FILES; k++)
			assert_int_equal(r.fake.drm.files[k].fd, 0); /* it does without an open node */
		if (moment >= STARTED)
			must_work(&r, drm_run_start(&r, 100 * MS));
		if (moment >= READ)
			drm_run_next(&r);
		gpu->hangs = moment == FAILED;
		if (moment == FAILED)
			drm_run_next(&r);
		drm_run_unbind(&r);
		if (moment >= STARTED)
			assert_int_equal(drm_run_read(&r, 2000 * MS), READ_GONE);
		if (moment >= STARTED && r.options.interface)
			assert_null(r.source->gone);
		else if (moment >= STARTED)
			says(r.source->gone,
			     "Linux before 7.3 crashes when a program that has the node open");
		else if (!r.options.interface)
			assert_false(drm_run_start(&r, 100 * MS));
		drm_run_fini(&r);
	}
}

/* As in some containers. */
TEST(a_node_without_sysfs_is_measured)
{
	struct drm_run r;

	begin_run(&r, "panfrost-6.10", G52, 3);
	fixture_remove(&r.files, "sys/class/drm/renderD128");
	must_work(&r, drm_run_open(&r));
	must_work(&r, drm_run_start(&r, 100 * MS));
	drm_run_next(&r);
	assert_int_equal(r.sample->flags & SAMPLE_ERROR, 0);
	drm_run_fini(&r);
}

TEST(a_gpu_that_the_kernel_calls_gone_is_gone)
{
	static const char *const interfaces[] = {NULL, "fdinfo"};

	for (size_t i = 0; i < ARRAY_LEN(interfaces); i++) {
		struct drm_run r;
		struct fake_drm_gpu *gpu = begin_run(&r, "panfrost-6.10", G52, 3);

		r.options.interface = interfaces[i];
		if (interfaces[i]) /* only then the kernel is asked: it keeps the node open */
			fixture_remove(&r.files, "sys/class/drm/renderD128");
		must_work(&r, drm_run_open(&r));
		must_work(&r, drm_run_start(&r, 100 * MS));
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
	struct fake_drm_gpu *gpu = begin_run(&r, "panfrost-6.10", G52, 3);

	gpu->taken = true;
	must_work(&r, drm_run_open(&r));
	assert_false(drm_run_start(&r, 100 * MS));
	assert_int_equal(r.err.code, EBUSY);
	says(r.err.text, "another program counts: stop it, or use -b panfrost:fdinfo");
	drm_run_fini(&r);
}

TEST(a_kernel_without_unstable_ioctls_still_tells_the_rest)
{
	struct drm_run r;
	struct fake_drm_gpu *gpu = begin_run(&r, "panfrost-6.10", G52, 3);

	gpu->unstable = false;
	must_work(&r, drm_run_open(&r));
	says(r.source->note, "echo Y | sudo tee /sys/module/panfrost/parameters/unstable_ioctls");
	assert_false(drm_run_has(&r, "MaliGPUActiveCy"));
	must_work(&r, drm_run_start(&r, 100 * MS));
	assert_int_equal(r.source->period_ns, 500 * MS); /* files of all processes are read */
	drm_run_next(&r);
	assert_int_equal(drm_run_value(&r, "GPUClockCy") / 1000, 300000); /* 600 MHz for 500 ms */
	drm_run_fini(&r);
}

TEST(the_interface_is_fdinfo_or_none_is_named)
{
	struct drm_run r;

	begin_run(&r, "panfrost-6.10", G52, 3);
	r.options.interface = "vinstr";
	assert_false(drm_run_open(&r));
	says(r.err.text, "panfrost:vinstr: expected panfrost:fdinfo");
	drm_run_fini(&r);
}

/* ---- power ---- */

TEST(nothing_but_counting_powers_the_gpu)
{
	AUTO_STRBUF struct strbuf text = {0};

	for (size_t g = 0; g < ARRAY_LEN(generations); g++) {
		struct drm_run r;
		struct fake_drm_gpu *gpu = begin_run(&r, generations[g], G52, 3);

		must_work(&r, drm_run_open(&r));
		assert_true(r.source->keeps_powered);
		says(r.source->note, "counting keeps the GPU powered");
		r.backend->describe(r.source, &text);
		assert_int_equal(gpu->n_enables, 0);
		must_work(&r, drm_run_start(&r, 100 * MS));
		drm_run_next(&r);
		assert_int_equal(gpu->n_enables, 1);
		r.backend->stop(r.source);
		assert_null(gpu->owner);
		assert_int_equal(gpu->n_wakes, 0);
		drm_run_fini(&r);
	}
}
