/* openmetrics: the columns of a table as text for Prometheus, in the OpenMetrics format 1.0 or the
 * classic one before it. doc/serve.md describes the names.
 *
 * A count is a counter: its value is the sum since the start. Any other metric is a gauge. The six
 * classes of the external read latency are one histogram. Names are data: the field `prometheus` of
 * a metric, else its title (metric_def.by_title) or its machine name, with the unit at the end.
 * Labels follow from sources and instances. A family has either the sum or its parts, never both,
 * so that a query may add up a family. */
#ifndef MALITOP_OPENMETRICS_H
#define MALITOP_OPENMETRICS_H

#include "export/export.h"

enum openmetrics_form { OPENMETRICS_1_0, OPENMETRICS_CLASSIC, OPENMETRICS_FORMS };

/* "mali_fragment_queue_active_cycles", without "_total". A value in the metric's unit is divided by
 * `divisor`. */
#define OPENMETRICS_NAME 128
struct openmetrics_name {
	char text[OPENMETRICS_NAME];
	const char *type; /* "counter", "gauge", "histogram" */
	char unit[32];    /* "" for none */
	double divisor;
};
void openmetrics_name(const struct metric *metric, enum source_kind kind, struct openmetrics_name *name);

/* Check that names of metrics are unique. */
bool openmetrics_check(const struct export_table *table, struct err *err);
/* Sort the columns, so that those of a family are adjacent. Remove sums whose parts are columns,
 * and parts of parts. Parts are kept with --per-core only. */
void openmetrics_arrange(struct export_table *table);

struct openmetrics_lines {
	enum openmetrics_form form;
	bool head;                     /* write type, unit and help of each family with a value */
	const char *labels;            /* start of the labels of all lines: "host=\"a\""; "" for none */
	int64_t time_ns;               /* since the epoch, written after each value; 0: none */
	struct openmetrics_past *past; /* collects the points instead of writing them; NULL: none */
};
/* Write an arranged table. `values` has one per column, for counters the sum since the start. A
 * value of NaN has no line. */
void openmetrics_table(const struct export_table *table, const struct openmetrics_lines *lines,
		       const double *values, struct strbuf *out);

/* For families without a column. */
void openmetrics_head(const struct openmetrics_name *name, enum openmetrics_form form, const char *help,
		      struct strbuf *out);
/* Append `key="value"`, with a comma before it unless *labels is empty. */
void openmetrics_label(struct strbuf *labels, const char *key, const char *value);
/* Return the number of values of a point: the classes of a histogram, else one. */
unsigned openmetrics_values(const struct openmetrics_name *name);
/* Write the lines of a point. */
void openmetrics_point(const struct openmetrics_name *name, enum openmetrics_form form, const char *labels,
		       const double *values, int64_t time_ns, struct strbuf *out);
struct openmetrics_family {
	struct openmetrics_name name;
	const char *help;
};
/* Write the line of a value, after the head of the family unless *has_head. Nothing for NaN. */
void openmetrics_value(const struct openmetrics_family *family, enum openmetrics_form form,
		       const char *labels, double value, bool *has_head, struct strbuf *out);
/* Write "name{labels} value". */
void openmetrics_line(const char *name, const char *ending, const char *labels, double value, int64_t time_ns,
		      struct strbuf *out);

/* ---- openmetrics_past.c: logs, to fill gaps in Prometheus ----
 *
 * The format requires all lines of a family together, and in it all points of a series. A log has
 * them by time, and several logs have the same families. So the points are collected, 16 to 32
 * bytes each, and written at the end. */

struct openmetrics_past *openmetrics_past_new(void);
void openmetrics_past_free(struct openmetrics_past *past);
/* Add a point with openmetrics_values(name) values. The strings are copied. A point that is not
 * later than the one before in its series is omitted, because Prometheus rejects it. */
void openmetrics_past_add(struct openmetrics_past *past, const struct openmetrics_name *name,
			  const char *help, const char *labels, int64_t time_ns, const double *values);
/* Return the number of omitted points. */
uint64_t openmetrics_past_dropped(const struct openmetrics_past *past);
/* Write all points, and "# EOF". */
bool openmetrics_past_write(const struct openmetrics_past *past, export_write_fn *write, void *ctx,
			    struct err *err);

#endif
