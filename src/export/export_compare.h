/* export_compare: the totals of two logs beside each other. */
#ifndef MALITOP_EXPORT_COMPARE_H
#define MALITOP_EXPORT_COMPARE_H

#include "export/export.h"
#include "options/options.h"

struct export_compare *export_compare_new(void);
void export_compare_free(struct export_compare *compare); /* NULL is fine */
/* After the total of a log: its name, its verdict ("" without one), both printable. The totals of
 * the next export belong to the second log. */
void export_compare_end(struct export_compare *compare, const char *name, const char *verdict);
/* Append what changed, largest first, as a table, CSV or JSON lines. */
void export_compare_print(struct export_compare *compare, enum output_format format, struct strbuf *out);

/* Collects the total of a log in options.compare, and writes nothing. */
extern const struct export_format export_compared;

#endif
