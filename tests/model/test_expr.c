#include "base/alloc.h"
#include "model/expr.h"
#include "tests/support/test.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names that the tests' formulas may have: a to h are values, `half` is half of a, `pi` a constant,
 * `sum` another formula. */
static const double values[] = {3, 5, 7, 0, 11, -13, NAN, 0.25};
enum { N_VALUES = 8 };

static bool resolve_name(void *ctx, struct span name, struct expr *out, struct err *err)
{
	static struct expr_op sum_ops[] = {{.kind = EXPR_LOAD, .number = 1},
					   {.kind = EXPR_LOAD, .slot = 1, .number = 1},
					   {.kind = EXPR_ADD}};
	static const struct expr sum = {sum_ops, 3, 3, 2};
	struct strbuf *seen = ctx;

	if (seen)
		strbuf_printf(seen, "%.*s\n", SPAN_ARG(name));
	if (seen || (name.n == 1 && name.p[0] >= 'a' && name.p[0] < 'a' + N_VALUES))
		return expr_load(out, (unsigned)(name.p[0] - 'a') % N_VALUES, 1);
	if (span_is(name, "half"))
		return expr_load(out, 0, 0.5);
	if (span_is(name, "pi"))
		return expr_const(out, 3.25);
	if (span_is(name, "sum"))
		return expr_inline(out, &sum);
	return err_set(err, 0, "unknown name '%.*s'", SPAN_ARG(name));
}

static double eval_text(const char *text)
{
	struct expr e;
	struct err err;
	double v;

	if (!expr_compile(&e, span_of(text), resolve_name, NULL, &err))
		fail_msg("%s", err.text);
	assert_true(e.depth <= EXPR_DEPTH_MAX);
	v = expr_eval(&e, values);
	expr_fini(&e);
	return v;
}

