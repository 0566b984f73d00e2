/* What a Panfrost GPU tells without its counters, and beside them: queues, clock, power, memory. */
#include "base/alloc.h"
#include "backends/process/process_gpu.h"
#include "tests/support/drm_run.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

#define PROFILING "sys/class/drm/renderD128/device/profiling"
#define POWERED "sys/class/drm/renderD128/device/power/runtime_active_time"
#define STATUS "sys/class/drm/renderD128/device/power/runtime_status"

static void begin_run(struct drm_run *r, bool counts, bool profiling)
{
	struct fake_drm_gpu *gpu = drm_run_init(r, &backend_panfrost, "panfrost-6.10", 0x74021000, 3);

	gpu->unstable = counts;
	drm_run_write(r, profiling ? "1\n" : "0\n", PROFILING);
}

static void start_run(struct drm_run *r, int64_t period_ns)
{
	if (!drm_run_open(r) || !drm_run_start(r, period_ns))
		fail_msg("%s", r->err.text);
}

static void put_client(struct drm_run *r, int pid, unsigned client, int fragment_ms, int vertex_ms)
{
	AUTOFREE char *text =
		xasprintf("drm-engine-fragment:\t%d000000 ns\ndrm-cycles-fragment:\t%d00000\n"
			  "drm-engine-vertex-tiler:\t%d000000 ns\ndrm-cycles-vertex-tiler:\t%d00000\n"
			  "drm-resident-memory:\t2 MiB\n",
			  fragment_ms, fragment_ms * 6, vertex_ms, vertex_ms * 6);

	drm_run_client(r, pid, 5, 128, "panfrost", client, text);
}

TEST(a_gpu_without_devfreq_does_not_get_that_of_another)
{
	static const char *const others[] = {NULL, "panthor-6.18"};

	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		struct drm_run r;

		begin_run(&r, false, true);
		if (others[i])
			drm_run_add(&r, others[i], 0xa8670000, 0xf);
		fixture_remove(&r.files, "sys/class/drm/renderD128/device/devfreq/128.gpu/cur_freq");
		fixture_remove(&r.files, "sys/class/drm/renderD128/device/devfreq/128.gpu");
		if (others[i]) {
			fixture_remove(&r.files, "sys/class/devfreq/128.gpu/cur_freq");
			fixture_remove(&r.files, "sys/class/devfreq/128.gpu/available_frequencies");
			fixture_remove(&r.files, "sys/class/devfreq/128.gpu");
		}
		start_run(&r, 500 * MS);
		drm_run_next(&r);
		drm_run_next(&r);
		/* alone it can only be its own */
		assert_true((drm_run_value(&r, "GPUClockCy") == SAMPLE_UNKNOWN) == (others[i] != NULL));
		drm_run_fini(&r);
	}
}

TEST(the_queues_are_the_sum_of_all_clients)
{
	struct drm_run r;

	begin_run(&r, false, true);
	put_client(&r, 100, 1, 1000, 500);
	put_client(&r, 200, 2, 4000, 0);
	start_run(&r, 500 * MS); /* looks for the first time: since when they used it is not known */
	put_client(&r, 100, 1, 1200, 550);
	put_client(&r, 200, 2, 4350, 10);
	drm_run_next(&r);
	assert_int_equal(drm_run_value(&r, "DRMTime"), 500 * MS);
	assert_int_equal(drm_run_value(&r, "DRMFragTime"), 550 * MS); /* more than the time: as told */
	assert_int_equal(drm_run_value(&r, "DRMVertTime"), 60 * MS);
	assert_int_equal(drm_run_value(&r, "DRMFragCy"), 330000000);
	assert_int_equal(drm_run_value(&r, "GPUMem"), 4 << 20);
	assert_int_equal(drm_run_value(&r, "DRMClients"), 2);
	drm_run_fini(&r);
}

