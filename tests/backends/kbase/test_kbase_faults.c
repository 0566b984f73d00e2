/* Every call that the kbase backend makes, failing in turn: no hang, no leak, no broken rule, and a
 * message that says what failed. */
#include "base/alloc.h"
#include "tests/support/kbase_run.h"
#include "tests/support/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct driver_way {
	const char *driver, *interface;
	uint64_t id;
} ways[] = {
	{"r16p0", "vinstr", 0x08600000}, {"r25p0", "vinstr", 0x74021000}, {"r44p0", "vinstr", 0x74021000},
	{"r38p1", "kinstr", 0x90820000}, {"r44p0", NULL, 0x74021000},     {"r54p1", "kinstr", 0xb8520000},
};

static const int codes[] = {EACCES, EPERM, EINVAL, EBUSY, ENOMEM, ENODEV, ENOTTY, EINTR, EAGAIN, EFAULT, EIO};

static void begin_case(struct kbase_run *r, const struct driver_way *way)
{
	kbase_run_init(r);
	fake_sys_add_gpu(&r->fake, way->driver, way->id, 0x5b3);
	r->options.interface = way->interface;
}

static unsigned calls(const struct kbase_run *r)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 8; i++)
		n += r->fake.n_calls[i];
	return n;
}

/* Breaches that follow from a fault are the fake's own: a handshake that failed on its way leads to
 * calls out of order. */
static void forgive_breach(struct kbase_run *r)
{
	strbuf_clear(&r->fake.kbase.breaches);
}

TEST(each_call_of_the_start_may_fail_in_any_way)
{
	unsigned failed = 0, went_on = 0;

	for (size_t w = 0; w < ARRAY_LEN(ways); w++) {
		unsigned n_calls;
		struct kbase_run r;

		begin_case(&r, &ways[w]);
		assert_true(kbase_run_open(&r) && kbase_run_start(&r, 100 * MS));
		n_calls = calls(&r);
		kbase_run_fini(&r);
		assert_true(n_calls > 10);
		for (unsigned at = 1; at <= n_calls; at++)
			for (size_t c = 0; c < ARRAY_LEN(codes); c++) {
				begin_case(&r, &ways[w]);
				r.fake.fault = (struct fake_fault){FAKE_CALL_ANY, at, 1, codes[c]};
				if (kbase_run_open(&r) && kbase_run_start(&r, 100 * MS)) {
					assert_int_equal(kbase_run_read(&r, 1000 * MS), READ_GOT);
					went_on++;
				} else {
					/* the thing, and what failed */
					assert_true(strlen(r.err.text) > 20 &&
						    strstr(r.err.text, "/dev/mali0: "));
					failed++;
				}
				forgive_breach(&r);
				kbase_run_fini(&r);
			}
	}
	assert_true(failed > 300 && went_on > 100);
}

TEST(a_call_that_a_signal_interrupts_is_made_again)
{
	for (size_t w = 0; w < ARRAY_LEN(ways); w++) {
		struct kbase_run r;

		begin_case(&r, &ways[w]);
		for (unsigned at = 1; at < 20; at++) {
			r.fake.fault = (struct fake_fault){FAKE_CALL_IOCTL, at, 2, EINTR};
			assert_true(kbase_run_open(&r) && kbase_run_start(&r, 100 * MS));
			assert_int_equal(kbase_run_read(&r, 1000 * MS), READ_GOT);
			kbase_run_close(&r);
		}
		kbase_run_fini(&r);
	}
}

/* In steady state: whatever fails once, the next samples come, or the device is gone; never a loop,
 * never a leak. */
static bool survives(const struct driver_way *way, const struct fake_fault *fault)
{
	enum read_result got = READ_GOT;
	struct kbase_run r;
	unsigned before;

	begin_case(&r, way);
	assert_true(kbase_run_open(&r) && kbase_run_start(&r, 100 * MS));
	assert_int_equal(kbase_run_read(&r, 1000 * MS), READ_GOT);
	before = calls(&r);
	r.fake.fault = *fault;
	for (int i = 0; i < 5 && got == READ_GOT; i++)
		got = kbase_run_read(&r, 1000 * MS);
	assert_true(got != READ_NONE);
	assert_true(calls(&r) - before < 1600); /* some at most for each of the 500 reads */
	kbase_run_fini(&r);
	return got == READ_GOT;
}

