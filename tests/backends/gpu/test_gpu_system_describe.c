#include "tests/support/gpu_bench.h"

static char *said(void (*say)(const struct gpu_system *, struct strbuf *), const struct gpu_bench *b)
{
	struct strbuf text = {0};

	say(&b->g, &text);
	return text.p ? text.p : xstrdup("");
}

static void assert_said(void (*say)(const struct gpu_system *, struct strbuf *), const struct gpu_bench *b,
			const char *want)
{
	AUTOFREE char *got = said(say, b);

	assert_string_equal(got, want);
}

TEST(processes_are_named_the_greatest_first)
{
	static const struct {
		const char *board;
		const char *line;
	} cases[] = {
		{"pixel-g710", "GPU memory 770 MB: com.studio.game 432 MB, surfaceflinger 101 MB"},
		{"amlogic-g31", "GPU memory 74.2 MB: glmark2-es2 71.8 MB, pid 30255 1.72 MB, w?ston 696 kB"},
		{"rk3588", "GPU memory 187 MB"},
		{"phone-4-3-1", ""},
		{"bare", ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct gpu_bench b;

		bench_open(&b, cases[i].board);
		b.g.page_bytes = 4096;
		fixture_write(&b.f, "proc/4711/comm", "com.studio.game\n"); /* 15: perhaps cut */
		fixture_write(&b.f, "proc/812/comm", "surfaceflinger\n");
		fixture_write(&b.f, "proc/30455/comm", "glmark2-es2\n");
		fixture_write(&b.f, "proc/30434/comm", "w\x1bston\n");
		assert_said(gpu_system_processes, &b, cases[i].line);
		bench_close(&b);
	}
}

TEST(a_name_that_the_kernel_cut_is_taken_from_the_command_line)
{
	static const struct {
		const char *comm, *cmdline, *name;
	} cases[] = {
		{"dio.bigger.game\n", "com.studio.bigger.game", "com.studio.bigger.game"},
		{"surfaceflinger-\n", "/system/bin/surfaceflinger-vendor --x /y", "surfaceflinger-vendor"},
		{"fifteen-letters\n", "/usr/bin/python3 x.py", "fifteen-letters"},
		{"fifteen-letters\n", "", "fifteen-letters"},
		{"fifteen-letters\n", "/opt/my fifteen-letters/bin/fifteen-letters-more",
		 "fifteen-letters-more"},
		{"short\n", "/usr/bin/else", "short"},
		{"", "/usr/bin/else", "pid 4711"},
		{"\n", "x", "pid 4711"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *want =
			xasprintf("GPU memory 770 MB: %s 432 MB, pid 812 101 MB", cases[i].name);
		struct gpu_bench b;

		bench_open(&b, "pixel-g710");
		fixture_write(&b.f, "proc/4711/comm", cases[i].comm);
		fixture_write(&b.f, "proc/4711/cmdline", cases[i].cmdline);
		assert_said(gpu_system_processes, &b, want);
		bench_close(&b);
	}
}

TEST(contexts_of_a_process_add_up)
{
	AUTOFREE struct gpu_system_process *list = NULL;
	struct gpu_bench b;

	bench_open(&b, "amlogic-g31");
	assert_int_equal(gpu_system_process_list(&b.g, &list), 3);
	assert_int_equal(list[0].pid, 30455);
	assert_int_equal(list[0].bytes, 17528 * b.g.page_bytes);
	assert_int_equal(list[1].pid, 30255);
	assert_int_equal(list[2].pid, 30434);
	bench_close(&b);
}

TEST(contexts_that_exceed_their_device_are_not_believed)
{
	static const char head[] = "kctx pid used_pages\n";
	static const struct {
		const char *text;
		int n; /* -1: nobody tells */
	} cases[] = {
		{"mali0 total used_pages 100\n%s0a 11 60\n0b 12 40\n", 2},
		{"mali0 total used_pages 100\n%s0a 11 60\n0b 12 50\n", 2}, /* grown between two lines */
		{"mali0 total used_pages 100\n%s0a 11 6000\n0b 12 50\n", -1},
		{"mali0 total used_pages 0\n%s0a 11 1\n", -1},
		{"mali0 total used_pages 100\n%s0a 0 60\n0b -3 40\n0c 99999999999 5\n0d x 5\n0e 7 x\n0f\n",
		 0},
		{"mali1 total used_pages 100\n%s0a 11 60\nmali0 total used_pages 50\n0b 12 40\n", 1},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *middle = strstr(cases[i].text, "%s"), text[256];
		AUTOFREE struct gpu_system_process *list = NULL;
		struct gpu_bench b;

		snprintf(text, sizeof(text), "%.*s%s%s", (int)(middle - cases[i].text), cases[i].text, head,
			 middle + 2);
		bench_init(&b, NULL);
		fixture_write(&b.f, DEVICE "gpu_memory", text);
		gpu_system_open(&b.g, &b.f.sys, 0);
		assert_int_equal(gpu_system_process_list(&b.g, &list), cases[i].n);
		bench_close(&b);
	}
}

TEST(directories_that_are_no_processes_are_left_out)
{
	static const char *const dirs[] = {"0", "-4", "self", "99999999999", "18446744073709551616", "0x"};
	static const char *const texts[] = {"-5\n", "lots\n", "", "9223372036854775808\n"};
	AUTOFREE struct gpu_system_process *list = NULL;
	char path[128];
	struct gpu_bench b;

	bench_open(&b, "pixel-g710");
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
		snprintf(path, sizeof(path), DEVICE "kprcs/%s/total_gpu_mem", dirs[i]);
		fixture_write(&b.f, path, "999999999\n");
	}
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		snprintf(path, sizeof(path), DEVICE "kprcs/%zu/total_gpu_mem", i + 20);
		fixture_write(&b.f, path, texts[i]);
	}
	assert_int_equal(gpu_system_process_list(&b.g, &list), 7);
	for (int i = 0; i < 7; i++) /* those with strange texts are unknown, and last */
		assert_true((list[i].bytes == UNKNOWN) == (i >= 3));
	bench_close(&b);
}

