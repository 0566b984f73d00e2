/* Shared by the files of export; no other file includes this. */
#ifndef MALITOP_EXPORT_PRIV_H
#define MALITOP_EXPORT_PRIV_H

#include "export/export.h"

#define EXPORT_COMMAND_COLUMNS 3 /* user and system time, status */

/* Fill the columns of a table whose options and sources are there. On failure some may be there: the caller frees them. */
bool export_columns(struct export_table *table, struct err *err);

/* A count per second of the time that it is of, anything else as it is. Nothing was measured (sum NULL): nothing is known. */
double export_rate(const struct export_column *column, double value, const struct column *sum);
/* The end of a line for people: no blank hangs over. */
void export_line_end(struct strbuf *out);
/* A report on the CPU events of a source that tells raw counts; nothing of any other. */
void export_events(const struct export_source *source, const struct column *sum, struct strbuf *out);

#endif
