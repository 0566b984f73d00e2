#include "base/alloc.h"
#include "base/units.h"
#include "tests/support/test.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct unit *unit(const char *name)
{
	const struct unit *u = unit_find(span_of(name));

	if (!u)
		fail_msg("unit %s", name);
	return u;
}

TEST(values_have_three_significant_digits)
{
	static const struct {
		double value;
		const char *unit;
		bool rate, ascii;
		const char *want;
	} cases[] = {
		{0, "cycles", true, false, "0 cy/s"},
		{1, "cycles", true, false, "1 cy/s"},
		{0.5, "cycles", true, false, "0.50 cy/s"},
		{999, "cycles", false, false, "999 cy"},
		{999.4, "cycles", false, false, "999 cy"},
		{999.6, "cycles", false, false, "1.00 kcy"},
		{1000, "cycles", false, false, "1.00 kcy"},
		{9994, "cycles", false, false, "9.99 kcy"},
		{9996, "cycles", false, false, "10.0 kcy"},
		{99940, "cycles", false, false, "99.9 kcy"},
		{99960, "cycles", false, false, "100 kcy"},
		{999400, "cycles", false, false, "999 kcy"},
		{999600, "cycles", false, false, "1.00 Mcy"},
		{24.1e6, "transactions", true, false, "24.1 M/s"},
		{7.21e9, "bytes", true, false, "7.21 GB/s"},
		{999.6e9, "bytes", true, false, "1.00 TB/s"},
		{999.6e12, "bytes", false, false, "1.00 PB"},
		{999.6e15, "bytes", false, false, "1.00 EB"},
		{18446744073709551615.0, "count", false, false, "18.4 E"},
		{850e6, "hertz", true, false, "850 MHz"},
		{1.4e9, "hertz", true, false, "1.40 GHz"},
		{128, "bits", true, false, "128 bit"},
		{7, "instances", true, false, "7"},
		{97, "percent", true, false, "97.0 %"},
		{99.94, "percent", false, false, "99.9 %"},
		{99.95, "percent", false, false, "100 %"},
		{100, "percent", false, false, "100 %"},
		{0, "percent", false, false, "0.0 %"},
		{0.04, "percent", false, false, "0.0 %"},
		{-0.0, "percent", false, false, "0.0 %"},
		{2.8, "cycles/pixel", true, false, "2.80 cy"},
		{12.345, "ratio", true, false, "12.3"},
		{123.45, "ratio", true, false, "123"},
		{1234.5, "ratio", true, false, "1.23 k"},
		{0.0001, "ratio", false, false, "0.00"},
		{-0.0001, "ratio", false, false, "0.00"},
		{-5e6, "cycles", false, false, "-5.00 Mcy"},
		{NAN, "cycles", true, false, "\xe2\x80\x93"},
		{NAN, "percent", true, false, "\xe2\x80\x93"},
		{NAN, "ratio", false, true, "-"},
		{INFINITY, "bytes", true, true, "-"},
		{-INFINITY, "bytes", true, false, "\xe2\x80\x93"},
	};
	char text[UNITS_TEXT];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		unit_format(text, cases[i].value, unit(cases[i].unit), cases[i].rate, cases[i].ascii);
		if (strcmp(text, cases[i].want) != 0)
			fail_msg("%g %s: '%s', not '%s'", cases[i].value, cases[i].unit, text, cases[i].want);
	}
}

TEST(number_and_unit_come_apart)
{
	char number[UNITS_TEXT], suffix[UNITS_TEXT];

	unit_split(number, suffix, 24.1e6, unit("cycles"), true, false);
	assert_string_equal(number, "24.1");
	assert_string_equal(suffix, "Mcy/s");
	unit_split(number, suffix, NAN, unit("cycles"), true, false);
	assert_string_equal(number, "\xe2\x80\x93");
	assert_string_equal(suffix, "");
}