/* Contexts of r54: its table of pages has no pids. */
TEST(memory_of_contexts_is_what_their_programs_report)
{
	static const struct {
		const char *dir, *text; /* NULL: no such file */
	} contexts[] = {
		{"812_3", "surfaceflinger\nChannel: Tiler (Total memory: 5)\n\t4: 1 (4)\n"
			  "Total allocated GPU memory: 101000000\nTotal allocated memory: 7\n\n"},
		{"4711_5", "com.studio.game\nTotal allocated memory: 400000000\n\n"},
		{"4711_6", "com.studio.game\nTotal allocated memory: 32013312\n\n"},
		{"1_1", "idle\nTotal allocated memory: 0\n\n"},
		{"20_2", NULL},
		{"21_2", "Channel: Tiler (Total memory: 5)\n"},
		{"22_1", "Total allocated memory: 5\n"},
		{"22_2", "Total allocated memory: lots\n"},
		{"23_2", "Total allocated memory: -5\n"},
		{"24_2", "Total allocated memory: 99999999999999999999\n"},
		{"25_2", "Total allocated memory: 5\nTotal allocated GPU memory: x\n"},
		{"defaults", "Total allocated memory: 5\n"},
		{"0_1", "Total allocated memory: 5\n"},
		{"26_", "Total allocated memory: 5\n"},
		{"27_x", "Total allocated memory: 5\n"},
		{"-28_1", "Total allocated memory: 5\n"},
		{"99999999999_1", "Total allocated memory: 5\n"},
	};
	static const struct gpu_system_process want[] = {{4711, 432013312}, {812, 101000000}, {1, 0},
							 {20, UNKNOWN},     {21, UNKNOWN},    {22, UNKNOWN},
							 {23, UNKNOWN},     {24, UNKNOWN},    {25, UNKNOWN}};
	AUTOFREE struct gpu_system_process *list = NULL;
	struct gpu_bench b;
	char path[128];

	bench_init(&b, NULL);
	fixture_write(&b.f, DEBUG "gpu_memory", "mali0 300000\n  kctx-0x00000000a0c016f1 300000\n");
	for (size_t i = 0; i < ARRAY_LEN(contexts); i++) {
		snprintf(path, sizeof(path), DEBUG "ctx/%s/%s", contexts[i].dir,
			 contexts[i].text ? "mem_profile" : "mem_view");
		fixture_write(&b.f, path, contexts[i].text ? contexts[i].text : "\n");
	}
	gpu_system_open(&b.g, &b.f.sys, 0);
	assert_int_equal(gpu_system_process_list(&b.g, &list), ARRAY_LEN(want));
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		assert_int_equal(list[i].pid, want[i].pid);
		assert_true(list[i].bytes == want[i].bytes);
	}
	assert_said(gpu_system_processes, &b, "GPU memory 1.23 GB: pid 4711 432 MB, pid 812 101 MB");
	{
		AUTOFREE char *text = said(gpu_system_describe, &b);

		assert_non_null(strstr(text, "GPU memory per process: /sys/kernel/debug/mali0/ctx\n"));
	}
	bench_close(&b);
}

