/* perf_format: where the parameters of an event lie in the numbers that the kernel takes (format/NAME of a PMU in sysfs). */
#ifndef MALITOP_PERF_FORMAT_H
#define MALITOP_PERF_FORMAT_H

#include "backends/perf/perf_group.h"

/* Put value into the event as the format tells, "config:0-7,32-35": the low bits of the value into the first range. What the
 * parameter was before is overwritten. On failure the event is as it was, and the error is what follows "NAME: ". */
bool perf_format_put(struct perf_event *event, struct span format, uint64_t value, struct err *err);

#endif
