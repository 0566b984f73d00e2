/* Exact fractions: arithmetic, and 12 digits of them. */
#include "tests/support/rational.h"

#include "base/alloc.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void assert_formats(const struct rational *r, const char *expected)
{
	AUTO_STRBUF struct strbuf out = {0};

	strbuf_str(&out, "");
	rational_format(r, &out);
	assert_string_equal(out.p, expected);
}

static struct rational *number(const char *text)
{
	struct rational *r = xcalloc(1, sizeof(*r));

	assert_true(rational_set_decimal(r, span_of(text)));
	return r;
}

static void twelve_digits_are_rounded_half_to_even(void **state)
{
	static const struct {
		const char *value, *text;
	} cases[] = {
		{"0", "0"},
		{"-0", "0"},
		{"0.000", "0"},
		{"1", "1"},
		{"-1.50", "-1.5"},
		{"100", "100"},
		{"123456789012", "123456789012"},
		{"1234567890125", "1234567890120"},
		{"1234567890135", "1234567890140"},
		{"12345678901.25", "12345678901.2"},
		{"12345678901.35", "12345678901.4"},
		{"12345678901.250000000000000000000000000000000000001", "12345678901.3"},
		{"12345678901.249999999999999999999999999999999999999", "12345678901.2"},
		{"999999999999.5", "1000000000000"},
		{"9.999999999995", "10"},
		{"0.09999999999995", "0.1"},
		{"0.0999999999999", "0.0999999999999"},
		{"0.000000000000001234", "0.000000000000001234"},
		{"18446744073709551615", "18446744073700000000"},
		{"1e30", "1000000000000000000000000000000"},
		{"1.5e-3", "0.0015"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE struct rational *r = number(cases[i].value);

		assert_formats(r, cases[i].text);
	}
}

static void arithmetic_is_exact(void **state)
{
	static const struct {
		const char *a, *b;
		void (*op)(struct rational *, const struct rational *, const struct rational *);
		const char *result;
	} cases[] = {
		{"1", "3", rational_div, "0.333333333333"},
		{"2", "3", rational_div, "0.666666666667"},
		{"-2", "3", rational_div, "-0.666666666667"},
		{"5", "0", rational_div, ""},
		{"0", "0", rational_div, ""},
		{"0", "5", rational_div, "0"},
		{"0", "-5", rational_mul, "0"},
		{"18446744073709551615", "18446744073709551615", rational_mul,
		 "340282366921000000000000000000000000000"},
		{"18446744073709551615", "18446744073709551614", rational_sub, "1"},
		{"3", "5", rational_sub, "-2"},
		{"-3", "-5", rational_add, "-8"},
		{"-3", "5", rational_add, "2"},
		{"0.1", "0.2", rational_add, "0.3"},
		{"-3", "2", rational_min, "-3"},
		{"-3", "-2", rational_max, "-2"},
		{"-3", "2", rational_max, "2"},
		{"0.25", "0.5", rational_min, "0.25"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE struct rational *a = number(cases[i].a), *b = number(cases[i].b);

		cases[i].op(a, a, b);
		assert_formats(a, cases[i].result);
	}
}

/* What doubles, and pairs of doubles, get wrong: a/3 - b/3 - c/3 with a = b + c. */
static void difference_that_is_zero_is_zero_and_divides_nothing(void **state)
{
	AUTOFREE struct rational *a = number("281474976710655"), *b = number("281474976710650"),
				 *c = number("5"), *three = number("3"), *one = number("1");

	(void)state;
	rational_div(a, a, three);
	rational_div(b, b, three);
	rational_div(c, c, three);
	rational_sub(a, a, b);
	rational_sub(a, a, c);
	assert_formats(a, "0");
	rational_div(one, one, a);
	assert_int_equal(one->state, RATIONAL_UNDEFINED);
}

static void undefined_passes_through_everything(void **state)
{
	static void (*const ops[])(struct rational *, const struct rational *, const struct rational *) = {
		rational_add, rational_sub, rational_mul, rational_div, rational_min, rational_max};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ops); i++) {
		AUTOFREE struct rational *a = number("1"), *b = number("0"), *c = number("2");

		rational_set_undefined(b);
		ops[i](a, a, b);
		assert_int_equal(a->state, RATIONAL_UNDEFINED);
		ops[i](c, b, c);
		assert_int_equal(c->state, RATIONAL_UNDEFINED);
		assert_formats(a, "");
	}
}