TEST(formulas_follow_the_usual_rules)
{
	static const struct {
		const char *text;
		double want;
	} cases[] = {
		{"42", 42},
		{"1.5e2", 150},
		{".5", 0.5},
		{"2E-1", 0.2},
		{"a", 3},
		{" a\t+\n b ", 8},
		{"a + b * c", 38},
		{"(a + b) * c", 56},
		{"a - b - c", -9},
		{"a - (b - c)", 5},
		{"100 / 5 / 2", 10},
		{"100 / 5 * 2", 40},
		{"2 * 3 + 4 * 5", 26},
		{"-a", -3},
		{"--a", 3},
		{"- - -a", -3},
		{"-a * b", -15},
		{"a * -b", -15},
		{"a - -b", 8},
		{"-a - -b", 2},
		{"-(a + b)", -8},
		{"-min(a, b) + 1", -2},
		{"2 * -3 + 1", -5},
		{"((((a))))", 3},
		{"min(a, b)", 3},
		{"max(a, b)", 5},
		{"max(f, b, c, a)", 7},
		{"min(1, 2, max(3, 4), -5, 6)", -5},
		{"min (a, b) * max( a , b )", 15},
		{"min(a + b, a * b)", 8},
		{"min(a, b) - min(a, b, c)", 0},
		{"max(min(a, 100), 0)", 3},
		{"half * 2 + pi", 6.25},
		{"sum * sum", 64},
		{"1 / h", 4},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (eval_text(cases[i].text) != cases[i].want)
			fail_msg("'%s' is %g", cases[i].text, eval_text(cases[i].text));
}

TEST(a_division_by_zero_and_a_missing_value_are_nan_all_through)
{
	static const char *const undefined[] = {
		"a / 0",
		"a / d",
		"0 / 0",
		"d / d",
		"f / d",
		"a / -d",
		"g",
		"g + 1",
		"g * 0",
		"0 / g",
		"-g",
		"1 / (a - a)",
		"min(g, 1)",
		"min(1, g)",
		"max(g, 1)",
		"max(1, g)",
		"min(1, 2, g)",
		"max(g, 1, 2)",
		"min(a, 1 / d)",
		"max(min(a / d, 100), 0)",
		"1 / d - 1 / d",
		"min(1 / 0, 1 / 0)",
	};

	for (size_t i = 0; i < ARRAY_LEN(undefined); i++)
		if (!isnan(eval_text(undefined[i])))
			fail_msg("'%s' is %g", undefined[i], eval_text(undefined[i]));
	assert_true(eval_text("0 / a") == 0);
}

TEST(an_error_has_the_text_and_a_caret_under_the_place)
{
	static const struct {
		const char *text, *what;
		int caret;
	} cases[] = {
		{"", "expected a number, a name or '('", 0},
		{"a +", "expected a number, a name or '('", 3},
		{"a + * b", "expected a number, a name or '('", 4},
		{"()", "expected a number, a name or '('", 1},
		{"min()", "expected a number, a name or '('", 4},
		{"min(a, )", "expected a number, a name or '('", 7},
		{"-", "expected a number, a name or '('", 1},
		{"+a", "expected a number, a name or '('", 0},
		{"a b", "expected an operator", 2},
		{"1 2", "expected an operator", 2},
		{"2a", "expected an operator", 1},
		{"a (b)", "expected an operator", 2},
		{"a ^ 2", "expected an operator", 2},
		{"a # b", "expected an operator", 2},
		{"a[0", "expected an operator", 1},
		{"a[]", "expected an operator", 1},
		{"a[x]", "expected an operator", 1},
		{"(a", "'(' is never closed", 0},
		{"a * (b + (c)", "'(' is never closed", 4},
		{"1 + min(a, b", "'(' is never closed", 4},
		{"a)", "')' without '('", 1},
		{"(a))", "')' without '('", 3},
		{"a, b", "',' outside of min and max", 1},
		{"(a, b)", "',' outside of min and max", 2},
		{"min((a, b))", "',' outside of min and max", 6},
		{"min(a)", "min and max take two values or more", 5},
		{"max(a + b)", "min and max take two values or more", 9},
		{"min a, b", "expected '(' after min or max", 4},
		{"1 + max", "expected '(' after min or max", 7},
		{"1 + 1..2", "not a number", 4},
		{"1.2.3", "not a number", 0},
		{"2 * 1e", "not a number", 4},
		{"1e999", "not a number", 0},
		{".", "not a number", 0},
		{"a + nope / b", "unknown name 'nope'", 4},
		{"minimum(a, b)", "unknown name 'minimum'", 0},
		{"Min(a, b)", "unknown name 'Min'", 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *want =
			xasprintf("%s\n  %s\n  %*s^", cases[i].what, cases[i].text, cases[i].caret, "");
		struct expr e = {.n = 7};
		struct err err = {0};

		if (expr_compile(&e, span_of(cases[i].text), resolve_name, NULL, &err))
			fail_msg("'%s' was taken", cases[i].text);
		assert_string_equal(err.text, want);
		assert_null(e.ops);
		assert_int_equal(e.n, 0);
	}
}

TEST(what_a_message_shows_of_a_text_is_cut_and_printable)
{
	char text[3000], want[300];
	struct expr e;
	struct err err;

	memset(text, 'a', sizeof(text));
	for (size_t i = 1; i < sizeof(text); i += 2)
		text[i] = '+';
	text[700] = '\x1b';
	text[702] = '\x9b';
	assert_false(expr_compile(&e, (struct span){text, sizeof(text)}, resolve_name, NULL, &err));
	text[700] = text[702] = '?';
	snprintf(want, sizeof(want), "expected a number, a name or '('\n  %.120s\n  %*s^", text + 600, 100,
		 "");
	assert_string_equal(err.text, want);
}

/* `open`, n times, then `inner`, then `close`, n times. */
static bool compile_nested(const char *open, const char *inner, const char *close, unsigned n,
			   struct err *err)
{
	AUTO_STRBUF struct strbuf text = {0};
	struct expr e;
	bool ok;

	for (unsigned i = 0; i < n; i++)
		strbuf_str(&text, open);
	strbuf_str(&text, inner);
	for (unsigned i = 0; i < n; i++)
		strbuf_str(&text, close);
	*err = (struct err){0};
	ok = expr_compile(&e, (struct span){text.p, text.n}, resolve_name, NULL, err);
	if (ok) {
		assert_true(e.depth <= EXPR_DEPTH_MAX && e.n <= EXPR_OPS_MAX);
		expr_eval(&e, values);
		expr_fini(&e);
	}
	return ok;
}

TEST(every_limit_holds_to_the_unit)
{
	static const struct {
		const char *open, *inner, *close;
		unsigned most; /* that is still taken */
		const char *what;
	} cases[] = {
		{"a+(", "a", ")", EXPR_DEPTH_MAX - 1, "formula is nested too deep"},
		{"(", "a", ")", 2 * EXPR_DEPTH_MAX, "formula is nested too deep"},
		{"-", "a", "", 2 * EXPR_DEPTH_MAX, "formula is nested too deep"},
		{"a+", "a", "", EXPR_OPS_MAX / 2 - 1, "formula is too long"},
		{"min(a,", "a", ")", EXPR_DEPTH_MAX - 1, "formula is nested too deep"},
		{" ", "a", "", EXPR_TEXT_MAX - 1, "formula of 4001 bytes: at most 4000 are allowed"},
	};
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		for (unsigned n = cases[i].most - 1; n <= cases[i].most; n++)
			if (!compile_nested(cases[i].open, cases[i].inner, cases[i].close, n, &err))
				fail_msg("'%s' %u times: %s", cases[i].open, n, err.text);
		assert_false(compile_nested(cases[i].open, cases[i].inner, cases[i].close, cases[i].most + 1,
					    &err));
		if (strncmp(err.text, cases[i].what, strlen(cases[i].what)) != 0)
			fail_msg("'%s': %s", cases[i].open, err.text);
	}
}

TEST(a_call_of_any_length_needs_two_places_on_the_stack)
{
	AUTO_STRBUF struct strbuf text = {0};
	struct expr e;
	struct err err;

	strbuf_str(&text, "max(1");
	for (unsigned i = 2; i <= 400; i++)
		strbuf_printf(&text, ",%u", i);
	strbuf_str(&text, ")");
	assert_true(expr_compile(&e, span_of(text.p), resolve_name, NULL, &err));
	assert_int_equal(e.depth, 2);
	assert_true(expr_eval(&e, values) == 400);
	expr_fini(&e);
}

TEST(a_resolver_that_appends_too_much_is_an_error)
{
	struct err err;

	/* 3 ops for each name and one for each plus: 4 n - 1. */
	assert_true(compile_nested("sum+", "a", "", 255, &err));
	assert_false(compile_nested("sum+", "a", "", 256, &err));
	assert_memory_equal(err.text, "formula is too long\n", 20);
}

static void *compile_hostile(void *arg)
{
	static const char *const starts[] = {"(",  "min(", "max(1,", "-", "a+(", "min(-(",
					     "1/", "a[",   "((((,",  "$", "1e",  "-(-"};

	(void)arg;
	for (size_t i = 0; i < ARRAY_LEN(starts); i++)
		for (unsigned n = 1000; n <= 100000; n *= 10) {
			struct err err;

			if (compile_nested(starts[i], "", "", n, &err) || !err.text[0])
				return (void *)(uintptr_t)starts[i];
		}
	return NULL;
}

TEST(hostile_texts_end_with_an_error_on_a_small_stack)
{
	pthread_attr_t attr;
	pthread_t thread;
	void *failed;

	assert_int_equal(pthread_attr_init(&attr), 0);
	assert_int_equal(pthread_attr_setstacksize(&attr, 128 << 10), 0);
	assert_int_equal(pthread_create(&thread, &attr, compile_hostile, NULL), 0);
	assert_int_equal(pthread_join(thread, &failed), 0);
	pthread_attr_destroy(&attr);
	if (failed)
		fail_msg("'%s' again and again", (const char *)failed);
}

TEST(names_reach_the_resolver_as_written)
{
	AUTO_STRBUF struct strbuf seen = {0};
	struct expr e;
	struct err err;

	assert_true(expr_compile(&e,
				 SPAN_LIT("$MaliGPUCycles + Name.core3 * _x9 / CPUActivityUser.Cluster[0] - "
					  "min(a.b_c.d, A[12]) + minor"
					  " + max.core1"),
				 resolve_name, &seen, &err));
	assert_string_equal(seen.p, "$MaliGPUCycles\nName.core3\n_x9\nCPUActivityUser.Cluster[0]\na.b_c.d\nA["
				    "12]\nminor\nmax.core1\n");
	expr_fini(&e);
}

TEST(slots_beyond_16_bits_are_refused)
{
	struct expr e = {0};

	assert_true(expr_load(&e, 65535, 1));
	assert_false(expr_load(&e, 65536, 1));
	assert_int_equal(e.ops[0].slot, 65535);
	expr_fini(&e);
}

TEST(an_empty_program_is_undefined)
{
	struct expr_op none;
	const struct expr e = {.ops = &none};

	assert_true(isnan(expr_eval(&e, values)));
}

/* A random formula by the grammar in expr.h, as text, and its value by the definition of every
 * operation. */

static uint64_t seed = 0x9e3779b97f4a7c15u;

static unsigned below(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed >> 33) % n;
}