/* It opens the GPU after the start and closes it between two windows. */
TEST(all_time_of_a_short_command_counts)
{
	struct drm_run r;
	uint64_t used = 0, of = 0;

	begin_run(&r, false, true);
	drm_run_write(&r, "1:3", "proc/100/fd/3");
	start_run(&r, 500 * MS);
	for (unsigned i = 0; i < 6; i++) { /* after the last read it works on as before */
		if (i < 5)
			put_client(&r, 300, 1, 103 * (i + 1), 0);
		else
			fixture_remove(&r.files, "proc/300");
		drm_run_next(&r);
		assert_int_equal(drm_run_value(&r, "DRMFragTime"), 103 * MS);
		used += drm_run_value(&r, "DRMFragTime");
		of += drm_run_value(&r, "DRMTime");
	}
	assert_true(used == 6 * 103 * MS && of == 6 * 500 * MS);
	drm_run_next(&r);
	assert_int_equal(drm_run_value(&r, "DRMFragTime"), 0);
	drm_run_fini(&r);
}

TEST(queues_are_idle_without_clients_if_the_kernel_would_tell)
{
	struct drm_run r;

	for (int profiling = 0; profiling < 2; profiling++) {
		begin_run(&r, false, profiling);
		start_run(&r, 500 * MS);
		drm_run_next(&r);
		drm_run_next(&r);
		assert_true(drm_run_value(&r, "DRMFragTime") == (profiling ? 0 : SAMPLE_UNKNOWN));
		assert_true(drm_run_value(&r, "DRMTime") == (profiling ? 500 * MS : SAMPLE_UNKNOWN));
		assert_int_equal(drm_run_value(&r, "DRMClients"), 0);
		drm_run_fini(&r);
	}
}

/* Before Linux 6.7, fdinfo of a node has what every file has, and there is no switch. */
TEST(a_kernel_that_does_not_report_clients_is_not_taken_for_an_idle_one)
{
	static const char *const levels[] = {"GPUMem", "DRMClients", "DRMTime", "DRMFragTime", "DRMVertCy"};

	for (int counts = 0; counts < 2; counts++) {
		AUTO_STRBUF struct strbuf text = {0};
		struct process_gpu gpu = {0};
		struct fake_drm_gpu *drm;
		struct drm_run r;
		unsigned cursor = 0;

		drm = drm_run_init(&r, &backend_panfrost, "panfrost-6.1", 0x74021000, 3);
		drm->unstable = counts;
		r.options.profiling = true;
		drm_run_write(&r, "226:128", "proc/100/fd/5");
		drm_run_write(&r, "pos:\t0\nflags:\t02100002\nmnt_id:\t27\nino:\t410\n", "proc/100/fdinfo/5");
		start_run(&r, 500 * MS);
		drm_run_next(&r);
		drm_run_next(&r);
		for (size_t i = 0; i < ARRAY_LEN(levels); i++)
			if (drm_run_value(&r, levels[i]) != SAMPLE_UNKNOWN)
				fail_msg("%s is known", levels[i]);
		assert_non_null(strstr(r.source->note, "--profiling: this kernel has no visible switch "
						       "for it: Linux 6.10 and later have one"));
		assert_null(strstr(r.source->note, "root, or"));
		assert_null(strstr(r.source->note, "No such file"));
		r.backend->describe(r.source, &text);
		assert_null(strstr(text.p, "memory of programs\nlimited: counters"));
		assert_non_null(strstr(text.p, counts ? "gives     the counters of every block\n"
						      : "gives     clock and powered share of the GPU\n"));
		assert_non_null(strstr(text.p, "does not report who uses the GPU"));
		assert_non_null(strstr(text.p, "-> use Linux 6.7 or later\n"));
		process_gpu_refresh(&gpu, &r.fake.sys, 0);
		process_gpu_refresh(&gpu, &r.fake.sys, 1000 * MS);
		assert_true(process_gpu_of(&gpu, 100, &cursor).bytes == SAMPLE_UNKNOWN);
		process_gpu_fini(&gpu);
		drm_run_fini(&r);
	}
}

