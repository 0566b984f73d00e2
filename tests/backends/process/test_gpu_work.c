/* GPU time of users by the trace event of the driver, and whose process it is: on the rings of the
 * kernel, with who may have it, CPUs that come, and periods that cannot be. */
#include "tests/fake/fake_sys.h"
#include "tests/support/fixture.h"

#include "backends/gpu/gpu_system.h"
#include "backends/process/process_gpu.h"
#include "backends/process/process_scan.h"
#include "tests/support/test.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MS 1000000ll
#define SECOND 1000000000ll

struct gpu_work_bench {
	struct fixture f; /* the files */
	struct fake_sys fake;
	struct fake_perf *perf;
	struct gpu_work work;
	int (*real_stat)(const struct sys *sys, const char *path, struct stat *st);
};
static struct gpu_work_bench b;

static void set_up(const char *board, const char *machine)
{
	memset(&b, 0, sizeof(b));
	fixture_init(&b.f, board);
	fake_sys_init(&b.fake, b.f.root);
	b.fake.raw_ahead_ns = 7 * SECOND;
	b.perf = fake_sys_add_perf(&b.fake, machine);
	fake_perf_tracefs(b.f.root, GPU_WORK_EVENT);
	fixture_write(&b.f, "sys/devices/system/cpu/online", "0-3\n");
}

static void tear_down(void)
{
	gpu_work_close(&b.work);
	assert_int_equal(b.fake.n_maps, 0);
	assert_string_equal(b.perf->breaches.p ? b.perf->breaches.p : "", "");
	fake_sys_fini(&b.fake);
	fixture_fini(&b.f);
}

/* A period that ends now, in ms of time and of work. */
static void report_period(int cpu, uint32_t uid, int64_t ms, int64_t worked_ms)
{
	uint64_t end = (uint64_t)b.fake.sys.raw_ns(&b.fake.sys);

	fake_perf_trace(
		b.perf, cpu, GPU_WORK_EVENT,
		(const uint64_t[]){0, uid, end - (uint64_t)(ms * MS), end, (uint64_t)(worked_ms * MS)});
}

static void open_work(void)
{
	struct err err;

	if (!gpu_work_open(&b.work, &b.fake.sys, &err))
		fail_msg("%s", err.text);
	gpu_work_read(&b.work);
}

static void assert_percent(uint32_t uid, double want)
{
	double got = gpu_work_percent(&b.work, uid);

	if (isnan(want) ? !isnan(got) : !(fabs(got - want) < 0.01))
		fail_msg("user %u: %g instead of %g", uid, got, want);
}

TEST(the_share_of_a_user_is_that_of_its_periods)
{
	set_up(NULL, "a72x4");
	open_work();
	assert_percent(10123, NAN);
	for (int i = 0; i < 30; i++) { /* each second 600 ms, reported on any CPU, and 30 of another */
		fake_sys_run(&b.fake, SECOND);
		report_period(i % 4, 10123, 1000, 600);
		report_period(3 - i % 4, 10124, 500, 30);
		fake_sys_run(&b.fake, 300 * MS);
		gpu_work_read(&b.work);
		if (i > 3)
			assert_true(gpu_work_percent(&b.work, 10123) > 20 &&
				    gpu_work_percent(&b.work, 10123) <= 100);
		assert_percent(10999, 0);
	}
	tear_down();
}

/* Reads and periods at any phase: over time nothing is lost and nothing counts twice. */
TEST(shares_add_up_to_the_work)
{
	double worked_ns = 0;

	set_up(NULL, "a72x4");
	open_work();
	for (int i = 0; i < 2000; i++) {
		fake_sys_run(&b.fake, 50 * MS);
		if (i % 16 == 5)
			report_period(i % 4, 7, 800, 200);
		if (i % 21 != 20)
			continue;
		gpu_work_read(&b.work);
		if (b.work.end_ns)
			worked_ns += gpu_work_percent(&b.work, 7) / 100 *
				     (double)(b.work.end_ns - b.work.begin_ns);
	}
	/* a quarter of 100 s, but for the first and the last second */
	assert_true(worked_ns > 24.2e9 && worked_ns < 25e9);
	tear_down();
}

TEST(periods_that_cannot_be_are_left_out)
{
	static const struct {
		int64_t ms, worked_ms;
	} cases[] = {{500, 501}, {0, 0}, {-100, 50}, {11000, 10}, {500, -1}};

	set_up(NULL, "a72x4");
	open_work();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		report_period(0, 7, cases[i].ms, cases[i].worked_ms);
	gpu_work_read(&b.work);
	assert_int_equal(b.work.n, 0);
	report_period(0, 7, 500, 500);
	fake_sys_run(&b.fake, 1);
	gpu_work_read(&b.work);
	fake_sys_run(&b.fake, SECOND);
	tear_down();
}

TEST(what_a_full_ring_lost_is_counted)
{
	set_up(NULL, "a72x4");
	open_work();
	fake_sys_run(&b.fake, SECOND);
	for (int i = 0; i < 1000; i++)
		report_period(2, 7, 500, 1);
	gpu_work_read(&b.work);
	report_period(2, 7, 500, 1);
	gpu_work_read(&b.work);
	assert_true(b.work.cpus.lost > 100);
	assert_int_equal(b.work.cpus.lost + b.work.n, 1001);
	tear_down();
}

