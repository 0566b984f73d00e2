#include "model/expr.h"

#include "base/alloc.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NESTED_MAX (2 * EXPR_DEPTH_MAX) /* brackets, minus signs and operators that wait for a value */

struct parser {
	struct span text;
	const char *p, *end;
	struct expr *out;
	unsigned depth;  /* of the value stack, at this point of the program */
	unsigned nested; /* how deep the parser is: it recurses */
	expr_resolve_fn *resolve;
	void *ctx;
	struct err *err;
};

/* Set the message, the text and a caret on three lines. A long text is cut around the caret. */
static __attribute__((noinline)) bool fail_at(struct parser *ps, const char *at, const char *what)
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

/* Check the ops that were appended since `from`, if they fit. */
static bool end_append(struct parser *ps, unsigned from, bool fits, const char *at)
{
	struct expr *e = ps->out;

	if (!fits)
		return fail_at(ps, at, "formula is too long");
	for (unsigned i = from; i < e->n; i++) {
		uint8_t kind = e->ops[i].kind;

		ps->depth += kind == EXPR_CONST || kind == EXPR_LOAD ? 1 : kind == EXPR_NEG ? 0 : -1u;
		if (ps->depth > e->depth)
			e->depth = ps->depth;
	}
	return e->depth <= EXPR_DEPTH_MAX || fail_at(ps, at, "formula is nested too deep");
}

static bool push_op(struct parser *ps, uint8_t kind, const char *at)
{
	unsigned from = ps->out->n;

	return end_append(ps, from, emit_op(ps->out, (struct expr_op){.kind = kind}), at);
}

static bool enter_nested(struct parser *ps, const char *at)
{
	return ps->nested++ < NESTED_MAX || fail_at(ps, at, "formula is nested too deep");
}

static bool parse_number(struct parser *ps)
{
	const char *from = ps->p;
	unsigned n = ps->out->n;
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
	return end_append(ps, n, expr_const(ps->out, number), from);
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

static bool parse_binary(struct parser *ps, unsigned least);

/* No inline: of the functions that recurse, none has a message on the stack. */
static __attribute__((noinline)) bool resolve_name(struct parser *ps, struct span name)
{
	unsigned from = ps->out->n;
	struct err why;
	bool ok;

	why.code = why.text[0] = 0;
	ok = ps->resolve(ps->ctx, name, ps->out, &why);
	if (!ok && why.code == EXPR_ABSENT)
		return false;
	if (!ok && why.text[0])
		return fail_at(ps, name.p, why.text);
	return end_append(ps, from, ok, name.p);
}

/* What follows where an operator should. */
static bool fail_operator(struct parser *ps)
{
	return fail_at(ps, ps->p,
		       *ps->p == ')'   ? "')' without '('"
		       : *ps->p == ',' ? "',' outside of min and max"
				       : "expected an operator");
}

/* At the '(' of what began at `at`. op: of min and max, which take several values; else
 * EXPR_CONST. */
static bool parse_bracket(struct parser *ps, const char *at, enum expr_op_kind op)
{
	unsigned args = 0;

	if (!enter_nested(ps, at))
		return false;
	do {
		ps->p++;
		if (!parse_binary(ps, 0))
			return false;
		if (ps->p == ps->end)
			return fail_at(ps, at, "'(' is never closed");
		/* After every value, so that a call needs places for two only. */
		if (args++ && !push_op(ps, op, at))
			return false;
	} while (*ps->p == ',' && op != EXPR_CONST);
	if (*ps->p != ')')
		return fail_operator(ps);
	if (op != EXPR_CONST && args < 2)
		return fail_at(ps, ps->p, "min and max take two values or more");
	ps->p++;
	ps->nested--;
	return true;
}

static bool parse_name(struct parser *ps)
{
	struct span name = lex_name(ps);
	bool is_min = span_is(name, "min");

	if (!is_min && !span_is(name, "max"))
		return resolve_name(ps, name);
	skip_blanks(ps);
	if (ps->p == ps->end || *ps->p != '(')
		return fail_at(ps, ps->p, "expected '(' after min or max");
	return parse_bracket(ps, name.p, is_min ? EXPR_MIN : EXPR_MAX);
}

static bool parse_operand(struct parser *ps)
{
	const char *at;

	skip_blanks(ps);
	at = ps->p;
	if (at == ps->end)
		return fail_at(ps, at, "expected a number, a name or '('");
	if (isdigit((unsigned char)*at) || *at == '.')
		return parse_number(ps);
	if (is_name_start(*at))
		return parse_name(ps);
	if (*at == '(')
		return parse_bracket(ps, at, EXPR_CONST);
	if (*at != '-')
		return fail_at(ps, at, "expected a number, a name or '('");
	ps->p++;
	if (!enter_nested(ps, at) || !parse_operand(ps))
		return false;
	ps->nested--;
	return push_op(ps, EXPR_NEG, at);
}

/* A value and the operators after it that bind at least as tightly as `least`. */
static bool parse_binary(struct parser *ps, unsigned least)
{
	static const struct {
		char c;
		uint8_t binds, op;
	} operators[] = {{'+', 0, EXPR_ADD}, {'-', 0, EXPR_SUB}, {'*', 1, EXPR_MUL}, {'/', 1, EXPR_DIV}};

	if (!parse_operand(ps))
		return false;
	for (;;) {
		const char *at;
		size_t i = 0;

		skip_blanks(ps);
		at = ps->p;
		while (i < ARRAY_LEN(operators) && (at == ps->end || *at != operators[i].c))
			i++;
		if (i == ARRAY_LEN(operators) || operators[i].binds < least)
			return true;
		ps->p++;
		if (!enter_nested(ps, at) || !parse_binary(ps, operators[i].binds + 1u) ||
		    !push_op(ps, operators[i].op, at))
			return false;
		ps->nested--;
	}
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
	if (text.n > EXPR_TEXT_MAX)
		err_set(err, 0, "formula of %zu bytes: at most %d are allowed", text.n, EXPR_TEXT_MAX);
	else if (parse_binary(&ps, 0) && (ps.p == ps.end || fail_operator(&ps))) {
		GROW_FIT(out->ops, out->n, out->cap);
		return true;
	}
	expr_fini(out);
	return false;
}

void expr_of_counts(struct expr *expr)
{
	for (unsigned i = 0; i < expr->n; i++)
		if (expr->ops[i].kind == EXPR_SUB)
			expr->ops[i].kind = EXPR_REST;
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

#define ROUNDING 1e-4 /* of a number: sums over long times have 24 bits, and rests of rests fewer */

static inline double rest_of(double all, double part)
{
	double rest = all - part;

	return rest >= 0 ? rest : -rest <= ROUNDING * part ? 0 : NAN;
}

double expr_eval(const struct expr *expr, const double *values)
{
	double stack[EXPR_DEPTH_MAX + 1], *top = stack; /* stack[0]: the result of an empty program */

	stack[0] = NAN;
	for (unsigned i = 0; i < expr->n; i++) {
		const struct expr_op *op = &expr->ops[i];

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
		case EXPR_REST:
			top--;
			top[0] = rest_of(top[0], top[1]);
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
