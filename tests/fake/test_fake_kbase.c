/* The rules of Arm's driver, as the fake enforces them: each is broken here by hand, and answered
 * as real drivers answer it. */
#include "backends/kbase/kbase_abi.h"
#include "tests/fake/fake_sys.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#define MS 1000000ll
#define UNKNOWN_IOCTL 0x40048077u

struct fake_kbase_bench {
	struct fake_sys fake;
	int fd;
};

static void begin_case(struct fake_kbase_bench *b, const char *driver)
{
	fake_sys_init(&b->fake, NULL);
	fake_sys_add_gpu(&b->fake, driver, 0x90820000, 0x1b);
	b->fd = b->fake.sys.open(&b->fake.sys, "dev/mali0", O_RDONLY);
	assert_true(b->fd >= 0);
}

static void end_case(struct fake_kbase_bench *b)
{
	fake_sys_fini(&b->fake);
}

static int make_call(struct fake_kbase_bench *b, int fd, unsigned request, void *arg)
{
	errno = 0;
	return b->fake.sys.ioctl(&b->fake.sys, fd, request, arg);
}

#define FAILS(code, expression)                     \
	do {                                        \
		assert_int_equal((expression), -1); \
		assert_int_equal(errno, (code));    \
	} while (0)

static struct kbase_abi_version ask_driver(struct fake_kbase_bench *b, unsigned request)
{
	struct kbase_abi_version v = {0, 0};

	make_call(b, b->fd, request, &v);
	return v;
}

static void complete_setup(struct fake_kbase_bench *b)
{
	bool csf = b->fake.kbase.gpus[0].driver->api == FAKE_CSF;
	uint32_t flags = KBASE_FLAG_MONITOR;

	assert_true(ask_driver(b, csf ? KBASE_VERSION_CHECK_CSF : KBASE_VERSION_CHECK_JM).major > 0);
	assert_int_equal(make_call(b, b->fd, KBASE_SET_FLAGS, &flags), 0);
}

/* ---- handshake ---- */

static void each_generation_answers_its_own_handshake_only(void **state)
{
	static const struct {
		const char *driver;
		unsigned right, wrong, major, minor;
	} cases[] = {
		{"r44p0", KBASE_VERSION_CHECK_JM, KBASE_VERSION_CHECK_CSF, 11, 39},
		{"r54p1", KBASE_VERSION_CHECK_CSF, KBASE_VERSION_CHECK_JM, 1, 38},
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct uk_version uk = {.header = {.id = UK_ID_VERSION_CHECK}};
		struct kbase_abi_version v;
		struct fake_kbase_bench b;

		begin_case(&b, cases[i].driver);
		FAILS(EPERM, make_call(&b, b.fd, UK_VERSION_CHECK, &uk));
		assert_int_equal(uk.major, 0);
		assert_int_equal(ask_driver(&b, cases[i].wrong).major, 0);
		assert_int_equal(errno, EPERM);
		v = ask_driver(&b,
			       cases[i].right); /* a wrong major is no error: the driver answers its own */
		assert_int_equal(v.major, cases[i].major);
		assert_int_equal(v.minor, cases[i].minor);
		assert_int_equal(ask_driver(&b, cases[i].right).major, 0); /* a second one is refused */
		assert_int_equal(errno, EPERM);
		end_case(&b);
	}
}

static void of_two_versions_of_one_major_the_older_is_spoken(void **state)
{
	struct kbase_abi_version v = {11, 21};
	struct fake_kbase_bench b;

	(void)state;
	begin_case(&b, "r44p0");
	assert_int_equal(make_call(&b, b.fd, KBASE_VERSION_CHECK_JM, &v), 0);
	assert_int_equal(v.minor, 21);
	end_case(&b);
}

