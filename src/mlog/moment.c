#include "mlog/moment.h"

#include <stdio.h>
#include <time.h>
#include <string.h>

#define SECOND 1000000000ll
#define LONGEST_S 1e9 /* some thirty years */

/* Parse "1:30" or "1:02:03.5"; numbers after a colon are below 60. */
static bool clock_parse(struct span rest, int64_t *ns)
{
	double seconds = 0, part;
	int parts = 0;

	for (; rest.n || parts < 2; parts++) {
		struct span text = span_until(&rest, ':');

		if (!span_double(text, &part) || part < 0 || (parts && part >= 60) ||
		    (rest.n && memchr(text.p, '.', text.n)))
			return false;
		seconds = seconds * 60 + part;
	}
	if (parts > 3 || seconds > LONGEST_S)
		return false;
	*ns = (int64_t)(seconds * SECOND + 0.5);
	return true;
}

static bool length_parse(const char *text, int64_t *ns)
{
	return strchr(text, ':') ? clock_parse(span_of(text), ns)
				 : time_parse(text, 0, (int64_t)LONGEST_S * SECOND, ns, NULL);
}

static bool percent_parse(struct span text, int64_t length_ns, int64_t *ns)
{
	double percent;

	if (!text.n || text.p[text.n - 1] != '%')
		return false;
	text.n--;
	if (!span_double(span_trim(text), &percent) || percent < 0 || percent > 100)
		return false;
	*ns = (int64_t)((double)length_ns * (percent / 100));
	return true;
}

bool moment_parse(const char *text, int64_t at_ns, int64_t length_ns, int64_t *ns, struct err *err)
{
	struct span trimmed = span_trim(span_of(text));
	char given[64];
	int64_t by;

	snprintf(given, sizeof(given), "%.*s", SPAN_ARG(trimmed));
	if (percent_parse(trimmed, length_ns, ns))
		return true;
	if ((given[0] == '+' || given[0] == '-') && length_parse(given + 1, &by))
		by = at_ns + (given[0] == '+' ? by : -by);
	else if (!length_parse(given, &by))
		return err_set(err, 0, "go to '%s': not a time: try 90s, 1:30, 1:02:03, +10s, -5s or 50%%",
			       given);
	*ns = by;
	return true;
}

bool moment_check_from(int64_t from_ns, int64_t length_ns, struct err *err)
{
	char from[UNITS_TEXT], is[UNITS_TEXT];

	return !from_ns || from_ns < length_ns ||
	       err_set(err, ERR_USAGE, "--from: %s: the log is only %s long", time_format(from, from_ns),
		       moment_format(is, length_ns, true));
}

char *moment_format(char buf[UNITS_TEXT], int64_t ns, bool tenths)
{
	long long s = (ns < 0 ? 0 : ns) / SECOND;
	int tenth = (int)((ns < 0 ? 0 : ns) % SECOND / (SECOND / 10));
	int n;

	if (s >= 3600)
		n = snprintf(buf, UNITS_TEXT, "%lld:%02d:%02d", s / 3600, (int)(s / 60 % 60), (int)(s % 60));
	else
		n = snprintf(buf, UNITS_TEXT, "%d:%02d", (int)(s / 60), (int)(s % 60));
	if (tenths)
		snprintf(buf + n, UNITS_TEXT - (size_t)n, ".%d", tenth);
	return buf;
}

void moment_clock(int64_t realtime_ns, char *out, size_t size)
{
	time_t now = (time_t)(realtime_ns / 1000000000);
	struct tm tm;

	if (!localtime_r(&now, &tm) || !strftime(out, size, "%H:%M:%S", &tm))
		out[0] = 0;
}