/* Who has a context is known without its memory; nothing is used where there is no context. */
TEST(a_context_of_unknown_memory_is_one)
{
	static const struct {
		const char *path, *refused;
		int n;
	} cases[] = {
		{"ctx/defaults/infinite_cache", NULL, 0},
		{"ctx/4711_5/mem_view", NULL, 1},
		{"ctx/4711_5/mem_profile", "mem_profile", 1},
		{"ctx/4711_5/mem_profile", "mali0/ctx", -1},
		{"gpu_memory", NULL, -1},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE struct gpu_system_process *list = NULL;
		struct gpu_bench b;
		char path[128];

		bench_init(&b, NULL);
		snprintf(path, sizeof(path), DEBUG "%s", cases[i].path);
		fixture_write(&b.f, path, "Total allocated memory: 5\n");
		b.refused = cases[i].refused;
		gpu_system_open(&b.g, &b.f.sys, 0);
		assert_int_equal(gpu_system_process_list(&b.g, &list), cases[i].n);
		bench_close(&b);
	}
}

/* As much as the driver lets a program write is read; more is not believed. */
TEST(long_reports_are_read_to_their_end)
{
	AUTOFREE struct gpu_system_process *list = NULL;
	static char text[55080 + 1], huge[70000 + 1];
	static const char total[] = "\nTotal allocated memory: 4096\n";
	struct gpu_bench b;

	memset(text, 'x', sizeof(text) - 1);
	memcpy(text + sizeof(text) - sizeof(total), total, sizeof(total));
	memset(huge, 'x', sizeof(huge) - 1);
	memcpy(huge + sizeof(huge) - sizeof(total), total, sizeof(total));
	bench_init(&b, NULL);
	fixture_write(&b.f, DEBUG "ctx/11_1/mem_profile", text);
	fixture_write(&b.f, DEBUG "ctx/12_1/mem_profile", huge);
	gpu_system_open(&b.g, &b.f.sys, 0);
	assert_int_equal(gpu_system_process_list(&b.g, &list), 2);
	assert_int_equal(list[0].pid, 11);
	assert_int_equal(list[0].bytes, 4096);
	assert_true(list[1].bytes == UNKNOWN);
	bench_close(&b);
}

TEST(the_description_says_which_file_has_what)
{
	struct gpu_bench b;

	bench_open(&b, "rk3588");
	assert_said(
		gpu_system_describe, &b,
		"temperature: /sys/class/thermal/thermal_zone5/temp\n"
		"clock: /sys/class/devfreq/fb000000.gpu/cur_freq\n"
		"top clock: /sys/class/devfreq/fb000000.gpu/available_frequencies\n"
		"power state: /sys/class/misc/mali0/device/power/runtime_status\n"
		"driver's own utilization: /sys/class/devfreq/fb000000.gpu/load\n"
		"GPU memory: /sys/kernel/debug/mali0/gpu_memory\n"
		"missing: this machine has no file for: GPU memory per process, GPU time per application\n");
	bench_close(&b);
}

