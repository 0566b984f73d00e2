#include "base/units.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every unit that a metric may have. A new one is one line here. */
static const struct unit units[] = {
	{"percent", UNIT_PERCENT, "%"},
	{"cycles", UNIT_COUNT, "cy"},
	{"bytes", UNIT_COUNT, "B"},
	{"bytes/second", UNIT_LEVEL, "B/s"},
	{"seconds", UNIT_LEVEL, "s"},
	{"hertz", UNIT_LEVEL, "Hz"},
	{"celsius", UNIT_RATIO, "C"},
	{"watts", UNIT_LEVEL, "W"},
	{"bytes total", UNIT_LEVEL, "B"},
	{"beats", UNIT_COUNT, ""},
	{"boxes", UNIT_COUNT, ""},
	{"count", UNIT_COUNT, ""},
	{"instructions", UNIT_COUNT, ""},
	{"interrupts", UNIT_COUNT, ""},
	{"issues", UNIT_COUNT, ""},
	{"jobs", UNIT_COUNT, ""},
	{"nodes", UNIT_COUNT, ""},
	{"pixels", UNIT_COUNT, "px"},
	{"primitives", UNIT_COUNT, ""},
	{"quads", UNIT_COUNT, ""},
	{"rays", UNIT_COUNT, ""},
	{"requests", UNIT_COUNT, ""},
	{"tasks", UNIT_COUNT, ""},
	{"tests", UNIT_COUNT, ""},
	{"threads", UNIT_COUNT, ""},
	{"tiles", UNIT_COUNT, ""},
	{"transactions", UNIT_COUNT, ""},
	{"warps", UNIT_COUNT, ""},
	{"bits", UNIT_LEVEL, "bit"},
	{"instances", UNIT_LEVEL, ""},
	{"ratio", UNIT_RATIO, ""},
	{"load", UNIT_RATIO, ""},
	{"bytes/cycle", UNIT_RATIO, "B/cy"},
	{"bytes/pixel", UNIT_RATIO, "B/px"},
	{"bytes/access", UNIT_RATIO, "B"},
	{"coarse quads/fine quad", UNIT_RATIO, ""},
	{"cycles/instruction", UNIT_RATIO, "cy"},
	{"instructions/cycle", UNIT_RATIO, ""},
	{"per 1000 instructions", UNIT_RATIO, "PTI"},
	{"cycles/pixel", UNIT_RATIO, "cy"},
	{"cycles/thread", UNIT_RATIO, "cy"},
	{"fragments/pixel", UNIT_RATIO, ""},
	{"threads/primitive", UNIT_RATIO, ""},
};

const struct unit *unit_find(struct span name)
{
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (span_is(name, units[i].name))
			return &units[i];
	return NULL;
}

/* Three significant digits between 1 and 999, so that a column of them keeps its width. */
static void three_digits(char *out, double v)
{
	double a = fabs(v);
	int decimals = a >= 99.95 ? 0 : a >= 9.995 ? 1 : 2;

	snprintf(out, UNITS_TEXT, "%.*f", decimals, v);
}

static const char *si_scale(double *v)
{
	static const struct {
		double at; /* from here on, so that 999.9 rounds up into the next prefix */
		double by;
		const char *prefix;
	} si[] = {{999.5e15, 1e18, "E"}, {999.5e12, 1e15, "P"}, {999.5e9, 1e12, "T"},
		  {999.5e6, 1e9, "G"},   {999.5e3, 1e6, "M"},   {999.5, 1e3, "k"}};

	for (size_t i = 0; i < ARRAY_LEN(si); i++)
		if (fabs(*v) >= si[i].at) {
			*v /= si[i].by;
			return si[i].prefix;
		}
	return "";
}

