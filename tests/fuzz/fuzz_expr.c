/* A formula over any bytes: it compiles within its limits or fails with a message, and evaluates to
 * a number. */
#include "model/expr.h"

#include <assert.h>
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define N_VALUES 8

/* Names that begin with a to h are values; others are unknown. */
static bool resolve_name(void *ctx, struct span name, struct expr *out, struct err *err)
{
	(void)ctx;
	if (name.p[0] >= 'a' && name.p[0] < 'a' + N_VALUES)
		return expr_load(out, (unsigned)(name.p[0] - 'a'), 1);
	return err_set(err, 0, "unknown");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const double values[N_VALUES] = {0, 1, -1, 1e300, -1e300, NAN, 3, 0.5};
	struct err err = {0};
	struct expr expr;

	if (expr_compile(&expr, (struct span){(const char *)data, size}, resolve_name, NULL, &err)) {
		assert(expr.n && expr.n <= EXPR_OPS_MAX && expr.depth <= EXPR_DEPTH_MAX);
		expr_eval(&expr, values);
	} else {
		assert(err.text[0] && !expr.ops);
	}
	expr_fini(&expr);
	return 0;
}
