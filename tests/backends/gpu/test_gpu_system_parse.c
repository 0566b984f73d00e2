#include "tests/support/gpu_bench.h"

#include "backends/gpu/gpu_system.h"

/* The level that one more file gives a machine which has nothing but a device. */
static uint64_t level_of(const char *path, const char *text, enum gpu_system_thing thing)
{
	struct gpu_bench b;
	uint64_t v;

	bench_init(&b, NULL);
	fixture_write(&b.f, path, text);
	gpu_system_open(&b.g, &b.f.sys, 0);
	v = level(&b, thing);
	bench_close(&b);
	return v;
}

TEST(clocks_are_known_by_their_magnitude)
{
	static const struct {
		const char *text;
		uint64_t hz;
	} cases[] = {
		{"848", 848000000},
		{"848000\n", 848000000},
		{"848000000\n", 848000000},
		{"10\n", 10000000},
		{"3000\n", 3000000000},
		{"10000\n", 10000000},
		{"3000000\n", 3000000000},
		{"10000000\n", 10000000},
		{"3000000000\n", 3000000000},
		{"9\n", UNKNOWN},
		{"3001\n", UNKNOWN},
		{"9999\n", UNKNOWN},
		{"3000001\n", UNKNOWN},
		{"9999999\n", UNKNOWN},
		{"3000000001\n", UNKNOWN},
		{"0\n", UNKNOWN},
		{"-848\n", UNKNOWN},
		{"848 MHz\n", UNKNOWN},
		{"848.5\n", UNKNOWN},
		{"", UNKNOWN},
		{"\n", UNKNOWN},
		{"9223372036854775808\n", UNKNOWN},
		{"99999999999999999999999\n", UNKNOWN},
		{"\x01\x02\xff\n", UNKNOWN},
		{"Current clk mali[G3D] = 533Mhz\n", UNKNOWN},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_true(level_of(DEVICE "clock", cases[i].text, GPU_SYSTEM_CLOCK) == cases[i].hz);
}

TEST(the_clock_of_mediatek_stands_behind_its_index)
{
	static const struct {
		const char *text;
		uint64_t hz;
	} cases[] = {{"12 545000\n", 545000000}, {"0 0\n", UNKNOWN},         {"545000\n", UNKNOWN},
		     {"12 -1\n", UNKNOWN},       {"12 545000 1\n", UNKNOWN}, {"x 545000\n", UNKNOWN}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_true(level_of("sys/kernel/ged/hal/current_freqency", cases[i].text,
				     GPU_SYSTEM_CLOCK) == cases[i].hz);
}

TEST(percentages_come_with_what_follows_them)
{
	static const struct {
		const char *text;
		uint64_t percent;
	} cases[] = {
		{"37", 37},         {" 37%\n", 37},      {"0@300000000Hz\n", 0},
		{"100\n", 100},     {"37 0 63\n", 37},   {"101\n", UNKNOWN},
		{"-1\n", UNKNOWN},  {"37.5\n", UNKNOWN}, {"0x11\n", UNKNOWN},
		{"37x\n", UNKNOWN}, {"%\n", UNKNOWN},    {"@3Hz\n", UNKNOWN},
		{"", UNKNOWN},      {"busy\n", UNKNOWN}, {"18446744073709551653\n", UNKNOWN},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_true(level_of(DEVICE "utilization", cases[i].text, GPU_SYSTEM_UTILIZATION) ==
			    cases[i].percent);
}

TEST(the_top_clock_is_the_greatest_of_the_list_else_the_limit)
{
	static const struct {
		const char *list, *limit;
		uint64_t hz;
	} cases[] = {
		{"200000000 800000000 400000000\n", "600000000\n", 800000000},
		{"200000000\n800000000\n", "600000000\n", 800000000},
		{"200000000 fast\n", "600000000\n", 600000000},
		{"\n", "600000000\n", 600000000},
		{"0\n", "0\n", UNKNOWN},
		{"1 2 3\n", "4\n", UNKNOWN},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct gpu_bench b;

		bench_init(&b, NULL);
		fixture_write(&b.f, DEVFREQ "available_frequencies", cases[i].list);
		fixture_write(&b.f, DEVFREQ "max_freq", cases[i].limit);
		gpu_system_open(&b.g, &b.f.sys, 0);
		assert_true(b.g.top_hz == cases[i].hz);
		bench_close(&b);
	}
}

TEST(endless_files_are_not_believed)
{
	enum { SIZE = 100000 };
	AUTOFREE char *text = xmalloc(SIZE);

	memset(text, '1', SIZE - 1);
	text[SIZE - 1] = 0;
	assert_true(level_of(DEVICE "clock", text, GPU_SYSTEM_CLOCK) == UNKNOWN);
	assert_true(level_of(DEVICE "utilization", text, GPU_SYSTEM_UTILIZATION) == UNKNOWN);
	assert_true(level_of(DEVICE "total_gpu_mem", text, GPU_SYSTEM_MEMORY) == UNKNOWN);
	assert_true(level_of(DEVICE "gpu_memory", text, GPU_SYSTEM_MEMORY) == UNKNOWN);
	assert_true(level_of(DEBUG "dvfs_utilization", text, GPU_SYSTEM_UTILIZATION) == UNKNOWN);
	memset(text, '\n', SIZE - 1);
	memcpy(text, "848000000", 9);
	assert_int_equal(level_of(DEVICE "clock", text, GPU_SYSTEM_CLOCK), 848000000);
}

/* Two reads, so long apart; the second one's percentage. */
static uint64_t percent_between(const char *first, const char *second, int64_t ms)
{
	struct gpu_bench b;
	uint64_t v;

	bench_init(&b, NULL);
	fixture_write(&b.f, DEBUG "dvfs_utilization", first);
	gpu_system_open(&b.g, &b.f.sys, 0);
	assert_true(level(&b, GPU_SYSTEM_UTILIZATION) == UNKNOWN); /* one moment tells nothing */
	b.f.monotonic_ns += ms * MS;
	fixture_write(&b.f, DEBUG "dvfs_utilization", second);
	v = level(&b, GPU_SYSTEM_UTILIZATION);
	bench_close(&b);
	return v;
}

TEST(counts_of_busy_time_grow_or_are_of_the_drivers_interval)
{
	/* In steps of 256 ns: 3906250 are a second, 390625 the usual 100 ms of a driver. */
	static const struct {
		const char *first, *second;
		int64_t ms;
		uint64_t percent;
	} cases[] = {
		{"busy_time: 1203345 idle_time: 40221118 protm_time: 0\n",
		 "busy_time: 4718970 idle_time: 40611743 protm_time: 0\n", 1000, 90},
		{"busy_time: 0 idle_time: 0\n", "busy_time: 0 idle_time: 3906250\n", 1000, 0},
		{"busy_time: 9 idle_time: 9\n", "busy_time: 3906259 idle_time: 9\n", 1000, 100},
		/* over the end of 32 bits */
		{"busy_time: 4294967290 idle_time: 7\n", "busy_time: 1953119 idle_time: 1953132\n", 1000, 50},
		/* those of the last interval, as later drivers show them */
		{"busy_time: 300000 idle_time: 90625\n", "busy_time: 100000 idle_time: 300000\n", 1000, 25},
		{"busy_time: 1 idle_time: 390624\n", "busy_time: 2 idle_time: 390623\n", 1000, 0},
		/* a jump that is neither */
		{"busy_time: 100000000 idle_time: 9\n", "busy_time: 200000000 idle_time: 9\n", 1000, UNKNOWN},
		{"busy_time: 5 idle_time: 5\n", "busy_time: 0 idle_time: 0\n", 1000, UNKNOWN},
		/* a driver that sleeps */
		{"busy_time: 9 idle_time: 9\n", "busy_time: 9 idle_time: 9\n", 1000, UNKNOWN},
		/* more behind, less, garbage */
		{"busy_time: 0 idle_time: 0\n", "busy_time: 976562 idle_time: 2929688\ntiler_busy_time: 1\n",
		 1000, 25},
		{"busy_time: 0 idle_time: 0\n", "busy_time: 976562\n", 1000, UNKNOWN},
		{"busy_time: 0 idle_time: 0\n", "busy_time: 976562 idle_time: -1\n", 1000, UNKNOWN},
		{"busy_time: 0 idle_time: 0\n", "busy_time: 976562 idle_time: 99999999999\n", 1000, UNKNOWN},
		{"busy_time: 0 idle_time: 0\n", "", 1000, UNKNOWN},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_true(percent_between(cases[i].first, cases[i].second, cases[i].ms) ==
			    cases[i].percent);
}

TEST(time_in_which_the_driver_slept_does_not_spoil_its_counts)
{
	struct gpu_bench b;

	bench_init(&b, NULL);
	fixture_write(&b.f, DEBUG "dvfs_utilization", "busy_time: 80000000 idle_time: 20000000\n");
	gpu_system_open(&b.g, &b.f.sys, 0);
	for (int i = 0; i < 3; i++) {
		b.f.monotonic_ns += 1000 * MS;
		assert_true(level(&b, GPU_SYSTEM_UTILIZATION) == UNKNOWN);
	}
	b.f.monotonic_ns += 1000 * MS; /* four seconds: one busy */
	fixture_write(&b.f, DEBUG "dvfs_utilization", "busy_time: 83906250 idle_time: 31718750\n");
	assert_int_equal(level(&b, GPU_SYSTEM_UTILIZATION), 25);
	bench_close(&b);
}

TEST(memory_is_the_line_of_the_device_in_pages)
{
	static const struct {
		const char *text;
		uint64_t pages;
	} cases[] = {
		{"mali0                    1234\n", 1234},
		{"mali0 0\n", 0},
		{"mali0 1234", 1234}, /* no newline */
		{"mali0            total used_pages      18117\n", 18117},
		{"global-pool 5\nmali0 7\nxreclaimable 9\n", 7},
		{"mali1 5\nmali0 7\n", 7},
		{"mali1 5\n", UNKNOWN},
		{"mali 5\n", UNKNOWN},
		{"mali0 -5\n", UNKNOWN},
		{"mali0\n", UNKNOWN},
		{"mali0 total 5\n", UNKNOWN},
		{"mali0 lots\n", UNKNOWN},
		{"mali0 18446744073709551615\n", UNKNOWN},
		{"mali0 9999999999999999999999\n", UNKNOWN},
		{"\xff\xfe\x01\n", UNKNOWN},
		{"\n\n\n", UNKNOWN},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE),
			 want = cases[i].pages == UNKNOWN ? UNKNOWN : cases[i].pages * page;

		assert_true(level_of(DEBUG "gpu_memory", cases[i].text, GPU_SYSTEM_MEMORY) == want);
		assert_true(level_of(DEVICE "gpu_memory", cases[i].text, GPU_SYSTEM_MEMORY) == want);
	}
}

TEST(a_number_behind_a_zero_byte_is_no_number)
{
	struct gpu_system g = {.page_bytes = 4096};
	uint64_t v;

	assert_int_equal(gpu_system_parse_clock(&g, SPAN_LIT("848\0"), &v), ANSWER_STRANGE);
	assert_int_equal(gpu_system_parse_percent(&g, SPAN_LIT("37\0"), &v), ANSWER_STRANGE);
	assert_int_equal(gpu_system_parse_bytes(&g, SPAN_LIT("37\0"), &v), ANSWER_STRANGE);
	assert_int_equal(gpu_system_parse_table(&g, SPAN_LIT("mali0 37\0"), &v), ANSWER_STRANGE);
}

TEST(lines_that_do_not_fit_are_left_out)
{
	static const struct {
		const char *text;
		size_t size;
		const char *lines;
	} cases[] = {{"ab\ncd\n", 7, "ab\ncd\n"},
		     {"ab\ncd", 7, "ab\ncd"},
		     {"ab\ncd", 6, "ab\n"},
		     {"abcd", 5, ""},
		     {"", 5, ""}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct span got =
			gpu_system_lines(cases[i].text, (ssize_t)strlen(cases[i].text), cases[i].size);

		assert_true(span_is(got, cases[i].lines));
	}
	assert_int_equal(gpu_system_lines("x", -1, 5).n, 0);
}