void unit_split(char number[UNITS_TEXT], char suffix[UNITS_TEXT], double value, const struct unit *unit, bool rate, bool ascii)
{
	const char *prefix = "", *per = "";

	suffix[0] = 0;
	if (!isfinite(value)) {
		strcpy(number, ascii ? "-" : "\u2013");
		return;
	}
	if (fabs(value) < 0.0005)
		value = 0;
	switch (unit->kind) {
	case UNIT_PERCENT:
		snprintf(number, UNITS_TEXT, "%.*f", fabs(value) >= 99.95 ? 0 : 1, value);
		break;
	case UNIT_RATIO:
		three_digits(number, value);
		if (fabs(value) >= 999.5) {
			prefix = si_scale(&value);
			three_digits(number, value);
		}
		break;
	case UNIT_COUNT:
		per = rate ? "/s" : "";
		/* fall through */
	case UNIT_LEVEL:
		prefix = si_scale(&value);
		if (!*prefix && value == floor(value))
			snprintf(number, UNITS_TEXT, "%.0f", value);
		else
			three_digits(number, value);
		break;
	}
	snprintf(suffix, UNITS_TEXT, "%s%s%s", prefix, unit->symbol, per);
}

char *unit_format(char *buf, double value, const struct unit *unit, bool rate, bool ascii)
{
	char number[UNITS_TEXT], suffix[UNITS_TEXT];

	unit_split(number, suffix, value, unit, rate, ascii);
	snprintf(buf, UNITS_TEXT, "%.15s%s%.14s", number, *suffix ? " " : "", suffix);
	return buf;
}

char *number_shortest(char *buf, double value)
{
	int digits;

	buf[0] = 0;
	if (!isfinite(value))
		return buf;
	if (value == 0)
		return strcpy(buf, "0.0");                 /* never -0 */
	if (fabs(value) < 1e15 && value == trunc(value)) { /* counts, most of what there is */
		snprintf(buf, NUMBER_TEXT, "%lld.0", (long long)value);
		return buf;
	}
	/* Any decimal of 15 digits survives a normal double, 17 always suffice. */
	for (digits = fabs(value) < 2.3e-308 ? 1 : 15; digits < 17; digits++) {
		snprintf(buf, NUMBER_TEXT, "%.*e", digits - 1, value);
		if (strtod(buf, NULL) == value)
			break;
	}
	snprintf(buf, NUMBER_TEXT, "%.*e", digits - 1, value);
	while (digits > 1 && buf[digits + (value < 0)] == '0')
		digits--; /* d.ddd: digit k stands at k, behind the point */
	snprintf(buf, NUMBER_TEXT, "%.*e", digits - 1, value);
	if (fabs(value) < 1e21) {
		int exponent = atoi(strchr(buf, 'e') + 1);
		int decimals = digits - 1 - exponent;

		snprintf(buf, NUMBER_TEXT, "%.*f", decimals > 1 ? decimals : 1, value);
		if (strtod(buf, NULL) == value)
			return buf;
	}
	snprintf(buf, NUMBER_TEXT, "%.*e", digits > 1 ? digits - 1 : 1, value);
	return buf;
}

static const struct {
	const char *name;
	double ns;
} time_units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}};

char *count_format(char *buf, uint64_t count)
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%" PRIu64, count), at = 0;

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			buf[at++] = ',';
		buf[at++] = digits[i];
	}
	buf[at] = '\0';
	return buf;
}

bool time_parse(const char *text, int64_t min_ns, int64_t max_ns, int64_t *ns, struct err *err)
{
	size_t digits = strspn(text, "0123456789.");
	char low[UNITS_TEXT], high[UNITS_TEXT];
	double number;

	if (digits && span_double((struct span){text, digits}, &number))
		for (size_t i = 0; i < ARRAY_LEN(time_units); i++)
			if (strcmp(text + digits, time_units[i].name) == 0) {
				double v = number * time_units[i].ns;

				if (v >= (double)min_ns && v <= (double)max_ns) {
					*ns = (int64_t)llround(v);
					return true;
				}
			}
	return err_set(err, 0, "'%.40s' is not a time from %s to %s: write a number with ns, us, ms, s or m, such as 100ms", text,
		       time_format(low, min_ns), time_format(high, max_ns));
}

char *time_format(char buf[UNITS_TEXT], int64_t ns)
{
	size_t i = ns >= 120000000000 ? 4 : ns >= 500000000 ? 3 : ns >= 1000000 ? 2 : ns >= 1000 ? 1 : 0;

	snprintf(buf, UNITS_TEXT, "%.4g %s", (double)ns / time_units[i].ns, time_units[i].name);
	return buf;
}
