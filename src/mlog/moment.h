/* moment: moments of a log as people write and read them, counted from its begin. */
#ifndef MALITOP_MOMENT_H
#define MALITOP_MOMENT_H

#include "base/err.h"
#include "base/units.h"

/* "90s", "1:30", "1:02:03.5"; "+10s", "-0:05": from at_ns on; "50%" of length_ns. *ns lies in 0 to length_ns. */
bool moment_parse(const char *text, int64_t at_ns, int64_t length_ns, int64_t *ns, struct err *err);
/* --from of a log that is length_ns long; false: nothing would be left. 0 is always right. */
bool moment_check_from(int64_t from_ns, int64_t length_ns, struct err *err);
/* "0:12", "1:02:03"; with tenths of a second: "0:12.5". Whole ones that have passed. Returns buf. */
char *moment_format(char buf[UNITS_TEXT], int64_t ns, bool tenths);

#endif
