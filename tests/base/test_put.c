/* Formats whose texts and numbers are written as a language wants them. */
#include "base/json.h"
#include "tests/support/test.h"

#include <math.h>

TEST(texts_are_strings_and_the_format_stays_as_it_is)
{
	AUTO_STRBUF struct strbuf out = {0};

	json_put(&out, "{\"a\":%s,\"b\":%.*s,\"%%\":%s}", "x\"y\n%s", 2, "cut", json_null);
	assert_string_equal(out.p, "{\"a\":\"x\\\"y\\n%s\",\"b\":\"cu\",\"%\":null}");
}

TEST(numbers_have_the_digits_that_were_asked_for)
{
	AUTO_STRBUF struct strbuf out = {0};

	json_put(&out, "%d %u %llu %.2f %.3g %g %g", -1, 2u, 18446744073709551615ull, 0.125, 1.23456, 0.1,
		 (double)NAN);
	assert_string_equal(out.p, "-1 2 18446744073709551615 0.12 1.23 0.1 null");
}