static void before_the_context_everything_is_eperm_and_afterwards_the_unknown_is_enotty(void **state)
{
	struct kbase_abi_buffer none = {0};
	struct kbase_abi_hwcnt_setup vinstr = {.buffer_count = 32, .fe_mask = 1};
	uint32_t flags = KBASE_FLAG_MONITOR, wrong = 0x80000000;
	struct fake_kbase_bench b;

	(void)state;
	begin_case(&b, "r44p0");
	FAILS(EPERM, make_call(&b, b.fd, KBASE_SET_FLAGS, &flags));
	FAILS(EPERM, make_call(&b, b.fd, KBASE_GET_DDK_VERSION, &none));
	FAILS(EPERM, make_call(&b, b.fd, KBASE_HWCNT_READER_SETUP, &vinstr));
	FAILS(EPERM, make_call(&b, b.fd, UNKNOWN_IOCTL, &none));
	assert_true(make_call(&b, b.fd, KBASE_GET_GPUPROPS, &none) > 0); /* since r37p0 */
	ask_driver(&b, KBASE_VERSION_CHECK_JM);
	FAILS(EPERM, make_call(&b, b.fd, KBASE_HWCNT_READER_SETUP, &vinstr));
	FAILS(EINVAL, make_call(&b, b.fd, KBASE_SET_FLAGS, &wrong));
	assert_int_equal(make_call(&b, b.fd, KBASE_SET_FLAGS, &flags), 0);
	FAILS(EPERM, make_call(&b, b.fd, KBASE_SET_FLAGS, &flags));
	FAILS(ENOTTY, make_call(&b, b.fd, UNKNOWN_IOCTL, &none));
	end_case(&b);
	begin_case(&b, "r25p0");
	ask_driver(&b, KBASE_VERSION_CHECK_JM);
	FAILS(EPERM, make_call(&b, b.fd, KBASE_GET_GPUPROPS, &none)); /* not yet there */
	end_case(&b);
}

static void before_r20_a_context_waits_for_its_flags_and_einval_is_said(void **state)
{
	struct kbase_abi_buffer none = {0};
	uint32_t flags = KBASE_FLAG_MONITOR;
	struct fake_kbase_bench b;

	(void)state;
	begin_case(&b, "r9p0");
	FAILS(EINVAL, make_call(&b, b.fd, KBASE_SET_FLAGS, &flags));
	assert_int_equal(ask_driver(&b, KBASE_VERSION_CHECK_CSF).major, 0);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(ask_driver(&b, KBASE_VERSION_CHECK_JM).major, 11);
	assert_int_equal(ask_driver(&b, KBASE_VERSION_CHECK_JM).major, 11); /* as often as one likes */
	FAILS(EINVAL, make_call(&b, b.fd, KBASE_GET_GPUPROPS, &none));
	assert_int_equal(make_call(&b, b.fd, KBASE_SET_FLAGS, &flags), 0);
	FAILS(EINVAL, make_call(&b, b.fd, KBASE_SET_FLAGS, &flags));
	assert_true(make_call(&b, b.fd, KBASE_GET_GPUPROPS, &none) > 0);
	end_case(&b);
}

static void a_uk_function_that_fails_says_so_in_the_message(void **state)
{
	struct uk_version version = {.header = {.id = UK_ID_VERSION_CHECK}};
	struct uk_flags flags = {.header = {.id = UK_ID_SET_FLAGS}, .create_flags = KBASE_FLAG_MONITOR};
	struct uk_hwcnt_setup setup = {
		.header = {.id = UK_ID_HWCNT_READER_SETUP}, .buffer_count = 5, .fe_mask = 1};
	struct fake_kbase_bench b;

	(void)state;
	begin_case(&b, "r16p0");
	assert_int_equal(make_call(&b, b.fd, UK_VERSION_CHECK, &version), 0);
	assert_int_equal(make_call(&b, b.fd, UK_SET_FLAGS, &flags), 0);
	assert_int_equal(make_call(&b, b.fd, UK_HWCNT_READER_SETUP, &setup), 0);
	assert_int_equal(setup.header.id, 3);
	end_case(&b);
}

