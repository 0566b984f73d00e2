#include "tests/support/rational.h"

#include "base/alloc.h"
#include "base/units.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS 12 /* significant ones that rational_format writes */

static void nat_set(struct natural *a, uint64_t value)
{
	for (a->n = 0; value; value >>= 32)
		a->limb[a->n++] = (uint32_t)value;
}

/* Copies only the limbs in use. */
static void nat_copy(struct natural *to, const struct natural *from)
{
	to->n = from->n;
	memmove(to->limb, from->limb, from->n * sizeof(from->limb[0]));
}

static int nat_cmp(const struct natural *a, const struct natural *b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (unsigned i = a->n; i-- > 0;)
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i] ? -1 : 1;
	return 0;
}

/* a = a * m + add; false when it does not fit. */
static bool nat_mul_small(struct natural *a, uint32_t m, uint32_t add)
{
	uint64_t carry = add;

	for (unsigned i = 0; i < a->n; i++) {
		carry += (uint64_t)a->limb[i] * m;
		a->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (!carry)
		return true;
	if (a->n == ARRAY_LEN(a->limb))
		return false;
	a->limb[a->n++] = (uint32_t)carry;
	return true;
}

static bool nat_add(struct natural *out, const struct natural *a, const struct natural *b)
{
	unsigned n = a->n > b->n ? a->n : b->n;
	uint64_t carry = 0;

	for (unsigned i = 0; i < n; i++) {
		carry += (uint64_t)(i < a->n ? a->limb[i] : 0) + (i < b->n ? b->limb[i] : 0);
		out->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry && n == RATIONAL_LIMBS)
		return false;
	if (carry)
		out->limb[n++] = (uint32_t)carry;
	out->n = n;
	return true;
}

/* a >= b */
static void nat_sub(struct natural *out, const struct natural *a, const struct natural *b)
{
	unsigned n = a->n;
	int64_t borrow = 0;

	for (unsigned i = 0; i < n; i++) {
		borrow += (int64_t)a->limb[i] - (i < b->n ? b->limb[i] : 0);
		out->limb[i] = (uint32_t)borrow;
		borrow >>= 32;
	}
	assert(borrow == 0);
	while (n && out->limb[n - 1] == 0)
		n--;
	out->n = n;
}

/* out is neither a nor b. */
static bool nat_mul(struct natural *out, const struct natural *a, const struct natural *b)
{
	out->n = 0;
	if (!a->n || !b->n)
		return true;
	if (a->n + b->n > RATIONAL_LIMBS)
		return false;
	out->n = a->n + b->n;
	memset(out->limb, 0, out->n * sizeof(out->limb[0]));
	for (unsigned i = 0; i < a->n; i++) {
		uint64_t carry = 0;

		for (unsigned j = 0; j < b->n; j++) {
			carry += (uint64_t)a->limb[i] * b->limb[j] + out->limb[i + j];
			out->limb[i + j] = (uint32_t)carry;
			carry >>= 32;
		}
		out->limb[i + b->n] = (uint32_t)carry;
	}
	if (out->limb[out->n - 1] == 0)
		out->n--;
	return true;
}

static void rational_copy(struct rational *to, const struct rational *from)
{
	if (to == from)
		return;
	to->state = from->state;
	to->negative = from->negative;
	nat_copy(&to->num, &from->num);
	nat_copy(&to->den, &from->den);
}

void rational_set_u64(struct rational *r, uint64_t value)
{
	r->state = RATIONAL_DEFINED;
	r->negative = false;
	nat_set(&r->num, value);
	nat_set(&r->den, 1);
}

void rational_set_undefined(struct rational *r)
{
	rational_set_u64(r, 0);
	r->state = RATIONAL_UNDEFINED;
}

/* "e-12" at the end of a decimal; *exponent stays 0 without one. */
static bool parse_exponent(struct span rest, int *exponent)
{
	bool minus;

	if (!rest.n)
		return true;
	if ((rest.p[0] | 0x20) != 'e')
		return false;
	rest.p++;
	rest.n--;
	minus = rest.n && rest.p[0] == '-';
	if (rest.n && (rest.p[0] == '-' || rest.p[0] == '+')) {
		rest.p++;
		rest.n--;
	}
	if (rest.n < 1 || rest.n > 3)
		return false;
	for (; rest.n; rest.p++, rest.n--) {
		if (!isdigit((unsigned char)rest.p[0]))
			return false;
		*exponent = 10 * *exponent + rest.p[0] - '0';
	}
	if (minus)
		*exponent = -*exponent;
	return true;
}

bool rational_set_decimal(struct rational *r, struct span text)
{
	bool point = false, digits = false, fits = true, negative = text.n && text.p[0] == '-';
	int exponent = 0, decimals = 0;

	rational_set_u64(r, 0);
	if (negative) {
		text.p++;
		text.n--;
	}
	for (; text.n && (isdigit((unsigned char)text.p[0]) || (text.p[0] == '.' && !point));
	     text.p++, text.n--) {
		if (text.p[0] == '.') {
			point = true;
			continue;
		}
		digits = true;
		fits = fits && nat_mul_small(&r->num, 10, (uint32_t)(text.p[0] - '0'));
		decimals += point ? 1 : 0;
		fits = fits && decimals < 10 * RATIONAL_LIMBS;
	}
	if (!digits || !parse_exponent(text, &exponent))
		return false;
	for (exponent -= decimals; fits && exponent != 0; exponent += exponent < 0 ? 1 : -1)
		fits = nat_mul_small(exponent < 0 ? &r->den : &r->num, 10, 0);
	r->negative = negative && r->num.n;
	if (!fits || r->num.n > RATIONAL_LIMBS || r->den.n > RATIONAL_LIMBS)
		r->state = RATIONAL_TOO_LONG;
	return true;
}

void rational_set_double(struct rational *r, double value)
{
	char text[NUMBER_TEXT];

	if (!isfinite(value) || !rational_set_decimal(r, span_of(number_shortest(text, value))))
		rational_set_undefined(r);
}

/* Hand on what is not defined. */
static bool both_defined(struct rational *r, const struct rational *a, const struct rational *b)
{
	enum rational_state state = a->state != RATIONAL_DEFINED ? a->state : b->state;

	if (state != RATIONAL_DEFINED)
		r->state = state;
	return state == RATIONAL_DEFINED;
}

/* Bring a and b over one denominator: their numerators then, and that denominator. */
static bool common(const struct rational *a, const struct rational *b, struct natural *num_a,
		   struct natural *num_b, struct natural *den)
{
	if (nat_cmp(&a->den, &b->den) == 0) {
		nat_copy(num_a, &a->num);
		nat_copy(num_b, &b->num);
		nat_copy(den, &a->den);
		return true;
	}
	return nat_mul(num_a, &a->num, &b->den) && nat_mul(num_b, &b->num, &a->den) &&
	       nat_mul(den, &a->den, &b->den);
}

static void add_signed(struct rational *r, const struct rational *a, const struct rational *b, bool minus)
{
	struct natural num_a, num_b, den;
	bool sign_a = a->negative, sign_b = b->negative != minus;

	if (!both_defined(r, a, b))
		return;
	if (!common(a, b, &num_a, &num_b, &den)) {
		r->state = RATIONAL_TOO_LONG;
		return;
	}
	r->state = RATIONAL_DEFINED;
	r->negative = sign_a;
	nat_copy(&r->den, &den);
	if (sign_a == sign_b) {
		if (!nat_add(&r->num, &num_a, &num_b))
			r->state = RATIONAL_TOO_LONG;
	} else if (nat_cmp(&num_a, &num_b) >= 0) {
		nat_sub(&r->num, &num_a, &num_b);
	} else {
		nat_sub(&r->num, &num_b, &num_a);
		r->negative = sign_b;
	}
	r->negative = r->negative && r->num.n;
}

void rational_add(struct rational *r, const struct rational *a, const struct rational *b)
{
	add_signed(r, a, b, false);
}

void rational_sub(struct rational *r, const struct rational *a, const struct rational *b)
{
	add_signed(r, a, b, true);
}

/* a * num / den, with a sign */
static void multiply_parts(struct rational *r, const struct rational *a, const struct natural *num,
			   const struct natural *den, bool negative)
{
	struct natural above, below;

	if (!nat_mul(&above, &a->num, num) || !nat_mul(&below, &a->den, den)) {
		r->state = RATIONAL_TOO_LONG;
		return;
	}
	r->state = RATIONAL_DEFINED;
	r->negative = a->negative != negative && above.n;
	nat_copy(&r->num, &above);
	nat_copy(&r->den, &below);
}

void rational_mul(struct rational *r, const struct rational *a, const struct rational *b)
{
	if (both_defined(r, a, b))
		multiply_parts(r, a, &b->num, &b->den, b->negative);
}

void rational_div(struct rational *r, const struct rational *a, const struct rational *b)
{
	if (!both_defined(r, a, b))
		return;
	if (!b->num.n)
		rational_set_undefined(r);
	else
		multiply_parts(r, a, &b->den, &b->num, b->negative);
}

/* The smaller of the two, or the larger. */
static void pick_larger(struct rational *r, const struct rational *a, const struct rational *b, bool larger)
{
	struct natural num_a, num_b, den;
	int order;

	if (!both_defined(r, a, b))
		return;
	if (!common(a, b, &num_a, &num_b, &den)) {
		r->state = RATIONAL_TOO_LONG;
		return;
	}
	order = nat_cmp(&num_a, &num_b);
	if (a->negative != b->negative)
		order = a->negative ? -1 : 1;
	else if (a->negative)
		order = -order;
	rational_copy(r, (order < 0) != larger ? a : b);
}

void rational_min(struct rational *r, const struct rational *a, const struct rational *b)
{
	pick_larger(r, a, b, false);
}

void rational_max(struct rational *r, const struct rational *a, const struct rational *b)
{
	pick_larger(r, a, b, true);
}

static void push_load(struct rational *top, const struct rational *value, double factor)
{
	if (factor == 1) {
		rational_copy(top, value);
		return;
	}
	rational_set_double(top, factor);
	rational_mul(top, value, top);
}

/* Values on the stack at most. Operations on two values leave one. */
static unsigned stack_depth(const struct expr *expr)
{
	int depth = 0, most = 0;

	for (unsigned i = 0; i < expr->n; i++) {
		uint8_t kind = expr->ops[i].kind;

		depth += kind == EXPR_CONST || kind == EXPR_LOAD ? 1 : kind == EXPR_NEG ? 0 : -1;
		if (depth > most)
			most = depth;
	}
	return (unsigned)most;
}

void rational_eval(struct rational *out, const struct expr *expr, const struct rational *values)
{
	static void (*const pairs[])(struct rational *, const struct rational *, const struct rational *) = {
		[EXPR_ADD] = rational_add, [EXPR_SUB] = rational_sub, [EXPR_MUL] = rational_mul,
		[EXPR_DIV] = rational_div, [EXPR_MIN] = rational_min, [EXPR_MAX] = rational_max,
	};
	AUTOFREE struct rational *stack = xcalloc(stack_depth(expr) + 1, sizeof(*stack));
	struct rational *top = stack; /* stack[0] is never read by a program that is not empty */

	rational_set_undefined(top);
	for (unsigned i = 0; i < expr->n; i++) {
		const struct expr_op *op = &expr->ops[i];

		if (op->kind == EXPR_CONST) {
			rational_set_double(++top, op->number);
		} else if (op->kind == EXPR_LOAD) {
			push_load(++top, &values[op->slot], op->number);
		} else if (op->kind == EXPR_NEG) {
			top->negative = !top->negative && top->num.n;
		} else {
			top--;
			pairs[op->kind](top, top, top + 1);
		}
	}
	rational_copy(out, top);
}

/* Long division: num / den, with 10^*exponent <= value before, gives the digits; num is what
 * remains over den. */
static void divide_digits(struct natural *num, struct natural *den, char digits[DIGITS])
{
	for (int i = 0; i < DIGITS; i++) {
		if (i)
			nat_mul_small(num, 10, 0);
		for (digits[i] = 0; nat_cmp(num, den) >= 0; digits[i]++)
			nat_sub(num, num, den);
	}
}

/* Scale so that 1 <= num / den < 10; returns the power of ten that was taken out. */
static int normalise_parts(struct natural *num, struct natural *den)
{
	struct natural ten;
	int exponent = 0;

	while (nat_cmp(num, den) < 0) {
		nat_mul_small(num, 10, 0);
		exponent--;
	}
	for (;;) {
		nat_copy(&ten, den);
		nat_mul_small(&ten, 10, 0);
		if (nat_cmp(num, &ten) < 0)
			return exponent;
		nat_copy(den, &ten);
		exponent++;
	}
}

/* One more in the last place; 999... becomes 100... */
static int round_up(char digits[DIGITS], int exponent)
{
	int i = DIGITS - 1;

	for (; i >= 0 && digits[i] == 9; i--)
		digits[i] = 0;
	if (i >= 0) {
		digits[i]++;
		return exponent;
	}
	digits[0] = 1;
	return exponent + 1;
}

static void write_plain(struct strbuf *out, const char digits[DIGITS], int exponent)
{
	int n = DIGITS;
	char c;

	while (n > 1 && digits[n - 1] == 0)
		n--;
	for (int at = exponent < 0 ? exponent : 0; at < n || at <= exponent; at++) {
		c = (char)('0' + (at >= 0 && at < n ? digits[at] : 0));
		strbuf_add(out, &c, 1);
		if (at == exponent && at + 1 < n)
			strbuf_str(out, ".");
	}
}

void rational_format(const struct rational *r, struct strbuf *out)
{
	struct natural num, den;
	char digits[DIGITS];
	int exponent, order;

	if (r->state != RATIONAL_DEFINED)
		return;
	if (!r->num.n) {
		strbuf_str(out, "0");
		return;
	}
	nat_copy(&num, &r->num);
	nat_copy(&den, &r->den);
	exponent = normalise_parts(&num, &den);
	divide_digits(&num, &den, digits);
	nat_mul_small(&num, 2, 0);
	order = nat_cmp(&num, &den);
	if (order > 0 || (order == 0 && digits[DIGITS - 1] % 2))
		exponent = round_up(digits, exponent);
	if (r->negative)
		strbuf_str(out, "-");
	write_plain(out, digits, exponent);
}
