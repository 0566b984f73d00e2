/* units: the units of metrics, and numbers and times as people write and read them. */
#ifndef MALITOP_UNITS_H
#define MALITOP_UNITS_H

#include "base/err.h"
#include "base/str.h"

enum unit_kind {
	UNIT_COUNT, /* grows with time: shown as a rate with an SI prefix, "24.1 M/s", "7.21 GB/s" */

	UNIT_PERCENT, /* 0 to 100, at most one decimal */
	UNIT_RATIO,   /* something per something: two decimals, never a rate */
	UNIT_LEVEL,   /* a state: SI prefix, never a rate (hertz, bits, instances) */
};

struct unit {
	const char *name; /* as in the tables: "cycles", "cycles/pixel" */
	enum unit_kind kind;
	const char *symbol; /* shown after a number: "cy", "%", "B"; "" for none */
	bool open;          /* percent that may exceed 100, as sums over programs can */
};

const struct unit *unit_find(struct span name); /* NULL if unknown; the table is in units.c */

/* Format a value for people, with three significant digits: "24.1 M", "7.21 GB/s", "97.0 %",
 * "2.80". `rate` appends "/s" to counts. NaN is an en dash (a hyphen if `ascii`). buf has
 * UNITS_TEXT bytes. Returns buf. */
#define UNITS_TEXT 32
char *unit_format(char *buf, double value, const struct unit *unit, bool rate, bool ascii);
/* Format the number and the unit separately, for right-aligned columns: "24.1" and "Mcy/s". */
void unit_split(char number[UNITS_TEXT], char suffix[UNITS_TEXT], double value, const struct unit *unit,
		bool rate, bool ascii);

/* Write the shortest decimal that reads back as the same double, always with a point, with an
 * exponent only from 1e21; "" for NaN and infinity. buf has NUMBER_TEXT bytes. Returns buf. */
#define NUMBER_TEXT 400
char *number_shortest(char *buf, double value);
/* Write `digits` significant digits, at most 17, as a plain decimal: no exponent, no trailing
 * zeros, never -0; "" for NaN and infinity. buf has NUMBER_TEXT bytes. Returns buf. */
char *number_digits(char *buf, double value, int digits);

/* The change of a value: in points if it is a percentage, else in percent of what it was; +-inf
 * from 0, NaN if either is unknown. */
double unit_change(double was, double now, const struct unit *unit);
/* Format it: "34.2 pt", "21.9 %", "new" from 0, "-" if it is unknown. `sign`: "+34.2 pt"; else
 * only how much, at most ">999 %". buf has UNITS_TEXT bytes. Returns buf. */
char *unit_change_format(char *buf, double was, double now, const struct unit *unit, bool sign);

/* "1,241,209,259". buf has UNITS_TEXT bytes. Returns buf. */
char *count_format(char *buf, uint64_t count);

/* Parse a number as a unit's values are: "16.6ms" or "0.0166 s" of milliseconds, "50MB" of bytes,
 * "70 %", "400k", "0.9". NULL for a unit that is not known yet: any is accepted, and the number is
 * meaningless. Returns false if it is malformed or another unit. */
bool quantity_parse(struct span text, const struct unit *unit, double *value);

/* Parse "100ms", "1.5s", "8h": a decimal number with ns, us, ms, s, m, h or d, between min and max.
 * A bare number is an error. The error message quotes the text and the range. */
bool time_parse(const char *text, int64_t min_ns, int64_t max_ns, int64_t *ns, struct err *err);
char *time_format(char buf[UNITS_TEXT], int64_t ns); /* "100 ms", "0.5 s", "2 m" */
char *time_exact(char buf[UNITS_TEXT], int64_t ns);  /* as time_parse reads it: "90s", "8h" */

#endif