TEST(no_value_overruns_the_text)
{
	static const double values[] = {
		1.7976931348623157e308, -1.7976931348623157e308, 1e300, 5e-324, 1e30, -1e30};
	static const char *const names[] = {"percent", "coarse quads/fine quad", "bytes/second", "bytes",
					    "bits"};
	char text[UNITS_TEXT];

	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		for (size_t k = 0; k < ARRAY_LEN(names); k++) {
			memset(text, 'x', sizeof(text));
			unit_format(text, values[i], unit(names[k]), true, false);
			assert_non_null(memchr(text, 0, sizeof(text)));
		}
}

TEST(numbers_are_rounded_as_the_c_library_does)
{
	for (int i = 0; i < 200000; i++) {
		/* ties and their neighbours, and any others */
		double tie = (i % 20000) / 8.0, other = ldexp(1 + i * 0x1.9p-18, i % 52 - 11);
		const double values[] = {tie, nextafter(tie, 1e9), nextafter(tie, -1e9), -tie, other};
		char number[UNITS_TEXT], suffix[UNITS_TEXT], want[64];

		for (size_t k = 0; k < ARRAY_LEN(values); k++) {
			double v = fabs(values[k]) < 0.0005 ? 0 : values[k];

			unit_split(number, suffix, v, unit("percent"), false, true);
			snprintf(want, sizeof(want), "%.*f", fabs(v) >= 99.95 ? 0 : 1, v);
			assert_string_equal(number, want);
			if (fabs(v) >= 9.995)
				continue;
			unit_split(number, suffix, v, unit("ratio"), false, true);
			snprintf(want, sizeof(want), "%.2f", v);
			assert_string_equal(number, want);
		}
	}
}

TEST(unknown_units_are_not_found)
{
	static const char *const names[] = {"", "Percent", "percents", "cycle", "bytes/", "%"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		assert_null(unit_find(span_of(names[i])));
}

static void check_shortest(double value)
{
	char text[NUMBER_TEXT], shorter[NUMBER_TEXT];
	size_t digits = 0, point;

	number_shortest(text, value);
	point = strcspn(text, ".");
	if (strtod(text, NULL) != value)
		fail_msg("%a: '%s' reads back as another number", value, text);
	if (text[point] != '.' || strspn(text + point + 1, "0123456789") == 0)
		fail_msg("%a: '%s' has no point", value, text);
	if (strchr(text, 'e') && fabs(value) < 1e21)
		fail_msg("%a: '%s' has an exponent", value, text);
	/* One digit less must not do. */
	for (digits = 17; digits > 1; digits--) {
		snprintf(shorter, sizeof(shorter), "%.*e", (int)digits - 2, value);
		if (strtod(shorter, NULL) != value)
			break;
	}
	for (point = 0; text[point] && text[point] != 'e'; point++)
		digits -= text[point] >= '0' && text[point] <= '9' && digits;
	assert_int_equal(digits, 0);
}

TEST(the_shortest_number_reads_back_to_the_same_double)
{
	uint64_t seed = 88172645463325252u;

	for (unsigned i = 0; i < 30000; i++) {
		double value;

		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		if (i % 3 == 0)
			memcpy(&value, &seed, sizeof(value));
		else
			value = i % 3 == 1 ? (double)(seed >> 40) / 1000 : (double)seed;
		if (isfinite(value) && value != 0)
			check_shortest(value);
	}
}

TEST(the_shortest_number_is_as_people_write_it)
{
	static const struct {
		double value;
		const char *want;
	} cases[] = {
		{0, "0.0"},
		{-0.0, "0.0"},
		{1, "1.0"},
		{-1, "-1.0"},
		{0.1, "0.1"},
		{100, "100.0"},
		{1.5, "1.5"},
		{1.0 / 3, "0.3333333333333333"},
		{0.1 + 0.2, "0.30000000000000004"},
		{1e20, "100000000000000000000.0"},
		{1e21, "1.0e+21"},
		{1.25e22, "1.25e+22"},
		{9007199254740993.0, "9007199254740992.0"},
		{18446744073709551615.0, "18446744073709552000.0"},
		{1e-7, "0.0000001"},
		{NAN, ""},
		{INFINITY, ""},
		{-INFINITY, ""},
	};
	char text[NUMBER_TEXT];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		number_shortest(text, cases[i].value);
		/* After the 17th digit any digits that read back will do; only their number is
		 * fixed. */
		if (cases[i].value > 1e19 && cases[i].value < 1e20)
			assert_true(strtod(text, NULL) == cases[i].value &&
				    strlen(text) == strlen(cases[i].want));
		else
			assert_string_equal(text, cases[i].want);
	}
	check_shortest(5e-324);
	check_shortest(1.7976931348623157e308);
	check_shortest(2.2250738585072014e-308);
}

