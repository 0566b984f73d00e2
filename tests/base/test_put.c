/* Formats whose texts and numbers are written as a language wants them. */
#include "base/json.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void texts_are_strings_and_the_format_stays_as_it_is(void **state)
{
	AUTO_STRBUF struct strbuf out = {0};

	(void)state;
	json_put(&out, "{\"a\":%s,\"b\":%.*s,\"%%\":%s}", "x\"y\n%s", 2, "cut", json_null);
	assert_string_equal(out.p, "{\"a\":\"x\\\"y\\n%s\",\"b\":\"cu\",\"%\":null}");
}

static void numbers_have_the_digits_that_were_asked_for(void **state)
{
	AUTO_STRBUF struct strbuf out = {0};

	(void)state;
	json_put(&out, "%d %u %llu %.2f %.3g %g %g", -1, 2u, 18446744073709551615ull, 0.125, 1.23456, 0.1,
		 (double)NAN);
	assert_string_equal(out.p, "-1 2 18446744073709551615 0.12 1.23 0.1 null");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_strings_and_the_format_stays_as_it_is),
		cmocka_unit_test(numbers_have_the_digits_that_were_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
