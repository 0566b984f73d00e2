/* Content negotiation. */
#include "serve/serve_http.h"

#include "base/alloc.h"

#include <string.h>

double serve_http_quality(struct span parameters)
{
	double q = 1;

	while (parameters.n) {
		struct span one = span_trim(span_until(&parameters, ';'));

		if (one.n > 2 && (one.p[0] == 'q' || one.p[0] == 'Q') && one.p[1] == '=' &&
		    !span_double((struct span){one.p + 2, one.n - 2}, &q))
			q = 0;
	}
	return q;
}

/* Whether the range of OpenMetrics has a version that we write: 1.0.0, or none is named. */
static bool is_our_version(struct span parameters)
{
	while (parameters.n) {
		struct span one = span_trim(span_until(&parameters, ';'));

		if (one.n > 8 && memcmp(one.p, "version=", 8) == 0 && !span_is(one, "version=1.0.0"))
			return false;
	}
	return true;
}

enum openmetrics_form serve_http_form(const char *accept)
{
	static const char *const classic_ranges[] = {"text/plain", "text/*", "*/*"};
	struct span rest = span_of(accept);
	double open = 0, classic = 0;

	while (rest.n) {
		struct span parameters = span_until(&rest, ','),
			    type = span_trim(span_until(&parameters, ';'));
		double q = serve_http_quality(parameters);

		if (span_is(type, "application/openmetrics-text") && is_our_version(parameters) && q > open)
			open = q;
		for (size_t i = 0; i < ARRAY_LEN(classic_ranges); i++)
			if (span_is(type, classic_ranges[i]) && q > classic)
				classic = q;
	}
	return open > 0 && open >= classic ? OPENMETRICS_1_0 : OPENMETRICS_CLASSIC;
}