TEST(settings_of_the_driver_are_shown_printable_and_cut)
{
	char huge[4096];
	struct gpu_bench b;

	memset(huge, 'x', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = 0;
	bench_open(&b, "bare");
	fixture_write(&b.f, "sys/class/misc/mali0/device/power_policy", "[coarse_demand] always_on\n");
	fixture_write(&b.f, "sys/class/misc/mali0/device/core_mask",
		      "Current : 0x5\nAvailable : 0x\x1b[7m7\n");
	fixture_write(&b.f, "sys/class/misc/mali0/device/js_scheduling_period", "\n");
	fixture_write(&b.f, "sys/class/misc/mali0/device/csg_scheduling_period", huge);
	{
		AUTOFREE char *got = said(gpu_system_describe, &b);

		assert_non_null(strstr(got, "power policy: [coarse_demand] always_on\n"));
		assert_non_null(strstr(got, "core mask: Current : 0x5;Available : 0x?[7m7\n"));
		assert_non_null(strstr(got, "\nscheduling period, ms: xxx"));
		assert_null(strchr(got, '\x1b'));
		assert_true(strlen(got) < 1000);
	}
	bench_close(&b);
}

TEST(the_description_says_what_was_refused_and_what_would_help)
{
	static const struct {
		const char *refused;
		int error;
		const char *line;
	} cases[] = {
		{"kernel/debug", EACCES,
		 "GPU memory: /sys/kernel/debug/mali0/gpu_memory: Permission denied: run as root: sudo "
		 "malitop (Android: adb "
		 "root)\n"},
		{"load", EPERM,
		 "driver's own utilization: /sys/class/devfreq/fb000000.gpu/load: Operation not permitted: "
		 "run as root: sudo "},
		{"load", ENOENT, "driver's own utilization: /sys/kernel/debug/mali0/dvfs_utilization\n"},
		{"kernel/debug", ENOENT,
		 "missing: this machine has no file for: GPU memory, GPU memory per process, GPU time per "
		 "application\n"},
		{"thermal", EACCES, "missing: this machine has no file for: temperature, "},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct gpu_bench b;
		AUTOFREE char *text = NULL;

		bench_init(&b, "rk3588");
		if (cases[i].error == EPERM)
			fixture_remove(&b.f, DEBUG "dvfs_utilization");
		b.refused = cases[i].refused;
		b.refused_errno = cases[i].error;
		gpu_system_open(&b.g, &b.f.sys, 0);
		text = said(gpu_system_describe, &b);
		if (!strstr(text, cases[i].line))
			fail_msg("'%s' is not in\n%s", cases[i].line, text);
		bench_close(&b);
	}
}

TEST(a_directory_of_processes_may_be_refused_too)
{
	AUTOFREE struct gpu_system_process *list = NULL;
	AUTOFREE char *text = NULL;
	struct gpu_bench b;

	bench_init(&b, "pixel-g710");
	b.refused = "kprcs";
	gpu_system_open(&b.g, &b.f.sys, 0);
	text = said(gpu_system_describe, &b);
	assert_non_null(strstr(text, "GPU memory per process: /sys/class/misc/mali0/device/kprcs: Permission "
				     "denied: run as root"));
	assert_int_equal(gpu_system_process_list(&b.g, &list), -1);
	assert_said(gpu_system_processes, &b, "GPU memory 770 MB");
	bench_close(&b);
}

TEST(debugfs_that_is_not_mounted_is_pointed_out)
{
	AUTOFREE char *text = NULL;
	struct gpu_bench b;

	bench_init(&b, "rk3588");
	fixture_remove(&b.f, "sys/kernel/debug/mali0");
	gpu_system_open(&b.g, &b.f.sys, 0);
	text = said(gpu_system_describe, &b);
	assert_non_null(strstr(text, "mount -t debugfs none /sys/kernel/debug\n"));
	bench_close(&b);
}

TEST(names_of_files_are_shown_without_control_characters)
{
	AUTOFREE char *text = NULL;
	struct gpu_bench b;

	bench_init(&b, NULL);
	fixture_write(&b.f, "sys/class/devfreq/\x1b[2J.gpu/cur_freq", "848000000\n");
	gpu_system_open(&b.g, &b.f.sys, 0);
	text = said(gpu_system_describe, &b);
	assert_non_null(strstr(text, "clock: /sys/class/devfreq/?[2J.gpu/cur_freq\n"));
	bench_close(&b);
}

/* Anything at all in every file. */
TEST(noise_is_survived)
{
	static const char *const files[] = {DEVFREQ "cur_freq",
					    DEVFREQ "load",
					    DEVFREQ "available_frequencies",
					    DEVICE "power/runtime_status",
					    DEBUG "gpu_memory",
					    DEBUG "dvfs_utilization",
					    "sys/class/thermal/thermal_zone5/temp",
					    "sys/class/thermal/thermal_zone5/type"};
	static const char alphabet[] = "0123456789 \n-%@xkctmali-pidbusy_time:\x01\xff\xc3";
	uint32_t seed = 1;

	for (int round = 0; round < 300; round++) {
		AUTOFREE struct gpu_system_process *list = NULL;
		AUTOFREE char *text = NULL;
		struct gpu_bench b;

		bench_init(&b, "rk3588");
		for (size_t i = 0; i < ARRAY_LEN(files); i++) {
			char noise[300];
			size_t n = (seed >> 8) % (sizeof(noise) - 1);

			for (size_t k = 0; k < n; k++) {
				seed = seed * 1103515245 + 12345;
				noise[k] = alphabet[(seed >> 16) % (sizeof(alphabet) - 1)];
			}
			noise[n] = 0;
			fixture_write(&b.f, files[i], noise);
			if (round % 8 == (int)i)
				gpu_system_open(&b.g, &b.f.sys, 0);
		}
		for (int i = 0; i < 3; i++) {
			b.f.monotonic_ns += 1000 * MS;
			level(&b, GPU_SYSTEM_CLOCK);
			assert_true(b.values.level[GPU_SYSTEM_UTILIZATION] == UNKNOWN ||
				    b.values.level[GPU_SYSTEM_UTILIZATION] <= 100);
		}
		assert_true(gpu_system_process_list(&b.g, &list) <= 300 / 6);
		text = said(gpu_system_processes, &b);
		bench_close(&b);
	}
}
