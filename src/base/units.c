#include "base/units.h"

#include "base/alloc.h"
#include "base/real.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Every unit that a metric may have. A new unit is one line here. */
static const struct unit units[] = {
	{"percent", UNIT_PERCENT, "%", false},
	{"percent sum", UNIT_PERCENT, "%", true},
	{"cycles", UNIT_COUNT, "cy", false},
	{"bytes", UNIT_COUNT, "B", false},
	{"bytes/second", UNIT_LEVEL, "B/s", false},
	{"seconds", UNIT_LEVEL, "s", false},
	{"hertz", UNIT_LEVEL, "Hz", false},
	{"celsius", UNIT_RATIO, "C", false},
	{"watts", UNIT_LEVEL, "W", false},
	{"bytes total", UNIT_LEVEL, "B", false},
	{"beats", UNIT_COUNT, "", false},
	{"boxes", UNIT_COUNT, "", false},
	{"count", UNIT_COUNT, "", false},
	{"instructions", UNIT_COUNT, "", false},
	{"interrupts", UNIT_COUNT, "", false},
	{"issues", UNIT_COUNT, "", false},
	{"jobs", UNIT_COUNT, "", false},
	{"nodes", UNIT_COUNT, "", false},
	{"pixels", UNIT_COUNT, "px", false},
	{"primitives", UNIT_COUNT, "", false},
	{"quads", UNIT_COUNT, "", false},
	{"rays", UNIT_COUNT, "", false},
	{"requests", UNIT_COUNT, "", false},
	{"tasks", UNIT_COUNT, "", false},
	{"tests", UNIT_COUNT, "", false},
	{"threads", UNIT_COUNT, "", false},
	{"tiles", UNIT_COUNT, "", false},
	{"transactions", UNIT_COUNT, "", false},
	{"warps", UNIT_COUNT, "", false},
	{"frames", UNIT_LEVEL, "", false},
	{"cycles/frame", UNIT_LEVEL, "cy", false},
	{"bytes/frame", UNIT_LEVEL, "B", false},
	{"primitives/frame", UNIT_LEVEL, "", false},
	{"fragments/frame", UNIT_LEVEL, "", false},
	{"instructions/frame", UNIT_LEVEL, "", false},
	{"bits", UNIT_LEVEL, "bit", false},
	{"instances", UNIT_LEVEL, "", false},
	{"ratio", UNIT_RATIO, "", false},
	{"load", UNIT_RATIO, "", false},
	{"bytes/cycle", UNIT_RATIO, "B/cy", false},
	{"bytes/pixel", UNIT_RATIO, "B/px", false},
	{"bytes/access", UNIT_RATIO, "B", false},
	{"coarse quads/fine quad", UNIT_RATIO, "", false},
	{"cycles/instruction", UNIT_RATIO, "cy", false},
	{"instructions/cycle", UNIT_RATIO, "", false},
	{"per 1000 instructions", UNIT_RATIO, "PTI", false},
	{"cycles/pixel", UNIT_RATIO, "cy", false},
	{"cycles/read", UNIT_RATIO, "cy", false},
	{"cycles/thread", UNIT_RATIO, "cy", false},
	{"fragments/pixel", UNIT_RATIO, "", false},
	{"pixels/primitive", UNIT_RATIO, "px", false},
	{"threads/primitive", UNIT_RATIO, "", false},
	{"milliseconds", UNIT_RATIO, "ms", false},
	{"millijoules", UNIT_RATIO, "mJ", false},
	{"frames/second", UNIT_RATIO, "fps", false},
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
		double at; /* lower limit, chosen so that 999.9 rounds up into the next prefix */
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

void unit_split(char number[UNITS_TEXT], char suffix[UNITS_TEXT], double value, const struct unit *unit,
		bool rate, bool ascii)
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
	stpcpy(stpcpy(stpcpy(suffix, prefix), unit->symbol), per);
}

char *unit_format(char *buf, double value, const struct unit *unit, bool rate, bool ascii)
{
	char number[UNITS_TEXT], suffix[UNITS_TEXT];

	unit_split(number, suffix, value, unit, rate, ascii);
	snprintf(buf, UNITS_TEXT, "%.15s%s%.14s", number, *suffix ? " " : "", suffix);
	return buf;
}

double unit_change(double was, double now, const struct unit *unit)
{
	if (unit->kind == UNIT_PERCENT)
		return now - was;
	return now == was ? 0 : (now - was) / fabs(was) * 100;
}

char *unit_change_format(char *buf, double was, double now, const struct unit *unit, bool sign)
{
	double by = unit_change(was, now, unit);
	const char *name = unit->kind == UNIT_PERCENT ? "pt" : "%";

	if (!isfinite(by))
		snprintf(buf, UNITS_TEXT, "%s", isnan(by) ? "-" : "new");
	else if (sign)
		snprintf(buf, UNITS_TEXT, "%+.1f %s", by, name);
	else if (fabs(by) >= 1000)
		snprintf(buf, UNITS_TEXT, ">999 %s", name);
	else
		snprintf(buf, UNITS_TEXT, "%.1f %s", fabs(by), name);
	return buf;
}

#define EXPONENT_TEXT 32 /* "%.*e" with at most 17 digits */

/* Write "-1.2500e-03" as -0.00125, "1.25e+04" as 12500 or, with `point`, 12500.0; then 1e+21 and
 * more keep their exponent. */