static void a_uk_driver_looks_at_sizes_and_is_stuck_after_a_wrong_first_call(void **state)
{
	struct uk_version version = {.header = {.id = UK_ID_VERSION_CHECK}};
	struct uk_flags flags = {.header = {.id = UK_ID_SET_FLAGS}, .create_flags = KBASE_FLAG_MONITOR};
	struct uk_hwcnt_setup setup = {
		.header = {.id = UK_ID_HWCNT_READER_SETUP}, .buffer_count = 32, .fe_mask = 1};
	struct fake_kbase_bench b;

	(void)state;
	begin_case(&b, "r16p0");
	assert_int_equal(ask_driver(&b, KBASE_VERSION_CHECK_JM).major, 3); /* not a version, but the error */
	assert_int_equal(make_call(&b, b.fd, UK_VERSION_CHECK, &version), 0);
	assert_int_equal(version.major, 10);
	assert_int_equal(version.minor, 6);
	FAILS(EFAULT, make_call(&b, b.fd, UK_HWCNT_READER_SETUP, &setup));
	FAILS(EFAULT, make_call(&b, b.fd, UK_SET_FLAGS, &flags)); /* too late */
	FAILS(ENOTTY, make_call(&b, b.fd, 0xC2198000, &setup));   /* 537 bytes */
	assert_true(b.fake.kbase.breaches.n > 0);
	end_case(&b);
}

static void properties_are_given_to_those_who_bring_room(void **state)
{
	static uint8_t bytes[2048];
	struct kbase_abi_buffer request = {0};
	struct fake_kbase_bench b;
	int n;

	(void)state;
	begin_case(&b, "r44p0");
	complete_setup(&b);
	n = make_call(&b, b.fd, KBASE_GET_GPUPROPS, &request);
	assert_in_range(n, 200, 1000);
	request = (struct kbase_abi_buffer){(uintptr_t)bytes, (uint32_t)n - 1, 0};
	FAILS(EINVAL, make_call(&b, b.fd, KBASE_GET_GPUPROPS, &request));
	request.size++;
	request.flags = 1;
	FAILS(EINVAL, make_call(&b, b.fd, KBASE_GET_GPUPROPS, &request));
	request.flags = 0;
	assert_int_equal(make_call(&b, b.fd, KBASE_GET_GPUPROPS, &request), n);
	request = (struct kbase_abi_buffer){(uintptr_t)bytes, 3, 0};
	FAILS(EOVERFLOW, make_call(&b, b.fd, KBASE_GET_DDK_VERSION, &request));
	end_case(&b);
}

/* ---- vinstr ---- */

static int open_vinstr(struct fake_kbase_bench *b, uint32_t n_buffers)
{
	struct kbase_abi_hwcnt_setup setup = {n_buffers, ~0u, ~0u, ~0u, ~0u};

	return make_call(b, b->fd, KBASE_HWCNT_READER_SETUP, &setup);
}

static void buffers_are_a_power_of_two_up_to_32(void **state)
{
	struct fake_kbase_bench b;

	(void)state;
	begin_case(&b, "r44p0");
	complete_setup(&b);
	for (uint32_t n = 0; n < 70; n++) {
		int fd = open_vinstr(&b, n);
		bool right = n && n <= 32 && !(n & (n - 1));

		assert_int_equal(fd >= 0, right);
		if (right)
			b.fake.sys.close(&b.fake.sys, fd);
		else
			assert_int_equal(errno, EINVAL);
	}
	end_case(&b);
}

static void one_dump_is_out_at_a_time_and_goes_back_as_it_came(void **state)
{
	(void)state;
	for (int again = 0; again < 2; again++) { /* the two answers to a second GET that were seen */
		struct vinstr_metadata m, wrong;
		struct fake_kbase_bench b;
		int fd;

		begin_case(&b, "r44p0");
		complete_setup(&b);
		b.fake.kbase.gpus[0].busy_not_again = again;
		fd = open_vinstr(&b, 2);
		FAILS(EAGAIN, make_call(&b, fd, VINSTR_GET_BUFFER_CYCLES, &m));
		FAILS(EPERM, make_call(&b, fd, VINSTR_PUT_BUFFER_CYCLES, &m));
		assert_int_equal(make_call(&b, fd, VINSTR_DUMP, NULL), 0);
		assert_int_equal(make_call(&b, fd, VINSTR_DUMP, NULL), 0);
		FAILS(EBUSY, make_call(&b, fd, VINSTR_DUMP, NULL)); /* the ring is full */
		assert_int_equal(make_call(&b, fd, VINSTR_GET_BUFFER_CYCLES, &m), 0);
		FAILS(EBUSY, make_call(&b, fd, VINSTR_GET_BUFFER_CYCLES, &wrong)); /* another one waits */
		wrong = m;
		wrong.buffer++;
		FAILS(EINVAL, make_call(&b, fd, VINSTR_PUT_BUFFER_CYCLES, &wrong));
		assert_int_equal(make_call(&b, fd, VINSTR_PUT_BUFFER_CYCLES, &m), 0);
		FAILS(EPERM, make_call(&b, fd, VINSTR_PUT_BUFFER_CYCLES, &m));
		assert_int_equal(make_call(&b, fd, VINSTR_GET_BUFFER_CYCLES, &m), 0);
		FAILS(again ? EBUSY : EAGAIN,
		      make_call(&b, fd, VINSTR_GET_BUFFER_CYCLES, &wrong)); /* none waits */
		end_case(&b);
	}
}

