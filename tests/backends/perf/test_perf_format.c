#include "backends/perf/perf_name.h"

#include "base/alloc.h"
#include "tests/support/test.h"

#include <string.h>

TEST(values_lie_where_the_format_says)
{
	static const struct {
		const char *format;
		uint64_t value, config, config1, config2;
	} cases[] = {
		{"config:0-15\n", 0x11, 0x11, 0, 0},
		{"config:8-15", 0x2, 0x200, 0, 0},
		{"config:0-7,32-35", 0x3c0 | 0x3c, 0x3000000fc, 0, 0},
		{"config:0-7,32-35", 0xfff, 0xf000000ff, 0, 0},
		{"config1:0", 1, 0, 1, 0},
		{"config2:63", 1, 0, 0, (uint64_t)1 << 63},
		{"config:0-63", UINT64_MAX, UINT64_MAX, 0, 0},
		{"config1:32-63,0-31", 0x1122334455667788, 0, 0x5566778811223344, 0},
		{"config:23", 0, 0, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct perf_event event = {0};

		assert_true(perf_format_put(&event, span_of(cases[i].format), cases[i].value, NULL));
		assert_true(event.config == cases[i].config);
		assert_true(event.config1 == cases[i].config1);
		assert_true(event.config2 == cases[i].config2);
	}
}

TEST(the_last_value_counts_and_its_neighbours_stay)
{
	struct perf_event event = {.config = 0xabcd};

	assert_true(perf_format_put(&event, SPAN_LIT("config:4-11"), 0xff, NULL));
	assert_true(perf_format_put(&event, SPAN_LIT("config:4-11"), 0x12, NULL));
	assert_true(event.config == 0xa12d);
}

TEST(what_does_not_fit_or_is_no_format_is_refused)
{
	static const struct {
		const char *format;
		uint64_t value;
		const char *says;
	} cases[] = {
		{"config:0-7", 0x100, "0x100 is too big: it has 8 bits"},
		{"config1:5", 2, "0x2 is too big: it has 1 bit"},
		{"config:0-7,32-35", 0x1000, "it has 12 bits"},
		{"", 1, "unknown format"},
		{"\n", 1, "unknown format"},
		{"config", 1, "unknown format"},
		{"config:", 1, "unknown format"},
		{"config3:0-7", 1, "\"config3:0-7\""},
		{"config:64", 1, "unknown format"},
		{"config:7-0", 1, "unknown format"},
		{"config:0-99999999999999999999", 1, "unknown format"},
		{"config:0-", 1, "unknown format"},
		{"config:-3", 1, "unknown format"},
		{"config:0-3-5", 1, "unknown format"},
		{"config:0-3,", 16, "too big"},
		{"config:,0-3", 1, "unknown format"},
		{"\033[2J:1", 1, "\"?[2J:1\""},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct perf_event event = {.config = 7, .config1 = 8, .config2 = 9};
		struct err err = {0};

		assert_false(perf_format_put(&event, span_of(cases[i].format), cases[i].value, &err));
		assert_non_null(strstr(err.text, cases[i].says));
		assert_true(event.config == 7 && event.config1 == 8 && event.config2 == 9);
	}
}