static char *put_plain(char *buf, char text[EXPONENT_TEXT], bool point)
{
	char *digits = text + (text[0] == '-'), *end = strchr(digits, 'e');
	int sign = (int)(digits - text), exponent = atoi(end + 1), n;

	if (digits[1] == '.')
		memmove(digits + 1, digits + 2, (size_t)(end-- - digits) - 2);
	while (end > digits + 1 && end[-1] == '0')
		end--;
	*end = 0;
	n = (int)(end - digits);
	/* "%.*d" with a 0 writes that number of zeros */
	if (exponent < 0)
		snprintf(buf, NUMBER_TEXT, "%.*s0.%.*d%s", sign, text, -exponent - 1, 0, digits);
	else if (point && exponent >= 21)
		snprintf(buf, NUMBER_TEXT, "%.*s.%se+%d", sign + 1, text, n > 1 ? digits + 1 : "0", exponent);
	else if (n <= exponent + 1)
		snprintf(buf, NUMBER_TEXT, "%s%.*d%s", text, exponent + 1 - n, 0, point ? ".0" : "");
	else
		snprintf(buf, NUMBER_TEXT, "%.*s.%s", sign + exponent + 1, text, digits + exponent + 1);
	return buf;
}

char *number_shortest(char *buf, double value)
{
	/* Decimals of DBL_DIG digits survive a normal double; DBL_DECIMAL_DIG always suffice. */
	int digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG;
	char text[EXPONENT_TEXT];

	buf[0] = 0;
	if (!isfinite(value))
		return buf;
	if (fabs(value) < 1e15 && value == trunc(value)) { /* a count, as most values are; never -0 */
		snprintf(buf, NUMBER_TEXT, "%" PRId64 ".0", (int64_t)value);
		return buf;
	}
	do
		snprintf(text, sizeof(text), "%.*e", digits - 1, value);
	while (digits++ < DBL_DECIMAL_DIG && strtod(text, NULL) != value);
	return put_plain(buf, text, true);
}

char *number_digits(char *buf, double value, int digits)
{
	char text[EXPONENT_TEXT];

	buf[0] = 0;
	if (!isfinite(value))
		return buf;
	snprintf(text, sizeof(text), "%.*e", digits - 1, value == 0 ? 0 : value); /* never -0 */
	return put_plain(buf, text, false);
}

static const struct {
	const char *name;
	double ns, from_ns; /* times are shown in it from there on */
} time_units[] = {
	{"ns", 1, 0},
	{"us", 1e3, 1e3},
	{"ms", 1e6, 1e6},
	{"s", 1e9, 0.5e9},
	{"m", 60e9, 2 * 60e9},
	{"h", 3600e9, 2 * 3600e9},
	{"d", 24 * 3600e9, 2 * 24 * 3600e9},
};

/* How many of the symbol's units one is: 1e-3 for "ms", of which the rest, "s", is the base. */
static double symbol_scale(struct span *symbol)
{
	static const struct {
		char letter;
		double scale;
	} prefixes[] = {{'n', 1e-9}, {'u', 1e-6}, {'m', 1e-3}, {'k', 1e3},
			{'M', 1e6},  {'G', 1e9},  {'T', 1e12}};

	for (size_t i = 0; symbol->n && i < ARRAY_LEN(prefixes); i++)
		if (symbol->p[0] == prefixes[i].letter) {
			*symbol = (struct span){symbol->p + 1, symbol->n - 1};
			return prefixes[i].scale;
		}
	return 1;
}

bool quantity_parse(struct span text, const struct unit *unit, double *value)
{
	struct span symbol, own = span_of(unit ? unit->symbol : "");
	size_t digits = 0;
	double scale;

	if (span_double(text, value))
		return true;
	while (digits < text.n && strchr("0123456789.-+", text.p[digits]) && text.p[digits])
		digits++;
	symbol = span_trim((struct span){text.p + digits, text.n - digits});
	if (!span_double((struct span){text.p, digits}, value))
		return false;
	if (!symbol.n || span_eq(symbol, own))
		return true;
	scale = symbol_scale(&symbol);
	if (!unit || !symbol.n) {
		*value *= scale;
		return !unit || scale > 1;
	}
	if (own.n > 1 && own.p[0] == 'm') /* ms and mJ */
		scale /= symbol_scale(&own);
	*value *= scale;
	return span_eq(symbol, own) && own.n;
}

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
					*ns = real_round(v);
					return true;
				}
			}
	return err_set(err, 0,
		       "'%.40s' is not a time from %s to %s: write a number with ns, us, ms, s, m, h or d, "
		       "such as 100ms",
		       text, time_format(low, min_ns), time_format(high, max_ns));
}

char *time_format(char buf[UNITS_TEXT], int64_t ns)
{
	size_t i = ARRAY_LEN(time_units) - 1;

	while (i && (double)ns < time_units[i].from_ns)
		i--;
	snprintf(buf, UNITS_TEXT, "%.4g %s", (double)ns / time_units[i].ns, time_units[i].name);
	return buf;
}

char *time_exact(char buf[UNITS_TEXT], int64_t ns)
{
	size_t i = ARRAY_LEN(time_units) - 1;

	while (i && (!ns || ns % (int64_t)time_units[i].ns))
		i--;
	snprintf(buf, UNITS_TEXT, "%" PRId64 "%s", ns / (int64_t)time_units[i].ns, time_units[i].name);
	return buf;
}