static void the_interval_is_the_argument_itself(void **state)
{
	uint64_t number = 5 * MS;
	struct fake_kbase_bench b;
	int fd;

	(void)state;
	begin_case(&b, "r25p0");
	complete_setup(&b);
	fd = open_vinstr(&b, 16);
	make_call(&b, fd, VINSTR_SET_INTERVAL, &number);
	assert_true(b.fake.kbase.breaches.n > 0);
	make_call(&b, fd, VINSTR_SET_INTERVAL, (void *)1); /* raised to the shortest, without a word */
	assert_int_equal(fake_kbase_due(&b.fake.kbase, fd) % 100000, 0);
	end_case(&b);
}

static void old_kernels_know_no_cycles(void **state)
{
	struct vinstr_metadata m;
	struct vinstr_api api;
	struct fake_kbase_bench b;
	int fd;

	(void)state;
	begin_case(&b, "r25p0");
	complete_setup(&b);
	fd = open_vinstr(&b, 16);
	FAILS(EINVAL, make_call(&b, fd, VINSTR_GET_API_VERSION_FEATURES, &api));
	FAILS(EINVAL, make_call(&b, fd, VINSTR_GET_BUFFER_CYCLES, &m));
	FAILS(EAGAIN, make_call(&b, fd, VINSTR_GET_BUFFER, &m));
	end_case(&b);
}

static void a_mapping_is_whole_and_for_reading(void **state)
{
	struct fake_kbase_bench b;
	size_t size = 16 * 256 * (2 + 2 + 5);
	int fd;

	(void)state;
	begin_case(&b, "r44p0");
	complete_setup(&b);
	fd = open_vinstr(&b, 16);
	assert_ptr_equal(b.fake.sys.mmap(&b.fake.sys, size + 1, PROT_READ, MAP_SHARED, fd, 0), MAP_FAILED);
	assert_int_equal(errno, EINVAL);
	assert_ptr_equal(b.fake.sys.mmap(&b.fake.sys, size, PROT_READ, MAP_SHARED, fd, 4096), MAP_FAILED);
	assert_int_equal(errno, EINVAL);
	assert_ptr_equal(b.fake.sys.mmap(&b.fake.sys, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0),
			 MAP_FAILED);
	assert_int_equal(errno, EACCES);
	end_case(&b);
}

/* ---- kinstr_prfcnt ---- */

/* Requests as a client writes them, then some of them spoilt. */
static unsigned make_requests(struct prfcnt_request r[8])
{
	memset(r, 0, 8 * sizeof(*r));
	r[0].header.type = PRFCNT_REQUEST_MODE;
	r[0].mode.mode = PRFCNT_MODE_PERIODIC;
	r[0].mode.period_ns = 10 * MS;
	for (unsigned i = 0; i < 4; i++) {
		r[1 + i].header.type = PRFCNT_REQUEST_ENABLE;
		r[1 + i].enable.block_type = (uint8_t)i;
		r[1 + i].enable.mask[0] = r[1 + i].enable.mask[1] = UINT64_MAX;
	}
	r[5].header.type = PRFCNT_REQUEST_SCOPE;
	return 7; /* with the end */
}

static int set_up(struct fake_kbase_bench *b, struct prfcnt_request *r, unsigned n, unsigned size,
		  union prfcnt_setup *setup)
{
	*setup = (union prfcnt_setup){.in = {n, size, (uintptr_t)r}};
	return make_call(b, b->fd, KBASE_PRFCNT_SETUP, setup);
}

