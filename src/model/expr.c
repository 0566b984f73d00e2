#include "model/expr.h"

#include "base/alloc.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Entries of the parser's operator stack. Those before PEND_OPEN are operators, by precedence. */
enum pending_kind { PEND_SUM, PEND_PRODUCT, PEND_NEG, PEND_OPEN, PEND_CALL };

struct pending {
	uint8_t kind;   /* enum pending_kind */
	uint8_t op;     /* enum expr_op_kind of an operator or a call */
	unsigned args;  /* PEND_CALL: commas so far */
	const char *at; /* for the caret */
};

#define PENDING_MAX (2 * EXPR_DEPTH_MAX)

struct parser {
	struct span text;
	const char *p, *end;
	struct expr *out;
	unsigned depth; /* of the value stack, at this point of the program */
	struct pending pending[PENDING_MAX];
	unsigned n_pending;
	expr_resolve_fn *resolve;
	void *ctx;
	struct err *err;
};

/* Set the message, the text and a caret on three lines. A long text is cut around the caret. */
static bool fail_at(struct parser *ps, const char *at, const char *what)
{
	struct span text = ps->text;
	size_t column = (size_t)(at - text.p), from = 0;
	char line[256], caret[256];

	if (!ps->err)
		return false;
	if (column > 100)
		from = column - 100;
	snprintf(line, sizeof(line), "%.*s", (int)(text.n - from > 120 ? 120 : text.n - from), text.p + from);
	for (char *c = line; *c; c++)
		if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f)
			*c = '?';
	snprintf(caret, sizeof(caret), "%*s^", (int)(column - from), "");
	return err_set(ps->err, 0, "%s\n  %s\n  %s", what, line, caret);
}

static bool emit_op(struct expr *e, struct expr_op op)
{
	if (e->n >= EXPR_OPS_MAX)
		return false;
	GROW(e->ops, e->n, e->cap);
	e->ops[e->n++] = op;
	return true;
}

/* Return how an operation changes the number of values on the stack. */
static int stack_effect(uint8_t kind)
{
	return kind == EXPR_CONST || kind == EXPR_LOAD ? 1 : kind == EXPR_NEG ? 0 : -1;
}

/* Update *depth for the ops appended since `from`. Returns false if the stack would be too deep. */
static bool track_depth(struct expr *e, unsigned from, unsigned *depth)
{
	for (unsigned i = from; i < e->n; i++) {
		*depth = (unsigned)((int)*depth + stack_effect(e->ops[i].kind));
		if (*depth > e->depth)
			e->depth = *depth;
	}
	return e->depth <= EXPR_DEPTH_MAX;
}

bool expr_const(struct expr *out, double number)
{
	return emit_op(out, (struct expr_op){.kind = EXPR_CONST, .number = number});
}

bool expr_load(struct expr *out, unsigned slot, double factor)
{
	return slot <= UINT16_MAX &&
	       emit_op(out, (struct expr_op){.kind = EXPR_LOAD, .slot = (uint16_t)slot, .number = factor});
}

bool expr_inline(struct expr *out, const struct expr *other)
{
	for (unsigned i = 0; i < other->n; i++)
		if (!emit_op(out, other->ops[i]))
			return false;
	return true;
}

static bool push_op(struct parser *ps, uint8_t kind, const char *at)
{
	unsigned from = ps->out->n;

	if (!emit_op(ps->out, (struct expr_op){.kind = kind}))
		return fail_at(ps, at, "formula is too long");
	return track_depth(ps->out, from, &ps->depth) || fail_at(ps, at, "formula is nested too deep");
}

static bool push_pending(struct parser *ps, struct pending p)
{
	if (ps->n_pending == PENDING_MAX)
		return fail_at(ps, p.at, "formula is nested too deep");
	ps->pending[ps->n_pending++] = p;
	return true;
}

/* Emit the operators on top of the stack that bind at least as tightly as `kind`. */
static bool reduce_pending(struct parser *ps, enum pending_kind kind)
{
	while (ps->n_pending) {
		struct pending *top = &ps->pending[ps->n_pending - 1];

		if (top->kind >= PEND_OPEN || top->kind < kind)
			return true;
		if (!push_op(ps, top->op, top->at))
			return false;
		ps->n_pending--;
	}
	return true;
}

