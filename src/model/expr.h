/* expr: formulas over counters, compiled once and evaluated with doubles.
 *
 *   expression = term { ("+" | "-") term }
 *   term       = factor { ("*" | "/") factor }
 *   factor     = "-" factor | number | name | "(" expression ")"
 *              | ("min" | "max") "(" expression { "," expression } ")"
 *
 * A name is a letter, "$" or "_", then letters, digits, "_" and ".", with an optional instance:
 * .core3 .slice1 .Cluster[0] .cpu5
 *
 * Division by zero (0/0 as well as x/0) and missing values are NaN. NaN propagates through every
 * operation, including min and max. Limits: EXPR_DEPTH_MAX, EXPR_OPS_MAX, EXPR_TEXT_MAX.
 */
#ifndef MALITOP_EXPR_H
#define MALITOP_EXPR_H

#include "base/err.h"
#include "base/str.h"

#define EXPR_TEXT_MAX 4000 /* bytes */
#define EXPR_DEPTH_MAX 64  /* values on the stack, and open parentheses */
#define EXPR_OPS_MAX 1024

enum expr_op_kind {
	EXPR_CONST,
	EXPR_LOAD,
	EXPR_ADD,
	EXPR_SUB,
	EXPR_REST, /* of counts: the same, but below 0 it is NaN */
	EXPR_MUL,
	EXPR_DIV,
	EXPR_NEG,
	EXPR_MIN,
	EXPR_MAX
};

struct expr_op {
	uint8_t kind;  /* enum expr_op_kind */
	uint16_t slot; /* EXPR_LOAD: index into the values */
	double number; /* EXPR_CONST: the value; EXPR_LOAD: the factor to multiply by */
};

struct expr {
	struct expr_op *ops; /* postfix */
	unsigned n, cap;
	unsigned depth; /* values on the stack, at most EXPR_DEPTH_MAX */
};

/* Resolve a name, as written in the formula: append its ops (expr_load, expr_const, or another
 * formula with expr_inline). Return false with a message for an unknown name. */
typedef bool expr_resolve_fn(void *ctx, struct span name, struct expr *out, struct err *err);
#define EXPR_ABSENT (-1) /* err->code of one that fails without a message: then nothing is said */

/* Compile. On failure *out is empty and the message has three lines: the error, the text, and a
 * caret under the error. */
bool expr_compile(struct expr *out, struct span text, expr_resolve_fn *resolve, void *ctx, struct err *err);
void expr_fini(struct expr *expr);

/* Take all differences to be of counts: if more is taken away than there is, the counters
 * contradict each other, and the rest is NaN. (A rounding error is 0.) `a + -b` is not such a
 * difference. */
void expr_of_counts(struct expr *expr);

bool expr_const(struct expr *out, double number);
bool expr_load(struct expr *out, unsigned slot, double factor);
bool expr_inline(struct expr *out, const struct expr *other);

double expr_eval(const struct expr *expr, const double *values);

#endif