static void enumerate_blocks(struct fake_kbase_bench *b)
{
	struct prfcnt_enum_info info = {0};

	assert_int_equal(make_call(b, b->fd, KBASE_PRFCNT_ENUM_INFO, &info), 0);
	assert_int_equal(info.item_size, 32);
	assert_int_equal(info.item_count, 8);
}

static void spoil_mode(struct prfcnt_request *r)
{
	r[0].mode.mode = 2;
}
static void spoil_period(struct prfcnt_request *r)
{
	r[0].mode.period_ns = 0;
}
static void spoil_set(struct prfcnt_request *r)
{
	r[2].enable.set = 1;
}
static void spoil_block(struct prfcnt_request *r)
{
	r[2].enable.block_type = 4;
}
static void spoil_version(struct prfcnt_request *r)
{
	r[1].header.version = 1;
}
static void spoil_type(struct prfcnt_request *r)
{
	r[1].header.type = 1;
}
static void spoil_scope(struct prfcnt_request *r)
{
	r[5].scope = 1;
}
static void spoil_end(struct prfcnt_request *r)
{
	r[6].header.version = 1;
}
static void spoil_no_mode(struct prfcnt_request *r)
{
	r[0] = r[1];
}
static void spoil_nothing(struct prfcnt_request *r)
{
	(void)r;
}
static void spoil_no_scope(struct prfcnt_request *r)
{
	r[5] = r[4];
}

static void a_session_must_be_asked_for_in_every_detail(void **state)
{
	static const struct {
		void (*spoil)(struct prfcnt_request *r);
		bool works;
	} cases[] = {
		{spoil_nothing, true}, {spoil_no_scope, true}, {spoil_mode, false},    {spoil_period, false},
		{spoil_set, false},    {spoil_block, false},   {spoil_version, false}, {spoil_type, false},
		{spoil_scope, false},  {spoil_end, false},     {spoil_no_mode, false},
	};
	struct prfcnt_request r[8];
	union prfcnt_setup setup;
	struct fake_kbase_bench b;

	(void)state;
	begin_case(&b, "r54p1");
	complete_setup(&b);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned n = make_requests(r);
		int fd;

		cases[i].spoil(r);
		fd = set_up(&b, r, n, 32, &setup);
		if ((fd >= 0) != cases[i].works)
			fail_msg("case %zu", i);
		if (fd < 0)
			assert_int_equal(errno, EINVAL);
		else
			b.fake.sys.close(&b.fake.sys, fd);
	}
	make_requests(r);
	FAILS(EINVAL, set_up(&b, r, 1, 32, &setup));
	FAILS(EINVAL, set_up(&b, r, 17, 32, &setup));
	FAILS(EINVAL, set_up(&b, r, 7, 24, &setup));
	end_case(&b);
}

static void some_releases_want_to_be_asked_what_they_have_before_a_set_up(void **state)
{
	struct prfcnt_request r[8];
	union prfcnt_setup setup;
	struct fake_kbase_bench b;
	unsigned n = make_requests(r);

	(void)state;
	begin_case(&b, "r38p1");
	complete_setup(&b);
	FAILS(EINVAL, set_up(&b, r, n, 32, &setup));
	enumerate_blocks(&b);
	assert_true(set_up(&b, r, n, 32, &setup) >= 0);
	assert_int_equal(setup.out.metadata_item_size, 48);
	/* 32 samples of 1 + 1 + 2 + 4 blocks and three more items, and of 64 values each, of the
	 * missing core too */
	assert_int_equal(setup.out.mmap_size, 32 * (48 * (8 + 3) + 9 * 512));
	end_case(&b);
}

static void the_list_is_given_in_its_exact_length(void **state)
{
	static struct prfcnt_enum_item items[9];
	struct prfcnt_enum_info info = {32, 7, (uintptr_t)items};
	struct fake_kbase_bench b;

	(void)state;
	begin_case(&b, "r54p1");
	enumerate_blocks(&b);
	FAILS(EINVAL, make_call(&b, b.fd, KBASE_PRFCNT_ENUM_INFO, &info));
	info.item_count = 9;
	FAILS(EINVAL, make_call(&b, b.fd, KBASE_PRFCNT_ENUM_INFO, &info));
	info.item_count = 8;
	assert_int_equal(make_call(&b, b.fd, KBASE_PRFCNT_ENUM_INFO, &info), 0);
	assert_int_equal(items[6].block.type, PRFCNT_BLOCK_SHADER);
	assert_int_equal(items[6].block.num_instances, 4);
	assert_int_equal(items[7].header.type, PRFCNT_ENUM_BLOCK); /* the end looks like a block */
	assert_int_equal(items[7].block.num_values, 0);
	end_case(&b);
}