static bool parse_number(struct parser *ps)
{
	const char *from = ps->p;
	unsigned at = ps->out->n;
	double number;

	while (ps->p < ps->end && (isdigit((unsigned char)*ps->p) || *ps->p == '.'))
		ps->p++;
	if (ps->p < ps->end && (*ps->p == 'e' || *ps->p == 'E')) {
		ps->p++;
		if (ps->p < ps->end && (*ps->p == '+' || *ps->p == '-'))
			ps->p++;
		while (ps->p < ps->end && isdigit((unsigned char)*ps->p))
			ps->p++;
	}
	if (!span_double((struct span){from, (size_t)(ps->p - from)}, &number) || !isfinite(number))
		return fail_at(ps, from, "not a number");
	if (!expr_const(ps->out, number))
		return fail_at(ps, from, "formula is too long");
	return track_depth(ps->out, at, &ps->depth) || fail_at(ps, from, "formula is nested too deep");
}

static bool is_name_start(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '$';
}

/* Read a name: letters, digits, _ and . with an optional [number] at the end. */
static struct span lex_name(struct parser *ps)
{
	const char *from = ps->p++;

	while (ps->p < ps->end && (isalnum((unsigned char)*ps->p) || *ps->p == '_' || *ps->p == '.'))
		ps->p++;
	if (ps->p < ps->end && *ps->p == '[') {
		const char *q = ps->p + 1;

		while (q < ps->end && isdigit((unsigned char)*q))
			q++;
		if (q < ps->end && *q == ']' && q > ps->p + 1)
			ps->p = q + 1;
	}
	return (struct span){from, (size_t)(ps->p - from)};
}

static void skip_blanks(struct parser *ps)
{
	while (ps->p < ps->end && (*ps->p == ' ' || *ps->p == '\t' || *ps->p == '\n' || *ps->p == '\r'))
		ps->p++;
}

/* Parse a name, or a min( or max( that opens a call. *opened is set if an operand must follow. */
static bool parse_name(struct parser *ps, bool *opened)
{
	unsigned from = ps->out->n;
	struct span name = lex_name(ps);
	struct err why;

	if (span_is(name, "min") || span_is(name, "max")) {
		skip_blanks(ps);
		if (ps->p == ps->end || *ps->p != '(')
			return fail_at(ps, ps->p, "expected '(' after min or max");
		ps->p++;
		*opened = true;
		return push_pending(ps, (struct pending){.kind = PEND_CALL,
							 .at = name.p,
							 .op = name.p[1] == 'i' ? EXPR_MIN : EXPR_MAX});
	}
	why.code = why.text[0] = 0;
	if (!ps->resolve(ps->ctx, name, ps->out, &why))
		return why.code != EXPR_ABSENT &&
		       fail_at(ps, name.p, why.text[0] ? why.text : "formula is too long");
	return track_depth(ps->out, from, &ps->depth) || fail_at(ps, name.p, "formula is nested too deep");
}

static bool parse_operand(struct parser *ps, bool *want_operand)
{
	const char *at = ps->p;
	bool opened = false;

	if (*ps->p == '-' || *ps->p == '(') {
		ps->p++;
		return push_pending(ps, *at == '-'
						? (struct pending){.kind = PEND_NEG, .op = EXPR_NEG, .at = at}
						: (struct pending){.kind = PEND_OPEN, .at = at});
	}
	if (isdigit((unsigned char)*ps->p) || *ps->p == '.') {
		*want_operand = false;
		return parse_number(ps);
	}
	if (is_name_start(*ps->p)) {
		if (!parse_name(ps, &opened))
			return false;
		*want_operand = opened;
		return true;
	}
	return fail_at(ps, at, "expected a number, a name or '('");
}

static bool close_bracket(struct parser *ps)
{
	struct pending top;

	if (!reduce_pending(ps, PEND_SUM))
		return false;
	if (!ps->n_pending)
		return fail_at(ps, ps->p, "')' without '('");
	top = ps->pending[--ps->n_pending];
	if (top.kind == PEND_CALL) {
		if (!top.args)
			return fail_at(ps, ps->p, "min and max take two values or more");
		if (!push_op(ps, top.op, top.at))
			return false;
	}
	ps->p++;
	return true;
}