static double random_sum(struct strbuf *out, unsigned depth);

static void random_blanks(struct strbuf *out)
{
	if (below(3) == 0)
		strbuf_str(out, &"  "[below(3)]);
}

static double random_call(struct strbuf *out, unsigned depth)
{
	bool least = below(2);
	double best, v;

	strbuf_str(out, least ? "min(" : "max(");
	best = random_sum(out, depth - 1);
	for (unsigned n = 1 + below(3); n; n--) {
		strbuf_str(out, ",");
		v = random_sum(out, depth - 1);
		best = isnan(best) || isnan(v) ? NAN : least ? fmin(best, v) : fmax(best, v);
	}
	strbuf_str(out, ")");
	return best;
}

static double random_factor(struct strbuf *out, unsigned depth)
{
	unsigned kind = below(depth ? 6 : 3), which;
	double v;

	random_blanks(out);
	switch (kind) {
	case 0:
		which = below(4000);
		strbuf_printf(out, "%u.%02u", which / 100, which % 100);
		return strtod(out->p + out->n - (which < 1000 ? 4 : 5), NULL);
	case 1:
	case 2:
		which = below(20) ? below(6) : below(N_VALUES);
		strbuf_printf(out, "%c", 'a' + (int)which);
		return values[which];
	case 3:
		strbuf_str(out, "-");
		return -random_factor(out, depth - 1);
	case 4:
		strbuf_str(out, "(");
		v = random_sum(out, depth - 1);
		strbuf_str(out, ")");
		return v;
	default:
		return random_call(out, depth);
	}
}