static int send_command(struct fake_kbase_bench *b, int fd, unsigned what)
{
	struct prfcnt_control control = {.command = (uint16_t)what};

	return make_call(b, fd, PRFCNT_CMD, &control);
}

static int open_kinstr(struct fake_kbase_bench *b, const char *driver, enum prfcnt_mode mode)
{
	struct prfcnt_request r[8];
	union prfcnt_setup setup;
	unsigned n = make_requests(r);
	int fd;

	begin_case(b, driver);
	complete_setup(b);
	enumerate_blocks(b);
	r[0].mode.mode = (uint8_t)mode;
	fd = set_up(b, r, n, 32, &setup);
	assert_true(fd >= 0);
	return fd;
}

static void an_empty_ring_is_einval_and_a_sample_goes_back_as_it_came(void **state)
{
	struct prfcnt_access a, wrong;
	struct fake_kbase_bench b;
	int fd = open_kinstr(&b, "r44p0", PRFCNT_MODE_MANUAL);

	(void)state;
	FAILS(EINVAL, make_call(&b, fd, PRFCNT_GET_SAMPLE, &a));
	FAILS(EINVAL, send_command(&b, fd, PRFCNT_STOP));
	FAILS(EINVAL, send_command(&b, fd, PRFCNT_SAMPLE_SYNC)); /* not started */
	assert_int_equal(send_command(&b, fd, PRFCNT_START), 0);
	assert_int_equal(send_command(&b, fd, PRFCNT_START), 0); /* again: nothing happens */
	FAILS(EINVAL, send_command(&b, fd, 4));
	assert_int_equal(send_command(&b, fd, PRFCNT_SAMPLE_SYNC), 0);
	assert_int_equal(send_command(&b, fd, PRFCNT_SAMPLE_SYNC), 0);
	assert_int_equal(make_call(&b, fd, PRFCNT_GET_SAMPLE, &a), 0);
	FAILS(EBUSY, make_call(&b, fd, PRFCNT_GET_SAMPLE, &wrong));
	wrong = a;
	wrong.sequence++;
	FAILS(EINVAL, make_call(&b, fd, PRFCNT_PUT_SAMPLE, &wrong));
	assert_int_equal(make_call(&b, fd, PRFCNT_PUT_SAMPLE, &a), 0);
	FAILS(EINVAL, make_call(&b, fd, PRFCNT_PUT_SAMPLE, &a));
	for (int i = 0; i < 30; i++)
		assert_int_equal(send_command(&b, fd, PRFCNT_SAMPLE_SYNC), 0);
	FAILS(EBUSY, send_command(&b, fd, PRFCNT_SAMPLE_SYNC)); /* 31 wait */
	end_case(&b);
}

static unsigned drain_samples(struct fake_kbase_bench *b, int fd, struct prfcnt_access *last)
{
	unsigned n = 0;

	for (; make_call(b, fd, PRFCNT_GET_SAMPLE, last) == 0; n++)
		assert_int_equal(make_call(b, fd, PRFCNT_PUT_SAMPLE, last), 0);
	return n;
}

static void a_stop_leaves_one_more_sample_unless_the_release_loses_it(void **state)
{
	static const struct {
		const char *driver;
		unsigned when_full;
	} cases[] = {{"r38p1", 32}, {"r44p0", 32}, {"r54p1", 32}};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct prfcnt_access a;
		struct fake_kbase_bench b;
		int fd = open_kinstr(&b, cases[i].driver, PRFCNT_MODE_PERIODIC);

		assert_int_equal(send_command(&b, fd, PRFCNT_START), 0);
		FAILS(EINVAL, send_command(&b, fd, PRFCNT_SAMPLE_SYNC)); /* of manual sessions only */
		fake_sys_run(&b.fake, 35 * MS);
		assert_int_equal(send_command(&b, fd, PRFCNT_STOP), 0);
		assert_in_range(drain_samples(&b, fd, &a), 4, 5);
		assert_int_equal(send_command(&b, fd, PRFCNT_START), 0);
		fake_sys_run(&b.fake, 1000 * MS); /* a full ring: periodic sampling pauses */
		assert_int_equal(send_command(&b, fd, PRFCNT_STOP), 0);
		assert_int_equal(drain_samples(&b, fd, &a), cases[i].when_full);
		assert_true(a.sequence > 30); /* it goes on after a restart */
		end_case(&b);
	}
}

