/* moment: times in a log as people write and read them, counted from its start. */
#ifndef MALITOP_MOMENT_H
#define MALITOP_MOMENT_H

#include "base/err.h"
#include "base/units.h"

/* Parse "90s", "1:30", "1:02:03.5"; "+10s", "-0:05" (relative to at_ns); "50%" (of length_ns). *ns
 * may be before 0 or past length_ns. */
bool moment_parse(const char *text, int64_t at_ns, int64_t length_ns, int64_t *ns, struct err *err);
/* Check --from for a log of length_ns. Returns false if it is past the end; 0 is always valid. */
bool moment_check_from(int64_t from_ns, int64_t length_ns, struct err *err);
/* Format as "0:12", "1:02:03", or with tenths "0:12.5"; rounded down. Returns buf. */
char *moment_format(char buf[UNITS_TEXT], int64_t ns, bool tenths);
/* "14:02:11", the local time of day. */
void moment_clock(int64_t realtime_ns, char *out, size_t size);

#endif
