/* Every call that the Panfrost backend makes, failing in turn: no hang, no leak, no broken rule,
 * and a message that says what failed. */
#include "base/alloc.h"
#include "tests/support/drm_run.h"
#include "tests/support/test.h"

#include <errno.h>
#include <string.h>

static const int codes[] = {EACCES, EPERM,  EINVAL, EBUSY,  ENOMEM, ENODEV,   ENOTTY,
			    EINTR,  EAGAIN, EFAULT, ENOSYS, EIO,    ETIMEDOUT};
static const char *const generations[] = {"panfrost-5.10", "panfrost-6.7", "panfrost-6.10", "panfrost-6.18"};

static void begin_run(struct drm_run *r, const char *driver)
{
	drm_run_init(r, &backend_panfrost, driver, 0x74021000, 0x1b);
	drm_run_write(r, "1\n", "sys/class/drm/renderD128/device/profiling");
	drm_run_client(r, 4711, 5, 128, "panfrost", 7, "drm-engine-fragment:\t1000 ns\n");
}

TEST(each_call_of_the_start_may_fail_in_any_way)
{
	unsigned failed = 0, went_on = 0;

	for (size_t g = 0; g < ARRAY_LEN(generations); g++) {
		struct drm_run r;
		unsigned n_calls;

		begin_run(&r, generations[g]);
		assert_true(drm_run_open(&r) && drm_run_start(&r, 100 * MS));
		n_calls = drm_run_calls(&r);
		drm_run_fini(&r);
		assert_true(n_calls > 10);
		for (unsigned at = 1; at <= n_calls; at++)
			for (size_t c = 0; c < ARRAY_LEN(codes); c++) {
				begin_run(&r, generations[g]);
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
	assert_true(failed > 300 && went_on > 100);
}

/* In steady state: whatever fails once, the next samples come, or the device is gone. */
static bool survives(const char *driver, const char *interface, const struct fake_fault *fault)
{
	enum read_result got = READ_GOT;
	struct drm_run r;
	unsigned before;

	begin_run(&r, driver);
	r.options.interface = interface;
	assert_true(drm_run_open(&r) && drm_run_start(&r, 100 * MS));
	assert_int_equal(drm_run_read(&r, 1000 * MS), READ_GOT);
	before = drm_run_calls(&r);
	r.fake.fault = *fault;
	for (int i = 0; i < 8 && got == READ_GOT; i++)
		got = drm_run_read(&r, 3000 * MS);
	assert_true(got != READ_NONE);
	assert_true(drm_run_calls(&r) - before < 600);
	if (got == READ_GOT)
		assert_int_equal(r.sample->flags & SAMPLE_ERROR, 0);
	drm_run_fini(&r);
	return got == READ_GOT;
}

TEST(each_call_of_a_read_may_fail_in_any_way)
{
	unsigned gone = 0, went_on = 0;

	for (unsigned way = 0; way < 2 * ARRAY_LEN(generations); way++)
		for (unsigned at = 1; at <= 12; at++)
			for (size_t c = 0; c < ARRAY_LEN(codes); c++) {
				struct fake_fault fault = {FAKE_CALL_ANY, at, 1, codes[c]};
				bool survived =
					survives(generations[way / 2], way % 2 ? "fdinfo" : NULL, &fault);

				gone += !survived;
				went_on += survived;
			}
	assert_true(gone > 5 && went_on > 800);
}

TEST(a_driver_that_fails_for_ever_does_not_hold_the_reader)
{
	for (size_t c = 0; c < ARRAY_LEN(codes); c++) {
		struct drm_run r;
		unsigned before;

		if (codes[c] == EINTR || codes[c] == EAGAIN)
			continue; /* libdrm repeats these itself, without end */
		begin_run(&r, "panfrost-6.10");
		assert_true(drm_run_open(&r) && drm_run_start(&r, 100 * MS));
		assert_int_equal(drm_run_read(&r, 1000 * MS), READ_GOT);
		r.fake.fault = (struct fake_fault){FAKE_CALL_DRM, 1, 1000000, codes[c]};
		before = drm_run_calls(&r);
		for (int i = 0; i < 10; i++) {
			enum read_result got = drm_run_read(&r, 150 * MS);

			assert_true(got == READ_GONE || (got == READ_GOT && r.sample->flags & SAMPLE_ERROR &&
							 sample_failure(r.sample->flags)));
		}
		assert_true(drm_run_calls(&r) - before < 100);
		drm_run_fini(&r);
	}
}

TEST(a_refusal_says_what_was_refused_and_what_to_do)
{
	static const struct {
		enum fake_call call;
		unsigned at;
		int code;
		const char *words;
	} refusals[] = {
		{FAKE_CALL_DRM, 1, EACCES, "libdrm cannot query its driver: Permission denied"},
		{FAKE_CALL_DRM, 2, EINVAL, "cannot query the GPU's product: Invalid argument"},
		{FAKE_CALL_DRM, 4, ENODEV, "cannot query the GPU's shader cores: No such device"},
		{FAKE_CALL_MMAP, 1, ENOMEM, "no memory for the counters"},
		{FAKE_CALL_DRM, 11, EBUSY, "another program counts: stop it, or use -b panfrost:fdinfo"},
		{FAKE_CALL_DRM, 11, ENOSYS, "the kernel's unstable ioctls are off"},
		{FAKE_CALL_DRM, 11, EINVAL, "the driver refuses the primary counters of this GPU"},
		{FAKE_CALL_DRM, 11, ENODEV, "the driver has been unbound"},
		{FAKE_CALL_DRM, 11, EIO, "cannot take the counters: Input/output error"},
	};

	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		struct drm_run r;

		begin_run(&r, "panfrost-6.10");
		r.fake.fault = (struct fake_fault){refusals[i].call, refusals[i].at, 1, refusals[i].code};
		assert_false(drm_run_open(&r) && drm_run_start(&r, 100 * MS));
		assert_int_equal(r.err.code, refusals[i].code);
		if (!strstr(r.err.text, refusals[i].words))
			fail_msg("'%s' does not say '%s'", r.err.text, refusals[i].words);
		drm_run_fini(&r);
	}
}
