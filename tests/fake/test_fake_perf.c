/* The fake against the facts of perf_event_open: who may count, what is refused and how, and what
 * read and ioctl answer. */
#include "tests/support/perf_bench.h"
#include "tests/support/test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#define OTHERS 2000 /* a thread of another user */

static void end_case(struct perf_bench *b)
{
	fake_sys_fini(&b->fake);
}

/* What an open answers: 0 or an errno. The event is closed again. */
static int answer_call(struct perf_bench *b, struct perf_event_attr attr, pid_t pid, int cpu, int group)
{
	int fd = perf_open(b, attr, pid, cpu, group);

	if (fd < 0)
		return errno;
	b->sys->close(b->sys, fd);
	return 0;
}

static void expect_code(int got, int code, const char *what, size_t row)
{
	if (got != code)
		fail_msg("%s, row %zu: %s (%d), not %s (%d)", what, row, strerror(got), got, strerror(code),
			 code);
}

/* ---- who may ---- */

TEST(each_level_allows_what_it_says)
{
	static const struct {
		int paranoid, pid;
		bool user_only;
		unsigned caps, kernel;
		int code;
	} cases[] = {
		{-1, -1, false, 0, 0, 0},
		{0, -1, false, 0, 0, 0},
		{1, -1, false, 0, 0, EACCES},
		{1, -1, true, 0, 0, EACCES},
		{1, 0, false, 0, 0, 0},
		{2, -1, true, 0, 0, EACCES},
		{2, 0, false, 0, 0, EACCES},
		{2, 0, true, 0, 0, 0},
		{3, 0, true, 0, 0, EACCES},
		{4, 0, true, 0, 0, EACCES},
		{2, -1, false, FAKE_CAP_PERFMON, FAKE_KERNEL(5, 8), 0},
		{2, -1, false, FAKE_CAP_PERFMON, FAKE_KERNEL(5, 7), EACCES},
		{2, -1, false, FAKE_CAP_SYS_ADMIN, FAKE_KERNEL(4, 9), 0},
		{3, 0, true, FAKE_CAP_PERFMON, FAKE_KERNEL(6, 1), EACCES},
		{3, -1, false, FAKE_CAP_SYS_ADMIN, FAKE_KERNEL(6, 1), 0},
		{-1, OTHERS, true, 0, FAKE_KERNEL(6, 1), EACCES},
		{2, OTHERS, false, FAKE_CAP_PERFMON, FAKE_KERNEL(6, 1), 0},
		{2, OTHERS, false, FAKE_CAP_PERFMON, FAKE_KERNEL(5, 8), EACCES},
		{2, OTHERS, false, FAKE_CAP_SYS_ADMIN, FAKE_KERNEL(4, 9), 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct perf_event_attr attr = RAW(0x11);
		struct perf_bench b;

		perf_begin(&b, "a72x4");
		fake_perf_task(b.perf, OTHERS, 0, 1);
		b.perf->paranoid = cases[i].paranoid;
		b.perf->caps = cases[i].caps;
		b.perf->kernel = cases[i].kernel ? cases[i].kernel : b.perf->kernel;
		attr.size = PERF_ATTR_SIZE_VER0;
		attr.exclude_kernel = cases[i].user_only;
		expect_code(answer_call(&b, attr, cases[i].pid, cases[i].pid == -1 ? 0 : -1, -1),
			    cases[i].code, "levels", i);
		end_case(&b);
	}
}

/* ---- what is refused ---- */

/* Things that can be wrong with a call, several at once. */
enum wrong {
	NO_PERF = 1 << 0,
	SECCOMP = 1 << 1,
	FLAGS = 1 << 2,
	LEVEL_3 = 1 << 3,
	LONG_ATTR = 1 << 4,
	SELINUX = 1 << 5,
	KERNEL = 1 << 6, /* counting the kernel, at level 2 */
	FILES = 1 << 7,
	NO_GROUP = 1 << 8, /* the fd is none of an event */
	NO_TASK = 1 << 9,
	ALIEN = 1 << 10, /* another user's task */
	NO_CPU = 1 << 11,
	TYPE = 1 << 12,
	IDLE = 1 << 13,
	BUSY = 1 << 14,
	CPU_LEVEL = 1 << 15, /* a CPU, at level 1 */
	OFFLINE = 1 << 16,
	APART = 1 << 17, /* the leader is on another CPU */
	OLD = 1 << 18,   /* no fault: Linux 5.10 */
	SMALL_ATTR = 1 << 19,
	RESERVED = 1 << 20,
	RESERVED_2 = 1 << 21,
};

static int wrong_call(unsigned wrong)
{
	struct {
		struct perf_event_attr attr;
		unsigned char tail[64];
	} user = {.attr = RAW(0x08)};
	bool task = wrong & (NO_TASK | ALIEN | KERNEL);
	int leader, cpu = task ? -1 : 1,
		    pid = wrong & NO_TASK ? 77777
			  : wrong & ALIEN ? OTHERS
			  : task          ? 0
					  : -1,
		    fd;
	struct perf_bench b;

	perf_begin(&b, "a72x4");
	fake_perf_task(b.perf, OTHERS, 0, 1);
	leader = perf_open(&b, (struct perf_event_attr)RAW(0x11), -1, 0, -1);
	b.perf->machine = wrong & NO_PERF ? NULL : b.perf->machine;
	b.perf->filtered = wrong & SECCOMP ? EPERM : 0;
	b.perf->paranoid = wrong & LEVEL_3 ? 3 : wrong & KERNEL ? 2 : wrong & CPU_LEVEL ? 1 : -1;
	b.perf->selinux = wrong & SELINUX;
	b.perf->max_files = wrong & FILES ? 1 : 0;
	b.perf->kernel = wrong & OLD ? FAKE_KERNEL(5, 10) : b.perf->kernel;
	fake_perf_pmu(b.perf, "armv8_cortex_a72")->busy = wrong & BUSY;
	if (wrong & OFFLINE)
		fake_perf_online(b.perf, 1, false);
	user.attr.type = wrong & TYPE ? 99 : 8;
	user.attr.exclude_idle = (wrong & IDLE) != 0;
	user.attr.size = wrong & LONG_ATTR ? 180 : wrong & SMALL_ATTR ? 63 : PERF_ATTR_SIZE_VER0;
	if (wrong & RESERVED_2) {
		user.attr.size = PERF_ATTR_SIZE_VER5;
		user.attr.__reserved_2 = 1;
	}
	user.attr.sample_type = wrong & RESERVED ? 1ull << 60 : 0;
	memset(user.tail, 1, sizeof(user.tail));
	errno = 0;
	fd = b.sys->perf_event_open(b.sys, &user.attr, pid, wrong & NO_CPU ? 99 : cpu,
				    wrong & NO_GROUP ? 0
				    : wrong & APART  ? leader
						     : -1,
				    wrong & FLAGS ? 1 << 7 : 0);
	end_case(&b);
	return fd < 0 ? errno : 0;
}

TEST(what_is_wrong_is_reported_in_the_order_of_the_kernel)
{
	static const struct {
		unsigned wrong;
		int code;
	} cases[] = {
		{0, 0},
		{NO_PERF, ENOSYS},
		{SECCOMP | FLAGS, EPERM},
		{FLAGS, EINVAL},
		{FLAGS | LEVEL_3, EINVAL},
		{LEVEL_3 | LONG_ATTR, EACCES},
		{LONG_ATTR, E2BIG},
		{SMALL_ATTR, E2BIG},
		{LONG_ATTR | KERNEL, E2BIG},
		{RESERVED, EINVAL},
		{RESERVED_2, EINVAL},
		{RESERVED | SELINUX, EINVAL},
		{SELINUX | FILES, EACCES},
		{KERNEL | FILES, EACCES},
		{FILES, EMFILE},
		{FILES | NO_GROUP, EMFILE},
		{NO_GROUP | NO_TASK, EBADF},
		{NO_TASK, ESRCH},
		{NO_TASK | NO_CPU, ESRCH},
		{NO_CPU, EINVAL},
		{NO_CPU | TYPE, EINVAL},
		{TYPE, ENOENT},
		{TYPE | CPU_LEVEL, ENOENT},
		{TYPE | ALIEN, ENOENT},
		{TYPE | ALIEN | OLD, EACCES},
		{ALIEN, EACCES},
		{ALIEN | OLD, EACCES},
		{IDLE, EOPNOTSUPP},
		{IDLE | CPU_LEVEL, EOPNOTSUPP},
		{IDLE | BUSY, EOPNOTSUPP},
		{BUSY, EBUSY},
		{CPU_LEVEL, EACCES},
		{CPU_LEVEL | OFFLINE, EACCES},
		{OFFLINE, ENODEV},
		{OFFLINE | APART, ENODEV},
		{APART, EINVAL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		expect_code(wrong_call(cases[i].wrong), cases[i].code, "wrong calls", i);
}

/* ---- what there is to count ---- */

TEST(generic_events_are_those_that_core_and_kernel_have)
{
	static const struct {
		const char *machine;
		unsigned kernel;
		int cpu;
		uint64_t type, config;
		int code;
	} cases[] = {
		{"a72x4", FAKE_KERNEL(6, 6), 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0},
		{"a72x4", FAKE_KERNEL(6, 6), 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
		 ENOENT},
		{"a72x4", FAKE_KERNEL(6, 6), 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 0},
		{"a72x4", FAKE_KERNEL(6, 6), 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
		 ENOENT},
		{"a72x4", FAKE_KERNEL(6, 6), 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, ENOENT},
		{"a72x4", FAKE_KERNEL(6, 6), 0, PERF_TYPE_HARDWARE, 10, EINVAL},
		{"rk3588", FAKE_KERNEL(5, 10), 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0},
		{"rk3588", FAKE_KERNEL(5, 10), 4, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
		 ENOENT},
		{"rk3588", FAKE_KERNEL(6, 6), 4, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0},
		{"rk3588", FAKE_KERNEL(5, 10), 4, PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
		 0},
		{"a72x4", FAKE_KERNEL(6, 6), 0, PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_L1D, 0},
		{"a72x4", FAKE_KERNEL(6, 6), 0, PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_DTLB, ENOENT},
		{"a72x4", FAKE_KERNEL(6, 6), 0, PERF_TYPE_HW_CACHE, 7, EINVAL},
		{"rk3588", FAKE_KERNEL(6, 6), 0, 8, 0x11, 0},
		{"rk3588", FAKE_KERNEL(6, 6), 4, 8, 0x11, ENOENT},
		{"rk3588", FAKE_KERNEL(6, 6), 4, 9, 0x11, 0},
		{"rk3588", FAKE_KERNEL(6, 6), 4, PERF_TYPE_RAW, 0x11, 0},
		{"a72x4", FAKE_KERNEL(6, 6), 0, 8, 0x1e, EINVAL},
		{"a72x4", FAKE_KERNEL(4, 19), 0, 8, 0x1e, 0},
		{"a72x4", FAKE_KERNEL(6, 6), 0, 8, 0x3f, 0}, /* not implemented, but not checked */
		{"x86", FAKE_KERNEL(6, 6), 0, PERF_TYPE_RAW, 0xc0, 0},
		{"x86", FAKE_KERNEL(6, 6), 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0},
		{"x86", FAKE_KERNEL(6, 6), 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
		 ENOENT},
		{"vm", FAKE_KERNEL(6, 6), 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, ENOENT},
		{"vm", FAKE_KERNEL(6, 6), 0, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0},
		{"vm", FAKE_KERNEL(6, 6), 0, PERF_TYPE_SOFTWARE, 99, ENOENT},
		{"vm", FAKE_KERNEL(6, 6), 0, PERF_TYPE_BREAKPOINT, 0, ENOENT},
		/* The PMU in the upper half of config. */
		{"hybrid", FAKE_KERNEL(6, 6), 0, PERF_TYPE_HARDWARE, 4ull << 32 | 1, 0},
		{"hybrid", FAKE_KERNEL(6, 6), 4, PERF_TYPE_HARDWARE, 10ull << 32 | 1, 0},
		{"hybrid", FAKE_KERNEL(6, 6), 0, PERF_TYPE_HARDWARE, 10ull << 32 | 1, ENOENT},
		{"hybrid", FAKE_KERNEL(5, 12), 0, PERF_TYPE_HARDWARE, 4ull << 32 | 1, EINVAL},
		{"rk3588", FAKE_KERNEL(6, 6), 4, PERF_TYPE_HARDWARE, 9ull << 32 | 1, 0},
		{"rk3588", FAKE_KERNEL(6, 1), 4, PERF_TYPE_HARDWARE, 9ull << 32 | 1, ENOENT},
		{"rk3588", FAKE_KERNEL(5, 10), 4, PERF_TYPE_HARDWARE, 9ull << 32 | 1, EINVAL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct perf_event_attr attr = {.type = (uint32_t)cases[i].type, .config = cases[i].config};
		struct perf_bench b;

		perf_begin(&b, cases[i].machine);
		b.perf->kernel = cases[i].kernel;
		attr.size = PERF_ATTR_SIZE_VER0;
		expect_code(answer_call(&b, attr, -1, cases[i].cpu, -1), cases[i].code, cases[i].machine, i);
		end_case(&b);
	}
}

/* ---- groups ---- */

TEST(a_member_must_be_where_its_leader_is)
{
	static const struct {
		int type, pid, cpu, code;
		bool pinned, inherit;
	} cases[] = {
		{8, -1, 0, 0, false, false},      {8, -1, 1, EINVAL, false, false},
		{8, 0, 0, EINVAL, false, false},  {1, -1, 0, 0, false, false},
		{9, -1, 4, EINVAL, false, false}, {8, -1, 0, EINVAL, true, false},
		{8, 0, -1, EINVAL, false, true},
	};
	struct perf_event_attr leader = RAW(0x11);
	struct perf_bench b;
	int fd, member;

	perf_begin(&b, "rk3588");
	fd = perf_open(&b, leader, -1, 0, -1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct perf_event_attr attr = {.type = (uint32_t)cases[i].type,
					       .config = cases[i].type == 1 ? 0 : 0x08};

		attr.pinned = cases[i].pinned;
		attr.inherit = cases[i].inherit;
		expect_code(answer_call(&b, attr, cases[i].pid, cases[i].cpu, fd), cases[i].code, "members",
			    i);
	}
	member = perf_open(&b, leader, -1, 0, fd);
	assert_int_equal(answer_call(&b, leader, -1, 0, member), EINVAL); /* the member of a member */
	end_case(&b);
}

TEST(two_clusters_do_not_share_a_group_even_of_a_task)
{
	struct perf_event_attr little = RAW(0x11), big = {.type = 9, .config = 0x11};
	struct perf_bench b;
	int fd;

	perf_begin(&b, "rk3588");
	fd = perf_open(&b, little, 0, -1, -1);
	assert_int_equal(answer_call(&b, big, 0, -1, fd), EINVAL);
	assert_int_equal(answer_call(&b, little, 0, -1, fd), 0);
	end_case(&b);
}

/* How many of n events with numbers from 0x01 on open as one group. */
static int group_of(const char *machine, unsigned type, int n, bool cycles, struct perf_event_attr leader)
{
	struct perf_bench b;
	int first = -1, i;

	perf_begin(&b, machine);
	for (i = 0; i < n; i++) {
		struct perf_event_attr attr = {.type = type, .config = (uint64_t)i + 1};
		int fd;

		attr.config = cycles && i == 1 ? 0x11 : attr.config;
		attr.disabled = i ? 0 : leader.disabled;
		attr.enable_on_exec = i ? 0 : leader.enable_on_exec;
		fd = perf_open(&b, attr, -1, 0, first);
		if (fd < 0)
			break;
		first = first < 0 ? fd : first;
	}
	if (i < n)
		assert_int_equal(errno, EINVAL);
	end_case(&b);
	return i;
}

TEST(a_group_that_is_too_large_is_refused_but_a_leader_that_is_off_is_not_weighed)
{
	struct perf_event_attr on = {.type = 8}, off = {.disabled = 1},
			       on_exec = {.disabled = 1, .enable_on_exec = 1};

	assert_int_equal(group_of("a72x4", 8, 9, false, on), 6);
	assert_int_equal(group_of("a72x4", 8, 9, true, on), 7); /* cycles have their own */
	assert_int_equal(group_of("a72x4", 8, 9, false, off), 7);
	assert_int_equal(group_of("a72x4", 8, 9, true, off), 8);
	assert_int_equal(group_of("a72x4", 8, 9, false, on_exec), 6);
	assert_int_equal(group_of("tiny2", 8, 9, false, on), 2);
	assert_int_equal(group_of("tiny2", 8, 9, false, off), 3);
	assert_int_equal(group_of("x86", 4, 9, false, on), 4);
	assert_int_equal(group_of("x86", 4, 9, false, off), 4); /* weighs every leader */
}

/* ---- read ---- */

TEST(every_read_format_has_its_words_in_order)
{
	for (uint64_t format = 0; format < 32; format++) {
		uint64_t words[16], expected[16];
		struct perf_event_attr attr = RAW(0x11);
		struct perf_bench b;
		int fds[2], n = 0;

		perf_begin(&b, "a72x4");
		fake_perf_rate(b.perf, 0, "armv8_cortex_a72", 0x11, 1000);
		fake_perf_rate(b.perf, 0, "armv8_cortex_a72", 0x08, 300);
		attr.read_format = format;
		fds[0] = perf_open(&b, attr, -1, 0, -1);
		attr.config = 0x08;
		fds[1] = perf_open(&b, attr, -1, 0, fds[0]);
		fake_sys_run(&b.fake, 5 * MS);
		expected[n++] = format & PERF_FORMAT_GROUP ? 2 : 5000000;
		for (uint64_t time = PERF_FORMAT_TOTAL_TIME_ENABLED; time <= PERF_FORMAT_TOTAL_TIME_RUNNING;
		     time <<= 1)
			if (format & time)
				expected[n++] = 5 * MS;
		for (uint64_t i = 0; i < (format & PERF_FORMAT_GROUP ? 2 : 1); i++) {
			if (format & PERF_FORMAT_GROUP)
				expected[n++] = i ? 1500000 : 5000000;
			if (format & PERF_FORMAT_ID)
				expected[n++] = i + 1;
			if (format & PERF_FORMAT_LOST)
				expected[n++] = 0;
		}
		assert_int_equal(perf_read(&b, fds[0], words, 16), n);
		assert_memory_equal(words, expected, (size_t)n * sizeof(*words));
		assert_int_equal(perf_read(&b, fds[0], words, (size_t)n), n);
		assert_int_equal(b.perf->breaches.n, 0);
		assert_int_equal(perf_read(&b, fds[0], words, (size_t)n - 1), -1);
		assert_int_equal(errno, ENOSPC);
		assert_true(b.perf->breaches.n > 0);
		end_case(&b);
	}
}

TEST(a_member_reads_its_whole_group)
{
	struct perf_event_attr attr = RAW(0x11);
	struct perf_bench b;
	uint64_t words[3];
	int leader, member;

	perf_begin(&b, "a72x4");
	attr.read_format = PERF_FORMAT_GROUP;
	leader = perf_open(&b, attr, -1, 0, -1);
	member = perf_open(&b, attr, -1, 0, leader);
	assert_int_equal(perf_read(&b, member, words, 3), 3);
	assert_int_equal(words[0], 2);
	end_case(&b);
}

/* ---- the seam ---- */

TEST(rules_that_are_broken_are_noted)
{
	static const struct {
		unsigned long request, flags;
		int code;
	} cases[] = {
		{PERF_EVENT_IOC_ENABLE, 2, 0},
		{0x2402, 0, ENOTTY},
		{0x2499, 0, ENOTTY},
		{0x5401, 0, ENOTTY},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct perf_event_attr attr = RAW(0x11);
		struct perf_bench b;
		int fd;

		perf_begin(&b, "a72x4");
		fd = perf_open(&b, attr, -1, 0, -1);
		expect_code(perf_control(&b, fd, cases[i].request, cases[i].flags) ? errno : 0, cases[i].code,
			    "ioctls", i);
		assert_true(b.perf->breaches.n > 0);
		b.sys->close(b.sys, fd);
		assert_non_null(strstr(fake_sys_leaks(&b.fake), b.perf->breaches.p));
		end_case(&b);
	}
}

/* ---- files ---- */