static void ticks_are_multiples_of_the_period_but_r54_begins_at_once(void **state)
{
	static const struct {
		const char *driver;
		int64_t at_ms[3]; /* of samples, after a start at 3 ms */
	} cases[] = {{"r44p0", {10, 20, 30}}, {"r54p1", {3, 20, 30}}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct fake_kbase_bench b;
		int fd = open_kinstr(&b, cases[i].driver, PRFCNT_MODE_PERIODIC);
		int64_t from_ns = b.fake.kbase.now_ns - b.fake.kbase.now_ns % (10 * MS) + 10 * MS;

		fake_sys_run(&b.fake, from_ns + 3 * MS - b.fake.kbase.now_ns);
		assert_int_equal(send_command(&b, fd, PRFCNT_START), 0);
		for (int n = 0; n < 3; n++) {
			assert_int_equal((fake_kbase_due(&b.fake.kbase, fd) - from_ns) / MS,
					 cases[i].at_ms[n]);
			fake_sys_run(&b.fake, fake_kbase_due(&b.fake.kbase, fd) - b.fake.kbase.now_ns);
		}
		end_case(&b);
	}
}

static void a_session_outlives_the_device_fd(void **state)
{
	struct prfcnt_access a;
	struct fake_kbase_bench b;
	int fd = open_kinstr(&b, "r54p1", PRFCNT_MODE_PERIODIC);
	struct pollfd p = {.fd = fd, .events = POLLIN};

	(void)state;
	assert_int_equal(send_command(&b, fd, PRFCNT_START), 0);
	b.fake.sys.close(&b.fake.sys, b.fd);
	assert_int_equal(b.fake.sys.poll(&b.fake.sys, &p, 1, 50), 1);
	assert_int_equal(make_call(&b, fd, PRFCNT_GET_SAMPLE, &a), 0);
	b.fake.kbase.gpus[0].gone = true;
	assert_int_equal(b.fake.sys.poll(&b.fake.sys, &p, 1, 0), 1);
	assert_true(p.revents & POLLHUP);
	FAILS(ENODEV, make_call(&b, fd, PRFCNT_PUT_SAMPLE, &a));
	end_case(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_generation_answers_its_own_handshake_only),
		cmocka_unit_test(of_two_versions_of_one_major_the_older_is_spoken),
		cmocka_unit_test(before_the_context_everything_is_eperm_and_afterwards_the_unknown_is_enotty),
		cmocka_unit_test(before_r20_a_context_waits_for_its_flags_and_einval_is_said),
		cmocka_unit_test(a_uk_function_that_fails_says_so_in_the_message),
		cmocka_unit_test(a_uk_driver_looks_at_sizes_and_is_stuck_after_a_wrong_first_call),
		cmocka_unit_test(properties_are_given_to_those_who_bring_room),
		cmocka_unit_test(buffers_are_a_power_of_two_up_to_32),
		cmocka_unit_test(one_dump_is_out_at_a_time_and_goes_back_as_it_came),
		cmocka_unit_test(the_interval_is_the_argument_itself),
		cmocka_unit_test(old_kernels_know_no_cycles),
		cmocka_unit_test(a_mapping_is_whole_and_for_reading),
		cmocka_unit_test(a_session_must_be_asked_for_in_every_detail),
		cmocka_unit_test(some_releases_want_to_be_asked_what_they_have_before_a_set_up),
		cmocka_unit_test(the_list_is_given_in_its_exact_length),
		cmocka_unit_test(an_empty_ring_is_einval_and_a_sample_goes_back_as_it_came),
		cmocka_unit_test(a_stop_leaves_one_more_sample_unless_the_release_loses_it),
		cmocka_unit_test(ticks_are_multiples_of_the_period_but_r54_begins_at_once),
		cmocka_unit_test(a_session_outlives_the_device_fd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
