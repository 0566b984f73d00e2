/* perf_format: the position of an event's parameters in its config words (format/NAME of a PMU in
 * sysfs). */
#ifndef MALITOP_PERF_FORMAT_H
#define MALITOP_PERF_FORMAT_H

#include "backends/perf/perf_group.h"

/* Store value in the event at the format's position, "config:0-7,32-35": the low bits of the value
 * go into the first range. Overwrites the previous value. On failure the event is unchanged, and
 * the error is the text that follows "NAME: ". */
bool perf_format_put(struct perf_event *event, struct span format, uint64_t value, struct err *err);
/* The bits of `config` that the format uses. */
uint64_t perf_format_config(struct span format);

#endif