TEST(times_are_read_with_their_unit)
{
	static const struct {
		const char *text;
		int64_t ns;
	} cases[] = {
		{"0.001h", 3600000000}, {"0.0001d", 8640000000}, {"1ms", 1000000},     {"10s", 10000000000},
		{"100ms", 100000000},   {"1.5s", 1500000000},    {"0.002s", 2000000},  {".5s", 500000000},
		{"1000us", 1000000},    {"1000000ns", 1000000},  {"0.1m", 6000000000}, {"3.s", 3000000000},
		{"1234567ns", 1234567},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err err = {0};
		int64_t ns = 0;

		if (!time_parse(cases[i].text, 1000000, 10000000000, &ns, &err) || ns != cases[i].ns)
			fail_msg("'%s': %" PRId64 " %s", cases[i].text, ns, err.text);
	}
}

TEST(times_that_make_no_sense_are_refused_with_the_range)
{
	static const char *const texts[] = {
		"0",
		"0ms",
		"-1ms",
		"+1ms",
		"11s",
		"1e99s",
		"1e-3s",
		"ten",
		"100",
		"",
		"1.5.2s",
		"s",
		"ms",
		".s",
		"1 ms",
		" 1ms",
		"1ms ",
		"1MS",
		"1sec",
		"1h",
		"1d",
		"h",
		"1H",
		"1w",
		"0.9ms",
		"10.1s",
		"1m",
		"1µs",
		"nans",
		"infs",
		"0x10ms",
		"1,5s",
		"10000000001ns",
		"99999999999999999999999999999999999999999999999999999999999999s",
		("1111111111111111111111111111111111111111111111111111111111111111111111111111111111111111111"
		 "1"
		 "11111111ms"),
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		char cut[48];
		struct err err = {0};
		int64_t ns = 7;

		if (time_parse(texts[i], 1000000, 10000000000, &ns, &err))
			fail_msg("'%s' was taken as %" PRId64 " ns", texts[i], ns);
		snprintf(cut, sizeof(cut), "'%.40s'", texts[i]);
		assert_int_equal(ns, 7);
		assert_non_null(strstr(err.text, cut));
		assert_non_null(strstr(err.text, "from 1 ms to 10 s"));
	}
}

TEST(times_are_written_for_people)
{
	static const struct {
		int64_t ns;
		const char *want;
	} cases[] = {
		{1, "1 ns"},
		{1000, "1 us"},
		{1000000, "1 ms"},
		{100000000, "100 ms"},
		{500000000, "0.5 s"},
		{1000000000, "1 s"},
		{90000000000, "90 s"},
		{120000000000, "2 m"},
		{600000000000, "10 m"},
		{3600000000000, "60 m"},
		{28800000000000, "8 h"},
		{604800000000000, "7 d"},
	};
	char text[UNITS_TEXT];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(time_format(text, cases[i].ns), cases[i].want);
	assert_true(strlen(time_format(text, INT64_MAX)) < sizeof(text));
	assert_true(strlen(time_format(text, INT64_MIN)) < sizeof(text));
}

