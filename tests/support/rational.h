/* rational: exact fractions, for tables that must come out right to the last of 12 digits.
 *
 * Formulas are only + - * / min max over integers and decimals, so a fraction of two naturals holds
 * every intermediate value exactly: a difference that is zero is zero (and dividing by it
 * undefined), a tie is a tie. Only `eval` computes this way; everything that runs while measuring
 * uses doubles (expr.h). */
#ifndef MALITOP_RATIONAL_H
#define MALITOP_RATIONAL_H

#include "base/str.h"
#include "model/expr.h"

#define RATIONAL_LIMBS \
	256 /* of 32 bits: 8192 bits above and below the line; shipped formulas need some hundreds */

struct natural {
	unsigned n;                        /* limbs in use; 0 is zero, limb[n - 1] is never 0 */
	uint32_t limb[RATIONAL_LIMBS + 2]; /* two more for the digits of rational_format */
};

enum rational_state {
	RATIONAL_DEFINED,
	RATIONAL_UNDEFINED, /* divided by zero, or from a missing value; stays so, through min and max too */
	RATIONAL_TOO_LONG,  /* does not fit; likewise */
};

struct rational {
	enum rational_state state;
	bool negative;           /* never for zero */
	struct natural num, den; /* not reduced; den is never 0 when defined */
};

void rational_set_u64(struct rational *r, uint64_t value);
void rational_set_undefined(struct rational *r);
/* "16", "0.0166", "-1.5e-3": digits with an optional point, sign and exponent of at most three
 * digits; all of text. */
bool rational_set_decimal(struct rational *r, struct span text);
/* The shortest decimal that reads back to the same double: what was written in the formula. NaN is
 * undefined. */
void rational_set_double(struct rational *r, double value);

/* r may be a or b. */
void rational_add(struct rational *r, const struct rational *a, const struct rational *b);
void rational_sub(struct rational *r, const struct rational *a, const struct rational *b);
void rational_mul(struct rational *r, const struct rational *a, const struct rational *b);
void rational_div(struct rational *r, const struct rational *a, const struct rational *b);
void rational_min(struct rational *r, const struct rational *a, const struct rational *b);
void rational_max(struct rational *r, const struct rational *a, const struct rational *b);

/* A compiled formula over exact values, as expr_eval does over doubles. */
void rational_eval(struct rational *out, const struct expr *expr, const struct rational *values);

/* Append 12 significant digits, rounded half to even, as a plain decimal: no exponent, no trailing
 * zeros, never -0. Appends nothing for what is not defined. */
void rational_format(const struct rational *r, struct strbuf *out);

#endif
