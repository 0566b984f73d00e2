/* openmetrics_past: logs as OpenMetrics, to fill in what Prometheus did not scrape.
 *
 * The format wants all lines of a family together, and in it all points of a series. A log has them
 * by time, and several logs have the same families. So the points are collected, 16 to 32 bytes
 * for each, and written at the end.
 */
#ifndef MALITOP_OPENMETRICS_PAST_H
#define MALITOP_OPENMETRICS_PAST_H

#include "export/openmetrics.h"

struct openmetrics_past *openmetrics_past_new(void);
void openmetrics_past_free(struct openmetrics_past *past);
/* Add a point: openmetrics_values(name) values. The strings are copied. A point that is not later
 * than the one before it in its series is left out: Prometheus takes none twice. */
void openmetrics_past_add(struct openmetrics_past *past, const struct openmetrics_name *name,
			  const char *help, const char *labels, int64_t time_ns, const double *values);
/* Points that were left out. */
uint64_t openmetrics_past_dropped(const struct openmetrics_past *past);
/* Write everything, and "# EOF". */
bool openmetrics_past_write(const struct openmetrics_past *past, export_write_fn *write, void *ctx,
			    struct err *err);

#endif