TEST(times_are_written_so_that_they_read_back)
{
	static const struct {
		int64_t ns;
		const char *want;
	} cases[] = {
		{0, "0ns"},
		{1, "1ns"},
		{1500000, "1500us"},
		{90000000000, "90s"},
		{120000000000, "2m"},
		{5400000000000, "90m"},
		{28800000000000, "8h"},
		{86400000000000, "1d"},
		{90000000000000, "25h"},
		{604800000000000, "7d"},
		{INT64_MAX, "9223372036854775807ns"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[UNITS_TEXT];
		int64_t ns;

		assert_string_equal(time_exact(text, cases[i].ns), cases[i].want);
		if (cases[i].ns < 1ll << 53)
			assert_true(time_parse(text, 0, INT64_MAX, &ns, NULL) && ns == cases[i].ns);
	}
}

TEST(digits_are_plain_decimals)
{
	static const struct {
		double value;
		int digits;
		const char *text;
	} cases[] = {
		{0, 12, "0"},
		{-0.0, 12, "0"},
		{1, 1, "1"},
		{-1.5, 12, "-1.5"},
		{100, 12, "100"},
		{2.0 / 3, 12, "0.666666666667"},
		{1234567890125, 12, "1234567890120"},
		{1234567890135, 12, "1234567890140"},
		{999999999999.5, 12, "1000000000000"},
		{9.999999999995, 3, "10"},
		{1.234e-15, 12, "0.000000000000001234"},
		{36893488147419103232.0, 12, "36893488147400000000"},
		{1e30, 12, "1000000000000000000000000000000"},
		{NAN, 12, ""},
		{INFINITY, 12, ""},
	};
	char text[NUMBER_TEXT];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(number_digits(text, cases[i].value, cases[i].digits), cases[i].text);
}

TEST(a_number_has_the_unit_of_its_metric)
{
	static const struct {
		const char *text, *unit;
		double value; /* NaN: refused */
	} cases[] = {
		{"50MB", "bytes/frame", 50e6},
		{"50 MB", "bytes/frame", 50e6},
		{"50M", "bytes/frame", 50e6},
		{"1.2GB/s", "bytes/second", 1.2e9},
		{"16.6ms", "milliseconds", 16.6},
		{"0.0166 s", "milliseconds", 16.6},
		{"500us", "milliseconds", 0.5},
		{"2s", "seconds", 2},
		{"20ms", "seconds", 0.02},
		{"70 %", "percent", 70},
		{"70%", "percent", 70},
		{"400k", "primitives/frame", 400e3},
		{"800MHz", "hertz", 800e6},
		{"85", "celsius", 85},
		{"85 C", "celsius", 85},
		{"1e6", "count", 1e6},
		{"-3", "milliseconds", -3},
		{"3J", "millijoules", 3000},
		{"0.9", "ratio", 0.9},
		{"16ms", "bytes/frame", NAN},
		{"50MB", "milliseconds", NAN},
		{"5s", "count", NAN},
		{"MB", "bytes/frame", NAN},
		{"", "count", NAN},
		{"5 MBs", "bytes/frame", NAN},
		{"70 % x", "percent", NAN},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		double value = NAN;
		bool ok = quantity_parse(span_of(cases[i].text), unit(cases[i].unit), &value);

		if (ok == isnan(cases[i].value) || (ok && fabs(value - cases[i].value) > 1e-6))
			fail_msg("'%s' of %s: %d, %g", cases[i].text, cases[i].unit, ok, value);
	}
}

TEST(a_percentage_changes_by_points_and_all_else_by_percent)
{
	static const struct {
		const char *unit;
		double was, now;
		const char *sign, *size;
	} cases[] = {
		{"percent", 2.2, 45.9, "+43.7 pt", "43.7 pt"},
		{"percent", 45.9, 2.2, "-43.7 pt", "43.7 pt"},
		{"percent", 0, 5, "+5.0 pt", "5.0 pt"},
		{"count", 80, 8, "-90.0 %", "90.0 %"},
		{"count", -10, -5, "+50.0 %", "50.0 %"},
		{"count", 2, 45.9, "+2195.0 %", ">999 %"},
		{"count", 0, 5, "new", "new"},
		{"count", 0, 0, "+0.0 %", "0.0 %"},
		{"count", NAN, 5, "-", "-"},
		{"percent", 5, NAN, "-", "-"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct unit *u = unit(cases[i].unit);
		char text[UNITS_TEXT];

		assert_string_equal(unit_change_format(text, cases[i].was, cases[i].now, u, true),
				    cases[i].sign);
		assert_string_equal(unit_change_format(text, cases[i].was, cases[i].now, u, false),
				    cases[i].size);
	}
}