static double random_term(struct strbuf *out, unsigned depth)
{
	double v = random_factor(out, depth), w;

	for (unsigned n = below(3); n; n--) {
		bool times = below(2);

		random_blanks(out);
		strbuf_str(out, times ? "*" : "/");
		w = random_factor(out, depth);
		v = times ? v * w : w == 0 ? NAN : v / w;
	}
	return v;
}

static double random_sum(struct strbuf *out, unsigned depth)
{
	double v = random_term(out, depth), w;

	for (unsigned n = below(3); n; n--) {
		bool plus = below(2);

		random_blanks(out);
		strbuf_str(out, plus ? "+" : "-");
		w = random_term(out, depth);
		v = plus ? v + w : v - w;
	}
	return v;
}

TEST(random_formulas_have_the_value_that_their_parts_say)
{
	unsigned numbers = 0;

	for (unsigned i = 0; i < 30000; i++) {
		AUTO_STRBUF struct strbuf text = {0};
		double want = random_sum(&text, 1 + i % 4), got;

		if (text.n > EXPR_OPS_MAX)
			continue; /* it could have too many operations */
		got = eval_text(text.p);
		if (isnan(want) ? !isnan(got) : got != want)
			fail_msg("%s is %.17g, not %.17g", text.p, got, want);
		numbers += !isnan(want);
	}
	assert_true(numbers > 5000); /* or the cases are no good */
}