/* Reduce at every comma, so that a call with any number of arguments needs stack for two values
 * only. */
static bool next_argument(struct parser *ps)
{
	struct pending *top;

	if (!reduce_pending(ps, PEND_SUM))
		return false;
	top = ps->n_pending ? &ps->pending[ps->n_pending - 1] : NULL;
	if (!top || top->kind != PEND_CALL)
		return fail_at(ps, ps->p, "',' outside of min and max");
	if (top->args++ && !push_op(ps, top->op, top->at))
		return false;
	ps->p++;
	return true;
}

static bool parse_operator(struct parser *ps, bool *want_operand)
{
	static const struct {
		char c;
		uint8_t kind, op;
	} operators[] = {{'+', PEND_SUM, EXPR_ADD},
			 {'-', PEND_SUM, EXPR_SUB},
			 {'*', PEND_PRODUCT, EXPR_MUL},
			 {'/', PEND_PRODUCT, EXPR_DIV}};
	const char *at = ps->p;

	if (*at == ')')
		return close_bracket(ps);
	*want_operand = true;
	if (*at == ',')
		return next_argument(ps);
	for (size_t i = 0; i < ARRAY_LEN(operators); i++)
		if (*at == operators[i].c) {
			ps->p++;
			return reduce_pending(ps, operators[i].kind) &&
			       push_pending(ps, (struct pending){.kind = operators[i].kind,
								 .op = operators[i].op,
								 .at = at});
		}
	return fail_at(ps, at, "expected an operator");
}

static bool parse_formula(struct parser *ps)
{
	bool want_operand = true;

	if (ps->text.n > EXPR_TEXT_MAX)
		return err_set(ps->err, 0, "formula of %zu bytes: at most %d are allowed", ps->text.n,
			       EXPR_TEXT_MAX);
	for (skip_blanks(ps); ps->p < ps->end; skip_blanks(ps))
		if (!(want_operand ? parse_operand(ps, &want_operand) : parse_operator(ps, &want_operand)))
			return false;
	if (want_operand)
		return fail_at(ps, ps->end, "expected a number, a name or '('");
	if (!reduce_pending(ps, PEND_SUM))
		return false;
	if (ps->n_pending)
		return fail_at(ps, ps->pending[ps->n_pending - 1].at, "'(' is never closed");
	return true;
}

bool expr_compile(struct expr *out, struct span text, expr_resolve_fn *resolve, void *ctx, struct err *err)
{
	struct parser ps = {.text = text,
			    .p = text.p,
			    .end = text.p + text.n,
			    .out = out,
			    .resolve = resolve,
			    .ctx = ctx,
			    .err = err};

	*out = (struct expr){0};
	if (parse_formula(&ps))
		return true;
	expr_fini(out);
	return false;
}

void expr_fini(struct expr *expr)
{
	free(expr->ops);
	*expr = (struct expr){0};
}

/* Comparisons with NaN are false, so NaN falls through both. */
static inline double min_nan(double a, double b)
{
	return a < b ? a : b <= a ? b : NAN;
}

static inline double max_nan(double a, double b)
{
	return a > b ? a : b >= a ? b : NAN;
}

double expr_eval(const struct expr *expr, const double *values)
{
	double stack[EXPR_DEPTH_MAX + 1], *top = stack; /* stack[0]: the result of an empty program */

	stack[0] = NAN;
	for (const struct expr_op *op = expr->ops, *end = op + expr->n; op != end; op++) {
		switch (op->kind) {
		case EXPR_CONST:
			*++top = op->number;
			break;
		case EXPR_LOAD:
			*++top = values[op->slot] * op->number;
			break;
		case EXPR_ADD:
			top--;
			top[0] += top[1];
			break;
		case EXPR_SUB:
			top--;
			top[0] -= top[1];
			break;
		case EXPR_MUL:
			top--;
			top[0] *= top[1];
			break;
		case EXPR_DIV:
			top--;
			top[0] = top[1] == 0 ? NAN : top[0] / top[1];
			break;
		case EXPR_NEG:
			top[0] = -top[0];
			break;
		case EXPR_MIN:
			top--;
			top[0] = min_nan(top[0], top[1]);
			break;
		case EXPR_MAX:
			top--;
			top[0] = max_nan(top[0], top[1]);
			break;
		}
	}
	return top[0];
}
