/* real: arithmetic on doubles without the mathematics library, whose pages would be a tenth of the
 * memory of a live screen, for a handful of functions.
 *
 * Threads: any.
 */
#ifndef MALITOP_REAL_H
#define MALITOP_REAL_H

#include <math.h>
#include <stdint.h>

/* As fmin and fmax: NaN only if both are. */
static inline double real_min(double a, double b)
{
	return isnan(b) || a < b ? a : b;
}

static inline double real_max(double a, double b)
{
	return isnan(b) || a > b ? a : b;
}

/* Add a value to a sum, unless it is unknown; a sum of nothing may be NaN. */
static inline void real_add(double *sum, double v)
{
	if (isfinite(v))
		*sum = isnan(*sum) ? v : *sum + v;
}

/* The nearest whole number, a half away from zero; |v| below 2^63. */
static inline int64_t real_round(double v)
{
	int64_t whole = (int64_t)v;
	double rest = v - (double)whole;

	return whole + (rest >= 0.5) - (rest <= -0.5);
}

static inline double real_root(double v)
{
	return __builtin_sqrt(v);
}

/* The power of ten at or below v, which is above zero. */
static inline double real_decade(double v)
{
	double decade = 1;

	while (isfinite(decade) && decade * 10 <= v)
		decade *= 10;
	while (decade > v)
		decade /= 10;
	return decade;
}

#endif