static void what_does_not_fit_says_so_and_stays(void **state)
{
	AUTOFREE struct rational *a = number("1e900");

	(void)state;
	for (int i = 0; i < 8; i++)
		rational_mul(a, a, a);
	assert_int_equal(a->state, RATIONAL_TOO_LONG);
	rational_sub(a, a, a);
	assert_int_equal(a->state, RATIONAL_TOO_LONG);
}

static void largest_that_fits_can_be_written(void **state)
{
	AUTO_STRBUF struct strbuf out = {0};
	AUTOFREE struct rational *a = number("1e-999");
	AUTOFREE struct rational *b = number("1e-999");

	(void)state;
	rational_mul(a, a, b);
	rational_mul(a, a, b);
	assert_int_equal(a->state, RATIONAL_TOO_LONG);
	rational_mul(b, b, b);
	rational_format(b, &out);
	assert_int_equal(out.n, 2 + 1998);
}

static void only_decimals_are_decimals(void **state)
{
	static const char *const wrong[] = {"",       ".",   "-",  "+1", "1.2.3", "0x10", "1e", "1e+",
					    "1e1234", "ten", "1 ", " 1", "1,5",   "inf",  "nan"};
	struct rational r;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++)
		assert_false(rational_set_decimal(&r, span_of(wrong[i])));
}

static void constant_of_a_formula_is_what_was_written(void **state)
{
	static const struct {
		double value;
		const char *text;
	} cases[] = {{0.85, "0.85"}, {1e-3, "0.001"}, {-2.5, "-2.5"}, {1e21, "1000000000000000000000"},
		     {NAN, ""},      {INFINITY, ""}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rational r;

		rational_set_double(&r, cases[i].value);
		assert_formats(&r, cases[i].text);
	}
}

static bool resolve_letter(void *ctx, struct span name, struct expr *out, struct err *err)
{
	(void)ctx, (void)err;
	return expr_load(out, (unsigned)(name.p[0] - 'a'), name.p[0] == 'c' ? 4 : 1);
}

static void formulas_evaluate_as_they_read(void **state)
{
	static const struct {
		const char *text, *result;
	} cases[] = {
		{"a", "7"},
		{"c", "12"},
		{"-(a - b) * 2", "-10"},
		{"a / b / c", "0.291666666667"},
		{"max(min(a, b, c), 3)", "3"},
		{"max(min(a / (b - 2) * 100, 100), 0)", ""},
		{"d + 1", ""},
		{"a * 0.1", "0.7"},
	};
	AUTOFREE struct rational *values = xcalloc(4, sizeof(*values));

	(void)state;
	rational_set_u64(&values[0], 7);
	rational_set_u64(&values[1], 2);
	rational_set_u64(&values[2], 3);
	rational_set_undefined(&values[3]);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct rational r;
		struct expr expr;
		struct err err;

		assert_true(expr_compile(&expr, span_of(cases[i].text), resolve_letter, NULL, &err));
		rational_eval(&r, &expr, values);
		assert_formats(&r, cases[i].result);
		expr_fini(&expr);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(twelve_digits_are_rounded_half_to_even),
		cmocka_unit_test(arithmetic_is_exact),
		cmocka_unit_test(difference_that_is_zero_is_zero_and_divides_nothing),
		cmocka_unit_test(undefined_passes_through_everything),
		cmocka_unit_test(what_does_not_fit_says_so_and_stays),
		cmocka_unit_test(largest_that_fits_can_be_written),
		cmocka_unit_test(only_decimals_are_decimals),
		cmocka_unit_test(constant_of_a_formula_is_what_was_written),
		cmocka_unit_test(formulas_evaluate_as_they_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