TEST(each_call_of_a_read_may_fail_in_any_way)
{
	static const enum fake_call kinds[] = {FAKE_CALL_IOCTL, FAKE_CALL_POLL};
	unsigned gone = 0, went_on = 0;

	for (size_t w = 0; w < ARRAY_LEN(ways); w++)
		for (unsigned at = 1; at <= 8; at++)
			for (size_t c = 0; c < ARRAY_LEN(kinds) * ARRAY_LEN(codes); c++) {
				struct fake_fault fault = {kinds[c % 2], at, 1, codes[c / 2]};
				bool survived = survives(&ways[w], &fault);

				gone += !survived;
				went_on += survived;
			}
	assert_true(gone > 20 && went_on > 200);
}

TEST(a_driver_that_fails_for_ever_does_not_hold_the_reader)
{
	for (size_t w = 0; w < ARRAY_LEN(ways); w++)
		for (size_t c = 0; c < ARRAY_LEN(codes); c++) {
			struct kbase_run r;
			unsigned before;

			begin_case(&r, &ways[w]);
			assert_true(kbase_run_open(&r) && kbase_run_start(&r, 100 * MS));
			assert_int_equal(kbase_run_read(&r, 1000 * MS), READ_GOT);
			r.fake.fault = (struct fake_fault){FAKE_CALL_IOCTL, 1, 1000000, codes[c]};
			before = calls(&r);
			assert_int_not_equal(kbase_run_read(&r, 0), READ_GOT);
			assert_true(calls(&r) - before < 100);
			kbase_run_fini(&r);
		}
}

static const struct kbase_refusal {
	const char *driver, *interface;
	uint64_t id;
	enum fake_call call;
	unsigned at;
	int code;
	const char *words;
} refusals[] = {
	{"r44p0", NULL, 0x74021000, FAKE_CALL_OPEN, 1, EACCES,
	 "kbase: /dev/mali0: cannot open: Permission denied"},
	{"r54p1", NULL, 0xb8520000, FAKE_CALL_OPEN, 1, EIO,
	 "kbase: /dev/mali0: cannot open: Input/output error"},
	{"r54p1", NULL, 0xb8520000, FAKE_CALL_MMAP, 1, EPERM,
	 "kinstr_prfcnt: cannot map the samples: Operation not permitted"},
	{"r25p0", NULL, 0x74021000, FAKE_CALL_MMAP, 1, ENOMEM,
	 "vinstr: cannot map the dumps: Cannot allocate memory"},
};

TEST(a_refusal_says_what_was_refused)
{
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++) {
		const struct kbase_refusal *f = &refusals[i];
		struct kbase_run r;

		begin_case(&r, &(struct driver_way){f->driver, f->interface, f->id});
		r.fake.fault = (struct fake_fault){f->call, f->at, 1, f->code};
		assert_false(kbase_run_open(&r));
		assert_int_equal(r.err.code, f->code);
		if (!strstr(r.err.text, f->words))
			fail_msg("'%s' does not say '%s'", r.err.text, f->words);
		kbase_run_fini(&r);
	}
}

TEST(where_one_interface_is_refused_the_other_serves)
{
	struct kbase_run r;

	begin_case(&r, &(struct driver_way){"r44p0", NULL, 0x74021000});
	r.fake.fault = (struct fake_fault){FAKE_CALL_MMAP, 1, 1, EPERM}; /* of vinstr's dumps */
	assert_true(kbase_run_open(&r) && kbase_run_start(&r, 100 * MS));
	assert_int_equal(kbase_run_read(&r, 1000 * MS), READ_GOT);
	kbase_run_fini(&r);
}
