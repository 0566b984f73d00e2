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

/* "%.*f" with at most two decimals in a tenth of the time, because a screen is full of numbers: the
 * bits of the value times 100 fit in 64, so its rounding is exact. */
static void put_fixed(char *out, double v, int decimals)
{
	static const unsigned scales[] = {1, 10, 100};
	char digits[24], *end = digits + sizeof(digits) - 1, *p = end;
	double a = fabs(v);
	uint64_t bits, n, rest, half;
	int shift;

	if (a != 0 && !(a >= 0x1p-11 && a < 0x1p40)) {
		snprintf(out, UNITS_TEXT, "%.*f", decimals, v);
		return;
	}
	memcpy(&bits, &a, sizeof(bits));
	shift = a != 0 ? 1023 + 52 - (int)(bits >> 52) : 1;
	bits = a != 0 ? ((bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52) * scales[decimals] : 0;
	half = (uint64_t)1 << (shift - 1);
	n = bits >> shift;
	rest = bits & (2 * half - 1);
	n += rest > half || (rest == half && n % 2);
	*end = 0;
	for (int i = 0; n || i <= decimals; i++, n /= 10) {
		if (i == decimals && i)
			*--p = '.';
		*--p = (char)('0' + n % 10);
	}
	if (signbit(v))
		*--p = '-';
	strcpy(out, p);
}

/* Three significant digits between 1 and 999, so that a column of them keeps its width. */
static void three_digits(char *out, double v)
{
	double a = fabs(v);
	int decimals = a >= 99.95 ? 0 : a >= 9.995 ? 1 : 2;

	put_fixed(out, v, decimals);
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
		put_fixed(number, value, fabs(value) >= 99.95 ? 0 : 1);
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
			put_fixed(number, value, 0);
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

/* m x 10^(exponent - n + 1), where m has n digits: d.ddd x 10^exponent. */
struct decimal {
	uint64_t m;
	int n, exponent;
};

#define DIGITS_MAX 17  /* always enough to read a double back */
#define DIGITS_SAFE 15 /* any decimal with this many digits survives a normal double */

static char *put_digits(char *end, uint64_t m)
{
	for (; m; m /= 10)
		*--end = (char)('0' + m % 10);
	return end;
}

/* Round a value > 0 to n digits. */
static struct decimal decimal_of(double value, int n)
{
	struct decimal d = {.n = n};
	char text[DIGITS_MAX + 16];
	const char *p = text;

	snprintf(text, sizeof(text), "%.*e", n - 1, value);
	for (; *p != 'e'; p++)
		if (*p != '.')
			d.m = d.m * 10 + (uint64_t)(*p - '0');
	d.exponent = atoi(p + 1);
	return d;
}

static bool reads_back(const struct decimal *d, double value)
{
	char text[DIGITS_MAX + 16], *p = text + sizeof(text) - 1;
	int power = d->exponent - d->n + 1;

	*p = 0;
	p = put_digits(p, (uint64_t)abs(power));
	*--p = power < 0 ? '-' : '+';
	*--p = 'e';
	return strtod(put_digits(p, d->m), NULL) == value;
}

/* Return decimal_of(value, n) for fewer digits than d has. The digits that are cut off decide the
 * rounding, except for a tie. */
static struct decimal decimal_cut(const struct decimal *d, double value, int n)
{
	struct decimal cut = {.m = d->m, .n = n, .exponent = d->exponent};
	uint64_t unit = 1, rest;

	for (int i = n; i < d->n; i++)
		unit *= 10;
	rest = cut.m % unit;
	if (2 * rest == unit)
		return decimal_of(value, n); /* d itself is rounded: the true value may be below the tie */
	cut.m = cut.m / unit + (2 * rest > unit);
	return cut;
}

/* Find the fewest digits that read back as the same double. */
static struct decimal decimal_shortest(double value)
{
	struct decimal full = decimal_of(value, DIGITS_MAX), d = full;

	for (int n = value < DBL_MIN ? 1 : DIGITS_SAFE; n < DIGITS_MAX; n++) {
		d = decimal_cut(&full, value, n);
		if (reads_back(&d, value))
			break;
		d = full;
	}
	for (; d.m % 10 == 0; d.m /= 10)
		d.n--;
	return d;
}

/* Write "125" as 0.00125, 1.25 or 12500, by the exponent of its first digit; `suffix` follows a
 * number without a fraction. */
static void put_plain(char *at, const char *digits, int exponent, const char *suffix)
{
	int n = (int)strlen(digits);

	/* "%.*d" with a 0 writes that number of zeros */
	if (exponent < 0)
		snprintf(at, NUMBER_TEXT - 1, "0.%.*d%s", -exponent - 1, 0, digits);
	else if (n <= exponent + 1)
		snprintf(at, NUMBER_TEXT - 1, "%s%.*d%s", digits, exponent + 1 - n, 0, suffix);
	else
		snprintf(at, NUMBER_TEXT - 1, "%.*s.%s", exponent + 1, digits, digits + exponent + 1);
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

char *number_shortest(char *buf, double value)
{
	char digits[24], *end = digits + sizeof(digits) - 1, *at = buf;
	struct decimal d;
	int n;

	buf[0] = 0;
	if (!isfinite(value))
		return buf;
	if (value == 0)
		return strcpy(buf, "0.0"); /* never -0 */
	if (value < 0)
		*at++ = '-';
	value = fabs(value);
	*end = 0;
	if (value < 1e15 && value == trunc(value)) { /* a count, as most values are */
		strcpy(stpcpy(at, put_digits(end, (uint64_t)value)), ".0");
		return buf;
	}
	d = decimal_shortest(value);
	end = put_digits(end, d.m);
	n = (int)strlen(end); /* one more if rounding carried */
	d.exponent += n - d.n;
	if (d.exponent >= 21)
		snprintf(at, NUMBER_TEXT - 1, "%c.%se+%d", end[0], n > 1 ? end + 1 : "0", d.exponent);
	else
		put_plain(at, end, d.exponent, ".0");
	return buf;
}

char *number_digits(char *buf, double value, int digits)
{
	char text[32], *end;
	int exponent;

	buf[0] = 0;
	if (!isfinite(value))
		return buf;
	snprintf(text, sizeof(text), "%.*e", digits - 1, fabs(value)); /* "1.25000e-03" */
	end = strchr(text, 'e');
	exponent = atoi(end + 1);
	if (digits > 1)
		memmove(text + 1, text + 2, (size_t)(end-- - text) - 2);
	while (end > text + 1 && end[-1] == '0')
		end--;
	*end = 0;
	put_plain(buf + (value < 0), text, exponent, "");
	if (value < 0)
		buf[0] = '-';
	return buf;
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