/* There is no /run for the note of the old value. */
TEST(a_switch_that_refuses_says_why)
{
	struct drm_run r;

	begin_run(&r, false, false);
	r.options.profiling = true;
	start_run(&r, 500 * MS);
	assert_non_null(strstr(r.source->note, "--profiling: cannot turn it on: No such file or directory"));
	assert_null(strstr(r.source->note, "run as root"));
	drm_run_fini(&r);
}

TEST(profiling_that_is_off_is_reported_and_is_no_zero)
{
	AUTO_STRBUF struct strbuf text = {0};
	struct drm_run r;

	begin_run(&r, false, false);
	drm_run_client(&r, 100, 5, 128, "panfrost", 1, "drm-maxfreq-fragment:\t800000000 Hz\n");
	start_run(&r, 500 * MS);
	assert_non_null(strstr(r.source->note, "profiling is off"));
	assert_non_null(strstr(r.source->note, "echo 1 | sudo tee /" PROFILING));
	drm_run_next(&r);
	drm_run_next(&r);
	assert_true(drm_run_value(&r, "DRMFragTime") == SAMPLE_UNKNOWN);
	r.backend->describe(r.source, &text);
	assert_non_null(strstr(text.p, "limited: profiling: off"));
	drm_run_fini(&r);
}

TEST(a_sleeping_gpu_is_not_woken_and_has_no_clock)
{
	struct drm_run r;

	begin_run(&r, false, true);
	drm_run_write(&r, "suspended\n", STATUS);
	start_run(&r, 500 * MS);
	for (int i = 0; i < 20; i++)
		drm_run_next(&r);
	assert_true(drm_run_value(&r, "GPUClockCy") == SAMPLE_UNKNOWN);
	assert_int_equal(r.fake.drm.gpus[0].n_wakes, 0);
	assert_int_equal(r.fake.drm.gpus[0].n_enables, 0);
	drm_run_fini(&r);
}

TEST(the_powered_share_is_what_the_kernel_counted)
{
	struct drm_run r;

	begin_run(&r, false, true);
	drm_run_write(&r, "5000\n", POWERED);
	start_run(&r, 500 * MS);
	drm_run_next(&r);
	drm_run_write(&r, "5125\n", POWERED);
	drm_run_next(&r);
	assert_int_equal(drm_run_value(&r, "GPUPoweredTime"), 125 * MS);
	assert_int_equal(drm_run_value(&r, "GPUPoweredOf"), 500 * MS);
	drm_run_write(&r, "0\n", POWERED); /* the driver was loaded again */
	drm_run_next(&r);
	assert_true(drm_run_value(&r, "GPUPoweredTime") == SAMPLE_UNKNOWN);
	assert_true(drm_run_value(&r, "GPUPoweredOf") == SAMPLE_UNKNOWN);
	drm_run_fini(&r);
}

/* Clients are read less often than counters: samples in between have their share of the last
 * read. */
TEST(beside_counters_each_sample_has_its_share)
{
	struct drm_run r;

	begin_run(&r, true, true);
	put_client(&r, 100, 1, 0, 0);
	start_run(&r, 100 * MS);
	drm_run_next(&r);
	put_client(&r, 100, 1, 250, 0);
	for (int i = 0; i < 5; i++)
		drm_run_next(&r);
	for (int i = 0; i < 4; i++) {
		uint64_t time_ns = drm_run_value(&r, "DRMTime");

		assert_in_range(time_ns, 95 * MS, 105 * MS);
		assert_in_range(drm_run_value(&r, "DRMFragTime") * 1000 / time_ns, 495, 505);
		drm_run_next(&r);
	}
	drm_run_fini(&r);
}

/* The sampler is late now and then, and then early against its last look. */
TEST(a_sample_that_comes_early_has_its_times)
{
	struct drm_run r;

	begin_run(&r, false, true);
	put_client(&r, 100, 1, 1000, 500);
	start_run(&r, 500 * MS);
	drm_run_next(&r);
	for (int i = 0; i < 10; i++) {
		fake_sys_run(&r.fake, i % 2 ? 0 : 510 * MS);
		drm_run_next(&r);
		assert_in_range(drm_run_value(&r, "DRMTime"), 480 * MS, 520 * MS);
	}
	drm_run_fini(&r);
}

