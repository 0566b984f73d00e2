/* Arithmetic without the mathematics library agrees with it. */
#include "base/real.h"

#include "base/alloc.h"
#include "tests/support/test.h"

#include <float.h>

static const double values[] = {0,     -0.0,  0.5,  0.49999999999999994, -0.5,  1.5,  2.5, -2.5,
				99.5,  -7.49, 1e-9, 4503599627370497.5,  -1e18, 1e18, 3,   12345.678,
				1e300, -1e300};

TEST(the_lesser_and_the_greater_pass_over_nan)
{
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		assert_true(real_min((double)NAN, values[i]) == values[i]);
		assert_true(real_max(values[i], (double)NAN) == values[i]);
		for (size_t k = 0; k < ARRAY_LEN(values); k++) {
			assert_true(real_min(values[i], values[k]) == fmin(values[i], values[k]));
			assert_true(real_max(values[i], values[k]) == fmax(values[i], values[k]));
		}
	}
	assert_true(isnan(real_min((double)NAN, (double)NAN)) && isnan(real_max((double)NAN, (double)NAN)));
}

TEST(a_half_is_rounded_away_from_zero)
{
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		if (fabs(values[i]) <= 1e18)
			assert_true(real_round(values[i]) == llround(values[i]));
}

TEST(a_decade_is_the_power_of_ten_at_or_below)
{
	assert_true(real_decade(1) == 1 && real_decade(9.999) == 1 && real_decade(10) == 10);
	assert_true(real_decade(999999) == 1e5 && real_decade(1e15) == 1e15);
	assert_float_equal(real_decade(0.0999), 0.01, 1e-12);
	assert_float_equal(real_decade(0.5), 0.1, 1e-12);
	assert_true(isinf(real_decade((double)INFINITY)));
	assert_true(real_decade(DBL_MIN) <= DBL_MIN);
	assert_true(real_root(144) == 12);
}