TEST(a_cpu_that_comes_reports_too)
{
	set_up(NULL, "a72x4");
	fake_perf_online(b.perf, 3, false);
	fixture_write(&b.f, "sys/devices/system/cpu/online", "0-2\n");
	open_work();
	assert_int_equal(b.work.cpus.n, 3);
	fake_perf_online(b.perf, 3, true);
	fixture_write(&b.f, "sys/devices/system/cpu/online", "0-3\n");
	gpu_work_read(&b.work);
	assert_int_equal(b.work.cpus.n, 4);
	fake_sys_run(&b.fake, SECOND);
	report_period(3, 7, 500, 100);
	gpu_work_read(&b.work);
	assert_int_equal(b.work.n, 1);
	tear_down();
}

TEST(who_may_not_have_it_gets_the_reason)
{
	static const struct {
		const char *missing;
		int paranoid, code;
	} cases[] = {
		{"sys/kernel/tracing/events/power/gpu_work_period", -1, ENOENT},
		{"sys/kernel/tracing/events/power/gpu_work_period/format", -1, ENOTSUP},
		{"sys/devices/system/cpu/online", -1, ENOENT},
		{NULL, 0, EPERM}, /* events may be counted, but their fields not be seen */
		{NULL, 1, EPERM},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err;

		set_up(NULL, "a72x4");
		b.perf->paranoid = cases[i].paranoid;
		if (cases[i].missing)
			fixture_remove(&b.f, cases[i].missing);
		assert_false(gpu_work_open(&b.work, &b.fake.sys, &err));
		assert_int_equal(err.code, cases[i].code);
		assert_int_equal(fake_perf_open_files(b.perf, NULL), 0);
		tear_down();
	}
}

/* Every call fails once: nothing stays open, nothing is counted wrong. */
TEST(a_call_that_fails_leaves_nothing_open)
{
	for (unsigned at = 1; at < 40; at++) {
		struct err err;
		bool ok;

		set_up(NULL, "a72x4");
		b.fake.fault = (struct fake_fault){FAKE_CALL_PERF | FAKE_CALL_MMAP, at, 1, EMFILE};
		ok = gpu_work_open(&b.work, &b.fake.sys, &err);
		gpu_work_close(&b.work);
		assert_int_equal(fake_perf_open_files(b.perf, NULL), 0);
		assert_int_equal(ok, at > 8); /* four opened, four mapped */
		tear_down();
	}
}

static uint32_t owner_of(int pid)
{
	return pid < 100 ? 0 : pid == 4711 || pid == 900 ? 10123 : pid == 812 ? 1000 : 10124;
}

static int owner_stat(const struct sys *sys, const char *path, struct stat *st)
{
	int result = b.real_stat(sys, path, st), pid;

	if (sscanf(path, "proc/%d", &pid) == 1)
		st->st_uid = owner_of(pid);
	return result;
}

/* Programs of two users whose memory is known, unknown, zero, or that have no context. */
TEST(the_time_of_a_user_is_at_the_program_that_has_a_context)
{
	static const struct {
		const char *context, *profile; /* NULL: none, or no such file */
		const char *more;
		int pid;       /* -1: several have it */
		uint32_t user; /* who has it */
	} cases[] = {
		{"4711_5", "Total allocated memory: 400000000\n", NULL, 4711, 10123},
		{"4711_5", NULL, NULL, 4711, 10123}, /* how much memory it has is unknown */
		{"4711_5", "Total allocated memory: 0\n", NULL, 4711, 10123},
		{"4711_5", "lots\n", "812_3", 4711, 10123}, /* the other one is another user's */
		{"4711_5", "Total allocated memory: 400000000\n", "900_1", -1, 10123},
		{"4711_5", NULL, "900_1", -1, 10123},
		{"812_3", NULL, NULL, 0, 10123}, /* the program has ended */
		{NULL, NULL, NULL, -1, 10123},   /* contexts are not reported */
		{NULL, NULL, NULL, 812, 1000},   /* the user's only program */
	};
	const struct process_query query = {.gpu_memory = true};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct process_list *list = NULL;
		struct process_scan *scan;
		char path[96];

		set_up("processes", "a72x4");
		fixture_write(&b.f, "sys/devices/system/cpu/online", "0-3\n");
		fixture_remove(&b.f, "sys/class/misc/mali0/device/kprcs");
		for (int k = 0; k < 2; k++) {
			const char *context = k ? cases[i].more : cases[i].context,
				   *profile = k ? "Total allocated memory: 5\n" : cases[i].profile;

			snprintf(path, sizeof(path), "sys/kernel/debug/mali0/ctx/%s/%s",
				 context ? context : "", profile ? "mem_profile" : "mem_view");
			if (context)
				fixture_write(&b.f, path, profile ? profile : "\n");
		}
		b.real_stat = b.fake.sys.stat;
		b.fake.sys.stat = owner_stat;
		scan = process_scan_new(&b.fake.sys);
		for (int round = 0; round < 5; round++) {
			process_list_free(list);
			fake_sys_run(&b.fake, SECOND);
			report_period(round % 4, cases[i].user, 1000, 400);
			list = process_scan_read(scan, &query, b.fake.now_ns);
		}
		for (unsigned k = 0; k < list->n; k++) {
			const struct process *p = &list->processes[k];
			bool has = p->pid == cases[i].pid;
			bool may = cases[i].pid < 0 && p->uid == cases[i].user && !p->kernel &&
				   (!cases[i].context || p->pid == 4711 || p->pid == 900);

			if (may ? !isnan(p->gpu_percent) || fabs((double)p->gpu_user_percent - 40) > 0.01
				: fabs((double)p->gpu_percent - (has ? 40 : 0)) > 0.01 ||
					    p->gpu_user_percent != 0)
				fail_msg("case %zu: pid %d has %g, its user %g", i, p->pid,
					 (double)p->gpu_percent, (double)p->gpu_user_percent);
		}
		process_list_free(list);
		process_scan_free(scan);
		tear_down();
	}
}