/* The files of a GPU that is always on, with three programs that have a queue busy half the time
 * each. To look through proc takes time, now more, now less. */
static void live_files(void *run, bool open)
{
	static const int late_us[] = {300, 20000, 0, 7000, 100, 45000, 900};
	static unsigned turn;
	struct drm_run *r = run;
	AUTOFREE char *ms = NULL;

	fake_sys_run(&r->fake, open ? late_us[turn++ % ARRAY_LEN(late_us)] * 250ll : 50000);
	ms = xasprintf("%lld\n", (long long)(r->fake.now_ns / MS));
	drm_run_write(r, ms, POWERED);
	for (int i = 0; i < 3; i++) {
		AUTOFREE char *text =
			xasprintf("drm-engine-fragment:\t%lld ns\n", (long long)(r->fake.now_ns / 2));

		drm_run_client(r, 100 + i, 5, 128, "panfrost", 1 + (unsigned)i, text);
	}
}

TEST(each_file_is_timed_when_it_is_read)
{
	static const int64_t periods[] = {500 * MS, 1000 * MS, 100 * MS};

	for (size_t i = 0; i < 2 * ARRAY_LEN(periods); i++) {
		double powered = 0, powered_of = 0;
		struct drm_run r;

		begin_run(&r, i % 2, true);
		live_files(&r, false);
		start_run(&r, periods[i / 2]);
		r.fake.file = live_files;
		r.fake.file_ctx = &r;
		for (int n = 0; n < 8; n++)
			drm_run_next(&r);
		for (int n = 0; n < 100; n++) {
			double of_ns, own_ns;

			drm_run_next(&r);
			of_ns = (double)drm_run_value(&r, "DRMTime");
			own_ns = (double)drm_run_value(&r, "DRMFragTime");
			if (own_ns / of_ns < 1.49 || own_ns / of_ns > 1.51)
				fail_msg("case %zu: %f of 1.5", i, own_ns / of_ns);
			of_ns = (double)drm_run_value(&r, "GPUPoweredOf");
			own_ns = (double)drm_run_value(&r, "GPUPoweredTime");
			assert_true(own_ns <= of_ns && own_ns > 0.99 * of_ns);
			powered += own_ns;
			powered_of += of_ns;
		}
		if (powered / powered_of < 0.9999) /* errors of both signs even out */
			fail_msg("case %zu: powered %f", i, powered / powered_of);
		drm_run_fini(&r);
	}
}

/* The list of processes has no file of the node open, and goes on with the new one. */
TEST(programs_are_read_from_the_node_that_is_there)
{
	struct process_gpu gpu = {0};
	struct drm_run r;
	unsigned cursor = 0;

	begin_run(&r, true, true);
	put_client(&r, 100, 1, 1000, 500);
	process_gpu_refresh(&gpu, &r.fake.sys, 0);
	assert_int_equal(process_gpu_of(&gpu, 100, &cursor).bytes, 2 << 20);
	drm_run_unbind(&r);
	for (int s = 1; s <= 20; s++)
		process_gpu_refresh(&gpu, &r.fake.sys, s * 1000 * MS);
	cursor = 0;
	assert_true(process_gpu_of(&gpu, 100, &cursor).bytes == SAMPLE_UNKNOWN);
	drm_run_add(&r, "panfrost-6.10", 0x74021000, 3);
	drm_run_client(&r, 200, 5, 129, "panfrost", 1, "drm-resident-memory:\t4 MiB\n");
	for (int s = 21; s <= 40; s++)
		process_gpu_refresh(&gpu, &r.fake.sys, s * 1000 * MS);
	cursor = 0;
	assert_int_equal(process_gpu_of(&gpu, 200, &cursor).bytes, 4 << 20);
	process_gpu_fini(&gpu);
	drm_run_fini(&r);
}
